//===- nn_convolution_test.cpp - layers of convolutions beside plain loops -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LayerChecks.h"

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

struct Moves {
  int64_t stride = 1, dilation = 1, groups = 1;
  /// valid, same or causal.
  char padding = 'v';
};
/// The padding before an axis, and the size of the result.
std::pair<int64_t, int64_t> placed(int64_t size, int64_t window, const Moves &moves) {
  const int64_t reach = (window - 1) * moves.dilation + 1;
  if (moves.padding == 'v')
    return {0, (size - reach) / moves.stride + 1};
  const int64_t count = (size + moves.stride - 1) / moves.stride;
  if (moves.padding == 'c')
    return {reach - 1, count};
  return {std::max<int64_t>((count - 1) * moves.stride + reach - size, 0) / 2, count};
}
/// Convolution of x (batch, places..., channels), of any rank.
Array convolved(const Array &input, const Array &weight, const Moves &moves) {
  const Grid x(input), kernel(weight);
  const size_t rank = x.sizes.size() - 2;
  const int64_t filters = kernel.sizes.back(), each = kernel.sizes[rank];
  std::vector<int64_t> sizes{x.sizes[0]}, before;
  for (size_t axis = 0; axis < rank; ++axis) {
    const auto [low, count] = placed(x.sizes[axis + 1], kernel.sizes[axis], moves);
    before.push_back(low);
    sizes.push_back(count);
  }
  sizes.push_back(filters);
  Grid y(sizes);
  Grid::forEach(sizes, [&](const std::vector<int64_t> &to) {
    const int64_t group = to.back() / (filters / moves.groups);
    Grid::forEach(kernel.sizes, [&](const std::vector<int64_t> &tap) {
      if (tap.back() != to.back())
        return;
      std::vector<int64_t> from = to;
      bool isInside = true;
      for (size_t axis = 0; axis < rank; ++axis) {
        from[axis + 1] = to[axis + 1] * moves.stride - before[axis] + tap[axis] * moves.dilation;
        isInside = isInside && from[axis + 1] >= 0 && from[axis + 1] < x.sizes[axis + 1];
      }
      from.back() = group * each + tap[rank];
      if (isInside)
        y(to) += x(from) * kernel(tap);
    });
  });
  return y.array();
}
/// Transposed convolution: each element of x adds a kernel to the result.
Array convolvedBack(const Array &input, const Array &weight, int64_t stride, bool isSame) {
  const Grid x(input), kernel(weight);
  const size_t rank = x.sizes.size() - 2;
  std::vector<int64_t> sizes{x.sizes[0]}, before;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t size = x.sizes[axis + 1], window = kernel.sizes[axis];
    sizes.push_back(isSame ? size * stride : (size - 1) * stride + window);
    before.push_back(isSame ? placed(size * stride, window, {.stride = stride, .padding = 's'}).first : 0);
  }
  sizes.push_back(kernel.sizes[rank]);
  Grid y(sizes);
  Grid::forEach(x.sizes, [&](const std::vector<int64_t> &from) {
    Grid::forEach(kernel.sizes, [&](const std::vector<int64_t> &tap) {
      if (tap.back() != from.back())
        return;
      std::vector<int64_t> to = from;
      bool isInside = true;
      for (size_t axis = 0; axis < rank; ++axis) {
        to[axis + 1] = from[axis + 1] * stride + tap[axis] - before[axis];
        isInside = isInside && to[axis + 1] >= 0 && to[axis + 1] < sizes[axis + 1];
      }
      to.back() = tap[rank];
      if (isInside)
        y(to) += x(from) * kernel(tap);
    });
  });
  return y.array();
}

const nn::Initializer someBias = nn::uniform(-1, 1);
Array biased(const Array &y, const Variable &bias) { return y + astype(bias.value(), f64); }

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

TEST(NnConvolution, OneAxis) {
  const Array x = numbers({2, 9, 3});
  const nn::Conv1D plain{4, 3, {.bias_initializer = someBias}};
  expectLayer(plain, x, [&] { return biased(convolved(x, plain.kernel(), {}), plain.bias()); });
  EXPECT_EQ(plain.kernel().shape(), Shape({3, 3, 4}));
  EXPECT_EQ(nn::count_params(plain), 3 * 3 * 4 + 4);
  const nn::Conv1D delayed{4, 3, {.padding = causal, .dilation = 2}};
  expectLayer(delayed, x, [&] { return convolved(x, delayed.kernel(), {.dilation = 2, .padding = 'c'}); });
  const nn::Conv1D strided{6, 4, {.strides = 3, .padding = same, .groups = 3, .activation = relu, .use_bias = false}};
  expectLayer(strided, x,
              [&] { return relu(convolved(x, strided.kernel(), {.stride = 3, .groups = 3, .padding = 's'})); });
  EXPECT_EQ(nn::variables(strided).size(), 1u);
}
TEST(NnConvolution, TwoAxes) {
  const Array x = numbers({2, 7, 6, 4});
  const nn::Conv2D layer{6, {3, 2}, {.strides = 2, .padding = same, .groups = 2, .bias_initializer = someBias}};
  expectLayer(layer, x, [&] {
    return biased(convolved(x, layer.kernel(), {.stride = 2, .groups = 2, .padding = 's'}), layer.bias());
  });
  EXPECT_EQ(layer.kernel().shape(), Shape({3, 2, 2, 6}));
}
TEST(NnConvolution, ThreeAxes) {
  const Array x = numbers({2, 4, 5, 6, 2});
  const nn::Conv3D layer{3, {2, 3, 2}, {.bias_initializer = someBias}};
  expectLayer(layer, x, [&] { return biased(convolved(x, layer.kernel(), {}), layer.bias()); });
  EXPECT_EQ(layer.kernel().shape(), Shape({2, 3, 2, 2, 3}));
  const nn::Conv3D strided{2, 3, {.strides = 2, .padding = same}};
  expectLayer(strided, x, [&] { return convolved(x, strided.kernel(), {.stride = 2, .padding = 's'}); });
}
TEST(NnConvolution, AnInputShapeBuildsAtOnce) {
  EXPECT_EQ((nn::Conv3D{4, 2, {.input_shape = {8, 8, 8, 3}}}.kernel().shape()), Shape({2, 2, 2, 3, 4}));
  EXPECT_EQ((nn::Conv1D{4, 2, {.data_format = DataFormat::channels_first, .input_shape = {3, 8}}}.kernel().shape()),
            Shape({2, 3, 4}));
}
TEST(NnConvolution, ChannelsFirstGivesTheSame) {
  constexpr auto front = DataFormat::channels_first;
  expectSameInBothFormats(nn::Conv1D{4, 3, {.padding = same, .bias_initializer = someBias}},
                          nn::Conv1D{4, 3, {.padding = same, .data_format = front}}, numbers({2, 6, 3}));
  expectSameInBothFormats(nn::Conv3D{4, 2, {.bias_initializer = someBias}}, nn::Conv3D{4, 2, {.data_format = front}},
                          numbers({2, 4, 3, 5, 3}));
  expectSameInBothFormats(nn::Conv1DTranspose{4, 3, {.strides = 2, .bias_initializer = someBias}},
                          nn::Conv1DTranspose{4, 3, {.strides = 2, .data_format = front}}, numbers({2, 6, 3}));
  expectSameInBothFormats(nn::DepthwiseConv2D{3, {.depth_multiplier = 2, .bias_initializer = someBias}},
                          nn::DepthwiseConv2D{3, {.depth_multiplier = 2, .data_format = front}}, numbers({2, 5, 6, 3}));
  expectSameInBothFormats(nn::SeparableConv2D{5, 3, {.bias_initializer = someBias}},
                          nn::SeparableConv2D{5, 3, {.data_format = front}}, numbers({2, 5, 6, 3}));
}
TEST(NnConvolution, DerivativesOfTheKernelAreFiniteDifferences) {
  const nn::SeparableConv1D layer{2, 2, {.activation = tanh}};
  const Array x = numbers({1, 5, 2});
  (void)layer(x);
  const auto [loss, gradients] =
      nn::value_and_grad([&](const nn::SeparableConv1D &model) { return sum(square(model(x))); })(layer);
  const Variable kernel = layer.depthwise_kernel();
  const Array before = kernel.value();
  const float step = 1e-2f;
  auto at = [&](float by) {
    kernel.assign(before + by * reshape(one_hot(Array{1}, 4), {2, 2, 1}));
    return sum(square(layer(x))).item<float>();
  };
  const float slope = (at(step) - at(-step)) / (2 * step);
  EXPECT_NEAR(gradients["depthwise_kernel"].to_vector<float>()[1], slope, 2e-3 * std::abs(slope) + 1e-4);
}

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

TEST(NnConvolution, TransposedOfAnyRank) {
  const Array x1 = numbers({2, 5, 3}), x2 = numbers({2, 3, 4, 3}), x3 = numbers({1, 2, 3, 2, 2});
  const nn::Conv1DTranspose one{4, 3, {.strides = 2, .bias_initializer = someBias}};
  expectLayer(one, x1, [&] { return biased(convolvedBack(x1, one.kernel(), 2, false), one.bias()); });
  EXPECT_EQ(one.kernel().shape(), Shape({3, 4, 3}));
  const nn::Conv2DTranspose two{4, 4, {.strides = 2, .padding = same}};
  expectLayer(two, x2, [&] { return convolvedBack(x2, two.kernel(), 2, true); });
  const nn::Conv3DTranspose three{3, {2, 3, 2}, {.strides = 2, .padding = same}};
  expectLayer(three, x3, [&] { return convolvedBack(x3, three.kernel(), 2, true); });
  EXPECT_EQ(nn::count_params(three), 2 * 3 * 2 * 3 * 2 + 3);
}
TEST(NnConvolution, OutputPaddingAddsPlacesAtTheEnd) {
  // PyTorch's ConvTranspose1d(kernel_size=3, stride=2, padding=1, output_padding=1): (size - 1) * 2 - 2 + 3 + 1.
  const nn::Conv1DTranspose layer{2, 3, {.strides = 2, .padding = 1, .output_padding = 1}};
  EXPECT_EQ(called(layer, numbers({1, 5, 2})).shape(), Shape({1, 10, 2}));
}

//===----------------------------------------------------------------------===//
// Depthwise and separable convolution
//===----------------------------------------------------------------------===//

/// Each channel by itself; kernel [window..., channels, multiplier].
Array depthwise(const Array &x, const Array &kernel, const Moves &moves) {
  std::vector<Array> results;
  for (int64_t channel = 0; channel < x.shape()[-1].value(); ++channel) {
    const Array own = take(kernel, Array{static_cast<int32_t>(channel)}, -2);
    results.push_back(convolved(take(x, Array{static_cast<int32_t>(channel)}, -1), own, moves));
  }
  return concatenate(results, -1);
}
TEST(NnConvolution, DepthwiseTreatsEachChannelAlone) {
  const Array x = numbers({2, 5, 6, 3});
  const nn::DepthwiseConv2D layer{3, {.padding = same, .depth_multiplier = 2, .bias_initializer = someBias}};
  expectLayer(layer, x, [&] { return biased(depthwise(x, layer.kernel(), {.padding = 's'}), layer.bias()); });
  EXPECT_EQ(layer.kernel().shape(), Shape({3, 3, 3, 2}));
  EXPECT_EQ(nn::count_params(layer), 3 * 3 * 3 * 2 + 6);
  const nn::DepthwiseConv1D one{2, {.strides = 2}};
  const Array x1 = numbers({2, 7, 4});
  expectLayer(one, x1, [&] { return depthwise(x1, one.kernel(), {.stride = 2}); });
}
TEST(NnConvolution, SeparableMixesChannelsAfterwards) {
  const Array x = numbers({2, 5, 6, 3});
  const nn::SeparableConv2D layer{
      4, 3, {.strides = 2, .depth_multiplier = 2, .activation = relu, .bias_initializer = someBias}};
  const Array y = called(layer, x);
  const Array each = depthwise(x, layer.depthwise_kernel(), {.stride = 2});
  const Array mixed = matmul(each, astype(reshape(layer.pointwise_kernel(), {6, 4}), f64));
  expectNear(y, relu(biased(mixed, layer.bias())));
  EXPECT_EQ(layer.pointwise_kernel().shape(), Shape({1, 1, 6, 4}));
  EXPECT_EQ(nn::count_params(layer), 3 * 3 * 3 * 2 + 6 * 4 + 4);
}
TEST(NnConvolution, TheFansOfADepthwiseKernelAreThoseOfOneChannel) {
  const nn::DepthwiseConv2D layer{
      5, {.depth_multiplier = 40, .depthwise_initializer = nn::he_normal(), .input_shape = {8, 8, 50}}};
  EXPECT_NEAR(tenon::std(layer.kernel()).item<float>(), std::sqrt(2.0 / 25), 5e-3);
}

//===----------------------------------------------------------------------===//
// Batches of any size, bad input
//===----------------------------------------------------------------------===//

TEST(NnConvolution, SizesMayBeSymbols) {
  const nn::Conv1D conv{3, 3, {.strides = 2}};
  const nn::SeparableConv2D separable{3, 3};
  const nn::Conv1DTranspose back{2, 3, {.strides = 2, .padding = same}};
  auto one = jit([&](const Array &x) { return back(conv(x)); }, {.specs = {TensorSpec{f32, {"n", "length", 2}}}});
  auto two = jit([&](const Array &x) { return separable(x); }, {.specs = {TensorSpec{f32, {"n", 8, 8, 2}}}});
  for (const int64_t n : {2, 3, 5}) {
    const Array x = numbers({n, n + 7, 2}), images = numbers({n, 8, 8, 2});
    expectBits(one(x), back(conv(x)));
    expectBits(two(images), separable(images));
  }
  EXPECT_EQ(one.trace_count(), 1);
}
TEST(NnConvolution, InputsSmallerThanAWindowNameTheLayer) {
  struct Net {
    nn::Conv2D conv1{4, 3};
    nn::Conv2D conv2{4, {3, 2}, {.padding = {{0, 0}, {1, 0}}}};
  };
  const Net net;
  (void)nn::variables(net);
  EXPECT_EQ(messageOf([&] { net.conv1(ones({1, 5, 2, 3})); }),
            "conv1: expected 3 elements or more along axis 2, which one window reaches over, got (1, 5, 2, 3)");
  EXPECT_EQ(net.conv2(ones({1, 3, 1, 2})).shape(), Shape({1, 1, 1, 4}));
  EXPECT_EQ(messageOf([&] { net.conv2(ones({1, 3, 0, 2})); }),
            "conv2: expected 1 elements or more along axis 2, which one window reaches over, got (1, 3, 0, 2)");
  EXPECT_EQ(messageOf([] { nn::SeparableConv1D{2, 3}(ones({1, 2, 3})); }),
            "SeparableConv1D: expected 3 elements or more along axis 1, which one window reaches over, got (1, 2, 3)");
  EXPECT_EQ(messageOf([] { nn::MaxPooling1D{3}(ones({1, 2, 3})); }),
            "MaxPooling1D: expected 3 elements or more along axis 1, which one window reaches over, got (1, 2, 3)");
  EXPECT_EQ(nn::Conv1D(2, 1)(ones({1, 0, 3})).shape(), Shape({1, 0, 2}));
  EXPECT_EQ((nn::Conv1D{2, 3, {.padding = 1}}(ones({1, 1, 3})).shape()), Shape({1, 1, 2}));
}
TEST(NnConvolution, ErrorsNameTheLayerWhatItExpectsAndGot) {
  struct Net {
    nn::Conv1D conv{4, 3};
    nn::Conv3D deep{4, 3, {.data_format = DataFormat::channels_first}};
    nn::DepthwiseConv2D each{3};
  };
  const Net net;
  (void)nn::variables(net);
  EXPECT_EQ(messageOf([&] { net.conv(ones({4, 5})); }), "conv: expected 3 axes (batch, length, channels), got (4, 5)");
  EXPECT_EQ(messageOf([&] { net.deep(ones({4, 5})); }),
            "deep: expected 5 axes (batch, channels, depth, height, width), got (4, 5)");
  net.each(ones({1, 4, 4, 3}));
  EXPECT_THAT(messageOf([&] { net.each(ones({1, 4, 4, 2})); }),
              HasSubstr("each: expected 3 channels, which it was built for, got an input of shape (1, 4, 4, 2)"));
  EXPECT_EQ(messageOf([] { nn::Conv1D{0, 3}; }), "Conv1D: expected filters >= 1, got 0");
  EXPECT_EQ(messageOf([] { nn::Conv3D{2, {3, 0, 3}}; }), "Conv3D: expected kernel_size >= 1, got 0");
  EXPECT_EQ(messageOf([] { nn::Conv2DTranspose{2, 3, {.strides = {1, -1}}}; }),
            "Conv2DTranspose: expected strides >= 1, got -1");
  EXPECT_EQ(messageOf([] { nn::Conv1DTranspose{2, 3, {.output_padding = -1}}; }),
            "Conv1DTranspose: expected output_padding >= 0, got -1");
  EXPECT_EQ(messageOf([] { nn::DepthwiseConv2D{3, {.depth_multiplier = 0}}; }),
            "DepthwiseConv2D: expected depth_multiplier >= 1, got 0");
  EXPECT_EQ(messageOf([] { nn::SeparableConv2D{3, 3, {.dilation = 0}}; }),
            "SeparableConv2D: expected dilation >= 1, got 0");
  EXPECT_EQ(messageOf([] { nn::Conv1D{4, 3, {.groups = 2}}(ones({1, 8, 3})); }),
            "Conv1D: expected channels that are a multiple of the 2 groups, got an input of shape (1, 8, 3)");
}

} // namespace

//===- nn_peers_test.cpp - bugs that users of other libraries reported of such layers --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LayerChecks.h"

using namespace tenon;
using namespace tenon::test;

namespace {

// keras-team/keras 22534, tensorflow/tensorflow 53055, 57128, 31514: channels first with dilation, strides of two
// sizes, strides together with dilation.
TEST(NnPeers, DepthwiseTakesAnyStridesAndDilation) {
  const nn::DepthwiseConv1D first{
      7, {.depth_multiplier = 2, .data_format = DataFormat::channels_first, .dilation = 2, .activation = relu}};
  EXPECT_EQ(called(first, numbers({4, 10, 15})).shape(), Shape({4, 20, 3}));
  EXPECT_EQ(
      messageOf([&] { (void)first(numbers({4, 10, 12})); }),
      "DepthwiseConv1D: expected 13 elements or more along axis 2, which one window reaches over, got (4, 10, 12)");
  const nn::SeparableConv2D strides{4, {2, 3}, {.strides = {1, 2}, .depth_multiplier = 4}};
  EXPECT_EQ(called(strides, numbers({1, 5, 7, 3})).shape(), Shape({1, 4, 3, 4}));
  const nn::DepthwiseConv2D both{3, {.strides = 2, .dilation = 3, .use_bias = false}};
  const Array x = numbers({1, 20, 20, 2}), y = called(both, x);
  EXPECT_EQ(y.shape(), Shape({1, 7, 7, 2}));
  const nn::DepthwiseConv2D dense{3, {.dilation = 3, .use_bias = false}};
  (void)dense(x);
  nn::copy_weights(both, dense);
  expectNear(y, dense(x)[{slice(none, none), slice(none, none, 2), slice(none, none, 2)}]);
}
// tensorflow/tensorflow 50168, keras-team/keras 19909, 22428: output_padding of 0 is as left out, and one that is as
// large as the strides is no crash.
TEST(NnPeers, OutputPaddingOfNoneAndOfMuch) {
  for (const Padding &padding : {Padding(same), Padding(PaddingMode::valid), Padding(1)}) {
    const nn::Conv1DTranspose left{2, 3, {.strides = 2, .padding = padding}};
    const nn::Conv1DTranspose zero{2, 3, {.strides = 2, .padding = padding, .output_padding = 0}};
    const Array x = numbers({1, 6, 3});
    (void)left(x), (void)zero(x);
    nn::copy_weights(left, zero);
    expectBits(zero(x), left(x));
  }
  const nn::Conv1DTranspose much{16, 3, {.strides = 1, .output_padding = 1}};
  EXPECT_EQ(
      messageOf([&] { (void)much(numbers({4, 10, 8})); }),
      "conv_transpose1d: expected an output_padding of at least 0 and less than the stride or the dilation, got 1 "
      "for the stride 1");
}
// keras-team/keras 22586, pytorch/pytorch 66707: squares of f16 overflow, and a small epsilon is 0 in f16.
TEST(NnPeers, NormalizationOfLargeNarrowNumbers) {
  const Array x = astype(random::uniform(random::key(1), {1, 16, 16, 64}, f32, 40000, 65000), f16);
  for (const Array &y : {nn::GroupNorm{8, {.epsilon = 1e-12}}(x), nn::InstanceNorm{{.epsilon = 1e-12}}(x),
                         nn::LayerNorm{{.epsilon = 1e-12}}(x), nn::RMSNorm{{.epsilon = 1e-12}}(x)}) {
    EXPECT_TRUE(all(isfinite(y)).item<bool>());
    EXPECT_NEAR(mean(square(astype(y, f32))).item<float>(), 1, 1e-2);
  }
}
// keras-team/keras 19721, 23233, 13841: `same` padding of averages on sizes and strides that do not fit.
TEST(NnPeers, AveragesDoNotCountThePadding) {
  const nn::AveragePooling1D layer{3, {.strides = 2, .padding = same}};
  expectNear(called(layer, reshape(Array{10.0f, 20.0f}, {1, 2, 1})), full({1, 1, 1}, 15.0f));
  const nn::AveragePooling2D uneven{{2, 3}, {.strides = 1, .padding = same}};
  expectNear(called(uneven, ones({1, 4, 7, 2})), ones({1, 4, 7, 2}));
  expectNear(called(nn::AveragePooling3D{2, {.padding = same}}, ones({1, 3, 4, 5, 1})), ones({1, 2, 2, 3, 1}));
}
// tensorflow/tensorflow 57057: the sum of f16 over an image overflows.
TEST(NnPeers, GlobalAveragesOfNarrowNumbers) {
  const Array x = full({1, 256, 256, 3}, 100, f16);
  expectBits(called(nn::GlobalAveragePooling2D{}, x), full({1, 3}, 100, f16));
}
// pytorch/pytorch 69801, 22879: Dropout2d of an image without a batch dropped rows.
TEST(NnPeers, SpatialDropoutRefusesOtherRanks) {
  const nn::Dropout2d layer{0.5, {.data_format = DataFormat::channels_first}};
  EXPECT_EQ(messageOf([&] { (void)layer(ones({2, 3, 4}), {.training = true}); }),
            "SpatialDropout2D: expected 4 axes (batch, channels, height, width), got (2, 3, 4)");
}
// keras-team/keras 22518, 15753: an output_shape of another rank; results that depend on the size of the batch.
TEST(NnPeers, EinsumDenseChecksItsOutputShape) {
  EXPECT_EQ(messageOf([] { nn::EinsumDense{"abc,cd->abd", {-1, 64, 32}}; }),
            "EinsumDense: expected an output_shape with 2 sizes, without the batch, for \"abc,cd->abd\", got "
            "(-1, 64, 32)");
  const nn::EinsumDense layer{"abc,cd->abd", {-1, 64}, {.bias_axes = "d"}};
  const Array x = numbers({7, 5, 33}), all = layer(x);
  for (int64_t i = 0; i < 7; ++i)
    expectBits(layer(x[{slice(i, i + 1)}]), all[{slice(i, i + 1)}]);
}
// tensorflow/tensorflow 39995, keras-team/keras 5784: shapes of sums that broadcast.
TEST(NnPeers, SumsBroadcast) {
  EXPECT_EQ(nn::Add{}(ones({2, 4, 1}), ones({2, 1, 5})).shape(), Shape({2, 4, 5}));
  EXPECT_EQ(messageOf([] { nn::Add{}(ones({3, 10}), ones({10})); }),
            "Add: expected batches of one size, got the shapes (3, 10) and (10,)");
}

} // namespace

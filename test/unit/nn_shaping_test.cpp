//===- nn_shaping_test.cpp - layers of shapes and of several inputs -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LayerChecks.h"

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr auto front = DataFormat::channels_first;

TEST(NnShaping, PermuteCountsFromOne) {
  const Array x = numbers({2, 3, 4, 5});
  expectBits(called(nn::Permute{{3, 1, 2}}, x), transpose(x, {0, 3, 1, 2}));
  expectBits(called(nn::Permute{{1}}, numbers({2, 3})), numbers({2, 3}));
  EXPECT_EQ(messageOf([] { nn::Permute{{0, 1}}; }),
            "Permute: expected each axis from 1 to 2 once (axis 0 is the batch), got {0, 1}");
  EXPECT_EQ(messageOf([] { nn::Permute{{2, 2}}; }),
            "Permute: expected each axis from 1 to 2 once (axis 0 is the batch), got {2, 2}");
  EXPECT_EQ(messageOf([&] { nn::Permute{{2, 1}}(x); }),
            "Permute: expected 3 axes, the batch among them, got (2, 3, 4, 5)");
}
TEST(NnShaping, RepeatVectorMakesAnAxis) {
  const Array x = numbers({2, 3});
  expectBits(called(nn::RepeatVector{4}, x), stack({x, x, x, x}, 1));
  EXPECT_EQ(messageOf([] { nn::RepeatVector{4}(ones({2, 3, 4})); }),
            "RepeatVector: expected 2 axes (batch, features), got (2, 3, 4)");
  EXPECT_EQ(messageOf([] { nn::RepeatVector{0}; }), "RepeatVector: expected n >= 1, got 0");
}
TEST(NnShaping, CroppingTakesEachFormOfMargins) {
  const Array x1 = numbers({2, 7, 3}), x2 = numbers({2, 6, 7, 3}), x3 = numbers({2, 5, 6, 7, 2});
  expectBits(called(nn::Cropping1D{}, x1), x1[{slice(none, none), slice(1, 6)}]);
  expectBits(called(nn::Cropping1D{{1, 2}}, x1), x1[{slice(none, none), slice(1, 5)}]);
  expectBits(called(nn::Cropping2D{}, x2), x2);
  expectBits(called(nn::Cropping2D{1}, x2), x2[{slice(none, none), slice(1, 5), slice(1, 6)}]);
  expectBits(called(nn::Cropping2D{{1, 2}}, x2), x2[{slice(none, none), slice(1, 5), slice(2, 5)}]);
  expectBits(called(nn::Cropping2D{{{1, 2}, {0, 3}}}, x2), x2[{slice(none, none), slice(1, 4), slice(0, 4)}]);
  expectBits(called(nn::Cropping3D{{{1, 2}, {0, 3}, {2, 2}}}, x3),
             x3[{slice(none, none), slice(1, 3), slice(0, 3), slice(2, 5)}]);
  expectSameInBothFormats(nn::Cropping2D{{1, 2}}, nn::Cropping2D{{1, 2}, {.data_format = front}}, x2);
  // All may go, but no more.
  EXPECT_EQ((nn::Cropping1D{{3, 4}}(x1).shape()), Shape({2, 0, 3}));
  EXPECT_EQ(messageOf([&] { nn::Cropping1D{{4, 4}}(x1); }),
            "Cropping1D: expected 8 elements or more along axis 1, which it crops by 4 and 4, got (2, 7, 3)");
  EXPECT_EQ(messageOf([] { nn::Cropping2D{{1, -1}}; }), "Cropping2D: expected cropping >= 0, got -1");
}
TEST(NnShaping, ZeroPaddingTakesEachFormOfMargins) {
  const Array x1 = numbers({2, 4, 3}), x2 = numbers({2, 3, 4, 2});
  Array wide = zeros({2, 7, 3});
  wide = wide.at[{slice(none, none), slice(1, 5)}].set(x1);
  expectBits(called(nn::ZeroPadding1D{{1, 2}}, x1), wide);
  Array image = zeros({2, 6, 11, 2});
  image = image.at[{slice(none, none), slice(1, 4), slice(3, 7)}].set(x2);
  expectBits(called(nn::ZeroPadding2D{{{1, 2}, {3, 4}}}, x2), image);
  EXPECT_EQ(called(nn::ZeroPadding2D{{1, 2}}, x2).shape(), Shape({2, 5, 8, 2}));
  EXPECT_EQ(called(nn::ZeroPadding3D{1}, numbers({1, 2, 3, 4, 1})).shape(), Shape({1, 4, 5, 6, 1}));
  expectSameInBothFormats(nn::ZeroPadding2D{1}, nn::ZeroPadding2D{1, {.data_format = front}}, x2);
  EXPECT_EQ(messageOf([] { nn::ZeroPadding1D{-1}; }), "ZeroPadding1D: expected padding >= 0, got -1");
  EXPECT_EQ(nn::ZeroPadding1D{}(ones({1, 2, 3}, i32)).dtype(), i32);
}
TEST(NnShaping, UpSamplingRepeatsOrInterpolates) {
  const Array x1 = numbers({2, 3, 2}), x2 = numbers({2, 3, 4, 2});
  expectBits(called(nn::UpSampling1D{3}, x1), repeat(x1, 3, 1));
  expectBits(called(nn::UpSampling2D{{2, 3}}, x2), repeat(repeat(x2, 2, 1), 3, 2));
  EXPECT_EQ(called(nn::UpSampling3D{}, numbers({1, 2, 3, 4, 1})).shape(), Shape({1, 4, 6, 8, 1}));
  // Half of a pixel's distance: 0, 1/4, 3/4, 1.
  const Array line = reshape(Array{0.0f, 1.0f}, {1, 2, 1});
  expectNear(called(nn::UpSampling1D{2, {.interpolation = ResizeMethod::linear}}, line),
             reshape(Array{0.0f, 0.25f, 0.75f, 1.0f}, {1, 4, 1}));
  expectSameInBothFormats(nn::UpSampling2D{2, {.interpolation = ResizeMethod::cubic}},
                          nn::UpSampling2D{2, {.data_format = front, .interpolation = ResizeMethod::cubic}}, x2);
  EXPECT_EQ(messageOf([] { nn::UpSampling2D{{2, 0}}; }), "UpSampling2D: expected size >= 1, got 0");
}
TEST(NnShaping, SizesMayBeSymbols) {
  const nn::Sequential chain{nn::ZeroPadding1D{{2, 1}}, nn::UpSampling1D{2}, nn::Cropping1D{{0, 3}}};
  auto compiled = jit([&](const Array &x) { return chain(x); }, {.specs = {TensorSpec{f32, {"n", "length", 2}}}});
  for (const int64_t n : {2, 4, 6})
    expectBits(compiled(numbers({n, n + 3, 2})), chain(numbers({n, n + 3, 2})));
  EXPECT_EQ(compiled.trace_count(), 1);
}

//===----------------------------------------------------------------------===//
// Several inputs
//===----------------------------------------------------------------------===//

TEST(NnMerging, CombinesElementByElement) {
  const Array a = numbers({2, 3}, 1), b = numbers({2, 3}, 2), c = numbers({2, 3}, 3);
  expectBits(nn::Add{}(a, b, c), a + b + c);
  expectBits(nn::Add{}({a, b, c}), a + b + c);
  expectBits(nn::Add{}(std::vector<Array>{a}), a);
  expectBits(nn::Multiply{}(a, b, c), a * b * c);
  expectBits(nn::Subtract{}(a, b), a - b);
  expectNear(nn::Average{}(a, b, c), (a + b + c) / 3.0f);
  expectBits(nn::Maximum{}(a, b, c), maximum(maximum(a, b), c));
  expectBits(nn::Minimum{}(a, b, c), minimum(minimum(a, b), c));
  expectBits(nn::Average{}(full({1}, 127, i8), full({1}, 127, i8)), full({1}, 127.0f));
  auto compiled = jit([](const Array &x, const Array &y) { return nn::Average{}(nn::Add{}(x, y), y); });
  expectBits(compiled(a, b), nn::Average{}(nn::Add{}(a, b), b));
}
TEST(NnMerging, AxesAfterTheBatchAreFilledUp) {
  const Array sequence = numbers({2, 4, 3}), channels = numbers({2, 3});
  expectBits(nn::Add{}(sequence, channels), sequence + reshape(channels, {2, 1, 3}));
  expectBits(nn::Multiply{}(channels, sequence), reshape(channels, {2, 1, 3}) * sequence);
  EXPECT_EQ(nn::Add{}(ones({2, 1, 3}), ones({2, 4, 1})).shape(), Shape({2, 4, 3}));
}
TEST(NnMerging, ConcatenateJoinsAlongAnAxis) {
  const Array a = numbers({2, 3, 4}), b = numbers({2, 3, 1}), c = numbers({2, 5, 4});
  expectBits(nn::Concatenate{}(a, b), concatenate({a, b}, -1));
  expectBits(nn::Concatenate{1}(a, c, a), concatenate({a, c, a}, 1));
}
TEST(NnMerging, LayersOfSeveralInputsStandInModels) {
  struct Block {
    nn::Dense inner{3};
    nn::Add add;
    nn::Concatenate join;
    Array operator()(const Array &x) const { return join(add(x, inner(x)), x); }
  };
  const Block block;
  const Array x = numbers({2, 3}), y = called(block, x);
  expectNear(y, concatenate({x + block.inner(x), x}, -1));
  EXPECT_NE(nn::summary(block, x).find("add (Add)"), std::string::npos);
}
TEST(NnMerging, ErrorsNameTheLayerWhatItExpectsAndGot) {
  EXPECT_EQ(messageOf([] { nn::Add{}(ones({2, 3})); }), "Add: expected several arrays, such as layer(x1, x2), got one");
  EXPECT_EQ(messageOf([] { nn::Add{}(std::vector<Array>{}); }), "Add: expected one array or more, got none");
  EXPECT_EQ(messageOf([] { nn::Add{}(ones({2, 3}), Array()); }),
            "Add: expected arrays, got a number or an empty Array at place 1");
  EXPECT_EQ(messageOf([] { nn::Add{}(ones({2, 3}), ones({3, 3})); }),
            "Add: expected batches of one size, got the shapes (2, 3) and (3, 3)");
  EXPECT_EQ(messageOf([] { nn::Maximum{}(ones({2, 3}), ones({2, 1}), ones({2, 4})); }),
            "Maximum: expected shapes that broadcast to one, got (2, 3), (2, 1) and (2, 4)");
  EXPECT_EQ(messageOf([] { nn::Subtract{}(ones({2}), ones({2}), ones({2})); }), "Subtract: expected two arrays, got 3");
  EXPECT_EQ(messageOf([] { nn::Concatenate{}(ones({2, 3}), ones({3, 3})); }),
            "Concatenate: expected shapes that differ along axis 1 alone, got (2, 3) and (3, 3)");
}

} // namespace

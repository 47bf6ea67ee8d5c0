//===- nn_dense_test.cpp - EinsumDense and the initializers of weights -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LayerChecks.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

const nn::Initializer someBias = nn::uniform(-1, 1);

TEST(NnEinsumDense, IsADenseLayerForTheUsualEquation) {
  const Array x = numbers({4, 3});
  const nn::EinsumDense layer{"ab,bc->ac", {5}, {.activation = relu, .bias_axes = "c", .bias_initializer = someBias}};
  expectLayer(layer, x, [&] {
    const Grid in(x), kernel(layer.kernel().value()), bias(layer.bias().value());
    Grid y(std::vector<int64_t>{4, 5});
    Grid::forEach(y.sizes, [&](const std::vector<int64_t> &place) {
      double total = bias({place[1]});
      for (int64_t k = 0; k < 3; ++k)
        total += in({place[0], k}) * kernel({k, place[1]});
      y(place) = std::max(total, 0.0);
    });
    return y.array();
  });
  EXPECT_EQ(nn::count_params(layer), 3 * 5 + 5);
}
TEST(NnEinsumDense, SizesComeFromTheInputOrTheOutputShape) {
  const nn::EinsumDense sequence{"abc,cd->abd", {-1, 64}, {.bias_axes = "d"}};
  EXPECT_EQ(called(sequence, numbers({2, 7, 3})).shape(), Shape({2, 7, 64}));
  EXPECT_EQ(sequence.kernel().shape(), Shape({3, 64}));
  EXPECT_EQ(sequence.bias().shape(), Shape({64}));
  // The length may differ from call to call.
  EXPECT_EQ(sequence(numbers({2, 9, 3})).shape(), Shape({2, 9, 64}));

  const nn::EinsumDense heads{"...x,xhd->...hd", {-1, 8, 5}, {.bias_axes = "hd"}};
  EXPECT_EQ(called(heads, numbers({2, 7, 3})).shape(), Shape({2, 7, 8, 5}));
  EXPECT_EQ(heads.kernel().shape(), Shape({3, 8, 5}));
  EXPECT_EQ(heads.bias().shape(), Shape({8, 5}));

  const nn::EinsumDense middle{"abc,bd->adc", {4, -1}, {.bias_axes = "d", .bias_initializer = someBias}};
  const Array x = numbers({2, 3, 5});
  expectLayer(middle, x, [&] { return matmul(matrix_transpose(middle.kernel()), x) + reshape(middle.bias(), {4, 1}); });
  EXPECT_EQ(middle.bias().shape(), Shape({4, 1}));

  const nn::EinsumDense open{"ab...,bc->ac...", {5, 2, 2}, {.bias_axes = "c", .bias_initializer = someBias}};
  const Array images = numbers({2, 3, 2, 2});
  expectLayer(open, images, [&] {
    return moveaxis(matmul(moveaxis(images, 1, -1), open.kernel()) + open.bias()[{slice(none, none), 0, 0}], -1, 1);
  });
  EXPECT_EQ(open.bias().shape(), Shape({5, 1, 1}));
}
TEST(NnEinsumDense, ErrorsNameWhatIsExpected) {
  EXPECT_EQ(messageOf([] { nn::EinsumDense{"ab,bc", {5}}; }),
            "EinsumDense: expected an equation as \"ab,bc->ac\", \"...b,bc->...c\" or \"ab...,bc->ac...\", got "
            "\"ab,bc\"");
  EXPECT_EQ(messageOf([] { nn::EinsumDense{"ab,bcd->ac", {5}}; }),
            "EinsumDense: expected the letter 'd' of the kernel in the input or the result, got \"ab,bcd->ac\"");
  EXPECT_EQ(messageOf([] { nn::EinsumDense{"ab,bc->acz", {5, 2}}; }),
            "EinsumDense: expected the letter 'z' of the result in the input or the kernel, got \"ab,bc->acz\"");
  EXPECT_EQ(messageOf([] { nn::EinsumDense{"ab,bc->ac", {5}, {.bias_axes = "b"}}; }),
            "EinsumDense: expected letters of the result in bias_axes, got 'b' beside \"ab,bc->ac\"");
  EXPECT_EQ(messageOf([] { nn::EinsumDense{"ab,bc->ac", {-1}}(ones({2, 3})); }),
            "EinsumDense: expected a size for 'c' of \"ab,bc->ac\" in output_shape, got (-1,)");
  EXPECT_EQ(messageOf([] { nn::EinsumDense{"abc,cd->abd", {4, 5}}(ones({2, 3})); }),
            "EinsumDense: expected 3 axes for \"abc,cd->abd\", got (2, 3)");
  EXPECT_EQ(messageOf([] { nn::EinsumDense{"abc,cd->abd", {4, 5}, {.bias_axes = "b"}}(ones({2, 3, 2})); }),
            "EinsumDense: expected the size 4 of output_shape for 'b' of \"abc,cd->abd\", got an input of shape "
            "(2, 3, 2)");
  const nn::EinsumDense layer{"ab,bc->ac", {5}};
  layer(ones({2, 3}));
  EXPECT_THAT(messageOf([&] { layer(ones({2, 4})); }),
              HasSubstr("expected the size 3 for 'b' of \"ab,bc->ac\", which it was built for"));
}

//===----------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------===//

/// Mean, variance, and the fourth moment over the square of the variance: 1.8 of a uniform distribution, 3 of a normal
/// one, 2.37 of a normal one that is cut off at two standard deviations.
void expectMoments(const nn::Initializer &initializer, double variance, double kurtosis, double mean = 0) {
  const Grid values(initializer(random::key(11), {40, 50, 100}));
  double sum = 0, squares = 0, fourth = 0;
  for (const double value : values.values)
    sum += value;
  const auto count = static_cast<double>(values.values.size());
  const double middle = sum / count;
  for (const double value : values.values) {
    squares += std::pow(value - middle, 2) / count;
    fourth += std::pow(value - middle, 4) / count;
  }
  EXPECT_NEAR(middle, mean, 4 * std::sqrt(variance / count)) << initializer.name();
  EXPECT_NEAR(squares, variance, 0.02 * variance) << initializer.name();
  EXPECT_NEAR(fourth / squares / squares, kurtosis, 0.05) << initializer.name();
}
TEST(NnInitializers, HaveTheMomentsOfTheirDistributions) {
  // The fans of (40, 50, 100): 40 * 50 inputs, 40 * 100 outputs.
  constexpr double uniform = 1.8, normal = 3, cut = 2.3655;
  expectMoments(nn::uniform(-1, 3), 16.0 / 12, uniform, 1);
  expectMoments(nn::normal(0.5, 2), 0.25, normal, 2);
  // Cut off at two standard deviations, 0.774 of the variance is left.
  expectMoments(nn::truncated_normal(0.5, 2), 0.25 * 0.773741, cut, 2);
  expectMoments(nn::glorot_uniform(), 2.0 / 6000, uniform);
  expectMoments(nn::glorot_normal(), 2.0 / 6000, cut);
  expectMoments(nn::he_uniform(), 2.0 / 2000, uniform);
  expectMoments(nn::he_normal(), 2.0 / 2000, cut);
  expectMoments(nn::lecun_uniform(), 1.0 / 2000, uniform);
  expectMoments(nn::lecun_normal(), 1.0 / 2000, cut);
  expectMoments(nn::variance_scaling(), 1.0 / 2000, cut);
  expectMoments(nn::variance_scaling({.scale = 3, .mode = nn::FanMode::fan_out}), 3.0 / 4000, cut);
  expectMoments(
      nn::variance_scaling({.mode = nn::FanMode::fan_avg, .distribution = nn::InitialDistribution::untruncated_normal}),
      1.0 / 3000, normal);
  expectMoments(nn::variance_scaling({.scale = 2, .distribution = nn::InitialDistribution::uniform}), 2.0 / 2000,
                uniform);
  EXPECT_EQ(messageOf([] { nn::variance_scaling({.scale = 0}); }), "variance_scaling: expected scale > 0, got 0");
}
TEST(NnInitializers, ConstantsAndMatrices) {
  const Key key = random::key(3);
  expectBits(nn::constant(0.25)(key, {2, 3}), full({2, 3}, 0.25f));
  expectBits(nn::ones()(key, {2}), ones({2}));
  expectBits(nn::identity(2)(key, {2, 3}), eye(2, 3) * 2.0f);
  EXPECT_THAT(messageOf([&] { nn::identity()(key, {2}); }),
              HasSubstr("identity: expected a shape of rank 2, got (2,)"));
  EXPECT_THAT(messageOf([&] { nn::orthogonal()(key, {2}); }), HasSubstr("orthogonal: expected a shape of rank 2"));
  // The mean of a random orthogonal matrix is 0: the signs are random, too.
  double total = 0;
  for (int i = 0; i < 40; ++i)
    total += nn::orthogonal()(random::fold_in(key, i), {3, 3})[{0, 0}].item<float>() / 40;
  EXPECT_NEAR(total, 0, 0.3);
}

} // namespace

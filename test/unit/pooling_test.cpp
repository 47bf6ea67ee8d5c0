//===- pooling_test.cpp - functions over windows ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the conformance matrix does not show: symbolic sizes, ties, numbers that PyTorch prints, user functions.
//===----------------------------------------------------------------------===//
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// 0, 1, 2, ... as images.
Array numbers(const Shape &shape, Dtype dtype = f32) {
  return reshape(arange(element_count(shape).value(), dtype), shape);
}
/// A signal of one channel.
Array samples(const Floats &values) { return expand_dims(Array(values), 1); }
constexpr DataFormat channelsFirst = DataFormat::channels_first;

//===----------------------------------------------------------------------===//
// Which windows there are
//===----------------------------------------------------------------------===//

TEST(Pooling, CeilModeDropsAWindowThatBeginsInThePadding) {
  // PyTorch: max_pool1d(torch.arange(1., 6.)[None], 2, 3, padding=1, ceil_mode=True) has the windows at -1, 2 and no
  // one at 5.
  const Array x = samples({1, 2, 3, 4, 5});
  EXPECT_EQ(floats(max_pool1d(x, 2, {.strides = 3, .padding = 1, .ceil_mode = true})), Floats({1, 4}));
  // At 4 there still is an element.
  EXPECT_EQ(floats(max_pool1d(x, 2, {.strides = 2, .ceil_mode = true})), Floats({2, 4, 5}));
  EXPECT_EQ(floats(max_pool1d(x, 2, {.strides = 2})), Floats({2, 4}));
  // The window at 5 lies in the padding as a whole, which it fits into.
  EXPECT_EQ(floats(max_pool1d(x, 1, {.strides = 5, .padding = {{0, 1}}, .ceil_mode = true})), Floats({1}));
}

TEST(Pooling, CeilModeTakesAWindowThatIsLargerThanTheArray) {
  EXPECT_EQ(floats(max_pool1d(samples({1, 2}), 3, {.strides = 2, .ceil_mode = true})), Floats({2}));
  EXPECT_EQ(floats(avg_pool1d(samples({1, 2}), 3, {.strides = 2, .ceil_mode = true})), Floats({1.5}));
}

TEST(Pooling, DivisorCountsThePaddingButNotWhatIsBeyondIt) {
  // PyTorch: avg_pool1d(torch.tensor([[1., 2, 3, 4]]), 3, 2, padding=1, ceil_mode=True, count_include_pad=...).
  const Array x = samples({1, 2, 3, 4});
  EXPECT_EQ(floats(avg_pool1d(x, 3, {.strides = 2, .padding = 1, .ceil_mode = true})), Floats({1, 3, 2}));
  EXPECT_EQ(floats(avg_pool1d(x, 3, {.strides = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false})),
            Floats({1.5, 3, 4}));
}

TEST(Pooling, PaddingIsNoMaximum) {
  EXPECT_EQ(floats(max_pool1d(samples({-3, -2, -1}), 2, {.strides = 1, .padding = 1})), Floats({-3, -2, -1, -1}));
  const Array integers = astype(samples({-3, -2, -1}), Dtype::i8);
  EXPECT_EQ(longs(max_pool1d(integers, 3, {.strides = 2, .padding = 1})), Longs({-2, -1}));
}

TEST(Pooling, WindowsThatHaveNoElementAreAnErrorOnlyIfThereAreSuch) {
  // The window at 3 begins in x, and no one begins at 6.
  EXPECT_EQ(floats(max_pool1d(samples({1, 2, 3, 4, 5}), 2, {.strides = 3, .padding = {{0, 2}}})), Floats({2, 5}));
  // Each of the two windows has an element at one side or the other.
  EXPECT_EQ(floats(max_pool1d(samples({1, 2}), 2, {.strides = 3, .padding = {{3, 3}}, .dilation = 3})), Floats({1, 1}));
}

TEST(Pooling, NegativePaddingRemovesElements) {
  EXPECT_EQ(floats(max_pool1d(samples({9, 1, 2, 8}), 2, {.padding = -1})), Floats({2}));
  EXPECT_EQ(floats(avg_pool1d(samples({9, 1, 2, 8}), 2, {.padding = -1})), Floats({1.5}));
  EXPECT_EQ(longs(reduce_window(Array{9, 1, 2, 8}, 2, {.reduction = WindowReduction::prod, .padding = {{-1, -1}}})),
            Longs({2}));
}

TEST(Pooling, CausalWindowsEndAtTheirElement) {
  const Array x = samples({1, 3, 2, 5});
  EXPECT_EQ(floats(max_pool1d(x, 2, {.strides = 1, .padding = causal, .dilation = 2})), Floats({1, 3, 2, 5}));
  EXPECT_EQ(floats(avg_pool1d(x, 2, {.strides = 1, .padding = causal, .count_include_pad = false})),
            Floats({1, 2, 2.5, 3.5}));
}

TEST(Pooling, SamePaddingOfAMultipleOfTheStride) {
  EXPECT_EQ(floats(max_pool1d(samples({1, 4, 2, 3}), 3, {.strides = 2, .padding = same})), Floats({4, 3}));
  EXPECT_EQ(floats(max_pool1d(samples({1, 4, 2, 3}), 4, {.strides = 2, .padding = same})), Floats({4, 4}));
}

TEST(Pooling, SameLowerPutsTheOddElementBefore) {
  EXPECT_EQ(floats(max_pool1d(samples({1, 3, 2}), 2, {.strides = 1, .padding = same})), Floats({3, 3, 2}));
  EXPECT_EQ(floats(max_pool1d(samples({1, 3, 2}), 2, {.strides = 1, .padding = PaddingMode::same_lower})),
            Floats({1, 3, 3}));
}

//===----------------------------------------------------------------------===//
// Layouts, ties, special values
//===----------------------------------------------------------------------===//

TEST(Pooling, LayoutsAgree) {
  const Array last = numbers({2, 5, 6, 3}) % 7, first = moveaxis(last, -1, 1);
  const auto expectSame = [](const Array &ofFirst, const Array &ofLast) {
    EXPECT_TRUE(array_equal(moveaxis(ofFirst, 1, -1), ofLast).item<bool>());
  };
  const MaxPoolOptions options{.strides = 1, .padding = 1},
      byFirst{.strides = 1, .padding = 1, .data_format = channelsFirst};
  expectSame(max_pool2d(first, 3, byFirst), max_pool2d(last, 3, options));
  const MaxPool a = max_pool2d_with_indices(first, 3, byFirst), b = max_pool2d_with_indices(last, 3, options);
  expectSame(a.indices, b.indices);
  expectSame(max_unpool2d(a.values, a.indices, 3, {.strides = 1, .padding = 1, .data_format = channelsFirst}),
             max_unpool2d(b.values, b.indices, 3, {.strides = 1, .padding = 1}));
  expectSame(avg_pool2d(first, {2, 3}, {.data_format = channelsFirst}), avg_pool2d(last, {2, 3}));
  expectSame(adaptive_avg_pool2d(first, {3, 4}, {.data_format = channelsFirst}), adaptive_avg_pool2d(last, {3, 4}));
  expectSame(adaptive_max_pool2d(first, {3, 4}, {.data_format = channelsFirst}), adaptive_max_pool2d(last, {3, 4}));
  expectSame(local_response_norm(first, 2, {.data_format = channelsFirst}), local_response_norm(last, 2));
  const Array columns = unfold(first, 2, {.data_format = channelsFirst}); // [2, 3 * 4, 20]
  EXPECT_TRUE(array_equal(swapaxes(reshape(swapaxes(columns, 1, 2), {2, 20, 3, 4}), 2, 3),
                          reshape(unfold(last, 2), {2, 20, 4, 3}))
                  .item<bool>());
  expectSame(fold(columns, {5, 6}, 2, {.data_format = channelsFirst}), fold(unfold(last, 2), {5, 6}, 2));
}

TEST(Pooling, FirstOfEqualMaximaHasTheIndexAndTheDerivative) {
  const Array x = samples({2, 2, 1, 2});
  EXPECT_EQ(longs(max_pool1d_with_indices(x, 4).indices), Longs({0}));
  EXPECT_EQ(floats(grad([](const Array &a) { return sum(max_pool1d(a, 4)); })(x)), Floats({1, 0, 0, 0}));
  EXPECT_EQ(floats(grad([](const Array &a) { return sum(adaptive_max_pool1d(a, 1)); })(x)), Floats({1, 0, 0, 0}));
  // An uneven cover, in which elements stand twice: [0, 2), [1, 3), [2, 4) of 4 by 3 windows.
  EXPECT_EQ(floats(grad([](const Array &a) { return sum(adaptive_max_pool1d(a, 3)); })(x)), Floats({1, 1, 0, 1}));
}

TEST(Pooling, NaNIsTheMaximum) {
  const Array x = samples({1, NAN, 3, NAN, 5, 6});
  const MaxPool pooled = max_pool1d_with_indices(x, 4, {.strides = 2});
  EXPECT_TRUE(all(isnan(pooled.values)).item<bool>());
  EXPECT_EQ(longs(pooled.indices), Longs({1, 3}));
  EXPECT_TRUE(std::isnan(floats(adaptive_max_pool1d(x, 2))[0]));
  // A mean has no part in what is beside its window.
  EXPECT_EQ(floats(adaptive_avg_pool1d(samples({NAN, 2, INFINITY, 4, 6}), 3))[2], 5);
  EXPECT_EQ(floats(avg_pool1d(samples({NAN, 2, 4}), 1))[1], 2);
}

TEST(Pooling, MeansOfNarrowFloatsAreRoundedOnce) {
  // 2048 + 1 is no f16; the mean of 2048, 1, 1, 2 is 513.
  const Array x = astype(samples({2048, 1, 1, 2}), f16);
  EXPECT_EQ(doubles(avg_pool1d(x, 4)), Doubles({513}));
  EXPECT_EQ(doubles(adaptive_avg_pool1d(x, 1)), Doubles({513}));
  EXPECT_EQ(doubles(avg_pool1d(astype(samples({60000, 60000}), f16), 2)), Doubles({60000}));
  EXPECT_EQ(doubles(fold(astype(Array{{2048.0f, 1.0f}, {1.0f, 0.0f}, {1.0f, 0.0f}}, f16), {1, 4}, {1, 2})),
            Doubles({2048, 2, 1, 0}));
  // In the middle of 3 by 3: 2048 + 1, and 1 of the windows below.
  const Array windows = {
      {0.0f, 0.0f, 0.0f, 2048.0f}, {0.0f, 0.0f, 1.0f, 0.0f}, {0.0f, 1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}};
  EXPECT_EQ(doubles(fold(astype(windows, f16), {3, 3}, 2)), Doubles({0, 0, 0, 0, 2050, 0, 0, 0, 0}));
  EXPECT_EQ(avg_pool1d(Array{{1}, {2}}, 2).dtype(), f32);
}

TEST(Pooling, MeansInOnePassAreQuotientsOfSums) {
  // Registers, their rest, and elements one by one; 11 is no power of two, whose reciprocal were exact.
  for (const Dtype dtype : {f32, f64})
    for (const Shape &shape : {Shape{2, 23, 67}, Shape{2, 12, 1}, Shape{1, 300, 1}}) {
      const Array x = sin(astype(numbers(shape), dtype) * 3.7);
      const auto mean = [](const Array &a) { return avg_pool1d(a, 11, {.strides = 1}); };
      const auto quotient = [](const Array &a) {
        return reduce_window(a, {1, 11, 1}, {.padding = PaddingMode::valid}) / 11.0;
      };
      EXPECT_TRUE(array_equal(mean(x), quotient(x)).item<bool>()) << shape.str();
      EXPECT_TRUE(array_equal(jit(mean)(x), mean(x)).item<bool>()) << shape.str();
      EXPECT_TRUE(array_equal(vmap(mean)(x), mean(x)).item<bool>()) << shape.str();
      const auto slope = [&](auto f) { return grad([f](const Array &a) { return sum(square(f(a))); })(x); };
      EXPECT_TRUE(array_equal(slope(mean), slope(quotient)).item<bool>()) << shape.str();
      EXPECT_TRUE(array_equal(jvp(mean, std::tuple(x), std::tuple(cos(x))).second,
                              jvp(quotient, std::tuple(x), std::tuple(cos(x))).second)
                      .item<bool>())
          << shape.str();
    }
}

TEST(Pooling, BatchWithoutElements) {
  EXPECT_EQ(max_pool2d(zeros({0, 4, 4, 2}), 2).shape(), Shape({0, 2, 2, 2}));
  EXPECT_EQ(avg_pool2d(zeros({3, 4, 4, 0}), 2).shape(), Shape({3, 2, 2, 0}));
  EXPECT_EQ(max_pool2d_with_indices(zeros({3, 4, 4, 0}), 2).indices.shape(), Shape({3, 2, 2, 0}));
  EXPECT_EQ(adaptive_avg_pool2d(zeros({0, 5, 4, 2}), 3).shape(), Shape({0, 3, 3, 2}));
  EXPECT_EQ(adaptive_max_pool2d(zeros({0, 5, 4, 2}), 3).shape(), Shape({0, 3, 3, 2}));
  EXPECT_EQ(unfold(zeros({0, 4, 4, 2}), 3).shape(), Shape({0, 4, 18}));
  EXPECT_EQ(fold(zeros({0, 4, 18}), {4, 4}, 3).shape(), Shape({0, 4, 4, 2}));
  EXPECT_EQ(local_response_norm(zeros({2, 0}), 3).shape(), Shape({2, 0}));
}

//===----------------------------------------------------------------------===//
// Symbolic sizes
//===----------------------------------------------------------------------===//

/// f of x, compiled for any batch, height and width.
template <class F>
Array ofAnySize(F f, const Array &x) {
  return jit(f, {.specs = {TensorSpec{x.dtype(), {"b", "h", "w", x.dim(3)}}}})(x);
}
template <class F>
void expectSameOfAnySize(F f, const Array &x) {
  const Array symbolic = ofAnySize(f, x), exact = f(x);
  EXPECT_EQ(symbolic.shape(), exact.shape());
  EXPECT_TRUE(array_equal(symbolic, exact).item<bool>());
}

TEST(PoolingSymbolic, SizesAreThoseOfTheCall) {
  const Array x = sin(numbers({2, 5, 6, 3}));
  expectSameOfAnySize([](const Array &a) { return max_pool2d(a, 3, {.strides = 2, .padding = 1}); }, x);
  expectSameOfAnySize([](const Array &a) { return max_pool2d(a, 3, {.strides = 1, .padding = same}); }, x);
  expectSameOfAnySize(
      [](const Array &a) { return avg_pool2d(a, 3, {.strides = 1, .padding = same, .count_include_pad = false}); }, x);
  expectSameOfAnySize([](const Array &a) { return max_pool2d_with_indices(a, 2).indices; }, x);
  expectSameOfAnySize([](const Array &a) { return avg_pool2d(a, {3, 2}, {.padding = {{1, 0}, {0, 2}}}); }, x);
  expectSameOfAnySize(grad([](const Array &a) { return sum(square(avg_pool2d(a, 3, {.strides = 1}))); }), x);
  expectSameOfAnySize([](const Array &a) { return adaptive_avg_pool2d(a, 1); }, x);
  expectSameOfAnySize([](const Array &a) { return adaptive_max_pool2d(a, 1); }, x);
  expectSameOfAnySize([](const Array &a) { return unfold(a, {2, 3}, {.strides = 2, .padding = 1}); }, x);
  expectSameOfAnySize([](const Array &a) { return fold(unfold(a, 2), {a.dim(1), a.dim(2)}, 2); }, x);
  expectSameOfAnySize([](const Array &a) { return sliding_window_view(a, {2, 3}, {1, 2}); }, x);
  expectSameOfAnySize(
      [](const Array &a) { return reduce_window(a, {1, 2, 3, 1}, {.reduction = WindowReduction::prod, .strides = 2}); },
      x);
  expectSameOfAnySize(
      [](const Array &a) {
        const MaxPool pooled = max_pool2d_with_indices(a, 2, {.strides = 1});
        return max_unpool2d(pooled.values, pooled.indices, 2, {.strides = 1});
      },
      x);
}

TEST(PoolingSymbolic, RemaindersThatAreNotKnownAreAnError) {
  const Array x = numbers({2, 5, 6, 1});
  EXPECT_THAT(
      errorOf([&] { ofAnySize([](const Array &a) { return max_pool2d(a, 2, {.padding = same}); }, x); }),
      HasSubstr(
          "max_pool2d: expected a size whose remainder by the stride 2 is known where the padding is same, got h"));
  EXPECT_THAT(errorOf([&] { ofAnySize([](const Array &a) { return max_pool2d(a, 2, {.ceil_mode = true}); }, x); }),
              HasSubstr("max_pool2d: expected a size whose remainder by the stride 2 is known with ceil_mode, got h"));
  EXPECT_THAT(errorOf([&] { ofAnySize([](const Array &a) { return adaptive_avg_pool2d(a, 2); }, x); }),
              HasSubstr("adaptive_avg_pool2d: expected a size that is a multiple of 2, or known, along axis 1, got h"));
}

TEST(PoolingSymbolic, RemaindersThatAreKnownAreNot) {
  const auto ofOdd = [](auto f) {
    return floats(jit(f, {.specs = {TensorSpec{f32, {2 * Dim("n") + 1, 1}}}})(samples({5, 1, 2, 3, 4, 7, 6})));
  };
  EXPECT_EQ(ofOdd([](const Array &a) { return max_pool1d(a, 2, {.padding = same}); }), Floats({5, 3, 7, 6}));
  EXPECT_EQ(ofOdd([](const Array &a) { return max_pool1d(a, 2, {.ceil_mode = true}); }), Floats({5, 3, 7, 6}));
  EXPECT_EQ(ofOdd([](const Array &a) { return adaptive_max_pool1d(tenon::slice(a, {0, 0}, {a.dim(0) - 1, 1}), 2); }),
            Floats({5, 7}));
}

//===----------------------------------------------------------------------===//
// Functions of the user's
//===----------------------------------------------------------------------===//

TEST(ReduceWindow, CombinesInRowMajorOrder) {
  // The first element that is not 0: associative, and not commutative.
  const auto first = [](const Array &a, const Array &b) { return where(a != 0, a, b); };
  const Array x = {{0, 0, 3, 0, 5}, {6, 0, 0, 9, 0}};
  for (const int width : {1, 2, 3, 4, 5}) {
    const Array expected = reduce_window(x, {2, width}, first, 0);
    const std::vector<int64_t> numbers = longs(x), got = longs(expected);
    ASSERT_EQ(got.size(), size_t(6 - width));
    for (int64_t j = 0; j < 6 - width; ++j) {
      int64_t want = 0;
      for (int64_t row = 0; row < 2; ++row)
        for (int64_t column = j; column < j + width; ++column)
          want = want != 0 ? want : numbers[static_cast<size_t>(row * 5 + column)];
      EXPECT_EQ(got[static_cast<size_t>(j)], want) << width << " at " << j;
    }
  }
}

TEST(ReduceWindow, InitStandsForPaddingAndGaps) {
  const auto add = [](const Array &a, const Array &b) { return a + b; };
  EXPECT_EQ(longs(reduce_window({1, 2, 3}, 2, add, 10, {.strides = 2, .padding = 1})), Longs({21, 15}));
  EXPECT_EQ(longs(reduce_window({1, 2, 3}, 2, add, 10, {.x_dilation = 2})), Longs({21, 22, 22, 23}));
  EXPECT_EQ(floats(reduce_window({1.0f, 2.0f}, 2, maximum, -INFINITY, {.padding = same})), Floats({2, 2}));
}

TEST(ReduceWindow, ProductsHaveDerivativesAtZero) {
  const Array x = {2.0f, 0.0f, 3.0f};
  EXPECT_EQ(
      floats(grad([](const Array &a) { return sum(reduce_window(a, 3, {.reduction = WindowReduction::prod})); })(x)),
      Floats({0, 6, 0}));
}

TEST(ReduceWindow, ArrayOfRankZeroIsItsOnlyWindow) {
  EXPECT_EQ(number(reduce_window(2.5f, std::vector<int64_t>())), 2.5f);
  EXPECT_EQ(number(reduce_window(2.5f, 3, {.reduction = WindowReduction::prod})), 2.5f);
}

TEST(SlidingWindowView, AxisMayBeNamedTwice) {
  // NumPy: sliding_window_view(np.arange(4), (2, 2), (0, 0)).
  EXPECT_EQ(longs(sliding_window_view({0, 1, 2, 3}, {2, 2}, {0, 0})), Longs({0, 1, 1, 2, 1, 2, 2, 3}));
}

TEST(Unfold, ProductWithAKernelIsAConvolution) {
  const Array x = numbers({1, 3, 3, 2}), kernel = numbers({2, 2, 2, 1});
  Longs expected;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 2; ++j) {
      int64_t total = 0;
      for (int64_t k = 0; k < 8; ++k)
        total += k * ((i + k / 4) * 6 + (j + k / 2 % 2) * 2 + k % 2);
      expected.push_back(total);
    }
  EXPECT_EQ(longs(matmul(unfold(x, 2), reshape(kernel, {8, 1}))), expected);
}

} // namespace

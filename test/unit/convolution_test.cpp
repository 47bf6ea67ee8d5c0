//===- convolution_test.cpp - convolutions and windows, by bits -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/Pool.h"

#include <tenon/tenon.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace tenon;

namespace {

/// A convolution of random size, strides, paddings, dilations and layout.
struct Random {
  std::mt19937 random;
  int spatial = 0;
  int64_t batch, groups, in, out;
  std::vector<int64_t> size, window, strides, low, high, xDilation, dilation, windows;

  /// `hasFewWindows`: of many taps, as a derivative with respect to a kernel is.
  explicit Random(unsigned seed, bool hasFewWindows) : random(seed) {
    while (!(hasFewWindows ? drawFewWindows() : draw())) {
    }
  }
  int64_t from(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  }

  /// Values whose products and sums are rounded.
  template <class T>
  Array array(const Shape &shape) {
    std::vector<T> values;
    int64_t count = 1;
    for (int i = 0; i < shape.rank(); ++i)
      count *= shape[i].raw();
    for (int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<T>(from(-1000, 1000)) / T(317));
    return reshape(Array(values), shape);
  }
  /// The same values in another order in memory.
  Array laid(const Array &x) {
    std::vector<int64_t> order(static_cast<size_t>(x.ndim()));
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int64_t>(i);
    std::ranges::shuffle(order, random);
    std::vector<int64_t> back(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    const Array moved = transpose(transpose(x, order) * 1, back); // an op's result is dense
    return from(0, 3) ? moved : flip(flip(moved) * 1);
  }

private:
  bool draw() {
    spatial = static_cast<int>(from(0, 3));
    batch = from(1, 4);
    groups = from(0, 3) ? 1 : from(1, 20);
    in = from(0, 3) ? from(1, 9) : 1;
    out = from(0, 2) ? from(1, 40) : 1;
    if (!from(0, 4))
      groups = from(1, 40), in = out = 1;
    if (!from(0, 20)) // some blocks of a sum
      in = from(1400, 3000), batch = groups = 1, out = from(1, 3);
    for (std::vector<int64_t> *list : {&size, &window, &strides, &low, &high, &xDilation, &dilation, &windows})
      list->clear();
    for (int i = 0; i < spatial; ++i) {
      size.push_back(from(1, spatial == 1 ? 40 : 9));
      window.push_back(from(1, spatial == 1 ? 12 : 4));
      strides.push_back(from(1, 3));
      low.push_back(from(-2, 5));
      high.push_back(from(-2, 5));
      xDilation.push_back(from(0, 2) ? 1 : from(1, 4));
      dilation.push_back(from(0, 2) ? 1 : from(1, 3));
      const int64_t free =
          (size.back() - 1) * xDilation.back() + low.back() + high.back() - (window.back() - 1) * dilation.back();
      if (free < 0)
        return false;
      windows.push_back(free / strides.back() + 1);
    }
    return true;
  }

  bool drawFewWindows() {
    spatial = static_cast<int>(from(1, 3));
    batch = from(0, 2) ? from(1, 4) : from(1, 40);
    groups = from(0, 2) ? 1 : from(2, 40);
    in = 1;
    out = groups > 1 && from(0, 1) ? 1 : from(1, 70);
    for (std::vector<int64_t> *list : {&size, &window, &strides, &low, &high, &xDilation, &dilation, &windows})
      list->clear();
    int64_t work = batch * groups * out, taps = 1;
    for (int i = 0; i < spatial; ++i) {
      const int64_t longest = spatial == 1 ? 14000 : spatial == 2 ? 100 : 25;
      window.push_back(from(0, 3) ? from(1, longest) : from(1, 3));
      dilation.push_back(from(0, 3) ? 1 : from(1, 3));
      strides.push_back(from(1, 2));
      low.push_back(from(-1, 3));
      high.push_back(from(-1, 3));
      xDilation.push_back(1);
      const int64_t extent = (window.back() - 1) * dilation.back() + 1;
      windows.push_back(from(1, 5));
      size.push_back(extent + (windows.back() - 1) * strides.back() - low.back() - high.back());
      if (size.back() < 1)
        return false;
      work *= window.back() * windows.back();
      taps *= window.back();
    }
    return taps >= 128 && work < 300'000;
  }
};

/// A product of a window, and its number among all, those of taps that lie off x included.
template <class T>
struct Factors {
  T x, kernel;
  size_t number;
};
/// Blocks of 4,096 fused products, added pairwise.
template <class T>
T sumOf(const std::vector<Factors<T>> &products, size_t first, size_t count) {
  if (count == 1) {
    T sum = T(-0.0);
    for (const auto &[x, kernel, number] : products)
      if (number / 4096 == first)
        sum = std::fma(x, kernel, sum);
    return sum;
  }
  const size_t left = std::bit_ceil(count) / 2;
  return sumOf(products, first, left) + sumOf(products, first + left, count - left);
}

/// Every element by a plain loop.
template <class T>
std::vector<T> byLoops(const Random &c, const std::vector<T> &x, const std::vector<T> &kernel) {
  std::vector<T> result;
  const auto count = [](const std::vector<int64_t> &dims) {
    int64_t product = 1;
    for (int64_t dim : dims)
      product *= dim;
    return product;
  };
  const auto split = [&](int64_t index, const std::vector<int64_t> &dims) {
    std::vector<int64_t> places(dims.size());
    for (size_t i = dims.size(); i-- > 0; index /= dims[i])
      places[i] = index % dims[i];
    return places;
  };
  const int64_t channels = c.groups * c.in, outs = c.groups * c.out;
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t w = 0; w < count(c.windows); ++w)
      for (int64_t o = 0; o < outs; ++o) {
        const std::vector<int64_t> at = split(w, c.windows);
        std::vector<Factors<T>> products;
        for (int64_t tap = 0; tap < count(c.window); ++tap) {
          const std::vector<int64_t> taps = split(tap, c.window);
          int64_t place = n;
          bool isInside = true;
          for (size_t i = 0; i < taps.size(); ++i) {
            const int64_t p = at[i] * c.strides[i] - c.low[i] + taps[i] * c.dilation[i];
            isInside = isInside && p >= 0 && p % c.xDilation[i] == 0 && p / c.xDilation[i] < c.size[i];
            place = place * c.size[i] + p / c.xDilation[i];
          }
          for (int64_t i = 0; isInside && i < c.in; ++i)
            products.push_back({x[static_cast<size_t>(place * channels + o / c.out * c.in + i)],
                                kernel[static_cast<size_t>((tap * c.in + i) * outs + o)],
                                static_cast<size_t>(tap * c.in + i)});
        }
        const auto blocks = static_cast<size_t>((count(c.window) * c.in + 4095) / 4096);
        result.push_back(products.empty() ? T(0) : sumOf(products, 0, blocks));
      }
  return result;
}

template <class T>
void compareToLoops(Random c, unsigned seed) {
  Shape xShape{c.batch}, kernelShape;
  for (int i = 0; i < c.spatial; ++i) {
    xShape.push_back(c.size[static_cast<size_t>(i)]);
    kernelShape.push_back(c.window[static_cast<size_t>(i)]);
  }
  xShape.push_back(c.groups * c.in);
  kernelShape.push_back(c.in);
  kernelShape.push_back(c.groups * c.out);
  const Array x = c.array<T>(xShape), kernel = c.array<T>(kernelShape);
  std::vector<Padding::Ends> ends;
  for (size_t i = 0; i < c.low.size(); ++i)
    ends.push_back({c.low[i], c.high[i]});
  const std::vector<T> expected = byLoops(c, x.to_vector<T>(), kernel.to_vector<T>());
  for (int layout = 0; layout < 2; ++layout) {
    const Array y = conv_general(layout ? c.laid(x) : x, layout ? c.laid(kernel) : kernel,
                                 {.strides = c.strides,
                                  .padding = ends,
                                  .x_dilation = c.xDilation,
                                  .dilation = c.dilation,
                                  .groups = static_cast<int>(c.groups)});
    const std::vector<T> got = y.to_vector<T>();
    ASSERT_EQ(got.size(), expected.size()) << "seed " << seed;
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], expected[i]) << "seed " << seed << " element " << i << " of " << y.shape().str();
      ASSERT_EQ(std::signbit(got[i]), std::signbit(expected[i])) << "seed " << seed << " element " << i;
    }
  }
}

/// Integers from -9 to 9, as f64.
Array randomOf(const Shape &shape, int seed) {
  return astype(random::randint(random::key(static_cast<uint64_t>(seed)), shape, -9, 10), f64);
}

TEST(Convolution, HasTheBitsOfPlainLoops) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    compareToLoops<float>(Random(seed, false), seed);
    compareToLoops<double>(Random(seed + 1000, false), seed + 1000);
  }
}

TEST(Convolution, OfFewWindowsHasTheBitsOfPlainLoops) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    compareToLoops<float>(Random(seed, true), seed);
    compareToLoops<double>(Random(seed + 1000, true), seed + 1000);
  }
}

/// A convolution along one axis without padding.
Random along(int64_t groups, int64_t in, int64_t out, int64_t size, int64_t window, int64_t xDilation) {
  Random c(0, false);
  c.spatial = 1;
  c.batch = 1;
  c.groups = groups, c.in = in, c.out = out;
  c.size = {size}, c.window = {window}, c.xDilation = {xDilation};
  c.strides = c.dilation = {1};
  c.low = c.high = {0};
  c.windows = {(size - 1) * xDilation + 2 - window};
  return c;
}

/// Eight groups are parts enough for the threads, so that each adds its four blocks itself.
TEST(Convolution, OfFewWindowsAddsTheBlocksOfAPartPairwise) {
  compareToLoops<float>(along(8, 1, 2, 13000, 12999, 1), 0);
}

/// The second block begins at a tap that lies in a gap of x.
TEST(Convolution, OfADilatedXHasTheBlocksOfAllTaps) { compareToLoops<float>(along(1, 3000, 3, 6, 4, 2), 0); }

TEST(Convolution, HasTheSameBitsOnAnyNumberOfThreads) {
  const Array x = random::normal(random::key(0), {3, 20, 21, 24}),
              kernel = random::normal(random::key(1), {3, 3, 24, 70});
  const ConvOptions options{.strides = {1, 2}, .padding = same};
  rt::setThreadCount(1);
  const Array one = conv2d(x, kernel, options);
  rt::setThreadCount(3);
  const Array three = conv2d(x, kernel, options);
  rt::setThreadCount(0);
  EXPECT_TRUE(array_equal(one, three).item<bool>());
}

TEST(Convolution, ItsDerivativeHasTheSameBitsOnAnyNumberOfThreads) {
  const auto derivative = [](const Array &x, const Array &kernel) {
    return grad([&](const Array &kernel) { return sum(square(conv2d(x, kernel, {.padding = same}))); })(kernel);
  };
  for (const int64_t in : {1, 5, 24}) {
    const Array x = random::normal(random::key(0), {9, 30, 31, in}),
                kernel = random::normal(random::key(1), {3, 3, in, 70});
    rt::setThreadCount(1);
    const Array one = derivative(x, kernel);
    rt::setThreadCount(3);
    const Array three = derivative(x, kernel);
    rt::setThreadCount(0);
    EXPECT_TRUE(array_equal(one, three).item<bool>());
  }
}

TEST(Convolution, AnImageDoesNotDependOnItsBatch) {
  const Array x = random::normal(random::key(0), {5, 9, 9, 8}), kernel = random::normal(random::key(1), {3, 3, 8, 12});
  const Array all = conv2d(x, kernel, {.padding = same});
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(array_equal(all[i], conv2d(x[i], kernel, {.padding = same})).item<bool>());
}

/// 300 channels of 1,170 products each are cut into parts for threads.
TEST(Convolution, AChannelDoesNotDependOnTheOthers) {
  const Array x = random::normal(random::key(0), {1, 4, 6, 130}),
              kernel = random::normal(random::key(1), {3, 3, 130, 300});
  const Array all = conv2d(x, kernel);
  for (const int64_t first : {0, 130, 148, 156, 290}) {
    const auto some = slice(first, first + 10);
    EXPECT_TRUE(array_equal(all[{ellipsis, some}], conv2d(x, kernel[{ellipsis, some}])).item<bool>()) << first;
  }
}

/// Seven windows are too few for a register, and are summed by a tile.
TEST(Convolution, AWindowDoesNotDependOnTheOthers) {
  const Array x = random::normal(random::key(0), {2, 3000, 1}), kernel = random::normal(random::key(1), {600, 1, 2});
  const Array all = conv1d(x, kernel);
  for (const int64_t first : {0, 1000, 1020, 2047, 2390})
    EXPECT_TRUE(
        array_equal(all[{_, slice(first, first + 7)}], conv1d(x[{_, slice(first, first + 606)}], kernel)).item<bool>())
        << first;
}

/// Of 8,400 products each, blocks of which are kept apart until they are added.
TEST(Convolution, ARowOfWindowsDoesNotDependOnTheOthers) {
  const Array x = random::normal(random::key(0), {1, 4, 5, 2100}),
              kernel = random::normal(random::key(1), {2, 2, 2100, 3});
  const Array all = conv2d(x, kernel);
  for (const int64_t i : {0, 1, 2})
    EXPECT_TRUE(array_equal(all[{_, slice(i, i + 1)}], conv2d(x[{_, slice(i, i + 2)}], kernel)).item<bool>()) << i;
}

/// 342 products to a window, and 5,000: more than a block.
TEST(Convolution, ADepthwiseChannelDoesNotDependOnTheOthers) {
  for (const auto &[height, width] : {std::pair<int64_t, int64_t>(19, 18), {1, 5000}}) {
    const Array x = random::normal(random::key(0), {1, height + 2, width + 4, 37}),
                kernel = random::normal(random::key(1), {height, width, 1, 37});
    const Array all = conv2d(x, kernel, {.groups = 37});
    for (const int64_t i : {0, 17, 36}) {
      const auto one = slice(i, i + 1);
      EXPECT_TRUE(array_equal(all[{ellipsis, one}], conv2d(x[{ellipsis, one}], kernel[{ellipsis, one}])).item<bool>())
          << i;
    }
  }
}

/// Each example is a group then, of one channel of x and two of the result.
TEST(Convolution, ExamplesMayLieSideBySide) {
  const Array x = random::normal(random::key(0), {1, 9, 1, 20}), kernel = random::normal(random::key(1), {3, 1, 2, 20});
  const auto convolution = [](const Array &a, const Array &b) { return conv1d(a, b); };
  const Array all = vmap(convolution, {.in_axes = {-1, -1}})(x, kernel);
  for (const int64_t i : {0, 1, 19})
    EXPECT_TRUE(array_equal(all[i], conv1d(x[{ellipsis, i}], kernel[{ellipsis, i}])).item<bool>()) << i;
}

TEST(Convolution, IntegersAndComplexNumbersAreProductsOfMatrices) {
  const Array x = randomOf({7, 9000}, 2), kernel = randomOf({9000, 70}, 3);
  for (const Dtype dtype : {i32, i64, c64, c128}) {
    const Array a = astype(x, dtype), b = astype(kernel, dtype);
    const Array y = conv1d(expand_dims(a, 0), expand_dims(b, 0));
    EXPECT_TRUE(array_equal(squeeze(y, 0), matmul(a, b)).item<bool>()) << short_name(dtype);
  }
  // The only product is -0.
  const Array x0 = complex(full({1, 1, 1}, -0.0f), full({1, 1, 1}, -0.0f)),
              one = complex(ones({1, 1, 1}), full({1, 1, 1}, -0.0f));
  EXPECT_TRUE(signbit(real(conv1d(x0, one))).item<bool>());
}

TEST(Convolution, OfNothing) {
  EXPECT_EQ(conv2d(zeros({0, 4, 4, 2}), ones({3, 3, 2, 5})).shape(), Shape({0, 2, 2, 5}));
  EXPECT_EQ(conv2d(zeros({1, 4, 4, 2}), ones({3, 3, 2, 0})).shape(), Shape({1, 2, 2, 0}));
  EXPECT_TRUE(array_equal(conv2d(zeros({1, 4, 4, 0}), ones({3, 3, 0, 5})), zeros({1, 2, 2, 5})).item<bool>());
}

TEST(Convolution, TapsInThePaddingDoNotTakePart) {
  const Array x = ones({1, 3, 1}), kernel = reshape(Array{INFINITY, 1.0f, NAN}, {3, 1, 1});
  const Array y = conv1d(x, kernel, {.padding = {{0, 2}}});
  EXPECT_TRUE(std::isnan(y[{0, 0, 0}].item<float>()));
  EXPECT_EQ((y[{0, 1, 0}].item<float>()), INFINITY);
  EXPECT_EQ((y[{0, 2, 0}].item<float>()), INFINITY);
  // Windows that lie wholly in the padding are +0.
  const Array far = conv1d(x, kernel, {.padding = {{3, 0}}});
  EXPECT_EQ((far[{0, 0, 0}].item<float>()), 0);
  EXPECT_FALSE(std::signbit(far[{0, 0, 0}].item<float>()));
}

TEST(Convolution, DerivativesWithStridesAndDilationsMatchDifferences) {
  const auto loss = [](const Array &x, const Array &kernel) {
    const Array y = conv_general(
        x, kernel,
        {.strides = {2, 1}, .padding = {{1, 2}, {-1, 3}}, .x_dilation = {1, 2}, .dilation = {2, 1}, .groups = 2});
    return sum(sin(y));
  };
  const Array x = random::normal(random::key(0), {2, 7, 5, 4}, f64),
              kernel = random::normal(random::key(1), {3, 2, 2, 6}, f64);
  const auto [dx, dk] = grad<0, 1>(loss)(x, kernel);
  const Array u = random::normal(random::key(2), {2, 7, 5, 4}, f64),
              v = random::normal(random::key(3), {3, 2, 2, 6}, f64);
  const double step = 1e-5;
  const double ofX = ((loss(x + step * u, kernel) - loss(x - step * u, kernel)) / (2 * step)).item<double>();
  const double ofKernel = ((loss(x, kernel + step * v) - loss(x, kernel - step * v)) / (2 * step)).item<double>();
  EXPECT_NEAR(sum(dx * u).item<double>(), ofX, 1e-6);
  EXPECT_NEAR(sum(dk * v).item<double>(), ofKernel, 1e-6);
}

TEST(Convolution, DerivativesOfAnEmptyXAreZero) {
  for (const int64_t window : {1, 3})
    for (const int64_t dilation : {1, 3}) {
      const Array x = zeros({2, 0, 3}), kernel = ones({window, 3, 4});
      const auto ofBoth = grad<0, 1>([&](const Array &a, const Array &k) {
        return sum(conv_general(a, k, {.strides = 2, .padding = {{1, 3}}, .x_dilation = dilation}));
      });
      EXPECT_EQ(std::get<0>(ofBoth(x, kernel)).shape(), x.shape());
      EXPECT_TRUE(array_equal(std::get<1>(ofBoth(x, kernel)), zeros_like(kernel)).item<bool>());
      EXPECT_TRUE(array_equal(std::get<1>(jit(ofBoth)(x, kernel)), zeros_like(kernel)).item<bool>());
      const auto ofSum = grad([&](const Array &a) {
        return sum(reduce_window(a, {1, window, 1}, {.padding = 3, .x_dilation = {1, dilation, 1}}));
      });
      EXPECT_EQ(ofSum(x).shape(), x.shape());
    }
}

TEST(Convolution, TransposedIsTheDerivativeOfConvolution) {
  const Array x = random::normal(random::key(0), {2, 8, 8, 4}), kernel = random::normal(random::key(1), {3, 4, 2, 6});
  for (const Padding &padding : {Padding(PaddingMode::valid), Padding(same), Padding({1, 2})}) {
    const ConvOptions options{.strides = 2, .padding = padding, .groups = 2};
    const auto [y, pull] = vjp([&](const Array &x) { return conv2d(x, kernel, options); }, x);
    const Array expected = pull(y);
    // Where a stride left elements over, the result lacks them.
    const Array got = conv_transpose2d(y, kernel, {.strides = 2, .padding = padding, .groups = 2});
    const int64_t height = std::min(got.shape()[1].raw(), int64_t(8)),
                  width = std::min(got.shape()[2].raw(), int64_t(8));
    const auto part = [&](const Array &a) { return slice(a, {0, 0, 0, 0}, {2, height, width, 4}, {1, 1, 1, 1}); };
    EXPECT_TRUE(allclose(part(got), part(expected), 1e-5, 1e-5).item<bool>());
  }
}

TEST(Convolution, TheGreatestStrideIsOneOfTheOp) {
  const int64_t most = int64_t(1) << 31;
  EXPECT_EQ(conv_general(zeros({1, 5, 1}), zeros({3, 1, 1}), {.strides = most}).shape(), Shape({1, 1, 1}));
  EXPECT_EQ(max_pool1d(zeros({5, 1}), 2, {.strides = most}).shape(), Shape({1, 1}));
  EXPECT_THROW((void)conv_general(zeros({1, 5, 1}), zeros({3, 1, 1}), {.strides = most + 1}), Error);
}

TEST(Convolution, KernelsOfTransposedOnesHaveDerivatives) {
  // The result is linear in the kernel: the pullback and the function have the same inner products.
  const auto normal = [](uint64_t seed, const Shape &shape) { return random::normal(random::key(seed), shape, f64); };
  const auto expectAdjoint = [&](const auto &f, const Shape &shape, const std::string &what) {
    const Array kernel = normal(2, shape), other = normal(3, shape);
    const auto [y, pull] = vjp(f, kernel);
    const Array ct = normal(4, y.shape());
    const double here = sum(pull(ct) * other).template item<double>(),
                 there = sum(ct * f(other)).template item<double>();
    EXPECT_NEAR(here, there, 1e-10 * std::max(1.0, std::abs(there))) << what;
    const auto slope = grad([&](const Array &kernel) { return sum(square(f(kernel))); });
    EXPECT_TRUE(array_equal(jit(slope)(kernel), slope(kernel)).template item<bool>()) << what;
    EXPECT_TRUE(allclose(vmap(slope)(expand_dims(kernel, 0)), expand_dims(slope(kernel), 0), 1e-12, 1e-12)
                    .template item<bool>())
        << what;
  };
  const Array x = normal(1, {2, 5, 6, 4}), line = normal(1, {3, 40, 2});
  for (const int stride : {1, 2, 3})
    for (const int window : {1, 2, 5})
      for (const int dilation : {1, 2})
        for (const int groups : {1, 2})
          for (const Padding &padding : {Padding(PaddingMode::valid), Padding(same), Padding({{0, 0}, {1, 0}})})
            if (padding.mode() || window > 1)
              expectAdjoint(
                  [&](const Array &kernel) {
                    return conv_transpose2d(
                        x, kernel, {.strides = stride, .padding = padding, .dilation = dilation, .groups = groups});
                  },
                  {window, window, 3, 4},
                  "window " + std::to_string(window) + ", stride " + std::to_string(stride) + ", dilation " +
                      std::to_string(dilation) + ", groups " + std::to_string(groups));
  // Dilated along one axis alone, with strides, with less than x, and of the greatest rank.
  expectAdjoint([&](const Array &kernel) { return conv_transpose2d(x, kernel, {.strides = {1, 2}}); }, {2, 3, 3, 4},
                "one axis");
  for (const int stride : {1, 2})
    expectAdjoint(
        [&](const Array &kernel) {
          return conv_general(line, kernel, {.strides = stride, .padding = {{3, 4}}, .x_dilation = 3, .dilation = 2});
        },
        {7, 2, 5}, "general");
  expectAdjoint(
      [&](const Array &kernel) { return conv_general(line, kernel, {.padding = {{-5, -4}}, .x_dilation = 3}); },
      {4, 2, 5}, "less than x");
  const Array large = normal(1, {1, 3, 2, 3, 2, 3, 2});
  expectAdjoint([&](const Array &kernel) { return conv_general(large, kernel, {.padding = 1, .x_dilation = 2}); },
                {2, 1, 2, 2, 1, 2, 2}, "five axes");
  const Array none = zeros({0, 5, 2}, f64);
  expectAdjoint([&](const Array &kernel) { return conv_transpose1d(none, kernel, {.strides = 2}); }, {3, 3, 2}, "none");
}

TEST(Convolution, TransposedHasTheSizesOfKeras) {
  const Array x = zeros({1, 5, 1});
  const auto size = [&](int64_t window, int stride, Padding padding) {
    return conv_transpose1d(x, zeros({window, 1, 1}), {.strides = stride, .padding = padding}).shape()[1].raw();
  };
  EXPECT_EQ(size(3, 2, same), 10);
  EXPECT_EQ(size(3, 2, PaddingMode::valid), 11);
  EXPECT_EQ(size(2, 3, PaddingMode::valid), 15);
  EXPECT_EQ(size(2, 3, same), 15);
  EXPECT_EQ(size(3, 1, PaddingMode::valid), 7);
  EXPECT_EQ(size(3, 2, 1), 9); // PyTorch's padding
}

TEST(Convolution, LayoutsOfOtherFrameworksGiveTheSameBits) {
  const Array x = random::normal(random::key(0), {2, 6, 7, 4}), kernel = random::normal(random::key(1), {3, 3, 4, 5});
  const Array expected = conv2d(x, kernel);
  const Array first =
      conv_general(transpose(x, {0, 3, 1, 2}), transpose(kernel, {3, 2, 0, 1}), {.layout = "NCHW,OIHW->NCHW"});
  EXPECT_TRUE(array_equal(transpose(first, {0, 2, 3, 1}), expected).item<bool>());
  const Array format = conv2d(transpose(x, {0, 3, 1, 2}), kernel, {.data_format = DataFormat::channels_first});
  EXPECT_TRUE(array_equal(format, first).item<bool>());
}

TEST(Convolution, WorksWithASymbolicBatch) {
  const Array kernel = random::normal(random::key(1), {3, 3, 4, 5});
  auto step = jit(
      [&](const Array &x) {
        return grad([&](const Array &x) { return sum(sin(conv2d(x, kernel, {.padding = same}))); })(x);
      },
      {.specs = {TensorSpec{f32, {Dim("n"), 6, 7, 4}}}});
  for (int n : {2, 3, 9}) {
    const Array x = random::normal(random::key(static_cast<uint64_t>(n)), {n, 6, 7, 4});
    const Array expected = grad([&](const Array &x) { return sum(sin(conv2d(x, kernel, {.padding = same}))); })(x);
    EXPECT_TRUE(array_equal(step(x), expected).item<bool>());
  }
}

TEST(WindowReduction, TheDerivativeGoesToTheFirstOfEqualMaxima) {
  const Array x = {1.0f, 3.0f, 3.0f, NAN, 2.0f, NAN};
  const Array dx = grad(
      [](const Array &x) { return sum(reduce_window(x, 3, {.reduction = WindowReduction::max, .strides = 3})); })(x);
  EXPECT_EQ(dx.to_vector<float>(), (std::vector<float>{0, 1, 0, 1, 0, 0}));
}

TEST(WindowReduction, NarrowSumsAreRoundedOnce) {
  const Array y = reduce_window(ones({4096}, f16), 3000, {.strides = 3000});
  EXPECT_EQ(y.item<float>(), 3000);
}

TEST(WindowReduction, WindowsOfAWholeAxisHaveItsExtremes) {
  const Array x = random::normal(random::key(5), {700, 3});
  const Array y = reduce_window(x, {700, 1}, {.reduction = WindowReduction::min});
  EXPECT_TRUE(array_equal(squeeze(y, 0), min(x, 0)).item<bool>());
  const auto [values, indices] = max_pool1d_with_indices(x, 700);
  EXPECT_TRUE(array_equal(squeeze(indices, 0), argmax(x, 0)).item<bool>());
}

TEST(WindowReduction, ResultsOfADilatedArrayLieApart) {
  const Array x = random::normal(random::key(5), {100});
  const Array y = reduce_window(x, 1, {.x_dilation = 2});
  EXPECT_TRUE(array_equal(y[slice(0, none, 2)], x).item<bool>());
  EXPECT_TRUE(array_equal(y[slice(1, none, 2)], zeros({99})).item<bool>());
}

TEST(WindowReduction, WindowsInThePaddingHaveTheLimitsOfTheDtype) {
  const auto limits = [](Dtype dtype) {
    const auto of = [&](WindowReduction reduction) {
      return reduce_window(zeros({1}, dtype), 1, {.reduction = reduction, .padding = {{1, 0}}})[0];
    };
    return std::pair(of(WindowReduction::min), of(WindowReduction::max));
  };
  EXPECT_EQ(limits(Dtype::u8).first.item<uint8_t>(), 255);
  EXPECT_EQ(limits(Dtype::u8).second.item<uint8_t>(), 0);
  EXPECT_EQ(limits(Dtype::i16).first.item<int16_t>(), 32767);
  EXPECT_EQ(limits(Dtype::i16).second.item<int16_t>(), -32768);
  EXPECT_EQ(limits(f16).first.item<float>(), INFINITY);
  EXPECT_EQ(limits(f64).second.item<double>(), -INFINITY);
}

} // namespace

//===- kernels_matmul_test.cpp - kernels of products and random bits, and their threads --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kernel has the same bits for every layout, instruction set and number of
// threads.
//===----------------------------------------------------------------------===//
#include "Products.h"
#include "ReductionBlocks.h"

#include "runtime/threads/Pool.h"
#include <array>
#include <sys/mman.h>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::test;

namespace {

/// The attributes of a product of matrices, as words.
struct ProductWords : AttrWriter {
  ProductWords(Dtype dtype, size_t rank) { matrixProduct(dtype, static_cast<int>(rank)).write(*this); }
};

Block matrixProductOf(const std::vector<Block> &operands, Dtype dtype, const Dims &dims) {
  return run(OpCode::dot_general, operands, dtype, dims, ProductWords(dtype, dims.size()));
}

struct Sizes {
  int64_t m, k, n;
};

/// What the kernel widens to i32.
bool isNarrowInteger(Dtype dtype) { return kind(dtype) <= Kind::integer && item_size(dtype) < 4; }

/// Numbers of either sign and zeros of both, small enough that no sum of a narrow dtype overflows.
void fillNumbers(Block &x, uint64_t seed) {
  const Dtype part = x.dtype == Dtype::c64 ? Dtype::f32 : x.dtype == Dtype::c128 ? Dtype::f64 : x.dtype;
  const auto count = static_cast<size_t>(x.count());
  const std::vector<uint64_t> &bits = randomBits(seed, 2 * count);
  for (size_t i = 0; i < count; ++i)
    for (size_t at = 0; at * item_size(part) < item_size(x.dtype); ++at) {
      const uint64_t word = bits[2 * i + at];
      Number value = Number(static_cast<int64_t>(word >> 20)) * (kind(part) == Kind::integer ? 1 : 0x1p-42L);
      if (isNarrowInteger(part)) {
        const int64_t range = part == Dtype::bool_ ? 2 : int64_t(1) << (8 * item_size(part));
        const bool isSigned = part == Dtype::i8 || part == Dtype::i16;
        value = static_cast<int64_t>(word >> 20) % range - (isSigned ? range / 2 : 0);
      } else if (kind(part) != Kind::integer && word % 16 < 2)
        value = word % 16 ? -0.0L : 0.0L;
      Block::write(part, x.at(static_cast<int64_t>(i)) + at * item_size(part), value);
    }
}

/// The order of Contract.h, written as plainly as it can be.
template <class T>
T pairwise(std::vector<T> blocks) {
  while (blocks.size() > 1) {
    std::vector<T> next;
    for (size_t i = 0; i < blocks.size(); i += 2)
      next.push_back(i + 1 < blocks.size() ? blocks[i] + blocks[i + 1] : blocks[i]);
    blocks = next;
  }
  return blocks[0];
}

/// The sum over l of the products that add(l, sum) adds.
template <class T, class Add>
T inOrder(int64_t k, bool isOneColumn, Add add) {
  if (k == 0)
    return 0;
  std::vector<T> blocks;
  for (int64_t from = 0; from < k; from += 4096) {
    T lanes[16];
    std::fill_n(lanes, 16, T(-0.0));
    for (int64_t l = from; l < std::min(k, from + 4096); ++l)
      add(l, lanes[isOneColumn ? l % 16 : 0]);
    for (int half : {8, 4, 2, 1})
      for (int j = 0; j < half && isOneColumn; ++j)
        lanes[j] = lanes[j] + lanes[j + half];
    blocks.push_back(lanes[0]);
  }
  return pairwise(blocks);
}

template <class T>
void multiplyPlainly(const Block &a, const Block &b, Sizes s, Block &c) {
  const bool isComplex = kind(a.dtype) == Kind::complex;
  const auto read = [&](const Block &x, int64_t i, size_t part) {
    const Dtype dtype = isComplex ? (std::is_same_v<T, float> ? Dtype::f32 : Dtype::f64) : x.dtype;
    return static_cast<T>(Block::read(dtype, x.at(i) + part * sizeof(T)));
  };
  for (int64_t i = 0; i < c.count(); ++i) {
    const int64_t place = i / (s.m * s.n), row = i / s.n % s.m, column = i % s.n;
    const auto p = [&](int64_t l) { return (place * s.m + row) * s.k + l; };
    const auto q = [&](int64_t l) { return (place * s.k + l) * s.n + column; };
    const auto sum = [&](auto add) { return inOrder<T>(s.k, s.n == 1, add); };
    if (!isComplex) {
      c.set(i, sum([&](int64_t l, T &x) { x = std::fma(read(a, p(l), 0), read(b, q(l), 0), x); }));
      continue;
    }
    const T real = sum([&](int64_t l, T &x) {
      x = std::fma(read(a, p(l), 0), read(b, q(l), 0), x);
      x = std::fma(-read(a, p(l), 1), read(b, q(l), 1), x);
    });
    const T imag = sum([&](int64_t l, T &x) {
      x = std::fma(read(a, p(l), 0), read(b, q(l), 1), x);
      x = std::fma(read(a, p(l), 1), read(b, q(l), 0), x);
    });
    std::memcpy(c.at(i), &real, sizeof(T));
    std::memcpy(c.at(i) + sizeof(T), &imag, sizeof(T));
  }
}

template <class T>
void multiplyIntegers(const Block &a, const Block &b, Sizes s, Block &c) {
  const auto elements = [](const Block &x) {
    std::vector<T> all(static_cast<size_t>(x.count()));
    for (size_t i = 0; i < all.size(); ++i)
      if (const auto at = static_cast<int64_t>(i); item_size(x.dtype) == sizeof(T))
        std::memcpy(&all[i], x.at(at), sizeof(T));
      else
        all[i] = static_cast<T>(static_cast<int64_t>(x.get(at)));
    return all;
  };
  const std::vector<T> x = elements(a), y = elements(b);
  for (int64_t i = 0; i < c.count(); ++i) {
    const int64_t place = i / (s.m * s.n), row = i / s.n % s.m, column = i % s.n;
    T sum = 0;
    for (int64_t l = 0; l < s.k; ++l)
      sum += x[static_cast<size_t>((place * s.m + row) * s.k + l)] *
             y[static_cast<size_t>((place * s.k + l) * s.n + column)];
    std::memcpy(c.at(i), &sum, sizeof(T));
  }
}

void expectProduct(Dtype dtype, const Dims &batch, Sizes s, Layout left, Layout right, uint64_t seed) {
  Dims da = batch, db = batch, dc = batch;
  da.insert(da.end(), {s.m, s.k}), db.insert(db.end(), {s.k, s.n}), dc.insert(dc.end(), {s.m, s.n});
  const Dtype result = isNarrowInteger(dtype) ? Dtype::i32 : is_storage(dtype) ? Dtype::f32 : dtype;
  Block a(dtype, da, left), b(dtype, db, right), expected(result, dc);
  fillNumbers(a, seed), fillNumbers(b, seed + 1);
  if (dtype == Dtype::f64 || dtype == Dtype::c128)
    multiplyPlainly<double>(a, b, s, expected);
  else if (result == Dtype::i32)
    multiplyIntegers<uint32_t>(a, b, s, expected);
  else if (dtype == Dtype::i64)
    multiplyIntegers<uint64_t>(a, b, s, expected);
  else
    multiplyPlainly<float>(a, b, s, expected);
  ASSERT_TRUE(sameBits(matrixProductOf({a, b}, result, dc), expected))
      << short_name(dtype) << " " << s.m << "x" << s.k << "x" << s.n << " layouts " << int(left) << " " << int(right);
}

constexpr Dtype productDtypes[] = {Dtype::f32, Dtype::f64,  Dtype::f16, Dtype::bf16,
                                   Dtype::c64, Dtype::c128, Dtype::i32, Dtype::i64};

} // namespace

TEST(Matmul, HasTheBitsOfTheChain) {
  for (Dtype dtype : productDtypes)
    for (const Dims &batch : {Dims{}, Dims{3}, Dims{2, 2}, Dims{0}})
      for (Sizes s : {Sizes{1, 1, 1},
                      {4, 3, 5},
                      {1, 40, 7},
                      {9, 40, 1},
                      {3, 0, 4},
                      {0, 3, 4},
                      {2, 0, 1},
                      {33, 65, 17},
                      {5, 1, 6},
                      {16, 16, 16},
                      {3, 9, 50},
                      {11, 6, 37},
                      {7, 20, 8},
                      {1, 77, 1},
                      {300, 1, 13}})
        for (Layout left : allLayouts)
          for (Layout right : allLayouts)
            expectProduct(dtype, batch, s, left, right, 10);
}

TEST(Matmul, WidensNarrowOperands) {
  for (Dtype dtype : {Dtype::bool_, Dtype::i8, Dtype::u8, Dtype::i16, Dtype::u16, Dtype::f8e4m3fn, Dtype::f8e5m2})
    for (const Dims &batch : {Dims{}, Dims{3}})
      for (Sizes s : {Sizes{4, 3, 5}, {1, 40, 7}, {9, 40, 1}, {1, 77, 1}, {2, 0, 1}, {17, 33, 37}, {3, 4100, 2}})
        for (Layout layout : allLayouts) {
          expectProduct(dtype, batch, s, layout, Layout::dense, 11);
          expectProduct(dtype, batch, s, Layout::dense, layout, 11);
        }
}

/// Many products of one row and one column, that lie side by side in some layouts.
TEST(Matmul, ManyPairsHaveTheBitsOfTheSum) {
  for (Dtype dtype : productDtypes)
    for (const Dims &batch : {Dims{7}, Dims{41}, Dims{5, 60}})
      for (Sizes s : {Sizes{1, 3, 1}, {1, 33, 1}, {1, 5000, 1}})
        for (Layout left : {Layout::dense, Layout::transposed, Layout::spread})
          for (Layout right : {Layout::dense, Layout::transposed, Layout::repeated})
            expectProduct(dtype, s.k == 5000 && batch.size() == 2 ? Dims{20} : batch, s, left, right, 13);
}

/// Zeros of minus one's sign, of which a sum that began at +0 would be +0.
TEST(Matmul, SumsBeginAtMinusZero) {
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::bf16})
    for (Sizes s : {Sizes{40, 5, 1}, {1, 5, 1}, {40, 20, 30}, {1, 20, 40}, {3, 20, 40}})
      for (Layout layout : {Layout::dense, Layout::transposed, Layout::spread}) {
        Block a(dtype, {s.m, s.k}, layout), b(dtype, {s.k, s.n}, layout), expected(dtype, {s.m, s.n});
        for (int64_t i = 0; i < a.count(); ++i)
          a.set(i, -0.0L);
        for (int64_t i = 0; i < b.count(); ++i)
          b.set(i, 1);
        for (int64_t i = 0; i < expected.count(); ++i)
          expected.set(i, -0.0L);
        ASSERT_TRUE(sameBits(matrixProductOf({a, b}, dtype, {s.m, s.n}), expected)) << s.m << "x" << s.k << "x" << s.n;
      }
}

TEST(Matmul, LongSumsAreCombinedPairwise) {
  for (Dtype dtype : productDtypes)
    for (Sizes s : {Sizes{3, 4096, 5}, {5, 4097, 18}, {2, 9000, 40}, {7, 13000, 1}, {1, 29000, 33}, {70, 5000, 3}})
      for (Layout layout : {Layout::dense, Layout::transposed, Layout::spread})
        expectProduct(dtype, {}, s, layout, layout, 12);
}

/// Any sizes, so that each way of cutting, packing and reading where it lies is taken.
TEST(Matmul, RandomSizesHaveTheBitsOfTheChain) {
  std::mt19937_64 random(7);
  const auto below = [&](uint64_t limit) { return static_cast<int64_t>(random() % limit); };
  for (int round = 0; round < 240; ++round) {
    const Dtype dtype = productDtypes[below(below(2) ? 2 : std::size(productDtypes))];
    Sizes s{below(4) ? below(70) + 1 : below(600) + 1, below(4) ? below(90) + 1 : below(1300) + 1,
            below(4) ? below(80) + 1 : below(1500) + 1};
    if (below(5) == 0)
      s.m = below(4) + 1;
    while (s.m * s.k * s.n > 4'000'000)
      (below(2) ? s.m : below(2) ? s.k : s.n) = below(60) + 1;
    setThreadCount(static_cast<int>(below(3)) + 1);
    expectProduct(dtype, {}, s, allLayouts[below(6)], allLayouts[below(6)], static_cast<uint64_t>(below(4)));
  }
  setThreadCount(0);
}

TEST(Matmul, ARowDoesNotDependOnTheOthers) {
  for (Dtype dtype : productDtypes)
    for (Sizes s : {Sizes{40, 50, 60}, {300, 1100, 20}, {9, 70, 1}, {17, 5000, 33}}) {
      Block a(dtype, {s.m, s.k}), b(dtype, {s.k, s.n});
      fillNumbers(a, 20), fillNumbers(b, 21);
      const Block all = matrixProductOf({a, b}, dtype, {s.m, s.n});
      for (int64_t row : {int64_t(0), s.m / 2, s.m - 1}) {
        Block one(dtype, {1, s.k});
        for (int64_t l = 0; l < s.k; ++l)
          std::memcpy(one.at(l), a.at(row * s.k + l), item_size(dtype));
        const Block got = matrixProductOf({one, b}, dtype, {1, s.n});
        for (int64_t j = 0; j < s.n; ++j)
          ASSERT_EQ(std::memcmp(got.at(j), all.at(row * s.n + j), item_size(dtype)), 0) << short_name(dtype);
      }
    }
}

TEST(Matmul, RowsFurtherApartThanAnIntCounts) {
  const int64_t stride = int64_t(INT32_MAX) + 10;
  const size_t bytes = (static_cast<size_t>(stride) + 16) * sizeof(float);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    GTEST_SKIP() << "no room for addresses";
  auto *x = static_cast<float *>(memory);
  const int64_t dims[] = {2, 2}, strides[] = {stride, 1}, turned[] = {1, stride}, dense[] = {2, 1};
  x[0] = 1, x[1] = 2, x[stride] = 3, x[stride + 1] = 4;
  float result[4];
  const View rows{x, Dtype::f32, 2, dims, strides}, columns{x, Dtype::f32, 2, dims, turned};
  const View product{result, Dtype::f32, 2, dims, dense};
  const ProductWords attributes(Dtype::f32, 2);
  auto check = [&](const View &a, const View &b, std::array<float, 4> expected) {
    const View operands[] = {a, b};
    ASSERT_EQ(kernel(OpCode::dot_general)({OpCode::dot_general, operands, {&product, 1}, attributes.words()}),
              Status::ok);
    EXPECT_EQ(std::memcmp(result, expected.data(), sizeof(result)), 0);
  };
  check(rows, rows, {7, 10, 15, 22});
  check(rows, columns, {5, 11, 11, 25});
  check(columns, rows, {10, 14, 14, 20});
  munmap(memory, bytes);
}

TEST(Threads, ChangeNoBit) {
  struct Shapes {
    OpCode op;
    std::vector<Dims> operands;
    Dims result, axes;
  };
  const Shapes shapes[] = {{OpCode::sum, {{1000003}}, {}, {0}},
                           {OpCode::sum, {{300000, 5}}, {5}, {0}},
                           {OpCode::sum, {{500, 3000}}, {500}, {1}},
                           {OpCode::dot_general, {{1000, 70}, {70, 130}}, {1000, 130}, {}},
                           {OpCode::dot_general, {{40, 90}, {90, 3000}}, {40, 3000}, {}},
                           {OpCode::dot_general, {{9, 65, 66}, {9, 66, 67}}, {9, 65, 67}, {}},
                           {OpCode::dot_general, {{513, 513}, {513, 513}}, {513, 513}, {}}};
  for (const Shapes &s : shapes)
    for (Dtype dtype : {Dtype::f32, Dtype::f64}) {
      std::vector<Block> operands;
      for (const Dims &dims : s.operands) {
        operands.emplace_back(dtype, dims);
        operands.back().fill(14 + operands.size(), false);
      }
      AttrWriter attributes;
      if (s.op == OpCode::sum)
        SumAttrs{s.axes, false}.write(attributes);
      else
        matrixProduct(dtype, static_cast<int>(s.result.size())).write(attributes);
      setThreadCount(1);
      const Block alone = run(s.op, operands, dtype, s.result, attributes);
      for (int threads : {2, 3, 7}) {
        setThreadCount(threads);
        EXPECT_TRUE(sameBits(run(s.op, operands, dtype, s.result, attributes), alone)) << threads << " threads";
      }
      setThreadCount(0);
    }
}

/// Threefry-2x32 with 20 rounds, as in the paper.
static void threefry(uint32_t k0, uint32_t k1, uint32_t &x0, uint32_t &x1) {
  const uint32_t keys[] = {k0, k1, 0x1BD11BDA ^ k0 ^ k1};
  const int rotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
  x0 += k0, x1 += k1;
  for (uint32_t round = 0; round < 20; ++round) {
    x0 += x1;
    x1 = x1 << rotations[round % 8] | x1 >> (32 - rotations[round % 8]);
    x1 ^= x0;
    if (round % 4 == 3) {
      const uint32_t s = round / 4 + 1;
      x0 += keys[s % 3], x1 += keys[(s + 1) % 3] + s;
    }
  }
}

TEST(Bits, AreJaxs) {
  uint32_t x0 = 0, x1 = 0;
  threefry(0, 0, x0, x1);
  // The known answer of Random123.
  ASSERT_EQ(x0, 0x6b200159u);
  ASSERT_EQ(x1, 0x99ba4efeu);
  for (const Dims &keys : {Dims{2}, Dims{5, 2}, Dims{0, 2}, Dims{2, 3, 2}, Dims{61, 2}})
    for (const Dims &shape : {Dims{}, Dims{1}, Dims{3}, Dims{2, 2}, Dims{37}, Dims{0}, Dims{30, 700}})
      for (Layout layout : {Layout::dense, Layout::transposed, Layout::reversed, Layout::repeated})
        for (int words : {1, 2}) {
          Block key(Dtype::u32, keys, layout);
          key.fill(20);
          Dims dims(keys.begin(), keys.end() - 1);
          dims.insert(dims.end(), shape.begin(), shape.end());
          if (words == 2)
            dims.push_back(2);
          Block expected(Dtype::u32, dims);
          for (int64_t i = 0; i < expected.count(); ++i) {
            const int64_t block = i / words / product(shape), index = i / words % product(shape);
            x0 = 0, x1 = static_cast<uint32_t>(index);
            threefry(static_cast<uint32_t>(key.get(2 * block)), static_cast<uint32_t>(key.get(2 * block + 1)), x0, x1);
            expected.set(i, words == 1 ? x0 ^ x1 : i % 2 ? x1 : x0);
          }
          std::vector<Dim> sizes(shape.begin(), shape.end());
          AttrWriter attributes;
          BitsAttrs{sizes, words, {}}.write(attributes);
          ASSERT_TRUE(sameBits(run(OpCode::bits, {key}, Dtype::u32, dims, attributes), expected));
        }
}

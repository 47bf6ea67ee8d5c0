//===- kernels_matmul_test.cpp - kernels of matmul and random bits, and their threads --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kernel has the same bits for every layout, instruction set and number of
// threads.
//===----------------------------------------------------------------------===//
#include "ReductionBlocks.h"

#include "runtime/threads/Pool.h"
#define TENON_ISA v3
#include "runtime/kernels/cpu/Matmul.h"
#undef TENON_ISA

#include <array>
#include <sys/mman.h>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::test;

TEST(Matmul, AgainstPlainLoop) {
  struct Sizes {
    int64_t m, k, n;
  };
  for (Dtype dtype : {Dtype::i32, Dtype::i64, Dtype::bf16, Dtype::f16, Dtype::f32, Dtype::f64, Dtype::c64, Dtype::c128})
    for (const Dims &batch : {Dims{}, Dims{3}, Dims{2, 2}, Dims{0}})
      for (Sizes s : {Sizes{1, 1, 1},
                      {4, 3, 5},
                      {1, 40, 7},
                      {9, 40, 1},
                      {3, 0, 4},
                      {0, 3, 4},
                      {33, 65, 17},
                      {5, 1, 6},
                      {10, 10, 10},
                      {16, 16, 16},
                      {5, 40, 20},
                      {11, 6, 37},
                      {23, 9, 19},
                      {300, 1, 13}})
        for (Layout left : allLayouts)
          for (Layout right : allLayouts) {
            Dims da = batch, db = batch, dc = batch;
            da.insert(da.end(), {s.m, s.k}), db.insert(db.end(), {s.k, s.n}), dc.insert(dc.end(), {s.m, s.n});
            Block a(dtype, da, left), b(dtype, db, right);
            a.fill(10, false), b.fill(11, false);
            const Block got = run(OpCode::matmul, {a, b}, dtype, dc);
            for (int64_t i = 0; i < got.count(); ++i) {
              const int64_t place = i / (s.m * s.n), row = i / s.n % s.m, column = i % s.n;
              Number sum[2] = {}, scale = 0;
              uint64_t bits = 0;
              for (int64_t l = 0; l < s.k; ++l) {
                const char *p = a.at((place * s.m + row) * s.k + l), *q = b.at((place * s.k + l) * s.n + column);
                const Number x = Block::read(dtype, p), y = Block::read(dtype, q);
                bits += static_cast<uint64_t>(static_cast<int64_t>(kind(dtype) == Kind::integer ? x : 0)) *
                        static_cast<uint64_t>(static_cast<int64_t>(kind(dtype) == Kind::integer ? y : 0));
                const bool isComplex = kind(dtype) == Kind::complex;
                const Number xi = isComplex ? Block::read(dtype, p + item_size(dtype) / 2) : 0,
                             yi = isComplex ? Block::read(dtype, q + item_size(dtype) / 2) : 0;
                sum[0] += x * y - xi * yi, sum[1] += x * yi + xi * y;
                scale += std::hypot(x, xi) * std::hypot(y, yi);
              }
              if (kind(dtype) == Kind::integer) {
                ASSERT_EQ(std::memcmp(got.at(i), &bits, item_size(dtype)), 0) << short_name(dtype);
                continue;
              }
              // About the largest number of f16, or past it.
              if (dtype == Dtype::f16 && std::fabs(sum[0]) > 65000) {
                ASSERT_GT(got.get(i) * (sum[0] < 0 ? -1 : 1), 64000);
                continue;
              }
              const Number epsilon = dtype == Dtype::f64 || dtype == Dtype::c128 ? 0x1p-52L : 0x1p-22L;
              const Number rounding = dtype == Dtype::bf16  ? std::fabs(sum[0]) * 0x1p-8L
                                      : dtype == Dtype::f16 ? std::fabs(sum[0]) * 0x1p-11L + 0x1p-25L
                                                            : 0;
              ASSERT_LE(std::fabs(got.get(i) - sum[0]), scale * epsilon * 16 + rounding) << short_name(dtype);
              if (kind(dtype) == Kind::complex) {
                ASSERT_LE(std::fabs(Block::read(dtype, got.at(i) + item_size(dtype) / 2) - sum[1]),
                          scale * epsilon * 16);
              }
            }
          }
}

TEST(Matmul, BitsDoNotDependOnHowOperandsLie) {
  struct Sizes {
    int64_t m, k, n;
  };
  for (Dtype dtype : {Dtype::bf16, Dtype::f32, Dtype::f64, Dtype::c64, Dtype::c128})
    for (Sizes s :
         {Sizes{1, 1, 1}, {5, 6, 7},    {10, 10, 10}, {16, 16, 16},    {11, 6, 37},   {1, 77, 1},    {1, 40, 70},
          {70, 41, 1},    {3, 9, 50},   {65, 100, 4}, {5, 6, 7},       {20, 64, 64},  {64, 20, 64},  {64, 64, 10},
          {17, 33, 100},  {31, 300, 5}, {99, 99, 99}, {101, 110, 120}, {257, 60, 20}, {30, 40, 600}, {258, 130, 100}}) {
      auto denseOf = [](const Block &x) {
        Block copy(x.dtype, x.dims);
        for (int64_t i = 0; i < x.count(); ++i)
          std::memcpy(copy.at(i), x.at(i), item_size(x.dtype));
        return copy;
      };
      for (Layout left : allLayouts)
        for (Layout right : allLayouts) {
          Block a(dtype, {s.m, s.k}, left), b(dtype, {s.k, s.n}, right);
          a.fill(14, false), b.fill(15, false);
          const Dims dims = {s.m, s.n};
          ASSERT_TRUE(sameBits(run(OpCode::matmul, {a, b}, dtype, dims),
                               run(OpCode::matmul, {denseOf(a), denseOf(b)}, dtype, dims)))
              << short_name(dtype) << " " << s.m << "x" << s.k << "x" << s.n << " layouts " << int(left) << " "
              << int(right);
        }
    }
}

TEST(Matmul, NarrowFloatsAreRoundedOnce) {
  for (Dtype dtype : {Dtype::bf16, Dtype::f16}) {
    Block a(dtype, {20, 300}), b(dtype, {300, 30}), wideA(Dtype::f32, a.dims), wideB(Dtype::f32, b.dims);
    a.fill(12, false), b.fill(13, false);
    for (int64_t i = 0; i < a.count(); ++i)
      wideA.set(i, a.get(i));
    for (int64_t i = 0; i < b.count(); ++i)
      wideB.set(i, b.get(i));
    const Block wide = run(OpCode::matmul, {wideA, wideB}, Dtype::f32, {20, 30});
    Block expected(dtype, {20, 30});
    for (int64_t i = 0; i < wide.count(); ++i)
      expected.set(i, wide.get(i));
    EXPECT_TRUE(sameBits(run(OpCode::matmul, {a, b}, dtype, {20, 30}), expected));
  }
}

TEST(Matmul, IsMadeOfPiecesWhereBlasCannotCount) {
  EXPECT_FALSE(v3::isBeyondBlas(INT32_MAX, INT32_MAX, INT32_MAX));
  const int64_t more = int64_t(INT32_MAX) + 1;
  EXPECT_TRUE(v3::isBeyondBlas(more, 1, 1) && v3::isBeyondBlas(1, more, 1) && v3::isBeyondBlas(1, 1, more));
  // Small integers: no order changes a bit.
  auto fill = [](Block &x, int64_t seed) {
    for (int64_t i = 0; i < x.count(); ++i)
      if (x.set(i, Number((i * 7 + seed) % 11 - 5)); kind(x.dtype) == Kind::complex)
        Block::write(x.dtype, x.at(i) + item_size(x.dtype) / 2, Number((i * 5 + seed) % 7 - 3));
  };
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::c64, Dtype::c128})
    for (const Dims &batch : {Dims{}, Dims{3}})
      for (Layout left : allLayouts)
        for (Layout right : allLayouts) {
          Dims da = batch, db = batch, dc = batch;
          da.insert(da.end(), {9, 11}), db.insert(db.end(), {11, 13}), dc.insert(dc.end(), {9, 13});
          Block a(dtype, da, left), b(dtype, db, right), got(dtype, dc);
          fill(a, 1), fill(b, 2);
          for (const v3::Pieces &pieces : {v3::Pieces{4, 5, 3}, v3::Pieces{9, 13, 11}, v3::Pieces{1, 100, 100}}) {
            got.set(0, 99);
            ASSERT_EQ(v3::multiplyInPieces(a.view(), b.view(), got.view(), pieces, nullptr), Status::ok);
            const Block whole = run(OpCode::matmul, {a, b}, dtype, dc);
            // By value: a sum of products that are all 0 may have either sign.
            const Dtype part = dtype == Dtype::c64 ? Dtype::f32 : dtype == Dtype::c128 ? Dtype::f64 : dtype;
            for (int64_t i = 0; i < got.count(); ++i)
              for (size_t at = 0; at < item_size(dtype); at += item_size(part))
                ASSERT_EQ(Block::read(part, got.at(i) + at), Block::read(part, whole.at(i) + at)) << short_name(dtype);
          }
        }
}

TEST(Matmul, RowsFurtherApartThanBlasCounts) {
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
  auto check = [&](const View &a, const View &b, std::array<float, 4> expected) {
    const View operands[] = {a, b};
    ASSERT_EQ(kernel(OpCode::matmul)({OpCode::matmul, operands, {&product, 1}, {}}), Status::ok);
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
                           {OpCode::matmul, {{1000, 70}, {70, 130}}, {1000, 130}, {}},
                           {OpCode::matmul, {{40, 90}, {90, 3000}}, {40, 3000}, {}},
                           {OpCode::matmul, {{9, 65, 66}, {9, 66, 67}}, {9, 65, 67}, {}},
                           {OpCode::matmul, {{513, 513}, {513, 513}}, {513, 513}, {}}};
  for (const Shapes &s : shapes)
    for (Dtype dtype : {Dtype::f32, Dtype::f64}) {
      std::vector<Block> operands;
      for (const Dims &dims : s.operands) {
        operands.emplace_back(dtype, dims);
        operands.back().fill(14 + operands.size(), false);
      }
      AttrWriter attributes;
      SumAttrs{s.axes, false}.write(attributes);
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

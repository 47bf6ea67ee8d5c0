//===- array_test.cpp - arrays as C++ values -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/DimExpr.h"
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"

#include <tenon/format.h>
#include <tenon/jit.h>
#include <tenon/ops.h>
#include <tenon/transform.h>

#include <gtest/gtest.h>

#include <array>
#include <sstream>

using namespace tenon;
using tenon::test::messageOf;

static std::string text(const Array &array) {
  std::ostringstream out;
  out << array;
  return out.str();
}

TEST(Array, NestedLists) {
  EXPECT_EQ(text(Array{{1, 2}, {3, 4}}), "Array([[1 2]\n [3 4]], shape=(2, 2), dtype=int32)");
  EXPECT_EQ((Array{{{1.5, 2.0}}}).shape().str(), "(1, 1, 2)");
  EXPECT_EQ((Array{1.5, 2.0}).dtype(), f32) << "a literal without a suffix is f32";
  EXPECT_EQ((Array{true, false}).dtype(), bool_);
  EXPECT_EQ((Array{int64_t(1)}).dtype(), i64);
  EXPECT_EQ(Array(9.0f).shape().str(), "()");
  EXPECT_EQ(text(Array(9.0f)), "Array(9., shape=(), dtype=float32)");
  EXPECT_EQ(format("{:?}", Array(-1e8f)), "Array(-1.e+08, shape=(), dtype=float32)");
  EXPECT_EQ(format("{} {}", Array(-1e8f), Array{1, 20}), "-1.e+08 [ 1 20]");
  EXPECT_EQ(messageOf([] { Array x{{1, 2}, {3}}; }), "nested lists are irregular: expected 2 items at depth 1, got 1");
}

TEST(Array, VectorsAndSpansAreCopied) {
  std::vector<double> numbers{1, 2, 3};
  Array x(numbers);
  numbers[0] = 7;
  EXPECT_EQ(x.dtype(), f64);
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{1, 2, 3}));
  Array y(std::span<const double>(numbers), Shape{3, 1});
  EXPECT_EQ(y.shape().str(), "(3, 1)");
  EXPECT_EQ(messageOf([&] { Array(std::span<const double>(numbers), Shape{2, 2}); }),
            "expected 4 elements for the shape (2, 2), got 3");
}

TEST(Array, ContainersAreCopied) {
  const std::vector<float> numbers{1, 2, 3, 4};
  EXPECT_EQ(text(Array(numbers, {2, 2})), "Array([[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)");
  EXPECT_EQ(text(Array(std::array{1, 2})), "Array([1 2], shape=(2,), dtype=int32)");
  EXPECT_EQ(text(Array(std::array{1, 2}, {2, 1})), "Array([[1]\n [2]], shape=(2, 1), dtype=int32)");
  const int flat[3] = {1, 2, 3};
  EXPECT_EQ(text(flat), "Array([1 2 3], shape=(3,), dtype=int32)");
  const int16_t nested[2][2] = {{1, 2}, {3, 4}};
  EXPECT_EQ(text(nested), "Array([[1 2]\n [3 4]], shape=(2, 2), dtype=int16)");
  const std::vector<std::vector<double>> rows{{1, 2}, {3, 4}};
  EXPECT_EQ(text(rows), "Array([[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float64)");
  const std::vector<std::array<std::vector<int64_t>, 1>> deep{{{{1, 2}}}, {{{3, 4}}}};
  EXPECT_EQ(text(deep), "Array([[[1 2]]\n\n [[3 4]]], shape=(2, 1, 2), dtype=int64)");
  EXPECT_EQ(text(std::vector<bool>{true, false}), "Array([ True False], shape=(2,), dtype=bool)");
  EXPECT_EQ(text(std::vector<std::vector<bool>>{{true}, {false}}),
            "Array([[ True]\n [False]], shape=(2, 1), dtype=bool)");
  EXPECT_EQ(Array(std::vector<float>()).shape().str(), "(0,)");
  EXPECT_EQ(Array(std::vector<std::vector<float>>(2)).shape().str(), "(2, 0)");
  EXPECT_EQ(text(Array(flat) + std::array{10, 20, 30}), "Array([11 22 33], shape=(3,), dtype=int32)");
  EXPECT_EQ(messageOf([] { Array(std::vector<std::vector<int>>{{1, 2}, {3}}); }),
            "nested lists are irregular: expected 2 items at depth 1, got 1");
  EXPECT_EQ(messageOf([] { Array(std::vector<std::vector<int>>{{}, {3}}); }),
            "nested lists are irregular: expected 0 items at depth 1, got 1");
  EXPECT_EQ(messageOf([&] { Array(numbers, {3, 1}); }), "expected 3 elements for the shape (3, 1), got 4");
  static_assert(!std::is_convertible_v<const char[6], Array>, "text is no array");
  static_assert(!std::is_convertible_v<std::vector<Array>, Array>, "stack makes one of several");
}

TEST(Array, ItemConvertsAndChecks) {
  EXPECT_EQ(Array(2.75f).item<int32_t>(), 2);
  EXPECT_EQ(Array(-1e20f).item<int32_t>(), INT32_MIN) << "saturates";
  EXPECT_TRUE(bool(Array(3)));
  EXPECT_EQ(double(Array{{0.5f}}), 0.5);
  EXPECT_EQ(messageOf([] { Array{1, 2}.item<int32_t>(); }), "item(): expected an array of one element, got i32[2]");
  EXPECT_EQ(messageOf([] { Array{1, 2}.to_vector<float>(); }),
            "expected an array of f32, got i32[2]; convert it with astype");
  EXPECT_EQ(messageOf([] { Array().shape(); }), "expected an array, got an empty Array");
}

TEST(Array, ViewsShareTheBuffer) {
  Array x = reshape(arange(12), {3, 4});
  Array t = transpose(x), back = slice(x, {2, 0}, {-1, 4}, {-1, 2});
  EXPECT_EQ(t.value()->data, x.value()->data);
  EXPECT_EQ(t.to_vector<int32_t>(), (std::vector<int32_t>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(back.to_vector<int32_t>(), (std::vector<int32_t>{8, 10, 4, 6, 0, 2}));
  EXPECT_EQ(back.value()->strides()[0], -4);
  EXPECT_EQ(broadcast_to(x[1], {5, 4}).value()->strides()[0], 0);
  EXPECT_EQ(reshape(t, {12}).to_vector<int32_t>(), t.to_vector<int32_t>());
  EXPECT_EQ((back + back).to_vector<int32_t>(), (std::vector<int32_t>{16, 20, 8, 12, 0, 4}));
  x = Array();
  EXPECT_EQ(t[3].to_vector<int32_t>(), (std::vector<int32_t>{3, 7, 11})) << "a view keeps the buffer";
}

TEST(Array, IteratesOverAxisZero) {
  int sum = 0;
  for (Array row : Array{{1, 2}, {3, 4}})
    sum += row[-1].item<int32_t>();
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(messageOf([] { (void)Array{1, 2}[2]; }), "index 2 is out of range for axis 0 of size 2");
}

TEST(Array, EmptyAndRankZero) {
  Array empty = zeros({0, 3});
  EXPECT_EQ(text(empty), "Array([], shape=(0, 3), dtype=float32)");
  EXPECT_EQ(sum(empty).item<float>(), 0.0f);
  EXPECT_EQ((empty + 1.0f).shape().str(), "(0, 3)");
}

TEST(Array, ScalarsTakeTheArraysDtype) {
  EXPECT_EQ((Array{1, 2} + 1).dtype(), i32);
  EXPECT_EQ((Array{1, 2} + 1.5f).dtype(), f32);
  EXPECT_EQ((Array{1.f} * 2).dtype(), f32);
  EXPECT_EQ((astype(Array{1}, u8) + 3).dtype(), u8);
  EXPECT_EQ(messageOf([] { (void)(astype(Array{1}, u8) + 300); }), "add: expected a number that fits u8, got 300");
  EXPECT_EQ((astype(Array{1.f}, bf16) + 1.0).dtype(), bf16);
}

TEST(Array, Formats) {
  EXPECT_EQ(format("{:.3f} {}", Array(2.0f / 3), Array{1, 2}.shape()), "0.667 (2,)");
  EXPECT_EQ(format("{:>5}|{:.2f}", Array(true), Array(complex64_t{1, -2})), " true|(1.00-2.00j)");
  EXPECT_EQ(format("{:x}", Array(UINT64_MAX)), "ffffffffffffffff");
}

TEST(Array, FormatsEachElementByTheField) {
  EXPECT_EQ(format("{:.2f}", Array{{1.0f, -20.0f}, {0.125f, 3.0f}}), "[[  1.00 -20.00]\n [  0.12   3.00]]");
  EXPECT_EQ(format("{:.2f}", transpose(Array{{1.0f, 2.0f}, {3.0f, 4.0f}})), "[[1.00 3.00]\n [2.00 4.00]]");
  EXPECT_EQ(format("{:02x} {:.1e}", Array{10, 255}, astype(Array{1.5f}, bf16)), "[0a ff] [1.5e+00]");
  EXPECT_EQ(format("{:d}", Array{true, false}), "[1 0]");
  EXPECT_EQ(format("{:.1f}", zeros({0, 3})), "[]");
  EXPECT_EQ(format("{:.0f}", zeros({2000})), "[0 0 0 ... 0 0 0]");
  EXPECT_EQ(messageOf([] { format("{:q}", Array{1.0f, 2.0f}); }),
            "format: invalid type specifier, got \"{:q}\" with 1 argument");
  EXPECT_THROW(format("{:.1f}", Array()), Error);
  std::string traced;
  EXPECT_THROW(vmap([&](const Array &x) {
                 traced = format("{:.1f}", x);
                 return x;
               })(zeros({2, 2})),
               Error);
}

TEST(Dim, TakesWhatSizeGives) {
  std::vector<float> three(3);
  Array x = zeros({three.size(), 2u});
  EXPECT_EQ(x.shape().str(), "(3, 2)");
  EXPECT_TRUE(x.dim(0) == three.size() && x.dim(1) < 3u);
  EXPECT_THROW((void)zeros({three.size() - 4}), Error);
}

TEST(Dim, TextOfManyQuotientsIsReadBack) {
  Dim n("n"), total = 0;
  for (int i = 2; i < 102; ++i)
    total = total + floor_div(n, i);
  std::optional<Dim> read = detail::parseDim(total.str());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->raw(), total.raw());
  // What is too deep is one inside the other.
  std::string nested = "n";
  for (int i = 0; i < 64; ++i)
    nested = "floordiv(" + nested + ", 2)";
  EXPECT_TRUE(detail::parseDim(nested));
  EXPECT_FALSE(detail::parseDim("floordiv(" + nested + ", 2)"));
}

TEST(Dim, ArithmeticNeverAsks) {
  Dim batch("batch");
  EXPECT_EQ((batch * 2 + 1).str(), "2*batch + 1");
  EXPECT_EQ(exact_div(batch * 6, 3)->str(), "2*batch");
  EXPECT_EQ(floor_div(batch, 4).str(), "floordiv(batch, 4)");
  EXPECT_TRUE(batch + 1 == 1 + batch);
  EXPECT_TRUE(batch > 1);
  EXPECT_FALSE(batch * 2 == 3) << "2*batch is at least 4";
  EXPECT_NE(messageOf([&] { (void)(batch == 3); }).find("cannot decide batch == 3"), std::string::npos);
  EXPECT_EQ(messageOf([&] { (void)int64_t(batch); }), "expected a size that is known, got the symbolic size batch");
  for (int64_t value : {INT64_MIN, INT64_MIN + 1, -(int64_t(1) << 62)})
    EXPECT_EQ(messageOf([&] { Dim{value}; }), "expected a size above -2^62, got " + std::to_string(value));
  EXPECT_EQ(Dim(-(int64_t(1) << 62) + 1).str(), "-4611686018427387903");
}

// A size from a file may be a product of many symbols, which has 2^16 terms when
// they are written as t + 2.
TEST(Dim, ComparesNoMoreTermsThanAnybodyWrites) {
  Dim some = 3, many = 3;
  for (int i = 0; i < 16; ++i) { // the most that a size may have
    Dim symbol("factor" + std::to_string(i));
    many = many * symbol;
    if (i < 4)
      some = some * symbol;
  }
  EXPECT_EQ(provably_less_equal(48, some), Always::yes);
  EXPECT_EQ(provably_less_equal(49, some), Always::unknown);
  EXPECT_EQ(provably_less_equal(0, many), Always::unknown);
}

TEST(Dim, ComparesForEveryValueOfItsSymbols) {
  Dim n("n"), m("m");
  EXPECT_EQ(provably_equal(n, 1), Always::no);
  EXPECT_EQ(provably_equal(1, n), Always::no);
  EXPECT_EQ(provably_equal(n, 2), Always::unknown);
  EXPECT_EQ(provably_equal(n, m), Always::unknown);
  EXPECT_EQ(provably_less_equal(2, n), Always::yes);
  EXPECT_EQ(provably_less_equal(n, 5), Always::unknown);
  EXPECT_EQ(provably_less_equal(n, 1), Always::no);
}

TEST(Dim, DividesDown) {
  Dim n("n");
  EXPECT_EQ(floor_div(-7, 2).raw(), -4);
  EXPECT_EQ(ceil_div(-7, 2).raw(), -3);
  EXPECT_EQ(exact_div(n * 6 + 3, n * 2 + 1)->raw(), 3);
  EXPECT_FALSE(exact_div(n * 3, 2));
  EXPECT_FALSE(exact_div(n * 2 + 1, n));
}

TEST(Dim, TakesValuesForItsSymbols) {
  Dim n("n"), m("m");
  EXPECT_EQ(detail::substitute(n + 2 * m, {{"n", 3}}).str(), "2*m + 3");
  const SymbolBinding values[] = {{"n", 2}, {"m", 5}};
  EXPECT_EQ(evaluate(n * m * m + 1, values), 51);
  EXPECT_EQ(messageOf([] { Dim(int64_t(1) << 61) * 4; }), "size arithmetic overflows 2^62");
  for (const char *name : {"", "two words", "1n", "floordiv"})
    EXPECT_THROW(Dim{name}, Error) << name;
}

TEST(Array, DimCountsFromTheEnd) {
  Array x = zeros({3, 4});
  EXPECT_EQ(x.dim(-1).raw(), 4);
  EXPECT_EQ(x.dim(-2).raw(), 3);
  EXPECT_THROW(x.dim(2), Error);
  EXPECT_THROW(x.dim(-3), Error);
}

TEST(Array, IndexCountsFromTheEnd) {
  Array x = reshape(arange(6), {3, 2});
  EXPECT_EQ(x[-1].to_vector<int32_t>(), (std::vector<int32_t>{4, 5}));
  EXPECT_EQ(x[-3][-2].item<int32_t>(), 0);
  EXPECT_EQ(slice(arange(5), {4}, {-1}, {-2}).to_vector<int32_t>(), (std::vector<int32_t>{4, 2, 0}));
}

TEST(Array, ShortNumbersKeepTheirSign) {
  Array x = {short(-3), short(4)};
  EXPECT_EQ(x.dtype(), i16);
  EXPECT_EQ(x.to_vector<int16_t>(), (std::vector<int16_t>{-3, 4}));
  EXPECT_EQ((Array{'a', 'b'}).dtype(), i32) << "a character is no number of 8 bits";
  EXPECT_EQ((Array{char16_t(0xffff), char16_t(1)}).to_vector<int>(), (std::vector<int>{0xffff, 1}));
  EXPECT_EQ((Array{char(-2), char(1)}).to_vector<int>(), (std::vector<int>{char(-2), 1}));
}

TEST(Array, SizesThatOverflowAreAnErrorBesideAZeroToo) {
  const Dim large = int64_t(1) << 40;
  EXPECT_NE(messageOf([&] { Array(std::span<const float>(), Shape{0, large, large}); }).find("overflows"),
            std::string::npos);
}

TEST(Array, ViewsOfViewsGiveTheirMemoryBack) {
  const size_t before = rt::memoryStatistics().blocksInUse;
  {
    Array x = zeros({2, 3, 4}), inner = transpose(x[1])[2];
    x = Array();
    EXPECT_GT(rt::memoryStatistics().blocksInUse, before);
  }
  EXPECT_EQ(rt::memoryStatistics().blocksInUse, before);
}

// C++ leaves the order of operands open: what one of them calls may assign another one.
TEST(Array, OperandsThatOneOfThemUpdates) {
  const auto doubled = [](Array &a) {
    a = a * 2;
    return a * 1;
  };
  const auto jitted = jit(doubled);
  for (int i = 0; i < 8; ++i)
    for (const bool isJitted : {false, true}) {
      auto call = [&](Array &a) { return isJitted ? jitted(a) : doubled(a); };
      Array y = ones({4}) * 3, z = ones({4}) * 3;
      const float before = (call(y) + y).to_vector<float>()[3], after = (z + call(z)).to_vector<float>()[3];
      EXPECT_TRUE(before == 9 || before == 12) << before;
      EXPECT_TRUE(after == 9 || after == 12) << after;
    }
}

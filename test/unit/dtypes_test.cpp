//===- dtypes_test.cpp - properties of element types ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <limits>

using namespace tenon;
using namespace tenon::test;

namespace {

TEST(Dtypes, WhatSeveralBecomeIsWhatOpsMakeOfThem) {
  for (int i = 0; i < dtype_count; ++i)
    for (int j = 0; j < dtype_count; ++j) {
      const Dtype a{static_cast<uint8_t>(i)}, b{static_cast<uint8_t>(j)};
      if (is_storage(a) || is_storage(b))
        continue;
      const Array x = ones({1}, a), y = ones({1}, b);
      EXPECT_EQ(result_type({a, b}), add(x, y).dtype()) << a << " and " << b;
      EXPECT_EQ(result_type({x, b}), result_type({b, a}));
      EXPECT_EQ(can_cast(a, b), add(x, y).dtype() == b) << a << " to " << b;
      EXPECT_EQ(can_cast(x, b), can_cast(a, b));
      EXPECT_EQ(result_type({a, 2}), add(x, 2).dtype()) << a;
      EXPECT_EQ(result_type({0.5, a}), add(0.5, x).dtype()) << a;
      EXPECT_EQ(result_type({a, true}), add(x, true).dtype()) << a;
      EXPECT_EQ(result_type({a, complex64_t{1, 2}}), add(x, complex64_t{1, 2}).dtype()) << a;
    }
  EXPECT_EQ(result_type({2}), i32);
  EXPECT_EQ(result_type({3000000000}), i64);
  EXPECT_EQ(result_type({u8, i8, f16}), f16);
  EXPECT_EQ(result_type({f8e5m2, f8e5m2}), f8e5m2);
  EXPECT_FALSE(can_cast(f32, f8e5m2));
  EXPECT_TRUE(can_cast(f8e5m2, f8e5m2));
  EXPECT_EQ(messageOf([] { result_type({u8, 300}); }), "result_type: expected a number that fits u8, got 300");
  EXPECT_EQ(messageOf([] { result_type({f8e5m2, f32}); }),
            "result_type: expected one dtype beside f8e5m2, which only stores numbers, got f8e5m2 and f32");
  EXPECT_EQ(messageOf([] { result_type({}); }), "result_type: expected at least one dtype, array or number, got none");
}

TEST(Dtypes, HaveNumpysNames) {
  const std::pair<Dtype, std::string_view> aliases[] = {
      {int8, "int8"},
      {int16, "int16"},
      {int32, "int32"},
      {int64, "int64"},
      {uint8, "uint8"},
      {uint16, "uint16"},
      {uint32, "uint32"},
      {uint64, "uint64"},
      {float16, "float16"},
      {bfloat16, "bfloat16"},
      {float32, "float32"},
      {float64, "float64"},
      {complex64, "complex64"},
      {complex128, "complex128"},
      {float8_e4m3fn, "float8_e4m3fn"},
      {float8_e5m2, "float8_e5m2"},
  };
  EXPECT_EQ(std::size(aliases), size_t(dtype_count - 1)) << "all but bool_";
  for (auto [dtype, text] : aliases)
    EXPECT_EQ(name(dtype), text);
}

TEST(Dtypes, Limits) {
  auto check = []<class T>(T) {
    const FloatInfo info = finfo(dtype_of<T>);
    EXPECT_EQ(info.bits, static_cast<int>(8 * sizeof(T)));
    if constexpr (std::is_floating_point_v<T>) {
      using Limits = std::numeric_limits<T>;
      EXPECT_EQ(info.eps, Limits::epsilon());
      EXPECT_EQ(info.max, Limits::max());
      EXPECT_EQ(info.min, Limits::lowest());
      EXPECT_EQ(info.smallest_normal, Limits::min());
    }
  };
  check(float());
  check(double());
  check(bfloat16_t());
  check(float16_t());
  EXPECT_EQ(finfo(bf16).max, 0x1.fep127);
  EXPECT_EQ(finfo(bf16).eps, 0x1p-7);
  EXPECT_EQ(finfo(bf16).smallest_normal, 0x1p-126);
  EXPECT_EQ(finfo(f16).max, 65504);
  EXPECT_EQ(finfo(f16).min, -65504);
  EXPECT_EQ(finfo(f16).eps, 0x1p-10);
  EXPECT_EQ(finfo(f16).smallest_normal, 0x1p-14);
  EXPECT_EQ(finfo(f8e4m3fn).max, 448);
  EXPECT_EQ(finfo(f8e4m3fn).eps, 0.125);
  EXPECT_EQ(finfo(f8e5m2).max, 57344);
  EXPECT_EQ(finfo(f8e5m2).smallest_normal, 0x1p-14);
  EXPECT_EQ(finfo(c64).dtype, f32);
  EXPECT_EQ(finfo(c128).max, std::numeric_limits<double>::max());
  EXPECT_EQ(iinfo(i8).min, -128);
  EXPECT_EQ(iinfo(u64).max, UINT64_MAX);
  EXPECT_EQ(iinfo(i64).min, INT64_MIN);
  EXPECT_EQ(iinfo(u16).min, 0);
  EXPECT_EQ(iinfo(i32).bits, 32);
  EXPECT_EQ(messageOf([] { finfo(i32); }), "finfo: expected a floating or complex dtype, got i32");
  EXPECT_EQ(messageOf([] { iinfo(bool_); }), "iinfo: expected an integer dtype, got bool");
}

TEST(Dtypes, Kinds) {
  EXPECT_TRUE(isdtype(f32, f32));
  EXPECT_FALSE(isdtype(f32, f64));
  EXPECT_TRUE(isdtype(bool_, "bool"));
  EXPECT_TRUE(isdtype(i8, "signed integer"));
  EXPECT_FALSE(isdtype(u8, "signed integer"));
  EXPECT_TRUE(isdtype(u8, "unsigned integer"));
  EXPECT_TRUE(isdtype(u8, "integral"));
  EXPECT_FALSE(isdtype(bool_, "integral"));
  EXPECT_TRUE(isdtype(bf16, "real floating"));
  EXPECT_TRUE(isdtype(c64, "complex floating"));
  EXPECT_TRUE(isdtype(c64, "numeric"));
  EXPECT_FALSE(isdtype(bool_, "numeric"));
  EXPECT_TRUE(isdtype(f64, {"integral", f64}));
  EXPECT_FALSE(isdtype(f32, {"integral", f64}));
  EXPECT_EQ(
      messageOf([] { isdtype(f32, "float"); }),
      "isdtype: expected a dtype or one of \"bool\", \"signed integer\", \"unsigned integer\", \"integral\", \"real "
      "floating\", \"complex floating\", \"numeric\", got \"float\"");
}

} // namespace

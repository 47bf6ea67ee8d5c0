//===- text_test.cpp - printing arrays, format() -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Text.h"
#include "test/unit/Goldens.h"

#include <tenon/array.h>
#include <tenon/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <sstream>

using namespace tenon;
using namespace tenon::detail;

static Dtype dtypeNamed(const std::string &text) {
  for (int i = 0; i < dtype_count; ++i)
    if (short_name(static_cast<Dtype>(i)) == text)
      return static_cast<Dtype>(i);
  throw Error("text_goldens.py: expected a dtype, got " + text);
}

static std::vector<int64_t> numbers(const std::string &text) {
  std::vector<int64_t> result;
  std::istringstream in(text);
  for (std::string word; text != "-" && std::getline(in, word, ',');)
    result.push_back(std::stoll(word));
  return result;
}

static std::string readText(std::istream &in) {
  std::string line, text;
  std::getline(in, line);
  for (int left = std::stoi(line); left > 0; --left) {
    std::getline(in, line);
    text += line + (left > 1 ? "\n" : "");
  }
  return text;
}

TEST(Text, EqualsNumPy) {
  std::istringstream in = test::numpyGoldens("text_goldens.py");
  ASSERT_TRUE(in);
  std::string line;
  std::getline(in, line);
  int cases = 0, wrong = 0;
  while (std::getline(in, line)) {
    std::istringstream header(line);
    std::string dtypeWord, dimsWord, stridesWord, optionsWord, hex;
    int64_t offset = 0;
    header >> dtypeWord >> dimsWord >> stridesWord >> offset >> optionsWord >> hex;
    Dtype dtype = dtypeNamed(dtypeWord);
    auto dims = numbers(dimsWord), strides = numbers(stridesWord), numbersOfOptions = numbers(optionsWord);
    ASSERT_EQ(numbersOfOptions.size(), 5u);
    PrintOptions options{static_cast<int>(numbersOfOptions[0]), numbersOfOptions[1], numbersOfOptions[2],
                         numbersOfOptions[3], numbersOfOptions[4] != 0};
    size_t star = hex.find('*');
    std::string period, bytes;
    for (size_t i = 0; i + 1 < star; i += 2)
      period += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    for (int times = std::stoi(hex.substr(star + 1)); times > 0; --times)
      bytes += period;
    StridedData array{bytes.data() + offset * static_cast<int64_t>(item_size(dtype)), dtype, dims, strides};

    std::string expected = readText(in);
    std::string got = arrayText(array, options), repr = arrayRepr(array, options);
    std::string wrapped =
        "Array(" + expected + ", shape=" + shapeText(dims) + ", dtype=" + std::string(name(dtype)) + ")";
    ++cases;
    if ((got != expected || repr != wrapped) && ++wrong <= 10)
      ADD_FAILURE() << line.substr(0, 300) << "\nNumPy:\n" << expected << "\ngot:\n" << got << "\nrepr: " << repr;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(cases, 3000);
}

static StridedData view(const void *data, Dtype dtype, std::span<const int64_t> dims,
                        std::span<const int64_t> strides) {
  return {data, dtype, dims, strides};
}

TEST(Text, ReprHasShapeAndDtype) {
  int32_t data[] = {1, 2, 3, 4};
  int64_t dims[] = {2, 2}, strides[] = {2, 1};
  EXPECT_EQ(arrayRepr(view(data, i32, dims, strides), {}), "Array([[1 2]\n [3 4]], shape=(2, 2), dtype=int32)");
  float nine = 9;
  EXPECT_EQ(arrayRepr(view(&nine, f32, {}, {}), {}), "Array(9., shape=(), dtype=float32)");
  int64_t three[] = {3}, back[] = {-1};
  EXPECT_EQ(arrayRepr(view(data + 3, i32, three, back), {}), "Array([4 3 2], shape=(3,), dtype=int32)");
}

TEST(Text, BroadcastArrayTooLargeForMemoryIsElided) {
  uint8_t one = 1;
  int64_t dims[] = {int64_t(1) << 40, int64_t(1) << 40}, strides[] = {0, 0};
  PrintOptions options;
  options.edge_items = 1;
  EXPECT_EQ(arrayText(view(&one, u8, dims, strides), options), "[[1 ... 1]\n ...\n [1 ... 1]]");
}

template <class T>
static void expectReadBack(int finite) {
  int checked = 0;
  for (uint32_t bits = 0; bits <= 2 * T::magnitude + 1; ++bits) {
    T value;
    value.bits = static_cast<decltype(T::bits)>(bits);
    std::string text = arrayRepr(view(&value, dtype_of<T>, {}, {}), {}).substr(6);
    float number = value;
    if (!std::isfinite(number))
      continue;
    // Text of at most 5 digits is exact enough in double to be rounded once.
    EXPECT_EQ(T(std::strtof(text.c_str(), nullptr)).bits, value.bits) << text;
    ++checked;
  }
  EXPECT_EQ(checked, finite);
}

TEST(Text, EveryNarrowFloatReadsBackFromItsText) {
  expectReadBack<bfloat16_t>(65536 - 256);
  expectReadBack<float16_t>(65536 - 2048);
  expectReadBack<float8_e4m3fn_t>(256 - 2);
  expectReadBack<float8_e5m2_t>(256 - 8);
}

TEST(Text, SetPrintOptionsRefusesNegativeNumbers) {
  PrintOptions before = print_options(), changed = before;
  changed.precision = 3;
  set_print_options(changed);
  EXPECT_EQ(print_options(), changed);
  set_print_options(before);
  changed.edge_items = -1;
  try {
    set_print_options(changed);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.message(), "set_print_options: expected edge_items of at least 0, got -1");
  }
  EXPECT_EQ(print_options(), before);
}

namespace geometry {
struct Point {
  double x, y;
};
void format_value(std::string &out, std::string_view spec, const Point &point) {
  std::string part = "{:" + std::string(spec) + "}";
  out += "<" + tenon::format(part, point.x) + " " + tenon::format(part, point.y) + ">";
}
} // namespace geometry

TEST(Format, ReplacesFieldsLikeStdFormat) {
  EXPECT_EQ(format("plain {{}}"), "plain {}");
  EXPECT_EQ(format("{} {} {}", 1, -2L, 3u), "1 -2 3");
  EXPECT_EQ(format("{1} {0} {1}", "a", std::string("b")), "b a b");
  EXPECT_EQ(format("{:>5}|{:<5}|{:^5}|{:*^5}", 1, 2, 3, 4), "    1|2    |  3  |**4**");
  EXPECT_EQ(format("{:.3f} {:e} {:g}", 3.14159, 1.5, 0.1f), "3.142 1.500000e+00 0.1");
  EXPECT_EQ(format("{} {}", 0.1f, 0.1), "0.1 0.1");
  EXPECT_EQ(format("{} {:d} {}", true, true, 'c'), "true 1 c");
  EXPECT_EQ(format("{:#x} {:08b} {}", 255, 5, UINT64_MAX), "0xff 00000101 18446744073709551615");
  EXPECT_EQ(format("{:{}}|{:.{}f}", 7, 4, 1.0, 2), "   7|1.00");
  EXPECT_EQ(format("{:>4}", std::string_view("ab")), "  ab");
}

TEST(Format, TypesJoinByArgumentDependentLookup) {
  EXPECT_EQ(format("at {:.1f}, {}", geometry::Point{1, 2.25}, geometry::Point{0.5, 3}), "at <1.0 2.2>, <0.5 3>");
  EXPECT_EQ(format("{} {:.2f}", bfloat16_t(1.5f), bfloat16_t(0.25f)), "1.5 0.25");
  EXPECT_EQ(format("{} {:.1f}", complex64_t{1, -2}, complex64_t{0, 3}), "(1-2j) (0.0+3.0j)");
  EXPECT_EQ(format("{:>8}|{}", f32, c64), " float32|complex64");
  EXPECT_EQ(format("{:03d} {:>4} {:>8}|{}", Dim(7), Dim("n"), Shape{2, 3}, Shape{2, "n"}), "007    n   (2, 3)|(2, n)");
}

static std::string message(auto call) {
  try {
    return "no error, got \"" + call() + "\"";
  } catch (const Error &error) {
    return error.message();
  }
}

TEST(Format, MalformedStringsThrowError) {
  EXPECT_EQ(message([] { return format("{} {}", 1); }), "format: argument not found, got \"{} {}\" with 1 argument");
  EXPECT_EQ(message([] { return format("{"); }), "format: invalid format string, got \"{\" with 0 arguments");
  EXPECT_EQ(message([] { return format("}"); }), "format: unmatched '}' in format string, got \"}\" with 0 arguments");
  EXPECT_EQ(message([] { return format("{0} {}", 1, 2); }).substr(0, 24), "format: cannot switch fr");
  EXPECT_EQ(message([] { return format("{:d}", "text"); }),
            "format: invalid type specifier, got \"{:d}\" with 1 argument");
  for (const char *bad :
       {"{:", "{0", "{x}", "{-1}", "{:.}", "{:q}", "{:{}", "{99999999999999999999}", "{:>99999999999}"})
    EXPECT_THROW(format(bad, 1), Error) << bad;
  EXPECT_THROW(format("{:q}", Dim(7)), Error);
  EXPECT_THROW(format("{:d}", Shape{2, 3}), Error);
  EXPECT_THROW(format("{:{}}", geometry::Point{1, 2}, 3), Error);
  EXPECT_THROW(format("{:d}", geometry::Point{1, 2}), Error);
}

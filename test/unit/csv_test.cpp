//===- csv_test.cpp - tables of numbers in text files --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"

#include "runtime/memory/Memory.h"

#include <tenon/io.h>
#include <tenon/ops.h>

#include <cmath>
#include <limits>

using namespace tenon;
using namespace tenon::testing;
namespace fs = std::filesystem;

namespace {
class Csv : public ScratchFile {
protected:
  Array load(const std::string &text, const CsvOptions &options = {}) {
    put(text);
    return load_csv(path_, options);
  }
  template <class T>
  void expectTable(const Array &got, const Shape &shape, const std::vector<T> &elements) {
    EXPECT_EQ(got.dtype(), dtype_of<T>);
    EXPECT_EQ(got.shape().str(), shape.str());
    EXPECT_EQ(got.to_vector<T>(), elements);
  }
  std::string loadError(const std::string &text, const CsvOptions &options = {}) {
    return errorOf(text, [&] { load_csv(path_, options); });
  }
  std::string saveError(const Array &array, const SaveCsvOptions &options = {}) {
    return errorOf([&] { save_csv(path_, array, options); });
  }
  /// All numbers of a dtype of 16 bits come back.
  template <class T>
  void expectEveryOne() {
    std::vector<T> numbers;
    for (int bits = 0; bits < 1 << 16; ++bits) {
      T number;
      number.bits = static_cast<uint16_t>(bits);
      if (!std::isnan(static_cast<float>(number)))
        numbers.push_back(number);
    }
    const auto count = static_cast<int64_t>(numbers.size());
    const Array column(std::span<const T>(numbers), Shape{count, 1});
    save_csv(path_, column);
    EXPECT_EQ(bytesOf(load_csv(path_, {.dtype = dtype_of<T>})), bytesOf(column));
  }
};
} // namespace

TEST_F(Csv, ReadsATable) {
  const std::vector<float> six = {1, 2, 3, 4, 5, 6};
  expectTable(load("1,2,3\n4,5,6\n"), {2, 3}, six);
  expectTable(load("1,2,3\n4,5,6"), {2, 3}, six);
  expectTable(load("1,2,3\r\n4,5,6\r\n"), {2, 3}, six);
  expectTable(load("1,2,3\r4,5,6\r"), {2, 3}, six);
  expectTable(load("\xef\xbb\xbf"
                   "1,2,3\n\n   \n4,5,6\n\n"),
              {2, 3}, six);
  expectTable(load(" 1 ,\t2,3 \n4 , 5,  6  "), {2, 3}, six);
  expectTable(load("1;2;3\n4;5;6\n", {.delimiter = ';'}), {2, 3}, six);
  expectTable(load("1\t2\t3\n4\t5\t6\n", {.delimiter = '\t'}), {2, 3}, six);
  expectTable(load("1 2 3\n4 5 6\n", {.delimiter = ' '}), {2, 3}, six);
  expectTable(load("\"1\",\" 2 \" ,3\n\"4\",5, \"6\"\n"), {2, 3}, six);
  expectTable(load("a,b,c\n1,2,3\n4,5,6\n", {.skip_rows = 1}), {2, 3}, six);
  expectTable(load("\"a\nname, of \"\"two\"\" lines\",b\n# more\n1,2,3\n4,5,6\n", {.skip_rows = 2}), {2, 3}, six);
  expectTable(load("1\n2\n3\n"), {3, 1}, std::vector<float>{1, 2, 3});
  expectTable(load("7"), {1, 1}, std::vector<float>{7});
  expectTable(load(""), {0, 0}, std::vector<float>{});
  expectTable(load("a,b\n", {.skip_rows = 1}), {0, 0}, std::vector<float>{});
}

TEST_F(Csv, ReadsNumbersOfEveryKind) {
  const float infinity = std::numeric_limits<float>::infinity();
  expectTable(load("-1.5,+2e3,.5,1e-45,inf,-Infinity"), {1, 6},
              std::vector<float>{-1.5f, 2000, .5f, 1e-45f, infinity, -infinity});
  // Rounded once: by way of f64 it would be half-way between two floats, and the one above.
  expectTable(load("1.00000017881393432617187499999999999"), {1, 1}, std::vector<float>{1.00000011920929f});
  expectTable(load("0.1,1e300", {.dtype = f64}), {1, 2}, std::vector<double>{0.1, 1e300});
  expectTable(load("-128,127", {.dtype = i8}), {1, 2}, std::vector<int8_t>{-128, 127});
  expectTable(load("18446744073709551615,+1", {.dtype = u64}), {1, 2}, std::vector<uint64_t>{UINT64_MAX, 1});
  expectTable(load("0,1,1", {.dtype = bool_}), {1, 3}, std::vector<bool>{false, true, true});
  EXPECT_EQ(static_cast<float>(load("1.0625", {.dtype = f8e4m3fn}).elements<float8_e4m3fn_t>()[0]), 1.0f);
  EXPECT_EQ(static_cast<float>(load("3.140625", {.dtype = bf16}).elements<bfloat16_t>()[0]), 3.140625f);
}

TEST_F(Csv, WhatIsTooSmallIsZero) {
  for (Dtype dtype : {f16, bf16, f8e4m3fn, f8e5m2, f32, f64}) {
    const std::string zeros = std::string(400, '0');
    const Array got = astype(
        load("1e-400,-1e-400,0." + zeros + "5,10e-9223372036854775808,-1" + zeros + "e-900", {.dtype = dtype}), f32);
    EXPECT_EQ(bytesOf(got), bytesOf(Array{{0.0, -0.0, 0.0, 0.0, -0.0}})) << short_name(dtype);
  }
  // Half of the least number and more is that number; ones below the normal ones are as others.
  expectTable(load("0.8e-45,0.6e-45,-1e-50,1e-40"), {1, 4}, std::vector<float>{0x1p-149f, 0, -0.0f, 1e-40f});
  expectTable(load("4e-324,1e-310,1e-324", {.dtype = f64}), {1, 3}, std::vector<double>{0x1p-1074, 1e-310, 0});
}

TEST_F(Csv, MissingNumbersAreNaN) {
  for (Dtype dtype : {f32, f64, f16, bf16, f8e4m3fn}) {
    put("1,,3\n , NA,\"\"\nnan,5,\n");
    const std::vector<double> got = astype(load_csv(path_, {.dtype = dtype, .missing = "NA"}), f64).to_vector<double>();
    const bool expected[] = {false, true, false, true, true, true, true, false, true};
    ASSERT_EQ(got.size(), 9u);
    for (size_t i = 0; i < 9; ++i)
      EXPECT_EQ(std::isnan(got[i]), expected[i]) << i;
  }
}

TEST_F(Csv, KnowsTheUsualWordsForMissingNumbers) {
  const Array got = load("1,NA,NaN\nnan,null,\n-,\"NA\",2\n", {.dtype = f64, .missing = "-"});
  EXPECT_EQ(isnan(got).to_vector<bool>(), (std::vector<bool>{false, true, true, true, true, true, true, true, false}));
  EXPECT_EQ(loadError("1,null\n", {.dtype = i32}), "load_csv: line 1, column 2: expected a number, got none, for which "
                                                   "i32 has no value\n  file: PATH");
  EXPECT_EQ(loadError("nul\n"), "load_csv: line 1, column 1: expected a number, got 'nul'\n  file: PATH");
}

TEST_F(Csv, ReadsChosenColumns) {
  const std::string text = "Ann,1,2,x\nBob,3,4,\"y, z\"\n";
  expectTable(load(text, {.columns = {1, 2}}), {2, 2}, std::vector<float>{1, 2, 3, 4});
  expectTable(load(text, {.columns = {-2, 1, 1}}), {2, 3}, std::vector<float>{2, 1, 1, 4, 3, 3});
  EXPECT_EQ(loadError(text, {.columns = {4}}), "load_csv: expected columns from -4 to 3, got 4\n  file: PATH");
  EXPECT_EQ(loadError(text, {.columns = {-5}}), "load_csv: expected columns from -4 to 3, got -5\n  file: PATH");
  EXPECT_EQ(loadError(text, {.columns = {3}}), "load_csv: line 1, column 4: expected a number, got 'x'\n  file: PATH");
  EXPECT_EQ(loadError("1,2\n3\n", {.columns = {0}}),
            "load_csv: line 2, column 1: expected 2 columns, as in the first row, got 1\n  file: PATH");
}

TEST_F(Csv, SkipsComments) {
  const std::vector<float> four = {1, 2, 3, 4};
  expectTable(load("# made by hand\n1,2 # first\r\n  # none\r\n\n3,\"4\"#\n#"), {2, 2}, four);
  expectTable(load("% made\n1,2\n3,4%5\n", {.comment = '%'}), {2, 2}, four);
  // Rows to skip are counted as they are.
  expectTable(load("#a,b\n1,2\n3,4\n", {.skip_rows = 1}), {2, 2}, four);
  expectTable(load("1\t2\n3\t4 # x\n", {.delimiter = '\t'}), {2, 2}, four);
  expectTable(load("1#2\n3#4\n", {.delimiter = '#'}), {2, 2}, four);
  EXPECT_EQ(loadError("1,2#\n", {.comment = '\0'}),
            "load_csv: line 1, column 2: expected a number, got '2#'\n  file: PATH");
  EXPECT_EQ(loadError("# x\n1,2\n3,x\n"), "load_csv: line 3, column 2: expected a number, got 'x'\n  file: PATH");
  for (char comment : {'1', '"', '\n'})
    EXPECT_NE(loadError("1", {.comment = comment}).find("expected a comment character that is part of no number"),
              std::string::npos);
}

TEST_F(Csv, ErrorsNameLineAndColumn) {
  const std::string start = "load_csv: ", end = "\n  file: PATH";
  EXPECT_EQ(loadError("1,2\n3,x\n"), start + "line 2, column 2: expected a number, got 'x'" + end);
  EXPECT_EQ(loadError("1,2\r\n3,x\r\n"), start + "line 2, column 2: expected a number, got 'x'" + end);
  EXPECT_EQ(loadError("1,2\n\"a\nb\",1\n\n3,4 5\n", {.skip_rows = 2}),
            start + "line 5, column 2: expected a number, got '4 5'" + end);
  EXPECT_EQ(loadError("1,2\n3\n"), start + "line 2, column 1: expected 2 columns, as in the first row, got 1" + end);
  EXPECT_EQ(loadError("1,2\n3,4,5\n"),
            start + "line 2, column 3: expected 2 columns, as in the first row, got 3" + end);
  EXPECT_EQ(loadError("1,\"2\"3\n"),
            start + "line 1, column 2: expected a delimiter after a field in quotes, got '3'" + end);
  EXPECT_EQ(loadError("1,\"2\n3"),
            start + "line 1, column 2: expected a quote at the end of the field, got the end of the file" + end);
  EXPECT_EQ(loadError("1,+-2"), start + "line 1, column 2: expected a number, got '+-2'" + end);
  EXPECT_EQ(loadError("0x10"), start + "line 1, column 1: expected a number, got '0x10'" + end);
  EXPECT_EQ(loadError("1\"\""), start + "line 1, column 1: expected a number, got '1\"\"'" + end);
  EXPECT_EQ(loadError("1e50"), start + "line 1, column 1: expected a number that fits f32, got '1e50'" + end);
  EXPECT_EQ(loadError("1e50x"), start + "line 1, column 1: expected a number, got '1e50x'" + end);
  EXPECT_EQ(loadError("1e-50x"), start + "line 1, column 1: expected a number, got '1e-50x'" + end);
  EXPECT_EQ(loadError("-1" + std::string(400, '0'), {.dtype = f64}).substr(0, 70),
            (start + "line 1, column 1: expected a number that fits f64, got '-1000000000").substr(0, 70));
  EXPECT_EQ(loadError("0.001e99999999999999999999", {.dtype = f64}),
            start + "line 1, column 1: expected a number that fits f64, got '0.001e99999999999999999999'" + end);
  for (auto [dtype, text] : {std::pair(f16, "65520"), {bf16, "-3.4e38"}, {f8e5m2, "61441"}, {f8e4m3fn, "1e5"}})
    EXPECT_EQ(loadError(text, {.dtype = dtype}), start + "line 1, column 1: expected a number that fits " +
                                                     std::string(short_name(dtype)) + ", got '" + text + "'" + end);
  EXPECT_EQ(loadError("128", {.dtype = i8}),
            start + "line 1, column 1: expected a number that fits i8, got '128'" + end);
  EXPECT_EQ(loadError("-1", {.dtype = u8}),
            start + "line 1, column 1: expected a number without a fraction, got '-1'" + end);
  EXPECT_EQ(loadError("2", {.dtype = bool_}),
            start + "line 1, column 1: expected a number that fits bool, got '2'" + end);
  EXPECT_EQ(loadError("1.5", {.dtype = i32}),
            start + "line 1, column 1: expected a number without a fraction, got '1.5'" + end);
  EXPECT_EQ(loadError("1,", {.dtype = i32}),
            start + "line 1, column 2: expected a number, got none, for which i32 has no value" + end);
  EXPECT_EQ(loadError("a\n", {.skip_rows = 2}), start + "expected 2 rows to skip, got 1" + end);
  EXPECT_EQ(loadError("1", {.skip_rows = -1}), start + "expected skip_rows of at least 0, got -1" + end);
  EXPECT_EQ(loadError("1", {.dtype = c64}), start + "expected a dtype of real numbers, got c64" + end);
  for (char delimiter : {'1', 'e', 'N', '-', '+', '.', '"', '\n', '\r', '\0'})
    EXPECT_NE(loadError("1", {.delimiter = delimiter}).find("expected a delimiter that is part of no number"),
              std::string::npos);
}

TEST_F(Csv, KeepsEveryNumber) {
  const float numbers[] = {0.1f, -0.0f, 1e-45f, 3.4028235e38f, 16777217.0f, 1.0f / 3};
  const Array table = Array(std::span<const float>(numbers), Shape{2, 3});
  save_csv(path_, table);
  EXPECT_EQ(get(), "0.1,-0,1e-45\n3.4028235e+38,16777216,0.33333334\n");
  EXPECT_EQ(bytesOf(load_csv(path_)), bytesOf(table));
  save_csv(path_, transpose(table), {.delimiter = '\t', .header = {"a", "b\tc"}});
  EXPECT_TRUE(get().starts_with("a\t\"b\tc\"\n0.1\t3.4028235e+38\n"));
  EXPECT_EQ(bytesOf(load_csv(path_, {.delimiter = '\t', .skip_rows = 1})), bytesOf(transpose(table)));
  save_csv(path_, Array{1.0f, 2.5f}, {.header = {"say \"x\""}});
  EXPECT_EQ(get(), "\"say \"\"x\"\"\"\n1\n2.5\n");
  save_csv(path_, Array{1.0f}, {.header = {""}});
  EXPECT_EQ(get(), "\"\"\n1\n");
  expectTable(load_csv(path_, {.skip_rows = 1}), {1, 1}, std::vector<float>{1});
  const Array samples = {0.1f, 1.0f / 3, 100.0f, -257.0f, INFINITY, -0.0f};
  save_csv(path_, astype(samples, f16));
  EXPECT_EQ(get(), "0.1\n0.3333\n100\n-257\ninf\n-0\n");
  save_csv(path_, astype(samples, bf16));
  EXPECT_EQ(get(), "0.1\n0.334\n100\n-256\ninf\n-0\n");
  expectEveryOne<float16_t>();
  expectEveryOne<bfloat16_t>();
  save_csv(path_, Array{std::nanf(""), INFINITY});
  EXPECT_EQ(get(), "nan\ninf\n");
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (kind(dtype) == Kind::complex)
      continue;
    const Array all = astype(reshape(arange(0, 120, 10), {4, 3}), dtype);
    save_csv(path_, all);
    EXPECT_EQ(bytesOf(load_csv(path_, {.dtype = dtype})), bytesOf(all)) << short_name(dtype);
  }
  const Array wide = {INT64_MIN, INT64_MAX};
  save_csv(path_, wide);
  EXPECT_EQ(bytesOf(load_csv(path_, {.dtype = i64})), bytesOf(wide));
  save_csv(path_, full({0, 3}, 1.0f), {.header = {"a", "b", "c"}});
  EXPECT_EQ(get(), "a,b,c\n");
  save_csv(path_, reshape(astype(arange(60'000), f64), {20'000, 3}));
  EXPECT_EQ(load_csv(path_, {.dtype = f64}).to_vector<double>(), astype(arange(60'000), f64).to_vector<double>());
}

TEST_F(Csv, WhatIsNoTableIsAnError) {
  const std::string start = "save_csv: ", end = "\n  file: PATH";
  EXPECT_EQ(saveError(Array(1.0f)), start + "expected an array of rank 1 or 2, got rank 0" + end);
  EXPECT_EQ(saveError(full({1, 1, 1}, 1.0f)), start + "expected an array of rank 1 or 2, got rank 3" + end);
  EXPECT_EQ(saveError(full({1}, 1.0f, c64)), start + "expected an array of real numbers, got c64" + end);
  EXPECT_EQ(saveError(full({1, 2}, 1.0f), {.header = {"a"}}), start + "expected 2 names of columns, got 1" + end);
  EXPECT_EQ(saveError(full({1}, 1.0f), {.delimiter = '-'}),
            start + "expected a delimiter that is part of no number, got '-'" + end);
  EXPECT_TRUE(fs::is_empty(folder_));
}

/// A file of delimiters has more elements than numbers.
TEST_F(Csv, IsCountedByTheMemoryLimit) {
  put(std::string(1 << 20, ','));
  rt::setMemoryLimit(rt::memoryStatistics().bytesCommitted + (4 << 20));
  const std::string error = errorOf([&] { load_csv(path_, {.dtype = f64}); });
  rt::setMemoryLimit(0);
  EXPECT_NE(error.find("cannot allocate f64[1, 1048577]: memory limit reached"), std::string::npos) << error;
}

TEST_F(Csv, CutAndChangedFilesNeverCrash) {
  const std::string text = "\"a\",\"b \"\"c\"\"\",d\r\n1,-2.5e3,nan\n\"4\",,6\n\n7 ,8\t, 9\n";
  put(text);
  for (size_t length = text.size(); length-- > 0;) {
    fs::resize_file(path_, length);
    errorOf([&] { load_csv(path_, {.skip_rows = 1}); });
  }
  EXPECT_GT(readsOfChanged(text, 20'000, [&] { bytesOf(load_csv(path_, {.skip_rows = 1})); }), 1000);
}

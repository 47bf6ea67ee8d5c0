//===- safetensors_test.cpp - safetensors files ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SampleArrays.h"
#include "ScratchFile.h"

#include "runtime/memory/Memory.h"

#include <tenon/io.h>
#include <tenon/jit.h>

#include <sys/syscall.h>

using namespace tenon;
using namespace tenon::testing;
namespace fs = std::filesystem;

/// Calls of write() until this process is killed; 0: it is not.
static int callsUntilDeath = 0;

extern "C" ssize_t write(int file, const void *from, size_t size) {
  if (callsUntilDeath > 0 && --callsUntilDeath == 0)
    raise(SIGKILL);
  return syscall(SYS_write, file, from, size);
}

namespace {
class SafetensorsFiles : public ScratchFile {
protected:
  std::string errorOfBytes(const std::string &bytes) {
    return errorOf(bytes, [&] { load_safetensors(path_); });
  }
  /// Of a header, and data.
  std::string errorOfHeader(const std::string &header, const std::string &data = "") {
    return errorOfBytes(fileOf(header, data));
  }
  static std::string fileOf(const std::string &header, const std::string &data) {
    const uint64_t size = header.size();
    return std::string(reinterpret_cast<const char *>(&size), sizeof size) + header + data;
  }
};
} // namespace

static NamedArrays withoutC128(NamedArrays arrays) {
  std::erase_if(arrays, [](const auto &named) { return named.second.dtype() == c128; });
  return arrays;
}

TEST_F(SafetensorsFiles, ReadsAndRepeatsGoldens) {
  for (const ArchiveGolden &golden : archiveGoldens("safetensors")) {
    SCOPED_TRACE(golden.label);
    put(golden.file);
    const Safetensors read = load_safetensors(path_);
    expectEqual(read.arrays, arraysOf(golden));
    if (golden.label == "metadata") {
      EXPECT_EQ(read.metadata, (std::map<std::string, std::string>{{"format", "pt"}, {"quote\"", "line\n\xc3\xbc"}}));
    } else {
      EXPECT_TRUE(read.metadata.empty());
    }
    save_safetensors(path_, read.arrays, read.metadata); // over the file that is mapped
    if (golden.kind == "safetensors-same") {
      EXPECT_EQ(get(), golden.file);
    }
    expectEqual(load_safetensors(path_).arrays, arraysOf(golden));
    expectEqual(read.arrays, arraysOf(golden));
  }
}

TEST_F(SafetensorsFiles, KeepsEveryDtypeShapeAndView) {
  const NamedArrays arrays = withoutC128(sampleArrays());
  save_safetensors(path_, arrays);
  expectEqual(load_safetensors(path_).arrays, arrays);
}

/// Elements stay in the file, which goes when the last array has gone.
TEST_F(SafetensorsFiles, CopiesNothing) {
  const auto mapped = [&] {
    std::ostringstream out;
    out << std::ifstream("/proc/self/maps").rdbuf();
    return out.str().find(path_) != std::string::npos;
  };
  save_safetensors(path_, {{"x", full({1 << 20}, 3.0f)}, {"y", full({10}, 1.0f)}});
  const size_t before = rt::memoryStatistics().bytesInUse;
  std::optional<Safetensors> file = load_safetensors(path_);
  EXPECT_LT(rt::memoryStatistics().bytesInUse, before + 4096);
  EXPECT_TRUE(mapped());
  Array y = file->arrays.at("y");
  EXPECT_EQ(sum(file->arrays.at("x")).item<float>(), 3 << 20);
  file.reset();
  EXPECT_TRUE(mapped());
  y = Array();
  EXPECT_FALSE(mapped());
}

/// Whatever may write into an array of its own has to leave the file alone: its pages cannot be written.
TEST_F(SafetensorsFiles, IsOnlyRead) {
  save_safetensors(path_, {{"x", full({64, 64}, 3.0f)}});
  const std::string bytes = get();
  Array x = load_safetensors(path_).arrays.at("x");
  x = std::move(x).at[{0}].set(1);
  EXPECT_EQ(sum(x).item<float>(), 64 + 63 * 64 * 3);
  NamedArrays model = load_safetensors(path_).arrays;
  auto step = jit([](NamedArrays &model) { model["x"] = model["x"] * 2.0f; }, {.compile = Compile::never});
  step(model);
  step(model);
  EXPECT_EQ(sum(model["x"]).item<float>(), 64 * 64 * 12);
  Array z = load_safetensors(path_).arrays.at("x");
  z += 1;
  EXPECT_EQ(get(), bytes);
}

TEST_F(SafetensorsFiles, BeyondFourGigabytes) {
  const uint64_t size = (uint64_t(1) << 32) + 8;
  const std::string ends = "[" + std::to_string(size) + "," + std::to_string(size + 4) + "]";
  std::string header = R"({"a":{"dtype":"I64","shape":[)" + std::to_string(size / 8) + R"(],"data_offsets":[0,)" +
                       std::to_string(size) + R"(]},"b":{"dtype":"F32","shape":[1],"data_offsets":)" + ends + "}}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  put(fileOf(header, ""));
  fs::resize_file(path_, 8 + header.size() + size);
  std::ofstream(path_, std::ios::binary | std::ios::app) << std::string("\0\0\xa0\x40", 4);
  const NamedArrays arrays = load_safetensors(path_).arrays;
  EXPECT_EQ(arrays.at("a").size(), int64_t(size / 8));
  EXPECT_EQ(arrays.at("b").item<float>(), 5);
}

TEST_F(SafetensorsFiles, TruncationAtEveryByteIsAnError) {
  for (const ArchiveGolden &golden : archiveGoldens("safetensors")) {
    SCOPED_TRACE(golden.label);
    expectNoPartIsRead(golden.file, [&] { load_safetensors(path_); });
  }
}

TEST_F(SafetensorsFiles, FlippedBytesNeverCrash) {
  int reads = 0;
  for (const ArchiveGolden &golden : archiveGoldens("safetensors"))
    reads += readsOfChanged(golden.file, 3000, [&] {
      for (const auto &[name, array] : load_safetensors(path_).arrays)
        bytesOf(array);
    });
  EXPECT_GT(reads, 300);
}

TEST_F(SafetensorsFiles, ErrorsSayWhatWasExpectedAndFound) {
  const std::string start = "load_safetensors: expected ", end = "\n  file: PATH", inX = "\n  tensor: 'x'" + end;
  auto tensor = [](const std::string &dtype, const std::string &shape, const std::string &offsets) {
    return R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  const std::string good = tensor("F32", "[2]", "[0,8]"), data = "12345678";
  EXPECT_EQ(errorOfHeader(good, data), "no error");
  EXPECT_EQ(errorOfHeader(good + " \n ", data), "no error");

  EXPECT_EQ(errorOfBytes("1234"), start + "8 bytes of header size, got 4" + end);
  EXPECT_EQ(errorOfBytes("12345678"), start + "4050765991979987505 bytes of header, got 0" + end);
  EXPECT_EQ(errorOfHeader("[]"), start + "a header that starts with '{', got '['" + end);
  EXPECT_EQ(errorOfHeader(""), start + "a header that starts with '{', got ''" + end);
  EXPECT_EQ(errorOfHeader("{\"x\" 1}"), start + "a header in JSON, got something else at its byte 6" + end);
  EXPECT_EQ(errorOfHeader("{}{}"), start + "a header in JSON, got something else at its byte 3" + end);
  EXPECT_EQ(errorOfHeader("{\"\xff\":1}"), start + "a header in JSON, got something else at its byte 3" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":1}"), start + "an object for 'x' in the header, got 1" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":[[[["), start + "an object for 'x' in the header, got an array" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":{\"shape\":[["),
            start + "sizes from 0 to 2^64 - 1, at most 64 of them for 'shape' in the header, got an array" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":{\"shape\":{"),
            start + "an array of sizes for 'shape' in the header, got an object" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":{\"shape\":[-1"),
            start + "sizes from 0 to 2^64 - 1, at most 64 of them for 'shape' in the header, got -1" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":{\"shape\":[1.5"),
            start + "sizes from 0 to 2^64 - 1, at most 64 of them for 'shape' in the header, got 1.5" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":{\"dtype\":null"),
            start + "a dtype such as \"F32\" for 'dtype' in the header, got null" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":{\"type\":1"),
            start + "the keys 'dtype', 'shape', 'data_offsets' of tensor 'x', got 'type'" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":{}}"),
            start + "the keys 'dtype', 'shape', 'data_offsets' of tensor 'x', got 0 of them" + end);
  EXPECT_EQ(errorOfHeader("{\"__metadata__\":{\"a\":1"), start + "a string for 'a' in the header, got 1" + end);
  EXPECT_EQ(errorOfHeader("{\"x\":{\"shape\":[],\"shape\":[]"),
            start + "keys that differ in the header, got 'shape' twice" + end);
  EXPECT_EQ(errorOfHeader("{\"__metadata__\":{\"x\":\"\"},\"x\":{},\"x\""),
            start + "the keys 'dtype', 'shape', 'data_offsets' of tensor 'x', got 0 of them" + end);
  EXPECT_EQ(errorOfHeader(good.substr(0, good.size() - 1) + "," + good.substr(1), data),
            start + "keys that differ in the header, got 'x' twice" + end);
  std::string many = "[1";
  for (int i = 0; i < 64; ++i)
    many += ",1";
  EXPECT_EQ(errorOfHeader(tensor("F32", many + "]", "[0,8]"), data),
            start + "sizes from 0 to 2^64 - 1, at most 64 of them for 'shape' in the header, got more than 64 numbers" +
                end);

  EXPECT_EQ(errorOfHeader(tensor("F4", "[2]", "[0,8]"), data),
            start +
                "a dtype of BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F8_E4M3, F8_E5M2, BF16, F16, F32, F64, C64, "
                "got 'F4'" +
                inX);
  EXPECT_NE(errorOfHeader(tensor("", "[2]", "[0,8]"), data).find("C64, got ''"), std::string::npos);
  EXPECT_EQ(errorOfHeader(tensor("F32", "[3]", "[0,8]"), data),
            start + "12 bytes of data for float32 (3,), got 8" + inX);
  EXPECT_EQ(errorOfHeader(tensor("F32", "[2]", "[8,0]"), data),
            start + "data_offsets in the file's 8 bytes of data, got [8, 0]" + inX);
  EXPECT_EQ(errorOfHeader(tensor("F32", "[2]", "[1,9]"), data),
            start + "data_offsets in the file's 8 bytes of data, got [1, 9]" + inX);
  EXPECT_EQ(errorOfHeader(tensor("F32", "[2]", "[0,8,8]"), data),
            start + "two numbers as 'data_offsets' of tensor 'x', got 3" + end);
  EXPECT_EQ(errorOfHeader(tensor("F32", "[4611686018427387904,4]", "[0,0]"), ""),
            start + "fewer than 2^63 bytes, got shape (4611686018427387904, 4)" + inX);
  EXPECT_EQ(errorOfHeader(tensor("F32", "[18446744073709551615]", "[0,0]"), ""),
            start + "sizes below 2^63, got 18446744073709551615" + inX);
  EXPECT_EQ(errorOfHeader(tensor("F32", "[2]", "[1,9]"), "x" + data),
            start + "data from byte 0 on, where other data ends, got it from byte 1" + inX);
  EXPECT_EQ(errorOfHeader(good, data + "x"), start + "8 bytes of data, as the header says, got 9" + end);
  EXPECT_EQ(errorOfHeader(tensor("BOOL", "[3]", "[0,3]"), std::string("\0\1\7", 3)),
            start + "bools of 0 or 1, got 7 in element 2" + inX);
  const std::string both =
      R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"y":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  EXPECT_EQ(errorOfHeader(both, data),
            start + "data from byte 8 on, where other data ends, got it from byte 0\n  tensor: 'y'" + end);
  EXPECT_EQ(errorOfHeader(tensor("U8", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,1]"), "1"),
            start + "at most 16 axes, got 17" + inX);
}

TEST_F(SafetensorsFiles, WhatCannotBeSavedIsAnError) {
  const Array x = full({1}, 1.0f);
  EXPECT_EQ(errorOf([&] { save_safetensors(path_, {{"x", astype(x, c128)}}); }),
            "save_safetensors: expected a dtype of BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F8_E4M3, F8_E5M2, BF16, "
            "F16, F32, F64, C64, got c128 of 'x'\n  file: PATH");
  EXPECT_EQ(errorOf([&] { save_safetensors(path_, {{"__metadata__", x}}); }),
            "save_safetensors: expected a name for an array that is not the metadata's own, got '__metadata__'\n  "
            "file: PATH");
  EXPECT_EQ(errorOf([&] { save_safetensors(path_, {{"\xc0\x80", x}}); }),
            "save_safetensors: expected names and metadata in UTF-8, got '?"
            "?'\n  file: PATH");
  EXPECT_EQ(errorOf([&] { save_safetensors(path_, {{"x", x}}, {{"a", "\xed\xa0\x80"}}); }),
            "save_safetensors: expected names and metadata in UTF-8, got '?"
            "?"
            "?'\n  file: PATH");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SafetensorsFiles, KilledInTheMiddleTheOldFileStays) {
  expectOldOrNew(callsUntilDeath, [&] { save_safetensors(path_, {{"x", full({100}, 1.0f)}, {"y", full({3}, 2.0f)}}); });
}

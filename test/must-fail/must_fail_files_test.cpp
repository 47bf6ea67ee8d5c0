//===- must_fail_files_test.cpp - damaged files, memory limits, bad settings --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MustFail.h"

#include "lib/program/CompilerPlugin.h"
#include "lib/trace/Trace.h"
#include "runtime/memory/Memory.h"
#include "test/fuzz/BlobSeed.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <sys/resource.h>
#include <zlib.h>

using namespace tenon;
using namespace tenon::mustfail;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {
void write(const std::string &path, const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A .npy file with this header (padded as the format wants) and these elements.
std::string npy(std::string header, const std::string &elements, char version = 1) {
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {version, '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return file + header + elements;
}

/// A saved .npz of one array, one byte of it changed.
std::string savedNpz(size_t at, char value) {
  std::string path = (fs::temp_directory_path() / ("tenon-must-fail-" + std::to_string(getpid()))).string();
  save_npz(path, {{"w", zeros({16})}});
  std::string bytes = read(path);
  fs::remove(path);
  bytes[at] = value;
  return bytes;
}

/// A safetensors file of this header and these bytes.
std::string safetensors(const std::string &header, const std::string &data) {
  const uint64_t size = header.size();
  return std::string(reinterpret_cast<const char *>(&size), sizeof size) + header + data;
}

/// A saved trace of x + y.
std::string savedTrace() {
  std::string path = (fs::temp_directory_path() / ("tenon-must-fail-" + std::to_string(getpid()))).string();
  jit([](const Array &x, const Array &y) { return x + y; }).lower(ones({3}), ones({3})).save_trace(path);
  std::string bytes = read(path);
  fs::remove(path);
  return bytes;
}

/// The saved trace with one 8-byte word of its canonical bytes changed, its
/// checksum made right again.
std::string changedTrace(size_t word, int64_t value) {
  std::string file = savedTrace();
  std::memcpy(file.data() + packedHeaderBytes + 8 * word, &value, sizeof value);
  auto checked = static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef *>(file.data() + 16), static_cast<z_size_t>(file.size() - 16)));
  std::memcpy(file.data() + 12, &checked, sizeof checked);
  return file;
}

std::string blob() {
  std::vector<std::byte> bytes = rt::testing::seedWriter().finish();
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string changed(std::string file, size_t at, char value) {
  file[at] = value;
  return file;
}

using namespace std::string_literals;

struct Case {
  const char *name;
  void (*run)(const std::string &path);
  std::string (*bytes)();
  const char *text;
};

const Case cases[] = {
    {"idx_empty", [](auto &path) { load_idx(path); }, [] { return ""s; }, R"(
load_idx: expected 4 bytes of magic, got 0
  file: FOLDER/file
  at here)"},
    {"idx_magic", [](auto &path) { load_idx(path); }, [] { return "\x01\x00\x08\x01"s; }, R"(
load_idx: expected two zero bytes at the start, got 0x01 0x00
  file: FOLDER/file
  at here)"},
    {"idx_type", [](auto &path) { load_idx(path); }, [] { return "\x00\x00\x07\x01"s; }, R"(
load_idx: expected type 0x08 (u8), 0x09 (i8), 0x0b (i16), 0x0c (i32), 0x0d (f32) or 0x0e (f64), got 0x07
  file: FOLDER/file
  at here)"},
    {"idx_sizes_cut", [](auto &path) { load_idx(path); }, [] { return "\x00\x00\x08\x02\x00\x00\x00\x02"s; }, R"(
load_idx: expected 4 bytes of size 1 of 2, got 0
  file: FOLDER/file
  at here)"},
    {"idx_data_cut", [](auto &path) { load_idx(path); }, [] { return "\x00\x00\x08\x01\x00\x00\x00\x04\x01\x02"s; }, R"(
load_idx: expected 4 bytes of data for uint8 (4,), got at most 2
  file: FOLDER/file
  at here)"},
    {"idx_data_left", [](auto &path) { load_idx(path); }, [] { return "\x00\x00\x08\x01\x00\x00\x00\x01\x01\x02"s; },
     R"(
load_idx: expected the end of the file, got 1 more bytes
  file: FOLDER/file
  at here)"},
    {"idx_sizes_overflow", [](auto &path) { load_idx(path); },
     [] { return "\x00\x00\x0e\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s; }, R"(
load_idx: expected fewer than 2^63 bytes, got shape (4294967295, 4294967295, 4294967295)
  file: FOLDER/file
  at here)"},
    {"idx_gzip", [](auto &path) { load_idx(path); }, [] { return "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03garbage"s; },
     R"(
load_idx: expected valid gzip data, got: invalid block type
  file: FOLDER/file
  at here)"},

    {"npy_empty", [](auto &path) { load_npy(path); }, [] { return ""s; }, R"(
load_npy: expected 8 bytes of magic and version, got 0
  file: FOLDER/file
  at here)"},
    {"npy_magic", [](auto &path) { load_npy(path); }, [] { return "a text file"s; }, R"(
load_npy: expected the magic \x93NUMPY, got 'a text'
  file: FOLDER/file
  at here)"},
    {"npy_version", [](auto &path) { load_npy(path); }, [] { return npy("{}", "", 9); }, R"(
load_npy: expected version 1.0, 2.0 or 3.0, got 9.0
  file: FOLDER/file
  at here)"},
    {"npy_dtype", [](auto &path) { load_npy(path); },
     [] { return npy("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (3,), }", ""); }, R"(
load_npy: expected a dtype of |b1, |i1, <i2, <i4, <i8, |u1, <u2, <u4, <u8, <V1, <f1, <V2, <f2, <f4, <f8, <c8, <c16, got '<M8[s]'
  file: FOLDER/file
  at here)"},
    {"npy_objects", [](auto &path) { load_npy(path); },
     [] { return npy("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", ""); }, R"(
load_npy: expected numbers, got Python objects ('|O'): they are saved by pickle, which is not read because it may run any program
  file: FOLDER/file
  at here)"},
    {"npy_keys", [](auto &path) { load_npy(path); }, [] { return npy("{'descr': '<f4', 'shape': (3,), }", ""); }, R"(
load_npy: expected the keys 'descr', 'fortran_order', 'shape' in the header, got '{'descr': '<f4', 'shape': (3,), }                    ?'
  file: FOLDER/file
  at here)"},
    {"npy_shape", [](auto &path) { load_npy(path); },
     [] { return npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", ""); }, R"(
load_npy: expected sizes of at least 0, got shape (-1,)
  file: FOLDER/file
  at here)"},
    {"npy_overflow", [](auto &path) { load_npy(path); },
     [] { return npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", ""); }, R"(
load_npy: expected fewer than 2^63 bytes, got shape (4294967296, 4294967296)
  file: FOLDER/file
  at here)"},
    {"npy_data_cut", [](auto &path) { load_npy(path); },
     [] { return npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "12345678"); }, R"(
load_npy: expected 12 bytes of data for float32 (3,), got 8
  file: FOLDER/file
  at here)"},
    {"npy_axes", [](auto &path) { load_npy(path); },
     [] {
       return npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }", "1");
     },
     R"(
load_npy: expected at most 16 axes, got 17
  file: FOLDER/file
  at here)"},

    {"npz_empty", [](auto &path) { load_npz(path); }, [] { return ""s; }, R"(
load_npz: expected a zip archive of at least 22 bytes, got 0
  file: FOLDER/file
  at here)"},
    {"npz_not_an_archive", [](auto &path) { load_npz(path); }, [] { return std::string(100, 'x'); }, R"(
load_npz: expected the directory of a zip archive at the end, got none: the file is cut short, or is not .npz
  file: FOLDER/file
  at here)"},
    {"npz_directory", [](auto &path) { load_npz(path); }, [] { return "PK\5\6"s + std::string(15, '\0') + "\1\0\0"s; },
     R"(
load_npz: expected the archive's directory to end at byte 0, got 0 bytes from 16777216
  file: FOLDER/file
  at here)"},
    {"npz_damaged", [](auto &path) { load_npz(path); }, [] { return savedNpz(200, 'x'); }, R"(
load_npz: expected the checksum 0x4f5bb215, got 0x5589bad4: the file is damaged
  member: 'w.npy'
  file: FOLDER/file
  at here)"},
    {"npz_member", [](auto &path) { load_npz(path); }, [] { return savedNpz(70, 'x'); }, R"(
load_npz: expected the keys 'descr', 'fortran_order', 'shape' once each in the header, got 'desxr'
  member: 'w.npy'
  file: FOLDER/file
  at here)"},

    {"safetensors_empty", [](auto &path) { load_safetensors(path); }, [] { return ""s; }, R"(
load_safetensors: expected 8 bytes of header size, got 0
  file: FOLDER/file
  at here)"},
    {"safetensors_header_cut", [](auto &path) { load_safetensors(path); },
     [] { return safetensors("{", "").substr(0, 8); },
     R"(
load_safetensors: expected 1 bytes of header, got 0
  file: FOLDER/file
  at here)"},
    {"safetensors_no_json", [](auto &path) { load_safetensors(path); }, [] { return safetensors("{1}", ""); }, R"(
load_safetensors: expected a header in JSON, got something else at its byte 2
  file: FOLDER/file
  at here)"},
    {"safetensors_dtype", [](auto &path) { load_safetensors(path); },
     [] { return safetensors(R"({"x":{"dtype":"F8_E8M0","shape":[2],"data_offsets":[0,2]}})", "ab"); }, R"(
load_safetensors: expected a dtype of BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F8_E4M3, F8_E5M2, BF16, F16, F32, F64, C64, got 'F8_E8M0'
  tensor: 'x'
  file: FOLDER/file
  at here)"},
    {"safetensors_size", [](auto &path) { load_safetensors(path); },
     [] { return safetensors(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,2]}})", "ab"); }, R"(
load_safetensors: expected 8 bytes of data for float32 (2,), got 2
  tensor: 'x'
  file: FOLDER/file
  at here)"},
    {"safetensors_outside", [](auto &path) { load_safetensors(path); },
     [] { return safetensors(R"({"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "ab"); }, R"(
load_safetensors: expected data_offsets in the file's 2 bytes of data, got [0, 4]
  tensor: 'x'
  file: FOLDER/file
  at here)"},

    {"csv_no_number", [](auto &path) { load_csv(path); }, [] { return "1,2\n3,four\n"s; }, R"(
load_csv: line 2, column 2: expected a number, got 'four'
  file: FOLDER/file
  at here)"},
    {"csv_columns", [](auto &path) { load_csv(path); }, [] { return "1,2\n3\n"s; }, R"(
load_csv: line 2, column 1: expected 2 columns, as in the first row, got 1
  file: FOLDER/file
  at here)"},
    {"csv_missing", [](auto &path) { load_csv(path, {.dtype = i32}); }, [] { return "1,\n"s; }, R"(
load_csv: line 1, column 2: expected a number, got none, for which i32 has no value
  file: FOLDER/file
  at here)"},
    {"csv_delimiter", [](auto &path) { load_csv(path, {.delimiter = 'e'}); }, [] { return "1\n"s; }, R"(
load_csv: expected a delimiter that is part of no number, got 'e'
  file: FOLDER/file
  at here)"},

    {"trace_empty", [](auto &path) { loadTrace(path); }, [] { return ""s; }, R"(
cannot read the trace 'FOLDER/file': expected at least 48 bytes, got 0)"},
    {"trace_magic", [](auto &path) { loadTrace(path); }, [] { return std::string(100, 'x'); }, R"(
cannot read the trace 'FOLDER/file': it does not start with TNSAVED)"},
    {"trace_version", [](auto &path) { loadTrace(path); }, [] { return changed(savedTrace(), 8, 1); }, R"(
cannot read the trace 'FOLDER/file': expected version 2, got 1: another version of Tenon saved it)"},
    {"trace_cut", [](auto &path) { loadTrace(path); }, [] { return savedTrace().substr(0, 20); }, R"(
cannot read the trace 'FOLDER/file': expected at least 48 bytes, got 20)"},
    {"trace_damaged", [](auto &path) { loadTrace(path); }, [] { return changed(savedTrace(), 100, 'x'); }, R"(
cannot read the trace 'FOLDER/file': its checksum does not match: the file is damaged)"},
    {"trace_counts", [](auto &path) { loadTrace(path); }, [] { return changedTrace(5, -1); }, R"(
cannot read the trace 'FOLDER/file': corrupt trace: expected a count of bodies in [0, 24], got -1 (word 6))"},
    {"trace_input_type", [](auto &path) { loadTrace(path); }, [] { return changedTrace(14, 99); }, R"(
cannot read the trace 'FOLDER/file': corrupt trace: add: expected operands of one shape, got (99,) and (3,) (word 26))"},

    {"blob_empty", [](auto &path) { load_program(path); }, [] { return ""s; }, R"(
load_program: program blob: expected at least 64 bytes, got 0
  file: FOLDER/file
  at here)"},
    {"blob_magic", [](auto &path) { load_program(path); }, [] { return std::string(1000, 'x'); }, R"(
load_program: program blob: expected the magic TNBLOB\x00\x01, got 'xxxxxxxx'
  file: FOLDER/file
  at here)"},
    {"blob_cut", [](auto &path) { load_program(path); }, [] { return blob().substr(0, 200); }, R"(
load_program: program blob: expected 394 bytes, got 200
  file: FOLDER/file
  at here)"},
    {"blob_damaged", [](auto &path) { load_program(path); }, [] { return changed(blob(), 200, 'x'); }, R"(
load_program: program blob: it is damaged: its checksum does not match
  file: FOLDER/file
  at here)"},
    {"blob_schedule", [](auto &path) { load_program(path); }, [] { return blob(); }, R"(
load_program: schedule: at byte 0: expected another word, got the end
  file: FOLDER/file
  at here)"},
};

class Files : public testing::TestWithParam<Case> {};

/// The test's own folder, spelled FOLDER in the texts.
TEST_P(Files, Text) {
  const Case &test = GetParam();
  std::string folder = (fs::temp_directory_path() / "tenon-must-fail-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(folder.data()));
  std::string path = folder + "/file";
  write(path, test.bytes());
  std::string got = errorOf([&] { test.run(path); }, test.name, __FILE__);
  fs::remove_all(folder);
  for (size_t at; (at = got.find(folder)) != std::string::npos;)
    got.replace(at, folder.size(), "FOLDER");
  EXPECT_EQ(got, body(test.text));
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(MustFail, Files, testing::ValuesIn(cases), nameOf);

TEST(MustFail, FilesThatAreNotThere) {
  std::string text = "expected a readable file, got: No such file or directory\n  file: /nowhere/x";
  EXPECT_EQ(errorOf([] { load_idx("/nowhere/x", {}); }, "", __FILE__), "load_idx: " + text);
  EXPECT_EQ(errorOf([] { load_npy("/nowhere/x", {}); }, "", __FILE__), "load_npy: " + text);
  EXPECT_EQ(errorOf([] { load_npz("/nowhere/x", {}); }, "", __FILE__), "load_npz: " + text);
  EXPECT_EQ(errorOf([] { load_safetensors("/nowhere/x", {}); }, "", __FILE__), "load_safetensors: " + text);
  EXPECT_EQ(errorOf([] { load_csv("/nowhere/x", {}, {}); }, "", __FILE__), "load_csv: " + text);
  EXPECT_EQ(errorOf([] { load_program("/nowhere/x", {}); }, "", __FILE__), "load_program: " + text);
  EXPECT_EQ(errorOf([] { loadTrace("/nowhere/x"); }, "", __FILE__), "trace: " + text);
}

/// A file that claims more than there is, all holes behind its start: it takes no
/// place on the disk, and must take none in memory.
class SparseFiles : public testing::Test {
protected:
  SparseFiles() {
    std::string name = (fs::temp_directory_path() / "tenon-sparse-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ / "file";
  }
  ~SparseFiles() override { fs::remove_all(folder_); }

  static constexpr uint64_t huge = uint64_t(1) << 40;

  /// A .npy file of `size` bytes of elements, its header alone written.
  static std::string npyStart(uint64_t size) {
    return npy("{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(size) + ",), }", "");
  }
  /// `size` is a multiple of 2^16.
  static std::string idxStart(uint64_t size) {
    std::string file = "\x00\x00\x08\x02"s;
    for (uint64_t dim : {uint64_t(1) << 16, size >> 16})
      for (int shift = 24; shift >= 0; shift -= 8)
        file += static_cast<char>(dim >> shift);
    return file;
  }
  static std::string blobStart(uint64_t size) {
    std::string file = blob().substr(0, sizeof(rt::BlobHeader));
    std::memcpy(file.data() + offsetof(rt::BlobHeader, totalSize), &size, sizeof size);
    return file;
  }
  static std::string traceStart(uint64_t size) {
    std::string file = savedTrace().substr(0, packedHeaderBytes);
    const uint64_t parts[] = {size - packedHeaderBytes, 0};
    std::memcpy(file.data() + packedHeaderBytes - sizeof parts, parts, sizeof parts);
    return file;
  }

  /// What `load` says of a file of `size` bytes that starts so. It must have read
  /// little more than the start.
  std::string errorOf(const std::string &start, uint64_t size, void (*load)(const std::string &path)) {
    write(path_, start);
    fs::resize_file(path_, size);
    rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    std::string text = "no error";
    try {
      load(path_);
    } catch (const Error &error) {
      text = error.message();
    }
    getrusage(RUSAGE_SELF, &after);
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10) << "kilobytes for " << text;
    return text;
  }
  static void npyFile(const std::string &path) { load_npy(path); }
  static void idxFile(const std::string &path) { load_idx(path); }
  static void npzFile(const std::string &path) { load_npz(path); }
  static void csvFile(const std::string &path) { load_csv(path); }
  static void safetensorsFile(const std::string &path) { load_safetensors(path); }
  static void programFile(const std::string &path) { load_program(path); }
  static void traceFile(const std::string &path) { loadTrace(path); }

  fs::path folder_;
  std::string path_;
};

TEST_F(SparseFiles, OfNothingButHoles) {
  EXPECT_THAT(errorOf("", huge, npyFile), HasSubstr("npy: expected the magic"));
  EXPECT_THAT(errorOf("", huge, idxFile), HasSubstr("idx: expected type 0x08"));
  EXPECT_THAT(errorOf("\x1f\x8b", huge, idxFile), HasSubstr("idx: expected valid gzip data"));
  EXPECT_THAT(errorOf("", huge, npzFile), HasSubstr("expected the directory of a zip archive at the end, got none"));
  EXPECT_THAT(errorOf("", huge, safetensorsFile), HasSubstr("expected a header that starts with '{', got ''"));
  EXPECT_THAT(errorOf("\xff\xff\xff\xff"s, huge, safetensorsFile),
              HasSubstr("expected at most 100000000 bytes of header, got 4294967295"));
  EXPECT_THAT(errorOf("", huge, programFile), HasSubstr("program blob: expected the magic"));
  EXPECT_THAT(errorOf("", huge, traceFile), HasSubstr("it does not start with TNSAVED"));
  EXPECT_THAT(errorOf("\x93NUMPY\x02\x00\xff\xff\xff\x7f"s, huge, npyFile),
              HasSubstr("npy: expected at most 65535 bytes of header, got 2147483647"));
}

TEST_F(SparseFiles, ThatAreAsLongAsTheySay) {
  auto refused = testing::MatchesRegex("[a-z_]+: expected at most the [0-9]+ bytes of this machine's memory, got "
                                       "10995[0-9]+ bytes");
  EXPECT_THAT(errorOf(npyStart(huge), npyStart(huge).size() + huge, npyFile), refused);
  EXPECT_THAT(errorOf(idxStart(huge), idxStart(huge).size() + huge, idxFile), refused);
  EXPECT_THAT(errorOf("1,2\n", huge, csvFile), refused);
  EXPECT_THAT(errorOf(blobStart(huge), huge, programFile), refused);
  EXPECT_THAT(errorOf(traceStart(huge), huge, traceFile), refused);
}

/// What fits the machine counts like any other memory.
TEST_F(SparseFiles, AreCountedByTheMemoryLimit) {
  constexpr uint64_t size = uint64_t(512) << 20;
  rt::setMemoryLimit(uint64_t(256) << 20);
  EXPECT_THAT(errorOf(npyStart(size), npyStart(size).size() + size, npyFile),
              HasSubstr("cannot allocate u8[536870912]: memory limit reached"));
  EXPECT_THAT(errorOf(idxStart(size), idxStart(size).size() + size, idxFile),
              HasSubstr("cannot allocate u8[65536, 8192]: memory limit reached"));
  EXPECT_THAT(errorOf("1,2\n", size, csvFile), HasSubstr("cannot read 536870912 bytes: memory limit reached"));
  EXPECT_THAT(errorOf(blobStart(size), size, programFile),
              HasSubstr("program: cannot read 536870912 bytes: memory limit reached"));
  EXPECT_THAT(errorOf(traceStart(size), size, traceFile),
              HasSubstr("trace: cannot read 536870912 bytes: memory limit reached"));
  rt::setMemoryLimit(0);
}

/// What is written names its line as well.
TEST(MustFail, FilesThatCannotBeWritten) {
  Lowered lowered = jit([](const Array &x) { return x + 1; }).lower(ones({3}));
  auto expectHere = [](const std::string &got, const std::string &what, int line) {
    std::string text = what + ": cannot create a file: No such file or directory\n  file: /nowhere/x\n  at " +
                       std::string(__FILE__) + ":" + std::to_string(line) + ":";
    EXPECT_TRUE(got.starts_with(text)) << got;
  };
  auto textOf = [](auto &&program) {
    try {
      program();
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  expectHere(textOf([&] { lowered.save_trace("/nowhere/x"); }), "save_trace", __LINE__);
  if (!detail::compilerPath().empty())
    expectHere(textOf([&] { lowered.save_blob("/nowhere/x"); }), "save_blob", __LINE__);
  expectHere(textOf([&] { save_npy("/nowhere/x", ones({3})); }), "save_npy", __LINE__);
  expectHere(textOf([&] { save_npz("/nowhere/x", {{"x", ones({3})}}); }), "save_npz", __LINE__);
  expectHere(textOf([&] { save_safetensors("/nowhere/x", {{"x", ones({3})}}); }), "save_safetensors", __LINE__);
  expectHere(textOf([&] { save_csv("/nowhere/x", ones({3})); }), "save_csv", __LINE__);
}

//===----------------------------------------------------------------------===//
// Settings are read once, so each is tried in a new process.
//===----------------------------------------------------------------------===//

/// What `program` says, run anew with `variable` set.
void expectError(const char *variable, const char *value, void (*program)(),
                 const testing::Matcher<const std::string &> &text) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv(variable, value, 1);
  EXPECT_EXIT(
      {
        std::string got = errorOf(program, "", __FILE__);
        std::fputs(got.c_str(), stderr);
        std::exit(0);
      },
      testing::ExitedWithCode(0), text);
  unsetenv(variable);
}

TEST(Settings, MemoryLimit) {
  expectError(
      "TENON_MEMORY_LIMIT", "64M", [] { (void)full({1 << 26}, 1.0f, {}, {}, {}); },
      testing::MatchesRegex(
          "full: cannot allocate f32.67108864.: memory limit reached: expected at most 67108864 bytes in "
          "use, got [0-9]+ in use and 268435456 more wanted"));
}

TEST(Settings, MemoryLimitThatIsNoSize) {
  expectError(
      "TENON_MEMORY_LIMIT", "lots", [] { (void)full({1 << 26}, 1.0f, {}, {}, {}); },
      "full: cannot allocate f32[67108864]: TENON_MEMORY_LIMIT: expected a positive number of bytes with an optional "
      "suffix K, M or G, got \"lots\"");
}

/// Also where a small block is refused, that of a view or of a traced value.
TEST(Settings, MemoryLimitOfSmallBlocks) {
  testing::Matcher<const std::string &> view =
      testing::MatchesRegex("(concatenate: )?cannot allocate f32.[23].: memory limit reached: expected at most 1024 "
                            "bytes in use, got [0-9]+ in use and "
                            "[0-9]+ more wanted\n  at elsewhere");
  expectError(
      "TENON_MEMORY_LIMIT", "1K",
      [] {
        Array x = {1.0f, 2.0f, 3.0f};
        for (std::vector<Array> all;; all.push_back(x))
          x = slice(concatenate({x}), {0}, {2});
      },
      view);
  testing::Matcher<const std::string &> traced = testing::MatchesRegex(
      "cannot allocate a traced f32.3.: memory limit reached: expected at most 1024 bytes in use, got [0-9]+ in use "
      "and [0-9]+ more wanted\n  at elsewhere");
  expectError(
      "TENON_MEMORY_LIMIT", "1K",
      [] {
        jit([](const Array &x) {
          std::vector<Array> all;
          for (;;)
            all.push_back(x + x);
          return x;
        })(Array({1.0f, 2.0f, 3.0f}));
      },
      traced);
  testing::Matcher<const std::string &> inside =
      testing::MatchesRegex("random::normal: cannot allocate u32.2000.: memory limit reached: .*\n  at elsewhere");
  expectError("TENON_MEMORY_LIMIT", "1K", [] { (void)random::normal(random::key(0), {2000}); }, inside);
}

/// Where the default serves, a line on standard error says so; once, and in a
/// program that shares no work between threads, too.
TEST(Settings, AWrongValueIsSaid) {
  auto once = [](const char *line) {
    return testing::ResultOf([line](const std::string &text) { return text.find(line) == text.rfind(line); },
                             testing::IsTrue());
  };
  for (auto [variable, value, line] :
       {std::tuple("TENON_NUM_THREADS", "abc",
                   "tenon: TENON_NUM_THREADS: expected a number from 1 to 1024, got 'abc'\n"),
        {"TENON_NUM_THREADS", "0", "tenon: TENON_NUM_THREADS: expected a number from 1 to 1024, got '0'\n"},
        {"TENON_ISA", "v9", "tenon: TENON_ISA: expected v3 or v4, got 'v9'\n"}}) {
    auto program = [] {
      Array x = zeros({2}) + 1.0f;
      Array y = matmul(zeros({300, 300}), zeros({300, 300}));
    };
    expectError(variable, value, program, testing::AllOf(testing::HasSubstr(line), once(line)));
  }
}

TEST(Settings, CacheBytesThatAreNoSize) {
  expectError(
      "TENON_CACHE_BYTES", "lots",
      [] { jit([](const Array &x) { return x + 1; }, {.compile = Compile::never})(Array({1.0f, 2.0f})); },
      "TENON_CACHE_BYTES: expected a number of bytes such as 256M, got \"lots\"\n  at elsewhere");
}
} // namespace

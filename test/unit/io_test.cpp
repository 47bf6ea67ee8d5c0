//===- io_test.cpp - .npy and IDX files -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"
#include "test/unit/Goldens.h"

#include "lib/io/Idx.h"
#include "lib/io/Npy.h"

#include <tenon/error.h>
#include <tenon/io.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <set>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::testing;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// The system's calls, which the archive's code takes from this program
//===----------------------------------------------------------------------===//

/// What a test wants of them.
static int interruptions = 0, filesSynced = 0, foldersSynced = 0;
static bool isFull = false;     // the disk
static std::string lastWritten; // the file that was synced last

static bool isInterrupted() {
  if (interruptions <= 0)
    return false;
  --interruptions;
  errno = EINTR;
  return true;
}

extern "C" ssize_t read(int file, void *to, size_t size) {
  return isInterrupted() ? -1 : syscall(SYS_read, file, to, size);
}
extern "C" ssize_t write(int file, const void *from, size_t size) {
  if (isInterrupted())
    return -1;
  if (isFull) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_write, file, from, size);
}
extern "C" int fsync(int file) {
  struct stat info;
  if (fstat(file, &info) == 0)
    ++(S_ISDIR(info.st_mode) ? foldersSynced : filesSynced);
  std::error_code none;
  if (fs::path name = fs::read_symlink("/proc/self/fd/" + std::to_string(file), none); !none && S_ISREG(info.st_mode))
    lastWritten = name.string();
  return static_cast<int>(syscall(SYS_fsync, file));
}

namespace {
struct Golden {
  std::string kind, name, label, file, data;
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> dims;
  bool npy() const { return kind != "idx"; }
};

/// Dense elements, row-major.
struct HostArray {
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> dims;
  std::vector<std::byte> data;
};

HostArray readWith(void (*read)(const std::string &, const MakeRoom &), const std::string &path) {
  HostArray array;
  read(path, [&](Dtype dtype, std::span<const int64_t> dims) {
    size_t size = item_size(dtype);
    for (int64_t dim : dims)
      size *= static_cast<size_t>(dim);
    array = {dtype, {dims.begin(), dims.end()}, std::vector<std::byte>(size)};
    return array.data.data();
  });
  return array;
}
HostArray readNpy(const std::string &path) { return readWith(detail::readNpy, path); }

class Io : public ScratchFile {
protected:
  HostArray read(bool npy) const { return npy ? readNpy(path_) : readWith(readIdx, path_); }

  std::string errorOf(bool npy) const {
    return ScratchFile::errorOf([&] { read(npy); });
  }
  std::string errorOf(bool npy, const std::string &bytes) {
    put(bytes);
    return errorOf(npy);
  }
  std::string npyError(const std::string &bytes) { return errorOf(true, bytes); }
  std::string idxError(const std::string &bytes) { return errorOf(false, bytes); }
};
} // namespace

/// The lines of io_goldens.py.
static const std::vector<Golden> &goldens() {
  static const std::vector<Golden> all = [] {
    std::vector<Golden> result;
    std::istringstream in = test::numpyGoldens("io_goldens.py");
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string dtype, dims, file, data;
      Golden golden;
      words >> golden.kind >> golden.name >> dtype >> dims >> file >> data;
      golden.label = golden.kind + "/" + golden.name + "/" + dtype + "/" + dims;
      golden.dtype = dtypeNamed(dtype);
      golden.dims = dimsNamed(dims);
      golden.file = fromHex(file);
      golden.data = fromHex(data);
      result.push_back(golden);
    }
    return result;
  }();
  return all;
}

static std::vector<int64_t> denseStrides(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * dims[i];
  return strides;
}

static std::string text(const std::vector<std::byte> &data) {
  return {reinterpret_cast<const char *>(data.data()), data.size()};
}

TEST_F(Io, ReadsAndRepeatsNumPysFiles) {
  const std::vector<Golden> &all = goldens();
  ASSERT_GT(all.size(), 100u);
  for (const Golden &golden : all) {
    SCOPED_TRACE(golden.label);
    put(golden.file);
    HostArray array = read(golden.npy());
    EXPECT_EQ(array.dtype, golden.dtype);
    EXPECT_EQ(array.dims, golden.dims);
    EXPECT_EQ(text(array.data), golden.data);
    if (golden.kind != "npy-same")
      continue;
    fs::remove(path_);
    writeNpy(path_, {golden.data.data(), golden.dtype, golden.dims, denseStrides(golden.dims)});
    EXPECT_EQ(get(), golden.file);
  }
}

TEST_F(Io, TruncationAtEveryByteIsAnError) {
  for (const Golden &golden : goldens()) {
    put(golden.file);
    for (size_t length = golden.file.size(); length-- > 0;) {
      fs::resize_file(path_, length);
      std::string error = errorOf(golden.npy());
      ASSERT_NE(error.find("\n  file: PATH"), std::string::npos) << golden.label << " at " << length << ": " << error;
      ASSERT_NE(error.find("expected"), std::string::npos) << error;
    }
    EXPECT_NE(errorOf(golden.npy(), golden.file + 'x'), "no error") << golden.label;
  }
}

TEST_F(Io, FlippedBytesNeverCrash) {
  std::mt19937 random(7);
  const std::vector<Golden> &all = goldens();
  int refused = 0, read = 0;
  for (size_t round = 0; round < all.size() * 160; ++round) {
    const Golden &golden = all[round / 160];
    if (round % 160 == 0)
      put(golden.file);
    std::string bytes = golden.file;
    for (int flips = 1 + random() % 3; flips > 0; --flips) {
      // Half of them in the first bytes, where sizes and types are.
      size_t range = random() % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 80);
      bytes[random() % range] = static_cast<char>(random());
    }
    // In place: emptying the file first costs a millisecond.
    std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << bytes;
    try {
      HostArray array = this->read(golden.npy());
      int64_t size = static_cast<int64_t>(item_size(array.dtype));
      for (int64_t dim : array.dims)
        size *= dim;
      ASSERT_EQ(static_cast<size_t>(size), array.data.size());
      ++read;
    } catch (const Error &error) {
      ASSERT_NE(std::string(error.what()).find("\n  file: " + path_), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 1000);
}

TEST_F(Io, OfOneByteAnyMarkWillDo) {
  const int8_t data[] = {1, -2};
  const int64_t dims[] = {2}, strides[] = {1};
  writeNpy(path_, {data, i8, dims, strides});
  const std::string bytes = get();
  const size_t at = bytes.find("|i1");
  ASSERT_NE(at, std::string::npos);
  for (char mark : {'<', '>', '=', '|'}) {
    put(std::string(bytes).replace(at, 1, 1, mark));
    EXPECT_EQ(readNpy(path_).dtype, i8) << mark;
  }
  EXPECT_NE(npyError(std::string(bytes).replace(at, 1, "!")), "no error");
}

TEST_F(Io, WritesAnyStrides) {
  int32_t data[24];
  std::iota(data, data + 24, 0);
  // Transposed, reversed, every second, broadcast.
  int64_t dims[] = {3, 2, 2, 2}, strides[] = {-1, 6, 12, 0};
  writeNpy(path_, {data + 2, i32, dims, strides});
  HostArray array = readNpy(path_);
  EXPECT_EQ(array.dims, (std::vector<int64_t>{3, 2, 2, 2}));
  std::vector<int32_t> got(24), expected;
  ASSERT_EQ(array.data.size(), sizeof(data));
  std::memcpy(got.data(), array.data.data(), sizeof(data));
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 2; ++c)
        for (int d = 0; d < 2; ++d)
          expected.push_back(2 - a + 6 * b + 12 * c + 0 * d);
  EXPECT_EQ(got, expected);
}

TEST_F(Io, WritingReplacesTheFileAndLeavesNothingElse) {
  float one = 1;
  put("old");
  writeNpy(path_, {&one, f32, {}, {}});
  EXPECT_EQ(text(readNpy(path_).data), std::string("\0\0\x80?", 4));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);

  // A folder by that name: the rename fails, the temporary file goes.
  fs::remove(path_);
  fs::create_directories(path_ + "/inside");
  EXPECT_THROW(writeNpy(path_, {&one, f32, {}, {}}), Error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_THROW(writeNpy((folder_ / "missing" / "file").string(), {&one, f32, {}, {}}), Error);
}

TEST_F(Io, RemovesWhatAKilledWriterLeft) {
  float one = 1;
  auto names = [&] {
    std::set<std::string> all;
    for (const auto &file : fs::directory_iterator(folder_))
      all.insert(file.path().filename().string());
    return all;
  };
  for (const char *left : {".tmp-0", ".tmp-5"})
    std::ofstream(path_ + left) << "half";
  fs::create_symlink(path_, path_ + ".tmp-1"); // no file that a writer made
  writeNpy(path_, {&one, f32, {}, {}});
  EXPECT_EQ(names(), (std::set<std::string>{"file", "file.tmp-1"}));
  // A living writer's file stays.
  OutputFile slow("save", path_);
  slow.write(std::as_bytes(std::span("slow", 4)));
  writeNpy(path_, {&one, f32, {}, {}});
  EXPECT_EQ(names(), (std::set<std::string>{"file", "file.tmp-0", "file.tmp-1"}));
  slow.commit();
  EXPECT_EQ(get(), "slow");
  EXPECT_EQ(names(), (std::set<std::string>{"file", "file.tmp-1"}));
}

TEST_F(Io, WritingLasts) {
  float one = 1;
  filesSynced = foldersSynced = 0;
  writeNpy(path_, {&one, f32, {}, {}});
  EXPECT_EQ(filesSynced, 1) << "before the rename, or a crash leaves an empty file";
  EXPECT_EQ(foldersSynced, 1) << "after it";
}

TEST_F(Io, InterruptedCallsGoOn) {
  float one = 1;
  interruptions = 3;
  writeNpy(path_, {&one, f32, {}, {}});
  EXPECT_EQ(interruptions, 0);
  interruptions = 3;
  EXPECT_EQ(text(readNpy(path_).data), std::string("\0\0\x80?", 4));
  EXPECT_EQ(interruptions, 0);
}

TEST_F(Io, WhatCannotBeWrittenLeavesTheOldFileAlone) {
  float one = 1;
  put("old");
  isFull = true;
  EXPECT_THROW(writeNpy(path_, {&one, f32, {}, {}}), Error);
  isFull = false;
  EXPECT_EQ(get(), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Io, WritingFollowsNoLinkThatSomebodyHasPlanted) {
  float one = 1;
  writeNpy(path_, {&one, f32, {}, {}});
  const size_t dash = lastWritten.rfind('-');
  ASSERT_NE(dash, std::string::npos) << lastWritten;
  const int number = std::stoi(lastWritten.substr(dash + 1));
  const std::string victim = (folder_ / "victim").string();
  std::ofstream(victim) << "untouched";
  for (int next = number + 1; next <= number + 3; ++next)
    fs::create_symlink("victim", lastWritten.substr(0, dash + 1) + std::to_string(next));
  writeNpy(path_, {&one, f32, {}, {}});
  EXPECT_EQ(fs::file_size(victim), 9u);
  EXPECT_FALSE(fs::is_symlink(path_));
}

TEST_F(Io, ArraysHaveFewerAxesThanFilesMay) {
  float one = 1;
  const std::vector<int64_t> dims(17, 1), strides(17, 1);
  writeNpy(path_, {&one, f32, dims, strides});
  EXPECT_EQ(readNpy(path_).dims.size(), 17u);
  try {
    load_npy(path_);
    ADD_FAILURE() << "an array of 17 axes";
  } catch (const Error &error) {
    EXPECT_EQ(error.message(), "load_npy: expected at most 16 axes, got 17");
    EXPECT_NE(std::string(error.what()).find("\n  file: " + path_), std::string::npos);
  }
}

/// numpy.save pads a header of 128 bytes to 192.
TEST_F(Io, PadsAHeaderThatEndsOn64BytesAsNumPy) {
  float one = 1;
  for (auto [rank, header] : {std::pair(14, 128u), {15, 192u}, {16, 192u}}) {
    const std::vector<int64_t> ones(size_t(rank), 1);
    writeNpy(path_, {&one, f32, ones, ones});
    EXPECT_EQ(get().size(), header + sizeof one) << rank;
    EXPECT_EQ(readNpy(path_).dims, ones);
  }
}

TEST_F(Io, WritingKeepsLinksAndPipes) {
  float one = 1;
  fs::path link = folder_ / "link";
  put("old");
  fs::create_symlink("file", link);
  writeNpy(link.string(), {&one, f32, {}, {}});
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text(readNpy(path_).data), std::string("\0\0\x80?", 4));

  // What is no file is written to, not replaced by one.
  fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  writeNpy(pipe.string(), {&one, f32, {}, {}});
  std::string got(256, ' ');
  ssize_t count = ::read(reader, got.data(), got.size());
  close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
  ASSERT_EQ(count, static_cast<ssize_t>(fs::file_size(path_)));
  EXPECT_EQ(got.substr(static_cast<size_t>(count) - 4, 4), std::string("\0\0\x80?", 4));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 3);
}

TEST_F(Io, WritingThroughALinkCreatesItsTarget) {
  float one = 1;
  fs::create_directory(folder_ / "inner");
  fs::create_symlink("file", folder_ / "inner" / "second");
  fs::create_symlink("inner/second", folder_ / "first");
  writeNpy((folder_ / "first").string(), {&one, f32, {}, {}});
  EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "inner" / "second"));
  EXPECT_EQ(text(readNpy((folder_ / "inner" / "file").string()).data), std::string("\0\0\x80?", 4));
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(folder_), fs::recursive_directory_iterator()), 4);

  fs::create_symlink(path_, folder_ / "absolute");
  writeNpy((folder_ / "absolute").string(), {&one, f32, {}, {}});
  EXPECT_TRUE(fs::is_symlink(folder_ / "absolute"));
  EXPECT_TRUE(fs::is_regular_file(path_));

  // A link in the working folder has no folder in its name.
  fs::path before = fs::current_path();
  fs::current_path(folder_ / "inner");
  fs::create_symlink("local", "link");
  writeNpy("link", {&one, f32, {}, {}});
  fs::current_path(before);
  EXPECT_TRUE(fs::is_symlink(folder_ / "inner" / "link"));
  EXPECT_TRUE(fs::is_regular_file(folder_ / "inner" / "local"));
}

TEST_F(Io, LinksThatLeadNowhereAreAnError) {
  auto message = [](const fs::path &path) -> std::string {
    float one = 1;
    try {
      writeNpy(path.string(), {&one, f32, {}, {}});
    } catch (const Error &error) {
      return error.what();
    }
    return "no error";
  };
  fs::path circle = folder_ / "circle", lost = folder_ / "lost";
  fs::create_symlink("circle", circle);
  fs::create_symlink("missing/file", lost);
  EXPECT_EQ(message(circle),
            "save_npy: cannot create a file: Too many levels of symbolic links\n  file: " + circle.string());
  EXPECT_EQ(message(lost), "save_npy: cannot create a file: No such file or directory\n  file: " + lost.string());
  EXPECT_TRUE(fs::is_symlink(circle) && fs::is_symlink(lost));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(Io, WhatIsNoFileIsAnError) {
  auto message = [&](const fs::path &path) -> std::string {
    try {
      readNpy(path.string());
    } catch (const Error &error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(path_), "load_npy: expected a readable file, got: No such file or directory\n  file: " + path_);
  EXPECT_EQ(message(folder_), "load_npy: expected a regular file, got a directory\n  file: " + folder_.string());
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(message(path_), "load_npy: expected a regular file, got something else\n  file: " + path_);
}

/// A version 1.0 file with this dictionary.
static std::string npy(const std::string &dictionary, const std::string &data) {
  std::string length = {static_cast<char>(dictionary.size()), static_cast<char>(dictionary.size() >> 8)};
  return "\x93NUMPY" + std::string("\1\0", 2) + length + dictionary + data;
}

TEST_F(Io, NpyErrorsSayWhatWasExpectedAndFound) {
  const std::string end = "\n  file: PATH";
  auto with = [](const std::string &shape) {
    return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
  };
  EXPECT_EQ(npyError(npy(with("(2,)"), "12345678")), "no error");
  EXPECT_EQ(npyError(npy(with("(2L, 1L)"), "12345678")), "no error");
  EXPECT_EQ(npyError(npy("{\"shape\":(2,),'fortran_order':True,\n 'descr':'<f4',} \n", "12345678")), "no error");

  EXPECT_EQ(npyError("PK\3\4abcdefgh"), "load_npy: expected the magic \\x93NUMPY, got 'PK\?\?ab'" + end);
  EXPECT_EQ(npyError(""), "load_npy: expected 8 bytes of magic and version, got 0" + end);
  EXPECT_EQ(npyError("\x93NUMPY\4" + std::string(20, '\0')),
            "load_npy: expected version 1.0, 2.0 or 3.0, got 4.0" + end);
  EXPECT_EQ(npyError("\x93NUMPY\2" + std::string("\0\xff\xff\xff\xff  ", 7)),
            "load_npy: expected 4294967295 bytes of header, got 2" + end);
  EXPECT_EQ(npyError(npy(with("(3,)"), "12345678")),
            "load_npy: expected 12 bytes of data for float32 (3,), got 8" + end);
  EXPECT_EQ(npyError(npy(with("(1,)"), "12345678")),
            "load_npy: expected 4 bytes of data for float32 (1,), got 8" + end);
  EXPECT_EQ(npyError(npy(with("(4294967296, 4294967296)"), "")),
            "load_npy: expected fewer than 2^63 bytes, got shape (4294967296, 4294967296)" + end);
  EXPECT_EQ(npyError(npy(with("(0, 9223372036854775807)"), "")),
            "load_npy: expected fewer than 2^63 bytes, got shape (0, 9223372036854775807)" + end);
  EXPECT_EQ(npyError(npy(with("(-2,)"), "")), "load_npy: expected sizes of at least 0, got shape (-2,)" + end);
  EXPECT_EQ(npyError(npy(with("(9223372036854775808,)"), "")),
            "load_npy: expected a size below 2^63 in the header, got '9223372036854775808,)}'" + end);
  EXPECT_EQ(npyError(npy(with("(2)"), "12345678")),
            "load_npy: expected ',' after the only size in the header, got ')}'" + end);
  std::string many = "(";
  for (int i = 0; i < 65; ++i)
    many += "1,";
  EXPECT_EQ(npyError(npy(with(many + ")"), "1234")),
            "load_npy: expected at most 64 sizes in 'shape' in the header, got more" + end);
  auto of = [](const std::string &dtype) {
    return npy("{'descr': '" + dtype + "', 'fortran_order': False, 'shape': ()}", "1234");
  };
  EXPECT_EQ(npyError(of(">i4")), "no error");
  for (const char *dtype : {">V2", ">U1", "<U1", "<M8[s]", "<f16"})
    EXPECT_EQ(npyError(of(dtype)),
              "load_npy: expected a dtype of |b1, |i1, <i2, <i4, <i8, |u1, <u2, <u4, <u8, <V1, <f1, <V2, <f2, <f4, "
              "<f8, <c8, <c16, got '" +
                  std::string(dtype) + "'" + end)
        << dtype;
  EXPECT_EQ(npyError(of("|O")),
            "load_npy: expected numbers, got Python objects ('|O'): they are saved by pickle, which "
            "is not read because it may run any program" +
                end);
  EXPECT_EQ(npyError(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': ()}", "1234")),
            "load_npy: expected a dtype of |b1, |i1, <i2, <i4, <i8, |u1, <u2, <u4, <u8, <V1, <f1, <V2, <f2, <f4, <f8, "
            "<c8, <c16, got '[('x', '<f4')]'" +
                end);
  EXPECT_EQ(npyError(npy("{'descr': '<f4', 'shape': ()}", "1234")),
            "load_npy: expected the keys 'descr', 'fortran_order', 'shape' in the header, got '{'descr': '<f4', "
            "'shape': ()}'" +
                end);
  EXPECT_EQ(npyError(npy("{'descr': '<f4', 'descr': '<f4'}", "1234")),
            "load_npy: expected the keys 'descr', 'fortran_order', 'shape' once each in the header, got 'descr'" + end);
  EXPECT_EQ(npyError(npy("{'fortran_order': 0}", "")),
            "load_npy: expected True or False for 'fortran_order' in the header, got '0}'" + end);
  EXPECT_EQ(npyError(npy(with("()") + "x", "1234")),
            "load_npy: expected the end of the header in the header, got 'x'" + end);
  EXPECT_EQ(npyError(npy("{'descr'", "")), "load_npy: expected ':' in the header, got its end" + end);
  EXPECT_EQ(npyError(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", std::string("\0\1\7", 3))),
            "load_npy: expected bools of 0 or 1, got 7 in element 2" + end);
}

TEST_F(Io, IdxIsFoundCompressed) {
  auto firstOf = [&] {
    const HostArray array = read(false);
    return static_cast<char>(array.data[0]);
  };
  auto writeGz = [&](const std::string &bytes) {
    const gzFile file = gzopen((path_ + ".gz").c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
  };
  writeGz(std::string("\0\0\x08\1\0\0\0\1a", 9));
  EXPECT_EQ(firstOf(), 'a');
  put(std::string("\0\0\x08\1\0\0\0\1b", 9)); // the file itself comes first
  EXPECT_EQ(firstOf(), 'b');
  fs::remove(path_);
  writeGz("none");
  EXPECT_EQ(errorOf(false), "load_idx: expected two zero bytes at the start, got 0x6e 0x6f\n  file: PATH.gz");
  fs::remove(path_ + ".gz");
  EXPECT_EQ(errorOf(false), "load_idx: expected a readable file, got: No such file or directory\n  file: PATH");
}

TEST_F(Io, IdxErrorsSayWhatWasExpectedAndFound) {
  const std::string end = "\n  file: PATH", good("\0\0\x08\1\0\0\0\3abc", 11);
  EXPECT_EQ(idxError(good), "no error");
  EXPECT_EQ(idxError(good + "de"), "load_idx: expected the end of the file, got 2 more bytes" + end);
  EXPECT_EQ(idxError(good.substr(0, 10)), "load_idx: expected 3 bytes of data for uint8 (3,), got at most 2" + end);
  EXPECT_EQ(idxError(good.substr(0, 6)), "load_idx: expected 4 bytes of size 0 of 1, got 2" + end);
  EXPECT_EQ(idxError("P5 12345678"), "load_idx: expected two zero bytes at the start, got 0x50 0x35" + end);
  EXPECT_EQ(idxError(std::string("\0\0\x0a\1\0\0\0\1ab", 10)),
            "load_idx: expected type 0x08 (u8), 0x09 (i8), 0x0b (i16), 0x0c (i32), 0x0d (f32) or 0x0e (f64), got 0x0a" +
                end);
  EXPECT_EQ(idxError(std::string("\0\0\x0e\2\xff\xff\xff\xff\xff\xff\xff\xff", 12)),
            "load_idx: expected fewer than 2^63 bytes, got shape (4294967295, 4294967295)" + end);
  for (const Golden &golden : goldens()) {
    if (golden.name != "gzip" || golden.dtype != Dtype::u8 || golden.dims.size() != 1)
      continue;
    std::string bytes = golden.file;
    EXPECT_EQ(idxError(bytes + "xyz"), "load_idx: expected valid gzip data, got: incorrect header check" + end);
    bytes[bytes.size() - 8] = static_cast<char>(bytes[bytes.size() - 8] ^ 1);
    EXPECT_EQ(idxError(bytes), "load_idx: expected valid gzip data, got: incorrect data check" + end);
    EXPECT_EQ(idxError(golden.file.substr(0, 20)),
              "load_idx: expected the end of the gzip data, got the end of the file" + end);
    EXPECT_EQ(idxError(golden.file + golden.file), "load_idx: expected the end of the file, got more data" + end);
  }
}

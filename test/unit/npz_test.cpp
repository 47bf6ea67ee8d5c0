//===- npz_test.cpp - .npz files -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SampleArrays.h"
#include "ScratchFile.h"
#include "test/unit/LogLines.h"

#include "lib/io/Npy.h"
#include "lib/io/Npz.h"
#include "lib/io/Zip.h"
#include "lib/io/ZipFormat.h"

#include <tenon/io.h>
#include <tenon/program.h>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <zlib.h>

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::testing;
namespace fs = std::filesystem;

/// Calls of write() until this process is killed; 0: it is not.
static int callsUntilDeath = 0;
/// Large writes leave a hole: what they write is zeros.
static bool writesHoles = false;

extern "C" ssize_t write(int file, const void *from, size_t size) {
  if (callsUntilDeath > 0 && --callsUntilDeath == 0)
    raise(SIGKILL);
  if (writesHoles && size >= 1 << 20)
    return lseek(file, static_cast<off_t>(size), SEEK_CUR) < 0 ? -1 : static_cast<ssize_t>(size);
  return syscall(SYS_write, file, from, size);
}

namespace {
class Npz : public ScratchFile {
protected:
  std::string errorOfBytes(const std::string &bytes) {
    return errorOf(bytes, [&] { load_npz(path_); });
  }
};

/// A member as a test wants it, lies included.
struct Member {
  std::string name, data;
  uint16_t flags = 0, method = 0;
  std::optional<uint32_t> size = {}, compressedSize = {}, checksum = {}, offset = {};
  std::string localName = {}, extra = {};
  uint16_t disk = 0;
};

template <class T>
std::string number(T value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

uint32_t checksumOf(const std::string &data) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef *>(data.data()), data.size()));
}

std::string deflated(const std::string &data) {
  z_stream zlib = {};
  deflateInit2(&zlib, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&zlib, data.size()) + 16, '\0');
  zlib.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data.data()));
  zlib.avail_in = static_cast<uInt>(data.size());
  zlib.next_out = reinterpret_cast<Bytef *>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(out.size() - zlib.avail_out);
  deflateEnd(&zlib);
  return out;
}

/// An archive of these members.
std::string zipOf(const std::vector<Member> &members, int entriesMore = 0, const std::string &before = "") {
  std::string file = before, directory;
  for (const Member &member : members) {
    const std::string data = member.method == 8 ? deflated(member.data) : member.data;
    const auto offset = static_cast<uint32_t>(file.size());
    const std::string sizes = number(member.checksum.value_or(checksumOf(member.data))) +
                              number(member.compressedSize.value_or(static_cast<uint32_t>(data.size()))) +
                              number(member.size.value_or(static_cast<uint32_t>(member.data.size())));
    const std::string local = member.localName.empty() ? member.name : member.localName;
    const std::string how = number(member.flags) + number(member.method) + number(uint32_t(0));
    file += number(zip::localHeader) + number(uint16_t(20)) + how + sizes +
            number(static_cast<uint16_t>(local.size())) + number(uint16_t(0)) + local + data;
    directory += number(zip::directoryEntry) + number(uint32_t(0x00140014)) + how + sizes +
                 number(static_cast<uint16_t>(member.name.size())) +
                 number(static_cast<uint16_t>(member.extra.size())) + number(uint16_t(0)) + number(member.disk) +
                 number(uint16_t(0)) + number(uint32_t(0)) + number(member.offset.value_or(offset)) + member.name +
                 member.extra;
  }
  const auto count = static_cast<uint16_t>(members.size() + static_cast<size_t>(entriesMore));
  return file + directory + number(zip::directoryEnd) + number(uint32_t(0)) + number(count) + number(count) +
         number(static_cast<uint32_t>(directory.size())) + number(static_cast<uint32_t>(file.size())) +
         number(uint16_t(0));
}

/// A .npy file of f32.
std::string npyOf(const std::vector<float> &elements) {
  const int64_t dims[] = {static_cast<int64_t>(elements.size())}, strides[] = {1};
  return npyHeader({elements.data(), f32, dims, strides}) +
         std::string(reinterpret_cast<const char *>(elements.data()), elements.size() * sizeof(float));
}
} // namespace

TEST_F(Npz, ReadsAndRepeatsNumPysFiles) {
  for (const ArchiveGolden &golden : archiveGoldens("npz")) {
    SCOPED_TRACE(golden.label);
    put(golden.file);
    expectEqual(load_npz(path_), arraysOf(golden));
    fs::remove(path_);
    save_npz(path_, arraysOf(golden), {.compressed = golden.kind == "npz"});
    if (golden.kind == "npz-same") {
      EXPECT_EQ(get(), golden.file);
    }
    expectEqual(load_npz(path_), arraysOf(golden));
  }
}

TEST_F(Npz, KeepsEveryDtypeShapeAndView) {
  const NamedArrays arrays = sampleArrays();
  for (bool compressed : {false, true}) {
    save_npz(path_, arrays, {.compressed = compressed});
    expectEqual(load_npz(path_), arrays);
  }
}

TEST_F(Npz, SkipsWhatNoDtypeHasWithANote) {
  auto foreign = [](const std::string &description, size_t bytes) {
    const std::string header =
        "{'descr': " + description + ", 'fortran_order': False, 'shape': (2,), }" + std::string(20, ' ') + "\n";
    return "\x93NUMPY" + std::string{1, 0, static_cast<char>(header.size()), 0} + header + std::string(bytes, 'x');
  };
  const test::LogLines logged;
  put(zipOf({{"a.npy", npyOf({1, 2})},
             {"names.npy", foreign("'<U12'", 96), 0, 8},
             {"bytes.npy", foreign("'|S3'", 6)},
             {"rows.npy", foreign("[('x]', '<f4'), (\"y's\", [('z', '<i4', (2,))])]", 24)},
             {"raw.npy", foreign("'|V8'", 16)},
             {"long.npy", foreign("'<f16'", 32)},
             {"pairs.npy", foreign("'>c32'", 64)},
             {"days.npy", foreign("'<M8[D]'", 16)},
             {"z.npy", npyOf({3})}}));
  const NamedArrays arrays = load_npz(path_);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.at("a").to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(arrays.at("z").to_vector<float>(), (std::vector<float>{3}));
  const std::vector<std::string> lines = logged.about(LogTopic::warning);
  ASSERT_EQ(lines.size(), 7u);
  const std::string expected[] = {
      "text ('<U12')",      "text ('|S3')",          "structures ('[('x]', '<f4'), (\"y's\", [('z', '<i4', (2,))])]')",
      "structures ('|V8')", "long doubles ('<f16')", "long doubles ('>c32')",
      "dates ('<M8[D]')"};
  for (size_t i = 0; i < 7; ++i)
    EXPECT_NE(lines[i].find(" of " + path_ + ": expected numbers that a dtype has, got " + expected[i]),
              std::string::npos)
        << lines[i];
  // Damage in what is skipped is found, and Python's objects and unknown elements are no numbers to skip.
  Member damaged{"a.npy", foreign("'|S3'", 6)};
  damaged.checksum = 7;
  EXPECT_NE(errorOfBytes(zipOf({damaged})).find("expected the checksum 0x00000007"), std::string::npos);
  EXPECT_NE(errorOfBytes(zipOf({{"a.npy", foreign("'|O'", 6)}})).find("Python objects"), std::string::npos);
  EXPECT_NE(errorOfBytes(zipOf({{"a.npy", foreign("'<q3'", 6)}})).find("expected a dtype of"), std::string::npos);
  EXPECT_NE(errorOfBytes(zipOf({{"a.npy", foreign("[('x', '<f4'", 6)}})).find("expected ']' after the fields"),
            std::string::npos);
}

TEST_F(Npz, CompressesWhatIsLong) {
  const Array zeros = full({1 << 20}, 0.0f);
  save_npz(path_, {{"x", zeros}}, {.compressed = true});
  EXPECT_LT(fs::file_size(path_), 8192u);
  EXPECT_EQ(bytesOf(load_npz(path_).at("x")), bytesOf(zeros));
  std::vector<float> noise(300'000);
  std::mt19937 random(1);
  for (float &x : noise)
    x = static_cast<float>(random());
  save_npz(path_, {{"x", Array(noise)}}, {.compressed = true});
  EXPECT_EQ(load_npz(path_).at("x").to_vector<float>(), noise);
}

TEST_F(Npz, IsOfAnyDevice) {
  const Array x = {1.0f, 2.0f, 3.0f};
  save_npz(path_, {{"x", to_device(x, Device::null)}});
  const Array back = load_npz(path_).at("x");
  EXPECT_EQ(back.device(), Device::cpu);
  EXPECT_EQ(bytesOf(back), bytesOf(x));
}

TEST_F(Npz, TruncationAtEveryByteIsAnError) {
  for (const ArchiveGolden &golden : archiveGoldens("npz")) {
    SCOPED_TRACE(golden.label);
    expectNoPartIsRead(golden.file, [&] { load_npz(path_); });
  }
}

TEST_F(Npz, FlippedBytesNeverCrash) {
  int reads = 0, rounds = 0;
  for (const ArchiveGolden &golden : archiveGoldens("npz")) {
    reads += readsOfChanged(golden.file, 500, [&] {
      for (const auto &[name, array] : load_npz(path_))
        bytesOf(array);
    });
    rounds += 500;
  }
  EXPECT_GT(reads, 100) << "dates and permissions";
  EXPECT_LT(reads, rounds / 2);
}

TEST_F(Npz, WhatIsDamagedOrLiesIsAnError) {
  const std::string end = "\n  file: PATH", inW = "\n  member: 'w.npy'" + end;
  const std::string w = npyOf({1, 2, 3});
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w}})), "no error");
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 2, 8}})), "no error") << "a level of compression";
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w}}, 0, "a program that unpacks itself")), "no error");

  EXPECT_EQ(errorOfBytes("PK"), "load_npz: expected a zip archive of at least 22 bytes, got 2" + end);
  EXPECT_EQ(errorOfBytes(w), "load_npz: expected the directory of a zip archive at the end, got none: the file is cut "
                             "short, or is not .npz" +
                                 end);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.txt", w}})), "load_npz: expected members named NAME.npy, got 'w.txt'" + end);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w}, {"w.npy", w}})),
            "load_npz: expected members with names that differ, got 'w.npy' twice" + end);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 1}})),
            "load_npz: expected a member without a password, got an encrypted one" + inW);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 0, 12}})),
            "load_npz: expected a member that is stored (0) or deflated (8), got method 12" + inW);
  const std::string damaged = errorOfBytes(zipOf({{"w.npy", w, 0, 0, {}, {}, 7}}));
  EXPECT_TRUE(damaged.starts_with("load_npz: expected the checksum 0x00000007, got 0x")) << damaged;
  EXPECT_TRUE(damaged.ends_with(": the file is damaged" + inW)) << damaged;
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", "no array"}})),
            "load_npz: expected the magic \\x93NUMPY, got 'no arr'" + inW);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 0, 0, {}, {}, {}, {}, "v.npy"}})),
            "load_npz: expected a member's header of the same name at byte 0, got 'v.npy'" + inW);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w}}, 1)),
            "load_npz: expected at most 1 members in an archive's directory of 51 bytes, got 2" + end);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w}, {"v.npy", w}}, -1)),
            "load_npz: expected 1 members in the archive's directory, got 1 and more bytes" + end);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 0, 0, {}, {}, {}, 1}})),
            "load_npz: expected a member's header at byte 1, got 0x1404034b" + inW);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 0, 0, {}, {}, {}, 1u << 30}})),
            "load_npz: expected a member before the directory at byte " + std::to_string(35 + w.size()) +
                ", got one at byte 1073741824" + inW);
}

/// Sizes are looked at before memory is asked for.
TEST_F(Npz, SizesThatCannotBeAreAnError) {
  const std::string inW = "\n  member: 'w.npy'\n  file: PATH";
  const std::string w = npyOf({1, 2, 3});
  const std::string size = std::to_string(w.size());
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 0, 0, 1u << 30}})),
            "load_npz: expected " + size + " bytes from " + size + " in the file, got 1073741824" + inW);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 0, 0, 1u << 30, 1u << 30}})),
            "load_npz: expected 1073741824 bytes of data before the directory at byte " +
                std::to_string(35 + w.size()) + ", got them from byte 35" + inW);
  // A bomb: more than deflate can gain.
  const std::string zeros = npyOf(std::vector<float>(1000));
  const size_t inside = deflated(zeros).size();
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", zeros, 0, 8, 1u << 31}})),
            "load_npz: expected at most " + std::to_string(1032 * (inside + 1)) + " bytes from " +
                std::to_string(inside) + " in the file, got 2147483648" + inW);
  // More, or less, than the directory says.
  const std::string longer = zeros + "more";
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", longer, 0, 8, static_cast<uint32_t>(zeros.size())}})),
            "load_npz: expected the end of the deflated data after " + std::to_string(zeros.size()) +
                " bytes, got more" + inW);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", zeros.substr(0, 2000), 0, 8, static_cast<uint32_t>(zeros.size())}})),
            "load_npz: expected 4000 bytes of data, got " + std::to_string(2000 - (zeros.size() - 4000)) + inW);
  // What nothing says.
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 0, 0, zip::wide32, zip::wide32}})),
            "load_npz: expected 4294967295 bytes of data before the directory at byte " +
                std::to_string(35 + w.size()) + ", got them from byte 35" + inW);
  const std::string short64 = number(uint16_t(1)) + number(uint16_t(8)) + number(uint64_t(w.size()));
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 0, 0, zip::wide32, zip::wide32, {}, {}, {}, short64}})),
            "load_npz: expected 8 more bytes in an extra field of the archive, got 0\n  file: PATH");
  const std::string both64 = number(uint16_t(7)) + number(uint16_t(1)) + "x" + number(uint16_t(1)) +
                             number(uint16_t(16)) + number(uint64_t(w.size())) + number(uint64_t(w.size()));
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w, 0, 0, zip::wide32, zip::wide32, {}, {}, {}, both64}})), "no error");
  // Two members of the same bytes would be twice what the file holds.
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", w}, {"v.npy", w, 0, 0, {}, {}, {}, 0, {}}})),
            "load_npz: expected a member's header of the same name at byte 0, got 'w.npy'\n  member: 'v.npy'\n  file: "
            "PATH");
  Member outer{"w.npy", w};
  const std::string inner = zipOf({{"v.npy", npyOf({1})}});
  outer.data += inner.substr(0, inner.find("PK\1\2"));
  EXPECT_EQ(errorOfBytes(zipOf({outer, {"v.npy", npyOf({1}), 0, 0, {}, {}, {}, static_cast<uint32_t>(35 + w.size())}})),
            "load_npz: expected members apart from each other, got 'v.npy' inside of 'w.npy'\n  file: PATH");
}

TEST_F(Npz, ArraysHaveFewerAxesThanFilesMay) {
  const float one = 1;
  const std::vector<int64_t> dims(17, 1), strides(17, 1);
  const std::string npy = npyHeader({&one, f32, dims, strides}) + std::string("\0\0\x80?", 4);
  EXPECT_EQ(errorOfBytes(zipOf({{"w.npy", npy}})),
            "load_npz: expected at most 16 axes, got 17\n  member: 'w.npy'\n  file: PATH");
}

TEST_F(Npz, NamesThatNoArchiveHasAreAnError) {
  for (const std::string &name : {std::string("a\0b", 3), std::string("\xff"), std::string(70'000, 'x')}) {
    const std::string error = errorOf([&] { save_npz(path_, {{name, full({1}, 1.0f)}}); });
    EXPECT_NE(error.find("save_npz: expected names in UTF-8 of at most 65535 bytes without zeros"), std::string::npos)
        << error;
    EXPECT_FALSE(fs::exists(path_));
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Npz, ManyMembers) {
  NamedArrays arrays;
  for (int i = 0; i < 70'000; ++i)
    arrays["x" + std::to_string(i)] = Array(int64_t(i));
  save_npz(path_, arrays);
  const NamedArrays back = load_npz(path_);
  ASSERT_EQ(back.size(), arrays.size());
  EXPECT_EQ(back.at("x69999").item<int64_t>(), 69999);
}

/// Beyond 2^32 bytes sizes and offsets take 64 bits. Nothing but holes is on the disk.
TEST_F(Npz, BeyondFourGigabytes) {
  const size_t size = (size_t(1) << 32) + 10;
  void *zeros = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(zeros, MAP_FAILED);
  const float number = 5;
  const int64_t dims[] = {static_cast<int64_t>(size)}, strides[] = {1};
  writesHoles = true;
  writeNpz(path_, {{"a", {zeros, u8, dims, strides}}, {"b", {&number, f32, {}, {}}}}, false);
  writesHoles = false;
  munmap(zeros, size);
  InputFile file("load_npz", path_);
  const std::vector<ZipMember> members = readZipDirectory(file);
  ASSERT_EQ(members.size(), 2u);
  EXPECT_GT(members[0].size, size);
  EXPECT_GT(members[1].header, size);
  ZipStream stream(file, members[1]);
  float read = 0;
  readNpy(stream, [&](Dtype, std::span<const int64_t>) { return reinterpret_cast<std::byte *>(&read); });
  stream.finish();
  EXPECT_EQ(read, 5);
}

TEST_F(Npz, KilledInTheMiddleTheOldFileStays) {
  for (bool compressed : {false, true})
    expectOldOrNew(callsUntilDeath, [&] {
      save_npz(path_, {{"x", full({100}, 1.0f)}, {"y", full({3}, 2.0f)}}, {.compressed = compressed});
    });
}

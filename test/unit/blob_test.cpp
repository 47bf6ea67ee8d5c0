//===- blob_test.cpp - the blob's reader and the loader, without LLVM ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/machine/Cpu.h"
#include "runtime/program/Image.h"
#include "runtime/program/Symbols.h"
#include "test/fuzz/BlobSeed.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tenon::rt;
using namespace tenon::rt::testing;

/// How many of the next writes to files a signal interrupts.
static int interruptedWrites = 0;

extern "C" ssize_t write(int file, const void *data, size_t size) {
  if (interruptedWrites == 0)
    return syscall(SYS_write, file, data, size);
  --interruptedWrites;
  errno = EINTR;
  return -1;
}

namespace {

/// The reader's complaint about `blob`, or "accepted".
std::string complaint(std::span<const std::byte> blob) {
  std::string error;
  return BlobView::parse(blob, error) ? "accepted" : error;
}

std::string complaintAbout(const std::function<void(BlobWriter &)> &spoil) {
  BlobWriter writer = seedWriter();
  spoil(writer);
  return complaint(writer.finish());
}

template <typename T>
void store(std::vector<std::byte> &blob, std::size_t at, T value) {
  std::memcpy(blob.data() + at, &value, sizeof(value));
}

constexpr std::size_t tableField(std::size_t row, std::size_t field) {
  return sizeof(BlobHeader) + row * sizeof(BlobSectionEntry) + field;
}

std::uint64_t call(const LoadedImage &image, std::size_t entry) {
  return reinterpret_cast<std::uint64_t (*)()>(const_cast<void *>(image.entry(entry)))();
}

LoadedImage loadSeed(std::string &error) {
  std::vector<std::byte> blob = seedWriter().finish();
  BlobView view = BlobView::parse(blob, error);
  return view ? LoadedImage::load(view, error) : LoadedImage();
}

/// The permissions column of /proc/self/maps for `address`.
std::string permissionsAt(const void *address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end;
    char permissions[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, permissions) == 3 &&
        reinterpret_cast<unsigned long>(address) - begin < end - begin)
      return permissions;
  }
  return "unmapped";
}

TEST(Blob, RoundTrips) {
  BlobWriter writer = seedWriter();
  writer.isa = kFeaturesV3;
  std::vector<std::byte> blob = writer.finish();
  std::string error;
  BlobView view = BlobView::parse(blob, error);
  ASSERT_TRUE(view) << error;
  auto same = [](std::span<const std::byte> a, std::span<const std::byte> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  EXPECT_TRUE(same(view.text(), writer.text));
  EXPECT_TRUE(same(view.data(), writer.data));
  EXPECT_TRUE(same(view.schedule(), writer.schedule));
  EXPECT_TRUE(same(view.section(BlobSection::Debug), writer.debug));
  EXPECT_EQ(view.header().buildId, writer.buildId);
  EXPECT_EQ(view.header().isa, kFeaturesV3);
  ASSERT_EQ(view.fixupCount(), 2u);
  EXPECT_EQ(view.fixup(1), writer.fixups[1]);
  ASSERT_EQ(view.entryCount(), 3u);
  EXPECT_EQ(view.entry(2), 14u);
  EXPECT_EQ(view.names(), (std::vector<std::string_view>{"seven", "symbol", "self"}));
  for (std::uint32_t kind = 1; kind <= kBlobSectionKinds; ++kind)
    EXPECT_EQ((view.section(static_cast<BlobSection>(kind)).data() - blob.data()) % 8, 0);
}

TEST(Blob, IsReadAtAnyAlignment) {
  std::vector<std::byte> blob = seedWriter().finish();
  std::vector<std::byte> shifted(blob.size() + 1);
  std::copy(blob.begin(), blob.end(), shifted.begin() + 1);
  bool accepted;
  readAll(std::span(shifted).subspan(1), accepted);
  EXPECT_TRUE(accepted);
}

TEST(Blob, WithoutKernelsIsABlob) {
  std::string error;
  std::vector<std::byte> blob = BlobWriter().finish();
  EXPECT_EQ(blob.size(), sizeof(BlobHeader));
  BlobView view = BlobView::parse(blob, error);
  ASSERT_TRUE(view) << error;
  LoadedImage image = LoadedImage::load(view, error);
  EXPECT_TRUE(image) << error;
  EXPECT_EQ(image.entryCount(), 0u);
  EXPECT_EQ(image.mappedBytes(), 0u);
}

TEST(Blob, EverySingleBitFlipIsRejected) {
  std::vector<std::byte> blob = seedWriter().finish();
  ASSERT_EQ(complaint(blob), "accepted");
  for (std::size_t bit = 0; bit < 8 * blob.size(); ++bit) {
    blob[bit / 8] ^= std::byte(1) << (bit % 8);
    EXPECT_NE(complaint(blob), "accepted") << "bit " << bit;
    blob[bit / 8] ^= std::byte(1) << (bit % 8);
  }
}

TEST(Blob, EveryTruncationIsRejected) {
  std::vector<std::byte> blob = seedWriter().finish();
  for (std::size_t size = 0; size < blob.size(); ++size)
    EXPECT_NE(complaint(std::span(blob).first(size)), "accepted") << size << " bytes";
}

TEST(Blob, IdentityComesBeforeTheChecksum) {
  const std::vector<std::byte> whole = seedWriter().finish();
  auto with = [&](std::size_t at, std::uint32_t value) {
    std::vector<std::byte> blob = whole;
    store(blob, at, value);
    return complaint(blob);
  };
  EXPECT_EQ(complaint(std::span(whole).first(10)), "program blob: expected at least 64 bytes, got 10");
  EXPECT_EQ(with(0, 0), "program blob: expected the magic TNBLOB\\x00\\x01, got '\\x00\\x00\\x00\\x00OB\\x00\\x01'");
  EXPECT_EQ(with(offsetof(BlobHeader, version), 2),
            "program blob: expected blob version 4, got 2: another version of Tenon made it");
  const std::string otherBuild = with(offsetof(BlobHeader, buildId), 0);
  EXPECT_TRUE(otherBuild.starts_with("program blob: expected the build " + buildText(buildId()) + ", got 00000000"))
      << otherBuild;
  EXPECT_TRUE(otherBuild.ends_with(": its kernels stand on another runtime, make it again")) << otherBuild;
  EXPECT_EQ(with(offsetof(BlobHeader, totalSize), 99),
            "program blob: expected 99 bytes, got " + std::to_string(whole.size()));
  EXPECT_EQ(with(offsetof(BlobHeader, runtimeAbi), 77), "program blob: expected runtime ABI 2, got 77");
  EXPECT_EQ(with(offsetof(BlobHeader, arch), 2), "program blob: expected architecture x86-64, got number 2");
  EXPECT_TRUE(
      with(offsetof(BlobHeader, isa), 5).starts_with("program blob: it is damaged: its checksum does not match"));
}

TEST(Blob, MisplacedPartsAreNamed) {
  const std::vector<std::byte> whole = seedWriter().finish();
  auto with = [&](std::size_t at, std::uint64_t value) {
    std::vector<std::byte> blob = whole;
    store(blob, at, value);
    reseal(blob);
    return complaint(blob);
  };
  EXPECT_EQ(with(offsetof(BlobHeader, sectionCount), 9), "program blob: expected at most 8 sections, got 9");
  std::vector<std::byte> cut(whole.begin(), whole.begin() + 100);
  store(cut, offsetof(BlobHeader, totalSize), cut.size());
  reseal(cut);
  EXPECT_EQ(complaint(cut), "program blob: expected at least 256 bytes for 8 sections, got 100");
  EXPECT_EQ(with(tableField(1, 0), 1),
            "program blob: section 1: expected kinds 1 to 8 in ascending order, got 1 after 1");
  EXPECT_EQ(with(tableField(7, 0), 9),
            "program blob: section 7: expected kinds 1 to 8 in ascending order, got 9 after 7");
  constexpr std::size_t offset = offsetof(BlobSectionEntry, offset), size = offsetof(BlobSectionEntry, size);
  EXPECT_EQ(with(tableField(0, offset), 64), "program blob: section text: expected a multiple of 8 from 256 on and an "
                                             "end within 394 bytes, got 22 bytes at 64");
  EXPECT_EQ(with(tableField(0, offset), 257), "program blob: section text: expected a multiple of 8 from 256 on and an "
                                              "end within 394 bytes, got 22 bytes at 257");
  EXPECT_NE(with(tableField(0, size), ~0ull).find("section text"), std::string::npos);
  EXPECT_NE(with(tableField(0, size), 40).find("section data"), std::string::npos);
  EXPECT_NE(with(tableField(7, offset), ~7ull).find("section debug"), std::string::npos);
  EXPECT_EQ(with(tableField(3, size), 11),
            "program blob: section entries: expected whole rows of 4 bytes, got 11 bytes");
}

TEST(Blob, WrongRowsAreNamed) {
  EXPECT_EQ(complaintAbout([](BlobWriter &w) { w.symbols[0] = kRuntimeSymbolCount; }),
            "program blob: expected a runtime symbol below " + std::to_string(kRuntimeSymbolCount) + ", got " +
                std::to_string(kRuntimeSymbolCount));
  EXPECT_EQ(
      complaintAbout([](BlobWriter &w) { w.fixups[0].slot = 4; }),
      "program blob: fixup 0: expected a slot of 8 bytes at a multiple of 8 from 0 on in 24 bytes of data, got slot 4");
  EXPECT_EQ(complaintAbout([](BlobWriter &w) { w.fixups[1].slot = 24; }),
            "program blob: fixup 1: expected a slot of 8 bytes at a multiple of 8 from 16 on in 24 bytes of data, got "
            "slot 24");
  EXPECT_EQ(complaintAbout([](BlobWriter &w) { w.fixups[1].slot = 0xfffffff8u; }),
            "program blob: fixup 1: expected a slot of 8 bytes at a multiple of 8 from 16 on in 24 bytes of data, got "
            "slot 4294967288");
  EXPECT_EQ(complaintAbout([](BlobWriter &w) { w.fixups[1].slot = 8; }),
            "program blob: fixup 1: expected a slot of 8 bytes at a multiple of 8 from 16 on in 24 bytes of data, got "
            "slot 8");
  EXPECT_EQ(complaintAbout([](BlobWriter &w) { w.fixups[1].kind = FixupKind(3); }),
            "program blob: fixup 1: expected kind 1 or 2, got 3");
  EXPECT_EQ(complaintAbout([](BlobWriter &w) { w.fixups[0].value = 2; }),
            "program blob: fixup 0: expected a symbol below 2, got 2");
  EXPECT_EQ(complaintAbout([](BlobWriter &w) { w.fixups[0].value = -1; }),
            "program blob: fixup 0: expected a symbol below 2, got -1");
  EXPECT_EQ(complaintAbout([](BlobWriter &w) { w.entries[2] = 22; }),
            "program blob: entry 2: expected a place within 22 bytes of text, got 22");
  EXPECT_EQ(complaintAbout([](BlobWriter &w) { w.names.pop_back(); }),
            "program blob: expected 3 terminated names, got 2");
}

TEST(Blob, NamesMustEnd) {
  std::vector<std::byte> blob = seedWriter().finish();
  std::uint64_t offset, size;
  std::memcpy(&offset, blob.data() + tableField(6, 8), 8);
  std::memcpy(&size, blob.data() + tableField(6, 16), 8);
  blob[offset] = std::byte(0);
  blob[offset + size - 1] = std::byte('x');
  reseal(blob);
  EXPECT_EQ(complaint(blob), "program blob: expected a 0 after the last name, got 120");
}

TEST(Blob, RandomDamageWithARightChecksumDoesNotCrashTheReader) {
  const std::vector<std::byte> whole = seedWriter().finish();
  std::mt19937_64 random(42);
  std::size_t acceptedCount = 0;
  for (int i = 0; i < 200000; ++i) {
    std::vector<std::byte> blob = whole;
    mutate(blob, random);
    blob.shrink_to_fit();
    bool accepted;
    readAll(blob, accepted);
    acceptedCount += accepted;
  }
  // Damage inside text, data or names is no business of the reader; most of
  // the rest must be found.
  EXPECT_GT(acceptedCount, 1000u);
  EXPECT_LT(acceptedCount, 100000u);
}

TEST(Image, RunsAndFillsBothKindsOfSlot) {
  std::string error;
  LoadedImage image = loadSeed(error);
  ASSERT_TRUE(image) << error;
  ASSERT_EQ(image.entryCount(), 3u);
  EXPECT_EQ(call(image, 0), 7u);
  // Fixup 0 names the blob's symbol 1, which is row 0 of the table: memcpy.
  EXPECT_EQ(call(image, 1), reinterpret_cast<std::uint64_t>(runtimeSymbolAddress(0)));
  EXPECT_EQ(call(image, 2), reinterpret_cast<std::uint64_t>(image.entry(0)) + 6);
}

TEST(Image, IsNeverWritableAndExecutable) {
  std::string error;
  LoadedImage image = loadSeed(error);
  ASSERT_TRUE(image) << error;
  EXPECT_EQ(permissionsAt(image.entry(0)), "r-xp");
  EXPECT_EQ(permissionsAt(static_cast<const char *>(image.entry(0)) + kImageWindow), "r--p");
}

TEST(Image, MovesAndUnmaps) {
  std::string error;
  const void *at;
  {
    LoadedImage first = loadSeed(error);
    ASSERT_TRUE(first) << error;
    at = first.entry(0);
    LoadedImage second = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_EQ(second.entry(0), at);
    EXPECT_EQ(call(second, 0), 7u);
    second = loadSeed(error);
    EXPECT_EQ(call(second, 0), 7u);
  }
  // Gone; the place may be another mapping's by now, but no code's.
  EXPECT_EQ(permissionsAt(at).find('x'), std::string::npos) << permissionsAt(at);
}

/// Mappings of this process; those that are writable and executable.
std::pair<int, int> countMappings() {
  std::ifstream maps("/proc/self/maps");
  int all = 0, wrong = 0;
  for (std::string line; std::getline(maps, line); ++all) {
    std::string permissions = line.substr(line.find(' ') + 1, 4);
    wrong += permissions[1] == 'w' && permissions[2] == 'x';
  }
  return {all, wrong};
}

TEST(Image, ManyShareAFewMappings) {
  constexpr int count = 3000;
  std::string error;
  auto [before, none] = countMappings();
  std::size_t regionsBefore = ImageMemory::regions();
  std::vector<LoadedImage> images(count);
  auto expectRight = [&](int i) {
    ASSERT_TRUE(images[i]) << error;
    EXPECT_EQ(call(images[i], 0), 7u);
    EXPECT_EQ(call(images[i], 1), reinterpret_cast<std::uint64_t>(runtimeSymbolAddress(0)));
    EXPECT_EQ(call(images[i], 2), reinterpret_cast<std::uint64_t>(images[i].entry(0)) + 6);
  };
  for (LoadedImage &image : images)
    image = loadSeed(error);
  for (int i = 0; i < count; ++i)
    expectRight(i);
  std::size_t regions = ImageMemory::regions();
  EXPECT_LE(regions, regionsBefore + count * kImagePage / kImageWindow + 1);
  auto [after, writable] = countMappings();
  EXPECT_LT(after, before + 100);
  EXPECT_EQ(writable, 0);
  // What is given back is used again, and neighbours stay as they are.
  for (int i = 0; i < count; i += 2)
    images[i] = LoadedImage();
  for (int i = 0; i < count; i += 2)
    images[i] = loadSeed(error);
  for (int i = 0; i < count; ++i)
    expectRight(i);
  EXPECT_EQ(ImageMemory::regions(), regions);
  EXPECT_EQ(countMappings().second, 0);
  EXPECT_LT(countMappings().first, before + 100);
  images.clear();
  EXPECT_EQ(ImageMemory::regions(), regionsBefore);
}

TEST(Image, OfAnySizeIsMapped) {
  for (std::size_t textBytes :
       {kImageWindow / 4, kImageWindow / 4 + 1, kImageWindow, kImageWindow + 1, 3 * kImageWindow}) {
    BlobWriter writer = seedWriter();
    writer.text.resize(textBytes);
    writer.data.resize(textBytes / 2, std::byte(3));
    for (int i = 1; i < 3; ++i) {
      std::int32_t end = static_cast<std::int32_t>(writer.entries[i]) + 7;
      store(writer.text, static_cast<std::size_t>(end) - 4,
            static_cast<std::int32_t>(imageDataOffset(writer.text.size())) + 8 * i - end);
    }
    std::vector<std::byte> blob = writer.finish();
    std::string error;
    BlobView view = BlobView::parse(blob, error);
    ASSERT_TRUE(view) << error;
    LoadedImage image = LoadedImage::load(view, error);
    ASSERT_TRUE(image) << error;
    EXPECT_EQ(call(image, 0), 7u);
    EXPECT_EQ(call(image, 2), reinterpret_cast<std::uint64_t>(image.entry(0)) + 6);
    const char *text = static_cast<const char *>(image.entry(0));
    EXPECT_EQ(permissionsAt(text + textBytes - 1), "r-xp");
    EXPECT_EQ(text[imageDataOffset(textBytes) + textBytes / 2 - 1], 3);
    EXPECT_EQ(permissionsAt(text + imageDataOffset(textBytes) + textBytes / 2 - 1), "r--p");
  }
}

TEST(Image, NamesTheInstructionsThatTheProcessorLacks) {
  BlobWriter writer = seedWriter();
  writer.isa = hostFeatures() | std::uint64_t(1) << 62;
  std::vector<std::byte> blob = writer.finish();
  std::string error;
  BlobView view = BlobView::parse(blob, error);
  ASSERT_TRUE(view) << error;
  EXPECT_FALSE(LoadedImage::load(view, error));
  EXPECT_EQ(error, "program image: expected a CPU with bit 62, got one without");
  EXPECT_EQ(featureNames(featureBit(CpuFeature::Avx512f) | featureBit(CpuFeature::AmxBf16)), "avx512f, amx-bf16");
  EXPECT_EQ(featureNames(featureBit(CpuFeature::Avx2) | featureBit(CpuFeature::Fma), "+", ","), "+avx2,+fma");
}

TEST(Cpu, ListsOfFeaturesAreChecked) {
  EXPECT_EQ(checkFeatureList(""), "");
  EXPECT_EQ(checkFeatureList("+avx2,+fma"), "");
  EXPECT_EQ(checkFeatureList(featureNames(levelFeatures(4), "+", ",")), "");
  for (const char *wrong : {"+foo", "avx2", "-avx2", "+", "avx2+", "+AVX2", "+avx2 "}) {
    std::string got = checkFeatureList("+avx2," + std::string(wrong));
    EXPECT_TRUE(got.starts_with("expected a list such as +avx2,+fma of the features sse3, ssse3, ")) << got;
    EXPECT_TRUE(got.ends_with(", amx-int8, got '" + std::string(wrong) + "'")) << got;
  }
  EXPECT_TRUE(checkFeatureList("+avx2,,+fma").ends_with(", got ''"));
}

TEST(Image, WritesAPerfMapOnRequest) {
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::remove(path.c_str());
  std::string error;
  EXPECT_TRUE(loadSeed(error)) << error;
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  setenv("TENON_PERF_MAP", "1", 1);
  LoadedImage image = loadSeed(error);
  unsetenv("TENON_PERF_MAP");
  ASSERT_TRUE(image) << error;
  std::ostringstream expected, got;
  auto line = [&](int entry, int size, const char *name) {
    expected << std::hex << reinterpret_cast<std::size_t>(image.entry(entry)) << ' ' << size << ' ' << name << '\n';
  };
  line(0, 6, "seven");
  line(1, 8, "symbol");
  line(2, 8, "self");
  got << std::ifstream(path).rdbuf();
  EXPECT_EQ(got.str(), expected.str());
  std::remove(path.c_str());
}

/// Makes system calls fail as hardened systems do: mprotect that asks for
/// execution, and memfd_create on request.
bool refuseExecution(bool alsoFiles) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(alsoFiles ? SYS_memfd_create : -1), 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
  };
  sock_fprog program = {std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

constexpr int kCannotRestrict = 77;

int statusOfChild(const std::function<int()> &body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Image, FallsBackToAMemoryFile) {
  int status = statusOfChild([] {
    if (!refuseExecution(false))
      return kCannotRestrict;
    interruptedWrites = 2;
    std::string error;
    LoadedImage image = loadSeed(error);
    if (!image)
      return 1;
    bool right = interruptedWrites == 0 && call(image, 0) == 7 &&
                 call(image, 1) == reinterpret_cast<std::uint64_t>(runtimeSymbolAddress(0)) &&
                 call(image, 2) == reinterpret_cast<std::uint64_t>(image.entry(0)) + 6;
    return right && permissionsAt(image.entry(0)) == "r-xp" ? 0 : 2;
  });
  if (status == kCannotRestrict)
    GTEST_SKIP() << "this system has no seccomp filters";
  EXPECT_EQ(status, 0);
}

TEST(Image, SaysSoWhenNoMemoryMayBeExecuted) {
  int status = statusOfChild([] {
    if (!refuseExecution(true))
      return kCannotRestrict;
    std::string error;
    if (loadSeed(error))
      return 1;
    return error == "program image: memfd_create failed: Permission denied" ? 0 : 2;
  });
  if (status == kCannotRestrict)
    GTEST_SKIP() << "this system has no seccomp filters";
  EXPECT_EQ(status, 0);
}

TEST(Symbols, NamesAreUniqueAndAddressesSet) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kRuntimeSymbolCount; ++i) {
    EXPECT_TRUE(names.insert(kRuntimeSymbolNames[i]).second) << kRuntimeSymbolNames[i];
    EXPECT_EQ(findRuntimeSymbol(kRuntimeSymbolNames[i]), i);
    EXPECT_NE(runtimeSymbolAddress(i), nullptr);
  }
  EXPECT_EQ(findRuntimeSymbol("no_such_function"), std::nullopt);
  // The rows of version 1; a change of this order breaks every stored blob.
  EXPECT_EQ(findRuntimeSymbol("memcpy"), 0u);
  EXPECT_EQ(findRuntimeSymbol("__truncsfbf2"), 3u);
  EXPECT_EQ(findRuntimeSymbol("fmod"), 7u);
}

} // namespace

//===- Image.cpp - a program's machine code, mapped and runnable -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Image.h"
#include "Cpu.h"
#include "Symbols.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tenon::rt;

static std::string systemError(const char *call) {
  return std::string("program image: ") + call + " failed: " + std::strerror(errno);
}

/// Fills the slots of `data`, which is the writable copy of the blob's.
static void applyFixups(const BlobView &blob, std::byte *base, std::byte *data) {
  for (std::size_t i = 0; i < blob.fixupCount(); ++i) {
    Fixup f = blob.fixup(i);
    std::uint64_t value = f.kind == FixupKind::Symbol
                              ? reinterpret_cast<std::uint64_t>(runtimeSymbolAddress(blob.symbol(f.value)))
                              : reinterpret_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(f.value);
    std::memcpy(data + f.slot, &value, sizeof(value));
  }
}

/// Puts the text into a memory file and maps that over `base`: systems that
/// refuse to make written memory executable (PR_SET_MDWE, SELinux) allow it.
static bool mapTextFromFile(std::span<const std::byte> text, std::byte *base, std::string &error) {
  int file = memfd_create("tenon-program", MFD_CLOEXEC);
  if (file < 0) {
    error = systemError("memfd_create");
    return false;
  }
  std::size_t done = 0;
  while (done < text.size()) {
    ssize_t n = write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      error = systemError("write");
      close(file);
      return false;
    }
    done += n;
  }
  void *at = mmap(base, text.size(), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0);
  if (at == MAP_FAILED)
    error = systemError("mmap of executable memory");
  close(file);
  return at != MAP_FAILED;
}

/// One line per kernel, for `perf report`: address, size, name.
static void writePerfMap(const BlobView &blob, const std::byte *base) {
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  std::vector<std::string_view> names = blob.names();
  std::vector<std::pair<std::uint32_t, std::size_t>> order;
  for (std::size_t i = 0; i < names.size(); ++i)
    order.emplace_back(blob.entry(i), i);
  std::sort(order.begin(), order.end());
  std::string lines;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t begin = order[i].first;
    std::size_t end = i + 1 < order.size() ? order[i + 1].first : blob.text().size();
    char address[64];
    std::snprintf(address, sizeof(address), "%zx %zx ", reinterpret_cast<std::size_t>(base) + begin, end - begin);
    lines += address;
    lines += names[order[i].second];
    lines += '\n';
  }
  // One write, so that lines of two threads do not mix. A map that could not
  // be written costs a profile its names and nothing else.
  [[maybe_unused]] ssize_t written = write(file, lines.data(), lines.size());
  close(file);
}

LoadedImage LoadedImage::load(const BlobView &blob, std::string &error) {
  warnOfWrongIsa();
  if (std::uint64_t missing = blob.header().isa & ~hostFeatures()) {
    error = "program image: expected a CPU with " + featureNames(missing) + ", got one without";
    return {};
  }
  LoadedImage image;
  std::span<const std::byte> text = blob.text(), data = blob.data();
  std::size_t dataOffset = imageDataOffset(text.size());
  image.size = dataOffset + imageDataOffset(data.size());
  if (image.size != 0) {
    // Every page is about to be written: one call for all of them costs a third
    // less than a fault for each.
    void *at = mmap(nullptr, image.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (at == MAP_FAILED) {
      error = systemError("mmap");
      return {};
    }
    image.base = static_cast<std::byte *>(at);
  }
  if (!text.empty()) {
    std::memcpy(image.base, text.data(), text.size());
    if (mprotect(image.base, dataOffset, PROT_READ | PROT_EXEC) != 0) {
      if (errno != EACCES && errno != EPERM) {
        error = systemError("mprotect");
        return {};
      }
      if (!mapTextFromFile(text, image.base, error))
        return {};
    }
  }
  if (!data.empty()) {
    std::byte *copy = image.base + dataOffset;
    std::memcpy(copy, data.data(), data.size());
    applyFixups(blob, image.base, copy);
    if (mprotect(copy, image.size - dataOffset, PROT_READ) != 0) {
      error = systemError("mprotect");
      return {};
    }
  }
  image.entries.resize(blob.entryCount());
  for (std::size_t i = 0; i < image.entries.size(); ++i)
    image.entries[i] = blob.entry(i);
  if (const char *wanted = std::getenv("TENON_PERF_MAP"); wanted && std::strcmp(wanted, "1") == 0)
    writePerfMap(blob, image.base);
  image.loaded = true;
  return image;
}

LoadedImage::~LoadedImage() {
  if (base)
    munmap(base, size);
}

void LoadedImage::swap(LoadedImage &other) noexcept {
  std::swap(base, other.base);
  std::swap(size, other.size);
  std::swap(entries, other.entries);
  std::swap(loaded, other.loaded);
}

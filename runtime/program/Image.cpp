//===- Image.cpp - a program's machine code, mapped and runnable -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Image.h"
#include "Symbols.h"
#include "runtime/machine/Cpu.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tenon::rt;

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
  if (!text.empty() || !data.empty()) {
    image.memory = ImageMemory::allocate(text.size(), data.size(), error);
    if (!image.memory)
      return {};
    if (!text.empty())
      std::memcpy(image.memory.text(), text.data(), text.size());
    if (!data.empty())
      std::memcpy(image.memory.data(), data.data(), data.size());
    applyFixups(blob, image.memory.text(), image.memory.data());
    if (!image.memory.seal(error))
      return {};
  }
  image.entries.resize(blob.entryCount());
  for (std::size_t i = 0; i < image.entries.size(); ++i)
    image.entries[i] = blob.entry(i);
  if (const char *wanted = secure_getenv("TENON_PERF_MAP"); wanted && std::strcmp(wanted, "1") == 0)
    writePerfMap(blob, image.memory.text());
  image.loaded = true;
  return image;
}

//===- BlobSeed.h - a small blob to damage ----------------------*- C++ -*-===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/program/Blob.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace tenon::rt::testing {

inline std::vector<std::byte> bytesOf(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (int value : values)
    bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

/// Three kernels written by hand, with every kind of section and fixup:
/// `seven` returns 7, `symbol` the word at data + 8 (a runtime symbol's
/// address), `self` the word at data + 16 (the image's base + 6).
inline BlobWriter seedWriter() {
  BlobWriter writer;
  writer.text = bytesOf({0xb8, 7,    0,    0, 0, 0xc3,            // mov $7, %eax; ret
                         0x48, 0x8b, 0x05, 0, 0, 0,    0, 0xc3,   // mov data+8(%rip), %rax; ret
                         0x48, 0x8b, 0x05, 0, 0, 0,    0, 0xc3}); // mov data+16(%rip), %rax; ret
  writer.data = bytesOf({1, 2, 3, 4, 5, 6, 7, 8});
  writer.data.resize(24);
  writer.entries = {0, 6, 14};
  writer.names = {"seven", "symbol", "self"};
  for (int i = 1; i < 3; ++i) {
    std::int32_t end = writer.entries[i] + 7;
    std::int32_t distance = static_cast<std::int32_t>(imageDataOffset(writer.text.size())) + 8 * i - end;
    std::memcpy(writer.text.data() + end - 4, &distance, sizeof(distance));
  }
  writer.symbols = {1, 0};
  writer.fixups = {{8, FixupKind::Symbol, 1}, {16, FixupKind::Base, 6}};
  writer.schedule = bytesOf({9, 9, 9});
  writer.debug = bytesOf({4, 2});
  return writer;
}

/// Makes the checksum right again, so that damage reaches the other checks.
inline void reseal(std::span<std::byte> blob) {
  if (blob.size() < sizeof(BlobHeader))
    return;
  std::uint32_t checksum = blobChecksum(blob);
  std::memcpy(blob.data() + offsetof(BlobHeader, checksum), &checksum, sizeof(checksum));
}

/// Parses `bytes` and, where they pass, reads everything a loader would read.
/// Returns a sum over it, so that nothing is optimized away.
inline std::uint64_t readAll(std::span<const std::byte> bytes, bool &accepted) {
  std::string error;
  BlobView view = BlobView::parse(bytes, error);
  accepted = static_cast<bool>(view);
  if (!view)
    return error.size();
  std::uint64_t sum = 0;
  for (std::uint32_t kind = 1; kind <= kBlobSectionKinds; ++kind)
    for (std::byte b : view.section(static_cast<BlobSection>(kind)))
      sum += static_cast<std::uint64_t>(b);
  for (std::size_t i = 0; i < view.fixupCount(); ++i) {
    Fixup fixup = view.fixup(i);
    sum += static_cast<std::uint64_t>(view.data()[fixup.slot + 7]);
    if (fixup.kind == FixupKind::Symbol)
      sum += view.symbol(fixup.value);
  }
  for (std::size_t i = 0; i < view.entryCount(); ++i)
    sum += static_cast<std::uint64_t>(view.text()[view.entry(i)]);
  for (std::string_view name : view.names())
    sum += name.size();
  return sum;
}

/// One to four random edits: a bit, a byte, a 4- or 8-byte word of a likely
/// value, a changed length, a copied range. Size and seal are often repaired,
/// so that the edits get past the first checks.
inline void mutate(std::vector<std::byte> &blob, std::mt19937_64 &random) {
  auto below = [&](std::size_t n) { return n ? random() % n : 0; };
  static constexpr std::uint64_t likely[] = {
      0, 1, 7, 8, 23, 24, 25, 64, 0x7fffffff, 0x80000000, 0xfffffff8u, 0xffffffffu, ~0ull, ~7ull, 1ull << 63};
  for (std::size_t edits = 1 + below(4); edits > 0 && !blob.empty(); --edits) {
    std::size_t at = below(blob.size());
    // Most of the structure stands in the header and the section table.
    if (below(2))
      at = below(std::min<std::size_t>(blob.size(), sizeof(BlobHeader) + kBlobSectionKinds * sizeof(BlobSectionEntry)));
    switch (below(6)) {
    case 0:
      blob[at] ^= std::byte(1) << below(8);
      break;
    case 1:
      blob[at] = static_cast<std::byte>(random());
      break;
    case 2:
    case 3: {
      std::size_t width = below(2) ? 4 : 8;
      at &= ~(width - 1);
      std::uint64_t value = below(4) ? likely[below(std::size(likely))] : below(2 * blob.size());
      std::memcpy(blob.data() + at, &value, std::min(width, blob.size() - at));
      break;
    }
    case 4:
      blob.resize(below(2) ? below(blob.size() + 1) : blob.size() + below(40));
      break;
    case 5: {
      std::size_t from = below(blob.size()), to = below(blob.size());
      std::memmove(blob.data() + to, blob.data() + from, below(blob.size() - std::max(from, to)));
      break;
    }
    }
  }
  if (blob.size() >= sizeof(BlobHeader) && below(8)) {
    std::uint64_t size = blob.size();
    std::memcpy(blob.data() + offsetof(BlobHeader, totalSize), &size, sizeof(size));
  }
  reseal(blob);
}

} // namespace tenon::rt::testing

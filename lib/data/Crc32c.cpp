//===- Crc32c.cpp - checksums of TFRecord files -------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Crc32c.h"

#include <cstring>

// The CPUs that Tenon runs on (x86-64-v3) have the instruction; the objects of this folder are for plain x86-64.
[[gnu::target("sse4.2")]] uint32_t tenon::data::detail::crc32c(std::span<const std::byte> bytes) {
  uint64_t crc = ~uint32_t(0);
  const std::byte *at = bytes.data(), *const end = at + bytes.size();
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto rest = static_cast<uint32_t>(crc);
  for (; at != end; ++at)
    rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*at));
  return ~rest;
}

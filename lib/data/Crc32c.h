//===- Crc32c.h - checksums of TFRecord files -------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenon::data::detail {

/// CRC-32C (Castagnoli), as iSCSI and SSE 4.2 define it.
uint32_t crc32c(std::span<const std::byte> bytes);
/// As TFRecord files store it: rotated, with a constant added.
inline uint32_t maskedCrc32c(std::span<const std::byte> bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

} // namespace tenon::data::detail

//===- Records.h - the records of TFRecord files ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/data/Crc32c.h"

#include <string>
#include <string_view>

namespace tenon::data::detail {

/// Appends a record: the size of its data as u64, the masked CRC-32C of the size, the data, the masked CRC-32C of the
/// data. Little endian.
inline void appendRecord(std::string &out, std::string_view data) {
  auto append = [&out](const auto &value) { out.append(reinterpret_cast<const char *>(&value), sizeof(value)); };
  const uint64_t size = data.size();
  append(size);
  append(maskedCrc32c(std::as_bytes(std::span(&size, 1))));
  out.append(data);
  append(maskedCrc32c(std::as_bytes(std::span(data))));
}

} // namespace tenon::data::detail

//===- ByteStream.h - the bytes of a file, inflated on the way -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/File.h"

#include <vector>
#include <zlib.h>

namespace tenon::data::detail {

/// Reads a file from start to end, plain or compressed by gzip. Errors name the file.
class ByteStream {
public:
  ByteStream(const std::string &what, const std::string &path);
  ~ByteStream();
  ByteStream(const ByteStream &) = delete;

  /// The first bytes of the file as they are, up to 64 KiB.
  std::span<const std::byte> start() const { return {window_.data(), zlib_.avail_in}; }
  /// From here on the bytes are inflated. Before the first read.
  void inflateGzip();
  /// Fewer bytes than asked for only at the end.
  size_t read(std::span<std::byte> out);
  [[noreturn]] void fail(const std::string &message) const { file_.fail(message); }

private:
  void refill();

  tenon::detail::InputFile file_;
  std::vector<std::byte> window_;
  z_stream zlib_ = {}; ///< its input is what of the window is left, also without gzip
  bool isGzip_ = false, hasEnded_ = false;
};

/// Whether bytes begin as gzip's do.
bool isGzip(std::span<const std::byte> start);

} // namespace tenon::data::detail

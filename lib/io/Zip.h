//===- Zip.h - zip archives, as .npz files are ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PKWARE's APPNOTE.TXT, of which this reads and writes what arrays need: members
// that are stored or deflated, sizes of 64 bits, one file, no passwords. An
// archive's directory and its members must fill the file in the order of their
// offsets without lying over each other, so that what is in it is bounded by its
// size: deflate gains at most 1032 to 1.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/io/InputStream.h"

#include <string>
#include <string_view>
#include <vector>
#include <zlib.h>

namespace tenon::detail {

struct ZipMember {
  std::string name;
  bool isDeflated = false;
  uint32_t checksum = 0;
  uint64_t compressedSize = 0, size = 0;
  uint64_t header = 0; ///< where it starts in the file
  uint64_t data = 0;   ///< where its bytes start
};

/// The members of an archive, in the order of its directory. Throws Error unless their
/// names differ, they lie in the file and apart, and their sizes can be true.
std::vector<ZipMember> readZipDirectory(InputFile &file);

/// The bytes of one member, inflated.
class ZipStream final : public InputStream {
public:
  /// `file` is read by nobody else in the meantime.
  ZipStream(InputFile &file, const ZipMember &member);
  ~ZipStream() override;
  ZipStream(const ZipStream &) = delete;
  ZipStream &operator=(const ZipStream &) = delete;

  uint64_t remaining() const override { return member_.size - position_; }
  void read(std::span<std::byte> out, const std::string &part) override;
  const InputFile &file() const override { return file_; }
  std::string place() const override;
  /// Throws unless all has been read, nothing follows, and the checksum is right.
  void finish();

private:
  /// Inflates until `out` is full or the data ends; returns the number of bytes.
  size_t inflateInto(std::span<std::byte> out);

  InputFile &file_;
  const ZipMember &member_;
  uint64_t position_ = 0;
  uint64_t left_; ///< compressed bytes not yet read from the file
  uint32_t checksum_ = 0;
  bool ended_ = false;
  z_stream zlib_ = {};
  std::vector<std::byte> window_;
};

/// Writes an archive; the bytes of stored members are those that Python's zipfile writes.
class ZipWriter {
public:
  explicit ZipWriter(OutputFile &file) : file_(file) {}
  void add(std::string_view name, std::span<const std::span<const std::byte>> parts, bool deflated);
  /// The directory, the last.
  void finish();

private:
  uint64_t writeDeflated(std::span<const std::span<const std::byte>> parts);

  OutputFile &file_;
  std::vector<ZipMember> members_;
};

} // namespace tenon::detail

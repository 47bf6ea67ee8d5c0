//===- ZipWriter.cpp - writing zip archives --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/FileText.h"
#include "lib/io/Zip.h"
#include "lib/io/ZipFormat.h"

#include <algorithm>
#include <bit>

using namespace tenon;
using namespace tenon::detail;

static_assert(std::endian::native == std::endian::little, "numbers are copied to the file as they are");

/// As Python does it: beyond 2^31 - 1, which some readers take for negative, sizes and offsets are in 64 bits.
static constexpr uint64_t wideLimit = 0x7fffffff;
/// Version 4.5 of the format, which has 64 bits; made on Unix.
static constexpr uint8_t version = 45, unixSystem = 3;
/// The first day that the format can say: an archive depends on its arrays alone.
static constexpr uint16_t firstTime = 0, firstDate = 1 << 5 | 1;
/// rw-------
static constexpr uint32_t permissions = 0600u << 16;

namespace {
/// Numbers, one after another.
class Record {
public:
  template <class T>
  Record &operator<<(T number) {
    bytes_.append(reinterpret_cast<const char *>(&number), sizeof number);
    return *this;
  }
  Record &operator<<(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  Record &operator<<(const Record &other) { return *this << std::string_view(other.bytes_); }
  uint16_t size() const { return static_cast<uint16_t>(bytes_.size()); }
  void writeTo(OutputFile &file) const { file.write(std::as_bytes(std::span(bytes_))); }

private:
  std::string bytes_;
};
} // namespace

static bool isAscii(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

static uint16_t flagsOf(const ZipMember &member) {
  return static_cast<uint16_t>((isAscii(member.name) ? 0 : zip::isNamedInUtf8) |
                               (member.isDeflated ? zip::hasDescriptor : 0));
}

static uint16_t methodOf(const ZipMember &member) { return member.isDeflated ? zip::deflated : zip::stored; }

/// A deflated member's checksum and sizes are known when its data is written, and follow it.
static Record headerOf(const ZipMember &member) {
  const bool isKnown = !member.isDeflated;
  Record header;
  header << zip::localHeader << version << uint8_t(0) << flagsOf(member) << methodOf(member) << firstTime << firstDate
         << (isKnown ? member.checksum : 0u) << zip::wide32 << zip::wide32 << static_cast<uint16_t>(member.name.size())
         << uint16_t(20) << std::string_view(member.name);
  header << zip::wideTag << uint16_t(16) << (isKnown ? member.size : uint64_t(0))
         << (isKnown ? member.compressedSize : uint64_t(0));
  return header;
}

void ZipWriter::add(std::string_view name, std::span<const std::span<const std::byte>> parts, bool deflated) {
  if (name.size() > 0xffff || name.find('\0') != std::string_view::npos || !isUtf8(name))
    file_.fail("expected names in UTF-8 of at most 65535 bytes without zeros, got " + quotedText(name));
  ZipMember member;
  member.name = name;
  member.isDeflated = deflated;
  member.header = file_.written();
  uLong checksum = 0;
  for (std::span<const std::byte> part : parts) {
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef *>(part.data()), part.size());
    member.size += part.size();
  }
  member.checksum = static_cast<uint32_t>(checksum);
  member.compressedSize = member.size;
  headerOf(member).writeTo(file_);
  if (deflated) {
    member.compressedSize = writeDeflated(parts);
    Record sizes;
    sizes << zip::descriptor << member.checksum << member.compressedSize << member.size;
    sizes.writeTo(file_);
  } else {
    for (std::span<const std::byte> part : parts)
      file_.write(part);
  }
  members_.push_back(std::move(member));
}

uint64_t ZipWriter::writeDeflated(std::span<const std::span<const std::byte>> parts) {
  z_stream zlib = {};
  if (deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    file_.fail("cannot start zlib");
  const std::unique_ptr<z_stream, int (*)(z_stream *)> end(&zlib, deflateEnd);
  const uint64_t before = file_.written();
  std::vector<std::byte> window(1 << 16);
  auto deflateAll = [&](int flush) {
    do {
      zlib.next_out = reinterpret_cast<Bytef *>(window.data());
      zlib.avail_out = static_cast<uInt>(window.size());
      deflate(&zlib, flush);
      file_.write(std::span(window).first(window.size() - zlib.avail_out));
    } while (zlib.avail_out == 0);
  };
  for (std::span<const std::byte> part : parts)
    while (!part.empty()) {
      // zlib counts in 32 bits.
      const size_t piece = std::min<size_t>(part.size(), 1u << 30);
      zlib.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(part.data()));
      zlib.avail_in = static_cast<uInt>(piece);
      deflateAll(Z_NO_FLUSH);
      part = part.subspan(piece);
    }
  deflateAll(Z_FINISH);
  return file_.written() - before;
}

/// A member's line in the directory.
static Record entryOf(const ZipMember &member) {
  Record extra;
  const bool isWide = member.size > wideLimit || member.compressedSize > wideLimit;
  if (isWide)
    extra << member.size << member.compressedSize;
  const bool isFar = member.header > wideLimit;
  if (isFar)
    extra << member.header;
  Record extras;
  if (extra.size() > 0)
    extras << zip::wideTag << extra.size() << extra;
  auto narrow = [](bool wide, uint64_t number) { return wide ? zip::wide32 : static_cast<uint32_t>(number); };
  Record entry;
  entry << zip::directoryEntry << version << unixSystem << version << uint8_t(0) << flagsOf(member) << methodOf(member)
        << firstTime << firstDate << member.checksum << narrow(isWide, member.compressedSize)
        << narrow(isWide, member.size) << static_cast<uint16_t>(member.name.size()) << extras.size() << uint16_t(0)
        << uint16_t(0) << uint16_t(0) << permissions << narrow(isFar, member.header) << std::string_view(member.name)
        << extras;
  return entry;
}

void ZipWriter::finish() {
  const uint64_t offset = file_.written();
  for (const ZipMember &member : members_)
    entryOf(member).writeTo(file_);
  const uint64_t end = file_.written(), size = end - offset, count = members_.size();
  const bool isWide = count > 0xffff || offset > wideLimit || size > wideLimit;
  Record last;
  if (isWide) {
    last << zip::wideEnd << uint64_t(zip::wideEndSize - 12) << uint16_t(version) << uint16_t(version) << uint32_t(0)
         << uint32_t(0) << count << count << size << offset;
    last << zip::wideEndLocator << uint32_t(0) << end << uint32_t(1);
  }
  const auto few = static_cast<uint16_t>(std::min<uint64_t>(count, 0xffff));
  auto narrow = [](uint64_t number) { return static_cast<uint32_t>(std::min<uint64_t>(number, zip::wide32)); };
  last << zip::directoryEnd << uint16_t(0) << uint16_t(0) << few << few << narrow(size) << narrow(offset)
       << uint16_t(0);
  last.writeTo(file_);
}

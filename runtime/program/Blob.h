//===- Blob.h - the container of a compiled program -------------*- C++ -*-===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program blob is flat and little endian: a header, a table of sections in
// ascending kind and offset, then the sections, each at a multiple of 8. It
// holds machine code, so a checked blob is an undamaged one, not a safe one:
// what comes from a stranger must be a trace.
//
// Code and data are linked for fixed places relative to each other: text at
// the image's base, data at imageDataOffset(text size), see ImageMemory.h. What only the running
// process knows is left to the fixups.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/machine/Build.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::rt {

inline constexpr char kBlobMagic[8] = {'T', 'N', 'B', 'L', 'O', 'B', '\0', '\1'};
inline constexpr std::uint32_t kBlobVersion = 4;

/// Changes whenever a kernel's calling convention, the schedule's form or the
/// meaning of a row of Symbols.def changes.
inline constexpr std::uint32_t kRuntimeAbi = 2;

enum class BlobArch : std::uint32_t { X86_64 = 1 };

/// Kinds are written in this order, each at most once; a missing one is empty.
enum class BlobSection : std::uint32_t {
  Text = 1, ///< machine code, mapped read and execute
  Data,     ///< constants, tables and import slots, mapped read-only
  Fixups,   ///< array of Fixup, ascending slots
  Entries,  ///< array of u32: where each kernel starts in text
  Symbols,  ///< array of u32: rows of Symbols.def
  Schedule, ///< bytes, the schedule's own reader checks them
  Names,    ///< one null-terminated name per entry
  Debug,    ///< bytes, for debuggers only
};
inline constexpr std::uint32_t kBlobSectionKinds = 8;

enum class FixupKind : std::uint32_t {
  Symbol = 1, ///< slot = address of symbol `value` of the Symbols section
  Base = 2,   ///< slot = image base + value (any value: IR may point before an object)
};

/// One 8-byte word of data that the loader fills. `slot` is its offset there.
struct Fixup {
  std::uint32_t slot;
  FixupKind kind;
  std::int64_t value;

  bool operator==(const Fixup &) const = default;
};
static_assert(sizeof(Fixup) == 16);

struct BlobHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t checksum; ///< of all other bytes, see blobChecksum
  std::uint64_t totalSize;
  std::array<std::uint8_t, 16> buildId; ///< of what its code and its steps stand on, see Build.h
  std::uint32_t runtimeAbi;
  BlobArch arch;
  std::uint64_t isa; ///< bits of Cpu.h that the code needs
  std::uint32_t sectionCount;
  std::uint32_t zero;
};
static_assert(sizeof(BlobHeader) == 64);

struct BlobSectionEntry {
  BlobSection kind;
  std::uint32_t zero;
  std::uint64_t offset; ///< from the blob's start, a multiple of 8
  std::uint64_t size;   ///< in bytes
};
static_assert(sizeof(BlobSectionEntry) == 24);

inline constexpr std::size_t kImagePage = 4096;

/// Images share regions in which text and data have a window each.
inline constexpr std::size_t kImageWindow = std::size_t(2) << 20;

/// Where data starts, counted from the image's base: in the next window, if it is
/// not full of text.
constexpr std::size_t imageDataOffset(std::size_t textSize) {
  return textSize <= kImageWindow ? kImageWindow : (textSize + kImagePage - 1) & ~(kImagePage - 1);
}

/// The small code model reaches this far.
inline constexpr std::size_t kImageLimit = std::size_t(1) << 31;

/// Computes the CRC-32 of all bytes of `blob` but its checksum field. `blob` holds at
/// least a header.
std::uint32_t blobChecksum(std::span<const std::byte> blob);

/// Empty if bytes that start so can be a blob of `size` bytes: all that is known
/// before they are read. Else what parse would say.
std::string checkBlobStart(std::span<const std::byte> start, std::uint64_t size);

/// A checked blob; it refers to the bytes given to parse, at any alignment.
class BlobView {
public:
  /// Checks sizes and identity, the checksum, then every part. On failure the
  /// view is false and `error` says why.
  static BlobView parse(std::span<const std::byte> bytes, std::string &error);

  explicit operator bool() const { return !all.empty(); }

  const BlobHeader &header() const { return head; }
  std::span<const std::byte> bytes() const { return all; }
  std::span<const std::byte> section(BlobSection kind) const { return parts[static_cast<std::uint32_t>(kind) - 1]; }
  std::span<const std::byte> text() const { return section(BlobSection::Text); }
  std::span<const std::byte> data() const { return section(BlobSection::Data); }
  std::span<const std::byte> schedule() const { return section(BlobSection::Schedule); }

  std::size_t fixupCount() const { return section(BlobSection::Fixups).size() / sizeof(Fixup); }
  Fixup fixup(std::size_t i) const;
  std::size_t entryCount() const { return section(BlobSection::Entries).size() / 4; }
  std::uint32_t entry(std::size_t i) const; ///< an offset in text
  std::size_t symbolCount() const { return section(BlobSection::Symbols).size() / 4; }
  std::uint32_t symbol(std::size_t i) const; ///< a row of Symbols.def
  std::vector<std::string_view> names() const;

private:
  std::string checkParts();

  std::span<const std::byte> all;
  BlobHeader head = {};
  std::array<std::span<const std::byte>, kBlobSectionKinds> parts;
};

/// Builds a blob. It checks nothing: what it is given is the compiler's own.
class BlobWriter {
public:
  std::array<std::uint8_t, 16> buildId = rt::buildId();
  std::uint64_t isa = 0;
  std::vector<std::byte> text, data, schedule, debug;
  std::vector<Fixup> fixups;
  std::vector<std::uint32_t> entries, symbols;
  std::vector<std::string> names; ///< one per entry

  std::vector<std::byte> finish() const;
};

} // namespace tenon::rt

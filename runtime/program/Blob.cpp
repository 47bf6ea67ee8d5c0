//===- Blob.cpp - the container of a compiled program ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Blob.h"
#include "Symbols.h"

#include <bit>
#include <cstring>
#include <utility>

#include <zlib.h>

using namespace tenon::rt;

static_assert(std::endian::native == std::endian::little, "a blob is little endian");

template <typename T>
static T read(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::uint32_t tenon::rt::blobChecksum(std::span<const std::byte> blob) {
  constexpr std::size_t field = offsetof(BlobHeader, checksum);
  auto append = [](uLong crc, std::span<const std::byte> bytes) {
    return crc32_z(crc, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
  };
  return static_cast<std::uint32_t>(append(append(0, blob.first(field)), blob.subspan(field + 4)));
}

static const char *sectionName(BlobSection kind) {
  static const char *const names[] = {"text", "data", "fixups", "entries", "symbols", "schedule", "names", "debug"};
  return names[static_cast<std::uint32_t>(kind) - 1];
}

static std::string str(std::uint64_t value) { return std::to_string(value); }

/// Bytes as in a C string literal, without the quotes.
static std::string escaped(std::span<const char> bytes) {
  std::string text;
  for (char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= ' ' && code < 127)
      text += c;
    else
      text += {'\\', 'x', "0123456789abcdef"[code / 16], "0123456789abcdef"[code % 16]};
  }
  return text;
}

/// Sizes and identity: is it a blob, whole, and of a kind this runtime reads?
static std::string checkIdentity(std::uint64_t size, const BlobHeader &head) {
  if (std::memcmp(head.magic, kBlobMagic, sizeof(kBlobMagic)) != 0)
    return "expected the magic " + escaped(kBlobMagic) + ", got '" + escaped(head.magic) + "'";
  if (head.version != kBlobVersion)
    return "expected blob version " + str(kBlobVersion) + ", got " + str(head.version) +
           ": another version of Tenon made it";
  if (head.totalSize != size)
    return "expected " + str(head.totalSize) + " bytes, got " + str(size);
  if (head.runtimeAbi != kRuntimeAbi)
    return "expected runtime ABI " + str(kRuntimeAbi) + ", got " + str(head.runtimeAbi);
  if (head.buildId != buildId())
    return "expected the build " + buildText(buildId()) + ", got " + buildText(head.buildId) +
           ": its kernels stand on another runtime, make it again";
  if (head.arch != BlobArch::X86_64)
    return "expected architecture x86-64, got number " + str(static_cast<std::uint32_t>(head.arch));
  return {};
}

std::string tenon::rt::checkBlobStart(std::span<const std::byte> start, std::uint64_t size) {
  std::string why = start.size() < sizeof(BlobHeader)
                        ? "expected at least " + str(sizeof(BlobHeader)) + " bytes, got " + str(size)
                        : checkIdentity(size, read<BlobHeader>(start, 0));
  return why.empty() ? why : "program blob: " + why;
}

BlobView BlobView::parse(std::span<const std::byte> bytes, std::string &error) {
  BlobView view;
  auto fail = [&](const std::string &why) {
    error = "program blob: " + why;
    return BlobView();
  };
  error = checkBlobStart(bytes, bytes.size());
  if (!error.empty())
    return {};
  view.head = read<BlobHeader>(bytes, 0);
  if (view.head.checksum != blobChecksum(bytes))
    return fail("it is damaged: its checksum does not match");
  view.all = bytes;
  if (std::string why = view.checkParts(); !why.empty())
    return fail(why);
  return view;
}

std::string BlobView::checkParts() {
  if (head.sectionCount > kBlobSectionKinds)
    return "expected at most " + str(kBlobSectionKinds) + " sections, got " + str(head.sectionCount);
  std::size_t end = sizeof(BlobHeader) + head.sectionCount * sizeof(BlobSectionEntry);
  if (end > all.size())
    return "expected at least " + str(end) + " bytes for " + str(head.sectionCount) + " sections, got " +
           str(all.size());

  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < head.sectionCount; ++i) {
    auto entry = read<BlobSectionEntry>(all, sizeof(BlobHeader) + i * sizeof(BlobSectionEntry));
    std::uint32_t kind = static_cast<std::uint32_t>(entry.kind);
    if (kind <= last || kind > kBlobSectionKinds)
      return "section " + str(i) + ": expected kinds 1 to " + str(kBlobSectionKinds) + " in ascending order, got " +
             str(kind) + " after " + str(last);
    if (entry.offset % 8 != 0 || entry.offset < end || entry.offset > all.size() ||
        entry.size > all.size() - entry.offset)
      return std::string("section ") + sectionName(entry.kind) + ": expected a multiple of 8 from " + str(end) +
             " on and an end within " + str(all.size()) + " bytes, got " + str(entry.size) + " bytes at " +
             str(entry.offset);
    parts[kind - 1] = all.subspan(entry.offset, entry.size);
    end = entry.offset + entry.size;
    last = kind;
  }

  if (text().size() >= kImageLimit || data().size() >= kImageLimit ||
      imageDataOffset(text().size()) + data().size() >= kImageLimit)
    return "expected text and data of less than 2 GiB, got " + str(text().size()) + " and " + str(data().size()) +
           " bytes";
  for (auto [kind, unit] :
       {std::pair(BlobSection::Fixups, sizeof(Fixup)), std::pair(BlobSection::Entries, sizeof(std::uint32_t)),
        std::pair(BlobSection::Symbols, sizeof(std::uint32_t))})
    if (section(kind).size() % unit != 0)
      return std::string("section ") + sectionName(kind) + ": expected whole rows of " + str(unit) + " bytes, got " +
             str(section(kind).size()) + " bytes";

  for (std::size_t i = 0; i < symbolCount(); ++i)
    if (symbol(i) >= kRuntimeSymbolCount)
      return "expected a runtime symbol below " + str(kRuntimeSymbolCount) + ", got " + str(symbol(i));

  std::uint64_t nextSlot = 0;
  for (std::size_t i = 0; i < fixupCount(); ++i) {
    Fixup f = fixup(i);
    if (f.slot % 8 != 0 || f.slot < nextSlot || f.slot + std::uint64_t(8) > data().size())
      return "fixup " + str(i) + ": expected a slot of 8 bytes at a multiple of 8 from " + str(nextSlot) + " on in " +
             str(data().size()) + " bytes of data, got slot " + str(f.slot);
    nextSlot = f.slot + std::uint64_t(8);
    if (f.kind != FixupKind::Symbol && f.kind != FixupKind::Base)
      return "fixup " + str(i) + ": expected kind 1 or 2, got " + str(static_cast<std::uint32_t>(f.kind));
    if (f.kind == FixupKind::Symbol && static_cast<std::uint64_t>(f.value) >= symbolCount())
      return "fixup " + str(i) + ": expected a symbol below " + str(symbolCount()) + ", got " + std::to_string(f.value);
  }

  for (std::size_t i = 0; i < entryCount(); ++i)
    if (entry(i) >= text().size())
      return "entry " + str(i) + ": expected a place within " + str(text().size()) + " bytes of text, got " +
             str(entry(i));

  std::size_t terminators = 0;
  std::span<const std::byte> nameBytes = section(BlobSection::Names);
  for (std::byte b : nameBytes)
    terminators += b == std::byte(0);
  if (terminators != entryCount())
    return "expected " + str(entryCount()) + " terminated names, got " + str(terminators);
  if (!nameBytes.empty() && nameBytes.back() != std::byte(0))
    return "expected a 0 after the last name, got " + str(static_cast<std::uint64_t>(nameBytes.back()));
  return {};
}

Fixup BlobView::fixup(std::size_t i) const { return read<Fixup>(section(BlobSection::Fixups), i * sizeof(Fixup)); }

std::uint32_t BlobView::entry(std::size_t i) const { return read<std::uint32_t>(section(BlobSection::Entries), i * 4); }

std::uint32_t BlobView::symbol(std::size_t i) const {
  return read<std::uint32_t>(section(BlobSection::Symbols), i * 4);
}

std::vector<std::string_view> BlobView::names() const {
  std::vector<std::string_view> result;
  result.reserve(entryCount());
  const char *at = reinterpret_cast<const char *>(section(BlobSection::Names).data());
  for (std::size_t i = 0; i < entryCount(); ++i) {
    result.emplace_back(at);
    at += result.back().size() + 1;
  }
  return result;
}

std::vector<std::byte> BlobWriter::finish() const {
  std::string joined;
  for (const std::string &name : names)
    joined.append(name.c_str(), name.size() + 1);

  const std::span<const std::byte> contents[kBlobSectionKinds] = {text,
                                                                  data,
                                                                  std::as_bytes(std::span(fixups)),
                                                                  std::as_bytes(std::span(entries)),
                                                                  std::as_bytes(std::span(symbols)),
                                                                  schedule,
                                                                  std::as_bytes(std::span(joined)),
                                                                  debug};

  std::vector<BlobSectionEntry> table;
  for (std::uint32_t i = 0; i < kBlobSectionKinds; ++i)
    if (!contents[i].empty())
      table.push_back({static_cast<BlobSection>(i + 1), 0, 0, contents[i].size()});
  std::size_t size = sizeof(BlobHeader) + table.size() * sizeof(BlobSectionEntry);
  for (BlobSectionEntry &entry : table) {
    entry.offset = (size + 7) & ~std::size_t(7);
    size = entry.offset + entry.size;
  }

  BlobHeader head = {};
  std::memcpy(head.magic, kBlobMagic, sizeof(kBlobMagic));
  head.version = kBlobVersion;
  head.totalSize = size;
  head.buildId = buildId;
  head.runtimeAbi = kRuntimeAbi;
  head.arch = BlobArch::X86_64;
  head.isa = isa;
  head.sectionCount = static_cast<std::uint32_t>(table.size());

  std::vector<std::byte> blob(size);
  std::memcpy(blob.data(), &head, sizeof(head));
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::memcpy(blob.data() + sizeof(head) + i * sizeof(BlobSectionEntry), &table[i], sizeof(BlobSectionEntry));
    std::span<const std::byte> from = contents[static_cast<std::uint32_t>(table[i].kind) - 1];
    std::memcpy(blob.data() + table[i].offset, from.data(), from.size());
  }
  std::uint32_t checksum = blobChecksum(blob);
  std::memcpy(blob.data() + offsetof(BlobHeader, checksum), &checksum, sizeof(checksum));
  return blob;
}

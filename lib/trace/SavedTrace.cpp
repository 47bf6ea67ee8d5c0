//===- SavedTrace.cpp - the container of a saved trace ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Little endian: magic "TNSAVED\0", u32 version, u32 crc32 of all that follows,
// the build that wrote it (16 bytes), u64 size of the canonical bytes, u64 size of
// the side table, then both.
//===----------------------------------------------------------------------===//
#include "lib/trace/Trace.h"

#include "runtime/machine/Build.h"

#include <tenon/error.h>

#include <cstring>
#include <zlib.h>

using namespace tenon;

static constexpr char magic[8] = "TNSAVED";
static constexpr uint32_t version = 2;

namespace {
struct Header {
  char magic[8];
  uint32_t version, checksum;
  std::array<uint8_t, 16> build;
  uint64_t bytes, sideTable;
};
} // namespace
static_assert(sizeof(Header) == packedHeaderBytes);
/// The checksum covers what stands behind it.
static constexpr size_t checkedFrom = offsetof(Header, build);

static uint32_t checksum(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

std::vector<std::byte> tenon::packTrace(const Trace &trace) { return packTrace(trace.bytes(), trace.sideTable()); }

std::vector<std::byte> tenon::packTrace(std::span<const std::byte> bytes, std::span<const std::byte> side) {
  std::vector<std::byte> file(sizeof(Header));
  Header header{{}, version, 0, rt::buildId(), bytes.size(), side.size()};
  std::memcpy(header.magic, magic, sizeof magic);
  file.insert(file.end(), bytes.begin(), bytes.end());
  file.insert(file.end(), side.begin(), side.end());
  std::memcpy(file.data(), &header, sizeof header);
  header.checksum = checksum(std::span(file).subspan(checkedFrom));
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

[[noreturn]] static void fail(const std::string &name, const std::string &what) {
  throw Error("cannot read the trace '" + name + "': " + what);
}

void tenon::checkPacked(std::span<const std::byte> start, uint64_t size, const std::string &name) {
  Header header;
  if (start.size() < sizeof header)
    fail(name, "expected at least " + std::to_string(sizeof header) + " bytes, got " + std::to_string(size));
  std::memcpy(&header, start.data(), sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0)
    fail(name, "it does not start with TNSAVED");
  if (header.version != version)
    fail(name, "expected version " + std::to_string(version) + ", got " + std::to_string(header.version) +
                   ": another version of Tenon saved it");
  uint64_t left = size - sizeof header;
  if (header.bytes > left || header.sideTable != left - header.bytes)
    fail(name, "expected " + std::to_string(header.bytes) + " + " + std::to_string(header.sideTable) +
                   " bytes after the header, got " + std::to_string(left));
}

TraceRef tenon::unpackTrace(std::span<const std::byte> file, const std::string &name) {
  checkPacked(file, file.size(), name);
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  if (uint32_t found = checksum(file.subspan(checkedFrom)); found != header.checksum)
    fail(name, "its checksum does not match: the file is damaged");
  std::span<const std::byte> body = file.subspan(sizeof header);
  try {
    return Trace::read(body.first(header.bytes), body.subspan(header.bytes));
  } catch (const Error &error) {
    // Attributes of ops and composites are those of a build.
    fail(name, header.build == rt::buildId() ? error.message()
                                             : error.message() + "; the build " + rt::buildText(header.build) +
                                                   " saved it, this is " + rt::buildText(rt::buildId()));
  }
}

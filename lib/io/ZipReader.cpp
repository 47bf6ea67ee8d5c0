//===- ZipReader.cpp - reading zip archives --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/FileText.h"
#include "lib/io/Zip.h"
#include "lib/io/ZipFormat.h"
#include "runtime/memory/FileBytes.h"
#include "runtime/memory/Memory.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <set>

using namespace tenon;
using namespace tenon::detail;

static_assert(std::endian::native == std::endian::little, "numbers are copied from the file as they are");

namespace {
/// Numbers of a part of the file that was read, one after another.
class Numbers {
public:
  Numbers(std::span<const std::byte> bytes, const InputFile &file, const char *part)
      : bytes_(bytes), file_(file), part_(part) {}

  template <class T>
  T next() {
    T number;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  uint16_t next16() { return next<uint16_t>(); }
  uint32_t next32() { return next<uint32_t>(); }
  uint64_t next64() { return next<uint64_t>(); }
  std::span<const std::byte> take(size_t size) {
    if (size > bytes_.size())
      file_.fail("expected " + std::to_string(size) + " more bytes in " + part_ + " of the archive, got " +
                 std::to_string(bytes_.size()));
    std::span<const std::byte> taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  void skip(size_t size) { take(size); }
  bool empty() const { return bytes_.empty(); }

private:
  std::span<const std::byte> bytes_;
  const InputFile &file_;
  const char *part_;
};

/// Where the directory lies.
struct Directory {
  uint64_t offset, size, entries;
};
} // namespace

static std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

static std::string hexText(uint32_t number) {
  char out[16];
  std::snprintf(out, sizeof out, "0x%08x", number);
  return out;
}

/// The end of the directory in 64 bits, which stands before that in 32 bits at `end`;
/// false if there is none.
static bool readWideEnd(InputFile &file, uint64_t end, Directory &directory, uint64_t &place) {
  std::byte bytes[zip::wideEndSize];
  if (end < zip::wideEndLocatorSize + zip::wideEndSize)
    return false;
  file.seek(end - zip::wideEndLocatorSize);
  file.read(std::span(bytes).first(zip::wideEndLocatorSize), "the directory's end");
  Numbers locator(std::span<const std::byte>(bytes).first(zip::wideEndLocatorSize), file, "the directory's end");
  if (locator.next32() != zip::wideEndLocator)
    return false;
  locator.skip(4);
  place = locator.next64();
  if (place != end - zip::wideEndLocatorSize - zip::wideEndSize)
    file.fail("expected the archive's directory to end at byte " +
              std::to_string(end - zip::wideEndLocatorSize - zip::wideEndSize) + ", got " + std::to_string(place));
  file.seek(place);
  file.read(bytes, "the directory's end");
  Numbers numbers(bytes, file, "the directory's end");
  if (uint32_t mark = numbers.next32(); mark != zip::wideEnd)
    file.fail("expected the end of the archive's directory, got " + hexText(mark));
  numbers.skip(8 + 2 + 2);
  if (numbers.next32() != 0 || numbers.next32() != 0)
    file.fail("expected an archive of one file, got a part of several");
  numbers.skip(8);
  directory.entries = numbers.next64();
  directory.size = numbers.next64();
  directory.offset = numbers.next64();
  return true;
}

static Directory findDirectory(InputFile &file) {
  const uint64_t size = file.size();
  if (size < zip::directoryEndSize)
    file.fail("expected a zip archive of at least " + std::to_string(zip::directoryEndSize) + " bytes, got " +
              std::to_string(size));
  // A comment of at most 65535 bytes ends the file.
  std::vector<std::byte> tail(std::min<uint64_t>(size, zip::directoryEndSize + 65535));
  file.seek(size - tail.size());
  file.read(tail, "the end of the archive");
  size_t at = tail.size() - zip::directoryEndSize + 1;
  auto isEnd = [&](size_t place) {
    uint32_t mark;
    uint16_t comment;
    std::memcpy(&mark, tail.data() + place, sizeof mark);
    std::memcpy(&comment, tail.data() + place + zip::directoryEndSize - sizeof comment, sizeof comment);
    return mark == zip::directoryEnd && place + zip::directoryEndSize + comment == tail.size();
  };
  do {
    if (at == 0)
      file.fail("expected the directory of a zip archive at the end, got none: the file is cut short, or is not .npz");
  } while (!isEnd(--at));

  Numbers numbers(std::span<const std::byte>(tail).subspan(at + 4), file, "the directory's end");
  const uint16_t disk = numbers.next16(), first = numbers.next16();
  numbers.skip(2);
  Directory directory{};
  directory.entries = numbers.next16();
  directory.size = numbers.next32();
  directory.offset = numbers.next32();
  uint64_t end = size - tail.size() + at;
  if (uint64_t place = 0; readWideEnd(file, end, directory, place))
    end = place;
  else if (disk != 0 || first != 0)
    file.fail("expected an archive of one file, got a part of several");
  if (directory.offset > end || directory.size != end - directory.offset)
    file.fail("expected the archive's directory to end at byte " + std::to_string(end) + ", got " +
              std::to_string(directory.size) + " bytes from " + std::to_string(directory.offset));
  if (directory.entries > directory.size / zip::directoryEntrySize)
    file.fail("expected at most " + std::to_string(directory.size / zip::directoryEntrySize) +
              " members in an archive's directory of " + std::to_string(directory.size) + " bytes, got " +
              std::to_string(directory.entries));
  return directory;
}

/// Numbers that do not fit their 32 bits, from the extra fields.
static void widen(Numbers extra, ZipMember &member, const InputFile &file) {
  while (!extra.empty()) {
    const uint16_t tag = extra.next16(), size = extra.next16();
    Numbers field(extra.take(size), file, "an extra field");
    if (tag != zip::wideTag)
      continue;
    for (uint64_t *number : {&member.size, &member.compressedSize, &member.header})
      if (*number == zip::wide32)
        *number = field.next64();
    return;
  }
}

static ZipMember readEntry(Numbers &numbers, const InputFile &file) {
  ZipMember member;
  if (uint32_t mark = numbers.next32(); mark != zip::directoryEntry)
    file.fail("expected a member in the archive's directory, got " + hexText(mark));
  numbers.skip(2 + 2);
  const uint16_t flags = numbers.next16(), method = numbers.next16();
  numbers.skip(2 + 2);
  member.checksum = numbers.next32();
  member.compressedSize = numbers.next32();
  member.size = numbers.next32();
  const uint16_t nameSize = numbers.next16(), extraSize = numbers.next16(), commentSize = numbers.next16();
  numbers.skip(2 + 2 + 4);
  member.header = numbers.next32();
  member.name = text(numbers.take(nameSize));
  auto fail = [&](const std::string &message) { file.fail(message + "\n  member: " + quotedText(member.name)); };
  widen(Numbers(numbers.take(extraSize), file, "an extra field"), member, file);
  numbers.skip(commentSize);
  if (flags & zip::refusedFlags)
    fail("expected a member without a password, got an encrypted one");
  if (method != zip::stored && method != zip::deflated)
    fail("expected a member that is stored (0) or deflated (8), got method " + std::to_string(method));
  member.isDeflated = method == zip::deflated;
  // Before memory is asked for: a size that cannot be must not exhaust it.
  const uint64_t most =
      member.isDeflated ? rt::addSizes(rt::multiplySizes(member.compressedSize, 1032), 1032) : member.compressedSize;
  if (member.isDeflated ? member.size > most : member.size != most)
    fail("expected " + std::string(member.isDeflated ? "at most " : "") + std::to_string(most) + " bytes from " +
         std::to_string(member.compressedSize) + " in the file, got " + std::to_string(member.size));
  return member;
}

/// Finds where the member's bytes start, after a header of its own.
static void findData(InputFile &file, ZipMember &member, uint64_t end) {
  auto fail = [&](const std::string &message) { file.fail(message + "\n  member: " + quotedText(member.name)); };
  if (member.header > end || end - member.header < zip::localHeaderSize)
    fail("expected a member before the directory at byte " + std::to_string(end) + ", got one at byte " +
         std::to_string(member.header));
  std::byte bytes[zip::localHeaderSize];
  file.seek(member.header);
  file.read(bytes, "a member's header");
  Numbers numbers(bytes, file, "a member's header");
  if (uint32_t mark = numbers.next32(); mark != zip::localHeader)
    fail("expected a member's header at byte " + std::to_string(member.header) + ", got " + hexText(mark));
  numbers.skip(22);
  const uint16_t nameSize = numbers.next16(), extraSize = numbers.next16();
  member.data = member.header + zip::localHeaderSize + nameSize + extraSize;
  if (member.data > end || member.compressedSize > end - member.data)
    fail("expected " + std::to_string(member.compressedSize) + " bytes of data before the directory at byte " +
         std::to_string(end) + ", got them from byte " + std::to_string(member.data));
  std::string name(nameSize, '\0');
  file.read(std::as_writable_bytes(std::span(name)), "a member's name");
  if (name != member.name)
    fail("expected a member's header of the same name at byte " + std::to_string(member.header) + ", got " +
         quotedText(name));
}

std::vector<ZipMember> detail::readZipDirectory(InputFile &file) {
  const Directory directory = findDirectory(file);
  rt::FileBytes bytes(directory.size, file);
  file.seek(directory.offset);
  file.read(bytes, "the archive's directory");
  Numbers numbers(std::span<std::byte>(bytes), file, "the directory");
  std::vector<ZipMember> members;
  std::set<std::string_view> names;
  members.reserve(directory.entries);
  while (!numbers.empty() && members.size() < directory.entries) {
    members.push_back(readEntry(numbers, file));
    if (!names.insert(members.back().name).second)
      file.fail("expected members with names that differ, got " + quotedText(members.back().name) + " twice");
  }
  if (!numbers.empty() || members.size() < directory.entries)
    file.fail("expected " + std::to_string(directory.entries) + " members in the archive's directory, got " +
              std::to_string(members.size()) + (numbers.empty() ? "" : " and more bytes"));
  std::vector<const ZipMember *> inOrder;
  for (ZipMember &member : members) {
    findData(file, member, directory.offset);
    inOrder.push_back(&member);
  }
  std::sort(inOrder.begin(), inOrder.end(), [](auto *a, auto *b) { return a->header < b->header; });
  for (size_t i = 1; i < inOrder.size(); ++i)
    if (inOrder[i]->header < inOrder[i - 1]->data + inOrder[i - 1]->compressedSize)
      file.fail("expected members apart from each other, got " + quotedText(inOrder[i]->name) + " inside of " +
                quotedText(inOrder[i - 1]->name));
  return members;
}

ZipStream::ZipStream(InputFile &file, const ZipMember &member)
    : file_(file), member_(member), left_(member.compressedSize) {
  file_.seek(member.data);
  if (!member.isDeflated)
    return;
  // Before zlib starts: nothing would end it if there were no memory.
  window_.resize(1 << 16);
  if (inflateInit2(&zlib_, -15) != Z_OK) // without a header or checksum of zlib's
    fail("cannot start zlib");
}

ZipStream::~ZipStream() {
  if (member_.isDeflated)
    inflateEnd(&zlib_);
}

std::string ZipStream::place() const { return "\n  member: " + quotedText(member_.name); }

size_t ZipStream::inflateInto(std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size() && !ended_) {
    if (zlib_.avail_in == 0) {
      std::span<std::byte> part = std::span(window_).first(std::min<uint64_t>(window_.size(), left_));
      file_.read(part, "a member");
      left_ -= part.size();
      zlib_.next_in = reinterpret_cast<Bytef *>(window_.data());
      zlib_.avail_in = static_cast<uInt>(part.size());
    }
    // zlib counts in 32 bits.
    const auto piece = static_cast<uInt>(std::min<size_t>(out.size() - done, 1u << 30));
    zlib_.next_out = reinterpret_cast<Bytef *>(out.data() + done);
    zlib_.avail_out = piece;
    const int status = inflate(&zlib_, Z_NO_FLUSH);
    done += piece - zlib_.avail_out;
    ended_ = status == Z_STREAM_END;
    if (status == Z_BUF_ERROR)
      fail("expected the end of the deflated data, got the end of the member");
    if (status != Z_OK && status != Z_STREAM_END)
      fail(std::string("expected valid deflated data, got: ") + (zlib_.msg ? zlib_.msg : zError(status)));
  }
  return done;
}

void ZipStream::read(std::span<std::byte> out, const std::string &part) {
  const size_t wanted = std::min<uint64_t>(out.size(), remaining());
  size_t got = wanted;
  if (member_.isDeflated)
    got = inflateInto(out.first(wanted));
  else
    file_.read(out.first(wanted), part);
  position_ += got;
  checksum_ = static_cast<uint32_t>(crc32_z(checksum_, reinterpret_cast<const Bytef *>(out.data()), got));
  if (got != out.size())
    fail("expected " + std::to_string(out.size()) + " bytes of " + part + ", got " + std::to_string(got));
}

void ZipStream::finish() {
  if (remaining() != 0)
    fail("expected the end of the member, got " + std::to_string(remaining()) + " more bytes");
  std::byte extra;
  if (member_.isDeflated && (inflateInto({&extra, 1}) != 0 || left_ != 0 || zlib_.avail_in != 0))
    fail("expected the end of the deflated data after " + std::to_string(member_.size) + " bytes, got more");
  if (checksum_ != member_.checksum)
    fail("expected the checksum " + hexText(member_.checksum) + ", got " + hexText(checksum_) +
         ": the file is damaged");
}

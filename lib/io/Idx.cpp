//===- Idx.cpp - MNIST's IDX files --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/Idx.h"

#include "lib/array/Text.h"
#include "runtime/memory/FileBytes.h"
#include "runtime/memory/Memory.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <zlib.h>

using namespace tenon;
using namespace tenon::detail;

static_assert(std::endian::native == std::endian::little, "elements are swapped from big-endian");

namespace {
/// The bytes of a file, inflated on the way if it is gzip's.
class IdxStream {
public:
  explicit IdxStream(const std::string &path) : file_("load_idx", path) {
    refill();
    gzip_ = zlib_.avail_in >= 2 && window_[0] == std::byte(0x1f) && window_[1] == std::byte(0x8b);
    if (gzip_ && inflateInit2(&zlib_, 15 + 16) != Z_OK) // 16: gzip's header and checksum
      file_.fail("cannot start zlib");
  }
  ~IdxStream() {
    if (gzip_)
      inflateEnd(&zlib_);
  }
  IdxStream(const IdxStream &) = delete;
  IdxStream &operator=(const IdxStream &) = delete;

  InputFile &file() { return file_; }

  /// The most bytes that can still follow: deflate gains at most 1032 to 1.
  uint64_t limit() const { return gzip_ ? rt::addSizes(rt::multiplySizes(left(), 1032), 65536) : left(); }

  void read(std::span<std::byte> out, const std::string &part) {
    size_t got = readSome(out);
    if (got != out.size())
      file_.fail("expected " + std::to_string(out.size()) + " bytes of " + part + ", got " + std::to_string(got));
  }

  /// Throws unless nothing follows, gzip's checksum included.
  void finish() {
    std::byte extra;
    const uint64_t more = left();
    if (readSome({&extra, 1}) != 0)
      file_.fail("expected the end of the file, got " + (gzip_ ? "more data" : std::to_string(more) + " more bytes"));
  }

private:
  /// Returns fewer bytes than asked for only at the end of the data.
  size_t readSome(std::span<std::byte> out) {
    size_t done = 0;
    while (done < out.size()) {
      // zlib counts in 32 bits.
      auto piece = static_cast<uInt>(std::min<size_t>(out.size() - done, 1u << 30));
      uInt got = gzip_ ? inflateSome(out.data() + done, piece) : copySome(out.data() + done, piece);
      if (got == 0)
        break;
      done += got;
    }
    return done;
  }

  /// Bytes of the file not yet given out, or not yet given to zlib.
  uint64_t left() const { return zlib_.avail_in + file_.remaining(); }

  void refill() {
    std::span<std::byte> part = std::span(window_).first(std::min<uint64_t>(sizeof window_, file_.remaining()));
    file_.read(part, "the file");
    zlib_.next_in = reinterpret_cast<Bytef *>(window_);
    zlib_.avail_in = static_cast<uInt>(part.size());
  }

  uInt copySome(std::byte *out, uInt size) {
    size = static_cast<uInt>(std::min<uint64_t>(size, left()));
    uInt known = std::min(size, zlib_.avail_in);
    std::memcpy(out, zlib_.next_in, known);
    zlib_.next_in += known;
    zlib_.avail_in -= known;
    file_.read({out + known, size - known}, "the file");
    return size;
  }

  uInt inflateSome(std::byte *out, uInt size) {
    zlib_.next_out = reinterpret_cast<Bytef *>(out);
    zlib_.avail_out = size;
    while (zlib_.avail_out == size && !ended_) {
      if (zlib_.avail_in == 0)
        refill();
      int status = inflate(&zlib_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        // Members may follow one another, as gzip allows; anything else may not.
        ended_ = left() == 0;
        if (!ended_)
          inflateReset(&zlib_);
      } else if (status == Z_BUF_ERROR) {
        file_.fail("expected the end of the gzip data, got the end of the file");
      } else if (status != Z_OK) {
        file_.fail(std::string("expected valid gzip data, got: ") + (zlib_.msg ? zlib_.msg : zError(status)));
      }
    }
    return size - zlib_.avail_out;
  }

  InputFile file_;
  std::byte window_[1 << 16];
  z_stream zlib_ = {}; ///< its input is what of the window is left, also without gzip
  bool gzip_ = false, ended_ = false;
};
} // namespace

static Dtype dtypeOf(unsigned code, const InputFile &file) {
  switch (code) {
  case 0x08:
    return Dtype::u8;
  case 0x09:
    return Dtype::i8;
  case 0x0b:
    return Dtype::i16;
  case 0x0c:
    return Dtype::i32;
  case 0x0d:
    return Dtype::f32;
  case 0x0e:
    return Dtype::f64;
  }
  char text[8];
  std::snprintf(text, sizeof(text), "0x%02x", code);
  file.fail(std::string("expected type 0x08 (u8), 0x09 (i8), 0x0b (i16), 0x0c (i32), 0x0d (f32) or 0x0e (f64), got ") +
            text);
}

void tenon::detail::readIdx(const std::string &path, const MakeRoom &makeRoom) {
  const std::string compressed = path + ".gz";
  const bool isCompressedOnly = access(path.c_str(), F_OK) != 0 && access(compressed.c_str(), F_OK) == 0;
  IdxStream stream(isCompressedOnly ? compressed : path);
  std::byte start[4];
  stream.read(start, "magic");
  unsigned codes[4];
  for (int i = 0; i < 4; ++i)
    codes[i] = std::to_integer<unsigned>(start[i]);
  if (codes[0] != 0 || codes[1] != 0) {
    char text[16];
    std::snprintf(text, sizeof(text), "0x%02x 0x%02x", codes[0], codes[1]);
    stream.file().fail(std::string("expected two zero bytes at the start, got ") + text);
  }

  const Dtype dtype = dtypeOf(codes[2], stream.file());
  std::vector<int64_t> dims;
  for (unsigned i = 0; i < codes[3]; ++i) {
    std::byte size[4];
    stream.read(size, "size " + std::to_string(i) + " of " + std::to_string(codes[3]));
    int64_t dim = 0;
    for (std::byte part : size)
      dim = dim << 8 | std::to_integer<int64_t>(part);
    dims.push_back(dim);
  }
  size_t item = item_size(dtype);
  int64_t size = byteSize(dims, item, FileStream(stream.file()));
  std::string part = "data for " + std::string(name(dtype)) + " " + shapeText(dims);
  // Before memory is asked for: a corrupt size must not exhaust it.
  if (static_cast<uint64_t>(size) > stream.limit())
    stream.file().fail("expected " + std::to_string(size) + " bytes of " + part + ", got at most " +
                       std::to_string(stream.limit()));
  rt::expectMemoryFor(static_cast<uint64_t>(size), stream.file());
  std::span<std::byte> out(makeRoom(dtype, dims), static_cast<size_t>(size));
  stream.read(out, part);
  stream.finish();
  for (size_t i = 0; item > 1 && i < out.size(); i += item)
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(i), out.begin() + static_cast<std::ptrdiff_t>(i + item));
}

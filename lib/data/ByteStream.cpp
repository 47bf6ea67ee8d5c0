//===- ByteStream.cpp - the bytes of a file, inflated on the way ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/ByteStream.h"

#include <algorithm>
#include <cstring>

using namespace tenon;
using namespace tenon::data::detail;

ByteStream::ByteStream(const std::string &what, const std::string &path) : file_(what, path), window_(size_t(1) << 16) {
  refill();
}

ByteStream::~ByteStream() {
  if (isGzip_)
    inflateEnd(&zlib_);
}

void ByteStream::inflateGzip() {
  if (inflateInit2(&zlib_, 15 + 16) != Z_OK) // 16: gzip's header and checksum
    file_.fail("cannot start zlib");
  isGzip_ = true;
}

void ByteStream::refill() {
  const std::span part = std::span(window_).first(std::min<uint64_t>(window_.size(), file_.remaining()));
  file_.read(part, "the file");
  zlib_.next_in = reinterpret_cast<Bytef *>(window_.data());
  zlib_.avail_in = static_cast<uInt>(part.size());
}

size_t ByteStream::read(std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size() && !hasEnded_) {
    if (zlib_.avail_in == 0)
      refill();
    if (!isGzip_) {
      const size_t part = std::min<size_t>(out.size() - done, zlib_.avail_in);
      hasEnded_ = part == 0;
      std::memcpy(out.data() + done, zlib_.next_in, part);
      zlib_.next_in += part;
      zlib_.avail_in -= static_cast<uInt>(part);
      done += part;
      continue;
    }
    const auto room = static_cast<uInt>(std::min<size_t>(out.size() - done, size_t(1) << 30)); // zlib counts in 32 bits
    zlib_.next_out = reinterpret_cast<Bytef *>(out.data() + done);
    zlib_.avail_out = room;
    const int status = inflate(&zlib_, Z_NO_FLUSH);
    done += room - zlib_.avail_out;
    if (status == Z_STREAM_END) {
      // Members may follow one another, as gzip allows.
      hasEnded_ = zlib_.avail_in + file_.remaining() == 0;
      if (!hasEnded_)
        inflateReset(&zlib_);
    } else if (status == Z_BUF_ERROR && zlib_.avail_in == 0 && file_.remaining() == 0) {
      file_.fail("expected the end of the gzip data, got the end of the file");
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      file_.fail(std::string("expected valid gzip data, got: ") + (zlib_.msg ? zlib_.msg : zError(status)));
    }
  }
  return done;
}

bool data::detail::isGzip(std::span<const std::byte> start) {
  return start.size() >= 3 && start[0] == std::byte(0x1f) && start[1] == std::byte(0x8b) && start[2] == std::byte(8);
}

//===- Png.cpp - images as PNG files --------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by hand: of libpng the library would need a tenth, and every program that links it a third library.
//===----------------------------------------------------------------------===//
#include "lib/io/Png.h"

#include <tenon/error.h>

#include <zlib.h>

using namespace tenon;

static void appendBigEndian(std::string &out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
}
/// Length, kind, data, checksum of kind and data.
static void appendChunk(std::string &out, const char *kind, const std::string &data) {
  appendBigEndian(out, static_cast<uint32_t>(data.size()));
  const size_t start = out.size();
  out.append(kind, 4).append(data);
  appendBigEndian(
      out, static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef *>(out.data()) + start, out.size() - start)));
}

std::string detail::pngOf(std::span<const uint8_t> pixels, uint32_t width, uint32_t height, int channels) {
  const size_t row = size_t(width) * static_cast<size_t>(channels);
  std::string raw;
  raw.reserve((row + 1) * height);
  for (size_t y = 0; y < height; ++y) {
    raw += '\0'; // the row's filter: none
    raw.append(reinterpret_cast<const char *>(pixels.data()) + y * row, row);
  }
  std::string packed(compressBound(raw.size()), '\0');
  uLongf size = packed.size();
  if (compress2(reinterpret_cast<Bytef *>(packed.data()), &size, reinterpret_cast<const Bytef *>(raw.data()),
                raw.size(), 6) != Z_OK ||
      size > 0x7fffffff)
    throw Error("expected an image that PNG can hold, got " + std::to_string(width) + " x " + std::to_string(height) +
                " pixels");
  packed.resize(size);

  std::string header;
  appendBigEndian(header, width);
  appendBigEndian(header, height);
  constexpr char kinds[] = {0, 4, 2, 6}; // PNG's numbers of gray, gray and alpha, RGB, RGBA
  header.append({8, kinds[channels - 1], 0, 0, 0});
  std::string out = "\x89PNG\r\n\x1a\n";
  appendChunk(out, "IHDR", header);
  appendChunk(out, "IDAT", packed);
  appendChunk(out, "IEND", "");
  return out;
}

//===- ImageMemory.h - the memory of programs' images -----------*- C++ -*-===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system bounds the mappings of a process (65,530 by default), and past the
// bound malloc and threads fail too. So images share regions: two windows at a
// fixed distance, one of text (read and execute), one of data (read). An image
// has the same pages of both, so that neighbours' pages are one mapping. What
// has not been given out yet is writable; no page is ever writable and
// executable.
//===----------------------------------------------------------------------===//
#pragma once

#include "Blob.h"

#include <utility>

namespace tenon::rt {

/// Pages for one image; given back when it is destroyed.
class ImageMemory {
public:
  /// Writable. False, and why in `error`, if the system refuses.
  static ImageMemory allocate(std::size_t textBytes, std::size_t dataBytes, std::string &error);
  /// Makes the text executable and both unwritable. After false, and `error`, it
  /// may only be destroyed.
  bool seal(std::string &error);

  ImageMemory() = default;
  ImageMemory(ImageMemory &&other) noexcept { swap(other); }
  ImageMemory &operator=(ImageMemory &&other) noexcept {
    ImageMemory(static_cast<ImageMemory &&>(other)).swap(*this);
    return *this;
  }
  ~ImageMemory();

  explicit operator bool() const { return base; }
  std::byte *text() const { return base; }
  std::byte *data() const { return base + imageDataOffset(textBytes); }
  std::size_t bytes() const { return pageBytes(textBytes) + pageBytes(dataBytes); }

  /// Regions mapped now, for tests.
  static std::size_t regions();

private:
  static constexpr std::size_t pageBytes(std::size_t bytes) { return (bytes + kImagePage - 1) & ~(kImagePage - 1); }
  void swap(ImageMemory &other) noexcept {
    std::swap(base, other.base);
    std::swap(textBytes, other.textBytes);
    std::swap(dataBytes, other.dataBytes);
    std::swap(region, other.region);
    std::swap(ownsFile, other.ownsFile);
  }
  /// Room in a region: the pages that text and data take in their windows.
  std::size_t extent() const { return pageBytes(textBytes > dataBytes ? textBytes : dataBytes); }
  bool mapTextFromFile(std::string &error);

  std::byte *base = nullptr;
  std::size_t textBytes = 0, dataBytes = 0;
  struct Region;
  Region *region = nullptr; ///< null: mappings of its own
  bool ownsFile = false;    ///< the text is a file's
  friend struct ImageRegions;
};

} // namespace tenon::rt

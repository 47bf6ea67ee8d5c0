//===- Image.h - a program's machine code, mapped and runnable --*- C++ -*-===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the text and data of a checked blob into memory and fills its fixups. No
// page is ever writable and executable at once. The blob may go away afterwards.
//===----------------------------------------------------------------------===//
#pragma once

#include "ImageMemory.h"

namespace tenon::rt {

/// Owns its memory; gives it back when destroyed, so nothing may run in it then.
class LoadedImage {
public:
  /// On failure the image is false and `error` says why: the processor lacks
  /// what the code needs, or the system permits no new executable memory.
  /// TENON_PERF_MAP=1 names the kernels in /tmp/perf-PID.map.
  static LoadedImage load(const BlobView &blob, std::string &error);

  LoadedImage() = default;
  LoadedImage(LoadedImage &&other) noexcept { swap(other); }
  LoadedImage &operator=(LoadedImage &&other) noexcept {
    LoadedImage(static_cast<LoadedImage &&>(other)).swap(*this);
    return *this;
  }

  explicit operator bool() const { return loaded; }

  std::size_t entryCount() const { return entries.size(); }
  /// The first instruction of kernel `i`, which must be below entryCount().
  const void *entry(std::size_t i) const { return memory.text() + entries[i]; }

  std::size_t mappedBytes() const { return memory.bytes(); }

private:
  void swap(LoadedImage &other) noexcept {
    std::swap(memory, other.memory);
    std::swap(entries, other.entries);
    std::swap(loaded, other.loaded);
  }

  ImageMemory memory;
  std::vector<std::uint32_t> entries;
  bool loaded = false;
};

} // namespace tenon::rt

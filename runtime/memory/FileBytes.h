//===- FileBytes.h - memory for what files hold ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/File.h"

namespace tenon::rt {

/// Throws through `file` if this machine does not have so many bytes of memory: a
/// file may claim any size, and be it all holes.
void expectMemoryFor(uint64_t bytes, const tenon::detail::InputFile &file);

/// Memory for what is read from a file: counted by the memory limit, and not
/// touched before it is read into. Throws Error if it is refused.
class FileBytes {
public:
  FileBytes(size_t size, const tenon::detail::InputFile &file);
  ~FileBytes();
  FileBytes(const FileBytes &) = delete;
  FileBytes &operator=(const FileBytes &) = delete;
  std::byte *data() { return data_; }
  operator std::span<std::byte>() { return {data_, size_}; }

private:
  std::byte *data_;
  size_t size_;
};

} // namespace tenon::rt

//===- FileBytes.h - memory for what files hold ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/File.h"

namespace tenon::detail {

/// Throws through `file` if this machine does not have so many bytes of memory: a
/// file may claim any size, and be it all holes.
void expectMemoryFor(uint64_t bytes, const InputFile &file);

/// Memory for what is read from a file: counted by the memory limit, and not
/// touched before it is read into. Throws Error if it is refused.
class FileBytes {
public:
  FileBytes(size_t size, const InputFile &file);
  ~FileBytes();
  FileBytes(const FileBytes &) = delete;
  FileBytes &operator=(const FileBytes &) = delete;
  std::byte *data() { return data_; }
  operator std::span<std::byte>() { return {data_, size_}; }

private:
  std::byte *data_;
  size_t size_;
};

/// Returns the bytes of an array of these dims; throws through fail if the
/// product is past int64 or a dim is negative. A 0 among the dims does not
/// excuse the others.
int64_t byteSize(std::span<const int64_t> dims, size_t itemSize, const InputFile &file);

} // namespace tenon::detail

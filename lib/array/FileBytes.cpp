//===- FileBytes.cpp - memory for what files hold ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/FileBytes.h"

#include "lib/array/Text.h"
#include "runtime/machine/Machine.h"
#include "runtime/memory/Memory.h"

using namespace tenon;
using namespace tenon::detail;

void detail::expectMemoryFor(uint64_t bytes, const InputFile &file) {
  // Asking takes longer than reading a small file.
  if (bytes < (uint64_t(1) << 28))
    return;
  if (size_t memory = rt::usableMemory(); bytes > memory)
    file.fail("expected at most the " + std::to_string(memory) + " bytes of this machine's memory, got " +
              std::to_string(bytes) + " bytes");
}

FileBytes::FileBytes(size_t size, const InputFile &file) : data_(nullptr), size_(size) {
  expectMemoryFor(size, file);
  rt::AllocationFailure why;
  data_ = static_cast<std::byte *>(rt::tryAllocate(size, &why));
  if (!data_)
    file.fail("cannot read " + std::to_string(size) + " bytes: " + why.message());
}

FileBytes::~FileBytes() { rt::deallocate(data_, size_); }

int64_t detail::byteSize(std::span<const int64_t> dims, size_t itemSize, const InputFile &file) {
  int64_t size = static_cast<int64_t>(itemSize);
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      file.fail("expected sizes of at least 0, got shape " + shapeText(dims));
    empty |= dim == 0;
    if (dim != 0 && __builtin_mul_overflow(size, dim, &size))
      file.fail("expected fewer than 2^63 bytes, got shape " + shapeText(dims));
  }
  return empty ? 0 : size;
}

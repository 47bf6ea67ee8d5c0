//===- FileBytes.cpp - memory for what files hold ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/FileBytes.h"

#include "runtime/machine/Machine.h"
#include "runtime/memory/Memory.h"

using namespace tenon;
using namespace tenon::rt;

void rt::expectMemoryFor(uint64_t bytes, const tenon::detail::InputFile &file) {
  // Asking takes longer than reading a small file.
  if (bytes < (uint64_t(1) << 28))
    return;
  if (size_t memory = usableMemory(); bytes > memory)
    file.fail("expected at most the " + std::to_string(memory) + " bytes of this machine's memory, got " +
              std::to_string(bytes) + " bytes");
}

FileBytes::FileBytes(size_t size, const tenon::detail::InputFile &file) : data_(nullptr), size_(size) {
  expectMemoryFor(size, file);
  AllocationFailure why;
  data_ = static_cast<std::byte *>(tryAllocate(size, &why));
  if (!data_)
    file.fail("cannot read " + std::to_string(size) + " bytes: " + why.message());
}

FileBytes::~FileBytes() { deallocate(data_, size_); }

//===- Linker.h - from LLVM's ELF objects to a flat image -------*- C++ -*-===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges x86-64 relocatable objects (position independent, small code model)
// into one text and one read-only data part at a fixed distance, so that all
// PC-relative relocations are resolved here and the runtime has no ELF code.
// What the entries do not reach is left out, and equal constants are one: of an
// object with fifty kernels a program takes those it runs. (Constants of 64 bytes
// are in one section, which comes as a whole: ELF has no mergeable one for them.)
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/program/Blob.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace tenon::compiler {

/// What a blob needs of its code; see runtime/program/Blob.h for the parts.
struct LinkedImage {
  std::vector<std::byte> text, data;
  std::vector<rt::Fixup> fixups;
  std::vector<std::uint32_t> entries; ///< one per entry name, in their order
  std::vector<std::uint32_t> symbols; ///< rows of Symbols.def
};

/// Links `objects`; their buffers need no alignment. `entryNames` are global
/// functions. What the list of relocations, sections and runtime symbols does
/// not allow is an error that names relocation, section and symbol.
llvm::Expected<LinkedImage> linkImage(llvm::ArrayRef<llvm::MemoryBufferRef> objects,
                                      llvm::ArrayRef<std::string> entryNames);

/// Moves `image` into `writer`.
void addToBlob(LinkedImage image, llvm::ArrayRef<std::string> entryNames, rt::BlobWriter &writer);

} // namespace tenon::compiler

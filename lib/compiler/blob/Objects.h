//===- Objects.h - LLVM's ELF objects in pieces -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <deque>
#include <optional>
#include <vector>

namespace tenon::compiler {

using Elf = llvm::object::ELF64LE;
using ElfFile = llvm::object::ELFFile<Elf>;

enum class Part : unsigned { Text, Data };

struct Object;

/// What is kept or left out as a whole: a section, or one constant of a section
/// of mergeable ones.
struct Piece {
  const Object *object;
  llvm::StringRef section;
  Part part;
  uint64_t alignment;
  llvm::ArrayRef<uint8_t> bytes;
  bool isMergeable;
  llvm::ArrayRef<Elf::Rela> relocations;
  std::optional<uint64_t> place; ///< in its part, once something has reached it
};

/// A place in the image; the offset may lie outside the piece if an addend brings
/// it back.
struct Place {
  Piece *piece;
  int64_t offset;
};

/// The pieces of a section, all of one size, lie one after another.
struct Cut {
  size_t first = 0, count = 0;
  uint64_t size = 0;
};

struct Object {
  llvm::StringRef name;
  ElfFile file;
  Elf::ShdrRange sections;
  Elf::SymRange symbols;
  llvm::StringRef symbolNames;
  llvm::object::DataRegion<Elf::Word> extendedIndices;
  std::vector<llvm::ArrayRef<Elf::Rela>> relocations; // by the index of the section they are for
  std::vector<Cut> cuts;                              // by the section's index
};

/// The objects of an image and their global symbols.
class Objects {
public:
  /// Cuts an object, whose buffer outlives this, into pieces; what may not be in
  /// an image is an error.
  llvm::Error read(llvm::MemoryBufferRef buffer);

  /// What defines a global symbol.
  std::optional<Place> find(llvm::StringRef name) const;

  /// Where a defined symbol lies, or nothing if its section is not kept. LLVM names
  /// a mergeable constant by its section only if the addend is its place there.
  llvm::Expected<std::optional<Place>> placeOf(const Object &object, const Elf::Sym &symbol, int64_t addend = 0);

private:
  llvm::Error readTables(Object &object);
  llvm::Error cut(Object &object, size_t index, llvm::StringRef name);
  llvm::Error define(const Object &object);

  struct Definition {
    Place place;
    bool weak;
    llvm::StringRef objectName;
  };
  std::deque<Object> objects;
  std::deque<Piece> pieces;
  llvm::StringMap<Definition> globals;
};

/// `linking kernels: what`.
llvm::Error failure(const llvm::Twine &what);

} // namespace tenon::compiler

//===- Linker.cpp - from LLVM's ELF objects to a flat image ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four steps: read the objects (Objects.h); from the entries, follow the
// relocations and lay out what they reach, in that order, which also tells the
// import slots and call stubs that are needed; with the sizes known, fix the
// distance to data; walk the relocations again and write.
//===----------------------------------------------------------------------===//
#include "lib/compiler/blob/Linker.h"

#include "lib/compiler/blob/Objects.h"
#include "runtime/program/Symbols.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

using namespace llvm;
using namespace tenon;
using namespace tenon::compiler;

namespace {

/// What a relocation refers to: a place in the image, or a row of the
/// runtime's table.
struct Target {
  std::optional<Place> place;
  uint32_t row = 0;
};

class ImageLinker {
public:
  Expected<LinkedImage> run(ArrayRef<MemoryBufferRef> buffers, ArrayRef<std::string> entryNames);

private:
  Expected<Target> resolve(const Object &object, const Elf::Rela &rela);
  Error findEntries(ArrayRef<std::string> entryNames);
  void reach(Piece &piece);
  Error walk(Error (ImageLinker::*visit)(const Piece &, const Elf::Rela &, uint32_t, const Target &));
  Error plan(const Piece &piece, const Elf::Rela &rela, uint32_t type, const Target &target);
  Error apply(const Piece &piece, const Elf::Rela &rela, uint32_t type, const Target &target);
  Error layOutImage();

  uint64_t slotFor(const Target &target);
  int64_t address(Place at) const {
    return *at.piece->place + at.offset + (at.piece->part == Part::Data ? dataOffset : 0);
  }
  int64_t stubAddress(uint32_t row) const { return stubsBegin + kStubSize * stubs.lookup(row); }
  int64_t slotAddress(uint64_t slot) const { return dataOffset + slotsBegin + 8 * slot; }
  void addFixup(uint64_t slot, const Target &target, int64_t addend);

  static constexpr uint64_t kStubSize = 16;

  Objects objects;
  std::vector<Place> entries;
  std::vector<Piece *> reached;             // in the order of the image
  StringMap<uint64_t> constants;            // bytes -> place of the constant that is kept
  uint64_t textSize = 0, dataSize = 0;      // of what is reached, then of the image
  DenseMap<uint32_t, uint64_t> stubs;       // row -> number of the stub
  DenseMap<uint64_t, uint64_t> slotNumbers; // slotKey -> number of the slot
  std::vector<Target> slots;
  uint64_t stubsBegin = 0, slotsBegin = 0, dataOffset = 0;
  DenseMap<uint32_t, uint32_t> importIndex; // row -> index in image.symbols
  LinkedImage image;
};

} // namespace

/// A bare reason, which walk() puts into a sentence about its relocation.
static Error notAllowed(const Twine &why) { return createStringError(inconvertibleErrorCode(), why); }

static std::string relocationName(uint32_t type) {
  return object::getELFRelocationTypeName(ELF::EM_X86_64, type).str() + " (" + std::to_string(type) + ")";
}

static bool usesSlot(uint32_t type) {
  return type == ELF::R_X86_64_GOTPCREL || type == ELF::R_X86_64_GOTPCRELX || type == ELF::R_X86_64_REX_GOTPCRELX;
}

Expected<Target> ImageLinker::resolve(const Object &object, const Elf::Rela &rela) {
  uint32_t symbolIndex = rela.getSymbol(/*isMips64EL=*/false);
  if (symbolIndex == 0 || symbolIndex >= object.symbols.size())
    return notAllowed("symbol number " + Twine(symbolIndex) + " in '" + object.name + "' does not exist");
  const Elf::Sym &symbol = object.symbols[symbolIndex];
  Expected<StringRef> name = symbol.getName(object.symbolNames);
  if (!name)
    return name.takeError();
  if (symbol.getBinding() != ELF::STB_LOCAL) {
    if (std::optional<Place> place = objects.find(*name))
      return Target{*place};
    if (symbol.st_shndx == ELF::SHN_UNDEF) {
      if (std::optional<size_t> row = rt::findRuntimeSymbol(std::string_view(name->data(), name->size())))
        return Target{std::nullopt, static_cast<uint32_t>(*row)};
      return notAllowed("symbol '" + *name + "' in '" + object.name + "' is neither defined nor a runtime symbol");
    }
  }
  Expected<std::optional<Place>> place = objects.placeOf(object, symbol, rela.r_addend);
  if (!place)
    return place.takeError();
  if (!*place || symbol.getType() == ELF::STT_TLS || symbol.getType() == ELF::STT_GNU_IFUNC)
    return notAllowed("symbol '" + *name + "' in '" + object.name + "' lies in no section of the image");
  return Target{*place};
}

/// Gives a piece its place in the image, a constant that is there already that one's.
void ImageLinker::reach(Piece &piece) {
  if (piece.place)
    return;
  uint64_t &size = piece.part == Part::Text ? textSize : dataSize;
  uint64_t place = alignTo(size, piece.alignment);
  if (piece.isMergeable) {
    StringRef bytes(reinterpret_cast<const char *>(piece.bytes.data()), piece.bytes.size());
    auto [it, isNew] = constants.try_emplace(bytes, place);
    if (!isNew && it->second % piece.alignment == 0) {
      piece.place = it->second;
      return;
    }
  }
  piece.place = place;
  size = place + piece.bytes.size();
  reached.push_back(&piece);
}

/// Visits the relocations of all that is reached, and of what a visit reaches.
Error ImageLinker::walk(Error (ImageLinker::*visit)(const Piece &, const Elf::Rela &, uint32_t, const Target &)) {
  for (size_t next = 0; next < reached.size(); ++next) {
    const Piece &piece = *reached[next];
    const Object &object = *piece.object;
    for (const Elf::Rela &rela : piece.relocations) {
      uint32_t type = rela.getType(/*isMips64EL=*/false);
      auto where = [&] {
        return relocationName(type) + " at " + piece.section.str() + "+0x" + utohexstr(rela.r_offset) + ": ";
      };
      Expected<Target> target = resolve(object, rela);
      if (!target)
        return failure("relocation " + where() + toString(target.takeError()));
      if (target->place)
        reach(*target->place->piece);
      if (Error error = (this->*visit)(piece, rela, type, *target)) {
        Expected<StringRef> name = object.symbols[rela.getSymbol(/*isMips64EL=*/false)].getName(object.symbolNames);
        std::string symbol = name ? name->str() : toString(name.takeError());
        return failure("relocation " + where() + toString(std::move(error)) + ", against '" + symbol + "' in '" +
                       object.name + "'");
      }
    }
  }
  return Error::success();
}

static uint64_t slotKey(const Target &target) {
  if (!target.place)
    return uint64_t(1) << 63 | target.row;
  const Piece &piece = *target.place->piece;
  return (*piece.place + static_cast<uint64_t>(target.place->offset)) << 1 | static_cast<uint64_t>(piece.part);
}

uint64_t ImageLinker::slotFor(const Target &target) {
  auto [it, isNew] = slotNumbers.try_emplace(slotKey(target), slots.size());
  if (isNew)
    slots.push_back(target);
  return it->second;
}

/// First walk: is the relocation allowed, and what does it need?
Error ImageLinker::plan(const Piece &piece, const Elf::Rela &rela, uint32_t type, const Target &target) {
  uint64_t width = type == ELF::R_X86_64_64 ? 8 : 4;
  if (rela.r_offset > piece.bytes.size() || piece.bytes.size() - rela.r_offset < width)
    return notAllowed("outside its section");
  if (!isInt<32>(rela.r_addend))
    return notAllowed("addend " + Twine(rela.r_addend) + " does not fit in 32 bits");
  if (type == ELF::R_X86_64_64) {
    if (piece.part != Part::Data)
      return notAllowed("an absolute address in code is not allowed");
    if ((*piece.place + rela.r_offset) % 8 != 0)
      return notAllowed("an absolute address must be aligned to 8");
    if (!target.place && rela.r_addend != 0)
      return notAllowed("an offset from a runtime symbol is not allowed");
    return Error::success();
  }
  if (usesSlot(type)) {
    slotFor(target);
    return Error::success();
  }
  if (type != ELF::R_X86_64_PC32 && type != ELF::R_X86_64_PLT32)
    return notAllowed("this type is not allowed");
  if (target.place)
    return Error::success();
  if (type == ELF::R_X86_64_PC32)
    return notAllowed("a runtime symbol is reached through a slot or a stub only");
  slotFor(target);
  stubs.try_emplace(target.row, stubs.size());
  return Error::success();
}

void ImageLinker::addFixup(uint64_t slot, const Target &target, int64_t addend) {
  rt::Fixup fixup{static_cast<uint32_t>(slot), rt::FixupKind::Base, 0};
  if (target.place) {
    fixup.value = address(*target.place) + addend;
  } else {
    auto [it, isNew] = importIndex.try_emplace(target.row, image.symbols.size());
    if (isNew)
      image.symbols.push_back(target.row);
    fixup.kind = rt::FixupKind::Symbol;
    fixup.value = it->second;
  }
  image.fixups.push_back(fixup);
}

/// Second walk: write what is relative, leave the rest to the loader.
Error ImageLinker::apply(const Piece &piece, const Elf::Rela &rela, uint32_t type, const Target &target) {
  uint64_t at = *piece.place + rela.r_offset;
  if (type == ELF::R_X86_64_64) {
    std::memset(image.data.data() + at, 0, 8);
    addFixup(at, target, rela.r_addend);
    return Error::success();
  }
  int64_t to = usesSlot(type) ? slotAddress(slotFor(target))
               : target.place ? address(*target.place)
                              : stubAddress(target.row);
  int64_t from = static_cast<int64_t>(at) + (piece.part == Part::Data ? dataOffset : 0);
  int64_t distance = to + rela.r_addend - from;
  if (!isInt<32>(distance))
    return notAllowed("distance " + Twine(distance) + " does not fit in 32 bits");
  int32_t value = static_cast<int32_t>(distance);
  std::vector<std::byte> &bytes = piece.part == Part::Text ? image.text : image.data;
  std::memcpy(bytes.data() + at, &value, sizeof(value));
  return Error::success();
}

/// Fixes all sizes, copies the sections and writes stubs and slots.
Error ImageLinker::layOutImage() {
  if (!stubs.empty()) {
    stubsBegin = alignTo(textSize, kStubSize);
    textSize = stubsBegin + kStubSize * stubs.size();
  }
  if (!slots.empty()) {
    slotsBegin = alignTo(dataSize, 8);
    dataSize = slotsBegin + 8 * slots.size();
  }
  if (textSize >= rt::kImageLimit || dataSize >= rt::kImageLimit ||
      rt::imageDataOffset(textSize) + dataSize >= rt::kImageLimit)
    return failure("text and data exceed 2 GiB");
  dataOffset = rt::imageDataOffset(textSize);

  image.text.assign(textSize, std::byte(0xcc)); // int3 between functions
  image.data.assign(dataSize, std::byte(0));
  for (const Piece *piece : reached)
    if (!piece->bytes.empty()) {
      std::vector<std::byte> &bytes = piece->part == Part::Text ? image.text : image.data;
      std::memcpy(bytes.data() + *piece->place, piece->bytes.data(), piece->bytes.size());
    }

  for (auto [row, number] : stubs) {
    std::byte *stub = image.text.data() + stubsBegin + kStubSize * number;
    int32_t distance = static_cast<int32_t>(slotAddress(slotFor(Target{std::nullopt, row})) - (stubAddress(row) + 6));
    stub[0] = std::byte(0xff); // jmp *distance(%rip)
    stub[1] = std::byte(0x25);
    std::memcpy(stub + 2, &distance, sizeof(distance));
  }
  for (size_t i = 0; i < slots.size(); ++i)
    addFixup(slotsBegin + 8 * i, slots[i], 0);
  return Error::success();
}

Error ImageLinker::findEntries(ArrayRef<std::string> entryNames) {
  for (const std::string &name : entryNames) {
    std::optional<Place> place = objects.find(name);
    if (!place || place->piece->part != Part::Text || place->offset >= static_cast<int64_t>(place->piece->bytes.size()))
      return failure("no object defines the function '" + name + "'");
    entries.push_back(*place);
    reach(*place->piece);
  }
  return Error::success();
}

Expected<LinkedImage> ImageLinker::run(ArrayRef<MemoryBufferRef> buffers, ArrayRef<std::string> entryNames) {
  for (MemoryBufferRef buffer : buffers)
    if (Error error = objects.read(buffer))
      return error;
  if (Error error = findEntries(entryNames))
    return error;
  if (Error error = walk(&ImageLinker::plan))
    return error;
  if (Error error = layOutImage())
    return error;
  if (Error error = walk(&ImageLinker::apply))
    return error;
  for (Place entry : entries)
    image.entries.push_back(static_cast<uint32_t>(address(entry)));
  std::sort(image.fixups.begin(), image.fixups.end(),
            [](const rt::Fixup &a, const rt::Fixup &b) { return a.slot < b.slot; });
  return std::move(image);
}

Expected<LinkedImage> tenon::compiler::linkImage(ArrayRef<MemoryBufferRef> objects, ArrayRef<std::string> entryNames) {
  return ImageLinker().run(objects, entryNames);
}

void tenon::compiler::addToBlob(LinkedImage image, ArrayRef<std::string> entryNames, rt::BlobWriter &writer) {
  writer.text = std::move(image.text);
  writer.data = std::move(image.data);
  writer.fixups = std::move(image.fixups);
  writer.entries = std::move(image.entries);
  writer.symbols = std::move(image.symbols);
  writer.names.assign(entryNames.begin(), entryNames.end());
}

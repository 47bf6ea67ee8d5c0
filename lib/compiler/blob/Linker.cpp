//===- Linker.cpp - from LLVM's ELF objects to a flat image ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four steps: cut the objects into pieces and learn all global symbols; from the
// entries, follow the relocations and lay out what they reach, in that order,
// which also tells the import slots and call stubs that are needed; with the
// sizes known, fix the distance to data; walk the relocations again and write.
//===----------------------------------------------------------------------===//
#include "Linker.h"

#include "runtime/program/Symbols.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

using namespace llvm;
using namespace tenon;
using namespace tenon::compiler;

namespace {

using Elf = object::ELF64LE;
using ElfFile = object::ELFFile<Elf>;

enum class Part : unsigned { Text, Data };

struct Object;

/// What is kept or left out as a whole: a section, or one constant of a section
/// of mergeable ones.
struct Piece {
  const Object *object;
  StringRef section;
  Part part;
  uint64_t alignment;
  ArrayRef<uint8_t> bytes;
  bool isMergeable;
  ArrayRef<Elf::Rela> relocations;
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
  StringRef name;
  ElfFile file;
  Elf::ShdrRange sections;
  Elf::SymRange symbols;
  StringRef symbolNames;
  object::DataRegion<Elf::Word> extendedIndices;
  std::vector<ArrayRef<Elf::Rela>> relocations; // by the index of the section they are for
  std::vector<Cut> cuts;                        // by the section's index
};

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
  Error read(MemoryBufferRef buffer);
  Error readTables(Object &object);
  Error cut(Object &object, size_t index, StringRef name);
  Error define(const Object &object);
  Expected<std::optional<Place>> placeOf(const Object &object, const Elf::Sym &symbol, int64_t addend = 0);
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

  struct Definition {
    Place place;
    bool weak;
    StringRef objectName;
  };

  static constexpr uint64_t kStubSize = 16;

  std::deque<Object> objects;
  std::deque<Piece> pieces;
  StringMap<Definition> globals;
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

static Error failure(const Twine &what) {
  return createStringError(inconvertibleErrorCode(), "linking kernels: " + what);
}

/// A bare reason, which walk() puts into a sentence about its relocation.
static Error notAllowed(const Twine &why) { return createStringError(inconvertibleErrorCode(), why); }

static std::string relocationName(uint32_t type) {
  return object::getELFRelocationTypeName(ELF::EM_X86_64, type).str() + " (" + std::to_string(type) + ")";
}

static bool usesSlot(uint32_t type) {
  return type == ELF::R_X86_64_GOTPCREL || type == ELF::R_X86_64_GOTPCRELX || type == ELF::R_X86_64_REX_GOTPCRELX;
}

/// The sections whose bytes go into the image.
static std::optional<Part> partOf(StringRef name, const Elf::Shdr &section) {
  if (section.sh_type != ELF::SHT_PROGBITS || (section.sh_flags & ELF::SHF_TLS))
    return std::nullopt;
  bool executable = section.sh_flags & ELF::SHF_EXECINSTR;
  auto isNamed = [&](StringRef stem) { return name == stem || name.starts_with((stem + ".").str()); };
  if (executable && isNamed(".text"))
    return Part::Text;
  if (!executable && (isNamed(".rodata") || isNamed(".data.rel.ro")))
    return Part::Data;
  return std::nullopt;
}

/// Unwind tables and notes: no exception passes through a kernel's frame.
static bool isDropped(StringRef name, const Elf::Shdr &section) {
  return !(section.sh_flags & ELF::SHF_ALLOC) || section.sh_type == ELF::SHT_NOTE || name == ".eh_frame";
}

/// Makes pieces of a section.
Error ImageLinker::cut(Object &object, size_t index, StringRef name) {
  const Elf::Shdr &section = object.sections[index];
  std::optional<Part> part = partOf(name, section);
  if (!part) {
    // LLVM's streamer opens .data and .bss even for a module without variables.
    if (section.sh_size == 0)
      return Error::success();
    return failure("section " + name + " of type " + Twine(section.sh_type) + " in '" + object.name +
                   "' is not allowed (expected .text, .rodata or .data.rel.ro)");
  }
  uint64_t alignment = std::max<uint64_t>(section.sh_addralign, 1);
  if (!isPowerOf2_64(alignment) || alignment > rt::kImagePage)
    return failure("section " + name + " in '" + object.name + "' has alignment " + Twine(alignment) +
                   ", expected at most " + Twine(rt::kImagePage));
  Expected<ArrayRef<uint8_t>> bytes = object.file.getSectionContents(section);
  if (!bytes)
    return bytes.takeError();
  uint64_t size = section.sh_entsize;
  bool isMergeable = (section.sh_flags & ELF::SHF_MERGE) && !(section.sh_flags & ELF::SHF_STRINGS) && size != 0 &&
                     size % alignment == 0 && bytes->size() % size == 0 && object.relocations[index].empty();
  if (!isMergeable)
    size = bytes->size();
  Cut &made = object.cuts[index];
  made = {pieces.size(), isMergeable ? bytes->size() / size : 1, size};
  for (size_t i = 0; i < made.count; ++i)
    pieces.push_back({&object, name, *part, alignment, bytes->slice(i * size, size), isMergeable,
                      object.relocations[index], std::nullopt});
  return Error::success();
}

/// The symbols, and the relocations by section.
Error ImageLinker::readTables(Object &object) {
  for (const Elf::Shdr &section : object.sections)
    if (section.sh_type == ELF::SHT_SYMTAB) {
      Expected<Elf::SymRange> symbols = object.file.symbols(&section);
      if (!symbols)
        return symbols.takeError();
      Expected<StringRef> names = object.file.getStringTableForSymtab(section);
      if (!names)
        return names.takeError();
      object.symbols = *symbols;
      object.symbolNames = *names;
    } else if (section.sh_type == ELF::SHT_SYMTAB_SHNDX) {
      Expected<ArrayRef<Elf::Word>> indices = object.file.getSHNDXTable(section);
      if (!indices)
        return indices.takeError();
      object.extendedIndices = object::DataRegion<Elf::Word>(*indices);
    } else if (section.sh_type == ELF::SHT_RELA && section.sh_info < object.relocations.size()) {
      Expected<Elf::RelaRange> relocations = object.file.relas(section);
      if (!relocations)
        return relocations.takeError();
      object.relocations[section.sh_info] = *relocations;
    } else if (section.sh_type == ELF::SHT_REL) {
      return failure("'" + object.name + "' has relocations of type REL, expected RELA");
    }
  return Error::success();
}

Error ImageLinker::read(MemoryBufferRef buffer) {
  StringRef name = buffer.getBufferIdentifier();
  Expected<ElfFile> file = ElfFile::create(buffer.getBuffer());
  if (!file)
    return file.takeError();
  const Elf::Ehdr &header = file->getHeader();
  if (header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 || header.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
      header.e_machine != ELF::EM_X86_64 || header.e_type != ELF::ET_REL)
    return failure("expected '" + name + "' to be an x86-64 relocatable object");
  Expected<Elf::ShdrRange> sections = file->sections();
  if (!sections)
    return sections.takeError();

  Object &object = objects.emplace_back(Object{name, *file, *sections, {}, {}, {ArrayRef<Elf::Word>()}, {}, {}});
  object.relocations.resize(sections->size());
  object.cuts.resize(sections->size());
  if (Error error = readTables(object))
    return error;
  for (size_t i = 0; i < sections->size(); ++i) {
    const Elf::Shdr &section = (*sections)[i];
    if (is_contained({ELF::SHT_SYMTAB, ELF::SHT_SYMTAB_SHNDX}, section.sh_type))
      continue;
    Expected<StringRef> sectionName = file->getSectionName(section);
    if (!sectionName)
      return sectionName.takeError();
    if (isDropped(*sectionName, section))
      continue;
    if (Error error = cut(object, i, *sectionName))
      return error;
  }
  return Error::success();
}

/// Where a defined symbol lies, or nothing if its section is not kept. LLVM names
/// a mergeable constant by its section only if the addend is its place there.
Expected<std::optional<Place>> ImageLinker::placeOf(const Object &object, const Elf::Sym &symbol, int64_t addend) {
  Expected<uint32_t> index = object.file.getSectionIndex(symbol, object.symbols, object.extendedIndices);
  if (!index)
    return index.takeError();
  if (*index >= object.cuts.size() || !object.cuts[*index].count)
    return std::nullopt;
  const Cut &cut = object.cuts[*index];
  uint64_t value = symbol.st_value;
  if (cut.count > 1 && symbol.getType() == ELF::STT_SECTION)
    value += static_cast<uint64_t>(addend);
  if (value > cut.count * cut.size)
    return failure("a symbol in '" + object.name + "' lies behind the end of its section " + pieces[cut.first].section);
  uint64_t number = std::min<uint64_t>(cut.size ? value / cut.size : 0, cut.count - 1);
  return Place{&pieces[cut.first + number], static_cast<int64_t>(symbol.st_value - number * cut.size)};
}

Error ImageLinker::define(const Object &object) {
  for (const Elf::Sym &symbol : object.symbols) {
    if (symbol.getBinding() == ELF::STB_LOCAL || symbol.st_shndx == ELF::SHN_UNDEF)
      continue;
    Expected<StringRef> name = symbol.getName(object.symbolNames);
    if (!name)
      return name.takeError();
    if (symbol.getType() == ELF::STT_TLS || symbol.getType() == ELF::STT_GNU_IFUNC ||
        symbol.st_shndx == ELF::SHN_COMMON || symbol.st_shndx == ELF::SHN_ABS)
      return failure("symbol '" + *name + "' in '" + object.name +
                     "' is thread-local, indirect, common or absolute, which is not allowed");
    Expected<std::optional<Place>> found = placeOf(object, symbol);
    if (!found)
      return found.takeError();
    if (!*found)
      continue; // in a dropped section: an error only if something refers to it
    Place place = **found;
    bool weak = symbol.getBinding() == ELF::STB_WEAK;
    auto [it, isNew] = globals.try_emplace(*name, Definition{place, weak, object.name});
    if (isNew || weak)
      continue;
    if (!it->second.weak)
      return failure("symbol '" + *name + "' is defined in '" + it->second.objectName + "' and in '" + object.name +
                     "'");
    it->second = {place, weak, object.name};
  }
  return Error::success();
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
    if (auto it = globals.find(*name); it != globals.end())
      return Target{it->second.place};
    if (symbol.st_shndx == ELF::SHN_UNDEF) {
      if (std::optional<size_t> row = rt::findRuntimeSymbol(std::string_view(name->data(), name->size())))
        return Target{std::nullopt, static_cast<uint32_t>(*row)};
      return notAllowed("symbol '" + *name + "' in '" + object.name + "' is neither defined nor a runtime symbol");
    }
  }
  Expected<std::optional<Place>> place = placeOf(object, symbol, rela.r_addend);
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
    auto it = globals.find(name);
    if (it == globals.end() || it->second.place.piece->part != Part::Text ||
        it->second.place.offset >= static_cast<int64_t>(it->second.place.piece->bytes.size()))
      return failure("no object defines the function '" + name + "'");
    entries.push_back(it->second.place);
    reach(*entries.back().piece);
  }
  return Error::success();
}

Expected<LinkedImage> ImageLinker::run(ArrayRef<MemoryBufferRef> buffers, ArrayRef<std::string> entryNames) {
  for (MemoryBufferRef buffer : buffers)
    if (Error error = read(buffer))
      return error;
  for (const Object &object : objects)
    if (Error error = define(object))
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

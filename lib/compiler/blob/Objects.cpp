//===- Objects.cpp - LLVM's ELF objects in pieces ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/blob/Objects.h"

#include "runtime/program/Blob.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tenon;
using namespace tenon::compiler;

Error compiler::failure(const Twine &what) {
  return createStringError(inconvertibleErrorCode(), "linking kernels: " + what);
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
Error Objects::cut(Object &object, size_t index, StringRef name) {
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
Error Objects::readTables(Object &object) {
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

Error Objects::read(MemoryBufferRef buffer) {
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
  return define(object);
}

Expected<std::optional<Place>> Objects::placeOf(const Object &object, const Elf::Sym &symbol, int64_t addend) {
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

Error Objects::define(const Object &object) {
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

std::optional<Place> Objects::find(StringRef name) const {
  auto found = globals.find(name);
  return found == globals.end() ? std::nullopt : std::optional(found->second.place);
}

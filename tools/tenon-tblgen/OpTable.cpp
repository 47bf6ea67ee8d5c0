//===- OpTable.cpp - the records as OpInfo ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::tblgen {

static StringRef boolean(bool value) { return value ? "true" : "false"; }

/// An array of strings, and the name of it for the table; `{}` if it is empty.
static std::string emitNames(const Entry &op, StringRef what, ArrayRef<StringRef> names, raw_ostream &os) {
  if (names.empty())
    return "{}";
  std::string array = "names" + op.stem + what.str();
  os << "constexpr const char *" << array << "[] = {";
  interleaveComma(names, os, [&](StringRef name) { os << quoted(name); });
  os << "};\n";
  return array;
}

static std::string emitAttributes(const Entry &op, raw_ostream &os) {
  if (op.attributes.empty())
    return "{}";
  std::string array = "attributes" + op.stem;
  os << "constexpr AttrInfo " << array << "[] = {";
  interleaveComma(op.attributes, os, [&](const Attribute &attribute) {
    os << "{" << quoted(attribute.name) << ", AttrKind::" << attribute.kind << "}";
  });
  os << "};\n";
  return array;
}

static std::string emitRegions(const Entry &op, raw_ostream &os) {
  if (op.regions.empty())
    return "{}";
  std::string array = "regions" + op.stem;
  os << "constexpr RegionInfo " << array << "[] = {";
  interleaveComma(op.regions, os, [&](const Region &region) {
    os << "{" << quoted(region.name) << ", " << region.takes << ", Returned::" << region.returned << ", "
       << boolean(region.isNamed) << "}";
  });
  os << "};\n";
  return array;
}

static std::string emitGroups(const Entry &op, raw_ostream &os) {
  if (op.groups.empty())
    return "{}";
  std::string array = "groups" + op.stem;
  os << "constexpr OperandGroup " << array << "[] = {";
  interleaveComma(op.groups, os, [&](const Group &group) {
    os << "{" << quoted(group.name) << ", Flow::" << group.flow << ", OperandGroup::" << group.count << ", "
       << group.counter << "}";
  });
  os << "};\n";
  return array;
}

static std::string emitLinear(const Entry &op, raw_ostream &os) {
  if (op.linearIn.empty())
    return "{}";
  std::string array = "linear" + op.stem;
  os << "constexpr uint32_t " << array << "[] = {";
  interleaveComma(op.linearIn, os, [&](uint32_t group) { os << "0x" << utohexstr(group, true); });
  os << "};\n";
  return array;
}

/// The DtypeSet.
static void emitDtypes(const Entry &entry, raw_ostream &os) {
  interleave(entry.dtypes, os, [&](StringRef dtype) { os << "1 << int(Dtype::" << identifier(dtype) << ")"; }, " | ");
}

static std::string sentence(StringRef text) { return text.empty() ? "nullptr" : quoted(text); }

/// The enumerator of Comparison.
static StringRef comparison(StringRef op) {
  return StringSwitch<StringRef>(op)
      .Case("==", "equal")
      .Case("!=", "notEqual")
      .Case("<", "less")
      .Case("<=", "lessEqual")
      .Default("none");
}

void emitOpTable(const RecordKeeper &records, raw_ostream &os) {
  os << banner("OpTable.gen.inc", "the array of OpInfo, by code")
     << "// For namespace tenon, after dialect/model/Op.h.\n\nnamespace {\n";
  std::string rows;
  raw_string_ostream row(rows);
  for (const Entry &op : readOps(records)) {
    std::vector<StringRef> operands;
    for (const Operand &operand : op.operands)
      operands.push_back(operand.name);
    row << "    {.code = " << op.opCode << ",\n     .name = " << quoted(op.mnemonic)
        << ",\n     .operands = " << emitNames(op, "Operands", operands, os)
        << ",\n     .variadic = " << boolean(op.variadic())
        << ",\n     .results = " << (op.variadicResults ? -1 : static_cast<int>(op.results.size()))
        << ",\n     .attributes = " << emitAttributes(op, os) << ",\n     .regions = " << emitRegions(op, os)
        << ",\n     .variadicRegions = " << boolean(op.variadicRegions) << ",\n     .groups = " << emitGroups(op, os)
        << ",\n     .rounds = " << op.rounds << ",\n     .dtypes = ";
    emitDtypes(op, row);
    row << ",\n     .promotion = Promotion::" << op.promotion << ",\n     .lowering = Lowering::" << op.lowering
        << ",\n     .hasEffect = " << boolean(op.hasEffect) << ",\n     .isElementwise = " << boolean(op.isElementwise)
        << ",\n     .isView = " << boolean(op.isView) << ",\n     .readsElements = " << boolean(op.readsElements)
        << ",\n     .updated = " << op.updated << ",\n     .commutative = " << boolean(op.commutative);
    if (!op.combine.empty())
      row << ",\n     .reduction = {.combine = OpCode::" << identifier(op.combine)
          << ", .hasIdentity = " << boolean(op.identity != "none")
          << ", .identity = " << (op.identity == "none" ? StringRef("0") : op.identity)
          << ", .isWide = " << boolean(op.isWide) << "}";
    else
      row << ",\n     .reduction = {}";
    row << ",\n     .needs = " << "0x" << utohexstr(op.needsBits, true) << ",\n     .linearIn = " << emitLinear(op, os)
        << ",\n     .constantTerm = " << op.constantTerm << ",\n     .noVjp = " << sentence(op.noVjp)
        << ",\n     .noBatch = " << sentence(op.noBatch) << ",\n     .zeroVjp = " << boolean(op.zeroVjp)
        << ",\n     .resultDtype = ResultDtype::" << identifier(op.resultDtype)
        << ",\n     .conditions = " << op.conditions
        << ",\n     .comparison = Comparison::" << comparison(op.comparison)
        << ",\n     .isExact = " << boolean(op.isExact) << ",\n     .cost = " << op.cost << "},\n";
  }
  os << "\nconstexpr OpInfo opTable[] = {\n" << rows << "};\n} // namespace\n";
}

void emitCompositeTable(const RecordKeeper &records, raw_ostream &os) {
  os << banner("CompositeTable.gen.inc", "the array of CompositeInfo, by id")
     << "// For namespace tenon, after dialect/model/Composite.h.\n\nnamespace {\n";
  std::string rows;
  raw_string_ostream row(rows);
  for (const Entry &composite : readNamedComposites(records)) {
    std::vector<StringRef> operands;
    for (const Operand &operand : composite.operands)
      operands.push_back(operand.name);
    row << "    {.name = " << quoted(composite.mnemonic)
        << ",\n     .operands = " << emitNames(composite, "Operands", operands, os)
        << ",\n     .attributes = " << emitAttributes(composite, os) << ",\n     .dtypes = ";
    emitDtypes(composite, row);
    for (const StringRef dtype : composite.record->getValueAsListOfStrings("otherDtypes"))
      row << " | 1 << int(Dtype::" << identifier(dtype) << ")";
    row << ",\n     .needs = 0x" << utohexstr(composite.needsBits, true) << "},\n";
  }
  os << "\nconstexpr CompositeInfo compositeTable[] = {\n" << rows << "};\n} // namespace\n";
}

} // namespace tenon::tblgen

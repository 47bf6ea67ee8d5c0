//===- OpHeader.cpp - op codes and attribute structs ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::tblgen {

/// The member's type, what follows its name, and the suffix of the functions of
/// AttrReader and AttrWriter.
struct Storage {
  StringRef type, initial, suffix;
};

static Storage storage(StringRef kind) {
  return StringSwitch<Storage>(kind)
      .Case("int_", {"int64_t", " = 0", "Int"})
      .Case("bool_", {"bool", " = false", "Bool"})
      .Case("dtype", {"Dtype", " = Dtype::f32", "Dtype"})
      .Case("scalar", {"ScalarAttr", "", "Scalar"})
      .Case("string", {"std::string_view", "", "String"})
      .Case("ints", {"std::span<const int64_t>", "", "Ints"})
      .Case("dims", {"std::span<const Dim>", "", "Dims"})
      .Case("device", {"Device", "", "Device"})
      .Case("named", {"AttrWords", "", "Named"});
}

static void emitStruct(const Entry &op, raw_ostream &os) {
  os << "\nstruct " << op.stem << "Attrs {\n";
  for (const Attribute &attribute : op.attributes) {
    Storage member = storage(attribute.kind);
    os << "  " << member.type << " " << identifier(attribute.name) << member.initial << ";\n";
  }
  os << "  /// Spans and text point into `words`.\n"
     << "  static " << op.stem << "Attrs read(AttrWords words) {\n"
     << "    AttrReader reader(words);\n"
     << "    " << op.stem << "Attrs attrs;\n";
  for (const Attribute &attribute : op.attributes)
    os << "    attrs." << identifier(attribute.name) << " = reader.read" << storage(attribute.kind).suffix << "();\n";
  os << "    return attrs;\n  }\n"
     << "  void write(AttrWriter &writer) const {\n";
  for (const Attribute &attribute : op.attributes)
    os << "    writer.write" << storage(attribute.kind).suffix << "(" << identifier(attribute.name) << ");\n";
  os << "  }\n};\n";
}

void emitOpHeader(const RecordKeeper &records, raw_ostream &os) {
  std::vector<Entry> ops = readOps(records);
  os << banner("Ops.gen.h", "op codes and attribute structs")
     << "// Included by dialect/model/Op.h, which has what it stands on.\n#pragma once\n\nnamespace tenon {\n\n"
     << "/// Part of the trace and blob formats: append only.\nenum class OpCode : uint16_t {\n";
  for (const Entry &op : ops)
    os << "  " << identifier(op.mnemonic) << " = " << op.opCode << ",\n";
  size_t most = 0;
  for (const Entry &op : ops)
    most = std::max(most, op.isElementwise ? op.operands.size() : 0);
  os << "};\n\n/// The most operands that an elementwise op has.\ninline constexpr int maxElementwiseOperands = "
     << most << ";\n";
  for (const Entry &op : ops)
    if (!op.attributes.empty())
      emitStruct(op, os);
  os << "\n} // namespace tenon\n";
}

void emitCompositeHeader(const RecordKeeper &records, raw_ostream &os) {
  std::vector<Entry> composites = readNamedComposites(records);
  os << banner("Composites.gen.h", "ids and attribute structs of composites")
     << "// Included by dialect/model/Composite.h, which has what it stands on.\n#pragma once\n\nnamespace tenon {\n\n"
     << "/// Of this build: traces have names.\nenum class CompositeId : uint16_t {\n";
  for (const Entry &composite : composites)
    os << "  " << identifier(composite.mnemonic) << ",\n";
  os << "};\n";
  for (const Entry &composite : composites)
    if (!composite.attributes.empty())
      emitStruct(composite, os);
  os << "\n} // namespace tenon\n";
}

} // namespace tenon::tblgen

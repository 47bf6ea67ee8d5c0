//===- Api.cpp - the public declarations and the doors that need no hand --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::tblgen {

/// The width of doc comments and, as in .clang-format, of code.
static constexpr size_t docWidth = 100, codeWidth = 120;

/// `Array add(const Operand &x1, const Operand &x2)`, laid out as clang-format
/// does: parameters that do not fit go below the first one.
static std::string signature(const Entry &entry, size_t reserved) {
  std::string result;
  std::string line = (resultType(entry) + " " + identifier(entry.mnemonic) + "(").str();
  std::string indent(line.size(), ' ');
  std::vector<std::string> parameters = parameterList(entry);
  for (auto [i, parameter] : enumerate(parameters)) {
    bool isLast = i + 1 == parameters.size();
    std::string text = parameter + (isLast ? ")" : ",");
    if (i != 0 && line.size() + 1 + text.size() + (isLast ? reserved : 0) > codeWidth) {
      result += line + "\n";
      line = indent;
    } else if (i != 0) {
      line += ' ';
    }
    line += text;
  }
  return result + line;
}

static void emitDeclaration(const Entry &entry, raw_ostream &os) {
  os << wrapped(entry.summary, "/// ", docWidth);
  for (const std::string &paragraph : entry.description)
    os << wrapped(paragraph, "/// ", docWidth);
  os << signature(entry, /*reserved=*/1) << ";\n";
}

void emitApi(const RecordKeeper &records, raw_ostream &os) {
  std::vector<Entry> entries = readEntries(records);
  os << banner("ops.h", "the operations, by category")
     << "#pragma once\n\n#include <tenon/array.h>\n\n#include <optional>\n#include <span>\n"
        "#include <string_view>\n#include <vector>\n\nnamespace tenon {\n";
  for (StringRef category : categories()) {
    auto isHere = [&](const Entry &entry) { return entry.isPublic && entry.category == category; };
    if (none_of(entries, isHere))
      continue;
    const std::string rule = "//===" + std::string(70, '-') + "===//\n";
    os << "\n" << rule << "// " << capitalizeFirst(category) << "\n" << rule << "\n";
    bool isRandom = category == "random";
    if (isRandom)
      os << "namespace random {\n";
    interleave(make_filter_range(entries, isHere), os, [&](const Entry &entry) { emitDeclaration(entry, os); }, "\n");
    if (isRandom)
      os << "} // namespace random\n";
  }
  os << "\n} // namespace tenon\n";
}

void emitOpDefs(const RecordKeeper &records, raw_ostream &os) {
  os << banner("Ops.gen.inc", "elementwise ops without a door of their own")
     << "// For namespace tenon, after tenon/ops.h, dialect/model/Op.h and a declaration of\n"
        "//   Array detail::elementwise(OpCode op, std::initializer_list<const Operand *> operands);\n"
        "// which promotes and broadcasts as the record says, infers and binds.\n";
  for (const Entry &entry : readEntries(records)) {
    if (!entry.isGeneratedDoor())
      continue;
    os << "\n"
       << signature(entry, /*reserved=*/2) << " {\n  return detail::elementwise(OpCode::" << identifier(entry.mnemonic)
       << ", {";
    interleaveComma(entry.operands, os, [&](const Operand &operand) { os << "&" << identifier(operand.name); });
    os << "});\n}\n";
  }
}

} // namespace tenon::tblgen

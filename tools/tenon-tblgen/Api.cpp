//===- Api.cpp - the public declarations and the doors that need no hand --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;

namespace tenon::tblgen {

/// The width of doc comments and, as in .clang-format, of code.
static constexpr size_t docWidth = 100, codeWidth = 120;

/// `[[nodiscard]] Array add(const Operand &x1, const Operand &x2)`, laid out as clang-format
/// does: parameters that do not fit go below the first one. The attribute belongs to declarations: a call of an op
/// without effects whose result is unused does nothing.
static std::string signature(const Entry &entry, size_t reserved, bool isDefinition = false) {
  std::string result;
  const StringRef scope = isDefinition && entry.category == "random" ? "random::" : "";
  const StringRef attribute = isDefinition || entry.hasEffect ? "" : "[[nodiscard]] ";
  std::string line = (attribute + resultType(entry) + " " + scope + identifier(entry.mnemonic) + "(").str();
  std::string indent(line.size(), ' ');
  std::vector<std::string> parameters = parameterList(entry, isDefinition);
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
     << "#pragma once\n\n#include <tenon/array.h>\n#include <tenon/results.h>\n\n#include <optional>\n#include <span>\n"
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

/// What an attribute is made of: the parameter of its name.
static std::string attributeValue(const Entry &entry, const Attribute &attribute, StringRef code) {
  const std::string name = identifier(attribute.name);
  auto found = find_if(entry.parameters, [&](const Parameter &parameter) { return parameter.name == attribute.name; });
  const StringRef type = found == entry.parameters.end() ? "" : found->type;
  if (type == "axis" && !found->isNone())
    return ("detail::normalizeAxis(" + code + ", array, " + name + ".value(), at)").str();
  if (type == "shape")
    return "{" + name + ".begin(), " + name + ".size()}";
  if (type == "device" && found->isNone())
    return name + ".value_or(array.device())";
  if (is_contained({"int", "bool", "dtype", "text"}, type) && !found->isNone())
    return name;
  PrintFatalError(entry.record,
                  "has the door of attributes, and no parameter from which '" + attribute.name + "' is made");
}

static void emitAttributesDoor(const Entry &entry, StringRef code, raw_ostream &os) {
  const std::string operand = identifier(entry.operands.front().name);
  os << "  const Array array = detail::toArray(" << operand << ", " << code << ");\n  const Location at = " << operand
     << ".location();\n  const " << entry.stem << "Attrs attributes{";
  interleaveComma(entry.attributes, os,
                  [&](const Attribute &attribute) { os << attributeValue(entry, attribute, code); });
  os << "};\n  return detail::" << (entry.returns.empty() ? "apply(" : "applyAll(") << code
     << ", {array.value()}, detail::Words(attributes), at);\n";
}

/// Under the function's name, with what the user gave it, for errors.
static void emitExpressionDoor(const Entry &entry, raw_ostream &os) {
  os << "  DoorScope scope(" << quoted(entry.mnemonic) << ", "
     << (entry.takesLocation() ? "at" : identifier(entry.operands.front().name) + ".location()")
     << (entry.operands.empty() ? "" : ", {");
  interleaveComma(entry.operands, os, [&](const Operand &operand) {
    os << "{" << quoted(operand.name) << ", " << identifier(operand.name) << "}";
  });
  os << (entry.operands.empty() ? "" : "}") << ");\n  return " << entry.expression << ";\n";
}

void emitOpDefs(const RecordKeeper &records, raw_ostream &os) {
  os << banner("Ops.gen.inc", "public functions that follow from their records")
     << "// For namespace tenon, after lib/ops/Door.h.\n";
  for (const Entry &entry : readEntries(records)) {
    if (!entry.isGeneratedDoor())
      continue;
    os << "\n" << signature(entry, /*reserved=*/2, /*isDefinition=*/true) << " {\n";
    const std::string code = "OpCode::" + identifier(entry.mnemonic);
    if (entry.door == "elementwise") {
      os << "  return detail::elementwise(" << code << ", {";
      interleaveComma(entry.operands, os, [&](const Operand &operand) { os << "&" << identifier(operand.name); });
      os << "});\n";
    } else if (entry.door == "attributes") {
      emitAttributesDoor(entry, code, os);
    } else if (entry.door == "expression") {
      emitExpressionDoor(entry, os);
    } else {
      os << "  return detail::"
         << (entry.door == "scatter"  ? "scatterWindows("
             : entry.door == "truths" ? "reduceTruths("
                                      : "reduce(")
         << code;
      for (const Parameter &parameter : entry.parameters)
        os << ", " << identifier(parameter.name);
      os << ");\n";
    }
    os << "}\n";
  }
}

} // namespace tenon::tblgen

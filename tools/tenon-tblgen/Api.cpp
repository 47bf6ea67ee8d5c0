//===- Api.cpp - the public declarations and the doors that need no hand --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;

namespace tenon::tblgen {

/// `const Operand &`, `Dtype `: a parameter's type without what it may be left out for.
static std::string valueOrReference(const Parameter &parameter) {
  Parameter required = parameter;
  required.value = "";
  const std::string text = parameterText(required, /*isDefinition=*/true);
  return text.substr(0, text.size() - identifier(parameter.name).size());
}

/// The width of doc comments.
static constexpr size_t docWidth = 100;

/// Declarations have it: a call of an op without effects whose result is unused does nothing.
static StringRef nodiscard(const Entry &entry) { return entry.hasEffect ? "" : "[[nodiscard]] "; }

/// The argument that stands for a parameter which the caller leaves out.
static std::string defaultArgument(const Parameter &parameter) {
  if (parameter.isNone())
    return parameter.type == "operand" ? "none" : "{}";
  return defaultText(parameter);
}

static void emitDoc(const Entry &entry, raw_ostream &os) {
  os << wrapped(entry.summary, "/// ", docWidth);
  for (const std::string &paragraph : entry.description)
    os << wrapped(paragraph, "/// ", docWidth);
}

/// Of a function whose dtype stands behind what has a default: the dtype right after each shorter list.
static void emitDtypeOverloads(const Entry &entry, raw_ostream &os) {
  ArrayRef<Parameter> parameters = entry.parameters;
  const size_t dtype = static_cast<size_t>(
      find_if(parameters, [](const Parameter &parameter) { return parameter.type == "dtype"; }) - parameters.begin());
  const size_t required = static_cast<size_t>(count_if(parameters, [](const Parameter &p) { return p.isRequired(); }));
  for (size_t given = required; dtype < parameters.size() && given < dtype; ++given) {
    std::vector<std::string> declared, passed;
    for (auto [i, parameter] : enumerate(parameters)) {
      const bool isLeftOut = i >= given && i < dtype;
      if (i == dtype)
        declared.push_back(valueOrReference(parameter) + identifier(parameter.name));
      else if (i < given)
        declared.push_back(parameterText(parameter, /*isDefinition=*/true)); // `{}` stands for its default here, too
      else if (!isLeftOut)
        declared.push_back(parameterText(parameter, /*isDefinition=*/false));
      passed.push_back(isLeftOut ? defaultArgument(parameter) : identifier(parameter.name));
    }
    if (entry.takesLocation()) {
      declared.push_back(locationParameter);
      passed.push_back("at");
    }
    os << layOut(nodiscard(entry) + "inline Array " + identifier(entry.mnemonic), declared, " {") << "\n  return "
       << identifier(entry.mnemonic) << "(" << join(passed, ", ") << ");\n}\n";
  }
}

static void emitDeclaration(const Entry &entry, raw_ostream &os) {
  emitDoc(entry, os);
  const std::string head = (nodiscard(entry) + resultType(entry) + " " + identifier(entry.mnemonic)).str();
  if (!entry.options.empty()) {
    std::vector<std::string> declared, passed;
    for (auto [i, parameter] : enumerate(entry.allParameters())) {
      if (i < entry.firstOption())
        declared.push_back(parameterText(parameter, /*isDefinition=*/false));
      passed.push_back(i < entry.firstOption() ? identifier(parameter.name) : "options." + optionName(parameter));
    }
    declared.push_back(("const " + entry.options + " &options" + (entry.isByName ? " = {}" : "")).str());
    os << nodiscard(entry) << "inline " << layOut(resultType(entry) + " " + identifier(entry.mnemonic), declared, " {")
       << "\n  return tenon::detail::" << namespaceOf(entry.category) << identifier(entry.mnemonic) << "("
       << join(passed, ", ") << ");\n}\n";
  }
  if (entry.isByName) {
    if (!entry.overloads.empty())
      os << entry.overloads << "\n";
    return;
  }
  std::vector<std::string> declared, passed;
  for (const Parameter &parameter : entry.parameters) {
    declared.push_back(positionalText(entry, parameter));
    passed.push_back(identifier(parameter.name));
  }
  if (entry.takesLocation())
    declared.push_back(locationParameter);
  os << positionalTemplate(entry) << layOut(head, declared, entry.options.empty() ? ";" : " {") << "\n";
  if (!entry.options.empty())
    os << "  return detail::" << identifier(entry.mnemonic) << "(" << join(passed, ", ") << ");\n}\n";
  emitDtypeOverloads(entry, os);
  if (!entry.overloads.empty())
    os << entry.overloads << "\n";
}

/// What a call with options starts with.
static std::vector<std::string> requiredNames(const Entry &entry) {
  std::vector<std::string> names;
  for (const Parameter &parameter : ArrayRef(entry.parameters).take_front(entry.firstOption()))
    names.push_back(identifier(parameter.name));
  return names;
}

/// The structs of options, each with the first record that names it, and the functions that take the fields one by one.
static void emitOptions(ArrayRef<Entry> entries, raw_ostream &os) {
  StringSet<> seen;
  for (const Entry &entry : entries) {
    if (entry.options.empty() || !entry.isPublic || !seen.insert(entry.options).second)
      continue;
    SmallVector<StringRef> users;
    for (const Entry &other : entries)
      if (other.isPublic && other.options == entry.options)
        users.push_back(other.mnemonic);
    os << "\n"
       << wrapped(("Options of " + join(users, ", ") + ", given by name: `" + users.front() + "(" +
                   join(requiredNames(entry), ", ") + ", {." + optionName(entry.parameters[entry.firstOption()]) +
                   " = ...})`.")
                      .str(),
                  "/// ", docWidth)
       << "struct " << entry.options << " {\n  detail::ByName by_name = detail::ByName();\n";
    for (const Parameter &parameter : entry.optionFields()) {
      const bool isHeld = parameter.type == "operand";
      os << (parameter.doc.empty() ? "" : wrapped(parameter.doc, "  /// ", docWidth)) << "  "
         << (isHeld ? "Array" : valueType(parameter)) << " " << optionName(parameter) << " = "
         << (isHeld ? "{}" : defaultArgument(parameter)) << ";\n";
    }
    os << "};\n";
  }
  os << "\nnamespace detail {\n/// What both forms of a function with options call.\n";
  for (const Entry &entry : entries) {
    if (entry.options.empty() || !entry.isPublic)
      continue;
    StringRef scope = namespaceOf(entry.category);
    const bool isNested = scope.consume_back("::");
    os << (isNested ? "namespace " + scope.str() + " {\n" : "")
       << layOut(resultType(entry) + " " + identifier(entry.mnemonic), parameterList(entry, /*isDefinition=*/true), ";")
       << (entry.named.empty() ? ""
                               : "\n" + layOut(resultType(entry) + " " + identifier(entry.mnemonic),
                                               parameterList(entry, entry.allParameters(), /*isDefinition=*/true), ";"))
       << (isNested ? "\n} // namespace " + scope.str() : "") << "\n";
  }
  const std::string parameters[] = {"int64_t start", "const Dim &stop", "std::optional<Dtype> dtype",
                                    "std::optional<Device> device", "Location at"};
  os << "/// `arange` up to a size.\n" << layOut("Array arange", parameters, ";") << "\n} // namespace detail\n";
}

void emitApi(const RecordKeeper &records, raw_ostream &os) {
  std::vector<Entry> entries = readEntries(records);
  os << banner("ops.h", "the operations, by category")
     << "#pragma once\n\n#include <tenon/array.h>\n#include <tenon/key.h>\n#include <tenon/modes.h>\n#include "
        "<tenon/padding.h>\n#include "
        "<tenon/results.h>\n\n#include "
        "<concepts>\n#include "
        "<optional>\n#include <span>\n#include <string_view>\n#include <vector>\n\nnamespace tenon {\n";
  emitOptions(entries, os);
  for (StringRef category : categories()) {
    auto isHere = [&](const Entry &entry) { return entry.isPublic && entry.category == category; };
    if (none_of(entries, isHere))
      continue;
    const std::string rule = "//===" + std::string(70, '-') + "===//\n";
    os << "\n" << rule << "// " << capitalizeFirst(category) << "\n" << rule << "\n";
    StringRef scope = namespaceOf(category);
    if (scope.consume_back("::"))
      os << "namespace " << scope << " {\n";
    interleave(make_filter_range(entries, isHere), os, [&](const Entry &entry) { emitDeclaration(entry, os); }, "\n");
    if (!scope.empty())
      os << "} // namespace " << scope << "\n";
  }
  os << "\n} // namespace tenon\n";
}

/// The name is short for messages and tests, so it is made here, from the same list.
void emitModes(const RecordKeeper &records, raw_ostream &os) {
  os << banner("modes.h", "the enums that choose what an operation does")
     << "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n#include <string_view>\n\nnamespace tenon {\n";
  for (const Enum &one : readEnums(records)) {
    os << "\n" << wrapped(one.summary, "/// ", docWidth) << "enum class " << one.name << " : uint8_t {\n";
    for (const Enum::Value &value : one.values)
      os << "  " << value.name << (value.alias.empty() ? "" : " = ") << value.alias << ", ///< " << value.doc << "\n";
    std::vector<std::string> names;
    for (const Enum::Value &value : one.values)
      if (value.alias.empty())
        names.push_back(quoted(value.name));
    os << "};\n/// The name of a value; empty for a number that is none.\nconstexpr std::string_view name(" << one.name
       << " value) {\n  constexpr std::string_view names[] = {" << join(names, ", ")
       << "};\n  return static_cast<size_t>(value) < " << names.size()
       << " ? names[static_cast<size_t>(value)] : std::string_view();\n}\n";
  }
  os << "\n} // namespace tenon\n";
}

/// The head of a generated function: one with options is what both of its forms call.
static std::string definitionHead(const Entry &entry) {
  const StringRef scope = entry.options.empty() ? "" : "detail::";
  return layOut(resultType(entry) + " " + scope + namespaceOf(entry.category) + identifier(entry.mnemonic),
                parameterList(entry, /*isDefinition=*/true), " {");
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
    os << "\n" << definitionHead(entry) << "\n";
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

//===- Methods.cpp - functions of an array as its methods ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::tblgen {

/// What a method takes beside the array, and what its function is called with. Operands are not left out: where the
/// methods are declared they are incomplete.
struct MethodParameters {
  std::vector<std::string> declared, defined, passed;
};
static MethodParameters methodParameters(const Entry &entry, bool isByName) {
  MethodParameters result;
  const std::vector<Parameter> all = entry.allParameters();
  // positionalText() compares places in `entry.parameters`.
  const ArrayRef<Parameter> taken = isByName ? ArrayRef(all) : ArrayRef(entry.parameters);
  for (auto [i, parameter] : enumerate(taken.drop_front())) {
    const std::string name = identifier(parameter.name);
    if (isByName && i + 1 >= entry.firstOption()) {
      result.passed.push_back("options." + optionName(parameter));
      continue;
    }
    const bool isBare = parameter.type == "operand";
    result.declared.push_back(isBare ? parameterText(parameter, /*isDefinition=*/true)
                                     : positionalText(entry, parameter));
    result.defined.push_back(parameterText(parameter, /*isDefinition=*/true));
    result.passed.push_back(name);
  }
  if (isByName) {
    result.declared.push_back(("const " + entry.options + " &options").str());
    result.defined.push_back(result.declared.back());
  }
  result.declared.push_back(locationParameter);
  result.defined.push_back("Location at");
  return result;
}

void emitMethods(const RecordKeeper &records, raw_ostream &os) {
  std::vector<Entry> entries = readEntries(records);
  os << banner("methods.h", "functions of an array as its methods")
     << "#pragma once\n\n#include <tenon/axes.h>\n#include <tenon/device.h>\n#include <tenon/dtype.h>\n#include "
        "<tenon/modes.h>\n\n#include "
        "<optional>\n#include "
        "<vector>\n\n"
        "namespace tenon {\n\nclass Array;\nclass Operand;\n";
  StringSet<> seen;
  for (const Entry &entry : entries)
    if (entry.isMethod && !entry.options.empty() && seen.insert(entry.options).second)
      os << "struct " << entry.options << ";\n";
  os << "\n/// The methods of Array and Variable: the functions of these names in ops.h, with the array as their "
        "first\n"
        "/// argument.\ntemplate <class Self>\nclass ArrayMethods {\npublic:\n";
  for (const Entry &entry : entries) {
    if (!entry.isMethod)
      continue;
    const std::string head = ("[[nodiscard]] " + resultType(entry) + " " + identifier(entry.mnemonic)).str();
    auto indented = [](StringRef text) {
      SmallVector<StringRef> lines;
      text.split(lines, '\n');
      return "  " + join(lines, "\n  ");
    };
    if (!entry.options.empty())
      os << indented(layOut(head, methodParameters(entry, true).declared, " const;")) << "\n";
    os << indented(positionalTemplate(entry) + layOut(head, methodParameters(entry, false).declared, " const;"))
       << "\n";
  }
  os << "};\n\n} // namespace tenon\n";
}

static void emitMethodDefinition(const Entry &entry, bool isByName, raw_ostream &os) {
  const MethodParameters parameters = methodParameters(entry, isByName);
  const std::string name = identifier(entry.mnemonic);
  os << "template <class Self>\n";
  if (!isByName && !entry.options.empty())
    os << StringRef(positionalTemplate(entry)).split(" =").first << ">\n"; // the default is the declaration's
  std::vector<std::string> defined = parameters.defined;
  if (!isByName && !entry.options.empty()) {
    // The definition's types are spelled as the declaration's.
    for (auto [i, parameter] : enumerate(ArrayRef(entry.parameters).drop_front()))
      defined[i] = StringRef(parameters.declared[i]).split(" = ").first.str();
  }
  os << layOut(resultType(entry) + " ArrayMethods<Self>::" + name, defined, " const {")
     << "\n  return called(static_cast<const Self &>(*this), at, [&](const Array &x) {\n    DoorScope scope(\"\", "
     << quoted(entry.mnemonic) << ", at, {{" << quoted(entry.parameters.front().name) << ", x}";
  const std::vector<Parameter> all = isByName ? entry.allParameters() : entry.parameters;
  for (auto [parameter, argument] : zip(ArrayRef(all).drop_front(), parameters.passed))
    if (parameter.type == "operand")
      os << ", {" << quoted(parameter.name) << ", " << argument << "}";
  os << "});\n    return " << (entry.options.empty() ? "tenon::" : "detail::") << name << "(x";
  for (const std::string &argument : parameters.passed)
    os << ", " << argument;
  os << ");\n  });\n}\n";
  if (isByName || entry.options.empty())
    return;
  for (StringRef self : {"Array", "Variable"}) {
    std::vector<std::string> types;
    for (const Parameter &parameter : ArrayRef(entry.parameters).drop_front())
      types.push_back(parameterText(parameter, /*isDefinition=*/true));
    types.push_back("Location");
    const Parameter &first = entry.parameters[entry.firstOption()];
    os << "template " << resultType(entry) << " ArrayMethods<" << self << ">::" << name << "<" << valueType(first)
       << ">(" << join(types, ", ") << ") const;\n";
  }
}

void emitMethodDefs(const RecordKeeper &records, raw_ostream &os) {
  os << banner("Methods.gen.inc", "functions of an array as its methods") << "// For lib/ops/Methods.cpp.\n";
  for (const Entry &entry : readEntries(records)) {
    if (!entry.isMethod)
      continue;
    if (!entry.options.empty())
      emitMethodDefinition(entry, /*isByName=*/true, os);
    emitMethodDefinition(entry, /*isByName=*/false, os);
  }
}

} // namespace tenon::tblgen

//===- Calls.cpp - the public functions as a table that a test can call -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::tblgen {

/// An operand brings the place of the call along; the others are taken as they are.
static std::string argument(const Parameter &parameter, size_t number) {
  if (parameter.type == "operand")
    return "a.operand(" + std::to_string(number) + ", at)";
  if (parameter.isEnum)
    return "a.mode<" + parameter.type.str() + ">(" + std::to_string(number) + ")";
  return "a.take<" + valueType(parameter) + ">(" + std::to_string(number) + ")";
}

void emitCalls(const RecordKeeper &records, raw_ostream &os) {
  os << banner("Calls.gen.inc", "a call of every public function")
     << "// Initialisers of Function, in test/must-fail/Calls.h.\n\n";
  for (const Entry &entry : readEntries(records)) {
    if (!entry.isPublic || !is_contained(categories(), entry.category))
      continue;
    os << "{.name = " << quoted(entry.mnemonic) << ",\n .parameters = {";
    interleaveComma(entry.parameters, os, [&](const Parameter &parameter) {
      os << "{" << quoted(parameter.name) << ", " << quoted(parameter.isEnum ? StringRef("enum") : parameter.type)
         << (parameter.isNone() ? ", true}" : ", false}");
    });
    os << "},\n .call = [](const Arguments &a, [[maybe_unused]] const std::source_location &at) -> Results {\n   ";
    const bool isVoid = resultType(entry) == "void";
    os << (isVoid ? "" : "return resultsOf(") << "tenon::" << (entry.isByName ? "detail::" : "")
       << namespaceOf(entry.category) << identifier(entry.mnemonic) << "(";
    for (auto [i, parameter] : enumerate(entry.parameters))
      os << (i ? ", " : "") << argument(parameter, i);
    if (entry.takesLocation())
      os << (entry.parameters.empty() ? "at" : ", at");
    os << (isVoid ? ");\n   return {};" : "));") << "\n }},\n";
  }
}

} // namespace tenon::tblgen

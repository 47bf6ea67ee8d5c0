//===- Text.cpp - names and wrapped text of generated C++ ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;

namespace tenon::tblgen {

std::string camelCase(StringRef mnemonic) { return convertToCamelFromSnakeCase(mnemonic, true); }

std::string identifier(StringRef name) {
  static constexpr StringRef keywords[] = {
      "alignas", "alignof",   "and",       "and_eq",   "asm",      "auto",     "bitand",   "bitor",    "bool",
      "break",   "case",      "catch",     "char",     "class",    "compl",    "concept",  "const",    "continue",
      "default", "delete",    "do",        "double",   "else",     "enum",     "explicit", "export",   "extern",
      "false",   "float",     "for",       "friend",   "goto",     "if",       "inline",   "int",      "long",
      "mutable", "namespace", "new",       "noexcept", "not",      "not_eq",   "nullptr",  "operator", "or",
      "or_eq",   "private",   "protected", "public",   "register", "requires", "return",   "short",    "signed",
      "sizeof",  "static",    "struct",    "switch",   "template", "this",     "throw",    "true",     "try",
      "typedef", "typeid",    "typename",  "union",    "unsigned", "using",    "virtual",  "void",     "volatile",
      "while",   "xor",       "xor_eq"};
  return is_contained(keywords, name) ? (name + "_").str() : name.str();
}

std::string capitalizeFirst(StringRef text) { return toUpper(text.front()) + text.drop_front().str(); }

std::string quoted(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  os << '"';
  os.write_escaped(text);
  os << '"';
  return result;
}

std::string wrapped(StringRef words, StringRef prefix, size_t width) {
  std::string result, line = prefix.str();
  SmallVector<StringRef> parts;
  words.split(parts, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : parts) {
    bool isFirst = line.size() == prefix.size();
    if (!isFirst && line.size() + 1 + word.size() > width) {
      result += std::exchange(line, prefix.str()) + "\n";
      isFirst = true;
    }
    if (!isFirst)
      line += ' ';
    line += word;
  }
  return result + line + "\n";
}

std::string banner(StringRef file, StringRef what) {
  std::string first = ("//===- " + file + " - " + what + " ").str();
  first.resize(std::max<size_t>(first.size(), 75), '-');
  return first + "===//\n"
                 "// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.\n"
                 "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                 "//\n"
                 "// Made by tenon-tblgen from the records in dialect/; change those.\n"
                 "//===----------------------------------------------------------------------===//\n";
}

static StringRef parameterType(StringRef kind) {
  return StringSwitch<StringRef>(kind)
      .Case("int_", "int ")
      .Case("bool_", "bool ")
      .Case("dtype", "Dtype ")
      .Case("scalar", "Scalar ")
      .Case("string", "std::string_view ")
      .Case("ints", "const Ints &")
      .Case("dims", "const Shape &");
}

/// Splits at commas outside brackets: `std::pair<A, B> x` stays one.
static std::vector<std::string> splitParameters(StringRef text) {
  std::vector<std::string> result;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += StringRef("(<{").contains(text[i]);
    depth -= StringRef(")>}").contains(text[i]);
    if (text[i] == ',' && depth == 0) {
      result.push_back(text.slice(start, i).trim().str());
      start = i + 1;
    }
  }
  result.push_back(text.substr(start).trim().str());
  return result;
}

std::vector<std::string> parameterList(const Entry &entry) {
  if (!entry.parameters.empty())
    return splitParameters(entry.parameters);
  std::vector<std::string> result;
  for (const Operand &operand : entry.operands) {
    if (operand.variadic || operand.optional)
      PrintFatalError(entry.record, "needs `parameters`: operand '" + operand.name + "' is not one array");
    result.push_back("const Operand &" + identifier(operand.name));
  }
  for (const Attribute &attribute : entry.attributes)
    result.push_back(parameterType(attribute.kind).str() + identifier(attribute.name));
  return result;
}

StringRef resultType(const Entry &entry) { return entry.returns.empty() ? "Array" : entry.returns; }

} // namespace tenon::tblgen

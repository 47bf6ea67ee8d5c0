//===- Text.cpp - names and wrapped text of generated C++ ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

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

/// `const Operand &`, `int `: what stands before the name.
static std::string typeOf(const Parameter &parameter) {
  if (parameter.isEnum)
    return (parameter.type + " ").str();
  return StringSwitch<std::string>(parameter.type)
      .Case("operand", "const Operand &")
      .Case("padding", "const Padding &")
      .Case("key", "const Key &")
      .Case("arrays", "const Arrays &")
      .Cases({"axes", "ints"}, "const Ints &")
      .Case("shape", "const Shape &")
      .Case("axis", "Axis ")
      .Case("size", "Dim ")
      .Case("float", "double ")
      .Case("number", "Scalar ")
      .Case("text", "std::string_view ")
      .Case("dtype", "Dtype ")
      .Case("device", "Device ")
      .Case("int", "int ")
      .Case("bool", "bool ");
}

/// What is passed by reference can hold nothing; a value needs an optional.
static bool isOptional(const Parameter &parameter) { return parameter.isNone() && typeOf(parameter).back() != '&'; }

std::string valueType(const Parameter &parameter) {
  const std::string text = typeOf(parameter);
  StringRef type = text;
  type.consume_front("const ");
  const std::string name = type.rtrim(" &").str();
  return isOptional(parameter) ? "std::optional<" + name + ">" : name;
}

std::string defaultText(const Parameter &parameter) {
  if (parameter.isEnum)
    return (parameter.type + "::" + parameter.value).str();
  if (parameter.type == "padding")
    return ("PaddingMode::" + parameter.value).str();
  return parameter.type == "text" ? quoted(parameter.value) : parameter.value.str();
}

std::string parameterText(const Parameter &parameter, bool isDefinition) {
  const std::string name = identifier(parameter.name);
  const std::string text = isOptional(parameter) ? valueType(parameter) + " " + name : typeOf(parameter) + name;
  if (isDefinition || parameter.isRequired())
    return text;
  if (parameter.isNone())
    return text + (parameter.type == "operand" ? " = none" : " = {}");
  return text + " = " + defaultText(parameter);
}

std::vector<std::string> parameterList(const Entry &entry, bool isDefinition) {
  return parameterList(entry, entry.parameters, isDefinition);
}

std::vector<std::string> parameterList(const Entry &entry, ArrayRef<Parameter> parameters, bool isDefinition) {
  std::vector<std::string> result;
  for (const Parameter &parameter : parameters)
    result.push_back(parameterText(parameter, isDefinition));
  if (entry.takesLocation())
    result.push_back(isDefinition ? "Location at" : "Location at = Location::current()");
  return result;
}

std::string optionName(const Parameter &parameter) {
  return parameter.type == "axes" ? "axis" : identifier(parameter.name);
}

/// The width of code in .clang-format.
static constexpr size_t codeWidth = 120;

std::string layOut(const Twine &head, ArrayRef<std::string> parameters, StringRef tail) {
  std::string result, line = (head + "(").str();
  const std::string indent(line.size(), ' ');
  if (parameters.empty())
    return line + ")" + tail.str();
  for (auto [i, parameter] : enumerate(parameters)) {
    bool isLast = i + 1 == parameters.size();
    std::string text = parameter + (isLast ? ")" + tail.str() : ",");
    if (i != 0 && line.size() + 1 + text.size() > codeWidth) {
      result += line + "\n";
      line = indent;
    } else if (i != 0) {
      line += ' ';
    }
    line += text;
  }
  return result + line;
}

std::string positionalText(const Entry &entry, const Parameter &parameter) {
  if (entry.options.empty() || entry.isByName || &parameter != &entry.parameters[entry.firstOption()])
    return parameterText(parameter, /*isDefinition=*/false);
  const bool isAxes = parameter.type == "axes";
  return (isAxes ? "const detail::Positional<Axes> &" : "detail::Positional<Place> ") + parameter.name.str() + " = {}";
}
std::string positionalTemplate(const Entry &entry) {
  if (entry.options.empty() || entry.isByName)
    return "";
  return entry.parameters[entry.firstOption()].type == "axes" ? "template <class Axes = Ints>\n"
                                                              : "template <class Place = std::optional<Axis>>\n";
}

StringRef resultType(const Entry &entry) { return entry.returns.empty() ? "Array" : entry.returns; }

} // namespace tenon::tblgen

//===- Docs.cpp - the reference page, and the functions as JSON ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::tblgen {

/// Text that is no markdown: `*`, `_`, `<`, `|` mean themselves, code between
/// back quotes stays.
static std::string escaped(StringRef text) {
  std::string result;
  bool isCode = false;
  for (char c : text) {
    isCode ^= c == '`';
    if (!isCode && StringRef("*_<>|[]").contains(c))
      result += '\\';
    result += c;
  }
  return result;
}

static std::string derivative(const Entry &entry) {
  if (!entry.isOp && entry.vjp.empty())
    return "that of its decomposition.";
  if (!entry.noVjp.empty())
    return ("none: " + entry.noVjp + ".").str();
  if (entry.zeroVjp)
    return "zero.";
  if (entry.hasTraceRules())
    return "a rule from traces to traces.";
  return entry.needs.empty() ? "a rule that keeps no value." : "a rule that keeps `" + join(entry.needs, "`, `") + "`.";
}

static std::string batching(const Entry &entry) {
  if (!entry.isOp && entry.batch.empty())
    return "that of its decomposition.";
  return entry.noBatch.empty() ? "a rule." : ("none: " + entry.noBatch + ".").str();
}

/// A row for each parameter; nothing for one operand that has no words.
static void emitParameters(const Entry &entry, raw_ostream &os) {
  if (!entry.isPublic || all_of(entry.allParameters(), [](const Parameter &parameter) {
        return parameter.isRequired() && parameter.doc.empty() && parameter.type == "operand";
      }))
    return;
  os << "\n| Parameter | Type | Default | |\n|---|---|---|---|\n";
  for (const Parameter &parameter : entry.allParameters()) {
    os << "| `" << parameter.name << "` | " << parameter.type << " | ";
    if (!parameter.isRequired() && !parameter.isNone())
      os << "`" << defaultText(parameter) << "`";
    else if (parameter.isNone())
      os << "none";
    os << " | " << escaped(parameter.doc) << " |\n";
  }
}

/// The form with a struct of options.
static std::string optionsForm(const Entry &entry) {
  std::vector<std::string> parameters = parameterList(entry);
  parameters.resize(entry.firstOption());
  parameters.push_back(("const " + entry.options + " &options" + (entry.isByName ? " = {}" : "")).str());
  return (resultType(entry) + " " + identifier(entry.mnemonic) + "(" + join(parameters, ", ") + ");").str();
}

/// As in the public header, on one line.
static std::string signature(const Entry &entry) {
  if (entry.isByName)
    return optionsForm(entry);
  return (resultType(entry) + " " + identifier(entry.mnemonic) + "(" + join(parameterList(entry), ", ") + ");").str();
}

static void emitEntry(const Entry &entry, raw_ostream &os) {
  os << "\n### " << entry.mnemonic << "\n\n";
  if (entry.isPublic)
    os << "```cpp\n"
       << signature(entry) << "\n"
       << (entry.options.empty() || entry.isByName ? "" : optionsForm(entry) + "\n") << "```\n\n";
  os << wrapped(escaped(entry.summary), "", 100);
  for (const std::string &paragraph : entry.description)
    os << "\n" << wrapped(escaped(paragraph), "", 100);
  emitParameters(entry, os);
  if (!entry.example.empty())
    os << "\n```cpp\n" << entry.example.trim() << "\n```\n";
  os << "\n- Dtypes: " << join(entry.dtypes, ", ") << ".\n- Derivative: " << derivative(entry)
     << "\n- Under vmap: " << batching(entry) << "\n- Eager, interpreted and compiled: ";
  if (entry.toleranceUlp)
    os << "within " << entry.toleranceUlp << " ulp; " << escaped(entry.toleranceReason);
  else
    os << "equal by bits.";
  if (entry.referenceUlp)
    os << "\n- From the reference: at most " << entry.referenceUlp << " ulp of f32.";
  os << "\n";
}

void emitDocs(const RecordKeeper &records, raw_ostream &os) {
  std::vector<Entry> entries = readEntries(records);
  os << "<!-- Made by tenon-tblgen from the records in dialect/; change those. -->\n# Operations\n\n"
        "Functions of namespace `tenon`; those of the section Random are in `tenon::random`.\n";
  for (StringRef category : categories()) {
    auto isHere = [&](const Entry &entry) { return entry.category == category; };
    if (none_of(entries, isHere))
      continue;
    os << "\n## " << capitalizeFirst(category) << "\n";
    for (const Entry &entry : make_filter_range(entries, isHere))
      emitEntry(entry, os);
  }
}

/// A literal as JSON: `-1`, `false`, `"f32"`; null for what only the words say.
static json::Value defaultValue(const Parameter &parameter) {
  if (parameter.isNone())
    return nullptr;
  if (parameter.isEnum)
    return defaultText(parameter);
  Expected<json::Value> value = json::parse(parameter.value);
  if (value)
    return std::move(*value);
  consumeError(value.takeError());
  return parameter.value;
}

static json::Value parametersOf(ArrayRef<Parameter> parameters) {
  json::Array all;
  for (const Parameter &parameter : parameters) {
    json::Object one{{"name", parameter.name}, {"type", parameter.type}, {"doc", parameter.doc}};
    if (!parameter.isRequired())
      one["default"] = defaultValue(parameter);
    all.push_back(std::move(one));
  }
  return all;
}

void emitJson(const RecordKeeper &records, raw_ostream &os) {
  json::Array all;
  for (const Entry &entry : readEntries(records)) {
    if (!entry.isPublic)
      continue;
    json::Object one{{"name", entry.mnemonic},
                     {"category", entry.category},
                     {"summary", entry.summary},
                     {"description", entry.description},
                     {"dtypes", entry.dtypes},
                     {"promotion", entry.promotion},
                     {"signature", signature(entry)},
                     {"parameters", parametersOf(entry.parameters)},
                     {"derivative", derivative(entry)},
                     {"batching", batching(entry)},
                     {"door", entry.door},
                     {"tolerance_ulp", entry.toleranceUlp},
                     {"tolerance_reason", entry.toleranceReason},
                     {"reference_ulp", entry.referenceUlp},
                     {"returns", entry.returns.empty()                   ? StringRef("array")
                                 : entry.returns == "void"               ? StringRef("nothing")
                                 : entry.returns == "std::vector<Array>" ? StringRef("arrays")
                                                                         : entry.returns}};
    if (entry.isByName)
      one["options"] = entry.options;
    else if (!entry.options.empty())
      one["signature_by_name"] = optionsForm(entry);
    if (!entry.named.empty())
      one["named_parameters"] = parametersOf(entry.named);
    if (entry.isMethod)
      one["method"] = true;
    if (entry.isElementwise)
      one["result_dtype"] = entry.resultDtype;
    if (entry.isView)
      one["view"] = true;
    if (entry.isOp)
      one["code"] = entry.opCode;
    all.push_back(std::move(one));
  }
  os << formatv("{0:2}\n", json::Value(std::move(all)));
}

} // namespace tenon::tblgen

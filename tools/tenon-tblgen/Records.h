//===- Records.h - the op records, read and checked --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every generator starts from. The fields are documented in
// dialect/records/Base.td; anything in a record that no generator could use is an
// error here, with the record's file and line.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

namespace tenon::tblgen {

/// An array operand. `<attribute>_sizes` operands are no entries here: the IR
/// has one group of them for each attribute of kind "dims", in the same order,
/// after the arrays (readEntries checks that).
struct Operand {
  llvm::StringRef name;
  bool variadic = false;
  bool optional = false;
};

struct Attribute {
  llvm::StringRef name;
  /// AttrKind's enumerator: "int_", "bool_", ...
  llvm::StringRef kind;
};

/// Of a public function; see Tenon_Parameter in dialect/records/Base.td.
struct Parameter {
  llvm::StringRef name, type, value, doc;
  /// `type` is the name of a Tenon_Enum.
  bool isEnum = false;
  bool isRequired() const { return value.empty(); }
  bool isNone() const { return value == "none"; }
};

/// OperandGroup and RegionInfo of dialect/model/Op.h.
struct Group {
  llvm::StringRef name, flow;
  /// OperandGroup::Count's enumerator, and which attribute.
  llvm::StringRef count;
  size_t counter = 0;
};
struct Region {
  llvm::StringRef name;
  unsigned takes = 0;
  llvm::StringRef returned = "results";
  bool isNamed = false;
};

/// An enum of the public API; see Tenon_Enum in dialect/records/Base.td.
struct Enum {
  struct Value {
    llvm::StringRef name, doc, alias;
  };
  llvm::StringRef name, summary;
  std::vector<Value> values;
};

/// One record: an op of the IR or a composite.
struct Entry {
  const llvm::Record *record = nullptr;
  bool isOp = false;
  /// A composite that is recorded as one op.
  bool isNamed = false;
  llvm::StringRef mnemonic;
  llvm::StringRef summary, category, promotion, door, returns, options, overloads, example, toleranceReason;
  /// Paragraphs, white space collapsed.
  std::vector<std::string> description;
  std::vector<Operand> operands;
  std::vector<Attribute> attributes;
  /// Those of the record, or its operands and attributes.
  std::vector<Parameter> parameters;
  /// Those that only the struct of options has.
  std::vector<Parameter> named;
  std::vector<llvm::StringRef> dtypes;
  bool isPublic = true, isMethod = false;
  /// `options` hold every parameter that may be left out, and the function has that form alone.
  bool isByName = false;
  int64_t toleranceUlp = 0, referenceUlp = 0;

  /// Of an elementwise op: an element; of a composite: the function.
  std::string expression;

  // Of an elementwise op only; see Base.td.
  std::string boolExpression;
  bool isMath = false, isByHand = false, isExact = false, wraps = false;
  int64_t cost = 1;
  llvm::StringRef resultDtype = "operands", comparison;
  size_t conditions = 0;

  // Of a composite that is recorded as one op: its place among them.
  int64_t compositeId = 0;
  std::string decompose;

  // Of an op only; kernel, vjp, batch and needs of a named composite, too.
  int64_t opCode = 0;
  std::string stem;
  llvm::StringRef lowering, noVjp, noBatch;
  /// Names of the functions; empty: null in its table. Those of an op with regions are
  /// others: its rules take traces and return traces.
  std::string shapeRule, kernel, vjp, batch, regionVjp, regionBatch, interpret, run, view;
  bool zeroVjp = false;
  std::vector<llvm::StringRef> results, needs;
  std::vector<Region> regions;
  std::vector<Group> groups;
  bool variadicRegions = false;
  int rounds = -1;
  bool variadicResults = false;
  /// OpInfo::needs and OpInfo::linearIn.
  uint32_t needsBits = 0;
  std::vector<uint32_t> linearIn;
  /// Number of an attribute, or -1.
  int constantTerm = -1;
  /// The operand that may be updated in place, or -1.
  int updated = -1;
  bool hasEffect = false, isElementwise = false, isView = false, commutative = false, readsElements = true;
  /// Of a reduction: the mnemonic of what it combines with; else empty.
  llvm::StringRef combine, identity;
  bool isWide = false;

  bool variadic() const { return !operands.empty() && operands.back().variadic; }
  /// Whether its derivative and batching rules take traces.
  bool hasTraceRules() const { return lowering == "region" || lowering == "ruled"; }
  bool isGeneratedDoor() const { return isPublic && door != "hand"; }
  /// The parameters from here on are fields of `options`.
  size_t firstOption() const {
    const auto starts = [&](const Parameter &p) {
      return isByName ? !p.isRequired() : p.type == "axes" || p.type == "axis";
    };
    return static_cast<size_t>(llvm::find_if(parameters, starts) - parameters.begin());
  }
  /// All parameters of the form with options.
  std::vector<Parameter> allParameters() const {
    std::vector<Parameter> all = parameters;
    all.insert(all.end(), named.begin(), named.end());
    return all;
  }
  /// The fields of `options`.
  std::vector<Parameter> optionFields() const {
    std::vector<Parameter> all = allParameters();
    all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(firstOption()));
    return all;
  }
  /// Operands carry the place of the call; a function without one takes it.
  bool takesLocation() const {
    return llvm::none_of(parameters, [](const Parameter &parameter) { return parameter.type == "operand"; });
  }
};

/// The enums in the order of the files.
std::vector<Enum> readEnums(const llvm::RecordKeeper &records);
/// Every record in the order of the files. Stops with an error at the first
/// record that is wrong.
std::vector<Entry> readEntries(const llvm::RecordKeeper &records);
/// The ops alone, by code.
std::vector<Entry> readOps(const llvm::RecordKeeper &records);
/// The composites that are recorded as one op, by id.
std::vector<Entry> readNamedComposites(const llvm::RecordKeeper &records);

/// The sections of the API, in order: the words of `category`.
llvm::ArrayRef<llvm::StringRef> categories();
/// The namespace within tenon of a section's functions, "random::"; "" for tenon itself.
llvm::StringRef namespaceOf(llvm::StringRef category);

/// "less_equal" to "LessEqual".
std::string camelCase(llvm::StringRef mnemonic);
/// With a trailing underscore if `name` is a keyword of C++.
std::string identifier(llvm::StringRef name);
/// "control flow" to "Control flow".
std::string capitalizeFirst(llvm::StringRef text);
/// A C++ string literal.
std::string quoted(llvm::StringRef text);
/// `words` filled into lines of at most `width`, each after `prefix`, each with
/// a newline.
std::string wrapped(llvm::StringRef words, llvm::StringRef prefix, size_t width);
/// The header comment of a generated file.
std::string banner(llvm::StringRef file, llvm::StringRef what);
/// The C++ parameters of the public function, each `const Ints &axes = {}`; of a
/// definition: without what they are where they are left out.
std::vector<std::string> parameterList(const Entry &entry, bool isDefinition = false);
/// The same of `parameters` of it.
std::vector<std::string> parameterList(const Entry &entry, llvm::ArrayRef<Parameter> parameters, bool isDefinition);
/// One of them.
std::string parameterText(const Parameter &parameter, bool isDefinition);
/// What a parameter is taken as, by value: "Ints", "std::optional<Axis>".
std::string valueType(const Parameter &parameter);
/// A field of a struct of options; it has the singular name that NumPy and Keras give it.
std::string optionName(const Parameter &parameter);
/// `head(parameters)tail`, laid out as clang-format does: parameters that do not fit go below the first one.
std::string layOut(const llvm::Twine &head, llvm::ArrayRef<std::string> parameters, llvm::StringRef tail);
/// The last parameter of what takes a Location.
inline constexpr const char *locationParameter = "Location at = Location::current()";
/// A parameter of the overload without options. A template's, it is worse than the struct of options where both
/// fit: g++ takes `{.axis = 1}` for the list {1}, too.
std::string positionalText(const Entry &entry, const Parameter &parameter);
/// That overload's `template <...>` line, or nothing.
std::string positionalTemplate(const Entry &entry);
/// A default as C++: "-1", "Side::left".
std::string defaultText(const Parameter &parameter);
/// The public result type.
llvm::StringRef resultType(const Entry &entry);

} // namespace tenon::tblgen

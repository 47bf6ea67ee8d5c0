//===- Records.cpp - the op records, read and checked ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TableGen/Error.h"

#include <tenon/dtype.h>

#include <map>

using namespace llvm;

namespace tenon::tblgen {

static constexpr StringRef allCategories[] = {
    "elementwise", "comparison", "reduction",   "cumulative",   "manipulation", "creation",       "indexing",
    "sorting",     "searching",  "contraction", "convolution",  "image",        "linear algebra", "fft",
    "signal",      "random",     "neural",      "control flow", "other"};

/// Sets of dtypes, by what they have in common: records name these.
struct DtypeSetName {
  StringRef name;
  bool (*has)(Dtype);
};
static constexpr DtypeSetName allDtypeSets[] = {
    {"boolean", [](Dtype d) { return kind(d) == Kind::boolean; }},
    {"integer", [](Dtype d) { return kind(d) == Kind::integer; }},
    {"floating", [](Dtype d) { return kind(d) == Kind::floating && !is_storage(d); }},
    {"complex", [](Dtype d) { return kind(d) == Kind::complex; }},
    {"real", [](Dtype d) { return kind(d) != Kind::boolean && kind(d) != Kind::complex && !is_storage(d); }},
    {"numeric", [](Dtype d) { return kind(d) != Kind::boolean && !is_storage(d); }},
    {"ordered", [](Dtype d) { return kind(d) != Kind::complex && !is_storage(d); }},
    {"computed", [](Dtype d) { return !is_storage(d); }},
    {"any", [](Dtype) { return true; }},
};
static constexpr StringRef allPromotions[] = {"none", "common", "floating", "boolean", "kept"};
static constexpr StringRef allResultDtypes[] = {"operands", "bool", "attribute", "part", "pair"};
static constexpr StringRef allComparisons[] = {"", "==", "!=", "<", "<="};
static constexpr StringRef allParameterTypes[] = {"operand", "arrays", "axes",    "axis", "ints",   "shape",
                                                  "size",    "int",    "float",   "bool", "number", "text",
                                                  "dtype",   "device", "padding", "key"};
static constexpr StringRef allDoors[] = {"hand",    "elementwise", "reduction", "truths",
                                         "scatter", "attributes",  "expression"};
static constexpr StringRef allFlows[] = {"read", "passed", "carried", "sliced"};
static constexpr StringRef allReturned[] = {"results", "round", "answer", "rule"};
static constexpr StringRef allLowerings[] = {"elementwise", "broadcast", "reduction", "view", "library",
                                             "region",      "open",      "effect",    "ruled"};

ArrayRef<StringRef> categories() { return allCategories; }

StringRef namespaceOf(StringRef category) {
  return StringSwitch<StringRef>(category)
      .Case("random", "random::")
      .Case("fft", "fft::")
      .Case("linear algebra", "linalg::")
      .Case("signal", "signal::")
      .Default("");
}

static void checkWord(const Record &record, StringRef field, StringRef word, ArrayRef<StringRef> known) {
  if (!is_contained(known, word))
    PrintFatalError(&record, "unknown " + field + " '" + word + "': expected one of " + join(known, ", "));
}

static StringRef optionalString(const Record &record, StringRef field) {
  return record.getValueAsOptionalString(field).value_or("");
}

static std::vector<std::string> paragraphs(StringRef text) {
  std::vector<std::string> result;
  std::string current;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (line.empty() && !current.empty())
      result.push_back(std::exchange(current, {}));
    if (line.empty())
      continue;
    if (!current.empty())
      current += ' ';
    current += line;
  }
  if (!current.empty())
    result.push_back(std::move(current));
  return result;
}

/// The record of argument `i`, and whether it is wrapped in Variadic<> or
/// Optional<>.
static const Record *argument(const DagInit &dag, unsigned i, bool &variadic, bool &optional) {
  const Record *type = cast<DefInit>(dag.getArg(i))->getDef();
  variadic = type->isSubClassOf("Variadic");
  optional = type->isSubClassOf("Optional");
  return variadic || optional ? type->getValueAsDef("baseType") : type;
}

static void readArguments(Entry &entry) {
  const Record &record = *entry.record;
  const DagInit &dag = *record.getValueAsDag("arguments");
  std::vector<StringRef> sizes;
  for (unsigned i = 0; i < dag.getNumArgs(); ++i) {
    bool variadic, optional;
    const Record *type = argument(dag, i, variadic, optional);
    StringRef name = dag.getArgNameStr(i);
    if (name.empty())
      PrintFatalError(&record, "argument " + Twine(i) + " has no name");
    if (type->isSubClassOf("Tenon_Attr")) {
      entry.attributes.push_back({name, type->getValueAsString("tenonKind")});
    } else if (type->isSubClassOf("Attr")) {
      PrintFatalError(&record, "attribute '" + name + "' is no Tenon_Attr: a trace cannot store it");
    } else if (type->getName() == "Index") {
      sizes.push_back(name);
    } else {
      if (!sizes.empty())
        PrintFatalError(&record, "operand '" + name + "' stands after the sizes '" + sizes.back() + "'");
      if (entry.variadic())
        PrintFatalError(&record, "operand '" + name + "' stands after a variadic one");
      if (optional && entry.isOp)
        PrintFatalError(&record, "operand '" + name + "' is optional: only a composite's may be");
      entry.operands.push_back({name, variadic, optional});
    }
  }
  // The glue between traces and the IR counts on this order.
  std::vector<std::string> expected;
  for (const Attribute &attribute : entry.attributes)
    if (attribute.kind == "dims")
      expected.push_back((attribute.name + "_sizes").str());
  if (entry.isOp && !equal(expected, sizes))
    PrintFatalError(&record, "expected the Variadic<Index> operands [" + join(expected, ", ") + "], got [" +
                                 join(sizes, ", ") + "]");
}

/// What a parameter is that becomes an attribute of this kind as it stands.
static StringRef parameterType(StringRef kind) {
  return StringSwitch<StringRef>(kind)
      .Case("int_", "int")
      .Case("bool_", "bool")
      .Case("scalar", "number")
      .Case("string", "text")
      .Case("dims", "shape")
      .Default(kind);
}

std::vector<Enum> readEnums(const RecordKeeper &records) {
  std::vector<const Record *> all(records.getAllDerivedDefinitions("Tenon_Enum"));
  sort(all, LessRecordByID());
  std::vector<Enum> enums;
  for (const Record *record : all) {
    Enum &read = enums.emplace_back();
    read.name = record->getValueAsString("name");
    read.summary = record->getValueAsString("summary");
    for (const Record *value : record->getValueAsListOfDefs("values")) {
      const StringRef alias = value->getValueAsString("alias");
      if (!alias.empty() && none_of(read.values, [&](const Enum::Value &other) { return other.name == alias; }))
        PrintFatalError(record, "'" + value->getValueAsString("name") + "' is an alias of '" + alias +
                                    "', which is no value before it");
      read.values.push_back({value->getValueAsString("name"), value->getValueAsString("doc"), alias});
    }
  }
  return enums;
}

/// Whether the type of a parameter is an enum; its default must be a value of it.
static bool isEnum(const Entry &entry, const Parameter &parameter) {
  for (const Enum &one : readEnums(entry.record->getRecords())) {
    if (one.name != parameter.type)
      continue;
    if (!parameter.isRequired() &&
        none_of(one.values, [&](const Enum::Value &value) { return value.name == parameter.value; }))
      PrintFatalError(entry.record, "parameter '" + parameter.name + "' has the default '" + parameter.value +
                                        "', which is no value of " + one.name);
    return true;
  }
  return false;
}

static void readParameters(Entry &entry) {
  if (!entry.isPublic)
    return; // no function takes them
  for (StringRef field : {"parameters", "named"})
    for (const Record *record : entry.record->getValueAsListOfDefs(field))
      (field == "named" ? entry.named : entry.parameters)
          .push_back({record->getValueAsString("name"), record->getValueAsString("type"),
                      record->getValueAsString("default"), record->getValueAsString("doc")});
  if (entry.parameters.empty()) {
    for (const Operand &operand : entry.operands)
      entry.parameters.push_back(
          {operand.name, operand.variadic ? "arrays" : "operand", operand.optional ? "none" : "", ""});
    for (const Attribute &attribute : entry.attributes)
      entry.parameters.push_back({attribute.name, parameterType(attribute.kind), "", ""});
  }
  for (Parameter &parameter : entry.named) {
    parameter.isEnum = isEnum(entry, parameter);
    if (!parameter.isEnum)
      checkWord(*entry.record, "type of a parameter", parameter.type, allParameterTypes);
  }
  const Parameter *left = nullptr;
  for (Parameter &parameter : entry.parameters) {
    parameter.isEnum = isEnum(entry, parameter);
    if (!parameter.isEnum)
      checkWord(*entry.record, "type of a parameter", parameter.type, allParameterTypes);
    if (parameter.isRequired() && left)
      PrintFatalError(entry.record, "parameter '" + parameter.name + "' must be given and stands after '" + left->name +
                                        "', which may be left out");
    if (!parameter.isRequired())
      left = &parameter;
  }
  for (const Operand &operand : entry.operands)
    if (none_of(entry.parameters, [&](const Parameter &parameter) { return parameter.name == operand.name; }))
      PrintFatalError(entry.record, "operand '" + operand.name + "' is no parameter");
}

/// What a generated function counts on.
static void checkDoor(const Entry &entry) {
  const Record &record = *entry.record;
  checkWord(record, "door", entry.door, allDoors);
  if (entry.door == "elementwise" && (!entry.isElementwise || !entry.attributes.empty()))
    PrintFatalError(&record, "has the door of elementwise ops, and is none or has attributes");
  if (is_contained({"reduction", "truths"}, entry.door) && entry.lowering != "reduction")
    PrintFatalError(&record, "has the door of reductions, and is none");
  if (entry.door == "scatter" && !entry.record->isSubClassOf("Tenon_Scatter"))
    PrintFatalError(&record, "has the door of scatters, and is none");
  if (entry.door == "attributes" && (!entry.isOp || entry.operands.size() != 1 || entry.variadic()))
    PrintFatalError(&record, "has the door of ops of one array and attributes, and is none");
  if (entry.door == "expression" && (entry.isOp || entry.expression.empty()))
    PrintFatalError(&record, "has the door of a composite's `expression`, and has none");
}

static std::vector<StringRef> names(const DagInit &dag) {
  std::vector<StringRef> result;
  for (unsigned i = 0; i < dag.getNumArgs(); ++i)
    result.push_back(dag.getArgNameStr(i));
  return result;
}

static void readTraits(Entry &entry, ArrayRef<const Record *> traits) {
  for (const Record *trait : traits) {
    if (trait->isSubClassOf("TraitList"))
      readTraits(entry, trait->getValueAsListOfDefs("traits"));
    else if (trait->isSubClassOf("MemoryEffects"))
      entry.hasEffect |= !trait->getValueAsListOfDefs("effects").empty();
    entry.commutative |= trait->getName() == "Commutative";
    entry.isView |= trait->getName() == "Tenon_View";
  }
}

static void readNeeds(Entry &entry) {
  entry.needs = entry.record->getValueAsListOfStrings("needs");
  for (StringRef need : entry.needs) {
    auto operand = find_if(entry.operands, [&](const Operand &operand) { return operand.name == need; });
    auto result = find(entry.results, need);
    if (operand != entry.operands.end())
      entry.needsBits |= 1u << (operand - entry.operands.begin());
    else if (result != entry.results.end())
      entry.needsBits |= 1u << (16 + (result - entry.results.begin()));
    else
      PrintFatalError(entry.record, "needs '" + need + "', which names no operand and no result");
  }
  if (entry.operands.size() > 16 || entry.results.size() > 16)
    PrintFatalError(entry.record, "has more than 16 named operands or results");
}

/// Forward mode's part of a record, after what readElementwise has read.
static void readLinear(Entry &entry) {
  const Record &record = *entry.record;
  const ListInit &groups = *record.getValueAsListInit("linearIn");
  uint32_t seen = 0;
  for (const Init *init : groups.getElements()) {
    uint32_t bits = 0;
    for (const Init *element : cast<ListInit>(init)->getElements()) {
      const StringRef name = cast<StringInit>(element)->getValue();
      auto operand = find_if(entry.operands, [&](const Operand &operand) { return operand.name == name; });
      if (operand == entry.operands.end())
        PrintFatalError(&record, "is linear in '" + name + "', which names no operand");
      const uint32_t bit = 1u << (operand - entry.operands.begin());
      if ((seen | bits) & bit)
        PrintFatalError(&record, "is linear in '" + name + "' twice");
      bits |= bit;
    }
    if (!bits)
      PrintFatalError(&record, "has an empty group of `linearIn`");
    seen |= bits;
    entry.linearIn.push_back(bits);
  }
  const StringRef constant = record.getValueAsString("constantTerm");
  auto attribute = find_if(entry.attributes, [&](const Attribute &attribute) { return attribute.name == constant; });
  if (attribute != entry.attributes.end() && attribute->kind == "scalar" && seen)
    entry.constantTerm = static_cast<int>(attribute - entry.attributes.begin());
  else if (!constant.empty())
    PrintFatalError(&record, "constantTerm '" + constant + "' is no number attribute of an op that is linear");
  if (seen && (entry.vjp.empty() || entry.hasTraceRules()))
    PrintFatalError(&record, "is linear (`linearIn`), and has no derivative rule");
  if (!seen && entry.isElementwise && !entry.vjp.empty() && entry.resultDtype != "operands")
    PrintFatalError(&record, "has a result of another dtype than its operands: what is differentiated of it must be "
                             "linear (`linearIn`)");
}

/// A function's name: the field, or the default, or none.
static std::string function(const Record &record, StringRef field, const std::string &defaultName) {
  StringRef name = record.getValueAsString(field);
  return name.empty() ? defaultName : name.str();
}

static void readRules(Entry &entry) {
  const Record &record = *entry.record;
  entry.noVjp = record.getValueAsString("noVjp");
  entry.noBatch = record.getValueAsString("noBatch");
  if (!entry.noVjp.empty() && !record.getValueAsString("vjp").empty())
    PrintFatalError(&record, "has both a derivative (`vjp`) and a sentence for none (`noVjp`)");
  if (!entry.noBatch.empty() && !record.getValueAsString("batch").empty())
    PrintFatalError(&record, "has both a batching rule (`batch`) and a sentence for none (`noBatch`)");
  entry.zeroVjp = record.getValueAsString("vjp") == "zero";
  const bool isOverTraces = entry.hasTraceRules();
  entry.shapeRule = function(record, "shapeRule", "infer" + entry.stem);
  if (entry.lowering == "open")
    return;
  entry.kernel = function(record, "kernel", "kernel" + entry.stem);
  if (entry.kernel == "none")
    entry.kernel.clear();
  if (!entry.zeroVjp && entry.noVjp.empty())
    (isOverTraces ? entry.regionVjp : entry.vjp) = function(record, "vjp", "vjp" + entry.stem);
  if (entry.noBatch.empty())
    (isOverTraces ? entry.regionBatch : entry.batch) = function(record, "batch", "batch" + entry.stem);
  if (entry.lowering == "region") {
    entry.interpret = "interpret" + entry.stem;
    entry.run = "run" + entry.stem;
  }
  readNeeds(entry);
  if (!entry.needs.empty() && entry.vjp.empty())
    PrintFatalError(&record, "needs '" + entry.needs.front() + "', but has no derivative rule that reads it");
}

static void readView(Entry &entry) {
  const Record &record = *entry.record;
  if (entry.lowering == "view" && !entry.isView)
    PrintFatalError(&record, "is lowered as a view and is no Tenon_View");
  if (!entry.isView)
    return;
  if (!is_contained({"view", "broadcast"}, entry.lowering))
    PrintFatalError(&record, "is a Tenon_View and lowered as '" + entry.lowering + "'");
  if (entry.operands.size() != 1 || (entry.variadic() && !entry.variadicResults))
    PrintFatalError(&record, "is a Tenon_View of other than one operand, or of several without a result each");
  entry.view = function(record, "view", "view" + entry.stem);
}

static void readElementwise(Entry &entry) {
  const Record &record = *entry.record;
  entry.expression = record.getValueAsString("expression").trim();
  if (entry.expression.empty()) {
    entry.expression = entry.mnemonic.str() + "(";
    for (const Operand &operand : entry.operands)
      entry.expression += (&operand == &entry.operands.front() ? "" : ", ") + operand.name.str();
    entry.expression += ")";
  }
  entry.boolExpression = record.getValueAsString("boolExpression").trim();
  entry.isMath = record.getValueAsBit("isMath");
  entry.isByHand = record.getValueAsBit("isByHand");
  entry.isExact = record.getValueAsBit("isExact");
  entry.wraps = record.getValueAsBit("wraps");
  entry.cost = record.getValueAsInt("cost");
  if (entry.cost < 1 || entry.cost > 0xff)
    PrintFatalError(&record, "cost " + Twine(entry.cost) + " is not in 1 to 255");
  entry.resultDtype = record.getValueAsString("resultDtype");
  checkWord(record, "resultDtype", entry.resultDtype, allResultDtypes);
  entry.comparison = record.getValueAsString("comparison");
  checkWord(record, "comparison", entry.comparison, allComparisons);
  std::vector<StringRef> conditions = record.getValueAsListOfStrings("conditions");
  entry.conditions = conditions.size();
  for (auto [i, name] : enumerate(conditions))
    if (i + 1 >= entry.operands.size() || entry.operands[i].name != name)
      PrintFatalError(&record, "condition '" + name + "' is not operand " + Twine(i) + ", before the others");
  if (entry.conditions && !entry.isByHand)
    PrintFatalError(&record, "has conditions: its loop has to be written by hand (isByHand)");
}

/// How many operands are in a group: an attribute says it, it is one by name, or
/// it is the last.
static void readGroups(Entry &entry) {
  const Record &record = *entry.record;
  std::vector<const Record *> groups = record.getValueAsListOfDefs("groups");
  size_t single = 0;
  for (const Record *group : groups) {
    StringRef name = group->getValueAsString("name"), flow = group->getValueAsString("flow");
    checkWord(record, "flow", flow, allFlows);
    auto counter = find_if(entry.attributes, [&](const Attribute &attribute) {
      return attribute.name == name && attribute.kind == "int_";
    });
    bool isSingle =
        single < entry.operands.size() && entry.operands[single].name == name && !entry.operands[single].variadic;
    Group &read = entry.groups.emplace_back(Group{name, flow, "rest"});
    if (counter != entry.attributes.end()) {
      read.count = "attribute";
      read.counter = static_cast<size_t>(counter - entry.attributes.begin());
    } else if (isSingle) {
      read.count = "one";
      ++single;
    } else if (group != groups.back()) {
      PrintFatalError(&record, "group '" + name +
                                   "' is not the last one, and no operand or integer attribute has "
                                   "its name");
    }
  }
  if (groups.size() > 8)
    PrintFatalError(&record, "has more than 8 groups of operands");
  if (count_if(entry.groups, [](const Group &group) { return group.flow == "carried"; }) > 1)
    PrintFatalError(&record, "has more than one group that is carried");
}

static void readRegions(Entry &entry) {
  const Record &record = *entry.record;
  const DagInit &dag = *record.getValueAsDag("regions");
  std::vector<const Record *> bodies = record.getValueAsListOfDefs("bodies");
  for (unsigned i = 0; i < dag.getNumArgs(); ++i) {
    entry.regions.push_back({dag.getArgNameStr(i)});
    entry.variadicRegions = cast<DefInit>(dag.getArg(i))->getDef()->isSubClassOf("VariadicRegion");
  }
  if (entry.regions.empty())
    return;
  readGroups(entry);
  if (bodies.size() != entry.regions.size())
    PrintFatalError(&record, "expected " + Twine(entry.regions.size()) + " `bodies`, one for each region, got " +
                                 Twine(bodies.size()));
  for (auto [region, body] : zip_equal(entry.regions, bodies)) {
    region.returned = body->getValueAsString("returned");
    checkWord(record, "result of a region", region.returned, allReturned);
    region.isNamed = body->getValueAsBit("isNamed");
    for (StringRef name : body->getValueAsListOfStrings("takes")) {
      auto group = find_if(entry.groups, [&](const Group &group) { return group.name == name; });
      if (group == entry.groups.end())
        PrintFatalError(&record, "region '" + region.name + "' takes '" + name + "', which names no group");
      unsigned bit = 1u << (group - entry.groups.begin());
      if (region.takes >= bit)
        PrintFatalError(&record, "region '" + region.name + "' takes '" + name + "' out of order");
      region.takes |= bit;
    }
  }
  StringRef rounds = record.getValueAsString("rounds");
  auto attribute = find_if(entry.attributes, [&](const Attribute &attribute) { return attribute.name == rounds; });
  if (attribute != entry.attributes.end() && attribute->kind == "dims")
    entry.rounds = static_cast<int>(attribute - entry.attributes.begin());
  else if (!rounds.empty())
    PrintFatalError(&record, "rounds '" + rounds + "' is no attribute of kind dims");
  if (entry.rounds < 0 && any_of(entry.groups, [](const Group &group) { return group.flow == "sliced"; }))
    PrintFatalError(&record, "has operands that are sliced, but no `rounds`");
}

static void readReduction(Entry &entry) {
  const Record &record = *entry.record;
  entry.combine = optionalString(record, "combine");
  entry.identity = record.getValueAsString("identity");
  checkWord(record, "identity", entry.identity, {"none", "0", "1"});
  StringRef accumulator = record.getValueAsString("accumulator");
  checkWord(record, "accumulator", accumulator, {"operand", "wide"});
  entry.isWide = accumulator == "wide";
}

/// What a reduction combines with must be an elementwise op of two operands.
static void checkCombines(ArrayRef<Entry> entries) {
  for (const Entry &entry : entries) {
    if (entry.lowering != "reduction")
      continue;
    auto combine = find_if(entries, [&](const Entry &other) { return other.mnemonic == entry.combine; });
    if (combine == entries.end() || !combine->isElementwise || combine->operands.size() != 2)
      PrintFatalError(entry.record,
                      "combines with '" + entry.combine + "', which is no elementwise op of two operands");
  }
}

/// Records that name one struct of options have the same ones.
static void checkOptions(ArrayRef<Entry> entries) {
  std::map<StringRef, const Entry *> first;
  for (const Entry &entry : entries) {
    if (entry.options.empty() || !entry.isPublic)
      continue;
    const Entry &other = *first.try_emplace(entry.options, &entry).first->second;
    auto fieldsOf = [](const Entry &of) {
      std::vector<std::string> fields;
      for (const Parameter &parameter : of.optionFields())
        fields.push_back((parameter.type + " " + parameter.name + " = " + parameter.value).str());
      return fields;
    };
    if (fieldsOf(entry) != fieldsOf(other))
      PrintFatalError(entry.record,
                      "has other parameters than " + other.mnemonic + ", whose options are " + entry.options + ", too");
  }
}

static void readUpdated(Entry &entry) {
  StringRef name = entry.record->getValueAsString("updated");
  if (name.empty())
    return;
  auto operand = find_if(entry.operands, [&](const Operand &operand) { return operand.name == name; });
  if (operand == entry.operands.end() || operand->variadic)
    PrintFatalError(entry.record, "updates '" + name + "', which names no single operand");
  if (entry.results.size() != 1 || entry.variadicResults || entry.kernel.empty())
    PrintFatalError(entry.record, "updates '" + name + "', and has no kernel with one result");
  entry.updated = static_cast<int>(operand - entry.operands.begin());
}

static void readOp(Entry &entry) {
  const Record &record = *entry.record;
  entry.mnemonic = record.getValueAsString("opName");
  entry.opCode = record.getValueAsInt("opCode");
  if (entry.opCode < 1 || entry.opCode > 0xffff)
    PrintFatalError(&record, "op code " + Twine(entry.opCode) + " is not in 1 to 65535");
  entry.lowering = record.getValueAsString("lowering");
  checkWord(record, "lowering", entry.lowering, allLowerings);
  entry.stem = record.getValueAsString("stem");
  if (entry.stem.empty())
    entry.stem = camelCase(entry.mnemonic);
  entry.isElementwise = record.isSubClassOf("Tenon_Elementwise");
  if (record.isSubClassOf("Tenon_Reduction") != (entry.lowering == "reduction"))
    PrintFatalError(&record, "is lowered as a reduction and is no Tenon_Reduction, or the other way round");
  if (entry.lowering == "reduction")
    readReduction(entry);
  const DagInit &results = *record.getValueAsDag("results");
  entry.results = names(results);
  for (unsigned i = 0; i < results.getNumArgs(); ++i) {
    bool variadic, optional;
    argument(results, i, variadic, optional);
    if (variadic && results.getNumArgs() != 1)
      PrintFatalError(&record, "a variadic result is the only one");
    entry.variadicResults |= variadic;
  }
  readRegions(entry);
  readTraits(entry, record.getValueAsListOfDefs("traits"));
  readRules(entry);
  readView(entry);
  entry.readsElements = !entry.operands.empty() && record.getValueAsBit("readsElements");
  readUpdated(entry);
  if (entry.isElementwise)
    readElementwise(entry);
  readLinear(entry);
}

/// What stands for the decomposition of a composite that is one op.
static void readNamedComposite(Entry &entry) {
  const Record &record = *entry.record;
  entry.stem = record.getValueAsString("stem");
  if (entry.stem.empty())
    entry.stem = camelCase(entry.mnemonic);
  entry.decompose = "decompose" + entry.stem;
  entry.kernel = record.getValueAsString("kernel");
  entry.vjp = record.getValueAsString("vjp");
  entry.batch = record.getValueAsString("batch");
  entry.results = record.getValueAsListOfStrings("results");
  if (entry.results.empty())
    PrintFatalError(&record, "has no result");
  if (entry.variadic() || any_of(entry.operands, [](const Operand &operand) { return operand.optional; }))
    PrintFatalError(&record, "has operands that are variadic or optional: as one op it always has the same number");
  for (const Attribute &attribute : entry.attributes)
    if (attribute.kind == "dims" || attribute.kind == "named")
      PrintFatalError(&record, "attribute '" + attribute.name + "' is of kind " + attribute.kind +
                                   ": the attributes of a composite hold no sizes and no others");
  readNeeds(entry);
  if (!entry.needs.empty() && entry.vjp.empty())
    PrintFatalError(&record, "needs '" + entry.needs.front() + "', but has no derivative rule that reads it");
}

static StringRef dtypeName(Dtype dtype) { return {short_name(dtype).data(), short_name(dtype).size()}; }

/// The dtypes that the record names, alone or as sets, in the order of their codes.
static void readDtypes(Entry &entry) {
  std::vector<StringRef> named = entry.record->getValueAsListOfStrings("dtypes"), known;
  for (const DtypeSetName &set : allDtypeSets)
    known.push_back(set.name);
  for (int i = 0; i < dtype_count; ++i) {
    const Dtype dtype{static_cast<uint8_t>(i)};
    known.push_back(dtypeName(dtype));
    auto isOfNamed = [&](const DtypeSetName &set) { return is_contained(named, set.name) && set.has(dtype); };
    if (is_contained(named, dtypeName(dtype)) || any_of(allDtypeSets, isOfNamed))
      entry.dtypes.push_back(dtypeName(dtype));
  }
  for (StringRef name : named)
    checkWord(*entry.record, "dtype", name, known);
}

static void readMethod(Entry &entry) {
  const bool isUnary = entry.parameters.size() == 1 && entry.parameters.front().type == "operand" &&
                       is_contained({"elementwise", "comparison", "neural"}, entry.category) && entry.returns.empty();
  entry.isMethod = entry.isPublic && (isUnary || entry.record->getValueAsBit("isMethod"));
  if (entry.isMethod && (entry.parameters.empty() || entry.parameters.front().type != "operand"))
    PrintFatalError(entry.record, "is a method, and its first parameter is no array");
  if (!entry.named.empty() && (entry.options.empty() || entry.isByName))
    PrintFatalError(entry.record, "has `named` parameters, and no form with options beside the other one");
  if (entry.options.empty())
    return;
  if (entry.firstOption() == entry.parameters.size() ||
      any_of(entry.optionFields(), [](const Parameter &parameter) { return parameter.isRequired(); }))
    PrintFatalError(entry.record, "has options, and no parameter with which they start, or one that has no default");
}

static Entry readEntry(const Record &record) {
  Entry entry;
  entry.record = &record;
  entry.isOp = record.isSubClassOf("Tenon_Op");
  entry.summary = record.getValueAsString("summary").trim();
  if (entry.summary.empty())
    PrintFatalError(&record, "has no summary");
  entry.description = paragraphs(optionalString(record, "description"));
  if (record.getValueAsBit("isOfComplexToo"))
    entry.description.push_back("Supports complex numbers.");
  entry.category = optionalString(record, "category");
  checkWord(record, "category", entry.category, allCategories);
  entry.promotion = record.getValueAsString("promotion");
  checkWord(record, "promotion", entry.promotion, allPromotions);
  readDtypes(entry);
  entry.door = record.getValueAsString("door");
  entry.returns = record.getValueAsString("returns");
  entry.options = record.getValueAsString("options");
  entry.isByName = record.getValueAsBit("isByName");
  entry.overloads = record.getValueAsString("overloads").trim();
  entry.isPublic = record.getValueAsBit("isPublic");
  entry.example = record.getValueAsString("example");
  entry.toleranceUlp = record.getValueAsInt("toleranceUlp");
  entry.toleranceReason = record.getValueAsString("toleranceReason");
  if (entry.toleranceUlp && entry.toleranceReason.empty())
    PrintFatalError(&record, "a tolerance needs its reason");
  entry.referenceUlp = record.getValueAsInt("referenceUlp");
  readArguments(entry);
  readParameters(entry);
  if (entry.isOp) {
    readOp(entry);
  } else {
    entry.mnemonic = record.getValueAsString("mnemonic");
    entry.isNamed = record.isSubClassOf("Tenon_NamedComposite");
    if (entry.isNamed)
      readNamedComposite(entry);
    entry.expression = record.getValueAsString("expression").trim();
  }
  checkDoor(entry);
  readMethod(entry);
  return entry;
}

std::vector<Entry> readEntries(const RecordKeeper &records) {
  std::vector<const Record *> all;
  append_range(all, records.getAllDerivedDefinitions("Tenon_Op"));
  append_range(all, records.getAllDerivedDefinitions("Tenon_Composite"));
  sort(all, LessRecordByID());
  std::vector<Entry> entries;
  std::map<int64_t, const Record *> codes;
  std::map<StringRef, const Record *> mnemonics;
  for (const Record *record : all) {
    Entry entry = readEntry(*record);
    if (entry.isOp) {
      auto [found, isNew] = codes.try_emplace(entry.opCode, record);
      if (!isNew)
        PrintFatalError(record, "op code " + Twine(entry.opCode) + " is already that of " + found->second->getName());
    }
    auto [found, isNew] = mnemonics.try_emplace(entry.mnemonic, record);
    if (!isNew)
      PrintFatalError(record, "'" + entry.mnemonic + "' is already the name of " + found->second->getName());
    entries.push_back(std::move(entry));
  }
  checkCombines(entries);
  checkOptions(entries);
  return entries;
}

std::vector<Entry> readOps(const RecordKeeper &records) {
  std::vector<Entry> entries = readEntries(records);
  erase_if(entries, [](const Entry &entry) { return !entry.isOp; });
  sort(entries, [](const Entry &a, const Entry &b) { return a.opCode < b.opCode; });
  return entries;
}

std::vector<Entry> readNamedComposites(const RecordKeeper &records) {
  std::vector<Entry> entries = readEntries(records);
  erase_if(entries, [](const Entry &entry) { return !entry.isNamed; });
  for (auto [id, entry] : enumerate(entries))
    entry.compositeId = static_cast<int64_t>(id);
  return entries;
}

} // namespace tenon::tblgen

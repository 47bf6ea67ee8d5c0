//===- Symbols.cpp - giving the symbols of a trace their sizes --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Symbols.h"

#include "lib/base/DimExpr.h"
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/trace/Bytes.h"

#include <tenon/error.h>

#include <algorithm>
#include <set>

using namespace tenon;
using namespace tenon::detail;

const char *tenon::internFile(std::string_view file) {
  static constinit rt::ForkLock mutex(rt::LockOrder::fileNames);
  static constinit rt::Lasting<std::set<std::string, std::less<>>> known;
  auto &files = known.get();
  std::lock_guard lock(mutex);
  auto place = files.find(file);
  if (place == files.end())
    place = files.emplace(file).first;
  return place->c_str();
}

[[noreturn]] static void throwMismatch(size_t input, const Type &expected, const Type &got,
                                       const Replacements &replacements) {
  std::string text = "input " + std::to_string(input) + ": expected " + expected.str() + ", got " + got.str();
  if (expected.shape.rank() == got.shape.rank())
    for (int axis = 0; axis < got.shape.rank(); ++axis)
      for (const auto &[symbol, size] : replacements)
        if (bareSymbol(expected.shape[axis]) == symbol && provably_equal(size, got.shape[axis]) != Always::yes)
          text += "; " + std::string(symbol) + " is " + size.str() + " elsewhere";
  throw Error(text);
}

/// Symbols stand for sizes >= 2: what was decided so would be wrong for others.
static void expectAtLeastTwo(size_t input, const Type &expected, const Type &got, std::string_view symbol, Dim size) {
  if (size.is_static() && size.raw() < 2)
    throw Error("input " + std::to_string(input) + ": expected " + expected.str() + " with " + std::string(symbol) +
                " >= 2, got " + got.str());
}

/// Binds the symbols that are no size by themselves, but of which one is made: `4*n`.
static void solveExpressions(std::span<const Type> expected, std::span<const Type> got, Replacements &replacements) {
  std::vector<Dim> dims, sizes;
  std::vector<size_t> inputs;
  bool hasExpressions = false;
  for (size_t i = 0; i < got.size(); ++i)
    for (int axis = 0; axis < got[i].shape.rank(); ++axis) {
      const Dim dim = expected[i].shape[axis];
      dims.push_back(dim);
      sizes.push_back(got[i].shape[axis]);
      inputs.push_back(i);
      hasExpressions |= !dim.is_static() && dim.raw() != sizes.back().raw() && bareSymbol(dim).empty();
    }
  if (!hasExpressions)
    return;
  std::vector<std::string_view> unsolved;
  for (const SymbolSource &source : solveSymbols(dims, unsolved)) {
    if (source.isBare() || dims[source.place].raw() == sizes[source.place].raw())
      continue;
    const size_t input = inputs[source.place];
    const std::optional<Dim> value = solve(source, sizes[source.place], replacements);
    if (!value)
      throwMismatch(input, expected[input], got[input], replacements);
    expectAtLeastTwo(input, expected[input], got[input], source.symbol, *value);
    replacements.emplace_back(source.symbol, *value);
  }
}

/// Solves "this size of the trace is that size": bare symbols are bound, the
/// rest is checked once all are.
static Replacements solve(std::span<const Type> expected, std::span<const Type> got) {
  if (expected.size() != got.size())
    throw Error("expected " + std::to_string(expected.size()) + (expected.size() == 1 ? " input" : " inputs") +
                ", got " + std::to_string(got.size()));
  Replacements replacements;
  for (size_t i = 0; i < got.size(); ++i) {
    if (expected[i].dtype != got[i].dtype || expected[i].device != got[i].device ||
        expected[i].shape.rank() != got[i].shape.rank())
      throwMismatch(i, expected[i], got[i], {});
    for (int axis = 0; axis < got[i].shape.rank(); ++axis) {
      Dim dim = expected[i].shape[axis];
      std::string_view symbol = bareSymbol(dim);
      if (symbol.empty() || dim.raw() == got[i].shape[axis].raw())
        continue;
      bool known = false;
      for (const auto &replacement : replacements)
        known |= replacement.first == symbol;
      if (!known) {
        expectAtLeastTwo(i, expected[i], got[i], symbol, got[i].shape[axis]);
        replacements.emplace_back(symbol, got[i].shape[axis]);
      }
    }
  }
  solveExpressions(expected, got, replacements);
  for (size_t i = 0; i < got.size(); ++i)
    for (int axis = 0; axis < got[i].shape.rank(); ++axis)
      if (provably_equal(substitute(expected[i].shape[axis], replacements), got[i].shape[axis]) != Always::yes)
        throwMismatch(i, expected[i], got[i], replacements);
  return replacements;
}

void tenon::expectInputs(std::span<const Type> expected, std::span<const Type> got) { solve(expected, got); }

/// The rules once more, now that sizes are known: what held for no value of the
/// symbols was refused when the op was made, what fails for these is refused
/// here. Without that a kernel or a view would reach beyond its operands.
static void inferAgain(const TraceBody &body, size_t number) {
  const TraceOp &op = body.ops[number];
  const OpInfo &info = opInfo(op.code);
  const auto [operands, regions] = typesOf(body, op);
  std::vector<Type> results;
  std::string sentence;
  try {
    sentence = inferTypes(
        {info, operands, std::span(body.attributes).subspan(op.attributes, op.attributeCount), regions}, results);
  } catch (const Error &error) { // arithmetic on sizes
    sentence = std::string(info.name) + ": " + error.message();
  }
  for (uint32_t i = 0; sentence.empty() && i < op.results; ++i)
    if (const Type &recorded = body.types[op.firstResult + i]; recorded != results[i])
      sentence = std::string(info.name) + ": expected sizes for which the result is " + recorded.str() + ", got " +
                 results[i].str();
  if (sentence.empty())
    return;
  for (size_t i = 0; i < operands.size(); ++i)
    sentence += "\n  " + operandName(info, i) + ": " + operands[i].str();
  Location at;
  if (!body.opLocations.empty()) {
    const TraceLocation &place = body.locations[body.opLocations[number]];
    at.file = internFile(place.file), at.line = place.line, at.column = place.column;
    const char *separator = "\n  inside ";
    for (const std::string &scope : place.scopes) {
      sentence += separator + scope;
      separator = ", ";
    }
  }
  throw Error(sentence, at);
}

static TraceRef replaceSymbols(const Trace &trace, const Replacements &replacements) {
  TraceBody body = trace.body();
  body.types.transform([&](Type &type) {
    for (Dim &dim : type.shape)
      dim = substitute(dim, replacements);
  });
  for (const TraceOp &op : body.ops)
    forEachDim(opInfo(op.code), std::span(body.attributes).subspan(op.attributes, op.attributeCount),
               [&](int64_t &raw) { raw = substitute(Dim::from_raw(raw), replacements).raw(); });
  for (TraceRef &region : body.regions)
    region = replaceSymbols(*region, replacements);
  for (size_t i = 0; i < body.ops.size(); ++i)
    inferAgain(body, i);
  return Trace::make(std::move(body));
}

TraceRef tenon::instantiate(const Trace &trace, std::span<const Type> types) {
  auto has = [&](const Type &type, ValueId input) {
    const Type &stated = trace.type(input);
    return stated.dtype == type.dtype && stated.device == type.device &&
           std::ranges::equal(stated.shape, type.shape, {}, &Dim::raw, &Dim::raw);
  };
  if (std::equal(types.begin(), types.end(), trace.inputs().begin(), trace.inputs().end(), has))
    return TraceRef();
  std::vector<Type> expected;
  for (ValueId input : trace.inputs())
    expected.push_back(trace.type(input));
  return replaceSymbols(trace, solve(expected, types));
}

//===- Symbols.cpp - giving the symbols of a trace their sizes --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Symbols.h"

#include "lib/array/DimExpr.h"
#include "lib/trace/Bytes.h"

#include <tenon/error.h>

#include <mutex>
#include <set>

using namespace tenon;
using namespace tenon::detail;

const char *tenon::internFile(std::string_view file) {
  static std::mutex mutex;
  static auto *files = new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  auto place = files->find(file);
  if (place == files->end())
    place = files->emplace(file).first;
  return place->c_str();
}

using Replacements = std::vector<std::pair<std::string_view, Dim>>;

[[noreturn]] static void throwMismatch(size_t input, const Type &expected, const Type &got) {
  throw Error("expected " + expected.str() + " as input " + std::to_string(input) + " of the trace, got " + got.str());
}

/// Solves "this size of the trace is that size": bare symbols are bound, the
/// rest is checked once all are.
static Replacements solve(const Trace &trace, std::span<const Type> types) {
  Replacements replacements;
  for (size_t i = 0; i < types.size(); ++i) {
    const Type &expected = trace.type(trace.inputs()[i]), &got = types[i];
    if (expected.dtype != got.dtype || expected.device != got.device || expected.shape.rank() != got.shape.rank())
      throwMismatch(i, expected, got);
    for (int axis = 0; axis < got.shape.rank(); ++axis) {
      Dim dim = expected.shape[axis];
      if (dim.is_static() || dim.is_unknown() || dim.raw() == got.shape[axis].raw())
        continue;
      DimPolynomial terms = polynomial(dim);
      if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].atoms.size() != 1)
        continue;
      const DimAtom &atom = dimAtom(terms[0].atoms[0]);
      if (!atom.isSymbol())
        continue;
      bool known = false;
      for (const auto &replacement : replacements)
        known |= replacement.first == atom.symbol;
      if (!known)
        replacements.emplace_back(atom.symbol, got.shape[axis]);
    }
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Type &expected = trace.type(trace.inputs()[i]);
    for (int axis = 0; axis < types[i].shape.rank(); ++axis)
      if (provably_equal(substitute(expected.shape[axis], replacements), types[i].shape[axis]) != Always::yes)
        throwMismatch(i, expected, types[i]);
  }
  return replacements;
}

static TraceRef replaceSymbols(const Trace &trace, const Replacements &replacements) {
  TraceBody body = trace.body();
  for (Type &type : body.types)
    for (Dim &dim : type.shape)
      dim = substitute(dim, replacements);
  for (const TraceOp &op : body.ops)
    forEachDim(opInfo(op.code), std::span(body.attributes).subspan(op.attributes, op.attributeCount),
               [&](int64_t &raw) { raw = substitute(Dim::from_raw(raw), replacements).raw(); });
  for (TraceRef &region : body.regions)
    region = replaceSymbols(*region, replacements);
  return Trace::make(std::move(body));
}

TraceRef tenon::instantiate(const Trace &trace, std::span<const Type> types) {
  bool same = true;
  for (size_t i = 0; i < types.size() && same; ++i)
    same = trace.type(trace.inputs()[i]) == types[i];
  return same ? TraceRef() : replaceSymbols(trace, solve(trace, types));
}

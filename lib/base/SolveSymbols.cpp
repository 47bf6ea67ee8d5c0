//===- SolveSymbols.cpp - the symbols that follow from sizes --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/DimExpr.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

static bool contains(const std::vector<std::string_view> &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// How `dim` states `symbol`: factor * symbol + rest; none where it is not linear.
static std::optional<SymbolSource> linear(Dim dim, std::string_view symbol, size_t place) {
  DimPolynomial rest, factor;
  for (const DimTerm &term : polynomial(dim)) {
    DimTerm others{term.coefficient, {}};
    size_t count = 0;
    for (uint32_t number : term.atoms) {
      const DimAtom &atom = dimAtom(number);
      std::vector<std::string_view> inside;
      if (!atom.isSymbol())
        collectSymbols(atomDim(number), inside);
      if (contains(inside, symbol))
        return std::nullopt;
      if (atom.isSymbol() && atom.symbol == symbol)
        ++count;
      else
        others.atoms.push_back(number);
    }
    if (count > 1)
      return std::nullopt;
    (count ? factor : rest).push_back(std::move(others));
  }
  return SymbolSource{symbol, place, fromPolynomial(std::move(rest)), fromPolynomial(std::move(factor))};
}

std::vector<SymbolSource> detail::solveSymbols(std::span<const Dim> dims, std::vector<std::string_view> &unsolved) {
  std::vector<SymbolSource> sources;
  std::vector<std::string_view> known;
  for (size_t i = 0; i < dims.size(); ++i)
    if (std::string_view symbol = bareSymbol(dims[i]); !symbol.empty() && !contains(known, symbol)) {
      known.push_back(symbol);
      sources.push_back({symbol, i});
    }
  // Each round finds what the symbols of the rounds before leave alone.
  for (bool isAny = true; isAny;) {
    isAny = false;
    unsolved.clear();
    for (size_t i = 0; i < dims.size(); ++i) {
      std::vector<std::string_view> names;
      collectSymbols(dims[i], names);
      std::erase_if(names, [&](std::string_view name) { return contains(known, name); });
      std::optional<SymbolSource> found = names.size() == 1 ? linear(dims[i], names[0], i) : std::nullopt;
      if (found) {
        known.push_back(found->symbol);
        sources.push_back(*found);
        isAny = true;
      }
      for (std::string_view name : names)
        if (!contains(known, name) && !contains(unsolved, name))
          unsolved.push_back(name);
    }
  }
  std::erase_if(unsolved, [&](std::string_view name) { return contains(known, name); });
  return sources;
}

std::optional<Dim> detail::solve(const SymbolSource &source, Dim size, const Replacements &known) {
  if (source.isBare())
    return size;
  return exact_div(size - substitute(source.rest, known), substitute(source.factor, known));
}

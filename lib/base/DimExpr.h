//===- DimExpr.h - the polynomials behind a Dim ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A symbolic Dim is the number of an expression in one table of the process.
// Expressions are immutable, normalised and interned, so equal expressions are
// equal numbers. The table never shrinks: it grows with distinct expressions,
// not with arrays.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/dim.h>

namespace tenon::detail {

/// A named symbol, or floordiv(numerator, denominator).
struct DimAtom {
  std::string symbol;
  Dim numerator, denominator;
  /// What a spec says of the symbol's values. The same name without bounds is another
  /// atom, and the one that stays where both meet.
  int64_t low = 0, high = INT64_MAX;
  bool isSymbol() const { return !symbol.empty(); }
  bool isBounded() const { return low != 0 || high != INT64_MAX; }
};

/// coefficient * product of atoms (sorted, repeated for powers; empty: 1).
struct DimTerm {
  int64_t coefficient = 0;
  std::vector<uint32_t> atoms;
};

/// Terms sorted by their atoms, no zero coefficients; the constant term first.
using DimPolynomial = std::vector<DimTerm>;

const DimAtom &dimAtom(uint32_t atom);
/// The polynomial of any known Dim (an integer has at most a constant term).
DimPolynomial polynomial(Dim dim);
Dim fromPolynomial(DimPolynomial terms);
/// The atom's own Dim.
Dim atomDim(uint32_t atom);
/// Names of the symbols that occur in `dim`, by first appearance.
void collectSymbols(Dim dim, std::vector<std::string_view> &names);
/// The symbol of that name, which may be one that tn::dyn has made.
Dim symbolDim(std::string_view name, Location at = {});
/// A symbol of a name that nothing in the process has yet.
Dim freshSymbol();
/// `dim` with its symbols as all but specs know them.
Dim withoutBounds(Dim dim);
/// The atoms in `dim` that have bounds.
std::vector<DimAtom> boundedSymbols(Dim dim);
/// The symbol that `dim` is; empty if it is something else. Lives as long as the
/// process.
std::string_view bareSymbol(Dim dim);
/// What stands for symbols, by their names.
using Replacements = std::vector<std::pair<std::string_view, Dim>>;
/// `dim` with each symbol replaced by what stands for it, if anything does.
Dim substitute(Dim dim, const Replacements &replacements);
/// Where a symbol's value comes from: it is (dims[place] - rest) / factor, and rest and
/// factor have none but the symbols before it.
struct SymbolSource {
  std::string_view symbol;
  size_t place = 0;
  Dim rest = 0, factor = 1;
  bool isBare() const { return rest.is_static() && rest.raw() == 0 && factor.is_static() && factor.raw() == 1; }
};
/// One for each symbol of `dims` that follows from their values: first those that are
/// sizes themselves. `unsolved` gets the others' names.
std::vector<SymbolSource> solveSymbols(std::span<const Dim> dims, std::vector<std::string_view> &unsolved);
/// The symbol's value where its size is `size`; none if that is no integer.
std::optional<Dim> solve(const SymbolSource &source, Dim size, const Replacements &known);
/// Of a symbol's name.
bool isNameChar(char c);
/// Dim::str(), of which nobody takes notice (see SizeWatch).
std::string textOf(Dim dim);
/// Parses what Dim::str() prints; no value if `text` is not of that form.
std::optional<Dim> parseDim(std::string_view text);

} // namespace tenon::detail

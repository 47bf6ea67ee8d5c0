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
  bool isSymbol() const { return !symbol.empty(); }
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
/// The symbol that `dim` is; empty if it is something else. Lives as long as the
/// process.
std::string_view bareSymbol(Dim dim);
/// What stands for symbols, by their names.
using Replacements = std::vector<std::pair<std::string_view, Dim>>;
/// `dim` with each symbol replaced by what stands for it, if anything does.
Dim substitute(Dim dim, const Replacements &replacements);
/// Parses what Dim::str() prints; no value if `text` is not of that form.
std::optional<Dim> parseDim(std::string_view text);

} // namespace tenon::detail

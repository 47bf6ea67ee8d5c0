//===- DimText.cpp - sizes as text ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/DimExpr.h"
#include "lib/base/SizeWatch.h"

#include <algorithm>
#include <ostream>

using namespace tenon;
using namespace tenon::detail;

static std::string termText(const DimTerm &term, int64_t magnitude) {
  std::string text;
  if (magnitude != 1 || term.atoms.empty())
    text = std::to_string(magnitude);
  for (uint32_t number : term.atoms) {
    if (!text.empty())
      text += "*";
    const DimAtom &atom = dimAtom(number);
    text +=
        atom.isSymbol() ? atom.symbol : "floordiv(" + textOf(atom.numerator) + ", " + textOf(atom.denominator) + ")";
  }
  return text;
}

std::string Dim::str() const {
  if (!is_static())
    SizeWatch::note("a symbolic size is printed");
  return textOf(*this);
}

std::string detail::textOf(Dim dim) {
  if (dim.is_static())
    return std::to_string(dim.raw());
  if (dim.is_unknown())
    return "?";
  std::string text;
  DimPolynomial terms = polynomial(dim);
  // Highest terms first, the constant last: `2*batch + 1`.
  for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
    bool negative = term->coefficient < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += termText(*term, negative ? -term->coefficient : term->coefficient);
  }
  return text;
}

namespace {
/// Most factors in the text of one size. Each step of a sum makes a new expression, so that the cost is
/// quadratic, and the table of expressions keeps them all.
constexpr int maxFactors = 1024;

/// Recursive descent over `term (+|- term)*`, term: `factor (* factor)*`,
/// factor: integer, name, `floordiv(sum, sum)`.
struct Parser {
  std::string_view text;
  size_t at = 0;
  int factors = 0;

  void skip() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }
  bool eat(char c) {
    skip();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  int depth = 0;

  std::optional<Dim> factor() {
    skip();
    size_t start = at;
    while (at < text.size() && isNameChar(text[at]))
      ++at;
    std::string_view word = text.substr(start, at - start);
    if (word.empty() || word.size() > 64 || ++factors > maxFactors)
      return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      if (word.size() > 18 || !std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); }))
        return std::nullopt;
      return Dim(int64_t(std::stoll(std::string(word))));
    }
    if (word != "floordiv")
      return symbolDim(word);
    // Text from outside may nest as deep as it is long.
    if (!eat('(') || ++depth > 64)
      return std::nullopt;
    std::optional<Dim> numerator = sum();
    if (!numerator || !eat(','))
      return std::nullopt;
    std::optional<Dim> denominator = sum();
    if (!denominator || !eat(')') || (denominator->is_static() && denominator->raw() <= 0))
      return std::nullopt;
    --depth;
    return floor_div(*numerator, *denominator);
  }
  std::optional<Dim> product() {
    std::optional<Dim> value = factor();
    while (value && eat('*')) {
      std::optional<Dim> next = factor();
      value = next ? std::optional(*value * *next) : std::nullopt;
    }
    return value;
  }
  std::optional<Dim> sum() {
    bool negative = eat('-');
    std::optional<Dim> value = product();
    if (value && negative)
      value = Dim(0) - *value;
    while (value) {
      bool plus = eat('+'), minus = !plus && eat('-');
      if (!plus && !minus)
        break;
      std::optional<Dim> next = product();
      value = !next ? std::nullopt : std::optional(plus ? *value + *next : *value - *next);
    }
    return value;
  }
};
} // namespace

std::optional<Dim> detail::parseDim(std::string_view text) {
  if (text == "?")
    return Dim::unknown();
  Parser parser{text};
  std::optional<Dim> value = parser.sum();
  parser.skip();
  return parser.at == text.size() ? value : std::nullopt;
}

std::ostream &tenon::operator<<(std::ostream &os, const Dim &dim) { return os << dim.str(); }

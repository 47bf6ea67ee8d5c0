//===- Dim.cpp - sizes that may be symbols -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DimExpr.h"

#include "lib/base/CalledFunction.h"
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/base/SizeWatch.h"

#include <tenon/error.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <set>
#include <tuple>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// The process's table. Symbolic raw values are INT64_MIN + 1 + index.
struct Table {
  rt::SharedForkLock mutex{rt::LockOrder::dims};
  std::deque<DimAtom> atoms;
  std::map<std::string, uint32_t, std::less<>> symbols;
  std::map<std::tuple<std::string, int64_t, int64_t>, uint32_t> bounded;
  std::atomic<bool> hasBounded = false;
  uint32_t fresh = 0;
  std::map<std::pair<int64_t, int64_t>, uint32_t> quotients;
  std::deque<DimPolynomial> expressions;
  std::map<std::vector<int64_t>, int64_t> numbers;
};
} // namespace

static Table &table() {
  static constinit rt::Lasting<Table> instance;
  return instance.get();
}

static constexpr int64_t firstExpression = INT64_MIN + 1;

static int64_t checked(__int128 value) {
  if (value > (__int128(1) << 62) || value < -(__int128(1) << 62) + 1)
    throwOfCall("size arithmetic overflows 2^62");
  return static_cast<int64_t>(value);
}

static bool termBefore(const DimTerm &a, const DimTerm &b) {
  if (a.atoms.size() != b.atoms.size())
    return a.atoms.size() < b.atoms.size();
  return a.atoms < b.atoms;
}

const DimAtom &detail::dimAtom(uint32_t atom) {
  std::shared_lock lock(table().mutex);
  return table().atoms[atom];
}

DimPolynomial detail::polynomial(Dim dim) {
  if (dim.is_static())
    return dim.raw() == 0 ? DimPolynomial() : DimPolynomial{{dim.raw(), {}}};
  std::shared_lock lock(table().mutex);
  return table().expressions[static_cast<size_t>(dim.raw() - firstExpression)];
}

/// The number of the symbol without bounds.
static uint32_t symbolAtom(std::string_view name) {
  std::unique_lock lock(table().mutex);
  auto place = table().symbols.find(name);
  if (place == table().symbols.end()) {
    place = table().symbols.emplace(name, uint32_t(table().atoms.size())).first;
    table().atoms.push_back({std::string(name), {}, {}});
  }
  return place->second;
}

/// A name that stands there with and without bounds, or with several, is one symbol.
static void mergeNames(DimPolynomial &terms) {
  std::map<std::string, uint32_t> first;
  std::set<std::string> several;
  for (const DimTerm &term : terms)
    for (uint32_t number : term.atoms)
      if (const DimAtom &atom = dimAtom(number); atom.isSymbol())
        if (auto [place, isNew] = first.try_emplace(atom.symbol, number); !isNew && place->second != number)
          several.insert(atom.symbol);
  if (several.empty())
    return;
  for (DimTerm &term : terms) {
    for (uint32_t &number : term.atoms)
      if (several.contains(dimAtom(number).symbol))
        number = symbolAtom(dimAtom(number).symbol);
    std::sort(term.atoms.begin(), term.atoms.end());
  }
}

Dim detail::fromPolynomial(DimPolynomial terms) {
  if (table().hasBounded)
    mergeNames(terms);
  std::sort(terms.begin(), terms.end(), termBefore);
  DimPolynomial merged;
  for (DimTerm &term : terms) {
    if (!merged.empty() && merged.back().atoms == term.atoms)
      merged.back().coefficient = checked(__int128(merged.back().coefficient) + term.coefficient);
    else
      merged.push_back(std::move(term));
  }
  std::erase_if(merged, [](const DimTerm &term) { return term.coefficient == 0; });
  if (merged.empty())
    return 0;
  if (merged.size() == 1 && merged[0].atoms.empty())
    return merged[0].coefficient;
  std::vector<int64_t> key;
  for (const DimTerm &term : merged) {
    key.push_back(term.coefficient);
    key.push_back(static_cast<int64_t>(term.atoms.size()));
    key.insert(key.end(), term.atoms.begin(), term.atoms.end());
  }
  std::unique_lock lock(table().mutex);
  auto [place, isNew] =
      table().numbers.try_emplace(std::move(key), firstExpression + int64_t(table().expressions.size()));
  if (isNew)
    table().expressions.push_back(std::move(merged));
  return Dim::from_raw(place->second);
}

Dim detail::atomDim(uint32_t atom) { return fromPolynomial({{1, {atom}}}); }

bool detail::isNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

/// A symbol's name is a word of at most 64 characters: parseDim reads it back.
static bool isName(std::string_view text) {
  return !text.empty() && text.size() <= 64 && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         text != "floordiv" && std::all_of(text.begin(), text.end(), isNameChar);
}

/// dyn0, dyn1, ...: what tn::dyn makes.
static constexpr std::string_view freshPrefix = "dyn";
static bool isFreshName(std::string_view text) {
  const std::string_view rest = text.substr(std::min(text.size(), freshPrefix.size()));
  return text.starts_with(freshPrefix) && !rest.empty() &&
         std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c); });
}

Dim detail::symbolDim(std::string_view name, Location at) {
  if (name.empty())
    throw Error("a symbol's name is empty", at);
  if (!isName(name))
    throw Error("expected the name of a size to be a word of letters, digits, '_' and '.', got '" +
                    std::string(name.substr(0, 80)) + "'",
                at);
  return atomDim(symbolAtom(name));
}

Dim detail::freshSymbol() {
  std::string name;
  {
    std::unique_lock lock(table().mutex);
    do // a program that was read may have one of them
      name = std::string(freshPrefix) + std::to_string(table().fresh++);
    while (table().symbols.contains(name));
  }
  return symbolDim(name);
}

Dyn::operator Dim() const { return freshSymbol(); }

Dim::Dim(std::string_view symbol, Location at) {
  if (isFreshName(symbol))
    throw Error("expected another name of a size than those that tn::dyn makes, got '" + std::string(symbol) + "'", at);
  *this = symbolDim(symbol, at);
}

Dim::Dim(std::string_view symbol, int64_t low, int64_t high, Location at) : Dim(symbol, at) {
  if (low < 0 || high < low)
    throw Error("expected bounds of " + std::string(symbol) + " with 0 <= low <= high, got " + std::to_string(low) +
                    " and " + std::to_string(high),
                at);
  if (low == 0 && high == INT64_MAX)
    return;
  uint32_t atom;
  {
    std::unique_lock lock(table().mutex);
    auto [place, isNew] = table().bounded.try_emplace({std::string(symbol), low, high}, uint32_t(table().atoms.size()));
    if (isNew)
      table().atoms.push_back({std::string(symbol), {}, {}, low, high});
    table().hasBounded = true;
    atom = place->second;
  }
  *this = atomDim(atom);
}

Dim tenon::operator+(Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown())
    return Dim::unknown();
  if (a.is_static() && b.is_static())
    return checked(__int128(a.raw()) + b.raw());
  DimPolynomial terms = polynomial(a);
  for (DimTerm &term : polynomial(b))
    terms.push_back(std::move(term));
  return fromPolynomial(std::move(terms));
}

Dim tenon::operator-(Dim a, Dim b) { return a + Dim(-1) * b; }

Dim tenon::operator*(Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown())
    return Dim::unknown();
  if (a.is_static() && b.is_static())
    return checked(__int128(a.raw()) * b.raw());
  DimPolynomial terms;
  DimPolynomial left = polynomial(a), right = polynomial(b);
  for (const DimTerm &x : left)
    for (const DimTerm &y : right) {
      DimTerm term{checked(__int128(x.coefficient) * y.coefficient), x.atoms};
      // The number of elements of an array needs max_rank factors; bounds cost
      // two to the power of them.
      if (term.atoms.size() + y.atoms.size() > size_t(max_rank))
        throw Error("size arithmetic: expected a product of at most " + std::to_string(max_rank) +
                    " symbols, got more");
      term.atoms.insert(term.atoms.end(), y.atoms.begin(), y.atoms.end());
      std::sort(term.atoms.begin(), term.atoms.end());
      terms.push_back(std::move(term));
    }
  return fromPolynomial(std::move(terms));
}

static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

static std::optional<Dim> exactQuotient(Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown())
    return Dim::unknown();
  if (b.is_static() && b.raw() == 0)
    return std::nullopt;
  if (a.is_static() && b.is_static())
    return a.raw() % b.raw() == 0 ? std::optional<Dim>(a.raw() / b.raw()) : std::nullopt;
  if (a.raw() == b.raw())
    return Dim(1);
  DimPolynomial divisor = polynomial(b), rest = polynomial(a), quotient;
  // Long division by the leading term; exact only if nothing is left.
  const DimTerm &lead = divisor.back();
  while (!rest.empty()) {
    const DimTerm &top = rest.back();
    DimTerm factor{0, top.atoms};
    if (top.coefficient % lead.coefficient != 0)
      return std::nullopt;
    factor.coefficient = top.coefficient / lead.coefficient;
    for (uint32_t atom : lead.atoms) {
      auto place = std::find(factor.atoms.begin(), factor.atoms.end(), atom);
      if (place == factor.atoms.end())
        return std::nullopt;
      factor.atoms.erase(place);
    }
    if (quotient.size() > 64)
      return std::nullopt;
    quotient.push_back(factor);
    rest = polynomial(fromPolynomial(rest) - fromPolynomial({factor}) * b);
  }
  return fromPolynomial(std::move(quotient));
}

std::optional<Dim> tenon::exact_div(Dim a, Dim b) {
  const std::optional<Dim> quotient = exactQuotient(a, b);
  if (!quotient && !(a.is_static() && b.is_static()))
    detail::SizeWatch::note("a symbolic size is divided with a remainder");
  return quotient;
}

Dim tenon::floor_div(Dim a, Dim b, Location at) {
  if (b.is_static() && b.raw() == 0)
    throw Error("division of a size by zero", at);
  if (a.is_static() && b.is_static())
    return floorDivide(a.raw(), b.raw());
  if (std::optional<Dim> exact = exactQuotient(a, b))
    return *exact;
  uint32_t atom;
  {
    std::unique_lock lock(table().mutex);
    auto [place, isNew] = table().quotients.try_emplace({a.raw(), b.raw()}, uint32_t(table().atoms.size()));
    if (isNew)
      table().atoms.push_back({"", a, b});
    atom = place->second;
  }
  return atomDim(atom);
}

Dim tenon::ceil_div(Dim a, Dim b, Location at) { return Dim(0) - floor_div(Dim(0) - a, b, at); }

/// Bounds of an expression for all symbols >= 2; no value: unbounded.
namespace {
struct Bounds {
  std::optional<__int128> low, high;
};
} // namespace

static Bounds boundsOf(Dim dim);

static Bounds atomBounds(uint32_t number) {
  const DimAtom &atom = dimAtom(number);
  if (atom.isSymbol())
    return {2, std::nullopt};
  Bounds numerator = boundsOf(atom.numerator), result;
  if (!atom.denominator.is_static() || atom.denominator.raw() < 0)
    return result;
  int64_t divisor = atom.denominator.raw();
  if (numerator.low)
    result.low = floorDivide(checked(*numerator.low), divisor);
  if (numerator.high)
    result.high = floorDivide(checked(*numerator.high), divisor);
  return result;
}

/// More terms than anybody writes: their bounds are not looked for.
static constexpr size_t maxTerms = 1024;

/// Rewrites each symbol s as t + 2 with t >= 0, so that a polynomial whose
/// other coefficients are all >= 0 is never below its constant term. What comes
/// out of it is no size: it is not kept.
static Bounds boundsOf(Dim dim) {
  if (dim.is_static())
    return {dim.raw(), dim.raw()};
  std::map<std::vector<uint32_t>, __int128> shifted;
  for (const DimTerm &term : polynomial(dim)) {
    DimPolynomial product{{term.coefficient, {}}};
    for (uint32_t atom : term.atoms) {
      Bounds bounds = atomBounds(atom);
      if (!bounds.low || product.size() > maxTerms)
        return {};
      DimPolynomial next;
      for (const DimTerm &factor : product) {
        DimTerm scaled{checked(__int128(factor.coefficient) * checked(*bounds.low)), factor.atoms};
        DimTerm longer = factor;
        longer.atoms.push_back(atom);
        next.push_back(std::move(scaled));
        next.push_back(std::move(longer));
      }
      product = std::move(next);
    }
    for (DimTerm &part : product)
      shifted[std::move(part.atoms)] += part.coefficient;
    if (shifted.size() > maxTerms)
      return {};
  }
  __int128 constant = 0;
  bool allUp = true, allDown = true;
  for (const auto &[atoms, coefficient] : shifted) {
    if (atoms.empty())
      constant = checked(coefficient);
    else if (coefficient > 0)
      allDown = false;
    else if (coefficient < 0)
      allUp = false;
  }
  return {allUp ? std::optional(constant) : std::nullopt, allDown ? std::optional(constant) : std::nullopt};
}

Always tenon::provably_equal(Dim a, Dim b) {
  if (a.raw() == b.raw() || a.is_unknown() || b.is_unknown())
    return Always::yes;
  if (a.is_static() && b.is_static())
    return Always::no;
  const Dim rest = a - b;
  if (rest.is_static() && rest.raw() == 0) // one name, with and without bounds
    return Always::yes;
  Bounds difference = boundsOf(rest);
  bool apart = (difference.low && *difference.low > 0) || (difference.high && *difference.high < 0);
  return apart ? Always::no : Always::unknown;
}

Always tenon::provably_less(Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown())
    return Always::unknown;
  Bounds difference = boundsOf(b - a);
  if (difference.low && *difference.low > 0)
    return Always::yes;
  return difference.high && *difference.high <= 0 ? Always::no : Always::unknown;
}

Always tenon::provably_less_equal(Dim a, Dim b) {
  Always reverse = provably_less(b, a);
  return reverse == Always::yes ? Always::no : reverse == Always::no ? Always::yes : Always::unknown;
}

bool detail::decide(Always answer, const char *relation, Dim a, Dim b, Location at) {
  if (answer == Always::unknown)
    throw Error("cannot decide " + a.str() + " " + relation + " " + b.str() + " for every value >= 2 of its symbols",
                at);
  return answer == Always::yes;
}

void Dim::throwOutOfRange(int64_t value, bool isUnsigned) {
  if (isUnsigned)
    throw Error("expected a size below 2^63, got " + std::to_string(static_cast<uint64_t>(value)));
  throw Error("expected a size above -2^62, got " + std::to_string(value));
}

void Size::throwTooLarge(size_t bits) const {
  throw Error("expected a size that fits an integer of " + std::to_string(bits) + " bits, got " + str(), at_);
}

int64_t Dim::value(Location at) const {
  if (!is_static())
    throw Error("expected a size that is known, got the symbolic size " + str(), at);
  return raw_;
}

Dim detail::withoutBounds(Dim dim) {
  if (dim.is_static() || dim.is_unknown() || !table().hasBounded)
    return dim;
  Replacements plain;
  for (const DimAtom &atom : boundedSymbols(dim))
    plain.emplace_back(dimAtom(symbolAtom(atom.symbol)).symbol, symbolDim(atom.symbol));
  return plain.empty() ? dim : substitute(dim, plain);
}

std::vector<DimAtom> detail::boundedSymbols(Dim dim) {
  std::vector<DimAtom> found;
  if (dim.is_static() || dim.is_unknown())
    return found;
  for (const DimTerm &term : polynomial(dim))
    for (uint32_t number : term.atoms) {
      const DimAtom &atom = dimAtom(number);
      if (atom.isBounded())
        found.push_back(atom);
      for (Dim part : {atom.numerator, atom.denominator})
        for (DimAtom &inner : boundedSymbols(part))
          found.push_back(std::move(inner));
    }
  return found;
}

std::string_view detail::bareSymbol(Dim dim) {
  if (dim.is_static() || dim.is_unknown())
    return {};
  DimPolynomial terms = polynomial(dim);
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].atoms.size() != 1)
    return {};
  const DimAtom &atom = dimAtom(terms[0].atoms[0]);
  return atom.isSymbol() ? std::string_view(atom.symbol) : std::string_view();
}

void detail::collectSymbols(Dim dim, std::vector<std::string_view> &names) {
  if (dim.is_static() || dim.is_unknown())
    return;
  for (const DimTerm &term : polynomial(dim))
    for (uint32_t number : term.atoms) {
      const DimAtom &atom = dimAtom(number);
      if (!atom.isSymbol()) {
        collectSymbols(atom.numerator, names);
        collectSymbols(atom.denominator, names);
      } else if (std::find(names.begin(), names.end(), atom.symbol) == names.end()) {
        names.push_back(atom.symbol);
      }
    }
}

Dim detail::substitute(Dim dim, const Replacements &replacements) {
  if (dim.is_static() || dim.is_unknown())
    return dim;
  Dim sum = 0;
  for (const DimTerm &term : polynomial(dim)) {
    Dim product = term.coefficient;
    for (uint32_t number : term.atoms) {
      const DimAtom &atom = dimAtom(number);
      if (!atom.isSymbol()) {
        product *= floor_div(substitute(atom.numerator, replacements), substitute(atom.denominator, replacements));
        continue;
      }
      auto place = std::find_if(replacements.begin(), replacements.end(),
                                [&](const auto &replacement) { return replacement.first == atom.symbol; });
      product *= place == replacements.end() ? atomDim(number) : place->second;
    }
    sum += product;
  }
  return sum;
}

std::optional<int64_t> tenon::evaluate(Dim dim, std::span<const SymbolBinding> binding) {
  if (dim.is_static())
    return dim.raw();
  Replacements replacements;
  for (const SymbolBinding &symbol : binding)
    replacements.emplace_back(symbol.first, symbol.second);
  Dim value = substitute(dim, replacements);
  return value.is_static() ? std::optional(value.raw()) : std::nullopt;
}

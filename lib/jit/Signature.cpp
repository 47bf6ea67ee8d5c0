//===- Signature.cpp - what a compiled program is keyed by ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Signature.h"

#include "lib/array/Buffer.h"
#include "lib/base/DimExpr.h"
#include "lib/trace/Bytes.h"
#include "lib/tree/Structure.h"

#include <tenon/format.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

static constexpr uint32_t typeMask = 0x00ffffff;

namespace {
/// Finds the symbols' values for one call.
class SpecBinder {
public:
  SpecBinder(const JitCall &call, const LeafSpecs &wanted, const Specs &specs, const std::string &name)
      : call(call), wanted(wanted), specs(specs), name(name) {}

  /// Such that the specs have the sizes of the call. False if one is 0 or 1, or itself
  /// a symbol of a trace around this call; an Error if nothing fits.
  bool bind();
  Replacements binding;

private:
  [[noreturn]] void fail(size_t leaf, const std::string &with, const std::string &what);
  /// `; n is 3 elsewhere`
  std::string elsewhere(Dim dim) const;
  void bindOne(const SymbolSource &source);

  const JitCall &call;
  const LeafSpecs &wanted;
  const Specs &specs;
  const std::string &name;
  /// Of all leaves with specs.
  std::vector<Dim> dims, sizes;
  std::vector<size_t> leaves;
};
} // namespace

void SpecBinder::fail(size_t leaf, const std::string &with, const std::string &what) {
  const Value *got = call.values[leaf];
  throw Error(name + ": " + call.paths()[leaf] + ": expected " + describe(wanted[leaf]->dtype, wanted[leaf]->shape) +
              with + " as the specs say, got " + describe(got->dtype(), got->shape()) + what);
}

std::string SpecBinder::elsewhere(Dim dim) const {
  std::vector<std::string_view> names;
  collectSymbols(dim, names);
  std::string text;
  for (const auto &[symbol, size] : binding)
    if (std::ranges::find(names, symbol) != names.end())
      text += "; " + std::string(symbol) + " is " + size.str() + " elsewhere";
  return text;
}

void SpecBinder::bindOne(const SymbolSource &source) {
  const Dim size = sizes[source.place], dim = dims[source.place];
  const size_t leaf = leaves[source.place];
  const Dim factor = substitute(source.factor, binding);
  if (factor.is_static() && factor.raw() == 0)
    return; // 0 of any number: a program of its own
  const std::optional<Dim> value = solve(source, size, binding);
  if (!value || provably_less(*value, 0) == Always::yes)
    fail(leaf, "", "; " + size.str() + " is " + dim.str() + " for no size " + std::string(source.symbol));
  const auto [low, high] = specs.bounds(source.symbol);
  if (value->is_static() && (value->raw() < low || value->raw() > high))
    fail(leaf,
         " with " + std::string(source.symbol) +
             (high == INT64_MAX ? " >= " + std::to_string(low)
                                : " from " + std::to_string(low) + " to " + std::to_string(high)),
         ", where " + std::string(source.symbol) + " is " + value->str());
  binding.emplace_back(source.symbol, *value);
}

bool SpecBinder::bind() {
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    if (!wanted[i])
      continue;
    const Value *got = call.values[i];
    if (got->dtype() != wanted[i]->dtype || got->rank() != wanted[i]->shape.rank())
      fail(i, "", "");
    for (int axis = 0; axis < got->rank(); ++axis) {
      dims.push_back(wanted[i]->shape[axis]);
      sizes.push_back(got->dims()[axis]);
      leaves.push_back(i);
    }
  }
  std::vector<std::string_view> unsolved;
  for (const SymbolSource &source : solveSymbols(dims, unsolved))
    bindOne(source);
  for (size_t i = 0; i < dims.size(); ++i)
    if (provably_equal(substitute(dims[i], binding), sizes[i]) != Always::yes)
      fail(leaves[i], "", dims[i].is_static() ? "" : elsewhere(dims[i]));
  const bool areAllThere = unsolved.empty() || std::ranges::all_of(dims, [&](Dim dim) {
                             return dim.is_static() || substitute(dim, binding).is_static();
                           });
  if (call.isAbstract)
    return true;
  return areAllThere && std::ranges::all_of(binding, [](const auto &entry) {
           return entry.second.is_static() && entry.second.raw() >= 2;
         });
}

Signature Signature::make(const JitCall &call, const LeafSpecs &wanted, const Specs &specs, const std::string &name) {
  Signature signature;
  signature.structure_ = call.structure.view();
  for (const JitArgument &argument : call.arguments)
    signature.types_.push_back(argument.ref.ops);
  signature.context_ = Context::current();
  SpecBinder binder(call, wanted, specs, name);
  const bool isGeneral = binder.bind();
  if (!isGeneral)
    for (const auto &[symbol, size] : binder.binding)
      if (size.is_static() && size.raw() < 2)
        signature.notes_.push_back("compiled separately for " + std::string(symbol) + " = " + size.str() +
                                   ", since symbolic sizes are >= 2");
  bool isStatic = true;
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    const Value *value = call.values[i];
    signature.words_.push_back(value->word & typeMask);
    const Shape shape = isGeneral && wanted[i] ? wanted[i]->shape : value->shape();
    isStatic &= !isGeneral || !wanted[i] || shape.is_static() || (!call.isAbstract && !value->shape().is_static());
    signature.dims_.insert(signature.dims_.end(), shape.begin(), shape.end());
  }
  if (!isStatic)
    signature.setSymbols(specs);
  return signature;
}

void Signature::setSymbols(const Specs &specs) {
  std::vector<std::string_view> unsolved;
  for (const SymbolSource &source : solveSymbols(dims_, unsolved)) {
    const auto [low, high] = specs.bounds(source.symbol);
    symbols_.push_back({source, std::max<int64_t>(low, 2), high});
  }
  for (Dim dim : dims_) {
    const std::string_view name = bareSymbol(dim);
    const auto symbol = std::ranges::find(symbols_, name, [](const Symbol &one) { return one.source.symbol; });
    roles_.push_back(dim.is_static() ? exactSize
                     : name.empty()  ? expression
                                     : static_cast<int>(symbol - symbols_.begin()));
    hasExpressions_ |= roles_.back() == expression;
  }
}

bool Signature::matches(const JitCall &call) const {
  if (call.leaves.size() != words_.size() || !hasTypesOf(call) ||
      (!call.areArrays && call.structure.view() != structure_) || context_ != Context::current())
    return false;
  const Dim *wanted = dims_.data();
  int64_t different = 0;
  for (size_t i = 0; i < words_.size(); ++i) {
    const Value *value = call.values[i];
    if ((value->word & typeMask) != words_[i])
      return false;
    const Dim *dims = value->dims();
    const int rank = value->rank();
    if (symbols_.empty())
      for (int axis = 0; axis < rank; ++axis)
        different |= wanted[axis].raw() ^ dims[axis].raw();
    wanted += rank;
  }
  return symbols_.empty() ? different == 0 : matchesSizes(call);
}

bool Signature::matchesDense(std::span<const JitArgument> arguments, Value **values) const {
  if (arguments.size() != words_.size() || context_ != Context::current())
    return false;
  const Dim *wanted = dims_.data();
  int64_t different = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const JitArgument &argument = arguments[i];
    if (argument.ref.ops != types_[i] || argument.isRvalue)
      return false;
    Value *const value = static_cast<const Array *>(argument.ref.tree)->value();
    if (!value || !value->isBuffer() || (value->word & (typeMask | Value::dense)) != (words_[i] | Value::dense))
      return false;
    values[i] = value;
    for (int axis = 0, rank = value->rank(); axis < rank; ++axis)
      different |= wanted++->raw() ^ value->dims()[axis].raw();
  }
  return different == 0;
}

bool Signature::matchesSizes(const JitCall &call) const {
  constexpr int64_t none = -1;
  InlineVector<int64_t, 16> values;
  InlineVector<int64_t, 16> sizes; // of a signature with expressions
  for (size_t i = 0; i < symbols_.size(); ++i)
    values.push_back(none);
  bool isSame = true, isAround = false;
  const int *nextRole = roles_.data();
  const Dim *next = dims_.data();
  for (const Value *value : call.values) {
    for (int axis = 0; axis < value->rank(); ++axis) {
      const int64_t wanted = next++->raw(), size = value->dims()[axis].raw();
      const int role = *nextRole++;
      if (hasExpressions_)
        sizes.push_back(size);
      if (wanted == size) { // a number, or the symbol of a trace around that has this name
        isAround |= role != exactSize;
        continue;
      }
      isSame = false;
      if (role == exactSize || !value->dims()[axis].is_static())
        return false;
      if (role == expression)
        continue;
      const Symbol &symbol = symbols_[static_cast<size_t>(role)];
      int64_t &known = values[static_cast<size_t>(role)];
      if (known == none && size >= symbol.low && size <= symbol.high)
        known = size;
      else if (known != size)
        return false;
    }
  }
  if (isSame || !hasExpressions_)
    return true;
  return !isAround && matchesExpressions({sizes.begin(), sizes.size()});
}

bool Signature::matchesExpressions(std::span<const int64_t> sizes) const {
  Replacements binding;
  for (const Symbol &symbol : symbols_) {
    const std::optional<Dim> value = solve(symbol.source, sizes[symbol.source.place], binding);
    if (!value || !value->is_static() || value->raw() < symbol.low || value->raw() > symbol.high)
      return false;
    binding.emplace_back(symbol.source.symbol, *value);
  }
  for (size_t i = 0; i < dims_.size(); ++i)
    if (roles_[i] != exactSize && substitute(dims_[i], binding).raw() != sizes[i])
      return false;
  return true;
}

/// Whether a size that a spec leaves open takes a signature of its own, as 0 and 1 do.
static bool hasOwnSizes(const JitCall &call, const LeafSpecs &specs) {
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    if (!specs[i])
      continue;
    const Value *value = call.values[i];
    for (int axis = 0; axis < std::min(value->rank(), specs[i]->shape.rank()); ++axis) {
      const Dim size = value->dims()[axis];
      if (!bareSymbol(specs[i]->shape[axis]).empty() && (!size.is_static() || size.raw() < 2))
        return true;
    }
  }
  return false;
}

/// `isOpen`: by leaf, whether its sizes are left out.
template <class IsOpen>
static uint64_t hashOf(const JitCall &call, const IsOpen &isOpen) {
  std::string_view structure = call.structure.view();
  InlineVector<uint64_t, 64> words;
  words.push_back(hashBytes(std::as_bytes(std::span(structure))));
  words.push_back(Context::current().hash());
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    const Value *value = call.values[i];
    words.push_back(value->word & typeMask);
    if (isOpen(i))
      continue;
    for (int axis = 0; axis < value->rank(); ++axis)
      words.push_back(static_cast<uint64_t>(value->dims()[axis].raw()));
  }
  return hashBytes(std::as_bytes(std::span<const uint64_t>(words)));
}

uint64_t Signature::hash(const JitCall &call, const LeafSpecs &specs) {
  const bool areOwn = !call.isAbstract && hasOwnSizes(call, specs);
  return hashOf(call, [&](size_t leaf) { return !areOwn && specs[leaf]; });
}

uint64_t Signature::hashOfAllSizes(const JitCall &call) {
  return ~hashOf(call, [](size_t) { return true; });
}

std::vector<Type> Signature::types() const {
  std::vector<Type> all;
  const Dim *dims = dims_.data();
  for (uint32_t word : words_) {
    const auto rank = static_cast<size_t>(Value::rankOf(word));
    all.push_back({Value::dtypeOf(word), Value::deviceOf(word), Shape(std::span(dims, rank))});
    dims += rank;
  }
  return all;
}

std::optional<NumberChange> Signature::numberChange(const Signature &other, const JitCall &call) const {
  bool same = context_ == other.context_ && types_ == other.types_ && words_ == other.words_ &&
              dims_.size() == other.dims_.size();
  for (size_t i = 0; same && i < dims_.size(); ++i)
    same = dims_[i].raw() == other.dims_[i].raw();
  return same ? changedNumber(other.structure_, structure_, call.names) : std::nullopt;
}

std::string Signature::misfit(const JitCall &call) const {
  std::string text;
  auto add = [&](const std::string &what) { text += (text.empty() ? "" : "; ") + what; };
  for (const std::string &different : argumentDifferences(structure_, call.structure.view(), call.names))
    add(different);
  for (size_t i = 0; text.empty() && i < std::min(types_.size(), call.arguments.size()); ++i)
    if (types_[i] != call.arguments[i].ref.ops)
      add(argumentPath(call.names, i, "") + ": a different type with the same name");
  if (const Context now = Context::current(); context_ != now) {
    if (context_.precision != now.precision)
      add("the print options changed");
    if (context_.isTraining != now.isTraining)
      add(now.isTraining ? "called in training" : "called in inference");
    if (context_.trainableChanges != now.trainableChanges)
      add("which Variables are trainable changed");
  }
  if (!text.empty() || words_.size() != call.leaves.size())
    return text;
  const std::vector<std::string> paths = call.paths();
  const std::vector<Type> wanted = types();
  std::string open;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Type got = typeOf(call.values[i]);
    bool isSmall = false, fits = wanted[i].dtype == got.dtype && wanted[i].device == got.device &&
                                 wanted[i].shape.rank() == got.shape.rank();
    for (int axis = 0; fits && axis < got.shape.rank(); ++axis) {
      const Dim size = wanted[i].shape[axis];
      isSmall |= !size.is_static() && got.shape[axis].is_static() && got.shape[axis].raw() < 2;
      fits = !isSmall && (!size.is_static() || size.raw() == got.shape[axis].raw());
    }
    const std::string both = paths[i] + ": expected " + wanted[i].str() + ", got " + got.str() +
                             (isSmall ? " (symbolic sizes are >= 2)" : "");
    if (!fits)
      add(both);
    else if (!wanted[i].shape.is_static())
      open += (open.empty() ? "" : "; ") + both;
  }
  return text.empty() ? open : text; // sizes that fit one by one, and not together
}

std::string Signature::difference(const Signature &other, const JitCall &call, size_t &count) const {
  std::string text;
  auto add = [&](const std::string &what) { text += (count++ ? "; " : "") + what; };
  for (const std::string &different : argumentDifferences(other.structure_, structure_, call.names))
    add(different);
  for (size_t i = 0; text.empty() && i < std::min(types_.size(), other.types_.size()); ++i)
    if (types_[i] != other.types_[i])
      add(argumentPath(call.names, i, "") + ": a different type with the same name");
  if (context_ != other.context_)
    add("the print options changed");
  if (words_.size() == other.words_.size()) {
    std::vector<std::string> paths = call.paths();
    std::vector<Type> now = types(), was = other.types();
    for (size_t i = 0; i < words_.size(); ++i)
      if (now[i] != was[i])
        add(paths[i] + ": " + now[i].str() + ", was " + was[i].str());
  }
  return text;
}

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

/// Finds a size for each symbol such that `spec` has the sizes of `got`. False if
/// one is 0 or 1, or itself a symbol of a trace around this call; an Error if
/// nothing fits.
static bool bindSymbols(const TensorSpec &spec, const Value *got, const std::string &where, Replacements &binding,
                        bool isAbstract) {
  auto fail = [&](const std::string &what) {
    throw Error(where + ": expected " + describe(spec.dtype, spec.shape) + " as the specs say, got " +
                describe(got->dtype(), got->shape()) + what);
  };
  if (got->dtype() != spec.dtype || got->rank() != spec.shape.rank())
    fail("");
  bool general = true;
  for (int axis = 0; axis < got->rank(); ++axis) {
    Dim wanted = spec.shape[axis], size = got->dims()[axis];
    if (std::string_view symbol = bareSymbol(wanted); !symbol.empty()) {
      auto known = std::find_if(binding.begin(), binding.end(), [&](auto &entry) { return entry.first == symbol; });
      if (known == binding.end())
        binding.emplace_back(symbol, size);
      else if (provably_equal(known->second, size) != Always::yes)
        fail("; " + std::string(symbol) + " is " + known->second.str() + " elsewhere");
      general &= isAbstract || (size.is_static() && size.raw() >= 2);
    }
  }
  for (int axis = 0; axis < got->rank(); ++axis)
    if (provably_equal(substitute(spec.shape[axis], binding), got->dims()[axis]) != Always::yes)
      fail("");
  return general;
}

void Signature::check(std::span<const ArgumentSpec> specs, const std::string &name, Location at) {
  auto fail = [&](size_t argument, const TensorSpec &spec, const std::string &expected) {
    throw Error(name + ": expected " + expected + " in the spec of arg " + std::to_string(argument) + ", got " +
                    describe(spec.dtype, spec.shape),
                userLocation(at));
  };
  std::vector<std::string_view> bound;
  for (const ArgumentSpec &spec : specs)
    if (spec.spec())
      for (Dim dim : spec.spec()->shape)
        if (std::string_view symbol = bareSymbol(dim); !symbol.empty())
          bound.push_back(symbol);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].spec())
      continue;
    for (Dim dim : specs[i].spec()->shape) {
      if (dim.is_unknown() || provably_less(dim, 0) == Always::yes)
        fail(i, *specs[i].spec(), "sizes >= 0 and symbols");
      std::vector<std::string_view> names;
      collectSymbols(dim, names);
      for (std::string_view symbol : names)
        if (std::find(bound.begin(), bound.end(), symbol) == bound.end())
          fail(i, *specs[i].spec(),
               "a symbol " + std::string(symbol) + " that is itself the size of an axis, here or in another spec,");
    }
  }
}

Signature Signature::make(const JitCall &call, std::span<const ArgumentSpec> specs, const std::string &name) {
  Signature signature;
  signature.structure_ = call.structure.view();
  signature.context_ = Context::current();
  std::vector<const TensorSpec *> byLeaf(call.leaves.size());
  size_t arguments = 0;
  std::vector<size_t> leavesOf(specs.size());
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    size_t argument = call.leaves[i].argument;
    arguments = std::max(arguments, argument + 1);
    if (argument >= specs.size() || !specs[argument].spec())
      continue;
    byLeaf[i] = &*specs[argument].spec();
    if (++leavesOf[argument] > 1)
      throw Error(name + ": a spec stands for an argument that is one array; arg " + std::to_string(argument) +
                  " has several (use as_called)");
  }
  if (!specs.empty() && specs.size() < arguments)
    throw Error(name + ": expected " + std::to_string(arguments) + " specs, one per argument, got " +
                std::to_string(specs.size()));
  for (size_t i = 0; i < specs.size(); ++i)
    if (specs[i].spec() && !leavesOf[i])
      throw Error(name + ": a spec stands for an argument that is one array; arg " + std::to_string(i) +
                  " has none (use as_called)");
  bool general = true;
  Replacements binding;
  for (size_t i = 0; i < call.leaves.size(); ++i)
    if (byLeaf[i])
      general &= bindSymbols(*byLeaf[i], call.leaves[i].array->value(), name + ": " + call.paths()[i], binding,
                             call.isAbstract);
  if (!general)
    for (const auto &[symbol, size] : binding)
      if (size.is_static() && size.raw() < 2)
        signature.notes_.push_back("a program of its own for " + std::string(symbol) + " = " + size.str() +
                                   ": symbols stand for sizes >= 2");
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    const Value *value = call.leaves[i].array->value();
    signature.words_.push_back(value->word & typeMask);
    Shape shape = general && byLeaf[i] ? byLeaf[i]->shape : value->shape();
    signature.symbolic_ |=
        general && byLeaf[i] && !shape.is_static() && (call.isAbstract || value->shape().is_static());
    signature.dims_.insert(signature.dims_.end(), shape.begin(), shape.end());
  }
  return signature;
}

bool Signature::matches(const JitCall &call) const {
  if (call.leaves.size() != words_.size() || call.structure.view() != structure_ || context_ != Context::current())
    return false;
  const Dim *wanted = dims_.data();
  int64_t different = 0;
  std::vector<SymbolBinding> binding;
  for (size_t i = 0; i < words_.size(); ++i) {
    const Value *value = call.leaves[i].array->value();
    if ((value->word & typeMask) != words_[i])
      return false;
    const Dim *dims = value->dims();
    int rank = value->rank();
    if (!symbolic_) {
      for (int axis = 0; axis < rank; ++axis)
        different |= wanted[axis].raw() ^ dims[axis].raw();
    } else {
      for (int axis = 0; axis < rank; ++axis) {
        if (wanted[axis].raw() == dims[axis].raw())
          continue;
        if (wanted[axis].is_static() || !dims[axis].is_static())
          return false;
        std::string_view symbol = bareSymbol(wanted[axis]);
        if (symbol.empty())
          continue;
        if (dims[axis].raw() < 2)
          return false;
        if (std::none_of(binding.begin(), binding.end(), [&](auto &entry) { return entry.first == symbol; }))
          binding.emplace_back(symbol, dims[axis].raw());
      }
    }
    wanted += rank;
  }
  if (!symbolic_)
    return different == 0;
  // All symbols are known: each size has to be what the first that named its symbols make of it.
  wanted = dims_.data();
  for (const JitLeaf &leaf : call.leaves) {
    const Value *value = leaf.array->value();
    for (int axis = 0; axis < value->rank(); ++axis, ++wanted)
      if (wanted->raw() != value->dims()[axis].raw() && evaluate(*wanted, binding) != value->dims()[axis].raw())
        return false;
  }
  return true;
}

/// Whether a size that a spec leaves open takes a signature of its own, as 0 and 1 do.
static bool hasOwnSizes(const JitCall &call, std::span<const ArgumentSpec> specs) {
  for (const JitLeaf &leaf : call.leaves) {
    if (leaf.argument >= specs.size() || !specs[leaf.argument].spec())
      continue;
    const Shape &wanted = specs[leaf.argument].spec()->shape;
    const Value *value = leaf.array->value();
    for (int axis = 0; axis < std::min(value->rank(), wanted.rank()); ++axis) {
      Dim size = value->dims()[axis];
      if (!bareSymbol(wanted[axis]).empty() && (!size.is_static() || size.raw() < 2))
        return true;
    }
  }
  return false;
}

uint64_t Signature::hash(const JitCall &call, std::span<const ArgumentSpec> specs) {
  std::string_view structure = call.structure.view();
  InlineVector<uint64_t, 64> words;
  words.push_back(hashBytes(std::as_bytes(std::span(structure))));
  words.push_back(static_cast<uint64_t>(Context::current().precision));
  const bool areOwn = !call.isAbstract && hasOwnSizes(call, specs);
  for (const JitLeaf &leaf : call.leaves) {
    const Value *value = leaf.array->value();
    words.push_back(value->word & typeMask);
    if (!areOwn && leaf.argument < specs.size() && specs[leaf.argument].spec())
      continue;
    for (int axis = 0; axis < value->rank(); ++axis)
      words.push_back(static_cast<uint64_t>(value->dims()[axis].raw()));
  }
  return hashBytes(std::as_bytes(std::span<const uint64_t>(words)));
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
  bool same = context_ == other.context_ && words_ == other.words_ && dims_.size() == other.dims_.size();
  for (size_t i = 0; same && i < dims_.size(); ++i)
    same = dims_[i].raw() == other.dims_[i].raw();
  return same ? changedNumber(other.structure_, structure_, call.names) : std::nullopt;
}

std::string Signature::misfit(const JitCall &call) const {
  std::string text;
  auto add = [&](const std::string &what) { text += (text.empty() ? "" : "; ") + what; };
  for (const std::string &different : argumentDifferences(structure_, call.structure.view(), call.names))
    add(different);
  if (context_ != Context::current())
    add("the print options changed");
  if (!text.empty() || words_.size() != call.leaves.size())
    return text;
  const std::vector<std::string> paths = call.paths();
  const std::vector<Type> wanted = types();
  std::string open;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Type got = typeOf(call.leaves[i].array->value());
    bool isSmall = false, fits = wanted[i].dtype == got.dtype && wanted[i].device == got.device &&
                                 wanted[i].shape.rank() == got.shape.rank();
    for (int axis = 0; fits && axis < got.shape.rank(); ++axis) {
      const Dim size = wanted[i].shape[axis];
      isSmall |= !size.is_static() && got.shape[axis].is_static() && got.shape[axis].raw() < 2;
      fits = !isSmall && (!size.is_static() || size.raw() == got.shape[axis].raw());
    }
    const std::string both = paths[i] + ": expected " + wanted[i].str() + ", got " + got.str() +
                             (isSmall ? " (symbols stand for sizes >= 2)" : "");
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

//===- Specs.cpp - what a jitted function's arguments have to be -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Specs.h"

#include "lib/base/Describe.h"
#include "lib/trace/Interpreter.h"

#include <tenon/error.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

using Form = ArgumentSpec::Form;

ArgumentSpec::ArgumentSpec(std::initializer_list<ArgumentSpec> parts) : parts_(parts), form_(Form::list) {}

ArgumentSpec tenon::each(ArgumentSpec spec) {
  ArgumentSpec all(as_called);
  all.parts_.push_back(std::move(spec));
  all.form_ = Form::each;
  return all;
}

static std::string boundsText(const DimAtom &atom) {
  return std::to_string(atom.low) + " to " + std::to_string(atom.high);
}

Specs::Specs(const std::vector<ArgumentSpec> &given, std::string name, Location at)
    : name_(std::move(name)), at_(at), arguments_(given.size()) {
  for (size_t i = 0; i < given.size(); ++i) {
    arguments_[i].form = given[i].form();
    if (given[i].form() != Form::any)
      take(given[i], arguments_[i], arguments_[i].head, i);
  }
  checkSolvable();
}

void Specs::fail(size_t argument, const std::string &expected, const TensorSpec &got) const {
  throw Error(name_ + ": expected " + expected + " in the spec of arg " + std::to_string(argument) + ", got " +
                  describe(got.dtype, got.shape),
              userLocation(at_));
}

const TensorSpec *Specs::keep(const TensorSpec &spec, size_t argument) {
  TensorSpec &plain = kept_.emplace_back(spec);
  argumentOf_.push_back(argument);
  for (Dim &dim : plain.shape) {
    if (dim.is_unknown() || provably_less(dim, 0) == Always::yes)
      fail(argument, "sizes >= 0 and symbols", spec);
    for (const DimAtom &atom : boundedSymbols(dim)) {
      const auto known = std::ranges::find(bounds_, atom.symbol, &DimAtom::symbol);
      if (known == bounds_.end())
        bounds_.push_back(atom);
      else if (known->low != atom.low || known->high != atom.high)
        fail(argument,
             "one pair of bounds of " + atom.symbol + ", which is from " + boundsText(*known) + " elsewhere and from " +
                 boundsText(atom),
             spec);
    }
    dim = withoutBounds(dim);
  }
  return &plain;
}

void Specs::take(const ArgumentSpec &spec, Argument &out, std::vector<const TensorSpec *> &into, size_t argument) {
  const bool isInEach = &into == &out.middle;
  switch (spec.form()) {
  case Form::any:
    into.push_back(nullptr);
    return;
  case Form::array:
    into.push_back(keep(spec.spec(), argument));
    return;
  case Form::list:
    for (const ArgumentSpec &part : spec.parts()) // behind an each it is the tail that grows
      take(part, out, isInEach || out.middle.empty() ? into : out.tail, argument);
    return;
  case Form::each:
    if (!out.middle.empty() || isInEach)
      throw Error(name_ + ": expected one tn::each in the spec of arg " + std::to_string(argument) + ", got several",
                  userLocation(at_));
    take(spec.parts().front(), out, out.middle, argument);
    if (out.middle.empty())
      throw Error(name_ + ": expected a spec in the tn::each of arg " + std::to_string(argument) +
                      ", got an empty list",
                  userLocation(at_));
    return;
  }
}

void Specs::checkSolvable() const {
  std::vector<Dim> dims;
  for (const TensorSpec &spec : kept_)
    dims.insert(dims.end(), spec.shape.begin(), spec.shape.end());
  std::vector<std::string_view> unsolved;
  solveSymbols(dims, unsolved);
  if (unsolved.empty())
    return;
  for (size_t i = 0; i < kept_.size(); ++i)
    for (Dim dim : kept_[i].shape) {
      std::vector<std::string_view> names;
      collectSymbols(dim, names);
      for (std::string_view symbol : names)
        if (std::ranges::find(unsolved, symbol) != unsolved.end())
          fail(argumentOf_[i],
               "a symbol " + std::string(symbol) +
                   " whose value can be computed from a size such as n, 4*n or n + 1, in this or another spec,",
               kept_[i]);
    }
}

std::pair<int64_t, int64_t> Specs::bounds(std::string_view symbol) const {
  const auto known = std::ranges::find(bounds_, symbol, &DimAtom::symbol);
  return known == bounds_.end() ? std::pair(int64_t(0), INT64_MAX) : std::pair(known->low, known->high);
}

static std::string countText(size_t count) { return std::to_string(count) + (count == 1 ? " array" : " arrays"); }

void Specs::place(const Argument &argument, size_t number, std::span<const TensorSpec *> leaves) const {
  const size_t ends = argument.head.size() + argument.tail.size(), group = argument.middle.size();
  const std::string where = "arg " + std::to_string(number);
  if (argument.form == Form::array && leaves.size() != 1)
    throw Error(name_ + ": a single spec describes an argument that is one array; " + where + " has " +
                (leaves.empty() ? "none (use as_called)" : "several (use as_called, a list of specs or tn::each)"));
  if (leaves.size() < ends || (group ? (leaves.size() - ends) % group != 0 : leaves.size() != ends))
    throw Error(
        name_ + ": expected " +
        (group ? (ends ? countText(ends) + " and " : "") + "a multiple of " + std::to_string(group) : countText(ends)) +
        " in " + where + ", for which there are specs, got " + countText(leaves.size()));
  for (size_t i = 0; i < leaves.size(); ++i) {
    const size_t fromEnd = leaves.size() - i;
    leaves[i] = i < argument.head.size()          ? argument.head[i]
                : fromEnd <= argument.tail.size() ? argument.tail[argument.tail.size() - fromEnd]
                                                  : argument.middle[(i - argument.head.size()) % group];
  }
}

LeafSpecs Specs::of(const JitCall &call) const {
  LeafSpecs all;
  for (size_t i = 0; i < call.leaves.size(); ++i)
    all.push_back(nullptr);
  if (arguments_.empty())
    return all;
  const size_t needed = call.leaves.empty() ? 0 : call.argumentOf(call.leaves.size() - 1) + 1;
  if (arguments_.size() < needed)
    throw Error(name_ + ": expected " + std::to_string(needed) + " specs, one per argument, got " +
                std::to_string(arguments_.size()));
  size_t first = 0;
  for (size_t number = 0; number < arguments_.size(); ++number) {
    size_t count = 0;
    while (first + count < call.leaves.size() && call.argumentOf(first + count) == number)
      ++count;
    if (arguments_[number].form != Form::any)
      place(arguments_[number], number, std::span(all.begin() + first, count));
    first += count;
  }
  return all;
}

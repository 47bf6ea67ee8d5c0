//===- Residuals.cpp - what a backward trace gets of its forward one ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/Residuals.h"
#include "dialect/model/Views.h"

#include <algorithm>
#include <numeric>

using namespace tenon;

/// Views, constants and sizes: what is made again rather than kept.
static bool isCheap(const OpInfo &info) { return info.isView || !info.readsElements; }

/// Appends an op to a body: its first result.
static ValueId append(TraceBody &body, OpCode code, std::span<const ValueId> operands, AttrWords attributes,
                      std::span<const Type> results, const TraceLocation &location) {
  TraceOp op{};
  op.code = code;
  op.results = static_cast<uint32_t>(results.size());
  op.firstResult = static_cast<ValueId>(body.types.size());
  op.operands = static_cast<uint32_t>(body.operands.size());
  op.operandCount = static_cast<uint32_t>(operands.size());
  op.attributes = static_cast<uint32_t>(body.attributes.size());
  op.attributeCount = static_cast<uint32_t>(attributes.size());
  body.operands.insert(body.operands.end(), operands.begin(), operands.end());
  body.attributes.insert(body.attributes.end(), attributes.begin(), attributes.end());
  body.types.append(results.begin(), results.end());
  body.opLocations.push_back(static_cast<uint32_t>(body.locations.size()));
  body.locations.push_back(location);
  body.ops.push_back(op);
  return op.firstResult;
}

/// Appends a transpose to a body.
static ValueId appendTranspose(TraceBody &body, ValueId x, std::span<const int64_t> permutation,
                               const TraceLocation &location) {
  Type result = body.types[x];
  for (int i = 0; i < result.shape.rank(); ++i)
    result.shape.at(i) = body.types[x].shape[static_cast<int>(permutation[static_cast<size_t>(i)])];
  return append(body, OpCode::transpose, std::span(&x, 1), wordsOf(TransposeAttrs{permutation}), std::span(&result, 1),
                location);
}

Residuals::Residuals(const Trace &forward, const std::vector<bool> &isFree, std::span<const ValueId> wanted)
    : forward_(forward), makers_(forward.body().types.size()) {
  for (size_t i = 0; i < forward.ops().size(); ++i)
    for (ValueId r = 0; r < forward.ops()[i].results; ++r)
      makers_[forward.ops()[i].firstResult + r] = i + 1;
  // A root that was found is free for all others; roots only move farther back.
  std::vector<bool> isRoot(makers_.size()), before;
  do {
    before = isRoot;
    std::vector<bool> known = isFree;
    for (ValueId value = 0; value < known.size(); ++value)
      known[value] = known[value] || before[value];
    isRoot.assign(makers_.size(), false);
    isRemade_ = isRoot;
    for (ValueId value : wanted) {
      if (value == noValue)
        continue;
      ValueId root = rootOf(value, known);
      for (; value != root; value = baseOf(value))
        isRemade_[value] = true;
      if (root != noValue)
        isRoot[root] = true;
    }
  } while (isRoot != before);
  for (ValueId value = 0; value < isRoot.size(); ++value)
    if (isRoot[value])
      roots_.push_back({value, orderOf(value)});
}

ValueId Residuals::baseOf(ValueId value) const {
  if (!makers_[value])
    return value;
  const TraceOp &op = forward_.ops()[makers_[value] - 1];
  const OpInfo &info = opInfo(op.code);
  if (!isCheap(info))
    return value;
  return op.operandCount ? forward_.operands(op)[viewedOperand(info, value - op.firstResult)] : noValue;
}

ValueId Residuals::rootOf(ValueId value, const std::vector<bool> &isFree) const {
  auto count = [&](ValueId of) { return element_count(forward_.type(of).shape); };
  ValueId root = value;
  for (ValueId at = value, base; (base = baseOf(at)) != at; at = base) {
    if (base == noValue)
      return noValue;
    if (isFree[base] || provably_less_equal(count(base), count(root)) == Always::yes)
      root = base;
  }
  return root;
}

/// From the axes of an array as they lie in memory to those of a view of it; empty:
/// their own order, or one that is none.
static std::vector<int64_t> orderOfView(const std::vector<int64_t> &from, const ViewMap &map) {
  std::vector<int64_t> order(from.size());
  for (size_t place = 0; place < from.size(); ++place) {
    const ViewAxis &axis = map.axes[from[place]];
    // With other steps a product packs it.
    if (axis.extent == ViewAxis::repeated || axis.step < 0 || (axis.step != 1 && place + 1 == from.size()))
      return {};
    order[place] = axis.to;
  }
  return order;
}

std::vector<int64_t> Residuals::orderOf(ValueId value) const {
  std::vector<ValueId> views;
  for (ValueId at = value, base; (base = baseOf(at)) != at && base != noValue; at = base)
    views.push_back(at);
  std::vector<int64_t> order; // empty: their own
  for (size_t i = views.size(); i-- > 0;) {
    const TraceOp &op = forward_.ops()[makers_[views[i]] - 1];
    const OpInfo &info = opInfo(op.code);
    const int from = forward_.type(baseOf(views[i])).shape.rank(), to = forward_.type(views[i]).shape.rank();
    ViewMap map;
    if (from != to || !info.isView || !mapView(info, {from, to, forward_.attributes(op)}, map) || map.isRowMajor) {
      order.clear();
      continue;
    }
    if (order.empty()) {
      order.resize(static_cast<size_t>(from));
      std::iota(order.begin(), order.end(), 0);
    }
    order = orderOfView(order, map);
  }
  return std::is_sorted(order.begin(), order.end()) ? std::vector<int64_t>() : order;
}

ValueId Residuals::inOrder(const Root &root, TraceBody &body) const {
  return root.order.empty() ? root.value : appendTranspose(body, root.value, root.order, locationOf(root.value));
}

TraceRef Residuals::remake(const Trace &backward, size_t first, std::span<const ValueId> wanted) const {
  TraceBody body = backward.body();
  std::vector<TraceOp> ops = std::exchange(body.ops, {});
  std::vector<uint32_t> locations = std::exchange(body.opLocations, {});
  size_t operandCount = body.operands.size();
  std::vector<ValueId> places(makers_.size(), noValue);
  body.inputs.resize(first);
  for (const Root &root : roots_) {
    ValueId &place = places[root.value] = static_cast<ValueId>(body.types.size());
    body.inputs.push_back(place);
    Type type = forward_.type(root.value);
    std::vector<int64_t> inverse(root.order.size());
    for (size_t i = 0; i < inverse.size(); ++i) {
      inverse[static_cast<size_t>(root.order[i])] = static_cast<int64_t>(i);
      type.shape.at(static_cast<int>(i)) = forward_.type(root.value).shape[static_cast<int>(root.order[i])];
    }
    body.types.push_back(type);
    if (root.order.empty())
      continue;
    place = appendTranspose(body, place, inverse, locationOf(root.value));
  }
  for (ValueId value = 0; value < places.size(); ++value) {
    if (!isRemade_[value] || places[value] != noValue)
      continue;
    const TraceOp &op = forward_.ops()[makers_[value] - 1];
    ValueId firstResult = op.firstResult, base = baseOf(value);
    uint32_t results = op.results;
    if (opInfo(op.code).variadic) // a result per operand: of this one alone
      firstResult = value, results = 1;
    std::vector<Type> types;
    for (ValueId r = 0; r < results; ++r)
      types.push_back(forward_.type(firstResult + r));
    ValueId made = append(body, op.code, std::span(&places[base == noValue ? 0 : base], base != noValue),
                          forward_.attributes(op), types, locationOf(value));
    for (ValueId r = 0; r < results; ++r)
      if (ValueId &place = places[firstResult + r]; place == noValue)
        place = made + r;
  }
  // What was an input is a root or a view of one now.
  std::vector<ValueId> renamed(backward.body().types.size());
  std::iota(renamed.begin(), renamed.end(), 0);
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != noValue)
      renamed[backward.inputs()[first + i]] = places[wanted[i]];
  for (size_t i = 0; i < operandCount; ++i)
    body.operands[i] = renamed[body.operands[i]];
  for (ValueId &output : body.outputs)
    output = renamed[output];
  body.ops.insert(body.ops.end(), ops.begin(), ops.end());
  body.opLocations.insert(body.opLocations.end(), locations.begin(), locations.end());
  return Trace::make(std::move(body));
}

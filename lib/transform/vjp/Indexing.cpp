//===- Indexing.cpp - derivatives of gathers and scatters --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gather and the scatter that adds are each other's transposes, mode by mode:
// what is moved inside, left out or an Error in one is so in the other.
//===----------------------------------------------------------------------===//
#include "dialect/model/Windows.h"
#include "lib/ops/composites/Floats.h"
#include "lib/transform/Recurrence.h"

#include <vector>

namespace tenon {
namespace {

Ints intsOf(std::span<const int64_t> values) { return Ints(std::vector<int64_t>(values.begin(), values.end())); }

/// A scatter's windows, and those of the gather that reads what it has written.
class Scatter {
public:
  explicit Scatter(const VjpCall &call) : call_(call), dims_(windowsOfScatter(call.attributes)) {
    const Shape &x = call.operandTypes[0].shape, &updates = call.operandTypes[2].shape;
    WindowMap map;
    readWindows(dims_, false, x.rank(), call.operandTypes[1].shape.rank(), map);
    for (int axis = 0; axis < x.rank(); ++axis)
      sizes_.push_back(map.axes[axis].windowed >= 0 ? updates[map.axes[axis].windowed] : Dim(1));
  }

  /// Where the updates have gone; 0 for those left out.
  Array read(const Array &x) const {
    return gather(x, indices(), sizes_, intsOf(dims_.windowDims), intsOf(dims_.droppedDims), intsOf(dims_.indexMap),
                  intsOf(dims_.batchingDims), intsOf(dims_.indicesBatchingDims), indexModeOf(dims_.mode));
  }
  using Write = Array (*)(const Operand &, const Operand &, const Operand &, const Ints &, const Ints &, const Ints &,
                          const Ints &, const Ints &, IndexMode);
  /// The same scatter of other values, or another one at the same places.
  Array write(Write how, const Array &x, const Array &updates) const {
    return how(x, indices(), updates, intsOf(dims_.windowDims), intsOf(dims_.droppedDims), intsOf(dims_.indexMap),
               intsOf(dims_.batchingDims), intsOf(dims_.indicesBatchingDims), indexModeOf(dims_.mode));
  }

private:
  const Array &indices() const { return call_.operand(1); }

  const VjpCall &call_;
  WindowDims dims_;
  Shape sizes_;
};

/// The elements of such an array, numbered: i64.
Array numbered(const Type &type) {
  return reshape(detail::iota(element_count(type.shape), Dtype::i64, type.device, {}), type.shape);
}

Array like(const Type &type, Dtype dtype, Scalar value) { return filled({dtype, type.device, type.shape}, value); }

} // namespace

void vjpGather(VjpCall &call) {
  const GatherAttrs a = GatherAttrs::read(call.attributes);
  call.set(0, scatter_add(filled(call.operandTypes[0], false), call.operand(1), call.cotangent(), intsOf(a.offset_dims),
                          intsOf(a.collapsed_slice_dims), intsOf(a.start_index_map), intsOf(a.operand_batching_dims),
                          intsOf(a.start_indices_batching_dims), indexModeOf(a.mode)));
}

/// Of several updates of an element only the last one counts: each leaves its number.
void vjpScatter(VjpCall &call) {
  const Scatter scatter(call);
  const Type &x = call.operandTypes[0], &updates = call.operandTypes[2];
  const Array ct = call.cotangent();
  if (call.wanted(0))
    call.set(0, scatter.write(tenon::scatter, ct, filled(updates, false)));
  if (!call.wanted(2))
    return;
  const Array numbers = numbered(updates);
  const Array last = scatter.read(scatter.write(tenon::scatter, like(x, Dtype::i64, 0), numbers));
  call.set(2, where(last == numbers, scatter.read(ct), Scalar(0)));
}

void vjpScatterAdd(VjpCall &call) {
  call.set(0, call.cotangent());
  if (call.wanted(2))
    call.set(2, Scatter(call).read(call.cotangent()));
}

/// Of complex numbers, which have no recurrences: the product of all factors but zeros, divided by the update, unless
/// another factor is 0.
static Array slopesOfComplexFactors(const Scatter &scatter, const VjpCall &call) {
  const Array &x = call.operand(0), &updates = call.operand(2);
  auto zeros = [](const Array &factors) { return astype(factors == Scalar(0), Dtype::i64); };
  auto withoutZeros = [](const Array &factors) { return where(factors == Scalar(0), Scalar(1), factors); };
  const Array product = scatter.read(scatter.write(scatter_mul, withoutZeros(x), withoutZeros(updates)));
  const Array others = scatter.read(scatter.write(scatter_add, zeros(x), zeros(updates))) - zeros(updates);
  return where(others == Scalar(0), scatter.read(call.cotangent()) * (product / withoutZeros(updates)), Scalar(0));
}

/// An update's derivative is the product of all other factors of its element of the result: in the order of the
/// updates, those before it, the first of which is the element of x, times those behind it. In f64, since these may be
/// out of the range of f32 where their product is not.
void vjpScatterMul(VjpCall &call) {
  const Scatter scatter(call);
  const Type &type = call.operandTypes[0], &updatesType = call.operandTypes[2];
  const Array &x = call.operand(0), &updates = call.operand(2);
  const Array ct = call.cotangent();
  if (call.wanted(0))
    call.set(0, ct * scatter.write(scatter_mul, filled(type, true), updates));
  if (!call.wanted(2))
    return;
  if (kind(type.dtype) == Kind::complex) {
    call.set(2, slopesOfComplexFactors(scatter, call));
    return;
  }
  const Dim count = element_count(updatesType.shape);
  if (detail::isNone(count)) {
    call.set(2, filled(updatesType, false));
    return;
  }
  // The updates, those of one element of the result together; 0 stands for those left out.
  const Array places = reshape(scatter.read(numbered(type) + 1), {count});
  const std::vector<Array> sorted = sort_keys({places, numbered({Dtype::i64, type.device, {count}})}, 0, 1);
  const Array &order = sorted[1], isFirst = sorted[0] != movedOn(sorted[0], 0, -1);
  const Array isLast = sorted[0] != movedBack(sorted[0], 0, -1);
  auto inOrder = [&](const Array &array) { return astype(take(reshape(array, {count}), order, 0), f64); };
  const Array factors = inOrder(updates);
  const Array before = recurrence(where(isFirst, 0.0, movedOn(factors, 0, 0.0)),
                                  where(isFirst, inOrder(scatter.read(x)), 0.0), 0, call.at);
  const Array next = reversed(where(isLast, 0.0, movedBack(factors, 0, 0.0)), 0);
  const Array ends = astype(reversed(isLast, 0), factors.dtype());
  const Array behind = reversed(recurrence(next, ends, 0, call.at), 0);
  const Array slopes = before * behind * inOrder(scatter.read(ct));
  call.set(2, reshape(astype(take(slopes, argsort(order, 0), 0), type.dtype), updatesType.shape));
}

/// Shared evenly among all that are equal to what is there in the end.
void vjpScatterExtremum(VjpCall &call) {
  const Scatter scatter(call);
  const Dtype dtype = call.operandTypes[0].dtype, wide = detail::wideDtype(dtype);
  const Array &result = call.result();
  const Array stays = astype(call.operand(0) == result, wide);
  const Array wins = astype(call.operand(2) == scatter.read(result), wide);
  const Array share = astype(call.cotangent(), wide) / maximum(scatter.write(scatter_add, stays, wins), Scalar(1));
  call.set(0, astype(share * stays, dtype));
  if (call.wanted(2))
    call.set(2, astype(scatter.read(share) * wins, dtype));
}

static std::vector<Array> startsOf(const VjpCall &call, int first) {
  std::vector<Array> starts;
  for (int i = first; i < static_cast<int>(call.operandTypes.size()); ++i)
    starts.push_back(call.operand(i));
  return starts;
}

void vjpDynamicSlice(VjpCall &call) {
  call.set(0, dynamic_update_slice(filled(call.operandTypes[0], false), call.cotangent(), startsOf(call, 1)));
}

void vjpDynamicUpdateSlice(VjpCall &call) {
  const std::vector<Array> starts = startsOf(call, 2);
  const Array ct = call.cotangent();
  if (call.wanted(0))
    call.set(0, dynamic_update_slice(ct, filled(call.operandTypes[1], false), starts));
  if (call.wanted(1))
    call.set(1, dynamic_slice(ct, starts, call.operandTypes[1].shape));
}

} // namespace tenon

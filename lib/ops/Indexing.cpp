//===- Indexing.cpp - doors of gathers, scatters and dynamic slices ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/Door.h"
#include "lib/ops/composites/Floats.h"

using namespace tenon;
using namespace tenon::detail;

Array detail::toIndices(Array indices, OpCode op, Location at) {
  const Dtype dtype = indices.dtype();
  if (dtype == Dtype::i32 || dtype == Dtype::i64)
    return indices;
  if (kind(dtype) != Kind::integer)
    throwOpError(
        opInfo(op), std::initializer_list<Value *>{indices.value()},
        std::string(opInfo(op).name) + ": expected integers as indices, got " + describe(dtype, indices.shape()), at);
  if (dtype == Dtype::u64)
    indices = minimum(indices, INT64_MAX);
  return convert(indices, item_size(dtype) < item_size(Dtype::i32) ? Dtype::i32 : Dtype::i64, at);
}

Array detail::toUpdates(const Operand &operand, OpCode op, const Array &x) {
  const Array updates = toArray(operand, op, x.dtype(), x.device());
  if (!holds(x.dtype(), updates.dtype()) && promote(x.dtype(), updates.dtype()) != x.dtype())
    throwOpError(opInfo(op), std::initializer_list<Value *>{x.value(), updates.value()},
                 std::string(opInfo(op).name) + ": expected updates that " + std::string(short_name(x.dtype())) +
                     " holds, got " + describe(updates.dtype(), updates.shape()) + "; convert them with astype",
                 operand.location());
  return convert(updates, x.dtype(), operand.location());
}

Array tenon::gather(const Operand &x, const Operand &indices, const Shape &slice_sizes, const Ints &offset_dims,
                    const Ints &collapsed_slice_dims, const Ints &start_index_map, const Ints &operand_batching_dims,
                    const Ints &start_indices_batching_dims, IndexMode mode, std::optional<Scalar> fill_value) {
  DoorScope scope("", "gather", {}, {{"x", x}, {"indices", indices}});
  const Array array = toArray(x, OpCode::gather);
  const Array places = toIndices(toArray(indices, OpCode::gather, {}, array.device()), OpCode::gather, x.location());
  const Scalar fill = fill_value ? *fill_value : array.dtype() == Dtype::bool_ ? Scalar(false) : Scalar(0);
  const GatherAttrs attributes{{slice_sizes.begin(), slice_sizes.size()},
                               offset_dims.values(),
                               collapsed_slice_dims.values(),
                               start_index_map.values(),
                               operand_batching_dims.values(),
                               start_indices_batching_dims.values(),
                               name(mode),
                               fittingScalar("gather", fill, array.dtype(), x.location())};
  return apply(OpCode::gather, {array.value(), places.value()}, Words(attributes), x.location());
}

Array detail::scatterWindows(OpCode op, const Operand &x, const Operand &indices, const Operand &updates,
                             const Ints &windowDims, const Ints &insertedDims, const Ints &indexMap,
                             const Ints &batchingDims, const Ints &indicesBatchingDims, IndexMode mode) {
  DoorScope scope("", opInfo(op).name, {}, {{"x", x}, {"indices", indices}, {"updates", updates}});
  const Array array = toArray(x, op);
  const Array places = toIndices(toArray(indices, op, {}, array.device()), op, x.location());
  const Dtype wide = scatteredIn(op, array, places);
  const Array start = convert(array, wide, x.location());
  const Array values = convert(toUpdates(updates, op, array), wide, x.location());
  // The scatters differ in what they do with an update, not in their attributes.
  const ScatterAttrs attributes{windowDims.values(),   insertedDims.values(),        indexMap.values(),
                                batchingDims.values(), indicesBatchingDims.values(), name(mode)};
  return convert(apply(op, {start.value(), places.value(), values.value()}, Words(attributes), x.location()),
                 array.dtype(), x.location());
}

/// Integers of rank 0, in one dtype.
static std::vector<Array> toStarts(const Arrays &starts, OpCode op, Location at) {
  std::vector<Array> out;
  Dtype dtype = Dtype::i32;
  for (const Array &start : starts) {
    if (!start.has_value())
      throw Error(publicName(opInfo(op).name) + ": expected an array, got an empty Array", userLocation(at));
    out.push_back(toIndices(start, op, at));
    dtype = promote(dtype, out.back().dtype());
  }
  for (Array &start : out)
    start = convert(start, dtype, at);
  return out;
}

Array tenon::dynamic_slice(const Operand &x, const Arrays &start_indices, const Shape &slice_sizes) {
  DoorScope scope("", "dynamic_slice", {}, {{"x", x}, {"start_indices", start_indices}});
  const Array array = toArray(x, OpCode::dynamic_slice);
  const std::vector<Array> starts = toStarts(start_indices, OpCode::dynamic_slice, x.location());
  std::vector<Value *> operands{array.value()};
  for (const Array &start : starts)
    operands.push_back(start.value());
  return bindOne(OpCode::dynamic_slice, operands, Words(DynamicSliceAttrs{{slice_sizes.begin(), slice_sizes.size()}}),
                 x.location());
}

Array tenon::dynamic_update_slice(const Operand &x, const Operand &update, const Arrays &start_indices) {
  DoorScope scope("", "dynamic_update_slice", {}, {{"x", x}, {"update", update}, {"start_indices", start_indices}});
  const Array array = toArray(x, OpCode::dynamic_update_slice);
  const Array part = toUpdates(update, OpCode::dynamic_update_slice, array);
  const std::vector<Array> starts = toStarts(start_indices, OpCode::dynamic_update_slice, x.location());
  std::vector<Value *> operands{array.value(), part.value()};
  for (const Array &start : starts)
    operands.push_back(start.value());
  return bindOne(OpCode::dynamic_update_slice, operands, {}, x.location());
}

//===- Reduction.cpp - doors of reductions -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/ops/Door.h"
#include "lib/ops/composites/Composites.h"

using namespace tenon;
using namespace tenon::detail;

Array detail::reduce(OpCode op, const Operand &x, const Ints &axes, bool keepdims) {
  Array array = toArray(x, op);
  std::vector<int64_t> all = normalizeAxisList(op, array, axes, x.location());
  if (isComplex(array) && (op == OpCode::sum || op == OpCode::prod))
    return complexReduction(op, array, all, keepdims, x.location());
  // All reductions have the same attributes.
  return apply(op, {array.value()}, Words(SumAttrs{all, keepdims}), x.location());
}

Array detail::reduceTruths(OpCode op, const Operand &x, const Ints &axes, bool keepdims) {
  DoorScope scope(opInfo(op).name, x.location(), {{"x", x}});
  Array result = reduce(op, truthOf(x), axes, keepdims);
  noteTruths(result.value(), userLocation(x.location()));
  return result;
}

Array tenon::detail::argmax(const Operand &x, std::optional<Axis> axis, bool keepdims) {
  Array array = toArray(x, OpCode::argmax);
  int rank = array.ndim();
  if (!axis) {
    DoorScope scope("argmax", x.location(), {{"x", x}});
    Shape ones;
    for (int i = 0; i < rank; ++i)
      ones.push_back(1);
    Array flat = argmax(reshape(array, {element_count(array.shape())}), 0);
    return keepdims ? reshape(flat, ones) : flat;
  }
  int64_t place = normalizeAxis(OpCode::argmax, array, axis->value(), x.location());
  return apply(OpCode::argmax, {array.value()}, Words(ArgmaxAttrs{place, keepdims}), x.location());
}

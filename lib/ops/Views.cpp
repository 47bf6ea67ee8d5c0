//===- Views.cpp - ops that make views instead of moving elements -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Views.h"

#include "lib/array/Buffer.h"
#include "lib/base/Statistics.h"
#include "runtime/kernels/Strides.h"

using namespace tenon;
using namespace tenon::detail;

static Array view(Value *of, const Shape &shape, std::span<const int64_t> strides, int64_t offset) {
  char *data = static_cast<char *>(of->data) + offset * static_cast<int64_t>(item_size(of->dtype()));
  return Array::adopt(makeView(of, {shape.begin(), shape.size()}, strides, data));
}

bool detail::makeViews(const Bind &bind, std::span<Array> results) {
  if (bind.op == OpCode::optimization_barrier) {
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = Array::share(bind.operands[i]);
    return true;
  }
  if (opInfo(bind.op).lowering != Lowering::view && bind.op != OpCode::broadcast_to)
    return false;
  Value *x = bind.operands[0];
  rt::View from = viewOf(x);
  int64_t strides[max_rank];
  if (bind.op == OpCode::split) {
    SplitAttrs attributes = SplitAttrs::read(bind.attributes);
    int64_t offset = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] = view(x, bind.types[i].shape, {x->strides(), size_t(x->rank())}, offset);
      offset += attributes.sizes[i].raw() * x->strides()[attributes.axis];
    }
    return true;
  }
  const Shape &shape = bind.types[0].shape;
  const int64_t *dims = reinterpret_cast<const int64_t *>(shape.begin());
  std::optional<int64_t> offset = rt::viewStrides(bind.op, from, bind.attributes, {dims, shape.size()}, strides);
  if (offset) {
    results[0] = view(x, shape, {strides, shape.size()}, *offset);
    return true;
  }
  if (bind.op != OpCode::reshape)
    throw InternalError(std::string(opInfo(bind.op).name) + ": a view whose strides are not known",
                        userLocation(bind.at));
  // A reshape that strides cannot say.
  Array dense = Array::adopt(packed(x, bind.at));
  ++counters().eagerKernels;
  rt::viewStrides(bind.op, viewOf(dense.value()), bind.attributes, {dims, shape.size()}, strides);
  results[0] = view(dense.value(), shape, {strides, shape.size()}, 0);
  return true;
}

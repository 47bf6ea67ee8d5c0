//===- Views.cpp - ops that make views instead of moving elements -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Views.h"

#include "lib/array/Buffer.h"
#include "lib/base/Statistics.h"
#include "lib/ops/Door.h"
#include "runtime/kernels/Strides.h"

using namespace tenon;
using namespace tenon::detail;

static Array viewAt(Value *of, const Shape &shape, std::span<const int64_t> strides, int64_t offset) {
  char *data = static_cast<char *>(of->data) + offset * static_cast<int64_t>(item_size(of->dtype()));
  return Array::adopt(makeView(of, {shape.begin(), shape.size()}, strides, data));
}

bool detail::makeViews(const Bind &bind, std::span<Array> results) {
  const OpInfo &info = opInfo(bind.op);
  if (!info.isView)
    return false;
  ViewMap map;
  for (size_t i = 0; i < results.size(); ++i) {
    Value *x = bind.operands[viewedOperand(info, i)];
    const Shape &shape = bind.types[i].shape;
    if (i > 0)
      nextPiece(map, x->rank(), bind.types[i - 1].shape);
    else if (!mapView(info, {x->rank(), shape.rank(), bind.attributes}, map))
      throw InternalError(std::string(info.name) + ": a view of attributes that its shape rule should have refused");
    if (map.isSame) {
      results[i] = Array::share(x);
      continue;
    }
    const std::span<const int64_t> dims(reinterpret_cast<const int64_t *>(shape.begin()), shape.size());
    int64_t strides[max_rank];
    std::optional<int64_t> offset = rt::viewStrides(map, viewOf(x), dims, strides);
    if (offset) {
      results[i] = viewAt(x, shape, {strides, shape.size()}, *offset);
      continue;
    }
    // An order that strides cannot say.
    Array dense =
        Array::adopt(makeResult(bind.op, x->dtype(), std::span(x->dims(), size_t(x->rank())), x->device(), bind.at));
    copyElements(x, dense.value(), bind.at);
    ++counters().eager_kernels;
    offset = rt::viewStrides(map, viewOf(dense.value()), dims, strides);
    results[i] = viewAt(dense.value(), shape, {strides, shape.size()}, offset.value());
  }
  return true;
}

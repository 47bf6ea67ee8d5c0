//===- View.cpp - reading elements where they are ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"

#include <tenon/view.h>

using namespace tenon;
using namespace tenon::detail;

Array detail::hostElements(const Array &array, Dtype dtype, const char *what, Location at) {
  Value *value = concrete(array.value(), what, at);
  if (value->dtype() != dtype)
    throw Error(std::string(what) + ": expected an array of " + std::string(short_name(dtype)) + ", got " +
                    describe(value->dtype(), value->shape()) + "; convert it with astype",
                at);
  if (!value->isOn(Device::cpu))
    throw Error(std::string(what) + ": expected an array on cpu:0, got one on " + name(value->device()) +
                    "; to_device copies it",
                at);
  return Array::share(value);
}

ElementOrder::ElementOrder(const Value *value) : count(value->count()), rank(0), isDense(value->isDense()) {
  for (int axis = 0; axis < value->rank(); ++axis) {
    const int64_t dim = value->dims()[axis].raw(), stride = value->strides()[axis];
    if (dim == 1)
      continue;
    if (rank > 0 && strides[rank - 1] == stride * dim)
      --rank;
    else
      dims[rank] = 1;
    dims[rank] *= dim;
    strides[rank++] = stride;
  }
  if (rank == 0) {
    dims[0] = strides[0] = 1;
    rank = 1;
  }
}

int64_t ElementOrder::offset(int64_t index) const {
  int64_t place = 0;
  for (int axis = rank; axis-- > 0; index /= dims[axis])
    place += index % dims[axis] * strides[axis];
  return place;
}

void detail::throwNotDense(const Value *value, Location at) {
  throw Error("elements(): expected a dense array, got a strided view " + describe(value->dtype(), value->shape()) +
                  "; to_vector() copies it",
              at);
}

void detail::throwViewRank(const Value *value, size_t rank, Location at) {
  throw Error("view: expected an array of rank " + std::to_string(rank) + ", got " +
                  describe(value->dtype(), value->shape()),
              at);
}

void detail::throwViewIndex(const Value *value, int64_t index, size_t axis, Location at) {
  throw Error("view: index " + std::to_string(index) + " is out of range for axis " + std::to_string(axis) + " of " +
                  describe(value->dtype(), value->shape()),
              at);
}

void detail::throwMdspan(const Value *value, Location at) {
  throw Error("view: expected " + describe(value->dtype(), value->shape()) +
                  " to lie as the mdspan says, got other sizes or strides",
              at);
}

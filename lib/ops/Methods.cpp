//===- Methods.cpp - functions as methods of an array -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"

using namespace tenon;
using namespace tenon::detail;

/// `function` of x under its name and at the user's line, which an Operand made here lacks.
template <class Function, class... Arguments>
static Array called(const char *name, const Array &x, Location at, Function function, const Arguments &...arguments) {
  DoorScope scope("", name, at, {{"x", x}});
  return function(x, arguments...);
}

Array Array::reshape(const Shape &shape, Location place) const {
  return called("reshape", *this, place, tenon::reshape, shape);
}
Array Array::astype(Dtype dtype, Location place) const { return called("astype", *this, place, tenon::astype, dtype); }
Array Array::transpose(const Ints &permutation, Location place) const {
  return called("transpose", *this, place, tenon::transpose, permutation);
}
Array Array::squeeze(const Ints &axes, Location place) const {
  return called("squeeze", *this, place, tenon::squeeze, axes);
}
Array Array::flatten(Location place) const { return called("flatten", *this, place, tenon::flatten); }
Array Array::sum(const Ints &axes, bool keepdims, Location place) const {
  return called("sum", *this, place, tenon::sum, axes, keepdims);
}
Array Array::mean(const Ints &axes, bool keepdims, Location place) const {
  return called("mean", *this, place, tenon::mean, axes, keepdims);
}
Array Array::max(const Ints &axes, bool keepdims, Location place) const {
  return called("max", *this, place, tenon::max, axes, keepdims);
}
Array Array::min(const Ints &axes, bool keepdims, Location place) const {
  return called("min", *this, place, tenon::min, axes, keepdims);
}
Array Array::any(const Ints &axes, bool keepdims, Location place) const {
  return called("any", *this, place, tenon::any, axes, keepdims);
}
Array Array::all(const Ints &axes, bool keepdims, Location place) const {
  return called("all", *this, place, tenon::all, axes, keepdims);
}
Array Array::T(Location place) const { return called("T", *this, place, tenon::transpose, Ints()); }
Array Array::mT(Location place) const { return called("mT", *this, place, tenon::matrix_transpose); }

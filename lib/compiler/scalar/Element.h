//===- Element.h - the functions that records write elements with ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runtime/math/Numbers.h has over vectors, over values of the IR: so that an
// `expression` of dialect/records is both. Each gives the bits that it gives there.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

#include "mlir/IR/Builders.h"

#include <concepts>

namespace tenon::compiler {

/// A value of one element in its compute type (Scalar.h), which maps over vectors
/// as it stands; what is made of it goes where `b` stands.
struct Element {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value value;
  Dtype dtype;
  /// Another one, made beside this.
  Element with(mlir::Value other, Dtype otherDtype) const { return {b, loc, other, otherDtype}; }
  Element with(mlir::Value other) const { return with(other, dtype); }
};

Element add(Element x1, Element x2);
Element subtract(Element x1, Element x2);
Element multiply(Element x1, Element x2);
Element divide(Element x1, Element x2);
Element fma(Element x1, Element x2, Element x3);
Element maximum(Element x1, Element x2);
Element minimum(Element x1, Element x2);
Element right_shift(Element x1, Element x2);
Element left_shift(Element x1, Element x2);
Element bitwise_and(Element x1, Element x2);
Element bitwise_or(Element x1, Element x2);
Element bitwise_xor(Element x1, Element x2);
Element bitwise_invert(Element x);
Element popcount(Element x);
Element clz(Element x);
Element floor_divide(Element x1, Element x2);
Element remainder(Element x1, Element x2);
Element fmod(Element x1, Element x2);
Element negative(Element x);
Element abs(Element x);
Element conj(Element x);
Element sqrt(Element x);
Element copysign(Element x1, Element x2);
Element nextafter(Element x1, Element x2);
Element floor(Element x);
Element ceil(Element x);
Element trunc(Element x);
Element round(Element x);
Element sign(Element x);
Element signbit(Element x);

Element equal(Element x1, Element x2);
Element not_equal(Element x1, Element x2);
Element less(Element x1, Element x2);
Element less_equal(Element x1, Element x2);
Element logical_and(Element x1, Element x2);
Element logical_or(Element x1, Element x2);
Element logical_xor(Element x1, Element x2);
Element logical_not(Element x);

Element select(Element condition, Element yes, Element no);
/// The number as one of x's dtype, which holds it.
Element like(Element x, double number);

/// A function of runtime/math.
Element callMath(llvm::StringRef function, llvm::ArrayRef<Element> operands);
#define TENON_FUNCTION(name, count)                                                                                    \
  template <std::same_as<Element>... Elements>                                                                         \
    requires(sizeof...(Elements) == count)                                                                             \
  Element name(Elements... operands) {                                                                                 \
    return callMath(#name, {operands...});                                                                             \
  }
#include "runtime/math/Functions.gen.inc"

} // namespace tenon::compiler

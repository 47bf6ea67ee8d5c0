//===- Element.cpp - the functions that records write elements with -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/scalar/Element.h"

#include "dialect/ir/Bridge.h"
#include "dialect/ir/TenonDialect.h"
#include "lib/compiler/scalar/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tenon::compiler {

static bool isFloating(Element x) { return kind(x.dtype) == Kind::floating; }

/// A complex number by its parts, each as an element of their dtype, to which these
/// functions apply in turn: the formulas of runtime/math/Complex.h.
struct ComplexElement {
  Element real, imag;
};
static bool isComplex(Element x) { return kind(x.dtype) == Kind::complex; }
static ComplexElement partsOf(Element x) {
  const Parts parts = partsOf(x.b, x.loc, x.value);
  const Dtype dtype = *ir::dtypeOf(parts.real.getType());
  return {x.with(parts.real, dtype), x.with(parts.imag, dtype)};
}
/// The number of these parts, of x's dtype.
static Element joined(Element x, Element real, Element imag) {
  return x.with(joinParts(x.b, x.loc, {real.value, imag.value}));
}

template <class Op>
static Element make(Element x) {
  return x.with(Op::create(x.b, x.loc, x.value));
}
template <class Op>
static Element make(Element x1, Element x2) {
  return x1.with(Op::create(x1.b, x1.loc, x1.value, x2.value));
}
template <class FloatOp, class IntegerOp>
static Element arithmetic(Element x1, Element x2) {
  return isFloating(x1) ? make<FloatOp>(x1, x2) : make<IntegerOp>(x1, x2);
}

Element add(Element x1, Element x2) {
  if (!isComplex(x1))
    return arithmetic<arith::AddFOp, arith::AddIOp>(x1, x2);
  const ComplexElement a = partsOf(x1), b = partsOf(x2);
  return joined(x1, add(a.real, b.real), add(a.imag, b.imag));
}
Element subtract(Element x1, Element x2) {
  if (!isComplex(x1))
    return arithmetic<arith::SubFOp, arith::SubIOp>(x1, x2);
  const ComplexElement a = partsOf(x1), b = partsOf(x2);
  return joined(x1, subtract(a.real, b.real), subtract(a.imag, b.imag));
}
Element multiply(Element x1, Element x2) {
  if (!isComplex(x1))
    return arithmetic<arith::MulFOp, arith::MulIOp>(x1, x2);
  const ComplexElement a = partsOf(x1), b = partsOf(x2);
  return joined(x1, subtract(multiply(a.real, b.real), multiply(a.imag, b.imag)),
                add(multiply(a.real, b.imag), multiply(a.imag, b.real)));
}
Element divide(Element x1, Element x2) {
  if (!isComplex(x1))
    return make<arith::DivFOp>(x1, x2);
  const ComplexElement a = partsOf(x1), b = partsOf(x2);
  const Element isReal = less_equal(abs(b.imag), abs(b.real));
  const Element large = select(isReal, b.real, b.imag), small = select(isReal, b.imag, b.real);
  const Element first = select(isReal, a.real, a.imag), second = select(isReal, a.imag, a.real);
  const Element ratio = select(equal(large, like(large, 0)), small, divide(small, large));
  const Element scale = add(large, multiply(small, ratio));
  const Element imag = divide(subtract(second, multiply(first, ratio)), scale);
  return joined(x1, divide(add(first, multiply(second, ratio)), scale), select(isReal, imag, negative(imag)));
}

Element fma(Element x1, Element x2, Element x3) {
  return isFloating(x1) ? x1.with(math::FmaOp::create(x1.b, x1.loc, x1.value, x2.value, x3.value))
                        : add(multiply(x1, x2), x3);
}

Element maximum(Element x1, Element x2) {
  return is_signed(x1.dtype) ? arithmetic<arith::MaximumFOp, arith::MaxSIOp>(x1, x2)
                             : arithmetic<arith::MaximumFOp, arith::MaxUIOp>(x1, x2);
}
Element minimum(Element x1, Element x2) {
  return is_signed(x1.dtype) ? arithmetic<arith::MinimumFOp, arith::MinSIOp>(x1, x2)
                             : arithmetic<arith::MinimumFOp, arith::MinUIOp>(x1, x2);
}

static Element integerLike(Element x, int64_t value) {
  return x.with(integerConstant(x.b, x.loc, x.value.getType(), value));
}
static Element compareIntegers(arith::CmpIPredicate predicate, Element x1, Element x2) {
  return x1.with(arith::CmpIOp::create(x1.b, x1.loc, predicate, x1.value, x2.value), Dtype::bool_);
}

Element right_shift(Element x1, Element x2) {
  Element last = integerLike(x1, x1.value.getType().getIntOrFloatBitWidth() - 1);
  Element isOutside = compareIntegers(arith::CmpIPredicate::ugt, x2, last);
  if (is_signed(x1.dtype))
    return make<arith::ShRSIOp>(x1, select(isOutside, last, x2));
  Element zero = integerLike(x1, 0);
  return select(isOutside, zero, make<arith::ShRUIOp>(x1, select(isOutside, zero, x2)));
}

Element left_shift(Element x1, Element x2) {
  Element last = integerLike(x1, x1.value.getType().getIntOrFloatBitWidth() - 1), zero = integerLike(x1, 0);
  Element isOutside = compareIntegers(arith::CmpIPredicate::ugt, x2, last);
  return select(isOutside, zero, make<arith::ShLIOp>(x1, select(isOutside, zero, x2)));
}
Element bitwise_and(Element x1, Element x2) { return make<arith::AndIOp>(x1, x2); }
Element bitwise_or(Element x1, Element x2) { return make<arith::OrIOp>(x1, x2); }
Element bitwise_xor(Element x1, Element x2) { return make<arith::XOrIOp>(x1, x2); }
Element bitwise_invert(Element x) { return bitwise_xor(x, integerLike(x, -1)); }
Element popcount(Element x) { return make<math::CtPopOp>(x); }
Element clz(Element x) { return make<math::CountLeadingZerosOp>(x); }

/// A divisor by which the machine can divide: 1 for 0, and for the -1 whose quotient wraps.
static Element safeDivisor(Element x1, Element x2) {
  const Element one = integerLike(x2, 1), isZero = equal(x2, integerLike(x2, 0));
  if (!is_signed(x1.dtype))
    return select(isZero, one, x2);
  const unsigned bits = x1.value.getType().getIntOrFloatBitWidth();
  const Element least = integerLike(x1, static_cast<int64_t>(uint64_t(-1) << (bits - 1)));
  const Element wraps = logical_and(equal(x2, integerLike(x2, -1)), equal(x1, least));
  return select(logical_or(isZero, wraps), one, x2);
}
/// Where the remainder of a division towards 0 has not the divisor's sign.
static Element isRoundedUp(Element rest, Element divisor) {
  const Element zero = integerLike(rest, 0);
  return logical_and(not_equal(rest, zero), less(bitwise_xor(rest, divisor), zero));
}
Element floor_divide(Element x1, Element x2) {
  if (isFloating(x1))
    return callMath("floor_divide", {x1, x2});
  const Element divisor = safeDivisor(x1, x2), zero = integerLike(x2, 0);
  if (!is_signed(x1.dtype))
    return select(equal(x2, zero), zero, make<arith::DivUIOp>(x1, divisor));
  const Element quotient = make<arith::DivSIOp>(x1, divisor), rest = make<arith::RemSIOp>(x1, divisor);
  const Element down = select(isRoundedUp(rest, divisor), subtract(quotient, integerLike(x1, 1)), quotient);
  return select(equal(x2, zero), zero, down);
}
Element remainder(Element x1, Element x2) {
  if (isFloating(x1))
    return callMath("remainder", {x1, x2});
  const Element divisor = safeDivisor(x1, x2), zero = integerLike(x2, 0);
  if (!is_signed(x1.dtype))
    return select(equal(x2, zero), zero, make<arith::RemUIOp>(x1, divisor));
  const Element rest = make<arith::RemSIOp>(x1, divisor);
  return select(equal(x2, zero), zero, select(isRoundedUp(rest, divisor), add(rest, divisor), rest));
}
Element fmod(Element x1, Element x2) {
  if (isFloating(x1))
    return callMath("fmod", {x1, x2});
  const Element divisor = safeDivisor(x1, x2), zero = integerLike(x2, 0);
  const Element rest = is_signed(x1.dtype) ? make<arith::RemSIOp>(x1, divisor) : make<arith::RemUIOp>(x1, divisor);
  return select(equal(x2, zero), zero, rest);
}

Element negative(Element x) {
  if (isComplex(x)) {
    const ComplexElement parts = partsOf(x);
    return joined(x, negative(parts.real), negative(parts.imag));
  }
  return isFloating(x) ? make<arith::NegFOp>(x) : subtract(like(x, 0), x);
}
Element conj(Element x) {
  const ComplexElement parts = partsOf(x);
  return joined(x, parts.real, negative(parts.imag));
}
Element abs(Element x) {
  if (isFloating(x))
    return make<math::AbsFOp>(x);
  return is_signed(x.dtype) ? select(less(x, like(x, 0)), negative(x), x) : x;
}
Element sqrt(Element x) { return make<math::SqrtOp>(x); }

Element copysign(Element x1, Element x2) { return make<math::CopySignOp>(x1, x2); }
/// What has no fraction stays.
template <class Op>
static Element rounded(Element x) {
  return isFloating(x) ? make<Op>(x) : x;
}
Element floor(Element x) { return rounded<math::FloorOp>(x); }
Element ceil(Element x) { return rounded<math::CeilOp>(x); }
Element trunc(Element x) { return rounded<math::TruncOp>(x); }
Element round(Element x) { return rounded<math::RoundEvenOp>(x); }
Element sign(Element x) {
  const Element zero = like(x, 0), one = like(x, 1);
  const Element above = select(less(zero, x), one, zero);
  if (!is_signed(x.dtype) && !isFloating(x))
    return above;
  const Element result = select(less(x, zero), like(x, -1), above);
  return isFloating(x) ? select(not_equal(x, x), x, result) : result;
}

/// The bits of a float, as an integer of its size, and back.
static Element bitsOf(Element x) {
  const unsigned width = x.value.getType().getIntOrFloatBitWidth();
  return x.with(arith::BitcastOp::create(x.b, x.loc, x.b.getIntegerType(width), x.value),
                width == 32 ? Dtype::i32 : Dtype::i64);
}
static Element floatOf(Element bits, Element like) {
  return like.with(arith::BitcastOp::create(like.b, like.loc, like.value.getType(), bits.value));
}
Element signbit(Element x) {
  const Element bits = bitsOf(x);
  return less(bits, integerLike(bits, 0));
}
Element nextafter(Element x1, Element x2) {
  const Element bits = bitsOf(x1), one = integerLike(bits, 1), zero = like(x1, 0);
  const Element grows = logical_not(logical_xor(less(x1, x2), less(zero, x1)));
  const Element next = floatOf(select(grows, add(bits, one), subtract(bits, one)), x1);
  const Element least = copysign(floatOf(one, x1), x2);
  const Element result = select(equal(x1, zero), least, next);
  const Element isNan = logical_or(not_equal(x1, x1), not_equal(x2, x2));
  return select(equal(x1, x2), x2, select(isNan, add(x1, x2), result));
}

static Element compare(Element x1, Element x2, arith::CmpFPredicate ofFloats, arith::CmpIPredicate ofSigned,
                       arith::CmpIPredicate ofUnsigned) {
  mlir::Value result;
  if (isFloating(x1))
    result = arith::CmpFOp::create(x1.b, x1.loc, ofFloats, x1.value, x2.value);
  else
    result = arith::CmpIOp::create(x1.b, x1.loc, is_signed(x1.dtype) ? ofSigned : ofUnsigned, x1.value, x2.value);
  return x1.with(result, Dtype::bool_);
}
Element equal(Element x1, Element x2) {
  if (isComplex(x1)) {
    const ComplexElement a = partsOf(x1), b = partsOf(x2);
    return logical_and(equal(a.real, b.real), equal(a.imag, b.imag));
  }
  return compare(x1, x2, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, arith::CmpIPredicate::eq);
}
Element not_equal(Element x1, Element x2) {
  if (isComplex(x1)) {
    const ComplexElement a = partsOf(x1), b = partsOf(x2);
    return logical_or(not_equal(a.real, b.real), not_equal(a.imag, b.imag));
  }
  return compare(x1, x2, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, arith::CmpIPredicate::ne);
}
Element less(Element x1, Element x2) {
  return compare(x1, x2, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, arith::CmpIPredicate::ult);
}
Element less_equal(Element x1, Element x2) {
  return compare(x1, x2, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle, arith::CmpIPredicate::ule);
}

Element logical_and(Element x1, Element x2) { return make<arith::AndIOp>(x1, x2); }
Element logical_or(Element x1, Element x2) { return make<arith::OrIOp>(x1, x2); }
Element logical_xor(Element x1, Element x2) { return make<arith::XOrIOp>(x1, x2); }
Element logical_not(Element x) {
  return make<arith::XOrIOp>(x, x.with(integerConstant(x.b, x.loc, x.value.getType(), 1)));
}

Element select(Element condition, Element yes, Element no) {
  if (isComplex(yes)) {
    const ComplexElement a = partsOf(yes), b = partsOf(no);
    return joined(yes, select(condition, a.real, b.real), select(condition, a.imag, b.imag));
  }
  return yes.with(arith::SelectOp::create(yes.b, yes.loc, condition.value, yes.value, no.value));
}
Element like(Element x, double number) {
  return x.with(
      arith::ConstantOp::create(x.b, x.loc, scalarConstant(x.b.getContext(), ScalarAttr::floating(number), x.dtype)));
}

Element callMath(StringRef function, ArrayRef<Element> operands) {
  SmallVector<mlir::Value> values;
  for (const Element &operand : operands)
    values.push_back(operand.value);
  const Element &x = operands.front();
  return x.with(ir::MathOp::create(x.b, x.loc, values.front().getType(), x.b.getStringAttr(function), values));
}

} // namespace tenon::compiler

//===- Scalar.cpp - the scalar bodies of elementwise ops ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/scalar/Scalar.h"

#include "dialect/ir/Bridge.h"
#include "lib/compiler/scalar/Element.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <utility>

using namespace mlir;
using tenon::Dtype, tenon::Kind, tenon::OpCode, tenon::ScalarAttr;
namespace compiler = tenon::compiler;
using namespace tenon::compiler;

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

mlir::Type compiler::memoryType(MLIRContext *context, Dtype dtype) {
  if (kind(dtype) >= Kind::floating && !is_narrow(dtype))
    return ir::elementType(context, dtype);
  return IntegerType::get(context, static_cast<unsigned>(8 * item_size(dtype)));
}

mlir::Type compiler::computeType(MLIRContext *context, Dtype dtype) {
  if (kind(dtype) == Kind::boolean)
    return IntegerType::get(context, 1);
  if (is_narrow(dtype) && !is_storage(dtype))
    return Float32Type::get(context);
  return memoryType(context, dtype);
}

Value compiler::integerConstant(OpBuilder &b, mlir::Location loc, mlir::Type type, int64_t value) {
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(), static_cast<uint64_t>(value), false, true)));
}
static Value floating(OpBuilder &b, mlir::Location loc, mlir::Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}
static Value compare(OpBuilder &b, mlir::Location loc, arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, loc, predicate, x, y);
}
static Value compare(OpBuilder &b, mlir::Location loc, arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, predicate, x, y);
}
static Value choose(OpBuilder &b, mlir::Location loc, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, loc, condition, yes, no);
}

compiler::Parts compiler::partsOf(OpBuilder &b, mlir::Location loc, Value x) {
  return {b.createOrFold<complex::ReOp>(loc, x), b.createOrFold<complex::ImOp>(loc, x)};
}
Value compiler::joinParts(OpBuilder &b, mlir::Location loc, Parts parts) {
  return complex::CreateOp::create(b, loc, ComplexType::get(parts.real.getType()), parts.real, parts.imag);
}

//===----------------------------------------------------------------------===//
// Narrow floats: what fromNarrow and toNarrow of runtime/math/Numbers.h do
//===----------------------------------------------------------------------===//

namespace {
/// Words of an element, as ops on it.
struct Words {
  OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;

  Value word(uint64_t value) { return integerConstant(b, loc, type, static_cast<int64_t>(value)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value add(Value x, uint64_t y) { return add(x, word(y)); }
  Value sub(Value x, uint64_t y) { return arith::SubIOp::create(b, loc, x, word(y)); }
  Value band(Value x, uint64_t y) { return arith::AndIOp::create(b, loc, x, word(y)); }
  Value bor(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value bor(Value x, uint64_t y) { return bor(x, word(y)); }
  Value shl(Value x, uint64_t y) { return arith::ShLIOp::create(b, loc, x, word(y)); }
  Value shr(Value x, uint64_t y) { return arith::ShRUIOp::create(b, loc, x, word(y)); }
  Value isBelow(Value x, uint64_t y) { return compare(b, loc, arith::CmpIPredicate::slt, x, word(y)); }
  Value isAbove(Value x, uint64_t y) { return compare(b, loc, arith::CmpIPredicate::sgt, x, word(y)); }
  Value pick(Value condition, Value yes, Value no) { return choose(b, loc, condition, yes, no); }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, type, x); }
  Value single(Value x) { return arith::BitcastOp::create(b, loc, b.getF32Type(), x); }
};
} // namespace

/// f32 of a narrow float's bits, exactly.
template <class F>
static Value widen(OpBuilder &b, mlir::Location loc, Value stored) {
  if constexpr (F::digits == 11) {
    Value half = arith::BitcastOp::create(b, loc, b.getF16Type(), stored);
    return arith::ExtFOp::create(b, loc, b.getF32Type(), half);
  }
  Words w{b, loc, b.getI32Type()};
  Value wide = arith::ExtUIOp::create(b, loc, w.type, stored);
  if constexpr (F::rebias == 0) {
    return w.single(w.shl(wide, F::dropped));
  } else {
    constexpr uint64_t lowest = F::rebias + 1;
    Value x = w.band(wide, F::magnitude), fraction = w.shl(x, F::dropped);
    Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(__builtin_bit_cast(float, uint32_t(lowest << 23))));
    Value small = arith::SubFOp::create(b, loc, w.single(w.add(fraction, lowest << 23)), one);
    Value result =
        w.pick(w.isBelow(x, 1 << (F::digits - 1)), w.bits(small), w.add(fraction, uint64_t(F::rebias) << 23));
    Value special = w.word(0x7fc00000);
    if constexpr (F::has_infinity) {
      special = w.bor(fraction, 0x7f800000);
      special = w.pick(w.isAbove(x, F::over), w.bor(special, 0x400000), special);
    }
    result = w.pick(w.isAbove(x, F::largest), special, result);
    Value sign = w.shl(w.band(wide, F::magnitude + 1), 32 - 8 * sizeof(F));
    return w.single(w.bor(result, sign));
  }
}

/// The bits of the narrow float next to an f32.
template <class F>
static Value narrow(OpBuilder &b, mlir::Location loc, Value x) {
  mlir::Type stored = b.getIntegerType(8 * sizeof(F));
  if constexpr (F::digits == 11) {
    // Rounded before, it is wider only for a while.
    auto widened = x.getDefiningOp<arith::ExtFOp>();
    Value half = widened && widened.getIn().getType().isF16()
                     ? widened.getIn()
                     : arith::TruncFOp::create(b, loc, b.getF16Type(), x).getResult();
    return arith::BitcastOp::create(b, loc, stored, half);
  }
  Words w{b, loc, b.getI32Type()};
  Value raw = w.bits(x), magnitude = w.band(raw, 0x7fffffff);
  Value odd = w.band(w.shr(magnitude, F::dropped), 1);
  Value result = w.shr(w.add(w.add(magnitude, (1u << (F::dropped - 1)) - 1), odd), F::dropped);
  if constexpr (F::rebias != 0) {
    constexpr uint64_t lowest = F::rebias + 1, magic = (lowest + F::dropped) << 23;
    result = w.sub(result, uint64_t(F::rebias) << (F::digits - 1));
    Value step = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(__builtin_bit_cast(float, uint32_t(magic))));
    Value small = w.sub(w.bits(arith::AddFOp::create(b, loc, w.single(magnitude), step)), magic);
    result = w.pick(w.isBelow(magnitude, lowest << 23), small, result);
    result = w.pick(w.isAbove(result, F::largest), w.word(F::over), result);
  }
  Value nan = w.word(F::magnitude);
  if constexpr (F::has_infinity)
    nan = w.bor(w.band(w.shr(magnitude, F::dropped), (1u << (F::digits - 1)) - 1), F::over | 1u << (F::digits - 2));
  result = w.pick(compare(b, loc, arith::CmpFPredicate::UNO, x, x), nan, result);
  result = w.bor(result, w.shl(w.shr(raw, 31), 8 * sizeof(F) - 1));
  return arith::TruncIOp::create(b, loc, stored, result);
}

/// What `make.operator()<F>()` gives for the narrow float F of the dtype.
template <class Make>
static Value ofNarrow(Dtype dtype, const Make &make) {
  return tenon::detail::visitDtype(dtype, [&]<Dtype D>() -> Value {
    if constexpr (is_narrow(D))
      return make.template operator()<typename tenon::detail::ElementOf<D>::type>();
    else
      llvm_unreachable("not a narrow float");
  });
}
static Value widen(OpBuilder &b, mlir::Location loc, Value stored, Dtype dtype) {
  return ofNarrow(dtype, [&]<class F>() { return widen<F>(b, loc, stored); });
}
static Value narrow(OpBuilder &b, mlir::Location loc, Value x, Dtype dtype) {
  return ofNarrow(dtype, [&]<class F>() { return narrow<F>(b, loc, x); });
}

/// f64 as the f32 that rounds to a narrow float as it would itself: see roundedToOdd
/// of Numbers.h.
static Value roundToOdd(OpBuilder &b, mlir::Location loc, Value x) {
  Words w{b, loc, b.getI32Type()};
  Value near = arith::TruncFOp::create(b, loc, b.getF32Type(), x);
  Value back = arith::ExtFOp::create(b, loc, b.getF64Type(), near);
  Value isPast =
      compare(b, loc, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, loc, back), math::AbsFOp::create(b, loc, x));
  Value isNot = compare(b, loc, arith::CmpFPredicate::UNE, back, x);
  Value bits = w.bits(near);
  bits = w.pick(isPast, w.sub(bits, 1), bits);
  return w.single(w.pick(isNot, w.bor(bits, 1), bits));
}

/// An integer of 32 or 64 bits as f64; what that does not hold leaves a last bit of 1.
static Value toDouble(OpBuilder &b, mlir::Location loc, Value x, bool isUnsigned) {
  if (x.getType().isInteger(64)) {
    Words w{b, loc, x.getType()};
    constexpr uint64_t most = uint64_t(1) << 53;
    Value isLost = compare(b, loc, arith::CmpIPredicate::ne, w.band(x, 0xfff), w.word(0));
    Value cut = w.bor(w.band(x, ~uint64_t(0xfff)), w.pick(isLost, w.word(0x1000), w.word(0)));
    if (isUnsigned)
      x = w.pick(compare(b, loc, arith::CmpIPredicate::ugt, x, w.word(most)), cut, x);
    else
      x = w.pick(w.isAbove(x, most), cut, w.pick(w.isBelow(x, -most), cut, x));
  }
  return isUnsigned ? arith::UIToFPOp::create(b, loc, b.getF64Type(), x).getResult()
                    : arith::SIToFPOp::create(b, loc, b.getF64Type(), x).getResult();
}

/// A number as the f32 that rounds to a narrow float as it would itself.
static Value singleOf(OpBuilder &b, mlir::Location loc, Value x, Dtype from) {
  if (kind(from) == Kind::integer && item_size(from) >= 4)
    return roundToOdd(b, loc, toDouble(b, loc, x, is_unsigned(from)));
  return from == Dtype::f64 ? roundToOdd(b, loc, x) : convertScalar(b, loc, x, from, Dtype::f32);
}

Value compiler::fromMemory(OpBuilder &b, mlir::Location loc, Dtype dtype, Value x) {
  if (dtype == Dtype::bool_)
    return compare(b, loc, arith::CmpIPredicate::ne, x, integerConstant(b, loc, b.getI8Type(), 0));
  return is_narrow(dtype) && !is_storage(dtype) ? widen(b, loc, x, dtype) : x;
}

Value compiler::toMemory(OpBuilder &b, mlir::Location loc, Dtype dtype, Value x) {
  if (dtype == Dtype::bool_)
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), x);
  if (!is_narrow(dtype) || is_storage(dtype))
    return x;
  if (dtype != Dtype::bf16)
    return narrow(b, loc, x, dtype);
  // It is rounded already: its lower half is zero.
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  bits = arith::ShRUIOp::create(b, loc, bits, integerConstant(b, loc, b.getI32Type(), 16));
  return arith::TruncIOp::create(b, loc, b.getIntegerType(16), bits);
}

// bf16 by integers, since the instruction that rounds to it takes denormals for zero.
Value compiler::roundToNarrow(OpBuilder &b, mlir::Location loc, Value x, Dtype dtype) {
  if (dtype != Dtype::bf16)
    return widen(b, loc, narrow(b, loc, x, dtype), dtype);
  mlir::Type i32 = b.getI32Type();
  auto word = [&](int64_t value) { return integerConstant(b, loc, i32, value); };
  Value bits = arith::BitcastOp::create(b, loc, i32, x);
  Value odd = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, word(16)), word(1));
  Value rounded = arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, bits, word(0x7fff)), odd);
  Value quiet = arith::OrIOp::create(b, loc, bits, word(0x400000));
  Value isNan = compare(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value chosen = choose(b, loc, isNan, quiet, rounded);
  chosen = arith::AndIOp::create(b, loc, chosen, word(0xffff0000));
  return arith::BitcastOp::create(b, loc, b.getF32Type(), chosen);
}

/// The number as C++ converts it: the front door has checked that it fits.
static double asDouble(ScalarAttr value) {
  return value.kind == Kind::floating ? value.asDouble() : static_cast<double>(value.asInt());
}
static int64_t asInteger(ScalarAttr value) {
  return value.kind == Kind::floating ? static_cast<int64_t>(value.asDouble()) : static_cast<int64_t>(value.words[0]);
}

/// An integer is rounded once.
static float asSingle(ScalarAttr value) {
  return value.kind == Kind::floating ? static_cast<float>(value.asDouble()) : static_cast<float>(value.asInt());
}
/// A narrow float is rounded once.
template <class F>
static F asNarrow(ScalarAttr value) {
  return value.kind == Kind::floating ? F(value.asDouble()) : F(value.asInt());
}

TypedAttr compiler::scalarConstant(MLIRContext *context, ScalarAttr value, Dtype dtype) {
  Builder b(context);
  mlir::Type type = computeType(context, dtype);
  if (dtype == Dtype::bool_)
    return b.getBoolAttr(value.asBool());
  const auto word = static_cast<uint64_t>(immediateWord(value, dtype));
  if (auto floating = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(floating.getFloatSemantics(), APInt(floating.getWidth(), word)));
  return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), word, false, /*implicitTrunc=*/true));
}

Value compiler::scalarValue(OpBuilder &b, mlir::Location loc, ScalarAttr value, Dtype dtype) {
  if (kind(dtype) != Kind::complex)
    return arith::ConstantOp::create(b, loc, scalarConstant(b.getContext(), value, dtype));
  const tenon::complex128_t number =
      value.kind == Kind::complex ? value.asComplex() : tenon::complex128_t{asDouble(value), 0};
  mlir::Type part = cast<ComplexType>(computeType(b.getContext(), dtype)).getElementType();
  return joinParts(b, loc, {floating(b, loc, part, number.real), floating(b, loc, part, number.imag)});
}

int64_t compiler::immediateWord(ScalarAttr value, Dtype dtype) {
  return tenon::detail::visitDtype(dtype, [&]<Dtype D>() -> int64_t {
    using T = typename tenon::detail::ElementOf<D>::type;
    if constexpr (kind(D) == Kind::boolean)
      return value.asBool();
    else if constexpr (is_storage(D))
      return asNarrow<T>(value).bits;
    else if constexpr (is_narrow(D))
      return __builtin_bit_cast(uint32_t, static_cast<float>(asNarrow<T>(value)));
    else if constexpr (D == Dtype::f32)
      return __builtin_bit_cast(uint32_t, asSingle(value));
    else if constexpr (D == Dtype::f64)
      return __builtin_bit_cast(int64_t, asDouble(value));
    else
      return asInteger(value);
  });
}

//===----------------------------------------------------------------------===//
// astype
//===----------------------------------------------------------------------===//

static bool isFloating(Dtype dtype) { return kind(dtype) == Kind::floating; }

/// Drops the fraction, saturates, NaN gives 0. What does not fit is replaced
/// before the conversion, which leaves it undefined.
static Value floatToInteger(OpBuilder &b, mlir::Location loc, Value x, Dtype to) {
  mlir::Type from = x.getType(), type = computeType(b.getContext(), to);
  const unsigned bits = type.getIntOrFloatBitWidth();
  const bool isSign = is_signed(to);
  const double past = std::ldexp(1.0, static_cast<int>(bits) - (isSign ? 1 : 0));
  const double low = isSign ? -past : 0;
  Value zero = floating(b, loc, from, 0);
  Value isHigh = compare(b, loc, arith::CmpFPredicate::OGE, x, floating(b, loc, from, past));
  // Between -1 and 0 an unsigned conversion would be undefined for some targets.
  Value isLow = compare(b, loc, arith::CmpFPredicate::OLT, x, floating(b, loc, from, low));
  Value isNan = compare(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value isOut = arith::OrIOp::create(b, loc, arith::OrIOp::create(b, loc, isHigh, isLow), isNan);
  Value inside = choose(b, loc, isOut, zero, x);
  Value result;
  if (bits < 32) {
    result = arith::FPToSIOp::create(b, loc, b.getI32Type(), inside);
    result = arith::TruncIOp::create(b, loc, type, result);
  } else if (isSign) {
    result = arith::FPToSIOp::create(b, loc, type, inside);
  } else {
    result = arith::FPToUIOp::create(b, loc, type, inside);
  }
  const int64_t highest = isSign ? static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1) : -1;
  result = choose(b, loc, isHigh, integerConstant(b, loc, type, highest), result);
  if (isSign)
    result =
        choose(b, loc, isLow, integerConstant(b, loc, type, static_cast<int64_t>(uint64_t(1) << (bits - 1))), result);
  return result;
}

Value compiler::convertScalar(OpBuilder &b, mlir::Location loc, Value x, Dtype from, Dtype to) {
  mlir::Type type = computeType(b.getContext(), to);
  if (from == to)
    return x;
  if (kind(to) == Kind::complex) {
    mlir::Type wanted = cast<ComplexType>(type).getElementType();
    auto part = [&](Value value, Dtype of) { return convertScalar(b, loc, value, of, *ir::dtypeOf(wanted)); };
    if (kind(from) != Kind::complex)
      return joinParts(b, loc, {part(x, from), floating(b, loc, wanted, 0)});
    const Parts parts = partsOf(b, loc, x);
    const Dtype of = *ir::dtypeOf(parts.real.getType());
    return joinParts(b, loc, {part(parts.real, of), part(parts.imag, of)});
  }
  if (is_storage(from))
    return convertScalar(b, loc, widen(b, loc, x, from), Dtype::f32, to);
  if (is_storage(to))
    return narrow(b, loc, singleOf(b, loc, x, from), to);
  if (is_narrow(to))
    return roundToNarrow(b, loc, singleOf(b, loc, x, from), to);
  if (to == Dtype::bool_)
    return isFloating(from) ? compare(b, loc, arith::CmpFPredicate::UNE, x, floating(b, loc, x.getType(), 0))
                            : compare(b, loc, arith::CmpIPredicate::ne, x, integerConstant(b, loc, x.getType(), 0));
  if (isFloating(from) && isFloating(to)) {
    const unsigned width = x.getType().getIntOrFloatBitWidth(), wanted = type.getIntOrFloatBitWidth();
    if (width < wanted)
      return arith::ExtFOp::create(b, loc, type, x);
    return width > wanted ? arith::TruncFOp::create(b, loc, type, x).getResult() : x;
  }
  if (isFloating(from))
    return floatToInteger(b, loc, x, to);
  if (isFloating(to)) {
    // An i1 counts as unsigned; small ones go through i32, where vectors have an instruction.
    const bool isSmall = x.getType().getIntOrFloatBitWidth() < 32;
    if (isSmall)
      x = is_signed(from) ? arith::ExtSIOp::create(b, loc, b.getI32Type(), x).getResult()
                          : arith::ExtUIOp::create(b, loc, b.getI32Type(), x).getResult();
    return is_unsigned(from) && !isSmall ? arith::UIToFPOp::create(b, loc, type, x).getResult()
                                         : arith::SIToFPOp::create(b, loc, type, x).getResult();
  }
  const unsigned width = x.getType().getIntOrFloatBitWidth(), wanted = type.getIntOrFloatBitWidth();
  if (width == wanted)
    return x;
  if (width > wanted)
    return arith::TruncIOp::create(b, loc, type, x);
  return is_signed(from) ? arith::ExtSIOp::create(b, loc, type, x).getResult()
                         : arith::ExtUIOp::create(b, loc, type, x).getResult();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace expressions {
#include "runtime/math/Expressions.gen.inc"
} // namespace expressions

/// Op::run of so many operands.
template <class Op, int count>
static Value runOn(const ScalarCall &c) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    return Op::run(Element{c.b, c.loc, c.x[I], c.dtypes[I]}...).value;
  }(std::make_integer_sequence<int, count>());
}

static Value lowerWhere(const ScalarCall &c) {
  const Dtype dtype = c.dtypes[1];
  return select({c.b, c.loc, c.x[0], Dtype::bool_}, {c.b, c.loc, c.x[1], dtype}, {c.b, c.loc, c.x[2], dtype}).value;
}
static Value lowerAstype(const ScalarCall &c) { return convertScalar(c.b, c.loc, c.x[0], c.dtypes[0], c.result); }
static Value lowerReal(const ScalarCall &c) { return partsOf(c.b, c.loc, c.x[0]).real; }
static Value lowerImag(const ScalarCall &c) { return partsOf(c.b, c.loc, c.x[0]).imag; }
static Value lowerComplex(const ScalarCall &c) { return joinParts(c.b, c.loc, {c.x[0], c.x[1]}); }

bool compiler::hasScalarBody(OpCode code) { return opInfo(code).isElementwise; }

Value compiler::lowerScalar(OpCode code, const ScalarCall &call) {
  Value result;
  switch (code) {
#define TENON_LOWER(op, Op, OfBool, count, ...)                                                                        \
  case OpCode::op:                                                                                                     \
    result = call.dtypes[0] == Dtype::bool_ ? runOn<expressions::OfBool, count>(call)                                  \
                                            : runOn<expressions::Op, count>(call);                                     \
    break;
#define TENON_ARITHMETIC TENON_LOWER
#define TENON_COMPARISON TENON_LOWER
#define TENON_MATH TENON_LOWER
#define TENON_BY_HAND(op, Stem)                                                                                        \
  case OpCode::op:                                                                                                     \
    result = lower##Stem(call);                                                                                        \
    break;
#include "runtime/math/Elementwise.gen.inc"
  default:
    return nullptr;
  }
  if (is_narrow(call.result) && !opInfo(code).isExact)
    result = roundToNarrow(call.b, call.loc, result, call.result);
  return result;
}

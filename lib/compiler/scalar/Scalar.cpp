//===- Scalar.cpp - the scalar bodies of elementwise ops ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/scalar/Scalar.h"

#include "dialect/ir/Bridge.h"
#include "lib/compiler/scalar/Element.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <utility>

using namespace mlir;
using tenon::Dtype, tenon::Kind, tenon::OpCode, tenon::ScalarAttr;
namespace compiler = tenon::compiler;
using namespace tenon::compiler;

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

mlir::Type compiler::memoryType(MLIRContext *context, Dtype dtype) {
  if (kind(dtype) == Kind::complex)
    return nullptr;
  if (kind(dtype) == Kind::floating && item_size(dtype) >= 4)
    return ir::elementType(context, dtype);
  return IntegerType::get(context, static_cast<unsigned>(8 * item_size(dtype)));
}

mlir::Type compiler::computeType(MLIRContext *context, Dtype dtype) {
  if (kind(dtype) == Kind::boolean)
    return IntegerType::get(context, 1);
  if (kind(dtype) == Kind::floating && item_size(dtype) < 4)
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

Value compiler::fromMemory(OpBuilder &b, mlir::Location loc, Dtype dtype, Value x) {
  if (dtype == Dtype::bool_)
    return compare(b, loc, arith::CmpIPredicate::ne, x, integerConstant(b, loc, b.getI8Type(), 0));
  if (dtype != Dtype::bf16)
    return x;
  Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), x);
  wide = arith::ShLIOp::create(b, loc, wide, integerConstant(b, loc, b.getI32Type(), 16));
  return arith::BitcastOp::create(b, loc, b.getF32Type(), wide);
}

Value compiler::toMemory(OpBuilder &b, mlir::Location loc, Dtype dtype, Value x) {
  if (dtype == Dtype::bool_)
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), x);
  if (dtype != Dtype::bf16)
    return x;
  // It is rounded already: its lower half is zero.
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  bits = arith::ShRUIOp::create(b, loc, bits, integerConstant(b, loc, b.getI32Type(), 16));
  return arith::TruncIOp::create(b, loc, b.getIntegerType(16), bits);
}

// Integers, since the instruction that rounds to bf16 takes denormals for zero.
Value compiler::roundToBfloat(OpBuilder &b, mlir::Location loc, Value x) {
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
static float asBfloat(ScalarAttr value) { return static_cast<float>(tenon::bfloat16(asSingle(value))); }

TypedAttr compiler::scalarConstant(MLIRContext *context, ScalarAttr value, Dtype dtype) {
  Builder b(context);
  mlir::Type type = computeType(context, dtype);
  switch (dtype) {
  case Dtype::bool_:
    return b.getBoolAttr(value.asBool());
  case Dtype::bf16:
    return FloatAttr::get(type, APFloat(asBfloat(value)));
  case Dtype::f32:
    return FloatAttr::get(type, APFloat(asSingle(value)));
  case Dtype::f64:
    return FloatAttr::get(type, APFloat(asDouble(value)));
  default:
    return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), static_cast<uint64_t>(asInteger(value)), false,
                                        /*implicitTrunc=*/true));
  }
}

int64_t compiler::immediateWord(ScalarAttr value, Dtype dtype) {
  switch (dtype) {
  case Dtype::bool_:
    return value.asBool();
  case Dtype::bf16:
    return __builtin_bit_cast(uint32_t, asBfloat(value));
  case Dtype::f32:
    return __builtin_bit_cast(uint32_t, asSingle(value));
  case Dtype::f64:
    return __builtin_bit_cast(int64_t, asDouble(value));
  default:
    return asInteger(value);
  }
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
  if (to == Dtype::bool_)
    return isFloating(from) ? compare(b, loc, arith::CmpFPredicate::UNE, x, floating(b, loc, x.getType(), 0))
                            : compare(b, loc, arith::CmpIPredicate::ne, x, integerConstant(b, loc, x.getType(), 0));
  if (isFloating(from) && isFloating(to)) {
    const unsigned width = x.getType().getIntOrFloatBitWidth(), wanted = type.getIntOrFloatBitWidth();
    if (width < wanted)
      x = arith::ExtFOp::create(b, loc, type, x);
    else if (width > wanted)
      x = arith::TruncFOp::create(b, loc, type, x);
    return to == Dtype::bf16 ? roundToBfloat(b, loc, x) : x;
  }
  if (isFloating(from))
    return floatToInteger(b, loc, x, to);
  if (isFloating(to)) {
    // An i1 counts as unsigned; small ones go through i32, where vectors have an instruction.
    const bool isSmall = x.getType().getIntOrFloatBitWidth() < 32;
    if (isSmall)
      x = is_signed(from) ? arith::ExtSIOp::create(b, loc, b.getI32Type(), x).getResult()
                          : arith::ExtUIOp::create(b, loc, b.getI32Type(), x).getResult();
    x = is_unsigned(from) && !isSmall ? arith::UIToFPOp::create(b, loc, type, x).getResult()
                                      : arith::SIToFPOp::create(b, loc, type, x).getResult();
    return to == Dtype::bf16 ? roundToBfloat(b, loc, x) : x;
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

static Value lowerWhere(const ScalarCall &c) { return arith::SelectOp::create(c.b, c.loc, c.x[0], c.x[1], c.x[2]); }
static Value lowerAstype(const ScalarCall &c) { return convertScalar(c.b, c.loc, c.x[0], c.dtypes[0], c.result); }

bool compiler::hasScalarBody(OpCode code, ArrayRef<Dtype> dtypes, Dtype result) {
  return opInfo(code).isElementwise && kind(result) != Kind::complex &&
         llvm::none_of(dtypes, [](Dtype dtype) { return kind(dtype) == Kind::complex; });
}

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
  if (call.result == Dtype::bf16 && !opInfo(code).isExact)
    result = roundToBfloat(call.b, call.loc, result);
  return result;
}

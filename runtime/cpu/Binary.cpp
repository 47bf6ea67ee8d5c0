//===- Binary.cpp - arithmetic of two operands -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 is computed in f32 and rounded by the store. A bool is a byte of 0 or 1:
// its sum is the larger, its product the smaller. Unsigned integers share the
// loops of signed ones where the bits are the same.
//===----------------------------------------------------------------------===//
#include "Loops.h"

namespace tenon::rt::TENON_ISA {
namespace {

struct Add {
  template <class V>
  [[gnu::always_inline]] static V run(V a, V b) {
    return math::add(a, b);
  }
};
struct Subtract {
  template <class V>
  [[gnu::always_inline]] static V run(V a, V b) {
    return math::subtract(a, b);
  }
};
struct Multiply {
  template <class V>
  [[gnu::always_inline]] static V run(V a, V b) {
    return math::multiply(a, b);
  }
};
struct Divide {
  template <class V>
  [[gnu::always_inline]] static V run(V a, V b) {
    return a / b;
  }
};
struct Maximum {
  template <class V>
  [[gnu::always_inline]] static V run(V a, V b) {
    return math::maximum(a, b);
  }
};
struct Minimum {
  template <class V>
  [[gnu::always_inline]] static V run(V a, V b) {
    return math::minimum(a, b);
  }
};
struct RightShift {
  template <class V>
  [[gnu::always_inline]] static V run(V a, V b) {
    return math::rightShift(a, b);
  }
};

struct ComplexAdd {
  [[gnu::always_inline]] static complex64 run(complex64 a, complex64 b) { return {a.real + b.real, a.imag + b.imag}; }
};
/// The plain formula; each product and each sum is rounded.
struct ComplexMultiply {
  [[gnu::always_inline]] static complex64 run(complex64 a, complex64 b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
};
template <class Op>
void complexLoop(const ElementwiseCall &call) {
  for (int64_t k = 0; k < call.n; ++k) {
    auto *a = static_cast<const complex64 *>(call.operands[0]) + k * call.strides[0][0];
    auto *b = static_cast<const complex64 *>(call.operands[1]) + k * call.strides[1][0];
    auto *result = static_cast<complex64 *>(call.result) + k * call.resultStrides[0];
    for (int64_t i = 0; i < call.m; ++i)
      result[i * call.resultStrides[1]] = Op::run(a[i * call.strides[0][1]], b[i * call.strides[1][1]]);
  }
}

/// Integers wrap, so that signed and unsigned have the same bits.
template <class Op>
ElementwiseKernel wrapping(Dtype dtype) {
  switch (dtype) {
  case Dtype::u8:
    return BinaryLoop<Op, Dtype::u8>::run;
  case Dtype::i32:
  case Dtype::u32:
    return BinaryLoop<Op, Dtype::u32>::run;
  case Dtype::i64:
    return BinaryLoop<Op, Dtype::i64>::run;
  default:
    return nullptr;
  }
}
template <class Op>
ElementwiseKernel floating(Dtype dtype) {
  switch (dtype) {
  case Dtype::bf16:
    return BinaryLoop<Op, Dtype::bf16>::run;
  case Dtype::f32:
    return BinaryLoop<Op, Dtype::f32>::run;
  case Dtype::f64:
    return BinaryLoop<Op, Dtype::f64>::run;
  default:
    return nullptr;
  }
}
template <class Op>
ElementwiseKernel arithmetic(Dtype dtype) {
  return kind(dtype) == Kind::integer ? wrapping<Op>(dtype) : floating<Op>(dtype);
}
/// Of ordered integers; bool as u8.
template <class Op>
ElementwiseKernel integral(Dtype dtype) {
  switch (dtype) {
  case Dtype::bool_:
  case Dtype::u8:
    return BinaryLoop<Op, Dtype::u8>::run;
  case Dtype::i32:
    return BinaryLoop<Op, Dtype::i32>::run;
  case Dtype::i64:
    return BinaryLoop<Op, Dtype::i64>::run;
  case Dtype::u32:
    return BinaryLoop<Op, Dtype::u32>::run;
  default:
    return nullptr;
  }
}
template <class Op>
ElementwiseKernel ordered(Dtype dtype) {
  return kind(dtype) == Kind::floating ? floating<Op>(dtype) : integral<Op>(dtype);
}

} // namespace

ElementwiseKernel binaryLoop(OpCode op, Dtype dtype) {
  const bool isBool = dtype == Dtype::bool_, isComplex = dtype == Dtype::c64;
  switch (op) {
  case OpCode::add:
    return isComplex ? complexLoop<ComplexAdd> : isBool ? integral<Maximum>(dtype) : arithmetic<Add>(dtype);
  case OpCode::subtract:
    return arithmetic<Subtract>(dtype);
  case OpCode::multiply:
    return isComplex ? complexLoop<ComplexMultiply> : isBool ? integral<Minimum>(dtype) : arithmetic<Multiply>(dtype);
  case OpCode::divide:
    return floating<Divide>(dtype);
  case OpCode::maximum:
    return ordered<Maximum>(dtype);
  case OpCode::minimum:
    return ordered<Minimum>(dtype);
  case OpCode::logical_and:
    return isBool ? integral<Minimum>(dtype) : nullptr;
  case OpCode::right_shift:
    return isBool ? nullptr : integral<RightShift>(dtype);
  default:
    return nullptr;
  }
}

} // namespace tenon::rt::TENON_ISA

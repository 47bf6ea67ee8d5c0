//===- Binary.cpp - arithmetic of two operands -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 is computed in f32 and rounded by the store. A bool is a byte of 0 or 1:
// its sum is the larger, its product the smaller. Unsigned integers share the
// loops of signed ones where the bits are the same.
//===----------------------------------------------------------------------===//
#include "Loops.h"

#include <utility>

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

/// Pairs of real and imaginary lanes. Explicit vectors: of the scalar formula
/// g++ 12's vectorizer makes fmaddsub, in spite of -ffp-contract=off.
using Pairs = Vec<float, math::nativeLanes<float>>;
constexpr int kPairs = math::lanes<Pairs> / 2;

struct ComplexAdd {
  [[gnu::always_inline]] static Pairs run(Pairs a, Pairs b) { return a + b; }
};
/// The plain formula; each product and each sum is rounded.
struct ComplexMultiply {
  [[gnu::always_inline]] static Pairs run(Pairs a, Pairs b) {
    using Index = Vec<int32_t, math::lanes<Pairs>>;
    const Index lane = math::laneIndex<Index>();
    const auto [real, imag, swapped] = [&]<int... I>(std::integer_sequence<int, I...>) {
      struct {
        Pairs real, imag, swapped;
      } parts = {__builtin_shufflevector(a, a, (I & ~1)...), __builtin_shufflevector(a, a, (I | 1)...),
                 __builtin_shufflevector(b, b, (I ^ 1)...)};
      return parts;
    }(std::make_integer_sequence<int, math::lanes<Pairs>>());
    const Pairs cross = imag * swapped;
    return real * b + math::select((lane & 1) == 0, -cross, cross);
  }
};
template <class Op>
void complexLoop(const ElementwiseCall &call) {
  const int64_t s1 = call.strides[0][1], s2 = call.strides[1][1], sr = call.resultStrides[1];
  for (int64_t k = 0; k < call.n; ++k) {
    // A number of eight bytes is moved as one.
    auto *a = static_cast<const uint64_t *>(call.operands[0]) + k * call.strides[0][0];
    auto *b = static_cast<const uint64_t *>(call.operands[1]) + k * call.strides[1][0];
    auto *result = static_cast<uint64_t *>(call.result) + k * call.resultStrides[0];
    using Words = Vec<uint64_t, kPairs>;
    int64_t i = 0;
    // Whole registers; one number beside an array is read once.
    if (sr == 1 && (s1 == 1 || s1 == 0) && (s2 == 1 || s2 == 0) && call.m >= kPairs) {
      const Words x = math::broadcast<Words>(*a), y = math::broadcast<Words>(*b);
      for (; i + kPairs <= call.m; i += kPairs)
        math::store<Words>(result + i,
                           math::bitCast<Words>(Op::run(math::bitCast<Pairs>(s1 ? math::load<Words>(a + i) : x),
                                                        math::bitCast<Pairs>(s2 ? math::load<Words>(b + i) : y))));
    }
    for (; i < call.m; i += kPairs) {
      const int64_t count = smaller<int64_t>(kPairs, call.m - i);
      uint64_t x[kPairs] = {}, y[kPairs] = {};
      gather(a + i * s1, s1, count, x);
      gather(b + i * s2, s2, count, y);
      const Pairs value =
          Op::run(math::bitCast<Pairs>(math::load<Words>(x)), math::bitCast<Pairs>(math::load<Words>(y)));
      math::store<Words>(x, math::bitCast<Words>(value));
      scatter(x, result + i * sr, sr, count);
    }
  }
}

/// Integers wrap, so that signed and unsigned have the same bits.
template <class Op>
ElementwiseKernel wrapping(Dtype dtype) {
  return chooseLoop<isInteger>(dtype, []<Dtype D>() { return BinaryLoop<Op, asUnsigned(D)>::run; });
}
template <class Op>
ElementwiseKernel floating(Dtype dtype) {
  return chooseLoop<isFloating>(dtype, []<Dtype D>() { return BinaryLoop<Op, D>::run; });
}
template <class Op>
ElementwiseKernel arithmetic(Dtype dtype) {
  return kind(dtype) == Kind::integer ? wrapping<Op>(dtype) : floating<Op>(dtype);
}
template <class Op>
ElementwiseKernel ordered(Dtype dtype) {
  return chooseLoop<isOrdered>(dtype, []<Dtype D>() { return BinaryLoop<Op, asNumber(D)>::run; });
}
template <class Op>
ElementwiseKernel integral(Dtype dtype) {
  return chooseLoop<isIntegral>(dtype, []<Dtype D>() { return BinaryLoop<Op, asNumber(D)>::run; });
}

} // namespace

ElementwiseKernel binaryLoop(OpCode op, Dtype dtype) {
  const bool isBool = dtype == Dtype::bool_, isComplex = kind(dtype) == Kind::complex;
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

//===- Unary.cpp - elementwise functions of one operand --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Loops.h"

namespace tenon::rt::TENON_ISA {
namespace {

struct Negative {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return math::negative(x);
  }
};
struct Abs {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return math::abs(x);
  }
};
struct Exp {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return math::exp(x);
  }
};
struct Log {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return math::log(x);
  }
};
struct Sqrt {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return math::sqrt(x);
  }
};
struct Tanh {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return math::tanh(x);
  }
};
struct Cbrt {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return math::cbrt(x);
  }
};

template <class Op>
ElementwiseKernel floating(Dtype dtype) {
  return chooseLoop<isFloating>(dtype, []<Dtype D>() { return UnaryLoop<Op, D>::run; });
}
template <class Op>
ElementwiseKernel numeric(Dtype dtype) {
  return chooseLoop<isReal>(dtype, []<Dtype D>() { return UnaryLoop<Op, D>::run; });
}

} // namespace

ElementwiseKernel unaryLoop(OpCode op, Dtype dtype) {
  switch (op) {
  case OpCode::negative:
    return numeric<Negative>(dtype);
  case OpCode::abs:
    return numeric<Abs>(dtype);
  case OpCode::exp:
    return floating<Exp>(dtype);
  case OpCode::log:
    return floating<Log>(dtype);
  case OpCode::sqrt:
    return floating<Sqrt>(dtype);
  case OpCode::tanh:
    return floating<Tanh>(dtype);
  case OpCode::cbrt:
    return floating<Cbrt>(dtype);
  default:
    return nullptr;
  }
}

} // namespace tenon::rt::TENON_ISA

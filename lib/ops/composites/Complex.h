//===- Complex.h - functions of complex numbers by their parts ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op on real numbers is of complex ones, as real ops on the parts. Formulas do
// not overflow or underflow where the result does not, and lose no digits near 0, 1 and
// the branch cuts; zeros, infinities and NaN are those of C99, Annex G. No derivative
// passes through the parts: vjpComplexFunction.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/ops/Door.h"

namespace tenon::detail {

struct ComplexParts {
  Array re, im;
};
using ComplexFormula = ComplexParts (*)(const ComplexParts &z);

// In ComplexExponential.cpp.
ComplexParts complexExp(const ComplexParts &z);
ComplexParts complexExp2(const ComplexParts &z);
ComplexParts complexExpm1(const ComplexParts &z);
ComplexParts complexLog(const ComplexParts &z);
ComplexParts complexLog1p(const ComplexParts &z);
ComplexParts complexLog2(const ComplexParts &z);
ComplexParts complexLog10(const ComplexParts &z);
ComplexParts complexSqrt(const ComplexParts &z);
ComplexParts complexPow(const ComplexParts &x, const ComplexParts &y);
/// z divided by its size, which is 0 of 0; of one infinite part and any other that of the part alone, as in NumPy.
ComplexParts complexSign(const ComplexParts &z);

// In ComplexTrigonometric.cpp.
ComplexParts complexSin(const ComplexParts &z);
ComplexParts complexCos(const ComplexParts &z);
ComplexParts complexTan(const ComplexParts &z);
ComplexParts complexSinh(const ComplexParts &z);
ComplexParts complexCosh(const ComplexParts &z);
ComplexParts complexTanh(const ComplexParts &z);
ComplexParts complexAsin(const ComplexParts &z);
ComplexParts complexAcos(const ComplexParts &z);
ComplexParts complexAtan(const ComplexParts &z);
ComplexParts complexAsinh(const ComplexParts &z);
ComplexParts complexAcosh(const ComplexParts &z);
ComplexParts complexAtanh(const ComplexParts &z);

/// Of two numbers by whether the parts are f32 or f64.
inline double byFormat(const Array &part, double single, double wide) {
  return part.dtype() == Dtype::f32 ? single : wide;
}

} // namespace tenon::detail

//===- Activations.cpp - activation functions, composed --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

/// 1 / (1 + e^-x), from the exponential of -|x|: neither it nor a derivative overflows. Of complex numbers the side on
/// which they are is that of the real part.
static Array sigmoidOf(const Array &x) {
  const Array isBelow = real(x) < 0, weight = exp(where(isBelow, x, -x));
  return where(isBelow, weight, 1) / (1 + weight);
}

/// x where it is above a bound at which what it is multiplied by is 0 in any dtype: -inf
/// times 0 is not a number. That factor is of x within bounds, so that its derivative, which
/// is 0 beyond, is not multiplied by an infinity.
static Array bounded(const Array &x) { return maximum(x, -800); }

/// A function of one float or complex number.
template <class F>
static Array ofNumber(const char *function, const Operand &x, F &&compute) {
  DoorScope scope(function, x.location(), {{"x", x}});
  const Floats floats(function, {&x}, Dtype::f32, OpCode::subtract);
  return floats.rounded(compute(floats[0]));
}

Array tenon::sigmoid(const Operand &x) { return ofNumber("sigmoid", x, sigmoidOf); }

Array tenon::logit(const Operand &operand) {
  return ofFloat("logit", operand, [](const Array &x) {
    // About 1/2 the difference of the logarithms would lose what it is made of. What is
    // not chosen must have a finite derivative.
    const Array isMiddle = x > 0.25 && x < 0.75;
    return where(isMiddle, 2 * atanh(2 * where(isMiddle, x, 0.5) - 1), log(x) - log1p(-x));
  });
}

Array tenon::softplus(const Operand &operand) {
  return ofFloat("softplus", operand, [](const Array &x) { return logaddexp(x, 0); });
}

Array tenon::log_sigmoid(const Operand &operand) {
  return ofFloat("log_sigmoid", operand, [](const Array &x) { return -logaddexp(-x, 0); });
}

Array tenon::log1mexp(const Operand &operand) {
  return ofFloat("log1mexp", operand, [](const Array &x) {
    const Array isNear = x < M_LN2;
    return where(isNear, log(-expm1(-where(isNear, x, 1))), log1p(-exp(-where(isNear, 1, x))));
  });
}

Array tenon::silu(const Operand &operand) {
  return ofNumber("silu", operand, [](const Array &x) {
    if (!isComplex(x))
      return bounded(x) * sigmoidOf(clip(x, -800, 800));
    const Array isLow = real(x) < -800, inside = where(isLow, 0, x);
    return where(isLow, 0, inside * sigmoidOf(inside));
  });
}

Array tenon::gelu(const Operand &operand, bool approximate) {
  return ofFloat("gelu", operand, [&](const Array &x) {
    // erfc is 0 or 2 long before.
    if (!approximate)
      return bounded(x) * 0.5 * erfc(clip(x, -800, 800) * -M_SQRT1_2);
    // Beyond 32 the sigmoid is 0 or 1, and the cube would overflow.
    const Array inner = clip(x, -32, 32);
    return bounded(x) * sigmoidOf(2 * M_2_SQRTPI * M_SQRT1_2 * (inner + 0.044715 * (inner * inner * inner)));
  });
}

Array tenon::mish(const Operand &operand) {
  return ofFloat("mish", operand, [](const Array &x) { return bounded(x) * tanh(logaddexp(clip(x, -800, 800), 0)); });
}

/// x above 0, else expm1 of x / alpha times `factor`; what is not chosen does not overflow.
static Array eluOf(const Array &x, double alpha, double factor) {
  const Array isAbove = x > 0, below = where(isAbove, 0, x);
  return where(isAbove, x, factor * expm1(alpha == 1 ? below : below / alpha));
}

Array tenon::elu(const Operand &operand, double alpha) {
  return ofFloat("elu", operand, [&](const Array &x) { return eluOf(x, 1, alpha); });
}

Array tenon::celu(const Operand &operand, double alpha) {
  return ofFloat("celu", operand, [&](const Array &x) {
    if (alpha == 0)
      refuse("celu", "expected an alpha other than 0, got 0", operand.location());
    return eluOf(x, alpha, alpha);
  });
}

Array tenon::selu(const Operand &operand) {
  return ofFloat("selu", operand, [](const Array &x) {
    return 1.0507009873554804934193349852946 * eluOf(x, 1, 1.6732632423543772848170429916717);
  });
}

Array tenon::leaky_relu(const Operand &operand, double slope) {
  return ofFloat("leaky_relu", operand, [&](const Array &x) { return where(x < 0, slope * x, x); });
}

/// 0 below 0, `top` above it; at both the derivative is 0.
static Array ramp(const Array &x, double top) { return where(x <= 0, 0, where(x >= top, top, x)); }

Array tenon::relu6(const Operand &operand) {
  return ofFloat("relu6", operand, [](const Array &x) { return ramp(x, 6); });
}

Array tenon::hard_tanh(const Operand &operand) {
  return ofFloat("hard_tanh", operand, [](const Array &x) { return where(x > 1, 1, where(x < -1, -1, x)); });
}

Array tenon::hard_sigmoid(const Operand &operand) {
  return ofFloat("hard_sigmoid", operand, [](const Array &x) { return ramp(x + 3, 6) / 6; });
}

Array tenon::hard_swish(const Operand &operand) {
  return ofFloat("hard_swish", operand, [](const Array &x) { return bounded(x) * (ramp(x + 3, 6) / 6); });
}

Array tenon::soft_sign(const Operand &operand) {
  return ofFloat("soft_sign", operand, [](const Array &x) {
    const Array finite = where(isinf(x), 0, x);
    return where(isinf(x), sign(x), finite / (1 + abs(finite)));
  });
}

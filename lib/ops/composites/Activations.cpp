//===- Activations.cpp - activation functions, composed --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/ops/composites/Floats.h"
#include "runtime/math/Selu.h"

#include <algorithm>
#include <cmath>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

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

/// x above 0, else expm1 of x / alpha times `factor`; what is not chosen does not overflow.
static Array eluOf(const Array &x, double alpha, double factor) {
  const Array isAbove = x > 0, below = where(isAbove, 0, x);
  return where(isAbove, x, factor * expm1(alpha == 1 ? below : below / alpha));
}

/// 0 below 0, `top` above it; at both the derivative is 0.
static Array ramp(const Array &x, double top) { return where(x <= 0, 0, where(x >= top, top, x)); }

/// x e^x may be normal where e^x is subnormal, so e^-|x| is a product of two roots. The derivative uses the same ones.
static Array siluOf(const Array &x, double) {
  const Array inner = clip(x, -800, 800), half = inner * 0.5, isBelow = inner < 0;
  const Array root = exp(where(isBelow, half, -half)), factor = where(isBelow, root, 1);
  return bounded(x) * factor * factor / (root * root + 1);
}

static Array geluOf(const Array &x, double) {
  // Beyond 32 the sigmoid is 0 or 1, and the cube would overflow.
  const Array inner = clip(x, -32, 32);
  return bounded(x) * sigmoidOf(2 * M_2_SQRTPI * M_SQRT1_2 * (inner + 0.044715 * (inner * inner * inner)));
}

/// erfc is 0 or 2 long before.
static Array geluOfErfc(const Array &x, double) { return bounded(x) * 0.5 * erfc(clip(x, -800, 800) * -M_SQRT1_2); }

static Array mishOf(const Array &x, double) { return bounded(x) * tanh(logaddexp(clip(x, -800, 800), 0)); }

static Array softSignOf(const Array &x, double) {
  const Array finite = where(isinf(x), 0, x);
  return where(isinf(x), sign(x), finite / (1 + abs(finite)));
}

namespace {
/// As runtime/kernels/cpu/Activations.cpp has it, to the bit.
struct Activation {
  std::string_view name;
  Array (*compute)(const Array &x, double number);
};
} // namespace

static const Activation activations[] = {
    {"sigmoid", [](const Array &x, double) { return sigmoidOf(x); }},
    {"log_sigmoid", [](const Array &x, double) { return -logaddexp(-x, 0); }},
    {"silu", siluOf},
    {"gelu", geluOf},
    {"gelu_of_erfc", geluOfErfc},
    {"mish", mishOf},
    {"elu", [](const Array &x, double alpha) { return eluOf(x, 1, alpha); }},
    {"celu", [](const Array &x, double alpha) { return eluOf(x, alpha, alpha); }},
    {"selu", [](const Array &x, double) { return math::seluScale * eluOf(x, 1, math::seluAlpha); }},
    {"leaky_relu", [](const Array &x, double slope) { return where(x < 0, slope * x, x); }},
    {"relu6", [](const Array &x, double) { return ramp(x, 6); }},
    {"hard_tanh", [](const Array &x, double) { return where(x > 1, 1, where(x < -1, -1, x)); }},
    {"hard_sigmoid", [](const Array &x, double) { return ramp(x + 3, 6) / 6; }},
    {"hard_swish", [](const Array &x, double) { return bounded(x) * (ramp(x + 3, 6) / 6); }},
    {"soft_sign", softSignOf},
};

Array tenon::decomposeActivation(std::span<const Array> operands, AttrWords attributes) {
  const auto [function, number] = ActivationAttrs::read(attributes);
  const auto *known = std::ranges::find(activations, function, &Activation::name);
  if (known == std::end(activations) || number.kind != Kind::floating)
    throw Error("expected the name of an activation and a floating number");
  return known->compute(operands[0], number.asDouble());
}

static Array bindActivation(const Array &x, std::string_view function, double number, Location at) {
  return bindComposite(CompositeId::activation, {x.value()},
                       Words(ActivationAttrs{function, ScalarAttr::floating(number)}), at);
}
/// `function` under the name that the user called; `number` is its parameter, if it has one.
static Array activation(const char *name, const Operand &operand, std::string_view function, double number = 0) {
  return ofFloat(name, operand,
                 [&](const Array &x) { return bindActivation(x, function, number, operand.location()); });
}
/// The function of that name, which is `ofComplex` of complex numbers.
template <class F>
static Array activationOfNumber(const char *name, const Operand &operand, F &&ofComplex) {
  DoorScope scope(name, operand.location(), {{"x", operand}});
  const Floats floats(name, {&operand}, Dtype::f32, OpCode::subtract);
  return floats.rounded(isComplex(floats[0]) ? ofComplex(floats[0])
                                             : bindActivation(floats[0], name, 0, operand.location()));
}

Array tenon::sigmoid(const Operand &x) { return activationOfNumber("sigmoid", x, sigmoidOf); }
Array tenon::log_sigmoid(const Operand &x) { return activation("log_sigmoid", x, "log_sigmoid"); }
Array tenon::silu(const Operand &operand) {
  return activationOfNumber("silu", operand, [](const Array &x) {
    const Array isLow = real(x) < -800, inside = where(isLow, 0, x);
    return where(isLow, 0, inside * sigmoidOf(inside));
  });
}
Array tenon::gelu(const Operand &x, bool approximate) {
  return activation("gelu", x, approximate ? "gelu" : "gelu_of_erfc");
}
Array tenon::mish(const Operand &x) { return activation("mish", x, "mish"); }
Array tenon::elu(const Operand &x, double alpha) { return activation("elu", x, "elu", alpha); }
Array tenon::celu(const Operand &x, double alpha) {
  if (alpha == 0) {
    DoorScope scope("celu", x.location(), {{"x", x}});
    refuse("celu", "expected an alpha other than 0, got 0", x.location());
  }
  return activation("celu", x, "celu", alpha);
}
Array tenon::selu(const Operand &x) { return activation("selu", x, "selu"); }
Array tenon::leaky_relu(const Operand &x, double slope) { return activation("leaky_relu", x, "leaky_relu", slope); }
Array tenon::relu6(const Operand &x) { return activation("relu6", x, "relu6"); }
Array tenon::hard_tanh(const Operand &x) { return activation("hard_tanh", x, "hard_tanh"); }
Array tenon::hard_sigmoid(const Operand &x) { return activation("hard_sigmoid", x, "hard_sigmoid"); }
Array tenon::hard_swish(const Operand &x) { return activation("hard_swish", x, "hard_swish"); }
Array tenon::soft_sign(const Operand &x) { return activation("soft_sign", x, "soft_sign"); }

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

Array tenon::log1mexp(const Operand &operand) {
  return ofFloat("log1mexp", operand, [](const Array &x) {
    const Array isNear = x < M_LN2;
    return where(isNear, log(-expm1(-where(isNear, x, 1))), log1p(-exp(-where(isNear, 1, x))));
  });
}

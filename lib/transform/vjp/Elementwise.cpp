//===- Elementwise.cpp - derivatives of elementwise ops ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/ops/Door.h"
#include "lib/transform/Rules.h"
#include "runtime/math/Selu.h"

#include <tenon/dtypes.h>

#include <algorithm>
#include <cmath>

namespace tenon {

/// An op that derivatives of others are made of. Its operands are broadcast: on a tape a number beside an array has
/// rank 0.
static Array derived(OpCode op, std::initializer_list<Array> operands) {
  Shape shape;
  for (const Array &operand : operands) {
    Shape both;
    if (const std::string error = broadcastShapes(shape, operand.shape(), both); !error.empty())
      throw InternalError(std::string(opInfo(op).name) + ": " + error, {});
    shape = both;
  }
  std::vector<Array> arrays;
  std::vector<detail::Value *> values;
  for (const Array &operand : operands) {
    arrays.push_back(detail::broadcast(operand, shape, {}));
    values.push_back(arrays.back().value());
  }
  return bindOne(op, values, {}, {});
}

void vjpAdd(VjpCall &call) {
  Array ct = call.cotangent();
  call.set(0, ct);
  call.set(1, ct);
}

void vjpSubtract(VjpCall &call) {
  Array ct = call.cotangent();
  call.set(0, ct);
  if (call.wanted(1))
    call.set(1, -ct);
}

void vjpMultiply(VjpCall &call) {
  Array ct = call.cotangent();
  for (int i : {0, 1})
    if (call.wanted(i))
      call.set(i, ct * call.operand(1 - i));
}

void vjpDivide(VjpCall &call) {
  // d(a / b) = da / b - (a / b) * db / b.
  Array ct = call.cotangent(), quotient = ct / call.operand(1);
  call.set(0, quotient);
  if (call.wanted(1))
    call.set(1, -(quotient * (call.operand(0) / call.operand(1))));
}

/// The cotangent goes to the operand that won, half to each at a tie.
static void chooseOne(VjpCall &call, bool smaller) {
  Array ct = call.cotangent();
  const Array &x1 = call.operand(0), &x2 = call.operand(1);
  Array tie = equal(x1, x2), half = ct * 0.5f;
  for (int i : {0, 1}) {
    if (!call.wanted(i))
      continue;
    Array lost = (i == 0) == smaller ? less_equal(x2, x1) : less_equal(x1, x2);
    call.set(i, where(tie, half, where(lost, 0.0f, ct)));
  }
}
/// Of the divisor it is how often the rest has been made smaller by it.
void vjpRemainder(VjpCall &call) {
  const Array ct = call.cotangent();
  call.set(0, ct);
  if (call.wanted(1))
    call.set(1, -(ct * floor_divide(call.operand(0), call.operand(1))));
}
void vjpFmod(VjpCall &call) {
  const Array ct = call.cotangent();
  call.set(0, ct);
  if (call.wanted(1))
    call.set(1, -(ct * round((call.operand(0) - call.result()) / call.operand(1))));
}

void vjpMaximum(VjpCall &call) { chooseOne(call, false); }
void vjpMinimum(VjpCall &call) { chooseOne(call, true); }

void vjpNegative(VjpCall &call) { call.set(0, -call.cotangent()); }

void vjpAbs(VjpCall &call) {
  Array ct = call.cotangent();
  const Array &x = call.operand(0);
  call.set(0, where(equal(x, 0.0f), 0.0f, where(less_equal(x, 0.0f), -ct, ct)));
}

void vjpCopysign(VjpCall &call) {
  const Array ct = call.cotangent();
  const Array same = signbit(call.operand(0)) == signbit(call.operand(1));
  call.set(0, where(same, ct, -ct));
}

void vjpExp(VjpCall &call) { call.set(0, call.cotangent() * call.result()); }

void vjpLog(VjpCall &call) { call.set(0, call.cotangent() / call.operand(0)); }

void vjpLog1p(VjpCall &call) { call.set(0, call.cotangent() / (1.0f + call.operand(0))); }

/// It is x1 but for the last bit, or x2.
void vjpNextafter(VjpCall &call) {
  const Array ct = call.cotangent(), same = call.operand(0) == call.operand(1);
  call.set(0, where(same, 0.0f, ct));
  if (call.wanted(1))
    call.set(1, where(same, ct, 0.0f));
}

void vjpExp2(VjpCall &call) {
  // 2^x may overflow where its derivative does not, so 1 is subtracted from x, which is exact for x > 1.
  const Array &x = call.operand(0), isLarge = real(x) > 1.0f;
  const Array power = exp2(where(isLarge, x - 1.0f, x));
  call.set(0, call.cotangent() * where(isLarge, power * 0x1.62e42fefa39efp+0, power * 0x1.62e42fefa39efp-1));
}
void vjpExpm1(VjpCall &call) { call.set(0, call.cotangent() * exp(call.operand(0))); }
void vjpLog2(VjpCall &call) { call.set(0, call.cotangent() / (call.operand(0) * 0x1.62e42fefa39efp-1)); }
void vjpLog10(VjpCall &call) { call.set(0, call.cotangent() / (call.operand(0) * 0x1.26bb1bbb55516p+1)); }

void vjpSin(VjpCall &call) { call.set(0, call.cotangent() * cos(call.operand(0))); }
void vjpCos(VjpCall &call) { call.set(0, -(call.cotangent() * sin(call.operand(0)))); }
void vjpTan(VjpCall &call) { call.set(0, call.cotangent() * (call.result() * call.result() + 1.0f)); }
/// 1 - x^2, without what squaring loses near 1. Of complex numbers a branch cut may pass here: the
/// sign of an imaginary part 0 is kept, which 1 - x and 1 + x have not.
static Array fromCircle(const Array &x) {
  return detail::isComplex(x) ? -((x - 1.0f) * (x - -1.0f)) : (1.0f - x) * (1.0f + x);
}
void vjpAsin(VjpCall &call) { call.set(0, call.cotangent() / sqrt(fromCircle(call.operand(0)))); }
void vjpAcos(VjpCall &call) { call.set(0, -(call.cotangent() / sqrt(fromCircle(call.operand(0))))); }
void vjpAtan(VjpCall &call) {
  const Array &x = call.operand(0);
  call.set(0, call.cotangent() / (x * x + 1.0f));
}
void vjpSinh(VjpCall &call) { call.set(0, call.cotangent() * cosh(call.operand(0))); }
void vjpCosh(VjpCall &call) { call.set(0, call.cotangent() * sinh(call.operand(0))); }
void vjpAsinh(VjpCall &call) {
  const Array &x = call.operand(0);
  call.set(0, call.cotangent() / (detail::isComplex(x) ? sqrt(x * x - -1.0f) : hypot(x, 1.0f)));
}
void vjpAcosh(VjpCall &call) {
  // Two roots: the product of what is under them may overflow.
  const Array &x = call.operand(0);
  call.set(0, call.cotangent() / (sqrt(x - 1.0f) * sqrt(x - -1.0f)));
}
void vjpAtanh(VjpCall &call) { call.set(0, call.cotangent() / fromCircle(call.operand(0))); }

/// The derivative of erf.
static Array bell(const Array &x) { return derived(OpCode::gaussian, {x}) * 0x1.20dd750429b6dp+0; }
void vjpErf(VjpCall &call) { call.set(0, call.cotangent() * bell(call.operand(0))); }
void vjpErfc(VjpCall &call) { call.set(0, -(call.cotangent() * bell(call.operand(0)))); }
void vjpErfInv(VjpCall &call) {
  // The error of y, which e^(y^2) multiplies, is removed by Newton's step to the y whose erfc is 1 - |x|.
  const Array &x = call.operand(0), isEnd = isinf(call.result()), y = where(isEnd, 0.0f, call.result()), size = abs(y);
  const Array slope = 0x1.c5bf891b4ef6ap-1 / derived(OpCode::gaussian, {y});
  const Array step = 2.0f * size * ((erfc(size) - (1.0f - abs(x))) * slope);
  call.set(0, call.cotangent() * where(isEnd, INFINITY, slope * (stop_gradient(step) + 1.0f)));
}
void vjpGaussian(VjpCall &call) { call.set(0, call.cotangent() * (call.operand(0) * -2.0f * call.result())); }

void vjpLgamma(VjpCall &call) { call.set(0, call.cotangent() * digamma(call.operand(0))); }
void vjpDigamma(VjpCall &call) { call.set(0, call.cotangent() * trigamma(call.operand(0))); }
void vjpTrigamma(VjpCall &call) { call.set(0, call.cotangent() * polygamma(2, call.operand(0))); }
void vjpI0e(VjpCall &call) {
  const Array &x = call.operand(0);
  call.set(0, -(call.cotangent() * (sign(x) * derived(OpCode::bessel_difference, {x}))));
}
/// i1e(x) / x, which rounds to one half where |x| is less than the dtype's epsilon; i1e may be subnormal there.
static Array perOperand(const Array &y, const Array &x) {
  const Array isSmall = abs(x) < finfo(x.dtype()).eps;
  return where(isSmall, 0.5f, y / where(isSmall, 1.0f, x));
}
/// I1' is I0 - I1 / x.
void vjpI1e(VjpCall &call) {
  const Array &x = call.operand(0);
  call.set(0, call.cotangent() * (derived(OpCode::bessel_difference, {x}) - perOperand(call.result(), x)));
}
void vjpBesselDifference(VjpCall &call) {
  const Array &x = call.operand(0);
  call.set(0, call.cotangent() * (sign(x) * (perOperand(i1e(x), x) - 2.0f * call.result())));
}
void vjpI0(VjpCall &call) {
  const Array &x = call.operand(0);
  call.set(0, call.cotangent() * detail::bindComposite(CompositeId::i1, {x.value()}, {}, call.at));
}
void vjpI1(VjpCall &call) {
  const Array &x = call.operand(0), isNear = abs(x) < 0.5f;
  // Near 0 the power series of I1(x) / x, whose derivatives are right at 0 too.
  const Array square = where(isNear, x * x * 0.25f, 0.0f);
  Array series = square / 72.0f + 1.0f;
  for (const float divisor : {56.0f, 42.0f, 30.0f, 20.0f, 12.0f, 6.0f, 2.0f})
    series = series * (square / divisor) + 1.0f;
  const Array share = where(isNear, 0.5f * series, call.result() / where(isNear, 1.0f, x));
  call.set(0, call.cotangent() * (i0(x) - share));
}

/// Of igamma, and with `ct` negated of igammac.
static void incompleteGamma(VjpCall &call, const Array &ct) {
  const Array &a = call.operand(0), &x = call.operand(1);
  if (call.wanted(0))
    call.set(0, ct * igamma_grad_a(a, x));
  if (call.wanted(1))
    call.set(1, ct * derived(OpCode::gamma_density, {a, x}));
}
void vjpIgamma(VjpCall &call) { incompleteGamma(call, call.cotangent()); }
void vjpIgammac(VjpCall &call) { incompleteGamma(call, -call.cotangent()); }
/// By x it is the density of a - 1 less its own; that of a below 2 as a quotient, as a - 1 has no logarithm at 1.
void vjpGammaDensity(VjpCall &call) {
  const Array ct = call.cotangent();
  const Array &a = call.operand(0), &x = call.operand(1), &y = call.result();
  if (call.wanted(0))
    call.set(0, ct * (y * (log(x) - digamma(a))));
  if (call.wanted(1)) {
    const Array isLarge = a >= 2.0f, isPlain = isLarge || (x == 0.0f && a == 1.0f);
    const Array quotient = y * ((a - 1.0f) / where(isPlain, 1.0f, x));
    const Array other = derived(OpCode::gamma_density, {where(isLarge, a - 1.0f, 1.0f), x});
    call.set(1, ct * (where(isLarge, other, quotient) - y));
  }
}
/// Throws where a derivative is wanted by one of the first `count` operands, which has no formula.
static void refuseFirst(const VjpCall &call, int count, const char *sentence) {
  for (int i = 0; i < count; ++i)
    if (call.wanted(i))
      throw Error(sentence, call.at);
}
void vjpBetainc(VjpCall &call) {
  const Array ct = call.cotangent();
  const Array &a = call.operand(0), &b = call.operand(1), &x = call.operand(2);
  if (call.wanted(0))
    call.set(0, ct * betainc_grad_a(a, b, x));
  if (call.wanted(1))
    call.set(1, ct * betainc_grad_b(a, b, x));
  if (call.wanted(2))
    call.set(2, ct * derived(OpCode::beta_density, {a, b, x}));
}
void vjpBetaDensity(VjpCall &call) {
  const Array ct = call.cotangent();
  const Array &a = call.operand(0), &b = call.operand(1), &x = call.operand(2), &y = call.result();
  if (call.wanted(0))
    call.set(0, ct * (y * (log(x) - digamma(a) + digamma(a + b))));
  if (call.wanted(1))
    call.set(1, ct * (y * (log1p(-x) - digamma(b) + digamma(a + b))));
  if (call.wanted(2))
    call.set(2, ct * (y * ((a - 1.0f) / x - (b - 1.0f) / (1.0f - x))));
}
void vjpZeta(VjpCall &call) {
  refuseFirst(call, 1, "zeta: no derivative with respect to x, only with respect to q");
  const Array &x = call.operand(0);
  call.set(1, -(call.cotangent() * (x * zeta(x + 1.0f, call.operand(1)))));
}
void vjpPolygamma(VjpCall &call) {
  refuseFirst(call, 1, "polygamma: no derivative with respect to n, only with respect to x");
  call.set(1, call.cotangent() * polygamma(call.operand(0) + 1.0f, call.operand(1)));
}

/// log(x) times the factors one by one, and 0 where x is 0: there a power, which may be infinite, does not move with
/// its exponent.
static Array timesLogOfBase(const Array &x, const Array &factor, const Array &another = {}) {
  const Array isZero = x == 0.0f, product = factor * log(where(isZero, 1.0f, x));
  return where(isZero, 0.0f, another.has_value() ? product * another : product);
}
static void complexPow(VjpCall &call) {
  const Array ct = call.cotangent();
  const Array &x = call.operand(0), &y = call.operand(1);
  // Of a power 0 of 0 no derivative passes by the base.
  if (call.wanted(0))
    call.set(0, ct * (y * pow(where(x == 0.0f && y == 0.0f, 1.0f, x), y - 1.0f)));
  if (call.wanted(1))
    call.set(1, ct * timesLogOfBase(x, call.result()));
}
void vjpPow(VjpCall &call) {
  const Array &x = call.operand(0), &y = call.operand(1);
  if (detail::isComplex(x))
    return complexPow(call);
  if (call.wanted(0))
    call.set(0, call.cotangent() * derived(OpCode::power_slope, {x, y}));
  if (call.wanted(1)) {
    // Two factors: the power may underflow where its product with a logarithm does not.
    const Array root = pow(x, y * 0.5f);
    call.set(1, call.cotangent() * timesLogOfBase(x, root, root));
  }
}
void vjpPowerSlope(VjpCall &call) {
  const Array ct = call.cotangent();
  const Array &x = call.operand(0), &y = call.operand(1), before = y - 1.0f;
  // Of a power 0 of 0 no derivative passes by the base.
  if (call.wanted(0))
    call.set(0, ct * (y * derived(OpCode::power_slope, {where(x == 0.0f && y == 0.0f, 1.0f, x), before})));
  if (call.wanted(1))
    call.set(1, ct * (pow(x, before) + timesLogOfBase(x, call.result())));
}
void vjpHypot(VjpCall &call) {
  // The length of a quarter does not overflow. By an infinite operand the derivative is 1 or -1, and where both are
  // zero it is 0. No quotient is NaN: that would reach second derivatives.
  const Array isLong = isinf(call.result());
  const auto part = [&](int i) { return where(isLong, call.operand(i) * 0.25f, call.operand(i)); };
  const Array parts[] = {part(0), part(1)}, length = hypot(parts[0], parts[1]);
  const Array divisor = where(length == 0.0f, 1.0f, length);
  const double largest = finfo(call.resultTypes[0].dtype).max;
  for (int i : {0, 1})
    if (call.wanted(i)) {
      const Array &x = call.operand(i);
      call.set(i, call.cotangent() * where(isinf(x), sign(x), clip(parts[i], -largest, largest) / divisor));
    }
}
void vjpLogaddexp(VjpCall &call) {
  const Array &x1 = call.operand(0), &x2 = call.operand(1);
  if (call.wanted(0))
    call.set(0, call.cotangent() * derived(OpCode::logistic_difference, {x1, x2}));
  if (call.wanted(1))
    call.set(1, call.cotangent() * derived(OpCode::logistic_difference, {x2, x1}));
}
void vjpLogisticDifference(VjpCall &call) {
  const Array other = derived(OpCode::logistic_difference, {call.operand(1), call.operand(0)});
  const Array slope = call.cotangent() * (call.result() * other);
  call.set(0, slope);
  if (call.wanted(1))
    call.set(1, -slope);
}

void vjpSqrt(VjpCall &call) { call.set(0, call.cotangent() * 0.5f / call.result()); }

void vjpTanh(VjpCall &call) {
  const Array &x = call.operand(0);
  call.set(0, call.cotangent() *
                  (detail::isComplex(x) ? 1.0f - call.result() * call.result() : derived(OpCode::sech_squared, {x})));
}
void vjpSechSquared(VjpCall &call) { call.set(0, call.cotangent() * (tanh(call.operand(0)) * -2.0f * call.result())); }

void vjpCbrt(VjpCall &call) {
  const Array &y = call.result();
  call.set(0, call.cotangent() / (3.0f * y * y));
}

void vjpAtan2(VjpCall &call) {
  // Two quotients: the square of the length may overflow or underflow.
  const Array &y = call.operand(0), &x = call.operand(1), length = hypot(x, y);
  const Array ct = call.cotangent();
  call.set(0, ct * (x / length / length));
  if (call.wanted(1))
    call.set(1, -(ct * (y / length / length)));
}

void vjpRelu(VjpCall &call) { call.set(0, where(less_equal(call.result(), 0.0f), 0.0f, call.cotangent())); }

void vjpClip(VjpCall &call) {
  // Where the bounds have crossed, hi is the result.
  Array ct = call.cotangent();
  const Array &x = call.operand(0), &lo = call.operand(1), &hi = call.operand(2);
  if (call.wanted(0))
    call.set(0, where(logical_and(less_equal(lo, x), less_equal(x, hi)), ct, 0.0f));
  if (call.wanted(1))
    call.set(1, where(logical_and(less(x, lo), less_equal(lo, hi)), ct, 0.0f));
  if (call.wanted(2))
    call.set(2, where(logical_or(less(hi, x), less(hi, lo)), ct, 0.0f));
}

void vjpFma(VjpCall &call) {
  Array ct = call.cotangent();
  if (call.wanted(0))
    call.set(0, ct * call.operand(1));
  if (call.wanted(1))
    call.set(1, ct * call.operand(0));
  call.set(2, ct);
}

void vjpWhere(VjpCall &call) {
  Array ct = call.cotangent();
  if (call.wanted(1))
    call.set(1, where(call.operand(0), ct, 0.0f));
  if (call.wanted(2))
    call.set(2, where(call.operand(0), 0.0f, ct));
}

void vjpAstype(VjpCall &call) {
  const Type &from = call.operandTypes[0];
  const Array ct = call.cotangent();
  call.set(0, astype(kind(from.dtype) == Kind::complex ? ct : real(ct), from.dtype));
}

// Of complex numbers the cotangents are JAX's: those of a linear function over the complex
// numbers are multiplied by its factor, and not by the factor's conjugate.
void vjpReal(VjpCall &call) { call.set(0, complex(call.cotangent(), 0.0f)); }
void vjpImag(VjpCall &call) { call.set(0, complex(0.0f, -call.cotangent())); }
void vjpComplex(VjpCall &call) {
  const Array ct = call.cotangent();
  if (call.wanted(0))
    call.set(0, real(ct));
  if (call.wanted(1))
    call.set(1, -imag(ct));
}
void vjpConj(VjpCall &call) { call.set(0, conj(call.cotangent())); }

/// The names of functions are those of ops, whose rules hold for complex numbers too.
void vjpComplexFunction(VjpCall &call) {
  const OpInfo *function = findOp(ComplexFunctionAttrs::read(call.attributes).function);
  vjpRule(static_cast<OpCode>(function->code))(call);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// Clamps x to bounds beyond which the derivative is exactly 0 or 1 in every dtype; it avoids `0 * inf = NaN`. Unlike
/// that of clip, the derivative at NaN is 1, so that NaN reaches the second derivative.
static Array bounded(const Array &x, double bound = 800) {
  return where(x < -bound, -bound, where(x > bound, bound, x));
}

/// e^-|x|, where `isBelow` says where x is negative. Unlike abs it has a derivative at 0.
static Array decay(const Array &x, const Array &isBelow) { return exp(where(isBelow, x, -x)); }

static Array slopeOfSigmoid(const Array &x) {
  const Array weight = decay(x, x < 0.0f), total = weight + 1.0f;
  return weight / (total * total);
}

static Array slopeOfSilu(const Array &given) {
  // x e^x may be normal where e^x is subnormal, so e^x is a product of two roots.
  const Array x = bounded(given), isBelow = x < 0.0f, root = decay(x * 0.5f, isBelow), weight = root * root;
  const Array total = weight + 1.0f;
  return where(isBelow, root * (root * (total + x)), weight * (x + 1.0f) + 1.0f) / (total * total);
}

/// The derivative of x sigmoid(u) for the polynomial u that the function computes.
static Array slopeOfGelu(const Array &given) {
  constexpr double scale = 2 * M_2_SQRTPI * M_SQRT1_2, cubic = 0.044715;
  const Array x = bounded(given, 32), square = x * x, u = scale * (x + cubic * (square * x)), isBelow = u < 0.0f;
  const Array weight = decay(u, isBelow), total = weight + 1.0f, moved = x * (3 * scale * cubic * square + scale);
  return where(isBelow, weight * (total + moved), weight * (moved + 1.0f) + 1.0f) / (total * total);
}

/// The normal distribution function, and x times its density: two factors e^(-x^2 / 4), since x / 2 is exact and a
/// factor is normal where the product with x is.
static Array slopeOfGeluByErfc(const Array &given) {
  const Array x = bounded(given), factor = derived(OpCode::gaussian, {x * 0.5f});
  return erfc(x * -M_SQRT1_2) * 0.5f + x * factor * (factor * (M_2_SQRTPI * M_SQRT1_2 / 2));
}

/// With w = e^x, mish is x (w^2 + 2 w) / (w^2 + 2 w + 2); with w = e^-x, x (1 + 2 w) / (1 + 2 w + 2 w^2).
static Array slopeOfMish(const Array &given) {
  const Array x = bounded(given), isBelow = x < 0.0f, root = decay(x * 0.5f, isBelow), w = root * root;
  const Array line = (x + 1.0f) * 4.0f, next = line + 2.0f;
  const Array below = root * (root * (w * (w * (w + 4.0f) + next) + line));
  const Array above = w * (w * (w * line + next) + 4.0f) + 1.0f;
  const Array total = where(isBelow, w * (w + 2.0f) + 2.0f, w * (w * 2.0f + 2.0f) + 1.0f);
  return where(isBelow, below, above) / (total * total);
}

static Array slopeOfElu(const Array &x, double alpha) {
  const Array isAbove = x > 0.0f;
  return where(isAbove, 1.0f, exp(where(isAbove, 0.0f, x)) * alpha);
}

static Array slopeOfCelu(const Array &x, double alpha) {
  // What the rounded quotient x / alpha lost is 0 or small: a factor 1 + lost replaces the exponential of it.
  const Array isAbove = x > 0.0f, below = where(isAbove, 0.0f, maximum(x, -800 * std::abs(alpha)));
  const Array quotient = below / alpha, lost = fma(-quotient, alpha, below) / alpha;
  return where(isAbove, 1.0f, exp(quotient) * (stop_gradient(lost) + 1.0f));
}

static Array slopeOfSoftSign(const Array &x) {
  const Array share = 1.0f / (abs(x) + 1.0f);
  return share * share;
}

/// `inside` where 0 < y < 6, and 0 elsewhere.
static Array onRamp(const Array &y, const Array &inside) { return where(y <= 0.0f || y >= 6.0f, 0.0f, inside); }

namespace {
/// The cotangent of x; `number` is the function's parameter.
struct ActivationRule {
  std::string_view function;
  Array (*apply)(const Array &ct, const Array &x, double number);
};
} // namespace

static const ActivationRule activationRules[] = {
    {"sigmoid", [](const Array &ct, const Array &x, double) { return ct * slopeOfSigmoid(x); }},
    {"log_sigmoid", [](const Array &ct, const Array &x, double) { return ct * sigmoid(-x); }},
    {"silu", [](const Array &ct, const Array &x, double) { return ct * slopeOfSilu(x); }},
    {"gelu", [](const Array &ct, const Array &x, double) { return ct * slopeOfGelu(x); }},
    {"gelu_of_erfc", [](const Array &ct, const Array &x, double) { return ct * slopeOfGeluByErfc(x); }},
    {"mish", [](const Array &ct, const Array &x, double) { return ct * slopeOfMish(x); }},
    {"elu", [](const Array &ct, const Array &x, double alpha) { return ct * slopeOfElu(x, alpha); }},
    {"celu", [](const Array &ct, const Array &x, double alpha) { return ct * slopeOfCelu(x, alpha); }},
    {"selu",
     [](const Array &ct, const Array &x, double) { return ct * (slopeOfElu(x, math::seluAlpha) * math::seluScale); }},
    {"leaky_relu", [](const Array &ct, const Array &x, double slope) { return where(x < 0.0f, ct * slope, ct); }},
    {"relu6", [](const Array &ct, const Array &x, double) { return onRamp(x, ct); }},
    {"hard_tanh", [](const Array &ct, const Array &x, double) { return where(x > 1.0f || x < -1.0f, 0.0f, ct); }},
    {"hard_sigmoid", [](const Array &ct, const Array &x, double) { return onRamp(x + 3.0f, ct / 6.0f); }},
    {"hard_swish",
     [](const Array &ct, const Array &x, double) {
       const Array inside = bounded(x), y = inside + 3.0f;
       return ct * (clip(y, 0.0f, 6.0f) / 6.0f + onRamp(y, inside / 6.0f));
     }},
    {"soft_sign", [](const Array &ct, const Array &x, double) { return ct * slopeOfSoftSign(x); }},
};

void vjpActivation(VjpCall &call) {
  const auto [function, number] = ActivationAttrs::read(call.attributes);
  const auto *rule = std::ranges::find(activationRules, function, &ActivationRule::function);
  if (rule == std::end(activationRules))
    throw InternalError("activation: no derivative of " + std::string(function), call.at);
  call.set(0, rule->apply(call.cotangent(), call.operand(0), number.asDouble()));
}

} // namespace tenon

//===- ops.h - the operations, by category --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by tenon-tblgen from the records in dialect/; change those.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>
#include <tenon/results.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tenon {

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// x1 + x2; integers wrap; on bool, logical or.
Array add(const Operand &x1, const Operand &x2);

/// x1 - x2; integers wrap.
Array subtract(const Operand &x1, const Operand &x2);

/// x1 * x2; integers wrap; on bool, logical and; complex by the plain formula.
Array multiply(const Operand &x1, const Operand &x2);

/// x1 / x2, the true quotient; integers and bools become f32; complex by Smith's formula.
Array divide(const Operand &x1, const Operand &x2);

/// The larger of two; IEEE 754-2019 maximum: NaN propagates, -0 < +0.
/// The derivative at a tie goes half to each operand, as in JAX.
Array maximum(const Operand &x1, const Operand &x2);

/// The smaller of two; IEEE 754-2019 minimum: NaN propagates, -0 < +0.
/// The derivative at a tie goes half to each operand, as in JAX.
Array minimum(const Operand &x1, const Operand &x2);

/// x1 and x2 as truth values: bool; an operand that is not bool counts as x != 0. Also x1 && x2.
Array logical_and(const Operand &x1, const Operand &x2);

/// x1 or x2 as truth values: bool; an operand that is not bool counts as x != 0. Also x1 || x2.
Array logical_or(const Operand &x1, const Operand &x2);

/// Whether just one of x1 and x2 is true: bool; an operand that is not bool counts as x != 0.
Array logical_xor(const Operand &x1, const Operand &x2);

/// Where x is false: bool; an operand that is not bool counts as x != 0. Also !x.
Array logical_not(const Operand &x);

/// x1 >> x2 on integers; signed shifts keep the sign; a count outside [0, bits) gives 0, or -1 for
/// a negative x1.
Array right_shift(const Operand &x1, const Operand &x2);

/// x1 << x2 on integers, also the operator; a count outside [0, bits) gives 0.
Array left_shift(const Operand &x1, const Operand &x2);

/// The bits that both integers have; on bool, logical and. Also x1 & x2.
Array bitwise_and(const Operand &x1, const Operand &x2);

/// The bits that either integer has; on bool, logical or. Also x1 | x2.
Array bitwise_or(const Operand &x1, const Operand &x2);

/// The bits that just one of two integers has; on bool, logical xor. Also x1 ^ x2.
Array bitwise_xor(const Operand &x1, const Operand &x2);

/// The bits that an integer lacks; on bool, logical not. Also ~x.
Array bitwise_invert(const Operand &x);

/// The largest integer that is not above x1 / x2; of integers 0 where x2 is 0, of floats x1 / x2.
/// The smallest integer divided by -1 wraps: it is itself. Of floats it is made from x1 - fmod(x1,
/// x2), with the rounding of NumPy; NaN for an infinite x1. The derivative is 0.
Array floor_divide(const Operand &x1, const Operand &x2);

/// What floor_divide(x1, x2) leaves: it has the sign of x2. Also x1 % x2.
/// Of integers 0 where x2 is 0. Of floats it is fmod(x1, x2), to which x2 is added where the signs
/// differ: NaN where x2 is 0 or x1 infinite; x1 or x2, by its sign, where x2 is infinite.
Array remainder(const Operand &x1, const Operand &x2);

/// x1 - trunc(x1 / x2) * x2, exactly: it has the sign of x1.
/// Of integers 0 where x2 is 0. Of floats NaN where x2 is 0 or x1 infinite, x1 where x2 is
/// infinite.
Array fmod(const Operand &x1, const Operand &x2);

/// -x; unsigned integers wrap.
Array negative(const Operand &x);

/// |x|; the smallest signed integer stays itself. The derivative at 0 is 0.
/// Of complex numbers too, made of functions of their parts.
Array abs(const Operand &x);

/// e to the power of x.
/// Of complex numbers too, made of functions of their parts.
Array exp(const Operand &x);

/// The natural logarithm; NaN below 0, -inf at 0.
/// Of complex numbers too, made of functions of their parts.
Array log(const Operand &x);

/// log(1 + x), precise near 0; NaN below -1, -inf at -1.
/// Of complex numbers too, made of functions of their parts.
Array log1p(const Operand &x);

/// The square root, correctly rounded; NaN below 0.
/// Of complex numbers too, made of functions of their parts.
Array sqrt(const Operand &x);

/// The hyperbolic tangent.
/// Of complex numbers too, made of functions of their parts.
Array tanh(const Operand &x);

/// The cube root; keeps the sign.
Array cbrt(const Operand &x);

/// 2 to the power of x.
/// Of complex numbers too, made of functions of their parts.
Array exp2(const Operand &x);

/// exp(x) - 1, precise near 0.
/// Of complex numbers too, made of functions of their parts.
Array expm1(const Operand &x);

/// The logarithm to base 2; NaN below 0, -inf at 0.
/// Of complex numbers too, made of functions of their parts.
Array log2(const Operand &x);

/// The logarithm to base 10; NaN below 0, -inf at 0.
/// Of complex numbers too, made of functions of their parts.
Array log10(const Operand &x);

/// The sine of x in radians, of any size.
/// Of complex numbers too, made of functions of their parts.
Array sin(const Operand &x);

/// The cosine of x in radians, of any size.
/// Of complex numbers too, made of functions of their parts.
Array cos(const Operand &x);

/// The tangent of x in radians, of any size.
/// Of complex numbers too, made of functions of their parts.
Array tan(const Operand &x);

/// The angle in [-pi/2, pi/2] whose sine is x; NaN outside of [-1, 1].
/// Of complex numbers too, made of functions of their parts.
Array asin(const Operand &x);

/// The angle in [0, pi] whose cosine is x; NaN outside of [-1, 1].
/// Of complex numbers too, made of functions of their parts.
Array acos(const Operand &x);

/// The angle in [-pi/2, pi/2] whose tangent is x.
/// Of complex numbers too, made of functions of their parts.
Array atan(const Operand &x);

/// The hyperbolic sine.
/// Of complex numbers too, made of functions of their parts.
Array sinh(const Operand &x);

/// The hyperbolic cosine.
/// Of complex numbers too, made of functions of their parts.
Array cosh(const Operand &x);

/// The number whose hyperbolic sine is x.
/// Of complex numbers too, made of functions of their parts.
Array asinh(const Operand &x);

/// The number from 0 on whose hyperbolic cosine is x; NaN below 1.
/// Of complex numbers too, made of functions of their parts.
Array acosh(const Operand &x);

/// The number whose hyperbolic tangent is x; infinite at -1 and 1, NaN beyond.
/// Of complex numbers too, made of functions of their parts.
Array atanh(const Operand &x);

/// The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.
Array erf(const Operand &x);

/// 1 - erf(x), relatively precise where that is small.
Array erfc(const Operand &x);

/// log(|gamma(x)|); infinite at 0 and the integers below.
/// Below 0 precise beside the larger of it and lgamma(1 - x).
Array lgamma(const Operand &x);

/// The derivative of lgamma; NaN at the integers below 0, -inf at 0, inf at -0.
/// Below 0 precise beside the larger of it and digamma(1 - x).
Array digamma(const Operand &x);

/// The derivative of digamma; infinite at 0 and the integers below.
Array trigamma(const Operand &x);

/// exp(-|x|) I0(x), of the modified Bessel function of the first kind and order 0.
Array i0e(const Operand &x);

/// exp(-|x|) I1(x), of order 1.
Array i1e(const Operand &x);

/// x1 to the power of x2, as floats; special cases as in C.
/// pow(x, 0) and pow(1, y) are 1, also of NaN; a negative x1 has powers of integers only.
/// Of complex numbers too, made of functions of their parts.
Array pow(const Operand &x1, const Operand &x2);

/// sqrt(x1 * x1 + x2 * x2) without overflow on the way; infinite where either is, also beside NaN.
Array hypot(const Operand &x1, const Operand &x2);

/// log(exp(x1) + exp(x2)) without overflow on the way.
Array logaddexp(const Operand &x1, const Operand &x2);

/// The angle of the point (x2, x1), in [-pi, pi]; zeros and infinities as in C.
Array atan2(const Operand &x1, const Operand &x2);

/// The share of the integral of t^(a - 1) exp(-t) over t from 0 on that lies below x.
/// The regularised lower incomplete gamma function. NaN below 0 of either operand; of a = 0 it is
/// 1, of an infinite a 0. Precise for any a, at most some hundred rounds.
Array igamma(const Operand &a, const Operand &x);

/// 1 - igamma(a, x), relatively precise where that is small.
Array igammac(const Operand &a, const Operand &x);

/// The derivative of igamma(a, x) by a.
Array igamma_grad_a(const Operand &a, const Operand &x);

/// The share of the integral of t^(a - 1) (1 - t)^(b - 1) over t from 0 to 1 that lies below x.
/// The regularised incomplete beta function. NaN for a negative a or b and for x outside of [0, 1];
/// all lies at 0 where a is 0 or b infinite, at 1 where b is 0 or a infinite. Rounds grow as the
/// root of the larger of a and b; where both are 2^33 or more it is the normal distribution's,
/// which they come to.
Array betainc(const Operand &a, const Operand &b, const Operand &x);

/// The derivative of betainc(a, b, x) by a.
/// 0 at the ends of x, of a and of b. Where both parameters are 2^33 or more it has ten digits.
Array betainc_grad_a(const Operand &a, const Operand &b, const Operand &x);

/// The derivative of betainc(a, b, x) by b.
/// 0 at the ends of x, of a and of b. Where both parameters are 2^33 or more it has ten digits.
Array betainc_grad_b(const Operand &a, const Operand &b, const Operand &x);

/// Hurwitz' zeta function: the sum of (q + k)^-x over k from 0 on.
/// Infinite for x = 1 and where q is 0 or an integer below; NaN for x < 1, and for q < 0 where x is
/// no integer. It has a derivative by q alone.
Array zeta(const Operand &x, const Operand &q);

/// The derivative of order n of digamma(x); NaN where n is no integer from 0 on.
/// It has a derivative by x alone.
Array polygamma(const Operand &n, const Operand &x);

/// The largest integer that is not above x, in x's dtype.
Array floor(const Operand &x);

/// The smallest integer that is not below x, in x's dtype.
Array ceil(const Operand &x);

/// x without its fraction, in x's dtype.
Array trunc(const Operand &x);

/// The nearest integer, of two the even one, in x's dtype.
/// Of complex numbers too, made of functions of their parts.
Array round(const Operand &x);

/// -1, 0 or 1, as x is below, at or above 0; NaN stays. Of complex numbers x / |x|, with one
/// infinite part 1 or -1 there.
/// Of complex numbers too, made of functions of their parts.
Array sign(const Operand &x);

/// |x1| with the sign of x2, also that of -0 and NaN.
Array copysign(const Operand &x1, const Operand &x2);

/// The number next to x1 on the way to x2, in their dtype; x2 where they are equal.
/// The derivative is that of x1; of x2 where they are equal.
Array nextafter(const Operand &x1, const Operand &x2);

/// How many bits of x are 1, in x's dtype.
Array popcount(const Operand &x);

/// How many bits of x above the highest 1 are 0, in x's dtype.
Array clz(const Operand &x);

/// minimum(maximum(x, lo), hi); a bound that is left out does not bound.
/// The derivative at a bound goes to x, as in PyTorch and TensorFlow.
Array clip(const Operand &x, const Operand &lo = none, const Operand &hi = none);

/// x1 * x2 + x3 with one rounding; integers wrap.
/// Narrow floats are computed in f32 and rounded once more.
Array fma(const Operand &x1, const Operand &x2, const Operand &x3);

/// x1 where the condition holds, else x2.
/// The condition is bool (another dtype counts as c != 0); x1 and x2 are promoted to one dtype; all
/// three are broadcast to one shape.
Array where(const Operand &condition, const Operand &x1, const Operand &x2);

/// x with each element converted to `dtype`.
/// Float to integer truncates and saturates, NaN gives 0; to bool is x != 0; integer to a narrower
/// integer wraps; to a float rounds to nearest even, and what is past its largest number is
/// infinity, or NaN in f8e4m3fn, which has none. f8e4m3fn and f8e5m2 only store numbers: nothing
/// but astype computes with them, and no derivative passes through them. Complex to real is an
/// error.
Array astype(const Operand &x, Dtype dtype);

/// The real parts of complex numbers, f32 of c64 and f64 of c128; other arrays as they are.
/// A copy. Cotangents are JAX's: that of x is complex(cotangent, 0).
Array real(const Operand &x);

/// The imaginary parts of complex numbers, f32 of c64 and f64 of c128; of other arrays 0, in their
/// dtype.
/// A copy. Cotangents are JAX's: that of x is complex(0, -cotangent).
Array imag(const Operand &x);

/// The complex numbers of these parts: c64 of f32, c128 of f64; integers and bools become f32.
Array complex(const Operand &re, const Operand &im);

/// The conjugates of complex numbers: the sign of the imaginary parts is flipped; other arrays as
/// they are.
Array conj(const Operand &x);

/// `left_shift` under another name.
/// x1 << x2 on integers, also the operator; a count outside [0, bits) gives 0.
Array bitwise_left_shift(const Operand &x1, const Operand &x2);

/// `right_shift` under another name.
/// x1 >> x2 on integers; signed shifts keep the sign; a count outside [0, bits) gives 0, or -1 for
/// a negative x1.
Array bitwise_right_shift(const Operand &x1, const Operand &x2);

/// x * x.
Array square(const Operand &x);

/// x itself.
Array positive(const Operand &x);

/// 1 / x; integers become f32.
Array reciprocal(const Operand &x);

/// 1 / sqrt(x); integers become f32.
Array rsqrt(const Operand &x);

/// The inverse error function. Source: M. Giles, "Approximating the erfinv function", GPU Gems
/// 2011.
Array erf_inv(const Operand &x);

/// sin(pi * x) / (pi * x), and 1 at 0; integers become f32.
/// The derivatives are right near 0 too.
Array sinc(const Operand &x);

/// x * pi / 180: degrees as radians; integers become f32.
Array deg2rad(const Operand &x);

/// x * 180 / pi: radians as degrees; integers become f32.
Array rad2deg(const Operand &x);

/// x with numbers for NaN and the infinities; integers and bools as they are.
/// What replaces an infinity is by default the largest number of the dtype, or the smallest. Where
/// x is replaced, its derivative is 0.
/// Of complex numbers too, made of functions of their parts.
Array nan_to_num(const Operand &x, Scalar nan = 0, std::optional<Scalar> posinf = {},
                 std::optional<Scalar> neginf = {});

/// x1 * log(x2), and 0 where x1 is 0 and x2 is not NaN; integers become f32.
/// Where x1 is 0 the derivatives are 0 too.
Array xlogy(const Operand &x1, const Operand &x2);

/// x1 * log1p(x2), and 0 where x1 is 0 and x2 is not NaN; integers become f32.
/// Where x1 is 0 the derivatives are 0 too.
Array xlog1py(const Operand &x1, const Operand &x2);

/// log2(2^x1 + 2^x2), without overflow; integers become f32.
Array logaddexp2(const Operand &x1, const Operand &x2);

/// 0 where x1 is negative, 1 where it is positive, x2 where it is 0, NaN where it is NaN; integers
/// become f32.
Array heaviside(const Operand &x1, const Operand &x2);

/// x1 * 2^x2 for integers x2, rounded once however large they are; integers x1 become f32.
Array ldexp(const Operand &x1, const Operand &x2);

/// The mantissa, of magnitude in [1/2, 1), and the exponent of which x is mantissa * 2^exponent;
/// integers become f32.
/// 0, infinities and NaN are their own mantissa, of exponent 0. The exponent is i32 and has no
/// derivative; that of the mantissa is 2^-exponent.
MantissaExponent frexp(const Operand &x);

/// start + weight * (end - start), computed from the nearer of both, which it is at weight 0 and 1;
/// integers become f32.
Array lerp(const Operand &start, const Operand &end, const Operand &weight);

/// The angle of a complex number, atan2(imag(x), real(x)), in [-pi, pi]; of real numbers 0 or pi.
Array angle(const Operand &x);

/// The polynomial of the coefficients `p`, the highest power first, at x, by Horner's rule.
Array polyval(const Operand &p, const Operand &x);

/// At x the line through the points (xp, fp), whose xp ascend.
/// Below the first point `left`, above the last one `right`; left out: fp there. NaN where x is
/// NaN.
Array interp(const Operand &x, const Operand &xp, const Operand &fp, std::optional<Scalar> left = {},
             std::optional<Scalar> right = {});

/// Each element of the flattened x less the one before it, between `to_begin` and `to_end`,
/// flattened.
Array ediff1d(const Operand &x, const Operand &to_end = none, const Operand &to_begin = none);

/// x along `axis` without its jumps: by multiples of `period`, each is at most half a one from the
/// one before.
/// What differs by less than `discont` stays; below half a period it counts as that. Integers
/// become f32.
Array unwrap(const Operand &x, std::optional<Scalar> discont = {}, Axis axis = -1, std::optional<Scalar> period = {});

/// The slopes of x along each of the given axes, all by default, by central differences; at the
/// ends one-sided.
std::vector<Array> gradient(const Operand &x, double spacing = 1, const Ints &axes = {});

/// The coefficients of the sum of two polynomials.
/// Coefficients of one axis, the highest power first. Zeros in front stay, as in JAX.
Array polyadd(const Operand &p1, const Operand &p2);

/// The coefficients of the difference of two polynomials.
/// Coefficients of one axis, the highest power first. Zeros in front stay, as in JAX.
Array polysub(const Operand &p1, const Operand &p2);

/// The coefficients of the product of two polynomials.
/// Coefficients of one axis, the highest power first. Zeros in front stay, as in JAX.
Array polymul(const Operand &p1, const Operand &p2);

/// The coefficients of the m-th derivative of a polynomial.
Array polyder(const Operand &p, int m = 1);

/// The coefficients of the m-th integral of a polynomial; integers become f32.
Array polyint(const Operand &p, int m = 1, const Operand &k = 0);

/// The coefficients of the polynomial that has the given roots, and 1 before the highest power.
Array poly(const Operand &roots);

/// The powers of x, of one axis, as columns: the highest one first, or last if `increasing`.
/// The dtype is that of `prod`.
Array vander(const Operand &x, std::optional<int> columns = {}, bool increasing = false);

/// The modified Bessel function of the first kind and order 0, exp(|x|) i0e(x); integers become
/// f32.
Array i0(const Operand &x);

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// x1 <= x2: bool; false where either is NaN.
Array less_equal(const Operand &x1, const Operand &x2);

/// x1 < x2: bool; false where either is NaN.
Array less(const Operand &x1, const Operand &x2);

/// x1 == x2: bool; false where either is NaN.
Array equal(const Operand &x1, const Operand &x2);

/// x1 != x2: bool; true where either is NaN.
Array not_equal(const Operand &x1, const Operand &x2);

/// Where x, or a part of it, is not a number: bool.
/// Of complex numbers too, made of functions of their parts.
Array isnan(const Operand &x);

/// Where x, or a part of it, is infinite, of either sign: bool.
/// Of complex numbers too, made of functions of their parts.
Array isinf(const Operand &x);

/// Where x is neither infinite nor NaN: bool.
/// Of complex numbers too, made of functions of their parts.
Array isfinite(const Operand &x);

/// Where x has the sign -, also that of -0 and NaN: bool.
Array signbit(const Operand &x);

/// x1 > x2: bool; false where either is NaN.
Array greater(const Operand &x1, const Operand &x2);

/// x1 >= x2: bool; false where either is NaN.
Array greater_equal(const Operand &x1, const Operand &x2);

/// Where |x1 - x2| <= atol + rtol * |x2|, or both are one infinity: bool; integers are compared in
/// f64.
/// Of complex numbers too, made of functions of their parts.
Array isclose(const Operand &x1, const Operand &x2, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);

/// Whether `isclose` holds everywhere: bool, of rank 0.
/// Of complex numbers too, made of functions of their parts.
Array allclose(const Operand &x1, const Operand &x2, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);

/// Where an element is among `test_elements`: bool, of the shape of x; NaN is in nothing.
Array isin(const Operand &x, const Operand &test_elements, bool invert = false);

/// Whether two arrays have one shape and equal elements: bool, of rank 0.
Array array_equal(const Operand &x1, const Operand &x2, bool equal_nan = false);

/// Whether two arrays can be broadcast to one shape and are equal there: bool, of rank 0.
Array array_equiv(const Operand &x1, const Operand &x2);

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// The sum over the given axes, all by default.
/// Sums of bool and of integers narrower than i32 give i32 (u32 if unsigned). Floating sums have
/// one tree, a function of shape and axes alone: over the innermost axis 16 partial sums, in blocks
/// of 4,096 combined pairwise; over another axis in index order in blocks of 256; axes of size 1 do
/// not count. bf16 and f16 accumulate in f32 and round once. An empty sum is 0.
/// Of complex numbers too, made of functions of their parts.
Array sum(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The largest element over the given axes, all by default; NaN propagates.
/// An empty axis is an error. The derivative is shared evenly among equal largest elements, as in
/// JAX.
Array max(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The smallest element over the given axes, all by default; NaN propagates.
/// An empty axis is an error. The derivative is shared evenly among equal smallest elements.
Array min(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The product over the given axes, all by default.
/// The dtype of the result and the order of the factors are those of `sum`. An empty product is 1.
/// The derivative multiplies the other factors, so zeros are no exception.
/// Of complex numbers too, made of functions of their parts.
Array prod(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// Whether an element over the given axes, all by default, is true (not 0; NaN is true): bool.
/// Of no elements: false.
Array any(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// Whether every element over the given axes, all by default, is true (not 0; NaN is true): bool.
/// Of no elements: true.
Array all(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The index (i64) of the first largest element along `axis`; a NaN counts as largest.
/// Without an axis: the index into the flattened array.
Array argmax(const Operand &x, std::optional<Axis> axis = {}, bool keepdims = false);

/// The sum divided by the number of elements over the given axes; integers become f32.
/// Of complex numbers too, made of functions of their parts.
Array mean(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The sum of the squares of x - mean, divided by the number of elements less `correction`;
/// integers become f32.
/// Of complex numbers the squares are those of |x - mean|, and the result is real.
/// Of complex numbers too, made of functions of their parts.
Array var(const Operand &x, const Ints &axes = {}, bool keepdims = false, double correction = 0);

/// sqrt(var(x)); integers become f32.
/// Where it is 0 the derivative is 0, as in PyTorch. Written tenon::std, also after a
/// using-directive: the name alone may be the namespace.
/// Of complex numbers too, made of functions of their parts.
Array std(const Operand &x, const Ints &axes = {}, bool keepdims = false, double correction = 0);

/// `var` of what is not NaN; NaN where that are not more elements than `correction`.
Array nanvar(const Operand &x, const Ints &axes = {}, bool keepdims = false, double correction = 0);

/// sqrt(nanvar(x)).
Array nanstd(const Operand &x, const Ints &axes = {}, bool keepdims = false, double correction = 0);

/// The `sum` of what is not NaN: 0 of nothing.
Array nansum(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The `prod` of what is not NaN: 1 of nothing.
Array nanprod(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The largest of what is not NaN; NaN where all is. An empty axis is an error.
Array nanmax(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The smallest of what is not NaN; NaN where all is. An empty axis is an error.
Array nanmin(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The mean of what is not NaN; NaN where all is; integers become f32.
Array nanmean(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// max(x) - min(x). An empty axis is an error.
Array ptp(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// How many elements are not 0, which NaN is not: i64.
Array count_nonzero(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The index (i64) of the first smallest element along `axis`; a NaN counts as smallest.
/// Without an axis: the index into the flattened array.
Array argmin(const Operand &x, std::optional<Axis> axis = {}, bool keepdims = false);

/// The index (i64) of the first largest of what is not NaN along `axis`; -1 where all is, as in
/// JAX.
/// Without an axis: the index into the flattened array.
Array nanargmax(const Operand &x, std::optional<Axis> axis = {}, bool keepdims = false);

/// The index (i64) of the first smallest of what is not NaN along `axis`; -1 where all is, as in
/// JAX.
/// Without an axis: the index into the flattened array.
Array nanargmin(const Operand &x, std::optional<Axis> axis = {}, bool keepdims = false);

/// sum(x * weights) / sum(weights) over the given axes, or the mean; integers become f32.
/// `weights` have x's shape, or the sizes of the given axes in the order in which these are given.
/// Of complex numbers too, made of functions of their parts.
Array average(const Operand &x, const Ints &axes = {}, const Operand &weights = none, bool keepdims = false);

/// sum(|x|^ord)^(1 / ord) over the given axes; integers become f32.
/// 0 counts what is not 0; infinity gives the largest |x|, -infinity the smallest. Where it is 0
/// the derivative is 0. Of complex numbers it is real.
/// Of complex numbers too, made of functions of their parts.
Array vector_norm(const Operand &x, const Ints &axes = {}, bool keepdims = false, double ord = 2);

/// The norm of the matrices in the last two axes; integers become f32.
/// `ord` is "fro": the root of the sum of the squares of |x|; "1" or "inf": the largest sum of a
/// column's or a row's |x|; "-1" or "-inf": the smallest. Of complex numbers it is real.
/// Of complex numbers too, made of functions of their parts.
Array matrix_norm(const Operand &x, bool keepdims = false, std::string_view ord = "fro");

/// `vector_norm` along one axis, `matrix_norm` of two, its rows and columns; integers become f32.
/// Without `ord` it is the root of the sum of the squares of |x|: over all axes where none are
/// given. With it, and without axes, that of a vector or a matrix, by x's rank. Of matrices `ord`
/// is 1, -1, inf or -inf.
/// Of complex numbers too, made of functions of their parts.
Array norm(const Operand &x, const Ints &axes = {}, bool keepdims = false, std::optional<double> ord = {});

/// Each element along `axis` less the one before it, n times: the axis gets shorter by n; of bools,
/// whether they differ.
Array diff(const Operand &x, int n = 1, Axis axis = -1, const Operand &prepend = none, const Operand &append = none);

/// The middle one of the sorted elements, or the mean of the middle two; integers become f32.
/// Between two neighbours in order it is interpolated linearly. NaN where an element is NaN, or
/// where there are none.
Array median(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The number below which lies a share q of the elements; integers become f32.
/// Between two neighbours in order it is interpolated linearly. NaN where an element is NaN, or
/// where there are none.
Array quantile(const Operand &x, const Operand &q, const Ints &axes = {}, bool keepdims = false);

/// The number below which lie q percent of the elements; integers become f32.
/// Between two neighbours in order it is interpolated linearly. NaN where an element is NaN, or
/// where there are none.
Array percentile(const Operand &x, const Operand &q, const Ints &axes = {}, bool keepdims = false);

/// The `median` of what is not NaN; integers become f32.
/// Between two neighbours in order it is interpolated linearly. NaN where there is nothing else.
Array nanmedian(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The `quantile` of what is not NaN; integers become f32.
/// Between two neighbours in order it is interpolated linearly. NaN where there is nothing else.
Array nanquantile(const Operand &x, const Operand &q, const Ints &axes = {}, bool keepdims = false);

/// The `percentile` of what is not NaN; integers become f32.
/// Between two neighbours in order it is interpolated linearly. NaN where there is nothing else.
Array nanpercentile(const Operand &x, const Operand &q, const Ints &axes = {}, bool keepdims = false);

/// log(sum(exp(x))) over the given axes, without overflow; integers become f32.
/// -inf where all are -inf, or there are none; +inf where one is. The derivative is softmax(x), and
/// 0 where the result is infinite.
Array logsumexp(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The edges of the bins of `histogram`.
Array histogram_bin_edges(const Operand &x, const Operand &bins, const Operand &range = none);

/// How often each of 0, 1, ... is in x, or the sum of its `weights`: i64, or the dtype of the
/// weights.
/// What is negative, or not below `length`, is not counted. Without a length there are as many as
/// the largest element asks for, which must be known: not while tracing.
Array bincount(const Operand &x, const Operand &weights = none, int minlength = 0, std::optional<Dim> length = {});

/// How many elements lie in each bin, and the edges of the bins: two arrays.
/// `bins` is a number of bins of one width, or their edges, ascending, of rank 1. Bin i is
/// [edges[i], edges[i + 1]), the last one with its upper edge; what lies outside, and NaN, is not
/// counted. Counts are i64, sums of `weights` have their dtype, a density is a float.
Histogram histogram(const Operand &x, const Operand &bins, const Operand &range = none, const Operand &weights = none,
                    bool density = false);

/// The integral of y along `axis` by the trapezoidal rule.
/// At the points `x`, of y's shape or one axis; left out: at distances `dx`.
Array trapezoid(const Operand &y, const Operand &x = none, double dx = 1, Axis axis = -1);

/// The covariances of the rows of x, each a variable; of one row its variance.
Array cov(const Operand &x, bool rowvar = true, int ddof = 1);

/// Pearson's correlations of the rows of x, each a variable, within [-1, 1].
Array corrcoef(const Operand &x, bool rowvar = true);

/// The square root of the sum of all squares of all arrays; of complex numbers it is real.
/// Of complex numbers too, made of functions of their parts.
Array global_norm(const Arrays &xs, Location at = Location::current());

//===----------------------------------------------------------------------===//
// Cumulative
//===----------------------------------------------------------------------===//

/// The sums of the elements up to each one along `axis`.
/// In the order of the index inside of blocks of 4,096, to each of which what the blocks before it
/// make is then added; bf16 and f16 in f32, rounded once. Dtypes are those of `sum`.
/// `include_initial` puts a 0 before them.
/// Of complex numbers too, made of functions of their parts.
Array cumulative_sum(const Operand &x, std::optional<Axis> axis = {}, bool include_initial = false);

/// The products of the elements up to each one along `axis`.
/// In the order of the index inside of blocks of 4,096, to each of which what the blocks before it
/// make is then added; bf16 and f16 in f32, rounded once. Dtypes are those of `prod`.
/// `include_initial` puts a 1 before them. The derivative multiplies the other factors, so zeros
/// are no exception; of a symbol of elements it takes memory for each pair.
/// Of complex numbers too, made of functions of their parts.
Array cumulative_prod(const Operand &x, std::optional<Axis> axis = {}, bool include_initial = false);

/// The largest of the elements up to each one along `axis`.
/// From a NaN on all are NaN. The derivative goes to the last one of equal elements, as in PyTorch.
Array cumulative_max(const Operand &x, std::optional<Axis> axis = {});

/// The smallest of the elements up to each one along `axis`.
/// From a NaN on all are NaN. The derivative goes to the last one of equal elements, as in PyTorch.
Array cumulative_min(const Operand &x, std::optional<Axis> axis = {});

/// The logarithms of the sums of exp over the elements up to each one along `axis`.
/// In the order of the index inside of blocks of 4,096, to each of which what the blocks before it
/// make is then added; bf16 and f16 in f32, rounded once. The derivative is 0 where the result is
/// infinite; of a symbol of elements it takes memory for each pair.
Array cumulative_logsumexp(const Operand &x, std::optional<Axis> axis = {});

/// `cumulative_sum` with 0 for NaN.
Array nancumsum(const Operand &x, std::optional<Axis> axis = {});

/// `cumulative_prod` with 1 for NaN.
Array nancumprod(const Operand &x, std::optional<Axis> axis = {});

//===----------------------------------------------------------------------===//
// Manipulation
//===----------------------------------------------------------------------===//

/// The same elements, row-major, in another shape; one size may be -1.
Array reshape(const Operand &x, const Shape &shape);

/// x repeated to `shape` by NumPy's rule: a new leading axis, or an axis of size 1.
Array broadcast_to(const Operand &x, const Shape &shape);

/// Axis i of the result is axis permutation[i] of x; reverses the axes by default.
Array transpose(const Operand &x, const Ints &permutation = {});

/// x[starts : stops : steps], one of each per axis.
/// Steps are not 0 and may be negative; for a negative step a stop of -1 means "past the first
/// element". Bounds lie inside the array.
Array slice(const Operand &x, const Shape &starts, const Shape &stops, const Ints &steps = {});

/// x with `low` copies of `value` before, `high` after and `interior` between the elements of each
/// axis.
Array pad(const Operand &x, const Operand &value, const Shape &low, const Shape &high, const Ints &interior = {});

/// The arrays one after another along `axis`; their other sizes are equal.
Array concatenate(const Arrays &xs, Axis axis = 0, Location at = Location::current());

/// x cut along `axis` into pieces of the given sizes; several results.
std::vector<Array> split(const Operand &x, const Shape &sizes, Axis axis = 0);

/// x with new axes of size 1 at the places `axes` of the result: a view.
Array expand_dims(const Operand &x, const Ints &axes);

/// x without the given axes, whose size is 1; left out: without all axes of size 1. A view.
/// A size that is a symbol is not 1.
Array squeeze(const Operand &x, const Ints &axes = {});

/// x with its elements in reverse order along the given axes, all by default: a view.
Array flip(const Operand &x, const Ints &axes = {});

/// x with the axes `source` at the places `destination`; the others keep their order. A view.
Array moveaxis(const Operand &x, const Ints &source, const Ints &destination);

/// x with two axes exchanged: a view.
Array swapaxes(const Operand &x, Axis axis1, Axis axis2);

/// Axis i of the result is axis axes[i] of x: `transpose`, as the array API names it. A view.
Array permute_dims(const Operand &x, const Ints &axes);

/// x with its last two axes exchanged: each matrix of a stack transposed. A view.
Array matrix_transpose(const Operand &x);

/// x turned by 90 degrees, `k` times, from the first of two axes towards the second: a view.
Array rot90(const Operand &x, int k = 1, const Ints &axes = {});

/// The elements x[..., i, i + offset] of two axes, as a last axis: a view.
/// Of sizes that are symbols it must be known which diagonal's end comes first; the elements are
/// then copied.
Array diagonal(const Operand &x, int offset = 0, Axis axis1 = 0, Axis axis2 = 1);

/// The arrays, each broadcast to the shape of all: views.
std::vector<Array> broadcast_arrays(const Arrays &xs, Location at = Location::current());

/// The elements of x, row-major, along one axis; a view where they lie so.
Array ravel(const Operand &x);

/// `ravel` under another name: an array never changes, so that nobody needs a copy.
Array flatten(const Operand &x);

/// x with one axis at least: of a single element [e].
Array atleast_1d(const Operand &x);

/// x with two axes at least: one of size 1 stands in front of a single axis.
Array atleast_2d(const Operand &x);

/// x with three axes at least: [n] becomes [1, n, 1], [m, n] becomes [m, n, 1].
Array atleast_3d(const Operand &x);

/// `concatenate` under another name.
/// The arrays one after another along `axis`; their other sizes are equal.
Array concat(const Arrays &xs, Axis axis = 0, Location at = Location::current());

/// Arrays of one shape along a new axis, which is at `axis` of the result.
/// Arrays of several dtypes are promoted to one.
Array stack(const Arrays &xs, Axis axis = 0, Location at = Location::current());

/// The parts x[0], x[1], ... along `axis`, without that axis: views.
std::vector<Array> unstack(const Operand &x, Axis axis = 0);

/// Arrays below each other: along axis 0, those of one axis as rows.
Array vstack(const Arrays &xs, Location at = Location::current());

/// Arrays beside each other: along axis 1, those of one axis along it.
Array hstack(const Arrays &xs, Location at = Location::current());

/// x with its elements moved by `shift` places along the given axes; what leaves at an end enters
/// at the other.
/// Without axes x is rolled as if it were flat. One shift serves all axes.
Array roll(const Operand &x, const Ints &shift, const Ints &axes = {});

/// Each element along `axis` several times, one after another.
/// `repeats` is a number, or an integer array of one count for each element. Counts decide the size
/// of the result: their values must be known, so that an array of them cannot be an argument of jit
/// or vmap.
Array repeat(const Operand &x, const Operand &repeats, std::optional<Axis> axis = {});

/// x several times beside itself, along each axis as often as `repetitions` say.
/// The last repetition is that of the last axis; of those that are missing, on either side, there
/// is one, or an axis of size 1.
Array tile(const Operand &x, const Ints &repetitions);

/// x with elements of its own before and after each axis: NumPy's `pad` for all modes but constant.
/// Of the axis [a b c] `edge` makes a a [a b c] c c, `reflect` c b [a b c] b a, `symmetric` b a [a
/// b c] c b, and `wrap` b c [a b c] a b. `pad` puts a number there.
Array pad_mode(const Operand &x, const Shape &low, const Shape &high, std::string_view mode);

/// x with its columns in reverse order: flip(x, 1). A view.
Array fliplr(const Operand &x);

/// x with its rows in reverse order: flip(x, 0). A view.
Array flipud(const Operand &x);

/// x with `axis` moved before the axis that is at `start`; the others keep their order. A view.
Array rollaxis(const Operand &x, Axis axis, int start = 0);

/// Arrays behind each other: along axis 2, with three axes at least (atleast_3d).
Array dstack(const Arrays &xs, Location at = Location::current());

/// Arrays beside each other: along axis 1, those of one axis as columns.
Array column_stack(const Arrays &xs, Location at = Location::current());

/// x cut along `axis` into `sections` parts; where they cannot be equal, the first ones are longer
/// by one.
/// The size of the axis is known. `split` takes the sizes of parts.
std::vector<Array> array_split(const Operand &x, int sections, Axis axis = 0);

/// x cut along axis 1, or its only one, into equal parts.
/// The size of the axis is known. `split` takes the sizes of parts.
std::vector<Array> hsplit(const Operand &x, int sections);

/// x, of rank 2 or more, cut along axis 0 into equal parts.
/// The size of the axis is known. `split` takes the sizes of parts.
std::vector<Array> vsplit(const Operand &x, int sections);

/// x, of rank 3 or more, cut along axis 2 into equal parts.
/// The size of the axis is known. `split` takes the sizes of parts.
std::vector<Array> dsplit(const Operand &x, int sections);

/// x and, behind it along `axis`, `values`.
Array append(const Operand &x, const Operand &values, std::optional<Axis> axis = {});

/// x with `values` put in along `axis`, before the elements that are at `indices` in x.
/// Indices go from 0 to the size of the axis, where that is behind the last element, or from -1
/// back. Values take the dtype of x. Beside one index they have x's rank, and any size along the
/// axis, or are broadcast to a part of x without it; beside several there is one for each, and they
/// are broadcast. Of equal indices the values keep their order. Where the size of the axis is a
/// symbol, indices count from 0.
Array insert(const Operand &x, const Ints &indices, const Operand &values, std::optional<Axis> axis = {});

/// x without the parts at `indices` along `axis`.
/// Indices count from 0 on or from -1 back; an index may be named twice, and one outside is an
/// Error. Where the size of the axis is a symbol, they count from 0.
Array delete_(const Operand &x, const Ints &indices, std::optional<Axis> axis = {});

/// The elements of x, row-major, in another shape: repeated from the first one on where they are
/// too few.
/// Of no elements zeros.
Array resize(const Operand &x, const Shape &shape);

/// x without the zeros at the ends of its axes: of several axes, the smallest part that has all
/// else.
/// The elements decide the size of the result: their values must be known, so that x cannot be an
/// argument of jit or vmap.
Array trim_zeros(const Operand &x, std::string_view trim = "fb");

/// x with `value` where the indices along all axes are equal.
/// Of more than two axes, which have one size. Of an array of values the elements follow one
/// another along the diagonal, and begin again where they are too few. With `wrap` the diagonal of
/// a matrix that is higher than wide begins again one row below its end. NumPy's changes x in
/// place.
Array fill_diagonal(const Operand &x, const Operand &value, bool wrap = false);

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// An array filled with one number.
Array full(const Shape &shape, Scalar value, std::optional<Dtype> dtype = {}, std::optional<Device> device = {},
           Location at = Location::current());

/// start, start + step, ... : `length` numbers; element i is start + i * step, rounded once per
/// operation.
Array arange(Scalar start, std::optional<Scalar> stop = {}, Scalar step = 1, std::optional<Dtype> dtype = {},
             std::optional<Device> device = {}, Location at = Location::current());

/// The size of one axis of x as a rank-0 i64 array: a symbol's value, once it runs.
Array dimension(const Operand &x, Axis axis);

/// An array of x's shape, dtype and device (unless others are given), filled with one number.
Array full_like(const Operand &x, Scalar value, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// Zeros of x's shape, dtype and device (unless others are given).
Array zeros_like(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// Ones of x's shape, dtype and device (unless others are given).
Array ones_like(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// An array of zeros.
Array zeros(const Shape &shape, Dtype dtype = f32, std::optional<Device> device = {},
            Location at = Location::current());

/// An array of ones.
Array ones(const Shape &shape, Dtype dtype = f32, std::optional<Device> device = {}, Location at = Location::current());

/// An array of a shape, for who does not care what is in it: it is zeros.
Array empty(const Shape &shape, Dtype dtype = f32, std::optional<Device> device = {},
            Location at = Location::current());

/// An array of x's shape, dtype and device (unless others are given), whose elements are zeros.
Array empty_like(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// A number, nested lists or an array as an array, of that dtype and on that device.
Array asarray(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// A matrix of zeros with ones on the diagonal `k`: above the main one, below it where k is
/// negative.
Array eye(Dim rows, std::optional<Dim> columns = {}, int k = 0, Dtype dtype = f32, std::optional<Device> device = {},
          Location at = Location::current());

/// A square matrix of zeros with ones on the main diagonal.
Array identity(Dim size, Dtype dtype = f32, std::optional<Device> device = {}, Location at = Location::current());

/// 0, 1, 2, ...: `size` numbers, as `arange` makes them of numbers that are known.
Array iota(Dim size, Dtype dtype = i32, std::optional<Device> device = {}, Location at = Location::current());

/// For each axis of `shape` an array of it that holds the index along that axis; they are stacked
/// in front.
Array indices(const Shape &shape, Dtype dtype = i64, std::optional<Device> device = {},
              Location at = Location::current());

/// `num` numbers from start to stop at equal distances.
/// Of arrays of bounds the numbers are along a new axis in front. Between numbers they are computed
/// in f64 (c128) and rounded once. In an integer dtype they are rounded down, as in NumPy.
Array linspace(const Operand &start, const Operand &stop, int num = 50, bool endpoint = true,
               std::optional<Dtype> dtype = {});

/// `base` to the powers `linspace(start, stop, num, endpoint)`.
Array logspace(const Operand &start, const Operand &stop, int num = 50, bool endpoint = true, double base = 10,
               std::optional<Dtype> dtype = {});

/// `num` numbers from start to stop, each the same multiple of the one before.
/// The bounds have one sign; between bounds of two signs there is only NaN.
Array geomspace(const Operand &start, const Operand &stop, int num = 50, bool endpoint = true,
                std::optional<Dtype> dtype = {});

/// Arrays of one axis as the coordinates of a grid: the i-th result varies along its axis alone.
/// Views.
/// With `indexing` "xy" the first two axes of the grid are exchanged, as in NumPy; with "ij" axis i
/// is that of array i.
std::vector<Array> meshgrid(const Arrays &xs, std::string_view indexing = "xy", Location at = Location::current());

/// x with zeros above the diagonal `k` of its last two axes.
Array tril(const Operand &x, int k = 0);

/// x with zeros below the diagonal `k` of its last two axes.
Array triu(const Operand &x, int k = 0);

/// Of one axis: the matrix that has x on its diagonal `k`, else zeros. Of a matrix: that diagonal.
Array diag(const Operand &x, int k = 0);

/// The matrix that has the elements of x, row-major, on its diagonal `k`, else zeros.
Array diagflat(const Operand &x, int k = 0);

/// A matrix of ones on and below the diagonal `k`, else zeros.
Array tri(Dim rows, std::optional<Dim> columns = {}, int k = 0, Dtype dtype = f32, std::optional<Device> device = {},
          Location at = Location::current());

/// The triangle from 0 to 1 and back.
/// Symmetric; below a size of 1 without elements, at 1 a single 1. Computed in f64 and rounded
/// once.
Array bartlett(int size, Dtype dtype = f32, std::optional<Device> device = {}, Location at = Location::current());

/// 0.5 + 0.5 cos(pi t) for t from -1 to 1: the window of von Hann.
/// Symmetric; below a size of 1 without elements, at 1 a single 1. Computed in f64 and rounded
/// once.
Array hanning(int size, Dtype dtype = f32, std::optional<Device> device = {}, Location at = Location::current());

/// 0.54 + 0.46 cos(pi t) for t from -1 to 1: the window of Hamming.
/// Symmetric; below a size of 1 without elements, at 1 a single 1. Computed in f64 and rounded
/// once.
Array hamming(int size, Dtype dtype = f32, std::optional<Device> device = {}, Location at = Location::current());

/// 0.42 + 0.5 cos(pi t) + 0.08 cos(2 pi t) for t from -1 to 1: the window of Blackman.
/// Symmetric; below a size of 1 without elements, at 1 a single 1. Computed in f64 and rounded
/// once.
Array blackman(int size, Dtype dtype = f32, std::optional<Device> device = {}, Location at = Location::current());

/// i0(beta sqrt(1 - t^2)) / i0(beta) for t from -1 to 1: the window of Kaiser.
/// Symmetric; below a size of 1 without elements, at 1 a single 1. Computed in f64 and rounded
/// once.
Array kaiser(int size, double beta, Dtype dtype = f32, std::optional<Device> device = {},
             Location at = Location::current());

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

/// Windows of x, each where a row of `indices` says: StableHLO's gather.
/// `indices` is an array of integers; its last axis holds a start for each axis of x in
/// `start_index_map` (along the others windows start at 0). A window has `slice_sizes` elements
/// along the axes of x; those in `collapsed_slice_dims` are of one element and dropped. The result
/// has the axes of `indices` but the last, and the windows' axes at `offset_dims`. Along
/// `operand_batching_dims` x is indexed by the place in axis `start_indices_batching_dims` of
/// `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), has `fill_value` where it is
/// outside ("fill"), or is an Error ("error"), for which a start below 0 counts from the axis' end.
/// A window that is longer than x, of an axis without elements, is `fill_value` in both other
/// modes.
Array gather(const Operand &x, const Operand &indices, const Shape &slice_sizes, const Ints &offset_dims,
             const Ints &collapsed_slice_dims, const Ints &start_index_map, const Ints &operand_batching_dims = {},
             const Ints &start_indices_batching_dims = {}, std::string_view mode = "clip",
             std::optional<Scalar> fill_value = {});

/// x with elements replaced by those of `updates`, where `indices` say; the last one stays.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
              const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
              const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
              std::string_view mode = "drop");

/// x with `updates` added where `indices` say, one after another.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter_add(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
                  const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
                  const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
                  std::string_view mode = "drop");

/// x multiplied by `updates` where `indices` say, one after another.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter_mul(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
                  const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
                  const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
                  std::string_view mode = "drop");

/// The smaller of x and each of `updates` where `indices` say; NaN propagates.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter_min(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
                  const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
                  const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
                  std::string_view mode = "drop");

/// The larger of x and each of `updates` where `indices` say; NaN propagates.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter_max(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
                  const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
                  const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
                  std::string_view mode = "drop");

/// The part of x of `slice_sizes` that begins at `start_indices`, an integer of rank 0 for each
/// axis.
/// A start from which the part is not inside of x is moved, as in StableHLO.
Array dynamic_slice(const Operand &x, const Arrays &start_indices, const Shape &slice_sizes);

/// x with the part that begins at `start_indices`, an integer of rank 0 for each axis, replaced by
/// `update`.
/// A start from which `update` is not inside of x is moved, as in StableHLO.
Array dynamic_update_slice(const Operand &x, const Operand &update, const Arrays &start_indices);

/// The rows and the columns (i64) of the elements on and below the diagonal `k` of a matrix.
/// Row-major. Both together, as an index into x, take these elements.
TriangleIndices tril_indices(int rows, int k = 0, std::optional<int> columns = {}, std::optional<Device> device = {},
                             Location at = Location::current());

/// The rows and the columns (i64) of the elements on and above the diagonal `k` of a matrix.
/// Row-major. Both together, as an index into x, take these elements.
TriangleIndices triu_indices(int rows, int k = 0, std::optional<int> columns = {}, std::optional<Device> device = {},
                             Location at = Location::current());

/// `tril_indices` of the sizes of x.
TriangleIndices tril_indices_from(const Operand &x, int k = 0);

/// `triu_indices` of the sizes of x.
TriangleIndices triu_indices_from(const Operand &x, int k = 0);

/// The indices (i64) along each of `ndim` axes of the elements of a diagonal: 0, 1, ... for each.
std::vector<Array> diag_indices(Dim size, int ndim = 2, std::optional<Device> device = {},
                                Location at = Location::current());

/// `diag_indices` of x, whose axes have one size.
std::vector<Array> diag_indices_from(const Operand &x);

/// Arrays of one axis so that the i-th varies along axis i alone: as an index they take a grid of
/// elements.
/// Of truth values the places where they hold, which must be known: not while tracing.
std::vector<Array> ix_(const Arrays &xs, Location at = Location::current());

/// The elements of x at `indices` along `axis`; their axes stand where it does.
/// An index outside is an Error; below 0 it counts from the end. The part of an update, `x.at`, has
/// other modes.
Array take(const Operand &x, const Operand &indices, std::optional<Axis> axis = {});

/// Element by element of `indices`, what x has there along `axis`, at the same place along the
/// other axes.
/// `indices` has x's sizes but for that axis. What argsort gives sorts so.
Array take_along_axis(const Operand &x, const Operand &indices, Axis axis = -1);

/// x with `values` where take_along_axis(x, indices, axis) takes from; of one element's values the
/// last stays.
/// `indices` has x's sizes but for that axis; `values` are broadcast to its shape. An index outside
/// is an Error; below 0 it counts from the end. NumPy's changes x in place.
Array put_along_axis(const Operand &x, const Operand &indices, const Operand &values, Axis axis = -1);

/// The parts of x along `axis` for which `condition` holds.
/// The condition has one axis and may be shorter than that of x; what it does not name is left out.
/// It decides the size of the result: its values must be known, so that it cannot be an argument of
/// jit or vmap.
Array compress(const Operand &condition, const Operand &x, std::optional<Axis> axis = {});

/// Element by element the choice of the first condition that holds, else `otherwise`.
/// There is a choice for each condition. Choices are promoted to one dtype, and everything is
/// broadcast to one shape.
Array select(const Arrays &conditions, const Arrays &choices, Scalar otherwise = 0, Location at = Location::current());

/// Element by element the choice whose number x is.
/// Choices are promoted to one dtype, and everything is broadcast to one shape. A number that no
/// choice has is an Error; below 0 it counts from the last.
Array choose(const Operand &x, const Arrays &choices);

/// Places in an array of `shape` that is flattened, as an index along each axis.
/// A place outside of the array is one outside along axis 0.
std::vector<Array> unravel_index(const Operand &indices, const Shape &shape);

/// An index along each axis of `shape` as places in the array that is flattened.
/// The indices are broadcast to one shape. Whether they are inside is not looked at.
Array ravel_multi_index(const Arrays &indices, const Shape &shape, Location at = Location::current());

/// The sums of the parts of `data` that have one number in `segment_ids`, in their order; 0 where
/// there are none.
/// The segments need not be sorted; what has a number that no segment has is left out. As in JAX.
Array segment_sum(const Operand &data, const Operand &segment_ids, Dim num_segments);

/// The products of the parts of `data` that have one number in `segment_ids`; 1 where there are
/// none.
/// The segments need not be sorted; what has a number that no segment has is left out. As in JAX.
Array segment_prod(const Operand &data, const Operand &segment_ids, Dim num_segments);

/// The largest of the parts of `data` that have one number in `segment_ids`; the dtype's lowest
/// where there are none.
/// The segments need not be sorted; what has a number that no segment has is left out. As in JAX.
Array segment_max(const Operand &data, const Operand &segment_ids, Dim num_segments);

/// The smallest of the parts of `data` that have one number in `segment_ids`; the dtype's highest
/// where there are none.
/// The segments need not be sorted; what has a number that no segment has is left out. As in JAX.
Array segment_min(const Operand &data, const Operand &segment_ids, Dim num_segments);

/// x with `values` at `indices` of the flattened array; of one element's values the last stays.
/// Values that are too few begin again. An index outside is an Error ("error"; below 0 it counts
/// from the end), is moved inside ("clip"), or counted round ("wrap"). NumPy's changes x in place.
Array put(const Operand &x, const Operand &indices, const Operand &values, std::string_view mode = "error");

/// x with `values`, one after another, where `mask` holds; values that are too few begin again.
/// The mask has x's shape. NumPy's changes x in place.
Array place(const Operand &x, const Operand &mask, const Operand &values);

/// The elements of the flattened x for which `condition`, flattened, holds.
/// Under jit their number must be said: `size`. Of more, the first ones; of fewer, the rest is
/// `fill_value`.
Array extract(const Operand &condition, const Operand &x, std::optional<Dim> size = {}, Scalar fill_value = false);

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// The arrays, all of one shape, sorted together along `axis` by the first `keys` of them; the
/// first decides most.
/// Stable: what is equal keeps its order, -0 and +0 are equal. NaN comes last, whether ascending or
/// descending; complex numbers are ordered by their real parts, then by the imaginary ones.
std::vector<Array> sort_keys(const Arrays &xs, Axis axis = -1, int keys = 1, bool descending = false,
                             Location at = Location::current());

/// The indices (i64) along `axis` that sort x.
/// Stable: what is equal keeps its order, -0 and +0 are equal. NaN comes last, whether ascending or
/// descending; complex numbers are ordered by their real parts, then by the imaginary ones.
Array argsort(const Operand &x, Axis axis = -1, bool descending = false);

/// x sorted along `axis`.
/// Stable: what is equal keeps its order, -0 and +0 are equal. NaN comes last, whether ascending or
/// descending; complex numbers are ordered by their real parts, then by the imaginary ones.
Array sort(const Operand &x, Axis axis = -1, bool descending = false);

/// The indices (i64) along `axis` that sort by several keys, of one shape; the last one decides
/// most, as in NumPy.
Array lexsort(const Arrays &keys, Axis axis = -1, Location at = Location::current());

/// The `k` largest elements along `axis`, the largest first, and their indices (i32).
/// Of equal elements the one of the lower index comes first; NaN is the largest. -0 and +0 are
/// equal. Fewer than k are an Error, of a symbol's size at the call.
TopK top_k(const Operand &x, int k, Axis axis = -1);

/// The elements along `axis` in an order in which that at `kth` is where it is when they are
/// sorted.
/// What is before it is not greater, what is behind it is not less; NaN counts as largest. Here all
/// elements are sorted, as a partition may be.
Array partition(const Operand &x, int kth, Axis axis = -1);

/// The indices (i64) along `axis` of an order in which the element at `kth` is where it is when
/// they are sorted.
/// What is before it is not greater, what is behind it is not less; NaN counts as largest. Here all
/// elements are sorted, as a partition may be.
Array argpartition(const Operand &x, int kth, Axis axis = -1);

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

/// The places (i64) in the flattened x where it is true (not 0; NaN is true).
/// Under jit their number must be said: `size`. Of more, the first ones; of fewer, the rest is
/// `fill_value`.
Array flatnonzero(const Operand &x, std::optional<Dim> size = {}, int fill_value = 0);

/// For each axis of x the indices (i64) of the elements that are true (not 0), row-major.
/// Under jit their number must be said: `size`. Of more, the first ones; of fewer, the rest is
/// `fill_value`.
std::vector<Array> nonzero(const Operand &x, std::optional<Dim> size = {}, int fill_value = 0);

/// The indices (i64) of the elements that are true (not 0), row-major: a row for each, a column for
/// each axis.
/// `size` and `fill_value` are those of nonzero.
Array argwhere(const Operand &x, std::optional<Dim> size = {}, int fill_value = 0);

/// The values that x has.
/// Ascending; each NaN is a value of its own, and -0 is 0. Under jit the number of values must be
/// said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first
/// one, with counts of 0.
Array unique_values(const Operand &x, std::optional<Dim> size = {}, std::optional<Scalar> fill_value = {});

/// The values that x has, and how often (i64).
/// Ascending; each NaN is a value of its own, and -0 is 0. Under jit the number of values must be
/// said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first
/// one, with counts of 0.
UniqueCounts unique_counts(const Operand &x, std::optional<Dim> size = {}, std::optional<Scalar> fill_value = {});

/// The values that x has, and for each element of x the index (i64) of its value, in x's shape.
/// Ascending; each NaN is a value of its own, and -0 is 0. Under jit the number of values must be
/// said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first
/// one, with counts of 0.
UniqueInverse unique_inverse(const Operand &x, std::optional<Dim> size = {}, std::optional<Scalar> fill_value = {});

/// The values that x has; the index (i64) of the first of each in the flattened x; the values'
/// indices by element; how often each is there.
/// Ascending; each NaN is a value of its own, and -0 is 0. Under jit the number of values must be
/// said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first
/// one, with counts of 0.
UniqueAll unique_all(const Operand &x, std::optional<Dim> size = {}, std::optional<Scalar> fill_value = {});

/// How many elements of the sorted x1 stand before each of x2: i64, of x2's shape.
/// `side` "left": those that are less; "right": those that are not greater. NaN is the largest, as
/// where `sort` puts it.
Array searchsorted(const Operand &x1, const Operand &x2, std::string_view side = "left", const Operand &sorter = none);

/// The number of the bin that each element of x lies in: i64; 0 before the first edge, bins.size()
/// behind the last.
/// Bin i is [bins[i - 1], bins[i]), or (bins[i - 1], bins[i]] if `right`. Edges may descend: then
/// bin i is [bins[i], bins[i - 1]), or (bins[i], bins[i - 1]].
Array digitize(const Operand &x, const Operand &bins, bool right = false);

/// The values that x1 or x2 has.
/// Ascending and flat, each value once; each NaN is a value of its own, and -0 is 0. Under jit the
/// number of values must be said: `size`. Of more, the first ones; of fewer, the rest is
/// `fill_value`, by default the first one, or 0 where there is none.
Array union1d(const Operand &x1, const Operand &x2, std::optional<Dim> size = {},
              std::optional<Scalar> fill_value = {});

/// The values that both x1 and x2 have.
/// Ascending and flat, each value once; each NaN is a value of its own, and -0 is 0. Under jit the
/// number of values must be said: `size`. Of more, the first ones; of fewer, the rest is
/// `fill_value`, by default the first one, or 0 where there is none.
Array intersect1d(const Operand &x1, const Operand &x2, std::optional<Dim> size = {},
                  std::optional<Scalar> fill_value = {});

/// The values that x1 has and x2 has not.
/// Ascending and flat, each value once; each NaN is a value of its own, and -0 is 0. Under jit the
/// number of values must be said: `size`. Of more, the first ones; of fewer, the rest is
/// `fill_value`, by default the first one, or 0 where there is none.
Array setdiff1d(const Operand &x1, const Operand &x2, std::optional<Dim> size = {},
                std::optional<Scalar> fill_value = {});

/// The values that just one of x1 and x2 has.
/// Ascending and flat, each value once; each NaN is a value of its own, and -0 is 0. Under jit the
/// number of values must be said: `size`. Of more, the first ones; of fewer, the rest is
/// `fill_value`, by default the first one, or 0 where there is none.
Array setxor1d(const Operand &x1, const Operand &x2, std::optional<Dim> size = {},
               std::optional<Scalar> fill_value = {});

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

/// The matrix product over the last two axes; leading axes broadcast.
/// A rank-1 operand is a row (left) or a column (right) and its axis is dropped from the result, as
/// in NumPy. The same BLAS call runs eagerly and compiled.
Array matmul(const Operand &x1, const Operand &x2);

/// The sum of products over axes of both arrays; the other axes of x1 come first, then those of x2.
/// `axes` alone is a number: so many last axes of x1 and first ones of x2. With `axes2` they are
/// lists of axes, of x1 and of x2. The result has the dtype that both have after promotion;
/// integers wrap.
Array tensordot(const Operand &x1, const Operand &x2, const Ints &axes = 2, const Ints &axes2 = {});

/// The sum of conj(x1) * x2 along `axis`; the other axes broadcast.
/// The result has the dtype that both have after promotion; integers wrap.
Array vecdot(const Operand &x1, const Operand &x2, Axis axis = -1);

/// Each element of x1 times each of x2: a row for each of x1. Arrays are flattened.
Array outer(const Operand &x1, const Operand &x2);

/// The sum of products over the last axes of both arrays; beside an array of rank 0 the product.
Array inner(const Operand &x1, const Operand &x2);

/// NumPy's dot: over the last axis of x1 and the last but one of x2; of vectors and matrices it is
/// matmul.
/// Beside an array of rank 0 it is the product. `matmul` broadcasts leading axes, dot does not.
Array dot(const Operand &x1, const Operand &x2);

/// The Kronecker product: x1 with each element replaced by it times x2.
Array kron(const Operand &x1, const Operand &x2);

/// The cross product of the vectors of three elements along `axis`; the other axes broadcast.
Array cross(const Operand &x1, const Operand &x2, Axis axis = -1);

/// The sum of a diagonal of two axes: sum(diagonal(x, offset, axis1, axis2), -1).
Array trace(const Operand &x, int offset = 0, Axis axis1 = 0, Axis axis2 = 1);

//===----------------------------------------------------------------------===//
// Random
//===----------------------------------------------------------------------===//

namespace random {
/// Random u32 numbers, a function of the key alone: Threefry-2x32 as in JAX.
/// The key is u32[..., 2]; the result is u32[..., shape]: one block of `shape` per key. With
/// `words` = 2 the result is u32[..., shape, 2]: both words of Threefry's block (upper first)
/// instead of their exclusive or; they are 64 random bits, or a new key. Source: Salmon et al.,
/// "Parallel random numbers: as easy as 1, 2, 3", SC 2011; the counter layout is JAX's
/// jax_threefry_partitionable=True.
Array bits(const Operand &key, const Shape &shape, int words = 1, std::optional<Device> device = {});
} // namespace random

//===----------------------------------------------------------------------===//
// Neural
//===----------------------------------------------------------------------===//

/// maximum(x, 0).
/// The derivative at 0 is 0.
Array relu(const Operand &x);

/// exp(x - max) / sum(exp(x - max)) along `axis`.
/// Has the bits of its decomposition (max, subtract, exp, sum, divide), fused.
Array softmax(const Operand &x, Axis axis = -1);

/// log(softmax(x)) along `axis`, computed as x - max - log(sum(exp(x - max))).
/// Has the bits of its decomposition (max, subtract, exp, sum, log, subtract), fused.
Array log_softmax(const Operand &x, Axis axis = -1);

/// (x - mean) / sqrt(variance + epsilon) * scale + offset, mean and variance over the given axes of
/// x.
/// `scale` and `offset` have the sizes of those axes, or are numbers. The variance is the mean of
/// the squares of x - mean.
Array layer_norm(const Operand &x, const Ints &axes, const Operand &scale, const Operand &offset,
                 double epsilon = 1e-5);

/// A new last axis of `classes`: 1 at index x, else 0; all 0 where x is out of range.
Array one_hot(const Operand &x, Dim classes, Dtype dtype = f32);

/// 1 / (1 + exp(-x)); integers become f32.
/// Neither tail overflows or loses digits, nor do the derivatives.
/// Of complex numbers too, made of functions of their parts.
Array sigmoid(const Operand &x);

/// log(x / (1 - x)), the inverse of `sigmoid`: infinite at 0 and 1, NaN beyond; integers become
/// f32.
Array logit(const Operand &x);

/// log(1 + exp(x)), without overflow; integers become f32.
Array softplus(const Operand &x);

/// log(sigmoid(x)) as -softplus(-x); integers become f32.
Array log_sigmoid(const Operand &x);

/// log(1 - exp(-x)), precise near 0 and far from it: -inf at 0, NaN below; integers become f32.
/// Source: M. Maechler, "Accurately computing log(1 - exp(-|a|))", 2012.
Array log1mexp(const Operand &x);

/// x * sigmoid(x); 0 at -inf; integers become f32. Also `swish`.
/// Of complex numbers too, made of functions of their parts.
Array silu(const Operand &x);

/// x * sigmoid(x): `silu` by its other name.
/// Of complex numbers too, made of functions of their parts.
Array swish(const Operand &x);

/// x * sigmoid(sqrt(8 / pi) * (x + 0.044715 * x^3)), the tanh form of the Gaussian error linear
/// unit, or x / 2 * erfc(-x / sqrt(2)); integers become f32.
/// The first is the same as x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), without what
/// that sum loses for negative x. 0 at -inf. Source: D. Hendrycks and K. Gimpel, "Gaussian error
/// linear units", 2016.
Array gelu(const Operand &x, bool approximate = true);

/// x * tanh(softplus(x)); 0 at -inf; integers become f32.
Array mish(const Operand &x);

/// x where it is positive, else alpha * (exp(x) - 1); integers become f32.
/// The derivative at 0 is alpha.
Array elu(const Operand &x, double alpha = 1);

/// x where it is positive, else alpha * (exp(x / alpha) - 1), alpha not 0; integers become f32.
/// The derivative at 0 is 1.
Array celu(const Operand &x, double alpha = 1);

/// The `elu` with the alpha, and times the scale, that keep mean 0 and variance 1; integers become
/// f32.
/// Source: G. Klambauer et al., "Self-normalizing neural networks", 2017.
Array selu(const Operand &x);

/// x where it is not negative, else negative_slope * x; integers become f32.
/// The derivative at 0 is 1, as in JAX.
Array leaky_relu(const Operand &x, double negative_slope = 0.01);

/// minimum(maximum(x, 0), 6); integers become f32.
/// The derivative at 0 and at 6 is 0, as in PyTorch.
Array relu6(const Operand &x);

/// minimum(maximum(x, -1), 1); integers become f32.
/// The derivative at -1 and at 1 is 1, as in JAX.
Array hard_tanh(const Operand &x);

/// relu6(x + 3) / 6; integers become f32.
Array hard_sigmoid(const Operand &x);

/// x * hard_sigmoid(x); 0 at -inf; integers become f32. Also `hard_silu`.
Array hard_swish(const Operand &x);

/// x * hard_sigmoid(x): `hard_swish` by its other name.
Array hard_silu(const Operand &x);

/// x / (1 + |x|); -1 and 1 at the infinities; integers become f32. Also `softsign`.
Array soft_sign(const Operand &x);

/// x / (1 + |x|): `soft_sign` by its other name.
Array softsign(const Operand &x);

/// x, scaled down to the norm `max_norm` where its own, over the given axes or all, is larger.
/// Of complex numbers too, made of functions of their parts.
Array clip_by_norm(const Operand &x, double max_norm, const Ints &axes = {});

//===----------------------------------------------------------------------===//
// Other
//===----------------------------------------------------------------------===//

/// The operands, unchanged; nothing is moved, fused or simplified across it.
std::vector<Array> optimization_barrier(const Arrays &xs, Location at = Location::current());

/// x as a constant: the same elements, through which no derivative passes, forward or reverse.
/// A view: nothing is copied, and nothing is left of it in a compiled program. In what is
/// differentiated it stands for a number that was computed elsewhere; x itself keeps its
/// derivative.
Array stop_gradient(const Operand &x);

/// Writes `format` with the arrays' values to standard output when it runs; kept in order.
/// Each `{}` stands for the next array; `{:.3f}`, `{:>8}` format a rank-0 array as std::format does
/// a number of its dtype. Without a `{}` the arrays follow, separated by spaces. Under vmap the
/// examples print in order; under grad it prints once, forward.
void print(std::string_view format, const Arrays &xs = {}, Location at = Location::current());

/// An Error, of this line, unless all of `condition` is true (not 0) when it runs; its text is
/// `format` with the arrays' values.
/// The text is made as `print` makes a line. Of a compiled program that it ends nothing is updated:
/// arguments and Variables are as before. Kept in order with what prints and calls the host. Under
/// vmap it is about each example, and the first one that fails is told of; under grad it is checked
/// once, forward.
void check(const Operand &condition, std::string_view format, const Arrays &xs = {});

} // namespace tenon

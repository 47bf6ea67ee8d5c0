//===- Elementwise.td - elementwise ops and comparisons ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_ELEMENTWISE
#define TENON_ELEMENTWISE

include "Base.td"

def Tenon_AddOp : Tenon_Binary<"add", 1, [Commutative]> {
  let summary = "Element-wise `x1 + x2`. Integers wrap; on bools it is logical OR.";
  let dtypes = ["computed"];
  let boolExpression = "logical_or(x1, x2)";
  let wraps = 1;
  let linearIn = [["x1", "x2"]];
  let hasFolder = 1;
}
def Tenon_SubtractOp : Tenon_Binary<"subtract", 2> {
  let summary = "Element-wise `x1 - x2`. Integers wrap.";
  let dtypes = ["numeric"];
  let wraps = 1;
  let linearIn = [["x1", "x2"]];
  let hasFolder = 1;
}
def Tenon_MultiplyOp : Tenon_Binary<"multiply", 3, [Commutative]> {
  let summary = "Element-wise `x1 * x2`. Integers wrap; on bools it is logical AND. Complex numbers use the textbook formula.";
  let dtypes = ["computed"];
  let boolExpression = "logical_and(x1, x2)";
  let wraps = 1;
  let needs = ["x1", "x2"];
  let linearIn = [["x1"], ["x2"]];
  let hasFolder = 1;
}
def Tenon_DivideOp : Tenon_Binary<"divide", 4> {
  let summary = "Element-wise true division `x1 / x2`. Integers and bools become f32. Complex numbers use Smith's formula.";
  let promotion = "floating";
  let dtypes = ["floating", "complex"];
  let cost = 2;
  let needs = ["x1", "x2"];
  let linearIn = [["x1"]];
  let hasFolder = 1;
}
def Tenon_MaximumOp : Tenon_Binary<"maximum", 5, [Commutative]> {
  let summary = "Element-wise maximum. NaN propagates and -0 < +0 (IEEE 754-2019 `maximum`).";
  let description = [{At a tie, each operand gets half of the derivative, as in JAX.}];
  let boolExpression = "logical_or(x1, x2)";
  let isExact = 1;
  let hasFolder = 1;
  let needs = ["x1", "x2"];
}
def Tenon_MinimumOp : Tenon_Binary<"minimum", 6, [Commutative]> {
  let summary = "Element-wise minimum. NaN propagates and -0 < +0 (IEEE 754-2019 `minimum`).";
  let description = [{At a tie, each operand gets half of the derivative, as in JAX.}];
  let boolExpression = "logical_and(x1, x2)";
  let isExact = 1;
  let hasFolder = 1;
  let needs = ["x1", "x2"];
}
def Tenon_LogicalAndOp : Tenon_Logical<"logical_and", 7, [Commutative]> {
  let summary = "Element-wise logical AND, as bool. An operand of another dtype counts as `x != 0`. Also written `x1 && x2`.";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let hasFolder = 1;
}
def Tenon_LogicalOrOp : Tenon_Logical<"logical_or", 13, [Commutative]> {
  let summary = "Element-wise logical OR, as bool. An operand of another dtype counts as `x != 0`. Also written `x1 || x2`.";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let example = "Array outside = x < 0 || x > 1;";
  let hasFolder = 1;
}
def Tenon_LogicalXorOp : Tenon_Logical<"logical_xor", 122, [Commutative]> {
  let summary = "Element-wise logical XOR, as bool. An operand of another dtype counts as `x != 0`.";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
}
def Tenon_LogicalNotOp : Tenon_Logical<"logical_not", 28> {
  let summary = "Element-wise logical NOT, as bool. An operand of another dtype counts as `x != 0`. Also written `!x`.";
  let arguments = (ins Tenon_Tensor:$x);
  let door = "hand"; // of what is not bool it is x == 0
  let example = "Array kept = where(!mask, x, 0);";
  let hasFolder = 1;
}
def Tenon_RightShiftOp : Tenon_Binary<"right_shift", 8> {
  let summary = "Bitwise right shift `x1 >> x2` of integers. Signed integers keep their sign.";
  let description = [{A shift count outside [0, number of bits) gives 0, or -1 for a negative `x1`.}];
  let dtypes = ["integer"];
  let vjp = "zero";
}
def Tenon_LeftShiftOp : Tenon_Binary<"left_shift", 121> {
  let summary = "Bitwise left shift `x1 << x2` of integers. A shift count outside [0, number of bits) gives 0.";
  let dtypes = ["integer"];
  let wraps = 1;
  let vjp = "zero";
}
class Tenon_Bitwise<string mnemonic, int number> : Tenon_Binary<mnemonic, number, [Commutative]> {
  let dtypes = ["boolean", "integer"];
  let wraps = 1;
  let vjp = "zero";
}
def Tenon_BitwiseAndOp : Tenon_Bitwise<"bitwise_and", 117> {
  let summary = "Bitwise AND of integers; logical AND of bools. Also written `x1 & x2`.";
  let boolExpression = "logical_and(x1, x2)";
}
def Tenon_BitwiseOrOp : Tenon_Bitwise<"bitwise_or", 118> {
  let summary = "Bitwise OR of integers; logical OR of bools. Also written `x1 | x2`.";
  let boolExpression = "logical_or(x1, x2)";
}
def Tenon_BitwiseXorOp : Tenon_Bitwise<"bitwise_xor", 119> {
  let summary = "Bitwise XOR of integers; logical XOR of bools. Also written `x1 ^ x2`.";
  let boolExpression = "logical_xor(x1, x2)";
}
def Tenon_BitwiseInvertOp : Tenon_Unary<"bitwise_invert", 120> {
  let summary = "Bitwise NOT of integers; logical NOT of bools. Also written `~x`.";
  let dtypes = ["boolean", "integer"];
  let boolExpression = "logical_not(x)";
  let wraps = 1;
  let vjp = "zero";
}
class Tenon_Division<string mnemonic, int number> : Tenon_Binary<mnemonic, number> {
  let dtypes = ["real"];
  let isMath = 1; // of floats
  let cost = 8;
}
def Tenon_FloorDivideOp : Tenon_Division<"floor_divide", 115> {
  let summary = "Floor division: the largest integer that is at most `x1 / x2`.";
  let description = [{Division of integers by 0 gives 0; the smallest integer divided by -1 wraps. Floats follow
    NumPy: the result is computed from `x1 - fmod(x1, x2)`, is `x1 / x2` where `x2` is 0, and is NaN where `x1` is
    infinite. The derivative is 0.}];
  let vjp = "zero";
}
def Tenon_RemainderOp : Tenon_Division<"remainder", 116> {
  let summary = "Remainder of floor division, `x1 - floor_divide(x1, x2) * x2`; the result has the sign of `x2`. Also written `x1 % x2`.";
  let description = [{Integers give 0 where `x2` is 0. Floats give NaN where `x2` is 0 or `x1` is infinite. Where
    `x2` is infinite, the result is `x1` if both signs agree and `x2` otherwise.}];
  let needs = ["x1", "x2"];
}
def Tenon_FmodOp : Tenon_Division<"fmod", 170> {
  let summary = "Remainder of truncated division, as C's `fmod`; the result is exact and has the sign of `x1`.";
  let description = [{Integers give 0 where `x2` is 0. Floats give NaN where `x2` is 0 or `x1` is infinite, and `x1`
    where `x2` is infinite.}];
  let needs = ["x1", "x2", "result"];
}

class Tenon_Order<string mnemonic, int number, string operator> : Tenon_Compare<mnemonic, number, operator> {
  let door = "hand"; // refuses 0 <= x <= 2
}
def Tenon_LessEqualOp : Tenon_Order<"less_equal", 9, "<="> {
  let summary = "Element-wise `x1 <= x2`, as bool. False where either operand is NaN.";
}
def Tenon_LessOp : Tenon_Order<"less", 11, "<"> { let summary = "Element-wise `x1 < x2`, as bool. False where either operand is NaN."; }
def Tenon_EqualOp : Tenon_Compare<"equal", 10, "==", [Commutative]> {
  let summary = "Element-wise `x1 == x2`, as bool. False where either operand is NaN.";
  let dtypes = ["computed"];
  let wraps = 1;
}
def Tenon_NotEqualOp : Tenon_Compare<"not_equal", 12, "!=", [Commutative]> {
  let summary = "Element-wise `x1 != x2`, as bool. True where either operand is NaN.";
  let dtypes = ["computed"];
  let wraps = 1;
}

def Tenon_NegativeOp : Tenon_Unary<"negative", 20> {
  let summary = "Element-wise negation `-x`. Unsigned integers wrap.";
  let linearIn = [["x"]];
  let dtypes = ["numeric"];
  let wraps = 1;
  let isExact = 1;
  let hasFolder = 1;
}
def Tenon_AbsOp : Tenon_Unary<"abs", 21> {
  let isOfComplexToo = 1;
  let summary = "Absolute value. The smallest signed integer stays as it is (it has no positive counterpart).";
  let description = [{The derivative at 0 is 0.}];
  let dtypes = ["real"];
  let isExact = 1;
  let needs = ["x"];
}
def Tenon_ExpOp : Tenon_UnaryMath<"exp", 22, 4> {
  let isOfComplexToo = 1;
  let summary = "Exponential function `e^x`.";
  let needs = ["result"];
  let referenceUlp = 2;
}
def Tenon_LogOp : Tenon_UnaryMath<"log", 23, 4> {
  let isOfComplexToo = 1;
  let summary = "Natural logarithm. -inf at 0, NaN below 0.";
  let needs = ["x"];
  let referenceUlp = 2;
}
def Tenon_Log1pOp : Tenon_UnaryMath<"log1p", 27, 5> {
  let isOfComplexToo = 1;
  let summary = "`log(1 + x)`, accurate near 0. -inf at -1, NaN below -1.";
  let needs = ["x"];
  let referenceUlp = 2;
}
def Tenon_SqrtOp : Tenon_UnaryFloating<"sqrt", 24> {
  let isOfComplexToo = 1;
  let summary = "Square root, correctly rounded. NaN below 0.";
  let cost = 2;
  let needs = ["result"];
}
def Tenon_TanhOp : Tenon_UnaryMath<"tanh", 25, 6> {
  let isOfComplexToo = 1;
  let summary = "Hyperbolic tangent.";
  let needs = ["x"];
  let referenceUlp = 2;
}
def Tenon_CbrtOp : Tenon_UnaryMath<"cbrt", 26, 6> {
  let summary = "Cube root; the result has the sign of x.";
  let needs = ["result"];
  let referenceUlp = 1;
}
class Tenon_Function<string mnemonic, int number, int elementCost, list<string> needed>
    : Tenon_UnaryMath<mnemonic, number, elementCost> {
  let needs = needed;
  let referenceUlp = 2;
}
class Tenon_AnalyticFunction<string mnemonic, int number, int elementCost, list<string> needed>
    : Tenon_Function<mnemonic, number, elementCost, needed> {
  let isOfComplexToo = 1;
}
def Tenon_Exp2Op : Tenon_AnalyticFunction<"exp2", 150, 4, ["x"]> { let summary = "Power of two, `2^x`."; }
def Tenon_Expm1Op : Tenon_AnalyticFunction<"expm1", 151, 5, ["x"]> { let summary = "`exp(x) - 1`, accurate near 0."; }
def Tenon_Log2Op : Tenon_AnalyticFunction<"log2", 152, 5, ["x"]> {
  let summary = "Logarithm to base 2. -inf at 0, NaN below 0.";
}
def Tenon_Log10Op : Tenon_AnalyticFunction<"log10", 153, 5, ["x"]> {
  let summary = "Logarithm to base 10. -inf at 0, NaN below 0.";
}
def Tenon_SinOp : Tenon_AnalyticFunction<"sin", 154, 7, ["x"]> { let summary = "Sine of x in radians, accurate for arguments of any size."; }
def Tenon_CosOp : Tenon_AnalyticFunction<"cos", 155, 7, ["x"]> { let summary = "Cosine of x in radians, accurate for arguments of any size."; }
def Tenon_TanOp : Tenon_AnalyticFunction<"tan", 156, 9, ["result"]> { let summary = "Tangent of x in radians, accurate for arguments of any size."; }
def Tenon_AsinOp : Tenon_AnalyticFunction<"asin", 157, 7, ["x"]> {
  let summary = "Inverse sine, in [-pi/2, pi/2]. NaN outside [-1, 1].";
}
def Tenon_AcosOp : Tenon_AnalyticFunction<"acos", 158, 7, ["x"]> {
  let summary = "Inverse cosine, in [0, pi]. NaN outside [-1, 1].";
}
def Tenon_AtanOp : Tenon_AnalyticFunction<"atan", 159, 7, ["x"]> {
  let summary = "Inverse tangent, in [-pi/2, pi/2].";
}
def Tenon_SinhOp : Tenon_AnalyticFunction<"sinh", 160, 7, ["x"]> { let summary = "Hyperbolic sine."; }
def Tenon_CoshOp : Tenon_AnalyticFunction<"cosh", 161, 6, ["x"]> { let summary = "Hyperbolic cosine."; }
def Tenon_AsinhOp : Tenon_AnalyticFunction<"asinh", 162, 8, ["x"]> { let summary = "Inverse hyperbolic sine."; }
def Tenon_AcoshOp : Tenon_AnalyticFunction<"acosh", 163, 8, ["x"]> {
  let summary = "Inverse hyperbolic cosine, in [0, inf]. NaN below 1.";
}
def Tenon_AtanhOp : Tenon_AnalyticFunction<"atanh", 164, 7, ["x"]> {
  let summary = "Inverse hyperbolic tangent. Infinite at -1 and 1, NaN outside.";
}
def Tenon_ErfOp : Tenon_Function<"erf", 168, 8, ["x"]> {
  let summary = "Error function, `2 / sqrt(pi)` times the integral of `exp(-t^2)` for t from 0 to x.";
}
def Tenon_ErfcOp : Tenon_Function<"erfc", 169, 12, ["x"]> {
  let summary = "Complementary error function `1 - erf(x)`, accurate where the result is small.";
}
class Tenon_SpecialFunction<string mnemonic, int number, int elementCost, list<string> needed>
    : Tenon_Function<mnemonic, number, elementCost, needed> {
  let referenceUlp = 8;
}
def Tenon_LgammaOp : Tenon_SpecialFunction<"lgamma", 171, 25, ["x"]> {
  let summary = "Logarithm of the absolute value of the gamma function, `log(|gamma(x)|)`. Infinite at 0 and the negative integers.";
  let description = [{For negative x the error is relative to the larger of `|lgamma(x)|` and `lgamma(1 - x)`.}];
}
def Tenon_DigammaOp : Tenon_SpecialFunction<"digamma", 172, 25, ["x"]> {
  let summary = "Digamma function, the derivative of `lgamma`. -inf at 0, inf at -0, NaN at the negative integers.";
  let description = [{For negative x the error is relative to the larger of `|digamma(x)|` and `digamma(1 - x)`.}];
}
def Tenon_TrigammaOp : Tenon_SpecialFunction<"trigamma", 175, 20, ["x"]> {
  let summary = "Trigamma function, the derivative of `digamma`. Infinite at 0 and the negative integers.";
}
def Tenon_I0eOp : Tenon_SpecialFunction<"i0e", 173, 12, ["x"]> {
  let summary = "Exponentially scaled modified Bessel function of the first kind, order 0: `exp(-|x|) * I0(x)`.";
}
def Tenon_I1eOp : Tenon_SpecialFunction<"i1e", 174, 12, ["x", "result"]> {
  let summary = "Exponentially scaled modified Bessel function of the first kind, order 1: `exp(-|x|) * I1(x)`.";
}
def Tenon_PowOp : Tenon_BinaryMath<"pow", 165, 14> {
  let isOfComplexToo = 1;
  let summary = "Element-wise power `x1^x2`, with the special cases of C's `pow`.";
  let description = [{Of two integers an integer, which wraps around; a negative exponent is an Error, or, inside jit and
    vmap, where exponents are unknown, the power rounded to 0.

    `pow(x, 0)` and `pow(1, y)` are 1, even where the other operand is NaN. A negative `x1` with a
    non-integer `x2` gives NaN.}];
  let needs = ["x1", "x2"];
  let referenceUlp = 2;
}
def Tenon_HypotOp : Tenon_BinaryMath<"hypot", 166, 5> {
  let summary = "`sqrt(x1^2 + x2^2)` without intermediate overflow. Infinite where either operand is infinite, even if the other is NaN.";
  let needs = ["x1", "x2", "result"];
  let referenceUlp = 2;
}
def Tenon_LogaddexpOp : Tenon_BinaryMath<"logaddexp", 167, 9> {
  let summary = "`log(exp(x1) + exp(x2))` without intermediate overflow.";
  let needs = ["x1", "x2"];
  let referenceUlp = 4;
}
def Tenon_Atan2Op : Tenon_BinaryMath<"atan2", 14, 8> {
  let summary = "Angle of the point (x2, x1), in [-pi, pi]. Zeros and infinities as in C's `atan2`.";
  let needs = ["x1", "x2"];
  let referenceUlp = 2;
}
class Tenon_SpecialFunctionOfTwo<string mnemonic, int number, int elementCost, dag operands, list<string> needed>
    : Tenon_BinaryMath<mnemonic, number, elementCost> {
  let arguments = operands;
  let needs = needed;
  let referenceUlp = 16;
}
class Tenon_IncompleteGamma<string mnemonic, int number, int elementCost, list<string> needed>
    : Tenon_SpecialFunctionOfTwo<mnemonic, number, elementCost, (ins Tenon_Tensor:$a, Tenon_Tensor:$x), needed>;
def Tenon_IgammaOp : Tenon_IncompleteGamma<"igamma", 184, 150, ["a", "x"]> {
  let summary = "Regularized lower incomplete gamma function P(a, x).";
  let description = [{The integral of `t^(a - 1) exp(-t)` for t from 0 to x, divided by `gamma(a)`. NaN where a or x
    is negative; 1 for a = 0, 0 for infinite a. Accurate for every a; takes at most a few hundred iterations.}];
}
def Tenon_IgammacOp : Tenon_IncompleteGamma<"igammac", 185, 150, ["a", "x"]> {
  let summary = "Regularized upper incomplete gamma function `1 - igamma(a, x)`, accurate where the result is small.";
}
def Tenon_IgammaGradAOp : Tenon_IncompleteGamma<"igamma_grad_a", 186, 250, []> {
  let summary = "Derivative of `igamma(a, x)` with respect to a.";
  let noVjp = "igamma_grad_a has no derivative: igamma can be differentiated once by a, and any number of times by x";
}
def Tenon_BetaincOp : Tenon_TernaryMath<"betainc", 187, 200> {
  let summary = "Regularized incomplete beta function I_x(a, b).";
  let description = [{The integral of `t^(a - 1) (1 - t)^(b - 1)` for t from 0 to x, divided by the integral from 0
    to 1. NaN for negative a or b and for x outside [0, 1]. For a = 0 or infinite b the distribution is concentrated
    at 0; for b = 0 or infinite a, at 1. The number of iterations grows with the square root of max(a, b); where
    both are at least 2^33 the normal approximation is used.}];
  let arguments = (ins Tenon_Tensor:$a, Tenon_Tensor:$b, Tenon_Tensor:$x);
  let needs = ["a", "b", "x"];
  let referenceUlp = 16;
}
class Tenon_IncompleteBetaSlope<string mnemonic, int number> : Tenon_TernaryMath<mnemonic, number, 255> {
  let description = [{0 at the limits of x, a and b. Where both a and b are at least 2^33, the result is accurate to
    ten digits.}];
  let arguments = (ins Tenon_Tensor:$a, Tenon_Tensor:$b, Tenon_Tensor:$x);
  let noVjp = mnemonic # " has no derivative: betainc can be differentiated once by a and b, and any number of times by x";
  let referenceUlp = 32;
}
def Tenon_BetaincGradAOp : Tenon_IncompleteBetaSlope<"betainc_grad_a", 193> {
  let summary = "Derivative of `betainc(a, b, x)` with respect to a.";
}
def Tenon_BetaincGradBOp : Tenon_IncompleteBetaSlope<"betainc_grad_b", 194> {
  let summary = "Derivative of `betainc(a, b, x)` with respect to b.";
}
def Tenon_ZetaOp : Tenon_SpecialFunctionOfTwo<"zeta", 188, 60, (ins Tenon_Tensor:$x, Tenon_Tensor:$q), ["x", "q"]> {
  let summary = "Hurwitz zeta function, the sum of `(q + k)^-x` for k = 0, 1, 2, ...";
  let description = [{Infinite for x = 1 and where q is 0 or a negative integer; NaN for x < 1, and for q < 0 where
    x is not an integer. Differentiable with respect to q only.}];
}
def Tenon_PolygammaOp : Tenon_SpecialFunctionOfTwo<"polygamma", 189, 80, (ins Tenon_Tensor:$n, Tenon_Tensor:$x), ["n", "x"]> {
  let summary = "Polygamma function, the n-th derivative of `digamma(x)`. NaN where n is not a non-negative integer.";
  let description = [{Differentiable with respect to x only.}];
}

// Functions that only the derivatives of other functions use.
class Tenon_Slope<string mnemonic, int number, int elementCost, list<string> needed>
    : Tenon_Function<mnemonic, number, elementCost, needed> {
  let isPublic = 0;
  let referenceUlp = 8;
}
class Tenon_SlopeOfTwo<string mnemonic, int number, int elementCost, list<string> needed>
    : Tenon_BinaryMath<mnemonic, number, elementCost> {
  let isPublic = 0;
  let needs = needed;
  let referenceUlp = 8;
}
def Tenon_SechSquaredOp : Tenon_Slope<"sech_squared", 220, 6, ["x", "result"]> {
  let summary = "`1 / cosh(x)^2`, the derivative of `tanh`.";
}
def Tenon_GaussianOp : Tenon_Slope<"gaussian", 221, 6, ["x", "result"]> { let summary = "Gaussian `exp(-x^2)`."; }
def Tenon_BesselDifferenceOp : Tenon_Slope<"bessel_difference", 222, 40, ["x", "result"]> {
  let summary = "`exp(-|x|) * (I0(x) - |I1(x)|)`, of the modified Bessel functions of the first kind.";
}
def Tenon_LogisticDifferenceOp : Tenon_SlopeOfTwo<"logistic_difference", 223, 12, ["x1", "x2", "result"]> {
  let summary = "`1 / (1 + exp(x2 - x1))`, the derivative of `logaddexp(x1, x2)` with respect to `x1`.";
}
def Tenon_PowerSlopeOp : Tenon_SlopeOfTwo<"power_slope", 224, 20, ["x1", "x2", "result"]> {
  let summary = "`x2 * pow(x1, x2 - 1)`, the derivative of `pow(x1, x2)` with respect to `x1`. 0 where `x2` is 0.";
}
def Tenon_GammaDensityOp : Tenon_SlopeOfTwo<"gamma_density", 225, 60, ["a", "x", "result"]> {
  let summary = "`x^(a - 1) * exp(-x) / gamma(a)`, the derivative of `igamma(a, x)` with respect to x.";
  let arguments = (ins Tenon_Tensor:$a, Tenon_Tensor:$x);
}
def Tenon_BetaDensityOp : Tenon_TernaryMath<"beta_density", 226, 90> {
  let summary = "`x^(a - 1) * (1 - x)^(b - 1) / beta(a, b)`, the derivative of `betainc(a, b, x)` with respect to x.";
  let isPublic = 0;
  let arguments = (ins Tenon_Tensor:$a, Tenon_Tensor:$b, Tenon_Tensor:$x);
  let needs = ["a", "b", "x", "result"];
  let referenceUlp = 16;
}

class Tenon_Rounding<string mnemonic, int number> : Tenon_Unary<mnemonic, number> {
  let dtypes = ["real"];
  let isExact = 1;
  let vjp = "zero";
}
def Tenon_FloorOp : Tenon_Rounding<"floor", 110> { let summary = "Rounds down to the nearest integer; keeps the dtype of x."; }
def Tenon_CeilOp : Tenon_Rounding<"ceil", 111> { let summary = "Rounds up to the nearest integer; keeps the dtype of x."; }
def Tenon_TruncOp : Tenon_Rounding<"trunc", 112> { let summary = "Rounds toward zero to the nearest integer; keeps the dtype of x."; }
def Tenon_RoundOp : Tenon_Rounding<"round", 113> {
  let isOfComplexToo = 1;
  let summary = "Rounds to the nearest integer, halves to even; keeps the dtype of x.";
}
def Tenon_SignOp : Tenon_Rounding<"sign", 114> {
  let isOfComplexToo = 1;
  let summary = "Sign of x: -1, 0 or 1; NaN stays NaN. For complex numbers `x / |x|`, and 0 at 0.";
}
def Tenon_CopysignOp : Tenon_Binary<"copysign", 127> {
  let summary = "Magnitude of `x1` with the sign of `x2`; the sign bit of -0 and of NaN counts.";
  let promotion = "floating";
  let dtypes = ["floating"];
  let isExact = 1;
  let needs = ["x1", "x2"];
}
def Tenon_NextafterOp : Tenon_Binary<"nextafter", 128> {
  let summary = "Next representable number after `x1` in the direction of `x2`; `x2` where both are equal.";
  let promotion = "floating";
  let description = [{Floats of every dtype; f16 and bf16 are computed in f32.

    The derivative is 1 with respect to `x1`; where both are equal, with respect to `x2` instead.}];
  let dtypes = ["f32", "f64"];
  let cost = 3;
  let needs = ["x1", "x2"];
}
class Tenon_Classification<string mnemonic, int number> : Tenon_Unary<mnemonic, number> {
  let category = "comparison";
  let door = "hand"; // of integers and bools it is known
  let dtypes = ["floating"];
  let resultDtype = "bool";
  let vjp = "zero";
}
def Tenon_IsnanOp : Tenon_Classification<"isnan", 123> {
  let isOfComplexToo = 1;
  let summary = "Whether each element is NaN, as bool. A complex number is NaN if either part is.";
  let expression = "not_equal(x, x)";
}
def Tenon_IsinfOp : Tenon_Classification<"isinf", 124> {
  let isOfComplexToo = 1;
  let summary = "Whether each element is infinite, as bool. A complex number is infinite if either part is.";
  let expression = "equal(abs(x), like(x, __builtin_inf()))";
}
def Tenon_IsfiniteOp : Tenon_Classification<"isfinite", 125> {
  let isOfComplexToo = 1;
  let summary = "Whether each element is finite (neither infinite nor NaN), as bool.";
  let expression = "less(abs(x), like(x, __builtin_inf()))";
}
def Tenon_SignbitOp : Tenon_Classification<"signbit", 126> {
  let summary = "Whether the sign bit of each element is set, as bool; also true for -0 and for NaNs with the sign bit set.";
}
class Tenon_BitCount<string mnemonic, int number> : Tenon_Unary<mnemonic, number> {
  let dtypes = ["integer"];
  let wraps = 1;
  let cost = 4;
  let vjp = "zero";
}
def Tenon_PopcountOp : Tenon_BitCount<"popcount", 129> { let summary = "Number of one bits in each element, in the dtype of x."; }
def Tenon_ClzOp : Tenon_BitCount<"clz", 130> { let summary = "Number of leading zero bits in each element, in the dtype of x."; }
def Tenon_ReluOp : Tenon_Unary<"relu", 29> {
  let category = "neural";
  let summary = "Rectified linear unit, `maximum(x, 0)`.";
  let description = [{The derivative at 0 is 0.}];
  let dtypes = ["real"];
  let expression = "maximum(x, like(x, 0))";
  let isExact = 1;
  let needs = ["result"];
}
def Tenon_ClipOp : Tenon_Elementwise<"clip", 32> {
  let isMethod = 1;
  let summary = "Limits x to the range [lo, hi]: `minimum(maximum(x, lo), hi)`. An omitted bound does not limit.";
  let description = [{At a bound, x gets the whole derivative, as in PyTorch and TensorFlow.}];
  let dtypes = ["real"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$lo, Tenon_Tensor:$hi);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"lo", "operand", "none", "The lower bound.">,
                    Tenon_Parameter<"hi", "operand", "none", "The upper bound.">];
  let door = "hand";
  let expression = "minimum(maximum(x, lo), hi)";
  let isExact = 1;
  let needs = ["x", "lo", "hi"];
}
def Tenon_FmaOp : Tenon_Elementwise<"fma", 192> {
  let summary = "Fused multiply-add, `x1 * x2 + x3` rounded once. Integers wrap.";
  let description = [{f16 and bf16 are computed in f32 and rounded to their dtype at the end.}];
  let dtypes = ["real"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2, Tenon_Tensor:$x3);
  let wraps = 1;
  let needs = ["x1", "x2"];
  let referenceUlp = 1;
}
def Tenon_WhereOp : Tenon_Elementwise<"where", 30> {
  let summary = "Selects elements: `x1` where `condition` is true, `x2` elsewhere.";
  let description = [{A condition that is not bool counts as `condition != 0`. `x1` and `x2` are promoted to one
    dtype, and all three operands are broadcast to one shape.}];
  let arguments = (ins Tenon_Tensor:$condition, Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let door = "hand";
  let dtypes = ["any"];
  let isByHand = 1;
  let isExact = 1;
  let conditions = ["condition"];
  let needs = ["condition"];
  let linearIn = [["x1", "x2"]];
  let hasFolder = 1;
}
def Tenon_AstypeOp : Tenon_Elementwise<"astype", 31> {
  let isMethod = 1;
  let summary = "Converts each element of x to `dtype`.";
  let description = [{Float to integer truncates and saturates, and NaN gives 0. Conversion to bool is `x != 0`.
    Conversion to a narrower integer wraps. Conversion to a float rounds to nearest even; what exceeds the largest
    number becomes infinity (NaN in f8e4m3fn, which has no infinity). f8e4m3fn and f8e5m2 are storage dtypes: only
    `astype` accepts them, and derivatives do not pass through them. Converting complex to real is an error; use
    `real`.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dtype:$dtype);
  let door = "hand";
  let dtypes = ["any"];
  let shapeRule = "inferAstype";
  let isByHand = 1;
  let isExact = 1;
  let resultDtype = "attribute";
  let linearIn = [["x"]];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Complex numbers by their parts. Functions of complex numbers are made of these
// (lib/ops/composites/Complex.cpp).
//===----------------------------------------------------------------------===//

class Tenon_Part<string mnemonic, int number> : Tenon_Unary<mnemonic, number> {
  let door = "hand"; // of real numbers it is known
  let dtypes = ["complex"];
  let isByHand = 1;
  let isExact = 1;
  let resultDtype = "part";
  let linearIn = [["x"]];
}
def Tenon_RealOp : Tenon_Part<"real", 176> {
  let summary = "Real part of complex numbers (f32 for c64, f64 for c128); real arrays are returned unchanged.";
  let description = [{The result is a copy. The cotangent of x is `complex(cotangent, 0)`, as in JAX.}];
}
def Tenon_ImagOp : Tenon_Part<"imag", 177> {
  let summary = "Imaginary part of complex numbers (f32 for c64, f64 for c128); zeros of the same dtype for real arrays.";
  let description = [{The result is a copy. The cotangent of x is `complex(0, -cotangent)`, as in JAX.}];
}
def Tenon_ComplexOp : Tenon_Elementwise<"complex", 178> {
  let summary = "Complex numbers from real and imaginary parts: c64 from f32, c128 from f64. Integers and bools become f32.";
  let example = "Array z = complex(cos(angle), sin(angle));";
  let promotion = "floating";
  let dtypes = ["f32", "f64"];
  let arguments = (ins Tenon_Tensor:$re, Tenon_Tensor:$im);
  let isByHand = 1;
  let isExact = 1;
  let resultDtype = "pair";
  let linearIn = [["re", "im"]];
}
def Tenon_ConjOp : Tenon_Unary<"conj", 179> {
  let summary = "Complex conjugate; real arrays are returned unchanged.";
  let door = "hand"; // of real numbers it is known
  let dtypes = ["complex"];
  let isExact = 1;
  let linearIn = [["x"]];
}

#endif // TENON_ELEMENTWISE

//===- Elementwise.td - elementwise ops and comparisons ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_ELEMENTWISE
#define TENON_ELEMENTWISE

include "Base.td"

def Tenon_AddOp : Tenon_Binary<"add", 1, [Commutative]> {
  let summary = "x1 + x2; integers wrap; on bool, logical or.";
  let dtypes = ["computed"];
  let boolExpression = "logical_or(x1, x2)";
  let wraps = 1;
  let linearIn = [["x1", "x2"]];
  let hasFolder = 1;
}
def Tenon_SubtractOp : Tenon_Binary<"subtract", 2> {
  let summary = "x1 - x2; integers wrap.";
  let dtypes = ["numeric"];
  let wraps = 1;
  let linearIn = [["x1", "x2"]];
  let hasFolder = 1;
}
def Tenon_MultiplyOp : Tenon_Binary<"multiply", 3, [Commutative]> {
  let summary = "x1 * x2; integers wrap; on bool, logical and; complex by the plain formula.";
  let dtypes = ["computed"];
  let boolExpression = "logical_and(x1, x2)";
  let wraps = 1;
  let needs = ["x1", "x2"];
  let linearIn = [["x1"], ["x2"]];
  let hasFolder = 1;
}
def Tenon_DivideOp : Tenon_Binary<"divide", 4> {
  let summary = "x1 / x2, the true quotient; integers and bools become f32; complex by Smith's formula.";
  let promotion = "floating";
  let dtypes = ["floating", "complex"];
  let cost = 2;
  let needs = ["x1", "x2"];
  let linearIn = [["x1"]];
  let hasFolder = 1;
}
def Tenon_MaximumOp : Tenon_Binary<"maximum", 5, [Commutative]> {
  let summary = "The larger of two; IEEE 754-2019 maximum: NaN propagates, -0 < +0.";
  let description = [{The derivative at a tie goes half to each operand, as in JAX.}];
  let boolExpression = "logical_or(x1, x2)";
  let isExact = 1;
  let hasFolder = 1;
  let needs = ["x1", "x2"];
}
def Tenon_MinimumOp : Tenon_Binary<"minimum", 6, [Commutative]> {
  let summary = "The smaller of two; IEEE 754-2019 minimum: NaN propagates, -0 < +0.";
  let description = [{The derivative at a tie goes half to each operand, as in JAX.}];
  let boolExpression = "logical_and(x1, x2)";
  let isExact = 1;
  let hasFolder = 1;
  let needs = ["x1", "x2"];
}
def Tenon_LogicalAndOp : Tenon_Logical<"logical_and", 7, [Commutative]> {
  let summary = "x1 and x2 as truth values: bool; an operand that is not bool counts as x != 0. Also x1 && x2.";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let hasFolder = 1;
}
def Tenon_LogicalOrOp : Tenon_Logical<"logical_or", 13, [Commutative]> {
  let summary = "x1 or x2 as truth values: bool; an operand that is not bool counts as x != 0. Also x1 || x2.";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let example = "Array outside = x < 0 || x > 1;";
  let hasFolder = 1;
}
def Tenon_LogicalXorOp : Tenon_Logical<"logical_xor", 122, [Commutative]> {
  let summary = "Whether just one of x1 and x2 is true: bool; an operand that is not bool counts as x != 0.";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
}
def Tenon_LogicalNotOp : Tenon_Logical<"logical_not", 28> {
  let summary = "Where x is false: bool; an operand that is not bool counts as x != 0. Also !x.";
  let arguments = (ins Tenon_Tensor:$x);
  let door = "hand"; // of what is not bool it is x == 0
  let example = "Array kept = where(!mask, x, 0);";
  let hasFolder = 1;
}
def Tenon_RightShiftOp : Tenon_Binary<"right_shift", 8> {
  let summary = "x1 >> x2 on integers; signed shifts keep the sign; a count outside [0, bits) gives 0, or -1 for a negative x1.";
  let dtypes = ["integer"];
  let vjp = "zero";
}
def Tenon_LeftShiftOp : Tenon_Binary<"left_shift", 121> {
  let summary = "x1 << x2 on integers, also the operator; a count outside [0, bits) gives 0.";
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
  let summary = "The bits that both integers have; on bool, logical and. Also x1 & x2.";
  let boolExpression = "logical_and(x1, x2)";
}
def Tenon_BitwiseOrOp : Tenon_Bitwise<"bitwise_or", 118> {
  let summary = "The bits that either integer has; on bool, logical or. Also x1 | x2.";
  let boolExpression = "logical_or(x1, x2)";
}
def Tenon_BitwiseXorOp : Tenon_Bitwise<"bitwise_xor", 119> {
  let summary = "The bits that just one of two integers has; on bool, logical xor. Also x1 ^ x2.";
  let boolExpression = "logical_xor(x1, x2)";
}
def Tenon_BitwiseInvertOp : Tenon_Unary<"bitwise_invert", 120> {
  let summary = "The bits that an integer lacks; on bool, logical not. Also ~x.";
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
  let summary = "The largest integer that is not above x1 / x2; of integers 0 where x2 is 0, of floats x1 / x2.";
  let description = [{The smallest integer divided by -1 wraps: it is itself. Of floats it is made from x1 - fmod(x1, x2),
    with the rounding of NumPy; NaN for an infinite x1. The derivative is 0.}];
  let vjp = "zero";
}
def Tenon_RemainderOp : Tenon_Division<"remainder", 116> {
  let summary = "What floor_divide(x1, x2) leaves: it has the sign of x2. Also x1 % x2.";
  let description = [{Of integers 0 where x2 is 0. Of floats it is fmod(x1, x2), to which x2 is added where the signs
    differ: NaN where x2 is 0 or x1 infinite; x1 or x2, by its sign, where x2 is infinite.}];
  let needs = ["x1", "x2"];
}
def Tenon_FmodOp : Tenon_Division<"fmod", 170> {
  let summary = "x1 - trunc(x1 / x2) * x2, exactly: it has the sign of x1.";
  let description = [{Of integers 0 where x2 is 0. Of floats NaN where x2 is 0 or x1 infinite, x1 where x2 is infinite.}];
  let needs = ["x1", "x2", "result"];
}

class Tenon_Order<string mnemonic, int number, string operator> : Tenon_Compare<mnemonic, number, operator> {
  let door = "hand"; // refuses 0 <= x <= 2
}
def Tenon_LessEqualOp : Tenon_Order<"less_equal", 9, "<="> {
  let summary = "x1 <= x2: bool; false where either is NaN.";
}
def Tenon_LessOp : Tenon_Order<"less", 11, "<"> { let summary = "x1 < x2: bool; false where either is NaN."; }
def Tenon_EqualOp : Tenon_Compare<"equal", 10, "==", [Commutative]> {
  let summary = "x1 == x2: bool; false where either is NaN.";
  let dtypes = ["computed"];
  let wraps = 1;
}
def Tenon_NotEqualOp : Tenon_Compare<"not_equal", 12, "!=", [Commutative]> {
  let summary = "x1 != x2: bool; true where either is NaN.";
  let dtypes = ["computed"];
  let wraps = 1;
}

def Tenon_NegativeOp : Tenon_Unary<"negative", 20> {
  let summary = "-x; unsigned integers wrap.";
  let linearIn = [["x"]];
  let dtypes = ["numeric"];
  let wraps = 1;
  let isExact = 1;
  let hasFolder = 1;
}
def Tenon_AbsOp : Tenon_Unary<"abs", 21> {
  let isOfComplexToo = 1;
  let summary = "|x|; the smallest signed integer stays itself. The derivative at 0 is 0.";
  let dtypes = ["real"];
  let isExact = 1;
  let needs = ["x"];
}
def Tenon_ExpOp : Tenon_UnaryMath<"exp", 22, 4> {
  let isOfComplexToo = 1;
  let summary = "e to the power of x.";
  let needs = ["result"];
  let referenceUlp = 2;
}
def Tenon_LogOp : Tenon_UnaryMath<"log", 23, 4> {
  let isOfComplexToo = 1;
  let summary = "The natural logarithm; NaN below 0, -inf at 0.";
  let needs = ["x"];
  let referenceUlp = 2;
}
def Tenon_Log1pOp : Tenon_UnaryMath<"log1p", 27, 5> {
  let isOfComplexToo = 1;
  let summary = "log(1 + x), precise near 0; NaN below -1, -inf at -1.";
  let needs = ["x"];
  let referenceUlp = 2;
}
def Tenon_SqrtOp : Tenon_UnaryFloating<"sqrt", 24> {
  let isOfComplexToo = 1;
  let summary = "The square root, correctly rounded; NaN below 0.";
  let cost = 2;
  let needs = ["result"];
}
def Tenon_TanhOp : Tenon_UnaryMath<"tanh", 25, 6> {
  let isOfComplexToo = 1;
  let summary = "The hyperbolic tangent.";
  let needs = ["result"];
  let referenceUlp = 2;
}
def Tenon_CbrtOp : Tenon_UnaryMath<"cbrt", 26, 6> {
  let summary = "The cube root; keeps the sign.";
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
def Tenon_Exp2Op : Tenon_AnalyticFunction<"exp2", 150, 4, ["result"]> { let summary = "2 to the power of x."; }
def Tenon_Expm1Op : Tenon_AnalyticFunction<"expm1", 151, 5, ["result"]> { let summary = "exp(x) - 1, precise near 0."; }
def Tenon_Log2Op : Tenon_AnalyticFunction<"log2", 152, 5, ["x"]> {
  let summary = "The logarithm to base 2; NaN below 0, -inf at 0.";
}
def Tenon_Log10Op : Tenon_AnalyticFunction<"log10", 153, 5, ["x"]> {
  let summary = "The logarithm to base 10; NaN below 0, -inf at 0.";
}
def Tenon_SinOp : Tenon_AnalyticFunction<"sin", 154, 7, ["x"]> { let summary = "The sine of x in radians, of any size."; }
def Tenon_CosOp : Tenon_AnalyticFunction<"cos", 155, 7, ["x"]> { let summary = "The cosine of x in radians, of any size."; }
def Tenon_TanOp : Tenon_AnalyticFunction<"tan", 156, 9, ["result"]> { let summary = "The tangent of x in radians, of any size."; }
def Tenon_AsinOp : Tenon_AnalyticFunction<"asin", 157, 7, ["x"]> {
  let summary = "The angle in [-pi/2, pi/2] whose sine is x; NaN outside of [-1, 1].";
}
def Tenon_AcosOp : Tenon_AnalyticFunction<"acos", 158, 7, ["x"]> {
  let summary = "The angle in [0, pi] whose cosine is x; NaN outside of [-1, 1].";
}
def Tenon_AtanOp : Tenon_AnalyticFunction<"atan", 159, 7, ["x"]> {
  let summary = "The angle in [-pi/2, pi/2] whose tangent is x.";
}
def Tenon_SinhOp : Tenon_AnalyticFunction<"sinh", 160, 7, ["x"]> { let summary = "The hyperbolic sine."; }
def Tenon_CoshOp : Tenon_AnalyticFunction<"cosh", 161, 6, ["x"]> { let summary = "The hyperbolic cosine."; }
def Tenon_AsinhOp : Tenon_AnalyticFunction<"asinh", 162, 8, ["x"]> { let summary = "The number whose hyperbolic sine is x."; }
def Tenon_AcoshOp : Tenon_AnalyticFunction<"acosh", 163, 8, ["x"]> {
  let summary = "The number from 0 on whose hyperbolic cosine is x; NaN below 1.";
}
def Tenon_AtanhOp : Tenon_AnalyticFunction<"atanh", 164, 7, ["x"]> {
  let summary = "The number whose hyperbolic tangent is x; infinite at -1 and 1, NaN beyond.";
}
def Tenon_ErfOp : Tenon_Function<"erf", 168, 8, ["x"]> {
  let summary = "The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.";
}
def Tenon_ErfcOp : Tenon_Function<"erfc", 169, 12, ["x"]> {
  let summary = "1 - erf(x), relatively precise where that is small.";
}
class Tenon_SpecialFunction<string mnemonic, int number, int elementCost, list<string> needed>
    : Tenon_Function<mnemonic, number, elementCost, needed> {
  let referenceUlp = 8;
}
def Tenon_LgammaOp : Tenon_SpecialFunction<"lgamma", 171, 25, ["x"]> {
  let summary = "log(|gamma(x)|); infinite at 0 and the integers below.";
  let description = [{Below 0 precise beside the larger of it and lgamma(1 - x).}];
}
def Tenon_DigammaOp : Tenon_SpecialFunction<"digamma", 172, 25, ["x"]> {
  let summary = "The derivative of lgamma; NaN at the integers below 0, -inf at 0, inf at -0.";
  let description = [{Below 0 precise beside the larger of it and digamma(1 - x).}];
}
def Tenon_TrigammaOp : Tenon_SpecialFunction<"trigamma", 175, 20, ["x"]> {
  let summary = "The derivative of digamma; infinite at 0 and the integers below.";
}
def Tenon_I0eOp : Tenon_SpecialFunction<"i0e", 173, 12, ["x", "result"]> {
  let summary = "exp(-|x|) I0(x), of the modified Bessel function of the first kind and order 0.";
}
def Tenon_I1eOp : Tenon_SpecialFunction<"i1e", 174, 12, ["x", "result"]> {
  let summary = "exp(-|x|) I1(x), of order 1.";
}
def Tenon_PowOp : Tenon_BinaryMath<"pow", 165, 14> {
  let isOfComplexToo = 1;
  let summary = "x1 to the power of x2, as floats; special cases as in C.";
  let description = [{pow(x, 0) and pow(1, y) are 1, also of NaN; a negative x1 has powers of integers only.}];
  let needs = ["x1", "x2", "result"];
  let referenceUlp = 2;
}
def Tenon_HypotOp : Tenon_BinaryMath<"hypot", 166, 5> {
  let summary = "sqrt(x1 * x1 + x2 * x2) without overflow on the way; infinite where either is, also beside NaN.";
  let needs = ["x1", "x2", "result"];
  let referenceUlp = 2;
}
def Tenon_LogaddexpOp : Tenon_BinaryMath<"logaddexp", 167, 9> {
  let summary = "log(exp(x1) + exp(x2)) without overflow on the way.";
  let needs = ["x1", "x2", "result"];
  let referenceUlp = 4;
}
def Tenon_Atan2Op : Tenon_BinaryMath<"atan2", 14, 8> {
  let summary = "The angle of the point (x2, x1), in [-pi, pi]; zeros and infinities as in C.";
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
  let summary = "The share of the integral of t^(a - 1) exp(-t) over t from 0 on that lies below x.";
  let description = [{The regularised lower incomplete gamma function. NaN below 0 of either operand; of a = 0 it is 1,
    of an infinite a 0. Precise for any a, at most some hundred rounds.}];
}
def Tenon_IgammacOp : Tenon_IncompleteGamma<"igammac", 185, 150, ["a", "x"]> {
  let summary = "1 - igamma(a, x), relatively precise where that is small.";
}
def Tenon_IgammaGradAOp : Tenon_IncompleteGamma<"igamma_grad_a", 186, 250, []> {
  let summary = "The derivative of igamma(a, x) by a.";
  let noVjp = "igamma_grad_a has no derivative: igamma can be differentiated once by a, and any number of times by x";
}
def Tenon_BetaincOp : Tenon_TernaryMath<"betainc", 187, 200> {
  let summary = "The share of the integral of t^(a - 1) (1 - t)^(b - 1) over t from 0 to 1 that lies below x.";
  let description = [{The regularised incomplete beta function. NaN for a negative a or b and for x outside of [0, 1]; all
    lies at 0 where a is 0 or b infinite, at 1 where b is 0 or a infinite. Rounds grow as the root of the larger of a
    and b; where both are 2^33 or more it is the normal distribution's, which they come to.}];
  let arguments = (ins Tenon_Tensor:$a, Tenon_Tensor:$b, Tenon_Tensor:$x);
  let needs = ["a", "b", "x"];
  let referenceUlp = 16;
}
class Tenon_IncompleteBetaSlope<string mnemonic, int number> : Tenon_TernaryMath<mnemonic, number, 255> {
  let description = [{0 at the ends of x, of a and of b. Where both parameters are 2^33 or more it has ten digits.}];
  let arguments = (ins Tenon_Tensor:$a, Tenon_Tensor:$b, Tenon_Tensor:$x);
  let noVjp = mnemonic # " has no derivative: betainc can be differentiated once by a and b, and any number of times by x";
  let referenceUlp = 32;
}
def Tenon_BetaincGradAOp : Tenon_IncompleteBetaSlope<"betainc_grad_a", 193> {
  let summary = "The derivative of betainc(a, b, x) by a.";
}
def Tenon_BetaincGradBOp : Tenon_IncompleteBetaSlope<"betainc_grad_b", 194> {
  let summary = "The derivative of betainc(a, b, x) by b.";
}
def Tenon_ZetaOp : Tenon_SpecialFunctionOfTwo<"zeta", 188, 60, (ins Tenon_Tensor:$x, Tenon_Tensor:$q), ["x", "q"]> {
  let summary = "Hurwitz' zeta function: the sum of (q + k)^-x over k from 0 on.";
  let description = [{Infinite for x = 1 and where q is 0 or an integer below; NaN for x < 1, and for q < 0 where x is no
    integer. It has a derivative by q alone.}];
}
def Tenon_PolygammaOp : Tenon_SpecialFunctionOfTwo<"polygamma", 189, 80, (ins Tenon_Tensor:$n, Tenon_Tensor:$x), ["n", "x"]> {
  let summary = "The derivative of order n of digamma(x); NaN where n is no integer from 0 on.";
  let description = [{It has a derivative by x alone.}];
}
class Tenon_Rounding<string mnemonic, int number> : Tenon_Unary<mnemonic, number> {
  let dtypes = ["real"];
  let isExact = 1;
  let vjp = "zero";
}
def Tenon_FloorOp : Tenon_Rounding<"floor", 110> { let summary = "The largest integer that is not above x, in x's dtype."; }
def Tenon_CeilOp : Tenon_Rounding<"ceil", 111> { let summary = "The smallest integer that is not below x, in x's dtype."; }
def Tenon_TruncOp : Tenon_Rounding<"trunc", 112> { let summary = "x without its fraction, in x's dtype."; }
def Tenon_RoundOp : Tenon_Rounding<"round", 113> {
  let isOfComplexToo = 1;
  let summary = "The nearest integer, of two the even one, in x's dtype.";
}
def Tenon_SignOp : Tenon_Rounding<"sign", 114> {
  let isOfComplexToo = 1;
  let summary = "-1, 0 or 1, as x is below, at or above 0; NaN stays. Of complex numbers x / |x|, with one infinite part 1 or -1 there.";
}
def Tenon_CopysignOp : Tenon_Binary<"copysign", 127> {
  let summary = "|x1| with the sign of x2, also that of -0 and NaN.";
  let promotion = "floating";
  let dtypes = ["floating"];
  let isExact = 1;
  let needs = ["x1", "x2"];
}
def Tenon_NextafterOp : Tenon_Binary<"nextafter", 128> {
  let summary = "The number next to x1 on the way to x2, in their dtype; x2 where they are equal.";
  let promotion = "floating";
  let description = [{The derivative is that of x1; of x2 where they are equal.}];
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
  let summary = "Where x, or a part of it, is not a number: bool.";
  let expression = "not_equal(x, x)";
}
def Tenon_IsinfOp : Tenon_Classification<"isinf", 124> {
  let isOfComplexToo = 1;
  let summary = "Where x, or a part of it, is infinite, of either sign: bool.";
  let expression = "equal(abs(x), like(x, __builtin_inf()))";
}
def Tenon_IsfiniteOp : Tenon_Classification<"isfinite", 125> {
  let isOfComplexToo = 1;
  let summary = "Where x is neither infinite nor NaN: bool.";
  let expression = "less(abs(x), like(x, __builtin_inf()))";
}
def Tenon_SignbitOp : Tenon_Classification<"signbit", 126> {
  let summary = "Where x has the sign -, also that of -0 and NaN: bool.";
}
class Tenon_BitCount<string mnemonic, int number> : Tenon_Unary<mnemonic, number> {
  let dtypes = ["integer"];
  let wraps = 1;
  let cost = 4;
  let vjp = "zero";
}
def Tenon_PopcountOp : Tenon_BitCount<"popcount", 129> { let summary = "How many bits of x are 1, in x's dtype."; }
def Tenon_ClzOp : Tenon_BitCount<"clz", 130> { let summary = "How many bits of x above the highest 1 are 0, in x's dtype."; }
def Tenon_ReluOp : Tenon_Unary<"relu", 29> {
  let category = "neural";
  let summary = "maximum(x, 0).";
  let description = [{The derivative at 0 is 0.}];
  let dtypes = ["real"];
  let expression = "maximum(x, like(x, 0))";
  let isExact = 1;
  let needs = ["result"];
}
def Tenon_ClipOp : Tenon_Elementwise<"clip", 32> {
  let summary = "minimum(maximum(x, lo), hi); a bound that is left out does not bound.";
  let description = [{The derivative at a bound goes to x, as in PyTorch and TensorFlow.}];
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
  let summary = "x1 * x2 + x3 with one rounding; integers wrap.";
  let description = [{Narrow floats are computed in f32 and rounded once more.}];
  let dtypes = ["real"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2, Tenon_Tensor:$x3);
  let wraps = 1;
  let needs = ["x1", "x2"];
  let referenceUlp = 1;
}
def Tenon_WhereOp : Tenon_Elementwise<"where", 30> {
  let summary = "x1 where the condition holds, else x2.";
  let description = [{The condition is bool (another dtype counts as c != 0); x1 and x2 are promoted to one dtype;
    all three are broadcast to one shape.}];
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
  let summary = "x with each element converted to `dtype`.";
  let description = [{Float to integer truncates and saturates, NaN gives 0; to bool is x != 0; integer to a narrower
    integer wraps; to a float rounds to nearest even, and what is past its largest number is infinity, or NaN in
    f8e4m3fn, which has none. f8e4m3fn and f8e5m2 only store numbers: nothing but astype computes with them, and no
    derivative passes through them. Complex to real is an error.}];
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
  let summary = "The real parts of complex numbers, f32 of c64 and f64 of c128; other arrays as they are.";
  let description = [{A copy. Cotangents are JAX's: that of x is complex(cotangent, 0).}];
}
def Tenon_ImagOp : Tenon_Part<"imag", 177> {
  let summary = "The imaginary parts of complex numbers, f32 of c64 and f64 of c128; of other arrays 0, in their dtype.";
  let description = [{A copy. Cotangents are JAX's: that of x is complex(0, -cotangent).}];
}
def Tenon_ComplexOp : Tenon_Elementwise<"complex", 178> {
  let summary = "The complex numbers of these parts: c64 of f32, c128 of f64; integers and bools become f32.";
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
  let summary = "The conjugates of complex numbers: the sign of the imaginary parts is flipped; other arrays as they are.";
  let door = "hand"; // of real numbers it is known
  let dtypes = ["complex"];
  let isExact = 1;
  let linearIn = [["x"]];
}

#endif // TENON_ELEMENTWISE

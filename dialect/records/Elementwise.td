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
  let hasFolder = 1;
}
def Tenon_SubtractOp : Tenon_Binary<"subtract", 2> {
  let summary = "x1 - x2; integers wrap.";
  let dtypes = ["numeric"];
  let wraps = 1;
  let hasFolder = 1;
}
def Tenon_MultiplyOp : Tenon_Binary<"multiply", 3, [Commutative]> {
  let summary = "x1 * x2; integers wrap; on bool, logical and; complex by the plain formula.";
  let dtypes = ["computed"];
  let boolExpression = "logical_and(x1, x2)";
  let wraps = 1;
  let needs = ["x1", "x2"];
  let hasFolder = 1;
}
def Tenon_DivideOp : Tenon_Binary<"divide", 4> {
  let summary = "x1 / x2, the true quotient; integers and bools become f32; complex by Smith's formula.";
  let promotion = "floating";
  let dtypes = ["floating", "complex"];
  let cost = 2;
  let needs = ["x1", "x2"];
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
  let dtypes = ["numeric"];
  let wraps = 1;
  let isExact = 1;
  let hasFolder = 1;
}
def Tenon_AbsOp : Tenon_Unary<"abs", 21> {
  let summary = "|x|; the smallest signed integer stays itself. The derivative at 0 is 0.";
  let dtypes = ["real"];
  let isExact = 1;
  let needs = ["x"];
}
def Tenon_ExpOp : Tenon_UnaryMath<"exp", 22, 4> {
  let summary = "e to the power of x.";
  let needs = ["result"];
  let referenceUlp = 2;
}
def Tenon_LogOp : Tenon_UnaryMath<"log", 23, 4> {
  let summary = "The natural logarithm; NaN below 0, -inf at 0.";
  let needs = ["x"];
  let referenceUlp = 2;
}
def Tenon_Log1pOp : Tenon_UnaryMath<"log1p", 27, 5> {
  let summary = "log(1 + x), precise near 0; NaN below -1, -inf at -1.";
  let needs = ["x"];
  let referenceUlp = 2;
}
def Tenon_SqrtOp : Tenon_UnaryFloating<"sqrt", 24> {
  let summary = "The square root, correctly rounded; NaN below 0.";
  let cost = 2;
  let needs = ["result"];
}
def Tenon_TanhOp : Tenon_UnaryMath<"tanh", 25, 6> {
  let summary = "The hyperbolic tangent.";
  let needs = ["result"];
  let referenceUlp = 2;
}
def Tenon_CbrtOp : Tenon_UnaryMath<"cbrt", 26, 6> {
  let summary = "The cube root; keeps the sign.";
  let needs = ["result"];
  let referenceUlp = 1;
}
def Tenon_Atan2Op : Tenon_BinaryMath<"atan2", 14, 8> {
  let summary = "The angle of the point (x2, x1), in [-pi, pi]; zeros and infinities as in C.";
  let needs = ["x1", "x2"];
  let referenceUlp = 2;
}
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
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

#endif // TENON_ELEMENTWISE

//===- Elementwise.td - functions of an element, composed -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_ELEMENTWISE_COMPOSITES
#define TENON_ELEMENTWISE_COMPOSITES

include "Elementwise.td"

// The array API's names.
def Tenon_BitwiseLeftShift : Tenon_Alias<"bitwise_left_shift", Tenon_LeftShiftOp, "left_shift(x1, x2)">;
def Tenon_BitwiseRightShift : Tenon_Alias<"bitwise_right_shift", Tenon_RightShiftOp, "right_shift(x1, x2)">;

class Tenon_CompositeCompare<string name> : Tenon_Composite<name> {
  let category = "comparison";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
}
def Tenon_Greater : Tenon_CompositeCompare<"greater"> { let summary = "x1 > x2: bool; false where either is NaN."; }
def Tenon_GreaterEqual : Tenon_CompositeCompare<"greater_equal"> {
  let summary = "x1 >= x2: bool; false where either is NaN.";
}
class Tenon_Arithmetic<string name> : Tenon_Composite<name> {
  let category = "elementwise";
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$x);
  let door = "expression";
}
def Tenon_Square : Tenon_Arithmetic<"square"> {
  let summary = "x * x.";
  let expression = "multiply(x, x)";
}
def Tenon_Positive : Tenon_Arithmetic<"positive"> {
  let summary = "x itself.";
  let expression = "detail::toArray(x, OpCode::negative)";
}
def Tenon_Reciprocal : Tenon_Arithmetic<"reciprocal"> {
  let summary = "1 / x; integers become f32.";
  let expression = "divide(1, x)";
}
def Tenon_Rsqrt : Tenon_Arithmetic<"rsqrt"> {
  let summary = "1 / sqrt(x); integers become f32.";
  let dtypes = ["real"];
  let expression = "divide(1, sqrt(x))";
  let referenceUlp = 2;
}
def Tenon_ErfInv : Tenon_Composite<"erf_inv"> {
  let category = "elementwise";
  let summary = "The inverse error function. Source: M. Giles, \"Approximating the erfinv function\", GPU Gems 2011.";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x);
  let referenceUlp = 8;
}

// Of floats; integers and bools become f32. Narrow floats are computed in f32 and
// rounded once.
class Tenon_OfFloats<string name, int ulp> : Tenon_Composite<name> {
  let category = "elementwise";
  let dtypes = ["floating"];
  let referenceUlp = ulp;
}
class Tenon_OfOne<string name, int ulp> : Tenon_OfFloats<name, ulp> { let arguments = (ins Tenon_Tensor:$x); }
class Tenon_OfTwo<string name, int ulp> : Tenon_OfFloats<name, ulp> {
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
}

def Tenon_Sinc : Tenon_OfOne<"sinc", 16> {
  let summary = "sin(pi * x) / (pi * x), and 1 at 0; integers become f32.";
  let description = [{The derivatives are right near 0 too.}];
}
def Tenon_Deg2rad : Tenon_OfOne<"deg2rad", 2> { let summary = "x * pi / 180: degrees as radians; integers become f32."; }
def Tenon_Rad2deg : Tenon_OfOne<"rad2deg", 2> { let summary = "x * 180 / pi: radians as degrees; integers become f32."; }
def Tenon_NanToNum : Tenon_Composite<"nan_to_num"> {
  let category = "elementwise";
  let summary = "x with numbers for NaN and the infinities; integers and bools as they are.";
  let description = [{What replaces an infinity is by default the largest number of the dtype, or the smallest. Where x is
    replaced, its derivative is 0.}];
  let isOfComplexToo = 1;
  let dtypes = ["ordered"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"nan", "number", "0", "For NaN.">,
    Tenon_Parameter<"posinf", "number", "none", "For +inf; left out: the largest finite number.">,
    Tenon_Parameter<"neginf", "number", "none", "For -inf; left out: the smallest finite number.">];
}

def Tenon_Xlogy : Tenon_OfTwo<"xlogy", 8> {
  let summary = "x1 * log(x2), and 0 where x1 is 0 and x2 is not NaN; integers become f32.";
  let description = [{Where x1 is 0 the derivatives are 0 too.}];
}
def Tenon_Xlog1py : Tenon_OfTwo<"xlog1py", 8> {
  let summary = "x1 * log1p(x2), and 0 where x1 is 0 and x2 is not NaN; integers become f32.";
  let description = [{Where x1 is 0 the derivatives are 0 too.}];
}
def Tenon_Logaddexp2 : Tenon_OfTwo<"logaddexp2", 8> {
  let summary = "log2(2^x1 + 2^x2), without overflow; integers become f32.";
}
def Tenon_Heaviside : Tenon_OfTwo<"heaviside", 0> {
  let summary = "0 where x1 is negative, 1 where it is positive, x2 where it is 0, NaN where it is NaN; integers become f32.";
}
def Tenon_Ldexp : Tenon_OfFloats<"ldexp", 0> {
  let summary = "x1 * 2^x2 for integers x2, rounded once however large they are; integers x1 become f32.";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand", "", "Integers.">];
}
def Tenon_Frexp : Tenon_OfFloats<"frexp", 0> {
  let summary = "The mantissa, of magnitude in [1/2, 1), and the exponent of which x is mantissa * 2^exponent; integers become f32.";
  let description = [{0, infinities and NaN are their own mantissa, of exponent 0. The exponent is i32 and has no
    derivative; that of the mantissa is 2^-exponent.}];
  let arguments = (ins Tenon_Tensor:$x);
  let returns = "MantissaExponent";
}
def Tenon_Lerp : Tenon_OfFloats<"lerp", 8> {
  let summary = "start + weight * (end - start), computed from the nearer of both, which it is at weight 0 and 1; integers become f32.";
  let arguments = (ins Tenon_Tensor:$start, Tenon_Tensor:$end, Tenon_Tensor:$weight);
}

//===----------------------------------------------------------------------===//
// Of complex numbers
//===----------------------------------------------------------------------===//

def Tenon_Angle : Tenon_Composite<"angle"> {
  let category = "elementwise";
  let summary = "The angle of a complex number, atan2(imag(x), real(x)), in [-pi, pi]; of real numbers 0 or pi.";
  let dtypes = ["floating", "complex"];
  let arguments = (ins Tenon_Tensor:$x);
  let referenceUlp = 4;
}
// What the functions of one complex number are, exp to atanh: as one op they have the
// derivatives of analytic functions, of any order, and not those of the parts they are made of.
def Tenon_ComplexFunction : Tenon_NamedComposite<"complex_function"> {
  let category = "elementwise";
  let summary = "The op named `function` of a complex number, made of real functions of its parts.";
  let isPublic = 0;
  let dtypes = ["complex"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_String:$function);
  let vjp = "vjpComplexFunction";
  let needs = ["x", "result"];
  let batch = "batchComplexFunction";
  let referenceUlp = 16;
}
def Tenon_ComplexPow : Tenon_NamedComposite<"complex_pow"> {
  let category = "elementwise";
  let summary = "pow(x1, x2) of complex numbers, made of real functions of their parts.";
  let isPublic = 0;
  let dtypes = ["complex"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let vjp = "vjpPow";
  let needs = ["x1", "x2", "result"];
  let batch = "batchComplexPow";
  let referenceUlp = 256;
}

class Tenon_Closeness<string name> : Tenon_Composite<name> {
  let isOfComplexToo = 1;
  let category = "comparison";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"rtol", "float", "1e-5">, Tenon_Parameter<"atol", "float", "1e-8">,
                    Tenon_Parameter<"equal_nan", "bool", "false", "Whether two NaNs are close.">];
}
def Tenon_Isclose : Tenon_Closeness<"isclose"> {
  let summary = "Where |x1 - x2| <= atol + rtol * |x2|, or both are one infinity: bool; integers are compared in f64.";
}
def Tenon_Allclose : Tenon_Closeness<"allclose"> {
  let summary = "Whether `isclose` holds everywhere: bool, of rank 0.";
  let door = "expression";
  let expression = "all(isclose(x1, x2, rtol, atol, equal_nan))";
}

#endif // TENON_ELEMENTWISE_COMPOSITES

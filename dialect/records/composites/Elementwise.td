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
def Tenon_Greater : Tenon_CompositeCompare<"greater"> { let summary = "Element-wise `x1 > x2`, as bool. False where either operand is NaN."; }
def Tenon_GreaterEqual : Tenon_CompositeCompare<"greater_equal"> {
  let summary = "Element-wise `x1 >= x2`, as bool. False where either operand is NaN.";
}
def Tenon_Divmod : Tenon_Composite<"divmod"> {
  let category = "elementwise";
  let summary = "Floor division and its remainder, `floor_divide(x1, x2)` and `remainder(x1, x2)`, also where x2 is 0.";
  let dtypes = ["real"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let example = "auto [minutes, seconds] = divmod(time, 60);";
  let returns = "DivMod";
  let door = "expression";
  let expression = "{floor_divide(x1, x2), remainder(x1, x2)}";
}
class Tenon_IntegerFunction<string name> : Tenon_Composite<name> {
  let category = "elementwise";
  let dtypes = ["integer"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
}
def Tenon_Gcd : Tenon_IntegerFunction<"gcd"> {
  let summary = "Greatest common divisor of `|x1|` and `|x2|`; `gcd(x, 0)` is `|x|`.";
  let description = [{A result that the dtype cannot hold wraps around: `gcd(-128, 0)` of i8 is -128, as in NumPy.}];
}
def Tenon_Lcm : Tenon_IntegerFunction<"lcm"> {
  let summary = "Least common multiple of `|x1|` and `|x2|`; 0 where one of them is 0.";
  let description = [{A result that the dtype cannot hold wraps around, as in NumPy.}];
}

class Tenon_Arithmetic<string name> : Tenon_Composite<name> {
  let category = "elementwise";
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$x);
  let door = "expression";
}
def Tenon_Square : Tenon_Arithmetic<"square"> {
  let summary = "Element-wise square, `x * x`.";
  let expression = "multiply(x, x)";
}
def Tenon_Positive : Tenon_Arithmetic<"positive"> {
  let summary = "Returns x unchanged (unary plus).";
  let expression = "detail::toArray(x, OpCode::negative)";
}
def Tenon_Reciprocal : Tenon_Arithmetic<"reciprocal"> {
  let summary = "Reciprocal, `1 / x`. Integers become f32.";
  let expression = "divide(1, x)";
}
def Tenon_Rsqrt : Tenon_Arithmetic<"rsqrt"> {
  let summary = "Reciprocal square root, `1 / sqrt(x)`. Integers become f32.";
  let dtypes = ["real"];
  let expression = "divide(1, sqrt(x))";
  let referenceUlp = 2;
}
def Tenon_ErfInv : Tenon_NamedComposite<"erf_inv"> {
  let category = "elementwise";
  let summary = "Inverse error function. Source: M. Giles, \"Approximating the erfinv function\", GPU Gems 2011.";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x);
  let vjp = "vjpErfInv";
  let needs = ["x", "result"];
  let batch = "batchErfInv";
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
  let summary = "Normalized sinc function, `sin(pi * x) / (pi * x)`, 1 at 0. Integers become f32.";
  let description = [{The derivatives are accurate near 0 as well.}];
}
def Tenon_Deg2rad : Tenon_OfOne<"deg2rad", 2> { let summary = "Converts degrees to radians, `x * pi / 180`. Integers become f32."; }
def Tenon_Rad2deg : Tenon_OfOne<"rad2deg", 2> { let summary = "Converts radians to degrees, `x * 180 / pi`. Integers become f32."; }
def Tenon_NanToNum : Tenon_Composite<"nan_to_num"> {
  let category = "elementwise";
  let summary = "Replaces NaNs by `nan` and infinities by `posinf` and `neginf`; integers and bools are returned unchanged.";
  let description = [{Infinities become the largest and smallest finite number of the dtype by default. Where an
    element is replaced, its derivative is 0.}];
  let isOfComplexToo = 1;
  let dtypes = ["ordered"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"nan", "number", "0", "Replaces NaN.">,
    Tenon_Parameter<"posinf", "number", "none", "Replaces +inf; default: the largest finite number.">,
    Tenon_Parameter<"neginf", "number", "none", "Replaces -inf; default: the smallest finite number.">];
}

def Tenon_Xlogy : Tenon_OfTwo<"xlogy", 8> {
  let summary = "`x1 * log(x2)`, and 0 where `x1` is 0 and `x2` is not NaN. Integers become f32.";
  let description = [{Where `x1` is 0 and `log(x2)` is not finite, the derivatives are 0 as well.}];
}
def Tenon_Xlog1py : Tenon_OfTwo<"xlog1py", 8> {
  let summary = "`x1 * log1p(x2)`, and 0 where `x1` is 0 and `x2` is not NaN. Integers become f32.";
  let description = [{Where `x1` is 0 and `log1p(x2)` is not finite, the derivatives are 0 as well.}];
}
def Tenon_Logaddexp2 : Tenon_OfTwo<"logaddexp2", 8> {
  let summary = "`log2(2^x1 + 2^x2)` without intermediate overflow. Integers become f32.";
}
def Tenon_Heaviside : Tenon_OfTwo<"heaviside", 0> {
  let summary = "Heaviside step function of `x1`: 0 where negative, 1 where positive, `x2` where 0, NaN where NaN. Integers become f32.";
}
def Tenon_Ldexp : Tenon_OfFloats<"ldexp", 0> {
  let summary = "`x1 * 2^x2` for integers `x2`, rounded once. Integers `x1` become f32.";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand", "", "Integers.">];
}
def Tenon_Frexp : Tenon_OfFloats<"frexp", 0> {
  let summary = "Splits x into a mantissa with magnitude in [1/2, 1) and an integer exponent, `x = mantissa * 2^exponent`. Integers become f32.";
  let description = [{For 0, infinities and NaN, the mantissa is x and the exponent 0. The exponent is i32 and has
    no derivative; the derivative of the mantissa is `2^-exponent`.}];
  let arguments = (ins Tenon_Tensor:$x);
  let returns = "MantissaExponent";
}
def Tenon_Lerp : Tenon_OfFloats<"lerp", 8> {
  let summary = "Linear interpolation, `start + weight * (end - start)`; exact at weights 0 and 1. Integers become f32.";
  let arguments = (ins Tenon_Tensor:$start, Tenon_Tensor:$end, Tenon_Tensor:$weight);
}

//===----------------------------------------------------------------------===//
// Of complex numbers
//===----------------------------------------------------------------------===//

def Tenon_Angle : Tenon_Composite<"angle"> {
  let category = "elementwise";
  let summary = "Angle of a complex number, `atan2(imag(x), real(x))`, in [-pi, pi]; for real numbers 0 or pi.";
  let dtypes = ["floating", "complex"];
  let arguments = (ins Tenon_Tensor:$x);
  let referenceUlp = 4;
}
// What the functions of one complex number are, exp to atanh: as one op they have the
// derivatives of analytic functions, of any order, and not those of the parts they are made of.
def Tenon_ComplexFunction : Tenon_NamedComposite<"complex_function"> {
  let category = "elementwise";
  let summary = "The op named `function` of complex numbers, computed by real functions of their parts.";
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
  let summary = "`pow(x1, x2)` of complex numbers, computed by real functions of their parts.";
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
  let summary = "Whether elements are equal within tolerances: `|x1 - x2| <= atol + rtol * |x2|`, as bool. Equal infinities are close; integers are compared in f64.";
}
def Tenon_Allclose : Tenon_Closeness<"allclose"> {
  let summary = "Whether all elements are equal within tolerances (see `isclose`), as rank-0 bool.";
  let door = "expression";
  let expression = "all(isclose(x1, x2, rtol, atol, equal_nan))";
}

#endif // TENON_ELEMENTWISE_COMPOSITES

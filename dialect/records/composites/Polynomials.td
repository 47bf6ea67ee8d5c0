//===- Polynomials.td - of coefficients, the highest power first ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_POLYNOMIAL_COMPOSITES
#define TENON_POLYNOMIAL_COMPOSITES

include "Base.td"

class Tenon_Polynomial<string name> : Tenon_Composite<name> {
  let category = "elementwise";
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$p);
  let referenceUlp = 8;
}
class Tenon_TwoPolynomials<string name> : Tenon_Polynomial<name> {
  let description = [{Coefficients of one axis, the highest power first. Zeros in front stay, as in JAX.}];
  let arguments = (ins Tenon_Tensor:$p1, Tenon_Tensor:$p2);
}
def Tenon_Polyadd : Tenon_TwoPolynomials<"polyadd"> { let summary = "The coefficients of the sum of two polynomials."; }
def Tenon_Polysub : Tenon_TwoPolynomials<"polysub"> { let summary = "The coefficients of the difference of two polynomials."; }
def Tenon_Polymul : Tenon_TwoPolynomials<"polymul"> {
  let summary = "The coefficients of the product of two polynomials.";
  let dtypes = ["real"];
}
def Tenon_Polyder : Tenon_Polynomial<"polyder"> {
  let summary = "The coefficients of the m-th derivative of a polynomial.";
  let parameters = [Tenon_Parameter<"p", "operand">, Tenon_Parameter<"m", "int", "1", "How often.">];
}
def Tenon_Polyint : Tenon_Polynomial<"polyint"> {
  let summary = "The coefficients of the m-th integral of a polynomial; integers become f32.";
  let dtypes = ["floating", "complex"];
  let arguments = (ins Tenon_Tensor:$p, Tenon_Tensor:$k);
  let parameters = [Tenon_Parameter<"p", "operand">, Tenon_Parameter<"m", "int", "1", "How often.">,
                    Tenon_Parameter<"k", "operand", "0", "The constants, in the order of integration: one for all, or m.">];
}
def Tenon_Poly : Tenon_Polynomial<"poly"> {
  let summary = "The coefficients of the polynomial that has the given roots, and 1 before the highest power.";
  let arguments = (ins Tenon_Tensor:$roots);
  let referenceUlp = 32;
}
def Tenon_Vander : Tenon_Polynomial<"vander"> {
  let summary = "The powers of x, of one axis, as columns: the highest one first, or last if `increasing`.";
  let description = [{The dtype is that of `prod`.}];
  let dtypes = ["real"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"columns", "int", "none", "How many; left out: as many as elements.">,
                    Tenon_Parameter<"increasing", "bool", "false">];
}

#endif // TENON_POLYNOMIAL_COMPOSITES

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
  let description = [{Coefficient arrays have one axis, highest power first. Leading zeros are kept, as in JAX.}];
  let arguments = (ins Tenon_Tensor:$p1, Tenon_Tensor:$p2);
}
def Tenon_Polyadd : Tenon_TwoPolynomials<"polyadd"> { let summary = "Sum of two polynomials, as coefficients."; }
def Tenon_Polysub : Tenon_TwoPolynomials<"polysub"> { let summary = "Difference of two polynomials, as coefficients."; }
def Tenon_Polymul : Tenon_TwoPolynomials<"polymul"> {
  let summary = "Product of two polynomials, as coefficients.";
  let dtypes = ["real"];
}
def Tenon_Polyder : Tenon_Polynomial<"polyder"> {
  let summary = "The m-th derivative of a polynomial, as coefficients.";
  let parameters = [Tenon_Parameter<"p", "operand">, Tenon_Parameter<"m", "int", "1", "Number of times.">];
}
def Tenon_Polyint : Tenon_Polynomial<"polyint"> {
  let summary = "The m-th antiderivative of a polynomial, as coefficients. Integers become f32.";
  let dtypes = ["floating", "complex"];
  let arguments = (ins Tenon_Tensor:$p, Tenon_Tensor:$k);
  let parameters = [Tenon_Parameter<"p", "operand">, Tenon_Parameter<"m", "int", "1", "Number of times.">,
                    Tenon_Parameter<"k", "operand", "0", "Integration constants in order of integration: one for all, or m of them.">];
}
def Tenon_Poly : Tenon_Polynomial<"poly"> {
  let summary = "Coefficients of the monic polynomial with the given roots.";
  let arguments = (ins Tenon_Tensor:$roots);
  let referenceUlp = 32;
}
def Tenon_Vander : Tenon_Polynomial<"vander"> {
  let summary = "Vandermonde matrix of the vector x: its powers as columns, highest power first (last if `increasing`).";
  let description = [{The result dtype is that of `prod`.}];
  let dtypes = ["real"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"columns", "int", "none", "Number of columns; default: the size of x.">,
                    Tenon_Parameter<"increasing", "bool", "false">];
}

#endif // TENON_POLYNOMIAL_COMPOSITES

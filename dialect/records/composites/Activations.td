//===- Activations.td - activation functions, composed --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_ACTIVATIONS
#define TENON_ACTIVATIONS

include "Base.td"

// Of floats; integers and bools become f32. Narrow floats are computed in f32 and
// rounded once.
class Tenon_Activation<string name, int ulp = 8> : Tenon_Composite<name> {
  let category = "neural";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x);
  let referenceUlp = ulp;
}
def Tenon_Sigmoid : Tenon_Activation<"sigmoid"> {
  let summary = "1 / (1 + exp(-x)); integers become f32.";
  let description = [{Neither tail overflows or loses digits, nor do the derivatives.}];
}
def Tenon_Logit : Tenon_Activation<"logit", 16> {
  let summary = "log(x / (1 - x)), the inverse of `sigmoid`: infinite at 0 and 1, NaN beyond; integers become f32.";
}
def Tenon_Softplus : Tenon_Activation<"softplus"> { let summary = "log(1 + exp(x)), without overflow; integers become f32."; }
def Tenon_LogSigmoid : Tenon_Activation<"log_sigmoid"> {
  let summary = "log(sigmoid(x)) as -softplus(-x); integers become f32.";
}
def Tenon_Log1mexp : Tenon_Activation<"log1mexp", 16> {
  let summary = "log(1 - exp(-x)), precise near 0 and far from it: -inf at 0, NaN below; integers become f32.";
  let description = [{Source: M. Maechler, "Accurately computing log(1 - exp(-|a|))", 2012.}];
}
def Tenon_Silu : Tenon_Activation<"silu"> {
  let summary = "x * sigmoid(x); 0 at -inf; integers become f32. Also `swish`.";
}
def Tenon_Swish : Tenon_Activation<"swish"> {
  let summary = "x * sigmoid(x): `silu` by its other name.";
  let door = "expression";
  let expression = "silu(x)";
}
def Tenon_Gelu : Tenon_Activation<"gelu", 16> {
  let summary = "x * sigmoid(sqrt(8 / pi) * (x + 0.044715 * x^3)), the tanh form of the Gaussian error linear unit; integers become f32.";
  let description = [{The same as x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), without what that sum loses for
    negative x. 0 at -inf. Source: D. Hendrycks and K. Gimpel, "Gaussian error linear units", 2016.}];
}
def Tenon_Mish : Tenon_Activation<"mish", 16> {
  let summary = "x * tanh(softplus(x)); 0 at -inf; integers become f32.";
}
def Tenon_Elu : Tenon_Activation<"elu"> {
  let summary = "x where it is positive, else alpha * (exp(x) - 1); integers become f32.";
  let description = [{The derivative at 0 is alpha.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"alpha", "float", "1">];
}
def Tenon_Celu : Tenon_Activation<"celu"> {
  let summary = "x where it is positive, else alpha * (exp(x / alpha) - 1), alpha not 0; integers become f32.";
  let description = [{The derivative at 0 is 1.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"alpha", "float", "1">];
}
def Tenon_Selu : Tenon_Activation<"selu"> {
  let summary = "The `elu` with the alpha, and times the scale, that keep mean 0 and variance 1; integers become f32.";
  let description = [{Source: G. Klambauer et al., "Self-normalizing neural networks", 2017.}];
}
def Tenon_LeakyRelu : Tenon_Activation<"leaky_relu"> {
  let summary = "x where it is not negative, else negative_slope * x; integers become f32.";
  let description = [{The derivative at 0 is 1, as in JAX.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"negative_slope", "float", "0.01">];
}
def Tenon_Relu6 : Tenon_Activation<"relu6", 0> {
  let summary = "minimum(maximum(x, 0), 6); integers become f32.";
  let description = [{The derivative at 0 and at 6 is 0, as in PyTorch.}];
}
def Tenon_HardTanh : Tenon_Activation<"hard_tanh", 0> {
  let summary = "minimum(maximum(x, -1), 1); integers become f32.";
  let description = [{The derivative at -1 and at 1 is 1, as in JAX.}];
}
def Tenon_HardSigmoid : Tenon_Activation<"hard_sigmoid"> {
  let summary = "relu6(x + 3) / 6; integers become f32.";
}
def Tenon_HardSwish : Tenon_Activation<"hard_swish"> {
  let summary = "x * hard_sigmoid(x); 0 at -inf; integers become f32. Also `hard_silu`.";
}
def Tenon_HardSilu : Tenon_Activation<"hard_silu"> {
  let summary = "x * hard_sigmoid(x): `hard_swish` by its other name.";
  let door = "expression";
  let expression = "hard_swish(x)";
}
def Tenon_SoftSign : Tenon_Activation<"soft_sign"> {
  let summary = "x / (1 + |x|); -1 and 1 at the infinities; integers become f32.";
}

#endif // TENON_ACTIVATIONS

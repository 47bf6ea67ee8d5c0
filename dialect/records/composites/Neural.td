//===- Neural.td - functions of neural networks ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_NEURAL_COMPOSITES
#define TENON_NEURAL_COMPOSITES

include "Base.td"

class Tenon_AlongAxis<string name> : Tenon_NamedComposite<name> {
  let category = "neural";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis", "-1">];
  let needs = ["result"];
  let referenceUlp = 8;
}
def Tenon_Softmax : Tenon_AlongAxis<"softmax"> {
  let summary = "exp(x - max) / sum(exp(x - max)) along `axis`.";
  let description = [{Has the bits of its decomposition (max, subtract, exp, sum, divide), fused.}];
  let kernel = "kernelSoftmax";
  let vjp = "vjpSoftmax";
  let batch = "batchSoftmax";
}
def Tenon_LogSoftmax : Tenon_AlongAxis<"log_softmax"> {
  let summary = "log(softmax(x)) along `axis`, computed as x - max - log(sum(exp(x - max))).";
  let description = [{Has the bits of its decomposition (max, subtract, exp, sum, log, subtract), fused.}];
  let example = "Array loss = -mean(sum(one_hot(labels, 10) * log_softmax(logits), -1)); // cross entropy";
  let kernel = "kernelLogSoftmax";
  let vjp = "vjpLogSoftmax";
  let batch = "batchLogSoftmax";
}
def Tenon_LayerNorm : Tenon_NamedComposite<"layer_norm"> {
  let category = "neural";
  let summary = "(x - mean) / sqrt(variance + epsilon) * scale + offset, mean and variance over the given axes of x.";
  let description = [{`scale` and `offset` have the sizes of those axes, or are numbers. The variance is the mean of the
    squares of x - mean.}];
  let example = "Array y = layer_norm(x, -1, scale, offset);";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$offset, Tenon_Ints:$axes,
                   Tenon_Scalar:$epsilon);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axes", "axes", "", "Axes from 0 on, or from -1 back.">,
    Tenon_Parameter<"scale", "operand">, Tenon_Parameter<"offset", "operand">,
    Tenon_Parameter<"epsilon", "float", "1e-5">];
  let kernel = "kernelLayerNorm";
  let vjp = "vjpLayerNorm";
  let needs = ["x", "scale"];
  let referenceUlp = 16;
}
def Tenon_LayerNormGradient : Tenon_NamedComposite<"layer_norm_gradient"> {
  let category = "neural";
  let summary = "The cotangent of x in layer_norm(x, axes, scale, offset, epsilon), for `cotangent` of its result.";
  let isPublic = 0;
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$cotangent, Tenon_Ints:$axes,
                   Tenon_Scalar:$epsilon);
  let kernel = "kernelLayerNormGradient";
  let referenceUlp = 32;
}
def Tenon_OneHot : Tenon_Composite<"one_hot"> {
  let category = "neural";
  let summary = "A new last axis of `classes`: 1 at index x, else 0; all 0 where x is out of range.";
  let dtypes = ["integer"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$classes, Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"classes", "size", "", "The size of the new axis.">,
                    Tenon_Parameter<"dtype", "dtype", "f32">];
}

// Of floats; integers and bools become f32. Narrow floats are computed in f32 and
// rounded once.
class Tenon_Activation<string name, int ulp = 8> : Tenon_Composite<name> {
  let category = "neural";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x);
  let referenceUlp = ulp;
}
// What those that are made of several ops are, in one pass.
def Tenon_ActivationFunction : Tenon_NamedComposite<"activation"> {
  let category = "neural";
  let summary = "The activation named `function` of x; where that has a parameter, with `number`.";
  let isPublic = 0;
  let dtypes = ["f32", "f64"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_String:$function, Tenon_Scalar:$number);
  let kernel = "kernelActivation";
  let batch = "batchActivation";
}
def Tenon_Sigmoid : Tenon_Activation<"sigmoid"> {
  let isOfComplexToo = 1;
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
  let isOfComplexToo = 1;
  let summary = "x * sigmoid(x); 0 at -inf; integers become f32. Also `swish`.";
}
def Tenon_Swish : Tenon_Activation<"swish"> {
  let isOfComplexToo = 1;
  let summary = "x * sigmoid(x): `silu` by its other name.";
  let door = "expression";
  let expression = "silu(x)";
}
def Tenon_Gelu : Tenon_Activation<"gelu", 16> {
  let summary = "x * sigmoid(sqrt(8 / pi) * (x + 0.044715 * x^3)), the tanh form of the Gaussian error linear unit, or x / 2 * erfc(-x / sqrt(2)); integers become f32.";
  let description = [{The first is the same as x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), without what that
    sum loses for negative x. 0 at -inf. Source: D. Hendrycks and K. Gimpel, "Gaussian error linear units", 2016.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"approximate", "bool", "true", "The tanh form; else the one of erfc.">];
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
  let summary = "x / (1 + |x|); -1 and 1 at the infinities; integers become f32. Also `softsign`.";
}
def Tenon_Softsign : Tenon_Activation<"softsign"> {
  let summary = "x / (1 + |x|): `soft_sign` by its other name.";
  let door = "expression";
  let expression = "soft_sign(x)";
}

#endif // TENON_NEURAL_COMPOSITES

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
  let isMethod = 1;
  let summary = "Softmax along `axis`, `exp(x - max) / sum(exp(x - max))`.";
  let description = [{The fused kernel gives the same bits as the decomposition (max, subtract, exp, sum, divide).}];
  let kernel = "kernelSoftmax";
  let vjp = "vjpSoftmax";
  let batch = "batchSoftmax";
}
def Tenon_LogSoftmax : Tenon_AlongAxis<"log_softmax"> {
  let isMethod = 1;
  let summary = "Logarithm of the softmax along `axis`, computed as `x - max - log(sum(exp(x - max)))`.";
  let description = [{The fused kernel gives the same bits as the decomposition (max, subtract, exp, sum, log,
    subtract).}];
  let example = "Array loss = -mean(sum(one_hot(labels, 10) * log_softmax(logits), -1)); // cross entropy";
  let kernel = "kernelLogSoftmax";
  let vjp = "vjpLogSoftmax";
  let batch = "batchLogSoftmax";
}
def Tenon_LayerNorm : Tenon_NamedComposite<"layer_norm"> {
  let category = "neural";
  let summary = "Layer normalization, `(x - mean) / sqrt(variance + epsilon) * scale + offset`, with mean and variance over the given axes.";
  let description = [{`scale` and `offset` are numbers or have the sizes of the given axes. The variance is the mean
    of `(x - mean)^2`.}];
  let example = "Array y = layer_norm(x, -1, scale, offset);";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$offset, Tenon_Ints:$axes,
                   Tenon_Scalar:$epsilon);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axes", "axes", "", "Axes; negative counts from the end.">,
    Tenon_Parameter<"scale", "operand">, Tenon_Parameter<"offset", "operand">,
    Tenon_Parameter<"epsilon", "float", "1e-5">];
  let kernel = "kernelLayerNorm";
  let vjp = "vjpLayerNorm";
  let needs = ["x", "scale"];
  let referenceUlp = 16;
}
def Tenon_LayerNormGradient : Tenon_NamedComposite<"layer_norm_gradient"> {
  let category = "neural";
  let summary = "Cotangent of x in `layer_norm(x, axes, scale, offset, epsilon)`, given the cotangent of the result.";
  let isPublic = 0;
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$cotangent, Tenon_Ints:$axes,
                   Tenon_Scalar:$epsilon);
  let kernel = "kernelLayerNormGradient";
  let referenceUlp = 32;
}
def Tenon_OneHot : Tenon_Composite<"one_hot"> {
  let category = "neural";
  let summary = "One-hot encoding along a new last axis of size `classes`: 1 at index x, 0 elsewhere; all 0 where x is out of range.";
  let description = [{Without `classes`, x must be known: not inside jit and vmap.}];
  let dtypes = ["integer"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$classes, Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"classes", "size", "none", "The size of the new axis; default: max(x) + 1.">,
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
  let summary = "Applies the activation named `function`; `number` is its parameter, if it has one.";
  let isPublic = 0;
  let dtypes = ["f32", "f64"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_String:$function, Tenon_Scalar:$number);
  let kernel = "kernelActivation";
  let vjp = "vjpActivation";
  let needs = ["x"];
  let batch = "batchActivation";
}
def Tenon_Sigmoid : Tenon_Activation<"sigmoid"> {
  let isOfComplexToo = 1;
  let summary = "Logistic sigmoid, `1 / (1 + exp(-x))`. Integers become f32.";
  let description = [{Neither the function nor its derivatives overflow or lose digits in the tails.}];
}
def Tenon_Logit : Tenon_Activation<"logit", 16> {
  let summary = "Logit, `log(x / (1 - x))`, the inverse of `sigmoid`. Infinite at 0 and 1, NaN outside. Integers become f32.";
}
def Tenon_Softplus : Tenon_Activation<"softplus"> { let summary = "Softplus, `log(1 + exp(x))`, without overflow. Integers become f32."; }
def Tenon_LogSigmoid : Tenon_Activation<"log_sigmoid"> {
  let summary = "Logarithm of the sigmoid, computed as `-softplus(-x)`. Integers become f32.";
}
def Tenon_Log1mexp : Tenon_Activation<"log1mexp", 16> {
  let summary = "`log(1 - exp(-x))`, accurate near 0 and for large x. -inf at 0, NaN below. Integers become f32.";
  let description = [{Source: M. Maechler, "Accurately computing log(1 - exp(-|a|))", 2012.}];
}
def Tenon_Silu : Tenon_Activation<"silu"> {
  let isOfComplexToo = 1;
  let summary = "Sigmoid linear unit, `x * sigmoid(x)`; 0 at -inf. Integers become f32. Also called `swish`.";
}
def Tenon_Swish : Tenon_Activation<"swish"> {
  let isOfComplexToo = 1;
  let summary = "`x * sigmoid(x)`; another name for `silu`.";
  let door = "expression";
  let expression = "silu(x)";
}
def Tenon_Gelu : Tenon_Activation<"gelu", 16> {
  let summary = "Gaussian error linear unit, in its tanh approximation or exactly as `x / 2 * erfc(-x / sqrt(2))`. Integers become f32.";
  let description = [{The approximation is `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`, computed as `x
    * sigmoid(sqrt(8 / pi) * (x + 0.044715 * x^3))`, which stays accurate for negative x. 0 at -inf. Source: D.
    Hendrycks and K. Gimpel, "Gaussian error linear units", 2016.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"approximate", "bool", "true", "True: the tanh approximation; false: the exact form.">];
}
def Tenon_Mish : Tenon_Activation<"mish", 16> {
  let summary = "Mish, `x * tanh(softplus(x))`; 0 at -inf. Integers become f32.";
}
def Tenon_Elu : Tenon_Activation<"elu"> {
  let summary = "Exponential linear unit: x where x > 0, `alpha * (exp(x) - 1)` elsewhere. Integers become f32.";
  let description = [{The derivative at 0 is alpha.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"alpha", "float", "1">];
}
def Tenon_Celu : Tenon_Activation<"celu"> {
  let summary = "Continuously differentiable exponential linear unit: x where x > 0, `alpha * (exp(x / alpha) - 1)` elsewhere. Integers become f32.";
  let description = [{`alpha` must not be 0. The derivative at 0 is 1.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"alpha", "float", "1">];
}
def Tenon_Selu : Tenon_Activation<"selu"> {
  let summary = "Scaled exponential linear unit: `elu` with the fixed alpha and scale that preserve mean 0 and variance 1. Integers become f32.";
  let description = [{Source: G. Klambauer et al., "Self-normalizing neural networks", 2017.}];
}
def Tenon_LeakyRelu : Tenon_Activation<"leaky_relu"> {
  let summary = "Leaky rectified linear unit: x where x >= 0, `negative_slope * x` elsewhere. Integers become f32.";
  let description = [{The derivative at 0 is 1, as in JAX.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"negative_slope", "float", "0.01">];
}
def Tenon_Relu6 : Tenon_Activation<"relu6", 0> {
  let summary = "Rectified linear unit limited to 6, `minimum(maximum(x, 0), 6)`. Integers become f32.";
  let description = [{The derivatives at 0 and at 6 are 0, as in PyTorch.}];
}
def Tenon_HardTanh : Tenon_Activation<"hard_tanh", 0> {
  let summary = "Limits x to [-1, 1], `minimum(maximum(x, -1), 1)`. Integers become f32.";
  let description = [{The derivatives at -1 and at 1 are 1, as in JAX.}];
}
def Tenon_HardSigmoid : Tenon_Activation<"hard_sigmoid"> {
  let summary = "Piecewise linear approximation of the sigmoid, `relu6(x + 3) / 6`. Integers become f32.";
}
def Tenon_HardSwish : Tenon_Activation<"hard_swish"> {
  let summary = "`x * hard_sigmoid(x)`; 0 at -inf. Integers become f32. Also called `hard_silu`.";
}
def Tenon_HardSilu : Tenon_Activation<"hard_silu"> {
  let summary = "`x * hard_sigmoid(x)`; another name for `hard_swish`.";
  let door = "expression";
  let expression = "hard_swish(x)";
}
def Tenon_SoftSign : Tenon_Activation<"soft_sign"> {
  let summary = "Softsign, `x / (1 + |x|)`; -1 and 1 at the infinities. Integers become f32. Also called `softsign`.";
}
def Tenon_Softsign : Tenon_Activation<"softsign"> {
  let summary = "`x / (1 + |x|)`; another name for `soft_sign`.";
  let door = "expression";
  let expression = "soft_sign(x)";
}

#endif // TENON_NEURAL_COMPOSITES

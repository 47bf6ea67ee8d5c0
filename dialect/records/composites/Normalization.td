//===- Normalization.td - rms_norm, batch_norm, group_norm, instance_norm ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_NORMALIZATION_COMPOSITES
#define TENON_NORMALIZATION_COMPOSITES

include "Base.td"

class Tenon_EpsilonParameter<string value>
    : Tenon_Parameter<"epsilon", "float", value, "Added to the variance; not negative.">;
def Tenon_ChannelAxisParameter
    : Tenon_Parameter<"axis", "axis", "-1", "The axis of the channels; not axis 0, which is the batch.">;

def Tenon_RmsNorm : Tenon_NamedComposite<"rms_norm"> {
  let category = "neural";
  let summary = "Root mean square normalization, `x / sqrt(mean(x^2) + epsilon) * scale`, with the mean over the given axes.";
  let description = [{`scale` is a number or has the sizes of the given axes. Integers become f32. Narrow floats are
    computed in f32 and rounded once. The fused kernel gives the same bits as the decomposition. Source: B. Zhang and
    R. Sennrich, "Root mean square layer normalization", 2019.}];
  let example = "Array y = rms_norm(x, -1, scale, {.epsilon = 1e-5});";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Ints:$axes, Tenon_Scalar:$epsilon);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axes", "axes", "", "Axes; negative counts from the end.">,
    Tenon_Parameter<"scale", "operand">,
    Tenon_Parameter<"epsilon", "float", "1e-6", "Added to the mean of the squares; not negative.">];
  let options = "RmsNormOptions";
  let isByName = 1;
  let kernel = "kernelRmsNorm";
  let vjp = "vjpRmsNorm";
  let needs = ["x", "scale"];
  let referenceUlp = 16;
}
def Tenon_RmsNormGradient : Tenon_NamedComposite<"rms_norm_gradient"> {
  let category = "neural";
  let summary = "Cotangent of x in `rms_norm(x, axes, scale)`, given the cotangent of the result.";
  let isPublic = 0;
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$cotangent, Tenon_Ints:$axes,
                   Tenon_Scalar:$epsilon);
  let kernel = "kernelRmsNormGradient";
  let referenceUlp = 32;
}

class Tenon_ChannelNorm<string name> : Tenon_Composite<name> {
  let category = "neural";
  let dtypes = ["floating"];
  let isByName = 1;
  let referenceUlp = 32;
}
def Tenon_BatchNorm : Tenon_ChannelNorm<"batch_norm"> {
  let summary = "Batch normalization with given statistics, `(x - mean) / sqrt(variance + epsilon) * scale + offset`, as for inference.";
  let description = [{`mean`, `variance`, `scale` and `offset` are numbers or have one element for each channel. `mean`
    and `variance` do not change the dtype of the result: those of f16 arrays may be f32. Integers become f32. Narrow
    floats are computed in f32 and rounded once.}];
  let example = "Array y = batch_norm(x, mean, variance, scale, offset, {.epsilon = 1e-3});";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$mean, Tenon_Tensor:$variance, Tenon_Tensor:$scale,
                   Tenon_Tensor:$offset);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"mean", "operand">, Tenon_Parameter<"variance", "operand">,
    Tenon_Parameter<"scale", "operand">, Tenon_Parameter<"offset", "operand">,
    Tenon_Parameter<"axis", "axis", "-1", "The axis of the channels.">, Tenon_EpsilonParameter<"1e-5">];
  let options = "BatchNormOptions";
}
def Tenon_BatchNormTraining : Tenon_ChannelNorm<"batch_norm_training"> {
  let summary = "Batch normalization with the statistics of x itself, which it returns too: mean and variance of each channel over all other axes.";
  let description = [{`scale` and `offset` are numbers or have one element for each channel. The variance is the mean of
    `(x - mean)^2`; a running average of sample variances, as PyTorch keeps it, takes `n / (n - 1)` times this one. The
    statistics of f16 and bf16 are f32. Derivatives reach x through the statistics. Integers become f32. Narrow floats
    are computed in f32 and rounded once.}];
  let example = "auto [y, mean, variance] = batch_norm_training(x, scale, offset);";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$offset);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"scale", "operand">, Tenon_Parameter<"offset", "operand">,
    Tenon_Parameter<"axis", "axis", "-1", "The axis of the channels.">, Tenon_EpsilonParameter<"1e-5">];
  let options = "BatchNormOptions";
  let returns = "BatchNorm";
}
def Tenon_GroupNorm : Tenon_ChannelNorm<"group_norm"> {
  let summary = "Group normalization: layer normalization of each group of channels of each batch element, over the group's channels and all other axes.";
  let description = [{x is (batch, ..., channels), or has its channels along `axis`. `groups` divides their number, which
    must be known. `scale` and `offset` are numbers or have one element for each channel. The variance is the mean of
    `(x - mean)^2`. Integers become f32. Narrow floats are computed in f32 and rounded once. Source: Y. Wu and K. He,
    "Group normalization", 2018.}];
  let example = "Array y = group_norm(x, 8, scale, offset);";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$offset);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"groups", "int", "", "Number of groups.">,
    Tenon_Parameter<"scale", "operand">, Tenon_Parameter<"offset", "operand">, Tenon_EpsilonParameter<"1e-5">,
    Tenon_ChannelAxisParameter];
  let options = "GroupNormOptions";
}
def Tenon_InstanceNorm : Tenon_ChannelNorm<"instance_norm"> {
  let summary = "Instance normalization: normalizes each channel of each batch element over all other axes.";
  let description = [{x is (batch, ..., channels), of rank 3 or more, or has its channels along `axis`. `scale` and
    `offset` are numbers or have one element for each channel. The variance is the mean of `(x - mean)^2`. Integers become
    f32. Narrow floats are computed in f32 and rounded once. Source: D. Ulyanov et al., "Instance normalization", 2016.}];
  let example = "Array y = instance_norm(x, 1, 0);";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$offset);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"scale", "operand">, Tenon_Parameter<"offset", "operand">,
    Tenon_EpsilonParameter<"1e-5">, Tenon_ChannelAxisParameter];
  let options = "GroupNormOptions";
}

#endif // TENON_NORMALIZATION_COMPOSITES

//===- Losses.td - loss functions ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_LOSS_COMPOSITES
#define TENON_LOSS_COMPOSITES

include "Base.td"

def Tenon_ReductionParameter : Tenon_Parameter<"reduction", "Reduction", "mean">;
def Tenon_ClassesParameter : Tenon_Parameter<"axis", "axis", "-1", "The axis of the classes.">;
def Tenon_ClassWeightsParameter
    : Tenon_Parameter<"weight", "operand", "none", "A weight for each class; default: 1.">;
def Tenon_IgnoreIndexParameter
    : Tenon_Parameter<"ignore_index", "int", "-100", "Targets of this class have loss 0 and do not count in the mean.">;

// Names and meaning are those of PyTorch's torch.nn.functional. Narrow floats are computed in f32 and rounded once.
class Tenon_Loss<string name, int ulp = 16> : Tenon_Composite<name> {
  let category = "neural";
  let dtypes = ["floating"];
  let isByName = 1;
  let referenceUlp = ulp;
}
class Tenon_PairLoss<string name, int ulp = 16> : Tenon_Loss<name, ulp> {
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$target);
}
def Tenon_NllLoss : Tenon_Loss<"nll_loss"> {
  let summary = "Negative log likelihood: minus the element of `log_probs` at the class `target`, times the weight of the class.";
  let description = [{`target` are integers of the shape of `log_probs` without `axis`. The mean is divided by the sum of
    the weights of the targets, and is NaN if all are ignored. A target that is no class is an Error.}];
  let example = "Array loss = nll_loss(log_softmax(logits), labels);";
  let arguments = (ins Tenon_Tensor:$log_probs, Tenon_Tensor:$target);
  let parameters = [
    Tenon_Parameter<"log_probs", "operand">, Tenon_Parameter<"target", "operand">, Tenon_ClassWeightsParameter,
    Tenon_IgnoreIndexParameter, Tenon_ReductionParameter, Tenon_ClassesParameter];
  let options = "NllLossOptions";
}
def Tenon_CrossEntropy : Tenon_Loss<"cross_entropy"> {
  let summary = "Cross entropy of the softmax of `logits` and a target: classes or probabilities.";
  let description = [{
    Integer `target` are classes, of the shape of `logits` without `axis`; the loss is `nll_loss(log_softmax(logits,
    axis), target)`. Floating `target` are probabilities, of the shape of `logits`; the mean is divided by the number of
    rows, and `ignore_index` has no effect. A probability of 0 contributes 0, also where the softmax is 0.

    `label_smoothing` e replaces the probabilities p by `(1 - e) * p + e / classes`.}];
  let example = "Array loss = cross_entropy(logits, labels, {.label_smoothing = 0.1});";
  let arguments = (ins Tenon_Tensor:$logits, Tenon_Tensor:$target);
  let parameters = [
    Tenon_Parameter<"logits", "operand">, Tenon_Parameter<"target", "operand">, Tenon_ClassWeightsParameter,
    Tenon_IgnoreIndexParameter, Tenon_ReductionParameter,
    Tenon_Parameter<"label_smoothing", "float", "0", "In [0, 1].">, Tenon_ClassesParameter];
  let options = "CrossEntropyOptions";
}
def Tenon_BinaryCrossEntropy : Tenon_PairLoss<"binary_cross_entropy"> {
  let summary = "Binary cross entropy of probabilities, `-(target * log(x) + (1 - target) * log(1 - x))`.";
  let description = [{Logarithms below -100 become -100, with derivative 0, so that the loss is finite.
    `binary_cross_entropy_with_logits` is more accurate.}];
  let parameters = [
    Tenon_Parameter<"x", "operand", "", "Probabilities.">, Tenon_Parameter<"target", "operand">,
    Tenon_Parameter<"weight", "operand", "none", "A factor for each loss; broadcasts to their shape.">,
    Tenon_ReductionParameter];
  let options = "BinaryCrossEntropyOptions";
}
def Tenon_BinaryCrossEntropyWithLogits : Tenon_PairLoss<"binary_cross_entropy_with_logits"> {
  let summary = "Binary cross entropy of `sigmoid(x)`, computed as `pos_weight * target * softplus(-x) + (1 - target) * softplus(x)`.";
  let parameters = [
    Tenon_Parameter<"x", "operand", "", "Logits.">, Tenon_Parameter<"target", "operand">,
    Tenon_Parameter<"weight", "operand", "none", "A factor for each loss; broadcasts to their shape.">,
    Tenon_Parameter<"pos_weight", "operand", "none", "A factor for the positive part; broadcasts to the shape of x.">,
    Tenon_ReductionParameter];
  let options = "BinaryLogitsOptions";
}
def Tenon_HuberLoss : Tenon_PairLoss<"huber_loss"> {
  let summary = "Huber loss of `d = x - target`: `d^2 / 2` where `|d| <= delta`, `delta * (|d| - delta / 2)` elsewhere.";
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"target", "operand">, Tenon_ReductionParameter,
    Tenon_Parameter<"delta", "float", "1", "Positive.">];
  let options = "HuberLossOptions";
}
def Tenon_SmoothL1Loss : Tenon_PairLoss<"smooth_l1_loss"> {
  let summary = "Smooth L1 loss of `d = x - target`: `d^2 / (2 * beta)` where `|d| < beta`, `|d| - beta / 2` elsewhere.";
  let description = [{A `beta` of 0 gives `l1_loss`.}];
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"target", "operand">, Tenon_ReductionParameter,
    Tenon_Parameter<"beta", "float", "1", "Not negative.">];
  let options = "SmoothL1LossOptions";
}
def Tenon_KlDiv : Tenon_PairLoss<"kl_div"> {
  let summary = "Kullback-Leibler divergence, `target * (log(target) - x)`, of log-probabilities x from probabilities `target`.";
  let description = [{A target of 0 contributes 0. With `log_target` the target are log-probabilities as well:
    `exp(target) * (target - x)`. The mean is that of all elements, as in PyTorch; the divergence of distributions is a
    sum over their axis.}];
  let parameters = [
    Tenon_Parameter<"x", "operand", "", "Log-probabilities.">, Tenon_Parameter<"target", "operand">,
    Tenon_ReductionParameter, Tenon_Parameter<"log_target", "bool", "false", "The target are log-probabilities.">];
  let options = "KlDivOptions";
}
def Tenon_MseLoss : Tenon_PairLoss<"mse_loss"> {
  let summary = "Squared error, `(x - target)^2`.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"target", "operand">, Tenon_ReductionParameter];
  let options = "LossOptions";
}
def Tenon_L1Loss : Tenon_PairLoss<"l1_loss"> {
  let summary = "Absolute error, `|x - target|`.";
  let description = [{The derivative at 0 is 0.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"target", "operand">, Tenon_ReductionParameter];
  let options = "LossOptions";
}

#endif // TENON_LOSS_COMPOSITES

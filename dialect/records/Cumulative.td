//===- Cumulative.td - cumulative reductions ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_CUMULATIVE
#define TENON_CUMULATIVE

include "Base.td"

// Element i of the result depends on the elements 0 to i along `axis`.
class Tenon_Cumulative<string mnemonic, int number> : Tenon_Inferred<mnemonic, number, [Pure]> {
  let category = "cumulative";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis);
  let results = (outs Tenon_Tensor:$result);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; optional if x has only one.">];
  let shapeRule = "inferCumulative";
  let kernel = "kernelCumulative";
  let batch = "batchCumulative";
}
defvar cumulativeOrder = [{Elements are combined in index order within blocks of 4,096; the total of the preceding blocks
    is then combined with each block. f16 and bf16 are computed in f32 and rounded once.}];

def Tenon_CumulativeSumOp : Tenon_Cumulative<"cumulative_sum", 144> {
  let isMethod = 1;
  let isOfComplexToo = 1;
  let summary = "Cumulative sum along `axis`.";
  let description = cumulativeOrder # [{ The result dtype is that of `sum`.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; optional if x has only one.">,
                    Tenon_Parameter<"include_initial", "bool", "false", "Starts the result with 0.">];
  let linearIn = [["x"]];
}
def Tenon_CumulativeProdOp : Tenon_Cumulative<"cumulative_prod", 145> {
  let isMethod = 1;
  let isOfComplexToo = 1;
  let summary = "Cumulative product along `axis`.";
  let description = cumulativeOrder # [{ The result dtype is that of `prod`. The derivative
    multiplies the other factors, so it is right where factors are 0.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; optional if x has only one.">,
                    Tenon_Parameter<"include_initial", "bool", "false", "Starts the result with 1.">];
  let needs = ["x", "result"];
}
class Tenon_CumulativeExtremum<string mnemonic, int number> : Tenon_Cumulative<mnemonic, number> {
  let description = [{Once a NaN has occurred, all following elements are NaN. The derivative goes to the last of
    equal elements, as in PyTorch.}];
  let vjp = "vjpCumulativeExtremum";
  let needs = ["x", "result"];
}
def Tenon_CumulativeMaxOp : Tenon_CumulativeExtremum<"cumulative_max", 146> {
  let summary = "Cumulative maximum along `axis`.";
}
def Tenon_CumulativeMinOp : Tenon_CumulativeExtremum<"cumulative_min", 147> {
  let summary = "Cumulative minimum along `axis`.";
}
def Tenon_CumulativeLogsumexpOp : Tenon_Cumulative<"cumulative_logsumexp", 148> {
  let summary = "Cumulative `log(sum(exp(x)))` along `axis`, without intermediate overflow.";
  let description = cumulativeOrder # [{ The derivative is 0 where the result is infinite.}];
  let dtypes = ["floating"];
  let needs = ["x"];
  let referenceUlp = 16;
}

// Used by the derivatives of cumulative products and of products by index.
def Tenon_LinearRecurrenceOp : Tenon_Inferred<"linear_recurrence", 149, [Pure]> {
  let category = "cumulative";
  let summary = "Linear recurrence `y[i] = x[i] + factors[i] * y[i - 1]` along `axis`, with `y[i] = x[i]` for i = 0 and where `factors[i]` is 0.";
  let description = [{Computed in index order; bf16 and f16 in f32, each element rounded once. A factor of 0 restarts the
    recurrence even where the element before is infinite or NaN.}];
  let dtypes = ["floating"];
  let isPublic = 0;
  let arguments = (ins Tenon_Tensor:$factors, Tenon_Tensor:$x, Tenon_Int:$axis);
  let results = (outs Tenon_Tensor:$result);
  let linearIn = [["x"]];
  let needs = ["factors", "result"];
}

#endif // TENON_CUMULATIVE

//===- Cumulative.td - running sums and their kin ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_CUMULATIVE
#define TENON_CUMULATIVE

include "Base.td"

// Element i of the result is made of the elements 0 to i along `axis`.
class Tenon_Cumulative<string mnemonic, int number> : Tenon_Inferred<mnemonic, number, [Pure]> {
  let category = "cumulative";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis);
  let results = (outs Tenon_Tensor:$result);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; may be left out where there is one.">];
  let shapeRule = "inferCumulative";
  let kernel = "kernelCumulative";
  let batch = "batchCumulative";
}
defvar cumulativeOrder = [{In the order of the index inside of blocks of 4,096, to each of which what the blocks before
    it make is then added; bf16 and f16 in f32, rounded once.}];

def Tenon_CumulativeSumOp : Tenon_Cumulative<"cumulative_sum", 144> {
  let isOfComplexToo = 1;
  let summary = "The sums of the elements up to each one along `axis`.";
  let description = cumulativeOrder # [{ Dtypes are those of `sum`. `include_initial` puts a 0 before them.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; may be left out where there is one.">,
                    Tenon_Parameter<"include_initial", "bool", "false", "Whether the sum of none comes first.">];
  let linearIn = [["x"]];
}
def Tenon_CumulativeProdOp : Tenon_Cumulative<"cumulative_prod", 145> {
  let isOfComplexToo = 1;
  let summary = "The products of the elements up to each one along `axis`.";
  let description = cumulativeOrder # [{ Dtypes are those of `prod`. `include_initial` puts a 1 before them. The derivative
    multiplies the other factors, so zeros are no exception; of a symbol of elements it takes memory for each pair.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; may be left out where there is one.">,
                    Tenon_Parameter<"include_initial", "bool", "false", "Whether the product of none comes first.">];
  let needs = ["x", "result"];
}
class Tenon_CumulativeExtremum<string mnemonic, int number> : Tenon_Cumulative<mnemonic, number> {
  let description = [{From a NaN on all are NaN. The derivative goes to the last one of equal elements, as in PyTorch.}];
  let vjp = "vjpCumulativeExtremum";
  let needs = ["x", "result"];
}
def Tenon_CumulativeMaxOp : Tenon_CumulativeExtremum<"cumulative_max", 146> {
  let summary = "The largest of the elements up to each one along `axis`.";
}
def Tenon_CumulativeMinOp : Tenon_CumulativeExtremum<"cumulative_min", 147> {
  let summary = "The smallest of the elements up to each one along `axis`.";
}
def Tenon_CumulativeLogsumexpOp : Tenon_Cumulative<"cumulative_logsumexp", 148> {
  let summary = "The logarithms of the sums of exp over the elements up to each one along `axis`.";
  let description = cumulativeOrder # [{ The derivative is 0 where the result is infinite; of a symbol of elements it takes
    memory for each pair.}];
  let dtypes = ["floating"];
  let needs = ["x", "result"];
  let referenceUlp = 16;
}

#endif // TENON_CUMULATIVE

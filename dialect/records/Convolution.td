//===- Convolution.td - convolutions, reductions of windows --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_CONVOLUTION
#define TENON_CONVOLUTION

include "Shaped.td"

// Windows of `window[i]` taps along axis i move over x, which is dilated (`x_dilation[i] - 1` gaps between elements) and
// then padded with `low[i]` and `high[i]` places; a negative padding removes elements. Window number j begins at place
// `j * strides[i]`, and its taps are `window_dilation[i]` places apart. Taps in gaps or in the padding do not take part.
defvar windowArguments = (ins Tenon_Ints:$strides, Tenon_Ints:$low, Tenon_Ints:$high, Tenon_Ints:$x_dilation,
                          Tenon_Ints:$window_dilation);

def Tenon_ConvolutionOp : Tenon_Shaped<"convolution", 228> {
  let category = "convolution";
  let summary = "Convolution of `x` [batch, spatial..., groups, in] with `kernel` [spatial..., in, groups, out]; the result is [batch, spatial..., groups, out].";
  let description = [{The sum over the taps of a window and over `in` of x * kernel, the taps in row-major order, the
    channels of a tap fastest: one chain of fused multiply-adds within each block of 4,096 products (those of taps in the padding
    are counted); the blocks are added pairwise. Taps in the
    padding or in gaps do not take part. So an element depends on nothing but its window, and has the same bits in any
    batch. f16 and bf16 are summed in f32 and rounded once, or are f32 where `dtype` says so. The kernel is not
    reversed (a cross-correlation), as in TensorFlow, JAX and PyTorch.}];
  let isPublic = 0;
  let dtypes = ["i32", "i64", "floating", "complex"];
  let arguments = !con((ins Tenon_Tensor:$x, Tenon_Tensor:$kernel), windowArguments, (ins Tenon_Dtype:$dtype));
  let needs = ["x", "kernel"];
  let linearIn = [["x"], ["kernel"]];
  let referenceUlp = 64;
}

class Tenon_WindowReduction<string mnemonic, int number> : Tenon_Shaped<mnemonic, number> {
  let category = "convolution";
  let isPublic = 0;
  let dtypes = ["real"];
}
def Tenon_WindowSumOp : Tenon_WindowReduction<"window_sum", 229> {
  let summary = "Sums the elements of each window, a window of any size along each axis of x; 0 where a window has no elements.";
  let description = [{In row-major order of the taps. f16 and bf16 are summed in f32 and rounded once. Integers wrap.}];
  let dtypes = ["real", "complex"];
  let arguments = !con((ins Tenon_Tensor:$x, Tenon_Ints:$window), windowArguments);
  let linearIn = [["x"]];
  let batch = "batchWindow";
  let shapeRule = "inferWindowReduction";
  let referenceUlp = 16;
}
def Tenon_WindowMaxOp : Tenon_WindowReduction<"window_max", 230> {
  let summary = "Maximum of each window; NaN propagates. The least value of the dtype (-inf) where a window has no elements.";
  let description = [{The derivative goes to the first maximum of each window, or to the first NaN.}];
  let arguments = !con((ins Tenon_Tensor:$x, Tenon_Ints:$window), windowArguments);
  let needs = ["x"];
  let vjp = "vjpWindowExtremum";
  let batch = "batchWindow";
  let kernel = "kernelWindowExtremum";
  let shapeRule = "inferWindowReduction";
}
def Tenon_WindowMinOp : Tenon_WindowReduction<"window_min", 231> {
  let summary = "Minimum of each window; NaN propagates. The greatest value of the dtype (inf) where a window has no elements.";
  let description = [{The derivative goes to the first minimum of each window, or to the first NaN.}];
  let arguments = !con((ins Tenon_Tensor:$x, Tenon_Ints:$window), windowArguments);
  let needs = ["x"];
  let vjp = "vjpWindowExtremum";
  let batch = "batchWindow";
  let kernel = "kernelWindowExtremum";
  let shapeRule = "inferWindowReduction";
}
def Tenon_WindowArgmaxOp : Tenon_WindowReduction<"window_argmax", 232> {
  let summary = "Place (i64) of the first maximum of each window, or of its first NaN, counted over the axes of x from `axis` on in row-major order; -1 where a window has no elements.";
  let arguments = !con((ins Tenon_Tensor:$x, Tenon_Ints:$window), windowArguments,
                       (ins Tenon_Bool:$is_min, Tenon_Int:$axis));
  let description = [{The first minimum if `is_min`.}];
  let vjp = "zero";
}

#endif // TENON_CONVOLUTION

//===- Convolution.td - convolutions ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_CONVOLUTION_COMPOSITES
#define TENON_CONVOLUTION_COMPOSITES

include "Modes.td"

class Tenon_ConvolutionFunction<string name> : Tenon_Composite<name> {
  let category = "convolution";
  let dtypes = ["integer", "floating", "complex"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$kernel);
  let isByName = 1;
  let referenceUlp = 64;
}

defvar convolvedArray = Tenon_Parameter<"x", "operand">;
defvar convolutionKernel = Tenon_Parameter<"kernel", "operand">;
defvar convolutionStrides = Tenon_Parameter<"strides", "ints", "none", "Steps from one window to the next, one number or one for each spatial axis; default: 1.">;
defvar convolutionPadding = Tenon_Parameter<"padding", "padding", "valid", "New places around the spatial axes: `same`, `causal` or numbers; default: none.">;
defvar convolutionDilation = Tenon_Parameter<"dilation", "ints", "none", "Distance between the taps of the kernel, one number or one for each spatial axis; default: 1.">;
defvar convolutionGroups = Tenon_Parameter<"groups", "int", "1", "Parts that the channels of x and of the result are cut into; each part of the result is made of its part of x.">;
defvar convolutionFormat = Tenon_Parameter<"data_format", "DataFormat", "channels_last", "Where the channels of x and of the result are.">;

class Tenon_Conv<string name> : Tenon_ConvolutionFunction<name> {
  let description = [{The kernel is not reversed. Any number of axes before the spatial ones (and before the channels, if
    those come first) are a batch. As many groups as channels make a depthwise convolution, with a kernel of one input
    channel. Taps in the padding do not take part. An element is one chain of fused multiply-adds over the taps, in
    row-major order, and the channels of each, fastest (blocks of 4,096, which are added pairwise): it has the same bits
    in any batch, eager and compiled. f16 and bf16 are summed in f32 and rounded once; integers wrap.}];
  let parameters = [convolvedArray, convolutionKernel, convolutionStrides, convolutionPadding, convolutionDilation,
                    convolutionGroups, convolutionFormat];
  let options = "ConvOptions";
}
def Tenon_Conv1d : Tenon_Conv<"conv1d"> {
  let summary = "Convolution of x [batch, length, in] with a kernel [taps, in / groups, out].";
  let example = "Array y = conv1d(x, kernel, {.padding = causal});";
}
def Tenon_Conv2d : Tenon_Conv<"conv2d"> {
  let summary = "Convolution of images x [batch, height, width, in] with a kernel [height, width, in / groups, out].";
  let example = "Array y = conv2d(images, kernel, {.strides = 2, .padding = same}); // kernel[3, 3, 16, 32]";
}
def Tenon_Conv3d : Tenon_Conv<"conv3d"> {
  let summary = "Convolution of x [batch, depth, height, width, in] with a kernel [depth, height, width, in / groups, out].";
}
def Tenon_ConvGeneral : Tenon_ConvolutionFunction<"conv_general"> {
  let summary = "Convolution along any number of spatial axes, with any order of axes; JAX's `conv_general_dilated`.";
  let description = [{`layout` names the axes of x, of the kernel and of the result: N (batch), C (channels), I and O
    (the kernel's channels of x and of the result), and a letter for each spatial axis. The default has the channels
    last, `"NHWC,HWIO->NHWC"` of two spatial axes. `conv2d` says how elements are summed.}];
  let example = "Array y = conv_general(x, weight, {.layout = \"NCHW,OIHW->NCHW\"}); // PyTorch's order";
  let parameters = [convolvedArray, convolutionKernel, convolutionStrides, convolutionPadding,
                    Tenon_Parameter<"x_dilation", "ints", "none", "Distance between the elements of x, one number or one for each spatial axis; default: 1.">,
                    convolutionDilation, convolutionGroups,
                    Tenon_Parameter<"layout", "text", "none", "The axes of x, the kernel and the result.">];
  let options = "ConvGeneralOptions";
}

class Tenon_ConvTranspose<string name> : Tenon_ConvolutionFunction<name> {
  let description = [{The result of size `n` has x's size, `ceil(n / stride)`, for `same`; it is `size * stride` then, and
    `(size - 1) * stride + window` for `valid` (with a stride above the window, `size * stride`). Numbers as padding
    remove as many places from the valid result, and `output_padding` adds places at the end, as in PyTorch. The kernel is
    that of the convolution, `[spatial..., out / groups, in]`, so its channels are in the order of Keras.}];
  let parameters = [convolvedArray, convolutionKernel, convolutionStrides, convolutionPadding,
                    Tenon_Parameter<"output_padding", "ints", "none", "New places at the end of each spatial axis of the result; default: 0.">,
                    convolutionDilation, convolutionGroups, convolutionFormat];
  let options = "ConvTransposeOptions";
}
def Tenon_ConvTranspose1d : Tenon_ConvTranspose<"conv_transpose1d"> {
  let summary = "Transposed convolution: the derivative of `conv1d` with respect to its x, applied to x [batch, length, in], with a kernel [taps, out / groups, in].";
}
def Tenon_ConvTranspose2d : Tenon_ConvTranspose<"conv_transpose2d"> {
  let summary = "Transposed convolution: the derivative of `conv2d` with respect to its x, applied to x [batch, height, width, in], with a kernel [height, width, out / groups, in].";
  let example = "Array y = conv_transpose2d(x, kernel, {.strides = 2, .padding = same}); // twice the size";
}
def Tenon_ConvTranspose3d : Tenon_ConvTranspose<"conv_transpose3d"> {
  let summary = "Transposed convolution: the derivative of `conv3d` with respect to its x, with a kernel [depth, height, width, out / groups, in].";
}

class Tenon_Correlation<string name> : Tenon_Composite<name> {
  let category = "convolution";
  let dtypes = ["integer", "floating", "complex"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let referenceUlp = 64;
}
def Tenon_Convolve : Tenon_Correlation<"convolve"> {
  let summary = "Convolution of two arrays of one rank, `y[n] = sum over m of x1[m] * x2[n - m]`; NumPy's and SciPy's `convolve`.";
  let description = [{The sums are computed one product at a time; `fft` serves for long arrays.}];
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"mode", "ConvolutionMode", "full", "Which part of the result is returned.">];
  let example = "Array y = convolve(x, Array{0.25f, 0.5f, 0.25f}, ConvolutionMode::same);";
}
def Tenon_Correlate : Tenon_Correlation<"correlate"> {
  let summary = "Correlation of two arrays of one rank, `y[n] = sum over m of x1[n + m] * conj(x2[m])`; NumPy's and SciPy's `correlate`.";
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"mode", "ConvolutionMode", "valid", "Which part of the result is returned.">];
}

#endif // TENON_CONVOLUTION_COMPOSITES

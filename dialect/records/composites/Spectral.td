//===- Spectral.td - functions that are made of Fourier transforms --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SPECTRAL_COMPOSITES
#define TENON_SPECTRAL_COMPOSITES

include "Modes.td"
include "Fourier.td"

class Tenon_CosineTransform<string name> : Tenon_Composite<name> {
  let category = "fft";
  let dtypes = ["ordered"];
  let arguments = (ins Tenon_Tensor:$x);
  let isByName = 1;
  let options = "DctOptions";
  let referenceUlp = 16;
  let parameters = [
    Tenon_Parameter<"x", "operand">,
    Tenon_Parameter<"type", "int", "2", "2 or 3.">,
    Tenon_Parameter<"n", "size", "none", "Length of the transform: x is cropped or padded with zeros at its end. Default: the size of the axis.">,
    Tenon_Parameter<"axis", "axis", "-1", "The axis; negative counts from the end.">,
    Tenon_Parameter<"norm", "FftNorm", "backward", "Which direction is divided, by 2 n; `ortho`: both are orthogonal matrices.">];
}
def Tenon_Dct : Tenon_CosineTransform<"dct"> {
  let summary = "Discrete cosine transform. Type 2: `y[k]` is the sum over j of `2 * x[j] * cos(pi * k * (2 * j + 1) / (2 * n))`.";
  let description = [{Type 3: `x[0]` plus the sum over j > 0 of `2 * x[j] * cos(pi * (2 * k + 1) * j / (2 * n))`. Integers
    become f32. f16 and bf16 are computed in f32 and rounded once.}];
  let example = "Array y = fft::dct(x, {.norm = FftNorm::ortho});";
}
def Tenon_Idct : Tenon_CosineTransform<"idct"> {
  let summary = "Inverse of `dct` of the same type.";
}

def Tenon_Fftconvolve : Tenon_Composite<"fftconvolve"> {
  let category = "signal";
  let summary = "Convolution of two arrays of one rank over the given axes, by Fourier transforms.";
  let description = [{Of long operands faster than `convolve`; the error of an element is relative to the largest ones.
    The other axes broadcast. Integers become f32.}];
  let example = "Array y = signal::fftconvolve(x1, x2, {.mode = ConvolutionMode::same});";
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let isByName = 1;
  let options = "FftconvolveOptions";
  let parameters = [
    Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
    Tenon_Parameter<"mode", "ConvolutionMode", "full", "Which part of the result is returned.">, Tenon_AxesParameter];
  let referenceUlp = 64;
}

#endif // TENON_SPECTRAL_COMPOSITES

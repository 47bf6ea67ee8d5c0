//===- Windows.td - what a piece of a signal is multiplied with -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_WINDOW_COMPOSITES
#define TENON_WINDOW_COMPOSITES

include "Base.td"

class Tenon_Window<string name> : Tenon_Composite<name> {
  let category = "creation";
  let description = [{The window is symmetric. A size below 1 gives an empty array, a size of 1 a single 1. Computed
    in f64 and rounded once.}];
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"size", "int", "", "Number of elements.">, Tenon_Parameter<"dtype", "dtype", "f32">,
                    Tenon_DeviceParameter];
  let referenceUlp = 2;
}
def Tenon_Bartlett : Tenon_Window<"bartlett"> { let summary = "Bartlett (triangular) window."; }
def Tenon_Hanning : Tenon_Window<"hanning"> {
  let summary = "Hann window, `0.5 + 0.5 * cos(pi * t)` for t from -1 to 1.";
}
def Tenon_Hamming : Tenon_Window<"hamming"> {
  let summary = "Hamming window, `0.54 + 0.46 * cos(pi * t)` for t from -1 to 1.";
}
def Tenon_Blackman : Tenon_Window<"blackman"> {
  let summary = "Blackman window, `0.42 + 0.5 * cos(pi * t) + 0.08 * cos(2 * pi * t)` for t from -1 to 1.";
}
def Tenon_Kaiser : Tenon_Window<"kaiser"> {
  let summary = "Kaiser window, `i0(beta * sqrt(1 - t^2)) / i0(beta)` for t from -1 to 1.";
  let parameters = [Tenon_Parameter<"size", "int", "", "Number of elements.">, Tenon_Parameter<"beta", "float">,
                    Tenon_Parameter<"dtype", "dtype", "f32">, Tenon_DeviceParameter];
}
class Tenon_Bessel<string name> : Tenon_NamedComposite<name> {
  let category = "elementwise";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x);
  let referenceUlp = 16;
}
def Tenon_I0 : Tenon_Bessel<"i0"> {
  let summary = "Modified Bessel function of the first kind, order 0. Integers become f32.";
  let vjp = "vjpI0";
  let needs = ["x"];
}
def Tenon_I1 : Tenon_Bessel<"i1"> {
  let summary = "Modified Bessel function of the first kind, order 1. Integers become f32.";
  let vjp = "vjpI1";
  let needs = ["x", "result"];
}

#endif // TENON_WINDOW_COMPOSITES

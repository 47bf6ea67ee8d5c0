//===- Quantization.td - integers that stand for floats ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_QUANTIZATION_COMPOSITES
#define TENON_QUANTIZATION_COMPOSITES

include "Base.td"

defvar quantizationScale = Tenon_Parameter<"scale", "operand", "", "One number, or one per index of `axis`.">;
defvar quantizationAxis = Tenon_Parameter<"axis", "axis", "1", "The axis of a scale of rank 1; ignored for a single scale.">;

def Tenon_QuantizeLinear : Tenon_Composite<"quantize_linear"> {
  let category = "neural";
  let summary = "Quantizes x, as ONNX's QuantizeLinear: `round(x / scale) + zero_point`, limited to the integers of the result's dtype.";
  let description = [{Rounds half to even. The result dtype is i8, u8, i16 or u16. NaN gives the zero point. f64 is computed in f64,
    all else in f32. The derivatives are 0.}];
  let example = "Array q = quantize_linear(x, 0.02f, {.zero_point = 128});";
  let dtypes = ["floating", "i32"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale);
  let isByName = 1;
  let parameters = [
    Tenon_Parameter<"x", "operand">, quantizationScale,
    Tenon_Parameter<"zero_point", "operand", "none", "The integer that represents 0, or one for each scale; default: 0.">,
    quantizationAxis, Tenon_Parameter<"dtype", "dtype", "none", "Default: that of `zero_point` if it is i8, u8, i16 or u16, else u8.">];
  let options = "QuantizeLinearOptions";
}
def Tenon_DequantizeLinear : Tenon_Composite<"dequantize_linear"> {
  let category = "neural";
  let summary = "Dequantizes x, as ONNX's DequantizeLinear: `(x - zero_point) * scale`.";
  let description = [{x is of i8, u8, i16, u16 or i32. The result has the dtype of `scale`, f32 if
    that is a number.}];
  let example = "Array y = dequantize_linear(q, 0.02f, {.zero_point = 128});";
  let dtypes = ["i8", "u8", "i16", "u16", "i32"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale);
  let isByName = 1;
  let parameters = [
    Tenon_Parameter<"x", "operand">, quantizationScale,
    Tenon_Parameter<"zero_point", "operand", "none", "The integer that represents 0, or one for each scale; default: 0.">,
    quantizationAxis];
  let options = "DequantizeLinearOptions";
}

#endif // TENON_QUANTIZATION_COMPOSITES

//===- Quantization.td - integers that stand for floats ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_QUANTIZATION_COMPOSITES
#define TENON_QUANTIZATION_COMPOSITES

include "Base.td"

defvar quantizationScale = Tenon_Parameter<"scale", "operand", "", "One number, or one for each place along `axis`.">;
defvar quantizationAxis = Tenon_Parameter<"axis", "axis", "1", "The axis of a scale of rank 1; not read if there is one scale.">;

def Tenon_QuantizeLinear : Tenon_Composite<"quantize_linear"> {
  let category = "neural";
  let summary = "Quantizes x, as ONNX's QuantizeLinear: `round(x / scale) + zero_point`, limited to the integers of the result's dtype.";
  let description = [{Rounds half to even. The result is of i8, u8, i16 or u16. NaN gives the zero point. Computed in f32, of f64 in f64. The derivative is 0.}];
  let example = "Array q = quantize_linear(x, 0.02f, {.zero_point = 128});";
  let dtypes = ["floating", "i32"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale);
  let isByName = 1;
  let parameters = [
    Tenon_Parameter<"x", "operand">, quantizationScale,
    Tenon_Parameter<"zero_point", "operand", "none", "The integer that 0 becomes, or one for each scale; default: 0.">,
    quantizationAxis, Tenon_Parameter<"dtype", "dtype", "none", "Default: that of `zero_point` if that is of such a dtype, else u8.">];
  let options = "QuantizeLinearOptions";
}
def Tenon_DequantizeLinear : Tenon_Composite<"dequantize_linear"> {
  let category = "neural";
  let summary = "The inverse of `quantize_linear`, as ONNX's DequantizeLinear: `(x - zero_point) * scale`.";
  let description = [{x is of i8, u8, i16, u16 or i32. The result has the dtype of `scale`, f32 if
    that is a number.}];
  let example = "Array y = dequantize_linear(q, 0.02f, {.zero_point = 128});";
  let dtypes = ["i8", "u8", "i16", "u16", "i32"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale);
  let isByName = 1;
  let parameters = [
    Tenon_Parameter<"x", "operand">, quantizationScale,
    Tenon_Parameter<"zero_point", "operand", "none", "The integer that stands for 0, or one for each scale; default: 0.">,
    quantizationAxis];
  let options = "DequantizeLinearOptions";
}

#endif // TENON_QUANTIZATION_COMPOSITES

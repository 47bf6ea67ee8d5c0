//===- Composites.td - functions made of other ops ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_COMPOSITES
#define TENON_COMPOSITES

include "Base.td"

class Tenon_CompositeCompare<string name> : Tenon_Composite<name> {
  let category = "comparison";
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
}
def Tenon_Greater : Tenon_CompositeCompare<"greater"> { let summary = "x1 > x2: bool; false where either is NaN."; }
def Tenon_GreaterEqual : Tenon_CompositeCompare<"greater_equal"> {
  let summary = "x1 >= x2: bool; false where either is NaN.";
}

class Tenon_Arithmetic<string name> : Tenon_Composite<name> {
  let category = "elementwise";
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$x);
  let door = "expression";
}
def Tenon_Square : Tenon_Arithmetic<"square"> {
  let summary = "x * x.";
  let expression = "multiply(x, x)";
}
def Tenon_Positive : Tenon_Arithmetic<"positive"> {
  let summary = "x itself.";
  let expression = "detail::toArray(x, OpCode::negative)";
}
def Tenon_Reciprocal : Tenon_Arithmetic<"reciprocal"> {
  let summary = "1 / x; integers become f32.";
  let expression = "divide(1, x)";
}
def Tenon_Rsqrt : Tenon_Arithmetic<"rsqrt"> {
  let summary = "1 / sqrt(x); integers become f32.";
  let dtypes = ["real"];
  let expression = "divide(1, sqrt(x))";
  let referenceUlp = 2;
}

def Tenon_Sort : Tenon_Composite<"sort"> {
  let category = "sorting";
  let summary = "x sorted along `axis`.";
  let description = [{Stable: what is equal keeps its order, -0 and +0 are equal. NaN comes last, whether ascending or
    descending; complex numbers are ordered by their real parts, then by the imaginary ones.}];
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"descending", "bool", "false">];
}
def Tenon_Lexsort : Tenon_Composite<"lexsort"> {
  let category = "sorting";
  let summary = "The indices (i64) along `axis` that sort by several keys, of one shape; the last one decides most, as in NumPy.";
  let dtypes = ["computed"];
  let arguments = (ins Variadic<Tenon_Tensor>:$keys);
  let parameters = [Tenon_Parameter<"keys", "arrays">, Tenon_Parameter<"axis", "axis", "-1">];
}
def Tenon_Take : Tenon_Composite<"take"> {
  let category = "indexing";
  let summary = "The elements of x at `indices` along `axis`; their axes stand where it does.";
  let description = [{An index outside is an Error; below 0 it counts from the end. The part of an update, `x.at`, has other modes.}];
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; left out: x is flattened.">];
}
def Tenon_TakeAlongAxis : Tenon_Composite<"take_along_axis"> {
  let category = "indexing";
  let summary = "Element by element of `indices`, what x has there along `axis`, at the same place along the other axes.";
  let description = [{`indices` has x's sizes but for that axis. What argsort gives sorts so.}];
  let example = "Array sorted = take_along_axis(x, argsort(x), -1);";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
                    Tenon_Parameter<"axis", "axis", "-1">];
}

class Tenon_AlongAxis<string name> : Tenon_NamedComposite<name> {
  let category = "neural";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis", "-1">];
  let needs = ["result"];
  let referenceUlp = 8;
}
def Tenon_Softmax : Tenon_AlongAxis<"softmax"> {
  let summary = "exp(x - max) / sum(exp(x - max)) along `axis`.";
  let description = [{Has the bits of its decomposition (max, subtract, exp, sum, divide), fused.}];
  let kernel = "kernelSoftmax";
  let vjp = "vjpSoftmax";
  let batch = "batchSoftmax";
}
def Tenon_LogSoftmax : Tenon_AlongAxis<"log_softmax"> {
  let summary = "log(softmax(x)) along `axis`, computed as x - max - log(sum(exp(x - max))).";
  let description = [{Has the bits of its decomposition (max, subtract, exp, sum, log, subtract), fused.}];
  let example = "Array loss = -mean(sum(one_hot(labels, 10) * log_softmax(logits), -1)); // cross entropy";
  let kernel = "kernelLogSoftmax";
  let vjp = "vjpLogSoftmax";
  let batch = "batchLogSoftmax";
}
def Tenon_LayerNorm : Tenon_NamedComposite<"layer_norm"> {
  let category = "neural";
  let summary = "(x - mean) / sqrt(variance + epsilon) * scale + offset, mean and variance over the given axes of x.";
  let description = [{`scale` and `offset` have the sizes of those axes, or are numbers. The variance is the mean of the
    squares of x - mean.}];
  let example = "Array y = layer_norm(x, -1, scale, offset);";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$offset, Tenon_Ints:$axes,
                   Tenon_Scalar:$epsilon);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axes", "axes", "", "Axes from 0 on, or from -1 back.">,
    Tenon_Parameter<"scale", "operand">, Tenon_Parameter<"offset", "operand">,
    Tenon_Parameter<"epsilon", "float", "1e-5">];
  let kernel = "kernelLayerNorm";
  let vjp = "vjpLayerNorm";
  let needs = ["x", "scale"];
  let referenceUlp = 16;
}
def Tenon_LayerNormGradient : Tenon_NamedComposite<"layer_norm_gradient"> {
  let category = "neural";
  let summary = "The cotangent of x in layer_norm(x, axes, scale, offset, epsilon), for `cotangent` of its result.";
  let isPublic = 0;
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$scale, Tenon_Tensor:$cotangent, Tenon_Ints:$axes,
                   Tenon_Scalar:$epsilon);
  let kernel = "kernelLayerNormGradient";
  let referenceUlp = 32;
}
def Tenon_OneHot : Tenon_Composite<"one_hot"> {
  let category = "neural";
  let summary = "A new last axis of `classes`: 1 at index x, else 0; all 0 where x is out of range.";
  let dtypes = ["integer"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$classes, Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"classes", "size", "", "The size of the new axis.">,
                    Tenon_Parameter<"dtype", "dtype", "f32">];
}
def Tenon_ErfInv : Tenon_Composite<"erf_inv"> {
  let category = "elementwise";
  let summary = "The inverse error function. Source: M. Giles, \"Approximating the erfinv function\", GPU Gems 2011.";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x);
  let referenceUlp = 8;
}
def Tenon_Mean : Tenon_NamedComposite<"mean"> {
  let category = "reduction";
  let summary = "The sum divided by the number of elements over the given axes; integers become f32.";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Ints:$axes, Tenon_Bool:$keepdims);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter];
  let kernel = "kernelMean";
  let batch = "batchMean";
  let referenceUlp = 4;
}
class Tenon_Like<string name> : Tenon_Composite<name> {
  let category = "creation";
  let dtypes = ["any"];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; left out: that of x.">,
                    Tenon_Parameter<"device", "device", "none", "Where the result is; left out: where x is.">];
}
def Tenon_FullLike : Tenon_Like<"full_like"> {
  let summary = "An array of x's shape, dtype and device (unless others are given), filled with one number.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Scalar:$value);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"value", "number", "", "The number.">,
                    Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; left out: that of x.">,
                    Tenon_Parameter<"device", "device", "none", "Where the result is; left out: where x is.">];
}
def Tenon_ZerosLike : Tenon_Like<"zeros_like"> {
  let summary = "Zeros of x's shape, dtype and device (unless others are given).";
  let door = "expression";
  let expression = "full_like(x, false, dtype, device)";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_OnesLike : Tenon_Like<"ones_like"> {
  let summary = "Ones of x's shape, dtype and device (unless others are given).";
  let door = "expression";
  let expression = "full_like(x, true, dtype, device)";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_Zeros : Tenon_Composite<"zeros"> {
  let category = "creation";
  let summary = "An array of zeros.";
  let door = "expression";
  let expression = "full(shape, false, dtype, device, at)";
  let arguments = (ins Tenon_Dims:$shape, Tenon_Dtype:$dtype);
  let parameters = [Tenon_ShapeParameter, Tenon_Parameter<"dtype", "dtype", "f32">, Tenon_DeviceParameter];
}
def Tenon_Ones : Tenon_Composite<"ones"> {
  let category = "creation";
  let summary = "An array of ones.";
  let door = "expression";
  let expression = "full(shape, true, dtype, device, at)";
  let arguments = (ins Tenon_Dims:$shape, Tenon_Dtype:$dtype);
  let parameters = [Tenon_ShapeParameter, Tenon_Parameter<"dtype", "dtype", "f32">, Tenon_DeviceParameter];
}

#endif // TENON_COMPOSITES

//===- Creation.td - functions that make arrays ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_CREATION_COMPOSITES
#define TENON_CREATION_COMPOSITES

include "Base.td"

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

class Tenon_Making<string name> : Tenon_Composite<name> { let category = "creation"; }
defvar madeDtype = Tenon_Parameter<"dtype", "dtype", "f32">;

//===----------------------------------------------------------------------===//
// From sizes and numbers
//===----------------------------------------------------------------------===//

def Tenon_Empty : Tenon_Making<"empty"> {
  let summary = "An array of a shape, for who does not care what is in it: it is zeros.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dims:$shape, Tenon_Dtype:$dtype);
  let parameters = [Tenon_ShapeParameter, madeDtype, Tenon_DeviceParameter];
  let door = "expression";
  let expression = "full(shape, false, dtype, device, at)";
}
def Tenon_EmptyLike : Tenon_Like<"empty_like"> {
  let summary = "An array of x's shape, dtype and device (unless others are given), whose elements are zeros.";
  let door = "expression";
  let expression = "full_like(x, false, dtype, device)";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_Asarray : Tenon_Like<"asarray"> {
  let summary = "A number, nested lists or an array as an array, of that dtype and on that device.";
  let example = "Array x = asarray({{1, 2}, {3, 4}}, f64);";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_Eye : Tenon_Making<"eye"> {
  let summary = "A matrix of zeros with ones on the diagonal `k`: above the main one, below it where k is negative.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"rows", "size">, Tenon_Parameter<"columns", "size", "none", "Left out: as many as rows.">,
                    Tenon_Parameter<"k", "int", "0">, madeDtype, Tenon_DeviceParameter];
}
def Tenon_Identity : Tenon_Making<"identity"> {
  let summary = "A square matrix of zeros with ones on the main diagonal.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"size", "size">, madeDtype, Tenon_DeviceParameter];
  let door = "expression";
  let expression = "eye(size, {}, 0, dtype, device, at)";
}
def Tenon_Iota : Tenon_Making<"iota"> {
  let summary = "0, 1, 2, ...: `size` numbers, as `arange` makes them of numbers that are known.";
  let dtypes = ["real"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"size", "size">, Tenon_Parameter<"dtype", "dtype", "i32">, Tenon_DeviceParameter];
  let door = "expression";
  let expression = "detail::iota(size, dtype, device.value_or(default_device()), at)";
}
def Tenon_Indices : Tenon_Making<"indices"> {
  let summary = "For each axis of `shape` an array of it that holds the index along that axis; they are stacked in front.";
  let dtypes = ["real"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_ShapeParameter, Tenon_Parameter<"dtype", "dtype", "i64">, Tenon_DeviceParameter];
}

class Tenon_Spaced<string name> : Tenon_Making<name> {
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$start, Tenon_Tensor:$stop);
}
defvar spacedNum = Tenon_Parameter<"num", "int", "50", "How many.">;
defvar spacedEnd = Tenon_Parameter<"endpoint", "bool", "true", "The last one is stop; false: it is the one before.">;
defvar spacedDtype = Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; left out: that of the bounds, f32 of integers.">;

def Tenon_Linspace : Tenon_Spaced<"linspace"> {
  let summary = "`num` numbers from start to stop at equal distances.";
  let description = [{Of arrays of bounds the numbers are along a new axis in front. Between numbers they are computed in
    f64 (c128) and rounded once. In an integer dtype they are rounded down, as in NumPy.}];
  let example = "Array x = linspace(0, 1, 11);";
  let parameters = [Tenon_Parameter<"start", "operand">, Tenon_Parameter<"stop", "operand">, spacedNum, spacedEnd,
                    spacedDtype];
  let referenceUlp = 2;
}
def Tenon_Logspace : Tenon_Spaced<"logspace"> {
  let summary = "`base` to the powers `linspace(start, stop, num, endpoint)`.";
  let parameters = [Tenon_Parameter<"start", "operand">, Tenon_Parameter<"stop", "operand">, spacedNum, spacedEnd,
                    Tenon_Parameter<"base", "float", "10">, spacedDtype];
  let referenceUlp = 32;
}
def Tenon_Geomspace : Tenon_Spaced<"geomspace"> {
  let summary = "`num` numbers from start to stop, each the same multiple of the one before.";
  let description = [{The bounds have one sign; between bounds of two signs there is only NaN.}];
  let parameters = [Tenon_Parameter<"start", "operand">, Tenon_Parameter<"stop", "operand">, spacedNum, spacedEnd,
                    spacedDtype];
  let referenceUlp = 32;
}

//===----------------------------------------------------------------------===//
// From arrays
//===----------------------------------------------------------------------===//

def Tenon_Meshgrid : Tenon_Making<"meshgrid"> {
  let summary = "Arrays of one axis as the coordinates of a grid: the i-th result varies along its axis alone. Views.";
  let description = [{With `indexing` "xy" the first two axes of the grid are exchanged, as in NumPy; with "ij" axis i is that
    of array i.}];
  let example = "std::vector<Array> xy = meshgrid({linspace(0, 1, 640), linspace(0, 1, 480)});";
  let dtypes = ["any"];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
  let parameters = [Tenon_Parameter<"xs", "arrays">, Tenon_Parameter<"indexing", "text", "xy", "`xy` or `ij`.">];
  let returns = "std::vector<Array>";
}
class Tenon_Triangle<string name> : Tenon_Making<name> {
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"k", "int", "0">];
}
def Tenon_Tril : Tenon_Triangle<"tril"> {
  let summary = "x with zeros above the diagonal `k` of its last two axes.";
}
def Tenon_Triu : Tenon_Triangle<"triu"> {
  let summary = "x with zeros below the diagonal `k` of its last two axes.";
}
def Tenon_Diag : Tenon_Triangle<"diag"> {
  let summary = "Of one axis: the matrix that has x on its diagonal `k`, else zeros. Of a matrix: that diagonal.";
}

def Tenon_Diagflat : Tenon_Triangle<"diagflat"> {
  let summary = "The matrix that has the elements of x, row-major, on its diagonal `k`, else zeros.";
  let door = "expression";
  let expression = "diag(reshape(x, {-1}), k)";
}
def Tenon_Tri : Tenon_Making<"tri"> {
  let summary = "A matrix of ones on and below the diagonal `k`, else zeros.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"rows", "size">, Tenon_Parameter<"columns", "size", "none", "Left out: as many as rows.">,
                    Tenon_Parameter<"k", "int", "0">, madeDtype, Tenon_DeviceParameter];
}

class Tenon_Places<string name> : Tenon_Making<name> {
  let category = "indexing";
  let dtypes = ["any"];
  let returns = "std::vector<Array>";
}
class Tenon_TrianglePlaces<string name> : Tenon_Places<name> {
  let description = "Row-major. Both together, as an index into x, take these elements.";
  let returns = "TriangleIndices";
  let parameters = [Tenon_Parameter<"rows", "int">, Tenon_Parameter<"k", "int", "0">,
                    Tenon_Parameter<"columns", "int", "none", "Left out: as many as rows.">, Tenon_DeviceParameter];
}
class Tenon_PlacesFrom<string name> : Tenon_Places<name> {
  let arguments = (ins Tenon_Tensor:$x);
  let returns = "TriangleIndices";
  let parameters = [Tenon_Parameter<"x", "operand", "", "Of rank 2; its sizes are known.">, Tenon_Parameter<"k", "int", "0">];
}
def Tenon_TrilIndices : Tenon_TrianglePlaces<"tril_indices"> {
  let summary = "The rows and the columns (i64) of the elements on and below the diagonal `k` of a matrix.";
}
def Tenon_TriuIndices : Tenon_TrianglePlaces<"triu_indices"> {
  let summary = "The rows and the columns (i64) of the elements on and above the diagonal `k` of a matrix.";
}
def Tenon_TrilIndicesFrom : Tenon_PlacesFrom<"tril_indices_from"> {
  let summary = "`tril_indices` of the sizes of x.";
}
def Tenon_TriuIndicesFrom : Tenon_PlacesFrom<"triu_indices_from"> {
  let summary = "`triu_indices` of the sizes of x.";
}
def Tenon_DiagIndices : Tenon_Places<"diag_indices"> {
  let summary = "The indices (i64) along each of `ndim` axes of the elements of a diagonal: 0, 1, ... for each.";
  let parameters = [Tenon_Parameter<"size", "size">, Tenon_Parameter<"ndim", "int", "2">, Tenon_DeviceParameter];
}
def Tenon_DiagIndicesFrom : Tenon_Places<"diag_indices_from"> {
  let summary = "`diag_indices` of x, whose axes have one size.";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_Ix_ : Tenon_Places<"ix_"> {
  let summary = "Arrays of one axis so that the i-th varies along axis i alone: as an index they take a grid of elements.";
  let description = [{Of truth values the places where they hold, which must be known: not while tracing.}];
  let example = "std::vector<Array> grid = ix_({rows, columns}); // x[{grid[0], grid[1]}]";
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
}

// What random numbers of f32 are, one pass over the bits they are drawn as.
class Tenon_OfBits<string name> : Tenon_NamedComposite<name> {
  let category = "random";
  let isPublic = 0;
  let dtypes = ["u32"];
}
def Tenon_UniformOfBits : Tenon_OfBits<"uniform_of_bits"> {
  let summary = "Numbers of f32 in [low, high) from 32 random bits each.";
  let arguments = (ins Tenon_Tensor:$bits, Tenon_Scalar:$low, Tenon_Scalar:$high);
  let kernel = "kernelUniformOfBits";
  let batch = "batchUniformOfBits";
}
def Tenon_NormalOfBits : Tenon_OfBits<"normal_of_bits"> {
  let summary = "Normal numbers of f32 from 32 random bits each.";
  let arguments = (ins Tenon_Tensor:$bits);
  let kernel = "kernelNormalOfBits";
  let batch = "batchNormalOfBits";
}

#endif // TENON_CREATION_COMPOSITES

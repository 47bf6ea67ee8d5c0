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
                    Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; default: that of x.">,
                    Tenon_Parameter<"device", "device", "none", "The result's device; default: that of x.">];
}
def Tenon_FullLike : Tenon_Like<"full_like"> {
  let summary = "Array filled with `value`, with the shape, dtype and device of x unless given.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Scalar:$value);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"value", "number", "", "Fills the array.">,
                    Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; default: that of x.">,
                    Tenon_Parameter<"device", "device", "none", "The result's device; default: that of x.">];
}
def Tenon_ZerosLike : Tenon_Like<"zeros_like"> {
  let summary = "Array of zeros with the shape, dtype and device of x unless given.";
  let door = "expression";
  let expression = "full_like(x, false, dtype, device)";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_OnesLike : Tenon_Like<"ones_like"> {
  let summary = "Array of ones with the shape, dtype and device of x unless given.";
  let door = "expression";
  let expression = "full_like(x, true, dtype, device)";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_Zeros : Tenon_Composite<"zeros"> {
  let category = "creation";
  let summary = "Array of zeros.";
  let door = "expression";
  let expression = "full(shape, false, dtype, device, at)";
  let arguments = (ins Tenon_Dims:$shape, Tenon_Dtype:$dtype);
  let parameters = [Tenon_ShapeParameter, Tenon_Parameter<"dtype", "dtype", "f32">, Tenon_DeviceParameter];
}
def Tenon_Ones : Tenon_Composite<"ones"> {
  let category = "creation";
  let summary = "Array of ones.";
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
  let summary = "Array of the given shape whose contents are unspecified; here it is filled with zeros.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dims:$shape, Tenon_Dtype:$dtype);
  let parameters = [Tenon_ShapeParameter, madeDtype, Tenon_DeviceParameter];
  let door = "expression";
  let expression = "full(shape, false, dtype, device, at)";
}
def Tenon_EmptyLike : Tenon_Like<"empty_like"> {
  let summary = "Array with unspecified contents (zeros here) and the shape, dtype and device of x unless given.";
  let door = "expression";
  let expression = "full_like(x, false, dtype, device)";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_Asarray : Tenon_Like<"asarray"> {
  let summary = "Converts a number, nested lists or an array to an array of the given dtype on the given device.";
  let example = "Array x = asarray({{1, 2}, {3, 4}}, f64);";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_Eye : Tenon_Making<"eye"> {
  let example = "Array identity = eye(3, f64);";
  let summary = "Matrix with ones on diagonal `k` and zeros elsewhere; positive `k` is above the main diagonal.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"rows", "size">, Tenon_Parameter<"columns", "size", "none", "Number of columns; default: the number of rows.">,
                    Tenon_Parameter<"k", "int", "0">, madeDtype, Tenon_DeviceParameter];
}
def Tenon_Identity : Tenon_Making<"identity"> {
  let summary = "Square identity matrix.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"size", "size">, madeDtype, Tenon_DeviceParameter];
  let door = "expression";
  let expression = "eye(size, {}, 0, dtype, device, at)";
}
def Tenon_Iota : Tenon_Making<"iota"> {
  let summary = "The integers 0, 1, 2, ..., `size` - 1, as `arange(size)`; `size` may be symbolic.";
  let dtypes = ["real"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"size", "size">, Tenon_Parameter<"dtype", "dtype", "i32">, Tenon_DeviceParameter];
  let door = "expression";
  let expression = "detail::iota(size, dtype, device.value_or(default_device()), at)";
}
def Tenon_Indices : Tenon_Making<"indices"> {
  let summary = "Index grids of an array of `shape`: one array per axis, holding the index along that axis, stacked along a new axis 0.";
  let dtypes = ["real"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_ShapeParameter, Tenon_Parameter<"dtype", "dtype", "i64">, Tenon_DeviceParameter];
}

class Tenon_Spaced<string name> : Tenon_Making<name> {
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$start, Tenon_Tensor:$stop);
}
defvar spacedNum = Tenon_Parameter<"num", "int", "50", "Number of elements.">;
defvar spacedEnd = Tenon_Parameter<"endpoint", "bool", "true", "Whether `stop` is the last number.">;
defvar spacedDtype = Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; default: that of the bounds, f32 for integers.">;

def Tenon_Linspace : Tenon_Spaced<"linspace"> {
  let summary = "`num` evenly spaced numbers from `start` to `stop`.";
  let description = [{If the bounds are arrays, the numbers run along a new axis 0. Numbers are computed in f64
    (c128) and rounded once. An integer dtype rounds down, as in NumPy.}];
  let example = "Array x = linspace(0, 1, 11), wide = linspace(0, 1, 11, f64);";
  let parameters = [Tenon_Parameter<"start", "operand">, Tenon_Parameter<"stop", "operand">, spacedNum, spacedEnd,
                    spacedDtype];
  let referenceUlp = 2;
}
def Tenon_Logspace : Tenon_Spaced<"logspace"> {
  let summary = "Numbers evenly spaced on a log scale: `base` to the powers `linspace(start, stop, num, endpoint)`.";
  let parameters = [Tenon_Parameter<"start", "operand">, Tenon_Parameter<"stop", "operand">, spacedNum, spacedEnd,
                    Tenon_Parameter<"base", "float", "10">, spacedDtype];
  let referenceUlp = 32;
}
def Tenon_Geomspace : Tenon_Spaced<"geomspace"> {
  let summary = "`num` numbers in geometric progression from `start` to `stop`.";
  let description = [{Both bounds must have the same sign; otherwise the result is NaN.}];
  let parameters = [Tenon_Parameter<"start", "operand">, Tenon_Parameter<"stop", "operand">, spacedNum, spacedEnd,
                    spacedDtype];
  let referenceUlp = 32;
}

//===----------------------------------------------------------------------===//
// From arrays
//===----------------------------------------------------------------------===//

def Tenon_Meshgrid : Tenon_Making<"meshgrid"> {
  let summary = "Coordinate grids from one-dimensional arrays, as views: the i-th result varies along its own axis only.";
  let description = [{With GridIndexing::xy the first two axes of the grid are exchanged, as in NumPy; with
    GridIndexing::ij axis i is that of array i.}];
  let example = "std::vector<Array> xy = meshgrid({linspace(0, 1, 640), linspace(0, 1, 480)});";
  let dtypes = ["any"];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
  let parameters = [Tenon_Parameter<"xs", "arrays">, Tenon_Parameter<"indexing", "GridIndexing", "xy", "`xy` or `ij`.">];
  let returns = "std::vector<Array>";
}
class Tenon_Triangle<string name> : Tenon_Making<name> {
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"k", "int", "0">];
}
def Tenon_Tril : Tenon_Triangle<"tril"> {
  let summary = "Lower triangle: x with zeros above diagonal `k` of its last two axes.";
}
def Tenon_Triu : Tenon_Triangle<"triu"> {
  let summary = "Upper triangle: x with zeros below diagonal `k` of its last two axes.";
}
def Tenon_Diag : Tenon_Triangle<"diag"> {
  let summary = "For a vector, the matrix with x on diagonal `k` and zeros elsewhere; for a matrix, its diagonal `k`.";
}

def Tenon_Diagflat : Tenon_Triangle<"diagflat"> {
  let summary = "Matrix with the elements of x, flattened, on diagonal `k` and zeros elsewhere.";
  let door = "expression";
  let expression = "diag(reshape(x, {-1}), k)";
}
def Tenon_Tri : Tenon_Making<"tri"> {
  let summary = "Matrix with ones on and below diagonal `k` and zeros above it.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"rows", "size">, Tenon_Parameter<"columns", "size", "none", "Number of columns; default: the number of rows.">,
                    Tenon_Parameter<"k", "int", "0">, madeDtype, Tenon_DeviceParameter];
}

class Tenon_Places<string name> : Tenon_Making<name> {
  let category = "indexing";
  let dtypes = ["any"];
  let returns = "std::vector<Array>";
}
class Tenon_TrianglePlaces<string name> : Tenon_Places<name> {
  let description = [{Row-major order. The two arrays together index a matrix.}];
  let returns = "TriangleIndices";
  let parameters = [Tenon_Parameter<"rows", "int">, Tenon_Parameter<"k", "int", "0">,
                    Tenon_Parameter<"columns", "int", "none", "Number of columns; default: the number of rows.">, Tenon_DeviceParameter];
}
class Tenon_PlacesFrom<string name> : Tenon_Places<name> {
  let arguments = (ins Tenon_Tensor:$x);
  let returns = "TriangleIndices";
  let parameters = [Tenon_Parameter<"x", "operand", "", "A matrix of known sizes.">, Tenon_Parameter<"k", "int", "0">];
}
def Tenon_TrilIndices : Tenon_TrianglePlaces<"tril_indices"> {
  let summary = "Row and column indices (i64) of the elements on and below diagonal `k` of a matrix.";
}
def Tenon_TriuIndices : Tenon_TrianglePlaces<"triu_indices"> {
  let summary = "Row and column indices (i64) of the elements on and above diagonal `k` of a matrix.";
}
def Tenon_TrilIndicesFrom : Tenon_PlacesFrom<"tril_indices_from"> {
  let summary = "`tril_indices` for a matrix of the shape of x.";
}
def Tenon_TriuIndicesFrom : Tenon_PlacesFrom<"triu_indices_from"> {
  let summary = "`triu_indices` for a matrix of the shape of x.";
}
def Tenon_DiagIndices : Tenon_Places<"diag_indices"> {
  let summary = "Indices (i64) of the main diagonal of an array with `ndim` axes of the given size: 0, 1, 2, ... for each axis.";
  let parameters = [Tenon_Parameter<"size", "size">, Tenon_Parameter<"ndim", "int", "2">, Tenon_DeviceParameter];
}
def Tenon_DiagIndicesFrom : Tenon_Places<"diag_indices_from"> {
  let summary = "`diag_indices` for x, whose axes must have equal sizes.";
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_Ix_ : Tenon_Places<"ix_"> {
  let summary = "Open mesh from one-dimensional arrays: the i-th result varies along axis i, so that indexing with all of them selects a grid.";
  let description = [{A bool array stands for the indices of its true elements, whose number must be known: not
    while tracing.}];
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
  let summary = "Uniform f32 numbers in [low, high) from 32 random bits each.";
  let arguments = (ins Tenon_Tensor:$bits, Tenon_Scalar:$low, Tenon_Scalar:$high);
  let kernel = "kernelUniformOfBits";
  let batch = "batchUniformOfBits";
}
def Tenon_NormalOfBits : Tenon_OfBits<"normal_of_bits"> {
  let summary = "Standard normal f32 numbers from 32 random bits each.";
  let arguments = (ins Tenon_Tensor:$bits);
  let kernel = "kernelNormalOfBits";
  let batch = "batchNormalOfBits";
}

#endif // TENON_CREATION_COMPOSITES

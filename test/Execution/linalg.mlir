// A factorization and the solution of a triangular system; library steps.
//
// RUN: %python %S/Inputs/execute.py %s %t "f64 [[4, 2], [2, 5]]" "f64 [[2], [7]]" | FileCheck %s
// CHECK: compiled: generated kernels 0, library steps 2, eager kernels 0
// CHECK: 2 results, the same bytes
func.func @main(%a: tensor<2x2xf64>, %b: tensor<2x1xf64>) -> (tensor<2x2xf64>, tensor<2x1xf64>) {
  %0 = tenon.cholesky %a : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %1 = tenon.triangular_solve %0, %b lower true transposed false unit_diagonal false : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  return %0, %1 : tensor<2x2xf64>, tensor<2x1xf64>
}

// Error functions, and what divisions of floats leave.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 [0, -0.0, 1, -7, 7]" "f32 [1, -1, 0, 2, np.inf]" | FileCheck %s
// CHECK: compiled: generated kernels 5, library steps 0, eager kernels 0
// CHECK: 5 results, the same bytes
func.func @main(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %0 = tenon.erf %x : (tensor<5xf32>) -> tensor<5xf32>
  %1 = tenon.erfc %x : (tensor<5xf32>) -> tensor<5xf32>
  %2 = tenon.fmod %x, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %3 = tenon.remainder %x, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %4 = tenon.floor_divide %x, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0, %1, %2, %3, %4 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

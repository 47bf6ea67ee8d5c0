// Complex numbers by their parts.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 [1, -0.0, np.inf, 3, 4]" "f32 [2, 0, -1, -0.5, -0.0]" | FileCheck %s
// CHECK: compiled: generated kernels 1, library steps 0, eager kernels 0
// CHECK: 4 results, the same bytes
func.func @main(%re: tensor<5xf32>, %im: tensor<5xf32>) -> (tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>, tensor<5xf32>, tensor<5xf32>) {
  %0 = tenon.complex %re, %im : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xcomplex<f32>>
  %1 = tenon.conj %0 : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %2 = tenon.multiply %0, %1 : (tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %3 = tenon.real %2 : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  %4 = tenon.imag %1 : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  return %0, %1, %3, %4 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>, tensor<5xf32>, tensor<5xf32>
}

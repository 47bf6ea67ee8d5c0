// A Fourier transform of a real signal and back; library steps.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 [1, 2, 3, 4]" | FileCheck %s
// CHECK: compiled: generated kernels 0, library steps 2, eager kernels 0
// CHECK: 2 results, the same bytes
func.func @main(%x: tensor<4xf32>) -> (tensor<3xcomplex<f32>>, tensor<4xf32>) {
  %0 = tenon.dft %x axis 0 kind "rfft" divisor "one" length [] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  %1 = tenon.dft %0 axis 0 kind "irfft" divisor "n" length [4] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  return %0, %1 : tensor<3xcomplex<f32>>, tensor<4xf32>
}

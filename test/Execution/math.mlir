// Functions of runtime/math, of one operand and of two.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 [0, -0.0, 1e-10, -1, np.inf]" "f32 [1, -1, 0, -1, -np.inf]" | FileCheck %s
// CHECK: compiled: generated kernels 2, library steps 0, eager kernels 0
// CHECK{LITERAL}: Array([ 0.e+00 -0.e+00 1.e-10 -inf inf], shape=(5,), dtype=float32)
// CHECK{LITERAL}: Array([ 0. -3.1415927 1.5707964 -2.3561945 2.3561945], shape=(5,), dtype=float32)
// CHECK: 2 results, the same bytes
func.func @main(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = tenon.log1p %x : (tensor<5xf32>) -> tensor<5xf32>
  %1 = tenon.atan2 %x, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}

// A math function, inlined into a generated kernel.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 [-27, -0.0, 0.125, 1000, np.inf]" | FileCheck %s
// CHECK: compiled: generated kernels 1, library steps 0, eager kernels 0
// CHECK{LITERAL}: Array([-3. -0. 0.5 10. inf], shape=(5,), dtype=float32)
// CHECK: 1 results, the same bytes
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = tenon.cbrt %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

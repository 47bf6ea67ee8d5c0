// RUN: env TENON_VERIFY=1 %python %S/Inputs/execute.py %s %t "f32 [7, 5]" | FileCheck %s
// RUN: tenon-opt %s -tenon-group -tenon-kernel-to-linalg -tenon-vectorize -tenon-kernel-to-llvm | FileCheck %s --check-prefix=LLVM

// Reductions over an axis that only broadcasting, or a constant, made.
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: Array([21. 15.], shape=(2,), dtype=float32)
// CHECK{LITERAL}: Array([0. 0.], shape=(2,), dtype=float32)
// CHECK: 2 results, the same bytes
// LLVM: llvm.func
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = tenon.reshape %x shape [2, 1] : (tensor<2xf32>) -> tensor<2x1xf32>
  %1 = tenon.broadcast_to %0 shape [2, 3] : (tensor<2x1xf32>) -> tensor<2x3xf32>
  %2 = tenon.sum %1 axes [1] keepdims false : (tensor<2x3xf32>) -> tensor<2xf32>
  %3 = tenon.full shape [2, 3] value 0.0 dtype f32 : tensor<2x3xf32>
  %4 = tenon.max %3 axes [1] keepdims false : (tensor<2x3xf32>) -> tensor<2xf32>
  return %2, %4 : tensor<2xf32>, tensor<2xf32>
}

// RUN: %python %S/Inputs/execute.py %s %t "f32 [[1, 2, -3], [4, 0.5, 6]]" | FileCheck %s
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: Array([[ 1. 3. 0. ]
// CHECK-NEXT{LITERAL}: [ 4. 4.5 10.5]], shape=(2, 3), dtype=float32)
// CHECK{LITERAL}: Array([[ 1. 2. -3.]
// CHECK-NEXT{LITERAL}: [ 4. 1. -18.]], shape=(2, 3), dtype=float32)
// CHECK: 5 results, the same bytes
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = tenon.cumulative_sum %x axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tenon.cumulative_prod %x axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tenon.cumulative_max %x axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = tenon.cumulative_min %x axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = tenon.cumulative_logsumexp %x axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

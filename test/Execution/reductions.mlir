// RUN: %python %S/Inputs/execute.py %s %t "f32 [[1, 2, 3], [4, -5, 6]]" | FileCheck %s
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: Array([6. 5.], shape=(2,), dtype=float32)
// CHECK{LITERAL}: Array([[4. 2. 6.]], shape=(1, 3), dtype=float32)
// CHECK{LITERAL}: Array([2 2], shape=(2,), dtype=int64)
// CHECK{LITERAL}: Array(11., shape=(), dtype=float32)
// CHECK: 4 results, the same bytes
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<1x3xf32>, tensor<2xi64>, tensor<f32>) {
  %0 = tenon.sum %x {axes = array<i64: 1>, keepdims = false} : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = tenon.max %x {axes = array<i64: 0>, keepdims = true} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %2 = tenon.argmax %x {axis = 1 : i64, keepdims = false} : (tensor<2x3xf32>) -> tensor<2xi64>
  %3 = tenon.sum %x {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x3xf32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<1x3xf32>, tensor<2xi64>, tensor<f32>
}

// RUN: %python %S/Inputs/execute.py %s %t "f32 [[1, 2, 3], [4, -5, 6]]" "bool [[True, False], [True, True]]" | FileCheck %s
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: Array([6. 5.], shape=(2,), dtype=float32)
// CHECK{LITERAL}: Array([[4. 2. 6.]], shape=(1, 3), dtype=float32)
// CHECK{LITERAL}: Array([2 2], shape=(2,), dtype=int64)
// CHECK{LITERAL}: Array(11., shape=(), dtype=float32)
// CHECK{LITERAL}: Array([   6. -120.], shape=(2,), dtype=float32)
// CHECK{LITERAL}: Array([[ 1. -5.  3.]], shape=(1, 3), dtype=float32)
// CHECK{LITERAL}: Array([False  True], shape=(2,), dtype=bool)
// CHECK{LITERAL}: Array([ True  True], shape=(2,), dtype=bool)
// CHECK: 8 results, the same bytes
func.func @main(%x: tensor<2x3xf32>, %p: tensor<2x2xi1>) -> (tensor<2xf32>, tensor<1x3xf32>, tensor<2xi64>, tensor<f32>, tensor<2xf32>, tensor<1x3xf32>, tensor<2xi1>, tensor<2xi1>) {
  %0 = tenon.sum %x axes [1] keepdims false : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = tenon.max %x axes [0] keepdims true : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %2 = tenon.argmax %x axis 1 keepdims false : (tensor<2x3xf32>) -> tensor<2xi64>
  %3 = tenon.sum %x axes [0, 1] keepdims false : (tensor<2x3xf32>) -> tensor<f32>
  %4 = tenon.prod %x axes [1] keepdims false : (tensor<2x3xf32>) -> tensor<2xf32>
  %5 = tenon.min %x axes [0] keepdims true : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %6 = tenon.all %p axes [1] keepdims false : (tensor<2x2xi1>) -> tensor<2xi1>
  %7 = tenon.any %p axes [1] keepdims false : (tensor<2x2xi1>) -> tensor<2xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xf32>, tensor<1x3xf32>, tensor<2xi64>, tensor<f32>, tensor<2xf32>, tensor<1x3xf32>, tensor<2xi1>, tensor<2xi1>
}

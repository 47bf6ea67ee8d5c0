// Comparisons, truth values and bounds: an op each.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 [-1.5, 0, 2, np.nan, 7]" "f32 [1, 0, 3, 4, -5]" | FileCheck %s
// CHECK: compiled: generated kernels 3, library steps 0, eager kernels 0
// CHECK{LITERAL}: Array([ True False True False False], shape=(5,), dtype=bool)
// CHECK{LITERAL}: Array([ True False True True True], shape=(5,), dtype=bool)
// CHECK{LITERAL}: Array([False True False True True], shape=(5,), dtype=bool)
// CHECK{LITERAL}: Array([ True False True True True], shape=(5,), dtype=bool)
// CHECK{LITERAL}: Array([ 0. 0. 2. nan 7.], shape=(5,), dtype=float32)
// CHECK{LITERAL}: Array([ 1. 0. 3. nan -5.], shape=(5,), dtype=float32)
// CHECK: 6 results, the same bytes
func.func @main(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) {
  %0 = tenon.less %x, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %1 = tenon.not_equal %x, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %2 = tenon.logical_not %0 : (tensor<5xi1>) -> tensor<5xi1>
  %3 = tenon.logical_or %0, %1 : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
  %4 = tenon.relu %x : (tensor<5xf32>) -> tensor<5xf32>
  %5 = tenon.clip %x, %y, %y : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xf32>, tensor<5xf32>
}

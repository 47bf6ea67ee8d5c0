// A chain of elementwise ops is one kernel.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 [-1.5, 0, 2, 0.25, 7]" "f32 [1, 2, 3, 4, -5]" | FileCheck %s
// CHECK: compiled: generated kernels 1, library steps 0, eager kernels 0
// CHECK: interpreted: generated kernels 0
// CHECK{LITERAL}: Array([ 3.25 2. 7. 4.0625 44. ], shape=(5,), dtype=float32)
// CHECK{LITERAL}: Array([False False False False True], shape=(5,), dtype=bool)
// CHECK: 2 results, the same bytes
func.func @main(%x: tensor<?xf32> {tenon.dims = ["n"]}, %y: tensor<?xf32> {tenon.dims = ["n"]}) -> (tensor<?xf32>, tensor<?xi1>) {
  %0 = tenon.multiply %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tenon.add %0, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = tenon.less_equal %y, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
  %3 = tenon.negative %y : (tensor<?xf32>) -> tensor<?xf32>
  %4 = tenon.abs %3 : (tensor<?xf32>) -> tensor<?xf32>
  %5 = tenon.maximum %1, %4 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %6 = tenon.less_equal %4, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
  return %5, %6 : tensor<?xf32>, tensor<?xi1>
}

// Rows of unlike sizes, by a fused kernel; each row's sum is 1.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 [[0, 0, 0, 0], [1000, 0, 1000, -1000]]" | FileCheck %s
// CHECK: compiled: generated kernels 1, library steps 0, eager kernels 0
// CHECK{LITERAL}: Array([[0.25 0.25 0.25 0.25]
// CHECK-NEXT{LITERAL}: [0.5 0. 0.5 0. ]], shape=(2, 4), dtype=float32)
// CHECK: 1 results, the same bytes
func.func @main(%x: tensor<2x?xf32> {tenon.dims = [2, "n"]}) -> tensor<2x?xf32> {
  %n = tenon.size "n" : index
  %0 = tenon.composite %x name "softmax" composite_attributes {axis = 1 : i64} : tensor<2x?xf32> decomposition(%a: tensor<2x?xf32>) {
    %m = tenon.max %a axes [1] keepdims true : (tensor<2x?xf32>) -> tensor<2x1xf32>
    %k = tenon.size "n" : index
    %w = tenon.broadcast_to %m shape [2, %k] : (tensor<2x1xf32>) -> tensor<2x?xf32>
    %d = tenon.subtract %a, %w : tensor<2x?xf32>
    %e = tenon.exp %d : tensor<2x?xf32>
    %s = tenon.sum %e axes [1] keepdims true : (tensor<2x?xf32>) -> tensor<2x1xf32>
    %t = tenon.broadcast_to %s shape [2, %k] : (tensor<2x1xf32>) -> tensor<2x?xf32>
    %q = tenon.divide %e, %t : tensor<2x?xf32>
    tenon.return %q : tensor<2x?xf32>
  }
  return %0 : tensor<2x?xf32>
}

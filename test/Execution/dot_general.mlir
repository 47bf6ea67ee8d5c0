// A product of matrices, each by each of a batch; a library step.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 np.arange(12).reshape(2, 2, 3)" "f32 [[[1, 0], [0, 1], [1, 1]]] * 2" | FileCheck %s
// CHECK: compiled: generated kernels 0, library steps 1, eager kernels 0
// CHECK{LITERAL}: Array([[[ 2. 3.]
// CHECK-NEXT{LITERAL}: [ 8. 9.]]
// CHECK{LITERAL}: [[14. 15.]
// CHECK-NEXT{LITERAL}: [20. 21.]]], shape=(2, 2, 2), dtype=float32)
// CHECK: 1 results, the same bytes
func.func @main(%x: tensor<?x2x3xf32> {tenon.dims = ["batch", 2, 3]}, %y: tensor<?x3x2xf32> {tenon.dims = ["batch", 3, 2]}) -> tensor<?x2x2xf32> {
  %0 = tenon.dot_general %x, %y axes1 [2] axes2 [1] batch1 [0] batch2 [0] dtype f32 : (tensor<?x2x3xf32>, tensor<?x3x2xf32>) -> tensor<?x2x2xf32>
  return %0 : tensor<?x2x2xf32>
}

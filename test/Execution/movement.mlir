// RUN: %python %S/Inputs/execute.py %s %t "i32 [[1, 2, 3], [4, 5, 6]]" "i32 -1" | FileCheck %s
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: Array([[1 4]
// CHECK-NEXT{LITERAL}: [2 5]
// CHECK-NEXT{LITERAL}: [3 6]], shape=(3, 2), dtype=int32)
// CHECK{LITERAL}: Array([[-1 1 -1 2 -1 3]
// CHECK-NEXT{LITERAL}: [-1 4 -1 5 -1 6]], shape=(2, 6), dtype=int32)
// CHECK{LITERAL}: Array([[1 2 3 3 1]
// CHECK-NEXT{LITERAL}: [4 5 6 6 4]], shape=(2, 5), dtype=int32)
// CHECK{LITERAL}: Array([[1]
// CHECK-NEXT{LITERAL}: [4]], shape=(2, 1), dtype=int32)
// CHECK{LITERAL}: Array([[2 3]
// CHECK-NEXT{LITERAL}: [5 6]], shape=(2, 2), dtype=int32)
// CHECK: 5 results, the same bytes
func.func @main(%x: tensor<2x3xi32>, %v: tensor<i32>) -> (tensor<3x2xi32>, tensor<2x6xi32>, tensor<2x5xi32>, tensor<2x1xi32>, tensor<2x2xi32>) {
  %0 = tenon.transpose %x permutation [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = tenon.pad %x, %v low [0, 1] high [0, 0] interior [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x6xi32>
  %s = tenon.slice %x starts [0, 2] stops [2, -1] steps [1, -2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %2 = tenon.concatenate %x, %s axis 1 : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
  %3:2 = tenon.split %x sizes [1, 2] axis 1 : (tensor<2x3xi32>) -> (tensor<2x1xi32>, tensor<2x2xi32>)
  return %0, %1, %2, %3#0, %3#1 : tensor<3x2xi32>, tensor<2x6xi32>, tensor<2x5xi32>, tensor<2x1xi32>, tensor<2x2xi32>
}

// RUN: %python %S/Inputs/execute.py %s %t "i32 [[1, 2, 3], [4, 5, 6]]" "i64 [[1], [-1], [2]]" "i32 [7, 8, 9]" "i64 1" | FileCheck %s
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: Array([[2 1 3]
// CHECK-NEXT{LITERAL}: [5 4 6]], shape=(2, 3), dtype=int32)
// CHECK{LITERAL}: Array([[ 2 -5 3]
// CHECK-NEXT{LITERAL}: [ 5 -5 6]], shape=(2, 3), dtype=int32)
// CHECK{LITERAL}: Array([[ 1 9 12]
// CHECK-NEXT{LITERAL}: [ 4 12 15]], shape=(2, 3), dtype=int32)
// CHECK{LITERAL}: Array([[5 6]], shape=(1, 2), dtype=int32)
// CHECK{LITERAL}: Array([[1 2 3]
// CHECK-NEXT{LITERAL}: [4 5 6]], shape=(2, 3), dtype=int32)
// CHECK: 5 results, the same bytes
func.func @main(%x: tensor<2x3xi32>, %i: tensor<3x1xi64>, %u: tensor<3xi32>, %s: tensor<i64>) -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<1x2xi32>, tensor<2x3xi32>) {
  %0 = tenon.gather %x, %i slice_sizes [2, 1] offset_dims [0] collapsed_slice_dims [1] start_index_map [1] operand_batching_dims [] start_indices_batching_dims [] mode "clip" fill_value 0 : (tensor<2x3xi32>, tensor<3x1xi64>) -> tensor<2x3xi32>
  %1 = tenon.gather %x, %i slice_sizes [2, 1] offset_dims [0] collapsed_slice_dims [1] start_index_map [1] operand_batching_dims [] start_indices_batching_dims [] mode "drop" fill_value -5 : (tensor<2x3xi32>, tensor<3x1xi64>) -> tensor<2x3xi32>
  %v = tenon.broadcast_to %u shape [2, 3] : (tensor<3xi32>) -> tensor<2x3xi32>
  %2 = tenon.scatter_add %x, %i, %v update_window_dims [0] inserted_window_dims [1] scatter_dims_to_operand_dims [1] input_batching_dims [] scatter_indices_batching_dims [] mode "drop" : (tensor<2x3xi32>, tensor<3x1xi64>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = tenon.dynamic_slice %x, %s, %s slice_sizes [1, 2] : (tensor<2x3xi32>, tensor<i64>, tensor<i64>) -> tensor<1x2xi32>
  %4 = tenon.dynamic_update_slice %x, %3, %s, %s : (tensor<2x3xi32>, tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<2x3xi32>
  return %0, %1, %2, %3, %4 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<1x2xi32>, tensor<2x3xi32>
}

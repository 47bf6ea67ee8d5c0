// Creation and random bits: for key 0 and counter 0 Threefry-2x32's published
// words are 6b200159 and 99ba4efe; an element is their exclusive or.
//
// RUN: %python %S/Inputs/execute.py %s %t "u32 [0, 0]" "f32 np.zeros((5, 2))" | FileCheck %s
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: Array([3 5 7 9], shape=(4,), dtype=int32)
// CHECK{LITERAL}: Array([2.5 2.5], shape=(2,), dtype=float32)
// CHECK{LITERAL}: Array(5, shape=(), dtype=int64)
// CHECK{LITERAL}: Array([4070199207 4202968722 1427181096], shape=(3,), dtype=uint32)
// CHECK: 4 results, the same bytes
func.func @main(%key: tensor<2xui32>, %x: tensor<?x2xf32> {tenon.dims = ["n", 2]}) -> (tensor<4xi32>, tensor<2xf32>, tensor<i64>, tensor<3xui32>) {
  %0 = tenon.arange length [4] start 3 step 2 dtype i32 : tensor<4xi32>
  %1 = tenon.full shape [2] value 2.5 dtype f32 : tensor<2xf32>
  %2 = tenon.dimension %x axis 0 : (tensor<?x2xf32>) -> tensor<i64>
  %3 = tenon.bits %key shape [3] words 1 : (tensor<2xui32>) -> tensor<3xui32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<2xf32>, tensor<i64>, tensor<3xui32>
}

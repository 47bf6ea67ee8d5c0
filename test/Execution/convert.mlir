// RUN: %python %S/Inputs/execute.py %s %t "bool [True, False, True]" "f32 [1.75, 2, -3.5]" "u8 [200, 7, 255]" | FileCheck %s
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: Array([ 1 7 -3], shape=(3,), dtype=int64)
// CHECK{LITERAL}: Array([50 1 63], shape=(3,), dtype=uint8)
// CHECK{LITERAL}: Array([ True False False], shape=(3,), dtype=bool)
// CHECK: 3 results, the same bytes
func.func @main(%c: tensor<3xi1>, %x: tensor<3xf32>, %u: tensor<3xui8>) -> (tensor<3xi64>, tensor<3xui8>, tensor<3xi1>) {
  %0 = tenon.astype %u dtype f32 : (tensor<3xui8>) -> tensor<3xf32>
  %1 = tenon.where %c, %x, %0 : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = tenon.astype %1 dtype i64 : (tensor<3xf32>) -> tensor<3xi64>
  %two = tenon.full shape [3] value 2 dtype ui8 : tensor<3xui8>
  %3 = tenon.right_shift %u, %two : tensor<3xui8>
  %zero = tenon.full shape [3] value 0.0 dtype f32 : tensor<3xf32>
  %4 = tenon.less_equal %zero, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %5 = tenon.equal %x, %zero : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %6 = tenon.equal %4, %c : tensor<3xi1>
  %7 = tenon.logical_and %6, %c : tensor<3xi1>
  return %2, %3, %7 : tensor<3xi64>, tensor<3xui8>, tensor<3xi1>
}

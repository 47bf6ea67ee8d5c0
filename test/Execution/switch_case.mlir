// A branch by its number: below the first and above the last the nearest one.
//
// RUN: %python %S/Inputs/execute.py %s %t "i64 1" "f32 [1, 2]" | FileCheck %s
// RUN: %python %S/Inputs/execute.py %s %t "i64 -9223372036854775808" "f32 [1, 2]" | FileCheck --check-prefix=FIRST %s
// RUN: %python %S/Inputs/execute.py %s %t "i64 9223372036854775807" "f32 [1, 2]" | FileCheck --check-prefix=LAST %s
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: Array([1. 2.], shape=(2,), dtype=float32)
// CHECK: 1 results, the same bytes
// FIRST{LITERAL}: Array([-1. -2.], shape=(2,), dtype=float32)
// LAST{LITERAL}: Array([1. 4.], shape=(2,), dtype=float32)
func.func @main(%i: tensor<i64>, %x: tensor<?xf32> {tenon.dims = ["n"]}) -> tensor<?xf32> {
  %0 = tenon.switch_case %i, %x : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32> branch(%a: tensor<?xf32>) {
    %1 = tenon.negative %a : tensor<?xf32>
    tenon.return %1 : tensor<?xf32>
  } branch(%a: tensor<?xf32>) {
    tenon.return %a : tensor<?xf32>
  } branch(%a: tensor<?xf32>) {
    %1 = tenon.multiply %a, %a : tensor<?xf32>
    tenon.return %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

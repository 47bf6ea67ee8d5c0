// A branch, a loop over slices and a loop with a condition; the print in the
// loop shows every round in its order.
//
// RUN: %python %S/Inputs/execute.py %s %t "bool True" "f32 [1, 2]" "f32 [[1, 1], [2, 0], [3, 5]]" "i32 3" | FileCheck %s
// RUN: %python %S/Inputs/execute.py %s %t "bool False" "f32 [1, 2]" "f32 [[1, 1], [2, 0], [3, 5]]" "i32 3" | FileCheck --check-prefix=OTHER %s
// CHECK: compiled: {{.*}} eager kernels 0
// CHECK{LITERAL}: row [1. 1.]
// CHECK-NEXT{LITERAL}: row [2. 0.]
// CHECK-NEXT{LITERAL}: row [3. 5.]
// CHECK-NEXT{LITERAL}: Array([-1. -2.], shape=(2,), dtype=float32)
// CHECK{LITERAL}: Array([7. 8.], shape=(2,), dtype=float32)
// CHECK{LITERAL}: Array([[2. 3.]
// CHECK-NEXT{LITERAL}: [4. 3.]
// CHECK-NEXT{LITERAL}: [7. 8.]], shape=(3, 2), dtype=float32)
// CHECK{LITERAL}: Array(96, shape=(), dtype=int32)
// CHECK: 4 results, the same bytes
// OTHER{LITERAL}: Array([1. 4.], shape=(2,), dtype=float32)
func.func @main(%p: tensor<i1>, %c: tensor<2xf32>, %xs: tensor<?x2xf32> {tenon.dims = ["n", 2]}, %i: tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<?x2xf32>, tensor<i32>) {
  %n = tenon.size "n" : index
  %0 = tenon.cond %p, %c : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> then(%a: tensor<2xf32>) {
    %5 = tenon.negative %a : tensor<2xf32>
    tenon.return %5 : tensor<2xf32>
  } otherwise(%a: tensor<2xf32>) {
    %5 = tenon.multiply %a, %a : tensor<2xf32>
    tenon.return %5 : tensor<2xf32>
  }
  %1:2 = tenon.scan %c, %xs length [%n] consts 0 carries 1 reverse false : (tensor<2xf32>, tensor<?x2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) body(%a: tensor<2xf32>, %row: tensor<2xf32>) {
    tenon.print %row format "row {}" : (tensor<2xf32>) -> ()
    %5 = tenon.add %a, %row : tensor<2xf32>
    tenon.return %5, %5 : tensor<2xf32>, tensor<2xf32>
  }
  %limit = tenon.full shape [] value 50 dtype i32 : tensor<i32>
  %2 = tenon.while_loop %limit, %i cond_consts 1 body_consts 0 : tensor<i32> cond(%l: tensor<i32>, %j: tensor<i32>) {
    %5 = tenon.less_equal %j, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tenon.return %5 : tensor<i1>
  } body(%j: tensor<i32>) {
    %5 = tenon.add %j, %j : tensor<i32>
    tenon.return %5 : tensor<i32>
  }
  return %0, %1#0, %1#1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<?x2xf32>, tensor<i32>
}

// A check that holds does nothing; one that does not ends the run, in a loop too, with its text and its line.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 [1, 2]" | FileCheck %s
// RUN: not %python %S/Inputs/execute.py %s %t "f32 [1, 7]" 2>&1 | FileCheck --check-prefix=FAILED %s
// CHECK{LITERAL}: Array([2. 4.], shape=(2,), dtype=float32)
// CHECK: 1 results, the same bytes
// FAILED: round with 7.00
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %limit = tenon.full shape [] value 5.0 dtype f32 : tensor<f32>
  %start = tenon.full shape [] value 0.0 dtype f32 : tensor<f32>
  %all = tenon.less_equal %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  tenon.check %all, %x format "x is {}" examples 0 : (tensor<2xi1>, tensor<2xf32>) -> ()
  %0:2 = tenon.scan %limit, %start, %x length [2] consts 1 carries 1 reverse false : (tensor<f32>, tensor<f32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>) body(%l: tensor<f32>, %c: tensor<f32>, %e: tensor<f32>) {
    %1 = tenon.less %e, %l : (tensor<f32>, tensor<f32>) -> tensor<i1>
    // FAILED: check.mlir:[[@LINE+1]]
    tenon.check %1, %e format "round with {:.2f}" examples 0 : (tensor<i1>, tensor<f32>) -> ()
    %2 = tenon.add %e, %e : tensor<f32>
    tenon.return %c, %2 : tensor<f32>, tensor<f32>
  }
  return %0#1 : tensor<2xf32>
}

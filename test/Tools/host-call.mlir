// A call of a process's function is printed and parsed, and is an Error with its line where it runs elsewhere.
//
// RUN: tenon-opt %s | tenon-opt | FileCheck %s
// RUN: not tenon-run %s 2>&1 | FileCheck --check-prefix=FAILED %s
// RUN: not tenon-run --interpret %s 2>&1 | FileCheck --check-prefix=FAILED %s
// CHECK: tenon.host_call function 1 batched false dtypes "f32" ranks [1] sizes [3] device "cpu:0" : tensor<3xf32>
// FAILED: host_call: expected the process that has recorded the call of its function, got another one
func.func @main() -> tensor<3xf32> {
  %0 = tenon.full shape [3] value 1.0 dtype f32 : tensor<3xf32>
  // FAILED: host-call.mlir:[[@LINE+1]]
  %1 = tenon.host_call function 1 batched false dtypes "f32" ranks [1] sizes [3] device "cpu:0" : tensor<3xf32>
  %2 = tenon.add %0, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}

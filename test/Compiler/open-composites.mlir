// RUN: tenon-opt %s -tenon-open-composites | FileCheck %s

// A call's body in its place: each result is what the body returns, be it one of
// the operands; a call without the mark stays.
// CHECK-LABEL: func.func @swap
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<4xf32>)
// CHECK-NOT: tenon.call
// CHECK: %[[E:.+]] = tenon.exp %[[Y]]
// CHECK: %[[C:.+]] = tenon.call %[[Y]]
// CHECK: return %[[Y]], %[[X]], %[[E]], %[[C]]
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = tenon.call %x, %y {tenon.inline} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) body "swap"(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %1 = tenon.exp %b : tensor<4xf32>
    tenon.return %b, %a, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  %2 = tenon.call %0#0 : tensor<4xf32> body "same"(%a: tensor<4xf32>) {
    tenon.return %a : tensor<4xf32>
  }
  return %0#0, %0#1, %0#2, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// RUN: tenon-opt %s -tenon-group | FileCheck %s

// A declaration has nothing to group.
// CHECK: func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>

// CHECK-LABEL: func.func @here
// CHECK: tenon.kernel
func.func @here(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

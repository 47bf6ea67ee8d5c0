// RUN: tenon-opt %s --tenon-grad --split-input-file | FileCheck %s
// RUN: tenon-opt %s --tenon-grad=value=true --tenon-simplify --split-input-file | FileCheck %s --check-prefix=VALUE
// RUN: tenon-opt %s --tenon-grad --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LINES

// The rules of the library; the function keeps its name, its ops their lines.
// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[W:.+]]: tensor<3x2xf32>, %[[X:.+]]: tensor<4x3xf32>) -> tensor<3x2xf32> {
// CHECK-NEXT: %[[P:.+]] = tenon.dot_general %[[X]], %[[W]]
// CHECK-NEXT: %[[ONE:.+]] = tenon.full shape [] value 1.0 dtype f32
// CHECK-NEXT: tenon.reshape %[[ONE]] shape [1, 1]
// CHECK-NEXT: %[[CT:.+]] = tenon.broadcast_to
// CHECK-NEXT: %[[D:.+]] = tenon.sech_squared %[[P]]
// CHECK-NEXT: %[[CP:.+]] = tenon.multiply %[[CT]], %[[D]]
// CHECK-NEXT: %[[G:.+]] = tenon.dot_general %[[X]], %[[CP]] axes1 [0] axes2 [0]
// CHECK-NEXT: return %[[G]] : tensor<3x2xf32>

// Simplified, what multiplies with ones is gone.
// VALUE-LABEL: func.func @loss(
// VALUE-SAME: -> (tensor<f32>, tensor<3x2xf32>)
// VALUE: tenon.sech_squared
// VALUE-NOT: {{tenon.(multiply|broadcast_to)}}
// VALUE: tenon.dot_general
// VALUE-NEXT: return %{{.+}}, %{{.+}} : tensor<f32>, tensor<3x2xf32>

// LINES-LABEL: func.func @loss(
// LINES: tenon.sech_squared {{.*}} loc(callsite("model.cpp":7:3 at "grad(tanh)"))
func.func @loss(%w: tensor<3x2xf32>, %x: tensor<4x3xf32>) -> tensor<f32> {
  %0 = tenon.dot_general %x, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = tenon.tanh %0 : tensor<4x2xf32> loc("model.cpp":7:3)
  %2 = tenon.sum %1 axes [0, 1] keepdims false : (tensor<4x2xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Sizes keep their names; an input that the result does not depend on has zeros.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: %[[X:.+]]: tensor<?xf32> {tenon.dims = ["n"]}
// CHECK: %[[N:.+]] = tenon.size "n"
// CHECK: tenon.full shape [%[[N]]] value 0.0
// CHECK-NOT: tenon.exp
// VALUE-LABEL: func.func @sizes(
func.func @sizes(%x: tensor<?xf32> {tenon.dims = ["n"]}, %y: tensor<?xf32> {tenon.dims = ["n"]}) -> tensor<f32> {
  %0 = tenon.sum %y axes [0] keepdims false : (tensor<?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// RUN: tenon-opt %s --tenon-jvp="wrt=1,0" | FileCheck %s --check-prefix=JVP
// RUN: tenon-opt %s --tenon-vmap="axes=-,1 size=8" | FileCheck %s --check-prefix=VMAP
// RUN: tenon-opt %s --tenon-vmap | FileCheck %s --check-prefix=ALL
// RUN: tenon-opt %s --tenon-grad --tenon-vmap="axes=-,0 size=batch" | FileCheck %s --check-prefix=NESTED

// Tangents of the inputs stand behind them in the order of wrt, of the results behind these.
// JVP-LABEL: func.func @product(
// JVP-SAME: %[[W:.+]]: tensor<3x2xf32>, %[[X:.+]]: tensor<4x3xf32>, %[[DX:.+]]: tensor<4x3xf32>, %[[DW:.+]]: tensor<3x2xf32>) -> (tensor<f32>, tensor<f32>) {
// JVP-NEXT: %[[P:.+]] = tenon.dot_general %[[X]], %[[W]]
// JVP-DAG: %[[A:.+]] = tenon.dot_general %[[DX]], %[[W]]
// JVP-DAG: %[[B:.+]] = tenon.dot_general %[[X]], %[[DW]]
// JVP: %[[DP:.+]] = tenon.add
// JVP-NEXT: %[[R:.+]] = tenon.sum %[[P]]
// JVP-NEXT: %[[DR:.+]] = tenon.sum %[[DP]]
// JVP-NEXT: return %[[R]], %[[DR]]

// The examples stand where axes says, and in front of the results.
// VMAP-LABEL: func.func @product(
// VMAP-SAME: %{{.+}}: tensor<3x2xf32>, %{{.+}}: tensor<4x8x3xf32>) -> tensor<8xf32>
// ALL-LABEL: func.func @product(
// ALL-SAME: %{{.+}}: tensor<?x3x2xf32> {tenon.dims = ["examples", 3, 2]}, %{{.+}}: tensor<?x4x3xf32> {tenon.dims = ["examples", 4, 3]}) -> tensor<?xf32>

// A gradient for each example.
// NESTED-LABEL: func.func @product(
// NESTED-SAME: tensor<?x4x3xf32> {tenon.dims = ["batch", 4, 3]}) -> tensor<?x3x2xf32>
func.func @product(%w: tensor<3x2xf32>, %x: tensor<4x3xf32>) -> tensor<f32> {
  %0 = tenon.dot_general %x, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = tenon.sum %0 axes [0, 1] keepdims false : (tensor<4x2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

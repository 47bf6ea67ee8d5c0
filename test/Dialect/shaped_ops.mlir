// RUN: tenon-opt %s | tenon-opt | FileCheck %s
// RUN: tenon-opt %s --mlir-print-op-generic | tenon-opt | FileCheck %s

// CHECK-LABEL: func.func @reductions(
func.func @reductions(%x: tensor<2x3x4xf32>) -> (tensor<3xf32>, tensor<1x3x1xf32>, tensor<2x3xi64>) {
  // CHECK: tenon.sum %{{.*}} {axes = array<i64: 0, 2>, keepdims = false}
  %0 = tenon.sum %x {axes = array<i64: 0, 2>, keepdims = false} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  // CHECK: tenon.max %{{.*}} {axes = array<i64: 0, 2>, keepdims = true}
  %1 = tenon.max %x {axes = array<i64: 0, 2>, keepdims = true} : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: tenon.argmax %{{.*}} {axis = 2 : i64, keepdims = false}
  %2 = tenon.argmax %x {axis = 2 : i64, keepdims = false} : (tensor<2x3x4xf32>) -> tensor<2x3xi64>
  return %0, %1, %2 : tensor<3xf32>, tensor<1x3x1xf32>, tensor<2x3xi64>
}

// Each dynamic entry takes the next index operand.
// CHECK-LABEL: func.func @sizes(
func.func @sizes(%x: tensor<?x6xf32> {tenon.dims = ["n", 6]}) -> (tensor<?x3xf32>, tensor<?x?x6xf32>, tensor<?x2xf32>) {
  // CHECK: %[[TWO:.*]] = tenon.size "2*n" : index
  %0 = tenon.size "2*n" : index
  // CHECK: %[[N:.*]] = tenon.size "n" : index
  %1 = tenon.size "n" : index
  // CHECK: tenon.reshape %{{.*}}, %[[TWO]] {shape = array<i64: -9223372036854775808, 3>} : (tensor<?x6xf32>, index)
  %2 = tenon.reshape %x, %0 {shape = array<i64: -9223372036854775808, 3>} : (tensor<?x6xf32>, index) -> tensor<?x3xf32>
  // CHECK: tenon.broadcast_to %{{.*}}, %[[TWO]], %[[N]] {shape
  %3 = tenon.broadcast_to %x, %0, %1 {shape = array<i64: -9223372036854775808, -9223372036854775808, 6>} : (tensor<?x6xf32>, index, index) -> tensor<?x?x6xf32>
  // CHECK: tenon.slice %{{.*}}, %[[N]] {{.*}}operandSegmentSizes = array<i32: 1, 0, 1>
  %4 = tenon.slice %x, %1 {starts = array<i64: 0, 1>, stops = array<i64: -9223372036854775808, 5>, steps = array<i64: 1, 2>, operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<?x6xf32>, index) -> tensor<?x2xf32>
  return %2, %3, %4 : tensor<?x3xf32>, tensor<?x?x6xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: func.func @movement(
func.func @movement(%x: tensor<2x6xi32>, %v: tensor<i32>) -> (tensor<6x2xi32>, tensor<9x6xi32>, tensor<2x9xi32>, tensor<2x2xi32>, tensor<2x4xi32>) {
  // CHECK: tenon.transpose %{{.*}} {permutation = array<i64: 1, 0>}
  %0 = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x6xi32>) -> tensor<6x2xi32>
  // CHECK: tenon.pad
  %1 = tenon.pad %x, %v {low = array<i64: 1, 0>, high = array<i64: 3, 0>, interior = array<i64: 3, 0>, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x6xi32>, tensor<i32>) -> tensor<9x6xi32>
  %s = tenon.slice %x {starts = array<i64: 0, 5>, stops = array<i64: 2, -1>, steps = array<i64: 1, -2>, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2x6xi32>) -> tensor<2x3xi32>
  // CHECK: tenon.concatenate %{{.*}}, %{{.*}} {axis = 1 : i64}
  %2 = tenon.concatenate %x, %s {axis = 1 : i64} : (tensor<2x6xi32>, tensor<2x3xi32>) -> tensor<2x9xi32>
  // CHECK: %{{.*}}:2 = tenon.split %{{.*}} {axis = 1 : i64, sizes = array<i64: 2, 4>}
  %3:2 = tenon.split %x {axis = 1 : i64, sizes = array<i64: 2, 4>} : (tensor<2x6xi32>) -> (tensor<2x2xi32>, tensor<2x4xi32>)
  return %0, %1, %2, %3#0, %3#1 : tensor<6x2xi32>, tensor<9x6xi32>, tensor<2x9xi32>, tensor<2x2xi32>, tensor<2x4xi32>
}

// CHECK-LABEL: func.func @creation(
func.func @creation() -> (tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<3xui8>, tensor<i1>, tensor<f64>) {
  // CHECK: tenon.full {dtype = f32, shape = array<i64: 2>, value = -0.000000e+00 : f64} : () -> tensor<2xf32>
  %0 = tenon.full {dtype = f32, shape = array<i64: 2>, value = -0.0 : f64} : () -> tensor<2xf32>
  // CHECK: value = [-0.000000e+00 : f32, 2.500000e+00 : f32]
  %1 = tenon.full {dtype = complex<f32>, shape = array<i64: 2>, value = [-0.0 : f32, 2.5 : f32]} : () -> tensor<2xcomplex<f32>>
  // CHECK: tenon.arange {dtype = ui8, length = array<i64: 3>, start = 1 : i64, step = 2 : i64}
  %2 = tenon.arange {dtype = ui8, length = array<i64: 3>, start = 1 : i64, step = 2 : i64} : () -> tensor<3xui8>
  // CHECK: value = true
  %3 = tenon.full {dtype = i1, shape = array<i64>, value = true} : () -> tensor<i1>
  // CHECK: value = 0x7FF8000000000007 : f64
  %4 = tenon.full {dtype = f64, shape = array<i64>, value = 0x7FF8000000000007 : f64} : () -> tensor<f64>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<3xui8>, tensor<i1>, tensor<f64>
}

// CHECK-LABEL: func.func @wide_numbers(
func.func @wide_numbers() -> (tensor<2xui64>, tensor<ui64>, tensor<2xcomplex<f64>>) {
  // CHECK: tenon.full {dtype = ui64, shape = array<i64: 2>, value = 18446744073709551615 : ui64} : () -> tensor<2xui64>
  %0 = tenon.full {dtype = ui64, shape = array<i64: 2>, value = 18446744073709551615 : ui64} : () -> tensor<2xui64>
  // CHECK: tenon.full {dtype = ui64, shape = array<i64>, value = 3 : i64} : () -> tensor<ui64>
  %1 = tenon.full {dtype = ui64, shape = array<i64>, value = 3 : i64} : () -> tensor<ui64>
  // CHECK: value = [1.000000e-01, -0.000000e+00]} : () -> tensor<2xcomplex<f64>>
  %2 = tenon.full {dtype = complex<f64>, shape = array<i64: 2>, value = [0.1 : f64, -0.0 : f64]} : () -> tensor<2xcomplex<f64>>
  return %0, %1, %2 : tensor<2xui64>, tensor<ui64>, tensor<2xcomplex<f64>>
}

// CHECK-LABEL: func.func @devices(
func.func @devices(%k: tensor<2xui32>) -> (tensor<f32>, tensor<2xi32>, tensor<3xui32>) {
  // CHECK: tenon.full {device = "cpu:0", dtype = f32, shape = array<i64>, value = 1.000000e+00 : f64} : () -> tensor<f32>
  %0 = tenon.full {device = "cpu:0", dtype = f32, shape = array<i64>, value = 1.0 : f64} : () -> tensor<f32>
  // CHECK: tenon.arange {device = "cpu:0"
  %1 = tenon.arange {device = "cpu:0", dtype = i32, length = array<i64: 2>, start = 1 : i64, step = 2 : i64} : () -> tensor<2xi32>
  // CHECK: tenon.bits %{{.*}} {device = "cpu:0"
  %2 = tenon.bits %k {device = "cpu:0", shape = array<i64: 3>, words = 1 : i64} : (tensor<2xui32>) -> tensor<3xui32>
  return %0, %1, %2 : tensor<f32>, tensor<2xi32>, tensor<3xui32>
}

// CHECK-LABEL: func.func @others(
func.func @others(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %k: tensor<5x2xui32>) -> (tensor<2x4xf32>, tensor<i64>, tensor<5x7xui32>) {
  // CHECK: tenon.matmul
  %0 = tenon.matmul %x, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: tenon.dimension %{{.*}} {axis = 1 : i64}
  %1 = tenon.dimension %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<i64>
  // CHECK: tenon.bits %{{.*}} {shape = array<i64: 7>, words = 1 : i64}
  %2 = tenon.bits %k {shape = array<i64: 7>, words = 1 : i64} : (tensor<5x2xui32>) -> tensor<5x7xui32>
  // CHECK: %[[B:.*]]:2 = tenon.optimization_barrier %{{.*}}, %{{.*}} : (tensor<2x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<i64>)
  %3:2 = tenon.optimization_barrier %0, %1 : (tensor<2x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<i64>)
  // CHECK: tenon.print %[[B]]#1 {format = "n = {}"} : (tensor<i64>) -> ()
  tenon.print %3#1 {format = "n = {}"} : (tensor<i64>) -> ()
  return %3#0, %3#1, %2 : tensor<2x4xf32>, tensor<i64>, tensor<5x7xui32>
}

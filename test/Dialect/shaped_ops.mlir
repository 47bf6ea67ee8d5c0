// RUN: tenon-opt %s | tenon-opt | FileCheck %s
// RUN: tenon-opt %s --mlir-print-op-generic | tenon-opt | FileCheck %s

// CHECK-LABEL: func.func @reductions(
func.func @reductions(%x: tensor<2x3x4xf32>) -> (tensor<3xf32>, tensor<1x3x1xf32>, tensor<2x3xi64>) {
  // CHECK: tenon.sum %{{.*}} axes [0, 2] keepdims false : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %0 = tenon.sum %x axes [0, 2] keepdims false : (tensor<2x3x4xf32>) -> tensor<3xf32>
  // CHECK: tenon.max %{{.*}} axes [0, 2] keepdims true
  %1 = tenon.max %x axes [0, 2] keepdims true : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: tenon.argmax %{{.*}} axis 2 keepdims false
  %2 = tenon.argmax %x axis 2 keepdims false : (tensor<2x3x4xf32>) -> tensor<2x3xi64>
  return %0, %1, %2 : tensor<3xf32>, tensor<1x3x1xf32>, tensor<2x3xi64>
}

// Sizes stand in their list; a symbol's has its name.
// CHECK-LABEL: func.func @sizes(
func.func @sizes(%x: tensor<?x6xf32> {tenon.dims = ["n", 6]}) -> (tensor<?x3xf32>, tensor<?x?x6xf32>, tensor<?x2xf32>) {
  // CHECK: %[[TWO:.*]] = tenon.size "2*n" : index
  %0 = tenon.size "2*n" : index
  // CHECK: %n = tenon.size "n" : index
  %1 = tenon.size "n" : index
  // CHECK: tenon.reshape %{{.*}} shape [%[[TWO]], 3] : (tensor<?x6xf32>) -> tensor<?x3xf32>
  %2 = tenon.reshape %x shape [%0, 3] : (tensor<?x6xf32>) -> tensor<?x3xf32>
  // CHECK: tenon.broadcast_to %{{.*}} shape [%[[TWO]], %n, 6] :
  %3 = tenon.broadcast_to %x shape [%0, %1, 6] : (tensor<?x6xf32>) -> tensor<?x?x6xf32>
  // CHECK: tenon.slice %{{.*}} starts [0, 1] stops [%n, 5] steps [1, 2] : (tensor<?x6xf32>) -> tensor<?x2xf32>
  %4 = tenon.slice %x starts [0, 1] stops [%1, 5] steps [1, 2] : (tensor<?x6xf32>) -> tensor<?x2xf32>
  return %2, %3, %4 : tensor<?x3xf32>, tensor<?x?x6xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: func.func @movement(
func.func @movement(%x: tensor<2x6xi32>, %v: tensor<i32>) -> (tensor<6x2xi32>, tensor<9x6xi32>, tensor<2x9xi32>, tensor<2x2xi32>, tensor<2x4xi32>) {
  // CHECK: tenon.transpose %{{.*}} permutation [1, 0]
  %0 = tenon.transpose %x permutation [1, 0] : (tensor<2x6xi32>) -> tensor<6x2xi32>
  // CHECK: tenon.pad %{{.*}}, %{{.*}} low [1, 0] high [3, 0] interior [3, 0] : (tensor<2x6xi32>, tensor<i32>) -> tensor<9x6xi32>
  %1 = tenon.pad %x, %v low [1, 0] high [3, 0] interior [3, 0] : (tensor<2x6xi32>, tensor<i32>) -> tensor<9x6xi32>
  %s = tenon.slice %x starts [0, 5] stops [2, -1] steps [1, -2] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  // CHECK: tenon.concatenate %{{.*}}, %{{.*}} axis 1
  %2 = tenon.concatenate %x, %s axis 1 : (tensor<2x6xi32>, tensor<2x3xi32>) -> tensor<2x9xi32>
  // CHECK: %{{.*}}:2 = tenon.split %{{.*}} sizes [2, 4] axis 1
  %3:2 = tenon.split %x sizes [2, 4] axis 1 : (tensor<2x6xi32>) -> (tensor<2x2xi32>, tensor<2x4xi32>)
  return %0, %1, %2, %3#0, %3#1 : tensor<6x2xi32>, tensor<9x6xi32>, tensor<2x9xi32>, tensor<2x2xi32>, tensor<2x4xi32>
}

// CHECK-LABEL: func.func @creation(
func.func @creation() -> (tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<3xui8>, tensor<i1>, tensor<f64>) {
  // CHECK: tenon.full shape [2] value -0.0 dtype f32 : tensor<2xf32>
  %0 = tenon.full shape [2] value -0.0 dtype f32 : tensor<2xf32>
  // CHECK: value [-0.0, 2.5] dtype complex<f32>
  %1 = tenon.full shape [2] value [-0.0, 2.5] dtype complex<f32> : tensor<2xcomplex<f32>>
  // CHECK: tenon.arange length [3] start 1 step 2 dtype ui8 : tensor<3xui8>
  %2 = tenon.arange length [3] start 1 step 2 dtype ui8 : tensor<3xui8>
  // CHECK: tenon.full shape [] value true dtype i1
  %3 = tenon.full shape [] value true dtype i1 : tensor<i1>
  // CHECK: value 0x7FF8000000000007 dtype f64
  %4 = tenon.full shape [] value 0x7FF8000000000007 dtype f64 : tensor<f64>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<3xui8>, tensor<i1>, tensor<f64>
}

// CHECK-LABEL: func.func @wide_numbers(
func.func @wide_numbers() -> (tensor<2xui64>, tensor<ui64>, tensor<2xcomplex<f64>>) {
  // CHECK: tenon.full shape [2] value 18446744073709551615 dtype ui64 : tensor<2xui64>
  %0 = tenon.full shape [2] value 18446744073709551615 dtype ui64 : tensor<2xui64>
  // CHECK: tenon.full shape [] value 3 dtype ui64 : tensor<ui64>
  %1 = tenon.full shape [] value 3 dtype ui64 : tensor<ui64>
  // CHECK: value [0.1, -0.0] dtype complex<f64> : tensor<2xcomplex<f64>>
  %2 = tenon.full shape [2] value [0.1, -0.0] dtype complex<f64> : tensor<2xcomplex<f64>>
  return %0, %1, %2 : tensor<2xui64>, tensor<ui64>, tensor<2xcomplex<f64>>
}

// CHECK-LABEL: func.func @devices(
func.func @devices(%k: tensor<2xui32>) -> (tensor<f32>, tensor<2xi32>, tensor<3xui32>) {
  // CHECK: tenon.full shape [] value 1.0 dtype f32 device "cpu:0" : tensor<f32>
  %0 = tenon.full shape [] value 1.0 dtype f32 device "cpu:0" : tensor<f32>
  // CHECK: tenon.arange {{.*}} device "cpu:0"
  %1 = tenon.arange length [2] start 1 step 2 dtype i32 device "cpu:0" : tensor<2xi32>
  // CHECK: tenon.bits %{{.*}} shape [3] words 1 device "cpu:0"
  %2 = tenon.bits %k shape [3] words 1 device "cpu:0" : (tensor<2xui32>) -> tensor<3xui32>
  return %0, %1, %2 : tensor<f32>, tensor<2xi32>, tensor<3xui32>
}

// CHECK-LABEL: func.func @others(
func.func @others(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %k: tensor<5x2xui32>) -> (tensor<2x4xf32>, tensor<i64>, tensor<5x7xui32>) {
  // CHECK: tenon.dot_general
  %0 = tenon.dot_general %x, %y axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: tenon.dimension %{{.*}} axis 1
  %1 = tenon.dimension %x axis 1 : (tensor<2x3xf32>) -> tensor<i64>
  // CHECK: tenon.bits %{{.*}} shape [7] words 1
  %2 = tenon.bits %k shape [7] words 1 : (tensor<5x2xui32>) -> tensor<5x7xui32>
  // CHECK: %[[B:.*]]:2 = tenon.optimization_barrier %{{.*}}, %{{.*}} : (tensor<2x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<i64>)
  %3:2 = tenon.optimization_barrier %0, %1 : (tensor<2x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<i64>)
  // CHECK: tenon.print %[[B]]#1 format "n = {}" : (tensor<i64>) -> ()
  tenon.print %3#1 format "n = {}" : (tensor<i64>) -> ()
  // CHECK: tenon.check %{{.*}}, %[[B]]#1 format "n = {:>3}" examples 0 : (tensor<i1>, tensor<i64>) -> ()
  %c = tenon.equal %3#1, %3#1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  tenon.check %c, %3#1 format "n = {:>3}" examples 0 : (tensor<i1>, tensor<i64>) -> ()
  // CHECK: tenon.host_call %[[B]]#0 function 3 batched false dtypes "f32 bool" ranks [1, 0] sizes [%{{.*}}] device "cpu:0" : (tensor<2x4xf32>) -> (tensor<?xf32>, tensor<i1>)
  %n = tenon.size "n" : index
  %h:2 = tenon.host_call %3#0 function 3 batched false dtypes "f32 bool" ranks [1, 0] sizes [%n] device "cpu:0" : (tensor<2x4xf32>) -> (tensor<?xf32>, tensor<i1>)
  // CHECK: tenon.host_call function 4
  tenon.host_call function 4 batched false dtypes "" ranks [] sizes [] device "cpu:0" : () -> ()
  // CHECK: tenon.guard %[[B]]#1 answer 7 : (tensor<i64>) -> ()
  tenon.guard %3#1 answer 7 : (tensor<i64>) -> ()
  // CHECK: %[[S:.*]] = tenon.stop_gradient %[[B]]#0 : tensor<2x4xf32>
  %4 = tenon.stop_gradient %3#0 : tensor<2x4xf32>
  // CHECK: return %[[S]]
  return %4, %3#1, %2 : tensor<2x4xf32>, tensor<i64>, tensor<5x7xui32>
}

// Attributes in any order, and as MLIR stores them.
// CHECK-LABEL: func.func @stored(
func.func @stored(%x: tensor<?x6xf32>, %v: tensor<f32>) -> (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?x9xf32>, tensor<2xcomplex<f32>>, tensor<?xf32>) {
  %n = tenon.size "n" : index
  %m = tenon.size "m" : index
  // CHECK: tenon.reshape %{{.*}} shape [%n, 3] : (tensor<?x6xf32>) -> tensor<?x3xf32>
  %0 = tenon.reshape %x, %n {shape = array<i64: -9223372036854775808, 3>} : (tensor<?x6xf32>, index) -> tensor<?x3xf32>
  // CHECK: tenon.slice %{{.*}} starts [%n, 1] stops [%m, 5] steps [1, 2] :
  %1 = tenon.slice %x steps [1, 2] stops [%m, 5] starts [%n, 1] : (tensor<?x6xf32>) -> tensor<?x2xf32>
  // CHECK: tenon.pad %{{.*}}, %{{.*}} low [%n, 1] high [%m, 2] interior [0, 0] {kept} :
  %2 = tenon.pad %x, %v, %n, %m {low = array<i64: -9223372036854775808, 1>, high = array<i64: -9223372036854775808, 2>, interior = array<i64: 0, 0>, kept} : (tensor<?x6xf32>, tensor<f32>, index, index) -> tensor<?x9xf32>
  // CHECK: tenon.full shape [2] value [-0.0, 2.5] dtype complex<f32> :
  %3 = tenon.full {dtype = complex<f32>, shape = array<i64: 2>, value = [-0.0 : f32, 2.5 : f32]} : () -> tensor<2xcomplex<f32>>
  // CHECK: tenon.full shape [%n] value 1.0e+30 dtype f32 : tensor<?xf32>
  %4 = tenon.full dtype f32 value 1.0e30 shape [%n] : () -> tensor<?xf32>
  return %0, %1, %2, %3, %4 : tensor<?x3xf32>, tensor<?x2xf32>, tensor<?x9xf32>, tensor<2xcomplex<f32>>, tensor<?xf32>
}

// What is in a kernel's body, each argument beside what it is.
// CHECK-LABEL: func.func @kernel(
func.func @kernel(%a: tensor<32x784xf32>, %b: tensor<784xf32>, %m: tensor<32xf32>) -> (tensor<32x784xf32>, tensor<32xf32>) {
  // CHECK: %{{.*}}:2 = tenon.kernel(%[[X:.*]] = %arg0[0, row], %[[B:.*]] = %arg1[row], %[[M:.*]] = %arg2[0], %c = 2.5 : f32, %[[I:.*]] = -3 : i32, %n = length) sizes ["batch", 784] : (tensor<32x784xf32>, tensor<784xf32>, tensor<32xf32>) -> (tensor<32x784xf32>, tensor<32xf32>) attributes {kept} {
  // CHECK-NEXT: tenon.add %[[X]], %[[B]] : tensor<?xf32>
  %0:2 = tenon.kernel(%x = %a[0, row], %y = %b[row], %z = %m[0], %c = 2.5 : f32, %i = -3 : i32, %n = length) sizes ["batch", 784] : (tensor<32x784xf32>, tensor<784xf32>, tensor<32xf32>) -> (tensor<32x784xf32>, tensor<32xf32>) attributes {kept} {
    %1 = tenon.add %x, %y : tensor<?xf32>
    %2 = tenon.multiply %z, %c : tensor<f32>
    tenon.return %1, %2 : tensor<?xf32>, tensor<f32>
  }
  // CHECK: tenon.kernel(%x = %{{.*}}[row], %n = length) sizes [784] : tensor<784xf32> {
  %3 = tenon.kernel(%x = %b[row], %n = length) sizes [784] : tensor<784xf32> {
    tenon.return %x : tensor<?xf32>
  }
  return %0#0, %0#1 : tensor<32x784xf32>, tensor<32xf32>
}

// RUN: tenon-opt %s | tenon-opt | FileCheck %s
// RUN: tenon-opt %s --mlir-print-op-generic | tenon-opt | FileCheck %s

// CHECK-LABEL: func.func @binary(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32> {tenon.dims = ["batch", 4]}
func.func @binary(%x: tensor<?x4xf32> {tenon.dims = ["batch", 4]}, %y: tensor<?x4xf32> {tenon.dims = ["batch", 4]}) -> tensor<?x4xi1> {
  // CHECK: tenon.add %[[X]], %{{.*}} : tensor<?x4xf32>
  %0 = tenon.add %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: tenon.less_equal {{.*}} -> tensor<?x4xi1>
  %1 = tenon.less_equal %0, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xi1>
  return %1 : tensor<?x4xi1>
}

// CHECK-LABEL: func.func @dtypes(
func.func @dtypes(%u8: tensor<2xui8>, %u32: tensor<2xui32>, %bf16: tensor<2xbf16>, %c: tensor<2xcomplex<f32>>) -> (tensor<2xui8>, tensor<2xui32>, tensor<2xbf16>, tensor<2xcomplex<f32>>) {
  // CHECK: tenon.right_shift {{.*}} : tensor<2xui8>
  %0 = tenon.right_shift %u8, %u8 : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  // CHECK: tenon.multiply {{.*}} : tensor<2xui32>
  %1 = tenon.multiply %u32, %u32 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  // CHECK: tenon.tanh {{.*}} : tensor<2xbf16>
  %2 = tenon.tanh %bf16 : (tensor<2xbf16>) -> tensor<2xbf16>
  // CHECK: tenon.add {{.*}} : tensor<2xcomplex<f32>>
  %3 = tenon.add %c, %c : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0, %1, %2, %3 : tensor<2xui8>, tensor<2xui32>, tensor<2xbf16>, tensor<2xcomplex<f32>>
}

// CHECK-LABEL: func.func @select_and_convert(
func.func @select_and_convert(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xi64> {
  // CHECK: tenon.where
  %0 = tenon.where %c, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: tenon.astype %{{.*}} dtype i64 : (tensor<2xf32>) -> tensor<2xi64>
  %1 = tenon.astype %0 {dtype = i64} : (tensor<2xf32>) -> tensor<2xi64>
  return %1 : tensor<2xi64>
}

// A size that is known in one operand only is known in the result.
// CHECK-LABEL: func.func @refined(
func.func @refined(%x: tensor<?xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: tenon.add {{.*}} : (tensor<?xf32>, tensor<8xf32>) -> tensor<8xf32>
  %0 = tenon.add %x, %y : (tensor<?xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @device(
func.func @device(%x: tensor<2xf32, "null:0">) -> tensor<2xf32, "null:0"> {
  // CHECK: tenon.exp {{.*}} : tensor<2xf32, "null:0">
  %0 = tenon.exp %x : (tensor<2xf32, "null:0">) -> tensor<2xf32, "null:0">
  return %0 : tensor<2xf32, "null:0">
}

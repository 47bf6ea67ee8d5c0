// RUN: tenon-opt %s -tenon-group -tenon-kernel-to-linalg -split-input-file | FileCheck %s

// Softmax walks over the row three times; exp is kept in the result's row.
// CHECK-LABEL: func.func @max_subtract_exp_sum_divide_0
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?xf32> {tenon.axes = array<i64: 0>}, %[[OUT:[a-z0-9]+]]: tensor<?xf32>
// CHECK: %[[MAX:.+]] = linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[X]] : tensor<?xf32>)
// CHECK: arith.maximumf
// CHECK: %[[E:.+]]:2 = linalg.generic {{.*}}ins(%[[X]], %[[MAX]] : tensor<?xf32>, tensor<f32>) outs(%[[OUT]],
// CHECK: tenon.math "exp"
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[E]]#0, %[[E]]#1 : tensor<?xf32>, tensor<f32>) outs(%[[OUT]] :
// CHECK: arith.divf
func.func @softmax(%x: tensor<9x10xf32>) -> tensor<9x10xf32> {
  %0 = tenon.max %x axes [1] keepdims true : (tensor<9x10xf32>) -> tensor<9x1xf32>
  %1 = tenon.broadcast_to %0 shape [9, 10] : (tensor<9x1xf32>) -> tensor<9x10xf32>
  %2 = tenon.subtract %x, %1 : tensor<9x10xf32>
  %3 = tenon.exp %2 : tensor<9x10xf32>
  %4 = tenon.sum %3 axes [1] keepdims true : (tensor<9x10xf32>) -> tensor<9x1xf32>
  %5 = tenon.broadcast_to %4 shape [9, 10] : (tensor<9x1xf32>) -> tensor<9x10xf32>
  %6 = tenon.divide %3, %5 : tensor<9x10xf32>
  return %6 : tensor<9x10xf32>
}

// -----

// bool is a byte, bf16 its bits and rounded after the op, u8 is signless.
// CHECK-LABEL: func.func @less_equal_where_0
// CHECK-SAME: tensor<?xi16> {{.*}}, {{.*}}: tensor<?xi8>
// CHECK: arith.shli
// CHECK: arith.cmpf ole
// CHECK: arith.extui {{.*}} : i1 to i8
func.func @types(%x: tensor<6xbf16>, %y: tensor<6xbf16>, %u: tensor<6xui8>, %v: tensor<6xui8>) -> (tensor<6xi1>, tensor<6xui8>) {
  %0 = tenon.less_equal %x, %y : (tensor<6xbf16>, tensor<6xbf16>) -> tensor<6xi1>
  %1 = tenon.where %0, %u, %v : (tensor<6xi1>, tensor<6xui8>, tensor<6xui8>) -> tensor<6xui8>
  return %0, %1 : tensor<6xi1>, tensor<6xui8>
}

// -----

// Kernels of equal regions are one, whatever their sizes and numbers.
// CHECK-COUNT-1: func.func @multiply_0
// CHECK-NOT: func.func
func.func @equal(%x: tensor<6xf32>, %y: tensor<4x5xf32>) -> (tensor<6xf32>, tensor<4x5xf32>) {
  %a = tenon.full shape [6] value 2.0 dtype f32 : tensor<6xf32>
  %b = tenon.full shape [4, 5] value 3.0 dtype f32 : tensor<4x5xf32>
  %0 = tenon.multiply %x, %a : tensor<6xf32>
  %1 = tenon.multiply %y, %b : tensor<4x5xf32>
  return %0, %1 : tensor<6xf32>, tensor<4x5xf32>
}

// -----

// A complex number is taken apart where it is read and joined where it is written:
// in between are its parts.
// CHECK-LABEL: func.func @multiply_add_0
// CHECK-SAME: tensor<?xcomplex<f32>> {{.*}}, {{.*}}: tensor<?xcomplex<f32>> {{.*}}, {{.*}}: tensor<complex<f32>>
// CHECK: linalg.generic
// CHECK: complex.re
// CHECK: complex.im
// CHECK-COUNT-4: arith.mulf {{.*}} : f32
// CHECK: complex.create
// CHECK-COUNT-2: arith.addf {{.*}} : f32
// CHECK: complex.create
// CHECK-NEXT: linalg.yield
// CHECK-NOT: linalg.generic
func.func @complex(%x: tensor<6xcomplex<f32>>, %y: tensor<6xcomplex<f32>>, %z: tensor<complex<f32>>) -> tensor<6xcomplex<f32>> {
  %0 = tenon.multiply %x, %y : tensor<6xcomplex<f32>>
  %1 = tenon.broadcast_to %z shape [6] : (tensor<complex<f32>>) -> tensor<6xcomplex<f32>>
  %2 = tenon.add %0, %1 : tensor<6xcomplex<f32>>
  return %2 : tensor<6xcomplex<f32>>
}

// -----

// f16 is f32 between an instruction that widens and one that rounds.
// CHECK-LABEL: func.func @exp_add_0
// CHECK: arith.bitcast {{.*}} : i16 to f16
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: tenon.math "exp"
// CHECK: %[[E:.+]] = arith.truncf {{.*}} : f32 to f16
// CHECK: arith.extf
// CHECK: arith.addf {{.*}} : f32
// CHECK: %[[S:.+]] = arith.truncf {{.*}} : f32 to f16
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @half(%x: tensor<6xf16>) -> tensor<6xf16> {
  %0 = tenon.exp %x : tensor<6xf16>
  %1 = tenon.add %0, %x : tensor<6xf16>
  return %1 : tensor<6xf16>
}

// -----

// Rows of 2 to 15 elements, elementwise: the function serves one length. An input with one element for each row is a
// row that is repeated.
// CHECK-LABEL: func.func @subtract_multiply_0
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?xf32> {tenon.axes = array<i64: 0>}
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<?xf32> {tenon.axes = array<i64>}
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<?xf32> {tenon.axes = array<i64: 0>, tenon.repeated}
// CHECK-SAME: tenon.short_row = 3 : i64
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[X]], %[[V]], %[[C]] : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
// CHECK-NOT: linalg.generic
func.func @short_rows(%x: tensor<9x3xf32>, %v: tensor<3xf32>, %c: tensor<9x1xf32>) -> tensor<9x3xf32> {
  %0 = tenon.broadcast_to %v shape [9, 3] : (tensor<3xf32>) -> tensor<9x3xf32>
  %1 = tenon.subtract %x, %0 : tensor<9x3xf32>
  %2 = tenon.broadcast_to %c shape [9, 3] : (tensor<9x1xf32>) -> tensor<9x3xf32>
  %3 = tenon.multiply %1, %2 : tensor<9x3xf32>
  return %3 : tensor<9x3xf32>
}

// -----

// Kernels of short rows of two lengths are two; rows of 16 and more share one.
// CHECK-DAG: tenon.short_row = 3 : i64
// CHECK-DAG: tenon.short_row = 15 : i64
// CHECK-COUNT-1: func.func {{.*}}scratch = 0 : i64}} {
// CHECK-NOT: func.func
func.func @lengths(%a: tensor<9x3xf32>, %b: tensor<9x15xf32>, %c: tensor<9x16xf32>, %d: tensor<9x17xf32>, %p: tensor<3xf32>, %q: tensor<15xf32>, %r: tensor<16xf32>, %s: tensor<17xf32>) -> (tensor<9x3xf32>, tensor<9x15xf32>, tensor<9x16xf32>, tensor<9x17xf32>) {
  %0 = tenon.broadcast_to %p shape [9, 3] : (tensor<3xf32>) -> tensor<9x3xf32>
  %1 = tenon.broadcast_to %q shape [9, 15] : (tensor<15xf32>) -> tensor<9x15xf32>
  %2 = tenon.broadcast_to %r shape [9, 16] : (tensor<16xf32>) -> tensor<9x16xf32>
  %3 = tenon.broadcast_to %s shape [9, 17] : (tensor<17xf32>) -> tensor<9x17xf32>
  %4 = tenon.subtract %a, %0 : tensor<9x3xf32>
  %5 = tenon.subtract %b, %1 : tensor<9x15xf32>
  %6 = tenon.subtract %c, %2 : tensor<9x16xf32>
  %7 = tenon.subtract %d, %3 : tensor<9x17xf32>
  return %4, %5, %6, %7 : tensor<9x3xf32>, tensor<9x15xf32>, tensor<9x16xf32>, tensor<9x17xf32>
}

// -----

// A row's maximum needs rows one by one.
// CHECK-LABEL: func.func @max_subtract_0
// CHECK-NOT: tenon.short_row
func.func @short_reduction(%x: tensor<9x3xf32>) -> tensor<9x3xf32> {
  %0 = tenon.max %x axes [1] keepdims true : (tensor<9x3xf32>) -> tensor<9x1xf32>
  %1 = tenon.broadcast_to %0 shape [9, 3] : (tensor<9x1xf32>) -> tensor<9x3xf32>
  %2 = tenon.subtract %x, %1 : tensor<9x3xf32>
  return %2 : tensor<9x3xf32>
}

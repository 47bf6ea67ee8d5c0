// RUN: tenon-opt %s -tenon-group -tenon-kernel-to-linalg -tenon-vectorize -split-input-file | FileCheck %s
// RUN: tenon-opt %s -tenon-group -tenon-kernel-to-linalg -tenon-vectorize -tenon-kernel-to-llvm -split-input-file | FileCheck %s --check-prefix=LLVM

// One masked body of 16 lanes, whole and partial vectors alike.
// CHECK-LABEL: func.func @tanh_0(%{{.+}}: !llvm.ptr, %{{.+}}: i64, %{{.+}}: i64) -> i32
// CHECK: scf.for
// CHECK: %[[MASK:.+]] = arith.cmpi slt
// CHECK: %[[X:.+]] = llvm.intr.masked.load %{{.+}}, %[[MASK]]
// CHECK: %[[Y:.+]] = tenon.math "tanh"(%[[X]]) : vector<16xf32>
// CHECK: llvm.intr.masked.store %[[Y]], %{{.+}}, %[[MASK]]
// CHECK-NOT: scf.for
// LLVM: llvm.call @tenon_math_tanh_f32x16
func.func @elementwise(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = tenon.tanh %x : tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// Rows, blocks of 4096, 16 lanes that start at -0 and are halved 8, 4, 2, 1;
// the sums of several blocks are combined by the runtime.
// CHECK: func.func private @tenon_sum_push_f32(!llvm.ptr, i64, f32)
// CHECK-LABEL: func.func @sum_0
// CHECK: arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK: arith.constant 4096
// CHECK: %[[SUMS:.+]] = scf.for
// CHECK: %[[SUM:.+]] = arith.select %{{.+}}, %{{.+}}, %{{.+}} : vector<16xi1>, vector<16xf32>
// CHECK: arith.addf %{{.+}}, %[[SUM]] : vector<16xf32>
// CHECK: arith.addf %{{.+}}, %{{.+}} : vector<8xf32>
// CHECK: arith.addf %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK: arith.addf %{{.+}}, %{{.+}} : vector<2xf32>
// CHECK: arith.addf %{{.+}}, %{{.+}} : f32
// CHECK: call @tenon_sum_push_f32
// CHECK: call @tenon_sum_finish_f32
// LLVM: llvm.call @tenon_sum_finish_f32
func.func @reduction(%x: tensor<9x100xf32>) -> tensor<9xf32> {
  %0 = tenon.sum %x axes [1] keepdims false : (tensor<9x100xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

// Complex numbers lie in turns in memory, and in two vectors between.
// CHECK-LABEL: func.func @multiply_0
// CHECK: %[[TWICE:.+]] = llvm.shufflevector %{{.+}}, %{{.+}} [0, 0, 1, 1, 2, 2, {{.*}}, 15, 15] : vector<16xi1>
// CHECK: %[[X:.+]] = llvm.intr.masked.load %{{.+}}, %[[TWICE]], %{{.+}} {{.*}} -> vector<32xf32>
// CHECK: llvm.shufflevector %[[X]], %[[X]] [0, 2, 4, {{.*}}, 30] : vector<32xf32>
// CHECK: llvm.shufflevector %[[X]], %[[X]] [1, 3, 5, {{.*}}, 31] : vector<32xf32>
// CHECK-COUNT-4: arith.mulf {{.*}} : vector<16xf32>
// CHECK: %[[OUT:.+]] = llvm.shufflevector %{{.+}}, %{{.+}} [0, 16, 1, 17, {{.*}}, 15, 31] : vector<16xf32>
// CHECK: llvm.intr.masked.store %[[OUT]]
func.func @complex(%x: tensor<100xcomplex<f32>>, %y: tensor<100xcomplex<f32>>) -> tensor<100xcomplex<f32>> {
  %0 = tenon.multiply %x, %y : tensor<100xcomplex<f32>>
  return %0 : tensor<100xcomplex<f32>>
}

// -----

// Short rows: what is broadcast is written out for many rows, a vector of 16 for each element of a row; then all
// elements of these rows are one row.
// CHECK-LABEL: func.func @subtract_multiply_0
// CHECK: %[[V:.+]] = llvm.alloca %{{.+}} x f32 {alignment = 64 : i64}
// CHECK: %[[C:.+]] = llvm.alloca %{{.+}} x f32 {alignment = 64 : i64}
// CHECK: llvm.load %{{.+}} -> vector<3xf32>
// CHECK: scf.for
// CHECK: llvm.shufflevector {{.*}} [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0] : vector<3xf32>
// CHECK: llvm.shufflevector {{.*}} [1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1] : vector<3xf32>
// CHECK: llvm.shufflevector {{.*}} [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2] : vector<3xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[EACH:.+]] = llvm.intr.masked.load {{.*}} -> vector<16xf32>
// CHECK: llvm.shufflevector %[[EACH]], %[[EACH]] [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5] : vector<16xf32>
// CHECK: llvm.shufflevector %[[EACH]], %[[EACH]] [5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10] : vector<16xf32>
// CHECK: llvm.shufflevector %[[EACH]], %[[EACH]] [10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15] : vector<16xf32>
// CHECK: scf.for
// CHECK-DAG: llvm.getelementptr %[[V]]
// CHECK-DAG: llvm.getelementptr %[[C]]
// CHECK: arith.subf {{.*}} : vector<16xf32>
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: llvm.intr.masked.store
// CHECK-NOT: scf.for
func.func @short_rows(%x: tensor<9x3xf32>, %v: tensor<3xf32>, %c: tensor<9x1xf32>) -> tensor<9x3xf32> {
  %0 = tenon.broadcast_to %v shape [9, 3] : (tensor<3xf32>) -> tensor<9x3xf32>
  %1 = tenon.subtract %x, %0 : tensor<9x3xf32>
  %2 = tenon.broadcast_to %c shape [9, 3] : (tensor<9x1xf32>) -> tensor<9x3xf32>
  %3 = tenon.multiply %1, %2 : tensor<9x3xf32>
  return %3 : tensor<9x3xf32>
}

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

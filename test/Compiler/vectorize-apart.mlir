// RUN: tenon-opt %s -tenon-group -tenon-kernel-to-linalg -tenon-vectorize=tails-apart -split-input-file | FileCheck %s

// A loop over whole vectors without a mask; what is left of a row in one masked
// body after it.
// CHECK-LABEL: func.func @tanh_0
// CHECK: %[[WHOLE:.+]] = arith.addi
// CHECK: scf.for %[[I:.+]] = %{{.+}} to %[[WHOLE]]
// CHECK-NOT: masked
// CHECK: %[[X:.+]] = llvm.load %{{.+}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: %[[Y:.+]] = tenon.math "tanh"(%[[X]])
// CHECK: llvm.store %[[Y]], %{{.+}} {alignment = 1 : i64}
// CHECK-NOT: masked
// CHECK: %[[CUT:.+]] = arith.cmpi slt, %[[WHOLE]]
// CHECK: scf.if %[[CUT]]
// CHECK: %[[MASK:.+]] = arith.cmpi slt
// CHECK: %[[Z:.+]] = llvm.intr.masked.load %{{.+}}, %[[MASK]]
// CHECK: tenon.math "tanh"(%[[Z]])
// CHECK: llvm.intr.masked.store
// CHECK-NOT: scf.for
func.func @elementwise(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = tenon.tanh %x : tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// The lanes' sums go from the loop into the rest; only there are lanes past the
// end made neutral.
// CHECK-LABEL: func.func @multiply_sum_0
// CHECK: %[[LOOP:.+]] = scf.for {{.*}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (vector<16xf32>)
// CHECK-NOT: arith.select
// CHECK: arith.addf %[[SUM]], %{{.+}} : vector<16xf32>
// CHECK: %[[REST:.+]] = scf.if %{{.+}} -> (vector<16xf32>) {
// CHECK: llvm.intr.masked.load
// CHECK: arith.select %{{.+}}, %{{.+}}, %{{.+}} : vector<16xi1>, vector<16xf32>
// CHECK: arith.addf %[[LOOP]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[LOOP]]
func.func @reduction(%x: tensor<9x100xf32>) -> tensor<9xf32> {
  %0 = tenon.multiply %x, %x : tensor<9x100xf32>
  %1 = tenon.sum %0 axes [1] keepdims false : (tensor<9x100xf32>) -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// RUN: tenon-opt %s -tenon-cse | FileCheck %s
// RUN: tenon-opt %s -tenon-cse --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// Equal ops are one, whichever way round the operands of a commutative one
// stand, and so are those that read them. One without readers goes.
// CHECK-LABEL: func.func @equal
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[A:.+]] = tenon.add %[[X]], %[[Y]]
// CHECK-NEXT: %[[E:.+]] = tenon.exp %[[A]]
// CHECK-NEXT: return %[[E]], %[[E]], %[[E]]
func.func @equal(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.add %x, %y : tensor<4xf32>
  %1 = tenon.add %x, %y : tensor<4xf32>
  %2 = tenon.add %y, %x : tensor<4xf32>
  %3 = tenon.exp %0 : tensor<4xf32>
  %4 = tenon.exp %1 : tensor<4xf32>
  %5 = tenon.exp %2 : tensor<4xf32>
  %6 = tenon.tanh %5 : tensor<4xf32>
  return %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Another order, kind, attribute, type of the result or mark is another op; -0 is not 0.
// CHECK-LABEL: func.func @different
// CHECK-COUNT-2: tenon.subtract
// CHECK-COUNT-2: tenon.full
// CHECK-COUNT-2: tenon.astype
// CHECK-COUNT-2: tenon.sum
// CHECK: tenon.exp
// CHECK: tenon.tanh
// CHECK: tenon.exp {{.*}}marked
// CHECK-NEXT: return
func.func @different(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf64>, tensor<4x4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = tenon.subtract %x, %y : tensor<4x4xf32>
  %1 = tenon.subtract %y, %x : tensor<4x4xf32>
  %2 = tenon.full shape [4, 4] value 0.0 dtype f32 : tensor<4x4xf32>
  %3 = tenon.full shape [4, 4] value -0.0 dtype f32 : tensor<4x4xf32>
  %4 = tenon.astype %x dtype f64 : (tensor<4x4xf32>) -> tensor<4x4xf64>
  %5 = tenon.astype %x dtype i32 : (tensor<4x4xf32>) -> tensor<4x4xi32>
  %6 = tenon.sum %x axes [0] keepdims false : (tensor<4x4xf32>) -> tensor<4xf32>
  %7 = tenon.sum %x axes [1] keepdims false : (tensor<4x4xf32>) -> tensor<4xf32>
  %8 = tenon.exp %x : tensor<4x4xf32>
  %9 = tenon.tanh %x : tensor<4x4xf32>
  %10 = tenon.exp %x {marked} : tensor<4x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf64>, tensor<4x4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// What has an effect stays as often as it is there, be it in a region.
// CHECK-LABEL: func.func @effects
// CHECK-COUNT-2: tenon.print {{.*}}"x={}"
// CHECK-COUNT-2: tenon.cond
// CHECK: return
func.func @effects(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  tenon.print %x format "x={}" : (tensor<4xf32>) -> ()
  tenon.print %x format "x={}" : (tensor<4xf32>) -> ()
  %0 = tenon.cond %p, %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> then(%a: tensor<4xf32>) {
    tenon.print %a format "a={}" : (tensor<4xf32>) -> ()
    tenon.return %a : tensor<4xf32>
  } otherwise(%a: tensor<4xf32>) {
    tenon.return %a : tensor<4xf32>
  }
  %1 = tenon.cond %p, %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> then(%a: tensor<4xf32>) {
    tenon.print %a format "a={}" : (tensor<4xf32>) -> ()
    tenon.return %a : tensor<4xf32>
  } otherwise(%a: tensor<4xf32>) {
    tenon.return %a : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A region that is isolated knows its own ops; equal ones after that make their ops
// equal, and what was known around it is known after it.
// CHECK-LABEL: func.func @regions
// CHECK-SAME: (%[[P:.+]]: tensor<i1>, %[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[E:.+]] = tenon.exp %[[X]]
// CHECK-NEXT: %[[C:.+]] = tenon.cond
// CHECK-NEXT: %[[T:.+]] = tenon.exp %[[A:.+]] :
// CHECK-NEXT: %[[S:.+]] = tenon.add %[[T]], %[[T]]
// CHECK-NEXT: tenon.return %[[S]]
// CHECK-NEXT: } otherwise(%[[B:.+]]: tensor<4xf32>) {
// CHECK-NEXT: %[[T:.+]] = tenon.exp %[[B]]
// CHECK-NEXT: tenon.return %[[T]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[D:.+]] = tenon.cond
// CHECK-NOT: tenon.exp
// CHECK: return %[[E]], %[[C]], %[[C]], %[[D]], %[[E]]
func.func @regions(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tenon.exp %x : tensor<4xf32>
  %0 = tenon.cond %p, %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> then(%a: tensor<4xf32>) {
    %2 = tenon.exp %a : tensor<4xf32>
    %3 = tenon.exp %a : tensor<4xf32>
    %4 = tenon.add %2, %3 : tensor<4xf32>
    tenon.return %4 : tensor<4xf32>
  } otherwise(%a: tensor<4xf32>) {
    %2 = tenon.exp %a : tensor<4xf32>
    tenon.return %2 : tensor<4xf32>
  }
  %1 = tenon.cond %p, %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> then(%a: tensor<4xf32>) {
    %2 = tenon.exp %a : tensor<4xf32>
    %3 = tenon.add %2, %2 : tensor<4xf32>
    tenon.return %3 : tensor<4xf32>
  } otherwise(%a: tensor<4xf32>) {
    %2 = tenon.exp %a : tensor<4xf32>
    tenon.return %2 : tensor<4xf32>
  }
  %5 = tenon.cond %p, %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> then(%a: tensor<4xf32>) {
    tenon.return %a : tensor<4xf32>
  } otherwise(%a: tensor<4xf32>) {
    tenon.return %a : tensor<4xf32>
  }
  %f = tenon.exp %x : tensor<4xf32>
  return %e, %0, %1, %5, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// One that is not sees what is around it; what stands in it is not known after it.
// CHECK-LABEL: func.func @seen
// CHECK-SAME: (%[[P:.+]]: i1, %[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[E:.+]] = tenon.exp %[[X]]
// CHECK-NEXT: %[[I:.+]] = scf.if
// CHECK-NEXT: %[[T:.+]] = tenon.tanh %[[E]]
// CHECK-NEXT: scf.yield %[[T]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[U:.+]] = tenon.tanh %[[E]]
// CHECK-NEXT: scf.yield %[[U]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[V:.+]] = tenon.tanh %[[E]]
// CHECK-NEXT: return %[[I]], %[[V]]
func.func @seen(%p: i1, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tenon.exp %x : tensor<4xf32>
  %0 = scf.if %p -> tensor<4xf32> {
    %1 = tenon.exp %x : tensor<4xf32>
    %2 = tenon.tanh %1 : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    %1 = tenon.tanh %e : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %3 = tenon.tanh %e : tensor<4xf32>
  return %0, %3 : tensor<4xf32>, tensor<4xf32>
}

// Nothing of an isolated region is that of what is around it, or of a region beside it, though it reads nothing.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT: %[[F:.+]] = tenon.full
// CHECK-NEXT: tenon.cond
// CHECK-NEXT: %[[F:.+]] = tenon.full
// CHECK-NEXT: tenon.return %[[F]]
// CHECK-NEXT: } otherwise() {
// CHECK-NEXT: %[[F:.+]] = tenon.full
// CHECK-NEXT: %[[E:.+]] = tenon.exp %[[F]]
// CHECK-NEXT: tenon.return %[[E]]
func.func @constants(%p: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %f = tenon.full shape [4] value 1.0 dtype f32 : tensor<4xf32>
  %0 = tenon.cond %p : (tensor<i1>) -> tensor<4xf32> then() {
    %1 = tenon.full shape [4] value 1.0 dtype f32 : tensor<4xf32>
    tenon.return %1 : tensor<4xf32>
  } otherwise() {
    %1 = tenon.full shape [4] value 1.0 dtype f32 : tensor<4xf32>
    %2 = tenon.exp %1 : tensor<4xf32>
    tenon.return %2 : tensor<4xf32>
  }
  return %f, %0 : tensor<4xf32>, tensor<4xf32>
}

// The first one's place stays; one without a place takes the other's.
// LOC-LABEL: func.func @places
// LOC-NEXT: tenon.exp {{.*}} loc(#[[FIRST:.+]])
// LOC-NEXT: tenon.tanh {{.*}} loc(#[[LATER:.+]])
// LOC-DAG: #[[FIRST]] = loc("first.cpp":1:1)
// LOC-DAG: #[[LATER]] = loc("later.cpp":2:1)
func.func @places(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.exp %x : tensor<4xf32> loc("first.cpp":1:1)
  %1 = tenon.exp %x : tensor<4xf32> loc("later.cpp":2:1)
  %2 = tenon.tanh %x : tensor<4xf32> loc(unknown)
  %3 = tenon.tanh %x : tensor<4xf32> loc("later.cpp":2:1)
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

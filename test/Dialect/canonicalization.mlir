// RUN: tenon-opt %s --tenon-simplify --split-input-file | FileCheck %s

// -0 is neutral, +0 is not: -0 + 0 = 0.
// CHECK-LABEL: func.func @add_zero(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>
func.func @add_zero(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  // CHECK: %[[ZERO:.*]] = tenon.full {{.*}}value 0.0
  // CHECK-NEXT: %[[SUM:.*]] = tenon.add %[[X]], %[[ZERO]]
  // CHECK-NEXT: return %[[X]], %[[X]], %[[SUM]], %{{.*}}
  %n = tenon.full shape [4] value -0.0 dtype f32 : tensor<4xf32>
  %p = tenon.full shape [4] value 0.0 dtype f32 : tensor<4xf32>
  %z = tenon.full shape [4] value 0 dtype i32 : tensor<4xi32>
  %0 = tenon.add %x, %n : tensor<4xf32>
  %1 = tenon.add %n, %x : tensor<4xf32>
  %2 = tenon.add %x, %p : tensor<4xf32>
  %3 = tenon.add %z, %i : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// -----

// x - 0 is x, x - -0 is not; x * 0 is not 0 for NaN and infinity.
// CHECK-LABEL: func.func @other_neutral(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[I:[^:]*]]: tensor<4xi32>, %[[C:[^:]*]]: tensor<4xcomplex<f32>>
func.func @other_neutral(%x: tensor<4xf32>, %i: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xcomplex<f32>>) {
  %n = tenon.full shape [] value -0.0 dtype f32 : tensor<f32>
  %nb = tenon.broadcast_to %n shape [4] : (tensor<f32>) -> tensor<4xf32>
  %p = tenon.full shape [4] value 0 dtype f32 : tensor<4xf32>
  %one = tenon.full shape [4] value 1.0 dtype f32 : tensor<4xf32>
  %z = tenon.full shape [4] value 0 dtype i32 : tensor<4xi32>
  %c1 = tenon.full shape [4] value [1.0, 0.0] dtype complex<f32> : tensor<4xcomplex<f32>>
  // CHECK-DAG: %[[S:.*]] = tenon.subtract %[[X]],
  // CHECK-DAG: %[[M:.*]] = tenon.multiply %[[X]],
  // CHECK-DAG: %[[CM:.*]] = tenon.multiply %[[C]],
  // CHECK-DAG: %[[IZ:.*]] = tenon.full shape [4] value 0 dtype i32
  // CHECK: return %[[X]], %[[S]], %[[X]], %[[X]], %[[M]], %[[IZ]], %[[IZ]], %[[CM]]
  %0 = tenon.subtract %x, %p : tensor<4xf32>
  %1 = tenon.subtract %x, %nb : tensor<4xf32>
  %2 = tenon.multiply %one, %x : tensor<4xf32>
  %3 = tenon.divide %x, %one : tensor<4xf32>
  %4 = tenon.multiply %x, %p : tensor<4xf32>
  %5 = tenon.multiply %i, %z : tensor<4xi32>
  %6 = tenon.subtract %i, %i : tensor<4xi32>
  %7 = tenon.multiply %c, %c1 : tensor<4xcomplex<f32>>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xcomplex<f32>>
}

// -----

// x - x is 0 for integers, and NaN for an infinite x.
// CHECK-LABEL: func.func @difference(
func.func @difference(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: tenon.subtract
  %0 = tenon.subtract %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @logic(
// CHECK-SAME: %[[C:[^:]*]]: tensor<4xi1>, %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>
func.func @logic(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: return %[[X]], %[[Y]], %[[X]], %[[C]], %[[X]], %[[X]]
  %t = tenon.full shape [4] value true dtype i1 : tensor<4xi1>
  %f = tenon.full shape [4] value false dtype i1 : tensor<4xi1>
  %0 = tenon.where %t, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.where %f, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = tenon.where %c, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = tenon.logical_and %c, %t : tensor<4xi1>
  %n = tenon.negative %x : tensor<4xf32>
  %4 = tenon.negative %n : tensor<4xf32>
  %5 = tenon.maximum %x, %x : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A conversion back is nothing if no value was lost on the way.
// CHECK-LABEL: func.func @convert(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>
func.func @convert(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>) {
  // CHECK-DAG: %[[B:.*]] = tenon.astype %[[X]] dtype bf16
  // CHECK-DAG: %[[F:.*]] = tenon.astype %[[B]] dtype f32
  // CHECK-DAG: %[[I:.*]] = tenon.astype %[[X]] dtype i32
  // CHECK-DAG: %[[H:.*]] = tenon.full shape [2] value 3.0 dtype bf16
  // CHECK-DAG: %[[T:.*]] = tenon.full shape [2] value 0.1 dtype f32
  // CHECK-DAG: %[[U:.*]] = tenon.astype %[[T]] dtype bf16
  // CHECK-DAG: %[[V:.*]] = tenon.full shape [2] value 1.0009765625 dtype f32
  // CHECK-DAG: %[[W:.*]] = tenon.astype %[[V]] dtype bf16
  // CHECK: return %[[X]], %[[F]], %[[I]], %[[H]], %[[U]], %[[W]]
  %d = tenon.astype %x dtype f64 : (tensor<4xf32>) -> tensor<4xf64>
  %0 = tenon.astype %d dtype f32 : (tensor<4xf64>) -> tensor<4xf32>
  %b = tenon.astype %x dtype bf16 : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = tenon.astype %b dtype f32 : (tensor<4xbf16>) -> tensor<4xf32>
  %2 = tenon.astype %d dtype i32 : (tensor<4xf64>) -> tensor<4xi32>
  %three = tenon.full shape [2] value 3 dtype i32 : tensor<2xi32>
  %3 = tenon.astype %three dtype bf16 : (tensor<2xi32>) -> tensor<2xbf16>
  %tenth = tenon.full shape [2] value 0.1 dtype f32 : tensor<2xf32>
  %4 = tenon.astype %tenth dtype bf16 : (tensor<2xf32>) -> tensor<2xbf16>
  // A number of f32, but of no bf16.
  %fine = tenon.full shape [2] value 1.0009765625 dtype f32 : tensor<2xf32>
  %5 = tenon.astype %fine dtype bf16 : (tensor<2xf32>) -> tensor<2xbf16>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>
}

// -----

// A step that changes what happens to numbers that do not fit stays: floats
// saturate, integers wrap; bool keeps only whether a number is 0.
// CHECK-LABEL: func.func @convert_by_another_kind(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xi32>, %[[Y:[^:]*]]: tensor<4xui8>
func.func @convert_by_another_kind(%x: tensor<4xi32>, %y: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xui32>, tensor<4xi64>, tensor<4xui8>, tensor<4xi32>) {
  // CHECK-DAG: %[[D:.*]] = tenon.astype %[[X]] dtype f64
  // CHECK-DAG: %[[U8:.*]] = tenon.astype %[[D]] dtype ui8
  // CHECK-DAG: %[[U32:.*]] = tenon.astype %[[D]] dtype ui32
  // CHECK-DAG: %[[I64:.*]] = tenon.astype %[[X]] dtype i64
  // CHECK-DAG: %[[W:.*]] = tenon.astype %[[X]] dtype ui8
  // CHECK-DAG: %[[B:.*]] = tenon.astype %[[Y]] dtype i1
  // CHECK-DAG: %[[C:.*]] = tenon.astype %[[B]] dtype i32
  // CHECK: return %[[U8]], %[[U32]], %[[I64]], %[[W]], %[[C]]
  %d = tenon.astype %x dtype f64 : (tensor<4xi32>) -> tensor<4xf64>
  %0 = tenon.astype %d dtype ui8 : (tensor<4xf64>) -> tensor<4xui8>
  %1 = tenon.astype %d dtype ui32 : (tensor<4xf64>) -> tensor<4xui32>
  %2 = tenon.astype %d dtype i64 : (tensor<4xf64>) -> tensor<4xi64>
  %l = tenon.astype %x dtype i64 : (tensor<4xi32>) -> tensor<4xi64>
  %3 = tenon.astype %l dtype ui8 : (tensor<4xi64>) -> tensor<4xui8>
  %b = tenon.astype %y dtype i1 : (tensor<4xui8>) -> tensor<4xi1>
  %4 = tenon.astype %b dtype i32 : (tensor<4xi1>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<4xui8>, tensor<4xui32>, tensor<4xi64>, tensor<4xui8>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x6xf32>
func.func @views(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<12xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<3x2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) {
  // CHECK-DAG: %[[R:.*]] = tenon.reshape %[[X]] shape [12]
  // CHECK-DAG: %[[B:.*]] = tenon.broadcast_to %[[X]] shape [3, 2, 6]
  // CHECK: return %[[X]], %[[R]], %[[X]], %[[X]], %[[B]], %[[X]], %[[X]]
  %a = tenon.reshape %x shape [3, 4] : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %0 = tenon.reshape %a shape [2, 6] : (tensor<3x4xf32>) -> tensor<2x6xf32>
  %1 = tenon.reshape %a shape [12] : (tensor<3x4xf32>) -> tensor<12xf32>
  %t = tenon.transpose %x permutation [1, 0] : (tensor<2x6xf32>) -> tensor<6x2xf32>
  %2 = tenon.transpose %t permutation [1, 0] : (tensor<6x2xf32>) -> tensor<2x6xf32>
  %3 = tenon.slice %x starts [0, 0] stops [2, 6] steps [1, 1] : tensor<2x6xf32>
  %b = tenon.broadcast_to %x shape [1, 2, 6] : (tensor<2x6xf32>) -> tensor<1x2x6xf32>
  %4 = tenon.broadcast_to %b shape [3, 2, 6] : (tensor<1x2x6xf32>) -> tensor<3x2x6xf32>
  %5 = tenon.concatenate %x axis 0 : tensor<2x6xf32>
  %6 = tenon.split %x sizes [2] axis 0 : tensor<2x6xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x6xf32>, tensor<12xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<3x2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>
}

// -----

// An open size may be 1 before a broadcast and more after it.
// CHECK-LABEL: func.func @open_sizes(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>
func.func @open_sizes(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %n = tenon.size "n" : index
  // CHECK: %[[B:.*]] = tenon.broadcast_to %[[X]] shape [%n
  // CHECK: return %[[B]], %[[X]]
  %0 = tenon.broadcast_to %x shape [%n, 4] : tensor<?x4xf32>
  %1 = tenon.reshape %x shape [%n, 4] : tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Two open sizes may be others after a reshape, one may be beside a 0.
// CHECK-LABEL: func.func @open_reshapes(
func.func @open_reshapes(%x: tensor<?x?xf32> {tenon.dims = ["m", "n"]}, %e: tensor<?x0xf32> {tenon.dims = ["m", 0]}) -> (tensor<?x?xf32>, tensor<?x0xf32>) {
  %m = tenon.size "m" : index
  %n = tenon.size "n" : index
  // CHECK: %[[R:.*]] = tenon.reshape
  // CHECK: %[[E:.*]] = tenon.reshape
  // CHECK: return %[[R]], %[[E]]
  %0 = tenon.reshape %x shape [%n, %m] : tensor<?x?xf32>
  %1 = tenon.reshape %e shape [%n, 0] : tensor<?x0xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x0xf32>
}

// -----

// A pad of nothing is nothing; that the types are equal does not say so where a
// size is open.
// CHECK-LABEL: func.func @pads(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
func.func @pads(%x: tensor<?xf32>, %v: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: %[[L:.*]] = tenon.pad {{.*}}low [1]
  // CHECK: %[[H:.*]] = tenon.pad {{.*}}high [1]
  // CHECK: %[[I:.*]] = tenon.pad {{.*}}interior [1]
  // CHECK: return %[[X]], %[[L]], %[[H]], %[[I]]
  %0 = tenon.pad %x, %v low [0] high [0] interior [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = tenon.pad %x, %v low [1] high [0] interior [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = tenon.pad %x, %v low [0] high [1] interior [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = tenon.pad %x, %v low [0] high [0] interior [1] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @constants(
func.func @constants(%x: tensor<2x6xf32>) -> (tensor<i64>, tensor<3x2xf32>, tensor<?x2xf32>) {
  // CHECK-DAG: %n = tenon.size "n"
  // CHECK-DAG: %[[D:.*]] = tenon.full shape [] value 6 dtype i64 : tensor<i64>
  // CHECK-DAG: %[[T:.*]] = tenon.full shape [3, 2] value 0.5 dtype f32
  // CHECK-DAG: %[[B:.*]] = tenon.full shape [%n, 2]
  // CHECK: return %[[D]], %[[T]], %[[B]]
  %0 = tenon.dimension %x axis 1 : (tensor<2x6xf32>) -> tensor<i64>
  %h = tenon.full shape [2, 3] value 0.5 dtype f32 : tensor<2x3xf32>
  %1 = tenon.transpose %h permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %s = tenon.full shape [] value 0.5 dtype f32 : tensor<f32>
  %n = tenon.size "n" : index
  %2 = tenon.broadcast_to %s shape [%n, 2] : (tensor<f32>) -> tensor<?x2xf32>
  return %0, %1, %2 : tensor<i64>, tensor<3x2xf32>, tensor<?x2xf32>
}

// -----

// A stopped gradient is nothing in a program that is compiled.
// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>
// CHECK-NEXT: return %[[X]]
func.func @constant(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %n = tenon.checkpoint_name %x name "x" : tensor<?x3xf32>
  %0 = tenon.stop_gradient %n : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// Prints stay, in order; a barrier stays between equal ops on its two sides.
// CHECK-LABEL: func.func @effects(
func.func @effects(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: tenon.print {{.*}}"first"
  // CHECK: tenon.print {{.*}}"first"
  // CHECK: tenon.cond
  // CHECK: tenon.print {{.*}}"inside"
  // CHECK-NOT: tenon.cond
  // CHECK: %[[E:.*]] = tenon.exp
  // CHECK: %[[B:.*]] = tenon.optimization_barrier
  // CHECK: tenon.exp %[[B]]
  tenon.print %x format "first" : (tensor<4xf32>) -> ()
  tenon.print %x format "first" : (tensor<4xf32>) -> ()
  tenon.cond %p, %x : (tensor<i1>, tensor<4xf32>) -> () then(%a: tensor<4xf32>) {
    tenon.print %a format "inside" : (tensor<4xf32>) -> ()
    tenon.return
  } otherwise(%a: tensor<4xf32>) {
    tenon.return
  }
  %dead = tenon.cond %p, %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> then(%a: tensor<4xf32>) {
    tenon.return %a : tensor<4xf32>
  } otherwise(%a: tensor<4xf32>) {
    tenon.return %a : tensor<4xf32>
  }
  %0 = tenon.exp %x : tensor<4xf32>
  %1 = tenon.exp %x : tensor<4xf32>
  %b = tenon.optimization_barrier %x : tensor<4xf32>
  %2 = tenon.exp %b : tensor<4xf32>
  %3 = tenon.add %0, %1 : tensor<4xf32>
  %4 = tenon.add %3, %2 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// A number is rounded to its own dtype before it becomes one of a wider.
// CHECK-LABEL: func.func @rounded_first
// CHECK: %[[T:.*]] = tenon.full {{.*}} dtype f32 :
// CHECK: %[[W:.*]] = tenon.astype %[[T]] dtype f64
// CHECK: return %[[W]]
func.func @rounded_first() -> tensor<2xf64> {
  %tenth = tenon.full shape [2] value 0.1 dtype f32 : tensor<2xf32>
  %0 = tenon.astype %tenth dtype f64 : (tensor<2xf32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// -----

// The name of what is called is for people: equal bodies on equal operands run once.
// CHECK-LABEL: func.func @calls(
// CHECK: %[[F:.*]] = tenon.call %{{.*}} : tensor<4xf32> body "f"(
// CHECK-NOT: tenon.call
// CHECK: return %[[F]], %[[F]]
func.func @calls(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.call %x : tensor<4xf32> body "f"(%a: tensor<4xf32>) {
    %2 = tenon.exp %a : tensor<4xf32>
    tenon.return %2 : tensor<4xf32>
  }
  %1 = tenon.call %x : tensor<4xf32> body "g"(%a: tensor<4xf32>) {
    %2 = tenon.exp %a : tensor<4xf32>
    tenon.return %2 : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Of an unknown size a view of a number stays a view; what is computed with it is folded.
// CHECK-LABEL: func.func @numbers_seen_through_views(
func.func @numbers_seen_through_views(%x: tensor<?x3xf32> {tenon.dims = ["n", 3]}) -> tensor<3x?xf32> {
  %n = tenon.size "n" : index
  %one = tenon.full shape [%n, 3] value 1.0 dtype f32 : tensor<?x3xf32>
  %0 = tenon.transpose %one permutation [1, 0] : (tensor<?x3xf32>) -> tensor<3x?xf32>
  // CHECK: %[[T:.*]] = tenon.transpose %arg0
  %1 = tenon.transpose %x permutation [1, 0] : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %2 = tenon.multiply %1, %0 : tensor<3x?xf32>
  // CHECK-NEXT: return %[[T]]
  return %2 : tensor<3x?xf32>
}

// -----

// A size of what is computed is one of what it is computed of.
// CHECK-LABEL: func.func @sizes_of_results(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x6xf32>
func.func @sizes_of_results(%x: tensor<?x6xf32> {tenon.dims = ["n", 6]}, %y: tensor<?x6xf32> {tenon.dims = ["n", 6]})
    -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  // CHECK-DAG: %[[A:.*]] = tenon.dimension %[[X]] axis 0
  // CHECK-DAG: %[[T:.*]] = tenon.concatenate
  // CHECK-DAG: %[[B:.*]] = tenon.dimension %[[T]] axis 0
  // CHECK: return %[[A]], %[[A]], %[[B]]
  %0 = tenon.multiply %x, %y : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %1 = tenon.exp %0 : tensor<?x6xf32>
  %a = tenon.dimension %1 axis 0 : (tensor<?x6xf32>) -> tensor<i64>
  %b = tenon.dimension %x axis 0 : (tensor<?x6xf32>) -> tensor<i64>
  %2 = tenon.concatenate %x, %y axis 0 : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %3 = tenon.exp %2 : tensor<?x6xf32>
  %c = tenon.dimension %3 axis 0 : (tensor<?x6xf32>) -> tensor<i64>
  return %a, %b, %c : tensor<i64>, tensor<i64>, tensor<i64>
}

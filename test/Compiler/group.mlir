// RUN: tenon-opt %s -tenon-group -split-input-file | FileCheck %s

// A chain with a broadcast row: sizes and numbers stay outside the region.
// CHECK-LABEL: func.func @chain
// CHECK: %[[K:.+]] = tenon.kernel(%[[X:.+]] = %arg0[0, row], %[[B:.+]] = %arg1[row], %[[C:.+]] = 2.0 : f32, %[[N:.+]] = length) sizes [32, 784] : (tensor<32x784xf32>, tensor<784xf32>) -> tensor<32x784xf32> {
// CHECK-NEXT: %[[SUM:.+]] = tenon.add %[[X]], %[[B]]
// CHECK-NEXT: %[[TANH:.+]] = tenon.tanh %[[SUM]]
// CHECK-NEXT: %[[WIDE:.+]] = tenon.broadcast_to %[[C]] shape [%[[N]]] : (tensor<f32>) -> tensor<?xf32>
// CHECK-NEXT: tenon.multiply %[[TANH]], %[[WIDE]]
// CHECK: return %[[K]]
func.func @chain(%x: tensor<32x784xf32>, %b: tensor<784xf32>) -> tensor<32x784xf32> {
  %0 = tenon.broadcast_to %b shape [32, 784] : (tensor<784xf32>) -> tensor<32x784xf32>
  %1 = tenon.add %x, %0 : tensor<32x784xf32>
  %2 = tenon.tanh %1 : tensor<32x784xf32>
  %c = tenon.full shape [32, 784] value 2.0 dtype f32 : tensor<32x784xf32>
  %3 = tenon.multiply %2, %c : tensor<32x784xf32>
  return %3 : tensor<32x784xf32>
}

// -----

// Operands of maximum are baked: a number that is known costs half.
// CHECK-LABEL: func.func @relu
// CHECK: tenon.kernel(%x = %arg0[row], %n = length) sizes [32] :
// CHECK: tenon.full shape [] value 0.0 
func.func @relu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = tenon.full shape [4, 8] value 0.0 dtype f32 : tensor<4x8xf32>
  %0 = tenon.maximum %x, %c : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Those of minimum too.
// CHECK-LABEL: func.func @below_six
// CHECK: tenon.kernel(%x = %arg0[row], %n = length) sizes [32] :
// CHECK: tenon.full shape [] value 6.0 
func.func @below_six(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = tenon.full shape [4, 8] value 6.0 dtype f32 : tensor<4x8xf32>
  %0 = tenon.minimum %x, %c : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Reductions over the innermost axis and what uses them are one kernel over
// rows; the names of sizes are kept.
// CHECK-LABEL: func.func @normalize
// CHECK-COUNT-1: tenon.kernel(%x = %arg0[0, row], %n = length) sizes ["batch", 20] : tensor<?x20xf32> attributes {tenon.dims = {{\[\[}}"batch", 20]]} {
// CHECK: tenon.sum %{{.+}} axes [0] keepdims false : (tensor<?xf32>) -> tensor<f32>
// CHECK-NOT: tenon.kernel
func.func @normalize(%x: tensor<?x20xf32> {tenon.dims = ["batch", 20]}) -> tensor<?x20xf32> {
  %n = tenon.size "batch" : index
  %0 = tenon.exp %x : tensor<?x20xf32>
  %1 = tenon.sum %0 axes [1] keepdims true : (tensor<?x20xf32>) -> tensor<?x1xf32>
  %2 = tenon.broadcast_to %1 shape [%n, 20] : (tensor<?x1xf32>) -> tensor<?x20xf32>
  %3 = tenon.divide %0, %2 : tensor<?x20xf32>
  return %3 : tensor<?x20xf32>
}

// -----

// Where rows are short, and many or nobody knows how many, sums are the library's.
// CHECK-LABEL: func.func @normalize_short
// CHECK: tenon.kernel
// CHECK: tenon.exp
// CHECK: %{{.+}} = tenon.sum %{{.+}} axes [1] keepdims true : (tensor<?x10xf32>) -> tensor<?x1xf32>
// CHECK: tenon.kernel
// CHECK: tenon.divide
func.func @normalize_short(%x: tensor<?x10xf32> {tenon.dims = ["batch", 10]}) -> tensor<?x10xf32> {
  %n = tenon.size "batch" : index
  %0 = tenon.exp %x : tensor<?x10xf32>
  %1 = tenon.sum %0 axes [1] keepdims true : (tensor<?x10xf32>) -> tensor<?x1xf32>
  %2 = tenon.broadcast_to %1 shape [%n, 10] : (tensor<?x1xf32>) -> tensor<?x10xf32>
  %3 = tenon.divide %0, %2 : tensor<?x10xf32>
  return %3 : tensor<?x10xf32>
}

// -----

// What is read through a library step is no cycle.
// CHECK-LABEL: func.func @through_matmul
// CHECK: %[[A:.+]] = tenon.kernel(%x = %arg0[
// CHECK: tenon.exp
// CHECK: %[[M:.+]] = tenon.dot_general %[[A]], %arg0
// CHECK: tenon.kernel(%x = %[[A]][row], %{{.+}} = %[[M]][row],
// CHECK: tenon.add
func.func @through_matmul(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tenon.exp %x : tensor<8x8xf32>
  %1 = tenon.dot_general %0, %x axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : tensor<8x8xf32>
  %2 = tenon.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// A sum over the outer axis is left to the library.
// CHECK-LABEL: func.func @library
// CHECK-NOT: tenon.kernel
// CHECK: tenon.sum
func.func @library(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  %0 = tenon.sum %x axes [0] keepdims false : (tensor<8x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A complex number is no word that is passed to a kernel: it stands there.
// CHECK-LABEL: func.func @complex
// CHECK: tenon.kernel(%x = %arg0[row], %x_0 = %arg1[row], %x_1 = %arg2[], %n = length) sizes [6] :
// CHECK: tenon.multiply
// CHECK: tenon.add
// CHECK: tenon.full shape [] value [0.5, -2.0] dtype complex<f32> :
// CHECK: tenon.multiply
// CHECK-NOT: tenon.kernel
func.func @complex(%x: tensor<6xcomplex<f32>>, %y: tensor<6xcomplex<f32>>, %z: tensor<complex<f32>>) -> tensor<6xcomplex<f32>> {
  %0 = tenon.multiply %x, %y : tensor<6xcomplex<f32>>
  %1 = tenon.broadcast_to %z shape [6] : (tensor<complex<f32>>) -> tensor<6xcomplex<f32>>
  %2 = tenon.add %0, %1 : tensor<6xcomplex<f32>>
  %3 = tenon.full shape [6] value [0.5, -2.0] dtype complex<f32> : tensor<6xcomplex<f32>>
  %4 = tenon.multiply %2, %3 : tensor<6xcomplex<f32>>
  return %4 : tensor<6xcomplex<f32>>
}

// -----

// Groups over different spaces that read each other's first members: neither of
// the last two sums may unite them, or each would be read before it is made.
// CHECK-LABEL: func.func @two_unions
// CHECK: %[[S:.+]]:2 = tenon.kernel({{.+}} = %arg0[
// CHECK: %[[A:.+]] = tenon.kernel({{.+}} = %arg2[
// CHECK: %[[U:.+]] = tenon.kernel({{.+}} = %arg3[{{.+}} = %[[S]]#1[{{.+}} = %[[A]][
// CHECK: %[[V:.+]] = tenon.kernel({{.+}} = %arg1[{{.+}} = %[[A]][{{.+}} = %[[S]]#0[
// CHECK: return %[[U]], %[[V]]
func.func @two_unions(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %p: tensor<8xf32>, %q: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
  %e = tenon.exp %x : tensor<8x4xf32>
  %s = tenon.sum %e axes [1] keepdims false : (tensor<8x4xf32>) -> tensor<8xf32>
  %a = tenon.exp %p : tensor<8xf32>
  %b = tenon.tanh %q : tensor<8xf32>
  %c = tenon.add %b, %s : tensor<8xf32>
  %k = tenon.reshape %a shape [8, 1] : (tensor<8xf32>) -> tensor<8x1xf32>
  %w = tenon.broadcast_to %k shape [8, 4] : (tensor<8x1xf32>) -> tensor<8x4xf32>
  %r = tenon.multiply %y, %w : tensor<8x4xf32>
  %u = tenon.add %a, %c : tensor<8xf32>
  %v = tenon.add %r, %e : tensor<8x4xf32>
  return %u, %v : tensor<8xf32>, tensor<8x4xf32>
}

// -----

// A large reduction that shares no pass with other ops is left to the library,
// as are reductions of short rows; what is done with the results is a kernel.
// CHECK-LABEL: func.func @library
func.func @library(%x: tensor<1000x1000xf32>, %y: tensor<2000x15xf32>) -> (tensor<1000xf32>, tensor<2000xf32>) {
  // CHECK: %[[S:.+]] = tenon.sum %{{.+}} : (tensor<1000x1000xf32>) -> tensor<1000xf32>
  // CHECK: tenon.kernel({{.*}} = %[[S]][
  // CHECK: tenon.multiply
  %n = tenon.full shape [1000] value 0.5 dtype f32 : tensor<1000xf32>
  %0 = tenon.sum %x axes [1] keepdims false : (tensor<1000x1000xf32>) -> tensor<1000xf32>
  %1 = tenon.multiply %0, %n : tensor<1000xf32>
  // CHECK: tenon.kernel
  // CHECK: tenon.multiply
  // CHECK: tenon.max {{.*}} : (tensor<2000x15xf32>) -> tensor<2000xf32>
  %2 = tenon.multiply %y, %y : tensor<2000x15xf32>
  %3 = tenon.max %2 axes [1] keepdims false : (tensor<2000x15xf32>) -> tensor<2000xf32>
  return %1, %3 : tensor<1000xf32>, tensor<2000xf32>
}

// -----

// Where rows are passed over anyway, the reduction stays.
// CHECK-LABEL: func.func @fused
// CHECK: tenon.kernel
// CHECK: tenon.multiply
// CHECK: tenon.sum
// CHECK: tenon.return
// CHECK-NOT: tenon.sum
func.func @fused(%x: tensor<1000x1000xf32>) -> tensor<1000xf32> {
  %0 = tenon.multiply %x, %x : tensor<1000x1000xf32>
  %1 = tenon.sum %0 axes [1] keepdims false : (tensor<1000x1000xf32>) -> tensor<1000xf32>
  return %1 : tensor<1000xf32>
}

// -----

// Rows so long that the library splits them stay with it while they are few;
// where there are more, each is a thread's.
// CHECK-LABEL: func.func @long_rows
// CHECK: %[[A:.+]] = tenon.kernel
// CHECK: tenon.multiply
// CHECK: %[[B:.+]] = tenon.sum %[[A]] {{.*}} : (tensor<2x65536xf32>) -> tensor<2xf32>
// CHECK: tenon.kernel
// CHECK: tenon.multiply
// CHECK: tenon.sum %{{.+}} : (tensor<?xf32>) -> tensor<f32>
// CHECK-NOT: tenon.sum
func.func @long_rows(%x: tensor<2x65536xf32>, %y: tensor<3x65536xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
  %0 = tenon.multiply %x, %x : tensor<2x65536xf32>
  %1 = tenon.sum %0 axes [1] keepdims false : (tensor<2x65536xf32>) -> tensor<2xf32>
  %2 = tenon.multiply %y, %y : tensor<3x65536xf32>
  %3 = tenon.sum %2 axes [1] keepdims false : (tensor<3x65536xf32>) -> tensor<3xf32>
  return %1, %3 : tensor<2xf32>, tensor<3xf32>
}

// -----

// The kernel stands where its first op stood, and with it what it reads: but not
// before an effect that came first.
// CHECK-LABEL: func.func @effects
// CHECK: tenon.print {{.*}}"first"
// CHECK: %[[C:.+]] = tenon.cond
// CHECK: tenon.print {{.*}}"second"
// CHECK: tenon.kernel({{.*}} = %[[C]][
func.func @effects(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.exp %x : tensor<4xf32>
  tenon.print %x format "first" : (tensor<4xf32>) -> ()
  %1 = tenon.cond %p, %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> then(%a: tensor<4xf32>) {
    tenon.print %a format "second" : (tensor<4xf32>) -> ()
    tenon.return %a : tensor<4xf32>
  } otherwise(%a: tensor<4xf32>) {
    tenon.return %a : tensor<4xf32>
  }
  %2 = tenon.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// What a derivative makes of a stored value is made where it is read, not stored beside it.
// CHECK-LABEL: func.func @for_later
// CHECK: %[[Y:.+]] = tenon.kernel({{.*}} : tensor<64x64xf32> {
// CHECK-NEXT: tenon.relu
// CHECK-NEXT: tenon.return
// CHECK: %[[Z:.+]] = tenon.dot_general %[[Y]]
// CHECK: tenon.kernel({{.*}} = %[[Y]][row], {{.*}} = %[[Z]][row]
// CHECK: tenon.less_equal
// CHECK: tenon.where
func.func @for_later(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = tenon.full shape [64, 64] value 0.0 dtype f32 : tensor<64x64xf32>
  %0 = tenon.relu %x : tensor<64x64xf32>
  %1 = tenon.dot_general %0, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tenon.less_equal %0, %zero : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
  %3 = tenon.where %2, %zero, %1 : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----

// So are several ops that read it alone.
// CHECK-LABEL: func.func @chain_for_later
// CHECK: %[[Y:.+]] = tenon.kernel({{.*}} : tensor<64x64xf32> {
// CHECK-NEXT: tenon.tanh
// CHECK-NEXT: tenon.return
// CHECK: %[[Z:.+]] = tenon.dot_general %[[Y]]
// CHECK: tenon.kernel({{.*}} = %[[Y]][row], {{.*}} = %[[Z]][row]
// CHECK-COUNT-3: tenon.{{multiply|subtract}}
func.func @chain_for_later(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tenon.tanh %x : tensor<64x64xf32>
  %1 = tenon.dot_general %0, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tenon.multiply %0, %0 : tensor<64x64xf32>
  %3 = tenon.subtract %0, %2 : tensor<64x64xf32>
  %4 = tenon.multiply %3, %1 : tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// -----

// But what others read, too, is stored.
// CHECK-LABEL: func.func @for_several
// CHECK: %[[Y:.+]]:2 = tenon.kernel
// CHECK: tenon.tanh
// CHECK: tenon.multiply
// CHECK: %[[Z:.+]] = tenon.dot_general %[[Y]]#0
// CHECK: tenon.kernel({{.*}} = %[[Y]]#1[row], {{.*}} = %[[Z]][row]
func.func @for_several(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = tenon.tanh %x : tensor<64x64xf32>
  %1 = tenon.dot_general %0, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tenon.multiply %0, %0 : tensor<64x64xf32>
  %3 = tenon.multiply %2, %1 : tensor<64x64xf32>
  return %3, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// And so is what is made of values that are not.
// CHECK-LABEL: func.func @of_what_is_not_stored
// CHECK: %[[Y:.+]]:2 = tenon.kernel
// CHECK: tenon.exp
// CHECK: tenon.tanh
// CHECK: tenon.add
// CHECK: %[[Z:.+]] = tenon.dot_general %[[Y]]#0
// CHECK: tenon.kernel({{.*}} = %[[Y]]#1[row], {{.*}} = %[[Z]][row]
func.func @of_what_is_not_stored(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tenon.exp %x : tensor<64x64xf32>
  %1 = tenon.tanh %0 : tensor<64x64xf32>
  %2 = tenon.dot_general %1, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = tenon.add %1, %0 : tensor<64x64xf32>
  %4 = tenon.multiply %3, %2 : tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// -----

// What ends in the same pass stays in it.
// CHECK-LABEL: func.func @in_one_pass
// CHECK: tenon.kernel
// CHECK: tenon.tanh
// CHECK-NOT: tenon.kernel
// CHECK: tenon.multiply
// CHECK: tenon.add
// CHECK-NOT: tenon.kernel
func.func @in_one_pass(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = tenon.tanh %x : tensor<64x64xf32>
  %1 = tenon.dot_general %0, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tenon.multiply %0, %0 : tensor<64x64xf32>
  %3 = tenon.add %2, %x : tensor<64x64xf32>
  return %3, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// With what was there before the group, too.
// CHECK-LABEL: func.func @with_what_was_there
// CHECK: tenon.kernel
// CHECK: tenon.tanh
// CHECK-NOT: tenon.kernel
// CHECK: tenon.multiply
// CHECK: tenon.add
// CHECK-NOT: tenon.kernel
func.func @with_what_was_there(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = tenon.dot_general %x, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tenon.dot_general %w, %x axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tenon.tanh %0 : tensor<64x64xf32>
  %3 = tenon.dot_general %2, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = tenon.multiply %2, %2 : tensor<64x64xf32>
  %5 = tenon.add %4, %1 : tensor<64x64xf32>
  return %5, %3 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// The stored value may be read again on the way, whoever else reads it late.
// CHECK-LABEL: func.func @read_on_the_way
// CHECK: %[[Y:.+]] = tenon.kernel({{.*}} : tensor<64x64xf32> {
// CHECK-NEXT: tenon.tanh
// CHECK-NEXT: tenon.return
// CHECK: tenon.kernel({{.*}} = %[[Y]][row]
// CHECK: tenon.multiply
// CHECK: tenon.subtract
// CHECK: tenon.multiply
func.func @read_on_the_way(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tenon.dot_general %x, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tenon.dot_general %0, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tenon.tanh %x : tensor<64x64xf32>
  %3 = tenon.dot_general %2, %1 axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = tenon.multiply %2, %2 : tensor<64x64xf32>
  %5 = tenon.subtract %2, %4 : tensor<64x64xf32>
  %6 = tenon.multiply %5, %3 : tensor<64x64xf32>
  return %6 : tensor<64x64xf32>
}

// -----

// What two read later is stored.
// CHECK-LABEL: func.func @for_two
// CHECK: %[[Y:.+]]:2 = tenon.kernel
// CHECK: tenon.tanh
// CHECK: tenon.multiply
// CHECK: %[[Z:.+]] = tenon.dot_general %[[Y]]#0
// CHECK: tenon.kernel({{.*}} = %[[Y]]#1[row], {{.*}} = %[[Z]][row]
func.func @for_two(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = tenon.tanh %x : tensor<64x64xf32>
  %1 = tenon.dot_general %0, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tenon.multiply %0, %0 : tensor<64x64xf32>
  %3 = tenon.multiply %2, %1 : tensor<64x64xf32>
  %4 = tenon.add %2, %1 : tensor<64x64xf32>
  return %3, %4 : tensor<64x64xf32>, tensor<64x64xf32>
}

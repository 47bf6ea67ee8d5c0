// RUN: tenon-opt %s -tenon-group -split-input-file | FileCheck %s

// The kernel of %0 and %3 stands where its first op stood, and what it reads before it: but
// what may not end, or fail, stays behind the guard that decides whether it runs.
// CHECK-LABEL: func.func @loop
// CHECK: tenon.guard
// CHECK: %[[L:.+]] = tenon.while_loop
// CHECK: tenon.kernel({{.*}} = %[[L]][
func.func @loop(%p: tensor<i1>, %n: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {
  %0 = tenon.multiply %x, %x : tensor<i32>
  tenon.guard %p answer 1 : (tensor<i1>) -> ()
  %1 = tenon.while_loop %n, %x cond_consts 1 body_consts 0 : (tensor<i32>, tensor<i32>) -> tensor<i32> cond(%l: tensor<i32>, %j: tensor<i32>) {
    %2 = tenon.less_equal %j, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tenon.return %2 : tensor<i1>
  } body(%j: tensor<i32>) {
    %2 = tenon.add %j, %j : tensor<i32>
    tenon.return %2 : tensor<i32>
  }
  %3 = tenon.add %0, %1 : tensor<i32>
  return %3 : tensor<i32>
}

// -----

// CHECK-LABEL: func.func @failing
// CHECK: tenon.guard
// CHECK: %[[G:.+]] = tenon.gather {{.*}} mode "error"
// CHECK: tenon.kernel({{.*}} = %[[G]][
func.func @failing(%p: tensor<i1>, %i: tensor<1xi64>, %x: tensor<4xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
  %0 = tenon.multiply %y, %y : tensor<1xf32>
  tenon.guard %p answer 1 : (tensor<i1>) -> ()
  %1 = tenon.gather %x, %i slice_sizes [1] offset_dims [0] collapsed_slice_dims [] start_index_map [0] operand_batching_dims [] start_indices_batching_dims [] mode "error" fill_value 0.0 : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>
  %2 = tenon.add %0, %1 : tensor<1xf32>
  return %2 : tensor<1xf32>
}

// -----

// Guards and what they ask for keep the order in which they were asked.
// CHECK-LABEL: func.func @ordered
// CHECK: tenon.guard {{.*}} answer 1
// CHECK: tenon.print
// CHECK: tenon.guard {{.*}} answer 0
func.func @ordered(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = tenon.less %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  tenon.guard %0 answer 1 : (tensor<i1>) -> ()
  tenon.print %x format "{}" : (tensor<f32>) -> ()
  %1 = tenon.less %y, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
  tenon.guard %1 answer 0 : (tensor<i1>) -> ()
  return %x : tensor<f32>
}

// -----

// So do checks and calls of the host, which may end the run: a loop that might not end comes after them.
// CHECK-LABEL: func.func @checked
// CHECK: tenon.check
// CHECK: tenon.host_call
// CHECK: tenon.while_loop
func.func @checked(%p: tensor<i1>, %n: tensor<i32>) -> (tensor<i32>, tensor<f32>) {
  tenon.check %p, %n format "n = {}" examples 0 : (tensor<i1>, tensor<i32>) -> ()
  %0 = tenon.host_call %n function 1 batched false dtypes "f32" ranks [0] sizes [] device "cpu:0" : (tensor<i32>) -> tensor<f32>
  %1 = tenon.while_loop %n cond_consts 0 body_consts 0 : (tensor<i32>) -> tensor<i32> cond(%j: tensor<i32>) {
    %2 = tenon.less_equal %j, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tenon.return %2 : tensor<i1>
  } body(%j: tensor<i32>) {
    %2 = tenon.add %j, %j : tensor<i32>
    tenon.return %2 : tensor<i32>
  }
  return %1, %0 : tensor<i32>, tensor<f32>
}

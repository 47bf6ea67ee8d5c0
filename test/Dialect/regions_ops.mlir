// RUN: tenon-opt %s | tenon-opt | FileCheck %s
// RUN: tenon-opt %s --mlir-print-debuginfo | tenon-opt | FileCheck %s
// RUN: tenon-opt %s --mlir-print-op-generic --mlir-print-debuginfo | tenon-opt | FileCheck %s
// RUN: tenon-opt %s --tenon-open-composites | FileCheck %s --check-prefix=OPEN

// CHECK-LABEL: func.func @cond(
func.func @cond(%p: tensor<i1>, %x: tensor<?xf32> {tenon.dims = ["n"]}) -> tensor<?xf32> {
  // CHECK: tenon.cond %{{.*}}, %{{.*}} : (tensor<i1>, tensor<?xf32>) -> tensor<?xf32> then(%[[A:.*]]: tensor<?xf32>) {
  // CHECK-NEXT: tenon.exp %[[A]]
  // CHECK-NEXT: tenon.return
  // CHECK-NEXT: } otherwise(%[[B:.*]]: tensor<?xf32>) {
  // CHECK-NEXT: tenon.return %[[B]] : tensor<?xf32>
  %0 = tenon.cond %p, %x : (tensor<i1>, tensor<?xf32>) -> tensor<?xf32> then(%a: tensor<?xf32>) {
    %1 = tenon.exp %a : tensor<?xf32>
    tenon.return %1 : tensor<?xf32>
  } otherwise(%a: tensor<?xf32>) {
    tenon.return %a : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @switch_case(
func.func @switch_case(%i: tensor<i64>, %x: tensor<?xf32> {tenon.dims = ["n"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: tenon.switch_case %{{.*}}, %{{.*}} : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32> branch(%[[A:.*]]: tensor<?xf32>) {
  // CHECK-NEXT: tenon.exp %[[A]]
  // CHECK-NEXT: tenon.return
  // CHECK-NEXT: } branch(%[[B:.*]]: tensor<?xf32>) {
  // CHECK-NEXT: tenon.return %[[B]] : tensor<?xf32>
  // CHECK-NEXT: } branch(%[[C:.*]]: tensor<?xf32>) {
  // CHECK-NEXT: tenon.abs %[[C]]
  %0 = tenon.switch_case %i, %x : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32> branch(%a: tensor<?xf32>) {
    %2 = tenon.exp %a : tensor<?xf32>
    tenon.return %2 : tensor<?xf32>
  } branch(%a: tensor<?xf32>) {
    tenon.return %a : tensor<?xf32>
  } branch(%a: tensor<?xf32>) {
    %2 = tenon.abs %a : tensor<?xf32>
    tenon.return %2 : tensor<?xf32>
  }
  // CHECK: tenon.switch_case %{{.*}} branch(%[[D:.*]]: tensor<?xf32>) {
  // CHECK-NEXT: tenon.return %[[D]]
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %1 = tenon.switch_case %i, %0 : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32> branch(%a: tensor<?xf32>) {
    tenon.return %a : tensor<?xf32>
  }
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @scan(
func.func @scan(%c: tensor<4xf32>, %x: tensor<?x4xf32> {tenon.dims = ["n", 4]}) -> (tensor<4xf32>, tensor<?x4xf32>) {
  // CHECK: %n = tenon.size "n"
  %n = tenon.size "n" : index
  // CHECK: tenon.scan %{{.*}}, %{{.*}} length [%n] consts 0 carries 1 reverse false : (tensor<4xf32>, tensor<?x4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) body(
  %0:2 = tenon.scan %c, %x length [%n] consts 0 carries 1 reverse false : (tensor<4xf32>, tensor<?x4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) body(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %1 = tenon.add %a, %b : tensor<4xf32>
    tenon.return %1, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @while_loop(
func.func @while_loop(%limit: tensor<i32>, %i: tensor<i32>) -> tensor<i32> {
  // CHECK: tenon.while_loop {{.*}} cond(%{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>) {
  // CHECK: } body(%{{.*}}: tensor<i32>) {
  %0 = tenon.while_loop %limit, %i cond_consts 1 body_consts 0 : tensor<i32> cond(%l: tensor<i32>, %j: tensor<i32>) {
    %1 = tenon.less_equal %j, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tenon.return %1 : tensor<i1>
  } body(%j: tensor<i32>) {
    %1 = tenon.add %j, %j : tensor<i32>
    tenon.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}

// CHECK-LABEL: func.func @composites(
// OPEN-LABEL: func.func @composites(
func.func @composites(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: tenon.call %{{.*}} : tensor<2x3xf32> body "step"(
  // OPEN: tenon.call {{.*}} body "step"
  %0 = tenon.call %x : tensor<2x3xf32> body "step"(%a: tensor<2x3xf32>) {
    %1 = tenon.abs %a : tensor<2x3xf32>
    tenon.return %1 : tensor<2x3xf32>
  }
  // CHECK: tenon.call %{{.*}} {tenon.inline} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) body "inner"(
  // OPEN-NOT: tenon.composite
  // OPEN-NOT: inner
  // OPEN: tenon.log
  // OPEN: tenon.exp
  // OPEN-NOT: tenon.return
  // OPEN: return
  %2:2 = tenon.call %0 {tenon.inline} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) body "inner"(%a: tensor<2x3xf32>) {
    // CHECK: tenon.composite %{{.*}} name "softmax" composite_attributes {axis = 1 : i64} : tensor<2x3xf32> decomposition(
    %l = tenon.log %a : tensor<2x3xf32>
    %3 = tenon.composite %l name "softmax" composite_attributes {axis = 1 : i64} : tensor<2x3xf32> decomposition(%b: tensor<2x3xf32>) {
      %4 = tenon.exp %b : tensor<2x3xf32>
      tenon.return %4 : tensor<2x3xf32>
    }
    tenon.return %3, %a : tensor<2x3xf32>, tensor<2x3xf32>
  }
  return %0, %2#0, %2#1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @composite_attributes(
// OPEN-LABEL: func.func @composite_attributes(
func.func @composite_attributes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: tenon.composite %{{.*}} name "user.softmax" composite_attributes {} : tensor<4xf32> decomposition(
  // CHECK: tenon.composite {{.*}} name "layer_norm" composite_attributes {axes = [0], epsilon = 5.000000e-01 : f64}
  // CHECK: tenon.composite {{.*}} name "mean" composite_attributes {axes = [0], keepdims = true}
  // OPEN-NOT: tenon.composite
  // OPEN: tenon.exp
  // OPEN: tenon.log
  // OPEN: tenon.abs
  // OPEN: return
  %0 = tenon.composite %x name "user.softmax" composite_attributes {} : tensor<4xf32> decomposition(%a: tensor<4xf32>) {
    %1 = tenon.exp %a : tensor<4xf32>
    %2 = tenon.composite %1, %1, %1 name "layer_norm" composite_attributes {axes = [0], epsilon = 0.5} : tensor<4xf32> decomposition(%b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) {
      %3 = tenon.log %d : tensor<4xf32>
      tenon.return %3 : tensor<4xf32>
    }
    tenon.return %2 : tensor<4xf32>
  }
  %4 = tenon.composite %0 name "mean" composite_attributes {axes = [0], keepdims = true} : tensor<4xf32> decomposition(%a: tensor<4xf32>) {
    %5 = tenon.abs %a : tensor<4xf32>
    tenon.return %5 : tensor<4xf32>
  }
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func.func @custom_vjp(
// OPEN-LABEL: func.func @custom_vjp(
func.func @custom_vjp(%w: tensor<f32>, %x: tensor<?xf32> {tenon.dims = ["n"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: tenon.custom_vjp %{{.*}}, %{{.*}} captures 1 ruled 1 residuals 1 cotangents [1] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32> body "clip"(%{{.*}}: tensor<f32>, %[[A:.*]]: tensor<?xf32>) {
  // CHECK-NEXT: tenon.exp %[[A]]
  // CHECK: } forward(%{{.*}}: tensor<f32>, %{{.*}}: tensor<?xf32>) {
  // CHECK: tenon.return %[[E:.*]], %[[E]] : tensor<?xf32>, tensor<?xf32>
  // CHECK-NEXT: } backward(%[[KEPT:.*]]: tensor<?xf32>, %[[D:.*]]: tensor<?xf32>) {
  // CHECK-NEXT: tenon.multiply %[[D]], %[[KEPT]]
  // OPEN-NEXT: %[[E:.*]] = tenon.exp %arg1
  %0 = tenon.custom_vjp %w, %x captures 1 ruled 1 residuals 1 cotangents [1] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32> body "clip"(%c: tensor<f32>, %a: tensor<?xf32>) {
    %2 = tenon.exp %a : tensor<?xf32>
    tenon.return %2 : tensor<?xf32>
  } forward(%c: tensor<f32>, %a: tensor<?xf32>) {
    %2 = tenon.exp %a : tensor<?xf32>
    tenon.return %2, %2 : tensor<?xf32>, tensor<?xf32>
  } backward(%kept: tensor<?xf32>, %d: tensor<?xf32>) {
    %2 = tenon.multiply %d, %kept : tensor<?xf32>
    tenon.return %2 : tensor<?xf32>
  }
  // CHECK: tenon.custom_jvp %{{.*}} captures 0 ruled 1 : tensor<?xf32> body(%[[A:.*]]: tensor<?xf32>) {
  // CHECK: } jvp(%[[A:.*]]: tensor<?xf32>, %[[DA:.*]]: tensor<?xf32>) {
  // CHECK-NEXT: tenon.return %[[DA]] : tensor<?xf32>
  // OPEN-NEXT: %[[S:.*]] = tenon.sin %[[E]]
  %1 = tenon.custom_jvp %0 captures 0 ruled 1 : tensor<?xf32> body(%a: tensor<?xf32>) {
    %2 = tenon.sin %a : tensor<?xf32>
    tenon.return %2 : tensor<?xf32>
  } jvp(%a: tensor<?xf32>, %da: tensor<?xf32>) {
    tenon.return %da : tensor<?xf32>
  }
  // CHECK: tenon.checkpoint %{{.*}} dots true names "a,b" : tensor<?xf32> body "block"(
  // OPEN-NEXT: %[[N:.*]] = tenon.checkpoint_name %[[S]] name "a" : tensor<?xf32>
  // OPEN-NEXT: return %[[E]], %[[N]]
  %3 = tenon.checkpoint %1 dots true names "a,b" : tensor<?xf32> body "block"(%a: tensor<?xf32>) {
    %4 = tenon.checkpoint_name %a name "a" : tensor<?xf32>
    tenon.return %4 : tensor<?xf32>
  }
  return %0, %3 : tensor<?xf32>, tensor<?xf32>
}

// RUN: tenon-opt %s --tenon-inline-calls --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tenon-opt %s --tenon-inline-calls=small-body=0 --split-input-file | FileCheck %s --check-prefix=ONCE

// Used once: its ops stand in its place, results that are arguments included, and
// know the line from which it was called.
// CHECK-LABEL: func.func @once(
// CHECK-SAME: %[[X:.+]]: tensor<4xf32> {{.*}}, %[[Y:.+]]: tensor<4xf32>
// CHECK-NEXT: %[[E:.+]] = tenon.exp %[[Y]] : tensor<4xf32> loc(callsite("callee.cpp":3:4 at "caller.cpp":7:8))
// CHECK-NEXT: return %[[Y]], %[[X]], %[[E]]
// ONCE-LABEL: func.func @once(
// ONCE-NOT: tenon.call
func.func @once(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = tenon.call %x, %y : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) body "swap"(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %1 = tenon.exp %b : tensor<4xf32> loc("callee.cpp":3:4)
    tenon.return %b, %a, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } loc("caller.cpp":7:8)
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Small: in each of its places.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: tenon.call
// CHECK-COUNT-3: tenon.exp
// ONCE-LABEL: func.func @small(
// ONCE-COUNT-3: tenon.call
func.func @small(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.call %x : tensor<4xf32> body "f"(%a: tensor<4xf32>) {
    %3 = tenon.exp %a : tensor<4xf32>
    tenon.return %3 : tensor<4xf32>
  }
  %1 = tenon.call %0 : tensor<4xf32> body "f"(%a: tensor<4xf32>) {
    %3 = tenon.exp %a : tensor<4xf32>
    tenon.return %3 : tensor<4xf32>
  }
  %2 = tenon.call %1 : tensor<4xf32> body "f"(%a: tensor<4xf32>) {
    %3 = tenon.exp %a : tensor<4xf32>
    tenon.return %3 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}

// -----

// Eight ops are small, nine are not; sizes do not count. What is in a large body
// is put in place there, in each copy of it.
// CHECK-LABEL: func.func @large(
// CHECK-NOT: tenon.call
// CHECK: tenon.tanh
// CHECK: tenon.tanh
// CHECK: %[[F:.+]] = tenon.call %{{.+}} : tensor<?xf32> body "large"(
// CHECK-NOT: tenon.call
// CHECK: tenon.abs {{.*}} loc(callsite("inner.cpp":1:1 at "large.cpp":2:2))
// CHECK: tenon.return
// CHECK: tenon.call %[[F]] : tensor<?xf32> body "same"(
// CHECK-NOT: tenon.call
// CHECK: tenon.abs {{.*}} loc(callsite("inner.cpp":1:1 at "large.cpp":2:2))
// CHECK: tenon.return
// CHECK-NOT: tenon.call
// ONCE-LABEL: func.func @large(
// ONCE: tenon.call {{.*}} body "eight"
// ONCE: tenon.call {{.*}} body "eight"
// ONCE: tenon.call {{.*}} body "large"
// ONCE-NOT: tenon.call
// ONCE: tenon.abs
// ONCE: tenon.call {{.*}} body "same"
// ONCE-NOT: tenon.call
// ONCE: tenon.abs
func.func @large(%x: tensor<?xf32> {tenon.dims = ["n"]}) -> tensor<?xf32> {
  %e = tenon.call %x : tensor<?xf32> body "eight"(%a: tensor<?xf32>) {
    %n = tenon.size "n" : index
    %1 = tenon.full shape [%n] value 1.5 dtype f32 : tensor<?xf32>
    %2 = tenon.add %a, %1 : tensor<?xf32>
    %3 = tenon.exp %2 : tensor<?xf32>
    %4 = tenon.log %3 : tensor<?xf32>
    %5 = tenon.exp %4 : tensor<?xf32>
    %6 = tenon.log %5 : tensor<?xf32>
    %7 = tenon.exp %6 : tensor<?xf32>
    %8 = tenon.tanh %7 : tensor<?xf32>
    tenon.return %8 : tensor<?xf32>
  }
  %f = tenon.call %e : tensor<?xf32> body "eight"(%a: tensor<?xf32>) {
    %n = tenon.size "n" : index
    %1 = tenon.full shape [%n] value 1.5 dtype f32 : tensor<?xf32>
    %2 = tenon.add %a, %1 : tensor<?xf32>
    %3 = tenon.exp %2 : tensor<?xf32>
    %4 = tenon.log %3 : tensor<?xf32>
    %5 = tenon.exp %4 : tensor<?xf32>
    %6 = tenon.log %5 : tensor<?xf32>
    %7 = tenon.exp %6 : tensor<?xf32>
    %8 = tenon.tanh %7 : tensor<?xf32>
    tenon.return %8 : tensor<?xf32>
  }
  %0 = tenon.call %f : tensor<?xf32> body "large"(%a: tensor<?xf32>) {
    %1 = tenon.exp %a : tensor<?xf32>
    %2 = tenon.log %1 : tensor<?xf32>
    %3 = tenon.exp %2 : tensor<?xf32>
    %4 = tenon.log %3 : tensor<?xf32>
    %5 = tenon.exp %4 : tensor<?xf32>
    %6 = tenon.log %5 : tensor<?xf32>
    %7 = tenon.exp %6 : tensor<?xf32>
    %8 = tenon.log %7 : tensor<?xf32>
    %9 = tenon.call %8 : tensor<?xf32> body "inner"(%b: tensor<?xf32>) {
      %10 = tenon.abs %b : tensor<?xf32> loc("inner.cpp":1:1)
      tenon.return %10 : tensor<?xf32>
    } loc("large.cpp":2:2)
    tenon.return %9 : tensor<?xf32>
  }
  %1 = tenon.call %0 : tensor<?xf32> body "same"(%a: tensor<?xf32>) {
    %1 = tenon.exp %a : tensor<?xf32>
    %2 = tenon.log %1 : tensor<?xf32>
    %3 = tenon.exp %2 : tensor<?xf32>
    %4 = tenon.log %3 : tensor<?xf32>
    %5 = tenon.exp %4 : tensor<?xf32>
    %6 = tenon.log %5 : tensor<?xf32>
    %7 = tenon.exp %6 : tensor<?xf32>
    %8 = tenon.log %7 : tensor<?xf32>
    %9 = tenon.call %8 : tensor<?xf32> body "inner"(%b: tensor<?xf32>) {
      %10 = tenon.abs %b : tensor<?xf32> loc("inner.cpp":1:1)
      tenon.return %10 : tensor<?xf32>
    } loc("large.cpp":2:2)
    tenon.return %9 : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}

// -----

// What differs in an operand, in a number or in the body of a region is another
// function, and used once.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tenon.call
// ONCE-LABEL: func.func @others(
// ONCE-NOT: tenon.call
// ONCE: return
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %0 = tenon.call %x, %y : tensor<4xf32> body "f"(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %r1 = tenon.subtract %a, %b : tensor<4xf32>
    tenon.return %r1 : tensor<4xf32>
  }
  %1 = tenon.call %0, %y : tensor<4xf32> body "f"(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %r1 = tenon.subtract %b, %a : tensor<4xf32>
    tenon.return %r1 : tensor<4xf32>
  }
  %2 = tenon.call %1 : tensor<4xf32> body "g"(%a: tensor<4xf32>) {
    %r1 = tenon.full shape [4] value 1.0 dtype f32 : tensor<4xf32>
    tenon.return %r1 : tensor<4xf32>
  }
  %3 = tenon.call %2 : tensor<4xf32> body "g"(%a: tensor<4xf32>) {
    %r1 = tenon.full shape [4] value 2.0 dtype f32 : tensor<4xf32>
    tenon.return %r1 : tensor<4xf32>
  }
  %4 = tenon.call %p, %3 : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> body "h"(%q: tensor<i1>, %a: tensor<4xf32>) {
    %r1 = tenon.cond %q, %a : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> then(%b: tensor<4xf32>) {
      %r2 = tenon.exp %b : tensor<4xf32>
      tenon.return %r2 : tensor<4xf32>
    } otherwise(%b: tensor<4xf32>) {
      tenon.return %b : tensor<4xf32>
    }
    tenon.return %r1 : tensor<4xf32>
  }
  %5 = tenon.call %p, %4 : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> body "h"(%q: tensor<i1>, %a: tensor<4xf32>) {
    %r1 = tenon.cond %q, %a : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> then(%b: tensor<4xf32>) {
      %r2 = tenon.log %b : tensor<4xf32>
      tenon.return %r2 : tensor<4xf32>
    } otherwise(%b: tensor<4xf32>) {
      tenon.return %b : tensor<4xf32>
    }
    tenon.return %r1 : tensor<4xf32>
  }
  return %5 : tensor<4xf32>
}

// -----

// Effects stay in order, and so they do in the bodies of loops and branches.
// CHECK-LABEL: func.func @effects(
// CHECK-NEXT: tenon.print {{.*}} "before"
// CHECK-NEXT: tenon.print {{.*}} "inside" {{.*}} loc(callsite("callee.cpp":1:2 at "caller.cpp":5:6))
// CHECK-NEXT: tenon.print {{.*}} "after"
// CHECK-NEXT: tenon.cond {{.*}} then(
// CHECK-NEXT: tenon.print {{.*}} "one"
// CHECK-NEXT: tenon.print {{.*}} "two" {{.*}} loc(callsite("branch.cpp":3:3 at callsite("callee.cpp":2:2 at "caller.cpp":9:9)))
// CHECK-NEXT: tenon.return
func.func @effects(%p: tensor<i1>, %x: tensor<4xf32>) {
  tenon.print %x format "before" : (tensor<4xf32>) -> ()
  tenon.call %x : (tensor<4xf32>) -> () body "f"(%a: tensor<4xf32>) {
    tenon.print %a format "inside" : (tensor<4xf32>) -> () loc("callee.cpp":1:2)
    tenon.return
  } loc("caller.cpp":5:6)
  tenon.print %x format "after" : (tensor<4xf32>) -> ()
  tenon.call %p, %x : (tensor<i1>, tensor<4xf32>) -> () body "g"(%q: tensor<i1>, %a: tensor<4xf32>) {
    tenon.cond %q, %a : (tensor<i1>, tensor<4xf32>) -> () then(%b: tensor<4xf32>) {
      tenon.print %b format "one" : (tensor<4xf32>) -> ()
      tenon.call %b : (tensor<4xf32>) -> () body "h"(%c: tensor<4xf32>) {
        tenon.print %c format "two" : (tensor<4xf32>) -> () loc("branch.cpp":3:3)
        tenon.return
      } loc("callee.cpp":2:2)
      tenon.return
    } otherwise(%b: tensor<4xf32>) {
      tenon.return
    }
    tenon.return
  } loc("caller.cpp":9:9)
  return
}

// A call in a rule is none of the program's: this one is called once.
// CHECK-LABEL: func.func @ruled
// CHECK-NOT: tenon.call
// CHECK-NOT: tenon.custom_vjp
// CHECK-COUNT-10: tenon.exp
// CHECK-NOT: tenon.exp
// CHECK: return
func.func @ruled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.custom_vjp %x captures 0 ruled 1 residuals 0 cotangents [] : tensor<4xf32> body(%a: tensor<4xf32>) {
    %1 = tenon.call %a : tensor<4xf32> body "large"(%b: tensor<4xf32>) {
      %e0 = tenon.exp %b : tensor<4xf32>
      %e1 = tenon.exp %e0 : tensor<4xf32>
      %e2 = tenon.exp %e1 : tensor<4xf32>
      %e3 = tenon.exp %e2 : tensor<4xf32>
      %e4 = tenon.exp %e3 : tensor<4xf32>
      %e5 = tenon.exp %e4 : tensor<4xf32>
      %e6 = tenon.exp %e5 : tensor<4xf32>
      %e7 = tenon.exp %e6 : tensor<4xf32>
      %e8 = tenon.exp %e7 : tensor<4xf32>
      %e9 = tenon.exp %e8 : tensor<4xf32>
      tenon.return %e9 : tensor<4xf32>
    }
    tenon.return %1 : tensor<4xf32>
  } forward(%a: tensor<4xf32>) {
    %1 = tenon.call %a : tensor<4xf32> body "large"(%b: tensor<4xf32>) {
      %e0 = tenon.exp %b : tensor<4xf32>
      %e1 = tenon.exp %e0 : tensor<4xf32>
      %e2 = tenon.exp %e1 : tensor<4xf32>
      %e3 = tenon.exp %e2 : tensor<4xf32>
      %e4 = tenon.exp %e3 : tensor<4xf32>
      %e5 = tenon.exp %e4 : tensor<4xf32>
      %e6 = tenon.exp %e5 : tensor<4xf32>
      %e7 = tenon.exp %e6 : tensor<4xf32>
      %e8 = tenon.exp %e7 : tensor<4xf32>
      %e9 = tenon.exp %e8 : tensor<4xf32>
      tenon.return %e9 : tensor<4xf32>
    }
    tenon.return %1 : tensor<4xf32>
  } backward(%d: tensor<4xf32>) {
    tenon.return
  }
  return %0 : tensor<4xf32>
}

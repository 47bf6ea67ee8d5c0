// RUN: tenon-opt %s -tenon-group -split-input-file -verify-diagnostics

// expected-error@+1 {{function 'blocks': expected a body of one block, got 2}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.exp %x : tensor<4xf32>
  cf.br ^a
^a:
  %1 = tenon.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error@+1 {{'scf.if' op}}
func.func @branch(%x: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
  %0 = tenon.exp %x : tensor<8xf32>
  %1 = scf.if %p -> (tensor<8xf32>) {
    %2 = tenon.exp %0 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

// expected-error@+1 {{'scf.for' op}}
func.func @loop(%x: tensor<8xf32>, %n: index, %one: index) -> tensor<8xf32> {
  %0 = tenon.exp %x : tensor<8xf32>
  %1 = scf.for %i = %one to %n step %one iter_args(%y = %x) -> (tensor<8xf32>) {
    %2 = tenon.multiply %y, %0 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

// A region of tenon's may hold no other ones either.
// expected-error@+1 {{'scf.if' op}}
func.func @nested(%p: tensor<i1>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tenon.call %x : tensor<8xf32> body(%a: tensor<8xf32>) {
    %q = arith.constant true
    %1 = scf.if %q -> (tensor<8xf32>) {
      scf.yield %a : tensor<8xf32>
    } else {
      scf.yield %a : tensor<8xf32>
    }
    tenon.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{expected elements of}}
func.func @elements(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.constant dense<1> : tensor<8xindex>
  %1 = tenon.exp %x : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// RUN: not tenon-opt %s --tenon-grad 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not tenon-opt %s --tenon-grad=wrt=2 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tenon-opt %s --tenon-grad=wrt=0,0 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tenon-opt %s --tenon-jvp=wrt=1 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not tenon-opt %s --tenon-vmap=axes=0 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tenon-opt %s --tenon-vmap=axes=-,- 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tenon-opt %s --tenon-vmap=axes=2,0 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tenon-opt %s --tenon-vmap=axes=a,0 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not tenon-opt %s --tenon-vmap="size=-1" 2>&1 | FileCheck %s --check-prefix=SIZE

// RANK: errors.mlir:[[# @LINE + 9]]:1: error: grad: expected a function whose first result is a floating array of rank 0, got f32[3]
// NUMBER: error: grad: expected the number of an input, of which there are 2, got 2
// TWICE: error: grad: input 0 is named twice
// DTYPE: error: jvp: expected a floating array to differentiate with respect to, got i32[3] as input 1
// COUNT: error: vmap: expected an axis for each input, of which there are 2, got 1
// NONE: error: vmap: expected at least one input that is mapped over, got none
// RANGE: error: vmap: axis 2 is out of range for input 0, examples of type f32[3]
// WORD: error: vmap: expected an axis, 0 or above, or -, got 'a'
// SIZE: error: vmap: expected a number or a name as size, got '-1'
func.func @f(%x: tensor<3xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %0 = tenon.exp %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// RUN: tenon-opt %s -tenon-kernel-to-linalg -split-input-file -verify-diagnostics

// Without kernels there is nothing that could replace the module.
// expected-error@+1 {{expected a module with kernels, which tenon-group makes, got none}}
module {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = tenon.exp %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

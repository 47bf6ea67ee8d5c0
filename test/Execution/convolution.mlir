// A convolution with a stride and padding, sums and places of windows: library steps.
//
// RUN: %python %S/Inputs/execute.py %s %t "f32 np.arange(12).reshape(2, 6, 1, 1)" "f32 np.array([1, 10, 100]).reshape(3, 1, 1, 1)" | FileCheck %s
// CHECK: compiled: generated kernels 0, library steps 3, eager kernels 0
// CHECK: 3 results, the same bytes
func.func @main(%x: tensor<?x6x1x1xf32> {tenon.dims = ["batch", 6, 1, 1]}, %k: tensor<3x1x1x1xf32>) -> (tensor<?x3x1x1xf32>, tensor<?x4x1x1xf32>, tensor<?x2x1x1xi64>) {
  %0 = tenon.convolution %x, %k strides [2] low [1] high [1] x_dilation [1] window_dilation [1] dtype f32 : (tensor<?x6x1x1xf32>, tensor<3x1x1x1xf32>) -> tensor<?x3x1x1xf32>
  %1 = tenon.window_sum %x window [1, 3, 1, 1] strides [1, 1, 1, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] x_dilation [1, 1, 1, 1] window_dilation [1, 1, 1, 1] : (tensor<?x6x1x1xf32>) -> tensor<?x4x1x1xf32>
  %2 = tenon.window_argmax %x window [1, 3, 1, 1] strides [1, 3, 1, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] x_dilation [1, 1, 1, 1] window_dilation [1, 1, 1, 1] is_min false axis 1 : (tensor<?x6x1x1xf32>) -> tensor<?x2x1x1xi64>
  return %0, %1, %2 : tensor<?x3x1x1xf32>, tensor<?x4x1x1xf32>, tensor<?x2x1x1xi64>
}

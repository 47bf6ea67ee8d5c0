// The function of dialect/gradient.md.
func.func @loss(%w: tensor<10x10xf32>, %x: tensor<10x10xf32>) -> tensor<f32> {
  %0 = tenon.dot_general %x, %w axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : tensor<10x10xf32>
  %1 = tenon.tanh %0 : tensor<10x10xf32>
  %2 = tenon.sum %1 axes [0, 1] keepdims false : (tensor<10x10xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

func.func @main(%x: tensor<1000xcomplex<f32>>, %y: tensor<1000xcomplex<f32>>) -> tensor<1000xcomplex<f32>> {
  %0 = tenon.multiply %x, %y : (tensor<1000xcomplex<f32>>, tensor<1000xcomplex<f32>>) -> tensor<1000xcomplex<f32>>
  %1 = tenon.add %0, %y : (tensor<1000xcomplex<f32>>, tensor<1000xcomplex<f32>>) -> tensor<1000xcomplex<f32>>
  return %1 : tensor<1000xcomplex<f32>>
}

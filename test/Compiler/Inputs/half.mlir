func.func @main(%x: tensor<1000xf16>, %y: tensor<1000xf64>) -> (tensor<1000xf16>, tensor<1000xf16>) {
  %0 = tenon.multiply %x, %x : (tensor<1000xf16>, tensor<1000xf16>) -> tensor<1000xf16>
  %1 = tenon.astype %y {dtype = f16} : (tensor<1000xf64>) -> tensor<1000xf16>
  return %0, %1 : tensor<1000xf16>, tensor<1000xf16>
}

func.func @main(%x: tensor<?xf32> {tenon.dims = ["n"]}, %y: tensor<?xf32> {tenon.dims = ["n"]}) -> tensor<?xf32> {
  %0 = tenon.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tenon.multiply %0, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// RUN: tenon-opt %s -tenon-vectorize -split-input-file -verify-diagnostics

// Text that is not the linalg form of a kernel.
// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected 67 arguments by 'tenon.kernel', got 3}}
func.func @immediates(%x: tensor<?xf32> {tenon.axes = array<i64>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 64 : i64, inputs = 1 : i64, outer = 0 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected ascending axes below 1 as 'tenon.axes' of argument 0}}
func.func @axes(%x: tensor<?xf32> {tenon.axes = array<i64: 1>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected ascending axes below 1 as 'tenon.axes' of argument 0}}
func.func @no_axes(%x: tensor<?xf32>, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op expected tenon.kernel = {outer, inputs, results, scratch, immediates}, each an i64 from 0 on}}
func.func @negative(%x: tensor<?xf32> {tenon.axes = array<i64>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = -1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @out_read(%x: tensor<?xf32> {tenon.axes = array<i64>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 0 : i64, results = 1 : i64, scratch = 0 : i64}} {
  // expected-error@+1 {{'linalg.generic' op in the linalg form of a kernel: expected output 0 to be written only}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @input_written(%x: tensor<?xf32> {tenon.axes = array<i64>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 0 : i64, results = 1 : i64, scratch = 0 : i64}} {
  // expected-error@+1 {{'linalg.generic' op in the linalg form of a kernel: expected an argument for a result or scratch as output 0}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @result_read(%x: tensor<?xf32> {tenon.axes = array<i64>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 0 : i64, results = 1 : i64, scratch = 0 : i64}} {
  // expected-error@+1 {{'linalg.generic' op in the linalg form of a kernel: expected an input, or what was made before and is still there, as input 0}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%o : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @index(%x: tensor<?xf32> {tenon.axes = array<i64>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 0 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    // expected-error@+1 {{'linalg.index' op in the linalg form of a kernel: expected an op of arith, math or tenon.math on elements}}
    %c = linalg.index 0 : index
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected what was written to argument 1 as result 0}}
func.func @unwritten(%x: tensor<?xf32> {tenon.axes = array<i64>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 0 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %x : tensor<?xf32>
}

// -----

func.func @reduction_cut(%x: tensor<?xf32> {tenon.axes = array<i64>}, %o: tensor<f32>, %n: index) -> tensor<f32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 0 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %s = arith.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{'linalg.generic' op in the linalg form of a kernel: expected no reduction without outer axes: the row may be cut anywhere}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @reduction_of_nothing(%x: tensor<?xf32> {tenon.axes = array<i64: 0>}, %o: tensor<f32>, %n: index) -> tensor<f32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %s = arith.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{'linalg.generic' op in the linalg form of a kernel: expected an op that combines two elements as reduction}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected an i64 from 2 to 15 as 'tenon.short_row'}}
func.func @short_row_of_16(%x: tensor<?xf32> {tenon.axes = array<i64: 0>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.short_row = 16 : i64, tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected an i64 from 2 to 15 as 'tenon.short_row'}}
func.func @short_row_of_1(%x: tensor<?xf32> {tenon.axes = array<i64: 0>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.short_row = 1 : i64, tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected outer axes and no scratch with 'tenon.short_row'}}
func.func @short_row_alone(%x: tensor<?xf32> {tenon.axes = array<i64>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.short_row = 3 : i64, tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 0 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected outer axes and no scratch with 'tenon.short_row'}}
func.func @short_row_scratch(%x: tensor<?xf32> {tenon.axes = array<i64: 0>}, %o: tensor<?xf32>, %s: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.short_row = 3 : i64, tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 1 : i64, results = 1 : i64, scratch = 1 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected 'tenon.repeated' at an input with outer axes along a short row, got it at argument 0}}
func.func @repeated_long_row(%x: tensor<?xf32> {tenon.axes = array<i64: 0>, tenon.repeated}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected 'tenon.repeated' at an input with outer axes along a short row, got it at argument 0}}
func.func @repeated_without_axes(%x: tensor<?xf32> {tenon.axes = array<i64>, tenon.repeated}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.short_row = 3 : i64, tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{'func.func' op in the linalg form of a kernel: expected a short row as argument 1}}
func.func @short_row_point(%x: tensor<?xf32> {tenon.axes = array<i64: 0>}, %c: tensor<f32> {tenon.axes = array<i64: 0>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.short_row = 3 : i64, tenon.kernel = {immediates = 0 : i64, inputs = 2 : i64, outer = 1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @short_row_reduction(%x: tensor<?xf32> {tenon.axes = array<i64: 0>}, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {tenon.short_row = 3 : i64, tenon.kernel = {immediates = 0 : i64, inputs = 1 : i64, outer = 1 : i64, results = 1 : i64, scratch = 0 : i64}} {
  %s = arith.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{'linalg.generic' op in the linalg form of a kernel: expected no reduction along short rows, many of which are processed as one}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %x : tensor<?xf32>
}

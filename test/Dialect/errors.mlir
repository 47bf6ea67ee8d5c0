// RUN: tenon-opt %s --split-input-file --verify-diagnostics

// The sentences of the front door.

func.func @shapes(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{'tenon.add' op expected operands of one shape, got (2, 3) and (2, 4)}}
  %0 = tenon.add %x, %y : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @one_dtype(%x: tensor<2xf32>, %y: tensor<2xi32>) {
  // expected-error@+1 {{'tenon.add' op expected operands of one dtype, got f32 and i32}}
  %0 = tenon.add %x, %y : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @dtype_of_op(%x: tensor<2xi32>) {
  // expected-error@+1 {{'tenon.exp' op expected a dtype among bf16, f16, f32, f64, got i32}}
  %0 = tenon.exp %x : tensor<2xi32>
  return
}

// -----

func.func @unknown_dtype(%x: tensor<2xi7>) {
  // expected-error@+1 {{'tenon.abs' op operand #0 must be ranked tensor of}}
  %0 = tenon.abs %x : tensor<2xi7>
  return
}

// -----

func.func @dtype_attribute(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.astype' op expected an element type as attribute 'dtype', got tensor<2xf32>}}
  %0 = tenon.astype %x {dtype = tensor<2xf32>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @inner(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op expected summed axes of equal sizes, got 3 along axis 1 of x1 and 4 along axis 0 of x2}}
  %0 = tenon.dot_general %x, %y axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @result(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'tenon.exp' op expected the result types ('tensor<2x3xf32>'), got ('tensor<2x4xf32>')}}
  %0 = tenon.exp %x : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @missing(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'tenon.sum' op requires attribute 'axes'}}
  %0 = tenon.sum %x {keepdims = false} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @wrong_kind(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'tenon.sum' op attribute 'axes' failed to satisfy constraint: i64 dense array attribute}}
  %0 = tenon.sum %x {axes = "all", keepdims = false} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @axis(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'tenon.argmax' op axis 2 is out of range for an array of rank 2}}
  %0 = tenon.argmax %x {axis = 2 : i64, keepdims = false} : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @too_few_sizes(%x: tensor<?xf32>) {
  // expected-error@+1 {{'tenon.reshape' op expected an index operand for each dynamic entry of 'shape', got 0 in all}}
  %0 = tenon.reshape %x {shape = array<i64: -9223372036854775808>} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @too_many_sizes(%x: tensor<4xf32>) {
  %n = tenon.size "n" : index
  // expected-error@+1 {{'tenon.reshape' op expected 0 index operands for the dynamic sizes, got 1}}
  %0 = tenon.reshape %x, %n {shape = array<i64: 4>} : (tensor<4xf32>, index) -> tensor<4xf32>
  return
}

// -----

func.func @segments(%x: tensor<?xf32>) {
  %n = tenon.size "n" : index
  // expected-error@+1 {{'tenon.slice' op expected 0 sizes in the operands' segment of 'starts'}}
  %0 = tenon.slice %x, %n {starts = array<i64: 0>, stops = array<i64: -9223372036854775808>, steps = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<?xf32>, index) -> tensor<?xf32>
  return
}

// -----

func.func @elements(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'tenon.reshape' op expected a shape of 6 elements, got (4, 2)}}
  %0 = tenon.reshape %x {shape = array<i64: 4, 2>} : (tensor<2x3xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @overflow(%x: tensor<4611686018427387904xf32>) {
  // expected-error@+1 {{'tenon.concatenate' op size arithmetic overflows 2^62}}
  %0 = tenon.concatenate %x, %x {axis = 0 : i64} : (tensor<4611686018427387904xf32>, tensor<4611686018427387904xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @negative_entry() {
  // expected-error@+1 {{'tenon.full' op expected sizes >= 0, got the shape (-1,)}}
  %0 = tenon.full {dtype = f32, shape = array<i64: -1>, value = 0.0 : f64} : () -> tensor<?xf32>
  return
}

// -----

func.func @almost_dynamic_entry() {
  // expected-error@+1 {{'tenon.full' op expected entries of 'shape' within 2^62, got -9223372036854775807}}
  %0 = tenon.full {dtype = f32, shape = array<i64: -9223372036854775807>, value = 0.0 : f64} : () -> tensor<?xf32>
  return
}

// -----

func.func @device() {
  // expected-error@+1 {{'tenon.full' op expected a device that exists (cpu:0 or null:0), got cpu:1}}
  %0 = tenon.full {device = "cpu:1", dtype = f32, shape = array<i64>, value = 0.0 : f64} : () -> tensor<f32>
  return
}

// -----

func.func @device_name() {
  // expected-error@+1 {{'tenon.full' op expected a device as attribute 'device', got "cpu:00"}}
  %0 = tenon.full {device = "cpu:00", dtype = f32, shape = array<i64>, value = 0.0 : f64} : () -> tensor<f32>
  return
}

// -----

func.func @number() {
  // expected-error@+1 {{'tenon.full' op expected a number as attribute 'value', got "zero"}}
  %0 = tenon.full {dtype = f32, shape = array<i64>, value = "zero"} : () -> tensor<f32>
  return
}

// -----

func.func @size_text() {
  // expected-error@+1 {{'tenon.size' op expected an expression of symbols such as "2*batch + 1", got "2 +"}}
  %0 = tenon.size "2 +" : index
  return
}

// -----

// expected-error@+1 {{'func.func' op argument 0: expected 'tenon.dims' to be a list of 2 sizes, got ["batch"]}}
func.func @dims_count(%x: tensor<?x4xf32> {tenon.dims = ["batch"]}) { return }

// -----

// expected-error@+1 {{'func.func' op argument 0: expected 4 as entry 1 of 'tenon.dims', got 5 : i64}}
func.func @dims_value(%x: tensor<?x4xf32> {tenon.dims = ["batch", 5]}) { return }

// -----

// expected-error@+1 {{'func.func' op argument 0: expected a size as entry 0 of 'tenon.dims', got "a b"}}
func.func @dims_name(%x: tensor<?x4xf32> {tenon.dims = ["a b", 4]}) { return }

// -----

func.func @regions(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.composite' op requires one region}}
  %0 = "tenon.composite"(%x) {name = "f", composite_attributes = {}} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @empty_region(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.composite' op region #0 ('decomposition') failed to verify constraint: region with 1 blocks}}
  %0 = "tenon.composite"(%x) ({}) {name = "f", composite_attributes = {}} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @terminator(%x: tensor<2xf32>) {
  %0 = tenon.composite %x name "f" composite_attributes {} : tensor<2xf32> decomposition(%a: tensor<2xf32>) {
    // expected-error@+1 {{block with no terminator}}
    "tenon.exp"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  }
  return
}

// -----

func.func @branch_inputs(%p: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.cond' op expected f32[2] as number 0 of the inputs of 'then', got f32[3]}}
  %0 = tenon.cond %p, %x : (tensor<i1>, tensor<2xf32>) -> tensor<3xf32> then(%a: tensor<3xf32>) {
    tenon.return %a : tensor<3xf32>
  } otherwise(%a: tensor<3xf32>) {
    tenon.return %a : tensor<3xf32>
  }
  return
}

// -----

func.func @no_branch(%i: tensor<i64>) {
  // expected-error@+1 {{'tenon.switch_case' op expected at least 1 regions, got 0}}
  "tenon.switch_case"(%i) : (tensor<i64>) -> ()
  return
}

// -----

func.func @branch_results(%i: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.switch_case' op expected f32[2] as number 0 of the results of 'branch' 1, got i64[]}}
  %0 = tenon.switch_case %i, %x, %i : (tensor<i64>, tensor<2xf32>, tensor<i64>) -> tensor<2xf32> branch(%a: tensor<2xf32>, %b: tensor<i64>) {
    tenon.return %a : tensor<2xf32>
  } branch(%a: tensor<2xf32>, %b: tensor<i64>) {
    tenon.return %b : tensor<i64>
  }
  return
}

// -----

func.func @index(%i: tensor<i32>) {
  // expected-error@+1 {{'tenon.switch_case' op expected a rank-0 i64 as index, got i32[]}}
  tenon.switch_case %i : (tensor<i32>) -> () branch() {
    tenon.return
  }
  return
}

// -----

func.func @counts(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.while_loop' op expected at least 9223372036854775807 + 9223372036854775807 operands, got 1}}
  %0 = tenon.while_loop %x {cond_consts = 9223372036854775807 : i64, body_consts = 9223372036854775807 : i64} : (tensor<2xf32>) -> tensor<2xf32> cond(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  } body(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @lengths(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.scan' op expected one length, got 2}}
  %0 = tenon.scan %x {carries = 1 : i64, consts = 0 : i64, length = array<i64: 3, 3>, reverse = false} : (tensor<2xf32>) -> tensor<2xf32> body(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @region_results(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.call' op expected the result types ('tensor<2xf32>'), got ('tensor<3xf32>')}}
  %0 = tenon.call %x : (tensor<2xf32>) -> tensor<3xf32> body "f"(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @captures(%x: tensor<2xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = tenon.call %x : tensor<2xf32> body "f"(%a: tensor<2xf32>) {
    // expected-error@+1 {{'tenon.add' op using value defined outside the region}}
    %1 = tenon.add %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    tenon.return %1 : tensor<2xf32>
  }
  return
}

// -----

func.func @composite_name(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.composite' op expected a name of letters, digits, '_', '.' and '-', got the character of code 32 at 3}}
  %0 = tenon.composite %x name "two words" composite_attributes {} : tensor<2xf32> decomposition(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @composite_no_name(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.composite' op expected a name of 1 to 128 characters, got 0}}
  %0 = tenon.composite %x name "" composite_attributes {} : tensor<2xf32> decomposition(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @composite_attribute(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.composite' op requires attribute 'axis' of 'softmax'}}
  %0 = tenon.composite %x name "softmax" composite_attributes {} : tensor<2xf32> decomposition(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @composite_attribute_kind(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.composite' op expected an i64 as attribute 'axis' of 'softmax', got 1.000000e+00 : f64}}
  %0 = tenon.composite %x name "softmax" composite_attributes {axis = 1.0} : tensor<2xf32> decomposition(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @composite_more_attributes(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.composite' op expected 1 attribute of 'softmax', got 2}}
  %0 = tenon.composite %x name "softmax" composite_attributes {axis = 0 : i64, b = 1 : i64} : tensor<2xf32> decomposition(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @composite_unknown_attributes(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.composite' op expected 0 attributes of 'user.f', got 1}}
  %0 = tenon.composite %x name "user.f" composite_attributes {b = 1 : i64} : tensor<2xf32> decomposition(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @keyword(%x: tensor<2xf32>) {
  // expected-error@+1 {{expected 'decomposition'}}
  %0 = tenon.composite %x name "f" composite_attributes {} : tensor<2xf32> body(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  // expected-error@+1 {{'tenon.exp' op expected at most 16 axes, got 17}}
  %0 = tenon.exp %x : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @counts(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op expected as many summed axes of x1 as of x2, got 2 and 1}}
  %0 = tenon.dot_general %x, %y axes1 [0, 1] axes2 [0] batch1 [] batch2 [] dtype f32 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @twice(%x: tensor<3x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op x1: axis 0 is repeated}}
  %0 = tenon.dot_general %x, %y axes1 [0] axes2 [0] batch1 [0] batch2 [1] dtype f32 : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @narrow_dtype(%x: tensor<3x3xi8>, %y: tensor<3x3xi8>) {
  // expected-error@+1 {{'tenon.dot_general' op expected dtype i32, got i8}}
  %0 = tenon.dot_general %x, %y axes1 [1] axes2 [0] batch1 [] batch2 [] dtype i8 : (tensor<3x3xi8>, tensor<3x3xi8>) -> tensor<3x3xi8>
  return
}

// -----

func.func @storage_dtype(%x: tensor<3x3xf8E5M2>, %y: tensor<3x3xf8E5M2>) {
  // expected-error@+1 {{'tenon.dot_general' op expected dtype f32, got f8e5m2}}
  %0 = tenon.dot_general %x, %y axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f8E5M2 : (tensor<3x3xf8E5M2>, tensor<3x3xf8E5M2>) -> tensor<3x3xf8E5M2>
  return
}

// -----

func.func @dtype(%x: tensor<3x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op expected dtype f32, got f64}}
  %0 = tenon.dot_general %x, %y axes1 [1] axes2 [0] batch1 [] batch2 [] dtype f64 : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf64>
  return
}

// -----

func.func @batch(%x: tensor<2x3x4xf32>, %y: tensor<5x4x3xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op expected batch axes of equal sizes, got 2 along axis 0 of x1 and 5 along axis 0 of x2}}
  %0 = tenon.dot_general %x, %y axes1 [2] axes2 [1] batch1 [0] batch2 [0] dtype f32 : (tensor<2x3x4xf32>, tensor<5x4x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @condition(%c: tensor<2xi32>, %x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.where' op expected a condition of bool, got i32}}
  %0 = tenon.where %c, %x, %x : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @unknown_name(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected ':'}}
  %0 = tenon.sum %x axis 0 : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @missing_name(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'tenon.sum' op requires attribute 'axes'}}
  %0 = tenon.sum %x keepdims false : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @twice(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected 'keepdims' once}}
  %0 = tenon.sum %x keepdims false keepdims true : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @two_lists_of_sizes(%x: tensor<?xf32>) {
  %n = tenon.size "n" : index
  // expected-error@+1 {{expected index operands in the lists of sizes alone}}
  %0 = tenon.slice %x, %n starts [%n] steps [1] {stops = array<i64: -9223372036854775808>} : (tensor<?xf32>, index) -> tensor<?xf32>
  return
}

// -----

func.func @wrong_kind_of_a_region_op(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.composite' op attribute 'name' failed to satisfy constraint: string attribute}}
  %0 = tenon.composite %x composite_attributes {} {name = 1 : i64} : tensor<2xf32> decomposition(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  }
  return
}

// -----

func.func @no_number() {
  // expected-error@+1 {{expected a number}}
  %0 = tenon.full shape [2] value f32 dtype f32 : tensor<2xf32>
  return
}

// -----

func.func @no_bool(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected 'false' or 'true'}}
  %0 = tenon.sum %x axes [0] keepdims 1 : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @wide_number() {
  // expected-error@+1 {{expected an integer of 64 bits}}
  %0 = tenon.full shape [2] value 18446744073709551616 dtype ui64 : tensor<2xui64>
  return
}

// -----

func.func @low_number() {
  // expected-error@+1 {{expected an integer of 64 bits}}
  %0 = tenon.full shape [2] value -9223372036854775809 dtype i64 : tensor<2xi64>
  return
}

// -----

func.func @kernel_without_length(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected the length as the last argument}}
  %0 = tenon.kernel(%a = %x[row]) sizes [4] : tensor<4xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_length_first(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected the length as the last argument}}
  %0 = tenon.kernel(%n = length, %a = %x[row]) sizes [4] : tensor<4xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_number_first(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected inputs before numbers}}
  %0 = tenon.kernel(%c = 1.0 : f32, %a = %x[row], %n = length) sizes [4] : tensor<4xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_row_first(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{expected 'row' as the last entry}}
  %0 = tenon.kernel(%a = %x[row, 0], %n = length) sizes [4, 5] : tensor<4x5xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_element(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected the type of an element, got 'tensor<f32>'}}
  %0 = tenon.kernel(%a = %x[row], %c = 1.0 : tensor<f32>, %n = length) sizes [4] : tensor<4xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_input(%x: index) {
  // expected-error@+1 {{expected a ranked tensor as input, got 'index'}}
  %0 = tenon.kernel(%a = %x[row], %n = length) sizes [4] : (index) -> tensor<4xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_axes(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected ascending axes below 1 as map, got array<i64: 1>}}
  %0 = tenon.kernel(%a = %x[1, row], %n = length) sizes [4, 5] : tensor<4x5xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_elements(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected elements of 'f32' as argument of the body, got 'tensor<?xf64>'}}
  %0 = "tenon.kernel"(%x) <{outer = 0 : i64, sizes = [4], maps = [array<i64>], immediates = []}> ({
  ^bb0(%a: tensor<?xf64>, %n: index):
    "tenon.return"(%a) : (tensor<?xf64>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @kernel_immediate(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected a number for tensor<T> as immediate, got "one" for 'tensor<f32>'}}
  %0 = "tenon.kernel"(%x) <{outer = 0 : i64, sizes = [4], maps = [array<i64>], immediates = ["one"]}> ({
  ^bb0(%a: tensor<?xf32>, %c: tensor<f32>, %n: index):
    "tenon.return"(%a) : (tensor<?xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @kernel_immediate_row(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected a number for tensor<T> as immediate, got 1.000000e+00 : f64 for 'tensor<?xf32>'}}
  %0 = "tenon.kernel"(%x) <{outer = 0 : i64, sizes = [4], maps = [array<i64>], immediates = [1.0]}> ({
  ^bb0(%a: tensor<?xf32>, %c: tensor<?xf32>, %n: index):
    "tenon.return"(%a) : (tensor<?xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @kernel_sizes(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected input 0 to have as many elements as the kernel's sizes and maps give it, got f32[8]}}
  %0 = tenon.kernel(%a = %x[row], %n = length) sizes [100000000] : tensor<8xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_result_size(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected result 0 to have as many elements as the kernel's sizes and maps give it, got f32[9]}}
  %0 = tenon.kernel(%a = %x[row], %n = length) sizes [8] : (tensor<8xf32>) -> tensor<9xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_rows(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected input 0 to have as many elements as the kernel's sizes and maps give it, got f32[4, 5]}}
  %0 = tenon.kernel(%a = %x[0, row], %n = length) sizes [3, 5] : tensor<4x5xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_element_of_row(%x: tensor<4x5xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected input 1 to have as many elements as the kernel's sizes and maps give it, got f32[5]}}
  %0 = tenon.kernel(%a = %x[0, row], %b = %y[0], %n = length) sizes [4, 5] : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_inner_axis(%x: tensor<2x3x4xf32>, %y: tensor<4x4xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected input 1 to have as many elements as the kernel's sizes and maps give it, got f32[4, 4]}}
  %0 = tenon.kernel(%a = %x[0, 1, row], %b = %y[1, row], %n = length) sizes [6, 3, 4] : (tensor<2x3x4xf32>, tensor<4x4xf32>) -> tensor<2x3x4xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_first_axis(%x: tensor<2x3x4xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected input 1 to have as many elements as the kernel's sizes and maps give it, got f32[3, 4]}}
  %0 = tenon.kernel(%a = %x[0, 1, row], %b = %y[0, row], %n = length) sizes [6, 3, 4] : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_rows_of_axes(%x: tensor<7x4xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected a multiple of 3, the sizes of the outer axes but for the first, as rows, got 7}}
  %0 = tenon.kernel(%a = %x[0, 1, row], %n = length) sizes [7, 3, 4] : tensor<7x4xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_size_kind(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected a number from 0 to 2^62 or an expression of symbols as size, got -8 : i64}}
  %0 = tenon.kernel(%a = %x[row], %n = length) sizes [-8] : tensor<8xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_size_text(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected a number from 0 to 2^62 or an expression of symbols as size, got "n +"}}
  %0 = tenon.kernel(%a = %x[row], %n = length) sizes ["n +"] : tensor<8xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_result_type(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected the body to return elements of 'i8', got 'tensor<?xf32>'}}
  %0 = tenon.kernel(%a = %x[row], %n = length) sizes [8] : (tensor<8xf32>) -> tensor<8xi8> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_returned_twice(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected the body to return each value once}}
  %0:2 = tenon.kernel(%a = %x[row], %n = length) sizes [8] : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    tenon.return %a, %a : tensor<?xf32>, tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_complex_immediate(%x: tensor<8xcomplex<f64>>) {
  // expected-error@+1 {{'tenon.kernel' op expected a real number that fits its type as immediate, got 2.500000e+00 : f64 for 'tensor<complex<f64>>'}}
  %0 = tenon.kernel(%a = %x[row], %c = 2.5 : complex<f64>, %n = length) sizes [8] : tensor<8xcomplex<f64>> {
    tenon.return %a : tensor<?xcomplex<f64>>
  }
  return
}

// -----

func.func @kernel_immediate_kind(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.kernel' op expected a real number that fits its type as immediate, got 2.500000e+00 : f64 for 'tensor<i32>'}}
  %0 = tenon.kernel(%a = %x[row], %c = 2.5 : i32, %n = length) sizes [8] : tensor<8xf32> {
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_reduction(%x: tensor<8xf32>) {
  %0 = tenon.kernel(%a = %x[row], %n = length) sizes [8] : (tensor<8xf32>) -> tensor<f32> {
    // expected-error@+1 {{'tenon.sum' op expected no reduction in a kernel without outer axes: its row may be cut anywhere}}
    %1 = tenon.sum %a axes [0] keepdims false : (tensor<?xf32>) -> tensor<f32>
    tenon.return %1 : tensor<f32>
  }
  return
}

// -----

func.func @kernel_foreign_op(%x: tensor<8xf32>) {
  %0 = tenon.kernel(%a = %x[row], %n = length) sizes [8] : tensor<8xf32> {
    // expected-error@+1 {{'tenon.size' op cannot be part of a kernel}}
    %1 = tenon.size "n" : index
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_whole_array(%x: tensor<8xf32>) {
  %0 = tenon.kernel(%a = %x[row], %n = length) sizes [8] : tensor<8xf32> {
    // expected-error@+1 {{'tenon.full' op expected tensor<?xT> or tensor<T> as result in a kernel, got 'tensor<2x4xf32>'}}
    %1 = tenon.full shape [2, 4] value 1.0 dtype f32 : tensor<2x4xf32>
    tenon.return %a : tensor<?xf32>
  }
  return
}

// -----

func.func @bits_of_f32() {
  // expected-error@+1 {{expected the 16 hexadecimal digits of an f64}}
  %0 = tenon.full shape [2] value 0xFF800000 dtype f32 : tensor<2xf32>
  return
}

// -----

func.func @bits_of_complex() {
  // expected-error@+1 {{expected the 16 hexadecimal digits of an f64}}
  %0 = tenon.full shape [2] value [0.0, 0x7FC00000] dtype complex<f32> : tensor<2xcomplex<f32>>
  return
}

// -----

func.func @ruled(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected at most 1 ruled results, got 2}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 2 residuals 0 cotangents [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @ruled_below_0(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected at most 1 ruled results, got -1}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled -1 residuals 0 cotangents [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @residuals(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected at most 2 results of 'forward', got 1 ruled ones and 2 residuals}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 1 residuals 2 cotangents [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @residuals_that_overflow(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected at most 2 results of 'forward', got 1 ruled ones and 9223372036854775807 residuals}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 1 residuals 9223372036854775807 cotangents [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @forward_results(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected f32[2] as number 0 of the results of 'forward', got i32[]}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 1 residuals 1 cotangents [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %n, %a : tensor<i32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @no_forward(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected at least 1 results of 'forward', got 0}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 0 residuals 0 cotangents [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return
  } backward() {
    tenon.return
  }
  return
}

// -----

func.func @rule_inputs(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected 1 inputs of 'backward', got 2}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 1 residuals 0 cotangents [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @cotangent_of_integer(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected cotangents of arguments that have a derivative, in order, got that of operand 1}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 1 residuals 1 cotangents [1] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @cotangent_of_capture(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected cotangents of arguments that have a derivative, in order, got that of operand 0}}
  %0 = tenon.custom_vjp %x, %i captures 1 ruled 1 residuals 1 cotangents [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @cotangent_twice(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected cotangents of arguments that have a derivative, in order, got that of operand 0}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 1 residuals 1 cotangents [0, 0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @cotangent_beyond(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected cotangents of arguments that have a derivative, in order, got that of operand 2}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 1 residuals 1 cotangents [2] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @rule_results(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected 1 results of 'backward', got 2}}
  %0 = tenon.custom_vjp %x, %i captures 0 ruled 1 residuals 1 cotangents [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d, %d : tensor<2xf32>, tensor<2xf32>
  }
  return
}

// -----

func.func @captures(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tenon.custom_vjp' op expected at least 3 operands, got 2}}
  %0 = tenon.custom_vjp %x, %i captures 3 ruled 1 residuals 1 cotangents [] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32> body(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a : tensor<2xf32>
  } forward(%a: tensor<2xf32>, %n: tensor<i32>) {
    tenon.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } backward(%k: tensor<2xf32>, %d: tensor<2xf32>) {
    tenon.return %d : tensor<2xf32>
  }
  return
}

// -----

func.func @jvp_rule(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.custom_jvp' op expected f32[2] as number 0 of the results of 'jvp', got f32[]}}
  %0 = tenon.custom_jvp %x captures 0 ruled 1 : tensor<2xf32> body(%a: tensor<2xf32>) {
    tenon.return %a : tensor<2xf32>
  } jvp(%a: tensor<2xf32>, %da: tensor<2xf32>) {
    %1 = tenon.full shape [] value 1.0 dtype f32 : tensor<f32>
    tenon.return %1 : tensor<f32>
  }
  return
}

// -----

func.func @guard_of_many(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.guard' op expected an array of rank 0, got f32[2]}}
  tenon.guard %x answer 0 : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @check_of_numbers(%x: tensor<2xf32>) {
  // expected-error@+1 {{'tenon.check' op expected a condition of bool, got f32[2]}}
  tenon.check %x format "" examples 0 : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @check_of_other_examples(%c: tensor<2xi1>, %x: tensor<3xf32>) {
  // expected-error@+1 {{'tenon.check' op expected as many examples of each array, got bool[2] and f32[3]}}
  tenon.check %c, %x format "{:.1f}" examples 1 : (tensor<2xi1>, tensor<3xf32>) -> ()
  return
}

// -----

func.func @print_of_a_wrong_spec(%x: tensor<i32>) {
  // expected-error@+1 {{'tenon.print' op expected a field that std::format has for i32, got "{:.2f}"}}
  tenon.print %x format "{:.2f}" : (tensor<i32>) -> ()
  return
}

// -----

func.func @host_call_of_no_dtype(%x: tensor<i32>) {
  // expected-error@+1 {{'tenon.host_call' op expected the dtype of result 0, got "f33"}}
  %0 = tenon.host_call %x function 1 batched false dtypes "f33" ranks [0] sizes [] device "cpu:0" : (tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @host_call_of_few_sizes(%x: tensor<i32>) {
  // expected-error@+1 {{'tenon.host_call' op expected the rank of result 0, and sizes for it, got 2 with 1 sizes left}}
  %0 = tenon.host_call %x function 1 batched false dtypes "f32" ranks [2] sizes [1] device "cpu:0" : (tensor<i32>) -> tensor<1xf32>
  return
}

// -----

func.func @convolution_of_large_windows(%x: tensor<1x3x1x1xf32>, %k: tensor<4x1x1x1xf32>) {
  // expected-error@+1 {{'tenon.convolution' op expected windows no larger than the padded x, got 4 and 3 places along axis 1}}
  %0 = tenon.convolution %x, %k strides [1] low [0] high [0] x_dilation [1] window_dilation [1] dtype f32 : (tensor<1x3x1x1xf32>, tensor<4x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  return
}

// -----

func.func @convolution_of_other_channels(%x: tensor<1x3x2x1xf32>, %k: tensor<2x1x3x1xf32>) {
  // expected-error@+1 {{'tenon.convolution' op expected as many groups of x as of the kernel, got 2 and 3}}
  %0 = tenon.convolution %x, %k strides [1] low [0] high [0] x_dilation [1] window_dilation [1] dtype f32 : (tensor<1x3x2x1xf32>, tensor<2x1x3x1xf32>) -> tensor<1x2x2x1xf32>
  return
}

// -----

func.func @convolution_without_strides(%x: tensor<1x3x1x1xf32>, %k: tensor<2x1x1x1xf32>) {
  // expected-error@+1 {{'tenon.convolution' op expected strides >= 1, got 0}}
  %0 = tenon.convolution %x, %k strides [0] low [0] high [0] x_dilation [1] window_dilation [1] dtype f32 : (tensor<1x3x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x1x1xf32>
  return
}

// -----

func.func @window_of_few_sizes(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{'tenon.window_max' op expected a window of 2 sizes, one for each axis of x, got 1}}
  %0 = tenon.window_max %x window [2] strides [1, 1] low [0, 0] high [0, 0] x_dilation [1, 1] window_dilation [1, 1] : (tensor<3x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @window_of_a_far_axis(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{'tenon.window_argmax' op expected an axis from 0 to 2 from which on places are counted, got 3}}
  %0 = tenon.window_argmax %x window [2, 1] strides [1, 1] low [0, 0] high [0, 0] x_dilation [1, 1] window_dilation [1, 1] is_min false axis 3 : (tensor<3x3xf32>) -> tensor<2x3xi64>
  return
}

//===- SampleArrays.h - arrays of all dtypes, ranks and layouts -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

#include <map>
#include <numeric>
#include <string>

namespace tenon::testing {

/// Arrays by name: every dtype in ranks 0 to 4, without elements, and as transposed, reversed and broadcast views.
inline std::map<std::string, Array> sampleArrays() {
  std::map<std::string, Array> arrays;
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    const std::string prefix = std::string(short_name(dtype)) + " ";
    for (const Shape &shape :
         {Shape{}, Shape{1}, Shape{5}, Shape{2, 3}, Shape{2, 1, 3}, Shape{2, 3, 2, 2}, Shape{0}, Shape{3, 0, 2}})
      arrays[prefix + shape.str()] = astype(reshape(arange(element_count(shape).raw()), shape), dtype);
    const Array table = astype(reshape(arange(12), {3, 4}), dtype);
    arrays[prefix + "transposed"] = transpose(table);
    arrays[prefix + "flipped"] = table[{slice(none, none, -1), slice(none, none, -2)}];
    arrays[prefix + "column"] = table[{_, 1}];
    arrays[prefix + "part"] = table[{_, slice(1, 3)}];
    arrays[prefix + "repeated"] = broadcast_to(table[0], {2, 4});
  }
  return arrays;
}

} // namespace tenon::testing

//===- Elements.h - the elements of arrays as files hold them ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/array/Buffer.h"
#include "lib/array/StridedData.h"

#include <tenon/array.h>

#include <string>

namespace tenon::detail {

/// "expected ..." if arrays have not so many axes; empty if they do.
inline std::string tooManyAxes(size_t rank) {
  if (rank <= size_t(max_rank))
    return "";
  return "expected at most " + std::to_string(max_rank) + " axes, got " + std::to_string(rank);
}

/// Of an array on the CPU.
inline StridedData stridedOf(const Array &host) {
  const rt::View view = viewOf(host.value());
  return {view.data, view.dtype, {view.dims, view.rank}, {view.strides, view.rank}};
}

/// The array on the CPU, row-major without gaps; `what` is asked ("save_csv()").
inline Array denseOnHost(const Array &array, const char *what, Location at) {
  if (!array.has_value())
    throw Error(std::string(what) + ": expected an array, got an empty Array", at);
  const Array here = onHost(array.value(), what, at);
  return Array::adopt(packed(here.value(), at));
}

} // namespace tenon::detail

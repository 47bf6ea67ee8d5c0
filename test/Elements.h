//===- Elements.h - the C++ type behind a dtype -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/dtype.h>

namespace tenon {

/// Calls `function` with a null pointer of the dtype's element type, and
/// returns what it returns.
template <class F>
decltype(auto) withElement(Dtype dtype, F &&function) {
  switch (dtype) {
  case Dtype::bool_:
    return function(static_cast<bool *>(nullptr));
  case Dtype::u8:
    return function(static_cast<uint8_t *>(nullptr));
  case Dtype::i32:
    return function(static_cast<int32_t *>(nullptr));
  case Dtype::i64:
    return function(static_cast<int64_t *>(nullptr));
  case Dtype::u32:
    return function(static_cast<uint32_t *>(nullptr));
  case Dtype::bf16:
    return function(static_cast<bfloat16 *>(nullptr));
  case Dtype::f32:
    return function(static_cast<float *>(nullptr));
  case Dtype::f64:
    return function(static_cast<double *>(nullptr));
  case Dtype::c64:
    return function(static_cast<complex64 *>(nullptr));
  }
  __builtin_unreachable();
}

} // namespace tenon

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
  return detail::visitDtype(dtype, [&]<Dtype D>() -> decltype(auto) {
    return function(static_cast<typename detail::ElementOf<D>::type *>(nullptr));
  });
}

} // namespace tenon

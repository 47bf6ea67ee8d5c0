//===- Calls.h - cases of functions that are composed of ops --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/conformance/Case.h"

namespace tenon::conformance {

using List = const std::vector<Array> &;

/// Adds a case of a function of one array in all columns, and one of a transposed array.
template <class F>
void one(CaseList &list, Dims dims, std::string attributes, F f, bool isMany = false) {
  const Dtype t = list.dtype();
  const Function function = [f](List x) {
    if constexpr (std::is_same_v<decltype(f(x[0])), Array>)
      return std::vector{f(x[0])};
    else
      return f(x[0]);
  };
  list.all(dimsText(dims), {{t, dims}}, function, attributes);
  if (dims.size() > 1 && !isMany)
    list.plain(dimsText(dims) + "-transposed", {{t, dims, Fill::normal, Layout::transposed}}, function, attributes);
}
/// Adds a case of a function of several arrays in all columns.
template <class F>
void several(CaseList &list, std::string label, std::vector<Dims> dims, std::string attributes, F f) {
  std::vector<Input> inputs;
  for (Dims &each : dims)
    inputs.push_back({list.dtype(), std::move(each)});
  list.all(
      std::move(label), std::move(inputs),
      [f](List x) {
        if constexpr (std::is_same_v<decltype(f(x)), Array>)
          return std::vector{f(x)};
        else
          return f(x);
      },
      std::move(attributes));
}
/// Adds a case in all columns of a function that takes no array, only the dtype.
template <class F>
void made(CaseList &list, std::string label, F f) {
  const Dtype t = list.dtype();
  list.all(std::move(label), {}, [=](List) { return std::vector{f(t)}; });
}

} // namespace tenon::conformance

//===- Spatial.h - inputs with spatial axes ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/nn/Call.h"

#include <tenon/modes.h>

namespace tenon::detail {

inline int channelsAxis(DataFormat format) { return format == DataFormat::channels_last ? -1 : 1; }
/// The first spatial axis.
inline int firstPlace(DataFormat format) { return format == DataFormat::channels_last ? 1 : 2; }

template <int Rank>
Ints intsOf(const nn::Sizes<Rank> &sizes) {
  std::vector<int64_t> values;
  for (int axis = 0; axis < Rank; ++axis)
    values.push_back(sizes[axis]);
  return values;
}
template <int Rank>
void expectPositive(const char *layer, const char *what, const nn::Sizes<Rank> &sizes, Location at) {
  for (int axis = 0; axis < Rank; ++axis)
    expectPositive(layer, what, sizes[axis], at);
}

} // namespace tenon::detail

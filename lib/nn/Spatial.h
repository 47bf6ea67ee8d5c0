//===- Spatial.h - inputs with spatial axes ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/nn/Call.h"

#include <tenon/modes.h>
#include <tenon/padding.h>

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

/// Refuses inputs that are smaller than a window.
template <int Rank>
void expectWindowFits(const LayerCall &here, const Shape &input, DataFormat format, const nn::Sizes<Rank> &window,
                      const nn::Sizes<Rank> &dilation, const Padding &padding) {
  if (padding.mode() && *padding.mode() != PaddingMode::valid)
    return;
  const auto ends = padding.ends();
  for (int axis = 0; axis < Rank; ++axis) {
    const Dim size = input[firstPlace(format) + axis];
    const size_t own = padding.is_for_all() ? 0 : static_cast<size_t>(axis);
    const int64_t added = own < ends.size() ? ends[own].before + ends[own].after : 0;
    const int64_t reach = (window[axis] - 1) * dilation[axis] + 1;
    // Of no elements there are no windows of one.
    if (size.is_static() && size.value() + added < reach && !(reach == 1 && size.value() == 0))
      here.refuse("expected " + std::to_string(reach - added) + " elements or more along axis " +
                  std::to_string(firstPlace(format) + axis) + ", which one window reaches over, got " + input.str());
  }
}

} // namespace tenon::detail

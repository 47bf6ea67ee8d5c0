//===- Dtypes.h - the element types as people list them -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/dtype.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

namespace tenon::detail {

// What is indexed by a dtype is in the order of the table.
inline constexpr Dtype dtypeRows[] = {
#define TENON_DTYPE(name, ...) Dtype::name,
#include <tenon/detail/dtypes.def>
};
static_assert(
    [] {
      for (int i = 0; i < dtype_count; ++i)
        if (dtypeRows[i] != static_cast<Dtype>(i))
          return false;
      return true;
    }(),
    "detail/dtypes.def: the codes are not 0, 1, 2 ... line by line");

/// All of them by kind, signed integers before unsigned ones, then by size; their
/// codes are in the order in which they came.
inline constexpr auto dtypesInOrder = [] {
  std::array<Dtype, dtype_count> all{};
  for (int i = 0; i < dtype_count; ++i)
    all[static_cast<size_t>(i)] = static_cast<Dtype>(i);
  auto place = [](Dtype d) { return std::tuple(kind(d), is_unsigned(d), item_size(d), d); };
  std::sort(all.begin(), all.end(), [&](Dtype a, Dtype b) { return place(a) < place(b); });
  return all;
}();

/// "bool, i32 or f32": what `text` gives for those for which `has` holds, `last`
/// before the last one.
template <class Has, class Text>
std::string listDtypes(const Has &has, const Text &text, const std::string &last = ", ") {
  std::array<Dtype, dtype_count> listed;
  size_t count = 0;
  for (Dtype dtype : dtypesInOrder)
    if (has(dtype))
      listed[count++] = dtype;
  std::string list;
  for (size_t i = 0; i < count; ++i)
    list += (i == 0 ? "" : i + 1 == count ? last : ", ") + std::string(text(listed[i]));
  return list;
}

} // namespace tenon::detail

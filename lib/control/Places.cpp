//===- Places.cpp - binary search in an array in ascending order ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declared among what composites share (lib/ops/composites/Floats.h); it stands here since it takes a loop where the
// number of elements is a symbol.
//===----------------------------------------------------------------------===//
#include "lib/ops/composites/Floats.h"

#include <tenon/control.h>
#include <tenon/ops.h>

#include <bit>

using namespace tenon;
using namespace tenon::detail;

/// The carry of a binary search: how many elements are passed by now, and by how many more the next step goes.
namespace {
struct Search {
  Array places, step;
};
} // namespace

/// Whether a stands before b: NaN behind all others.
static Array isBefore(const Array &a, const Array &b) {
  if (kind(a.dtype()) != Kind::floating)
    return a < b;
  return a < b || (isnan(b) && !isnan(a));
}

Array detail::placesIn(const Array &sorted, const Array &x, bool isRight) {
  auto isPassed = [&](const Array &element, const Array &at) {
    return isRight ? !isBefore(at, element) : isBefore(element, at);
  };
  const Dim count = sorted.shape()[0];
  constexpr int64_t few = 16;
  if (count.is_static() && count.raw() <= few) {
    Shape row = x.shape();
    row.push_back(1, userLocation({}));
    return sum(astype(isPassed(sorted, reshape(x, row)), Dtype::i64), -1);
  }
  // Binary search in steps of halving powers of two, equally many for each element.
  const Array size = dimension(sorted, 0), start = full(x.shape(), 0, Dtype::i64, x.device());
  auto stepped = [&](const Array &among, const Array &places, const Array &step) {
    const Array next = places + step;
    const Array element = take(among, minimum(next, size) - 1, 0);
    return where(next <= size && isPassed(element, x), next, places);
  };
  if (!count.is_static()) {
    // The number of steps is known at run time. One more element, which no step takes, since there may be none.
    const Array among = concatenate({sorted, full({1}, 0, sorted.dtype(), sorted.device())}, 0);
    const Array first = left_shift(Array(int64_t(1)), 63 - clz(maximum(size, 1)));
    return while_loop([](const Search &now) { return now.step > 0; },
                      [&](const Search &now) {
                        return Search{stepped(among, now.places, now.step), right_shift(now.step, 1)};
                      },
                      Search{start, first})
        .places;
  }
  Array places = start;
  for (int64_t step = std::bit_floor(static_cast<uint64_t>(count.raw())); step > 0; step /= 2)
    places = stepped(sorted, places, step);
  return places;
}

//===- Places.cpp - binary search in an array in ascending order ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declared in lib/ops/composites/Floats.h. Defined in lib/control because a symbolic number of elements needs a
// while_loop.
//===----------------------------------------------------------------------===//
#include "lib/ops/composites/Floats.h"

#include <tenon/control.h>
#include <tenon/ops.h>

#include <bit>

using namespace tenon;
using namespace tenon::detail;

/// The carry of the binary search: the number of elements known to precede each x, and the size of the next step.
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
    // If there may be no elements, one is appended so that `take` is valid; no step accepts it.
    const bool hasElements = provably_less(0, count) == Always::yes;
    const Array among = hasElements ? sorted : concatenate({sorted, full({1}, 0, sorted.dtype(), sorted.device())}, 0);
    const Array first = left_shift(full({}, 1, Dtype::i64, sorted.device()), 63 - clz(maximum(size, 1)));
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

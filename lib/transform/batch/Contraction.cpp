//===- Contraction.cpp - batching of contractions -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Shaping.h"
#include "lib/transform/Rules.h"

#include <algorithm>

namespace tenon {

/// Axes of one batch element as those of the whole batch, whose axis `place` counts the elements; -1: it has none.
static std::vector<int64_t> shifted(std::span<const int64_t> axes, int place) {
  std::vector<int64_t> out(axes.begin(), axes.end());
  for (int64_t &axis : out)
    axis += place >= 0 && axis >= place;
  return out;
}

/// Where the result has axis `place` of an operand, which is neither summed nor a batch axis: behind `before` axes.
static int placeAmongOthers(int place, const std::vector<int64_t> &axes, const std::vector<int64_t> &batch,
                            size_t before) {
  int others = static_cast<int>(before);
  for (int64_t axis = 0; axis < place; ++axis)
    others += std::ranges::find(axes, axis) == axes.end() && std::ranges::find(batch, axis) == batch.end();
  return others;
}

/// The batch is one more batch axis, or one more row of x1 or column of x2; nothing moves.
void batchDotGeneral(BatchCall &call) {
  const auto attributes = DotGeneralAttrs::read(call.attributes);
  Array x1 = call.operand(0), x2 = call.operand(1);
  int place1 = call.axis(0), place2 = call.axis(1);
  const size_t batches = attributes.batch1.size(), rank1 = static_cast<size_t>(x1.ndim()) - (place1 >= 0),
               others1 = rank1 - batches - attributes.axes1.size();
  // A single column is summed in another order than several are (Contract.h), so it stays single. Where the batch is
  // outermost, products one after another are faster than columns that lie far apart.
  bool hasSeveralColumns = false;
  const size_t columns = static_cast<size_t>(call.resultTypes[0].shape.rank()) - batches - others1;
  for (size_t i = 0; i < columns; ++i)
    hasSeveralColumns |=
        provably_equal(call.resultTypes[0].shape[static_cast<int>(batches + others1 + i)], 1) == Always::no;
  if (place1 < 0 && (!hasSeveralColumns || place2 == 0)) {
    x1 = repeatAlong(x1, call.size, 0);
    place1 = 0;
  }
  const std::vector<int64_t> axes1 = shifted(attributes.axes1, place1), axes2 = shifted(attributes.axes2, place2);
  std::vector<int64_t> batch1 = shifted(attributes.batch1, place1), batch2 = shifted(attributes.batch2, place2);
  int place = 0;
  if (place1 >= 0 && place2 >= 0) {
    batch1.insert(batch1.begin(), place1);
    batch2.insert(batch2.begin(), place2);
  } else if (place1 >= 0) {
    place = placeAmongOthers(place1, axes1, batch1, batches);
  } else {
    place = placeAmongOthers(place2, axes2, batch2, batches + others1);
  }
  call.result(detail::dotGeneral(x1, x2, {axes1, axes2, batch1, batch2}, attributes.dtype, call.at), place);
}

} // namespace tenon

//===- Indexing.cpp - batching of gathers and scatters --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Windows.h"
#include "lib/transform/Rules.h"

#include <vector>

namespace tenon {
namespace {

using Axes = std::vector<int64_t>;

/// Axes, one further back; a new one may stand in front.
Axes shifted(std::span<const int64_t> axes, bool withFirst = false) {
  Axes out;
  if (withFirst)
    out.push_back(0);
  for (int64_t axis : axes)
    out.push_back(axis + 1);
  return out;
}

/// Windows with an axis of examples in front of x or of the indices, or both, and of
/// the windowed array.
struct BatchedDims {
  Axes windowDims, droppedDims, indexMap, batchingDims, indicesBatchingDims;

  BatchedDims(const WindowDims &dims, bool ofX, bool ofIndices)
      : windowDims(shifted(dims.windowDims, !ofIndices)), droppedDims(dims.droppedDims.begin(), dims.droppedDims.end()),
        indexMap(dims.indexMap.begin(), dims.indexMap.end()),
        batchingDims(dims.batchingDims.begin(), dims.batchingDims.end()),
        indicesBatchingDims(dims.indicesBatchingDims.begin(), dims.indicesBatchingDims.end()) {
    if (ofX) {
      droppedDims = shifted(dims.droppedDims);
      indexMap = shifted(dims.indexMap);
      batchingDims = shifted(dims.batchingDims, ofIndices);
    }
    if (ofIndices)
      indicesBatchingDims = shifted(dims.indicesBatchingDims, ofX);
  }
};

/// The op itself, with other attributes.
template <class Attrs>
void bindAgain(BatchCall &call, const std::vector<Array> &operands, const Attrs &attributes) {
  AttrWriter writer;
  attributes.write(writer);
  std::vector<detail::Value *> values;
  for (const Array &operand : operands)
    values.push_back(operand.value());
  call.result(bindOne(static_cast<OpCode>(call.info.code), values, writer.words(), call.at));
}

/// The starts of all examples, one after another.
Array stacked(BatchCall &call, int first) {
  std::vector<Array> starts;
  for (int i = first; i < static_cast<int>(call.operands.size()); ++i)
    starts.push_back(reshape(call.front(i), {call.size, 1}));
  return concatenate(starts, 1, call.at);
}

/// from, from + 1, ..., to - 1.
Axes axes(int64_t from, int64_t to) {
  Axes out;
  for (; from < to; ++from)
    out.push_back(from);
  return out;
}

bool anyBatched(const BatchCall &call, int first) {
  for (int i = first; i < static_cast<int>(call.operands.size()); ++i)
    if (call.isBatched(i))
      return true;
  return false;
}

/// The starts of examples that all begin at the same place, behind one for the examples.
std::vector<Array> sameStarts(const BatchCall &call, int first) {
  std::vector<Array> starts{filled({call.operand(first).dtype(), call.operand(first).device(), {}}, false)};
  for (int i = first; i < static_cast<int>(call.operands.size()); ++i)
    starts.push_back(call.operand(i));
  return starts;
}

} // namespace

void batchGather(BatchCall &call) {
  const GatherAttrs a = GatherAttrs::read(call.attributes);
  const bool ofX = call.isBatched(0), ofIndices = call.isBatched(1);
  const BatchedDims dims(windowsOf(a), ofX, ofIndices);
  std::vector<Dim> sizes(a.slice_sizes.begin(), a.slice_sizes.end());
  if (ofX)
    sizes.insert(sizes.begin(), ofIndices ? Dim(1) : call.size);
  bindAgain(call, {call.frontIfBatched(0), call.frontIfBatched(1)},
            GatherAttrs{sizes, dims.windowDims, dims.droppedDims, dims.indexMap, dims.batchingDims,
                        dims.indicesBatchingDims, a.mode, a.fill_value});
}

void batchScatter(BatchCall &call) {
  const WindowDims own = windowsOfScatter(call.attributes);
  const bool ofIndices = call.isBatched(1);
  const BatchedDims dims(own, true, ofIndices);
  bindAgain(call, {call.front(0), call.frontIfBatched(1), call.front(2)},
            ScatterAttrs{dims.windowDims, dims.droppedDims, dims.indexMap, dims.batchingDims, dims.indicesBatchingDims,
                         own.mode});
}

void batchDynamicSlice(BatchCall &call) {
  Shape sizes(DynamicSliceAttrs::read(call.attributes).slice_sizes);
  const auto rank = static_cast<int64_t>(sizes.size());
  if (!anyBatched(call, 1)) {
    if (rank == 0)
      return call.result(call.front(0));
    sizes.insert(0, call.size);
    return call.result(dynamic_slice(call.front(0), sameStarts(call, 1), sizes));
  }
  const Array starts = stacked(call, 1);
  if (!call.isBatched(0))
    return call.result(gather(call.operand(0), starts, sizes, axes(1, rank + 1), {}, axes(0, rank)));
  sizes.insert(0, 1);
  call.result(gather(call.front(0), starts, sizes, axes(1, rank + 1), {}, axes(1, rank + 1), {0}, {0}));
}

void batchDynamicUpdateSlice(BatchCall &call) {
  const auto rank = static_cast<int64_t>(call.operands.size()) - 2;
  const Array x = call.front(0), update = call.front(1);
  if (rank == 0)
    return call.result(update);
  if (!anyBatched(call, 2))
    return call.result(dynamic_update_slice(x, update, sameStarts(call, 2)));
  call.result(
      scatter(x, stacked(call, 2), update, axes(1, rank + 1), {}, axes(1, rank + 1), {0}, {0}, IndexMode::clip));
}

} // namespace tenon

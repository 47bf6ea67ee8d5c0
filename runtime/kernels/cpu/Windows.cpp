//===- Windows.cpp - the windows of gathers and scatters, as offsets -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Windows.h"

#include <atomic>

namespace tenon::rt::TENON_ISA {

Windows::Windows(const WindowMap &map, const View &x, const View &indices, const View &windowed)
    : rank(x.rank), outside_(map.outside), isWide_(indices.dtype == Dtype::i64) {
  const int indexAxis = indices.rank - 1;
  int64_t windowedIndexStrides[kMaxRank];
  for (int i = 0; i < indexAxis; ++i)
    count_ *= indices.dims[i];
  for (int i = 0; i < windowed.rank; ++i)
    if (map.indicesAxis[i] >= 0)
      windowedIndexStrides[map.indicesAxis[i]] = windowed.strides[i];
  indices_ = makeStrided(indices.data, indexAxis, indices.dims, indices.strides);
  windowed_ = makeStrided(windowed.data, indexAxis, indices.dims, windowedIndexStrides);
  for (int axis = 0; axis < x.rank; ++axis) {
    const WindowMap::Axis &of = map.axes[axis];
    dims[axis] = of.windowed >= 0 ? windowed.dims[of.windowed] : 1;
    strides[axis] = x.strides[axis];
    windowedStrides[axis] = of.windowed >= 0 ? windowed.strides[of.windowed] : 0;
    if (x.dims[axis] < dims[axis])
      emptyAxis_ = axis;
    if (of.index >= 0) {
      components_[componentCount_++] = {axis, of.index * indices.strides[indexAxis], x.dims[axis], dims[axis],
                                        x.strides[axis]};
      hasParts |= outside_ == Outside::skip && dims[axis] != 1;
    }
    if (of.batch >= 0) {
      Batch batch{1, indices.dims[of.batch], x.strides[axis]};
      for (int i = of.batch + 1; i < indexAxis; ++i)
        batch.inner *= indices.dims[i];
      batches_[batchCount_++] = batch;
    }
  }
  const int64_t *both[] = {strides, windowedStrides};
  window = makeNest(x.rank, dims, both);
}

void Windows::load(const Component &component, int64_t first, int64_t count, int64_t *to) const {
  Strided from = indices_;
  auto convert = [&]<class Index>(Index) {
    from.data = static_cast<const Index *>(from.data) + component.offset;
    Index packed[kBlock];
    const Index *some = static_cast<const Index *>(from.data) + first;
    if (!from.isContiguous()) {
      pack(from, first, count, packed);
      some = packed;
    }
    for (int64_t i = 0; i < count; ++i)
      to[i] = some[i];
  };
  isWide_ ? convert(int64_t()) : convert(int32_t());
}

int64_t Windows::index(const Component &component, int64_t number) const {
  int64_t index;
  load(component, number, 1, &index);
  return index;
}

template <Outside outside>
bool Windows::add(const Component &component, int64_t first, int64_t count, int64_t *to) const {
  int64_t indices[kBlock];
  load(component, first, count, indices);
  const int64_t last = component.size - component.window, size = component.size, stride = component.stride;
  if (outside == Outside::error && stride == 1) {
    // As below, without the product, which takes as long as all else.
    bool wrong = false;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t index = indices[i] + (indices[i] < 0 ? size : 0);
      const bool isWrong = (index < 0) | (index > last);
      wrong |= isWrong;
      to[i] += isWrong ? 0 : index;
    }
    return !wrong;
  }
  if constexpr (outside == Outside::clip) {
    for (int64_t i = 0; i < count; ++i)
      to[i] += larger<int64_t>(0, smaller(indices[i], last)) * stride;
    return true;
  } else {
    bool wrong = false;
    for (int64_t i = 0; i < count; ++i) {
      int64_t index = indices[i];
      if (outside == Outside::error)
        index += index < 0 ? size : 0;
      const bool isWrong = (index < 0) | (index > last);
      wrong |= isWrong;
      const int64_t offset = (isWrong ? 0 : index) * stride;
      if (outside == Outside::error)
        to[i] += offset;
      else // once nowhere, always nowhere
        to[i] = isWrong | (to[i] == kNowhere) ? kNowhere : to[i] + offset;
    }
    return outside == Outside::skip || !wrong;
  }
}

bool Windows::offsets(int64_t first, int64_t count, int64_t *to) const {
  for (int64_t i = 0; i < count; ++i)
    to[i] = 0;
  for (int b = 0; b < batchCount_; ++b) {
    const Batch &batch = batches_[b];
    int64_t place = first / batch.inner % batch.size, left = batch.inner - first % batch.inner;
    for (int64_t i = 0; i < count; ++i) {
      to[i] += place * batch.stride;
      if (--left == 0)
        left = batch.inner, place = place + 1 == batch.size ? 0 : place + 1;
    }
  }
  bool isInside = true;
  for (int c = 0; c < componentCount_; ++c)
    switch (outside_) {
    case Outside::clip:
      add<Outside::clip>(components_[c], first, count, to);
      break;
    case Outside::skip:
      add<Outside::skip>(components_[c], first, count, to);
      break;
    case Outside::error:
      isInside &= add<Outside::error>(components_[c], first, count, to);
      break;
    }
  return isInside;
}

Windows::Single Windows::single() const {
  if (componentCount_ != 1 || batchCount_ != 0 || hasParts || isNowhere() || !indices_.isContiguous())
    return {};
  const Component &only = components_[0];
  return {indices_.data, isWide_, outside_, only.size, only.size - only.window, only.stride};
}

bool Windows::box(int64_t number, Box &box) const {
  box.start = 0;
  for (int axis = 0; axis < rank; ++axis)
    box.low[axis] = 0, box.dims[axis] = dims[axis];
  for (int b = 0; b < batchCount_; ++b)
    box.start += number / batches_[b].inner % batches_[b].size * batches_[b].stride;
  for (int c = 0; c < componentCount_; ++c) {
    const Component &component = components_[c];
    const int64_t start = index(component, number);
    // Compared before anything is added: an index may be any.
    if (start >= component.size || start <= -component.window)
      return false;
    const int64_t low = larger<int64_t>(0, -start);
    box.low[component.axis] = low;
    box.dims[component.axis] = smaller(component.window, component.size - start) - low;
    box.start += (start + low) * component.stride;
  }
  return !isNowhere();
}

Status Windows::tell(int64_t number, Fault *fault) const {
  if (!fault)
    return Status::outOfBounds;
  *fault = {0, larger(emptyAxis_, 0), 0, 1};
  for (; number < count_; ++number)
    for (int c = 0; c < componentCount_; ++c) {
      const Component &component = components_[c];
      const int64_t given = index(component, number), start = given < 0 ? given + component.size : given;
      if (start < 0 || start > component.size - component.window) {
        *fault = {given, component.axis, component.size, component.window};
        return Status::outOfBounds;
      }
    }
  return Status::outOfBounds;
}

/// Whether windows [lo, hi), of one index each, are inside.
template <class Index>
static bool areInside(const Windows::Single &single, int64_t lo, int64_t hi) {
  const auto *indices = static_cast<const Index *>(single.indices);
  bool isAny = false;
  for (; lo < hi; ++lo) {
    bool isOutside;
    beginOf<Outside::error>(indices[lo], single.size, single.last, isOutside);
    isAny |= isOutside;
  }
  return !isAny;
}

Status Windows::check(const KernelCall &call) const {
  if (outside_ != Outside::error)
    return Status::ok;
  const Single one = single();
  std::atomic<int64_t> wrong = count_;
  const bool isDone = parallelFor(
      count_, kGrain,
      [&](int64_t lo, int64_t hi) {
        int64_t places[kBlock];
        for (; lo < hi; lo += kBlock)
          if (const int64_t count = smaller(kBlock, hi - lo);
              !(!one.indices ? offsets(lo, count, places)
                : one.isWide ? areInside<int64_t>(one, lo, lo + count)
                             : areInside<int32_t>(one, lo, lo + count))) {
            int64_t before = wrong.load(std::memory_order_relaxed);
            while (lo < before && !wrong.compare_exchange_weak(before, lo, std::memory_order_relaxed)) {
            }
            return;
          }
      },
      call.cancel);
  if (!isDone)
    return Status::cancelled;
  return wrong < count_ ? tell(wrong, call.fault) : Status::ok;
}

} // namespace tenon::rt::TENON_ISA

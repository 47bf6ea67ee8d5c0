//===- Gather.cpp - windows of an array, and one of them -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"
#include "Moved.h"
#include "Windows.h"

#include <atomic>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tenon::rt::TENON_ISA {
namespace {

template <class T>
class Gather {
public:
  Gather(const Windows &windows, const T *x, T *result, const void *fill)
      : windows(windows), single(windows.single()), x(x), result(result) {
    std::memcpy(&fill_, fill, sizeof fill_);
  }

  /// Windows [lo, hi); the first of a block in which an index is outside, or hi.
  int64_t run(int64_t lo, int64_t hi) const {
    const Nest &nest = windows.window;
    const bool isRow = nest.rank == 1 && (nest.dims[0] == 1 || (nest.strides[0][0] == 1 && nest.strides[1][0] == 1));
    if (single.indices && isRow && windows.windowedStride())
      return single.isWide ? rows<int64_t>(lo, hi) : rows<int32_t>(lo, hi);
    int64_t places[Windows::kBlock];
    for (; lo < hi; lo += Windows::kBlock) {
      const int64_t count = smaller(Windows::kBlock, hi - lo);
      if (windows.hasParts || windows.isNowhere()) {
        for (int64_t i = 0; i < count; ++i)
          part(lo + i);
        continue;
      }
      if (!windows.offsets(lo, count, places))
        return lo;
      const int64_t stride = windows.windowedStride();
      if (windows.size() == 1 && stride) {
        elements(places, count, result + lo * stride, stride);
        continue;
      }
      for (int64_t i = 0; i < count; ++i)
        whole(places[i], result + (stride ? (lo + i) * stride : windows.windowedOffset(lo + i)));
    }
    return hi;
  }

private:
  template <class Index>
  int64_t rows(int64_t lo, int64_t hi) const {
    switch (single.outside) {
    case Outside::clip:
      return rows<Index, Outside::clip>(lo, hi);
    case Outside::skip:
      return rows<Index, Outside::skip>(lo, hi);
    case Outside::error:
      return rows<Index, Outside::error>(lo, hi);
    }
    __builtin_unreachable();
  }
  /// Dense windows that one index says each, in one pass.
  template <class Index, Outside outside>
  int64_t rows(int64_t lo, int64_t hi) const {
    const auto *const indices = static_cast<const Index *>(single.indices);
    const int64_t size = single.size, last = single.last, step = single.stride, stride = windows.windowedStride();
    const auto length = static_cast<size_t>(windows.size());
    // Whether one is outside is asked for a block: that is no branch for each.
    for (int64_t end; lo < hi; lo = end) {
      end = smaller(hi, lo + Windows::kBlock);
      bool isAny = false, isOutside;
      if (length == 1 && areInside(indices + lo, end - lo, last))
        for (int64_t i = lo; i < end; ++i)
          result[i * stride] = x[indices[i] * step];
      else if (length == 1)
        for (int64_t i = lo; i < end; ++i) {
          const T element = x[beginOf<outside>(indices[i], size, last, isOutside) * step];
          isAny |= isOutside;
          result[i * stride] = outside == Outside::skip && isOutside ? fill_ : element;
        }
      else
        for (int64_t i = lo; i < end; ++i) {
          const T *const row = x + beginOf<outside>(indices[i], size, last, isOutside) * step;
          isAny |= isOutside;
          if (outside == Outside::skip && isOutside)
            for (size_t j = 0; j < length; ++j)
              result[i * stride + static_cast<int64_t>(j)] = fill_;
          else
            std::memcpy(result + i * stride, row, length * sizeof(T));
        }
      if (outside == Outside::error && isAny)
        return lo;
    }
    return hi;
  }
  /// Whether all of these are places, and none counts from the end: asked many at a time, in vectors. Asked one by
  /// one it costs a fifth of a gather.
  template <class Index>
  [[gnu::always_inline]] static bool areInside(const Index *indices, int64_t count, int64_t last) {
    using Bits = std::make_unsigned_t<Index>;
    const auto bound = static_cast<Bits>(smaller<int64_t>(last, std::numeric_limits<Index>::max()));
    Bits signs = 0;
    for (int64_t i = 0; i < count; ++i)
      signs |= static_cast<Bits>(indices[i]) | (bound - static_cast<Bits>(indices[i]));
    return static_cast<Index>(signs) >= 0;
  }
  void elements(const int64_t *places, int64_t count, T *to, int64_t stride) const {
    if (!windows.maySkip() && stride == 1) {
      for (int64_t i = 0; i < count; ++i)
        to[i] = x[places[i]];
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] = places[i] == Windows::kNowhere ? fill_ : x[places[i]];
  }
  /// A window: rows of its last axis.
  void whole(int64_t place, T *to) const {
    const Nest &nest = windows.window;
    const int inner = nest.rank - 1;
    const bool isNowhere = place == Windows::kNowhere;
    int64_t at[kMaxRank] = {}, from = isNowhere ? 0 : place, target = 0;
    for (;;) {
      const int64_t length = nest.dims[inner], step = nest.strides[0][inner], toStep = nest.strides[1][inner];
      if (isNowhere)
        for (int64_t i = 0; i < length; ++i)
          to[target + i * toStep] = fill_;
      else if (step == 1 && toStep == 1)
        std::memcpy(to + target, x + from, static_cast<size_t>(length) * sizeof(T));
      else
        for (int64_t i = 0; i < length; ++i)
          to[target + i * toStep] = x[from + i * step];
      int axis = inner - 1;
      for (; axis >= 0 && ++at[axis] == nest.dims[axis]; --axis) {
        from -= (nest.dims[axis] - 1) * nest.strides[0][axis];
        target -= (nest.dims[axis] - 1) * nest.strides[1][axis];
        at[axis] = 0;
      }
      if (axis < 0)
        return;
      from += nest.strides[0][axis];
      target += nest.strides[1][axis];
    }
  }
  /// A window of which a part may be outside.
  void part(int64_t number) const {
    T *to = result + windows.windowedOffset(number);
    whole(Windows::kNowhere, to);
    Windows::Box box;
    if (!windows.box(number, box))
      return;
    int64_t at[kMaxRank] = {}, from = box.start;
    for (int axis = 0; axis < windows.rank; ++axis)
      to += box.low[axis] * windows.windowedStrides[axis];
    for (;;) {
      *to = x[from];
      int axis = windows.rank - 1;
      for (; axis >= 0 && ++at[axis] == box.dims[axis]; --axis) {
        from -= (box.dims[axis] - 1) * windows.strides[axis];
        to -= (box.dims[axis] - 1) * windows.windowedStrides[axis];
        at[axis] = 0;
      }
      if (axis < 0)
        return;
      from += windows.strides[axis];
      to += windows.windowedStrides[axis];
    }
  }

  const Windows &windows;
  const Windows::Single single;
  const T *x;
  T *result;
  T fill_;
};

} // namespace

Status kernelGather(const KernelCall &call) {
  const View &x = call.operands[0], &result = call.results[0];
  const GatherAttrs attributes = GatherAttrs::read(call.attributes);
  WindowMap map;
  if (!readWindows(windowsOf(attributes), true, x.rank, call.operands[1].rank, map).empty())
    return Status::failed;
  if (result.count() == 0) // but an index may still be outside
    return Windows(map, x, call.operands[1], result).check(call);
  const Windows windows(map, x, call.operands[1], result);
  if (windows.isNowhere() && map.outside == Outside::error)
    return windows.tell(0, call.fault);
  const StoredScalar fill(attributes.fill_value, x.dtype);
  std::atomic<int64_t> wrong = windows.count();
  const bool isDone = ofSize(item_size(x.dtype), [&]<class T>() {
    const Gather<T> gather(windows, static_cast<const T *>(x.data), static_cast<T *>(result.data), fill.bytes);
    return parallelFor(
        windows.count(), larger<int64_t>(1, kGrain / windows.size()),
        [&](int64_t lo, int64_t hi) {
          const int64_t stopped = gather.run(lo, hi);
          for (int64_t before = wrong.load(std::memory_order_relaxed);
               stopped < hi && stopped < before && !wrong.compare_exchange_weak(before, stopped);) {
          }
        },
        call.cancel);
  });
  if (wrong < windows.count())
    return windows.tell(wrong, call.fault);
  return isDone ? Status::ok : Status::cancelled;
}

Status kernelDynamicSlice(const KernelCall &call) {
  MovedView part(call.operands[0]);
  part.narrow(call.operands.subspan(1), call.results[0].dims);
  return copyView(part.view, call.results[0]);
}

} // namespace tenon::rt::TENON_ISA

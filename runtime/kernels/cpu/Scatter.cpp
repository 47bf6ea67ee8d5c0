//===- Scatter.cpp - arrays changed where indices say ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of one element come in the order of the indices, so windows are walked
// along by one thread, or several have parts of each.
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "Moved.h"
#include "Windows.h"

namespace tenon::rt::TENON_ISA {
namespace {

// What becomes of an element and an update.
template <class T>
struct Replace {
  using Element = T;
  static constexpr int lanes = 1;
  template <int>
  static void apply(T *to, const T *update) {
    *to = *update;
  }
};
template <Dtype D, class Combine>
struct Combined {
  using Element = Storage<D>;
  static constexpr int lanes = math::nativeLanes<Compute<D>>;
  template <int N>
  [[gnu::always_inline]] static void apply(Element *to, const Element *update) {
    storeLanes<D, N>(to, Combine()(loadLanes<D, N>(to), loadLanes<D, N>(update)));
  }
};
struct Add {
  template <class V>
  [[gnu::always_inline]] V operator()(V a, V b) const {
    return math::add(a, b);
  }
};
struct Multiply {
  template <class V>
  [[gnu::always_inline]] V operator()(V a, V b) const {
    return math::multiply(a, b);
  }
};
struct Minimum {
  template <class V>
  [[gnu::always_inline]] V operator()(V a, V b) const {
    return math::minimum(a, b);
  }
};
struct Maximum {
  template <class V>
  [[gnu::always_inline]] V operator()(V a, V b) const {
    return math::maximum(a, b);
  }
};

/// `count` updates that lie in steps.
template <class Op>
void row(typename Op::Element *to, int64_t stride, const typename Op::Element *updates, int64_t step, int64_t count) {
  int64_t i = 0;
  if (stride == 1 && step == 1)
    for (; i + Op::lanes <= count; i += Op::lanes)
      Op::template apply<Op::lanes>(to + i, updates + i);
  for (; i < count; ++i)
    Op::template apply<1>(to + i * stride, updates + i * step);
}

/// Rows of the last axis; the other axes are walked along.
template <class Op>
void rows(int rank, const int64_t *dims, const int64_t *strides, const int64_t *steps, typename Op::Element *to,
          const typename Op::Element *updates) {
  int64_t at[kMaxRank + 1] = {};
  const int inner = rank - 1;
  for (;;) {
    row<Op>(to, strides[inner], updates, steps[inner], dims[inner]);
    int axis = inner - 1;
    for (; axis >= 0 && ++at[axis] == dims[axis]; --axis) {
      to -= (dims[axis] - 1) * strides[axis];
      updates -= (dims[axis] - 1) * steps[axis];
      at[axis] = 0;
    }
    if (axis < 0)
      return;
    to += strides[axis];
    updates += steps[axis];
  }
}

/// Updates of one element that one index says each, known to be inside.
template <class Op, class Index>
void scatterElements(const Windows::Single &single, typename Op::Element *x, const typename Op::Element *updates,
                     int64_t step, int64_t count) {
  const auto *const indices = static_cast<const Index *>(single.indices);
  const int64_t size = single.size, last = single.last, stride = single.stride;
  for (int64_t i = 0; i < count; ++i) {
    bool isOutside = false;
    const int64_t index = indices[i];
    const int64_t place = single.outside == Outside::error  ? beginOf<Outside::error>(index, size, last, isOutside)
                          : single.outside == Outside::clip ? beginOf<Outside::clip>(index, size, last, isOutside)
                                                            : beginOf<Outside::skip>(index, size, last, isOutside);
    if (!isOutside)
      Op::template apply<1>(x + place * stride, updates + i * step);
  }
}

/// Parts [lo, hi) of the windows' first axis, of all windows in their order.
template <class Op>
void scatterParts(const Windows &windows, typename Op::Element *x, const typename Op::Element *updates, int64_t lo,
                  int64_t hi) {
  Nest part = windows.window;
  part.dims[0] = hi - lo;
  x += lo * part.strides[0][0];
  updates += lo * part.strides[1][0];
  const int64_t size = part.count(), stride = windows.windowedStride();
  if (const Windows::Single single = windows.single(); single.indices && size == 1 && stride) {
    single.isWide ? scatterElements<Op, int64_t>(single, x, updates, stride, windows.count())
                  : scatterElements<Op, int32_t>(single, x, updates, stride, windows.count());
    return;
  }
  int64_t places[Windows::kBlock];
  for (int64_t first = 0; first < windows.count(); first += Windows::kBlock) {
    const int64_t count = smaller(Windows::kBlock, windows.count() - first);
    windows.offsets(first, count, places);
    for (int64_t i = 0; i < count; ++i) {
      if (places[i] == Windows::kNowhere)
        continue;
      const auto *from = updates + (stride ? (first + i) * stride : windows.windowedOffset(first + i));
      if (size == 1)
        Op::template apply<1>(x + places[i], from);
      else
        rows<Op>(part.rank, part.dims, part.strides[0], part.strides[1], x + places[i], from);
    }
  }
}

/// Windows of which a part may be outside.
template <class Op>
void scatterBoxes(const Windows &windows, typename Op::Element *x, const typename Op::Element *updates) {
  Windows::Box box;
  for (int64_t number = 0; number < windows.count(); ++number) {
    if (!windows.box(number, box))
      continue;
    const auto *from = updates + windows.windowedOffset(number);
    for (int axis = 0; axis < windows.rank; ++axis)
      from += box.low[axis] * windows.windowedStrides[axis];
    rows<Op>(windows.rank, box.dims, windows.strides, windows.windowedStrides, x + box.start, from);
  }
}

/// x as the result, where it is not that already.
Status keep(const KernelCall &call) {
  const View &x = call.operands[0], &result = call.results[0];
  return x.data == result.data ? Status::ok : copyView(x, result);
}

/// `apply` gets windows that are all inside, but for those to be left out.
template <class Apply>
Status scatterWindows(const KernelCall &call, Apply &&apply) {
  const View &result = call.results[0];
  WindowMap map;
  if (!readWindows(windowsOfScatter(call.attributes), false, result.rank, call.operands[1].rank, map).empty())
    return Status::failed;
  const Windows windows(map, result, call.operands[1], call.operands[2]);
  if (Status status = windows.check(call); status != Status::ok)
    return status;
  const bool hasUpdates = call.operands[2].count() != 0;
  if (hasUpdates && windows.isNowhere() && map.outside == Outside::error)
    return windows.tell(0, call.fault);
  if (Status status = keep(call); status != Status::ok)
    return status;
  if (hasUpdates && !windows.isNowhere())
    apply(windows);
  return Status::ok;
}

template <class Op>
void scatterAll(const KernelCall &call, const Windows &windows) {
  auto *x = static_cast<typename Op::Element *>(call.results[0].data);
  const auto *updates = static_cast<const typename Op::Element *>(call.operands[2].data);
  if (windows.hasParts)
    return scatterBoxes<Op>(windows, x, updates);
  // From the first write on it goes to its end.
  const int64_t parts = windows.window.dims[0], each = windows.count() * (windows.size() / parts);
  parallelFor(parts, larger<int64_t>(1, kGrain / each),
              [&](int64_t lo, int64_t hi) { scatterParts<Op>(windows, x, updates, lo, hi); });
}

template <class Combine>
Status scatterCombined(const KernelCall &call) {
  constexpr bool wraps = std::is_same_v<Combine, Add> || std::is_same_v<Combine, Multiply>;
  return scatterWindows(call, [&](const Windows &windows) {
    tenon::detail::visitDtype(call.results[0].dtype, [&]<Dtype D>() {
      if constexpr (wraps && (isInteger(D) || isFloating(D) || isComplex(D)))
        scatterAll<Combined<asUnsigned(D), Combine>>(call, windows);
      else if constexpr (!wraps && isOrdered(D))
        scatterAll<Combined<asNumber(D), Combine>>(call, windows);
    });
  });
}

} // namespace

Status kernelScatter(const KernelCall &call) {
  return scatterWindows(call, [&](const Windows &windows) {
    ofSize(item_size(call.results[0].dtype), [&]<class T>() { scatterAll<Replace<T>>(call, windows); });
  });
}
Status kernelScatterAdd(const KernelCall &call) { return scatterCombined<Add>(call); }
Status kernelScatterMul(const KernelCall &call) { return scatterCombined<Multiply>(call); }
Status kernelScatterMin(const KernelCall &call) { return scatterCombined<Minimum>(call); }
Status kernelScatterMax(const KernelCall &call) { return scatterCombined<Maximum>(call); }

Status kernelDynamicUpdateSlice(const KernelCall &call) {
  if (Status status = keep(call); status != Status::ok)
    return status;
  MovedView part(call.results[0]);
  part.narrow(call.operands.subspan(2), call.operands[1].dims);
  return copyView(call.operands[1], part.view);
}

} // namespace tenon::rt::TENON_ISA

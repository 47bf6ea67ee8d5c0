//===- WindowReduction.cpp - sums, maxima and minima of windows --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of the result that follow each other are made together, so that memory is read in
// order: register by register where their windows lie side by side.
//===----------------------------------------------------------------------===//
#include "CompositeKernels.h"
#include "Kernels.h"

#include "Sliding.h"

namespace tenon::rt::TENON_ISA {
namespace {

struct Sum {
  static constexpr bool isMean = false;
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return math::add(a, b);
  }
  template <Dtype D>
  static Storage<D> empty() {
    return {};
  }
};
/// A sum that is divided when it is complete.
struct Mean : Sum {
  static constexpr bool isMean = true;
};
/// The storage of a number that every one of the dtype is at most (or at least) as large as.
template <Dtype D, bool IsGreatest>
Storage<D> extreme() {
  using S = Storage<D>;
  if constexpr (is_narrow(D))
    return math::toNarrow<HostElement<D>>(IsGreatest ? __builtin_inff() : -__builtin_inff());
  else if constexpr (math::IsFloat<S>)
    return IsGreatest ? S(__builtin_inf()) : S(-__builtin_inf());
  else if constexpr (math::isSigned<S>)
    return IsGreatest ? S(~(uint64_t(1) << (8 * sizeof(S) - 1))) : S(uint64_t(1) << (8 * sizeof(S) - 1));
  else
    return IsGreatest ? S(~S(0)) : S(0);
}
struct Maximum {
  static constexpr bool isMean = false;
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return math::maximum(a, b);
  }
  template <Dtype D>
  static Storage<D> empty() {
    return extreme<D, false>();
  }
};
struct Minimum {
  static constexpr bool isMean = false;
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return math::minimum(a, b);
  }
  template <Dtype D>
  static Storage<D> empty() {
    return extreme<D, true>();
  }
};

/// One call: windows over all axes of x.
class Windows {
public:
  /// Windows, places in x and in the result, and places that are counted.
  static constexpr int lists = 3;
  struct Box {
    WindowRows<lists> rows;
    /// Where the first window's first tap lies in x, its first element in the result, and the tap's counted place.
    int64_t starts[lists] = {};
    int64_t taps[kMaxRank], steps[lists][kMaxRank];
    int64_t count = 1;
  };

  template <class Attrs>
  Windows(const View &x, const View &result, const Attrs &a, int countedFrom) : rank_(x.rank) {
    int64_t place = 1, stride = 1;
    for (int i = rank_ - 1; i >= 0; --i) {
      const auto at = static_cast<size_t>(i);
      axes_[i] = {x.dims[i],        a.window[at],          a.strides[at], a.low[at],
                  a.x_dilation[at], a.window_dilation[at], result.dims[i]};
      strides_[0][i] = x.strides[i];
      strides_[1][i] = stride;
      strides_[2][i] = i >= countedFrom ? place : 0;
      place *= x.dims[i];
      stride *= result.dims[i];
    }
  }

  /// Calls `body(box, row, rows)` for rows of all boxes, on the pool.
  template <class Body>
  Status eachPart(Body &&body, const uint32_t *cancel) const {
    const Boxes boxes(axes_, rank_);
    if (!boxes)
      return Status::outOfMemory;
    for (int64_t index = 0; index < boxes.count(); ++index) {
      const Box box = boxAt(boxes, index);
      const int64_t grain = larger<int64_t>(1, kGrain / larger<int64_t>(1, box.count));
      if (!parallelFor(box.rows.count(), grain, [&](int64_t lo, int64_t hi) { body(box, lo, hi - lo); }, cancel))
        return Status::cancelled;
    }
    return Status::ok;
  }

  /// Sets places[n][i] to where tap number from + i lies, from a window's first one on, for the first `Count` lists.
  template <int Count, int64_t Size>
  void listTaps(const Box &box, int64_t from, int64_t count, int64_t (&places)[Count][Size]) const {
    int64_t at[kMaxRank], index = from, place[Count] = {};
    for (int i = rank_ - 1; i >= 0; index /= box.taps[i], --i) {
      at[i] = index % box.taps[i];
      for (int n = 0; n < Count; ++n)
        place[n] += at[i] * box.steps[2 * n][i];
    }
    for (int64_t l = 0; l < count; ++l) {
      for (int n = 0; n < Count; ++n)
        places[n][l] = place[n];
      for (int i = rank_ - 1; i >= 0; --i) {
        for (int n = 0; n < Count; ++n)
          place[n] += box.steps[2 * n][i];
        if (++at[i] < box.taps[i])
          break;
        for (int n = 0; n < Count; ++n)
          place[n] -= at[i] * box.steps[2 * n][i];
        at[i] = 0;
      }
    }
  }

private:
  Box boxAt(const Boxes &boxes, int64_t index) const {
    Box box;
    const Stretch *of[kMaxRank];
    boxes.box(index, of);
    for (int i = 0; i < rank_; ++i) {
      const Stretch &s = *of[i];
      box.rows.add(s.count, {s.advance * strides_[0][i], s.step * strides_[1][i], s.advance * strides_[2][i]});
      box.starts[0] += s.at * strides_[0][i];
      box.starts[1] += s.first * strides_[1][i];
      box.starts[2] += s.at * strides_[2][i];
      box.taps[i] = s.taps;
      box.steps[0][i] = s.spacing * strides_[0][i];
      box.steps[2][i] = s.spacing * strides_[2][i];
      box.count *= s.taps;
    }
    return box;
  }

  int rank_;
  SlidingAxis axes_[kMaxRank];
  int64_t strides_[lists][kMaxRank];
};

/// A run of elements of the result, `Op` of their windows.
template <Dtype D, class Op>
class Reduction {
public:
  Reduction(const Windows &windows, const View &x, const View &result, double divisor)
      : windows_(windows), x_(static_cast<const Storage<D> *>(x.data)), to_(static_cast<Storage<D> *>(result.data)) {
    if constexpr (Op::isMean)
      divisor_ = static_cast<Acc>(divisor);
  }

  void operator()(const Windows::Box &box, int64_t row, int64_t rows) {
    if (box.count <= tapsAtOnce && box.count > 0)
      windows_.listTaps(box, 0, box.count, places_);
    box.rows.eachRun(row, rows, [&](int64_t, int64_t count, const int64_t (&starts)[Windows::lists]) {
      const Storage<D> *const from = x_ + box.starts[0] + starts[0];
      Storage<D> *const to = to_ + box.starts[1] + starts[1];
      const int64_t step = box.rows.step(0), toStep = box.rows.step(1);
      if (box.count == 0)
        for (int64_t i = 0; i < count; ++i)
          to[i * toStep] = Op::template empty<D>();
      for (int64_t i = 0; box.count > 0 && i < count; i += atOnce)
        reduce(box, from + i * step, step, to + i * toStep, toStep, smaller(atOnce, count - i));
    });
  }

private:
  static constexpr int64_t tapsAtOnce = 256, atOnce = 256;
  static constexpr int N = math::nativeLanes<Compute<D>>;
  /// What results are accumulated in.
  static constexpr Dtype wide = is_narrow(D) ? Dtype::f32 : D;
  using Acc = Storage<wide>;

  void reduce(const Windows::Box &box, const Storage<D> *from, int64_t step, Storage<D> *to, int64_t toStep,
              int64_t count) {
    Acc sums[atOnce];
    for (int64_t tap = 0; tap < box.count; tap += tapsAtOnce) {
      const int64_t taps = smaller(tapsAtOnce, box.count - tap);
      if (box.count > tapsAtOnce)
        windows_.listTaps(box, tap, taps, places_);
      int64_t i = 0;
      if (step == 1) {
        for (; i + 4 * N <= count; i += 4 * N)
          combine<4, N>(from + i, 1, taps, tap == 0, sums + i);
        for (; i + N <= count; i += N)
          combine<1, N>(from + i, 1, taps, tap == 0, sums + i);
      }
      for (; i + 4 <= count; i += 4)
        combine<4, 1>(from + i * step, step, taps, tap == 0, sums + i);
      for (; i < count; ++i)
        combine<1, 1>(from + i * step, step, taps, tap == 0, sums + i);
    }
    int64_t i = 0;
    if (toStep == 1)
      for (; i + N <= count; i += N)
        storeLanes<D, N>(to + i, finished<N>(sums + i));
    for (; i < count; ++i)
      storeLanes<D, 1>(to + i * toStep, finished<1>(sums + i));
  }
  template <int Width>
  [[gnu::always_inline]] Lanes<wide, Width> finished(const Acc *sums) const {
    const Lanes<wide, Width> values = loadLanes<wide, Width>(sums);
    if constexpr (Op::isMean)
      return values / divisor_;
    else
      return values;
  }
  /// Count registers of Width elements, the next one `step` or a register's width further.
  template <int Count, int Width>
  [[gnu::always_inline]] void combine(const Storage<D> *from, int64_t step, int64_t taps, bool isFirst, Acc *sums) {
    const int64_t apart = Width == 1 ? step : Width;
    Lanes<wide, Width> all[Count];
#pragma GCC unroll 4
    for (int n = 0; n < Count; ++n)
      all[n] =
          isFirst ? loadLanes<D, Width>(from + places_[0][0] + n * apart) : loadLanes<wide, Width>(sums + n * Width);
    for (int64_t tap = isFirst; tap < taps; ++tap)
#pragma GCC unroll 4
      for (int n = 0; n < Count; ++n)
        all[n] = Op::combine(all[n], loadLanes<D, Width>(from + places_[0][tap] + n * apart));
#pragma GCC unroll 4
    for (int n = 0; n < Count; ++n)
      storeLanes<wide, Width>(sums + n * Width, all[n]);
  }

  const Windows &windows_;
  const Storage<D> *x_;
  Storage<D> *to_;
  Acc divisor_{};
  int64_t places_[1][tapsAtOnce];
};

/// `divisor` is that of a mean.
template <class Op, class Attrs>
Status reduceWindows(const KernelCall &call, const Attrs &attributes, double divisor = 1) {
  const View &x = call.operands[0], &result = call.results[0];
  if (result.count() == 0)
    return Status::ok;
  const Windows windows(x, result, attributes, x.rank);
  return tenon::detail::visitDtype(x.dtype, [&]<Dtype D>() -> Status {
    constexpr bool isSum = __is_same(Op, Sum);
    if constexpr (Op::isMean ? isFloating(D) : (isOrdered(D) && D != Dtype::bool_) || (isSum && isComplex(D))) {
      constexpr Dtype same = isSum ? asUnsigned(D) : D;
      return windows.eachPart([&](const Windows::Box &box, int64_t row,
                                  int64_t rows) { Reduction<same, Op>(windows, x, result, divisor)(box, row, rows); },
                              call.cancel);
    } else {
      return Status::failed; // the record allows no others
    }
  });
}

/// The places of the extremes of windows.
template <Dtype D>
void findExtremes(const Windows &windows, const Windows::Box &box, bool isMin, const View &x, const View &result,
                  int64_t row, int64_t rows) {
  constexpr int64_t atOnce = 256;
  int64_t places[2][atOnce];
  const auto *const elements = static_cast<const Storage<D> *>(x.data) + box.starts[0];
  auto *const found = static_cast<int64_t *>(result.data) + box.starts[1];
  const auto read = [](const Storage<D> *from) { return loadLanes<D, 1>(from); };
  using Number = decltype(read(elements));
  const auto isNan = [](Number value) { return math::IsFloat<Number> && value != value; };
  if (box.count <= atOnce && box.count > 0)
    windows.listTaps(box, 0, box.count, places);
  box.rows.eachRun(row, rows, [&](int64_t, int64_t count, const int64_t (&starts)[Windows::lists]) {
    for (int64_t i = 0; i < count; ++i) {
      const Storage<D> *const from = elements + starts[0] + i * box.rows.step(0);
      const int64_t place = box.starts[2] + starts[2] + i * box.rows.step(2);
      int64_t best = -1;
      Number extreme{};
      for (int64_t tap = 0; tap < box.count; tap += atOnce) {
        const int64_t taps = smaller(atOnce, box.count - tap);
        if (box.count > atOnce)
          windows.listTaps(box, tap, taps, places);
        for (int64_t l = 0; l < taps; ++l) {
          const Number value = read(from + places[0][l]);
          const bool isBetter = (isMin ? value < extreme : value > extreme) || (isNan(value) && !isNan(extreme));
          if (best < 0 || isBetter) {
            best = place + places[1][l];
            extreme = value;
          }
        }
      }
      found[starts[1] + i * box.rows.step(1)] = best;
    }
  });
}

} // namespace

Status kernelWindowSum(const KernelCall &call) {
  return reduceWindows<Sum>(call, WindowSumAttrs::read(call.attributes));
}
Status kernelWindowMean(const KernelCall &call) {
  const WindowMeanAttrs attributes = WindowMeanAttrs::read(call.attributes);
  return reduceWindows<Mean>(call, attributes, attributes.divisor.asDouble());
}
Status kernelWindowExtremum(const KernelCall &call) {
  // All reductions of windows have the same attributes.
  const WindowMaxAttrs attributes = WindowMaxAttrs::read(call.attributes);
  return call.op == OpCode::window_max ? reduceWindows<Maximum>(call, attributes)
                                       : reduceWindows<Minimum>(call, attributes);
}

Status kernelWindowArgmax(const KernelCall &call) {
  const View &x = call.operands[0], &result = call.results[0];
  if (result.count() == 0)
    return Status::ok;
  const WindowArgmaxAttrs a = WindowArgmaxAttrs::read(call.attributes);
  const Windows windows(x, result, a, static_cast<int>(a.axis));
  return tenon::detail::visitDtype(x.dtype, [&]<Dtype D>() -> Status {
    if constexpr (isOrdered(D) && D != Dtype::bool_)
      return windows.eachPart([&](const Windows::Box &box, int64_t row,
                                  int64_t rows) { findExtremes<D>(windows, box, a.is_min, x, result, row, rows); },
                              call.cancel);
    else
      return Status::failed; // the record allows no others
  });
}

} // namespace tenon::rt::TENON_ISA

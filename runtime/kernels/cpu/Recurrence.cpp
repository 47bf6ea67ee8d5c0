//===- Recurrence.cpp - linear recurrences ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y[i] = x[i] + factors[i] * y[i - 1] in the order of i. Recurrences beside each other are walked along together, one
// in each lane; a single one takes its time.
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "Reduce.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// The recurrences of one call, along an axis of `length`.
template <Dtype D>
struct Recurrences {
  using Element = Storage<D>;
  static constexpr int lanes = math::nativeLanes<Compute<D>>;

  const Element *factors, *x;
  Element *result;
  int64_t length;
  /// From one element of a recurrence to the next: of the factors, x and the result.
  int64_t strides[3];

  /// N recurrences whose elements are neighbours, from these offsets on.
  template <int N>
  [[gnu::noinline]] void walk(const int64_t *offsets) const {
    const Element *factor = factors + offsets[0], *added = x + offsets[1];
    Element *out = result + offsets[2];
    Lanes<D, N> y = loadLanes<D, N>(added);
    storeLanes<D, N>(out, y);
    for (int64_t i = 1; i < length; ++i) {
      factor += strides[0], added += strides[1], out += strides[2];
      const Lanes<D, N> f = loadLanes<D, N>(factor), a = loadLanes<D, N>(added);
      y = math::select(f == Compute<D>(0), a, math::add(a, math::multiply(f, y)));
      storeLanes<D, N>(out, y);
    }
  }
};

template <Dtype D>
Status recur(const KernelCall &call, int axis) {
  const View &factors = call.operands[0], &x = call.operands[1], &result = call.results[0];
  int64_t dims[kMaxRank], strides[3][kMaxRank];
  int rank = 0;
  for (int i = 0; i < x.rank; ++i)
    if (i != axis) {
      dims[rank] = x.dims[i];
      strides[0][rank] = factors.strides[i], strides[1][rank] = x.strides[i], strides[2][rank] = result.strides[i];
      ++rank;
    }
  const int64_t *const all[] = {strides[0], strides[1], strides[2]};
  const Nest nest = makeNest(rank, dims, all);
  using R = Recurrences<D>;
  const R recurrences = {static_cast<const typename R::Element *>(factors.data),
                         static_cast<const typename R::Element *>(x.data),
                         static_cast<typename R::Element *>(const_cast<void *>(result.data)),
                         x.dims[axis],
                         {factors.strides[axis], x.strides[axis], result.strides[axis]}};
  const int inner = nest.rank - 1;
  const int64_t width = nest.dims[inner];
  const bool areNeighbours =
      nest.strides[0][inner] == 1 && nest.strides[1][inner] == 1 && nest.strides[2][inner] == 1 && width >= R::lanes;
  const int64_t step = areNeighbours ? R::lanes : 1, groups = ceilDivide(width, step);
  auto runSome = [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) {
      const int64_t first = i % groups * step;
      int64_t offsets[3], rest = i / groups;
      for (int v = 0; v < 3; ++v)
        offsets[v] = first * nest.strides[v][inner];
      for (int a = inner - 1; a >= 0; rest /= nest.dims[a--])
        for (int v = 0; v < 3; ++v)
          offsets[v] += rest % nest.dims[a] * nest.strides[v][a];
      if (areNeighbours && first + step <= width) {
        recurrences.template walk<R::lanes>(offsets);
        continue;
      }
      for (int64_t left = smaller(step, width - first); left > 0; --left) {
        recurrences.template walk<1>(offsets);
        for (int v = 0; v < 3; ++v)
          offsets[v] += nest.strides[v][inner];
      }
    }
  };
  const int64_t work = recurrences.length * step;
  return parallelFor(nest.count() / width * groups, larger<int64_t>(1, kGrain / work), runSome, call.cancel)
             ? Status::ok
             : Status::cancelled;
}

} // namespace

Status kernelLinearRecurrence(const KernelCall &call) {
  const auto axis = static_cast<int>(LinearRecurrenceAttrs::read(call.attributes).axis);
  if (call.operands[1].count() == 0)
    return Status::ok;
  return tenon::detail::visitDtype(call.operands[1].dtype, [&]<Dtype D>() {
    if constexpr (isFloating(D))
      return recur<D>(call, axis);
    else
      return Status::failed;
  });
}

} // namespace tenon::rt::TENON_ISA

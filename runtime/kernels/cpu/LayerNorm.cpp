//===- LayerNorm.cpp - layer_norm and its derivative, row by row -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has the bits of the ops of its decomposition one after another: the same
// operations and the sum's tree (Reduce.h). A row
// is what one example's statistics are of; it stays in the cache from walk to walk.
//===----------------------------------------------------------------------===//
#include "CompositeKernels.h"
#include "Kernels.h"
#include "Reduce.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// The kernels of one dtype.
template <Dtype D>
struct LayerNorm {
  using T = Compute<D>;
  using S = Storage<D>;
  using Sum = SumOf<D>;
  static constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;

  // Lanes of a row; the last ones may be fewer than a register has.
  [[gnu::always_inline]] static V get(const S *row, int64_t i, int64_t lanes) {
    return lanes == N ? loadLanes<D, N>(row + i) : gatherLanes<D, N>(row + i, 1, lanes);
  }
  [[gnu::always_inline]] static void put(S *row, int64_t i, int64_t lanes, V value) {
    if (lanes == N)
      storeLanes<D, N>(row + i, value);
    else
      scatterLanes<D, N>(value, row + i, 1, lanes);
  }
  template <class Body>
  [[gnu::always_inline]] static void eachVector(int64_t length, Body body) {
    int64_t i = 0;
    for (; i + N <= length; i += N)
      body(i, int64_t(N));
    if (i < length)
      body(i, length - i);
  }

  /// The mean of `term(i, lanes)` over a row: a sum divided by `count`.
  template <class Term>
  [[gnu::always_inline]] static T meanOf(int64_t length, T count, Term term) {
    Pairwise<Sum> tree;
    for (int64_t block = 0; block < length; block += kBlock) {
      const int64_t end = smaller(length, block + kBlock);
      Partials<Sum> partials;
      int64_t i = block;
      for (; i + kLanes <= end; i += kLanes)
        for (int p = 0; p < kLanes; p += N)
          partials.add(term(i + p, int64_t(N)), p);
      if (i < end) {
        S rest[kLanes + N]; // g++ sees a whole register behind the last element
        for (int64_t j = i; j < end; j += N)
          put(rest, j - i, smaller<int64_t>(N, end - j), term(j, smaller<int64_t>(N, end - j)));
        partials.addRest(rest, end - i);
      }
      tree.push(partials.halve());
    }
    return tree.finish() / count;
  }

  T count, epsilon;

  struct Statistics {
    T mean, deviation;
  };
  /// Of one row; what is left in `to` are the distances from the mean.
  [[gnu::always_inline]] Statistics statistics(const S *from, S *to, int64_t length) const {
    const T mean = meanOf(length, count, [&](int64_t i, int64_t lanes) { return get(from, i, lanes); });
    const V shift = math::broadcast<V>(mean);
    const T variance = meanOf(length, count, [&](int64_t i, int64_t lanes) {
      const V distance = get(from, i, lanes) - shift;
      put(to, i, lanes, distance);
      return distance * distance;
    });
    return {mean, math::sqrt(variance + epsilon)};
  }

  /// One dense row; `to` may be `from`.
  void row(const S *from, const S *scale, const S *offset, S *to, int64_t length) const {
    const V deviation = math::broadcast<V>(statistics(from, to, length).deviation);
    eachVector(length, [&](int64_t i, int64_t lanes) {
      const V normalized = get(to, i, lanes) / deviation;
      put(to, i, lanes, normalized * get(scale, i, lanes) + get(offset, i, lanes));
    });
  }

  /// The cotangent of one dense row; `to` may be `from`, not `cotangent`.
  void gradientRow(const S *from, const S *scale, const S *cotangent, S *to, int64_t length) const {
    const V deviation = math::broadcast<V>(statistics(from, to, length).deviation);
    auto scaled = [&](int64_t i, int64_t lanes) { return get(cotangent, i, lanes) * get(scale, i, lanes); };
    const V first = math::broadcast<V>(meanOf(length, count, scaled));
    const V second = math::broadcast<V>(meanOf(length, count, [&](int64_t i, int64_t lanes) {
      const V normalized = get(to, i, lanes) / deviation;
      put(to, i, lanes, normalized);
      return scaled(i, lanes) * normalized;
    }));
    eachVector(length, [&](int64_t i, int64_t lanes) {
      const V rest = scaled(i, lanes) - first - get(to, i, lanes) * second;
      put(to, i, lanes, rest / deviation);
    });
  }
};

/// `value` as an element of `dtype`, as the op full makes it.
Status storeNumber(double value, Dtype dtype, std::byte *to) {
  const View one{to, dtype, 0, nullptr, nullptr};
  AttrWriter words;
  FullAttrs{{}, ScalarAttr::floating(value), dtype, Device::cpu}.write(words);
  return kernelFull({OpCode::full, {}, {&one, 1}, words.words()});
}

/// The length of the rows, if the axes are the last ones that have elements beside
/// each other; else 0.
int64_t rowLength(const View &x, std::span<const int64_t> axes) {
  int64_t length = 1;
  size_t left = axes.size();
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    const bool isOne = left > 0 && axes[left - 1] == axis;
    left -= isOne;
    if (isOne)
      length *= x.dims[axis];
    else if (x.dims[axis] != 1)
      break;
  }
  for (; left > 0; --left)
    if (x.dims[axes[left - 1]] != 1)
      return 0;
  return length;
}

/// What both kernels do. `row(kernel, number)` works on row `number`.
template <Dtype D, class Row>
Status eachRow(const KernelCall &call, const LayerNormAttrs &attributes, int64_t length, Row row) {
  alignas(16) std::byte numbers[2][16];
  if (Status status = storeNumber(static_cast<double>(length), D, numbers[0]); status != Status::ok)
    return status;
  if (Status status = storeNumber(attributes.epsilon.asDouble(), D, numbers[1]); status != Status::ok)
    return status;
  auto number = [&](int i) { return loadLanes<D, 1>(reinterpret_cast<const Storage<D> *>(numbers[i])); };
  const LayerNorm<D> kernel{number(0), number(1)};
  const bool isDone = parallelFor(
      call.results[0].count() / length, larger<int64_t>(1, kGrain / 4 / length),
      [&](int64_t lo, int64_t hi) {
        for (; lo < hi; ++lo)
          row(kernel, lo);
      },
      call.cancel);
  return isDone ? Status::ok : Status::cancelled;
}

/// Calls `run` with the dtype, the elements of x and the length of its rows, where
/// these stand at the end and the other operands are dense. An x that is not is
/// copied to the result, and worked on in place there.
template <class Run>
Status onRows(const KernelCall &call, Run run) {
  View x = call.operands[0];
  if (x.count() == 0)
    return Status::ok;
  const LayerNormAttrs attributes = LayerNormAttrs::read(call.attributes);
  const int64_t length = rowLength(x, attributes.axes);
  if (length == 0 || !call.operands[1].isDense() || !call.operands[2].isDense())
    return Status::declined;
  if (!x.isDense()) {
    if (Status status = copyView(x, call.results[0]); status != Status::ok)
      return status;
    x = call.results[0];
  }
  return tenon::detail::visitDtype(x.dtype, [&]<Dtype D>() {
    if constexpr (isFloating(D) && !is_narrow(D))
      return run.template operator()<D>(attributes, static_cast<const Storage<D> *>(x.data), length);
    else
      return Status::declined; // callers convert f16 and bf16 to f32
  });
}

} // namespace

Status kernelLayerNorm(const KernelCall &call) {
  return onRows(call, [&]<Dtype D>(const LayerNormAttrs &attributes, const Storage<D> *x, int64_t length) {
    using S = Storage<D>;
    const auto *scale = static_cast<const S *>(call.operands[1].data),
               *offset = static_cast<const S *>(call.operands[2].data);
    auto *to = static_cast<S *>(call.results[0].data);
    return eachRow<D>(call, attributes, length, [=](const LayerNorm<D> &kernel, int64_t row) {
      kernel.row(x + row * length, scale, offset, to + row * length, length);
    });
  });
}

Status kernelLayerNormGradient(const KernelCall &call) {
  return onRows(call, [&]<Dtype D>(const LayerNormAttrs &attributes, const Storage<D> *x, int64_t length) {
    using S = Storage<D>;
    const auto *scale = static_cast<const S *>(call.operands[1].data),
               *cotangent = static_cast<const S *>(call.operands[2].data);
    auto *to = static_cast<S *>(call.results[0].data);
    return eachRow<D>(call, attributes, length, [=](const LayerNorm<D> &kernel, int64_t row) {
      kernel.gradientRow(x + row * length, scale, cotangent + row * length, to + row * length, length);
    });
  });
}

} // namespace tenon::rt::TENON_ISA

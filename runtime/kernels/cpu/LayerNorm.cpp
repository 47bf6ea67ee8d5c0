//===- LayerNorm.cpp - layer_norm, rms_norm and their derivatives, row by row -===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They have the bits of the ops of their decompositions one after another: the same
// operations and the sum's tree (Reduce.h). A row
// is what one example's statistics are of; it stays in the cache from walk to walk.
// rms_norm is layer_norm without a mean and an offset.
//===----------------------------------------------------------------------===//
#include "CompositeKernels.h"
#include "Kernels.h"
#include "Reduce.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// The kernels of one dtype; `isCentered`: those of layer_norm.
template <Dtype D, bool isCentered>
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

  /// The deviation of one row. What is left in `to`, of layer_norm, are the distances from the mean.
  [[gnu::always_inline]] T deviationOf(const S *from, S *to, int64_t length) const {
    V shift;
    if constexpr (isCentered)
      shift = math::broadcast<V>(meanOf(length, count, [&](int64_t i, int64_t lanes) { return get(from, i, lanes); }));
    const T variance = meanOf(length, count, [&](int64_t i, int64_t lanes) {
      V distance = get(from, i, lanes);
      if constexpr (isCentered) {
        distance = distance - shift;
        put(to, i, lanes, distance);
      }
      return distance * distance;
    });
    return math::sqrt(variance + epsilon);
  }

  /// One dense row; `to` may be `from`. Only layer_norm has an offset.
  void row(const S *from, const S *scale, const S *offset, S *to, int64_t length) const {
    const V deviation = math::broadcast<V>(deviationOf(from, to, length));
    const S *const distances = isCentered ? to : from;
    eachVector(length, [&](int64_t i, int64_t lanes) {
      const V scaled = get(distances, i, lanes) / deviation * get(scale, i, lanes);
      put(to, i, lanes, isCentered ? scaled + get(offset, i, lanes) : scaled);
    });
  }

  /// The cotangent of one dense row; `to` may be `from`, not `cotangent`.
  void gradientRow(const S *from, const S *scale, const S *cotangent, S *to, int64_t length) const {
    const V deviation = math::broadcast<V>(deviationOf(from, to, length));
    const S *const distances = isCentered ? to : from;
    auto scaled = [&](int64_t i, int64_t lanes) { return get(cotangent, i, lanes) * get(scale, i, lanes); };
    V first;
    if constexpr (isCentered)
      first = math::broadcast<V>(meanOf(length, count, scaled));
    const V second = math::broadcast<V>(meanOf(length, count, [&](int64_t i, int64_t lanes) {
      const V normalized = get(distances, i, lanes) / deviation;
      put(to, i, lanes, normalized);
      return scaled(i, lanes) * normalized;
    }));
    eachVector(length, [&](int64_t i, int64_t lanes) {
      V rest = scaled(i, lanes);
      if constexpr (isCentered)
        rest = rest - first;
      put(to, i, lanes, (rest - get(to, i, lanes) * second) / deviation);
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

/// What all kernels do. `row(kernel, number)` works on row `number`.
template <class Kernel, Dtype D, class Row>
Status eachRow(const KernelCall &call, const ScalarAttr &epsilon, int64_t length, Row row) {
  alignas(16) std::byte numbers[2][16];
  if (Status status = storeNumber(static_cast<double>(length), D, numbers[0]); status != Status::ok)
    return status;
  if (Status status = storeNumber(epsilon.asDouble(), D, numbers[1]); status != Status::ok)
    return status;
  auto number = [&](int i) { return loadLanes<D, 1>(reinterpret_cast<const Storage<D> *>(numbers[i])); };
  const Kernel kernel{number(0), number(1)};
  const bool isDone = parallelFor(
      call.results[0].count() / length, larger<int64_t>(1, kGrain / 4 / length),
      [&](int64_t lo, int64_t hi) {
        for (; lo < hi; ++lo)
          row(kernel, lo);
      },
      call.cancel);
  return isDone ? Status::ok : Status::cancelled;
}

/// Calls `run` with the dtype, the elements of x, the length of its rows and epsilon, where the rows
/// stand at the end and the other operands are dense. An x that is not is copied to the result, and
/// worked on in place there.
template <class Attrs, class Run>
Status onRows(const KernelCall &call, Run run) {
  View x = call.operands[0];
  if (x.count() == 0)
    return Status::ok;
  const Attrs attributes = Attrs::read(call.attributes);
  const int64_t length = rowLength(x, attributes.axes);
  if (length == 0)
    return Status::declined;
  for (const View &operand : call.operands.subspan(1))
    if (!operand.isDense())
      return Status::declined;
  if (!x.isDense()) {
    if (Status status = copyView(x, call.results[0]); status != Status::ok)
      return status;
    x = call.results[0];
  }
  return tenon::detail::visitDtype(x.dtype, [&]<Dtype D>() {
    if constexpr (isFloating(D) && !is_narrow(D))
      return run.template operator()<D>(static_cast<const Storage<D> *>(x.data), length, attributes.epsilon);
    else
      return Status::declined; // callers convert f16 and bf16 to f32
  });
}

template <Dtype D>
const Storage<D> *elementsOf(const KernelCall &call, size_t operand) {
  return static_cast<const Storage<D> *>(call.operands[operand].data);
}

/// `Attrs`: those of layer_norm, which has an offset, or of rms_norm.
template <bool isCentered, class Attrs>
Status normalizeRows(const KernelCall &call) {
  return onRows<Attrs>(call, [&]<Dtype D>(const Storage<D> *x, int64_t length, const ScalarAttr &epsilon) {
    using Kernel = LayerNorm<D, isCentered>;
    const Storage<D> *const scale = elementsOf<D>(call, 1), *const offset =
                                                                isCentered ? elementsOf<D>(call, 2) : nullptr;
    auto *const to = static_cast<Storage<D> *>(call.results[0].data);
    return eachRow<Kernel, D>(call, epsilon, length, [=](const Kernel &kernel, int64_t row) {
      kernel.row(x + row * length, scale, offset, to + row * length, length);
    });
  });
}

template <bool isCentered, class Attrs>
Status gradientOfRows(const KernelCall &call) {
  return onRows<Attrs>(call, [&]<Dtype D>(const Storage<D> *x, int64_t length, const ScalarAttr &epsilon) {
    using Kernel = LayerNorm<D, isCentered>;
    const Storage<D> *const scale = elementsOf<D>(call, 1), *const cotangent = elementsOf<D>(call, 2);
    auto *const to = static_cast<Storage<D> *>(call.results[0].data);
    return eachRow<Kernel, D>(call, epsilon, length, [=](const Kernel &kernel, int64_t row) {
      kernel.gradientRow(x + row * length, scale, cotangent + row * length, to + row * length, length);
    });
  });
}

} // namespace

Status kernelLayerNorm(const KernelCall &call) { return normalizeRows<true, LayerNormAttrs>(call); }
Status kernelLayerNormGradient(const KernelCall &call) { return gradientOfRows<true, LayerNormAttrs>(call); }
Status kernelRmsNorm(const KernelCall &call) { return normalizeRows<false, RmsNormAttrs>(call); }
Status kernelRmsNormGradient(const KernelCall &call) { return gradientOfRows<false, RmsNormAttrs>(call); }

} // namespace tenon::rt::TENON_ISA

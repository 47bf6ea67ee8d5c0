//===- Dft.cpp - Fourier transforms along an axis ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FftRow.h"
#include "Kernels.h"

namespace tenon::rt::TENON_ISA {
namespace {

enum class Kind { forward, inverse, real, hermitian };

Kind kindOf(std::string_view kind) {
  return kind == "fft" ? Kind::forward : kind == "ifft" ? Kind::inverse : kind == "rfft" ? Kind::real : Kind::hermitian;
}

/// What a transform of length n is multiplied by: 1, 1 / n or 1 / sqrt(n).
template <class T>
T scaleOf(std::string_view divisor, int64_t n) {
  const auto length = static_cast<long double>(n);
  return static_cast<T>(divisor == "n" ? 1 / length : divisor == "sqrt" ? 1 / __builtin_sqrtl(length) : 1);
}

/// Blocks of a buffer up to which many rows are transformed at once: two buffers of 512 KiB. Rows that do not lie side
/// by side take longer to bring into lanes than a row of more than 128 elements does alone.
constexpr int64_t kMostBlocks = 4096, kMostBlocksApart = 129;

/// For the filter of a plan.
template <class T>
bool transformInPlace(const FftPlan<T> &plan, T *data) {
  const Scratch memory(2 * plan.length, sizeof(T));
  if (!memory)
    return false;
  const size_t bytes = static_cast<size_t>(2 * plan.length) * sizeof(T);
  __builtin_memcpy(memory.as<T>(), data, bytes);
  return transformRow(plan, pairsAt(memory.as<T>()), pairsAt(data), plan.length, nullptr) == Status::ok;
}

/// A real transform of even length n is a complex one of length n / 2, over pairs of neighbours. One of odd length is
/// complex with imaginary parts of 0. An inverse transform is a forward one with real and imaginary parts exchanged.
template <class T>
struct Dft {
  static constexpr int64_t lanes = kFftLanes<T>;
  Kind kind;
  int64_t n;
  /// The steps between elements, in elements of T.
  int64_t inStep, outStep;
  /// Of the results.
  T scale;
  const FftPlan<T> *plan;
  const uint32_t *cancel;

  bool isHalved() const { return kind >= Kind::real && n % 2 == 0; }
  int64_t half() const { return n / 2 + 1; }

  FftLine<T> in(T *x) const {
    switch (kind) {
    case Kind::inverse:
      return {x + 1, x, inStep};
    case Kind::real:
      return isHalved() ? FftLine<T>{x, x + inStep, 2 * inStep} : FftLine<T>{x, nullptr, inStep};
    default:
      return {x, x + 1, inStep};
    }
  }
  FftLine<T> out(T *y) const {
    switch (kind) {
    case Kind::inverse:
      return {y + 1, y, outStep, scale};
    case Kind::hermitian:
      return isHalved() ? FftLine<T>{y + outStep, y, 2 * outStep, scale} : FftLine<T>{nullptr, y, outStep, scale};
    default:
      return {y, y + 1, outStep, scale};
    }
  }

  /// One row in each lane. `memory` holds two buffers.
  void runLanes(const FftRows<T> &from, const FftRows<T> &to, T *memory) const {
    T *x = memory, *other = memory + fftBuffer(*plan) * kFftBlock<T>;
    from.load(0, kind == Kind::hermitian ? half() : plan->length, x);
    if (kind == Kind::hermitian) {
      if (isHalved())
        tangleLanes(*plan, x, other);
      else
        mirrorLanes(n, x, other);
      T *const made = other;
      other = x, x = made;
    }
    T *result = transformLanes(*plan, x, other);
    if (kind == Kind::real && isHalved()) {
      T *const halves = result;
      result = result == x ? other : x;
      untangleLanes(*plan, halves, result);
    }
    to.store(0, kind == Kind::real ? half() : plan->length, result);
  }

  Status runRow(T *x, T *y) const {
    if (kind < Kind::real || (kind == Kind::real && !isHalved()))
      return transformRow(*plan, in(x), out(y), kind == Kind::real ? half() : n, cancel);
    const Scratch memory(2 * plan->length, sizeof(T));
    if (!memory)
      return Status::outOfMemory;
    const FftLine<T> row = pairsAt(memory.as<T>());
    if (kind == Kind::real) {
      const Status status = transformRow(*plan, in(x), row, plan->length, cancel);
      return status == Status::ok ? untangleRow(*plan, row, out(y), cancel) : status;
    }
    if (isHalved()) {
      if (const Status status = tangleRow(*plan, in(x), row, cancel); status != Status::ok)
        return status;
    } else {
      for (int64_t k = 0; k < half(); ++k) {
        const FftLine<T> at = in(x).from(k);
        row.real[2 * k] = *at.real, row.imag[2 * k] = k ? *at.imag : T(0);
        if (k)
          row.real[2 * (n - k)] = *at.real, row.imag[2 * (n - k)] = -*at.imag;
      }
    }
    return transformRow(*plan, row.swapped(), out(y), plan->length, cancel);
  }

  Status run(T *x, const Strided &from, int64_t inUnit, T *y, const Strided &to, int64_t outUnit, int64_t count) const {
    auto inOf = [&](int64_t row) { return from.offset(row) * inUnit; };
    auto outOf = [&](int64_t row) { return to.offset(row) * outUnit; };
    std::atomic<Status> worst = Status::ok;
    auto runRows = [&](int64_t lo, int64_t hi) {
      for (; lo < hi; ++lo)
        if (const Status status = runRow(x + inOf(lo), y + outOf(lo)); status != Status::ok)
          worst.store(status, std::memory_order_relaxed);
    };
    const bool isShort = !plan->inner && plan->columns == 1;
    auto areNeighbors = [](const Nest &nest) { return nest.strides[0][nest.rank - 1] == 1; };
    const int64_t most = areNeighbors(from.nest) && areNeighbors(to.nest) ? kMostBlocks : kMostBlocksApart;
    if (!isShort && (fftBuffer(*plan) > most || count < lanes / 2)) {
      // Each row is shared by the threads, or each thread has rows of its own.
      if (count < threadCount())
        runRows(0, count);
      else if (!parallelFor(count, larger<int64_t>(1, kGrain / n), runRows, cancel))
        return Status::cancelled;
      return worst.load(std::memory_order_relaxed);
    }
    auto runGroups = [&](int64_t lo, int64_t hi) {
      const Scratch memory(2 * fftBuffer(*plan) * kFftBlock<T>, sizeof(T));
      if (!memory)
        return worst.store(Status::outOfMemory, std::memory_order_relaxed);
      for (; lo < hi; ++lo) {
        const int64_t first = lo * lanes, here = smaller(lanes, count - first);
        if (here < lanes / 2 && !isShort) {
          runRows(first, first + here);
          continue;
        }
        int64_t inOffsets[lanes], outOffsets[lanes];
        for (int64_t l = 0; l < here; ++l)
          inOffsets[l] = inOf(first + l), outOffsets[l] = outOf(first + l);
        runLanes(FftRows<T>(in(x), inOffsets, here), FftRows<T>(out(y), outOffsets, here), memory.as<T>());
      }
    };
    if (!parallelFor(ceilDivide(count, lanes), larger<int64_t>(1, kGrain / (n * lanes)), runGroups, cancel))
      return Status::cancelled;
    return worst.load(std::memory_order_relaxed);
  }
};

template <class T>
Status runDft(const KernelCall &call, Kind kind, int axis) {
  const View &x = call.operands[0], &y = call.results[0];
  int64_t dims[kMaxRank], inStrides[kMaxRank], outStrides[kMaxRank], count = 1;
  int rank = 0;
  for (int i = 0; i < x.rank; ++i)
    if (i != axis) {
      dims[rank] = x.dims[i], inStrides[rank] = x.strides[i], outStrides[rank++] = y.strides[i];
      count *= x.dims[i];
    }
  const int64_t inUnit = kind == Kind::real ? 1 : 2, outUnit = kind == Kind::hermitian ? 1 : 2;
  const int64_t n = kind == Kind::hermitian ? y.dims[axis] : x.dims[axis];
  Dft<T> dft = {kind,
                n,
                x.strides[axis] * inUnit,
                y.strides[axis] * outUnit,
                scaleOf<T>(DftAttrs::read(call.attributes).divisor, n),
                nullptr,
                call.cancel};
  dft.plan = acquireFftPlan<T>(dft.isHalved() ? dft.n / 2 : dft.n, dft.isHalved(), transformInPlace<T>);
  if (!dft.plan)
    return Status::outOfMemory;
  const Status status = dft.run(static_cast<T *>(x.data), makeStrided(x.data, rank, dims, inStrides), inUnit,
                                static_cast<T *>(y.data), makeStrided(y.data, rank, dims, outStrides), outUnit, count);
  releaseFftPlan(dft.plan);
  return status;
}

} // namespace

Status kernelDft(const KernelCall &call) {
  const DftAttrs a = DftAttrs::read(call.attributes);
  if (call.results[0].count() == 0)
    return Status::ok;
  const bool isWide = call.operands[0].dtype == Dtype::f64 || call.operands[0].dtype == Dtype::c128;
  const auto axis = static_cast<int>(a.axis);
  return isWide ? runDft<double>(call, kindOf(a.kind), axis) : runDft<float>(call, kindOf(a.kind), axis);
}

} // namespace tenon::rt::TENON_ISA

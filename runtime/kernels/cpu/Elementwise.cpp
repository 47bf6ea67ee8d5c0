//===- Elementwise.cpp - elementwise ops over any rank ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Elementwise.h"
#include "Kernels.h"
#include "Table.h"

namespace tenon::rt::TENON_ISA {

ElementwiseKernel elementwiseLoop(OpCode op, Dtype dtype, Dtype to) {
  switch (op) {
#define TENON_ARITHMETIC(op, ...)                                                                                      \
  case OpCode::op:                                                                                                     \
    return arithmeticLoop(OpCode::op, dtype);
#define TENON_COMPARISON(op, ...)                                                                                      \
  case OpCode::op:                                                                                                     \
    return comparisonLoop(OpCode::op, dtype);
#define TENON_MATH(op, ...)                                                                                            \
  case OpCode::op:                                                                                                     \
    return mathLoop(OpCode::op, dtype);
#define TENON_BY_HAND(op, Stem)                                                                                        \
  case OpCode::op:                                                                                                     \
    return loop##Stem(dtype, to);
#include "runtime/math/Elementwise.gen.inc"
  default:
    return nullptr;
  }
}

/// Lanes lie apart along the last axis, together along another.
static bool isTransposed(const Nest &nest, size_t view) {
  const int inner = nest.rank - 1;
  if (nest.strides[view][inner] <= 1 || nest.count() < 4096)
    return false;
  for (int axis = 0; axis < inner; ++axis)
    if (nest.strides[view][axis] == 1)
      return true;
  return false;
}

[[gnu::noinline]] static Status onPacked(const KernelCall &call, ElementwiseKernel loop, size_t which) {
  View operands[Nest::kMaxViews];
  for (size_t i = 0; i < call.operands.size(); ++i)
    operands[i] = call.operands[i];
  View &packed = operands[which];
  int64_t strides[kMaxRank];
  denseStrides(packed.rank, packed.dims, strides);
  const Scratch memory(packed.count(), item_size(packed.dtype));
  if (!memory)
    return Status::outOfMemory;
  packed.data = memory.as<void>();
  packed.strides = strides;
  if (Status status = copyView(call.operands[which], packed); status != Status::ok)
    return status;
  return onElements({call.op, {operands, call.operands.size()}, call.results, call.attributes, call.cancel}, loop);
}

//===----------------------------------------------------------------------===//
// Broadcasting along short rows
//===----------------------------------------------------------------------===//

namespace {

/// Rows of fewer elements than a register holds, one after another in the result. A loop over each would do little but
/// begin and end, so some hundred rows are taken as one: operands that repeat are written out for that many.
class ShortRowsLoop {
public:
  ShortRowsLoop(const Nest &nest, ElementwiseKernel loop, void *const *data, std::span<const Dtype> dtypes)
      : nest_(nest), loop_(loop), data_(data), count_(static_cast<int>(dtypes.size()) - 1) {
    int64_t widest = 1, narrowest = 16;
    for (int v = 0; v <= count_; ++v) {
      sizes_[v] = static_cast<int64_t>(item_size(dtypes[static_cast<size_t>(v)]));
      widest = larger(widest, sizes_[v]);
      if (v < count_)
        narrowest = smaller(narrowest, sizes_[v]);
    }
    // Whole registers where that is possible, so that no block has a rest.
    const int64_t lanes = 64 / narrowest, most = kBytes / (nest.dims[1] * widest);
    rows_ = most < lanes ? most : most / lanes * lanes;
  }

  /// Whether this is such a case, and worth it.
  static bool takes(const Nest &nest, int views) {
    if (nest.rank != 2 || nest.dims[1] >= kLength || nest.count() < 512)
      return false;
    bool repeats = false;
    for (int v = 0; v < views; ++v) {
      const int64_t *strides = nest.strides[v];
      const bool isDense = strides[1] == 1 && strides[0] == nest.dims[1];
      const bool isRepeated = v < views - 1 && ((strides[1] == 1 && strides[0] == 0) || strides[1] == 0);
      if (!isDense && !isRepeated)
        return false;
      repeats |= isRepeated;
    }
    return repeats;
  }

  Status run(const uint32_t *cancel) const {
    const int64_t grain = larger<int64_t>(1, kGrain / nest_.dims[1] / rows_) * rows_;
    const bool isDone = parallelFor(
        ceilDivide(nest_.dims[0], grain), 1,
        [&](int64_t lo, int64_t hi) { runRows(lo * grain, smaller(nest_.dims[0], hi * grain)); }, cancel);
    return isDone ? Status::ok : Status::cancelled;
  }

private:
  static constexpr int64_t kBytes = 8192, kLength = 16;
  /// A row may be written past its end, over the beginning of the next one.
  struct alignas(64) Buffer {
    char sources[kLength * 64]; ///< see writeSources
    char bytes[kBytes + kLength * sizeof(Wide16)];
  };

  bool isDense(int v) const { return nest_.strides[v][1] == 1 && nest_.strides[v][0] != 0; }

  void runRows(int64_t row, int64_t end) const {
    const int64_t length = nest_.dims[1];
    Buffer buffers[maxElementwiseOperands];
    for (int v = 0; v < count_; ++v)
      if (!isDense(v) && nest_.strides[v][0] == 0)
        writeRows(v, row, smaller(rows_, end - row), buffers[v]);
      else if (isSpread(v))
        ofSize(static_cast<size_t>(sizes_[v]), [&]<class T>() { writeSources<T>(buffers[v]); });
    for (; row < end; row += rows_) {
      ElementwiseCall call{};
      const int64_t rows = smaller(rows_, end - row);
      call.n = 1, call.m = rows * length;
      for (int v = 0; v < count_; ++v) {
        call.strides[v][1] = 1;
        call.operands[v] = buffers[v].bytes;
        if (isDense(v))
          call.operands[v] = at(v, row);
        else if (nest_.strides[v][0] != 0)
          writeRows(v, row, rows, buffers[v]);
      }
      call.result = at(count_, row);
      call.resultStrides[1] = 1;
      loop_(call);
    }
  }

  /// Operands with one element for each row, which lie together.
  bool isSpread(int v) const { return nest_.strides[v][1] == 0 && nest_.strides[v][0] == 1; }

  template <class T>
  static constexpr int kLanes = sizeof(T) <= 8 ? math::nativeLanes<T> : 0;

  /// For register i of rows that are written out: which of the rows' elements each lane has.
  template <class T>
  void writeSources(Buffer &to) const {
    if constexpr (constexpr int N = kLanes<T>; N > 0) {
      auto *source = reinterpret_cast<T *>(to.sources);
      for (int64_t row = 0; row < N; ++row)
        for (int64_t j = 0; j < nest_.dims[1]; ++j)
          *source++ = static_cast<T>(row);
    }
  }

  char *at(int v, int64_t row) const { return static_cast<char *>(data_[v]) + row * nest_.strides[v][0] * sizes_[v]; }

  /// Writes rows of operand v one after another.
  void writeRows(int v, int64_t row, int64_t rows, Buffer &to) const {
    ofSize(static_cast<size_t>(sizes_[v]), [&]<class T>() {
      const T *from = reinterpret_cast<const T *>(at(v, row));
      auto *out = reinterpret_cast<T *>(to.bytes);
      const int64_t length = nest_.dims[1], stride = nest_.strides[v][0];
      if (nest_.strides[v][1] == 1) { // one row for all: doubles what is written
        __builtin_memcpy(out, from, static_cast<size_t>(length) * sizeof(T));
        for (int64_t done = length; done < rows * length; done *= 2)
          __builtin_memcpy(out + done, out, static_cast<size_t>(smaller(done, rows * length - done)) * sizeof(T));
        return;
      }
      int64_t r = 0;
      if constexpr (constexpr int N = kLanes<T>; N > 0)
        if (stride == 1)
          for (; r + N <= rows; r += N, from += N)
            for (int64_t j = 0; j < length; ++j, out += N) {
              const auto sources = math::load<Vec<T, N>>(reinterpret_cast<const T *>(to.sources) + j * N);
              math::store(out, __builtin_shuffle(math::load<Vec<T, N>>(from), sources));
            }
      auto repeat = [&]<int Most>(std::integral_constant<int, Most>) {
        for (; r < rows; ++r, out += length, from += stride)
          for (int j = 0; j < Most; ++j)
            out[j] = *from;
      };
      if (length <= 4)
        repeat(std::integral_constant<int, 4>());
      else if (length <= 8)
        repeat(std::integral_constant<int, 8>());
      else
        repeat(std::integral_constant<int, 16>());
    });
  }

  const Nest &nest_;
  const ElementwiseKernel loop_;
  void *const *const data_;
  const int count_;
  int64_t sizes_[Nest::kMaxViews], rows_;
};

} // namespace

Status onElements(const KernelCall &call, ElementwiseKernel loop) {
  const View &result = call.results[0];
  const size_t count = call.operands.size();
  const int64_t *strides[Nest::kMaxViews];
  void *data[Nest::kMaxViews];
  Dtype dtypes[Nest::kMaxViews];
  for (size_t i = 0; i <= count; ++i) {
    const View &view = i == count ? result : call.operands[i];
    strides[i] = view.strides;
    data[i] = view.data;
    dtypes[i] = view.dtype;
  }
  const Nest nest = makeNest(result.rank, result.dims, {strides, count + 1});
  // Packing a large transposed operand costs less than gathering its lanes.
  for (size_t i = 0; i < count && nest.rank > 1; ++i)
    if (isTransposed(nest, i))
      return onPacked(call, loop, i);
  if (ShortRowsLoop::takes(nest, static_cast<int>(count) + 1))
    return ShortRowsLoop(nest, loop, data, {dtypes, count + 1}).run(call.cancel);
  return runLoop(nest, loop, data, {dtypes, count + 1}, call.cancel);
}

Status kernelElementwise(const KernelCall &call) {
  const size_t count = call.operands.size();
  // Conditions come first, so that the last operand has the dtype of the op.
  const ElementwiseKernel loop = elementwiseLoop(call.op, call.operands[count - 1].dtype, call.results[0].dtype);
  if (!loop || count > maxElementwiseOperands)
    return Status::failed;
  return onElements(call, loop);
}

} // namespace tenon::rt::TENON_ISA

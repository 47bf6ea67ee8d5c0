//===- Kernel.h - what an eager kernel is called with -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One signature for every kernel. The eager interpreter calls it with views of
// arrays, a schedule's library step with views of its arena: the same code on
// the same strides, so the bits are the same.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

#include <string>

namespace tenon {
enum class CompositeId : uint16_t;
}

namespace tenon::rt {

struct Stream;

/// A strided block of elements. `data` is the element of index (0, 0, ...).
struct View {
  void *data = nullptr;
  Dtype dtype = Dtype::f32;
  uint8_t rank = 0;
  const int64_t *dims = nullptr;
  /// In elements; zero repeats, negative walks backwards.
  const int64_t *strides = nullptr;

  [[gnu::always_inline]] int64_t count() const {
    int64_t product = 1;
    for (int i = 0; i < rank; ++i)
      product *= dims[i];
    return product;
  }
  bool isDense() const {
    int64_t expected = 1;
    for (int i = rank - 1; i >= 0; --i) {
      if (dims[i] != 1 && strides[i] != expected)
        return count() == 0;
      expected *= dims[i];
    }
    return true;
  }
};

/// 0 is success; anything else stops the schedule. Kernels do not throw.
enum class Status : int32_t {
  ok = 0,
  outOfMemory = 1,
  cancelled = 2,
  failed = 3,
  /// See cpuError().
  unsupportedCpu = 4,
  /// Of a composite's kernel, which has done nothing: the decomposition runs.
  declined = 5,
  /// An index is outside of its axis, see Fault; nothing was written.
  outOfBounds = 6,
  /// A guard's number is another one than when it was recorded, see Fault.
  otherwise = 7,
};

/// Of Status::outOfBounds, which index it is: `window` elements from `index` on are not
/// all among the `size` of axis `axis`. Of Status::otherwise, the `answer` that was not expected.
struct Fault {
  int64_t index = 0, axis = 0, size = 0, window = 1;
  int64_t answer = 0;
};

struct KernelCall {
  OpCode op;
  std::span<const View> operands;
  /// Allocated by the caller, dense, of the types the shape rule says; they
  /// alias no operand (an elementwise kernel allows result = operand, dense; the
  /// operand that a record says is updated may be the result, in one place).
  std::span<const View> results;
  AttrWords attributes;
  /// Polled between chunks; null: not cancellable.
  const uint32_t *cancel = nullptr;
  /// Of a device, which does it later; null on the host.
  Stream *stream = nullptr;
  /// Which one, if the op is a composite.
  CompositeId composite = {};
  /// Where an index that is out of bounds is told; null: nobody asks.
  Fault *fault = nullptr;
};

using Kernel = Status (*)(const KernelCall &call);

/// The kernel of the op for this CPU; null for an op that has none (it has regions).
/// On a CPU older than x86-64-v3 every kernel returns Status::unsupportedCpu.
Kernel kernel(OpCode op);

/// The kernel that stands for a composite's decomposition, for this CPU, called with
/// the composite's own attributes; null: there is none.
Kernel compositeKernel(CompositeId id);

/// An elementwise kernel over at most two innermost loops, for the dispatch
/// path: `n` rows of `m` elements. Strides in elements; stride[i][1] is 0 or 1
/// on the fast paths. One operand dtype (conditions are bool), one result dtype.
struct ElementwiseCall {
  const void *operands[maxElementwiseOperands];
  void *result;
  int64_t n, m;
  int64_t strides[maxElementwiseOperands][2];
  int64_t resultStrides[2];
};
using ElementwiseKernel = void (*)(const ElementwiseCall &call);

/// The loop of an elementwise op for operands of `dtype`, conditions apart (of
/// astype, `to` is the result's dtype); null if the op has none.
ElementwiseKernel elementwiseKernel(OpCode op, Dtype dtype, Dtype to = Dtype::bool_);

/// Copies `from` into `to` (same dims and dtype, any strides): packing.
Status copy(const View &from, const View &to);

/// Why this CPU cannot run kernels, naming what it lacks; "" if it can.
std::string cpuError();

/// What the op `print` does: writes `format` with the operands' values. The
/// runtime knows no formatting, so the library above sets it; without one the
/// format is written to standard output as it stands, on a line of its own.
using Printer = Status (*)(std::string_view format, std::span<const View> operands);
void setPrinter(Printer printer);

/// What the ops `check`, where its condition does not hold, and `host_call` do. They throw what
/// a run, or the eager op, throws then; without the library above an Error.
using HostKernel = Status (*)(const KernelCall &call);
void setHostKernels(HostKernel fail, HostKernel call);

} // namespace tenon::rt

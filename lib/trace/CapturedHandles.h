//===- CapturedHandles.h - the handles that a trace has captured arrays from ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace captures the value that a handle holds, so a later assignment to the
// handle does not reach the program. To say so, jit watches the handles: while a
// function is traced, ops report the handles of their operands. The value of a
// watched handle has the bit `captured` in its reference count, so destructors
// and assignments of handles that hold other values test nothing more than before.
//
// Not watched: a handle on the stack of the call that traces, a copy of a handle,
// and a handle after its value was moved out of it.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <atomic>
#include <span>
#include <string>
#include <vector>

namespace tenon::detail {

/// The handles that one trace, and the program made of it, has captured arrays from.
class CapturedHandles {
public:
  CapturedHandles() = default;
  CapturedHandles(const CapturedHandles &) = delete;
  ~CapturedHandles();

  /// Watches `handle`, which holds `value`, a buffer; `at` is the line that used it first.
  void watch(const Array *handle, Value *value, Location at);
  /// The trace is complete: keeps the handles of `captured` values alone. From now on assignments count.
  void complete(std::span<const Array> captured);
  /// Watches the handles that are still watched here also for the functions that are being traced around.
  void watchAround() const;
  /// Whether a handle was assigned since the trace, and nobody has taken that yet.
  bool areStale() const { return stale_.load(std::memory_order_relaxed); }
  /// The arrays whose handles were assigned, with their lines; empty if there are none. `isOnce`: they are not said
  /// again.
  std::string staleText(bool isOnce);

private:
  friend struct HandleTable;
  struct One {
    const Array *handle;
    Array value;
    Location at;
    enum State : uint8_t { watched, assigned, said, gone } state = watched;
  };
  /// All under the table's lock, but for `stale_`. Few handles hold many values.
  std::vector<One> all_;
  bool isComplete_ = false;
  std::atomic<bool> stale_ = false;
};

/// An op has `handle` as an operand, at `at`: functions that are being traced watch it if it holds a buffer.
void noteOperand(const Array *handle, Location at);

} // namespace tenon::detail

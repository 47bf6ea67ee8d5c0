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
// and a handle that was moved from.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>
#include <tenon/detail/state_ref.h>

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
  /// Ends the trace: stops watching handles whose values are not in `captured`. From now on, assigning a watched handle
  /// makes it stale.
  void complete(std::span<const Array> captured);
  /// Makes the enclosing traces watch the same handles: a call of this function inside them captures the same arrays.
  void watchAround() const;
  /// Whether a watched handle was assigned after the trace and `staleText(true)` has not reported it yet.
  bool areStale() const { return stale_.load(std::memory_order_relaxed); }
  /// Describes the first stale array, where it was captured, and how many others there are; empty if none is stale.
  /// `isOnce`: does not report these again.
  std::string staleText(bool isOnce);

private:
  friend struct HandleTable;
  struct One {
    const Array *handle;
    /// Not an Array: moving or destroying one looks for its handle, which takes the table's lock.
    StateRef<Value> value;
    Location at;
    enum State : uint8_t { watched, assigned, said, gone } state = gone;
  };
  /// The table's lock guards all members but `stale_`.
  std::vector<One> all_;
  bool isComplete_ = false;
  std::atomic<bool> stale_ = false;
};

/// Tells the traces in progress that an op at `at` reads `handle`. They watch it if it holds a buffer, that is, a
/// captured array.
void noteOperand(const Array *handle, Location at);

} // namespace tenon::detail

//===- Serial.h - what a buffer is known by -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer's address is used again when it is gone; its serial is not. It has none (0)
// before somebody wants to know it again. Where a Value is handed out that now means
// something else (a donated buffer, one that is written in place), it loses its serial.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/value.h>

namespace tenon::detail {

/// Where the serial is: in the place of the event that a buffer on the CPU and a view have not,
/// else at the end of the block.
inline uint64_t *placeOfSerial(Value *buffer) {
  const bool hasEvent = !buffer->isOn(Device::cpu) && !buffer->base;
  return hasEvent ? reinterpret_cast<uint64_t *>(buffer->strides() + buffer->rank()) : &buffer->owner;
}
inline bool hasSerial(const Value *buffer) {
  return __atomic_load_n(placeOfSerial(const_cast<Value *>(buffer)), __ATOMIC_RELAXED) != 0;
}
inline void loseSerial(Value *buffer) { __atomic_store_n(placeOfSerial(buffer), 0, __ATOMIC_RELAXED); }

} // namespace tenon::detail

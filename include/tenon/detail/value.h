//===- value.h - what an Array's handle points to ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One struct for everything an Array can hold: a buffer, a view of another
// value's buffer, or a value of an interpreter (traced, differentiated,
// batched). A small array is one allocation: this header, its sizes and
// strides, then its elements.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/device.h>
#include <tenon/dim.h>
#include <tenon/dtype.h>
#include <tenon/location.h>

namespace tenon {
class Array;
}

namespace tenon::detail {

/// Who is told, once and on any thread, that foreign memory is not used anymore.
struct Release {
  void (*function)(void *context);
  void *context;
  void operator()() const { function(context); }
};

struct Value {
  /// The number of handles of this value, counted with __atomic builtins, and the bit `captured`.
  uint32_t references;
  /// dtype | rank << 8 | kind of device << 13 | its index << 16 | flags << 24.
  uint32_t word;
  /// 0: a buffer. Else a value of the interpreter `owner`.
  uint32_t isTraced;
  /// A buffer: bytes of this block. Else the interpreter's number of the value.
  uint32_t number;
  /// The first element (of index 0, 0, ...). Not a buffer: the file in which the
  /// value was made, for errors (see `place`).
  void *data;
  /// A view: whose buffer `data` points into. Reverse, Forward and Batch: the
  /// value below. A reference is held. Null for a value that owns its buffer.
  Value *base;
  union {
    /// A buffer of a device that owns its elements: the event after which they may be read.
    /// Of a view its owner's counts.
    void *ready;
    /// Not a buffer: the id of its interpreter, never used twice. Another buffer: its serial, or 0.
    uint64_t owner;
  };
  /// Bytes of the separate allocation at `data` that this value owns, or 0. Not
  /// a buffer: line << 32 | column.
  size_t ownedBytes;

  /// Row-major without gaps.
  static constexpr uint32_t dense = 1u << 24;
  /// A buffer of which its thread has noted where it was made.
  static constexpr uint32_t noted = 1u << 25;
  /// A buffer on the CPU whose elements are somebody else's memory; its block ends
  /// with who is told when nobody refers to it anymore, see foreignTo().
  static constexpr uint32_t foreign = 1u << 26;
  /// A value of Forward: its block ends with its tangent, see tangent().
  static constexpr uint32_t moving = 1u << 27;

  /// In `references`: jit watches a handle of this value (lib/trace/CapturedHandles.h). The bit is set only while the
  /// watcher holds a reference, so the last release never sees it.
  static constexpr uint32_t captured = 1u << 31;

  static Dtype dtypeOf(uint32_t word) { return static_cast<Dtype>(word & 0xff); }
  static int rankOf(uint32_t word) { return static_cast<int>(word >> 8 & 0x1f); }
  static Device deviceOf(uint32_t word) {
    return {static_cast<DeviceKind>(word >> 13 & 7), static_cast<uint8_t>(word >> 16)};
  }
  static constexpr uint32_t deviceBits(Device device) {
    return static_cast<uint32_t>(device.kind) << 13 | static_cast<uint32_t>(device.index) << 16;
  }
  Dtype dtype() const { return dtypeOf(word); }
  int rank() const { return rankOf(word); }
  Device device() const { return deviceOf(word); }
  /// device() == device, in one comparison.
  bool isOn(Device device) const {
    return (word & deviceBits({static_cast<DeviceKind>(7), 0xff})) == deviceBits(device);
  }
  bool isDense() const { return word & dense; }
  bool isBuffer() const { return isTraced == 0; }
  bool isOf(uint64_t interpreter) const { return isTraced && owner == interpreter; }
  /// Where a value that is not a buffer was made.
  Location place() const {
    Location at;
    at.file = static_cast<const char *>(data);
    at.line = static_cast<unsigned>(ownedBytes >> 32);
    at.column = static_cast<unsigned>(ownedBytes);
    return at;
  }
  Dim *dims() { return reinterpret_cast<Dim *>(this + 1); }
  const Dim *dims() const { return reinterpret_cast<const Dim *>(this + 1); }
  /// In elements, one per axis; may be zero or negative. Buffers only.
  int64_t *strides() { return reinterpret_cast<int64_t *>(dims() + rank()); }
  const int64_t *strides() const { return reinterpret_cast<const int64_t *>(dims() + rank()); }
  /// Of a value of Forward; a reference is held.
  Value *&tangent() { return *reinterpret_cast<Value **>(strides() + rank()); }
  /// Of foreign memory.
  Release *foreignTo() { return reinterpret_cast<Release *>(strides() + rank()); }
  Shape shape() const { return Shape::of(dims(), rank()); }
  /// Number of elements of a buffer (its sizes are integers).
  int64_t count() const {
    int64_t product = 1;
    for (int i = 0; i < rank(); ++i)
      product *= dims()[i].raw();
    return product;
  }
  static constexpr uint32_t makeWord(Dtype dtype, int rank, Device device, uint32_t flags) {
    return static_cast<uint32_t>(dtype) | static_cast<uint32_t>(rank) << 8 | deviceBits(device) | flags;
  }
};
static_assert(sizeof(Value) == 48 && sizeof(Dim) == 8 && max_rank < 32);

inline void retain(Value *value) {
  if (value)
    __atomic_fetch_add(&value->references, 1, __ATOMIC_RELAXED);
}
void destroy(Value *value) noexcept;
inline void release(Value *value) noexcept {
  if (value && __atomic_fetch_sub(&value->references, 1, __ATOMIC_ACQ_REL) == 1)
    destroy(value);
}

/// `value` has the bit `captured`, and `handle` does not hold it any more: it was destroyed, moved from, or assigned
/// another value.
void leftByDestroyed(const Array *handle, Value *value) noexcept;
void leftByMoved(const Array *handle, Value *value) noexcept;
void leftByAssigned(const Array *handle, Value *value) noexcept;
/// release(value) of a handle. One comparison finds both the last reference and the bit `captured`.
template <void (*left)(const Array *, Value *) noexcept>
inline void releaseFrom(const Array *handle, Value *value) noexcept {
  if (!value)
    return;
  const int32_t before = static_cast<int32_t>(__atomic_fetch_sub(&value->references, 1, __ATOMIC_ACQ_REL));
  if (before > 1)
    return;
  if (before == 1)
    destroy(value);
  else
    left(handle, value);
}
/// The reference that `handle` holds in `held`; it is empty afterwards.
inline Value *take(const Array *handle, Value *&held) noexcept {
  Value *const value = held;
  held = nullptr;
  if (value && __atomic_load_n(&value->references, __ATOMIC_RELAXED) & Value::captured) [[unlikely]]
    leftByMoved(handle, value);
  return value;
}

} // namespace tenon::detail

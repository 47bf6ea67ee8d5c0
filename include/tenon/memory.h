//===- memory.h - arrays on memory of the host program --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays on memory of the host program: the elements are not copied, and a deleter is called when no array uses them
// any more. Until then the elements must not change, since arrays are immutable.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <optional>
#include <vector>

namespace tenon {

struct MemoryOptions {
  /// Stride of each axis in elements, which may be negative or 0; default: row-major without gaps.
  std::optional<std::vector<int64_t>> strides = {};
  /// Donates the memory: ops may write their results into it if it is row-major and aligned to 64 bytes. The caller
  /// must not read or write donated memory before the deleter is called. Memory that is not donated is only read.
  bool donated = false;
};

namespace detail {
/// Throws an Error: the vector has another number of elements than the shape.
[[noreturn]] void throwCount(size_t count, const Shape &shape, Location at);
Array fromMemory(const void *data, Dtype dtype, const Shape &shape, const MemoryOptions &options, Release release,
                 Location at);

/// Calls a deleter and destroys it. If it cannot be stored, it is called at once.
template <class Deleter>
Release releaseBy(Deleter &&deleter) {
  using Held = std::remove_cvref_t<Deleter>;
  auto call = [](void *context) {
    auto *held = static_cast<Held *>(context);
    (*held)();
    delete held;
  };
  try {
    return {call, new Held(std::forward<Deleter>(deleter))};
  } catch (...) {
    deleter();
    throw;
  }
}
} // namespace detail

/// Returns an array of the elements at `data` (that of index 0, 0, ...) on the CPU. Elements are copied only if they
/// are not aligned for their C++ type. `deleter()` is called once, on whichever thread releases the last array that
/// uses the memory (immediately if the elements were copied, and also if this function throws), and must not throw.
/// The caller guarantees that all of the memory exists and that bools are 0 or 1. Symbolic or negative sizes, more
/// than 2^63 bytes and a null pointer are Errors.
template <class Deleter>
  requires requires(Deleter deleter) { deleter(); }
Array from_memory(const void *data, Dtype dtype, const Shape &shape, Deleter &&deleter,
                  const MemoryOptions &options = {}, Location at = Location::current()) {
  return detail::fromMemory(data, dtype, shape, options, detail::releaseBy(std::forward<Deleter>(deleter)), at);
}

/// Returns an array of a vector's elements, row-major. The vector is moved, not copied.
template <Element T>
  requires(!std::is_same_v<T, bool>)
Array from_memory(std::vector<T> &&elements, const Shape &shape, Location at = Location::current()) {
  if (element_count(shape).raw() != static_cast<int64_t>(elements.size()))
    detail::throwCount(elements.size(), shape, at);
  const T *data = elements.data();
  return from_memory(data, dtype_of<T>, shape, [kept = std::move(elements)] {}, {.donated = true}, at);
}

/// Returns how many bytes arrays and programs hold on a device now, in whole blocks of the allocator. The null device
/// uses the CPU's memory and gives the CPU's numbers.
size_t memory_in_use(Device device = default_device(), Location at = Location::current());
/// Returns the most bytes that were held at once since the process began, with the small blocks that the allocator
/// keeps for reuse.
size_t peak_memory(Device device = default_device(), Location at = Location::current());
/// Gives the memory of freed arrays, which is kept for reuse, back to the system, on all devices.
void release_cache();

} // namespace tenon

//===- Foreign.cpp - arrays of somebody else's memory ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory belongs to a row-major buffer that ends with who is told. What the
// user gets is a view of it, which no op takes for its own: ops write in place only
// where a buffer is nobody's view. Memory that is given up is that buffer itself.
//===----------------------------------------------------------------------===//
#include "lib/array/Buffer.h"
#include "lib/array/StridedData.h"

#include <tenon/memory.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// Calls it, unless it was taken.
class HeldRelease {
public:
  explicit HeldRelease(Release release) : release_(release) {}
  ~HeldRelease() {
    if (release_.function)
      release_();
  }
  HeldRelease(const HeldRelease &) = delete;
  Release get() const { return release_; }
  void taken() { release_ = {}; }

private:
  Release release_;
};
} // namespace

/// What kernels rely on of each element, and of buffers that they write.
static constexpr size_t bufferAlignment = 64;
static size_t alignmentOf(Dtype dtype) {
  return visitDtype(dtype, [&]<Dtype D>() { return alignof(typename ElementOf<D>::type); });
}
static bool isAligned(const void *data, size_t alignment) { return reinterpret_cast<uintptr_t>(data) % alignment == 0; }

static bool hasNoElements(const ForeignMemory &memory) {
  return std::any_of(memory.dims.begin(), memory.dims.end(), [](Dim dim) { return dim.raw() == 0; });
}

/// The strides of a row-major array; an Error where the bytes of all elements, or the
/// way from the first to the last, do not fit 63 bits.
static void checkSizes(const ForeignMemory &memory, std::span<int64_t> strides) {
  auto item = static_cast<int64_t>(item_size(memory.dtype));
  auto fail = [&](const std::string &message) {
    throw Error(message + ", got " + describe(memory.dtype, Shape(memory.dims)));
  };
  for (Dim dim : memory.dims)
    if (!dim.is_static() || dim.raw() < 0)
      throw Error("expected sizes that are integers >= 0, got the shape " + Shape(memory.dims).str());
  int64_t bytes = item, stride = 1;
  for (size_t i = memory.dims.size(); i-- > 0;) {
    strides[i] = stride;
    const int64_t dim = std::max<int64_t>(memory.dims[i].raw(), 1);
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      fail("expected fewer than 2^63 bytes");
    stride *= dim;
  }
  if (!memory.strides)
    return;
  if (memory.strides->size() != memory.dims.size())
    throw Error("expected a stride for each of " + std::to_string(memory.dims.size()) + " axes, got " +
                std::to_string(memory.strides->size()));
  if (hasNoElements(memory))
    return; // strides of no elements say nothing
  std::copy(memory.strides->begin(), memory.strides->end(), strides.begin());
  int64_t reach[2] = {0, 0}; // in bytes, below and above the first element
  for (size_t i = 0; i < memory.dims.size(); ++i) {
    int64_t way = 0;
    int64_t &end = reach[strides[i] > 0];
    if (memory.dims[i].raw() > 1 && (__builtin_mul_overflow(memory.dims[i].raw() - 1, strides[i], &way) ||
                                     __builtin_mul_overflow(way, item, &way) || __builtin_add_overflow(end, way, &end)))
      fail("expected strides that reach fewer than 2^63 bytes, got stride " + std::to_string(strides[i]));
  }
}

static Array arrayOf(const ForeignMemory &memory, HeldRelease &release, Location at) {
  if (memory.dims.size() > size_t(max_rank))
    throw Error("expected at most " + std::to_string(max_rank) + " axes, got " + std::to_string(memory.dims.size()));
  int64_t numbers[max_rank];
  const std::span<int64_t> strides(numbers, memory.dims.size());
  checkSizes(memory, strides);
  const bool isEmpty = hasNoElements(memory);
  if (!memory.data && !isEmpty)
    throw Error("expected the address of " + describe(memory.dtype, Shape(memory.dims)) + ", got null");
  if (isEmpty || !isAligned(memory.data, alignmentOf(memory.dtype))) {
    Array copy = Array::adopt(makeBuffer(memory.dtype, memory.dims, Device::cpu, at));
    copyDense({memory.data,
               memory.dtype,
               {reinterpret_cast<const int64_t *>(memory.dims.data()), memory.dims.size()},
               strides},
              static_cast<std::byte *>(copy.value()->data));
    return copy;
  }
  void *data = const_cast<void *>(memory.data);
  Array owner = Array::adopt(makeForeign(memory.dtype, memory.dims, data, release.get()));
  release.taken();
  Array view = Array::adopt(makeView(owner.value(), memory.dims, strides, data));
  const bool isOurs = memory.isGivenUp && view.value()->isDense() && isAligned(data, bufferAlignment);
  return isOurs ? owner : view;
}

Array detail::foreignArray(const ForeignMemory &memory, Release release, const char *what, Location at) {
  HeldRelease held(release);
  try {
    return arrayOf(memory, held, at);
  } catch (const Error &error) {
    throw Error(error.location().known() ? error.what() : std::string(what) + ": " + error.what(), at);
  }
}

void detail::throwCount(size_t count, const Shape &shape, Location at) {
  throw Error("from_memory: expected " + element_count(shape).str() + " elements for the shape " + shape.str() +
                  ", got " + std::to_string(count),
              at);
}

static rt::MemoryStatistics memoryOf(const char *what, Device device, Location at) {
  if (!rt::findDevice(device))
    throw Error(std::string(what) + ": expected " + rt::deviceNames() + ", got " + name(device), at);
  return rt::memoryStatistics();
}

size_t tenon::memory_in_use(Device device, Location at) { return memoryOf("memory_in_use", device, at).bytesInUse; }
size_t tenon::peak_memory(Device device, Location at) { return memoryOf("peak_memory", device, at).peakBytes; }
void tenon::release_cache() {
  for (const rt::DeviceTable *table : rt::devices())
    if (table->streams)
      table->streams->finishAll(); // memory is used until the device's work is done
  rt::trimMemory();
}

Array detail::fromMemory(const void *data, Dtype dtype, const Shape &shape, const MemoryOptions &options,
                         Release release, Location at) {
  ForeignMemory memory{data, dtype, {shape.begin(), shape.size()}, {}, options.donated};
  if (options.strides)
    memory.strides = std::span<const int64_t>(*options.strides);
  return foreignArray(memory, release, "from_memory", at);
}

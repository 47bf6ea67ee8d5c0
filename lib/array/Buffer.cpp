//===- Buffer.cpp - making and looking into values that are buffers -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"

#include "lib/array/DeviceCall.h"
#include "lib/array/Serial.h"
#include "lib/base/FloatingPoint.h"
#include "runtime/memory/Memory.h"

#include <tenon/error.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

using namespace tenon;
using namespace tenon::detail;

/// Arrays up to this many bytes of elements share their header's block: the
/// allocator serves such blocks from per-thread lists.
static constexpr size_t inlineLimit = 16384;

static constexpr size_t alignUp(size_t bytes) { return (bytes + 63) & ~size_t(63); }
static constexpr size_t headerBytes(int rank) { return sizeof(Value) + size_t(rank) * 16; }

[[noreturn]] static void throwRefused(const rt::AllocationFailure &why, Dtype dtype, std::span<const Dim> dims,
                                      Location at) {
  throw Error("cannot allocate " + describe(dtype, Shape(dims)) + ": " + why.message(), at);
}

static void setDenseSizes(Value *value, std::span<const Dim> dims) {
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    value->dims()[i] = dims[i];
    value->strides()[i] = stride;
    stride *= std::max<int64_t>(dims[i].raw(), 1);
  }
}

Value *detail::makeBuffer(Dtype dtype, std::span<const Dim> dims, Device device, Location at) {
  size_t bytes = item_size(dtype), nonZero = bytes;
  for (Dim dim : dims) {
    size_t size = static_cast<size_t>(dim.raw());
    bytes = rt::multiplySizes(bytes, size);
    if (size)
      nonZero = rt::multiplySizes(nonZero, size);
  }
  // An array of zero elements may still have sizes whose strides overflow.
  if (nonZero > size_t(INT64_MAX))
    throw Error("the number of elements of " + describe(dtype, Shape(dims)) + " overflows", at);
  return makeBufferOf(bytes, dtype, dims, device, at);
}

Value *detail::makeBufferOf(size_t bytes, Dtype dtype, std::span<const Dim> dims, Device device, const Location &at) {
  const int rank = static_cast<int>(dims.size());
  const bool onHost = device == Device::cpu;
  const rt::DeviceTable *away = onHost ? nullptr : &tableOf(device, "array", at);
  bool inlined = onHost && bytes <= inlineLimit;
  size_t header = alignUp(headerBytes(rank));
  size_t block = inlined ? header + bytes : headerBytes(rank) + (onHost ? 0 : sizeof(uint64_t)); // the serial
  rt::AllocationFailure why;
  Value *value = static_cast<Value *>(rt::tryAllocate(block, &why));
  if (!value)
    throwRefused(why, dtype, dims, at);
  value->references = 1;
  value->word = Value::makeWord(dtype, rank, device, Value::dense);
  value->isTraced = 0;
  value->number = static_cast<uint32_t>(block);
  value->base = nullptr;
  value->ready = nullptr;
  value->ownedBytes = 0;
  if (inlined) {
    value->data = reinterpret_cast<char *>(value) + header;
  } else {
    const size_t owned = std::max<size_t>(bytes, 1); // 0 says that nothing is owned
    value->data = onHost ? rt::tryAllocate(owned, &why) : away->allocate(owned, &why);
    if (!value->data) {
      rt::deallocate(value, block);
      throwRefused(why, dtype, dims, at);
    }
    value->ownedBytes = owned;
  }
  setDenseSizes(value, dims);
  if (!onHost)
    loseSerial(value);
  return value;
}

Value *detail::makeView(Value *of, std::span<const Dim> dims, std::span<const int64_t> strides, void *data) {
  int rank = static_cast<int>(dims.size());
  size_t block = headerBytes(rank);
  rt::AllocationFailure why;
  Value *value = static_cast<Value *>(rt::tryAllocate(block, &why));
  if (!value)
    throwRefused(why, of->dtype(), dims, {});
  value->references = 1;
  value->isTraced = 0;
  value->number = static_cast<uint32_t>(block);
  value->data = data;
  value->base = of->base ? of->base : of;
  retain(value->base);
  value->ready = nullptr; // the owner's counts
  value->ownedBytes = 0;
  value->word = Value::makeWord(of->dtype(), rank, of->device(), 0);
  std::copy(dims.begin(), dims.end(), value->dims());
  std::copy(strides.begin(), strides.end(), value->strides());
  if (viewOf(value).isDense())
    value->word |= Value::dense;
  return value;
}

Value *detail::makeForeign(Dtype dtype, std::span<const Dim> dims, void *data, Release release) {
  int rank = static_cast<int>(dims.size());
  size_t block = headerBytes(rank) + sizeof(Release);
  rt::AllocationFailure why;
  Value *value = static_cast<Value *>(rt::tryAllocate(block, &why));
  if (!value)
    throwRefused(why, dtype, dims, {});
  value->references = 1;
  value->word = Value::makeWord(dtype, rank, Device::cpu, Value::dense | Value::foreign);
  value->isTraced = 0;
  value->number = static_cast<uint32_t>(block);
  value->data = data;
  value->base = nullptr;
  value->ready = nullptr;
  value->ownedBytes = 0;
  setDenseSizes(value, dims);
  *value->foreignTo() = release;
  return value;
}

void detail::destroy(Value *value) noexcept {
  // A chain of bases (nested transformations) must not recurse on the stack.
  while (value) {
    Value *base = value->base;
    size_t block = value->isBuffer() ? value->number : headerBytes(value->rank());
    if (value->word & Value::moving) {
      block += sizeof(Value *);
      detail::release(value->tangent());
    }
    Release release = {};
    if (value->word & Value::foreign) [[unlikely]]
      release = *value->foreignTo();
    if (value->isBuffer() && value->ownedBytes) {
      if (value->isOn(Device::cpu)) {
        rt::deallocate(value->data, value->ownedBytes);
      } else {
        releaseReady(value);
        rt::findDevice(value->device())->deallocate(value->data, value->ownedBytes);
      }
    }
    rt::deallocate(value, block);
    if (release.function) [[unlikely]]
      release();
    value = base && __atomic_fetch_sub(&base->references, 1, __ATOMIC_ACQ_REL) == 1 ? base : nullptr;
  }
}

const rt::DeviceTable &detail::tableOf(Device device, const char *what, Location at) {
  if (const rt::DeviceTable *table = rt::findDevice(device))
    return *table;
  throw Error(std::string(what) + ": expected a device that exists (" + rt::deviceNames() + "), got " + name(device),
              at);
}

/// Copies between the devices of two dense buffers, of which one is the host.
static rt::Status copyBetween(const Value *from, const rt::DeviceTable &source, const Value *to,
                              const rt::DeviceTable &target, rt::Stream *stream) {
  const size_t bytes = size_t(from->count()) * item_size(from->dtype());
  if (&target != &rt::hostDevice)
    return target.toDevice(stream, to->data, from->data, bytes);
  waitFor(from);
  source.toHost(to->data, from->data, bytes);
  return rt::Status::ok;
}

void detail::copyElements(const Value *from, Value *to, Location at) {
  const rt::DeviceTable &source = tableOf(from->device(), "copy", at), &target = tableOf(to->device(), "copy", at);
  DeviceCall call(target, {"copy", at});
  rt::Status status;
  if (&source == &target) {
    call.await(from);
    call.await(to); // other parts of it may have been written before
    status = source.copyView(call.stream(), viewOf(from), viewOf(to));
  } else {
    const Array dense = Array::adopt(packed(const_cast<Value *>(from), at));
    status = copyBetween(dense.value(), source, to, target, call.stream());
  }
  if (status != rt::Status::ok)
    throwFailure({status, "", rt::Origin{"copy", at}});
  const Array written = Array::share(to);
  call.end({&written, 1});
}

Value *detail::packed(Value *value, Location at) {
  if (value->isDense()) {
    retain(value);
    return value;
  }
  Array result =
      Array::adopt(makeBuffer(value->dtype(), std::span(value->dims(), size_t(value->rank())), value->device(), at));
  copyElements(value, result.value(), at);
  Value *dense = result.value();
  retain(dense);
  return dense;
}

Value *detail::onDevice(Value *value, Device device, Location at) {
  if (value->isOn(device)) {
    retain(value);
    return value;
  }
  Array there = Array::adopt(makeBuffer(value->dtype(), std::span(value->dims(), size_t(value->rank())), device, at));
  copyElements(value, there.value(), at);
  Value *result = there.value();
  retain(result);
  return result;
}

Array detail::onHost(Value *value, const char *what, Location at) {
  return Array::adopt(onDevice(concrete(value, what, at), Device::cpu, at));
}

template <class T>
static T fromFloating(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    using Limits = std::numeric_limits<T>;
    if (value != value)
      return 0;
    if (value <= static_cast<double>(Limits::min()))
      return Limits::min();
    return value >= static_cast<double>(Limits::max()) ? Limits::max() : static_cast<T>(value);
  }
}

/// A real number as a float of any width; it is rounded once.
template <class T>
static T rounded(Scalar scalar) {
  if (scalar.kind() != Kind::integer)
    return static_cast<T>(scalar.as_double());
  return scalar.huge() ? static_cast<T>(scalar.as_uint()) : static_cast<T>(scalar.as_int());
}

static complex64_t narrowed(complex128_t value) {
  return {static_cast<float>(value.real), static_cast<float>(value.imag)};
}

template <class T>
static void store(void *out, Scalar scalar) {
  T value;
  if constexpr (std::is_same_v<T, complex64_t>)
    value = scalar.kind() == Kind::complex ? narrowed(scalar.as_complex()) : complex64_t{rounded<float>(scalar), 0};
  else if constexpr (std::is_same_v<T, complex128_t>)
    value = scalar.kind() == Kind::complex ? scalar.as_complex() : complex128_t{rounded<double>(scalar), 0};
  else if constexpr (std::is_same_v<T, bool>)
    value = scalar.as_bool();
  else if constexpr (std::is_floating_point_v<T> || NarrowElement<T>)
    value = rounded<T>(scalar);
  else if (scalar.kind() == Kind::floating)
    value = fromFloating<T>(scalar.as_double());
  else
    value = static_cast<T>(scalar.as_int());
  std::memcpy(out, &value, sizeof value);
}

void detail::writeScalar(void *out, Dtype dtype, Scalar scalar) {
  const rt::DefaultFloatingPoint scope;
  writeScalarHere(out, dtype, scalar);
}

[[gnu::noinline]] void detail::writeScalarHere(void *out, Dtype dtype, Scalar scalar) {
  visitDtype(dtype, [&]<Dtype D>() { store<typename ElementOf<D>::type>(out, scalar); });
}

bool detail::scalarFits(Scalar scalar, Dtype dtype) {
  if (scalar.kind() != Kind::integer || kind(dtype) != Kind::integer)
    return true;
  return visitDtype(dtype, [&]<Dtype D>() {
    using T = typename ElementOf<D>::type;
    if constexpr (kind(D) == Kind::integer)
      return scalar.huge() ? std::in_range<T>(scalar.as_uint()) : std::in_range<T>(scalar.as_int());
    else
      return true;
  });
}

Dtype detail::scalarDtype(Scalar scalar, Dtype dtype, std::string_view op, Location at) {
  if (scalar.kind() > kind(dtype))
    dtype = scalar.default_dtype();
  if (!scalarFits(scalar, dtype))
    throw Error(std::string(op) + ": expected a number that fits " + std::string(short_name(dtype)) + ", got " +
                    scalar.str(),
                at);
  return dtype;
}

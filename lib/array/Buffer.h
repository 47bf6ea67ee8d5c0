//===- Buffer.h - making and looking into values that are buffers ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/Describe.h"
#include "runtime/device/Device.h"
#include "runtime/kernels/Kernel.h"

#include <tenon/array.h>

#include <optional>

namespace tenon::detail {

/// A new dense buffer, its elements not set. One block up to a few KiB, else a
/// header and a block of elements. Throws Error when memory is refused, or when
/// the product of the sizes overflows, or there is no such device.
Value *makeBuffer(Dtype dtype, std::span<const Dim> dims, Device device = Device::cpu, Location at = {});
/// The same of so many bytes, the product of the sizes and of an element's.
Value *makeBufferOf(size_t bytes, Dtype dtype, std::span<const Dim> dims, Device device, const Location &at);

/// A view of `of`'s buffer (of a buffer that is itself a view: of its owner).
Value *makeView(Value *of, std::span<const Dim> dims, std::span<const int64_t> strides, void *data);

/// A row-major buffer of elements that are somebody else's; `release` is called when
/// it is destroyed, and not when this throws.
Value *makeForeign(Dtype dtype, std::span<const Dim> dims, void *data, Release release);

/// What somebody else's memory holds: elements of `dtype`, the first one at `data`,
/// strides in elements, of 1 and more, 0 or less; none at all: row-major.
struct ForeignMemory {
  const void *data = nullptr;
  Dtype dtype = Dtype::f32;
  std::span<const Dim> dims = {};
  std::optional<std::span<const int64_t>> strides = {};
  /// Nobody else reads or writes it: ops may write there as into memory of ours.
  bool isGivenUp = false;
};

/// An array of that memory; where elements are not aligned, a copy. Takes `release`
/// over: it is called when nobody uses the memory anymore, also if this throws. The
/// Error begins with `what`.
Array foreignArray(const ForeignMemory &memory, Release release, const char *what, Location at);

/// The runtime's view of a buffer.
inline rt::View viewOf(const Value *value) {
  return {value->data, value->dtype(), static_cast<uint8_t>(value->rank()),
          reinterpret_cast<const int64_t *>(value->dims()), value->strides()};
}

/// `value` itself if it is dense, else a dense copy. A new reference.
Value *packed(Value *value, Location at);

/// The table of a device; an Error that begins with `what` if there is none such.
const rt::DeviceTable &tableOf(Device device, const char *what, Location at);

/// Copies the elements of one buffer into another of the same dtype and sizes; one
/// on another device is dense.
void copyElements(const Value *from, Value *to, Location at);

/// A buffer with these elements on `device`: itself, if it is there. A new reference.
Value *onDevice(Value *value, Device device, Location at);

/// The buffer whose elements answer what the host asks `value`, which is no buffer
/// where interpreters wrap it: a value of grad has the elements of what it stands
/// for. An Error where there is none, or none yet; `what` names the wish ("item()"),
/// and without a place of its own it has that of the op which made the value.
/// Implemented beside the stack of interpreters, in lib/trace/Interpreter.cpp.
Value *concrete(Value *value, const char *what, Location at);
/// That buffer, or null.
Value *concreteOrNull(Value *value);
/// What C++ decides by: the one element that the host asks `value` for, as `dtype` or one that holds more. Of a
/// value that a jitted function has traced it is computed, and becomes a guard (lib/trace/Guard.h).
Array asked(Value *value, Dtype dtype, const char *what, Location at);
/// Says that a value of an interpreter was asked for its elements.
[[noreturn]] void throwNotKnown(const Value *value, const char *what, Location at);

/// The same on the CPU, copied there if it is not.
Array onHost(Value *value, const char *what, Location at);

/// Says where the truth values `value`, a buffer that nobody else holds yet, were
/// made: what a condition that cannot have them, or an operator without a place,
/// names. Of others nothing is noted.
void noteTruths(Value *value, Location at);
/// That place; of a value that is no buffer, where it was made. May be unknown.
Location placeOfTruths(const Value *value);

/// Rank-0 element to and from a number, with the conversions of astype.
void writeScalar(void *out, Dtype dtype, Scalar scalar);
/// The same where a DefaultFloatingPoint stands.
void writeScalarHere(void *out, Dtype dtype, Scalar scalar);

/// Whether `dtype` holds the number: false for an integer outside of its range.
bool scalarFits(Scalar scalar, Dtype dtype);

/// The dtype a scalar takes beside an array of `dtype`; an Error that
/// starts with the name of `op` if it does not fit.
Dtype scalarDtype(Scalar scalar, Dtype dtype, std::string_view op, Location at);

} // namespace tenon::detail

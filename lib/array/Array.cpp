//===- Array.cpp - the array ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/array/Text.h"
#include "lib/base/CalledFunction.h"
#include "lib/base/FloatingPoint.h"
#include "lib/base/PerThread.h"

#include <tenon/format.h>

#include <cmath>
#include <cstring>
#include <ostream>

using namespace tenon;
using namespace tenon::detail;

bool Scalar::as_bool() const {
  switch (kind_) {
  case Kind::boolean:
  case Kind::integer:
    return low_ != 0;
  case Kind::floating:
    return as_double() != 0;
  case Kind::complex:
    return !(as_complex() == complex128_t{});
  }
  __builtin_unreachable();
}

double Scalar::as_double() const {
  switch (kind_) {
  case Kind::boolean:
  case Kind::integer:
    return huge() ? static_cast<double>(as_uint()) : static_cast<double>(as_int());
  case Kind::floating:
  case Kind::complex:
    return as_complex().real;
  }
  __builtin_unreachable();
}

Dtype Scalar::default_dtype() const {
  switch (kind_) {
  case Kind::boolean:
    return Dtype::bool_;
  case Kind::integer:
    if (huge())
      return Dtype::u64;
    return as_int() < INT32_MIN || as_int() > INT32_MAX ? Dtype::i64 : Dtype::i32;
  case Kind::floating:
    return Dtype::f32;
  case Kind::complex:
    return Dtype::c64;
  }
  __builtin_unreachable();
}

std::string Scalar::str() const {
  switch (kind_) {
  case Kind::boolean:
    return low_ ? "true" : "false";
  case Kind::integer:
    return huge() ? std::to_string(as_uint()) : std::to_string(as_int());
  case Kind::floating:
    return format("{}", as_double());
  case Kind::complex: {
    const complex128_t value = as_complex();
    return format("{}{}{}j", value.real, value.imag < 0 ? "" : "+", value.imag);
  }
  }
  __builtin_unreachable();
}

void Array::throwEmpty(Location at) { throwOfCall("expected an array, got an empty Array", at); }

/// The number in `dtype`, a float: infinite, or NaN where there is no infinity, if it is out of range.
static double inDtype(double number, Dtype dtype) {
  switch (dtype) {
  case Dtype::f32:
    return static_cast<float>(number);
  case Dtype::f16:
    return static_cast<float>(float16_t(number));
  case Dtype::bf16:
    return static_cast<float>(bfloat16_t(number));
  case Dtype::f8e4m3fn:
    return static_cast<float>(float8_e4m3fn_t(number));
  case Dtype::f8e5m2:
    return static_cast<float>(float8_e5m2_t(number));
  default:
    return number;
  }
}

/// Refuses a finite number that is out of the range of `dtype`, or of its parts if that is complex.
static void expectFinite(const Scalar &value, Dtype dtype, Location at) {
  const Dtype part = dtype == Dtype::c64 ? Dtype::f32 : dtype;
  const complex128_t number = value.kind() == Kind::complex ? value.as_complex() : complex128_t{value.as_double(), 0};
  for (double each : {number.real, number.imag})
    if (std::isfinite(each) && !std::isfinite(inDtype(each, part)))
      throw Error(
          "Array: expected a number in the range of " + std::string(short_name(dtype)) + ", got " + value.str() +
              (dtype == Dtype::f32 ? "; for f64 give the dtype, Array(number, f64), or a std::vector<double>" : ""),
          at);
}

Array::Array(Scalar value, Dtype dtype, Location place) {
  if (value.kind() <= kind(dtype))
    scalarDtype(value, dtype, "Array", place); // refuses a number that does not fit
  if (kind(dtype) >= Kind::floating)
    expectFinite(value, dtype, place);
  at.value_ = makeBuffer(dtype, {}, Device::cpu, place);
  writeScalar(at.value_->data, dtype, value);
}

Array::Array(const void *elements, Dtype dtype, const Shape &shape)
    : at(fromElements(elements, size_t(element_count(shape).raw()), dtype, shape, {})) {}

Value *Array::fromElements(const void *elements, size_t count, Dtype dtype, const Shape &shape, Location at) {
  for (Dim dim : shape)
    if (!dim.is_static() || dim.raw() < 0)
      throw Error("expected sizes that are integers >= 0, got the shape " + shape.str(), at);
  Value *value = makeBuffer(dtype, std::span(shape.begin(), shape.size()), Device::cpu, at);
  if (value->count() != static_cast<int64_t>(count)) {
    release(value);
    throw Error("expected " + element_count(shape).str() + " elements for the shape " + shape.str() + ", got " +
                    std::to_string(count),
                at);
  }
  if (count)
    std::memcpy(value->data, elements, count * item_size(dtype));
  return value;
}

void ListReader::enter(int depth, int64_t size) {
  if (static_cast<size_t>(depth) == dims.size()) {
    dims.push_back(size);
  } else if (dims[static_cast<size_t>(depth)] != size) {
    throw Error("nested lists are irregular: expected " + std::to_string(dims[static_cast<size_t>(depth)]) +
                    " items at depth " + std::to_string(depth) + ", got " + std::to_string(size),
                at);
  }
}

void ListReader::append(const void *value, size_t size, bool floating, bool isSigned) {
  size_t place = bytes.size();
  bytes.resize(place + item_size(dtype));
  if (size == item_size(dtype)) {
    std::memcpy(bytes.data() + place, value, size);
    return;
  }
  // Literals whose C++ type is no dtype: double to f32, characters to i32.
  if (floating) {
    double wide = 0;
    if (size == sizeof(double))
      std::memcpy(&wide, value, size);
    else {
      long double widest;
      std::memcpy(&widest, value, sizeof widest);
      wide = static_cast<double>(widest);
    }
    expectFinite(wide, dtype, at);
    writeScalar(bytes.data() + place, dtype, Scalar(wide));
    return;
  }
  int64_t integer = 0;
  std::memcpy(&integer, value, size);
  if (isSigned && size < 8)
    integer = integer << (64 - 8 * size) >> (64 - 8 * size);
  writeScalar(bytes.data() + place, dtype, Scalar(integer));
}

Value *ListReader::finish() {
  Value *value = makeBuffer(dtype, std::span(reinterpret_cast<const Dim *>(dims.data()), dims.size()), Device::cpu, at);
  if (!bytes.empty())
    std::memcpy(value->data, bytes.data(), bytes.size());
  return value;
}

/// One element: the conversions of astype.
static void readElement(void *out, Dtype dtype, const void *element, Dtype from) {
  visitDtype(from,
             [&]<Dtype D>() { writeScalar(out, dtype, *static_cast<const typename ElementOf<D>::type *>(element)); });
}

void Array::readItem(void *out, Dtype dtype, Location at) const {
  if (this->value() && !concreteOrNull(this->value())) [[unlikely]]
    return asked(this->value(), dtype, "item()", at).readItem(out, dtype, at);
  const Value *value = concrete(this->value(), "item()", at);
  if (value->count() != 1)
    throw Error("item(): expected an array of one element, got " + describe(value->dtype(), value->shape()), at);
  if (kind(value->dtype()) == Kind::complex && kind(dtype) != Kind::complex)
    throw Error("item(): expected a real array, got " + describe(value->dtype(), value->shape()), at);
  // A subnormal float is one as a double, too.
  if (!value->isOn(Device::cpu)) [[unlikely]]
    return onHost(this->value(), "item()", at).readItem(out, dtype, at);
  rt::inDefaultFloatingPoint([&] { readElement(out, dtype, value->data, value->dtype()); });
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// The last truth values that an op of this thread made, and where: operator bool
/// has no place of its own. (A buffer knows none either, but that it has been
/// noted: another one may lie where it was.)
namespace {
struct Truths {
  const Value *value = nullptr;
  Location at;
};
} // namespace
TENON_PER_THREAD rt::PerThread<Truths> lastTruths;

void detail::noteTruths(Value *value, Location at) {
  if (!value->isBuffer() || value->references != 1)
    return;
  value->word |= Value::noted;
  *lastTruths = {value, at};
}

Location detail::placeOfTruths(const Value *value) {
  if (!value)
    return {};
  if (!value->isBuffer())
    return value->place();
  return value == lastTruths->value && value->word & Value::noted ? lastTruths->at : Location();
}

bool Array::truth() const {
  if (value() && value()->rank() && (!value()->shape().is_static() || value()->count() != 1))
    throw Error("a condition needs one truth value, got " + describe(value()->dtype(), value()->shape()) +
                    "; use any, all or where",
                placeOfTruths(value()));
  return item<bool>({});
}

int64_t Array::hostCount(Dtype dtype, Location at) const {
  concrete(value(), "to_vector()", at);
  if (value()->dtype() != dtype)
    throw Error("expected an array of " + std::string(short_name(dtype)) + ", got " +
                    describe(value()->dtype(), value()->shape()) + "; convert it with astype",
                at);
  return value()->count();
}

void Array::copyOut(void *out, Location at) const {
  const Array here = onHost(value(), "to_vector()", at), dense = adopt(packed(here.value(), at));
  if (int64_t count = value()->count())
    std::memcpy(out, dense.value()->data, size_t(count) * item_size(value()->dtype()));
}

void Array::copyBits(std::vector<bool> &out, Location at) const {
  const Array here = onHost(value(), "to_vector()", at), dense = adopt(packed(here.value(), at));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<const bool *>(dense.value()->data)[i];
}

Array::Iterator Array::begin(Location at) const {
  if (!checked(at)->rank())
    throw Error("expected an array of rank >= 1 to iterate over, got rank 0", at);
  return {*this, 0, at};
}
Array::Iterator Array::end(Location at) const { return {*this, dim(0).value(at), at}; }

Size Array::dim(Axis axis, Location at) const {
  const int64_t rank = ndim(at), place = axis.value() < 0 ? axis.value() + rank : axis.value();
  if (place < 0 || place >= rank)
    throw Error("dim: axis " + std::to_string(axis.value()) + " is out of range for an array of rank " +
                    std::to_string(rank),
                at);
  return {value()->dims()[place], at};
}

Array tenon::to_device(const Array &array, Device device, Location at) {
  if (!array.has_value())
    throw Error("to_device: expected an array, got an empty Array", at);
  if (array.device() == device)
    return array;
  tableOf(device, calledName("to_device").c_str(), at); // which must exist, whatever is asked of the array
  if (!array.value()->isBuffer()) {
    if (concreteOrNull(array.value()))
      throw Error("to_device(): expected an array outside of grad and jvp, through which no derivative would pass; "
                  "copy it before",
                  at);
    throwNotKnown(array.value(), calledName("to_device()").c_str(), at);
  }
  return Array::adopt(onDevice(array.value(), device, at));
}

/// The elements of an array on the CPU.
static StridedData dataOf(const Array &array) {
  const Value *value = array.value();
  return {value->data, value->dtype(),
          std::span(reinterpret_cast<const int64_t *>(value->dims()), size_t(value->rank())),
          std::span(value->strides(), size_t(value->rank()))};
}

/// As a person writes it, its elements alone; with the type around them if `isWhole`.
static std::string textOf(const Array &array, bool isWhole) {
  const Value *value = array.value();
  if (!value)
    return "Array()";
  auto type = [&] { return describe(value->dtype(), value->shape(), value->device()); };
  if (!value->isBuffer())
    return "Traced(%" + std::to_string(value->number) + ": " + type() + ")";
  const Array here = Array::adopt(onDevice(array.value(), Device::cpu, {}));
  const StridedData data = dataOf(here);
  return isWhole ? arrayRepr(data, print_options()) : arrayText(data, print_options());
}

std::ostream &tenon::operator<<(std::ostream &os, const Array &array) { return os << textOf(array, true); }
std::ostream &tenon::operator<<(std::ostream &os, Dtype dtype) { return os << name(dtype); }

void tenon::format_value(std::string &out, std::string_view spec, const Array &array) {
  if (spec.empty() || spec == "?") {
    out += textOf(array, !spec.empty());
    return;
  }
  array.ndim(Location()); // an Error of an empty Array; the call of format() around this one adds the user's line
  // concrete, not item: text adds no guard.
  const Array known = Array::share(concrete(array.value(), "format()", {}));
  const Array here = Array::adopt(onDevice(known.value(), Device::cpu, {}));
  out += arrayText(dataOf(here), print_options(), "{:" + std::string(spec) + "}");
}
void tenon::format_value(std::string &out, std::string_view spec, const Dim &dim) {
  const std::string text = "{:" + std::string(spec) + "}";
  out += dim.is_static() ? format({text, Location()}, dim.raw()) : format({text, Location()}, dim.str());
}
void tenon::format_value(std::string &out, std::string_view spec, const Shape &shape) {
  out += format({"{:" + std::string(spec) + "}", Location()}, shape.str());
}

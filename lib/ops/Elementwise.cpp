//===- Elementwise.cpp - the door of elementwise ops -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/FloatingPoint.h"
#include "lib/ops/Door.h"
#include "lib/ops/composites/Floats.h"
#include "lib/trace/Tapes.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// An elementwise application before broadcasting: what each operand is and the
/// dtype it must have.
struct Application {
  const OpInfo &info;
  OpCode op;
  const Operand *operands[maxElementwiseOperands];
  int count;
  Location at;
  /// The dtype of the operands; conditions are bool whatever this says.
  Dtype dtype;
  Dtype dtypeOf(int i) const { return i < info.conditions ? Dtype::bool_ : dtype; }
  bool isComparison() const { return info.comparison != Comparison::none; }
  Dtype resultDtype() const { return tenon::resultDtype(info, dtype); }
};
} // namespace

/// The dtype that a number takes beside arrays of `dtype`.
static Dtype besideArrays(const Application &a, const Operand &number, Dtype dtype) {
  try {
    return scalarDtype(number.scalar(), dtype, a.info.name, {});
  } catch (const Error &error) {
    throw Error(publicSentence(a.info.name, error.message()), userLocation(number.location()));
  }
}

static DoorScope doorOf(const Application &a);

/// The common dtype: arrays promote, numbers join if their kind is higher.
static Dtype commonDtype(const Application &a) {
  if (a.info.promotion == Promotion::boolean)
    return Dtype::bool_;
  bool known = false;
  Dtype dtype = Dtype::bool_;
  const int first = a.info.conditions;
  for (int i = first; i < a.count; ++i)
    if (const Value *value = a.operands[i]->value()) {
      const Dtype given = known ? dtype : value->dtype();
      dtype = promote(given, value->dtype());
      // An op that takes it beside itself alone: where.
      if (is_storage(dtype) && given != value->dtype() && contains(a.info.dtypes, dtype)) {
        const DoorScope scope = doorOf(a);
        throwOpError(a.info, {},
                     std::string(a.info.name) + ": expected arrays of one dtype beside " +
                         std::string(short_name(dtype)) + ", which only stores numbers: convert it with astype",
                     a.at);
      }
      known = true;
    }
  // A number beside integers that become floats is one of these floats.
  if (known && a.info.promotion == Promotion::floating)
    dtype = floatingDtype(dtype);
  for (int i = first; i < a.count; ++i)
    if (a.operands[i]->is_scalar()) {
      Scalar scalar = a.operands[i]->scalar();
      Dtype own = dtype;
      if (!known || (a.isComparison() && scalar.kind() > kind(dtype)))
        own = scalar.default_dtype();
      else if (!a.isComparison()) // which compares with what does not fit, too: see decided
        own = besideArrays(a, *a.operands[i], dtype);
      dtype = known ? promote(dtype, own) : own;
      known = true;
    }
  return a.info.promotion == Promotion::floating ? floatingDtype(dtype) : dtype;
}

/// An array of floats and a real number: the commonest pair of two dtypes, of which
/// nothing is to be asked.
static bool isRealBesideFloats(const Application &a) {
  const Value *first = a.operands[0]->value();
  return a.count == 2 && first && kind(first->dtype()) == Kind::floating && a.operands[1]->is_scalar() &&
         a.operands[1]->scalar().kind() <= Kind::floating && a.info.promotion != Promotion::boolean;
}

/// The answer of a comparison of integers with a number that their dtype does
/// not hold: the same for every element.
static std::optional<bool> decided(const Application &a) {
  if (!a.isComparison() || kind(a.dtype) != Kind::integer)
    return std::nullopt;
  // Where the number lies beside all elements; two numbers are themselves.
  __int128 places[2] = {};
  bool fits = true;
  for (int i = 0; i < 2; ++i)
    if (a.operands[i]->is_scalar()) {
      Scalar scalar = a.operands[i]->scalar();
      places[i] = scalar.huge() ? static_cast<__int128>(scalar.as_uint()) : scalar.as_int();
      fits &= scalarFits(scalar, a.dtype);
    }
  if (fits)
    return std::nullopt;
  switch (a.info.comparison) {
  case Comparison::equal:
    return places[0] == places[1];
  case Comparison::notEqual:
    return places[0] != places[1];
  case Comparison::less:
    return places[0] < places[1];
  case Comparison::lessEqual:
    return places[0] <= places[1];
  case Comparison::none:
    break;
  }
  return std::nullopt;
}

/// Whether u64 is compared with signed integers, whose common dtype, f64, does not hold all of either.
static bool comparesSignedWithU64(const Application &a) {
  const Value *x1 = a.operands[0]->value(), *x2 = a.count == 2 ? a.operands[1]->value() : nullptr;
  return a.isComparison() && x1 && x2 &&
         ((x1->dtype() == Dtype::u64 && is_signed(x2->dtype())) ||
          (is_signed(x1->dtype()) && x2->dtype() == Dtype::u64));
}

/// Compares u64 with signed integers exactly: what is negative is less than all others, which are compared in u64.
static Array signedWithU64(const Application &a) {
  const DoorScope scope = doorOf(a);
  const Array x1 = Array::share(a.operands[0]->value()), x2 = Array::share(a.operands[1]->value());
  const Array isNegative = (x1.dtype() == Dtype::u64 ? x2 : x1) < 0;
  const Array first = astype(x1, Dtype::u64), second = astype(x2, Dtype::u64);
  const Operand one(first), other(second);
  const Array holds = elementwise(a.op, {&one, &other});
  // Of x1 < x2, x1 <= x2 and x1 != x2 a negative x1 decides.
  const bool decides =
      a.info.comparison == Comparison::notEqual || (a.info.comparison != Comparison::equal && x2.dtype() == Dtype::u64);
  return decides ? isNegative || holds : !isNegative && holds;
}

/// Whether all operands are integers or bools, not all bools, and their common dtype is an integer.
static bool areIntegers(const Application &a) {
  Kind highest = Kind::boolean;
  bool hasU64 = false, hasSigned = false;
  for (int i = 0; i < a.count; ++i) {
    const Value *value = a.operands[i]->value();
    highest = std::max(highest, value ? kind(value->dtype()) : a.operands[i]->scalar().kind());
    hasU64 |= value && value->dtype() == Dtype::u64;
    hasSigned |= value && is_signed(value->dtype());
  }
  return highest == Kind::integer && !(hasU64 && hasSigned); // of which it is f64
}

static Array answerEverywhere(const Application &a, bool answer) {
  Shape shape;
  Device device = Device::cpu;
  for (int i = 0; i < a.count; ++i)
    if (const Value *value = a.operands[i]->value()) {
      expectInUse(publicName(a.info.name), value, a.at);
      shape = value->shape();
      device = value->device();
    }
  return full(shape, answer, Dtype::bool_, device, a.at);
}

/// Dense operands of one shape and dtype, and numbers, up to this many
/// elements: one call of the inner loop. More goes to the kernel that splits.
static constexpr int64_t directLimit = 32768;

static Value *eagerDirect(const Application &a) {
  const Value *shaped = nullptr;
  for (int i = 0; i < a.count; ++i) {
    const Value *value = a.operands[i]->value();
    if (!value)
      continue;
    if (value->dtype() != a.dtypeOf(i) || !value->isDense())
      return nullptr;
    if (shaped &&
        (value->rank() != shaped->rank() || !std::equal(value->dims(), value->dims() + value->rank(), shaped->dims(),
                                                        [](Dim x, Dim y) { return x.raw() == y.raw(); })))
      return nullptr;
    shaped = value;
  }
  if (!shaped)
    return nullptr;
  int64_t count = shaped->count();
  rt::ElementwiseKernel kernel = rt::elementwiseKernel(a.op, a.dtype);
  if (count > directLimit || !kernel)
    return nullptr;
  Value *result =
      makeResult(a.op, a.resultDtype(), std::span(shaped->dims(), size_t(shaped->rank())), Device::cpu, a.at);
  rt::ElementwiseCall call;
  complex128_t numbers[maxElementwiseOperands]; // room for the largest element
  static_assert(
      std::ranges::all_of(dtype_infos, [](const DtypeInfo &info) { return info.itemSize <= sizeof *numbers; }));
  const rt::DefaultFloatingPoint scope;
  call.n = 1;
  call.m = count;
  for (int i = 0; i < a.count; ++i) {
    const Value *value = a.operands[i]->value();
    call.strides[i][0] = 0;
    call.strides[i][1] = value != nullptr;
    call.operands[i] = value ? value->data : &numbers[i];
    if (!value)
      writeScalarHere(&numbers[i], a.dtypeOf(i), a.operands[i]->scalar());
  }
  call.result = result->data;
  call.resultStrides[0] = 0;
  call.resultStrides[1] = 1;
  kernel(call);
  return result;
}

/// Arrays of their dtypes, of one shape, need no promotion, no broadcasting and no
/// inference: the way of most recorded ops, and of what was broadcast.
static bool areAlike(const Application &a, std::span<Value *const> values) {
  const Value *first = values[0];
  if (!first || !contains(a.info.dtypes, first->dtype()))
    return false;
  for (int i = 0; i < a.count; ++i) {
    const Value *value = values[size_t(i)];
    if (!value || value->dtype() != a.dtypeOf(i) || value->rank() != first->rank() || !value->isOn(first->device()))
      return false;
    for (int axis = 0; axis < first->rank(); ++axis)
      if (value->dims()[axis].raw() != first->dims()[axis].raw())
        return false;
  }
  return true;
}

static Array bindAlike(const Application &a, std::span<Value *const> values) {
  Type type{a.resultDtype(), values[0]->device(), values[0]->shape()};
  Array result;
  bind({a.op, values, {}, {}, std::span(&type, 1), a.at}, std::span(&result, 1));
  return result;
}

/// What the user wrote, for errors about what became of it.
static DoorScope doorOf(const Application &a) {
  auto argument = [&](int i) { return DoorArgument(a.info.operands[size_t(i)], *a.operands[i]); };
  if (a.count == 1)
    return DoorScope("", a.info.name, {}, {argument(0)});
  if (a.count == 2)
    return DoorScope("", a.info.name, {}, {argument(0), argument(1)});
  return DoorScope("", a.info.name, {}, {argument(0), argument(1), argument(2)});
}

/// The number as operand `i` holds it: any number says true or false.
static Scalar numberOf(const Application &a, int i) {
  Scalar scalar = a.operands[i]->scalar();
  return a.dtypeOf(i) == Dtype::bool_ ? Scalar(scalar.as_bool()) : scalar;
}

/// Operand `i` as an array of its dtype; a number is one element, on the host.
static Array arrayOf(const Application &a, int i) {
  const Operand &operand = *a.operands[i];
  if (operand.is_scalar()) {
    Value *one = makeResult(a.op, a.dtypeOf(i), {}, Device::cpu, operand.location());
    const rt::DefaultFloatingPoint scope;
    writeScalarHere(one->data, a.dtypeOf(i), numberOf(a, i));
    return Array::adopt(one);
  }
  return convert(toArray(operand, a.op), a.dtypeOf(i), operand.location());
}

/// Tells the tapes of an op that has gone past bind; what rules keep of a number is one element.
[[gnu::noinline]] static void noteDirect(const Application &a, Array &result) {
  Array numbers[maxElementwiseOperands];
  Value *values[maxElementwiseOperands];
  bool tracked = false;
  for (int i = 0; i < a.count; ++i)
    tracked |= a.operands[i]->value() && hasSerial(a.operands[i]->value());
  if (!tracked)
    return;
  for (int i = 0; i < a.count; ++i) {
    values[i] = a.operands[i]->value();
    if (!values[i])
      values[i] = (numbers[i] = arrayOf(a, i)).value();
  }
  const Type type = typeOf(result.value());
  noteOnTapes({a.op, {values, size_t(a.count)}, {}, {}, std::span(&type, 1), a.at}, std::span(&result, 1));
}

static Array bindBroadcast(const Application &a, bool eager) {
  DoorScope scope = doorOf(a);
  Array arrays[maxElementwiseOperands];
  Value *values[maxElementwiseOperands];
  Shape shape;
  bool shaped = false;
  Device device = Device::cpu;
  for (int i = 0; i < a.count; ++i) {
    if (a.operands[i]->is_scalar() && !eager)
      continue;
    arrays[i] = arrayOf(a, i);
    device = arrays[i].value()->device();
    std::string error = broadcastShapes(shaped ? shape : arrays[i].shape(), arrays[i].shape(), shape);
    shaped = true;
    if (error.empty())
      continue;
    throwOpError(a.info, {}, std::string(a.info.name) + ": " + error, a.at);
  }
  // Before a number is made of a dtype that the op does not take.
  if (!contains(a.info.dtypes, a.dtype))
    throwOpError(a.info, {}, std::string(a.info.name) + ": " + checkDtype(a.info, a.dtype), a.at);
  for (int i = 0; i < a.count; ++i) {
    // A recorded number is a constant of the result's shape; an eager one a
    // single element that repeats.
    if (arrays[i].has_value()) {
      arrays[i] = broadcast(arrays[i], shape, a.at);
    } else {
      Scalar scalar = numberOf(a, i);
      Location at = a.operands[i]->location();
      // A number is where the arrays beside it are.
      arrays[i] = full(shape, scalar, a.dtypeOf(i), device, at);
    }
    values[i] = arrays[i].value();
  }
  const std::span<Value *const> operands(values, size_t(a.count));
  return areAlike(a, operands) ? bindAlike(a, operands) : bindOne(a.op, operands, {}, a.at);
}

/// Out of line: eager calls do not need it.
[[gnu::noinline]] static void noteOperands(std::initializer_list<const Operand *> operands) {
  for (const Operand *operand : operands)
    noteOperand(operand->handle(), operand->location());
}

Array detail::elementwise(OpCode op, std::initializer_list<const Operand *> operands) {
  Application a{opInfo(op), op, {}, 0, {}, Dtype::bool_};
  bool eager = onlyEager(), isOneDtype = true; // arrays of one dtype promote nothing
  Value *values[maxElementwiseOperands];
  const Value *first = (*operands.begin())->value();
  for (const Operand *operand : operands) {
    values[a.count] = operand->value();
    a.operands[a.count++] = operand;
    if (!a.at.known())
      a.at = operand->location();
    const Value *value = operand->value();
    if (!value) {
      if (operand->is_none())
        throw Error(publicName(a.info.name) + ": expected an array, got an empty Array",
                    userLocation(operand->location()));
      isOneDtype = false;
      continue;
    }
    isOneDtype &= first && value->dtype() == first->dtype();
    eager &= value->isBuffer() && value->isOn(Device::cpu);
  }
  std::optional<bool> answer;
  const bool isKept = a.info.promotion != Promotion::floating && a.info.promotion != Promotion::boolean;
  if ((isOneDtype && isKept) || isRealBesideFloats(a)) {
    a.dtype = first->dtype();
  } else {
    a.dtype = commonDtype(a);
    answer = decided(a);
  }
  const bool isMixed = a.dtype == Dtype::f64 && comparesSignedWithU64(a);
  Value *direct = nullptr;
  if (!eager)
    noteOperands(operands);
  else if (!answer && !isMixed && contains(a.info.dtypes, a.dtype))
    direct = eagerDirect(a);
  Array form;
  if (kind(a.dtype) == Kind::complex && !contains(a.info.dtypes, a.dtype))
    form = complexForm(op, {a.operands, size_t(a.count)}, a.dtype, a.at);
  else if (isMixed)
    form = signedWithU64(a);
  else if (op == OpCode::pow && areIntegers(a))
    form = powerOfIntegers(*a.operands[0], *a.operands[1]);
  else if (op == OpCode::nextafter && is_narrow(a.dtype))
    form = narrowNextafter(*a.operands[0], *a.operands[1], a.dtype);
  const std::span<Value *const> given(values, size_t(a.count));
  Array result = form.has_value()     ? form
                 : direct             ? Array::adopt(direct)
                 : answer             ? answerEverywhere(a, *answer)
                 : areAlike(a, given) ? bindAlike(a, given)
                                      : bindBroadcast(a, eager);
  if (direct && tapesStand()) [[unlikely]]
    noteDirect(a, result);
  if (a.resultDtype() == Dtype::bool_)
    noteTruths(result.value(), userLocation(a.at));
  return result;
}

//===----------------------------------------------------------------------===//
// Doors with parameters of their own
//===----------------------------------------------------------------------===//

Array tenon::less_equal(const Operand &x1, const Operand &x2) {
  expectNoChain("less_equal", x1, x2);
  return elementwise(OpCode::less_equal, {&x1, &x2});
}

Array tenon::less(const Operand &x1, const Operand &x2) {
  expectNoChain("less", x1, x2);
  return elementwise(OpCode::less, {&x1, &x2});
}

Array tenon::logical_not(const Operand &x) {
  const Value *value = x.value();
  if (!value || value->dtype() == Dtype::bool_)
    return elementwise(OpCode::logical_not, {&x});
  DoorScope scope("logical_not", x.location(), {{"x", x}});
  return equal(x, 0); // in one pass
}

/// What is asked of floats alone; of integers and bools the answer is known.
static Array classify(OpCode op, const Operand &x, bool otherwise) {
  DoorScope scope("", opInfo(op).name, {}, {{"x", x}});
  const Array array = toArray(x, op);
  if (kind(array.dtype()) < Kind::floating)
    return full(array.shape(), otherwise, Dtype::bool_, array.device(), x.location());
  return elementwise(op, {&x});
}
Array tenon::isnan(const Operand &x) { return classify(OpCode::isnan, x, false); }
Array tenon::isinf(const Operand &x) { return classify(OpCode::isinf, x, false); }
Array tenon::isfinite(const Operand &x) { return classify(OpCode::isfinite, x, true); }
Array tenon::signbit(const Operand &x) {
  DoorScope scope("", "signbit", {}, {{"x", x}});
  const Array array = toArray(x, OpCode::signbit);
  return kind(array.dtype()) < Kind::floating ? less(array, false) : elementwise(OpCode::signbit, {&x});
}

/// The largest number of the dtype, or its smallest: no bound.
static Scalar extreme(Dtype dtype, bool isLargest) {
  return visitDtype(dtype, [&]<Dtype D>() -> Scalar {
    using T = typename ElementOf<D>::type;
    if constexpr (kind(D) <= Kind::integer)
      return isLargest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    else
      return isLargest ? INFINITY : -INFINITY;
  });
}

Array tenon::real(const Operand &x) {
  const Array array = toArray(x, OpCode::real);
  return isComplex(array) ? elementwise(OpCode::real, {&x}) : array;
}
Array tenon::imag(const Operand &x) {
  const Array array = toArray(x, OpCode::imag);
  if (isComplex(array))
    return elementwise(OpCode::imag, {&x});
  const DoorScope scope("imag", x.location(), {{"x", x}});
  return full(array.shape(), false, array.dtype(), array.device(), x.location());
}
Array tenon::conj(const Operand &x) {
  const Array array = toArray(x, OpCode::conj);
  return isComplex(array) ? elementwise(OpCode::conj, {&x}) : array;
}

Array tenon::clip(const Operand &x, const Operand &lo, const Operand &hi) {
  if (!lo.is_none() && !hi.is_none())
    return elementwise(OpCode::clip, {&x, &lo, &hi});
  DoorScope scope("clip", x.location(), {{"x", x}, {"lo", lo}, {"hi", hi}});
  const Operand &bound = lo.is_none() ? hi : lo;
  Array array = toArray(x, OpCode::clip, {}, bound.value() ? bound.value()->device() : Device::cpu);
  if (bound.is_none())
    return array;
  Dtype dtype = array.dtype();
  if (const Value *value = bound.value())
    dtype = promote(dtype, value->dtype());
  else if (bound.scalar().kind() > kind(dtype))
    dtype = bound.scalar().default_dtype();
  const Operand other(extreme(dtype, !lo.is_none())), kept(array, {});
  return lo.is_none() ? elementwise(OpCode::clip, {&kept, &other, &bound})
                      : elementwise(OpCode::clip, {&kept, &bound, &other});
}

Array tenon::where(const Operand &condition, const Operand &x1, const Operand &x2) {
  return elementwise(OpCode::where, {&condition, &x1, &x2});
}

Array tenon::astype(const Operand &x, Dtype dtype) { return convert(toArray(x, OpCode::astype), dtype, x.location()); }

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Array Array::logicalWith(const Array &x1, const Operand &x2, bool isOr) {
  LocationScope scope("", x2.location());
  return isOr ? logical_or(x1, x2) : logical_and(x1, x2);
}

Array Array::logicalNot(const Array &x) {
  LocationScope scope("", placeOfTruths(x.value()));
  return tenon::logical_not(Operand(x, std::source_location()));
}

Array Array::logicalWith(const Array &x, Scalar number, bool isOr) {
  LocationScope scope("", placeOfTruths(x.value()));
  Operand x1(x, std::source_location()), x2(number, std::source_location());
  return isOr ? logical_or(x1, x2) : logical_and(x1, x2);
}

/// `array = op(array, x)` at x's place, the only one that an assignment knows.
static Array &assign(Array &array, Array (*op)(const Operand &, const Operand &), const Operand &x) {
  LocationScope scope("", x.location());
  return array = op(array, x);
}

Array &Array::operator+=(const Operand &x) & { return assign(*this, add, x); }
Array &Array::operator-=(const Operand &x) & { return assign(*this, subtract, x); }
Array &Array::operator*=(const Operand &x) & { return assign(*this, multiply, x); }
Array &Array::operator/=(const Operand &x) & { return assign(*this, divide, x); }

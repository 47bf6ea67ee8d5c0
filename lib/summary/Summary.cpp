//===- Summary.cpp - writing summaries, also from compiled programs ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/base/PerThread.h"
#include "lib/io/FileText.h"
#include "lib/io/Png.h"
#include "lib/summary/Events.h"
#include "lib/summary/Writer.h"
#include "lib/trace/Interpreter.h"

#include <tenon/host.h>
#include <tenon/ops.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

using namespace tenon;
using namespace tenon::summary;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static bool isInteger(Dtype dtype) { return kind(dtype) == Kind::integer; }
static bool isFloating(Dtype dtype) { return kind(dtype) == Kind::floating; }
static bool isComplex(Dtype dtype) { return kind(dtype) == Kind::complex; }

namespace {
struct DefaultStep {
  bool isSet;
  int64_t number;
  const Variable *variable;
};
} // namespace
TENON_PER_THREAD rt::PerThread<DefaultStep> defaultStep;

void summary::set_step(const Variable &step, Location at) {
  if (!isInteger(step.dtype(at)) || step.ndim(at) != 0)
    throw Error("summary::set_step: expected a Variable of one integer, got " + std::string(name(step.dtype(at))) +
                    " of shape " + step.shape(at).str(),
                userLocation(at));
  delete defaultStep->variable;
  *defaultStep = {true, 0, new Variable(step)};
}
void summary::set_step(int64_t step) {
  delete defaultStep->variable;
  *defaultStep = {true, step, nullptr};
}

static int64_t integerOf(const Array &step) { return step.astype(i64).item<int64_t>(); }

//===----------------------------------------------------------------------===//
// What is written
//===----------------------------------------------------------------------===//

namespace {
enum class What : uint8_t { scalar, histogram, image, text };

/// A summary but for its elements and its step.
struct Entry {
  What kind;
  std::string name, description, text;
  int64_t count; ///< of buckets or images
  auto operator<=>(const Entry &) const = default;

  std::string what() const {
    constexpr const char *names[] = {"scalar", "histogram", "image", "text"};
    return std::string("summary::") + names[static_cast<int>(kind)] + " '" + name + "'";
  }
  Tag tag() const { return {name, description}; }
};

/// Entries of traced functions, by address: the host call of an entry is the same function at each trace. They stay
/// for as long as the process, as the names of a program's functions do.
struct Entries {
  rt::ForkLock lock{rt::LockOrder::fileNames};
  std::set<Entry> all;
  static const Entry *keep(const Entry &entry) {
    static constinit rt::Lasting<Entries> instance;
    Entries &its = instance.get();
    const std::scoped_lock lock(its.lock);
    return &*its.all.insert(entry).first;
  }
};
} // namespace

static std::string histogramOf(const Entry &entry, const Array &data) {
  std::vector<double> finite;
  for (const double element : data.astype(f64).elements<double>())
    if (std::isfinite(element))
      finite.push_back(element);
  const auto count = static_cast<size_t>(entry.count);
  std::vector<double> rows(3 * count, 0.0);
  if (finite.empty())
    return histogramValue(entry.tag(), rows);
  const auto [least, most] = std::ranges::minmax(finite);
  // Halves: the range of large numbers is no double.
  const double width = (most / 2 - least / 2) / static_cast<double>(count);
  auto edge = [&](size_t i) {
    return i == count ? most : std::min(most, least + 2 * (width * static_cast<double>(i)));
  };
  for (size_t i = 0; i < count; ++i) {
    rows[3 * i] = least == most ? least : edge(i);
    rows[3 * i + 1] = least == most ? least : edge(i + 1);
  }
  for (const double element : finite) {
    const double place = width > 0 ? std::floor((element / 2 - least / 2) / width) : HUGE_VAL;
    rows[3 * (place < static_cast<double>(count) ? static_cast<size_t>(place) : count - 1) + 2] += 1;
  }
  return histogramValue(entry.tag(), rows);
}

/// Sizes of (batch, height, width, channels).
static std::array<int64_t, 4> imageSizes(const Shape &shape) {
  auto size = [&](int axis) { return shape[axis].value(); };
  switch (shape.rank()) {
  case 2:
    return {1, size(0), size(1), 1};
  case 3:
    return {1, size(0), size(1), size(2)};
  default:
    return {size(0), size(1), size(2), size(3)};
  }
}
static std::string imagesOf(const Entry &entry, const Array &data) {
  const auto [batch, height, width, channels] = imageSizes(data.shape());
  if (channels < 1 || channels > 4 || height < 1 || width < 1)
    throw Error(entry.what() +
                ": expected images of at least one pixel and 1 to 4 channels, (height, width, channels), "
                "got an array of shape " +
                data.shape().str());
  const int64_t count = std::min(batch, entry.count), each = height * width * channels;
  std::vector<uint8_t> bytes;
  const Array flat = data.reshape({-1})[slice(0, count * each)];
  if (data.dtype() == u8)
    bytes = flat.to_vector<uint8_t>();
  else
    for (const double element : flat.astype(f64).elements<double>())
      bytes.push_back(tenon::detail::byteOf(element));
  std::vector<std::string> pngs;
  for (int64_t i = 0; i < count; ++i)
    pngs.push_back(
        tenon::detail::pngOf(std::span(bytes).subspan(static_cast<size_t>(i * each), static_cast<size_t>(each)),
                             static_cast<uint32_t>(width), static_cast<uint32_t>(height), static_cast<int>(channels)));
  return imageValue(entry.tag(), width, height, pngs);
}

/// `data`: null for a text.
static void write(const Entry &entry, const Array *data, std::optional<int64_t> step) {
  WriterBody *const writer = defaultWriter();
  if (!writer)
    return;
  if (!step) {
    const DefaultStep &known = *defaultStep;
    if (!known.isSet)
      throw Error(entry.what() + ": expected a step, got none: give one, or call summary::set_step");
    step = known.variable ? integerOf(known.variable->value()) : known.number;
  }
  std::string value;
  switch (entry.kind) {
  case What::scalar:
    value = scalarValue(entry.tag(), data->reshape({}).astype(f32).item<float>());
    break;
  case What::histogram:
    value = histogramOf(entry, *data);
    break;
  case What::image:
    value = imagesOf(entry, *data);
    break;
  case What::text:
    value = textValue(entry.tag(), entry.text);
  }
  writer->add(summaryEvent(wallTime(), *step, value));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool isKnown(const Array &array) { return array.value()->isBuffer(); }

/// An array of what is given, which no derivative follows.
static Array arrayOf(const Entry &entry, const Operand &given) {
  if (given.is_none())
    throw Error(entry.what() + ": expected an array, got none", userLocation(given.location()));
  const Array array =
      given.is_scalar() ? Array(given.scalar(), given.scalar().default_dtype()) : Array::share(given.value());
  return isKnown(array) ? array : stop_gradient(array);
}
static void expectNames(const Entry &entry, Location at) {
  if (entry.name.empty())
    throw Error("summary: expected a name, got an empty one", userLocation(at));
  // One other byte, and TensorBoard reads nothing of the file.
  for (const std::string *one : {&entry.name, &entry.description, &entry.text})
    if (!tenon::detail::isUtf8(*one))
      throw Error(entry.what() + ": expected texts in UTF-8, got other bytes", userLocation(at));
}

/// Writes now, or whenever the program runs that is being traced.
static void emit(const Entry &entry, const Array &data, const Operand &step, Location at) {
  expectNames(entry, at);
  Array number;
  if (step.is_scalar())
    number = Array(step.scalar(), step.scalar().default_dtype());
  else if (step.value())
    number = Array::share(step.value());
  else if (const DefaultStep &known = *defaultStep; known.isSet && known.variable)
    number = known.variable->value(at); // in a trace, what the program has assigned so far
  if (number.has_value() && (!isInteger(number.dtype()) || number.ndim() != 0))
    throw Error(entry.what() + ": expected an integer as step, got " + std::string(name(number.dtype())) +
                    " of shape " + number.shape().str(),
                userLocation(at));

  const bool hasData = data.has_value(), hasStep = number.has_value();
  const bool isNow = !innermostRecord() && (!hasData || isKnown(data)) && (!hasStep || isKnown(number));
  if (isNow) {
    tenon::detail::placed(userLocation(at), [&] {
      write(entry, hasData ? &data : nullptr, hasStep ? std::optional(integerOf(number)) : std::nullopt);
    });
    return;
  }
  const Entry *const kept = Entries::keep(entry);
  if (hasData && hasStep)
    host_call.call(at, [kept](const Array &x, const Array &s) { write(*kept, &x, integerOf(s)); }, none, data, number);
  else if (hasData)
    host_call.call(at, [kept](const Array &x) { write(*kept, &x, {}); }, none, data);
  else if (hasStep)
    host_call.call(at, [kept](const Array &s) { write(*kept, nullptr, integerOf(s)); }, none, number);
  else
    host_call.call(at, [kept] { write(*kept, nullptr, {}); }, none);
}

static void expectReal(const Entry &entry, const Array &array, Location at) {
  if (isComplex(array.dtype()))
    throw Error(entry.what() + ": expected real numbers, got " + std::string(name(array.dtype())), userLocation(at));
}

void summary::scalar(std::string_view name, const Operand &value, const Operand &step, const SummaryOptions &options) {
  const Entry entry{What::scalar, std::string(name), options.description, "", 0};
  const Array number = arrayOf(entry, value);
  expectReal(entry, number, value.location());
  for (const Dim &size : number.shape())
    if (!size.is_static() || size.value() != 1)
      throw Error(entry.what() + ": expected an array of one element, got shape " + number.shape().str(),
                  userLocation(value.location()));
  emit(entry, number, step, value.location());
}
void summary::histogram(std::string_view name, const Operand &data, const Operand &step,
                        const HistogramOptions &options) {
  const Entry entry{What::histogram, std::string(name), options.description, "", options.buckets};
  const Array array = arrayOf(entry, data);
  expectReal(entry, array, data.location());
  if (options.buckets < 1 || options.buckets > 1000000)
    throw Error(entry.what() + ": expected 1 to 1000000 buckets, got " + std::to_string(options.buckets),
                userLocation(data.location()));
  emit(entry, array, step, data.location());
}
void summary::image(std::string_view name, const Operand &data, const Operand &step, const ImageOptions &options) {
  const Entry entry{What::image, std::string(name), options.description, "", options.max_outputs};
  const Array array = arrayOf(entry, data);
  if (array.ndim() < 2 || array.ndim() > 4)
    throw Error(entry.what() +
                    ": expected (height, width), (height, width, channels) or (batch, height, width, "
                    "channels), got an array of shape " +
                    array.shape().str(),
                userLocation(data.location()));
  if (!isFloating(array.dtype()) && array.dtype() != u8 && array.dtype() != bool_)
    throw Error(entry.what() + ": expected floats in [0, 1], u8 or bool, got " +
                    std::string(tenon::name(array.dtype())),
                userLocation(data.location()));
  if (options.max_outputs < 1)
    throw Error(entry.what() + ": expected max_outputs >= 1, got " + std::to_string(options.max_outputs),
                userLocation(data.location()));
  emit(entry, array, step, data.location());
}
void summary::text(std::string_view name, std::string_view data, const Operand &step, const SummaryOptions &options) {
  emit({What::text, std::string(name), options.description, std::string(data), 0}, Array(), step, step.location());
}
void summary::graph(const Lowered &function, int64_t step, Location at) {
  if (WriterBody *const writer = defaultWriter())
    tenon::detail::placed(at, [&] { writer->add(graphEvent(wallTime(), step, graphDef(function.graph()))); });
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

summary::detail::Answer summary::detail::answer_of(const Operand &condition) {
  if (condition.is_scalar())
    return condition.scalar().as_bool() ? Answer::yes : Answer::no;
  if (condition.value() && !condition.value()->isBuffer())
    return Answer::traced;
  const Array array = condition.value() ? Array::share(condition.value()) : Array();
  if (!array.has_value() || array.ndim() != 0 || array.dtype() != bool_)
    throw Error("summary::record_if: expected a bool of rank 0, got " +
                    (array.has_value() ? std::string(name(array.dtype())) + " of shape " + array.shape().str()
                                       : std::string("an empty Array")),
                userLocation(condition.location()));
  return array.item<bool>() ? Answer::yes : Answer::no;
}

Array summary::detail::is_multiple(int64_t n, const Operand &step) {
  if (n < 1)
    throw Error("summary::record_every: expected n >= 1, got " + std::to_string(n), userLocation(step.location()));
  const Array number = step.is_scalar() ? Array(step.scalar(), step.scalar().default_dtype())
                       : step.is_none() ? Array()
                                        : Array::share(step.value());
  if (!number.has_value() || !isInteger(number.dtype()) || number.ndim() != 0)
    throw Error("summary::record_every: expected an integer as step, got " +
                    (number.has_value() ? std::string(name(number.dtype())) + " of shape " + number.shape().str()
                                        : std::string("none")),
                userLocation(step.location()));
  return remainder(number.astype(i64), n) == 0;
}

//===- Progress.cpp - the numbers of a step, and the line that shows them -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Interpreter.h"

#include <tenon/format.h>
#include <tenon/timeit.h>
#include <tenon/train/progress.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <iostream>
#include <unistd.h>

using namespace tenon;
using namespace tenon::train;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A number of rank 0 as an array.
static Array numberOf(std::string_view name, const Operand &value) {
  if (value.is_scalar())
    return Array(value.scalar(), value.scalar().default_dtype());
  if (!value.value() || Array::share(value.value()).ndim() != 0)
    throw Error("Logs: expected a number or an array of rank 0 as '" + std::string(name) + "', got " +
                    (value.value() ? "an array of shape " + Array::share(value.value()).shape().str()
                                   : std::string("an empty Array")),
                userLocation(value.location()));
  return Array::share(value.value());
}

double Logs::operator[](std::string_view name) const {
  std::string known;
  for (const auto &[own, value] : values_) {
    if (own == name)
      return static_cast<double>(value);
    known += (known.empty() ? "'" : ", '") + own + "'";
  }
  throw Error("Logs: expected one of " + (known.empty() ? "no names" : known) + ", got '" + std::string(name) + "'");
}
bool Logs::contains(std::string_view name) const {
  for (const auto &[own, value] : values_)
    if (own == name)
      return true;
  return false;
}
void Logs::set(std::string_view name, const Operand &value) {
  const Array number = numberOf(name, value);
  for (auto &[own, old] : values_)
    if (own == name) {
      old = number;
      return;
    }
  values_.emplace_back(name, number);
}
std::vector<std::string> Logs::names() const {
  std::vector<std::string> all;
  for (const auto &[name, value] : values_)
    all.push_back(name);
  return all;
}

Named::Named(std::string of, const Operand &number) : name(std::move(of)), value(numberOf(name, number)) {}

//===----------------------------------------------------------------------===//
// The line
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

class tenon::train::ProgressBody {
public:
  ProgressBody(std::optional<int64_t> steps, const ProgressOptions &options)
      : steps_(steps), out_(options.out ? *options.out : std::cout), start_(Clock::now()),
        isLive_(options.live.value_or(!options.out && ::isatty(STDOUT_FILENO))) {}

  void step(const Logs &values) {
    ++done_;
    values_ = values;
    const auto now = Clock::now();
    const bool isLast = steps_ && done_ >= *steps_;
    if (!isLive_ || isLast || (shown_ && now - *shown_ < std::chrono::milliseconds(100)))
      return;
    shown_ = now;
    show(false);
  }
  void finish(const Logs &more) {
    for (const std::string &name : more.names())
      values_.set(name, more[name]);
    steps_ = done_;
    show(true);
  }

  std::atomic<unsigned> references = 1;

private:
  /// Keras' bar: 30 columns.
  std::string bar(bool isLast) const {
    if (!steps_)
      return format("{:7}/Unknown", done_);
    constexpr int64_t width = 30;
    const int64_t filled = *steps_ ? std::min(width, width * done_ / *steps_) : width;
    std::string text = std::to_string(done_);
    const std::string all = std::to_string(*steps_);
    text.insert(0, all.size() > text.size() ? all.size() - text.size() : 0, ' ');
    text += "/" + all + " [";
    if (filled > 0)
      text += std::string(static_cast<size_t>(filled - 1), '=') + (isLast || done_ >= *steps_ ? '=' : '>');
    return text + std::string(static_cast<size_t>(width - filled), '.') + "]";
  }
  static std::string duration(double seconds) {
    const auto whole = static_cast<int64_t>(seconds);
    if (whole >= 3600)
      return format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return whole >= 60 ? format("{}:{:02}", whole / 60, whole % 60) : format("{}s", whole);
  }
  void show(bool isLast) {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const double each = done_ ? elapsed / static_cast<double>(done_) : 0;
    std::string text = bar(isLast);
    if (isLast || !steps_) {
      text += " - " + duration(elapsed);
      text += each >= 1      ? format(" {:.0f}s/step", each)
              : each >= 1e-3 ? format(" {:.0f}ms/step", each * 1e3)
                             : format(" {:.0f}us/step", each * 1e6);
    } else {
      text += " - ETA: " + duration(each * static_cast<double>(*steps_ - done_));
    }
    for (const std::string &name : values_.names()) {
      const double value = values_[name];
      text += " - " + name + ": " +
              (std::abs(value) > 1e-3 || std::isnan(value) ? format("{:.4f}", value) : format("{:.4e}", value));
    }
    const size_t size = text.size();
    if (size < width_) // what the line before has left
      text += std::string(width_ - size, ' ');
    width_ = isLast ? 0 : size;
    out_ << (isLive_ ? "\r" : "") << text << (isLast ? "\n" : "") << std::flush;
  }

  std::optional<int64_t> steps_;
  std::ostream &out_;
  const Clock::time_point start_;
  const bool isLive_;
  int64_t done_ = 0;
  std::optional<Clock::time_point> shown_;
  size_t width_ = 0;
  Logs values_;
};

double tenon::detail::clock_seconds() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

void train::retain(ProgressBody *body) { body->references.fetch_add(1, std::memory_order_relaxed); }
void train::release(ProgressBody *body) {
  if (body->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete body;
}

static Logs logsOf(std::initializer_list<Named> values) {
  Logs logs;
  for (const Named &one : values)
    logs.set(one.name, one.value);
  return logs;
}

Progress::Progress(std::optional<int64_t> steps, const ProgressOptions &options)
    : body_(new ProgressBody(steps, options)) {}
void Progress::step(std::initializer_list<Named> values) { body_.get()->step(logsOf(values)); }
void Progress::step(const Logs &values) { body_.get()->step(values); }
void Progress::finish(std::initializer_list<Named> values) { body_.get()->finish(logsOf(values)); }
void Progress::finish(const Logs &values) { body_.get()->finish(values); }

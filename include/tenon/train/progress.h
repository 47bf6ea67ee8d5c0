//===- progress.h - the numbers of a step, and the line that shows them ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>
#include <tenon/detail/state_ref.h>
#include <tenon/ops.h>

#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::train {

/// Numbers by name, in order. They are arrays of rank 0, which are read when they are asked for.
class Logs {
public:
  /// An Error that lists the names if there is none of this name.
  double operator[](std::string_view name) const;
  bool contains(std::string_view name) const;
  /// Adds a number, or replaces it.
  void set(std::string_view name, const Operand &value);
  std::vector<std::string> names() const;

private:
  std::vector<std::pair<std::string, Array>> values_;
};

/// A number of the progress line: a number, an array of rank 0, or a metric.
struct Named {
  Named(std::string of, const Operand &number);
  template <class M>
    requires requires(const M &metric) { metric.result(); }
  Named(std::string of, const M &metric) : name(std::move(of)), value(metric.result()) {}
  std::string name;
  Array value;
};

struct ProgressOptions {
  /// Where the line is written; null: standard output.
  std::ostream *out = nullptr;
  /// Whether the line is rewritten at each step, as on a terminal; left out: whether standard output is one.
  std::optional<bool> live = {};
};
class ProgressBody;
void retain(ProgressBody *body);
void release(ProgressBody *body);

/// The progress line of fit, for loops of one's own:
///
///   2/2 [==============================] - 0s 3ms/step - loss: 1.6631
///
/// On a terminal it is rewritten as steps end, ten times a second at most; elsewhere it is written once, by `finish`.
class Progress {
public:
  /// `steps`: how many there will be, if that is known.
  explicit Progress(std::optional<int64_t> steps = {}, const ProgressOptions &options = {});
  /// A step has ended; `values` are shown as they are.
  void step(std::initializer_list<Named> values);
  void step(const Logs &values);
  /// The last step has ended: more values to show behind those of the last step.
  void finish(std::initializer_list<Named> values = {});
  void finish(const Logs &values);

private:
  detail::StateRef<ProgressBody> body_;
};

} // namespace tenon::train

//===- gradients.h - the gradients of a model ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/variable.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tenon {
namespace detail {
/// A name and the line where the user wrote it.
class NamedPlace {
public:
  NamedPlace(const char *name, Location at = Location::current()) : name_(name), at_(at) {}
  NamedPlace(const std::string &name, Location at = Location::current()) : name_(name), at_(at) {}
  NamedPlace(std::string_view name, Location at = Location::current()) : name_(name), at_(at) {}
  std::string_view name() const { return name_; }
  Location at() const { return at_; }

private:
  std::string_view name_;
  Location at_;
};
} // namespace detail

namespace nn {

/// Gradients together with their Variables and the paths of these in the model, as `nn::value_and_grad` returns them:
/// `optimizer.apply_gradients(gradients)`. A tree; copies share the Variables.
class Gradients {
public:
  struct Entry {
    std::string path;
    Variable variable;
    /// Of the Variable's shape; an empty Array if the loss does not depend on the Variable.
    Array gradient;
  };

  Gradients() = default;
  /// An Error if two entries have the same path or the same Variable, if a Variable is empty, or if a gradient has
  /// another shape than its Variable.
  explicit Gradients(std::vector<Entry> entries, Location at = Location::current());

  /// The gradient of the Variable with this path. An Error that lists the paths if there is none.
  const Array &operator[](const detail::NamedPlace &path) const;
  /// The paths, in the order of the entries.
  std::vector<std::string> paths() const;
  const std::vector<Entry> &entries() const { return entries_; }
  size_t size() const { return entries_.size(); }

  /// Adds gradients of the same Variables, such as those of two losses; an empty one counts as zero. An Error if the
  /// Variables differ.
  friend Gradients operator+(const Gradients &x1, const Gradients &x2) { return sumOf(x1, x2, {}); }
  /// Multiplies every gradient by a number or an array of rank 0.
  friend Gradients operator*(const Gradients &gradients, const Operand &factor) { return gradients.times(factor); }
  friend Gradients operator*(const Operand &factor, const Gradients &gradients) { return gradients.times(factor); }
  /// Divides every gradient by a number or an array of rank 0.
  friend Gradients operator/(const Gradients &gradients, const Operand &divisor) { return gradients.over(divisor); }

  friend auto tree_fields(Gradients &gradients) { return std::tie(gradients.entries_); }

private:
  static Gradients sumOf(const Gradients &x1, const Gradients &x2, Location at);
  Gradients times(const Operand &factor) const;
  Gradients over(const Operand &divisor) const;

  std::vector<Entry> entries_;
};

/// The Euclidean norm of all elements of all gradients, an array of rank 0: f32, or f64 if one of them is f64. Squares
/// of f16 and bf16 are added in f32. 0 without gradients.
Array global_norm(const Gradients &gradients, Location at = Location::current());
/// Scales all gradients by `norm / global_norm(gradients)` if their global norm exceeds `norm`; else they keep their
/// bits. If the global norm is infinite or NaN, all elements become NaN, as in Keras. An Error unless `norm` is
/// positive.
Gradients clip_by_global_norm(const Gradients &gradients, double norm, Location at = Location::current());

} // namespace nn
} // namespace tenon

//===- variable.h - arrays that change ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Variable is a place for an array: its handles are copies of each other's, and see what
// is assigned through any of them. It is used wherever an Array is.
//
//   tn::Variable weight{tn::zeros({3}), "weight"};
//   weight -= 0.1f * gradient;
//   auto step = tn::jit([=](const tn::Array &x) mutable { weight += x; return tn::sum(weight); });
//
// Under jit a Variable that the function reads, captured or in its arguments, is an input of
// the program, and one that it assigns an output: assigned when the call has succeeded, all or
// none; after a throw they are as they were. Calls that assign a common Variable run one
// after another; who reads it meanwhile sees what was there before, or all of the update.
//   An assignment keeps the value without its derivative. Branches of cond and switch_case,
// checkpoint, composite and functions with rules of their own may assign, too: what did not run
// leaves a Variable as it was. In bodies of scan, while_loop and fori_loop that are recorded, of an example of
// vmap and in the rules themselves it is an Error: there a carry or a result holds what
// changes. Reading is free everywhere.
//   A Variable that a function makes under jit is one of its arrays if it ends there. If it outlives
// the function (a layer that is built from its first input) it has the elements that it was made
// with, and that call is traced and run for itself: the next one finds it there.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace tenon {
namespace detail {
/// What the handles of a Variable share.
class Cell;
/// A number that no other Variable in the process has; 0: no Variable.
uint64_t identity_of(const Variable &variable);
} // namespace detail

/// See Variable. (A template of what reading gives, so that the operators of Array are found for it.)
template <class Value>
class BasicVariable {
public:
  /// No Variable.
  BasicVariable() = default;
  /// Holds `initial`, whose dtype, shape and device it keeps. An Error where that has no elements here: a
  /// value that is traced, or an example of vmap.
  explicit BasicVariable(const Operand &initial, std::string name = "Variable", bool trainable = true);

  bool has_value() const { return cell_ != nullptr; }
  /// What it holds now: no copy.
  Value value(Location at = Location::current()) const;
  operator Value() const { return value(Location()); }

  Dtype dtype(Location at = Location::current()) const;
  const Shape &shape(Location at = Location::current()) const;
  int ndim(Location at = Location::current()) const { return shape(at).rank(); }
  Device device(Location at = Location::current()) const;
  /// What it prints as, not its identity.
  const std::string &name(Location at = Location::current()) const;
  /// Whether gradients of what reads it are asked for, unless one says otherwise.
  bool trainable(Location at = Location::current()) const;
  /// Whether both are handles of one Variable.
  bool is_same(const BasicVariable &other) const { return cell_ == other.cell_; }

  /// An array of its dtype, shape and device, or a number; else an Error.
  void assign(const Operand &value) const;
  /// What it holds with x added, or taken away; nobody else assigns it meanwhile.
  void assign_add(const Operand &x) const;
  void assign_sub(const Operand &x) const;
  const BasicVariable &operator+=(const Operand &x) const {
    assign_add(x);
    return *this;
  }
  const BasicVariable &operator-=(const Operand &x) const {
    assign_sub(x);
    return *this;
  }
  const BasicVariable &operator*=(const Operand &x) const {
    assign_product(x);
    return *this;
  }
  const BasicVariable &operator/=(const Operand &x) const {
    assign_quotient(x);
    return *this;
  }

  /// Where `tape.backward(loss)` adds the derivatives of the loss by this one: a Variable of its type that is not
  /// trainable, the same at every call, zeros until something is added; as any, it is read, scaled and assigned, and
  /// is state under jit. An Error of one that is not trainable, or neither floating nor complex.
  BasicVariable grad(Location at = Location::current()) const;
  /// Assigns zeros to `grad()`.
  void zero_grad(Location at = Location::current()) const;

  /// Internal: what the handles share.
  static BasicVariable of(std::shared_ptr<detail::Cell> cell) {
    BasicVariable handle;
    handle.cell_ = std::move(cell);
    return handle;
  }
  const std::shared_ptr<detail::Cell> &cell() const { return cell_; }

private:
  void assign_product(const Operand &x) const;
  void assign_quotient(const Operand &x) const;

  std::shared_ptr<detail::Cell> cell_;
};
extern template class BasicVariable<Array>;

/// `Variable('weight', shape=(), dtype=float32, value=2.0)`.
std::ostream &operator<<(std::ostream &out, const Variable &variable);
/// The elements, as of an Array.
void format_value(std::string &out, std::string_view spec, const Variable &variable);

} // namespace tenon

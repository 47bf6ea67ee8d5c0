//===- variable.h - mutable arrays ----------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Variable is a mutable array. Its handles refer to one state: an assignment through one handle is seen by all
// copies. A Variable can be used wherever an Array can.
//
//   tn::Variable weight{tn::zeros({3}), "weight"};
//   weight -= 0.1f * gradient;
//   auto step = tn::jit([=](const tn::Array &x) mutable { weight += x; return tn::sum(weight); });
//
// Under jit, a Variable that the function reads, captured or among its arguments, is an input of the program, and one
// that it assigns is an output. Assignments take effect together after the call has succeeded; after a throw all
// Variables are unchanged. Calls that assign a common Variable run one after another; concurrent readers see the
// values from before or after a whole call.
//
// An assignment stores the value without its derivative. Branches of cond and switch_case, checkpoint, composite and
// functions with custom rules may assign Variables; a branch that does not run assigns nothing. In traced bodies of
// scan, while_loop and fori_loop, under vmap with batched values, and in custom rules, an assignment is an Error: use
// a carry or a result instead. Reading is allowed everywhere.
//
// A Variable that is created under jit and destroyed before the function returns is an ordinary value. If it outlives
// the function (such as a layer that is built from its first input), it keeps the elements that it was created with;
// that call is traced and interpreted, and the next call finds the Variable.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <iosfwd>
#include <string>
#include <string_view>

namespace tenon {
namespace detail {
/// What the handles of a Variable share.
class Cell;
/// A std::shared_ptr<Cell>, as bytes that the library reads: <memory> alone costs a compiler 0.2 s.
class CellHandle {
public:
  constexpr CellHandle() = default;
  CellHandle(const CellHandle &other) noexcept;
  CellHandle(CellHandle &&other) noexcept;
  CellHandle &operator=(CellHandle other) noexcept;
  ~CellHandle();
  bool operator==(const CellHandle &other) const;
  explicit operator bool() const;

  /// In the library: the pointer, a CellRef.
  template <class Pointer>
  Pointer &as() {
    return *reinterpret_cast<Pointer *>(bytes_);
  }
  template <class Pointer>
  const Pointer &as() const {
    return *reinterpret_cast<const Pointer *>(bytes_);
  }

private:
  alignas(void *) unsigned char bytes_[2 * sizeof(void *)] = {};
};
/// A number that no other Variable in the process has; 0: no Variable.
uint64_t identity_of(const Variable &variable);
} // namespace detail

/// Mutable array with shared state, as `tf.Variable`. (A template on the type that reading returns, so that the
/// operators of Array are found.)
template <class Value>
class BasicVariable : public ArrayMethods<BasicVariable<Value>> {
public:
  /// An empty handle.
  BasicVariable() = default;
  /// Creates a Variable with this value; dtype, shape and device are fixed. The value must be known: a traced or
  /// batched value is an Error.
  explicit BasicVariable(const Operand &initial, std::string name = "Variable", bool trainable = true);

  /// Whether there is a value: an empty handle has none, nor a deferred Variable, such as a layer's weight, before it
  /// is built.
  bool has_value() const;
  /// The current value, without a copy.
  Value value(Location at = Location::current()) const;
  operator Value() const { return value(Location()); }

  Dtype dtype(Location at = Location::current()) const;
  const Shape &shape(Location at = Location::current()) const;
  int ndim(Location at = Location::current()) const { return shape(at).rank(); }
  /// Methods of Array, of the current value.
  Size dim(Axis axis, Location at = Location::current()) const { return value(at).dim(axis, at); }
  Size size(Location at = Location::current()) const { return value(at).size(at); }
  template <Element T>
  T item(Location at = Location::current()) const {
    return value(at).template item<T>(at);
  }
  template <Element T>
  std::vector<T> to_vector(Location at = Location::current()) const {
    return value(at).template to_vector<T>(at);
  }
  explicit operator bool() const { return static_cast<bool>(value({})); }
  template <detail::Integer T>
    requires Element<T>
  explicit operator T() const {
    return item<T>({});
  }
  explicit operator float() const { return static_cast<float>(value({})); }
  explicit operator double() const { return static_cast<double>(value({})); }
  [[nodiscard]] Value operator[](const detail::Index &index) const { return value(index.at())[index]; }
  [[nodiscard]] Value T(Location at = Location::current()) const { return value(at).T(at); }
  [[nodiscard]] Value mT(Location at = Location::current()) const { return value(at).mT(at); }
  Device device(Location at = Location::current()) const;
  /// The name it prints with; names need not be unique.
  const std::string &name(Location at = Location::current()) const;
  /// Whether tapes and optimizers consider this Variable unless told otherwise.
  bool trainable(Location at = Location::current()) const;
  /// Whether both handles refer to the same Variable.
  bool is_same(const BasicVariable &other) const { return cell_ == other.cell_; }

  /// Assigns an array of the Variable's dtype, shape and device, or a number; anything else is an Error.
  void assign(const Operand &value) const;
  /// Adds or subtracts x atomically.
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

  /// The logical operators of Array. Without these, the built-in operators on bool would be candidates, too.
  [[nodiscard]] friend Value operator!(const BasicVariable &x) { return !x.value({}); }
  [[nodiscard]] friend Value operator&&(const BasicVariable &x1, const Operand &x2) { return x1.value({}) && x2; }
  [[nodiscard]] friend Value operator||(const BasicVariable &x1, const Operand &x2) { return x1.value({}) || x2; }
  template <detail::Number N>
  [[nodiscard]] friend Value operator&&(const BasicVariable &x, N number) {
    return x.value({}) && number;
  }
  template <detail::Number N>
  [[nodiscard]] friend Value operator||(const BasicVariable &x, N number) {
    return x.value({}) || number;
  }

  /// The Variable to which `tape.backward(loss)` adds the gradient of this one, as PyTorch's `.grad`: of the same
  /// type, not trainable, initially zeros. It can be read, scaled and assigned, and is state under jit. An Error if
  /// this Variable is not trainable, or neither floating nor complex.
  BasicVariable grad(Location at = Location::current()) const;
  /// Sets `grad()` to zeros.
  void zero_grad(Location at = Location::current()) const;

  /// Internal: the state that the handles share.
  static BasicVariable of(detail::CellHandle cell) {
    BasicVariable handle;
    handle.cell_ = std::move(cell);
    return handle;
  }
  const detail::CellHandle &cell() const { return cell_; }

private:
  void assign_product(const Operand &x) const;
  void assign_quotient(const Operand &x) const;

  detail::CellHandle cell_;
};
extern template class BasicVariable<Array>;

/// `Variable('weight', shape=(), dtype=float32, value=2.0)`.
std::ostream &operator<<(std::ostream &out, const Variable &variable);
/// The elements, as of an Array.
void format_value(std::string &out, std::string_view spec, const Variable &variable);

} // namespace tenon

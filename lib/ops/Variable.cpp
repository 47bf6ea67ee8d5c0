//===- Variable.cpp - arrays that change ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/trace/State.h"

#include <tenon/ops.h>

#include <optional>
#include <ostream>

using namespace tenon;
using namespace tenon::detail;

static const CellRef &cellOf(const Variable &variable, const char *what, Location at) {
  if (!variable.cell())
    throw Error(std::string(what) + ": expected a Variable, got an empty one", userLocation(at));
  return refOf(variable.cell());
}

Operand::Operand(const Variable &variable, const std::source_location &at)
    : owned_(variable.value(at)), array_(&owned_), at_(at), isScalar_(false) {}

uint64_t detail::identity_of(const Variable &variable) { return variable.cell() ? refOf(variable.cell())->id : 0; }

/// An operand as an array of the type of a Variable.
static Array arrayFor(const Operand &x, const Type &type, const char *what) {
  if (!x.is_scalar()) {
    if (!x.value())
      throw Error(std::string(what) + ": expected an array, got an empty Array", userLocation(x.location()));
    return Array::share(x.value());
  }
  return full(type.shape, x.scalar(), type.dtype, type.device, x.location());
}

namespace tenon {

template <class Value>
BasicVariable<Value>::BasicVariable(const Operand &initial, std::string name, bool trainable) {
  const Location at = initial.location();
  Array value = initial.is_scalar() ? Array(initial.scalar(), initial.scalar().default_dtype(), at) : Array();
  if (!initial.is_scalar()) {
    if (!initial.value())
      throw Error("Variable: expected an initial array, got an empty Array", userLocation(at));
    value = Array::share(initial.value());
  }
  StateScope *const scope = recordThatRepeats() ? nullptr : StateScope::innermost();
  if (!scope || innermost(InterpreterKind::batch))
    value = Array::share(concrete(value.value(), "Variable", at));
  const Type type = typeOf(value.value());
  cell_ = handleOf(std::make_shared<detail::Cell>(type, scope ? Array() : value, std::move(name), trainable));
  if (scope)
    scope->make(refOf(cell_), value, at);
}

template <class Value>
bool BasicVariable<Value>::has_value() const {
  return cell_ && hasState(refOf(cell_));
}
template <class Value>
Value BasicVariable<Value>::value(Location at) const {
  return stateOf(cellOf(*this, "Variable", at));
}
template <class Value>
Dtype BasicVariable<Value>::dtype(Location at) const {
  return typeOfState(cellOf(*this, "dtype", at)).dtype;
}
template <class Value>
const Shape &BasicVariable<Value>::shape(Location at) const {
  return typeOfState(cellOf(*this, "shape", at)).shape;
}
template <class Value>
Device BasicVariable<Value>::device(Location at) const {
  return typeOfState(cellOf(*this, "device", at)).device;
}
template <class Value>
const std::string &BasicVariable<Value>::name(Location at) const {
  return cellOf(*this, "name", at)->name();
}
template <class Value>
bool BasicVariable<Value>::trainable(Location at) const {
  return cellOf(*this, "trainable", at)->isTrainable();
}

template <class Value>
void BasicVariable<Value>::assign(const Operand &value) const {
  const CellRef &cell = cellOf(*this, "assign", value.location());
  const Array array = arrayFor(value, typeOfState(cell), "assign");
  std::optional<HeldCells> held;
  if (!StateScope::innermost())
    held.emplace(std::vector{cell}, value.location());
  commitState(cell, storable(cell, array, "assign", value.location()), value.location());
}

template <class F>
static void update(const Variable &variable, const Operand &x, const char *what, F &&combine) {
  updateState(cellOf(variable, what, x.location()), what, x.location(), combine);
}

template <class Value>
void BasicVariable<Value>::assign_add(const Operand &x) const {
  update(*this, x, "assign_add", [&](const Array &now) { return now + x; });
}
template <class Value>
void BasicVariable<Value>::assign_sub(const Operand &x) const {
  update(*this, x, "assign_sub", [&](const Array &now) { return now - x; });
}
template <class Value>
void BasicVariable<Value>::assign_product(const Operand &x) const {
  update(*this, x, "operator*=", [&](const Array &now) { return now * x; });
}
template <class Value>
void BasicVariable<Value>::assign_quotient(const Operand &x) const {
  update(*this, x, "operator/=", [&](const Array &now) { return now / x; });
}
template <class Value>
BasicVariable<Value> BasicVariable<Value>::grad(Location at) const {
  return of(handleOf(cellOf(*this, "grad", at)->gradient(at)));
}
template <class Value>
void BasicVariable<Value>::zero_grad(Location at) const {
  const CellRef gradient = cellOf(*this, "zero_grad", at)->gradient(at);
  updateState(gradient, "zero_grad", at, [&](const Array &now) { return zeros_like(now); });
}
template class BasicVariable<Array>;

} // namespace tenon

std::ostream &tenon::operator<<(std::ostream &out, const Variable &variable) {
  if (!variable.cell())
    return out << "Variable()";
  if (!variable.has_value())
    return out << "Variable('" << variable.name() << "', not built)";
  std::string text;
  format_value(text, "", variable.value());
  if (text.ends_with('.'))
    text += '0'; // of rank 0, as Python writes a number
  return out << "Variable('" << variable.name() << "', shape=" << variable.shape().str()
             << ", dtype=" << tenon::name(variable.dtype()) << ", value=" << text << ")";
}
void tenon::format_value(std::string &out, std::string_view spec, const Variable &variable) {
  format_value(out, spec, variable.value({}));
}

//===- weight.h - Variables of layers ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/nn/values.h>
#include <tenon/variable.h>

namespace tenon {
namespace detail {
/// The cell of a deferred Variable.
CellHandle deferred_cell(bool trainable);
/// What build does.
void build_weight(const CellHandle &cell, const Shape &shape, const nn::Initializer &initializer, Dtype dtype,
                  Location at);
} // namespace detail

namespace nn {

/// A deferred Variable: it has a place from construction on, shared by copies, and a value from `build` or from a
/// checkpoint. Its name is its path in the model.
///
///   struct Scale {
///     nn::Weight scale{};
///     tn::Array operator()(const tn::Array &x) const {
///       return x * scale.build({x.shape()[-1]}, nn::ones());
///     }
///   };
template <class Value>
class BasicWeight : public BasicVariable<Value> {
public:
  BasicWeight() : BasicWeight(true) {}
  explicit BasicWeight(bool trainable)
      : BasicVariable<Value>(BasicVariable<Value>::of(detail::deferred_cell(trainable))) {}

  /// Gives it a value of this shape and dtype, if it has none; else checks the shape and dtype, which is an Error if
  /// they differ. The value is made outside of every trace and transformation, from the next key of the stream of
  /// initial values, which tn::set_seed starts anew. Sizes must be known. Const: the Variable changes, not the handle.
  const BasicWeight &build(const Shape &shape, const Initializer &initializer = glorot_uniform(),
                           Dtype dtype = Dtype::f32, Location at = Location::current()) const {
    detail::build_weight(this->cell(), shape, initializer, dtype, at);
    return *this;
  }
};
using Weight = BasicWeight<Array>;

/// The same, not trainable: moving statistics, counters, generators.
template <class Value>
class BasicState : public BasicWeight<Value> {
public:
  BasicState() : BasicWeight<Value>(false) {}
};
using State = BasicState<Array>;

} // namespace nn
} // namespace tenon

//===- merging.h - layers of several inputs ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nn::Add add;
//   tn::Array y = x + block(x), z = add(x, block(x), side);     // or add({x, block(x), side}), or a vector
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/layer.h>

namespace tenon::nn {

/// Base of layers that are called with several arrays, or with a list of them. One array alone, not in a list, is an
/// Error.
class Merge : public Layer {
public:
  using Layer::operator();
  template <class... A>
    requires(std::is_convertible_v<const A &, Array> && ...)
  Array operator()(const Operand &x1, const Array &x2, const A &...more) const {
    const Array first = x1.is_scalar() || !x1.value() ? Array() : Array::share(x1.value());
    return merge({first, x2, Array(more)...}, x1.location());
  }
  Array operator()(const Arrays &xs, Location at = Location::current()) const { return merge(xs, at); }
  Array call(const Array &x) const override;

protected:
  /// The result for one array or more, which are all given.
  virtual Array merged(std::vector<Array> xs) const = 0;

private:
  Array merge(const Arrays &xs, Location at) const;
};

/// Base of the layers that combine inputs element by element. Shapes broadcast, and inputs of fewer axes get axes of
/// size 1 after the batch, as in Keras: (batch, channels) fits (batch, length, channels). Batches of two sizes are an
/// Error.
class ElementwiseMerge : public Merge {
protected:
  Array merged(std::vector<Array> xs) const override;
  virtual Array combine(const Array &x1, const Array &x2) const = 0;
};

/// The sum of the inputs.
class Add : public ElementwiseMerge {
protected:
  Array combine(const Array &x1, const Array &x2) const override;
};
/// The product of the inputs.
class Multiply : public ElementwiseMerge {
protected:
  Array combine(const Array &x1, const Array &x2) const override;
};
/// The difference of two inputs, the first less the second.
class Subtract : public ElementwiseMerge {
protected:
  Array merged(std::vector<Array> xs) const override;
  Array combine(const Array &x1, const Array &x2) const override;
};
/// The mean of the inputs; integers give f32.
class Average : public ElementwiseMerge {
protected:
  Array merged(std::vector<Array> xs) const override;
  Array combine(const Array &x1, const Array &x2) const override;
};
/// The greatest of the inputs.
class Maximum : public ElementwiseMerge {
protected:
  Array combine(const Array &x1, const Array &x2) const override;
};
/// The least of the inputs.
class Minimum : public ElementwiseMerge {
protected:
  Array combine(const Array &x1, const Array &x2) const override;
};

/// Joins the inputs along an axis; their other sizes are equal.
class Concatenate : public Merge {
public:
  explicit Concatenate(Axis axis = -1) : axis_(axis) {}

protected:
  Array merged(std::vector<Array> xs) const override;

private:
  Axis axis_;
};

} // namespace tenon::nn

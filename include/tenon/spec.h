//===- spec.h - the types of arguments ----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace tenon {

/// The dtype and sizes of an array argument. A name is a symbolic size: one program serves every value >= 2 of it.
/// Equal names mean equal sizes across all arguments; each tn::dyn is a symbol of its own. A symbol may have bounds,
/// `Dim("n", 2, 4096)`, and may occur in sums and products, `4 * Dim("n") + 1`, from which its value is computed.
struct TensorSpec {
  Dtype dtype = f32;
  Shape shape;
};

/// `spec<float>({"n", 3})`: the spec of an f32 array.
template <class T>
TensorSpec spec(Shape shape) {
  return {dtype_of<T>, std::move(shape)};
}

/// In a list of specs: take dtype and sizes of this argument from each call.
struct AsCalled {};
inline constexpr AsCalled as_called;

/// One entry per argument: as_called, the spec of its only array, or a list of entries for its arrays in order, one
/// of which may be tn::each. Keys are as_called.
///
///   struct Batch { std::vector<Array> images; Array labels; };
///   jit(step, {.specs = {as_called, {each(TensorSpec{f32, {"n", 784}}), TensorSpec{i32, {"n"}}}}});
class ArgumentSpec {
public:
  ArgumentSpec(AsCalled) {}
  ArgumentSpec(const TensorSpec &spec) : spec_(spec), form_(Form::array) {}
  ArgumentSpec(std::initializer_list<ArgumentSpec> parts);

  enum class Form { any, array, list, each };
  Form form() const { return form_; }
  const TensorSpec &spec() const { return spec_; }
  const std::vector<ArgumentSpec> &parts() const { return parts_; }

private:
  friend ArgumentSpec each(ArgumentSpec spec);
  TensorSpec spec_;
  std::vector<ArgumentSpec> parts_;
  Form form_ = Form::any;
};

/// One spec for all arrays of an argument, or for all that the other entries of a list do not cover. A list of specs
/// is applied to one group of arrays after another: `each({kernel, bias})`.
ArgumentSpec each(ArgumentSpec spec);

} // namespace tenon

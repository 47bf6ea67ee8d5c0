//===- spec.h - the types of arguments ----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace tenon {

/// dtype and sizes of an array; a name is a symbol: one program serves every value >= 2
/// of it. One name is one symbol in all arguments, tn::dyn one of its own. A symbol may
/// have bounds, Dim("n", 2, 4096), and stand in sums and products, 4 * Dim("n") + 1, from
/// which its value is found.
struct TensorSpec {
  Dtype dtype = f32;
  Shape shape;
};

/// `spec<float>({"n", 3})`: that of an array of floats.
template <class T>
TensorSpec spec(Shape shape) {
  return {dtype_of<T>, std::move(shape)};
}

/// In a list of specs: the argument as it is called.
struct AsCalled {};
inline constexpr AsCalled as_called;

/// One entry per argument: as_called, the spec of its one array, or a list of entries for
/// its arrays in their order, of which one may be tn::each. Keys are as_called.
///
///   struct Batch { std::vector<Array> images; Array labels; };
///   jit(step, {.specs = {as_called, {each(TensorSpec{f32, {"n", 784}}), TensorSpec{i32, {"n"}}}}});
class ArgumentSpec {
public:
  ArgumentSpec(AsCalled) {}
  ArgumentSpec(TensorSpec spec) : spec_(std::move(spec)), form_(Form::array) {}
  ArgumentSpec(std::initializer_list<ArgumentSpec> parts) : parts_(parts), form_(Form::list) {}

  enum class Form { any, array, list, each };
  Form form() const { return form_; }
  const std::optional<TensorSpec> &spec() const { return spec_; }
  const std::vector<ArgumentSpec> &parts() const { return parts_; }

private:
  friend ArgumentSpec each(ArgumentSpec spec);
  std::optional<TensorSpec> spec_;
  std::vector<ArgumentSpec> parts_;
  Form form_ = Form::any;
};

/// One spec for all arrays of an argument, or for all that the others of a list leave; of
/// a list, for one group of arrays after the other: `each({kernel, bias})`.
ArgumentSpec each(ArgumentSpec spec);

} // namespace tenon

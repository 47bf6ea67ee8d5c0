//===- spec.h - the types of arguments ----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

#include <optional>
#include <utility>

namespace tenon {

/// dtype and sizes of an argument; a name is a symbol: one program serves every
/// value >= 2 of it. One name is one symbol in all arguments.
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

/// One entry per argument: as_called, or the spec of its one array.
class ArgumentSpec {
public:
  ArgumentSpec(AsCalled) {}
  ArgumentSpec(TensorSpec spec) : spec_(std::move(spec)) {}
  const std::optional<TensorSpec> &spec() const { return spec_; }

private:
  std::optional<TensorSpec> spec_;
};

} // namespace tenon

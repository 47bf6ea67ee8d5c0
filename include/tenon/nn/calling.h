//===- calling.h - calls of layers that take more than one array ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/nn/layer.h>

namespace tenon::nn {
/// A second array of a call. Braces, which are the options, are none.
template <class T>
concept OperandLike = std::is_convertible_v<const T &, const Operand &>;
} // namespace tenon::nn

namespace tenon::detail {

class RunningLayer;

/// What Layer's call operator does around `call`, for layers with call operators of their own: sets training, lets
/// errors name the line of the caller, and checks that `fields` names what is built.
class CallingLayer {
public:
  CallingLayer(const nn::Layer &layer, std::optional<bool> training, Location at);
  ~CallingLayer();
  CallingLayer(const CallingLayer &) = delete;

  /// An operand as an array; an empty one is an Error.
  Array array(const Operand &x) const;
  /// Says what the layer returns. An Error if `fields` does not name a Weight that was built.
  Array returns(Array result) const;

private:
  const nn::Layer &layer_;
  Location at_;
  bool before_;
  RunningLayer *running_;
};

} // namespace tenon::detail

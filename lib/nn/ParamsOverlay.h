//===- ParamsOverlay.h - the parameters of a model that runs as a pure function --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/State.h"

#include <tenon/nn/values.h>

#include <map>

namespace tenon::detail {

/// The overlay of nn::init and nn::stateless_call: each that is not a cast.
class ParamsOverlay : public StateOverlay {
public:
  /// How a weight gets its value.
  struct Initial {
    nn::Initializer initializer;
    Shape shape;
    Dtype dtype;
  };
  explicit ParamsOverlay(bool isInit) : isInit(isInit) {}

  /// Of nn::init: weights that are built are noted, and are zeros until the model has run. Their values are made after
  /// that, where nn::init was called: a layer may be built in a body that runs many times.
  const bool isInit;
  std::map<const Cell *, Initial> initial;
};

} // namespace tenon::detail

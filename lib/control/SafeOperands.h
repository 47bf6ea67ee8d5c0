//===- SafeOperands.h - batched bodies that only some batch elements run --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under vmap a branch or a round computes all batch elements, also those that do not run it; a
// select then drops their results. What such an element computes must not fail, run forever, or
// have an infinite derivative: zero times infinity is NaN, and would reach the gradients.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Record.h"

namespace tenon {

/// By batch element (axis 0): `x1` where `chosen`, of shape [batch], holds, else `x2`.
Array selectElements(const Array &chosen, const Array &x1, const Array &x2);

/// How a body of one batch element is to be run for all of them.
class SafeOperands {
public:
  /// `batched`: by input of `body`, whether it differs between the batch elements. `hasGradient`: reverse mode may
  /// differentiate the body.
  SafeOperands(const Trace &body, const std::vector<bool> &batched, bool hasGradient);
  /// The body must run only if a batch element chooses it, since it may fail or run forever.
  bool needsChoice() const { return needsChoice_; }
  /// The batched body's inputs. Batch elements that are not `chosen` add nothing to a derivative, and those of their
  /// inputs that decide whether the body is safe are replaced by those of the first element that is chosen.
  std::vector<Array> operator()(const Array &chosen, std::span<const Array> inputs) const;

private:
  /// By input: what takes its place for elements that are not chosen, and for an input that all elements share, if none
  /// is.
  enum class Fill : uint8_t {
    nothing,  ///< the input as it is
    constant, ///< its own value, without a derivative
    other,    ///< the value of the first chosen element
  };
  std::vector<bool> batched_;
  std::vector<Fill> fills_;
  bool needsChoice_ = false;
};

} // namespace tenon

//===- state_ref.h - counted references of what stands in the library ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tenon::detail {

/// A counted reference of a State of the library, for which there are `retain(State *)` and `release(State *)`.
template <class State>
class StateRef {
public:
  StateRef() = default;
  /// Takes over one reference.
  explicit StateRef(State *state) : state_(state) {}
  StateRef(const StateRef &other) : state_(other.state_) {
    if (state_)
      retain(state_);
  }
  StateRef(StateRef &&other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  StateRef &operator=(StateRef other) noexcept {
    State *const before = state_;
    state_ = other.state_;
    other.state_ = before;
    return *this;
  }
  ~StateRef() {
    if (state_)
      release(state_);
  }
  State *get() const { return state_; }

private:
  State *state_ = nullptr;
};

} // namespace tenon::detail

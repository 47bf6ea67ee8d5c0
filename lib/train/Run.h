//===- Run.h - a call of fit ------------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/train/fit.h>

namespace tenon::train {

/// A call of fit, as its callbacks see it.
class Run {
public:
  Run(const tenon::detail::TrainedModel &model, const optim::Optimizer &optimizer,
      const std::vector<CallbackRef> &callbacks, Location at)
      : optimizer(optimizer), at(userLocation(at)), callbacks_(callbacks), model_(model) {
    for (const CallbackRef &one : callbacks_)
      (*one).run_ = this;
  }
  ~Run() {
    for (const CallbackRef &one : callbacks_)
      (*one).run_ = nullptr;
  }
  Run(const Run &) = delete;

  /// Calls `function(callback)` for each.
  template <class F>
  void each(const F &function) const {
    for (const CallbackRef &one : callbacks_)
      function(*one);
  }
  /// The model's Variables, built or not.
  const tenon::detail::VariableList &variables() {
    list_ = model_.variables();
    return list_;
  }

  const optim::Optimizer optimizer;
  /// The user's call of fit.
  const Location at;
  bool isStopped = false;
  int64_t epochs = 0;
  std::optional<int64_t> steps;

private:
  const std::vector<CallbackRef> &callbacks_;
  const tenon::detail::TrainedModel &model_;
  tenon::detail::VariableList list_;
};

} // namespace tenon::train

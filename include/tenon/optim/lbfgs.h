//===- lbfgs.h - L-BFGS ----------------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/detail/function.h>
#include <tenon/detail/state_ref.h>
#include <tenon/tape.h>

#include <optional>
#include <utility>
#include <vector>

namespace tenon::optim {
class LBFGSBody;
void retain(LBFGSBody *body);
void release(LBFGSBody *body);

enum class LineSearch : uint8_t {
  /// Until the strong Wolfe conditions hold, with constants 1e-4 and 0.9.
  strong_wolfe,
  /// Halves the step until the loss decreases enough.
  backtracking
};
struct LBFGSOptions {
  /// The first step that a line search tries.
  double learning_rate = 1;
  /// Iterations and evaluations of the loss in one call; default of max_eval: 1.25 times max_iter, as in PyTorch.
  int64_t max_iter = 20;
  std::optional<int64_t> max_eval = {};
  /// A call ends where no element of the gradient is larger, or where neither the loss nor any element changes by more.
  double tolerance_grad = 1e-7, tolerance_change = 1e-9;
  /// How many pairs of steps and changes of the gradient are kept.
  int64_t history_size = 100;
  LineSearch line_search = LineSearch::strong_wolfe;
};

/// L-BFGS (D. Liu, J. Nocedal, "On the limited memory BFGS method for large scale optimization", 1989; the line search
/// is algorithms 3.5 and 3.6 of J. Nocedal, S. Wright, "Numerical Optimization", 2006). For smooth losses without
/// noise: all data at once, no Dropout. A handle: copies share the history, which goes on from call to call, and which
/// is no part of checkpoints.
///
///   const optim::LBFGS optimizer{{.max_iter = 100}};
///   const tn::Array first = optimizer.minimize([&] { return loss_of(net(x), y); }, nn::trainable_variables(net));
///
/// The host decides after each evaluation, so minimize is called outside of jit; the loss may be a jitted function.
class LBFGS {
public:
  explicit LBFGS(const LBFGSOptions &options = {}, Location at = Location::current());

  /// Moves the Variables, which are floating, towards a minimum of `loss()`, and returns the loss before that. Sums are
  /// f64; vectors are f32, or f64 if one of the Variables is. Each call must be given the same Variables. If `loss`
  /// throws, Variables and history are as they were before the call.
  template <class F>
  Array minimize(F &&loss, const std::vector<Variable> &variables, Location at = Location::current()) const {
    auto evaluate = [&] {
      GradientTape tape(at);
      const Array value = loss();
      return Evaluation{value, tape.gradient(value, variables, {}, at)};
    };
    return run(evaluate, variables, at);
  }

  /// The number of iterations and of evaluations of the loss so far.
  int64_t iterations() const;
  int64_t evaluations() const;

private:
  friend class LBFGSBody;
  struct Evaluation {
    Array loss;
    std::vector<Array> gradients;
  };
  Array run(const detail::Function<Evaluation()> &evaluate, const std::vector<Variable> &variables, Location at) const;

  detail::StateRef<LBFGSBody> body_;
};

} // namespace tenon::optim

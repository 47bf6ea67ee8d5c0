//===- gradient.h - the derivative of a loss by the weights of a model ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/gradients.h>
#include <tenon/nn/model.h>
#include <tenon/tape.h>

namespace tenon {
namespace nn {
struct ValueAndGradOptions {
  /// Whether layers train while the loss is computed.
  bool training = true;
};
} // namespace nn

namespace detail {
/// The gradients of a loss by the trainable ones among these Variables, with their paths; the loss must have rank 0.
nn::Gradients gradients_of(GradientTape &tape, const Array &loss, const VariableList &variables, Location at);

/// nn::value_and_grad of F.
template <class F>
class ValueAndGradOfModel : public LocatedCall<ValueAndGradOfModel<F>, F, AsConst> {
public:
  ValueAndGradOfModel(F loss, nn::ValueAndGradOptions options) : loss_(std::move(loss)), options_(options) {}

  template <class M, class... A>
  auto call(Location at, const M &model, const A &...arguments) const {
    using Result = std::invoke_result_t<const F &, const M &, const A &...>;
    static_assert(require_tree<M>());
    static_assert(
        std::is_same_v<Result, Array> || is_pair_with_array<Result>,
        "nn::value_and_grad: the loss returns an Array, or a std::pair of an Array and what it gives besides");
    const nn::TrainingScope training(options_.training);
    GradientTape tape(at);
    Result result = loss_(model, arguments...);
    const Array *loss;
    if constexpr (std::is_same_v<Result, Array>)
      loss = &result;
    else
      loss = &result.first;
    nn::Gradients gradients = gradients_of(tape, *loss, variables_of(model), at);
    return std::pair<Result, nn::Gradients>(std::move(result), std::move(gradients));
  }

private:
  F loss_;
  nn::ValueAndGradOptions options_;
};
} // namespace detail

namespace nn {

/// Makes a function that returns the loss and its gradients by the trainable Variables in the first argument, a model:
///
///   auto [loss, gradients] = nn::value_and_grad(loss_of)(model, x, y);
///   optimizer.apply_gradients(gradients);
///
/// `loss(model, arguments...)` returns an array of rank 0, or a std::pair (loss, aux), of which the first is
/// differentiated; that is the first result then. Layers train meanwhile, unless the options say otherwise.
template <class F>
auto value_and_grad(F loss, const ValueAndGradOptions &options = {}) {
  return detail::ValueAndGradOfModel<F>(std::move(loss), options);
}

} // namespace nn
} // namespace tenon

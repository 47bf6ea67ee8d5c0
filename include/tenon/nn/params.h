//===- params.h - models as pure functions of their parameters ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model can be called with arrays in place of its Variables. That makes it a pure function, which vmap runs for an
// ensemble at once and which grad, hvp and hessian differentiate any number of times:
//
//   const nn::Params p = nn::init(model, tn::random::key(0), x);
//   auto [y, next] = nn::stateless_call(model, p, x, {.training = true});
//
//   auto init = [&](const tn::Key &key) { return nn::init(model, key, x); };
//   nn::Params ensemble = tn::vmap(init)(tn::random::keys(tn::random::key(1), 8));
//   const nn::Params first = tn::tree_slice(ensemble, 0);
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/model.h>
#include <tenon/tree_slice.h>

#include <map>
#include <string>
#include <utility>

namespace tenon {
namespace nn {

/// All that a model holds, as values by path: a tree. Derivatives are taken by `weights`.
struct Params {
  /// Trainable Variables.
  NamedArrays weights;
  /// Other Variables: moving statistics, frozen weights, the key of a Dropout with a seed of its own.
  NamedArrays state;
  /// "default": what the default generator draws from while the model runs.
  std::map<std::string, Key> keys;
};

} // namespace nn

namespace detail {
/// While it lives, a model's Variables and the default generator are those of Params on this thread.
class ParamsScope {
public:
  /// Makes initial values from the key. What has no initializer keeps its value.
  ParamsScope(const VariableList &model, const Key &key);
  /// An Error lists what of `params` does not fit the model.
  ParamsScope(const VariableList &model, const nn::Params &params, Location at);
  ParamsScope(const ParamsScope &) = delete;
  ParamsScope &operator=(const ParamsScope &) = delete;
  ~ParamsScope();
  /// What the Variables hold now; of the first form, their initial values.
  nn::Params params() const;

private:
  class Body;
  Body *body_;
};
nn::Params params_of(const VariableList &model, const Key &key, Location at);
void assign_params(const VariableList &model, const nn::Params &params, Location at);
} // namespace detail

namespace nn {

/// Returns initial parameters of a model, by its initializers, for inputs like these. Each Variable draws from a key of
/// its own, made of `key` and of the place of the Variable in the model. The model is called once, in inference, to
/// find the shapes; its Variables stay as they are, also unbuilt. Variables without an initializer, and what the call
/// does not reach but is built, keep their values. Works under jit and vmap: `vmap` over keys makes an ensemble.
template <class M, class... A>
Params init(const M &model, const Key &key, const A &...inputs) {
  static_assert(tenon::detail::require_tree<M>());
  const tenon::detail::ParamsScope scope(tenon::detail::variables_of(model), key);
  const TrainingScope inference(false);
  (void)model(inputs...);
  return scope.params();
}

/// Returns the values that the Variables of a built model hold, and `key` for what the default generator will draw.
template <class M>
Params params_of(const M &model, const Key &key, Location at = Location::current()) {
  static_assert(tenon::detail::require_tree<M>());
  return tenon::detail::params_of(tenon::detail::variables_of(model), key, at);
}

/// Calls a model with `params` in place of what its Variables and the default generator hold. Returns the result, and
/// the parameters after the call: what the model has assigned, such as moving statistics, and the next keys. The model
/// stays as it is, so any number of threads may call it. As everywhere, an assignment stores a value without its
/// derivative. Options: those of the call; default: as the calling thread. An Error lists what of `params` does not fit
/// the model; a layer that nn::init has not reached is an Error when it is called.
template <class M, class X>
auto stateless_call(const M &model, const Params &params, const X &x, const CallOptions &options = {},
                    Location at = Location::current())
    -> std::pair<std::invoke_result_t<const M &, const X &>, Params> {
  static_assert(tenon::detail::require_tree<M>());
  const tenon::detail::ParamsScope scope(tenon::detail::variables_of(model), params, at);
  const TrainingScope training(options.training.value_or(nn::training()));
  auto result = [&] {
    if constexpr (std::is_invocable_v<const M &, const X &, const CallOptions &>)
      return model(x, options);
    else
      return model(x);
  }();
  return {std::move(result), scope.params()};
}
/// The same for several inputs; a TrainingScope says whether layers train.
template <class M, class X, class Y, class... A>
  requires(!std::is_same_v<Y, CallOptions>)
auto stateless_call(const M &model, const Params &params, const X &x, const Y &y, const A &...more)
    -> std::pair<std::invoke_result_t<const M &, const X &, const Y &, const A &...>, Params> {
  static_assert(tenon::detail::require_tree<M>());
  const tenon::detail::ParamsScope scope(tenon::detail::variables_of(model), params, {});
  auto result = model(x, y, more...);
  return {std::move(result), scope.params()};
}

/// Assigns parameters to the Variables of a model, and builds those that are not built; keys are left out. An Error
/// lists what does not fit, and nothing is assigned.
template <class M>
void assign_params(const M &model, const Params &params, Location at = Location::current()) {
  static_assert(tenon::detail::require_tree<M>());
  tenon::detail::assign_params(tenon::detail::variables_of(model), params, at);
}

} // namespace nn
} // namespace tenon

//===- model.h - what is done with a whole model ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model is a plain struct with layers as members and `Array operator()(const Array &x) const`, or a layer, or any
// tree of these: nothing is registered. The paths of its members are the names of its weights: `conv1.kernel`.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/io.h>
#include <tenon/nn/layer.h>

#include <map>
#include <vector>

namespace tenon {
namespace detail {
/// Gives a weight its path as name.
void name_variable(const Variable &variable, const Path &path);
void set_trainable(const Variable &variable, bool trainable);
/// One of each, where layers are shared.
class VariableList {
public:
  void add(const Variable &variable, const Path &path);
  std::vector<Variable> variables;
  std::vector<std::string> paths;
};
/// Replaces each Variable by one of its own, and those that are the same by the same.
struct CloneVariables {
  using Clones = void;
  std::map<uint64_t, Variable> made;
  void operator()(Variable &leaf, const Path &);
  template <class Leaf>
  void operator()(Leaf &, const Path &) {}
};
template <class M>
VariableList variables_of(const M &model) {
  VariableList list;
  for_each_leaf(model, [&](const auto &leaf, const Path &path) {
    if constexpr (leaf_kind<decltype(leaf)> == LeafKind::variable) {
      name_variable(leaf, path);
      list.add(leaf, path);
    }
  });
  return list;
}
std::vector<Variable> trainable_of(const std::vector<Variable> &all);
int64_t count_of(const std::vector<Variable> &all);
void copy_weights(const VariableList &from, const VariableList &to, double tau, Location at);
void save_weights(const std::string &path, const VariableList &model, Location at);
} // namespace detail

namespace nn {

/// Returns all Variables of a model, each once, in the order of their paths' declaration; of layers that are not built,
/// too.
template <class M>
std::vector<Variable> variables(const M &model) {
  if constexpr (tenon::detail::require_tree<M>())
    return tenon::detail::variables_of(model).variables;
}
/// Returns the trainable ones of these.
template <class M>
std::vector<Variable> trainable_variables(const M &model) {
  if constexpr (tenon::detail::require_tree<M>())
    return tenon::detail::trainable_of(tenon::detail::variables_of(model).variables);
}
/// Returns the number of elements of all Variables of a model. An Error if a layer is not built.
template <class M>
int64_t count_params(const M &model) {
  return tenon::detail::count_of(tenon::detail::variables_of(model).variables);
}
/// Makes all Variables of a part trainable, or not. A jitted step that takes derivatives is traced again.
template <class M>
void set_trainable(const M &part, bool trainable) {
  for (const Variable &variable : variables(part))
    tenon::detail::set_trainable(variable, trainable);
}
/// Returns a copy of a model with Variables of its own, of the same values; what is not built is built separately.
/// Layers that occur twice in the model are shared in the copy, too.
template <class M>
M clone(const M &model) {
  static_assert(tenon::detail::require_tree<M>());
  tenon::detail::CloneVariables replace;
  M copy(model);
  for_each_leaf(copy, replace);
  return copy;
}
/// Returns `count` layers like this one, with weights of their own.
template <class L>
std::vector<L> repeat(int64_t count, const L &layer) {
  std::vector<L> layers;
  for (int64_t i = 0; i < count; ++i)
    layers.push_back(clone(layer));
  return layers;
}
/// Assigns the Variables of one model those of another with the same paths, shapes and dtypes; any difference is an
/// Error that lists them all, and nothing is assigned.
template <class M, class N>
void copy_weights(const M &from, const N &to, Location at = Location::current()) {
  tenon::detail::copy_weights(tenon::detail::variables_of(from), tenon::detail::variables_of(to), 1, at);
}
struct PolyakOptions {
  /// The share of the new weights.
  double tau = 0.005;
};
/// Assigns `tau * from + (1 - tau) * to` to each Variable of `to` (Polyak averaging, for target networks).
template <class M, class N>
void polyak_update(const M &from, const N &to, const PolyakOptions &options = {}, Location at = Location::current()) {
  tenon::detail::copy_weights(tenon::detail::variables_of(from), tenon::detail::variables_of(to), options.tau, at);
}
/// Builds a model for inputs of these shapes: calls it once, in inference, with zeros in f32.
template <class M, class... S>
void build(const M &model, const S &...shapes) {
  const TrainingScope scope(false);
  (void)model(tenon::zeros(Shape(shapes))...);
  (void)variables(model); // for their names
}
/// Calls a model, any callable, with options: `nn::call(model, {.training = true}, x)`.
template <class M, class... A>
  requires std::is_invocable_v<const M &, const A &...>
auto call(const M &model, const CallOptions &options, const A &...inputs) {
  const TrainingScope scope(options.training.value_or(training()));
  return model(inputs...);
}

} // namespace nn
} // namespace tenon

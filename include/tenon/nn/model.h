//===- model.h - what is done with a whole model ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model is a plain struct with layers as members and `Array operator()(const Array &x) const`, or a layer, or any
// tree of these: nothing is registered. The paths of its members are the names of its weights: `conv1.kernel`.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/eval_shape.h>
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
/// Records which layers are called while it lives, for nn::summary.
class SummaryScope {
public:
  /// `root`: the model, if it is a layer itself.
  explicit SummaryScope(const nn::Layer *root);
  ~SummaryScope();
  SummaryScope(const SummaryScope &) = delete;
  /// Keras' table of them; `all`: the Variables of the model.
  std::string table(const VariableList &all) const;

private:
  class Rows;
  Rows *rows_;
};
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
/// Returns Keras' table of the layers that a call with these inputs goes through, their output shapes and numbers of
/// parameters; builds the model if it is not. A TensorSpec may stand for an input: then nothing is computed. The first
/// size of an output shape is the batch.
template <class M, class... A>
std::string summary(const M &model, const A &...inputs) {
  const Layer *root = nullptr;
  if constexpr (std::is_base_of_v<Layer, M>)
    root = &model;
  const TrainingScope inference(false);
  tenon::detail::SummaryScope scope(root);
  (void)variables(model);
  if constexpr ((std::is_same_v<A, TensorSpec> || ...))
    (void)eval_shape([&](const auto &...x) { return model(x...); }, inputs...);
  else
    (void)model(inputs...);
  return scope.table(tenon::detail::variables_of(model));
}

/// Writes all Variables of a model to a safetensors file, under their paths.
template <class M>
void save_weights(const std::string &path, const M &model, Location at = Location::current()) {
  tenon::detail::save_weights(path, tenon::detail::variables_of(model), at);
}
struct LoadOptions {
  /// Our path to the name in the file; an empty name: the Variable stays as it is.
  tenon::detail::Function<std::string(const std::string &)> rename = {};
  /// Our path and the array in the file to what is assigned, such as a transposed array.
  tenon::detail::Function<Array(const std::string &, const Array &)> convert = {};
  /// Whether a Variable without an entry, or an entry without a Variable, is an Error.
  bool strict = true;
};
struct LoadStatus {
  /// Paths of Variables that are not in the file, and names in the file that no Variable has.
  std::vector<std::string> missing, unused;
};
/// Assigns the Variables of a model what a safetensors file has under their paths; those that are not built get their
/// values. All or nothing: any mismatch is an Error that lists them all.
template <class M>
LoadStatus load_weights(const std::string &path, const M &model, const LoadOptions &options = {},
                        Location at = Location::current());

/// Calls a model, any callable, with options: `nn::call(model, {.training = true}, x)`.
template <class M, class... A>
  requires std::is_invocable_v<const M &, const A &...>
auto call(const M &model, const CallOptions &options, const A &...inputs) {
  const TrainingScope scope(options.training.value_or(training()));
  return model(inputs...);
}

} // namespace nn

namespace detail {
nn::LoadStatus load_weights(const std::string &path, const VariableList &model, const nn::LoadOptions &options,
                            Location at);
} // namespace detail
template <class M>
nn::LoadStatus nn::load_weights(const std::string &path, const M &model, const LoadOptions &options, Location at) {
  return detail::load_weights(path, detail::variables_of(model), options, at);
}
} // namespace tenon

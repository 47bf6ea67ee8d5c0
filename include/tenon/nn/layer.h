//===- layer.h - the base of layers -----------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer is anything that is called with an array and is a tree: a struct of Weights and layers with an operator().
// nn::Layer is the base class of the library's layers, for classes in Keras' style and for run-time polymorphism:
//
//   class Linear : public nn::Layer {
//   public:
//     explicit Linear(int64_t units) : units_(units) {}
//     void build(const tn::Shape &input) const override { kernel_.build({input[-1], units_}); }
//     tn::Array call(const tn::Array &x) const override { return tn::matmul(x, kernel_); }
//     void fields(tn::Fields &f) override { f("kernel", kernel_); }
//
//   private:
//     int64_t units_;
//     nn::Weight kernel_;
//   };
//
// Copies of a layer share its weights, before they are built, too; nn::clone makes others.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/policy.h>
#include <tenon/nn/weight.h>

namespace tenon {
namespace nn {
using tenon::Fields;

/// Base class of layers. build and call are const, so that a const model can be built by its first call: what they
/// change are Weights, which are places.
class Layer : public TreeObject {
public:
  /// Builds the layer for the shape of x, if it is not, and calls it. An Error names the layer. Also an Error: a Weight
  /// that build or call has built and that `fields` does not name, since checkpoints and optimizers would miss it.
  Array operator()(const Operand &x, const CallOptions &options = {}, Location at = Location::current()) const;

  /// The path in the model, if that is known, such as `conv1`; else the class.
  std::string name() const;
  /// Whether all weights have values.
  bool built() const;

  /// Builds the Weights for inputs of this shape; called before `call`, each time.
  virtual void build(const Shape & /*input*/) const {}
  virtual Array call(const Array &x) const = 0;

  /// The dtypes of the layer: those of the PolicyScope that it was made under, or with_policy.
  const Policy &policy() const { return policy_; }
  virtual PolicyCasts policy_casts() const { return PolicyCasts::all; }

protected:
  Layer();
  Layer(const Layer &) = default;
  Layer &operator=(const Layer &) = default;

private:
  template <class L>
  friend L with_policy(const Policy &policy, L layer);
  void set_policy(const Policy &policy);

  Policy policy_;
};

/// Returns a copy of a layer with another policy, such as the last one of a mixed model: `nn::with_policy({},
/// nn::Dense{10})` computes in f32. Layers within it keep theirs. Before the layer is built, if the variable dtype
/// differs.
template <class L>
L with_policy(const Policy &policy, L layer) {
  static_assert(std::is_base_of_v<Layer, L>, "nn::with_policy takes a layer; make a model under an nn::PolicyScope");
  static_cast<Layer &>(layer).set_policy(policy);
  return layer;
}

/// What nn::AnyLayer and nn::Sequential take: a callable with an Array, that is a tree or a function without state.
template <class L>
concept AnyLayerType = std::is_invocable_r_v<Array, const L &, const Array &> && std::is_copy_constructible_v<L>;

} // namespace nn

namespace detail {
/// What copies of an AnyLayer share.
class LayerBody {
public:
  virtual ~LayerBody() = default;
  virtual Array call(const Array &x) const = 0;
  virtual void fields(Fields &) {}
  virtual LayerBody *copy() const = 0;
  virtual const nn::Layer *layer() const { return nullptr; }
  /// The class, for prints.
  virtual std::string_view type() const = 0;
  unsigned references = 1;
};
/// The user's line that called the layer which this thread is in.
Location running_line();
inline void retain(LayerBody *body) { __atomic_add_fetch(&body->references, 1, __ATOMIC_RELAXED); }
inline void release(LayerBody *body) {
  if (__atomic_sub_fetch(&body->references, 1, __ATOMIC_ACQ_REL) == 0)
    delete body;
}
template <class L>
class LayerBodyOf final : public LayerBody {
public:
  explicit LayerBodyOf(L given) : layer_(std::move(given)) {}
  Array call(const Array &x) const override {
    if constexpr (requires { layer_(x, nn::CallOptions(), running_line()); })
      return layer_(x, nn::CallOptions(), running_line());
    else
      return layer_(x);
  }
  void fields(Fields &f) override {
    if constexpr (std::is_base_of_v<TreeObject, L>)
      layer_.fields(f);
    else if constexpr (is_tree<L>() && !std::is_empty_v<L>)
      f.inner(layer_);
  }
  LayerBody *copy() const override { return new LayerBodyOf(layer_); }
  const nn::Layer *layer() const override {
    if constexpr (std::is_base_of_v<nn::Layer, L>)
      return &layer_;
    return nullptr;
  }
  std::string_view type() const override { return type_name<L>; }

private:
  L layer_;
};
} // namespace detail

namespace nn {

/// A layer of any type: for vectors of different layers. Copies share what is inside.
class AnyLayer : public Layer {
public:
  template <class L>
    requires(AnyLayerType<L> && !std::is_base_of_v<AnyLayer, L>)
  AnyLayer(L layer) : body_(new detail::LayerBodyOf<L>(std::move(layer))) {}

  Array call(const Array &x) const override { return body_.get()->call(x); }
  PolicyCasts policy_casts() const override { return PolicyCasts::none; }
  void fields(Fields &f) override {
    if (f.isCloning())
      body_ = detail::StateRef<detail::LayerBody>(body_.get()->copy());
    body_.get()->fields(f);
  }
  /// Internal: what it holds.
  const detail::LayerBody &body() const { return *body_.get(); }

private:
  detail::StateRef<detail::LayerBody> body_;
};

} // namespace nn
} // namespace tenon

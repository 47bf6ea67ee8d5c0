// Eight models as one by vmap over their parameters; and a product with the Hessian of a loss.
#include <iostream>
#include <tenon/learning.h>

namespace tn = tenon;
namespace nn = tn::nn;

struct Net {
  nn::Dense hidden{64, {.activation = tn::tanh}};
  nn::BatchNorm norm;
  nn::Dropout dropout{0.1};
  nn::Dense out{1};
  tn::Array operator()(const tn::Array &x) const { return out(dropout(norm(hidden(x)))); }
};

int main() {
  const Net net; // the form alone: its weights are never made
  const tn::Array x = tn::random::normal(tn::random::key(0), {256, 3});
  const tn::Array y = tn::sum(tn::sin(x), 1, true);

  // A pure function of the parameters; the derivative is by the weights alone.
  auto loss = [&](const tn::NamedArrays &weights, const nn::Params &p) {
    nn::Params all = p;
    all.weights = weights;
    auto [prediction, next] = nn::stateless_call(net, all, x, {.training = true});
    return std::pair(tn::mean(tn::square(prediction - y)), next);
  };
  auto step = [&](const nn::Params &p) {
    auto [value, gradients] = tn::value_and_grad(loss)(p.weights, p);
    nn::Params next = value.second;
    next.weights =
        tn::tree_map([](const tn::Array &w, const tn::Array &g) { return w - 0.05f * g; }, p.weights, gradients);
    return std::pair(next, value.first);
  };

  auto init = [&](const tn::Key &key) { return nn::init(net, key, x); };
  nn::Params ensemble = tn::vmap(init)(tn::random::keys(tn::random::key(1), 8));
  auto train = tn::jit(tn::vmap(step));
  for (int i = 0; i < 200; ++i) {
    auto [next, losses] = train(ensemble);
    ensemble = next;
    if (i % 50 == 0)
      std::cout << losses << "\n";
  }
  auto predict = tn::vmap([&](const nn::Params &p) { return nn::stateless_call(net, p, x).first; });
  const tn::Array predictions = predict(ensemble);
  std::cout << tn::format("spread {:.4f}\n", tn::mean(tn::std(predictions, 0)));

  // Hessian times vector, of one member; power iteration finds the sharpest direction.
  const nn::Params one = tn::tree_slice(ensemble, 0);
  auto scalar = [&](const tn::NamedArrays &weights) { return loss(weights, one).first; };
  tn::NamedArrays v = one.weights;
  tn::Array length;
  for (int i = 0; i < 20; ++i) {
    v = tn::hvp(scalar, one.weights, v);
    length = tn::global_norm(tn::tree_leaves(v));
    v = tn::tree_map([&](const tn::Array &a) { return a / length; }, v);
  }
  std::cout << tn::format("largest curvature {:.3f}\n", length);
  nn::assign_params(net, one); // and back into a model with weights
}

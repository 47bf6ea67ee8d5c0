//===- own_parts.cpp - a layer, a metric, a callback and an optimizer of one's own ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace train = tn::train;

// A plain struct: what it holds is found by reflection; build gives a value once.
struct MovingNorm {
  double momentum = 0.9;
  nn::Weight scale{};
  nn::State mean{}, variance{};

  tn::Array operator()(const tn::Array &x) const {
    const tn::Shape features{x.shape()[-1]};
    scale.build(features, nn::ones());
    mean.build(features, nn::zeros());
    variance.build(features, nn::ones());
    tn::Array m = mean, v = variance;
    if (nn::training()) {
      m = tn::mean(x, 0);
      v = tn::var(x, 0);
      mean.assign(momentum * mean + (1 - momentum) * m);
      variance.assign(momentum * variance + (1 - momentum) * v);
    }
    return (x - m) * tn::rsqrt(v + 1e-3f) * scale;
  }
};

// In the guide's style. Weights exist from construction, so that a checkpoint finds them before the first call.
class MySimpleLayer : public nn::Layer {
public:
  explicit MySimpleLayer(int64_t units) : units_(units) {}
  void build(const tn::Shape &input) const override { kernel_.build({input[-1], units_}); }
  tn::Array call(const tn::Array &x) const override { return tn::matmul(x, kernel_); }
  void fields(nn::Fields &f) override { f("kernel", kernel_); }

private:
  int64_t units_;
  nn::Weight kernel_;
};
// One that holds layers names them.
struct Residual : nn::Layer {
  nn::Dense inner{32, {.activation = tn::relu}};
  MovingNorm norm;
  tn::Array call(const tn::Array &x) const override { return x + norm(inner(x)); }
  void fields(nn::Fields &f) override { f("inner", inner)("norm", norm); }
};

// A metric: update and result; reset puts its States back.
struct PositiveRate {
  nn::State positive, all;
  void update(const tn::Array &, const tn::Array &logits) const {
    positive.build({}, nn::zeros());
    all.build({}, nn::zeros());
    positive.assign(positive + tn::count_nonzero(tn::argmax(logits, 1)).astype(tn::f32));
    all.assign(all + float(logits.dim(0).value()));
  }
  tn::Array result() const { return positive / all; }
};

struct PrintRate : train::Callback {
  std::vector<double> losses;
  void on_epoch_end(int64_t epoch, train::Logs &logs) override {
    losses.push_back(logs["loss"]);
    std::cout << tn::format("epoch {}: {:.4f}, rate {:.1e}\n", epoch, losses.back(), optimizer().learning_rate());
    if (losses.back() < 1e-3)
      stop_training();
  }
};

// An optimizer: the sign of a moving average, over flat trees by path.
static tn::optim::Transform sign_of_average(double beta) {
  auto zero = [](const tn::Array &a) { return tn::zeros_like(a); };
  return {.init = [=](const tn::NamedArrays &parameters) { return tn::tree_map(zero, parameters); },
          .update =
              [=](tn::NamedArrays &updates, tn::NamedArrays &average, const tn::NamedArrays &) {
                for (auto &[path, g] : updates) {
                  tn::Array &a = average.at(path);
                  a = beta * a + (1 - beta) * g;
                  g = tn::sign(a);
                }
              }};
}

int main() {
  const nn::Sequential model{MySimpleLayer{32}, Residual(), MovingNorm{.momentum = 0.99}, nn::Dense{10}};
  const tn::optim::Optimizer optimizer{tn::optim::chain(tn::optim::clip_by_global_norm(1), sign_of_average(0.9),
                                                        tn::optim::scale_by_learning_rate(1e-3)),
                                       "signs"};
  PrintRate printer;
  auto [training, test] = tn::datasets::digits();
  train::fit(model, training.images.reshape({-1, 64}), training.labels,
             {.optimizer = optimizer,
              .loss =
                  [](const tn::Array &y, const tn::Array &logits) {
                    return -tn::mean(tn::sum(tn::one_hot(y, 10) * tn::log_softmax(logits), 1));
                  },
              .metrics = {"accuracy", PositiveRate()},
              .epochs = 5,
              .verbose = 0,
              .callbacks = {printer}});
  std::cout << printer.losses.size() << " epochs\n";
}

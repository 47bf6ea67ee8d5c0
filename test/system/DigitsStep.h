//===- DigitsStep.h - a step of learning, in small --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The demo's step with one hidden layer. The tools' tests look for the lines
// of this file in what the compiler prints.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/tenon.h>

namespace tenon::testing_system {

struct Dense {
  Array kernel, bias;
  Array operator()(const Array &x) const { return matmul(x, kernel) + bias; }
};

struct Net {
  Dense hidden, out;
  Array operator()(const Array &x) const { return out(relu(hidden(x))); }
};

inline Net makeNet() {
  auto dense = [](uint64_t seed, int64_t from, int64_t to) {
    return Dense{random::normal(random::key(seed), {from, to}) * 0.2f, zeros({to})};
  };
  return {dense(1, 64, 64), dense(2, 64, 10)};
}

inline Array crossEntropy(const Net &net, const Array &images, const Array &labels) {
  return -mean(sum(log_softmax(net(images)) * one_hot(labels, 10), 1));
}

inline Array digitsStep(Net &net, const Array &images, const Array &labels) {
  auto [loss, gradient] = value_and_grad(crossEntropy)(net, images, labels);
  net = tree_map([](const Array &p, const Array &g) { return p - 0.5f * g; }, net, gradient);
  return loss;
}

/// The step for any batch.
inline auto jitDigitsStep() {
  return jit(digitsStep,
             {.specs = {as_called, TensorSpec{f32, {"batch", 64}}, TensorSpec{i32, {"batch"}}}, .name = "digits"});
}

} // namespace tenon::testing_system

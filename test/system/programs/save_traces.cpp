//===- save_traces.cpp - saved functions for the tools to print -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `save-traces FOLDER` writes digits.trace, the step of DigitsStep.h for any
// batch, relu.trace, its relu alone, and the inputs of both as .npy files; and
// layer.trace, the function of dialect/stages.md.
//===----------------------------------------------------------------------===//
#include "test/system/DigitsStep.h"

#include <cstdio>

using namespace tenon;
using namespace tenon::testing_system;

static Array hiddenLayer(const Array &x) { return relu(x); }

static Array layer(const Array &x, const Array &w, const Array &b) {
  auto halved = jit([](const Array &y) { return relu(y) * 0.5f; }, {.name = "halved"});
  return halved(matmul(x, w) + b);
}

static void save(const std::string &folder) {
  Net net = makeNet();
  Array images = random::uniform(random::key(3), {6, 64});
  Array labels = Array(std::vector<int32_t>{3, 1, 4, 1, 5, 9});
  jitDigitsStep().lower(net, images, labels).save_trace(folder + "/digits.trace");
  jit(hiddenLayer, {.specs = {TensorSpec{f32, {"batch", 64}}}, .name = "relu"})
      .lower(images)
      .save_trace(folder + "/relu.trace");
  jit(layer,
      {.specs = {TensorSpec{f32, {"batch", 64}}, TensorSpec{f32, {64, 64}}, TensorSpec{f32, {64}}}, .name = "layer"})
      .lower(images, net.hidden.kernel, net.hidden.bias)
      .save_trace(folder + "/layer.trace");
  int number = 0;
  for (const Array &input : {net.hidden.kernel, net.hidden.bias, net.out.kernel, net.out.bias, images, labels})
    save_npy(folder + "/digits" + std::to_string(number++) + ".npy", input);
  save_npy(folder + "/relu0.npy", images - 0.5f);
}

int main(int count, char **arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: save-traces FOLDER\n");
    return 2;
  }
  try {
    save(arguments[1]);
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

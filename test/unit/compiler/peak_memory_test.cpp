//===- peak_memory_test.cpp - what reverse mode holds at most -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>

using namespace tenon;

namespace {

struct Dense {
  Array kernel, bias;
};
using Layers = std::vector<Dense>;
constexpr int64_t width = 64, depth = 50, batch = 1024;

using Loss = std::function<Array(const Layers &)>;

void byGrad(const Loss &loss, const Layers &layers) { grad(loss)(layers); }
void byTape(const Loss &loss, const Layers &layers) {
  GradientTape tape;
  tape.watch(layers);
  const Array value = loss(layers);
  (void)tape.gradient(value, layers);
}
void byJit(const Loss &loss, const Layers &layers) { jit(grad(loss), {.compile = Compile::now})(layers); }

/// The most bytes that a derivative of a model of equal layers held, by those of the layers' activations.
double peakByActivations(Array (*activation)(const Array &), void (*run)(const Loss &, const Layers &)) {
  const Layers layers(depth, {ones({width, width}) * 0.01f, zeros({width})});
  const Array x = ones({batch, width});
  const Loss loss = [&](const Layers &all) {
    Array y = x;
    for (const Dense &layer : all)
      y = activation(matmul(y, layer.kernel) + layer.bias);
    return mean(square(y));
  };
  const rt::MemoryStatistics before = rt::memoryStatistics();
  run(loss, layers);
  return static_cast<double>(rt::memoryStatistics().peakBytes - before.bytesCommitted) /
         static_cast<double>(depth * batch * width * 4);
}

/// In a process of its own, whose peak it is.
double measure(Array (*activation)(const Array &), void (*run)(const Loss &, const Layers &)) {
  int ends[2];
  if (pipe(ends) != 0)
    return 0;
  const pid_t child = fork();
  if (child == 0) {
    double peak = 0;
    try {
      peak = peakByActivations(activation, run);
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(write(ends[1], &peak, sizeof peak) == sizeof peak ? 0 : 1);
  }
  double peak = 0;
  if (child < 0 || read(ends[0], &peak, sizeof peak) != sizeof peak)
    peak = 0;
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return peak;
}

TEST(PeakMemory, OfReverseModeIsThatOfTheActivations) {
  auto ofRelu = [](const Array &x) { return relu(x); };
  auto ofTanh = [](const Array &x) { return tanh(x); };
  for (auto run : {byGrad, byTape, byJit})
    for (Array (*activation)(const Array &) : {+ofRelu, +ofTanh}) {
      const double peak = measure(activation, run);
      EXPECT_GT(peak, 1) << "nothing was measured";
      // relu keeps its result, which the next layer keeps as well; tanh its operand, for a derivative that is accurate
      // in the tails.
      EXPECT_LT(peak, activation == +ofRelu ? 1.2 : 2.3);
    }
}

} // namespace

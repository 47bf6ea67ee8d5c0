//===- compile.cpp - how compile time grows with a function -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   compile mlp|chains|mathchains COUNT
//
// COUNT steps of training, or chains of ten ops: the same work, however many ops of
// a trace a function is.
//
// Prints two lines: for a function whose kernels are all new, and the median of
// five others whose kernels are those of the first (another learning rate, other
// sizes), so that the cost of kernels and of ops can be told apart. A line: ops,
// kernels, those of them that were compiled, library steps, milliseconds to trace,
// to compile, and in all until the first result. A tiny function is compiled
// before, so that loading the compiler is not counted.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace tenon;

namespace {
struct Dense {
  Array w, b;
};
struct Mlp {
  Dense first, second;
};
using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string logged;
} // namespace

/// Steps of training, one after another, through eight widths.
static void trainMlps(std::vector<Mlp> &models, const Array &x, const Array &labels, int steps, float rate) {
  auto loss = [&](const Mlp &m) {
    Array hidden = relu(matmul(x, m.first.w) + m.first.b);
    Array logits = matmul(hidden, m.second.w) + m.second.b;
    return -mean(sum(log_softmax(logits) * one_hot(labels, 10), 1));
  };
  for (int i = 0; i < steps; ++i) {
    Mlp &model = models[static_cast<size_t>(i) % models.size()];
    Mlp gradient = grad(loss)(model);
    model = tree_map([&](const Array &p, const Array &g) { return p - rate * g; }, model, gradient);
  }
}

/// Ten elementwise ops, plain ones or two of them transcendental. Which plain ones
/// are the digits of `number` in base 5, so no two chains are equal. None of the
/// ops simplifies beside another.
static Array chain(const Array &in, int number, bool hasMath) {
  Array x = in;
  for (int i = 0; i < 10; ++i) {
    if (hasMath && (i == 3 || i == 7)) {
      x = i == 3 ? exp(x) : tanh(x);
      continue;
    }
    switch (number % 5) {
    case 0:
      x = x + in;
      break;
    case 1:
      x = x * in;
      break;
    case 2:
      x = x - in;
      break;
    case 3:
      x = x / in;
      break;
    case 4:
      x = sqrt(x);
      break;
    }
    number /= 5;
  }
  return x;
}

namespace {
struct Figures {
  int ops = 0, kernels = 0, compiled = 0, steps = 0;
  double traced = 0, compiling = 0, total = 0; // milliseconds

  void print() const {
    std::printf("%d %d %d %d %.3f %.3f %.3f\n", ops, kernels, compiled, steps, traced, compiling, total);
  }
};
} // namespace

template <class Function, class... A>
static Figures measure(const Function &function, A &...arguments) {
  Figures figures;
  auto timed = jit([&](auto &...inside) {
    auto start = Clock::now();
    auto result = function(inside...);
    figures.traced = since(start);
    return result;
  });
  logged.clear();
  auto start = Clock::now();
  timed(arguments...);
  figures.total = since(start);
  long microseconds = 0;
  size_t at = logged.find(": ", logged.find("compiled "));
  if (at == std::string::npos ||
      std::sscanf(logged.c_str() + at, ": %d ops, %d kernels (%d new), %d library steps, %ld us", &figures.ops,
                  &figures.kernels, &figures.compiled, &figures.steps, &microseconds) != 5) {
    std::fprintf(stderr, "expected a line about the compilation, got: %s\n", logged.c_str());
    std::exit(1);
  }
  figures.compiling = static_cast<double>(microseconds) / 1e3;
  return figures;
}

/// `measureOne(i)` measures the i-th of functions with equal kernels.
template <class MeasureOne>
static void report(const MeasureOne &measureOne) {
  measureOne(0).print();
  std::vector<Figures> others;
  for (int i = 1; i <= 5; ++i)
    others.push_back(measureOne(i));
  std::sort(others.begin(), others.end(), [](const Figures &a, const Figures &b) { return a.total < b.total; });
  others[2].print();
}

int main(int argc, char **argv) {
  const std::string_view kind = argc == 3 ? argv[1] : "";
  if (kind != "mlp" && kind != "chains" && kind != "mathchains") {
    std::fprintf(stderr, "usage: compile mlp|chains|mathchains COUNT\n");
    return 2;
  }
  const int count = std::atoi(argv[2]);
  setenv("TENON_JIT_LOG", "1", 1);
  set_jit_log([](std::string_view line) {
    if (line.find("compiled") != std::string_view::npos)
      logged = line;
  });
  jit([](const Array &x) { return x * 2 + 1; })(ones({4}));

  if (kind == "mlp") {
    std::vector<Mlp> models;
    for (int64_t width : {8, 12, 16, 20, 24, 28, 32, 36})
      models.push_back({{ones({16, width}), zeros({width})}, {ones({width, 10}), zeros({10})}});
    Array x = ones({4, 16}), labels = {1, 2, 3, 4};
    report([&](int number) {
      return measure(
          [&](std::vector<Mlp> &m) {
            trainMlps(m, x, labels, count, 0.1f + 0.01f * static_cast<float>(number));
            return m[0].first.b;
          },
          models);
    });
    return 0;
  }
  report([&](int number) {
    std::vector<Array> inputs;
    for (int i = 0; i < count; ++i)
      inputs.push_back(ones({64 + number + i}));
    return measure(
        [&](std::vector<Array> &xs) {
          std::vector<Array> results;
          for (size_t i = 0; i < xs.size(); ++i)
            results.push_back(chain(xs[i], static_cast<int>(i), kind == "mathchains"));
          return results;
        },
        inputs);
  });
}

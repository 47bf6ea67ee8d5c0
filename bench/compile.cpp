//===- compile.cpp - how compile time grows with a function -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   compile mlp|chains|mathchains|layers|gru COUNT [OTHERS]
//
// COUNT steps of training, or chains of ten ops: the same work, however many ops of
// a trace a function is. Or value and gradient of one model: of COUNT layers of 64, of a
// GRU over COUNT rounds.
//
// Prints two lines: for a function whose kernels are all new, and the median of
// OTHERS (five) whose kernels are those of the first (another learning rate, other
// sizes), so that the cost of kernels and of ops can be told apart. A line: ops,
// kernels, those of them that were compiled, library steps, milliseconds to trace,
// to compile, and in all until the first result, and the MiB that the process has
// held at most by then. A tiny function is compiled before, so that loading the
// compiler is not counted.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/resource.h>

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

/// Value and gradient of a model of equal layers.
static Array deepLoss(std::vector<Dense> &layers, const Array &x) {
  auto loss = [&](const std::vector<Dense> &all) {
    Array y = x;
    for (const Dense &layer : all)
      y = relu(matmul(y, layer.w) + layer.b);
    return mean(square(y));
  };
  auto [value, gradient] = value_and_grad(loss)(layers);
  layers = std::move(gradient);
  return value;
}

namespace {
/// Of 32 units: reset, update and candidate (Cho et al., 2014, https://arxiv.org/abs/1406.1078).
struct Gru {
  Array input, state, bias;
};
} // namespace

/// The same of a GRU over the rows of x.
static Array recurrentLoss(Gru &model, const Array &x) {
  auto loss = [&](const Gru &gru) {
    auto round = [&](const Array &h, const Array &row) {
      const Array in = matmul(row, gru.input) + gru.bias, held = matmul(h, gru.state);
      auto part = [](const Array &all, int number) { return all[slice(32 * number, 32 * (number + 1))]; };
      const Array reset = sigmoid(part(in, 0) + part(held, 0)), update = sigmoid(part(in, 1) + part(held, 1));
      const Array next = (1 - update) * tanh(part(in, 2) + reset * part(held, 2)) + update * h;
      return std::pair(next, next);
    };
    return mean(square(scan(round, zeros({32}), x).second));
  };
  auto [value, gradient] = value_and_grad(loss)(model);
  model = std::move(gradient);
  return value;
}

namespace {
struct Figures {
  int ops = 0, kernels = 0, compiled = 0, steps = 0;
  double traced = 0, compiling = 0, total = 0; // milliseconds
  long peak = 0;                               // MiB

  void print() const {
    std::printf("%d %d %d %d %.3f %.3f %.3f %ld\n", ops, kernels, compiled, steps, traced, compiling, total, peak);
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
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  figures.peak = used.ru_maxrss / 1024;
  return figures;
}

/// `measureOne(i)` measures the i-th of functions with equal kernels.
template <class MeasureOne>
static void report(const MeasureOne &measureOne, int count) {
  measureOne(0).print();
  std::vector<Figures> others;
  for (int i = 1; i <= count; ++i)
    others.push_back(measureOne(i));
  if (others.empty())
    return;
  std::sort(others.begin(), others.end(), [](const Figures &a, const Figures &b) { return a.total < b.total; });
  others[others.size() / 2].print();
}

int main(int argc, char **argv) {
  const std::string_view kind = argc == 3 || argc == 4 ? argv[1] : "";
  if (kind != "mlp" && kind != "chains" && kind != "mathchains" && kind != "layers" && kind != "gru") {
    std::fprintf(stderr, "usage: compile mlp|chains|mathchains|layers|gru COUNT [OTHERS]\n");
    return 2;
  }
  const int count = std::atoi(argv[2]), others = argc == 4 ? std::atoi(argv[3]) : 5;
  set_log([](LogTopic topic, std::string_view line) {
    if (topic == LogTopic::compile)
      logged = line;
  });
  jit([](const Array &x) { return x * 2 + 1; })(ones({4}));

  if (kind == "mlp") {
    std::vector<Mlp> models;
    for (int64_t width : {8, 12, 16, 20, 24, 28, 32, 36})
      models.push_back({{ones({16, width}), zeros({width})}, {ones({width, 10}), zeros({10})}});
    Array x = ones({4, 16}), labels = {1, 2, 3, 4};
    report(
        [&](int number) {
          return measure(
              [&](std::vector<Mlp> &m) {
                trainMlps(m, x, labels, count, 0.1f + 0.01f * static_cast<float>(number));
                return m[0].first.b;
              },
              models);
        },
        others);
    return 0;
  }
  if (kind == "layers") {
    report(
        [&](int number) {
          std::vector<Dense> layers(static_cast<size_t>(count), {ones({64, 64}), zeros({64})});
          const Array x = ones({32 + number, 64});
          return measure([&](std::vector<Dense> &all) { return deepLoss(all, x); }, layers);
        },
        others);
    return 0;
  }
  if (kind == "gru") {
    report(
        [&](int number) {
          Gru model{ones({8, 96}), ones({32, 96}), zeros({96})};
          const Array x = ones({count + number, 8});
          return measure([&](Gru &gru) { return recurrentLoss(gru, x); }, model);
        },
        others);
    return 0;
  }
  report(
      [&](int number) {
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
      },
      others);
}

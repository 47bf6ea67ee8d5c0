//===- optim_formulas_test.cpp - optimizers beside their formulas, in double -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each optimizer makes 100 steps beside a plain loop over doubles that follows Keras' formulas, eagerly and jitted,
// with f64, f32 and bf16 Variables.
//===----------------------------------------------------------------------===//
#include <tenon/optim.h>
#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace tenon;

namespace {

using Doubles = std::vector<double>;
constexpr size_t rows = 2, columns = 3;

/// A parameter of the reference and what it keeps, by element.
struct Reference {
  Doubles x, m, v, extra;
  explicit Reference(Doubles start) : x(start), m(x.size()), v(x.size()), extra(x.size()) {}
};
/// Updates a parameter by the gradient of step t (from 1).
using Rule = std::function<void(Reference &p, const Doubles &g, int t)>;

double norm(const Doubles &x) {
  double total = 0;
  for (double e : x)
    total += e * e;
  return std::sqrt(total);
}

Rule elementwise(std::function<void(double &x, double g, double &m, double &v, double &extra, int t)> f) {
  return [=](Reference &p, const Doubles &g, int t) {
    for (size_t i = 0; i < g.size(); ++i)
      f(p.x[i], g[i], p.m[i], p.v[i], p.extra[i], t);
  };
}

Rule adamRule(double lr, double b1, double b2, double eps, double decay, bool amsgrad) {
  return elementwise([=](double &x, double g, double &m, double &v, double &largest, int t) {
    x -= lr * decay * x;
    m += (g - m) * (1 - b1);
    v += (g * g - v) * (1 - b2);
    largest = amsgrad ? std::max(largest, v) : v;
    const double alpha = lr * std::sqrt(1 - std::pow(b2, t)) / (1 - std::pow(b1, t));
    x -= alpha * m / (std::sqrt(largest) + eps);
  });
}

/// A gradient that depends on where the parameter is, and on the step.
Doubles gradientOf(const Doubles &x, int t) {
  Doubles g;
  for (size_t i = 0; i < x.size(); ++i)
    g.push_back((0.5 + double(i)) * x[i] + 0.3 * std::cos(0.7 * t + double(i)));
  return g;
}

struct Model {
  Variable kernel, bias;
  explicit Model(Dtype dtype)
      : kernel(Array(startOfKernel(), Shape{rows, columns}).astype(dtype), "kernel"),
        bias(Array(startOfBias()).astype(dtype), "bias") {}
  static Doubles startOfKernel() { return {0.5, -1.25, 2, 0.125, -0.75, 1}; }
  static Doubles startOfBias() { return {1, -0.5, 0.25}; }
  std::vector<Variable> variables() const { return {kernel, bias}; }
};

/// The largest difference after 100 steps, relative to the size of the parameters on the way.
double errorOf(const optim::Optimizer &optimizer, const Rule &rule, Dtype dtype, bool isJitted,
               std::vector<double> *bits = nullptr) {
  const Model model(dtype);
  Reference kernel(Model::startOfKernel()), bias(Model::startOfBias());
  auto apply = [&](const Array &g1, const Array &g2) {
    optimizer.apply_gradients({g1, g2}, model.variables());
    return optimizer.iterations() * 1;
  };
  auto jitted = jit(apply);
  for (int t = 1; t <= 100; ++t) {
    const Doubles ofKernel = gradientOf(kernel.x, t), ofBias = gradientOf(bias.x, t);
    const Array g1 = Array(ofKernel, Shape{rows, columns}).astype(dtype), g2 = Array(ofBias).astype(dtype);
    EXPECT_EQ((isJitted ? jitted(g1, g2) : apply(g1, g2)).item<int64_t>(), t);
    rule(kernel, ofKernel, t);
    rule(bias, ofBias, t);
  }
  if (isJitted) {
    EXPECT_EQ(jitted.trace_count(), 1u);
  }
  Doubles got = model.kernel.value().astype(f64).to_vector<double>(), want = kernel.x;
  for (double x : model.bias.value().astype(f64).to_vector<double>())
    got.push_back(x);
  want.insert(want.end(), bias.x.begin(), bias.x.end());
  double error = 0, most = 1;
  for (size_t i = 0; i < want.size(); ++i) {
    error = std::max(error, std::abs(got[i] - want[i]));
    most = std::max(most, std::abs(want[i]));
  }
  if (bits)
    *bits = got;
  return error / most;
}

/// `make()` gives a new optimizer each time.
template <class Make>
void expectFormula(Make make, const Rule &rule, double f32Error = 2e-6, bool isSmooth = true) {
  Doubles eager, jitted;
  EXPECT_LT(errorOf(make(), rule, f64, false, &eager), 1e-13);
  EXPECT_LT(errorOf(make(), rule, f64, true, &jitted), 1e-13);
  EXPECT_EQ(eager, jitted) << "f64";
  EXPECT_LT(errorOf(make(), rule, f32, false, &eager), f32Error);
  EXPECT_LT(errorOf(make(), rule, f32, true, &jitted), f32Error);
  EXPECT_EQ(eager, jitted) << "f32";
  for (const Dtype narrow : {bf16, f16}) {
    const double error = errorOf(make(), rule, narrow, false, &eager);
    if (isSmooth) {
      EXPECT_LT(error, narrow == bf16 ? 0.25 : 0.04);
    }
    errorOf(make(), rule, narrow, true, &jitted);
    EXPECT_EQ(eager, jitted) << name(narrow);
  }
}

TEST(OptimizerFormulas, SGD) {
  expectFormula([] { return optim::SGD{0.05}; },
                elementwise([](double &x, double g, double &, double &, double &, int) { x -= 0.05 * g; }));
  expectFormula([] { return optim::SGD{0.05, {.momentum = 0.9}}; },
                elementwise([](double &x, double g, double &m, double &, double &, int) {
                  m = 0.9 * m + g;
                  x -= 0.05 * m;
                }));
  // Keras' form, in which the learning rate is part of the momentum.
  expectFormula([] { return optim::SGD{0.05, {.momentum = 0.9, .nesterov = true, .weight_decay = 0.1}}; },
                elementwise([](double &x, double g, double &m, double &, double &, int) {
                  x -= 0.05 * 0.1 * x;
                  m = 0.9 * m - 0.05 * g;
                  x += 0.9 * m - 0.05 * g;
                }));
}

TEST(OptimizerFormulas, Adam) {
  expectFormula([] { return optim::Adam{0.01}; }, adamRule(0.01, 0.9, 0.999, 1e-7, 0, false));
  expectFormula([] { return optim::Adam{0.01, {.beta_1 = 0.5, .beta_2 = 0.9, .epsilon = 1e-3, .amsgrad = true}}; },
                adamRule(0.01, 0.5, 0.9, 1e-3, 0, true));
  expectFormula([] { return optim::AdamW{0.02}; }, adamRule(0.02, 0.9, 0.999, 1e-7, 0.004, false));
  expectFormula([] { return optim::Optimizer{optim::adam(0.02, {.weight_decay = 0.1})}; },
                adamRule(0.02, 0.9, 0.999, 1e-7, 0.1, false));
}

TEST(OptimizerFormulas, Nadam) {
  expectFormula([] { return optim::Nadam{0.01}; },
                [](Reference &p, const Doubles &g, int t) {
                  double product = 1;
                  auto u = [](int step) { return 0.9 * (1 - 0.5 * std::pow(0.96, step)); };
                  for (int i = 1; i <= t; ++i)
                    product *= u(i);
                  for (size_t i = 0; i < g.size(); ++i) {
                    p.m[i] = 0.9 * p.m[i] + 0.1 * g[i];
                    p.v[i] = 0.999 * p.v[i] + 0.001 * g[i] * g[i];
                    const double m = u(t + 1) * p.m[i] / (1 - product * u(t + 1)) + (1 - u(t)) * g[i] / (1 - product);
                    p.x[i] -= 0.01 * m / (std::sqrt(p.v[i] / (1 - std::pow(0.999, t))) + 1e-7);
                  }
                });
}

TEST(OptimizerFormulas, Adamax) {
  expectFormula([] { return optim::Adamax{0.01}; },
                elementwise([](double &x, double g, double &m, double &u, double &, int t) {
                  m = 0.9 * m + 0.1 * g;
                  u = std::max(0.999 * u, std::abs(g));
                  x -= 0.01 / (1 - std::pow(0.9, t)) * m / (u + 1e-7);
                }));
}

TEST(OptimizerFormulas, RMSprop) {
  expectFormula([] { return optim::RMSprop{0.01}; },
                elementwise([](double &x, double g, double &, double &v, double &, int) {
                  v = 0.9 * v + 0.1 * g * g;
                  x -= 0.01 * g / std::sqrt(v + 1e-7);
                }));
  expectFormula(
      [] {
        return optim::RMSprop{0.01,
                              {.rho = 0.8, .momentum = 0.7, .epsilon = 1e-3, .centered = true, .weight_decay = 0.2}};
      },
      elementwise([](double &x, double g, double &m, double &v, double &mean, int) {
        x -= 0.01 * 0.2 * x;
        v = 0.8 * v + 0.2 * g * g;
        mean = 0.8 * mean + 0.2 * g;
        m = 0.7 * m + 0.01 * g / std::sqrt(v - mean * mean + 1e-3);
        x -= m;
      }));
}

TEST(OptimizerFormulas, Adagrad) {
  expectFormula([] { return optim::Adagrad{0.05}; },
                elementwise([](double &x, double g, double &, double &v, double &, int t) {
                  if (t == 1)
                    v = 0.1;
                  v += g * g;
                  x -= 0.05 * g / std::sqrt(v + 1e-7);
                }));
}

TEST(OptimizerFormulas, Lion) {
  expectFormula([] { return optim::Lion{0.01, {.weight_decay = 0.5}}; },
                elementwise([](double &x, double g, double &m, double &, double &, int) {
                  x -= 0.01 * 0.5 * x;
                  const double c = 0.9 * m + 0.1 * g;
                  x -= 0.01 * ((c > 0) - (c < 0));
                  m = 0.99 * m + 0.01 * g;
                }),
                2e-6, false);
}

TEST(OptimizerFormulas, LAMB) {
  expectFormula([] { return optim::LAMB{0.01}; },
                [](Reference &p, const Doubles &g, int t) {
                  Doubles step(g.size());
                  for (size_t i = 0; i < g.size(); ++i) {
                    p.m[i] = 0.9 * p.m[i] + 0.1 * g[i];
                    p.v[i] = 0.999 * p.v[i] + 0.001 * g[i] * g[i];
                    step[i] = p.m[i] / (1 - std::pow(0.9, t)) / (std::sqrt(p.v[i] / (1 - std::pow(0.999, t))) + 1e-7);
                  }
                  const double ratio = norm(p.x) / norm(step);
                  for (size_t i = 0; i < g.size(); ++i)
                    p.x[i] -= 0.01 * ratio * step[i];
                });
}

TEST(OptimizerFormulas, Adafactor) {
  auto rule = [](double lr, double decay) {
    return [=](Reference &p, const Doubles &g, int t) {
      const size_t n = g.size();
      const double rho = std::min(lr, 1 / std::sqrt(double(t))), keep = 1 - std::pow(double(t), -0.8);
      const double alpha = std::max(1e-3, norm(p.x) / std::sqrt(double(n))) * rho;
      Doubles u(n);
      if (n == rows * columns) {
        double meanOfRows = 0;
        for (size_t r = 0; r < rows; ++r) {
          double mean = 0;
          for (size_t c = 0; c < columns; ++c)
            mean += (g[r * columns + c] * g[r * columns + c] + 1e-30) / columns;
          p.m[r] = keep * p.m[r] + (1 - keep) * mean;
          meanOfRows += p.m[r] / rows;
        }
        for (size_t c = 0; c < columns; ++c) {
          double mean = 0;
          for (size_t r = 0; r < rows; ++r)
            mean += (g[r * columns + c] * g[r * columns + c] + 1e-30) / rows;
          p.v[c] = keep * p.v[c] + (1 - keep) * mean;
        }
        for (size_t i = 0; i < n; ++i)
          u[i] = g[i] / std::sqrt(p.m[i / columns] / meanOfRows * p.v[i % columns]);
      } else {
        for (size_t i = 0; i < n; ++i) {
          p.v[i] = keep * p.v[i] + (1 - keep) * (g[i] * g[i] + 1e-30);
          u[i] = g[i] / std::sqrt(p.v[i]);
        }
      }
      const double size = std::max(1.0, norm(u) / std::sqrt(double(n)));
      for (size_t i = 0; i < n; ++i)
        p.x[i] = p.x[i] - lr * decay * p.x[i] - alpha * u[i] / size;
    };
  };
  expectFormula([] { return optim::Adafactor{0.05}; }, rule(0.05, 0));
  expectFormula([] { return optim::Adafactor{0.05, {.weight_decay = 0.1}}; }, rule(0.05, 0.1));
  expectFormula([] { return optim::Optimizer{optim::adafactor(0.05)}; }, rule(0.05, 0));
}

TEST(OptimizerFormulas, ClippingComesBeforeTheUpdate) {
  auto sgd = elementwise([](double &x, double g, double &, double &, double &, int) { x -= 0.05 * g; });
  expectFormula([] { return optim::SGD{0.05, {.clipvalue = 0.4}}; },
                [=](Reference &p, const Doubles &g, int t) {
                  Doubles clipped = g;
                  for (double &e : clipped)
                    e = std::clamp(e, -0.4, 0.4);
                  sgd(p, clipped, t);
                });
  expectFormula([] { return optim::SGD{0.05, {.clipnorm = 0.5}}; },
                [=](Reference &p, const Doubles &g, int t) {
                  Doubles clipped = g;
                  for (double &e : clipped)
                    e *= std::min(1.0, 0.5 / norm(g));
                  sgd(p, clipped, t);
                });
}

TEST(OptimizerFormulas, RMSpropKeepsAVarianceThatIsNotNegative) {
  // The variance of equal gradients is 0, which rounding may bring below.
  const Array g = exp(linspace(0, 15, 200)).astype(f32);
  const Variable w{zeros_like(g), "w"};
  const optim::RMSprop optimizer{1e-3, {.centered = true}};
  for (int i = 0; i < 300; ++i)
    optimizer.apply_gradients({g}, {w});
  EXPECT_EQ(sum((~isfinite(w.value())).astype(i64)).item<int64_t>(), 0);
}

TEST(OptimizerFormulas, LAMBMovesWeightsOfZeros) {
  const Variable w{zeros({2}), "w"};
  const optim::LAMB optimizer{0.125};
  optimizer.apply_gradients({Array{3.0f, -3.0f}}, {w});
  EXPECT_TRUE(bool(allclose(w.value(), Array{-0.125f, 0.125f}, 1e-5)));
}

} // namespace

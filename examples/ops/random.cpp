//===- random.cpp - keys and distributions --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in random.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("random::key", [] {
    tn::Key key = tn::random::key(42); // the same key, the same numbers
    std::cout << tn::random::uniform(key, {2}) << "\n" << tn::random::uniform(key, {2});
  });
  example("random::split", [] {
    auto [first, second] = tn::random::split(tn::random::key(0));
    std::cout << tn::random::normal(first) << " " << tn::random::normal(second) << "\n";
    std::cout << tn::random::split(first, 10).size() << " keys";
  });
  example("random::keys", [] {
    tn::Key keys = tn::random::keys(tn::random::key(0), 3);
    std::cout << keys[1] << "\n" << tn::vmap([](const tn::Key &key) { return tn::random::normal(key); })(keys);
  });
  example("random::fold_in", [] {
    tn::Key key = tn::random::key(0);
    for (int step = 0; step < 3; ++step)
      std::cout << tn::random::uniform(tn::random::fold_in(key, step)) << "\n";
  });
  example("random::bits", [] {
    tn::Key key = tn::random::key(0);
    std::cout << tn::random::bits(key, {4}, tn::u8) << "\n";
    std::cout << tn::random::bits(key, {2}, tn::u64);
  });
  example("random::uniform", [] {
    tn::Key key = tn::random::key(0);
    std::cout << tn::random::uniform(key, {3}) << "\n" << tn::random::uniform(key, {3}, -1, 1);
  });
  example("random::normal", [] {
    tn::Array x = tn::random::normal(tn::random::key(0), {10000});
    std::cout << tn::format("mean {:.2f}, deviation {:.2f}", tn::mean(x), tn::std(x));
  });
  example("random::truncated_normal", [] {
    tn::Array x = tn::random::truncated_normal(tn::random::key(0), -1, 2, {10000});
    std::cout << tn::format("from {:.2f} to {:.2f}", tn::min(x), tn::max(x));
  });
  example("random::exponential", [] { std::cout << tn::random::exponential(tn::random::key(0), {3}); });
  example("random::gumbel", [] { std::cout << tn::random::gumbel(tn::random::key(0), {3}); });
  example("random::laplace", [] { std::cout << tn::random::laplace(tn::random::key(0), {3}); });
  example("random::logistic", [] { std::cout << tn::random::logistic(tn::random::key(0), {3}); });
  example("random::cauchy", [] { std::cout << tn::random::cauchy(tn::random::key(0), {3}); });
  example("random::rayleigh", [] { std::cout << tn::random::rayleigh(tn::random::key(0), {1.0f, 10.0f}); });
  example("random::pareto", [] { std::cout << tn::random::pareto(tn::random::key(0), 2, {3}); });
  example("random::weibull_min", [] { std::cout << tn::random::weibull_min(tn::random::key(0), 2, 3, {3}); });
  example("random::weibull", [] { std::cout << tn::random::weibull(tn::random::key(0), 3, {3}); });
  example("random::triangular", [] { std::cout << tn::random::triangular(tn::random::key(0), -1, 0, 2, {3}); });
  example("random::lognormal", [] { std::cout << tn::random::lognormal(tn::random::key(0), 0.1f, {3}); });
  example("random::bernoulli", [] {
    tn::Key key = tn::random::key(0);
    std::cout << tn::random::bernoulli(key, 0.5, {4}) << "\n";
    std::cout << tn::mean(tn::random::bernoulli(key, 0.3, {10000}));
  });
  example("random::rademacher", [] { std::cout << tn::random::rademacher(tn::random::key(0), {6}); });
  example("random::randint", [] { std::cout << tn::random::randint(tn::random::key(0), {6}, 1, 7); });
  example("random::geometric", [] { std::cout << tn::random::geometric(tn::random::key(0), 0.5, {6}); });
  example("random::categorical", [] {
    tn::Array logits = tn::log({0.1f, 0.2f, 0.7f});
    tn::Array drawn = tn::random::categorical(tn::random::key(0), logits, -1, {1000});
    std::cout << tn::bincount(drawn);
  });
  example("random::permutation", [] {
    tn::Key key = tn::random::key(3);
    std::cout << tn::random::permutation(key, 5) << "\n";
    std::cout << tn::random::permutation(key, {{1, 2}, {3, 4}, {5, 6}}); // rows stay whole
  });
  example("random::shuffle", [] { std::cout << tn::random::shuffle(tn::random::key(0), {{1, 2}, {3, 4}, {5, 6}}); });
  example("random::choice", [] {
    tn::Key key = tn::random::key(0);
    std::cout << tn::random::choice(key, 10, {4}, /*replace=*/false) << "\n";
    std::cout << tn::random::choice(key, {10, 20, 30}, {6}, true, {0.0f, 0.1f, 0.9f});
  });
  example("random::gamma", [] { std::cout << tn::random::gamma(tn::random::key(0), {0.5f, 5.0f, 50.0f}); });
  example("random::loggamma", [] {
    std::cout << tn::random::loggamma(tn::random::key(0), 1e-3f, {3}); // the gammas themselves would be 0
  });
  example("random::beta", [] { std::cout << tn::random::beta(tn::random::key(0), 2, 5, {3}); });
  example("random::dirichlet", [] {
    tn::Array x = tn::random::dirichlet(tn::random::key(0), {1.0f, 2.0f, 3.0f});
    std::cout << x << "\n" << tn::sum(x);
  });
  example("random::t", [] { std::cout << tn::random::t(tn::random::key(0), 4, {3}); });
  example("random::student_t", [] { std::cout << tn::random::student_t(tn::random::key(0), 4, {3}); });
  example("random::chisquare", [] { std::cout << tn::random::chisquare(tn::random::key(0), 4, {3}); });
  example("random::ball", [] {
    tn::Array points = tn::random::ball(tn::random::key(0), 3, 2, {1000});
    std::cout << points.shape() << " " << tn::all(tn::vector_norm(points, 1) <= 1);
  });
  example("random::orthogonal", [] {
    tn::Array Q = tn::random::orthogonal(tn::random::key(0), 3);
    std::cout << tn::allclose(tn::matmul(Q, tn::matrix_transpose(Q)), tn::identity(3), 1e-5, 1e-5);
  });
  example("random::multivariate_normal", [] {
    tn::Array cov = {{1.0f, 0.5f}, {0.5f, 1.0f}};
    tn::Array points = tn::random::multivariate_normal(tn::random::key(0), {1.0f, 5.0f}, cov, {10000});
    std::cout << tn::round(tn::mean(points, 0));
  });
  example("random::poisson", [] { std::cout << tn::random::poisson(tn::random::key(0), {0.5f, 5.0f, 50.0f}); });
  example("random::binomial", [] { std::cout << tn::random::binomial(tn::random::key(0), 100, {0.1f, 0.5f, 0.9f}); });
  example("random::multinomial", [] {
    tn::Array counts = tn::random::multinomial(tn::random::key(0), 60, {1.0f, 2.0f, 3.0f}, {4}); // four draws
    std::cout << counts.shape() << " " << tn::sum(counts, 1);
  });
  example("random::default_generator", [] {
    tn::random::Generator &draw = tn::random::default_generator(); // takes the next key at each draw
    std::cout << draw.randint({5}, 1, 7) << "\n" << draw.randint({5}, 1, 7);
  });
  example("set_seed", [] {
    for (int i = 0; i < 2; ++i) {
      tn::set_seed(7);
      std::cout << tn::random::default_generator().uniform({2}) << "\n";
    }
  });
}

//===- generator.h - random numbers without keys -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Generator is a stream of keys. Draw number i (from 0) uses key i of `random::split(random::key(seed), n)`, so its
// numbers depend only on the seed and on the number of earlier draws.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/random.h>
#include <tenon/variable.h>

namespace tenon::random {

/// A stateful source of random numbers, with the functions of random.h without their key. Each draw takes the next
/// key of the stream. Any number of threads may draw; each key is used once. Under jit a generator is state, as a
/// Variable is: each call of the program takes the next keys, the same ones that eager execution would take, and
/// calls that draw from one generator run one after another. A draw inside vmap or in a traced loop body is an Error,
/// since all batch elements or iterations would get the same numbers: draw `key()` outside and pass it in. After a
/// fork, parent and child continue with the same stream; give each process its own seed (or fold its number into a
/// key) to make them differ.
class Generator {
public:
  constexpr explicit Generator(uint64_t seed = 0) : seed_(seed) {}
  ~Generator();
  Generator(const Generator &) = delete;
  Generator &operator=(const Generator &) = delete;

  /// Restarts with the stream of `seed`. A concurrent draw on another thread may use the old or the new stream.
  void seed(uint64_t seed);
  /// Returns the next key of the stream.
  Key key(Location at = Location::current());

  /// Returns the seed of the stream.
  uint64_t seed() const;
  /// Returns how many keys the stream has given. An Error in a function that jit traces.
  uint64_t position(Location at = Location::current()) const;
  /// Continues with key number `position` of the stream. An Error in a function that jit traces.
  void seek(uint64_t position, Location at = Location::current());

  Array bits(const Shape &shape, Dtype dtype = Dtype::u32, Location at = Location::current()) {
    return random::bits(key(at), shape, dtype, at);
  }
  Array uniform(const Shape &shape = {}, Dtype dtype = Dtype::f32, const Operand &low = 0, const Operand &high = 1,
                Location at = Location::current()) {
    return random::uniform(key(at), shape, dtype, low, high, at);
  }
  Array uniform(const Shape &shape, const Operand &low, const Operand &high, Location at = Location::current()) {
    return random::uniform(key(at), shape, low, high, at);
  }
  Array normal(const Shape &shape = {}, Dtype dtype = Dtype::f32, Location at = Location::current()) {
    return random::normal(key(at), shape, dtype, at);
  }
  Array truncated_normal(const Operand &lower, const Operand &upper, const Shape &shape = {},
                         std::optional<Dtype> dtype = {}, Location at = Location::current()) {
    return random::truncated_normal(key(at), lower, upper, shape, dtype, at);
  }
  Array exponential(const Shape &shape = {}, Dtype dtype = Dtype::f32, Location at = Location::current()) {
    return random::exponential(key(at), shape, dtype, at);
  }
  Array gumbel(const Shape &shape = {}, Dtype dtype = Dtype::f32, Location at = Location::current()) {
    return random::gumbel(key(at), shape, dtype, at);
  }
  Array laplace(const Shape &shape = {}, Dtype dtype = Dtype::f32, Location at = Location::current()) {
    return random::laplace(key(at), shape, dtype, at);
  }
  Array logistic(const Shape &shape = {}, Dtype dtype = Dtype::f32, Location at = Location::current()) {
    return random::logistic(key(at), shape, dtype, at);
  }
  Array cauchy(const Shape &shape = {}, Dtype dtype = Dtype::f32, Location at = Location::current()) {
    return random::cauchy(key(at), shape, dtype, at);
  }
  Array rayleigh(const Operand &scale, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                 Location at = Location::current()) {
    return random::rayleigh(key(at), scale, shape, dtype, at);
  }
  Array pareto(const Operand &b, const Shape &shape = {}, std::optional<Dtype> dtype = {},
               Location at = Location::current()) {
    return random::pareto(key(at), b, shape, dtype, at);
  }
  Array weibull_min(const Operand &scale, const Operand &concentration, const Shape &shape = {},
                    std::optional<Dtype> dtype = {}, Location at = Location::current()) {
    return random::weibull_min(key(at), scale, concentration, shape, dtype, at);
  }
  Array weibull(const Operand &a, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                Location at = Location::current()) {
    return random::weibull(key(at), a, shape, dtype, at);
  }
  Array triangular(const Operand &left, const Operand &mode, const Operand &right, const Shape &shape = {},
                   std::optional<Dtype> dtype = {}, Location at = Location::current()) {
    return random::triangular(key(at), left, mode, right, shape, dtype, at);
  }
  Array lognormal(const Operand &sigma = 1, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                  Location at = Location::current()) {
    return random::lognormal(key(at), sigma, shape, dtype, at);
  }
  Array bernoulli(const Operand &p = 0.5, const Shape &shape = {}, Location at = Location::current()) {
    return random::bernoulli(key(at), p, shape, at);
  }
  Array rademacher(const Shape &shape = {}, Dtype dtype = Dtype::i32, Location at = Location::current()) {
    return random::rademacher(key(at), shape, dtype, at);
  }
  Array randint(const Shape &shape, const Operand &minval, const Operand &maxval, Dtype dtype = Dtype::i32,
                Location at = Location::current()) {
    return random::randint(key(at), shape, minval, maxval, dtype, at);
  }
  Array geometric(const Operand &p, const Shape &shape = {}, Dtype dtype = Dtype::i32,
                  Location at = Location::current()) {
    return random::geometric(key(at), p, shape, dtype, at);
  }
  Array categorical(const Operand &logits, Axis axis = -1, const Shape &shape = {}, bool replace = true,
                    Location at = Location::current()) {
    return random::categorical(key(at), logits, axis, shape, replace, at);
  }
  Array permutation(const Operand &x, Axis axis = 0, bool independent = false, Location at = Location::current()) {
    return random::permutation(key(at), x, axis, independent, at);
  }
  Array shuffle(const Operand &x, Axis axis = 0, Location at = Location::current()) {
    return random::shuffle(key(at), x, axis, at);
  }
  Array choice(const Operand &a, const Shape &shape = {}, bool replace = true, const Operand &p = none, Axis axis = 0,
               Location at = Location::current()) {
    return random::choice(key(at), a, shape, replace, p, axis, at);
  }
  Array gamma(const Operand &a, const Shape &shape = {}, std::optional<Dtype> dtype = {},
              Location at = Location::current()) {
    return random::gamma(key(at), a, shape, dtype, at);
  }
  Array loggamma(const Operand &a, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                 Location at = Location::current()) {
    return random::loggamma(key(at), a, shape, dtype, at);
  }
  Array beta(const Operand &a, const Operand &b, const Shape &shape = {}, std::optional<Dtype> dtype = {},
             Location at = Location::current()) {
    return random::beta(key(at), a, b, shape, dtype, at);
  }
  Array dirichlet(const Operand &alpha, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                  Location at = Location::current()) {
    return random::dirichlet(key(at), alpha, shape, dtype, at);
  }
  Array t(const Operand &df, const Shape &shape = {}, std::optional<Dtype> dtype = {},
          Location at = Location::current()) {
    return random::t(key(at), df, shape, dtype, at);
  }
  Array student_t(const Operand &df, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                  Location at = Location::current()) {
    return random::student_t(key(at), df, shape, dtype, at);
  }
  Array chisquare(const Operand &df, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                  Location at = Location::current()) {
    return random::chisquare(key(at), df, shape, dtype, at);
  }
  Array ball(int d, double p = 2, const Shape &shape = {}, Dtype dtype = Dtype::f32,
             Location at = Location::current()) {
    return random::ball(key(at), d, p, shape, dtype, at);
  }
  Array poisson(const Operand &lam, const Shape &shape = {}, Dtype dtype = Dtype::i32,
                Location at = Location::current()) {
    return random::poisson(key(at), lam, shape, dtype, at);
  }
  Array binomial(const Operand &n, const Operand &p, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                 Location at = Location::current()) {
    return random::binomial(key(at), n, p, shape, dtype, at);
  }
  Array multinomial(const Operand &n, const Operand &p, const Shape &shape = {}, Dtype dtype = Dtype::i32,
                    Location at = Location::current()) {
    return random::multinomial(key(at), n, p, shape, dtype, at);
  }

private:
  friend class GeneratorCell;
  /// Keeps jitted calls that draw out while it lives.
  struct Hold;
  /// The cell that stands for it under jit; made when it is first asked for.
  const detail::CellHandle &cell();

  // Accessed through std::atomic_ref in the library; mutable because std::atomic_ref needs a non-const object.
  mutable uint64_t seed_, drawn_ = 0;
  detail::CellHandle cell_;
  mutable bool hasCell_ = false;
};

/// The default generator, shared by all threads; its seed is 0 until set_seed changes it.
Generator &default_generator();

} // namespace tenon::random

namespace tenon {
/// Restarts the default generator with this seed.
void set_seed(uint64_t seed);
} // namespace tenon

//===- random.h - random numbers from explicit keys --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers are JAX's with jax_threefry_partitionable=True (its default since
// 0.5) for the same key: to the bit where nothing but integers, sums and products
// make them; within a few ulp behind log, pow, erf_inv; of methods that reject,
// for all but a few elements in a million, where the rounding of a logarithm
// decides. Each function says which of these it is: "to the bit", "within ulp" or
// "by rejection".
//
// `key` is one key, u32[2]; functions of several keys are made by vmap. Parameters
// are numbers or arrays, and are broadcast to `shape`; where `shape` is left out, or
// {}, it is the one that they broadcast to. `dtype` is bf16, f16, f32 or f64 where it
// is one of floats; where it may be left out it is that of the parameters which are
// arrays, or f32. A number that no distribution has as its parameter is an Error; such
// an element of an array gives NaN, or what is said.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/key.h>

#include <optional>

namespace tenon::random {

//===----------------------------------------------------------------------===//
// Keys and bits
//===----------------------------------------------------------------------===//

/// The key of a seed: the seed's upper and lower 32 bits.
[[nodiscard]] Key key(uint64_t seed, Location at = Location::current());

/// Two new keys, or `count` of them. To the bit; the first keys of more are those of fewer.
[[nodiscard]] KeyPair split(const Key &key, Location at = Location::current());
[[nodiscard]] std::vector<Key> split(const Key &key, int count, Location at = Location::current());

/// The key of `data`, an integer of rank 0, under this key: of a step, a worker, a layer. Its lowest
/// 32 bits count. To the bit.
[[nodiscard]] Key fold_in(const Key &key, const Operand &data, Location at = Location::current());

/// Random bits as u8, u16, u32 or u64. To the bit.
[[nodiscard]] Array bits(const Key &key, const Shape &shape, Dtype dtype = Dtype::u32,
                         Location at = Location::current());

//===----------------------------------------------------------------------===//
// Uniform and normal
//===----------------------------------------------------------------------===//

/// Uniform in [low, high): the upper bits of `bits` as the mantissa. To the bit, also where the
/// bounds are arrays. Where high is not above low: low, of arrays; an Error, of numbers.
[[nodiscard]] Array uniform(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32, const Operand &low = 0,
                            const Operand &high = 1, Location at = Location::current());
/// The same in the dtype of the bounds.
[[nodiscard]] Array uniform(const Key &key, const Shape &shape, const Operand &low, const Operand &high,
                            Location at = Location::current());

/// Standard normal: sqrt(2) * erf_inv(uniform(-1, 1)). Within 8 ulp in f32 (3 over all its values).
[[nodiscard]] Array normal(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                           Location at = Location::current());

/// Standard normal in (lower, upper), by the inverse of its distribution. Within ulp.
[[nodiscard]] Array truncated_normal(const Key &key, const Operand &lower, const Operand &upper,
                                     const Shape &shape = {}, std::optional<Dtype> dtype = {},
                                     Location at = Location::current());

//===----------------------------------------------------------------------===//
// Continuous, by the inverse of the distribution
//===----------------------------------------------------------------------===//

/// exp(-x) for x >= 0. Within ulp.
[[nodiscard]] Array exponential(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                                Location at = Location::current());
/// exp(-x - exp(-x)). Within ulp.
[[nodiscard]] Array gumbel(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                           Location at = Location::current());
/// exp(-|x|) / 2. Within ulp.
[[nodiscard]] Array laplace(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                            Location at = Location::current());
/// The derivative of 1 / (1 + exp(-x)). Within ulp.
[[nodiscard]] Array logistic(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                             Location at = Location::current());
/// 1 / (pi * (1 + x * x)). Within ulp.
[[nodiscard]] Array cauchy(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                           Location at = Location::current());
/// x / scale^2 * exp(-x^2 / (2 * scale^2)) for x >= 0. Within ulp.
[[nodiscard]] Array rayleigh(const Key &key, const Operand &scale, const Shape &shape = {},
                             std::optional<Dtype> dtype = {}, Location at = Location::current());
/// b / x^(b + 1) for x >= 1. Within ulp.
[[nodiscard]] Array pareto(const Key &key, const Operand &b, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                           Location at = Location::current());
/// exp(sigma * normal). Within ulp.
[[nodiscard]] Array lognormal(const Key &key, const Operand &sigma = 1, const Shape &shape = {},
                              std::optional<Dtype> dtype = {}, Location at = Location::current());

//===----------------------------------------------------------------------===//
// Discrete
//===----------------------------------------------------------------------===//

/// Truth values that hold with probability p, in [0, 1]. To the bit, in the dtype of p.
[[nodiscard]] Array bernoulli(const Key &key, const Operand &p = 0.5, const Shape &shape = {},
                              Location at = Location::current());

/// -1 or 1, of any dtype of numbers. To the bit.
[[nodiscard]] Array rademacher(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::i32,
                               Location at = Location::current());

/// Integers in [minval, maxval); minval where that is empty. A bound outside of the dtype is its
/// first or last integer, and a maxval above it means all from minval on. To the bit: two words of
/// random bits modulo the number of integers, as JAX, so that 2^-32 of them are not quite even.
[[nodiscard]] Array randint(const Key &key, const Shape &shape, const Operand &minval, const Operand &maxval,
                            Dtype dtype = Dtype::i32, Location at = Location::current());

/// How many trials with success of probability p, in [0, 1], it takes to succeed: from 1 on. Within
/// ulp of a logarithm, before it is rounded to an integer of `dtype`.
[[nodiscard]] Array geometric(const Key &key, const Operand &p, const Shape &shape = {}, Dtype dtype = Dtype::i32,
                              Location at = Location::current());

/// The indices (i64) of categories along `axis`, each with probability softmax(logits): the largest of
/// logits + gumbel. `shape` ends with the sizes of the logits without that axis, which is also what it
/// is when left out; what comes before are further draws, which differ if `replace` is false. To the
/// bit but where two sums are within ulp.
[[nodiscard]] Array categorical(const Key &key, const Operand &logits, Axis axis = -1, const Shape &shape = {},
                                bool replace = true, Location at = Location::current());

/// x in random order along `axis`, or the integers (i32, or i64 where these do not hold them) below
/// x, a number. Slices stay whole; with `independent` each vector along the axis has an order of its
/// own. To the bit: sorted by random bits, often enough that equal ones do not matter.
[[nodiscard]] Array permutation(const Key &key, const Operand &x, Axis axis = 0, bool independent = false,
                                Location at = Location::current());
/// The elements of x along `axis` in random order, each vector in one of its own.
[[nodiscard]] Array shuffle(const Key &key, const Operand &x, Axis axis = 0, Location at = Location::current());

/// Slices of a along `axis`, or integers below a, a number; one for each element of `shape`. Without
/// `replace` they differ. `p`, of rank 1, holds their probabilities, whose sum need not be 1; with
/// `replace`, one of probability 0 is never drawn. To the bit without p; with it but where a sum of p
/// within ulp decides.
[[nodiscard]] Array choice(const Key &key, const Operand &a, const Shape &shape = {}, bool replace = true,
                           const Operand &p = none, Axis axis = 0, Location at = Location::current());

//===----------------------------------------------------------------------===//
// By rejection
//===----------------------------------------------------------------------===//

/// x^(a - 1) * exp(-x) / Gamma(a) for x >= 0, a >= 0. By rejection, each element from a key of its own;
/// no derivative by a. Source: Marsaglia, Tsang, "A simple method for generating gamma variables", ACM
/// TOMS 26, 2000.
[[nodiscard]] Array gamma(const Key &key, const Operand &a, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                          Location at = Location::current());
/// Its logarithm, exact also where a is so small that a gamma would be 0.
[[nodiscard]] Array loggamma(const Key &key, const Operand &a, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                             Location at = Location::current());

/// In proportion to x^(a - 1) * (1 - x)^(b - 1) in [0, 1], from two gammas.
[[nodiscard]] Array beta(const Key &key, const Operand &a, const Operand &b, const Shape &shape = {},
                         std::optional<Dtype> dtype = {}, Location at = Location::current());

/// Points with coordinates >= 0 of sum 1 in proportion to the product of x_i^(alpha_i - 1), from gammas.
/// The last axis of alpha is that of the coordinates; `shape` has the others.
[[nodiscard]] Array dirichlet(const Key &key, const Operand &alpha, const Shape &shape = {},
                              std::optional<Dtype> dtype = {}, Location at = Location::current());

/// Student's t with df degrees of freedom, from a normal and a gamma.
[[nodiscard]] Array t(const Key &key, const Operand &df, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                      Location at = Location::current());

/// `t` under another name.
[[nodiscard]] Array student_t(const Key &key, const Operand &df, const Shape &shape = {},
                              std::optional<Dtype> dtype = {}, Location at = Location::current());

/// The sum of the squares of df standard normals, from a gamma.
[[nodiscard]] Array chisquare(const Key &key, const Operand &df, const Shape &shape = {},
                              std::optional<Dtype> dtype = {}, Location at = Location::current());

/// Points in the ball of radius 1 of R^d in the p-norm, an array of shape (shape, d). From gammas.
/// Source: Barthe, Guedon, Mendelson, Naor, "A probabilistic approach to the geometry of the l_p^n-ball",
/// Annals of Probability 33, 2005.
[[nodiscard]] Array ball(const Key &key, int d, double p = 2, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                         Location at = Location::current());

/// How many events happen where lam do on average: integers of `dtype`, -1 where lam is infinite, NaN or negative; of
/// an unsigned dtype that is its largest number. In f32, as JAX. By rejection; sources: Knuth, The Art of Computer
/// Programming 2, 3.4.1, below 10; Hormann, "The transformed rejection method for generating Poisson random variables",
/// Insurance: Mathematics and Economics 12, 1993.
[[nodiscard]] Array poisson(const Key &key, const Operand &lam, const Shape &shape = {}, Dtype dtype = Dtype::i32,
                            Location at = Location::current());

/// How many of n trials with probability p, in [0, 1], succeed: integers as floats of `dtype`; NaN where there is no
/// such number. Computed in the dtype of p. By rejection; source: Hormann, "The generation of binomial random
/// variates", Journal of Statistical Computation and Simulation 46, 1993; below n * p of 10 by the gaps between
/// successes.
[[nodiscard]] Array binomial(const Key &key, const Operand &n, const Operand &p, const Shape &shape = {},
                             std::optional<Dtype> dtype = {}, Location at = Location::current());

} // namespace tenon::random

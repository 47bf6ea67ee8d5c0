//===- random.h - random numbers from explicit keys --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random distributions, equal to JAX's with jax_threefry_partitionable=True (its default since 0.5) for the same key.
// Each function says how close: "to the bit" if only integers, sums and products are involved; "within ulp" (a few
// units in the last place) after log, pow or erf_inv; "by rejection" for rejection methods, where a few elements in a
// million differ because a logarithm rounds differently.
//
// They differ from JAX where JAX's numbers are wrong: `uniform` never returns `high`, to which JAX rounds the largest
// numbers; `truncated_normal` inverts tails in f64 (beyond 3 in f32), where differences of erf have no digits left;
// `rayleigh` is never infinite; `poisson` and `binomial` compare probabilities in f64 (in f32 the variance of a Poisson
// distribution of mean 1e8 is 1.5 times too large); `choice` refuses weights that are no probabilities.
//
// `key` is one key, u32[2]; use vmap for several keys. Parameters are numbers or arrays and are broadcast to `shape`;
// if `shape` is omitted or {}, to their common shape. `dtype` is bf16, f16, f32 or f64 for floating results; its
// default is the dtype of the array parameters, or f32. A number that is not a valid parameter is an Error; an
// invalid element of an array gives NaN unless stated otherwise.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/key.h>

#include <optional>

namespace tenon::random {

//===----------------------------------------------------------------------===//
// Keys and bits
//===----------------------------------------------------------------------===//

/// Returns the key of a seed: its upper and lower 32 bits.
[[nodiscard]] Key key(uint64_t seed, Location at = Location::current());

/// Derives two keys, or `count` keys, from a key. To the bit; the first keys of a longer split equal those of a
/// shorter one.
[[nodiscard]] KeyPair split(const Key &key, Location at = Location::current());
[[nodiscard]] std::vector<Key> split(const Key &key, int count, Location at = Location::current());

/// An array of keys derived from a key, with the given shape: `keys(key, n)[i]` equals `split(key, n)[i]`.
[[nodiscard]] Key keys(const Key &key, const Shape &shape, Location at = Location::current());

/// Derives a key from `key` and `data`, a rank-0 integer such as the number of a step, a worker or a layer. Only its
/// lowest 32 bits count. To the bit.
[[nodiscard]] Key fold_in(const Key &key, const Operand &data, Location at = Location::current());

/// Uniform random bits as u8, u16, u32 or u64. To the bit.
[[nodiscard]] Array bits(const Key &key, const Shape &shape, Dtype dtype = Dtype::u32,
                         Location at = Location::current());

//===----------------------------------------------------------------------===//
// Uniform and normal
//===----------------------------------------------------------------------===//

/// Uniform distribution on [low, high). Array elements with high <= low give low; numbers with high <= low are an
/// Error. To the bit.
[[nodiscard]] Array uniform(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32, const Operand &low = 0,
                            const Operand &high = 1, Location at = Location::current());
/// Uniform distribution in the dtype of the bounds.
[[nodiscard]] Array uniform(const Key &key, const Shape &shape, const Operand &low, const Operand &high,
                            Location at = Location::current());

/// Standard normal distribution, as `sqrt(2) * erf_inv(uniform(-1, 1))`. Within 8 ulp in bf16, f16 and f32.
[[nodiscard]] Array normal(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                           Location at = Location::current());

/// Standard normal in (lower, upper), by the inverse of its distribution. Within ulp.
[[nodiscard]] Array truncated_normal(const Key &key, const Operand &lower, const Operand &upper,
                                     const Shape &shape = {}, std::optional<Dtype> dtype = {},
                                     Location at = Location::current());

//===----------------------------------------------------------------------===//
// Continuous, by the inverse of the distribution
//===----------------------------------------------------------------------===//

/// Exponential distribution with density `exp(-x)` for x >= 0. Within ulp.
[[nodiscard]] Array exponential(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                                Location at = Location::current());
/// Gumbel distribution with density `exp(-x - exp(-x))`. Within ulp.
[[nodiscard]] Array gumbel(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                           Location at = Location::current());
/// Laplace distribution with density `exp(-|x|) / 2`. Within ulp.
[[nodiscard]] Array laplace(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                            Location at = Location::current());
/// Logistic distribution, with cumulative distribution `1 / (1 + exp(-x))`. Within ulp.
[[nodiscard]] Array logistic(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                             Location at = Location::current());
/// Cauchy distribution with density `1 / (pi * (1 + x^2))`. Within ulp.
[[nodiscard]] Array cauchy(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                           Location at = Location::current());
/// Rayleigh distribution with density `x / scale^2 * exp(-x^2 / (2 * scale^2))` for x >= 0. Within ulp.
[[nodiscard]] Array rayleigh(const Key &key, const Operand &scale, const Shape &shape = {},
                             std::optional<Dtype> dtype = {}, Location at = Location::current());
/// Pareto distribution with density `b / x^(b + 1)` for x >= 1. Within ulp.
[[nodiscard]] Array pareto(const Key &key, const Operand &b, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                           Location at = Location::current());
/// Weibull distribution with density `c / scale * (x / scale)^(c - 1) * exp(-(x / scale)^c)` for x >= 0, where c is the
/// concentration. Within ulp.
[[nodiscard]] Array weibull_min(const Key &key, const Operand &scale, const Operand &concentration,
                                const Shape &shape = {}, std::optional<Dtype> dtype = {},
                                Location at = Location::current());
/// Weibull distribution of concentration a and scale 1, as NumPy's.
[[nodiscard]] Array weibull(const Key &key, const Operand &a, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                            Location at = Location::current());
/// Triangular distribution on [left, right], whose density is largest at `mode`. C++ numbers that are not in the order
/// left <= mode <= right are an Error; array elements out of order give NaN. Within ulp.
[[nodiscard]] Array triangular(const Key &key, const Operand &left, const Operand &mode, const Operand &right,
                               const Shape &shape = {}, std::optional<Dtype> dtype = {},
                               Location at = Location::current());
/// Log-normal distribution, `exp(sigma * normal)`. Within ulp.
[[nodiscard]] Array lognormal(const Key &key, const Operand &sigma = 1, const Shape &shape = {},
                              std::optional<Dtype> dtype = {}, Location at = Location::current());

//===----------------------------------------------------------------------===//
// Discrete
//===----------------------------------------------------------------------===//

/// Bernoulli distribution: bools that are true with probability p, in [0, 1]. To the bit, in the dtype of p.
[[nodiscard]] Array bernoulli(const Key &key, const Operand &p = 0.5, const Shape &shape = {},
                              Location at = Location::current());

/// Rademacher distribution: -1 or 1 with equal probability, in any numeric dtype. To the bit.
[[nodiscard]] Array rademacher(const Key &key, const Shape &shape = {}, Dtype dtype = Dtype::i32,
                               Location at = Location::current());

/// Uniform integers in [minval, maxval); minval if the range is empty. A bound outside the dtype is clamped to it,
/// and a maxval above it includes the largest integer. To the bit: two words of random bits modulo the number of
/// integers, as in JAX, which makes probabilities uneven by about 2^-32.
[[nodiscard]] Array randint(const Key &key, const Shape &shape, const Operand &minval, const Operand &maxval,
                            Dtype dtype = Dtype::i32, Location at = Location::current());

/// Geometric distribution: number of trials, with success probability p in [0, 1], up to and including the first
/// success. Within ulp of a logarithm before it is rounded to an integer of `dtype`.
[[nodiscard]] Array geometric(const Key &key, const Operand &p, const Shape &shape = {}, Dtype dtype = Dtype::i32,
                              Location at = Location::current());

/// Categorical distribution: indices (i64) of categories along `axis`, with probabilities softmax(logits), as the
/// largest of `logits + gumbel`. `shape` ends with the sizes of the logits without `axis`, which is also its default;
/// additional leading axes are further draws, which are distinct if `replace` is false. To the bit, except where two
/// sums are within ulp.
[[nodiscard]] Array categorical(const Key &key, const Operand &logits, Axis axis = -1, const Shape &shape = {},
                                bool replace = true, Location at = Location::current());

/// Random permutation of x along `axis`, or of the integers below x, if x is a number (i32, or i64 if needed). Slices
/// are moved as a whole; with `independent` each vector along the axis gets its own order. To the bit: sorted by
/// enough random bits that ties do not matter.
[[nodiscard]] Array permutation(const Key &key, const Operand &x, Axis axis = 0, bool independent = false,
                                Location at = Location::current());
/// Permutes the elements of x along `axis` at random, each vector independently.
[[nodiscard]] Array shuffle(const Key &key, const Operand &x, Axis axis = 0, Location at = Location::current());

/// Random sample, as `jax.random.choice`: slices of `a` along `axis`, or integers in [0, a) if `a` is a number; `shape`
/// is the shape of the sample. Without `replace`, no slice is drawn twice. `p` (rank 1) holds weights, which need not
/// sum to 1; with `replace`, a slice of weight 0 is never drawn. Known weights that are negative, infinite, NaN or all
/// 0 are an Error. Without p, to the bit; with p, to the bit except where sums of weights within ulp decide.
[[nodiscard]] Array choice(const Key &key, const Operand &a, const Shape &shape = {}, bool replace = true,
                           const Operand &p = none, Axis axis = 0, Location at = Location::current());

//===----------------------------------------------------------------------===//
// By rejection
//===----------------------------------------------------------------------===//

/// Gamma distribution with density `x^(a - 1) * exp(-x) / Gamma(a)` for x >= 0, a >= 0. By rejection, each element
/// with its own key; not differentiable with respect to a. Source: Marsaglia, Tsang, "A simple method for generating
/// gamma variables", ACM TOMS 26, 2000.
[[nodiscard]] Array gamma(const Key &key, const Operand &a, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                          Location at = Location::current());
/// Logarithm of a gamma variate, accurate even where a is so small that the variate would be 0.
[[nodiscard]] Array loggamma(const Key &key, const Operand &a, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                             Location at = Location::current());

/// Beta distribution with density proportional to `x^(a - 1) * (1 - x)^(b - 1)` in [0, 1], from two gamma variates.
[[nodiscard]] Array beta(const Key &key, const Operand &a, const Operand &b, const Shape &shape = {},
                         std::optional<Dtype> dtype = {}, Location at = Location::current());

/// Dirichlet distribution: points with non-negative coordinates of sum 1 and density proportional to the product of
/// `x_i^(alpha_i - 1)`, from gamma variates. The last axis of alpha is the coordinates; `shape` is the other axes.
[[nodiscard]] Array dirichlet(const Key &key, const Operand &alpha, const Shape &shape = {},
                              std::optional<Dtype> dtype = {}, Location at = Location::current());

/// Student's t distribution with df degrees of freedom, from a normal and a gamma variate.
[[nodiscard]] Array t(const Key &key, const Operand &df, const Shape &shape = {}, std::optional<Dtype> dtype = {},
                      Location at = Location::current());

/// Another name for `t`.
[[nodiscard]] Array student_t(const Key &key, const Operand &df, const Shape &shape = {},
                              std::optional<Dtype> dtype = {}, Location at = Location::current());

/// Chi-squared distribution with df degrees of freedom, from a gamma variate.
[[nodiscard]] Array chisquare(const Key &key, const Operand &df, const Shape &shape = {},
                              std::optional<Dtype> dtype = {}, Location at = Location::current());

/// Uniform points in the unit ball of R^d in the p-norm, an array of shape (shape, d). From gamma variates. Source:
/// Barthe, Guedon, Mendelson, Naor, "A probabilistic approach to the geometry of the l_p^n-ball", Annals of
/// Probability 33, 2005.
[[nodiscard]] Array ball(const Key &key, int d, double p = 2, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                         Location at = Location::current());

/// Orthogonal n x n matrices, uniformly distributed (Haar measure): the factor Q of a normal matrix whose R has a
/// positive diagonal. The result has shape (shape, n, n); f32 or f64.
[[nodiscard]] Array orthogonal(const Key &key, Dim n, const Shape &shape = {}, Dtype dtype = Dtype::f32,
                               Location at = Location::current());

/// Multivariate normal distribution, `mean + L @ normal` with the Cholesky factor L of the covariance matrix. `mean`
/// has shape (..., n), `cov` (..., n, n); `shape` is the axes before n. NaN where `cov` is not positive definite. f32
/// or f64.
[[nodiscard]] Array multivariate_normal(const Key &key, const Operand &mean, const Operand &cov,
                                        const Shape &shape = {}, std::optional<Dtype> dtype = {},
                                        Location at = Location::current());

/// Poisson distribution with mean `lam`, as integers of `dtype`. -1 (the maximum of an unsigned dtype) where lam is
/// negative, infinite or NaN. By rejection, from f32 uniform numbers with probabilities in f64. Sources: for means
/// below 10, Knuth, The Art of Computer Programming 2, 3.4.1; else Hormann, "The transformed rejection method for
/// generating Poisson random variables", Insurance: Mathematics and Economics 12, 1993.
[[nodiscard]] Array poisson(const Key &key, const Operand &lam, const Shape &shape = {}, Dtype dtype = Dtype::i32,
                            Location at = Location::current());

/// Binomial distribution: number of successes in `n` trials of probability `p`, as floats. NaN where n is negative or
/// NaN, or p is outside [0, 1] or NaN. By rejection, from uniform numbers in the dtype of p with probabilities in f64.
/// Source: Hormann, "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46,
/// 1993; where n * min(p, 1 - p) is at most 10, by the gaps between successes.
[[nodiscard]] Array binomial(const Key &key, const Operand &n, const Operand &p, const Shape &shape = {},
                             std::optional<Dtype> dtype = {}, Location at = Location::current());

/// Multinomial distribution: how often each outcome, along the last axis of p, occurs in n trials, as integers of
/// `dtype` whose sum is n. p holds weights, which need not sum to 1; `shape` is the axes before the outcomes. Known
/// weights that are negative, infinite, NaN or all 0 are an Error; under jit and vmap they give counts of -1 (the
/// maximum of an unsigned dtype), as an n in an array does that is negative, infinite or NaN. Drawn as a sequence of
/// conditional binomials in the dtype of p, f32 or wider; in f64 if n is a number above 2^24. For an array n above
/// that, give p in f64. This is numpy.random.multinomial; PyTorch's multinomial, which draws indices, is `choice`.
[[nodiscard]] Array multinomial(const Key &key, const Operand &n, const Operand &p, const Shape &shape = {},
                                Dtype dtype = Dtype::i32, Location at = Location::current());

} // namespace tenon::random

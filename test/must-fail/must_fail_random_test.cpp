//===- must_fail_random_test.cpp - wrong draws of random numbers ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MustFail.h"

#include "runtime/memory/Memory.h"

#include <tenon/tenon.h>

#include <cmath>
#include <cstdint>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
const Key key = random::key(1);

struct Case {
  const char *name;
  void (*run)();
  const char *text;
};

const Case cases[] = {
    // Keys.
    {"no_key", [] { (void)random::uniform(Key{}, {3}); }, R"(
random::uniform: expected a key, got an empty one; random::key makes one of a seed
  at here)"},
    {"key_dtype", [] { (void)random::normal(Key{zeros({2})}, {3}); }, R"(
random::normal: expected a key, u32[2], got f32[2]
  at here)"},
    {"key_shape", [] { (void)random::split(Key{zeros({3}, u32)}); }, R"(
random::split: expected a key, u32[2], got u32[3]
  at here)"},
    {"key_rank_0", [] { (void)random::split(Key{zeros({}, u32)}); }, R"(
random::split: expected a key, u32[2], got u32[]
  at here)"},
    {"keys", [] { (void)random::gamma(Key{zeros({4, 2}, u32)}, 1); }, R"(
random::gamma: expected one key, u32[2], got u32[4, 2], a batch of keys; use vmap to draw for each of them
  at here)"},
    {"no_keys", [] { (void)random::split(key, 0); }, R"(
random::split: expected at least one key, got 0
  at here)"},
    {"fold_in_a_float", [] { (void)random::fold_in(key, 1.5); }, R"(
random::fold_in: expected an integer as data, got 1.5
  at here)"},
    {"fold_in_floats", [] { (void)random::fold_in(key, Array(1.5f)); }, R"(
random::fold_in: expected an integer as data, got f32
  at here)"},
    {"fold_in_several", [] { (void)random::fold_in(key, Array{1, 2}); }, R"(
random::fold_in: expected data of rank 0, got the shape (2,); use vmap to fold in several
  at here)"},
    // Dtypes.
    {"bits_dtype", [] { (void)random::bits(key, {3}, i32); }, R"(
random::bits: expected u8, u16, u32 or u64, got i32
  at here)"},
    {"uniform_dtype", [] { (void)random::uniform(key, {3}, i32); }, R"(
random::uniform: expected bf16, f16, f32 or f64, got i32
  at here)"},
    {"storage_dtype", [] { (void)random::gumbel(key, {3}, f8e5m2); }, R"(
random::gumbel: expected bf16, f16, f32 or f64, got f8e5m2
  at here)"},
    {"complex_parameter", [] { (void)random::gamma(key, zeros({2}, c64)); }, R"(
random::gamma: expected bf16, f16, f32 or f64, got c64
  at here)"},
    {"complex_number", [] { (void)random::beta(key, 1, complex64_t{1, 2}); }, R"(
random::beta: expected real numbers as b, got complex ones
  at here)"},
    {"randint_dtype", [] { (void)random::randint(key, {3}, 0, 5, f32); }, R"(
random::randint: expected a dtype of integers, got f32
  at here)"},
    {"randint_bound", [] { (void)random::randint(key, {3}, 0, 5.5); }, R"(
random::randint: expected integers as maxval, got 5.5
  at here)"},
    {"randint_bounds", [] { (void)random::randint(key, {3}, zeros({3}), 5); }, R"(
random::randint: expected integers as minval, got f32
  at here)"},
    {"poisson_dtype", [] { (void)random::poisson(key, 3, {2}, f32); }, R"(
random::poisson: expected a dtype of integers, got f32
  at here)"},
    {"geometric_dtype", [] { (void)random::geometric(key, 0.5, {2}, f32); }, R"(
random::geometric: expected a dtype of integers, got f32
  at here)"},
    {"rademacher_dtype", [] { (void)random::rademacher(key, {3}, bool_); }, R"(
random::rademacher: expected a dtype of numbers, got bool
  at here)"},
    // Parameters.
    {"uniform_bounds", [] { (void)random::uniform(key, {3}, 2, 2); }, R"(
random::uniform: expected low < high, got 2 and 2
  at here)"},
    {"uniform_nan", [] { (void)random::uniform(key, {3}, f32, NAN, 1); }, R"(
random::uniform: expected low < high, got nan and 1
  at here)"},
    {"truncated_bounds", [] { (void)random::truncated_normal(key, 1, -1, {3}); }, R"(
random::truncated_normal: expected lower < upper, got 1 and -1
  at here)"},
    {"bernoulli_above", [] { (void)random::bernoulli(key, 1.5, {3}); }, R"(
random::bernoulli: expected p in [0, 1], got 1.5
  at here)"},
    {"multinomial_number", [] { (void)random::multinomial(key, 5, 0.5); }, R"(
random::multinomial: expected p of rank >= 1, got a number
  at here)"},
    {"multinomial_count", [] { (void)random::multinomial(key, -1, {0.5f, 0.5f}); }, R"(
random::multinomial: expected n >= 0, got -1
  at here)"},
    {"multinomial_dtype", [] { (void)random::multinomial(key, 1, {0.5f, 0.5f}, {}, f32); }, R"(
random::multinomial: expected a dtype of integers, got f32
  at here)"},
    {"weibull_below", [] { (void)random::weibull(key, -1); }, R"(
random::weibull: expected a >= 0, got -1
  at here)"},
    {"weibull_min_below", [] { (void)random::weibull_min(key, -1, 2); }, R"(
random::weibull_min: expected scale >= 0, got -1
  at here)"},
    {"triangular_order", [] { (void)random::triangular(key, 0, 3, 2); }, R"(
random::triangular: expected mode <= right, got 3 and 2
  at here)"},
    {"triangular_nan", [] { (void)random::triangular(key, 0, NAN, 2); }, R"(
random::triangular: expected left <= mode, got 0 and nan
  at here)"},
    {"binomial_below", [] { (void)random::binomial(key, 5, -0.5); }, R"(
random::binomial: expected p in [0, 1], got -0.5
  at here)"},
    {"binomial_count", [] { (void)random::binomial(key, -5, 0.5); }, R"(
random::binomial: expected n >= 0, got -5
  at here)"},
    {"geometric_nan", [] { (void)random::geometric(key, NAN); }, R"(
random::geometric: expected p in [0, 1], got nan
  at here)"},
    {"split_many", [] { (void)random::split(key, INT32_MAX); }, R"(
random::split: expected at most 16777216 keys, got 2147483647
  at here)"},
    {"gamma_below", [] { (void)random::gamma(key, -1); }, R"(
random::gamma: expected a >= 0, got -1
  at here)"},
    {"beta_below", [] { (void)random::beta(key, 2, -1.5); }, R"(
random::beta: expected b >= 0, got -1.5
  at here)"},
    {"student_t_below", [] { (void)random::student_t(key, -3); }, R"(
random::student_t: expected df >= 0, got -3
  at here)"},
    {"t_below", [] { (void)random::t(key, -3); }, R"(
random::t: expected df >= 0, got -3
  at here)"},
    {"poisson_below", [] { (void)random::poisson(key, -3); }, R"(
random::poisson: expected lam >= 0, got -3
  at here)"},
    {"dirichlet_rank", [] { (void)random::dirichlet(key, 2.0); }, R"(
random::dirichlet: expected alpha of rank >= 1, got a number
  at here)"},
    {"ball_dimension", [] { (void)random::ball(key, 0); }, R"(
random::ball: expected d >= 1, got 0
  at here)"},
    {"ball_norm", [] { (void)random::ball(key, 2, 0); }, R"(
random::ball: expected p > 0, got 0
  at here)"},
    {"empty_parameter", [] { (void)random::gamma(key, Array()); }, R"(
random::gamma: expected an array or a number as a, got an empty Array
  at here)"},
    // Shapes.
    {"parameter_shapes", [] { (void)random::beta(key, zeros({2}), zeros({3})); }, R"(
random::beta: shapes (2,) and (3,) do not broadcast: sizes 2 and 3 differ
  at here)"},
    {"parameter_and_shape", [] { (void)random::gamma(key, zeros({2}), {3}); }, R"(
random::gamma: expected parameters that broadcast to the shape (3,), got (2,)
  at here)"},
    {"parameter_of_more_axes", [] { (void)random::bernoulli(key, zeros({2, 3}), {3}); }, R"(
random::bernoulli: expected parameters that broadcast to the shape (3,), got (2, 3)
  at here)"},
    {"no_categories", [] { (void)random::categorical(key, zeros({3, 0})); }, R"(
random::categorical: expected at least one category, got logits of the shape (3, 0)
  at here)"},
    {"categorical_axis", [] { (void)random::categorical(key, zeros({3, 2}), 2); }, R"(
random::categorical: axis 2 is out of range for an array of rank 2
  at here)"},
    {"categorical_too_many", [] { (void)random::categorical(key, zeros({3}), -1, {4}, false); }, R"(
random::categorical: expected at most 3 draws without replacement, got 4
  at here)"},
    {"permutation_of_a_float", [] { (void)random::permutation(key, 2.5); }, R"(
random::permutation: expected an integer >= 0, or an array of rank >= 1, as x, got 2.5
  at here)"},
    {"permutation_of_an_element", [] { (void)random::permutation(key, Array(5)); }, R"(
random::permutation: expected an integer, or an array of rank >= 1, as x, got an array of rank 0
  at here)"},
    {"permutation_axis", [] { (void)random::shuffle(key, zeros({3}), 1); }, R"(
random::shuffle: axis 1 is out of range for an array of rank 1
  at here)"},
    {"permutation_of_a_symbol",
     [] {
       jit([](const Array &x) { return random::permutation(key, x); }, {.specs = {TensorSpec{f32, {"n"}}}})(ones({3}));
     },
     R"(
random::permutation: expected sizes that are integers, got n
  at here)"},
    {"choice_of_none", [] { (void)random::choice(key, 0, {2}); }, R"(
random::choice: expected something to choose from, got none
  at here)"},
    {"choice_too_many", [] { (void)random::choice(key, 3, {2, 2}, false); }, R"(
random::choice: expected at most 3 choices without replacement, got 4
  at here)"},
    {"choice_weights", [] { (void)random::choice(key, 3, {2}, true, ones({4})); }, R"(
random::choice: expected p of the shape (3,), got (4,)
  at here)"},
    // Generators.
    {"generator_in_vmap",
     [] {
       random::Generator own(1);
       vmap([&](const Array &x) { return x + own.key().data; })(zeros({2, 2}, u32));
     },
     R"(
random::Generator: cannot draw inside the vmap of here, where the numbers would be the same for each example; pass a key as an argument instead (random::split makes keys)
  at here)"},
    {"generator_in_a_loop",
     [] {
       scan([](const Array &c) { return std::pair(c + random::default_generator().uniform(), none); }, Array(0.0f),
            none, {.length = 3});
     },
     R"(
random::Generator: cannot draw inside scan, where the numbers would be the same for each round; pass a key as an argument instead (random::split makes keys)
  at here)"},
};

class RandomNumbers : public testing::TestWithParam<Case> {};

TEST_P(RandomNumbers, Say) {
  const Case &test = GetParam();
  EXPECT_EQ(errorOf(test.run, test.name, __FILE__), body(test.text));
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
/// More numbers than there is memory for, or than there are sizes: an Error of the function, at once.
TEST(RandomShapes, OfTooMany) {
  using Draws = void (*)(const Shape &);
  const std::vector<std::pair<std::string, Draws>> functions = {
      {"bits", [](const Shape &s) { (void)random::bits(key, s); }},
      {"uniform", [](const Shape &s) { (void)random::uniform(key, s); }},
      {"uniform", [](const Shape &s) { (void)random::uniform(key, s, f64, Array(0.0), Array(1.0)); }},
      {"normal", [](const Shape &s) { (void)random::normal(key, s); }},
      {"truncated_normal", [](const Shape &s) { (void)random::truncated_normal(key, -1, 1, s); }},
      {"bernoulli", [](const Shape &s) { (void)random::bernoulli(key, 0.5, s); }},
      {"categorical", [](const Shape &s) { (void)random::categorical(key, zeros({3}), -1, s); }},
      {"choice", [](const Shape &s) { (void)random::choice(key, 10, s); }},
      {"choice", [](const Shape &s) { (void)random::choice(key, 10, s, true, ones({10})); }},
      {"randint", [](const Shape &s) { (void)random::randint(key, s, 0, 10); }},
      {"exponential", [](const Shape &s) { (void)random::exponential(key, s); }},
      {"gamma", [](const Shape &s) { (void)random::gamma(key, 2, s); }},
      {"loggamma", [](const Shape &s) { (void)random::loggamma(key, 2, s); }},
      {"beta", [](const Shape &s) { (void)random::beta(key, 2, 3, s); }},
      {"dirichlet", [](const Shape &s) { (void)random::dirichlet(key, ones({3}), s); }},
      {"t", [](const Shape &s) { (void)random::t(key, 2, s); }},
      {"student_t", [](const Shape &s) { (void)random::student_t(key, 2, s); }},
      {"chisquare", [](const Shape &s) { (void)random::chisquare(key, 2, s); }},
      {"ball", [](const Shape &s) { (void)random::ball(key, 3, 2, s); }},
      {"poisson", [](const Shape &s) { (void)random::poisson(key, 2, s); }},
      {"binomial", [](const Shape &s) { (void)random::binomial(key, 10, 0.5, s); }},
      {"geometric", [](const Shape &s) { (void)random::geometric(key, 0.5, s); }},
      {"gumbel", [](const Shape &s) { (void)random::gumbel(key, s); }},
      {"laplace", [](const Shape &s) { (void)random::laplace(key, s); }},
      {"logistic", [](const Shape &s) { (void)random::logistic(key, s); }},
      {"cauchy", [](const Shape &s) { (void)random::cauchy(key, s); }},
      {"rayleigh", [](const Shape &s) { (void)random::rayleigh(key, 2, s); }},
      {"pareto", [](const Shape &s) { (void)random::pareto(key, 2, s); }},
      {"weibull_min", [](const Shape &s) { (void)random::weibull_min(key, 2, 3, s); }},
      {"weibull", [](const Shape &s) { (void)random::weibull(key, 2, s); }},
      {"triangular", [](const Shape &s) { (void)random::triangular(key, 0, 1, 2, s); }},
      {"lognormal", [](const Shape &s) { (void)random::lognormal(key, 2, s); }},
      {"rademacher", [](const Shape &s) { (void)random::rademacher(key, s); }},
      {"permutation", [](const Shape &s) { (void)random::permutation(key, s[0].raw()); }},
      {"split", [](const Shape &) { (void)random::split(key, INT32_MAX); }},
      {"ball", [](const Shape &) { (void)random::ball(key, INT32_MAX); }},
  };
  const int64_t large = int64_t(1) << 31;
  rt::setMemoryLimit(size_t(16) << 20);
  for (const auto &[name, draw] : functions)
    for (const Shape &shape : {Shape{INT32_MAX}, Shape{large, 2}, Shape{large, large}, Shape{large * large, 2}}) {
      const std::string text = errorOf([&] { draw(shape); }, name, __FILE__);
      EXPECT_TRUE(text.starts_with("random::" + name + ": ")) << name << " of " << shape.str() << ": " << text;
      EXPECT_NE(text.find("\n  at here"), std::string::npos) << text;
    }
  rt::setMemoryLimit(0);
}

INSTANTIATE_TEST_SUITE_P(MustFail, RandomNumbers, testing::ValuesIn(cases), nameOf);
} // namespace

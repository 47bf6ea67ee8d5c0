//===- attention_test.cpp - what attention does at the edges of masks and sizes ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

Array numbers(int seed, Shape shape) { return random::normal(random::key(static_cast<uint64_t>(seed)), shape); }
bool areEqual(const Array &a, const Array &b) { return a.shape() == b.shape() && bool(all(a == b)); }

struct Attention : testing::Test {
  Array q = numbers(1, {2, 4, 5, 8}), k = numbers(2, {2, 4, 7, 8}), v = numbers(3, {2, 4, 7, 3});
};

/// PyTorch before 2.5 gave NaN (its issue 103963), and with softmax alone the derivatives of all rows were NaN (41508).
TEST_F(Attention, ARowWithoutKeysGives0WithDerivatives0) {
  const Array mask = reshape(arange(5), {5, 1}) != 2;
  const Array bias = where(mask, Array(0.0f), Array(-INFINITY));
  const auto slopes = [&](const AttentionOptions &options) {
    return grad<0, 1, 2>([&](const Array &a, const Array &b, const Array &c) {
      return sum(square(scaled_dot_product_attention(a, b, c, options)));
    })(q, k, v);
  };
  for (const AttentionOptions &options : {AttentionOptions{.mask = mask}, AttentionOptions{.bias = bias}}) {
    const Array y = scaled_dot_product_attention(q, k, v, options);
    EXPECT_TRUE(bool(all(y[{ellipsis, 2, _}] == 0)));
    EXPECT_TRUE(bool(all(isfinite(y))));
    const auto [ofQ, ofK, ofV] = slopes(options);
    EXPECT_TRUE(bool(all(ofQ[{ellipsis, 2, _}] == 0)));
    for (const Array &slope : {ofQ, ofK, ofV})
      EXPECT_TRUE(bool(all(isfinite(slope))));
    EXPECT_TRUE(bool(any(ofQ != 0)));
  }
  const auto nothing = slopes({.mask = Array(false)});
  EXPECT_TRUE(bool(all(std::get<0>(nothing) == 0) && all(std::get<1>(nothing) == 0) && all(std::get<2>(nothing) == 0)));
}

TEST_F(Attention, AWindowBeyondTheKeysGives0) {
  const Array y = scaled_dot_product_attention(numbers(1, {1, 9, 4}), numbers(2, {1, 3, 4}), numbers(3, {1, 3, 4}),
                                               {.window = {2, 0}});
  EXPECT_TRUE(bool(all(y[{0, slice(5, 9)}] == 0)));
  EXPECT_TRUE(bool(all(any(y[{0, slice(0, 5)}] != 0, 1))));
  const Array dropped = scaled_dot_product_attention(numbers(1, {1, 9, 4}), numbers(2, {1, 3, 4}), ones({1, 3, 4}),
                                                     {.window = {2, 0}, .dropout_rate = 1e-9, .key = random::key(1)});
  EXPECT_TRUE(bool(all(dropped[{0, slice(5, 9)}] == 0)));
  EXPECT_LT(max(abs(dropped[{0, slice(0, 5)}] - 1)).item<float>(), 1e-6f);
}

TEST_F(Attention, CausalCountsFromTheFirstKey) {
  const Array first = scaled_dot_product_attention(q, k, v, {.causal = true});
  EXPECT_TRUE(
      areEqual(first, scaled_dot_product_attention(q, k, v, {.mask = reshape(arange(5), {5, 1}) >= arange(7)})));
  EXPECT_TRUE(areEqual(first[{ellipsis, 0, _}], v[{ellipsis, 0, _}]));
  // The last query sees all keys: as cached keys want it.
  const Array last = scaled_dot_product_attention(q, k, v, {.mask = reshape(arange(5), {5, 1}) + 2 >= arange(7)});
  EXPECT_TRUE(areEqual(last[{ellipsis, 4, _}], scaled_dot_product_attention(q, k, v)[{ellipsis, 4, _}]));
}

TEST_F(Attention, AWindowIsABandOfTheMask) {
  const Array behind = reshape(arange(5), {5, 1}) - arange(7);
  EXPECT_TRUE(areEqual(scaled_dot_product_attention(q, k, v, {.window = {1, 2}}),
                       scaled_dot_product_attention(q, k, v, {.mask = behind <= 1 && behind >= -2})));
  EXPECT_TRUE(areEqual(scaled_dot_product_attention(q, k, v, {.window = 1}),
                       scaled_dot_product_attention(q, k, v, {.window = {1, 1}})));
  EXPECT_TRUE(areEqual(scaled_dot_product_attention(q, k, v, {.window = {-1, 2}}),
                       scaled_dot_product_attention(q, k, v, {.mask = behind >= -2})));
  EXPECT_TRUE(areEqual(scaled_dot_product_attention(q, k, v, {.causal = true, .window = {1, 2}}),
                       scaled_dot_product_attention(q, k, v, {.mask = behind <= 1 && behind >= 0})));
}

/// A compiled program has the ops of the decomposition, on all scores.
TEST_F(Attention, StripsHaveTheBitsOfAllScores) {
  const auto expectBits = [](Shape q, Shape k, Shape v, Dtype dtype, const AttentionOptions &options) {
    const Array a = astype(numbers(1, q), dtype), b = astype(numbers(2, k), dtype), c = astype(numbers(3, v), dtype);
    const uint64_t before = statistics().eager_kernels;
    const Array y = scaled_dot_product_attention(a, b, c, options);
    EXPECT_EQ(statistics().eager_kernels - before, 1u);
    const auto ops = jit(
        [&](const Array &a, const Array &b, const Array &c) { return scaled_dot_product_attention(a, b, c, options); });
    EXPECT_TRUE(areEqual(y, ops(a, b, c))) << q.str() << k.str();
  };
  for (Dtype dtype : {f32, f64}) {
    expectBits({2, 3, 300, 24}, {2, 3, 511, 24}, {2, 3, 511, 9}, dtype, {.causal = true});
    expectBits({1, 2, 70, 7}, {1, 2, 9001, 7}, {1, 2, 9001, 3}, dtype, {.softcap = 2});
    expectBits({2, 300, 8}, {1, 40, 8}, {1, 40, 1}, dtype, {.window = {3, 5}});
    expectBits({3, 1, 16}, {3, 1, 16}, {3, 1, 4}, dtype, {.scale = 3});
    const Array mask = random::bernoulli(random::key(5), 0.5, {2, 1, 300, 1});
    const Array bias = astype(numbers(6, {3, 1, 40}), dtype);
    expectBits({2, 3, 300, 4}, {2, 1, 40, 4}, {2, 1, 40, 4}, dtype, {.mask = mask, .bias = bias, .causal = true});
    expectBits({2, 3, 300, 4}, {2, 1, 40, 4}, {2, 1, 40, 4}, dtype,
               {.bias = bias, .softcap = 2, .dropout_rate = 0.25, .key = random::key(7)});
  }
  const Array wide = numbers(1, {2, 50, 16, 3}), y = transpose(wide, {0, 3, 1, 2});
  const Array dense = reshape(Array(y.to_vector<float>()), y.shape());
  EXPECT_TRUE(areEqual(scaled_dot_product_attention(y, y, y), scaled_dot_product_attention(dense, dense, dense)));
}

/// The derivative that computes the scores anew is that of the ops.
TEST_F(Attention, TheCompositesDerivativeIsThatOfItsOps) {
  const Array mask = random::bernoulli(random::key(4), 0.7, {5, 7}) || eye(5, 7, 0, Dtype::bool_);
  const Array bias = astype(numbers(5, {4, 1, 7}), f64);
  const auto composite = [&](const Array &a, const Array &b, const Array &c) {
    return scaled_dot_product_attention(a, b, c, {.mask = mask, .bias = bias, .softcap = 1.5});
  };
  const auto ops = [&](const Array &a, const Array &b, const Array &c) {
    const Array scores = matmul(a, repeat(b, 2, 1).mT()) / std::sqrt(8.0);
    return matmul(softmax(where(mask, 1.5 * tanh(scores / 1.5) + bias, -INFINITY)), repeat(c, 2, 1));
  };
  const auto slopes = [&](const auto &f) {
    return grad<0, 1, 2>([&](const Array &a, const Array &b, const Array &c) { return sum(square(f(a, b, c))); })(
        astype(q, f64), astype(k[{_, slice(0, 2)}], f64), astype(v[{_, slice(0, 2)}], f64));
  };
  const auto near = [](const Array &a, const Array &b) { EXPECT_LT(max(abs(a - b)).item<double>(), 1e-12); };
  const auto [ofQ, ofK, ofV] = slopes(composite);
  const auto [q2, k2, v2] = slopes(ops);
  near(ofQ, q2), near(ofK, k2), near(ofV, v2);
}

/// A compiled program has the ops of the decomposition, on all scores.
TEST_F(Attention, StripsOfTheDerivativeHaveTheBitsOfItsOps) {
  const auto expectBits = [](Shape q, Shape k, Shape v, Dtype dtype, const AttentionOptions &options) {
    const Array a = astype(numbers(1, q), dtype), b = astype(numbers(2, k), dtype), c = astype(numbers(3, v), dtype);
    Shape result = q;
    result.at(result.rank() - 1) = v[-1];
    const Array cotangent = astype(numbers(4, result), dtype);
    const auto slopes = grad<0, 1, 2>([&](const Array &a, const Array &b, const Array &c) {
      return sum(scaled_dot_product_attention(a, b, c, options) * cotangent);
    });
    const auto [ofQ, ofK, ofV] = slopes(a, b, c);
    const auto [q2, k2, v2] = jit(slopes)(a, b, c);
    EXPECT_TRUE(areEqual(ofQ, q2)) << q.str() << k.str() << v.str();
    EXPECT_TRUE(areEqual(ofK, k2)) << q.str() << k.str() << v.str();
    EXPECT_TRUE(areEqual(ofV, v2)) << q.str() << k.str() << v.str();
  };
  for (Dtype dtype : {f32, f64}) {
    expectBits({2, 3, 300, 24}, {2, 3, 511, 24}, {2, 3, 511, 9}, dtype, {.causal = true});
    expectBits({1, 2, 70, 7}, {1, 2, 5001, 7}, {1, 2, 5001, 3}, dtype, {.softcap = 2});
    // Several blocks of 4,096 queries, within a head and across heads.
    expectBits({1, 13001, 5}, {1, 60, 5}, {1, 60, 3}, dtype, {});
    expectBits({6, 3001, 4}, {2, 33, 4}, {2, 33, 3}, dtype, {.causal = true, .window = {3, -1}});
    // Sums of one column are summed in lanes.
    expectBits({6, 3001, 1}, {2, 17, 1}, {2, 17, 1}, dtype, {.window = {3, 5}, .softcap = 1.5});
    expectBits({3, 1, 16}, {3, 1, 16}, {3, 1, 4}, dtype, {.scale = 3});
    const Array mask = random::bernoulli(random::key(5), 0.5, {2, 1, 300, 1});
    const Array bias = astype(numbers(6, {3, 1, 40}), dtype);
    expectBits({2, 3, 300, 4}, {2, 1, 40, 4}, {2, 1, 40, 4}, dtype, {.mask = mask, .bias = bias, .causal = true});
    expectBits({2, 3, 300, 4}, {2, 1, 40, 4}, {2, 1, 40, 4}, dtype,
               {.bias = bias, .softcap = 2, .dropout_rate = 0.25, .key = random::key(7)});
  }
}

TEST_F(Attention, NeedsNoMemoryForAllScores) {
  // 8192 x 8192 floats are 256 MiB.
  const size_t before = memory_in_use();
  const Array a = numbers(1, {1, 8192, 8}), b = numbers(2, {1, 8192, 8}), c = numbers(3, {1, 8192, 8});
  const Array mask = arange(8192) % 3 != 0, bias = numbers(4, {8192, 1});
  const auto [ofQ, ofK, ofV] = grad<0, 1, 2>([&](const Array &a, const Array &b, const Array &c) {
    return sum(square(scaled_dot_product_attention(
        a, b, c, {.mask = mask, .bias = bias, .softcap = 3, .dropout_rate = 0.1, .key = random::key(5)})));
  })(a, b, c);
  EXPECT_TRUE(bool(any(ofQ != 0) && any(ofK != 0) && any(ofV != 0)));
  EXPECT_LT(peak_memory(), before + (size_t(128) << 20));
}

TEST_F(Attention, TheDerivativeIsOneOpWithDerivatives) {
  const auto loss = [](const Array &a, const Array &b, const Array &c) {
    return sum(square(scaled_dot_product_attention(a, b, c, {.causal = true, .softcap = 2})));
  };
  const std::string text = jit(grad<0, 1, 2>(loss)).lower(q, k, v).trace();
  EXPECT_NE(text.find("\"attention_gradient\""), std::string::npos);
  const Array a = astype(q[{0, slice(0, 1), slice(0, 3), slice(0, 2)}], f64),
              b = astype(k[{0, slice(0, 1), slice(0, 3), slice(0, 2)}], f64),
              c = astype(v[{0, slice(0, 1), slice(0, 3)}], f64);
  check_gradients([&](const Array &a) { return sum(square(grad<0>(loss)(a, b, c))); }, a);
  const auto each = vmap(grad<1>(loss))(stack({a, 2 * a}), stack({b, b}), stack({c, c}));
  EXPECT_TRUE(areEqual(each[0], grad<1>(loss)(a, b, c)));
  EXPECT_TRUE(areEqual(each[1], grad<1>(loss)(2 * a, b, c)));
}

TEST_F(Attention, VmapHasTheMaskTheBiasAndTheKeyOfEachExample) {
  const Array masks = random::bernoulli(random::key(4), 0.7, {2, 5, 1}), biases = numbers(5, {2, 7});
  const auto f = [&](const Array &a, const Array &b, const Array &c, const Array &mask, const Array &bias,
                     const Array &key) {
    const auto loss = [&](const Array &b) {
      return sum(square(
          scaled_dot_product_attention(a, b, c, {.mask = mask, .bias = bias, .dropout_rate = 0.5, .key = Key{key}})));
    };
    return value_and_grad(loss)(b);
  };
  const Array keys = random::bits(random::key(8), Shape{2, 2});
  const auto [losses, slopes] = vmap(f)(q, k, v, masks, biases, keys);
  for (int i = 0; i < 2; ++i) {
    const auto [loss, slope] = f(q[i], k[i], v[i], masks[i], biases[i], keys[i]);
    EXPECT_TRUE(areEqual(losses[i], loss));
    EXPECT_TRUE(areEqual(slopes[i], slope));
  }
  // Examples that share a key draw alike.
  const auto dropped = [&](const Array &c) {
    return scaled_dot_product_attention(q[0], k[0], c, {.dropout_rate = 0.5, .key = random::key(9)});
  };
  EXPECT_TRUE(areEqual(vmap(dropped)(stack({v[1], v[1]}))[1], dropped(v[1])));
}

TEST_F(Attention, SharedHeadsHaveTheBitsOfRepeatedOnes) {
  const Array k2 = k[{_, slice(0, 2)}], v2 = v[{_, slice(0, 2)}];
  EXPECT_TRUE(areEqual(scaled_dot_product_attention(q, k2, v2, {.causal = true}),
                       scaled_dot_product_attention(q, repeat(k2, 2, 1), repeat(v2, 2, 1), {.causal = true})));
}

TEST_F(Attention, MaskedKeysMayBeNaN) {
  const Array seen = arange(7) < 5, broken = where(reshape(seen, {7, 1}), k, Array(NAN));
  EXPECT_TRUE(areEqual(scaled_dot_product_attention(q, broken, v, {.mask = seen}),
                       scaled_dot_product_attention(q, k, v, {.mask = seen})));
}

TEST_F(Attention, CapsScoresBeforeTheBias) {
  const Array bias = numbers(4, {7}) * 5;
  const Array scores = matmul(q, k.mT()) * (1 / std::sqrt(8.0));
  const Array expected = matmul(softmax(0.5 * tanh(scores / 0.5) + bias), v);
  EXPECT_LT(max(abs(scaled_dot_product_attention(q, k, v, {.bias = bias, .softcap = 0.5}) - expected)).item<float>(),
            1e-6f);
}

/// Scores of 300 * 300 are out of the range of f16.
TEST_F(Attention, NarrowFloatsAreComputedInF32) {
  for (Dtype dtype : {f16, bf16}) {
    const Array a = astype(q * 300, dtype), b = astype(k * 300, dtype), c = astype(v, dtype);
    const Array y = scaled_dot_product_attention(a, b, c, {.causal = true});
    EXPECT_EQ(y.dtype(), dtype);
    const Array wide = scaled_dot_product_attention(astype(a, f32), astype(b, f32), astype(c, f32), {.causal = true});
    EXPECT_TRUE(areEqual(y, astype(wide, dtype)));
  }
  // 1 / 11 is no f16: of such weights the mean is 2046.
  const Array mean = scaled_dot_product_attention(zeros({1, 1, 4}, f16), zeros({1, 11, 4}, f16),
                                                  full({1, 11, 1}, 2047, f16), {.mask = Array(true)});
  EXPECT_EQ(doubles(mean), Doubles({2047}));
}

TEST_F(Attention, IsTheSameUnderJitAndVmapAndForSymbols) {
  const auto f = [](const Array &a, const Array &b, const Array &c) {
    return scaled_dot_product_attention(a, b, c, {.causal = true, .window = {3, -1}});
  };
  const Array y = f(q, k, v);
  EXPECT_TRUE(areEqual(jit(f)(q, k, v), y));
  EXPECT_TRUE(areEqual(vmap(f)(q, k, v), y));
  const TensorSpec queries{f32, {"b", 4, "n", "w"}}, keys{f32, {"b", 4, "m", "w"}}, values{f32, {"b", 4, "m", 3}};
  EXPECT_TRUE(areEqual(jit(f, {.specs = {queries, keys, values}})(q, k, v), y));
}

TEST_F(Attention, DropoutDividesWhatItKeeps) {
  const Array a = zeros({1, 50, 4}), b = zeros({1, 40, 4}), one = reshape(eye(40), {1, 40, 40});
  const Key key = random::key(7);
  const auto weights = [&](double rate) {
    return scaled_dot_product_attention(a, b, one, {.dropout_rate = rate, .key = key});
  };
  const Array kept = random::bernoulli(key, 0.75, {1, 50, 40});
  const Array expected = where(kept, Array(1.0f / 40 / 0.75f), Array(0.0f));
  EXPECT_LT(max(abs(weights(0.25) - expected)).item<float>(), 1e-8f);
  EXPECT_TRUE(bool(all(weights(1) == 0)));
  EXPECT_TRUE(areEqual(weights(0), scaled_dot_product_attention(a, b, one)));
  const auto f = [&](const Key &key) {
    return scaled_dot_product_attention(a, b, one, {.dropout_rate = 0.25, .key = key});
  };
  EXPECT_TRUE(areEqual(jit(f)(key), weights(0.25)));
}

TEST_F(Attention, EmptySizes) {
  EXPECT_TRUE(bool(all(scaled_dot_product_attention(q, zeros({2, 4, 0, 8}), zeros({2, 4, 0, 3})) == 0)));
  EXPECT_EQ(scaled_dot_product_attention(zeros({2, 4, 0, 8}), k, v).shape(), Shape({2, 4, 0, 3}));
  EXPECT_EQ(scaled_dot_product_attention(zeros({0, 4, 5, 8}), zeros({0, 4, 7, 8}), zeros({0, 4, 7, 3})).shape(),
            Shape({0, 4, 5, 3}));
  const Array average = scaled_dot_product_attention(zeros({2, 4, 5, 0}), zeros({2, 4, 7, 0}), v);
  EXPECT_LT(max(abs(average - mean(v, 2, true))).item<float>(), 1e-6f);
}

TEST_F(Attention, IntegersBecomeF32AndDtypesPromote) {
  EXPECT_EQ(scaled_dot_product_attention(ones({1, 2, 2}, i32), ones({1, 2, 2}, i32), ones({1, 2, 2}, i32)).dtype(),
            f32);
  EXPECT_EQ(scaled_dot_product_attention(q, k, astype(v, f64)).dtype(), f64);
}

TEST_F(Attention, TheBiasHasDerivatives) {
  const Array bias = numbers(5, {4, 5, 7});
  const auto loss = [&](const Array &bias) {
    return sum(square(scaled_dot_product_attention(astype(q, f64), astype(k, f64), astype(v, f64), {.bias = bias})));
  };
  check_gradients(loss, astype(bias, f64));
}

} // namespace

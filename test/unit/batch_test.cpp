//===- batch_test.cpp - vmap, alone and with grad ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"

#include <tenon/random.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

constexpr int examples = 3;

/// Inputs of `examples` examples, stacked at `axis` of those in `mapped`.
struct Stacked {
  std::vector<List> examples;
  List stacked;
};
Stacked stack(const Case &one, const std::vector<bool> &mapped, int axis) {
  Stacked result;
  for (int e = 0; e < examples; ++e) {
    List inputs = inputsOf(one, 10 * static_cast<uint64_t>(e) + 1);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (!mapped[i] && e)
        inputs[i] = result.examples[0][i];
    result.examples.push_back(inputs);
  }
  for (size_t i = 0; i < mapped.size(); ++i) {
    if (!mapped[i]) {
      result.stacked.push_back(result.examples[0][i]);
      continue;
    }
    List all;
    for (const List &example : result.examples) {
      Shape shape = example[i].shape();
      shape.insert(axis < 0 ? shape.rank() : axis, 1);
      all.push_back(reshape(example[i], shape));
    }
    result.stacked.push_back(concatenate(all, axis));
  }
  return result;
}

/// `function` under vmap against a loop, for each choice of mapped inputs.
void compareWithLoop(const Case &one, const std::function<List(const List &)> &function) {
  size_t count = one.inputs.size();
  for (unsigned choice = 1; choice < 1u << count; ++choice)
    for (int axis : {0, 1, -1}) {
      std::vector<bool> mapped;
      bool hasAxis = true;
      for (size_t i = 0; i < count; ++i) {
        mapped.push_back(choice >> i & 1);
        hasAxis = hasAxis && (!mapped[i] || one.inputs[i].shape.rank() >= axis);
      }
      if (!hasAxis)
        continue;
      Stacked inputs = stack(one, mapped, axis);
      // Each input is an argument of its own, to have its own axis.
      auto axisOf = [&](size_t i) { return i < count && mapped[i] ? BatchAxis(axis) : BatchAxis(none); };
      List in = inputs.stacked;
      in.resize(3, Array(0.0f));
      List batched = vmap(
          [&](const Array &a, const Array &b, const Array &c) {
            List all{a, b, c};
            all.resize(count);
            return function(all);
          },
          {.in_axes = {axisOf(0), axisOf(1), axisOf(2)}})(in[0], in[1], in[2]);
      for (int e = 0; e < examples; ++e) {
        List expected = function(inputs.examples[static_cast<size_t>(e)]);
        for (size_t r = 0; r < expected.size(); ++r)
          expectNear(batched[r][e], expected[r], 1e-12,
                     one.name + ", inputs " + std::to_string(choice) + " at axis " + std::to_string(axis) +
                         ", example " + std::to_string(e));
      }
    }
}

class Batched : public testing::TestWithParam<Case> {};

TEST_P(Batched, EqualsALoop) {
  compareWithLoop(GetParam(), [](const List &v) { return List{GetParam().function(v)}; });
}

TEST_P(Batched, GradientsEqualALoop) {
  compareWithLoop(GetParam(),
                  [](const List &v) { return grad([](const List &u) { return sum(GetParam().function(u)); })(v); });
}

TEST_P(Batched, GradientThroughTheBatchEqualsALoop) {
  const Case &one = GetParam();
  std::vector<bool> all(one.inputs.size(), true);
  Stacked inputs = stack(one, all, 0);
  List gradients =
      grad([&](const List &v) { return sum(vmap([&](const List &u) { return one.function(u); })(v)); })(inputs.stacked);
  for (int e = 0; e < examples; ++e) {
    List expected = grad([&](const List &u) { return sum(one.function(u)); })(inputs.examples[static_cast<size_t>(e)]);
    for (size_t i = 0; i < expected.size(); ++i)
      expectNear(gradients[i][e], expected[i], 1e-12, one.name);
  }
}

TEST_P(Batched, TwiceEqualsTwoLoops) {
  const Case &one = GetParam();
  std::vector<bool> all(one.inputs.size(), true);
  Stacked inputs = stack(one, all, 0);
  List twice;
  for (const Array &x : inputs.stacked) {
    Shape shape = x.shape();
    shape.insert(0, 2);
    twice.push_back(broadcast_to(x, shape));
  }
  auto f = [&](const List &u) { return one.function(u); };
  Array result = vmap(vmap(f))(twice);
  for (int outer : {0, 1})
    for (int e = 0; e < examples; ++e)
      expectNear(result[outer][e], one.function(inputs.examples[static_cast<size_t>(e)]), 1e-12, one.name);
}

INSTANTIATE_TEST_SUITE_P(Ops, Batched, testing::ValuesIn(smoothCases()),
                         [](const auto &info) { return info.param.name; });

TEST(Vmap, OfOpsWithoutDerivative) {
  Array x{{1, 5, 3}, {9, 2, 9}};
  EXPECT_EQ(vmap([](const Array &v) { return argmax(v); })(x).to_vector<int64_t>(), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(vmap([](const Array &v) { return (v > 2) && (v < 9); })(x).to_vector<bool>(),
            (std::vector<bool>{false, true, true, false, false, false}));
  EXPECT_EQ(vmap([](const Array &v) { return v >> 1; })(x).to_vector<int32_t>(),
            (std::vector<int32_t>{0, 2, 1, 4, 1, 4}));
  EXPECT_EQ(vmap([](const Array &v) { return dimension(v, 0); })(x).to_vector<int64_t>(), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(vmap([](const Array &v) { return one_hot(v, 4, i32); })(Array{1, 3}).to_vector<int32_t>(),
            (std::vector<int32_t>{0, 1, 0, 0, 0, 0, 0, 1}));
  // An array that no example changes is the same for all.
  EXPECT_EQ(vmap([](const Array &) { return arange(2); })(x).to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 0, 1}));
}

TEST(Vmap, MapsKeys) {
  std::vector<Key> keys = random::split(random::key(3), 4);
  List rows;
  for (const Key &key : keys)
    rows.push_back(reshape(key.data, {1, 2}));
  Key all{concatenate(rows)};
  Array uniform = vmap([](const Key &key) { return random::uniform(key, {5}); })(all);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(uniform[i].to_vector<float>(), random::uniform(keys[static_cast<size_t>(i)], {5}).to_vector<float>());
}

struct Point {
  Array x, y;
  int kind = 1;
};

TEST(Vmap, OfTreesAndAxes) {
  Point points{Array{{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}, Array{10.0f, 20.0f, 30.0f}, 4};
  auto f = [](const Point &p, const Array &scale) {
    return std::pair(Point{p.x * scale, p.y, p.kind}, sum(p.x) + p.y);
  };
  auto [moved, sums] = vmap(f, {.in_axes = {0, none}, .out_axes = {-1, 0}})(points, Array{1.0f, 2.0f});
  EXPECT_EQ(moved.x.shape(), Shape({2, 3}));
  EXPECT_EQ(moved.x.to_vector<float>(), (std::vector<float>{1, 3, 5, 4, 8, 12}));
  EXPECT_EQ(moved.kind, 4);
  EXPECT_EQ(sums.to_vector<float>(), (std::vector<float>{13, 27, 41}));
  Array same = vmap([](const Array &, const Array &y) { return y * 2.0f; },
                    {.in_axes = {0, none}, .out_axes = {none}})(points.x, Array(3.0f));
  EXPECT_EQ(same.item<float>(), 6);
}

TEST(Vmap, SumsHaveTheBitsOfOneExample) {
  Array x = random::normal(random::key(1), {4, 1000});
  Array batched = vmap([](const Array &v) { return sum(v); })(x);
  Array columns = vmap([](const Array &v) { return sum(v); }, {.in_axes = {1}})(transpose(x));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(batched[i].item<float>(), sum(x[i]).item<float>());
    EXPECT_EQ(columns[i].item<float>(), sum(x[i]).item<float>());
  }
}

TEST(Vmap, ErrorsNameWhatIsWrong) {
  auto f = [](const Point &p) { return p.x * p.y; };
  std::string text = errorOf([&] { vmap(f)(Point{zeros({2}), zeros({3})}); });
  EXPECT_THAT(text, HasSubstr("vmap: expected arrays with as many examples each, got 2 in arg 0: x and 3 in arg 0: y"));
  EXPECT_THAT(text, HasSubstr("batch_test.cpp:"));
  text = errorOf([&] { vmap(f)(Point{zeros({2}), Array(1.0f)}); });
  EXPECT_THAT(text, HasSubstr("vmap: in_axes 0 is out of range for arg 0: y of type f32[]"));
  text = errorOf([&] { vmap(f, {.in_axes = {none}})(Point{zeros({2}), zeros({2})}); });
  EXPECT_THAT(text, HasSubstr("vmap: expected at least one array that is mapped over, got none"));
  text = errorOf([&] { vmap(f, {.in_axes = {0, 0}})(Point{zeros({2}), zeros({2})}); });
  EXPECT_THAT(text, HasSubstr("vmap: expected 1 entry of in_axes, got 2"));
  text = errorOf([&] { vmap(f, {.out_axes = {none}})(Point{zeros({2}), zeros({2})}); });
  EXPECT_THAT(text, HasSubstr("that depends on them"));
  Array escaped;
  vmap([&](const Array &x) { return escaped = x * 2.0f; })(Array{1.0f, 2.0f});
  text = errorOf([&] { (void)exp(escaped); });
  EXPECT_THAT(text, HasSubstr("exp: a value of the vmap of "));
  // Shapes in errors are those of one example.
  text = errorOf([&] { vmap([](const Array &x) { return matmul(x, x); })(zeros({4, 2, 3})); });
  EXPECT_THAT(text, HasSubstr("x1: f32[2, 3] (arg 0)"));
}

// A shape has fewer axes than this has pieces.
TEST(Vmap, OfManyPieces) {
  const Array x = reshape(arange(80), {2, 40});
  EXPECT_EQ(vmap([](const Array &row) { return stack(unstack(row)); })(x).to_vector<int32_t>(), x.to_vector<int32_t>());
}

} // namespace

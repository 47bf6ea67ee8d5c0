//===- nn_recurrent_test.cpp - recurrent layers, beside plain loops --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/nn.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

bool areEqual(const Array &x, const Array &y) { return array_equal(x, y).item<bool>(); }

/// A matrix of doubles.
struct Matrix {
  int64_t rows, columns;
  std::vector<double> values;
  double at(int64_t row, int64_t column) const { return values[static_cast<size_t>(row * columns + column)]; }
};
Matrix matrixOf(const Array &x) {
  return {x.ndim() == 2 ? x.shape()[0].value() : 1, x.shape()[-1].value(), x.astype(f64).to_vector<double>()};
}

using Row = std::vector<double>;
/// x @ weights, columns from `first` on.
Row product(const Row &x, const Matrix &weights, int64_t first, int64_t count) {
  Row sums(static_cast<size_t>(count), 0.0);
  for (int64_t j = 0; j < count; ++j)
    for (size_t k = 0; k < x.size(); ++k)
      sums[static_cast<size_t>(j)] += x[k] * weights.at(static_cast<int64_t>(k), first + j);
  return sums;
}
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// What a layer does with one sequence: the h after each step, in the order of reading. A step that the mask says
/// false for repeats the h before.
class PlainLayer {
public:
  explicit PlainLayer(const nn::Recurrent &layer)
      : units_(layer.units()), kernel_(matrixOf(layer.kernel())), recurrent_(matrixOf(layer.recurrent_kernel())),
        bias_(matrixOf(layer.bias())) {}
  virtual ~PlainLayer() = default;
  std::vector<Row> run(const std::vector<Row> &steps, const std::vector<bool> &mask, Row h, Row c) const {
    std::vector<Row> outputs;
    for (size_t t = 0; t < steps.size(); ++t) {
      if (mask.empty() || mask[t])
        step(steps[t], h, c);
      outputs.push_back(h);
    }
    return outputs;
  }

protected:
  virtual void step(const Row &x, Row &h, Row &c) const = 0;
  Row ofX(const Row &x, int64_t gate) const {
    Row sums = product(x, kernel_, gate * units_, units_);
    for (size_t j = 0; j < sums.size(); ++j)
      sums[j] += bias_.at(0, gate * units_ + static_cast<int64_t>(j));
    return sums;
  }
  Row ofH(const Row &h, int64_t gate) const { return product(h, recurrent_, gate * units_, units_); }

  int64_t units_;
  Matrix kernel_, recurrent_, bias_;
};
class PlainRNN : public PlainLayer {
  using PlainLayer::PlainLayer;
  void step(const Row &x, Row &h, Row &) const override {
    const Row a = ofX(x, 0), b = ofH(h, 0);
    for (size_t j = 0; j < h.size(); ++j)
      h[j] = std::tanh(a[j] + b[j]);
  }
};
class PlainLSTM : public PlainLayer {
  using PlainLayer::PlainLayer;
  void step(const Row &x, Row &h, Row &c) const override {
    Row sums[4];
    for (int gate = 0; gate < 4; ++gate) {
      sums[gate] = ofX(x, gate);
      const Row b = ofH(h, gate);
      for (size_t j = 0; j < h.size(); ++j)
        sums[gate][j] += b[j];
    }
    for (size_t j = 0; j < h.size(); ++j) {
      c[j] = logistic(sums[1][j]) * c[j] + logistic(sums[0][j]) * std::tanh(sums[2][j]);
      h[j] = logistic(sums[3][j]) * std::tanh(c[j]);
    }
  }
};
class PlainGRU : public PlainLayer {
public:
  PlainGRU(const nn::GRU &layer, bool resetAfter) : PlainLayer(layer), resetAfter_(resetAfter) {}

private:
  void step(const Row &x, Row &h, Row &) const override {
    const Row z = gate(x, h, 0), r = gate(x, h, 1), a = ofX(x, 2);
    Row b;
    if (resetAfter_) {
      b = ofH(h, 2);
      for (size_t j = 0; j < h.size(); ++j)
        b[j] = r[j] * (b[j] + bias_.at(1, 2 * units_ + static_cast<int64_t>(j)));
    } else {
      Row reset = h;
      for (size_t j = 0; j < h.size(); ++j)
        reset[j] *= r[j];
      b = ofH(reset, 2);
    }
    for (size_t j = 0; j < h.size(); ++j)
      h[j] = z[j] * h[j] + (1 - z[j]) * std::tanh(a[j] + b[j]);
  }
  Row gate(const Row &x, const Row &h, int64_t number) const {
    Row a = ofX(x, number);
    const Row b = ofH(h, number);
    for (size_t j = 0; j < h.size(); ++j)
      a[j] = logistic(a[j] + b[j] + (resetAfter_ ? bias_.at(1, number * units_ + static_cast<int64_t>(j)) : 0));
    return a;
  }
  bool resetAfter_;
};

/// The outputs (batch, time, units) of a plain layer.
Array plain(const PlainLayer &layer, const Array &x, int64_t units, const Array &mask = {}, const Array &h = {},
            const Array &c = {}) {
  const int64_t batch = x.shape()[0].value(), time = x.shape()[1].value(), features = x.shape()[2].value();
  const auto numbers = x.astype(f64).to_vector<double>();
  std::vector<double> all;
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<Row> steps;
    std::vector<bool> taken;
    for (int64_t t = 0; t < time; ++t) {
      const auto first = numbers.begin() + (b * time + t) * features;
      steps.emplace_back(first, first + features);
      if (mask.has_value())
        taken.push_back(mask[{b, t}].item<bool>());
    }
    auto stateOf = [&](const Array &of) {
      return of.has_value() ? of[b].astype(f64).to_vector<double>() : Row(static_cast<size_t>(units), 0.0);
    };
    for (const Row &row : layer.run(steps, taken, stateOf(h), stateOf(c)))
      all.insert(all.end(), row.begin(), row.end());
  }
  return reshape(Array(all), {batch, time, units});
}

Array sequences(int64_t batch = 3, int64_t time = 7, int64_t features = 4) {
  return random::normal(random::key(5), {batch, time, features});
}
void expectNear(const Array &x, const Array &expected) {
  EXPECT_EQ(x.shape(), expected.shape());
  EXPECT_LT(max(abs(x.astype(f64) - expected)).item<double>(), 2e-6);
}
Array someMask() {
  return Array{{true, true, false, true, true, false, false},
               {false, false, true, true, false, true, true},
               {true, true, true, true, true, true, true}};
}

const nn::Initializer anyBias = nn::uniform(-0.5, 0.5);

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TEST(NnRecurrentTest, SimpleRNNIsItsFormula) {
  const nn::SimpleRNN layer{5, {.bias_initializer = anyBias, .return_sequences = true}};
  const Array y = layer(sequences());
  expectNear(y, plain(PlainRNN(layer), sequences(), 5));
  EXPECT_EQ(layer.kernel().shape(), Shape({4, 5}));
}

TEST(NnRecurrentTest, LSTMIsItsFormulaFromAnyState) {
  const nn::LSTM layer{5, {.bias_initializer = anyBias, .return_sequences = true}};
  const Array y = layer(sequences());
  expectNear(y, plain(PlainLSTM(layer), sequences(), 5));
  EXPECT_EQ(layer.kernel().shape(), Shape({4, 20}));
  EXPECT_EQ(layer.recurrent_kernel().shape(), Shape({5, 20}));
  const nn::LSTMState state{random::normal(random::key(1), {3, 5}), random::normal(random::key(2), {3, 5})};
  const auto [outputs, last] = layer.run(sequences(), state);
  expectNear(outputs, plain(PlainLSTM(layer), sequences(), 5, {}, state.h, state.c));
  EXPECT_TRUE(areEqual(outputs[{_, -1}], last.h));
}

TEST(NnRecurrentTest, GRUIsItsFormulaResetAfterAndBefore) {
  for (const bool resetAfter : {true, false}) {
    const nn::GRU layer{5, {.bias_initializer = anyBias, .return_sequences = true, .reset_after = resetAfter}};
    const Array y = layer(sequences());
    expectNear(y, plain(PlainGRU(layer, resetAfter), sequences(), 5));
    EXPECT_EQ(layer.bias().shape(), resetAfter ? Shape({2, 15}) : Shape({15}));
  }
}

TEST(NnRecurrentTest, DefaultsAreThoseOfKeras) {
  const nn::LSTM layer{3};
  layer(sequences());
  EXPECT_TRUE(areEqual(layer.bias(), Array{0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}));
  const Array kernel = layer.recurrent_kernel();
  EXPECT_LT(max(abs(matmul(kernel, kernel.T()) - eye(3))).item<float>(), 1e-5f);
  EXPECT_LE(max(abs(layer.kernel())).item<float>(), std::sqrt(6.0f / 16));
  EXPECT_EQ(nn::count_params(layer), 4 * (4 * 3 + 3 * 3 + 3));
  const nn::GRU gru{3};
  gru(sequences());
  EXPECT_EQ(nn::count_params(gru), 3 * (4 * 3 + 3 * 3 + 2 * 3));
  const nn::LSTM plainBias{3, {.unit_forget_bias = false}}, none{3, {.use_bias = false}};
  plainBias(sequences()), none(sequences());
  EXPECT_EQ(sum(plainBias.bias()).item<float>(), 0);
  EXPECT_EQ(nn::variables(none).size(), 2u);
}

TEST(NnRecurrentTest, LastOutputIsTheLastOfTheSequence) {
  const nn::GRU last{4}, all{4, {.return_sequences = true}};
  last(sequences()), all(sequences());
  nn::copy_weights(last, all);
  EXPECT_TRUE(areEqual(last(sequences()), all(sequences())[{_, -1}]));
}

TEST(NnRecurrentTest, StepsAreTheRun) {
  const nn::LSTM layer{6};
  const Array x = sequences();
  nn::LSTMState state = layer.initial_state(3);
  for (int t = 0; t < 7; ++t)
    state = layer.step(x[{_, t}], state);
  const auto [outputs, last] = layer.run(x, layer.initial_state(3));
  EXPECT_TRUE(areEqual(state.h, last.h));
  EXPECT_TRUE(areEqual(state.c, last.c));
  // In pieces, too.
  const auto first = layer.run(x[{_, slice(0, 3)}], layer.initial_state(3));
  EXPECT_TRUE(areEqual(layer.run(x[{_, slice(3, none)}], first.state).state.c, last.c));
  EXPECT_EQ(outputs.shape(), Shape({3, 7, 6}));
}

TEST(NnRecurrentTest, BackwardsReadsFromTheEnd) {
  const nn::GRU layer{4, {.return_sequences = true, .go_backwards = true}};
  const nn::GRU forward{4, {.return_sequences = true}};
  layer(sequences()), forward(sequences());
  nn::copy_weights(layer, forward);
  EXPECT_TRUE(areEqual(layer(sequences()), forward(flip(sequences(), 1))));
  EXPECT_TRUE(areEqual(layer.run(sequences(), layer.initial_state(3)).outputs, layer(sequences())));
  const Array mask = someMask();
  EXPECT_TRUE(areEqual(layer(sequences(), {.mask = mask}), forward(flip(sequences(), 1), {.mask = flip(mask, 1)})));
}

TEST(NnRecurrentTest, NoStepsLeaveTheState) {
  const nn::LSTM layer{4};
  const Array x = zeros({2, 0, 3});
  EXPECT_TRUE(areEqual(layer(x), zeros({2, 4})));
  const nn::LSTMState state{ones({2, 4}), ones({2, 4})};
  EXPECT_TRUE(areEqual(layer.run(x, state).state.h, ones({2, 4})));
  EXPECT_EQ(layer(zeros({0, 5, 3})).shape(), Shape({0, 4}));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

TEST(NnRecurrentTest, MaskedStepsCarryTheStateOn) {
  const nn::LSTM layer{5, {.bias_initializer = anyBias, .return_sequences = true}};
  const Array mask = someMask();
  const Array y = layer(sequences(), {.mask = mask});
  expectNear(y, plain(PlainLSTM(layer), sequences(), 5, mask));
  // What is in masked steps does not count, NaN included.
  const Array poisoned = where(expand_dims(mask, 2), sequences(), NAN);
  EXPECT_TRUE(areEqual(layer(poisoned, {.mask = mask}), y));
}

TEST(NnRecurrentTest, PaddingDoesNotChangeTheLastOutput) {
  const nn::GRU layer{5};
  const Array x = sequences(1);
  const Array y = layer(x);
  const Array padded = concatenate({x, full({1, 4, 4}, 100.0f)}, 1),
              before = concatenate({full({1, 4, 4}, 100.0f), x}, 1);
  EXPECT_TRUE(areEqual(layer(padded, {.mask = expand_dims(arange(11) < 7, 0)}), y));
  EXPECT_TRUE(areEqual(layer(before, {.mask = expand_dims(arange(11) >= 4, 0)}), y));
}

TEST(NnRecurrentTest, MaskedStepsHaveNoGradient) {
  const nn::GRU layer{5};
  layer(sequences());
  const Array mask = someMask();
  const Array slope = grad([&](const Array &x) { return sum(square(layer(x, {.mask = mask}))); })(sequences());
  EXPECT_TRUE(areEqual(where(expand_dims(mask, 2), 0, slope), zeros({3, 7, 4})));
  EXPECT_GT(min(sum(abs(slope), -1)[mask]).item<float>(), 0);
}

} // namespace

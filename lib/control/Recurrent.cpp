//===- Recurrent.cpp - recurrent layers ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <tenon/control.h>

#include <algorithm>
#include <functional>

using namespace tenon;
using namespace tenon::detail;

namespace {

/// A state of a layer: h, or h and c.
using State = std::vector<Array>;

struct RecurrentOptions {
  const Operand &sequenceLens;
  RecurrentDirection direction;
  int layout;
};

/// One direction of a layer: its part of the weights.
struct Weights {
  /// W and R with the gates last: (inputs, gates * hidden) and (hidden, gates * hidden).
  Array W, R;
  /// Biases of both, (gates * hidden), and P; empty Arrays where they are not given.
  Array ofW, ofR, P;
};

/// A call of rnn, gru or lstm.
class Layer {
public:
  /// `given`: x, W, R, B, the initial states, and for lstm P.
  Layer(const char *function, int gates, std::initializer_list<const Operand *> given, size_t states,
        const RecurrentOptions &options);

  Dim hidden() const { return hidden_; }
  /// Gate `number` of an array whose last axis is the gates.
  Array gate(const Array &x, int number) const {
    return partOf(x, x.ndim() - 1, hidden_ * number, hidden_ * (number + 1));
  }

  /// The next state from the previous one and x W^T + bW, + bR if `addsBiasOfR`.
  using Step = std::function<State(const State &state, const Array &gates)>;
  using MakeStep = std::function<Step(const Weights &weights)>;
  /// Y and the last states.
  std::vector<Array> run(bool addsBiasOfR, const MakeStep &makeStep) const;

private:
  void expectShape(const char *name, const Array &x, const Shape &shape) const {
    if (x.has_value() && provably_equal(x.shape(), shape) != Always::yes)
      refuse("expected " + std::string(name) + " of the shape " + shape.str() + ", got " + x.shape().str(), at_);
  }
  void setLengths(const Operand &lengths);
  Weights weightsOf(int direction) const;
  /// The final state; `all` becomes the states after each step, (steps, batch, hidden).
  State runOne(int direction, bool addsBiasOfR, const MakeStep &makeStep, Array &all) const;

  Floats floats_;
  Location at_;
  int gates_, directions_;
  size_t states_;
  const RecurrentOptions &options_;
  Array x_;
  Dim steps_, batch_, hidden_;
  /// Whether each sequence goes on at each step, (steps, batch, 1); an empty Array if all do.
  Array goesOn_;
};

} // namespace

Layer::Layer(const char *function, int gates, std::initializer_list<const Operand *> given, size_t states,
             const RecurrentOptions &options)
    : floats_(function, given), at_((*given.begin())->location()), gates_(gates),
      directions_(options.direction == RecurrentDirection::bidirectional ? 2 : 1), states_(states), options_(options) {
  expectMode(function, "RecurrentDirection", options.direction, at_);
  if (options.layout != 0 && options.layout != 1)
    refuse("expected the layout 0 or 1, got " + std::to_string(options.layout), at_);
  x_ = floats_[0];
  const char *const names[] = {"x", "W", "R"};
  for (size_t i = 0; i < 3; ++i)
    if (floats_[i].ndim() != 3)
      refuse("expected " + std::string(names[i]) + " of rank 3, got " + floats_[i].shape().str(), at_);
  if (options.layout == 1)
    x_ = swapaxes(x_, 0, 1);
  steps_ = x_.shape()[0], batch_ = x_.shape()[1], hidden_ = floats_[2].shape()[2];
  const Dim rows = computedSize([&] { return hidden_ * gates; }, at_);
  expectShape("W", floats_[1], {directions_, rows, x_.shape()[2]});
  expectShape("R", floats_[2], {directions_, rows, hidden_});
  expectShape("B", floats_[3], {directions_, computedSize([&] { return 2 * rows; }, at_)});
  const Shape ofState = options.layout == 1 ? Shape{batch_, directions_, hidden_} : Shape{directions_, batch_, hidden_};
  const char *const initial[] = {"initial_h", "initial_c"};
  for (size_t i = 0; i < states; ++i)
    expectShape(initial[i], floats_[4 + i], ofState);
  if (given.size() > 4 + states)
    expectShape("P", floats_[4 + states], {directions_, 3 * hidden_});
  if (!options.sequenceLens.is_none())
    setLengths(options.sequenceLens);
}

void Layer::setLengths(const Operand &given) {
  const Array lengths = toArray(given, OpCode::gather, Dtype::i64, x_.device());
  if (kind(lengths.dtype()) != Kind::integer || lengths.ndim() != 1 ||
      provably_equal(lengths.shape()[0], batch_) != Always::yes)
    refuse("expected sequence_lens of integers, one for each of " + batch_.str() + " sequences, got " +
               describe(lengths.dtype(), lengths.shape()),
           at_);
  if (const std::optional<std::vector<int64_t>> known = knownValues(lengths); known && steps_.is_static())
    for (const int64_t length : *known)
      if (length < 0 || length > steps_.raw())
        refuse("expected sequence_lens from 0 to " + steps_.str() + ", got " + std::to_string(length), at_);
  goesOn_ =
      expand_dims(expand_dims(iota(steps_, Dtype::i64, x_.device(), at_), 1) < convert(lengths, Dtype::i64, at_), 2);
}

Weights Layer::weightsOf(int direction) const {
  const auto of = [&](const Array &x) { return squeeze(partOf(x, 0, direction, direction + 1), 0); };
  const auto columns = [&](const Array &x) { return transpose(of(x), {1, 0}); };
  Weights weights{columns(floats_[1]), columns(floats_[2]), {}, {}, {}};
  if (floats_[3].has_value()) {
    const Array biases = of(floats_[3]);
    weights.ofW = partOf(biases, 0, 0, hidden_ * gates_);
    weights.ofR = partOf(biases, 0, hidden_ * gates_, hidden_ * gates_ * 2);
  }
  if (states_ == 2 && floats_[6].has_value())
    weights.P = of(floats_[6]);
  return weights;
}

State Layer::runOne(int direction, bool addsBiasOfR, const MakeStep &makeStep, Array &all) const {
  const Weights weights = weightsOf(direction);
  const Step step = makeStep(weights);
  const int batchAxis = options_.layout == 1 ? 1 : 0;
  State start;
  for (size_t i = 0; i < states_; ++i)
    start.push_back(floats_[4 + i].has_value()
                        ? squeeze(partOf(floats_[4 + i], batchAxis, direction, direction + 1), batchAxis)
                        : zeros({batch_, hidden_}, x_.dtype(), x_.device(), at_));
  // The products of all steps are one product.
  std::vector<Array> given{matmul(x_, weights.W)};
  if (weights.ofW.has_value())
    given[0] = given[0] + (addsBiasOfR ? weights.ofW + weights.ofR : weights.ofW);
  if (goesOn_.has_value())
    given.push_back(goesOn_);
  const auto round = [&](const State &state, const std::vector<Array> &now) {
    State next = step(state, now[0]);
    Array y = next[0];
    if (now.size() > 1) {
      for (size_t i = 0; i < next.size(); ++i)
        next[i] = where(now[1], next[i], state[i]);
      y = where(now[1], y, 0);
    }
    return std::pair(next, y);
  };
  const bool isReversed = direction == 1 || options_.direction == RecurrentDirection::reverse;
  const auto [last, ys] = scan(round, start, given, {.reverse = isReversed}, at_);
  all = ys;
  return last;
}

std::vector<Array> Layer::run(bool addsBiasOfR, const MakeStep &makeStep) const {
  std::vector<std::vector<Array>> each(1 + states_);
  for (int direction = 0; direction < directions_; ++direction) {
    Array all;
    const State last = runOne(direction, addsBiasOfR, makeStep, all);
    each[0].push_back(all);
    for (size_t i = 0; i < states_; ++i)
      each[1 + i].push_back(last[i]);
  }
  // The batch is the first axis of all results in layout 1.
  std::vector<Array> results;
  for (size_t i = 0; i < each.size(); ++i) {
    const Array result = stack(each[i], i == 0 ? 1 : 0);
    if (options_.layout == 0)
      results.push_back(floats_.rounded(result));
    else
      results.push_back(floats_.rounded(i == 0 ? transpose(result, {2, 0, 1, 3}) : swapaxes(result, 0, 1)));
  }
  return results;
}

/// Refuses what has no default.
static void expectGiven(const char *function, std::initializer_list<const Operand *> operands) {
  for (const Operand *operand : operands)
    if (operand->is_none())
      throw Error(publicName(function) + ": expected an array, got an empty Array", userLocation(operand->location()));
}

RnnResult detail::rnn(const Operand &x, const Operand &W, const Operand &R, const Operand &B,
                      const Operand &sequence_lens, const Operand &initial_h, RecurrentDirection direction,
                      int layout) {
  DoorScope scope("rnn", x.location(), {{"x", x}, {"W", W}, {"R", R}});
  expectGiven("rnn", {&x, &W, &R});
  const RecurrentOptions options{sequence_lens, direction, layout};
  const Layer layer("rnn", 1, {&x, &W, &R, &B, &initial_h}, 1, options);
  const auto makeStep = [](const Weights &weights) {
    return [R = weights.R](const State &state, const Array &gates) { return State{tanh(gates + matmul(state[0], R))}; };
  };
  const std::vector<Array> results = layer.run(true, makeStep);
  return {results[0], results[1]};
}

GruResult detail::gru(const Operand &x, const Operand &W, const Operand &R, const Operand &B,
                      const Operand &sequence_lens, const Operand &initial_h, RecurrentDirection direction, int layout,
                      bool linear_before_reset) {
  DoorScope scope("gru", x.location(), {{"x", x}, {"W", W}, {"R", R}});
  expectGiven("gru", {&x, &W, &R});
  const RecurrentOptions options{sequence_lens, direction, layout};
  const Layer layer("gru", 3, {&x, &W, &R, &B, &initial_h}, 1, options);
  const auto of = [&](const Array &from, int number) { return layer.gate(from, number); };
  const auto afterProduct = [&](const Weights &weights) -> Layer::Step {
    return [=](const State &state, const Array &gates) {
      const Array &h = state[0], product = matmul(h, weights.R);
      const Array ofH = weights.ofR.has_value() ? product + weights.ofR : product;
      const Array z = sigmoid(of(gates, 0) + of(ofH, 0)), r = sigmoid(of(gates, 1) + of(ofH, 1));
      const Array n = tanh(of(gates, 2) + r * of(ofH, 2));
      return State{(1 - z) * n + z * h};
    };
  };
  const auto beforeProduct = [&](const Weights &weights) -> Layer::Step {
    const Array ofGates = partOf(weights.R, 1, 0, layer.hidden() * 2), ofN = of(weights.R, 2);
    return [=](const State &state, const Array &gates) {
      const Array &h = state[0], ofH = matmul(h, ofGates);
      const Array z = sigmoid(of(gates, 0) + of(ofH, 0)), r = sigmoid(of(gates, 1) + of(ofH, 1));
      const Array n = tanh(of(gates, 2) + matmul(r * h, ofN));
      return State{(1 - z) * n + z * h};
    };
  };
  const std::vector<Array> results =
      linear_before_reset ? layer.run(false, afterProduct) : layer.run(true, beforeProduct);
  return {results[0], results[1]};
}

LstmResult detail::lstm(const Operand &x, const Operand &W, const Operand &R, const Operand &B,
                        const Operand &sequence_lens, const Operand &initial_h, const Operand &initial_c,
                        const Operand &P, RecurrentDirection direction, int layout) {
  DoorScope scope("lstm", x.location(), {{"x", x}, {"W", W}, {"R", R}});
  expectGiven("lstm", {&x, &W, &R});
  const RecurrentOptions options{sequence_lens, direction, layout};
  const Layer layer("lstm", 4, {&x, &W, &R, &B, &initial_h, &initial_c, &P}, 2, options);
  const auto makeStep = [&](const Weights &weights) -> Layer::Step {
    return [=, &layer](const State &state, const Array &ofX) {
      const Array gates = ofX + matmul(state[0], weights.R), &c = state[1];
      const auto gate = [&](int number, int peephole, const Array &seen) {
        const Array sum = layer.gate(gates, number);
        return sigmoid(weights.P.has_value() ? sum + layer.gate(weights.P, peephole) * seen : sum);
      };
      const Array i = gate(0, 0, c), f = gate(2, 2, c);
      const Array next = f * c + i * tanh(layer.gate(gates, 3));
      return State{gate(1, 1, next) * tanh(next), next};
    };
  };
  const std::vector<Array> results = layer.run(true, makeStep);
  return {results[0], results[1], results[2]};
}

//===- cells.h - one step of a recurrent layer, and loops over cells of one's own ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   struct Leaky { // h = 0.9 h + dense(x)
//     nn::Dense dense{8};
//     tn::Array initial_state(tn::Dim batch) const { return tn::zeros({batch, 8}); }
//     std::pair<tn::Array, tn::Array> operator()(const tn::Array &x, const tn::Array &h) const {
//       tn::Array next = 0.9 * h + dense(x);
//       return {next, next};
//     }
//   };
//   nn::RNN rnn{Leaky(), {.return_sequences = true}};
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/control.h>
#include <tenon/nn/recurrent.h>

#include <tuple>

namespace tenon {
namespace detail {
/// The inputs of nn::RNN's loop: (time, batch, ...); the mask (time, batch), or empty.
struct LoopInputs {
  Array x, mask;
};
LoopInputs loop_inputs(const nn::Layer &layer, const Array &x, const Array &mask);
/// `where(mask, x1, x2)` with a mask of the first axes.
Array where_of_batch(const Array &mask, const Array &x1, const Array &x2);
/// A cell has no dropout.
void expect_no_dropout(double dropout, double recurrent_dropout, Location at);
} // namespace detail

namespace nn {

/// One step of a layer L: `auto [y, next] = cell(x, state)`, for nn::RNN and loops of one's own. Without dropout.
template <class L>
class CellOf : public TreeObject {
public:
  using StateType = typename L::StateType;
  explicit CellOf(int64_t units, const typename L::Options &options = {}, Location at = Location::current())
      : layer_(units, options, at) {
    tenon::detail::expect_no_dropout(options.dropout, options.recurrent_dropout, at);
  }

  /// The output of the step and the state after it; x is (batch, features).
  std::pair<Array, StateType> operator()(const Array &x, const StateType &state) const {
    StateType next = layer_.step(x, state);
    return {next.h, std::move(next)};
  }
  StateType initial_state(Dim batch) const { return layer_.initial_state(batch); }
  void fields(Fields &f) override { f.inner(layer_); }

private:
  L layer_;
};
using SimpleRNNCell = CellOf<SimpleRNN>;
using LSTMCell = CellOf<LSTM>;
using GRUCell = CellOf<GRU>;

/// Cells one on top of the other, as one cell: each takes the output of the one before.
template <class... C>
class StackedRNNCells : public TreeObject {
public:
  using StateType = std::tuple<std::decay_t<decltype(std::declval<const C &>().initial_state(Dim(1)))>...>;
  explicit StackedRNNCells(C... cells) : cells_(std::move(cells)...) {}

  std::pair<Array, StateType> operator()(const Array &x, const StateType &state) const {
    return step(x, state, std::index_sequence_for<C...>());
  }
  StateType initial_state(Dim batch) const {
    return std::apply([&](const C &...cell) { return StateType(cell.initial_state(batch)...); }, cells_);
  }
  void fields(Fields &f) override { f("cells", cells_); }

private:
  template <size_t... i>
  std::pair<Array, StateType> step(const Array &x, StateType state, std::index_sequence<i...>) const {
    Array y = x;
    auto one = [&](const auto &cell, auto &own) {
      auto [output, next] = cell(y, own);
      y = output;
      own = next;
    };
    (one(std::get<i>(cells_), std::get<i>(state)), ...);
    return {std::move(y), std::move(state)};
  }
  std::tuple<C...> cells_;
};

struct RNNOptions {
  bool return_sequences = false, go_backwards = false;
};
/// Loops a cell over sequences. A cell is a tree that is called with an array and a state, `std::pair(output, state) =
/// cell(x, state)`, and has `initial_state(Dim batch)`; a state is a tree of arrays whose first axis is the batch.
template <class C>
class RNN : public Layer {
public:
  using StateType = std::decay_t<decltype(std::declval<const C &>().initial_state(Dim(1)))>;
  explicit RNN(C cell, const RNNOptions &options = {}) : cell_(std::move(cell)), options_(options) {}

  /// (batch, time, ...) to the last output of the cell, or with `return_sequences` to all outputs, (batch, time, ...).
  /// A step that the mask, (batch, time), says false for changes neither the state nor the output.
  Array operator()(const Operand &x, const CallOptions &options = {}, Location at = Location::current()) const {
    const tenon::detail::CallingLayer calling(*this, options.training, at);
    const Array input = calling.array(x);
    return calling.returns(output_of(input, options.mask));
  }
  StateType initial_state(Dim batch) const { return cell_.initial_state(batch); }
  /// The outputs of all steps and the last state.
  Unrolled<StateType> run(const Operand &x, const StateType &state, const CallOptions &options = {},
                          Location at = Location::current()) const {
    const tenon::detail::CallingLayer calling(*this, options.training, at);
    auto all = walk(tenon::detail::loop_inputs(*this, calling.array(x), options.mask), state, at);
    return {calling.returns(ordered(all.second)), std::move(all.first)};
  }
  const C &cell() const { return cell_; }

  Array call(const Array &x) const override { return output_of(x, {}); }
  void fields(Fields &f) override { f("cell", cell_); }

private:
  Array output_of(const Array &x, const Array &mask) const {
    const auto inputs = tenon::detail::loop_inputs(*this, x, mask);
    const Array ys = walk(inputs, cell_.initial_state(x.shape()[0]), {}).second;
    return options_.return_sequences ? ordered(ys) : ys[options_.go_backwards ? 0 : -1];
  }
  /// (time, batch, ...) as (batch, time, ...), in the order of reading.
  Array ordered(const Array &ys) const { return swapaxes(options_.go_backwards ? flip(ys, 0) : ys, 0, 1); }
  std::pair<StateType, Array> walk(const tenon::detail::LoopInputs &inputs, const StateType &start, Location at) const {
    const ScanOptions loop{.reverse = options_.go_backwards};
    if (!inputs.mask.has_value()) {
      auto step = [&](const StateType &state, const Array &now) {
        auto [y, next] = cell_(now, state);
        return std::pair<StateType, Array>(next, y);
      };
      return scan(step, start, inputs.x, loop, at);
    }
    // An output before the first step, of the right type.
    const Array zero = zeros_like(cell_(inputs.x[0], start).first);
    using Carry = std::pair<StateType, Array>;
    auto step = [&](const Carry &before, const std::pair<Array, Array> &now) {
      auto [output, next] = cell_(now.first, before.first);
      auto choose = [&](const Array &x1, const Array &x2) { return tenon::detail::where_of_batch(now.second, x1, x2); };
      const Array y = choose(output, before.second);
      return std::pair<Carry, Array>(Carry(tree_map(choose, next, before.first), y), y);
    };
    auto [last, ys] = scan(step, Carry(start, zero), std::pair(inputs.x, inputs.mask), loop, at);
    return {std::move(last.first), std::move(ys)};
  }
  C cell_;
  RNNOptions options_;
};

} // namespace nn
} // namespace tenon

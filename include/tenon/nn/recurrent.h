//===- recurrent.h - layers over sequences ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences are (batch, time, features). A recurrent layer returns its last output, or all of them:
//
//   nn::LSTM lstm{256, {.return_sequences = true}};
//   tn::Array y = lstm(x);                                // (batch, time, 256)
//   auto [outputs, state] = lstm.run(x, state);           // what Keras returns with return_state
//   state = lstm.step(character, state);                  // one step: (batch, features); the output is state.h
//
// A mask is an array of bools, (batch, time): `lstm(x, {.mask = mask})`. A step that is false leaves the state as it
// is, and its output is that of the step before. So the last output of a sequence that is padded at its end is that of
// its last true step.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/calling.h>
#include <tenon/nn/model.h>

namespace tenon {
namespace nn {

/// The states of recurrent layers: trees of arrays, each (batch, units). h is the output of the step as well.
struct SimpleRNNState {
  Array h;
};
struct LSTMState {
  Array h, c;
};
struct GRUState {
  Array h;
};
/// The outputs of all steps, (batch, time, units), and the state after the last one.
template <class S>
struct Unrolled {
  Array outputs;
  S state;
};

/// In Keras' order, as those of LSTM and GRU.
struct SimpleRNNOptions {
  Activation activation = tanh;
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform(), recurrent_initializer = orthogonal(), bias_initializer = zeros();
  /// In training, the share of the features of x, and of the state where it enters the product, that are set to 0: the
  /// same ones in all steps of a call and for all gates (Gal and Ghahramani, 2016).
  double dropout = 0, recurrent_dropout = 0;
  /// Of dropout. Left out: keys from the default generator, which tn::set_seed starts anew.
  std::optional<uint64_t> seed = {};
  /// Whether the layer returns the outputs of all steps, not that of the last one alone.
  bool return_sequences = false;
  /// Reads sequences from the last step to the first; outputs are in the order of reading.
  bool go_backwards = false;
};
struct LSTMOptions {
  Activation activation = tanh, recurrent_activation = sigmoid;
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform(), recurrent_initializer = orthogonal(), bias_initializer = zeros();
  /// Whether the bias of the forget gate starts at 1 (Jozefowicz et al., 2015).
  bool unit_forget_bias = true;
  double dropout = 0, recurrent_dropout = 0;
  std::optional<uint64_t> seed = {};
  bool return_sequences = false, go_backwards = false;
};
struct GRUOptions {
  Activation activation = tanh, recurrent_activation = sigmoid;
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform(), recurrent_initializer = orthogonal(), bias_initializer = zeros();
  double dropout = 0, recurrent_dropout = 0;
  std::optional<uint64_t> seed = {};
  bool return_sequences = false, go_backwards = false;
  /// Applies the reset gate after the product with the recurrent kernel, as cuDNN and PyTorch do, instead of before.
  bool reset_after = true;
};
} // namespace nn

namespace detail {
/// What all recurrent layers are told.
struct RecurrentConfig {
  int64_t units = 0;
  int64_t gates = 1;
  /// How many arrays the state is.
  size_t states = 1;
  nn::Activation activation = tanh, recurrent_activation = sigmoid;
  bool use_bias = true;
  nn::Initializer kernel_initializer = nn::glorot_uniform(), recurrent_initializer = nn::orthogonal(),
                  bias_initializer = nn::zeros();
  bool unit_forget_bias = false;
  double dropout = 0, recurrent_dropout = 0;
  std::optional<uint64_t> seed = {};
  bool return_sequences = false, go_backwards = false;
  bool reset_after = false;
};
/// The weights of a recurrent layer as a loop reads them.
struct RecurrentWeights {
  Array kernel, recurrent;
  /// Empty: none. The second one is that of the product with the state, of a GRU with `reset_after`.
  Array bias, recurrent_bias;
};
} // namespace detail

namespace nn {

/// The base of SimpleRNN, LSTM and GRU.
class Recurrent : public Layer {
public:
  /// (batch, time, features) to (batch, units), or with `return_sequences` to (batch, time, units); from a state of
  /// zeros. `options.mask`: (batch, time) of bools.
  Array operator()(const Operand &x, const CallOptions &options = {}, Location at = Location::current()) const;

  int64_t units() const { return config_.units; }
  bool return_sequences() const { return config_.return_sequences; }
  bool go_backwards() const { return config_.go_backwards; }
  /// (features, gates * units).
  Variable kernel() const { return kernel_; }
  /// (units, gates * units).
  Variable recurrent_kernel() const { return recurrent_; }
  /// (gates * units), or (2, gates * units) of a GRU with `reset_after`: of the inputs, and of the state.
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

  /// Internal: the arrays of a state.
  using StateArrays = std::vector<Array>;
  /// Internal: how to go through sequences.
  struct Walk {
    /// From the last step to the first.
    bool backwards = false;
    /// Whether to return the outputs of all steps, in the order of x.
    bool sequences = false;
  };
  /// Internal: the outputs of all steps, or that of the last one, and the last state. An empty state: zeros.
  std::pair<Array, StateArrays> walk(const Array &x, StateArrays state, const Array &mask, const Walk &how) const;
  StateArrays zero_state(Dim batch, Dtype dtype = Dtype::f32, Location at = Location::current()) const;

protected:
  Recurrent(const char *name, tenon::detail::RecurrentConfig config, Location at);
  std::pair<Array, StateArrays> run_arrays(const Operand &x, StateArrays state, const CallOptions &options,
                                           Location at) const;
  StateArrays step_arrays(const Operand &x, StateArrays state, Location at) const;
  /// The state after a step, given the products of x with the kernel and what the recurrent kernel multiplies.
  virtual StateArrays next(const StateArrays &state, const Array &ofX, const Array &factor,
                           const tenon::detail::RecurrentWeights &weights) const = 0;

  tenon::detail::RecurrentConfig config_;

private:
  Array outputs_of(const Array &x, const Array &mask) const;
  void give_state(StateArrays &state, Dim batch, Dtype dtype) const;
  Key next_key() const;

  Weight kernel_, recurrent_, bias_;
  /// The key of the next call, of one with a seed.
  State key_;
};

/// A recurrent layer with a state of type S.
template <class S>
class RecurrentOf : public Recurrent {
public:
  using StateType = S;
  /// Zeros.
  S initial_state(Dim batch, Location at = Location::current()) const { return pack(zero_state(batch, f32, at)); }
  /// The outputs of all steps, whatever `return_sequences` says, and the last state.
  Unrolled<S> run(const Operand &x, const S &state, const CallOptions &options = {},
                  Location at = Location::current()) const {
    auto [outputs, last] = run_arrays(x, unpack(state), options, at);
    return {std::move(outputs), pack(last)};
  }
  /// One step, x (batch, features), without dropout: the state after it, whose h is the output.
  S step(const Operand &x, const S &state, Location at = Location::current()) const {
    return pack(step_arrays(x, unpack(state), at));
  }

  /// Internal.
  static S pack(const StateArrays &all) {
    if constexpr (requires(S &state) { state.c; })
      return {all[0], all[1]};
    else
      return {all[0]};
  }
  static StateArrays unpack(const S &state) {
    if constexpr (requires { state.c; })
      return {state.h, state.c};
    else
      return {state.h};
  }

protected:
  using Recurrent::Recurrent;
};

/// A fully connected recurrent layer: `h = activation(x @ kernel + h @ recurrent_kernel + bias)` (Elman, 1990).
class SimpleRNN : public RecurrentOf<SimpleRNNState> {
public:
  using Options = SimpleRNNOptions;
  explicit SimpleRNN(int64_t units, const SimpleRNNOptions &options = {}, Location at = Location::current());

protected:
  StateArrays next(const StateArrays &state, const Array &ofX, const Array &factor,
                   const tenon::detail::RecurrentWeights &weights) const override;
};

/// Long short-term memory (Hochreiter and Schmidhuber, 1997): with the gates i, f, g, o, in this order in the kernels,
/// `c = f * c + i * g` and `h = o * activation(c)`; g has `activation`, the others `recurrent_activation`.
class LSTM : public RecurrentOf<LSTMState> {
public:
  using Options = LSTMOptions;
  explicit LSTM(int64_t units, const LSTMOptions &options = {}, Location at = Location::current());

protected:
  StateArrays next(const StateArrays &state, const Array &ofX, const Array &factor,
                   const tenon::detail::RecurrentWeights &weights) const override;
};

/// A gated recurrent unit (Cho et al., 2014): with the gates z, r, n, in this order in the kernels,
/// `h = z * h + (1 - z) * n`; n has `activation`, the others `recurrent_activation`.
class GRU : public RecurrentOf<GRUState> {
public:
  using Options = GRUOptions;
  explicit GRU(int64_t units, const GRUOptions &options = {}, Location at = Location::current());

protected:
  StateArrays next(const StateArrays &state, const Array &ofX, const Array &factor,
                   const tenon::detail::RecurrentWeights &weights) const override;
};

//===----------------------------------------------------------------------===//
// Layers around layers
//===----------------------------------------------------------------------===//

/// How Bidirectional joins the outputs of both directions.
enum class MergeMode : uint8_t { concat, sum, mul, ave };
struct BidirectionalOptions {
  MergeMode merge_mode = MergeMode::concat;
};
} // namespace nn

namespace detail {
/// What Bidirectional computes of two layers.
struct BothDirections {
  Array outputs;
  nn::Recurrent::StateArrays forward, backward;
};
BothDirections run_both(const nn::Layer &layer, const nn::Recurrent &forward, const nn::Recurrent &backward,
                        nn::MergeMode merge, const Operand &x, nn::Recurrent::StateArrays first,
                        nn::Recurrent::StateArrays second, const nn::CallOptions &options, bool sequences, Location at);
/// (batch, time, ...) as (batch * time, ...), and the way back.
Array joined_steps(const nn::Layer &layer, const Array &x);
Array separate_steps(const Array &y, const Array &x);
/// The axes of a mask behind (batch, time), for each step; empty if there are none.
Array mask_of_steps(const nn::Layer &layer, const Array &x, const Array &mask);
} // namespace detail

namespace nn {

/// Runs a recurrent layer over sequences, a clone of it over the same sequences from their end, and joins the outputs
/// of the same step (Schuster and Paliwal, 1997): `nn::Bidirectional{nn::LSTM{64, {.return_sequences = true}}}`.
/// Without `return_sequences` it joins the last outputs of both.
template <class L>
class Bidirectional : public Layer {
  static_assert(std::is_base_of_v<Recurrent, L>, "nn::Bidirectional takes a SimpleRNN, LSTM or GRU");
  using S = typename L::StateType;

public:
  using StateType = std::pair<S, S>;
  explicit Bidirectional(L layer, const BidirectionalOptions &options = {})
      : forward_(std::move(layer)), backward_(clone(forward_)), options_(options) {}

  /// (batch, time, features) to (batch, time, outputs), or without `return_sequences` to (batch, outputs).
  Array operator()(const Operand &x, const CallOptions &options = {}, Location at = Location::current()) const {
    return both(x, {}, {}, options, forward_.return_sequences(), at).outputs;
  }
  StateType initial_state(Dim batch, Location at = Location::current()) const {
    return {forward_.initial_state(batch, at), backward_.initial_state(batch, at)};
  }
  /// The outputs of all steps and the last states of both directions.
  Unrolled<StateType> run(const Operand &x, const StateType &state, const CallOptions &options = {},
                          Location at = Location::current()) const {
    const tenon::detail::BothDirections all =
        both(x, L::unpack(state.first), L::unpack(state.second), options, true, at);
    return {all.outputs, {L::pack(all.forward), L::pack(all.backward)}};
  }
  const L &forward() const { return forward_; }
  const L &backward() const { return backward_; }

  Array call(const Array &x) const override { return both(x, {}, {}, {}, forward_.return_sequences(), {}).outputs; }
  void fields(Fields &f) override { f("forward", forward_)("backward", backward_); }

private:
  tenon::detail::BothDirections both(const Operand &x, Recurrent::StateArrays first, Recurrent::StateArrays second,
                                     const CallOptions &options, bool sequences, Location at) const {
    return tenon::detail::run_both(*this, forward_, backward_, options_.merge_mode, x, std::move(first),
                                   std::move(second), options, sequences, at);
  }
  L forward_, backward_;
  BidirectionalOptions options_;
};

/// Calls a layer with each step of the sequences: (batch, time, ...) to (batch, time, ...). The steps are one batch for
/// the layer, which is `layer` in paths.
template <AnyLayerType L>
class TimeDistributed : public Layer {
public:
  explicit TimeDistributed(L layer) : layer_(std::move(layer)) {}

  /// A mask begins with (batch, time); its further axes, if it has any, go to the layer: it says which steps of inner
  /// sequences count.
  Array operator()(const Operand &x, const CallOptions &options = {}, Location at = Location::current()) const {
    const tenon::detail::CallingLayer calling(*this, options.training, at);
    return calling.returns(distribute(calling.array(x), options.mask, at));
  }
  const L &layer() const { return layer_; }

  Array call(const Array &x) const override { return distribute(x, {}, {}); }
  void fields(Fields &f) override {
    if constexpr (tenon::detail::is_tree<L>() && !std::is_empty_v<L>)
      f("layer", layer_);
  }

private:
  Array distribute(const Array &x, const Array &mask, [[maybe_unused]] Location at) const {
    const Array inner = tenon::detail::mask_of_steps(*this, x, mask), steps = tenon::detail::joined_steps(*this, x);
    if constexpr (std::is_invocable_r_v<Array, const L &, const Array &, const CallOptions &, Location>)
      return tenon::detail::separate_steps(layer_(steps, CallOptions{.mask = inner}, at), x);
    else
      return tenon::detail::separate_steps(layer_(steps), x);
  }
  L layer_;
};

} // namespace nn
} // namespace tenon

//===- Recurrent.td - recurrent layers and products of two features ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_RECURRENT_COMPOSITES
#define TENON_RECURRENT_COMPOSITES

include "Modes.td"

defvar recurrentShapes = [{Shapes, with 1 gate in rnn, 3 in gru and 4 in lstm: x (steps, batch, inputs), W (directions, gates * hidden, inputs), R (directions, gates *
    hidden, hidden), B (directions, 2 * gates * hidden): the biases of W, then those of R. `Y` (steps, directions, batch,
    hidden) holds the state after each step, in the order of x also if that is read in reverse, and `Y_h`
    (directions, batch, hidden) the final state. With `layout` 1 the batch is the first axis of x, Y, Y_h and the initial
    states, as in ONNX. Y is 0 after the end of a sequence, and Y_h is the state at that end; in reverse, a sequence starts
    at its own last step. Under jit a length above the number of steps means all of them, a negative one means 0. There is
    one layer, the activations are ONNX's defaults, and nothing is clipped. f16 and bf16 are computed in f32 and rounded
    once.}];
defvar recurrentInputs = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"W", "operand", "", "Weights of x.">,
    Tenon_Parameter<"R", "operand", "", "Weights of the state.">, Tenon_Parameter<"B", "operand", "none", "Biases; default: 0.">,
    Tenon_Parameter<"sequence_lens", "operand", "none", "Integers: the number of steps of each sequence of the batch; default: all.">,
    Tenon_Parameter<"initial_h", "operand", "none", "The state before the first step, of the shape of Y_h; default: 0.">];
defvar recurrentDirection = Tenon_Parameter<"direction", "RecurrentDirection", "forward", "The order in which a sequence is read.">;
defvar recurrentLayout = Tenon_Parameter<"layout", "int", "0", "1: the batch is the first axis.">;

class Tenon_Recurrent<string name> : Tenon_Composite<name> {
  let category = "neural";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$W, Tenon_Tensor:$R);
  let isByName = 1;
  let referenceUlp = 64;
}
def Tenon_Rnn : Tenon_Recurrent<"rnn"> {
  let summary = "Recurrent layer, as ONNX's RNN: `h = tanh(x W^T + h R^T + bW + bR)` at each step, bW and bR the halves of B.";
  let description = recurrentShapes;
  let example = "auto [Y, Y_h] = rnn(x, W, R, {.B = b, .direction = RecurrentDirection::bidirectional});";
  let parameters = !listconcat(recurrentInputs, [recurrentDirection, recurrentLayout]);
  let options = "RnnOptions";
  let returns = "RnnResult";
}
def Tenon_Gru : Tenon_Recurrent<"gru"> {
  let summary = "Gated recurrent unit, as ONNX's GRU: `h = (1 - z) * n + z * h` at each step, with gates z and r.";
  let description = !strconcat([{Gate order z, r, n: `z = sigmoid(x Wz^T + h Rz^T + bWz + bRz)` (bW and bR are the halves of B), `r`
    likewise, and `n = tanh(x Wn^T + (r * h) Rn^T + bWn + bRn)`. With `linear_before_reset`, `n = tanh(x Wn^T + bWn + r * (h Rn^T + bRn))`, as
    in PyTorch, whose gate order is r, z, n. }], recurrentShapes);
  let example = "auto [Y, Y_h] = gru(x, W, R, {.B = b, .linear_before_reset = true});";
  let parameters = !listconcat(recurrentInputs, [recurrentDirection, recurrentLayout,
    Tenon_Parameter<"linear_before_reset", "bool", "false", "Applies r after the product with R instead of before.">]);
  let options = "GruOptions";
  let returns = "GruResult";
}
def Tenon_Lstm : Tenon_Recurrent<"lstm"> {
  let summary = "Long short-term memory, as ONNX's LSTM: `c = f * c + i * g` and `h = o * tanh(c)` at each step, with gates i, o, f.";
  let description = !strconcat([{Gate order i, o, f, g: `i = sigmoid(x Wi^T + h Ri^T + bWi + bRi)` (bW and bR are the halves of B),
    `o` and `f` likewise, `g = tanh(x Wg^T + h Rg^T + bWg + bRg)`. PyTorch's order is i, f, g, o. P (directions, 3 *
    hidden) holds peephole weights of c in the order i, o, f; i and f use the previous c, o the new one. `Y_c` has the shape of Y_h. }],
    recurrentShapes);
  let example = "auto [Y, Y_h, Y_c] = lstm(x, W, R, {.B = b, .sequence_lens = lengths});";
  let parameters = !listconcat(recurrentInputs, [
    Tenon_Parameter<"initial_c", "operand", "none", "The c before the first step, of the shape of Y_c; default: 0.">,
    Tenon_Parameter<"P", "operand", "none", "Weights of c in the gates; default: 0.">, recurrentDirection, recurrentLayout]);
  let options = "LstmOptions";
  let returns = "LstmResult";
}

def Tenon_Bilinear : Tenon_Composite<"bilinear"> {
  let category = "neural";
  let summary = "Bilinear layer, `y[k] = x1 weight[k] x2^T + bias[k]`, as torch.nn.functional.bilinear.";
  let description = [{x1 (batch..., m), x2 (batch..., n) and weight (features, m, n) give (batch..., features). f16 and bf16
    are computed in f32 and rounded once. Integers become f32.}];
  let example = "Array y = bilinear(x1, x2, weight, {.bias = b});";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2, Tenon_Tensor:$weight);
  let isByName = 1;
  let parameters = [
    Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">, Tenon_Parameter<"weight", "operand">,
    Tenon_Parameter<"bias", "operand", "none", "One element for each feature; default: 0.">];
  let options = "BilinearOptions";
  let referenceUlp = 16;
}

#endif // TENON_RECURRENT_COMPOSITES

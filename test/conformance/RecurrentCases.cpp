//===- RecurrentCases.cpp - recurrent layers, bilinear, quantization ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Calls.h"

#include <tenon/ops.h>

namespace tenon::conformance {

//===----------------------------------------------------------------------===//
// Recurrent layers
//===----------------------------------------------------------------------===//

/// One call; the initial state is the last input, which has biases before it.
struct Recurrence {
  int64_t steps, batch, inputs, hidden;
  RecurrentDirection direction = RecurrentDirection::forward;
  int layout = 0;
  bool hasB = false, hasState = false;
  std::vector<int> lens = {};
  /// Of gru: linear_before_reset; of lstm: peepholes, which are the first biases.
  bool isOther = false;

  int64_t directions() const { return direction == RecurrentDirection::bidirectional ? 2 : 1; }
  Array lengths() const { return lens.empty() ? Array() : Array(lens); }
};

using Recurrent = std::vector<Array> (*)(List x, const Recurrence &of);

static Array given(List x, size_t i) { return i < x.size() ? x[i] : Array(); }

static std::vector<Array> rnnOf(List x, const Recurrence &of) {
  const auto [Y, Y_h] = rnn(x[0], x[1], x[2],
                            {.B = given(x, 3),
                             .sequence_lens = of.lengths(),
                             .initial_h = given(x, 4),
                             .direction = of.direction,
                             .layout = of.layout});
  return {Y, Y_h};
}
static std::vector<Array> gruOf(List x, const Recurrence &of) {
  const auto [Y, Y_h] = gru(x[0], x[1], x[2],
                            {.B = given(x, 3),
                             .sequence_lens = of.lengths(),
                             .initial_h = given(x, 4),
                             .direction = of.direction,
                             .layout = of.layout,
                             .linear_before_reset = of.isOther});
  return {Y, Y_h};
}
static std::vector<Array> lstmOf(List x, const Recurrence &of) {
  const Array h = given(x, 4), B = given(x, 3);
  const auto [Y, Y_h, Y_c] = lstm(x[0], x[1], x[2],
                                  {.B = B,
                                   .sequence_lens = of.lengths(),
                                   .initial_h = h,
                                   .initial_c = h.has_value() ? h / 2 : Array(),
                                   .P = of.isOther ? split(B, {3 * of.hidden, 5 * of.hidden}, 1)[0] : Array(),
                                   .direction = of.direction,
                                   .layout = of.layout});
  return {Y, Y_h, Y_c};
}

static std::string textOf(const Recurrence &of, bool isLstm) {
  std::string text = format("\"layout\": {}, \"direction\": \"{}\", \"hasB\": {}, \"hasState\": {}, \"{}\": {}",
                            of.layout, name(of.direction), of.hasB ? "true" : "false", of.hasState ? "true" : "false",
                            isLstm ? "hasP" : "linear_before_reset", of.isOther ? "true" : "false");
  if (of.lens.empty())
    return text;
  text += ", \"lens\": [";
  for (const int length : of.lens)
    text += (text.back() == '[' ? "" : ", ") + std::to_string(length);
  return text + "]";
}

template <Recurrent layer, int gates>
static void recurrences(CaseList &list) {
  const Dtype t = list.dtype();
  const auto add = [&](std::string label, const Recurrence &of, bool isForAll) {
    const int64_t d = of.directions(), rows = gates * of.hidden;
    std::vector<Input> inputs{
        {t, of.layout == 1 ? Dims{of.batch, of.steps, of.inputs} : Dims{of.steps, of.batch, of.inputs}},
        {t, {d, rows, of.inputs}, Fill::unit},
        {t, {d, rows, of.hidden}, Fill::unit}};
    if (of.hasB)
      inputs.push_back({t, {d, 2 * rows}, Fill::unit});
    if (of.hasState)
      inputs.push_back({t, of.layout == 1 ? Dims{of.batch, d, of.hidden} : Dims{d, of.batch, of.hidden}, Fill::unit});
    list.plain(
            std::move(label), std::move(inputs), [of](List x) { return layer(x, of); }, textOf(of, gates == 4))
        .allColumns = isForAll;
  };
  constexpr RecurrentDirection reverse = RecurrentDirection::reverse, both = RecurrentDirection::bidirectional;
  // Derivatives of high order of bf16 are too coarse.
  const bool isFine = t != Dtype::bf16;
  add("2 steps", {2, 1, 1, 1}, isFine);
  add("reverse, with biases", {2, 2, 1, 1, reverse, 0, true, true, {2, 1}, true}, isFine);
  add("bidirectional, with lengths", {4, 3, 2, 2, both, 0, true, true, {4, 2, 0}, true}, false);
  add("batch first", {3, 2, 3, 2, both, 1, true, true, {}, false}, false);
  add("batch first with lengths", {3, 2, 3, 2, reverse, 1, true, false, {1, 3}, false}, false);
  add("wide", {5, 7, 33, 20, RecurrentDirection::forward, 0, true, true}, false);
  add("no steps", {0, 2, 3, 2, both, 0, true, true}, false);
  add("no batch", {2, 0, 3, 2}, false);
}

//===----------------------------------------------------------------------===//
// Products and integers
//===----------------------------------------------------------------------===//

static void bilinears(CaseList &list) {
  const auto f = [](List x) { return bilinear(x[0], x[1], x[2], {.bias = given(x, 3)}); };
  several(list, "3 and 2", {{3}, {2}, {2, 3, 2}}, "", f);
  several(list, "2x2 and 2x3 with a bias", {{2, 2}, {2, 3}, {2, 2, 3}, {2}}, "", f);
  const Dtype t = list.dtype();
  list.plain("40 by 50", {{t, {3, 40}}, {t, {3, 50}}, {t, {6, 40, 50}}, {t, {6}}},
             [f](List x) { return std::vector{f(x)}; });
  list.plain("no elements", {{t, {2, 0}}, {t, {2, 3}}, {t, {4, 0, 3}}}, [f](List x) { return std::vector{f(x)}; });
}

static void quantized(CaseList &list) {
  const Dtype t = list.dtype(), scale = kind(t) == Kind::floating ? t : Dtype::f32;
  const auto add = [&](std::string label, Input x, Dims scales, Dtype to, bool hasZero, int axis) {
    std::vector<Input> inputs{std::move(x), {scale, scales, Fill::positive}};
    if (hasZero)
      inputs.push_back({to, scales, Fill::wide});
    const Function f = [=](List in) {
      return std::vector{quantize_linear(in[0], in[1], {.zero_point = given(in, 2), .axis = axis, .dtype = to})};
    };
    list.plain(std::move(label), std::move(inputs), f, format("\"to\": \"{}\", \"axis\": {}", short_name(to), axis));
  };
  add("u8", {t, {7, 5}}, {}, Dtype::u8, false, 0);
  add("i8 with a zero point", {t, {7, 5}, Fill::wide}, {}, Dtype::i8, true, 0);
  add("i16 by columns", {t, {7, 5}, Fill::wide}, {5}, Dtype::i16, true, 1);
  add("u16 by rows, transposed", {t, {7, 5}, Fill::wide, Layout::transposed}, {7}, Dtype::u16, true, 0);
  add("special", {t, {48}, Fill::special}, {}, Dtype::i8, true, 0);
  add("none", {t, {0, 5}}, {5}, Dtype::u8, true, 1);
  // Halves are rounded to even.
  list.plain(
      "halves", {{t, {16}, Fill::normal}},
      [](List x) { return std::vector{quantize_linear(floor(x[0] * 8) + 0.5f, 1, {.dtype = Dtype::i8})}; },
      "\"halves\": true, \"to\": \"i8\"");
}

static void dequantized(CaseList &list) {
  const Dtype t = list.dtype();
  const auto add = [&](std::string label, Dims dims, Dims scales, Dtype scale, bool hasZero, int axis, bool isForAll) {
    std::vector<Input> inputs{{t, std::move(dims), isForAll ? Fill::normal : Fill::wide}, {scale, scales}};
    if (hasZero)
      inputs.push_back({t, scales, isForAll ? Fill::normal : Fill::wide});
    const Function f = [=](List in) {
      return std::vector{dequantize_linear(in[0], in[1], {.zero_point = given(in, 2), .axis = axis})};
    };
    list.plain(std::move(label), std::move(inputs), f, format("\"axis\": {}", axis)).allColumns = isForAll;
  };
  add("f32", {3, 2}, {}, Dtype::f32, false, 0, true);
  add("f32 by columns", {3, 2}, {2}, Dtype::f32, true, 1, true);
  add("f64 by rows", {7, 5}, {7}, Dtype::f64, true, 0, false);
  add("bf16", {7, 5}, {}, Dtype::bf16, true, 0, false);
  add("none", {0, 5}, {5}, Dtype::f32, true, 1, false);
}

static const OpCases table[] = {
    {"rnn", recurrences<rnnOf, 1>}, {"gru", recurrences<gruOf, 3>}, {"lstm", recurrences<lstmOf, 4>},
    {"bilinear", bilinears},        {"quantize_linear", quantized}, {"dequantize_linear", dequantized},
};
std::span<const OpCases> recurrentCases() { return table; }

} // namespace tenon::conformance

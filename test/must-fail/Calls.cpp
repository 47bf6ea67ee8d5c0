//===- Calls.cpp - arguments for calls of every public function ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Calls.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>

namespace tenon::mustfail {

const std::vector<Array> &pool() {
  static const std::vector<Array> arrays = [] {
    const Array f23 = {{0.5f, 2.0f, 1.0f}, {3.0f, 0.25f, 4.0f}};
    return std::vector<Array>{
        f23,
        {1.0f, 2.0f, 3.0f},
        {{0, 2, 1}, {1, 0, 1}},
        astype(Array{0, 1, 1}, i64),
        {{true, false, true}, {false, true, true}},
        Array(1.5f),
        Array{{2.0, 0.5, 0.25}, {1.0, 3.0, 0.5}, {0.5, 1.0, 4.0}},
        // From here on fewer functions take them, or none.
        astype(f23, c64),
        astype(Array{1, 2, 3}, u8),
        astype(Array{1.0f, 2.0f, 3.0f}, bf16),
        astype(Array{1.0f, 2.0f, 3.0f}, f8e4m3fn),
        zeros({4, 5}),
        zeros({0, 3}),
        zeros({2, 1, 3}),
        zeros(Shape(std::vector<int64_t>(16, 1))),
        {-7, 100, INT_MAX},
        {{NAN, INFINITY, -INFINITY}, {0.0f, -0.0f, -1.0f}},
        Array{0ULL, 1ULL << 63, ~0ULL},
        zeros({0, int64_t(1) << 40}),
        zeros({0, int64_t(1) << 31, int64_t(1) << 30}, Dtype::i8),
        to_device(f23, Device::null),
        Array(),
        // What some functions alone take.
        {{0}, {1}, {2}},
        Array(1),
        astype(Array{1, 2}, u32),
        zeros({1, 1, 1, 1}, i32),
        zeros({1, 2, 2}),
        zeros({1, 2, 3}),
        zeros({1, 4}),
        zeros({1}, i32),
        zeros({1, 1, 1, 1, 1}),
        // Only of knownArguments.
        zeros({1, 1, 1}),
        zeros({1, 3, 1}),
        zeros({1, 4, 1}),
    };
  }();
  return arrays;
}

/// How many of them, at the end, are never drawn.
static constexpr size_t undrawn = 3;

namespace {
/// "f32[2, 3] 4": what it is, and which of the pool.
std::string textOf(size_t number) {
  const Array &x = pool()[number];
  if (!x.has_value())
    return "an empty Array";
  return std::string(short_name(x.dtype())) + x.shape().str() + " of the pool's " + std::to_string(number);
}

/// The values for a type of parameters, the ordinary ones first.
struct Values {
  std::vector<Choice> all;
  size_t ordinary = 0;
};

class Builder {
public:
  template <class T>
  Builder &add(std::string text, T value) {
    made_.all.push_back({std::move(text), std::move(value)});
    return *this;
  }
  Builder &leftOut() { return add("left out", std::monostate()); }
  Builder &arrays(std::initializer_list<size_t> numbers) {
    std::string text = "{";
    for (size_t number : numbers)
      text += (text.size() > 1 ? ", " : "") + textOf(number);
    return add(text + "}", Picks{numbers});
  }
  Builder &number(Scalar value) { return add("the number " + value.str(), value); }
  Builder &ints(std::vector<int64_t> values) {
    std::string text = "{";
    for (int64_t value : values)
      text += (text.size() > 1 ? ", " : "") + std::to_string(value);
    return add(text + "}", Ints(values));
  }
  Builder &shape(const Shape &value) { return add(value.str(), value); }
  template <class T>
  Builder &each(std::initializer_list<int64_t> values) {
    for (int64_t value : values)
      add(std::to_string(value), T(value));
    return *this;
  }
  /// What was added until now is ordinary.
  Builder &ordinary() {
    made_.ordinary = made_.all.size();
    return *this;
  }
  Values done() { return std::move(made_); }

private:
  Values made_;
};
} // namespace

static constexpr int64_t tera = int64_t(1) << 40, most = INT64_MAX, least = INT64_MIN;

static Values operands() {
  Builder of;
  for (size_t i = 0; i + undrawn < pool().size(); ++i) {
    of.add(textOf(i), Picks{{i}});
    if (i == 6) {
      of.number(2).number(1.5f).number(true).ordinary();
    }
  }
  for (const Scalar &value :
       {Scalar(-1), Scalar(0), Scalar(NAN), Scalar(-INFINITY), Scalar(1e300), Scalar(~0ULL), Scalar(most),
        Scalar(least), Scalar(complex64_t{1, 2}), Scalar(INT_MAX), Scalar(int64_t(1) << 31)})
    of.number(value);
  return of.leftOut().done();
}

static Values lists() {
  return Builder()
      .arrays({0})
      .arrays({0, 0})
      .arrays({1, 1})
      .arrays({2, 2})
      .arrays({3})
      .arrays({3, 3})
      .arrays({4})
      .arrays({0, 2})
      .arrays({5, 5})
      .ordinary()
      .arrays({})
      .arrays({1, 11})
      .arrays({0, 21})
      .arrays({21})
      .arrays({1, 10})
      .arrays({10, 10})
      .arrays({0, 20})
      .arrays({20})
      .arrays({14})
      .arrays({14, 14, 14})
      .arrays({18, 18})
      .arrays({19, 19})
      .arrays({15, 17})
      .arrays({7, 4})
      .arrays({5, 0, 6})
      .arrays({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
      .done();
}

static Values axes() {
  return Builder()
      .add("left out", Ints())
      .ints({0})
      .ints({-1})
      .ints({1, 0})
      .ints({0, 1})
      .ints({})
      .ints({1})
      .ordinary()
      .ints({0, 0})
      .ints({1, -1})
      .ints({2})
      .ints({-3})
      .ints({most})
      .ints({least})
      .ints({0, 1, 2})
      .ints({-5, 7})
      .ints({tera, 1})
      .ints({INT_MAX})
      .ints({int64_t(1) << 31, 2})
      .ints({-1, most, 2})
      .ints(std::vector<int64_t>(17, 1))
      .ints(std::vector<int64_t>(17, 0))
      .done();
}

static Values shapes() {
  return Builder()
      .shape({})
      .shape({2, 3})
      .shape({3})
      .shape({1})
      .shape({0})
      .shape({1, 2})
      .shape({0, 0})
      .shape({3, 2})
      .ordinary()
      .shape({6})
      .shape({-1})
      .shape({-1, -1})
      .shape({2, -1})
      .shape({0, -1})
      .shape({-2})
      .shape({4, 5})
      .shape({2, 3, 4})
      .shape({tera})
      .shape({most})
      .shape({INT_MAX})
      .shape({int64_t(1) << 31, 2})
      .shape({-tera, 3})
      .shape({int64_t(1) << 31, int64_t(1) << 31, int64_t(1) << 31})
      .shape({0, int64_t(1) << 61, int64_t(1) << 61})
      .shape(Shape(std::vector<int64_t>(16, 1)))
      .shape(Shape(std::vector<int64_t>(16, 1000)))
      .shape({Dim("n")})
      .shape({Dim("n"), 3})
      .done();
}

static Values texts() {
  Builder of;
  of.add("\"{}\"", std::string_view("{}")).ordinary();
  for (const char *text : {"", "2", "{", "}", "{} {}", "{:.3f}", "\xff\n", "...", "ij->ji", "...i,ij->..."})
    of.add("\"" + std::string(text) + "\"", std::string_view(text));
  static const std::string many(4096, 'x');
  return of.add("4096 letters", std::string_view(many)).done();
}

static Values dtypes() {
  Builder of;
  for (Dtype dtype : {f32, i32, Dtype::i64, f64})
    of.add(std::string(short_name(dtype)), dtype);
  of.ordinary();
  for (Dtype dtype : {Dtype::bool_, Dtype::u8, Dtype::bf16, Dtype::c64, Dtype::f8e5m2})
    of.add(std::string(short_name(dtype)), dtype);
  return of.leftOut().done();
}

static Values numbers() {
  Builder of;
  of.number(2).number(0).number(1.5f).number(1).ordinary();
  for (const Scalar &value :
       {Scalar(-1), Scalar(NAN), Scalar(INFINITY), Scalar(1e300), Scalar(true), Scalar(~0ULL), Scalar(most),
        Scalar(least), Scalar(1e-30), Scalar(complex128_t{1, NAN}), Scalar(INT_MAX), Scalar(int64_t(1) << 31)})
    of.number(value);
  return of.leftOut().done();
}

static Values floats() {
  Builder of;
  for (double value : {2.0, 1.0, 0.5})
    of.add(std::to_string(value), value);
  of.ordinary();
  for (double value : {0.0, -1.0, double(NAN), double(INFINITY), -double(INFINITY), 1e308, 5e-324})
    of.add(Scalar(value).str(), value);
  return of.done();
}

static Values paddings() {
  return Builder()
      .add("valid", Padding(PaddingMode::valid))
      .add("same", Padding(PaddingMode::same))
      .add("1", Padding(1))
      .ordinary()
      .add("causal", Padding(PaddingMode::causal))
      .add("same_lower", Padding(PaddingMode::same_lower))
      .add("mode 9", Padding(static_cast<PaddingMode>(9)))
      .add("-1", Padding(-1))
      .add("{1, 0}", Padding{1, 0})
      .add("{{0, 1}, {2, -1}}", Padding{{0, 1}, {2, -1}})
      .add("{}", Padding(std::vector<Padding::Ends>()))
      .add("tera", Padding(tera))
      .add("most", Padding(most))
      .add("least", Padding(least))
      .done();
}

Choices choicesOf(const Parameter &parameter) {
  static const std::map<std::string_view, Values> table = {
      {"operand", operands()},
      {"arrays", lists()},
      {"axes", axes()},
      {"ints", axes()},
      {"shape", shapes()},
      {"padding", paddings()},
      {"axis", Builder().each<Axis>({0, -1, 1}).leftOut().ordinary().each<Axis>({2, -2, -3, 16, most, least}).done()},
      {"size", Builder()
                   .each<Dim>({3, 1, 2, 0})
                   .leftOut()
                   .ordinary()
                   .each<Dim>({-1, tera, most, -tera, INT_MAX, int64_t(1) << 31})
                   .add("n", Dim("n"))
                   .done()},
      {"int",
       Builder().each<int>({1, 0, 2}).ordinary().each<int>({-1, 5, -7, 1000, INT_MIN, INT_MAX, INT_MAX - 1}).done()},
      {"float", floats()},
      {"number", numbers()},
      {"bool", Builder().add("false", false).add("true", true).ordinary().done()},
      {"text", texts()},
      {"enum", Builder().each<int>({0, 1, 2}).ordinary().each<int>({3, 4, 5, 255}).done()},
      {"dtype", dtypes()},
      {"key", Builder()
                  .add("left out", Key())
                  .add("a key", Key{pool()[24]})
                  .ordinary()
                  .add("floats as a key", Key{pool()[1]})
                  .add("keys", Key{astype(zeros({3, 2}), u32)})
                  .done()},
      {"device", Builder()
                     .leftOut()
                     .add("cpu", Device::cpu)
                     .ordinary()
                     .add("null", Device::null)
                     .add("cpu:7", Device{DeviceKind::cpu, 7})
                     .done()},
  };
  const Values &values = table.at(parameter.type);
  Choices choices;
  for (const Choice &choice : values.all)
    if (parameter.mayBeLeftOut || parameter.type == "operand" ||
        !std::holds_alternative<std::monostate>(choice.value)) {
      choices.all.push_back(&choice);
      choices.ordinary += static_cast<size_t>(&choice - values.all.data()) < values.ordinary;
    }
  // Left out, an operand is as ordinary as the others.
  if (parameter.type == "operand" && parameter.mayBeLeftOut) {
    std::ranges::rotate(choices.all, choices.all.end() - 1);
    ++choices.ordinary;
  }
  return choices;
}

std::vector<const Choice *> knownArguments(std::string_view function) {
  const Choice x{"x", Picks{{1}}}, places{"places", Picks{{22}}}, start{"start", Picks{{23}}}, nothing{"left out", {}};
  const Choice none{"{}", Ints(std::vector<int64_t>())}, first{"{0}", Ints(0)}, all{"left out", Ints()};
  const std::vector<Choice> scatter{
      x, places, x, none, first, first, all, all, {"drop", static_cast<int>(IndexMode::drop)}};
  // Images and volumes of one element, for functions over windows.
  const Choice image{"image", Picks{{25}}}, one{"{1}", Ints(1)}, valid{"valid", Padding(PaddingMode::valid)};
  const Choice no{"false", false}, zero{"0", 0}, last{"channels_last", static_cast<int>(DataFormat::channels_last)};
  const std::vector<Choice> maxPool{image, one, all, valid, all, no, last},
      avgPool{image, one, all, valid, no, no, last};
  const std::vector<Choice> unpool{image, image, one, all, valid, {"(,)", Shape()}, last}, adaptive{image, one, last};
  const Choice signal{"signal", Picks{{26}}}, volume{"volume", Picks{{30}}}, group{"1", 1};
  const Choice threeGates{"weights", Picks{{32}}}, fourGates{"weights", Picks{{33}}};
  const auto convolution = [&](const Choice &array) {
    return std::vector<Choice>{array, array, all, valid, all, group, last};
  };
  const auto transposed = [&](const Choice &array) {
    return std::vector<Choice>{array, array, all, valid, all, all, group, last};
  };
  static const std::map<std::string_view, std::vector<Choice>> table = {
      {"conv1d", convolution(signal)},
      {"conv2d", convolution(image)},
      {"conv3d", convolution(volume)},
      {"conv_general", {image, image, all, valid, all, all, group, nothing}},
      {"conv_transpose1d", transposed(signal)},
      {"conv_transpose2d", transposed(image)},
      {"conv_transpose3d", transposed(volume)},
      {"max_pool2d", maxPool},
      {"max_pool3d", maxPool},
      {"max_pool2d_with_indices", maxPool},
      {"max_pool3d_with_indices", maxPool},
      {"avg_pool2d", avgPool},
      {"avg_pool3d", avgPool},
      {"max_unpool1d", unpool},
      {"max_unpool2d", unpool},
      {"max_unpool3d", unpool},
      {"adaptive_avg_pool2d", adaptive},
      {"adaptive_avg_pool3d", adaptive},
      {"adaptive_max_pool2d", adaptive},
      {"adaptive_max_pool3d", adaptive},
      {"unfold", {image, one, all, valid, all, last}},
      {"image_resize", {image, {"(2, 3)", Shape{2, 3}}, zero, zero, no, zero, {"-0.5", -0.5}, nothing, all, nothing}},
      {"grid_sample", {image, {"grid", Picks{{26}}}, zero, zero, no, last}},
      {"depth_to_space", {image, {"1", 1}, zero, last}},
      {"space_to_depth", {image, {"1", 1}, zero, last}},
      {"pixel_shuffle", {image, {"1", 1}, last}},
      {"pixel_unshuffle", {image, {"1", 1}, last}},
      {"affine_grid", {{"theta", Picks{{27}}}, {"(1, 3, 2, 1)", Shape{1, 3, 2, 1}}, no, last}},
      {"roi_align",
       {image,
        {"rois", Picks{{28}}},
        {"batch_indices", Picks{{29}}},
        {"(1, 2)", Shape{1, 2}},
        {"1", 1.0},
        {"2", 2},
        no,
        zero,
        last}},
      {"fold", {image, {"(1, 1)", Shape{1, 1}}, one, all, valid, all, last}},
      {"gather",
       {x,
        places,
        {"(1,)", Shape{1}},
        none,
        first,
        first,
        all,
        all,
        {"clip", static_cast<int>(IndexMode::clip)},
        nothing}},
      {"scatter", scatter},
      {"scatter_add", scatter},
      {"scatter_mul", scatter},
      {"scatter_min", scatter},
      {"scatter_max", scatter},
      {"dynamic_slice", {x, start, {"(2,)", Shape{2}}}},
      {"dynamic_update_slice", {x, x, start}},
      {"trim_zeros", {{"x", Picks{{1}}}, {"both", static_cast<int>(Trim::both)}}},
      {"dsplit", {{"x", Picks{{13}}}, {"1", 1}}},
      {"scaled_dot_product_attention",
       {{"q", Picks{{13}}},
        {"k", Picks{{13}}},
        {"v", Picks{{13}}},
        nothing,
        nothing,
        {"causal", true},
        nothing,
        all,
        nothing,
        {"0", 0.0},
        {"left out", Key()}}},
      {"histogram2d", {x, x, {"2", Scalar(2)}, {"2", Scalar(2)}, nothing, nothing, nothing, no}},
      {"cumulative_trapezoid", {x, nothing, {"0.5", 0.5}, {"-1", Axis(-1)}, nothing}},
      {"group_norm", {{"x", Picks{{0}}}, {"1", 1}, {"1", Scalar(1)}, {"0", Scalar(0)}, {"0.5", 0.5}, {"-1", Axis(-1)}}},
      {"instance_norm", {{"x", Picks{{13}}}, {"1", Scalar(1)}, {"0", Scalar(0)}, {"0.5", 0.5}, {"-1", Axis(-1)}}},
      {"nll_loss", {x, {"2", Scalar(2)}, nothing, {"0", 0}, {"mean", 0}, {"-1", Axis(-1)}}},
      {"cross_entropy", {x, {"2", Scalar(2)}, nothing, {"0", 0}, {"mean", 0}, {"0", 0.0}, {"-1", Axis(-1)}}},
      {"bilinear", {signal, signal, signal, nothing}},
      {"rnn", {signal, signal, signal, nothing, nothing, nothing, zero, zero}},
      {"gru", {{"x", Picks{{31}}}, threeGates, threeGates, nothing, nothing, nothing, zero, zero, no}},
      {"lstm", {{"x", Picks{{31}}}, fourGates, fourGates, nothing, nothing, nothing, nothing, nothing, zero, zero}},
      {"quantize_linear", {{"x", Picks{{0}}}, {"2", Scalar(2)}, nothing, {"0", Axis(0)}, nothing}},
      {"einsum", {{"\"...\"", std::string_view("...")}, {"{x}", Picks{{1}}}, nothing}},
      {"bits", {{"key", Picks{{24}}}, {"(3,)", Shape{3}}, {"1", 1}, nothing}},
  };
  std::vector<const Choice *> chosen;
  if (auto found = table.find(function); found != table.end())
    for (const Choice &choice : found->second)
      chosen.push_back(&choice);
  return chosen;
}

static const Function table[] = {
#include "test/must-fail/Calls.gen.inc"
};
std::span<const Function> functions() { return table; }

} // namespace tenon::mustfail

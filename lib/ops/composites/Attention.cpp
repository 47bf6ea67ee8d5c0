//===- Attention.cpp - scaled dot product attention --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Attention.h"

#include "dialect/model/Shape.h"
#include "lib/ops/Composite.h"
#include "lib/ops/composites/Composites.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

static constexpr const char *function = "scaled_dot_product_attention";

[[noreturn]] static void refuseAttention(const std::string &problem, Location at) { refuse(function, problem, at); }

static std::string shapesOf(const Array &q, const Array &k, const Array &v) {
  return q.shape().str() + ", " + k.shape().str() + " and " + v.shape().str();
}

namespace {
/// q, k and v of one dtype whose sizes fit, and what follows from them.
struct Heads {
  Array q, k, v;
  /// Of the scores: (batch..., heads, length, keys).
  Shape scores;
  /// How many heads of q each head of k and v serves.
  Dim shared = 1;
  bool isShared = false;

  Heads(Array query, Array key, Array value, Location at)
      : q(std::move(query)), k(std::move(key)), v(std::move(value)) {
    const int rank = q.ndim();
    if (rank < 3 || k.ndim() != rank || v.ndim() != rank)
      refuseAttention(
          "expected q, k and v of one rank, 3 or more: (batch..., heads, length, width), got " + shapesOf(q, k, v), at);
    bool doFit = areEqual(q, k, -1) && areEqual(k, v, -2) && areEqual(k, v, -3);
    for (int axis = 0; axis < rank - 3; ++axis)
      doFit = doFit && areEqual(q, k, axis) && areEqual(k, v, axis);
    if (!doFit)
      refuseAttention("expected q (batch..., heads, length, width), k (batch..., kv_heads, keys, width) and v "
                      "(batch..., kv_heads, keys, values), got " +
                          shapesOf(q, k, v),
                      at);
    const Dim heads = q.shape()[-3], groups = k.shape()[-3];
    isShared = provably_equal(heads, groups) != Always::yes;
    if (isShared && groups.is_static() && groups.raw() == 1) {
      shared = heads;
    } else if (isShared) {
      if (!heads.is_static() || !groups.is_static() || groups.raw() == 0 || heads.raw() % groups.raw() != 0)
        refuseAttention("expected heads of q that are a multiple of those of k and v, got " + heads.str() + " and " +
                            groups.str(),
                        at);
      shared = heads.raw() / groups.raw();
    }
    scores = q.shape();
    scores.at(rank - 1) = k.shape()[-2];
  }

  /// x (batch..., heads, length, n) as (batch..., kv_heads, shared * length, n), so that k and v need no copies.
  Array grouped(const Array &x) const {
    if (!isShared)
      return x;
    Shape shape = x.shape();
    shape.at(x.ndim() - 3) = k.shape()[-3];
    shape.at(x.ndim() - 2) = x.shape()[-2] * shared;
    return reshape(x, shape);
  }
  /// The reverse, of a result with `last` elements in a row.
  Array separate(const Array &x, Dim last) const {
    Shape shape = scores;
    shape.at(x.ndim() - 1) = last;
    return isShared ? reshape(x, shape) : x;
  }

private:
  static bool areEqual(const Array &a, const Array &b, int axis) {
    return provably_equal(a.shape()[axis], b.shape()[axis]) == Always::yes;
  }
};
} // namespace

/// The products of matrices, one for each place of the axes before the last two, summed over `axis1` of x1 and `axis2`
/// of x2, -1 or -2.
static Array products(const Array &x1, int axis1, const Array &x2, int axis2, Dtype dtype, Location at) {
  const int64_t first = x1.ndim() + axis1, second = x2.ndim() + axis2;
  std::vector<int64_t> batch(static_cast<size_t>(x1.ndim()) - 2);
  std::iota(batch.begin(), batch.end(), 0);
  return dotGeneral(x1, x2, {{&first, 1}, {&second, 1}, batch, batch}, dtype, at);
}
/// q k^T of each head.
static Array scoresOf(const Heads &heads, Dtype dtype, Location at) {
  return heads.separate(products(heads.grouped(heads.q), -1, heads.k, -1, dtype, at), heads.k.shape()[-2]);
}
/// The sums of v by their weights.
static Array sumsOf(const Heads &heads, const Array &weights, Location at) {
  const Array v = convert(heads.v, weights.dtype(), at);
  return heads.separate(products(heads.grouped(weights), -1, v, -2, weights.dtype(), at), v.shape()[-1]);
}

/// Refuses a mask or bias that does not broadcast to the scores.
static void expectBesideScores(const char *name, const Array &x, const Shape &scores, Location at) {
  Shape both;
  if (!broadcastShapes(x.shape(), scores, both).empty() || provably_equal(both, scores) != Always::yes)
    refuseAttention("expected a " + std::string(name) + " that broadcasts to (batch..., heads, length, keys), " +
                        scores.str() + ", got " + x.shape().str(),
                    at);
}

/// How many keys before and behind its own place a query sees; -1: all.
static std::pair<int64_t, int64_t> boundsOf(const Ints &window, bool isCausal, Location at) {
  std::pair<int64_t, int64_t> bounds{-1, -1};
  if (window.given()) {
    const auto sizes = window.values();
    if (sizes.empty() || sizes.size() > 2 || sizes.front() < -1 || sizes.back() < -1) {
      std::string text;
      for (int64_t size : sizes)
        text += (text.empty() ? "" : ", ") + std::to_string(size);
      refuseAttention("expected a window of one or two numbers >= -1, got {" + text + "}", at);
    }
    // Sums with the number of a key stay in i64.
    constexpr int64_t most = int64_t(1) << 62;
    bounds = {std::min(sizes.front(), most), std::min(sizes.back(), most)};
  }
  if (isCausal)
    bounds.second = 0;
  return bounds;
}

/// Which scores take part, (length, keys); an empty Array: all.
static Array visibleKeys(const Shape &scores, std::pair<int64_t, int64_t> bounds, Device device, Location at) {
  Array visible;
  if (bounds.first < 0 && bounds.second < 0)
    return visible;
  const Array keys = iota(scores[-1], Dtype::i64, device, at);
  const Array queries = reshape(iota(scores[-2], Dtype::i64, device, at), {scores[-2], 1});
  if (bounds.second >= 0)
    visible = bounds.second == 0 ? keys <= queries : keys - bounds.second <= queries;
  if (bounds.first >= 0) {
    const Array isNear = keys + bounds.first >= queries;
    visible = visible.has_value() ? visible && isNear : isNear;
  }
  return visible;
}

/// 1 / sqrt(width), which is known; of no width scores are 0.
static double scaleOf(Dim width) { return width.raw() == 0 ? 1 : 1 / std::sqrt(static_cast<double>(width.raw())); }
/// The same of symbols, with the same bits.
static Array scaleOfSymbols(Dim width, const Array &scores, Location at) {
  return convert(1.0 / sqrt(convert(sizeOf(width, scores.device(), at), Dtype::f64, at)), scores.dtype(), at);
}

/// softmax along the last axis; a row of which all is -inf gives 0, with derivatives 0.
static Array weightsOf(const Array &scores, bool isMasked) {
  if (!isMasked)
    return softmax(scores, -1);
  const int64_t last = scores.ndim() - 1;
  const Array isOut = max(neverEmpty(scores, {&last, 1}, -INFINITY), last, true) == -INFINITY;
  return where(isOut, 0, softmax(where(isOut, 0, scores), -1));
}

namespace {
/// How scores become weights.
struct Weighing {
  std::pair<int64_t, int64_t> bounds;
  /// None: that of a width of symbols.
  std::optional<double> scale;
  /// 0: none.
  double softcap, rate;
};

/// Where operands of attention stand, and their number. Of mask, bias and key, one of rank 0 is none.
enum { ofMask = 3, ofBias, ofKey, operandCount };

/// The weights, and what they are made of.
struct Weights {
  Heads heads;
  Weighing how;
  Array key, capped, weights;

  Weights(std::span<const Array> operands, const Weighing &how, Location at)
      : heads(operands[0], operands[1], operands[2], at), how(how), key(operands[ofKey]) {
    const Array &mask = operands[ofMask], &bias = operands[ofBias];
    Array scores = scoresOf(heads, heads.q.dtype(), at);
    scores = how.scale ? scores * *how.scale : scores * scaleOfSymbols(heads.q.shape()[-1], scores, at);
    if (isCapped()) {
      capped = tanh(scores / how.softcap);
      scores = how.softcap * capped;
    }
    if (bias.ndim() > 0)
      scores = scores + bias;
    Array takesPart = visibleKeys(heads.scores, how.bounds, scores.device(), at);
    if (mask.ndim() > 0)
      takesPart = takesPart.has_value() ? takesPart && mask : mask;
    if (takesPart.has_value())
      scores = where(takesPart, scores, -INFINITY);
    // With `causal` alone, each query sees the first key.
    weights = weightsOf(scores, mask.ndim() > 0 || bias.ndim() > 0 || how.bounds.first >= 0);
  }
  bool isCapped() const { return how.softcap != 0; }

  /// The weights, or their cotangents, of which some are 0.
  Array dropped(const Array &x) const {
    if (how.rate == 0)
      return x;
    if (how.rate == 1)
      return zeros_like(x);
    // Of 2^32 equally likely integers, those below are kept.
    const auto kept = static_cast<uint32_t>(std::min((1 - how.rate) * 0x1p32, 0x1p32 - 1));
    Shape drawn;
    for (int axis = key.ndim() - 1; axis < x.ndim(); ++axis)
      drawn.push_back(x.shape()[axis]);
    return where(random::bits(key, drawn) < kept, x / (1 - how.rate), 0);
  }
};
} // namespace

/// A number that stands for an operand that is not there. Eagerly no kernel runs for it; a trace holds it as an op,
/// since it would take an array as an input.
static Array absent(Dtype dtype, Device device, Location at) {
  return device == Device::cpu && !innermostRecord() ? Array(Scalar(false), dtype) : full({}, false, dtype, device, at);
}

/// One of rank 0 would be none.
static Array present(const Array &x) { return x.ndim() > 0 ? x : reshape(x, {1}); }

Array tenon::detail::scaled_dot_product_attention(const Operand &query, const Operand &key, const Operand &value,
                                                  const Operand &mask, const Operand &bias, bool causal,
                                                  std::optional<double> scale, const Ints &window,
                                                  std::optional<double> softcap, double dropout_rate,
                                                  const Key &dropoutKey) {
  const Location at = query.location();
  DoorScope scope(function, at, {{"q", query}, {"k", key}, {"v", value}});
  for (const Operand *operand : {&query, &key, &value})
    if (operand->is_none())
      throw Error(publicName(function) + ": expected an array, got an empty Array", userLocation(at));
  if (!mask.is_none() && (mask.is_scalar() || mask.value()->dtype() != Dtype::bool_))
    refuseAttention(
        "expected a mask of bools, got " +
            (mask.is_scalar() ? "the number " + mask.scalar().str() : std::string(short_name(mask.value()->dtype()))) +
            "; what is added to the scores is a bias",
        at);
  if (bias.value() && kind(bias.value()->dtype()) != Kind::floating)
    refuseAttention("expected a bias of floats, got " + std::string(short_name(bias.value()->dtype())) +
                        "; what chooses scores is a mask",
                    at);
  if (!(dropout_rate >= 0 && dropout_rate <= 1))
    refuseAttention("expected a dropout_rate in [0, 1], got " + Scalar(dropout_rate).str(), at);
  if (dropout_rate > 0 && !dropoutKey.data.has_value())
    refuseAttention("expected a key, since the dropout_rate is " + Scalar(dropout_rate).str(), at);
  if (softcap && !(*softcap > 0 && std::isfinite(*softcap)))
    refuseAttention("expected a finite softcap > 0, got " + Scalar(*softcap).str(), at);
  if (scale && !std::isfinite(*scale))
    refuseAttention("expected a finite scale, got " + Scalar(*scale).str(), at);
  const std::pair<int64_t, int64_t> bounds = boundsOf(window, causal, at);

  std::vector<Array> all = promoted(function, {&query, &key, &value, &bias});
  const Dtype dtype = floatingDtype(all[0].dtype());
  if (const std::string problem = checkDtype(opInfo(OpCode::exp), dtype); !problem.empty())
    refuseAttention(problem, at);
  for (Array &x : all)
    if (x.has_value())
      x = convert(x, dtype, at);
  const Dtype wide = wideDtype(dtype);
  const Heads heads(all[0], all[1], all[2], at);
  const Dim width = heads.q.shape()[-1];
  if (!scale && width.is_static())
    scale = scaleOf(width);
  const Device device = heads.q.device();
  const Array added = all[3].has_value() ? present(convert(all[3], wide, at)) : absent(wide, device, at);
  if (all[3].has_value())
    expectBesideScores("bias", all[3], heads.scores, at);
  Array masked = absent(Dtype::bool_, device, at);
  if (!mask.is_none()) {
    masked = toArray(mask, OpCode::where);
    expectBesideScores("mask", masked, heads.scores, at);
    masked = present(masked);
  }
  const Array operands[operandCount] = {convert(heads.q, wide, at),
                                        convert(heads.k, wide, at),
                                        convert(heads.v, wide, at),
                                        masked,
                                        added,
                                        dropout_rate > 0 ? dropoutKey.data : absent(Dtype::u32, device, at)};
  if (!scale) {
    const Weights of(operands, {bounds, scale, softcap.value_or(0), dropout_rate}, at);
    return convert(sumsOf(of.heads, of.dropped(of.weights), at), dtype, at);
  }
  const AttentionAttrs attributes{bounds.first, bounds.second, ScalarAttr::floating(*scale),
                                  ScalarAttr::floating(softcap.value_or(0)), ScalarAttr::floating(dropout_rate)};
  return convert(bindComposite(CompositeId::attention,
                               {operands[0].value(), operands[1].value(), operands[2].value(), masked.value(),
                                added.value(), operands[ofKey].value()},
                               Words(attributes), at),
                 dtype, at);
}

//===----------------------------------------------------------------------===//
// The composite
//===----------------------------------------------------------------------===//

/// Of operands and attributes that a saved trace may hold.
static Weights weightsIn(std::span<const Array> operands, AttrWords words, Location at) {
  const auto [left, right, scale, softcap, rate] = AttentionAttrs::read(words);
  const Array &q = operands[0], &mask = operands[ofMask], &bias = operands[ofBias], &key = operands[ofKey];
  if (operands[1].dtype() != q.dtype() || operands[2].dtype() != q.dtype() || bias.dtype() != q.dtype() ||
      mask.dtype() != Dtype::bool_ || key.dtype() != Dtype::u32 || kind(q.dtype()) != Kind::floating)
    throw Error("expected floats of one dtype, a mask of bools and a key");
  if (left < -1 || right < -1 || scale.kind != Kind::floating || softcap.kind != Kind::floating ||
      rate.kind != Kind::floating || !(softcap.asDouble() >= 0) || !(rate.asDouble() >= 0 && rate.asDouble() <= 1) ||
      (rate.asDouble() > 0) != (key.ndim() > 0) || key.ndim() > q.ndim() - 1)
    throw Error("expected bounds >= -1, floats as scale and softcap, and a key where something is dropped");
  for (int axis = 0; axis < key.ndim() - 1; ++axis)
    if (provably_equal(key.shape()[axis], q.shape()[axis]) != Always::yes)
      throw Error("expected keys of the first axes of q");
  Weights of(operands.first(operandCount), {{left, right}, scale.asDouble(), softcap.asDouble(), rate.asDouble()}, at);
  for (const Array *x : {&mask, &bias})
    expectBesideScores("mask or bias", *x, of.heads.scores, at);
  return of;
}

Array tenon::decomposeAttention(std::span<const Array> operands, AttrWords attributes) {
  const Weights of = weightsIn(operands, attributes, {});
  return sumsOf(of.heads, of.dropped(of.weights), {});
}

std::array<Array, 4> detail::attentionGradients(std::span<const Array> operands, AttrWords attributes, Location at) {
  const Weights of = weightsIn(operands, attributes, at);
  const Heads &heads = of.heads;
  const Array &cotangent = operands[operandCount];
  const Dtype dtype = cotangent.dtype();
  Shape result = heads.scores;
  result.at(heads.v.ndim() - 1) = heads.v.shape()[-1];
  if (dtype != heads.q.dtype() || provably_equal(cotangent.shape(), result) != Always::yes)
    throw Error("expected a cotangent of the type of the result");
  const Array rows = heads.grouped(cotangent);
  const Array ofV = products(heads.grouped(of.dropped(of.weights)), -2, rows, -2, dtype, at);
  const Array ofWeights = of.dropped(heads.separate(products(rows, -1, heads.v, -1, dtype, at), heads.k.shape()[-2]));
  const Array ofBiased = of.weights * (ofWeights - sum(of.weights * ofWeights, -1, true));
  Array ofScores = ofBiased;
  if (of.isCapped())
    ofScores = ofScores * (1 - of.capped * of.capped);
  const Array scaled = heads.grouped(ofScores * *of.how.scale);
  const Array ofQ = heads.separate(products(scaled, -1, heads.k, -2, dtype, at), heads.q.shape()[-1]);
  return {ofQ, products(scaled, -2, heads.grouped(heads.q), -2, dtype, at), ofV, ofBiased};
}

std::vector<Array> tenon::decomposeAttentionGradient(std::span<const Array> operands, AttrWords attributes) {
  const auto gradients = attentionGradients(operands, attributes, {});
  return {gradients[0], gradients[1], gradients[2]};
}

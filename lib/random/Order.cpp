//===- Order.cpp - permutations, choices, categories ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"
#include "lib/random/Draw.h"

#include <tenon/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tenon;
using namespace tenon::detail;

/// A size that must be known: how often, or how many, depends on it.
static int64_t knownSize(const Draw &draw, Dim size) {
  if (!size.is_static())
    draw.refuse("expected sizes that are integers, got " + size.str());
  return size.raw();
}
static int64_t knownCount(const Draw &draw, const Shape &shape) {
  int64_t count = 1;
  for (const Dim &size : shape)
    if (__builtin_mul_overflow(count, knownSize(draw, size), &count))
      draw.refuse("expected fewer than 2^63 elements, got the shape " + shape.str());
  return count;
}

static int axisOf(const Draw &draw, Axis axis, int rank) {
  const int64_t place = axis.value() < 0 ? axis.value() + rank : axis.value();
  if (place < 0 || place >= rank)
    draw.refuse("axis " + std::to_string(axis.value()) + " is out of range for an array of rank " +
                std::to_string(rank));
  return static_cast<int>(place);
}

/// The number of a population, which is given as one, or -1: an array of rank 1 or more.
static int64_t populationOf(const Draw &draw, const char *name, const Operand &x) {
  draw.expectArray(name, x);
  if (!x.is_scalar() && x.value()->rank() > 0)
    return -1;
  if (!x.is_scalar())
    draw.refuse("expected an integer, or an array of rank >= 1, as " + std::string(name) + ", got an array of rank 0");
  if (x.scalar().kind() != Kind::integer || x.scalar().huge() || x.scalar().as_int() < 0)
    draw.refuse("expected an integer >= 0, or an array of rank >= 1, as " + std::string(name) + ", got " +
                x.scalar().str());
  return x.scalar().as_int();
}

static Array integersBelow(const Draw &draw, int64_t count) {
  return iota(count, count > INT32_MAX ? Dtype::i64 : Dtype::i32, draw.key().device(), {});
}

/// x sorted by random bits along `axis`, as often as makes equal bits rare among 2^32.
static Array shuffled(const Draw &draw, Array x, int axis) {
  const double count = std::max(1.0, static_cast<double>(knownCount(draw, x.shape())));
  const auto rounds = static_cast<int>(std::ceil(3 * std::log(count) / std::log(4294967295.0)));
  Array key = draw.key();
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Array> keys = splitKeys(key, 2);
    key = keys[0];
    x = sort_keys({random::bits(keys[1], x.shape()), x}, axis)[1];
  }
  return x;
}

static Array along(const Array &x, const Array &indices, int axis) {
  std::vector<IndexItem> items(static_cast<size_t>(axis), _);
  items.push_back(indices);
  return x[Index(std::span<const IndexItem>(items), {})];
}

static Array permuted(const Draw &draw, const char *name, const Operand &operand, Axis axis, bool independent) {
  if (const int64_t count = populationOf(draw, name, operand); count >= 0)
    return shuffled(draw, integersBelow(draw, count), axisOf(draw, axis, 1));
  const Array x = Array::share(operand.value());
  const int place = axisOf(draw, axis, x.ndim());
  if (independent || x.ndim() == 1)
    return shuffled(draw, x, place);
  return along(x, shuffled(draw, integersBelow(draw, knownSize(draw, x.dim(place))), 0), place);
}

Array random::permutation(const Key &key, const Operand &x, Axis axis, bool independent, Location at) {
  const Draw draw("random.permutation", key, at, {{"key", key.data}, {"x", x}});
  return permuted(draw, "x", x, axis, independent);
}

Array random::shuffle(const Key &key, const Operand &x, Axis axis, Location at) {
  const Draw draw("random.shuffle", key, at, {{"key", key.data}, {"x", x}});
  return permuted(draw, "x", x, axis, true);
}

//===----------------------------------------------------------------------===//
// choice
//===----------------------------------------------------------------------===//

/// How many elements of an ascending row are below each of x.
static Array countBelow(const Array &row, int64_t count, const Array &x) {
  int64_t step = 1;
  while (2 * step <= count)
    step *= 2;
  Array below = zeros_like(x, Dtype::i64);
  for (; step > 0; step /= 2) {
    const Array further = below + step;
    const Array isBelow = further <= count && take(row, minimum(further, count) - 1) < x;
    below = where(isBelow, further, below);
  }
  return below;
}

/// The indices of the `count` largest elements along the last axis, the largest first.
static Array largest(const Array &x, int64_t count) { return argsort(x, -1, true)[{ellipsis, slice(count)}]; }

/// `count` indices below `population`, each with its probability.
static Array chosen(const Draw &draw, const Operand &p, int64_t population, int64_t count, bool replace, Location at) {
  // Sums of f16 and bf16 are in f32.
  const Dtype given = draw.floating({}, {&p}), dtype = wideDtype(given);
  const Array weights = astype(draw.parameter("p", p, given), dtype);
  if (weights.ndim() != 1 || provably_equal(weights.dim(0), population) == Always::no)
    draw.refuse("expected p of the shape (" + std::to_string(population) + ",), got " + weights.shape().str());
  // Inside jit and vmap, where the weights are unknown, they are not checked.
  if (const auto known = knownNumbers(weights)) {
    const double total = std::accumulate(known->begin(), known->end(), 0.0);
    if (std::ranges::any_of(*known, [](double weight) { return !(weight >= 0); }) || !(total > 0) ||
        !std::isfinite(roundedTo(dtype, total)))
      draw.refuse("expected weights p that are finite, not negative and not all 0, and have a finite sum in " +
                  std::string(short_name(dtype)) + ", got " + format("{}", Array(*known)));
    const int64_t possible = std::ranges::count_if(*known, [](double weight) { return weight > 0; });
    if (!replace && possible < count)
      draw.refuse("expected at least " + std::to_string(count) + " weights above 0 to draw so many without " +
                  "replacement, got " + std::to_string(possible));
  }
  if (!replace)
    return largest(standardGumbel(draw.key(), {population}, dtype) + log(weights), count);
  // They ascend, and that of an element without probability is the one before, which no place is above alone.
  const Array sums = cumulative_sum(weights), total = sums[population - 1];
  const Array places = convert(total * (1 - unitUniform(draw.key(), {count}, dtype)), dtype, at);
  return countBelow(sums, population, where(places == 0, total, places)); // 0: a product below all numbers
}

Array random::choice(const Key &key, const Operand &a, const Shape &shape, bool replace, const Operand &p, Axis axis,
                     Location at) {
  const Draw draw("random.choice", key, at, {{"key", key.data}, {"a", a}, {"p", p}});
  draw.expectSizes(shape);
  int64_t population = populationOf(draw, "a", a);
  const bool isNumber = population >= 0;
  const Array from = isNumber ? Array() : Array::share(a.value());
  const int place = isNumber ? 0 : axisOf(draw, axis, from.ndim());
  if (!isNumber)
    population = knownSize(draw, from.dim(place));
  const bool needsCount = !replace || !p.is_none();
  const int64_t count = needsCount ? knownCount(draw, shape) : 0;
  Shape result;
  if (!isNumber)
    result = Shape(std::span<const Dim>(from.shape().begin(), static_cast<size_t>(place)));
  for (const Dim &size : shape)
    result.push_back(size, at);
  for (int i = place + 1; !isNumber && i < from.ndim(); ++i)
    result.push_back(from.dim(i), at);
  if (shape.is_static() && knownCount(draw, shape) == 0)
    return zeros(result, isNumber ? Dtype::i32 : from.dtype(), draw.key().device(), at);
  if (population == 0)
    draw.refuse("expected something to choose from, got none");
  if (!replace && count > population)
    draw.refuse("expected at most " + std::to_string(population) + " choices without replacement, got " +
                std::to_string(count));
  if (p.is_none() && !replace) {
    const Array order = permuted(draw, "a", a, place, false);
    std::vector<IndexItem> items(static_cast<size_t>(place), _);
    items.push_back(slice(count));
    return reshape(order[Index(std::span<const IndexItem>(items), at)], result);
  }
  Array indices = p.is_none() ? randint(key, shape, 0, population, population > INT32_MAX ? Dtype::i64 : Dtype::i32, at)
                              : reshape(chosen(draw, p, population, count, replace, at), shape);
  if (isNumber)
    return convert(indices, population > INT32_MAX ? Dtype::i64 : Dtype::i32, at);
  return along(from, indices, place);
}

//===----------------------------------------------------------------------===//
// categorical
//===----------------------------------------------------------------------===//

Array random::categorical(const Key &key, const Operand &given, Axis axis, const Shape &wanted, bool replace,
                          Location at) {
  const Draw draw("random.categorical", key, at, {{"key", key.data}, {"logits", given}});
  const Array logits = draw.parameter("logits", given, draw.floating({}, {&given}));
  const int rank = logits.ndim(), place = axisOf(draw, axis, rank);
  Shape batch = logits.shape();
  batch.erase(place);
  if (const Dim categories = logits.dim(place); categories.is_static() && categories.raw() == 0)
    draw.refuse("expected at least one category, got logits of the shape " + logits.shape().str());
  const Shape shape = draw.shapeOf(wanted, {batch});
  // What comes before the sizes of the logits: further draws.
  const auto further = static_cast<size_t>(shape.rank() - batch.rank());
  if (replace) {
    Shape all = shape;
    all.insert(static_cast<int>(further) + place, logits.dim(place), at);
    return argmax(standardGumbel(draw.key(), all, logits.dtype()) + logits, place - rank);
  }
  const Shape draws(std::span<const Dim>(shape.begin(), further));
  const int64_t count = knownCount(draw, draws), categories = knownSize(draw, logits.dim(place));
  if (count > categories)
    draw.refuse("expected at most " + std::to_string(categories) + " draws without replacement, got " +
                std::to_string(count));
  std::vector<int64_t> categoriesLast, drawsFirst{batch.rank()};
  for (int i = 0; i < rank; ++i)
    if (i != place)
      categoriesLast.push_back(i);
  categoriesLast.push_back(place);
  for (int i = 0; i < batch.rank(); ++i)
    drawsFirst.push_back(i);
  const Array scores = logits + standardGumbel(draw.key(), logits.shape(), logits.dtype());
  return reshape(transpose(largest(transpose(scores, categoriesLast), count), drawsFirst), shape);
}

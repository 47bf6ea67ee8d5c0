//===- Discrete.cpp - truth values, signs, integers ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"
#include "lib/random/Draw.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

Array random::bernoulli(const Key &key, const Operand &p, const Shape &given, Location at) {
  const Draw draw("random.bernoulli", key, at, {{"key", key.data}, {"p", p}});
  const Dtype dtype = draw.floating({}, {&p});
  draw.expectBetween("p", p, 0, 1);
  const Array limit = draw.parameter("p", p, dtype);
  return unitUniform(draw.key(), draw.shapeOf(given, {limit.shape(at)}), dtype) < limit;
}

Array detail::randomSign(const Array &keys, const Shape &shape, Dtype dtype) {
  return where(unitUniform(keys, shape, Dtype::f32) < 0.5f, full({}, 1, dtype, keys.device()),
               negative(full({}, 1, dtype, keys.device())));
}

Array random::rademacher(const Key &key, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.rademacher", key, at, {{"key", key.data}});
  if (dtype == Dtype::bool_ || is_storage(dtype))
    draw.refuse("expected a dtype of numbers, got " + std::string(short_name(dtype)));
  return randomSign(draw.key(), shape, dtype);
}

Array random::geometric(const Key &key, const Operand &p, const Shape &given, Dtype dtype, Location at) {
  const Draw draw("random.geometric", key, at, {{"key", key.data}, {"p", p}});
  const Dtype type = draw.floating({}, {&p});
  draw.expectInteger(dtype);
  draw.expectBetween("p", p, 0, 1);
  const Array success = draw.parameter("p", p, type);
  const Array u = unitUniform(draw.key(), draw.shapeOf(given, {success.shape(at)}), type);
  return astype(floor(log(where(u == 0, 1, u)) / log1p(-success)) + 1, dtype);
}

//===----------------------------------------------------------------------===//
// randint
//===----------------------------------------------------------------------===//

namespace {
using Wide = __int128;

/// The integers of a dtype.
struct Range {
  Wide first, last;
  explicit Range(Dtype dtype) {
    const int bits = 8 * static_cast<int>(item_size(dtype));
    const Wide count = Wide(1) << (is_unsigned(dtype) ? bits : bits - 1);
    first = is_unsigned(dtype) ? 0 : -count, last = count - 1;
  }
};

/// A bound of randint.
struct Bound {
  const char *name;
  const Operand &given;
};
} // namespace

static Scalar scalarOf(Wide number) {
  return number < 0 ? Scalar(static_cast<int64_t>(number)) : Scalar(static_cast<uint64_t>(number));
}

static Wide numberOf(Scalar number) {
  return number.huge() ? static_cast<Wide>(number.as_uint()) : static_cast<Wide>(number.as_int());
}

static void expectIntegers(const Draw &draw, const Bound &bound) {
  draw.expectArray(bound.name, bound.given);
  const Operand &x = bound.given;
  if (x.is_scalar() ? x.scalar().kind() != Kind::integer : kind(x.value()->dtype()) != Kind::integer)
    draw.refuse("expected integers as " + std::string(bound.name) + ", got " +
                (x.is_scalar() ? x.scalar().str() : std::string(short_name(x.value()->dtype()))));
}

/// The bound as an array of `dtype`; what is beyond `range` is the first or last of it.
static Array boundIn(const Draw &draw, const Operand &bound, Dtype dtype, const Range &range, Location at) {
  if (bound.is_scalar())
    return full({}, scalarOf(std::clamp(numberOf(bound.scalar()), range.first, range.last)), dtype, draw.key().device(),
                at);
  const Array x = Array::share(bound.value());
  const Range own(x.dtype(at));
  return astype(clip(x, scalarOf(std::max(own.first, range.first)), scalarOf(std::min(own.last, range.last))), dtype);
}

/// Two words of bits modulo `span`, the upper one times `multiplier`, which is 2^bits modulo it.
static Array belowSpan(const Array &high, const Array &low, const Operand &span, const Operand &multiplier) {
  return remainder(add(multiply(remainder(high, span), multiplier), remainder(low, span)), span);
}

/// The same for bounds that are numbers.
static Array between(const Draw &draw, const Shape &shape, Wide from, Wide to, Dtype dtype, Dtype words) {
  const Wide count = std::max<Wide>(to - from, 1), all = Wide(1) << (8 * static_cast<int>(item_size(words)));
  const std::vector<Array> keys = splitKeys(draw.key(), 2);
  const Array low = randomBits(keys[1], shape, words);
  Array offset = low;
  if (count < all) {
    const Scalar span = scalarOf(count);
    // As JAX squares the half of it, modulo 2^bits.
    const Wide half = (Wide(1) << (4 * static_cast<int>(item_size(words)))) % count;
    const Wide multiplier = half * half % all % count;
    offset = multiplier == 0 ? remainder(low, span)
                             : belowSpan(randomBits(keys[0], shape, words), low, span, scalarOf(multiplier));
  }
  return convert(offset, dtype, {}) + scalarOf(from);
}

Array random::randint(const Key &key, const Shape &given, const Operand &minval, const Operand &maxval, Dtype dtype,
                      Location at) {
  const Draw draw("random.randint", key, at, {{"key", key.data}, {"minval", minval}, {"maxval", maxval}});
  draw.expectInteger(dtype);
  expectIntegers(draw, {"minval", minval});
  expectIntegers(draw, {"maxval", maxval});
  // Narrow ones are drawn as i32, in which there is one more than the last of them.
  const bool isNarrow = item_size(dtype) < 4;
  const Dtype type = isNarrow ? Dtype::i32 : dtype, words = item_size(type) == 4 ? Dtype::u32 : Dtype::u64;
  const Range own(dtype);
  if (minval.is_scalar() && maxval.is_scalar()) {
    const Wide from = std::clamp(numberOf(minval.scalar()), own.first, own.last);
    const Wide to = std::clamp(numberOf(maxval.scalar()), own.first, own.last + 1);
    return convert(between(draw, given, from, to, type, words), dtype, at);
  }
  Range upper = own;
  upper.last += isNarrow;
  const Array low = boundIn(draw, minval, type, own, at), high = boundIn(draw, maxval, type, upper, at);
  const Shape shape = draw.shapeOf(given, {low.shape(at), high.shape(at)});
  Array span = where(high > low, astype(high - low, words), 1);
  if (!isNarrow) {
    const Array isBeyond = maxval.is_scalar()
                               ? full({}, numberOf(maxval.scalar()) > own.last, Dtype::bool_, low.device(), at)
                               : Array::share(maxval.value()) > scalarOf(own.last);
    span = where(isBeyond && high > low, span + 1, span); // 0: all of them
  }
  const Array half = remainder(full({}, uint64_t(1) << (4 * item_size(words)), words, low.device(), at), span);
  const Array multiplier = remainder(half * half, span);
  const std::vector<Array> keys = splitKeys(draw.key(), 2);
  const Array lowBits = randomBits(keys[1], shape, words);
  const Array offset = belowSpan(randomBits(keys[0], shape, words), lowBits, span, multiplier);
  return convert(low + astype(where(span == 0, lowBits, offset), type), dtype, at);
}

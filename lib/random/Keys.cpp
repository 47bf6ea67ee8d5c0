//===- Keys.cpp - keys and random bits -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"
#include "lib/random/Draw.h"

using namespace tenon;
using namespace tenon::detail;

std::vector<Array> detail::splitKeys(const Array &keys, int64_t count) {
  const Array words = random::bits(keys, {count}, 2);
  std::vector<Array> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(words[{ellipsis, i, _}]);
  return parts;
}

Array detail::keysOf(const Array &keys, const Shape &shape) { return random::bits(keys, shape, 2); }

std::pair<Array, Array> detail::wordPairs(const Array &keys, const Shape &shape) {
  auto wordsOf = [&](const Shape &drawn) {
    const Array words = random::bits(keys, drawn, 2);
    return std::pair(words[{ellipsis, 0}], words[{ellipsis, 1}]);
  };
  if (keys.ndim() + shape.rank() <= max_rank)
    return wordsOf(shape);
  // No axis is left for the words. Bits depend on the row-major index alone.
  Shape all = keys.shape();
  all.erase(keys.ndim() - 1);
  for (const Dim &size : shape)
    all.push_back(size, {});
  const auto [high, low] = wordsOf({element_count(shape)});
  return {reshape(high, all), reshape(low, all)};
}

Array detail::randomBits(const Array &keys, const Shape &shape, Dtype dtype) {
  if (dtype != Dtype::u64)
    return convert(random::bits(keys, shape), dtype, {}); // the lowest bits
  const auto [high, low] = wordPairs(keys, shape);
  return astype(high, u64) << 32 | astype(low, u64);
}

/// Threefry-2x32 of one counter, (high, low), under one key; see runtime/math/Threefry.h. For counters
/// that are known only when they run: `bits` counts by itself.
Array detail::threefry(const Array &key, const Array &high, const Array &low) {
  static constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const Array first = key[0], second = key[1];
  const Array keys[] = {first, second, first ^ second ^ uint32_t(0x1BD11BDA)};
  Array x0 = high + keys[0], x1 = low + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int count : rotations[group % 2]) {
      x0 = x0 + x1;
      x1 = (x1 << count | x1 >> (32 - count)) ^ x0;
    }
    x0 = x0 + keys[(group + 1) % 3];
    x1 = x1 + keys[(group + 2) % 3] + (group + 1);
  }
  return concatenate({reshape(x0, {1}), reshape(x1, {1})});
}

Key random::key(uint64_t seed, Location at) {
  uint32_t words[] = {static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)};
  return {Array(std::span<const uint32_t>(words), Shape{2}, at)};
}

std::vector<Key> random::split(const Key &key, int count, Location at) {
  const Draw draw("random.split", key, at, {{"key", key.data}});
  if (count < 1)
    draw.refuse("expected at least one key, got " + std::to_string(count));
  constexpr int most = 1 << 24; // an array for each
  if (count > most)
    draw.refuse("expected at most " + std::to_string(most) + " keys, got " + std::to_string(count));
  std::vector<Key> keys;
  for (Array &words : splitKeys(draw.key(), count))
    keys.push_back({std::move(words)});
  return keys;
}

Key random::keys(const Key &key, const Shape &shape, Location at) {
  const Draw draw("random.keys", key, at, {{"key", key.data}});
  return {keysOf(draw.key(), shape)};
}

/// The words of one key or of an array of keys; anything else is an Error.
static const Array &wordsOf(const Key &key, const char *what, Location at) {
  const Array &words = key.data;
  if (words.dtype(at) != Dtype::u32 || words.ndim(at) < 1 || provably_equal(words.dim(-1, at), 2) == Always::no)
    throw Error(std::string(what) + ": expected a key, u32[..., 2], got " + describe(words.dtype(at), words.shape(at)),
                userLocation(at));
  return words;
}

KeyPair::operator std::vector<Key>() const { return {begin(), end()}; }

Shape Key::shape(Location at) const {
  Shape shape = wordsOf(*this, "Key.shape", at).shape(at);
  shape.erase(shape.rank() - 1);
  return shape;
}
static const Array &wordsOfSeveral(const Key &keys, Location at) {
  const Array &words = wordsOf(keys, "keys[...]", at);
  if (words.ndim(at) < 2)
    throw Error("keys[...]: expected an array of keys, got one key; random::keys(key, n) makes n of them",
                userLocation(at));
  return words;
}
Size Key::size(Location at) const { return wordsOfSeveral(*this, at).dim(0, at); }
const Key Key::operator[](const detail::Index &index) const {
  const Location at = index.at();
  wordsOfSeveral(*this, at);
  // Keeps the whole last axis, which holds the words of each key.
  std::vector<IndexItem> items(index.items().begin(), index.items().end());
  items.push_back(_);
  return {data[detail::Index(items, at)]};
}
std::ostream &tenon::operator<<(std::ostream &out, const Key &key) {
  std::string text;
  format_value(text, "", key);
  return out << text;
}
void tenon::format_value(std::string &out, std::string_view spec, const Key &key) {
  out += "Key(";
  format_value(out, spec, key.data);
  out += ')';
}

KeyPair random::split(const Key &key, Location at) {
  std::vector<Key> keys = split(key, 2, at);
  return {{std::move(keys[0]), std::move(keys[1])}};
}

Key random::fold_in(const Key &key, const Operand &data, Location at) {
  const Draw draw("random.fold_in", key, at, {{"key", key.data}, {"data", data}});
  draw.expectArray("data", data);
  const Kind given = data.is_scalar() ? data.scalar().kind() : kind(data.value()->dtype());
  if (given != Kind::integer)
    draw.refuse("expected an integer as data, got " +
                (data.is_scalar() ? data.scalar().str() : std::string(short_name(data.value()->dtype()))));
  if (!data.is_scalar() && data.value()->rank() != 0)
    draw.refuse("expected data of rank 0, got the shape " + data.value()->shape().str() +
                "; use vmap to fold in several");
  const Array low = data.is_scalar()
                        ? full({}, static_cast<uint32_t>(data.scalar().as_uint()), u32, draw.key().device(), at)
                        : astype(Array::share(data.value()), u32);
  return {threefry(draw.key(), zeros_like(low), low)};
}

Array random::bits(const Key &key, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.bits", key, at, {{"key", key.data}});
  if (dtype != Dtype::u8 && dtype != Dtype::u16 && dtype != Dtype::u32 && dtype != Dtype::u64)
    draw.refuse("expected u8, u16, u32 or u64, got " + std::string(short_name(dtype)));
  return randomBits(draw.key(), shape, dtype);
}

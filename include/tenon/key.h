//===- key.h - keys of random numbers ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers are a function of their key and parameters: the same eagerly, under jit, for any number of threads
// and on any device. Use each key only once; split and fold_in derive new keys.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <array>
#include <tuple>
#include <vector>

namespace tenon {

/// A random key, u32[2], or an array of keys, u32[..., 2], as vmap takes it and `random::keys` makes it. In trees it is
/// a leaf: an input of jitted functions, batched by vmap, copied by grad and tree_map. `[]` of a single key is an
/// Error.
struct Key {
  Array data;

  /// Shape of an array of keys; () for a single key.
  Shape shape(Location at = Location::current()) const;
  /// Selects keys of an array of keys, as NumPy's indexing does: `keys[3]`, `keys[{0, slice(1, 3)}]`. Const: an
  /// assignment to the result would change nothing.
  [[nodiscard]] const Key operator[](const detail::Index &index) const;
  /// Number of keys along axis 0 of an array of keys, and an iteration over it.
  Size size(Location at = Location::current()) const;
  class Iterator;
  Iterator begin(Location at = Location::current()) const;
  Iterator end(Location at = Location::current()) const;
};

class Key::Iterator {
public:
  Iterator(const Key &keys, int64_t index, Location at) : keys_(&keys), index_(index), at_(at) {}
  Key operator*() const { return (*keys_)[detail::Index(index_, at_)]; }
  Iterator &operator++() {
    ++index_;
    return *this;
  }
  bool operator==(const Iterator &other) const { return index_ == other.index_; }

private:
  const Key *keys_;
  int64_t index_;
  Location at_;
};
inline Key::Iterator Key::begin(Location at) const { return {*this, 0, at}; }
inline Key::Iterator Key::end(Location at) const { return {*this, size(at).value(at), at}; }

/// `Key([0 42])`, the two words of the key.
std::ostream &operator<<(std::ostream &out, const Key &key);
void format_value(std::string &out, std::string_view spec, const Key &key);

/// Two keys: `auto [first, second] = random::split(key)`.
struct KeyPair : std::array<Key, 2> {
  operator std::vector<Key>() const;
  /// For `std::tie(key, first) = random::split(key)`.
  operator std::tuple<Key &, Key &>() && { return {front(), back()}; }
};

} // namespace tenon

template <>
struct std::tuple_size<tenon::KeyPair> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, tenon::KeyPair> {
  using type = tenon::Key;
};

//===- fields.h - the fields of plain aggregates, without macros -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the fields of a plain aggregate, calls a function with all of them,
// and finds their names. A field that is a C array counts as one. Bases,
// references and bit-fields are not handled; tree.h refuses them by name. Other
// classes say what their fields are, see NamesFields.
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {
namespace detail {

/// The most fields an aggregate in a tree may have.
inline constexpr size_t max_fields = 40;
inline constexpr size_t not_countable = static_cast<size_t>(-1);

/// Stands for a field's initializer. It must convert by a plain const
/// function: with a ref-qualified or non-const one the converting constructors
/// of optional and Array win or tie, and the count is wrong.
struct AnyField {
  template <class T>
  operator T() const {
    __builtin_unreachable(); // clang wants a body for types without linkage
  }
};

/// Converts only to bases of T.
template <class T>
struct AnyBase {
  template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>)
  operator Base() const {
    __builtin_unreachable();
  }
};

/// Converts only to `U &`, for `const U &` only where U is const.
struct AnyReference {
  template <class T>
  operator T &() const {
    __builtin_unreachable();
  }
};
struct AnyConstReference {
  template <class T>
    requires std::is_const_v<T>
  operator T &() const {
    __builtin_unreachable();
  }
};

template <class T, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(void(I), AnyField())...}; };
}
template <class T, size_t... I, size_t... J>
constexpr bool takes_braces(std::index_sequence<I...>, std::index_sequence<J...>) {
  return requires { T{(void(I), AnyField())..., {}, (void(J), AnyField())...}; };
}
template <class T, class Probe, size_t... I>
constexpr bool takes_last(std::index_sequence<I...>) {
  return requires { T{(void(I), AnyField())..., Probe()}; };
}

/// The largest N for which T takes N initializers; `low` is accepted, `high` not.
template <class T, size_t low, size_t high>
constexpr size_t bisect_initializers() {
  if constexpr (high - low == 1)
    return low;
  else if constexpr (constexpr size_t middle = (low + high) / 2; takes<T>(std::make_index_sequence<middle>()))
    return bisect_initializers<T, middle, high>();
  else
    return bisect_initializers<T, low, middle>();
}
template <class T, size_t low>
constexpr size_t gallop_initializers() {
  constexpr size_t high = low < 4 ? low + 4 : 2 * low;
  if constexpr (takes<T>(std::make_index_sequence<high>()))
    return gallop_initializers<T, high>();
  else
    return bisect_initializers<T, low, high>();
}
/// A field that has no default refuses short lists: skip those first.
template <class T, size_t start = 0>
constexpr size_t count_initializers() {
  if constexpr (takes<T>(std::make_index_sequence<start>()))
    return gallop_initializers<T, start>();
  else if constexpr (start < max_fields)
    return count_initializers<T, start + 1>();
  else
    return not_countable;
}

/// How many initializers belong to the field at `position` of `total`: as many
/// as `{}` in their place saves. More than one for a C array, whose braces the
/// count has elided.
template <class T, size_t position, size_t total, size_t size = 1>
constexpr size_t initializers_of_field() {
  if constexpr (takes_braces<T>(std::make_index_sequence<position>(),
                                std::make_index_sequence<total - position - size>()))
    return size;
  else if constexpr (position + size < total)
    return initializers_of_field<T, position, total, size + 1>();
  else
    return 1; // no default: `{}` never fits
}
template <class T, size_t position, size_t total>
constexpr size_t count_fields() {
  if constexpr (position >= total)
    return 0;
  else
    return 1 + count_fields<T, position + initializers_of_field<T, position, total>(), total>();
}

template <class T>
constexpr size_t countable_fields() {
  constexpr size_t initializers = count_initializers<T>();
  if constexpr (initializers == not_countable)
    return not_countable;
  else
    return count_fields<T, 0, initializers>();
}

template <class T>
constexpr bool has_base() {
  return takes_last<T, AnyBase<T>>(std::index_sequence<>());
}

/// The last place where a field may be that is a reference: the first that T refuses.
template <class T>
constexpr size_t last_initializer() {
  constexpr size_t count = count_initializers<T>();
  return count == not_countable ? max_fields : count;
}
/// Whether a field is a reference, as far as initializers tell.
template <class T, size_t index = 0, size_t last = last_initializer<T>()>
constexpr bool has_reference() {
  if constexpr (takes_last<T, AnyConstReference>(std::make_index_sequence<index>()))
    return true;
  else if constexpr (!takes_last<T, AnyField>(std::make_index_sequence<index>()) &&
                     takes_last<T, AnyReference>(std::make_index_sequence<index>()))
    return true;
  else if constexpr (index < last)
    return has_reference<T, index + 1, last>();
  else
    return false;
}

/// Finds the user's tree_fields for exactly one class, a template too. The overloads here beat a tree_fields for a base
/// class and are ambiguous with one for any type, so neither is found.
namespace hook {
struct NotFound {};
template <class T>
NotFound tree_fields(T &);
template <class T>
NotFound tree_fields(T &&);
template <class Argument>
concept Found = requires { requires !std::is_same_v<decltype(tree_fields(std::declval<Argument>())), NotFound>; };
} // namespace hook

/// A class that names its fields by a function in its namespace, or a friend: it may have constructors, private
/// members and bases.
///   auto tree_fields(Dense &layer) { return std::tie(layer.kernel, layer.bias); }
/// What it must name, and what copies of the class must not do, is at the head of tree.h.
template <class T>
concept NamesFields = std::is_class_v<T> && (hook::Found<T &> || hook::Found<const T &> || hook::Found<T>);
/// A function that takes the class by value would return references into a copy.
template <class T>
inline constexpr bool takes_fields_by_reference = hook::Found<T &> && !hook::Found<T>;
template <class Fields>
inline constexpr bool are_references = false;
template <class... Field>
inline constexpr bool are_references<std::tuple<Field &...>> = true;

/// Whether the tree_fields of T can be used.
template <NamesFields T>
constexpr bool returns_fields() {
  if constexpr (takes_fields_by_reference<T>)
    return are_references<decltype(tree_fields(std::declval<T &>()))>;
  else
    return false;
}
/// Says in a static_assert why the tree_fields of T cannot be used.
template <NamesFields T>
constexpr bool require_fields() {
  static_assert(takes_fields_by_reference<T>, "tree_fields takes its class by reference, not const and not by value: "
                                              "auto tree_fields(T &t) { return std::tie(t.a, t.b); }");
  static_assert(!takes_fields_by_reference<T> || returns_fields<T>(),
                "tree_fields returns references to the fields: std::tie(...)");
  return returns_fields<T>();
}

/// callback(field...) with references to all fields in order of declaration.
template <class T, class F>
  requires NamesFields<std::remove_const_t<T>>
constexpr decltype(auto) with_fields(T &tree, F &&callback) {
  if constexpr (require_fields<std::remove_const_t<T>>()) {
    auto fields = tree_fields(const_cast<std::remove_const_t<T> &>(tree));
    return std::apply(
        [&](auto &...field) -> decltype(auto) {
          if constexpr (std::is_const_v<T>)
            return callback(std::as_const(field)...);
          else
            return callback(field...);
        },
        fields);
  } else {
    return callback(); // after the static_assert
  }
}
template <class T, class F>
constexpr decltype(auto) with_fields(T &tree, F &&callback) {
  constexpr size_t count = countable_fields<std::remove_const_t<T>>();
  static_assert(count <= max_fields);
  if constexpr (count == 0)
    return callback();
  else if constexpr (count == 1) {
    auto &[a] = tree;
    return callback(a);
  } else if constexpr (count == 2) {
    auto &[a, b] = tree;
    return callback(a, b);
  } else if constexpr (count == 3) {
    auto &[a, b, c] = tree;
    return callback(a, b, c);
  } else if constexpr (count == 4) {
    auto &[a, b, c, d] = tree;
    return callback(a, b, c, d);
  } else if constexpr (count == 5) {
    auto &[a, b, c, d, e] = tree;
    return callback(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto &[a, b, c, d, e, f] = tree;
    return callback(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto &[a, b, c, d, e, f, g] = tree;
    return callback(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto &[a, b, c, d, e, f, g, h] = tree;
    return callback(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto &[a, b, c, d, e, f, g, h, i] = tree;
    return callback(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto &[a, b, c, d, e, f, g, h, i, j] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto &[a, b, c, d, e, f, g, h, i, j, k] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (count == 17) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (count == 18) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (count == 19) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (count == 20) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  } else if constexpr (count == 21) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  } else if constexpr (count == 22) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else if constexpr (count == 23) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  } else if constexpr (count == 24) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  } else if constexpr (count == 25) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y);
  } else if constexpr (count == 26) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z);
  } else if constexpr (count == 27) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa);
  } else if constexpr (count == 28) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab);
  } else if constexpr (count == 29) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac);
  } else if constexpr (count == 30) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad);
  } else if constexpr (count == 31) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae);
  } else if constexpr (count == 32) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae,
                    af);
  } else if constexpr (count == 33) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag] =
        tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae,
                    af, ag);
  } else if constexpr (count == 34) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag,
           ah] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae,
                    af, ag, ah);
  } else if constexpr (count == 35) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah,
           ai] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae,
                    af, ag, ah, ai);
  } else if constexpr (count == 36) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah,
           ai, aj] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae,
                    af, ag, ah, ai, aj);
  } else if constexpr (count == 37) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah,
           ai, aj, ak] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae,
                    af, ag, ah, ai, aj, ak);
  } else if constexpr (count == 38) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah,
           ai, aj, ak, al] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae,
                    af, ag, ah, ai, aj, ak, al);
  } else if constexpr (count == 39) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah,
           ai, aj, ak, al, am] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae,
                    af, ag, ah, ai, aj, ak, al, am);
  } else if constexpr (count == 40) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah,
           ai, aj, ak, al, am, an] = tree;
    return callback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae,
                    af, ag, ah, ai, aj, ak, al, am, an);
  }
}

template <class... T>
struct TypeList {};
struct ListTypes {
  template <class... Field>
  constexpr TypeList<Field...> operator()(Field &...) const {
    return {};
  }
};
/// TypeList of the types of T's fields.
template <class T>
using FieldTypes = decltype(with_fields(std::declval<T &>(), ListTypes()));

template <class... Field>
constexpr size_t count_types(TypeList<Field...>) {
  return sizeof...(Field);
}
/// The number of T's fields.
template <class T>
inline constexpr size_t field_count_of = countable_fields<T>();
template <NamesFields T>
inline constexpr size_t field_count_of<T> = count_types(FieldTypes<T>());

/// Storage whose fields have addresses at compile time although no T is made.
template <class T>
union FieldHolder {
  char none;
  T value;
  constexpr FieldHolder() : none() {}
  constexpr ~FieldHolder() {}
};
template <class T>
inline constexpr FieldHolder<T> field_holder;

template <auto pointer>
constexpr const char *pretty_field() {
  return __PRETTY_FUNCTION__;
}
template <class T>
constexpr const char *pretty_type() {
  return __PRETTY_FUNCTION__;
}

/// The last identifier of `pretty`: compilers print `&holder.value.w` or
/// `(& holder<Net>.FieldHolder<Net>::value.Net::w)`, with brackets behind.
constexpr std::string_view last_identifier(std::string_view pretty) {
  auto isIdentifier = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  size_t end = pretty.size();
  while (end && !isIdentifier(pretty[end - 1]))
    --end;
  size_t begin = end;
  while (begin && isIdentifier(pretty[begin - 1]))
    --begin;
  return pretty.substr(begin, end - begin);
}

template <size_t index, class Field>
struct FieldPointer {
  const Field *pointer;
};
template <class Indices, class... Field>
struct FieldPointers;
template <size_t... index, class... Field>
struct FieldPointers<std::index_sequence<index...>, Field...> : FieldPointer<index, Field>... {};
struct MakeFieldPointers {
  template <class... Field>
  constexpr FieldPointers<std::index_sequence_for<Field...>, Field...> operator()(const Field &...field) const {
    return {{&field}...};
  }
};
template <size_t index, class Field>
constexpr const Field *pointer_at(const FieldPointer<index, Field> &field) {
  return field.pointer;
}
template <class T>
inline constexpr auto field_pointers = with_fields(field_holder<T>.value, MakeFieldPointers());

template <class T, size_t... index>
constexpr std::array<std::string_view, sizeof...(index)> find_field_names(std::index_sequence<index...>) {
  return {last_identifier(pretty_field<pointer_at<index>(field_pointers<T>)>())...};
}
template <class T>
inline constexpr auto field_names_of = find_field_names<T>(std::make_index_sequence<field_count_of<T>>());
/// Fields of tree_fields are called 0, 1, ...
template <size_t number>
inline constexpr char decimal_text[] = {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
template <size_t... index>
constexpr std::array<std::string_view, sizeof...(index)> number_fields(std::index_sequence<index...>) {
  static_assert(sizeof...(index) <= 100, "tree_fields returns at most 100 fields: group some of them in a struct");
  return {std::string_view(decimal_text<index> + (index < 10), index < 10 ? 1 : 2)...};
}
template <NamesFields T>
inline constexpr auto field_names_of<T> = number_fields(std::make_index_sequence<field_count_of<T>>());

template <class T>
constexpr std::string_view find_type_name() {
  std::string_view pretty = pretty_type<T>();
  size_t begin = pretty.find("T = ") + 4;
  return pretty.substr(begin, pretty.size() - 1 - begin);
}

} // namespace detail

/// The number of fields of a plain aggregate, or of the class's tree_fields; a C array is one field.
template <class T>
constexpr size_t field_count() {
  return detail::field_count_of<T>;
}

/// The names of a plain aggregate's fields in order of declaration, or 0, 1, ... for those of tree_fields: an array
/// of string_views that live as long as the program.
template <class T>
constexpr const auto &field_names() {
  return detail::field_names_of<T>;
}

/// The compiler's spelling of T.
template <class T>
inline constexpr std::string_view type_name = detail::find_type_name<T>();

} // namespace tenon

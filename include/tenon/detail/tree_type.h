//===- tree_type.h - which types are trees ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included through tree.h: what a type is in a tree, whether it may be part of
// one, and what it can hold, all at compile time.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/fields.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tenon {

class Array;
template <class Value>
class BasicVariable;
using Variable = BasicVariable<Array>;
struct Key;
class TreeObject;

namespace detail {

/// A number that no other Variable in the process has; 0: no Variable.
uint64_t identity_of(const Variable &variable);

enum class NodeKind : uint8_t {
  array,
  key,
  variable,
  static_,
  vector,
  fixed,
  tuple,
  map,
  optional,
  aggregate,
  object, // a TreeObject, which names its parts at run time
  other
};

/// What T is in a tree, by its outermost type.
template <class T>
struct Node {
  static constexpr NodeKind kind = std::is_arithmetic_v<T> || std::is_enum_v<T> ? NodeKind::static_
                                   : std::is_base_of_v<Variable, T>             ? NodeKind::variable
                                   : std::is_base_of_v<TreeObject, T>           ? NodeKind::object
                                   : NamesFields<T> || (std::is_aggregate_v<T> && !std::is_union_v<T>)
                                       ? NodeKind::aggregate
                                       : NodeKind::other;
};
template <>
struct Node<Array> {
  static constexpr NodeKind kind = NodeKind::array;
};
template <>
struct Node<Key> {
  static constexpr NodeKind kind = NodeKind::key;
};
template <>
struct Node<Variable> {
  static constexpr NodeKind kind = NodeKind::variable;
};
template <>
struct Node<std::string> {
  static constexpr NodeKind kind = NodeKind::static_;
};
template <class T, class Allocator>
struct Node<std::vector<T, Allocator>> {
  static constexpr NodeKind kind = NodeKind::vector;
  using Children = TypeList<T>;
};
template <class T, size_t count>
struct Node<std::array<T, count>> {
  static constexpr NodeKind kind = NodeKind::fixed;
  static constexpr size_t size = count;
  using Children = TypeList<T>;
};
template <class T, size_t count>
struct Node<T[count]> {
  static constexpr NodeKind kind = NodeKind::fixed;
  static constexpr size_t size = count;
  using Children = TypeList<T>;
};
template <class... T>
struct Node<std::tuple<T...>> {
  static constexpr NodeKind kind = NodeKind::tuple;
  using Children = TypeList<T...>;
};
template <class T, class U>
struct Node<std::pair<T, U>> {
  static constexpr NodeKind kind = NodeKind::tuple;
  using Children = TypeList<T, U>;
};
template <class K, class T, class Compare, class Allocator>
struct Node<std::map<K, T, Compare, Allocator>> {
  static constexpr NodeKind kind = NodeKind::map;
  using MapKey = K;
  using Children = TypeList<T>;
};
template <class T>
struct Node<std::optional<T>> {
  static constexpr NodeKind kind = NodeKind::optional;
  using Children = TypeList<T>;
};

template <class T>
inline constexpr NodeKind node_kind = Node<std::remove_const_t<T>>::kind;
template <class T>
constexpr bool is_leaf(NodeKind kind = node_kind<T>) {
  return kind == NodeKind::array || kind == NodeKind::key || kind == NodeKind::variable || kind == NodeKind::static_;
}
template <class T, class... U>
inline constexpr bool is_one_of = (std::is_same_v<T, U> || ...);

template <class T>
constexpr auto children_of() {
  if constexpr (node_kind<T> == NodeKind::aggregate)
    return FieldTypes<T>();
  else
    return typename Node<T>::Children();
}

template <class K>
inline constexpr bool is_map_key =
    std::is_same_v<K, std::string> || (std::is_integral_v<K> && !std::is_same_v<K, bool>);

/// What a type must be to be in a tree, one named condition per static_assert of require_tree: compilers print the
/// name with the type.
template <class T>
inline constexpr bool is_not_a_pointer = !std::is_pointer_v<T> && !std::is_member_pointer_v<T>;
template <class T>
inline constexpr bool is_not_a_reference = !std::is_reference_v<T>;
template <class T>
inline constexpr bool can_be_part_of_a_tree = node_kind<T> != NodeKind::other;
template <class T>
inline constexpr bool has_no_base_class = !has_base<T>();
template <class T>
inline constexpr bool has_no_reference_field = field_count_of<T> == 0 || !has_reference<T>();
template <class T>
inline constexpr bool has_countable_fields = field_count_of<T> != not_countable;
template <class T, size_t count>
inline constexpr bool has_at_most_40_fields = count <= max_fields;
template <class Leaf, class T, class... Seen>
constexpr bool has_leaf();
/// Transformations replace the arrays and keys of copies, so a const one cannot be in a tree.
template <class T, class... Seen>
inline constexpr bool has_no_const_array = true;
template <class T, class... Seen>
inline constexpr bool has_no_const_array<const T, Seen...> =
    !has_leaf<Array, T, Seen...>() && !has_leaf<Key, T, Seen...>();

template <class T>
constexpr bool has_known_fields() {
  if constexpr (NamesFields<T>)
    return returns_fields<T>();
  else if constexpr (!has_no_base_class<T>)
    return false;
  else if constexpr (!has_countable_fields<T>)
    return false;
  else if constexpr (!has_at_most_40_fields<T, field_count_of<T>>)
    return false;
  else
    return has_no_reference_field<T>;
}

/// `Seen`: the aggregates around T; an aggregate may hold vectors of itself.
template <class T, class... Seen>
constexpr bool is_tree();
template <class... Seen, class... Child>
constexpr bool are_trees(TypeList<Child...>) {
  if constexpr ((is_tree<std::remove_const_t<Child>, Seen...>() && ...))
    return (has_no_const_array<Child, Seen...> && ...);
  else
    return false;
}
template <class T, class... Seen>
constexpr bool is_tree() {
  if constexpr (std::is_reference_v<T> || node_kind<T> == NodeKind::other) {
    return false;
  } else if constexpr (is_leaf<T>() || node_kind<T> == NodeKind::object || is_one_of<T, Seen...>) {
    return true;
  } else if constexpr (node_kind<T> == NodeKind::aggregate) {
    if constexpr (has_known_fields<T>())
      return are_trees<Seen..., T>(children_of<T>());
    else
      return false;
  } else {
    if constexpr (node_kind<T> == NodeKind::map)
      if constexpr (!is_map_key<typename Node<T>::MapKey>)
        return false;
    return are_trees<Seen...>(children_of<T>());
  }
}

/// A function of its own, so that the compiler prints the count.
template <class T, size_t count>
constexpr void require_field_count() {
  static_assert(has_at_most_40_fields<T, count>,
                "a struct in a tree may have at most 40 fields: group some of them in a struct of their own");
}

/// Fails a static_assert about the innermost type that cannot be in a tree.
template <class T, class... Seen>
constexpr bool require_tree();
template <class... Seen, class... Child>
constexpr bool require_trees(TypeList<Child...>) {
  if constexpr ((require_tree<std::remove_const_t<Child>, Seen...>() && ...)) {
    static_assert((has_no_const_array<Child, Seen...> && ...),
                  "a const Array or Key cannot be part of a tree, whose arrays transformations replace: drop the const "
                  "of the field, or of what tree_fields returns");
    return (has_no_const_array<Child, Seen...> && ...);
  } else {
    return false;
  }
}
template <class T, class... Seen>
constexpr bool require_tree() {
  static_assert(is_not_a_reference<T>, "a reference cannot be part of a tree: hold the value itself");
  static_assert(is_not_a_pointer<T>, "a pointer cannot be part of a tree: hold the value itself, text as std::string");
  if constexpr (std::is_reference_v<T> || !is_not_a_pointer<T>) {
    return false;
  } else if constexpr (node_kind<T> == NodeKind::other) {
    static_assert(can_be_part_of_a_tree<T>,
                  "this type cannot be part of a tree: a tree is made of Array, Key, numbers, enums, std::string, "
                  "vector, array, tuple, pair, map, optional, structs without constructors, private members or "
                  "virtual functions, and classes with auto tree_fields(T &t) { return std::tie(t.a, t.b); }");
    return false;
  } else if constexpr (is_leaf<T>() || node_kind<T> == NodeKind::object || is_one_of<T, Seen...>) {
    return true;
  } else if constexpr (node_kind<T> == NodeKind::aggregate) {
    if constexpr (NamesFields<T>)
      require_fields<T>();
    else
      static_assert(has_no_base_class<T>, "a struct with a base class cannot be part of a tree: make the base a field, "
                                          "or declare auto tree_fields(T &t) { return std::tie(t.a, t.b); } beside it");
    if constexpr (!NamesFields<T> && has_no_base_class<T>) {
      constexpr size_t count = field_count_of<T>;
      if constexpr (count == not_countable || count <= max_fields)
        static_assert(has_no_reference_field<T>, "a struct with a reference field cannot be part of a tree: hold the "
                                                 "value itself");
      if constexpr (has_no_reference_field<T>)
        static_assert(has_countable_fields<T>, "the fields of this struct cannot be counted: each must be movable or "
                                               "copyable");
      if constexpr (count != not_countable)
        require_field_count<T, count>();
    }
    if constexpr (has_known_fields<T>())
      return require_trees<Seen..., T>(children_of<T>());
    else
      return false;
  } else {
    if constexpr (node_kind<T> == NodeKind::map)
      static_assert(is_map_key<typename Node<T>::MapKey>,
                    "the keys of a map in a tree must be std::string or integers");
    return require_trees<Seen...>(children_of<T>());
  }
}

template <class Leaf, class... Seen, class... Child>
constexpr bool any_has_leaf(TypeList<Child...>) {
  return (has_leaf<Leaf, std::remove_const_t<Child>, Seen...>() || ...);
}
template <class Leaf, class T, class... Seen>
constexpr bool has_leaf() {
  if constexpr (node_kind<T> == NodeKind::variable || node_kind<T> == NodeKind::object)
    return std::is_same_v<Leaf, Variable>;
  else if constexpr (is_leaf<T>())
    return std::is_same_v<T, Leaf>;
  else if constexpr (is_one_of<T, Seen...>)
    return false;
  else if constexpr (node_kind<T> == NodeKind::aggregate)
    return any_has_leaf<Leaf, Seen..., T>(children_of<T>());
  else
    return any_has_leaf<Leaf, Seen...>(children_of<T>());
}

/// Whether a T may hold arrays or keys by a class that names its fields: only copies of such a class can share them.
template <class T, class... Seen>
constexpr bool may_share_arrays();
template <class... Seen, class... Child>
constexpr bool any_may_share_arrays(TypeList<Child...>) {
  return (may_share_arrays<std::remove_const_t<Child>, Seen...>() || ...);
}
template <class T, class... Seen>
constexpr bool may_share_arrays() {
  if constexpr (is_leaf<T>() || node_kind<T> == NodeKind::object || is_one_of<T, Seen...>)
    return false;
  else if constexpr (NamesFields<T>)
    return has_leaf<Array, T>() || has_leaf<Key, T>();
  else if constexpr (node_kind<T> == NodeKind::aggregate)
    return any_may_share_arrays<Seen..., T>(children_of<T>());
  else
    return any_may_share_arrays<Seen...>(children_of<T>());
}

/// Whether two values of T can differ in structure or static values.
template <class T, class... Seen>
constexpr bool varies();
template <class... Seen, class... Child>
constexpr bool any_varies(TypeList<Child...>) {
  return (varies<std::remove_const_t<Child>, Seen...>() || ...);
}
template <class T, class... Seen>
constexpr bool varies() {
  constexpr NodeKind kind = node_kind<T>;
  if constexpr (kind == NodeKind::array || kind == NodeKind::key)
    return false;
  else if constexpr (kind == NodeKind::fixed || kind == NodeKind::tuple)
    return any_varies<Seen...>(children_of<T>());
  else if constexpr (kind == NodeKind::aggregate)
    return !is_one_of<T, Seen...> && any_varies<Seen..., T>(children_of<T>());
  else
    return true;
}
template <class T>
inline constexpr bool structure_varies = varies<std::remove_const_t<T>>();

} // namespace detail

} // namespace tenon

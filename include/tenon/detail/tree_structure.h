//===- tree_structure.h - the structure of a tree as bytes ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included through tree.h: the canonical bytes of append_structure. What the type
// fixes is laid out at compile time and copied in one piece.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/tree_type.h>

namespace tenon {
namespace detail {

/// Writes the bytes that describe a type, at compile time; counts them alone
/// while `out` is null. The grammar (counts are 4 bytes, a text is a count and
/// its characters):
///   A                       Array                K                  Key
///   V                       Variable             O text             TreeObject
///   s form size text        static leaf, form one of b i u f e t    (t: string)
///   v node                  vector               o node             optional
///   a count node            std::array, C array  t count node...    tuple, pair
///   m form size node        map, key of form i u t
///   { text count (text node)...                  aggregate
///   r count                 the aggregate `count` levels from the outermost
/// The values follow behind: sizes and strings with 8-byte counts, engagement
/// as a byte, numbers as their bytes, integer keys and which Variable it is as 8 bytes; of a TreeObject a text, which
/// says which object it is and what its parts are.
struct TypeWriter {
  char *out = nullptr;
  size_t size = 0;

  constexpr void put(char c) {
    if (out)
      out[size] = c;
    ++size;
  }
  constexpr void count(size_t value) {
    for (int byte = 0; byte < 4; ++byte)
      put(static_cast<char>(value >> (8 * byte)));
  }
  constexpr void text(std::string_view value) {
    count(value.size());
    for (char c : value)
      put(c);
  }
};

template <class T>
constexpr char static_form() {
  return std::is_same_v<T, std::string> ? 't'
         : std::is_same_v<T, bool>      ? 'b'
         : std::is_enum_v<T>            ? 'e'
         : std::is_floating_point_v<T>  ? 'f'
         : std::is_signed_v<T>          ? 'i'
                                        : 'u';
}
/// An 80-bit long double has six bytes of padding.
template <class T>
inline constexpr size_t value_bytes = std::is_same_v<T, long double> && __LDBL_MANT_DIG__ == 64 ? 10 : sizeof(T);

template <class T, class... Seen>
constexpr void describe(TypeWriter &out);
template <class... Seen, class... Child>
constexpr void describe_all(TypeWriter &out, TypeList<Child...>) {
  (describe<std::remove_const_t<Child>, Seen...>(out), ...);
}
template <class T, class... Seen, class... Child>
constexpr void describe_fields(TypeWriter &out, TypeList<Child...>) {
  [[maybe_unused]] size_t index = 0;
  ((out.text(field_names_of<T>[index++]), describe<std::remove_const_t<Child>, Seen..., T>(out)), ...);
}
template <class T, class... Seen>
constexpr void describe(TypeWriter &out) {
  constexpr NodeKind kind = node_kind<T>;
  if constexpr (kind == NodeKind::array) {
    out.put('A');
  } else if constexpr (kind == NodeKind::key) {
    out.put('K');
  } else if constexpr (kind == NodeKind::variable) {
    out.put('V');
  } else if constexpr (kind == NodeKind::object) {
    out.put('O');
    out.text(type_name<T>);
  } else if constexpr (kind == NodeKind::static_) {
    out.put('s');
    out.put(static_form<T>());
    out.put(static_cast<char>(value_bytes<T>));
    out.text(type_name<T>);
  } else if constexpr (is_one_of<T, Seen...>) {
    size_t level = 0, found = 0;
    ((std::is_same_v<T, Seen> ? void(found = level++) : void(++level)), ...);
    out.put('r');
    out.count(found);
  } else if constexpr (kind == NodeKind::aggregate) {
    out.put('{');
    out.text(type_name<T>);
    out.count(field_count_of<T>);
    describe_fields<T, Seen...>(out, children_of<T>());
  } else {
    if constexpr (kind == NodeKind::vector) {
      out.put('v');
    } else if constexpr (kind == NodeKind::optional) {
      out.put('o');
    } else if constexpr (kind == NodeKind::fixed) {
      out.put('a');
      out.count(Node<T>::size);
    } else if constexpr (kind == NodeKind::tuple) {
      out.put('t');
      out.count(std::tuple_size_v<T>);
    } else {
      out.put('m');
      out.put(static_form<typename Node<T>::MapKey>());
      out.put(static_cast<char>(sizeof(typename Node<T>::MapKey)));
    }
    describe_all<Seen...>(out, children_of<T>());
  }
}

template <class T>
constexpr auto describe_type() {
  constexpr size_t size = [] {
    TypeWriter counter;
    describe<T>(counter);
    return counter.size;
  }();
  std::array<char, size> bytes{};
  TypeWriter writer{bytes.data()};
  describe<T>(writer);
  return bytes;
}
template <class T>
inline constexpr auto type_description = describe_type<T>();

template <class Sink>
void append_text(Sink &out, std::string_view text) {
  uint64_t size = text.size();
  out.append(&size, sizeof(size));
  out.append(text.data(), text.size());
}

/// Appends the value of a TreeObject.
template <class Sink>
void append_object(Sink &out, const TreeObject &object);

template <class Sink, class T>
void append_values(Sink &out, const T &tree) {
  constexpr NodeKind kind = node_kind<T>;
  if constexpr (!structure_varies<T>) {
    return;
  } else if constexpr (std::is_same_v<T, std::string>) {
    append_text(out, tree);
  } else if constexpr (kind == NodeKind::static_) {
    out.append(&tree, value_bytes<T>);
  } else if constexpr (kind == NodeKind::variable) {
    const uint64_t identity = identity_of(tree);
    out.append(&identity, sizeof(identity));
  } else if constexpr (kind == NodeKind::object) {
    append_object(out, tree);
  } else if constexpr (kind == NodeKind::vector || kind == NodeKind::fixed) {
    if constexpr (kind == NodeKind::vector) {
      uint64_t size = tree.size();
      out.append(&size, sizeof(size));
    }
    if constexpr (any_varies(children_of<T>())) {
      for (auto &&element : tree)
        if constexpr (std::is_same_v<decltype(children_of<T>()), TypeList<bool>>)
          append_values<Sink, bool>(out, element);
        else
          append_values(out, element);
    }
  } else if constexpr (kind == NodeKind::tuple) {
    std::apply([&](const auto &...element) { (append_values(out, element), ...); }, tree);
  } else if constexpr (kind == NodeKind::map) {
    uint64_t size = tree.size();
    out.append(&size, sizeof(size));
    for (const auto &[key, value] : tree) {
      if constexpr (std::is_integral_v<typename Node<T>::MapKey>) {
        int64_t index = static_cast<int64_t>(key);
        out.append(&index, sizeof(index));
      } else {
        append_text(out, key);
      }
      append_values(out, value);
    }
  } else if constexpr (kind == NodeKind::optional) {
    char engaged = tree.has_value();
    out.append(&engaged, 1);
    if (tree)
      append_values(out, *tree);
  } else {
    with_fields(tree, [&](const auto &...field) { (append_values(out, field), ...); });
  }
}

} // namespace detail
} // namespace tenon

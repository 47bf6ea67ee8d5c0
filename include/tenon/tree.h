//===- tree.h - nested containers and aggregates of arrays -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tree is any nesting of vector, array, tuple, pair, map (with string or integer keys), optional, C arrays, plain
// aggregates, and classes whose fields a function beside them names:
//
//   auto tree_fields(Dense &layer) { return std::tie(layer.kernel, layer.bias); }
//
// Name every member that a call reads or changes. Transformations do not see a member without a name: jit reads it
// once, while tracing, as a value that the function captures, so a later call with another value gives stale results;
// grad takes it for a constant, and a change of it under jit is lost. Copies of the class copy such members as they
// are. Copies must not share their arrays, as a copy of a std::shared_ptr or of a reference member would:
// transformations replace the arrays of copies, so sharing is an Error.
//
// A class that derives from TreeObject, such as a layer, names its parts at run time in `fields`; its leaves are
// Variables.
//
// The leaves of a tree are Arrays, Keys, Variables and static values (numbers, bool, enums, std::string). Copies of a
// tree share its Variables, which transformations do not treat as arrays of the tree. Leaves are visited in order of
// declaration, map entries in map order. Each leaf has a path, such as `layers[3].kernel` or `heads["left"]`; optional
// adds nothing to a path.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/call.h>
#include <tenon/detail/tree_structure.h>
#include <tenon/error.h>

#include <span>

namespace tenon {

enum class LeafKind : uint8_t { array, key, variable, static_ };

/// Path of a leaf: a chain of stack frames that is valid only during the visit. Allocates nothing before str() is
/// called.
class Path {
public:
  Path() = default;
  Path(const Path &parent, std::string_view field) : parent_(&parent), name_(field), kind_(Kind::field) {}
  Path(const Path &parent, int64_t index) : parent_(&parent), index_(index), kind_(Kind::index) {}
  static Path with_key(const Path &parent, std::string_view key) {
    Path path(parent, key);
    path.kind_ = Kind::key;
    return path;
  }
  bool is_root() const { return kind_ == Kind::root; }
  /// The path as text, such as `layers[3].kernel`; empty for the root.
  std::string str() const;

private:
  enum class Kind : uint8_t { root, field, index, key };
  void append(std::string &out) const;

  const Path *parent_ = nullptr;
  std::string_view name_;
  int64_t index_ = 0;
  Kind kind_ = Kind::root;
};

/// Types that jit, grad, vmap and tree_map accept.
template <class T>
concept Tree = detail::is_tree<std::remove_cvref_t<T>>();

/// Whether a T can hold an Array; true for an empty vector of them as well.
template <class T>
inline constexpr bool has_array_leaves = detail::has_leaf<Array, std::remove_cvref_t<T>>();

/// The kind of a leaf that for_each_leaf hands out.
template <class T>
  requires(detail::is_leaf<std::remove_cvref_t<T>>())
inline constexpr LeafKind leaf_kind =
    std::is_same_v<std::remove_cvref_t<T>, Array>                             ? LeafKind::array
    : std::is_same_v<std::remove_cvref_t<T>, Key>                             ? LeafKind::key
    : detail::node_kind<std::remove_cvref_t<T>> == detail::NodeKind::variable ? LeafKind::variable
                                                                              : LeafKind::static_;

namespace detail {

/// Which leaves a visit is about; values are arrays and keys.
enum class Leaves : uint8_t { all, arrays, values };

template <Leaves which, class T>
constexpr bool holds_leaves() {
  return which == Leaves::all || has_array_leaves<T> ||
         (which == Leaves::values && has_leaf<Key, std::remove_const_t<T>>());
}

/// Stands for a path that nobody asks for.
struct NoPath {
  NoPath() = default;
  template <class Part>
  NoPath(NoPath, const Part &) {}
  template <class Part>
  static NoPath with_key(NoPath, const Part &) {
    return {};
  }
};

/// Visits the Variables of an object; in the library, objects in objects.
template <class T, class F, class P>
void visit_object(T &object, F &callback, const P &path);

template <Leaves which, class T, class F, class P>
void visit(T &tree, F &callback, const P &path) {
  constexpr NodeKind kind = node_kind<T>;
  if constexpr (!holds_leaves<which, T>()) {
    return;
  } else if constexpr (kind == NodeKind::variable) {
    using Leaf = std::conditional_t<std::is_const_v<T>, const Variable, Variable>;
    callback(static_cast<Leaf &>(tree), path);
  } else if constexpr (is_leaf<T>()) {
    callback(tree, path);
  } else if constexpr (kind == NodeKind::object) {
    visit_object(tree, callback, path);
  } else if constexpr (kind == NodeKind::vector || kind == NodeKind::fixed) {
    int64_t index = 0;
    for (auto &&element : tree) {
      if constexpr (std::is_same_v<decltype(children_of<std::remove_const_t<T>>()), TypeList<bool>>) {
        const bool value = element; // vector<bool> has no references to give
        visit<which>(value, callback, P(path, index++));
      } else {
        visit<which>(element, callback, P(path, index++));
      }
    }
  } else if constexpr (kind == NodeKind::tuple) {
    std::apply(
        [&](auto &...element) {
          [[maybe_unused]] int64_t index = 0;
          (visit<which>(element, callback, P(path, index++)), ...);
        },
        tree);
  } else if constexpr (kind == NodeKind::map) {
    for (auto &[key, value] : tree)
      if constexpr (std::is_integral_v<typename Node<std::remove_const_t<T>>::MapKey>)
        visit<which>(value, callback, P(path, static_cast<int64_t>(key)));
      else
        visit<which>(value, callback, P::with_key(path, key));
  } else if constexpr (kind == NodeKind::optional) {
    if (tree)
      visit<which>(*tree, callback, path);
  } else {
    with_fields(tree, [&](auto &...field) {
      [[maybe_unused]] const auto &names = field_names_of<std::remove_const_t<T>>;
      [[maybe_unused]] size_t index = 0;
      (visit<which>(field, callback, P(path, names[index++])), ...);
    });
  }
}

} // namespace detail

/// Calls `callback(leaf, path)` for every leaf in order; use leaf_kind to distinguish leaves. Leaves of a non-const
/// tree are passed as non-const references.
template <class T, class F>
void for_each_leaf(T &&tree, F &&callback) {
  if constexpr (detail::require_tree<std::remove_cvref_t<T>>())
    detail::visit<detail::Leaves::all>(tree, callback, Path());
}

/// for_each_leaf for Array leaves only.
template <class T, class F>
void for_each_array(T &&tree, F &&callback) {
  if constexpr (detail::require_tree<std::remove_cvref_t<T>>())
    detail::visit<detail::Leaves::arrays>(tree, callback, Path());
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

namespace detail {

/// Throws the Error that names the first difference, unless only static values differ.
void require_same_structure(std::string_view function, std::string_view first, std::string_view other, int number,
                            Location at);
[[noreturn]] void throw_leaf_count(std::string_view function, size_t expected, size_t got, Location at);

} // namespace detail

/// A sink of bytes on the stack, on the heap only past 512.
class StructureBytes {
public:
  StructureBytes() = default;
  StructureBytes(const StructureBytes &) = delete;
  StructureBytes &operator=(const StructureBytes &) = delete;
  ~StructureBytes() {
    if (data_ != inline_)
      delete[] data_;
  }
  void append(const void *bytes, size_t size) {
    if (size > capacity_ - size_)
      grow(size);
    __builtin_memcpy(data_ + size_, bytes, size);
    size_ += size;
  }
  void clear() { size_ = 0; }
  std::string_view view() const;

private:
  void grow(size_t size);

  char *data_ = inline_;
  size_t size_ = 0, capacity_ = sizeof(inline_);
  char inline_[512];
};

/// Appends bytes that are equal exactly for trees of one type, equal container
/// sizes, map keys, engagement and static values; Array and Key leaves count as
/// places only. The bytes are for comparing in full within a process.
/// Sink: anything with append(const void *, size_t).
template <class Sink, class T>
void append_structure(Sink &out, const T &tree) {
  if constexpr (detail::require_tree<T>()) {
    constexpr auto &type = detail::type_description<T>;
    out.append(type.data(), type.size());
    detail::append_values(out, tree);
  }
}

/// Bytes of append_structure as a person reads them:
/// `Net{layers: [2 x Dense{kernel: Array}], name: "mlp"}`.
std::string structure_text(std::string_view structure);
/// The first difference between two structures, `layers: expected 3 elements,
/// got 2`; empty if there is none. Static values take part only if `values`.
std::string structure_difference(std::string_view expected, std::string_view got, bool values);

/// Describes the structure of a tree, such as `Net{layers: [2 x Dense{kernel: Array}], name: "mlp"}`.
template <class T>
[[nodiscard]] std::string tree_structure(const T &tree) {
  StructureBytes bytes;
  append_structure(bytes, tree);
  return structure_text(bytes.view());
}

//===----------------------------------------------------------------------===//
// Objects that name their parts at run time
//===----------------------------------------------------------------------===//

namespace detail {
/// Who visits the Variables of an object.
class VariableVisitor {
public:
  explicit VariableVisitor(bool clones = false) : isCloning(clones) {}
  virtual void visit(Variable &leaf, const Path &path) = 0;
  /// Whether an object is to hold a copy of its own of what it shares with its copies, before that is visited.
  const bool isCloning;

protected:
  ~VariableVisitor() = default;
};
} // namespace detail

/// What TreeObject::fields is given: it is told the parts of the object.
class Fields {
public:
  /// Internal: those who visit.
  Fields(detail::VariableVisitor &visitor, const Path &path) : visitor_(&visitor), path_(&path) {}
  explicit Fields(StructureBytes &structure) : structure_(&structure) {}

  /// Names a part: a Variable, another object, or a tree of these and of static values. A part that holds an Array or a
  /// Key does not compile: hold it as a Variable, which checkpoints and programs find.
  template <class T>
  Fields &operator()(std::string_view name, T &part);

  /// Names the parts of `part` as those of the object itself.
  template <class T>
  Fields &inner(T &part);

  /// Whether the object is being cloned: parts that it shares with its copies are to be copied now.
  bool isCloning() const { return visitor_ && visitor_->isCloning; }

private:
  template <class T>
  void take(T &part, const Path &path);
  Path path() const { return path_ ? *path_ : Path(); }

  detail::VariableVisitor *visitor_ = nullptr;
  const Path *path_ = nullptr;
  StructureBytes *structure_ = nullptr;
};

/// Base of classes that name their parts at run time: layers, optimizers, metrics. In a tree an object stands for the
/// Variables of its parts. All else that it holds is its configuration, which must not change: programs take copies of
/// one object for the same configuration, and checkpoints do not hold it.
class TreeObject {
public:
  virtual ~TreeObject() = default;
  /// Names the parts: `f("kernel", kernel_)("inner", inner_)`. Not const, since cloning replaces Variables.
  virtual void fields(Fields & /*f*/) {}
  /// A checkpoint has an array for a part `name` that fields does not name: makes the part if it will be one, such as a
  /// slot of an optimizer before its first step. False: it will not.
  virtual bool restore_part(const std::string & /*name*/, const Array & /*value*/) { return false; }

  /// Internal: a number that copies share, and no other object of the process has.
  uint64_t identity() const { return identity_; }

protected:
  TreeObject();
  TreeObject(const TreeObject &) = default;
  TreeObject &operator=(const TreeObject &) = default;

private:
  uint64_t identity_;
};

namespace detail {

template <class F>
class VisitorOf final : public VariableVisitor {
public:
  explicit VisitorOf(F &callback) : VariableVisitor(requires { typename F::Clones; }), callback_(callback) {}
  void visit(Variable &leaf, const Path &path) override { callback_(leaf, path); }

private:
  F &callback_;
};
/// Hands on the Variables of a part.
struct PartVisitor {
  VariableVisitor &visitor;
  void operator()(Variable &leaf, const Path &path) const { visitor.visit(leaf, path); }
  template <class Static>
  void operator()(const Static &, const Path &) const {}
};
template <class T, class F, class P>
void visit_object(T &object, F &callback, const P &path) {
  static_assert(std::is_same_v<P, Path>, "Variables are visited with their paths");
  if constexpr (std::is_same_v<F, PartVisitor>) {
    Fields fields(callback.visitor, path);
    object.fields(fields);
  } else if constexpr (std::is_const_v<T>) {
    auto read = [&](Variable &leaf, const Path &at) { callback(std::as_const(leaf), at); };
    VisitorOf<decltype(read)> visitor(read);
    Fields fields(visitor, path);
    const_cast<std::remove_const_t<T> &>(object).fields(fields);
  } else {
    VisitorOf<F> visitor(callback);
    Fields fields(visitor, path);
    object.fields(fields);
  }
}
template <class Sink>
void append_object(Sink &out, const TreeObject &object) {
  StructureBytes parts;
  const uint64_t identity = object.identity();
  parts.append(&identity, sizeof(identity));
  Fields fields(parts);
  const_cast<TreeObject &>(object).fields(fields);
  append_text(out, parts.view());
}

} // namespace detail

template <class T>
void Fields::take(T &part, const Path &path) {
  if constexpr (detail::require_tree<T>()) {
    static_assert(!has_array_leaves<T> && !detail::has_leaf<Key, T>(),
                  "a part of an object holds an Array or a Key: hold it as an nn::State, which checkpoints and "
                  "programs find");
    if (structure_) {
      append_structure(*structure_, std::as_const(part));
    } else {
      detail::PartVisitor callback{*visitor_};
      detail::visit<detail::Leaves::all>(const_cast<std::remove_const_t<T> &>(part), callback, path);
    }
  }
}
template <class T>
Fields &Fields::operator()(std::string_view name, T &part) {
  take(part, Path(path(), name));
  return *this;
}
template <class T>
Fields &Fields::inner(T &part) {
  take(part, path());
  return *this;
}

//===----------------------------------------------------------------------===//
// Leaves in and out
//===----------------------------------------------------------------------===//

/// Returns all Array leaves in order.
template <class T, class A = Array>
[[nodiscard]] std::vector<A> tree_leaves(const T &tree) {
  std::vector<A> leaves;
  for_each_array(tree, [&](const A &leaf, const Path &) { leaves.push_back(leaf); });
  return leaves;
}

/// Replaces the Array leaves in order. An Error if the number of arrays differs; nothing is replaced then.
template <class T, class A = Array>
void assign_leaves(T &tree, std::type_identity_t<std::span<const A>> leaves, Location at = Location::current()) {
  size_t count = 0;
  for_each_array(std::as_const(tree), [&](const A &, const Path &) { ++count; });
  if (count != leaves.size())
    detail::throw_leaf_count("assign_leaves", count, leaves.size(), at);
  const A *next = leaves.data();
  for_each_array(tree, [&](A &leaf, const Path &) { leaf = *next++; });
}

namespace detail {

/// The addresses of arrays and keys.
struct AddressCollector {
  std::vector<const void *> &out;
  template <class Leaf>
  void operator()(const Leaf &leaf, NoPath) const {
    out.push_back(&leaf);
  }
};
template <class T>
std::vector<const void *> leaf_addresses(const T &tree) {
  std::vector<const void *> out;
  AddressCollector collector{out};
  visit<Leaves::values>(tree, collector, NoPath());
  return out;
}
/// Finds the path of the leaf with this number.
struct PathFinder {
  size_t number;
  std::string &out;
  template <class Leaf>
  void operator()(const Leaf &, const Path &path) {
    if (number-- == 0)
      out = path.str();
  }
};
/// Index of the first leaf that the copy shares with the tree, or the number of leaves if none. An Error if the numbers
/// of leaves differ.
size_t first_shared(const std::vector<const void *> &tree, const std::vector<const void *> &copy, std::string_view type,
                    Location at);
[[noreturn]] void throw_shared_array(std::string_view type, const std::string &path, Location at);

/// A copy of `tree` whose arrays can be replaced; an Error if they are those of `tree` itself.
template <class T>
T copy_tree(const T &tree, [[maybe_unused]] Location at) {
  if constexpr (may_share_arrays<T>()) {
    T copy(tree);
    const std::vector<const void *> leaves = leaf_addresses(tree);
    const size_t number = first_shared(leaves, leaf_addresses(copy), type_name<T>, at);
    if (number < leaves.size()) {
      std::string path;
      PathFinder finder{number, path};
      visit<Leaves::values>(tree, finder, Path());
      throw_shared_array(type_name<T>, path, at);
    }
    return copy;
  } else {
    return tree;
  }
}

} // namespace detail

/// Returns a copy of `tree`; it shares elements and Variables.
template <class T>
[[nodiscard]] T tree_copy(const T &tree, Location at = Location::current()) {
  static_assert(detail::require_tree<T>());
  return detail::copy_tree(tree, at);
}

/// Returns a copy of `tree` with other Array leaves.
template <class T, class A = Array>
[[nodiscard]] T tree_unflatten(const T &tree, std::type_identity_t<std::span<const A>> leaves,
                               Location at = Location::current()) {
  T result = tree_copy(tree, at);
  assign_leaves<T, A>(result, leaves, at);
  return result;
}

namespace detail {

/// A function and a tree, and more trees: what tree_map says of others is clearer
/// than that nothing matches.
struct TakesTrees {
  template <class F, class T, class... Rest>
  void operator()(F &, T &, Rest &...) const;
};

struct TreeMap : LocatedCall<TreeMap, TakesTrees, AsConst> {
  template <class F, class T, class... Rest>
  std::remove_cvref_t<T> call(Location at, F &&callback, T &&tree, const Rest &...rest) const {
    using Result = std::remove_cvref_t<T>;
    static_assert((std::is_same_v<Result, Rest> && ...), "tree_map takes trees of one type");
    static_assert(require_tree<Result>());
    static_assert(!has_leaf<Variable, Result>(),
                  "tree_map makes a tree of other arrays, and this one holds a Variable, "
                  "which a copy of the tree shares: assign it");
    Result result = own<Result>(std::forward<T>(tree), at);
    if constexpr (sizeof...(Rest) == 0) {
      for_each_array(result, [&](auto &leaf, const Path &) { leaf = call_at(at, callback, std::as_const(leaf)); });
    } else {
      if constexpr (structure_varies<Result>) {
        StructureBytes first;
        append_structure(first, result);
        int number = 1;
        auto check = [&](const Result &other) {
          StructureBytes bytes;
          append_structure(bytes, other);
          ++number;
          if (bytes.view() != first.view())
            require_same_structure("tree_map", first.view(), bytes.view(), number, at);
        };
        (check(rest), ...);
      }
      auto gather = []<class A = Array>(const Result &other) {
        std::vector<const A *> leaves;
        for_each_array(other, [&](const A &leaf, const Path &) { leaves.push_back(&leaf); });
        return leaves;
      };
      std::array leaves{gather(rest)...};
      size_t index = 0;
      for_each_array(result, [&](auto &leaf, const Path &) {
        std::apply([&](const auto &...other) { leaf = call_at(at, callback, std::as_const(leaf), *other[index]...); },
                   leaves);
        ++index;
      });
    }
    return result;
  }

private:
  /// The tree as a value. Where a temporary may share its arrays with other objects, a copy tells whether it does.
  template <class Result, class T>
  static Result own(T &&tree, Location at) {
    if constexpr (std::is_lvalue_reference_v<T> || (may_share_arrays<Result>() && std::is_copy_constructible_v<Result>))
      return copy_tree<Result>(tree, at);
    else
      return Result(std::forward<T>(tree));
  }
};

} // namespace detail

/// `tree_map(callback, tree, rest...)` returns the tree of `callback(leaf, leaves of rest...)` for all Array leaves;
/// keys and static values are copied from the first tree. All trees must have the same type. An Error names the path
/// at which sizes, map keys or engaged optionals differ.
inline constexpr detail::TreeMap tree_map;

} // namespace tenon

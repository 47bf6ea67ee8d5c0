//===- tree_ops.h - trees without their types -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included through jit.h and transform.h. Transformations stand in the library and
// know neither the trees nor the function that they work on: a tree comes with a
// table of functions, made once for its type, and a function as a thunk that calls
// it with trees. What is made again for each function is that thunk alone, so that
// programs with hundreds of them compile quickly.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/inline_vector.h>
#include <tenon/key.h>
#include <tenon/tree.h>

namespace tenon::detail {

/// An array in a tree: an Array leaf, or the data of a Key.
struct TreeLeaf {
  Array *array;
  bool isKey;
};
using TreeLeaves = InlineVector<TreeLeaf, 16>;

struct TreeRef;

/// What the library does with the trees of one type.
struct TreeOps {
  /// Appends the arrays and keys in order.
  void (*leaves)(void *tree, TreeLeaves &out);
  void (*structure)(const void *tree, StructureBytes &out);
  /// Appends their paths; that of a leaf itself is empty.
  void (*paths)(const void *tree, std::vector<std::string> &out);
  /// An Error if the copy shares its arrays with the tree.
  void *(*copy)(const void *tree, Location at);
  void (*destroy)(void *tree);
  /// Of a tuple or pair: its elements.
  void (*elements)(const void *tree, std::vector<TreeRef> &out);
  bool isArray;
};

/// A tree that somebody else holds. Const in the table's functions alone.
struct TreeRef {
  void *tree = nullptr;
  const TreeOps *ops = nullptr;
};

/// A tree of its own.
class OwnedTree {
public:
  OwnedTree() = default;
  OwnedTree(void *tree, const TreeOps *ops) : ref_{tree, ops} {}
  OwnedTree(OwnedTree &&other) noexcept : ref_(other.ref_) { other.ref_ = {}; }
  OwnedTree &operator=(OwnedTree &&other) noexcept {
    const TreeRef before = ref_;
    ref_ = other.ref_;
    other.ref_ = before;
    return *this;
  }
  ~OwnedTree() {
    if (ref_.tree)
      ref_.ops->destroy(ref_.tree);
  }
  const TreeRef &ref() const { return ref_; }
  void *get() const { return ref_.tree; }

private:
  TreeRef ref_;
};

struct LeafCollector {
  TreeLeaves &out;
  void operator()(Array &leaf, NoPath) const { out.push_back({&leaf, false}); }
  void operator()(Key &leaf, NoPath) const { out.push_back({&leaf.data, true}); }
};
struct PathCollector {
  std::vector<std::string> &out;
  template <class Leaf>
  void operator()(const Leaf &, const Path &path) const {
    take(path);
  }
  void take(const Path &path) const;
};

/// The functions of a table for T.
template <class T>
struct TreeOpsOf {
  static void leaves(void *tree, TreeLeaves &out) {
    LeafCollector collector{out};
    visit<Leaves::values>(*static_cast<T *>(tree), collector, NoPath());
  }
  static void structure(const void *tree, StructureBytes &out) { append_structure(out, *static_cast<const T *>(tree)); }
  static void paths(const void *tree, std::vector<std::string> &out) {
    PathCollector collector{out};
    visit<Leaves::values>(*static_cast<const T *>(tree), collector, Path());
  }
  static void *copy(const void *tree, Location at) { return new T(copy_tree(*static_cast<const T *>(tree), at)); }
  static void destroy(void *tree) { delete static_cast<T *>(tree); }
  static void elements(const void *tree, std::vector<TreeRef> &out);
};
template <class T>
inline constexpr TreeOps tree_ops = {
    &TreeOpsOf<T>::leaves,   &TreeOpsOf<T>::structure,
    &TreeOpsOf<T>::paths,    &TreeOpsOf<T>::copy,
    &TreeOpsOf<T>::destroy,  node_kind<T> == NodeKind::tuple ? &TreeOpsOf<T>::elements : nullptr,
    std::is_same_v<T, Array>};

template <class T>
TreeRef tree_ref(const T &tree) {
  return {const_cast<T *>(&tree), &tree_ops<T>};
}
template <class T>
void TreeOpsOf<T>::elements(const void *tree, std::vector<TreeRef> &out) {
  if constexpr (node_kind<T> == NodeKind::tuple)
    std::apply([&](const auto &...element) { (out.push_back(tree_ref(element)), ...); }, *static_cast<const T *>(tree));
}

/// A function of trees, borrowed for a call.
struct TreeFunction {
  void *function;
  /// Its result is new, and the caller's; null where it returns nothing.
  void *(*call)(void *function, Location at, void *const *arguments);
  const TreeOps *result;

  OwnedTree operator()(Location at, void *const *arguments) const { return {call(function, at, arguments), result}; }
};

/// A call of F with arguments of the types P, which are references.
template <class F, class Indices, class... P>
struct CallThunk;
template <class F, size_t... i, class... P>
struct CallThunk<F, std::index_sequence<i...>, P...> {
  using Result = ResultOf<F, P...>;
  static void *call(void *function, Location at, [[maybe_unused]] void *const *arguments) {
    F &callable = *reinterpret_cast<F *>(function); // the address of a function, too
    if constexpr (std::is_void_v<Result>) {
      call_at(at, callable, *static_cast<std::remove_reference_t<P> *>(arguments[i])...);
      return nullptr;
    } else if constexpr (may_share_arrays<Result>()) {
      // A copy, because the arrays of a result are replaced: not those of an object that the function keeps.
      const Result result = call_at(at, callable, *static_cast<std::remove_reference_t<P> *>(arguments[i])...);
      return new Result(copy_tree(result, at));
    } else {
      return new Result(call_at(at, callable, *static_cast<std::remove_reference_t<P> *>(arguments[i])...));
    }
  }
};
template <class... P, class F>
TreeFunction tree_function(F &function) {
  using Thunk = CallThunk<F, std::index_sequence_for<P...>, P...>;
  const TreeOps *result = nullptr;
  if constexpr (!std::is_void_v<typename Thunk::Result>)
    result = &tree_ops<typename Thunk::Result>;
  if constexpr (std::is_function_v<F>)
    return {reinterpret_cast<void *>(&function), &Thunk::call, result};
  else
    return {const_cast<std::remove_const_t<F> *>(&function), &Thunk::call, result};
}

/// Whether the type of F says that its parameter i is an Array.
template <class F, size_t i>
constexpr bool takes_array() {
  constexpr size_t object = takes_object<F>;
  if constexpr (ParametersOf<F>::known && i < parameter_count<F> && i >= object)
    return std::is_same_v<std::remove_cvref_t<typename ParametersOf<F>::template At<i - object>>, Array>;
  else
    return false;
}
/// Whether C++ converts an A to an Array: numbers, a std::vector or std::array of numbers, a Variable.
template <class A>
inline constexpr bool converts_to_array = !std::is_same_v<A, Array> && std::is_convertible_v<const A &, Array>;
/// Whether C++ numbers, one or a container of them, or a Variable given as argument i of F arrive at a parameter of
/// type Array: they are an input then, and not static.
template <class F, size_t i, class A>
constexpr bool is_number_input() {
  if constexpr (takes_array<F, i>())
    return converts_to_array<A>;
  else
    return false;
}
template <class F, class Indices, class... A>
inline constexpr bool any_number_input = false;
template <class F, size_t... i, class... A>
inline constexpr bool any_number_input<F, std::index_sequence<i...>, A...> =
    (is_number_input<F, i, std::remove_cvref_t<A>>() || ...);
template <class F, class... A>
constexpr bool has_number_input() {
  if constexpr ((!std::is_same_v<std::remove_cvref_t<A>, Array> || ...))
    return any_number_input<F, std::index_sequence_for<A...>, A...>;
  return false;
}
/// Converts `value` to an Array; errors name the line `at`.
template <class A>
Array to_array(const A &value, [[maybe_unused]] Location at) {
  if constexpr (std::is_same_v<A, Variable>)
    return value.value(at);
  else if constexpr (std::is_constructible_v<Array, const A &, Location>)
    return Array(value, at);
  else
    return value;
}
template <class F, size_t i, class A>
decltype(auto) as_input([[maybe_unused]] Location at, A &&argument) {
  if constexpr (is_number_input<F, i, std::remove_cvref_t<A>>())
    return to_array(argument, at);
  else
    return std::forward<A>(argument);
}
/// callback(arguments as F gets them...)
template <class F, class C, size_t... i, class... A>
decltype(auto) with_inputs(const C &callback, std::index_sequence<i...>, [[maybe_unused]] Location at,
                           A &&...arguments) {
  return callback(as_input<F, i>(at, std::forward<A>(arguments))...);
}
template <class F, class Callee, class... A>
auto call_with_inputs(const Callee &callee, Location at, A &&...arguments) {
  auto call = [&](auto &&...input) { return callee.call(at, std::forward<decltype(input)>(input)...); };
  return with_inputs<F>(call, std::index_sequence_for<A...>(), at, std::forward<A>(arguments)...);
}

/// The static_assert that a function like `[](Array &x) {...}` fails first.
template <class F>
consteval bool require_reading() {
  static_assert(reads_arguments<F>,
                "grad, vjp and vmap give a function its arguments to read: take them by value or as "
                "const Array &, not as Array &, and return what changes");
  return true;
}

/// The first argument called with the others.
struct CallFirst {
  template <class F, class... A>
  auto operator()(F &function, A &...arguments) const -> decltype(detail::invoke(function, arguments...));
};

/// `transformation(f, args...)`: Derived has `run(Location at, F &f, const A &...args) const`, where f reads its
/// arguments and numbers that it takes as Arrays are such. Takes: what may be called so.
template <class Derived, class Takes = CallFirst>
struct CallOfFunction : LocatedCall<Derived, Takes, AsCopy> {
  template <class F, class... A>
  auto call(Location at, F &&f, const A &...args) const {
    using Callable = std::remove_reference_t<F>;
    if constexpr (std::is_function_v<Callable>) {
      auto *pointer = &f;
      return call(at, pointer, args...);
    } else if constexpr (has_number_input<Callable, A...>()) {
      auto again = [&](const auto &...input) { return call(at, f, input...); };
      return with_inputs<Callable>(again, std::index_sequence_for<A...>(), at, args...);
    } else {
      static_assert(require_reading<std::decay_t<F>>());
      return static_cast<const Derived &>(*this).run(at, f, args...);
    }
  }
};

/// require_tree for what a function returns, which may be nothing.
template <class T>
constexpr bool require_result() {
  if constexpr (std::is_void_v<T>)
    return true;
  else
    return require_tree<T>();
}
/// Stands for a call that does not compile, so that no further errors follow.
template <class T>
T never();
/// What such a call gives where nothing else is known.
struct AnyTree {
  template <class T>
  operator T() const;
};
struct AnyPair {
  AnyTree first, second;
};

/// The value in a tree that is not needed any more.
template <class T>
[[gnu::noinline]] T take_tree(OwnedTree tree) {
  return std::move(*static_cast<T *>(tree.get()));
}

/// The elements of a list. In the library, since a conversion of a vector to a std::span is among the most expensive
/// things that a header can ask of a compiler: 40 ms for each type.
std::span<const Array> elements_of(const std::vector<Array> &list);
/// Replaces the arrays of a tree (those of keys if `keys`) by as many from the
/// front of `values`, which moves on.
void assign_leaves(TreeRef tree, std::span<const Array> &values, bool keys);
/// `tree` with other Array leaves, from the front of `values`, which moves on.
template <class T>
[[gnu::noinline]] T with_arrays(const T &tree, std::span<const Array> &values) {
  T result = copy_tree(tree, Location());
  assign_leaves(tree_ref(result), values, false);
  return result;
}

} // namespace tenon::detail

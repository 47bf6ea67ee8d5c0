//===- fold.h - reductions, scans and sorting by a user's function ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function f(a, b) takes two trees of arrays. It must act element by element, since the size of the axis differs
// between calls. Its ops are traced, differentiated and batched.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/control.h>
#include <tenon/modes.h>

namespace tenon {
namespace detail {

template <class F, class Tree>
constexpr bool require_combination() {
  constexpr bool takes = body_takes<F, const Tree &, const Tree &>;
  static_assert(takes, "the function of reduce or associative_scan takes two trees of the type of x, as values or as "
                       "const references");
  if constexpr (takes && require_tree<Tree>()) {
    constexpr bool same = std::is_same_v<BodyResult<F, const Tree &, const Tree &>, Tree>;
    static_assert(same, "the function of reduce or associative_scan must return the type that it takes");
    return same;
  } else {
    return false;
  }
}

template <class F, class Tree>
constexpr bool require_comparison() {
  constexpr bool takes = body_takes<F, const Tree &, const Tree &>;
  static_assert(takes, "the function of sort takes two trees of the type of x, as values or as const references");
  if constexpr (takes && require_tree<Tree>()) {
    constexpr bool isArray = std::is_same_v<BodyResult<F, const Tree &, const Tree &>, Array>;
    static_assert(isArray, "the function of sort must return an Array of truth values: whether its first argument "
                           "stands before the second");
    return isArray;
  } else {
    return false;
  }
}

template <class F, class Tree>
constexpr bool require_update() {
  constexpr bool takes = body_takes<F, const Tree &, const Tree &>;
  static_assert(takes, "the function of scatter takes two trees of the type of x, what is there and the update, as "
                       "values or as const references");
  if constexpr (takes && require_tree<Tree>()) {
    constexpr bool same = std::is_same_v<BodyResult<F, const Tree &, const Tree &>, Tree>;
    static_assert(same, "the function of scatter must return the type that it takes");
    return same;
  } else {
    return false;
  }
}

/// A function argument in an overload set where an argument of type Other is possible too.
template <class F, class Other>
concept FunctionBeside =
    (std::is_class_v<std::remove_cvref_t<F>> || std::is_function_v<std::remove_pointer_t<std::decay_t<F>>> ||
     std::is_member_function_pointer_v<std::remove_cvref_t<F>>) &&
    !std::is_convertible_v<F, Other>;

/// The initial value of a fold; a number becomes an array in the dtype of x.
template <class Tree, class Init>
TreeArgument<Init> fold_start([[maybe_unused]] const Tree &x, const Init &init, [[maybe_unused]] Location at) {
  if constexpr (Number<Init> && std::is_same_v<Tree, Array>)
    return number_beside("reduce", x, init, {}, at);
  else
    return given_tree(init, device_of(x), at);
}

} // namespace detail

struct AssociativeScanOptions {
  /// Scans from the last element to the first.
  bool reverse = false;
  Axis axis = 0;
};

/// Computes the inclusive scan `x[0], f(x[0], x[1]), ...` along `axis` with an associative f, as
/// `jax.lax.associative_scan` and in its order of combination. f need not commute and is called about 2 log2(n) times
/// on arrays of decreasing size. The arrays in x have the same size along the axis, which must be static. With
/// `reverse`, the scan runs from the last element; a is the combination of the later elements.
template <class F, class Tree>
[[nodiscard]] Tree associative_scan(F &&f, const Tree &x, AssociativeScanOptions options = {},
                                    Location at = Location::current()) {
  if constexpr (detail::require_combination<F, Tree>())
    return detail::take_tree<Tree>(detail::run_associative_scan(detail::tree_function<const Tree &, const Tree &>(f),
                                                                detail::tree_ref(x), options.axis.value(),
                                                                options.reverse, at));
  else
    return detail::never<Tree>(); // after the static_assert
}

/// Reduces the arrays of x over `axes` (default: all) with an associative f, as `jax.lax.reduce`. Elements are combined
/// pairwise in row-major order; the result is `f(init, total)`, or `init` if there are no elements. f need not commute
/// and is called about log2(n) times. The arrays in x have one shape; the sizes of the axes must be static. `init` is a
/// tree like x, whose arrays have the same dtypes and are broadcast to the shape of the result; if x is an Array,
/// `init` may be a number.
template <class Tree, class Init, class F>
[[nodiscard]] Tree reduce(const Tree &x, const Init &init, F &&f, const Ints &axes = {},
                          Location at = Location::current()) {
  constexpr bool isSame = std::is_same_v<detail::TreeOf<Init>, Tree>;
  static_assert(isSame, "reduce begins with a tree of the type of x; beside an Array with a number or an Array");
  if constexpr (!isSame) {
    return detail::never<Tree>(); // after the static_assert
  } else if constexpr (detail::require_combination<F, Tree>()) {
    const Tree start = detail::fold_start(x, init, at);
    return detail::take_tree<Tree>(detail::run_reduce(detail::tree_function<const Tree &, const Tree &>(f),
                                                      detail::tree_ref(x), detail::tree_ref(start), axes, at));
  } else {
    return detail::never<Tree>(); // after the static_assert
  }
}

/// Sorts the arrays of x along `axis` by a comparison function; stable. The arrays have one shape, and their elements
/// move together. `less(a, b)` returns a bool array that is true where a comes before b. Makes about
/// `n * log2(n)^2 / 4` comparisons. less is traced once, for arrays with another size of the axis; that size may be
/// symbolic. If less is no strict weak order (such as `<=`, or `<` with NaNs), the result still holds each element
/// once, in an order that depends only on the elements. The derivative follows the elements.
template <class Tree, class Less>
  requires detail::FunctionBeside<Less, Axis>
[[nodiscard]] Tree sort(const Tree &x, Less &&less, Axis axis = -1, Location at = Location::current()) {
  if constexpr (detail::require_comparison<Less, Tree>())
    return detail::take_tree<Tree>(detail::run_sort(detail::tree_function<const Tree &, const Tree &>(less),
                                                    detail::tree_ref(x), axis.value(), at));
  else
    return detail::never<Tree>(); // after the static_assert
}

/// Scatters `updates` into x with a user function: each indexed element becomes `f(element, update)`; several updates
/// of one element are applied in the order of `indices`. f takes arrays of rank 1 and returns arrays of x's dtypes; it
/// need not be associative. The arrays in x have one shape. `updates` is a tree like x, whose arrays have one shape and
/// dtypes that those of x can represent. The dimension numbers and `mode` are those of `scatter` without a function; by
/// default, updates out of range are dropped.
///
/// f is called once for the first update of each element, once for the second, and so on: there are as many iterations
/// as the most updates of one element. Outside jit, the iterations run in C++. Under jit with constant indices, their
/// number is known, and they are differentiable. Under jit with traced indices, they are a loop until no update is
/// left, which has no reverse-mode derivative; under a grad inside jit, they are a loop with as many iterations as
/// there are updates, whose number must then be static.
template <class Tree, class F>
  requires detail::FunctionBeside<F, Ints>
[[nodiscard]] Tree scatter(const Tree &x, const Operand &indices, const std::type_identity_t<Tree> &updates, F &&f,
                           const Ints &update_window_dims, const Ints &inserted_window_dims,
                           const Ints &scatter_dims_to_operand_dims, const Ints &input_batching_dims = {},
                           const Ints &scatter_indices_batching_dims = {}, IndexMode mode = IndexMode::drop) {
  if constexpr (detail::require_update<F, Tree>())
    return detail::take_tree<Tree>(detail::run_scatter(
        detail::tree_function<const Tree &, const Tree &>(f), detail::tree_ref(x), indices, detail::tree_ref(updates),
        {update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, input_batching_dims,
         scatter_indices_batching_dims, mode}));
  else
    return detail::never<Tree>(); // after the static_assert
}

template <class F>
  requires std::is_invocable_r_v<Array, F &, const Array &, const Array &>
Array Update::apply(F &&f, const Operand &values, const IndexOptions &options) const {
  auto asArray = [&](const Array &element, const Array &value) -> Array { return f(element, value); };
  return detail::run_update(detail::tree_function<const Array &, const Array &>(asArray), x_, places(options), values,
                            at_);
}

} // namespace tenon

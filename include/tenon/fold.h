//===- fold.h - combining elements by a function of the user's --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function takes two trees of arrays, f(a, b), element by element: what it gives for
// one element is that of the two elements there, whatever the size of the axis that they
// stand along. Its own ops are recorded, differentiated and batched.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/control.h>

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

/// What may be a function, where a parameter of the type Other may stand too.
template <class F, class Other>
concept FunctionBeside =
    (std::is_class_v<std::remove_cvref_t<F>> || std::is_function_v<std::remove_pointer_t<std::decay_t<F>>> ||
     std::is_member_function_pointer_v<std::remove_cvref_t<F>>) &&
    !std::is_convertible_v<F, Other>;

/// What a fold begins with; a number in the dtype of x.
template <class Tree, class Init>
TreeArgument<Init> fold_start([[maybe_unused]] const Tree &x, const Init &init, [[maybe_unused]] Location at) {
  if constexpr (Number<Init> && std::is_same_v<Tree, Array>)
    return number_beside("reduce", x, init, {}, at);
  else
    return given_tree(init, device_of(x), at);
}

} // namespace detail

struct AssociativeScanOptions {
  /// From the last element to the first.
  bool reverse = false;
  Axis axis = 0;
};

/// x[0], f(x[0], x[1]), f(f(x[0], x[1]), x[2]), ...: what f makes of the elements up to each one
/// along `axis`, of the arrays in x, which have one size there. f is associative: f(f(a, b), c) is
/// f(a, f(b, c)), up to rounding; f(a, b) need not be f(b, a). It runs about 2 log2(n) times, on ever shorter
/// arrays, as C++ does. The order in which neighbours are combined is that of JAX: f of the elements 2i and 2i + 1, the
/// same of what comes of it, then f of that and of the elements between. The size is known, no symbol. In reverse
/// f(a, b) gets in a what is behind.
template <class F, class Tree>
[[nodiscard]] Tree associative_scan(F &&f, const Tree &x, AssociativeScanOptions options = {},
                                    Location at = Location::current()) {
  if constexpr (detail::require_combination<F, Tree>())
    return detail::take_tree<Tree>(detail::run_associative_scan(detail::tree_function<const Tree &, const Tree &>(f),
                                                                detail::tree_ref(x), options.axis.value(),
                                                                options.reverse, at));
  else
    return detail::never<Tree>(); // after the sentence
}

/// f(init, f(x[0], f(x[1], ...))) over the given axes, all by default, of the arrays in x, which
/// have one shape: neighbours are combined, row-major, then what comes of them, in a tree; `init`
/// at the end. f is associative, as that of associative_scan, and runs about log2(n) times. Of no elements it is
/// `init`. `init` is a tree like x, of arrays of the same dtypes that
/// are broadcast to the result's shape; beside a single array it may be a number. The sizes of the axes are
/// known, no symbols.
template <class Tree, class Init, class F>
[[nodiscard]] Tree reduce(const Tree &x, const Init &init, F &&f, const Ints &axes = {},
                          Location at = Location::current()) {
  constexpr bool same = std::is_same_v<detail::TreeOf<Init>, Tree>;
  static_assert(same, "reduce begins with a tree of the type of x; beside an Array with a number or an Array");
  if constexpr (!same) {
    return detail::never<Tree>(); // after the sentence
  } else if constexpr (detail::require_combination<F, Tree>()) {
    const Tree start = detail::fold_start(x, init, at);
    return detail::take_tree<Tree>(detail::run_reduce(detail::tree_function<const Tree &, const Tree &>(f),
                                                      detail::tree_ref(x), detail::tree_ref(start), axes, at));
  } else {
    return detail::never<Tree>(); // after the sentence
  }
}

/// The arrays in x, which have one shape, all in the order along `axis` that less(a, b) says: a bool array of the
/// shape of those in a and b, whether a stands before b. Stable: elements of which neither stands before the other
/// keep their order. Each element stands in the result once, whatever less says; where it is no strict weak order
/// (`<=`, or `<` of NaN) the order is one that follows from the elements. less is recorded once, for arrays of x's
/// shape with another size of the axis; what it compares costs about n / 2 * log2(n)^2 / 2 elements. The derivative of
/// x is that of the elements where they stand. The size of the axis may be a symbol.
template <class Tree, class Less>
  requires detail::FunctionBeside<Less, Axis>
[[nodiscard]] Tree sort(const Tree &x, Less &&less, Axis axis = -1, Location at = Location::current()) {
  if constexpr (detail::require_comparison<Less, Tree>())
    return detail::take_tree<Tree>(detail::run_sort(detail::tree_function<const Tree &, const Tree &>(less),
                                                    detail::tree_ref(x), axis.value(), at));
  else
    return detail::never<Tree>(); // after the sentence
}

/// The arrays in x, which have one shape, with f(element, update) where `indices` say: f of what is there and of the
/// update; of several updates of one element f(f(element, first), second) and so on, in the order of `indices`. f gets
/// arrays of one axis, and returns what is to be there, of x's dtypes; it is any function, associative or not.
/// `updates` is a tree like x, of arrays of one shape, whose dtypes those of x hold. The dimension numbers and `mode`
/// are those of `scatter` without a function: an update that is outside is left out.
///
/// f runs once for the first update of each element, once for the second of each, and so on: as many rounds as one
/// element has updates at most. Outside of jit the rounds run as C++. Inside of jit, where the indices are constants,
/// their number is known and the rounds have a derivative. For other indices they are a loop until no update is left,
/// which has no reverse-mode derivative; under a grad inside of jit a loop over as many rounds as there are updates,
/// whose number is then no symbol.
template <class Tree, class F>
  requires detail::FunctionBeside<F, Ints>
[[nodiscard]] Tree scatter(const Tree &x, const Operand &indices, const std::type_identity_t<Tree> &updates, F &&f,
                           const Ints &update_window_dims, const Ints &inserted_window_dims,
                           const Ints &scatter_dims_to_operand_dims, const Ints &input_batching_dims = {},
                           const Ints &scatter_indices_batching_dims = {}, std::string_view mode = "drop") {
  if constexpr (detail::require_update<F, Tree>())
    return detail::take_tree<Tree>(detail::run_scatter(
        detail::tree_function<const Tree &, const Tree &>(f), detail::tree_ref(x), indices, detail::tree_ref(updates),
        {update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, input_batching_dims,
         scatter_indices_batching_dims, mode}));
  else
    return detail::never<Tree>(); // after the sentence
}

template <class F>
  requires std::is_invocable_r_v<Array, F &, const Array &, const Array &>
Array Update::apply(F &&f, const Operand &values, const IndexOptions &options) const {
  auto asArray = [&](const Array &element, const Array &value) -> Array { return f(element, value); };
  return detail::run_update(detail::tree_function<const Array &, const Array &>(asArray), x_, places(options), values,
                            at_);
}

} // namespace tenon

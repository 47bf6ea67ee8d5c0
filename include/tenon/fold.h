//===- fold.h - combining elements by a function of the user's --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function combines two trees of arrays, f(a, b), element by element: what it gives
// for one element is that of the two elements there, whatever the size of the axis that
// is combined. It is associative: f(f(a, b), c) is f(a, f(b, c)), up to rounding; f(a, b)
// need not be f(b, a). It runs about 2 log2(n) times, on ever shorter arrays, as C++ does:
// its own ops are recorded, differentiated and batched.
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
/// along `axis`, of the arrays in x, which have one size there. The order in which neighbours are
/// combined is that of JAX: f of the elements 2i and 2i + 1, the same of what comes of it, then f of that and
/// of the elements between. The size is known, no symbol. In reverse f(a, b) gets in a what is behind.
template <class F, class Tree>
Tree associative_scan(F &&f, const Tree &x, AssociativeScanOptions options = {}, Location at = Location::current()) {
  if constexpr (detail::require_combination<F, Tree>())
    return detail::take_tree<Tree>(detail::run_associative_scan(detail::tree_function<const Tree &, const Tree &>(f),
                                                                detail::tree_ref(x), options.axis.value(),
                                                                options.reverse, at));
  else
    return detail::never<Tree>(); // after the sentence
}

/// f(init, f(x[0], f(x[1], ...))) over the given axes, all by default, of the arrays in x, which
/// have one shape: neighbours are combined, row-major, then what comes of them, in a tree; `init`
/// at the end. Of no elements it is `init`. `init` is a tree like x, of arrays of the same dtypes that
/// are broadcast to the result's shape; beside a single array it may be a number. The sizes of the axes are
/// known, no symbols.
template <class Tree, class Init, class F>
Tree reduce(const Tree &x, const Init &init, F &&f, const Ints &axes = {}, Location at = Location::current()) {
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

} // namespace tenon

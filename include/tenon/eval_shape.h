//===- eval_shape.h - the types of a function's results, without running it ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   auto y = tn::eval_shape(net, tn::TensorSpec{tn::f32, {"batch", 784}});
//   y.shape(); // (batch, 10)
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/tree_ops.h>
#include <tenon/spec.h>

namespace tenon {
namespace detail {

/// `specs`: by argument, the spec of what stands for one array; null: the argument's own arrays.
OwnedTree run_eval_shape(const TreeFunction &function, std::span<const TreeRef> arguments,
                         std::span<const TensorSpec *const> specs, Location at);

/// What the function is given for a spec.
template <class T>
using SpecifiedTree = std::conditional_t<std::is_same_v<T, TensorSpec>, Array, T>;
/// The first argument called with the others, or what stands for their specs.
struct CallSpecified {
  template <class F, class... A>
    requires takes_arguments<F, const SpecifiedTree<std::remove_cvref_t<A>> &...>
  void operator()(F &, A &...) const;
};

struct EvalShape : CallOfFunction<EvalShape, CallSpecified> {
  template <class F, class... A>
  auto run(Location at, F &f, const A &...args) const {
    using Result = ResultOf<F, const SpecifiedTree<A> &...>;
    if constexpr ((require_tree<SpecifiedTree<A>>() && ... && require_tree<Result>())) {
      const Array none;
      auto tree = [&]<class T>(const T &argument) {
        if constexpr (std::is_same_v<T, TensorSpec>)
          return tree_ref(none);
        else
          return tree_ref(argument);
      };
      auto spec = []<class T>(const T &argument) -> const TensorSpec * {
        if constexpr (std::is_same_v<T, TensorSpec>)
          return &argument;
        else
          return nullptr;
      };
      const std::array<TreeRef, sizeof...(A)> given{tree(args)...};
      const std::array<const TensorSpec *, sizeof...(A)> specs{spec(args)...};
      return take_tree<Result>(run_eval_shape(tree_function<const SpecifiedTree<A> &...>(f), given, specs, at));
    } else {
      return never<Result>(); // after the static_assert
    }
  }
};

} // namespace detail

/// `eval_shape(f, args...)` returns the result of f with dtypes and shapes but without elements (reading them is an
/// Error). f runs once on traced arrays, and its ops are not computed. Arguments are trees, of which only dtypes and
/// shapes matter, or TensorSpecs in place of Arrays, whose sizes may be symbols.
inline constexpr detail::EvalShape eval_shape;

} // namespace tenon

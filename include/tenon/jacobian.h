//===- jacobian.h - all derivatives at once ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These functions take a callable and return one, as grad does: `jacobian(f)(x)` has the axes of f(x) followed by
// those of x; `jacobian<0, 2>(f)` differentiates with respect to several arguments and returns a tuple. Trees follow
// JAX where C++ has a type for the result: for each Array of f's result there is a tree of the argument's type whose
// arrays have the result's axes in front. So the argument must be an Array, or the result an Array, tuple, pair,
// vector or std::array.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/forward.h>

namespace tenon {
namespace detail {

/// Whether there is a type for the derivatives of an R by an A.
template <class R, class A>
constexpr bool has_jacobian() {
  if constexpr (std::is_same_v<R, Array> || std::is_same_v<A, Array>)
    return true;
  else if constexpr (node_kind<R> == NodeKind::tuple)
    return []<template <class...> class List, class... E>(std::type_identity<List<E...>>) {
      return (has_jacobian<E, A>() && ...);
    }(std::type_identity<R>());
  else if constexpr (node_kind<R> == NodeKind::vector || (node_kind<R> == NodeKind::fixed && std::is_class_v<R>))
    return has_jacobian<typename R::value_type, A>();
  return false;
}

/// The derivatives of each array in `result`, by all in `argument`, from the front of `arrays`.
template <class R, class A>
auto jacobian_tree(const R &result, const A &argument, std::span<const Array> &arrays) {
  if constexpr (std::is_same_v<R, Array>) {
    return with_arrays(argument, arrays);
  } else if constexpr (std::is_same_v<A, Array>) {
    return with_arrays(result, arrays);
  } else if constexpr (node_kind<R> == NodeKind::tuple) {
    // In braces, so that they are made in order.
    auto all = std::apply(
        [&](const auto &...element) {
          return std::tuple<decltype(jacobian_tree(element, argument, arrays))...>{
              jacobian_tree(element, argument, arrays)...};
        },
        result);
    if constexpr (requires { result.first; })
      return std::pair(std::get<0>(std::move(all)), std::get<1>(std::move(all)));
    else
      return all;
  } else {
    using Element = decltype(jacobian_tree(*result.begin(), argument, arrays));
    auto fill = [&](auto out) {
      size_t i = 0;
      for (const auto &element : result)
        out[i++] = jacobian_tree(element, argument, arrays);
      return out;
    };
    if constexpr (node_kind<R> == NodeKind::vector)
      return fill(std::vector<Element>(result.size()));
    else
      return fill(std::array<Element, std::tuple_size_v<R>>());
  }
}

template <class F, JacobianMode mode, size_t... chosen>
class [[nodiscard]] Jacobian : public LocatedCall<Jacobian<F, mode, chosen...>, F, AsConst> {
public:
  Jacobian(F function, const char *name, DerivativeOptions options, Location at)
      : function_(std::move(function)), name_(name), options_(options), made_(at) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...arguments) const {
    if constexpr (has_number_input<F, A...>()) {
      return call_with_inputs<F>(*this, at, arguments...);
    } else if constexpr (require_chosen<A...>()) {
      using Result = ResultOf<F, const A &...>;
      if constexpr (require_jacobian<Result, std::tuple_element_t<chosen, std::tuple<A...>>...>()) {
        static constexpr size_t numbers[] = {chosen...};
        std::array<TreeRef, sizeof...(A)> given{TreeRef{const_cast<A *>(&arguments), nullptr}...};
        ((given[chosen].ops = &tree_ops<std::tuple_element_t<chosen, std::tuple<A...>>>), ...);
        OwnedTree owned;
        const std::vector<Array> arrays = jacobian(mode, name_, tree_function<const A &...>(function_), given, numbers,
                                                   options_.holomorphic, owned, {made_, at});
        std::span<const Array> rest = elements_of(arrays);
        const Result result = take_tree<Result>(std::move(owned));
        const auto all = std::tie(arguments...);
        if constexpr (sizeof...(chosen) == 1)
          return jacobian_tree(result, std::get<chosen...>(all), rest);
        else
          return jacobian_tree(result, std::tuple(std::get<chosen>(all)...), rest);
      }
    }
  }

private:
  template <class... A>
  static constexpr bool require_chosen() {
    static_assert(((chosen < sizeof...(A)) && ...),
                  "jacobian differentiates by an argument that the call does not have");
    return ((chosen < sizeof...(A)) && ...);
  }
  /// Static assertions about what is differentiated.
  template <class Result, class... T>
  static constexpr bool require_jacobian() {
    if constexpr ((require_tree<T>() && ... && require_tree<Result>()) && require_arrays<T...>()) {
      static_assert((has_array_leaves<T> && ...),
                    "jacobian differentiates by arguments that hold Arrays: pass an Array, not a number");
      using By = std::conditional_t<sizeof...(T) == 1, std::tuple_element_t<0, std::tuple<T...>>, std::tuple<T...>>;
      static_assert(has_jacobian<Result, By>(),
                    "jacobian: there is no type for the derivatives of a struct by a struct: return an Array, or a "
                    "tuple or vector of Arrays, or use jvp or vjp");
      return (has_array_leaves<T> && ...) && has_jacobian<Result, By>();
    }
    return false;
  }

  /// Mutable, as a lambda may be.
  mutable F function_;
  const char *name_;
  DerivativeOptions options_;
  Location made_;
};

template <JacobianMode mode, size_t... chosen, class F>
auto make_jacobian(const char *name, F &&function, DerivativeOptions options, Location at) {
  using Function = std::decay_t<F>;
  static_assert(require_reading<Function>());
  if constexpr (sizeof...(chosen) == 0)
    return Jacobian<Function, mode, 0>(std::forward<F>(function), name, options, at);
  else
    return Jacobian<Function, mode, chosen...>(std::forward<F>(function), name, options, at);
}

} // namespace detail

/// Jacobian in forward mode: `jacobian_forward(f)(x)` has the axes of f(x) followed by those of x, in the dtype of
/// f(x); by the first argument or the chosen ones. It is vmap of jvp, cheap when the result is larger than x. Arrays
/// without a derivative give f32 zeros. Complex results of complex arguments need `{.holomorphic = true}`, here and
/// below.
template <size_t... chosen, class F>
auto jacobian_forward(F &&f, DerivativeOptions options = {}, Location at = Location::current()) {
  return detail::make_jacobian<detail::JacobianMode::forward, chosen...>("jacobian_forward", std::forward<F>(f),
                                                                         options, at);
}
/// Jacobian in reverse mode: vmap of the pullback of vjp, cheap when the result is smaller than x.
template <size_t... chosen, class F>
auto jacobian_reverse(F &&f, DerivativeOptions options = {}, Location at = Location::current()) {
  return detail::make_jacobian<detail::JacobianMode::reverse, chosen...>("jacobian_reverse", std::forward<F>(f),
                                                                         options, at);
}
/// Jacobian in the mode that needs fewer passes for the given sizes. f runs once; its linearization or the transpose
/// of that is applied. Forward mode is used where sizes are unknown or f contains a while_loop, reverse mode where f
/// contains a custom_gradient or custom_vjp rule.
template <size_t... chosen, class F>
auto jacobian(F &&f, DerivativeOptions options = {}, Location at = Location::current()) {
  return detail::make_jacobian<detail::JacobianMode::cheaper, chosen...>("jacobian", std::forward<F>(f), options, at);
}
/// Hessian of f, whose result is a rank-0 floating Array: `hessian(f)(x)` has the axes of x twice. Computed as the
/// forward Jacobian of grad, or in reverse mode where f contains a custom_gradient or custom_vjp rule.
template <size_t... chosen, class F>
auto hessian(F &&f, DerivativeOptions options = {}, Location at = Location::current()) {
  return detail::make_jacobian<detail::JacobianMode::either, chosen...>(
      "hessian",
      detail::make_gradient<detail::GradientResult::gradientOnly, chosen...>(std::forward<F>(f), options, at), options,
      at);
}

} // namespace tenon

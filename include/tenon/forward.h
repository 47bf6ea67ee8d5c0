//===- forward.h - derivatives in forward mode -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward mode computes, beside each value, its directional derivative along given tangents of the arguments: one run
// of about twice the cost, without storing intermediate values. It nests with grad, vmap and jit in any order.
//
//   auto [y, dy] = tn::jvp(f, x, dx);
//   tn::Array Hv = tn::hvp(loss, x, v);
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/transform.h>

namespace tenon {
namespace detail {

/// The arguments as F takes them: numbers, and containers of numbers, become Arrays where the parameter is an Array.
template <class F, class... A, size_t... i>
auto inputs_of(Location at, const std::tuple<A...> &arguments, std::index_sequence<i...>) {
  return std::tuple<std::decay_t<decltype(as_input<F, i>(at, std::get<i>(arguments)))>...>{
      as_input<F, i>(at, std::get<i>(arguments))...};
}

/// The tangent; converted to an Array if the primal is one.
template <class Primal, class T>
decltype(auto) as_tangent([[maybe_unused]] Location at, [[maybe_unused]] const Primal &primal, const T &tangent) {
  if constexpr (std::is_same_v<Primal, Array> && Number<T>)
    return number_tangent(Scalar(tangent), primal, at);
  else if constexpr (std::is_same_v<Primal, Array> && converts_to_array<T>)
    return to_array(tangent, at);
  else
    return tangent;
}

template <class Primals, class Tangents>
inline constexpr bool are_tangents = false;
template <class... P, class... T>
inline constexpr bool are_tangents<std::tuple<P...>, std::tuple<T...>> = [] {
  if constexpr (sizeof...(P) == sizeof...(T))
    return ((std::is_same_v<P, T> || (std::is_same_v<P, Array> && converts_to_array<T>)) && ...);
  return false;
}();

template <class F, class... P, class... T, size_t... i>
auto call_jvp(Location at, F &f, const std::tuple<P...> &primals, const std::tuple<T...> &given,
              std::index_sequence<i...>) {
  using Result = ResultOf<F, const P &...>;
  using Both = std::pair<Result, Result>;
  if constexpr ((require_tree<P>() && ... && require_tree<Result>()) && require_arrays<P...>()) {
    const std::tuple<P...> tangents{as_tangent(at, std::get<i>(primals), std::get<i>(given))...};
    const std::array<TreeRef, sizeof...(P)> from{tree_ref(std::get<i>(primals))...};
    const std::array<TreeRef, sizeof...(P)> along{tree_ref(std::get<i>(tangents))...};
    OwnedTree owned;
    const std::vector<Array> arrays = push_forward(tree_function<const P &...>(f), from, along, owned, at);
    std::span<const Array> rest = elements_of(arrays);
    Result result = take_tree<Result>(std::move(owned));
    Result moved = with_arrays(result, rest);
    return Both(std::move(result), std::move(moved));
  } else {
    return never<Both>(); // after the static_assert
  }
}

template <class F, class... A, class... T>
auto make_jvp(Location at, F &f, const std::tuple<A...> &arguments, const std::tuple<T...> &tangents) {
  static_assert(require_reading<std::decay_t<F>>());
  const auto primals = inputs_of<F>(at, arguments, std::index_sequence_for<A...>());
  static_assert(are_tangents<std::remove_const_t<decltype(primals)>, std::tuple<T...>>,
                "jvp: give a tangent for each argument, of its type: jvp(f, x, dx), or of several arguments "
                "jvp(f, std::tuple(x, y), std::tuple(dx, dy))");
  if constexpr (are_tangents<std::remove_const_t<decltype(primals)>, std::tuple<T...>>)
    return call_jvp(at, f, primals, tangents, std::index_sequence_for<A...>());
  else
    return never<AnyPair>(); // after the static_assert
}

/// One argument as a list of them; a tuple is a list.
template <class T>
std::tuple<T> argument_list(const T &argument) {
  return std::tuple<T>(argument);
}
template <class... T>
const std::tuple<T...> &argument_list(const std::tuple<T...> &arguments) {
  return arguments;
}

template <class F, class... A, class... T>
auto make_hvp(Location at, F &f, const std::tuple<A...> &arguments, const std::tuple<T...> &along) {
  auto gradient = [&]<size_t... i>(std::index_sequence<i...>) {
    return make_gradient<GradientResult::gradientOnly, i...>(f, DerivativeOptions(), at);
  };
  auto slope = gradient(std::index_sequence_for<A...>());
  return make_jvp(at, slope, arguments, along).second;
}

/// What linearize hands out: from tangents of the arguments to those of the result.
template <class Result, class... A>
class [[nodiscard]] Pushforward {
public:
  using LocatedCallable = Pushforward;
  Pushforward(LinearRef state, Result result, Location at)
      : state_(std::move(state)), result_(std::move(result)), made_(at) {}

  /// Returns the tangent of the result, of the result's type. May be called any number of times.
  Result operator()(const A &...tangents, Location at = Location::current()) const { return call(at, tangents...); }
  Result call(Location at, const A &...tangents) const {
    const std::array<TreeRef, sizeof...(A)> given{tree_ref(tangents)...};
    const std::vector<Array> arrays = push_forward(state_, given, {made_, at});
    std::span<const Array> rest = elements_of(arrays);
    return with_arrays(result_, rest);
  }
  template <class... Given>
  static constexpr bool takes = std::is_invocable_v<void (*)(const A &...), Given...>;

private:
  LinearRef state_;
  Result result_;
  Location made_;
};

struct Linearize : CallOfFunction<Linearize> {
  template <class F, class... A>
  auto run(Location at, F &f, const A &...args) const {
    using Result = ResultOf<F, const A &...>;
    using Both = std::pair<Result, Pushforward<Result, A...>>;
    if constexpr ((require_tree<A>() && ... && require_tree<Result>()) && require_arrays<A...>()) {
      const std::array<TreeRef, sizeof...(A)> given{tree_ref(args)...};
      OwnedTree owned;
      LinearRef state = run_linear(tree_function<const A &...>(f), given, owned, at);
      Result result = take_tree<Result>(std::move(owned));
      return Both(result, {std::move(state), result, at});
    } else {
      return never<Both>(); // after the static_assert
    }
  }
};

struct LinearTranspose : CallOfFunction<LinearTranspose> {
  template <class F, class... A>
  auto run(Location at, F &f, const A &...args) const {
    using Result = ResultOf<F, const A &...>;
    using Transposed = Pullback<LinearRef, Result, A...>;
    if constexpr ((require_tree<A>() && ... && require_tree<Result>()) && require_arrays<A...>()) {
      const std::array<TreeRef, sizeof...(A)> given{tree_ref(args)...};
      return Transposed(run_transpose(tree_function<const A &...>(f), given, at), std::tuple<A...>(args...), at);
    } else {
      return never<Transposed>(); // after the static_assert
    }
  }
};

} // namespace detail

/// Jacobian-vector product: returns the pair of `f(x)` and its derivative along `dx`, both of the type that f
/// returns. For several arguments pass tuples: `jvp(f, std::tuple(x, y), std::tuple(dx, dy))`. A tangent has the type
/// of its argument, leaf by leaf; for arrays of integers or bools pass an empty Array or f32 zeros of their shape,
/// and their result tangents are f32 zeros. Unlike grad, jvp supports while_loop.
template <class F, class P, class T>
auto jvp(F &&f, const P &x, const T &dx, Location at = Location::current()) {
  if constexpr (std::is_function_v<std::remove_reference_t<F>>) {
    auto *pointer = &f;
    return detail::make_jvp(at, pointer, detail::argument_list(x), detail::argument_list(dx));
  } else {
    return detail::make_jvp(at, f, detail::argument_list(x), detail::argument_list(dx));
  }
}

/// `linearize(f, args...)` returns the pair of `f(args...)` and its derivative at args, a callable from tangents of
/// the arguments to the tangent of the result. f runs once; the callable repeats only the operations that depend on
/// tangents (a while_loop is repeated as a whole).
inline constexpr detail::Linearize linearize;

/// `linear_transpose(f, args...)` returns the transpose of f, which must be linear in all arguments together: a
/// callable from a cotangent of the result to cotangents of the arguments, as the pullback of vjp. Only dtypes and
/// shapes of the arguments matter, whose arrays must be floating or complex; f is traced once. The transpose of x ->
/// A x is y -> A^T y, without conjugation. An Error names the op and its line if f is not linear.
inline constexpr detail::LinearTranspose linear_transpose;

/// Hessian-vector product: the second derivative of f, whose result is a rank-0 floating Array, times v, in the type
/// of x. Uses forward over reverse mode at about twice the cost of grad, without forming a matrix. For several
/// arguments x, v and the result are tuples, as in jvp.
template <class F, class P, class T>
auto hvp(F &&f, const P &x, const T &v, Location at = Location::current()) {
  return detail::make_hvp(at, f, detail::argument_list(x), detail::argument_list(v));
}

} // namespace tenon

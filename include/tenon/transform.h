//===- transform.h - derivatives and batching of functions ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each takes a callable over trees and gives a callable: grad(f)(x), and nested
// in any order, with jit too: vmap(grad(f)), grad(grad(f)), jit(grad(f)).
//
//   auto [loss, g] = tn::value_and_grad(cross_entropy)(net, x, y);
//   auto hessian_diagonal = tn::vmap(tn::grad(tn::grad(f)));
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/transform_core.h>

namespace tenon {

/// Says that a differentiated function returns a pair: its result, and anything
/// else that is to be handed out.
struct HasAux {};
inline constexpr HasAux has_aux;

namespace detail {

template <class T>
inline constexpr bool is_pair_with_array = false;
template <class T>
inline constexpr bool is_pair_with_array<std::pair<Array, T>> = true;

/// The sentence that a function like `[](Array &x) {...}` meets first.
template <class F>
consteval bool require_reading() {
  static_assert(reads_arguments<F>,
                "grad, vjp and vmap give a function its arguments to read: take them by value or as "
                "const Array &, not as Array &, and return what changes");
  return true;
}

template <class F, bool withValue, bool withAux, size_t... chosen>
class Gradient : public LocatedCall<Gradient<F, withValue, withAux, chosen...>, F, AsConst> {
public:
  Gradient(F function, Location at) : function_(std::move(function)), made_(at) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...arguments) const {
    static_assert(((chosen < sizeof...(A)) && ...), "grad differentiates an argument that the call does not have");
    auto all = std::tie(arguments...);
    auto trees = std::make_tuple(std::get<chosen>(all)...);
    static_assert((require_tree<std::tuple_element_t<chosen, std::tuple<A...>>>() && ...));
    static_assert((has_array_leaves<std::tuple_element_t<chosen, std::tuple<A...>>> && ...),
                  "grad differentiates arguments that hold Arrays: pass an Array, not a number");
    using Result = std::remove_cvref_t<decltype(run(at, trees, all, std::make_index_sequence<sizeof...(A)>()))>;
    std::optional<Result> result;
    auto body = [&](std::span<const Array> in, std::vector<Array> &out) {
      auto point = trees;
      assign_leaves(point, in, at);
      result.emplace(run(at, point, all, std::make_index_sequence<sizeof...(A)>()));
      if constexpr (withAux) {
        static_assert(is_pair_with_array<Result>, "grad with has_aux: the function must return a pair, an Array first");
        out.push_back(result->first);
        for_each_value(result->second, [&](const Array &value, const Path &) { out.push_back(value); });
      } else {
        static_assert(std::is_same_v<Result, Array>, "grad: the function must return an Array (of rank 0)");
        out.push_back(*result);
      }
    };
    static constexpr size_t numbers[] = {chosen...};
    auto names = [&](size_t leaf) { return argument_path<true>(trees, numbers, leaf); };
    std::vector<Array> results;
    std::vector<Array> gradients = gradient(body, tree_leaves(trees), names, results, {made_, at});
    assign_leaves(trees, gradients, at);
    auto gradientTrees = [&] {
      if constexpr (sizeof...(chosen) == 1)
        return std::get<0>(std::move(trees));
      else
        return std::move(trees);
    };
    if constexpr (withAux) {
      std::span<const Array> rest = std::span<const Array>(results).subspan(1);
      assign_values(result->second, rest);
      if constexpr (withValue)
        return std::pair(std::pair(results[0], std::move(result->second)), gradientTrees());
      else
        return std::pair(gradientTrees(), std::move(result->second));
    } else if constexpr (withValue) {
      return std::pair(results[0], gradientTrees());
    } else {
      return gradientTrees();
    }
  }

private:
  /// Argument `i`: from `point` if it is differentiated, else as it was given.
  template <size_t i, class Point, class All>
  static const auto &pick(const Point &point, const All &all) {
    constexpr size_t numbers[] = {chosen...};
    constexpr size_t place = [&] {
      size_t k = 0;
      while (k < sizeof...(chosen) && numbers[k] != i)
        ++k;
      return k;
    }();
    if constexpr (place < sizeof...(chosen))
      return std::get<place>(point);
    else
      return std::get<i>(all);
  }
  template <class Point, class All, size_t... i>
  auto run(Location at, const Point &point, const All &all, std::index_sequence<i...>) const {
    return call_at(at, function_, pick<i>(point, all)...);
  }

  /// Mutable, as a lambda may be.
  mutable F function_;
  Location made_;
};

template <bool withValue, bool withAux, size_t... chosen, class F>
auto make_gradient(F &&function, Location at) {
  using Function = std::decay_t<F>;
  static_assert(require_reading<Function>());
  if constexpr (sizeof...(chosen) == 0)
    return Gradient<Function, withValue, withAux, 0>(std::forward<F>(function), at);
  else
    return Gradient<Function, withValue, withAux, chosen...>(std::forward<F>(function), at);
}

/// What vjp hands out: from the cotangents of the result to those of the arguments.
template <class Result, class... A>
class Pullback {
public:
  using LocatedCallable = Pullback;
  Pullback(PullbackRef state, std::tuple<A...> arguments, Location at)
      : state_(std::move(state)), arguments_(std::move(arguments)), made_(at) {}

  /// Cotangents of the arguments, of their types: of one argument itself, of
  /// several a tuple. May be called any number of times.
  auto operator()(const Result &cotangent, Location at = Location::current()) const { return call(at, cotangent); }
  auto call(Location at, const Result &cotangent) const {
    auto names = [&](size_t leaf) {
      std::string name;
      size_t next = 0;
      for_each_array(cotangent, [&](const Array &, const Path &path) {
        if (next++ == leaf)
          name = path.str();
      });
      return name;
    };
    std::tuple<A...> gradients = arguments_;
    assign_leaves(gradients, pull_back(state_, tree_leaves(cotangent), names, {made_, at}), at);
    if constexpr (sizeof...(A) == 1)
      return std::get<0>(std::move(gradients));
    else
      return gradients;
  }

private:
  PullbackRef state_;
  std::tuple<A...> arguments_;
  Location made_;
};

/// The first argument called with the others.
struct CallFirst {
  template <class F, class... A>
  auto operator()(F &function, A &...arguments) const -> decltype(detail::invoke(function, arguments...));
};

struct Vjp : LocatedCall<Vjp, CallFirst, AsCopy> {
  template <class F, class... A>
  auto call(Location at, F &&f, const A &...args) const {
    static_assert(require_reading<std::decay_t<F>>() && (require_tree<A>() && ...));
    using Result = std::remove_cvref_t<decltype(detail::invoke(f, args...))>;
    static_assert(require_tree<Result>());
    std::tuple<A...> trees(args...);
    std::optional<Result> result;
    auto body = [&](std::span<const Array> in, std::vector<Array> &out) {
      std::tuple<A...> point = trees;
      assign_leaves(point, in, at);
      result.emplace(apply_at(at, f, point));
      for_each_array(*result, [&](const Array &leaf, const Path &) { out.push_back(leaf); });
    };
    constexpr auto numbers = []<size_t... i>(std::index_sequence<i...>) {
      return std::array<size_t, sizeof...(i)>{i...};
    }(std::index_sequence_for<A...>());
    auto names = [&](size_t leaf) { return argument_path<true>(trees, numbers, leaf); };
    std::vector<Array> results;
    PullbackRef state = run_forward(body, tree_leaves(trees), names, results, at);
    assign_leaves(*result, results, at);
    return std::pair(std::move(*result), Pullback<Result, A...>(std::move(state), std::move(trees), at));
  }
};

} // namespace detail

/// The gradient of f, whose result is a rank-0 floating Array: `grad(f)(args...)`
/// is the derivative by the first argument, of that argument's type; with
/// `grad<0, 2>(f)` by several, as a tuple. One Array leaf must be floating (or
/// complex); others get f32 zeros of their shape, static leaves and keys are copied.
template <size_t... chosen, class F>
auto grad(F &&f, Location at = Location::current()) {
  return detail::make_gradient<false, false, chosen...>(std::forward<F>(f), at);
}
/// f returns a pair (result, aux): gives (gradient, aux).
template <size_t... chosen, class F>
auto grad(F &&f, HasAux, Location at = Location::current()) {
  return detail::make_gradient<false, true, chosen...>(std::forward<F>(f), at);
}
/// The pair (result, gradient).
template <size_t... chosen, class F>
auto value_and_grad(F &&f, Location at = Location::current()) {
  return detail::make_gradient<true, false, chosen...>(std::forward<F>(f), at);
}
/// f returns a pair (result, aux): gives ((result, aux), gradient).
template <size_t... chosen, class F>
auto value_and_grad(F &&f, HasAux, Location at = Location::current()) {
  return detail::make_gradient<true, true, chosen...>(std::forward<F>(f), at);
}

/// `vjp(f, args...)`: the pair of f(args...) and its pullback, a callable from
/// cotangents of the result (of its type) to cotangents of the arguments.
inline constexpr detail::Vjp vjp;

/// An axis that runs over the examples, or `none`: the same for all.
class BatchAxis {
public:
  constexpr BatchAxis(int axis) : axis_(axis) {}
  constexpr BatchAxis(None) : axis_(detail::no_axis) {}
  constexpr int value() const { return axis_; }

private:
  int axis_;
};

struct VmapOptions {
  /// One entry per argument, for all arrays in it; empty: axis 0 for all.
  std::vector<BatchAxis> in_axes = {};
  /// One entry for all results, or one per element of a tuple; empty: axis 0.
  std::vector<BatchAxis> out_axes = {};
};

namespace detail {

[[noreturn]] void throw_axis_count(const char *which, size_t expected, size_t got, CallSite site);

template <class F>
class Batched : public LocatedCall<Batched<F>, F, AsConst> {
public:
  Batched(F function, VmapOptions options, Location at)
      : function_(std::move(function)), options_(std::move(options)), made_(at) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...arguments) const {
    static_assert((require_tree<A>() && ...));
    using Result = std::remove_cvref_t<decltype(detail::invoke(function_, arguments...))>;
    static_assert(require_tree<Result>());
    std::tuple<A...> trees(arguments...);
    std::vector<Array> inputs;
    std::vector<int> axes, outAxes;
    size_t argument = 0;
    const CallSite site{made_, at};
    if (!options_.in_axes.empty() && options_.in_axes.size() != sizeof...(A))
      throw_axis_count("in_axes", sizeof...(A), options_.in_axes.size(), site);
    auto collect = [&](const auto &tree) {
      int axis = options_.in_axes.empty() ? 0 : options_.in_axes[argument].value();
      for_each_value(tree, [&](const Array &value, const Path &) {
        inputs.push_back(value);
        axes.push_back(axis);
      });
      ++argument;
    };
    (collect(arguments), ...);
    std::optional<Result> result;
    auto body = [&](std::span<const Array> in, std::vector<Array> &out) {
      std::tuple<A...> example = trees;
      assign_values(example, in);
      result.emplace(apply_at(at, function_, example));
      out = values_of(*result);
      outAxes = axes_of(*result, site);
    };
    constexpr auto numbers = []<size_t... i>(std::index_sequence<i...>) {
      return std::array<size_t, sizeof...(i)>{i...};
    }(std::index_sequence_for<A...>());
    auto names = [&](size_t leaf) { return argument_path<false>(trees, numbers, leaf); };
    std::vector<Array> results = run_batched(body, inputs, axes, outAxes, names, site);
    std::span<const Array> rest = results;
    assign_values(*result, rest);
    return std::move(*result);
  }

private:
  /// The axis of each array in a result.
  template <class Result>
  std::vector<int> axes_of(const Result &result, const CallSite &site) const {
    std::vector<int> axes;
    auto add = [&](const auto &tree, BatchAxis axis) {
      for_each_value(tree, [&](const Array &, const Path &) { axes.push_back(axis.value()); });
    };
    const std::vector<BatchAxis> &given = options_.out_axes;
    if (given.size() <= 1) {
      add(result, given.empty() ? BatchAxis(0) : given[0]);
    } else if constexpr (node_kind<Result> == NodeKind::tuple) {
      constexpr size_t count = std::tuple_size_v<Result>;
      if (given.size() != count)
        throw_axis_count("out_axes", count, given.size(), site);
      size_t element = 0;
      std::apply([&](const auto &...tree) { (add(tree, given[element++]), ...); }, result);
    } else {
      throw_axis_count("out_axes", 1, given.size(), site);
    }
    return axes;
  }

  /// Mutable, as a lambda may be.
  mutable F function_;
  VmapOptions options_;
  Location made_;
};

} // namespace detail

/// f over a batch of examples at once: `vmap(f)(xs)` has f(xs[i]) at i of axis 0.
/// `vmap(f, {.in_axes = {0, tn::none}})` maps the first argument alone. An array
/// that is the same for all examples is computed once.
template <class F>
auto vmap(F &&f, VmapOptions options = {}, Location at = Location::current()) {
  static_assert(detail::require_reading<std::decay_t<F>>());
  return detail::Batched<std::decay_t<F>>(std::forward<F>(f), std::move(options), at);
}

} // namespace tenon

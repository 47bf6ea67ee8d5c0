//===- transform.h - derivatives and batching of functions ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transformations take a callable over trees and return a callable, and nest in any order, also with jit:
// vmap(grad(f)), grad(grad(f)), jit(grad(f)).
//
//   auto [loss, g] = tn::value_and_grad(cross_entropy)(net, x, y);
//   auto hessian_diagonal = tn::vmap(tn::grad(tn::grad(f)));
//
// Numbers passed for a parameter of type Array, one or a std::vector or std::array of them, become Arrays. For a
// parameter of type auto they are static values: they have no derivative, and vmap does not split them.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/transform_core.h>

namespace tenon {

/// Options of grad, vjp and jvp.
struct DerivativeOptions {
  /// Complex derivative of a holomorphic function, as in JAX. The result, and each array to differentiate with
  /// respect to, must be complex (or have no derivative); otherwise an Error.
  bool holomorphic = false;
};

namespace detail {
// Of these nothing is made where they are not given.
struct NoneGiven {
  constexpr NoneGiven(None) {}
};
struct PathsGiven {
  template <class... Path>
    requires(sizeof...(Path) > 0 && (std::is_convertible_v<const Path &, std::string> && ...))
  PathsGiven(const Path &...each) : paths{each...} {}
  PathsGiven(std::vector<std::string> all);
  std::vector<std::string> paths;
};
} // namespace detail

/// `grad(f, {.wrt = {"0.layers[3]", "2"}})`: differentiates with respect to the arrays at or below these paths. A path
/// is the number of the argument, then the path of the leaf. The gradient is a std::map from leaf paths, such as
/// "0.layers[3].kernel", to Arrays of their types, with zeros where f does not depend on the array. All other arrays
/// are constants.
struct GradientsBy {
  detail::PathsGiven wrt;
  bool holomorphic = false;
};

/// `grad(f, {.unconnected = none})`: an array on which f does not depend has no gradient, instead of zeros. The
/// gradient of an Array is a std::optional, in standard containers too; in your own structs it is an empty Array,
/// which jit and vmap cannot return.
struct OptionalGradients {
  detail::NoneGiven unconnected;
  bool holomorphic = false;
};

namespace detail {

/// A tree of gradients of which some may be none. `from` makes it of one with empty Arrays for none.
template <class T>
struct OptionalTree {
  using Type = T;
  static Type from(const T &tree) { return tree; }
};
template <class T>
using OptionalTreeOf = typename OptionalTree<T>::Type;
template <>
struct OptionalTree<Array> {
  using Type = std::optional<Array>;
  template <class A = Array>
  static std::optional<A> from(const A &array) {
    return array.has_value() ? std::optional<A>(array) : std::nullopt;
  }
};
template <class T, class A>
struct OptionalTree<std::vector<T, A>> {
  using Type = std::vector<OptionalTreeOf<T>>;
  static Type from(const std::vector<T, A> &tree) {
    Type made;
    for (const auto &element : tree)
      made.push_back(OptionalTree<T>::from(element));
    return made;
  }
};
template <class T, size_t n>
struct OptionalTree<std::array<T, n>> {
  using Type = std::array<OptionalTreeOf<T>, n>;
  static Type from(const std::array<T, n> &tree) {
    return std::apply([](const auto &...element) { return Type{OptionalTree<T>::from(element)...}; }, tree);
  }
};
template <class T, class U>
struct OptionalTree<std::pair<T, U>> {
  using Type = std::pair<OptionalTreeOf<T>, OptionalTreeOf<U>>;
  static Type from(const std::pair<T, U> &tree) {
    return Type(OptionalTree<T>::from(tree.first), OptionalTree<U>::from(tree.second));
  }
};
template <class... T>
struct OptionalTree<std::tuple<T...>> {
  using Type = std::tuple<OptionalTreeOf<T>...>;
  static Type from(const std::tuple<T...> &tree) {
    return std::apply([](const T &...element) { return Type(OptionalTree<T>::from(element)...); }, tree);
  }
};
template <class K, class T, class... Rest>
struct OptionalTree<std::map<K, T, Rest...>> {
  using Type = std::map<K, OptionalTreeOf<T>>;
  static Type from(const std::map<K, T, Rest...> &tree) {
    Type made;
    for (const auto &[key, value] : tree)
      made.emplace(key, OptionalTree<T>::from(value));
    return made;
  }
};
template <class T>
struct OptionalTree<std::optional<T>> {
  using Type = std::optional<OptionalTreeOf<T>>;
  static Type from(const std::optional<T> &tree) { return tree ? Type(OptionalTree<T>::from(*tree)) : std::nullopt; }
};

template <class T>
inline constexpr bool is_pair_with_array = false;
template <class T>
inline constexpr bool is_pair_with_array<std::pair<Array, T>> = true;

/// Static assertion: the arguments to differentiate hold no Variables, which are shared and not passed.
template <class... T>
consteval bool require_arrays() {
  constexpr bool hasVariable = (has_leaf<Variable, std::remove_cvref_t<T>>() || ...);
  static_assert(!hasVariable, "grad, vjp, jvp and the like differentiate by the arrays of an argument, and this one "
                              "holds a Variable: use a GradientTape, tape.gradient(loss, model)");
  return !hasVariable;
}

/// The gradients as `grad` or `value_and_grad` returns them. A Result that is no Array is a pair (value, aux).
template <bool withValue, class Result, class Gradients>
auto beside_value(const OwnedTree &result, Gradients gradients) {
  Result &value = *static_cast<Result *>(result.get());
  if constexpr (withValue)
    return std::pair(std::move(value), std::move(gradients));
  else if constexpr (std::is_same_v<Result, Array>)
    return gradients;
  else
    return std::pair(std::move(gradients), std::move(value.second));
}

/// What is the same for all functions with one type of result and of arguments:
/// calls the core and makes the trees of what it gives.
template <bool withValue, bool hasNone, class Result, class... T>
[[gnu::noinline]] auto call_gradient(const TreeFunction &function, std::span<const TreeRef> arguments,
                                     std::span<const size_t> chosen, bool holomorphic, CallSite site) {
  OwnedTree result;
  std::vector<Array> arrays = gradient(function, arguments, chosen, {hasNone, holomorphic}, result, site);
  std::span<const Array> rest = elements_of(arrays);
  const size_t *number = chosen.data();
  auto next = [&]<class One>(std::type_identity<One>) {
    return with_arrays(*static_cast<const One *>(arguments[*number++].tree), rest);
  };
  // In braces, so that they are made in order.
  std::tuple<T...> trees{next(std::type_identity<T>())...};
  auto gradients = [&] {
    if constexpr (hasNone && sizeof...(T) == 1)
      return OptionalTree<T...>::from(std::get<0>(trees));
    else if constexpr (hasNone)
      return OptionalTree<std::tuple<T...>>::from(trees);
    else if constexpr (sizeof...(T) == 1)
      return std::get<0>(std::move(trees));
    else
      return std::move(trees);
  };
  return beside_value<withValue, Result>(result, gradients());
}

/// Whether an argument of this type may have arrays that paths name.
template <class T>
constexpr bool has_paths() {
  if constexpr (Tree<T>)
    return has_array_leaves<T> && !has_leaf<Variable, T>();
  return false;
}

/// What a gradient function returns.
enum class GradientResult : uint8_t {
  gradient,     ///< the gradient, or the pair (gradient, aux)
  withValue,    ///< the pair (result, gradient)
  gradientOnly, ///< the gradient; a function with an aux does not compile
};

/// Options: those of grad, whose type says what form the gradients have.
template <class F, GradientResult form, class Options, size_t... chosen>
class [[nodiscard]] Gradient : public LocatedCall<Gradient<F, form, Options, chosen...>, F, AsConst> {
  static constexpr bool withValue = form == GradientResult::withValue;

public:
  Gradient(F function, Options options, Location at)
      : function_(std::move(function)), options_(std::move(options)), made_(at) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...arguments) const {
    if constexpr (has_number_input<F, A...>()) {
      return call_with_inputs<F>(*this, at, arguments...);
    } else if constexpr (std::is_same_v<Options, GradientsBy>) {
      return call_by(at, arguments...);
    } else {
      if constexpr (require_chosen<A...>()) {
        using Result = ResultOf<F, const A &...>;
        if constexpr (require_gradient<Result, std::tuple_element_t<chosen, std::tuple<A...>>...>()) {
          static constexpr size_t numbers[] = {chosen...};
          std::array<TreeRef, sizeof...(A)> given{TreeRef{const_cast<A *>(&arguments), nullptr}...};
          ((given[chosen].ops = &tree_ops<std::tuple_element_t<chosen, std::tuple<A...>>>), ...);
          constexpr bool hasNone = std::is_same_v<Options, OptionalGradients>;
          return call_gradient<withValue, hasNone, Result, std::tuple_element_t<chosen, std::tuple<A...>>...>(
              tree_function<const A &...>(function_), given, numbers, options_.holomorphic, {made_, at});
        }
      }
    }
  }

private:
  template <class... A>
  auto call_by(Location at, const A &...arguments) const {
    using Result = ResultOf<F, const A &...>;
    if constexpr (require_result<Result>()) {
      std::array<TreeRef, sizeof...(A)> given;
      size_t numbers[sizeof...(A) + 1], number = 0, count = 0;
      auto add = [&]<class T>(const T &argument) {
        if constexpr (has_paths<T>()) {
          given[number].ops = &tree_ops<T>;
          numbers[count++] = number;
        }
        given[number++].tree = const_cast<T *>(&argument);
      };
      (add(arguments), ...);
      OwnedTree result;
      std::map<std::string, Array> gradients =
          gradients_by(tree_function<const A &...>(function_), given, {numbers, count}, options_.wrt.paths,
                       options_.holomorphic, result, {made_, at});
      return beside_value<withValue, Result>(result, std::move(gradients));
    }
  }
  template <class... A>
  static constexpr bool require_chosen() {
    static_assert(((chosen < sizeof...(A)) && ...), "grad differentiates an argument that the call does not have");
    return ((chosen < sizeof...(A)) && ...);
  }
  /// Static assertions about what is differentiated.
  template <class Result, class... T>
  static constexpr bool require_gradient() {
    if constexpr ((require_tree<T>() && ...) && require_arrays<T...>()) {
      static_assert((has_array_leaves<T> && ...),
                    "grad differentiates arguments that hold Arrays: pass an Array, not a number");
      return require_result<Result>() && (has_array_leaves<T> && ...);
    }
    return false;
  }
  template <class Result>
  static constexpr bool require_result() {
    constexpr bool isArray = std::is_same_v<Result, Array>;
    if constexpr (form == GradientResult::gradientOnly) {
      static_assert(isArray, "hessian and hvp: the function must return an Array (of rank 0)");
      return isArray;
    } else {
      static_assert(isArray || is_pair_with_array<Result>,
                    "grad: the function must return an Array (of rank 0), or a std::pair of one and anything else");
      if constexpr (is_pair_with_array<Result>)
        return require_tree<Result>();
      return isArray;
    }
  }

  /// Mutable, as a lambda may be.
  mutable F function_;
  Options options_;
  Location made_;
};

/// Whether no number comes twice.
template <size_t... numbers>
constexpr bool are_distinct() {
  constexpr size_t all[] = {numbers..., 0};
  for (size_t i = 0; i < sizeof...(numbers); ++i)
    for (size_t j = 0; j < i; ++j)
      if (all[i] == all[j])
        return false;
  return true;
}

template <GradientResult form, size_t... chosen, class F, class Options>
auto make_gradient(F &&function, Options options, Location at) {
  using Function = std::decay_t<F>;
  static_assert(require_reading<Function>());
  static_assert(are_distinct<chosen...>(), "grad<...>: expected each argument's number once");
  static_assert(sizeof...(chosen) == 0 || !std::is_same_v<Options, GradientsBy>,
                "grad: choose arguments by number, grad<0>(f), or by path, not both");
  if constexpr (sizeof...(chosen) == 0)
    return Gradient<Function, form, Options, 0>(std::forward<F>(function), std::move(options), at);
  else
    return Gradient<Function, form, Options, chosen...>(std::forward<F>(function), std::move(options), at);
}

/// Result of vjp and linear_transpose: a callable from cotangents of the result to cotangents of the arguments.
template <class State, class Result, class... A>
class [[nodiscard]] Pullback {
public:
  using LocatedCallable = Pullback;
  Pullback(State state, std::tuple<A...> arguments, Location at)
      : state_(std::move(state)), arguments_(std::move(arguments)), made_(at) {}

  /// Returns the cotangents of the arguments, of the arguments' types: a single one, or a tuple for several
  /// arguments. May be called any number of times.
  auto operator()(const Result &cotangent, Location at = Location::current()) const { return call(at, cotangent); }
  auto call(Location at, const Result &cotangent) const {
    std::vector<Array> arrays = pull_back(state_, tree_ref(cotangent), {made_, at});
    std::span<const Array> rest = elements_of(arrays);
    // In braces, so that they are made in order.
    std::tuple<A...> gradients =
        std::apply([&](const A &...argument) { return std::tuple<A...>{with_arrays(argument, rest)...}; }, arguments_);
    if constexpr (sizeof...(A) == 1)
      return std::get<0>(std::move(gradients));
    else
      return gradients;
  }
  template <class... Given>
  static constexpr bool takes = std::is_invocable_v<void (*)(const Result &), Given...>;

private:
  State state_;
  std::tuple<A...> arguments_;
  Location made_;
};

struct Vjp : CallOfFunction<Vjp> {
  template <class F, class... A>
  auto run(Location at, F &f, const A &...args) const {
    using Result = ResultOf<F, const A &...>;
    using Both = std::pair<Result, Pullback<PullbackRef, Result, A...>>;
    if constexpr ((require_tree<A>() && ... && require_tree<Result>()) && require_arrays<A...>()) {
      const std::array<TreeRef, sizeof...(A)> given{tree_ref(args)...};
      OwnedTree result;
      PullbackRef state = run_forward(tree_function<const A &...>(f), given, result, at);
      return Both(take_tree<Result>(std::move(result)), {std::move(state), std::tuple<A...>(args...), at});
    } else {
      return never<Both>(); // after the static_assert
    }
  }
};

} // namespace detail

/// Returns the gradient function of f, whose result must be a rank-0 floating Array. `grad(f)(args...)` is the
/// derivative with respect to the first argument, of that argument's type; `grad<0, 2>(f)` differentiates with
/// respect to several arguments and returns a tuple. At least one Array leaf must be floating or complex; other Array
/// leaves get f32 zeros of their shape, static leaves and keys are copied. The gradient of a complex array follows
/// JAX (the conjugate of PyTorch's). With `{.holomorphic = true}` the result of f is complex.
///
/// If f returns a std::pair (value, aux), only the value is differentiated, and `grad(f)(args...)` is the pair
/// (gradient, aux), as with `has_aux` in JAX.
template <size_t... chosen, class F>
auto grad(F &&f, DerivativeOptions options = {}, Location at = Location::current()) {
  return detail::make_gradient<detail::GradientResult::gradient, chosen...>(std::forward<F>(f), options, at);
}
/// grad with `{.unconnected = none}`: no gradient for arrays on which the result does not depend, according to its
/// ops. An array that reaches the result only through stop_gradient, an integer or a step function such as floor
/// counts as unconnected.
template <size_t... chosen, class F>
auto grad(F &&f, OptionalGradients options, Location at = Location::current()) {
  return detail::make_gradient<detail::GradientResult::gradient, chosen...>(std::forward<F>(f), options, at);
}
/// grad with `{.wrt = {"0.weights"}}`: a std::map from leaf path to Array. A path that matches no array is an Error.
template <size_t... chosen, class F>
auto grad(F &&f, GradientsBy options, Location at = Location::current()) {
  return detail::make_gradient<detail::GradientResult::gradient, chosen...>(std::forward<F>(f), std::move(options), at);
}
/// Like grad, but returns the pair (result, gradient). If f returns a pair (value, aux), that is ((value, aux),
/// gradient).
template <size_t... chosen, class F>
auto value_and_grad(F &&f, DerivativeOptions options = {}, Location at = Location::current()) {
  return detail::make_gradient<detail::GradientResult::withValue, chosen...>(std::forward<F>(f), options, at);
}
template <size_t... chosen, class F>
auto value_and_grad(F &&f, OptionalGradients options, Location at = Location::current()) {
  return detail::make_gradient<detail::GradientResult::withValue, chosen...>(std::forward<F>(f), options, at);
}
template <size_t... chosen, class F>
auto value_and_grad(F &&f, GradientsBy options, Location at = Location::current()) {
  return detail::make_gradient<detail::GradientResult::withValue, chosen...>(std::forward<F>(f), std::move(options),
                                                                             at);
}

/// `vjp(f, args...)` returns the pair of `f(args...)` and its pullback, a callable from cotangents of the result (of
/// the result's type) to cotangents of the arguments.
inline constexpr detail::Vjp vjp;

/// A batch axis, or `none` for an argument that is not batched; or a list of these, one for each array of a tree, in
/// the order of its leaves.
class BatchAxis {
public:
  BatchAxis(int axis) : axis_(axis) {}
  template <detail::NoAxis T>
  BatchAxis(T) = delete; // an axis is an integer, or none
  BatchAxis(None) : axis_(detail::no_axis) {}
  BatchAxis(std::initializer_list<BatchAxis> arrays);
  BatchAxis(std::vector<BatchAxis> arrays);
  /// Null: one for all arrays.
  const std::vector<BatchAxis> *arrays() const { return isList_ ? &arrays_ : nullptr; }
  int value() const { return axis_; }

private:
  int axis_ = detail::no_axis;
  bool isList_ = false;
  std::vector<BatchAxis> arrays_;
};

struct VmapOptions {
  /// One entry per argument: an axis for all of its arrays, or a list with one entry per array. Default: axis 0 for
  /// all arguments, except numbers and rank-0 arrays, which are not batched.
  std::vector<BatchAxis> in_axes = {};
  /// One entry for all results, or one per element of a tuple; each is an axis or a list with one entry per array.
  /// Default: axis 0.
  std::vector<BatchAxis> out_axes = {};
  /// Name of the batch axis for psum, axis_index and the like; default: no name.
  std::string axis_name = {};
};

namespace detail {

template <class F>
class [[nodiscard]] Batched : public LocatedCall<Batched<F>, F, AsConst> {
public:
  Batched(F function, VmapOptions options, Location at)
      : function_(std::move(function)), options_(std::move(options)), made_(at) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...arguments) const {
    if constexpr (has_number_input<F, A...>()) {
      return call_with_inputs<F>(*this, at, arguments...);
    } else {
      using Result = ResultOf<F, const A &...>;
      if constexpr ((require_tree<A>() && ... && require_tree<Result>())) {
        const std::array<TreeRef, sizeof...(A)> given{tree_ref(arguments)...};
        return take_tree<Result>(run_batched(tree_function<const A &...>(function_), given, options_, {made_, at}));
      } else {
        return never<Result>(); // after the static_assert
      }
    }
  }

private:
  /// Mutable, as a lambda may be.
  mutable F function_;
  VmapOptions options_;
  Location made_;
};

} // namespace detail

/// Returns f vectorized over a batch: element i of axis 0 of `vmap(f)(xs)` is f(xs[i]). `vmap(f, {.in_axes = {0,
/// tn::none}})` batches only the first argument. Arrays that are not batched are computed once.
template <class F>
auto vmap(F &&f, VmapOptions options = {}, Location at = Location::current()) {
  static_assert(detail::require_reading<std::decay_t<F>>());
  return detail::Batched<std::decay_t<F>>(std::forward<F>(f), std::move(options), at);
}

/// Sum of x over the batch elements of the enclosing vmap with this axis_name; every element gets the result. The
/// dtype is that of sum: bools and narrow integers become i32 or u32. An Error if no enclosing vmap has an axis of
/// that name.
[[nodiscard]] Array psum(const Operand &x, std::string_view axis_name);
/// Mean over the batch elements; integers and bools become f32. See psum.
[[nodiscard]] Array pmean(const Operand &x, std::string_view axis_name);
/// Maximum over the batch elements; NaN propagates. x must be real. See psum.
[[nodiscard]] Array pmax(const Operand &x, std::string_view axis_name);
/// Minimum over the batch elements; NaN propagates. x must be real. See psum.
[[nodiscard]] Array pmin(const Operand &x, std::string_view axis_name);
/// Index of the batch element along the axis with this name, as rank-0 i64.
[[nodiscard]] Array axis_index(std::string_view axis_name, Location at = Location::current());
/// Size of the batch axis with this name.
[[nodiscard]] Dim axis_size(std::string_view axis_name, Location at = Location::current());

/// Applies f to each one-dimensional slice of x along `axis`; the axes of f's result replace that axis. f is called
/// once, for all slices, by vmap.
template <class F>
  requires std::is_invocable_r_v<Array, F &, const Array &>
Array apply_along_axis(F &&f, Axis axis, const Array &x,
                       const std::source_location &at = std::source_location::current()) {
  if (!x.has_value())
    throw Error("apply_along_axis: expected an array, got an empty Array", at);
  const int64_t given = axis.value(), axes = x.ndim(at);
  if (given < -axes || given >= axes)
    throw Error("apply_along_axis: axis " + std::to_string(given) + " is out of range for an array of rank " +
                    std::to_string(axes),
                at);
  const Array parts = moveaxis(Operand(x, at), axis.value(), -1);
  Shape shape = parts.shape();
  const Dim length = shape[-1];
  shape.erase(shape.rank() - 1);
  const int place = static_cast<int>(given < 0 ? given + axes : given);
  const Array results = vmap(f)(reshape(parts, {element_count(shape), length}));
  std::vector<int> from, to;
  for (int i = 1; i < results.ndim(); ++i) {
    from.push_back(shape.rank());
    to.push_back(place + i - 1);
    shape.push_back(results.shape()[i]);
  }
  return moveaxis(reshape(results, shape), from, to);
}

/// Applies `f(x, axis)` over several axes in turn. If f removes an axis, it is restored with size 1. A result of any
/// other rank is an Error.
template <class F>
  requires std::is_invocable_r_v<Array, F &, const Array &, Axis>
Array apply_over_axes(F &&f, const Array &x, const Ints &axes,
                      const std::source_location &at = std::source_location::current()) {
  if (!x.has_value())
    throw Error("apply_over_axes: expected an array, got an empty Array", at);
  Array result = x;
  const int rank = x.ndim(at);
  for (const int64_t given : axes.values()) {
    if (given < -rank || given >= rank)
      throw Error("apply_over_axes: axis " + std::to_string(given) + " is out of range for an array of rank " +
                      std::to_string(rank),
                  at);
    const int64_t axis = given < 0 ? given + rank : given;
    const Array next = f(std::as_const(result), Axis(axis));
    if (!next.has_value())
      throw Error("apply_over_axes: expected f to return an array, got an empty Array", at);
    if (next.ndim(at) != rank && next.ndim(at) != rank - 1)
      throw Error("apply_over_axes: expected a result of rank " + std::to_string(rank) + ", or one less, got rank " +
                      std::to_string(next.ndim(at)),
                  at);
    result = next.ndim(at) == rank ? next : expand_dims(Operand(next, at), axis);
  }
  return result;
}

/// Evaluates a piecewise function, as in JAX: each element is the result of the function of the last condition that
/// is true. An additional last function applies where no condition is true; without one the result is 0 there. A
/// number stands for a constant function, in the dtype of x. Results are promoted to one dtype and broadcast. Each
/// function is called once with all of x; results for elements that belong to other functions are discarded, but may
/// cause NaN in derivatives.
template <class... F>
Array piecewise(const Operand &x, const Arrays &conditions, F &&...functions) {
  const Location at = x.location();
  const Array all = detail::piecewise_operand(x, conditions, sizeof...(F));
  auto value = [&](auto &function) -> Array {
    if constexpr (detail::Number<std::remove_cvref_t<decltype(function)>>)
      return detail::number_beside("piecewise", all, function, all.shape(at), at);
    else
      return function(all);
  };
  const std::vector<Array> values = {value(functions)...};
  return detail::piecewise_choice(conditions, values, at);
}

} // namespace tenon

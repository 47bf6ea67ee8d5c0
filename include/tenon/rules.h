//===- rules.h - derivatives of one's own, and what they keep -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions with user-defined derivatives, for cases where the automatic derivative is unstable, slow or not what you
// want; and checkpoint, whose derivative recomputes the function instead of storing its intermediate values.
//
//   auto log1pexp = tn::custom_gradient([](const tn::Array &x) {
//     tn::Array e = tn::exp(x);
//     return tn::with_grad(tn::log(1 + e), [=](const tn::Array &d) { return d * (1 - 1 / (1 + e)); });
//   });
//
// Outside derivatives and jit, such a function is called directly. Otherwise the function and its rule are traced at
// each call, as the body of a scan is, so they must not read values. Arrays that the rule captures are stored, not
// recomputed. The rule applies to derivatives of every order: higher derivatives differentiate the rule and what it
// captures as written. It works under jit, vmap and in bodies of control flow, and traces show the function's name.
//
// An array that the function captures instead of receiving it as an argument gets no derivative from the rule; a
// derivative that would reach it is an Error that names the array.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/control.h>
#include <tenon/transform.h>

namespace tenon {

/// A result and its rule, made by with_grad.
template <class Result, class Backward>
struct [[nodiscard]] WithGrad {
  Result result;
  Backward backward;
};

/// Return value of a function given to custom_gradient. `backward` takes the cotangent of the result (of the result's
/// type, or the elements of a tuple as separate arguments) and returns a std::tuple with the cotangent of each
/// argument, of the argument's type, or `none` for an argument without one. For a single argument it returns that
/// cotangent itself. An empty Array in a tree means "none" as well.
template <class Result, class Backward>
auto with_grad(Result &&result, Backward &&backward) {
  return WithGrad<std::decay_t<Result>, std::decay_t<Backward>>{std::forward<Result>(result),
                                                                std::forward<Backward>(backward)};
}

namespace detail {

/// A function with a rule from cotangents to cotangents.
struct CustomVjp {
  /// In traces and errors.
  std::string_view name;
  /// What is computed where no derivative is asked for; null: what `forward` does.
  const TreeFunction *plain;
  /// From the arguments to the result; from the cotangent of the result to a tuple of those of
  /// the arguments, once `forward` has run.
  const TreeFunction &forward, &backward;
  /// By argument: its element of the tuple is `none`.
  const bool *isNone;
};
/// A function with a rule from tangents to tangents.
struct CustomJvp {
  std::string_view name;
  /// The rule takes the arguments, then their tangents; it returns a pair of the result and its tangent.
  const TreeFunction &function, &rule;
};
/// A function that is computed again for its derivative.
struct Checkpointed {
  std::string_view name;
  const TreeFunction &function;
  bool dots;
  /// Separated by commas.
  std::string_view names;
};

/// Whether someone here records or differentiates; else a rule is nobody's.
bool rules_are_asked();
/// The name of a function in traces; an Error of `function` if none may be.
std::string rule_name(std::string_view function, std::string_view name, Location at);
/// Names of values that are kept, as one.
std::string kept_names(const std::vector<std::string> &names, Location at);
OwnedTree run_custom_vjp(const CustomVjp &rule, std::span<const TreeRef> operands, CallSite site);
OwnedTree run_custom_jvp(const CustomJvp &rule, std::span<const TreeRef> operands, CallSite site);
OwnedTree run_checkpoint(const Checkpointed &form, std::span<const TreeRef> operands, CallSite site);

template <class T>
inline constexpr bool is_with_grad = false;
template <class R, class B>
inline constexpr bool is_with_grad<WithGrad<R, B>> = true;

template <class T>
concept RuleName = std::is_convertible_v<const T &, std::string_view>;

/// The function on its operands, numbers as arrays.
template <class F, class... A>
auto call_plainly(Location at, F &function, [[maybe_unused]] const A &...operands) {
  if constexpr ((Number<A> || ...)) {
    const Device device = device_of(operands...);
    return call_at(at, function, static_cast<const TreeOf<A> &>(given_tree(operands, device, at))...);
  } else {
    return call_at(at, function, operands...);
  }
}

/// A rule on the cotangent of a result: of the tree, or of the elements of a tuple.
template <class Backward, class Result>
decltype(auto) call_backward(Backward &backward, const Result &cotangent) {
  if constexpr (takes_arguments<Backward, const Result &>)
    return backward(cotangent);
  else
    return std::apply(backward, cotangent);
}
template <class Backward, class Result>
concept takes_cotangent = takes_arguments<Backward, const Result &> ||
                          requires(Backward &backward, const Result &cotangent) { std::apply(backward, cotangent); };

/// What a rule returns as a tuple with an element for each argument.
template <class Given, class... A>
struct RuleTuple {
  static constexpr bool isAlone = false;
  using Type = Given;
};
template <class Given, class A>
  requires(std::is_same_v<Given, A> || std::is_same_v<Given, None>)
struct RuleTuple<Given, A> {
  static constexpr bool isAlone = true;
  using Type = std::tuple<Given>;
};
template <class Tuple, class... A>
inline constexpr bool are_cotangents = false;
template <class... C, class... A>
  requires(sizeof...(C) == sizeof...(A))
inline constexpr bool are_cotangents<std::tuple<C...>, A...> =
    ((std::is_same_v<C, A> || std::is_same_v<C, None>) && ...);
template <class C, class D, class A, class B>
inline constexpr bool are_cotangents<std::pair<C, D>, A, B> = are_cotangents<std::tuple<C, D>, A, B>;

template <class Tuple, size_t... i>
constexpr auto nones(std::index_sequence<i...>) {
  return std::array<bool, sizeof...(i)>{std::is_same_v<std::tuple_element_t<i, Tuple>, None>...};
}

/// Static assertions about a rule on cotangents.
template <class Backward, class Result, class... A>
constexpr bool require_backward() {
  static_assert(takes_cotangent<Backward, Result>,
                "a rule of custom_gradient or custom_vjp takes the cotangent of the result, of its type, as a value or "
                "as a const reference");
  if constexpr (takes_cotangent<Backward, Result>) {
    using Given =
        std::remove_cvref_t<decltype(call_backward(std::declval<Backward &>(), std::declval<const Result &>()))>;
    constexpr bool fits = are_cotangents<typename RuleTuple<Given, A...>::Type, A...>;
    static_assert(fits,
                  "a rule of custom_gradient or custom_vjp returns a std::tuple with an element for each argument: "
                  "its cotangent, of the argument's type, or tn::none; of one argument the cotangent itself");
    return fits;
  }
  return false;
}

/// Runs the core. `forward(operands...)` gives the result, and is called before `backward(cotangent)`.
template <class Result, class... A, class Forward, class Backward>
Result call_custom_vjp(std::string_view name, const TreeFunction *plain, Forward &forward, Backward &backward,
                       CallSite site, const A &...operands) {
  using Given = std::remove_cvref_t<decltype(backward(std::declval<const Result &>()))>;
  using Rule = RuleTuple<Given, TreeOf<A>...>;
  using Tuple = typename Rule::Type;
  auto asTuple = [&](const Result &cotangent) -> Tuple {
    if constexpr (Rule::isAlone)
      return Tuple{backward(cotangent)};
    else
      return backward(cotangent);
  };
  static constexpr auto isNone = nones<Tuple>(std::index_sequence_for<A...>());
  const GivenTrees<A...> given(site.called, operands...);
  const TreeFunction functions[] = {tree_function<const TreeOf<A> &...>(forward),
                                    tree_function<const Result &>(asTuple)};
  return take_tree<Result>(run_custom_vjp({name, plain, functions[0], functions[1], isNone.data()}, given.refs, site));
}

template <class F>
class [[nodiscard]] CustomGradient : public LocatedCall<CustomGradient<F>, F, AsConst> {
public:
  CustomGradient(std::string name, F function, Location at)
      : name_(std::move(name)), function_(std::move(function)), made_(at) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...operands) const {
    using Both = ResultOf<F, const TreeOf<A> &...>;
    static_assert(is_with_grad<Both>,
                  "a function of custom_gradient returns with_grad(result, backward): its result, and its rule");
    if constexpr (is_with_grad<Both>) {
      using Result = decltype(Both::result);
      using Backward = decltype(Both::backward);
      if constexpr ((require_tree<TreeOf<A>>() && ... && require_tree<Result>())) {
        if constexpr (require_backward<Backward, Result, TreeOf<A>...>()) {
          if (!rules_are_asked())
            return call_plainly(at, function_, operands...).result;
          std::optional<Backward> rule;
          auto forward = [&](const TreeOf<A> &...x) -> Result {
            Both both = call_at(at, function_, x...);
            rule.emplace(std::move(both.backward));
            return std::move(both.result);
          };
          auto backward = [&](const Result &cotangent) { return call_backward(*rule, cotangent); };
          return call_custom_vjp<Result>(name_, nullptr, forward, backward, {made_, at}, operands...);
        } else {
          return never<Result>(); // after the static_assert
        }
      } else {
        return never<Result>();
      }
    } else {
      return never<AnyTree>();
    }
  }

private:
  std::string name_;
  /// Mutable, as a lambda may be.
  mutable F function_;
  Location made_;
};

/// bwd on what fwd has kept.
template <class Backward, class Kept>
struct OnKept {
  Backward &backward;
  const Kept &kept;
  template <class... C>
    requires takes_arguments<Backward, const Kept &, const C &...>
  auto operator()(const C &...cotangents) const {
    return backward(kept, cotangents...);
  }
};

template <class F, class Forward, class Backward>
class [[nodiscard]] WithVjp : public LocatedCall<WithVjp<F, Forward, Backward>, F, AsConst> {
public:
  WithVjp(std::string name, F function, Forward forward, Backward backward, Location at)
      : name_(std::move(name)), function_(std::move(function)), forward_(std::move(forward)),
        backward_(std::move(backward)), made_(at) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...operands) const {
    using Result = ResultOf<F, const TreeOf<A> &...>;
    if constexpr ((require_tree<TreeOf<A>>() && ... && require_tree<Result>())) {
      constexpr bool takes = takes_arguments<Forward, const TreeOf<A> &...>;
      static_assert(takes, "the forward of custom_vjp takes the function's arguments");
      if constexpr (takes) {
        using Both = ResultOf<Forward, const TreeOf<A> &...>;
        if constexpr (require_forward<Both, Result>()) {
          using Kept = typename Both::second_type;
          using Rule = OnKept<Backward, Kept>;
          if constexpr (require_backward<const Rule, Result, TreeOf<A>...>()) {
            if (!rules_are_asked())
              return call_plainly(at, function_, operands...);
            std::optional<Kept> kept;
            auto forward = [&](const TreeOf<A> &...x) -> Result {
              Both both = call_at(at, forward_, x...);
              kept.emplace(std::move(both.second));
              return std::move(both.first);
            };
            auto backward = [&](const Result &cotangent) {
              const Rule rule{backward_, *kept};
              return call_backward(rule, cotangent);
            };
            const TreeFunction plain = tree_function<const TreeOf<A> &...>(function_);
            return call_custom_vjp<Result>(name_, &plain, forward, backward, {made_, at}, operands...);
          } else {
            return never<Result>(); // after the static_assert
          }
        } else {
          return never<Result>();
        }
      } else {
        return never<Result>();
      }
    } else {
      return never<Result>();
    }
  }

private:
  template <class Both, class Result>
  static constexpr bool require_forward() {
    constexpr bool fits = [] {
      if constexpr (is_pair<Both>)
        return std::is_same_v<typename Both::first_type, Result>;
      return false;
    }();
    static_assert(fits,
                  "the forward of custom_vjp returns std::pair(result, kept): what the function returns, and what "
                  "the backward is given of it");
    return fits;
  }

  std::string name_;
  /// Mutable, as lambdas may be.
  mutable F function_;
  mutable Forward forward_;
  mutable Backward backward_;
  Location made_;
};

template <class F, class Rule>
class [[nodiscard]] WithJvp : public LocatedCall<WithJvp<F, Rule>, F, AsConst> {
public:
  WithJvp(std::string name, F function, Rule rule, Location at)
      : name_(std::move(name)), function_(std::move(function)), rule_(std::move(rule)), made_(at) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...operands) const {
    using Result = ResultOf<F, const TreeOf<A> &...>;
    if constexpr ((require_tree<TreeOf<A>>() && ... && require_tree<Result>())) {
      if constexpr (require_rule<Result, TreeOf<A>...>()) {
        if (!rules_are_asked())
          return call_plainly(at, function_, operands...);
        return call_rule<Result, TreeOf<A>...>(at, GivenTrees<A...>(at, operands...).refs);
      } else {
        return never<Result>(); // after the static_assert
      }
    } else {
      return never<Result>();
    }
  }

private:
  /// Of one argument the rule takes it and its tangent, of several tuples of them.
  template <class... A>
  using Side = std::conditional_t<sizeof...(A) == 1, std::tuple_element_t<0, std::tuple<A..., int>>, std::tuple<A...>>;

  template <class Result, class... A>
  static constexpr bool require_rule() {
    constexpr bool takes = takes_arguments<Rule, const Side<A...> &, const Side<A...> &>;
    static_assert(takes,
                  "a rule of custom_jvp takes the argument and its tangent, or a std::tuple of the arguments and "
                  "one of their tangents, as values or as const references");
    if constexpr (takes) {
      constexpr bool fits =
          std::is_same_v<ResultOf<Rule, const Side<A...> &, const Side<A...> &>, std::pair<Result, Result>>;
      static_assert(fits, "a rule of custom_jvp returns std::pair(result, tangent), both of the function's type");
      return fits;
    }
    return false;
  }

  template <class Result, class... A>
  Result call_rule(Location at, std::span<const TreeRef> given) const {
    return call_flat<Result, A...>(at, given, std::index_sequence_for<A...>());
  }
  template <class Result, class... A, size_t... i>
  Result call_flat(Location at, std::span<const TreeRef> given, std::index_sequence<i...>) const {
    auto flat = [&](const A &...x, const auto &...dx) {
      if constexpr (sizeof...(A) == 1)
        return std::pair<Result, Result>(call_at(at, rule_, x..., dx...));
      else
        return std::pair<Result, Result>(call_at(at, rule_, std::tuple<A...>(x...), std::tuple<A...>(dx...)));
    };
    const TreeFunction functions[] = {tree_function<const A &...>(function_),
                                      tree_function<const A &..., const A &...>(flat)};
    return take_tree<Result>(run_custom_jvp({name_, functions[0], functions[1]}, given, {made_, at}));
  }

  std::string name_;
  /// Mutable, as lambdas may be.
  mutable F function_;
  mutable Rule rule_;
  Location made_;
};

} // namespace detail

/// Returns f with the derivative that f itself returns, in TensorFlow's form: `custom_gradient([](const Array &x,
/// const Array &n) { return with_grad(x, [=](const Array &d) { return std::tuple(clipped(d, n), none); }); })`. f
/// takes trees of arrays, by value or const reference. The rule need not be linear: cotangents are summed before it
/// is called, and it is not called if there are none. There is no forward mode; use custom_jvp for that. Cotangents
/// of other types than the arguments are an Error.
template <class F>
auto custom_gradient(F &&f, Location at = Location::current()) {
  return detail::CustomGradient<std::decay_t<F>>("custom_gradient", std::forward<F>(f), at);
}
/// custom_gradient with a name that traces and errors show; see `composite` for valid names.
template <detail::RuleName Name, class F>
auto custom_gradient(const Name &name, F &&f, Location at = Location::current()) {
  return detail::CustomGradient<std::decay_t<F>>(detail::rule_name("custom_gradient", name, at), std::forward<F>(f),
                                                 at);
}

/// Returns f with a reverse-mode derivative in JAX's form. Where a derivative is needed, `forward` replaces f: it
/// takes the same arguments and returns `std::pair(result, residuals)`. `backward(residuals, cotangent)` returns what
/// a rule of with_grad returns. Otherwise as custom_gradient.
template <class F, class Forward, class Backward>
  requires(!detail::RuleName<F>)
auto custom_vjp(F &&f, Forward &&forward, Backward &&backward, Location at = Location::current()) {
  return detail::WithVjp<std::decay_t<F>, std::decay_t<Forward>, std::decay_t<Backward>>(
      "custom_vjp", std::forward<F>(f), std::forward<Forward>(forward), std::forward<Backward>(backward), at);
}
template <detail::RuleName Name, class F, class Forward, class Backward>
auto custom_vjp(const Name &name, F &&f, Forward &&forward, Backward &&backward, Location at = Location::current()) {
  return detail::WithVjp<std::decay_t<F>, std::decay_t<Forward>, std::decay_t<Backward>>(
      detail::rule_name("custom_vjp", name, at), std::forward<F>(f), std::forward<Forward>(forward),
      std::forward<Backward>(backward), at);
}

/// Returns f with the forward-mode derivative `rule(x, dx)`, which returns the pair of f(x) and its tangent along dx;
/// for several arguments x and dx are tuples. The rule must be linear in dx, since grad transposes it; otherwise grad
/// throws an Error. Arguments that are not differentiated have zero tangents; those of integers and bools are f32
/// zeros.
template <class F, class Rule>
  requires(!detail::RuleName<F>)
auto custom_jvp(F &&f, Rule &&rule, Location at = Location::current()) {
  return detail::WithJvp<std::decay_t<F>, std::decay_t<Rule>>("custom_jvp", std::forward<F>(f),
                                                              std::forward<Rule>(rule), at);
}
template <detail::RuleName Name, class F, class Rule>
auto custom_jvp(const Name &name, F &&f, Rule &&rule, Location at = Location::current()) {
  return detail::WithJvp<std::decay_t<F>, std::decay_t<Rule>>(detail::rule_name("custom_jvp", name, at),
                                                              std::forward<F>(f), std::forward<Rule>(rule), at);
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

/// What the derivative of a checkpointed function stores besides the arguments.
enum class Keep : uint8_t { nothing, dots, everything };

struct CheckpointOptions {
  /// `dots`: also the results of matmul. `everything`: all values, as without checkpoint.
  Keep keep = Keep::nothing;
  /// Also the values that checkpoint_name gave one of these names.
  std::vector<std::string> names = {};
};

namespace detail {

template <class F>
class [[nodiscard]] Recomputed : public LocatedCall<Recomputed<F>, F, AsConst> {
public:
  Recomputed(F function, const CheckpointOptions &options, Location at)
      : function_(std::move(function)), keep_(options.keep), names_(kept_names(options.names, at)), made_(at) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...operands) const {
    using Result = ResultOf<F, const TreeOf<A> &...>;
    if constexpr ((require_tree<TreeOf<A>>() && ... && require_tree<Result>())) {
      if (keep_ == Keep::everything || !rules_are_asked())
        return Result(call_plainly(at, function_, operands...));
      const GivenTrees<A...> given(at, operands...);
      const TreeFunction function = tree_function<const TreeOf<A> &...>(function_);
      return take_tree<Result>(
          run_checkpoint({"checkpoint", function, keep_ == Keep::dots, names_}, given.refs, {made_, at}));
    } else {
      return never<Result>(); // after the static_assert
    }
  }

private:
  /// Mutable, as a lambda may be.
  mutable F function_;
  Keep keep_;
  std::string names_;
  Location made_;
};

} // namespace detail

/// Returns f with a reverse-mode derivative that stores only the arguments (and what `options` say) and recomputes
/// the rest: about a third more time per training step for a fraction of the memory. Without derivatives it is f.
/// Results have the bits of f; derivatives have the same bits too, except where f uses a value in several places,
/// whose contributions are summed inside f first.
template <class F>
auto checkpoint(F &&f, const CheckpointOptions &options = {}, Location at = Location::current()) {
  return detail::Recomputed<std::decay_t<F>>(std::forward<F>(f), options, at);
}

/// Names the value x for CheckpointOptions::names; returns x otherwise unchanged. See `composite` for valid names.
[[nodiscard]] Array checkpoint_name(const Operand &x, std::string_view name);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace detail {

void run_check_gradients(const TreeFunction &function, std::span<const TreeRef> arguments, Location at);

struct CheckGradients : CallOfFunction<CheckGradients> {
  template <class F, class... A>
  void run(Location at, F &f, const A &...args) const {
    using Result = ResultOf<F, const A &...>;
    if constexpr ((require_tree<A>() && ... && require_tree<Result>())) {
      const std::array<TreeRef, sizeof...(A)> given{tree_ref(args)...};
      run_check_gradients(tree_function<const A &...>(f), given, at);
    }
  }
};

} // namespace detail

/// `check_gradients(f, args...)` throws an Error unless the derivatives of f at args, a tree of real arrays, agree
/// with central differences (reverse mode, up to 64 elements of each floating array) and unless forward mode, where
/// supported, agrees with reverse mode. The Error names the argument, the element and both numbers. Steps and
/// tolerances (about 1e-6 in f64, 5e-3 in f32) follow the dtypes of the arguments. f must be smooth at args and is
/// run twice per element.
inline constexpr detail::CheckGradients check_gradients;

} // namespace tenon

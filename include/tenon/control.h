//===- control.h - branches and loops over array values, composites ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branch and loop bodies are traced even in eager mode: a printf in a body runs while the body is traced and prints
// symbols; use tn::print to see values. An eager call traces the body every time and then finds the compiled program
// of an equal trace; under jit the body is traced once, with its function. Pass a jitted function as the body to save
// the tracing as well. Arrays that a body captures are differentiated and batched like its arguments.
//
// Under EagerScope a body runs as plain C++, for a debugger, if the predicate or the number of iterations is known;
// if it is traced or differs between batch elements of vmap, the body is traced as usual. Derivatives are then
// accumulated op by op instead of by iteration, so their last bits may differ, and while_loop has a reverse-mode
// derivative.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/transform_core.h>

namespace tenon {
namespace detail {

/// A number given as a carry or an operand is an array, where the arrays beside it are.
template <class T>
using TreeOf = std::conditional_t<Number<T>, Array, T>;
template <class T>
using TreeArgument = std::conditional_t<Number<T>, const Array, const T &>;

/// Where the first array of these trees is.
template <class... T>
Device device_of(const T &...trees) {
  Device device = default_device();
  [[maybe_unused]] bool isFound = false;
  [[maybe_unused]] auto look = [&]<class Tree>(const Tree &tree) {
    if constexpr (!Number<Tree>)
      for_each_array(tree, [&](const Array &array, const auto &) {
        if (!isFound && array.has_value()) {
          device = array.device();
          isFound = true;
        }
      });
  };
  (look(trees), ...);
  return device;
}

/// A number as an array there; a tree as it is.
template <class T>
TreeArgument<T> given_tree(const T &given, Device device, Location at) {
  if constexpr (Number<T>)
    return to_device(Array(given, at), device, at);
  else
    return given;
}

/// Operands or carries for the call of a core. Numbers are where the arrays are.
template <class... T>
class GivenTrees {
public:
  explicit GivenTrees(Location at, const T &...given) : GivenTrees(device_of(given...), at, given...) {}
  GivenTrees(const GivenTrees &) = delete;
  std::array<TreeRef, sizeof...(T)> refs;

private:
  GivenTrees([[maybe_unused]] Device device, [[maybe_unused]] Location at, const T &...given)
      : trees_(given_tree(given, device, at)...) {
    std::apply([&](const auto &...tree) { refs = {tree_ref(tree)...}; }, trees_);
  }
  std::tuple<TreeArgument<T>...> trees_;
};

template <class T>
inline constexpr bool is_pair = false;
template <class T, class U>
inline constexpr bool is_pair<std::pair<T, U>> = true;

/// Whether a function given as F (a function's name is a reference) takes A...
template <class F, class... A>
inline constexpr bool body_takes = takes_arguments<std::remove_reference_t<F>, A...>;
template <class F, class... A>
using BodyResult = ResultOf<std::remove_reference_t<F>, A...>;

// Static assertions about bodies.
template <class Then, class Otherwise, class... T>
constexpr bool require_branches() {
  constexpr bool both = body_takes<Then, const T &...> && body_takes<Otherwise, const T &...>;
  static_assert(both, "the branches of cond take its operands, as values or as const references: cond(predicate, "
                      "[](const Array &x) {...}, [](const Array &x) {...}, x)");
  if constexpr (both && (require_tree<T>() && ...)) {
    using Result = BodyResult<Then, const T &...>;
    constexpr bool same = std::is_same_v<Result, BodyResult<Otherwise, const T &...>>;
    static_assert(same, "the branches of cond must return the same type");
    return same && require_tree<Result>();
  } else {
    return false;
  }
}
/// Argument number i of switch_case, and what a branch gets of one that is an operand.
template <size_t i, class... A>
using ArgumentAt = std::tuple_element_t<i, std::tuple<A...>>;
template <size_t i, class... A>
using ChosenOperand = TreeOf<std::remove_cvref_t<ArgumentAt<i, A...>>>;

template <class... A, size_t... b, size_t... o>
constexpr bool are_branches(std::index_sequence<b...>, std::index_sequence<o...>) {
  constexpr size_t n = sizeof...(b);
  if constexpr ((is_tree<ChosenOperand<n + o, A...>>() && ...))
    return (body_takes<ArgumentAt<b, A...>, const ChosenOperand<n + o, A...> &...> && ...);
  else
    return false;
}
/// How many of switch_case's arguments are branches: the fewest that take all that
/// follow them; 0: none do.
template <size_t n, class... A>
constexpr size_t branch_count() {
  if constexpr (n > sizeof...(A))
    return 0;
  else if constexpr (are_branches<A...>(std::make_index_sequence<n>(), std::make_index_sequence<sizeof...(A) - n>()))
    return n;
  else
    return branch_count<n + 1, A...>();
}
template <class... A, size_t... b, size_t... o>
constexpr bool require_one_result(std::index_sequence<b...>, std::index_sequence<o...>) {
  constexpr size_t n = sizeof...(b);
  using Result = BodyResult<ArgumentAt<0, A...>, const ChosenOperand<n + o, A...> &...>;
  constexpr bool same =
      (std::is_same_v<Result, BodyResult<ArgumentAt<b, A...>, const ChosenOperand<n + o, A...> &...>> && ...);
  static_assert(same, "the branches of switch_case must return the same type");
  return same && require_tree<Result>();
}
template <size_t n, class... A>
constexpr bool require_choice() {
  static_assert(n > 0, "switch_case takes branches, then the operands that each of them takes, as values or as const "
                       "references: switch_case(index, [](const Array &x) {...}, [](const Array &x) {...}, x)");
  if constexpr (n > 0)
    return require_one_result<A...>(std::make_index_sequence<n>(), std::make_index_sequence<sizeof...(A) - n>());
  else
    return false;
}
template <class... A, size_t... b, size_t... o>
auto choose(const Operand &index, const std::tuple<A...> &all, std::index_sequence<b...>, std::index_sequence<o...>) {
  constexpr size_t n = sizeof...(b);
  const GivenTrees<std::remove_cvref_t<ArgumentAt<n + o, A...>>...> given(index.location(), std::get<n + o>(all)...);
  const TreeFunction branches[] = {tree_function<const ChosenOperand<n + o, A...> &...>(std::get<b>(all))...};
  return take_tree<BodyResult<ArgumentAt<0, A...>, const ChosenOperand<n + o, A...> &...>>(
      run_switch_case(index, branches, given.refs));
}

template <class Result, class Carry>
constexpr bool require_carry_and_result() {
  static_assert(is_pair<Result>, "the body of scan must return std::pair(carry, y)");
  if constexpr (is_pair<Result>) {
    constexpr bool same = std::is_same_v<typename Result::first_type, Carry>;
    static_assert(same, "the body of scan must return std::pair(carry, y) with a carry of the type it takes");
    return same && require_tree<typename Result::second_type>();
  } else {
    return false;
  }
}
template <class Body, class Carry, class Xs>
constexpr bool require_step() {
  if constexpr (!require_tree<Carry>() || !require_tree<Xs>()) {
    return false;
  } else if constexpr (std::is_same_v<Xs, None>) {
    constexpr bool takes = body_takes<Body, const Carry &>;
    static_assert(takes, "the body of scan without xs takes the carry alone, as a value or as a const reference");
    if constexpr (takes)
      return require_carry_and_result<BodyResult<Body, const Carry &>, Carry>();
  } else {
    constexpr bool takes = body_takes<Body, const Carry &, const Xs &>;
    static_assert(takes, "the body of scan takes the carry and a slice of xs, as values or as const references");
    if constexpr (takes)
      return require_carry_and_result<BodyResult<Body, const Carry &, const Xs &>, Carry>();
  }
  return false;
}
template <class Condition, class Body, class Carry>
constexpr bool require_rounds() {
  constexpr bool both = body_takes<Condition, const Carry &> && body_takes<Body, const Carry &>;
  static_assert(both, "a condition or body of while_loop takes one argument, the carry, as a value or as a const "
                      "reference; a carry of several parts is a std::pair, a tuple or a struct");
  if constexpr (both && require_tree<Carry>()) {
    constexpr bool isBool = std::is_convertible_v<BodyResult<Condition, const Carry &>, Array>;
    static_assert(isBool, "the condition of while_loop must return an Array, a rank-0 bool");
    constexpr bool same = std::is_same_v<BodyResult<Body, const Carry &>, Carry>;
    static_assert(same, "the body of while_loop must return a carry of the type it takes");
    return isBool && same;
  } else {
    return false;
  }
}
template <class Body, class Carry>
constexpr bool require_counted() {
  constexpr bool takes = body_takes<Body, const Array &, const Carry &>;
  static_assert(takes || !body_takes<Body, int, const Carry &>,
                "a body of fori_loop takes the round as an Array (const Array &), not as an int, then the carry");
  if constexpr (!body_takes<Body, int, const Carry &>)
    static_assert(takes, "a body of fori_loop takes two arguments, the round (const Array &) and the carry");
  if constexpr (takes && require_tree<Carry>()) {
    constexpr bool same = std::is_same_v<BodyResult<Body, const Array &, const Carry &>, Carry>;
    static_assert(same, "the body of fori_loop must return a carry of the type it takes");
    return same;
  } else {
    return false;
  }
}

/// The step of a loop over i as the body of a scan.
template <class Body, class Carry>
struct CountedStep {
  Body &body;
  Location at;
  std::pair<Carry, None> operator()(const Carry &carry, const Array &i) const {
    return {call_at(at, body, i, carry), none};
  }
};
/// The condition and the step of one whose bounds are arrays, on the pair of i and
/// the carry.
template <class Carry>
struct RoundsLeft {
  const Array &end;
  Array operator()(const std::pair<Array, Carry> &state) const { return less(state.first, end); }
};
template <class Body, class Carry>
struct CountedRound {
  Body &body;
  Location at;
  std::pair<Array, Carry> operator()(const std::pair<Array, Carry> &state) const {
    return {state.first + 1, call_at(at, body, state.first, state.second)};
  }
};

/// A bound of fori_loop: i64, from any integer.
Array loop_bound(const Array &bound, Location at);

/// The same of a C++ integer.
template <Integer T>
int64_t loop_bound(T bound, Location at) {
  if constexpr (UnsignedWide<T>)
    if (bound > T(INT64_MAX))
      throw Error("fori_loop: expected bounds that fit i64, got " + Scalar(bound).str(), at);
  return static_cast<int64_t>(bound);
}

/// One that is beside another of them, on a device.
template <Integer T>
Array loop_bound_beside(const Array &other, T bound, Location at) {
  return to_device(Array(loop_bound(bound, at), at), other.device(at), at);
}

/// The carry a loop over i starts with, a number on `device`: of a C++ integer i64, so
/// that `carry + i` is of its dtype.
template <class T>
TreeOf<T> loop_start(const T &init, Device device, Location at) {
  if constexpr (Integer<T>)
    return to_device(Array(Scalar(init), i64, at), device, at);
  else
    return given_tree(init, device, at);
}

} // namespace detail

/// Returns `then(operands...)` if the predicate (a rank-0 bool) is true, otherwise `otherwise(operands...)`. Both
/// results must have the same types, array by array. Under vmap with a predicate that differs between batch elements,
/// both branches run.
template <class Then, class Otherwise, class... T>
auto cond(const Operand &predicate, Then &&then, Otherwise &&otherwise, const T &...operands) {
  if constexpr (detail::require_branches<Then, Otherwise, detail::TreeOf<T>...>()) {
    const detail::GivenTrees<T...> given(predicate.location(), operands...);
    return detail::take_tree<detail::BodyResult<Then, const detail::TreeOf<T> &...>>(
        detail::run_cond(predicate, detail::tree_function<const detail::TreeOf<T> &...>(then),
                         detail::tree_function<const detail::TreeOf<T> &...>(otherwise), given.refs));
  } else {
    return detail::never<detail::AnyTree>(); // after the static_assert
  }
}

/// `switch_case(index, branches..., operands...)` returns `branch(operands...)` for the branch with number `index`, a
/// rank-0 i32 or i64; an index out of range is clamped. All results must have the same types, array by array. Under
/// vmap with an index that differs between batch elements, all branches run.
template <class... A>
auto switch_case(const Operand &index, A &&...branchesThenOperands) {
  constexpr size_t n = detail::branch_count<1, A &&...>();
  if constexpr (detail::require_choice<n, A &&...>())
    return detail::choose(index, std::forward_as_tuple(std::forward<A>(branchesThenOperands)...),
                          std::make_index_sequence<n>(), std::make_index_sequence<sizeof...(A) - n>());
  else
    return detail::never<detail::AnyTree>(); // after the static_assert
}

struct ScanOptions {
  /// Loops from the last slice to the first.
  bool reverse = false;
  /// Number of iterations; required only if `xs` contains no array.
  std::optional<Dim> length = {};
  /// If set to n, the reverse-mode derivative keeps only the carries of every n-th iteration and recomputes the
  /// iterations in between (see `checkpoint`). The number of iterations must be known.
  std::optional<int64_t> checkpoint_every = {};
};

/// Loops with a carry over axis 0 of the arrays in `xs`: each iteration computes `std::pair(carry, y) = body(carry,
/// x)`. Returns the pair of the last carry and all ys, stacked along a new axis 0. The carry keeps its type. If `xs`
/// is `none`, the body takes only the carry; y may be `none`.
template <class Body, class Init, class Xs = None>
auto scan(Body &&body, const Init &init, const Xs &xs, ScanOptions options = {}, Location at = Location::current()) {
  using Carry = detail::TreeOf<Init>;
  const detail::ScanForm form{"scan", options.reverse, options.length, options.checkpoint_every};
  if constexpr (!detail::require_step<Body, Carry, Xs>()) {
    return detail::never<std::pair<Carry, detail::AnyTree>>(); // after the static_assert
  } else if constexpr (std::is_same_v<Xs, None>) {
    const detail::GivenTrees<Init> given(at, init);
    return detail::take_tree<detail::BodyResult<Body, const Carry &>>(
        detail::run_scan(detail::tree_function<const Carry &>(body), given.refs, form, at));
  } else {
    const detail::GivenTrees<Init, Xs> given(at, init, xs);
    return detail::take_tree<detail::BodyResult<Body, const Carry &, const Xs &>>(
        detail::run_scan(detail::tree_function<const Carry &, const Xs &>(body), given.refs, form, at));
  }
}

struct WhileOptions {
  /// Stops the loop after this many iterations even if its condition still holds. The loop is then a scan of that
  /// length: it has a reverse-mode derivative, whose memory grows with `max_iterations`.
  std::optional<Dim> max_iterations = {};
};

/// Repeats `carry = body(carry)` while `condition(carry)`, a rank-0 bool, is true. Without `max_iterations` there is no
/// reverse-mode derivative, since the number of iterations is unknown before the loop runs. Under vmap the loop runs
/// until the last batch element has finished; finished elements keep their carry, but the body still runs on them, so
/// it must not fail there or have side effects. For example, an index that counts iterations runs past its end: use
/// mode clip.
template <class Condition, class Body, class Init>
auto while_loop(Condition &&condition, Body &&body, const Init &init, WhileOptions options = {},
                Location at = Location::current()) {
  using Carry = detail::TreeOf<Init>;
  if constexpr (!detail::require_rounds<Condition, Body, Carry>()) {
    return detail::never<Carry>(); // after the static_assert
  } else if constexpr (std::is_same_v<detail::BodyResult<Condition, const Carry &>, Array>) {
    const detail::GivenTrees<Init> given(at, init);
    return detail::take_tree<Carry>(detail::run_while(detail::tree_function<const Carry &>(condition),
                                                      detail::tree_function<const Carry &>(body), given.refs[0],
                                                      {"while_loop", options.max_iterations}, at));
  } else {
    auto asArray = [&](const Carry &carry) -> Array { return detail::call_at(at, condition, carry); };
    return while_loop(asArray, body, init, options, at);
  }
}

/// Computes `carry = body(i, carry)` for i = lo, lo + 1, ..., hi - 1, where i is a rank-0 i64 array. A carry that
/// starts as a C++ integer is i64 as well. With known bounds the loop is a scan and has a derivative.
template <class Body, class Init>
auto fori_loop(int64_t lo, int64_t hi, Body &&body, const Init &init, Location at = Location::current()) {
  using Carry = detail::TreeOf<Init>;
  if constexpr (detail::require_counted<Body, Carry>()) {
    const detail::CountedStep<std::remove_reference_t<Body>, Carry> step{body, at};
    const Carry start = detail::loop_start(init, default_device(), at);
    const Array rounds = arange(lo, hi, 1, i64, detail::device_of(start), at);
    const detail::GivenTrees<Carry, Array> given(at, start, rounds);
    return detail::take_tree<std::pair<Carry, None>>(
               detail::run_scan(detail::tree_function<const Carry &, const Array &>(step), given.refs, {"fori_loop"},
                                at))
        .first;
  } else {
    return detail::never<Carry>(); // after the static_assert
  }
}
template <detail::Integer Lo, detail::Integer Hi, class Body, class Init>
  requires(detail::UnsignedWide<Lo> || detail::UnsignedWide<Hi>)
auto fori_loop(Lo lo, Hi hi, Body &&body, const Init &init, Location at = Location::current()) {
  return fori_loop(detail::loop_bound(lo, at), detail::loop_bound(hi, at), std::forward<Body>(body), init, at);
}
template <class Lo, class Hi, class Body, class Init>
  requires(detail::NoAxis<Lo> || detail::NoAxis<Hi>)
Init fori_loop(Lo, Hi, Body &&, const Init &, Location = {}) = delete; // bounds are integers: a loop counts
/// fori_loop with bounds that are rank-0 integer arrays: a while_loop.
template <class Body, class Init>
auto fori_loop(const Array &lo, const Array &hi, Body &&body, const Init &init, Location at = Location::current()) {
  using Carry = detail::TreeOf<Init>;
  if constexpr (detail::require_counted<Body, Carry>()) {
    using State = std::pair<Array, Carry>;
    const Array first = detail::loop_bound(lo, at), end = detail::loop_bound(hi, at);
    const detail::RoundsLeft<Carry> running{end};
    const detail::CountedRound<std::remove_reference_t<Body>, Carry> step{body, at};
    const State start(first, detail::loop_start(init, detail::device_of(first), at));
    return detail::take_tree<State>(detail::run_while(detail::tree_function<const State &>(running),
                                                      detail::tree_function<const State &>(step),
                                                      detail::tree_ref(start), {"fori_loop"}, at))
        .second;
  } else {
    return detail::never<Carry>(); // after the static_assert
  }
}
template <detail::Integer T, class A, class Body, class Init>
  requires std::is_same_v<A, Array>
auto fori_loop(T lo, const A &hi, Body &&body, const Init &init, Location at = Location::current()) {
  return fori_loop(detail::loop_bound_beside(hi, lo, at), hi, std::forward<Body>(body), init, at);
}
template <detail::Integer T, class A, class Body, class Init>
  requires std::is_same_v<A, Array>
auto fori_loop(const A &lo, T hi, Body &&body, const Init &init, Location at = Location::current()) {
  return fori_loop(lo, detail::loop_bound_beside(lo, hi, at), std::forward<Body>(body), init, at);
}

namespace detail {

template <class F>
class [[nodiscard]] Composite : public LocatedCall<Composite<F>, F, AsConst> {
public:
  Composite(std::string name, F function) : name_(std::move(name)), function_(std::move(function)) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, const A &...operands) const {
    using Result = ResultOf<F, const TreeOf<A> &...>;
    if constexpr ((require_tree<TreeOf<A>>() && ... && require_tree<Result>())) {
      const GivenTrees<A...> given(at, operands...);
      return take_tree<Result>(run_composite(name_, tree_function<const TreeOf<A> &...>(function_), given.refs, at));
    } else {
      return never<Result>(); // after the static_assert
    }
  }

private:
  std::string name_;
  /// Mutable, as a lambda may be.
  mutable F function_;
};

} // namespace detail

/// Wraps f as one named op: `auto gelu = composite("gelu", [](const Array &x) {...}); gelu(x)`. It computes what f
/// does, with the same bits, derivatives and batching; traces and the IR show it as `user.<name>` with the ops of f
/// inside. f takes trees of arrays, by value or const reference, and returns one. A name consists of at most 123
/// letters, digits, `_`, `.` and `-`; it may equal the name of an op or composite of Tenon.
template <class F>
auto composite(std::string_view name, F &&f, Location at = Location::current()) {
  using Function = std::decay_t<F>;
  return detail::Composite<Function>(detail::composite_name(name, at), std::forward<F>(f));
}

namespace detail {

/// Runs carry = body(carry) while condition(carry) holds, at most `most` times, with a reverse-mode derivative. The
/// loops are nested, each of at most eight rounds, because a round that does not run has a cost of its own.
template <class Condition, class Body, class Carry>
Carry nested_rounds(const Condition &condition, const Body &body, const Carry &start, Dim most, Location at) {
  constexpr int64_t width = 8;
  if (!most.is_static() || most.raw() <= width)
    return while_loop(condition, body, start, {.max_iterations = most}, at);
  const int64_t inner = (most.raw() + width - 1) / width;
  auto several = [&](const Carry &carry) { return nested_rounds(condition, body, carry, inner, at); };
  return while_loop(condition, several, start, {.max_iterations = (most.raw() + inner - 1) / inner}, at);
}

} // namespace detail

template <class F>
  requires std::is_invocable_r_v<Array, F &, const Array &>
Array Update::apply(F &&f, const IndexOptions &options) const {
  const Array start = of(x_).get(options);
  const Repeats repeats = this->repeats(options);
  auto again = [&](const Array &part, const Array &round) {
    const Array isLeft = repeats.counts > round;
    // Elements that are done go through f, too: from where they started, since f may have no derivative where they are.
    return where(isLeft, f(where(isLeft, part, start)), part);
  };
  Array part = f(start);
  if (repeats.unrolled != 1)
    part = where(repeats.counts > 0, part, start); // of the part's shape
  for (int64_t round = 1; round < repeats.unrolled; ++round)
    part = again(part, Array(round));
  if (repeats.unrolled < 0) {
    using Carry = std::pair<Array, Array>;
    auto isLeft = [&](const Carry &carry) { return carry.first < repeats.most; };
    auto next = [&](const Carry &carry) { return Carry(carry.first + 1, again(carry.second, carry.first)); };
    auto further = [&](const Array &once) {
      return detail::nested_rounds(isLeft, next, Carry(Array(1), once), repeats.bound, at_).second;
    };
    part = cond(repeats.most > 1, further, [](const Array &once) { return once; }, part);
  }
  return of(x_).set(part, options);
}

} // namespace tenon

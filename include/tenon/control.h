//===- control.h - branches and loops over array values ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bodies are recorded, eagerly too: a printf in a body shows symbols and speaks
// when it is recorded, tn::print shows values every time. Called eagerly, a body is
// recorded at every call, like any C++ that runs, and finds the program that was
// compiled for what it recorded; under jit it is recorded when the function is
// traced. To save the recording as well, give the loop a jitted function as body.
// Arrays that a body captures may be differentiated and batched like its arguments.
//
// Under DisableJit a body runs as C++, round by round, for a debugger, where the
// predicate or the number of rounds is known; where it is not (it differs between
// the examples of vmap, or is recorded) the body is recorded as ever. A derivative is
// then added up op by op, not round by round: its last bits may differ, and a
// while_loop has one.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/transform_core.h>

namespace tenon {
namespace detail {

/// A number given as a carry or an operand is an array.
template <class T>
using TreeOf = std::conditional_t<Number<T>, Array, T>;

/// Throws unless the trees differ in their arrays alone.
template <class T>
void expect_structure(std::string_view what, const T &expected, const T &got, Location at) {
  if constexpr (structure_varies<T>) {
    StructureBytes first, second;
    append_structure(first, expected);
    append_structure(second, got);
    if (first.view() != second.view())
      throw_structure(what, first.view(), second.view(), at);
  }
}

/// The path of value number `leaf` of a tree.
template <class T>
std::string value_path(const T &tree, size_t leaf) {
  std::string name;
  size_t next = 0;
  for_each_value(tree, [&](const Array &, const Path &path) {
    if (next++ == leaf)
      name = path.str();
  });
  return name;
}
template <class T>
size_t value_count(const T &tree) {
  size_t count = 0;
  for_each_value(tree, [&](const Array &, const Path &) { ++count; });
  return count;
}
/// `tree` with the values at the front of `values`, which moves on.
template <class T>
T with_values(T tree, std::span<const Array> &values) {
  assign_values(tree, values);
  return tree;
}

template <class T>
inline constexpr bool is_pair = false;
template <class T, class U>
inline constexpr bool is_pair<std::pair<T, U>> = true;

/// A body over trees: call(arrays) makes the trees and calls the user's function;
/// check(result) throws if what it returned cannot be.
template <class Call, class Check>
class TreeBody final : public RegionBody {
public:
  using Result = std::remove_cvref_t<std::invoke_result_t<Call &, std::span<const Array>>>;

  TreeBody(Call call, Check check) : call_(call), check_(check) {}

  void run(std::span<const Array> in, std::vector<Array> &out) override {
    result.emplace(call_(in));
    check_(*result);
    for_each_value(*result, [&](Array &value, const Path &) { out.push_back(std::exchange(value, Array())); });
  }

  /// What the function returned; its arrays are in the list that run has filled.
  std::optional<Result> result;

private:
  Call call_;
  Check check_;
};

/// The step of a loop over i as the body of a scan.
template <class Body, class Carry>
struct CountedStep {
  Body &body;
  Location at;
  auto operator()(const Carry &carry, const Array &i) const { return std::pair(call_at(at, body, i, carry), none); }
};

inline Array array_of(const Operand &operand) {
  return operand.is_scalar() ? Array(operand.scalar(), operand.scalar().default_dtype(), operand.location())
                             : Array::share(operand.value());
}

} // namespace detail

/// then(operands...) if the predicate (a rank-0 bool) holds, else
/// otherwise(operands...); the results are of one type, array by array.
/// Under vmap with a predicate that differs between examples both run.
template <class Then, class Otherwise, class... T>
auto cond(const Operand &predicate, Then &&then, Otherwise &&otherwise, const T &...operands) {
  using Trees = std::tuple<detail::TreeOf<T>...>;
  static_assert(detail::require_tree<Trees>());
  const Trees trees(operands...);
  using Result = std::remove_cvref_t<decltype(std::apply(then, trees))>;
  static_assert(std::is_same_v<Result, std::remove_cvref_t<decltype(std::apply(otherwise, trees))>>,
                "the branches of cond must return the same type");
  static_assert(detail::require_tree<Result>());
  auto call = [&](auto &function) {
    return [&](std::span<const Array> in) {
      return Result(detail::apply_at(predicate.location(), function, detail::with_values(trees, in)));
    };
  };
  detail::TreeBody first(call(then), [](const Result &) {});
  auto check = [&](const Result &result) {
    if (first.result)
      detail::expect_structure("cond: the results of the branches", *first.result, result, predicate.location());
  };
  detail::TreeBody second(call(otherwise), check);
  auto names = [&](size_t leaf) {
    size_t inputs = detail::value_count(trees);
    return leaf < inputs ? "operand " + detail::value_path(trees, leaf)
                         : detail::value_path(*first.result, leaf - inputs);
  };
  std::vector<Array> results = detail::run_cond(detail::array_of(predicate), first, second, detail::values_of(trees),
                                                names, predicate.location());
  std::span<const Array> rest = results;
  return detail::with_values(*std::move(first.result ? first.result : second.result), rest);
}

struct ScanOptions {
  /// From the last slice to the first.
  bool reverse = false;
  /// The number of rounds; needed only where `xs` holds no array.
  std::optional<Dim> length = {};
};

namespace detail {
/// scan and what is made of it; `name` is the function that the user called.
template <class Body, class Init, class Xs>
auto scan_as(const char *name, Body &body, const Init &init, const Xs &xs, ScanOptions options, Location at) {
  using Carry = TreeOf<Init>;
  static_assert(require_tree<Carry>() && require_tree<Xs>());
  const Carry start(init);
  auto step = [&](const Carry &carry, const Xs &x) {
    if constexpr (std::is_same_v<Xs, None>)
      return call_at(at, body, carry);
    else
      return call_at(at, body, carry, x);
  };
  using Result = decltype(step(start, xs));
  static_assert(is_pair<Result>, "the body of scan must return std::pair(carry, y)");
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::declval<Result>().first)>, Carry>,
                "the body of scan must return std::pair(carry, y) with a carry of the type it takes");
  static_assert(require_tree<std::remove_cvref_t<decltype(std::declval<Result>().second)>>());
  auto call = [&](std::span<const Array> in) -> Result {
    const Carry carry = with_values(start, in);
    const Xs slices = with_values(xs, in);
    return step(carry, slices);
  };
  auto check = [&](const Result &result) {
    expect_structure(name + std::string(": the carry"), start, result.first, at);
  };
  TreeBody run(call, check);
  std::vector<Array> carries = values_of(start), inputs = values_of(xs);
  auto names = [&](size_t leaf) {
    return leaf < carries.size() ? value_path(start, leaf) : value_path(xs, leaf - carries.size());
  };
  std::vector<Array> results = run_scan(run, {carries, inputs, options.reverse, options.length, name}, names, at);
  std::span<const Array> rest = results;
  return with_values(*std::move(run.result), rest);
}
} // namespace detail

/// carry, y = body(carry, x) for every slice x of the arrays in `xs` along axis 0;
/// the pair of the last carry and of the ys, stacked along a new axis 0. The body
/// returns std::pair(carry, y); carry keeps its type. With `none` for xs the body
/// takes the carry alone; y may be `none`.
template <class Body, class Init, class Xs = None>
auto scan(Body &&body, const Init &init, const Xs &xs, ScanOptions options = {}, Location at = Location::current()) {
  return detail::scan_as("scan", body, init, xs, options, at);
}

namespace detail {
/// while_loop and what is made of it; `name` is the function that the user called,
/// `names` those of the carries.
template <class Condition, class Body, class Init>
auto while_as(const char *name, Condition &condition, Body &body, const Init &init, LeafNames names, Location at) {
  using Carry = TreeOf<Init>;
  static_assert(require_tree<Carry>());
  const Carry start(init);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(body(start))>, Carry>,
                "the body of while_loop must return a carry of the type it takes");
  auto question = [&](std::span<const Array> in) -> Array {
    const Carry carry = with_values(start, in);
    return call_at(at, condition, carry);
  };
  auto call = [&](std::span<const Array> in) -> Carry {
    const Carry carry = with_values(start, in);
    return call_at(at, body, carry);
  };
  auto check = [&](const Carry &next) { expect_structure(name + std::string(": the carry"), start, next, at); };
  TreeBody ask(question, [](const Array &) {});
  TreeBody run(call, check);
  std::vector<Array> results = run_while(ask, run, values_of(start), name, names, at);
  std::span<const Array> rest = results;
  return with_values(start, rest);
}
} // namespace detail

/// Runs carry = body(carry) while condition(carry), a rank-0 bool, holds. Has no
/// reverse-mode derivative: its number of rounds is unknown before it runs. Under vmap
/// a condition that differs between the examples is refused.
template <class Condition, class Body, class Init>
auto while_loop(Condition &&condition, Body &&body, const Init &init, Location at = Location::current()) {
  auto names = [&](size_t leaf) { return detail::value_path(detail::TreeOf<Init>(init), leaf); };
  return detail::while_as("while_loop", condition, body, init, names, at);
}

/// carry = body(i, carry) for i = lo, lo + 1, ..., hi - 1, a rank-0 i32 array.
/// With bounds known here it is a scan, and has a derivative.
template <class Body, class Init>
auto fori_loop(int lo, int hi, Body &&body, const Init &init, Location at = Location::current()) {
  detail::CountedStep<std::remove_reference_t<Body>, detail::TreeOf<Init>> step{body, at};
  return detail::scan_as("fori_loop", step, init, arange(lo, hi, 1, i32, at), {}, at).first;
}
/// The same with bounds that are arrays: a while_loop.
template <class Body, class Init>
auto fori_loop(const Array &lo, const Array &hi, Body &&body, const Init &init, Location at = Location::current()) {
  using Carry = detail::TreeOf<Init>;
  auto running = [&](const std::pair<Array, Carry> &state) { return less(state.first, hi); };
  auto step = [&](const std::pair<Array, Carry> &state) {
    return std::pair<Array, Carry>(state.first + 1, detail::call_at(at, body, state.first, state.second));
  };
  const std::pair<Array, Carry> start(lo, init);
  auto names = [&](size_t leaf) { return leaf ? detail::value_path(start.second, leaf - 1) : std::string("lo"); };
  return detail::while_as("fori_loop", running, step, start, names, at).second;
}

} // namespace tenon

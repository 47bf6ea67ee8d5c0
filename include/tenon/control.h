//===- control.h - branches and loops over array values ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bodies are recorded, eagerly too, once per call: a printf in a body runs
// once and shows symbols, tn::print shows values every time. Arrays that a body
// captures may be differentiated and batched like its arguments.
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
  std::optional<Result> first, second;
  auto branch = [&](auto &function, std::optional<Result> &result) {
    return [&](std::span<const Array> in, std::vector<Array> &out) {
      const Trees values = detail::with_values(trees, in);
      result.emplace(detail::apply_at(predicate.location(), function, values));
      out = detail::values_of(*result);
      if (&result == &second)
        detail::expect_structure("cond: the results of the branches", *first, *second, predicate.location());
    };
  };
  auto names = [&](size_t leaf) {
    size_t inputs = detail::value_count(trees);
    return leaf < inputs ? "operand " + detail::value_path(trees, leaf) : detail::value_path(*first, leaf - inputs);
  };
  auto runThen = branch(then, first);
  auto runOtherwise = branch(otherwise, second);
  std::vector<Array> results = detail::run_cond(detail::array_of(predicate), runThen, runOtherwise,
                                                detail::values_of(trees), names, predicate.location());
  std::span<const Array> rest = results;
  return detail::with_values(*std::move(first), rest);
}

struct ScanOptions {
  /// From the last slice to the first.
  bool reverse = false;
  /// The number of rounds; needed only where `xs` holds no array.
  std::optional<Dim> length = {};
};

/// carry, y = body(carry, x) for every slice x of the arrays in `xs` along axis 0;
/// the pair of the last carry and of the ys, stacked along a new axis 0. The body
/// returns std::pair(carry, y); carry keeps its type. With `none` for xs the body
/// takes the carry alone; y may be `none`.
template <class Body, class Init, class Xs = None>
auto scan(Body &&body, const Init &init, const Xs &xs, ScanOptions options = {}, Location at = Location::current()) {
  using Carry = detail::TreeOf<Init>;
  static_assert(detail::require_tree<Carry>() && detail::require_tree<Xs>());
  const Carry start(init);
  auto step = [&](const Carry &carry, const Xs &x) {
    if constexpr (std::is_same_v<Xs, None>)
      return detail::call_at(at, body, carry);
    else
      return detail::call_at(at, body, carry, x);
  };
  using Result = decltype(step(start, xs));
  static_assert(detail::is_pair<Result>, "the body of scan must return std::pair(carry, y)");
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::declval<Result>().first)>, Carry>,
                "the body of scan must return std::pair(carry, y) with a carry of the type it takes");
  static_assert(detail::require_tree<std::remove_cvref_t<decltype(std::declval<Result>().second)>>());
  std::optional<Result> result;
  auto run = [&](std::span<const Array> in, std::vector<Array> &out) {
    const Carry carry = detail::with_values(start, in);
    const Xs slices = detail::with_values(xs, in);
    result.emplace(step(carry, slices));
    detail::expect_structure("scan: the carry", start, result->first, at);
    out = detail::values_of(*result);
  };
  std::vector<Array> carries = detail::values_of(start), inputs = detail::values_of(xs);
  auto names = [&](size_t leaf) {
    return leaf < carries.size() ? detail::value_path(start, leaf) : detail::value_path(xs, leaf - carries.size());
  };
  std::vector<Array> results = detail::run_scan(run, {carries, inputs, options.reverse, options.length}, names, at);
  std::span<const Array> rest = results;
  detail::assign_values(*result, rest);
  return *std::move(result);
}

/// Runs carry = body(carry) while condition(carry), a rank-0 bool, holds. Has no
/// reverse-mode derivative: its number of rounds is unknown before it runs.
template <class Condition, class Body, class Init>
auto while_loop(Condition &&condition, Body &&body, const Init &init, Location at = Location::current()) {
  using Carry = detail::TreeOf<Init>;
  static_assert(detail::require_tree<Carry>());
  const Carry start(init);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(body(start))>, Carry>,
                "the body of while_loop must return a carry of the type it takes");
  auto ask = [&](std::span<const Array> in, std::vector<Array> &out) {
    const Carry carry = detail::with_values(start, in);
    out.push_back(detail::call_at(at, condition, carry));
  };
  auto run = [&](std::span<const Array> in, std::vector<Array> &out) {
    const Carry carry = detail::with_values(start, in);
    const Carry next = detail::call_at(at, body, carry);
    detail::expect_structure("while_loop: the carry", start, next, at);
    out = detail::values_of(next);
  };
  auto names = [&](size_t leaf) { return detail::value_path(start, leaf); };
  std::vector<Array> results = detail::run_while(ask, run, detail::values_of(start), names, at);
  std::span<const Array> rest = results;
  return detail::with_values(start, rest);
}

/// carry = body(i, carry) for i = lo, lo + 1, ..., hi - 1, a rank-0 i32 array.
/// With bounds known here it is a scan, and has a derivative.
template <class Body, class Init>
auto fori_loop(int lo, int hi, Body &&body, const Init &init, Location at = Location::current()) {
  auto step = [&](const detail::TreeOf<Init> &carry, const Array &i) {
    return std::pair(detail::call_at(at, body, i, carry), none);
  };
  return scan(step, init, arange(lo, hi, 1, i32, at), {}, at).first;
}
/// The same with bounds that are arrays: a while_loop.
template <class Body, class Init>
auto fori_loop(const Array &lo, const Array &hi, Body &&body, const Init &init, Location at = Location::current()) {
  using Carry = detail::TreeOf<Init>;
  auto running = [&](const std::pair<Array, Carry> &state) { return less(state.first, hi); };
  auto step = [&](const std::pair<Array, Carry> &state) {
    return std::pair<Array, Carry>(state.first + 1, detail::call_at(at, body, state.first, state.second));
  };
  return while_loop(running, step, std::pair<Array, Carry>(lo, init), at).second;
}

} // namespace tenon

//===- map.h - a function of each example, a few at a time --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/control.h>
#include <tenon/transform.h>

namespace tenon {

struct MapOptions {
  /// Number of elements computed at once, by vmap; default: one at a time, without vmap.
  std::optional<int64_t> batch = {};
};

namespace detail {

/// How many examples there are, which axis 0 of all arrays runs over; an Error if they have other numbers, or, for a
/// `batch`, if it is below 1 or the number is not known.
Dim example_count(TreeRef xs, std::optional<int64_t> batch, Location at);
/// The first examples in `parts` parts of `batch`, along a new axis 0; those from number `from` on.
void cut_examples(TreeRef xs, int64_t parts, int64_t batch, Location at);
void leave_examples(TreeRef xs, int64_t from, Location at);
/// Joins the axes 0 and 1 of the arrays in `tree`, and appends those of `rest`, if it is there.
void join_examples(TreeRef tree, TreeRef rest, Location at);

/// f of each example, one after another.
template <class F, class T>
auto map_one_by_one(F &f, const T &xs, Location at) {
  using Result = BodyResult<F, const T &>;
  auto step = [&](None, const T &x) { return std::pair<None, Result>(none, call_at(at, f, x)); };
  return scan(step, none, xs, {}, at).second;
}

} // namespace detail

/// Applies f to each slice along axis 0 of the arrays in `xs` and stacks the results, as `vmap(f)(xs)` does, in
/// bounded memory: one slice after another, or `{.batch = n}` at a time. It is a scan and has its derivative.
template <class F, class T>
auto map(F &&f, const T &xs, MapOptions options = {}, Location at = Location::current()) {
  using Result = detail::BodyResult<F, const T &>;
  if constexpr (!detail::require_tree<T>() || !detail::require_tree<Result>()) {
    return detail::never<Result>(); // after the static_assert
  } else {
    const Dim count = detail::example_count(detail::tree_ref(xs), options.batch, at);
    if (!options.batch)
      return detail::map_one_by_one(f, xs, at);
    const int64_t batch = *options.batch;
    auto each = vmap(f, {.in_axes = {0}}, at);
    if (count.raw() == 0)
      return detail::map_one_by_one(f, xs, at);
    if (count.raw() <= batch)
      return Result(each.call(at, xs));
    const int64_t parts = count.raw() / batch;
    T front = tree_copy(xs, at);
    detail::cut_examples(detail::tree_ref(front), parts, batch, at);
    Result result = detail::map_one_by_one(each, front, at);
    if (parts * batch == count.raw()) {
      detail::join_examples(detail::tree_ref(result), {}, at);
      return result;
    }
    T back = tree_copy(xs, at);
    detail::leave_examples(detail::tree_ref(back), parts * batch, at);
    const Result rest = each.call(at, back);
    detail::join_examples(detail::tree_ref(result), detail::tree_ref(rest), at);
    return result;
  }
}

} // namespace tenon

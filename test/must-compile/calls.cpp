//===- calls.cpp - what transformed functions are called with ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <functional>
#include <map>
#include <optional>
#include <type_traits>

using namespace tenon;

struct Dense {
  Array w, b;
  Array operator()(const Array &x) const { return matmul(x, w) + b; }
  Array plus(const Array &x) const { return x + b; }
  void reset(const Array &to) { b = to; }
};
struct Net {
  std::vector<Dense> layers;
  std::map<std::string, Array> heads;
  std::optional<Array> mask;
  std::pair<Key, float> noise;
  int epoch = 0;
};

inline Array loss(const Net &net, const Array &x) { return sum(net.layers[0](x)); }
inline Array doubled(Array x) { return x + x; }

// A callable says what it takes; asking is never an error.
template <class F, class... A>
inline constexpr bool takes = std::is_invocable_v<const F &, A...>;
using Reads = decltype(jit([](const Array &x, const Array &y) { return x + y; }));
static_assert(takes<Reads, Array &, const Array &> && takes<Reads, Array, float> && takes<Reads, int, bool>);
static_assert(!takes<Reads> && !takes<Reads, Array> && !takes<Reads, Array, Array, Array>);
static_assert(!takes<Reads, Array, Dense> && !takes<Reads, Array, std::string>);
using Updates = decltype(jit([](Array &x) { x = x + 1; }));
static_assert(takes<Updates, Array &> && !takes<Updates, const Array &> && !takes<Updates, float>);
static_assert(std::is_void_v<std::invoke_result_t<const Updates &, Array &>>);
using Member = decltype(jit(&Dense::plus));
static_assert(takes<Member, Dense &, Array> && takes<Member, const Dense &, float> && !takes<Member, Dense &>);
using Changer = decltype(jit(&Dense::reset));
static_assert(takes<Changer, Dense &, Array> && !takes<Changer, const Dense &, Array>);
using Slope = decltype(grad(loss));
static_assert(takes<Slope, Net, Array> && takes<Slope, Net, float> && !takes<Slope, Net> && !takes<Slope, Array, Net>);
using Nested = decltype(jit(vmap(value_and_grad(jit(doubled)))));
static_assert(takes<Nested, Array> && takes<Nested, float> && !takes<Nested, Net> && !takes<Nested, Array, Array>);
static_assert(!takes<decltype(vmap(jit([](Array &x) { x = x + 1; }))), Array>, "vmap gives arguments to read");
using Generic = decltype(jit([](const auto &...xs) { return (xs + ...); }));
static_assert(takes<Generic, Array, float> && takes<Generic, Array>);
static_assert(std::is_constructible_v<std::function<Array(const Array &, const Array &)>, Reads>);
static_assert(!std::is_constructible_v<std::function<Array(const Array &)>, Reads>);
static_assert(!std::is_constructible_v<std::function<void(const Array &)>, Updates>);

Array uses(Net &net, const Array &x) {
  auto step = jit([](Net &n, const Array &y, const Array &rate) {
    auto [value, gradient] = value_and_grad(loss)(n, y);
    n = tree_map([&](const Array &p, const Array &g) { return p - rate * g; }, n, gradient);
    return std::pair(value, n.epoch);
  });
  auto [value, epoch] = step(net, x, 0.1);
  auto text = step.lower(net, x, 0.1f).trace();
  auto second = grad(grad([](const Array &y) { return y * y * y; }))(2.0f);
  auto [slopes, aux] =
      grad<0, 1>([](const Array &a, const Array &b) { return std::pair(sum(a * b), Dense{a, b}); })(x, x);
  auto [result, pullback] = vjp(loss, net, x);
  auto [netSlope, xSlope] = pullback(result);
  auto mapped = vmap([](const Array &a, float k) { return std::tuple(a * k, k); }, {.in_axes = {0, none}})(x, 2.0f);
  std::function<Array(const Array &)> erased = jit(vmap(doubled));
  return erased(value) + second + std::get<0>(slopes) + aux.w + xSlope + std::get<0>(mapped) +
         static_cast<float>(epoch) + static_cast<float>(text.size()) + netSlope.layers[0].b;
}

Array loops(const Array &x) {
  Array chosen = cond(sum(x) > 0, doubled, [](const Array &y) { return y; }, x);
  Array powers = fori_loop(0, 3, [](const Array &i, const Array &y) { return y * i; }, x);
  auto [last, all] = scan([](const Array &c, const Array &y) { return std::pair(c + y, c); }, 0.0f, x);
  auto [a, b] = while_loop([](const auto &pair) { return pair.first < pair.second; },
                           [](const auto &pair) { return std::pair(pair.first + 1, pair.second); }, std::pair(x, x));
  auto add = [](const Array &p, Array q) { return p + q; };
  using Line = std::pair<Array, Array>;
  Line lines = associative_scan([](const Line &f, const Line &g) { return Line(f.first * g.first, g.second); },
                                Line(x, x), {.reverse = true, .axis = 0});
  Array folded = reduce(associative_scan(add, x), 0, add, {0, -1}) +
                 reduce(lines, Line(a, b), [](Line f, Line) { return f; }).first;
  Array pieces = piecewise(x, {x > 0, x > 1}, doubled, 2, 3.0f) +
                 apply_over_axes([](const Array &y, Axis axis) { return sum(y, axis.value()); }, x, {0, 1});
  auto isBefore = [](const Line &p, const Line &q) { return p.first < q.first; };
  const Line ordered = sort(sort(lines, isBefore), isBefore, {-1});
  Array updated = sort(x, less, 0) + sort(x, std::greater<>()) + sort(x, Axis(0)) + sort(x, x.ndim() - 1, true) +
                  scatter(x, {{1}, {1}}, {7, 8}, add, {}, {0}, {0}) +
                  scatter(
                      lines, {{1}}, lines, [](Line f, Line) { return f; }, {}, 0, 0, {}, {}, IndexMode::clip)
                      .first +
                  scatter(x, {{1}}, 7, std::vector<int>(), Ints{0}, {0}) + x.at[{0, _}].apply(add, 3) +
                  x.at[0].apply(add, {1, 2}, {.mode = IndexMode::clip});
  chosen = chosen + folded + pieces + ordered.second + updated + block({{x, 1}, {2.0f, x}}) + top_k(x, 3).values;
  return chosen + powers + last + all + a + b + fori_loop(last, last, [](Array, Array y) { return y; }, x);
}

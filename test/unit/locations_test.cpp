//===- locations_test.cpp - every op carries the user's line -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <sstream>

using namespace tenon;

/// Uses each function whose ops are bound somewhere inside of Tenon.
static Array everything(const Array &x) {
  Array y = x;
  y += 1;
  y -= x;
  y *= 2;
  y /= 3;
  y = y + matmul(x, transpose(x))[0] + matmul(x[0], x[1]) + relu(y) + clip(y, 0, 1) + erf_inv(y);
  y = y + where(!(y < 1) || y > 4 || y == 5, y, x) + where(any(y > 1, 0) || all(y > 0), y, full_like(y, 2));
  y = y + zeros_like(y) + where(logical_not(y) && true, y, ones_like(y));
  y = y + where(y < 1, y, x) + where(y >= 2, y, -x) + where(y != 3 && y > 0, y, 0);
  Array s = sum(y) + argmax(y) + mean(y) + sum(log_softmax(y)) + sum(softmax(y)) + sum(one_hot(argmax(y, 0), 7));
  Key key = random::key(3);
  for (const Key &each : random::split(key))
    s = s + sum(random::normal(each, {3})) + sum(random::uniform(each, {3}, f64, -1, 2));
  for (Array row : x)
    s = s + max(row);
  s = s + sum(pad(x, 1, {1, 1}, {1, 1})) + sum(concatenate({x, x}, 1)) + sum(split(x, {1, 2}, 0)[1]);
  s = s + dimension(x, 0) + sum(full({2}, 3)) + sum(zeros({2})) + sum(arange(4)) + sum(reshape(x, {-1}));
  auto quadratic = [](const Array &v) { return sum(matmul(v, v) * softmax(v)) + sum(where(v > 0, v, -v)); };
  s = s + sum(grad(quadratic)(x)) + sum(vmap([](const Array &v) { return sum(exp(v)); })(x));
  auto round = [](const Array &carry, const Array &row) { return std::pair(carry + sum(row), row * 2); };
  s = s + scan(round, 0.0f, x).first;
  s = cond(s > 0, [](const Array &v) { return v; }, [](const Array &v) { return -v; }, s);
  s = s + fori_loop(0, 3, [](const Array &i, const Array &c) { return c * 2 + i; }, 1);
  return s;
}

TEST(Locations, EveryOpHasALineOfThisFile) {
  std::istringstream trace(jit(everything).lower(ones({3, 3})).trace());
  int ops = 0;
  size_t composite = 0;
  for (std::string line; std::getline(trace, line);) {
    // What a composite is made of is recorded once for all its places, and stands
    // deeper than the composite.
    const size_t indent = line.find_first_not_of(' ');
    if (composite && indent > composite)
      continue;
    composite = line.find(" = composite ") == std::string::npos ? 0 : indent;
    if (line.find(" = ") == std::string::npos || line.ends_with("{"))
      continue; // a brace: an op with a body, whose line the text leaves out
    ++ops;
    EXPECT_NE(line.find(std::string("  # ") + __FILE__ + ":"), std::string::npos) << line;
  }
  EXPECT_GT(ops, 150);
}

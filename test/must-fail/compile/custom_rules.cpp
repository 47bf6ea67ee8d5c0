//===- custom_rules.cpp - rules that are not of their functions --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: a function of custom_gradient returns with_grad(result, backward): its result, and its rule
// expect: custom_rules.cpp:18:
// expect: a rule of custom_gradient or custom_vjp returns a std::tuple with an element for each argument
// expect: custom_rules.cpp:24:
// expect: the forward of custom_vjp returns std::pair(result, kept)
// expect: custom_rules.cpp:30:
// expect: a rule of custom_jvp returns std::pair(result, tangent), both of the function's type
// expect: custom_rules.cpp:35:
// errors: 4
#include <tenon/rules.h>

using tenon::Array;

Array plain(const Array &x) {
  return tenon::custom_gradient([](const Array &x) { return x; })(x);
}

Array tooFew(const Array &x) {
  auto f = tenon::custom_gradient(
      [](const Array &x, const Array &y) { return tenon::with_grad(x * y, [=](const Array &d) { return d * y; }); });
  return f(x, x);
}

Array withoutKept(const Array &x) {
  auto f = tenon::custom_vjp([](const Array &x) { return x; }, [](const Array &x) { return x; },
                             [](const Array &, const Array &d) { return d; });
  return f(x);
}

Array withoutResult(const Array &x) {
  auto f = tenon::custom_jvp([](const Array &x) { return x; }, [](const Array &, const Array &dx) { return dx; });
  return f(x);
}

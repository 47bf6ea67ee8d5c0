//===- effects.cpp - statements whose results are not needed ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

using namespace tenon;

inline Array energy(const Array &x) { return sum(x * x); }

// These do something beside their results, so that none has to be used.
inline void effects(Array x, Variable v, GradientTape &tape) {
  print("{}", x);
  check(x > 0, "positive");
  x += 1;
  v += 1;
  v.assign(x);
  tape.watch(x);
  tape.backward(sum(x));
  auto step = jit([](Array &state, const Array &by) {
    state += by;
    return state;
  });
  step(x, x);
  host_call([](const Array &seen) { return seen; }, TensorSpec{f32, {2}}, x);
  cond(
      x > 0,
      [](const Array &y) {
        print("{}", y);
        return y;
      },
      [](const Array &y) { return y; }, x);
  random::default_generator().normal({2});
  jit(energy).concrete(x);
  energy(x);
  (void)(x + 1);
  (void)x.at[0].set(5);
}

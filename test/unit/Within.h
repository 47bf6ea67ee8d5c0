//===- Within.h - nested functions, plain and jitted -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/unit/Calls.h"

#include <cstdio>
#include <functional>
#include <stdexcept>

namespace tenon::test {

using Function = std::function<Array(const Array &)>;

inline const TensorSpec scalar{f32, {}};

/// The state of one of the runs that are compared.
struct Side {
  Variable counted{Array(0.0f)}, weight{Array(1.0f)};

  /// Calls the host, which prints x and adds 1 to `counted`. Returns x / 2.
  Array host(const Array &x) const {
    return host_call(
        [counted = counted](const Array &a) {
          std::printf("host %g\n", static_cast<double>(a.item<float>()));
          counted.assign(counted + 1.0f);
          return a * 0.5f;
        },
        scalar, x);
  }
};

using Body = std::function<Array(const Side &, const Array &)>;

/// The function's output and results, and the Variables after each call.
inline std::string seenBy(const Side &side, const Function &f, const Floats &numbers) {
  return seenOf(
      [&](const Array &x) {
        Array y;
        const std::string error = errorOf([&] { y = f(x); });
        print("counted {} weight {}", {side.counted.value(), side.weight.value()});
        return error == "no error" ? y : throw std::runtime_error(error);
      },
      numbers);
}

struct Within : WithLog {
  /// Expects the same eagerly, compiled, interpreted and compiled in the background, in repeated calls, without
  /// warnings, and with at most `traces` traces.
  void expectAsEager(const std::function<Function(const Side &)> &make, const Floats &numbers, uint64_t traces) {
    std::string eager;
    {
      const EagerScope scope;
      const Side side;
      const Function f = make(side);
      eager = seenBy(side, f, numbers) + seenBy(side, f, numbers);
    }
    for (const Compile compile : {Compile::now, Compile::never, Compile::background}) {
      const Side side;
      const auto f = jit(make(side), {.compile = compile});
      EXPECT_EQ(seenBy(side, f, numbers) + seenBy(side, f, numbers), eager);
      EXPECT_LE(f.trace_count(), traces);
      EXPECT_EQ(logged.warnings(), ""); // nor any of nested functions
    }
  }
};

} // namespace tenon::test

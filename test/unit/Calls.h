//===- Calls.h - results and output of a function, in all modes ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/unit/Errors.h"
#include "test/unit/LogLines.h"
#include "test/unit/Printed.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tenon::test {

/// How many programs `call` runs: more than one where a program stops at a branch that it was not made for.
inline uint64_t programsOf(const std::function<void()> &call) {
  const Statistics before = statistics();
  call();
  return statistics().programs - before.programs + statistics().interpreted_programs - before.interpreted_programs;
}

/// What `f` prints, and its results or errors, for these numbers one after another.
template <class F>
std::string seenOf(const F &f, const Floats &numbers) {
  std::string text;
  const std::string printed = printedBy([&] {
    for (float x : numbers) {
      const std::string error = errorOf([&] { text += format("{}", f(Array(x))) + "\n"; });
      if (error != "no error")
        text += error.substr(0, error.find('\n')) + "\n";
    }
  });
  return printed + text;
}

/// Expects the same output and results eagerly, compiled, interpreted and compiled in the background, with at most
/// `traces` traces.
template <class Make>
void expectSame(const Make &make, const Floats &numbers, uint64_t traces) {
  std::string eager;
  {
    const EagerScope scope;
    eager = seenOf(make({}), numbers);
  }
  for (const Compile compile : {Compile::now, Compile::never, Compile::background}) {
    auto f = make(JitOptions{.compile = compile});
    EXPECT_EQ(seenOf(f, numbers), eager);
    EXPECT_LE(f.trace_count(), traces);
    EXPECT_EQ(seenOf(f, numbers), eager) << "again";
    EXPECT_LE(f.trace_count(), traces) << "again";
  }
}

} // namespace tenon::test

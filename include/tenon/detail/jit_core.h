//===- jit_core.h - jitted functions without their types ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included through jit.h.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/tree_ops.h>
#include <tenon/lowered.h>
#include <tenon/program.h>
#include <tenon/spec.h>

#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon {

/// What happens when a jitted function and the program disagree about a captured array: when an array that the function
/// captured is assigned after the trace, so that the compiled program uses the old value (also if the old value was
/// put back before the call, and if the call takes a branch that does not use the array); and when the function assigns
/// a traced value to an array outside of it. `warn` says so once, `error` throws an Error, `silent` ignores it.
enum class Captures : uint8_t { warn, error, silent };

struct JitOptions {
  std::vector<ArgumentSpec> specs = {};
  Compile compile = Compile::now;
  /// Name in logs and errors; default: the source position of the call of jit.
  std::string name = {};
  /// Names of the arguments in logs and errors, in order; the others are called `arg 0` and so on.
  std::vector<std::string> arguments = {};
  /// Maximum number of traces; a call that would exceed it is an Error that names the difference. 0: unlimited.
  uint64_t max_traces = 0;
  /// How many variants of a signature are compiled: one for each set of answers to the branches that C++ takes on
  /// array values. A call that needs another variant is traced and interpreted each time. From 1 to 64.
  unsigned max_variants = 16;
  /// When one size has had this many distinct values and another arrives, jit compiles once more with that size
  /// symbolic, unless the function needs its value: one program for all values >= 2, with the same bits. 0: never.
  unsigned dynamic_shapes = 3;
  /// Whether calls that use an outdated captured array, and traced values that leak, are warnings or Errors. The
  /// environment variable TENON_STRICT=1 turns `warn` into `error`.
  Captures captures = Captures::warn;
};

/// Counters of a jitted function since its creation.
struct JitStats {
  uint64_t traces = 0, hits = 0, compiles = 0;
  /// Nanoseconds spent tracing, compiling and running programs. For running, the first 64 calls of each concrete
  /// function are timed, then every 64th call.
  uint64_t tracing = 0, compiling = 0, running = 0;
};

/// Whether a call of a jitted function would be traced.
struct Explanation {
  /// True if there is a program for the call's signature. (A new answer to a C++ branch may still trace another
  /// variant.)
  bool hits = false;
  /// The reason, with source lines: for a call that would be traced, the differences from the nearest signature.
  std::string text;
};
std::ostream &operator<<(std::ostream &out, const Explanation &explanation);

namespace detail {

/// An argument of a call, and how it is passed.
struct JitArgument {
  TreeRef ref;
  bool isMutable, isRvalue;
  /// Of an array that there is not, as where nothing is run.
  const TensorSpec *spec = nullptr;
};

/// A signature with its program and prototype; counted.
struct JitEntry;
void releaseJitEntry(JitEntry *entry);

struct JitResult {
  InlineVector<Array, 4> leaves;
  const void *prototype = nullptr;
  /// What owns the prototype: the function may drop it while the result is made.
  JitEntry *entry = nullptr;

  JitResult() = default;
  JitResult(JitResult &&other) noexcept
      : leaves(std::move(other.leaves)), prototype(other.prototype), entry(other.entry) {
    other.entry = nullptr;
  }
  JitResult &operator=(JitResult &&other) noexcept {
    JitEntry *const before = entry;
    leaves = std::move(other.leaves);
    prototype = other.prototype;
    entry = other.entry;
    other.entry = before;
    return *this;
  }
  ~JitResult() {
    if (entry)
      releaseJitEntry(entry);
  }
};
/// Replaces the arrays of a tree, those of keys too, by the leaves of a result.
void assign_leaves(TreeRef tree, const JitResult &result);

class JitCore;
JitCore *makeJit(JitOptions options, Location at);
void retainJit(JitCore *core);
void releaseJit(JitCore *core);
/// `at` of a call, nearly always unread, by reference: copied where it has just been made, it is waited for.
JitResult callJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments,
                  const Location &at);
JitResult callConcrete(JitCore &core, JitEntry &entry, const TreeFunction &function,
                       std::span<const JitArgument> arguments, Location at);
JitEntry *concreteJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments, Location at);
Explanation explainJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments,
                       Location at);
Lowered lowerJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments, Location at);
bool jitDisabled();
/// The call as plain C++.
OwnedTree callPlainly(const TreeFunction &function, std::span<const JitArgument> arguments, Location at);
JitStats statsOf(const JitCore &core);
/// `Function step: 2 concrete functions`, and these.
std::string textOf(const JitCore &core);
std::ostream &print(std::ostream &out, const std::string &text);

/// A is the deduced type of a forwarding reference: T& for lvalues, T for rvalues. A const rvalue is one to read.
template <class A>
JitArgument jit_argument(std::remove_reference_t<A> &argument) {
  constexpr bool isRvalue = !std::is_reference_v<A> && !std::is_const_v<A>;
  return {tree_ref<std::decay_t<A>>(argument), !isRvalue && !std::is_const_v<std::remove_reference_t<A>>, isRvalue};
}

/// What is the same for all functions with one type of result.
template <class Result>
[[gnu::noinline]] Result take_result(JitResult result) {
  if constexpr (std::is_same_v<Result, Array>) {
    return std::move(result.leaves[0]);
  } else if constexpr (!std::is_void_v<Result>) {
    Result out = *static_cast<const Result *>(result.prototype);
    assign_leaves(tree_ref(out), result);
    return out;
  }
}
template <class Result>
[[gnu::noinline]] Result call_jit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments,
                                  const Location &at) {
  if (jitDisabled()) {
    OwnedTree result = callPlainly(function, arguments, at);
    if constexpr (!std::is_void_v<Result>)
      return take_tree<Result>(std::move(result));
    else
      return;
  }
  return take_result<Result>(callJit(core, function, arguments, at));
}

/// What the function gives for these arguments.
template <class F, class... A>
using JitResultOf = ResultOf<F, AsCopy<A>...>;

/// What a function gets for an argument, or for the spec of one.
template <class A>
using AsSpecified = AsCopy<std::conditional_t<std::is_same_v<std::remove_cvref_t<A>, TensorSpec>, Array, A>>;

} // namespace detail
} // namespace tenon

//===- jit.h - a function as a compiled program -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jit(f) is called as f is. At the first call with a signature f runs once with
// traced arrays; what it did is compiled, cached and from then on run as one
// program. A signature is: the structure of the arguments, their static values,
// each array's dtype, device and sizes.
//
//   Arrays and keys in the arguments are inputs, and so is a number given for a
//   parameter that is an Array. Other numbers, enums and strings are static:
//   another value is another program.
//   A non-const lvalue is updated: leaves that f rebinds are assigned after the
//   call has succeeded; after a throw every argument is as it was. On a device that
//   works later a call has succeeded when all is asked for: what was updated then
//   holds a failure, which is thrown where its elements are waited for.
//   An rvalue is donated: its buffer may be reused for a result.
//   Arrays that f captures are read once, when it is traced.
//   What C++ asks of arrays (if, while, &&, switch (int(x)), x.item<T>()) is answered
//   from the call's own inputs, and is part of the program: a call with other answers
//   runs, or is traced for, another path through f; up to 16 for a signature, after
//   which such calls are traced and interpreted each time, as the log says once. What
//   C++ does with a number cannot be seen: compare arrays, `if (x < 3)`, where float(x)
//   has many values. In bodies of scan, while_loop and cond, and of the examples of
//   vmap, it is an Error.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/tree_ops.h>
#include <tenon/program.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon {

/// dtype and sizes of an argument; a name is a symbol: one program serves every
/// value >= 2 of it. One name is one symbol in all arguments.
struct TensorSpec {
  Dtype dtype = f32;
  Shape shape;
};

/// In a list of specs: the argument as it is called.
struct AsCalled {};
inline constexpr AsCalled as_called;

/// One entry per argument: as_called, or the spec of its one array.
class ArgumentSpec {
public:
  ArgumentSpec(AsCalled) {}
  ArgumentSpec(TensorSpec spec) : spec_(std::move(spec)) {}
  const std::optional<TensorSpec> &spec() const { return spec_; }

private:
  std::optional<TensorSpec> spec_;
};

struct JitOptions {
  std::vector<ArgumentSpec> specs = {};
  Compile compile = Compile::now;
  /// What logs and errors call it; by default its place in the source.
  std::string name = {};
};

/// Counts of one jitted function since it was made.
struct JitStats {
  uint64_t traces = 0, hits = 0, compiles = 0;
  friend bool operator==(const JitStats &, const JitStats &) = default;
};

/// A traced function that can be looked at, stage by stage, and saved.
class Lowered {
public:
  /// Takes over a trace (internal: made by Jitted::lower).
  Lowered(const class Trace *trace, std::vector<Array> captured);
  /// The trace as text.
  std::string trace() const;
  /// The text of a stage: "tenon", "simplified", "grouped", "linalg", "vector",
  /// "llvm", "asm", "ptx". Error for others, InternalError if the compiler fails.
  std::string stage(std::string_view name, Location at = Location::current()) const;
  std::string mlir(Location at = Location::current()) const { return stage("tenon", at); }
  /// Writes the trace: tenon-run runs it and prints its stages.
  void save_trace(const std::string &path, Location at = Location::current()) const;
  /// Compiles, unless the process has this program, and writes it: load_program
  /// runs it without a compiler.
  void save_blob(const std::string &path, Location at = Location::current()) const;
  /// The arrays, other than arguments, that the function uses or returns: they
  /// are the last inputs of what is saved, in this order.
  const std::vector<Array> &captured() const { return captured_; }

  ~Lowered();
  Lowered(const Lowered &);
  Lowered &operator=(const Lowered &) = delete;

private:
  const Trace *trace_;
  std::vector<Array> captured_;
};

namespace detail {

/// An argument of a call, and how it is passed.
struct JitArgument {
  TreeRef ref;
  bool isMutable, isRvalue;
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
      : leaves(std::move(other.leaves)), prototype(other.prototype), entry(std::exchange(other.entry, nullptr)) {}
  ~JitResult() {
    if (entry)
      releaseJitEntry(entry);
  }
};

class JitCore;
JitCore *makeJit(JitOptions options, Location at);
void retainJit(JitCore *core);
void releaseJit(JitCore *core);
JitResult callJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments, Location at);
Lowered lowerJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments, Location at);
bool jitDisabled();
/// The call as plain C++.
OwnedTree callPlainly(const TreeFunction &function, std::span<const JitArgument> arguments, Location at);
JitStats statsOf(const JitCore &core);

/// A is the deduced type of a forwarding reference: T& for lvalues, T for rvalues.
template <class A>
JitArgument jit_argument(std::remove_reference_t<A> &argument) {
  constexpr bool isRvalue = !std::is_reference_v<A>;
  return {tree_ref<std::decay_t<A>>(argument), !isRvalue && !std::is_const_v<std::remove_reference_t<A>>, isRvalue};
}

/// What is the same for all functions with one type of result.
template <class Result>
[[gnu::noinline]] Result call_jit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments,
                                  Location at) {
  if (jitDisabled()) {
    OwnedTree result = callPlainly(function, arguments, at);
    if constexpr (!std::is_void_v<Result>)
      return take_tree<Result>(std::move(result));
    else
      return;
  }
  JitResult result = callJit(core, function, arguments, at);
  if constexpr (std::is_same_v<Result, Array>) {
    return std::move(result.leaves[0]);
  } else if constexpr (!std::is_void_v<Result>) {
    Result out = *static_cast<const Result *>(result.prototype);
    std::span<const Array> leaves(result.leaves.begin(), result.leaves.size());
    assign_leaves(tree_ref(out), leaves, true);
    return out;
  }
}

/// What the function gives for these arguments.
template <class F, class... A>
using JitResultOf = ResultOf<F, AsCopy<A>...>;

/// Jitted::lower; belongs to the Jitted around it.
template <class F>
class JitLower : public LocatedCall<JitLower<F>, F, AsCopy> {
public:
  JitLower(F &function, JitCore *core) : function_(function), core_(core) {}
  JitLower(const JitLower &) = delete;

  template <class... A>
  Lowered call(Location at, A &&...arguments) const {
    if constexpr (has_number_input<F, A...>()) {
      return call_with_inputs<F>(*this, at, std::forward<A>(arguments)...);
    } else {
      if constexpr ((require_tree<std::decay_t<A>>() && ...)) {
        const std::array<JitArgument, sizeof...(A)> given{jit_argument<A>(arguments)...};
        return lowerJit(*core_, tree_function<AsCopy<A>...>(function_), given, at);
      }
    }
  }

private:
  F &function_;
  JitCore *core_;
};

} // namespace detail

/// A function that is traced and compiled; a handle: copies share the cache.
template <class F>
class Jitted : public detail::LocatedCall<Jitted<F>, F, detail::AsCopy> {
  mutable F function_;
  detail::JitCore *core_;

public:
  Jitted(F function, JitOptions options, Location at)
      : function_(std::move(function)), core_(detail::makeJit(std::move(options), at)), lower(function_, core_) {}
  Jitted(const Jitted &other) : function_(other.function_), core_(other.core_), lower(function_, core_) {
    detail::retainJit(core_);
  }
  Jitted &operator=(const Jitted &) = delete;
  ~Jitted() { detail::releaseJit(core_); }

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, A &&...arguments) const {
    if constexpr (detail::has_number_input<F, A...>()) {
      return detail::call_with_inputs<F>(*this, at, std::forward<A>(arguments)...);
    } else {
      using Result = detail::JitResultOf<F, A...>;
      if constexpr ((detail::require_tree<std::decay_t<A>>() && ... && detail::require_result<Result>())) {
        const std::array<detail::JitArgument, sizeof...(A)> given{detail::jit_argument<A>(arguments)...};
        return detail::call_jit<Result>(*core_, detail::tree_function<detail::AsCopy<A>...>(function_), given, at);
      } else {
        return detail::never<Result>(); // after the sentence
      }
    }
  }

  /// `f.lower(x)` traces for these arguments, without running: a Lowered.
  const detail::JitLower<F> lower;

  JitStats stats() const { return detail::statsOf(*core_); }
};

/// `function` as a compiled program: any callable, lambdas that capture, functors,
/// member functions (the object is the first argument).
template <class F>
Jitted<std::decay_t<F>> jit(F &&function, JitOptions options = {}, Location at = Location::current()) {
  return Jitted<std::decay_t<F>>(std::forward<F>(function), std::move(options), at);
}

} // namespace tenon

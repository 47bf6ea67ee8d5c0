//===- jit.h - a function as a compiled program -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jit(f) is called as f is. At the first call with a signature f runs once with
// traced arrays; what it did is compiled, cached and from then on run as one
// program. A signature is: the structure of the arguments, their static values,
// each array's dtype, device and sizes.
//
//   Arrays and keys in the arguments are inputs. Numbers, enums and strings are
//   static: another value is another program.
//   A non-const lvalue is updated: leaves that f rebinds are assigned after the
//   call has succeeded; after a throw every argument is as it was.
//   An rvalue is donated: its buffer may be reused for a result.
//   Arrays that f captures are read once, when it is traced.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/call.h>
#include <tenon/detail/inline_vector.h>
#include <tenon/random.h>
#include <tenon/tree.h>

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

/// When a traced function is compiled: at its first call, or never (its trace,
/// and those of its derivatives and batches, are run by the interpreter, with
/// the same bits).
enum class Compile : uint8_t { now, never };

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

/// A compiled program from a file; arrays in, arrays out, in the order of the
/// leaves of the arguments (captured arrays last) and of the results (then of
/// the arguments that the function updates).
class LoadedProgram {
public:
  std::vector<Array> operator()(const Arrays &inputs, Location at = Location::current()) const;
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram &);
  LoadedProgram &operator=(const LoadedProgram &) = delete;

private:
  friend LoadedProgram load_program(const std::string &path, Location at);
  explicit LoadedProgram(class Program *program) : program_(program) {}
  Program *program_;
};
/// Reads what save_blob wrote. An Error names the file and what is wrong with it.
LoadedProgram load_program(const std::string &path, Location at = Location::current());

/// While it lives, jitted functions on this thread run as plain C++: op by op,
/// for a debugger.
class DisableJit {
public:
  DisableJit();
  ~DisableJit();
  DisableJit(const DisableJit &) = delete;

private:
  bool before_;
};

/// Where lines of TENON_JIT_LOG=1 go; null: standard error. Returns the former.
using JitLog = void (*)(std::string_view line);
JitLog set_jit_log(JitLog log);

namespace detail {

/// One array leaf of a call: the handle in the argument and how it was passed.
struct JitLeaf {
  Array *array;
  bool isMutable, isRvalue;
  uint16_t argument;
};

/// The function's result with empty arrays: what the leaves are put back into.
struct Prototype {
  void *object = nullptr;
  void (*destroy)(void *) = nullptr;
};

/// What a traced run of the function gave.
struct JitTraced {
  std::vector<Array> results;
  /// By leaf: what the handle in the function's copy of the arguments holds now.
  std::vector<Array> leaves;
  Prototype prototype;
  /// The arguments' structure afterwards; static values must not change.
  std::string structure;
};

/// One call, without the function's type.
struct JitCall {
  StructureBytes structure;
  InlineVector<JitLeaf, 16> leaves;
  void (*trace)(JitCall &call, std::span<const Array> inputs, JitTraced &out);
  /// By leaf: `arg 0: layers[3].kernel`.
  std::vector<std::string> (*paths)(const JitCall &call);
  /// Where the call is written.
  Location at;
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
JitResult callJit(JitCore &core, JitCall &call);
Lowered lowerJit(JitCore &core, JitCall &call);
bool jitDisabled();
JitStats statsOf(const JitCore &core);
std::string argumentPath(size_t argument, const Path &path);

/// Every Array leaf and every Key leaf's array.
template <class T, class F>
void for_each_input(T &&tree, F &&callback) {
  for_each_leaf(tree, [&](auto &leaf, const Path &path) {
    using Leaf = std::remove_cvref_t<decltype(leaf)>;
    if constexpr (std::is_same_v<Leaf, Array>)
      callback(leaf, path);
    else if constexpr (std::is_same_v<Leaf, Key>)
      callback(leaf.data, path);
  });
}

/// The arguments of one call as the core sees them. A are the deduced types of
/// forwarding references: T& for lvalues, T for rvalues.
template <class Result, class F, class... A>
struct JitFrame : JitCall {
  F &function;
  std::tuple<A &&...> arguments;

  explicit JitFrame(Location at, F &function, A &&...given) : function(function), arguments(std::forward<A>(given)...) {
    trace = &traceCall;
    this->at = at;
    paths = &pathsOf;
    eachArgument([&]<size_t I>(auto &argument) {
      using Given = std::tuple_element_t<I, std::tuple<A...>>;
      constexpr bool isRvalue = !std::is_reference_v<Given>;
      constexpr bool isMutable = !isRvalue && !std::is_const_v<std::remove_reference_t<Given>>;
      append_structure(structure, std::as_const(argument));
      for_each_input(std::as_const(argument), [&](const Array &leaf, const Path &) {
        leaves.push_back({const_cast<Array *>(&leaf), isMutable, isRvalue, uint16_t(I)});
      });
    });
  }

  template <class G>
  void eachArgument(G &&visit) const {
    [&]<size_t... I>(std::index_sequence<I...>) {
      (visit.template operator()<I>(std::get<I>(arguments)), ...);
    }(std::index_sequence_for<A...>());
  }

  static void traceCall(JitCall &call, std::span<const Array> inputs, JitTraced &out) {
    auto &self = static_cast<JitFrame &>(call);
    std::apply(
        [&](auto &...argument) {
          std::tuple<std::decay_t<A>...> copies(std::as_const(argument)...);
          std::apply([&](auto &...copy) { self.run(inputs, out, copy...); }, copies);
        },
        self.arguments);
  }

  template <class... Copies>
  void run([[maybe_unused]] std::span<const Array> inputs, JitTraced &out, Copies &...copies) {
    [[maybe_unused]] size_t next = 0;
    (for_each_input(copies, [&](Array &leaf, const Path &) { leaf = inputs[next++]; }), ...);
    if constexpr (std::is_void_v<Result>) {
      call_at(at, function, copies...);
    } else {
      auto *result = new Result(call_at(at, function, copies...));
      out.prototype = {result, [](void *object) { delete static_cast<Result *>(object); }};
      for_each_input(*result, [&](Array &leaf, const Path &) { out.results.push_back(std::exchange(leaf, Array())); });
    }
    (for_each_input(copies, [&](Array &leaf, const Path &) { out.leaves.push_back(leaf); }), ...);
    StructureBytes after;
    (append_structure(after, copies), ...);
    out.structure = after.view();
  }

  static std::vector<std::string> pathsOf(const JitCall &call) {
    std::vector<std::string> all;
    static_cast<const JitFrame &>(call).eachArgument([&]<size_t I>(auto &argument) {
      for_each_input(std::as_const(argument),
                     [&](const Array &, const Path &path) { all.push_back(argumentPath(I, path)); });
    });
    return all;
  }
};

/// What the function gives for these arguments.
template <class F, class... A>
using JitResultOf = std::remove_cvref_t<decltype(detail::invoke(std::declval<F &>(), std::declval<AsCopy<A>>()...))>;

/// Jitted::lower; belongs to the Jitted around it.
template <class F>
class JitLower : public LocatedCall<JitLower<F>, F, AsCopy> {
public:
  JitLower(F &function, JitCore *core) : function_(function), core_(core) {}
  JitLower(const JitLower &) = delete;

  template <class... A>
  Lowered call(Location at, A &&...arguments) const {
    JitFrame<JitResultOf<F, A...>, F, A...> frame(at, function_, std::forward<A>(arguments)...);
    return lowerJit(*core_, frame);
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
    using Result = detail::JitResultOf<F, A...>;
    if (detail::jitDisabled())
      return static_cast<Result>(detail::call_at(at, function_, arguments...));
    detail::JitFrame<Result, F, A...> frame(at, function_, std::forward<A>(arguments)...);
    detail::JitResult result = detail::callJit(*core_, frame);
    if constexpr (std::is_same_v<Result, Array>) {
      return std::move(result.leaves[0]);
    } else if constexpr (!std::is_void_v<Result>) {
      Result out = *static_cast<const Result *>(result.prototype);
      size_t next = 0;
      detail::for_each_input(out, [&](Array &leaf, const Path &) { leaf = std::move(result.leaves[next++]); });
      return out;
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

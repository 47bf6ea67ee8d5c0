//===- concrete.h - one signature of a jitted function ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   auto f = tn::jit(line, {.name = "line", .arguments = {"x"}});
//   auto g = f.concrete(tn::spec<float>({3}));    // traced, not run
//   std::cout << g;                               // ConcreteFunction line(x) ...
//   g(tn::Array{1.0f, 2.0f, 3.0f});
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/jit_core.h>

namespace tenon {

struct ConcreteStats {
  uint64_t calls = 0;
  /// Nanoseconds, as in JitStats.
  uint64_t tracing = 0, compiling = 0, running = 0;
};

namespace detail {

/// A ConcreteFunction without the C++ type of its function.
class ConcreteBase {
public:
  /// Describes the arguments, the results and what is updated, one line each.
  std::string str() const;
  /// Returns the trace of the variant that ran last.
  Lowered lowered() const;
  std::string trace() const { return lowered().trace(); }
  /// Returns that trace as data: its ops, their operands and types.
  TracedFunction graph() const { return lowered().graph(); }
  std::vector<TracedOp> ops() const { return lowered().ops(); }
  /// Returns the text of a compiler stage; see Lowered::stage.
  std::string stage(std::string_view name, Location at = Location::current()) const {
    return lowered().stage(name, at);
  }
  /// Costs of that variant; compiles it if necessary.
  ProgramCost cost(Location at = Location::current()) const;
  /// Number of kernels that a run of it launches: generated ones, each for a group of ops, and precompiled ones.
  int64_t kernel_count(Location at = Location::current()) const {
    const ProgramCost its = cost(at);
    return static_cast<int64_t>(its.kernels + its.library_steps);
  }
  ConcreteStats stats() const;
  /// Number of variants traced so far (see `jit`: a C++ branch on a value makes one variant per answer).
  size_t variants() const;
  friend std::ostream &operator<<(std::ostream &out, const ConcreteBase &function) { return function.print(out); }

protected:
  ConcreteBase(JitCore *core, JitEntry *entry); // takes over a reference of the entry
  ConcreteBase(const ConcreteBase &other);
  ConcreteBase &operator=(const ConcreteBase &) = delete;
  ~ConcreteBase();
  std::ostream &print(std::ostream &out) const;

  JitCore *core_;
  JitEntry *entry_;
};

} // namespace detail

/// A jitted function for fixed argument types; its programs stay compiled as long as this handle lives. A call with
/// arguments of other types is an Error that names the difference. If C++ branches on array values, a call with new
/// answers traces a new variant, as in the function it was made from.
template <class F>
class ConcreteFunction : public detail::LocatedCall<ConcreteFunction<F>, F, detail::AsCopy>,
                         public detail::ConcreteBase {
public:
  ConcreteFunction(F function, detail::JitCore *core, detail::JitEntry *entry)
      : ConcreteBase(core, entry), function_(std::move(function)) {}

  /// The call operator, with the line that errors name.
  template <class... A>
  auto call(Location at, A &&...arguments) const {
    if constexpr (detail::has_number_input<F, A...>()) {
      return detail::call_with_inputs<F>(*this, at, std::forward<A>(arguments)...);
    } else {
      using Result = detail::JitResultOf<F, A...>;
      if constexpr ((detail::require_tree<std::decay_t<A>>() && ... && detail::require_result<Result>())) {
        const std::array<detail::JitArgument, sizeof...(A)> given{detail::jit_argument<A>(arguments)...};
        return detail::take_result<Result>(
            detail::callConcrete(*core_, *entry_, detail::tree_function<detail::AsCopy<A>...>(function_), given, at));
      } else {
        return detail::never<Result>(); // after the static_assert
      }
    }
  }

private:
  mutable F function_;
};

} // namespace tenon

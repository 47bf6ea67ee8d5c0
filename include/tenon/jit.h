//===- jit.h - a function as a compiled program -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jit(f) is called like f. The first call with a signature traces f: it runs f once with traced arrays, compiles the
// recorded operations and caches the program; later calls only run the program. The signature consists of the
// structure of the arguments, their static values, and the dtype, device and shape of each array.
//
// Arguments. Arrays and keys are inputs, and so are numbers passed for a parameter of type Array, one or a std::vector
// or std::array of them. Other numbers (also those for a parameter of type auto), enums, strings and constant<3> are
// static: another value is another program. Leaves of a non-const lvalue argument that f rebinds are updated after the
// call has succeeded; after a throw every argument is unchanged. On an asynchronous device a call succeeds when its
// work has been submitted; a later failure is thrown where the elements are waited for. An rvalue is donated: its
// buffer may be reused for a result.
//
// Read once. Arrays and numbers that f captures are read when f is traced, and so are members of an argument that its
// tree_fields function does not name (see tree.h). If a captured array is assigned later, the program still uses the
// old value, and the next call warns, once; so does a trace in which f assigns a traced value to an array outside of it
// (`total += x`). JitOptions::captures makes these Errors or ignores them. Not noticed: arrays that only
// C++ reads (item(), to_vector()), captured arrays returned unchanged, copies of a captured array (also in `stack({w,
// x})` and as a primal of jvp), and arrays that were moved from (std::exchange, std::swap). Values that no result,
// update or side effect needs are not computed, so their errors are not thrown; check() and host_call are side effects.
//
// Dynamic shapes. When a fourth distinct value of one dimension arrives, jit compiles once more with that dimension
// symbolic. If f or a rule needs the value of the size, that attempt is discarded, except for what C++ itself did,
// and f is traced for each size as before.
//
// Branches. When C++ reads a traced value (if, while, &&, switch (int(x)), x.item<T>()), the value for this call is
// used and stored as a guard of the variant. A call whose guards fail runs or traces another variant, up to
// `max_variants` (16) per signature; beyond that, it is traced and interpreted each time (the log says so once). A
// branch after a print or host call splits the program in two segments, so that side effects never run twice. Compare
// arrays, `if (x < 3)`: each new value of float(x) needs a new variant. Values inside bodies of scan, while_loop and
// cond, and batched values under vmap, cannot be read by C++.
//
// Nesting. A jitted function called from another becomes a `call` op. If it branches on values or calls the host, it
// is inlined and retraced with its caller (twice, if it has specs of its own or a tape records it).
//
// f.concrete(specs or arrays...) is f for one signature, to keep, print or inspect; explain(f, args...) tells whether
// a call would be traced, and why.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/concrete.h>
#include <tenon/constant.h>

namespace tenon {

template <class F>
class Jitted;

namespace detail {

/// Internal: member functions such as `f.lower(x)` that accept the arguments of f, or specs of them.
template <class F, class Ask>
class AskOfJitted : public LocatedCall<AskOfJitted<F, Ask>, F, AsSpecified> {
public:
  explicit AskOfJitted(const Jitted<F> &jitted) : jitted_(jitted) {}
  AskOfJitted(const AskOfJitted &) = delete;

  template <class... A>
  auto call(Location at, A &&...arguments) const {
    if constexpr (has_number_input<F, A...>()) {
      return call_with_inputs<F>(*this, at, std::forward<A>(arguments)...);
    } else if constexpr ((require_tree<std::decay_t<AsSpecified<A>>>() && ...)) {
      const Array none;
      auto argument = [&]<class T>(std::type_identity<T>, std::remove_reference_t<T> &given) {
        if constexpr (std::is_same_v<std::remove_cvref_t<T>, TensorSpec>)
          return JitArgument{tree_ref(none), true, false, &given};
        else
          return jit_argument<T>(given);
      };
      const std::array<JitArgument, sizeof...(A)> given{argument(std::type_identity<A>(), arguments)...};
      return Ask()(jitted_, tree_function<AsSpecified<A>...>(jitted_.function_), given, at);
    }
  }

private:
  const Jitted<F> &jitted_;
};

struct AskLower {
  template <class F>
  Lowered operator()(const Jitted<F> &f, const TreeFunction &function, std::span<const JitArgument> arguments,
                     Location at) const {
    return lowerJit(*f.core_, function, arguments, at);
  }
};
struct AskConcrete {
  template <class F>
  ConcreteFunction<F> operator()(const Jitted<F> &f, const TreeFunction &function,
                                 std::span<const JitArgument> arguments, Location at) const {
    static_assert(std::is_copy_constructible_v<F>, "a ConcreteFunction holds a copy of its function, which cannot be "
                                                   "copied: hold what it captures in a std::shared_ptr");
    return {f.function_, f.core_, concreteJit(*f.core_, function, arguments, at)};
  }
};
struct AskExplain {
  template <class F>
  Explanation operator()(const Jitted<F> &f, const TreeFunction &function, std::span<const JitArgument> arguments,
                         Location at) const {
    return explainJit(*f.core_, function, arguments, at);
  }
};

} // namespace detail

/// A jitted function. Copies are handles that share the cache.
template <class F>
class [[nodiscard]] Jitted : public detail::LocatedCall<Jitted<F>, F, detail::AsCopy> {
  mutable F function_;
  detail::JitCore *core_;
  template <class, class>
  friend class detail::AskOfJitted;
  friend detail::AskLower;
  friend detail::AskConcrete;
  friend detail::AskExplain;

public:
  Jitted(F function, JitOptions options, Location at)
      : function_(std::move(function)), core_(detail::makeJit(std::move(options), at)) {}
  Jitted(const Jitted &other) : function_(other.function_), core_(other.core_) { detail::retainJit(core_); }
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
        return detail::never<Result>(); // after the static_assert
      }
    }
  }

  /// `f.lower(x)` traces f for these arguments without running it and returns a Lowered. A TensorSpec may stand for
  /// an array.
  const detail::AskOfJitted<F, detail::AskLower> lower{*this};
  /// `f.concrete(x)` returns the ConcreteFunction for these arguments, tracing f if necessary. A TensorSpec may stand
  /// for an array, with symbolic sizes; f is then traced without values: a branch on a bool is traced both ways,
  /// running the C++ code once for each variant (up to the limit of variants). Reading a number, or a loop that
  /// depends on values, is then an Error.
  const detail::AskOfJitted<F, detail::AskConcrete> concrete{*this};

  JitStats stats() const { return detail::statsOf(*core_); }
  /// Number of variants traced, not counting functions that were inlined into their caller.
  uint64_t trace_count() const { return stats().traces; }
  /// `Function step: 2 concrete functions`, and these.
  std::string str() const { return detail::textOf(*core_); }
  friend std::ostream &operator<<(std::ostream &out, const Jitted &f) { return detail::print(out, f.str()); }
};

/// Returns a function that traces `function` on the first call per signature, compiles it and reuses the program, as
/// `jax.jit`. `function` is any callable: a lambda with captures, a functor or a member function (the object is the
/// first argument).
template <class F>
Jitted<std::decay_t<F>> jit(F &&function, JitOptions options = {}, Location at = Location::current()) {
  return Jitted<std::decay_t<F>>(std::forward<F>(function), std::move(options), at);
}

namespace detail {
struct TakesJitted {
  template <class F, class... A>
    requires takes_arguments<F, A &...>
  void operator()(const Jitted<F> &, A &...) const;
};
struct Explain : LocatedCall<Explain, TakesJitted, AsSpecified> {
  template <class F, class... A>
  Explanation call(Location at, const Jitted<F> &f, A &&...args) const {
    return AskOfJitted<F, AskExplain>(f).call(at, std::forward<A>(args)...);
  }
};
} // namespace detail

/// `explain(f, args...)` tells whether this call of a jitted function would find a program and, if not, how it
/// differs from the nearest signature: paths of arguments, their old and new values, and the line of the call that
/// was traced. Nothing is traced or run. A TensorSpec may stand for an array.
inline constexpr detail::Explain explain;

} // namespace tenon

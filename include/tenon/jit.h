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
//   another value is another program. So is constant<3>, which C++ knows as a type.
//   A non-const lvalue is updated: leaves that f rebinds are assigned after the
//   call has succeeded; after a throw every argument is as it was. A result may
//   reuse the buffer of such a leaf (of more than 16 KB) if no other handle or view
//   holds it and no step of the program can fail afterwards. On a device that
//   works later a call has succeeded when all is asked for: what was updated then
//   holds a failure, which is thrown where its elements are waited for.
//   An rvalue is donated: its buffer may be reused for a result.
//   When a fourth distinct value of one size arrives (JitOptions::dynamic_shapes), jit traces f once more
//   with that size symbolic. If f or a rule needs the value, that trace is dropped, and f is traced at
//   each size, as before; what C++ did by itself in the dropped trace stays done.
//   A number that f captures or keeps is what it was at the trace, for all those sizes, too.
//   Arrays that f captures are read once, when it is traced.
//   What no result, update or effect needs is not computed, nor is thrown what it would have thrown; check()
//   and host_call are effects.
//   What C++ asks of arrays (if, while, &&, switch (int(x)), x.item<T>()) is answered
//   from the call's own inputs, and is part of the program: a call with other answers
//   runs, or is traced for, another variant of f; up to JitOptions::max_variants for a signature,
//   after which such calls are traced and interpreted each time, as the log says once.
//   What is asked after something was printed, or the host called, cuts the path: what
//   has happened in a call does not happen again, whatever way it goes on. While f is
//   traced the host is called where C++ calls it. Within another jitted function f is a
//   call of that one; where f asks, or calls the host, it is a part of it, and is traced
//   each time that that one is (twice, if f has sizes of its own specs, or a tape looks
//   on). What C++ does with a number cannot be seen: compare arrays, `if (x < 3)`, where float(x)
//   has many values. In bodies of scan, while_loop and cond, and of the examples of
//   vmap, it is an Error.
//   f.concrete(specs or arrays...) is what f does for one signature: to be held, printed, looked at;
//   explain(f, args...) says whether a call would be traced, and why.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/concrete.h>
#include <tenon/constant.h>

namespace tenon {

template <class F>
class Jitted;

namespace detail {

/// `f.lower(x)` and its like, which take what f takes, or specs of it. Ask is given the Jitted and its arguments.
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

/// A function that is traced and compiled; a handle: copies share the cache.
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
        return detail::never<Result>(); // after the sentence
      }
    }
  }

  /// `f.lower(x)` traces for these arguments, without running: a Lowered. A TensorSpec may stand for an array.
  const detail::AskOfJitted<F, detail::AskLower> lower{*this};
  /// `f.concrete(x)`: the ConcreteFunction of these arguments, traced if it has not been. A TensorSpec may stand for an
  /// array, and its sizes may be symbols; then there are no elements, and where C++ asks for a bool, both ways are
  /// recorded, up to max_variants, the C++ running once for each. For a number, or in a loop whose end depends on
  /// elements, that is an Error.
  const detail::AskOfJitted<F, detail::AskConcrete> concrete{*this};

  JitStats stats() const { return detail::statsOf(*core_); }
  /// Functions traced; one for each way through the function that has been recorded, those apart that became a part of
  /// another function's.
  uint64_t trace_count() const { return stats().traces; }
  /// `Function step: 2 concrete functions`, and these.
  std::string str() const { return detail::textOf(*core_); }
  friend std::ostream &operator<<(std::ostream &out, const Jitted &f) { return detail::print(out, f.str()); }
};

/// `function` as a compiled program: any callable, lambdas that capture, functors,
/// member functions (the object is the first argument).
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

/// `explain(f, args...)`: whether this call of a jitted function would find what has been recorded for it, and if not,
/// in what it differs from the nearest signature: the arguments' paths, what they are and what they were, and the line
/// of the call that was traced. Nothing is traced or run. A TensorSpec may stand for an array.
inline constexpr detail::Explain explain;

} // namespace tenon

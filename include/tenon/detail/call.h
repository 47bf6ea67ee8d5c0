//===- call.h - calls that know the line they are written on -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transformed function takes any arguments, and after a parameter pack no
// default argument can say where the call stands. So LocatedCall has one call
// operator per number of arguments.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/location.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon::detail {

/// std::invoke for callables and member functions, without <functional>.
template <class F, class... A>
  requires(!std::is_member_function_pointer_v<F>)
auto invoke(F &function, A &&...arguments) -> decltype(function(std::forward<A>(arguments)...)) {
  return function(std::forward<A>(arguments)...);
}
template <class F, class Object, class... A>
  requires std::is_member_function_pointer_v<F>
auto invoke(F &function, Object &object, A &&...arguments)
    -> decltype((object.*function)(std::forward<A>(arguments)...)) {
  return (object.*function)(std::forward<A>(arguments)...);
}

/// A callable of Tenon's, which can be told whose call it is.
template <class F>
concept Located = requires { typename F::LocatedCallable; };

/// invoke; a transformed function inside another gets the line of the outer call.
template <class F, class... A>
decltype(auto) call_at([[maybe_unused]] Location at, F &function, A &&...arguments) {
  if constexpr (Located<F>)
    return function.call(at, std::forward<A>(arguments)...);
  else if constexpr (std::is_member_function_pointer_v<F>)
    return detail::invoke(function, std::forward<A>(arguments)...);
  else
    return function(std::forward<A>(arguments)...);
}
/// What the user's function gets for an argument of the deduced type A: a copy that
/// it may change, if C++ would let it, or a value that it may only read.
template <class A>
using AsCopy = std::conditional_t<std::is_const_v<std::remove_reference_t<A>>, const std::remove_cvref_t<A> &,
                                  std::remove_cvref_t<A> &>;
template <class A>
using AsConst = const std::remove_cvref_t<A> &;

/// Whether F is known to have an rvalue-reference parameter.
template <class F>
constexpr bool takes_rvalues();

/// Whether F takes arguments of the types A, which are references. Callables of
/// Tenon's are not asked for their result, which would make their calls.
template <class F, class... A>
inline constexpr bool takes_arguments =
    !takes_rvalues<F>() && requires(F &function, A... arguments) { function(arguments...); };
template <class F, class... A>
  requires std::is_member_function_pointer_v<F>
inline constexpr bool takes_arguments<F, A...> =
    !takes_rvalues<F>() && requires(F &function, A... arguments) { detail::invoke(function, arguments...); };
template <Located F, class... A>
inline constexpr bool takes_arguments<F, A...> = F::template takes<A...>;

/// Its name is what compilers print of a call that does not fit.
template <class F, class... A>
concept the_function_takes_these_arguments = takes_arguments<F, A...>;

template <class F, class... A>
struct CallResult {
  using Type = decltype(std::declval<F &>()(std::declval<A>()...));
};
template <class F, class... A>
  requires std::is_member_function_pointer_v<F>
struct CallResult<F, A...> {
  using Type = decltype(detail::invoke(std::declval<F &>(), std::declval<A>()...));
};
template <Located F, class... A>
struct CallResult<F, A...> {
  using Type = decltype(std::declval<F &>().call(Location(), std::declval<A>()...));
};
/// What F gives for arguments of the types A, which are references.
template <class F, class... A>
using ResultOf = std::remove_cvref_t<typename CallResult<F, A...>::Type>;

/// Whether a parameter takes what may only be read.
template <class P>
concept ReadingParameter =
    !std::is_reference_v<P> || (std::is_lvalue_reference_v<P> && std::is_const_v<std::remove_reference_t<P>>);

/// The parameters of a function, without the object of a member function.
template <class... P>
struct Parameters {
  using List = Parameters;
  static constexpr bool read = (ReadingParameter<P> && ...);
  static constexpr bool take_rvalues = (std::is_rvalue_reference_v<P> || ...);
  static constexpr size_t count = sizeof...(P);
  template <size_t i>
  using At = std::tuple_element_t<i, std::tuple<P...>>;
};
template <class R, class... P>
Parameters<P...> list_parameters(R (*)(P...));
template <class R, class Object, class... P>
Parameters<P...> list_parameters(R (Object::*)(P...));
template <class R, class Object, class... P>
Parameters<P...> list_parameters(R (Object::*)(P...) const);
template <class R, class Object, class... P>
Parameters<P...> list_parameters(R (Object::*)(P...) &);
template <class R, class Object, class... P>
Parameters<P...> list_parameters(R (Object::*)(P...) const &);

/// The parameters of a callable whose type says them; what templates and overloads
/// take is not known before they are called.
template <class F>
struct ParametersOf {
  static constexpr bool known = false;
  using List = void;
};
template <class F>
  requires requires { detail::list_parameters(F()); }
struct ParametersOf<F> : decltype(detail::list_parameters(F())) {
  static constexpr bool known = true;
};
template <class F>
  requires requires { detail::list_parameters(&F::operator()); }
struct ParametersOf<F> : decltype(detail::list_parameters(&F::operator())) {
  static constexpr bool known = true;
};
/// Those of a transformed function are the function's.
template <Located F>
  requires requires { typename F::Function; }
struct ParametersOf<F> : ParametersOf<typename F::Function> {};

template <class F>
constexpr bool takes_rvalues() {
  if constexpr (ParametersOf<F>::known)
    return ParametersOf<F>::take_rvalues;
  else
    return false;
}

/// Whether the first argument is the object of a member function, beside the parameters.
template <class F>
inline constexpr bool takes_object = std::is_member_function_pointer_v<F>;
template <Located F>
  requires requires { typename F::Function; }
inline constexpr bool takes_object<F> = takes_object<typename F::Function>;

/// False for a callable that says by its type that it changes an argument.
template <class F>
inline constexpr bool reads_arguments = true;
template <class F>
  requires(!Located<F> && ParametersOf<F>::known)
inline constexpr bool reads_arguments<F> = ParametersOf<F>::read;

/// How many arguments F takes, as far as its type says it.
template <class F>
inline constexpr size_t parameter_count = static_cast<size_t>(-1);
template <class F>
  requires(ParametersOf<F>::known)
inline constexpr size_t parameter_count<F> = ParametersOf<F>::count + (takes_object<F> ? 1 : 0);

/// Error messages for calls that do not fit: result types of deleted call operators, which g++ prints first; clang
/// prints the text after `delete`.
struct wrong_number_of_arguments_for_this_function;
struct an_argument_is_const_but_the_function_changes_it;
struct the_function_does_not_take_arguments_of_these_types;
template <class F, class... A>
inline constexpr bool has_another_count =
    parameter_count<F> != static_cast<size_t>(-1) && parameter_count<F> != sizeof...(A);
template <class F, class... A>
inline constexpr bool would_change_const = takes_arguments<F, std::decay_t<A> &...>;

/// Deduced, so that a call with more arguments does not even ask whether F could
/// be called with fewer.
template <class L>
concept CallPlace = std::is_same_v<L, Location>;

/// A call operator for arguments in braces, `f({1.0f, 2.0f})`, which no template takes: of a function whose parameters
/// are known and only read. For other arguments LocatedCall's templates are the better match, or do the same. The
/// object of a member function comes first, as it is.
template <class Derived, class F, template <class> class Passed, class P = typename ParametersOf<F>::List>
class BracedCall {
  struct Nothing {
    explicit Nothing() = default;
  };

public:
  void operator()(Nothing) const = delete; // for the using-declaration below; nobody can call it
};
template <class Derived, class F, template <class> class Passed, class... P>
  requires(sizeof...(P) > 0 && Parameters<P...>::read && !takes_object<F>)
class BracedCall<Derived, F, Passed, Parameters<P...>> {
public:
  auto operator()(const std::remove_cvref_t<P> &...arguments, Location at = Location::current()) const {
    return static_cast<const Derived &>(*this).call(at, arguments...);
  }
};
template <class Derived, class F, template <class> class Passed, class... P>
  requires(sizeof...(P) > 0 && Parameters<P...>::read && takes_object<F>)
class BracedCall<Derived, F, Passed, Parameters<P...>> {
public:
  template <class Object>
    requires the_function_takes_these_arguments<F, Passed<Object>, const std::remove_cvref_t<P> &...>
  auto operator()(Object &&object, const std::remove_cvref_t<P> &...arguments,
                  Location at = Location::current()) const {
    return static_cast<const Derived &>(*this).call(at, std::forward<Object>(object), arguments...);
  }
};

/// The call operators of Derived, which has `call(Location at, A &&...) const`.
/// They take what F takes; Passed says how F gets an argument. A call with more
/// than twelve arguments has no line of its own: `at` is unknown.
template <class Derived, class F, template <class> class Passed>
class LocatedCall : public BracedCall<Derived, F, Passed> {
public:
  using BracedCall<Derived, F, Passed>::operator();
  using LocatedCallable = Derived;
  using Function = F;
  template <class... A>
  static constexpr bool takes = takes_arguments<F, Passed<A>...>;

  template <CallPlace L = Location>
    requires the_function_takes_these_arguments<F>
  auto operator()(L at = Location::current()) const {
    return self().call(at);
  }
  template <class A0, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>>
  auto operator()(A0 &&a0, L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0));
  }
  template <class A0, class A1, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>>
  auto operator()(A0 &&a0, A1 &&a1, L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1));
  }
  template <class A0, class A1, class A2, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2));
  }
  template <class A0, class A1, class A2, class A3, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>, Passed<A3>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3));
  }
  template <class A0, class A1, class A2, class A3, class A4, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>, Passed<A3>, Passed<A4>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
                       std::forward<A4>(a4));
  }
  template <class A0, class A1, class A2, class A3, class A4, class A5, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>, Passed<A3>, Passed<A4>,
                                                Passed<A5>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5, L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
                       std::forward<A4>(a4), std::forward<A5>(a5));
  }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>, Passed<A3>, Passed<A4>,
                                                Passed<A5>, Passed<A6>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5, A6 &&a6, L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
                       std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6));
  }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>, Passed<A3>, Passed<A4>,
                                                Passed<A5>, Passed<A6>, Passed<A7>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5, A6 &&a6, A7 &&a7,
                  L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
                       std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7));
  }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7, class A8,
            CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>, Passed<A3>, Passed<A4>,
                                                Passed<A5>, Passed<A6>, Passed<A7>, Passed<A8>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5, A6 &&a6, A7 &&a7, A8 &&a8,
                  L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
                       std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
                       std::forward<A8>(a8));
  }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7, class A8, class A9,
            CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>, Passed<A3>, Passed<A4>,
                                                Passed<A5>, Passed<A6>, Passed<A7>, Passed<A8>, Passed<A9>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5, A6 &&a6, A7 &&a7, A8 &&a8, A9 &&a9,
                  L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
                       std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
                       std::forward<A8>(a8), std::forward<A9>(a9));
  }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7, class A8, class A9,
            class A10, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>, Passed<A3>, Passed<A4>,
                                                Passed<A5>, Passed<A6>, Passed<A7>, Passed<A8>, Passed<A9>, Passed<A10>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5, A6 &&a6, A7 &&a7, A8 &&a8, A9 &&a9, A10 &&a10,
                  L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
                       std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
                       std::forward<A8>(a8), std::forward<A9>(a9), std::forward<A10>(a10));
  }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7, class A8, class A9,
            class A10, class A11, CallPlace L = Location>
    requires the_function_takes_these_arguments<F, Passed<A0>, Passed<A1>, Passed<A2>, Passed<A3>, Passed<A4>,
                                                Passed<A5>, Passed<A6>, Passed<A7>, Passed<A8>, Passed<A9>, Passed<A10>,
                                                Passed<A11>>
  auto operator()(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5, A6 &&a6, A7 &&a7, A8 &&a8, A9 &&a9, A10 &&a10,
                  A11 &&a11, L at = Location::current()) const {
    return self().call(at, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
                       std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
                       std::forward<A8>(a8), std::forward<A9>(a9), std::forward<A10>(a10), std::forward<A11>(a11));
  }
  template <class... A>
    requires(sizeof...(A) > 12) && the_function_takes_these_arguments<F, Passed<A>...>
  auto operator()(A &&...arguments) const {
    return self().call(Location(), std::forward<A>(arguments)...);
  }
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wc++26-extensions"
#define TENON_DELETE(sentence) delete (#sentence)
#else
#define TENON_DELETE(sentence) delete
#endif
  template <class... A>
    requires(!takes_arguments<F, Passed<A>...> && has_another_count<F, A...>)
  wrong_number_of_arguments_for_this_function
  operator()(A &&...) const = TENON_DELETE(wrong_number_of_arguments_for_this_function);
  template <class... A>
    requires(!takes_arguments<F, Passed<A>...> && !has_another_count<F, A...> && would_change_const<F, A...>)
  an_argument_is_const_but_the_function_changes_it
  operator()(A &&...) const = TENON_DELETE(an_argument_is_const_but_the_function_changes_it);
  template <class... A>
    requires(!takes_arguments<F, Passed<A>...> && !has_another_count<F, A...> && !would_change_const<F, A...>)
  the_function_does_not_take_arguments_of_these_types
  operator()(A &&...) const = TENON_DELETE(the_function_does_not_take_arguments_of_these_types);
#undef TENON_DELETE
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

private:
  const Derived &self() const { return static_cast<const Derived &>(*this); }
};

} // namespace tenon::detail

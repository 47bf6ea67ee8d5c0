//===- host.h - C++ functions of yours in compiled programs --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under jit, in loop bodies and under vmap a function sees traced values. The function given to host_call runs
// whenever the program runs, on arrays with values:
//
//   auto f = tn::jit([](const tn::Array &x) {
//     tn::Array y = tn::host_call(
//         [](tn::Array x) { x = tn::matmul(x, x); std::cout << x; return x; },
//         tn::TensorSpec{tn::f32, {1, 1}}, x);
//     return y * 2;
//   });
//
// Order and errors. The function runs once per run of the program, in order with other host calls, print and check.
// It may do anything: start a debugger, read a sensor, call jitted functions. An exception that it throws
// passes through the program unchanged, is not caught by handlers inside the traced function, and discards all updates
// of the call. Memory of arguments is therefore not reused for results, even if they are donated.
//
// Threads. The function may be called from several threads at once. Two threads whose host functions assign Variables
// that the other thread's program updates wait for each other forever.
//
// Variables. The host function's assignments take effect at once; the program's take effect when the whole call has
// succeeded. If the program has assigned a Variable before the host call, the host function reads the old value, and
// assigning it is an Error: pass the value as an argument and return the new one. A Variable that C++ reads after the
// call has the value that the host function left, for which the program is split in two segments; inside a body of
// cond, a loop or checkpoint it has the value from before the body.
//
// Identity. A function without captures, or named by a function pointer, is the same function at each trace, and so
// is a closure with bitwise equal captures (references, pointers, numbers). Any other closure is a new function at
// each trace, so the program is compiled again. The function lives as long as the traces that call it. A program with
// host calls cannot be saved.
//
// Derivatives. A host call has no derivative; one that reaches it is an Error. Provide it with custom_vjp or
// custom_jvp (rules.h). While a derivative is computed, a jitted function that branches on the result of a host call
// runs uncompiled.
//
//   auto f = tn::custom_vjp([](const tn::Array &x) { return tn::host_call(slow, spec, x); },
//                           [](const tn::Array &x) { return std::pair(tn::host_call(slow, spec, x), x); },
//                           [](const tn::Array &x, const tn::Array &d) { return d * 2 * x; });
//
// Outside traces the function is simply called. Its results are checked against the specs in every case.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/control.h>
#include <tenon/format.h>
#include <tenon/jit.h>

#include <array>

namespace tenon {
namespace detail {

/// A counted reference to a host function.
class HostHandle;
void retain(HostHandle *handle);
void release(HostHandle *handle);
class HostRef : public StateRef<HostHandle> {
public:
  using StateRef::StateRef;
};
/// Calls the function on copies of its arguments with these arrays; appends those of its result.
using HostCallee = void (*)(void *state, std::span<const Array> arguments, std::vector<Array> &results);
/// Takes over the state.
/// `key`: of a function that is what its bytes are, these.
HostRef make_host_function(HostCallee call, void (*destroy)(void *state), void *state,
                           std::span<const std::byte> key = {});
/// The one that is known by how it is called and by `key`; `make` gives its state, from `from`.
HostRef lasting_host_function(HostCallee call, void (*destroy)(void *state), const void *key,
                              void *(*make)(const void *from), const void *from);
/// The result type, std::vector<Array>, does not say how many arrays there are.
inline constexpr size_t any_count = static_cast<size_t>(-1);
/// Returns the arrays in what the function returns; an Error unless there are `count` specs, as its type has arrays.
std::vector<Array> run_host_call(const HostRef &function, std::span<const TreeRef> arguments,
                                 const std::vector<TensorSpec> &specs, size_t count, bool isBatched, Location at);
/// The arrays of a tree, empty.
void empty_leaves(TreeRef tree);
size_t count_leaves(TreeRef tree);
void append_leaves(TreeRef tree, std::vector<Array> &out);

/// A function, and the arguments that it is called with but for their arrays.
template <class F, class... A>
struct HostState {
  F function;
  std::tuple<A...> arguments;

  static void call(void *state, std::span<const Array> arrays, std::vector<Array> &results) {
    using Result = ResultOf<F, A &...>;
    auto &its = *static_cast<HostState *>(state);
    std::tuple<A...> arguments = its.arguments; // several threads may be here
    std::apply(
        [&](A &...argument) {
          (assign_leaves(tree_ref(argument), arrays, true), ...);
          if constexpr (std::is_void_v<Result>) {
            call_at(Location(), its.function, argument...);
          } else {
            Result result = call_at(Location(), its.function, argument...);
            append_leaves(tree_ref(result), results);
          }
        },
        arguments);
  }
  static void destroy(void *state) { delete static_cast<HostState *>(state); }
  /// Of a function whose arguments are arrays.
  static void *of(const void *function) { return new HostState{*static_cast<const F *>(function), {}}; }
};

template <class F, class... A>
HostRef host_function(const F &function, std::tuple<A...> arguments) {
  using State = HostState<F, A...>;
  constexpr bool areArrays = (std::is_same_v<A, Array> && ...);
  constexpr bool isPointer = std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>;
  if constexpr (areArrays && (isPointer || std::is_empty_v<F>)) {
    const void *key = nullptr;
    if constexpr (isPointer)
      key = reinterpret_cast<const void *>(function);
    return lasting_host_function(&State::call, &State::destroy, key, &State::of, &function);
  } else if constexpr (areArrays && std::is_trivially_copyable_v<F> && std::is_invocable_v<const F &, A &...>) {
    // A closure of references and numbers that changes none of its own: where a function is recorded again, the same.
    return make_host_function(&State::call, &State::destroy, new State{function, {}},
                              std::as_bytes(std::span(&function, 1)));
  } else {
    std::apply([](A &...argument) { (empty_leaves(tree_ref(argument)), ...); }, arguments);
    return make_host_function(&State::call, &State::destroy, new State{function, std::move(arguments)});
  }
}

template <class T>
inline constexpr bool is_spec_list = std::is_same_v<T, TensorSpec> || std::is_same_v<T, None>;
template <>
inline constexpr bool is_spec_list<std::vector<TensorSpec>> = true;
template <size_t n>
inline constexpr bool is_spec_list<std::array<TensorSpec, n>> = true;
template <class... T>
inline constexpr bool is_spec_list<std::tuple<T...>> = (std::is_same_v<T, TensorSpec> && ...);
template <class T, class U>
inline constexpr bool is_spec_list<std::pair<T, U>> = std::is_same_v<T, TensorSpec> && std::is_same_v<U, TensorSpec>;
template <class T>
concept SpecList = is_spec_list<std::remove_const_t<T>>;

template <class Specs>
std::vector<TensorSpec> spec_list(const Specs &specs) {
  if constexpr (std::is_same_v<Specs, None>)
    return {};
  else if constexpr (std::is_same_v<Specs, TensorSpec>)
    return {specs};
  else if constexpr (std::is_same_v<Specs, std::vector<TensorSpec>>)
    return specs;
  else
    return std::apply([](const auto &...spec) { return std::vector<TensorSpec>{spec...}; }, specs);
}

/// Static assertions about what the function returns.
template <class Result, class Specs>
constexpr bool require_host_result() {
  static_assert(!std::is_void_v<Result> || std::is_same_v<Specs, None>,
                "host_call: of a function that returns nothing the specs are tn::none");
  static_assert(std::is_void_v<Result> || !std::is_same_v<Specs, None>,
                "host_call: give a TensorSpec for each array that the function returns");
  if constexpr (!std::is_void_v<Result>) {
    static_assert(std::is_default_constructible_v<Result>,
                  "host_call: what the function returns is made by default, then its arrays are put there");
    if constexpr (require_tree<Result>() && std::is_default_constructible_v<Result>) {
      constexpr bool areArrays = std::is_same_v<Result, std::vector<Array>> || !structure_varies<Result>;
      static_assert(areArrays, "host_call: the function returns an Array, a std::vector of them, or a tuple, pair, "
                               "std::array or struct of Arrays alone; of a number make one, Array(number)");
      return areArrays;
    }
    return false;
  } else {
    return std::is_same_v<Specs, None>;
  }
}

/// The first argument called with those behind the specs.
struct CallHost {
  template <class F, SpecList Specs, class... A>
    requires takes_arguments<F, TreeOf<std::remove_cv_t<A>> &...>
  void operator()(F &, Specs &, A &...) const;
};

template <bool isBatched>
struct HostCall : LocatedCall<HostCall<isBatched>, CallHost, AsCopy> {
  template <class F, class Specs, class... A>
  auto call(Location at, F &&f, const Specs &specs, const A &...args) const {
    using Callee = std::decay_t<F>;
    using Result = ResultOf<Callee, TreeOf<A> &...>;
    if constexpr ((require_tree<TreeOf<A>>() && ... && require_host_result<Result, Specs>())) {
      const GivenTrees<A...> given(at, args...);
      const HostRef function = host_function<Callee, TreeOf<A>...>(f, std::tuple<TreeOf<A>...>(tree_of(args, at)...));
      const std::vector<TensorSpec> list = spec_list(specs);
      auto run = [&](size_t count) { return run_host_call(function, given.refs, list, count, isBatched, at); };
      if constexpr (std::is_void_v<Result>) {
        run(0);
      } else if constexpr (std::is_same_v<Result, Array>) {
        return Array(std::move(run(1)[0]));
      } else if constexpr (std::is_same_v<Result, std::vector<Array>>) {
        return run(any_count);
      } else {
        Result result{};
        const std::vector<Array> arrays = run(count_leaves(tree_ref(result)));
        std::span<const Array> left = elements_of(arrays);
        assign_leaves(tree_ref(result), left, true);
        return result;
      }
    } else {
      return never<AnyTree>(); // after the static_assert
    }
  }

private:
  /// An argument; of a number, which is given as an array, the array stands elsewhere.
  template <class T>
  static TreeOf<T> tree_of(const T &argument, [[maybe_unused]] Location at) {
    if constexpr (Number<T>)
      return Array();
    else
      return copy_tree(argument, at);
  }
};

using CallOfEach = HostCall<false>;
using CallOfAll = HostCall<true>;

} // namespace detail

/// `host_call(f, specs, args...)` calls `f(args...)`, any C++ function, when the program runs (see above), and
/// returns its result: an Array, a struct or tuple of arrays, a vector of them, or nothing. f receives copies of the
/// args, which are trees of arrays; numbers become arrays. `specs` is the TensorSpec of the returned array, or a
/// vector, tuple, pair or std::array with one spec per returned array, or tn::none. Sizes in specs may be those of
/// the args, `x.shape()[0]`, known or symbolic. A result of another dtype or shape is an Error. Under vmap f is
/// called once per batch element.
inline constexpr detail::CallOfEach host_call;

/// host_call for an f that accepts whole batches: under vmap it is called once, and each array, also those that f
/// returns, has the batch as axis 0. Without vmap there is no such axis.
inline constexpr detail::CallOfAll batched_host_call;

namespace detail {
template <class T>
concept Printed = std::is_same_v<T, Array> || std::is_same_v<T, Variable> || Number<T>;

/// Arrays and numbers as one list.
template <class... A>
std::vector<Array> printed_arrays(Location at, const A &...xs) {
  auto read = [at](const auto &x) -> decltype(auto) {
    if constexpr (std::is_same_v<decltype(x), const Variable &>)
      return x.value(at);
    else
      return (x);
  };
  return [at](const auto &...values) {
    const Device device = device_of(values...);
    return std::vector<Array>{Array(given_tree(values, device, at))...};
  }(read(xs)...);
}
} // namespace detail

/// Same as `print(format, {xs...})`.
template <detail::Printed... A>
  requires(sizeof...(A) > 0)
void print(const detail::FormatText &format, const A &...xs) {
  print(format.text, detail::printed_arrays(format.at, xs...), format.at);
}

/// Same as `check(condition, format, {xs...})`.
template <detail::Printed... A>
  requires(sizeof...(A) > 0)
void check(const Operand &condition, std::string_view format, const A &...xs) {
  check(condition, format, detail::printed_arrays(condition.location(), xs...));
}

} // namespace tenon

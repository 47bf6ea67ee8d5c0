//===- function.h - functions whose type is forgotten ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/detail/state_ref.h>

#include <type_traits>
#include <utility>

namespace tenon::detail {

/// What copies of a Function share.
class FunctionBody {
public:
  virtual ~FunctionBody() = default;
  unsigned references = 1;
};
inline void retain(FunctionBody *body) { __atomic_add_fetch(&body->references, 1, __ATOMIC_RELAXED); }
inline void release(FunctionBody *body) {
  if (__atomic_sub_fetch(&body->references, 1, __ATOMIC_ACQ_REL) == 0)
    delete body;
}

/// A callable of this signature; copies share it. (std::function costs a compiler 0.2 s.)
template <class Signature>
class Function;
template <class R, class... A>
class Function<R(A...)> {
  struct Body : FunctionBody {
    virtual R call(A... arguments) const = 0;
  };
  template <class F>
  struct BodyOf final : Body {
    explicit BodyOf(F given) : function(std::move(given)) {}
    R call(A... arguments) const override { return function(static_cast<A>(arguments)...); }
    F function;
  };

public:
  Function() = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Function> && std::is_invocable_r_v<R, const F &, A...>)
  Function(F function) : body_(new BodyOf<F>(std::move(function))) {}

  explicit operator bool() const { return body_.get(); }
  R operator()(A... arguments) const {
    return static_cast<const Body *>(body_.get())->call(static_cast<A>(arguments)...);
  }

private:
  StateRef<FunctionBody> body_;
};

} // namespace tenon::detail

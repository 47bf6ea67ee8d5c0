//===- FloatingPoint.h - the rounding that results are defined by ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels and programs round to nearest, keep subnormal numbers and do not
// trap, whatever the thread that calls them has set. What the caller had stands
// again when they are done. The sticky exception flags say nothing afterwards:
// kernels compute lanes that nobody reads.
//===----------------------------------------------------------------------===//
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tenon::rt {

#if defined(__x86_64__)

namespace detail {
/// Every exception masked; all else 0.
inline constexpr unsigned kDefaultControl = 0x1f80;
/// All but the sticky flags.
inline constexpr unsigned kControlBits = 0xffc0;
} // namespace detail

/// The default environment for this thread while it stands. No arithmetic may
/// stand in the same function as one: the compiler does not know that this is
/// where rounding changes.
class DefaultFloatingPoint {
public:
  [[gnu::always_inline]] DefaultFloatingPoint() : before_(_mm_getcsr()) {
    if ((before_ & detail::kControlBits) != detail::kDefaultControl) [[unlikely]]
      _mm_setcsr(detail::kDefaultControl);
  }
  [[gnu::always_inline]] ~DefaultFloatingPoint() {
    if ((before_ & detail::kControlBits) != detail::kDefaultControl) [[unlikely]]
      _mm_setcsr(before_);
  }
  DefaultFloatingPoint(const DefaultFloatingPoint &) = delete;
  DefaultFloatingPoint &operator=(const DefaultFloatingPoint &) = delete;

private:
  unsigned before_;
};

/// For a thread of our own: it has begun with what its creator had set.
inline void useDefaultFloatingPoint() { _mm_setcsr(detail::kDefaultControl); }

#else

class DefaultFloatingPoint {
public:
  DefaultFloatingPoint() {}
};
inline void useDefaultFloatingPoint() {}

#endif

namespace detail {
#if defined(__clang__)
#define TENON_OUT_OF_LINE gnu::noinline
#else
#define TENON_OUT_OF_LINE gnu::noipa // else its purity lets a call move across the change of rounding
#endif
template <class Body>
[[TENON_OUT_OF_LINE]] auto outOfLine(const Body &body) {
  return body();
}
#undef TENON_OUT_OF_LINE
} // namespace detail

/// What a few lines of arithmetic give by default.
template <class Body>
auto inDefaultFloatingPoint(const Body &body) {
  const DefaultFloatingPoint scope;
  return detail::outOfLine(body);
}

} // namespace tenon::rt

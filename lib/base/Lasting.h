//===- Lasting.h - what is made once and never freed -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <memory>

namespace tenon::rt {

/// Made at its first use, used as long as the process: also after main, by arrays
/// that live so long. For statics only. In place of a function's own static, which
/// a fork would leave locked for ever if another thread was making it: here threads
/// that come first together make one each, and one of these is kept.
template <class T>
class Lasting {
public:
  constexpr Lasting() = default;
  Lasting(const Lasting &) = delete;

  T &get() {
    return get([] { return new T; });
  }
  /// `make` gives a new T.
  template <class Make>
  T &get(Make make) {
    T *known = at_.load(std::memory_order_acquire);
    return known ? *known : keep(make());
  }

private:
  [[gnu::noinline]] T &keep(T *made) {
    std::unique_ptr<T> mine(made);
    T *known = nullptr;
    return at_.compare_exchange_strong(known, made, std::memory_order_acq_rel) ? *mine.release() : *known;
  }

  std::atomic<T *> at_{nullptr};
};

/// A yes or no that is asked once and kept.
class Asked {
public:
  constexpr Asked() = default;
  Asked(const Asked &) = delete;
  template <class Ask>
  bool get(Ask ask) {
    int known = is_.load(std::memory_order_relaxed);
    if (known == unknown) [[unlikely]]
      is_.store(known = static_cast<bool>(ask()), std::memory_order_relaxed);
    return known;
  }

private:
  static constexpr int unknown = -1;
  std::atomic<int> is_{unknown};
};

} // namespace tenon::rt

//===- PerThread.h - variables of a thread without static TLS ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static TLS is scarce: what dlopen loads into a running process shares about a
// kilobyte with all other libraries. So libtenon has a few words there, one of
// which points to the thread's block with all else.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <type_traits>

namespace tenon::rt {

namespace detail {
extern "C" [[gnu::visibility("hidden")]] char __start_tenon_thread[], __stop_tenon_thread[]; // made by the linker
[[gnu::tls_model("initial-exec")]] extern constinit thread_local char *threadBlock;
/// Makes the calling thread's block, all zero.
[[gnu::noinline]] char *makeThreadBlock();
} // namespace detail

/// A variable of which each thread has its own, zero at first; TENON_PER_THREAD stands before it. The thread's block is
/// made at its first use, and freed when the thread ends. Throws std::bad_alloc if it cannot be made.
template <class T>
class PerThread {
public:
  constexpr PerThread() = default;
  PerThread(const PerThread &) = delete;

  T &operator*() {
    static_assert(std::is_trivially_destructible_v<T>);
    char *block = detail::threadBlock;
    if (!block) [[unlikely]]
      block = detail::makeThreadBlock();
    const uintptr_t offset =
        reinterpret_cast<uintptr_t>(this) - reinterpret_cast<uintptr_t>(detail::__start_tenon_thread);
    return *reinterpret_cast<T *>(block + offset);
  }
  T *operator->() { return &**this; }

private:
  T image_{}; ///< never used: its place in the section is the variable's place in a block
};

} // namespace tenon::rt

#define TENON_PER_THREAD [[gnu::section("tenon_thread")]] static constinit

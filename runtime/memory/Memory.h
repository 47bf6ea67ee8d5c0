//===- Memory.h - the process's one allocator -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every buffer of every array comes from here, 64-byte aligned, and goes back
// with the size it was asked for. Small blocks live in free lists of the
// thread, a few instructions each way; large ones are kept for reuse, because
// the page faults of fresh memory cost more than the arithmetic on it.
// Nothing runs at process exit: a global array may be freed after main.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define TENON_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_ASAN 1
#endif
#endif
#if defined(TENON_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace tenon::rt {

/// Why tryAllocate returned nullptr. Sizes are in bytes.
struct AllocationFailure {
  enum Reason {
    None,
    Limit,    ///< inUse + wanted would exceed limit
    System,   ///< the operating system refused
    TooLarge, ///< no machine has this much, or a sum of sizes overflowed
    BadLimit, ///< the text of TENON_MEMORY_LIMIT is not a size
  };
  Reason reason = None;
  size_t wanted = 0;
  size_t inUse = 0;
  size_t limit = 0; ///< 0: no limit is set

  /// One line for the user: `expected ..., got ...`.
  std::string message() const;
};

/// A snapshot. Bytes are counted as handed out: rounded up to the block's size.
struct MemoryStatistics {
  size_t bytesInUse = 0;  ///< in blocks that callers hold
  size_t blocksInUse = 0; ///< number of these blocks
  size_t peakBytes = 0;   ///< highest bytesCommitted so far
  /// What the limit is held against: slabs of small blocks (with their free
  /// blocks: a slab is never given back) and large blocks in use.
  size_t bytesCommitted = 0;
  size_t bytesCached = 0;         ///< large blocks kept for reuse
  size_t limit = 0;               ///< 0: none
  uint64_t largeAllocations = 0;  ///< large blocks handed out since the start
  uint64_t largeReuses = 0;       ///< how many of them came from the cache
  uint64_t systemAllocations = 0; ///< slabs and large blocks taken from the system
};

/// Returns the sum, or SIZE_MAX (which every allocation refuses) on overflow.
constexpr size_t addSizes(size_t a, size_t b) {
  size_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}
/// Returns the product, or SIZE_MAX on overflow.
constexpr size_t multiplySizes(size_t a, size_t b) {
  size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/// Reads a positive number with an optional suffix K, M or G (powers of 1024).
/// Returns false, and leaves `bytes` alone, for any other text.
bool parseByteSize(const char *text, size_t &bytes);

/// Sets the limit in bytes, in place of TENON_MEMORY_LIMIT; 0 removes it.
void setMemoryLimit(size_t bytes);
MemoryStatistics memoryStatistics();
/// Gives every cached large block back to the system.
void trimMemory();

namespace detail {

// Small blocks: multiples of 64 up to 1 KiB, then four sizes per doubling.
inline constexpr size_t kSmallMax = 32768;
inline constexpr unsigned kSmallClasses = 36;

constexpr size_t classSize(unsigned c) {
  return c < 16 ? 64 * (c + 1) : size_t(1024 + 256 * (c % 4 + 1)) << (c - 16) / 4;
}

struct ClassTable {
  uint8_t of[kSmallMax / 64 + 1];
  constexpr ClassTable() : of{} {
    for (unsigned unit = 0, c = 0; unit <= kSmallMax / 64; ++unit) {
      if (unit * 64 > classSize(c))
        ++c;
      of[unit] = uint8_t(c);
    }
  }
};
inline constexpr ClassTable kClasses;

constexpr unsigned classOf(size_t bytes) { return kClasses.of[(bytes + 63) / 64]; }

/// How many free blocks of a class a thread keeps (at most 64 KiB, or four).
constexpr unsigned threadBound(unsigned c) {
  size_t n = 65536 / classSize(c);
  return n > 256 ? 256 : n < 4 ? 4 : unsigned(n);
}

struct FreeBlock {
  FreeBlock *next;
};

/// A thread's free lists.
struct ThreadCache {
  FreeBlock *head[kSmallClasses];
  uint16_t room[kSmallClasses]; ///< how many more may be kept; read by statistics
  ThreadCache *previous, *next; ///< all threads that have one
};

/// The lists of a thread that is not known yet, and of one that ends: without blocks and without
/// room, so that all its calls take the slow path. Nobody writes to them.
extern constinit ThreadCache newThread, endedThread;

/// The calling thread's lists. Initial-exec: two instructions instead of a call. A pointer, since
/// glibc keeps little room for libraries loaded by dlopen.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadCache *threadCache;

[[gnu::noinline]] void *allocateSlow(size_t bytes, AllocationFailure *why);
[[gnu::noinline]] void deallocateSlow(void *block, size_t bytes);

// A freed block is poisoned, so that AddressSanitizer sees its use although
// the memory never leaves the process.
inline void poison([[maybe_unused]] const void *p, [[maybe_unused]] size_t bytes) {
#if defined(TENON_ASAN)
  ASAN_POISON_MEMORY_REGION(p, bytes);
#endif
}
inline void unpoison([[maybe_unused]] const void *p, [[maybe_unused]] size_t bytes) {
#if defined(TENON_ASAN)
  ASAN_UNPOISON_MEMORY_REGION(p, bytes);
#endif
}

inline void setRoom(ThreadCache &cache, unsigned c, unsigned room) {
  __atomic_store_n(&cache.room[c], uint16_t(room), __ATOMIC_RELAXED);
}

} // namespace detail

/// Returns `bytes` bytes aligned to 64, uninitialised; for 0 bytes a pointer
/// that is like no other. Returns nullptr and fills `why` when the limit or the
/// system refuses.
inline void *tryAllocate(size_t bytes, AllocationFailure *why = nullptr) {
  if (bytes <= detail::kSmallMax) [[likely]] {
    detail::ThreadCache &cache = *detail::threadCache;
    unsigned c = detail::classOf(bytes);
    if (detail::FreeBlock *block = cache.head[c]) [[likely]] {
      detail::unpoison(block, bytes < sizeof(*block) ? sizeof(*block) : bytes);
      cache.head[c] = block->next;
      detail::setRoom(cache, c, cache.room[c] + 1u);
      return block;
    }
  }
  return detail::allocateSlow(bytes, why);
}

/// Gives a block back; `bytes` is the number it was allocated with. Any thread
/// may do so, at any time, after main has returned too. nullptr is ignored.
inline void deallocate(void *block, size_t bytes) {
  if (bytes <= detail::kSmallMax && block) [[likely]] {
    detail::ThreadCache &cache = *detail::threadCache;
    unsigned c = detail::classOf(bytes);
    if (unsigned room = cache.room[c]) [[likely]] {
      auto *free = static_cast<detail::FreeBlock *>(block);
      detail::unpoison(free, sizeof(*free));
      free->next = cache.head[c];
      detail::poison(free, detail::classSize(c));
      cache.head[c] = free;
      detail::setRoom(cache, c, room - 1);
      return;
    }
  }
  detail::deallocateSlow(block, bytes);
}

} // namespace tenon::rt

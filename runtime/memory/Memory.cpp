//===- Memory.cpp - the process's one allocator ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small blocks are cut from slabs and move between a thread and the shared
// place in chains, so that the lock is taken once for many blocks. A block
// belongs to no thread: whoever frees it keeps it. Large blocks are rounded to
// one of eight sizes per doubling and, once freed, wait in a bin of that size;
// the longest waiting go back to the system when the cache is above its bound.
//===----------------------------------------------------------------------===//
#include "Memory.h"

#include "lib/base/Fork.h"
#include "runtime/machine/Machine.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>

using namespace tenon::rt;
using namespace tenon::rt::detail;

constinit ThreadCache tenon::rt::detail::newThread{}, tenon::rt::detail::endedThread{};
constinit thread_local ThreadCache *tenon::rt::detail::threadCache = &newThread;

namespace {

constexpr size_t kSlabBytes = 256 * 1024;
constexpr size_t kHugePage = 2 * 1024 * 1024;
constexpr size_t kTooLarge = size_t(1) << 46;
constexpr unsigned kFirstShift = 15; // large blocks start above 2^15
constexpr unsigned kBins = (46 - kFirstShift) * 8;
static_assert(kSmallMax == size_t(1) << kFirstShift);
static_assert(classSize(kSmallClasses - 1) == kSmallMax);

// From this size on blocks are mapped, on huge pages: a first touch then costs
// about a third. Under AddressSanitizer malloc serves nearly all, since its
// leak check follows pointers in and to malloc's blocks only.
#if defined(TENON_ASAN)
constexpr size_t kMapped = size_t(1) << 30;
#else
constexpr size_t kMapped = kHugePage;
#endif

/// Free small blocks handed over together; lives in the first of them.
struct Chain : FreeBlock {
  Chain *nextChain;
  size_t count;
};

/// A cached large block; lives in it.
struct alignas(64) Cached {
  Cached *binPrevious, *binNext; // newest first
  Cached *older, *newer;         // over all bins
  void *block;
  size_t size;
};

/// The start of a slab: a list from a global, so that leak checkers see them.
struct alignas(64) Slab {
  Slab *next;
};

/// All that threads share, under one lock.
struct Shared {
  static void forgetThreads();
  ForkLock mutex{LockOrder::memory, forgetThreads};
  bool prepared = false;
  bool badLimit = false;
  bool hasKey = false;
  pthread_key_t exitKey = 0;
  size_t limit = 0;

  ThreadCache *threads = nullptr;
  Chain *chains[kSmallClasses] = {};
  size_t sharedFree[kSmallClasses] = {}; // blocks in chains
  size_t carved[kSmallClasses] = {};     // blocks ever cut from slabs
  size_t lost[kSmallClasses] = {};       // free blocks of threads that a fork left behind
  Slab *slabs = nullptr;
  char *slabAt = nullptr, *slabEnd = nullptr;

  Cached *bins[kBins] = {};
  Cached *oldest = nullptr, *newest = nullptr;

  size_t slabBytes = 0, largeInUse = 0, largeBlocks = 0, cachedBytes = 0, peak = 0;
  uint64_t largeAllocations = 0, largeReuses = 0, systemAllocations = 0;

  size_t committed() const { return slabBytes + largeInUse; }
  bool fits(size_t bytes) const { return limit == 0 || (committed() <= limit && bytes <= limit - committed()); }
};

} // namespace

static constinit Shared shared;

/// Adds free blocks of one class, linked from `first`. Holds the lock.
static void giveChain(unsigned c, FreeBlock *first, size_t count) {
  unpoison(first, sizeof(Chain));
  auto *chain = static_cast<Chain *>(first);
  chain->nextChain = shared.chains[c];
  chain->count = count;
  poison(first, sizeof(Chain));
  shared.chains[c] = chain;
  shared.sharedFree[c] += count;
}

/// The block after this one in a free list.
static FreeBlock *following(FreeBlock *block) {
  unpoison(block, sizeof(*block));
  FreeBlock *next = block->next;
  poison(block, sizeof(*block));
  return next;
}

static void setFollowing(FreeBlock *block, FreeBlock *next) {
  unpoison(block, sizeof(*block));
  block->next = next;
  poison(block, sizeof(*block));
}

//===----------------------------------------------------------------------===//
// Setting up, threads that end, fork
//===----------------------------------------------------------------------===//

/// Moves all of a thread's free blocks to the shared place. Holds the lock.
static void drain(ThreadCache &cache) {
  for (unsigned c = 0; c < kSmallClasses; ++c) {
    if (cache.head[c])
      giveChain(c, cache.head[c], threadBound(c) - cache.room[c]);
    cache.head[c] = nullptr;
    setRoom(cache, c, 0);
  }
}

/// Runs as a thread ends, not when the process does. Blocks that later
/// destructors of the thread free go straight to the shared place.
static void onThreadExit(void *lists) {
  auto *cache = static_cast<ThreadCache *>(lists);
  threadCache = &endedThread;
  {
    std::lock_guard lock(shared.mutex);
    drain(*cache);
    if (cache->previous)
      cache->previous->next = cache->next;
    else
      shared.threads = cache->next;
    if (cache->next)
      cache->next->previous = cache->previous;
  }
  std::free(cache);
}

/// In a forked child only the calling thread lives on. Lists of others may have been cut in the
/// middle of a change: their blocks are given up.
void Shared::forgetThreads() {
  ThreadCache *self = nullptr;
  for (ThreadCache *t = shared.threads; t; t = t->next)
    if (t == threadCache)
      self = t;
    else
      for (unsigned c = 0; c < kSmallClasses; ++c)
        shared.lost[c] += threadBound(c) - t->room[c];
  shared.threads = self;
  if (self)
    self->previous = self->next = nullptr;
}

/// Readies the shared place and the calling thread. Returns the thread's lists, or null: it keeps no blocks.
/// Holds the lock.
static ThreadCache *prepare() {
  if (!shared.prepared) {
    shared.prepared = true;
    shared.hasKey = pthread_key_create(&shared.exitKey, onThreadExit) == 0;
    const char *text = std::getenv("TENON_MEMORY_LIMIT");
    if (text && *text && shared.limit == 0)
      shared.badLimit = !parseByteSize(text, shared.limit);
  }
  if (threadCache != &newThread)
    return threadCache != &endedThread ? threadCache : nullptr;
  // Whole cache lines: another thread's data on one of them would slow both down.
  constexpr size_t line = 64, size = (sizeof(ThreadCache) + line - 1) / line * line;
  void *memory = shared.hasKey ? std::aligned_alloc(line, size) : nullptr;
  // Without a drain at its exit a thread must not keep blocks.
  if (!memory || pthread_setspecific(shared.exitKey, memory) != 0) {
    std::free(memory);
    return nullptr;
  }
  auto *cache = new (memory) ThreadCache{};
  for (unsigned c = 0; c < kSmallClasses; ++c)
    setRoom(*cache, c, threadBound(c));
  cache->next = shared.threads;
  if (cache->next)
    cache->next->previous = cache;
  shared.threads = cache;
  return threadCache = cache;
}

static void *fail(AllocationFailure *why, AllocationFailure::Reason reason, size_t wanted) {
  if (why)
    *why = {reason, wanted, shared.committed(), shared.limit};
  return nullptr;
}

static void notePeak() { shared.peak = std::max(shared.peak, shared.committed()); }

//===----------------------------------------------------------------------===//
// From and to the system
//===----------------------------------------------------------------------===//

static void *systemAllocate(size_t size) {
  if (size < kMapped) {
    void *block = nullptr;
    return posix_memalign(&block, 64, size) == 0 ? block : nullptr;
  }
  // Map one huge page more and cut both ends off, so that the start is aligned.
  void *map = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    return nullptr;
  char *start = static_cast<char *>(map);
  size_t before = -reinterpret_cast<uintptr_t>(start) & (kHugePage - 1);
  if (before)
    munmap(start, before);
  munmap(start + before + size, kHugePage - before);
  madvise(start + before, size, MADV_HUGEPAGE);
  return start + before;
}

static void systemRelease(void *block, size_t size) {
  unpoison(block, size);
  if (size < kMapped)
    std::free(block);
  else
    munmap(block, size);
}

//===----------------------------------------------------------------------===//
// Small blocks
//===----------------------------------------------------------------------===//

/// Makes room for a block in the current slab; smaller slabs near the limit.
/// Holds the lock.
static bool growSlab(size_t size) {
  size_t bytes = kSlabBytes;
  if (!shared.fits(bytes))
    bytes = size + sizeof(Slab);
  if (!shared.fits(bytes))
    return false;
  void *memory = systemAllocate(bytes);
  if (!memory)
    return false;
  auto *slab = new (memory) Slab{shared.slabs};
  shared.slabs = slab;
  shared.slabAt = reinterpret_cast<char *>(slab + 1);
  shared.slabEnd = reinterpret_cast<char *>(slab) + bytes;
  poison(shared.slabAt, size_t(shared.slabEnd - shared.slabAt));
  shared.slabBytes += bytes;
  ++shared.systemAllocations;
  notePeak();
  return true;
}

/// Takes a chain given back, or cuts one. Holds the lock. The count is at most
/// threadBound(c); nullptr if there is no memory.
static FreeBlock *takeChain(unsigned c, size_t &count) {
  if (Chain *chain = shared.chains[c]) {
    unpoison(chain, sizeof(*chain));
    shared.chains[c] = chain->nextChain;
    count = chain->count;
    poison(chain, sizeof(*chain));
    shared.sharedFree[c] -= count;
    return chain;
  }
  size_t size = classSize(c);
  if (size_t(shared.slabEnd - shared.slabAt) < size && !growSlab(size))
    return nullptr;
  size_t batch = std::clamp<size_t>(kSmallMax / size, 1, 32);
  count = std::min(batch, size_t(shared.slabEnd - shared.slabAt) / size);
  FreeBlock *first = nullptr;
  for (size_t i = count; i-- > 0;) {
    auto *block = reinterpret_cast<FreeBlock *>(shared.slabAt + i * size);
    setFollowing(block, first);
    first = block;
  }
  shared.slabAt += count * size;
  shared.carved[c] += count;
  return first;
}

static void evict(size_t bound);
static void *allocateLarge(size_t bytes, AllocationFailure *why);
static void deallocateLarge(void *block, size_t bytes);

void *tenon::rt::detail::allocateSlow(size_t bytes, AllocationFailure *why) {
  if (bytes > kSmallMax)
    return allocateLarge(bytes, why);
  unsigned c = classOf(bytes);
  std::unique_lock lock(shared.mutex);
  ThreadCache *const cache = prepare();
  if (shared.badLimit)
    return fail(why, AllocationFailure::BadLimit, bytes);
  size_t count = 0;
  FreeBlock *first = takeChain(c, count);
  if (!first) {
    if (!shared.fits(classSize(c) + sizeof(Slab)))
      return fail(why, AllocationFailure::Limit, bytes);
    // The system refused: perhaps the cache holds what it lacks.
    lock.unlock();
    evict(0);
    lock.lock();
    first = takeChain(c, count);
    if (!first)
      return fail(why, AllocationFailure::System, bytes);
  }
  FreeBlock *rest = following(first);
  if (cache) {
    cache->head[c] = rest;
    setRoom(*cache, c, threadBound(c) - unsigned(count - 1));
  } else if (rest) {
    giveChain(c, rest, count - 1);
  }
  unpoison(first, bytes);
  return first;
}

void tenon::rt::detail::deallocateSlow(void *block, size_t bytes) {
  if (!block)
    return;
  if (bytes > kSmallMax)
    return deallocateLarge(block, bytes);
  unsigned c = classOf(bytes);
  auto *free = static_cast<FreeBlock *>(block);
  unpoison(free, classSize(c));
  std::lock_guard lock(shared.mutex);
  ThreadCache *const known = prepare();
  if (!known) {
    free->next = nullptr;
    poison(free, classSize(c));
    giveChain(c, free, 1);
    return;
  }
  ThreadCache &cache = *known;
  // When the list is full, keep its newer half, which is warm.
  if (cache.room[c] == 0) {
    unsigned keep = threadBound(c) / 2;
    FreeBlock *last = cache.head[c];
    for (unsigned i = 1; i < keep; ++i)
      last = following(last);
    giveChain(c, following(last), threadBound(c) - keep);
    setFollowing(last, nullptr);
    setRoom(cache, c, threadBound(c) - keep);
  }
  free->next = cache.head[c];
  poison(free, classSize(c));
  cache.head[c] = free;
  setRoom(cache, c, cache.room[c] - 1u);
}

//===----------------------------------------------------------------------===//
// Large blocks
//===----------------------------------------------------------------------===//

namespace {
struct Bin {
  unsigned index;
  size_t size;
};
} // namespace

/// Eight sizes per doubling: at most an eighth more than asked for.
static Bin binOf(size_t bytes) {
  unsigned shift = 63 - unsigned(__builtin_clzll(bytes - 1));
  size_t step = (bytes - 1) >> (shift - 3); // 8 to 15
  return {(shift - kFirstShift) * 8 + unsigned(step - 8), (step + 1) << (shift - 3)};
}

/// Where in the block: at the start, which its header has just warmed. Under
/// AddressSanitizer at the end, since what is used after free is the start.
static Cached *placeIn(void *block, [[maybe_unused]] size_t size) {
#if defined(TENON_ASAN)
  return reinterpret_cast<Cached *>(static_cast<char *>(block) + size) - 1;
#else
  return static_cast<Cached *>(block);
#endif
}

/// Takes a block out of the cache's lists. Holds the lock.
static void unlink(Cached *node) {
  (node->binPrevious ? node->binPrevious->binNext : shared.bins[binOf(node->size).index]) = node->binNext;
  if (node->binNext)
    node->binNext->binPrevious = node->binPrevious;
  (node->older ? node->older->newer : shared.oldest) = node->newer;
  (node->newer ? node->newer->older : shared.newest) = node->older;
  shared.cachedBytes -= node->size;
}

/// Gives the oldest blocks back until at most `bound` bytes are cached. Does
/// not hold the lock, nor while it talks to the system.
static void evict(size_t bound) {
  while (true) {
    shared.mutex.lock();
    Cached *node = shared.cachedBytes > bound ? shared.oldest : nullptr;
    if (node)
      unlink(node);
    shared.mutex.unlock();
    if (!node)
      return;
    systemRelease(node->block, node->size);
  }
}

/// The cache's bound: an eighth of the memory this process may use.
static size_t cacheBound() {
  static constinit size_t bound = 0;
  size_t known = __atomic_load_n(&bound, __ATOMIC_RELAXED);
  if (known == 0) {
    // Blocks are freed in destructors, also when no text can be read for lack of
    // memory: then nothing is kept, and the next one asks again.
    try {
      known = std::max<size_t>(usableMemory() / 8, 1);
    } catch (const std::bad_alloc &) {
      return 0;
    }
    __atomic_store_n(&bound, known, __ATOMIC_RELAXED);
  }
  return known;
}

static void *allocateLarge(size_t bytes, AllocationFailure *why) {
  std::unique_lock lock(shared.mutex);
  prepare();
  if (shared.badLimit)
    return fail(why, AllocationFailure::BadLimit, bytes);
  if (bytes > kTooLarge)
    return fail(why, AllocationFailure::TooLarge, bytes);
  Bin bin = binOf(bytes);
  if (!shared.fits(bin.size))
    return fail(why, AllocationFailure::Limit, bytes);
  shared.largeInUse += bin.size;
  ++shared.largeBlocks;
  void *block = nullptr;
  if (Cached *node = shared.bins[bin.index]) {
    unlink(node);
    ++shared.largeReuses;
    block = node->block;
    unpoison(block, bytes);
    poison(static_cast<char *>(block) + bytes, bin.size - bytes);
  } else {
    // What is cached counts against the limit as soon as it stands in the way.
    size_t room = shared.limit ? shared.limit - std::min(shared.limit, shared.committed()) : SIZE_MAX;
    lock.unlock();
    evict(room);
    block = systemAllocate(bin.size);
    if (!block) {
      evict(0);
      block = systemAllocate(bin.size);
    }
    if (block)
      poison(static_cast<char *>(block) + bytes, bin.size - bytes);
    lock.lock();
    if (!block) {
      shared.largeInUse -= bin.size;
      --shared.largeBlocks;
      return fail(why, AllocationFailure::System, bytes);
    }
    ++shared.systemAllocations;
  }
  ++shared.largeAllocations;
  notePeak();
  return block;
}

static void deallocateLarge(void *block, size_t bytes) {
  Bin bin = binOf(bytes);
  poison(block, bin.size);
  Cached *node = placeIn(block, bin.size);
  unpoison(node, sizeof(*node));
  size_t bound = cacheBound();
  {
    std::lock_guard lock(shared.mutex);
    shared.largeInUse -= bin.size;
    --shared.largeBlocks;
    new (node) Cached{nullptr, shared.bins[bin.index], shared.newest, nullptr, block, bin.size};
    if (node->binNext)
      node->binNext->binPrevious = node;
    shared.bins[bin.index] = node;
    (node->older ? node->older->newer : shared.oldest) = node;
    shared.newest = node;
    shared.cachedBytes += bin.size;
    if (shared.limit)
      bound = std::min(bound, shared.limit - std::min(shared.limit, shared.committed()));
    if (shared.cachedBytes <= bound)
      return;
  }
  evict(bound);
}

//===----------------------------------------------------------------------===//
// Limit and statistics
//===----------------------------------------------------------------------===//

bool tenon::rt::parseByteSize(const char *text, size_t &bytes) {
  size_t value = 0;
  const char *at = text;
  for (; *at >= '0' && *at <= '9'; ++at)
    value = addSizes(multiplySizes(value, 10), size_t(*at - '0'));
  if (at == text)
    return false;
  unsigned shift = 0;
  switch (*at) {
  case 'K':
  case 'k':
    shift = 10;
    break;
  case 'M':
  case 'm':
    shift = 20;
    break;
  case 'G':
  case 'g':
    shift = 30;
    break;
  case '\0':
    break;
  default:
    return false;
  }
  if (shift && *++at != '\0')
    return false;
  value = multiplySizes(value, size_t(1) << shift);
  if (value == 0 || value == SIZE_MAX)
    return false;
  bytes = value;
  return true;
}

void tenon::rt::setMemoryLimit(size_t bytes) {
  std::lock_guard lock(shared.mutex);
  prepare();
  shared.limit = bytes;
  shared.badLimit = false;
}

void tenon::rt::trimMemory() { evict(0); }

MemoryStatistics tenon::rt::memoryStatistics() {
  std::lock_guard lock(shared.mutex);
  MemoryStatistics s;
  s.bytesInUse = shared.largeInUse;
  s.blocksInUse = shared.largeBlocks;
  for (unsigned c = 0; c < kSmallClasses; ++c) {
    size_t used = shared.carved[c] - shared.sharedFree[c] - shared.lost[c];
    for (ThreadCache *t = shared.threads; t; t = t->next)
      used -= threadBound(c) - __atomic_load_n(&t->room[c], __ATOMIC_RELAXED);
    s.blocksInUse += used;
    s.bytesInUse += used * classSize(c);
  }
  s.peakBytes = shared.peak;
  s.bytesCommitted = shared.committed();
  s.bytesCached = shared.cachedBytes;
  s.limit = shared.limit;
  s.largeAllocations = shared.largeAllocations;
  s.largeReuses = shared.largeReuses;
  s.systemAllocations = shared.systemAllocations;
  return s;
}

std::string AllocationFailure::message() const {
  auto text = [](size_t n) { return std::to_string(n); };
  switch (reason) {
  case None:
    return "no failure";
  case Limit:
    return "memory limit reached: expected at most " + text(limit) + " bytes in use, got " + text(inUse) +
           " in use and " + text(wanted) + " more wanted";
  case System:
    return "out of memory: the system refused " + text(wanted) + " bytes, with " + text(inUse) + " in use";
  case TooLarge:
    if (wanted == SIZE_MAX)
      return "out of memory: expected a size below 2^46 bytes, got one that does not fit 64 bits";
    return "out of memory: expected a size below 2^46 bytes, got " + text(wanted);
  case BadLimit: {
    const char *value = std::getenv("TENON_MEMORY_LIMIT");
    return "TENON_MEMORY_LIMIT: expected a positive number of bytes with an optional suffix K, M or G, got \"" +
           std::string(value ? value : "") + "\"";
  }
  }
  return {};
}

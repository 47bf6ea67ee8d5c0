//===- Plan.cpp - how a Fourier transform of one length is computed ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fft/Plan.h"

#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "runtime/fft/Roots.h"

#include <atomic>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <vector>

namespace tenon::rt {
namespace {

/// Transforms below this length have one phase: they are not worth a second one.
constexpr int64_t kTwoPhases = 64;
/// Up to this length the factors between phases are a table of their own.
constexpr int64_t kWholeTable = int64_t(1) << 15;
/// Of all plans that are kept while no call uses them.
constexpr size_t kBytesKept = size_t(64) << 20;

/// Whether there are passes for all prime factors; else the transform is a convolution.
bool isSmooth(int64_t n) {
  for (int prime : {2, 3, 5, 7, 11, 13})
    while (n % prime == 0)
      n /= prime;
  return n == 1;
}

/// Large primes first: their passes have the most constants, and the fewest positions last.
std::vector<int> radicesOf(int64_t n) {
  std::vector<int> radices;
  for (int prime : {13, 11, 7, 5, 3})
    for (; n % prime == 0; n /= prime)
      radices.push_back(prime);
  int twos = 0;
  for (; n % 2 == 0; n /= 2)
    ++twos;
  // Eights; a rest of one bit and an eight are two fours.
  int fours = twos % 3 == 2 ? 1 : twos % 3 == 1 && twos > 1 ? 2 : 0;
  for (; twos - 2 * fours >= 3; twos -= 3)
    radices.push_back(8);
  for (; fours > 0; --fours, twos -= 2)
    radices.push_back(4);
  if (twos)
    radices.push_back(2);
  return radices;
}

/// The largest divisor that is at most the square root.
int64_t smallerDivisor(int64_t n) {
  int64_t divisor = 1;
  while ((divisor + 1) <= n / (divisor + 1))
    ++divisor;
  while (n % divisor != 0)
    --divisor;
  return divisor;
}

/// The smallest number >= n with factors 2, 3 and 5 only; even, so that its radices are the fast ones.
int64_t smoothAtLeast(int64_t n) {
  int64_t best = 2;
  while (best < n)
    best *= 2;
  for (int64_t fives = 2; fives < best; fives *= 5)
    for (int64_t threes = fives; threes < best; threes *= 3) {
      int64_t all = threes;
      while (all < n)
        all *= 2;
      if (all < best)
        best = all;
    }
  return best;
}

template <class T>
class Plan : public FftPlan<T> {
public:
  using FftPlan<T>::length, FftPlan<T>::rows, FftPlan<T>::columns, FftPlan<T>::phases, FftPlan<T>::inner;

  Plan(int64_t n, bool isReal, FftTransform<T> transform) : isReal(isReal) {
    length = n;
    if (isReal) {
      const RootsOfUnity roots(2 * n);
      this->untangling = pairs(n + 1, [&](int64_t k) { return roots(k); });
    }
    if (!isSmooth(n)) {
      beConvolution(transform);
      return;
    }
    columns = n < kTwoPhases ? 1 : smallerDivisor(n);
    rows = n / columns;
    makePhase(phases[0], rows);
    if (columns > 1) {
      makePhase(phases[1], columns);
      makeFactors();
    }
  }
  ~Plan() {
    if (inner)
      releaseFftPlan(inner);
  }

  const bool isReal;
  size_t bytes = sizeof(Plan);
  /// Calls that use the plan, and the cache.
  std::atomic<int> users = 1;

private:
  T *table(int64_t size) {
    bytes += static_cast<size_t>(size) * sizeof(T);
    tables_.emplace_back(static_cast<size_t>(size));
    return tables_.back().data();
  }
  /// `count` numbers that `number` returns, in the dtype.
  template <class F>
  const T *pairs(int64_t count, F &&number) {
    T *const to = table(2 * count);
    for (int64_t k = 0; k < count; ++k) {
      const RootsOfUnity::Root root = number(k);
      to[2 * k] = static_cast<T>(root.real), to[2 * k + 1] = static_cast<T>(root.imag);
    }
    return to;
  }

  void makePhase(FftPhase<T> &phase, int64_t n) {
    phase.length = n;
    for (int radix : radicesOf(n)) {
      const RootsOfUnity roots(n);
      const int64_t rest = n / radix, others = radix - 1;
      const T *twiddles = pairs(rest * others, [&](int64_t i) { return roots(i / others * (i % others + 1)); });
      phase.passes[phase.count++] = {radix, rest, twiddles};
      n = rest;
    }
  }

  void makeFactors() {
    constexpr int64_t lanes = kFftLanes<T>;
    const RootsOfUnity roots(length);
    if (length <= kWholeTable) {
      const int64_t size = this->factorsSize();
      T *const to = table(2 * size);
      for (int64_t k = 0; k < rows; ++k)
        for (int64_t j = 0; j < columns; ++j) {
          const RootsOfUnity::Root root = roots(k * j);
          to[k * columns + j] = static_cast<T>(root.real), to[size + k * columns + j] = static_cast<T>(root.imag);
        }
      this->factors = to;
      return;
    }
    const int64_t blocks = (columns + lanes - 1) / lanes;
    this->coarse = pairs(blocks * rows, [&](int64_t i) { return roots(i / rows * lanes * (i % rows) % length); });
    T *const to = table(2 * rows * lanes);
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t j = 0; j < lanes; ++j) {
        const RootsOfUnity::Root root = roots(k * j % length);
        to[2 * k * lanes + j] = static_cast<T>(root.real), to[(2 * k + 1) * lanes + j] = static_cast<T>(root.imag);
      }
    this->fine = to;
  }

  void beConvolution(FftTransform<T> transform) {
    const int64_t n = length, around = smoothAtLeast(2 * n - 1);
    inner = acquireFftPlan<T>(around, false, transform);
    if (!inner)
      throw std::bad_alloc();
    const RootsOfUnity roots(2 * n);
    std::vector<int64_t> squares(static_cast<size_t>(n));
    for (int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k)
      squares[static_cast<size_t>(k)] = square;
    this->chirp = pairs(n, [&](int64_t k) { return roots(squares[static_cast<size_t>(k)]); });
    T *const filter = table(2 * around);
    for (int64_t k = 0; k < n; ++k) {
      const RootsOfUnity::Root root = roots(squares[static_cast<size_t>(k)]);
      for (int64_t place : {k, k == 0 ? 0 : around - k}) {
        filter[2 * place] = static_cast<T>(root.real / static_cast<long double>(around));
        filter[2 * place + 1] = static_cast<T>(-root.imag / static_cast<long double>(around));
      }
    }
    if (!transform(*inner, filter))
      throw std::bad_alloc();
    this->filter = filter;
  }

  /// Zeros where nothing else is written.
  std::list<std::vector<T>> tables_;
};

/// The plans of one dtype, the most recently used first.
template <class T>
struct Cache {
  std::list<Plan<T> *> plans;
  size_t bytes = 0;
};
struct Caches {
  ForkLock lock{LockOrder::fourierPlans};
  Cache<float> singles;
  Cache<double> doubles;
  template <class T>
  Cache<T> &of() {
    if constexpr (std::is_same_v<T, float>)
      return singles;
    else
      return doubles;
  }
};
Caches &caches() {
  static constinit Lasting<Caches> instance;
  return instance.get();
}

template <class T>
void release(Plan<T> *plan) {
  if (plan->users.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete plan;
}

template <class T>
Plan<T> *find(int64_t length, bool isReal) {
  Caches &all = caches();
  std::lock_guard lock(all.lock);
  auto &plans = all.of<T>().plans;
  for (auto place = plans.begin(); place != plans.end(); ++place)
    if (Plan<T> *plan = *place; plan->length == length && (plan->isReal || !isReal)) {
      plans.splice(plans.begin(), plans, place);
      plan->users.fetch_add(1, std::memory_order_relaxed);
      return plan;
    }
  return nullptr;
}

template <class T>
void keep(Plan<T> *plan) {
  if (plan->bytes > kBytesKept / 2)
    return;
  std::list<Plan<T> *> fresh{plan}, dropped; // what may throw first
  {
    Caches &all = caches();
    std::lock_guard lock(all.lock);
    Cache<T> &cache = all.of<T>();
    cache.plans.splice(cache.plans.begin(), fresh);
    cache.bytes += plan->bytes;
    plan->users.fetch_add(1, std::memory_order_relaxed);
    while (cache.bytes > kBytesKept / 2) {
      cache.bytes -= cache.plans.back()->bytes;
      dropped.splice(dropped.begin(), cache.plans, std::prev(cache.plans.end()));
    }
  }
  for (Plan<T> *old : dropped)
    release(old);
}

} // namespace

template <class T>
const FftPlan<T> *acquireFftPlan(int64_t length, bool isReal, FftTransform<T> transform) {
  try {
    if (Plan<T> *known = find<T>(length, isReal))
      return known;
    auto made = std::make_unique<Plan<T>>(length, isReal, transform);
    keep(made.get());
    return made.release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

template <class T>
void releaseFftPlan(const FftPlan<T> *plan) {
  release(const_cast<Plan<T> *>(static_cast<const Plan<T> *>(plan)));
}

template const FftPlan<float> *acquireFftPlan(int64_t, bool, FftTransform<float>);
template const FftPlan<double> *acquireFftPlan(int64_t, bool, FftTransform<double>);
template void releaseFftPlan(const FftPlan<float> *);
template void releaseFftPlan(const FftPlan<double> *);

} // namespace tenon::rt

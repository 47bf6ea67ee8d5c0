//===- Random.cpp - random bits --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits of an element depend on its key and its row-major index alone.
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "runtime/math/Threefry.h"

namespace tenon::rt::TENON_ISA {

namespace {
constexpr int N = math::nativeLanes<uint32_t>;
using U = Vec<uint32_t, N>;

/// Keys with so few elements that lanes are shared out among several keys.
struct ManyKeys {
  const Strided &keys;
  const uint32_t *data;
  /// From one word of a key to the other.
  int64_t stride;
  int64_t perKey;
  bool wantsBothWords;
  uint32_t *result;

  /// The elements from lo to hi of all keys.
  void run(int64_t lo, int64_t hi) const {
    int64_t key = lo / perKey, at = lo % perKey;
    const uint32_t *words = data + keys.offset(key);
    for (int64_t i = lo; i < hi; i += N) {
      const int64_t count = smaller<int64_t>(N, hi - i);
      uint32_t first[N] = {}, second[N] = {}, counters[N] = {};
      for (int64_t lane = 0; lane < count; ++lane) {
        first[lane] = words[0], second[lane] = words[stride], counters[lane] = static_cast<uint32_t>(at);
        if (++at == perKey && i + lane + 1 < hi) {
          at = 0;
          words = data + keys.offset(++key);
        }
      }
      U high = math::broadcast<U>(0), low = math::load<U>(counters);
      math::threefry2x32(math::load<U>(first), math::load<U>(second), high, low);
      if (wantsBothWords) {
        scatterLanes<Dtype::u32, N>(high, result + 2 * i, 2, count);
        scatterLanes<Dtype::u32, N>(low, result + 2 * i + 1, 2, count);
      } else {
        scatterLanes<Dtype::u32, N>(high ^ low, result + i, 1, count);
      }
    }
  }
};
} // namespace

Status kernelBits(const KernelCall &call) {
  const View &key = call.operands[0];
  auto *result = static_cast<uint32_t *>(call.results[0].data);
  const int keyAxes = key.rank - 1;
  const Strided keys = makeStrided(key.data, keyAxes, key.dims, key.strides);
  const int64_t keyCount = keys.nest.count();
  const bool wantsBothWords = BitsAttrs::read(call.attributes).words == 2;
  int64_t perKey = 1;
  for (int i = keyAxes; i < call.results[0].rank - wantsBothWords; ++i)
    perKey *= call.results[0].dims[i];
  if (keyCount == 0 || perKey == 0)
    return Status::ok;
  if (perKey <= N / 4) {
    const ManyKeys many{keys,  static_cast<const uint32_t *>(key.data), key.strides[keyAxes], perKey, wantsBothWords,
                        result};
    const bool areDone =
        parallelFor(keyCount * perKey, 8192, [&](int64_t lo, int64_t hi) { many.run(lo, hi); }, call.cancel);
    return areDone ? Status::ok : Status::cancelled;
  }
  // Pieces of a block, or several blocks.
  constexpr int64_t grain = 8192;
  const int64_t pieces = ceilDivide(perKey, grain);
  const bool isDone = parallelFor(
      keyCount * pieces, larger<int64_t>(1, grain / perKey),
      [&](int64_t lo, int64_t hi) {
        for (; lo < hi; ++lo) {
          const int64_t block = lo / pieces, from = lo % pieces * grain, to = smaller(perKey, from + grain);
          const uint32_t *at = static_cast<const uint32_t *>(key.data) + keys.offset(block);
          const uint32_t k0 = at[0], k1 = at[key.strides[keyAxes]];
          if (wantsBothWords) {
            uint32_t *pairs = result + block * perKey * 2;
            for (int64_t i = from; i < to; i += N) {
              const math::RandomWords<U> words = math::randomWords<U>(k0, k1, static_cast<uint64_t>(i));
              const int64_t count = smaller<int64_t>(N, to - i);
              scatterLanes<Dtype::u32, N>(words.high, pairs + 2 * i, 2, count);
              scatterLanes<Dtype::u32, N>(words.low, pairs + 2 * i + 1, 2, count);
            }
            continue;
          }
          uint32_t *words = result + block * perKey;
          int64_t i = from;
          for (; i + N <= to; i += N)
            math::store<U>(words + i, math::randomBits32<U>(k0, k1, static_cast<uint64_t>(i)));
          if (i < to)
            scatterLanes<Dtype::u32, N>(math::randomBits32<U>(k0, k1, static_cast<uint64_t>(i)), words + i, 1, to - i);
        }
      },
      call.cancel);
  return isDone ? Status::ok : Status::cancelled;
}

} // namespace tenon::rt::TENON_ISA

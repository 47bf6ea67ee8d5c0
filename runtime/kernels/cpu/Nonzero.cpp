//===- Nonzero.cpp - the places where elements are true --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Kernels.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// The places in one example, at most `size` of them; returns how many.
int64_t findPlaces(const Strided &x, int64_t first, int64_t count, int64_t *places, int64_t size) {
  constexpr int64_t chunk = 1024;
  uint8_t packed[chunk];
  int64_t some[chunk], found = 0;
  for (int64_t done = 0; done < count && found < size; done += chunk) {
    const int64_t here = smaller(chunk, count - done);
    const uint8_t *holds = static_cast<const uint8_t *>(x.data) + first + done;
    if (!x.isContiguous()) {
      pack(x, first + done, here, packed);
      holds = packed;
    }
    // Each place is written, and stays if it is one: no branch to foresee.
    int64_t kept = 0;
    for (int64_t i = 0; i < here; ++i) {
      some[kept] = done + i;
      kept += holds[i] != 0;
    }
    kept = smaller(kept, size - found);
    __builtin_memcpy(places + found, some, static_cast<size_t>(kept) * sizeof(int64_t));
    found += kept;
  }
  return found;
}

} // namespace

Status kernelFlatnonzero(const KernelCall &call) {
  const FlatnonzeroAttrs a = FlatnonzeroAttrs::read(call.attributes);
  const View &x = call.operands[0], &result = call.results[0];
  int64_t examples = 1;
  for (int i = 0; i < a.batching_dims; ++i)
    examples *= x.dims[i];
  const int64_t size = result.dims[a.batching_dims];
  if (examples == 0 || size == 0)
    return Status::ok;
  const int64_t count = x.count() / examples;
  const Strided from = makeStrided(x.data, x.rank, x.dims, x.strides);
  auto findSome = [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) {
      int64_t *const places = static_cast<int64_t *>(result.data) + i * size;
      for (int64_t at = findPlaces(from, i * count, count, places, size); at < size; ++at)
        places[at] = a.fill_value;
    }
  };
  return parallelFor(examples, larger<int64_t>(1, kGrain / larger<int64_t>(1, count)), findSome, call.cancel)
             ? Status::ok
             : Status::cancelled;
}

} // namespace tenon::rt::TENON_ISA

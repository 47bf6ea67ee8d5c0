//===- Attention.cpp - attention by strips of queries ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Attention.h"

#include <atomic>

namespace tenon::rt::TENON_ISA {
namespace {

template <Dtype D>
Status attend(const KernelCall &call) {
  using T = Storage<D>;
  const AttentionWeights<D> of(call.operands, AttentionAttrs::read(call.attributes));
  auto *const out = static_cast<T *>(call.results[0].data);
  const int64_t values = of.v.columns(), strip = queriesAtOnce(of.length, of.keys),
                strips = ceilDivide(of.length, strip);
  std::atomic<Status> worst = Status::ok;
  const bool isDone = parallelFor(
      of.q.count() * strips, 1,
      [&](int64_t lo, int64_t hi) {
        const Scratch scratch(strip * of.keys, sizeof(T));
        T *const weights = scratch.as<T>();
        Status status = weights ? Status::ok : Status::outOfMemory;
        for (; lo < hi && status == Status::ok; ++lo) {
          const int64_t head = lo / strips, first = lo % strips * strip, count = smaller(strip, of.length - first);
          status = of.weights(head, first, count, weights, nullptr, call.cancel);
          if (status == Status::ok && of.dropout)
            status = of.eachRow(count, call.cancel, [&](int64_t i) {
              of.dropout.row(head, first + i, weights + i * of.keys, weights + i * of.keys);
            });
          if (status == Status::ok)
            status = multiply(MatrixAt<T>{weights, count, of.keys, of.keys, 1}, of.v.of(head / of.shared),
                              out + (head * of.length + first) * values, call.cancel);
        }
        if (status != Status::ok)
          worst = status;
      },
      call.cancel);
  return worst != Status::ok ? worst.load() : isDone ? Status::ok : Status::cancelled;
}

} // namespace

Status kernelAttention(const KernelCall &call) {
  if (!isAttention(call))
    return Status::declined; // callers convert f16 and bf16 to f32
  return call.operands[0].dtype == Dtype::f32 ? attend<Dtype::f32>(call) : attend<Dtype::f64>(call);
}

} // namespace tenon::rt::TENON_ISA

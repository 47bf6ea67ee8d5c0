//===- fft.cpp - Fourier transforms, beside NumPy's ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are `c64 1024` (length) or `c64 100x1024` (rows x length); `rfft f32 1024` for real transforms. bench/peers.py
// has the same rows.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

using namespace tenon;

namespace {

void transform(benchmark::State &state, int64_t rows, int64_t length, Dtype dtype) {
  const Dtype part = dtype == c128 || dtype == f64 ? f64 : f32;
  const Array real = random::uniform(random::key(1), {rows, length}, part, -1, 1);
  const bool isComplex = kind(dtype) == Kind::complex;
  const Array x = isComplex ? complex(real, random::uniform(random::key(2), {rows, length}, part, -1, 1)) : real;
  for (auto _ : state)
    benchmark::DoNotOptimize(isComplex ? fft::fft(x) : fft::rfft(x));
}

void add(int64_t rows, int64_t length, Dtype dtype) {
  const std::string name = (kind(dtype) == Kind::complex ? "" : "rfft ") + std::string(short_name(dtype)) + " " +
                           (rows > 1 ? std::to_string(rows) + "x" : "") + std::to_string(length);
  benchmark::RegisterBenchmark(name.c_str(), transform, rows, length, dtype)->UseRealTime();
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  for (int bits = 4; bits <= 22; bits += 2)
    for (Dtype dtype : {c64, c128})
      add(1, int64_t(1) << bits, dtype);
  for (int64_t length : {97, 1009, 10007, 100003, 60, 1000, 10000, 100000, 1000000, 6561, 15625})
    for (Dtype dtype : {c64, c128})
      add(1, length, dtype);
  for (auto [rows, length] :
       {std::pair<int64_t, int64_t>{10000, 16}, {1000, 100}, {1000, 1024}, {100, 1009}, {64, 65536}})
    for (Dtype dtype : {c64, f32})
      add(rows, length, dtype);
  for (int64_t length : {1024, 1000, 1009, 1 << 20})
    for (Dtype dtype : {f32, f64})
      add(1, length, dtype);
  benchmark::RunSpecifiedBenchmarks();
}

//===- reductions.cpp - sums over any axes, against a plain read ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thirty combinations of shape and axes, eager and compiled, each beside a loop
// that reads as many bytes as its operand and its result have, and does no
// more. Then a pooling maximum, positions, and complex numbers beside pairs of
// floats. All on one thread: bench/run sets TENON_NUM_THREADS to 1.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

using namespace tenon;

namespace {

struct Combination {
  std::vector<int64_t> shape;
  std::vector<int64_t> axes;
};

// About sixteen million elements each: more bytes than a last cache has.
const Combination combinations[] = {
    {{16777216}, {0}},
    // Rows and columns, from two elements on.
    {{8388608, 2}, {1}},
    {{5592405, 3}, {1}},
    {{3355443, 5}, {1}},
    {{2097152, 8}, {1}},
    {{1677721, 10}, {1}},
    {{262144, 64}, {1}},
    {{166111, 101}, {1}},
    {{8192, 2048}, {1}},
    {{2, 8388608}, {1}},
    {{8388608, 2}, {0}},
    {{5592405, 3}, {0}},
    {{2097152, 8}, {0}},
    {{166111, 101}, {0}},
    {{8192, 2048}, {0}},
    {{2, 8388608}, {0}},
    // Between.
    {{64, 1024, 256}, {1}},
    {{4194304, 2, 2}, {1}},
    {{4096, 4, 1024}, {1}},
    {{262144, 16, 4}, {1}},
    // Several axes.
    {{64, 1024, 256}, {0, 1}},
    {{64, 1024, 256}, {1, 2}},
    {{64, 1024, 256}, {0, 2}},
    {{4096, 2, 1024, 2}, {1, 3}},
    {{4096, 2, 1024, 2}, {0, 2}},
    {{16, 256, 64, 64}, {0, 2, 3}},
    {{16, 256, 64, 64}, {0, 1, 2}},
    {{32, 256, 32, 64}, {0, 3}},
    {{512, 2, 2, 8192}, {0, 2}},
    {{512, 8, 128, 32}, {0, 1, 3}},
};

template <class T>
std::string list(const std::vector<T> &values) {
  std::string text;
  for (T value : values)
    text += (text.empty() ? "" : "x") + std::to_string(value);
  return text;
}

template <class T>
[[gnu::optimize("O3"), gnu::target("avx2")]] T readAll(const T *from, int64_t count) {
  typedef T Register __attribute__((vector_size(32)));
  constexpr int64_t lanes = 32 / sizeof(T), step = 8 * lanes;
  Register sums[8] = {};
  for (int64_t i = 0; i + step <= count; i += step)
    for (int k = 0; k < 8; ++k) {
      Register value;
      __builtin_memcpy(&value, from + i + k * lanes, sizeof(value));
      sums[k] |= value;
    }
  T all = 0;
  for (Register sum : sums)
    for (int lane = 0; lane < lanes; ++lane)
      all |= sum[lane];
  return all;
}

int64_t bytesOf(const Array &x) { return x.size().value() * static_cast<int64_t>(item_size(x.dtype())); }

void addRead(const std::string &name, int64_t bytes) {
  benchmark::RegisterBenchmark((name + "/read").c_str(), [bytes](benchmark::State &state) {
    const std::vector<int64_t> data(static_cast<size_t>(bytes / 8), 1);
    for (auto _ : state)
      benchmark::DoNotOptimize(readAll(data.data(), bytes / 8));
  });
}

template <class Function>
void add(const std::string &name, const Array &x, Function function) {
  auto call = [](benchmark::State &state, const auto &f, const Array &operand) {
    f(operand);
    for (auto _ : state) {
      Array out = f(operand);
      benchmark::DoNotOptimize(out);
    }
  };
  benchmark::RegisterBenchmark((name + "/eager").c_str(), [=](benchmark::State &state) { call(state, function, x); });
  benchmark::RegisterBenchmark((name + "/jit").c_str(), [=](benchmark::State &state) {
    call(state, jit([=](const Array &operand) { return function(operand); }), x);
  });
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  auto numbers = [](const std::vector<int64_t> &shape) {
    return random::uniform(random::key(1), Shape(shape), f32, -1, 1);
  };
  for (const Combination &c : combinations) {
    const Array x = numbers(c.shape);
    const std::string name = "sum " + list(c.shape) + " over " + list(c.axes);
    auto function = [axes = c.axes](const Array &operand) { return sum(operand, Ints(axes)); };
    addRead(name, bytesOf(x) + bytesOf(function(x)));
    add(name, x, function);
  }
  const Array image = numbers({1024, 1024}), row = numbers({4194304});
  auto pool = [](const Array &x) { return max(reshape(x, {512, 2, 512, 2}), {1, 3}); };
  addRead("max 512x2x512x2 over 1x3", bytesOf(image) + bytesOf(pool(image)));
  add("max 512x2x512x2 over 1x3", image, pool);
  auto position = [](const Array &x) { return argmax(x); };
  addRead("argmax 4194304", bytesOf(row));
  add("argmax 4194304", row, position);
  add("argmax 2048x2048 over 0", numbers({2048, 2048}), [](const Array &x) { return argmax(x, 0); });
  const Array complex = astype(numbers({1048576}), c64), pairs = numbers({2097152});
  add("c64 1048576 added", complex, [](const Array &x) { return x + x; });
  add("f32 2097152 added", pairs, [](const Array &x) { return x + x; });
  add("c64 1048576 multiplied", complex, [](const Array &x) { return x * x; });
  add("f32 2097152 multiplied", pairs, [](const Array &x) { return x * x; });
  benchmark::RunSpecifiedBenchmarks();
}

//===- throughput.cpp - large arrays, against memory and oneDNN -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All on one thread: bench/run sets TENON_NUM_THREADS and OMP_NUM_THREADS to 1.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

#ifdef TENON_BENCH_ONEDNN
#include <dnnl.hpp>
#endif

using namespace tenon;

static constexpr int64_t chainSize = 4'194'304, rows = 4096, columns = 1024;

static Array chainOps(const Array &x, const Array &y) { return abs(maximum(x * 1.5f + y, 0.25f)); }

static Array numbers(const Shape &shape) { return random::uniform(random::key(1), shape, f32, -1, 1); }

/// Calls `function` each round; the bytes that must move at least are counted.
template <class Function, class... A>
static void run(benchmark::State &state, const Function &function, bool compiled, int64_t bytes, const A &...in) {
  auto call = [&](const auto &f) {
    f(in...);
    uint64_t before = statistics().interpreted_programs;
    for (auto _ : state) {
      Array out = f(in...);
      benchmark::DoNotOptimize(out);
    }
    if (statistics().interpreted_programs != before)
      state.SkipWithError("the function was interpreted");
  };
  if (compiled)
    call(jit(function));
  else
    call(function);
  state.SetBytesProcessed(state.iterations() * bytes);
}

static void chain(benchmark::State &state, bool compiled) {
  run(state, chainOps, compiled, 12 * chainSize, numbers({chainSize}), numbers({chainSize}));
}

[[gnu::optimize("O3"), gnu::target("avx2")]] static void triadLoop(float *c, const float *a, const float *b, size_t n) {
  for (size_t i = 0; i < n; ++i)
    c[i] = a[i] + 0.5f * b[i];
}

/// Differences of 500,000 rows of three and what is broadcast along them, or `same`: as many elements.
static void shortRows(benchmark::State &state, const Shape &other, bool compiled) {
  const Shape shape{500'000, 3};
  run(
      state, [](const Array &x, const Array &y) { return x - y; }, compiled, 12 * 1'500'000, numbers(shape),
      numbers(other));
}

static void softmaxOf(benchmark::State &state, const Shape &shape, bool compiled) {
  run(state, [](const Array &x) { return softmax(x); }, compiled, 8 * 1'500'000, numbers(shape));
}

/// c = a + 0.5 b with plain stores: what the memory gives to 12 bytes an element.
static void triad(benchmark::State &state) {
  std::vector<float> a(chainSize, 1), b(chainSize, 2), c(chainSize);
  for (auto _ : state) {
    triadLoop(c.data(), a.data(), b.data(), c.size());
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * 12 * chainSize);
}

static void softmaxRows(benchmark::State &state, bool compiled) {
  auto f = [](const Array &x) { return softmax(x); };
  run(state, f, compiled, 8 * rows * columns, numbers({rows, columns}));
}

static void expAll(benchmark::State &state, bool compiled) {
  auto f = [](const Array &x) { return exp(x); };
  run(state, f, compiled, 8 * rows * columns, numbers({rows, columns}));
}

static constexpr int64_t gathered = 1'000'000;
static Array places() { return argsort(random::uniform(random::key(2), {gathered})); }

static void gatherAll(benchmark::State &state, bool compiled) {
  auto f = [](const Array &x, const Array &places) { return x[places]; };
  run(state, f, compiled, 16 * gathered, numbers({gathered}), places());
}

/// The loop of a gather that does not ask whether an index is inside.
[[gnu::optimize("O3"), gnu::noinline]] static void gatherLoop(const float *x, const int64_t *places, float *y,
                                                              size_t n) {
  for (size_t i = 0; i < n; ++i)
    y[i] = x[places[i]];
}
static void plainGather(benchmark::State &state) {
  const Array x = numbers({gathered}), at = places(), y = zeros({gathered}) + 1.0f;
  for (auto _ : state) {
    gatherLoop(x.elements<float>().data(), at.elements<int64_t>().data(),
               const_cast<float *>(y.elements<float>().data()), gathered);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * 16 * gathered);
}

#ifdef TENON_BENCH_ONEDNN
template <class Primitive, class Make>
static void oneDnn(benchmark::State &state, Make &&make) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  dnnl::memory::desc desc({rows, columns}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
  Array x = numbers({rows, columns});
  dnnl::memory in(desc, engine, const_cast<float *>(x.elements<float>().data())), out(desc, engine);
  Primitive primitive(make(desc, engine));
  for (auto _ : state) {
    primitive.execute(stream, {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
    stream.wait();
  }
  state.SetBytesProcessed(state.iterations() * 8 * rows * columns);
}

static void oneDnnSoftmax(benchmark::State &state) {
  oneDnn<dnnl::softmax_forward>(state, [](const dnnl::memory::desc &desc, const dnnl::engine &engine) {
    return dnnl::softmax_forward::primitive_desc(
        dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, desc, 1), engine);
  });
}

static void oneDnnExp(benchmark::State &state) {
  oneDnn<dnnl::eltwise_forward>(state, [](const dnnl::memory::desc &desc, const dnnl::engine &engine) {
    return dnnl::eltwise_forward::primitive_desc(
        dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_exp, desc, 0, 0),
        engine);
  });
}
BENCHMARK(oneDnnSoftmax)->Unit(benchmark::kMillisecond);
BENCHMARK(oneDnnExp)->Unit(benchmark::kMillisecond);
#endif

BENCHMARK(triad)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain, eager, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain, jit, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(softmaxRows, eager, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(softmaxRows, jit, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(expAll, eager, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(expAll, jit, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shortRows, same_eager, {500'000, 3}, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shortRows, same_jit, {500'000, 3}, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shortRows, row_eager, {3}, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shortRows, row_jit, {3}, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shortRows, column_eager, {500'000, 1}, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shortRows, column_jit, {500'000, 1}, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(softmaxOf, short_eager, {500'000, 3}, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(softmaxOf, short_jit, {500'000, 3}, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(softmaxOf, long_eager, {1'500, 1'000}, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(softmaxOf, long_jit, {1'500, 1'000}, true)->Unit(benchmark::kMillisecond);
BENCHMARK(plainGather)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gatherAll, eager, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gatherAll, jit, true)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();

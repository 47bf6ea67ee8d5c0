//===- math.cpp - functions of each element, against SLEEF and oneDNN --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A million floats each. Tenon runs eagerly and makes its results; the peers write
// where a result was before. Of SLEEF the functions of 1 ulp, or where there are
// none the ones next to that, for the widest vectors of this CPU. The errors of all
// are measured, beside Tenon's functions of doubles. All on one thread: bench/run sets
// TENON_NUM_THREADS and OMP_NUM_THREADS to 1.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

#include <dlfcn.h>
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#ifdef TENON_BENCH_ONEDNN
#include <dnnl.hpp>
#endif

using namespace tenon;

namespace {

constexpr int64_t count = 1 << 20;
constexpr int most = 3; // operands

struct Operands {
  Array array[most];
  const float *data[most];
};

/// The numbers of an operand lie between these.
struct Range {
  double low = 0, high = 0;
};

struct Row {
  const char *name;
  Array (*ours)(const Array *x);
  std::vector<Range> operands;
  std::pair<const char *, const char *> sleef; ///< its name, and its accuracy
#ifdef TENON_BENCH_ONEDNN
  std::optional<dnnl::algorithm> oneDnn = {};
  float alpha = 0, beta = 0;
#endif
};

#ifdef TENON_BENCH_ONEDNN
#define ONEDNN(...) , dnnl::algorithm::eltwise_##__VA_ARGS__
#else
#define ONEDNN(...)
#endif
#define OURS(expression) [](const Array *x) { return expression; }

const Row rows[] = {
    {"exp", OURS(exp(x[0])), {{-10, 10}}, {"exp", "u10"} ONEDNN(exp)},
    {"exp2", OURS(exp2(x[0])), {{-10, 10}}, {"exp2", "u10"}},
    {"expm1", OURS(expm1(x[0])), {{-10, 10}}, {"expm1", "u10"}},
    {"log", OURS(log(x[0])), {{0, 100}}, {"log", "u10"} ONEDNN(log)},
    {"log2", OURS(log2(x[0])), {{0, 100}}, {"log2", "u10"}},
    {"log10", OURS(log10(x[0])), {{0, 100}}, {"log10", "u10"}},
    {"log1p", OURS(log1p(x[0])), {{-1, 10}}, {"log1p", "u10"}},
    {"sin", OURS(sin(x[0])), {{-10, 10}}, {"sin", "u10"}},
    {"cos", OURS(cos(x[0])), {{-10, 10}}, {"cos", "u10"}},
    {"tan", OURS(tan(x[0])), {{-10, 10}}, {"tan", "u10"}},
    {"asin", OURS(asin(x[0])), {{-1, 1}}, {"asin", "u10"}},
    {"acos", OURS(acos(x[0])), {{-1, 1}}, {"acos", "u10"}},
    {"atan", OURS(atan(x[0])), {{-10, 10}}, {"atan", "u10"}},
    {"atan2", OURS(atan2(x[0], x[1])), {{-10, 10}, {-10, 10}}, {"atan2", "u10"}},
    {"sinh", OURS(sinh(x[0])), {{-10, 10}}, {"sinh", "u10"}},
    {"cosh", OURS(cosh(x[0])), {{-10, 10}}, {"cosh", "u10"}},
    {"tanh", OURS(tanh(x[0])), {{-10, 10}}, {"tanh", "u10"} ONEDNN(tanh)},
    {"asinh", OURS(asinh(x[0])), {{-10, 10}}, {"asinh", "u10"}},
    {"acosh", OURS(acosh(x[0])), {{1, 10}}, {"acosh", "u10"}},
    {"atanh", OURS(atanh(x[0])), {{-1, 1}}, {"atanh", "u10"}},
    {"cbrt", OURS(cbrt(x[0])), {{-100, 100}}, {"cbrt", "u10"}},
    {"sqrt", OURS(sqrt(x[0])), {{0, 100}}, {"sqrt", ""} ONEDNN(sqrt)},
    {"pow", OURS(pow(x[0], x[1])), {{0, 10}, {-5, 5}}, {"pow", "u10"}},
    {"hypot", OURS(hypot(x[0], x[1])), {{-10, 10}, {-10, 10}}, {"hypot", "u05"}},
    {"erf", OURS(erf(x[0])), {{-4, 4}}, {"erf", "u10"}},
    {"erfc", OURS(erfc(x[0])), {{-4, 4}}, {"erfc", "u15"}},
    {"lgamma", OURS(lgamma(x[0])), {{-10, 10}}, {"lgamma", "u10"}},
    {"fmod", OURS(fmod(x[0], x[1])), {{-100, 100}, {1, 10}}, {"fmod", ""}},
    {"fma", OURS(fma(x[0], x[1], x[2])), {{-1, 1}, {-1, 1}, {-1, 1}}, {"fma", ""}},
    {"abs", OURS(abs(x[0])), {{-1, 1}}, {"fabs", ""} ONEDNN(abs)},
    {"floor", OURS(floor(x[0])), {{-10, 10}}, {"floor", ""}},
    {"ceil", OURS(ceil(x[0])), {{-10, 10}}, {"ceil", ""}},
    {"trunc", OURS(trunc(x[0])), {{-10, 10}}, {"trunc", ""}},
    {"round", OURS(round(x[0])), {{-10, 10}}, {"rint", ""} ONEDNN(round)},
    {"copysign", OURS(copysign(x[0], x[1])), {{-1, 1}, {-1, 1}}, {"copysign", ""}},
    {"nextafter", OURS(nextafter(x[0], x[1])), {{-1, 1}, {-1, 1}}, {"nextafter", ""}},
    {"square", OURS(square(x[0])), {{-1, 1}}, {} ONEDNN(square)},
    {"clip", OURS(clip(x[0], -0.5f, 0.5f)), {{-1, 1}}, {} ONEDNN(clip, -0.5f, 0.5f)},
    {"relu", OURS(relu(x[0])), {{-1, 1}}, {} ONEDNN(relu)},
    {"relu6", OURS(relu6(x[0])), {{-10, 10}}, {} ONEDNN(bounded_relu, 6)},
    {"elu", OURS(elu(x[0])), {{-10, 10}}, {} ONEDNN(elu, 1)},
    {"sigmoid", OURS(sigmoid(x[0])), {{-10, 10}}, {} ONEDNN(logistic)},
    {"silu", OURS(silu(x[0])), {{-10, 10}}, {} ONEDNN(swish, 1)},
    {"softplus", OURS(softplus(x[0])), {{-10, 10}}, {} ONEDNN(soft_relu)},
    {"log_sigmoid", OURS(log_sigmoid(x[0])), {{-10, 10}}, {} ONEDNN(logsigmoid)},
    {"mish", OURS(mish(x[0])), {{-10, 10}}, {} ONEDNN(mish)},
    {"gelu", OURS(gelu(x[0])), {{-10, 10}}, {} ONEDNN(gelu_tanh)},
    {"gelu by erfc", OURS(gelu(x[0], false)), {{-10, 10}}, {} ONEDNN(gelu_erf)},
    {"hard_swish", OURS(hard_swish(x[0])), {{-10, 10}}, {} ONEDNN(hardswish)},
};

Operands operandsOf(const Row &row) {
  Operands x;
  for (size_t i = 0; i < row.operands.size(); ++i) {
    const auto [low, high] = row.operands[i];
    x.array[i] = random::uniform(random::key(static_cast<uint64_t>(i)), {count}, f32, low, high);
    x.data[i] = x.array[i].elements<float>().data();
  }
  return x;
}

/// The largest error of y, in units of the last place of what it should be; measured once for each peer.
void setError(benchmark::State &state, const Row &row, const char *whose, const Operands &x, const float *y) {
  static std::map<std::pair<std::string, std::string>, double> known;
  const auto [place, isNew] = known.try_emplace({row.name, whose}, 0);
  if (isNew) {
    Array wide[most];
    for (size_t i = 0; i < row.operands.size(); ++i)
      wide[i] = astype(x.array[i], f64);
    const Array result = row.ours(wide);
    const std::span<const double> exact = result.elements<double>();
    for (int64_t i = 0; i < count; ++i) {
      const auto rounded = static_cast<float>(exact[i]);
      if (!std::isfinite(rounded))
        continue;
      const float size = std::max(std::abs(rounded), 0x1p-126f), next = std::nextafterf(size, INFINITY);
      place->second = std::max(place->second, std::abs(y[i] - exact[i]) / (next - size));
    }
  }
  state.counters["ulp"] = place->second;
}

void tenonRow(benchmark::State &state, const Row &row) {
  const Operands x = operandsOf(row);
  for (auto _ : state) {
    Array y = row.ours(x.array);
    benchmark::DoNotOptimize(y);
  }
  const Array y = row.ours(x.array);
  setError(state, row, "Tenon", x, y.elements<float>().data());
}

/// A function of SLEEF's: its header shows only those of the instruction set that all of this file would be compiled
/// for.
void *sleefSymbol(const Row &row, const char *width, const char *isa) {
  static void *const library = dlopen("libsleef.so.3", RTLD_NOW);
  const auto [name, accuracy] = row.sleef;
  return library ? dlsym(library, (std::string("Sleef_") + name + width + "_" + accuracy + isa).c_str()) : nullptr;
}

template <int>
using Sixteen = __m512;
template <int>
using Eight = __m256;

template <int... I>
[[gnu::target("avx512f")]] void ofSixteen(void *function, const Operands &x, float *to) {
  const auto f = reinterpret_cast<__m512 (*)(Sixteen<I>...)>(function);
  for (int64_t i = 0; i < count; i += 16)
    _mm512_storeu_ps(to + i, f(_mm512_loadu_ps(x.data[I] + i)...));
}
template <int... I>
[[gnu::target("avx2,fma")]] void ofEight(void *function, const Operands &x, float *to) {
  const auto f = reinterpret_cast<__m256 (*)(Eight<I>...)>(function);
  for (int64_t i = 0; i < count; i += 8)
    _mm256_storeu_ps(to + i, f(_mm256_loadu_ps(x.data[I] + i)...));
}

void sleefRow(benchmark::State &state, const Row &row) {
  const Operands x = operandsOf(row);
  std::vector<float> y(count);
  const bool isWide = __builtin_cpu_supports("avx512f");
  void *const function = isWide ? sleefSymbol(row, "f16", "avx512f") : sleefSymbol(row, "f8", "avx2");
  using Loop = void (*)(void *, const Operands &, float *);
  const std::array<Loop, most> wide{ofSixteen<0>, ofSixteen<0, 1>, ofSixteen<0, 1, 2>},
      narrow{ofEight<0>, ofEight<0, 1>, ofEight<0, 1, 2>};
  const Loop loop = (isWide ? wide : narrow)[row.operands.size() - 1];
  if (!function)
    return state.SkipWithError("SLEEF is not there");
  for (auto _ : state) {
    loop(function, x, y.data());
    benchmark::ClobberMemory();
  }
  setError(state, row, "SLEEF", x, y.data());
}

#ifdef TENON_BENCH_ONEDNN
void oneDnnRow(benchmark::State &state, const Row &row) {
  const Operands x = operandsOf(row);
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const dnnl::memory::desc desc({count}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
  dnnl::memory in(desc, engine, const_cast<float *>(x.data[0])), out(desc, engine);
  const dnnl::eltwise_forward primitive(dnnl::eltwise_forward::primitive_desc(
      {dnnl::prop_kind::forward_inference, *row.oneDnn, desc, row.alpha, row.beta}, engine));
  for (auto _ : state) {
    primitive.execute(stream, {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
    stream.wait();
  }
  setError(state, row, "oneDNN", x, static_cast<const float *>(out.get_data_handle()));
}
#endif

} // namespace

int main(int argc, char **argv) {
  auto add = [](const Row &row, const char *whose, void (*measure)(benchmark::State &, const Row &)) {
    benchmark::RegisterBenchmark((std::string(row.name) + "/" + whose).c_str(),
                                 [&row, measure](benchmark::State &state) { measure(state, row); });
  };
  for (const Row &row : rows) {
    add(row, "Tenon", tenonRow);
    if (row.sleef.first)
      add(row, "SLEEF", sleefRow);
#ifdef TENON_BENCH_ONEDNN
    if (row.oneDnn)
      add(row, "oneDNN", oneDnnRow);
#endif
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

//===- products.cpp - matrix products, beside OpenBLAS and oneDNN --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are `f32 128x64x32/Tenon`: m x k x n, `T` behind a size: that operand is transposed. OpenBLAS is its serial
// build, so with several threads it is left out.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

#ifdef TENON_BENCH_OPENBLAS
#include <openblas-serial/cblas.h>
#endif
#ifdef TENON_BENCH_ONEDNN
#include <dnnl.hpp>
#endif

#include <cstdlib>
#include <random>

using namespace tenon;

namespace {

struct Product {
  int64_t m, k, n;
  bool isLeftTransposed = false, isRightTransposed = false;
  int64_t count = 1;
  std::string name() const {
    return (count > 1 ? std::to_string(count) + " of " : "") + std::to_string(m) + "x" + std::to_string(k) +
           (isLeftTransposed ? "T" : "") + "x" + std::to_string(n) + (isRightTransposed ? "T" : "");
  }
};

Array operand(int64_t count, int64_t height, int64_t width, bool isTransposed, Dtype dtype) {
  Shape shape = isTransposed ? Shape{width, height} : Shape{height, width};
  if (count > 1)
    shape.insert(0, count);
  const Array x = random::uniform(random::key(1), shape, f32, -9, 9).astype(dtype);
  return isTransposed ? matrix_transpose(x) : x;
}

void tenonProduct(benchmark::State &state, const Product &p, Dtype dtype) {
  const Array a = operand(p.count, p.m, p.k, p.isLeftTransposed, dtype),
              b = operand(p.count, p.k, p.n, p.isRightTransposed, dtype);
  for (auto _ : state)
    benchmark::DoNotOptimize(matmul(a, b));
}

template <class T>
struct Operands {
  std::vector<T> a, b, c;
  explicit Operands(const Product &p)
      : a(static_cast<size_t>(p.count * p.m * p.k), T(0.5)), b(static_cast<size_t>(p.count * p.k * p.n), T(0.5)),
        c(static_cast<size_t>(p.count * p.m * p.n)) {}
};

#ifdef TENON_BENCH_OPENBLAS
template <class T>
void openBlasProduct(benchmark::State &state, const Product &p) {
  Operands<T> x(p);
  const CBLAS_TRANSPOSE left = p.isLeftTransposed ? CblasTrans : CblasNoTrans,
                        right = p.isRightTransposed ? CblasTrans : CblasNoTrans;
  const int m = static_cast<int>(p.m), k = static_cast<int>(p.k), n = static_cast<int>(p.n),
            lda = p.isLeftTransposed ? m : k, ldb = p.isRightTransposed ? k : n;
  for (auto _ : state) {
    for (int64_t i = 0; i < p.count; ++i) {
      const T *a = x.a.data() + i * m * k, *b = x.b.data() + i * k * n;
      T *c = x.c.data() + i * m * n;
      if constexpr (std::is_same_v<T, float>)
        cblas_sgemm(CblasRowMajor, left, right, m, n, k, 1, a, lda, b, ldb, 0, c, n);
      else
        cblas_dgemm(CblasRowMajor, left, right, m, n, k, 1, a, lda, b, ldb, 0, c, n);
    }
    benchmark::ClobberMemory();
  }
}
#endif

#ifdef TENON_BENCH_ONEDNN
void oneDnnProduct(benchmark::State &state, const Product &p) {
  Operands<float> x(p);
  for (auto _ : state) {
    for (int64_t i = 0; i < p.count; ++i)
      dnnl_sgemm(p.isLeftTransposed ? 'T' : 'N', p.isRightTransposed ? 'T' : 'N', p.m, p.n, p.k, 1,
                 x.a.data() + i * p.m * p.k, p.isLeftTransposed ? p.m : p.k, x.b.data() + i * p.k * p.n,
                 p.isRightTransposed ? p.k : p.n, 0, x.c.data() + i * p.m * p.n, p.n);
    benchmark::ClobberMemory();
  }
}
#endif

void add(const Product &p, Dtype dtype, bool isAlone) {
  const std::string name = std::string(short_name(dtype)) + " " + p.name() + "/";
  benchmark::RegisterBenchmark((name + "Tenon").c_str(), tenonProduct, p, dtype)->UseRealTime();
#ifdef TENON_BENCH_OPENBLAS
  if (isAlone && dtype == f32)
    benchmark::RegisterBenchmark((name + "OpenBLAS").c_str(), openBlasProduct<float>, p)->UseRealTime();
  if (isAlone && dtype == f64)
    benchmark::RegisterBenchmark((name + "OpenBLAS").c_str(), openBlasProduct<double>, p)->UseRealTime();
#endif
#ifdef TENON_BENCH_ONEDNN
  if (dtype == f32)
    benchmark::RegisterBenchmark((name + "oneDNN").c_str(), oneDnnProduct, p)->UseRealTime();
#endif
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  const char *threads = std::getenv("TENON_NUM_THREADS");
  const bool isAlone = threads && std::string_view(threads) == "1";
  std::vector<Product> products;
  for (const int64_t size : {64, 128, 256, 512, 1024, 2048, 100, 1000, 1536})
    products.push_back({size, size, size});
  std::mt19937 random(1); // any shapes, from 128 to 2,048
  for (int i = 0; i < 60; ++i) {
    const auto size = [&] { return static_cast<int64_t>(128 * std::exp2(random() % 1000 * 4e-3)); };
    const int64_t m = size(), k = size(), n = size();
    products.push_back({m, k, n});
  }
  for (const int64_t rows : {20, 64})
    for (const int64_t size : {64, 256, 1024})
      products.push_back({rows, size, size});
  for (const int64_t size : {4, 16, 32, 64})
    products.push_back({size, size, size, false, false, 1000});
  for (const int64_t size : {256, 1024, 4096}) {
    products.push_back({1, size, size});
    products.push_back({1, size, size, false, true});
    products.push_back({size, size, 1});
  }
  for (const Product &p : {Product{20, 64, 64, false, true},
                           {20, 64, 64, true, false},
                           {64, 128, 10, true, false},
                           {64, 784, 128},
                           {784, 64, 128, true, false},
                           {2, 2, 2},
                           {512, 512, 512, true, true}})
    products.push_back(p);
  for (const Product &p : products)
    add(p, f32, isAlone);
  for (const int64_t size : {64, 128, 256, 512, 1024})
    add({size, size, size}, f64, isAlone);
  for (const Dtype dtype : {bf16, c64, i32})
    add({256, 256, 256}, dtype, isAlone);
  benchmark::RunSpecifiedBenchmarks();
}

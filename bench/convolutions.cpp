//===- convolutions.cpp - convolutions and pooling, beside oneDNN ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are `32x28x28x16 3x3 to 32, forward/Tenon`; `x` and `kernel` are the derivatives. oneDNN gets its kernels in the
// order that it likes, for which it is not timed.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

#ifdef TENON_BENCH_ONEDNN
#include <dnnl.hpp>
#endif

using namespace tenon;

namespace {

struct Image {
  int64_t batch, size, in, window, out;
  int stride = 1, groups = 1;
  bool isSame = true;

  int64_t padding() const { return isSame ? window / 2 : 0; }
  int64_t windows() const { return (size + 2 * padding() - window) / stride + 1; }
  Shape x() const { return {batch, size, size, in}; }
  Shape kernel() const { return {window, window, in / groups, out}; }
  Shape y() const { return {batch, windows(), windows(), out}; }
  ConvOptions options() const { return {.strides = stride, .padding = padding(), .groups = groups}; }
  std::string name() const {
    const auto number = [](int64_t value) { return std::to_string(value); };
    return number(batch) + "x" + number(size) + "x" + number(size) + "x" + number(in) + " " + number(window) + "x" +
           number(window) + " to " + number(out) + (stride > 1 ? " by " + number(stride) : "") +
           (groups > 1 ? " depthwise" : "") + (isSame ? "" : " valid");
  }
};

enum class What { forward, x, kernel };
constexpr std::string_view names[] = {"forward", "x", "kernel"};

void tenonConvolution(benchmark::State &state, const Image &image, What what) {
  const Array x = random::uniform(random::key(1), image.x(), f32, -1, 1),
              kernel = random::uniform(random::key(2), image.kernel(), f32, -1, 1),
              ct = random::uniform(random::key(3), image.y(), f32, -1, 1);
  const ConvOptions options = image.options();
  if (what == What::forward) {
    for (auto _ : state)
      benchmark::DoNotOptimize(conv2d(x, kernel, options));
    return;
  }
  const auto pull = what == What::x
                        ? vjp([&](const Array &x) { return conv2d(x, kernel, options); }, x).second
                        : vjp([&](const Array &kernel) { return conv2d(x, kernel, options); }, kernel).second;
  for (auto _ : state)
    benchmark::DoNotOptimize(pull(ct));
}

#ifdef TENON_BENCH_ONEDNN
void oneDnnConvolution(benchmark::State &state, const Image &image, What what) {
  using namespace dnnl;
  const auto wanted = [](const Shape &shape) {
    memory::dims dims;
    for (int i = 0; i < shape.rank(); ++i)
      dims.push_back(shape[i].raw());
    return dims;
  };
  engine cpu(engine::kind::cpu, 0);
  stream queue(cpu);
  const auto f = memory::data_type::f32;
  const memory::dims x = wanted({image.batch, image.in, image.size, image.size}),
                     y = wanted({image.batch, image.out, image.windows(), image.windows()}),
                     kernel = image.groups == 1 ? wanted({image.out, image.in, image.window, image.window})
                                                : wanted({image.groups, image.out / image.groups,
                                                          image.in / image.groups, image.window, image.window}),
                     strides = {image.stride, image.stride}, padding = {image.padding(), image.padding()};
  const memory::desc xs(x, f, memory::format_tag::nhwc), ys(y, f, memory::format_tag::nhwc),
      kernels(kernel, f, memory::format_tag::any);
  const convolution_forward::primitive_desc forward(convolution_forward::desc(prop_kind::forward_training,
                                                                              algorithm::convolution_direct, xs,
                                                                              kernels, ys, strides, padding, padding),
                                                    cpu);
  memory xm(xs, cpu), ym(ys, cpu);
  const auto run = [&](const primitive &primitive, const memory::desc &weights,
                       std::unordered_map<int, memory> arguments) {
    memory kernelMemory(weights, cpu);
    arguments.insert({what == What::kernel ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, kernelMemory});
    for (auto _ : state) {
      primitive.execute(queue, arguments);
      queue.wait();
    }
  };
  if (what == What::forward)
    return run(convolution_forward(forward), forward.weights_desc(), {{DNNL_ARG_SRC, xm}, {DNNL_ARG_DST, ym}});
  if (what == What::x) {
    const convolution_backward_data::primitive_desc backward(
        convolution_backward_data::desc(algorithm::convolution_direct, xs, kernels, ys, strides, padding, padding), cpu,
        forward);
    return run(convolution_backward_data(backward), backward.weights_desc(),
               {{DNNL_ARG_DIFF_SRC, xm}, {DNNL_ARG_DIFF_DST, ym}});
  }
  const convolution_backward_weights::primitive_desc backward(
      convolution_backward_weights::desc(algorithm::convolution_direct, xs, kernels, ys, strides, padding, padding),
      cpu, forward);
  run(convolution_backward_weights(backward), backward.diff_weights_desc(),
      {{DNNL_ARG_SRC, xm}, {DNNL_ARG_DIFF_DST, ym}});
}
#endif

/// Pooling beside a pass over the same memory.
void pool(benchmark::State &state, bool isMax) {
  const Array x = random::uniform(random::key(1), {32, 56, 56, 64}, f32, -1, 1);
  for (auto _ : state)
    benchmark::DoNotOptimize(isMax ? max_pool2d(x, 2) : avg_pool2d(x, 2));
}
void readAndWrite(benchmark::State &state) {
  const Array x = random::uniform(random::key(1), {32, 28, 28, 4 * 64}, f32, -1, 1);
  for (auto _ : state)
    benchmark::DoNotOptimize(sum(x, -1));
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  const Image images[] = {{32, 28, 16, 3, 32, 1, 1, false},
                          {32, 28, 1, 3, 16},
                          {32, 28, 64, 3, 64},
                          {32, 28, 64, 3, 64, 2},
                          {8, 14, 256, 3, 256},
                          {8, 7, 512, 3, 512},
                          {8, 56, 64, 1, 256},
                          {1, 224, 3, 7, 64, 2},
                          {32, 28, 64, 3, 64, 1, 64},
                          {32, 28, 1, 5, 6},
                          {32, 12, 6, 5, 16, 1, 1, false}};
  for (const Image &image : images)
    for (const What what : {What::forward, What::x, What::kernel}) {
      const std::string name = image.name() + ", " + std::string(names[static_cast<size_t>(what)]) + "/";
      benchmark::RegisterBenchmark((name + "Tenon").c_str(), tenonConvolution, image, what)->UseRealTime();
#ifdef TENON_BENCH_ONEDNN
      benchmark::RegisterBenchmark((name + "oneDNN").c_str(), oneDnnConvolution, image, what)->UseRealTime();
#endif
    }
  for (const bool isMax : {true, false}) {
    const std::string name = isMax ? "max_pool2d 32x56x56x64/" : "avg_pool2d 32x56x56x64/";
    benchmark::RegisterBenchmark((name + "Tenon").c_str(), pool, isMax)->UseRealTime();
    benchmark::RegisterBenchmark((name + "memory").c_str(), readAndWrite)->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
}

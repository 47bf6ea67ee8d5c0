//===- tensorboard_files.cpp - writes what tensorboard_test.py reads ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tensorboard_files FOLDER
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <cmath>

namespace tn = tenon;
namespace summary = tn::summary;

int main(int, char **argv) {
  const std::string folder = argv[1];
  {
    const summary::FileWriter writer(folder + "/values");
    auto scope = writer.as_default();
    for (int64_t step = -1; step < 1000; ++step)
      summary::scalar("group/scalar", std::sqrt(static_cast<double>(step + 1)), step * 1000000007,
                      {.description = "the *root*"});
    for (const double value : {double(NAN), HUGE_VAL, -HUGE_VAL, 1e-45, 16777217.0})
      summary::scalar("odd \xc3\xa9", value, 0);
    const tn::Array x = tn::arange(0, 1000, 1) * 0.25f;
    for (const tn::Dtype dtype : {tn::f32, tn::f64, tn::f16, tn::bf16, tn::i32})
      summary::histogram("histogram/" + std::string(tn::short_name(dtype)), x.astype(dtype), 3);
    summary::histogram("histogram/equal", tn::Array{2.0f, 2.0f, 2.0f}, 3, {.buckets = 5});
    const tn::Array pixels = tn::arange(0, 2 * 5 * 7 * 4, 1).reshape({2, 5, 7, 4}).astype(tn::u8);
    for (int64_t channels = 1; channels <= 4; ++channels)
      summary::image("image/" + std::to_string(channels), pixels[{tn::ellipsis, tn::slice(0, channels)}], 4);
    summary::image("image/float", tn::arange(0, 35, 1).reshape({5, 7}) / 34.0f, 4);
    summary::text("text", "# T\xc3\xaftle\n\n| a | b |\n|---|---|\n| 1 | 2 |", 5);
  }
  {
    const summary::FileWriter writer(folder + "/jit");
    auto scope = writer.as_default();
    const tn::Variable step(tn::Array(int64_t(0), tn::i64));
    auto f = tn::jit([&](const tn::Array &x) {
      step.assign(step.value() + 1);
      const tn::Array loss = tn::sum(tn::square(x));
      summary::scalar("loss", loss, step);
      summary::record_every(100, step, [&] {
        summary::histogram("x", x, step);
        summary::text("text", "every 100", step);
      });
      return loss;
    });
    for (int i = 1; i <= 350; ++i)
      f(tn::Array{1.0f, static_cast<float>(i)});
  }
  {
    const summary::FileWriter writer(folder + "/graph");
    auto scope = writer.as_default();
    auto layer =
        tn::jit([](const tn::Array &x, const tn::Array &w) { return tn::softmax(tn::relu(tn::matmul(x, w))); });
    summary::graph(layer.concrete(tn::TensorSpec{tn::f32, {"n", 4}}, tn::TensorSpec{tn::f32, {4, 3}}));
  }
  {
    const summary::FileWriter writer(folder + "/cut");
    auto scope = writer.as_default();
    for (int64_t step = 0; step < 3; ++step)
      summary::scalar("a", step, step);
  }
  tn::data::TFRecordWriter records(folder + "/records");
  for (int i = 0; i < 5; ++i)
    records.write(std::string(static_cast<size_t>(i * 1000), static_cast<char>('a' + i)));
  records.close();
}

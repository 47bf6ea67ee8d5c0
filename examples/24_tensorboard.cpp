//===- 24_tensorboard.cpp - lesson 24: summaries for TensorBoard, and pictures --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 24_tensorboard.expected.
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <filesystem>
#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace plot = tn::plot;
namespace summary = tn::summary;
namespace train = tn::train;

/// How many records there are in the files of a folder: the first of a file is its version.
static int64_t events_in(const std::string &folder) {
  int64_t count = 0;
  for (const auto &file : std::filesystem::directory_iterator(folder)) {
    for ([[maybe_unused]] const std::string &record : tn::data::tfrecord(file.path().string()))
      ++count;
    --count;
  }
  return count;
}

int main() {
  std::filesystem::remove_all("lesson24");

  // A writer makes a file in its folder, which `tensorboard --logdir lesson24` shows while it grows. While the scope
  // lives, summaries go there.
  {
    const summary::FileWriter writer("lesson24/values");
    auto scope = writer.as_default();
    for (int64_t step = 0; step < 10; ++step)
      summary::scalar("square", step * step, step);
    summary::histogram("normal", tn::random::normal(tn::random::key(1), {1000}), 0);
    summary::image("ramp", tn::arange(0, 64, 1).reshape({8, 8}) / 63.0f, 0);
    summary::text("note", "A *text* in Markdown.", 0);
  } // the file is closed with its writer
  std::cout << "values: " << events_in("lesson24/values") << "\n";

  // In a jitted function a summary is written whenever the program runs. The step is an array or a Variable: a C++
  // number would be read once, while tracing. record_every writes at each 100th step.
  const tn::Variable weight(tn::Array{1.0f, -2.0f}), step(tn::Array(int64_t(0), tn::i64));
  auto train_step = tn::jit([&] {
    step += 1;
    tn::GradientTape tape;
    const tn::Array loss = tn::sum(tn::square(weight - 3.0f));
    weight -= 0.01f * tape.gradient(loss, weight);
    summary::record_every(100, step, [&] {
      summary::scalar("loss", loss, step);
      summary::histogram("weight", weight, step);
    });
    return loss;
  });
  std::vector<double> losses;
  {
    const summary::FileWriter writer("lesson24/jit");
    auto scope = writer.as_default();
    for (int i = 0; i < 500; ++i)
      losses.push_back(static_cast<double>(train_step()));
    // The ops of the function, for the page "Graphs".
    summary::graph(train_step.concrete());
  }
  std::cout << "jit: " << events_in("lesson24/jit") << ", traces: " << train_step.trace_count() << "\n";

  // The same ops from C++.
  auto layer = tn::jit([](const tn::Array &x, const tn::Array &w) { return tn::relu(tn::matmul(x, w)); });
  const auto concrete = layer.concrete(tn::TensorSpec{tn::f32, {"n", 4}}, tn::TensorSpec{tn::f32, {4, 3}});
  for (const tn::TracedOp &op : concrete.ops())
    std::cout << op.name << " " << op.results[0].shape << "\n";

  // Pictures without TensorBoard: SVG files.
  plot::Figure figure({.title = "Loss", .x_label = "step", .y_scale = plot::Scale::log});
  figure.line(losses, {.label = "sum of squares"});
  figure.save("lesson24/loss.svg");

  // fit has a callback for TensorBoard, and its History draws itself.
  auto [training, test] = tn::datasets::digits();
  tn::set_seed(1);
  const nn::Sequential model{nn::Flatten{}, nn::Dense{16, {.activation = tn::relu}}, nn::Dense{10}};
  const train::History history = train::fit(model, training.images, training.labels,
                                            {.optimizer = tn::optim::Adam{0.01},
                                             .loss = tn::losses::SparseCategoricalCrossentropy{.from_logits = true},
                                             .metrics = {"accuracy"},
                                             .epochs = 2,
                                             .verbose = 0,
                                             .callbacks = {train::TensorBoard{"lesson24/fit", {.histogram_freq = 1}}},
                                             .validation_data = {test.images, test.labels}});
  history.save_svg("lesson24/history.svg");
  std::cout << "train: " << events_in("lesson24/fit/train") << ", validation: " << events_in("lesson24/fit/validation")
            << "\n";

  plot::Figure confusion({.title = "Digits", .x_label = "predicted", .y_label = "true"});
  const tn::Array predicted = tn::argmax(model(test.images), 1);
  tn::Array counts = tn::zeros({10, 10});
  counts = counts.at[{test.labels, predicted}].add(1.0f);
  confusion.confusion_matrix(counts).save("lesson24/confusion.svg");
  for (const char *name : {"loss", "history", "confusion"})
    std::cout << name << ".svg: " << std::boolalpha << std::filesystem::exists("lesson24/" + std::string(name) + ".svg")
              << "\n";
}

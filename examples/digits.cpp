//===- digits.cpp - lesson 4: train two classifiers, eagerly and compiled ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handwritten digits, read from MNIST's files. Two models learn them by
// gradient descent; each is trained twice with the same step function, once as
// plain C++ calls and once through jit. Both runs must end with the same bits.
//
//   ./dev demo                    the digits in examples/data
//   ./dev demo --data ~/mnist     any folder in that format, real MNIST included
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <unistd.h>

namespace tn = tenon;

//===----------------------------------------------------------------------===//
// The models: plain structs. Any struct of arrays is a tree, so value_and_grad,
// tree_map and jit take it as it is.
//===----------------------------------------------------------------------===//

struct Dense {
  tn::Array kernel, bias;
  tn::Array operator()(const tn::Array &x) const { return tn::matmul(x, kernel) + bias; }
};

struct SoftmaxRegression {
  Dense out;
  tn::Array operator()(const tn::Array &x) const { return out(x); }
};

struct OneHiddenLayer {
  Dense hidden, out;
  tn::Array operator()(const tn::Array &x) const { return out(tn::relu(hidden(x))); }
};

static Dense makeDense(const tn::Key &key, int64_t from, int64_t to) {
  return {tn::random::normal(key, {from, to}) * std::sqrt(2.0f / static_cast<float>(from)), tn::zeros({to})};
}

//===----------------------------------------------------------------------===//
// The loss and one step of learning. `step` is what is run eagerly and compiled.
//===----------------------------------------------------------------------===//

static constexpr int classes = 10;
static constexpr float learningRate = 0.5f;
static constexpr int64_t batchSize = 64;

template <class Model>
tn::Array crossEntropy(const Model &model, const tn::Array &images, const tn::Array &labels) {
  tn::Array logProbabilities = tn::log_softmax(model(images));
  return -tn::mean(tn::sum(logProbabilities * tn::one_hot(labels, classes), 1));
}

template <class Model>
tn::Array step(Model &model, const tn::Array &images, const tn::Array &labels) {
  auto [loss, gradient] = tn::value_and_grad(crossEntropy<Model>)(model, images, labels);
  model = tn::tree_map([](const tn::Array &p, const tn::Array &g) { return p - learningRate * g; }, model, gradient);
  return loss;
}

//===----------------------------------------------------------------------===//
// The data: images f32[count, pixels] in [0, 1], labels i32[count].
//===----------------------------------------------------------------------===//

struct Examples {
  tn::Array images, labels;
  int64_t count() const { return labels.dim(0).value(); }
  int64_t pixels() const { return images.dim(1).value(); }
};

static std::string findFile(const std::string &folder, const std::string &name) {
  std::string path = (std::filesystem::path(folder) / name).string();
  return std::filesystem::exists(path) || !std::filesystem::exists(path + ".gz") ? path : path + ".gz";
}

static Examples load(const std::string &folder, const std::string &part) {
  tn::Array images = tn::load_idx(findFile(folder, part + "-images-idx3-ubyte"));
  tn::Array labels = tn::load_idx(findFile(folder, part + "-labels-idx1-ubyte"));
  tn::Array rows = tn::reshape(images, {images.dim(0), images.dim(1) * images.dim(2)});
  return {tn::astype(rows, tn::f32) / 255.0f, tn::astype(labels, tn::i32)};
}

/// The examples in an order that depends on the key alone: sorted by random numbers.
static Examples shuffled(const Examples &from, const tn::Key &key) {
  std::vector<uint32_t> numbers = tn::random::bits(key.data, {from.count()}).to_vector<uint32_t>();
  std::vector<size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return numbers[a] < numbers[b]; });

  std::span<const float> pixels = from.images.elements<float>();
  std::span<const int32_t> classOf = from.labels.elements<int32_t>();
  const size_t width = static_cast<size_t>(from.pixels());
  std::vector<float> images;
  std::vector<int32_t> labels;
  for (size_t i : order) {
    images.insert(images.end(), pixels.begin() + i * width, pixels.begin() + (i + 1) * width);
    labels.push_back(classOf[i]);
  }
  return {tn::Array(std::span<const float>(images), {from.count(), from.pixels()}), tn::Array(labels)};
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

/// One line, rewritten on a terminal; every tenth epoch a line elsewhere.
static void showProgress(const char *mode, int epoch, int epochs, float loss) {
  const bool rewrites = isatty(STDOUT_FILENO);
  const bool last = epoch == epochs;
  if (!rewrites && !last && epoch % 10 != 0)
    return;
  const int width = 30, done = width * epoch / epochs;
  std::printf("%s  %-8s [%-*.*s] epoch %2d of %d, loss %.4f%s", rewrites ? "\r" : "", mode, width, done,
              "##############################", epoch, epochs, static_cast<double>(loss),
              last || !rewrites ? "\n" : "");
  std::fflush(stdout);
}

struct Run {
  int correct = 0;         ///< of the test images
  double microseconds = 0; ///< per step, without the first one
  double firstStep = 0;    ///< seconds: tracing and compiling, for the jitted function
};

/// Trains `model` with any callable that is called as `step` is.
template <class Model, class Step>
static Run train(const char *mode, Model &model, const Step &step, const Examples &training, const Examples &test,
                 int epochs) {
  using Clock = std::chrono::steady_clock;
  std::chrono::duration<double> busy{0}, first{0};
  int64_t steps = 0;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const Examples now = shuffled(training, tn::random::key(static_cast<uint64_t>(epoch)));
    float total = 0;
    for (int64_t low = 0; low < now.count(); low += batchSize) {
      // The last batch is shorter: 3,823 = 59 * 64 + 47.
      const int64_t high = std::min(low + batchSize, now.count());
      tn::Array images = tn::slice(now.images, {low, 0}, {high, now.pixels()});
      tn::Array labels = tn::slice(now.labels, {low}, {high});
      const auto start = Clock::now();
      tn::Array loss = step(model, images, labels);
      const std::chrono::duration<double> taken = Clock::now() - start;
      if (epoch == 1 && low == 0) {
        first = taken;
      } else {
        busy += taken;
        ++steps;
      }
      total += loss.item<float>() * static_cast<float>(high - low);
    }
    showProgress(mode, epoch, epochs, total / static_cast<float>(now.count()));
  }
  tn::Array guesses = tn::argmax(model(test.images), 1);
  return {tn::sum(guesses == test.labels).item<int32_t>(), busy.count() / static_cast<double>(steps) * 1e6,
          first.count()};
}

template <class Model>
static bool sameBits(const Model &a, const Model &b) {
  std::vector<tn::Array> as = tn::tree_leaves(a), bs = tn::tree_leaves(b);
  for (size_t i = 0; i < as.size(); ++i) {
    std::span<const float> x = as[i].elements<float>(), y = bs[i].elements<float>();
    if (x.size() != y.size() || std::memcmp(x.data(), y.data(), x.size_bytes()) != 0)
      return false;
  }
  return true;
}

/// Trains one model both ways. True if they agree and reach `wanted` (a share of
/// the test images).
template <class Model>
static bool lesson(const char *title, const Model &start, const Examples &training, const Examples &test, int epochs,
                   double wanted) {
  std::printf("%s\n", title);
  Model eagerModel = start, jitModel = start;
  Run eager = train("eager", eagerModel, step<Model>, training, test, epochs);

  // One program for every batch size from 2 up: the batch is a symbol.
  auto compiled = tn::jit(step<Model>, {.specs = {tn::as_called, tn::TensorSpec{tn::f32, {"batch", training.pixels()}},
                                                  tn::TensorSpec{tn::i32, {"batch"}}}});
  const uint64_t interpretedBefore = tn::statistics().interpreted_programs;
  Run jit = train("compiled", jitModel, compiled, training, test, epochs);
  const bool wasCompiled = tn::statistics().interpreted_programs == interpretedBefore;

  const int64_t count = test.count();
  const double accuracy = static_cast<double>(eager.correct) / static_cast<double>(count);
  const bool sameAccuracy = eager.correct == jit.correct, same = sameBits(eagerModel, jitModel);
  std::printf("  accuracy eager    %5.2f %% (%d of %ld)\n", 100 * accuracy, eager.correct, count);
  std::printf("  accuracy compiled %5.2f %% (%d of %ld), %s\n",
              100 * static_cast<double>(jit.correct) / static_cast<double>(count), jit.correct, count,
              sameAccuracy ? "exactly the same" : "NOT the same");
  std::printf("  parameters: %s\n", same ? "equal, bit for bit" : "NOT equal");
  std::printf("  one step: %.0f us eager, %.0f us compiled, %.1f times faster\n", eager.microseconds, jit.microseconds,
              eager.microseconds / jit.microseconds);
  std::printf("  compiled %lu program%s for all batches; the first step took %.0f ms\n", compiled.stats().compiles,
              compiled.stats().compiles == 1 ? "" : "s", jit.firstStep * 1e3);
  if (!wasCompiled)
    std::printf("  there is no compiler, or it failed: the program was interpreted\n");
  if (accuracy < wanted)
    std::printf("  expected an accuracy of at least %.1f %%\n", 100 * wanted);
  std::printf("\n");
  return sameAccuracy && same && accuracy >= wanted;
}

int main(int argc, char **argv) {
  std::string folder = (std::filesystem::path(__FILE__).parent_path() / "data/digits").string();
  int epochs = 30;
  CLI::App app{"Trains two classifiers of handwritten digits, eagerly and compiled, and compares them."};
  app.add_option("--data", folder, "A folder of MNIST's four IDX files, plain or .gz")->check(CLI::ExistingDirectory);
  app.add_option("--epochs", epochs, "Passes over the training images")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  try {
    const Examples training = load(folder, "train"), test = load(folder, "t10k");
    std::printf("%ld training and %ld test images of %ld pixels\n\n", training.count(), test.count(),
                training.pixels());
    // What must be reached is known for the bundled digits only.
    const bool known = training.images.shape() == tn::Shape{3823, 64} && epochs == 30;
    std::vector<tn::Key> keys = tn::random::split(tn::random::key(0));
    const int64_t pixels = training.pixels(), width = 64;

    SoftmaxRegression softmax{{tn::zeros({pixels, classes}), tn::zeros({classes})}};
    OneHiddenLayer hidden{makeDense(keys[0], pixels, width), makeDense(keys[1], width, classes)};
    bool good = lesson("Softmax regression", softmax, training, test, epochs, known ? 0.93 : 0);
    good &= lesson("One hidden layer of 64", hidden, training, test, epochs, known ? 0.95 : 0);
    return good ? 0 : 1;
  } catch (const tn::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

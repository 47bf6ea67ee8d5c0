//===- 15_images.cpp - lesson 15: convolutions and images -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 15_images.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <filesystem>
#include <iostream>

namespace tn = tenon;

// Images are arrays [batch, height, width, channels]. Shows the first channel of the first one,
// dark to bright.
static void show(const char *title, const tn::Array &images) {
  tn::Array image = images[{0, tn::ellipsis, 0}];
  tn::Array levels = tn::astype(tn::clip(tn::round(image * 4), 0, 4), tn::i32);
  std::cout << title << " " << images.shape() << "\n";
  const int height = image.dim(0), width = image.dim(1);
  const std::vector<int> shade = levels.to_vector<int>();
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column)
      std::cout << " .+*#"[shade[row * width + column]];
    std::cout << "|\n";
  }
}

struct Digits {
  tn::Array images, labels;
};
static Digits load(const std::string &part) {
  const std::string folder = (std::filesystem::path(__FILE__).parent_path() / "data/digits").string();
  tn::Array images = tn::load_idx(folder + "/" + part + "-images-idx3-ubyte");
  tn::Array labels = tn::load_idx(folder + "/" + part + "-labels-idx1-ubyte");
  return {tn::expand_dims(tn::astype(images, tn::f32) / 255, -1), tn::astype(labels, tn::i32)};
}

// A network of one convolution. A model is a plain struct (lesson 2).
struct Network {
  tn::Array kernel, bias, weight, offset;
  tn::Array operator()(const tn::Array &images) const {
    tn::Array features = tn::relu(tn::conv2d(images, kernel, {.padding = tn::same}) + bias);
    tn::Array pooled = tn::max_pool2d(features, 2); // [batch, 4, 4, 8]
    return tn::matmul(tn::reshape(pooled, {images.dim(0), -1}), weight) + offset;
  }
};

int main() {
  const Digits training = load("train"), test = load("t10k");
  tn::Array digit = training.images[{tn::slice(3, 4)}];
  show("the digit", digit);
  std::cout << "its label: " << training.labels[3].item<int>() << "\n";

  // A kernel is [height, width, channels in, channels out]; it is not flipped. This one has two output
  // channels, differences along rows and along columns (Sobel). Their norm is the gradient magnitude, large at edges.
  tn::Array sobel = {{-1.0f, 0.0f, 1.0f}, {-2.0f, 0.0f, 2.0f}, {-1.0f, 0.0f, 1.0f}};
  tn::Array kernel = tn::expand_dims(tn::stack({sobel, tn::transpose(sobel)}, -1), 2);
  auto slopes = [&](const tn::Array &images) { return tn::conv2d(images, kernel, {.padding = tn::same}); };
  tn::Array edges = tn::norm(slopes(digit), {-1}, true);
  std::cout << "kernel " << kernel.shape() << ", result " << slopes(digit).shape() << "\n";
  show("edges", edges / tn::max(edges));

  // Pooling moves a window over the image; by default in steps of its size.
  show("largest of 2 x 2", tn::max_pool2d(digit, 2));
  show("mean of 2 x 2", tn::avg_pool2d(digit, 2));
  // Resizing interpolates. Shrinking wants `antialias`, so that each pixel counts.
  show("enlarged", tn::image_resize(digit, {12, 16}, {.method = tn::ResizeMethod::cubic}));
  show("shrunk", tn::image_resize(digit, {5, 5}, {.method = tn::ResizeMethod::linear, .antialias = true}));

  // grid_sample reads pixels at any positions: (x, y) from -1 to 1. affine_grid makes positions of a matrix,
  // here of a rotation.
  auto turned = [&](const tn::Array &angle) {
    tn::Array c = tn::cos(angle), s = tn::sin(angle);
    tn::Array rotation = tn::reshape(tn::stack({c, -s, 0, s, c, 0}), {1, 2, 3});
    return tn::grid_sample(digit, tn::affine_grid(rotation, digit.shape()));
  };
  const float quarter = 1.5707964f;
  show("a quarter turn", turned(quarter));
  tn::Array isSame = tn::all(tn::abs(turned(quarter) - tn::rot90(digit, 1, {1, 2})) < 1e-5);
  std::cout << "as rot90: " << (isSame ? "yes" : "no") << "\n";
  // Positions have derivatives. An angle is found by moving against the gradient of the difference.
  tn::Array target = turned(0.3f), angle = 0.0f;
  auto difference = [&](const tn::Array &angle) { return tn::mse_loss(turned(angle), target); };
  for (int step = 0; step < 50; ++step)
    angle = angle - tn::grad(difference)(angle);
  std::cout << tn::format("turned by {:.3f}\n\n", angle);

  // Kernels have derivatives, too. From images and their slopes alone, the gradient finds Sobel's kernel.
  tn::Array images = training.images[{tn::slice(100)}], wanted = slopes(images);
  auto error = [&](const tn::Array &kernel) {
    return tn::mse_loss(tn::conv2d(images, kernel, {.padding = tn::same}), wanted);
  };
  auto better = tn::jit([&](const tn::Array &kernel) { return kernel - 0.5f * tn::grad(error)(kernel); });
  tn::Array learned = tn::zeros_like(kernel);
  for (int step = 0; step < 600; ++step)
    learned = better(learned);
  std::cout << "a learned kernel:\n" << tn::round(learned[{tn::ellipsis, 0, 0}] * 100) / 100 + 0 << "\n\n";

  // A network learns to read digits. The step is compiled once.
  auto normal = [](uint64_t seed, const tn::Shape &shape) { return tn::random::normal(tn::random::key(seed), shape); };
  Network network{normal(1, {3, 3, 1, 8}) * 0.3f, tn::zeros({8}), normal(2, {128, 10}) * 0.1f, tn::zeros({10})};
  auto step = tn::jit([](Network &network, const tn::Array &images, const tn::Array &labels) {
    auto [loss, slope] =
        tn::value_and_grad([&](const Network &network) { return tn::cross_entropy(network(images), labels); })(network);
    network = tn::tree_map([](const tn::Array &p, const tn::Array &g) { return p - 0.5f * g; }, network, slope);
    return loss;
  });
  for (int epoch = 1; epoch <= 3; ++epoch) {
    tn::Array loss;
    for (int start = 0; start + 64 <= 3823; start += 64)
      loss = step(network, training.images[{tn::slice(start, start + 64)}],
                  training.labels[{tn::slice(start, start + 64)}]);
    tn::Array right = tn::mean(tn::astype(tn::argmax(network(test.images), -1) == test.labels, tn::f32));
    std::cout << tn::format("epoch {}: loss {:.3f}, {:.1f} % of the test images\n", epoch, loss.item<float>(),
                            100 * right.item<float>());
  }
}

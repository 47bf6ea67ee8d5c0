//===- 21_data.cpp - lesson 21: pipelines of data --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 21_data.expected.
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace data = tn::data;

int main() {
  // A dataset is a sequence of elements, computed while it is read. Pipes make datasets of others.
  const tn::Array x = tn::arange(10), y = x * x;
  auto pairs = data::from_slices(x, y);
  for (auto [a, b] :
       pairs | data::filter([](const tn::Array &a, const tn::Array &) { return a % 2 == 0; }) | data::batch(3))
    std::cout << a << " " << b << "\n";

  // Each loop over a dataset is an epoch. shuffle draws a new order for each, from the seed and the epoch's number.
  auto shuffled = data::range(8) | data::shuffle(8, /*seed=*/1) | data::batch(8);
  for (int epoch = 0; epoch < 2; ++epoch)
    for (const tn::Array &batch : shuffled)
      std::cout << tn::format("epoch {}: {}\n", epoch, batch);
  for (const tn::Array &batch : shuffled.epoch(0))
    std::cout << tn::format("epoch 0: {}\n", batch);

  // random_map gives each element a key of its own, made of seed, epoch and its number: any number of threads makes the
  // same elements.
  auto noisy = [&](int workers) {
    auto add_noise = [](const tn::Key &key, const tn::Array &a, const tn::Array &b) {
      return std::tuple(a + tn::random::normal(key), b);
    };
    auto batches = pairs | data::random_map(add_noise, /*seed=*/2, {.workers = workers}) | data::batch(10);
    return std::get<0>(*batches.epoch(0).begin());
  };
  std::cout << std::boolalpha << "same with 4 threads: " << bool(tn::array_equal(noisy(0), noisy(4))) << "\n";

  // Elements may be texts, numbers or structs; batches of texts are vectors, of arrays with other sizes padded.
  std::vector<tn::Array> sentences = {{1, 2, 3}, {4}, {5, 6}};
  for (const tn::Array &batch : data::from_range(sentences) | data::padded_batch(3))
    std::cout << batch << "\n";

  // A generator: anything that C++ can compute. enumerate numbers the elements.
  auto fibonacci = data::from_generator([a = 0, b = 1]() mutable -> std::optional<int> {
    a = std::exchange(b, a + b);
    return a < 50 ? std::optional(a) : std::nullopt;
  });
  for (auto [i, number] : fibonacci | data::skip(3) | data::enumerate())
    std::cout << i << ":" << number << " ";
  std::cout << "\n";

  // A cursor owns a position, which a checkpoint can hold (lesson 22).
  auto cursor = shuffled.cursor();
  cursor.next();
  std::cout << "epoch " << cursor.epoch() << ", position " << cursor.position() << "\n";

  // What a function throws arrives with the number of the element.
  auto fails = [](int64_t i) { return tn::Array{1, 2}[tn::Array(i)]; };
  try {
    for (const tn::Array &element : data::range(5) | data::map(fails))
      std::cout << tn::format("{} ", element);
  } catch (const tn::Error &error) {
    std::cout << error.what() << "\n";
  }
}

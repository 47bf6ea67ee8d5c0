//===- summary_loop.cpp - scalars for TensorBoard, every 100th step ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <filesystem>
#include <iostream>

namespace tn = tenon;
namespace summary = tn::summary;

int main() {
  std::filesystem::remove_all("tb");
  const tn::Variable global_step{int64_t(700), "global_step", /*trainable=*/false};
  const summary::FileWriter writer("tb/");
  const auto scope = writer.as_default();
  int recorded = 0;

  auto train = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      global_step += 1;
      summary::record_every(100, global_step, [&] {
        // The model's code goes here.
        summary::scalar("global_step", global_step, global_step);
        ++recorded;
      });
    }
    std::cout << tn::format("step {}: {} recorded\n", global_step, recorded);
  };
  train(10);  // 701 to 710: no multiple of 100
  train(300); // 800, 900 and 1000

  for (const auto &file : std::filesystem::directory_iterator("tb"))
    std::cout << file.path().filename().string().substr(0, 19) << "\n";
}

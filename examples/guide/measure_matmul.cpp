//===- measure_matmul.cpp - the time of matrix products, on CPU and GPU ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static double measure(tn::Array x, int64_t steps) {
  tn::matmul(x, x).to_vector<float>(); // the first call makes threads
  return tn::timeit([&] {
    for (int64_t i = 0; i < steps; ++i)
      x = tn::matmul(x, x);
    return x.to_vector<float>(); // on other devices than the CPU, a call may return before its work is done
  });
}

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  const int64_t size = arguments.number("--size", 1000), steps = arguments.number("--steps", 200);
  const tn::Array x = tn::random::normal(tn::random::key(0), {size, size});
  std::cout << tn::format("Time to multiply a ({}, {}) matrix by itself {} times:\n", size, size, steps);
  std::cout << tn::format("CPU: {:.3f} secs\n", measure(x, steps));
  std::cout << "GPU: not found\n"; // this version of Tenon computes on the CPU alone
}

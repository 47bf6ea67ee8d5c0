//===- global_array.cpp - an Array that outlives main ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global, static and thread-local arrays, a jitted function, and the view of a
// buffer are alive when the process ends. `global_array BLOB` makes them with a
// saved program as well.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <cstdio>

namespace tn = tenon;

static tn::Array global;
static tn::Array view;
static thread_local tn::Array local;

static auto &wave() {
  static auto made = tn::jit([](const tn::Array &x) { return tn::tanh(x) * 2.0f + global; });
  return made;
}

int main(int count, char **arguments) {
  static tn::Array staticArray = tn::full({100, 100}, 3.0f);
  global = tn::random::normal(tn::random::key(1), {300, 300}); // large: from the caching allocator
  view = tn::transpose(tn::slice(global, {10, 20}, {200, 30}));
  local = tn::exp(staticArray);
  tn::Array result = wave()(tn::zeros({300, 300}));
  global = tn::sum(result * global, 1) + 1.0f;
  if (count > 1) {
    tn::LoadedProgram program = tn::load_program(arguments[1]);
    static std::vector<tn::Array> outputs = program({tn::full({47}, 0.5f)});
    std::printf("from the blob: %g\n", static_cast<double>(outputs[0][0].item<float>()));
  }
  std::printf("global %s, view %g\n", tn::format("{}", global.shape()).c_str(),
              static_cast<double>(view[0][0].item<float>()));
  return 0;
}

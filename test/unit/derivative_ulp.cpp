//===- derivative_ulp.cpp - worst errors of derivatives -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the table of lib/transform/vjp/ULP.md. Usage: derivative_ulp [samples of each, 2^18 by default] [function...].
//===----------------------------------------------------------------------===//
#include "test/unit/DerivativeUlp.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

using namespace tenon;
using namespace tenon::test;

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? strtoull(argv[1], nullptr, 10) : uint64_t(1) << 18;
  std::printf("| derivative of | worst ulp | at | samples | note |\n|---|---|---|---|---|\n");
  for (const Derivative &of : derivatives()) {
    if (argc > 2 && std::none_of(argv + 2, argv + argc, [&](const char *name) { return of.name.starts_with(name); }))
      continue;
    for (const Dtype dtype : measuredDtypes) {
      Measured worst;
      const uint64_t all = of.operands.size() == 1 && is_narrow(dtype) ? std::min<uint64_t>(count, 65536) : count;
      for (uint64_t first = 0; first < all; first += 4096)
        for (const Measured &one : measure(of, dtype, samples(of, dtype, first, std::min(first + 4096, all))))
          if (worst.operands.empty() || one.ulp > worst.ulp)
            worst = one;
      std::printf("| %s %s | %.3f |", of.name.c_str(), std::string(short_name(dtype)).c_str(), worst.ulp);
      for (size_t i = 0; i < worst.operands.size(); ++i)
        std::printf("%s%.17g", i ? ", " : " ", worst.operands[i]);
      std::printf(" | %" PRIu64 " | %s |\n", all, of.reason.c_str());
      std::fflush(stdout);
    }
  }
}

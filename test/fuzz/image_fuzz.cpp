//===- image_fuzz.cpp - feeds damaged blobs to the reader ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -DTENON_LIBFUZZER and -fsanitize=fuzzer a libFuzzer target; otherwise a
// program: image_fuzz [rounds = 200000] [seed = 1]. Nothing is executed: a blob
// with a right checksum is code.
//===----------------------------------------------------------------------===//
#include "BlobSeed.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tenon::rt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  // An exact copy on the heap, so that a sanitizer sees a read past its end.
  std::vector<std::byte> blob(size);
  if (size != 0)
    std::memcpy(blob.data(), data, size);
  testing::reseal(blob);
  bool accepted;
  [[maybe_unused]] volatile std::uint64_t sum = testing::readAll(blob, accepted);
  return 0;
}

#ifndef TENON_LIBFUZZER
int main(int argc, char **argv) {
  unsigned long rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200000;
  unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  const std::vector<std::byte> whole = testing::seedWriter().finish();
  std::mt19937_64 random(seed);
  for (unsigned long i = 0; i < rounds; ++i) {
    std::vector<std::byte> blob = whole;
    testing::mutate(blob, random);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(blob.data()), blob.size());
  }
  std::printf("%lu mutated blobs read, seed %lu\n", rounds, seed);
  return 0;
}
#endif

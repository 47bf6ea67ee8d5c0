//===- KernelObjects.cpp - the kernels compiled before --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/target/cpu/KernelObjects.h"

#include "llvm/ADT/SetVector.h"

using namespace tenon;
using namespace tenon::compiler;

std::vector<size_t> KernelObjects::recall(std::vector<Kernel> &kernels, uint64_t isa) {
  std::vector<size_t> others;
  for (size_t number = 0; number < kernels.size(); ++number) {
    Kernel &kernel = kernels[number];
    auto found = known.find(keyOf(kernel, isa));
    if (found == known.end()) {
      kernel.symbol = kernel.info.name + "." + std::to_string(symbols++);
      others.push_back(number);
      continue;
    }
    kernel.symbol = found->second.symbol;
    kernel.info.scratchPerItem = found->second.scratchPerItem;
    kernel.info.inPlace = found->second.inPlace;
  }
  return others;
}

void KernelObjects::keep(const std::vector<Kernel> &kernels, llvm::ArrayRef<size_t> numbers, uint64_t isa,
                         std::string object) {
  const std::string &kept = objects.emplace_back(std::move(object));
  for (size_t number : numbers) {
    const Kernel &kernel = kernels[number];
    known[keyOf(kernel, isa)] = {kernel.symbol, kernel.info.scratchPerItem, kernel.info.inPlace, &kept};
  }
}

std::vector<llvm::MemoryBufferRef> KernelObjects::objectsOf(const std::vector<Kernel> &kernels, uint64_t isa) const {
  llvm::SetVector<const std::string *> wanted;
  for (const Kernel &kernel : kernels)
    wanted.insert(known.find(keyOf(kernel, isa))->second.object);
  std::vector<llvm::MemoryBufferRef> buffers;
  for (const std::string *object : wanted)
    buffers.push_back({*object, "kernels"});
  return buffers;
}

//===- KernelObjects.h - the kernels compiled before ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/compiler/kernels/Kernels.h"

#include "llvm/Support/MemoryBufferRef.h"

#include <deque>

namespace tenon::compiler {

/// What was compiled for earlier programs of a CompileContext: equal kernels are
/// compiled once, across programs too. Lives as long as the MLIRContext, whose
/// types and attributes the keys are made of, and so is bounded as that is.
class KernelObjects {
public:
  /// Gives kernels met before the info and the symbol they had then; the numbers
  /// of the others, whose symbol is now one of their own. `isa`: bits of
  /// runtime/machine/Cpu.h.
  std::vector<size_t> recall(std::vector<Kernel> &kernels, uint64_t isa);

  /// Takes the object with the code of kernels `numbers` of `kernels`.
  void keep(const std::vector<Kernel> &kernels, llvm::ArrayRef<size_t> numbers, uint64_t isa, std::string object);

  /// The objects in which `kernels` are, all known by now: each once.
  std::vector<llvm::MemoryBufferRef> objectsOf(const std::vector<Kernel> &kernels, uint64_t isa) const;

private:
  struct Known {
    std::string symbol;
    uint32_t scratchPerItem;
    std::vector<rt::KernelInfo::InPlace> inPlace;
    const std::string *object;
  };
  static std::string keyOf(const Kernel &kernel, uint64_t isa) {
    return kernel.key + std::string(reinterpret_cast<const char *>(&isa), sizeof(isa));
  }
  llvm::StringMap<Known> known;
  std::deque<std::string> objects;
  uint64_t symbols = 0;
};

} // namespace tenon::compiler

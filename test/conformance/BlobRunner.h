//===- BlobRunner.h - another process that runs saved programs ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/conformance/Files.h"

namespace tenon::conformance {

/// How many steps of each kind one program ran.
struct Launches {
  uint64_t generatedKernels = 0, librarySteps = 0, eagerKernels = 0, interpretedPrograms = 0;
};

/// A child process without the compiler (TENON_COMPILER names no file). It is started once, and again if it dies.
class BlobRunner {
public:
  ~BlobRunner() { stop(); }
  /// Runs the program in the file `blob` on the inputs. Throws an Error if the child reports one, or dies.
  std::vector<HostData> run(const std::string &blob, const std::vector<HostData> &inputs, Launches &launches);

private:
  void start();
  void stop();
  TemporaryFolder folder_;
  int process_ = -1;
  int to_ = -1, from_ = -1;
};

} // namespace tenon::conformance

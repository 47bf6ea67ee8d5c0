//===- Steps.h - the kernels and library steps of a saved program -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/conformance/Case.h"

#include <map>

namespace tenon::conformance {

/// Reads the schedules of blobs, and counts their generated kernels and library steps.
class StepCounts {
public:
  /// Checks that the program's library steps run only ops that may, and that an elementwise function has kernels only.
  /// Returns what is wrong, or "".
  std::string check(const std::string &blob, const Case &of, Column column);
  /// A table of the steps of all checked programs, by op.
  std::string text() const;

private:
  size_t programs_ = 0, launches_ = 0;
  std::map<std::string, size_t> library_;
};

} // namespace tenon::conformance

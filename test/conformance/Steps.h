//===- Steps.h - what a saved program consists of -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/conformance/Case.h"

#include <map>

namespace tenon::conformance {

/// Looks into blobs: their generated kernels and library steps.
class StepCounts {
public:
  /// "" if the library steps of the program are of the listed ops, and an
  /// elementwise function has kernels only; else what is not so.
  std::string check(const std::string &blob, const Case &of, Column column);
  /// Steps of all programs by op.
  std::string text() const;

private:
  size_t programs_ = 0, launches_ = 0;
  std::map<std::string, size_t> library_;
};

} // namespace tenon::conformance

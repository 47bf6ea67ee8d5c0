//===- Digits.h - handwritten digits in the library ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

namespace tenon::data::detail {

/// The IDX files in examples/data/digits.
struct DigitFiles {
  std::span<const std::byte> trainImages, trainLabels, testImages, testLabels;
};
DigitFiles digitFiles();

} // namespace tenon::data::detail

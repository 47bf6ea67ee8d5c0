//===- FloatText.h - NumPy's text of floating point numbers -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of numpy/_core/arrayprint.py (FloatingFormat) and dragon4.c. A
// number is a double that holds one of a floating dtype exactly, and that dtype,
// which decides the digits needed to tell it from its neighbours.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/format.h>

#include <vector>

namespace tenon::detail {

/// Formats the numbers of one array to a common width.
class FloatText {
public:
  FloatText() = default;
  /// values: the numbers that will be shown. plus: write '+' before positive ones.
  FloatText(const std::vector<double> &values, Dtype dtype, const PrintOptions &options, bool plus);
  std::string operator()(double value) const;

private:
  Dtype dtype_ = Dtype::f64;
  bool plus_ = false;
  bool scientific_ = false;
  int precision_ = 0;
  int exponentDigits_ = 2;
  size_t padLeft_ = 0, padRight_ = 0;
};

} // namespace tenon::detail

//===- Reference.h - results computed by NumPy -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of the Python program in reference/ computes the results of all requested cases.
//===----------------------------------------------------------------------===//
#pragma once

#include "test/conformance/Inputs.h"

#include <map>

namespace tenon::conformance {

/// One expected result.
struct Expected {
  Dtype dtype = Dtype::f32;
  Dims dims;
  /// As f64 (pairs of them for complex numbers), or as i64, modulo 2^64.
  std::vector<double> reals;
  std::vector<int64_t> integers;
  /// Allowed difference per element; empty: equal by bits, any NaN equal to any.
  std::vector<double> tolerance;
};

class Reference {
public:
  /// Requests the results of a case in a column. Returns the number of the answer.
  int ask(const Case &of, Column column);
  /// Runs Python (TENON_PYTHON) once; an Error with its output if it fails.
  void compute();
  /// The answer; an Error with the reference's own message if it has none.
  const std::vector<Expected> &answer(int number) const;
  size_t size() const { return questions_.size(); }

private:
  struct Question {
    const Case *of;
    Column column;
  };
  std::vector<Question> questions_;
  std::map<int, std::vector<Expected>> answers_;
  std::map<int, std::string> errors_;
};

/// The first difference between `got` and what is expected, or "".
std::string compareToReference(const std::vector<HostData> &got, const std::vector<Expected> &expected);
/// The first difference in bits, any NaN equal to any NaN, or "".
std::string compareBits(const std::vector<HostData> &got, const std::vector<HostData> &expected);
/// A hash of the bits, any NaN equal to any NaN.
uint64_t hashBits(const std::vector<HostData> &results);

} // namespace tenon::conformance

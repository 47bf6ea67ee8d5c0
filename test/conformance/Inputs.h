//===- Inputs.h - arrays of a case ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/conformance/Case.h"

#include <cstddef>

namespace tenon::conformance {

/// Elements on the host, row-major.
struct HostData {
  Dtype dtype;
  Dims dims;
  std::vector<std::byte> bytes;
};

/// The elements of input `number` of the case; the same at each call.
HostData makeElements(const std::string &seed, int number, const Input &input);
/// Makes an array of these elements with this layout in memory.
Array makeArray(const HostData &data, Layout layout = Layout::dense);
/// The inputs of a case in a column: vmap's mapped inputs get a leading axis.
std::vector<HostData> makeInputs(const Case &of, Column column);
/// The size of the batch under vmap.
inline constexpr int64_t batch = 3;
/// Which inputs have a batch axis in that column.
std::vector<bool> mappedInputs(const Case &of, Column column);

/// The elements of an array of buffers.
HostData readArray(const Array &array);

/// A fixed sequence of numbers, one per seed.
class Numbers {
public:
  explicit Numbers(const std::string &seed);
  uint64_t bits();
  /// In [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  int64_t below(int64_t bound) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(bound)); }

private:
  uint64_t state_ = 0x9e3779b97f4a7c15u;
};

} // namespace tenon::conformance

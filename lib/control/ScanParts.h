//===- ScanParts.h - a scan in parts that are computed again -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/RegionOp.h"

namespace tenon {

/// An op scan, on arrays.
struct ScanBind {
  TraceRef region;
  std::vector<Array> consts, carries, xs;
  Dim length;
  bool reverse;
};
std::vector<Array> bindScan(const ScanBind &scan, Location at);
/// The same in parts of `every` rounds, each a checkpoint: a derivative keeps the carries between
/// them, and computes one part at a time again. The length is a number.
std::vector<Array> bindScanInParts(const ScanBind &scan, int64_t every, Location at);

} // namespace tenon

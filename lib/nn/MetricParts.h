//===- MetricParts.h - what metrics share ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/nn/LossParts.h"

#include <tenon/metrics.h>

namespace tenon::detail {

/// x1 / x2, and 0 where x2 is 0.
Array ratio(const Array &x1, const Array &x2);
/// A result: f32.
Array asResult(const Array &x);
/// Weights as f64, in the shape of `values`.
Array weightsOf(const char *function, const Operand &weights, const Array &values);
/// Numbers as an array beside x: of its dtype and on its device.
Array numbersBeside(const std::vector<double> &numbers, const Array &x, Location at);
/// Two arrays of one shape and any dtype, as (n) and (n, 1) meet.
std::pair<Array, Array> alignedPair(const char *function, const Operand &y_true, const Operand &y_pred);
/// Refuses an integer below `least`.
void expectAtLeast(const char *metric, const char *name, int64_t number, int64_t least, Location at);

} // namespace tenon::detail

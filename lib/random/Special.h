//===- Special.h - functions that distributions are made of --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

namespace tenon::detail {

/// log(k!) - ((k + 1/2) * log(k) - k + log(2 * pi) / 2) of whole numbers k >= 1 in f64: the error of Stirling's
/// formula.
Array stirlingRest(const Array &k);

} // namespace tenon::detail

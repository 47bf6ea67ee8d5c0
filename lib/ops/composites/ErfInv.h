//===- ErfInv.h - the inverse error function ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

namespace tenon::detail {

/// erf_inv of x, f32 or f64, from w = -log(1 - x^2). How exactly w is known decides
/// how exact the tails are. Source: M. Giles, Approximating the erfinv function,
/// GPU Computing Gems 2, 2011.
Array erfInv(const Array &x, const Array &w);

} // namespace tenon::detail

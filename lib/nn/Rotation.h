//===- Rotation.h - rotary positions ----------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/nn/positions.h>

namespace tenon::detail {

/// The products of places with the frequencies `max_wavelength^(-2 i / features)`, in f64, (length, pairs).
Array anglesOf(const Array &places, int64_t pairs, int64_t features, double max_wavelength);
/// x with its pairs of features rotated by the places of the sequence. The axes are those of the options; features are
/// an even number.
Array rotated(const Array &x, const Array &places, const nn::RotaryOptions &options);

} // namespace tenon::detail

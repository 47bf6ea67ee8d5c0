//===- Text.h - arrays as text ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "StridedData.h"

#include <tenon/format.h>

namespace tenon::detail {

/// Returns the bytes of numpy.array2string (NumPy 2.3 and later, where float32
/// takes an exponent from 1e6 and float16 from 1e3, not 1e8). Floats that NumPy
/// does not know, bf16 first, follow the rules of float32 with the fewest digits
/// that name the number.
std::string arrayText(const StridedData &array, const PrintOptions &options);

/// The same layout with each element formatted by `field`, a field of format() such as "{:.2f}", and padded to the
/// width of the longest.
std::string arrayText(const StridedData &array, const PrintOptions &options, std::string_view field);

/// Returns the text in TensorFlow's wrapping:
///   Array([[1 2]
///    [3 4]], shape=(2, 2), dtype=int32)
std::string arrayRepr(const StridedData &array, const PrintOptions &options);

/// Returns a shape as Python writes it: "()", "(3,)", "(2, 3)".
std::string shapeText(std::span<const int64_t> dims);

} // namespace tenon::detail

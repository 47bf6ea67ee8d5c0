//===- Values.h - the elements of arrays as C++'s numbers ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>
#include <tenon/variable.h>

#include <vector>

namespace tenon::test {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Longs = std::vector<int64_t>;

/// The only element of an f32 array.
inline float number(const Array &x) { return x.item<float>(); }
inline float number(const Variable &x) { return number(x.value()); }

/// The elements of an f32 array.
inline Floats floats(const Array &x) { return x.to_vector<float>(); }
/// The elements of an array of any real dtype, converted.
inline Doubles doubles(const Array &x) { return astype(x, f64).to_vector<double>(); }
inline Longs longs(const Array &x) { return astype(x, i64).to_vector<int64_t>(); }

} // namespace tenon::test

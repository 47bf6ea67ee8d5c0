//===- Fourier.h - the op of Fourier transforms ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/ops/composites/Shaping.h"

#include <optional>
#include <string_view>

namespace tenon::detail {

/// The op `dft` along an axis >= 0; `length` is that of the kind `irfft`.
Array dft(const Array &x, int axis, std::string_view kind, std::string_view divisor, std::optional<Dim> length,
          Location at);

/// x with n elements along an axis >= 0: cropped, or with zeros behind.
Array fittedTo(const Array &x, int axis, Dim n);

} // namespace tenon::detail

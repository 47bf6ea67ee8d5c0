//===- Png.h - images as PNG files ----------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tenon::detail {

/// The bytes of a PNG file of 8 bits a channel. `pixels`: rows of pixels of 1 (gray), 2 (gray, alpha), 3 (RGB) or 4
/// (RGBA) channels, height * width * channels bytes. Neither size is 0.
std::string pngOf(std::span<const uint8_t> pixels, uint32_t width, uint32_t height, int channels);

/// A float of [0, 1] as a byte, as tf.image.convert_image_dtype rounds it; NaN is 0.
inline uint8_t byteOf(double value) {
  return value > 0 ? static_cast<uint8_t>(value < 1 ? value * 255.5 : 255) : uint8_t(0);
}

} // namespace tenon::detail

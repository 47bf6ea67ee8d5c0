//===- Svg.h - elements of SVG files ----------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tenon::plot {

/// Text for the inside of elements and attributes. Characters that XML cannot hold become U+FFFD.
std::string escaped(std::string_view text);
/// With at most two digits after the point.
std::string decimal(double value);
std::string base64(std::string_view bytes);
/// About the width of a text in pixels.
double widthOf(std::string_view text, double size);

enum class Anchor : uint8_t { start, middle, end };

/// Collects elements.
class Svg {
public:
  void line(double x1, double y1, double x2, double y2, const char *color);
  void rect(double x, double y, double width, double height, std::string_view fill, std::string_view title = {});
  void frame(double x, double y, double width, double height);
  void circle(double x, double y, double radius, std::string_view fill, double opacity);
  /// `d` as SVG writes paths.
  void path(const std::string &d, std::string_view color, double width, bool isDashed);
  /// `turn`: degrees, clockwise.
  void text(double x, double y, std::string_view text, double size, Anchor anchor, std::string_view color = "#333",
            double turn = 0, bool isBold = false);
  /// A PNG file, its pixels as squares.
  void image(double x, double y, double width, double height, std::string_view png);

  const std::string &str() const { return out_; }

private:
  std::string out_;
};

} // namespace tenon::plot

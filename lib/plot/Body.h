//===- Body.h - what a figure holds -----------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/plot/Axis.h"
#include "lib/plot/Svg.h"

#include <atomic>
#include <optional>

namespace tenon::plot {

struct Series {
  enum Kind : uint8_t { line, scatter, bar, histogram } kind;
  std::string label, color;
  /// Points; left edges and heights of a histogram, which has one more edge at the end of x; heights of bars.
  std::vector<double> x, y;
  double size = 0; ///< a line's width, a dot's radius
  bool isDashed = false;
};
/// An image or a matrix, which fills its figure.
struct Picture {
  int64_t width, height;
  std::string png;                  ///< of an image
  std::vector<double> counts;       ///< of a confusion matrix, row by row
  std::vector<std::string> classes; ///< its rows
  bool hasScale = false;            ///< whether there is a scale of the colors from low to high
  double low = 0, high = 0;
  Colormap colormap = Colormap::viridis;
};

class FigureBody {
public:
  explicit FigureBody(FigureOptions given) : options(std::move(given)) {}
  /// What lies within the <svg> element.
  std::string draw() const;

  const FigureOptions options;
  std::vector<Series> series;
  std::vector<std::string> categories;
  std::optional<Picture> picture;
  std::atomic<unsigned> references = 1;
};

struct Color {
  uint8_t red, green, blue;
};
/// At `share` of [0, 1] of a colormap.
Color colorAt(Colormap map, double share);
std::string textOf(Color color);
/// The colors of series, by number.
const char *seriesColor(size_t number);

/// Where data are drawn.
struct Area {
  double left, top, width, height;
};
void drawSeries(Svg &svg, const FigureBody &figure, const Area &area, const AxisScale &x, const AxisScale &y);
void drawPicture(Svg &svg, const Picture &picture, const Area &area);

} // namespace tenon::plot

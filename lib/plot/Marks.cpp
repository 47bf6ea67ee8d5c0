//===- Marks.cpp - lines, dots, bars and images -----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/plot/Body.h"

#include "lib/io/Png.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tenon;
using namespace tenon::plot;

//===----------------------------------------------------------------------===//
// Colors
//===----------------------------------------------------------------------===//

Color plot::colorAt(Colormap map, double share) {
  share = share > 0 ? std::min(share, 1.0) : 0;
  if (map == Colormap::gray) {
    const auto level = static_cast<uint8_t>(share * 255 + 0.5);
    return {level, level, level};
  }
  // Matplotlib's viridis at ninths.
  constexpr Color stops[] = {{68, 1, 84},    {72, 40, 120},  {62, 73, 137},  {49, 104, 142}, {38, 130, 142},
                             {31, 158, 137}, {53, 183, 121}, {110, 206, 88}, {181, 222, 43}, {253, 231, 37}};
  const double at = share * 9;
  const auto first = static_cast<size_t>(std::min(at, 8.0));
  const double part = at - static_cast<double>(first);
  auto mix = [&](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a + (b - a) * part + 0.5); };
  const Color &a = stops[first], &b = stops[first + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}
std::string plot::textOf(Color color) {
  char text[8];
  std::snprintf(text, sizeof(text), "#%02x%02x%02x", color.red, color.green, color.blue);
  return text;
}
const char *plot::seriesColor(size_t number) {
  constexpr const char *colors[] = {"#4269d0", "#ff725c", "#3ca951", "#efb118", "#a463f2",
                                    "#6cc5b0", "#ff8ab7", "#9c6b4e", "#97bbf5", "#9498a0"};
  return colors[number % std::size(colors)];
}

//===----------------------------------------------------------------------===//
// Series
//===----------------------------------------------------------------------===//

namespace {
struct Point {
  double x, y;
};

/// Of many points in each column of pixels those that are seen: the first, the least, the greatest, the last.
std::vector<Point> thinned(const std::vector<Point> &points, double width) {
  if (static_cast<double>(points.size()) < 4 * width || !std::ranges::is_sorted(points, {}, &Point::x))
    return points;
  std::vector<Point> out;
  for (size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    const double column = std::floor(points[begin].x);
    while (end < points.size() && std::floor(points[end].x) == column)
      ++end;
    const auto part = std::span(points).subspan(begin, end - begin);
    const auto [least, greatest] = std::ranges::minmax_element(part, {}, &Point::y);
    out.push_back(part.front());
    out.push_back(std::min(least, greatest) == least ? *least : *greatest);
    out.push_back(std::min(least, greatest) == least ? *greatest : *least);
    out.push_back(part.back());
  }
  return out;
}

void drawRun(Svg &svg, const Series &series, const std::vector<Point> &points, double width) {
  if (points.size() == 1) // no line goes through it
    svg.circle(points[0].x, points[0].y, std::max(2.5, series.size), series.color, 1);
  if (points.size() < 2)
    return;
  std::string d;
  for (const Point &point : thinned(points, width))
    d += (d.empty() ? "M" : "L") + decimal(point.x) + " " + decimal(point.y);
  svg.path(d, series.color, series.size, series.isDashed);
}
} // namespace

void plot::drawSeries(Svg &svg, const FigureBody &figure, const Area &area, const AxisScale &x, const AxisScale &y) {
  auto pixelX = [&](double value) { return area.left + area.width * x.place(value); };
  auto pixelY = [&](double value) { return area.top + area.height * (1 - y.place(value)); };
  // Where bars stand: at 0, or at the end that is nearer to it.
  const double base = pixelY(y.shows(0) ? std::clamp(0.0, y.low(), y.high()) : y.low());
  size_t number = 0;
  for (const Series &one : figure.series) {
    switch (one.kind) {
    case Series::line: {
      std::vector<Point> run;
      for (size_t i = 0; i < one.y.size(); ++i) {
        if (x.shows(one.x[i]) && y.shows(one.y[i])) {
          run.push_back({pixelX(one.x[i]), pixelY(one.y[i])});
          continue;
        }
        drawRun(svg, one, run, area.width);
        run.clear();
      }
      drawRun(svg, one, run, area.width);
      break;
    }
    case Series::scatter:
      for (size_t i = 0; i < one.y.size(); ++i)
        if (x.shows(one.x[i]) && y.shows(one.y[i]))
          svg.circle(pixelX(one.x[i]), pixelY(one.y[i]), one.size, one.color, 0.75);
      break;
    case Series::bar: {
      const double each = area.width / static_cast<double>(one.y.size());
      const double width = each * 0.8 / static_cast<double>(figure.series.size());
      for (size_t i = 0; i < one.y.size(); ++i)
        if (y.shows(one.y[i])) {
          const double top = pixelY(one.y[i]);
          svg.rect(area.left + each * (static_cast<double>(i) + 0.1) + width * static_cast<double>(number),
                   std::min(top, base), std::max(width - 1, 0.5), std::abs(base - top), one.color,
                   figure.categories[i] + ": " + tickText(one.y[i], std::abs(one.y[i]), std::abs(one.y[i]) * 1e-4));
        }
      break;
    }
    case Series::histogram:
      for (size_t i = 0; i < one.y.size(); ++i)
        if (one.y[i] > 0 && x.shows(one.x[i])) {
          const double left = pixelX(one.x[i]), top = pixelY(one.y[i]), width = pixelX(one.x[i + 1]) - left;
          svg.rect(left, top, std::max(width - (width > 3 ? 1 : 0), 0.5), base - top, one.color);
        }
    }
    ++number;
  }
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static void drawMatrix(Svg &svg, const Picture &picture, const Area &area) {
  const auto size = static_cast<size_t>(picture.width);
  const double each = area.width / static_cast<double>(size);
  for (size_t row = 0; row < size; ++row) {
    double sum = 0;
    for (size_t column = 0; column < size; ++column)
      if (const double count = picture.counts[row * size + column]; std::isfinite(count))
        sum += count;
    for (size_t column = 0; column < size; ++column) {
      const double count = picture.counts[row * size + column], share = sum > 0 ? std::clamp(count / sum, 0.0, 1.0) : 0;
      const double left = area.left + each * static_cast<double>(column),
                   top = area.top + each * static_cast<double>(row);
      // From white to a deep blue.
      auto mix = [&](int full) { return static_cast<uint8_t>(255 + (full - 255) * share + 0.5); };
      char text[32];
      std::snprintf(text, sizeof(text), "%.6g", count);
      svg.rect(left, top, each, each, textOf({mix(20), mix(60), mix(130)}),
               picture.classes[row] + ", predicted as " + picture.classes[column] + ": " + text);
      const double fit = std::min(12.0, each * 0.8 / std::max(1.0, widthOf(text, 1)));
      if (count != 0 && fit >= 5)
        svg.text(left + each / 2, top + each / 2 + fit * 0.35, text, fit, Anchor::middle,
                 share > 0.5 ? "#fff" : "#333");
    }
  }
}

void plot::drawPicture(Svg &svg, const Picture &picture, const Area &area) {
  if (picture.png.empty())
    drawMatrix(svg, picture, area);
  else
    svg.image(area.left, area.top, area.width, area.height, picture.png);
  svg.frame(area.left, area.top, area.width, area.height);
  if (!picture.png.empty() && picture.width > 1 && picture.height > 1) {
    // The first and the last row and column.
    svg.text(area.left, area.top + area.height + 16, "0", 11, Anchor::middle, "#555");
    svg.text(area.left + area.width, area.top + area.height + 16, std::to_string(picture.width - 1), 11, Anchor::middle,
             "#555");
    svg.text(area.left - 8, area.top + 8, "0", 11, Anchor::end, "#555");
    svg.text(area.left - 8, area.top + area.height, std::to_string(picture.height - 1), 11, Anchor::end, "#555");
  }
  if (!picture.hasScale)
    return;
  constexpr uint32_t steps = 128;
  std::vector<uint8_t> pixels;
  for (uint32_t i = 0; i < steps; ++i) {
    const Color color = colorAt(picture.colormap, 1 - i / (steps - 1.0));
    pixels.insert(pixels.end(), {color.red, color.green, color.blue});
  }
  const double left = area.left + area.width + 14, width = 12;
  svg.image(left, area.top, width, area.height, tenon::detail::pngOf(pixels, 1, steps, 3));
  svg.frame(left, area.top, width, area.height);
  AxisScale scale(Scale::linear);
  scale.include(picture.low);
  scale.include(picture.high);
  scale.addMargin(0);
  for (const Tick &tick : scale.ticks(static_cast<int>(std::max(2.0, area.height / 46)))) {
    const double y = area.top + area.height * (1 - scale.place(tick.value));
    svg.line(left + width, y, left + width + 4, y, "#999");
    svg.text(left + width + 8, y + 4, tick.text, 11, Anchor::start, "#555");
  }
}

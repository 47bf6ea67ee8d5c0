//===- Draw.cpp - axes, ticks, titles and legends ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/plot/Body.h"

#include <algorithm>
#include <cmath>

using namespace tenon;
using namespace tenon::plot;

namespace {
constexpr double title_size = 15, label_size = 12, tick_size = 11, gap = 8, edge = 14;
constexpr const char *grid_color = "#e4e4e4";
constexpr double swatch = 18; ///< the width of a legend's sample

/// The place of a legend's entry.
struct Entry {
  const Series *series;
  double x, row;
};
std::vector<Entry> legendOf(const FigureBody &figure) {
  std::vector<Entry> entries;
  const double width = static_cast<double>(figure.options.width) - 2 * edge;
  double x = 0, row = 0;
  for (const Series &one : figure.series) {
    if (one.label.empty())
      continue;
    const double needed = swatch + 6 + widthOf(one.label, label_size) + 18;
    if (x > 0 && x + needed > width) {
      x = 0;
      ++row;
    }
    entries.push_back({&one, x, row});
    x += needed;
  }
  return entries;
}

void drawLegend(Svg &svg, std::span<const Entry> entries, double left, double top) {
  for (const Entry &entry : entries) {
    const Series &its = *entry.series;
    const double x = left + entry.x, y = top + entry.row * 18 + 9;
    if (its.kind == Series::line)
      svg.path("M" + decimal(x) + " " + decimal(y) + "h" + decimal(swatch), its.color, its.size, its.isDashed);
    else if (its.kind == Series::scatter)
      svg.circle(x + swatch / 2, y, 4, its.color, 1);
    else
      svg.rect(x + 3, y - 5, 12, 10, its.color);
    svg.text(x + swatch + 6, y + 4, its.label, label_size, Anchor::start);
  }
}

/// `yLabelAt`: where the label of the y axis stands.
void drawLabels(Svg &svg, const FigureOptions &options, const Area &area, double yLabelAt) {
  if (!options.title.empty())
    svg.text(static_cast<double>(options.width) / 2, 26, options.title, title_size, Anchor::middle, "#111", 0, true);
  if (!options.x_label.empty())
    svg.text(area.left + area.width / 2, static_cast<double>(options.height) - 10, options.x_label, label_size,
             Anchor::middle);
  if (!options.y_label.empty())
    svg.text(yLabelAt, area.top + area.height / 2, options.y_label, label_size, Anchor::middle, "#333", -90);
}

double widest(std::span<const std::string> texts) {
  double width = 0;
  for (const std::string &text : texts)
    width = std::max(width, widthOf(text, tick_size));
  return width;
}
double widest(std::span<const Tick> ticks) {
  double width = 0;
  for (const Tick &tick : ticks)
    width = std::max(width, widthOf(tick.text, tick_size));
  return width;
}

/// Names below the axis at equal distances, turned if they are long, some alone if they are many.
void drawNames(Svg &svg, std::span<const std::string> names, const Area &area, bool areTurned) {
  const double each = area.width / static_cast<double>(names.size());
  const auto stride = static_cast<size_t>(std::max(1.0, std::ceil(14 / each)));
  for (size_t i = 0; i < names.size(); i += areTurned ? stride : 1) {
    const double x = area.left + each * (static_cast<double>(i) + 0.5), y = area.top + area.height;
    if (areTurned)
      svg.text(x + 4, y + 14, names[i], tick_size, Anchor::end, "#555", -40);
    else
      svg.text(x, y + 16, names[i], tick_size, Anchor::middle, "#555");
  }
}
} // namespace

std::string FigureBody::draw() const {
  Svg svg;
  const auto width = static_cast<double>(options.width), height = static_cast<double>(options.height);
  const std::vector<Entry> legend = legendOf(*this);
  double top = options.title.empty() ? edge : 40;
  const double legendTop = top;
  if (!legend.empty())
    top += (legend.back().row + 1) * 18 + 6;
  const bool hasBars = !categories.empty() && !series.empty();
  const std::vector<std::string> &names = picture ? picture->classes : categories;

  AxisScale x(options.x_scale), y(options.y_scale);
  for (const Series &one : series) {
    if (one.kind == Series::bar || one.kind == Series::histogram) {
      y.include(0); // which a logarithmic axis does not show
      y.pinLow();
    }
    for (size_t i = 0; i < one.y.size(); ++i)
      if (one.kind == Series::bar || one.kind == Series::histogram || x.shows(one.x[i])) // a bar has no x
        y.include(one.y[i]);
    for (size_t i = 0; i < one.x.size(); ++i)
      if (one.kind == Series::histogram || y.shows(one.y[i]))
        x.include(one.x[i]);
  }
  const bool isLine = std::ranges::all_of(series, [](const Series &one) { return one.kind == Series::line; });
  x.keepWhole();
  x.addMargin(isLine ? 0.02 : 0.04);
  y.addMargin(0.05);

  // The left margin depends on the texts of the ticks, their number on the height.
  double bottom = edge + (options.x_label.empty() ? 0 : 18) + 18, right = edge + 4;
  double left = edge + (options.y_label.empty() ? 0 : 18);
  if (picture && picture->hasScale)
    right += 64;
  const bool isMatrix = picture && !picture->classes.empty();
  const std::vector<Tick> yTicks = y.ticks(static_cast<int>(std::max(2.0, (height - top - bottom) / 46)));
  left += (picture ? (isMatrix ? widest(names) : 24) : widest(yTicks)) + gap;
  const bool areTurned =
      !names.empty() &&
      widest(names) + 8 > (isMatrix ? std::min(width - left - right, height - top - bottom) : width - left - right) /
                              static_cast<double>(names.size());
  if (areTurned) {
    left = std::max(left, widest(names) * 0.77);
    bottom += std::min(widest(names) * 0.64, height / 3);
  }
  Area area{left, top, std::max(10.0, width - left - right), std::max(10.0, height - top - bottom)};

  if (picture) {
    // Squares, in the middle.
    const double scale =
        std::min(area.width / static_cast<double>(picture->width), area.height / static_cast<double>(picture->height));
    const double w = scale * static_cast<double>(picture->width), h = scale * static_cast<double>(picture->height);
    area = {area.left + (area.width - w) / 2, area.top + (area.height - h) / 2, w, h};
    drawPicture(svg, *picture, area);
    drawNames(svg, names, area, areTurned);
    for (size_t i = 0; i < names.size(); ++i)
      svg.text(area.left - gap, area.top + h / static_cast<double>(names.size()) * (static_cast<double>(i) + 0.5) + 4,
               names[i], tick_size, Anchor::end, "#555");
  } else {
    for (const Tick &tick : yTicks) {
      const double at = area.top + area.height * (1 - y.place(tick.value));
      svg.line(area.left, at, area.left + area.width, at, grid_color);
      svg.text(area.left - gap, at + 4, tick.text, tick_size, Anchor::end, "#555");
    }
    if (hasBars) {
      drawNames(svg, names, area, areTurned);
    } else {
      std::vector<Tick> ticks = x.ticks(static_cast<int>(std::max(2.0, area.width / 80)));
      // Long texts need room.
      if (const double needed = (widest(ticks) + 12) * static_cast<double>(ticks.size()); needed > area.width)
        ticks = x.ticks(static_cast<int>(std::max(1.0, area.width / (widest(ticks) + 12) - 1)));
      for (const Tick &tick : ticks) {
        const double at = area.left + area.width * x.place(tick.value);
        svg.line(at, area.top, at, area.top + area.height, grid_color);
        svg.text(at, area.top + area.height + 16, tick.text, tick_size, Anchor::middle, "#555");
      }
    }
    svg.frame(area.left, area.top, area.width, area.height);
    drawSeries(svg, *this, area, x, y);
    const bool isEmpty = y.isEmpty() || (!hasBars && x.isEmpty());
    if (isEmpty)
      svg.text(area.left + area.width / 2, area.top + area.height / 2, "no data", label_size, Anchor::middle, "#999");
  }
  drawLabels(svg, options, area, area.left - left + 18);
  drawLegend(svg, legend, area.left, legendTop);
  return svg.str();
}

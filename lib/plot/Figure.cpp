//===- Figure.cpp - what figures are given ----------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/File.h"
#include "lib/io/Png.h"
#include "lib/plot/Body.h"
#include "lib/trace/Interpreter.h"

#include <tenon/ops.h>
#include <tenon/plot.h>

#include <algorithm>
#include <cmath>

using namespace tenon;
using namespace tenon::plot;

void plot::retain(FigureBody *body) { body->references.fetch_add(1, std::memory_order_relaxed); }
void plot::release(FigureBody *body) {
  if (body->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete body;
}

[[noreturn]] static void fail(const char *what, const std::string &sentence, Location at) {
  throw Error(std::string("plot::") + what + ": " + sentence, userLocation(at));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// An array whose elements are there.
static Array arrayOf(const char *what, const Operand &given) {
  if (given.is_none())
    fail(what, "expected an array, got an empty Array", given.location());
  const Array array =
      given.is_scalar() ? Array(given.scalar(), given.scalar().default_dtype()) : Array::share(given.value());
  if (!array.value()->isBuffer())
    fail(what, "expected an array with values, got a traced one: a picture is drawn where C++ runs", given.location());
  if (kind(array.dtype()) == Kind::complex)
    fail(what, "expected real numbers, got " + std::string(name(array.dtype())), given.location());
  return array;
}
static std::vector<double> elementsOf(const Array &array) { return array.astype(f64).to_vector<double>(); }
static std::vector<double> rowOf(const char *what, const Operand &given) {
  const Array array = arrayOf(what, given);
  if (array.ndim() > 1)
    fail(what, "expected numbers along one axis, got shape " + array.shape().str(), given.location());
  return elementsOf(array);
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

static FigureBody *bodyOf(const FigureOptions &options, Location at) {
  constexpr int64_t least = 120, most = 20000;
  for (const int64_t size : {options.width, options.height})
    if (size < least || size > most)
      fail("Figure",
           "expected a width and a height of 120 to 20000 pixels, got " + std::to_string(options.width) + " and " +
               std::to_string(options.height),
           at);
  return new FigureBody(options);
}
Figure::Figure(const FigureOptions &options, Location at) : body_(bodyOf(options, at)) {}

static void addSeries(FigureBody &body, Series series, const char *what, Location at) {
  if (body.picture)
    fail(what, "expected a figure without an image, got one with an image, which is the only thing in its figure", at);
  const bool isBar = series.kind == Series::bar;
  if (!body.series.empty() && isBar != (body.series[0].kind == Series::bar))
    fail(what, "expected series of one kind of x axis, got bars beside others", at);
  if (series.color.empty())
    series.color = seriesColor(body.series.size());
  body.series.push_back(std::move(series));
}

Figure &Figure::line(const Operand &y, const LineOptions &options) {
  std::vector<double> values = rowOf("line", y), numbers(values.size());
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<double>(i);
  addSeries(*body_.get(),
            {Series::line, options.label, options.color, std::move(numbers), std::move(values), options.width,
             options.dashed},
            "line", y.location());
  return *this;
}
/// Points, of which there are as many x as y.
static Series pointsOf(Series::Kind kind, const char *what, const Operand &x, const Operand &y) {
  Series series{kind, "", "", rowOf(what, x), rowOf(what, y)};
  if (series.x.size() != series.y.size())
    fail(what,
         "expected as many x as y, got " + std::to_string(series.x.size()) + " and " + std::to_string(series.y.size()),
         x.location());
  return series;
}
Figure &Figure::line_through(const Operand &x, const Operand &y, const LineOptions &options) {
  Series series = pointsOf(Series::line, "line", x, y);
  series.label = options.label;
  series.color = options.color;
  series.size = options.width;
  series.isDashed = options.dashed;
  addSeries(*body_.get(), std::move(series), "line", x.location());
  return *this;
}
Figure &Figure::scatter(const Operand &x, const Operand &y, const ScatterOptions &options) {
  Series series = pointsOf(Series::scatter, "scatter", x, y);
  series.label = options.label;
  series.color = options.color;
  series.size = options.size;
  addSeries(*body_.get(), std::move(series), "scatter", x.location());
  return *this;
}
Figure &Figure::bar(const std::vector<std::string> &categories, const Operand &heights, const BarOptions &options) {
  Series series{Series::bar, options.label, options.color, {}, rowOf("bar", heights)};
  FigureBody &body = *body_.get();
  if (series.y.size() != categories.size())
    fail("bar",
         "expected as many categories as heights, got " + std::to_string(categories.size()) + " and " +
             std::to_string(series.y.size()),
         heights.location());
  if (!body.series.empty() && body.categories != categories)
    fail("bar", "expected the categories of the bars before", heights.location());
  if (body.options.x_scale == Scale::log)
    fail("bar", "expected a linear x axis, got a logarithmic one", heights.location());
  addSeries(body, std::move(series), "bar", heights.location());
  body.categories = categories;
  return *this;
}
Figure &Figure::histogram(const Operand &data, const HistogramOptions &options) {
  if (options.bins < 1 || options.bins > 100000)
    fail("histogram", "expected 1 to 100000 bins, got " + std::to_string(options.bins), data.location());
  std::vector<double> values = elementsOf(arrayOf("histogram", data));
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  Series series{Series::histogram, options.label, options.color, {}, {}};
  if (!values.empty()) {
    auto [low, high] = std::ranges::minmax(values);
    if (low == high) { // as NumPy
      low -= std::max(0.5, std::abs(low) * 1e-6);
      high += std::max(0.5, std::abs(high) * 1e-6);
    }
    const auto bins = static_cast<size_t>(options.bins);
    const double width = (high / 2 - low / 2) / static_cast<double>(bins); // halves: the range may be no double
    series.y.resize(bins);
    for (size_t i = 0; i <= bins; ++i)
      series.x.push_back(i == bins ? high : low + 2 * (width * static_cast<double>(i)));
    for (const double value : values) {
      const double place = (value / 2 - low / 2) / width;
      series.y[place < static_cast<double>(bins) ? static_cast<size_t>(place) : bins - 1] += 1;
    }
  }
  addSeries(*body_.get(), std::move(series), "histogram", data.location());
  return *this;
}

static void setPicture(FigureBody &body, Picture picture, const char *what, Location at) {
  if (body.picture || !body.series.empty())
    fail(what, "expected an empty figure, got one that shows something: an image is the only thing in its figure", at);
  body.picture = std::move(picture);
}

Figure &Figure::image(const Operand &pixels, const ImageOptions &options) {
  const Array array = arrayOf("image", pixels);
  const Shape shape = array.shape();
  const int rank = shape.rank();
  const int64_t channels = rank == 3 ? shape[2].value() : 1;
  if ((rank != 2 && rank != 3) || (channels != 1 && channels != 3 && channels != 4) || shape[0].value() < 1 ||
      shape[1].value() < 1)
    fail("image",
         "expected at least one pixel, (height, width) or (height, width, 1, 3 or 4 channels), got shape " +
             shape.str(),
         pixels.location());
  const std::vector<double> values = elementsOf(array);
  std::vector<uint8_t> bytes;
  Picture picture{shape[1].value(), shape[0].value(), "", {}, {}};
  if (channels == 1) {
    AxisScale range(Scale::linear);
    for (const double value : values)
      range.include(value);
    picture.hasScale = true;
    picture.low = range.low();
    picture.high = range.high();
    picture.colormap = options.colormap;
    for (const double value : values) {
      const double share = range.low() < range.high() ? range.place(value) : 0.5;
      const Color color = std::isnan(value) ? Color{255, 255, 255} : colorAt(options.colormap, share);
      bytes.insert(bytes.end(), {color.red, color.green, color.blue});
    }
  } else {
    for (const double value : values)
      bytes.push_back(array.dtype() == u8 ? static_cast<uint8_t>(value) : tenon::detail::byteOf(value));
  }
  picture.png = tenon::detail::pngOf(bytes, static_cast<uint32_t>(picture.width), static_cast<uint32_t>(picture.height),
                                     channels == 4 ? 4 : 3);
  setPicture(*body_.get(), std::move(picture), "image", pixels.location());
  return *this;
}
Figure &Figure::confusion_matrix(const Operand &counts, const ConfusionMatrixOptions &options) {
  const Array array = arrayOf("confusion_matrix", counts);
  if (array.ndim() != 2 || array.shape()[0].value() != array.shape()[1].value() || array.shape()[0].value() < 1)
    fail("confusion_matrix", "expected a square matrix, got shape " + array.shape().str(), counts.location());
  const int64_t size = array.shape()[0].value();
  std::vector<std::string> classes = options.classes;
  if (classes.empty())
    for (int64_t i = 0; i < size; ++i)
      classes.push_back(std::to_string(i));
  if (static_cast<int64_t>(classes.size()) != size)
    fail("confusion_matrix",
         "expected a name for each of " + std::to_string(size) + " classes, got " + std::to_string(classes.size()),
         counts.location());
  setPicture(*body_.get(), {size, size, "", elementsOf(array), std::move(classes)}, "confusion_matrix",
             counts.location());
  return *this;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::string document(double width, double height, const std::string &content) {
  const std::string sizes = decimal(width) + "\" height=\"" + decimal(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + sizes + "\" viewBox=\"0 0 " + decimal(width) + " " +
         decimal(height) + "\" font-family=\"system-ui, Helvetica, Arial, sans-serif\">\n<rect width=\"" + sizes +
         "\" fill=\"white\"/>\n" + content + "</svg>\n";
}

std::string plot::svg_of(const std::vector<Figure> &figures, int64_t columns, Location at) {
  if (columns < 1)
    fail("svg_of", "expected at least 1 column, got " + std::to_string(columns), at);
  std::string content;
  double x = 0, y = 0, width = 0, row = 0;
  for (size_t i = 0; i < figures.size(); ++i) {
    const FigureBody &body = *figures[i].body_.get();
    if (i && i % static_cast<size_t>(columns) == 0) {
      x = 0;
      y += row;
      row = 0;
    }
    content += "<g transform=\"translate(" + decimal(x) + " " + decimal(y) + ")\">\n" + body.draw() + "</g>\n";
    x += static_cast<double>(body.options.width);
    width = std::max(width, x);
    row = std::max(row, static_cast<double>(body.options.height));
  }
  return document(width, y + row, content);
}
std::string Figure::svg() const { return svg_of({*this}); }

static void writeSvg(const std::string &path, const std::string &text, Location at) {
  tenon::detail::placed(at, [&] {
    tenon::detail::OutputFile file("plot::save", path);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
  });
}
void Figure::save(const std::string &path, Location at) const { writeSvg(path, svg(), at); }
void plot::save(const std::string &path, const std::vector<Figure> &figures, int64_t columns, Location at) {
  writeSvg(path, svg_of(figures, columns, at), at);
}

//===- plot.h - pictures of numbers, as SVG ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   plot::Figure figure({.title = "Training", .x_label = "epoch", .y_label = "loss", .y_scale = plot::Scale::log});
//   figure.line(loss, {.label = "training"}).line(val_loss, {.label = "validation"});
//   figure.save("loss.svg");
//
// Numbers are arrays, vectors or lists of real numbers, which are read when they are given: not in traced functions.
// Where a number is NaN or infinite, or not positive on a logarithmic axis, a line has a gap and a point is left out.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>
#include <tenon/detail/state_ref.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace tenon::plot {

enum class Scale : uint8_t { linear, log };
enum class Colormap : uint8_t { viridis, gray };

struct FigureOptions {
  std::string title = {}, x_label = {}, y_label = {};
  Scale x_scale = Scale::linear, y_scale = Scale::linear;
  /// In pixels.
  int64_t width = 640, height = 400;
};
/// Options of what is drawn. A series with a label stands in the legend. A color is a CSS color; left out, the figure
/// takes the next one of ten.
struct LineOptions {
  std::string label = {}, color = {};
  double width = 2;
  bool dashed = false;
};
struct ScatterOptions {
  std::string label = {}, color = {};
  /// Radius in pixels.
  double size = 3;
};
struct BarOptions {
  std::string label = {}, color = {};
};
struct HistogramOptions {
  int64_t bins = 30;
  std::string label = {}, color = {};
};
struct ImageOptions {
  /// Colors of an image of one channel, from its least to its greatest element.
  Colormap colormap = Colormap::viridis;
};
struct ConfusionMatrixOptions {
  std::vector<std::string> classes = {};
};

class FigureBody;
void retain(FigureBody *body);
void release(FigureBody *body);

/// A picture with two axes. A handle: copies are the same figure.
class Figure {
public:
  explicit Figure(const FigureOptions &options = {}, Location at = Location::current());

  /// A line through (0, y[0]), (1, y[1]), ...
  Figure &line(const Operand &y, const LineOptions &options = {});
  /// A line through the points (x[i], y[i]).
  template <class Y>
    requires std::is_constructible_v<Operand, const Y &>
  Figure &line(const Operand &x, const Y &y, const LineOptions &options = {}) {
    return line_through(x, Operand(y), options);
  }
  template <tenon::detail::Number T>
  Figure &line(const Operand &x, std::initializer_list<T> y, const LineOptions &options = {}) {
    return line_through(x, Operand(y), options);
  }
  /// A dot at each point (x[i], y[i]).
  Figure &scatter(const Operand &x, const Operand &y, const ScatterOptions &options = {});
  /// A bar for each category. Several calls, of the same categories, stand side by side.
  Figure &bar(const std::vector<std::string> &categories, const Operand &heights, const BarOptions &options = {});
  /// How many elements lie in each of `bins` intervals of equal width.
  Figure &histogram(const Operand &data, const HistogramOptions &options = {});
  /// An image of shape (height, width), with a scale of its colors, or (height, width, channels) with 1, 3 or 4
  /// channels: floats in [0, 1] or u8. The only one in its figure.
  Figure &image(const Operand &pixels, const ImageOptions &options = {});
  /// A square matrix of counts: rows are the true classes, columns the predicted ones. A color is the share in its row.
  /// The only one in its figure.
  Figure &confusion_matrix(const Operand &counts, const ConfusionMatrixOptions &options = {});

  /// The picture as the text of an SVG file.
  std::string svg() const;
  /// Writes it to a file, which is replaced at once.
  void save(const std::string &path, Location at = Location::current()) const;

private:
  Figure &line_through(const Operand &x, const Operand &y, const LineOptions &options);
  friend std::string svg_of(const std::vector<Figure> &figures, int64_t columns, Location at);
  detail::StateRef<FigureBody> body_;
};

/// Several figures as one picture, row by row.
std::string svg_of(const std::vector<Figure> &figures, int64_t columns = 1, Location at = Location::current());
/// Writes several figures to one SVG file.
void save(const std::string &path, const std::vector<Figure> &figures, int64_t columns = 1,
          Location at = Location::current());

} // namespace tenon::plot

//===- Text.cpp - arrays as text --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of numpy/_core/arrayprint.py (_formatArray).
//===----------------------------------------------------------------------===//
#include "Text.h"

#include "FloatText.h"
#include "lib/base/FloatingPoint.h"

#include <algorithm>
#include <cstring>

using namespace tenon;
using namespace tenon::detail;

template <class T>
static T load(const StridedData &array, int64_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char *>(array.data) + offset * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

static bool loadBool(const StridedData &array, int64_t offset) { return load<uint8_t>(array, offset) != 0; }

static std::string integerText(const StridedData &array, int64_t offset) {
  return visitDtype(array.dtype, [&]<Dtype D>() -> std::string {
    if constexpr (kind(D) == Kind::integer)
      return std::to_string(load<typename ElementOf<D>::type>(array, offset));
    else
      __builtin_unreachable();
  });
}

static complex128_t loadComplex(const StridedData &array, int64_t offset) {
  return visitDtype(array.dtype, [&]<Dtype D>() -> complex128_t {
    if constexpr (kind(D) == Kind::complex) {
      auto value = load<typename ElementOf<D>::type>(array, offset);
      return {value.real, value.imag};
    } else {
      __builtin_unreachable();
    }
  });
}

static double loadReal(const StridedData &array, int64_t offset) {
  return visitDtype(array.dtype, [&]<Dtype D>() -> double {
    if constexpr (kind(D) == Kind::floating)
      return load<typename ElementOf<D>::type>(array, offset);
    else
      __builtin_unreachable();
  });
}

/// One element as format() writes a number.
static std::string formatted(const StridedData &array, int64_t offset, std::string_view field) {
  const FormatText text(field, {}); // the call of format() around this one knows the user's line
  return visitDtype(array.dtype, [&]<Dtype D>() -> std::string {
    if constexpr (D == Dtype::bool_)
      return format(text, loadBool(array, offset));
    else
      return format(text, load<typename ElementOf<D>::type>(array, offset));
  });
}

namespace {
/// Formats single elements to the common width of the array.
class ElementText {
public:
  ElementText(const StridedData &array, const std::vector<int64_t> &shown, std::string_view field)
      : array_(array), field_(field) {
    for (int64_t offset : shown)
      width_ = std::max(width_, formatted(array, offset, field).size());
  }
  ElementText(const StridedData &array, const std::vector<int64_t> &shown, const PrintOptions &options)
      : array_(array) {
    switch (kind(array.dtype)) {
    case Kind::boolean:
      return;
    case Kind::integer:
      for (int64_t offset : shown)
        width_ = std::max(width_, integerText(array, offset).size());
      return;
    case Kind::floating: {
      std::vector<double> values;
      for (int64_t offset : shown)
        values.push_back(loadReal(array, offset));
      real_ = FloatText(values, array.dtype, options, /*plus=*/false);
      return;
    }
    case Kind::complex: {
      std::vector<double> reals, imags;
      for (int64_t offset : shown) {
        const complex128_t value = loadComplex(array, offset);
        reals.push_back(value.real);
        imags.push_back(value.imag);
      }
      const Dtype part = array.dtype == Dtype::c64 ? Dtype::f32 : Dtype::f64;
      real_ = FloatText(reals, part, options, /*plus=*/false);
      imag_ = FloatText(imags, part, options, /*plus=*/true);
    }
    }
  }

  std::string operator()(int64_t offset) const {
    if (!field_.empty())
      return padded(formatted(array_, offset, field_));
    switch (kind(array_.dtype)) {
    case Kind::boolean:
      if (!loadBool(array_, offset))
        return "False";
      return array_.dims.empty() ? "True" : " True";
    case Kind::integer:
      return padded(integerText(array_, offset));
    case Kind::floating:
      return real_(loadReal(array_, offset));
    case Kind::complex:
      break;
    }
    const complex128_t value = loadComplex(array_, offset);
    std::string imag = imag_(value.imag);
    imag.insert(imag.find_last_not_of(' ') + 1, 1, 'j');
    return real_(value.real) + imag;
  }

private:
  std::string padded(const std::string &text) const {
    return std::string(width_ - std::min(width_, text.size()), ' ') + text;
  }

  const StridedData &array_;
  std::string_view field_;
  size_t width_ = 0;
  FloatText real_, imag_;
};

/// Brackets, rows, wrapping and "...".
class Layout {
public:
  /// `style`: what ElementText takes besides, the options or a field.
  template <class Style>
  Layout(const StridedData &array, const PrintOptions &options, const Style &style)
      : array_(array), options_(options), summarize_(exceeds(array.dims, options.threshold)),
        element_(array, shownOffsets(), style) {}

  std::string text() {
    if (array_.dims.empty())
      return element_(0);
    axis(0, 0);
    return std::move(out_);
  }

private:
  static bool exceeds(std::span<const int64_t> dims, int64_t threshold) {
    int64_t size = 1;
    for (int64_t dim : dims)
      if (__builtin_mul_overflow(size, dim, &size))
        return true;
    return size > threshold;
  }

  bool elided(int64_t dim) const { return summarize_ && dim > 2 * options_.edge_items; }

  /// The elements the column widths are made from.
  std::vector<int64_t> shownOffsets() const {
    std::vector<int64_t> shown;
    collect(0, 0, shown);
    return shown;
  }

  void collect(size_t axis, int64_t offset, std::vector<int64_t> &shown) const {
    if (axis == array_.dims.size()) {
      shown.push_back(offset);
      return;
    }
    int64_t dim = array_.dims[axis];
    // With no edge items NumPy shows the last element but looks at all.
    bool skips = elided(dim) && options_.edge_items > 0;
    for (int64_t i = 0; i < dim; ++i) {
      if (skips && i == options_.edge_items)
        i = dim - options_.edge_items;
      collect(axis + 1, offset + i * array_.strides[axis], shown);
    }
  }

  void axis(size_t axis, int64_t offset) {
    int64_t dim = array_.dims[axis], edge = options_.edge_items, indent = axis + 1;
    size_t left = array_.dims.size() - axis;
    bool skips = elided(dim);
    out_ += '[';
    if (left == 1) {
      row(offset, skips);
      out_ += ']';
      return;
    }
    std::string between = std::string(left - 1, '\n') + std::string(indent, ' ');
    for (int64_t i = 0; i < dim; ++i) {
      if (skips && i == edge) {
        out_ += "..." + between;
        i = dim - std::max<int64_t>(edge, 1);
      }
      this->axis(axis + 1, offset + i * array_.strides[axis]);
      if (i + 1 < dim)
        out_ += between;
    }
    out_ += ']';
  }

  /// The last axis. A line that would pass the width is broken before the word,
  /// unless the word would be alone on it anyway.
  void row(int64_t offset, bool skips) {
    int64_t dim = array_.dims.back(), stride = array_.strides.back(), edge = options_.edge_items;
    size_t indent = array_.dims.size();
    // Every open bracket will need a closing one at the end of the line.
    int64_t width = options_.line_width - static_cast<int64_t>(indent);
    std::string line(indent, ' ');
    bool firstLine = true;
    auto flush = [&] {
      out_.append(line, firstLine ? indent : 0);
      firstLine = false;
    };
    auto add = [&](const std::string &word) {
      if (static_cast<int64_t>(line.size() + word.size()) > width && line.size() > indent) {
        line.erase(line.find_last_not_of(' ') + 1);
        flush();
        out_ += '\n';
        line.assign(indent, ' ');
      }
      line += word;
    };
    for (int64_t i = 0; i < dim; ++i) {
      if (skips && i == edge) {
        add("...");
        line += ' ';
        i = dim - std::max<int64_t>(edge, 1);
      }
      add(element_(offset + i * stride));
      if (i + 1 < dim)
        line += ' ';
    }
    flush();
  }

  const StridedData &array_;
  const PrintOptions &options_;
  bool summarize_;
  ElementText element_;
  std::string out_;
};
} // namespace

template <class Style>
static std::string layoutText(const StridedData &array, const PrintOptions &options, const Style &style) {
  if (std::find(array.dims.begin(), array.dims.end(), 0) != array.dims.end())
    return "[]";
  return rt::inDefaultFloatingPoint([&] { return Layout(array, options, style).text(); });
}

std::string tenon::detail::arrayText(const StridedData &array, const PrintOptions &options) {
  return layoutText(array, options, options);
}

std::string tenon::detail::arrayText(const StridedData &array, const PrintOptions &options, std::string_view field) {
  return layoutText(array, options, field);
}

std::string tenon::detail::arrayRepr(const StridedData &array, const PrintOptions &options) {
  return "Array(" + arrayText(array, options) + ", shape=" + shapeText(array.dims) +
         ", dtype=" + std::string(name(array.dtype)) + ")";
}

std::string tenon::detail::shapeText(std::span<const int64_t> dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + (dims.size() == 1 ? ",)" : ")");
}

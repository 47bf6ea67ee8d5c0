//===- FourierCases.cpp - Fourier transforms ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Calls.h"

#include <tenon/ops.h>

namespace tenon::conformance {

/// One call: the lengths and axes of the transforms, where they are given.
struct Spectrum {
  Dims dims;
  Dims lengths = {};
  Dims axes = {-1};
  FftNorm norm = FftNorm::backward;
  Layout layout = Layout::dense;
  Fill fill = Fill::normal;
};

static std::string numbersText(const Dims &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

static std::string attributesOf(const Spectrum &of) {
  return format("\"lengths\": {}, \"axes\": {}, \"norm\": \"{}\"", numbersText(of.lengths), numbersText(of.axes),
                name(of.norm));
}

static std::string labelOf(const Spectrum &of) {
  std::string label = dimsText(of.dims) + " over";
  for (int64_t axis : of.axes)
    label += " " + std::to_string(axis);
  for (int64_t length : of.lengths)
    label += " n" + std::to_string(length);
  if (of.norm != FftNorm::backward)
    label += " " + std::string(name(of.norm));
  if (of.layout != Layout::dense)
    label += of.layout == Layout::transposed ? " transposed" : of.layout == Layout::reversed ? " reversed" : " strided";
  return label;
}

/// Complex results as their parts: the loss that is differentiated is one of real numbers.
static std::vector<Array> partsOf(const Array &y) {
  if (kind(y.dtype()) == Kind::complex)
    return {real(y), imag(y)};
  return {y};
}

template <class F>
static void add(CaseList &list, const Spectrum &of, F transform, bool isForAll) {
  const Input input = {list.dtype(), of.dims, of.fill, of.layout};
  const bool isComplex = kind(list.dtype()) == Kind::complex;
  const Function f = [=](List x) { return partsOf(transform(x[0], of)); };
  list.plain(labelOf(of), {input}, f, attributesOf(of)).allColumns = isForAll && !isComplex;
}

using Along = Array (*)(const Array &x, const Spectrum &of);

static std::optional<Dim> lengthOf(const Spectrum &of) {
  return of.lengths.empty() ? std::nullopt : std::optional<Dim>(of.lengths[0]);
}
template <Array (*transform)(const Operand &, const FftOptions &)>
static Array along(const Array &x, const Spectrum &of) {
  return transform(x, {.n = lengthOf(of), .axis = of.axes[0], .norm = of.norm});
}
template <Array (*transform)(const Operand &, const RealFftOptions &)>
static Array alongReal(const Array &x, const Spectrum &of) {
  return transform(x, {.n = lengthOf(of), .axis = of.axes[0], .norm = of.norm});
}
template <class Options, Array (*transform)(const Operand &, const Options &)>
static Array overAxes(const Array &x, const Spectrum &of) {
  return transform(x, {.s = Shape(of.lengths), .axis = Ints(of.axes), .norm = of.norm});
}

/// The public functions of one axis.
template <Along transform>
static void one(CaseList &list) {
  add(list, {{5}}, transform, true);
  add(list, {{2, 4}, {6}, {-1}, FftNorm::ortho}, transform, true);
  add(list, {{6, 2}, {5}, {0}, FftNorm::forward}, transform, true);
  add(list, {{3, 1, 2}, {4}, {-2}}, transform, false);
  add(list, {{12, 3}, {}, {0}, FftNorm::ortho, Layout::transposed}, transform, false);
}
template <Along transform>
static void many(CaseList &list) {
  add(list, {{3, 4}, {}, {-2, -1}}, transform, true);
  add(list, {{2, 3, 2}, {3, 4}, {0, 2}, FftNorm::ortho}, transform, true);
  add(list, {{4, 2, 3}, {3, 2}, {2, 0}, FftNorm::forward, Layout::transposed}, transform, false);
}

/// The op, over every kind of length: one phase, two phases, convolutions; many rows, few, one.
static void dfts(CaseList &list) {
  const bool isComplex = kind(list.dtype()) == Kind::complex;
  auto all = [&](const Spectrum &of, bool isForAll = false) {
    if (!isComplex)
      return add(list, of, along<fft::rfft>, isForAll);
    for (const std::string_view kind : {"fft", "ifft", "irfft"}) {
      Spectrum named = of;
      const int64_t axis = of.axes[0] < 0 ? of.axes[0] + static_cast<int64_t>(of.dims.size()) : of.axes[0];
      if (kind == "irfft")
        named.lengths = {of.dims[static_cast<size_t>(axis)]},
        named.dims[static_cast<size_t>(axis)] = of.dims[static_cast<size_t>(axis)] / 2 + 1;
      const Input input = {list.dtype(), named.dims, of.fill, of.layout};
      const Along transform = kind == "fft"    ? along<fft::fft>
                              : kind == "ifft" ? along<fft::ifft>
                                               : alongReal<fft::irfft>;
      list.plain(
          std::string(kind) + " " + labelOf(named), {input},
          [=](List x) { return std::vector{transform(x[0], named)}; },
          attributesOf(named) + format(", \"kind\": \"{}\"", kind));
    }
  };
  all({{5}}, true);
  all({{2, 6}, {}, {1}, FftNorm::ortho}, true);
  all({{4, 3}, {}, {0}, FftNorm::forward}, true);
  all({{19, 2}, {}, {0}}, true);
  for (int64_t n : {1, 2, 3, 7, 11, 13, 16, 17, 30, 64, 77, 97, 128, 143, 256, 360, 509, 1000})
    for (int64_t rows : {1, 9})
      all({{rows, n}});
  all({{97, 21}, {}, {0}});
  all({{100, 40}, {}, {0}});
  all({{2, 96, 17}, {}, {1}});
  all({{3, 0, 4}, {}, {2}});
  all({{0, 5}, {}, {1}});
  all({{72, 5}, {}, {0}, FftNorm::backward, Layout::reversed});
  all({{5, 72}, {}, {1}, FftNorm::backward, Layout::strided});
  all({{20, 24}, {}, {1}, FftNorm::backward, Layout::transposed});
}

template <Array (*function)(int, double, Dtype, std::optional<Device>, Location)>
static void frequencies(CaseList &list) {
  for (int n : {1, 2, 7, 8})
    for (double d : {1.0, 0.25, 0.1}) {
      const Dtype t = list.dtype();
      list.plain(
          format("{} apart {}", n, d), {},
          [=](List) { return std::vector{function(n, d, t, std::nullopt, Location::current())}; },
          format("\"n\": {}, \"d\": {}", n, d));
    }
}

template <Array (*function)(const Operand &, const Ints &)>
static void shifts(CaseList &list) {
  conformance::one(list, {5}, "", [](const Array &x) { return function(x, {}); });
  conformance::one(list, {4, 3}, "", [](const Array &x) { return function(x, {}); });
  conformance::one(list, {2, 5}, "\"axes\": [1]", [](const Array &x) { return function(x, -1); }, true);
}

template <Array (*transform)(const Operand &, const DctOptions &)>
static void cosines(CaseList &list) {
  auto add = [&](const Spectrum &of, int type, bool isForAll) {
    const Function f = [=](List x) {
      return std::vector{transform(x[0], {.type = type, .n = lengthOf(of), .axis = of.axes[0], .norm = of.norm})};
    };
    list.plain(format("type {} ", type) + labelOf(of), {{list.dtype(), of.dims, of.fill, of.layout}}, f,
               attributesOf(of) + format(", \"type\": {}", type))
        .allColumns = isForAll;
  };
  for (int type : {2, 3}) {
    add({{5}}, type, true);
    add({{2, 4}, {6}, {-1}, FftNorm::ortho}, type, true);
    add({{6, 2}, {5}, {0}, FftNorm::forward}, type, false);
    for (int64_t n : {1, 2, 3, 30, 97})
      add({{3, n}, {}, {1}, FftNorm::ortho}, type, false);
  }
}

static void convolutions(CaseList &list) {
  for (const ConvolutionMode mode : {ConvolutionMode::full, ConvolutionMode::same, ConvolutionMode::valid}) {
    auto add = [&](Dims dims1, Dims dims2, Dims axes) {
      const Function f = [=](List x) {
        return partsOf(signal::fftconvolve(x[0], x[1], {.mode = mode, .axis = Ints(axes)}));
      };
      list.plain(dimsText(dims1) + "," + dimsText(dims2) + " " + std::string(name(mode)),
                 {{list.dtype(), dims1}, {list.dtype(), dims2}}, f,
                 format("\"mode\": \"{}\", \"axes\": {}", name(mode), numbersText(axes)))
          .allColumns = kind(list.dtype()) != Kind::complex;
    };
    add({7}, {3}, {0});
    add({2, 4}, {1, 5}, {1});
    add({4, 5}, {3, 2}, {0, 1});
  }
}

static const OpCases table[] = {
    {"dct", cosines<fft::dct>},
    {"idct", cosines<fft::idct>},
    {"fftconvolve", convolutions},
    {"dft", dfts},
    {"fft", one<along<fft::fft>>},
    {"ifft", one<along<fft::ifft>>},
    {"rfft", one<along<fft::rfft>>},
    {"irfft", one<alongReal<fft::irfft>>},
    {"hfft", one<alongReal<fft::hfft>>},
    {"ihfft", one<along<fft::ihfft>>},
    {"fft2", many<overAxes<Fft2Options, fft::fft2>>},
    {"ifft2", many<overAxes<Fft2Options, fft::ifft2>>},
    {"rfft2", many<overAxes<Fft2Options, fft::rfft2>>},
    {"irfft2", many<overAxes<Fft2Options, fft::irfft2>>},
    {"fftn", many<overAxes<FftnOptions, fft::fftn>>},
    {"ifftn", many<overAxes<FftnOptions, fft::ifftn>>},
    {"rfftn", many<overAxes<FftnOptions, fft::rfftn>>},
    {"irfftn", many<overAxes<FftnOptions, fft::irfftn>>},
    {"fftfreq", frequencies<fft::fftfreq>},
    {"rfftfreq", frequencies<fft::rfftfreq>},
    {"fftshift", shifts<fft::fftshift>},
    {"ifftshift", shifts<fft::ifftshift>},
};
std::span<const OpCases> fourierCases() { return table; }

} // namespace tenon::conformance

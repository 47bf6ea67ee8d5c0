//===- SignalCases.cpp - short-time transforms, filters, periodic windows -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Calls.h"

#include <tenon/ops.h>

namespace tenon::conformance {

/// Complex results as their parts: the loss that is differentiated is one of real numbers.
static std::vector<Array> partsOf(const Array &y) {
  if (kind(y.dtype()) == Kind::complex)
    return {real(y), imag(y)};
  return {y};
}
static std::vector<Array> partsOf(const Array &y, const Array &z) {
  std::vector<Array> all = partsOf(y);
  for (const Array &part : partsOf(z))
    all.push_back(part);
  return all;
}

static std::string framesText(int n, int hop, bool center, bool normalized, bool onesided) {
  return format("\"n_fft\": {}, \"hop\": {}, \"center\": {}, \"normalized\": {}, \"onesided\": {}", n, hop,
                center ? "true" : "false", normalized ? "true" : "false", onesided ? "true" : "false");
}

static void stfts(CaseList &list) {
  const Dtype t = list.dtype();
  const bool isComplex = kind(t) == Kind::complex;
  const auto add = [&](std::string label, Dims dims, int n, StftOptions options, std::optional<int64_t> window,
                       bool isForAll, Layout layout = Layout::dense) {
    const Function f = [=](List x) {
      StftOptions all = options;
      if (x.size() > 1)
        all.window = x[1];
      return partsOf(signal::stft(x[0], n, all));
    };
    std::vector<Input> inputs{{t, std::move(dims), Fill::normal, layout}};
    if (window)
      inputs.push_back({isComplex ? Dtype::f32 : t, {*window}, Fill::positive});
    list.plain(std::move(label), std::move(inputs), f,
               framesText(n, options.hop_length.value_or(std::max(n / 4, 1)), options.center, options.normalized,
                          options.onesided.value_or(!isComplex)) +
                   format(", \"pad_mode\": \"{}\"", name(options.pad_mode)))
        .allColumns = isForAll && !isComplex;
  };
  add("9 of 4", {9}, 4, {}, {}, true);
  add("2x11 of 5, window of 4, not centered", {2, 11}, 5, {.hop_length = 3, .center = false}, 4, true);
  add("8 of 4 both sides, normalized", {8}, 4, {.hop_length = 2, .normalized = true, .onesided = false}, 4, true);
  add("2x3x40 of 16, wrapped", {2, 3, 40}, 16, {.pad_mode = PadMode::wrap}, 16, false);
  add("33x2 of 1, transposed", {33, 2}, 1, {.hop_length = 2}, {}, false, Layout::transposed);
  add("7 of 7, apart", {30}, 7, {.hop_length = 11, .pad_mode = PadMode::edge}, 7, false);
}

static void istfts(CaseList &list) {
  const Dtype t = list.dtype();
  const bool isComplex = kind(t) == Kind::complex;
  const auto add = [&](std::string label, Dims dims, int n, IstftOptions options, std::optional<int64_t> window,
                       bool isForAll) {
    const Function f = [=](List x) {
      IstftOptions all = options;
      if (x.size() > 1)
        all.window = x[1];
      return partsOf(signal::istft(x[0], n, all));
    };
    std::vector<Input> inputs{{t, std::move(dims)}};
    if (window)
      inputs.push_back({isComplex ? Dtype::f32 : t, {*window}, Fill::positive});
    list.plain(std::move(label), std::move(inputs), f,
               framesText(n, options.hop_length.value_or(std::max(n / 4, 1)), options.center, options.normalized,
                          options.onesided) +
                   (options.length ? format(", \"length\": {}", options.length->value()) : ""))
        .allColumns = isForAll && !isComplex;
  };
  add("3x4 of 4", {3, 4}, 4, {}, {}, true);
  add("2x3x3 of 5, window, not centered", {2, 3, 3}, 5, {.hop_length = 3, .center = false}, 5, true);
  add("3x3 of 4, longer", {3, 3}, 4, {.hop_length = 2, .normalized = true, .length = 11}, 4, true);
  add("9x6 of 16, shorter", {9, 6}, 16, {.length = 13}, 16, false);
  add("6x5 of 6 both sides", {6, 5}, 6, {.onesided = false}, 6, false);
}

static void lfilters(CaseList &list) {
  const Dtype t = list.dtype();
  const bool isComplex = kind(t) == Kind::complex;
  const auto add = [&](std::string label, int64_t b, int64_t a, Dims dims, Dims zi, int axis, bool isForAll,
                       Layout layout = Layout::dense) {
    const Function f = [axis](List x) {
      const auto [y, zf] = signal::lfilter(x[0], x[1], x[2], {.axis = axis, .zi = x.size() > 3 ? x[3] : Array()});
      return partsOf(y, zf);
    };
    std::vector<Input> inputs{
        {t, {b}, Fill::nonzero}, {t, {a}, Fill::positive}, {t, std::move(dims), Fill::normal, layout}};
    if (!zi.empty())
      inputs.push_back({t, std::move(zi)});
    list.plain(std::move(label), std::move(inputs), f, format("\"axis\": {}", axis)).allColumns =
        isForAll && !isComplex && t != Dtype::bf16; // the differences of bf16 are too coarse
  };
  add("2 by 2", 2, 2, {4}, {}, 0, true);
  add("3 by 2 with a state", 3, 2, {3, 2}, {2, 2}, 0, true);
  add("1 by 1", 1, 1, {2, 3}, {}, 1, true);
  add("1 by 3", 1, 3, {2, 9}, {2, 2}, 1, false);
  add("4 by 1, one state for all", 4, 1, {2, 7, 3}, {1, 3, 1}, 1, false);
  add("2 by 2 transposed", 2, 2, {5, 4}, {}, 0, false, Layout::transposed);
  add("no samples", 2, 3, {2, 0}, {2, 2}, 1, false);
}

static void windows(CaseList &list) {
  const Dtype t = list.dtype();
  for (const WindowFunction window : {WindowFunction::boxcar, WindowFunction::bartlett, WindowFunction::hann,
                                      WindowFunction::hamming, WindowFunction::blackman, WindowFunction::kaiser})
    for (const bool fftbins : {true, false})
      for (const int size : {0, 1, 2, 7, 8})
        list.plain(
            format("{} {}{}", name(window), size, fftbins ? "" : " symmetric"), {},
            [=](List) { return std::vector{signal::get_window(window, size, fftbins, 8.5, t)}; },
            format("\"window\": \"{}\", \"size\": {}, \"fftbins\": {}", name(window), size,
                   fftbins ? "true" : "false"));
}

static const OpCases table[] = {
    {"stft", stfts},
    {"istft", istfts},
    {"lfilter", lfilters},
    {"get_window", windows},
};
std::span<const OpCases> signalCases() { return table; }

} // namespace tenon::conformance

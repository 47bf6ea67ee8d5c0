//===- Spectral.cpp - functions that are made of Fourier transforms --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Fourier.h"
#include "lib/ops/composites/Floats.h"

#include <algorithm>
#include <numbers>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Cosine transforms
//===----------------------------------------------------------------------===//

namespace {

/// A cosine transform of length n along an axis of x, which has n elements there. Source: J. Makhoul, "A fast cosine
/// transform in one and two dimensions", 1980.
struct Cosines {
  const Array &x;
  int axis;
  Dim n;
  Location at;

  /// Elements of half of a spectrum.
  Dim half() const { return floor_div(n, 2) + 1; }

  Array along(const Array &values) const {
    Shape shape;
    for (int i = 0; i < x.ndim(); ++i)
      shape.push_back(i == axis ? values.shape()[0] : Dim(1));
    return reshape(values, shape);
  }
  Array numbered(Dim count) const { return iota(count, Dtype::i64, x.device(), at); }
  /// n in f64, of rank 0.
  Array length() const { return convert(sizeOf(n, x.device(), at), Dtype::f64, at); }

  /// cos and sin of pi k / (2 n) for k < half().
  std::pair<Array, Array> roots() const {
    const Array angles = convert(numbered(half()), Dtype::f64, at) * (std::numbers::pi / 2) / length();
    return {along(convert(cos(angles), x.dtype(), at)), along(convert(sin(angles), x.dtype(), at))};
  }

  /// Of element 0 `first`, of the others 1, for `count` elements along the axis.
  Array firstTimes(double first) const {
    return along(where(numbered(n) == 0, full({}, first, x.dtype(), x.device()), full({}, 1, x.dtype(), x.device())));
  }
  Array scaled(const Array &y, FftNorm norm, bool isDivided) const {
    if (norm == FftNorm::ortho)
      return y * convert(1.0 / sqrt(2.0 * length()), x.dtype(), at);
    return isDivided ? y * convert(0.5 / length(), x.dtype(), at) : y;
  }

  /// The sum over j of 2 x[j] cos(pi k (2 j + 1) / (2 n)).
  Array second() const {
    Array order = partOf(x, axis, 0, n, 2);
    if (n.raw() != 1)
      order = concatenate({order, partOf(x, axis, 2 * floor_div(n, 2) - 1, -1, -2)}, axis);
    // Of a symbol it is not known that both parts have n elements.
    const Array spectrum = dft(fittedTo(order, axis, n), axis, "rfft", "one", {}, at), re = real(spectrum),
                im = imag(spectrum);
    const auto [c, s] = roots();
    const Array back = 2 * (re * s - im * c);
    // Element n - k is that of the conjugate.
    return concatenate({2 * (re * c + im * s), partOf(back, axis, n - half(), 0, -1)}, axis);
  }

  /// x[0] plus the sum over j > 0 of 2 x[j] cos(pi (2 k + 1) j / (2 n)).
  Array third(const Array &given) const {
    const Array ahead = partOf(given, axis, 0, half());
    const Array behind =
        concatenate({zeros_like(partOf(given, axis, 0, 1)), partOf(given, axis, n - 1, n - half(), -1)}, axis);
    const auto [c, s] = roots();
    const Array spectrum = complex(ahead * c + behind * s, ahead * s - behind * c);
    const Array order = dft(spectrum, axis, "irfft", "one", n, at);
    if (n.raw() == 1)
      return order;
    // The first elements go to the even places, the last ones, backwards, to the odd places.
    const Dim evens = n - floor_div(n, 2);
    const Array odds = fittedTo(partOf(order, axis, n - 1, evens - 1, -1), axis, evens);
    const Array pairs = stack({partOf(order, axis, 0, evens), odds}, axis + 1);
    Shape shape = x.shape();
    shape.at(axis) = 2 * evens;
    return partOf(reshape(pairs, shape), axis, 0, n);
  }
};

} // namespace

static Array cosineTransform(const char *name, const Operand &operand, int type, std::optional<Dim> n, Axis axis,
                             FftNorm norm, bool isInverse) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  expectMode(name, "FftNorm", norm, at);
  if (type != 2 && type != 3)
    refuse("expected the type 2 or 3, got " + std::to_string(type), at);
  const Floats floats(name, {&operand});
  if (floats[0].ndim() == 0)
    refuse("expected an array with at least one axis, got one of rank 0", at);
  const int place = axisOf(floats[0], axis, at);
  const Dim length = n.value_or(floats[0].shape()[place]);
  if (length.is_static() && length.raw() < 1)
    refuse("expected a length n of at least 1, got " + length.str(), at);
  const Array x = fittedTo(floats[0], place, length);
  const Cosines transform{x, place, length, at};
  const bool isDivided = (norm == FftNorm::backward) == isInverse, isOrtho = norm == FftNorm::ortho;
  if ((type == 2) != isInverse) {
    const Array y = transform.second();
    return floats.rounded(
        transform.scaled(isOrtho ? y * transform.firstTimes(std::numbers::sqrt2 / 2) : y, norm, isDivided));
  }
  const Array given = isOrtho ? x * transform.firstTimes(std::numbers::sqrt2) : x;
  return floats.rounded(transform.scaled(transform.third(given), norm, isDivided));
}

Array detail::fft::dct(const Operand &x, int type, std::optional<Dim> n, Axis axis, FftNorm norm) {
  return cosineTransform("dct", x, type, n, axis, norm, false);
}
Array detail::fft::idct(const Operand &x, int type, std::optional<Dim> n, Axis axis, FftNorm norm) {
  return cosineTransform("idct", x, type, n, axis, norm, true);
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// The smallest even number >= n whose prime factors are 2, 3 and 5.
static int64_t fastLength(int64_t n) {
  for (int64_t length = n + n % 2;; length += 2) {
    int64_t rest = length;
    for (int64_t prime : {2, 3, 5})
      while (rest % prime == 0)
        rest /= prime;
    if (rest == 1)
      return length;
  }
}

Array detail::signal::fftconvolve(const Operand &operand1, const Operand &operand2, ConvolutionMode mode,
                                  const Ints &axes) {
  const Location at = operand1.location();
  DoorScope scope("fftconvolve", at, {{"x1", operand1}, {"x2", operand2}});
  expectMode("fftconvolve", "ConvolutionMode", mode, at);
  const Floats floats("fftconvolve", {&operand1, &operand2}, Dtype::f32, OpCode::subtract);
  Array x1 = floats[0], x2 = floats[1];
  if (x1.ndim() != x2.ndim() || x1.ndim() == 0)
    refuse("expected two arrays of one rank, at least 1, got " + x1.shape().str() + " and " + x2.shape().str(), at);
  std::vector<int64_t> places = normalizeAxisList(OpCode::dft, x1, axes, at);
  if (places.empty())
    refuse("expected at least one axis, got none", at);
  // What is left of the full convolution: along an axis `count` elements behind the first `start` ones.
  struct Kept {
    int64_t start, count;
  };
  Shape lengths;
  std::vector<Kept> kept;
  for (int64_t place : places) {
    const Dim size1 = x1.shape()[static_cast<int>(place)], size2 = x2.shape()[static_cast<int>(place)];
    if (!size1.is_static() || !size2.is_static() || isNone(size1) || isNone(size2))
      refuse("expected axes whose sizes are known and not 0, got " + x1.shape().str() + " and " + x2.shape().str(), at);
    const int64_t small = std::min(size1.raw(), size2.raw()), large = std::max(size1.raw(), size2.raw());
    lengths.push_back(fastLength(small + large - 1));
    kept.push_back(mode == ConvolutionMode::full   ? Kept{0, small + large - 1}
                   : mode == ConvolutionMode::same ? Kept{(small - 1) / 2, large}
                                                   : Kept{small - 1, large - small + 1});
  }
  Array result;
  if (isComplex(x1))
    result = tenon::fft::ifftn(tenon::fft::fftn(x1, {.s = lengths, .axis = places}) *
                                   tenon::fft::fftn(x2, {.s = lengths, .axis = places}),
                               {.s = lengths, .axis = places});
  else
    result = tenon::fft::irfftn(tenon::fft::rfftn(x1, {.s = lengths, .axis = places}) *
                                    tenon::fft::rfftn(x2, {.s = lengths, .axis = places}),
                                {.s = lengths, .axis = places});
  for (size_t i = 0; i < places.size(); ++i)
    result = partOf(result, static_cast<int>(places[i]), kept[i].start, kept[i].start + kept[i].count);
  return floats.rounded(result);
}

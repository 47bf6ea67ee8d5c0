//===- Fourier.cpp - the functions of the namespace fft --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Fourier.h"

#include "lib/base/Describe.h"
#include "lib/ops/composites/Floats.h"

using namespace tenon;
using namespace tenon::detail;

Array detail::dft(const Array &x, int axis, std::string_view kind, std::string_view divisor, std::optional<Dim> length,
                  Location at) {
  DftAttrs attributes{axis, kind, divisor, {}};
  if (length)
    attributes.length = {&*length, 1};
  return apply(OpCode::dft, {x.value()}, Words(attributes), at);
}

Array detail::fittedTo(const Array &x, int axis, Dim n) {
  const Dim size = x.shape()[axis];
  if (provably_equal(size, n) == Always::yes)
    return x;
  if (provably_less(n, size) == Always::yes)
    return partOf(x, axis, 0, n);
  // Which one is larger may depend on symbols: n zeros are enough in any case.
  const bool isShorter = provably_less_equal(size, n) == Always::yes;
  Shape low, high;
  for (int i = 0; i < x.ndim(); ++i)
    low.push_back(0), high.push_back(i != axis ? Dim(0) : isShorter ? n - size : n);
  const Array padded = pad(x, full({}, 0, x.dtype(), x.device()), low, high);
  return isShorter ? padded : partOf(padded, axis, 0, n);
}

namespace {

enum class Direction { forward, inverse };

/// One call of a function: what its transforms have in common.
struct Transform {
  const char *function;
  Location at;
  FftNorm norm;

  Transform(const char *function, Location at, FftNorm norm) : function(function), at(at), norm(norm) {
    expectMode(function, "FftNorm", norm, at);
  }

  /// The attribute of the op: which transforms divide by the length.
  std::string_view divisor(Direction direction) const {
    if (norm == FftNorm::ortho)
      return "sqrt";
    return (norm == FftNorm::backward) == (direction == Direction::inverse) ? "n" : "one";
  }

  /// A float as f32 or wider, anything else but complex numbers as f32.
  Array toFloats(const Operand &operand) const {
    const Array x = toArray(operand, OpCode::dft);
    const Dtype dtype = floatingDtype(x.dtype());
    if (is_storage(dtype))
      refuse("expected numbers to compute with, got " + describe(x.dtype(), x.shape()), at);
    return convert(x, wideDtype(dtype), at);
  }
  Array toReal(const Operand &operand) const {
    const Array x = toFloats(operand);
    if (isComplex(x))
      refuse("expected real numbers, got " + describe(x.dtype(), x.shape()) + "; take real(x), or use " +
                 (std::string_view(function) == "ihfft" ? "ifft" : std::string(function).substr(1)),
             at);
    return x;
  }
  Array toComplex(const Operand &operand) const {
    const Array x = toFloats(operand);
    return isComplex(x) ? x : convert(x, complexDtype(x.dtype()), at);
  }

  int axisOfCall(const Array &x, Axis axis) const {
    if (x.ndim() == 0)
      refuse("expected an array with at least one axis, got one of rank 0", at);
    return axisOf(x, axis, at);
  }

  Dim lengthOf(std::optional<Dim> given, Dim otherwise) const {
    const Dim n = given.value_or(otherwise);
    if (n.is_static() && n.raw() < 1)
      refuse(given
                 ? "expected a length n of at least 1, got " + n.str()
                 : "expected at least one element along the axis, or a length n, got a transform of length " + n.str(),
             at);
    return n;
  }
  static Dim halfOf(Dim n) { return floor_div(n, 2) + 1; }
  /// The length of the real signal of which x is half of the spectrum.
  static Dim defaultLength(const Array &x, int axis) { return 2 * (x.shape()[axis] - 1); }

  Array full1(const Array &x, std::optional<Dim> n, int axis, Direction direction) const {
    const Dim length = lengthOf(n, x.shape()[axis]);
    return dft(fittedTo(x, axis, length), axis, direction == Direction::forward ? "fft" : "ifft", divisor(direction),
               {}, at);
  }
  Array real(const Array &x, std::optional<Dim> n, int axis, Direction direction) const {
    const Dim length = lengthOf(n, x.shape()[axis]);
    return dft(fittedTo(x, axis, length), axis, "rfft", divisor(direction), {}, at);
  }
  Array toReal(const Array &x, std::optional<Dim> n, int axis, Direction direction) const {
    const Dim length = lengthOf(n, defaultLength(x, axis));
    return dft(fittedTo(x, axis, halfOf(length)), axis, "irfft", divisor(direction), length, at);
  }
};

/// The axes of a transform over several, with the lengths that were given.
struct Axes {
  std::vector<int64_t> places;
  std::vector<std::optional<Dim>> lengths;

  /// `fallback`: the number of the last axes that are meant where none are given; -1: all, or as many as lengths.
  Axes(const Transform &call, const Array &x, const Shape &s, const Ints &axes, int fallback) {
    std::vector<int64_t> given(axes.values().begin(), axes.values().end());
    if (!axes.given()) {
      const int count = fallback >= 0 ? fallback : s.empty() ? x.ndim() : s.rank();
      for (int i = -count; i < 0; ++i)
        given.push_back(i);
    }
    for (int64_t axis : given)
      places.push_back(axisOf(x, axis, call.at));
    if (!s.empty() && s.size() != places.size())
      refuse("expected as many lengths s as axes, got " + std::to_string(s.size()) + " and " +
                 std::to_string(places.size()),
             call.at);
    for (size_t i = 0; i < places.size(); ++i) {
      const bool isGiven = !s.empty() && s[static_cast<int>(i)].raw() != -1; // -1: the size of x, as in NumPy
      lengths.push_back(isGiven ? std::optional<Dim>(s[static_cast<int>(i)]) : std::nullopt);
    }
  }
  void expectOne(Location at) const {
    if (places.empty())
      refuse("expected at least one axis, got none", at);
  }
  int place(size_t i) const { return static_cast<int>(places[i]); }
};

Array overAxes(const Transform &call, Array x, const Axes &axes, size_t count, Direction direction) {
  for (size_t i = count; i-- > 0;)
    x = call.full1(x, axes.lengths[i], axes.place(i), direction);
  return x;
}

Array complexOverAxes(const char *function, const Operand &operand, const Shape &s, const Ints &axes, FftNorm norm,
                      int fallback, Direction direction) {
  const Transform call(function, operand.location(), norm);
  const Array x = call.toComplex(operand);
  const Axes all(call, x, s, axes, fallback);
  return overAxes(call, x, all, all.places.size(), direction);
}

Array realOverAxes(const char *function, const Operand &operand, const Shape &s, const Ints &axes, FftNorm norm,
                   int fallback) {
  const Transform call(function, operand.location(), norm);
  const Array x = call.toReal(operand);
  const Axes all(call, x, s, axes, fallback);
  all.expectOne(call.at);
  const size_t last = all.places.size() - 1;
  return overAxes(call, call.real(x, all.lengths[last], all.place(last), Direction::forward), all, last,
                  Direction::forward);
}

Array toRealOverAxes(const char *function, const Operand &operand, const Shape &s, const Ints &axes, FftNorm norm,
                     int fallback) {
  const Transform call(function, operand.location(), norm);
  const Array x = call.toComplex(operand);
  const Axes all(call, x, s, axes, fallback);
  all.expectOne(call.at);
  const size_t last = all.places.size() - 1;
  // The first axes in their order, as in NumPy.
  Array spectrum = x;
  for (size_t i = 0; i < last; ++i)
    spectrum = call.full1(spectrum, all.lengths[i], all.place(i), Direction::inverse);
  return call.toReal(spectrum, all.lengths[last], all.place(last), Direction::inverse);
}

} // namespace

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

Array detail::fft::fft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm) {
  DoorScope scope("fft", x.location(), {{"x", x}});
  const Transform call("fft", x.location(), norm);
  const Array z = call.toComplex(x);
  return call.full1(z, n, call.axisOfCall(z, axis), Direction::forward);
}

Array detail::fft::ifft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm) {
  DoorScope scope("ifft", x.location(), {{"x", x}});
  const Transform call("ifft", x.location(), norm);
  const Array z = call.toComplex(x);
  return call.full1(z, n, call.axisOfCall(z, axis), Direction::inverse);
}

Array detail::fft::rfft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm) {
  DoorScope scope("rfft", x.location(), {{"x", x}});
  const Transform call("rfft", x.location(), norm);
  const Array signal = call.toReal(x);
  return call.real(signal, n, call.axisOfCall(signal, axis), Direction::forward);
}

Array detail::fft::irfft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm) {
  DoorScope scope("irfft", x.location(), {{"x", x}});
  const Transform call("irfft", x.location(), norm);
  const Array z = call.toComplex(x);
  return call.toReal(z, n, call.axisOfCall(z, axis), Direction::inverse);
}

Array detail::fft::hfft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm) {
  DoorScope scope("hfft", x.location(), {{"x", x}});
  const Transform call("hfft", x.location(), norm);
  const Array z = call.toComplex(x);
  return call.toReal(conj(z), n, call.axisOfCall(z, axis), Direction::forward);
}

Array detail::fft::ihfft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm) {
  DoorScope scope("ihfft", x.location(), {{"x", x}});
  const Transform call("ihfft", x.location(), norm);
  const Array signal = call.toReal(x);
  return conj(call.real(signal, n, call.axisOfCall(signal, axis), Direction::inverse));
}

//===----------------------------------------------------------------------===//
// Several axes
//===----------------------------------------------------------------------===//

Array detail::fft::fft2(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm) {
  DoorScope scope("fft2", x.location(), {{"x", x}});
  return complexOverAxes("fft2", x, s, axes, norm, 2, Direction::forward);
}
Array detail::fft::ifft2(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm) {
  DoorScope scope("ifft2", x.location(), {{"x", x}});
  return complexOverAxes("ifft2", x, s, axes, norm, 2, Direction::inverse);
}
Array detail::fft::rfft2(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm) {
  DoorScope scope("rfft2", x.location(), {{"x", x}});
  return realOverAxes("rfft2", x, s, axes, norm, 2);
}
Array detail::fft::irfft2(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm) {
  DoorScope scope("irfft2", x.location(), {{"x", x}});
  return toRealOverAxes("irfft2", x, s, axes, norm, 2);
}
Array detail::fft::fftn(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm) {
  DoorScope scope("fftn", x.location(), {{"x", x}});
  return complexOverAxes("fftn", x, s, axes, norm, -1, Direction::forward);
}
Array detail::fft::ifftn(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm) {
  DoorScope scope("ifftn", x.location(), {{"x", x}});
  return complexOverAxes("ifftn", x, s, axes, norm, -1, Direction::inverse);
}
Array detail::fft::rfftn(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm) {
  DoorScope scope("rfftn", x.location(), {{"x", x}});
  return realOverAxes("rfftn", x, s, axes, norm, -1);
}
Array detail::fft::irfftn(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm) {
  DoorScope scope("irfftn", x.location(), {{"x", x}});
  return toRealOverAxes("irfftn", x, s, axes, norm, -1);
}

//===----------------------------------------------------------------------===//
// Frequencies, and their order
//===----------------------------------------------------------------------===//

static Array frequencies(const char *name, int n, double d, Dtype dtype, std::optional<Device> where, Location at) {
  DoorScope scope(name, at);
  if (n < 1)
    refuse("expected a length n of at least 1, got " + std::to_string(n), at);
  if (kind(dtype) != Kind::floating || is_storage(dtype))
    refuse("expected a floating dtype to compute with, got " + std::string(short_name(dtype)), at);
  const Device device = where.value_or(default_device());
  const bool isReal = std::string_view(name) == "rfftfreq";
  Array k = iota(isReal ? n / 2 + 1 : n, Dtype::i64, device, at);
  if (!isReal)
    k = tenon::where(k < (int64_t(n) + 1) / 2, k, k - n);
  return convert(convert(k, Dtype::f64, at) * (1.0 / (n * d)), dtype, at);
}

Array tenon::fft::fftfreq(int n, double d, Dtype dtype, std::optional<Device> device, Location at) {
  return frequencies("fftfreq", n, d, dtype, device, at);
}
Array tenon::fft::rfftfreq(int n, double d, Dtype dtype, std::optional<Device> device, Location at) {
  return frequencies("rfftfreq", n, d, dtype, device, at);
}

/// x with each of the axes rolled by half its size, rounded down, or up and backwards if `isBack`.
static Array shifted(const char *name, const Operand &operand, const Ints &axes, bool isBack) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  Array x = toArray(operand, OpCode::slice);
  for (int64_t axis : normalizeAxisList(OpCode::slice, x, axes, at)) {
    const auto place = static_cast<int>(axis);
    const Dim size = x.shape()[place], half = isBack ? floor_div(size, 2) : size - floor_div(size, 2);
    x = concatenate({partOf(x, place, half, size), partOf(x, place, 0, half)}, place);
  }
  return x;
}
Array tenon::fft::fftshift(const Operand &x, const Ints &axes) { return shifted("fftshift", x, axes, false); }
Array tenon::fft::ifftshift(const Operand &x, const Ints &axes) { return shifted("ifftshift", x, axes, true); }

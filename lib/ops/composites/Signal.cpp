//===- Signal.cpp - short-time Fourier transforms ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/Fourier.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Pooling.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {

/// What stft and istft share: how long the frames are, how far apart, and what they are multiplied with.
struct Frames {
  int64_t length, hop;
  /// `length` real numbers in the dtype of the signal; an empty Array stands for ones.
  Array window;
  Location at;

  Frames(int n_fft, std::optional<int> hopLength, Location at)
      : length(n_fft), hop(hopLength.value_or(std::max(n_fft / 4, 1))), at(at) {
    if (length < 1)
      refuse("expected an n_fft of at least 1, got " + std::to_string(length), at);
    if (hop < 1)
      refuse("expected a hop_length of at least 1, got " + std::to_string(hop), at);
  }

  /// `given` as the user wrote it, `converted` in the dtype of x.
  void setWindow(const Operand &given, const Array &converted) {
    if (!converted.has_value())
      return;
    const bool isOfComplex =
        given.is_scalar() ? given.scalar().kind() == Kind::complex : kind(given.value()->dtype()) == Kind::complex;
    if (isOfComplex || converted.ndim() != 1 || provably_less(length, converted.shape()[0]) != Always::no)
      refuse("expected a window of rank 1 with at most n_fft = " + std::to_string(length) + " real numbers, got " +
                 (given.is_scalar() ? given.scalar().str() : describe(given.value()->dtype(), converted.shape())),
             at);
    const Array numbers = isComplex(converted) ? real(converted) : converted;
    const Dim missing = length - numbers.shape()[0], before = floor_div(missing, 2);
    window = pad(numbers, full({}, 0, numbers.dtype(), numbers.device()), {before}, {missing - before});
  }
  Array weighted(const Array &frames) const { return window.has_value() ? frames * window : frames; }

  /// The number of frames in `samples` samples.
  Dim countIn(Dim samples) const { return windowCount(samples, length - 1, hop, 0, at); }
  /// The number of samples that `count` frames cover.
  Dim covered(Dim count) const {
    return computedSize([&] { return (count - 1) * hop + length; }, at);
  }
  /// The places of the samples of each frame: i64[count, length].
  Array places(Dim count, Device device) const {
    return expand_dims(iota(count, Dtype::i64, device, at, hop), 1) + iota(length, Dtype::i64, device, at);
  }
  /// The sum of frames (batch..., count, length), each at its place: (batch..., samples).
  Array overlapped(const Array &frames) const {
    const int batch = frames.ndim() - 2;
    const Dim count = frames.shape()[batch];
    Shape sizes = Shape::of(frames.shape().begin(), batch);
    sizes.push_back(covered(count), at);
    std::vector<int64_t> kept;
    for (int i = 0; i < batch; ++i)
      kept.push_back(i);
    return scatter_add(zeros(sizes, frames.dtype(), frames.device(), at),
                       expand_dims(places(count, frames.device()), -1), frames, kept, {batch}, {batch}, {}, {},
                       IndexMode::drop);
  }
  /// Refuses frames of known number and window if the squares of the window are 0 at a sample from `start` to `stop`.
  void expectOverlap(Dim count, Dim start, Dim stop) const;
};

} // namespace

void Frames::expectOverlap(Dim count, Dim start, Dim stop) const {
  std::vector<double> factors(static_cast<size_t>(length), 1);
  if (window.has_value()) {
    const std::optional<std::vector<double>> known = knownNumbers(window);
    if (!known)
      return;
    factors = *known;
  }
  if (!count.is_static() || !start.is_static() || !stop.is_static())
    return;
  const int64_t samples = covered(count).raw(), last = std::min(stop.raw(), samples);
  // Between the first and the last frame the sums repeat.
  for (int64_t i = start.raw(); i < last; ++i) {
    if (i == 2 * length && samples > 4 * length)
      i = samples - 2 * length;
    double sum = 0;
    for (int64_t frame = std::min(i / hop, count.raw() - 1); frame >= 0 && i - frame * hop < length; --frame)
      sum += factors[static_cast<size_t>(i - frame * hop)] * factors[static_cast<size_t>(i - frame * hop)];
    if (!(sum > 1e-11))
      refuse("expected windows that overlap: at sample " + std::to_string(i) + " of " + std::to_string(samples) +
                 " every window is 0, so the signal cannot be recovered" +
                 (start.raw() == 0 ? "; `center` leaves out both ends" : ""),
             at);
  }
}

Array detail::signal::stft(const Operand &operand, int n_fft, std::optional<int> hop_length, const Operand &window,
                           bool center, PadMode pad_mode, bool normalized, std::optional<bool> onesided) {
  const Location at = operand.location();
  DoorScope scope("stft", at, {{"x", operand}, {"window", window}});
  expectMode("stft", "PadMode", pad_mode, at);
  const Floats floats("stft", {&operand, &window}, Dtype::f32, OpCode::subtract);
  Array x = floats[0];
  Frames frames(n_fft, hop_length, at);
  frames.setWindow(window, floats[1]);
  if (x.ndim() < 1)
    refuse("expected an array with at least one axis, got one of rank 0", at);
  const bool isHalf = onesided.value_or(!isComplex(x));
  if (isHalf && isComplex(x))
    refuse("expected real numbers where onesided is true, got " + describe(x.dtype(), x.shape()), at);
  const int last = x.ndim() - 1;
  if (center) {
    Shape ends(std::vector<int64_t>(static_cast<size_t>(x.ndim()), 0));
    ends.at(last) = frames.length / 2;
    x = tenon::pad_mode(x, ends, ends, pad_mode);
  }
  const Array pieces = frames.weighted(takePlaces(x, frames.places(frames.countIn(x.shape()[last]), x.device()), last));
  const Array given = isHalf || isComplex(pieces) ? pieces : convert(pieces, complexDtype(pieces.dtype()), at);
  return swapaxes(dft(given, last + 1, isHalf ? "rfft" : "fft", normalized ? "sqrt" : "one", {}, at), -1, -2);
}

Array detail::signal::istft(const Operand &operand, int n_fft, std::optional<int> hop_length, const Operand &window,
                            bool center, bool normalized, bool onesided, std::optional<Dim> length) {
  const Location at = operand.location();
  DoorScope scope("istft", at, {{"x", operand}, {"window", window}});
  const Floats floats("istft", {&operand, &window}, Dtype::f32, OpCode::subtract);
  Frames frames(n_fft, hop_length, at);
  frames.setWindow(window, floats[1]);
  const Array x = isComplex(floats[0]) ? floats[0] : convert(floats[0], complexDtype(floats[0].dtype()), at);
  const Dim frequencies = onesided ? frames.length / 2 + 1 : frames.length;
  if (x.ndim() < 2 || provably_equal(x.shape()[-2], frequencies) != Always::yes)
    refuse("expected an array of shape (..., " + frequencies.str() + ", frames), got " + x.shape().str(), at);
  const Dim count = x.shape()[-1];
  if (isNone(count))
    refuse("expected at least one frame, got " + x.shape().str(), at);
  if (length && provably_less(*length, 0) == Always::yes)
    refuse("expected a length of at least 0, got " + length->str(), at);
  const Dim samples = frames.covered(count), start = center ? frames.length / 2 : 0;
  const Dim stop = length ? computedSize([&] { return start + *length; }, at) : samples - start;
  frames.expectOverlap(count, start, stop);

  const int last = x.ndim() - 1;
  const std::optional<Dim> half = onesided ? std::optional<Dim>(frames.length) : std::nullopt;
  const Array pieces = dft(swapaxes(x, -1, -2), last, onesided ? "irfft" : "ifft", normalized ? "sqrt" : "n", half, at);
  Array weights = frames.window.has_value() ? frames.window * frames.window
                                            : full({frames.length}, 1, real(pieces).dtype(), x.device(), at);
  weights = frames.overlapped(broadcast_to(weights, {count, frames.length}));
  const Array signal = frames.overlapped(frames.weighted(pieces)) / weights;
  const Array behind = partOf(signal, last - 1, start, samples);
  return length ? fittedTo(behind, last - 1, *length) : partOf(behind, last - 1, 0, stop - start);
}

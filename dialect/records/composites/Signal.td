//===- Signal.td - short-time transforms, filters and their windows -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SIGNAL_COMPOSITES
#define TENON_SIGNAL_COMPOSITES

include "Modes.td"

class Tenon_Signal<string name> : Tenon_Composite<name> {
  let category = "signal";
  let isByName = 1;
}

defvar hopLength = Tenon_Parameter<"hop_length", "int", "none", "Samples between the starts of two frames; default: `n_fft / 4`.">;
defvar frameWindow = Tenon_Parameter<"window", "operand", "none", "At most `n_fft` samples that each frame is multiplied by; a shorter window is centered and padded with zeros. Default: ones (SciPy's is hann).">;

def Tenon_Stft : Tenon_Signal<"stft"> {
  let summary = "Short-time Fourier transform, as torch.stft: the spectra of overlapping frames of `n_fft` samples along the last axis.";
  let description = [{x (batch..., samples) gives (batch..., frequencies, frames), complex: frame i begins at sample `i *
    hop_length`, is multiplied by the window and transformed. There are `1 + (samples - n_fft) / hop_length` frames;
    `center` first pads x by `n_fft / 2` samples at both ends. To pad with zeros, pad x and pass `.center = false`. The
    window is not normalized: SciPy and JAX divide by its sum. There is no `win_length`: it is the size of the window.
    f64 and c128 are computed in f64, everything else in f32.}];
  let example = "Array spectra = signal::stft(x, 400, {.hop_length = 160, .window = signal::get_window(WindowFunction::hann, 400)});";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"n_fft", "int", "", "Number of samples of a frame.">, hopLength,
    frameWindow,
    Tenon_Parameter<"center", "bool", "true", "Frame i is centered at sample `i * hop_length`: x is padded at both ends.">,
    Tenon_Parameter<"pad_mode", "PadMode", "reflect", "What x is padded with.">,
    Tenon_Parameter<"normalized", "bool", "false", "Divides by `sqrt(n_fft)`.">,
    Tenon_Parameter<"onesided", "bool", "none", "Whether only the frequencies 0 to `n_fft / 2` are returned; default: true for real x.">];
  let options = "StftOptions";
  let referenceUlp = 32;
}
def Tenon_Istft : Tenon_Signal<"istft"> {
  let summary = "Inverse of `stft`, as torch.istft: the signal whose spectra are nearest to x in the sense of least squares.";
  let description = [{x (batch..., frequencies, frames) gives (batch..., samples). The inverse transforms of the frames are
    multiplied by the window, added at their positions, and divided by the sum of the squared windows. Where this sum is 0, the
    samples cannot be recovered: an Error if the window and the number of frames are known, else NaN or infinite. Samples
    after the last frame cannot be recovered either: with `center` and a `hop_length` of at most `n_fft / 2`, pass `length`
    to get all of them. With `onesided` the signal is real, otherwise
    complex. Source: D. Griffin and J. Lim, "Signal estimation from modified short-time Fourier transform", 1984.}];
  let example = "Array x = signal::istft(spectra, 400, {.hop_length = 160, .window = hann, .length = samples});";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"n_fft", "int", "", "Number of samples of a frame.">, hopLength,
    frameWindow,
    Tenon_Parameter<"center", "bool", "true", "The signal was padded by `n_fft / 2` samples at both ends, which are removed.">,
    Tenon_Parameter<"normalized", "bool", "false", "Multiplies by `sqrt(n_fft)`.">,
    Tenon_Parameter<"onesided", "bool", "true", "x has the frequencies 0 to `n_fft / 2` of a real signal.">,
    Tenon_Parameter<"length", "size", "none", "Number of samples of the result: it is cropped or padded with zeros at its end. Default: all.">];
  let options = "IstftOptions";
  let referenceUlp = 64;
}

def Tenon_Lfilter : Tenon_Signal<"lfilter"> {
  let summary = "Filters x along an axis with a rational transfer function, as scipy.signal.lfilter.";
  let description = [{`a[0] * y[n] = b[0] * x[n] + ... + b[M] * x[n - M] - a[1] * y[n - 1] - ... - a[N] * y[n - N]`,
    computed sample by sample in the transposed direct form II, whose state has `max(M, N)` elements along the axis. `zf` is
    the state after the last sample: pass it as `zi` to filter the samples that follow (unlike SciPy's it is returned in any
    case). For real operands a known `a[0]` of 0 is an Error.
    Integers become f32. f16 and bf16 are computed in f32 and rounded once.}];
  let example = "auto [y, zf] = signal::lfilter({0.1f}, {1.0f, -0.9f}, x); // a first order low-pass filter";
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$b, Tenon_Tensor:$a, Tenon_Tensor:$x);
  let parameters = [
    Tenon_Parameter<"b", "operand", "", "Coefficients of the numerator: rank 1, or a number.">,
    Tenon_Parameter<"a", "operand", "", "Coefficients of the denominator: rank 1, or a number.">, Tenon_Parameter<"x", "operand">,
    Tenon_Parameter<"axis", "axis", "-1", "The axis; negative counts from the end.">,
    Tenon_Parameter<"zi", "operand", "none", "The state before the first sample: of the rank of x, with `max(M, N)` elements along the axis; other axes of size 1 broadcast. Default: zeros.">];
  let options = "LfilterOptions";
  let returns = "LfilterResult";
  let referenceUlp = 64;
}

def Tenon_GetWindow : Tenon_Composite<"get_window"> {
  let category = "signal";
  let summary = "A window of a given kind, as scipy.signal.get_window.";
  let description = [{With `fftbins` the window is periodic: the first `size` elements of the symmetric window of `size + 1`
    elements, the form for short-time transforms. A size below 1 gives an empty array. Computed in f64 and rounded once.}];
  let example = "Array hann = signal::get_window(WindowFunction::hann, 400);";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [
    Tenon_Parameter<"window", "WindowFunction", "", "The kind of window.">,
    Tenon_Parameter<"size", "int", "", "Number of elements.">,
    Tenon_Parameter<"fftbins", "bool", "true", "Periodic; false: symmetric.">,
    Tenon_Parameter<"beta", "float", "12", "The parameter of the Kaiser window.">,
    Tenon_Parameter<"dtype", "dtype", "f32">, Tenon_DeviceParameter];
  let referenceUlp = 2;
}

#endif // TENON_SIGNAL_COMPOSITES

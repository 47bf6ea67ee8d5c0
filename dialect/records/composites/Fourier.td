//===- Fourier.td - the functions of the namespace fft ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_FOURIER_COMPOSITES
#define TENON_FOURIER_COMPOSITES

include "Modes.td"

def Tenon_FftNormParameter : Tenon_Parameter<"norm", "FftNorm", "backward", "Which direction is divided by the length.">;

class Tenon_FourierTransform<string name> : Tenon_Composite<name> {
  let category = "fft";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
  let isByName = 1;
  let referenceUlp = 16;
}
class Tenon_Fft<string name> : Tenon_FourierTransform<name> {
  let options = "FftOptions";
  let parameters = [
    Tenon_Parameter<"x", "operand">,
    Tenon_Parameter<"n", "size", "none", "Length of the transform: x is cropped or padded with zeros at its end. Default: the size of the axis.">,
    Tenon_Parameter<"axis", "axis", "-1", "The axis; negative counts from the end.">, Tenon_FftNormParameter];
}
class Tenon_RealFft<string name> : Tenon_Fft<name> {
  let options = "RealFftOptions";
  let parameters = [
    Tenon_Parameter<"x", "operand">,
    Tenon_Parameter<"n", "size", "none", "Length of the real signal. Default: 2 * (m - 1) for m elements along the axis.">,
    Tenon_Parameter<"axis", "axis", "-1", "The axis; negative counts from the end.">, Tenon_FftNormParameter];
}
class Tenon_Fft2<string name> : Tenon_FourierTransform<name> {
  let options = "Fft2Options";
  let parameters = [
    Tenon_Parameter<"x", "operand">,
    Tenon_Parameter<"s", "shape", "none", "Length of the transform along each axis: x is cropped or padded with zeros. Default: the sizes of x.">,
    Tenon_Parameter<"axes", "axes", "none", "The axes; negative counts from the end; default: the last two.">,
    Tenon_FftNormParameter];
}
class Tenon_Fftn<string name> : Tenon_FourierTransform<name> {
  let options = "FftnOptions";
  let parameters = [
    Tenon_Parameter<"x", "operand">,
    Tenon_Parameter<"s", "shape", "none", "Length of the transform along each axis: x is cropped or padded with zeros. Default: the sizes of x.">,
    Tenon_Parameter<"axes", "axes", "none", "The axes; negative counts from the end; default: all, or the last ones if `s` is given.">,
    Tenon_FftNormParameter];
}

defvar fftDtypes = [{f64 and c128 are computed in f64; everything else in f32, with a result of c64.}];
defvar realDtypes = [{f64 and c128 are computed in f64; everything else in f32.}];
defvar lastTransformed = [{The last of the axes is transformed first, as in NumPy.}];

def Tenon_Fft1 : Tenon_Fft<"fft"> {
  let summary = "Discrete Fourier transform: `y[k]` is the sum over j of `x[j] * exp(-2 pi i j k / n)`.";
  let description = !strconcat([{Any length n; O(n log n) for every n. }], fftDtypes);
  let example = "Array y = fft::fft(x, {.n = 97, .axis = 0, .norm = FftNorm::ortho});";
}
def Tenon_Ifft : Tenon_Fft<"ifft"> {
  let summary = "Inverse of `fft`: `y[j]` is the sum over k of `x[k] * exp(2 pi i j k / n)`, divided by n.";
  let description = fftDtypes;
}
def Tenon_Rfft : Tenon_Fft<"rfft"> {
  let summary = "The first `n / 2 + 1` elements of the Fourier transform of a real signal.";
  let description = !strconcat([{The others are the conjugates of these. }], fftDtypes);
  let dtypes = ["ordered"];
}
def Tenon_Irfft : Tenon_RealFft<"irfft"> {
  let summary = "Inverse of `rfft`: the real signal of length `n` with these Fourier coefficients.";
  let description = !strconcat([{Imaginary parts at 0 and, for even n, at n / 2 are not read. Give an odd `n`: it does not follow
    from x. }], realDtypes);
  let example = "Array x = fft::irfft(fft::rfft(signal), {.n = 97});";
}
def Tenon_Hfft : Tenon_RealFft<"hfft"> {
  let summary = "Fourier transform of a signal with Hermitian symmetry, which is real: `irfft(conj(x))` times n.";
  let description = realDtypes;
}
def Tenon_Ihfft : Tenon_Fft<"ihfft"> {
  let summary = "Inverse of `hfft`: `conj(rfft(x)) / n`.";
  let description = fftDtypes;
  let dtypes = ["ordered"];
}
def Tenon_FftOf2 : Tenon_Fft2<"fft2"> {
  let summary = "Two-dimensional discrete Fourier transform.";
  let description = !strconcat(lastTransformed, " ", fftDtypes);
}
def Tenon_Ifft2 : Tenon_Fft2<"ifft2"> {
  let summary = "Inverse of `fft2`.";
  let description = fftDtypes;
}
def Tenon_Rfft2 : Tenon_Fft2<"rfft2"> {
  let summary = "Two-dimensional Fourier transform of a real signal; the last of the axes has `n / 2 + 1` elements, as of `rfft`.";
  let description = fftDtypes;
  let dtypes = ["ordered"];
}
def Tenon_Irfft2 : Tenon_Fft2<"irfft2"> {
  let summary = "Inverse of `rfft2`.";
  let description = !strconcat([{The default length of the last axis is 2 * (m - 1) for m elements. }], realDtypes);
}
def Tenon_FftOfN : Tenon_Fftn<"fftn"> {
  let summary = "Discrete Fourier transform over several axes.";
  let description = !strconcat(lastTransformed, " ", fftDtypes);
  let example = "Array y = fft::fftn(x, {.s = {8, 16}, .axis = {0, 2}});";
}
def Tenon_Ifftn : Tenon_Fftn<"ifftn"> {
  let summary = "Inverse of `fftn`.";
  let description = fftDtypes;
}
def Tenon_Rfftn : Tenon_Fftn<"rfftn"> {
  let summary = "Fourier transform of a real signal over several axes; the last of the axes has `n / 2 + 1` elements, as of `rfft`.";
  let description = fftDtypes;
  let dtypes = ["ordered"];
}
def Tenon_Irfftn : Tenon_Fftn<"irfftn"> {
  let summary = "Inverse of `rfftn`.";
  let description = !strconcat([{The default length of the last axis is 2 * (m - 1) for m elements. }], realDtypes);
}

class Tenon_Frequencies<string name> : Tenon_Composite<name> {
  let category = "fft";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"n", "int", "", "Length of the transform.">,
                    Tenon_Parameter<"d", "float", "1.0", "Distance of two samples.">,
                    Tenon_Parameter<"dtype", "dtype", "f32">, Tenon_DeviceParameter];
  let referenceUlp = 1;
}
def Tenon_Fftfreq : Tenon_Frequencies<"fftfreq"> {
  let summary = "Frequencies of the results of `fft`, in cycles per unit of `d`: `[0, 1, ..., -2, -1] / (n * d)`.";
  let example = "Array f = fft::fftfreq(8, 0.1);";
}
def Tenon_Rfftfreq : Tenon_Frequencies<"rfftfreq"> {
  let summary = "Frequencies of the results of `rfft`, in cycles per unit of `d`: `[0, 1, ..., n / 2] / (n * d)`.";
}
class Tenon_FftShift<string name> : Tenon_Composite<name> {
  let category = "fft";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter];
}
def Tenon_Fftshift : Tenon_FftShift<"fftshift"> {
  let summary = "Moves the frequency 0 to the middle: rolls each of the axes (default: all) by half its size.";
}
def Tenon_Ifftshift : Tenon_FftShift<"ifftshift"> {
  let summary = "Inverse of `fftshift`; they differ for odd sizes.";
}

#endif // TENON_FOURIER_COMPOSITES

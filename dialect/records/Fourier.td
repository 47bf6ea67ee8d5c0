//===- Fourier.td - discrete Fourier transforms ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_FOURIER
#define TENON_FOURIER

include "Shaped.td"

def Tenon_DftOp : Tenon_Shaped<"dft", 240> {
  let category = "fft";
  let summary = "Discrete Fourier transform along `axis`, divided by 1, n or sqrt(n).";
  let description = [{With w = exp(-2 pi i / n), `kind` is one of: `fft`, the sum over j of x[j] * w^(j k); `ifft`, of
    x[j] * w^(-j k); `rfft`, the first n / 2 + 1 results of `fft` of real x; `irfft`, the `length` real results of `ifft`
    of the Hermitian continuation of x, whose imaginary parts at 0 and at length / 2 are not read. `length` is empty for
    the other kinds. `divisor` is `one`, `n` or `sqrt`; results are multiplied by its reciprocal. A row of the result depends on that row of x alone, and has the same bits in any batch.}];
  let isPublic = 0;
  let dtypes = ["f32", "f64", "complex"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis, Tenon_String:$kind, Tenon_String:$divisor,
                   Tenon_Dims:$length, Variadic<Index>:$length_sizes);
  let linearIn = [["x"]];
  let referenceUlp = 16;
}

#endif // TENON_FOURIER

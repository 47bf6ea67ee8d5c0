//===- Fourier.cpp - derivatives of Fourier transforms ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Fourier.h"
#include "lib/transform/Rules.h"

namespace tenon {

/// `inner` for the elements of rfft's result that stand for two of the transform, `outer` for those at 0 and, for an
/// even length n, at n / 2: an array that broadcasts to a result.
static Array weights(const Type &spectrum, int axis, Dim n, double outer, double inner, Location at) {
  const Dim size = spectrum.shape[axis];
  const Array k = detail::iota(size, Dtype::i64, spectrum.device, at);
  const Array isSingle = k == 0 || 2 * k == detail::sizeOf(n, spectrum.device, at);
  Shape along;
  for (int i = 0; i < spectrum.shape.rank(); ++i)
    along.push_back(i == axis ? size : Dim(1));
  const Dtype dtype = partDtype(spectrum.dtype);
  return reshape(where(isSingle, full({}, outer, dtype, spectrum.device), full({}, inner, dtype, spectrum.device)),
                 along);
}

/// The matrix of a complex transform is symmetric. That of `rfft` has the transpose Re(sum over k of ct[k] * w^(j k)),
/// which is an `irfft` of the conjugates, where the elements that stand for two count half. The transpose of `irfft`
/// is the conjugate of `rfft`, where they count twice.
void vjpDft(VjpCall &call) {
  const DftAttrs a = DftAttrs::read(call.attributes);
  const auto axis = static_cast<int>(a.axis);
  const Array ct = call.cotangent();
  if (a.kind == "rfft") {
    const Dim n = call.operandTypes[0].shape[axis];
    const Array halves = weights(call.resultTypes[0], axis, n, 1.0, 0.5, call.at);
    const Array weighted = complex(real(ct) * halves, -(imag(ct) * halves));
    call.set(0, detail::dft(weighted, axis, "irfft", a.divisor, n, call.at));
  } else if (a.kind == "irfft") {
    const Array twice = weights(call.operandTypes[0], axis, a.length[0], 1.0, 2.0, call.at);
    const Array spectrum = detail::dft(ct, axis, "rfft", a.divisor, {}, call.at);
    call.set(0, complex(real(spectrum) * twice, -(imag(spectrum) * twice)));
  } else {
    call.set(0, detail::dft(ct, axis, a.kind, a.divisor, {}, call.at));
  }
}

} // namespace tenon

//===- Blas.cpp - the table of runtime/lapack/Blas.h ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BlasTriangle.h"

namespace tenon::rt::TENON_ISA {

template <class T>
static constexpr Blas<T> blasOf() {
  return {blas::multiply<T>, blas::multiplyToTriangle<T>, blas::applyTriangle<T, true>, blas::applyTriangle<T, false>};
}

extern const BlasTable blasTable;
constinit const BlasTable blasTable = {blasOf<float>(), blasOf<double>(), blasOf<complex64_t>(),
                                       blasOf<complex128_t>()};

} // namespace tenon::rt::TENON_ISA

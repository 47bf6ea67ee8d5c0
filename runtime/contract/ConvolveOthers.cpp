//===- ConvolveOthers.cpp - convolutions of complex numbers and integers ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConvolveRun.h"

namespace tenon::rt::TENON_ISA {

template Status convolve(const Convolution<complex64_t> &, const uint32_t *);
template Status convolve(const Convolution<complex128_t> &, const uint32_t *);
template Status convolve(const Convolution<uint32_t> &, const uint32_t *);
template Status convolve(const Convolution<uint64_t> &, const uint32_t *);

} // namespace tenon::rt::TENON_ISA

//===- ConvolveFloats.cpp - convolutions of floats ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConvolveRun.h"

namespace tenon::rt::TENON_ISA {

template Status convolve(const Convolution<float> &, const uint32_t *);
template Status convolve(const Convolution<double> &, const uint32_t *);

} // namespace tenon::rt::TENON_ISA

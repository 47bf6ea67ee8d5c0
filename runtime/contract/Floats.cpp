//===- Floats.cpp - products of floats ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Region.h"

namespace tenon::rt::TENON_ISA {

template Status multiply(const Product<float> &, const uint32_t *);
template Status multiply(const Product<double> &, const uint32_t *);

} // namespace tenon::rt::TENON_ISA

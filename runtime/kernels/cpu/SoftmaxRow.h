//===- SoftmaxRow.h - the softmax of one row, for kernels that contain it ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Common.h"

namespace tenon::rt::TENON_ISA {

/// Replaces a dense row by its softmax, with the bits of kernelSoftmax.
void softmaxRow(float *row, int64_t length);
void softmaxRow(double *row, int64_t length);

} // namespace tenon::rt::TENON_ISA

//===- Npy.h - NumPy's .npy files ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format: numpy/lib/_format_impl.py. Floats that NumPy does
// not know are as ml_dtypes saves them: bf16 is '<V2', f8e4m3fn '<V1', f8e5m2 '<f1'.
//===----------------------------------------------------------------------===//
#pragma once

#include "../array/StridedData.h"
#include "HostArray.h"

#include <string>

namespace tenon::detail {

/// Reads versions 1 to 3, little endian, C or Fortran order. Throws Error with
/// the path, what was expected and what was found.
void readNpy(const std::string &path, const MakeRoom &makeRoom);

/// Writes the bytes that numpy.save writes (version 1.0), through a temporary
/// name. Throws Error if the disk refuses.
void writeNpy(const std::string &path, const StridedData &array);

} // namespace tenon::detail

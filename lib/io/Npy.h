//===- Npy.h - NumPy's .npy files ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format: numpy/lib/_format_impl.py. Floats that NumPy does
// not know are as ml_dtypes saves them: bf16 is '<V2', f8e4m3fn '<V1', f8e5m2 '<f1'.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/array/StridedData.h"
#include "lib/io/HostArray.h"

#include <string>

namespace tenon::detail {

/// Reads versions 1 to 3, C or Fortran order, numbers in either order of their bytes.
/// Throws Error with the path, what was expected and what was found.
/// Returns an empty text. If `skips`, elements that no dtype has, such as text, are read over, and named in the result;
/// else they are an Error.
std::string readNpy(InputStream &stream, const MakeRoom &makeRoom, bool skips = false);
void readNpy(const std::string &path, const MakeRoom &makeRoom);

/// What stands before the elements, row-major, in version 1.0.
std::string npyHeader(const StridedData &array);

/// Writes the bytes that numpy.save writes (version 1.0), through a temporary
/// name. Throws Error if the disk refuses.
void writeNpy(const std::string &path, const StridedData &array);

} // namespace tenon::detail

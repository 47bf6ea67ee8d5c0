//===- io.h - arrays in files -------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are not trusted: every size is checked against what the file holds
// before memory is asked for. Errors name the file, what was expected and what
// was found.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <string>

namespace tenon {

/// Reads NumPy's .npy, versions 1 to 3, little endian, C or Fortran order.
Array load_npy(const std::string &path, Location at = Location::current());
/// Writes the bytes that numpy.save would write. The file is replaced as a
/// whole: at any moment it holds all of the old array or all of the new one.
void save_npy(const std::string &path, const Array &array, Location at = Location::current());
/// Reads MNIST's IDX format (u8, i8, i16, i32, f32, f64), also compressed by gzip.
Array load_idx(const std::string &path, Location at = Location::current());

} // namespace tenon

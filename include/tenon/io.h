//===- io.h - arrays in files -------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing array files. Files are not trusted: all sizes are checked before memory is allocated, and
// Errors name the file, what was expected and what was found. Files are saved atomically: at any time a file has its
// old or its new contents. Arrays may be saved from any device; they are loaded on the CPU.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <map>
#include <string>
#include <vector>

namespace tenon {

/// Reads a NumPy .npy file: versions 1 to 3, any byte order, C or Fortran order. Pickled Python objects are an Error.
Array load_npy(const std::string &path, Location at = Location::current());
/// Writes a .npy file with the same bytes as numpy.save.
void save_npy(const std::string &path, const Array &array, Location at = Location::current());

/// Arrays by name; a tree.
using NamedArrays = std::map<std::string, Array>;

/// Reads NumPy's .npz, stored or deflated, of any size: each member NAME.npy as load_npy does. Members of text, dates,
/// structures or long doubles are skipped, each with a line in the log.
NamedArrays load_npz(const std::string &path, Location at = Location::current());
struct NpzOptions {
  /// Compresses as numpy.savez_compressed does, with zlib's default level.
  bool compressed = false;
};
/// Writes a .npz file as numpy.savez does, with the arrays in order of their UTF-8 names.
void save_npz(const std::string &path, const NamedArrays &arrays, NpzOptions options = {},
              Location at = Location::current());

struct Safetensors {
  NamedArrays arrays;
  /// The strings in the file's "__metadata__".
  std::map<std::string, std::string> metadata;
};

/// Maps a safetensors file into memory: elements are read when used and copied only if they are not aligned for their
/// type. The file must not be modified in place while its arrays exist; replacing it, as save_safetensors does, is
/// safe.
Safetensors load_safetensors(const std::string &path, Location at = Location::current());
/// Writes a safetensors file. All dtypes except c128; names and metadata are UTF-8.
void save_safetensors(const std::string &path, const NamedArrays &arrays,
                      const std::map<std::string, std::string> &metadata = {}, Location at = Location::current());

struct CsvOptions {
  char delimiter = ',';
  /// Number of rows to skip before the table, such as a header.
  int64_t skip_rows = 0;
  /// Dtype of the result; not complex.
  Dtype dtype = f32;
  /// Text of a missing number, besides an empty field, NA, NaN, nan and null.
  std::string missing = {};
  /// Columns to read, in this order; negative numbers count from the last column. Empty: all. Columns that are not read
  /// may hold any text.
  std::vector<int64_t> columns = {};
  /// Starts a comment until the end of the line, except in quotes and in skipped rows. `'\0'` or the delimiter: no
  /// comments.
  char comment = '#';
};

/// Reads a table of numbers as a matrix. Fields may be quoted and surrounded by blanks; empty lines are skipped.
/// Missing numbers become NaN; integer and bool dtypes throw an Error. Errors name line and column.
Array load_csv(const std::string &path, CsvOptions options = {}, Location at = Location::current());

struct SaveCsvOptions {
  char delimiter = ',';
  /// Column names, written as the first row.
  std::vector<std::string> header = {};
};

/// Writes a real matrix, or a vector as a column, with the fewest digits per number that load_csv reads back exactly.
void save_csv(const std::string &path, const Array &array, SaveCsvOptions options = {},
              Location at = Location::current());

/// Reads an IDX file (MNIST's format; u8, i8, i16, i32, f32, f64), plain or compressed by gzip; if `path` does not
/// exist, reads `path.gz`.
Array load_idx(const std::string &path, Location at = Location::current());

} // namespace tenon

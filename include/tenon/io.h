//===- io.h - arrays in files -------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are not trusted: every size is checked against what the file holds
// before memory is asked for. Errors name the file, what was expected and what
// was found. A file that is saved is replaced as a whole: at any moment it holds
// all of what it held before or all of the new. Arrays may be on any device when they are
// saved; they are loaded on the CPU.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <map>
#include <string>
#include <vector>

namespace tenon {

/// Reads NumPy's .npy, versions 1 to 3, numbers in either order of their bytes, C or
/// Fortran order. What needs pickle, Python's objects, is an Error.
Array load_npy(const std::string &path, Location at = Location::current());
/// Writes the bytes that numpy.save would write.
void save_npy(const std::string &path, const Array &array, Location at = Location::current());

/// Arrays by name: a tree, as jit, grad and tree_map take.
using NamedArrays = std::map<std::string, Array>;

/// Reads NumPy's .npz, stored or deflated, of any size: each member NAME.npy as load_npy does. Members of text, dates,
/// structures or long doubles are skipped, each with a line in the log.
NamedArrays load_npz(const std::string &path, Location at = Location::current());
struct NpzOptions {
  /// As numpy.savez_compressed does, with zlib's default level.
  bool compressed = false;
};
/// Writes what numpy.savez would write, the arrays in the order of their names: UTF-8.
void save_npz(const std::string &path, const NamedArrays &arrays, NpzOptions options = {},
              Location at = Location::current());

struct Safetensors {
  NamedArrays arrays;
  /// The strings under "__metadata__".
  std::map<std::string, std::string> metadata;
};

/// Maps a safetensors file: elements stay in it, unless they are not aligned as their type
/// wants, and are read when they are used, so it must not be changed in place as long as
/// arrays of it live; replacing it, as save_safetensors does, is no harm.
Safetensors load_safetensors(const std::string &path, Location at = Location::current());
/// Arrays of any dtype but c128; names and metadata are UTF-8.
void save_safetensors(const std::string &path, const NamedArrays &arrays,
                      const std::map<std::string, std::string> &metadata = {}, Location at = Location::current());

struct CsvOptions {
  char delimiter = ',';
  /// Rows before the table, such as the names of its columns.
  int64_t skip_rows = 0;
  /// Of the array: any but complex ones.
  Dtype dtype = f32;
  /// A text that stands for a missing number, as an empty field, NA, NaN, nan and null do.
  std::string missing = {};
  /// The columns to read, in this order, from 0; a negative one counts from the last. Empty: all. The others may hold
  /// any text.
  std::vector<int64_t> columns = {};
  /// What follows this character in a line, outside of quotes, is skipped; not so in the rows of `skip_rows`. 0:
  /// nothing.
  char comment = '#';
};

/// Reads a table of numbers, rows by columns. Fields may be in quotes and have blanks around
/// them; empty lines are skipped. A missing number is NaN, and an Error in a dtype that
/// has none. Errors name line and column.
Array load_csv(const std::string &path, CsvOptions options = {}, Location at = Location::current());

struct SaveCsvOptions {
  char delimiter = ',';
  /// The names of the columns, as the first row.
  std::vector<std::string> header = {};
};

/// Writes a real array of rank 2, or of rank 1 as a column, each number in the fewest digits
/// from which load_csv reads the same one.
void save_csv(const std::string &path, const Array &array, SaveCsvOptions options = {},
              Location at = Location::current());

/// Reads MNIST's IDX format (u8, i8, i16, i32, f32, f64), also compressed by gzip: if there is no file `path`, but one
/// with .gz behind the name, that one.
Array load_idx(const std::string &path, Location at = Location::current());

} // namespace tenon

//===- Csv.h - tables of numbers as text -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RFC 4180: rows that end with a line, fields between delimiters, quotes around a
// field that holds any of these, twice for a quote inside of it.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/array/StridedData.h"
#include "lib/io/HostArray.h"

#include <tenon/io.h>

namespace tenon::detail {

/// Reads a table of options.dtype, rank 2. Throws Error with the path, line and column.
void readCsv(const std::string &path, const CsvOptions &options, const MakeRoom &makeRoom);

/// Writes dense elements of rank 1, a column, or 2, through a temporary name.
void writeCsv(const std::string &path, const StridedData &array, const SaveCsvOptions &options);

} // namespace tenon::detail

//===- File.h - whole files, safely ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/error.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tenon::detail {

/// Throws Error: "what: message" and a line with the path.
[[noreturn]] void fileError(const std::string &what, const std::string &message, const std::string &path);

/// A regular file being read from start to end. Every failure throws Error with
/// the path; what names the function ("load_npy").
class InputFile {
public:
  InputFile(std::string what, std::string path);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  /// Bytes not read yet, by the size the file had when opened.
  uint64_t remaining() const { return size_ - position_; }
  /// Fills out, or throws saying that `part` is cut short.
  void read(std::span<std::byte> out, const std::string &part);
  [[noreturn]] void fail(const std::string &message) const { fileError(what_, message, path_); }

private:
  std::string what_, path_;
  int descriptor_;
  uint64_t size_ = 0, position_ = 0;
};

/// Writes a file so that at any moment, also after a power failure, path holds
/// either what it held before or all of parts: a temporary name beside it,
/// fsync, rename. A symbolic link stays: the file that it names is written.
void writeFile(const std::string &what, const std::string &path, std::span<const std::span<const std::byte>> parts);

} // namespace tenon::detail

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
  /// Throws if this machine does not have so many bytes of memory: a file may
  /// claim any size, and be it all holes.
  void expectMemoryFor(uint64_t bytes) const;
  /// Fills out, or throws saying that `part` is cut short.
  void read(std::span<std::byte> out, const std::string &part);
  [[noreturn]] void fail(const std::string &message) const { fileError(what_, message, path_); }

private:
  std::string what_, path_;
  int descriptor_;
  uint64_t size_ = 0, position_ = 0;
};

/// Memory for what is read from a file: counted by the memory limit, and not
/// touched before it is read into. Throws Error if it is refused.
class FileBytes {
public:
  FileBytes(size_t size, const InputFile &file);
  ~FileBytes();
  FileBytes(const FileBytes &) = delete;
  FileBytes &operator=(const FileBytes &) = delete;
  std::byte *data() { return data_; }
  operator std::span<std::byte>() { return {data_, size_}; }

private:
  std::byte *data_;
  size_t size_;
};

/// Writes a file so that at any moment, also after a power failure, path holds
/// either what it held before or all of parts: a temporary name beside it,
/// fsync, rename. A symbolic link stays: the file that it names is written.
void writeFile(const std::string &what, const std::string &path, std::span<const std::span<const std::byte>> parts);

/// Returns the bytes of an array of these dims; throws through fail if the
/// product is past int64 or a dim is negative. A 0 among the dims does not
/// excuse the others.
int64_t byteSize(std::span<const int64_t> dims, size_t itemSize, const InputFile &file);

} // namespace tenon::detail

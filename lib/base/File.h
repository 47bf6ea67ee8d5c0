//===- File.h - whole files, safely ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/error.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tenon::detail {

/// Throws Error: "what: message" and a line with the path.
[[noreturn]] void fileError(const std::string &what, const std::string &message, const std::string &path);

/// A file in memory as it lies on the disk, read only, until this is destroyed.
class FileMapping {
public:
  FileMapping() = default; // of nothing
  ~FileMapping();
  FileMapping(const FileMapping &) = delete;
  FileMapping &operator=(const FileMapping &) = delete;
  std::span<const std::byte> bytes() const { return bytes_; }

private:
  friend class InputFile;
  std::span<const std::byte> bytes_;
};

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
  /// By what it was when opened.
  uint64_t size() const { return size_; }
  /// Goes on reading there, at most at the end.
  void seek(uint64_t position);
  std::shared_ptr<const FileMapping> map() const;
  /// Fills out, or throws saying that `part` is cut short.
  void read(std::span<std::byte> out, const std::string &part);
  [[noreturn]] void fail(const std::string &message) const { fileError(what_, message, path_); }

private:
  std::string what_, path_;
  int descriptor_;
  uint64_t size_ = 0, position_ = 0;
};

/// A file being written so that at any moment, also after a power failure, path
/// holds either what it held before or all that was written: a temporary name beside
/// it, fsync, rename. A symbolic link stays: the file that it names is written. What is
/// no file, a device or a pipe, is written at once. Every failure throws Error.
/// The temporary file is locked while it is written; one that a killed writer left is
/// removed by the next OutputFile of the same path.
class OutputFile {
public:
  enum class Target : uint8_t {
    replaced, ///< commit() writes path
    isNew,    ///< commitAs() gives the name; path is what the temporary name begins with
  };
  OutputFile(std::string what, std::string path, Target target = Target::replaced);
  /// What was not committed is as if it had not been.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  void write(std::span<const std::byte> bytes);
  /// Bytes so far.
  uint64_t written() const { return written_; }
  void commit();
  /// Commits as a new file in the folder of path. Returns false if there is one by that name, which
  /// stays as it is: another name may be tried.
  bool commitAs(const std::string &path);
  [[noreturn]] void fail(const std::string &message) const { fileError(what_, message, path_); }

private:
  [[noreturn]] void failWriting();
  void discard();
  /// After the rename to path.
  void finish(const std::string &path);

  std::string what_, path_, target_;
  std::string temporary_; ///< empty: there is none
  int descriptor_ = -1;
  uint64_t written_ = 0;
};

/// All of parts, as an OutputFile.
void writeFile(const std::string &what, const std::string &path, std::span<const std::span<const std::byte>> parts);

} // namespace tenon::detail

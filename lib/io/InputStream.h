//===- InputStream.h - bytes from start to end ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/File.h"

namespace tenon::detail {

/// What a reader of arrays reads: a file, or a member of an archive.
class InputStream {
public:
  virtual ~InputStream() = default;
  /// Bytes not read yet, as far as the file says.
  virtual uint64_t remaining() const = 0;
  /// Fills out, or throws saying that `part` is cut short.
  virtual void read(std::span<std::byte> out, const std::string &part) = 0;
  virtual const InputFile &file() const = 0;
  /// Which part of the file this is, as a line of an Error; empty: all of it.
  virtual std::string place() const { return ""; }
  [[noreturn]] void fail(const std::string &message) const { file().fail(message + place()); }
};

/// All of a file, or what is left of it.
class FileStream final : public InputStream {
public:
  explicit FileStream(InputFile &file) : file_(file) {}
  uint64_t remaining() const override { return file_.remaining(); }
  void read(std::span<std::byte> out, const std::string &part) override { file_.read(out, part); }
  const InputFile &file() const override { return file_; }

private:
  InputFile &file_;
};

} // namespace tenon::detail

//===- Writer.h - a file of events ------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/summary.h>

#include <atomic>

namespace tenon::summary {

/// The file of a FileWriter. Every failure throws Error with its path.
class WriterBody {
public:
  WriterBody(const std::string &folder, const FileWriterOptions &options);
  ~WriterBody();
  WriterBody(const WriterBody &) = delete;

  /// Adds an event to those collected; writes them if they are many, or the oldest has waited long.
  void add(std::string_view event);
  void flush();
  void close();
  std::string path();
  std::atomic<unsigned> references = 1;

private:
  void open();
  void write();
  void reopenAfterFork();
  [[noreturn]] void fail(const std::string &message) const;

  std::string folder_, path_;
  const FileWriterOptions options_;
  std::string pending_;
  int64_t count_ = 0;
  double written_ = 0; ///< when
  int descriptor_ = -1;
  int64_t size_ = 0; ///< of whole events in the file
  int process_ = 0;
};

/// The innermost default writer of this thread; null: none.
WriterBody *defaultWriter();

/// Seconds since 1970.
double wallTime();

} // namespace tenon::summary

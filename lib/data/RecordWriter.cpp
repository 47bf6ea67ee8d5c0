//===- RecordWriter.cpp - writing TFRecord files ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/ErrorLocation.h"
#include "lib/base/File.h"
#include "lib/data/Records.h"

#include <tenon/data.h>

#include <exception>

using namespace tenon;
using namespace tenon::data;

class TFRecordWriter::Body {
public:
  explicit Body(const std::string &path) : file_("data::TFRecordWriter", path) {}
  void write(std::string_view record) {
    if (isClosed_)
      file_.fail("expected an open file, got one that close() has ended");
    detail::appendRecord(pending_, record);
    if (pending_.size() >= size_t(1) << 16)
      flush();
  }
  void close() {
    if (isClosed_)
      return;
    flush();
    isClosed_ = true;
    file_.commit();
  }
  /// Exceptions that were in flight when the writer was made.
  const int exceptions = std::uncaught_exceptions();

private:
  void flush() {
    file_.write(std::as_bytes(std::span(pending_)));
    pending_.clear();
  }
  tenon::detail::OutputFile file_;
  std::string pending_;
  bool isClosed_ = false;
};

TFRecordWriter::TFRecordWriter(const std::string &path, Location at)
    : body_(tenon::detail::placed(at, [&] { return new Body(path); })) {}
TFRecordWriter::~TFRecordWriter() {
  try {
    if (std::uncaught_exceptions() <= body_->exceptions)
      body_->close();
  } catch (const Error &) { // a destructor has nobody to tell; close() does
  }
  delete body_;
}
void TFRecordWriter::write(std::string_view record, Location at) {
  tenon::detail::placed(at, [&] { body_->write(record); });
}
void TFRecordWriter::close(Location at) {
  tenon::detail::placed(at, [&] { body_->close(); });
}

//===- File.cpp - saved traces ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/File.h"
#include "lib/trace/Trace.h"

using namespace tenon;

void tenon::saveTrace(const Trace &trace, const std::string &path) {
  std::vector<std::byte> file = packTrace(trace);
  std::span<const std::byte> parts[] = {file};
  detail::writeFile("save_trace", path, parts);
}

TraceRef tenon::loadTrace(const std::string &path) {
  detail::InputFile input("trace", path);
  std::vector<std::byte> file(input.remaining());
  input.read(file, "file");
  return unpackTrace(file, path);
}

//===- File.cpp - saved traces ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/File.h"
#include "lib/trace/Trace.h"
#include "runtime/memory/FileBytes.h"

#include <algorithm>

using namespace tenon;

void tenon::saveTrace(const Trace &trace, const std::string &path) {
  std::vector<std::byte> file = packTrace(trace);
  std::span<const std::byte> parts[] = {file};
  detail::writeFile("save_trace", path, parts);
}

TraceRef tenon::loadTrace(const std::string &path) {
  detail::InputFile input("trace", path);
  // Its header first: a file may claim any size.
  const uint64_t size = input.remaining();
  std::byte header[packedHeaderBytes];
  std::span<std::byte> start = std::span(header).first(std::min<uint64_t>(sizeof header, size));
  input.read(start, "file");
  checkPacked(start, size, path);
  rt::FileBytes file(size, input);
  std::span<std::byte> bytes = file;
  std::copy(start.begin(), start.end(), bytes.begin());
  input.read(bytes.subspan(sizeof header), "file");
  return unpackTrace(bytes, path);
}

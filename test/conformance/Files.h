//===- Files.h - arrays in files between the test and its runner -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/conformance/Inputs.h"

#include <string>

namespace tenon::conformance {

/// A folder that the destructor removes.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  std::string operator/(const std::string &name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

std::vector<std::byte> readFile(const std::string &path);
/// Dtype, rank, dims and elements of each, one after another.
void writeArrays(const std::string &path, const std::vector<HostData> &arrays);
std::vector<HostData> readArrays(const std::string &path);

} // namespace tenon::conformance

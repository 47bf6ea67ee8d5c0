//===- Files.cpp - arrays in files between the test and its runner -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Files.h"

#include <tenon/error.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace tenon::conformance {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tenon-conformance.XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw Error("cannot make a temporary folder " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::byte> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    throw Error("cannot read " + path);
  std::vector<std::byte> bytes(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

void writeArrays(const std::string &path, const std::vector<HostData> &arrays) {
  std::ofstream file(path, std::ios::binary);
  auto word = [&](int64_t value) { file.write(reinterpret_cast<const char *>(&value), sizeof value); };
  word(static_cast<int64_t>(arrays.size()));
  for (const HostData &array : arrays) {
    word(static_cast<int64_t>(array.dtype));
    word(static_cast<int64_t>(array.dims.size()));
    for (int64_t dim : array.dims)
      word(dim);
    word(static_cast<int64_t>(array.bytes.size()));
    file.write(reinterpret_cast<const char *>(array.bytes.data()), static_cast<std::streamsize>(array.bytes.size()));
  }
  if (!file.flush())
    throw Error("cannot write " + path);
}

std::vector<HostData> readArrays(const std::string &path) {
  std::vector<std::byte> bytes = readFile(path);
  size_t at = 0;
  auto word = [&] {
    int64_t value = 0;
    if (at + sizeof value > bytes.size())
      throw Error(path + " is cut off");
    std::memcpy(&value, &bytes[at], sizeof value);
    at += sizeof value;
    return value;
  };
  std::vector<HostData> arrays(static_cast<size_t>(word()));
  for (HostData &array : arrays) {
    array.dtype = static_cast<Dtype>(word());
    array.dims.resize(static_cast<size_t>(word()));
    for (int64_t &dim : array.dims)
      dim = word();
    size_t size = static_cast<size_t>(word());
    if (at + size > bytes.size())
      throw Error(path + " is cut off");
    array.bytes.assign(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                       bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
  }
  return arrays;
}

} // namespace tenon::conformance

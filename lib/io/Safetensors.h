//===- Safetensors.h - safetensors files ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format: huggingface.co/docs/safetensors. The size of a header in 8 bytes,
// the header in JSON (for each tensor its dtype, its shape and where its bytes begin and
// end; strings under "__metadata__"), the bytes, row-major and little endian, of all
// tensors without a gap.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/array/StridedData.h"
#include "lib/base/File.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::detail {

struct SafetensorsEntry {
  std::string name;
  Dtype dtype;
  std::vector<int64_t> dims;
  std::span<const std::byte> data; ///< of the mapped file
};

struct SafetensorsFile {
  std::shared_ptr<const FileMapping> mapping;
  std::vector<SafetensorsEntry> entries; ///< as their bytes lie
  std::map<std::string, std::string> metadata;
};

/// Maps a file and checks all of its header, and that bools are 0 or 1. Throws Error with
/// the function, `what`, the path, what was expected and what was found.
SafetensorsFile readSafetensors(const char *what, const std::string &path);

/// What a header holds, as it says it.
struct SafetensorsHeader {
  struct Tensor {
    std::string name, dtype;
    std::vector<uint64_t> dims, offsets;
  };
  std::vector<Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Throws through `file` unless it is JSON of that form.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, const InputFile &file);

/// Writes arrays whose elements are dense, the widest first. The caller commits.
void writeSafetensors(OutputFile &file, const std::map<std::string, StridedData> &arrays,
                      const std::map<std::string, std::string> &metadata);

/// The text in quotes, as JSON writes it.
std::string jsonText(std::string_view utf8);

} // namespace tenon::detail

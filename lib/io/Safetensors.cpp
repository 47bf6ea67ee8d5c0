//===- Safetensors.cpp - safetensors files -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/Safetensors.h"

#include "lib/array/Text.h"
#include "lib/base/Dtypes.h"
#include "lib/io/FileText.h"
#include "lib/io/HostArray.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

using namespace tenon;
using namespace tenon::detail;

static_assert(std::endian::native == std::endian::little, "elements are those of the file");

/// The reference's own limit.
static constexpr uint64_t maxHeader = 100'000'000;
static constexpr std::string_view metadataKey = "__metadata__";

/// The format's name of a dtype; empty where it has none.
static std::string_view nameOf(Dtype dtype) {
  switch (dtype) {
  case Dtype::bool_:
    return "BOOL";
  case Dtype::u8:
    return "U8";
  case Dtype::i8:
    return "I8";
  case Dtype::f8e5m2:
    return "F8_E5M2";
  case Dtype::f8e4m3fn:
    return "F8_E4M3";
  case Dtype::i16:
    return "I16";
  case Dtype::u16:
    return "U16";
  case Dtype::f16:
    return "F16";
  case Dtype::bf16:
    return "BF16";
  case Dtype::i32:
    return "I32";
  case Dtype::u32:
    return "U32";
  case Dtype::f32:
    return "F32";
  case Dtype::c64:
    return "C64";
  case Dtype::f64:
    return "F64";
  case Dtype::i64:
    return "I64";
  case Dtype::u64:
    return "U64";
  case Dtype::c128:
    break;
  }
  return "";
}

static std::string knownDtypes() {
  return listDtypes([](Dtype dtype) { return !nameOf(dtype).empty(); }, nameOf);
}

namespace {
/// A tensor's part of the file, in errors.
class TensorPart final : public InputStream {
public:
  TensorPart(const InputFile &file, const std::string &name) : file_(file), name_(name) {}
  uint64_t remaining() const override { return 0; }
  void read(std::span<std::byte>, const std::string &part) override { fail("cannot read " + part); }
  std::string place() const override { return "\n  tensor: " + quotedText(name_); }
  const InputFile &file() const override { return file_; }

private:
  const InputFile &file_;
  const std::string &name_;
};
} // namespace

/// A tensor as the header says, its bytes not looked at.
static SafetensorsEntry entryOf(const SafetensorsHeader::Tensor &tensor, std::span<const std::byte> data,
                                const TensorPart &part) {
  SafetensorsEntry entry{tensor.name, {}, {}, {}};
  auto known = std::find_if(std::begin(dtypeRows), std::end(dtypeRows),
                            [&](Dtype dtype) { return !tensor.dtype.empty() && nameOf(dtype) == tensor.dtype; });
  if (known == std::end(dtypeRows))
    part.fail("expected a dtype of " + knownDtypes() + ", got " + quotedText(tensor.dtype));
  entry.dtype = *known;
  for (uint64_t dim : tensor.dims) {
    if (dim > uint64_t(std::numeric_limits<int64_t>::max()))
      part.fail("expected sizes below 2^63, got " + std::to_string(dim));
    entry.dims.push_back(static_cast<int64_t>(dim));
  }
  const auto size = static_cast<uint64_t>(byteSize(entry.dims, item_size(entry.dtype), part));
  const uint64_t begin = tensor.offsets[0], end = tensor.offsets[1];
  if (begin > end || end > data.size())
    part.fail("expected data_offsets in the file's " + std::to_string(data.size()) + " bytes of data, got [" +
              std::to_string(begin) + ", " + std::to_string(end) + "]");
  if (end - begin != size)
    part.fail("expected " + std::to_string(size) + " bytes of data for " + std::string(name(entry.dtype)) + " " +
              shapeText(entry.dims) + ", got " + std::to_string(end - begin));
  entry.data = data.subspan(begin, end - begin);
  return entry;
}

SafetensorsFile detail::readSafetensors(const char *what, const std::string &path) {
  InputFile file(what, path);
  uint64_t headerSize = 0;
  if (file.size() < sizeof headerSize)
    file.fail("expected 8 bytes of header size, got " + std::to_string(file.size()));
  SafetensorsFile result{file.map(), {}, {}};
  std::span<const std::byte> bytes = result.mapping->bytes();
  std::memcpy(&headerSize, bytes.data(), sizeof headerSize);
  bytes = bytes.subspan(sizeof headerSize);
  if (headerSize > bytes.size())
    file.fail("expected " + std::to_string(headerSize) + " bytes of header, got " + std::to_string(bytes.size()));
  if (headerSize > maxHeader)
    file.fail("expected at most " + std::to_string(maxHeader) + " bytes of header, got " + std::to_string(headerSize));
  const std::string_view json(reinterpret_cast<const char *>(bytes.data()), headerSize);
  if (!json.starts_with('{'))
    file.fail("expected a header that starts with '{', got " + quotedText(json.substr(0, 1)));
  SafetensorsHeader header = parseSafetensorsHeader(json, file);
  result.metadata = std::move(header.metadata);

  bytes = bytes.subspan(headerSize);
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const auto &a, const auto &b) { return a.offsets < b.offsets; });
  size_t done = 0;
  for (const SafetensorsHeader::Tensor &tensor : header.tensors) {
    const TensorPart part(file, tensor.name);
    SafetensorsEntry entry = entryOf(tensor, bytes, part);
    if (tensor.offsets[0] != done)
      part.fail("expected data from byte " + std::to_string(done) + " on, where other data ends, got it from byte " +
                std::to_string(tensor.offsets[0]));
    done += entry.data.size();
    if (entry.dtype == Dtype::bool_)
      expectBools(entry.data, part);
    result.entries.push_back(std::move(entry));
  }
  if (done != bytes.size())
    file.fail("expected " + std::to_string(done) + " bytes of data, as the header says, got " +
              std::to_string(bytes.size()));
  return result;
}

static std::string numbersText(std::span<const int64_t> numbers) {
  std::string text = "[";
  for (int64_t number : numbers)
    text += (text.size() > 1 ? "," : "") + std::to_string(number);
  return text + "]";
}

void detail::writeSafetensors(OutputFile &file, const std::map<std::string, StridedData> &arrays,
                              const std::map<std::string, std::string> &metadata) {
  auto fail = [&](const std::string &message) { file.fail(message); };
  auto inQuotes = [&](const std::string &text) {
    if (!isUtf8(text))
      fail("expected names and metadata in UTF-8, got " + quotedText(text));
    return jsonText(text);
  };
  // Widest first, every tensor is aligned as the first one is.
  std::vector<const std::pair<const std::string, StridedData> *> order;
  for (const auto &named : arrays)
    order.push_back(&named);
  std::stable_sort(order.begin(), order.end(),
                   [](auto *a, auto *b) { return item_size(a->second.dtype) > item_size(b->second.dtype); });

  std::string header = "{";
  if (!metadata.empty()) {
    header += "\"" + std::string(metadataKey) + "\":{";
    for (const auto &[key, value] : metadata)
      header += (header.ends_with('{') ? "" : ",") + inQuotes(key) + ":" + inQuotes(value);
    header += "}";
  }
  std::vector<std::span<const std::byte>> parts(2);
  int64_t offset = 0;
  for (const auto *named : order) {
    const auto &[name, array] = *named;
    if (name == metadataKey)
      fail("expected a name for an array that is not the metadata's own, got " + quotedText(name));
    if (nameOf(array.dtype).empty())
      fail("expected a dtype of " + knownDtypes() + ", got " + std::string(short_name(array.dtype)) + " of " +
           quotedText(name));
    auto size = static_cast<int64_t>(item_size(array.dtype));
    for (int64_t dim : array.dims)
      size *= dim;
    const int64_t offsets[] = {offset, offset + size};
    header += (header.size() > 1 ? "," : "") + inQuotes(name) + ":{\"dtype\":\"" + std::string(nameOf(array.dtype)) +
              "\",\"shape\":" + numbersText(array.dims) + ",\"data_offsets\":" + numbersText(offsets) + "}";
    parts.push_back({static_cast<const std::byte *>(array.data), static_cast<size_t>(size)});
    offset += size;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  const uint64_t headerSize = header.size();
  if (headerSize > maxHeader)
    fail("expected names that need at most " + std::to_string(maxHeader) + " bytes of header, got " +
         std::to_string(headerSize));
  parts[0] = std::as_bytes(std::span(&headerSize, 1));
  parts[1] = std::as_bytes(std::span(header));
  for (std::span<const std::byte> part : parts)
    file.write(part);
}

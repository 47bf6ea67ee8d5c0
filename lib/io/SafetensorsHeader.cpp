//===- SafetensorsHeader.cpp - the JSON of safetensors files -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/FileText.h"
#include "lib/io/Safetensors.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace tenon;
using namespace tenon::detail;

/// More than any array has, so that what is too much is not kept.
static constexpr size_t maxNumbers = 64;

namespace {
/// Takes the header's parts as they come: nothing is kept that has no place in one, and
/// nothing nests deeper than its arrays do.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit HeaderReader(const InputFile &file) : file_(file) {}
  SafetensorsHeader header;

  bool null() override { wrong("null"); }
  bool boolean(bool) override { wrong("a truth value"); }
  bool number_integer(number_integer_t value) override { wrong(std::to_string(value)); }
  bool number_float(number_float_t, const string_t &text) override { wrong(text); }
  bool binary(binary_t &) override { wrong("bytes"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::shape && place_ != Place::offsets)
      wrong(std::to_string(value));
    auto &numbers = place_ == Place::shape ? tensor().dims : tensor().offsets;
    if (numbers.size() == maxNumbers)
      wrong("more than " + std::to_string(maxNumbers) + " numbers");
    numbers.push_back(value);
    return true;
  }

  bool string(string_t &text) override {
    if (place_ == Place::dtype) {
      tensor().dtype = text;
      place_ = Place::tensor;
    } else if (place_ == Place::metadataValue) {
      header.metadata[key_] = text;
      place_ = Place::metadata;
    } else {
      wrong(quotedText(text));
    }
    return true;
  }

  bool start_object(size_t) override {
    if (place_ == Place::start) {
      place_ = Place::header;
    } else if (place_ == Place::member) {
      const bool isMetadata = key_ == "__metadata__";
      place_ = isMetadata ? Place::metadata : Place::tensor;
      seen_.clear();
      if (!isMetadata)
        header.tensors.push_back({key_, {}, {}, {}});
    } else {
      wrong("an object");
    }
    return true;
  }

  bool key(string_t &text) override {
    key_ = text;
    // The names of tensors differ, too: which of two is meant nobody knows.
    if (!(place_ == Place::header ? names_ : seen_).insert(text).second)
      file_.fail("expected keys that differ in the header, got " + quotedText(text) + " twice");
    if (place_ == Place::header)
      place_ = Place::member;
    else if (place_ == Place::metadata)
      place_ = Place::metadataValue;
    else if (text == "dtype")
      place_ = Place::dtype;
    else if (text == "shape")
      place_ = Place::shapeStart;
    else if (text == "data_offsets")
      place_ = Place::offsetsStart;
    else
      file_.fail("expected the keys 'dtype', 'shape', 'data_offsets' of tensor " + quotedText(tensor().name) +
                 ", got " + quotedText(text));
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor && seen_.size() != 3)
      file_.fail("expected the keys 'dtype', 'shape', 'data_offsets' of tensor " + quotedText(tensor().name) +
                 ", got " + std::to_string(seen_.size()) + " of them");
    place_ = place_ == Place::header ? Place::end : Place::header;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ != Place::shapeStart && place_ != Place::offsetsStart)
      wrong("an array");
    place_ = place_ == Place::shapeStart ? Place::shape : Place::offsets;
    return true;
  }

  bool end_array() override {
    if (place_ == Place::offsets && tensor().offsets.size() != 2)
      file_.fail("expected two numbers as 'data_offsets' of tensor " + quotedText(tensor().name) + ", got " +
                 std::to_string(tensor().offsets.size()));
    place_ = Place::tensor;
    return true;
  }

  bool parse_error(size_t position, const std::string &, const nlohmann::json::exception &) override {
    file_.fail("expected a header in JSON, got something else at its byte " + std::to_string(position));
  }

private:
  /// What may come next.
  enum class Place {
    start,
    header, ///< a name, or the end
    member, ///< what has a name
    tensor, ///< a key of a tensor, or its end
    dtype,
    shapeStart,
    shape,
    offsetsStart,
    offsets,
    metadata,
    metadataValue,
    end
  };

  SafetensorsHeader::Tensor &tensor() { return header.tensors.back(); }

  [[noreturn]] void wrong(const std::string &got) const {
    const char *expected = "an object of tensors";
    if (place_ == Place::member)
      expected = "an object";
    else if (place_ == Place::dtype)
      expected = "a dtype such as \"F32\"";
    else if (place_ == Place::shapeStart || place_ == Place::offsetsStart)
      expected = "an array of sizes";
    else if (place_ == Place::shape || place_ == Place::offsets)
      expected = "sizes from 0 to 2^64 - 1, at most 64 of them";
    else if (place_ == Place::metadataValue)
      expected = "a string";
    file_.fail(std::string("expected ") + expected + (key_.empty() ? "" : " for " + quotedText(key_)) +
               " in the header, got " + got);
  }

  const InputFile &file_;
  Place place_ = Place::start;
  std::string key_;
  std::set<std::string> names_, seen_; ///< keys of the header, and of what is in it
};
} // namespace

SafetensorsHeader detail::parseSafetensorsHeader(std::string_view json, const InputFile &file) {
  HeaderReader reader(file);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  return std::move(reader.header);
}

std::string detail::jsonText(std::string_view utf8) { return nlohmann::json(utf8).dump(); }

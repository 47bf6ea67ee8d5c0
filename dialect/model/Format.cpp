//===- Format.cpp - the format strings of print and check --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Format.h"

#include <algorithm>

using namespace tenon;

static std::string inFormat(std::string_view format) { return " in the format \"" + std::string(format) + "\""; }

std::string tenon::splitFormat(std::string_view format, std::vector<FormatPart> &parts) {
  size_t start = 0;
  auto endText = [&](size_t end) {
    if (end > start)
      parts.push_back({false, format.substr(start, end - start)});
  };
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '{' && format[i] != '}')
      continue;
    if (i + 1 < format.size() && format[i + 1] == format[i]) {
      endText(++i); // with one of the two
      start = i + 1;
      continue;
    }
    const size_t close = format[i] == '{' ? format.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos)
      return "unbalanced braces" + inFormat(format);
    const std::string_view field = format.substr(i + 1, close - i - 1);
    if (!field.empty() && field[0] != ':')
      return "expected {} or {:spec}, got \"{" + std::string(field) + "}\"" + inFormat(format);
    endText(i);
    parts.push_back({true, field.substr(std::min<size_t>(field.size(), 1))});
    start = close + 1;
    i = close;
  }
  endText(format.size());
  return "";
}

/// How many bytes the code point at the start of a text has.
static size_t codePointBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  return std::min<size_t>(first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4, text.size());
}

/// [[fill]align][sign][#][0][width][.precision][type], as std::format reads it.
static bool isSpecOf(Dtype dtype, std::string_view spec) {
  auto isOneOf = [&](std::string_view chars) { return !spec.empty() && chars.find(spec[0]) != std::string_view::npos; };
  auto skip = [&](std::string_view chars) {
    const bool found = isOneOf(chars);
    spec.remove_prefix(found);
    return found;
  };
  auto number = [&] {
    size_t digits = 0;
    while (isOneOf("0123456789"))
      spec.remove_prefix(1), ++digits;
    return digits;
  };
  constexpr size_t mostDigits = 4; // of a width: no line is longer
  if (!spec.empty())
    if (const size_t fill = codePointBytes(spec);
        spec.size() > fill && std::string_view("<>^").find(spec[fill]) != std::string_view::npos)
      spec.remove_prefix(fill);
  skip("<>^");
  const bool isSigned = skip("+- "), isAlternate = skip("#"), isFilled = skip("0");
  if (number() > mostDigits)
    return false;
  const bool hasPrecision = skip(".");
  if (const size_t digits = hasPrecision ? number() : 1; digits == 0 || digits > mostDigits)
    return false;
  const char type = spec.empty() ? '\0' : spec[0];
  spec.remove_prefix(type != '\0');
  if (!spec.empty())
    return false;
  auto among = [&](std::string_view types) { return type == '\0' || types.find(type) != std::string_view::npos; };
  switch (kind(dtype)) {
  case Kind::boolean:
    return !isSigned && !hasPrecision && (type == '\0' || type == 's' ? !isAlternate && !isFilled : among("bBdoxX"));
  case Kind::integer: // u64 has no signed integer to be written as
    return among("bBdoxX") && !hasPrecision && !(isSigned && dtype == Dtype::u64);
  case Kind::floating:
  case Kind::complex:
    return among("aAeEfFgG");
  }
  __builtin_unreachable();
}

std::string tenon::checkFormat(std::string_view format, std::span<const Type> arrays) {
  std::vector<FormatPart> parts;
  if (std::string error = splitFormat(format, parts); !error.empty())
    return error;
  size_t fields = 0;
  for (const FormatPart &part : parts) {
    if (!part.isField)
      continue;
    if (!part.text.empty() && fields < arrays.size()) {
      const Type &array = arrays[fields];
      const std::string field = "\"{:" + std::string(part.text) + "}\"";
      if (array.shape.rank() != 0)
        return "expected an array of rank 0 for the field " + field + ", got " + array.str();
      if (!isSpecOf(array.dtype, part.text))
        return "expected a field that std::format has for " + std::string(short_name(array.dtype)) + ", got " + field;
    }
    ++fields;
  }
  if (fields && fields != arrays.size())
    return "expected " + std::to_string(fields) + " arrays for the format \"" + std::string(format) + "\", got " +
           std::to_string(arrays.size());
  return "";
}

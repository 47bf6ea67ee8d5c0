//===- FileText.cpp - text of files --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/FileText.h"

#include <cstdint>

using namespace tenon;
using namespace tenon::detail;

std::string detail::quotedText(std::string_view text) {
  std::string result = "'";
  for (char c : text.substr(0, 60))
    result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 60 ? "...'" : "'");
}

bool detail::isUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto first = static_cast<uint8_t>(text[0]);
    const size_t length = first < 0x80   ? 1
                          : first < 0xc0 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf8 ? 4
                                         : 0;
    if (length == 0 || length > text.size())
      return false;
    uint32_t code = length == 1 ? first : first & (0x7f >> length);
    for (char c : text.substr(1, length - 1)) {
      if ((static_cast<uint8_t>(c) & 0xc0) != 0x80)
        return false;
      code = code << 6 | (static_cast<uint8_t>(c) & 0x3f);
    }
    constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return false;
    text.remove_prefix(length);
  }
  return true;
}

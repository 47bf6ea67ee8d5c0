//===- Utf8.cpp - whether bytes are text ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/Utf8.h"

bool tenon::detail::isUtf8(std::string_view text) {
  const auto *at = reinterpret_cast<const unsigned char *>(text.data()), *const end = at + text.size();
  while (at != end) {
    const unsigned char first = *at++;
    if (first < 0x80)
      continue;
    const int rest = first >= 0xc2 && first < 0xe0   ? 1
                     : first >= 0xe0 && first < 0xf0 ? 2
                     : first >= 0xf0 && first < 0xf5 ? 3
                                                     : 0;
    if (rest == 0 || end - at < rest)
      return false;
    // Not longer than it need be, no surrogate, not beyond U+10FFFF.
    const unsigned char least = first == 0xe0   ? 0xa0
                                : first == 0xf0 ? 0x90
                                                : 0x80,
                        most = first == 0xed   ? 0x9f
                               : first == 0xf4 ? 0x8f
                                               : 0xbf;
    if (at[0] < least || at[0] > most)
      return false;
    for (int i = 1; i < rest; ++i)
      if (at[i] < 0x80 || at[i] > 0xbf)
        return false;
    at += rest;
  }
  return true;
}

//===- Utf8.h - whether bytes are text --------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace tenon::detail {

/// Whether bytes are well-formed UTF-8 (Unicode 15, table 3-7).
bool isUtf8(std::string_view text);

} // namespace tenon::detail

//===- FileText.h - text of files ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tenon::detail {

/// Text from a file, safe to print in an error: short and one line.
std::string quotedText(std::string_view text);

/// Whether it is UTF-8: each character in its shortest form, none a surrogate.
bool isUtf8(std::string_view text);

} // namespace tenon::detail

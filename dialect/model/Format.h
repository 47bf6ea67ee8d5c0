//===- Format.h - the format strings of print and check ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked where an op is made, so that a wrong one is an Error there, with the
// user's line, and never one of a program that runs.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Shape.h"

namespace tenon {

/// A part of a format: text as it stands, or what is behind the colon of a field.
struct FormatPart {
  bool isField;
  std::string_view text;
};
/// The parts in order: `{{` and `}}` are braces. The sentence of the error, or "".
std::string splitFormat(std::string_view format, std::vector<FormatPart> &parts);

/// Whether the format fits these arrays: a field for each, or none. A spec needs an array of
/// rank 0, and one that std::format has for a number of its dtype. The sentence of the error, or "".
std::string checkFormat(std::string_view format, std::span<const Type> arrays);

} // namespace tenon

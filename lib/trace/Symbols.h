//===- Symbols.h - giving the symbols of a trace their sizes ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon {

/// The trace with its symbols replaced so that its inputs have `types`; null if
/// they have them already. What expectInputs says if they cannot have them, and
/// what the rule of an op says that does not hold for them, at its line.
TraceRef instantiate(const Trace &trace, std::span<const Type> types);

/// An Error unless a program with inputs of the `expected` types, whose symbols
/// may be anything, can take those it `got`: what every program says of a wrong
/// input, interpreted or compiled.
void expectInputs(std::span<const Type> expected, std::span<const Type> got);

/// A copy of `file` that lives as long as the process: what Location holds.
const char *internFile(std::string_view file);

} // namespace tenon

//===- Bytes.h - the canonical bytes of a trace ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Little endian, 8-byte words:
//   header     magic "TNTRACE\0", version, symbols, words of atoms, of
//              expressions, number of bodies
//   atoms      symbol: {0, number}; quotient: {1, size, size}
//   expressions {terms, {coefficient, atoms, atom...}...}, one after another
//   bodies     innermost first; the last one is the trace. Each: counts of
//              values, inputs, ops, operands, attribute words, regions, outputs;
//              then types {dtype | device << 16 | rank << 32, sizes...}, inputs,
//              ops {code | results << 32, operands | attribute words << 32, and
//              regions where the record leaves open how many},
//              operands, attributes, regions (numbers of earlier bodies), outputs.
//              What an op has follows what the one before it has
// A size is itself, or INT64_MIN + 1 + expression; INT64_MIN, the unknown size of
// hand-written IR, is equal to any and therefore refused. Symbols are numbered by
// first appearance; their names are in the side table.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Trace.h"

#include <cstring>

namespace tenon {

namespace traceBytes {
constexpr int64_t magic = 0x0045434152544e54; // "TNTRACE\0"
constexpr int64_t version = 2;
constexpr int64_t firstExpression = INT64_MIN + 1;
} // namespace traceBytes

std::vector<std::byte> encodeTrace(const Trace &trace);
/// The names of its symbols, in the order in which its bytes number them.
std::vector<std::string> symbolNames(const Trace &trace);

/// 64-bit hash for finding candidates; TENON_CONSTANT_HASH=1 makes it constant,
/// which must change no result and no hit count.
uint64_t hashBytes(std::span<const std::byte> bytes);

} // namespace tenon

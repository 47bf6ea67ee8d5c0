//===- Cut.h - a recording in pieces --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that a guard ends must not have been seen: the call would be seen twice. So a
// recording in which C++ asks after something has printed or called the host is cut there.
// Each piece is a program of its own: first its guards, then what is seen of it.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Trace.h"

#include <string>
#include <vector>

namespace tenon {

/// `body`, whose first `arguments` inputs are numbered first, then all results, then what was captured, of which an
/// array may be the same one in one recording and not in another: so recordings that begin alike have the same results
/// there.
TraceBody renumbered(const TraceBody &body, size_t arguments);

/// Ops of a recording that run together.
struct Piece {
  /// Its inputs are those of the recording, then `takes`; its outputs are `gives`.
  TraceRef trace;
  /// Values of the recording that pieces before it have made.
  std::vector<ValueId> takes;
  /// What those behind it take, all results of what happens in it, and the recording's outputs that it makes.
  std::vector<ValueId> gives;
  /// The recording's ops before it.
  size_t begin = 0;
  /// Guards before it.
  uint32_t guards = 0;
};

/// The pieces of what `renumbered` gives, with outputs. None, and `why`, where a value that goes from one to another is
/// of sizes that its type does not say.
std::vector<Piece> cut(const TraceBody &recorded, std::string &why);

/// The ops of `recorded`, in front of number `end`, that happen.
std::vector<const TraceOp *> happening(const TraceBody &recorded, size_t end);

/// Computes from the inputs, and from all results of what has happened before op `begin`, what `wanted` names.
TraceRef catchUp(const TraceBody &recorded, size_t begin, const std::vector<ValueId> &wanted);

} // namespace tenon

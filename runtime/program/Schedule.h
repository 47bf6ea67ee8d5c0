//===- Schedule.h - what a compiled program does, step by step ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flat list of steps over slots. A slot is an input, a temporary, an output
// or a view of another slot. Sizes are expressions over the symbols, so one
// program serves all sizes; the arena planner runs once per set of sizes. Steps
// launch a generated kernel, run an eager kernel (a library step), copy, print,
// or run a nested schedule (branch, loop).
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/Kernel.h"

#include <string>
#include <vector>

namespace tenon::rt {

using SlotId = uint32_t;
inline constexpr SlotId noSlot = UINT32_MAX;

/// A size: an integer, or a linear program over symbols in `Schedule::sizeCode`.
/// Flat postfix code: {push constant c} {push symbol s} {add} {multiply}
/// {floor divide}; the result is one integer.
struct SizeExpr {
  uint32_t begin = 0, length = 0;
};
enum class SizeOp : int64_t { constant, symbol, add, multiply, floorDivide };

struct Slot {
  enum Kind : uint8_t { input, temporary, view } kind = temporary;
  Dtype dtype = Dtype::f32;
  uint8_t rank = 0;
  /// Index into Schedule::sizes of `rank` dims.
  uint32_t dims = 0;
  /// input: its number. view: the slot it looks into; its strides and offset
  /// are `rank` + 1 entries of Schedule::sizes at `strides`, in elements.
  uint32_t source = 0;
  uint32_t strides = 0;
};

struct Step {
  enum Kind : uint8_t {
    launch,    ///< kernel `target` over slots `operands` (inputs, then outputs)
    library,   ///< eager kernel of op code `target`
    copy,      ///< operands[0] to operands[1]: packing
    print,     ///< the op `print`
    branch,    ///< operands[0] is the predicate; schedules `target`, `target2`
    loopWhile, ///< see Executor.cpp
    scan,      ///<
    call       ///< schedule `target`
  } kind = launch;
  uint32_t target = 0, target2 = 0;
  /// Ranges in Schedule::slotIds: operands, then results.
  uint32_t operands = 0, operandCount = 0, resultCount = 0;
  /// Attribute words of library, print and scan steps; of launches: immediate
  /// words (scalar constants).
  uint32_t attributes = 0, attributeCount = 0;
  /// launch: `sizeCount` entries of Schedule::sizes, passed to the kernel.
  uint32_t sizes = 0, sizeCount = 0;
  /// Index of the user's line in the debug table, or UINT32_MAX.
  uint32_t location = UINT32_MAX;
};

/// The function (or a body) as data; nested bodies are further schedules.
struct ScheduleBody {
  std::vector<Slot> slots;
  std::vector<SizeExpr> sizes;
  std::vector<int64_t> sizeCode;
  std::vector<SlotId> slotIds;
  std::vector<int64_t> attributes;
  std::vector<Step> steps;
  /// One slot per input, in order; outputs name slots (an input's slot: the
  /// same handle is returned).
  std::vector<SlotId> inputs, outputs;
};

/// A generated kernel: `int32_t kernel(const KernelArgs *, int64_t lo, int64_t hi)`
/// runs rows (or elements) [lo, hi) of its iteration space.
struct KernelArgs {
  /// Pointers of the operands, then of the results; dense row-major.
  void *const *buffers;
  /// The launch's sizes, then its immediate words.
  const int64_t *words;
  /// Scratch of this chunk, `KernelInfo::scratchPerRow` sized; or null.
  void *scratch;
};
using KernelFunction = int32_t (*)(const KernelArgs *args, int64_t lo, int64_t hi);

struct KernelInfo {
  std::string name;
  /// Index into the launch's sizes of the chunked extent, and how many of its
  /// units one chunk should have at least (a function of the kernel alone).
  uint32_t extent = 0;
  /// Scratch bytes a chunk needs: scratchFixed + scratchPerItem * sizes[scratchSize].
  uint32_t scratchFixed = 0, scratchPerItem = 0, scratchSize = 0;
  /// Elements of work in one unit of the extent are the product of the other
  /// sizes; costPerElement in tenths of a nanosecond decides the chunk.
  uint32_t costPerElement = 1;
};

struct Schedule {
  /// schedules[0] is the program.
  std::vector<ScheduleBody> schedules;
  std::vector<KernelInfo> kernels;
  /// Symbols bound by the inputs: symbol s is dim `axis` of input `input`, when
  /// that dim is the bare symbol; every input's dims are checked otherwise.
  struct Symbol {
    std::string name;
    uint32_t input = 0, axis = 0;
  };
  std::vector<Symbol> symbols;
  /// Debug: the user's lines of steps.
  std::vector<std::string> locations;
};

/// The schedule section of a blob. `parse` checks every index, count, op code,
/// attribute word and size code; the text says what is wrong, "" is success.
std::vector<std::byte> serialize(const Schedule &schedule);
std::string parse(std::span<const std::byte> bytes, Schedule &schedule);

} // namespace tenon::rt

//===- Schedule.h - what a compiled program does, step by step ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flat list of steps over slots. A slot is an input, a temporary or a view of
// another slot. Sizes are expressions over the symbols, so one program serves
// all sizes; the planner runs once per set of sizes. Steps launch a generated
// kernel, run an eager kernel (a library step), copy, print or call the host, or run the nested
// schedules of an op with regions (a branch, a loop, a call).
//
// Rules the reader checks:
//   - slots: a view's source has a smaller id. Inputs are defined from the
//     start, a temporary by the one step that has it as a result, a view with
//     its source. Steps and outputs name defined slots only.
//   - results are temporaries, and each is a result once.
//   - a step's nested schedules have larger numbers than its own.
// What the planner does by itself, so that emission need not:
//   - a reshape that strides cannot say, and an operand of a launch or of a
//     nested schedule that is not dense, is packed once, at its first use;
//   - an output that is a view, an input (of a nested schedule) or named twice
//     is copied where it cannot have a buffer of its own.
// A donated input is written in place only by a launch after which no step can
// fail (library steps, prints and what holds them can): updates of parameters
// are best emitted last.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/Launch.h"
#include "runtime/kernels/Kernel.h"

#include <string>
#include <vector>

namespace tenon::rt {

using SlotId = uint32_t;
inline constexpr SlotId noSlot = UINT32_MAX;
inline constexpr uint32_t noLocation = UINT32_MAX;

/// A size: postfix code over the symbols in ScheduleBody::sizeCode, one integer
/// as its result. Words: {constant, c} {symbol, s} {add} {multiply}
/// {floorDivide}; at most maxSizeDepth values are on the stack. Only the
/// sizes of slots need be >= 0; bounds of slices may be negative.
struct SizeExpr {
  uint32_t begin = 0, length = 0;
  friend bool operator==(SizeExpr, SizeExpr) = default;
};
enum class SizeOp : int64_t { constant, symbol, add, multiply, floorDivide };
inline constexpr int maxSizeDepth = 64;

struct Slot {
  enum Kind : uint8_t { input, temporary, view } kind = temporary;
  Dtype dtype = Dtype::f32;
  uint8_t rank = 0;
  /// view: what it is of `source`, a view op with one result. A piece of several is a
  /// slice; what is the same as an operand is its slot.
  OpCode op = {};
  /// Index into ScheduleBody::sizes of `rank` dims.
  uint32_t dims = 0;
  /// input: its number. view: the slot it looks into.
  uint32_t source = 0;
  /// view: the op's attribute words (see Step::attributes).
  uint32_t attributes = 0, attributeCount = 0;
  friend bool operator==(const Slot &, const Slot &) = default;
};

struct Step {
  enum Kind : uint8_t {
    launch,  ///< kernel `target` over the operands' and results' dense data
    library, ///< eager kernel of op code `target`, over views
    copy,    ///< its one operand, any strides, into its one result, dense
    host,    ///< an op that is seen from outside, of code `target`, likewise: print, check, host_call
    region   ///< region op of code `target`, whose regions are nested schedules
  } kind = launch;
  uint32_t target = 0;
  /// region: in ScheduleBody::bodies, from `bodies`: a schedule for each region.
  uint32_t bodies = 0, bodyCount = 0;
  /// In ScheduleBody::slotIds, from `operands`: the operands, then the results.
  /// Order and meaning are the op's.
  uint32_t operands = 0, operandCount = 0, resultCount = 0;
  /// library, host, region: the op's attribute words, in which a word of kind
  /// `dims` is an index into ScheduleBody::sizes. launch: immediate words. Else
  /// none.
  uint32_t attributes = 0, attributeCount = 0;
  /// launch: `sizeCount` entries of ScheduleBody::sizes, passed to the kernel.
  uint32_t sizes = 0, sizeCount = 0;
  /// Index into Schedule::locations, or noLocation.
  uint32_t location = noLocation;
  friend bool operator==(const Step &, const Step &) = default;
};

/// The program or a nested body, as data. All sizes, those of bodies too, are
/// over the program's symbols.
struct ScheduleBody {
  std::vector<Slot> slots;
  std::vector<SizeExpr> sizes;
  std::vector<int64_t> sizeCode;
  std::vector<SlotId> slotIds;
  /// Numbers of nested schedules.
  std::vector<uint32_t> bodies;
  std::vector<int64_t> attributes;
  std::vector<Step> steps;
  /// One slot per input, in order; outputs name slots (an input's slot: the
  /// same handle is returned).
  std::vector<SlotId> inputs, outputs;
  friend bool operator==(const ScheduleBody &, const ScheduleBody &) = default;
};

struct KernelInfo {
  std::string name;
  /// Index into the launch's sizes of the chunked extent; `wholeExtent`: the
  /// kernel is one unit, called with lo = 0 and hi = 1. An extent of 0 is not
  /// called.
  uint32_t extent = 0;
  static constexpr uint32_t wholeExtent = UINT32_MAX;
  /// Scratch bytes of a chunk: scratchFixed + scratchPerItem * sizes[scratchSize].
  uint32_t scratchFixed = 0, scratchPerItem = 0, scratchSize = 0;
  /// One unit of the extent is a row of as many elements as the launch's last size, or one element if the extent is
  /// the last size. costPerElement, in tenths of a nanosecond, decides how many units a chunk has.
  uint32_t costPerElement = 1;
  /// It may return something else than 0.
  bool canFail = false;
  /// Result `result` may be written into the buffer of operand `operand` if
  /// both have as many bytes: the kernel reads an element of that operand only
  /// to write the same element, and not after.
  struct InPlace {
    uint32_t operand = 0, result = 0;
    friend bool operator==(InPlace, InPlace) = default;
  };
  std::vector<InPlace> inPlace;
  friend bool operator==(const KernelInfo &, const KernelInfo &) = default;
};

struct Schedule {
  /// schedules[0] is the program.
  std::vector<ScheduleBody> schedules;
  /// In the order of the blob's entries.
  std::vector<KernelInfo> kernels;
  /// Symbol s is dim `axis` of input `input` of the program, and that dim is the
  /// bare symbol; the other dims of the inputs are checked.
  struct Symbol {
    std::string name;
    uint32_t input = 0, axis = 0;
    friend bool operator==(const Symbol &, const Symbol &) = default;
  };
  std::vector<Symbol> symbols;
  /// What shape rules left open for symbols: small <= large, both with code in
  /// the program's body. A call with sizes for which one does not hold is refused.
  struct Requirement {
    SizeExpr small, large;
    std::string sentence;
    uint32_t location = noLocation;
    friend bool operator==(const Requirement &, const Requirement &) = default;
  };
  std::vector<Requirement> requirements;
  /// The user's lines of steps and requirements.
  std::vector<std::string> locations;
  friend bool operator==(const Schedule &, const Schedule &) = default;
};

/// Nested schedules may be nested this deep.
inline constexpr uint32_t maxScheduleDepth = 64;

/// The schedule section of a blob. `parse` checks every index, count, op code,
/// attribute word and size code; the text says what is wrong, "" is success.
std::vector<std::byte> serialize(const Schedule &schedule);
std::string parse(std::span<const std::byte> bytes, Schedule &schedule);

/// What parse checks once it has the words: for schedules made in memory.
std::string check(const Schedule &schedule);

} // namespace tenon::rt

//===- Schedule.cpp - the schedule section of a blob, written and read -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Little-endian 8-byte words: a magic number, then the fields of Schedule in
// order. A list is its count, then its items; a text is its bytes, then packed
// words. Two 32-bit fields share a word, the first in the lower half.
//===----------------------------------------------------------------------===//
#include "runtime/program/Schedule.h"

#include <cstdio>

using namespace tenon;
using namespace tenon::rt;

static constexpr int64_t magic = 0x0003444548435354; // "TSCHED", version 3

namespace {
struct Writer {
  std::vector<int64_t> words;

  void word(int64_t value) { words.push_back(value); }
  void pair(uint32_t low, uint32_t high) { word(static_cast<int64_t>(low | uint64_t(high) << 32)); }
  void text(const std::string &value) {
    word(static_cast<int64_t>(value.size()));
    size_t start = words.size();
    words.resize(start + (value.size() + 7) / 8);
    if (!value.empty())
      std::memcpy(words.data() + start, value.data(), value.size());
  }
  template <class T, class F>
  void list(const std::vector<T> &items, F &&write) {
    word(static_cast<int64_t>(items.size()));
    for (const T &item : items)
      write(item);
  }
};

/// After the first error every read gives 0, and lists are empty.
struct Reader {
  explicit Reader(std::span<const std::byte> bytes) : bytes(bytes) {}
  std::span<const std::byte> bytes;
  size_t at = 0;
  std::string error;

  size_t left() const { return (bytes.size() - at) / 8; }
  void fail(const std::string &what) {
    if (error.empty())
      error = "schedule: at byte " + std::to_string(at) + ": " + what;
    at = bytes.size();
  }
  int64_t word() {
    if (left() == 0) {
      fail("expected another word, got the end");
      return 0;
    }
    int64_t value;
    std::memcpy(&value, bytes.data() + at, 8);
    at += 8;
    return value;
  }
  void pair(uint32_t &low, uint32_t &high) {
    auto value = static_cast<uint64_t>(word());
    low = static_cast<uint32_t>(value);
    high = static_cast<uint32_t>(value >> 32);
  }
  /// A count of items of at least `wordsEach` words.
  size_t count(size_t wordsEach) {
    auto value = static_cast<uint64_t>(word());
    if (value > left() / wordsEach || value > UINT32_MAX) {
      fail("expected a count that fits into " + std::to_string(left()) + " words, got " + std::to_string(value));
      return 0;
    }
    return value;
  }
  std::string text() {
    auto size = static_cast<uint64_t>(word());
    if (size > left() * 8) {
      fail("expected a text that fits into " + std::to_string(left()) + " words, got " + std::to_string(size) +
           " bytes");
      return {};
    }
    std::string value(reinterpret_cast<const char *>(bytes.data() + at), size);
    at += (size + 7) / 8 * 8;
    return value;
  }
  template <class T, class F>
  void list(std::vector<T> &items, size_t wordsEach, F &&read) {
    items.resize(count(wordsEach));
    for (T &item : items)
      read(item);
  }
};
} // namespace

static void write(Writer &out, const ScheduleBody &body) {
  out.list(body.slots, [&](const Slot &slot) {
    out.pair(uint32_t(slot.kind) | uint32_t(slot.rank) << 8 | uint32_t(slot.dtype) << 16, uint32_t(slot.op));
    out.pair(slot.dims, slot.source);
    out.pair(slot.attributes, slot.attributeCount);
  });
  out.list(body.sizes, [&](SizeExpr size) { out.pair(size.begin, size.length); });
  out.list(body.sizeCode, [&](int64_t word) { out.word(word); });
  out.list(body.slotIds, [&](SlotId id) { out.word(id); });
  out.list(body.bodies, [&](uint32_t number) { out.word(number); });
  out.list(body.attributes, [&](int64_t word) { out.word(word); });
  out.list(body.steps, [&](const Step &step) {
    out.pair(step.kind, step.location);
    out.pair(step.target, step.bodies);
    out.pair(step.operands, step.operandCount);
    out.pair(step.resultCount, step.attributes);
    out.pair(step.attributeCount, step.sizes);
    out.pair(step.sizeCount, step.bodyCount);
  });
  out.list(body.inputs, [&](SlotId id) { out.word(id); });
  out.list(body.outputs, [&](SlotId id) { out.word(id); });
}

static void readIds(Reader &in, const char *what, std::vector<uint32_t> &ids) {
  in.list(ids, 1, [&](uint32_t &id) {
    int64_t word = in.word();
    if (word < 0 || word >= noSlot)
      in.fail(std::string("expected ") + what + ", got " + std::to_string(word));
    id = static_cast<uint32_t>(word);
  });
}

static void read(Reader &in, ScheduleBody &body) {
  in.list(body.slots, 3, [&](Slot &slot) {
    uint32_t packed, op;
    in.pair(packed, op);
    if ((packed & 0xff) > Slot::view || packed >> 16 >= dtype_count || op > UINT16_MAX)
      in.fail("expected kind, dtype and rank of a slot, got " + std::to_string(packed) + " and op " +
              std::to_string(op));
    else
      slot = {static_cast<Slot::Kind>(packed & 0xff), static_cast<Dtype>(packed >> 16),
              static_cast<uint8_t>(packed >> 8), static_cast<OpCode>(op)};
    in.pair(slot.dims, slot.source);
    in.pair(slot.attributes, slot.attributeCount);
  });
  in.list(body.sizes, 1, [&](SizeExpr &size) { in.pair(size.begin, size.length); });
  in.list(body.sizeCode, 1, [&](int64_t &word) { word = in.word(); });
  readIds(in, "a slot", body.slotIds);
  readIds(in, "a schedule", body.bodies);
  in.list(body.attributes, 1, [&](int64_t &word) { word = in.word(); });
  in.list(body.steps, 6, [&](Step &step) {
    uint32_t kind;
    in.pair(kind, step.location);
    in.pair(step.target, step.bodies);
    in.pair(step.operands, step.operandCount);
    in.pair(step.resultCount, step.attributes);
    in.pair(step.attributeCount, step.sizes);
    in.pair(step.sizeCount, step.bodyCount);
    if (kind > Step::region)
      in.fail("expected the kind of a step, got " + std::to_string(kind));
    else
      step.kind = static_cast<Step::Kind>(kind);
  });
  readIds(in, "a slot", body.inputs);
  readIds(in, "a slot", body.outputs);
}

std::vector<std::byte> rt::serialize(const Schedule &schedule) {
  Writer out;
  out.word(magic);
  out.list(schedule.schedules, [&](const ScheduleBody &body) { write(out, body); });
  out.list(schedule.kernels, [&](const KernelInfo &kernel) {
    out.text(kernel.name);
    out.pair(kernel.extent, kernel.scratchFixed);
    out.pair(kernel.scratchPerItem, kernel.scratchSize);
    out.pair(kernel.costPerElement, kernel.canFail);
    out.list(kernel.inPlace, [&](KernelInfo::InPlace both) { out.pair(both.operand, both.result); });
  });
  out.list(schedule.symbols, [&](const Schedule::Symbol &symbol) {
    out.text(symbol.name);
    out.pair(symbol.input, symbol.axis);
  });
  out.list(schedule.requirements, [&](const Schedule::Requirement &requirement) {
    out.pair(requirement.small.begin, requirement.small.length);
    out.pair(requirement.large.begin, requirement.large.length);
    out.text(requirement.sentence);
    out.word(requirement.location);
  });
  out.list(schedule.locations, [&](const std::string &location) { out.text(location); });
  std::vector<std::byte> bytes(out.words.size() * 8);
  std::memcpy(bytes.data(), out.words.data(), bytes.size());
  return bytes;
}

std::string rt::parse(std::span<const std::byte> bytes, Schedule &schedule) {
  schedule = {};
  Reader in(bytes);
  if (int64_t first = in.word(); first != magic) {
    char text[96];
    std::snprintf(text, sizeof text, "expected the magic word 0x%016llx, got 0x%016llx",
                  static_cast<unsigned long long>(magic), static_cast<unsigned long long>(first));
    in.at = 0;
    in.fail(text);
  }
  in.list(schedule.schedules, 9, [&](ScheduleBody &body) { read(in, body); });
  in.list(schedule.kernels, 5, [&](KernelInfo &kernel) {
    uint32_t canFail;
    kernel.name = in.text();
    in.pair(kernel.extent, kernel.scratchFixed);
    in.pair(kernel.scratchPerItem, kernel.scratchSize);
    in.pair(kernel.costPerElement, canFail);
    if (canFail > 1)
      in.fail("expected 0 or 1, got " + std::to_string(canFail));
    kernel.canFail = canFail != 0;
    in.list(kernel.inPlace, 1, [&](KernelInfo::InPlace &both) { in.pair(both.operand, both.result); });
  });
  in.list(schedule.symbols, 2, [&](Schedule::Symbol &symbol) {
    symbol.name = in.text();
    in.pair(symbol.input, symbol.axis);
  });
  in.list(schedule.requirements, 4, [&](Schedule::Requirement &requirement) {
    in.pair(requirement.small.begin, requirement.small.length);
    in.pair(requirement.large.begin, requirement.large.length);
    requirement.sentence = in.text();
    uint32_t zero;
    in.pair(requirement.location, zero);
    if (zero != 0)
      in.fail("expected the location of a requirement, got " + std::to_string(zero) + " above it");
  });
  in.list(schedule.locations, 1, [&](std::string &location) { location = in.text(); });
  if (in.error.empty() && in.at != bytes.size())
    in.fail("expected the end, got " + std::to_string(bytes.size() - in.at) + " more bytes");
  return in.error.empty() ? check(schedule) : in.error;
}

//===- Op.cpp - the table of ops and the check of attribute words --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/model/Op.h"

#include <algorithm>
#include <array>

namespace tenon {

#include "dialect/model/OpTable.gen.inc"

namespace {
constexpr uint16_t maxCode = std::end(opTable)[-1].code;
constexpr uint16_t noOp = UINT16_MAX;

/// Position in opTable by code.
constexpr auto positions = [] {
  std::array<uint16_t, maxCode + 1> result;
  result.fill(noOp);
  for (size_t i = 0; i < std::size(opTable); ++i)
    result[opTable[i].code] = static_cast<uint16_t>(i);
  return result;
}();

/// Walks over words that may be too few or hold anything.
class WordChecker {
public:
  explicit WordChecker(AttrWords words) : words_(words) {}

  /// Empty, or what is wrong with the next attribute.
  std::string check(AttrKind kind) {
    switch (kind) {
    case AttrKind::int_:
      return take(1);
    case AttrKind::bool_:
      return takeBelow(2, "0 or 1");
    case AttrKind::dtype:
      return takeBelow(dtype_count, "a dtype");
    case AttrKind::device:
      return takeBelow(int64_t(UINT16_MAX) + 1, "a device");
    case AttrKind::scalar:
      return checkScalar();
    case AttrKind::string:
      return checkString();
    case AttrKind::ints:
    case AttrKind::dims:
    case AttrKind::named:
      return takeCounted(1, nullptr);
    }
    __builtin_unreachable();
  }
  size_t rest() const { return words_.size(); }

private:
  std::string take(size_t count) {
    if (count > words_.size())
      return "expected " + std::to_string(count) + (count == 1 ? " word, got " : " words, got ") +
             std::to_string(words_.size());
    words_ = words_.subspan(count);
    return {};
  }

  std::string takeBelow(int64_t limit, const char *expected) {
    if (words_.empty())
      return take(1);
    int64_t word = words_.front();
    if (word < 0 || word >= limit)
      return std::string("expected ") + expected + ", got " + std::to_string(word);
    return take(1);
  }

  /// A kind, then two words. Equal numbers are equal words.
  std::string checkScalar() {
    const int64_t first = words_.empty() ? 0 : words_.front();
    if (std::string error = takeBelow(static_cast<int>(Kind::complex) + 1, "the kind of a number"); !error.empty())
      return error;
    if (words_.size() < 2)
      return take(2);
    const ScalarAttr value{static_cast<Kind>(first), {uint64_t(words_[0]), uint64_t(words_[1])}};
    if (value.kind == Kind::boolean && value.words[0] > 1)
      return takeBelow(2, "0 or 1 as the bits of a bool");
    if (value.kind == Kind::integer && !isInteger64(value.asInt()))
      return "expected an integer of 64 bits, got the words " + std::to_string(words_[0]) + " and " +
             std::to_string(words_[1]);
    if ((value.kind == Kind::boolean || value.kind == Kind::floating) && value.words[1])
      return "expected 0 as the second word of a real number, got " + std::to_string(words_[1]);
    return take(2);
  }

  /// A count, then one word for each `perWord` of it; `last` gets the last word.
  std::string takeCounted(int64_t perWord, int64_t *last) {
    if (words_.empty())
      return take(1);
    int64_t count = words_.front();
    auto room = static_cast<int64_t>(words_.size() - 1);
    if (count < 0 || count / perWord > room || (count + perWord - 1) / perWord > room)
      return "expected a count that fits into " + std::to_string(room) + (room == 1 ? " word" : " words") + ", got " +
             std::to_string(count);
    size_t taken = 1 + static_cast<size_t>((count + perWord - 1) / perWord);
    if (last && taken > 1)
      *last = words_[taken - 1];
    return take(taken);
  }

  /// Equal strings are equal words: bytes past the end are zero.
  std::string checkString() {
    int64_t bytes = words_.empty() ? 0 : words_.front();
    int64_t last = 0;
    std::string error = takeCounted(8, &last);
    if (!error.empty() || bytes % 8 == 0)
      return error;
    if (static_cast<uint64_t>(last) >> 8 * (bytes % 8))
      return "expected zeros after the text's last byte";
    return {};
  }

  AttrWords words_;
};
} // namespace

const OpInfo &opInfo(OpCode code) { return opTable[positions[static_cast<uint16_t>(code)]]; }

const OpInfo *findOp(uint16_t code) {
  if (code > maxCode || positions[code] == noOp)
    return nullptr;
  return &opTable[positions[code]];
}

const OpInfo *findOp(std::string_view mnemonic) {
  auto found = std::ranges::find(opTable, mnemonic, [](const OpInfo &info) { return std::string_view(info.name); });
  return found == std::end(opTable) ? nullptr : found;
}

std::span<const OpInfo> allOps() { return opTable; }

std::string checkAttributes(std::span<const AttrInfo> attributes, AttrWords words) {
  WordChecker checker(words);
  for (const AttrInfo &attribute : attributes)
    if (std::string error = checker.check(attribute.kind); !error.empty())
      return std::string("attribute '") + attribute.name + "': " + error;
  if (checker.rest())
    return "expected no words after the attributes, got " + std::to_string(checker.rest());
  return {};
}

std::string checkAttributes(const OpInfo &info, AttrWords words) {
  const std::string error = checkAttributes(info.attributes, words);
  return error.empty() ? error : std::string(info.name) + ": " + error;
}

} // namespace tenon

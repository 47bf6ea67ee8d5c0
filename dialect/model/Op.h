//===- Op.h - op codes, attributes and the table of ops, without MLIR --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tenon-tblgen makes of the records, and the two small classes its output
// stands on. Shared by the front door, traces, kernels, schedules and the
// compiler; knows nothing of arrays or of MLIR.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/device.h>
#include <tenon/dim.h>
#include <tenon/dtype.h>

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace tenon {

/// How an attribute is stored in the words of an op.
///   int_, bool_, dtype, device: one word   scalar: three words (Kind, low, high)
///   ints, dims: a count, then the words    string: bytes, then packed words
///   named: a count, then the words of the attributes of a composite, see Composite.h
enum class AttrKind : uint8_t { int_, bool_, dtype, scalar, string, ints, dims, device, named };

/// A number attribute, in two words by kind: an integer sign-extended to 128 bits,
/// so that those of u64 and of i64 are told apart; a real number as f64, then 0; a
/// complex one as two f64.
struct ScalarAttr {
  Kind kind = Kind::integer;
  uint64_t words[2] = {};
  static constexpr ScalarAttr boolean(bool value) { return {Kind::boolean, {value, 0}}; }
  static constexpr ScalarAttr integer(__int128 value) {
    return {Kind::integer, {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)}};
  }
  static constexpr ScalarAttr floating(double value) {
    return {Kind::floating, {__builtin_bit_cast(uint64_t, value), 0}};
  }
  static constexpr ScalarAttr complex(complex128_t value) {
    return {Kind::complex, {__builtin_bit_cast(uint64_t, value.real), __builtin_bit_cast(uint64_t, value.imag)}};
  }
  /// Of bools and integers.
  constexpr __int128 asInt() const {
    return static_cast<__int128>(static_cast<unsigned __int128>(words[1]) << 64 | words[0]);
  }
  constexpr double asDouble() const { return __builtin_bit_cast(double, words[0]); }
  constexpr complex128_t asComplex() const { return {asDouble(), __builtin_bit_cast(double, words[1])}; }
  /// Of what is not complex.
  constexpr bool asBool() const { return kind == Kind::floating ? asDouble() != 0 : words[0] != 0; }
  friend bool operator==(ScalarAttr, ScalarAttr) = default;
};

/// What i64 or u64 holds.
constexpr bool isInteger64(__int128 value) { return value >= INT64_MIN && value <= static_cast<__int128>(UINT64_MAX); }

/// The attribute words of one op, in the order of its record.
using AttrWords = std::span<const int64_t>;

/// Reads attribute words front to back. The words were checked when they
/// entered the process (see checkAttributes).
class AttrReader {
public:
  explicit AttrReader(AttrWords words) : at_(words.data()) {}
  int64_t readInt() { return *at_++; }
  bool readBool() { return *at_++ != 0; }
  Dtype readDtype() { return static_cast<Dtype>(*at_++); }
  ScalarAttr readScalar() {
    ScalarAttr value{static_cast<Kind>(at_[0]), {static_cast<uint64_t>(at_[1]), static_cast<uint64_t>(at_[2])}};
    at_ += 3;
    return value;
  }
  Device readDevice() { return Device::from_code(static_cast<uint16_t>(*at_++)); }
  std::span<const int64_t> readInts() {
    std::span<const int64_t> values(at_ + 1, static_cast<size_t>(at_[0]));
    at_ += 1 + values.size();
    return values;
  }
  AttrWords readNamed() { return readInts(); }
  std::span<const Dim> readDims() {
    std::span<const int64_t> raw = readInts();
    return {reinterpret_cast<const Dim *>(raw.data()), raw.size()};
  }
  std::string_view readString() {
    std::string_view text(reinterpret_cast<const char *>(at_ + 1), static_cast<size_t>(at_[0]));
    at_ += 1 + (text.size() + 7) / 8;
    return text;
  }

private:
  const int64_t *at_;
};

/// Writes attribute words; the first 24 need no allocation.
class AttrWriter {
public:
  AttrWriter() = default;
  AttrWriter(const AttrWriter &) = delete;
  AttrWriter &operator=(const AttrWriter &) = delete;
  void writeInt(int64_t value) { *grow(1) = value; }
  void writeBool(bool value) { writeInt(value); }
  void writeDtype(Dtype value) { writeInt(static_cast<int64_t>(value)); }
  void writeScalar(ScalarAttr value) {
    writeInt(static_cast<int64_t>(value.kind));
    writeInt(static_cast<int64_t>(value.words[0]));
    writeInt(static_cast<int64_t>(value.words[1]));
  }
  void writeDevice(Device value) { writeInt(value.code()); }
  void writeInts(std::span<const int64_t> values) {
    writeInt(static_cast<int64_t>(values.size()));
    if (!values.empty())
      std::memcpy(grow(values.size()), values.data(), values.size_bytes());
  }
  void writeNamed(AttrWords words) { writeInts(words); }
  void writeDims(std::span<const Dim> dims) {
    writeInts({reinterpret_cast<const int64_t *>(dims.data()), dims.size()});
  }
  void writeString(std::string_view text) {
    writeInt(static_cast<int64_t>(text.size()));
    size_t words = (text.size() + 7) / 8;
    if (!words)
      return;
    int64_t *place = grow(words);
    place[words - 1] = 0;
    std::memcpy(place, text.data(), text.size());
  }
  AttrWords words() const { return {large_.empty() ? small_ : large_.data(), size_}; }

private:
  int64_t *grow(size_t words) {
    size_t start = size_;
    size_ += words;
    if (large_.empty() && size_ <= std::size(small_))
      return small_ + start;
    if (large_.empty())
      large_.assign(small_, small_ + start);
    large_.resize(size_);
    return large_.data() + start;
  }
  size_t size_ = 0;
  int64_t small_[24];
  std::vector<int64_t> large_;
};

/// In the IR each attribute of kind `dims` comes with a group of index operands
/// `<name>_sizes`, after the array operands, in the order of the attributes;
/// tenon-tblgen refuses another order. They are no operands of OpInfo.
struct AttrInfo {
  const char *name;
  AttrKind kind;
};

/// How the compiler treats an op; see records/Base.td.
enum class Lowering : uint8_t { elementwise, broadcast, reduction, view, library, region, open, effect, ruled };
/// What the front door does to an op's operands; see records/Base.td.
enum class Promotion : uint8_t { none, common, floating, boolean, kept };
/// An elementwise op's; see records/Base.td.
enum class ResultDtype : uint8_t { operands, bool_, attribute, part, pair };
enum class Comparison : uint8_t { none, equal, notEqual, less, lessEqual };

// Made from the records, below.
enum class OpCode : uint16_t;

/// What a reduction's record says of it; see records/Shaped.td.
struct ReductionInfo {
  /// The elementwise op that makes one element of two.
  OpCode combine{};
  /// Whether there is a result over no elements, and which.
  bool hasIdentity = false;
  int8_t identity = 0;
  /// Narrow integers and bools are accumulated in 32 bits, small floats in f32.
  bool isWide = false;
};

/// A set of dtypes, one bit each.
using DtypeSet = uint64_t;
static_assert(dtype_count <= 64);
constexpr bool contains(DtypeSet set, Dtype dtype) { return set >> static_cast<int>(dtype) & 1; }

/// What becomes of an operand of a region op; see records/Base.td.
enum class Flow : uint8_t { read, passed, carried, sliced };
/// Array operands one after another: as many as attribute number `attribute`
/// says, one, or, of the last group, the rest.
struct OperandGroup {
  const char *name;
  Flow flow;
  enum Count : uint8_t { one, attribute, rest } count;
  uint8_t counter;
};
/// What a region returns; see records/Base.td.
enum class Returned : uint8_t { results, round, answer, rule };
struct RegionInfo {
  const char *name;
  /// Bits of OpInfo::groups: its inputs, in their order.
  uint8_t takes;
  Returned returned;
  /// The name of its trace is shown.
  bool isNamed;
};

/// One record, as data.
struct OpInfo {
  uint16_t code;
  const char *name;
  /// Array operands by name; with `variadic`, the last one repeats.
  std::span<const char *const> operands;
  bool variadic;
  /// Results; -1: as many as the shape rule says.
  int8_t results;
  std::span<const AttrInfo> attributes;
  /// With `variadicRegions`, the last one repeats, and is there at least once.
  std::span<const RegionInfo> regions;
  bool variadicRegions;
  /// Of a region op.
  std::span<const OperandGroup> groups;
  /// Number of the attribute that holds the number of rounds; -1: none.
  int8_t rounds;
  DtypeSet dtypes;
  Promotion promotion;
  Lowering lowering;
  bool hasEffect;
  bool isElementwise;
  /// Its results are elements of an operand, where they lie; see model/Views.h.
  bool isView;
  /// False: it has no operands, or only their sizes matter.
  bool readsElements;
  /// The operand whose memory the result may have, changed in place, or -1: the kernel
  /// fails before it writes, or not at all.
  int8_t updated;
  bool commutative;
  /// Of an op that is lowered as a reduction.
  ReductionInfo reduction;
  /// Bits of the operands, then (from bit 16) of the results, whose values the
  /// derivative reads.
  uint32_t needs;
  /// Groups of operands, as bits, in each of which it is linear; see records/Base.td.
  std::span<const uint32_t> linearIn;
  /// Number of the attribute that is 0 for tangents, or -1.
  int8_t constantTerm;
  /// The sentence for a rule that has no meaning; null where there is a rule.
  const char *noVjp;
  const char *noBatch;
  /// True: every derivative of this op is zero.
  bool zeroVjp;
  // Of an elementwise op; see records/Base.td.
  ResultDtype resultDtype;
  /// So many operands, the first ones, are bool whatever the others are.
  uint8_t conditions;
  Comparison comparison;
  bool isExact;
  uint8_t cost;

  /// A view with one result, of its one operand: what a slot of a schedule can be and
  /// a fold looks through.
  bool isSingleView() const { return isView && results == 1; }
  bool isReduction() const { return lowering == Lowering::reduction; }
  /// Whether its derivative and batching rules are over traces.
  bool hasTraceRules() const { return lowering == Lowering::region || lowering == Lowering::ruled; }
  /// Whether it holds traces.
  bool hasRegions() const { return !regions.empty(); }
};

} // namespace tenon

// enum class OpCode : uint16_t { add = 1, ... };
// struct SumAttrs { std::span<const int64_t> axes; bool keepdims;
//   static SumAttrs read(AttrWords); void write(AttrWriter &) const; };
#include "dialect/model/Ops.gen.h"

namespace tenon {

/// The record of `code`; the code must be one.
const OpInfo &opInfo(OpCode code);
/// Null if there is no such op.
const OpInfo *findOp(uint16_t code);
const OpInfo *findOp(std::string_view mnemonic);
/// Region number `number` of the op.
inline const RegionInfo &regionInfo(const OpInfo &info, size_t number) {
  return info.regions[number < info.regions.size() ? number : info.regions.size() - 1];
}
/// Whether an op may have `count` regions.
inline bool mayHaveRegions(const OpInfo &info, size_t count) {
  return info.variadicRegions ? count >= info.regions.size() : count == info.regions.size();
}
/// All records, by code.
std::span<const OpInfo> allOps();
/// Empty if `words` has exactly the attributes of the record, else what is
/// wrong. For words that come from outside the process.
std::string checkAttributes(const OpInfo &info, AttrWords words);
/// The same for these attributes, without a name in front.
std::string checkAttributes(std::span<const AttrInfo> attributes, AttrWords words);

/// Calls `visit` with the kind of each attribute and its words, without a count in
/// front. `words` may be constant.
template <class Word, class F>
void forEachAttribute(const OpInfo &info, std::span<Word> words, F &&visit) {
  size_t at = 0;
  for (const AttrInfo &attribute : info.attributes) {
    size_t count = 1;
    switch (attribute.kind) {
    case AttrKind::int_:
    case AttrKind::bool_:
    case AttrKind::dtype:
    case AttrKind::device:
      break;
    case AttrKind::scalar:
      count = 3;
      break;
    case AttrKind::string:
      count = (static_cast<size_t>(words[at++]) + 7) / 8;
      break;
    case AttrKind::ints:
    case AttrKind::named:
    case AttrKind::dims:
      count = static_cast<size_t>(words[at++]);
      break;
    }
    visit(attribute.kind, words.subspan(at, count));
    at += count;
  }
}

/// Calls `edit` on every word that is a size.
template <class Word, class F>
void forEachDim(const OpInfo &info, std::span<Word> words, F &&edit) {
  forEachAttribute(info, words, [&](AttrKind kind, std::span<Word> value) {
    if (kind == AttrKind::dims)
      for (Word &word : value)
        edit(word);
  });
}

} // namespace tenon

//===- BytesReader.cpp - a trace from bytes that nobody vouches for --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Bytes.h"
#include "lib/trace/SideTable.h"

#include "lib/base/DimExpr.h"

#include <tenon/error.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::traceBytes;

static constexpr int bodyCounts = 7;

namespace {
struct Decoder {
  Decoder(std::span<const std::byte> bytes, bool areOurs) : bytes(bytes), areOurs(areOurs) {}
  std::span<const std::byte> bytes;
  const bool areOurs;
  size_t at = 0;
  std::vector<std::string> symbolNames;
  std::vector<Dim> atoms, expressions;
  std::vector<TraceRef> bodies;
  /// By body: how deep regions nest in it, and how many ops it is when each use
  /// of a region is counted. Bounded, since walks over traces are recursive and
  /// a body may be used many times.
  std::vector<int> depths;
  std::vector<uint64_t> expandedOps;
  static constexpr int maxDepth = 100;
  static constexpr uint64_t maxExpandedOps = uint64_t(1) << 24;

  [[noreturn]] void fail(const std::string &what) const {
    throw Error("corrupt trace: " + what + " (word " + std::to_string(at) + ")");
  }
  size_t left() const { return bytes.size() / 8 - at; }
  int64_t word() {
    if (!left())
      fail("expected another word, got the end");
    int64_t value;
    std::memcpy(&value, bytes.data() + at * 8, 8);
    ++at;
    return value;
  }
  size_t count(const char *of, int64_t limit) {
    int64_t value = word();
    if (value < 0 || value > limit)
      fail(std::string("expected a count of ") + of + " in [0, " + std::to_string(limit) + "], got " +
           std::to_string(value));
    return static_cast<size_t>(value);
  }
  uint32_t index(const char *of, size_t limit) {
    int64_t value = word();
    if (value < 0 || static_cast<size_t>(value) >= limit)
      fail(std::string("expected the number of ") + of + " below " + std::to_string(limit) + ", got " +
           std::to_string(value));
    return static_cast<uint32_t>(value);
  }
  Dim size(int64_t raw) const {
    Dim dim = Dim::from_raw(raw);
    if (dim.is_static())
      return dim;
    // An unknown size is equal to any: no rule would find a contradiction.
    if (dim.is_unknown())
      fail("expected a size that is a number or has a name, got an unknown one");
    uint64_t number = static_cast<uint64_t>(raw) - static_cast<uint64_t>(firstExpression);
    if (number >= expressions.size())
      fail("a size names expression " + std::to_string(number) + " of " + std::to_string(expressions.size()));
    return expressions[number];
  }

  void readTables(size_t symbols, size_t atomWords, size_t expressionWords);
  TraceOp readOp();
  /// `side`: of the last one, if there is that.
  void readBody(SideTableReader *side);
  void placeOps(TraceBody &body);
  void checkOp(const TraceBody &body, const TraceOp &op, const OpInfo &info, std::span<int64_t> words) const;
};
} // namespace

/// Atoms may name expressions that name earlier atoms; both tables are in the
/// order of first appearance, so each is made when it is first needed.
void Decoder::readTables(size_t symbols, size_t atomWords, size_t expressionWords) {
  if (atomWords > left() || expressionWords > left() - atomWords)
    fail("the tables of sizes are beyond the end");
  size_t atomsBegin = at, expressionsBegin = at + atomWords, end = expressionsBegin + expressionWords;
  std::vector<size_t> atomAt, expressionAt;
  for (at = atomsBegin; at < expressionsBegin;) {
    atomAt.push_back(at);
    int64_t kind = word();
    if (kind != 0 && kind != 1)
      fail("expected an atom of kind 0 or 1, got " + std::to_string(kind));
    at += static_cast<size_t>(kind) + 1;
    if (at > expressionsBegin)
      fail("an atom runs over its table");
  }
  for (at = expressionsBegin; at < end;) {
    expressionAt.push_back(at);
    size_t terms = count("terms", 1000);
    for (size_t t = 0; t < terms; ++t) {
      word();
      at += count("atoms", max_rank);
      if (at > end)
        fail("an expression runs over its table");
    }
  }
  // Depth first, with a mark against circles: each goes through an atom.
  std::vector<char> atomState(atomAt.size()), isMade(expressionAt.size());
  atoms.resize(atomAt.size());
  expressions.resize(expressionAt.size());
  struct Maker {
    Decoder &decoder;
    std::vector<size_t> &atomAt, &expressionAt;
    std::vector<char> &atomState, &isMade;
    size_t symbols;
    int depth = 0;
    Dim makeSize(int64_t raw) {
      Dim dim = Dim::from_raw(raw);
      if (dim.is_static())
        return dim;
      if (dim.is_unknown())
        decoder.fail("an unknown size inside an expression");
      uint64_t number = static_cast<uint64_t>(raw) - static_cast<uint64_t>(firstExpression);
      if (number >= expressionAt.size())
        decoder.fail("an atom names expression " + std::to_string(number));
      makeExpression(number);
      return decoder.expressions[number];
    }
    void makeAtom(size_t number) {
      if (atomState[number] == 2)
        return;
      if (atomState[number] == 1 || ++depth > 100)
        decoder.fail("sizes that name each other in a circle, or too deeply");
      atomState[number] = 1;
      decoder.at = atomAt[number];
      if (decoder.word() == 0) {
        uint32_t symbol = decoder.index("a symbol", symbols);
        decoder.atoms[number] =
            symbolDim(symbol < decoder.symbolNames.size() ? decoder.symbolNames[symbol] : "s" + std::to_string(symbol));
      } else {
        int64_t first = decoder.word(), second = decoder.word();
        Dim numerator = makeSize(first), denominator = makeSize(second);
        if (provably_less(0, denominator) != Always::yes)
          decoder.fail("a quotient of sizes by " + denominator.str());
        Dim quotient = floor_div(numerator, denominator);
        DimPolynomial terms = polynomial(quotient);
        if (quotient.is_static() || terms.size() != 1 || terms[0].coefficient != 1 || terms[0].atoms.size() != 1)
          decoder.fail("a quotient of sizes that is no atom: " + quotient.str());
        decoder.atoms[number] = quotient;
      }
      atomState[number] = 2;
      --depth;
    }
    void makeExpression(size_t number) {
      if (isMade[number])
        return;
      Dim sum = 0;
      size_t place = expressionAt[number];
      decoder.at = place;
      size_t terms = decoder.count("terms", 1000);
      place = decoder.at;
      for (size_t t = 0; t < terms; ++t) {
        decoder.at = place;
        Dim product = Dim::from_raw(decoder.word());
        if (!product.is_static())
          decoder.fail("a coefficient out of range");
        size_t factors = decoder.count("atoms", max_rank);
        place = decoder.at;
        for (size_t f = 0; f < factors; ++f) {
          decoder.at = place++;
          uint32_t atom = decoder.index("an atom", atomAt.size());
          makeAtom(atom);
          product *= decoder.atoms[atom];
        }
        sum += product;
      }
      decoder.expressions[number] = sum;
      isMade[number] = 1;
    }
  };
  Maker maker{*this, atomAt, expressionAt, atomState, isMade, symbols};
  for (size_t i = 0; i < atomAt.size(); ++i)
    maker.makeAtom(i);
  for (size_t i = 0; i < expressionAt.size(); ++i)
    maker.makeExpression(i);
  at = end;
}

/// What it has in all; where that begins, placeOps finds.
TraceOp Decoder::readOp() {
  const auto first = static_cast<uint64_t>(word()), second = static_cast<uint64_t>(word());
  const uint32_t code = static_cast<uint32_t>(first);
  const OpInfo *info = code <= UINT16_MAX ? findOp(static_cast<uint16_t>(code)) : nullptr;
  if (!info)
    fail("unknown op code " + std::to_string(code));
  TraceOp op{};
  op.code = static_cast<OpCode>(code);
  op.results = static_cast<uint32_t>(first >> 32);
  op.operandCount = static_cast<uint32_t>(second);
  op.attributeCount = static_cast<uint32_t>(second >> 32);
  op.regionCount = static_cast<uint32_t>(info->regions.size());
  if (info->variadicRegions)
    op.regionCount = static_cast<uint32_t>(count("regions", static_cast<int64_t>(left())));
  return op;
}

void Decoder::readBody(SideTableReader *side) {
  TraceBody body;
  int64_t limit = static_cast<int64_t>(left());
  size_t counts[bodyCounts];
  const char *names[bodyCounts] = {"values", "inputs", "ops", "operands", "attribute words", "regions", "outputs"};
  for (int i = 0; i < bodyCounts; ++i)
    counts[i] = count(names[i], limit);
  auto [values, inputs, ops, operands, attributes, regions, outputs] = counts;
  body.types.reserve(values);
  body.ops.reserve(ops);
  body.operands.reserve(operands);
  body.attributes.reserve(attributes);
  for (size_t i = 0; i < values; ++i) {
    int64_t head = word();
    int64_t dtype = head & 0xffff, rank = head >> 32;
    const Device device = Device::from_code(static_cast<uint16_t>(head >> 16));
    if (dtype >= dtype_count || (device != Device::cpu && device != Device::null) || rank < 0 || rank > max_rank)
      fail("expected a type, got " + std::to_string(head));
    Type type{static_cast<Dtype>(dtype), device, {}};
    for (int64_t r = 0; r < rank; ++r) {
      Dim dim = size(word());
      if (dim.is_static() && dim.raw() < 0)
        fail("expected a size >= 0, got " + dim.str());
      type.shape.push_back(dim);
    }
    body.types.push_back(type);
  }
  for (size_t i = 0; i < inputs; ++i)
    body.inputs.push_back(index("a value", values));
  for (size_t i = 0; i < ops; ++i)
    body.ops.push_back(readOp());
  for (size_t i = 0; i < operands; ++i)
    body.operands.push_back(index("a value", values));
  for (size_t i = 0; i < attributes; ++i)
    body.attributes.push_back(word());
  int depth = 0;
  uint64_t expanded = ops;
  for (size_t i = 0; i < regions; ++i) {
    uint32_t number = index("an earlier body", bodies.size());
    body.regions.push_back(bodies[number]);
    depth = std::max(depth, depths[number] + 1);
    expanded += expandedOps[number];
    if (depth > maxDepth || expanded > maxExpandedOps)
      fail("regions are nested too deeply, or used too often");
  }
  for (size_t i = 0; i < outputs; ++i)
    body.outputs.push_back(index("a value", values));
  placeOps(body);
  if (side)
    side->addLocations(body);
  TraceRef trace = areOurs ? Trace::adopt(std::move(body)) : Trace::make(std::move(body));
  if (trace->ops().size() != ops)
    fail("an op that no result and no effect needs");
  bodies.push_back(std::move(trace));
  depths.push_back(depth);
  expandedOps.push_back(expanded);
}

void Decoder::checkOp(const TraceBody &body, const TraceOp &op, const OpInfo &info, std::span<int64_t> words) const {
  std::vector<Type> operandTypes, types;
  for (uint32_t i = 0; i < op.operandCount; ++i)
    operandTypes.push_back(body.types[body.operands[op.operands + i]]);
  std::vector<RegionType> regionTypes;
  for (uint32_t i = 0; i < op.regionCount; ++i)
    regionTypes.push_back(body.regions[op.regions + i]->regionType());
  if (std::string what = inferTypes({info, operandTypes, words, regionTypes}, types); !what.empty())
    fail(what);
  if (types.size() != op.results)
    fail(std::string(info.name) + ": expected " + std::to_string(types.size()) + " results, got " +
         std::to_string(op.results));
  for (uint32_t r = 0; r < op.results; ++r) {
    const Type &stated = body.types[op.firstResult + r];
    if (stated != types[r])
      fail(std::string(info.name) + ": expected the result type " + types[r].str() + ", got " + stated.str());
  }
}

void Decoder::placeOps(TraceBody &body) {
  // The order in which Trace::make numbers: each part follows the one before it
  // and nothing is left over.
  ValueId values = 0;
  uint32_t operands = 0, attributes = 0, regions = 0;
  for (ValueId input : body.inputs)
    if (input != values++)
      fail("expected %" + std::to_string(values - 1) + " as an input, got %" + std::to_string(input));
  auto follows = [](uint32_t &begin, uint32_t count, uint32_t &at, size_t size) {
    begin = at;
    if (count > size - at)
      return false;
    at += count;
    return true;
  };
  for (TraceOp &op : body.ops) {
    const OpInfo *info = &opInfo(op.code);
    if (!follows(op.operands, op.operandCount, operands, body.operands.size()) ||
        !follows(op.attributes, op.attributeCount, attributes, body.attributes.size()) ||
        !follows(op.regions, op.regionCount, regions, body.regions.size()) || !mayHaveRegions(*info, op.regionCount))
      fail(std::string(info->name) + ": its parts are out of range");
    std::span<int64_t> words(body.attributes.data() + op.attributes, op.attributeCount);
    if (std::string what = areOurs ? "" : checkAttributes(*info, words); !what.empty())
      fail(what);
    forEachDim(*info, words, [&](int64_t &raw) { raw = size(raw).raw(); });
    for (uint32_t i = 0; i < op.operandCount; ++i)
      if (const ValueId operand = body.operands[op.operands + i]; operand >= values)
        fail(std::string(info->name) + ": operand %" + std::to_string(operand) + " is used before it is made");
    if (!follows(op.firstResult, op.results, values, body.types.size()))
      fail(std::string(info->name) + ": its results are out of range");
    if (!areOurs)
      checkOp(body, op, *info, words);
  }
  if (values != body.types.size() || operands != body.operands.size() || attributes != body.attributes.size() ||
      regions != body.regions.size())
    fail("parts that belong to no op");
}

TraceRef Trace::read(std::span<const std::byte> bytes, std::span<const std::byte> sideTable, bool areOurs) {
  Decoder decoder(bytes, areOurs);
  SideTableReader side(sideTable);
  if (!sideTable.empty())
    decoder.symbolNames = side.symbolNames();
  if (bytes.size() % 8)
    decoder.fail("expected a multiple of 8 bytes, got " + std::to_string(bytes.size()));
  if (decoder.word() != magic)
    decoder.fail("it does not start with TNTRACE");
  if (int64_t found = decoder.word(); found != version)
    decoder.fail("expected version " + std::to_string(version) + ", got " + std::to_string(found));
  int64_t limit = static_cast<int64_t>(decoder.left());
  size_t symbols = decoder.count("symbols", limit), atoms = decoder.count("atom words", limit);
  size_t expressions = decoder.count("expression words", limit), bodies = decoder.count("bodies", limit);
  if (!bodies)
    decoder.fail("expected at least one body, got 0");
  decoder.readTables(symbols, atoms, expressions);
  for (size_t i = 0; i < bodies; ++i)
    decoder.readBody(sideTable.empty() || i + 1 < bodies ? nullptr : &side);
  if (decoder.left())
    decoder.fail("expected the end, got " + std::to_string(decoder.left()) + " more words");
  // Whatever else could be said in two ways: equal traces are equal bytes.
  if (!areOurs) {
    std::span<const std::byte> canonical = decoder.bodies.back()->bytes();
    if (canonical.size() != bytes.size() || std::memcmp(canonical.data(), bytes.data(), bytes.size()) != 0)
      decoder.fail("it is not in canonical form");
  }
  return decoder.bodies.back();
}

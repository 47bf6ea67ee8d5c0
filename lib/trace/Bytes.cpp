//===- Bytes.cpp - the canonical bytes of a trace -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Bytes.h"

#include "lib/array/DimExpr.h"

#include <tenon/error.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <unordered_map>

using namespace tenon;
using namespace tenon::detail;

static constexpr int64_t magic = 0x0045434152544e54; // "TNTRACE\0"
static constexpr int64_t version = 1;
static constexpr int64_t firstExpression = INT64_MIN + 1;
static constexpr int bodyCounts = 7;

uint64_t tenon::hashBytes(std::span<const std::byte> bytes) {
  static const bool constant = std::getenv("TENON_CONSTANT_HASH");
  if (constant)
    return 42;
  uint64_t hash = 0x9e3779b97f4a7c15u ^ bytes.size();
  size_t i = 0;
  auto mix = [&](uint64_t word) {
    auto product = static_cast<unsigned __int128>(hash ^ word) * 0xd6e8feb86659fd93u;
    hash = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    mix(word);
  }
  uint64_t tail = 0;
  std::memcpy(&tail, bytes.data() + i, bytes.size() - i);
  mix(tail);
  return hash;
}

namespace {
struct Encoder {
  std::map<int64_t, int64_t> expressions;
  std::map<uint32_t, int64_t> atoms;
  std::vector<int64_t> atomWords, expressionWords;
  std::vector<std::vector<int64_t>> bodies;
  std::map<std::vector<int64_t>, int64_t> bodyNumbers;
  int64_t symbols = 0;

  int64_t atom(uint32_t number) {
    if (auto place = atoms.find(number); place != atoms.end())
      return place->second;
    const DimAtom &info = dimAtom(number);
    int64_t first = 0, second;
    if (info.isSymbol()) {
      second = symbols++;
      atomWords.insert(atomWords.end(), {0, second});
    } else {
      first = size(info.numerator.raw());
      second = size(info.denominator.raw());
      atomWords.insert(atomWords.end(), {1, first, second});
    }
    int64_t local = static_cast<int64_t>(atoms.size());
    atoms.emplace(number, local);
    return local;
  }

  /// What atoms that appear first in one expression are ordered by: numbers that
  /// are known, then names, then quotients; nothing of the process's numbers.
  std::string key(uint32_t number) const {
    if (auto place = atoms.find(number); place != atoms.end())
      return "#" + padded(place->second, 20);
    const DimAtom &info = dimAtom(number);
    if (info.isSymbol())
      return "$" + padded(static_cast<int64_t>(info.symbol.size()), 3) + info.symbol;
    return "~" + key(info.numerator) + "/" + key(info.denominator);
  }
  std::string key(Dim dim) const {
    std::vector<std::string> terms;
    for (const DimTerm &term : polynomial(dim)) {
      std::vector<std::string> factors;
      for (uint32_t number : term.atoms)
        factors.push_back(key(number));
      std::sort(factors.begin(), factors.end());
      std::string text;
      for (const std::string &factor : factors)
        text += "*" + factor;
      terms.push_back(text + "=" + std::to_string(term.coefficient));
    }
    std::sort(terms.begin(), terms.end());
    std::string text;
    for (const std::string &term : terms)
      text += "+" + term;
    return text;
  }
  static std::string padded(int64_t value, size_t width) {
    std::string digits = std::to_string(value);
    return std::string(width - std::min(width, digits.size()), '0') + digits;
  }
  void numberNewAtoms(const DimPolynomial &sum) {
    std::vector<std::pair<std::string, uint32_t>> found;
    for (const DimTerm &term : sum)
      for (uint32_t number : term.atoms)
        if (!atoms.count(number))
          found.emplace_back(key(number), number);
    std::sort(found.begin(), found.end());
    for (const auto &[text, number] : found)
      atom(number);
  }

  int64_t size(int64_t raw) {
    Dim dim = Dim::from_raw(raw);
    if (dim.is_static() || dim.is_unknown())
      return raw;
    if (auto place = expressions.find(raw); place != expressions.end())
      return place->second;
    // Terms in the order of this trace's own numbers, not of the process's; what
    // appears first in this very expression is numbered by its key.
    DimPolynomial sum = polynomial(dim);
    numberNewAtoms(sum);
    std::vector<std::vector<int64_t>> terms;
    for (const DimTerm &term : sum) {
      std::vector<int64_t> words;
      for (uint32_t number : term.atoms)
        words.push_back(atom(number));
      std::sort(words.begin(), words.end());
      words.insert(words.begin(), {term.coefficient, static_cast<int64_t>(words.size())});
      terms.push_back(std::move(words));
    }
    std::sort(terms.begin(), terms.end(), [](const auto &a, const auto &b) {
      return std::lexicographical_compare(a.begin() + 1, a.end(), b.begin() + 1, b.end());
    });
    expressionWords.push_back(static_cast<int64_t>(terms.size()));
    for (const auto &words : terms)
      expressionWords.insert(expressionWords.end(), words.begin(), words.end());
    int64_t local = firstExpression + static_cast<int64_t>(expressions.size());
    expressions.emplace(raw, local);
    return local;
  }

  int64_t body(const Trace &trace) {
    const TraceBody &in = trace.body();
    std::vector<int64_t> out = {int64_t(in.types.size()),    int64_t(in.inputs.size()),     int64_t(in.ops.size()),
                                int64_t(in.operands.size()), int64_t(in.attributes.size()), int64_t(in.regions.size()),
                                int64_t(in.outputs.size())};
    // The types come first, so symbols are numbered as the inputs show them.
    for (const Type &type : in.types) {
      out.push_back(int64_t(type.dtype) | int64_t(type.device) << 8 | int64_t(type.shape.rank()) << 16);
      for (Dim dim : type.shape)
        out.push_back(size(dim.raw()));
    }
    out.insert(out.end(), in.inputs.begin(), in.inputs.end());
    size_t ops = out.size();
    out.resize(ops + in.ops.size() * (sizeof(TraceOp) / 8));
    if (!in.ops.empty())
      std::memcpy(out.data() + ops, in.ops.data(), in.ops.size() * sizeof(TraceOp));
    out.insert(out.end(), in.operands.begin(), in.operands.end());
    size_t attributes = out.size();
    out.insert(out.end(), in.attributes.begin(), in.attributes.end());
    for (const TraceOp &op : in.ops)
      forEachDim(opInfo(op.code), std::span(out).subspan(attributes + op.attributes, op.attributeCount),
                 [&](int64_t &word) { word = size(word); });
    for (const TraceRef &region : in.regions) {
      auto place = known.find(region.get());
      if (place == known.end())
        place = known.emplace(region.get(), body(*region)).first;
      out.push_back(place->second);
    }
    out.insert(out.end(), in.outputs.begin(), in.outputs.end());
    auto [place, isNew] = bodyNumbers.try_emplace(out, static_cast<int64_t>(bodies.size()));
    if (isNew || &trace == root) {
      place->second = static_cast<int64_t>(bodies.size());
      bodies.push_back(std::move(out));
    }
    return place->second;
  }
  const Trace *root = nullptr;
  std::unordered_map<const Trace *, int64_t> known;
};
} // namespace

std::vector<std::byte> tenon::encodeTrace(const Trace &trace) {
  Encoder encoder;
  encoder.root = &trace;
  encoder.body(trace);
  std::vector<int64_t> words = {magic,
                                version,
                                encoder.symbols,
                                int64_t(encoder.atomWords.size()),
                                int64_t(encoder.expressionWords.size()),
                                int64_t(encoder.bodies.size())};
  words.insert(words.end(), encoder.atomWords.begin(), encoder.atomWords.end());
  words.insert(words.end(), encoder.expressionWords.begin(), encoder.expressionWords.end());
  for (const auto &body : encoder.bodies)
    words.insert(words.end(), body.begin(), body.end());
  std::vector<std::byte> bytes(words.size() * 8);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

//===----------------------------------------------------------------------===//
// The side table: names of symbols, then names and locations of the bodies, in
// the order in which the bodies are first met from the outside in.
//===----------------------------------------------------------------------===//

namespace {
struct TextWriter {
  std::vector<std::byte> bytes;
  void number(uint32_t value) {
    auto *raw = reinterpret_cast<const std::byte *>(&value);
    bytes.insert(bytes.end(), raw, raw + 4);
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    auto *raw = reinterpret_cast<const std::byte *>(value.data());
    bytes.insert(bytes.end(), raw, raw + value.size());
  }
};

struct TextReader {
  std::span<const std::byte> bytes;
  size_t at = 0;
  uint32_t number() {
    if (bytes.size() - at < 4)
      throw Error("trace side table: expected 4 more bytes at offset " + std::to_string(at) + ", got the end");
    uint32_t value;
    std::memcpy(&value, bytes.data() + at, 4);
    at += 4;
    return value;
  }
  uint32_t count(size_t least) {
    uint32_t value = number();
    if (value > (bytes.size() - at) / least)
      throw Error("trace side table: a count of " + std::to_string(value) + " at offset " + std::to_string(at - 4) +
                  " is beyond the end");
    return value;
  }
  std::string text() {
    uint32_t size = count(1);
    std::string value(reinterpret_cast<const char *>(bytes.data()) + at, size);
    at += size;
    return value;
  }
};
} // namespace

static void writeLocations(const Trace &trace, TextWriter &out) {
  const TraceBody &body = trace.body();
  out.text(body.name);
  out.number(static_cast<uint32_t>(body.locations.size()));
  for (const TraceLocation &location : body.locations) {
    out.text(location.file);
    out.number(location.line);
    out.number(location.column);
    out.number(static_cast<uint32_t>(location.scopes.size()));
    for (const std::string &scope : location.scopes)
      out.text(scope);
  }
  out.number(static_cast<uint32_t>(body.opLocations.size()));
  for (uint32_t location : body.opLocations)
    out.number(location);
  for (const TraceRef &region : body.regions)
    writeLocations(*region, out);
}

std::vector<std::byte> Trace::sideTable() const {
  TextWriter out;
  Encoder encoder;
  encoder.root = this;
  encoder.body(*this);
  std::vector<std::string> names(static_cast<size_t>(encoder.symbols));
  for (auto [atom, local] : encoder.atoms)
    if (dimAtom(atom).isSymbol()) {
      // The local number of a symbol is the second word of its atom.
      size_t word = 0;
      for (int64_t i = 0; i < local; ++i)
        word += encoder.atomWords[word] ? 3 : 2;
      names[static_cast<size_t>(encoder.atomWords[word + 1])] = dimAtom(atom).symbol;
    }
  out.number(static_cast<uint32_t>(names.size()));
  for (const std::string &name : names)
    out.text(name);
  writeLocations(*this, out);
  return std::move(out.bytes);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
struct Decoder {
  explicit Decoder(std::span<const std::byte> bytes) : bytes(bytes) {}
  std::span<const std::byte> bytes;
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
    if (dim.is_static() || dim.is_unknown())
      return dim;
    uint64_t number = static_cast<uint64_t>(raw) - static_cast<uint64_t>(firstExpression);
    if (number >= expressions.size())
      fail("a size names expression " + std::to_string(number) + " of " + std::to_string(expressions.size()));
    return expressions[number];
  }

  void readTables(size_t symbols, size_t atomWords, size_t expressionWords);
  void readBody();
  void checkOps(TraceBody &body);
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
  // Depth first, with a mark against circles.
  std::vector<char> atomState(atomAt.size()), expressionState(expressionAt.size());
  atoms.resize(atomAt.size());
  expressions.resize(expressionAt.size());
  struct Maker {
    Decoder &decoder;
    std::vector<size_t> &atomAt, &expressionAt;
    std::vector<char> &atomState, &expressionState;
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
        decoder.fail("sizes that name each other in a circle");
      atomState[number] = 1;
      decoder.at = atomAt[number];
      if (decoder.word() == 0) {
        uint32_t symbol = decoder.index("a symbol", symbols);
        decoder.atoms[number] =
            Dim(symbol < decoder.symbolNames.size() ? decoder.symbolNames[symbol] : "s" + std::to_string(symbol));
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
      if (expressionState[number] == 2)
        return;
      if (expressionState[number] == 1 || ++depth > 100)
        decoder.fail("sizes that name each other in a circle");
      expressionState[number] = 1;
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
      expressionState[number] = 2;
      --depth;
    }
  };
  Maker maker{*this, atomAt, expressionAt, atomState, expressionState, symbols};
  for (size_t i = 0; i < atomAt.size(); ++i)
    maker.makeAtom(i);
  for (size_t i = 0; i < expressionAt.size(); ++i)
    maker.makeExpression(i);
  at = end;
}

void Decoder::readBody() {
  TraceBody body;
  int64_t limit = static_cast<int64_t>(left());
  size_t counts[bodyCounts];
  const char *names[bodyCounts] = {"values", "inputs", "ops", "operands", "attribute words", "regions", "outputs"};
  for (int i = 0; i < bodyCounts; ++i)
    counts[i] = count(names[i], limit);
  auto [values, inputs, ops, operands, attributes, regions, outputs] = counts;
  for (size_t i = 0; i < values; ++i) {
    int64_t head = word();
    int64_t dtype = head & 0xff, device = head >> 8 & 0xff, rank = head >> 16;
    if (dtype >= dtype_count || device > 1 || rank < 0 || rank > max_rank)
      fail("expected a type, got " + std::to_string(head));
    Type type{static_cast<Dtype>(dtype), static_cast<Device>(device), {}};
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
  if (ops * (sizeof(TraceOp) / 8) > left())
    fail("the ops are beyond the end");
  body.ops.resize(ops);
  if (ops)
    std::memcpy(body.ops.data(), bytes.data() + at * 8, ops * sizeof(TraceOp));
  at += ops * (sizeof(TraceOp) / 8);
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
  checkOps(body);
  TraceRef trace = Trace::make(std::move(body));
  if (trace->ops().size() != ops)
    fail("an op that no result and no effect needs");
  bodies.push_back(std::move(trace));
  depths.push_back(depth);
  expandedOps.push_back(expanded);
}

void Decoder::checkOps(TraceBody &body) {
  // Exactly the order in which Trace::make numbers: each part follows the one
  // before it and nothing is left over.
  ValueId values = 0;
  uint32_t operands = 0, attributes = 0, regions = 0;
  for (ValueId input : body.inputs)
    if (input != values++)
      fail("expected %" + std::to_string(values - 1) + " as an input, got %" + std::to_string(input));
  auto follows = [](uint32_t begin, uint32_t count, uint32_t &at, size_t size) {
    bool good = begin == at && count <= size - at;
    at += count;
    return good;
  };
  for (const TraceOp &op : body.ops) {
    const OpInfo *info = findOp(static_cast<uint16_t>(op.code));
    if (!info)
      fail("unknown op code " + std::to_string(static_cast<int>(op.code)));
    if (!follows(op.operands, op.operandCount, operands, body.operands.size()) ||
        !follows(op.attributes, op.attributeCount, attributes, body.attributes.size()) ||
        !follows(op.regions, op.regionCount, regions, body.regions.size()) || op.regionCount != info->regions.size())
      fail(std::string(info->name) + ": its parts are out of range");
    std::span<int64_t> words(body.attributes.data() + op.attributes, op.attributeCount);
    if (std::string what = checkAttributes(*info, words); !what.empty())
      fail(what);
    forEachDim(*info, words, [&](int64_t &raw) { raw = size(raw).raw(); });
    std::vector<Type> operandTypes, types;
    for (uint32_t i = 0; i < op.operandCount; ++i) {
      ValueId operand = body.operands[op.operands + i];
      if (operand >= values)
        fail(std::string(info->name) + ": operand %" + std::to_string(operand) + " is used before it is made");
      operandTypes.push_back(body.types[operand]);
    }
    std::vector<RegionType> regionTypes;
    for (uint32_t i = 0; i < op.regionCount; ++i)
      regionTypes.push_back(body.regions[op.regions + i]->regionType());
    if (std::string what = inferTypes({*info, operandTypes, words, regionTypes}, types); !what.empty())
      fail(what);
    if (types.size() != op.results)
      fail(std::string(info->name) + ": expected " + std::to_string(types.size()) + " results, got " +
           std::to_string(op.results));
    if (!follows(op.firstResult, op.results, values, body.types.size()))
      fail(std::string(info->name) + ": its results are out of range");
    for (uint32_t r = 0; r < op.results; ++r) {
      const Type &stated = body.types[op.firstResult + r];
      if (stated.dtype != types[r].dtype || stated.device != types[r].device ||
          provably_equal(stated.shape, types[r].shape) != Always::yes)
        fail(std::string(info->name) + ": expected the result type " + types[r].str() + ", got " + stated.str());
    }
  }
  if (values != body.types.size() || operands != body.operands.size() || attributes != body.attributes.size() ||
      regions != body.regions.size())
    fail("parts that belong to no op");
}

static void readLocations(TraceBody &body, TextReader &in, int depth);

/// Traces are frozen, so nested ones are made anew with their locations.
static TraceRef withLocations(const Trace &trace, TextReader &in, int depth) {
  TraceBody body = trace.body();
  readLocations(body, in, depth);
  return Trace::make(std::move(body));
}

static void readLocations(TraceBody &body, TextReader &in, int depth) {
  if (depth > 200)
    throw Error("trace side table: nested too deeply");
  body.name = in.text();
  uint32_t locations = in.count(16);
  body.locations.clear();
  for (uint32_t i = 0; i < locations; ++i) {
    TraceLocation location;
    location.file = in.text();
    location.line = in.number();
    location.column = in.number();
    for (uint32_t scopes = in.count(4); scopes; --scopes)
      location.scopes.push_back(in.text());
    body.locations.push_back(std::move(location));
  }
  uint32_t ops = in.count(4);
  if (ops != 0 && ops != body.ops.size())
    throw Error("trace side table: expected locations of " + std::to_string(body.ops.size()) + " ops, got " +
                std::to_string(ops));
  body.opLocations.clear();
  for (uint32_t i = 0; i < ops; ++i) {
    uint32_t location = in.number();
    if (location >= locations)
      throw Error("trace side table: expected the number of a location below " + std::to_string(locations) + ", got " +
                  std::to_string(location));
    body.opLocations.push_back(location);
  }
  for (TraceRef &region : body.regions)
    region = withLocations(*region, in, depth + 1);
}

TraceRef Trace::read(std::span<const std::byte> bytes, std::span<const std::byte> sideTable) {
  Decoder decoder(bytes);
  TextReader side{sideTable};
  std::set<std::string> names;
  if (!sideTable.empty())
    for (uint32_t symbols = side.count(4); symbols; --symbols) {
      std::string name = side.text();
      // One name is one symbol; Dim refuses a name that is no word.
      if (!names.insert(name).second)
        throw Error("trace side table: the name '" + name + "' stands for two sizes");
      decoder.symbolNames.push_back(std::move(name));
    }
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
    decoder.readBody();
  if (decoder.left())
    decoder.fail("expected the end, got " + std::to_string(decoder.left()) + " more words");
  // Whatever else could be said in two ways: equal traces are equal bytes.
  std::span<const std::byte> canonical = decoder.bodies.back()->bytes();
  if (canonical.size() != bytes.size() || std::memcmp(canonical.data(), bytes.data(), bytes.size()) != 0)
    decoder.fail("it is not in canonical form");
  if (sideTable.empty())
    return decoder.bodies.back();
  TraceRef trace = withLocations(*decoder.bodies.back(), side, 0);
  if (side.at != sideTable.size())
    throw Error("trace side table: expected the end at offset " + std::to_string(side.at));
  return trace;
}

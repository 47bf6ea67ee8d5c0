//===- BytesWriter.cpp - a trace as bytes ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Bytes.h"

#include "lib/base/DimExpr.h"
#include "lib/base/Lasting.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::traceBytes;

uint64_t tenon::hashBytes(std::span<const std::byte> bytes) {
  static constinit rt::Asked constant;
  if (constant.get([] { return std::getenv("TENON_CONSTANT_HASH"); }))
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
  explicit Encoder(const Trace &trace) : root(&trace) { body(trace); }
  std::map<int64_t, int64_t> expressions;
  std::map<uint32_t, int64_t> atoms;
  std::vector<int64_t> atomWords, expressionWords;
  std::vector<std::vector<int64_t>> bodies;
  std::map<std::vector<int64_t>, int64_t> bodyNumbers;
  std::vector<std::string> symbols;

  int64_t atom(uint32_t number) {
    if (auto place = atoms.find(number); place != atoms.end())
      return place->second;
    const DimAtom &info = dimAtom(number);
    int64_t first = 0, second;
    if (info.isSymbol()) {
      second = static_cast<int64_t>(symbols.size());
      symbols.push_back(info.symbol);
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
    if (Dim::from_raw(raw).is_static()) [[likely]]
      return raw;
    const Dim dim = withoutBounds(Dim::from_raw(raw));
    if (dim.is_static() || dim.is_unknown())
      return raw;
    raw = dim.raw();
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
    std::vector<int64_t> out;
    constexpr size_t perType = 4, perOp = 3; // words, as a rule
    out.reserve(7 + perType * in.types.size() + perOp * in.ops.size() + in.inputs.size() + in.operands.size() +
                in.attributes.size() + in.regions.size() + in.outputs.size());
    for (size_t count : {in.types.size(), in.inputs.size(), in.ops.size(), in.operands.size(), in.attributes.size(),
                         in.regions.size(), in.outputs.size()})
      out.push_back(int64_t(count));
    // The types come first, so symbols are numbered as the inputs show them.
    for (const Type &type : in.types) {
      out.push_back(int64_t(type.dtype) | int64_t(type.device.code()) << 16 | int64_t(type.shape.rank()) << 32);
      for (Dim dim : type.shape)
        out.push_back(size(dim.raw()));
    }
    out.insert(out.end(), in.inputs.begin(), in.inputs.end());
    for (const TraceOp &op : in.ops) {
      out.push_back(int64_t(op.code) | int64_t(op.results) << 32);
      out.push_back(int64_t(op.operandCount) | int64_t(op.attributeCount) << 32);
      if (opInfo(op.code).variadicRegions)
        out.push_back(op.regionCount);
    }
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
    const auto number = static_cast<int64_t>(bodies.size());
    if (&trace != root)
      if (auto [place, isNew] = bodyNumbers.try_emplace(out, number); !isNew)
        return place->second;
    bodies.push_back(std::move(out));
    return number;
  }
  const Trace *root;
  std::unordered_map<const Trace *, int64_t> known;
};
} // namespace

std::vector<std::byte> tenon::encodeTrace(const Trace &trace) {
  Encoder encoder(trace);
  std::vector<int64_t> words = {magic,
                                version,
                                int64_t(encoder.symbols.size()),
                                int64_t(encoder.atomWords.size()),
                                int64_t(encoder.expressionWords.size()),
                                int64_t(encoder.bodies.size())};
  words.insert(words.end(), encoder.atomWords.begin(), encoder.atomWords.end());
  words.insert(words.end(), encoder.expressionWords.begin(), encoder.expressionWords.end());
  size_t count = words.size();
  for (const auto &body : encoder.bodies)
    count += body.size();
  std::vector<std::byte> bytes;
  bytes.reserve(count * 8);
  auto append = [&](std::span<const int64_t> part) {
    const auto raw = std::as_bytes(part);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  };
  append(words);
  for (const auto &body : encoder.bodies)
    append(body);
  return bytes;
}

std::vector<std::string> tenon::symbolNames(const Trace &trace) { return Encoder(trace).symbols; }

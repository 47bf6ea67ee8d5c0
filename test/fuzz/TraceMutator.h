//===- TraceMutator.h - damages traces as somebody who knows them would -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Bytes.h"

#include <tenon/error.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace tenon::fuzz {

/// Small edits of a trace's parts, after which the types of the results are often
/// made right again: so many of them are traces that a reader accepts.
class TraceMutator {
public:
  explicit TraceMutator(uint64_t seed) : random_(seed) {}

  size_t below(size_t n) { return n ? static_cast<size_t>(random_() % n) : 0; }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }

  TraceRef mutated(const Trace &trace) {
    TraceBody body = trace.body();
    for (size_t edits = 1 + below(2); edits; --edits)
      edit(body);
    if (chance(75))
      inferAgain(body);
    return Trace::make(std::move(body));
  }

  /// One to three edits that know only that there are words.
  void damage(std::vector<std::byte> &bytes) {
    for (size_t edits = 1 + below(3); edits && !bytes.empty(); --edits) {
      size_t words = bytes.size() / 8, at = below(words) * 8;
      int64_t value = number();
      switch (below(5)) {
      case 0:
        if (words)
          std::memcpy(bytes.data() + at, &value, 8);
        break;
      case 1:
        bytes[below(bytes.size())] ^= static_cast<std::byte>(1 << below(8));
        break;
      case 2:
        bytes.resize(below(bytes.size()) + 1);
        break;
      case 3:
        if (words)
          std::memcpy(bytes.data() + at, bytes.data() + below(words) * 8, 8);
        break;
      case 4:
        bytes.insert(bytes.end(), 8, static_cast<std::byte>(below(256)));
        break;
      }
    }
  }

private:
  int64_t number() {
    static constexpr int64_t likely[] = {0,
                                         1,
                                         2,
                                         3,
                                         4,
                                         5,
                                         6,
                                         7,
                                         -1,
                                         -2,
                                         12,
                                         255,
                                         65536,
                                         INT64_MAX,
                                         INT64_MIN,
                                         INT64_MIN + 1,
                                         INT64_MIN + 2,
                                         int64_t(1) << 62,
                                         int64_t(1) << 40,
                                         int64_t(1) << 32};
    return likely[below(std::size(likely))];
  }
  Dim size(const TraceBody &body) {
    switch (below(8)) {
    case 0:
      return Dim::unknown();
    case 1:
      return Dim("batch") + Dim(int64_t(below(3)));
    case 2:
    case 3: {
      const Shape &shape = body.types[below(body.types.size())].shape;
      return shape.empty() ? Dim(1) : shape.begin()[below(shape.size())];
    }
    default:
      return Dim(int64_t(below(9)) - 1);
    }
  }

  void edit(TraceBody &body) {
    if (!body.regions.empty() && chance(35)) {
      TraceRef &region = body.regions[below(body.regions.size())];
      region = chance(20) ? body.regions[below(body.regions.size())] : mutated(*region);
      return;
    }
    if (body.types.empty())
      return;
    TraceOp *op = body.ops.empty() ? nullptr : &body.ops[below(body.ops.size())];
    const auto changed = static_cast<ValueId>(below(body.types.size()));
    Type type = body.types[changed];
    switch (below(9)) {
    case 0:
      if (!type.shape.empty())
        type.shape.begin()[below(type.shape.size())] = size(body);
      body.types.set(changed, type);
      break;
    case 1:
      type.dtype = static_cast<Dtype>(below(dtype_count));
      body.types.set(changed, type);
      break;
    case 2:
      if (op && op->operandCount) // made before it is used: Trace::make relies on it
        body.operands[op->operands + below(op->operandCount)] = static_cast<ValueId>(below(op->firstResult));
      break;
    case 3:
      if (!body.outputs.empty() && chance(50))
        body.outputs[below(body.outputs.size())] = static_cast<ValueId>(below(body.types.size()));
      else
        body.outputs.push_back(static_cast<ValueId>(below(body.types.size())));
      break;
    case 4:
      if (op)
        changeCode(*op);
      break;
    default:
      if (op)
        editAttribute(body, *op);
      break;
    }
  }

  /// Another op of the same form: its words mean something there.
  void changeCode(TraceOp &op) {
    const OpInfo &old = opInfo(op.code);
    auto all = allOps();
    for (int tries = 0; tries < 50; ++tries) {
      const OpInfo &other = all[below(all.size())];
      auto sameKind = [](const AttrInfo &a, const AttrInfo &b) { return a.kind == b.kind; };
      if (other.operands.size() == old.operands.size() && other.regions.size() == old.regions.size() &&
          std::equal(old.attributes.begin(), old.attributes.end(), other.attributes.begin(), other.attributes.end(),
                     sameKind)) {
        op.code = static_cast<OpCode>(other.code);
        return;
      }
    }
  }

  /// Counts stay: walks over the words depend on them.
  void editAttribute(TraceBody &body, const TraceOp &op) {
    std::span<int64_t> words(body.attributes.data() + op.attributes, op.attributeCount);
    std::vector<std::pair<size_t, AttrKind>> places;
    size_t at = 0;
    for (const AttrInfo &attribute : opInfo(op.code).attributes) {
      size_t begin = at, size = 1;
      switch (attribute.kind) {
      case AttrKind::scalar:
        size = 3;
        break;
      case AttrKind::ints:
      case AttrKind::dims:
      case AttrKind::named:
        ++begin;
        size = static_cast<size_t>(words[at]);
        break;
      case AttrKind::string:
        ++begin;
        size = (static_cast<size_t>(words[at]) + 7) / 8;
        break;
      default:
        break;
      }
      for (size_t i = 0; i < size; ++i)
        places.emplace_back(begin + i, attribute.kind);
      at = begin + size;
    }
    if (places.empty())
      return;
    auto [place, kind] = places[below(places.size())];
    if (kind == AttrKind::dims)
      words[place] = size(body).raw();
    else
      words[place] =
          chance(50) ? static_cast<int64_t>(static_cast<uint64_t>(words[place]) + (chance(50) ? 1u : ~0ull)) : number();
  }

  void inferAgain(TraceBody &body) {
    for (const TraceOp &op : body.ops) {
      const auto [operands, regions] = typesOf(body, op);
      std::vector<Type> results;
      AttrWords words = std::span(body.attributes).subspan(op.attributes, op.attributeCount);
      try {
        if (!checkAttributes(opInfo(op.code), words).empty() ||
            !inferTypes({opInfo(op.code), operands, words, regions}, results).empty() || results.size() != op.results)
          return;
      } catch (const Error &) { // arithmetic on sizes
        return;
      }
      for (uint32_t r = 0; r < op.results; ++r)
        body.types.set(op.firstResult + r, results[r]);
    }
  }

  std::mt19937_64 random_;
};

} // namespace tenon::fuzz

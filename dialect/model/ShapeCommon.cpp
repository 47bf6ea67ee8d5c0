//===- ShapeCommon.cpp - what shape rules share ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

#include "lib/base/Describe.h"
#include "lib/base/DimExpr.h"
#include "lib/base/Dtypes.h"

#include <algorithm>
#include <optional>

using namespace tenon;

std::string Type::str() const { return detail::describe(dtype, shape, device); }

bool tenon::holds(Dtype to, Dtype from) {
  if (from == to || kind(from) == Kind::boolean)
    return true;
  if (kind(to) < kind(from))
    return false;
  const detail::Precision needed = detail::info(from).precision, given = detail::info(to).precision;
  if (needed.digits > given.digits)
    return false;
  if (kind(from) != Kind::integer)
    return needed.maxExponent <= given.maxExponent;
  return kind(to) != Kind::integer || is_unsigned(from) || !is_unsigned(to);
}

Dtype tenon::promote(Dtype a, Dtype b) {
  // What only stores numbers is converted by nothing but astype: an op refuses it.
  if (a == b || is_storage(a))
    return a;
  if (is_storage(b))
    return b;
  // Beside complex numbers floats keep their precision; else the higher kind decides.
  const Kind higher = std::max(kind(a), kind(b)), lower = std::min(kind(a), kind(b));
  if (lower != higher && !(lower == Kind::floating && higher == Kind::complex))
    return kind(a) > kind(b) ? a : b;
  // The smallest of the kind that holds both.
  std::optional<Dtype> best;
  for (int i = 0; i < dtype_count; ++i)
    if (Dtype dtype{static_cast<uint8_t>(i)}; kind(dtype) == higher && holds(dtype, a) && holds(dtype, b))
      if (!best || item_size(dtype) < item_size(*best))
        best = dtype;
  // No integer holds those of u64 and negative ones: NumPy's is f64.
  return best.value_or(Dtype::f64);
}

Dtype tenon::sumDtype(Dtype dtype) {
  if (kind(dtype) > Kind::integer || item_size(dtype) >= item_size(Dtype::i32))
    return dtype;
  return is_unsigned(dtype) ? Dtype::u32 : Dtype::i32;
}

Dtype tenon::partDtype(Dtype dtype) { return dtype == Dtype::c64 ? Dtype::f32 : Dtype::f64; }
Dtype tenon::complexDtype(Dtype part) { return part == Dtype::f64 ? Dtype::c128 : Dtype::c64; }

std::string tenon::broadcastShapes(const Shape &a, const Shape &b, Shape &out) {
  const Shape &longer = a.rank() >= b.rank() ? a : b, &shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    Dim x = longer[offset + i], y = shorter[i];
    if (y.raw() == 1)
      continue;
    if (x.raw() == 1) {
      result.at(offset + i) = y;
      continue;
    }
    Always same = provably_equal(x, y);
    // Two symbols never broadcast: each is at least 2.
    if (same == Always::yes) {
      if (x.is_unknown())
        result.at(offset + i) = y;
      continue;
    }
    const bool areSymbols = !detail::bareSymbol(x).empty() && !detail::bareSymbol(y).empty();
    return "shapes " + a.str() + " and " + b.str() + " do not broadcast: sizes " + x.str() + " and " + y.str() +
           (same == Always::no ? " differ" : " are not provably equal") +
           (areSymbols ? "; if they are equal, give both one name in the specs, such as Dim(\"n\")" : "");
  }
  out = result;
  return "";
}

std::string tenon::expectSizes(std::span<const Dim> dims) {
  if (dims.size() > static_cast<size_t>(max_rank))
    return "expected at most " + std::to_string(max_rank) + " axes, got " + std::to_string(dims.size());
  for (Dim dim : dims)
    if (dim.is_static() && dim.raw() < 0)
      return "expected sizes >= 0, got the shape " + Shape(dims).str();
  return "";
}

std::string tenon::normalizeAxes(std::span<const int64_t> axes, int rank, std::vector<int64_t> &out) {
  std::vector<int64_t> result;
  for (int64_t axis : axes) {
    int64_t place = axis < 0 ? axis + rank : axis;
    if (place < 0 || place >= rank)
      return "axis " + std::to_string(axis) + " is out of range for an array of rank " + std::to_string(rank);
    for (int64_t other : result)
      if (other == place)
        return "axis " + std::to_string(axis) + " is repeated";
    result.push_back(place);
  }
  out = std::move(result);
  return "";
}

/// Whether a size that is a symbol is one of an operand, where it was looked at.
static bool isOfOperand(const ShapeCall &call, Dim dim) {
  if (!dim.is_static())
    for (const Type &type : call.operands)
      for (Dim size : type.shape)
        if (size.raw() == dim.raw())
          return true;
  return false;
}

std::string tenon::checkDtype(const OpInfo &info, Dtype dtype) {
  if (contains(info.dtypes, dtype))
    return "";
  const std::string allowed = detail::listDtypes([&](Dtype d) { return contains(info.dtypes, d); }, short_name);
  return "expected a dtype among " + allowed + ", got " + std::string(short_name(dtype)) +
         (is_storage(dtype) ? ", which only stores numbers: convert it with astype" : "");
}

std::string tenon::inferTypes(const ShapeCall &call, std::vector<Type> &results) {
  const OpInfo &info = call.info;
  auto says = [&](const std::string &sentence) { return std::string(info.name) + ": " + sentence; };
  size_t expected = info.operands.size();
  if (info.variadic ? call.operands.size() + 1 < expected : call.operands.size() != expected)
    return says(std::string("expected ") + (info.variadic ? "at least " : "") +
                std::to_string(expected - info.variadic) + " operands, got " + std::to_string(call.operands.size()));
  if (!mayHaveRegions(info, call.regions.size()))
    return says(std::string("expected ") + (info.variadicRegions ? "at least " : "") +
                std::to_string(info.regions.size()) + " regions, got " + std::to_string(call.regions.size()));
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Type &type = call.operands[i];
    if (type.device != call.operands[0].device)
      return says("operands are on different devices, " + name(call.operands[0].device) + " and " + name(type.device));
  }
  for (const Type &type : call.operands.subspan(std::min<size_t>(info.conditions, call.operands.size())))
    if (std::string error = checkDtype(info, type.dtype); !error.empty())
      return says(error);
  if (std::string sentence = shapeRule(static_cast<OpCode>(info.code))(call, results); !sentence.empty())
    return says(sentence);
  for (const Type &type : results) {
    // A static product above 2^62 is refused here, once, for all ops.
    __int128 bytes = item_size(type.dtype);
    for (Dim dim : type.shape) {
      auto negative = [&] { return "expected sizes >= 0, got the shape " + type.shape.str(); };
      if (!isOfOperand(call, dim) && !mayHold(call, 0, dim, negative))
        return says(negative());
      if (dim.is_static() && dim.raw() > 0 && bytes <= (__int128(1) << 62))
        bytes *= dim.raw();
    }
    if (bytes > (__int128(1) << 62))
      return says("the number of elements of " + type.str() + " overflows");
  }
  return "";
}

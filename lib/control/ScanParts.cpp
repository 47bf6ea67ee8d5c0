//===- ScanParts.cpp - a scan in parts that are computed again -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/ScanParts.h"

#include "lib/control/RegionBody.h"

#include <tenon/ops.h>

using namespace tenon;
using namespace tenon::detail;

/// The attributes of such a scan over so many rounds.
static std::vector<int64_t> attributesOf(const ScanBind &scan, Dim length) {
  const Dim lengths[] = {length};
  return wordsOf(ScanAttrs{lengths, static_cast<int64_t>(scan.consts.size()), static_cast<int64_t>(scan.carries.size()),
                           scan.reverse});
}

/// What it takes, with these carries and inputs.
static std::vector<Array> operandsOf(const ScanBind &scan, std::span<const Array> carries, std::span<const Array> xs) {
  std::vector<Array> operands = scan.consts;
  operands.insert(operands.end(), carries.begin(), carries.end());
  operands.insert(operands.end(), xs.begin(), xs.end());
  return operands;
}

static std::vector<Array> bindOn(OpCode op, std::span<const Array> operands, AttrWords attributes,
                                 const TraceRef &region, Location at) {
  std::vector<Value *> values;
  appendValues(values, operands);
  return bindInferred(op, values, attributes, std::span(&region, 1), at);
}

std::vector<Array> tenon::bindScan(const ScanBind &scan, Location at) {
  return bindOn(OpCode::scan, operandsOf(scan, scan.carries, scan.xs), attributesOf(scan, scan.length), scan.region,
                at);
}

/// `rounds` of them on operands of these types, as a region.
static TraceRef someRounds(const ScanBind &scan, std::span<const Type> types, int64_t rounds, Location at) {
  return recordFunction("scan", types,
                        [&](std::span<const Array> in) {
                          return bindOn(OpCode::scan, in, attributesOf(scan, rounds), scan.region, at);
                        })
      .trace;
}

static std::vector<Type> typesIn(std::span<const Array> arrays) {
  std::vector<Type> types;
  for (const Array &array : arrays)
    types.push_back(typeOf(array.value()));
  return types;
}

/// The slices from number `from` on, `count` of them.
static std::vector<Array> slices(std::span<const Array> xs, int64_t from, int64_t count) {
  std::vector<Array> parts;
  for (const Array &x : xs) {
    Shape starts, stops = x.shape();
    std::vector<int64_t> steps(static_cast<size_t>(x.ndim()), 1);
    for (int axis = 0; axis < x.ndim(); ++axis)
      starts.push_back(axis ? 0 : from);
    stops.at(0) = from + count;
    parts.push_back(slice(x, starts, stops, steps));
  }
  return parts;
}

std::vector<Array> tenon::bindScanInParts(const ScanBind &scan, int64_t every, Location at) {
  const LocationScope scope("", at);
  const std::vector<int64_t> keepsNothing = wordsOf(CheckpointAttrs{false, ""});
  const int64_t length = scan.length.raw(), parts = length / every, rest = length - parts * every;
  const size_t carried = scan.carries.size();
  auto oneCheckpoint = [&](std::span<const Array> operands, int64_t rounds) {
    const TraceRef region = someRounds(scan, typesIn(operands), rounds, at);
    return bindOn(OpCode::checkpoint, operands, keepsNothing, region, at);
  };
  // What is walked last is the rest.
  std::vector<Array> results, cut = slices(scan.xs, scan.reverse ? rest : 0, parts * every);
  for (Array &x : cut) {
    Shape shape = x.shape();
    shape.at(0) = every;
    shape.insert(0, parts);
    x = reshape(x, shape);
  }
  const std::vector<Array> operands = operandsOf(scan, scan.carries, cut);
  std::vector<Type> types = typesIn(operands);
  for (size_t i = scan.consts.size() + carried; i < types.size(); ++i)
    types[i].shape.erase(0);
  const TraceRef part =
      recordFunction("scan", types, [&](std::span<const Array> in) { return oneCheckpoint(in, every); }).trace;
  results = bindOn(OpCode::scan, operands, attributesOf(scan, parts), part, at);
  for (size_t i = carried; i < results.size(); ++i) {
    Shape shape = results[i].shape();
    shape.erase(0);
    shape.at(0) = parts * every;
    results[i] = reshape(results[i], shape);
  }
  if (!rest)
    return results;
  const std::vector<Array> left = slices(scan.xs, scan.reverse ? 0 : parts * every, rest);
  std::vector<Array> last = oneCheckpoint(operandsOf(scan, std::span(results).first(carried), left), rest);
  for (size_t i = carried; i < results.size(); ++i)
    last[i] = scan.reverse ? concatenate({last[i], results[i]}, 0, at) : concatenate({results[i], last[i]}, 0, at);
  return last;
}

//===- RegionLayout.cpp - the operands of a region op, by what becomes of them --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/RegionLayout.h"

#include <algorithm>

using namespace tenon;

AttrReader tenon::attributesFrom(const OpInfo &info, AttrWords attributes, size_t attribute) {
  AttrReader reader(attributes);
  for (size_t i = 0; i < attribute; ++i) {
    switch (info.attributes[i].kind) {
    case AttrKind::int_:
    case AttrKind::bool_:
    case AttrKind::dtype:
    case AttrKind::device:
      reader.readInt();
      break;
    case AttrKind::scalar:
      reader.readScalar();
      break;
    case AttrKind::string:
      reader.readString();
      break;
    case AttrKind::ints:
    case AttrKind::dims:
    case AttrKind::named:
      reader.readInts();
      break;
    }
  }
  return reader;
}

std::string RegionLayout::read(const OpInfo &info, size_t operands, AttrWords attributes) {
  info_ = &info;
  groups_.clear();
  size_t begin = 0;
  std::string counts;
  bool fits = true, isOpen = false;
  for (const OperandGroup &group : info.groups) {
    const size_t left = operands - begin;
    int64_t count = group.count == OperandGroup::one ? 1 : static_cast<int64_t>(left);
    if (group.count == OperandGroup::attribute)
      count = attributesFrom(info, attributes, group.counter).readInt();
    isOpen = group.count == OperandGroup::rest;
    if (!isOpen)
      counts += (counts.empty() ? "" : " + ") + std::to_string(count);
    fits = fits && count >= 0 && static_cast<uint64_t>(count) <= left;
    groups_.push_back({begin, fits ? static_cast<size_t>(count) : 0, group.flow});
    begin += groups_.back().size;
  }
  if (fits && begin == operands)
    return "";
  return std::string("expected ") + (isOpen ? "at least " : "") + counts + " operands, got " + std::to_string(operands);
}

RegionLayout::Group RegionLayout::carries() const {
  auto place =
      std::find_if(groups_.begin(), groups_.end(), [](const Group &group) { return group.flow == Flow::carried; });
  return place == groups_.end() ? Group() : *place;
}

std::vector<size_t> RegionLayout::inputsOf(size_t number) const {
  std::vector<size_t> inputs;
  for (size_t g = 0; g < groups_.size(); ++g)
    if (regionInfo(*info_, number).takes >> g & 1)
      for (size_t i = 0; i < groups_[g].size; ++i)
        inputs.push_back(groups_[g].begin + i);
  return inputs;
}

Flow RegionLayout::flowOf(size_t operand) const {
  auto place = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Group &group) { return operand < group.begin + group.size; });
  return place->flow;
}

bool RegionLayout::reachesResults(size_t operand) const {
  for (size_t g = 0; g < groups_.size(); ++g)
    if (operand >= groups_[g].begin && operand < groups_[g].begin + groups_[g].size)
      return std::any_of(info_->regions.begin(), info_->regions.end(), [&](const RegionInfo &region) {
        return region.takes >> g & 1 && region.returned != Returned::answer && region.returned != Returned::rule;
      });
  return false;
}

bool tenon::isLoop(const OpInfo &info) {
  return std::any_of(info.groups.begin(), info.groups.end(),
                     [](const OperandGroup &group) { return group.flow == Flow::carried; });
}

bool tenon::isRegionAlone(const OpInfo &info) {
  return info.lowering == Lowering::region && info.regions.size() == 1 && !info.variadicRegions &&
         std::all_of(info.groups.begin(), info.groups.end(),
                     [](const OperandGroup &group) { return group.flow == Flow::passed; });
}

std::vector<Type> tenon::differentiableOf(std::span<const Type> types) {
  std::vector<Type> those;
  for (const Type &type : types)
    if (kind(type.dtype) >= Kind::floating && !is_storage(type.dtype))
      those.push_back(type);
  return those;
}

/// What a rule takes behind the operands: of a rule on tangents those of the arguments, of one
/// on cotangents residuals and cotangents.
static std::vector<Type> ruleInputs(const OpInfo &info, size_t number, std::span<const Type> operands,
                                    AttrWords attributes, std::span<const RegionType> before) {
  if (info.code == static_cast<uint16_t>(OpCode::custom_jvp))
    return differentiableOf(operands.subspan(static_cast<size_t>(CustomJvpAttrs::read(attributes).captures)));
  const CustomVjpAttrs a = CustomVjpAttrs::read(attributes);
  const size_t ruled = static_cast<size_t>(a.ruled), residuals = static_cast<size_t>(a.residuals);
  if (number != 2 || before.size() < 2)
    return {};
  const std::span<const Type> outputs = before[1].outputs;
  if (residuals > outputs.size() || ruled > outputs.size() - residuals)
    return {};
  std::vector<Type> inputs(outputs.begin() + a.ruled, outputs.begin() + a.ruled + a.residuals);
  const std::vector<Type> cotangents = differentiableOf(outputs.first(ruled));
  inputs.insert(inputs.end(), cotangents.begin(), cotangents.end());
  return inputs;
}

std::vector<Type> tenon::regionInputs(const OpInfo &info, size_t number, std::span<const Type> operands,
                                      AttrWords attributes, std::span<const RegionType> before) {
  std::vector<Type> inputs;
  RegionLayout layout;
  if (!info.hasRegions() || !layout.read(info, operands.size(), attributes).empty())
    return {operands.begin(), operands.end()};
  for (size_t operand : layout.inputsOf(number)) {
    inputs.push_back(operands[operand]);
    if (layout.flowOf(operand) == Flow::sliced && inputs.back().shape.rank() > 0)
      inputs.back().shape.erase(0);
  }
  if (regionInfo(info, number).returned == Returned::rule)
    for (Type &type : ruleInputs(info, number, operands, attributes, before))
      inputs.push_back(type);
  return inputs;
}

//===----------------------------------------------------------------------===//
// The shape rule
//===----------------------------------------------------------------------===//

static bool same(const Type &a, const Type &b) {
  return a.dtype == b.dtype && a.device == b.device && provably_equal(a.shape, b.shape) == Always::yes;
}

std::string tenon::expectTypes(const std::string &what, std::span<const Type> got, std::span<const Type> expected) {
  if (got.size() != expected.size())
    return "expected " + std::to_string(expected.size()) + " " + what + ", got " + std::to_string(got.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (!same(got[i], expected[i]))
      return "expected " + expected[i].str() + " as number " + std::to_string(i) + " of the " + what + ", got " +
             got[i].str();
  return "";
}

/// What a loop's body returns: the carries, then slices of stacked results.
static std::string inferRound(const ShapeCall &call, const std::string &name, std::span<const Type> outputs,
                              std::span<const Type> carries, std::vector<Type> &results) {
  if (outputs.size() < carries.size() || (call.info.rounds < 0 && outputs.size() > carries.size()))
    return "expected " + std::string(call.info.rounds < 0 ? "" : "at least ") + std::to_string(carries.size()) +
           " results of " + name + ", got " + std::to_string(outputs.size());
  if (std::string error = expectTypes("carries that " + name + " returns", outputs.first(carries.size()), carries);
      !error.empty())
    return error;
  results.assign(carries.begin(), carries.end());
  for (Type type : outputs.subspan(carries.size())) {
    if (type.shape.rank() == max_rank)
      return "expected at most " + std::to_string(max_rank) + " axes in a stacked result";
    type.shape.insert(0, roundsOf(call.info, call.attributes)[0]);
    results.push_back(type);
  }
  return "";
}

/// The number of rounds, and the axis that slices are taken along.
static std::string expectRounds(const ShapeCall &call, const RegionLayout &layout) {
  const std::string name = call.info.attributes[static_cast<size_t>(call.info.rounds)].name;
  std::span<const Dim> rounds = roundsOf(call.info, call.attributes);
  if (rounds.size() != 1)
    return "expected one " + name + ", got " + std::to_string(rounds.size());
  auto negative = [&] { return "expected a " + name + " >= 0, got " + rounds[0].str(); };
  if (!mayHold(call, 0, rounds[0], negative))
    return negative();
  for (size_t i = 0; i < call.operands.size(); ++i)
    if (const Type &type = call.operands[i];
        layout.flowOf(i) == Flow::sliced &&
        (type.shape.rank() < 1 || provably_equal(type.shape[0], rounds[0]) != Always::yes))
      return "expected inputs whose axis 0 has size " + rounds[0].str() + ", got " + type.str();
  return "";
}

std::string tenon::inferRegions(const ShapeCall &call, std::vector<Type> &results) {
  const OpInfo &info = call.info;
  RegionLayout layout;
  if (std::string error = layout.read(info, call.operands.size(), call.attributes); !error.empty())
    return error;
  if (info.rounds >= 0)
    if (std::string error = expectRounds(call, layout); !error.empty())
      return error;
  RegionLayout::Group carried = layout.carries();
  std::span<const Type> carries = call.operands.subspan(carried.begin, carried.size);
  bool isFirst = true; // of the regions that return the op's results
  for (size_t r = 0; r < call.regions.size(); ++r) {
    const RegionType &region = call.regions[r];
    std::string name = "'" + std::string(regionInfo(info, r).name) + "'";
    if (info.variadicRegions && r + 1 >= info.regions.size())
      name += " " + std::to_string(r + 1 - info.regions.size());
    std::vector<Type> inputs = regionInputs(info, r, call.operands, call.attributes, call.regions.first(r));
    std::string error = expectTypes("inputs of " + name, region.inputs, inputs);
    if (!error.empty())
      return error;
    switch (regionInfo(info, r).returned) {
    case Returned::answer: {
      const Type answer{Dtype::bool_, call.operands.empty() ? Device::cpu : call.operands[0].device, {}};
      error = expectTypes("results of " + name, region.outputs, std::span(&answer, 1));
      break;
    }
    case Returned::round:
      error = inferRound(call, name, region.outputs, carries, results);
      break;
    case Returned::rule: // its shape rule says what
      break;
    case Returned::results:
      if (isFirst)
        results = region.outputs;
      else
        error = expectTypes("results of " + name, region.outputs, results);
      isFirst = false;
      break;
    }
    if (!error.empty())
      return error;
  }
  return "";
}

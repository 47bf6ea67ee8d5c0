//===- RegionJvp.cpp - forward mode of ops that hold traces --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/RegionJvp.h"

#include "dialect/model/RegionLayout.h"
#include "lib/transform/Forward.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;

namespace {
/// A body with tangents. It takes its inputs, then the tangents of those that move; it
/// returns the carries, their tangents, its other results, theirs.
struct MovedTrace {
  TraceRef trace;
  std::vector<bool> inputs, outputs;
};
} // namespace

/// `outputs`: those that move in any case. So many as `carries` are carried.
static MovedTrace moveTrace(const Trace &trace, std::vector<bool> inputs, std::vector<bool> outputs, size_t carries,
                            Location at) {
  DetachedLocations detached;
  const std::string &name = trace.body().name;
  Record record(name);
  const ActiveInterpreter activeRecord(record);
  Forward forward("the jvp of " + name);
  std::vector<Array> in, tangents, arranged;
  for (const ValueId input : trace.inputs())
    in.push_back(record.input(trace.type(input)));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i])
      tangents.push_back(record.input(trace.type(trace.inputs()[i])));
  for (size_t i = 0, next = 0; i < inputs.size(); ++i)
    if (inputs[i])
      in[i] = forward.wrap(in[i], tangents[next++]);
  LocationScope scope("jvp", at);
  std::vector<Array> out;
  {
    const ActiveInterpreter activeForward(forward);
    out = evaluateTrace(trace, in);
  }
  for (const auto &[begin, end] : {std::pair(size_t(0), carries), std::pair(carries, out.size())}) {
    for (size_t i = begin; i < end; ++i)
      arranged.push_back(forward.primal(out[i]));
    for (size_t i = begin; i < end; ++i)
      if (const Array tangent = forward.tangent(out[i]); tangent.has_value() || outputs[i]) {
        outputs[i] = true;
        arranged.push_back(tangent.has_value() ? tangent : filled(typeOf(out[i].value()), false));
      }
  }
  return {record.finish(arranged).trace, std::move(inputs), std::move(outputs)};
}

namespace {
class Planner {
public:
  Planner(const Bind &bind, const std::vector<bool> &moves)
      : bind_(bind), info_(opInfo(bind.op)), moves_(moves), outputs_(bind.types.size()), bodies_(bind.regions.size()) {
    layout_.read(info_, bind.operands.size(), bind.attributes);
    carried_ = layout_.carries();
    for (size_t i = 0; i < moves.size(); ++i)
      moves_[i] = moves[i] && layout_.reachesResults(i);
    moveBodies();
  }

  RegionJvp plan() const {
    RegionJvp plan;
    plan.op = {bind_.op, countsWithTangents(), {}};
    for (size_t g = 0; g < info_.groups.size(); ++g)
      forGroup(g, [&](size_t operand, bool isTangent) { plan.operands.push_back({operand, isTangent}); });
    for (size_t r = 0; r < bodies_.size(); ++r)
      plan.op.regions.push_back(region(r));
    plan.primals.resize(outputs_.size());
    plan.tangents.assign(outputs_.size(), -1);
    size_t place = 0;
    for (const auto &[begin, end] : {std::pair(size_t(0), carried_.size), std::pair(carried_.size, outputs_.size())}) {
      for (size_t i = begin; i < end; ++i)
        plan.primals[i] = place++;
      for (size_t i = begin; i < end; ++i)
        if (outputs_[i])
          plan.tangents[i] = static_cast<int>(place++);
    }
    return plan;
  }

private:
  /// What moves in one body moves in all; a carry that comes out moving goes in so.
  void moveBodies() {
    for (size_t k = 0; k < carried_.size; ++k)
      outputs_[k] = moves_[carried_.begin + k];
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t r = 0; r < bodies_.size(); ++r) {
        if (regionInfo(info_, r).returned == Returned::answer)
          continue;
        std::vector<bool> inputs;
        for (const size_t operand : layout_.inputsOf(r))
          inputs.push_back(moves_[operand]);
        if (bodies_[r].trace && bodies_[r].inputs == inputs && bodies_[r].outputs == outputs_)
          continue;
        bodies_[r] = moveTrace(*bind_.regions[r], std::move(inputs), outputs_, carried_.size, bind_.at);
        changed = true;
        outputs_ = bodies_[r].outputs;
        for (size_t k = 0; k < carried_.size; ++k)
          moves_[carried_.begin + k] = outputs_[k];
      }
    }
  }

  /// Calls `visit` with the operands of a group, then with the tangents of those that move.
  template <class F>
  void forGroup(size_t number, F visit) const {
    const RegionLayout::Group &group = layout_.group(number);
    for (size_t i = group.begin; i < group.begin + group.size; ++i)
      visit(i, false);
    for (size_t i = group.begin; i < group.begin + group.size; ++i)
      if (moves_[i])
        visit(i, true);
  }

  /// The attributes, which count the groups.
  std::vector<int64_t> countsWithTangents() const {
    std::vector<int64_t> attributes(bind_.attributes.begin(), bind_.attributes.end());
    for (size_t g = 0; g < info_.groups.size(); ++g) {
      int64_t count = 0;
      size_t number = 0;
      forGroup(g, [&](size_t, bool) { ++count; });
      if (info_.groups[g].count == OperandGroup::attribute)
        forEachAttribute(info_, std::span(attributes), [&](AttrKind, std::span<int64_t> words) {
          if (number++ == info_.groups[g].counter)
            words[0] = count;
        });
    }
    return attributes;
  }

  TraceRef region(size_t number) const {
    const Trace &original = *bind_.regions[number];
    const std::vector<size_t> inputs = layout_.inputsOf(number);
    std::vector<Type> types;
    std::vector<size_t> primals, tangents;
    for (size_t g = 0, next = 0; g < info_.groups.size(); ++g) {
      if (!(regionInfo(info_, number).takes >> g & 1))
        continue;
      const size_t first = next;
      next += layout_.group(g).size;
      forGroup(g, [&](size_t operand, bool isTangent) {
        (isTangent ? tangents : primals).push_back(types.size());
        types.push_back(original.type(original.inputs()[first + operand - layout_.group(g).begin]));
      });
    }
    const TraceRef &moved = bodies_[number].trace;
    if (moved)
      primals.insert(primals.end(), tangents.begin(), tangents.end());
    return arrangeInputs(moved ? *moved : original, types, primals);
  }

  const Bind &bind_;
  const OpInfo &info_;
  RegionLayout layout_;
  RegionLayout::Group carried_;
  /// By operand, and by result.
  std::vector<bool> moves_, outputs_;
  /// By region; of one that only answers it has no trace.
  std::vector<MovedTrace> bodies_;
};
} // namespace

std::shared_ptr<const RegionJvp> tenon::regionJvp(const Bind &bind, const std::vector<bool> &moves) {
  PlanKey key{PlanKey::Use::jvp,
              bind.op,
              {bind.attributes.begin(), bind.attributes.end()},
              {bind.regions.begin(), bind.regions.end()},
              moves,
              0};
  auto plan = std::static_pointer_cast<const RegionJvp>(findPlan(key));
  if (!plan) {
    plan = std::make_shared<const RegionJvp>(Planner(bind, moves).plan());
    const RegionOp *ops[] = {&plan->op};
    keepPlan(std::move(key), plan, ops);
  }
  const bool isStill = std::all_of(plan->tangents.begin(), plan->tangents.end(), [](int place) { return place < 0; });
  return isStill ? nullptr : plan;
}

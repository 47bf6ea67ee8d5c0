//===- Stitch.cpp - two sides of a question as one program --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Stitch.h"

#include "lib/array/Buffer.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

using namespace tenon;
using namespace tenon::detail;

/// Of a side, so that what its program costs is little beside the program that it is no more.
static constexpr size_t mostOps = 2000;

static bool isAlike(const std::shared_ptr<const OwnedTree> &x, const std::shared_ptr<const OwnedTree> &y) {
  if (!x->get() || !y->get())
    return x->get() == y->get();
  if (x->ref().ops != y->ref().ops)
    return false;
  StructureBytes a, b;
  x->ref().ops->structure(x->get(), a);
  y->ref().ops->structure(y->get(), b);
  return a.view() == b.view();
}

namespace {
/// What comes after the question on one side.
class Side {
public:
  /// `known`: of a value of its recording before the question, or of an input, the number in the stitched one.
  Side(const TraceBody &from, size_t question, std::unordered_map<ValueId, ValueId> known)
      : from_(from), known_(std::move(known)) {
    body_.name = from.name;
    body_.locations = from.locations;
    for (size_t i = question + 1; i < from.ops.size(); ++i) {
      body_.ops.push_back(from.ops[i]);
      if (!from.opLocations.empty())
        body_.opLocations.push_back(from.opLocations[i]);
    }
  }

  /// All that it takes from outside, as numbers of the stitched recording.
  std::vector<ValueId> taken() const {
    std::vector<ValueId> taken;
    auto take = [&](ValueId value) {
      if (const auto place = known_.find(value); place != known_.end())
        taken.push_back(place->second);
    };
    for (const TraceOp &op : body_.ops)
      for (uint32_t k = 0; k < op.operandCount; ++k)
        take(from_.operands[op.operands + k]);
    for (const ValueId output : outputs_)
      take(output);
    return taken;
  }
  void give(ValueId output) { outputs_.push_back(output); }
  const Type &type(size_t output) const { return from_.types[outputs_[output]]; }
  /// An array that is its result: an input of the stitched recording, `number`.
  void giveOutside(ValueId number) {
    const auto value = static_cast<ValueId>(from_.types.size() + outside_.size());
    outside_.push_back(number);
    known_.emplace(value, number);
    outputs_.push_back(value);
  }
  std::optional<ValueId> outside(size_t output) const {
    const ValueId value = outputs_[output];
    return value < from_.types.size() ? std::nullopt : std::optional(outside_[value - from_.types.size()]);
  }

  /// With the inputs `taken`, values of the stitched recording of these types.
  TraceRef trace(const std::vector<ValueId> &taken, const std::vector<Type> &types) {
    body_.types = from_.types;
    body_.operands = from_.operands;
    body_.attributes = from_.attributes;
    body_.regions = from_.regions;
    std::unordered_map<ValueId, ValueId> inputs;
    for (size_t i = 0; i < taken.size(); ++i) {
      const auto input = static_cast<ValueId>(body_.types.size());
      body_.types.push_back(types[i]);
      body_.inputs.push_back(input);
      inputs.emplace(taken[i], input);
    }
    auto within = [&](ValueId value) {
      const auto place = known_.find(value);
      return place == known_.end() ? value : inputs.at(place->second);
    };
    for (const TraceOp &op : body_.ops)
      for (uint32_t k = 0; k < op.operandCount; ++k)
        body_.operands[op.operands + k] = within(from_.operands[op.operands + k]);
    std::ranges::transform(outputs_, std::back_inserter(body_.outputs), within);
    return Trace::make(std::move(body_));
  }

private:
  const TraceBody &from_;
  std::unordered_map<ValueId, ValueId> known_;
  TraceBody body_;
  std::vector<ValueId> outputs_, outside_;
};

class Stitcher {
public:
  Stitcher(const JitPath &a, const JitPath &b, size_t arguments) : a_(a), b_(b), arguments_(arguments) {}
  std::unique_ptr<JitPath> run();

private:
  /// What one of a call's results is on both sides; nothing: no path has it.
  std::optional<Origin> both(const Origin &x, const Origin &y);
  bool add(const JitPath &path, Side &side, const Origin &origin);
  /// Whether both have captured the same where the question depends on it, or what both compute before.
  bool haveCapturedAlike(size_t question) const;
  bool assignTheSame() const;
  ValueId capture(const Array &array);

  const JitPath &a_, &b_;
  const size_t arguments_;
  std::unique_ptr<JitPath> path_ = std::make_unique<JitPath>();
  TraceBody body_;
  std::optional<Side> sideA_, sideB_;
  /// Of the second path's Variables, which one of the stitched path they are.
  std::vector<size_t> variablesOfB_;
  size_t outputs_ = 0;
};
} // namespace

ValueId Stitcher::capture(const Array &array) {
  const auto value = static_cast<ValueId>(body_.types.size());
  body_.types.push_back(typeOf(array.value()));
  body_.inputs.push_back(value);
  path_->state.reads.push_back(array);
  return value;
}

bool Stitcher::add(const JitPath &path, Side &side, const Origin &origin) {
  switch (origin.kind) {
  case Origin::output:
    side.give(path.recorded.outputs[origin.index]);
    return true;
  case Origin::input:
    side.give(path.recorded.inputs[origin.index]);
    return true;
  case Origin::variable: {
    const std::optional<size_t> read = path.state.variables[origin.index].read;
    if (read)
      side.give(path.recorded.inputs[arguments_ + *read]);
    return read.has_value();
  }
  case Origin::constant:
    side.giveOutside(capture(origin.array));
    return true;
  }
  __builtin_unreachable();
}

std::optional<Origin> Stitcher::both(const Origin &x, const Origin &y) {
  if (x.kind == Origin::input && y.kind == Origin::input && x.index == y.index)
    return x;
  if (x.kind == Origin::variable && y.kind == Origin::variable && variablesOfB_[y.index] == x.index)
    return x;
  if (!add(a_, *sideA_, x) || !add(b_, *sideB_, y))
    return std::nullopt;
  auto typeOn = [&](const Side &side) {
    const std::optional<ValueId> outside = side.outside(outputs_);
    return outside ? body_.types[*outside] : side.type(outputs_);
  };
  if (!(typeOn(*sideA_) == typeOn(*sideB_)))
    return std::nullopt;
  return Origin{Origin::output, outputs_++, {}, true};
}

bool Stitcher::haveCapturedAlike(size_t question) const {
  auto captureOf = [&](const JitPath &path, ValueId value) {
    return static_cast<size_t>(std::ranges::find(path.recorded.inputs, value) - path.recorded.inputs.begin()) -
           arguments_;
  };
  auto variableOf = [](const JitPath &path, size_t capture) {
    return std::ranges::find(path.state.variables, std::optional(capture), &VariableUse::read);
  };
  for (size_t i = 0; i <= question; ++i) {
    const TraceOp &x = a_.recorded.ops[i], &y = b_.recorded.ops[i];
    for (uint32_t k = 0; k < x.operandCount; ++k) {
      const ValueId one = a_.recorded.operands[x.operands + k], other = b_.recorded.operands[y.operands + k];
      if (one < a_.recorded.ops[question].firstResult)
        continue; // an argument, or what both compute
      const size_t m = captureOf(a_, one), n = captureOf(b_, other);
      if (m >= a_.state.reads.size() || n >= b_.state.reads.size() ||
          !areCapturedAlike(a_.state.reads[m], b_.state.reads[n]))
        return false;
      const auto u = variableOf(a_, m), v = variableOf(b_, n);
      if ((u == a_.state.variables.end()) != (v == b_.state.variables.end()) ||
          (u != a_.state.variables.end() && !isSameVariable(*u, *v)))
        return false;
    }
  }
  return true;
}

bool Stitcher::assignTheSame() const {
  auto isOf = [](const VariableUse &use, const JitPath &path) {
    return !use.assigned || std::ranges::any_of(path.state.variables, [&](const VariableUse &other) {
      return other.assigned && isSameVariable(use, other);
    });
  };
  return std::ranges::all_of(a_.state.variables, [&](const VariableUse &use) { return isOf(use, b_); }) &&
         std::ranges::all_of(b_.state.variables, [&](const VariableUse &use) { return isOf(use, a_); });
}

std::unique_ptr<JitPath> Stitcher::run() {
  const Guard &question = a_.guards.back();
  const TraceBody &a = a_.recorded, &b = b_.recorded;
  const size_t at = question.op;
  if (a.ops[at].code != OpCode::guard || a.ops.size() - at > mostOps || b.ops.size() - at > mostOps ||
      a_.results.size() != b_.results.size() || !isAlike(a_.prototype, b_.prototype) ||
      !asksAlike(a, b, a_.guards.size() - 1) || !haveCapturedAlike(at))
    return nullptr;
  // What is assigned is held during the call, and the host may assign what its side does not.
  if ((a_.trace->callsHost() || b_.trace->callsHost()) && !assignTheSame())
    return nullptr;

  // The first path's, up to the question; then what the second one has captured besides.
  body_ = a;
  body_.outputs.clear();
  body_.ops.resize(at);
  if (!body_.opLocations.empty())
    body_.opLocations.resize(at);
  JitState &state = path_->state;
  state.reads = a_.state.reads;
  for (const JitPath *side : {&a_, &b_})
    path_->handles.insert(path_->handles.end(), side->handles.begin(), side->handles.end());
  state.variables = a_.state.variables;
  const ValueId made = a.ops[at].firstResult; // those with lower numbers are the same on both
  std::unordered_map<ValueId, ValueId> ofA, ofB;
  for (ValueId value = 0; value < made; ++value) {
    ofA.emplace(value, value);
    ofB.emplace(value, value);
  }
  for (const ValueId input : a.inputs)
    ofA.emplace(input, input);
  for (size_t i = 0; i < arguments_; ++i)
    ofB.insert_or_assign(b.inputs[i], a.inputs[i]);
  std::vector<std::optional<size_t>> variableOf(b_.state.reads.size());
  for (const VariableUse &use : b_.state.variables) {
    auto same = std::ranges::find_if(state.variables, [&](const VariableUse &one) { return isSameVariable(one, use); });
    if (!use.read)
      return nullptr;
    if (same == state.variables.end()) {
      state.variables.push_back({use.cell, std::nullopt});
      same = std::prev(state.variables.end());
    }
    same->isUnread = same->isUnread && use.isUnread;
    same->mayNotNest = same->mayNotNest || use.mayNotNest;
    variablesOfB_.push_back(static_cast<size_t>(same - state.variables.begin()));
    variableOf[*use.read] = variablesOfB_.back();
  }
  for (size_t k = 0; k < b_.state.reads.size(); ++k) {
    const ValueId input = b.inputs[arguments_ + k];
    if (input < made)
      continue;
    VariableUse *const use = variableOf[k] ? &state.variables[*variableOf[k]] : nullptr;
    if (use && use->read) {
      ofB.insert_or_assign(input, body_.inputs[arguments_ + *use->read]);
      continue;
    }
    if (use)
      use->read = state.reads.size();
    const auto value = static_cast<ValueId>(body_.types.size());
    body_.types.push_back(b.types[input]);
    body_.inputs.push_back(value);
    state.reads.push_back(b_.state.reads[k]);
    ofB.insert_or_assign(input, value);
  }

  sideA_.emplace(a, at, std::move(ofA));
  sideB_.emplace(b, at, std::move(ofB));
  auto isMissing = [](const std::optional<Origin> &origin) { return !origin; };
  for (size_t i = 0; i < a_.results.size(); ++i) {
    const std::optional<Origin> origin = both(a_.results[i], b_.results[i]);
    if (isMissing(origin))
      return nullptr;
    path_->results.push_back(*origin);
  }
  // What one side alone updates is on the other one what it was.
  std::vector<size_t> leaves;
  for (const JitPath *path : {&a_, &b_})
    for (const Write &write : path->state.writes)
      leaves.push_back(write.leaf);
  std::ranges::sort(leaves);
  leaves.erase(std::ranges::unique(leaves).begin(), leaves.end());
  // What is kept on one side only goes through the program, which knows.
  path_->kept = a_.kept;
  auto written = [](const JitPath &path, size_t leaf) {
    const auto write = std::ranges::find(path.state.writes, leaf, &Write::leaf);
    return write == path.state.writes.end() ? Origin{Origin::input, leaf, {}, false} : write->origin;
  };
  for (const size_t leaf : leaves) {
    const std::optional<Origin> origin = both(written(a_, leaf), written(b_, leaf));
    if (isMissing(origin))
      return nullptr;
    state.writes.push_back({leaf, *origin});
  }
  for (size_t v = 0; v < state.variables.size(); ++v) {
    const auto place = std::ranges::find(variablesOfB_, v);
    const std::optional<Origin> none,
        onA = v < a_.state.variables.size() ? a_.state.variables[v].assigned : none,
        onB = place == variablesOfB_.end()
                  ? none
                  : b_.state.variables[static_cast<size_t>(place - variablesOfB_.begin())].assigned;
    if (!onA && !onB)
      continue;
    VariableUse &use = state.variables[v];
    const ValueId before = body_.inputs[arguments_ + *use.read];
    if (onA && onB) {
      use.assigned = both(*onA, *onB);
    } else {
      onA ? void(add(a_, *sideA_, *onA)) : sideA_->giveOutside(before);
      onB ? void(add(b_, *sideB_, *onB)) : sideB_->giveOutside(before);
      use.assigned = Origin{Origin::output, outputs_++, {}, true};
    }
    if (isMissing(use.assigned))
      return nullptr;
  }

  // cond(question, what follows on each side).
  const bool isFirst = question.answer != 0;
  std::vector<ValueId> taken = sideA_->taken();
  const std::vector<ValueId> more = sideB_->taken();
  taken.insert(taken.end(), more.begin(), more.end());
  std::ranges::sort(taken);
  taken.erase(std::ranges::unique(taken).begin(), taken.end());
  std::vector<Type> types;
  for (const ValueId value : taken)
    types.push_back(body_.types[value]);
  const TraceRef first = sideA_->trace(taken, types), second = sideB_->trace(taken, types);
  TraceOp cond{};
  cond.code = OpCode::cond;
  cond.operands = static_cast<uint32_t>(body_.operands.size());
  cond.operandCount = static_cast<uint32_t>(taken.size()) + 1;
  body_.operands.push_back(a.operands[a.ops[at].operands]);
  body_.operands.insert(body_.operands.end(), taken.begin(), taken.end());
  cond.attributes = static_cast<uint32_t>(body_.attributes.size());
  cond.regions = static_cast<uint32_t>(body_.regions.size());
  cond.regionCount = 2;
  body_.regions.push_back(isFirst ? first : second);
  body_.regions.push_back(isFirst ? second : first);
  cond.firstResult = static_cast<ValueId>(body_.types.size());
  cond.results = static_cast<uint32_t>(outputs_);
  for (size_t i = 0; i < outputs_; ++i) {
    body_.outputs.push_back(static_cast<ValueId>(body_.types.size()));
    body_.types.push_back(first->type(first->outputs()[i]));
  }
  body_.ops.push_back(cond);
  if (!a.opLocations.empty())
    body_.opLocations.push_back(a.opLocations[at]);
  path_->prototype = a_.prototype;
  path_->trace = Trace::make(TraceBody(body_));
  path_->recorded = std::move(body_);
  path_->guards = guardsOf(path_->recorded);
  path_->findStraight();
  return std::move(path_);
}

std::unique_ptr<JitPath> detail::stitched(const JitPath &a, const JitPath &b, size_t arguments) {
  return Stitcher(a, b, arguments).run();
}

//===- Forward.cpp - the interpreter of jvp ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Forward.h"

#include "lib/ops/Composite.h"
#include "lib/transform/Below.h"
#include "lib/transform/Frames.h"
#include "lib/transform/RegionJvp.h"
#include "lib/transform/Reverse.h"
#include "lib/transform/Ruled.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// An op on primals, and how these move.
struct Motion {
  const Bind &bind;
  const OpInfo &info;
  /// By operand; null: it does not move.
  std::span<Value *const> tangents;
  std::span<const Array> results;
  /// By result; empty: zero.
  std::vector<Array> out;

  void add(size_t result, Array tangent) {
    Array &place = out[result];
    place = place.has_value() ? tenon::add(place, tangent) : std::move(tangent);
  }
};
} // namespace

Array Forward::wrap(const Array &primal, const Array &tangent, Location at) {
  return Array::adopt(makeValue(*this, typeOf(primal.value()), values_++, primal.value(), at, tangent.value()));
}

//===----------------------------------------------------------------------===//
// Linear ops
//===----------------------------------------------------------------------===//

static bool isIn(uint32_t group, const OpInfo &info, size_t operand) {
  return group >> std::min(operand, info.operands.size() - 1) & 1;
}

/// Whether the op is linear in all that moves.
static bool isLinear(const OpInfo &info, std::span<Value *const> tangents) {
  uint32_t all = 0;
  for (const uint32_t group : info.linearIn)
    all |= group;
  for (size_t i = 0; i < tangents.size(); ++i)
    if (tangents[i] && !isIn(all, info, i))
      return false;
  return all != 0;
}

/// Whether zeros would stand in for what does not move of a group that does.
static bool needsZeros(const Motion &motion) {
  return std::any_of(motion.info.linearIn.begin(), motion.info.linearIn.end(), [&](uint32_t group) {
    size_t members = 0, moving = 0;
    for (size_t i = 0; i < motion.tangents.size(); ++i)
      if (isIn(group, motion.info, i)) {
        ++members;
        moving += motion.tangents[i] != nullptr;
      }
    return moving && moving < members;
  });
}

/// The op of the tangents of one group of operands, of zeros for those that do not move.
static void applyToGroup(Motion &motion, uint32_t group, AttrWords attributes) {
  std::vector<Value *> operands(motion.bind.operands.begin(), motion.bind.operands.end());
  std::vector<Array> zeros, parts(motion.bind.types.size());
  bool moves = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!isIn(group, motion.info, i) || !isDifferentiable(operands[i]->dtype()))
      continue;
    moves |= motion.tangents[i] != nullptr;
    operands[i] =
        motion.tangents[i] ? motion.tangents[i] : zeros.emplace_back(filled(typeOf(operands[i]), false)).value();
  }
  if (!moves)
    return;
  Bind bind = motion.bind;
  bind.operands = operands;
  bind.attributes = attributes;
  tenon::bind(bind, parts);
  for (size_t i = 0; i < parts.size(); ++i)
    if (isDifferentiable(bind.types[i].dtype))
      motion.add(i, std::move(parts[i]));
}

/// A view of several operands is a barrier, each of whose results is its own operand: what does not move stays still
/// behind it.
static void applyBarrier(Motion &motion) {
  std::vector<Array> moving;
  for (Value *tangent : motion.tangents)
    if (tangent)
      moving.push_back(Array::share(tangent));
  const std::vector<Array> behind = optimization_barrier(moving, motion.bind.at);
  for (size_t i = 0, next = 0; i < motion.tangents.size(); ++i)
    if (motion.tangents[i])
      motion.out[i] = behind[next++];
}

static void applyToTangents(Motion &motion) {
  if (motion.info.isView && motion.tangents.size() > 1)
    return applyBarrier(motion);
  const OpInfo &info = motion.info;
  std::vector<int64_t> attributes(motion.bind.attributes.begin(), motion.bind.attributes.end());
  int number = 0;
  forEachAttribute(info, std::span(attributes), [&](AttrKind, std::span<int64_t> words) {
    if (number++ == info.constantTerm)
      std::fill(words.begin() + 1, words.end(), 0); // of its kind
  });
  for (const uint32_t group : info.linearIn)
    applyToGroup(motion, group, attributes);
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Element by element a derivative is a factor, the same for cotangents and tangents. It
/// is not conjugated: of complex numbers the cotangents are JAX's.
static void applyFactors(Motion &motion) {
  const Bind &bind = motion.bind;
  std::vector<Type> types;
  std::vector<Array> saved, cotangents(1);
  for (Value *operand : bind.operands) {
    types.push_back(typeOf(operand));
    saved.push_back(Array::share(operand));
  }
  saved.insert(saved.end(), motion.results.begin(), motion.results.end());
  for (size_t i = 0; i < bind.operands.size(); ++i) {
    if (!motion.tangents[i])
      continue;
    std::vector<bool> wanted(bind.operands.size());
    std::vector<Array> products(bind.operands.size());
    wanted[i] = true;
    cotangents[0] = Array::share(motion.tangents[i]);
    VjpCall call(motion.info, bind.attributes, types, bind.types, bind.at, saved, cotangents, wanted, products);
    vjpRule(bind.op)(call);
    if (products[i].has_value())
      motion.add(0, std::move(products[i]));
  }
}

//===----------------------------------------------------------------------===//
// What has a derivative in reverse mode alone
//===----------------------------------------------------------------------===//

/// Binds the op, and transposes its derivative: reverse mode of reverse mode, by cotangents
/// of which only the types matter.
static void transposeDerivative(Motion &motion, std::span<Array> results) {
  Tape derivative, transpose;
  Reverse reverse("the derivative of " + std::string(motion.info.name), derivative);
  std::vector<Array> operands, tangents;
  std::vector<Value *> values;
  for (size_t i = 0; i < motion.bind.operands.size(); ++i) {
    Array operand = Array::share(motion.bind.operands[i]);
    if (motion.tangents[i]) {
      operand = reverse.input(operand, motion.bind.at);
      tangents.push_back(Array::share(motion.tangents[i]));
    }
    values.push_back(operand.value());
    operands.push_back(std::move(operand));
  }
  Bind bind = motion.bind;
  bind.operands = values;
  {
    const ActiveInterpreter active(reverse);
    tenon::bind(bind, results);
  }
  LocationScope scope(jvpFrame(bind.op), bind.at);
  Reverse again("the transpose of " + std::string(motion.info.name), transpose);
  std::vector<uint32_t> outputs;
  std::vector<Array> cotangents(results.size());
  std::vector<size_t> resultOf;
  for (size_t i = 0; i < results.size(); ++i) {
    outputs.push_back(reverse.number(results[i].value()));
    results[i] = reverse.primal(results[i]);
    if (outputs[i] == Tape::none)
      continue;
    cotangents[i] = again.input(filled(bind.types[i], false), bind.at);
    resultOf.push_back(i);
  }
  std::vector<Array> reached;
  {
    const ActiveInterpreter active(again);
    reached = derivative.backward(outputs, cotangents, static_cast<uint32_t>(tangents.size()));
  }
  std::vector<uint32_t> numbers;
  for (const Array &cotangent : reached)
    numbers.push_back(cotangent.has_value() ? again.number(cotangent.value()) : Tape::none);
  std::vector<Array> moved = transpose.backward(numbers, tangents, static_cast<uint32_t>(resultOf.size()));
  for (size_t k = 0; k < moved.size(); ++k)
    motion.out[resultOf[k]] = std::move(moved[k]);
}

//===----------------------------------------------------------------------===//
// Region ops
//===----------------------------------------------------------------------===//

/// The op whose bodies carry tangents. `isAlone`: its primal results are there already, and
/// those of this op are not looked at.
static void bindWithTangents(Motion &motion, std::span<Array> results, bool isAlone) {
  const Bind &bind = motion.bind;
  std::vector<bool> moves;
  for (const Value *tangent : motion.tangents)
    moves.push_back(tangent != nullptr);
  const std::shared_ptr<const RegionJvp> plan = regionJvp(bind, moves);
  if (isAlone || !plan)
    tenon::bind(bind, results);
  if (!plan)
    return;
  LocationScope scope(jvpFrame(bind.op), bind.at);
  std::vector<Array> zeros;
  std::vector<Value *> operands;
  for (const RegionJvp::Source &source : plan->operands) {
    Value *primal = bind.operands[source.operand], *tangent = motion.tangents[source.operand];
    operands.push_back(!source.isTangent ? primal
                       : tangent         ? tangent
                                         : zeros.emplace_back(filled(typeOf(primal), false)).value());
  }
  const std::vector<Array> all =
      bindInferred(plan->op.op, operands, plan->op.attributes, plan->op.regions, bind.at, bind.interpreted);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!isAlone)
      results[i] = all[plan->primals[i]];
    if (plan->tangents[i] >= 0)
      motion.out[i] = all[static_cast<size_t>(plan->tangents[i])];
  }
}

bool tenon::hasReverse(const Trace &trace) {
  return std::all_of(trace.ops().begin(), trace.ops().end(), [&](const TraceOp &op) {
    const OpInfo &info = opInfo(op.code);
    if (op.code == OpCode::custom_jvp)
      return hasReverse(*trace.regions(op)[1]);
    return op.code != OpCode::custom_vjp && !(info.hasRegions() && info.noVjp) && hasReverse(trace.regions(op));
  });
}
bool tenon::hasReverse(std::span<const TraceRef> regions) {
  return std::all_of(regions.begin(), regions.end(), [](const TraceRef &region) { return hasReverse(*region); });
}

/// Of a loop without a reverse derivative the tangents' part runs the whole loop again.
static void expectNoEffect(const Motion &motion) {
  for (const TraceRef &region : motion.bind.regions)
    if (region->hasEffect())
      throwOpError(motion.info, motion.bind.operands,
                   std::string(motion.info.name) + ": linearize would run the loop again for each tangent, but it has "
                                                   "a side effect; move that out of the loop, or use jvp",
                   motion.bind.at);
}

//===----------------------------------------------------------------------===//
// Functions with rules of their own
//===----------------------------------------------------------------------===//

static std::vector<bool> moving(std::span<Value *const> tangents) {
  std::vector<bool> moves;
  for (const Value *tangent : tangents)
    moves.push_back(tangent != nullptr);
  return moves;
}

/// A rule on cotangents, which need not be linear, says nothing of tangents.
static void refuseRule(const Bind &outer, std::span<Value *const> tangents) {
  const CustomVjpAttrs attributes = CustomVjpAttrs::read(outer.attributes);
  std::vector<bool> depends = dependents(*outer.regions[0], moving(tangents), true);
  for (const int64_t operand : attributes.cotangents)
    if (tangents[static_cast<size_t>(operand)])
      depends.push_back(true);
  if (std::find(depends.begin(), depends.end(), true) == depends.end())
    return;
  const std::string &name = outer.regions[0]->body().name;
  throw NoForwardMode(
      (name.empty() ? "custom_vjp" : name) +
          ": its reverse-mode rule does not define forward mode; use custom_jvp to give it a forward-mode rule",
      userLocation(outer.at));
}

/// Binds the op, and its rule on the tangents, of zeros for arguments that do not move. `isApart`: by
/// the rule's ops, so that those that do not depend on tangents run by themselves.
static void applyRule(Motion &motion, const Bind &outer, std::span<Array> results, bool isApart) {
  const Bind &bind = motion.bind;
  const size_t captures = static_cast<size_t>(CustomJvpAttrs::read(bind.attributes).captures);
  std::vector<bool> moves = moving(motion.tangents);
  for (size_t i = 0; i < captures; ++i) {
    std::vector<bool> one(moves.size());
    one[i] = moves[i];
    const std::vector<bool> depends = dependents(*bind.regions[0], one, true);
    if (std::find(depends.begin(), depends.end(), true) != depends.end())
      throw Error(capturedSentence(outer, i), userLocation(outer.at));
  }
  tenon::bind(bind, results);
  if (std::find(moves.begin() + static_cast<ptrdiff_t>(captures), moves.end(), true) == moves.end())
    return;
  LocationScope scope(jvpFrame(bind.op), bind.at);
  std::vector<Value *> operands(bind.operands.begin(), bind.operands.end());
  std::vector<Array> zeros;
  zeros.reserve(operands.size());
  for (size_t i = captures; i < bind.operands.size(); ++i)
    if (isDifferentiable(bind.operands[i]->dtype()))
      operands.push_back(motion.tangents[i] ? motion.tangents[i]
                                            : zeros.emplace_back(filled(typeOf(bind.operands[i]), false)).value());
  std::vector<Array> tangents;
  if (isApart) {
    std::vector<Array> inputs;
    for (Value *operand : operands)
      inputs.push_back(Array::share(operand));
    tangents = evaluateTrace(*bind.regions[1], inputs);
  } else {
    const RegionOp rule = ruleOp(*bind.regions[0], ".jvp", bind.regions[1]);
    tangents = bindInferred(rule.op, operands, rule.attributes, rule.regions, bind.at);
  }
  for (size_t i = 0, next = 0; i < results.size(); ++i)
    if (isDifferentiable(bind.types[i].dtype))
      motion.out[i] = std::move(tangents[next++]);
}

//===----------------------------------------------------------------------===//
// The interpreter
//===----------------------------------------------------------------------===//

void Forward::process(const Bind &outer, std::span<Array> results) {
  const OpInfo &info = opInfo(outer.op);
  const CompositeInfo *composite = info.lowering == Lowering::open ? registeredComposite(outer) : nullptr;
  if (info.lowering == Lowering::open && !(composite && compositeVjpRule(idOf(*composite)))) {
    const ActiveInterpreter again(*this); // the ops of its decomposition move here
    return openComposite(outer, results);
  }
  if (hasKeptResults(outer)) {
    const ActiveInterpreter again(*this);
    return bindApart(outer, results);
  }
  std::vector<Value *> primals, tangents;
  for (Value *operand : outer.operands) {
    const bool moves = operand->isOf(id());
    primals.push_back(moves ? operand->base : operand);
    tangents.push_back(moves ? operand->tangent() : nullptr);
  }
  Bind bind = onValuesBelow(outer, primals);
  const bool isSmooth = !info.zeroVjp && std::any_of(bind.types.begin(), bind.types.end(),
                                                     [](const Type &type) { return isDifferentiable(type.dtype); });
  if (!isSmooth)
    return tenon::bind(bind, results);
  Motion motion{bind, info, tangents, results, std::vector<Array>(results.size())};
  const bool isRegion = info.hasTraceRules();
  if (outer.op == OpCode::custom_vjp) {
    refuseRule(outer, tangents);
    return tenon::bind(bind, results);
  }
  if (outer.op == OpCode::custom_jvp) {
    applyRule(motion, outer, results, splits_);
  } else if (isRegion && !(splits_ && !info.noVjp && hasReverse(bind.regions))) {
    if (splits_)
      expectNoEffect(motion);
    bindWithTangents(motion, results, splits_);
  } else if (info.noVjp) {
    throwOpError(info, outer.operands, info.noVjp, outer.at);
  } else if (isRegion || composite || !(info.isElementwise || isLinear(info, tangents))) {
    transposeDerivative(motion, results);
  } else {
    // The factors of a sum are the tangents themselves, without zeros.
    const bool hasFactors = info.isElementwise && bind.types[0].dtype == bind.operands.back()->dtype();
    const bool linear = isLinear(info, tangents) && !(hasFactors && needsZeros(motion));
    // The factors are computed from the operands after the op has run.
    bind.mayUpdate = bind.mayUpdate && linear;
    tenon::bind(bind, results);
    LocationScope scope(jvpFrame(bind.op), bind.at);
    linear ? applyToTangents(motion) : applyFactors(motion);
  }
  for (size_t i = 0; i < results.size(); ++i)
    if (motion.out[i].has_value())
      results[i] = wrap(results[i], motion.out[i], outer.at);
}

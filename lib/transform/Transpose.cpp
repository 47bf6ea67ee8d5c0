//===- Transpose.cpp - the core of linear_transpose ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What depends on the arguments is recorded, and found to be linear op by op, by their
// records. A linear function is its own derivative anywhere: reverse mode of what was
// recorded, recorded in its turn, is the transpose, and reads no argument.
//===----------------------------------------------------------------------===//
#include "lib/array/Buffer.h"
#include "lib/base/CallSite.h"
#include "lib/transform/Linear.h"
#include "lib/transform/Pullback.h"
#include "lib/transform/RegionFlow.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

static constexpr const char *what = "linear_transpose";

//===----------------------------------------------------------------------===//
// What is linear
//===----------------------------------------------------------------------===//

namespace {
struct Linearity;
}
static std::vector<Linearity> linearityOf(const Trace &trace, const std::vector<Linearity> &inputs);

namespace {
/// What is known of a value as a function of the arguments.
struct Linearity {
  enum Kind : uint8_t {
    /// Not yet known, of a result of regions.
    nothing,
    /// It does not depend on them, and may be 0.
    constant,
    /// It does not depend on them, and is not 0 everywhere.
    summand,
    linear,
    other,
  } kind = nothing;
  /// Of `other`: the op that made it so, and whether that adds a summand.
  const Trace *trace = nullptr;
  size_t op = 0;
  bool isSum = false;
  bool operator==(const Linearity &) const = default;
  bool depends() const { return kind >= linear; }
};

/// An op of a trace, for results that come several ways.
struct Ways {
  using State = Linearity;
  const Trace &trace;
  size_t op;
  Linearity other(bool isSum) const { return {Linearity::other, &trace, op, isSum}; }
  Linearity merged(const Linearity &a, const Linearity &b) const {
    if (a.kind == Linearity::other)
      return a;
    const auto &[low, high] = std::minmax(a, b, [](const auto &x, const auto &y) { return x.kind < y.kind; });
    return low.kind == Linearity::summand && high.kind == Linearity::linear ? other(true) : high;
  }
  std::vector<Linearity> through(const Trace &region, const std::vector<Linearity> &inputs) const {
    return linearityOf(region, inputs);
  }
  std::optional<Linearity> chosenBy(const Linearity &state) const {
    return state.depends() ? std::optional(state.kind == Linearity::other ? state : other(false)) : std::nullopt;
  }
};
} // namespace

static bool isIn(uint32_t group, const OpInfo &info, size_t operand) {
  return group >> std::min(operand, info.operands.size() - 1) & 1;
}

/// A number of an op, by the words of its attribute; -0 is 0.
static bool isZero(AttrWords number) {
  const bool isFloating = static_cast<Kind>(number[0]) >= Kind::floating;
  return std::all_of(number.begin() + 1, number.end(),
                     [&](int64_t word) { return word == 0 || (isFloating && word == INT64_MIN); });
}

/// Whether the op makes, or adds, a number that is not 0: its attribute `which`.
static bool hasSummand(const OpInfo &info, AttrWords attributes, int which) {
  bool has = false;
  int number = 0;
  forEachAttribute(info, attributes, [&](AttrKind, AttrWords words) { has |= number++ == which && !isZero(words); });
  return has;
}
/// The same of `full`, and of no other op that makes an array.
static bool isSummand(OpCode op, AttrWords attributes) {
  return op == OpCode::full && hasSummand(opInfo(op), attributes, 1);
}

/// Of the results of an op without regions, of whose operands one is linear and none `other`.
static Linearity ofResults(const OpInfo &info, AttrWords attributes, std::span<const Linearity> operands,
                           const Ways &ways) {
  for (const uint32_t group : info.linearIn) {
    bool isWhole = true, isSum = hasSummand(info, attributes, info.constantTerm);
    for (size_t i = 0; i < operands.size(); ++i) {
      isWhole &= operands[i].kind != Linearity::linear || isIn(group, info, i);
      isSum |= operands[i].kind == Linearity::summand && isIn(group, info, i);
    }
    if (isWhole)
      return isSum ? ways.other(true) : Linearity{Linearity::linear};
  }
  return ways.other(false);
}

static std::vector<Linearity> linearityOf(const Trace &trace, const std::vector<Linearity> &inputs) {
  std::vector<Linearity> known(trace.body().types.size(), {Linearity::constant}), outputs;
  std::ranges::copy(inputs, known.begin()); // inputs are numbered first
  for (size_t n = 0; n < trace.ops().size(); ++n) {
    const TraceOp &op = trace.ops()[n];
    const OpInfo &info = opInfo(op.code);
    const Ways ways{trace, n};
    std::vector<Linearity> operands;
    for (const ValueId operand : trace.operands(op))
      operands.push_back(known[operand]);
    std::vector<Linearity> results(op.results, {Linearity::constant});
    const auto other = std::ranges::find(operands, Linearity::other, &Linearity::kind);
    if (std::ranges::none_of(operands, &Linearity::depends)) {
      if (isSummand(op.code, trace.attributes(op)))
        results[0].kind = Linearity::summand;
    } else if (info.hasRegions()) {
      results = RegionFlow(info, trace, op, operands, ways).results();
    } else {
      results.assign(op.results,
                     other != operands.end() ? *other : ofResults(info, trace.attributes(op), operands, ways));
    }
    for (uint32_t r = 0; r < op.results; ++r) {
      const bool isRounded =
          results[r].kind == Linearity::linear && !isDifferentiable(trace.type(op.firstResult + r).dtype);
      known[op.firstResult + r] = isRounded ? ways.other(false) : results[r];
    }
  }
  for (const ValueId output : trace.outputs())
    outputs.push_back(known[output]);
  return outputs;
}

/// Whether what is captured has elements that are known, and not all 0.
static bool isSummand(Value *value, Location at) {
  value = withoutDerivatives(value);
  if (const Interpreter *owner = interpreterOf(value); owner && owner->kind() == InterpreterKind::record) {
    const auto &record = static_cast<const Record &>(*owner);
    const TraceOp *made = record.maker(value);
    return made && isSummand(made->code, record.attributes(*made));
  }
  if (!value->isBuffer() || !isDifferentiable(value->dtype()))
    return false;
  const Array here = onHost(value, what, at);
  return visitDtype(value->dtype(), [&]<Dtype D>() {
    using T = typename ElementOf<D>::type;
    return std::ranges::any_of(here.to_vector<T>(), [](const T &element) { return !(element == T()); });
  });
}

static void expectLinear(const Trace &trace, size_t arguments, std::span<const Array> captures, Location at) {
  std::vector<Linearity> inputs(arguments, {Linearity::linear});
  for (const Array &capture : captures)
    inputs.push_back({isSummand(capture.value(), at) ? Linearity::summand : Linearity::constant});
  for (const Linearity &output : linearityOf(trace, inputs)) {
    if (output.kind == Linearity::linear || output.kind == Linearity::constant)
      continue;
    std::string got = "a nonzero result that does not depend on them";
    if (output.kind == Linearity::other) {
      got = opInfo(output.trace->ops()[output.op].code).name;
      got += output.isSum ? " of a value that depends on them and a nonzero value that does not"
                          : " of values that depend on them";
      if (const TraceLocation *place = output.trace->location(output.op); place && !place->file.empty())
        got += ", at " + place->file + ":" + std::to_string(place->line);
    }
    throw Error(std::string(what) + ": expected a function that is linear in its arguments, got " + got,
                userLocation(at));
  }
}

//===----------------------------------------------------------------------===//
// The transpose
//===----------------------------------------------------------------------===//

LinearRef detail::run_transpose(const TreeFunction &function, std::span<const TreeRef> trees, Location at) {
  const Arguments arguments(trees, false);
  LinearRef ref(new LinearState);
  LinearState &state = *ref.get();
  const std::string name = siteName(what, at);
  // What the transpose takes is what the function returns.
  const std::vector<Type> types = state.outputTypes = typesIn(what, arguments, at);
  for (size_t i = 0; i < types.size(); ++i)
    if (!isDifferentiable(types[i].dtype))
      throw Error(std::string(what) + ": expected a floating array as " + arguments.name(i) + ", got " + types[i].str(),
                  userLocation(at));
  Record::Result recorded;
  {
    Record record(name, InterpreterKind::linear);
    const ActiveInterpreter active(record);
    std::vector<Array> inputs, outputs;
    for (size_t i = 0; i < types.size(); ++i)
      inputs.push_back(record.input(types[i], arguments.name(i), at));
    const OwnedTree result = arguments.call(function, inputs, at);
    for (const Array &output : arraysOf(result.ref(), false)) {
      if (!output.has_value())
        throw Error(std::string(what) + ": expected an array as result, got an empty Array", userLocation(at));
      state.inputTypes.push_back(typeOf(output.value()));
      outputs.push_back(output);
    }
    recorded = record.finish(outputs, at);
  }
  expectLinear(*recorded.trace, types.size(), recorded.captures, at);

  Record::Result transposed;
  size_t given = 0;
  {
    Record record(name);
    const ActiveInterpreter active(record);
    std::vector<Array> cotangents, arrays, moved;
    for (const Type &type : state.inputTypes) {
      cotangents.push_back(isDifferentiable(type.dtype) ? record.input(type) : Array());
      given += cotangents.back().has_value();
    }
    Tape tape;
    Reverse reverse(name, tape);
    for (const Type &type : types)
      arrays.push_back(reverse.input(record.input(type)));
    arrays.insert(arrays.end(), recorded.captures.begin(), recorded.captures.end());
    std::vector<uint32_t> numbers;
    {
      const ActiveInterpreter differentiates(reverse);
      for (const Array &output : evaluateTrace(*recorded.trace, arrays))
        numbers.push_back(reverse.number(output.value()));
    }
    for (Array &cotangent : tape.backward(numbers, cotangents, static_cast<uint32_t>(types.size()))) {
      state.outputs.push_back(cotangent.has_value() ? static_cast<int>(moved.size()) : -1);
      if (cotangent.has_value())
        moved.push_back(std::move(cotangent));
    }
    transposed = record.finish(moved, at);
  }
  state.trace = std::move(transposed.trace);
  // In the place of the arguments, which no more than a rule of the user's may read.
  for (const Type &type : types)
    state.captures.push_back(filled(type, false));
  state.captures.insert(state.captures.end(), transposed.captures.begin(), transposed.captures.end());
  state.dropUnused(given);
  return ref;
}

std::vector<Array> detail::pull_back(const LinearRef &ref, TreeRef cotangent, CallSite site) {
  const LinearState &state = *ref.get();
  const Location at = callPlace(site.called, site.made);
  return filledUp(what, state.apply(cotangentsIn(what, cotangent, state.inputTypes, at)), state.outputTypes, at);
}

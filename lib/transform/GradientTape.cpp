//===- GradientTape.cpp - a tape that looks on -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/CallSite.h"
#include "lib/ops/Composite.h"
#include "lib/trace/State.h"
#include "lib/trace/Tapes.h"
#include "lib/transform/Coordinates.h"
#include "lib/transform/Numbers.h"
#include "lib/transform/Reverse.h"
#include "lib/transform/Ruled.h"
#include "lib/transform/Rules.h"
#include "lib/tree/Arguments.h"

#include <tenon/detail/inline_vector.h>
#include <tenon/tape.h>

#include <algorithm>
#include <map>
#include <optional>

using namespace tenon;
using namespace tenon::detail;

class detail::TapeCore final : public TapeInterpreter {
public:
  TapeCore(bool isPersistent, Location at)
      : TapeInterpreter(siteName("GradientTape", at)), isPersistent_(isPersistent), made_(at),
        ground_(innermostRecord()), groundName_(ground_ ? ground_->name() : ""), thread_(thisThread()), place_(*this) {}

  void process(const Bind &bind, std::span<Array> results) override;
  void note(const Bind &bind, std::span<Array> results) override;
  bool tracks(const Value *value) const override { return number(value) != Tape::none; }
  void watch(Value *value, Location at) override;
  void watchVariable(const CellRef &variable, Value *value) override;
  size_t variableCount() const override { return variables_.size(); }
  void forgetVariables(size_t count) override {
    variables_.resize(std::min(count, variables_.size()));
    std::erase_if(placeOfVariable_, [&](const auto &entry) { return entry.second >= count; });
  }
  void groundEnds() override {
    hasGround_ = false;
    update();
  }

  bool isUsedUp() const override { return used_.known() || !hasGround_; }

  void watch(TreeRef tree, Location at);
  void pause(int more) {
    pauses_ += more;
    update();
  }
  void reset(Location at);
  std::vector<Variable> watchedVariables() const;
  std::vector<Array> gradients(const char *what, TreeRef target, std::span<const TapeSource> sources,
                               std::span<const Array> seeds, bool zeros, Location at);
  void backward(TreeRef target, std::span<const Array> seeds, Location at);
  std::vector<Array> jacobians(const Array &target, TreeRef sources, bool isBatch, Location at);
  bool isOfThisThread() const { return thread_ == thisThread(); }

private:
  /// A run backward: while it lives the tape notes nothing, and afterwards it may be used up.
  class Use;

  uint32_t number(const Value *value) const {
    return mayBeTracked(value) ? numbers_.find(identityOf(value)) : Tape::none;
  }
  /// Fills what is on the tape of the operands; false: nothing.
  bool numbersOf(std::span<Value *const> operands, InlineVector<uint32_t, 4> &out) const;
  void enter(std::span<Array> results, std::span<const uint32_t> numbers);
  void forget() {
    tape_ = Tape();
    numbers_ = Numbers();
    variables_.clear();
    placeOfVariable_.clear();
  }
  void update() { setRecording(pauses_ == 0 && !isUsedUp()); }

  /// An Error unless the tape may be asked or told something here.
  void expectUsable(const char *what, Location at) const;
  void expectBelow(const char *what, const Array &array, const std::string &name, Location at) const;
  /// What is differentiated by: a value, or those that a Variable has held.
  struct Source {
    Type type;
    std::vector<uint32_t> numbers;
  };
  std::vector<Source> sourcesIn(const char *what, std::span<const TapeSource> sources, Location at) const;

  const bool isPersistent_;
  const Location made_;
  /// The innermost Record when it was made: it is asked there. Compared only, it may have ended.
  const Interpreter *ground_;
  const std::string groundName_;
  bool hasGround_ = true;
  const void *thread_;
  int pauses_ = 0;
  /// Where it gave its gradient, and is used up.
  Location used_;
  Tape tape_;
  Numbers numbers_;
  /// A Variable that was read, which is not kept alive for it, and the values on the tape that it has held.
  struct WatchedVariable {
    std::weak_ptr<Cell> cell;
    std::vector<uint32_t> versions;
  };
  /// In the order of their first reads; by Variable, where in that list it is.
  std::vector<WatchedVariable> variables_;
  std::map<uint64_t, size_t> placeOfVariable_;
  const ActiveInterpreter place_;
};

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

bool TapeCore::numbersOf(std::span<Value *const> operands, InlineVector<uint32_t, 4> &out) const {
  bool any = false;
  for (const Value *operand : operands) {
    const uint32_t found = operand ? number(operand) : Tape::none;
    any |= found != Tape::none;
    out.push_back(found);
  }
  return any;
}

void TapeCore::enter(std::span<Array> results, std::span<const uint32_t> numbers) {
  for (size_t i = 0; i < results.size(); ++i)
    if (numbers[i] != Tape::none)
      numbers_.insert(identify(results[i].value()), numbers[i]);
}

void TapeCore::process(const Bind &bind, std::span<Array> results) {
  InlineVector<uint32_t, 4> numbers;
  if (!numbersOf(bind.operands, numbers))
    return tenon::bind(bind, results);
  const CompositeInfo *composite;
  if (isOpened(bind, composite)) {
    const ActiveInterpreter again(*this); // the ops of its decomposition are noted
    return openComposite(bind, results);
  }
  if (hasKeptResults(bind)) {
    const ActiveInterpreter again(*this);
    return bindApart(bind, results);
  }
  InlineVector<Identity, 4> identities;
  for (const Value *operand : bind.operands)
    identities.push_back(operand ? identityOf(operand) : Identity());
  InlineVector<uint32_t, 2> resultNumbers;
  resultNumbers.resize(results.size());
  tape_.differentiate(bind, composite, numbers, bind.operands, results, {resultNumbers.begin(), resultNumbers.size()},
                      aTapeRecordsAbove(*this));
  // A buffer that was updated in place has lost its old identity, and a tape below may know the new one.
  auto isOperandUnchanged = [&](const Value *value) {
    for (size_t i = 0; i < bind.operands.size(); ++i)
      if (bind.operands[i] == value && identityOf(value) == identities[i])
        return true;
    return false;
  };
  // A result that this tape knows as something else already gets an identity of its own.
  for (Array &result : results)
    if (Value *value = result.value();
        value->isBuffer() && hasSerial(value) && (tracks(value) || isOperandUnchanged(value)))
      result = anotherOf(value);
  enter(results, {resultNumbers.begin(), resultNumbers.size()});
}

void TapeCore::note(const Bind &bind, std::span<Array> results) {
  InlineVector<uint32_t, 4> numbers;
  if (!numbersOf(bind.operands, numbers))
    return;
  uint32_t resultNumber = Tape::none;
  tape_.note(bind, nullptr, numbers, results, {&resultNumber, 1});
  enter(results, {&resultNumber, 1});
}

void TapeCore::watch(Value *value, Location) {
  if (!isDifferentiable(value->dtype()) || interpreterAbove(*this, value) || tracks(value))
    return;
  numbers_.insert(identify(value), tape_.addInput());
}

void TapeCore::watchVariable(const CellRef &variable, Value *value) {
  if (interpreterAbove(*this, value))
    return;
  watch(value, {});
  const auto [place, isNew] = placeOfVariable_.try_emplace(variable->id, variables_.size());
  if (isNew)
    variables_.push_back({variable, {}});
  std::vector<uint32_t> &versions = variables_[place->second].versions;
  if (const uint32_t number = this->number(value); versions.empty() || versions.back() != number)
    versions.push_back(number);
}

//===----------------------------------------------------------------------===//
// What is asked of it
//===----------------------------------------------------------------------===//

static std::string lineOf(Location at) {
  return at.known() ? std::string(at.file) + ":" + std::to_string(at.line) : "an unknown line";
}

void TapeCore::expectUsable(const char *what, Location at) const {
  if (used_.known())
    throw Error(std::string(what) + ": " + name() + " has given its gradient already, at " + lineOf(used_) +
                    "; make it persistent (tn::GradientTape tape{tn::persistent}) to ask more than once, or reset it",
                userLocation(at));
  if (!hasGround_)
    throw Error(std::string(what) + ": " + name() + " was used after what it stands in" +
                    (groundName_.empty() ? "" : ", " + groundName_ + ",") + " has ended",
                userLocation(at));
  if (!isOfThisThread()) {
    if (isRecording())
      throw Error(std::string(what) + ": " + name() + " records another thread; stop it there first (stop_recording)",
                  userLocation(at));
    return;
  }
  if (const Interpreter *here = innermostRecord(); here != ground_)
    throw Error(std::string(what) + ": " + name() + (ground_ ? " stands in " + groundName_ : " stands outside") +
                    " and is used " + (here ? "in " + here->name() : "outside of it") +
                    "; a tape and its use lie on one side of a jit, or of a body of control flow",
                userLocation(at));
}

void TapeCore::expectBelow(const char *what, const Array &array, const std::string &name, Location at) const {
  if (!array.has_value())
    throw Error(std::string(what) + ": expected an array" + name + ", got an empty Array", userLocation(at));
  expectInUse(what, array.value(), at);
  if (const Interpreter *owner = interpreterAbove(*this, array.value()))
    throw Error(std::string(what) + ": " + this->name() + " stands outside of " + owner->name() +
                    ", whose value it does not see; make the tape inside",
                userLocation(at));
}

static std::string of(const std::vector<std::string> &paths, size_t i) {
  return paths[i].empty() ? "" : " as " + paths[i];
}

void TapeCore::watch(TreeRef tree, Location at) {
  expectUsable("watch", at);
  const std::vector<Array> arrays = arraysOf(tree, false);
  const std::vector<std::string> paths = pathsOf(tree, false);
  for (size_t i = 0; i < arrays.size(); ++i)
    expectBelow("watch", arrays[i], of(paths, i), at);
  auto isConstant = [](const Array &array) { return !isDifferentiable(array.dtype()); };
  if (!arrays.empty() && std::all_of(arrays.begin(), arrays.end(), isConstant))
    throw Error("watch: expected a floating array, got " + typeOf(arrays[0].value()).str() + of(paths, 0),
                userLocation(at));
  for (const Array &array : arrays)
    watch(array.value(), at);
}

void TapeCore::reset(Location at) {
  used_ = Location();
  expectUsable("reset", at);
  forget();
  update();
}

std::vector<TapeCore::Source> TapeCore::sourcesIn(const char *what, std::span<const TapeSource> sources,
                                                  Location at) const {
  std::vector<Source> all;
  bool isAny = sources.empty();
  for (const TapeSource &source : sources) {
    const std::string name = source.path.empty() ? "" : " as " + source.path;
    if (source.variable) {
      const CellRef &cell = source.variable->cell();
      if (!cell)
        throw Error(std::string(what) + ": expected a Variable" + name + ", got an empty one", userLocation(at));
      const auto place = placeOfVariable_.find(cell->id);
      const bool isRead = place != placeOfVariable_.end();
      all.push_back({cell->type, isRead ? variables_[place->second].versions : std::vector<uint32_t>()});
      isAny |= isDifferentiable(cell->type.dtype);
      continue;
    }
    expectBelow(what, *source.array, name, at);
    const Type type = typeOf(source.array->value());
    const bool moves = isDifferentiable(type.dtype);
    isAny |= moves;
    all.push_back({type, {moves ? number(source.array->value()) : Tape::none}});
    if (moves && all.back().numbers[0] == Tape::none)
      throw Error(std::string(what) + ": expected a source that " + this->name() +
                      " watches, or that depends on one, got " + type.str() + name + "; call watch before it is used",
                  userLocation(at));
  }
  if (!isAny)
    throw Error(std::string(what) + ": expected a floating array to differentiate by, got " + all[0].type.str() +
                    (sources[0].path.empty() ? "" : " as " + sources[0].path),
                userLocation(at));
  return all;
}

class TapeCore::Use {
public:
  Use(TapeCore &core, Location at) : core_(core), at_(at) { core_.pause(1); }
  ~Use() {
    if (!core_.isPersistent_) {
      core_.used_ = at_.known() ? at_ : core_.made_;
      core_.forget();
    }
    core_.pause(-1);
  }
  Use(const Use &) = delete;

private:
  TapeCore &core_;
  Location at_;
};

/// Which type a seed must have; an Error that names it.
static void expectSeed(const char *what, const Array &seed, const Type &type, Location at) {
  const std::string got = seed.has_value() ? typeOf(seed.value()).str() : "an empty Array";
  if (!seed.has_value() || seed.dtype() != type.dtype || seed.device() != type.device ||
      provably_equal(seed.shape(), type.shape) != Always::yes)
    throw Error(std::string(what) + ": expected an output gradient of the target's type " + type.str() + ", got " + got,
                userLocation(at));
}

std::vector<Variable> TapeCore::watchedVariables() const {
  std::vector<Variable> all;
  for (const WatchedVariable &watched : variables_)
    if (CellRef cell = watched.cell.lock())
      all.push_back(Variable::of(std::move(cell)));
  return all;
}

std::vector<Array> TapeCore::gradients(const char *what, TreeRef target, std::span<const TapeSource> sources,
                                       std::span<const Array> seeds, bool zeros, Location at) {
  expectUsable(what, at);
  std::vector<uint32_t> wanted, outputs;
  const std::vector<Source> by = sourcesIn(what, sources, at);
  for (const Source &source : by)
    wanted.insert(wanted.end(), source.numbers.begin(), source.numbers.end());
  const std::vector<Array> targets = arraysOf(target, false);
  if (!seeds.empty() && seeds.size() != targets.size())
    throw Error(std::string(what) + ": expected " + std::to_string(targets.size()) +
                    " output gradients, one per array of the target, got " + std::to_string(seeds.size()),
                userLocation(at));
  const std::vector<std::string> paths = pathsOf(target, false);
  std::vector<Type> types;
  for (size_t i = 0; i < targets.size(); ++i) {
    expectBelow(what, targets[i], of(paths, i), at);
    types.push_back(typeOf(targets[i].value()));
    const bool fits = seeds.empty() ? tenon::kind(types[i].dtype) == Kind::floating : isDifferentiable(types[i].dtype);
    if (!fits || !isDifferentiable(types[i].dtype))
      throw Error(std::string(what) + ": expected a floating target, got " + types[i].str() + of(paths, i) +
                      (tenon::kind(types[i].dtype) == Kind::complex ? "; give output_gradients" : ""),
                  userLocation(at));
    if (!seeds.empty())
      expectSeed(what, seeds[i], types[i], at);
    outputs.push_back(number(targets[i].value()));
  }
  const Use use(*this, userLocation(at));
  const LocationScope scope(what, at);
  std::vector<Array> cotangents(seeds.begin(), seeds.end());
  for (size_t i = cotangents.size(); i < targets.size(); ++i)
    cotangents.push_back(outputs[i] == Tape::none ? Array() : filled(types[i], 1.0));
  std::vector<Array> reached = tape_.backwardTo(outputs, cotangents, wanted, !isPersistent_), gradients;
  size_t next = 0;
  for (const Source &source : by) {
    Array sum;
    for (size_t k = 0; k < source.numbers.size(); ++k, ++next)
      if (reached[next].has_value())
        sum = sum.has_value() ? add(sum, reached[next]) : std::move(reached[next]);
    const Type &type = source.type;
    if (!sum.has_value() && zeros)
      sum = filled(isDifferentiable(type.dtype) ? type : Type{Dtype::f32, type.device, type.shape}, false);
    gradients.push_back(std::move(sum));
  }
  return gradients;
}

void TapeCore::backward(TreeRef target, std::span<const Array> seeds, Location at) {
  const std::vector<Variable> variables = watchedVariables();
  std::vector<TapeSource> sources;
  for (const Variable &variable : variables)
    sources.push_back({nullptr, &variable, ""});
  const std::vector<Array> slopes = gradients("backward", target, sources, seeds, false, at);
  if (std::none_of(slopes.begin(), slopes.end(), [](const Array &slope) { return slope.has_value(); }))
    throw Error("backward: expected a target that depends on a trainable Variable which " + name() +
                    " has seen read, got one that depends on none",
                userLocation(at));
  for (size_t i = 0; i < slopes.size(); ++i)
    if (slopes[i].has_value())
      updateState(variables[i].cell()->gradient(at), "backward", at,
                  [&](const Array &now) { return add(now, slopes[i]); });
}

std::vector<Array> TapeCore::jacobians(const Array &target, TreeRef sources, bool isBatch, Location at) {
  const char *what = isBatch ? "batch_jacobian" : "jacobian";
  expectUsable(what, at);
  const std::vector<Array> arrays = arraysOf(sources, false);
  const std::vector<std::string> paths = pathsOf(sources, false);
  std::vector<TapeSource> given;
  for (size_t i = 0; i < arrays.size(); ++i)
    given.push_back({&arrays[i], nullptr, paths[i]});
  std::vector<uint32_t> wanted;
  const std::vector<Source> by = sourcesIn(what, given, at);
  for (const Source &source : by)
    wanted.push_back(source.numbers[0]);
  expectBelow(what, target, " as target", at);
  Type type = typeOf(target.value());
  auto fail = [&](const std::string &sentence) { throw Error(what + sentence, userLocation(at)); };
  if (tenon::kind(type.dtype) != Kind::floating || !isDifferentiable(type.dtype))
    fail(": expected a real floating target, got " + type.str());
  Dim examples = 1;
  if (isBatch) {
    const Shape &other = by[0].type.shape;
    if (type.shape.rank() == 0 || other.rank() == 0 || provably_equal(type.shape[0], other[0]) != Always::yes)
      fail(": expected a target and a source with as many examples along axis 0, got " + type.str() + " and " +
           by[0].type.str());
    examples = type.shape[0];
    type.shape.erase(0);
  }
  const uint32_t output = number(target.value());
  const Use use(*this, userLocation(at));
  const LocationScope scope(what, at);
  const Coordinates elements(std::span(&type, 1));
  Batch batch(siteName(what, at), elements.count);
  Array basis = elements.basis(0, 0, at);
  if (isBatch)
    basis = repeatAlong(basis, examples, 1);
  std::vector<Array> reached;
  {
    const Array cotangent = batch.wrap(basis, 0, at);
    const ActiveInterpreter active(batch);
    reached = tape_.backwardTo({&output, 1}, {&cotangent, 1}, wanted, !isPersistent_);
  }
  for (size_t i = 0; i < reached.size(); ++i) {
    const Type &source = by[i].type;
    Shape shape = together(type.shape, source.shape);
    if (isBatch) {
      shape = together({examples}, type.shape);
      for (int axis = 1; axis < source.shape.rank(); ++axis)
        shape.push_back(source.shape[axis]);
    }
    if (!reached[i].has_value()) {
      const Dtype dtype = isDifferentiable(source.dtype) ? source.dtype : Dtype::f32;
      reached[i] = filled({dtype, type.device, shape}, false);
      continue;
    }
    const Array rows = allAlong(batch, reached[i], 0);
    reached[i] = reshape(isBatch ? moveAxis(rows, 0, 1) : rows, shape);
  }
  return reached;
}

//===----------------------------------------------------------------------===//
// The public functions
//===----------------------------------------------------------------------===//

TapeCore *detail::make_tape(bool isPersistent, Location at) {
  dropAbandonedTapes();
  return new TapeCore(isPersistent, userLocation(at));
}
void detail::drop_tape(TapeCore *core) noexcept { core->isOfThisThread() ? delete core : core->abandon(); }
void detail::watch_on(TapeCore &core, TreeRef tree, Location at) { core.watch(tree, at); }
void detail::pause_tape(TapeCore &core, int more) noexcept { core.pause(more); }
void detail::reset_tape(TapeCore &core, Location at) { core.reset(at); }
std::vector<Array> detail::gradients_on(TapeCore &core, TreeRef target, std::span<const TapeSource> sources,
                                        std::span<const Array> seeds, bool zeros, Location at) {
  return core.gradients("gradient", target, sources, seeds, zeros, at);
}
std::vector<Variable> detail::variables_on(const TapeCore &core) { return core.watchedVariables(); }
void detail::backward_on(TapeCore &core, TreeRef target, std::span<const Array> seeds, Location at) {
  core.backward(target, seeds, at);
}
std::vector<Array> detail::jacobians_on(TapeCore &core, const Array &target, TreeRef sources, bool isBatch,
                                        Location at) {
  return core.jacobians(target, sources, isBatch, at);
}

void detail::throw_no_partials(const Array &x, bool isResult, Location at) {
  throw Error("gradients_function: expected a floating array as " +
                  std::string(isResult ? "result" : "one of the arguments") + ", got " +
                  (x.has_value() ? typeOf(x.value()).str() : "an empty Array"),
              userLocation(at));
}
void detail::throw_no_variables(Location at) {
  throw Error("implicit_gradients: expected a function that reads a trainable Variable, got one that reads none",
              userLocation(at));
}

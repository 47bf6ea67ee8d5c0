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

  void watch(std::span<const TapeLeaf> leaves, Location at);
  void pause(int more) {
    pauses_ += more;
    update();
  }
  void reset(Location at);
  std::vector<Variable> watchedVariables() const;
  /// What is differentiated: an array with the words that errors add for it.
  struct Target {
    Array value;
    std::string name;
  };
  std::vector<Target> targetsIn(const char *what, std::span<const TapeLeaf> leaves, Location at);
  std::vector<Array> gradients(const char *what, std::span<const Target> targets, std::span<const TapeLeaf> sources,
                               std::span<const Array> seeds, bool zeros, Location at);
  void backward(std::span<const TapeLeaf> target, std::span<const Array> seeds, Location at);
  std::vector<Array> jacobians(const Array &target, std::span<const TapeLeaf> sources, bool isBatch, Location at);
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
  /// The cell of a Variable in a tree; an Error if there is none.
  const CellRef &cellOf(const char *what, const TapeLeaf &leaf, Location at) const;
  struct Unpaused;
  /// Reads a Variable on this tape, whether it records or not.
  Array read(const CellRef &variable);
  /// What is differentiated by: a value, or those that a Variable has held.
  struct Source {
    Type type;
    std::vector<uint32_t> numbers;
  };
  std::vector<Source> sourcesIn(const char *what, std::span<const TapeLeaf> sources, Location at) const;
  static std::vector<uint32_t> numbersOf(std::span<const Source> sources);
  static std::vector<Array> sumsBySource(std::span<const Source> sources, std::span<const Array> reached);

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

static std::string lineOf(Location at) { return at.known() ? placeText(at) : "an unknown line"; }

void TapeCore::expectUsable(const char *what, Location at) const {
  if (used_.known())
    throw Error(std::string(what) + ": " + name() + " has already computed its gradient, at " + lineOf(used_) +
                    "; make it persistent (tn::GradientTape tape{tn::persistent}) to compute several, or reset it",
                userLocation(at));
  if (!hasGround_)
    throw Error(std::string(what) + ": " + name() + " was used after the function it was created in" +
                    (groundName_.empty() ? "" : ", " + groundName_ + ",") + " has ended",
                userLocation(at));
  if (!isOfThisThread()) {
    if (isRecording())
      throw Error(std::string(what) + ": " + name() +
                      " is recording on another thread; stop it there first (stop_recording)",
                  userLocation(at));
    return;
  }
  if (const Interpreter *here = innermostRecord(); here != ground_)
    throw Error(std::string(what) + ": " + name() +
                    (ground_ ? " was created in " + groundName_ : " was created outside") + " and is used " +
                    (here ? "in " + here->name() : "outside of it") +
                    "; create and use a tape on the same side of a jit or of a body of control flow",
                userLocation(at));
}

void TapeCore::expectBelow(const char *what, const Array &array, const std::string &name, Location at) const {
  if (!array.has_value())
    throw Error(std::string(what) + ": expected an array" + name + ", got an empty Array", userLocation(at));
  expectInUse(what, array.value(), at);
  if (const Interpreter *owner = interpreterAbove(*this, array.value()))
    throw Error(std::string(what) + ": " + this->name() + " was created outside of " + owner->name() +
                    ", whose values it cannot record; create the tape inside",
                userLocation(at));
}

/// The words that errors add for a leaf of a tree.
static std::string nameOf(const TapeLeaf &leaf) { return leaf.path.empty() ? "" : " as " + leaf.path; }

const CellRef &TapeCore::cellOf(const char *what, const TapeLeaf &leaf, Location at) const {
  const CellRef &cell = refOf(leaf.variable->cell());
  if (!cell)
    throw Error(std::string(what) + ": expected a Variable" + nameOf(leaf) + ", got an empty one", userLocation(at));
  return cell;
}

/// A tape records while this lives, however often it is paused.
struct TapeCore::Unpaused {
  explicit Unpaused(TapeCore &core) : core(core), pauses(std::exchange(core.pauses_, 0)) { core.update(); }
  ~Unpaused() { core.pause(pauses); }
  TapeCore &core;
  const int pauses;
};

Array TapeCore::read(const CellRef &variable) {
  if (isOfThisThread()) {
    const Unpaused unpaused(*this);
    return stateOf(variable);
  }
  // Reads of this thread do not reach the tape.
  Array value = stateOf(variable);
  if (variable->isWatched() && value.value()->isBuffer()) {
    value = anotherOf(value.value());
    watchVariable(variable, value.value());
  }
  return value;
}

void TapeCore::watch(std::span<const TapeLeaf> leaves, Location at) {
  expectUsable("watch", at);
  std::vector<Array> arrays;
  std::vector<CellRef> cells;
  for (const TapeLeaf &leaf : leaves) {
    if (!leaf.variable)
      expectBelow("watch", *leaf.array, nameOf(leaf), at);
    if (leaf.variable && cellOf("watch", leaf, at)->isWatched())
      cells.push_back(refOf(leaf.variable->cell()));
    else if (!leaf.variable && isDifferentiable(leaf.array->dtype()))
      arrays.push_back(*leaf.array);
  }
  if (arrays.empty() && cells.empty() && !leaves.empty()) {
    const TapeLeaf &first = leaves.front();
    const std::string got = !first.variable
                                ? typeOf(first.array->value()).str()
                                : "a Variable of " + refOf(first.variable->cell())->type().str() +
                                      (refOf(first.variable->cell())->isTrainable() ? "" : " that is not trainable");
    throw Error("watch: expected a floating array, got " + got + nameOf(first), userLocation(at));
  }
  for (const Array &array : arrays)
    watch(array.value(), at);
  for (const CellRef &cell : cells)
    read(cell);
}

void TapeCore::reset(Location at) {
  used_ = Location();
  expectUsable("reset", at);
  forget();
  update();
}

std::vector<TapeCore::Source> TapeCore::sourcesIn(const char *what, std::span<const TapeLeaf> sources,
                                                  Location at) const {
  std::vector<Source> all;
  bool isAny = sources.empty();
  for (const TapeLeaf &source : sources) {
    const std::string name = nameOf(source);
    if (source.variable) {
      const CellRef &cell = cellOf(what, source, at);
      const auto place = placeOfVariable_.find(cell->id);
      const bool isRead = place != placeOfVariable_.end();
      all.push_back({typeOfState(cell), isRead ? variables_[place->second].versions : std::vector<uint32_t>()});
      isAny |= isDifferentiable(typeOfState(cell).dtype);
      continue;
    }
    expectBelow(what, *source.array, name, at);
    const Type type = typeOf(source.array->value());
    const bool moves = isDifferentiable(type.dtype);
    isAny |= moves;
    all.push_back({type, {moves ? number(source.array->value()) : Tape::none}});
    if (moves && all.back().numbers[0] == Tape::none)
      throw Error(std::string(what) + ": expected a source that " + this->name() +
                      " watches, or a value that depends on one, got " + type.str() + name +
                      "; call watch before using it",
                  userLocation(at));
  }
  if (!isAny)
    throw Error(std::string(what) + ": expected a floating array to differentiate with respect to, got " +
                    all[0].type.str() + nameOf(sources[0]),
                userLocation(at));
  return all;
}

std::vector<uint32_t> TapeCore::numbersOf(std::span<const Source> sources) {
  std::vector<uint32_t> all;
  for (const Source &source : sources)
    all.insert(all.end(), source.numbers.begin(), source.numbers.end());
  return all;
}

/// What a backward run has reached of each source: of a Variable the sum over its versions. Empty: nothing.
std::vector<Array> TapeCore::sumsBySource(std::span<const Source> sources, std::span<const Array> reached) {
  std::vector<Array> sums;
  for (const Source &source : sources) {
    Array sum;
    for (const Array &one : reached.first(source.numbers.size()))
      if (one.has_value())
        sum = sum.has_value() ? add(sum, one) : one;
    reached = reached.subspan(source.numbers.size());
    sums.push_back(std::move(sum));
  }
  return sums;
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
      all.push_back(Variable::of(handleOf(std::move(cell))));
  return all;
}

std::vector<TapeCore::Target> TapeCore::targetsIn(const char *what, std::span<const TapeLeaf> leaves, Location at) {
  expectUsable(what, at);
  std::vector<Target> targets;
  for (const TapeLeaf &leaf : leaves)
    targets.push_back({leaf.variable ? read(cellOf(what, leaf, at)) : *leaf.array, nameOf(leaf)});
  return targets;
}

std::vector<Array> TapeCore::gradients(const char *what, std::span<const Target> targets,
                                       std::span<const TapeLeaf> sources, std::span<const Array> seeds, bool zeros,
                                       Location at) {
  const std::vector<Source> by = sourcesIn(what, sources, at);
  const std::vector<uint32_t> wanted = numbersOf(by);
  std::vector<uint32_t> outputs;
  if (!seeds.empty() && seeds.size() != targets.size())
    throw Error(std::string(what) + ": expected " + std::to_string(targets.size()) +
                    " output gradients, one per array of the target, got " + std::to_string(seeds.size()),
                userLocation(at));
  std::vector<Type> types;
  for (size_t i = 0; i < targets.size(); ++i) {
    const auto &[value, name] = targets[i];
    expectBelow(what, value, name, at);
    types.push_back(typeOf(value.value()));
    const bool fits = seeds.empty() ? tenon::kind(types[i].dtype) == Kind::floating : isDifferentiable(types[i].dtype);
    if (!fits || !isDifferentiable(types[i].dtype))
      throw Error(std::string(what) + ": expected a floating target, got " + types[i].str() + name +
                      (tenon::kind(types[i].dtype) == Kind::complex ? "; give output_gradients" : ""),
                  userLocation(at));
    if (!seeds.empty())
      expectSeed(what, seeds[i], types[i], at);
    outputs.push_back(number(value.value()));
  }
  const Use use(*this, userLocation(at));
  const LocationScope scope(what, at);
  std::vector<Array> cotangents(seeds.begin(), seeds.end());
  for (size_t i = cotangents.size(); i < targets.size(); ++i)
    cotangents.push_back(outputs[i] == Tape::none ? Array() : filled(types[i], 1.0));
  std::vector<Array> gradients = sumsBySource(by, tape_.backwardTo(outputs, cotangents, wanted, !isPersistent_));
  for (size_t i = 0; zeros && i < by.size(); ++i)
    if (const Type &type = by[i].type; !gradients[i].has_value())
      gradients[i] = filled(isDifferentiable(type.dtype) ? type : Type{Dtype::f32, type.device, type.shape}, false);
  return gradients;
}

void TapeCore::backward(std::span<const TapeLeaf> target, std::span<const Array> seeds, Location at) {
  const std::vector<Target> targets = targetsIn("backward", target, at);
  const std::vector<Variable> variables = watchedVariables();
  std::vector<TapeLeaf> sources;
  for (const Variable &variable : variables)
    sources.push_back({nullptr, &variable, ""});
  const std::vector<Array> slopes = gradients("backward", targets, sources, seeds, false, at);
  if (std::none_of(slopes.begin(), slopes.end(), [](const Array &slope) { return slope.has_value(); }))
    throw Error("backward: expected a target that depends on a trainable Variable which " + name() +
                    " has seen read, got one that depends on none",
                userLocation(at));
  for (size_t i = 0; i < slopes.size(); ++i)
    if (slopes[i].has_value())
      updateState(refOf(variables[i].cell())->gradient(at), "backward", at,
                  [&](const Array &now) { return add(now, slopes[i]); });
}

std::vector<Array> TapeCore::jacobians(const Array &target, std::span<const TapeLeaf> sources, bool isBatch,
                                       Location at) {
  const char *what = isBatch ? "batch_jacobian" : "jacobian";
  expectUsable(what, at);
  const std::vector<Source> by = sourcesIn(what, sources, at);
  const std::vector<uint32_t> wanted = numbersOf(by);
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
    reached = sumsBySource(by, tape_.backwardTo({&output, 1}, {&cotangent, 1}, wanted, !isPersistent_));
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
void detail::watch_on(TapeCore &core, const std::vector<TapeLeaf> &leaves, Location at) { core.watch(leaves, at); }
void detail::pause_tape(TapeCore &core, int more) noexcept { core.pause(more); }
void detail::reset_tape(TapeCore &core, Location at) { core.reset(at); }
std::vector<TapeLeaf> detail::listed_leaves(std::initializer_list<ListedSource> sources) {
  std::vector<TapeLeaf> all;
  for (const ListedSource &source : sources)
    all.push_back({source.array, source.variable, "[" + std::to_string(all.size()) + "]"});
  return all;
}
std::vector<Array> detail::gradients_on(TapeCore &core, const std::vector<TapeLeaf> &target,
                                        const std::vector<TapeLeaf> &sources, std::span<const Array> seeds, bool zeros,
                                        Location at) {
  return core.gradients("gradient", core.targetsIn("gradient", target, at), sources, seeds, zeros, at);
}
std::vector<Variable> GradientTape::watched_variables() const { return core_->watchedVariables(); }
void detail::backward_on(TapeCore &core, const std::vector<TapeLeaf> &target, std::span<const Array> seeds,
                         Location at) {
  core.backward(target, seeds, at);
}
std::vector<Array> detail::jacobians_on(TapeCore &core, const Array &target, const std::vector<TapeLeaf> &sources,
                                        bool isBatch, Location at) {
  return core.jacobians(target, sources, isBatch, at);
}
Array detail::take_front(std::span<const Array> &next) {
  const Array &first = next.front();
  next = next.subspan(1);
  return first;
}
Array detail::batch_jacobian_on(TapeCore &core, const Array &target, const Array &source, Location at) {
  return core.jacobians(target, tape_leaves(source), true, at)[0];
}

OutputGradients::OutputGradients(const Array &one) : arrays_{one} {}
OutputGradients::OutputGradients(std::initializer_list<Array> list) : arrays_(list) {}
OutputGradients::OutputGradients(std::vector<Array> list) : arrays_(std::move(list)) {}
std::span<const Array> OutputGradients::arrays() const { return arrays_; }

void detail::throw_no_partials(const Array &x, bool isResult, Location at) {
  throw Error("gradients_function: expected a floating array as " +
                  std::string(isResult ? "result" : "one of the arguments") + ", got " +
                  (x.has_value() ? typeOf(x.value()).str() : "an empty Array"),
              userLocation(at));
}
std::vector<std::pair<Array, Variable>> detail::implicit_gradients_on(GradientTape &tape, const Array &value,
                                                                      Location at) {
  const std::vector<Variable> variables = tape.watched_variables();
  if (variables.empty())
    throw Error("implicit_gradients: expected a function that reads a trainable Variable, got one that reads none",
                userLocation(at));
  std::vector<Array> gradients = tape.gradient(value, variables, {}, at);
  std::vector<std::pair<Array, Variable>> pairs;
  for (size_t i = 0; i < variables.size(); ++i)
    pairs.emplace_back(std::move(gradients[i]), variables[i]);
  return pairs;
}

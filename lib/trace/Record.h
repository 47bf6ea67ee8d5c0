//===- Record.h - recording a function into a trace ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Cut.h"
#include "lib/trace/Guard.h"
#include "lib/trace/Interpreter.h"

#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace tenon {

/// A function that is recorded without elements goes each of its ways, one after another: what C++ is told when it asks
/// for a bool.
struct Exploration {
  /// In order: as wanted at the beginning, then false; afterwards all that were given.
  std::vector<bool> answers;
  /// Where each of those was asked for that have been given.
  std::vector<std::string> places = {};
  /// Which answer was given to a value, by its owner and number.
  std::map<std::pair<uint64_t, ValueId>, size_t> known = {};
  /// The Error about what cannot be asked without elements, whoever has caught it.
  std::exception_ptr refused = {};
  /// What was recorded since `count` of them were given runs once more, and asks again.
  void forgetBehind(size_t count) {
    places.resize(count);
    std::erase_if(known, [&](const auto &one) { return one.second >= count; });
  }
  /// Of one function; and so often it may ask at one place on one of them.
  static constexpr unsigned mostWays = 16;
};

/// Of a call that is recorded after some of what it does has happened: that, in order. It does not happen again.
struct Happened {
  struct Effect {
    /// As it was recorded then, by what is kept meanwhile.
    const TraceBody *body;
    const TraceOp *op;
    std::vector<Array> results;
  };
  std::deque<Effect> effects;
  struct State {
    Array value;
    /// The host has assigned it since.
    bool isHostAssigned;
  };
  /// By Variable (its Cell), and guards before: what the call has found in it.
  std::map<std::pair<const void *, uint32_t>, State> states = {};
  /// What is recorded does something else.
  bool isOther = false;
};

/// Records what is bound while it is active. Operands that are not its own
/// (buffers, values of interpreters below) become hidden inputs, in order of
/// first use. As one of kind `linear` it records only ops with an operand that is
/// its own: all else is run below, as if it were not there.
class Record : public Interpreter {
public:
  explicit Record(std::string name, InterpreterKind kind = InterpreterKind::record);

  /// An explicit input; `path` is its name in errors. All explicit inputs are
  /// made before anything is recorded.
  Array input(const Type &type, std::string path = {}, Location at = {});
  /// A hidden input, captured from `behind`, as a value of its own: it has no elements here, and
  /// `behind` itself may be captured besides. `capture`: which one it is.
  Array stateInput(const Array &behind, std::string path, size_t &capture);
  void process(const Bind &bind, std::span<Array> results) override;
  std::string path(const detail::Value *value) const override;

  /// The explicit inputs stand for these arrays, in their order, so that values may be evaluated.
  void know(std::span<const Array> inputs) { known_.assign(inputs.begin(), inputs.end()); }
  /// The elements of one of its values: the ops that it depends on run, but print nothing. Nothing where they
  /// depend on inputs that stand for no elements.
  std::optional<Array> evaluate(const detail::Value *value) const;
  /// From here on C++ may ask its values for their elements, as what is recorded depends on the answers.
  void allowAsking() { mayAsk_ = true; }
  bool mayAsk() const { return mayAsk_; }
  /// The same, where the inputs have no elements.
  void explore(Exploration &exploration) {
    mayAsk_ = true;
    exploration_ = &exploration;
  }
  Exploration *exploration() const { return exploration_; }
  /// What it records depends on an answer that a Record around it has the guard of, or on what that one has assigned.
  bool dependsOnAround() const { return dependsOnAround_; }
  /// C++ has asked what could not be answered, and goes on if it catches that: elsewhere there may be an answer.
  bool hasRefusedAnswer() const { return hasRefusedAnswer_; }
  void refusedAnswer() override { hasRefusedAnswer_ = true; }
  /// The one element of `value`, as `dtype` or what holds more, and the guard of it, which later calls need: none where
  /// it depends on nothing that differs between calls, or is known. It is in the innermost Record that may be asked, so
  /// that guards have the order in which C++ asks. Nothing where it may not be asked, or cannot be computed; an Error
  /// where it is not one element.
  std::optional<Array> ask(detail::Value *value, Dtype dtype, const char *what, Location at) override;
  /// What is recorded will not be run as a program: what of it is seen from outside happens now, where it can be
  /// computed.
  void runEffects() {
    maySettle_ = true;
    settle(body_.ops.size());
  }
  /// The first of what is recorded here, or in Records within, has happened.
  void resume(Happened &happened) { happened_ = &happened; }
  /// Takes what has happened out of what is recorded until now, the results aside.
  void skipHappened() {
    if (happened_ && !happened_->effects.empty())
      settle(body_.ops.size(), true);
  }
  /// Some of it has happened while it was recorded, as what calls the host does: this serves one call, and does the
  /// rest.
  bool hasSettled() const { return hasSettled_; }
  /// What happened has thrown: the function does there, and nothing that it has recorded happens besides.
  bool hasEnded() const { return hasEnded_; }
  /// Something that happened has thrown, whether or not the function has caught that.
  bool hasThrown() const { return hasThrown_; }
  /// What has thrown behind its place, as it was not clear before that it would happen: C++ has no way to catch it.
  std::exception_ptr failed() const { return failed_; }
  /// Nothing is to happen: what asks for what comes of it is refused.
  void forbidSettling() { maySettle_ = false; }
  /// The same, and what is recorded does not run now: what a Variable holds is not what C++ goes on with.
  void lookAt() {
    maySettle_ = false;
    isLookedAt_ = true;
  }
  bool hasRefusedToSettle() const { return hasRefusedToSettle_; }
  /// Where C++ has asked for what would have had to happen; empty: nowhere, or not that.
  const std::string &refusedAt() const { return refusedAt_; }
  /// Of this Record alone. The guards of those around it come before.
  Asked asked() const { return asked_; }
  /// Something is recorded that asks as much, or has happened and is no part of what is recorded.
  void count(const Asked &asked) {
    if (asked.hostCalledAfter)
      asked_.hostCalledAfter = asked_.guards + asked.hostCalledAfter;
    asked_.guards += asked.guards;
  }
  /// What the next call asks, where that is known better than by its trace, which is without what has settled; nothing:
  /// by that.
  void expectCall(const std::optional<Asked> &asked) { next_ = asked; }
  /// Guards so far, those of Records around it included.
  uint32_t guardCount() const { return guardsAround() + asked_.guards; }
  /// It may be dropped, and run as a part of what is recorded around: its guards may count for nothing.
  void setNoPart() { isNoPart_ = true; }
  /// Guards so far of what is kept in any case.
  uint32_t keptGuardCount() const { return isInNoPart() ? around_->keptGuardCount() : guardCount(); }
  /// Whether something calls the host that is recorded since so many guards, here or around.
  bool hasCalledHostSince(uint32_t guards) const {
    return (asked_.hostCalledAfter && guardsAround() + asked_.hostCalledAfter > guards) ||
           (around_ && around_->hasCalledHostSince(guards));
  }
  /// A Variable is read that something which calls the host may have assigned: that happens before. Later calls read it
  /// there, too, so that a guard which always holds marks the place, if no question does. False: it cannot.
  bool beforeRead();
  bool isWithin() const { return around_; }
  /// A Variable has been read after something that calls the host, as one that is assigned around: elsewhere it may not
  /// be.
  void noteUnmarkedRead() {
    for (Record *record = this; record->around_; record = record->around_)
      record->dependsOnAround_ |= record->asked_.hostCalledAfter > record->asked_.guards;
  }
  /// Of this Record and those around it, the innermost one that may be asked; null: none.
  Record *askable() { return mayAsk_ ? this : around_ ? around_->askable() : nullptr; }
  /// A part of what it records, within, could not be bound: it serves one call. `why`, for a person.
  void serveOnce(const std::string &why) { whyOnce_ = why; }
  const std::string &whyOnce() const { return whyOnce_; }
  /// Of a call that goes on, what it has found in that Cell behind so many guards; null: it has not looked.
  const Happened::State *stateBefore(const void *cell, uint32_t guards) const {
    const auto state = happened_ ? happened_->states.find({cell, guards}) : decltype(happened_->states.end())();
    return happened_ && state != happened_->states.end() ? &state->second : nullptr;
  }
  /// Functions that were recorded within, by `record`, in their order.
  void addCall(RecordedCall call, const Record &record) {
    calls_.push_back(std::move(call));
    hosts_.insert(hosts_.end(), record.hosts_.begin(), record.hosts_.end());
  }
  /// What that one has asked is asked here.
  void addAnswers(const Record &record) {
    noted_.insert(record.noted_.begin(), record.noted_.end());
    for (const auto &[place, count] : record.answersAt_)
      answersAt_[place] += count;
  }
  std::span<const RecordedCall> calls() const { return calls_; }
  /// Functions of the process that ops call, or have called.
  const std::vector<std::shared_ptr<const HostFunction>> &hosts() const { return hosts_; }
  /// The last of them, recorded as `trace`, has become the body `as` of a call.
  void bindCall(const TraceRef &trace, const TraceRef &as) {
    if (!calls_.empty() && calls_.back().trace.get() == trace.get())
      calls_.back().trace = as;
  }
  /// What it has recorded until now, all of it.
  const TraceBody &body() const { return body_; }
  /// Where C++ has asked `mostAnswers` times at one place of one path, here or in a function that it calls: the answers
  /// after that are no guards.
  const std::string &askedTooOften() const { return askedTooOften_; }
  void askedTooOften(const std::string &place) { askedTooOften_ = place; }
  static constexpr unsigned mostAnswers = 64;
  /// An op of one operand and one result, whatever stands above on the stack: no tape sees it.
  Array apply(OpCode op, const Array &x, AttrWords words, const Type &type, Location at);
  /// The op that made one of its values, and its attributes; null: an input.
  const TraceOp *maker(const detail::Value *value) const { return makerOf(body_, value->number); }
  AttrWords attributes(const TraceOp &op) const { return {body_.attributes.data() + op.attributes, op.attributeCount}; }

  struct Result {
    TraceRef trace;
    /// What the hidden inputs, the last ones of the trace, were captured from.
    std::vector<Array> captures;
    /// If it was asked for: all that was recorded, what has happened included. It has fewer of the captures.
    TraceBody whole = {};
  };
  /// Freezes; this Record takes no further ops.
  Result finish(std::span<const Array> outputs, Location at = {}, bool wantsWhole = false);

private:
  /// The value's number in this trace; captures it if it is not its own.
  ValueId number(detail::Value *value);
  uint32_t location(Location at);
  /// Computes a value, from what has been computed before; false: its inputs have no elements.
  bool compute(ValueId value) const;
  bool computeInput(ValueId value) const;
  /// Runs an op whose operands have been computed.
  void run(const TraceOp &op, bool isSilent) const;
  /// Lets happen, once and in order, what of the first `count` ops is seen from outside or may end the call; before
  /// that, in the Records around it, all of it. False where it cannot be computed. `isKnown`: no more than has happened
  /// already.
  bool settle(size_t count, bool isKnown = false) const;
  /// Whether that may be.
  bool maySettle() const { return maySettle_ && mayAsk_ && !exploration_ && (!around_ || around_->maySettle()); }
  /// Its results are what was given when it happened.
  void takeHappened(const TraceOp &op) const;
  /// What has been computed of it stays.
  void keepForGood(ValueId value) const;
  /// What has happened, taken out of what is recorded: its results are captured.
  void dropSettled();
  /// What has happened in a Record within gave `elements`, whose sizes are symbols here: captured, in front of nothing
  /// else, so that what is recorded in other calls has the inputs that it had.
  Array happenedInput(const Type &type, const Array &elements);
  std::span<const ValueId> operands(const TraceOp &op) const {
    return std::span(body_.operands).subspan(op.operands, op.operandCount);
  }
  /// The one element of `value`, of this Record or one around it, as C++ sees it as `dtype`: a value of rank 0.
  Array seenAs(detail::Value *value, Dtype dtype, Location at);
  /// Where C++ asks for one of its values: the innermost Record that may be asked. Null where the value's own is not
  /// one of those around what runs.
  Record *asking();
  unsigned answersAt(const std::string &place) const {
    const auto count = answersAt_.find(place);
    return (count == answersAt_.end() ? 0 : count->second) + (around_ ? around_->answersAt(place) : 0);
  }
  /// The next answer of an exploration.
  Array explored(detail::Value *value, Dtype dtype, const char *what, Location at);
  bool isInNoPart() const { return isNoPart_ || (around_ && around_->isInNoPart()); }
  uint32_t guardsAround() const { return around_ ? around_->guardCount() : 0; }
  /// The guard itself.
  void guard(const Array &seen, int64_t answer, Location at);
  /// Makes the guard of what C++ has seen of a value, of this Record or one around it, once.
  void note(const detail::Value &value, const Array &seen, const Array &elements, Location at);
  bool hasNoted(const detail::Value &value, Dtype dtype);

  TraceBody body_;
  std::vector<std::string> paths_;
  std::unordered_map<ValueId, std::string> statePaths_;
  std::vector<ValueId> hidden_;
  std::vector<Array> captures_;
  std::vector<Array> known_;
  /// What has been computed of its values, and whether an input or a state is behind it.
  struct Computed {
    Array elements;
    bool varies;
  };
  mutable std::unordered_map<ValueId, Computed> computed_;
  /// Those of them that are large, and may go.
  mutable std::deque<ValueId> kept_;
  mutable size_t keptBytes_ = 0;
  /// By owner and number.
  std::set<std::tuple<uint64_t, ValueId, Dtype>> noted_;
  std::unordered_map<std::string, unsigned> answersAt_;
  std::string askedTooOften_;
  bool isNoPart_ = false, mayAsk_ = false, dependsOnAround_ = false, hasRefusedAnswer_ = false, isLookedAt_ = false;
  std::string whyOnce_;
  Exploration *exploration_ = nullptr;
  Record *const around_;
  /// So many ops are settled.
  mutable size_t settled_ = 0;
  mutable bool hasSettled_ = false, hasEnded_ = false, hasThrown_ = false, hasRefusedToSettle_ = false;
  mutable std::exception_ptr failed_;
  std::string refusedAt_;
  bool maySettle_ = true;
  Asked asked_;
  std::vector<RecordedCall> calls_;
  std::optional<Asked> next_;
  Happened *happened_ = nullptr;
  std::vector<std::pair<ValueId, Array>> happenedInputs_;
  std::vector<std::shared_ptr<const HostFunction>> hosts_;
  std::unordered_map<const detail::Value *, ValueId> captured_;
  struct Place {
    const char *file;
    uint64_t position, scopes;
    bool operator==(const Place &) const = default;
  };
  struct PlaceHash {
    size_t operator()(const Place &place) const {
      return (reinterpret_cast<size_t>(place.file) ^ place.position * 0x9e3779b97f4a7c15u) + place.scopes;
    }
  };
  std::unordered_map<Place, uint32_t, PlaceHash> places_;
  Place lastPlace_{nullptr, 0, 0};
  uint32_t lastLocation_ = 0;
};

/// While it lives, the next call that `record` takes, if it is not null, asks that.
class ExpectedCall {
public:
  ExpectedCall(Record *record, const std::optional<Asked> &asked) : record_(record) {
    if (record_)
      record_->expectCall(asked);
  }
  ~ExpectedCall() {
    if (record_)
      record_->expectCall({});
  }
  ExpectedCall(const ExpectedCall &) = delete;

private:
  Record *record_;
};

/// Records `function` on inputs of these types in a Record of its own.
template <class F>
Record::Result recordFunction(std::string name, std::span<const Type> inputs, F &&function) {
  Record record(std::move(name));
  ActiveInterpreter active(record);
  std::vector<Array> arguments;
  for (const Type &type : inputs)
    arguments.push_back(record.input(type));
  std::vector<Array> outputs = function(std::span<const Array>(arguments));
  return record.finish(outputs);
}

} // namespace tenon

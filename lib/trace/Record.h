//===- Record.h - recording a function into a trace ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/CapturedHandles.h"
#include "lib/trace/Guard.h"
#include "lib/trace/Tapes.h"

#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace tenon {
namespace detail {
class StateScope;
}

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
  /// The same for a value that depends on constants alone; nothing is computed for others.
  std::optional<Array> constant(const detail::Value *value) const;
  /// It records a function of the user's, which later calls find again: what was active before is in no key.
  /// `frame`: the stack frame that runs the trace. Handles in frames that it calls end with the trace, so they are not
  /// watched.
  void setFunction(const void *frame) {
    isFunction_ = true;
    frame_ = frame;
    handles_ = std::make_shared<detail::CapturedHandles>();
  }
  /// Makes the traces of user functions in progress on this thread watch `handle`, which holds the buffer `value`.
  static void watchHandle(const Array *handle, detail::Value *value, Location at);
  const std::shared_ptr<detail::CapturedHandles> &handles() const { return handles_; }
  /// Values of the trace that are still referenced after it: their number, and a description of the first.
  struct Leaks {
    size_t count = 0;
    std::string first;
  };
  Leaks leaks() const;
  /// The id of the innermost one that does, or is recorded around; 0: none.
  static uint64_t innermostFunction();

  /// What it records may become a part of what is recorded around, as `scope` then does: where C++ asks in it, or it
  /// calls the host. What was recorded by then is recorded there, and all else from there on; its values stand for
  /// those there. So guards, and what happens while it is recorded, are the outermost function's alone, in the order
  /// in which C++ comes to them. The inputs stand for values of their types.
  void mayBecomePart(detail::StateScope &scope) { scope_ = &scope; }
  bool isPart() const { return isPart_; }
  /// It cannot: what it asks is answered, and nothing of it happens; the function has to be called as plain C++.
  void standAlone() {
    scope_ = nullptr;
    standsAlone_ = true;
    maySettle_ = false;
  }
  bool standsAlone() const { return standsAlone_; }
  /// A tape stands in it, or in one around it, under which a function within had to: others are not recorded first.
  bool wantsPlainCalls() const {
    return (hadOneAlone_ && tapesStandAbove(*this)) || (around_ && around_->wantsPlainCalls());
  }
  /// Records all that it has recorded around.
  void recordAround();
  /// It, or the one around that it is a part of.
  Record *whole() { return isPart_ ? around_->whole() : this; }
  const Record *whole() const { return isPart_ ? around_->whole() : this; }
  detail::Value *below(const detail::Value *value) const override {
    return isPart_ ? valuesAround_[value->number].value() : nullptr;
  }

  /// From here on C++ may ask its values for their elements, as what is recorded depends on the answers.
  void allowAsking() { mayAsk_ = true; }
  bool mayAsk() const { return mayAsk_; }
  /// The same, where the inputs have no elements.
  void explore(Exploration &exploration) {
    mayAsk_ = true;
    exploration_ = &exploration;
  }
  Exploration *exploration() const { return exploration_; }
  /// What it records depends on an answer that a Record around it has the guard of.
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
  /// The first of what is recorded here has happened.
  void resume(Happened &happened) { happened_ = &happened; }
  /// Takes what has happened out of what is recorded until now, the results aside.
  void skipHappened() {
    if (happened_ && !happened_->effects.empty())
      settle(body_.ops.size(), true);
  }
  /// Some of it has happened while it was recorded, as what calls the host does: this serves one call, and does the
  /// rest.
  bool hasSettled() const { return hasSettled_; }
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
  /// Guards so far.
  uint32_t guardCount() const { return guards_; }
  /// Whether something calls the host that is recorded since so many guards.
  bool hasCalledHostSince(uint32_t guards) const { return hostCalledAfter_ > guards; }
  /// A Variable is read that something which calls the host may have assigned: that happens before. Later calls read it
  /// there, too, so that a guard which always holds marks the place, if no question does. False: it cannot.
  bool beforeRead();
  bool isWithin() const { return around_; }
  /// Of this Record and those around it, the innermost one that is asked, and has the guards; null: none.
  Record *askable() { return isAsked() ? this : around_ ? around_->askable() : nullptr; }
  /// Of a call that goes on, what it has found in that Cell behind so many guards; null: it has not looked.
  const Happened::State *stateBefore(const void *cell, uint32_t guards) const {
    const auto state = happened_ ? happened_->states.find({cell, guards}) : decltype(happened_->states.end())();
    return happened_ && state != happened_->states.end() ? &state->second : nullptr;
  }
  /// Functions of the process that ops call, or have called.
  const std::vector<std::shared_ptr<const HostFunction>> &hosts() const { return hosts_; }
  /// What it has recorded until now, all of it.
  const TraceBody &body() const { return body_; }
  /// Where C++ has asked `mostAnswers` times at one place of one path: the answers after that are no guards.
  const std::string &askedTooOften() const { return askedTooOften_; }
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
  /// Lets happen, once and in order, what of the first `count` ops is seen from outside or may end the call. False
  /// where it cannot be computed. `isKnown`: no more than has happened already.
  bool settle(size_t count, bool isKnown = false) const;
  /// Whether that may be.
  bool maySettle() const { return maySettle_ && isAsked() && !exploration_; }
  /// Its results are what was given when it happened.
  void takeHappened(const TraceOp &op) const;
  /// What has been computed of it stays.
  void keepForGood(ValueId value) const;
  /// What has happened, taken out of what is recorded: its results are captured.
  void dropSettled();
  /// See mayBecomePart.
  void becomePart();
  /// Not what it is a part of: that is.
  bool isAsked() const { return mayAsk_ && !scope_; }
  std::span<const ValueId> operands(const TraceOp &op) const {
    return std::span(body_.operands).subspan(op.operands, op.operandCount);
  }
  /// The one element of `value`, of this Record or one around it, as C++ sees it as `dtype`: a value of rank 0.
  Array seenAs(detail::Value *value, Dtype dtype, Location at);
  /// Where C++ asks for one of its values: the innermost Record that is asked. Those within have become parts. Null
  /// where the value's own is not one of those around what runs.
  Record *asking();
  /// The next answer of an exploration.
  Array explored(detail::Value *value, Dtype dtype, const char *what, Location at);
  /// The guard itself.
  void guard(const Array &seen, int64_t answer, Location at);
  /// Makes the guard of what C++ has seen of a value, of this Record or one around it, once.
  void note(const detail::Value &value, const Array &seen, const Array &elements, Location at);

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
  /// Returns a new value of the trace; that of a user's function is kept in `ownValues_`.
  Array newValue(Array value);

  bool isFunction_ = false, mayAsk_ = false, dependsOnAround_ = false, hasRefusedAnswer_ = false, isLookedAt_ = false;
  /// Where it may become a part, or is one.
  detail::StateScope *scope_ = nullptr;
  bool isPart_ = false, standsAlone_ = false, hadOneAlone_ = false;
  /// By its values, what they stand for.
  std::vector<Array> valuesAround_;
  Exploration *exploration_ = nullptr;
  Record *const around_;
  /// So many ops are settled.
  mutable size_t settled_ = 0;
  mutable bool hasSettled_ = false, hasThrown_ = false, hasRefusedToSettle_ = false;
  mutable std::exception_ptr failed_;
  std::string refusedAt_;
  bool maySettle_ = true;
  uint32_t guards_ = 0;
  /// One more than the guards before the last op that calls the host; 0: there is none.
  uint32_t hostCalledAfter_ = 0;
  Happened *happened_ = nullptr;
  std::vector<std::shared_ptr<const HostFunction>> hosts_;
  std::unordered_map<const detail::Value *, ValueId> captured_;
  const void *frame_ = nullptr;
  std::shared_ptr<detail::CapturedHandles> handles_;
  /// In the trace of a user's function: its values in order, without most of those that nothing else references, so
  /// that leaks() can name the first one that outlives the trace.
  std::vector<Array> ownValues_;
  size_t sweepAt_ = 512;
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

/// The elements of a value: of a buffer, of what is differentiated above one, or of a Record that can evaluate it.
std::optional<Array> elementsOf(detail::Value *value);
/// The same where they are the same in every call: not of what depends on a recorded function's inputs or Variables.
std::optional<Array> constantElements(detail::Value *value);
/// A value as it is known where a function is recorded that its own is a part of.
Array ofWhole(const Array &x);

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

//===- Run.cpp - a call of a jitted function ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/Statistics.h"
#include "lib/base/Stopwatch.h"
#include "lib/jit/CallState.h"
#include "lib/jit/Core.h"
#include "lib/jit/Stitch.h"
#include "lib/program/Log.h"
#include "lib/trace/Symbols.h"
#include "lib/trace/Tapes.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>

using namespace tenon;
using namespace tenon::detail;

bool JitCore::mayWrite(const JitState &state, const JitCall &call) const {
  try {
    expectWritable(state, call, name_);
    return true;
  } catch (const Error &) {
    return false;
  }
}

Program &JitCore::programOf(JitEntry &entry, JitProgram &of, Compile compile) {
  if (__atomic_load_n(&of.hasProgram, __ATOMIC_ACQUIRE)) [[likely]]
    return *of.program;
  if (compile == Compile::background)
    return programMeanwhile(entry, of);
  const uint64_t before = counters().compilations;
  const Stopwatch watch;
  const ProgramRef program = tenon::programOf(of.trace, compile);
  countCompilations(entry, counters().compilations - before, watch.nanoseconds());
  cache_.setProgram(entry, of, program);
  return *of.program;
}

void JitCore::countCompilations(JitEntry &entry, uint64_t compilations, uint64_t time) {
  compiles_ += compilations;
  times_.compiling += time;
  entry.times.compiling += time;
}

Program &JitCore::programMeanwhile(JitEntry &entry, JitProgram &of) {
  if (!__atomic_load_n(&of.hasMeanwhile, __ATOMIC_ACQUIRE))
    cache_.setMeanwhile(of, tenon::programOf(of.trace, Compile::never));
  const PendingProgram &pending = *of.pending;
  if (!pending.isReady())
    return *of.meanwhile;
  if (cache_.setProgram(entry, of, pending.program()))
    countCompilations(entry, pending.compilations(), pending.nanoseconds());
  return *pending.program();
}

Program &JitCore::programFor(JitEntry &entry, JitPath &path, JitCall &call) {
  if (!__atomic_load_n(&path.hasProgram, __ATOMIC_ACQUIRE))
    call.hold(); // the user's log is told
  Program &program = programOf(entry, path, compileOf(path));
  call.letGo();
  return program;
}

/// Where a path refuses sizes: it is another one's call if an answer is another one before that.
static void expectAnswersOf(const JitPath &path, std::span<const Array> inputs) {
  std::vector<Array> known;
  for (const Array &input : inputs)
    known.push_back(Array::share(withoutDerivatives(input.value())));
  if (path.recorded.inputs.size() == known.size() &&
      std::ranges::all_of(known, [](const Array &x) { return x.value()->isBuffer(); }))
    expectAnswers(path.recorded, known);
}

namespace {
/// One program for both sides of a question refuses sizes, for the sake of a side that may not be the call's.
struct SidesRefused {};
} // namespace

/// Whether a result may take the buffer of what a call updates. Where that is small, and stands in one block with its
/// handle, a new one costs less than to count who holds the old one.
static bool mayReuse(const JitCall &call, const Write &write) {
  const Value *const value = call.values[write.leaf];
  return call.leaves[write.leaf].isMutable() && value->isBuffer() && value->ownedBytes;
}

inline void JitCore::runNow(JitEntry &entry, JitPath &path, JitCall &call, std::span<const Array> inputs,
                            Program::Donors &donors, InlineVector<Array, 4> &outputs) {
  const bool isThere = __atomic_load_n(&path.hasProgram, __ATOMIC_ACQUIRE) && call.held.empty();
  Program &program = isThere ? *path.program : programFor(entry, path, call);
  const bool isForAllSizes = entry.symbols && !path.isOnce();
  if (isForAllSizes && !program.isCompiled() && (!path.pending || path.pending->isReady()))
    throw SizesRefused{"it does not compile"};
  auto giveUp = [&](size_t leaf) {
    if (leaf < donors.size() && !path.kept[leaf] && call.leaves[leaf].array->value() == call.values[leaf])
      donors.set(leaf);
  };
  // What the host is called with, or looks at, stays as it is.
  if (!path.trace->callsHost()) {
    for (size_t i = 0; call.hasRvalue && i < call.leaves.size(); ++i)
      if (call.leaves[i].isRvalue())
        giveUp(i);
    for (const Write &write : path.state.writes)
      if (mayReuse(call, write))
        giveUp(write.leaf);
  }
  const bool areAsTraced = call.areDense && !entry.signature.hasSymbols() && path.state.variables.empty() &&
                           std::ranges::all_of(path.state.reads, [](const Array &x) { return x.value()->isDense(); });
  timed(entry, call.number, [&] {
    try {
      program.run(inputs, donors, {}, outputs, areAsTraced);
    } catch (const GuardFailed &) {
      throw;
    } catch (const Error &error) {
      // What has not begun to run may run at its sizes, or in another way.
      if (!entry.signature.hasSymbols() || program.accepts(inputs))
        throw;
      if (isForAllSizes)
        throw SizesRefused{error.message()};
      if (path.side)
        throw SidesRefused();
      expectAnswersOf(path, inputs);
      throw;
    }
  });
}

/// Whether the call is an op: an interpreter owns an operand, or a tape that records knows one.
static bool isBound(std::span<const Array> inputs) {
  if (onlyEager() && !tapesStand())
    return false;
  if (innermostRecord())
    return true;
  InlineVector<Value *, 16> operands;
  for (const Array &input : inputs) {
    if (!input.value()->isBuffer())
      return true;
    operands.push_back(input.value());
  }
  return tapesStand() && tapesTrack({operands.begin(), operands.size()});
}

/// As handles that nobody counts.
static std::span<Array> arraysOf(std::span<Value *> values) {
  static_assert(sizeof(Array) == sizeof(Value *) && std::is_standard_layout_v<Array>);
  return {reinterpret_cast<Array *>(values.data()), values.size()};
}

bool JitCore::runsAlone(const JitCall &call) { return onlyEager() && !tapesStand() && !call.hasTraced; }

JitResult JitCore::run(EntryRef entry, JitCall &call) {
  JitPath &path = entry->path();
  // What calls the host does so while the function around is recorded: it becomes a part of that one.
  const bool isAround = mayBecomePart();
  if (isAround &&
      static_cast<const Record *>(innermostRecord())->wantsPlainCalls()) // kept or not, or recordings differ
    refuseWithin(call.at);
  if (path.guards.empty() && entry->paths().size() == 1 && !(isAround && path.trace->callsHost())) {
    noteStraight(*entry, path, call);
    return runPath(std::move(entry), path, call);
  }
  if (isAround && entry->symbols) { // a part has the sizes that there are
    call.recorded = nullptr;
    call.now = {};
    call.number = 0;
    return run(find(call, true), call);
  }
  return runGuarded(std::move(entry), call);
}

bool JitCore::runStraight(std::span<const JitArgument> arguments, const Location &at, NotStraight &known,
                          JitResult &result) {
  constexpr size_t most = 16;
  if (!cache_.isFrontStraight() || !onlyEager() || tapesStand() || arguments.size() > most)
    return false;
  known.taken = cache_.takeFront(known.number);
  JitEntry *const entry = known.taken ? &*known.taken : nullptr;
  JitPath *const path = entry ? entry->straight.load(std::memory_order_acquire) : nullptr;
  Value *values[most];
  if (!path || !entry->signature.matchesDense(arguments, values))
    return false;
  auto run = [&] {
    placed([&] { return place(at); },
           [&] {
             Program::Donors none;
             timed(*entry, known.number,
                   [&] { path->program->run(arraysOf({values, arguments.size()}), none, {}, result.leaves, true); });
           });
  };
  if (path->guards.empty()) {
    run();
  } else {
    const GuardCount count;
    try {
      run();
    } catch (const GuardFailed &failed) {
      known.tried = path;
      known.failed.emplace(failed);
      result.leaves.clear(); // the other path's results may have no room beside them
      return false;
    }
    __atomic_fetch_add(&path->calls, 1, __ATOMIC_RELAXED);
  }
  result.prototype = path->prototype->get();
  result.entry = known.taken.detach();
  return true;
}

JitResult JitCore::runPlainly(JitCall &call, const NeedsPlainCall &why) {
  retraces_.refused(why.message());
  call.hold();
  std::vector<Array> inputs;
  for (Value *value : call.values)
    inputs.push_back(Array::share(value));
  JitTraced traced;
  StateJournal updates;
  try {
    call.trace(inputs, traced);
    expectUpdates(call, traced, name_);
  } catch (...) {
    updates.undo();
    throw;
  }
  return resultOf(call, std::move(traced));
}

JitResult JitCore::resultOf(const JitCall &call, JitTraced traced) {
  auto path = std::make_unique<JitPath>();
  path->prototype = std::make_shared<const OwnedTree>(std::move(traced.prototype));
  JitResult result;
  result.prototype = path->prototype->get();
  for (Array &each : traced.results)
    result.leaves.push_back(std::move(each));
  for (size_t i = 0; i < call.leaves.size(); ++i)
    if (call.leaves[i].isMutable() && traced.leaves[i].value() != call.values[i])
      *call.leaves[i].array = std::move(traced.leaves[i]);
  EntryRef owner(new JitEntry);
  owner->add(std::move(path));
  result.entry = owner.detach();
  return result;
}

JitResult JitCore::runGuarded(EntryRef entry, JitCall &call) {
  // What is recorded has no elements to run on: it asks around, or not at all.
  if (innermostRecord()) {
    call.hold();
    call.at = place(call);
    const EntryRef owner = entryOf(*entry, std::make_unique<JitPath>(record(call, *entry)), call);
    ++traces_;
    return runPath(owner, owner->path(), call);
  }
  const bool isAlone = runsAlone(call);
  bool mayRunBoth = isAlone;
  auto bothOf = [&](JitPath *one) {
    JitPath *const both = mayRunBoth ? __atomic_load_n(&one->both, __ATOMIC_ACQUIRE) : one->side;
    return both && both->isAlive() ? both : one;
  };
  JitPath *path = bothOf(&entry->path());
  EntryRef owner = entry;
  Tried tried;
  for (;;) {
    std::optional<GuardFailed> failed;
    // Of a path that is not this call's it says nothing. And one in pieces is no op.
    if (path != call.recorded && (!mayWrite(path->state, call) || (path->isCut() && !isAlone))) {
      std::tie(owner, path) = recordOther(entry, call, {});
      call.recorded = path;
    }
    if (call.failed && path == call.tried) {
      failed.swap(call.failed);
    } else {
      const GuardCount count;
      const TapeReads reads;
      try {
        JitResult result = path->isCut() ? runPieces(owner, path, call) : runPath(owner, *path, call);
        owner->use(*path);
        if (isAlone && &*owner == &*entry)
          noteStraight(*entry, *path, call);
        __atomic_fetch_add(&path->calls, 1, __ATOMIC_RELAXED);
        if (isAlone && tried.paths.size() == 1 && path != call.recorded && &*owner == &*entry)
          noteChange(*entry, *tried.paths.front(), *path, call);
        return result;
      } catch (const GuardFailed &guard) {
        failed.emplace(guard);
        reads.forget();
      } catch (const SidesRefused &) {
        reads.forget();
        mayRunBoth = false;
        path = path->side;
        continue;
      }
    }
    // One that was recorded for this call may fail, too, where another thread has assigned a Variable since.
    if (tried.paths.size() == 4 * JitEntry::mostPaths)
      throw InternalError(name_ + ": no variant matches the call: " + failed->what(), call.at);
    const JitPath &last = *path;
    tried.paths.push_back(path);
    tried.owners.push_back(owner);
    tried.number = failed->number;
    tried.answer = failed->answer;
    path = nullptr;
    owner = entry;
    for (const auto &other : entry->paths())
      if (last.leadsTo(*other, failed->number, failed->answer) && other->isAlive() &&
          std::ranges::find(tried.paths, other.get()) == tried.paths.end())
        path = bothOf(other.get());
    if (!path) {
      std::tie(owner, path) = recordOther(entry, call, tried);
      call.recorded = path;
    }
  }
}

void JitCore::noteChange(JitEntry &entry, const JitPath &from, JitPath &to, const JitCall &call) {
  constexpr uint64_t within = 64;
  constexpr uint32_t enough = 4;
  const size_t guards = to.guards.size();
  if (guards == 0 || entry.isFull() || from.guards.size() != guards || !from.answersAlike(to, guards - 1) ||
      from.isCut() || to.isCut() || to.guards.back().dtype != Dtype::bool_ ||
      __atomic_load_n(&from.both, __ATOMIC_ACQUIRE) || __atomic_load_n(&to.both, __ATOMIC_ACQUIRE))
    return;
  const auto first = std::ranges::find(entry.paths(), &from, [](const auto &path) { return path.get(); });
  if (first == entry.paths().end())
    return;
  // Of the two, the one that counts; threads may count less.
  JitPath &counted = to.guards.back().answer ? to : **first;
  if (call.number > __atomic_load_n(&counted.changesSince, __ATOMIC_RELAXED) + within) {
    __atomic_store_n(&counted.changesSince, call.number, __ATOMIC_RELAXED);
    __atomic_store_n(&counted.changes, 0, __ATOMIC_RELAXED);
  }
  if (__atomic_add_fetch(&counted.changes, 1, __ATOMIC_RELAXED) != enough)
    return;
  std::unique_ptr<JitPath> both = stitched(**first, to, call.leaves.size());
  if (!both) { // nor will they be
    __atomic_store_n(&counted.changesSince, UINT64_MAX / 2, __ATOMIC_RELAXED);
    return;
  }
  if (logs(LogTopic::guard))
    retraces_.say(LogTopic::guard, "runs both answers as one merged program from now on, for the C++ branch at " +
                                       to.guards.back().place);
  cache_.addStitched(entry, **first, to, std::move(both));
}

EntryRef JitCore::entryOf(const JitEntry &entry, std::unique_ptr<JitPath> path, const JitCall &call) const {
  EntryRef fresh(new JitEntry);
  fresh->hash = entry.hash;
  fresh->maxPaths = entry.maxPaths;
  fresh->signature = entry.signature;
  fresh->symbols = entry.symbols;
  fresh->leafPaths = entry.leafPaths;
  fresh->isApart = entry.isApart;
  fresh->tracedAt = placeText(call.at);
  fresh->add(std::move(path));
  fresh->bytes = sizeof(JitEntry) + fresh->path().bytes();
  return fresh;
}

std::pair<EntryRef, JitPath *> JitCore::recordOther(EntryRef &entry, JitCall &call, const Tried &tried,
                                                    const Happened *happened) {
  const JitPath *const failed = tried.paths.empty() ? nullptr : tried.paths.back();
  const uint32_t number = tried.number;
  call.hold();
  call.at = place(call);
  expectRoom(call, [&] {
    return failed ? "the C++ branch at " + failed->guards[number].place + " has another answer" : std::string();
  });
  std::unique_ptr<JitPath> path;
  auto isAlike = [&] {
    return !failed || (number < failed->guards.size() && path->answersAlike(*failed, number) &&
                       asksAlike(failed->recorded, path->recorded, number));
  };
  if (happened) {
    Happened left = *happened;
    path = std::make_unique<JitPath>(record(call, *entry, nullptr, &left));
    if (left.isOther || (failed && !path->answersAlike(*failed, number)))
      path = nullptr; // it does something else: all of that
  }
  if (!path)
    path = std::make_unique<JitPath>(record(call, *entry));
  const bool hasDead = std::ranges::any_of(entry->paths(), [](const auto &one) { return !one->isAlive(); });
  const bool isLike = isAlike() && !(entry->isFull() && hasDead);
  // What has happened by now of this call is no part of its path, but of that of later ones.
  std::unique_ptr<JitPath> later = std::move(path->later);
  const bool isCut = later != nullptr;
  ++traces_;
  if (!isLike) {
    // What the function does before it asks has changed, so that none of its paths is to be trusted; or the Variables
    // of some have ended.
    if (logs(LogTopic::retrace))
      retraces_.say(LogTopic::retrace, "traced again: its C++ branches have changed");
    cache_.forget(*entry);
    const EntryRef old = entry;
    const EntryRef fresh = entryOf(*entry, std::move(path), call);
    entry = later ? entryOf(*old, std::move(later), call) : fresh;
    if (cache_.keep(entry, call))
      ++distinct_;
    if (entry->path().isReusable())
      cache_.replace(*old, entry, call);
    return {fresh, &fresh->path()};
  }
  if (failed && logs(LogTopic::guard))
    retraces_.say(LogTopic::guard, "traced again: the C++ branch at " + failed->guards[number].place +
                                       " has the answer " + answerText(failed->guards[number], tried.answer) +
                                       ", not " + answerText(failed->guards[number], failed->guards[number].answer));
  bool isRefused = false;
  auto isOpen = [&](const JitPath &other) { return std::ranges::find(tried.paths, &other) == tried.paths.end(); };
  std::unique_ptr<JitPath> &toKeep = later ? later : path;
  const JitPath *const recorded = toKeep.get();
  JitPath *const kept = cache_.addPath(*entry, toKeep, isRefused, isOpen);
  distinct_ += !kept || kept == recorded;
  if (kept && isCut && !call.isLookedAt) // this call is one of its calls, and ends on a path of its own
    __atomic_fetch_add(&kept->calls, 1, __ATOMIC_RELAXED);
  if (kept && !isCut)
    return {entry, kept};
  const Guard *const asked = failed ? &failed->guards[number] : path->guards.empty() ? nullptr : &path->guards.back();
  if (isRefused)
    path->refused = "a branch has different answers in the compiled program and in its interpretation";
  else if (!kept && entry->isFull() && (isCut || path->refused.empty()) && asked)
    path->refused =
        asked->place + " has had new answers in more than " + std::to_string(entry->maxPaths) + " calls; " +
        (asked->dtype == Dtype::bool_ ? "if the function has only a few more variants, raise max_variants; else use "
                                      : "compare the array (if (x < 3), not if (float(x) < 3)), or use ") +
        "tn::cond or tn::while_loop";
  if (!kept && !path->refused.empty())
    retraces_.refused(path->refused);
  const EntryRef alone = entryOf(*entry, std::move(path), call);
  return {alone, &alone->path()};
}

/// An op's body has the sizes of its operands.
static TraceRef bodyFor(const JitEntry &entry, const JitPath &path, std::span<const Type> types) {
  try {
    TraceRef body = instantiate(*path.trace, types);
    return body ? body : path.trace;
  } catch (const Error &error) {
    if (entry.symbols)
      throw SizesRefused{error.message()};
    throw;
  }
}

namespace {
/// The arrays that a path runs on. A handle of the caller's that stays as it is while the path runs lends its array,
/// and so does a path what it has captured: to count 200 of them, and back, takes longer than a small program.
class CallInputs {
public:
  /// `areCounted`: C++ runs before the end, which may assign the caller's handles, or one of them is given away.
  CallInputs(JitCall &call, const JitState &state, bool areCounted)
      : call_(call), areCounted_(areCounted), areReadsCounted_(areCounted || !state.variables.empty()) {
    if (areCounted)
      std::ranges::for_each(call.values, retain);
    if (state.reads.empty())
      return;
    values_.reserve(call.values.size() + state.reads.size());
    for (Value *value : call.values)
      values_.push_back(value);
    for (const Array &read : state.reads) {
      if (areReadsCounted_)
        retain(read.value());
      values_.push_back(read.value());
    }
  }
  CallInputs(const CallInputs &) = delete;
  ~CallInputs() {
    if (areCounted_)
      std::ranges::for_each(call_.values, release);
    if (areReadsCounted_)
      for (Array &read : reads())
        read.~Array();
  }

  std::span<const Array> all() { return arrays(); }
  /// Those that are no leaves.
  std::span<Array> reads() { return arrays().subspan(call_.leaves.size()); }

private:
  std::span<Array> arrays() {
    InlineVector<Value *, 16> &values = values_.empty() ? call_.values : values_;
    return arraysOf({values.begin(), values.size()});
  }

  JitCall &call_;
  const bool areCounted_, areReadsCounted_;
  /// Where there are reads, too.
  InlineVector<Value *, 16> values_;
};
} // namespace

void JitCore::reportStale(const JitPath &path, JitCall &call) {
  const Captures captures = capturesMode();
  const Location at = place(call);
  call.hold(); // the user's log is told
  for (const auto &handles : path.handles) {
    const std::string what = handles->staleText(captures != Captures::error);
    if (what.empty() || captures == Captures::silent)
      continue;
    const std::string text =
        "uses an old value: " + what +
        " was assigned after the function was traced. jit reads captured arrays only while it traces; "
        "pass the array as an argument, or make it a Variable";
    if (captures == Captures::error)
      throw Error(name_ + ": " + text, at);
    retraces_.say(LogTopic::warning, text + (at.known() ? " (called at " + placeText(at) + ")" : ""));
  }
  call.letGo();
}

JitResult JitCore::runPath(EntryRef held, JitPath &path, JitCall &call) {
  JitEntry &entry = *held;
  const JitState &state = path.state;
  const RecordedNow now = std::exchange(call.now, {});
  if (path.isStale()) [[unlikely]]
    reportStale(path, call);
  if (path.readsAssigned && tapesRecord())
    refuseOnTape(call.at);
  if (path.readsAssigned)
    StateScope::noteReadOfAssigned();
  if (!state.writes.empty())
    expectWritable(state, call, name_);
  std::unique_ptr<CallState> variables;
  if (!state.variables.empty())
    variables = std::make_unique<CallState>(state, place(call));
  if (call.hasTraced)
    for (const Value *value : call.values)
      expectInUse(name_, value, call.at);
  const bool mayReuseUpdated =
      std::ranges::any_of(state.writes, [&](const Write &write) { return mayReuse(call, write); });
  CallInputs taken(call, state,
                   call.hasRvalue || mayReuseUpdated || path.trace->hasEffect() || path.trace->callsHost() ||
                       !onlyEager() || tapesStand());
  const std::span<const Array> inputs = taken.all();
  Program::Donors reused;
  if (variables)
    variables->read(taken.reads(), call.leaves.size(), onlyEager() && !tapesStand() && !path.trace->callsHost(),
                    now.asRead, reused);
  // A donor may be written to from here on: nothing below the run throws.
  JitResult result;
  InlineVector<Array, 4> outputs, written;
  result.leaves.reserve(path.results.size());
  written.reserve(state.writes.size());
  if (path.trace->outputs().empty() && !path.trace->hasEffect()) {
  } else if (!isBound(inputs)) {
    runNow(entry, path, call, inputs, reused, outputs);
  } else {
    for (const auto &handles : path.handles)
      handles->watchAround();
    for (const JitLeaf &leaf : call.leaves)
      noteOperand(leaf.array, call.at);
    InlineVector<Value *, 16> operands;
    std::vector<Type> types;
    for (const Array &input : inputs) {
      operands.push_back(input.value());
      types.push_back(typeOf(input.value()));
    }
    try {
      const TraceRef body = bodyFor(entry, path, types);
      for (Array &array : bindInferred(OpCode::call, operands, {}, std::span(&body, 1), place(call),
                                       compileOf(path) == Compile::never))
        outputs.push_back(std::move(array));
    } catch (const GuardFailed &) {
      throw;
    } catch (const Error &) { // of the sizes, or of a transformation: of a path that is not the call's, maybe
      if (!innermostRecord())
        expectAnswersOf(path, inputs);
      throw;
    }
  }
  auto take = [&](const Origin &origin) -> Array {
    switch (origin.kind) {
    case Origin::output:
      return origin.isLast ? std::move(outputs[origin.index]) : outputs[origin.index];
    case Origin::input:
      return inputs[origin.index];
    case Origin::variable:
      return variables->value(origin.index);
    case Origin::constant:
      return origin.array;
    }
    __builtin_unreachable();
  };
  result.prototype = path.prototype ? path.prototype->get() : nullptr;
  for (const Origin &origin : path.results)
    result.leaves.push_back(take(origin));
  for (const Write &write : state.writes)
    written.push_back(call.leaves[write.leaf].isMutable() ? take(write.origin) : Array());
  if (variables)
    variables->commit(take);
  for (size_t i = 0; i < state.writes.size(); ++i)
    if (call.leaves[state.writes[i].leaf].isMutable())
      *call.leaves[state.writes[i].leaf].array = std::move(written[i]);
  for (size_t i = 0; call.hasRvalue && i < std::min(call.leaves.size(), reused.size()); ++i)
    if (reused[i] && call.leaves[i].isRvalue())
      *call.leaves[i].array = Array();
  result.entry = held.detach();
  return result;
}

ProgramCost JitCore::costOf(JitEntry &entry) {
  JitPath &path = entry.path();
  auto cost = [&](JitProgram &of) {
    programOf(entry, of, compileOf(path));
    if (of.pending)
      of.pending->wait();
    ProgramCost cost = programOf(entry, of, compileOf(path)).cost(*of.trace);
    cost.ops = of.trace->ops().size();
    return cost;
  };
  return cost(path);
}

//===- Core.h - a jitted function without its type --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/CallSite.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/Stopwatch.h"
#include "lib/jit/AutoSymbols.h"
#include "lib/jit/EntryCache.h"
#include "lib/jit/Retraces.h"
#include "lib/program/Program.h"

#include <string>
#include <utility>

namespace tenon::detail {

/// What a jitted function is beside the C++ function: its cache, and how a call is run.
class JitCore {
public:
  JitCore(JitOptions options, Location at);

  // Errors that know no line of their own get the call's.
  JitResult call(JitCall &call, EntryRef taken = {}) {
    return placed([&] { return place(call); },
                  [&] {
                    try {
                      EntryRef entry = find(call, false, std::move(taken));
                      return entry->symbols ? runSymbolic(entry, call) : run(std::move(entry), call);
                    } catch (const NeedsPlainCall &why) {
                      return runPlainly(call, why);
                    } catch (BecamePart &part) {
                      return resultOf(call, std::move(part.traced));
                    }
                  });
  }
  /// Of a call that is not straight, what is known of it by then.
  struct NotStraight {
    EntryRef taken;
    uint64_t number = 0;
    /// The path that it has tried, and why it is not its.
    const JitPath *tried = nullptr;
    std::optional<GuardFailed> failed;
  };
  /// Whether a call of these arguments was one of dense buffers, in handles that stay, that is no op of what stands
  /// around it, with the signature and the answers of the call before, whose path is straight: nearly all are. Then
  /// `result` is its.
  bool runStraight(std::span<const JitArgument> arguments, const Location &at, NotStraight &known, JitResult &result);
  Lowered lower(JitCall &call);
  /// The entry of a call, recorded if there is none yet: one without elements in all the ways that it may go.
  EntryRef concrete(JitCall &call);
  /// A call of that entry; an Error if it is another one's.
  JitResult callOf(const EntryRef &held, JitCall &call);
  /// An Error where a Variable that it uses has ended.
  void expectAlive(JitEntry &entry, Location at) const;
  /// Whether the call would find an entry, and if not, what differs.
  Explanation explain(const JitCall &call) const;

  uint32_t references = 1;
  JitStats stats() const;
  ConcreteStats statsOf(const JitEntry &entry) const;
  /// Of the path that was taken last.
  ProgramCost costOf(JitEntry &entry);
  const std::string &name() const { return name_; }
  std::span<const std::string> argumentNames() const { return options_.arguments; }
  /// Those that it keeps, the last used first.
  std::vector<EntryRef> entries() const { return cache_.recent(SIZE_MAX); }
  void clear() {
    cache_.clear();
    symbols_.clear();
    distinct_ = 0;
  }

private:
  /// `isExact`: one without symbols of its own.
  EntryRef find(JitCall &call, bool isExact, EntryRef taken = {});
  /// The same for who does not call: nothing is counted.
  EntryRef lookUp(JitCall &call);
  EntryRef trace(JitCall &call, bool isExact);
  /// Records what the entry of a call is missing, and keeps it.
  EntryRef recordEntry(EntryRef entry, JitCall &call);
  /// What of the sizes is to be tried as a symbol.
  AutoChoice chooseSymbols(const JitCall &call, const Signature &exact) const;
  EntryRef entryFor(const JitCall &call, const AutoChoice &symbols) const;
  /// Of an entry with symbols that nobody has asked for: where it cannot serve the call, another one does.
  JitResult runSymbolic(const EntryRef &entry, JitCall &call);
  void refuseSymbols(const JitCall &call, const AutoChoice &choice, const std::string &reason);
  /// Runs the function on what is recorded.
  JitPath record(JitCall &call, JitEntry &entry, Exploration *exploration = nullptr, Happened *happened = nullptr);
  /// One like `entry`, with that path alone.
  EntryRef entryOf(const JitEntry &entry, std::unique_ptr<JitPath> path, const JitCall &call) const;
  /// One in all the ways that the function may go.
  EntryRef explore(JitCall &call);
  /// An Error if a way through a function that is explored is not alike its others until it is told something else.
  void expectAlike(const JitEntry &entry, const JitPath &path, Location at) const;
  void expectValues(const JitCall &call) const;
  Signature signatureOf(const JitCall &call) const;
  EntryRef entryFor(const JitCall &call) const;
  JitResult run(EntryRef entry, JitCall &call);
  /// As C++, on what stands around it: arguments are updated when it has succeeded, Variables as it goes, and
  /// they are as they were where it throws.
  JitResult runPlainly(JitCall &call, const NeedsPlainCall &why);
  /// Of one that has run on what stands around it: what it has updated is assigned.
  static JitResult resultOf(const JitCall &call, JitTraced traced);
  /// By the path whose guards hold, which is recorded if there is none yet.
  JitResult runGuarded(EntryRef entry, JitCall &call);
  /// A call of an entry has taken that path.
  void noteStraight(JitEntry &entry, JitPath &path, const JitCall &call) {
    JitPath *const straight = path.isStraight && call.areArrays && !entry.signature.hasSymbols() &&
                                      __atomic_load_n(&path.hasProgram, __ATOMIC_ACQUIRE)
                                  ? &path
                                  : nullptr;
    if (entry.straight.load(std::memory_order_relaxed) != straight)
      cache_.setStraight(entry, straight);
  }
  JitResult runPath(EntryRef entry, JitPath &path, JitCall &call);
  /// Warns once, or throws an Error, that `path` uses a captured array that was assigned after the trace.
  void reportStale(const JitPath &path, JitCall &call);
  /// Warns once, or throws an Error, that traced values outlive the trace.
  void reportLeaks(const Record::Leaks &leaks, Location at);
  Captures capturesMode() const {
    return options_.captures == Captures::warn && isStrict() ? Captures::error : options_.captures;
  }
  /// Paths that are not the one a call takes: the last of them has failed at its guard `number`.
  struct Tried {
    std::vector<const JitPath *> paths;
    /// What keeps them.
    std::vector<EntryRef> owners;
    uint32_t number = 0;
    int64_t answer = 0;
  };
  /// The path that this call takes, found by recording it, in the entry that has it: `entry`, which is another one
  /// where no path of it holds any more, or one of its own where it serves this call only.
  /// `happened`: of this call, on the path that was tried last.
  std::pair<EntryRef, JitPath *> recordOther(EntryRef &entry, JitCall &call, const Tried &tried,
                                             const Happened *happened = nullptr);
  /// A call has failed on a path of the entry at its last guard and gone another one: taken often, they become one.
  void noteChange(JitEntry &entry, const JitPath &from, JitPath &to, const JitCall &call);
  /// A path in pieces. `path` is the one that the call has ended on.
  JitResult runPieces(EntryRef &entry, JitPath *&path, JitCall &call);
  /// Whether the function may become a part of one that is recorded around it.
  static bool mayBecomePart() {
    const auto *const around = static_cast<const Record *>(innermostRecord());
    return around && around->mayAsk();
  }
  /// Whether the call runs as it is, and is not an op of what stands around it.
  static bool runsAlone(const JitCall &call);
  /// The program of a path, or of a piece of one, made if it has none.
  Program &programOf(JitEntry &entry, JitProgram &of, Compile compile);
  /// The same where it is compiled in the background.
  Program &programMeanwhile(JitEntry &entry, JitProgram &of);
  void countCompilations(JitEntry &entry, uint64_t compilations, uint64_t time);
  /// `run`, whose time counts, as call `number` of the entry.
  template <class Run>
  void timed(JitEntry &entry, uint64_t number, const Run &run) {
    // So many calls of an entry are timed, and of the others one in so many: a look at the clock costs as much as a
    // small program's ops.
    constexpr uint64_t timedCalls = 64;
    const uint64_t stands = number <= timedCalls ? 1 : number % timedCalls == 0 ? timedCalls : 0;
    if (!stands) [[likely]]
      return run();
    const Stopwatch watch;
    run();
    const uint64_t time = watch.nanoseconds() * stands;
    times_.running += time;
    entry.times.running += time;
  }
  /// Of the leaves, those whose buffers were reused are `donors` afterwards.
  void runNow(JitEntry &entry, JitPath &path, JitCall &call, std::span<const Array> inputs, Program::Donors &donors,
              InlineVector<Array, 4> &outputs);
  /// The program of a path that a call runs, where it may have to be made.
  [[gnu::noinline]] Program &programFor(JitEntry &entry, JitPath &path, JitCall &call);
  bool mayWrite(const JitState &state, const JitCall &call) const;
  /// What runs once is not worth it.
  Compile compileOf(const JitPath &path) const { return path.isOnce() ? Compile::never : options_.compile; }
  /// The user's line of a call, asked for in errors and while tracing.
  [[gnu::cold, gnu::noinline]] Location place(const Location &at) const { return userLocation(callPlace(at, made_)); }
  Location place(const JitCall &call) const { return place(call.at); }
  /// An Error with `why` if it has been traced as often as it may be.
  template <class Why>
  void expectRoom(const JitCall &call, const Why &why) const {
    if (isFull())
      refuseTrace(call, why());
  }
  bool isFull() const { return options_.max_traces && distinct_ >= options_.max_traces; }
  [[noreturn]] void refuseTrace(const JitCall &call, const std::string &why) const;

  /// `use` of the specs of a call, some of which it may have brought itself.
  template <class Use>
  auto withSpecs(const JitCall &call, const Use &use) const {
    if (!call.isAbstract)
      return use(specs_);
    const Specs own(call.specs(options_.specs), name_, call.at);
    return use(own);
  }

  JitOptions options_;
  std::string name_;
  Specs specs_;
  Location made_;
  EntryCache cache_;
  AutoSymbols symbols_;
  Retraces retraces_;
  std::atomic<uint64_t> traces_ = 0, compiles_ = 0;
  /// Traces without those that another thread had made, since the caches were cleared.
  std::atomic<uint64_t> distinct_ = 0;
  JitTimes times_;
};

} // namespace tenon::detail

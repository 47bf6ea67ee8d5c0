//===- Jit.cpp - jitted functions ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Core.h"

#include "lib/base/DimExpr.h"
#include "lib/base/SizeWatch.h"
#include "lib/base/Statistics.h"
#include "lib/base/Stopwatch.h"
#include "lib/jit/Registry.h"
#include "lib/jit/Text.h"
#include "lib/trace/Context.h"

#include <algorithm>
#include <exception>
#include <memory>

using namespace tenon;
using namespace tenon::detail;

JitCore::JitCore(JitOptions options, Location at)
    : options_(std::move(options)), name_(options_.name.empty() ? "the jit of " + placeText(at) : options_.name),
      specs_(options_.specs, name_, at), made_(at), cache_(name_), symbols_(options_.dynamic_shapes), retraces_(name_) {
  if (options_.max_variants < 1 || options_.max_variants > JitEntry::mostPaths)
    throw Error(name_ + ": expected max_variants from 1 to " + std::to_string(JitEntry::mostPaths) + ", got " +
                    std::to_string(options_.max_variants),
                at);
}

JitStats JitCore::stats() const {
  return {.traces = traces_,
          .hits = cache_.hits(),
          .compiles = compiles_,
          .tracing = times_.tracing,
          .compiling = times_.compiling,
          .running = times_.running};
}

EntryRef JitCore::find(JitCall &call, bool isExact, EntryRef taken) {
  EntryRef entry = cache_.find(call, specs_, isExact, std::move(taken));
  if (entry && entry->path().isAlive())
    return entry;
  if (entry)
    cache_.forget(*entry);
  expectValues(call);
  entry = trace(call, isExact);
  const EntryRef kept = cache_.countFirst(entry, call);
  const JitPath &path = entry->path();
  for (const auto &like : kept->paths())
    if (&*kept != &*entry && like->guards.size() == path.guards.size() &&
        like->answersAlike(path, path.guards.size())) {
      __atomic_fetch_add(&like->calls, 1, __ATOMIC_RELAXED);
      break;
    }
  return entry;
}

EntryRef JitCore::lookUp(JitCall &call) {
  expectValues(call);
  EntryRef entry = cache_.peek(call, specs_, true);
  if (entry && entry->path().isAlive())
    return entry;
  const EntryRef made = trace(call, true);
  entry = cache_.newest(made);
  if (&*entry != &*made)
    call.recorded = &entry->path();
  return entry;
}

void JitCore::expectValues(const JitCall &call) const {
  if (!call.hasEmpty) [[likely]]
    return;
  for (size_t i = 0; i < call.leaves.size(); ++i)
    if (!call.values[i])
      throw Error(name_ + ": expected an array, got an empty Array (" + call.paths()[i] + ")");
}

Signature JitCore::signatureOf(const JitCall &call) const {
  return withSpecs(call, [&](const Specs &specs) { return Signature::make(call, specs.of(call), specs, name_); });
}

EntryRef JitCore::entryFor(const JitCall &call) const {
  EntryRef entry(new JitEntry);
  entry->hash = Signature::hash(call, specs_.of(call));
  entry->maxPaths = options_.max_variants;
  entry->signature = signatureOf(call);
  entry->leafPaths = call.paths();
  entry->tracedAt = placeText(call.at);
  return entry;
}

/// With symbols that nobody has asked for: an Error that is caught, too, says that they are in the way.
static JitPath recordTrial(const JitCall &call, const Signature &signature, const std::string &name) {
  const SizeWatch watch;
  std::string reason = "it throws";
  try {
    JitPath path = recordPath(call, signature, name, nullptr, true);
    if (!watch.hasNoted() && path.refused.empty())
      return path;
    reason = path.refused;
  } catch (const std::exception &error) {
    reason = error.what();
    reason.resize(std::min(reason.size(), reason.find('\n')));
  } catch (...) {
  }
  if (watch.hasNoted())
    reason = watch.text();
  if (const Location at = watch.place(); at.known())
    reason += " at " + placeText(at);
  throw SizesRefused{reason};
}

JitPath JitCore::record(JitCall &call, JitEntry &entry, Exploration *exploration, Happened *happened) {
  const Stopwatch watch;
  JitPath path = entry.symbols ? recordTrial(call, entry.signature, name_)
                               : recordPath(call, entry.signature, name_, exploration, false, happened);
  ++counters().traces;
  const uint64_t time = watch.nanoseconds();
  times_.tracing += time;
  entry.times.tracing += time;
  call.now = std::move(path.now);
  if (call.now.leaks.count) [[unlikely]]
    reportLeaks(call.now.leaks, place(call));
  return path;
}

void JitCore::reportLeaks(const Record::Leaks &leaks, Location at) {
  const Captures captures = capturesMode();
  if (captures == Captures::silent)
    return;
  const std::string text = "a traced value outlives the trace, where it has no elements: " + leaks.first +
                           andOthers(leaks.count - 1) +
                           ". The function stored it outside, as total += x does. Return the value, or use a Variable";
  if (captures == Captures::error)
    throw Error(name_ + ": " + text, at);
  retraces_.leaked(text);
}

EntryRef JitCore::trace(JitCall &call, bool isExact) {
  call.hold();
  call.at = place(call); // what is called inside gets it too
  EntryRef exact = entryFor(call);
  // A part of a function has the sizes that there are.
  const AutoChoice choice = isExact || mayBecomePart() ? AutoChoice() : chooseSymbols(call, exact->signature);
  if (!choice)
    return recordEntry(std::move(exact), call);
  try {
    EntryRef entry = recordEntry(entryFor(call, choice), call);
    symbols_.accept(exact->signature, entry->symbols);
    for (size_t i = choice.known; i < choice.groups.size() && logs(LogTopic::retrace); ++i)
      retraces_.say(LogTopic::retrace, AutoSymbols::text(call, choice.groups[i]) +
                                           " is the only size that changes from call to call, so it is symbolic from "
                                           "now on: one program for all sizes >= 2");
    return entry;
  } catch (const SizesRefused &refused) {
    // If that throws, too, it is the user's exception.
    EntryRef entry = recordEntry(std::move(exact), call);
    refuseSymbols(call, choice, refused.reason);
    return entry;
  }
}

AutoChoice JitCore::chooseSymbols(const JitCall &call, const Signature &exact) const {
  // What is interpreted gains nothing by a symbol.
  if (options_.compile == Compile::never)
    return {};
  constexpr size_t compared = 64;
  const std::vector<EntryRef> kept = cache_.recent(compared);
  std::vector<const Signature *> signatures;
  for (const EntryRef &entry : kept)
    signatures.push_back(&entry->signature);
  return symbols_.choose(call, exact, specs_.of(call), signatures);
}

EntryRef JitCore::entryFor(const JitCall &call, const AutoChoice &symbols) const {
  EntryRef entry = entryFor(call);
  entry->symbols = symbols;
  for (size_t i = symbols.known; i < symbols.groups.size(); ++i)
    entry->symbols.groups[i].symbol = freshSymbol();
  std::deque<TensorSpec> made;
  const LeafSpecs specs = AutoSymbols::specsOf(call, specs_.of(call), entry->symbols, made);
  entry->signature = Signature::make(call, specs, specs_, name_);
  entry->hash = Signature::hashOfAllSizes(call);
  return entry;
}

void JitCore::refuseSymbols(const JitCall &call, const AutoChoice &choice, const std::string &reason) {
  symbols_.refuse(call, choice, reason);
  if (logs(LogTopic::retrace))
    retraces_.say(LogTopic::retrace,
                  AutoSymbols::text(call, choice.groups.back()) +
                      " is the only size that changes from call to call, but it cannot be symbolic: " + reason);
}

JitResult JitCore::runSymbolic(const EntryRef &entry, JitCall &call) {
  try {
    return run(entry, call);
  } catch (const SizesRefused &refused) {
    call.recorded = nullptr;
    call.now = {};
    call.number = 0;
    JitResult result = run(find(call, true), call);
    cache_.forget(*entry);
    refuseSymbols(call, entry->symbols, refused.reason);
    return result;
  }
}

EntryRef JitCore::recordEntry(EntryRef entry, JitCall &call) {
  constexpr size_t compared = 16;
  const std::vector<EntryRef> recent = cache_.recent(compared);
  if (isFull())
    if (EntryRef other = cache_.peek(call, specs_, !entry->symbols); other && other->path().isAlive())
      return other; // another thread was faster
  auto note = [&] {
    expectRoom(call, [&] { return nearest(recent, entry->signature, call).difference; });
    retraces_.traced(call, entry->signature, recent);
  };
  const bool mayBePart = mayBecomePart(); // which is no trace of its own
  if (!mayBePart)
    note();
  auto path = std::make_unique<JitPath>(record(call, *entry));
  if (mayBePart)
    note();
  // What has happened by now of this call is no part of its path, but of that of later ones.
  std::unique_ptr<JitPath> later = std::move(path->later);
  entry->add(std::move(path));
  call.recorded = &entry->path();
  retraces_.recorded(later ? *later : entry->path());
  entry->bytes = sizeof(JitEntry) + entry->path().bytes();
  ++traces_;
  if (later) {
    const EntryRef others = entryOf(*entry, std::move(later), call);
    const bool isKept = cache_.keep(others, call);
    distinct_ += isKept;
    cache_.replace(*entry, others, call);
    if (isKept && !others->path().isCut()) // as where nothing has happened: after the first call it is compiled
      programOf(*others, others->path(), compileOf(others->path()));
  } else {
    distinct_ += cache_.keep(entry, call);
  }
  return entry;
}

void JitCore::refuseTrace(const JitCall &call, const std::string &why) const {
  throw Error(name_ + ": this call would exceed max_traces = " + std::to_string(options_.max_traces) + " have been" +
                  (why.empty() ? "" : ": " + why),
              call.at);
}

Lowered JitCore::lower(JitCall &call) {
  call.isLookedAt = true;
  return placed([&] { return place(call); },
                [&] {
                  EntryRef entry = call.isAbstract ? explore(call) : lookUp(call);
                  const JitPath &path = entry->path();
                  if (path.guards.empty() && entry->paths().size() == 1)
                    return path.whole();
                  if (call.isAbstract)
                    throw Error(name_ +
                                    ": expected arrays, whose elements say which way is lowered, got a spec, and C++ "
                                    "asks at " +
                                    path.guards.front().place,
                                place(call));
                  return (&path == call.recorded ? path : *recordOther(entry, call, {}).second).whole();
                });
}

EntryRef JitCore::concrete(JitCall &call) {
  call.isLookedAt = true;
  return placed([&] { return place(call); },
                [&] {
                  EntryRef entry = call.isAbstract ? explore(call) : lookUp(call);
                  // The first recording may have made what the function keeps.
                  if (std::ranges::any_of(entry->paths(), [](const auto &path) { return path->makesVariables; }))
                    entry = call.isAbstract ? explore(call) : lookUp(call);
                  for (const auto &path : entry->paths())
                    if (!path->isReusable())
                      throw Error(name_ +
                                      ": expected a function that can be held, got one whose recording serves one "
                                      "call: " +
                                      path->whyOnce(),
                                  place(call));
                  return entry;
                });
}

void JitCore::expectAlike(const JitEntry &entry, const JitPath &path, Location at) const {
  for (const auto &other : entry.paths()) {
    size_t alike = 0;
    while (alike < std::min(path.guards.size(), other->guards.size()) && path.answersAlike(*other, alike + 1))
      ++alike;
    if (alike == path.guards.size() || alike == other->guards.size() ||
        !asksAlike(path.recorded, other->recorded, alike))
      throw Error(
          name_ + ": the function behaved differently when traced twice without values; it depends on state that it "
                  "captures. Pass that state as arguments, or trace with arrays",
          at);
  }
}

EntryRef JitCore::explore(JitCall &call) {
  if (EntryRef kept = cache_.peek(call, specs_, true); kept && kept->path().isAlive())
    return kept;
  call.hold();
  call.at = place(call);
  EntryRef entry = entryFor(call);
  entry->bytes = sizeof(JitEntry);
  const LeafSpecs known = specs_.of(call);
  for (size_t i = 0; i < call.leaves.size(); ++i)
    entry->isApart |= !known[i] && !call.leaves[i].array->shape().is_static();
  std::exception_ptr thrown;
  std::vector<bool> answers;
  std::string asked;
  for (unsigned ways = 0;; ++ways) {
    if (ways == options_.max_variants)
      throw Error(name_ + ": traced without values, the function has more than " + std::to_string(ways) +
                      " variants because of the C++ branch at " + asked +
                      "; use tn::cond or tn::while_loop, or trace with arrays",
                  call.at);
    expectRoom(call, [&] { return nearest(cache_.recent(SIZE_MAX), entry->signature, call).difference; });
    Exploration way{answers};
    std::unique_ptr<JitPath> path;
    try {
      path = std::make_unique<JitPath>(record(call, *entry, &way));
    } catch (...) {
      // A way that ends in an exception is no program: its calls run the C++, which throws.
      if (way.refused)
        std::rethrow_exception(way.refused);
      thrown = std::current_exception();
    }
    if (path) {
      if (path->later)
        path = std::move(path->later);
      expectAlike(*entry, *path, call.at);
      ++traces_;
      ++distinct_;
      entry->bytes += path->bytes();
      entry->add(std::move(path));
    }
    // The next one differs in the last answer that was no.
    asked = way.places.empty() ? std::string() : way.places.back();
    answers = std::move(way.answers);
    answers.resize(way.places.size()); // what was recorded in vain may have asked for more
    while (!answers.empty() && answers.back())
      answers.pop_back();
    if (answers.empty())
      break;
    answers.back() = true;
  }
  if (entry->paths().empty())
    std::rethrow_exception(thrown);
  if (std::ranges::all_of(entry->paths(), [](const auto &path) { return path->isReusable(); }))
    cache_.keep(entry, call);
  return entry;
}

JitResult JitCore::callOf(const EntryRef &held, JitCall &call) {
  return placed([&] { return place(call); },
                [&] {
                  expectValues(call);
                  const EntryRef entry = cache_.newest(held);
                  if (!entry->signature.matches(call))
                    throw Error(name_ + ": this concrete function was traced for other arguments; " +
                                    entry->signature.misfit(call),
                                place(call));
                  expectAlive(*entry, place(call));
                  cache_.count(*entry, call);
                  try {
                    return run(entry, call);
                  } catch (const NeedsPlainCall &why) {
                    return runPlainly(call, why);
                  } catch (BecamePart &part) {
                    return resultOf(call, std::move(part.traced));
                  }
                });
}

void JitCore::expectAlive(JitEntry &entry, Location at) const {
  if (!entry.path().isAlive())
    throw Error(name_ + ": a Variable that this concrete function uses no longer exists", at);
}

ConcreteStats JitCore::statsOf(const JitEntry &entry) const {
  return {.calls = cache_.callsOf(entry),
          .tracing = entry.times.tracing,
          .compiling = entry.times.compiling,
          .running = entry.times.running};
}

Explanation JitCore::explain(const JitCall &call) const {
  return placed(
      [&] { return place(call); },
      [&] {
        expectValues(call);
        if (const EntryRef entry = cache_.peek(call, specs_, false)) {
          if (entry->path().isAlive())
            return Explanation{
                true, name_ + ": hits the program " + hitText(*entry, cache_.callsOf(*entry)) +
                          AutoSymbols::text(call, entry->symbols, "is symbolic, since it changes from call to call")};
          return Explanation{false, name_ + ": would be traced again: a Variable that it used no longer exists"};
        }
        const Signature signature = signatureOf(call);
        const std::vector<EntryRef> all = cache_.recent(SIZE_MAX);
        const Nearest last = nearest(all, signature, call);
        if (!last.entry)
          return Explanation{false, name_ + ": would be traced: it has not been called yet"};
        const AutoChoice choice = call.isAbstract ? AutoChoice() : chooseSymbols(call, signature);
        return Explanation{false, name_ + ": would be traced again: of " + std::to_string(all.size()) +
                                      (all.size() == 1 ? " signature" : " signatures") + " the nearest, traced at " +
                                      last.entry->tracedAt + ", differs: " + last.difference +
                                      AutoSymbols::text(call, choice, "would become symbolic") + symbols_.refusals()};
      });
}

JitCore *detail::makeJit(JitOptions options, Location at) {
  auto core = std::make_unique<JitCore>(std::move(options), at);
  enlist(*core);
  return core.release();
}
void detail::retainJit(JitCore *core) { __atomic_fetch_add(&core->references, 1, __ATOMIC_RELAXED); }
void detail::releaseJit(JitCore *core) {
  if (__atomic_fetch_sub(&core->references, 1, __ATOMIC_ACQ_REL) != 1)
    return;
  delist(*core);
  delete core;
}
/// Of any kind: its frame is large.
[[gnu::noinline]] static JitResult callAny(JitCore &core, const TreeFunction &function,
                                           std::span<const JitArgument> arguments, const Location &at,
                                           JitCore::NotStraight &known) {
  JitCall call(function, arguments, core.argumentNames(), at);
  call.number = known.number;
  call.tried = known.tried;
  call.failed = std::move(known.failed);
  return core.call(call, std::move(known.taken));
}

void detail::assign_leaves(TreeRef tree, const JitResult &result) {
  std::span<const Array> leaves = result.leaves;
  assign_leaves(tree, leaves, true);
}

JitResult detail::callJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments,
                          const Location &at) {
  JitCore::NotStraight known;
  JitResult result;
  if (!core.runStraight(arguments, at, known, result))
    result = callAny(core, function, arguments, at, known);
  return result;
}
JitStats detail::statsOf(const JitCore &core) { return core.stats(); }
bool detail::jitDisabled() { return runsEagerly(); }

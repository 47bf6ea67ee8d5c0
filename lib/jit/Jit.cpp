//===- Jit.cpp - signatures, tracing and calls of jitted functions ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/CallSite.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/Fork.h"
#include "lib/base/Statistics.h"
#include "lib/jit/Path.h"
#include "lib/jit/Signature.h"
#include "lib/program/Log.h"
#include "lib/program/Program.h"
#include "lib/program/Programs.h"
#include "lib/trace/Symbols.h"
#include "lib/trace/Tapes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>

using namespace tenon;
using namespace tenon::detail;

bool detail::jitDisabled() { return jitIsDisabled; }

/// One signature, and the ways through the function that its calls take.
struct detail::JitEntry {
  uint32_t references = 1;
  Signature signature;
  uint64_t hash = 0; ///< of the signature's calls
  size_t bytes = 0;
  bool listed = false; ///< among the core's entries

  static constexpr size_t maxPaths = 16;
  /// The path of the last call.
  JitPath &path() { return *paths_[__atomic_load_n(&last_, __ATOMIC_ACQUIRE)]; }
  std::span<const std::unique_ptr<JitPath>> paths() const {
    return {paths_.data(), __atomic_load_n(&count_, __ATOMIC_ACQUIRE)};
  }
  /// Under the core's lock, like `add`; the paths stay where they are, so that calls read without it.
  bool isFull() const { return count_ == maxPaths; }
  void add(std::unique_ptr<JitPath> path) {
    paths_[count_] = std::move(path);
    __atomic_store_n(&last_, count_, __ATOMIC_RELEASE);
    __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
  }
  void use(const JitPath &path) {
    const auto all = paths();
    for (uint32_t i = 0; i < all.size(); ++i)
      if (all[i].get() == &path && i != __atomic_load_n(&last_, __ATOMIC_RELAXED))
        __atomic_store_n(&last_, i, __ATOMIC_RELEASE);
  }

private:
  std::array<std::unique_ptr<JitPath>, maxPaths> paths_;
  uint32_t count_ = 0, last_ = 0;
};

void detail::releaseJitEntry(JitEntry *entry) {
  if (__atomic_fetch_sub(&entry->references, 1, __ATOMIC_ACQ_REL) == 1)
    delete entry;
}

namespace {
/// A counted reference of an entry.
class EntryRef {
public:
  EntryRef() = default;
  explicit EntryRef(JitEntry *entry) : entry_(entry) {} // takes over one reference
  EntryRef(const EntryRef &other) : entry_(other.entry_) {
    if (entry_)
      __atomic_fetch_add(&entry_->references, 1, __ATOMIC_RELAXED);
  }
  EntryRef(EntryRef &&other) noexcept : entry_(other.detach()) {}
  EntryRef &operator=(EntryRef other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~EntryRef() {
    if (entry_)
      releaseJitEntry(entry_);
  }
  JitEntry *operator->() const { return entry_; }
  JitEntry &operator*() const { return *entry_; }
  explicit operator bool() const { return entry_; }
  JitEntry *detach() { return std::exchange(entry_, nullptr); }

private:
  JitEntry *entry_ = nullptr;
};
} // namespace

namespace {
/// The Variables of a path during a call: held where they are assigned, so that no other call
/// assigns them meanwhile.
class CallState {
public:
  CallState(const JitState &state, Location at) : uses_(state.variables), at_(at) {
    std::vector<CellRef> assigned;
    for (const VariableUse &use : uses_) {
      cells_.push_back(use.cell.lock());
      if (!cells_.back())
        throw Error("jit: a Variable that the function uses has ended while it is called", at_);
      if (use.assigned)
        assigned.push_back(cells_.back());
    }
    values_.resize(cells_.size());
    taken_.resize(cells_.size());
    if (!assigned.empty() && !StateScope::innermost())
      held_.emplace(std::move(assigned), at_);
  }
  /// What was taken and not committed is there again.
  ~CallState() {
    for (size_t i = 0; i < cells_.size(); ++i)
      if (taken_[i])
        cells_[i]->set(std::move(values_[i]));
  }
  CallState(const CallState &) = delete;

  /// What they hold, among what the path reads, which are the program's inputs from `first` on.
  /// `isLast`: nothing but the program reads them, so it may write its results in their place: donors.
  void read(std::span<Array> reads, size_t first, bool isLast, Program::Donors &donors) {
    auto mayTake = [&](const VariableUse &use) {
      return isLast && held_ && use.read && use.assigned && !use.isKept && first + *use.read < donors.size();
    };
    for (size_t i = 0; i < cells_.size(); ++i)
      if (uses_[i].read && !mayTake(uses_[i]))
        values_[i] = stateOf(cells_[i]);
    // Nobody who has taken one waits for another: two calls may each read what the other updates.
    for (size_t i = 0; i < cells_.size(); ++i)
      if (mayTake(uses_[i])) {
        taken_[i] = cells_[i]->take(values_[i]);
        donors.set(first + *uses_[i].read, taken_[i]);
      }
    for (size_t i = 0; i < cells_.size(); ++i)
      if (uses_[i].read)
        reads[*uses_[i].read] = values_[i];
  }
  /// What Variable number `i` held.
  const Array &value(size_t i) const { return values_[i]; }
  /// All or none of them are assigned.
  template <class Take>
  void commit(const Take &take) {
    std::vector<Array> values(cells_.size());
    for (size_t i = 0; i < cells_.size(); ++i)
      if (uses_[i].assigned)
        values[i] = storable(cells_[i], take(*uses_[i].assigned), "jit", at_);
    for (size_t i = 0; i < cells_.size(); ++i)
      if (uses_[i].assigned) {
        taken_[i] = false;
        commitState(cells_[i], values[i], at_);
      }
  }

private:
  std::span<const VariableUse> uses_;
  std::vector<CellRef> cells_;
  /// Where they were asked for.
  std::vector<Array> values_;
  std::vector<bool> taken_;
  std::optional<HeldCells> held_;
  Location at_;
};
} // namespace

class detail::JitCore {
public:
  JitCore(JitOptions options, Location at) : options_(std::move(options)), made_(at) {
    name_ =
        options_.name.empty() ? "the jit of " + std::string(at.file) + ":" + std::to_string(at.line) : options_.name;
    Signature::check(options_.specs, name_, at);
  }

  // Errors that know no line of their own get the call's.
  JitResult call(JitCall &call) {
    return placed([&] { return place(call); }, [&] { return run(find(call), call); });
  }
  Lowered lower(JitCall &call) {
    return placed([&] { return place(call); },
                  [&] {
                    EntryRef entry = find(call);
                    const JitPath &path = entry->path();
                    const bool isRight = (path.guards.empty() && entry->paths().size() == 1) || &path == call.recorded;
                    return isRight ? path.whole() : recordOther(entry, call, {}).second->whole();
                  });
  }

  uint32_t references = 1;
  JitStats stats() const {
    std::lock_guard lock(lock_);
    return stats_;
  }

private:
  using Entries = std::list<EntryRef>;

  EntryRef find(JitCall &call);
  /// Null if there is none.
  EntryRef findKept(JitCall &call);
  /// Takes it out.
  void forget(const JitEntry &entry);
  /// Null if there is none. The caller holds the lock.
  EntryRef findLocked(const JitCall &call, uint64_t hash);
  EntryRef trace(JitCall &call, uint64_t hash);
  /// Keeps an entry, unless another thread has been faster.
  void keep(const EntryRef &entry, const JitCall &call);
  /// Takes what is above the bounds out, the least recently used first; the
  /// caller lets them go when it has given the lock back.
  void dropLocked(Entries &dropped);
  void dropLocked(Entries::iterator entry, Entries &dropped);
  JitResult run(EntryRef entry, JitCall &call);
  /// By the path whose guards hold, which is recorded if there is none yet.
  JitResult runGuarded(EntryRef entry, JitCall &call);
  JitResult runPath(EntryRef entry, JitPath &path, JitCall &call);
  /// Paths that are not the one a call takes: the last of them has failed at its guard `number`.
  struct Tried {
    std::vector<const JitPath *> paths;
    /// What keeps them.
    std::vector<EntryRef> owners;
    uint32_t number = 0;
  };
  /// The path that this call takes, found by recording it, in the entry that has it: `entry`, which is another one
  /// where no path of it holds any more, or one of its own where it serves this call only.
  std::pair<EntryRef, JitPath *> recordOther(EntryRef &entry, JitCall &call, const Tried &tried);
  /// Says once why calls are not compiled.
  void sayRefused(const std::string &why);
  /// Of the leaves, those whose buffers were reused are `donors` afterwards.
  InlineVector<Array, 4> runNow(JitEntry &entry, JitPath &path, JitCall &call, std::span<const Array> inputs,
                                Program::Donors &donors);
  void checkWrites(const JitState &state, const JitCall &call) const;
  bool mayWrite(const JitState &state, const JitCall &call) const;
  /// What runs once is not worth it.
  Compile compileOf(const JitPath &path) const { return path.isOnce() ? Compile::never : options_.compile; }
  /// The user's line of a call, asked for in errors and while tracing.
  [[gnu::cold, gnu::noinline]] Location place(const JitCall &call) const {
    return userLocation(callPlace(call.at, made_));
  }
  /// The nearest of those in use: one that has not been called for long says little.
  std::vector<EntryRef> recentEntries() const;
  /// Says once which number it is that makes the function trace again and again.
  void watchNumbers(const Signature &signature);
  void logRetrace(const JitCall &call, const Signature &signature);
  /// Says once that the function makes Variables at every call.
  void watchMaking(const JitPath &path);

  JitOptions options_;
  std::string name_;
  Location made_;
  /// Of what follows. Never held while the user's code runs: a function that is
  /// traced may call itself, start threads that do, and wait for them.
  rt::ForkLock &lock_ = rt::ForkLocks<rt::LockOrder::jit, 16>::of(this);
  /// Most recently used first.
  Entries entries_;
  std::unordered_multimap<uint64_t, Entries::iterator> byHash_;
  size_t bytes_ = 0;
  JitStats stats_;
  /// By path of a number: how often it alone made a call trace again.
  std::map<std::string, unsigned> numberRetraces_;
  bool saidWhichNumber_ = false;
  bool saidRefused_ = false;
  /// How many recordings, the last ones, have made Variables.
  unsigned makingCalls_ = 0;
};

EntryRef JitCore::findLocked(const JitCall &call, uint64_t hash) {
  auto [begin, end] = byHash_.equal_range(hash);
  for (auto place = begin; place != end; ++place)
    if ((*place->second)->signature.matches(call)) {
      entries_.splice(entries_.begin(), entries_, place->second);
      return entries_.front();
    }
  return {};
}

EntryRef JitCore::find(JitCall &call) {
  EntryRef entry = findKept(call);
  if (entry && entry->path().isAlive())
    return entry;
  if (entry)
    forget(*entry);
  return trace(call, Signature::hash(call, options_.specs));
}

void JitCore::forget(const JitEntry &entry) {
  Entries dropped;
  std::lock_guard lock(lock_);
  const auto place =
      std::find_if(entries_.begin(), entries_.end(), [&](const EntryRef &one) { return &*one == &entry; });
  if (place != entries_.end())
    dropLocked(place, dropped);
}

EntryRef JitCore::findKept(JitCall &call) {
  for (size_t i = 0; i < call.leaves.size(); ++i)
    if (!call.leaves[i].array->has_value())
      throw Error(name_ + ": expected an array, got an empty Array (" + call.paths()[i] + ")");
  {
    std::lock_guard lock(lock_);
    if (!entries_.empty() && entries_.front()->signature.matches(call)) {
      ++stats_.hits;
      return entries_.front();
    }
  }
  uint64_t hash = Signature::hash(call, options_.specs);
  {
    std::lock_guard lock(lock_);
    if (EntryRef entry = findLocked(call, hash)) {
      ++stats_.hits;
      return entry;
    }
  }
  return {};
}

EntryRef JitCore::trace(JitCall &call, uint64_t hash) {
  call.at = place(call); // what is called inside gets it too
  EntryRef entry(new JitEntry);
  entry->hash = hash;
  entry->signature = Signature::make(call, options_.specs, name_);
  logRetrace(call, entry->signature);
  watchNumbers(entry->signature);
  entry->add(std::make_unique<JitPath>(recordPath(call, entry->signature, name_)));
  call.recorded = &entry->path();
  watchMaking(entry->path());
  if (!entry->path().refused.empty())
    sayRefused(entry->path().refused);
  entry->bytes = sizeof(JitEntry) + entry->path().bytes();
  ++counters().traces;
  keep(entry, call);
  return entry;
}

void JitCore::keep(const EntryRef &entry, const JitCall &call) {
  Entries dropped;
  std::lock_guard lock(lock_);
  ++stats_.traces;
  if (!entry->path().isReusable() || findLocked(call, entry->hash))
    return;
  Entries fresh(1, entry); // what may throw first
  byHash_.emplace(entry->hash, fresh.begin());
  entries_.splice(entries_.begin(), fresh);
  entry->listed = true;
  bytes_ += entry->bytes;
  dropLocked(dropped);
}

void JitCore::dropLocked(Entries &dropped) {
  ProgramCacheLimit limit = programCacheLimit();
  while (entries_.size() > 1 && (bytes_ > limit.bytes || entries_.size() > limit.programs)) {
    dropLocked(std::prev(entries_.end()), dropped);
  }
}

void JitCore::dropLocked(Entries::iterator entry, Entries &dropped) {
  auto [begin, end] = byHash_.equal_range((*entry)->hash);
  byHash_.erase(std::find_if(begin, end, [&](auto &place) { return place.second == entry; }));
  bytes_ -= (*entry)->bytes;
  (*entry)->listed = false;
  dropped.splice(dropped.begin(), entries_, entry);
}

std::vector<EntryRef> JitCore::recentEntries() const {
  constexpr size_t compared = 16;
  std::vector<EntryRef> recent;
  std::lock_guard lock(lock_);
  for (const EntryRef &entry : entries_) {
    if (recent.size() == compared)
      break;
    recent.push_back(entry);
  }
  return recent;
}

void JitCore::watchNumbers(const Signature &signature) {
  constexpr unsigned enough = 8;
  for (const EntryRef &entry : recentEntries()) {
    std::optional<NumberChange> change = signature.numberChange(entry->signature);
    if (!change)
      continue;
    {
      std::lock_guard lock(lock_);
      if (saidWhichNumber_ || ++numberRetraces_[change->path] < enough)
        return;
      saidWhichNumber_ = true;
    }
    jitLog(name_ + ": traced again " + std::to_string(enough) + " times because of one number, " + change->path +
           " (was " + change->was + ", is " + change->is +
           "), which is part of the program; to make it an input, let it be a tn::Array, as a parameter "
           "(const tn::Array &) or in its struct");
    return;
  }
}

void JitCore::logRetrace(const JitCall &call, const Signature &signature) {
  if (!jitLogEnabled())
    return;
  std::vector<EntryRef> recent = recentEntries();
  std::string why;
  size_t best = SIZE_MAX;
  for (const EntryRef &entry : recent) {
    size_t count = 0;
    std::string text = signature.difference(entry->signature, call, count);
    if (count < best) {
      best = count;
      why = text;
    }
  }
  jitLog(name_ + ": traced" + (recent.empty() ? " (first call)" : " again: " + why));
  for (const std::string &note : signature.notes())
    jitLog(name_ + ": " + note);
}

void JitCore::watchMaking(const JitPath &path) {
  constexpr unsigned enough = 3;
  unsigned calls = 0;
  {
    std::lock_guard lock(lock_);
    calls = makingCalls_ = path.makesVariables ? makingCalls_ + 1 : 0;
  }
  if (calls == enough)
    jitLog(
        name_ + ": has made Variables in " + std::to_string(enough) +
        " calls that were traced one after another, and each such call is traced and interpreted; to make them once, "
        "keep them outside of it");
}

/// No leaf that is written may be there twice.
void JitCore::checkWrites(const JitState &state, const JitCall &call) const {
  auto refuse = [&](size_t written, size_t other) {
    std::vector<std::string> paths = call.paths();
    throw Error(name_ + ": " + paths[written] + " is updated and is also " + paths[other] + "; pass a copy");
  };
  size_t leaves = call.leaves.size();
  if (state.writes.size() * leaves <= 256) {
    for (const Write &write : state.writes)
      for (size_t i = 0; i < leaves; ++i)
        if (i != write.leaf && call.leaves[i].array == call.leaves[write.leaf].array)
          refuse(write.leaf, i);
    return;
  }
  // Nearly all trees lie in memory in the order of their leaves.
  bool ascending = true;
  for (size_t i = 1; i < leaves; ++i)
    ascending &= std::less<>()(call.leaves[i - 1].array, call.leaves[i].array);
  if (ascending)
    return;
  std::unordered_map<const Array *, size_t> first;
  std::vector<bool> written(leaves);
  for (const Write &write : state.writes)
    written[write.leaf] = true;
  for (size_t i = 0; i < leaves; ++i)
    if (auto [place, isNew] = first.try_emplace(call.leaves[i].array, i);
        !isNew && (written[i] || written[place->second]))
      refuse(written[place->second] ? place->second : i, written[place->second] ? i : place->second);
}

bool JitCore::mayWrite(const JitState &state, const JitCall &call) const {
  try {
    checkWrites(state, call);
    return true;
  } catch (const Error &) {
    return false;
  }
}

InlineVector<Array, 4> JitCore::runNow(JitEntry &entry, JitPath &path, JitCall &call, std::span<const Array> inputs,
                                       Program::Donors &donors) {
  if (!__atomic_load_n(&path.hasProgram, __ATOMIC_ACQUIRE)) {
    uint64_t before = counters().compilations;
    ProgramRef program = programOf(path.trace, compileOf(path));
    Entries dropped;
    std::lock_guard lock(lock_);
    stats_.compiles += counters().compilations - before;
    if (!path.hasProgram) {
      path.program = program;
      __atomic_store_n(&path.hasProgram, true, __ATOMIC_RELEASE);
      entry.bytes += program->bytes();
      if (entry.listed) {
        bytes_ += program->bytes();
        dropLocked(dropped);
      }
    }
  }
  for (size_t i = 0; i < std::min(call.leaves.size(), donors.size()); ++i)
    if (call.leaves[i].isRvalue && !path.kept[i])
      donors.set(i);
  return path.program->run(inputs, donors, {});
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

JitResult JitCore::run(EntryRef entry, JitCall &call) {
  JitPath &path = entry->path();
  if (path.guards.empty() && entry->paths().size() == 1) [[likely]]
    return runPath(std::move(entry), path, call);
  return runGuarded(std::move(entry), call);
}

JitResult JitCore::runGuarded(EntryRef entry, JitCall &call) {
  JitPath *path = &entry->path();
  EntryRef owner = entry;
  // What is recorded has no elements to run on: who calls must have them.
  if (innermostRecord()) {
    if (path != call.recorded)
      std::tie(owner, path) = recordOther(entry, call, {});
    return runPath(owner, *path, call);
  }
  Tried tried;
  for (;;) {
    std::optional<GuardFailed> failed;
    // Of a path that is not this call's it says nothing.
    if (path != call.recorded && !mayWrite(path->state, call)) {
      std::tie(owner, path) = recordOther(entry, call, {});
      call.recorded = path;
    }
    {
      const GuardCount count;
      try {
        JitResult result = runPath(owner, *path, call);
        owner->use(*path);
        return result;
      } catch (const GuardFailed &guard) {
        failed.emplace(guard);
      }
    }
    // One that was recorded for this call may fail, too, where another thread has assigned a Variable since.
    if (tried.paths.size() == 4 * JitEntry::maxPaths)
      throw InternalError(name_ + ": no path is the right one for a call: " + failed->what(), call.at);
    const JitPath &last = *path;
    tried.paths.push_back(path);
    tried.owners.push_back(owner);
    tried.number = failed->number;
    path = nullptr;
    owner = entry;
    for (const auto &other : entry->paths())
      if (last.leadsTo(*other, failed->number, failed->answer) && other->isAlive() &&
          std::ranges::find(tried.paths, other.get()) == tried.paths.end())
        path = other.get();
    if (!path) {
      std::tie(owner, path) = recordOther(entry, call, tried);
      call.recorded = path;
    }
  }
}

std::pair<EntryRef, JitPath *> JitCore::recordOther(EntryRef &entry, JitCall &call, const Tried &tried) {
  const JitPath *const failed = tried.paths.empty() ? nullptr : tried.paths.back();
  const uint32_t number = tried.number;
  call.at = place(call);
  auto path = std::make_unique<JitPath>(recordPath(call, entry->signature, name_));
  ++counters().traces;
  bool isLike = !failed || (number < failed->guards.size() &&
                            beginAlike(failed->recorded, path->recorded, failed->guards[number].op) &&
                            path->answersAlike(*failed, number));
  if (jitLogEnabled() && failed && isLike)
    jitLog(name_ + ": traced again: C++ asks at " + failed->guards[number].place + " and has another answer");
  std::string full;
  Entries dropped;
  {
    std::lock_guard lock(lock_);
    const bool hasDead = std::ranges::any_of(entry->paths(), [](const auto &one) { return !one->isAlive(); });
    isLike = isLike && !(entry->isFull() && hasDead);
    stats_.traces += isLike; // what begins anew is counted where it is kept
    for (const auto &other : entry->paths()) {
      if (!isLike || !other->isSame(*path))
        continue;
      if (std::ranges::find(tried.paths, other.get()) == tried.paths.end())
        return {entry, other.get()}; // another thread was faster
      path->refused = "an answer differs between the program and what computes it op by op";
    }
    if (isLike && path->isReusable() && !entry->isFull()) {
      if (entry->listed)
        bytes_ += path->bytes();
      entry->bytes += path->bytes();
      entry->add(std::move(path));
      JitPath *const added = entry->paths().back().get();
      dropLocked(dropped);
      return {entry, added};
    }
    if (isLike && entry->isFull())
      full = failed ? failed->guards[number].place : path->guards.empty() ? "" : path->guards.back().place;
  }
  auto entryOf = [&](std::unique_ptr<JitPath> only) {
    EntryRef fresh(new JitEntry);
    fresh->hash = entry->hash;
    fresh->signature = entry->signature;
    fresh->add(std::move(only));
    fresh->bytes = sizeof(JitEntry) + fresh->path().bytes();
    return fresh;
  };
  if (!isLike) {
    // What the function does before it asks has changed, so that none of its paths is to be trusted; or the Variables
    // of some have ended.
    if (jitLogEnabled())
      jitLog(name_ + ": records anew, as it has come to ask otherwise");
    forget(*entry);
    entry = entryOf(std::move(path));
    keep(entry, call);
    return {entry, &entry->path()};
  }
  if (path->refused.empty() && !full.empty())
    path->refused = full + " has had other answers in more than " + std::to_string(JitEntry::maxPaths) +
                    " calls; compare the array (if (x < 3), not if (float(x) < 3)), or use tn::cond or tn::while_loop";
  if (!path->refused.empty())
    sayRefused(path->refused);
  const EntryRef alone = entryOf(std::move(path));
  return {alone, &alone->path()};
}

void JitCore::sayRefused(const std::string &why) {
  {
    std::lock_guard lock(lock_);
    if (std::exchange(saidRefused_, true))
      return;
  }
  jitLog(name_ + ": some calls are traced and interpreted each time: " + why);
}

JitResult JitCore::runPath(EntryRef held, JitPath &path, JitCall &call) {
  JitEntry &entry = *held;
  const JitState &state = path.state;
  checkWrites(state, call);
  std::optional<CallState> variables;
  if (!state.variables.empty())
    variables.emplace(state, place(call));
  InlineVector<Array, 16> inputs;
  for (const JitLeaf &leaf : call.leaves) {
    expectInUse(name_, leaf.array->value(), call.at);
    inputs.push_back(*leaf.array);
  }
  for (const Array &read : state.reads)
    inputs.push_back(read);
  Program::Donors reused;
  if (variables)
    variables->read(std::span(inputs.begin(), inputs.size()).subspan(call.leaves.size()), call.leaves.size(),
                    onlyEager() && !tapesStand(), reused);
  // A donor may be written to from here on: nothing below the run throws.
  JitResult result;
  InlineVector<Array, 4> outputs, written;
  result.leaves.reserve(path.results.size());
  written.reserve(state.writes.size());
  if (path.trace->outputs().empty() && !path.trace->hasEffect()) {
  } else if (!isBound(inputs)) {
    outputs = runNow(entry, path, call, inputs, reused);
  } else {
    InlineVector<Value *, 16> operands;
    std::vector<Type> types;
    for (const Array &input : inputs) {
      operands.push_back(input.value());
      types.push_back(typeOf(input.value()));
    }
    // An op's body has the sizes of its operands.
    TraceRef body = instantiate(*path.trace, types);
    if (!body)
      body = path.trace;
    for (Array &array :
         bindInferred(OpCode::call, operands, {}, std::span(&body, 1), place(call), compileOf(path) == Compile::never))
      outputs.push_back(std::move(array));
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
  result.prototype = path.prototype.get();
  for (const Origin &origin : path.results)
    result.leaves.push_back(take(origin));
  for (const Write &write : state.writes)
    written.push_back(take(write.origin));
  if (variables)
    variables->commit(take);
  for (size_t i = 0; i < state.writes.size(); ++i)
    *call.leaves[state.writes[i].leaf].array = std::move(written[i]);
  for (size_t i = 0; i < call.leaves.size() && reused.any(); reused.reset(i++))
    if (reused[i])
      *call.leaves[i].array = Array();
  result.entry = held.detach();
  return result;
}

JitCore *detail::makeJit(JitOptions options, Location at) { return new JitCore(std::move(options), at); }
void detail::retainJit(JitCore *core) { __atomic_fetch_add(&core->references, 1, __ATOMIC_RELAXED); }
void detail::releaseJit(JitCore *core) {
  if (__atomic_fetch_sub(&core->references, 1, __ATOMIC_ACQ_REL) == 1)
    delete core;
}
JitResult detail::callJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments,
                          Location at) {
  JitCall call(function, arguments, at);
  return core.call(call);
}
Lowered detail::lowerJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> arguments,
                         Location at) {
  JitCall call(function, arguments, at);
  return core.lower(call);
}
JitStats detail::statsOf(const JitCore &core) { return core.stats(); }

//===- Jit.cpp - signatures, tracing and calls of jitted functions ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/CallSite.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/Fork.h"
#include "lib/base/Statistics.h"
#include "lib/jit/Signature.h"
#include "lib/program/Log.h"
#include "lib/program/Program.h"
#include "lib/program/Programs.h"
#include "lib/trace/Record.h"
#include "lib/trace/Symbols.h"
#include "lib/tree/Structure.h"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>

using namespace tenon;
using namespace tenon::detail;

bool detail::jitDisabled() { return jitIsDisabled; }

namespace {
/// Where a leaf of the result, or an updated leaf, comes from.
struct Source {
  enum Kind { output, input, constant } kind;
  size_t index = 0; // of the program's outputs, or of the call's leaves
  Array array;      // constant
};

struct Update {
  size_t leaf;
  Source source;
};

} // namespace

/// One signature and what tracing it gave.
struct detail::JitEntry {
  uint32_t references = 1;
  Signature signature;
  uint64_t hash = 0; ///< of the signature's calls
  TraceRef trace;
  std::vector<Array> captures;
  std::vector<Source> results;
  std::vector<Update> updates;
  /// By leaf: a result or another leaf becomes it, so its buffer stays as it is.
  std::vector<bool> kept;
  OwnedTree prototype;
  /// False if it captured values of an interpreter: good for this call only.
  bool reusable = true;
  size_t bytes = 0;
  bool listed = false; ///< among the core's entries
  /// Set once, under the core's lock; read without it where `hasProgram`.
  ProgramRef program;
  bool hasProgram = false;
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
    return placed([&] { return place(call); }, [&] { return whole(*find(call)); });
  }

  uint32_t references = 1;
  JitStats stats() const {
    std::lock_guard lock(lock_);
    return stats_;
  }

private:
  using Entries = std::list<EntryRef>;

  /// The trace that stands alone: its outputs are all results, then the updated
  /// leaves, those included that a call takes from elsewhere. Constants among
  /// them are further captured inputs.
  static Lowered whole(const JitEntry &entry);
  EntryRef find(JitCall &call);
  /// Null if there is none. The caller holds the lock.
  EntryRef findLocked(const JitCall &call, uint64_t hash);
  EntryRef trace(JitCall &call, uint64_t hash);
  /// Keeps an entry, unless another thread has been faster.
  void keep(const EntryRef &entry, const JitCall &call);
  /// Takes what is above the bounds out, the least recently used first; the
  /// caller lets them go when it has given the lock back.
  void dropLocked(Entries &dropped);
  JitResult run(EntryRef entry, JitCall &call);
  InlineVector<Array, 4> runNow(JitEntry &entry, JitCall &call, std::span<const Array> inputs,
                                InlineVector<Array *, 4> &reused);
  void checkUpdates(const JitEntry &entry, const JitCall &call) const;
  /// The user's line of a call, asked for in errors and while tracing.
  [[gnu::cold, gnu::noinline]] Location place(const JitCall &call) const {
    return userLocation(callPlace(call.at, made_));
  }
  /// The nearest of those in use: one that has not been called for long says little.
  std::vector<EntryRef> recentEntries() const;
  /// Says once which number it is that makes the function trace again and again.
  void watchNumbers(const Signature &signature);
  void logRetrace(const JitCall &call, const Signature &signature);

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
  return trace(call, hash);
}

/// Says of each output of a trace where it comes from.
namespace {
class Sources {
public:
  Sources(const Record &record, size_t leaves, const std::string &name) : record(record), leaves(leaves), name(name) {}

  Source of(const Array &array) {
    const Value *value = array.value();
    if (!value)
      throw Error(name + ": expected an array as result, got an empty Array");
    if (value->isBuffer())
      return {Source::constant, 0, array};
    if (value->isOf(record.id()) && value->number < leaves)
      return {Source::input, value->number, {}};
    auto [place, isNew] = numbers.try_emplace({value->owner, value->number}, outputs.size());
    if (isNew)
      outputs.push_back(array);
    return {Source::output, place->second, {}};
  }

  /// Each once; inputs and constants never go through a program.
  std::vector<Array> outputs;

private:
  const Record &record;
  size_t leaves;
  const std::string &name;
  std::map<std::pair<decltype(Value::owner), decltype(Value::number)>, size_t> numbers;
};
} // namespace

EntryRef JitCore::trace(JitCall &call, uint64_t hash) {
  call.at = place(call); // what is called inside gets it too
  EntryRef entry(new JitEntry);
  entry->hash = hash;
  entry->signature = Signature::make(call, options_.specs, name_);
  logRetrace(call, entry->signature);
  watchNumbers(entry->signature);
  Record record(name_);
  JitTraced traced;
  Record::Result recorded;
  {
    ActiveInterpreter active(record);
    std::vector<Array> inputs;
    std::vector<std::string> paths = call.paths();
    std::vector<Type> types = entry->signature.types();
    for (size_t i = 0; i < call.leaves.size(); ++i)
      inputs.push_back(record.input(types[i], std::move(paths[i]), call.at));
    call.trace(inputs, traced);
    entry->prototype = std::move(traced.prototype);
    if (traced.structure != call.structure.view())
      throw Error(name_ + ": a static value, or the number of elements of a container, changed inside: " +
                  argumentDifferences(call.structure.view(), traced.structure).front() +
                  "; under jit only arrays can be updated");
    Sources sources(record, call.leaves.size(), name_);
    entry->kept.resize(call.leaves.size());
    auto source = [&](const Array &array) {
      Source found = sources.of(array);
      if (found.kind == Source::input)
        entry->kept[found.index] = true;
      return found;
    };
    for (const Array &result : traced.results)
      entry->results.push_back(source(result));
    for (size_t i = 0; i < call.leaves.size(); ++i) {
      if (!call.leaves[i].isMutable)
        continue;
      Source after = source(traced.leaves[i]);
      if (after.kind != Source::input || after.index != i)
        entry->updates.push_back({i, std::move(after)});
    }
    recorded = record.finish(sources.outputs);
  }
  entry->trace = std::move(recorded.trace);
  entry->captures = std::move(recorded.captures);
  entry->bytes = sizeof(JitEntry) + entry->trace->bytes().size();
  for (const Array &capture : entry->captures) {
    entry->reusable &= capture.value()->isBuffer();
    if (capture.value()->isBuffer())
      entry->bytes += static_cast<size_t>(capture.value()->count()) * item_size(capture.dtype());
  }
  ++counters().traces;
  keep(entry, call);
  return entry;
}

void JitCore::keep(const EntryRef &entry, const JitCall &call) {
  Entries dropped;
  std::lock_guard lock(lock_);
  ++stats_.traces;
  if (!entry->reusable || findLocked(call, entry->hash))
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
    auto last = std::prev(entries_.end());
    auto [begin, end] = byHash_.equal_range((*last)->hash);
    byHash_.erase(std::find_if(begin, end, [&](auto &place) { return place.second == last; }));
    bytes_ -= (*last)->bytes;
    (*last)->listed = false;
    dropped.splice(dropped.begin(), entries_, last);
  }
}

Lowered JitCore::whole(const JitEntry &entry) {
  TraceBody body = entry.trace->body();
  std::vector<ValueId> outputs;
  std::vector<Array> captured = entry.captures;
  std::unordered_map<const Value *, ValueId> inputs;
  for (size_t k = 0; k < captured.size(); ++k)
    inputs.emplace(captured[k].value(), body.inputs[body.inputs.size() - captured.size() + k]);
  /// The captured input that is `array`.
  auto input = [&](const Array &array) {
    auto [place, isNew] = inputs.try_emplace(array.value(), static_cast<ValueId>(body.types.size()));
    if (isNew) {
      captured.push_back(array);
      body.inputs.push_back(place->second);
      body.types.push_back(typeOf(array.value()));
    }
    return place->second;
  };
  auto add = [&](const Source &source) {
    outputs.push_back(source.kind == Source::constant ? input(source.array)
                      : source.kind == Source::input  ? body.inputs[source.index]
                                                      : body.outputs[source.index]);
  };
  for (const Source &result : entry.results)
    add(result);
  for (const Update &update : entry.updates)
    add(update.source);
  if (outputs == body.outputs)
    return Lowered(TraceRef(entry.trace).detach(), std::move(captured));
  body.outputs = std::move(outputs);
  return Lowered(Trace::make(std::move(body)).detach(), std::move(captured));
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

/// No leaf that is updated may be there twice.
void JitCore::checkUpdates(const JitEntry &entry, const JitCall &call) const {
  auto refuse = [&](size_t updated, size_t other) {
    std::vector<std::string> paths = call.paths();
    throw Error(name_ + ": " + paths[updated] + " is updated and is also " + paths[other] + "; pass a copy");
  };
  size_t leaves = call.leaves.size();
  if (entry.updates.size() * leaves <= 256) {
    for (const Update &update : entry.updates)
      for (size_t i = 0; i < leaves; ++i)
        if (i != update.leaf && call.leaves[i].array == call.leaves[update.leaf].array)
          refuse(update.leaf, i);
    return;
  }
  // Nearly all trees lie in memory in the order of their leaves.
  bool ascending = true;
  for (size_t i = 1; i < leaves; ++i)
    ascending &= std::less<>()(call.leaves[i - 1].array, call.leaves[i].array);
  if (ascending)
    return;
  std::unordered_map<const Array *, size_t> first;
  std::vector<bool> updated(leaves);
  for (const Update &update : entry.updates)
    updated[update.leaf] = true;
  for (size_t i = 0; i < leaves; ++i)
    if (auto [place, isNew] = first.try_emplace(call.leaves[i].array, i);
        !isNew && (updated[i] || updated[place->second]))
      refuse(updated[place->second] ? place->second : i, updated[place->second] ? i : place->second);
}

InlineVector<Array, 4> JitCore::runNow(JitEntry &entry, JitCall &call, std::span<const Array> inputs,
                                       InlineVector<Array *, 4> &reused) {
  if (!__atomic_load_n(&entry.hasProgram, __ATOMIC_ACQUIRE)) {
    uint64_t before = counters().compilations;
    ProgramRef program = programOf(entry.trace, options_.compile);
    Entries dropped;
    std::lock_guard lock(lock_);
    stats_.compiles += counters().compilations - before;
    if (!entry.hasProgram) {
      entry.program = program;
      __atomic_store_n(&entry.hasProgram, true, __ATOMIC_RELEASE);
      entry.bytes += program->bytes();
      if (entry.listed) {
        bytes_ += program->bytes();
        dropLocked(dropped);
      }
    }
  }
  bool donated[64] = {};
  size_t checked = std::min(call.leaves.size(), std::size(donated));
  for (size_t i = 0; i < checked; ++i)
    donated[i] = call.leaves[i].isRvalue && !entry.kept[i];
  reused.reserve(checked);
  InlineVector<Array, 4> outputs = runProgram(*entry.program, inputs, std::span(donated, checked), {});
  for (size_t i = 0; i < checked; ++i)
    if (donated[i])
      reused.push_back(call.leaves[i].array);
  return outputs;
}

JitResult JitCore::run(EntryRef held, JitCall &call) {
  JitEntry &entry = *held;
  checkUpdates(entry, call);
  InlineVector<Array, 16> inputs;
  for (const JitLeaf &leaf : call.leaves) {
    expectInUse(name_, leaf.array->value(), call.at);
    inputs.push_back(*leaf.array);
  }
  for (const Array &capture : entry.captures)
    inputs.push_back(capture);
  // A donor may be written to from here on: nothing below the run throws.
  JitResult result;
  InlineVector<Array, 4> outputs, updated;
  InlineVector<Array *, 4> reused;
  result.leaves.reserve(entry.results.size());
  updated.reserve(entry.updates.size());
  if (entry.trace->outputs().empty() && !entry.trace->hasEffect()) {
  } else if (onlyEager()) {
    outputs = runNow(entry, call, inputs, reused);
  } else {
    InlineVector<Value *, 16> operands;
    std::vector<Type> types;
    for (const Array &input : inputs) {
      operands.push_back(input.value());
      types.push_back(typeOf(input.value()));
    }
    // An op's body has the sizes of its operands.
    TraceRef body = instantiate(*entry.trace, types);
    if (!body)
      body = entry.trace;
    AttrWriter words;
    CallAttrs{name_}.write(words);
    for (Array &array : bindInferred(OpCode::call, operands, words.words(), std::span(&body, 1), place(call),
                                     options_.compile == Compile::never))
      outputs.push_back(std::move(array));
  }
  auto take = [&](const Source &source) -> Array {
    switch (source.kind) {
    case Source::output:
      return outputs[source.index];
    case Source::input:
      return inputs[source.index];
    case Source::constant:
      return source.array;
    }
    __builtin_unreachable();
  };
  result.prototype = entry.prototype.get();
  for (const Source &source : entry.results)
    result.leaves.push_back(take(source));
  for (const Update &update : entry.updates)
    updated.push_back(take(update.source));
  for (size_t i = 0; i < entry.updates.size(); ++i)
    *call.leaves[entry.updates[i].leaf].array = std::move(updated[i]);
  for (Array *array : reused)
    *array = Array();
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

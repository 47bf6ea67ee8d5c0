//===- Jit.cpp - signatures, tracing and calls of jitted functions ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/array/Placed.h"
#include "lib/jit/Log.h"
#include "lib/jit/Programs.h"
#include "lib/jit/Signature.h"
#include "lib/ops/Statistics.h"
#include "lib/trace/Record.h"
#include "lib/trace/Symbols.h"
#include "lib/transform/Sites.h"
#include "lib/transform/Structure.h"

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>

using namespace tenon;
using namespace tenon::detail;

DisableJit::DisableJit() : before_(jitIsDisabled) { jitIsDisabled = true; }
DisableJit::~DisableJit() { jitIsDisabled = before_; }
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

/// One signature and what tracing it gave.
struct Entry {
  Signature signature;
  TraceRef trace;
  ProgramRef program;
  std::vector<Array> captures;
  std::vector<Source> results;
  std::vector<Update> updates;
  Prototype prototype;
  /// False if it captured values of an interpreter: good for this call only.
  bool reusable = true;
  size_t bytes = 0;

  ~Entry() {
    if (prototype.destroy)
      prototype.destroy(prototype.object);
  }
};
using EntryRef = std::shared_ptr<Entry>;
} // namespace

class detail::JitCore {
public:
  JitCore(JitOptions options, Location at) : options_(std::move(options)), made_(at) {
    name_ =
        options_.name.empty() ? "the jit of " + std::string(at.file) + ":" + std::to_string(at.line) : options_.name;
  }

  // Errors that know no line of their own get the call's.
  JitResult call(JitCall &call) {
    return placed([&] { return place(call); },
                  [&] {
                    EntryRef entry = find(call);
                    return run(*entry, call);
                  });
  }
  Lowered lower(JitCall &call) {
    return placed([&] { return place(call); }, [&] { return whole(*find(call)); });
  }

  uint32_t references = 1;
  JitStats stats() const {
    std::lock_guard lock(mutex_);
    return stats_;
  }

private:
  /// The trace that stands alone: its outputs are all results, then the updated
  /// leaves, those included that a call takes from elsewhere. Constants among
  /// them are further captured inputs.
  static Lowered whole(const Entry &entry);
  EntryRef find(JitCall &call);
  EntryRef trace(JitCall &call, Signature signature);
  JitResult run(Entry &entry, JitCall &call);
  JitResult runNow(Entry &entry, JitCall &call, std::span<const Array> inputs, InlineVector<Array *, 4> &reused);
  void checkUpdates(const Entry &entry, const JitCall &call) const;
  /// The user's line of a call, asked for in errors and while tracing.
  [[gnu::cold, gnu::noinline]] Location place(const JitCall &call) const {
    return userLocation(callPlace(call.at, made_));
  }
  void logRetrace(const JitCall &call, const Signature &signature);

  JitOptions options_;
  std::string name_;
  Location made_;
  mutable std::mutex mutex_;
  /// One trace at a time: two threads that miss together trace once.
  std::mutex tracing_;
  /// Most recently used first.
  std::list<EntryRef> entries_;
  size_t bytes_ = 0;
  JitStats stats_;
};

EntryRef JitCore::find(JitCall &call) {
  for (size_t i = 0; i < call.leaves.size(); ++i)
    if (!call.leaves[i].array->has_value())
      throw Error(name_ + ": expected an array, got an empty Array (" + call.path(call, i) + ")");
  auto lookUp = [&]() -> EntryRef {
    std::lock_guard lock(mutex_);
    for (auto place = entries_.begin(); place != entries_.end(); ++place)
      if ((*place)->signature.matches(call)) {
        if (place != entries_.begin())
          entries_.splice(entries_.begin(), entries_, place);
        ++stats_.hits;
        return entries_.front();
      }
    return nullptr;
  };
  if (EntryRef entry = lookUp())
    return entry;
  // A nested call of this function while it is traced runs on this thread too.
  std::unique_lock tracing(tracing_, std::try_to_lock);
  if (!tracing && onlyEager()) {
    tracing.lock();
    if (EntryRef entry = lookUp())
      return entry;
  }
  return trace(call, Signature::make(call, options_.specs, name_));
}

EntryRef JitCore::trace(JitCall &call, Signature signature) {
  call.at = place(call); // what is called inside gets it too
  logRetrace(call, signature);
  auto entry = std::make_shared<Entry>();
  Record record(name_);
  JitTraced traced;
  Record::Result recorded;
  {
    ActiveInterpreter active(record);
    std::vector<Array> inputs;
    for (size_t i = 0; i < call.leaves.size(); ++i)
      inputs.push_back(record.input(signature.type(i), call.path(call, i), call.at));
    call.trace(call, inputs, traced);
    entry->prototype = traced.prototype;
    if (traced.structure != call.structure.view())
      throw Error(name_ + ": a static value, or the number of elements of a container, changed inside: " +
                  argumentDifferences(call.structure.view(), traced.structure).front() +
                  "; under jit only arrays can be updated");
    // Each distinct output once; inputs and constants never go through a program.
    std::vector<Array> outputs;
    auto source = [&](const Array &array) -> Source {
      const Value *value = array.value();
      if (!value)
        throw Error(name_ + ": expected an array as result, got an empty Array");
      if (value->isBuffer())
        return {Source::constant, 0, array};
      if (value->interpreter == record.id() && value->number < call.leaves.size())
        return {Source::input, value->number, {}};
      for (size_t i = 0; i < outputs.size(); ++i)
        if (outputs[i].value() == value ||
            (outputs[i].value()->interpreter == value->interpreter && outputs[i].value()->number == value->number))
          return {Source::output, i, {}};
      outputs.push_back(array);
      return {Source::output, outputs.size() - 1, {}};
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
    recorded = record.finish(outputs);
  }
  entry->trace = std::move(recorded.trace);
  entry->captures = std::move(recorded.captures);
  entry->signature = std::move(signature);
  entry->bytes = sizeof(Entry) + entry->trace->bytes().size();
  for (const Array &capture : entry->captures) {
    entry->reusable &= capture.value()->isBuffer();
    if (capture.value()->isBuffer())
      entry->bytes += static_cast<size_t>(capture.value()->count()) * item_size(capture.dtype());
  }
  ++counters().traces;
  std::lock_guard lock(mutex_);
  ++stats_.traces;
  if (!entry->reusable)
    return entry;
  entries_.push_front(entry);
  bytes_ += entry->bytes;
  while (bytes_ > programCacheLimit() && entries_.size() > 1) {
    bytes_ -= entries_.back()->bytes;
    entries_.pop_back();
  }
  return entry;
}

Lowered JitCore::whole(const Entry &entry) {
  TraceBody body = entry.trace->body();
  std::vector<ValueId> outputs;
  std::vector<Array> captured = entry.captures;
  /// The captured input that is `array`.
  auto input = [&](const Array &array) {
    size_t leaves = body.inputs.size() - captured.size(), k = 0;
    while (k < captured.size() && captured[k].value() != array.value())
      ++k;
    if (k == captured.size()) {
      captured.push_back(array);
      body.inputs.push_back(static_cast<ValueId>(body.types.size()));
      body.types.push_back(typeOf(array.value()));
    }
    return body.inputs[leaves + k];
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

void JitCore::logRetrace(const JitCall &call, const Signature &signature) {
  if (!jitLogEnabled())
    return;
  std::string why;
  {
    std::lock_guard lock(mutex_);
    size_t best = SIZE_MAX;
    for (const EntryRef &entry : entries_) {
      size_t count = 0;
      std::string text = signature.difference(entry->signature, call, count);
      if (count < best) {
        best = count;
        why = text;
      }
    }
  }
  jitLog(name_ + ": traced" + (why.empty() ? " (first call)" : " again: " + why));
  for (const std::string &note : signature.notes())
    jitLog(name_ + ": " + note);
}

void JitCore::checkUpdates(const Entry &entry, const JitCall &call) const {
  for (const Update &update : entry.updates)
    for (size_t i = 0; i < call.leaves.size(); ++i)
      if (i != update.leaf && call.leaves[i].array == call.leaves[update.leaf].array)
        throw Error(name_ + ": " + call.path(call, update.leaf) + " is updated and is also " + call.path(call, i) +
                    "; pass a copy");
}

JitResult JitCore::runNow(Entry &entry, JitCall &call, std::span<const Array> inputs,
                          InlineVector<Array *, 4> &reused) {
  ProgramRef program;
  {
    std::lock_guard lock(mutex_);
    program = entry.program;
  }
  if (!program) {
    uint64_t before = counters().compilations;
    program = programOf(entry.trace, options_.compile);
    std::lock_guard lock(mutex_);
    stats_.compiles += counters().compilations - before;
    entry.program = program;
  }
  bool donated[64] = {};
  size_t checked = std::min(inputs.size(), std::size(donated));
  for (size_t i = 0; i < std::min(call.leaves.size(), checked); ++i)
    donated[i] = call.leaves[i].isRvalue;
  JitResult result;
  result.leaves = runProgram(*program, inputs, std::span(donated, checked), {});
  for (size_t i = 0; i < call.leaves.size() && i < checked; ++i)
    if (donated[i])
      reused.push_back(call.leaves[i].array);
  return result;
}

JitResult JitCore::run(Entry &entry, JitCall &call) {
  checkUpdates(entry, call);
  InlineVector<Array, 16> inputs;
  for (const JitLeaf &leaf : call.leaves) {
    expectInUse(name_, leaf.array->value(), call.at);
    inputs.push_back(*leaf.array);
  }
  for (const Array &capture : entry.captures)
    inputs.push_back(capture);
  JitResult outputs;
  InlineVector<Array *, 4> reused;
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
      outputs.leaves.push_back(std::move(array));
  }
  auto take = [&](const Source &source) -> Array {
    switch (source.kind) {
    case Source::output:
      return outputs.leaves[source.index];
    case Source::input:
      return inputs[source.index];
    case Source::constant:
      return source.array;
    }
    __builtin_unreachable();
  };
  JitResult result;
  result.prototype = entry.prototype.object;
  for (const Source &source : entry.results)
    result.leaves.push_back(take(source));
  // Nothing below throws: the updates happen together.
  InlineVector<Array, 4> updated;
  for (const Update &update : entry.updates)
    updated.push_back(take(update.source));
  for (size_t i = 0; i < entry.updates.size(); ++i)
    *call.leaves[entry.updates[i].leaf].array = std::move(updated[i]);
  for (Array *array : reused)
    *array = Array();
  return result;
}

JitCore *detail::makeJit(JitOptions options, Location at) { return new JitCore(std::move(options), at); }
void detail::retainJit(JitCore *core) { __atomic_fetch_add(&core->references, 1, __ATOMIC_RELAXED); }
void detail::releaseJit(JitCore *core) {
  if (__atomic_fetch_sub(&core->references, 1, __ATOMIC_ACQ_REL) == 1)
    delete core;
}
JitResult detail::callJit(JitCore &core, JitCall &call) { return core.call(call); }
Lowered detail::lowerJit(JitCore &core, JitCall &call) { return core.lower(call); }
JitStats detail::statsOf(const JitCore &core) { return core.stats(); }

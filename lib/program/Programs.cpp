//===- Programs.cpp - traces as programs: the process's cache ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Programs.h"

#include "dialect/model/RegionLayout.h"
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/base/Statistics.h"
#include "lib/program/CompilerPlugin.h"
#include "lib/program/EagerRegions.h"
#include "lib/program/Log.h"
#include "lib/program/Program.h"
#include "lib/trace/Bytes.h"
#include "lib/trace/HostFunction.h"
#include "lib/trace/TraceDevice.h"
#include "runtime/memory/Memory.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <list>
#include <unordered_map>

using namespace tenon;
using namespace tenon::detail;

ProgramRef::ProgramRef(const ProgramRef &other) : program_(other.program_) {
  if (program_)
    program_->retain();
}
ProgramRef::~ProgramRef() {
  if (program_)
    program_->release();
}

namespace {
struct CacheEntry {
  TraceRef trace;
  Compile compile;
  ProgramRef program;
  size_t bytes;
};

/// What a thread makes a program of.
struct Making {
  const Trace *trace;
  Compile compile;
};

struct Cache {
  static void forgetOthers();
  rt::ForkLock lock{rt::LockOrder::programs, forgetOthers};
  /// Most recently used first.
  std::list<CacheEntry> entries;
  std::unordered_multimap<uint64_t, std::list<CacheEntry>::iterator> byHash;
  size_t bytes = 0;
  /// How many functions of the process had ended when entries that call one were last let go.
  uint64_t hostsEnded = 0;
  std::atomic<size_t> mostBytes, mostPrograms;
  /// None of the user's code runs while a program is made, so it comes to an end
  /// whatever the others wait for.
  std::list<Making> making;
  std::condition_variable *made = new std::condition_variable;
};
} // namespace

static Cache &cache() {
  static constinit rt::Lasting<Cache> instance;
  return instance.get([] {
    ProgramCacheLimit limit;
    if (const char *text = std::getenv("TENON_CACHE_BYTES"); text && !rt::parseByteSize(text, limit.bytes))
      throw Error("TENON_CACHE_BYTES: expected a number of bytes such as 256M, got \"" + std::string(text) + "\"");
    auto *made = new Cache;
    made->mostBytes = limit.bytes;
    made->mostPrograms = limit.programs;
    return made;
  });
}

/// In a forked child: who made programs is not there, nor is who waited.
void Cache::forgetOthers() {
  cache().making.clear();
  cache().made = new std::condition_variable;
}

ProgramCacheLimit tenon::programCacheLimit() { return {cache().mostBytes, cache().mostPrograms}; }
void tenon::setProgramCacheLimit(ProgramCacheLimit limit) {
  cache().mostBytes = limit.bytes;
  cache().mostPrograms = limit.programs;
}

void tenon::forgetPrograms() {
  std::list<CacheEntry> dropped; // goes when the lock has been given back
  std::lock_guard lock(cache().lock);
  cache().byHash.clear();
  dropped.swap(cache().entries);
  cache().bytes = 0;
}

bool tenon::isStrict() {
  static constinit rt::Asked asked;
  return asked.get([] {
    const char *text = std::getenv("TENON_STRICT");
    return text && *text && *text != '0';
  });
}

/// Compiles. Null, and why in reply.text, if that fails.
static ProgramRef compile(const TraceRef &of, CompileReply &reply) {
  const Trace &trace = *of;
  ++counters().compilations;
  const std::optional<Device> device = traceDevice(trace);
  if (!device) {
    reply.status = CompileStatus::Invalid;
    reply.text = "expected values on one device, got some on several";
    return {};
  }
  // What is generated is the host's code, which the devices that there are run too.
  const TraceRef compiled = *device == Device::cpu ? of : onDevice(trace, Device::cpu);
  std::vector<std::byte> side = compiled->sideTable();
  reply = compileToBlob(*compiled, side);
  if (!reply.ok())
    return {};
  ProgramRef program = Program::fromBlob(std::as_bytes(std::span(reply.data)), reply.text);
  if (!program)
    return {};
  program->keepBlob(std::move(reply.data));
  program->keepTrace(Trace::withoutHosts(of), *device);
  return program;
}

static void logCompiled(const Trace &trace, const CompileReply &reply) {
  if (logs(LogTopic::compile))
    logLine(LogTopic::compile, "compiled " + trace.body().name + ": " + std::to_string(trace.ops().size()) + " ops, " +
                                   std::to_string(reply.kernels) + " kernels (" + std::to_string(reply.newKernels) +
                                   " new), " + std::to_string(reply.librarySteps) + " library steps, " +
                                   std::to_string(reply.nanoseconds / 1000) + " us");
}

/// What is said of a trace that the compiler did not take.
static std::string failureText(const Trace &trace, const char *what, const CompileReply &reply) {
  return trace.body().name + what + reply.text +
         (reply.replayCommand.empty() ? "" : " (replay: " + reply.replayCommand + ")");
}

void tenon::detail::throwNotCompiled(const Trace &trace, const CompileReply &reply, Location at) {
  if (reply.status == CompileStatus::Invalid)
    throw Error(trace.body().name + ": " + reply.text, at);
  throw InternalError(trace.body().name + ": " + reply.text +
                          (reply.replayCommand.empty() ? "" : "\n  replay: " + reply.replayCommand),
                      at);
}

/// The program from the cache, or null. The caller holds the cache's lock.
static ProgramRef findLocked(const Trace &trace, Compile mode) {
  auto [begin, end] = cache().byHash.equal_range(trace.hash());
  for (auto place = begin; place != end; ++place)
    if (place->second->compile == mode && *place->second->trace == trace) {
      cache().entries.splice(cache().entries.begin(), cache().entries, place->second);
      ++counters().program_hits;
      return place->second->program;
    }
  return {};
}

/// Takes an entry out. The caller holds the cache's lock, and lets go of `dropped` without it.
static void dropLocked(std::list<CacheEntry>::iterator entry, std::list<CacheEntry> &dropped) {
  auto [begin, end] = cache().byHash.equal_range(entry->trace->hash());
  cache().byHash.erase(std::find_if(begin, end, [&](auto &place) { return place.second == entry; }));
  cache().bytes -= entry->bytes;
  dropped.splice(dropped.begin(), cache().entries, entry);
}

/// Programs that call functions which have ended: nobody can ask for them any more.
static void dropEndedLocked(std::list<CacheEntry> &dropped) {
  const uint64_t ended = HostFunction::ended();
  if (std::exchange(cache().hostsEnded, ended) == ended)
    return;
  for (auto entry = cache().entries.begin(); entry != cache().entries.end();)
    if (const auto one = entry++; callsEndedHost(*one->trace))
      dropLocked(one, dropped);
}

/// Puts a program into the cache; returns the one that is there if another
/// thread was faster.
static ProgramRef keep(const TraceRef &given, Compile mode, ProgramRef program) {
  const TraceRef trace = Trace::withoutHosts(given);
  size_t bytes = trace->bytes().size() + program->bytes();
  std::list<CacheEntry> dropped; // goes when the lock has been given back
  std::lock_guard lock(cache().lock);
  if (ProgramRef other = findLocked(*trace, mode))
    return other;
  dropEndedLocked(dropped);
  std::list<CacheEntry> fresh{{trace, mode, program, bytes}}; // what may throw first
  cache().byHash.emplace(trace->hash(), fresh.begin());
  cache().entries.splice(cache().entries.begin(), fresh);
  cache().bytes += bytes;
  ProgramCacheLimit limit = programCacheLimit();
  while (cache().entries.size() > 1 && (cache().bytes > limit.bytes || cache().entries.size() > limit.programs))
    dropLocked(std::prev(cache().entries.end()), dropped);
  return program;
}

namespace {
/// A thread's turn at a program. While another thread makes the same one, it
/// waits; then either `found` is the program, or this thread makes it.
class Turn {
public:
  Turn(const Trace &trace, Compile mode) {
    trace.hash(); // makes the bytes before others wait
    std::unique_lock lock = cache().lock.hold();
    auto isMade = [&](const Making &other) { return other.compile == mode && *other.trace == trace; };
    while (!(found = findLocked(trace, mode)) && std::ranges::any_of(cache().making, isMade))
      cache().made->wait(lock);
    if (!found)
      place = cache().making.insert(cache().making.end(), {&trace, mode});
  }
  ~Turn() {
    if (found)
      return;
    std::lock_guard lock(cache().lock);
    cache().making.erase(place);
    cache().made->notify_all();
  }
  Turn(const Turn &) = delete;

  ProgramRef found;

private:
  std::list<Making>::iterator place;
};
} // namespace

/// Where nobody waits for this thread.
static ProgramRef found(const Trace &trace, const ProgramRef &program) {
  if (logs(LogTopic::cache))
    logLine(LogTopic::cache, trace.body().name + ": found the program of an equal trace, " +
                                 std::to_string(trace.ops().size()) + " ops");
  return program;
}

ProgramRef tenon::programOf(const TraceRef &trace, Compile mode) {
  CompileReply reply;
  ProgramRef program;
  bool isCompiled = false;
  {
    Turn turn(*trace, mode);
    if (turn.found)
      return found(*trace, turn.found);
    if (mode == Compile::now)
      program = compile(trace, reply);
    isCompiled = bool(program);
    if (mode == Compile::now && !isCompiled && isStrict())
      throw InternalError(failureText(*trace, " could not be compiled, which TENON_STRICT makes an error: ", reply));
    program = keep(trace, mode, isCompiled ? program : Program::interpreted(Trace::withoutHosts(trace)));
  }
  // The user's log function runs when nobody waits for this thread. A failure is
  // said once per program, whatever the log's level: it is slow from now on.
  if (isCompiled)
    logCompiled(*trace, reply);
  else if (mode == Compile::now)
    logLine(LogTopic::warning, failureText(*trace, " runs uncompiled: ", reply));
  return program;
}

ProgramRef tenon::compiledProgramOf(const TraceRef &trace, Location at) {
  {
    trace->hash(); // makes the bytes before others wait
    std::lock_guard lock(cache().lock);
    if (ProgramRef program = findLocked(*trace, Compile::now); program && !program->blob().empty())
      return program;
  }
  CompileReply reply;
  ProgramRef program = compile(trace, reply);
  if (!program)
    throwNotCompiled(*trace, reply, at);
  logCompiled(*trace, reply);
  // Where an earlier compilation failed, the cache goes on interpreting.
  keep(trace, Compile::now, program);
  return program;
}

void tenon::detail::runAsProgram(const Bind &bind, std::span<Array> results) {
  TraceRef trace;
  if (isRegionAlone(opInfo(bind.op))) {
    trace = bind.regions[0];
  } else {
    TraceBody body;
    TraceOp op{};
    op.code = bind.op;
    op.results = static_cast<uint32_t>(bind.types.size());
    for (const Value *operand : bind.operands) {
      body.inputs.push_back(static_cast<ValueId>(body.types.size()));
      body.types.push_back(typeOf(operand));
    }
    body.operands = body.inputs;
    op.operandCount = static_cast<uint32_t>(body.operands.size());
    op.firstResult = static_cast<ValueId>(body.types.size());
    for (const Type &type : bind.types) {
      body.outputs.push_back(static_cast<ValueId>(body.types.size()));
      body.types.push_back(type);
    }
    body.attributes.assign(bind.attributes.begin(), bind.attributes.end());
    op.attributeCount = static_cast<uint32_t>(body.attributes.size());
    body.regions.assign(bind.regions.begin(), bind.regions.end());
    op.regionCount = static_cast<uint32_t>(body.regions.size());
    body.ops.push_back(op);
    body.opLocations.push_back(0);
    Location at = userLocation(bind.at);
    body.locations.push_back({at.file, at.line, at.column, {}});
    body.name = std::string(opInfo(bind.op).name);
    trace = Trace::make(std::move(body));
  }
  std::vector<Array> inputs;
  for (Value *operand : bind.operands)
    inputs.push_back(Array::share(operand));
  auto outputs = runProgram(*programOf(trace, bind.interpreted ? Compile::never : Compile::now), inputs, bind.at);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = std::move(outputs[i]);
}

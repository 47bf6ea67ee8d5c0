//===- Trace.h - a recorded function: a flat SSA list of ops -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Trace is immutable and shared. Values are numbered by first appearance, so
// equal functions are equal bytes: those bytes are the cache key, the saved
// function, what crosses the border to the compiler, and a bug's reproducer.
// Locations and names, of functions and of symbols, are a side table outside the bytes.
// This file knows no Array: the compiler reads traces with it too.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/ValueTypes.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tenon {

class Trace;
class HostFunction;

/// A counted reference of an immutable trace.
class TraceRef {
public:
  TraceRef() = default;
  /// Takes over one reference.
  explicit TraceRef(const Trace *trace) : trace_(trace) {}
  TraceRef(const TraceRef &other);
  /// Another reference of a trace that is held elsewhere.
  static TraceRef share(const Trace *trace) {
    TraceRef borrowed(trace), shared(borrowed);
    borrowed.trace_ = nullptr;
    return shared;
  }
  TraceRef(TraceRef &&other) noexcept : trace_(std::exchange(other.trace_, nullptr)) {}
  TraceRef &operator=(TraceRef other) noexcept {
    std::swap(trace_, other.trace_);
    return *this;
  }
  ~TraceRef();
  const Trace *get() const { return trace_; }
  const Trace &operator*() const { return *trace_; }
  const Trace *operator->() const { return trace_; }
  explicit operator bool() const { return trace_; }
  /// Gives the reference to the caller.
  const Trace *detach() { return std::exchange(trace_, nullptr); }

private:
  const Trace *trace_ = nullptr;
};

/// Number of a value within one trace; inputs and results share the numbers.
using ValueId = uint32_t;

/// One op: ranges into the trace's flat arrays.
struct TraceOp {
  OpCode code;
  uint32_t results;
  ValueId firstResult;
  uint32_t operands, operandCount;
  uint32_t attributes, attributeCount;
  uint32_t regions, regionCount;
  friend bool operator==(const TraceOp &, const TraceOp &) = default;
};

/// Where an op was written: innermost first, the user's line, then the names of
/// composites and modules around it.
struct TraceLocation {
  std::string file;
  uint32_t line = 0, column = 0;
  std::vector<std::string> scopes;
};

/// The mutable form: what Record appends to and what readers fill.
struct TraceBody {
  /// By value. Sizes are the process's Dims; canonical bytes renumber symbols.
  ValueTypes types;
  std::vector<ValueId> inputs;
  std::vector<TraceOp> ops;
  std::vector<ValueId> operands;
  std::vector<int64_t> attributes;
  std::vector<TraceRef> regions;
  std::vector<ValueId> outputs;
  /// By op: index into `locations`; the same length as `ops`, or empty.
  std::vector<uint32_t> opLocations;
  std::vector<TraceLocation> locations;
  std::string name;

  /// Keeps the memory.
  void clear();
};

/// What the shape rule of an op is asked with, beside its attributes.
struct OpTypes {
  std::vector<Type> operands;
  std::vector<RegionType> regions;
};
OpTypes typesOf(const TraceBody &body, const TraceOp &op);
/// The op that made a value; null: an input, or nothing yet.
const TraceOp *makerOf(const TraceBody &body, ValueId value);

class Trace {
public:
  /// Drops ops that no output and no effect needs, renumbers values by first
  /// appearance (inputs keep their order and are never dropped) and freezes. The
  /// memory of `body` is still its own.
  static TraceRef make(TraceBody &&body);
  /// The same of what has come from `make`, with that memory.
  static TraceRef adopt(TraceBody &&body);
  /// The same trace, which keeps no function of the process alive: what caches hold.
  static TraceRef withoutHosts(const TraceRef &trace);

  const TraceBody &body() const { return body_; }
  std::span<const TraceOp> ops() const { return body_.ops; }
  std::span<const ValueId> inputs() const { return body_.inputs; }
  std::span<const ValueId> outputs() const { return body_.outputs; }
  const Type &type(ValueId value) const { return body_.types[value]; }
  std::span<const ValueId> operands(const TraceOp &op) const {
    return {body_.operands.data() + op.operands, op.operandCount};
  }
  AttrWords attributes(const TraceOp &op) const { return {body_.attributes.data() + op.attributes, op.attributeCount}; }
  std::span<const TraceRef> regions(const TraceOp &op) const {
    return {body_.regions.data() + op.regions, op.regionCount};
  }
  const TraceLocation *location(size_t op) const {
    return body_.opLocations.empty() ? nullptr : &body_.locations[body_.opLocations[op]];
  }
  RegionType regionType() const;
  /// True if an op in it, or in a nested trace, has an effect.
  bool hasEffect() const { return hasEffect_; }
  /// True if one calls a function of the process, see HostFunction.h.
  bool callsHost() const { return callsHost_; }
  /// True if it keeps such functions alive, which last no longer than those who hold them.
  bool holdsHost() const;

  /// The canonical bytes, made once.
  std::span<const std::byte> bytes() const;
  /// xxh3-like hash of the bytes: finds candidates, never decides equality.
  uint64_t hash() const;
  friend bool operator==(const Trace &a, const Trace &b);

  /// The side table: locations and symbol names (bytes of their own format).
  std::vector<std::byte> sideTable() const;

  /// Reads canonical bytes (and a side table, may be empty). Every part is checked;
  /// result types are those of the shape rules. Throws Error that names the first
  /// thing wrong. `areOurs`: bytes() of this very build has just given them; attributes, types and the form are as they
  /// were there.
  static TraceRef read(std::span<const std::byte> bytes, std::span<const std::byte> sideTable = {},
                       bool areOurs = false);

  /// The text form: one op a line, `%3: f32[batch, 10] = matmul %0, %2`.
  std::string str() const;

private:
  friend class TraceRef;
  Trace() = default;
  ~Trace();
  void findHosts();
  mutable uint32_t references_ = 1;
  mutable std::vector<std::byte> bytes_;
  mutable uint64_t hash_ = 0;
  mutable bool hasBytes_ = false;
  bool hasEffect_ = false;
  TraceBody body_;
  bool callsHost_ = false;
  /// Those of its own ops; nested traces have theirs.
  std::vector<std::shared_ptr<const HostFunction>> hosts_;
};

bool operator==(const Trace &a, const Trace &b);

/// A file of a saved trace: magic, version, checksum, build, bytes, side table.
/// Written to a temporary name and renamed. Errors name the path.
void saveTrace(const Trace &trace, const std::string &path);
TraceRef loadTrace(const std::string &path);
/// The same container in memory: a reproducer.
std::vector<std::byte> packTrace(const Trace &trace);
std::vector<std::byte> packTrace(std::span<const std::byte> bytes, std::span<const std::byte> sideTable);
inline constexpr size_t packedHeaderBytes = 48;
/// Throws what unpackTrace would, unless bytes that start so can be a saved trace
/// of `size` bytes.
void checkPacked(std::span<const std::byte> start, uint64_t size, const std::string &name);
TraceRef unpackTrace(std::span<const std::byte> file, const std::string &name);

} // namespace tenon

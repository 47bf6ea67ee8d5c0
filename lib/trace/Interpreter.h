//===- Interpreter.h - the stack that decides what an op does ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op goes through bind. A thread-local stack of interpreters stands on
// Eager, which is always there: Record (jit, bodies of region ops), Reverse
// (grad), Batch (vmap). The innermost one that owns an operand processes the
// op, by rules that bind again below it; Record owns every operand that no
// interpreter above it owns. Nothing active and only buffers: one test, then
// the kernel.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Trace.h"

#include <tenon/array.h>

namespace tenon {

/// One application of an op. Operands are borrowed; null: an absent optional.
struct Bind {
  OpCode op;
  std::span<detail::Value *const> operands;
  AttrWords attributes;
  std::span<const TraceRef> regions;
  /// What the shape rule said of these operands.
  std::span<const Type> types;
  Location at;
};

enum class InterpreterKind : uint8_t { eager, record, reverse, batch };

class Interpreter {
public:
  explicit Interpreter(InterpreterKind kind);
  Interpreter(const Interpreter &) = delete;
  virtual ~Interpreter() = default;
  /// Fills `results`, one Array per entry of bind.types.
  virtual void process(const Bind &bind, std::span<Array> results) = 0;
  InterpreterKind kind() const { return kind_; }
  /// Never reused in a process; 0 is Eager.
  uint32_t id() const { return id_; }
  /// What error messages call it: "the jit of main.cpp:12".
  std::string name;

private:
  InterpreterKind kind_;
  uint32_t id_;
};

/// Stands on this thread's stack while it lives.
class ActiveInterpreter {
public:
  explicit ActiveInterpreter(Interpreter &interpreter);
  ~ActiveInterpreter();
  ActiveInterpreter(const ActiveInterpreter &) = delete;
};

/// The innermost Record of this thread, or null.
Interpreter *innermostRecord();
/// True if no interpreter but Eager is active on this thread.
bool onlyEager();

/// Gives the op to the interpreter that owns it. A value whose interpreter is
/// not on this thread's stack is an Error that names where it was made.
void bind(const Bind &bind, std::span<Array> results);

/// The types of operands, the shape rule (its error gets the operands and the
/// user's line), then bind. The way of every op but the eager fast paths.
std::vector<Array> bindInferred(OpCode op, std::span<detail::Value *const> operands, AttrWords attributes,
                                std::span<const TraceRef> regions, Location at);
/// The same for ops with one result.
Array bindOne(OpCode op, std::initializer_list<detail::Value *> operands, AttrWords attributes, Location at);

/// Type of a value of any interpreter.
Type typeOf(const detail::Value *value);
/// A value of `interpreter`: a handle with one reference, `base` retained.
detail::Value *makeValue(const Interpreter &interpreter, const Type &type, uint32_t number, detail::Value *base);
/// Names an operand of the failing op in the text of an error: `arg 0: w`.
/// Set by jit, grad and vmap for their inputs.
void describeValue(const detail::Value *value, std::string path);

/// A name on the location stack while it lives: composites, modules.
class LocationScope {
public:
  explicit LocationScope(const char *name, Location at = {});
  ~LocationScope();
};
/// The outermost user line of the scopes that are open, or `at`.
Location userLocation(Location at);

/// The bottom of the stack: kernels on buffers. Also runs region ops, through
/// programs. Implemented in lib/ops/Eager.cpp.
Interpreter &eager();

/// Runs a trace by binding its ops, on arrays of any interpreters (the tier-2
/// interpreter over eager kernels when all are buffers; Reverse and Batch
/// rewrite traces by it too). Symbols in the trace take the sizes of `inputs`.
std::vector<Array> evaluateTrace(const Trace &trace, std::span<const Array> inputs);

} // namespace tenon

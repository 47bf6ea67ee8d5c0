//===- Interpreter.h - the stack that decides what an op does ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op goes through bind. A thread-local stack of interpreters stands on
// Eager, which is always there: Record (jit, bodies of region ops), Reverse
// (grad), Forward (jvp), Batch (vmap). The innermost one that owns an operand
// processes the op, by rules that bind again below it; Record owns every
// operand that no interpreter above it owns. Nothing active and only buffers:
// one test, then the kernel. Tapes (GradientTape) own nothing: they look on, see Tapes.h.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Trace.h"

#include <tenon/array.h>

#include <memory>
#include <optional>

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
  /// A region op whose program, and those derived from it, are never compiled.
  bool interpreted = false;
  /// Who binds the op has the only handle of the operand that it updates, and gives it up:
  /// where that is a buffer it may be changed in place.
  bool mayUpdate = false;
  /// A composite whose region is the decomposition of its name: its front door says so.
  bool isDecomposition = false;
};

enum class InterpreterKind : uint8_t { eager, record, reverse, forward, linear, batch, tape };

class Interpreter {
public:
  Interpreter(InterpreterKind kind, std::string name);
  Interpreter(const Interpreter &) = delete;
  virtual ~Interpreter() = default;
  /// Fills `results`, one Array per entry of bind.types.
  virtual void process(const Bind &bind, std::span<Array> results) = 0;
  /// The element that C++ asks one of its values for, see Record; none: it answers nothing.
  virtual std::optional<Array> ask(detail::Value *, Dtype, const char *, Location) { return std::nullopt; }
  /// A question to a value cannot be answered while it stands.
  virtual void refusedAnswer() {}
  /// Of one of its values, the same number below it, where that is one; null: it is its own. Borrowed.
  virtual detail::Value *below(const detail::Value *) const { return nullptr; }
  InterpreterKind kind() const { return kind_; }
  /// Never reused in a process; 0 is Eager.
  uint64_t id() const { return id_; }
  /// What error messages call it: "the jit of main.cpp:12".
  const std::string &name() const { return name_; }
  /// What error messages call one of its values: `arg 0: w`; "" for most.
  virtual std::string path(const detail::Value *) const { return ""; }

private:
  std::string name_;
  InterpreterKind kind_;
  uint64_t id_;
};

namespace detail {
/// For tests: the next interpreter's id is at least `next`.
void skipInterpreterIds(uint64_t next);
} // namespace detail

/// Stands on this thread's stack while it lives; they may end in any order.
class ActiveInterpreter {
public:
  explicit ActiveInterpreter(Interpreter &interpreter);
  ~ActiveInterpreter();
  ActiveInterpreter(const ActiveInterpreter &) = delete;

private:
  const Interpreter &interpreter_;
};

/// Moves all of this thread's interpreters aside while it lives.
class EmptyStack {
public:
  EmptyStack();
  ~EmptyStack();
  EmptyStack(const EmptyStack &) = delete;

private:
  friend class StackBelow;
  struct Stack;
  std::unique_ptr<Stack> stack_;
};

/// While it lives, this thread's stack is what stands below `one`. While that processes an op, it is that already.
class StackBelow {
public:
  explicit StackBelow(const Interpreter &one);
  ~StackBelow();
  StackBelow(const StackBelow &) = delete;

private:
  std::unique_ptr<EmptyStack::Stack> stack_;
};

/// The innermost Record of this thread, or null.
Interpreter *innermostRecord();
/// The innermost interpreter of that kind, or null.
Interpreter *innermost(InterpreterKind kind);
/// True if no interpreter but Eager, and tapes that look on, is active on this thread.
bool onlyEager();
/// True if none is that records or differentiates.
bool onlyBatches();
/// True if one stands above the innermost one that records, tapes included.
bool transforms();

/// Gives the op to the interpreter that owns it, which processes it on the stack
/// below: what stands above, and itself, is not seen by the rules that bind again.
/// A value whose interpreter is not on this thread's stack is an Error that names
/// where it was made.
void bind(const Bind &bind, std::span<Array> results);

/// The interpreter on this thread's stack, or aside, that owns the value; null: a buffer, or it has ended.
const Interpreter *interpreterOf(const detail::Value *value);
/// The same number below what interpreters of grad and jvp have wrapped, without its
/// derivatives, and as it is known where a function is recorded that its own is a part of:
/// whoever answers what the host asks.
detail::Value *withoutDerivatives(detail::Value *value);

/// An Error that starts with `what` unless the value is a buffer, or of an
/// interpreter on this thread's stack: others hold no elements, and no owner
/// will ever look at them.
void expectInUse(std::string_view what, const detail::Value *value, Location at);

/// The types of operands, the shape rule (its error gets the operands and the
/// user's line), then bind. The way of every op but the eager fast paths.
/// `interpreted`: see Bind.
std::vector<Array> bindInferred(OpCode op, std::span<detail::Value *const> operands, AttrWords attributes,
                                std::span<const TraceRef> regions, Location at, bool interpreted = false);
/// The same for ops with one result.
Array bindOne(OpCode op, std::span<detail::Value *const> operands, AttrWords attributes, Location at);

/// The same for an op that updates an operand which the caller gives up; see Bind.
Array bindUpdate(OpCode op, std::span<detail::Value *const> operands, AttrWords attributes, Location at);

/// Type of a value of any interpreter.
Type typeOf(const detail::Value *value);
/// A value of `interpreter`: a handle with one reference, `base` retained, and so is
/// `tangent`, which a value of Forward has.
detail::Value *makeValue(const Interpreter &interpreter, const Type &type, uint32_t number, detail::Value *base,
                         Location at, detail::Value *tangent = nullptr);
/// A value as errors show it: its type, its name where it has one, else where it was made.
std::string shown(const detail::Value *value);
/// What errors call operand `number` of an op: `x`, or `xs[2]`.
std::string operandName(const OpInfo &info, size_t number);
/// The one form of an op's error: the sentence, a line per operand, the place.
[[noreturn]] void throwOpError(const OpInfo &info, std::span<detail::Value *const> operands,
                               const std::string &sentence, Location at);

class DoorScope;

/// A frame on this thread's location stack while it lives: a composite, a
/// module, a derivative's rule. What is bound inside is at the outermost frame's
/// place (the user's line), under the frames' names.
class LocationScope {
public:
  explicit LocationScope(const char *name, Location at = {});
  ~LocationScope();
  LocationScope(const LocationScope &) = delete;
  static const LocationScope *innermost();
  const LocationScope *outer() const { return outer_; }
  const char *name() const { return name_; }
  Location at() const { return at_; }
  /// Null: no public function's.
  const DoorScope *door() const { return door_; }

protected:
  LocationScope(const char *name, Location at, const DoorScope *door);

private:
  const char *name_;
  Location at_;
  const LocationScope *outer_;
  const DoorScope *door_ = nullptr;
};

/// What the user gave a public function, for errors; borrowed.
struct DoorArgument {
  std::string_view name;
  const detail::Value *value = nullptr;
  const Operand *number = nullptr;
  const Arrays *list = nullptr;
  DoorArgument() = default;
  DoorArgument(std::string_view name, const Arrays &list) : name(name), list(&list) {}
  DoorArgument(std::string_view name, const Array &array) : name(name), value(array.value()) {}
  DoorArgument(std::string_view name, const Operand &operand)
      : name(name), value(operand.value()), number(operand.is_scalar() ? &operand : nullptr) {}
};

/// The frame of a public function that other ops carry out. Their errors have its
/// name and show its arguments as the user wrote them. Of functions that call each
/// other the outermost is the one that the user called.
class DoorScope : public LocationScope {
public:
  DoorScope(const char *name, Location at, std::initializer_list<DoorArgument> arguments = {})
      : DoorScope(name, name, at, arguments) {}
  /// `frame` is its name in the locations of what is recorded, "" for none.
  DoorScope(const char *frame, std::string_view name, Location at, std::initializer_list<DoorArgument> arguments);
  /// That of the function that the user called; null if ops are applied by
  /// themselves.
  static const DoorScope *current();
  std::string_view publicName() const { return publicName_; }
  std::span<const DoorArgument> arguments() const { return {arguments_, count_}; }

private:
  /// Errors show so many arguments, the first ones.
  static constexpr size_t maxArguments = 4;

  std::string_view publicName_;
  DoorArgument arguments_[maxArguments];
  size_t count_ = 0;
};
/// `sentence` for the user's eyes: where it starts with the op's name it has that of
/// the function that was called.
std::string publicSentence(std::string_view op, const std::string &sentence);
/// `op: sentence`, unless the sentence has the name of the function that was called.
std::string namedSentence(std::string_view op, const std::string &sentence);
/// That name; `op` if it is the function itself.
std::string publicName(std::string_view op);

/// Hides the open frames while it lives: what is bound has its own place. For
/// traces that are rewritten, whose ops know where they were written.
class DetachedLocations {
public:
  DetachedLocations();
  ~DetachedLocations();
  DetachedLocations(const DetachedLocations &) = delete;

private:
  const LocationScope *hidden_;
};
/// The user's line for something written at `at`: that of the outermost open
/// scope which knows one, else `at`.
Location userLocation(Location at);

/// The bottom of the stack: kernels on buffers. Also runs region ops, through
/// programs. Implemented in lib/ops/Eager.cpp.
Interpreter &eager();

/// Runs a trace by binding its ops, on arrays of any interpreters (the tier-2
/// interpreter over eager kernels when all are buffers; Reverse and Batch
/// rewrite traces by it too). Symbols in the trace take the sizes of `inputs`.
std::vector<Array> evaluateTrace(const Trace &trace, std::span<const Array> inputs);

} // namespace tenon

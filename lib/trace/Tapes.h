//===- Tapes.h - interpreters that look on ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tape owns no value. An op whose owner stands below is offered, before the owner
// processes it, to each recording tape above, the topmost first: a tape sees each op
// once, with the values it was written with, and nothing of what a processor does
// inside. It binds the op again below itself, where the next tape or the owner gets it.
//
// It knows values by what is never used twice: one of an interpreter by this one's id
// and its number, a buffer by its serial, which it has got once a tape has noted it.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/array/Buffer.h"
#include "lib/array/Serial.h"
#include "lib/trace/Interpreter.h"

#include <memory>

namespace tenon {
namespace detail {
class Cell;
}

class TapeInterpreter : public Interpreter {
public:
  explicit TapeInterpreter(std::string name) : Interpreter(InterpreterKind::tape, std::move(name)) {}
  /// An op on buffers that has run already, past bind.
  virtual void note(const Bind &bind, std::span<Array> results) = 0;
  virtual bool tracks(const detail::Value *value) const = 0;
  /// From here on what depends on `value` is noted. Of a value without derivatives: nothing.
  virtual void watch(detail::Value *value, Location at) = 0;
  /// The same of what a Variable holds: its derivatives are that Variable's.
  virtual void watchVariable(const std::shared_ptr<detail::Cell> &variable, detail::Value *value) = 0;
  /// How many Variables it has seen read, and forgets those that came after so many.
  virtual size_t variableCount() const = 0;
  virtual void forgetVariables(size_t count) = 0;
  /// The interpreter that it stands on ends.
  virtual void groundEnds() = 0;
  /// It has given what it gives, or what it stands on has ended.
  virtual bool isUsedUp() const = 0;
  /// Asked by other threads, too, once its own is done with it.
  bool isRecording() const { return __atomic_load_n(&isRecording_, __ATOMIC_RELAXED); }

  /// Ends it from a thread that is not its own, whose stack it stands on: that one deletes it later.
  void abandon() {
    setRecording(false);
    __atomic_store_n(&isAbandoned_, true, __ATOMIC_RELEASE);
  }
  bool isAbandoned() const { return __atomic_load_n(&isAbandoned_, __ATOMIC_ACQUIRE); }

protected:
  void setRecording(bool is) { __atomic_store_n(&isRecording_, is, __ATOMIC_RELAXED); }

private:
  bool isRecording_ = true;
  bool isAbandoned_ = false;
};

/// What a value is known by. An unknown buffer is {0, 0}.
struct Identity {
  uint64_t owner = 0, number = 0;
  bool isKnown() const { return owner || number; }
  friend bool operator==(const Identity &, const Identity &) = default;
};

/// The serial of a buffer, which gets one if it has none.
uint64_t serialOf(detail::Value *buffer);
/// False: no tape has noted it.
inline bool mayBeTracked(const detail::Value *value) { return !value->isBuffer() || detail::hasSerial(value); }
inline Identity identityOf(const detail::Value *value) {
  if (value->isBuffer())
    return {0, __atomic_load_n(detail::placeOfSerial(const_cast<detail::Value *>(value)), __ATOMIC_RELAXED)};
  return {value->owner, value->number};
}
/// The same; a buffer is known from here on.
inline Identity identify(detail::Value *value) {
  return value->isBuffer() ? Identity{0, serialOf(value)} : identityOf(value);
}

/// A value of its own with the same elements.
inline Array anotherOf(detail::Value *buffer) {
  const auto rank = static_cast<size_t>(buffer->rank());
  return Array::adopt(detail::makeView(buffer, {buffer->dims(), rank}, {buffer->strides(), rank}, buffer->data));
}

/// Whether there are tapes on this thread, recording or not: the one test of eager ops.
bool tapesStand();
/// Which of those that record was made last; 0: none does.
uint64_t newestTape();
inline bool tapesRecord() { return newestTape() != 0; }
/// Whether another one that records stands above `tape`, which is processing an op.
bool aTapeRecordsAbove(const Interpreter &tape);
/// Whether one that records, or may do so again, stands above `one`. While an op is processed those above its owner do
/// not.
bool tapesStandAbove(const Interpreter &one);
/// Whether one that records knows one of these values.
bool tapesTrack(std::span<detail::Value *const> operands);
/// Tells all that record of an op on buffers that has run past bind.
void noteOnTapes(const Bind &bind, std::span<Array> results);
/// Lets all that record and were made after tape `since` watch `value`, which a Variable holds, when it is read.
void watchOnTapes(const std::shared_ptr<detail::Cell> &variable, detail::Value *value, uint64_t since = 0);
/// What recording tapes have seen read of Variables by now: what a call reads on a path that is not its own is
/// forgotten.
class TapeReads {
public:
  TapeReads();
  void forget() const;

private:
  std::vector<std::pair<TapeInterpreter *, size_t>> counts_;
};
/// The owner of `value` if it stands above `tape`, which does not see its ops; else null.
const Interpreter *interpreterAbove(const Interpreter &tape, const detail::Value *value);
/// Deletes those of this thread's that other threads have ended.
void dropAbandonedTapes();
/// An address that no other running thread has.
const void *thisThread();

} // namespace tenon

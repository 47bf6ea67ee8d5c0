//===- Path.h - what recording a jitted function gave ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A jitted function is entries by signature; an entry is paths, ways through the
// function, each a program.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/jit/Call.h"
#include "lib/program/Background.h"
#include "lib/program/Programs.h"
#include "lib/trace/Cut.h"
#include "lib/trace/Guard.h"
#include "lib/trace/Record.h"
#include "lib/trace/State.h"
#include "lib/trace/Trace.h"

#include <atomic>

namespace tenon::detail {

class Signature;

/// Nanoseconds.
struct JitTimes {
  std::atomic<uint64_t> tracing = 0, compiling = 0, running = 0;
};

/// Where a leaf of the result, or an updated leaf, comes from.
struct Origin {
  enum Kind { output, input, variable, constant } kind;
  size_t index = 0;    // of the program's outputs, of the call's leaves, or of the state's Variables
  Array array;         // constant
  bool isLast = false; ///< of those that take this output: results, then writes
};

/// A leaf of the arguments that a call assigns when it has succeeded, if the call's own is no rvalue.
struct Write {
  size_t leaf;
  Origin origin;
};

/// A Variable that a path reads or assigns. It is not kept alive for that.
struct VariableUse {
  std::weak_ptr<Cell> cell;
  /// Which of `reads` is what it holds when the path is called; none: the path has made it.
  std::optional<size_t> read;
  /// What it is assigned when the call has succeeded.
  std::optional<Origin> assigned = {};
  /// What it holds before is a result, or what another one is assigned, so its buffer stays as it is.
  bool isKept = false;
  /// Guards before it is first read: a path in pieces reads it where the piece begins that does.
  uint32_t guardsBefore = 0;
  /// It is assigned, whatever it holds before.
  bool isUnread = false;
  /// The host may not assign it while the path runs.
  bool mayNotNest = false;
};

/// What a path takes from outside its arguments and leaves there beside its results.
struct JitState {
  /// Captured arrays: the trace's hidden inputs, after those of the leaves.
  std::vector<Array> reads;
  std::vector<Write> writes;
  std::vector<VariableUse> variables;
};

/// A trace, and its program once there is one.
struct JitProgram {
  TraceRef trace;
  /// Set once, under the core's lock; read without it where `hasProgram`.
  ProgramRef program;
  bool hasProgram = false;
  /// Where it is compiled in the background: what runs until then, and what is to come. Set once, as `program` is.
  ProgramRef meanwhile;
  std::shared_ptr<const PendingProgram> pending;
  bool hasMeanwhile = false;
};

/// A part of a path that is cut where C++ asks after something of it has been seen: a program of its own.
struct JitPiece : JitProgram {
  explicit JitPiece(const Piece &piece) : piece(piece) { trace = piece.trace; }
  Piece piece;
  /// For a call that has come here on another path, where that has not made all that this piece takes. Made at first
  /// use, under the core's lock.
  struct CatchUp : JitProgram {
    std::vector<ValueId> gives;
  };
  std::unique_ptr<CatchUp> catchUp;
  bool hasCatchUp = false;
};

/// One way through a function.
struct JitPath : JitProgram {
  std::vector<Origin> results;
  JitState state;
  /// The watched handles that `state.reads` were captured from; a merged path has those of both branches.
  std::vector<std::shared_ptr<CapturedHandles>> handles;
  /// By leaf: a result or another leaf becomes it, so its buffer stays as it is.
  std::vector<bool> kept;
  std::shared_ptr<const OwnedTree> prototype;

  /// It has made Variables that are still there: each call would make others.
  bool makesVariables = false;
  /// It serves the call that has recorded it: why, with the line where one is to blame. Empty for all others.
  std::string refused;
  /// See Record.
  bool dependsOnAround = false;
  /// It reads a Variable that it has assigned, as one: what a tape around it sees of that is no input of the program.
  bool readsAssigned = false;
  /// Its results are those of its program, one by one, and it neither reads nor assigns anything else.
  bool isStraight = false;
  /// What C++ has asked, in order; where another call has another answer, it takes another path.
  std::vector<Guard> guards;
  RecordedNow now;
  /// What goes this way and another one, if there is that: `stitched`. Then this path is for calls which are ops.
  JitPath *both = nullptr;
  /// Of what goes both ways, one of them.
  JitPath *side = nullptr;
  /// How often calls have come to this path, or left it, by its last answer, since which call.
  uint32_t changes = 0;
  uint64_t changesSince = 0;
  /// Calls that took it, where there are others.
  uint64_t calls = 0;
  /// Of a path with guards, all that was recorded, what the trace has dropped included, as `renumbered` gives it.
  TraceBody recorded;
  /// Where C++ has asked after something was seen: what runs in place of the trace, which other paths may have begun.
  std::vector<std::unique_ptr<JitPiece>> pieces;
  /// Of one that serves the call that has recorded it, as some of it has happened by then: the one for later calls.
  std::unique_ptr<JitPath> later;

  /// Sets isStraight, when all else is there.
  void findStraight();
  /// It serves one call, which is not worth a program.
  bool isOnce() const { return makesVariables || !refused.empty(); }
  /// Of one that is not reusable, why.
  std::string whyOnce() const;
  /// False if it reads values of an interpreter, or serves one call.
  bool isReusable() const;
  bool isCut() const { return !pieces.empty(); }
  /// The piece that reads a Variable first.
  size_t pieceOf(const VariableUse &use) const {
    size_t piece = 0;
    while (piece + 1 < pieces.size() && pieces[piece + 1]->piece.guards < use.guardsBefore)
      ++piece;
    return piece;
  }
  /// Whether the first `count` answers are those of `other`.
  bool answersAlike(const JitPath &other, size_t count) const;
  /// Whether `other` is a path of calls that have another answer, this one, at guard `number` of this path.
  bool leadsTo(const JitPath &other, uint32_t number, int64_t answer) const {
    return answersAlike(other, number) && number < other.guards.size() && other.guards[number].answer == answer;
  }
  /// Whether it is recorded alike, with the same answers.
  bool isSame(const JitPath &other) const;
  /// False if a Variable that it reads or assigns is gone.
  bool isAlive() const { return state.variables.empty() || areVariablesAlive(); }
  /// Whether an array that it uses was captured from a handle that was assigned after the trace.
  bool isStale() const {
    for (const auto &each : handles)
      if (each->areStale()) [[unlikely]]
        return true;
    return false;
  }
  /// Of the trace and of what it reads.
  size_t bytes() const;
  /// The trace that stands alone: its outputs are all results, then the written
  /// leaves, then the assigned Variables, those included that a call takes from elsewhere. Constants among
  /// them are further captured inputs.
  Lowered whole() const;

private:
  bool areVariablesAlive() const;
};

/// Whether what two recordings have captured may stand for each other: arrays that a function makes of numbers are
/// others each time.
bool areCapturedAlike(const Array &a, const Array &b);
/// Of a captured Variable whose value is asked for at each call, whether it is the same one.
bool isSameVariable(const VariableUse &a, const VariableUse &b);

/// A call that is transformed, where the transformation has to go through what a recording takes from outside of it:
/// what comes of a host_call and is asked for, or a Variable that is read after it is assigned. Nothing has happened:
/// it is called as plain C++.
struct NeedsPlainCall : Error {
  using Error::Error;
};
/// The same where it asks, or calls the host, and is within another one that is recorded, of which it cannot become a
/// part on the way: for other sizes than the call's, or under a tape.
[[noreturn]] void refuseWithin(Location at);
/// The same of one that would have to let happen what a transformation stands in front of.
[[noreturn]] void refuseTransformed(Location at);
/// The same of one that reads a Variable after it has assigned it, while a tape looks on.
[[noreturn]] void refuseOnTape(Location at);
/// An Error where a leaf is written that is there twice.
void expectWritable(const JitState &state, const JitCall &call, const std::string &name);
/// An Error where a traced run of a function has changed what is part of the signature.
void expectStructure(const JitCall &call, const std::string &structure, const std::string &name);

/// What a function gave that has become a part of what is recorded around, as is known there: see
/// Record::mayBecomePart. No path is recorded.
struct BecamePart {
  JitTraced traced;
};
/// An Error where a function that has run on what stands around it has changed what it may not, or updated what is
/// there twice.
void expectUpdates(const JitCall &call, const JitTraced &traced, const std::string &name);

/// Runs the function on values of a Record called `name`. An Error if it changes
/// what is part of the signature.
/// `exploration`: there are no elements to answer what C++ asks. `isTrial`: if the function throws, it will be recorded
/// once more, so that nothing is to be seen of it. `happened`: it goes on with a call; where it is not what has begun
/// the call, `isOther` says so, and the path is none.
JitPath recordPath(const JitCall &call, const Signature &signature, const std::string &name, Exploration *exploration,
                   bool isTrial, Happened *happened = nullptr);

} // namespace tenon::detail

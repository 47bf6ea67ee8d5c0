//===- Guard.h - what C++ asks of traced values ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `if (sum(x) > 1)` while a jitted function is traced is answered by computing what it
// asks for from the call's own inputs. The answer is noted as the op `guard`: it ends
// the program of a later call in which the answer would be another one, and that call
// takes another path through the function.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Trace.h"

#include <tenon/array.h>
#include <tenon/error.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tenon {

/// A guard of a program that ran did not hold: nothing was written, assigned or seen.
class GuardFailed : public Error {
public:
  GuardFailed(uint32_t number, int64_t answer, const std::string &place, Location at);
  /// Which one, in the order in which they run, since the count was last 0.
  uint32_t number;
  /// The bits of its value.
  int64_t answer;
};

/// Of a recording that refuses the sizes of these inputs: throws GuardFailed where, of the guards before the op that
/// does, one does not hold. A call with other answers is not this recording's to refuse.
void expectAnswers(const TraceBody &recorded, std::span<const Array> inputs);

/// How many guards have held on this thread.
extern thread_local constinit uint32_t guardsHeld;

/// Counts from 0 while it lives.
class GuardCount {
public:
  GuardCount() : before_(std::exchange(guardsHeld, 0)) {}
  ~GuardCount() { guardsHeld = before_; }
  GuardCount(const GuardCount &) = delete;

private:
  uint32_t before_;
};

/// A guard of what is recorded: none is in a region of another op.
struct Guard {
  int64_t answer;
  Dtype dtype; ///< of what it asks for
  /// Which of the body's ops it is.
  size_t op;
  std::string place;
};
/// Its answer, or another one's bits, as a person writes it.
std::string answerText(const Guard &guard, int64_t answer);
/// In the order in which they run.
std::vector<Guard> guardsOf(const TraceBody &body);
/// Whether it has some, or what is called in it has, as what is derived from a recording may.
bool hasGuards(const TraceBody &body);
/// Whether an op is seen from outside when it runs, or something in its regions is: guards are not, nor are checks,
/// which do nothing or end the call.
bool isSeen(const TraceBody &body, const TraceOp &op);
/// Whether it has any effect, a guard's included.
bool hasEffect(const TraceBody &body, const TraceOp &op);
/// The same, where a check is something, too: whether more happens than that its results are there.
bool happens(const TraceBody &body, const TraceOp &op);
/// Whether anything in it does.
bool happens(const TraceBody &body);
/// Whether ops of the same kinds happen, in both and in what is recorded within them, and give as many results. Which
/// function of the host that is may have changed since.
bool happensAlike(const TraceBody &a, const TraceOp &x, const TraceBody &b, const TraceOp &y);
/// Whether a guard comes after what is seen from outside: a call that it ends would be seen twice.
bool asksLate(const TraceBody &body);
/// Whether the two have recorded the same up to op number `ops`. What they captured may have other elements, and
/// functions of the host are the same if their types are.
bool beginAlike(const TraceBody &a, const TraceBody &b, size_t ops);
/// The same of all before guard `number` of both, which asks for the same value.
bool asksAlike(const TraceBody &a, const TraceBody &b, size_t number);
/// What it does if all its guards hold.
TraceRef withoutGuards(const TraceRef &trace);
/// The same of all of them.
bool areAlike(const Trace &a, const Trace &b);

} // namespace tenon

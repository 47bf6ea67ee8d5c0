//===- Cursor.cpp - positions in datasets -----------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Stage.h"
#include "lib/program/OutsideOfPrograms.h"

#include <optional>

using namespace tenon;
using namespace tenon::data;

//===----------------------------------------------------------------------===//
// Epochs
//===----------------------------------------------------------------------===//

namespace tenon::data::detail {
class EpochCounter {
public:
  explicit EpochCounter(int64_t next, bool isPinned) : next_(next), isPinned_(isPinned) {}
  int64_t next() { return isPinned_ ? next_.load() : next_.fetch_add(1); }
  std::atomic<int64_t> references = 1;

private:
  std::atomic<int64_t> next_;
  bool isPinned_;
};
} // namespace tenon::data::detail

void data::detail::retain(EpochCounter *counter) { ++counter->references; }
void data::detail::release(EpochCounter *counter) {
  if (--counter->references == 0)
    delete counter;
}
data::detail::CounterRef data::detail::make_counter() { return CounterRef(new EpochCounter(0, false)); }
data::detail::CounterRef data::detail::pinned_counter(int64_t epoch, Location at) {
  if (epoch < 0)
    throw Error("data::Dataset.epoch: expected an epoch of at least 0, got " + std::to_string(epoch), at);
  return CounterRef(new EpochCounter(epoch, true));
}
int64_t data::detail::next_epoch(const CounterRef &counter) { return counter.get()->next(); }

//===----------------------------------------------------------------------===//
// Cursors
//===----------------------------------------------------------------------===//

namespace tenon::data::detail {
class CursorBody {
public:
  CursorBody(const StageRef &stage, int64_t epoch, bool isSaved) : stage_(stage), epoch_(epoch) {
    if (isSaved) {
      const tenon::detail::OutsideOfPrograms outside;
      epochVariable = Variable(Array(epoch), "epoch", false);
      positionVariable = Variable(Array(int64_t(0)), "position", false);
    }
  }

  int64_t epoch() {
    read();
    return epoch_;
  }
  int64_t position() {
    read();
    return position_;
  }
  void seek(int64_t epoch, int64_t position) {
    const tenon::detail::OutsideOfPrograms outside;
    moveTo(epoch, position);
    write();
  }

  void *next() {
    const tenon::detail::OutsideOfPrograms outside;
    read();
    Item item;
    try {
      if (!walk_) {
        walk_ = stageOf(stage_).start(epoch_);
        walk_->skip(position_);
      }
      if (!walk_->next(item))
        item.reset();
    } catch (...) {
      walk_.reset(); // what has thrown does not go on: the next call begins a new one here
      throw;
    }
    if (item.get()) {
      ++position_;
    } else {
      walk_.reset();
      ++epoch_;
      position_ = 0;
    }
    write();
    return item.release();
  }

  /// Empty handles if the position is not saved.
  Variable epochVariable, positionVariable;
  std::atomic<int64_t> references = 1;

private:
  /// A checkpoint may have assigned the Variables.
  void read() {
    if (!epochVariable.has_value())
      return;
    const tenon::detail::OutsideOfPrograms outside;
    moveTo(epochVariable.item<int64_t>(), positionVariable.item<int64_t>());
  }
  void write() const {
    if (!epochVariable.has_value())
      return;
    epochVariable.assign(Array(epoch_));
    positionVariable.assign(Array(position_));
  }
  void moveTo(int64_t epoch, int64_t position) {
    if (epoch == epoch_ && position == position_)
      return;
    walk_.reset();
    epoch_ = epoch;
    position_ = position;
  }

  StageRef stage_;
  WalkPtr walk_; ///< stands at position_; null: none has been started
  int64_t epoch_, position_ = 0;
};
} // namespace tenon::data::detail

void data::detail::retain(CursorBody *body) { ++body->references; }
void data::detail::release(CursorBody *body) {
  if (--body->references == 0)
    delete body;
}

static void expectPosition(int64_t epoch, int64_t position, const char *name, Location at) {
  if (epoch < 0 || position < 0)
    throw Error(std::string(name) + ": expected an epoch and a position of at least 0, got " + std::to_string(epoch) +
                    " and " + std::to_string(position),
                at);
}

data::detail::CursorRef data::detail::make_cursor(const StageRef &stage, int64_t epoch, bool isSaved, Location at) {
  expectPosition(epoch, 0, "data::Dataset.cursor", at);
  return CursorRef(new CursorBody(stage, epoch, isSaved));
}
void *data::detail::next_element(const CursorRef &cursor) { return cursor.get()->next(); }
int64_t data::detail::epoch_of(const CursorRef &cursor) { return cursor.get()->epoch(); }
int64_t data::detail::position_of(const CursorRef &cursor) { return cursor.get()->position(); }
void data::detail::seek(const CursorRef &cursor, int64_t epoch, int64_t position, Location at) {
  expectPosition(epoch, position, "data::Cursor.seek", at);
  cursor.get()->seek(epoch, position);
}
Variable &data::detail::epoch_variable(const CursorRef &cursor) { return cursor.get()->epochVariable; }
Variable &data::detail::position_variable(const CursorRef &cursor) { return cursor.get()->positionVariable; }

//===- Interleave.cpp - datasets made of elements ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Stage.h"

#include <algorithm>
#include <vector>

using namespace tenon;
using namespace tenon::data::detail;

namespace {
class InterleaveStage final : public PipeStage {
public:
  InterleaveStage(const StageRef &source, const Callback &function, int64_t cycleLength, int64_t blockLength,
                  const char *name, const ElementOps *ops, Location at)
      : PipeStage(source, ops, at), function_(function), cycleLength_(cycleLength), blockLength_(blockLength),
        name_(name) {}
  WalkPtr start(int64_t epoch) const override { return std::make_unique<InterleaveWalk>(*this, epoch); }

private:
  class InterleaveWalk final : public Walk {
  public:
    InterleaveWalk(const InterleaveStage &stage, int64_t epoch)
        : stage_(stage), epoch_(epoch), source_(stage.source().start(epoch)) {}
    bool next(Item &out) override {
      return advance(1, [&](Walk &walk, int64_t) { return walk.next(out) ? 1 : 0; }) == 1;
    }
    int64_t skip(int64_t count) override {
      return advance(count, [&](Walk &walk, int64_t part) { return walk.skip(part); });
    }

  private:
    struct Inner {
      StageRef stage;
      WalkPtr walk; ///< null: there is none
    };

    /// Passes over elements, by `pass(walk, count)`, which returns how many there were.
    template <class Pass>
    int64_t advance(int64_t count, const Pass &pass) {
      int64_t done = 0;
      while (done < count) {
        Inner &inner = cycle_[current_];
        if (!inner.walk && !start(inner)) {
          if (open_ == 0)
            return done;
          goToNext();
          continue;
        }
        const int64_t part = std::min(count - done, left_), got = pass(*inner.walk, part);
        done += got;
        left_ -= got;
        if (got < part) { // in its next turn another one takes its place
          inner.walk.reset();
          --open_;
        }
        if (got < part || left_ == 0)
          goToNext();
      }
      return done;
    }
    void goToNext() {
      current_ = (current_ + 1) % cycle_.size();
      left_ = stage_.blockLength_;
    }
    /// Begins the dataset of the source's next element; false: there is none.
    bool start(Inner &inner) {
      Item item;
      hasEnded_ = hasEnded_ || !source_->next(item);
      if (hasEnded_)
        return false;
      try {
        inner.stage =
            StageRef(static_cast<Stage *>(stage_.function_.call(stage_.function_.state, item.get(), nullptr, number_)));
      } catch (...) {
        rethrowForElement(stage_.name_, epoch_, number_, item.origin, stage_.at);
      }
      ++number_;
      ++open_;
      inner.walk = stageOf(inner.stage).start(epoch_);
      return true;
    }

    const InterleaveStage &stage_;
    int64_t epoch_, number_ = 0;
    WalkPtr source_;
    std::vector<Inner> cycle_ = std::vector<Inner>(static_cast<size_t>(stage_.cycleLength_));
    size_t current_ = 0;
    int64_t open_ = 0;                   ///< datasets in the cycle
    int64_t left_ = stage_.blockLength_; ///< elements of the current dataset in this turn
    bool hasEnded_ = false;
  };

  Owned<Callback> function_;
  int64_t cycleLength_, blockLength_;
  const char *name_;
};
} // namespace

StageRef data::detail::interleave_stage(const StageRef &source, const Callback &function, int64_t cycle_length,
                                        int64_t block_length, const char *name, const ElementOps *ops, Location at) {
  return makeStage<InterleaveStage>(source, function, cycle_length, block_length, name, ops, at);
}

//===- Order.cpp - stages that choose among elements ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Order.h"

#include <tenon/data.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::data;
using namespace tenon::data::detail;

namespace {
/// A walk through some elements of one other.
class PartWalk : public Walk {
public:
  explicit PartWalk(WalkPtr source) : source_(std::move(source)) {}
  const Rows *rows() const override { return source_->rows(); }
  bool next(Item &out) final { return goToNext() && source_->next(out); }
  int64_t nextRow() final { return goToNext() ? source_->nextRow() : -1; }

protected:
  /// Before each element; false: there is none.
  virtual bool goToNext() = 0;
  Walk &source() { return *source_; }

private:
  WalkPtr source_;
};

class TakeWalk final : public PartWalk {
public:
  TakeWalk(WalkPtr source, int64_t count) : PartWalk(std::move(source)), left_(count) {}
  bool goToNext() override { return left_ > 0 && left_-- > 0; }
  int64_t skip(int64_t count) override {
    count = source().skip(std::min(count, left_));
    left_ -= count;
    return count;
  }

private:
  int64_t left_;
};

class SkipWalk final : public PartWalk {
public:
  SkipWalk(WalkPtr source, int64_t count) : PartWalk(std::move(source)), first_(count) {}
  bool goToNext() override {
    const int64_t first = std::exchange(first_, 0);
    return first == 0 || source().skip(first) == first;
  }
  int64_t skip(int64_t count) override {
    const int64_t first = std::exchange(first_, 0), whole = saturatedSum(first, count);
    return std::max<int64_t>(source().skip(whole) - first, 0);
  }

private:
  int64_t first_;
};

class ShardWalk final : public PartWalk {
public:
  ShardWalk(WalkPtr source, int64_t count, int64_t index)
      : PartWalk(std::move(source)), count_(count), between_(index) {}
  bool goToNext() override {
    const int64_t between = std::exchange(between_, count_ - 1);
    return source().skip(between) == between;
  }
  int64_t skip(int64_t count) override {
    if (count == 0)
      return 0;
    const int64_t first = std::exchange(between_, count_ - 1);
    const int64_t whole = saturatedSum(saturatedSum(first, saturatedProduct(count - 1, count_)), 1);
    const int64_t got = source().skip(whole);
    return got == whole ? count : got <= first ? 0 : (got - first - 1) / count_ + 1;
  }

private:
  int64_t count_, between_;
};

class PartStage final : public PipeStage {
public:
  PartStage(const StageRef &source, const SameSpec &spec) : PipeStage(source, spec.at), spec_(spec) {}
  WalkPtr start(int64_t epoch) const override {
    WalkPtr walk = source().start(epoch);
    if (spec_.kind == StageKind::take)
      return std::make_unique<TakeWalk>(std::move(walk), spec_.count);
    if (spec_.kind == StageKind::skip)
      return std::make_unique<SkipWalk>(std::move(walk), spec_.count);
    return std::make_unique<ShardWalk>(std::move(walk), spec_.count, spec_.index);
  }
  std::optional<int64_t> size() const override {
    const std::optional<int64_t> size = source().size();
    if (!size)
      return {};
    if (spec_.kind == StageKind::take)
      return std::min(*size, spec_.count);
    if (spec_.kind == StageKind::skip)
      return std::max<int64_t>(*size - spec_.count, 0);
    return *size <= spec_.index ? 0 : (*size - spec_.index - 1) / spec_.count + 1;
  }

private:
  SameSpec spec_;
};

/// Walks one after another.
class ChainWalk : public Walk {
public:
  bool next(Item &out) final {
    while (current()) {
      if (current_->next(out))
        return isPassed_ = true;
      finish();
    }
    return false;
  }
  int64_t nextRow() final {
    while (current()) {
      const int64_t row = current_->nextRow();
      if (row >= 0) {
        isPassed_ = true;
        return row;
      }
      finish();
    }
    return -1;
  }
  int64_t skip(int64_t count) final {
    int64_t done = 0;
    while (done < count && current()) {
      const int64_t got = current_->skip(count - done);
      isPassed_ = isPassed_ || got > 0;
      done += got;
      if (done < count)
        finish();
    }
    return done;
  }

protected:
  /// Null: there is none.
  virtual WalkPtr startNext() = 0;
  /// A walk has ended without an element.
  virtual void noteEmpty() {}

private:
  Walk *current() {
    if (!current_ && !hasEnded_) {
      current_ = startNext();
      hasEnded_ = !current_;
    }
    return current_.get();
  }
  void finish() {
    current_.reset();
    if (!std::exchange(isPassed_, false))
      noteEmpty();
  }

  WalkPtr current_;
  bool hasEnded_ = false, isPassed_ = false;
};

class RepeatStage final : public PipeStage {
public:
  RepeatStage(const StageRef &source, const SameSpec &spec) : PipeStage(source, spec.at), count_(spec.count) {}
  WalkPtr start(int64_t epoch) const override { return std::make_unique<RepeatWalk>(*this, epoch); }
  std::optional<int64_t> size() const override {
    const std::optional<int64_t> size = source().size();
    return size && count_ >= 0 ? std::optional(saturatedProduct(*size, count_)) : std::nullopt;
  }

private:
  bool isEndless() const { return count_ < 0; }
  class RepeatWalk final : public ChainWalk {
  public:
    RepeatWalk(const RepeatStage &stage, int64_t epoch)
        : stage_(stage),
          first_(stage.isEndless() ? static_cast<int64_t>(static_cast<uint64_t>(epoch) << 32) : epoch * stage.count_) {}
    const Rows *rows() const override { return probe_->rows(); }

  private:
    WalkPtr startNext() override {
      if (!stage_.isEndless() && pass_ == stage_.count_)
        return nullptr;
      return stage_.source().start(first_ + pass_++);
    }
    void noteEmpty() override {
      if (stage_.isEndless())
        throw Error(
            "data::repeat: expected a dataset with elements, got an empty one, which cannot be repeated for ever",
            stage_.at);
    }

    const RepeatStage &stage_;
    int64_t first_, pass_ = 0;
    WalkPtr probe_ = stage_.source().start(first_); ///< says whether there are rows
  };

  int64_t count_;
};

class ConcatenateStage final : public PipeStage {
public:
  ConcatenateStage(const StageRef &first, const StageRef &second)
      : PipeStage(first, second.get()->at), second_(second) {}
  WalkPtr start(int64_t epoch) const override { return std::make_unique<ConcatenateWalk>(*this, epoch); }
  std::optional<int64_t> size() const override {
    const std::optional<int64_t> first = source().size(), second = second_.get()->size();
    return first && second ? std::optional(saturatedSum(*first, *second)) : std::nullopt;
  }

private:
  class ConcatenateWalk final : public ChainWalk {
  public:
    ConcatenateWalk(const ConcatenateStage &stage, int64_t epoch) : stage_(stage), epoch_(epoch) {}

  private:
    WalkPtr startNext() override {
      ++started_;
      return started_ == 1   ? stage_.source().start(epoch_)
             : started_ == 2 ? stageOf(stage_.second_).start(epoch_)
                             : nullptr;
    }
    const ConcatenateStage &stage_;
    int64_t epoch_;
    int started_ = 0;
  };

  StageRef second_;
};
} // namespace

StageRef data::detail::same_stage(const StageRef &source, const SameSpec &spec) {
  switch (spec.kind) {
  case StageKind::shuffle:
    return shuffleStage(source, spec.count, spec.seed, spec.at);
  case StageKind::repeat:
    return makeStage<RepeatStage>(source, spec);
  case StageKind::cache:
    return cacheStage(source, spec.at);
  case StageKind::prefetch:
    return prefetchStage(source, spec.count, spec.at);
  case StageKind::take:
  case StageKind::skip:
  case StageKind::shard:
    break;
  }
  return makeStage<PartStage>(source, spec);
}

StageRef data::detail::concatenate_stage(const StageRef &first, const StageRef &second) {
  return makeStage<ConcatenateStage>(first, second);
}

data::detail::Same data::shard(int64_t count, int64_t index, Location at) {
  expect_at_least("shard", "a count of at least 1", 1, count, at);
  if (index < 0 || index >= count)
    throw Error(
        "data::shard: expected an index from 0 to " + std::to_string(count - 1) + ", got " + std::to_string(index), at);
  return {{.kind = StageKind::shard, .count = count, .index = index, .at = at}};
}

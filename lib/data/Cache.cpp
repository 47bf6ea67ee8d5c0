//===- Cache.cpp - elements that stay in memory ----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Order.h"
#include "lib/data/Stage.h"

#include <mutex>
#include <vector>

using namespace tenon;
using namespace tenon::data::detail;

namespace {
class CacheStage final : public PipeStage {
public:
  using PipeStage::PipeStage;
  WalkPtr start(int64_t) const override {
    // Rows are in memory already.
    WalkPtr walk = source().start(0);
    if (walk->rows())
      return walk;
    return std::make_unique<CacheWalk>(*this);
  }
  std::optional<int64_t> size() const override { return source().size(); }

private:
  class CacheWalk final : public Walk {
  public:
    explicit CacheWalk(const CacheStage &stage) : stage_(stage) {}
    bool next(Item &out) override {
      std::lock_guard lock(stage_.lock_);
      if (!stage_.fillTo(next_ + 1))
        return false;
      out = stage_.items_[next_++].copy();
      return true;
    }
    int64_t skip(int64_t count) override {
      std::lock_guard lock(stage_.lock_);
      const size_t first = next_;
      const auto wanted = first + static_cast<size_t>(count);
      next_ = stage_.fillTo(wanted) ? wanted : std::max(first, stage_.items_.size());
      return static_cast<int64_t>(next_ - first);
    }

  private:
    const CacheStage &stage_;
    size_t next_ = 0;
  };

  /// Whether there are so many elements.
  bool fillTo(size_t count) const {
    while (items_.size() < count && !hasEnded_) {
      if (!walk_) { // again where the last one has thrown
        walk_ = source().start(0);
        walk_->skip(static_cast<int64_t>(items_.size()));
      }
      Item item;
      try {
        hasEnded_ = !walk_->next(item);
      } catch (...) {
        walk_.reset();
        throw;
      }
      if (hasEnded_)
        walk_.reset();
      else
        items_.push_back(std::move(item));
    }
    return items_.size() >= count;
  }

  mutable std::mutex lock_; // of all below
  mutable std::vector<Item> items_;
  mutable WalkPtr walk_;
  mutable bool hasEnded_ = false;
};
} // namespace

StageRef data::detail::cacheStage(const StageRef &source, Location at) { return makeStage<CacheStage>(source, at); }

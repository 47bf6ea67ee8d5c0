//===- Batch.cpp - several elements as one, and back ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Order.h"
#include "lib/data/Rows.h"

#include <algorithm>
#include <deque>

using namespace tenon;
using namespace tenon::data::detail;

/// A batch of one element, its arrays without the axis.
static Item converted(const Owned<Callback> &convert, const ElementOps *ops, Item item) {
  if (!convert.call)
    return item;
  return {convert.call(convert.state, item.get(), nullptr, 0), ops, std::move(item.origin)};
}

namespace {
class BatchStage final : public PipeStage {
public:
  BatchStage(const StageRef &source, const BatchSpec &spec, const Callback &convert, const ElementOps *ops)
      : PipeStage(source, ops, spec.at), spec_(spec), convert_(convert) {}
  WalkPtr start(int64_t epoch) const override { return std::make_unique<BatchWalk>(*this, epoch); }
  std::optional<int64_t> size() const override {
    const std::optional<int64_t> size = source().size();
    return size ? std::optional(batchesOf(*size)) : std::nullopt;
  }

private:
  int64_t batchesOf(int64_t elements) const {
    return elements / spec_.size + (elements % spec_.size != 0 && !spec_.drop_remainder);
  }

  class BatchWalk final : public Walk {
  public:
    BatchWalk(const BatchStage &stage, int64_t epoch) : stage_(stage), source_(stage.source().start(epoch)) {}
    bool next(Item &out) override { return source_->rows() ? nextOfRows(out) : nextOfElements(out); }
    int64_t skip(int64_t count) override {
      const int64_t whole = saturatedProduct(count, stage_.spec_.size), got = source_->skip(whole);
      return got == whole ? count : stage_.batchesOf(got);
    }

  private:
    bool isGiven(size_t count) const {
      return count > 0 && (count == static_cast<size_t>(stage_.spec_.size) || !stage_.spec_.drop_remainder);
    }
    bool nextOfRows(Item &out) {
      numbers_.clear();
      for (int64_t row; static_cast<int64_t>(numbers_.size()) < stage_.spec_.size && (row = source_->nextRow()) >= 0;)
        numbers_.push_back(row);
      if (!isGiven(numbers_.size()))
        return false;
      out = source_->rows()->stack(numbers_);
      return true;
    }
    bool nextOfElements(Item &out) {
      std::vector<Item> items;
      for (Item item; static_cast<int64_t>(items.size()) < stage_.spec_.size && source_->next(item);)
        items.push_back(converted(stage_.convert_, stage_.ops, std::move(item)));
      if (!isGiven(items.size()))
        return false;
      const BatchSpec &spec = stage_.spec_;
      out = stackItems(items, spec.isPadded ? &spec.value : nullptr,
                       spec.isPadded ? "data::padded_batch" : "data::batch", stage_.at);
      return true;
    }

    const BatchStage &stage_;
    WalkPtr source_;
    std::vector<int64_t> numbers_;
  };

  BatchSpec spec_;
  Owned<Callback> convert_;
};

class WindowStage final : public PipeStage {
public:
  WindowStage(const StageRef &source, int64_t length, int64_t shift, const Callback &convert, const ElementOps *ops,
              Location at)
      : PipeStage(source, ops, at), length_(length), shift_(shift), convert_(convert) {}
  WalkPtr start(int64_t epoch) const override { return std::make_unique<WindowWalk>(*this, epoch); }
  std::optional<int64_t> size() const override {
    const std::optional<int64_t> size = source().size();
    return size ? std::optional(windowsOf(*size)) : std::nullopt;
  }

private:
  int64_t windowsOf(int64_t elements) const { return elements < length_ ? 0 : (elements - length_) / shift_ + 1; }

  class WindowWalk final : public Walk {
  public:
    WindowWalk(const WindowStage &stage, int64_t epoch)
        : stage_(stage), epoch_(epoch), source_(stage.source().start(epoch)) {}
    bool next(Item &out) override {
      if (gap_ > 0 && source_->skip(std::exchange(gap_, 0)) < lastGap_)
        return false;
      for (Item item; static_cast<int64_t>(held_.size()) < stage_.length_;) {
        if (!source_->next(item))
          return false;
        held_.push_back(converted(stage_.convert_, stage_.ops, std::move(item)));
      }
      std::vector<Item> items;
      for (const Item &item : held_)
        items.push_back(item.copy());
      out = stackItems(items, nullptr, "data::window", stage_.at);
      isBegun_ = true;
      const int64_t gone = std::min(stage_.shift_, stage_.length_);
      held_.erase(held_.begin(), held_.begin() + gone);
      gap_ = lastGap_ = stage_.shift_ - gone;
      return true;
    }
    int64_t skip(int64_t count) override {
      if (isBegun_ || count == 0)
        return Walk::skip(count);
      const int64_t needed = saturatedSum(saturatedProduct(count - 1, stage_.shift_), stage_.length_);
      count = std::min(count, stage_.windowsOf(stage_.source().start(epoch_)->skip(needed)));
      source_->skip(saturatedProduct(count, stage_.shift_));
      return count;
    }

  private:
    const WindowStage &stage_;
    int64_t epoch_;
    WalkPtr source_;
    std::deque<Item> held_; ///< the front of the next window
    int64_t gap_ = 0, lastGap_ = 0;
    bool isBegun_ = false;
  };

  int64_t length_, shift_;
  Owned<Callback> convert_;
};

class UnbatchStage final : public PipeStage {
public:
  using PipeStage::PipeStage;
  WalkPtr start(int64_t epoch) const override { return std::make_unique<UnbatchWalk>(*this, epoch); }

private:
  class UnbatchWalk final : public Walk {
  public:
    UnbatchWalk(const UnbatchStage &stage, int64_t epoch) : stage_(stage), source_(stage.source().start(epoch)) {}
    bool next(Item &out) override {
      if (!goToNext())
        return false;
      out = rows_->element(row_++);
      out.origin = origin_;
      return true;
    }
    int64_t skip(int64_t count) override {
      int64_t done = 0;
      while (done < count && goToNext()) {
        const int64_t part = std::min(count - done, rows_->count() - row_);
        row_ += part;
        done += part;
      }
      return done;
    }

  private:
    /// Whether there is a row.
    bool goToNext() {
      while (!rows_ || row_ == rows_->count()) {
        Item item;
        if (!source_->next(item))
          return false;
        origin_ = item.origin;
        rows_.emplace(tenon::detail::TreeRef{item.get(), stage_.ops->tree}, stage_.ops, "data::unbatch", stage_.at);
        row_ = 0;
      }
      return true;
    }

    const UnbatchStage &stage_;
    WalkPtr source_;
    std::optional<Rows> rows_;
    int64_t row_ = 0;
    Origin origin_;
  };
};
} // namespace

StageRef data::detail::batch_stage(const StageRef &source, const BatchSpec &spec, Callback convert,
                                   const ElementOps *ops) {
  return makeStage<BatchStage>(source, spec, convert, ops);
}

StageRef data::detail::bufferedWindows(const StageRef &source, int64_t length, int64_t shift, const Callback &convert,
                                       const ElementOps *ops, Location at) {
  return makeStage<WindowStage>(source, length, shift, convert, ops, at);
}

StageRef data::detail::unbatch_stage(const StageRef &source, Location at) {
  return makeStage<UnbatchStage>(source, at);
}

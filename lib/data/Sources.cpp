//===- Sources.cpp - datasets of arrays, numbers and generators -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Order.h"
#include "lib/data/Rows.h"

#include <tenon/data.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::data;
using namespace tenon::data::detail;

namespace {
/// Rows 0, 1, ... of some arrays.
class RowsWalk final : public Walk {
public:
  explicit RowsWalk(const Rows &rows) : rows_(rows) {}
  bool next(Item &out) override {
    if (next_ == rows_.count())
      return false;
    out = rows_.element(next_++);
    return true;
  }
  int64_t nextRow() override { return next_ == rows_.count() ? -1 : next_++; }
  int64_t skip(int64_t count) override {
    count = std::min(count, rows_.count() - next_);
    next_ += count;
    return count;
  }
  const Rows *rows() const override { return &rows_; }

private:
  const Rows &rows_;
  int64_t next_ = 0;
};

class RowsStage final : public Stage {
public:
  RowsStage(Rows rows, const ElementOps *ops, Location at) : Stage(ops, at), rows_(std::move(rows)) {}
  WalkPtr start(int64_t) const override { return std::make_unique<RowsWalk>(rows_); }
  std::optional<int64_t> size() const override { return rows_.count(); }
  const Rows *allRows() const override { return &rows_; }

private:
  Rows rows_;
};

class IndexedStage final : public Stage {
public:
  IndexedStage(const Callback &element, int64_t count, const ElementOps *ops, Location at)
      : Stage(ops, at), element_(element), count_(count) {}
  WalkPtr start(int64_t) const override { return std::make_unique<IndexedWalk>(*this); }
  std::optional<int64_t> size() const override { return count_; }

private:
  class IndexedWalk final : public Walk {
  public:
    explicit IndexedWalk(const IndexedStage &stage) : stage_(stage) {}
    bool next(Item &out) override {
      if (next_ == stage_.count_)
        return false;
      out = {stage_.element_.call(stage_.element_.state, nullptr, nullptr, next_), stage_.ops};
      ++next_;
      return true;
    }
    int64_t skip(int64_t count) override {
      count = std::min(count, stage_.count_ - next_);
      next_ += count;
      return count;
    }

  private:
    const IndexedStage &stage_;
    int64_t next_ = 0;
  };

  Owned<Callback> element_;
  int64_t count_;
};

class GeneratorStage final : public Stage {
public:
  GeneratorStage(const Generator &generator, const ElementOps *ops, Location at)
      : Stage(ops, at), generator_(generator) {}
  WalkPtr start(int64_t epoch) const override { return std::make_unique<GeneratorWalk>(*this, epoch); }

private:
  class GeneratorWalk final : public Walk {
  public:
    GeneratorWalk(const GeneratorStage &stage, int64_t epoch)
        : stage_(stage), epoch_(epoch), state_(stage.generator_.start(stage.generator_.state)) {}
    ~GeneratorWalk() override { stage_.generator_.destroy(state_); }
    bool next(Item &out) override {
      if (hasEnded_)
        return false;
      void *element = nullptr;
      try {
        element = stage_.generator_.next(state_);
      } catch (...) {
        rethrowForElement("data::from_generator", epoch_, number_, {}, stage_.at);
      }
      hasEnded_ = !element;
      ++number_;
      if (element)
        out = {element, stage_.ops};
      return element;
    }

  private:
    const GeneratorStage &stage_;
    int64_t epoch_, number_ = 0;
    void *state_;
    bool hasEnded_ = false;
  };

  Owned<Generator> generator_;
};
} // namespace

StageRef data::detail::slices_stage(tenon::detail::TreeRef tree, const ElementOps *ops, Location at) {
  return makeStage<RowsStage>(Rows(tree, ops, "data::from_slices", at), ops, at);
}

StageRef data::detail::indexed_stage(const Callback &element, int64_t count, const ElementOps *ops, Location at) {
  return makeStage<IndexedStage>(element, count, ops, at);
}

StageRef data::detail::generator_stage(const Generator &generator, const ElementOps *ops, Location at) {
  return makeStage<GeneratorStage>(generator, ops, at);
}

/// Windows of rows are rows as well, of which none is copied before it is batched.
static const Rows *plainRows(const StageRef &source) {
  const Rows *rows = stageOf(source).allRows();
  return rows && !rows->hasWindows() ? rows : nullptr;
}

StageRef data::detail::window_stage(const StageRef &source, int64_t length, int64_t shift, Callback convert,
                                    const ElementOps *ops, Location at) {
  if (const Rows *rows = plainRows(source))
    return makeStage<RowsStage>(Rows(*rows, length, shift), ops, at);
  return bufferedWindows(source, length, shift, convert, ops, at);
}

Dataset<int64_t> data::range(int64_t start, int64_t stop, int64_t step, Location at) {
  if (step == 0)
    throw Error("data::range: expected a step other than 0, got 0", at);
  const bool isEmpty = step > 0 ? start >= stop : start <= stop;
  const uint64_t distance = step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                     : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  const uint64_t count = isEmpty ? 0 : (distance - 1) / stride + 1;
  if (count > INT64_MAX)
    throw Error("data::range: expected at most 2^63 - 1 numbers, got more", at);
  struct Progression {
    int64_t start, step;
  };
  const Callback number{[](const void *state, const void *, const Key *, int64_t i) -> void * {
                          const auto &its = *static_cast<const Progression *>(state);
                          return new int64_t(its.start + i * its.step);
                        },
                        &destroy_function<Progression>, new Progression{start, step}};
  return Dataset<int64_t>(indexed_stage(number, static_cast<int64_t>(count), &element_ops<int64_t>, at));
}
Dataset<int64_t> data::range(int64_t stop, Location at) { return range(0, stop, 1, at); }

//===- Map.cpp - functions of elements ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Map.h"
#include "lib/data/Rows.h"

#include <algorithm>
#include <vector>

using namespace tenon;
using namespace tenon::data::detail;

MapWork::MapWork(const Callback &function, const MapSpec &spec, const ElementOps *ops, int64_t epoch)
    : function_(function), spec_(spec), ops_(ops), epoch_(epoch) {
  if (!spec.takesKey)
    return;
  key_ = random::fold_in(random::key(spec.seed), epoch); // its low word
  if (const int64_t high = epoch >> 32)
    key_ = random::fold_in(*key_, high);
}

Item MapWork::operator()(const Item &item, int64_t number) const {
  try {
    std::optional<Key> key;
    if (key_)
      key = random::fold_in(*key_, number);
    return {function_.call(function_.state, item.get(), key ? &*key : nullptr, number), ops_, item.origin};
  } catch (...) {
    rethrowForElement(spec_.name, epoch_, number, item.origin, spec_.at);
  }
}

namespace {
class MapStage final : public PipeStage {
public:
  MapStage(const StageRef &source, const Callback &function, const MapSpec &spec, const ElementOps *ops)
      : PipeStage(source, ops, spec.at), function_(function), spec_(spec) {}
  WalkPtr start(int64_t epoch) const override {
    MapWork work(function_, spec_, ops, epoch);
    if (spec_.workers == 0)
      return std::make_unique<MapWalk>(source().start(epoch), std::move(work));
    return workersWalk(source().start(epoch), std::move(work), {spec_.name, spec_.workers, 0, 16, spec_.ordered});
  }
  std::optional<int64_t> size() const override { return source().size(); }

private:
  class MapWalk final : public Walk {
  public:
    MapWalk(WalkPtr source, MapWork work) : source_(std::move(source)), work_(std::move(work)) {}
    bool next(Item &out) override {
      Item item;
      if (!source_->next(item))
        return false;
      out = work_(item, number_++);
      return true;
    }
    int64_t skip(int64_t count) override {
      count = source_->skip(count);
      number_ += count;
      return count;
    }

  private:
    WalkPtr source_;
    MapWork work_;
    int64_t number_ = 0;
  };

  Owned<Callback> function_;
  MapSpec spec_;
};

class FilterStage final : public PipeStage {
public:
  FilterStage(const StageRef &source, const Test &test, Location at) : PipeStage(source, at), test_(test) {}
  WalkPtr start(int64_t epoch) const override { return std::make_unique<FilterWalk>(*this, epoch); }

private:
  class FilterWalk final : public Walk {
  public:
    FilterWalk(const FilterStage &stage, int64_t epoch)
        : stage_(stage), epoch_(epoch), source_(stage.source().start(epoch)) {}
    bool next(Item &out) override {
      while (source_->next(out))
        if (passes(out))
          return true;
      return false;
    }
    const Rows *rows() const override { return source_->rows(); }
    int64_t nextRow() override {
      int64_t row;
      while ((row = source_->nextRow()) >= 0 && !passes(source_->rows()->element(row))) {
      }
      return row;
    }

  private:
    bool passes(const Item &item) {
      try {
        const bool result = stage_.test_.call(stage_.test_.state, item.get());
        ++number_;
        return result;
      } catch (...) {
        rethrowForElement("data::filter", epoch_, number_, item.origin, stage_.at);
      }
    }

    const FilterStage &stage_;
    int64_t epoch_;
    WalkPtr source_;
    int64_t number_ = 0;
  };

  Owned<Test> test_;
};

class ZipStage final : public Stage {
public:
  ZipStage(const std::vector<StageRef> &sources, const Callback &combine, const ElementOps *ops)
      : Stage(ops, sources[0].get()->at), sources_(sources), combine_(combine) {}
  WalkPtr start(int64_t epoch) const override { return std::make_unique<ZipWalk>(*this, epoch); }
  std::optional<int64_t> size() const override {
    std::optional<int64_t> least;
    for (const StageRef &source : sources_) {
      const std::optional<int64_t> size = source.get()->size();
      if (!size)
        return {};
      least = std::min(*size, least.value_or(*size));
    }
    return least;
  }

private:
  class ZipWalk final : public Walk {
  public:
    ZipWalk(const ZipStage &stage, int64_t epoch) : stage_(stage) {
      for (const StageRef &source : stage.sources_)
        sources_.push_back(stageOf(source).start(epoch));
    }
    bool next(Item &out) override {
      std::vector<Item> items(sources_.size());
      std::vector<const void *> objects;
      for (size_t i = 0; i < sources_.size(); ++i) {
        if (hasEnded_ || !sources_[i]->next(items[i])) {
          hasEnded_ = true;
          return false;
        }
        objects.push_back(items[i].get());
      }
      out = {stage_.combine_.call(stage_.combine_.state, objects.data(), nullptr, 0), stage_.ops,
             std::move(items[0].origin)};
      return true;
    }
    int64_t skip(int64_t count) override {
      int64_t least = hasEnded_ ? 0 : count;
      for (const WalkPtr &source : sources_)
        least = std::min(least, source->skip(least));
      hasEnded_ = hasEnded_ || least < count;
      return least;
    }

  private:
    const ZipStage &stage_;
    std::vector<WalkPtr> sources_;
    bool hasEnded_ = false;
  };

  std::vector<StageRef> sources_;
  Owned<Callback> combine_;
};
} // namespace

StageRef data::detail::map_stage(const StageRef &source, const Callback &function, const MapSpec &spec,
                                 const ElementOps *ops) {
  return makeStage<MapStage>(source, function, spec, ops);
}
StageRef data::detail::filter_stage(const StageRef &source, const Test &test, Location at) {
  return makeStage<FilterStage>(source, test, at);
}
StageRef data::detail::zip_stage(const std::vector<StageRef> &sources, const Callback &combine, const ElementOps *ops) {
  return makeStage<ZipStage>(sources, combine, ops);
}

//===- Shuffle.cpp - a random order ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Order.h"
#include "lib/data/Rows.h"
#include "runtime/math/Threefry.h"

#include <algorithm>
#include <vector>

using namespace tenon;
using namespace tenon::data::detail;

namespace {
/// The numbers of an epoch's draws.
class Draws {
public:
  Draws(uint64_t seed, int64_t epoch) {
    k0_ = static_cast<uint32_t>(seed >> 32), k1_ = static_cast<uint32_t>(seed);
    foldIn(static_cast<uint32_t>(epoch));
    if (const auto high = static_cast<uint32_t>(epoch >> 32))
      foldIn(high);
  }
  /// The next one, below `count`.
  size_t below(size_t count) {
    const auto [high, low] = math::randomWords<uint32_t>(k0_, k1_, number_++);
    const uint64_t bits = uint64_t(high) << 32 | low;
    return static_cast<size_t>((static_cast<unsigned __int128>(bits) * count) >> 64);
  }

private:
  /// As random::fold_in.
  void foldIn(uint32_t number) {
    uint32_t high = 0, low = number;
    math::threefry2x32(k0_, k1_, high, low);
    k0_ = high, k1_ = low;
  }

  uint32_t k0_, k1_;
  uint64_t number_ = 0;
};

class ShuffleStage final : public PipeStage {
public:
  ShuffleStage(const StageRef &source, int64_t buffer, uint64_t seed, Location at)
      : PipeStage(source, at), buffer_(buffer), seed_(seed) {}
  WalkPtr start(int64_t epoch) const override { return std::make_unique<ShuffleWalk>(*this, epoch); }
  std::optional<int64_t> size() const override { return source().size(); }

private:
  class ShuffleWalk final : public Walk {
  public:
    ShuffleWalk(const ShuffleStage &stage, int64_t epoch)
        : stage_(stage), epoch_(epoch), source_(stage.source().start(epoch)), draws_(stage.seed_, epoch) {}
    const Rows *rows() const override { return source_->rows(); }
    bool next(Item &out) override {
      if (const Rows *of = rows()) {
        const int64_t row = nextRow();
        if (row >= 0)
          out = of->element(row);
        return row >= 0;
      }
      return draw(elements_, out, [&](Item &element) { return source_->next(element); });
    }
    int64_t nextRow() override {
      int64_t row = -1;
      draw(numbers_, row, [&](int64_t &number) { return (number = source_->nextRow()) >= 0; });
      return row;
    }
    int64_t skip(int64_t count) override { return hasBegun_ ? Walk::skip(count) : skipFromStart(count); }

  private:
    /// Takes an element of the buffer at random; `pull` gives the next one of the source.
    template <class T, class Pull>
    bool draw(std::vector<T> &buffer, T &out, const Pull &pull) {
      hasBegun_ = true;
      while (!hasEnded_ && buffer.size() < static_cast<size_t>(stage_.buffer_)) {
        T element{};
        hasEnded_ = !pull(element);
        if (!hasEnded_)
          buffer.push_back(std::move(element));
      }
      if (buffer.empty())
        return false;
      const size_t chosen = draws_.below(buffer.size());
      out = std::move(buffer[chosen]);
      T element{};
      hasEnded_ = hasEnded_ || !pull(element);
      if (!hasEnded_) {
        buffer[chosen] = std::move(element);
      } else {
        if (chosen + 1 != buffer.size())
          buffer[chosen] = std::move(buffer.back());
        buffer.pop_back();
      }
      return true;
    }

    /// Draws the numbers of elements, then reads those alone that are in the buffer afterwards.
    int64_t skipFromStart(int64_t count) {
      if (count == 0)
        return 0;
      const int64_t all = stage_.source().start(epoch_)->skip(saturatedSum(stage_.buffer_, count));
      count = std::min(count, all);
      std::vector<int64_t> buffer;
      int64_t pulled = 0, number;
      auto pull = [&](int64_t &next) {
        next = pulled;
        return pulled < all && ++pulled > 0;
      };
      for (int64_t i = 0; i < count; ++i)
        draw(buffer, number, pull);
      load(buffer);
      return count;
    }

    void load(const std::vector<int64_t> &buffer) {
      std::vector<std::pair<int64_t, size_t>> places; // element, place in the buffer
      for (size_t i = 0; i < buffer.size(); ++i)
        places.emplace_back(buffer[i], i);
      std::sort(places.begin(), places.end());
      if (rows())
        numbers_.resize(buffer.size());
      else
        elements_.resize(buffer.size());
      int64_t at = 0;
      for (const auto &[number, place] : places) {
        source_->skip(number - at);
        if (rows())
          numbers_[place] = source_->nextRow();
        else
          source_->next(elements_[place]);
        at = number + 1;
      }
    }

    const ShuffleStage &stage_;
    int64_t epoch_;
    WalkPtr source_;
    Draws draws_;
    std::vector<Item> elements_;
    std::vector<int64_t> numbers_; ///< of rows, in place of the elements
    bool hasBegun_ = false, hasEnded_ = false;
  };

  int64_t buffer_;
  uint64_t seed_;
};
} // namespace

StageRef data::detail::shuffleStage(const StageRef &source, int64_t buffer, uint64_t seed, Location at) {
  return makeStage<ShuffleStage>(source, buffer, seed, at);
}

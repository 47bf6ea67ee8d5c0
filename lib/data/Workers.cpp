//===- Workers.cpp - elements that threads compute ahead ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Map.h"
#include "lib/data/Order.h"
#include "lib/program/OutsideOfPrograms.h"
#include "lib/random/DefaultDraws.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

using namespace tenon;
using namespace tenon::data::detail;

namespace {
/// One thread at a time takes the next elements of the source, a block; the others work meanwhile. Blocks wait in a
/// queue, in which each has its place if they are ordered. A block has more elements where these take less time, since
/// handing one over costs some microseconds.
class WorkersWalk final : public Walk {
public:
  WorkersWalk(WalkPtr source, std::optional<MapWork> work, const WorkersSpec &spec)
      : source_(std::move(source)), work_(std::move(work)), spec_(spec) {}
  ~WorkersWalk() override {
    {
      std::lock_guard lock(lock_);
      isStopped_ = true;
    }
    mayWork_.notify_all();
    for (std::thread &thread : threads_)
      thread.join();
  }

  bool next(Item &out) override {
    if (threads_.empty())
      startThreads();
    while (taken_ == current_.items.size()) {
      if (current_.error)
        std::rethrow_exception(current_.error);
      if (!takeBlock())
        return false;
    }
    out = std::move(current_.items[taken_++]);
    return true;
  }
  int64_t skip(int64_t count) override {
    if (!threads_.empty())
      return Walk::skip(count);
    const int64_t done = source_->skip(count);
    next_ += done;
    return done;
  }

private:
  struct Block {
    std::vector<Item> items;
    std::exception_ptr error; ///< in place of the element behind them
    bool isReady = false;
  };
  using Clock = std::chrono::steady_clock;

  void startThreads() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // handlers of the user's run on the user's threads
    try {
      for (int i = 0; i < spec_.threads; ++i)
        threads_.emplace_back([this] { run(); });
    } catch (const std::system_error &) {
      // Fewer threads do the same.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (threads_.empty())
      throw Error(std::string(spec_.name) + ": the system allows no thread");
  }

  /// The next block; false: there is none.
  bool takeBlock() {
    std::unique_lock lock(lock_);
    isReady_.wait(lock, [&] { return blocks_.empty() ? hasEnded_ && inWork_ == 0 : blocks_.front().isReady; });
    if (blocks_.empty())
      return false;
    current_ = std::move(blocks_.front());
    taken_ = 0;
    blocks_.pop_front();
    ++firstBlock_;
    ahead_ -= static_cast<int64_t>(current_.items.size());
    lock.unlock();
    mayWork_.notify_one();
    return true;
  }

  void run() {
    const tenon::detail::OutsideOfPrograms outside; // its floating-point mode: a thread has that of its maker
    const tenon::detail::NoDefaultDraws noDraws(spec_.name);
    std::unique_lock lock(lock_);
    while (true) {
      mayWork_.wait(lock, [&] { return isStopped_ || hasEnded_ || (!isPulling_ && hasRoom()); });
      if (isStopped_ || hasEnded_)
        return;
      isPulling_ = true;
      ++inWork_;
      const int64_t number = nextBlock_++, wanted = blockSize_;
      ahead_ += wanted;
      if (spec_.isOrdered)
        blocks_.emplace_back();
      lock.unlock();
      Block block;
      const Clock::time_point start = Clock::now();
      const int64_t first = next_; // nobody else pulls
      const bool isWhole = pull(block, wanted);

      lock.lock();
      isPulling_ = false;
      hasEnded_ = hasEnded_ || !isWhole;
      ahead_ -= wanted - static_cast<int64_t>(block.items.size());
      lock.unlock();
      if (isWhole)
        mayWork_.notify_one();
      else
        mayWork_.notify_all();
      if (work_)
        work(block, first);

      lock.lock();
      adapt(Clock::now() - start, wanted);
      finish(std::move(block), number);
    }
  }

  /// Takes elements of the source; false: there are no more, or it has thrown.
  bool pull(Block &block, int64_t wanted) {
    try {
      while (static_cast<int64_t>(block.items.size()) < wanted) {
        Item item;
        if (!source_->next(item))
          return false;
        ++next_;
        block.items.push_back(std::move(item));
      }
      return true;
    } catch (...) {
      block.error = std::current_exception();
      return false;
    }
  }
  void work(Block &block, int64_t first) {
    for (size_t i = 0; i < block.items.size(); ++i) {
      try {
        block.items[i] = (*work_)(block.items[i], first + static_cast<int64_t>(i));
      } catch (...) {
        block.error = std::current_exception();
        block.items.resize(i);
      }
    }
  }
  /// Under the lock: the block is ready.
  void finish(Block block, int64_t number) {
    block.isReady = true;
    --inWork_;
    if (spec_.isOrdered)
      blocks_[static_cast<size_t>(number - firstBlock_)] = std::move(block);
    else
      blocks_.push_back(std::move(block));
    isReady_.notify_one();
  }

  /// Under the lock: a block should take some 200 us.
  void adapt(Clock::duration taken, int64_t size) {
    if (size != blockSize_)
      return;
    if (taken < std::chrono::microseconds(100))
      blockSize_ = std::min(2 * size, spec_.maxBlock);
    else if (taken > std::chrono::microseconds(500))
      blockSize_ = std::max<int64_t>(size / 2, 1);
  }
  bool hasRoom() const { return ahead_ < (spec_.capacity ? spec_.capacity : 2 * spec_.threads * blockSize_); }

  WalkPtr source_;
  std::optional<MapWork> work_;
  const WorkersSpec spec_;
  std::vector<std::thread> threads_;
  Block current_; ///< of the reader
  size_t taken_ = 0;
  int64_t next_ = 0; ///< the next element of the source; of who pulls

  std::mutex lock_; // of all below
  std::condition_variable mayWork_, isReady_;
  std::deque<Block> blocks_;
  int64_t nextBlock_ = 0, firstBlock_ = 0; ///< numbers of the next block, and of the first in the queue
  int64_t ahead_ = 0;                      ///< elements in work and in the queue
  int64_t blockSize_ = 1;
  int inWork_ = 0;
  bool isPulling_ = false, hasEnded_ = false, isStopped_ = false;
};

class PrefetchStage final : public PipeStage {
public:
  PrefetchStage(const StageRef &source, int64_t count, Location at) : PipeStage(source, at), count_(count) {}
  WalkPtr start(int64_t epoch) const override {
    return workersWalk(source().start(epoch), std::nullopt,
                       {"data::prefetch", 1, count_, std::clamp<int64_t>(count_ / 4, 1, 16), true});
  }
  std::optional<int64_t> size() const override { return source().size(); }

private:
  int64_t count_;
};
} // namespace

WalkPtr data::detail::workersWalk(WalkPtr source, std::optional<MapWork> work, const WorkersSpec &spec) {
  return std::make_unique<WorkersWalk>(std::move(source), std::move(work), spec);
}

StageRef data::detail::prefetchStage(const StageRef &source, int64_t count, Location at) {
  return makeStage<PrefetchStage>(source, count, at);
}

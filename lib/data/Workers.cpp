//===- Workers.cpp - elements that threads compute ahead ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Map.h"
#include "lib/data/Order.h"
#include "lib/program/OutsideOfPrograms.h"
#include "lib/random/DefaultDraws.h"

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
/// One thread at a time takes the next element of the source, with its number; the others work meanwhile. Results wait
/// in a queue, in which each element has its place if they are ordered.
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
    std::unique_lock lock(lock_);
    isReady_.wait(lock, [&] {
      return (!results_.empty() && results_.front().isReady) || (hasEnded_ && inWork_ == 0 && results_.empty());
    });
    if (results_.empty())
      return false;
    Result result = std::move(results_.front());
    results_.pop_front();
    ++firstResult_;
    lock.unlock();
    mayWork_.notify_one();
    if (result.error)
      std::rethrow_exception(result.error);
    out = std::move(result.item);
    return true;
  }
  int64_t skip(int64_t count) override {
    if (!threads_.empty())
      return Walk::skip(count);
    const int64_t done = source_->skip(count);
    next_ += done;
    firstResult_ += done;
    return done;
  }

private:
  struct Result {
    Item item;
    std::exception_ptr error;
    bool isReady = false;
  };

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
      const int64_t number = next_++;
      if (spec_.isOrdered)
        results_.emplace_back();
      lock.unlock();

      Result result;
      bool isThere = false;
      try {
        isThere = source_->next(result.item);
      } catch (...) {
        result.error = std::current_exception();
      }

      lock.lock();
      isPulling_ = false;
      if (!isThere)
        hasEnded_ = true;
      if (!isThere && !result.error) {
        --inWork_;
        if (spec_.isOrdered)
          results_.pop_back(); // nobody has come after it
        mayWork_.notify_all();
        isReady_.notify_one();
        return;
      }
      lock.unlock();
      if (isThere)
        mayWork_.notify_one();
      else
        mayWork_.notify_all();
      if (isThere && work_)
        work(result, number);

      lock.lock();
      result.isReady = true;
      --inWork_;
      if (spec_.isOrdered)
        results_[static_cast<size_t>(number - firstResult_)] = std::move(result);
      else
        results_.push_back(std::move(result));
      isReady_.notify_one();
    }
  }
  void work(Result &result, int64_t number) {
    try {
      result.item = (*work_)(result.item, number);
    } catch (...) {
      result.error = std::current_exception();
    }
  }
  bool hasRoom() const {
    const auto waiting = static_cast<int64_t>(results_.size());
    return (spec_.isOrdered ? waiting : waiting + inWork_) < spec_.capacity;
  }

  WalkPtr source_;
  std::optional<MapWork> work_;
  const WorkersSpec spec_;
  std::vector<std::thread> threads_;

  std::mutex lock_; // of all below
  std::condition_variable mayWork_, isReady_;
  std::deque<Result> results_;
  int64_t next_ = 0, firstResult_ = 0; ///< numbers of the next element of the source, and of the first result
  int inWork_ = 0;
  bool isPulling_ = false, hasEnded_ = false, isStopped_ = false;
};

class PrefetchStage final : public PipeStage {
public:
  PrefetchStage(const StageRef &source, int64_t count, Location at) : PipeStage(source, at), count_(count) {}
  WalkPtr start(int64_t epoch) const override {
    return workersWalk(source().start(epoch), std::nullopt, {"data::prefetch", 1, count_, true});
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

//===- Stage.h - stages of a dataset, and walks through their elements ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Stage describes; a Walk hands out the elements of one epoch. Position p of an epoch is a new walk that skips p
// elements: stages that know their elements by number skip without making them, others make them and drop them.
//
// Rows: where the elements of a walk are slices of arrays (Rows), a walk can hand out their numbers instead. Shuffling,
// taking and skipping work on the numbers, and batches copy the slices right to their places.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/data_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace tenon::data::detail {

using tenon::detail::TreeLeaves;

/// Where in a file an element comes from.
struct Origin {
  std::shared_ptr<const std::string> file;
  const char *unit = "";
  int64_t number = 0;
};

/// An element of some type, or none.
class Item {
public:
  Item() = default;
  Item(void *object, const ElementOps *ops, Origin origin = {})
      : origin(std::move(origin)), object_(object), ops_(ops) {}
  Item(Item &&other) noexcept
      : origin(std::move(other.origin)), object_(std::exchange(other.object_, nullptr)), ops_(other.ops_) {}
  Item &operator=(Item &&other) noexcept {
    std::swap(object_, other.object_);
    std::swap(ops_, other.ops_);
    std::swap(origin, other.origin);
    return *this;
  }
  ~Item() { reset(); }

  void reset() {
    if (object_)
      ops_->destroy(std::exchange(object_, nullptr));
  }
  void *get() const { return object_; }
  void *release() { return std::exchange(object_, nullptr); }
  Item copy() const { return {ops_->copy(object_), ops_, origin}; }
  const ElementOps &ops() const { return *ops_; }

  Origin origin;

private:
  void *object_ = nullptr;
  const ElementOps *ops_ = nullptr;
};

class Rows;

/// The elements of an epoch, handed out once. Used by one thread at a time; after an exception not at all.
class Walk {
public:
  Walk() = default;
  Walk(const Walk &) = delete;
  virtual ~Walk() = default;
  /// The next element; false at the end.
  virtual bool next(Item &out) = 0;
  /// Passes over `count` elements. Returns how many there were, fewer only at the end.
  virtual int64_t skip(int64_t count);
  /// What the elements are rows of; null: nothing.
  virtual const Rows *rows() const { return nullptr; }
  /// In place of next: the number of the row; -1 at the end.
  virtual int64_t nextRow() { return -1; }
};
using WalkPtr = std::unique_ptr<Walk>;

class Stage {
public:
  Stage(const ElementOps *ops, Location at) : ops(ops), at(at) {}
  Stage(const Stage &) = delete;
  virtual ~Stage() = default;
  virtual WalkPtr start(int64_t epoch) const = 0;
  /// Elements of an epoch, if known.
  virtual std::optional<int64_t> size() const { return {}; }
  /// Of a stage whose elements are all rows, in order: these.
  virtual const Rows *allRows() const { return nullptr; }

  const ElementOps *const ops;
  const Location at;

private:
  friend void retain(Stage *stage);
  friend void release(Stage *stage);
  std::atomic<int64_t> references_ = 1;
};

template <class S, class... A>
StageRef makeStage(A &&...arguments) {
  return StageRef(new S(std::forward<A>(arguments)...));
}
inline const Stage &stageOf(const StageRef &ref) { return *ref.get(); }

/// A stage on one other.
class PipeStage : public Stage {
public:
  PipeStage(const StageRef &source, const ElementOps *ops, Location at) : Stage(ops, at), source_(source) {}
  PipeStage(const StageRef &source, Location at) : PipeStage(source, source.get()->ops, at) {}
  const Stage &source() const { return *source_.get(); }

private:
  StageRef source_;
};

/// A function of the user's, owned by a stage. Const calls may run at once.
template <class Function>
class Owned : public Function {
public:
  explicit Owned(const Function &function) : Function(function) {}
  Owned(const Owned &) = delete;
  ~Owned() {
    if (this->destroy)
      this->destroy(this->state);
  }
};

/// a * b, at most INT64_MAX; neither is negative.
inline int64_t saturatedProduct(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}
inline int64_t saturatedSum(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

/// The exception that is being handled, thrown by a user's function or a source, with the element it belongs to.
/// `name`: "data::map".
[[noreturn]] void rethrowForElement(const char *name, int64_t epoch, int64_t number, const Origin &origin, Location at);

} // namespace tenon::data::detail

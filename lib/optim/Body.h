//===- Body.h - what copies of an optimizer share --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/optim/Parts.h"

#include <tenon/optim/loss_scale.h>

#include <map>
#include <mutex>
#include <set>
#include <span>

namespace tenon::optim {

/// A Variable and its gradient as they are given.
struct Given {
  /// In the model; empty: not known.
  std::string_view path;
  const Variable *variable;
  /// Null or empty: none.
  const Array *gradient;
};

class OptimizerBody {
public:
  /// Makes the Transform of an optimizer, with hyperparameters of its own.
  using Recipe = detail::Function<Transform(const Count &count)>;
  struct Averaging {
    std::optional<double> momentum;
    std::optional<int64_t> frequency;
  };

  OptimizerBody(std::string name, Transform transform);
  OptimizerBody(const char *function, std::string name, Recipe recipe, const Averaging &averaging, Location at);
  /// With other Variables of the same values, for other parameters of the same paths.
  OptimizerBody *copy(Location at) const;
  /// The same that takes gradients of scaled losses.
  OptimizerBody *scaled(const LossScaleOptions &options, Location at) const;
  /// Null: it does not scale losses.
  const Variable *lossScale() const;

  void apply(std::span<const Given> given, Location at);
  void build(std::span<const Given> given, const char *what, Location at);
  /// Whether it has seen Variables.
  bool isBuilt() const {
    const std::lock_guard guard(lock_);
    return !members_.empty();
  }
  /// Makes the slot, or assigns it.
  void restore(std::string_view slot, const Operand &value);
  void assignAverages(Location at);
  Variable slot(std::string_view kind, const Variable &variable, Location at);
  /// visit(name, Variable &) for each slot.
  template <class Visit>
  void forEachSlot(Visit &&visit) {
    const std::lock_guard guard(lock_);
    for (auto &[name, slot] : slots_)
      visit(name, slot.variable);
  }

  const std::string name;
  Variable iterations;
  std::vector<Hyperparameter> hyperparameters;
  unsigned references = 1;

private:
  /// A Variable that the optimizer updates.
  struct Member {
    std::string path;
    Variable variable;
  };
  struct Slot {
    Variable variable;
    /// Whether the Transform's state has it: a restored one may wait for its parameter.
    bool isUsed;
  };
  using SlotMap = std::map<std::string, Slot, std::less<>>;
  const Member *find(const Variable &variable) const;
  void requireUsable(std::span<const Given> given, const char *what, Location at) const;
  void addSlots(const std::vector<Member> &members, Location at);
  bool isOfTrace(const std::vector<Member> &members) const;
  SlotMap slotsFor(const std::vector<Member> &members, Location at) const;
  bool isAverage(std::string_view slot) const { return averageMomentum_ && slot.starts_with("average."); }
  void update(std::span<const Given> given, Location at);
  /// `isUpdate`: whether this step updates the Variables; an empty Array: it does.
  void moveAverages(NamedArrays &values, const Array &isUpdate);
  void warnOfMissing(std::span<const Given> given);

  mutable std::recursive_mutex lock_; // of all below
  Transform transform_;
  Recipe recipe_;
  std::optional<Hyperparameter> averageMomentum_;
  std::optional<int64_t> overwriteFrequency_;
  std::vector<Member> members_;
  std::map<uint64_t, size_t> numbers_;
  SlotMap slots_;
  std::set<uint64_t> warned_;
};

} // namespace tenon::optim

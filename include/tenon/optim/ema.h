//===- ema.h - moving averages of weights -------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/detail/state_ref.h>
#include <tenon/tree.h>
#include <tenon/variable.h>

#include <string>
#include <utility>
#include <vector>

namespace tenon::optim {
class EMABody;
void retain(EMABody *body);
void release(EMABody *body);

/// Exponential moving averages of the trainable Variables of a model: `average = decay * average + (1 - decay) *
/// variable`. A handle: copies share the averages. The averages are f32, or f64 for f64 Variables.
///
///   const optim::EMA average{model, 0.999};
///   for (...) { step(x, y); average.update(); }   // also within the jitted step
///   auto scope = average.averaged();              // the model has the averages here
class EMA : public TreeObject {
public:
  /// The model may be unbuilt. Variables that are made trainable later are not averaged. An Error unless `decay` is in
  /// [0, 1), or if the model has no trainable Variables.
  template <class M>
    requires(!std::is_base_of_v<EMA, M>)
  explicit EMA(const M &model, double decay = 0.999, Location at = Location::current()) {
    static_assert(detail::require_tree<M>());
    std::vector<std::pair<std::string, Variable>> found;
    for_each_leaf(model, [&](const auto &leaf, const Path &path) {
      if constexpr (leaf_kind<decltype(leaf)> == LeafKind::variable)
        found.emplace_back(path.str(), leaf);
    });
    make(found, decay, at);
  }

  /// Moves the averages towards the Variables; the first call copies these. An Error if a Variable is not built.
  void update(Location at = Location::current()) const;

  /// Gives the model the averages while it lives, then the Variables their values back; what is assigned to them
  /// meanwhile is lost.
  class [[nodiscard]] Scope {
  public:
    /// An Error before the first update().
    [[nodiscard]] explicit Scope(const EMA &ema, Location at = Location::current());
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    ~Scope();

  private:
    detail::StateRef<EMABody> body_;
    std::vector<Array> before_;
  };
  [[nodiscard]] Scope averaged(Location at = Location::current()) const { return Scope(*this, at); }

  /// The average of a Variable. An Error if there is none.
  Variable average(const Variable &variable, Location at = Location::current()) const;
  /// A Variable, f64.
  Variable decay() const;
  /// The number of updates, i64.
  Variable updates() const;
  void fields(Fields &f) override;

private:
  void make(const std::vector<std::pair<std::string, Variable>> &variables, double decay, Location at);

  detail::StateRef<EMABody> body_;
};

} // namespace tenon::optim

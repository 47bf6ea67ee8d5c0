//===- tree_fields_test.cpp - classes that name their fields -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>

using namespace tenon;
using tenon::test::number;

namespace {
/// Copies share the array, as they do of most handles.
class Handle {
  struct State {
    Array weight = 2.0f;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();

public:
  Handle() = default;
  Array operator()(const Array &x) const { return x * state_->weight; }
  const Array &weight() const { return state_->weight; }
  friend auto tree_fields(Handle &handle) { return std::tie(handle.state_->weight); }
};

/// The same, with a copy constructor that copies.
class Owner {
  struct State {
    Array weight = 2.0f;
  };
  std::unique_ptr<State> state_ = std::make_unique<State>();

public:
  Owner() = default;
  Owner(const Owner &other) : state_(std::make_unique<State>(*other.state_)) {}
  Array operator()(const Array &x) const { return x * state_->weight; }
  const Array &weight() const { return state_->weight; }
  friend auto tree_fields(Owner &owner) { return std::tie(owner.state_->weight); }
};

/// Refers to an array that stands elsewhere.
struct View {
  explicit View(Array &given) : weight(given) {}
  Array &weight;
  friend auto tree_fields(View &view) { return std::tie(view.weight); }
};

/// A key in a place of its own, and a number that all copies share.
class Noise {
  std::shared_ptr<Key> key_;
  std::shared_ptr<int> steps_ = std::make_shared<int>(3);

public:
  explicit Noise(bool isShared) : key_(std::make_shared<Key>(random::key(1))), isShared_(isShared) {}
  Noise(const Noise &other)
      : key_(other.isShared_ ? other.key_ : std::make_shared<Key>(*other.key_)), steps_(other.steps_),
        isShared_(other.isShared_) {}
  const Key &its_key() const { return *key_; }
  friend auto tree_fields(Noise &noise) { return std::tie(*noise.key_, *noise.steps_); }

private:
  bool isShared_;
};

/// A copy has no arrays.
struct Forgetful {
  std::vector<Array> arrays = {1.0f, 2.0f};
  Forgetful() = default;
  Forgetful(const Forgetful &) : arrays() {}
  friend auto tree_fields(Forgetful &its) { return std::tie(its.arrays); }
};

struct Net {
  int depth = 1;
  std::vector<Handle> layers = std::vector<Handle>(2);
};

template <class F>
std::string error_of(F &&f) {
  try {
    f();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}
constexpr auto apply = [](const auto &layer, const Array &x) { return layer(x); };
constexpr std::string_view says = "shares the array at '0' with the original";

#define EXPECT_SHARED(...)                                                                                             \
  {                                                                                                                    \
    const std::string error = error_of([&] { (void)(__VA_ARGS__); });                                                  \
    EXPECT_TRUE(error.find(says) != std::string::npos && error.find("Handle") != std::string::npos &&                  \
                error.find("tree_fields_test.cpp:" + std::to_string(__LINE__)) != std::string::npos)                   \
        << error;                                                                                                      \
    EXPECT_EQ(number(handle.weight()), 2) << "the original";                                                           \
  }

TEST(SharedFields, AreRefusedInArguments) {
  Handle handle;
  const Array x = 3.0f;
  EXPECT_SHARED(grad(apply)(handle, x));
  EXPECT_SHARED(value_and_grad(apply)(std::as_const(handle), x));
  EXPECT_SHARED(vjp(apply, handle, x));
  EXPECT_SHARED(jvp(apply, std::tuple(handle, x), std::tuple(handle, x)));
  EXPECT_SHARED(linearize(apply, handle, x));
  EXPECT_SHARED(jit(apply)(handle, x));
  EXPECT_SHARED(jit(apply)(Handle(handle), x));
  EXPECT_SHARED(jit(apply).lower(handle, x));
  EXPECT_SHARED(vmap(apply, {.in_axes = {none, 0}})(handle, Array({1.0f, 2.0f})));
  EXPECT_SHARED(jacobian([](const Handle &layer) { return layer.weight(); })(handle));
  EXPECT_SHARED(host_call(apply, TensorSpec(f32, Shape{}), handle, x));
  EXPECT_SHARED(while_loop([](const Handle &layer) { return layer.weight() < 9; },
                           [](const Handle &layer) { return layer; }, handle));
}

TEST(SharedFields, AreRefusedInCopies) {
  Handle handle;
  auto twice = [](const Array &leaf) { return leaf * 2; };
  EXPECT_SHARED(tree_map(twice, handle));
  EXPECT_SHARED(tree_map(twice, std::as_const(handle)));
  EXPECT_SHARED(tree_map(twice, Handle(handle)));
  EXPECT_SHARED(tree_copy(handle));
  EXPECT_SHARED(tree_unflatten(handle, std::vector<Array>{5.0f}));
  // In place it is the user's own array.
  assign_leaves(handle, std::vector<Array>{5.0f});
  EXPECT_EQ(number(handle.weight()), 5);
  const std::string error = error_of([&] { (void)tree_copy(Net()); });
  EXPECT_NE(error.find("Net' shares the array at 'layers[0].0' with"), std::string::npos) << error;
  EXPECT_NE(error.find("write a copy constructor that copies them"), std::string::npos) << error;
}

TEST(SharedFields, AreRefusedInResults) {
  Handle handle;
  const Array x = {1.0f, 2.0f};
  auto given = [&](const Array &) { return handle; };
  auto kept = [&](const Array &) -> const Handle & { return handle; };
  EXPECT_SHARED(jit(given)(x));
  EXPECT_SHARED(jit(kept)(x));
  EXPECT_SHARED(vmap(given)(x));
  EXPECT_SHARED(vjp(given, x));
  EXPECT_SHARED(jvp(given, x, x));
}

TEST(SharedFields, AreRefusedInMaps) {
  Handle handle;
  assign_leaves(handle, std::vector<Array>{Array({1.0f, 2.0f, 3.0f})});
  const std::string error =
      error_of([&] { (void)tenon::map([](const Handle &layer) { return layer.weight() * 2; }, handle, {.batch = 2}); });
  EXPECT_NE(error.find(says), std::string::npos) << error;
  EXPECT_EQ(handle.weight().to_vector<float>(), (std::vector<float>{1, 2, 3}));
}

TEST(SharedFields, AreRefusedOnATape) {
  Handle handle;
  GradientTape tape;
  tape.watch(handle.weight());
  const Array loss = handle(3.0f);
  const std::string error = error_of([&] { (void)tape.gradient(loss, handle); });
  EXPECT_NE(error.find(says), std::string::npos) << error;
  EXPECT_EQ(number(handle.weight()), 2);
}

TEST(SharedFields, MayBeReferencesAndKeys) {
  Array weight = 2.0f;
  const View view(weight);
  EXPECT_NE(error_of([&] { (void)grad([](const View &its) { return its.weight * 2; })(view); }).find(says),
            std::string::npos);
  EXPECT_EQ(number(weight), 2);
  auto f = jit([](const Noise &noise) { return random::normal(noise.its_key(), {2}); });
  EXPECT_NE(error_of([&] { (void)f(Noise(true)); }).find(says), std::string::npos);
  const Noise own(false);
  EXPECT_EQ(f(own).to_vector<float>(), random::normal(own.its_key(), {2}).to_vector<float>())
      << "copies may share numbers";
}

TEST(SharedFields, AreNotThoseOfACopyConstructor) {
  const Owner owner;
  const Array x = 3.0f;
  EXPECT_EQ(number(grad(apply)(owner, x).weight()), 3);
  EXPECT_EQ(number(jit(apply)(owner, x)), 6);
  EXPECT_EQ(number(jit([](const Owner &its) { return its; })(owner).weight()), 2);
  EXPECT_EQ(number(tree_map([](const Array &leaf) { return leaf * 2; }, owner).weight()), 4);
  EXPECT_EQ(number(tree_map([](const Array &leaf) { return leaf * 2; }, Owner(owner)).weight()), 4);
  EXPECT_EQ(number(owner.weight()), 2);
  const std::string error = error_of([] { (void)tree_copy(Forgetful()); });
  EXPECT_NE(error.find("as many arrays as the original, 2, got 0"), std::string::npos) << error;
}

// Functions for templates, and those that are for other classes.
template <class T>
struct Layer {
  explicit Layer(T given) : weight(std::move(given)) {}
  T weight;
};
template <class T>
auto tree_fields(Layer<T> &layer) {
  return std::tie(layer.weight);
}
struct SpecialLayer : Layer<Array> {
  Array more;
};

template <class Model>
struct Module {
  friend auto tree_fields(Model &model) { return model.fields(); }
};
class Linear : public Module<Linear> {
public:
  explicit Linear(Array scale) : scale_(std::move(scale)) {}
  Array scale_, offset_ = 1.0f;
  auto fields() { return std::tie(scale_, offset_); }
};

namespace concepts {
template <class T>
concept HasFields = requires(T &tree) { tree.fields(); };
struct Dense {
  explicit Dense(Array given) : kernel(std::move(given)) {}
  Array kernel;
  auto fields() { return std::tie(kernel); }
};
struct Plain {
  Array a, b;
};
auto tree_fields(HasFields auto &tree) { return tree.fields(); }
} // namespace concepts

namespace greedy {
struct Plain {
  Array a, b;
};
struct Closed {
  explicit Closed(Array given) : a(std::move(given)) {}
  Array a;
};
[[maybe_unused]] auto tree_fields(auto &tree) { return std::tie(tree.a); }
} // namespace greedy

struct Both {
  explicit Both(Array given) : a(std::move(given)) {}
  Array a;
  const int kind = 7;
};
auto tree_fields(Both &both) { return std::tie(both.a, both.kind); }
[[maybe_unused]] auto tree_fields(const Both &both) { return std::tie(both.a); }

TEST(TreeFields, AreFoundForTemplates) {
  static_assert(Tree<Layer<Array>> && Tree<const Layer<std::vector<Array>>> && field_count<Layer<Array>>() == 1);
  static_assert(!Tree<SpecialLayer> && !Tree<Layer<int *>>);
  auto f = jit([](const Layer<Array> &layer) { return layer.weight * 2; });
  EXPECT_EQ(number(f(Layer<Array>(1.0f))), 2);
  EXPECT_EQ(number(f(Layer<Array>(4.0f))), 8);
  EXPECT_EQ(f.trace_count(), 1u);
  const Layer<Array> slope = grad([](const Layer<Array> &layer) { return layer.weight * 3; })(Layer<Array>(1.0f));
  EXPECT_EQ(number(slope.weight), 3);
}

TEST(TreeFields, AreFoundForBasesWithAParameter) {
  static_assert(Tree<Linear> && field_count<Linear>() == 2);
  EXPECT_EQ(number(grad([](const Linear &its) { return its.scale_ * 3; })(Linear(1.0f)).scale_), 3);
}

TEST(TreeFields, AreFoundByAConceptButNotForAnyType) {
  static_assert(Tree<concepts::Dense> && field_count<concepts::Dense>() == 1);
  static_assert(Tree<concepts::Plain> && field_count<concepts::Plain>() == 2);
  static_assert(field_count<greedy::Plain>() == 2 && !Tree<greedy::Closed>);
}

TEST(TreeFields, AreThoseOfTheReferenceThatIsNotConst) {
  static_assert(Tree<Both> && field_count<Both>() == 2);
  EXPECT_EQ(number(jit([](const Both &both) { return both.a * both.kind; })(Both(2.0f))), 14);
}
} // namespace

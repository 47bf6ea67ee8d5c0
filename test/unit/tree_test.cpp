//===- tree_test.cpp - trees: fields, paths, structure, mapping --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/array.h>
#include <tenon/tree.h>
#if __has_include(<tenon/random.h>)
#include <tenon/random.h>
#else
struct tenon::Key {
  uint32_t words[2];
};
#endif

#include <gtest/gtest.h>

using namespace tenon;

namespace {

enum class Activation { relu, tanh };

struct Empty {};

struct Dense {
  Array kernel, bias;
};

struct Net {
  std::vector<Dense> layers;
  std::map<std::string, Array> heads;
  std::optional<Array> scale;
  Activation activation = Activation::tanh;
  std::string name;
};

struct Everything {
  Array w_1, w_12, _w;
  Array taps[2];
  Dense pair_of[2][1];
  std::array<Array, 2> fixed;
  std::tuple<Array, int, Dense> mixed;
  std::tuple<> nothing;
  std::pair<float, Array> weighted;
  std::map<int, std::vector<Array>> by_step;
  std::optional<Dense> extra, missing;
  std::vector<bool> mask;
  Empty empty;
  Key key;
  bool training;
};

struct Shared {
  Array scale;
};
/// Neither an aggregate nor without a base: it names its fields.
class Layer : public Shared {
public:
  explicit Layer(float scale) : Shared{Array(scale)}, bias_(scale * 2), calls_(0) {}
  const Array &bias() const { return bias_; }
  int calls() const { return calls_; }
  void call() { ++calls_; }

private:
  Array bias_;
  int calls_;
  friend auto tree_fields(Layer &layer) { return std::tie(layer.scale, layer.bias_); }
};
struct DerivedLayer : Layer {
  using Layer::Layer;
  Array more;
};
class Stack {
public:
  Layer first{1};
  std::vector<Layer> rest{Layer(2), Layer(3)};
  int depth = 3;
  Stack() = default;
  Stack(const Stack &) = default;
};
auto tree_fields(Stack &stack) { return std::tie(stack.first, stack.rest, stack.depth); }

struct Node {
  Array value;
  std::vector<Node> children;
};

struct Wide {
  Array a00, a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,
      a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39;
};

struct Corners {
  int sizes[3];
  char tag[8];
  Array one[1];
  std::string names[2];
  [[no_unique_address]] Empty empty;
  std::optional<std::optional<Array>> twice;
  const int fixed = 3;
  float rate = 0.5f;
  std::vector<Corners> inner;
  Array operator()(const Array &x) const { return x; }
};

struct NoDefault {
  explicit NoDefault(int);
};
struct Late {
  Array first;
  NoDefault second;
  int third;
};
struct Derived : Dense {
  Array more;
};
struct Borrowing {
  Array own;
  const Array &other;
};
class Closed {
  Array hidden;

public:
  const Array &get() const { return hidden; }
};
union Either {
  int number;
  float real;
};

Net makeNet(int layers) {
  Net net{{}, {{"left", Array(10.0f)}, {"right", Array(20.0f)}}, Array(30.0f), Activation::relu, "mlp"};
  for (int i = 0; i < layers; ++i)
    net.layers.push_back({Array(float(2 * i)), Array(float(2 * i + 1))});
  return net;
}

Everything makeEverything() {
  return {Array(0.0f),
          Array(1.0f),
          Array(2.0f),
          {Array(3.0f), Array(4.0f)},
          {{{Array(5.0f), Array(6.0f)}}, {{Array(7.0f), Array(8.0f)}}},
          {Array(9.0f), Array(10.0f)},
          {Array(11.0f), 7, {Array(12.0f), Array(13.0f)}},
          {},
          {0.5f, Array(14.0f)},
          {{-3, {Array(15.0f)}}, {8, {Array(16.0f), Array(17.0f)}}},
          Dense{Array(18.0f), Array(19.0f)},
          std::nullopt,
          {true, false},
          {},
          {},
          true};
}

std::vector<float> numbers(const std::vector<Array> &leaves) {
  std::vector<float> out;
  for (const Array &leaf : leaves)
    out.push_back(leaf.item<float>());
  return out;
}

template <class T>
std::vector<std::string> paths(const T &tree) {
  std::vector<std::string> out;
  for_each_leaf(tree, [&](const auto &leaf, const Path &path) {
    const char *kinds[] = {"", "key ", "variable ", "static "};
    out.push_back(kinds[int(leaf_kind<decltype(leaf)>)] + path.str());
  });
  return out;
}

template <class T>
std::string bytes(const T &tree) {
  StructureBytes out;
  append_structure(out, tree);
  return std::string(out.view());
}

template <class T>
std::string mapError(const T &first, const T &second) {
  try {
    tree_map([](const Array &x, const Array &) { return x; }, first, second);
  } catch (const Error &error) {
    std::string text = error.what();
    return text.substr(0, text.rfind("\n  at "));
  }
  return "no error";
}

using Strings = std::vector<std::string>;

TEST(Fields, AreCountedBesideGreedyConstructors) {
  static_assert(field_count<Empty>() == 0);
  static_assert(field_count<Dense>() == 2);
  static_assert(field_count<Net>() == 5);
  static_assert(field_count<Everything>() == 16);
  static_assert(field_count<Wide>() == 40);
  static_assert(field_count<Late>() == 3);
  static_assert(field_count<Corners>() == 9);
}

TEST(Fields, HaveNames) {
  auto names = field_names<Everything>();
  EXPECT_EQ(Strings(names.begin(), names.end()),
            (Strings{"w_1", "w_12", "_w", "taps", "pair_of", "fixed", "mixed", "nothing", "weighted", "by_step",
                     "extra", "missing", "mask", "empty", "key", "training"}));
  struct Local {
    int x;
    Array y_;
  };
  static_assert(field_names<Local>()[1] == "y_");
  static_assert(field_names<Wide>()[0] == "a00" && field_names<Wide>()[39] == "a39");
  static_assert(field_names<Empty>().size() == 0);
}

TEST(Fields, MayBeArraysConstantsAndEmpty) {
  Corners tree{{1, 2, 3}, "tag", {Array(1.0f)}, {"a", "b"}, {}, Array(2.0f), 4, 0.25f, {}};
  EXPECT_EQ(tree_structure(tree), std::string(type_name<Corners>) +
                                      "{sizes: [1, 2, 3], tag: [116, 97, 103, 0, 0, 0, 0, 0], one: [Array], names: "
                                      "[\"a\", \"b\"], empty: " +
                                      std::string(type_name<Empty>) +
                                      "{}, twice: Array, fixed: 4, rate: 0.25, inner: []}");
  Corners doubled = tree_map([](const Array &x) { return Array(2.0f * x.item<float>()); }, tree);
  EXPECT_EQ(numbers(tree_leaves(doubled)), (std::vector<float>{2, 4}));
}

TEST(Fields, AreThoseOfTreeFields) {
  static_assert(Tree<Layer> && Tree<const Layer> && Tree<Stack> && field_count<Stack>() == 3);
  static_assert(!Tree<DerivedLayer>, "the fields of a base class alone are not those of the class");
  Stack stack;
  stack.first.call();
  std::string paths;
  for_each_leaf(stack, [&](auto &, const Path &path) { paths += path.str() + " "; });
  EXPECT_EQ(paths, "0.0 0.1 1[0].0 1[0].1 1[1].0 1[1].1 2 ");
  EXPECT_TRUE(tree_structure(stack.first).ends_with("Layer{0: Array, 1: Array}")) << tree_structure(stack.first);
  const Stack doubled = tree_map([](const Array &leaf) { return leaf * 2; }, std::as_const(stack));
  EXPECT_EQ(doubled.rest[1].bias().item<float>(), 12);
  EXPECT_EQ(doubled.first.calls(), 1) << "other members are copied";
  EXPECT_EQ(stack.rest[1].bias().item<float>(), 6);
  EXPECT_EQ(tree_leaves(stack).size(), 6u);
}

TEST(Tree, IsAConcept) {
  static_assert(Tree<Array> && Tree<Array &> && Tree<const Net &> && Tree<Everything> && Tree<Wide> && Tree<Node> &&
                Tree<Empty> && Tree<int> && Tree<std::vector<std::map<long, Dense>>>);
  static_assert(!Tree<const char *> && !Tree<Array *> && !Tree<std::vector<Dense *>> && !Tree<Closed> &&
                !Tree<Derived> && !Tree<Borrowing> && !Tree<Either> && !Tree<Late> && !Tree<std::map<float, Array>> &&
                !Tree<std::optional<Closed>> && !Tree<std::string_view>);
}

TEST(Tree, KnowsWhetherATypeHoldsArrays) {
  static_assert(has_array_leaves<Net> && has_array_leaves<Node> && has_array_leaves<std::vector<Array>> &&
                has_array_leaves<std::tuple<int, std::optional<Dense>>>);
  static_assert(!has_array_leaves<int> && !has_array_leaves<Key> && !has_array_leaves<Empty> &&
                !has_array_leaves<std::map<std::string, std::vector<bool>>>);
}

TEST(Tree, VisitsLeavesInOrderWithPaths) {
  EXPECT_EQ(paths(makeNet(2)),
            (Strings{"layers[0].kernel", "layers[0].bias", "layers[1].kernel", "layers[1].bias", "heads[\"left\"]",
                     "heads[\"right\"]", "scale", "static activation", "static name"}));
  EXPECT_EQ(paths(makeEverything()), (Strings{"w_1",
                                              "w_12",
                                              "_w",
                                              "taps[0]",
                                              "taps[1]",
                                              "pair_of[0][0].kernel",
                                              "pair_of[0][0].bias",
                                              "pair_of[1][0].kernel",
                                              "pair_of[1][0].bias",
                                              "fixed[0]",
                                              "fixed[1]",
                                              "mixed[0]",
                                              "static mixed[1]",
                                              "mixed[2].kernel",
                                              "mixed[2].bias",
                                              "static weighted[0]",
                                              "weighted[1]",
                                              "by_step[-3][0]",
                                              "by_step[8][0]",
                                              "by_step[8][1]",
                                              "extra.kernel",
                                              "extra.bias",
                                              "static mask[0]",
                                              "static mask[1]",
                                              "key key",
                                              "static training"}));
  EXPECT_EQ(paths(Array(1.0f)), Strings{""});
  EXPECT_EQ(paths(std::map<std::string, int>{{"a\"b", 1}}), Strings{"static [\"a\\\"b\"]"});
}

TEST(Tree, GivesLeavesOfAMutableTreeByReference) {
  Net net = makeNet(1);
  for_each_leaf(net, [](auto &leaf, const Path &) {
    if constexpr (std::is_same_v<decltype(leaf), std::string &>)
      leaf = "renamed";
    else if constexpr (leaf_kind<decltype(leaf)> == LeafKind::array)
      leaf = Array(-1.0f);
  });
  EXPECT_EQ(net.name, "renamed");
  EXPECT_EQ(numbers(tree_leaves(net)), std::vector<float>(5, -1.0f));
}

TEST(Tree, ListsAndAssignsLeaves) {
  Everything tree = makeEverything();
  std::vector<float> expected;
  for (int i = 0; i < 20; ++i)
    expected.push_back(float(i));
  EXPECT_EQ(numbers(tree_leaves(tree)), expected);

  Net net = makeNet(1), other = tree_unflatten(net, std::vector<Array>(5, Array(4.0f)));
  EXPECT_EQ(numbers(tree_leaves(other)), std::vector<float>(5, 4.0f));
  EXPECT_EQ(numbers(tree_leaves(net)), (std::vector<float>{0, 1, 10, 20, 30}));
  EXPECT_EQ(other.name, "mlp");
  EXPECT_EQ(numbers(tree_leaves(tree_copy(net))), numbers(tree_leaves(net)));
  try {
    assign_leaves(net, std::vector<Array>(4, Array(4.0f)));
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_EQ(error.message(), "assign_leaves: expected 5 arrays, got 4");
  }
  EXPECT_EQ(numbers(tree_leaves(net)), (std::vector<float>{0, 1, 10, 20, 30}));
}

TEST(TreeMap, MapsLeavesAndKeepsTheRest) {
  auto twice = [](const Array &x) { return Array(2.0f * x.item<float>()); };
  Net net = tree_map(twice, makeNet(1));
  EXPECT_EQ(numbers(tree_leaves(net)), (std::vector<float>{0, 2, 20, 40, 60}));
  EXPECT_EQ(net.activation, Activation::relu);

  auto sum = [](auto x, auto y, auto z) {
    return Array(x.template item<float>() + y.template item<float>() + z.template item<float>());
  };
  Net renamed = makeNet(1);
  renamed.name = "another";
  Net total = tree_map(sum, makeNet(1), net, renamed);
  EXPECT_EQ(numbers(tree_leaves(total)), (std::vector<float>{0, 4, 40, 80, 120}));
  EXPECT_EQ(total.name, "mlp");
  EXPECT_EQ(tree_map(twice, Array(3.0f)).item<float>(), 6.0f);
}

TEST(TreeMap, NamesThePathOfAMismatch) {
  EXPECT_EQ(mapError(makeNet(2), makeNet(1)),
            "tree_map: tree 2 is not built like tree 1, layers: expected 2 elements, got 1\n"
            "  tree 1: " +
                tree_structure(makeNet(2)) + "\n  tree 2: " + tree_structure(makeNet(1)));
  auto first = [](const std::string &text) { return text.substr(0, text.find('\n')); };
  Net changed = makeNet(2);
  changed.scale.reset();
  EXPECT_EQ(first(mapError(makeNet(2), changed)),
            "tree_map: tree 2 is not built like tree 1, scale: expected Array, got none");
  EXPECT_EQ(first(mapError(changed, makeNet(2))),
            "tree_map: tree 2 is not built like tree 1, scale: expected none, got Array");
  changed = makeNet(2);
  changed.heads.erase("left");
  EXPECT_EQ(first(mapError(makeNet(2), changed)),
            "tree_map: tree 2 is not built like tree 1, heads: expected key \"left\", got key \"right\"");
  changed = makeNet(2);
  changed.heads.erase("right");
  EXPECT_EQ(first(mapError(makeNet(2), changed)),
            "tree_map: tree 2 is not built like tree 1, heads: expected key \"right\", got no further key");
  EXPECT_EQ(first(mapError(changed, makeNet(2))),
            "tree_map: tree 2 is not built like tree 1, heads: expected no further key, got key \"right\"");
  EXPECT_EQ(mapError(std::vector<Array>(1, Array(1.0f)), std::vector<Array>()),
            "tree_map: tree 2 is not built like tree 1, expected 1 element, got 0\n"
            "  tree 1: [Array]\n  tree 2: []");
  Node tree{Array(1.0f), {{Array(2.0f), {}}, {Array(3.0f), {{Array(4.0f), {}}}}}}, pruned = tree;
  pruned.children[1].children.clear();
  EXPECT_EQ(first(mapError(tree, pruned)),
            "tree_map: tree 2 is not built like tree 1, children[1].children: expected 1 element, got 0");
  changed = makeNet(2);
  changed.name = "static values may differ";
  EXPECT_EQ(mapError(makeNet(2), changed), "no error");
}

TEST(TreeStructure, ReadsWell) {
  std::string type = std::string(type_name<Net>), dense = std::string(type_name<Dense>);
  EXPECT_EQ(tree_structure(makeNet(2)), type + "{layers: [2 x " + dense +
                                            "{kernel: Array, bias: Array}], heads: {\"left\": Array, \"right\": "
                                            "Array}, scale: Array, activation: " +
                                            std::string(type_name<Activation>) + "(0), name: \"mlp\"}");
  EXPECT_EQ(tree_structure(std::tuple<Array, int, bool, std::optional<float>, uint8_t, signed char>(
                Array(1.0f), -7, true, 0.1f, 200, -1)),
            "(Array, -7, true, 0.1, 200, -1)");
  EXPECT_EQ(tree_structure(std::pair<std::vector<int>, std::optional<Array>>({1, 2}, {})), "([1, 2], none)");
  std::string node = std::string(type_name<Node>);
  EXPECT_EQ(tree_structure(Node{Array(1.0f), {{Array(2.0f), {}}}}),
            node + "{value: Array, children: [" + node + "{value: Array, children: []}]}");
  EXPECT_EQ(tree_structure(std::map<int64_t, std::array<Array, 2>>{{-1, {}}}), "{-1: [2 x Array]}");
}

TEST(TreeStructure, BytesAreEqualOnlyForEqualTrees) {
  EXPECT_EQ(bytes(Array(1.0f)), "A");
  EXPECT_EQ(bytes(makeNet(3)), bytes(tree_map([](const Array &) { return Array(0.0f); }, makeNet(3))));
  EXPECT_EQ(bytes(makeEverything()), bytes(makeEverything()));
  std::vector<std::string> all = {bytes(makeNet(3)),
                                  bytes(makeNet(2)),
                                  bytes(Dense()),
                                  bytes(std::tuple<Array, Array>()),
                                  bytes(std::array<Array, 2>()),
                                  bytes(std::vector<Array>(2)),
                                  bytes(std::vector<Array>(3)),
                                  bytes(std::optional<Array>()),
                                  bytes(std::optional<Array>(Array(1.0f))),
                                  bytes(1),
                                  bytes(1u),
                                  bytes(1.0f),
                                  bytes(2),
                                  bytes(int64_t(1)),
                                  bytes(true),
                                  bytes(std::string("1")),
                                  bytes(0.0),
                                  bytes(-0.0),
                                  bytes(std::pair<std::string, std::string>("a", "bc")),
                                  bytes(std::pair<std::string, std::string>("ab", "c")),
                                  bytes(std::map<std::string, Array>{{"a", Array()}}),
                                  bytes(std::map<std::string, Array>{{"b", Array()}}),
                                  bytes(std::map<int, Array>{{1, Array()}}),
                                  bytes(std::map<int, Array>{{2, Array()}}),
                                  bytes(std::vector<std::vector<Array>>{{Array()}, {}}),
                                  bytes(std::vector<std::vector<Array>>{{}, {Array()}}),
                                  bytes(std::vector<bool>{true, false}),
                                  bytes(std::vector<bool>{false, true}),
                                  bytes(Activation::relu),
                                  bytes(Activation::tanh),
                                  bytes(Empty())};
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(all[i], all[j]) << i << " and " << j;
}

TEST(TreeStructure, OutgrowsTheStack) {
  std::vector<int> values(1000, 3);
  StructureBytes out;
  append_structure(out, values);
  append_structure(out, Array(1.0f));
  EXPECT_EQ(out.view().substr(0, out.view().size() - 1), bytes(values));
  EXPECT_EQ(out.view().back(), 'A');
  EXPECT_EQ(tree_structure(values), "[1000 x 3]");
  // A part that is more than all there is, twice.
  const std::string name(size_t(16) << 20, 'x');
  StructureBytes named;
  append_structure(named, name);
  EXPECT_TRUE(named.view().ends_with(name));
}

TEST(TreeStructure, DifferencesNameStaticValuesAndTypes) {
  Net net = makeNet(1), other = makeNet(1);
  other.name = "cnn";
  EXPECT_EQ(structure_difference(bytes(net), bytes(other), true), "name: expected \"mlp\", got \"cnn\"");
  EXPECT_EQ(structure_difference(bytes(net), bytes(other), false), "");
  EXPECT_EQ(structure_difference(bytes(1), bytes(2.5f), true), "expected int 1, got float 2.5");
  EXPECT_EQ(structure_difference(bytes(std::tuple<Array, int>()), bytes(std::tuple<Array, Array>()), true),
            "[1]: expected 0, got Array");
  EXPECT_EQ(structure_difference(bytes(std::array<Array, 2>()), bytes(std::array<Array, 3>()), true),
            "expected [2 x Array], got [3 x Array]");
  Everything first = makeEverything(), second = makeEverything();
  EXPECT_EQ(structure_difference(bytes(first), bytes(second), true), "");
  second.mask[1] = true;
  EXPECT_EQ(structure_difference(bytes(first), bytes(second), true), "mask[1]: expected false, got true");
}

} // namespace

//===- nn_summary_test.cpp - tables of models, and the names in them ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <tenon/learning.h>

using namespace tenon;
using ::testing::HasSubstr;

namespace {

struct Base {
  nn::Conv2D conv1{64, 3, {.padding = PaddingMode::same, .use_bias = false}};
  nn::BatchNorm bn1;
  nn::GlobalAveragePooling2D pool;
  Array operator()(const Array &x) const { return pool(bn1(conv1(x))); }
};
struct Single {
  nn::Conv2D conv{64, 3, {.padding = PaddingMode::same}};
  Array operator()(const Array &x) const { return conv(x); }
};
struct Classifier {
  Base base;
  nn::Dense head{5};
  Array operator()(const Array &x) const { return head(base(x)); }
};

std::vector<std::string> namesOf(const std::vector<Variable> &variables) {
  std::vector<std::string> names;
  for (const Variable &one : variables)
    names.push_back(one.name());
  return names;
}

} // namespace

TEST(Summary, AlignsItsColumnsForTheLongestName) {
  const Classifier model;
  const std::string table = nn::summary(model, zeros({2, 8, 8, 3}));
  EXPECT_EQ(table, "_________________________________________________________________________________________\n"
                   " Layer (type)                                       Output Shape              Param #\n"
                   "=========================================================================================\n"
                   " base.conv1 (Conv2D)                                (None, 8, 8, 64)          1,728\n"
                   " base.bn1 (BatchNorm)                               (None, 8, 8, 64)          256\n"
                   " global_average_pooling2d (GlobalAveragePooling2D)  (None, 64)                0\n"
                   " head (Dense)                                       (None, 5)                 325\n"
                   "=========================================================================================\n"
                   "Total params: 2,309\nTrainable params: 2,181\nNon-trainable params: 128\n"
                   "_________________________________________________________________________________________\n");
}

TEST(Summary, TakesSpecsAndComputesNothing) {
  const Classifier model;
  const std::string table = nn::summary(model, spec<float>({"n", 8, 8, 3}));
  EXPECT_EQ(table, nn::summary(model, zeros({2, 8, 8, 3})));
  EXPECT_TRUE(model.head.built());
  // Sizes that are not known are their names.
  EXPECT_THAT(nn::summary(Single(), spec<float>({"n", "h", 8, 3})), HasSubstr("(None, h, 8, 64)"));
}

TEST(Names, OfAPartStayThoseInTheWholeModel) {
  const Classifier model;
  nn::build(model, Shape{1, 8, 8, 3});
  nn::set_trainable(model.base.conv1, false);
  EXPECT_EQ(namesOf(nn::trainable_variables(model.base)),
            (std::vector<std::string>{"base.bn1.gamma", "base.bn1.beta"}));
  EXPECT_EQ(model.base.conv1.name(), "base.conv1");
  try {
    (void)model(zeros({2, 8}));
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("base.conv1: expected 4 axes"));
  }
}

TEST(Names, OfAPartGrowWhenItBecomesPartOfAModel) {
  const Base base;
  nn::build(base, Shape{1, 8, 8, 3});
  EXPECT_EQ(base.conv1.kernel().name(), "conv1.kernel");
  const Classifier model{base, nn::Dense(5)};
  (void)nn::variables(model);
  EXPECT_EQ(base.conv1.kernel().name(), "base.conv1.kernel");
}

TEST(Summary, OfOneLayerIsItsRow) {
  EXPECT_THAT(nn::summary(nn::Dense{3}, zeros({2, 4})),
              HasSubstr(" dense (Dense)              (None, 3)                 15\n"));
}

//===- nn_activations_test.cpp - activations and functions as layers -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LayerChecks.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

/// The layer beside a function of doubles.
void expectFunction(const auto &layer, auto &&function) {
  const Array x{-30.0f, -8.0f, -3.0f, -1.0f, -0.25f, 0.0f, 0.25f, 1.0f, 3.0f, 6.5f, 30.0f};
  Grid expected(x);
  for (double &value : expected.values)
    value = function(value);
  expectNear(called(layer, x), expected.array(), 1e-6);
}
double sigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }
double limited(double x, double low, double high) { return std::min(std::max(x, low), high); }

TEST(NnActivations, EachComputesItsFormula) {
  expectFunction(nn::Identity{}, [](double x) { return x; });
  expectFunction(nn::ReLU{}, [](double x) { return std::max(x, 0.0); });
  expectFunction(nn::ReLU6{}, [](double x) { return limited(x, 0, 6); });
  expectFunction(nn::LeakyReLU{}, [](double x) { return x < 0 ? 0.3 * x : x; });
  expectFunction(nn::ELU{}, [](double x) { return x > 0 ? x : std::expm1(x); });
  expectFunction(nn::ELU{0.5}, [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); });
  expectFunction(nn::CELU{2}, [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); });
  expectFunction(nn::SELU{},
                 [](double x) { return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x)); });
  expectFunction(nn::GELU{}, [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); });
  expectFunction(nn::GELU{true},
                 [](double x) { return x * sigmoidOf(std::sqrt(8 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)); });
  expectFunction(nn::SiLU{}, [](double x) { return x * sigmoidOf(x); });
  expectFunction(nn::Swish{}, [](double x) { return x * sigmoidOf(x); });
  expectFunction(nn::Mish{}, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); });
  expectFunction(nn::Softplus{}, [](double x) { return std::log1p(std::exp(x)); });
  expectFunction(nn::Softsign{}, [](double x) { return x / (1 + std::abs(x)); });
  expectFunction(nn::Tanh{}, [](double x) { return std::tanh(x); });
  expectFunction(nn::Sigmoid{}, [](double x) { return sigmoidOf(x); });
  expectFunction(nn::LogSigmoid{}, [](double x) { return -std::log1p(std::exp(-x)); });
  expectFunction(nn::HardTanh{}, [](double x) { return limited(x, -1, 1); });
  expectFunction(nn::HardSigmoid{}, [](double x) { return limited(x + 3, 0, 6) / 6; });
  expectFunction(nn::HardSwish{}, [](double x) { return x * limited(x + 3, 0, 6) / 6; });
  expectFunction(nn::HardSiLU{}, [](double x) { return x * limited(x + 3, 0, 6) / 6; });
}
TEST(NnActivations, ReLUHasKerasOptions) {
  expectFunction(nn::ReLU{{.max_value = 6, .negative_slope = 0.1, .threshold = 1}}, [](double x) {
    return x >= 6 ? 6 : x >= 1 ? x : 0.1 * (x - 1);
  });
  expectFunction(nn::ReLU{{.threshold = 0.5}}, [](double x) { return x >= 0.5 ? x : 0; });
  expectFunction(nn::ReLU{{.max_value = 2}}, [](double x) { return limited(x, 0, 2); });
  EXPECT_EQ(nn::ReLU{{.threshold = 1}}(astype(ones({2}), f16)).dtype(), f16);
  EXPECT_EQ(messageOf([] { nn::ReLU{{.max_value = -1}}; }), "ReLU: expected max_value >= 0, got -1");
}
TEST(NnActivations, SoftmaxAlongAnAxis) {
  const Array x = numbers({2, 3, 4});
  expectNear(sum(called(nn::Softmax{1}, x), 1), ones({2, 4}));
  expectNear(exp(called(nn::LogSoftmax{}, x)), nn::Softmax{}(x));
}
TEST(NnActivations, PReLULearnsItsSlopes) {
  const Array x = numbers({2, 4, 5, 3});
  const nn::PReLU layer{{.alpha_initializer = nn::uniform(0.1, 0.9)}};
  expectLayer(layer, x, [&] {
    Grid y(x);
    const Grid alpha(layer.alpha().value());
    Grid::forEach(y.sizes, [&](const std::vector<int64_t> &place) {
      y(place) *= y(place) < 0 ? alpha({place[1], place[2], place[3]}) : 1;
    });
    return y.array();
  });
  const nn::PReLU shared{{.alpha_initializer = nn::constant(0.25), .shared_axes = {1, 2}}};
  expectNear(called(shared, x), leaky_relu(x, 0.25));
  EXPECT_EQ(shared.alpha().shape(), Shape({1, 1, 3}));
  EXPECT_EQ(nn::count_params(shared), 3);
  const auto [loss, gradients] = nn::value_and_grad([&](const nn::PReLU &model) { return sum(model(x)); })(shared);
  expectNear(gradients["alpha"], sum(minimum(x, 0), {0, 1, 2}, true)[0], 1e-4);
  EXPECT_EQ(messageOf([] { nn::PReLU{{.shared_axes = 0}}; }),
            "PReLU: expected shared_axes from 1, since axis 0 is the batch, got 0");
  EXPECT_THAT(messageOf([&] { shared(ones({2, 4, 5, 2})); }),
              HasSubstr("PReLU: expected examples for slopes of shape (1, 1, 3), which it was built for, got an input "
                        "of shape (2, 4, 5, 2)"));
}
TEST(NnActivations, LambdaTakesAnyFunction) {
  const nn::Sequential model{nn::Dense{4}, nn::Lambda{[](const Array &x) { return x * 2; }}, nn::Tanh{},
                             nn::Lambda{abs}};
  const Array y = called(model, numbers({2, 3}));
  EXPECT_GE(min(y).item<float>(), 0);
  EXPECT_NE(nn::summary(model, numbers({2, 3})).find("(Lambda)"), std::string::npos);
  // Optimizers and checkpoints would miss its weights.
  const nn::Dense hidden{2};
  EXPECT_THAT(messageOf([&] { nn::Lambda{[&](const Array &x) { return hidden(x); }}(ones({1, 2})); }),
              HasSubstr("Lambda: expected `fields` to name every Weight and layer that the layer builds"));
}
TEST(NnActivations, FunctionsKnowTheirNames) {
  EXPECT_EQ(nn::Activation(tenon::hard_tanh).name(), "hard_tanh");
  EXPECT_EQ(nn::Activation(tenon::log_sigmoid).name(), "log_sigmoid");
}

} // namespace

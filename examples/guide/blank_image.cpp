//===- blank_image.cpp - a model of layers, one of them called twice -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;

namespace nn = tn::nn;

struct MNISTModel {
  nn::Dense dense1{10}, dense2{10};
  tn::Array operator()(const tn::Array &input) const {
    tn::Array result = dense1(input);
    result = dense2(result);
    return dense2(result); // the same weights again
  }
};

int main() {
  const MNISTModel model;
  const tn::Array batch = tn::zeros({1, 1, 784}); // a blank image
  std::cout << batch.shape() << "\n";
  const tn::Array result = model(batch); // builds the weights; biases begin with zeros
  std::cout << result << "\n";
}

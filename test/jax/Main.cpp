//===- Main.cpp - values and derivatives for the comparison with JAX ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: jax-cases INPUTS.npz RESULTS.npz, or without arguments: prints the names of all cases.
// INPUTS has NAME/0, NAME/1, ... for each case. RESULTS gets NAME/value/i, NAME/grad/i, NAME/jvp, NAME/second/i. A case
// that throws gets NAME/error with the message as u8.
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include <iostream>

namespace tn = tenon;

/// Numbers that depend on the place alone: f(shift + place).
static tn::Array pattern(tn::Array (*f)(const tn::Operand &), double shift, const tn::Array &like) {
  return tn::reshape(f(tn::arange(0.0, like.size(), tn::f64) + shift), like.shape());
}

/// A number that every element of the results has a different part in.
static tn::Array weighted(const Arrays &results) {
  tn::Array sum = tn::Array(0.0, tn::f64);
  for (const tn::Array &y : results) {
    sum = sum + tn::sum(tn::real(y) * pattern(tn::cos, 1, y));
    if (y.dtype() == tn::c128)
      sum = sum + tn::sum(tn::imag(y) * pattern(tn::sin, 1, y));
  }
  return sum;
}

static void run(const Case &one, const Arrays &inputs, tn::NamedArrays &results) {
  auto put = [&](const std::string &key, const Arrays &arrays) {
    for (size_t i = 0; i < arrays.size(); ++i)
      results[one.name + "/" + key + "/" + std::to_string(i)] = arrays[i];
  };
  auto loss = [&](const Arrays &x) { return weighted(one.call(x)); };
  Arrays tangents;
  for (const tn::Array &x : inputs)
    tangents.push_back(pattern(tn::sin, 2, x));
  put("value", one.call(inputs));
  put("grad", tn::grad(loss)(inputs));
  results[one.name + "/jvp"] = tn::jvp(loss, std::tuple(inputs), std::tuple(tangents)).second;
  // The derivative of the gradient along the tangents.
  auto along = [&](const Arrays &x) {
    const Arrays slopes = tn::grad(loss)(x);
    tn::Array sum = tn::Array(0.0, tn::f64);
    for (size_t i = 0; i < slopes.size(); ++i)
      sum = sum + tn::sum(slopes[i] * tangents[i]);
    return sum;
  };
  put("second", tn::grad(along)(inputs));
}

int main(int count, char **arguments) {
  std::vector<Case> all;
  for (auto *list : {convolutionCases, windowCases, imageCases, neuralCases, linalgCases, fourierCases, edgeCases})
    for (const Case &one : list())
      all.push_back(one);
  if (count != 3) {
    for (const Case &one : all)
      std::cout << one.name << "\n";
    return 0;
  }
  const tn::NamedArrays given = tn::load_npz(arguments[1]);
  tn::NamedArrays results;
  for (const Case &one : all) {
    Arrays inputs;
    while (given.contains(one.name + "/" + std::to_string(inputs.size())))
      inputs.push_back(given.at(one.name + "/" + std::to_string(inputs.size())));
    if (inputs.empty())
      continue;
    try {
      run(one, inputs, results);
    } catch (const tn::Error &error) {
      const std::string message = error.message();
      results[one.name + "/error"] = tn::Array(std::vector<uint8_t>(message.begin(), message.end()));
    }
  }
  tn::save_npz(arguments[2], results);
}

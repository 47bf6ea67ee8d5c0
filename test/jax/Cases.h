//===- Cases.h - functions that JAX computes too ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jax_test.py names the inputs of each case and has the same function in JAX.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/tenon.h>

#include <string>
#include <vector>

using Arrays = std::vector<tenon::Array>;

/// A differentiable function of f64 arrays.
struct Case {
  std::string name;
  Arrays (*call)(const Arrays &x);
};

/// One list for each file.
std::vector<Case> convolutionCases();
std::vector<Case> windowCases();
std::vector<Case> imageCases();
std::vector<Case> neuralCases();
std::vector<Case> linalgCases();
std::vector<Case> fourierCases();
std::vector<Case> edgeCases();

//===- Programs.h - random programs -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/tenon.h>

#include <functional>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace tenon::fuzz {

using List = std::vector<Array>;

/// One op of a program on what was computed before it.
struct Step {
  std::string text;
  std::function<Array(const List &values)> apply;
  /// The same for numpy_opinion.py: Python over `v`, the values; empty: it has no opinion.
  std::string numpy = {};
};

struct Program {
  List inputs;
  std::vector<Step> steps;
  std::vector<size_t> outputs;
  bool hasProduct = false; // of matrices

  List run(const List &in) const { return finish(start(in, steps.size())); }
  /// The inputs and what the first steps make of them.
  List start(List values, size_t count) const {
    for (size_t i = 0; i < count; ++i)
      values.push_back(steps[i].apply(values));
    return values;
  }
  /// The results, from the values of some first steps.
  List finish(List values) const {
    while (values.size() < inputs.size() + steps.size())
      values.push_back(steps[values.size() - inputs.size()].apply(values));
    List results;
    for (size_t i : outputs)
      results.push_back(values[i]);
    return results;
  }
};

/// Makes programs of two families: chains of any ops over any arrays, and graphs
/// of few sizes in which everything can read everything.
class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) {}
  Program make();

private:
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }

  Array number(Dtype dtype, const Shape &shape);
  size_t value();
  /// A value whose shape broadcasts with that of `other`.
  size_t partner(size_t other);
  /// Adds what the step computes, unless it is refused or grows too large.
  bool append(Program &program, Step step, int64_t most);

  // Chains.
  Program makeChain();
  Array input();
  Step unary();
  Step binary();
  Step movement();
  Step reduction();
  Step composed();
  Step product();
  Step choice();
  Step control();
  /// Any of the rest of the functions.
  Step function();
  Step elementary();
  Step elementaryOfTwo();
  Step along();
  Step places();

  // Graphs.
  Program makeGraph();
  Step pointwise();
  Step fold();
  Step view();

  std::mt19937_64 random_;
  List values_;
  bool isGraph_ = false;
};

std::string text(const Shape &shape);
std::string text(const std::vector<int64_t> &numbers);
/// What a program calls value number `i`.
std::string name(size_t i);
/// A call for numpy_opinion.py: of values, then whatever else.
std::string called(std::string_view function, std::initializer_list<size_t> values, const std::string &others = "");
/// `axis=(0,1,), keepdims=True`
std::string overAxes(const std::vector<int64_t> &axes, bool keepdims);
std::vector<int64_t> sizes(const Array &x);
int64_t count(const Array &x);
inline Shape shapeOf(const std::vector<int64_t> &sizes) { return Shape(std::span<const int64_t>(sizes)); }
/// Of what is computed with.
inline bool isFloating(const Array &x) { return kind(x.dtype()) == Kind::floating && !is_storage(x.dtype()); }

} // namespace tenon::fuzz

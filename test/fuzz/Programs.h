//===- Programs.h - random programs -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/tenon.h>

#include <concepts>
#include <functional>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::fuzz {

using List = std::vector<Array>;

/// One op of a program on `v`, what was computed before it.
struct Step {
  /// The op as an expression of C++; empty: nobody reads what it makes.
  std::string text;
  std::function<Array(const List &v)> apply;
  /// The same for numpy_opinion.py, in Python; empty: NumPy has no opinion.
  std::string python = {};
  Step inPython(std::string same) && {
    python = std::move(same);
    return std::move(*this);
  }
};

/// A step from an expression of `v` and the variables in the parentheses before it, whose values are in its text:
/// STEP((a, axis), sort(v[a], axis)).
#define STEP(VARIABLES, ...)                                                                                           \
  Step {                                                                                                               \
    substituted(#__VA_ARGS__, #VARIABLES, literals VARIABLES),                                                         \
        [=]([[maybe_unused]] const List &v) -> Array { return __VA_ARGS__; }                                           \
  }

/// A function with its name, which is what a step's text has of it.
template <class... Operands>
struct Named {
  const char *name;
  Array (*function)(const Operands &...);
  Array operator()(const Operands &...operands) const { return function(operands...); }
};
using Unary = Named<Operand>;
using Binary = Named<Operand, Operand>;

struct Program {
  List inputs;
  std::vector<Step> steps;
  std::vector<size_t> outputs;
  bool hasProduct = false; // of matrices

  /// A function of C++ for its inputs, of that name, which returns that expression of the values, and
  /// above it what it includes.
  std::string text(const std::string &name, const std::string &results) const;
  static const char *const prelude;
  /// The results in C++: `{v[7], v[3]}`.
  std::string results() const;

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
  /// Of few steps and elements, in f64.
  Program makeSmooth(size_t most);
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }

private:
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }

  Array number(Dtype dtype, const Shape &shape);
  size_t value();
  std::vector<int64_t> anyOrder(int rank);
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

  // Smooth ones.
  Step smoothPointwise();
  Step smoothAlong();
  Step smoothMovement();
  Step smoothControl();

  std::mt19937_64 random_;
  List values_;
  bool isGraph_ = false;
};

/// What is wrong with a program, in words that others which are wrong in that way share; empty: nothing.
using FaultOf = std::function<std::string(const Program &)>;
/// A program that is wrong in the same way, of fewer results, steps and elements; what a step made given as it is.
Program shortened(Program program, const FaultOf &faultOf);

/// C++ for a value, as one would write it for an argument.
template <std::integral T>
std::string literal(T number) {
  if constexpr (std::is_same_v<T, bool>)
    return number ? "true" : "false";
  else
    return std::to_string(number);
}
std::string literal(double number);
std::string literal(float number);
std::string literal(Dtype dtype);
std::string literal(const Shape &shape);
std::string literal(const std::vector<int64_t> &numbers);
/// Its elements, whatever their strides.
std::string literal(const Array &x);
template <class... Operands>
std::string literal(const Named<Operands...> &function) {
  return function.name;
}
template <class... T>
std::vector<std::string> literals(const T &...values) {
  return {literal(values)...};
}
/// The text with values for those of its words that `names` lists: "(a, axis)".
std::string substituted(std::string_view text, std::string_view names, const std::vector<std::string> &values);

/// A call in Python: of values, then whatever else.
std::string called(std::string_view function, std::initializer_list<size_t> values, const std::string &others = "");
/// A tuple as Python writes it, of any length.
std::string tuple(const std::vector<int64_t> &numbers);
/// `axis=(0,1,), keepdims=True`
std::string overAxes(const std::vector<int64_t> &axes, bool keepdims);

std::vector<int64_t> sizes(const Array &x);
int64_t count(const Array &x);
inline Shape shapeOf(const std::vector<int64_t> &sizes) { return Shape(std::span<const int64_t>(sizes)); }
/// Of what is computed with.
inline bool isFloating(const Array &x) { return kind(x.dtype()) == Kind::floating && !is_storage(x.dtype()); }

} // namespace tenon::fuzz

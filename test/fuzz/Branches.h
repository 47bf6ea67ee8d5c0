//===- Branches.h - random functions that ask their arrays ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closures made of closures: what each does stands beside it as text.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/tenon.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace tenon::fuzz {

/// The registers of a function, which are its arguments.
struct State {
  Array f0, f1, v0, v1, d0, w0, i0, j0;
};
inline constexpr Array State::*fields[] = {&State::f0, &State::f1, &State::v0, &State::v1,
                                           &State::d0, &State::w0, &State::i0, &State::j0};
inline constexpr const char *names[] = {"s.f0", "s.f1", "s.v0", "s.v1", "s.d0", "s.w0", "s.i0", "s.j0"};
/// f32, f64 and i32, each as a number (even) and as a vector.
enum Type { F, V, D, W, I, J };
inline constexpr Type types[] = {F, F, V, V, D, W, I, J};
inline constexpr Dtype dtypes[] = {f32, f32, f64, f64, i32, i32};
inline constexpr int fieldCount = 8;

/// The tag is static: each path has its own.
struct Out {
  std::vector<Array> arrays;
  int tag = 0;
};

/// What belongs to one of the two runs that are compared.
struct ComparedRun {
  bool isJitted;
  std::vector<Variable> variables;
  std::vector<std::function<Array(Array &, const Array &)>> inner;
  int hostCalls = 0;
  /// The host assigns it, and nobody else.
  Variable counted{Array(0.0f)};
};

struct Env {
  ComparedRun &side;
  State &s;
  Array truth; ///< a comparison that is asked more than once
  Out out;
  State *around = nullptr; ///< of a function that is made where it is called, what is around it
};

/// Of the call that runs: whether something has printed, and has been asked after that. Threads ask, but print nothing.
inline thread_local bool hasPrinted, hasAskedLate;
inline thread_local int asked;

template <class T>
struct Code {
  std::function<T(Env &)> run;
  std::string text;
};
using Expr = Code<Array>;
using Test = Code<bool>;
/// Whether the function goes on.
using Block = Code<bool>;

/// A question, counted.
template <class F>
auto ask(F &&question) {
  hasAskedLate |= hasPrinted;
  ++asked;
  return question();
}

/// Of x, whatever it is.
Array as(const Array &x, Type type, const State &s);

/// The state in which a jitted function of two arrays starts.
State stateOf(const Array &a, const Array &b);

std::string indented(const std::string &text);

struct Sample {
  bool isSmooth = false, isQuiet = false;
  std::vector<Block> inner;
  std::vector<bool> innerUpdates;
  size_t variables = 0;
  Block body;
  std::string text() const;
};

class Maker {
public:
  Maker(uint64_t seed, Sample &program) : random_(seed), program_(program) {}
  size_t below(size_t n) { return random_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  void make();
  State input(int64_t n, bool isTame);

private:
  template <class T>
  const T &oneOf(const std::vector<T> &all) {
    return all[below(all.size())];
  }
  Expr leaf(Type type);
  Expr expr(Type type, int depth);
  Expr region(Type type, int depth);
  Expr compared(Type type, int depth);
  Test test(int depth);
  Code<int> number(int depth);
  Block statement(int depth);
  Block assignment();
  Block loop(int depth);
  Block local(int depth, bool isDifferentiated);
  Block block(int depth, size_t most);

  std::mt19937_64 random_;
  Sample &program_;
  size_t callable_ = 0; ///< how many of the inner functions may be called
  int prints_ = 0;
  /// What a jitted function assigns and reads again stays inside of it: tapes around it do not see that version.
  bool isInner_ = false, hasTapes_ = false;
  bool isLocal_ = false;
};

/// What `f` gives; if it throws, Variables are as they were, but for what the host has assigned.
template <class F>
auto allOrNothing(const ComparedRun &side, F &&f) {
  std::vector<Array> before;
  for (const Variable &u : side.variables)
    before.push_back(u.value());
  try {
    return f();
  } catch (...) {
    for (size_t i = 0; i < before.size(); ++i)
      side.variables[i].assign(before[i]);
    throw;
  }
}

} // namespace tenon::fuzz

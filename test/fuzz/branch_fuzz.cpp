//===- branch_fuzz.cpp - random functions that ask their arrays --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// branch_fuzz [programs = 1000] [first seed = 0] [all]: makes small C++ functions, as closures, that
// branch and loop on what arrays hold: if, ?:, while, switch, item(), early return, throw, try, in
// functions they call, in jitted ones, beside cond and scan. They print, assign Variables and update arguments.
// Each is jitted and called on a few inputs again and again, and compared by bits with the same C++ run
// eagerly: results, arguments, Variables, what was printed and thrown. Derivatives of jit are compared
// with those of the function, calls of four threads with its results. An input that was seen before is not
// traced again. What differs is printed with the program, then the exit status is 1; `all`: after all seeds.
//===----------------------------------------------------------------------===//
#include "test/fuzz/Difference.h"

#include <tenon/tenon.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace tenon;
using namespace tenon::fuzz;

namespace {

/// The registers of a function, which are its arguments.
struct State {
  Array f0, f1, v0, v1, d0, w0, i0, j0;
};
constexpr Array State::*fields[] = {&State::f0, &State::f1, &State::v0, &State::v1,
                                    &State::d0, &State::w0, &State::i0, &State::j0};
constexpr const char *names[] = {"s.f0", "s.f1", "s.v0", "s.v1", "s.d0", "s.w0", "s.i0", "s.j0"};
/// f32, f64 and i32, each as a number (even) and as a vector.
enum Type { F, V, D, W, I, J };
constexpr Type types[] = {F, F, V, V, D, W, I, J};
constexpr Dtype dtypes[] = {f32, f32, f64, f64, i32, i32};
constexpr int fieldCount = 8;

/// The tag is static: each path has its own.
struct Out {
  std::vector<Array> arrays;
  int tag = 0;
};

/// What belongs to one of the two runs that are compared.
struct Side {
  bool isJitted;
  std::vector<Variable> variables;
  std::vector<std::function<Array(Array &, const Array &)>> inner;
};

struct Env {
  Side &side;
  State &s;
  Array truth; ///< a comparison that is asked more than once
  Out out;
};

/// Of the call that runs: whether something has printed, and has been asked after that. Threads ask, but print nothing.
thread_local bool hasPrinted, hasAskedLate;
thread_local int asked;

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
Array as(const Array &x, Type type, const State &s) {
  Array y = astype(x, dtypes[type]);
  if (type % 2)
    return y.ndim() ? y : broadcast_to(y, s.v0.shape());
  return y.ndim() ? sum(y) : y;
}

/// The state in which a jitted function of two arrays starts.
State stateOf(const Array &a, const Array &b) {
  return {a, a + 1, b, b * 0.5f, astype(a, f64), astype(b, f64) - 1, astype(clip(a, -3, 3), i32), astype(b, i32)};
}

std::string indented(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    out += "  " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

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
  Block block(int depth, size_t most);

  std::mt19937_64 random_;
  Sample &program_;
  size_t callable_ = 0; ///< how many of the inner functions may be called
  int prints_ = 0;
  /// What a jitted function assigns and reads again stays inside of it: tapes around it do not see that version.
  bool isInner_ = false, hasTapes_ = false;
};

Expr Maker::leaf(Type type) {
  const size_t kind = below(10);
  if (kind < 2) {
    const float x = oneOf(std::vector<float>{-2, -1, 0, 0.5f, 1, 2, 3});
    return {[=](Env &e) { return as(Array(x), type, e.s); }, "as(" + std::to_string(x) + ")"};
  }
  if (kind < 4 && program_.variables) {
    const size_t k = below(program_.variables);
    return {[=](Env &e) { return as(e.side.variables[k].value(), type, e.s); }, "as(u" + std::to_string(k) + ")"};
  }
  std::vector<int> exact, all;
  for (int i = 0; i < fieldCount; ++i)
    (types[i] == type ? exact : all).push_back(i);
  if (chance(70)) {
    const int i = oneOf(exact);
    return {[=](Env &e) { return e.s.*fields[i]; }, names[i]};
  }
  const int i = oneOf(all);
  return {[=](Env &e) { return as(e.s.*fields[i], type, e.s); }, std::string("as(") + names[i] + ")"};
}

Expr Maker::region(Type type, int depth) {
  Expr x = expr(type, depth - 1), y = expr(type, depth - 1), p = compared(static_cast<Type>(type & ~1), depth - 1);
  const std::string of = "(" + p.text + ", " + x.text + ", " + y.text + ")";
  switch (below(program_.isSmooth ? 4 : 7)) {
  case 0:
    return {[=](Env &e) {
              const Array a = x.run(e), b = y.run(e);
              auto then = [&](const Array &a) { return a * 2 + b; };
              return as(cond(any(p.run(e)), then, [](const Array &a) { return a - 1; }, a), type, e.s);
            },
            "cond(p ? x * 2 + y : x - 1)" + of};
  case 1:
    return {[=](Env &e) {
              const Array a = x.run(e), v = as(y.run(e), type % 2 ? type : Type(type + 1), e.s);
              auto step = [&](const Array &c, const Array &x) { return std::pair(c * 0.5f + x, c); };
              return as(scan(step, as(a, type, e.s), astype(v, dtypes[type])).first, type, e.s);
            },
            "scan(c * 0.5 + y)" + of};
  case 2:
    return {[=](Env &e) {
              const Array a = x.run(e), b = y.run(e);
              auto step = [&](const Array &, const Array &c) { return astype(c * 0.5f + b, c.dtype()); };
              return as(fori_loop(0, 3, step, a), type, e.s);
            },
            "fori_loop(3: x * 0.5 + y)" + of};
  case 3: // the body asks what is outside of it
    return {[=](Env &e) {
              const Array a = x.run(e), b = any(p.run(e));
              auto step = [&](const Array &, const Array &c) {
                return ask([&] { return bool(b); }) ? -c : astype(c + 1, c.dtype());
              };
              return as(fori_loop(0, 2, step, a), type, e.s);
            },
            "fori_loop(2: if (p) -x else x + 1)" + of};
  case 4:
    return {[=](Env &e) {
              auto running = [](const std::pair<Array, Array> &c) {
                return any(abs(c.first) > 1) && c.second < Array(6);
              };
              auto next = [](const std::pair<Array, Array> &c) {
                return std::pair(astype(c.first / 2, c.first.dtype()), c.second + 1);
              };
              return as(while_loop(running, next, std::pair(x.run(e), Array(0))).first, type, e.s);
            },
            "while_loop(x / 2, at most 6)" + of};
  case 5: {
    const int print = ++prints_;
    return {[=](Env &e) {
              const Array a = x.run(e), b = any(p.run(e));
              hasPrinted = true;
              auto then = [&](const Array &a) {
                tenon::print("in cond " + std::to_string(print) + ": {}", {a});
                return a + 1;
              };
              return as(cond(b, then, [](const Array &a) { return a + 0; }, a), type, e.s);
            },
            "cond(print " + std::to_string(print) + ", x + 1 : x)" + of};
  }
  default: {
    if (!program_.variables)
      return x;
    const size_t k = below(program_.variables);
    return {[=](Env &e) {
              const Array a = x.run(e), b = any(p.run(e));
              const Variable &u = e.side.variables[k];
              auto then = [&](const Array &a) {
                u.assign(astype(as(a, F, e.s), u.dtype()));
                return a + 1;
              };
              return as(cond(b, then, [](const Array &a) { return a + 0; }, a), type, e.s);
            },
            "cond(u" + std::to_string(k) + " = x, x + 1 : x)" + of};
  }
  }
}

Expr Maker::expr(Type type, int depth) {
  if (depth <= 0 || chance(15))
    return leaf(type);
  if (chance(7))
    return region(type, depth);
  const size_t kind = below(14);
  auto binary = [&](const char *name, auto op) -> Expr {
    Expr x = expr(type, depth - 1), y = expr(type, depth - 1);
    return {[=](Env &e) { return as(op(x.run(e), y.run(e)), type, e.s); },
            std::string(name) + "(" + x.text + ", " + y.text + ")"};
  };
  auto unary = [&](const char *name, auto op) -> Expr {
    Expr x = expr(type, depth - 1);
    return {[=](Env &e) { return as(op(x.run(e)), type, e.s); }, std::string(name) + "(" + x.text + ")"};
  };
  switch (kind) {
  case 0:
  case 1:
    return binary("add", [](const Array &x, const Array &y) { return x + y; });
  case 2:
  case 3:
    return binary("multiply", [](const Array &x, const Array &y) { return x * y; });
  case 4:
    return binary("subtract", [](const Array &x, const Array &y) { return x - y; });
  case 5:
    return binary("maximum", [](const Array &x, const Array &y) { return maximum(x, y); });
  case 6:
    return binary("where", [](const Array &x, const Array &y) { return where(x < y, x * 3, y); });
  case 7:
    return unary("tanh", [](const Array &x) { return tanh(x); });
  case 8:
    return unary("negative", [](const Array &x) { return -x; });
  case 9:
    return unary("halved", [](const Array &x) { return x / 2; });
  case 10: {
    Expr x = expr(static_cast<Type>(type | 1), depth - 1);
    const bool isMax = chance(40);
    return {[=](Env &e) { return as(isMax ? max(x.run(e)) : sum(x.run(e)), type, e.s); },
            (isMax ? "max(" : "sum(") + x.text + ")"};
  }
  case 11:
    return unary("round", [](const Array &x) { return round(x); });
  case 12: // a number of C++ that comes from an array
    if (Code<int> k = number(depth - 1); chance(50))
      return {[=](Env &e) { return as(Array(k.run(e)), type, e.s); }, "as(" + k.text + ")"};
    return unary("abs", [](const Array &x) { return abs(x); });
  default: {
    Test p = test(depth - 1);
    Expr x = expr(type, depth - 1), y = expr(type, depth - 1);
    return {[=](Env &e) { return p.run(e) ? x.run(e) : y.run(e); },
            "(" + p.text + " ? " + x.text + " : " + y.text + ")"};
  }
  }
}

/// A bool array.
Expr Maker::compared(Type type, int depth) {
  Expr x = expr(type, depth), y = chance(50) ? leaf(type) : expr(type, depth);
  const int op = static_cast<int>(below(5));
  constexpr const char *ops[] = {"<", "<=", ">", "==", "!="};
  return {[=](Env &e) {
            const Array a = x.run(e), b = y.run(e);
            return op == 0 ? a < b : op == 1 ? a <= b : op == 2 ? a > b : op == 3 ? a == b : a != b;
          },
          x.text + " " + ops[op] + " " + y.text};
}

/// A small number that C++ asks for, in one of many ways.
Code<int> Maker::number(int depth) {
  const Type type = oneOf(std::vector<Type>{F, D, I});
  Expr x = expr(type, depth);
  const int way = static_cast<int>(below(7));
  constexpr const char *ways[] = {"int",          "float",          "double",    "item<int64_t>",
                                  "item<int8_t>", "item<uint16_t>", "item<bool>"};
  return {[=](Env &e) {
            Array y = round(clip(x.run(e), -1, 2));
            if (way % 3 == 0) // an array of one element, but not of rank 0
              y = reshape(y, {1, 1});
            return ask([&] {
              switch (way) {
              case 0:
                return int(y);
              case 1: {
                const float got = float(y);
                return got != got ? 7 : int(got);
              }
              case 2: {
                const double got = double(y);
                return got != got ? 7 : int(got);
              }
              case 3:
                return int(y.item<int64_t>());
              case 4:
                return int(y.item<int8_t>());
              case 5:
                return int(y.item<uint16_t>()) % 5;
              default:
                return int(y.item<bool>());
              }
            });
          },
          std::string(ways[way]) + "(round(clip(" + x.text + ", -1, 2)))"};
}

Test Maker::test(int depth) {
  switch (below(11)) {
  case 0:
  case 1:
  case 2: {
    Expr p = compared(oneOf(std::vector<Type>{F, F, D, I}), depth);
    return {[=](Env &e) {
              const Array array = p.run(e);
              return ask([&] { return bool(array); });
            },
            p.text};
  }
  case 3:
  case 4: {
    Expr p = compared(oneOf(std::vector<Type>{V, W, J}), depth);
    const bool isAny = chance(50);
    return {[=](Env &e) {
              const Array array = isAny ? any(p.run(e)) : all(p.run(e));
              return ask([&] { return bool(array); });
            },
            (isAny ? "any(" : "all(") + p.text + ")"};
  }
  case 5: { // truth of a number; of a vector it is an Error, sometimes
    Expr x = expr(oneOf(chance(95) ? std::vector<Type>{F, D, I} : std::vector<Type>{V, J}), depth);
    return {[=](Env &e) {
              const Array array = x.run(e);
              return ask([&] { return bool(array); });
            },
            "bool(" + x.text + ")"};
  }
  case 6: {
    Code<int> x = number(depth);
    const int k = static_cast<int>(below(4)) - 1;
    return {[=](Env &e) { return x.run(e) == k; }, x.text + " == " + std::to_string(k)};
  }
  case 7: // what has been asked before, maybe
    return {[](Env &e) { return ask([&] { return bool(e.truth); }); }, "truth"};
  case 8: { // needs no input
    const int k = static_cast<int>(below(9));
    return {[=](Env &) {
              const Array array = sum(arange(4)) > k;
              return ask([&] { return bool(array); });
            },
            "sum(arange(4)) > " + std::to_string(k)};
  }
  case 9: {
    if (depth <= 0)
      return test(depth);
    Test x = test(depth - 1), y = test(depth - 1);
    const bool both = chance(50);
    return {[=](Env &e) { return both ? x.run(e) && y.run(e) : x.run(e) || y.run(e); },
            "(" + x.text + (both ? " && " : " || ") + y.text + ")"};
  }
  default: {
    Test x = test(depth - 1);
    return {[=](Env &e) { return !x.run(e); }, "!(" + x.text + ")"};
  }
  }
}

Block Maker::assignment() {
  if (program_.variables && !(isInner_ && hasTapes_) && chance(30)) {
    const size_t k = below(program_.variables);
    const int op = static_cast<int>(below(3));
    constexpr const char *ops[] = {" = ", " += ", " *= "};
    Expr x = expr(F, 2);
    return {[=](Env &e) {
              const Variable &u = e.side.variables[k];
              const Array value = astype(x.run(e), u.dtype());
              op == 0 ? u.assign(value) : void(op == 1 ? u += value : u *= value);
              return true;
            },
            "u" + std::to_string(k) + ops[op] + x.text + ";\n"};
  }
  if (chance(8)) {
    Expr p = compared(oneOf(std::vector<Type>{F, D, I}), 1);
    return {[=](Env &e) {
              e.truth = p.run(e);
              return true;
            },
            "truth = " + p.text + ";\n"};
  }
  const int i = static_cast<int>(below(fieldCount));
  Expr x = expr(types[i], 3);
  return {[=](Env &e) {
            e.s.*fields[i] = x.run(e);
            return true;
          },
          std::string(names[i]) + " = " + x.text + ";\n"};
}

Block Maker::loop(int depth) {
  Block body = block(depth - 1, 2);
  if (chance(50)) {
    const int i = oneOf(std::vector<int>{0, 1, 4, 6}), most = 3 + static_cast<int>(below(6));
    return {[=](Env &e) {
              for (int k = 0; k < most; ++k) {
                const Array more = abs(e.s.*fields[i]) > 1;
                if (!ask([&] { return bool(more); }))
                  break;
                e.s.*fields[i] = as(e.s.*fields[i] / 2, types[i], e.s);
                if (!body.run(e))
                  return false;
              }
              return true;
            },
            std::string("for (k = 0; k < ") + std::to_string(most) + " && abs(" + names[i] + ") > 1; ++k) {\n  " +
                names[i] + " /= 2;\n" + indented(body.text) + "}\n"};
  }
  Expr bound = expr(I, 1);
  const int most = chance(10) ? 70 : 4, scale = most / 4; // of 64 questions at one line, and more
  return {[=](Env &e) {
            Array left = clip(bound.run(e) * scale, -1, most);
            while (ask([&] { return bool(left); }) && ask([&] { return bool(left > 0); })) {
              left = left - 1;
              if (!body.run(e))
                return false;
            }
            return true;
          },
          "left = clip(" + bound.text + " * " + std::to_string(scale) + ", -1, " + std::to_string(most) +
              ");\nwhile (left && left > 0) {\n  left -= 1;\n" + indented(body.text) + "}\n"};
}

Block Maker::statement(int depth) {
  const size_t kind = depth > 0 ? below(20) : below(6);
  switch (kind) {
  case 6:
  case 7:
  case 8:
  case 9: {
    Test p = test(2);
    Block x = block(depth - 1, 3), y = chance(60) ? block(depth - 1, 2) : Block{[](Env &) { return true; }, ""};
    return {[=](Env &e) { return p.run(e) ? x.run(e) : y.run(e); },
            "if (" + p.text + ") {\n" + indented(x.text) +
                (y.text.empty() ? "}\n" : "} else {\n" + indented(y.text) + "}\n")};
  }
  case 10:
  case 11:
    return loop(depth);
  case 12: {
    Code<int> x = number(2);
    std::vector<Block> cases;
    std::string text = "switch (" + x.text + ") {\n";
    for (int i = 0; i < 3; ++i) {
      cases.push_back(block(depth - 1, 2));
      text += (i == 2 ? "default:\n" : "case " + std::to_string(i) + ":\n") + indented(cases.back().text);
    }
    return {[=](Env &e) {
              const int k = x.run(e);
              return cases[k == 0 || k == 1 ? static_cast<size_t>(k) : 2].run(e);
            },
            text + "}\n"};
  }
  case 13: {
    const int tag = static_cast<int>(below(3)), i = static_cast<int>(below(fieldCount));
    Test p = test(1);
    return {[=](Env &e) {
              if (!p.run(e))
                return true;
              e.out = {{e.s.*fields[i]}, tag};
              return false;
            },
            "if (" + p.text + ")\n  return {" + names[i] + "}, " + std::to_string(tag) + ";\n"};
  }
  case 14: {
    Test p = test(1);
    const std::string what = "thrown " + std::to_string(below(3));
    return {[=](Env &e) {
              if (p.run(e))
                throw std::runtime_error(what);
              return true;
            },
            "if (" + p.text + ")\n  throw \"" + what + "\";\n"};
  }
  case 15: {
    Block x = block(depth - 1, 3), y = block(depth - 1, 1);
    return {[=](Env &e) {
              try {
                return x.run(e);
              } catch (const std::runtime_error &error) {
                if (std::string(error.what()).find("thrown") != 0)
                  throw;
                return y.run(e);
              }
            },
            "try {\n" + indented(x.text) + "} catch (...) {\n" + indented(y.text) + "}\n"};
  }
  case 16:
  case 17: {
    if (!callable_)
      return assignment();
    const size_t k = below(callable_), i = below(2);
    Expr b = expr(V, 1);
    return {[=](Env &e) {
              const Array second = b.run(e);
              Array first = e.s.*fields[i]; // no leaf of the caller's: what it updates may be there twice
              e.s.f1 = e.side.inner[k](first, second);
              e.s.*fields[i] = first;
              return true;
            },
            std::string("s.f1 = jit(inner") + std::to_string(k) + ")(" + names[i] + ", " + b.text + ");\n"};
  }
  case 18: {
    if (!program_.variables || program_.isSmooth || isInner_ || !hasTapes_)
      return assignment();
    Block x = block(depth - 1, 2);
    return {[=](Env &e) {
              GradientTape tape;
              if (!x.run(e))
                return false;
              const Variable &u = e.side.variables[0];
              const Array slope = tape.gradient(e.s.f1 * u, u);
              if (ask([&] { return bool(slope > 1); }))
                u -= 0.125f * slope;
              else
                e.s.f0 = slope;
              return true;
            },
            "{\n  GradientTape tape;\n" + indented(x.text) +
                "  slope = tape.gradient(s.f1 * u0, u0);\n  if (slope > 1)\n    u0 -= 0.125 * slope;\n  else\n    s.f0 "
                "= slope;\n}\n"};
  }
  case 0:
    if (!program_.isQuiet && chance(40)) {
      const int i = static_cast<int>(below(fieldCount)), number = ++prints_;
      return {[=](Env &e) {
                tenon::print("print " + std::to_string(number) + ": {}", {e.s.*fields[i]});
                hasPrinted = true;
                return true;
              },
              "print(" + std::to_string(number) + ", " + names[i] + ");\n"};
    }
    [[fallthrough]];
  default:
    return assignment();
  }
}

Block Maker::block(int depth, size_t most) {
  std::vector<Block> all;
  std::string text;
  for (size_t count = 1 + below(most); all.size() < count;) {
    all.push_back(statement(depth));
    text += all.back().text;
  }
  return {[=](Env &e) { return std::ranges::all_of(all, [&](const Block &one) { return one.run(e); }); }, text};
}

void Maker::make() {
  program_.isSmooth = chance(20);
  program_.isQuiet = program_.isSmooth && chance(60);
  program_.variables = chance(40) ? 0 : 1 + below(2);
  hasTapes_ = chance(50);
  isInner_ = true;
  for (size_t count = chance(40) ? 1 + below(2) : 0; callable_ < count; ++callable_) {
    program_.inner.push_back(block(1, 3));
    program_.innerUpdates.push_back(chance(50));
  }
  isInner_ = false;
  program_.body = block(3, 5);
}

State Maker::input(int64_t n, bool isTame) {
  auto real = [&]() -> double {
    if (!isTame && chance(5))
      return oneOf(std::vector<double>{NAN, INFINITY, -INFINITY, 1e30});
    return oneOf(std::vector<double>{-2.5, -1, -0.5, -0.0, 0, 0.3, 1, 1.5, 2, 3, 7});
  };
  auto array = [&](Type type) {
    std::vector<double> x(type % 2 ? static_cast<size_t>(n) : 1);
    for (double &each : x)
      each = type < I ? real() : static_cast<double>(below(9)) - 3;
    return std::pair(type, x);
  };
  State s;
  for (int i = 0; i < fieldCount; ++i) {
    const auto [type, x] = array(types[i]);
    std::vector<float> narrow(x.begin(), x.end());
    const std::vector<int32_t> whole = type < I ? std::vector<int32_t>() : std::vector<int32_t>(x.begin(), x.end());
    const Shape shape = type % 2 ? Shape{n} : Shape{};
    s.*fields[i] = type < D   ? Array(std::span<const float>(narrow), shape)
                   : type < I ? Array(std::span<const double>(x), shape)
                              : Array(std::span<const int32_t>(whole), shape);
  }
  return s;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

struct Outcome {
  Out out;
  State after;
  std::vector<Array> variables;
  std::string printed, error;
};

/// What standard output, a file of memory, has taken since.
std::string takePrinted() {
  std::fflush(stdout);
  const off_t size = lseek(STDOUT_FILENO, 0, SEEK_END);
  std::string out(static_cast<size_t>(size), 0);
  if (size && pread(STDOUT_FILENO, out.data(), out.size(), 0) != size)
    std::abort();
  if (size && (ftruncate(STDOUT_FILENO, 0) != 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) != 0))
    std::abort();
  return out;
}

Array copyOf(const Array &x) {
  return withElement(x.dtype(), [&]<class T>(T *) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t>) {
      const std::vector<T> elements = x.to_vector<T>();
      return Array(std::span<const T>(elements), x.shape());
    }
    return x;
  });
}
/// In buffers of its own, which may be donated.
State copyOf(const State &s) {
  State out;
  for (auto field : fields)
    out.*field = copyOf(s.*field);
  return out;
}
std::vector<Array> arraysOf(const State &s) {
  std::vector<Array> out;
  for (auto field : fields)
    out.push_back(s.*field);
  return out;
}
std::string difference(const std::vector<Array> &got, const std::vector<Array> &expected) {
  if (got.size() != expected.size())
    return std::to_string(got.size()) + " arrays for " + std::to_string(expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (std::string what = tenon::fuzz::difference(got[i], expected[i]); !what.empty())
      return "array " + std::to_string(i) + ", " + what;
  return "";
}
std::string difference(const Outcome &got, const Outcome &expected) {
  if (got.error.substr(0, got.error.starts_with("tenon: ") ? 14 : std::string::npos) !=
      expected.error.substr(0, got.error.starts_with("tenon: ") ? 14 : std::string::npos))
    return "throws \"" + got.error + "\" for \"" + expected.error + "\"";
  if (got.printed != expected.printed)
    return "prints\n" + got.printed + "for\n" + expected.printed;
  if (std::string what = difference(got.variables, expected.variables); !what.empty())
    return "Variables: " + what;
  if (std::string what = difference(arraysOf(got.after), arraysOf(expected.after)); !what.empty())
    return "arguments: " + what;
  if (!got.error.empty())
    return "";
  if (got.out.tag != expected.out.tag)
    return "tag " + std::to_string(got.out.tag) + " for " + std::to_string(expected.out.tag);
  const std::string what = difference(got.out.arrays, expected.out.arrays);
  return what.empty() ? "" : "results: " + what;
}

std::vector<Array> held(const Side &side) {
  std::vector<Array> out;
  for (const Variable &u : side.variables)
    out.push_back(u.value());
  return out;
}

Out run(const Block &body, Side &side, State &s) {
  Env e{side, s, s.f0 > 0, {}};
  if (body.run(e)) {
    e.out = {arraysOf(s), 9};
    e.out.arrays.push_back(s.f0); // twice, and what no input is behind
    e.out.arrays.push_back(sum(arange(3)));
  }
  return e.out;
}

/// `isJitted`: the inner functions are; else they are C++ that gives back what it has changed when it throws.
void open(const Sample &program, Side &side, bool isJitted, JitOptions options) {
  side.isJitted = isJitted;
  for (size_t k = 0; k < program.variables; ++k)
    side.variables.push_back(k ? Variable(Array(2)) : Variable(Array(0.5f)));
  for (size_t k = 0; k < program.inner.size(); ++k) {
    auto f = [&program, &side, k](Array &a, const Array &b) {
      State s = stateOf(a, b);
      Env e{side, s, a > 0, {}};
      program.inner[k].run(e);
      a = s.f0;
      return s.f1 + sum(s.v0) * 0.25f;
    };
    const bool updates = program.innerUpdates[k];
    if (isJitted)
      side.inner.emplace_back(
          [f, j = jit(f, options), k = jit([f](Array a, const Array &b) { return f(a, b); }, options),
           updates](Array &a, const Array &b) { return updates ? j(a, b) : k(std::as_const(a), b); });
    else
      side.inner.emplace_back([f, updates, &side](Array &a, const Array &b) {
        const Array before = a;
        const std::vector<Array> variables = held(side);
        try {
          Array result = f(a, b);
          if (!updates)
            a = before;
          return result;
        } catch (...) {
          a = before;
          for (size_t i = 0; i < variables.size(); ++i)
            side.variables[i].assign(variables[i]);
          throw;
        }
      });
  }
}

/// What a call does; `call` gives the results.
template <class F>
Outcome outcome(Side &side, State &s, F &&call) {
  Outcome out;
  hasPrinted = hasAskedLate = false;
  asked = 0;
  const State before = s;
  const std::vector<Array> variables = held(side);
  try {
    out.out = call(s);
  } catch (const Error &error) {
    out.error = std::string("tenon: ") + error.what();
  } catch (const std::runtime_error &error) {
    out.error = error.what();
  }
  if (!out.error.empty() && !side.isJitted) {
    s = before;
    for (size_t i = 0; i < variables.size(); ++i)
      side.variables[i].assign(variables[i]);
  }
  out.after = s;
  out.variables = held(side);
  return out;
}

/// How the arguments are given.
enum class Passing { constant, updated, donated, separate, symbolic };
constexpr const char *passings[] = {"constant", "updated", "donated", "separate", "symbolic"};

/// A jitted function whatever its type is.
struct Compiled {
  std::function<Out(State &)> call;
  std::function<void(State &)> lower;
  std::function<JitStats()> stats;
};
Compiled compiled(const Sample &program, Side &side, Passing passing, JitOptions options) {
  if (passing == Passing::separate || passing == Passing::symbolic) {
    if (passing == Passing::symbolic)
      options.specs = {TensorSpec{f32, {}}, TensorSpec{f32, {}},    TensorSpec{f32, {"n"}}, TensorSpec{f32, {"n"}},
                       TensorSpec{f64, {}}, TensorSpec{f64, {"n"}}, TensorSpec{i32, {}},    TensorSpec{i32, {"n"}}};
    auto j = jit(
        [&program, &side](const Array &f0, const Array &f1, const Array &v0, const Array &v1, const Array &d0,
                          const Array &w0, const Array &i0, const Array &j0) {
          State s{f0, f1, v0, v1, d0, w0, i0, j0};
          return run(program.body, side, s);
        },
        options);
    return {[=](State &s) { return j(s.f0, s.f1, s.v0, s.v1, s.d0, s.w0, s.i0, s.j0); },
            [=](State &s) { j.lower(s.f0, s.f1, s.v0, s.v1, s.d0, s.w0, s.i0, s.j0); }, [=] { return j.stats(); }};
  }
  if (passing == Passing::updated) {
    auto j = jit([&program, &side](State &s) { return run(program.body, side, s); }, options);
    return {[=](State &s) { return j(s); }, [=](State &s) { j.lower(s); }, [=] { return j.stats(); }};
  }
  auto j = jit([&program, &side](State s) { return run(program.body, side, s); }, options);
  const bool isDonated = passing == Passing::donated;
  return {[=](State &s) { return isDonated ? j(copyOf(s)) : j(std::as_const(s)); },
          [=](State &s) { j.lower(std::as_const(s)); }, [=] { return j.stats(); }};
}

std::string Sample::text() const {
  std::string out;
  for (size_t k = 0; k < variables; ++k)
    out += "Variable u" + std::to_string(k) + (k ? "(2);\n" : "(0.5f);\n");
  for (size_t k = 0; k < inner.size(); ++k)
    out += "Array inner" + std::to_string(k) + (innerUpdates[k] ? "(Array &a" : "(Array a") +
           ", const Array &b) {\n  State s = stateOf(a, b); truth = a > 0;\n" + indented(inner[k].text) +
           "  a = s.f0;\n  return s.f1 + sum(s.v0) * 0.25f;\n}\n";
  return out + "Out f(State &s) {\n  truth = s.f0 > 0;\n" + indented(body.text) + "  return all of s;\n}\n";
}

std::string bitsOf(const std::vector<Array> &arrays) {
  std::string out;
  for (const Array &x : arrays)
    withElement(x.dtype(), [&]<class T>(T *) {
      if constexpr (!std::is_same_v<T, bool>)
        for (T each : x.to_vector<T>())
          out.append(reinterpret_cast<const char *>(&each), sizeof each);
      out += '|';
    });
  return out;
}

std::string textOf(const State &s) {
  std::string out;
  for (int i = 0; i < fieldCount; ++i) {
    out += std::string("  ") + names[i] + " =";
    for (double x : astype(s.*fields[i], f64).to_vector<double>())
      out += " " + exactly(x);
    out += "\n";
  }
  return out;
}

long calls = 0, gradients = 0, threaded = 0, paths = 0, thrown = 0, errors = 0, otherTexts = 0, crowded = 0;
std::string someText;

/// The function and its jit, again and again.
std::string checkCalls(const Sample &program, Maker &maker, const std::vector<State> &inputs) {
  const JitOptions options{.compile = maker.chance(60) ? Compile::now : Compile::never};
  Side plain, side;
  open(program, plain, false, options);
  open(program, side, true, options);
  const Passing passing = static_cast<Passing>(maker.below(5));
  const Compiled j = compiled(program, side, passing, options);
  std::set<std::string> seen;
  std::vector<std::pair<Array, Array>> kept;
  std::string log = std::string(passings[static_cast<int>(passing)]) +
                    (options.compile == Compile::never ? ", interpreted; calls:" : "; calls:");
  for (size_t call = 0, count = inputs.size() > 9 ? 60 : 6 + maker.below(7); call < count; ++call, ++calls) {
    const size_t k = maker.below(inputs.size());
    log += " " + std::to_string(k);
    if (maker.chance(4)) {
      log += "(after lower)";
      State given = inputs[k];
      const Outcome lowered = outcome(side, given, [&](State &s) { return j.lower(s), Out(); });
      if (std::string what = difference(held(side), held(plain)); !what.empty())
        return log + ", lower: Variables: " + what;
      if (std::string printed = takePrinted(); !printed.empty() && lowered.error.empty())
        return log + ", lower prints " + printed;
    }
    const std::string key = bitsOf(arraysOf(inputs[k])) + bitsOf(held(side));
    const uint64_t traces = j.stats().traces;
    State given = maker.chance(50) ? inputs[k] : copyOf(inputs[k]);
    Outcome got = outcome(side, given, j.call);
    const bool isLate = hasAskedLate;
    got.printed = takePrinted();
    State expectedState = inputs[k];
    Outcome expected = outcome(plain, expectedState, [&](State &s) { return run(program.body, plain, s); });
    expected.printed = takePrinted();
    if (passing != Passing::updated)
      expected.after = inputs[k];
    if (std::string what = difference(got, expected); !what.empty())
      return log + "\n" + textOf(inputs[k]) + what;
    if (expected.error.starts_with("tenon: ")) {
      ++errors;
      if (got.error.substr(0, 50) != expected.error.substr(0, 50) && !otherTexts++)
        someText = got.error + " FOR " + expected.error;
    }
    thrown += !expected.error.empty();
    if (expected.error.empty() && !isLate && !hasAskedLate && asked <= 64) {
      const uint64_t more = j.stats().traces - traces;
      crowded += j.stats().traces > 16;
      if (j.stats().traces <= 16 && (!seen.insert(key).second ? more > 0 : more > 2))
        return log + ": traced " + std::to_string(more) + " times\n" + textOf(inputs[k]);
    }
    for (size_t i = 0; got.error.empty() && i < got.out.arrays.size(); ++i)
      kept.emplace_back(got.out.arrays[i], copyOf(got.out.arrays[i]));
    for (size_t i = 0; i < got.variables.size(); ++i)
      kept.emplace_back(got.variables[i], copyOf(got.variables[i]));
  }
  paths += static_cast<long>(j.stats().traces);
  for (const auto &[now, then] : kept)
    if (std::string what = tenon::fuzz::difference(now, then); !what.empty())
      return log + ": a result has changed since, " + what;
  return "";
}

struct Smooth {
  Array f0, f1, v0, v1, d0, w0;
};
struct Whole {
  Array i0, j0;
};

std::string checkGradients(const Sample &program, Maker &maker, const std::vector<State> &inputs) {
  Side plain, sides[3];
  open(program, plain, false, {});
  for (Side &side : sides)
    open(program, side, true, {});
  auto lossOf = [&program](Side &side) {
    return [&](const Smooth &x, const Whole &y) {
      State s{x.f0, x.f1, x.v0, x.v1, x.d0, x.w0, y.i0, y.j0};
      Array loss = 0.0f;
      for (const Array &each : run(program.body, side, s).arrays)
        loss = loss + as(each, F, s);
      return loss;
    };
  };
  using Derivative = std::function<std::pair<Array, Smooth>(const Smooth &, const Whole &)>;
  const Derivative eager = value_and_grad(lossOf(plain));
  const Derivative all[] = {jit(value_and_grad(lossOf(sides[0]))), value_and_grad(jit(lossOf(sides[1]))),
                            jit(value_and_grad(jit(lossOf(sides[2]))))};
  constexpr const char *texts[] = {"jit(value_and_grad(f))", "value_and_grad(jit(f))", "jit(value_and_grad(jit(f)))"};
  for (size_t call = 0; call < 8; ++call) {
    const State &in = inputs[maker.below(inputs.size())];
    auto of = [&](Side &side, const Derivative &derivative) {
      State given = in;
      return outcome(side, given, [&](State &s) {
        auto [y, d] = derivative({s.f0, s.f1, s.v0, s.v1, s.d0, s.w0}, {s.i0, s.j0});
        return Out{{y, d.f0, d.f1, d.v0, d.v1, d.d0, d.w0}, 0};
      });
    };
    Outcome expected = of(plain, eager);
    expected.printed = takePrinted();
    for (size_t which = 0; which < 3; ++which) {
      Outcome got = of(sides[which], all[which]);
      got.printed = takePrinted();
      ++gradients;
      std::string what = difference(got, expected);
      if (what.starts_with("results"))
        what = [&]() -> std::string { // sums of what a value is used for may have another order
          for (size_t i = 0; i < expected.out.arrays.size(); ++i) {
            const auto a = astype(got.out.arrays[i], f64).to_vector<double>();
            const auto b = astype(expected.out.arrays[i], f64).to_vector<double>();
            for (size_t k = 0; k < b.size(); ++k)
              if (!isSame(a[k], b[k]) && !(std::abs(a[k] - b[k]) <= 1e-5 * (1 + std::abs(b[k]))))
                return what;
          }
          return "";
        }();
      if (!what.empty())
        return std::string(texts[which]) + ", call " + std::to_string(call) + "\n" + textOf(in) + what;
    }
  }
  return "";
}

std::string checkThreads(const Sample &program, const std::vector<State> &inputs) {
  Side plain, side;
  open(program, plain, false, {});
  open(program, side, true, {});
  std::vector<Outcome> expected;
  for (const State &in : inputs) {
    State s = in;
    expected.push_back(outcome(plain, s, [&](State &s) { return run(program.body, plain, s); }));
    expected.back().after = in;
  }
  const Compiled j = compiled(program, side, Passing::constant, {});
  std::string faults[4];
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 8 && faults[t].empty(); ++i) {
        const size_t k = (t * 3 + i) % inputs.size();
        State s = inputs[k];
        faults[t] = difference(outcome(side, s, j.call), expected[k]);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  ++threaded;
  for (const std::string &fault : faults)
    if (!fault.empty())
      return "four threads: " + fault;
  return "";
}

volatile sig_atomic_t reportTo = 2;
char current[64];
void died(int signal) {
  const char *what = signal == SIGALRM ? " hangs\n" : " crashes\n";
  if (write(reportTo, current, strlen(current)) < 0 || write(reportTo, what, strlen(what)) < 0)
    _exit(3);
  _exit(1);
}

std::string check(uint64_t seed, Sample &program) {
  Maker maker(seed, program);
  maker.make();
  std::vector<State> inputs;
  const int64_t n = static_cast<int64_t>(2 + maker.below(3));
  for (size_t count = maker.chance(8) ? 30 : 2 + maker.below(4); inputs.size() < count;) {
    State in = maker.input(maker.chance(10) ? 5 : n, program.isSmooth);
    if (!inputs.empty() && maker.chance(60)) // like another one, but for a few
      for (int i = 0; i < fieldCount; ++i)
        if (const State &other = inputs[maker.below(inputs.size())];
            maker.chance(75) && (types[i] % 2 == 0 || other.v0.shape() == in.v0.shape()))
          in.*fields[i] = other.*fields[i];
    inputs.push_back(std::move(in));
  }
  const std::vector<State> before = [&] {
    std::vector<State> all;
    for (const State &in : inputs)
      all.push_back(copyOf(in));
    return all;
  }();
  std::string what = program.isSmooth && maker.chance(75) ? checkGradients(program, maker, inputs)
                                                          : checkCalls(program, maker, inputs);
  if (what.empty() && !program.variables && maker.chance(10) && program.text().find("print") == std::string::npos)
    what = checkThreads(program, inputs);
  for (size_t i = 0; what.empty() && i < inputs.size(); ++i)
    if (what = difference(arraysOf(inputs[i]), arraysOf(before[i])); !what.empty())
      what = "an input has changed: " + what;
  return what;
}

} // namespace

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  reportTo = dup(STDOUT_FILENO);
  FILE *report = fdopen(reportTo, "w");
  std::setvbuf(report, nullptr, _IONBF, 0);
  if (dup2(memfd_create("stdout", 0), STDOUT_FILENO) < 0)
    return 2;
  for (int signal : {SIGALRM, SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
    std::signal(signal, died);
  uint64_t wrong = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::snprintf(current, sizeof current, "seed %llu", static_cast<unsigned long long>(seed));
    alarm(60);
    Sample program;
    std::string what;
    try {
      what = check(seed, program);
    } catch (const std::exception &error) {
      what = std::string("uncaught: ") + error.what();
    }
    takePrinted();
    if (what.empty())
      continue;
    ++wrong;
    std::fprintf(report, "%s\n%s%s\n\n", current, program.text().c_str(), what.c_str());
    if (argc <= 3)
      return 1;
  }
  std::fprintf(
      report,
      "%llu programs, %llu wrong; %ld calls, %ld traces, %ld of derivatives, %ld thrown, %ld Errors (%ld other "
      "texts), %ld past the most paths, %ld in threads\n%s\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(wrong), calls, paths, gradients, thrown,
      errors, otherTexts, crowded, threaded, someText.c_str());
  return wrong != 0;
}

//===- Branches.cpp - random functions that branch on traced values ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/Branches.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace tenon;
using namespace tenon::fuzz;

Array fuzz::as(const Array &x, Type type, const State &s) {
  Array y = astype(x, dtypes[type]);
  if (type % 2)
    return y.ndim() ? y : broadcast_to(y, s.v0.shape());
  return y.ndim() ? sum(y) : y;
}

State fuzz::stateOf(const Array &a, const Array &b) {
  return {a, a + 1, b, b * 0.5f, astype(a, f64), astype(b, f64) - 1, astype(clip(a, -3, 3), i32), astype(b, i32)};
}

std::string fuzz::indented(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    out += "  " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

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
  if (kind == 4 && !program_.isQuiet && chance(50))
    return {[=](Env &e) { return as(e.side.counted.value(), type, e.s); }, "as(n)"};
  std::vector<int> exact, all;
  for (int i = 0; i < fieldCount; ++i)
    (types[i] == type ? exact : all).push_back(i);
  if (kind == 5 && isLocal_) {
    const int i = oneOf(exact);
    return {[=](Env &e) { return e.around->*fields[i]; }, std::string("around ") + names[i]};
  }
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

Block Maker::local(int depth, bool isDifferentiated) {
  const bool wasInner = std::exchange(isInner_, true), wasLocal = std::exchange(isLocal_, true);
  Block x = block(depth - 1, 3);
  isInner_ = wasInner;
  isLocal_ = wasLocal;
  const int i = static_cast<int>(below(2));
  Expr a = expr(F, 1), b = expr(V, 1);
  return {[=](Env &e) {
            const Array first = a.run(e), second = b.run(e);
            auto f = [&](const Array &a, const Array &b) {
              State s = stateOf(a, b);
              Env in{e.side, s, e.truth, {}, &e.s};
              x.run(in);
              return s.f1 + sum(s.v0) * 0.25f;
            };
            const auto made = jit(f);
            auto call = [&](const Array &a) {
              return e.side.isJitted ? made(a, second) : allOrNothing(e.side, [&] { return f(a, second); });
            };
            if (!isDifferentiated) {
              e.s.*fields[i] = call(first);
              return true;
            }
            const Array slope = grad(call)(first); // sums of what a value is used for may have another order
            e.s.*fields[i] = where(abs(slope) < 1000, round(slope * 16) / 16, 0.0f);
            return true;
          },
          std::string(names[i]) + (isDifferentiated ? " = coarsely grad(jit([&](a, b) {\n" : " = jit([&](a, b) {\n") +
              "  State s = stateOf(a, b);\n" + indented(x.text) + "  return s.f1 + sum(s.v0) * 0.25f;\n})(" + a.text +
              ", " + b.text + ");\n"};
}

Block Maker::statement(int depth) {
  const size_t kind = depth > 0 ? below(24) : below(6);
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
  case 20:
  case 21:
  case 22:
    return local(depth, false);
  case 23:
    return program_.isSmooth ? local(depth, false) : local(depth, true);
  case 18: {
    if (!program_.variables || program_.isSmooth || isInner_ || !hasTapes_)
      return assignment();
    Block x = block(depth - 1, 2);
    // What is used in a function within and around it may be summed in another order.
    const bool isCoarse = x.text.find("jit(") != x.text.npos;
    return {[=](Env &e) {
              GradientTape tape;
              if (!x.run(e))
                return false;
              const Variable &u = e.side.variables[0];
              Array slope = tape.gradient(e.s.f1 * u, u);
              if (isCoarse)
                slope = round(256.0f * slope) / 256.0f;
              if (ask([&] { return bool(slope > 1); }))
                u -= 0.125f * slope;
              else
                e.s.f0 = slope;
              return true;
            },
            "{\n  GradientTape tape;\n" + indented(x.text) + "  slope = tape.gradient(s.f1 * u0, u0);\n" +
                (isCoarse ? "  slope = round(256 * slope) / 256;\n" : "") +
                "  if (slope > 1)\n    u0 -= 0.125 * slope;\n  else\n    s.f0 = slope;\n}\n"};
  }
  case 0:
    if (!program_.isQuiet && chance(40)) {
      const int i = static_cast<int>(below(fieldCount)), number = ++prints_;
      if (chance(40)) { // another answer at each call: who called it once too often is found out
        const Type type = types[i];
        const bool counts = chance(50);
        return {[=](Env &e) {
                  const Array x = stop_gradient(e.s.*fields[i]);
                  auto f = [number, counts, side = &e.side](const Array &x) {
                    std::printf("host %d: %s\n", number, format("{}", x).c_str());
                    if (counts)
                      side->counted.assign(side->counted + 1.0f);
                    return astype(x + ++side->hostCalls % 3, x.dtype());
                  };
                  e.s.*fields[i] = host_call(f, TensorSpec{dtypes[type], x.shape()}, x);
                  hasPrinted = true;
                  return true;
                },
                std::string(names[i]) + " = host_call(print(" + std::to_string(number) + ", x), " +
                    (counts ? "n += 1, " : "") + "x + k++ % 3)(" + names[i] + ");\n"};
      }
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

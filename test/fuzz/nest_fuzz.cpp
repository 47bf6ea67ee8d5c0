//===- nest_fuzz.cpp - random stacks of transformations -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nest_fuzz [stacks = 300] [seed = 1] [file]: makes smooth functions of random ops in f64 and
// puts up to four transformations on each: grad, vjp, jvp, a tape, vmap, jit, checkpoint.
// Of each of them, derivatives are compared with differences of the function one level
// below, vmap with a loop over its examples, jit with what it is of. Of all together the
// eager result is compared by bits with those of jit, of the interpreter, and of grad in the
// place of tapes, and with that without jit and checkpoint. What differs is printed as
// program_fuzz prints it, then the exit status is 1. The file gets the last stack as C++ to compile.
//===----------------------------------------------------------------------===//
#include "test/Difference.h"
#include "test/fuzz/Programs.h"
#include "test/fuzz/Transforms.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace tenon::fuzz {

namespace {

enum class Kind { gradient, pulled, pushed, taped, mapped, compiled, recomputed };
constexpr int kindCount = 7;
constexpr const char *kindNames[] = {"gradient", "pulled", "pushed", "taped", "mapped", "compiled", "recomputed"};

struct Layer {
  Kind kind;
  /// Of pushed: with the results.
  bool withResults = false;
  /// Of mapped: an axis for each input, or -1, the same for all.
  std::vector<int> axes = {};

  bool isDerivative() const { return kind <= Kind::taped; }
  Function over(Function f) const;
  std::string text(const std::string &below) const;
};

constexpr int examples = 3;

/// A program, what is done to it, and the inputs of all levels.
struct Stack {
  Program program;
  std::vector<Layer> layers;

  static Stack make(uint64_t seed);
  /// The inputs of the function of that many layers.
  List inputs(size_t level) const;
  /// With others in the place of layers: `change` gives false where there is none.
  template <class F>
  Function function(size_t level, F &&change) const {
    Function f = [this](const List &in) { return program.run(in); };
    for (size_t i = 0; i < level; ++i)
      if (Layer layer = layers[i]; change(layer))
        f = layer.over(std::move(f));
    return f;
  }
  Function function(size_t level) const {
    return function(level, [](const Layer &) { return true; });
  }
  std::string text() const;
  std::string printing() const;
};

/// One stack at all its levels.
class Check {
public:
  explicit Check(const Stack &stack) : stack_(stack) {}
  /// What is wrong first, in words, and how; both empty: nothing.
  std::pair<std::string, std::string> fault();
  static inline long compared = 0, differences = 0, rough = 0, mapped = 0, whole = 0;
  static inline std::array<long, 5> depths = {};
  static inline std::array<long, kindCount> kinds = {};

private:
  void fail(const std::string &mode, const std::string &what) {
    if (mode_.empty())
      std::tie(mode_, what_) = std::pair(mode, what);
  }
  void fail(const std::string &mode, const Error &error) {
    const std::string what = error.what();
    fail(mode + ": " + what.substr(0, 40), what);
  }
  void same(const std::string &mode, const List &got, const List &expected);
  void near(const std::string &mode, const List &got, const List &expected);
  void level(size_t number);
  void derivative(const Layer &layer, const Function &below, const List &in, const List &got);
  void loop(const Layer &layer, size_t number, const Function &below, const List &in, const List &got);
  void all();

  const Stack &stack_;
  std::string mode_, what_;
};

} // namespace

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

Function Layer::over(Function f) const {
  switch (kind) {
  case Kind::gradient:
    return gradient(std::move(f));
  case Kind::pulled:
    return pulled(std::move(f));
  case Kind::pushed:
    return pushed(std::move(f), withResults);
  case Kind::taped:
    return taped(std::move(f));
  case Kind::mapped: {
    std::vector<BatchAxis> all;
    for (int axis : axes)
      if (axis < 0)
        all.emplace_back(none);
      else
        all.emplace_back(axis);
    return fuzz::mapped(std::move(f), std::move(all));
  }
  case Kind::compiled:
    return compiled(std::move(f));
  case Kind::recomputed:
    return recomputed(std::move(f));
  }
  __builtin_unreachable();
}

std::string Layer::text(const std::string &below) const {
  std::string out = std::string(kindNames[static_cast<int>(kind)]) + "(" + below;
  if (kind == Kind::pushed)
    out += ", " + literal(withResults);
  if (kind == Kind::mapped) {
    out += ", {";
    for (size_t i = 0; i < axes.size(); ++i)
      out += (i ? ", " : "") + (axes[i] < 0 ? "none" : literal(axes[i]));
    out += "}";
  }
  return out + ")";
}

Stack Stack::make(uint64_t seed) {
  Generator random(seed);
  Stack stack;
  const size_t depth = 1 + std::min<size_t>(random.below(6), 3);
  size_t derivatives = 0;
  for (size_t i = 0; i < depth; ++i) {
    Layer layer{static_cast<Kind>(random.below(kindCount)), random.chance(40)};
    derivatives += layer.isDerivative();
    stack.layers.push_back(std::move(layer));
  }
  // Each derivative is of several times as many ops.
  stack.program = random.makeSmooth(derivatives > 3 ? 3 : derivatives > 2 ? 5 : 9);
  for (size_t i = 0; i < depth; ++i) {
    Layer &layer = stack.layers[i];
    if (layer.kind != Kind::mapped)
      continue;
    const List in = stack.inputs(i);
    for (const Array &each : in)
      layer.axes.push_back(random.chance(25)   ? -1
                           : random.chance(60) ? 0
                                               : static_cast<int>(random.below(static_cast<size_t>(each.ndim()) + 1)));
    if (int &first = layer.axes[random.below(in.size())]; first < 0)
      first = 0;
  }
  return stack;
}

List Stack::inputs(size_t level) const {
  List in = program.inputs;
  for (size_t i = 0; i < level; ++i)
    if (layers[i].kind == Kind::mapped)
      for (size_t k = 0; k < in.size(); ++k)
        if (const int axis = layers[i].axes[k]; axis >= 0)
          in[k] = tenon::stack({in[k], in[k] * 0.5 + 0.1, 0.3 - in[k]}, axis);
  return in;
}

std::string Stack::text() const {
  std::string out = program.text("program", program.results());
  for (size_t i = 0; i < layers.size(); ++i)
    out += "static const Function level" + literal(i + 1) + " = " +
           layers[i].text(i ? "level" + literal(i) : std::string("program")) + ";\n";
  return out;
}

/// A program that prints what all levels give.
std::string Stack::printing() const {
  std::string out = std::string("#include \"test/fuzz/Transforms.h\"\n") + Program::prelude +
                    "using namespace tenon::fuzz;\n\n" + text() + "\nint main() {\n";
  for (size_t level = 0; level <= layers.size(); ++level) {
    const std::string name = level ? "level" + literal(level) : std::string("program");
    out += "  const List inputs" + literal(level) + " = {\n";
    for (const Array &input : inputs(level))
      out += "      " + literal(input) + ",\n";
    out += "  };\n  for (const Array &x : " + name + "(inputs" + literal(level) + "))\n    std::cout << \"" + name +
           ": \" << x << \"\\n\";\n";
  }
  return out + "}\n";
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void Check::same(const std::string &mode, const List &got, const List &expected) {
  if (got.size() != expected.size())
    return fail(mode, literal(got.size()) + " results for " + literal(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    ++compared;
    if (std::string what = difference(got[i], expected[i]); !what.empty())
      fail(mode, "result " + literal(i) + ", " + what);
  }
}

/// Equal but for the order of sums.
void Check::near(const std::string &mode, const List &got, const List &expected) {
  if (got.size() != expected.size())
    return fail(mode, literal(got.size()) + " results for " + literal(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    ++compared;
    if (!(got[i].shape() == expected[i].shape()) || got[i].dtype() != f64 || expected[i].dtype() != f64) {
      fail(mode, difference(got[i], expected[i]));
      continue;
    }
    const std::vector<double> a = got[i].to_vector<double>(), b = expected[i].to_vector<double>();
    double most = 1;
    for (double x : b)
      most = std::max(most, std::abs(x));
    for (size_t k = 0; k < a.size(); ++k)
      if (!(std::abs(a[k] - b[k]) <= 1e-10 * most)) {
        fail(mode, "result " + literal(i) + ", element " + literal(k) + ": " + exactly(a[k]) + " for " + exactly(b[k]));
        break;
      }
  }
}

static std::vector<double> elements(const List &arrays) {
  std::vector<double> all;
  for (const Array &array : arrays)
    for (double x : array.to_vector<double>())
      all.push_back(x);
  return all;
}

static double product(const List &x, const List &y) {
  const std::vector<double> a = elements(x), b = elements(y);
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

/// Along each of some directions, how the function below moves by differences, with what the derivative says.
void Check::derivative(const Layer &layer, const Function &below, const List &in, const List &got) {
  const std::string mode = layer.text("f") + ", differences";
  const List y = below(in);
  List tangents = got;
  if (layer.kind == Kind::pushed && layer.withResults) {
    same(layer.text("f") + ", results", List(got.begin(), got.begin() + static_cast<long>(y.size())), y);
    tangents.erase(tangents.begin(), tangents.begin() + static_cast<long>(y.size()));
  }
  auto numbers = [&](const List &x) -> std::vector<double> {
    if (layer.kind == Kind::pushed)
      return elements(below(x));
    if (layer.kind == Kind::pulled)
      return {product(below(x), waves(y, 0.3))};
    return {loss(below, x).item<double>()};
  };
  const size_t directions = layer.kind == Kind::pushed ? 1 : 3;
  for (size_t number = 0; number < directions; ++number) {
    const List along = waves(in, layer.kind == Kind::pushed ? 0.9 : 2.3 * static_cast<double>(number));
    auto moved = [&](double by) {
      List x;
      for (size_t i = 0; i < in.size(); ++i)
        x.push_back(in[i] + along[i] * by);
      return numbers(x);
    };
    // Central differences of four steps, extrapolated; what the last step of that changes bounds its error.
    std::vector<std::vector<double>> slopes;
    double step = 4e-3, most = 0;
    for (int i = 0; i < 4; ++i, step /= 2) {
      const std::vector<double> high = moved(step), low = moved(-step);
      slopes.emplace_back();
      for (size_t k = 0; k < high.size(); ++k) {
        slopes.back().push_back((high[k] - low[k]) / (2 * step));
        most = std::max(most, std::abs(high[k]));
      }
    }
    std::vector<double> error(slopes[0].size());
    for (size_t order = 1; order < slopes.size(); ++order)
      for (size_t i = slopes.size() - 1; i >= order; --i)
        for (size_t k = 0; k < error.size(); ++k) {
          const double change = (slopes[i][k] - slopes[i - 1][k]) / (std::pow(4.0, order) - 1);
          slopes[i][k] += change;
          error[k] = std::abs(change);
        }
    const std::vector<double> said =
        layer.kind == Kind::pushed ? elements(tangents) : std::vector<double>{product(got, along)};
    if (said.size() != error.size())
      return fail(mode, literal(said.size()) + " numbers for " + literal(error.size()));
    for (size_t k = 0; k < said.size(); ++k) {
      const double expected = slopes.back()[k], scale = 1 + std::abs(expected);
      const double allowed = 1e-8 * scale + 1e-11 * most + 10 * error[k];
      if (allowed > 1e-4 * scale) {
        ++rough;
        continue;
      }
      ++differences;
      if (!(std::abs(said[k] - expected) <= allowed))
        fail(mode, "direction " + literal(number) + ", number " + literal(k) + ": " + exactly(said[k]) + " for " +
                       exactly(expected) + " within " + exactly(allowed));
    }
  }
}

void Check::loop(const Layer &layer, size_t number, const Function &below, const List &in, const List &got) {
  std::vector<List> results;
  for (int i = 0; i < examples; ++i) {
    List one;
    for (size_t k = 0; k < in.size(); ++k)
      one.push_back(layer.axes[k] < 0 ? in[k] : take(in[k], i, layer.axes[k]));
    const List of = below(one);
    results.resize(of.size());
    for (size_t k = 0; k < of.size(); ++k)
      results[k].push_back(of[k]);
  }
  List expected;
  for (const List &each : results)
    expected.push_back(stack(each));
  ++mapped;
  // Sums of derivatives, and products of matrices, may be of all examples' rows at once.
  bool isExact = !stack_.program.hasProduct;
  for (size_t i = 0; i < number; ++i)
    isExact &= !stack_.layers[i].isDerivative();
  (this->*(isExact ? &Check::same : &Check::near))(layer.text("f") + ", a loop", got, expected);
}

void Check::level(size_t number) {
  const Layer &layer = stack_.layers[number];
  ++kinds[static_cast<size_t>(layer.kind)];
  const Function below = stack_.function(number), f = stack_.function(number + 1);
  const List in = stack_.inputs(number + 1), got = f(in);
  if (layer.isDerivative())
    derivative(layer, below, in, got);
  else if (layer.kind == Kind::mapped)
    loop(layer, number, below, in, got);
  else
    same(layer.text("f"), got, below(in));
}

void Check::all() {
  const size_t top = stack_.layers.size();
  const Function f = stack_.function(top);
  const List in = stack_.inputs(top), expected = f(in);
  ++whole;
  same("jit of all", jit(f)(in), expected);
  same("interpreted", jit(f, {.compile = Compile::never})(in), expected);
  long tapes = 0;
  const Function untaped = stack_.function(top, [&](Layer &layer) {
    if (layer.kind == Kind::taped) {
      layer.kind = Kind::gradient;
      ++tapes;
    }
    return true;
  });
  // Of three tapes each notes what those within it do, whose sums may have another order than those of grad.
  (this->*(tapes < 3 ? &Check::same : &Check::near))("grad for tapes", untaped(in), expected);
  // Sums over several places of what is called, or computed again, are made there first.
  near("no jit, no checkpoint",
       stack_.function(top,
                       [](Layer &layer) { return layer.kind != Kind::compiled && layer.kind != Kind::recomputed; })(in),
       expected);
}

std::pair<std::string, std::string> Check::fault() {
  for (size_t i = 0; i < stack_.layers.size() && mode_.empty(); ++i)
    try {
      level(i);
    } catch (const Error &error) {
      fail(stack_.layers[i].text("f"), error);
    }
  if (mode_.empty())
    try {
      all();
    } catch (const Error &error) {
      fail("all", error);
    }
  return {mode_, what_};
}

/// A stack that is wrong in the same way, of fewer layers and a shorter program.
static Stack shortened(Stack stack) {
  const std::string fault = Check(stack).fault().first;
  for (size_t i = 0; stack.layers.size() > 1 && i < stack.layers.size();) {
    Stack fewer = stack;
    fewer.layers.erase(fewer.layers.begin() + static_cast<long>(i));
    if (Check(fewer).fault().first == fault)
      stack = std::move(fewer);
    else
      ++i;
  }
  stack.program =
      shortened(stack.program, [&](const Program &program) { return Check({program, stack.layers}).fault().first; });
  return stack;
}

} // namespace tenon::fuzz

int main(int argc, char **argv) {
  using namespace tenon::fuzz;
  const unsigned long stacks = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 300;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  unsigned long wrong = 0;
  for (unsigned long i = 0; i < stacks; ++i) {
    const Stack stack = Stack::make(seed + i);
    ++Check::depths[stack.layers.size()];
    if (argc > 3 && i + 1 == stacks)
      std::ofstream(argv[3]) << stack.printing();
    const auto [mode, what] = Check(stack).fault();
    if (mode.empty())
      continue;
    ++wrong;
    std::printf("seed %lu\n%s  %s: %s\n", seed + i, stack.text().c_str(), mode.c_str(), what.c_str());
    std::fflush(stdout);
    const Stack shorter = shortened(stack);
    std::printf("shortened: %s\n%s\n", Check(shorter).fault().second.c_str(), shorter.printing().c_str());
    std::fflush(stdout);
  }
  std::printf("%lu stacks from seed %lu, %lu wrong; %ld, %ld, %ld, %ld of 1, 2, 3, 4 layers;", stacks, seed, wrong,
              Check::depths[1], Check::depths[2], Check::depths[3], Check::depths[4]);
  for (int kind = 0; kind < kindCount; ++kind)
    std::printf(" %ld %s,", Check::kinds[static_cast<size_t>(kind)], kindNames[kind]);
  std::printf(" %ld whole; %ld arrays and %ld differences compared, %ld were too rough, %ld loops\n", Check::whole,
              Check::compared, Check::differences, Check::rough, Check::mapped);
  return wrong != 0;
}

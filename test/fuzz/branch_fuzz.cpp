//===- branch_fuzz.cpp - random functions that branch on traced values ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// branch_fuzz [programs = 1000] [first seed = 0] [all]: makes small C++ functions, as closures, that
// branch and loop on what arrays hold: if, ?:, while, switch, item(), early return, throw, try, in
// functions they call, in jitted ones, some of them made where they are called or differentiated there, beside cond and
// scan. They print, call the host, which assigns a Variable, assign Variables and update arguments.
// Each is jitted and called on a few inputs again and again, and compared by bits with the same C++ run
// eagerly: results, arguments, Variables, what was printed and thrown. Derivatives of jit are compared
// with those of the function, calls of four threads with its results. An input that was seen before is not
// traced again, unless the log says why. What differs is printed with the program, then the exit status is 1; `all`:
// after all seeds.
//===----------------------------------------------------------------------===//
#include "test/Difference.h"
#include "test/fuzz/Branches.h"

#include <algorithm>
#include <atomic>
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
    if (std::string what = tenon::difference(got[i], expected[i]); !what.empty())
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

std::vector<Array> held(const ComparedRun &side) {
  std::vector<Array> out;
  for (const Variable &u : side.variables)
    out.push_back(u.value());
  out.push_back(side.counted.value());
  return out;
}

Out run(const Block &body, ComparedRun &side, State &s) {
  Env e{side, s, s.f0 > 0, {}};
  if (body.run(e)) {
    e.out = {arraysOf(s), 9};
    e.out.arrays.push_back(s.f0); // twice, and what no input is behind
    e.out.arrays.push_back(sum(arange(3)));
  }
  return e.out;
}

/// `isJitted`: the inner functions are; else they are C++ that gives back what it has changed when it throws.
void open(const Sample &program, ComparedRun &side, bool isJitted, JitOptions options) {
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
        Array updated = a;
        Array result = allOrNothing(side, [&] { return f(updated, b); });
        if (updates)
          a = updated;
        return result;
      });
  }
}

/// What a call does; `call` gives the results.
template <class F>
Outcome outcome(ComparedRun &side, State &s, F &&call) {
  Outcome out;
  hasPrinted = hasAskedLate = false;
  asked = 0;
  const State before = s;
  try {
    out.out = side.isJitted ? call(s) : allOrNothing(side, [&] { return call(s); });
  } catch (const Error &error) {
    out.error = std::string("tenon: ") + error.what();
  } catch (const std::runtime_error &error) {
    out.error = error.what();
  }
  if (!out.error.empty() && !side.isJitted)
    s = before;
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
Compiled compiled(const Sample &program, ComparedRun &side, Passing passing, JitOptions options) {
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
            [=](State &s) { (void)j.lower(s.f0, s.f1, s.v0, s.v1, s.d0, s.w0, s.i0, s.j0); },
            [=] { return j.stats(); }};
  }
  if (passing == Passing::updated) {
    auto j = jit([&program, &side](State &s) { return run(program.body, side, s); }, options);
    return {[=](State &s) { return j(s); }, [=](State &s) { (void)j.lower(s); }, [=] { return j.stats(); }};
  }
  auto j = jit([&program, &side](State s) { return run(program.body, side, s); }, options);
  const bool isDonated = passing == Passing::donated;
  return {[=](State &s) { return isDonated ? j(copyOf(s)) : j(std::as_const(s)); },
          [=](State &s) { (void)j.lower(std::as_const(s)); }, [=] { return j.stats(); }};
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
/// Lines of the log about functions that are traced each time, as they ask behind what a function within prints.
std::atomic<long> saidOfOneCall = 0;

/// The function and its jit, again and again.
std::string checkCalls(const Sample &program, Maker &maker, const std::vector<State> &inputs) {
  const JitOptions options{.compile = maker.chance(60) ? Compile::now : Compile::never};
  ComparedRun plain, side;
  open(program, plain, false, options);
  open(program, side, true, options);
  const Passing passing = static_cast<Passing>(maker.below(5));
  const Compiled j = compiled(program, side, passing, options);
  const long saidBefore = saidOfOneCall;
  const bool callsHost = program.text().find("host_call") != std::string::npos;
  std::set<std::string> seen;
  std::vector<std::pair<Array, Array>> kept;
  std::string log = std::string(passings[static_cast<int>(passing)]) +
                    (options.compile == Compile::never ? ", interpreted; calls:" : "; calls:");
  for (size_t call = 0, count = inputs.size() > 9 ? 60 : 6 + maker.below(7); call < count; ++call, ++calls) {
    const size_t k = maker.below(inputs.size());
    log += " " + std::to_string(k);
    if (maker.chance(4) && !callsHost) { // which does so where C++ asks behind it
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
    const bool isOnce = (callsHost && (isLate || hasAskedLate)) || saidOfOneCall != saidBefore; // whose results differ
    if (expected.error.empty() && !isOnce && asked <= 64) {
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
    if (std::string what = tenon::difference(now, then); !what.empty())
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
  ComparedRun plain, sides[3];
  open(program, plain, false, {});
  for (ComparedRun &side : sides)
    open(program, side, true, {});
  auto lossOf = [&program](ComparedRun &side) {
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
    auto of = [&](ComparedRun &side, const Derivative &derivative) {
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
  ComparedRun plain, side;
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
  set_log([](LogTopic, std::string_view line) { // what serves one call is said once for each function
    saidOfOneCall += line.find("in a function within") != line.npos;
    if (std::getenv("FUZZ_LOG"))
      std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  });
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

//===- must_fail_calls_test.cpp - every function with random arguments ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of every public function over the records: of a few that succeed each argument is
// replaced by all that its type of parameter can be given, and arguments are drawn at
// random. A call has results, or throws an Error whose sentence begins with the function's
// name, whose lines name its parameters, whose place is that of the call. Traced by jit and
// batched by vmap it has the same results to the bit, or the same sentence.
//===----------------------------------------------------------------------===//
#include "Calls.h"

#include "runtime/memory/Memory.h"
#include "test/Difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <random>
#include <set>
#include <sstream>

using namespace tenon;
using namespace tenon::mustfail;

namespace {

struct Call {
  const Function *function;
  std::vector<const Choice *> chosen;

  /// As the user could have written it.
  std::string text() const {
    std::string out = std::string(function->name) + "(";
    for (size_t i = 0; i < chosen.size(); ++i)
      out += (i ? ", " : "") + std::string(function->parameters[i].name) + " = " + chosen[i]->text;
    return out + ")";
  }
};

/// What came of a call.
struct Outcome {
  Results results;
  std::string error; ///< the whole text; empty: it succeeded
  std::string sentence;
  std::string fault; ///< what no call may do
};

/// One function and all its calls.
class Sweep {
public:
  explicit Sweep(const Function &function) : function_(function), random_(7) {
    for (const Parameter &parameter : function.parameters)
      choices_.push_back(choicesOf(parameter));
  }
  void run();
  long calls = 0, succeeded = 0;

private:
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  Call drawn(bool isOrdinary);
  Outcome outcome(const std::function<Results(const std::source_location &)> &call);
  void expectError(const Outcome &outcome);
  void expectSame(const char *mode, const Outcome &got, const Outcome &eager);
  void check(const Call &call);
  void traced(const Call &call, const Outcome &eager);
  void batched(const Call &call, const Outcome &eager);

  const Function &function_;
  std::vector<Choices> choices_;
  std::set<std::vector<const Choice *>> seen_;
  std::mt19937 random_;
};

} // namespace

/// The numbers of the pool that are picked, one after another.
static std::vector<size_t> picksOf(const Call &call) {
  std::vector<size_t> all;
  for (const Choice *choice : call.chosen)
    if (const Picks *picks = std::get_if<Picks>(&choice->value))
      all.insert(all.end(), picks->numbers.begin(), picks->numbers.end());
  return all;
}

/// The call on `arrays`, which stand for the picks.
static Results made(const Call &call, const std::vector<Array> &arrays, const std::source_location &at) {
  std::vector<std::vector<Array>> ofArguments;
  auto next = arrays.begin();
  for (const Choice *choice : call.chosen) {
    ofArguments.emplace_back();
    if (const Picks *picks = std::get_if<Picks>(&choice->value)) {
      const auto count = static_cast<std::ptrdiff_t>(picks->numbers.size());
      ofArguments.back().assign(next, next + count);
      next += count;
    }
  }
  return call.function->call(Arguments(call.chosen, std::move(ofArguments)), at);
}

Call Sweep::drawn(bool isOrdinary) {
  Call call{&function_, {}};
  for (const Choices &choices : choices_)
    call.chosen.push_back(choices.all[below(isOrdinary ? choices.ordinary : choices.all.size())]);
  return call;
}

Outcome Sweep::outcome(const std::function<Results(const std::source_location &)> &call) {
  Outcome out;
  const auto at = std::source_location::current();
  const auto begun = std::chrono::steady_clock::now();
  try {
    out.results = call(at);
  } catch (const InternalError &error) {
    out.fault = "an InternalError: " + std::string(error.what());
  } catch (const Error &error) {
    out.error = error.what();
    out.sentence = error.message();
    if (error.location().file != std::string_view(at.file_name()) || error.location().line != at.line())
      out.fault = "an Error of another place: " + out.error;
  } catch (const std::exception &error) {
    out.fault = "another exception: " + std::string(error.what());
  }
  if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(10))
    out.fault = "it takes more than ten seconds";
  return out;
}

void Sweep::expectError(const Outcome &outcome) {
  EXPECT_EQ(outcome.fault, "");
  if (outcome.error.empty())
    return;
  std::string name(function_.name);
  if (outcome.sentence.starts_with(name + "_: ")) // named like a keyword
    name += '_';
  // What a kernel meets has no name, in a compiled program or outside of it.
  if (outcome.sentence.starts_with("index ") && outcome.sentence.find("is out of range for axis") != std::string::npos)
    return;
  // A check that does not hold says what it was given.
  if (name == "check" && outcome.sentence.find("expected") == std::string::npos)
    return;
  EXPECT_TRUE(outcome.sentence.starts_with(name + ": ") || outcome.sentence.starts_with(name + " ")) << outcome.error;
  EXPECT_FALSE(outcome.sentence.starts_with(name + ": " + name + ": ")) << outcome.error;
  // Of a function that takes none the arrays are its own.
  if (std::ranges::none_of(function_.parameters,
                           [](const Parameter &x) { return x.type == "operand" || x.type == "arrays"; }))
    return;
  std::istringstream lines(outcome.error);
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);)
    if (const size_t colon = line.find(": "); line.starts_with("  ") && colon != line.npos) {
      const std::string operand = line.substr(2, std::min(line.find('['), colon) - 2);
      EXPECT_TRUE(std::ranges::any_of(function_.parameters, [&](const Parameter &x) {
        return x.name == operand || operand == "value";
      })) << outcome.error;
    }
}

/// What is only known when the program runs.
static bool isOfElements(const std::string &sentence) {
  for (const char *words :
       {"known here", "elements are known", "is out of range for axis", "cannot allocate", "outside of jit",
        "unknown inside jit", "at most 16 axes", "exponents >= 0 of integers", "expected finite data",
        "every window is 0", "an a[0] that is not 0", "expected sequence_lens from", "expected a zero_point that fits"})
    if (sentence.find(words) != sentence.npos)
      return true;
  return false;
}

void Sweep::expectSame(const char *mode, const Outcome &got, const Outcome &eager) {
  SCOPED_TRACE(mode);
  // What a program meets when it runs has the names of the ops that it is made of.
  EXPECT_EQ(got.fault, "");
  if (std::ranges::none_of(
          std::to_array({"cannot allocate", "outside of jit", "unknown inside jit", "at most 16 axes"}),
          [&](const char *words) { return got.sentence.find(words) != std::string::npos; }))
    expectError(got);
  if (!got.fault.empty() || isOfElements(got.sentence) || isOfElements(eager.sentence))
    return;
  EXPECT_EQ(got.sentence, eager.sentence) << (got.error.empty() ? eager.error : got.error);
  if (!got.error.empty() || !eager.error.empty())
    return;
  ASSERT_EQ(got.results.size(), eager.results.size());
  for (size_t i = 0; i < got.results.size(); ++i) {
    const Array &result = eager.results[i];
    if (result.device() != Device::cpu || element_count(result.shape()).raw() > 1 << 20)
      continue; // no elements to be read, or those of one again and again
    EXPECT_EQ(difference(got.results[i], eager.results[i]), "");
  }
}

static bool isHuge(const Shape &shape) {
  return std::ranges::any_of(shape, [](Dim size) { return size.raw() > 1 << 20; });
}

void Sweep::traced(const Call &call, const Outcome &eager) {
  std::vector<size_t> picks = picksOf(call);
  std::vector<Array> given;
  for (size_t number : picks)
    if (pool()[number].has_value())
      given.push_back(pool()[number]);
  const Outcome got = outcome([&](const std::source_location &at) {
    auto function = [&](const std::vector<Array> &in) {
      std::vector<Array> arrays;
      auto next = in.begin();
      for (size_t number : picks)
        arrays.push_back(pool()[number].has_value() ? *next++ : Array());
      return made(call, arrays, at);
    };
    return jit(function, {.compile = Compile::never}, at).call(at, given);
  });
  expectSame("jit", got, eager);
}

void Sweep::batched(const Call &call, const Outcome &eager) {
  const std::vector<size_t> picks = picksOf(call);
  std::vector<Array> arrays;
  for (size_t number : picks)
    arrays.push_back(pool()[number]);
  if (arrays.empty() || !arrays[0].has_value() || arrays[0].device() != Device::cpu)
    return;
  // With one axis more there may be too many, or too many elements.
  if (std::ranges::any_of(arrays, [](const Array &x) { return x.has_value() && (x.ndim() > 12 || isHuge(x.shape())); }))
    return;
  Outcome got = outcome([&](const std::source_location &at) {
    auto function = [&](const Array &example) {
      std::vector<Array> all = arrays;
      all[0] = example;
      return made(call, all, at);
    };
    return vmap(function, {}, at).call(at, stack({arrays[0], arrays[0]}));
  });
  // Both examples are the same.
  std::vector<Array> first;
  for (const Array &result : got.results)
    first.push_back(result[-1]);
  got.results = std::move(first);
  expectSame("vmap", got, eager);
}

void Sweep::check(const Call &call) {
  if (!seen_.insert(call.chosen).second)
    return;
  ++calls;
  SCOPED_TRACE(call.text());
  std::vector<Array> arrays;
  for (size_t number : picksOf(call))
    arrays.push_back(pool()[number]);
  const Outcome eager = outcome([&](const std::source_location &at) { return made(call, arrays, at); });
  succeeded += eager.error.empty();
  expectError(eager);
  traced(call, eager);
  batched(call, eager);
}

void Sweep::run() {
  // Some that succeed.
  std::vector<Call> good;
  for (int tries = 0; tries < 2000 && good.size() < 3; ++tries) {
    Call call = drawn(/*isOrdinary=*/true);
    if (const std::vector<const Choice *> known = knownArguments(function_.name); !known.empty() && tries == 0)
      call.chosen = known;
    std::vector<Array> arrays;
    for (size_t number : picksOf(call))
      arrays.push_back(pool()[number]);
    if (outcome([&](const std::source_location &at) { return made(call, arrays, at); }).error.empty())
      good.push_back(std::move(call));
  }
  EXPECT_FALSE(good.empty()) << "no call of ordinary arguments succeeds";
  for (const Call &call : good)
    for (size_t i = 0; i < choices_.size(); ++i)
      for (const Choice *choice : choices_[i].all) {
        Call other = call;
        other.chosen[i] = choice;
        check(other);
      }
  for (int i = 0; i < 60; ++i)
    check(drawn(/*isOrdinary=*/false));
}

namespace {
class Calls : public testing::TestWithParam<Function> {
  // What asks for too much is refused, not tried.
  void SetUp() override { rt::setMemoryLimit(size_t(16) << 20); }
  void TearDown() override { rt::setMemoryLimit(0); }
};
} // namespace

TEST_P(Calls, HaveResultsOrAnErrorOfTheCall) {
  Sweep sweep(GetParam());
  sweep.run();
  RecordProperty("calls", std::to_string(sweep.calls));
  RecordProperty("succeeded", std::to_string(sweep.succeeded));
}

INSTANTIATE_TEST_SUITE_P(Of, Calls, testing::ValuesIn(functions().begin(), functions().end()),
                         [](const auto &function) { return std::string(function.param.name); });

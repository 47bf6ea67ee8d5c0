//===- trace_fuzz.cpp - damaged traces must not crash the reader or the compiler --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// trace_fuzz [rounds = 20000] [seed = 1]: damages saved traces, part by part and
// word by word, seals them again and reads them. What the reader accepts is
// interpreted, on a sanitizer's watch if there is one, and where there is a
// compiler compiled too: the bits are compared. What is wrong is printed with its
// trace, then the exit status is 1.
//===----------------------------------------------------------------------===//
#include "TraceMutator.h"
#include "test/Difference.h"

#include "test/system/DigitsStep.h"
#include "test/unit/TraceSamples.h"

#include "dialect/model/RegionLayout.h"
#include "lib/array/Buffer.h"
#include "lib/base/DimExpr.h"
#include "lib/program/CompilerPlugin.h"
#include "lib/program/Program.h"
#include "lib/trace/Symbols.h"
#include "runtime/memory/Memory.h"

#include <tenon/tenon.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace tenon;
using namespace tenon::detail;
using tenon::fuzz::TraceMutator;

namespace {

/// Most elements times rounds that an interpretation may cost.
constexpr double kMostWork = 2e5;

struct Counts {
  long refused = 0, accepted = 0, atRun = 0, interpreted = 0, tooLong = 0, compiled = 0, wrong = 0;
};
Counts counts;
std::FILE *report; // what print prints goes elsewhere

void fail(const char *what, const std::string &why, const Trace &trace) {
  ++counts.wrong;
  std::fprintf(report, "%s: %s\n%s\n", what, why.c_str(), trace.str().c_str());
}

/// Elements that ops touch, bodies of loops by their rounds; infinite where only a
/// run could tell.
double workOf(const Trace &trace) {
  auto elements = [&](ValueId value) {
    double product = 1;
    for (Dim dim : trace.type(value).shape)
      product *= dim.is_static() ? double(dim.raw()) : INFINITY;
    return product;
  };
  double work = 0;
  for (const TraceOp &op : trace.ops()) {
    const OpInfo &info = opInfo(op.code);
    double own = 1, rounds = isLoop(info) ? INFINITY : 1;
    for (ValueId operand : trace.operands(op))
      own += elements(operand);
    for (uint32_t r = 0; r < op.results; ++r)
      own += elements(op.firstResult + r);
    if (op.code == OpCode::dot_general)
      own *= elements(trace.operands(op)[1]);
    if (info.rounds >= 0)
      rounds = double(roundsOf(info, trace.attributes(op))[0].raw());
    for (const TraceRef &region : trace.regions(op))
      own += rounds * (1 + workOf(*region));
    work += own;
  }
  return work;
}

Array filled(const Type &type, TraceMutator &random) {
  Array array = Array::adopt(makeBuffer(type.dtype, {type.shape.begin(), type.shape.size()}));
  auto count = static_cast<size_t>(element_count(type.shape).raw());
  withElement(type.dtype, [&]<class T>(T *) {
    T *out = static_cast<T *>(array.value()->data);
    static constexpr float odd[] = {NAN, INFINITY, -INFINITY, -0.0f, 1e-40f, 3e38f};
    for (size_t i = 0; i < count; ++i) {
      const auto small = static_cast<int>(random.below(9)) - 4;
      if constexpr (std::is_same_v<T, bool>)
        out[i] = small > 0;
      else if constexpr (std::is_integral_v<T>)
        out[i] = static_cast<T>(small);
      else if constexpr (kind(dtype_of<T>) == Kind::complex)
        out[i] = T{float(small) * 0.75f, float(random.below(3))};
      else
        out[i] = static_cast<T>(random.chance(4) ? odd[random.below(std::size(odd))] : float(small) * 0.75f);
    }
  });
  return array;
}

/// Sizes for the trace's symbols, mostly those that a symbol may stand for.
std::optional<std::vector<Type>> inputTypes(const Trace &trace, TraceMutator &random, bool &isUsual) {
  std::vector<std::string_view> names;
  for (ValueId input : trace.inputs())
    for (Dim dim : trace.type(input).shape)
      collectSymbols(dim, names);
  std::vector<SymbolBinding> sizes;
  for (std::string_view name : names) {
    sizes.emplace_back(name, random.chance(90) ? 2 + random.below(5) : random.below(2));
    isUsual &= sizes.back().second >= 2;
  }
  std::vector<Type> types;
  for (ValueId input : trace.inputs()) {
    Type type = trace.type(input);
    double elements = 1;
    for (Dim &dim : type.shape) {
      std::optional<int64_t> size = evaluate(dim, sizes);
      if (!size || *size < 0)
        return std::nullopt;
      dim = *size;
      elements *= double(*size);
    }
    if (elements > 1e5)
      return std::nullopt;
    types.push_back(type);
  }
  return types;
}

void compare(const TraceRef &trace, const std::vector<Array> &inputs, const std::vector<Array> &expected) {
  CompileReply reply = compileTrace(trace->bytes(), trace->sideTable(), "blob");
  if (!reply.ok()) {
    if (reply.status != CompileStatus::Refused)
      fail("compilation", reply.text, *trace);
    std::remove(reply.reproducer.c_str());
    return;
  }
  std::string error;
  ProgramRef program = Program::fromBlob(std::as_bytes(std::span(reply.data)), error);
  if (!program)
    return fail("loading", error, *trace);
  ++counts.compiled;
  auto outputs = runProgram(*program, inputs);
  if (outputs.size() != expected.size())
    return fail("compiled", std::to_string(outputs.size()) + " results", *trace);
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::string what = difference(outputs[i], expected[i]); !what.empty())
      return fail("compiled", "result " + std::to_string(i) + ": " + what, *trace);
}

bool hasEndlessLoop(const Trace &trace) {
  for (const TraceOp &op : trace.ops())
    if (const OpInfo &info = opInfo(op.code); isLoop(info) && info.rounds < 0)
      return true;
  return false;
}

/// Interprets the trace, and compiles it now and then. Loops of which nobody knows
/// the end: their bodies.
void run(const TraceRef &trace, TraceMutator &random, bool compiles) {
  if (hasEndlessLoop(*trace)) {
    for (const TraceOp &op : trace->ops())
      for (const TraceRef &region : trace->regions(op))
        run(region, random, compiles);
    return;
  }
  bool isUsual = true;
  std::optional<std::vector<Type>> types = inputTypes(*trace, random, isUsual);
  if (!types)
    return;
  std::vector<Array> inputs, expected;
  try {
    TraceRef concrete = instantiate(*trace, *types);
    if (workOf(concrete ? *concrete : *trace) > kMostWork) {
      ++counts.tooLong;
      return;
    }
    for (const Type &type : *types)
      inputs.push_back(filled(type, random));
    ProgramRef program = Program::interpreted(trace);
    for (Array &output : runProgram(*program, inputs)) {
      expected.push_back(output);
      if (output.device() == Device::cpu)
        difference(output, output); // every element is read
    }
    ++counts.interpreted;
  } catch (const InternalError &error) {
    return fail("interpreted", error.what(), *trace);
  } catch (const Error &) {
    ++counts.atRun;
    return;
  }
  auto isNull = [](const Array &array) { return array.device() != Device::cpu; };
  if (!compiles || !isUsual || std::any_of(inputs.begin(), inputs.end(), isNull))
    return;
  try {
    compare(trace, inputs, expected);
  } catch (const Error &error) {
    fail("compiled", error.what(), *trace);
  }
}

/// A file as somebody hands it over: its checksum is right.
void check(std::span<const std::byte> bytes, std::span<const std::byte> side, TraceMutator &random, bool compiles) {
  TraceRef trace;
  try {
    trace = unpackTrace(packTrace(bytes, side), "fuzz");
  } catch (const InternalError &error) {
    ++counts.wrong;
    std::fprintf(report, "reading: %s\n", error.what());
    return;
  } catch (const Error &) {
    ++counts.refused;
    return;
  }
  ++counts.accepted;
  if (!std::ranges::equal(trace->bytes(), bytes))
    fail("reading", "its bytes are not those that were read", *trace);
  run(trace, random, compiles);
}

Array row(const Array &c, const Array &x) { return tanh(c * 0.5f + x); }

/// Whole programs: samples have one op each.
std::vector<TraceRef> recorded() {
  std::vector<TraceRef> traces;
  auto folder = std::filesystem::temp_directory_path() / ("tenon_trace_fuzz_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::string path = folder / "seed.trace";
  auto add = [&](const Lowered &lowered) {
    lowered.save_trace(path);
    traces.push_back(loadTrace(path));
  };
  testing_system::Net net = testing_system::makeNet();
  Array x = random::uniform(random::key(1), {4, 6}), k = random::uniform(random::key(2), {6, 4});
  add(testing_system::jitDigitsStep().lower(net, zeros({3, 64}), zeros({3}, i32)));
  add(jit([](const Array &a, const Array &b) { return softmax(matmul(a, b) * 2, 0); }).lower(x, k));
  add(jit([](const Array &a) {
        auto scaled = composite("softmax", [](const Array &y) { return softmax(y, 1) * mean(y, 0); });
        return scaled(layer_norm(a, -1, a[0], 0));
      }).lower(x));
  add(jit([](const Array &a) {
        return grad([](const Array &p) { return sum(layer_norm(p, 1, p[1], 2) * p); })(a);
      }).lower(x));
  add(jit([](const Array &a) { return grad([](const Array &p) { return sum(softmax(p) * p); })(a); },
          {.specs = {TensorSpec{f32, {"n", 6}}}})
          .lower(x));
  add(jit([](const Array &a) {
        auto [last, all] = scan([](const Array &c, const Array &r) { return std::pair(row(c, r), c * r); }, a[0], a);
        return cond(sum(last) > 0, [](const Array &y) { return y + 1; }, [](const Array &y) { return y * 2; }, all);
      }).lower(x));
  add(jit([](const Array &a) {
        Array wide = pad(a, 0, {1, 2}, {0, 3});
        auto parts = split(wide, {2, wide.shape()[0] - 2}, 0);
        return concatenate({transpose(parts[0]), transpose(slice(parts[1], {1, 0}, {3, 11}))}, 1);
      }).lower(x));
  std::filesystem::remove_all(folder);
  return traces;
}

} // namespace

int main(int argc, char **argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 20000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::fflush(stdout);
  report = fdopen(dup(STDOUT_FILENO), "w");
  if (!report || !std::freopen("/dev/null", "w", stdout))
    return 2;
  const bool hasCompiler = !compilerPath().empty();
  rt::setMemoryLimit(size_t(512) << 20);

  std::vector<TraceRef> seeds = recorded();
  const size_t whole = seeds.size();
  for (samples::Sample &sample : samples::allSamples())
    seeds.push_back(std::move(sample.trace));
  for (const TraceRef &trace : seeds) {
    TraceMutator random(seed);
    check(trace->bytes(), trace->sideTable(), random, hasCompiler);
  }
  if (counts.refused) {
    std::fprintf(report, "%ld of the seeds were refused\n", counts.refused);
    ++counts.wrong;
  }
  for (long round = 0; round < rounds && counts.wrong < 10; ++round) {
    TraceMutator random(seed * 1000003 + static_cast<uint64_t>(round));
    const TraceRef &from = seeds[random.chance(40) ? random.below(whole) : random.below(seeds.size())];
    const long before = counts.wrong;
    std::vector<std::byte> bytes, side;
    try {
      TraceRef trace = random.chance(75) ? random.mutated(*from) : from;
      bytes.assign(trace->bytes().begin(), trace->bytes().end());
      side = trace->sideTable();
    } catch (const Error &) { // sizes that have no bytes
      continue;
    }
    if (random.chance(25))
      random.damage(random.chance(85) ? bytes : side);
    check(bytes, side, random, hasCompiler && random.chance(10));
    if (counts.wrong != before)
      std::fprintf(report, "in round %ld, seed %lu\n", round, static_cast<unsigned long>(seed));
  }
  std::fprintf(report,
               "%ld rounds, seed %lu: %ld refused, %ld accepted; %ld interpreted, %ld refused when they ran, %ld too "
               "long, %ld compiled; %ld wrong\n",
               rounds, static_cast<unsigned long>(seed), counts.refused, counts.accepted, counts.interpreted,
               counts.atRun, counts.tooLong, counts.compiled, counts.wrong);
  std::fclose(report);
  // A fuzzer that reaches nothing finds nothing.
  return counts.wrong == 0 && (rounds < 1000 || counts.interpreted > rounds / 20) ? 0 : 1;
}

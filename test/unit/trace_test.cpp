//===- trace_test.cpp - traces: canonical bytes, readers, files --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TraceSamples.h"
#include "test/unit/Errors.h"

#include "lib/trace/Bytes.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

using namespace tenon;
using namespace tenon::samples;
using tenon::test::errorOf;
using testing::HasSubstr;

static std::vector<std::byte> copyOf(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

/// add(x, y) with a dead op, an unused value and inputs in this order.
static TraceRef smallTrace(const char *name, const char *symbol, bool withDead) {
  Builder b;
  ValueId x = b.input(Dtype::f32, {Dim(symbol), 4}), y = b.input(Dtype::f32, {Dim(symbol), 4});
  if (withDead)
    b.op(OpCode::exp, {x});
  b.body.name = name;
  ValueId sum = b.op(OpCode::add, {x, y});
  Dim shape[] = {Dim(symbol) * 4};
  return b.finish({b.op(OpCode::reshape, {sum}, ReshapeAttrs{shape}), x});
}

TEST(TraceBytes, EqualFunctionsAreEqualBytes) {
  TraceRef a = smallTrace("a", "batch", false), b = smallTrace("b", "zebra", true);
  EXPECT_TRUE(*a == *b) << "names, locations and dead ops are no part of the bytes";
  EXPECT_EQ(a->hash(), b->hash());
  EXPECT_NE(copyOf(a->sideTable()), copyOf(b->sideTable()));
  Builder c;
  ValueId x = c.input(Dtype::f32, {Dim("batch"), 4}), y = c.input(Dtype::f32, {Dim("batch"), 4});
  ValueId sum = c.op(OpCode::add, {y, x});
  Dim shape[] = {Dim("batch") * 4};
  EXPECT_FALSE(*a == *c.finish({c.op(OpCode::reshape, {sum}, ReshapeAttrs{shape}), x})) << "operands in another order";
}

TEST(TraceBytes, DoNotDependOnTheOrderInWhichSymbolsWereMade) {
  // The process numbers p2 before p1 and q1 before q2; a sum shows both at once.
  Dim p2("p2"), p1("p1"), q1("q1"), q2("q2");
  auto trace = [](Dim first, Dim second) {
    Builder b;
    ValueId x = b.input(Dtype::f32, {first * 2 + second, floor_div(first + 1, 2)});
    return b.finish({b.op(OpCode::exp, {x})});
  };
  EXPECT_TRUE(*trace(p1, p2) == *trace(q1, q2));
  // Two quotients at once, of symbols that were seen in the other order.
  Builder b;
  ValueId x = b.input(Dtype::f32, {Dim("zz"), Dim("a"), floor_div(Dim("a"), 2) * 3 + floor_div(Dim("zz") + 1, 2)});
  TraceRef quotients = b.finish({b.op(OpCode::exp, {x})});
  EXPECT_TRUE(*Trace::read(quotients->bytes()) == *quotients);
  EXPECT_TRUE(*Trace::read(quotients->bytes(), quotients->sideTable()) == *quotients);
}

TEST(TraceBytes, EveryOpIsReadBackAsItWas) {
  for (const Sample &sample : allSamples()) {
    SCOPED_TRACE(sample.name);
    TraceRef named = Trace::read(sample.trace->bytes(), sample.trace->sideTable());
    EXPECT_TRUE(*named == *sample.trace);
    EXPECT_EQ(named->str(), sample.trace->str());
    EXPECT_EQ(copyOf(named->sideTable()), copyOf(sample.trace->sideTable()));
    TraceRef bare = Trace::read(sample.trace->bytes());
    EXPECT_TRUE(*bare == *sample.trace);
    TraceRef file = unpackTrace(packTrace(*sample.trace), "memory");
    EXPECT_TRUE(*file == *sample.trace);
    ASSERT_EQ(file->body().opLocations.size(), sample.trace->ops().size());
    EXPECT_EQ(file->location(0)->line, sample.trace->location(0)->line);
    EXPECT_EQ(file->location(0)->scopes, sample.trace->location(0)->scopes);
  }
}

TEST(TraceBytes, RegionsAreWrittenOnce) {
  auto wrap = [](TraceRef inner) {
    Builder b;
    ValueId p = b.input(Dtype::bool_, {}), x = b.input(Dtype::f32, {2});
    // Two references of equal bodies that are different objects.
    TraceRef copy = Trace::make(inner->body());
    std::vector<ValueId> operands = {p, x};
    return std::pair(std::move(b), std::vector<TraceRef>{inner, copy});
  };
  Builder leaf;
  leaf.input(Dtype::f32, {2});
  TraceRef trace = leaf.finish({leaf.op(OpCode::exp, {0})});
  size_t before = trace->bytes().size();
  auto [b, regions] = wrap(trace);
  TraceRef once = b.finish({b.op(OpCode::cond, {0, 1}, regions)});
  EXPECT_LT(once->bytes().size(), 3 * before);
  EXPECT_TRUE(*Trace::read(once->bytes()) == *once);
}

TEST(TraceBytes, NestingThatDoublesIsRefused) {
  Builder leaf;
  leaf.input(Dtype::bool_, {});
  leaf.input(Dtype::f32, {2});
  TraceRef trace = leaf.finish({leaf.op(OpCode::exp, {1})});
  for (int depth = 0; depth < 40; ++depth) {
    // call(cond(...)) so that the predicate comes along.
    Builder b;
    ValueId p = b.input(Dtype::bool_, {}), x = b.input(Dtype::f32, {2});
    trace = b.finish({b.op(OpCode::cond, {p, p, x}, std::vector<TraceRef>{trace, trace})});
  }
  EXPECT_THAT(errorOf([&] { Trace::read(trace->bytes()); }), HasSubstr("used too often"));
}

TEST(TraceReader, SaysWhatIsWrong) {
  TraceRef trace = smallTrace("t", "batch", false);
  auto broken = [&](size_t word, int64_t value) {
    std::vector<std::byte> bytes = copyOf(trace->bytes());
    std::memcpy(bytes.data() + word * 8, &value, 8);
    return errorOf([&] { Trace::read(bytes); });
  };
  EXPECT_THAT(broken(0, 1), HasSubstr("TNTRACE"));
  EXPECT_THAT(broken(1, 99), HasSubstr("expected version 1, got 99"));
  EXPECT_THAT(broken(2, -1), HasSubstr("count of symbols"));
  EXPECT_THAT(broken(5, 0), HasSubstr("at least one body"));
  EXPECT_THAT(errorOf([&] { Trace::read({}); }), HasSubstr("got the end"));
  std::vector<std::byte> odd = copyOf(trace->bytes());
  odd.pop_back();
  EXPECT_THAT(errorOf([&] { Trace::read(odd); }), HasSubstr("multiple of 8"));
}

/// Mutations of valid bytes give an Error or a trace whose bytes are those read.
TEST(TraceReader, SurvivesMutations) {
  std::vector<Sample> samples = allSamples();
  std::mt19937_64 random(1);
  auto pick = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  const int64_t interesting[] = {0,
                                 1,
                                 2,
                                 3,
                                 -1,
                                 7,
                                 255,
                                 65536,
                                 INT64_MAX,
                                 INT64_MIN,
                                 INT64_MIN + 1,
                                 INT64_MIN + 2,
                                 int64_t(1) << 62,
                                 int64_t(1) << 32,
                                 -(int64_t(1) << 62)};
  int errors = 0, read = 0;
  for (int round = 0; round < 60000; ++round) {
    const Trace &trace = *samples[pick(samples.size())].trace;
    std::vector<std::byte> bytes = copyOf(trace.bytes()), side = trace.sideTable();
    for (size_t edits = 1 + pick(3); edits; --edits) {
      std::vector<std::byte> &target = pick(8) ? bytes : side;
      size_t word = pick(target.size() / 8 ? target.size() / 8 : 1) * 8;
      int64_t value = interesting[pick(std::size(interesting))];
      switch (pick(5)) {
      case 0:
        if (word + 8 <= target.size())
          std::memcpy(target.data() + word, &value, 8);
        break;
      case 1:
        target[pick(target.size())] ^= static_cast<std::byte>(1 << pick(8));
        break;
      case 2:
        target.resize(pick(target.size()) + 1);
        break;
      case 3: {
        size_t other = pick(target.size() / 8 ? target.size() / 8 : 1) * 8;
        if (word + 8 <= target.size() && other + 8 <= target.size())
          std::memcpy(target.data() + word, target.data() + other, 8);
        break;
      }
      case 4:
        target.insert(target.end(), 8, static_cast<std::byte>(pick(256)));
        break;
      }
    }
    try {
      TraceRef got = Trace::read(bytes, side);
      EXPECT_EQ(copyOf(got->bytes()), bytes) << got->str();
      ++read;
    } catch (const Error &) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 10000);
  EXPECT_GT(read, 1000) << "some edits change a number and nothing else";
}

TEST(TraceFile, SavedAndLoaded) {
  auto folder = std::filesystem::temp_directory_path() / ("tenon_trace_test_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::string path = folder / "net.tntrace";
  TraceRef trace = smallTrace("net", "batch", false);
  saveTrace(*trace, path);
  TraceRef loaded = loadTrace(path);
  EXPECT_TRUE(*loaded == *trace);
  EXPECT_EQ(loaded->str(), trace->str());
  EXPECT_EQ(loaded->body().name, "net");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "no temporary file stays";

  std::vector<std::byte> file = packTrace(*trace);
  file[file.size() / 2] ^= std::byte(4);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(file.data()), long(file.size()));
  EXPECT_THAT(errorOf([&] { loadTrace(path); }), testing::AllOf(HasSubstr(path), HasSubstr("checksum")));
  std::ofstream(path, std::ios::binary) << "hello";
  EXPECT_THAT(errorOf([&] { loadTrace(path); }), testing::AllOf(HasSubstr(path), HasSubstr("at least 32 bytes")));
  std::ofstream(path, std::ios::binary) << std::string(64, 'x');
  EXPECT_THAT(errorOf([&] { loadTrace(path); }), HasSubstr("TNSAVED"));
  EXPECT_THAT(errorOf([&] { loadTrace(folder / "none"); }), HasSubstr("none"));
  EXPECT_THAT(errorOf([&] { saveTrace(*trace, folder / "no" / "such"); }), HasSubstr("such"));
  std::filesystem::remove_all(folder);
}

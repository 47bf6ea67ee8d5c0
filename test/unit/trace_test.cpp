//===- trace_test.cpp - traces: canonical bytes, readers, files --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TraceSamples.h"
#include "test/fuzz/TraceMutator.h"
#include "test/unit/Errors.h"

#include "lib/trace/Bytes.h"
#include "lib/trace/Interpreter.h"
#include "runtime/machine/Build.h"

#include <tenon/ops.h>

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <zlib.h>

using namespace tenon;
using namespace tenon::samples;
using tenon::test::errorOf;
using testing::AllOf;
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

/// Also one that was added as new.
TEST(ValueTypes, KeepEachOnce) {
  const Type one{Dtype::f32, Device::cpu, {2}}, other{Dtype::f32, Device::cpu, {3}};
  ValueTypes types;
  types.push_back(one);
  types.pushNumber(types.keep(other));
  for (const Type &type : {one, other, one})
    types.push_back(type);
  EXPECT_EQ(types.kinds(), 2u);
  EXPECT_EQ(types, (ValueTypes{one, other, one, other, one}));
  for (int64_t size = 0; size < 100; ++size)
    types.push_back({Dtype::f32, Device::cpu, {size}});
  EXPECT_EQ(types.kinds(), 100u);
  EXPECT_EQ(types[5 + 77], (Type{Dtype::f32, Device::cpu, {77}}));
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
    TraceRef copy = Trace::make(TraceBody(inner->body()));
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
  EXPECT_THAT(broken(1, 99), HasSubstr("expected version 2, got 99"));
  EXPECT_THAT(broken(2, -1), HasSubstr("count of symbols"));
  EXPECT_THAT(broken(5, 0), HasSubstr("at least one body"));
  EXPECT_THAT(errorOf([&] { Trace::read({}); }), HasSubstr("got the end"));
  std::vector<std::byte> odd = copyOf(trace->bytes());
  odd.pop_back();
  EXPECT_THAT(errorOf([&] { Trace::read(odd); }), HasSubstr("multiple of 8"));
}

/// What the reader says of a trace that was made without its rules.
static std::string refusalOf(const TraceRef &trace) {
  return errorOf([&] { Trace::read(trace->bytes()); });
}

/// What the reader says of a good trace with another number in one word, counted
/// from the end, where the operands and then the outputs stand.
static std::string refusalOf(const TraceRef &trace, size_t fromEnd, int64_t value) {
  std::vector<std::byte> bytes = copyOf(trace->bytes());
  Trace::read(bytes);
  std::memcpy(bytes.data() + bytes.size() - fromEnd * 8, &value, 8);
  return errorOf([&] { Trace::read(bytes); });
}

TEST(TraceReader, RefusesOpsThatAreOutOfPlace) {
  Builder b;
  ValueId first = b.op(OpCode::exp, {b.input(Dtype::f32, {4})}), second = b.op(OpCode::negative, {first});
  EXPECT_THAT(refusalOf(b.finish({second}), 3, second), HasSubstr("exp: operand %2 is used before it is made"));

  Builder two;
  ValueId x = two.input(Dtype::f32, {4});
  TraceRef both = two.finish({two.op(OpCode::exp, {x}), two.op(OpCode::negative, {x})});
  EXPECT_THAT(refusalOf(both, 1, 1), HasSubstr("an op that no result and no effect needs"));
}

template <class Change>
static void changeType(TraceBody &body, ValueId value, const Change &change) {
  Type type = body.types[value];
  change(type);
  body.types.set(value, type);
}

TEST(TraceReader, RefusesTypesThatTheRulesDoNotGive) {
  Builder larger;
  ValueId y = larger.op(OpCode::exp, {larger.input(Dtype::f32, {4})});
  changeType(larger.body, y, [](Type &type) { type.shape = {1000000}; });
  EXPECT_THAT(refusalOf(larger.finish({y})), HasSubstr("exp: expected the result type f32[4], got f32[1000000]"));

  Builder other;
  y = other.op(OpCode::exp, {other.input(Dtype::f32, {4})});
  changeType(other.body, y, [](Type &type) { type.dtype = Dtype::f64; });
  EXPECT_THAT(refusalOf(other.finish({y})), HasSubstr("exp: expected the result type f32[4], got f64[4]"));
}

/// What the reader says of `count` quotients by 2, each of the one behind it and
/// the last one of the first.
static std::string refusalOfQuotients(int64_t count) {
  using namespace traceBytes;
  std::vector<int64_t> words = {magic, version, 0, 3 * count, 4 * count, 1};
  for (int64_t i = 0; i < count; ++i)
    words.insert(words.end(), {1, firstExpression + (i + 1) % count, 2});
  for (int64_t i = 0; i < count; ++i)
    words.insert(words.end(), {1, 1, 1, i}); // one term: 1 * atom i
  words.push_back(0);                        // of the body
  return errorOf([&] { Trace::read(std::as_bytes(std::span(words))); });
}

TEST(TraceReader, RefusesSizesThatNameEachOther) {
  for (int64_t count : {1, 2, 3, 100000})
    EXPECT_THAT(refusalOfQuotients(count), HasSubstr("sizes that name each other in a circle")) << count;
}

TEST(TraceReader, RefusesOneNameForTwoSizes) {
  Builder b;
  ValueId x = b.input(Dtype::f32, {Dim("n"), Dim("m")});
  TraceRef trace = b.finish({b.op(OpCode::exp, {x})});
  std::vector<std::byte> side = trace->sideTable();
  Trace::read(trace->bytes(), side);
  // It starts with a count of names, each behind its length.
  ASSERT_EQ(side.at(8), std::byte('n'));
  ASSERT_EQ(side.at(13), std::byte('m'));
  side[13] = std::byte('n');
  EXPECT_THAT(errorOf([&] { Trace::read(trace->bytes(), side); }), HasSubstr("the name 'n' stands for two sizes"));
}

TEST(TraceReader, RefusesUnknownSizes) {
  // Equal to any other, so that every rule holds; a view of it lies anywhere.
  Builder slices;
  ValueId x = slices.input(Dtype::f32, {4});
  Dim starts[] = {Dim::unknown()}, stops[] = {Dim::unknown()};
  static constexpr int64_t steps[] = {1}, interior[] = {0};
  ValueId piece = slices.op(OpCode::slice, {x}, SliceAttrs{starts, stops, steps});
  changeType(slices.body, piece, [](Type &type) { type.shape = {1000000}; });
  EXPECT_THAT(refusalOf(slices.finish({piece})), HasSubstr("got an unknown one"));

  Builder pads;
  x = pads.input(Dtype::f32, {4});
  ValueId wide = pads.op(OpCode::pad, {x, pads.input(Dtype::f32, {})}, PadAttrs{starts, stops, interior});
  changeType(pads.body, wide, [](Type &type) { type.shape = {5}; });
  EXPECT_THAT(refusalOf(pads.finish({wide})), HasSubstr("got an unknown one"));

  Builder inputs;
  x = inputs.input(Dtype::f32, {Dim::unknown()});
  EXPECT_THAT(refusalOf(inputs.finish({inputs.op(OpCode::exp, {x})})), HasSubstr("got an unknown one"));
}

TEST(TraceReader, RefusesDevicesThatDoNotExist) {
  Builder b;
  TraceRef trace = b.finish({b.op(OpCode::full, {}, FullAttrs{{}, number(2.0), Dtype::f32, {}})});
  TraceBody body = trace->body();
  body.attributes.back() = Device{DeviceKind::cpu, 1}.code();
  EXPECT_THAT(refusalOf(Trace::make(TraceBody(body))),
              HasSubstr("full: expected a device that exists (cpu:0 or null:0), got cpu:1"));
  body = trace->body();
  changeType(body, 0, [](Type &type) { type.device = {DeviceKind::null, 1}; });
  EXPECT_THAT(refusalOf(Trace::make(TraceBody(body))), HasSubstr("expected a type, got "));
}

/// More results than 16 bits count, in bytes and read again.
TEST(TraceBytes, HoldOpsOfManyResults) {
  const std::vector<Dim> sizes(70000, 1);
  Builder b;
  std::vector<ValueId> pieces = b.ops(OpCode::split, {b.input(Dtype::u8, {70000})}, SplitAttrs{sizes, 0});
  ASSERT_EQ(pieces.size(), sizes.size());
  TraceRef trace = b.finish({pieces.front(), pieces.back()}), read = Trace::read(trace->bytes());
  EXPECT_EQ(read->ops()[0].results, 70000u);
  EXPECT_TRUE(*read == *trace);
}

TEST(TraceReader, RefusesBoolsThatAreNone) {
  Builder b;
  Dim shape[] = {4};
  TraceRef good =
      b.finish({b.op(OpCode::full, {}, FullAttrs{shape, ScalarAttr::boolean(true), Dtype::bool_, Device::cpu})});
  Trace::read(good->bytes());
  TraceBody body = good->body();
  body.attributes.at(3) = 2; // after the shape and the kind
  EXPECT_THAT(refusalOf(Trace::make(std::move(body))), HasSubstr("expected 0 or 1 as the bits of a bool, got 2"));
}

/// A trace of one composite whose region is the identity.
static TraceRef compositeTrace(std::string_view name, std::vector<int64_t> attributes) {
  Builder same, b;
  TraceRef identity = same.finish({same.input(Dtype::f32, {4})});
  ValueId x = b.input(Dtype::f32, {4});
  TraceBody body = b.finish(b.ops(OpCode::composite, {x}, CompositeAttrs{"f", {}}, {identity}))->body();
  AttrWriter words;
  CompositeAttrs{name, attributes}.write(words);
  body.attributes.assign(words.words().begin(), words.words().end());
  body.ops[0].attributeCount = static_cast<uint32_t>(body.attributes.size());
  return Trace::make(std::move(body));
}

TEST(TraceReader, RefusesNamesAndAttributesOfComposites) {
  for (std::string_view name : {"f", "user.f", "A_b-2.c"})
    EXPECT_TRUE(*Trace::read(compositeTrace(name, {})->bytes()) == *compositeTrace(name, {})) << name;
  EXPECT_NO_THROW(Trace::read(compositeTrace(std::string(128, 'a'), {})->bytes()));
  EXPECT_NO_THROW(Trace::read(compositeTrace("softmax", {0})->bytes()));
  auto refused = [](std::string_view name, std::vector<int64_t> attributes = {}) {
    return refusalOf(compositeTrace(name, std::move(attributes)));
  };
  EXPECT_THAT(refused(""), HasSubstr("composite: expected a name of 1 to 128 characters, got 0"));
  EXPECT_THAT(refused(std::string(129, 'a')), HasSubstr("composite: expected a name of 1 to 128 characters, got 129"));
  for (char c : {' ', '\n', '"', '/', ':', '[', '`', '{', '@', char(0), char(0xe4)})
    EXPECT_THAT(refused(std::string("ab") + c + "d"),
                HasSubstr("expected a name of letters, digits, '_', '.' and '-', got the character of code " +
                          std::to_string(static_cast<unsigned char>(c)) + " at 2"));
  EXPECT_THAT(refused("softmax"), HasSubstr("composite: 'softmax': attribute 'axis': expected 1 word, got 0"));
  EXPECT_THAT(refused("softmax", {0, 0}), HasSubstr("'softmax': expected no words after the attributes, got 1"));
  EXPECT_THAT(refused("mean", {1, 0, 2}), HasSubstr("'mean': attribute 'keepdims': expected 0 or 1, got 2"));
  EXPECT_THAT(refused("user.f", {1}), HasSubstr("'user.f': expected no words after the attributes, got 1"));
}

TEST(TraceText, ShowsTheAttributesOfAComposite) {
  EXPECT_THAT(compositeTrace("softmax", {0})->str(),
              HasSubstr("= composite %0, name = \"softmax\", composite_attributes = {axis = 0} decomposition("));
  EXPECT_THAT(compositeTrace("mean", {1, 0, 1})->str(), HasSubstr("= {axes = [0], keepdims = true}"));
  EXPECT_THAT(compositeTrace("user.f", {})->str(), HasSubstr("composite_attributes = {} decomposition("));
}

/// A trace of another build is read where it means the same; else both are named.
TEST(SavedTrace, NamesTheBuildsOfWhatDoesNotFit) {
  auto savedElsewhere = [](const Trace &trace) {
    std::vector<std::byte> file = packTrace(trace);
    std::fill_n(file.begin() + 16, 16, std::byte(0xab));
    const auto checked = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef *>(file.data() + 16), static_cast<z_size_t>(file.size() - 16)));
    std::memcpy(file.data() + 12, &checked, sizeof checked);
    return file;
  };
  TraceRef good = samplesOf(opInfo(OpCode::composite), 6).front().trace;
  EXPECT_TRUE(*unpackTrace(savedElsewhere(*good), "f") == *good);
  TraceRef other = compositeTrace("softmax", {});
  const std::string sentence = "composite: 'softmax': attribute 'axis': expected 1 word, got 0";
  EXPECT_THAT(errorOf([&] { unpackTrace(savedElsewhere(*other), "f"); }),
              testing::AllOf(HasSubstr(sentence), HasSubstr("; the build abababab"),
                             testing::EndsWith(" saved it, this is " + rt::buildText(rt::buildId()))));
  EXPECT_THAT(errorOf([&] { unpackTrace(packTrace(*other), "f"); }),
              testing::AllOf(HasSubstr(sentence), testing::Not(HasSubstr("saved it"))));
}

TEST(TraceReader, RefusesComplexRanges) {
  Builder b;
  Dim length[] = {4};
  EXPECT_THAT(errorOf([&] {
                b.op(OpCode::arange, {},
                     ArangeAttrs{length, number(complex128_t{1, 2}), number(int64_t(1)), Dtype::f32, {}});
              }),
              HasSubstr("expected real numbers as start and step"));
}

/// The rules hold once more when symbols have got their sizes: nothing reaches
/// beyond an array.
TEST(Interpreter, ChecksTheSizesOfACall) {
  Builder b;
  ValueId x = b.input(Dtype::f32, {Dim("n")});
  Dim starts[] = {0}, stops[] = {5};
  static constexpr int64_t steps[] = {1};
  TraceRef first = b.finish({b.op(OpCode::slice, {x}, SliceAttrs{starts, stops, steps})});
  first = Trace::read(first->bytes(), first->sideTable());
  auto run = [](const TraceRef &trace, Array input) { return evaluateTrace(*trace, std::span(&input, 1))[0]; };
  EXPECT_EQ(run(first, arange(7, {}, 1, Dtype::f32)).to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4}));
  EXPECT_THAT(errorOf([&] { run(first, arange(3, {}, 1, Dtype::f32)); }),
              AllOf(HasSubstr("slice: bounds 0:5:1 are outside axis 0 of size 3"), HasSubstr("sample.cpp:1")));

  // In a body too.
  Builder outer;
  x = outer.input(Dtype::f32, {Dim("n")});
  TraceRef call = outer.finish({outer.op(OpCode::call, {x}, std::vector<TraceRef>{first})});
  EXPECT_THAT(errorOf([&] { run(call, arange(3, {}, 1, Dtype::f32)); }),
              HasSubstr("slice: bounds 0:5:1 are outside axis 0 of size 3"));
}

TEST(Interpreter, GivesATraceTheSizesOfACall) {
  // In types, in attributes and in bodies.
  Builder inner;
  ValueId x = inner.input(Dtype::f32, {Dim("n"), 2});
  Dim flat[] = {Dim("n") * 2};
  TraceRef reshaped = inner.finish({inner.op(OpCode::reshape, {x}, ReshapeAttrs{flat})});
  Builder outer;
  x = outer.input(Dtype::f32, {Dim("n"), 2});
  TraceRef call = outer.finish({outer.op(OpCode::call, {x}, std::vector<TraceRef>{reshaped})});
  Array input = reshape(arange(6, {}, 1, Dtype::f32), {3, 2});
  for (const TraceRef &trace : {reshaped, call}) {
    Array result = evaluateTrace(*trace, std::span(&input, 1))[0];
    EXPECT_EQ(result.shape(), Shape{6});
    EXPECT_EQ(result.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  }
}

TEST(Interpreter, GivesASymbolOneSize) {
  // No op brings the inputs together: nothing else would find it out.
  Builder b;
  std::vector<ValueId> results;
  for (int i = 0; i < 3; ++i)
    results.push_back(b.op(OpCode::exp, {b.input(Dtype::f32, {Dim("n")})}));
  TraceRef trace = b.finish(results);
  auto refusal = [&](const std::vector<Shape> &shapes) {
    std::vector<Array> inputs;
    for (const Shape &shape : shapes)
      inputs.push_back(zeros(shape));
    return errorOf([&] { evaluateTrace(*trace, inputs); });
  };
  auto is = [](const std::string &sentence) { return testing::Eq("input 1: expected f32[n], got " + sentence); };
  EXPECT_THAT(refusal({{4}, {5}, {4}}), is("f32[5]; n is 4 elsewhere"));
  // The first input says it, once and for all.
  EXPECT_THAT(refusal({{4}, {5}, {6}}), is("f32[5]; n is 4 elsewhere"));
  EXPECT_THAT(refusal({{4}, {1}, {4}}), is("f32[1]; n is 4 elsewhere"));
}

TEST(Interpreter, RefusesSymbolsThatNoInputHas) {
  Builder b;
  ValueId x = b.input(Dtype::f32, {6});
  Dim starts[] = {Dim("lost")}, stops[] = {Dim("lost") + 3};
  static constexpr int64_t steps[] = {1};
  TraceRef trace = b.finish({b.op(OpCode::slice, {x}, SliceAttrs{starts, stops, steps})});
  trace = Trace::read(trace->bytes(), trace->sideTable());
  Array input = arange(6, {}, 1, Dtype::f32);
  EXPECT_THAT(errorOf([&] { evaluateTrace(*trace, std::span(&input, 1)); }),
              HasSubstr("slice: expected known sizes outside of jit, got lost"));
}

/// Mutations of valid bytes give an Error or a trace whose bytes are those read.
TEST(TraceReader, SurvivesMutations) {
  std::vector<Sample> samples = allSamples();
  fuzz::TraceMutator mutator(1);
  int errors = 0, read = 0;
  for (int round = 0; round < 60000; ++round) {
    const Trace &trace = *samples[mutator.below(samples.size())].trace;
    std::vector<std::byte> bytes = copyOf(trace.bytes()), side = trace.sideTable();
    mutator.damage(mutator.below(8) ? bytes : side);
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
  auto write = [&](size_t size) {
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(file.data()), long(size));
  };
  write(file.size() - 3); // it ends in the side table
  size_t parts[] = {trace->bytes().size(), trace->sideTable().size()};
  EXPECT_THAT(errorOf([&] { loadTrace(path); }),
              HasSubstr("expected " + std::to_string(parts[0]) + " + " + std::to_string(parts[1]) +
                        " bytes after the header, got " + std::to_string(parts[0] + parts[1] - 3)));
  file[file.size() / 2] ^= std::byte(4);
  write(file.size());
  EXPECT_THAT(errorOf([&] { loadTrace(path); }), testing::AllOf(HasSubstr(path), HasSubstr("checksum")));
  std::ofstream(path, std::ios::binary) << "hello";
  EXPECT_THAT(errorOf([&] { loadTrace(path); }), testing::AllOf(HasSubstr(path), HasSubstr("at least 48 bytes")));
  std::ofstream(path, std::ios::binary) << std::string(64, 'x');
  EXPECT_THAT(errorOf([&] { loadTrace(path); }), HasSubstr("TNSAVED"));
  EXPECT_THAT(errorOf([&] { loadTrace(folder / "none"); }), HasSubstr("none"));
  EXPECT_THAT(errorOf([&] { saveTrace(*trace, folder / "no" / "such"); }), HasSubstr("such"));
  std::filesystem::remove_all(folder);
}

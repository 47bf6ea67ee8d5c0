//===- composite_test.cpp - composites as one op -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TraceSamples.h"
#include "test/unit/Errors.h"

#include "lib/ops/Composite.h"
#include "lib/ops/Door.h"
#include "lib/program/EagerRegions.h"
#include "lib/trace/Record.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::samples;
using tenon::test::errorOf;
using testing::HasSubstr;

namespace {

/// The bits of an array.
std::vector<uint32_t> bits(const Array &x) {
  std::vector<uint32_t> words;
  for (float value : astype(x, f32).to_vector<float>())
    words.push_back(__builtin_bit_cast(uint32_t, value));
  return words;
}

Array numbers(Shape shape) { return random::normal(random::key(3), shape); }

/// What `function` records on arrays of these types.
TraceRef recorded(std::vector<Type> types, auto &&function) {
  return recordFunction("f", types, [&](std::span<const Array> x) { return std::vector<Array>{function(x[0])}; }).trace;
}
Type floats(Shape shape) { return {f32, Device::cpu, shape}; }

/// Runs the trace in place of a function of one array.
auto asFunction(const TraceRef &trace) {
  return [trace](const Array &x) { return evaluateTrace(*trace, std::span(&x, 1))[0]; };
}

/// A trace of one composite that squares its operand, whatever its name says.
TraceRef squaring(std::string_view name, std::vector<int64_t> attributes, Shape shape) {
  Builder region, b;
  ValueId x = region.input(f32, shape);
  TraceRef square = region.finish({region.op(OpCode::multiply, {x, x})});
  ValueId y = b.input(f32, shape);
  return b.finish(b.ops(OpCode::composite, {y}, CompositeAttrs{name, attributes}, {square}));
}

TEST(Composites, AreOneOpWhereTheyAreRecorded) {
  const TraceRef trace = recorded({floats({3, 4})}, [](const Array &x) { return softmax(mean(x, {0}, true) + x); });
  std::vector<OpCode> ops;
  for (const TraceOp &op : trace->ops())
    ops.push_back(op.code);
  EXPECT_EQ(ops, (std::vector{OpCode::composite, OpCode::broadcast_to, OpCode::add, OpCode::composite}));
}

/// What the kernel of a registered composite gives, and what the ops of its region give one by one.
std::pair<Array, Array> byKernelAndRegion(CompositeId id, const Array &x, AttrWords attributes) {
  auto apply = [&](const Array &operand) { return detail::bindComposite(id, {operand.value()}, attributes, {}); };
  const TraceRef trace = recorded({{x.dtype(), Device::cpu, x.shape()}}, apply);
  return {apply(x), evaluateTrace(*trace->body().regions[0], std::span(&x, 1))[0]};
}

/// All numbers that can be drawn.
TEST(Composites, NumbersOfBitsAreThoseOfTheRegion) {
  const Array all = astype(arange(1 << 23), u32) << 9;
  const auto [kernel, region] = byKernelAndRegion(CompositeId::normal_of_bits, all, {});
  EXPECT_EQ(bits(kernel), bits(region));
  // Among them bounds of which a kernel that rounds once would be wrong.
  for (const auto &[low, high] : {std::pair(0.0f, 1.0f),
                                  {-1.0f, 1.0f},
                                  {-2.0f, 5.0f},
                                  {0.0f, 3.0f},
                                  {1e-20f, 1.5f},
                                  {2e-6f, 0.75f},
                                  {1000.0f, 1003.0f},
                                  {-1e-40f, 1e-39f},
                                  {0x1p-149f, 0x1p-148f}}) {
    const detail::Words attributes(UniformOfBitsAttrs{ScalarAttr::floating(low), ScalarAttr::floating(high)});
    const auto [uniform, ofRegion] = byKernelAndRegion(CompositeId::uniform_of_bits, all, attributes);
    EXPECT_EQ(bits(uniform), bits(ofRegion)) << low << " to " << high;
  }
}

TEST(Composites, NumbersOfBitsAreOnePass) {
  const Key key = random::key(1);
  auto kernels = [](auto &&draw) {
    const uint64_t before = statistics().eager_kernels;
    draw();
    return statistics().eager_kernels - before;
  };
  EXPECT_EQ(kernels([&] { (void)random::normal(key, {100}); }), 2u) << "the bits, and numbers of them";
  EXPECT_EQ(kernels([&] { (void)random::uniform(key, {100}); }), 2u);
  EXPECT_EQ(kernels([&] { (void)random::uniform(key, {100}, f32, -2, 5); }), 2u);
  auto mapped = vmap([](const Array &k) { return random::normal(Key{k}, {100}); });
  EXPECT_EQ(kernels([&] { mapped(random::bits(key.data, {3}, 2)); }), 3u) << "and those of the keys";
}

TEST(Composites, AreRecordedOnceForTheirTypes) {
  auto both = [](const Array &x) { return mean(x, {1}, true) + softmax(x, 0) * softmax(softmax(x, 0), 0); };
  TraceRef first = recorded({floats({31, 7})}, both);
  const uint64_t made = detail::decompositionsMade();
  TraceRef second = recorded({floats({31, 7})}, both);
  EXPECT_EQ(detail::decompositionsMade(), made);
  for (size_t i = 0; i < first->body().regions.size(); ++i)
    EXPECT_EQ(first->body().regions[i].get(), second->body().regions[i].get());
  EXPECT_EQ(first->body().regions[1].get(), first->body().regions[2].get());
  recorded({floats({31, 8})}, [](const Array &x) { return softmax(x, 0); });
  EXPECT_EQ(detail::decompositionsMade(), made + 1) << "other sizes";
  recorded({floats({31, 8})}, [](const Array &x) { return softmax(x, 1); });
  EXPECT_EQ(detail::decompositionsMade(), made + 2) << "another attribute";
  recorded({{f64, Device::cpu, {31, 8}}}, [](const Array &x) { return softmax(x, 1); });
  EXPECT_EQ(detail::decompositionsMade(), made + 3) << "another dtype";
}

TEST(Composites, RunOneEagerKernel) {
  const Array x = numbers({5, 6, 7});
  struct Named {
    const char *name;
    std::function<Array()> run;
  };
  const Named all[] = {
      {"softmax", [&] { return softmax(x); }},
      {"log_softmax", [&] { return log_softmax(x); }},
      {"log_softmax of columns", [&] { return log_softmax(x, 0); }},
      {"mean", [&] { return mean(x); }},
      {"mean of columns", [&] { return mean(x, {0, 2}, true); }},
      {"mean of a view", [&, y = transpose(x)] { return mean(y, {0}); }},
      {"mean of what is repeated", [&, y = broadcast_to(x, {3, 5, 6, 7})] { return mean(y, {0, 1}); }},
  };
  for (const Named &each : all) {
    const uint64_t before = statistics().eager_kernels;
    each.run();
    EXPECT_EQ(statistics().eager_kernels - before, 1u) << each.name;
  }
}

TEST(Composites, HaveTheBitsOfTheirDecomposition) {
  const Array x = numbers({5, 6, 7});
  EXPECT_EQ(bits(mean(x, {1})), bits(sum(x, {1}) / 6));
  EXPECT_EQ(bits(mean(transpose(x), {0, 1}, true)), bits(sum(transpose(x), {0, 1}, true) / 42));
  // Narrow floats are rounded once, behind the division.
  const Array narrow = astype(x, bf16);
  EXPECT_EQ(bits(mean(narrow)), bits(astype(sum(astype(narrow, f32)) / 210, bf16)));
  EXPECT_TRUE(std::isnan(mean(zeros({0})).item<float>()));
}

/// The name has a kernel and rules; the region decides.
TEST(Composites, ARegionOfItsOwnIsWhatRuns) {
  const Array x = numbers({3, 4});
  for (const TraceRef &trace : {squaring("softmax", {1}, {3, 4}), squaring("softmax", {-1}, {3, 4}),
                                squaring("softmax", {1000}, {3, 4}), squaring("mean", {0, 0}, {3, 4}),
                                squaring("mean", {1, -7, 0}, {3, 4}), squaring("of-another.build", {}, {3, 4})}) {
    auto f = asFunction(trace);
    auto whole = [&](const Array &y) { return sum(f(y)); };
    EXPECT_EQ(bits(f(x)), bits(x * x));
    EXPECT_EQ(bits(jit(f)(x)), bits(x * x));
    EXPECT_EQ(bits(jit(f, {.compile = Compile::never})(x)), bits(x * x));
    EXPECT_EQ(bits(grad(whole)(x)), bits(x + x));
    EXPECT_EQ(bits(jit(grad(whole))(x)), bits(x + x));
    EXPECT_EQ(bits(vmap(f)(broadcast_to(x, {2, 3, 4}))), bits(broadcast_to(x * x, {2, 3, 4})));
  }
}

/// A trace of one composite made of what `function` records on operands of `types`.
TraceRef madeOf(std::string_view name, AttrWords attributes, const std::vector<Type> &types, auto &&function) {
  TraceRef region =
      recordFunction("f", types, [&](std::span<const Array> x) { return std::vector<Array>{function(x)}; }).trace;
  Builder b;
  std::vector<ValueId> operands;
  for (const Type &type : types)
    operands.push_back(b.input(type.dtype, type.shape));
  return b.finish(b.ops(OpCode::composite, operands, CompositeAttrs{name, attributes}, {region}));
}

/// A region that the decomposition would be, if a kernel took such attributes and
/// operands.
TEST(Composites, WhatNoFrontDoorWritesIsItsRegion) {
  const Array x = numbers({3, 4});
  for (int64_t axis : {-1, -2, 7}) {
    const int64_t real = axis == 7 ? 1 : axis + 2;
    const TraceRef trace = madeOf("softmax", std::vector{axis}, {floats({3, 4})}, [&](std::span<const Array> in) {
      const Array weights = exp(in[0] - max(in[0], real, true));
      return weights / sum(weights, real, true);
    });
    EXPECT_EQ(bits(asFunction(trace)(x)), bits(softmax(x, static_cast<int>(real)))) << axis;
  }
  const std::vector<int64_t> overAxis0{1, 0, 0};
  const TraceRef integers = madeOf("mean", overAxis0, {{i32, Device::cpu, {3}}},
                                   [](std::span<const Array> in) { return sum(in[0], {0}) / 3.0; });
  EXPECT_EQ(asFunction(integers)(Array{1, 2, 6}).item<float>(), 3);
  const TraceRef none = madeOf("mean", overAxis0, {}, [](std::span<const Array>) { return full({2}, 5.0f); });
  EXPECT_EQ(evaluateTrace(*none, {})[0].to_vector<float>(), (std::vector<float>{5, 5}));
}

/// The trace of a call with sizes, made from one with symbols, has the kernel and the
/// rule that the call has by itself.
TEST(Composites, OfSymbolsThatHaveGotSizes) {
  const Array x = numbers({5, 6}), y = numbers({5, 6});
  for (Shape shape : {Shape{Dim("n"), 6}, Shape{5, Dim("m")}, Shape{Dim("n"), Dim("m")}})
    for (int axis : {0, 1}) {
      auto f = asFunction(recorded({floats(shape)}, [&](const Array &a) { return softmax(a, axis); }));
      const uint64_t before = statistics().eager_kernels;
      EXPECT_EQ(bits(f(x)), bits(softmax(x, axis)));
      EXPECT_EQ(statistics().eager_kernels - before, 2u) << shape.str();
      auto slope = [&](auto &&function) { return grad([&](const Array &a) { return sum(function(a) * y); })(x); };
      EXPECT_EQ(bits(slope(f)), bits(slope([&](const Array &a) { return softmax(a, axis); })));
      auto average = asFunction(recorded({floats(shape)}, [&](const Array &a) { return mean(a, axis); }));
      const uint64_t later = statistics().eager_kernels;
      EXPECT_EQ(bits(average(x)), bits(mean(x, axis)));
      EXPECT_EQ(statistics().eager_kernels - later, 2u) << shape.str();
      auto all = asFunction(recorded({floats(shape)}, [&](const Array &a) { return mean(a); }));
      const uint64_t last = statistics().eager_kernels;
      EXPECT_EQ(bits(all(x)), bits(mean(x)));
      EXPECT_EQ(statistics().eager_kernels - last, 2u) << shape.str();
    }
}

/// Of an expression of symbols it is not known whether it is 0.
TEST(Composites, OfExpressionsThatHaveGotSizes) {
  const Array x = numbers({5, 6}), y = numbers({3, 6});
  auto tail = [](const Array &a) { return softmax(slice(a, {2, 0}, {a.shape()[0], 6}), 0); };
  auto slope = [&](auto &&function) { return grad([&](const Array &a) { return sum(function(a) * y); })(x); };
  auto f = asFunction(recorded({floats({Dim("n"), 6})}, tail));
  EXPECT_EQ(bits(f(x)), bits(tail(x)));
  EXPECT_EQ(bits(slope(f)), bits(slope(tail)));
}

/// One that was read is compared with what is recorded here.
TEST(Composites, OfATraceThatWasRead) {
  const Array x = numbers({5, 6});
  const TraceRef trace = recorded({floats({5, 6})}, [](const Array &a) { return softmax(a, 0); });
  const uint64_t before = statistics().eager_kernels;
  EXPECT_EQ(bits(asFunction(Trace::read(trace->bytes()))(x)), bits(softmax(x, 0)));
  EXPECT_EQ(statistics().eager_kernels - before, 2u);
  const TraceRef average = recorded({floats({5, 6})}, [](const Array &a) { return mean(a, 0); });
  const uint64_t later = statistics().eager_kernels;
  EXPECT_EQ(bits(asFunction(Trace::read(average->bytes()))(x)), bits(mean(x, 0)));
  EXPECT_EQ(statistics().eager_kernels - later, 2u);
}

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

/// Its ops, one after another.
Array normalizedByOps(const Array &x, const std::vector<int64_t> &axes, const Array &scale, const Array &offset) {
  const Array distance = x - mean(x, axes, true);
  const Array deviation = sqrt(mean(distance * distance, axes, true) + 1e-5);
  return distance / deviation * scale + offset;
}

TEST(LayerNorm, IsOneKernelWithTheBitsOfItsOps) {
  for (Dtype dtype : {bf16, f32, f64})
    for (Shape shape : {Shape{5, 7}, Shape{3, 4097}, Shape{2, 16}, Shape{4, 1}}) {
      const Array x = astype(numbers(shape), dtype), scale = astype(numbers({shape[1]}), dtype) + 1, offset = scale * 3;
      for (const Array &each : {x, x * 1000 + 5, slice(concatenate({x, x}, 1), {0, 0}, {shape[0], shape[1]})}) {
        const uint64_t before = statistics().eager_kernels;
        const Array y = layer_norm(each, -1, scale, offset);
        // Narrow floats are converted to f32 and back.
        const Dtype wide = is_narrow(dtype) ? f32 : dtype;
        if (wide == dtype) {
          EXPECT_EQ(statistics().eager_kernels - before, 1u);
        }
        const Array byOps = normalizedByOps(astype(each, wide), {1}, astype(scale, wide), astype(offset, wide));
        EXPECT_EQ(bits(y), bits(astype(byOps, dtype))) << shape.str() << short_name(dtype);
        EXPECT_EQ(bits(jit([](Array a, Array s, Array o) { return layer_norm(a, -1, s, o); })(each, scale, offset)),
                  bits(y));
      }
    }
}

TEST(LayerNorm, OverOtherAxesIsItsOps) {
  const Array x = numbers({3, 4, 5});
  const Array first = layer_norm(x, 0, 2, 1);
  EXPECT_EQ(bits(first), bits(normalizedByOps(x, {0}, full({1}, 2.0f), full({1}, 1.0f))));
  const Array scale = numbers({3, 5}), offset = numbers({3, 5}) + 1;
  EXPECT_EQ(bits(layer_norm(x, {2, 0}, scale, offset)),
            bits(normalizedByOps(x, {0, 2}, reshape(scale, {3, 1, 5}), reshape(offset, {3, 1, 5}))));
  const Array whole = numbers({3, 4, 5}) + 2;
  EXPECT_EQ(bits(layer_norm(x, {}, whole, whole)), bits(normalizedByOps(x, {0, 1, 2}, whole, whole)));
}

/// Parameters that do not lie one behind another.
TEST(LayerNorm, OfStridedParameters) {
  const Array x = numbers({6, 4}), wide = numbers({4, 2});
  const Array scale = transpose(wide)[0], offset = broadcast_to(Array(0.5f), {4});
  EXPECT_EQ(bits(layer_norm(x, 1, scale, offset)), bits(normalizedByOps(x, {1}, scale + zeros({4}), full({4}, 0.5f))));
}

TEST(LayerNorm, Promotes) {
  EXPECT_EQ(layer_norm(Array{1, 2, 3}, 0, 1, 0).dtype(), f32);
  EXPECT_EQ(layer_norm(Array{1.0f, 2.0f}, 0, ones({2}, f64), 0).dtype(), f64);
  EXPECT_EQ(layer_norm(astype(Array{1.0f, 2.0f}, bf16), 0, 1, 0).dtype(), bf16);
}

TEST(LayerNorm, ItsDerivativeIsARowKernel) {
  const Array x = numbers({5, 7}), scale = numbers({7}) + 1, offset = numbers({7}), y = numbers({5, 7}) * 2;
  auto slopes = [&](auto &&function) {
    return grad<0, 1, 2>([&](const Array &a, const Array &s, const Array &o) { return sum(function(a, s, o) * y); })(
        x, scale, offset);
  };
  auto rows = [](const Array &a, const Array &s, const Array &o) { return layer_norm(a, -1, s, o); };
  auto ops = [](const Array &a, const Array &s, const Array &o) { return normalizedByOps(a, {1}, s, o); };
  const auto fused = slopes(rows), plain = slopes(ops);
  auto near = [](const Array &a, const Array &b) { EXPECT_LT(max(abs(a - b)).item<float>(), 2e-5f); };
  near(std::get<0>(fused), std::get<0>(plain));
  near(std::get<1>(fused), std::get<1>(plain));
  near(std::get<2>(fused), std::get<2>(plain));
  const std::string text =
      jit([&](const Array &a) { return grad([&](const Array &b) { return sum(rows(b, scale, offset)); })(a); })
          .lower(x)
          .trace();
  EXPECT_THAT(text, HasSubstr("name = \"layer_norm_gradient\", composite_attributes = {axes = [1], epsilon = "));
}

/// What no front door writes: the kernel would read beyond its operands.
TEST(LayerNorm, OddOperandsAreTheirRegion) {
  auto run = [&](Type x, Type scale, Type offset) {
    AttrWriter words;
    LayerNormAttrs{std::vector<int64_t>{1}, ScalarAttr::floating(1e-5)}.write(words);
    auto ops = [](std::span<const Array> in) { return normalizedByOps(in[0], {1}, in[1], in[2]); };
    const TraceRef trace = madeOf("layer_norm", words.words(), {x, scale, offset}, ops);
    std::vector<Array> inputs;
    for (const Type &type : {x, scale, offset})
      inputs.push_back(astype(numbers(type.shape) + 3, type.dtype));
    const Array got = evaluateTrace(*trace, inputs)[0], expected = ops(inputs);
    EXPECT_EQ(got.dtype(), expected.dtype());
    EXPECT_EQ(bits(got), bits(expected)) << scale.str() << offset.str();
  };
  run(floats({3, 4}), floats({4}), floats({4}));
  run(floats({3, 4}), floats({1}), floats({1}));
  run(floats({3, 4}), floats({4}), floats({1}));
  run(floats({3, 4}), {f64, Device::cpu, {4}}, floats({4}));
  run(floats({3, 4}), {bf16, Device::cpu, {4}}, {bf16, Device::cpu, {4}});
}

/// Two composites with the same attributes and operands.
TEST(LayerNorm, AndItsDerivativeAreTwo) {
  const Array x = numbers({5}), scale = numbers({5}) + 2, ct = numbers({5}) * 3;
  const Array y = layer_norm(x, 0, scale, ct);
  const Array slope = grad([&](const Array &a) { return sum(layer_norm(a, 0, scale, 0) * ct); })(x);
  const Array distance = x - mean(x), deviation = sqrt(mean(distance * distance) + 1e-5);
  const Array normalized = distance / deviation, scaled = ct * scale;
  EXPECT_EQ(bits(y), bits(normalized * scale + ct));
  EXPECT_EQ(bits(slope), bits((scaled - mean(scaled) - normalized * mean(scaled * normalized)) / deviation));
}

//===----------------------------------------------------------------------===//
// Those of users
//===----------------------------------------------------------------------===//

Array gelu(const Array &x) { return x * 0.5f * (1.0f + tanh(x * 0.8f)); }

TEST(UserComposites, HaveANameInTraces) {
  auto named = composite("gelu", gelu);
  const Array x = numbers({7});
  auto f = jit([&](const Array &a) { return named(a) + named(a); });
  EXPECT_THAT(f.lower(x).trace(), HasSubstr("composite %0, name = \"user.gelu\", composite_attributes = {}"));
  EXPECT_EQ(bits(f(x)), bits(gelu(x) + gelu(x)));
  EXPECT_EQ(bits(named(x)), bits(gelu(x)));
  EXPECT_EQ(named(2.0f).item<float>(), gelu(2.0f).item<float>()) << "a number is an array";
}

TEST(UserComposites, ComputeWhatTheirFunctionDoes) {
  const Array x = numbers({4, 3});
  // Captured, nested, with a registered composite inside.
  const Array scale = numbers({3});
  auto f = [&](const Array &a) { return softmax(gelu(a) * scale); };
  auto inner = composite("gelu", gelu);
  auto named = composite("outer", [&](const Array &a) { return softmax(inner(a) * scale); });
  auto total = [&](auto &&function) { return [&](const Array &a) { return sum(function(a) * a); }; };
  auto plain = total(f);
  auto through = total(named);
  EXPECT_EQ(bits(grad(through)(x)), bits(grad(plain)(x)));
  EXPECT_EQ(bits(jit(grad(through))(x)), bits(grad(plain)(x)));
  EXPECT_EQ(bits(grad(jit(through))(x)), bits(grad(jit(plain))(x)));
  EXPECT_EQ(bits(vmap(named)(x)), bits(vmap(f)(x)));
  EXPECT_EQ(bits(jit(vmap(named))(x)), bits(vmap(f)(x)));
  auto curved = [](auto &&function) {
    return grad([&](const Array &a) { return sum(grad([&](const Array &b) { return sum(function(b)); })(a) * a); });
  };
  EXPECT_EQ(bits(curved(composite("gelu", gelu))(x)), bits(curved(gelu)(x)));
  EXPECT_EQ(bits(jit(curved(composite("gelu", gelu)))(x)), bits(curved(gelu)(x)));
}

/// The name of a composite that has a kernel is a name like any other.
TEST(UserComposites, NeverMeetARegisteredOne) {
  auto named = composite("softmax", [](const Array &a) { return a * a; });
  const Array x = numbers({3});
  EXPECT_EQ(bits(named(x)), bits(x * x));
  EXPECT_EQ(bits(jit(named)(x)), bits(x * x));
  EXPECT_THAT(jit(named).lower(x).trace(), HasSubstr("name = \"user.softmax\""));
}

TEST(UserComposites, TakeAndReturnTrees) {
  struct Pair {
    Array a, b;
  };
  auto swap = composite("swap", [](const Pair &p, const std::vector<Array> &more) {
    return std::pair(Pair{p.b, p.a}, more[0] - more[1]);
  });
  auto f = [&](const Array &x, const Array &y) {
    auto [swapped, difference] = swap(Pair{x, y}, std::vector<Array>{x, y});
    return swapped.a * 2 - swapped.b + difference;
  };
  const Array x = numbers({3}), y = numbers({3}) + 1;
  EXPECT_EQ(bits(jit(f)(x, y)), bits(f(x, y)));
  EXPECT_EQ(bits(f(x, y)), bits(y * 2 - x + (x - y)));
}

TEST(UserComposites, RefuseNames) {
  auto refusal = [](std::string_view name) { return errorOf([&] { (void)composite(name, gelu); }); };
  EXPECT_THAT(refusal(""), HasSubstr("composite: expected a name of 1 to 123 characters, got 0"));
  EXPECT_THAT(refusal(std::string(124, 'a')), HasSubstr("composite: expected a name of 1 to 123 characters, got 124"));
  EXPECT_NO_THROW((void)composite(std::string(123, 'a'), gelu));
  EXPECT_THAT(refusal("my op"), HasSubstr("composite: expected a name of letters, digits, '_', '.' and '-', got the "
                                          "character of code 32 at 2"));
  EXPECT_THAT(refusal("my op"), HasSubstr("composite_test.cpp"));
}

TEST(UserComposites, SayWhatIsNoArray) {
  auto named = composite("f", [](const Array &) { return Array(); });
  EXPECT_THAT(errorOf([&] { jit(named)(numbers({3})); }),
              HasSubstr("user.f: expected an array as result, got an empty Array"));
  EXPECT_THAT(errorOf([&] { named(numbers({3})); }), HasSubstr("user.f: expected an array as result"));
  EXPECT_THAT(errorOf([&] { named(Array()); }), HasSubstr("user.f: expected an array as arg 0, got an empty Array"));
}

/// An error inside names the line and the frames of the op, as without a composite.
TEST(UserComposites, ErrorsInsideHaveTheirLine) {
  auto named = composite("f", [](const Array &x) { return matmul(x, ones({5, 5})); });
  for (const std::string &text :
       {errorOf([&] { named(numbers({3, 4})); }), errorOf([&] { jit(named)(numbers({3, 4})); })}) {
    EXPECT_THAT(text, HasSubstr("matmul: "));
    EXPECT_THAT(text, HasSubstr("composite_test.cpp"));
  }
}

} // namespace

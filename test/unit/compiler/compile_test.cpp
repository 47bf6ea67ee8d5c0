//===- compile_test.cpp - compiled programs against the eager kernels -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each trace is compiled to a blob, loaded and run; every bit of the outputs is
// compared with the interpreter over eager kernels (any NaN equals any NaN).
//===----------------------------------------------------------------------===//
#include "../TraceSamples.h"
#include "test/Difference.h"

#include "lib/array/Buffer.h"
#include "lib/compiler/border/Compile.h"
#include "lib/compiler/group/Costs.h"
#include "lib/trace/Interpreter.h"
#include "runtime/machine/Cpu.h"
#include "runtime/program/Executor.h"

#include <gmock/gmock.h>

#include <random>

using namespace tenon;
using namespace tenon::samples;
using namespace tenon::compiler;
using testing::HasSubstr;

namespace {

CompileContext &context() {
  static CompileContext made({createMlirContext, destroyMlirContext});
  return made;
}

std::string compile(const Trace &trace, const char *emit = "blob", const char *features = nullptr) {
  std::span<const std::byte> bytes = trace.bytes();
  std::vector<std::byte> side = trace.sideTable();
  tenon_compile_request request{};
  request.abi = TENON_COMPILER_ABI;
  request.trace = bytes.data();
  request.trace_size = bytes.size();
  request.locations = side.data();
  request.locations_size = side.size();
  request.emit = emit;
  request.input_format = "trace";
  request.features = features;
  std::string out, error;
  EXPECT_TRUE(compileRequest(context(), request, out, error)) << error << "\n" << trace.str();
  return out;
}

/// Ordinary numbers, and the ones that go wrong.
template <class T>
Array randomArray(std::mt19937_64 &rng, const Shape &shape) {
  const size_t count = static_cast<size_t>(element_count(shape).raw());
  std::vector<T> data(count);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = rng();
    if constexpr (kind(dtype_of<T>) == Kind::complex) {
      data[i] = {static_cast<float>(static_cast<int64_t>(bits >> 40)) / 1000, static_cast<float>(bits & 0xffff)};
    } else if constexpr (std::is_integral_v<T>) {
      T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
      data[i] = bits % 16 == 0 ? low : bits % 16 == 1 ? high : static_cast<T>(bits % 16 < 8 ? bits >> 60 : bits >> 8);
    } else {
      constexpr double special[] = {0.0, -0.0,  1.0,  -1.0,         HUGE_VAL, -HUGE_VAL,
                                    NAN, 1e-40, 3e38, 2147483648.0, -3e9,     300.5};
      double value = (static_cast<double>(bits >> 11) * 0x1p-53 - 0.5) * 8;
      if (bits % 8 == 0)
        value = special[(bits >> 3) % std::size(special)];
      data[i] = T(static_cast<float>(value));
    }
  }
  return Array(std::span<const T>(data), shape);
}
template <>
Array randomArray<bool>(std::mt19937_64 &rng, const Shape &shape) {
  const size_t count = static_cast<size_t>(element_count(shape).raw());
  auto data = std::make_unique<bool[]>(count);
  for (size_t i = 0; i < count; ++i)
    data[i] = rng() & 1;
  return Array(std::span<const bool>(data.get(), count), shape);
}
Array randomArray(std::mt19937_64 &rng, Dtype dtype, const Shape &shape) {
  return withElement(dtype, [&]<class T>(T *) { return randomArray<T>(rng, shape); });
}

template <class T>
void expectSame(const Array &expected, const T *got) {
  std::vector<T> wanted = expected.to_vector<T>();
  size_t wrong = 0;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!isSame(static_cast<T>(wanted[i]), got[i]) && ++wrong <= 3)
      ADD_FAILURE() << "element " << i << ": expected " << testing::PrintToString(static_cast<T>(wanted[i])) << ", got "
                    << testing::PrintToString(got[i]);
  EXPECT_EQ(wrong, 0u) << "of " << wanted.size();
}

struct Compiled {
  explicit Compiled(const Trace &trace, const char *features = nullptr) {
    std::string blob = compile(trace, "blob", features), error;
    program = rt::Executable::load(std::as_bytes(std::span(blob)), error);
    EXPECT_TRUE(program) << error;
  }
  /// Runs and compares; the statistics of the run.
  rt::RunStatistics check(const Trace &trace, std::span<const Array> inputs) {
    rt::RunReport report;
    if (!program)
      return {};
    std::vector<rt::View> views;
    std::vector<void *> data;
    for (const Array &input : inputs) {
      views.push_back(viewOf(input.value()));
      data.push_back(input.value()->data);
    }
    std::string error;
    rt::PlanRef plan = program->plan(views, error);
    EXPECT_TRUE(plan) << error;
    if (!plan)
      return {};
    std::vector<std::vector<std::max_align_t>> buffers;
    std::vector<void *> outputs;
    for (const rt::PlannedOutput &output : plan->outputs) {
      buffers.emplace_back(output.bytes / sizeof(std::max_align_t) + 8);
      auto address = (reinterpret_cast<uintptr_t>(buffers.back().data()) + 63) / 64 * 64;
      outputs.push_back(output.kind == rt::PlannedOutput::input ? data[output.source]
                                                                : reinterpret_cast<void *>(address));
    }
    EXPECT_EQ(program->run(*plan, data, outputs, nullptr, report), rt::Status::ok);
    std::vector<Array> expected = evaluateTrace(trace, inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE("output " + std::to_string(i));
      compare(expected[i], outputs[i]);
    }
    return report.statistics;
  }
  static void compare(const Array &expected, const void *got) {
    withElement(expected.dtype(), [&]<class T>(T *) { expectSame(expected, static_cast<const T *>(got)); });
  }
  std::unique_ptr<rt::Executable> program;
};

/// With the trace's inputs at random; symbols are `size`.
rt::RunStatistics check(const Trace &trace, int64_t size = 7, const char *features = nullptr) {
  std::mt19937_64 rng(42);
  std::vector<Array> inputs;
  for (ValueId input : trace.inputs()) {
    Shape shape;
    for (Dim dim : trace.type(input).shape) {
      const SymbolBinding binding[] = {{"n", size}, {"m", size + 3}};
      shape.push_back(Dim(*evaluate(dim, binding)));
    }
    inputs.push_back(randomArray(rng, trace.type(input).dtype, shape));
  }
  return Compiled(trace, features).check(trace, inputs);
}

struct Chain : Builder {
  ValueId full(const Shape &shape, double value, Dtype dtype = Dtype::f32) {
    return op(OpCode::full, {}, FullAttrs{{shape.begin(), shape.size()}, number(value), dtype, {}});
  }
  ValueId broadcast(ValueId x, const Shape &shape) {
    return op(OpCode::broadcast_to, {x}, BroadcastToAttrs{{shape.begin(), shape.size()}});
  }
  ValueId reshape(ValueId x, const Shape &shape) {
    return op(OpCode::reshape, {x}, ReshapeAttrs{{shape.begin(), shape.size()}});
  }
  ValueId reduce(OpCode code, ValueId x, std::vector<int64_t> axes, bool keepdims = false) {
    return op(code, {x}, SumAttrs{axes, keepdims}); // all reductions have the same attributes
  }
};

const char *const levels[] = {nullptr, "+avx2,+fma"};

} // namespace

TEST(Compile, AnElementwiseChainIsOneKernel) {
  Chain b;
  Shape shape{33, 19};
  ValueId x = b.input(Dtype::f32, shape), y = b.input(Dtype::f32, shape), bias = b.input(Dtype::f32, {19});
  ValueId sum = b.op(OpCode::add, {b.op(OpCode::multiply, {x, y}), b.broadcast(bias, shape)});
  ValueId relu = b.op(OpCode::maximum, {sum, b.full(shape, 0)});
  ValueId out = b.op(OpCode::multiply, {b.op(OpCode::tanh, {relu}), b.full(shape, 0.5)});
  TraceRef trace = b.finish({out, sum});
  for (const char *features : levels) {
    rt::RunStatistics ran = check(*trace, 7, features);
    EXPECT_EQ(ran.kernels, 1u);
    EXPECT_EQ(ran.librarySteps + ran.copies, 0u);
  }
}

TEST(Compile, BroadcastsAlongAnyAxes) {
  for (const Shape &from : {Shape{4}, Shape{3, 1}, Shape{5, 1, 1}, Shape{5, 1, 4}, Shape{1, 3, 1}, Shape{}}) {
    SCOPED_TRACE(from.str());
    Chain b;
    Shape shape{5, 3, 4};
    ValueId x = b.input(Dtype::f32, shape), y = b.input(Dtype::f32, from), z = b.input(Dtype::f32, {5, 3, 1});
    ValueId sum = b.op(OpCode::add, {x, b.broadcast(y, shape)});
    TraceRef trace = b.finish({b.op(OpCode::subtract, {sum, b.broadcast(z, shape)})});
    EXPECT_EQ(check(*trace).kernels, 1u);
  }
}

TEST(Compile, EveryElementwiseOpHasTheBitsOfItsKernel) {
  for (const OpInfo &info : allOps()) {
    if (info.lowering != Lowering::elementwise)
      continue;
    for (int d = 0; d < dtype_count; ++d) {
      const auto dtype = static_cast<Dtype>(d);
      if (!contains(info.dtypes, dtype))
        continue;
      SCOPED_TRACE(std::string(info.name) + " " + std::string(short_name(dtype)));
      const auto code = static_cast<OpCode>(info.code);
      for (const char *features : levels) {
        if (code == OpCode::astype) {
          for (int to = 0; to < dtype_count; ++to) {
            if (kind(dtype) == Kind::complex && kind(static_cast<Dtype>(to)) != Kind::complex)
              continue;
            SCOPED_TRACE(short_name(static_cast<Dtype>(to)));
            Chain b;
            TraceRef trace = b.finish({b.op(code, {b.input(dtype, {997})}, AstypeAttrs{static_cast<Dtype>(to)})});
            check(*trace, 7, features);
          }
          continue;
        }
        Chain b;
        std::vector<ValueId> operands;
        if (code == OpCode::where)
          operands.push_back(b.input(Dtype::bool_, {997}));
        while (operands.size() < info.operands.size())
          operands.push_back(b.input(dtype, {997}));
        TraceRef trace = b.finish({b.op(code, operands)});
        rt::RunStatistics ran = check(*trace, 7, features);
        EXPECT_EQ(ran.kernels, 1u);
      }
    }
  }
}

// Payloads that rounding would carry into infinity, or into the sign.
TEST(Compile, EveryNanStaysOneInNarrowFloats) {
  const uint32_t bits[] = {0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0x7fc00000};
  std::vector<float> nans(std::size(bits));
  std::memcpy(nans.data(), bits, sizeof bits);
  const std::vector<Array> inputs{Array(std::span<const float>(nans), {5})};
  for (Dtype dtype : {Dtype::bf16, Dtype::f16, Dtype::f8e4m3fn, Dtype::f8e5m2}) {
    Chain b;
    ValueId narrow = b.op(OpCode::astype, {b.input(Dtype::f32, {5})}, AstypeAttrs{dtype});
    TraceRef trace = b.finish({narrow, b.op(OpCode::astype, {narrow}, AstypeAttrs{Dtype::f32})});
    for (float value : evaluateTrace(*trace, inputs)[1].to_vector<float>())
      EXPECT_NE(value, value) << short_name(dtype);
    for (const char *features : levels)
      EXPECT_EQ(Compiled(*trace, features).check(*trace, inputs).kernels, 1u);
  }
}

/// Every number of a narrow float, the middles between them, and what is next to a
/// middle: where an f64 that is rounded to f32 first would end elsewhere.
static std::vector<double> aroundNarrow(Dtype dtype) {
  std::vector<double> values;
  tenon::detail::visitDtype(dtype, [&]<Dtype D>() {
    using T = typename tenon::detail::ElementOf<D>::type;
    if constexpr (is_narrow(D))
      for (uint32_t code = 0; code < T::largest; ++code) {
        T here, next;
        here.bits = static_cast<decltype(T::bits)>(code), next.bits = static_cast<decltype(T::bits)>(code + 1);
        const double middle = (double(here) + double(next)) / 2;
        for (double value : {double(here), middle, std::nextafter(middle, 0.0), std::nextafter(middle, HUGE_VAL)}) {
          values.push_back(value);
          values.push_back(-value);
        }
      }
  });
  return values;
}

TEST(Compile, NarrowFloatsAreRoundedOnce) {
  for (Dtype dtype : {Dtype::bf16, Dtype::f16, Dtype::f8e4m3fn, Dtype::f8e5m2}) {
    SCOPED_TRACE(short_name(dtype));
    std::vector<double> wide = aroundNarrow(dtype);
    wide.insert(wide.end(), {1e300, -1e300, HUGE_VAL, NAN, 448, 464, 464.5, 65504, 65519, 65520, 57344, 61440, 1e-300});
    const std::vector<float> single(wide.begin(), wide.end());
    const auto length = static_cast<int64_t>(wide.size());
    Chain b;
    ValueId x = b.input(Dtype::f64, {length}), y = b.input(Dtype::f32, {length});
    auto to = [&](ValueId value, Dtype as) { return b.op(OpCode::astype, {value}, AstypeAttrs{as}); };
    ValueId narrow = to(x, dtype);
    TraceRef trace = b.finish({narrow, to(narrow, Dtype::f64), to(y, dtype)});
    const std::vector<Array> inputs{Array(std::span<const double>(wide), {length}),
                                    Array(std::span<const float>(single), {length})};
    for (const char *features : levels)
      EXPECT_EQ(Compiled(*trace, features).check(*trace, inputs).librarySteps, 0u);
  }
}

TEST(Compile, ComplexNumbersArePairsInOneKernel) {
  for (Dtype dtype : {Dtype::c64, Dtype::c128}) {
    SCOPED_TRACE(short_name(dtype));
    Chain b;
    Shape shape{7, 45};
    ValueId x = b.input(dtype, shape), y = b.input(dtype, shape), z = b.broadcast(b.input(dtype, {45}), shape),
            one = b.broadcast(b.input(dtype, {}), shape), p = b.input(Dtype::f32, shape);
    ValueId product = b.op(OpCode::multiply, {x, y}), sum = b.op(OpCode::add, {product, z});
    ValueId quotient = b.op(OpCode::divide, {sum, b.op(OpCode::subtract, {x, one})});
    ValueId isEqual = b.op(OpCode::equal, {x, y});
    ValueId chosen = b.op(OpCode::where, {isEqual, sum, b.op(OpCode::negative, {quotient})});
    ValueId real = b.op(OpCode::astype, {p}, AstypeAttrs{dtype});
    std::vector<Dim> dims(shape.begin(), shape.end());
    ValueId number = b.op(OpCode::full, {}, FullAttrs{dims, ScalarAttr::complex({0.5, -2}), dtype, {}});
    ValueId scaled = b.op(OpCode::multiply, {b.op(OpCode::add, {chosen, real}), number});
    ValueId zero = b.op(OpCode::full, {}, FullAttrs{dims, ScalarAttr::complex({0, 0}), dtype, {}});
    ValueId byZero = b.op(OpCode::divide, {sum, zero});
    TraceRef trace = b.finish({scaled, product, isEqual, byZero, b.op(OpCode::not_equal, {x, real})});
    for (const char *features : levels) {
      rt::RunStatistics ran = check(*trace, 7, features);
      EXPECT_EQ(ran.kernels, 1u);
      EXPECT_EQ(ran.librarySteps + ran.copies, 0u);
    }
  }
}

// A quotient is kept from the first walk to the second, where no result has its type.
TEST(Compile, ComplexRowsWaitInScratch) {
  for (Dtype dtype : {Dtype::c64, Dtype::c128}) {
    SCOPED_TRACE(short_name(dtype));
    Chain b;
    Shape shape{7, 45};
    ValueId x = b.input(dtype, shape), y = b.input(dtype, shape), z = b.input(dtype, shape);
    ValueId quotient = b.op(OpCode::divide, {x, y});
    ValueId any = b.reduce(OpCode::any, b.op(OpCode::equal, {quotient, z}), {1}, true);
    ValueId chosen = b.op(OpCode::where, {b.broadcast(any, shape), z, quotient});
    TraceRef trace = b.finish({b.op(OpCode::not_equal, {chosen, b.op(OpCode::divide, {x, z})}),
                               b.op(OpCode::equal, {b.op(OpCode::multiply, {chosen, y}), x})});
    for (const char *features : levels)
      EXPECT_EQ(check(*trace, 7, features).kernels, 1u);
  }
}

// One that is an argument of the kernel, and one in its code. An f64 between would
// be the middle of two f32, from which the wrong one is taken.
TEST(Compile, AnIntegerIsRoundedOnce) {
  const int64_t value = (int64_t(1) << 60) + (int64_t(1) << 36) + 1;
  Chain b;
  Shape shape{20};
  std::vector<Dim> dims(shape.begin(), shape.end());
  ValueId x = b.input(Dtype::f32, shape);
  ValueId full = b.op(OpCode::full, {}, FullAttrs{dims, number(value), Dtype::f32, {}});
  TraceRef trace = b.finish({b.op(OpCode::add, {x, full}), b.op(OpCode::maximum, {x, full})});
  const std::vector<float> zeros(20);
  const std::vector<Array> inputs{Array(std::span<const float>(zeros), shape)};
  EXPECT_EQ(evaluateTrace(*trace, inputs)[0].to_vector<float>()[0], 0x1.000002p60f);
  EXPECT_EQ(Compiled(*trace).check(*trace, inputs).kernels, 2u);
}

TEST(Compile, ReductionsHaveTheContractsTree) {
  for (int64_t length : {1, 15, 16, 17, 1000, 4096, 4097, 12289, 28673})
    for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::bf16, Dtype::f16, Dtype::i8, Dtype::i16, Dtype::i32, Dtype::u8,
                        Dtype::u16, Dtype::bool_}) {
      SCOPED_TRACE(std::to_string(length) + " " + std::string(short_name(dtype)));
      Chain b;
      Shape shape{3, length};
      ValueId x = b.input(dtype, shape);
      std::vector<ValueId> outs{b.reduce(OpCode::sum, x, {1})};
      if (dtype != Dtype::bool_)
        outs.push_back(b.reduce(OpCode::max, x, {1}, true));
      TraceRef trace = b.finish(outs);
      rt::RunStatistics ran = check(*trace);
      // Over axes of size 1 alone nothing is reduced: the library does that, and
      // what is large.
      const bool isKernel = length > 1 && 3 * length < cpuCosts.librarySize;
      EXPECT_EQ(ran.kernels, isKernel ? outs.size() : 0u);
      EXPECT_EQ(ran.librarySteps, isKernel ? 0u : outs.size());

      // In one pass with what makes the rows, whatever their number.
      Chain fused;
      ValueId sum = fused.op(OpCode::add, {fused.input(dtype, shape), fused.input(dtype, shape)});
      std::vector<ValueId> ends{fused.reduce(OpCode::sum, sum, {1}), sum};
      if (kind(dtype) == Kind::floating) {
        // Factors near 1: a long product stays in range.
        auto row = [&](double value) { return fused.broadcast(fused.full({}, value, dtype), shape); };
        ValueId factors = fused.op(OpCode::add, {fused.op(OpCode::multiply, {sum, row(0x1p-9)}), row(1)});
        ends.push_back(fused.reduce(OpCode::prod, factors, {1}));
      }
      TraceRef made = fused.finish(ends);
      for (const char *features : levels)
        EXPECT_EQ(check(*made, 7, features).kernels, 1u);
    }
}

TEST(Compile, EveryReductionIsPartOfAKernel) {
  for (OpCode code : {OpCode::sum, OpCode::prod, OpCode::max, OpCode::min, OpCode::any, OpCode::all})
    for (Dtype dtype : {Dtype::bool_, Dtype::i8, Dtype::u8, Dtype::i32, Dtype::u32, Dtype::i64, Dtype::bf16, Dtype::f16,
                        Dtype::f32, Dtype::f64}) {
      Chain b;
      ValueId x = b.op(OpCode::maximum, {b.input(dtype, {5, 37}), b.input(dtype, {5, 37})});
      if (contains(opInfo(code).dtypes, dtype)) {
        EXPECT_EQ(check(*b.finish({b.reduce(code, x, {1}), x})).kernels, 1u)
            << opInfo(code).name << " " << short_name(dtype);
      }
    }
}

static ValueId softmax(Chain &b, ValueId x, const Shape &shape, Dim rows) {
  ValueId max = b.reduce(OpCode::max, x, {1}, true);
  ValueId e = b.op(OpCode::exp, {b.op(OpCode::subtract, {x, b.broadcast(max, shape)})});
  ValueId sum = b.reshape(b.reduce(OpCode::sum, e, {1}), {rows, 1});
  return b.op(OpCode::divide, {e, b.broadcast(sum, shape)});
}

TEST(Compile, SoftmaxIsOneKernel) {
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::bf16, Dtype::f16})
    for (int64_t length : {1, 10, 1000, 5000}) {
      SCOPED_TRACE(std::to_string(length) + " " + std::string(short_name(dtype)));
      Chain b;
      Shape shape{9, length};
      ValueId x = b.input(dtype, shape);
      ValueId scaled = b.op(OpCode::multiply, {x, b.full(shape, 0.25, dtype)});
      TraceRef trace = b.finish({softmax(b, scaled, shape, 9)});
      for (const char *features : levels) {
        rt::RunStatistics ran = check(*trace, 7, features);
        if (length == 1)
          continue;
        EXPECT_EQ(ran.kernels, 1u);
        EXPECT_EQ(ran.librarySteps + ran.copies, 0u);
      }
    }
}

TEST(Compile, LogSoftmaxLossOverASymbolicBatch) {
  Dim n("n");
  Chain b;
  Shape shape{n, 20};
  ValueId x = b.input(Dtype::f32, shape), hot = b.input(Dtype::f32, shape);
  ValueId max = b.reduce(OpCode::max, x, {1}, true);
  ValueId shifted = b.op(OpCode::subtract, {x, b.broadcast(max, shape)});
  ValueId sum = b.reduce(OpCode::sum, b.op(OpCode::exp, {shifted}), {1}, true);
  ValueId log = b.op(OpCode::subtract, {shifted, b.broadcast(b.op(OpCode::log, {sum}), shape)});
  ValueId picked = b.reduce(OpCode::sum, b.op(OpCode::multiply, {log, hot}), {1});
  ValueId loss = b.op(OpCode::negative, {b.reduce(OpCode::sum, picked, {0})});
  TraceRef trace = b.finish({loss, log});
  Compiled compiled(*trace);
  std::mt19937_64 rng(1);
  for (int64_t size : {2, 3, 64, 5000}) {
    std::vector<Array> inputs{randomArray(rng, Dtype::f32, {size, 20}), randomArray(rng, Dtype::f32, {size, 20})};
    rt::RunStatistics ran = compiled.check(*trace, inputs);
    EXPECT_EQ(ran.kernels, 2u);
  }
}

/// How many kernels and library steps exp and a sum of rows of this length take.
static std::pair<uint64_t, uint64_t> stepsOfSums(Dim rows, int64_t length, int64_t count) {
  Chain b;
  ValueId rowsOfAll = b.input(Dtype::f32, {rows, length});
  TraceRef trace = b.finish({b.reduce(OpCode::sum, b.op(OpCode::exp, {rowsOfAll}), {1})});
  Compiled compiled(*trace);
  std::mt19937_64 rng(1);
  const Array x[] = {randomArray(rng, Dtype::f32, {count, length})};
  const rt::RunStatistics ran = compiled.check(*trace, x);
  return {ran.kernels, ran.librarySteps};
}

TEST(Compile, SumsOfManyShortRowsAreTheLibrarys) {
  EXPECT_EQ(stepsOfSums(cpuCosts.manyRows, 10, cpuCosts.manyRows), std::pair(1ul, 1ul));
  EXPECT_EQ(stepsOfSums(cpuCosts.manyRows - 1, 10, cpuCosts.manyRows - 1), std::pair(1ul, 0ul));
  EXPECT_EQ(stepsOfSums(cpuCosts.manyRows, cpuCosts.shortRow, cpuCosts.manyRows), std::pair(1ul, 0ul));
  EXPECT_EQ(stepsOfSums(Dim("n"), 10, 3), std::pair(1ul, 1ul));
  EXPECT_EQ(stepsOfSums(Dim("n"), cpuCosts.shortRow, 3), std::pair(1ul, 0ul));
}

/// Kernels in the program and in the compiler of rows of these lengths, each with a bias.
static std::pair<uint64_t, uint64_t> kernelsOfRows(std::initializer_list<int64_t> widths) {
  Chain b;
  std::vector<ValueId> outs;
  for (int64_t width : widths) {
    Shape shape{8, width};
    ValueId x = b.input(Dtype::f32, shape), bias = b.input(Dtype::f32, {width});
    ValueId sum = b.op(OpCode::add, {x, b.broadcast(bias, shape)});
    outs.push_back(b.op(OpCode::multiply, {sum, b.full(shape, static_cast<double>(width))}));
  }
  TraceRef trace = b.finish(outs);
  const uint64_t launched = check(*trace).kernels;
  return {launched, context().kernels};
}

TEST(Compile, EqualKernelsAreOne) { EXPECT_EQ(kernelsOfRows({16, 17, 100, 784}), std::pair(4ul, 1ul)); }

TEST(Compile, KernelsOfShortRowsServeOneLength) { EXPECT_EQ(kernelsOfRows({3, 3, 2, 15}), std::pair(4ul, 3ul)); }

TEST(Compile, KernelsWithOtherNumbersInTheirCodeAreOthers) {
  Chain b;
  Shape shape{9};
  std::vector<ValueId> outs;
  for (double number : {0.0, 1.0})
    outs.push_back(b.op(OpCode::maximum, {b.input(Dtype::f32, shape), b.full(shape, number)}));
  TraceRef trace = b.finish(outs);
  EXPECT_EQ(check(*trace).kernels, 2u);
  EXPECT_EQ(context().kernels, 2u);
}

TEST(Compile, AKernelHasAtMostSoManyOpsAndInputs) {
  for (unsigned more : {0, 1}) {
    Chain ops;
    ValueId x = ops.input(Dtype::f32, {5}), y = x;
    for (unsigned i = 0; i < cpuCosts.maxOps + more; ++i)
      y = ops.op(OpCode::add, {y, x});
    TraceRef trace = ops.finish({y});
    EXPECT_EQ(check(*trace).kernels, 1u + more);

    Chain inputs;
    ValueId sum = inputs.input(Dtype::f32, {5});
    for (unsigned i = 1; i < cpuCosts.maxInputs + more; ++i)
      sum = inputs.op(OpCode::add, {sum, inputs.input(Dtype::f32, {5})});
    trace = inputs.finish({sum});
    EXPECT_EQ(check(*trace).kernels, 1u + more);
  }
}

// What its chunks are cut by: numbers and repetitions cost nothing.
TEST(Compile, AKernelCostsWhatItsOpsDo) {
  Chain b;
  Shape shape{4, 8};
  ValueId x = b.op(OpCode::tanh, {b.input(Dtype::f32, shape)});
  ValueId y = b.op(OpCode::exp, {b.broadcast(b.input(Dtype::f32, {8}), shape)});
  TraceRef trace = b.finish({b.op(OpCode::divide, {x, b.op(OpCode::maximum, {y, b.full(shape, 1)})})});
  Compiled compiled(*trace);
  ASSERT_EQ(compiled.program->schedule().kernels.size(), 1u);
  unsigned cost = 0;
  for (OpCode code : {OpCode::tanh, OpCode::exp, OpCode::maximum, OpCode::divide})
    cost += opInfo(code).cost;
  EXPECT_EQ(compiled.program->schedule().kernels[0].costPerElement, cost);
}

// Of two rows that are kept between the walks of a kernel one lies in the result's
// place, the other in scratch, which is as long as its elements are.
TEST(Compile, ScratchHoldsComplexNumbers) {
  auto scratch = [](Dtype dtype) {
    Chain b;
    const Shape shape{9, 100};
    const ValueId x = b.input(dtype, shape);
    auto quotient = [&](double number) {
      const ValueId square = b.op(OpCode::multiply, {x, x});
      return b.op(OpCode::divide, {x, b.op(OpCode::add, {square, b.full(shape, number, dtype)})});
    };
    const ValueId left = quotient(1), right = quotient(2);
    const ValueId differ = b.op(OpCode::astype, {b.op(OpCode::not_equal, {left, right})}, AstypeAttrs{Dtype::f32});
    const ValueId most = b.op(OpCode::astype, {b.reduce(OpCode::max, differ, {1}, true)}, AstypeAttrs{dtype});
    const ValueId sum = b.op(OpCode::add, {left, b.broadcast(most, shape)});
    Compiled compiled(*b.finish({b.op(OpCode::multiply, {sum, right})}));
    EXPECT_EQ(compiled.program->schedule().kernels.size(), 1u);
    return compiled.program->schedule().kernels[0].scratchPerItem;
  };
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::c64, Dtype::c128})
    EXPECT_EQ(scratch(dtype), item_size(dtype)) << short_name(dtype);
}

// A row of 4 doubles and 32 bools are as many bytes, but each row of bools is made
// from the same doubles.
TEST(Compile, ARepeatedRowIsNotOverwritten) {
  Chain b;
  Shape shape{8, 4};
  ValueId x = b.input(Dtype::f64, shape), row = b.op(OpCode::exp, {b.input(Dtype::f64, {4})});
  ValueId isBelow = b.op(OpCode::less_equal, {x, b.broadcast(row, shape)});
  TraceRef trace = b.finish({b.reduce(OpCode::sum, isBelow, {0})});
  const std::vector<double> halves(32, 0.5), zeros(4);
  const std::vector<Array> inputs{Array(std::span<const double>(halves), shape),
                                  Array(std::span<const double>(zeros), {4})};
  rt::RunStatistics ran = Compiled(*trace).check(*trace, inputs);
  EXPECT_EQ(ran.kernels, 2u);
  EXPECT_EQ(ran.librarySteps, 1u);
}

// y reads x both fused and through a matmul: grouping must not make a cycle.
TEST(Compile, NoCycleThroughALibraryStep) {
  Chain b;
  Shape shape{8, 8};
  ValueId x = b.input(Dtype::f32, shape);
  ValueId a = b.op(OpCode::exp, {x});
  ValueId product = b.op(OpCode::dot_general, {a, x}, matrixProduct());
  ValueId sum = b.op(OpCode::add, {a, product});
  ValueId back = b.op(OpCode::add, {b.op(OpCode::negative, {a}), sum});
  TraceRef trace = b.finish({b.op(OpCode::dot_general, {back, a}, matrixProduct()), sum});
  rt::RunStatistics ran = check(*trace);
  EXPECT_EQ(ran.librarySteps, 2u);
}

// The sum over rows is read along the other axis.
TEST(Compile, AMembersValueAlongAnotherAxisIsAnotherKernel) {
  Chain b;
  Shape shape{6, 6};
  ValueId x = b.input(Dtype::f32, shape);
  ValueId sum = b.reduce(OpCode::sum, x, {1});
  TraceRef trace = b.finish({b.op(OpCode::divide, {x, b.broadcast(sum, shape)})});
  EXPECT_EQ(check(*trace).kernels, 2u);
}

TEST(Compile, EverySampleRunsAsInterpreted) {
  for (const OpInfo &info : allOps())
    for (Dim n : {Dim(6), Dim("n")}) {
      // A print has no result to compare, the sample of a loop no end on these inputs, the host no such function.
      const auto code = static_cast<OpCode>(info.code);
      if (code == OpCode::print || code == OpCode::while_loop || code == OpCode::host_call)
        continue;
      for (Sample &sample : samplesOf(info, n)) {
        SCOPED_TRACE(sample.name + "[" + n.str() + "]\n" + sample.trace->str());
        // A symbol needs an input that has it as a size.
        bool isBound = n.is_static();
        for (ValueId input : sample.trace->inputs())
          for (Dim dim : sample.trace->type(input).shape)
            isBound |= dim.raw() == n.raw();
        if (!isBound)
          continue;
        check(*sample.trace, 6);
      }
    }
}

// A call used once or of a small body is fused with what is around it; a large one
// used again is a function, whose kernels are there once.
TEST(Compile, CallsArePutInTheirPlaces) {
  const Shape shape{4, 9};
  auto body = [&](int ops, double factor) {
    Chain b;
    ValueId x = b.input(Dtype::f32, shape), y = b.broadcast(b.input(Dtype::f32, {}), shape);
    x = b.op(OpCode::multiply, {b.op(OpCode::divide, {x, y}), b.full(shape, factor)});
    for (int i = 4; i < ops; ++i) // broadcast_to, divide, full, multiply
      x = b.op(i % 2 ? OpCode::tanh : OpCode::exp, {x});
    return b.finish({x});
  };
  auto program = [&](std::vector<TraceRef> bodies) {
    Chain b;
    ValueId x = b.op(OpCode::abs, {b.input(Dtype::f32, shape)}), number = b.full({}, 3.5);
    for (const TraceRef &called : bodies)
      x = b.op(OpCode::call, {x, number}, std::vector<TraceRef>{called});
    return b.finish({b.op(OpCode::negative, {x})});
  };
  for (const char *features : levels) {
    // Once, and large; three times, and small; large ones that differ in a number.
    for (auto bodies : {std::vector{body(12, 2)}, std::vector(3, body(8, 2)), {body(12, 2), body(12, 3)}}) {
      rt::RunStatistics ran = check(*program(bodies), 7, features);
      EXPECT_EQ(ran.kernels, 1u);
      EXPECT_EQ(ran.librarySteps + ran.copies, 0u);
    }
    // abs, two calls, negative.
    rt::RunStatistics ran = check(*program(std::vector(2, body(9, 2))), 7, features);
    EXPECT_EQ(ran.kernels, 4u);
    EXPECT_EQ(context().kernels, 3u);
  }
}

TEST(Compile, LoopsRunTheirBodiesKernels) {
  Builder cond, body;
  ValueId limit = cond.input(Dtype::i32, {}), i = cond.input(Dtype::i32, {});
  cond.input(Dtype::f32, {5});
  TraceRef condition = cond.finish({cond.op(OpCode::less_equal, {i, limit})});
  ValueId one = body.input(Dtype::i32, {}), j = body.input(Dtype::i32, {}), x = body.input(Dtype::f32, {5});
  ValueId next = body.op(OpCode::add, {j, one});
  TraceRef step = body.finish({next, body.op(OpCode::tanh, {body.op(OpCode::add, {x, x})})});
  Builder b;
  ValueId bound = b.input(Dtype::i32, {}), by = b.input(Dtype::i32, {}), from = b.input(Dtype::i32, {}),
          y = b.input(Dtype::f32, {5});
  std::vector<ValueId> outs = b.ops(OpCode::while_loop, {bound, by, from, y}, WhileLoopAttrs{1, 1}, {condition, step});
  TraceRef trace = b.finish(outs);
  std::mt19937_64 rng(3);
  std::vector<Array> inputs{Array(10, Dtype::i32), Array(3, Dtype::i32), Array(0, Dtype::i32),
                            randomArray(rng, Dtype::f32, {5})};
  EXPECT_GE(Compiled(*trace).check(*trace, inputs).kernels, 4u);
}

// Linear: as many ops again take about as long again.
TEST(Compile, ManyOpsAreGroupedAndRun) {
  for (int layers : {10, 100}) {
    Chain b;
    Shape shape{4, 8};
    ValueId x = b.input(Dtype::f32, shape), w = b.input(Dtype::f32, {8, 8}), bias = b.input(Dtype::f32, {8});
    for (int i = 0; i < layers; ++i) {
      ValueId sum = b.op(OpCode::add, {b.op(OpCode::dot_general, {x, w}, matrixProduct()), b.broadcast(bias, shape)});
      x = b.op(OpCode::add, {b.op(OpCode::tanh, {sum}), b.op(OpCode::multiply, {x, b.full(shape, 1.0 / (i + 2))})});
    }
    TraceRef trace = b.finish({x});
    rt::RunStatistics ran = check(*trace);
    EXPECT_EQ(ran.kernels, static_cast<uint64_t>(layers));
    // One for all: x times a number is made where it is added.
    EXPECT_EQ(context().kernels, 1u);
  }
}

// For x86-64-v3 a blob is the same, byte by byte, whatever was compiled before it;
// see blob/Linker.h for v4.
TEST(Compile, KernelsOfEarlierProgramsAreCompiledOnce) {
  constexpr OpCode unary[] = {OpCode::tanh, OpCode::exp, OpCode::log, OpCode::cbrt, OpCode::sqrt, OpCode::abs};
  // Library steps between, so that each op is a kernel of its own.
  auto program = [&](std::span<const OpCode> ops, const Shape &shape) {
    Chain b;
    ValueId x = b.input(Dtype::f32, shape);
    for (OpCode op : ops)
      x = b.op(OpCode::dot_general, {b.op(op, {x}), b.op(OpCode::abs, {x})}, matrixProduct());
    return b.finish({x});
  };
  TraceRef all = program(unary, {5, 5});
  const OpCode some[] = {OpCode::cbrt, OpCode::log}, others[] = {OpCode::cbrt, OpCode::negative};
  TraceRef known = program(some, {7, 7}), mixed = program(others, {3, 3});

  for (const char *features : levels) {
    context().renew();
    std::string knownAlone = compile(*known, "blob", features);
    context().renew();
    std::string mixedAlone = compile(*mixed, "blob", features);
    context().renew();
    compile(*all, "blob", features);
    EXPECT_EQ(context().newKernels, context().kernels);
    std::string knownAfter = compile(*known, "blob", features);
    EXPECT_EQ(context().kernels, 3u);
    EXPECT_EQ(context().newKernels, 0u);
    std::string mixedAfter = compile(*mixed, "blob", features);
    EXPECT_EQ(context().newKernels, 1u);
    if (features) {
      EXPECT_TRUE(knownAfter == knownAlone);
      EXPECT_TRUE(mixedAfter == mixedAlone);
    }
  }
  check(*known);
  check(*mixed);
}

TEST(Compile, EveryStageIsText) {
  Chain b;
  Shape shape{4, 8};
  ValueId x = b.input(Dtype::f32, shape);
  TraceRef trace = b.finish({softmax(b, x, shape, 4)});
  EXPECT_THAT(compile(*trace, "trace"), HasSubstr("TNSAVED"));
  EXPECT_THAT(compile(*trace, "tenon"), HasSubstr("tenon.exp"));
  EXPECT_THAT(compile(*trace, "grouped"), HasSubstr("tenon.kernel"));
  EXPECT_THAT(compile(*trace, "grouped"), HasSubstr("sample.cpp"));
  EXPECT_THAT(compile(*trace, "linalg"), HasSubstr("linalg.generic"));
  const std::string wide = rt::featureNames(rt::kFeaturesV4, "+", ","); // whatever this machine has
  EXPECT_THAT(compile(*trace, "vector", wide.c_str()), HasSubstr("vector<16xf32>"));
  EXPECT_THAT(compile(*trace, "llvm", wide.c_str()), HasSubstr("define i32 @"));
  EXPECT_THAT(compile(*trace, "asm", wide.c_str()), HasSubstr("zmm"));
}

TEST(Compile, EachLevelIsCompiledForItself) {
  Chain b;
  Shape shape{4, 8};
  TraceRef trace = b.finish({softmax(b, b.input(Dtype::f32, shape), shape, 4)});
  const std::string wide = rt::featureNames(rt::kFeaturesV4, "+", ",");
  context().renew();
  EXPECT_THAT(compile(*trace, "asm", wide.c_str()), HasSubstr("zmm"));
  EXPECT_THAT(compile(*trace, "asm", levels[1]), testing::Not(HasSubstr("zmm")));
  EXPECT_THAT(compile(*trace, "asm", wide.c_str()), HasSubstr("zmm"));
}

TEST(Compile, ElementwiseKernelsArePtx) {
  Chain b;
  Shape shape{33, 19};
  ValueId x = b.input(Dtype::f32, shape), bias = b.input(Dtype::f32, {19});
  ValueId sum = b.op(OpCode::add, {b.op(OpCode::multiply, {x, x}), b.broadcast(bias, shape)});
  TraceRef trace = b.finish({b.op(OpCode::divide, {b.op(OpCode::tanh, {sum}), b.full(shape, 3)})});
  std::string ptx = compile(*trace, "ptx");
  EXPECT_THAT(ptx, HasSubstr(".target sm_90"));
  EXPECT_THAT(ptx, HasSubstr(".entry "));
  EXPECT_THAT(ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("div.rn.f32"));
  EXPECT_THAT(ptx, testing::Not(HasSubstr(".approx")));
}

//===- TraceSamples.h - traces of every op, for tests ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Trace.h"
#include "test/unit/Products.h"

#include <tenon/error.h>

#include <cmath>
#include <limits>

namespace tenon::samples {

/// Appends ops to a body. The shape rules give the result types.
class Builder {
public:
  ValueId input(Dtype dtype, Shape shape) {
    body.types.push_back({dtype, Device::cpu, shape});
    body.inputs.push_back(static_cast<ValueId>(body.types.size() - 1));
    return body.inputs.back();
  }
  template <class Attrs>
  std::vector<ValueId> ops(OpCode code, std::vector<ValueId> operands, const Attrs &attrs,
                           std::vector<TraceRef> regions = {}) {
    AttrWriter words;
    attrs.write(words);
    return add(code, operands, words.words(), std::move(regions));
  }
  std::vector<ValueId> ops(OpCode code, std::vector<ValueId> operands, std::vector<TraceRef> regions = {}) {
    return add(code, operands, {}, std::move(regions));
  }
  template <class... Rest>
  ValueId op(OpCode code, std::vector<ValueId> operands, Rest &&...rest) {
    return ops(code, std::move(operands), std::forward<Rest>(rest)...).at(0);
  }
  TraceRef finish(std::vector<ValueId> outputs) {
    body.outputs = std::move(outputs);
    return Trace::make(std::move(body));
  }
  TraceBody body;

private:
  std::vector<ValueId> add(OpCode code, const std::vector<ValueId> &operands, AttrWords words,
                           std::vector<TraceRef> regions) {
    std::vector<Type> operandTypes, results;
    for (ValueId operand : operands)
      operandTypes.push_back(body.types[operand]);
    std::vector<RegionType> regionTypes;
    for (const TraceRef &region : regions)
      regionTypes.push_back(region->regionType());
    if (std::string error = inferTypes({opInfo(code), operandTypes, words, regionTypes}, results); !error.empty())
      throw Error(error);
    TraceOp op{};
    op.code = code;
    op.firstResult = static_cast<ValueId>(body.types.size());
    op.results = static_cast<uint32_t>(results.size());
    auto append = [](auto &to, const auto &from, uint32_t &begin, uint32_t &count) {
      begin = static_cast<uint32_t>(to.size());
      count = static_cast<uint32_t>(from.size());
      to.insert(to.end(), from.begin(), from.end());
    };
    append(body.operands, operands, op.operands, op.operandCount);
    append(body.attributes, words, op.attributes, op.attributeCount);
    append(body.regions, regions, op.regions, op.regionCount);
    std::vector<ValueId> values;
    for (const Type &type : results) {
      values.push_back(static_cast<ValueId>(body.types.size()));
      body.types.push_back(type);
    }
    body.opLocations.push_back(static_cast<uint32_t>(body.ops.size()));
    body.locations.push_back({"sample.cpp", static_cast<uint32_t>(body.ops.size() + 1), 7, scopes()});
    body.ops.push_back(op);
    return values;
  }
  /// None, one and two names around an op.
  std::vector<std::string> scopes() const {
    if (body.ops.size() % 3 == 0)
      return {};
    return body.ops.size() % 3 == 1 ? std::vector<std::string>{"relu"} : std::vector<std::string>{"relu", "Net"};
  }
};

inline ScalarAttr number(double value) { return ScalarAttr::floating(value); }
inline ScalarAttr number(int64_t value) { return ScalarAttr::integer(value); }
inline ScalarAttr number(uint64_t value) { return ScalarAttr::integer(value); }
inline ScalarAttr number(complex128_t value) { return ScalarAttr::complex(value); }

struct Sample {
  std::string name;
  TraceRef trace;
};

/// One or more traces of an op, with the size n: 6, or a symbol. Throws for an op without a sample, so that each new op
/// needs one.
inline std::vector<Sample> samplesOf(const OpInfo &info, Dim n) {
  std::vector<Sample> made;
  auto code = static_cast<OpCode>(info.code);
  auto add = [&](Builder &builder, std::vector<ValueId> outputs) {
    builder.body.name = std::string("sample of ") + info.name;
    made.push_back({std::string(info.name) + std::to_string(made.size()), builder.finish(std::move(outputs))});
  };
  // Every dtype of the record, on operands of one type.
  auto uniform = [&](auto &&build) {
    for (int dtype = 0; dtype < dtype_count; ++dtype)
      if (contains(info.dtypes, static_cast<Dtype>(dtype))) {
        Builder b;
        add(b, build(b, static_cast<Dtype>(dtype)));
      }
  };
  /// exp, as a region of one argument.
  auto unary = [&](Dtype dtype, Shape shape) {
    Builder b;
    ValueId x = b.input(dtype, shape);
    return b.finish({b.op(OpCode::negative, {x})});
  };
  switch (code) {
  case OpCode::where:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      ValueId c = b.input(Dtype::bool_, {n, 3}), x = b.input(dtype, {n, 3});
      return {b.op(code, {c, x, b.input(dtype, {n, 3})})};
    });
    break;
  case OpCode::astype:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      return {b.op(code, {b.input(dtype, {n, 3})}, AstypeAttrs{Dtype::c64})};
    });
    break;
  case OpCode::sum:
  case OpCode::max:
  case OpCode::min:
  case OpCode::prod:
  case OpCode::any:
  case OpCode::all:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      static constexpr int64_t axes[] = {0, 2};
      return {b.op(code, {b.input(dtype, {n, 3, 4})}, SumAttrs{axes, dtype == Dtype::i32})};
    });
    break;
  case OpCode::argmax:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      return {b.op(code, {b.input(dtype, {n, 3})}, ArgmaxAttrs{1, false})};
    });
    break;
  case OpCode::reshape:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim shape[] = {4, n * 3};
      return {b.op(code, {b.input(dtype, {n, 12})}, ReshapeAttrs{shape})};
    });
    break;
  case OpCode::broadcast_to:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim shape[] = {n + 1, 2, n * n};
      return {b.op(code, {b.input(dtype, {2, 1})}, BroadcastToAttrs{shape})};
    });
    break;
  case OpCode::transpose:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      static constexpr int64_t permutation[] = {2, 0, 1};
      return {b.op(code, {b.input(dtype, {n, 3, 4})}, TransposeAttrs{permutation})};
    });
    break;
  case OpCode::slice:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim starts[] = {n - 1, 1, 8}, stops[] = {n * 2, 5, -1};
      static constexpr int64_t steps[] = {2, 1, -3};
      return {b.op(code, {b.input(dtype, {n * 3, 6, 9})}, SliceAttrs{starts, stops, steps})};
    });
    break;
  case OpCode::pad:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim low[] = {n, 0}, high[] = {1, n * 2};
      static constexpr int64_t interior[] = {0, 2};
      ValueId x = b.input(dtype, {n, 3});
      return {b.op(code, {x, b.input(dtype, {})}, PadAttrs{low, high, interior})};
    });
    break;
  case OpCode::concatenate:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      ValueId x = b.input(dtype, {2, n}), y = b.input(dtype, {2, 3});
      return {b.op(code, {x, y, x}, ConcatenateAttrs{1})};
    });
    break;
  case OpCode::split:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim sizes[] = {n, 3, n * 2};
      return b.ops(code, {b.input(dtype, {2, n * 3 + 3})}, SplitAttrs{sizes, 1});
    });
    break;
  case OpCode::sort_keys:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      ValueId key = b.input(Dtype::i32, {n, 3}), x = b.input(dtype, {n, 3});
      return b.ops(code, {key, x, x}, SortKeysAttrs{0, 1, true});
    });
    break;
  case OpCode::argsort:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      return {b.op(code, {b.input(dtype, {n, 3})}, ArgsortAttrs{1, false})};
    });
    break;
  case OpCode::flatnonzero:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim size[] = {n + 1};
      return {b.op(code, {b.input(dtype, {2, n})}, FlatnonzeroAttrs{size, -1, 1})};
    });
    break;
  case OpCode::cumulative_sum:
  case OpCode::cumulative_prod:
  case OpCode::cumulative_max:
  case OpCode::cumulative_min:
  case OpCode::cumulative_logsumexp:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      return {b.op(code, {b.input(dtype, {n, 3})}, CumulativeSumAttrs{0})};
    });
    break;
  case OpCode::linear_recurrence:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      ValueId factors = b.input(dtype, {n, 3});
      return {b.op(code, {factors, b.input(dtype, {n, 3})}, LinearRecurrenceAttrs{0})};
    });
    break;
  case OpCode::gather:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim sizes[] = {1, n, 2};
      static constexpr int64_t offset[] = {1, 2}, collapsed[] = {0}, map[] = {2, 0};
      const ScalarAttr fill = kind(dtype) == Kind::boolean ? ScalarAttr::boolean(true) : number(int64_t(7));
      ValueId x = b.input(dtype, {4, n * 2, 5}), i = b.input(Dtype::i32, {n, 2});
      return {b.op(code, {x, i}, GatherAttrs{sizes, offset, collapsed, map, {}, {}, "drop", fill}),
              b.op(code, {x, i}, GatherAttrs{sizes, offset, collapsed, map, {}, {}, "clip", fill})};
    });
    break;
  case OpCode::scatter:
  case OpCode::scatter_add:
  case OpCode::scatter_mul:
  case OpCode::scatter_min:
  case OpCode::scatter_max:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      static constexpr int64_t window[] = {2}, inserted[] = {1}, map[] = {1}, batching[] = {0}, indices[] = {1};
      ValueId x = b.input(dtype, {n, 7, 3}), i = b.input(Dtype::i64, {2, n, 1}), u = b.input(dtype, {2, n, 3});
      return {b.op(code, {x, i, u}, ScatterAttrs{window, inserted, map, batching, indices, "drop"})};
    });
    break;
  case OpCode::dynamic_slice:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim sizes[] = {n, 2};
      ValueId x = b.input(dtype, {n * 2, 3}), i = b.input(Dtype::i64, {});
      return {b.op(code, {x, i, i}, DynamicSliceAttrs{sizes})};
    });
    break;
  case OpCode::dynamic_update_slice:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      ValueId x = b.input(dtype, {n * 2, 3}), u = b.input(dtype, {n, 2}), i = b.input(Dtype::i32, {});
      return {b.op(code, {x, u, i, b.input(Dtype::i32, {})})};
    });
    break;
  case OpCode::full:
    for (ScalarAttr value : {number(0.1), number(-0.0), number(std::numeric_limits<double>::infinity()),
                             number(std::nan("7")), number(int64_t(-3)), number(INT64_MIN), number(UINT64_MAX),
                             ScalarAttr::boolean(true), number(complex128_t{-0.0, 2.5})}) {
      Builder b;
      Dim shape[] = {n, 2};
      add(b, {b.op(code, {}, FullAttrs{shape, value, value.kind == Kind::complex ? Dtype::c64 : Dtype::f64, {}})});
    }
    break;
  case OpCode::arange:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim length[] = {n};
      return {b.op(code, {}, ArangeAttrs{length, number(int64_t(3)), number(0.5), dtype, {}})};
    });
    break;
  case OpCode::dimension:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      return {b.op(code, {b.input(dtype, {2, n})}, DimensionAttrs{1})};
    });
    break;
  case OpCode::bits:
    for (int64_t words : {1, 2}) {
      Builder b;
      Dim shape[] = {n, 4};
      add(b, {b.op(code, {b.input(Dtype::u32, {n, 2})}, BitsAttrs{shape, words, {}})});
    }
    break;
  case OpCode::dot_general:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      const bool isNarrowInteger = kind(dtype) <= Kind::integer && item_size(dtype) < 4;
      const Dtype sums = isNarrowInteger ? Dtype::i32 : is_storage(dtype) ? Dtype::f32 : dtype;
      ValueId x = b.input(dtype, {n, 3, 4});
      return {b.op(code, {x, b.input(dtype, {n, 4, 5})}, matrixProduct(sums, 3))};
    });
    break;
  case OpCode::convolution:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      static constexpr int64_t two[] = {2}, one[] = {1}, none[] = {0};
      ValueId x = b.input(dtype, {n, 5, 1, 3});
      return {b.op(code, {x, b.input(dtype, {2, 3, 1, 4})}, ConvolutionAttrs{two, one, none, one, two, dtype})};
    });
    break;
  case OpCode::window_sum:
  case OpCode::window_max:
  case OpCode::window_min:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      static constexpr int64_t window[] = {1, 2}, ones[] = {1, 1}, low[] = {0, 1}, high[] = {0, 0};
      return {b.op(code, {b.input(dtype, {n, 5})}, WindowSumAttrs{window, window, low, high, ones, ones})};
    });
    break;
  case OpCode::window_argmax:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      static constexpr int64_t window[] = {1, 3}, ones[] = {1, 1}, none[] = {0, 0};
      return {b.op(code, {b.input(dtype, {n, 5})}, WindowArgmaxAttrs{window, ones, none, none, ones, ones, true, 1})};
    });
    break;
  case OpCode::dft:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      Dim length[] = {n};
      if (kind(dtype) == Kind::floating)
        return {b.op(code, {b.input(dtype, {3, n})}, DftAttrs{1, "rfft", "one", {}})};
      return {b.op(code, {b.input(dtype, {floor_div(n, 2) + 1, 2})}, DftAttrs{0, "irfft", "n", length})};
    });
    break;
  case OpCode::triangular_solve:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      ValueId a = b.input(dtype, {n, 3, 3});
      return {b.op(code, {a, b.input(dtype, {n, 3, 2})}, TriangularSolveAttrs{true, false, false})};
    });
    break;
  case OpCode::pivots_to_permutation:
    uniform([&](Builder &b, Dtype) -> std::vector<ValueId> {
      // Pivots of a matrix: others may be out of range.
      return {b.op(code, {b.ops(OpCode::lu_factor, {b.input(Dtype::f32, {n, 3, 3})}).at(1)})};
    });
    break;
  case OpCode::qr:
    uniform([&](Builder &b, Dtype dtype) { return b.ops(code, {b.input(dtype, {n, 4, 3})}, QrAttrs{true}); });
    break;
  case OpCode::svd:
    uniform([&](Builder &b, Dtype dtype) { return b.ops(code, {b.input(dtype, {n, 4, 3})}, SvdAttrs{false}); });
    break;
  case OpCode::cholesky:
  case OpCode::lu_factor:
  case OpCode::eigh:
  case OpCode::eigvalsh:
  case OpCode::svdvals:
  case OpCode::eig:
  case OpCode::eigvals:
  case OpCode::expm:
  case OpCode::sqrtm:
    uniform([&](Builder &b, Dtype dtype) { return b.ops(code, {b.input(dtype, {n, 3, 3})}); });
    break;
  case OpCode::tridiagonal_solve:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      ValueId lower = b.input(dtype, {n, 4}), middle = b.input(dtype, {n, 4}), upper = b.input(dtype, {n, 4});
      return {b.op(code, {lower, middle, upper, b.input(dtype, {n, 4, 2})})};
    });
    break;
  case OpCode::optimization_barrier:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      ValueId x = b.input(dtype, {n});
      return b.ops(code, {x, b.input(Dtype::f32, {2})});
    });
    break;
  case OpCode::stop_gradient:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> { return {b.op(code, {b.input(dtype, {n, 3})})}; });
    break;
  case OpCode::checkpoint_name:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      return {b.op(code, {b.input(dtype, {n, 3})}, CheckpointNameAttrs{"block-1.out"})};
    });
    break;
  case OpCode::guard:
    for (auto [dtype, one] : {std::pair(Dtype::bool_, 1), {Dtype::i8, 1}, {Dtype::f32, 0x3f800000}, {Dtype::i64, 1}}) {
      Builder b;
      ValueId x = b.input(Dtype::i32, {}), same = b.op(OpCode::equal, {x, x});
      b.ops(code, {b.op(OpCode::astype, {same}, AstypeAttrs{dtype})}, GuardAttrs{one});
      add(b, {x});
    }
    break;
  case OpCode::print:
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      ValueId x = b.input(dtype, {n});
      b.ops(code, {x, x}, PrintAttrs{"x = {} {}\n\"and\\ a tail"});
      b.ops(code, {}, PrintAttrs{""});
      return {x};
    });
    break;
  case OpCode::check:
    for (int64_t examples : {0, 1}) {
      Builder b;
      ValueId x = b.input(Dtype::i32, {n}), holds = b.op(OpCode::equal, {x, x});
      b.ops(code, {holds, x}, CheckAttrs{examples ? "x = {:>4} \"" : "x = {}", examples});
      add(b, {x});
    }
    break;
  case OpCode::host_call: {
    Builder b;
    ValueId x = b.input(Dtype::f32, {n, 3});
    const int64_t ranks[] = {2, 0};
    const Dim sizes[] = {n, 2};
    add(b, b.ops(code, {x, x}, HostCallAttrs{7, true, "f32 i64", ranks, sizes, Device::cpu}));
    Builder none;
    ValueId y = none.input(Dtype::i8, {n});
    none.ops(code, {}, HostCallAttrs{7, false, "", {}, {}, Device::cpu});
    add(none, {y});
    break;
  }
  case OpCode::call: {
    Builder body, b;
    body.body.name = "f of \"x\"";
    TraceRef called = body.finish({body.op(OpCode::exp, {body.input(Dtype::f32, {n, 3})})});
    add(b, {b.op(code, {b.input(Dtype::f32, {n, 3})}, std::vector<TraceRef>{called})});
    break;
  }
  case OpCode::cond: {
    Builder b;
    ValueId p = b.input(Dtype::bool_, {}), x = b.input(Dtype::f32, {n, 3});
    TraceRef branch = unary(Dtype::f32, {n, 3});
    add(b, {b.op(code, {p, x}, std::vector<TraceRef>{branch, branch})});
    break;
  }
  case OpCode::switch_case: {
    Builder b;
    ValueId i = b.input(Dtype::i64, {}), x = b.input(Dtype::f32, {n, 3});
    std::vector<TraceRef> branches(3, unary(Dtype::f32, {n, 3}));
    Builder same;
    branches[1] = same.finish({same.input(Dtype::f32, {n, 3})});
    add(b, {b.op(code, {i, x}, branches)});
    break;
  }
  case OpCode::scan: {
    Builder body;
    ValueId scale = body.input(Dtype::f32, {4}), carry = body.input(Dtype::f32, {4}), x = body.input(Dtype::f32, {4});
    ValueId next = body.op(OpCode::add, {body.op(OpCode::multiply, {carry, scale}), x});
    TraceRef region = body.finish({next, body.op(OpCode::exp, {next}), x});
    Builder b;
    Dim length[] = {n};
    std::vector<ValueId> operands = {b.input(Dtype::f32, {4}), b.input(Dtype::f32, {4}), b.input(Dtype::f32, {n, 4})};
    add(b, b.ops(code, operands, ScanAttrs{length, 1, 1, true}, {region}));
    break;
  }
  case OpCode::while_loop: {
    Builder cond;
    ValueId limit = cond.input(Dtype::i32, {}), i = cond.input(Dtype::i32, {});
    cond.input(Dtype::f32, {n});
    TraceRef condition = cond.finish({cond.op(OpCode::less_equal, {i, limit})});
    Builder body;
    ValueId step = body.input(Dtype::f32, {n}), j = body.input(Dtype::i32, {}), x = body.input(Dtype::f32, {n});
    ValueId sum = body.op(OpCode::add, {x, step});
    TraceRef round = body.finish({body.op(OpCode::add, {j, j}), sum});
    Builder b;
    ValueId l = b.input(Dtype::i32, {}), s = b.input(Dtype::f32, {n}), k = b.input(Dtype::i32, {});
    add(b, b.ops(code, {l, s, k, b.input(Dtype::f32, {n})}, WhileLoopAttrs{1, 1}, {condition, round}));
    break;
  }
  case OpCode::checkpoint: {
    Builder body, b;
    body.body.name = "block";
    TraceRef region = body.finish({body.op(OpCode::exp, {body.input(Dtype::f32, {n, 3})})});
    ValueId x = b.input(Dtype::f32, {n, 3});
    add(b, b.ops(code, {x}, CheckpointAttrs{true, "a,block-1.out"}, {region}));
    break;
  }
  case OpCode::custom_jvp: {
    // c x and a count; the tangent is c dx, but for another number.
    Builder body, jvp, b;
    ValueId c = body.input(Dtype::f32, {}), x = body.input(Dtype::f32, {n}), i = body.input(Dtype::i32, {});
    Dim wide[] = {n};
    TraceRef function =
        body.finish({body.op(OpCode::multiply, {x, body.op(OpCode::broadcast_to, {c}, BroadcastToAttrs{wide})}), i});
    jvp.input(Dtype::f32, {});
    jvp.input(Dtype::f32, {n});
    jvp.input(Dtype::i32, {});
    ValueId dx = jvp.input(Dtype::f32, {n});
    TraceRef rule = jvp.finish({jvp.op(OpCode::add, {dx, dx})});
    std::vector<ValueId> operands = {b.input(Dtype::f32, {}), b.input(Dtype::f32, {n}), b.input(Dtype::i32, {})};
    add(b, b.ops(code, operands, CustomJvpAttrs{1, 2}, {function, rule}));
    break;
  }
  case OpCode::custom_vjp: {
    // exp x, and y as it is; the cotangent of x is d times what forward has kept, y has none.
    Builder body, forward, backward, b;
    ValueId x = body.input(Dtype::f32, {n}), y = body.input(Dtype::i32, {2});
    body.body.name = "f";
    TraceRef function = body.finish({body.op(OpCode::exp, {x}), y});
    x = forward.input(Dtype::f32, {n}), y = forward.input(Dtype::i32, {2});
    ValueId e = forward.op(OpCode::exp, {x});
    TraceRef keeping = forward.finish({e, y, e});
    ValueId kept = backward.input(Dtype::f32, {n}), d = backward.input(Dtype::f32, {n});
    TraceRef rule = backward.finish({backward.op(OpCode::multiply, {d, kept})});
    static constexpr int64_t cotangents[] = {0};
    std::vector<ValueId> operands = {b.input(Dtype::f32, {n}), b.input(Dtype::i32, {2})};
    add(b, b.ops(code, operands, CustomVjpAttrs{0, 2, 1, cotangents}, {function, keeping, rule}));
    add(b, b.ops(code, operands, CustomVjpAttrs{0, 2, 1, cotangents}, {keeping, keeping, rule}));
    break;
  }
  case OpCode::composite: {
    // A registered name with its decomposition, and a user's.
    for (Dtype dtype : {Dtype::bf16, Dtype::f32, Dtype::f64}) {
      // Along the axis of n: it is 1 in no sample.
      static constexpr int64_t axes[] = {0};
      Dim wide[] = {n, 3};
      Builder body;
      ValueId x = body.input(dtype, {n, 3});
      ValueId largest =
          body.op(OpCode::broadcast_to, {body.op(OpCode::max, {x}, SumAttrs{axes, true})}, BroadcastToAttrs{wide});
      ValueId weights = body.op(OpCode::exp, {body.op(OpCode::subtract, {x, largest})});
      ValueId total = body.op(OpCode::broadcast_to, {body.op(OpCode::sum, {weights}, SumAttrs{axes, true})},
                              BroadcastToAttrs{wide});
      TraceRef decomposition = body.finish({body.op(OpCode::divide, {weights, total})});
      Builder b;
      add(b, {b.op(code, {b.input(dtype, {n, 3})}, CompositeAttrs{"softmax", axes}, std::vector{decomposition})});
    }
    Builder b;
    ValueId x = b.input(Dtype::f32, {n, 3});
    add(b, b.ops(code, {x}, CompositeAttrs{"user.my-op_2", {}}, {unary(Dtype::f32, {n, 3})}));
    break;
  }
  default:
    if (!info.isElementwise || !info.attributes.empty())
      throw Error(std::string(info.name) + ": no sample of this op");
    uniform([&](Builder &b, Dtype dtype) -> std::vector<ValueId> {
      std::vector<ValueId> operands;
      for (size_t i = 0; i < info.operands.size(); ++i)
        operands.push_back(b.input(dtype, {n, 3}));
      return {b.op(code, operands)};
    });
  }
  return made;
}

/// Samples of all ops, with a static and with symbolic sizes.
inline std::vector<Sample> allSamples() {
  std::vector<Sample> all;
  for (const OpInfo &info : allOps())
    for (Dim n : {Dim(6), Dim("batch"), Dim("rows") * 2 + Dim("batch")})
      for (Sample &sample : samplesOf(info, n))
        all.push_back({sample.name + "[" + n.str() + "]", std::move(sample.trace)});
  return all;
}

} // namespace tenon::samples

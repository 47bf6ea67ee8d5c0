//===- Symbolic.cpp - one program for all sizes -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Symbolic.h"
#include "test/conformance/BlobRunner.h"
#include "test/conformance/Columns.h"
#include "test/conformance/Reference.h"

#include <tenon/ops.h>
#include <tenon/statistics.h>
#include <tenon/transform.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace tenon::conformance {
namespace {

using List = const std::vector<Array> &;

/// An input whose dims are sizes, or -1 for the symbol.
struct SymbolicInput {
  Dtype dtype;
  Dims dims;
  Fill fill = Fill::normal;
};

struct SymbolicCase {
  std::string name;
  std::vector<SymbolicInput> inputs;
  Function function;
  /// False for the training step, which is a derivative already, and for loops.
  bool isForAll = true;
};

/// Softmax regression: the demo's step.
std::vector<Array> trainingStep(List x) {
  auto crossEntropy = [&](const Array &weights) {
    return -mean(sum(one_hot(x[2], 3) * log_softmax(matmul(x[1], weights)), 1));
  };
  auto [value, slope] = value_and_grad(crossEntropy)(x[0]);
  return {x[0] - 0.5f * slope, value};
}

const std::vector<SymbolicCase> &symbolicCases() {
  constexpr Dtype t = Dtype::f32;
  static const std::vector<SymbolicCase> *cases = new std::vector<SymbolicCase>{
      {"add", {{t, {-1, 3}}, {t, {3}}}, [](List x) { return std::vector{x[0] + x[1]}; }},
      {"exp", {{t, {3, -1}}}, [](List x) { return std::vector{exp(x[0])}; }},
      {"sum over the symbol", {{t, {3, -1}}}, [](List x) { return std::vector{sum(x[0], 1)}; }},
      {"sum over rows", {{t, {-1, 5}}}, [](List x) { return std::vector{sum(x[0], 0)}; }},
      {"sum of columns", {{t, {-1, 5}}}, [](List x) { return std::vector{sum(x[0], 1)}; }},
      {"mean", {{t, {3, -1}}}, [](List x) { return std::vector{mean(x[0])}; }},
      {"softmax", {{t, {-1, 7}}}, [](List x) { return std::vector{softmax(x[0])}; }},
      {"softmax over the symbol", {{t, {3, -1}}}, [](List x) { return std::vector{softmax(x[0])}; }},
      {"reshape", {{t, {-1, 6}}}, [](List x) { return std::vector{reshape(x[0], {x[0].dim(0) * 2, 3})}; }},
      {"broadcast_to",
       {{t, {3}}, {t, {-1, 1}}},
       [](List x) { return std::vector{broadcast_to(x[0], {x[1].dim(0), 3}) * x[1]}; }},
      {"matmul", {{t, {-1, 4}}, {t, {4, 3}}}, [](List x) { return std::vector{matmul(x[0], x[1])}; }},
      {"stft",
       {{t, {3, -1}}},
       [](List x) {
         const Array y = signal::stft(x[0], 4);
         return std::vector{real(y), imag(y)};
       }},
      {"istft", {{t, {3, -1}}}, [](List x) { return std::vector{signal::istft(x[0], 4)}; }},
      {"lfilter",
       {{t, {-1}}},
       [](List x) {
         const auto [y, zf] = signal::lfilter(full({2}, 0.5f), full({2}, 2.0f), x[0]);
         return std::vector{y, zf};
       }},
      {"lstm",
       {{t, {-1, 2, 3}}, {t, {1, 8, 3}}, {t, {1, 8, 2}}},
       [](List x) {
         const auto [Y, Y_h, Y_c] = lstm(x[0], x[1], x[2]);
         return std::vector{Y, Y_h, Y_c};
       },
       false}, // as plain C++, the derivatives of a loop have other last bits
      {"gru of batches",
       {{t, {3, -1, 3}}, {t, {1, 6, 3}}, {t, {1, 6, 2}}},
       [](List x) {
         const auto [Y, Y_h] = gru(x[0], x[1], x[2], {.direction = RecurrentDirection::reverse});
         return std::vector{Y, Y_h};
       },
       false},
      {"step", {{t, {8, 3}}, {t, {-1, 8}}, {Dtype::i32, {-1}, Fill::ties}}, trainingStep, false},
  };
  return *cases;
}

template <size_t>
using ArrayAt = Array;

/// A jitted function of one to three arguments, called with a list.
struct Whole {
  std::function<std::vector<Array>(List)> call;
  std::function<Lowered(List)> lower;
  std::function<JitStats()> stats;
};

template <size_t... i>
Whole makeWhole(Function function, JitOptions options, std::index_sequence<i...>) {
  auto jitted = jit([function](ArrayAt<i>... x) { return function({x...}); }, std::move(options));
  return {[jitted](List x) { return jitted(x[i]...); }, [jitted](List x) { return jitted.lower(x[i]...); },
          [jitted] { return jitted.stats(); }};
}

Whole makeWhole(Function function, JitOptions options, size_t arguments) {
  switch (arguments) {
  case 1:
    return makeWhole(std::move(function), std::move(options), std::make_index_sequence<1>());
  case 2:
    return makeWhole(std::move(function), std::move(options), std::make_index_sequence<2>());
  case 3:
    return makeWhole(std::move(function), std::move(options), std::make_index_sequence<3>());
  case 4:
    return makeWhole(std::move(function), std::move(options), std::make_index_sequence<4>());
  default:
    EXPECT_EQ(arguments, 5u) << "a case of more inputs";
    return makeWhole(std::move(function), std::move(options), std::make_index_sequence<5>());
  }
}

std::vector<Array> toArrays(const std::vector<HostData> &data) {
  std::vector<Array> out;
  for (const HostData &one : data)
    out.push_back(makeArray(one));
  return out;
}
std::vector<HostData> toHost(const std::vector<Array> &arrays) {
  std::vector<HostData> out;
  for (const Array &array : arrays)
    out.push_back(readArray(array));
  return out;
}

class SymbolicTest : public testing::Test {
public:
  SymbolicTest(const SymbolicCase &of, Column column, Mode mode) : of_(of), column_(column), mode_(mode) {}

  void TestBody() override {
    Compile compile = mode_ == Mode::interpreted ? Compile::never : Compile::now;
    std::vector<bool> mapped(of_.inputs.size(), isMapped());
    Function eagerly = columnFunction(of_.function, column_, mapped, {.compile = Compile::never});
    JitOptions options{.compile = compile};
    for (const SymbolicInput &input : of_.inputs)
      options.specs.push_back(TensorSpec{input.dtype, shape(input)});
    Whole whole =
        makeWhole(columnFunction(of_.function, column_, mapped, {.compile = compile}), options, of_.inputs.size());

    std::vector<int64_t> sizes{2, 5, 47};
    if (column_ == Column::f)
      sizes = {2, 47, 64, 5003};
    std::string blob = folder_ / "program.blob";
    if (mode_ == Mode::blob) {
      whole.lower(toArrays(inputs(2))).save_blob(blob);
      sizes = {3, 131}; // other sizes than the traced one
    }
    for (int64_t size : sizes) {
      std::vector<HostData> given = inputs(size), got;
      if (mode_ == Mode::blob) {
        Launches launches;
        got = runner().run(blob, given, launches);
        EXPECT_EQ(launches.interpretedPrograms + launches.eagerKernels, 0u);
      } else {
        Statistics before = statistics();
        got = toHost(whole.call(toArrays(given)));
        if (mode_ == Mode::compiled) {
          EXPECT_EQ(statistics().interpreted_programs - before.interpreted_programs, 0u);
        }
      }
      EagerScope plain;
      EXPECT_EQ(compareBits(got, toHost(eagerly(toArrays(given)))), "") << "at the size " << size;
    }
    if (mode_ != Mode::blob) {
      EXPECT_EQ(whole.stats().traces, 1u);
    }
    if (mode_ == Mode::compiled) {
      // A tape records the program of grad, which the cache may hold already.
      const bool isTape = column_ == Column::tape || column_ == Column::tapeJit;
      EXPECT_TRUE(whole.stats().compiles == 1 || isTape) << whole.stats().compiles << " compilations";
    }
  }

private:
  static BlobRunner &runner() {
    static BlobRunner *one = new BlobRunner;
    return *one;
  }
  bool isMapped() const {
    return column_ == Column::vmap || column_ == Column::vmapGrad || column_ == Column::vmapVmap;
  }

  Shape shape(const SymbolicInput &input) const {
    Shape out;
    if (isMapped())
      out.push_back(batch);
    for (int64_t dim : input.dims)
      out.push_back(dim < 0 ? Dim("n") : Dim(dim));
    return out;
  }

  std::vector<HostData> inputs(int64_t size) const {
    std::vector<HostData> out;
    for (size_t i = 0; i < of_.inputs.size(); ++i) {
      Input input{of_.inputs[i].dtype, {}, of_.inputs[i].fill};
      if (isMapped())
        input.dims.push_back(batch);
      for (int64_t dim : of_.inputs[i].dims)
        input.dims.push_back(dim < 0 ? size : dim);
      out.push_back(makeElements(of_.name, static_cast<int>(i), input));
    }
    return out;
  }

  SymbolicCase of_;
  Column column_;
  Mode mode_;
  TemporaryFolder folder_;
};

/// Functions that throw when they are traced with symbolic sizes, or whose cases mix symbols with fixed sizes, and a
/// part of the error's message.
struct Refusal {
  std::string_view op, words;
};
constexpr Refusal refusals[] = {
    {"adaptive_avg_pool1d", "expected a size that is a multiple of"},
    {"adaptive_avg_pool2d", "expected a size that is a multiple of"},
    {"adaptive_avg_pool3d", "expected a size that is a multiple of"},
    {"adaptive_max_pool1d", "expected a size that is a multiple of"},
    {"adaptive_max_pool2d", "expected a size that is a multiple of"},
    {"adaptive_max_pool3d", "expected a size that is a multiple of"},
    {"affine_grid", "expected matrices of the shape"},
    {"array_equiv", "does not broadcast to (2, 3)"},
    {"array_split", "expected an axis whose size is known"},
    {"avg_pool1d", "is known with ceil_mode"},
    {"avg_pool2d", "is known where the padding is same"},
    {"avg_pool2d", "is known with ceil_mode"},
    {"bits", "expected a key of shape (..., 2)"},
    {"broadcast_to", "does not broadcast to"},
    {"conv1d", "expected a kernel of known spatial sizes"},
    {"conv2d", "expected a kernel of known spatial sizes"},
    {"conv3d", "expected a kernel of known spatial sizes"},
    {"conv_general", "expected a kernel of known spatial sizes"},
    {"conv_transpose1d", "expected a kernel of known spatial sizes"},
    {"conv_transpose2d", "expected a kernel of known spatial sizes"},
    {"conv_transpose3d", "expected a kernel of known spatial sizes"},
    {"convolution", "expected a kernel of known spatial sizes"},
    {"convolve", "expected x2 of known sizes"},
    {"correlate", "expected x2 of known sizes"},
    {"cross", "expected vectors of 3 elements"},
    {"delete", "expected indices from 0 on along an axis of size of5"},
    {"depth_to_space", "expected a multiple of 4"},
    {"diagonal", "expected sizes of which it is known which one is smaller"},
    {"dsplit", "expected an axis whose size is known"},
    {"einsum", "arrays depends on their sizes"},
    {"fftconvolve", "expected axes whose sizes are known"},
    {"fold", "windows along axis 1"},
    {"gather", "expected 2 indices along the last axis"},
    {"grid_sample", "are not provably equal"},
    {"group_norm", "expected an axis of channels whose size is known"},
    {"gru", "expected W of the shape"},
    {"householder_product", "expected x of at least as many rows as columns"},
    {"hsplit", "expected an axis whose size is known"},
    {"image_resize", "expected exact sizes of the resized axes"},
    {"insert", "expected indices from 0 on along an axis of size of3"},
    {"insert", "the shape (of2, of3) does not broadcast to (of2, 3)"},
    {"interp", "expected as many points of xp as of fp"},
    {"istft", "expected an array of shape (..., 3, frames)"},
    {"istft", "with at most n_fft"},
    {"lfilter", "of a known size that is not 0"},
    {"lstm", "expected W of the shape"},
    {"lstm", "expected sizes that sum to of"},
    {"lstsq", "cannot compare the symbolic sizes"},
    {"lu", "cannot compare the symbolic sizes"},
    {"lu_factor", "cannot compare the symbolic sizes"},
    {"matrix_rank", "cannot compare the symbolic sizes"},
    {"max_pool2d", "is known where the padding is same"},
    {"max_pool2d", "is known with ceil_mode"},
    {"max_pool2d_with_indices", "is known where the padding is same"},
    {"max_pool2d_with_indices", "is known with ceil_mode"},
    {"max_unpool1d", "expected integers of the shape of x as indices"},
    {"max_unpool2d", "expected integers of the shape of x as indices"},
    {"max_unpool3d", "expected integers of the shape of x as indices"},
    {"multi_dot", "arrays depends on their sizes"},
    {"normal_of_bits", "expected a key of shape (..., 2)"},
    {"pinv", "cannot compare the symbolic sizes"},
    {"pixel_shuffle", "as the number of channels"},
    {"pixel_unshuffle", "as the height"},
    {"polar", "cannot compare the symbolic sizes"},
    {"poly", "expected an axis whose size is known"},
    {"polyadd", "expected sizes of which it is known which one is smaller"},
    {"polyint", "expected one constant or 2"},
    {"polysub", "expected sizes of which it is known which one is smaller"},
    {"polyval", "expected an axis whose size is known"},
    {"qr", "cannot compare the symbolic sizes"},
    {"random.bernoulli", "expected parameters that broadcast to the shape (5, 7)"},
    {"random.exponential", "expected a key of shape (..., 2)"},
    {"random.normal", "expected a key of shape (..., 2)"},
    {"random.randint", "expected a key of shape (..., 2)"},
    {"random.uniform", "expected a key of shape (..., 2)"},
    {"reduce_window", "is known where the padding is same"},
    {"repeat", "expected one count, or one for each of the of3 elements"},
    {"reshape", "expected a shape of of"},
    {"rnn", "expected B of the shape"},
    {"rnn", "expected W of the shape"},
    {"roi_align", "are not provably equal"},
    {"scaled_dot_product_attention", "expected heads of q that are a multiple"},
    {"scatter", "expected 2 indices along the last axis"},
    {"scatter_add", "expected 2 indices along the last axis"},
    {"scatter_max", "expected 2 indices along the last axis"},
    {"scatter_min", "expected 2 indices along the last axis"},
    {"scatter_mul", "expected 2 indices along the last axis"},
    {"select_and_scatter", "expected a source with an element for each window"},
    {"space_to_depth", "as the height"},
    {"split", "expected sizes that sum to of"},
    {"stft", "with at most n_fft"},
    {"svd", "cannot compare the symbolic sizes"},
    {"svdvals", "cannot compare the symbolic sizes"},
    {"trace", "expected sizes of which it is known which one is smaller"},
    {"tril_indices_from", "whose sizes are known"},
    {"trim_zeros", "sizes 3 and of3 are not provably equal"},
    {"triu_indices_from", "whose sizes are known"},
    {"uniform_of_bits", "expected a key of shape (..., 2)"},
    {"unique", "expected known sizes except along axis"},
    {"unstack", "expected an axis whose size is known"},
    {"vsplit", "expected an axis whose size is known"},
};

/// Traces a case with a symbol for each size of 2 or more, the same symbol for equal sizes. Its program must have the
/// bits of the eager call, or the function must be among the refusals.
class SizesTest : public testing::Test {
public:
  explicit SizesTest(const Case &of) : of_(of) {}

  void TestBody() override {
    const std::vector<HostData> given = makeInputs(of_, Column::f);
    JitOptions options{.compile = Compile::never};
    for (const HostData &input : given) {
      Shape shape;
      for (int64_t dim : input.dims)
        shape.push_back(dim < 2 ? Dim(dim) : Dim("of" + std::to_string(dim)));
      options.specs.push_back(TensorSpec{input.dtype, shape});
    }
    const Whole whole = makeWhole(of_.function, options, given.size());
    std::vector<HostData> got;
    try {
      got = toHost(whole.call(toArrays(given)));
    } catch (const InternalError &) {
      throw;
    } catch (const Error &error) {
      EXPECT_TRUE(std::ranges::any_of(refusals, [&](const Refusal &known) {
        return known.op == of_.op && error.message().find(known.words) != std::string::npos;
      })) << error.what();
      return;
    }
    EagerScope plain;
    EXPECT_EQ(compareBits(got, toHost(of_.function(toArrays(given)))), "");
    EXPECT_EQ(whole.stats().traces, 1u);
  }

private:
  const Case &of_;
};

/// Registers, for each op, the cases of one dtype (f32 if it takes that) that have a size of 2 or more.
void registerSizes() {
  static std::vector<std::string> missing;
  static const std::vector<Case> cases = allCases(missing);
  std::map<std::string, Dtype> dtypes;
  for (const Case &of : cases)
    if (auto [found, isNew] = dtypes.try_emplace(of.op, of.dtype); !isNew && of.dtype == Dtype::f32)
      found->second = Dtype::f32;
  for (const Case &of : cases) {
    const bool hasSize = std::ranges::any_of(of.inputs, [](const Input &input) {
      return std::ranges::any_of(input.dims, [](int64_t dim) { return dim >= 2; });
    });
    if (hasSize && of.dtype == dtypes[of.op] && isInSample(of.name()))
      testing::RegisterTest("SymbolicSizes", of.name().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [&of]() -> testing::Test * { return new SizesTest(of); });
  }
}

} // namespace

void registerSymbolic() {
  registerSizes();
  for (const SymbolicCase &of : symbolicCases()) {
    if (!isInSample(of.name))
      continue;
    for (int c = 0; c < (of.isForAll ? columnCount : 1); ++c)
      for (Mode mode : {Mode::interpreted, Mode::compiled, Mode::blob}) {
        Column column = static_cast<Column>(c);
        std::string name =
            of.name + "/f32/" + std::string(modeNames[static_cast<int>(mode)]) + "/" + std::string(columnNames[c]);
        testing::RegisterTest("Symbolic", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [&of, column, mode]() -> testing::Test * { return new SymbolicTest(of, column, mode); });
      }
  }
}

} // namespace tenon::conformance

//===- OtherCases.cpp - contraction, random numbers, barriers ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/host.h>
#include <tenon/ops.h>
#include <tenon/random.h>
#include <tenon/rules.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;

static void dotGenerals(CaseList &list) {
  const Dtype t = list.dtype();
  const auto add = [&](const char *name, Dims a, Dims b, Dims axes1, Dims axes2, Dims batch1, Dims batch2,
                       std::vector<bool> mapped = {}) {
    const auto text = [](const Dims &axes) {
      std::string all;
      for (int64_t axis : axes)
        all += (all.empty() ? "" : ", ") + std::to_string(axis);
      return "[" + all + "]";
    };
    auto &made = list.all(
        name, {{t, a}, {t, b}},
        [=](List x) { return std::vector{dot_general(x[0], x[1], axes1, axes2, batch1, batch2)}; },
        "\"axes1\": " + text(axes1) + ", \"axes2\": " + text(axes2) + ", \"batch1\": " + text(batch1) +
            ", \"batch2\": " + text(batch2));
    if (!mapped.empty())
      made.mapped = mapped;
  };
  add("3x4,4x2", {3, 4}, {4, 2}, {1}, {0}, {}, {});
  add("4x3,2x4", {4, 3}, {2, 4}, {0}, {1}, {}, {}, {true, false});
  add("2x3x4,4x2x5", {2, 3, 4}, {4, 2, 5}, {2}, {0}, {0}, {1});
  add("3x2x4x2,2x5x4x3", {3, 2, 4, 2}, {2, 5, 4, 3}, {2, 1}, {2, 0}, {0}, {3}, {false, true});
  add("2x3,3x2", {2, 3}, {3, 2}, {1}, {0}, {0}, {1});
  add("4x3,4x1", {4, 3}, {4, 1}, {0}, {0}, {}, {}, {false, true});
  add("2x3,4", {2, 3}, {4}, {}, {}, {}, {});
  add("0x3,3x2", {0, 3}, {3, 2}, {1}, {0}, {}, {});
  const Dtype wide = wideOf(t);
  list.plain(
      "5x40,40x20 wide", {{t, {5, 40}}, {t, {40, 20}}},
      [=](List x) { return std::vector{dot_general(x[0], x[1], {1}, {0}, wide)}; },
      "\"axes1\": [1], \"axes2\": [0], \"batch1\": [], \"batch2\": [], \"dtype\": \"" + std::string(short_name(wide)) +
          "\"");
}

static void randomBits(CaseList &list) {
  using random::bits;
  list.all(
      "7", {{Dtype::u32, {2}, Fill::key}}, [](List x) { return std::vector{bits(x[0], {7})}; },
      "\"shape\": [7], \"words\": 1");
  list.plain(
      "3x5", {{Dtype::u32, {2}, Fill::key}}, [](List x) { return std::vector{bits(x[0], {3, 5})}; },
      "\"shape\": [3, 5], \"words\": 1");
  list.plain(
      "1000", {{Dtype::u32, {2}, Fill::key}}, [](List x) { return std::vector{bits(x[0], {1000})}; },
      "\"shape\": [1000], \"words\": 1");
  list.plain(
      "keys 2x3, both words", {{Dtype::u32, {2, 3, 2}, Fill::key}},
      [](List x) { return std::vector{bits(x[0], {5}, 2)}; }, "\"shape\": [5], \"words\": 2");
  list.plain(
      "scalar", {{Dtype::u32, {2}, Fill::key}}, [](List x) { return std::vector{bits(x[0], {})}; },
      "\"shape\": [], \"words\": 1");
}

static void uniforms(CaseList &list) {
  Dtype t = list.dtype();
  list.all(
      "3x5", {{Dtype::u32, {2}, Fill::key}}, [t](List x) { return std::vector{random::uniform(Key{x[0]}, {3, 5}, t)}; },
      "\"shape\": [3, 5], \"low\": 0, \"high\": 1");
  list.all(
      "1000 of -2 to 5", {{Dtype::u32, {2}, Fill::key}},
      [t](List x) { return std::vector{random::uniform(Key{x[0]}, {1000}, t, -2, 5)}; },
      "\"shape\": [1000], \"low\": -2, \"high\": 5");
}
static void normals(CaseList &list) {
  Dtype t = list.dtype();
  list.all(
          "1000", {{Dtype::u32, {2}, Fill::key}},
          [t](List x) { return std::vector{random::normal(Key{x[0]}, {1000}, t)}; }, "\"shape\": [1000]")
      .referenceUlp = 8;
}

// One kernel makes uniform numbers of random bits in one pass. It must have the bits of the composed ops, also for
// bounds that it leaves to them, because they round twice there.
static void uniformsOfBits(CaseList &list) {
  static constexpr std::pair<float, float> bounds[] = {{0, 1},       {-1, 1},           {-2, 5},
                                                       {0, 3},       {1e-20f, 1.5},     {2e-6f, 0.75f},
                                                       {1000, 1003}, {-1e-40f, 1e-39f}, {0x1p-149f, 0x1p-148f}};
  for (const auto &[low, high] : bounds)
    list.plain(format("1003 of {} to {}", low, high), {{Dtype::u32, {2}, Fill::key}},
               [low = low, high = high](List x) {
                 return std::vector{random::uniform(Key{x[0]}, {1003}, f32, low, high)};
               })
        .referenceUlp = -1;
  list.all("5", {{Dtype::u32, {2}, Fill::key}}, [](List x) { return std::vector{random::uniform(Key{x[0]}, {5})}; })
      .referenceUlp = -1;
}
static void normalsOfBits(CaseList &list) {
  for (const Shape &shape : {Shape{30011}, Shape{}, Shape{0}, Shape{3, 5}})
    list.plain(shape.str(), {{Dtype::u32, {2}, Fill::key}},
               [shape](List x) { return std::vector{random::normal(Key{x[0]}, shape)}; })
        .referenceUlp = -1;
  list.all("5", {{Dtype::u32, {2}, Fill::key}}, [](List x) { return std::vector{random::normal(Key{x[0]}, {5})}; })
      .referenceUlp = -1;
}

static void exponentials(CaseList &list) {
  Dtype t = list.dtype();
  list.all(
          "100", {{Dtype::u32, {2}, Fill::key}},
          [t](List x) { return std::vector{random::exponential(Key{x[0]}, {100}, t)}; }, "\"shape\": [100]")
      .referenceUlp = 2;
}
static void truths(CaseList &list) {
  Dtype t = list.dtype();
  list.plain(
      "5x7, 7", {{Dtype::u32, {2}, Fill::key}, {t, {7}}},
      [](List x) { return std::vector{random::bernoulli(Key{x[0]}, x[1], {5, 7})}; }, "\"shape\": [5, 7]");
}
static void integers(CaseList &list) {
  Dtype t = list.dtype();
  list.plain(
      "100 of 3 to 117", {{Dtype::u32, {2}, Fill::key}},
      [t](List x) { return std::vector{random::randint(Key{x[0]}, {100}, 3, 117, t)}; },
      "\"shape\": [100], \"bounds\": [3, 117]");
}

static void barriers(CaseList &list) {
  Dtype t = list.dtype();
  list.all("3,2x2", {{t, {3}}, {t, {2, 2}}}, [](List x) { return optimization_barrier(x); });
}
static void constants(CaseList &list) {
  Dtype t = list.dtype();
  list.all("2x3", {{t, {2, 3}}}, [](List x) { return std::vector{stop_gradient(x[0])}; });
  if (list.isFloating())
    list.all("times x", {{t, {2, 3}}}, [](List x) { return std::vector{stop_gradient(x[0]) * x[0]}; }, "\"times\": 1");
  list.plain("3x2-transposed", {{t, {3, 2}, Fill::normal, Layout::transposed}},
             [](List x) { return std::vector{stop_gradient(x[0])}; });
}
static void prints(CaseList &list) {
  Dtype t = list.dtype();
  list.all("3", {{t, {3}}}, [](List x) {
    print("conformance: {}", {x[0]});
    return std::vector{x[0]};
  });
}

static void checks(CaseList &list) {
  Dtype t = list.dtype();
  list.all("3", {{t, {3}}}, [](List x) {
    check(full({3}, true, {}, x[0].device()), "conformance: {}", {x[0]});
    return std::vector{x[0]};
  });
}
static void hostCalls(CaseList &list) {
  Dtype t = list.dtype();
  list.plain("2x3", {{t, {2, 3}}},
             [t](List x) {
               return std::vector{host_call([](const Array &x) { return std::pair(transpose(x), x); },
                                            std::pair{TensorSpec{t, {3, 2}}, TensorSpec{t, {2, 3}}}, x[0])
                                      .first};
             })
      .noBlob = "its C++ function is in no file";
}

/// Functions that branch in C++ on a traced value, read as a type that holds all values of the dtype.
static void guards(CaseList &list) {
  const Kind of = kind(list.dtype());
  list.plain("scalar", {{list.dtype(), {}}},
             [of](List x) {
               const bool isPositive = of == Kind::boolean    ? static_cast<bool>(x[0])
                                       : of == Kind::floating ? x[0].item<double>() > 0
                                                              : x[0].item<int64_t>() > 0;
               const Array one = reshape(x[0], {1});
               return std::vector{isPositive ? concatenate({one, one}) : one};
             })
      .referenceUlp = -1;
}

static void names(CaseList &list) {
  list.all("2x3", {{list.dtype(), {2, 3}}}, [](List x) { return std::vector{checkpoint_name(x[0], "x")}; });
}

static const OpCases table[] = {
    {"dot_general", dotGenerals},
    {"bits", randomBits},
    {"uniform_of_bits", uniformsOfBits},
    {"normal_of_bits", normalsOfBits},
    {"random.uniform", uniforms},
    {"random.normal", normals},
    {"random.exponential", exponentials},
    {"random.bernoulli", truths},
    {"random.randint", integers},
    {"checkpoint_name", names},
    {"optimization_barrier", barriers},
    {"stop_gradient", constants},
    {"print", prints},
    {"check", checks},
    {"host_call", hostCalls},
    {"guard", guards},
};
std::span<const OpCases> otherCases() { return table; }

} // namespace tenon::conformance

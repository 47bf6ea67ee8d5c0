//===- LossCases.cpp - loss functions --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;

/// Any integers as classes.
static Array classesOf(const Array &x, int count) { return remainder(x, count); }

static void negativeLikelihoods(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "4x3", {{t, {4, 3}}, {Dtype::i32, {4}}}, [](List x) { return std::vector{nll_loss(x[0], classesOf(x[1], 3))}; },
      "\"classes\": 3, \"axis\": 1");
  list.all(
      "6x3, weights, ignored", {{t, {6, 3}}, {Dtype::i32, {6}}, {t, {3}, Fill::positive}},
      [](List x) { return std::vector{nll_loss(x[0], classesOf(x[1], 3), {.weight = x[2], .ignore_index = 1})}; },
      "\"classes\": 3, \"axis\": 1, \"weight\": 2, \"ignored\": 1");
  list.all(
      "2x3x2 over 1, each", {{t, {2, 3, 2}}, {Dtype::i64, {2, 2}}},
      [](List x) {
        return std::vector{
            nll_loss(x[0], classesOf(x[1], 3), {.ignore_index = 2, .reduction = Reduction::unreduced, .axis = 1})};
      },
      "\"classes\": 3, \"axis\": 1, \"ignored\": 2, \"reduction\": \"unreduced\"");
}

static void crossEntropies(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "4x3", {{t, {4, 3}}, {Dtype::i32, {4}}},
      [](List x) { return std::vector{cross_entropy(x[0], classesOf(x[1], 3))}; }, "\"classes\": 3, \"axis\": 1");
  list.all(
      "4x3, smoothed, weights, ignored", {{t, {4, 3}}, {Dtype::i32, {4}}, {t, {3}, Fill::positive}},
      [](List x) {
        return std::vector{
            cross_entropy(x[0], classesOf(x[1], 3), {.weight = x[2], .ignore_index = 1, .label_smoothing = 0.25})};
      },
      "\"classes\": 3, \"axis\": 1, \"weight\": 2, \"ignored\": 1, \"smoothing\": 0.25");
  list.all(
      "2x3x2 over 1, sum", {{t, {2, 3, 2}}, {Dtype::i32, {2, 2}}},
      [](List x) {
        return std::vector{
            cross_entropy(x[0], classesOf(x[1], 3), {.reduction = Reduction::sum, .label_smoothing = 0.5, .axis = 1})};
      },
      "\"classes\": 3, \"axis\": 1, \"reduction\": \"sum\", \"smoothing\": 0.5");
  list.all(
      "2x3 of probabilities", {{t, {2, 3}}, {t, {2, 3}, Fill::positive}, {t, {3}, Fill::positive}},
      [](List x) { return std::vector{cross_entropy(x[0], x[1], {.weight = x[2], .label_smoothing = 0.25})}; },
      "\"axis\": 1, \"weight\": 2, \"smoothing\": 0.25");
}

/// Multiples of 3/8 of [0.5, 2.5].
static Array probabilitiesOf(const Array &x) { return x * 0.375f; }

static void binaryEntropies(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x3", {{t, {2, 3}, Fill::positive}, {t, {2, 3}, Fill::positive}},
      [](List x) { return std::vector{binary_cross_entropy(probabilitiesOf(x[0]), probabilitiesOf(x[1]))}; }, "");
  list.all(
      "2x3, weights, each", {{t, {2, 3}, Fill::positive}, {t, {2, 3}, Fill::positive}, {t, {3}, Fill::positive}},
      [](List x) {
        return std::vector{binary_cross_entropy(probabilitiesOf(x[0]), probabilitiesOf(x[1]),
                                                {.weight = x[2], .reduction = Reduction::unreduced})};
      },
      "\"weight\": 2, \"reduction\": \"unreduced\"");
}

static void binaryEntropiesOfLogits(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x3", {{t, {2, 3}}, {t, {2, 3}}},
      [](List x) { return std::vector{binary_cross_entropy_with_logits(x[0], x[1])}; }, "");
  list.all(
      "2x3, weights, sum", {{t, {2, 3}}, {t, {2, 3}}, {t, {2, 1}, Fill::positive}, {t, {3}, Fill::positive}},
      [](List x) {
        return std::vector{binary_cross_entropy_with_logits(
            x[0], x[1], {.weight = x[2], .pos_weight = x[3], .reduction = Reduction::sum})};
      },
      "\"weight\": 2, \"positive\": 3, \"reduction\": \"sum\"");
}

/// A loss of differences that lie away from 0, with a number.
template <class F>
static void ofDifferences(CaseList &list, const std::string &attributes, F f) {
  const Dtype t = list.dtype();
  const std::string more = attributes.empty() ? "" : ", " + attributes;
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::unreduced})
    list.all(
        "2x3 " + std::string(name(reduction)) + " " + attributes,
        {{t, {2, 3}, Fill::nonzero}, {t, {2, 3}, Fill::small}},
        [=](List x) { return std::vector{f(x[0], x[1], reduction)}; },
        "\"reduction\": \"" + std::string(name(reduction)) + "\"" + more);
}

static void hubers(CaseList &list) {
  ofDifferences(list, "\"delta\": 0.96875", [](const Array &x, const Array &target, Reduction reduction) {
    return huber_loss(x, target, {.reduction = reduction, .delta = 0.96875});
  });
}

static void smooths(CaseList &list) {
  ofDifferences(list, "\"beta\": 1.28125", [](const Array &x, const Array &target, Reduction reduction) {
    return smooth_l1_loss(x, target, {.reduction = reduction, .beta = 1.28125});
  });
  ofDifferences(list, "\"beta\": 0", [](const Array &x, const Array &target, Reduction reduction) {
    return smooth_l1_loss(x, target, {.reduction = reduction, .beta = 0});
  });
}

static void squares(CaseList &list) {
  ofDifferences(list, "", [](const Array &x, const Array &target, Reduction reduction) {
    return mse_loss(x, target, {.reduction = reduction});
  });
}

static void distances(CaseList &list) {
  ofDifferences(list, "", [](const Array &x, const Array &target, Reduction reduction) {
    return l1_loss(x, target, {.reduction = reduction});
  });
}

static void divergences(CaseList &list) {
  const Dtype t = list.dtype();
  for (const bool isLog : {false, true})
    list.all(
        isLog ? "2x3 of logarithms" : "2x3", {{t, {2, 3}}, {t, {2, 3}, Fill::positive}},
        [isLog](List x) { return std::vector{kl_div(x[0], x[1], {.log_target = isLog})}; },
        isLog ? "\"log_target\": 1" : "");
}

static const OpCases table[] = {
    {"nll_loss", negativeLikelihoods},
    {"cross_entropy", crossEntropies},
    {"binary_cross_entropy", binaryEntropies},
    {"binary_cross_entropy_with_logits", binaryEntropiesOfLogits},
    {"huber_loss", hubers},
    {"smooth_l1_loss", smooths},
    {"mse_loss", squares},
    {"l1_loss", distances},
    {"kl_div", divergences},
};
std::span<const OpCases> lossCases() { return table; }

} // namespace tenon::conformance

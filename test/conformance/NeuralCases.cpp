//===- NeuralCases.cpp - attention, normalizations, losses and distances ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>
#include <tenon/transform.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

static void attentions(CaseList &list) {
  const Dtype t = list.dtype();
  const auto add = [&](std::string label, Dims q, Dims k, Dims v, AttentionOptions options, std::string attributes,
                       bool isForAll) {
    const Function f = [options](List x) {
      return std::vector{scaled_dot_product_attention(x[0], x[1], x[2], options)};
    };
    list.plain(std::move(label), {{t, std::move(q)}, {t, std::move(k)}, {t, std::move(v)}}, f, std::move(attributes))
        .allColumns = isForAll;
  };
  add("2 heads", {2, 2, 3}, {2, 3, 3}, {2, 3, 2}, {}, "", true);
  add("shared heads, causal", {2, 3, 2}, {1, 2, 2}, {1, 2, 2}, {.causal = true, .scale = 0.75},
      "\"causal\": 1, \"scale\": 0.75", true);
  add("window, capped", {1, 4, 2}, {1, 2, 2}, {1, 2, 2}, {.window = {1, 0}, .softcap = 1.5},
      "\"window\": [1, 0], \"softcap\": 1.5", true);
  add("more queries than the window reaches", {2, 3, 40, 8}, {2, 1, 17, 8}, {2, 1, 17, 5}, {.window = 2},
      "\"window\": [2, 2]", false);
  add("causal window", {1, 2, 33, 16}, {1, 2, 70, 16}, {1, 2, 70, 9}, {.causal = true, .window = {5, -1}},
      "\"causal\": 1, \"window\": [5, -1]", false);
  add("long rows", {2, 4, 16}, {2, 5000, 16}, {2, 5000, 3}, {}, "", false);
  add("no keys", {2, 3, 4}, {2, 0, 4}, {2, 0, 4}, {}, "", false);
  add("no queries", {2, 0, 4}, {2, 3, 4}, {2, 3, 4}, {.causal = true}, "\"causal\": 1", false);
  add("no width", {2, 3, 0}, {2, 4, 0}, {2, 4, 2}, {}, "", false);
  // Of 3 keys, random masks leave out all of some rows.
  list.all(
      "mask", {{t, {2, 3, 2}}, {t, {1, 3, 2}}, {t, {1, 3, 2}}, {Dtype::bool_, {2, 3, 3}}},
      [](List x) { return std::vector{scaled_dot_product_attention(x[0], x[1], x[2], {.mask = x[3]})}; },
      "\"mask\": 3");
  list.all(
      "bias of keys", {{t, {2, 2, 2}}, {t, {2, 3, 2}}, {t, {2, 3, 2}}, {t, {3}}},
      [](List x) {
        return std::vector{scaled_dot_product_attention(x[0], x[1], x[2], {.bias = x[3], .causal = true})};
      },
      "\"bias\": 3, \"causal\": 1");
  list.plain(
      "mask of keys and bias",
      {{t, {2, 2, 9, 4}}, {t, {2, 2, 7, 4}}, {t, {2, 2, 7, 4}}, {Dtype::bool_, {2, 1, 1, 7}}, {t, {2, 9, 1}}},
      [](List x) { return std::vector{scaled_dot_product_attention(x[0], x[1], x[2], {.mask = x[3], .bias = x[4]})}; },
      "\"mask\": 3, \"bias\": 4");
}

/// The op that grad uses for the cotangents of q, k and v.
static void attentionsBackwards(CaseList &list) {
  const Dtype t = list.dtype();
  const auto add = [&](std::string label, Dims q, Dims k, Dims v, AttentionOptions options, std::string attributes,
                       bool isForAll) {
    const Function f = [options](List x) {
      const auto weighted = [&](const Array &q, const Array &k, const Array &v) {
        return sum(scaled_dot_product_attention(q, k, v, options) * x[3]);
      };
      const auto [ofQ, ofK, ofV] = grad<0, 1, 2>(weighted)(x[0], x[1], x[2]);
      return std::vector{ofQ, ofK, ofV};
    };
    Dims result = q;
    result.back() = v.back();
    list.plain(std::move(label), {{t, std::move(q)}, {t, std::move(k)}, {t, std::move(v)}, {t, std::move(result)}}, f,
               std::move(attributes))
        .allColumns = isForAll;
  };
  add("2 heads", {2, 2, 3}, {2, 3, 3}, {2, 3, 2}, {}, "", true);
  add("shared heads, causal", {2, 3, 2}, {1, 2, 2}, {1, 2, 2}, {.causal = true, .scale = 0.75},
      "\"causal\": 1, \"scale\": 0.75", false);
  add("causal window", {1, 2, 33, 16}, {1, 2, 70, 16}, {1, 2, 70, 9}, {.causal = true, .window = {5, -1}},
      "\"causal\": 1, \"window\": [5, -1]", false);
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// Axes that are normalized together: the last ones, for which there is a kernel, and others.
static void eachNormalized(CaseList &list, bool isForAll, auto &&add) {
  const Dtype t = list.dtype();
  const auto with = [&](std::string label, Dims dims, Dims axes, bool everywhere, Layout layout = Layout::dense) {
    Dims sizes;
    std::string text;
    for (int64_t axis : axes) {
      sizes.push_back(dims[static_cast<size_t>(axis)]);
      text += (text.empty() ? "" : ", ") + std::to_string(axis);
    }
    add(std::move(label), Input{t, dims, Fill::normal, layout}, Input{t, sizes}, Ints(axes),
        "\"axes\": [" + text + "], \"epsilon\": 0.25", everywhere && isForAll);
  };
  with("3x5", {3, 5}, {1}, true);
  with("2x3x2 over 1 and 2", {2, 3, 2}, {1, 2}, true);
  with("4x3 over 0", {4, 3}, {0}, true);
  with("2x3x4 over 0 and 2", {2, 3, 4}, {0, 2}, false);
  with("7x1000", {7, 1000}, {1}, false);
  with("2x5000", {2, 5000}, {1}, false);
  with("5x1", {5, 1}, {1}, false);
  with("0x3", {0, 3}, {1}, false);
  with("3x0", {3, 0}, {1}, false);
  with("9x12 transposed", {9, 12}, {1}, false, Layout::transposed);
  with("9x12 reversed", {9, 12}, {1}, false, Layout::reversed);
}

static void rmsNorms(CaseList &list) {
  eachNormalized(list, true, [&](std::string label, Input x, Input scale, Ints axes, std::string attributes, bool all) {
    const Function f = [axes](List in) { return std::vector{rms_norm(in[0], axes, in[1], {.epsilon = 0.25})}; };
    list.plain(label, {x, scale}, f, attributes).allColumns = all;
  });
}

/// The op that grad uses for the cotangent of x. Its own derivatives are of high order, for which bf16 is too coarse.
static void rmsNormsBackwards(CaseList &list) {
  eachNormalized(list, list.dtype() != Dtype::bf16,
                 [&](std::string label, Input x, Input scale, Ints axes, std::string attributes, bool all) {
                   const Function f = [axes](List in) {
                     const auto weighted = [&](const Array &a) {
                       return sum(rms_norm(a, axes, in[1], {.epsilon = 0.25}) * in[2]);
                     };
                     return std::vector{grad(weighted)(in[0])};
                   };
                   list.plain(label, {x, scale, {x.dtype, x.dims}}, f, attributes).allColumns = all;
                 });
}

static void batchNorms(CaseList &list) {
  const Dtype t = list.dtype();
  const auto add = [&](std::string label, Dims dims, int axis) {
    const Dims channels{dims[static_cast<size_t>(axis)]};
    list.all(
        std::move(label), {{t, dims}, {t, channels}, {t, channels, Fill::positive}, {t, channels}, {t, channels}},
        [axis](List x) {
          return std::vector{batch_norm(x[0], x[1], x[2], x[3], x[4], {.axis = axis, .epsilon = 0.25})};
        },
        format("\"axis\": {}, \"epsilon\": 0.25", axis));
  };
  add("4x3", {4, 3}, 1);
  add("2x3x2 over 1", {2, 3, 2}, 1);
}

static void batchNormsOfTraining(CaseList &list) {
  const Dtype t = list.dtype();
  const auto add = [&](std::string label, Dims dims, int axis, bool isForAll) {
    const Dims channels{dims[static_cast<size_t>(axis)]};
    const Function f = [axis](List x) {
      const BatchNorm made = batch_norm_training(x[0], x[1], x[2], {.axis = axis, .epsilon = 0.25});
      return std::vector{made.y, made.mean, made.variance};
    };
    list.plain(std::move(label), {{t, dims}, {t, channels}, {t, channels}}, f,
               format("\"axis\": {}, \"epsilon\": 0.25", axis))
        .allColumns = isForAll;
  };
  add("4x3", {4, 3}, 1, true);
  add("2x3x2 over 1", {2, 3, 2}, 1, true);
  add("600x5x7", {600, 5, 7}, 2, false);
}

static void groupNorms(CaseList &list) {
  const Dtype t = list.dtype();
  const auto add = [&](std::string label, Dims dims, int groups, int axis, bool isForAll) {
    const Dims channels{dims[static_cast<size_t>(axis)]};
    const Function f = [=](List x) {
      return std::vector{group_norm(x[0], groups, x[1], x[2], {.epsilon = 0.25, .axis = axis})};
    };
    list.plain(std::move(label), {{t, dims}, {t, channels}, {t, channels}}, f,
               format("\"axis\": {}, \"groups\": {}, \"epsilon\": 0.25", axis, groups))
        .allColumns = isForAll;
  };
  add("2x3x4 by 2", {2, 3, 4}, 2, 2, true);
  add("2x4x2 by 2 over 1", {2, 4, 2}, 2, 1, true);
  add("3x6 by 3", {3, 6}, 3, 1, false);
  add("2x32x9x5 by 8 over 1", {2, 32, 9, 5}, 8, 1, false);
  add("0x6 by 3", {0, 6}, 3, 1, false);
}

static void instanceNorms(CaseList &list) {
  const Dtype t = list.dtype();
  const auto add = [&](std::string label, Dims dims, int axis, bool isForAll) {
    const Dims channels{dims[static_cast<size_t>(axis)]};
    const Function f = [=](List x) {
      return std::vector{instance_norm(x[0], x[1], x[2], {.epsilon = 0.25, .axis = axis})};
    };
    list.plain(std::move(label), {{t, dims}, {t, channels}, {t, channels}}, f,
               format("\"axis\": {}, \"epsilon\": 0.25", axis))
        .allColumns = isForAll;
  };
  add("2x3x2", {2, 3, 2}, 2, true);
  add("2x2x3 over 1", {2, 2, 3}, 1, true);
  add("2x5x4x3", {2, 5, 4, 3}, 3, false);
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

static void unitVectors(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x3", {{t, {2, 3}, Fill::nonzero}}, [](List x) { return std::vector{normalize(x[0])}; },
      "\"p\": 2, \"axis\": 1");
  list.all(
      "3x2 of order 3 over 0", {{t, {3, 2}, Fill::nonzero}},
      [](List x) { return std::vector{normalize(x[0], {.p = 3, .axis = 0})}; }, "\"p\": 3, \"axis\": 0");
}

static void cosines(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x3,3", {{t, {2, 3}, Fill::nonzero}, {t, {3}, Fill::nonzero}},
      [](List x) { return std::vector{cosine_similarity(x[0], x[1])}; }, "\"axis\": 1");
  list.plain(
      "3x4 over 0", {{t, {3, 4}}, {t, {3, 4}}},
      [](List x) { return std::vector{cosine_similarity(x[0], x[1], {.axis = 0})}; }, "\"axis\": 0");
}

static void pairDistances(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x3,3", {{t, {2, 3}, Fill::nonzero}, {t, {3}, Fill::small}},
      [](List x) { return std::vector{pairwise_distance(x[0], x[1], {.epsilon = 0.125})}; },
      "\"p\": 2, \"epsilon\": 0.125");
  list.all(
      "2x3,2x3 of order 1", {{t, {2, 3}, Fill::nonzero}, {t, {2, 3}, Fill::small}},
      [](List x) { return std::vector{pairwise_distance(x[0], x[1], {.p = 1, .epsilon = 0, .keepdims = true})}; },
      "\"p\": 1, \"epsilon\": 0, \"keepdims\": 1");
}

static void crossDistances(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x3,2x3", {{t, {2, 3}, Fill::nonzero}, {t, {2, 3}, Fill::small}},
      [](List x) { return std::vector{cdist(x[0], x[1])}; }, "\"p\": 2");
  list.plain(
      "2x5x3,4x3 of order 1", {{t, {2, 5, 3}}, {t, {4, 3}}},
      [](List x) { return std::vector{cdist(x[0], x[1], {.p = 1})}; }, "\"p\": 1");
}

static const OpCases table[] = {
    {"scaled_dot_product_attention", attentions},
    {"attention", attentions},
    {"attention_gradient", attentionsBackwards},
    {"rms_norm", rmsNorms},
    {"rms_norm_gradient", rmsNormsBackwards},
    {"batch_norm", batchNorms},
    {"batch_norm_training", batchNormsOfTraining},
    {"group_norm", groupNorms},
    {"instance_norm", instanceNorms},
    {"normalize", unitVectors},
    {"cosine_similarity", cosines},
    {"pairwise_distance", pairDistances},
    {"cdist", crossDistances},
};
std::span<const OpCases> neuralCases() { return table; }

} // namespace tenon::conformance

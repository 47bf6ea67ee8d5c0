//===- ReductionCases.cpp - cases of reductions, and of functions over rows --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>
#include <tenon/transform.h>

namespace tenon::conformance {

using Reduction = Array (*)(const Operand &, const Ints &, bool);

static std::string listText(const Dims &values) {
  std::string text = "[";
  for (int64_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

template <Reduction op, Fill fill, bool isEmptyAllowed>
static void reduction(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](Dims dims, Dims axes, bool keepdims, bool isForAll, Fill with = fill, Layout layout = Layout::dense) {
    std::string label = dimsText(dims) + " over ", attributes = format("\"axes\": {}, ", listText(axes));
    for (int64_t axis : axes)
      label += std::to_string(axis);
    label += keepdims ? " kept" : "";
    label += with == Fill::special ? " special" : with == Fill::ties ? " ties" : with == Fill::wide ? " wide" : "";
    label += layout == Layout::transposed ? " transposed"
             : layout == Layout::reversed ? " reversed"
             : layout == Layout::strided  ? " strided"
             : layout == Layout::repeated ? " repeated"
                                          : "";
    attributes += format("\"keepdims\": {}", keepdims ? "true" : "false");
    Function f = [axes, keepdims](const std::vector<Array> &x) { return std::vector{op(x[0], Ints(axes), keepdims)}; };
    list.plain(label, {{t, dims, with, layout}}, f, attributes).allColumns = isForAll;
  };
  add({3, 5}, {1}, false, true);
  add({4, 3}, {0}, true, true);
  add({2, 3, 4}, {0, 2}, false, true);
  // Finite second differences of a product of 24 factors are too coarse a reference.
  add({2, 3, 4}, {0, 1, 2}, false, fill != Fill::nonzero);
  add({}, {}, false, false);
  add({7}, {}, false, false);
  add({300}, {0}, false, false);
  add({5, 16}, {1}, false, false);
  add({2, 4099}, {1}, false, false, Fill::wide);
  add({9000, 3}, {0}, false, false);
  add({2, 700, 3}, {1}, false, false, Fill::wide);
  add({3, 1, 5, 7}, {0, 2}, true, false);
  add({2, 33, 1}, {1}, false, false);
  add({17, 1, 5}, {0, 2}, false, false);
  add({2, 3, 4, 5}, {1, 2}, false, false, fill, Layout::transposed);
  add({33, 65}, {1}, false, false, fill, Layout::transposed);
  add({9, 37}, {0, 1}, false, false, fill, Layout::reversed);
  add({6, 8}, {0}, false, false, fill, Layout::strided);
  add({6, 40}, {0}, false, false, fill, Layout::repeated);
  add({3, 16}, {1}, false, false, Fill::special);
  add({16, 3}, {0}, false, false, Fill::special);
  add({7, 9}, {1}, false, false, Fill::ties);
  add({0, 3}, {1}, false, false);
  if (isEmptyAllowed)
    add({0, 3}, {0}, false, false), add({3, 0}, {1}, true, false);
}

/// Operands of bool, and of other dtypes, which the op builder converts to bool.
template <Reduction op>
static void quantifier(CaseList &list) {
  reduction<op, Fill::distinct, true>(list);
  for (Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::i32, Dtype::u8, Dtype::i64})
    for (Fill fill : {Fill::special, Fill::ties}) {
      Function f = [](const std::vector<Array> &x) { return std::vector{op(x[0], {1}, false)}; };
      list.plain(std::string(short_name(dtype)) + (fill == Fill::ties ? " ties" : " special"), {{dtype, {9, 3}, fill}},
                 f, "\"axes\": [1], \"keepdims\": false");
    }
}

static void positions(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Dims dims, std::optional<int> axis, bool keepdims, Fill fill, bool isForAll,
                 Layout layout = Layout::dense) {
    std::string attributes =
        format("\"axis\": {}, \"keepdims\": {}", axis ? std::to_string(*axis) : "null", keepdims ? "true" : "false");
    Function f = [axis, keepdims](const std::vector<Array> &x) { return std::vector{argmax(x[0], axis, keepdims)}; };
    list.plain(label, {{t, std::move(dims), fill, layout}}, f, attributes).allColumns = isForAll;
  };
  add("3x5 over 1", {3, 5}, 1, false, Fill::distinct, true);
  add("4x3 over 0 kept", {4, 3}, 0, true, Fill::distinct, true);
  add("3x4 flat", {3, 4}, {}, false, Fill::distinct, true);
  add("7x33 over 1 ties", {7, 33}, -1, false, Fill::ties, false);
  add("16x3 over 0 special", {16, 3}, 0, false, Fill::special, false);
  add("3x16 over 1 special", {3, 16}, 1, false, Fill::special, false);
  add("9x5 over 0 transposed", {9, 5}, 0, false, Fill::ties, false, Layout::transposed);
  add("9x5 flat reversed", {9, 5}, {}, false, Fill::ties, false, Layout::reversed);
}

using Rows = Array (*)(const Operand &, Axis);
template <Rows op>
static void rowsOf(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Dims dims, int axis, bool isForAll, Fill fill = Fill::normal,
                 Layout layout = Layout::dense) {
    Function f = [axis](const std::vector<Array> &x) { return std::vector{op(x[0], axis)}; };
    list.plain(label, {{t, std::move(dims), fill, layout}}, f, format("\"axis\": {}", axis)).allColumns = isForAll;
  };
  add("3x5", {3, 5}, -1, true);
  add("4x3 over 0", {4, 3}, 0, true);
  add("2x3x17 over 1", {2, 3, 17}, 1, false);
  add("7x1000", {7, 1000}, -1, false);
  add("9", {9}, 0, false);
  add("33x1 over 0", {33, 1}, 0, false);
  add("0x3", {0, 3}, -1, false);
  add("3x0", {3, 0}, -1, false);
  add("3x16 special", {3, 16}, -1, false, Fill::special);
  add("9x12 transposed", {9, 12}, -1, false, Fill::normal, Layout::transposed);
  add("9x12 reversed", {9, 12}, 0, false, Fill::normal, Layout::reversed);
}

/// Axes that are normalized together: the last ones, for which there is a kernel, and others.
static void eachNormalized(CaseList &list, bool isForAll, auto &&add) {
  Dtype t = list.dtype();
  auto with = [&](std::string label, Dims dims, std::vector<int64_t> axes, bool everywhere,
                  Layout layout = Layout::dense) {
    Dims sizes;
    for (int64_t axis : axes)
      sizes.push_back(dims[static_cast<size_t>(axis)]);
    add(std::move(label), Input{t, dims, Fill::normal, layout}, Input{t, sizes}, Ints(axes),
        format("\"axes\": {}, \"epsilon\": 0.25", listText(axes)), everywhere && isForAll);
  };
  with("3x5", {3, 5}, {1}, true);
  with("2x3x2 over 1 and 2", {2, 3, 2}, {1, 2}, true);
  with("4x3 over 0", {4, 3}, {0}, true);
  with("2x3x4 over 0 and 2", {2, 3, 4}, {0, 2}, false);
  with("7x1000", {7, 1000}, {1}, false);
  with("2x5000", {2, 5000}, {1}, false);
  with("5x1", {5, 1}, {1}, false);
  with("9x17x1 over 1", {9, 17, 1}, {1}, false);
  with("0x3", {0, 3}, {1}, false);
  with("9x12 transposed", {9, 12}, {1}, false, Layout::transposed);
  with("9x12 reversed", {9, 12}, {1}, false, Layout::reversed);
}

static void normalizedRows(CaseList &list) {
  eachNormalized(list, true,
                 [&](std::string label, Input x, Input parameter, Ints axes, std::string attributes, bool all) {
                   Function f = [axes](const std::vector<Array> &in) {
                     return std::vector{layer_norm(in[0], axes, in[1], in[2], 0.25)};
                   };
                   list.plain(label, {x, parameter, parameter}, f, attributes).allColumns = all;
                 });
}

/// The op that grad uses for the cotangent of x. Its own derivatives are of high order, for which bf16 is too coarse.
static void normalizedRowsBackwards(CaseList &list) {
  eachNormalized(list, list.dtype() != Dtype::bf16,
                 [&](std::string label, Input x, Input parameter, Ints axes, std::string attributes, bool all) {
                   Function f = [axes](const std::vector<Array> &in) {
                     auto weighted = [&](const Array &a) { return sum(layer_norm(a, axes, in[1], 0, 0.25) * in[2]); };
                     return std::vector{grad(weighted)(in[0])};
                   };
                   list.plain(label, {x, parameter, {x.dtype, x.dims}}, f, attributes).allColumns = all;
                 });
}

static const OpCases table[] = {
    {"sum", joined<reduction<detail::sum, Fill::normal, true>, sumsByName>},
    {"prod", joined<reduction<detail::prod, Fill::nonzero, true>, productsByName>},
    {"max", joined<reduction<detail::max, Fill::distinct, false>, maximaByName>},
    {"min", joined<reduction<detail::min, Fill::distinct, false>, minimaByName>},
    {"any", joined<quantifier<detail::any>, anyByName>},
    {"all", joined<quantifier<detail::all>, allByName>},
    {"mean", joined<reduction<detail::mean, Fill::normal, true>, meansByName>},
    {"argmax", positions},
    {"softmax", rowsOf<softmax>},
    {"log_softmax", rowsOf<log_softmax>},
    {"layer_norm", normalizedRows},
    {"layer_norm_gradient", normalizedRowsBackwards},
};
std::span<const OpCases> reductionCases() { return table; }

} // namespace tenon::conformance

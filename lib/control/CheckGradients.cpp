//===- CheckGradients.cpp - derivatives against finite differences -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Forward.h"
#include "lib/transform/Linear.h"
#include "lib/transform/Pullback.h"
#include "lib/transform/Rules.h"

#include <tenon/format.h>
#include <tenon/rules.h>

#include <algorithm>
#include <cmath>

using namespace tenon;
using namespace tenon::detail;

/// The elements of an array that are looked at.
static constexpr int64_t mostElements = 64;

/// Next to 1 there is no nearer number.
static double precisionOf(Dtype dtype) {
  switch (dtype) {
  case Dtype::f64:
    return 0x1p-52;
  case Dtype::f32:
    return 0x1p-23;
  case Dtype::f16:
    return 0x1p-10;
  default:
    return 0x1p-7;
  }
}
static double toleranceOf(Dtype dtype) {
  return dtype == Dtype::f64 ? 1e-6 : dtype == Dtype::f32 ? 5e-3 : dtype == Dtype::f16 ? 0.1 : 0.3;
}

/// Numbers of both signs, other ones for each `seed`; 1 where there is one element, whose derivatives are then the
/// numbers that are compared.
static Array weights(const Type &type, size_t seed) {
  if (type.shape.rank() == 0)
    return filled(type, 1.0);
  const Array places = arange(0, element_count(type.shape).raw(), 1, Dtype::f64, Device::cpu, {});
  return to_device(astype(reshape(cos(places * 2.4 + (1.0 + 0.7 * static_cast<double>(seed))), type.shape), type.dtype),
                   type.device, {});
}

/// Without the sign of NaN.
static std::string text(double number) { return std::isnan(number) ? "nan" : format("{:.6g}", number); }

static double product(const Array &a, const Array &b) {
  return sum(astype(a, Dtype::f64) * astype(b, Dtype::f64)).item<double>();
}

namespace {
class Check {
public:
  Check(const TreeFunction &function, std::span<const TreeRef> trees, Location at)
      : function_(function), arguments_(trees, false), at_(at), inputs_(arguments_.arrays()) {}

  void run() {
    findGradients();
    for (size_t leaf = 0; leaf < inputs_.size(); ++leaf)
      if (isMoved(leaf))
        compareElements(leaf);
    compareForward();
  }

private:
  bool isMoved(size_t leaf) const { return isDifferentiable(inputs_[leaf].dtype()); }

  void findGradients() {
    PullbackState state;
    auto names = [&](size_t leaf) { return arguments_.name(leaf); };
    const OwnedTree result = runForward("check_gradients", state, function_, arguments_, false, names, at_, at_);
    bool any = false;
    for (size_t leaf = 0; leaf < inputs_.size(); ++leaf) {
      const Type &type = state.inputTypes[leaf];
      if (kind(type.dtype) == Kind::complex)
        throw Error("check_gradients: expected real arrays, got " + type.str() + " as " + names(leaf),
                    userLocation(at_));
      any |= isMoved(leaf);
    }
    if (!any)
      throw Error("check_gradients: expected a floating array to differentiate with respect to, got none",
                  userLocation(at_));
    for (const Type &type : state.outputTypes) {
      if (kind(type.dtype) == Kind::complex)
        throw Error("check_gradients: expected real arrays as result, got " + type.str(), userLocation(at_));
      weights_.push_back(isDifferentiable(type.dtype) ? weights(type, weights_.size()) : Array());
    }
    gradients_ = runBackward(state, weights_, false, at_);
  }

  /// The weighted sum of the results where the arrays are `values`; the sum of its terms' magnitudes.
  std::pair<double, double> evaluate(std::span<const Array> values) const {
    double total = 0, magnitude = 0;
    const std::vector<Array> results = arraysOf(arguments_.call(function_, values, at_).ref(), false);
    for (size_t i = 0; i < results.size(); ++i)
      if (weights_[i].has_value()) {
        total += product(results[i], weights_[i]);
        magnitude += product(abs(results[i]), abs(weights_[i]));
      }
    return {total, magnitude};
  }

  void compareElements(size_t leaf) const {
    const Array &x = inputs_[leaf];
    const Array flat = reshape(x, {-1}), slope = reshape(gradients_[leaf], {-1});
    const int64_t size = flat.shape()[0].raw(), step = std::max<int64_t>(1, (size + mostElements - 1) / mostElements);
    const Array places = arange(0, size, 1, Dtype::i64, x.device(), {});
    const double precision = precisionOf(x.dtype());
    for (int64_t i = 0; i < size; i += step) {
      const double value = astype(flat[i], Dtype::f64).item<double>(),
                   h = std::cbrt(precision) * std::max(1.0, std::abs(value));
      double sides[2], points[2], magnitude = 0;
      for (int side : {0, 1}) {
        const Array moved = where(places == i, flat + Array(side ? h : -h, x.dtype()), flat);
        points[side] = astype(moved[i], Dtype::f64).item<double>();
        std::vector<Array> values = inputs_;
        values[leaf] = reshape(moved, x.shape());
        std::tie(sides[side], magnitude) = evaluate(values);
      }
      const double width = points[1] - points[0], expected = (sides[1] - sides[0]) / width;
      const double got = astype(slope[i], Dtype::f64).item<double>();
      const double allowed = toleranceOf(x.dtype()) * (1 + std::abs(expected)) + 8 * precision * magnitude / width;
      if (!(std::abs(got - expected) <= allowed))
        throw Error("check_gradients: expected the derivative by " + arguments_.name(leaf) + place(x.shape(), i) +
                        " to be that of differences, " + text(expected) + ", got " + text(got) + " from reverse mode",
                    userLocation(at_));
    }
  }

  /// Element number `i` as it is written: `[1, 2]`.
  static std::string place(const Shape &shape, int64_t i) {
    std::string text;
    for (int axis = shape.rank(); axis-- > 0; i /= shape[axis].raw())
      text = std::to_string(i % shape[axis].raw()) + (text.empty() ? "" : ", ") + text;
    return text.empty() ? "" : "[" + text + "]";
  }

  /// Along one direction: <u, J t> is <J' u, t>.
  void compareForward() const {
    std::vector<Array> tangents(inputs_.size()), moved;
    double expected = 0, got = 0, scale = 0;
    Dtype coarsest = Dtype::f64;
    for (size_t leaf = 0; leaf < inputs_.size(); ++leaf)
      if (isMoved(leaf)) {
        tangents[leaf] = weights(typeOf(inputs_[leaf].value()), leaf + 100);
        expected += product(gradients_[leaf], tangents[leaf]);
        scale += product(abs(gradients_[leaf]), abs(tangents[leaf]));
        if (precisionOf(inputs_[leaf].dtype()) > precisionOf(coarsest))
          coarsest = inputs_[leaf].dtype();
      }
    OwnedTree result;
    std::vector<Type> types;
    try {
      moved = runMoving("check_gradients", false, function_, arguments_, tangents, result, types, {at_, at_});
    } catch (const NoForwardMode &) {
      return;
    }
    for (size_t i = 0; i < moved.size(); ++i)
      if (moved[i].has_value() && weights_[i].has_value())
        got += product(moved[i], weights_[i]);
    if (!(std::abs(got - expected) <= toleranceOf(coarsest) * (1 + scale)))
      throw Error("check_gradients: expected forward mode to agree with reverse mode, " + text(expected) +
                      " along a direction, got " + text(got),
                  userLocation(at_));
  }

  const TreeFunction &function_;
  const Arguments arguments_;
  const Location at_;
  const std::vector<Array> inputs_;
  /// By array of the result, empty for one without a derivative; by array of the arguments.
  std::vector<Array> weights_, gradients_;
};
} // namespace

void detail::run_check_gradients(const TreeFunction &function, std::span<const TreeRef> arguments, Location at) {
  Check(function, arguments, at).run();
}

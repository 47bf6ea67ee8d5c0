//===- methods.h - functions of an array as its methods -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by tenon-tblgen from the records in dialect/; change those.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/axes.h>
#include <tenon/device.h>
#include <tenon/dtype.h>
#include <tenon/modes.h>

#include <optional>
#include <vector>

namespace tenon {

class Array;
class Operand;
struct SumOptions;
struct ExtremumOptions;
struct QuantifierOptions;
struct ArgOptions;
struct MeanOptions;
struct SpreadOptions;
struct ReduceOptions;
struct NormOptions;

/// The methods of Array and Variable: the functions of these names in ops.h, with the array as their first
/// argument.
template <class Self>
class ArrayMethods {
public:
  [[nodiscard]] Array logical_not(Location at = Location::current()) const;
  [[nodiscard]] Array bitwise_invert(Location at = Location::current()) const;
  [[nodiscard]] Array negative(Location at = Location::current()) const;
  [[nodiscard]] Array abs(Location at = Location::current()) const;
  [[nodiscard]] Array exp(Location at = Location::current()) const;
  [[nodiscard]] Array log(Location at = Location::current()) const;
  [[nodiscard]] Array log1p(Location at = Location::current()) const;
  [[nodiscard]] Array sqrt(Location at = Location::current()) const;
  [[nodiscard]] Array tanh(Location at = Location::current()) const;
  [[nodiscard]] Array cbrt(Location at = Location::current()) const;
  [[nodiscard]] Array exp2(Location at = Location::current()) const;
  [[nodiscard]] Array expm1(Location at = Location::current()) const;
  [[nodiscard]] Array log2(Location at = Location::current()) const;
  [[nodiscard]] Array log10(Location at = Location::current()) const;
  [[nodiscard]] Array sin(Location at = Location::current()) const;
  [[nodiscard]] Array cos(Location at = Location::current()) const;
  [[nodiscard]] Array tan(Location at = Location::current()) const;
  [[nodiscard]] Array asin(Location at = Location::current()) const;
  [[nodiscard]] Array acos(Location at = Location::current()) const;
  [[nodiscard]] Array atan(Location at = Location::current()) const;
  [[nodiscard]] Array sinh(Location at = Location::current()) const;
  [[nodiscard]] Array cosh(Location at = Location::current()) const;
  [[nodiscard]] Array asinh(Location at = Location::current()) const;
  [[nodiscard]] Array acosh(Location at = Location::current()) const;
  [[nodiscard]] Array atanh(Location at = Location::current()) const;
  [[nodiscard]] Array erf(Location at = Location::current()) const;
  [[nodiscard]] Array erfc(Location at = Location::current()) const;
  [[nodiscard]] Array lgamma(Location at = Location::current()) const;
  [[nodiscard]] Array digamma(Location at = Location::current()) const;
  [[nodiscard]] Array trigamma(Location at = Location::current()) const;
  [[nodiscard]] Array i0e(Location at = Location::current()) const;
  [[nodiscard]] Array i1e(Location at = Location::current()) const;
  [[nodiscard]] Array floor(Location at = Location::current()) const;
  [[nodiscard]] Array ceil(Location at = Location::current()) const;
  [[nodiscard]] Array trunc(Location at = Location::current()) const;
  [[nodiscard]] Array round(Location at = Location::current()) const;
  [[nodiscard]] Array sign(Location at = Location::current()) const;
  [[nodiscard]] Array isnan(Location at = Location::current()) const;
  [[nodiscard]] Array isinf(Location at = Location::current()) const;
  [[nodiscard]] Array isfinite(Location at = Location::current()) const;
  [[nodiscard]] Array signbit(Location at = Location::current()) const;
  [[nodiscard]] Array popcount(Location at = Location::current()) const;
  [[nodiscard]] Array clz(Location at = Location::current()) const;
  [[nodiscard]] Array relu(Location at = Location::current()) const;
  [[nodiscard]] Array clip(const Operand &lo, const Operand &hi, Location at = Location::current()) const;
  [[nodiscard]] Array astype(Dtype dtype, Location at = Location::current()) const;
  [[nodiscard]] Array real(Location at = Location::current()) const;
  [[nodiscard]] Array imag(Location at = Location::current()) const;
  [[nodiscard]] Array conj(Location at = Location::current()) const;
  [[nodiscard]] Array sum(const SumOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array sum(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                          Location at = Location::current()) const;
  [[nodiscard]] Array max(const ExtremumOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array max(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                          Location at = Location::current()) const;
  [[nodiscard]] Array min(const ExtremumOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array min(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                          Location at = Location::current()) const;
  [[nodiscard]] Array prod(const SumOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array prod(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                           Location at = Location::current()) const;
  [[nodiscard]] Array any(const QuantifierOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array any(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                          Location at = Location::current()) const;
  [[nodiscard]] Array all(const QuantifierOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array all(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                          Location at = Location::current()) const;
  [[nodiscard]] Array argmax(const ArgOptions &options, Location at = Location::current()) const;
  template <class Place = std::optional<Axis>>
  [[nodiscard]] Array argmax(detail::Positional<Place> axis = {}, bool keepdims = false,
                             Location at = Location::current()) const;
  [[nodiscard]] Array reshape(const Shape &shape, Location at = Location::current()) const;
  [[nodiscard]] Array broadcast_to(const Shape &shape, Location at = Location::current()) const;
  [[nodiscard]] Array transpose(const Ints &permutation = {}, Location at = Location::current()) const;
  [[nodiscard]] Array argsort(Axis axis = -1, bool descending = false, Location at = Location::current()) const;
  [[nodiscard]] Array cumulative_sum(std::optional<Axis> axis = {}, bool include_initial = false,
                                     Location at = Location::current()) const;
  [[nodiscard]] Array cumulative_prod(std::optional<Axis> axis = {}, bool include_initial = false,
                                      Location at = Location::current()) const;
  [[nodiscard]] Array softmax(Axis axis = -1, Location at = Location::current()) const;
  [[nodiscard]] Array log_softmax(Axis axis = -1, Location at = Location::current()) const;
  [[nodiscard]] Array sigmoid(Location at = Location::current()) const;
  [[nodiscard]] Array logit(Location at = Location::current()) const;
  [[nodiscard]] Array softplus(Location at = Location::current()) const;
  [[nodiscard]] Array log_sigmoid(Location at = Location::current()) const;
  [[nodiscard]] Array log1mexp(Location at = Location::current()) const;
  [[nodiscard]] Array silu(Location at = Location::current()) const;
  [[nodiscard]] Array swish(Location at = Location::current()) const;
  [[nodiscard]] Array mish(Location at = Location::current()) const;
  [[nodiscard]] Array selu(Location at = Location::current()) const;
  [[nodiscard]] Array relu6(Location at = Location::current()) const;
  [[nodiscard]] Array hard_tanh(Location at = Location::current()) const;
  [[nodiscard]] Array hard_sigmoid(Location at = Location::current()) const;
  [[nodiscard]] Array hard_swish(Location at = Location::current()) const;
  [[nodiscard]] Array hard_silu(Location at = Location::current()) const;
  [[nodiscard]] Array soft_sign(Location at = Location::current()) const;
  [[nodiscard]] Array softsign(Location at = Location::current()) const;
  [[nodiscard]] Array square(Location at = Location::current()) const;
  [[nodiscard]] Array positive(Location at = Location::current()) const;
  [[nodiscard]] Array reciprocal(Location at = Location::current()) const;
  [[nodiscard]] Array rsqrt(Location at = Location::current()) const;
  [[nodiscard]] Array erf_inv(Location at = Location::current()) const;
  [[nodiscard]] Array sinc(Location at = Location::current()) const;
  [[nodiscard]] Array deg2rad(Location at = Location::current()) const;
  [[nodiscard]] Array rad2deg(Location at = Location::current()) const;
  [[nodiscard]] Array angle(Location at = Location::current()) const;
  [[nodiscard]] Array mean(const MeanOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array mean(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                           Location at = Location::current()) const;
  [[nodiscard]] Array var(const SpreadOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array var(const detail::Positional<Axes> &axes = {}, bool keepdims = false, double correction = 0,
                          Location at = Location::current()) const;
  [[nodiscard]] Array std(const SpreadOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array std(const detail::Positional<Axes> &axes = {}, bool keepdims = false, double correction = 0,
                          Location at = Location::current()) const;
  [[nodiscard]] Array ptp(const ReduceOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array ptp(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                          Location at = Location::current()) const;
  [[nodiscard]] Array argmin(const ArgOptions &options, Location at = Location::current()) const;
  template <class Place = std::optional<Axis>>
  [[nodiscard]] Array argmin(detail::Positional<Place> axis = {}, bool keepdims = false,
                             Location at = Location::current()) const;
  [[nodiscard]] Array norm(const NormOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array norm(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                           std::optional<double> ord = {}, Location at = Location::current()) const;
  [[nodiscard]] Array median(const ReduceOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array median(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                             Location at = Location::current()) const;
  [[nodiscard]] Array logsumexp(const ReduceOptions &options, Location at = Location::current()) const;
  template <class Axes = Ints>
  [[nodiscard]] Array logsumexp(const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                                Location at = Location::current()) const;
  [[nodiscard]] Array sort(Axis axis = -1, bool descending = false, Location at = Location::current()) const;
  [[nodiscard]] std::vector<Array> nonzero(std::optional<Dim> size = {}, int fill_value = 0,
                                           Location at = Location::current()) const;
  [[nodiscard]] Array expand_dims(const Ints &axes, Location at = Location::current()) const;
  [[nodiscard]] Array squeeze(const Ints &axes = {}, Location at = Location::current()) const;
  [[nodiscard]] Array flip(const Ints &axes = {}, Location at = Location::current()) const;
  [[nodiscard]] Array swapaxes(Axis axis1, Axis axis2, Location at = Location::current()) const;
  [[nodiscard]] Array diagonal(int offset = 0, Axis axis1 = 0, Axis axis2 = 1, Location at = Location::current()) const;
  [[nodiscard]] Array ravel(Location at = Location::current()) const;
  [[nodiscard]] Array flatten(Location at = Location::current()) const;
  [[nodiscard]] Array roll(const Ints &shift, const Ints &axes = {}, Location at = Location::current()) const;
  [[nodiscard]] Array repeat(const Operand &repeats, std::optional<Axis> axis = {},
                             Location at = Location::current()) const;
  [[nodiscard]] Array tile(const Ints &repetitions, Location at = Location::current()) const;
  [[nodiscard]] Array matmul(const Operand &x2, std::optional<Dtype> dtype = {}, Location at = Location::current()) const;
  [[nodiscard]] Array dot(const Operand &x2, Location at = Location::current()) const;
  [[nodiscard]] Array trace(int offset = 0, Axis axis1 = 0, Axis axis2 = 1, Location at = Location::current()) const;
  [[nodiscard]] Array take(const Operand &indices, std::optional<Axis> axis = {}, IndexMode mode = IndexMode::error,
                           Location at = Location::current()) const;
  [[nodiscard]] Array poly(Location at = Location::current()) const;
  [[nodiscard]] Array i0(Location at = Location::current()) const;
  [[nodiscard]] Array i1(Location at = Location::current()) const;
};

} // namespace tenon

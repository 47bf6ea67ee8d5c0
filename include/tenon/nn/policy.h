//===- policy.h - the dtypes that layers compute in -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mixed precision, as Keras' dtype policies: layers that are made under a PolicyScope compute in its compute dtype, and
// their weights are kept in its variable dtype. Losses and metrics are f32 in any case.
//
//   const Net net = [] {
//     const nn::PolicyScope policy{nn::mixed_bfloat16};
//     return Net();
//   }();
//
// f16 needs loss scaling beside: optim::LossScaleOptimizer. Recurrent layers, MultiHeadAttention and the Transformer
// blocks do not follow a policy yet: they compute in the dtypes of their weights and inputs.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/dtype.h>

#include <cstdint>

namespace tenon::nn {

/// The dtypes of a layer, real floating ones. The default leaves arrays as they are, and makes f32 weights.
struct Policy {
  Dtype compute = Dtype::f32, variable = Dtype::f32;
  friend constexpr bool operator==(const Policy &, const Policy &) = default;
};
inline constexpr Policy mixed_bfloat16{.compute = Dtype::bf16}, mixed_float16{.compute = Dtype::f16};

/// While it lives, layers that this thread makes have this policy: also the members of a struct that is made.
class PolicyScope {
public:
  /// An Error unless both are real floating dtypes that can be computed with.
  [[nodiscard]] explicit PolicyScope(const Policy &policy);
  PolicyScope(const PolicyScope &) = delete;
  PolicyScope &operator=(const PolicyScope &) = delete;
  ~PolicyScope();

private:
  Policy before_;
};
/// The policy of layers that this thread makes now.
Policy policy();

/// What a layer's policy does with a call.
enum class PolicyCasts : uint8_t {
  /// The input and the trainable weights of the layer are cast to the compute dtype.
  all,
  /// The result is: a layer of statistics, which computes in the dtype of its weights.
  result,
  /// Nothing is: a layer that calls others.
  none
};

} // namespace tenon::nn

//===- Attention.td - scaled dot product attention ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_ATTENTION_COMPOSITES
#define TENON_ATTENTION_COMPOSITES

include "Base.td"

def Tenon_ScaledDotProductAttention : Tenon_Composite<"scaled_dot_product_attention"> {
  let category = "neural";
  let summary = "Attention, `softmax(scale * q k^T) v`, of each head.";
  let description = [{
    q is (batch..., heads, length, width), k (batch..., kv_heads, keys, width), v (batch..., kv_heads, keys, values); the
    result is (batch..., heads, length, values). `heads` is a multiple of `kv_heads`: each head of k and v serves as many
    heads of q, one after another (grouped-query attention), without being copied.

    A score takes part if `mask`, `causal` and `window` all let it. A row of which none takes part gives 0, with
    derivatives 0; NaN among the k that no row takes part in changes nothing, NaN among their v does (`0 * NaN`).
    `softcap` is applied to the scaled scores, before `bias` is added.

    Query i is at the place of key i, also where there are more keys than queries: `causal` and `window` count from the
    first query and key, as `is_causal` of PyTorch, JAX and Keras does. FlashAttention (since 2.1) and MLX count from
    the last ones, as queries want it that follow cached keys: pass `mask = arange(length).reshape({-1, 1}) + (keys -
    length) >= arange(keys)` for that.

    Scores, softmax and sums of f16 and bf16 are computed in f32, and the result is rounded once.

    Outside of jit the memory, also of the derivatives by q, k and v, grows linearly with the number of keys. A compiled
    program and the derivative by a bias hold all scores.}];
  let example = "Array y = scaled_dot_product_attention(q, k, v, {.causal = true, .window = {127, 0}});";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$q, Tenon_Tensor:$k, Tenon_Tensor:$v);
  let parameters = [
    Tenon_Parameter<"q", "operand">, Tenon_Parameter<"k", "operand">, Tenon_Parameter<"v", "operand">,
    Tenon_Parameter<"mask", "operand", "none", "Bools that broadcast to (batch..., heads, length, keys): true takes part.">,
    Tenon_Parameter<"bias", "operand", "none", "Floats that broadcast to the same shape and are added to the scores.">,
    Tenon_Parameter<"causal", "bool", "false", "Query i sees the keys 0 to i.">,
    Tenon_Parameter<"scale", "float", "none", "Default: `1 / sqrt(width)`.">,
    Tenon_Parameter<"window", "ints", "none", "Query i sees the keys i - left to i + right: {left, right}, or one number for both; -1 is no bound.">,
    Tenon_Parameter<"softcap", "float", "none", "Makes the scores `softcap * tanh(scores / softcap)`.">,
    Tenon_Parameter<"dropout_rate", "float", "0", "Each weight of the softmax becomes 0 with this probability; the others are divided by `1 - dropout_rate`.">,
    Tenon_Parameter<"key", "key", "none", "The key of the dropout; needed where the rate is not 0.">];
  let options = "AttentionOptions";
  let isByName = 1;
  let referenceUlp = 32;
}
// What has a kernel that needs no memory for all scores. A mask, a bias or a key of rank 0 is none. The mask and the bias
// broadcast to the scores; an array of keys has the first axes of q, and each key draws for the others. `left` and
// `right` are the bounds of the window, -1 for none; a softcap of 0 is none.
def Tenon_Attention : Tenon_NamedComposite<"attention"> {
  let category = "neural";
  let summary = "What `scaled_dot_product_attention` is where the width of q is known.";
  let description = [{The kernel keeps the scores of a few queries at a time, so its memory grows linearly with the
    number of keys. The derivative, `attention_gradient`, computes the scores anew. The kernel has the bits of the ops of the decomposition.}];
  let isPublic = 0;
  let dtypes = ["f32", "f64"];
  let otherDtypes = ["bool", "u32"];
  let arguments = (ins Tenon_Tensor:$q, Tenon_Tensor:$k, Tenon_Tensor:$v, Tenon_Tensor:$mask, Tenon_Tensor:$bias,
                   Tenon_Tensor:$key, Tenon_Int:$left, Tenon_Int:$right, Tenon_Scalar:$scale, Tenon_Scalar:$softcap,
                   Tenon_Scalar:$dropout_rate);
  let kernel = "kernelAttention";
  let vjp = "vjpAttention";
  let needs = ["q", "k", "v", "mask", "bias", "key"];
  let batch = "batchAttention";
  let referenceUlp = 32;
}
// Three results of one kernel, since each would compute the weights anew. The attributes are those of `attention`.
def Tenon_AttentionGradient : Tenon_NamedComposite<"attention_gradient"> {
  let category = "neural";
  let summary = "Cotangents of q, k and v in `attention`, given the cotangent of the result.";
  let description = [{The kernel computes the weights of a few queries at a time anew and adds their products to the
    sums over the queries, so its memory grows linearly too. It has the bits of the ops of the decomposition.}];
  let isPublic = 0;
  let dtypes = ["f32", "f64"];
  let otherDtypes = ["bool", "u32"];
  let arguments = (ins Tenon_Tensor:$q, Tenon_Tensor:$k, Tenon_Tensor:$v, Tenon_Tensor:$mask, Tenon_Tensor:$bias,
                   Tenon_Tensor:$key, Tenon_Tensor:$cotangent, Tenon_Int:$left, Tenon_Int:$right, Tenon_Scalar:$scale,
                   Tenon_Scalar:$softcap, Tenon_Scalar:$dropout_rate);
  let results = ["q_cotangent", "k_cotangent", "v_cotangent"];
  let kernel = "kernelAttentionGradient";
  let batch = "batchAttentionGradient";
  let referenceUlp = 32;
}

#endif // TENON_ATTENTION_COMPOSITES

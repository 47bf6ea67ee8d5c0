//===- Distances.td - distances and unit vectors ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_DISTANCE_COMPOSITES
#define TENON_DISTANCE_COMPOSITES

include "Base.td"

def Tenon_NormOrderParameter : Tenon_Parameter<"p", "float", "2", "The order of the norm, as in `vector_norm`.">;

class Tenon_Distance<string name> : Tenon_Composite<name> {
  let category = "neural";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let isByName = 1;
  let referenceUlp = 32;
}
def Tenon_Normalize : Tenon_Distance<"normalize"> {
  let summary = "Unit vectors along `axis`, `x / maximum(norm(x), epsilon)`. Integers become f32.";
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_NormOrderParameter, Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"epsilon", "float", "1e-12", "The smallest divisor; positive.">];
  let options = "NormalizeOptions";
}
def Tenon_CosineSimilarity : Tenon_Distance<"cosine_similarity"> {
  let summary = "Cosine of the angle between vectors along `axis`. Integers become f32.";
  let description = [{Each vector is divided by its norm, or by `epsilon` if that is larger. Other axes broadcast.}];
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"epsilon", "float", "1e-8", "The smallest divisor; positive.">];
  let options = "CosineOptions";
}
def Tenon_PairwiseDistance : Tenon_Distance<"pairwise_distance"> {
  let summary = "Norm of `x1 - x2 + epsilon` along the last axis. Integers become f32.";
  let description = [{The arrays broadcast. As in PyTorch, `epsilon` is added to each difference; with 0 the derivative at
    equal vectors is 0.}];
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">, Tenon_NormOrderParameter,
                    Tenon_Parameter<"epsilon", "float", "1e-6">, Tenon_KeepdimsParameter];
  let options = "PairwiseOptions";
}
def Tenon_Cdist : Tenon_Distance<"cdist"> {
  let summary = "Distances of each row of x1 (..., m, width) to each row of x2 (..., n, width), as (..., m, n). Integers become f32.";
  let description = [{Leading axes broadcast. Computed from differences, not from products, so that near rows keep their
    digits. The derivative at equal rows is 0.}];
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">, Tenon_NormOrderParameter];
  let options = "CdistOptions";
}

#endif // TENON_DISTANCE_COMPOSITES

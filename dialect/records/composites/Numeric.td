//===- Numeric.td - polynomials, differences, statistics ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_NUMERIC_COMPOSITES
#define TENON_NUMERIC_COMPOSITES

include "Base.td"

class Tenon_Numeric<string name, string section> : Tenon_Composite<name> {
  let category = section;
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x);
  let referenceUlp = 64;
}
def Tenon_Polyval : Tenon_Numeric<"polyval", "elementwise"> {
  let summary = "The polynomial of the coefficients `p`, the highest power first, at x, by Horner's rule.";
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$p, Tenon_Tensor:$x);
}
def Tenon_Interp : Tenon_Numeric<"interp", "elementwise"> {
  let summary = "At x the line through the points (xp, fp), whose xp ascend.";
  let description = [{Below the first point `left`, above the last one `right`; left out: fp there. NaN where x is NaN.}];
  let example = "Array y = interp(x, Array{0.f, 1.f, 4.f}, Array{0.f, 1.f, 2.f});";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$xp, Tenon_Tensor:$fp);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"xp", "operand", "", "One axis, ascending.">,
                    Tenon_Parameter<"fp", "operand", "", "As many.">,
                    Tenon_Parameter<"left", "number", "none", "Left out: the first of fp.">,
                    Tenon_Parameter<"right", "number", "none", "Left out: the last of fp.">];
}
def Tenon_Ediff1d : Tenon_Numeric<"ediff1d", "elementwise"> {
  let summary = "Each element of the flattened x less the one before it, between `to_begin` and `to_end`, flattened.";
  let dtypes = ["numeric"];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"to_end", "operand", "none">,
                    Tenon_Parameter<"to_begin", "operand", "none">];
}
def Tenon_Unwrap : Tenon_Numeric<"unwrap", "elementwise"> {
  let summary = "x along `axis` without its jumps: by multiples of `period`, each is at most half a one from the one before.";
  let description = [{What differs by less than `discont` stays; below half a period it counts as that. Integers become f32.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"discont", "number", "none", "Left out: half a period.">,
                    Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"period", "number", "none", "Left out: 2 pi.">];
}
def Tenon_Gradient : Tenon_Numeric<"gradient", "elementwise"> {
  let summary = "The slopes of x along each of the given axes, all by default, by central differences; at the ends one-sided.";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"spacing", "float", "1", "From one element to the next.">, Tenon_AxesParameter];
  let returns = "std::vector<Array>";
}
def Tenon_Trapezoid : Tenon_Numeric<"trapezoid", "reduction"> {
  let summary = "The integral of y along `axis` by the trapezoidal rule.";
  let description = [{At the points `x`, of y's shape or one axis; left out: at distances `dx`.}];
  let arguments = (ins Tenon_Tensor:$y);
  let parameters = [Tenon_Parameter<"y", "operand">, Tenon_Parameter<"x", "operand", "none", "Left out: at distances dx.">,
                    Tenon_Parameter<"dx", "float", "1">, Tenon_Parameter<"axis", "axis", "-1">];
}
def Tenon_Cov : Tenon_Numeric<"cov", "reduction"> {
  let summary = "The covariances of the rows of x, each a variable; of one row its variance.";
  let parameters = [Tenon_Parameter<"x", "operand", "", "Of one axis or two.">,
                    Tenon_Parameter<"rowvar", "bool", "true", "False: the columns are the variables.">,
                    Tenon_Parameter<"ddof", "int", "1", "Taken from the number of observations that divides.">];
}
def Tenon_Corrcoef : Tenon_Numeric<"corrcoef", "reduction"> {
  let summary = "Pearson's correlations of the rows of x, each a variable, within [-1, 1].";
  let parameters = [Tenon_Parameter<"x", "operand", "", "Of one axis or two.">,
                    Tenon_Parameter<"rowvar", "bool", "true", "False: the columns are the variables.">];
}
def Tenon_GlobalNorm : Tenon_Numeric<"global_norm", "reduction"> {
  let isOfComplexToo = 1;
  let summary = "The square root of the sum of all squares of all arrays; of complex numbers it is real.";
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
}
def Tenon_ClipByNorm : Tenon_Numeric<"clip_by_norm", "neural"> {
  let isOfComplexToo = 1;
  let summary = "x, scaled down to the norm `max_norm` where its own, over the given axes or all, is larger.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"max_norm", "float">, Tenon_AxesParameter];
}

// Beside x the number of the example, of whichever vmap the reduction is over: the rule of
// that vmap reduces. Of one example it is x.
def Tenon_MappedReduction : Tenon_NamedComposite<"mapped_reduction"> {
  let category = "reduction";
  let summary = "x, and over the examples of a vmap with these numbers its reduction by `function`.";
  let isPublic = 0;
  let dtypes = ["boolean", "integer", "floating", "complex"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$index, Tenon_String:$function);
  let vjp = "vjpMappedReduction";
  let needs = ["x", "index", "result"];
  let batch = "batchMappedReduction";
}

#endif // TENON_NUMERIC_COMPOSITES

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
  let summary = "Evaluates a polynomial with coefficients `p`, highest power first, at x by Horner's rule.";
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$p, Tenon_Tensor:$x);
}
def Tenon_Interp : Tenon_Numeric<"interp", "elementwise"> {
  let summary = "Piecewise-linear interpolation at `x` of the points `(xp, fp)`; `xp` must be increasing.";
  let description = [{Returns `left` below the first point and `right` above the last one. NaN where x is NaN.}];
  let example = "Array y = interp(x, Array{0.f, 1.f, 4.f}, Array{0.f, 1.f, 2.f});";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$xp, Tenon_Tensor:$fp);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"xp", "operand", "", "A vector, increasing.">,
                    Tenon_Parameter<"fp", "operand", "", "Values at `xp`, of the same size.">,
                    Tenon_Parameter<"left", "number", "none", "Value below the first point; default: the first of fp.">,
                    Tenon_Parameter<"right", "number", "none", "Value above the last point; default: the last of fp.">];
}
def Tenon_Ediff1d : Tenon_Numeric<"ediff1d", "elementwise"> {
  let summary = "Differences between consecutive elements of the flattened x, with `to_begin` prepended and `to_end` appended.";
  let dtypes = ["numeric"];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"to_end", "operand", "none">,
                    Tenon_Parameter<"to_begin", "operand", "none">];
}
def Tenon_Unwrap : Tenon_Numeric<"unwrap", "elementwise"> {
  let summary = "Unwraps phases along `axis`: removes jumps larger than half a period by adding multiples of `period`.";
  let description = [{Differences smaller than `discont` are kept; a `discont` below half a period counts as half a
    period. Integers become f32.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"discont", "number", "none", "Default: half a period.">,
                    Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"period", "number", "none", "Default: 2 pi.">];
}
def Tenon_Gradient : Tenon_Numeric<"gradient", "elementwise"> {
  let summary = "Gradient along each of the given axes (default: all), by central differences inside and one-sided differences at the ends.";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"spacing", "float", "1", "Distance between elements.">, Tenon_AxesParameter];
  let returns = "std::vector<Array>";
}
def Tenon_Trapezoid : Tenon_Numeric<"trapezoid", "reduction"> {
  let summary = "Integrates y along `axis` by the trapezoidal rule.";
  let description = [{The sample points are `x`, which has the shape of y or one axis; without `x` they are `dx`
    apart.}];
  let arguments = (ins Tenon_Tensor:$y);
  let parameters = [Tenon_Parameter<"y", "operand">, Tenon_Parameter<"x", "operand", "none", "Sample points; default: `dx` apart.">,
                    Tenon_Parameter<"dx", "float", "1">, Tenon_Parameter<"axis", "axis", "-1">];
}
def Tenon_CumulativeTrapezoid : Tenon_Numeric<"cumulative_trapezoid", "cumulative"> {
  let summary = "Cumulative integral of y along `axis` by the trapezoidal rule; one element fewer than y unless `initial` is given.";
  let description = [{The sample points are `x`, which has the shape of y or one axis; without `x` they are `dx`
    apart. With `initial` the result has the shape of y. The axis must not be empty.}];
  let example = "Array distance = cumulative_trapezoid(speed, {.x = time, .initial = 0});";
  let arguments = (ins Tenon_Tensor:$y);
  let options = "CumulativeTrapezoidOptions";
  let isByName = 1;
  let parameters = [Tenon_Parameter<"y", "operand">, Tenon_Parameter<"x", "operand", "none", "Sample points; default: `dx` apart.">,
                    Tenon_Parameter<"dx", "float", "1">, Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"initial", "number", "none", "Prepended to the result; not added to the integrals.">];
}
def Tenon_Cov : Tenon_Numeric<"cov", "reduction"> {
  let summary = "Covariance matrix of the rows of x, each of which is a variable; for one row, its variance.";
  let parameters = [Tenon_Parameter<"x", "operand", "", "A vector or a matrix.">,
                    Tenon_Parameter<"rowvar", "bool", "true", "False: columns are the variables.">,
                    Tenon_Parameter<"ddof", "int", "1", "Delta degrees of freedom: the divisor is the number of observations minus `ddof`.">];
}
def Tenon_Corrcoef : Tenon_Numeric<"corrcoef", "reduction"> {
  let summary = "Matrix of Pearson correlation coefficients of the rows of x, each of which is a variable.";
  let parameters = [Tenon_Parameter<"x", "operand", "", "A vector or a matrix.">,
                    Tenon_Parameter<"rowvar", "bool", "true", "False: columns are the variables.">];
}
def Tenon_GlobalNorm : Tenon_Numeric<"global_norm", "reduction"> {
  let isOfComplexToo = 1;
  let summary = "Square root of the sum of squares of all elements of all arrays; real for complex numbers.";
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
}
def Tenon_ClipByNorm : Tenon_Numeric<"clip_by_norm", "neural"> {
  let isOfComplexToo = 1;
  let summary = "Scales x down to the norm `max_norm` where its norm over the given axes (default: all) is larger.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"max_norm", "float">, Tenon_AxesParameter];
}

// Beside x the number of the example, of whichever vmap the reduction is over: the rule of
// that vmap reduces. Of one example it is x.
def Tenon_MappedReduction : Tenon_NamedComposite<"mapped_reduction"> {
  let category = "reduction";
  let summary = "Reduction by `function` over the batch elements of the vmap that `index` belongs to; x itself outside of it.";
  let isPublic = 0;
  let dtypes = ["boolean", "integer", "floating", "complex"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$index, Tenon_String:$function);
  let vjp = "vjpMappedReduction";
  let needs = ["x", "index", "result"];
  let batch = "batchMappedReduction";
}

#endif // TENON_NUMERIC_COMPOSITES

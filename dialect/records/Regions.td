//===- Regions.td - ops that hold traces ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies are isolated: what a body captures is an operand. Their public
// functions are templates over callables and trees (include/tenon/control.h).
// What becomes of an operand is data here (`groups`, `bodies`, `rounds`: the
// attribute that holds the number of rounds), so that inference, import, the
// check of a schedule and its plan know no op by name.
//===----------------------------------------------------------------------===//
#ifndef TENON_REGIONS
#define TENON_REGIONS

include "Base.td"

// Regions print as `body(%x: tensor<4xf32>) { ... }`, under their names in the
// record; they end in tenon.return. The verifier runs the shape rule on the
// types of the operands and of the regions.
defvar regionDefinition = recordAssembly # [{
  ::llvm::LogicalResult $cppClass::verifyRegions() { return verifyRegionOp(*this); }
}];

class Tenon_RegionOp<string mnemonic, int number, list<Trait> traits = []>
    : Tenon_Op<mnemonic, number, !listconcat(traits, [IsolatedFromAbove, RecursiveMemoryEffects])> {
  let category = "control flow";
  let dtypes = ["any"];
  let isPublic = 0;
  let shapeRule = "inferRegions";
  let kernel = "none";
  let lowering = "region";
  let results = (outs Variadic<Tenon_Tensor>:$outs);
  let hasRegionVerifier = 1;
  let extraClassDefinition = regionDefinition;
}
def Tenon_CallOp : Tenon_RegionOp<"call", 80> {
  let summary = "Runs its body once: a jitted function called from another traced or transformed function.";
  let description = [{The callee's name is shown to people; it does not take part in comparisons, so equal functions
    with different names share one program.}];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
  let regions = (region SizedRegion<1>:$body);
  let groups = [Tenon_Group<"xs", "passed">];
  let bodies = [Tenon_Body<["xs"], "results", /*hasName=*/1>];
}
def Tenon_CondOp : Tenon_RegionOp<"cond", 81> {
  let summary = "Runs the first body if the predicate (rank-0 bool) is true, otherwise the second; both take `xs`.";
  let arguments = (ins Tenon_Tensor:$predicate, Variadic<Tenon_Tensor>:$xs);
  let regions = (region SizedRegion<1>:$then, SizedRegion<1>:$otherwise);
  let shapeRule = "inferCond";
  let groups = [Tenon_Group<"predicate", "read">, Tenon_Group<"xs", "passed">];
  let bodies = [Tenon_Body<["xs"], "results">, Tenon_Body<["xs"], "results">];
}
def Tenon_ScanOp : Tenon_RegionOp<"scan", 82, [AttrSizedOperandSegments]> {
  let summary = "Loops over axis 0 of the inputs, passes carries from one iteration to the next and stacks the outputs.";
  let description = [{Operands: `consts` captured arrays, then `carries` initial carries, then the inputs, whose
    axis 0 has size `length`. The body takes the constants, the carries and one slice of each input, and returns the
    carries and one slice of each output. With `reverse` the loop runs from the last slice to the first. Results:
    the final carries, then the stacked outputs.}];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Variadic<Index>:$length_sizes, Tenon_Dims:$length, Tenon_Int:$consts,
                   Tenon_Int:$carries, Tenon_Bool:$reverse);
  let regions = (region SizedRegion<1>:$body);
  let groups = [Tenon_Group<"consts", "passed">, Tenon_Group<"carries", "carried">, Tenon_Group<"inputs", "sliced">];
  let bodies = [Tenon_Body<["consts", "carries", "inputs"], "round">];
  let rounds = "length";
}
def Tenon_WhileLoopOp : Tenon_RegionOp<"while_loop", 83> {
  let summary = "Repeats the body on the carries while the condition (rank-0 bool) is true.";
  let description = [{Operands: `cond_consts` arrays captured by the condition, `body_consts` captured by the body,
    then the initial carries.}];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_Int:$cond_consts, Tenon_Int:$body_consts);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let groups = [Tenon_Group<"cond_consts", "passed">, Tenon_Group<"body_consts", "passed">,
                Tenon_Group<"carries", "carried">];
  let bodies = [Tenon_Body<["cond_consts", "carries"], "answer">, Tenon_Body<["body_consts", "carries"], "round">];
  let noVjp = "while_loop has no reverse-mode derivative: its number of rounds is unknown before it runs; use scan, whose length is fixed, or while_loop with max_iterations";
}
def Tenon_SwitchCaseOp : Tenon_RegionOp<"switch_case", 84> {
  let summary = "Runs the body with number `index` (rank-0 i64); an index outside the range is clamped. All bodies take `xs`.";
  let arguments = (ins Tenon_Tensor:$index, Variadic<Tenon_Tensor>:$xs);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branch);
  let shapeRule = "inferSwitchCase";
  let groups = [Tenon_Group<"index", "read">, Tenon_Group<"xs", "passed">];
  let bodies = [Tenon_Body<["xs"], "results">];
}

//===----------------------------------------------------------------------===//
// Composites as one op: what they are made of is the region.
//===----------------------------------------------------------------------===//

def Tenon_CompositeOp : Tenon_Op<"composite", 90, [IsolatedFromAbove, RecursiveMemoryEffects]> {
  let category = "control flow";
  let summary = "A named function of other ops: `name`, its attributes, and its decomposition as a region.";
  let description = [{The region defines the result. A kernel or rule registered for the name is used only where the
    region equals the decomposition that this build records for that name, attributes and operand types. Names of
    users' composites start with `user.` and never have registered kernels or rules.}];
  let dtypes = ["any"];
  let isPublic = 0;
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_String:$name, Tenon_Named:$composite_attributes);
  let results = (outs Variadic<Tenon_Tensor>:$outs);
  let regions = (region SizedRegion<1>:$decomposition);
  let groups = [Tenon_Group<"xs", "passed">];
  let bodies = [Tenon_Body<["xs"], "results">];
  let lowering = "open";
  let hasRegionVerifier = 1;
  let extraClassDefinition = regionDefinition;
}

//===----------------------------------------------------------------------===//
// Functions with rules of their own: the first region is put in the op's place
// (lowering "ruled"); what else is there is asked by transformations alone.
//===----------------------------------------------------------------------===//

class Tenon_RuledOp<string mnemonic, int number>
    : Tenon_Op<mnemonic, number, [IsolatedFromAbove, RecursiveMemoryEffects]> {
  let category = "control flow";
  let dtypes = ["any"];
  let isPublic = 0;
  let kernel = "none";
  let lowering = "ruled";
  let results = (outs Variadic<Tenon_Tensor>:$outs);
  let hasRegionVerifier = 1;
  let extraClassDefinition = regionDefinition;
}
def Tenon_CustomVjpOp : Tenon_RuledOp<"custom_vjp", 200> {
  let summary = "A function with a user-defined rule for reverse-mode derivatives, from cotangents to cotangents.";
  let description = [{Operands: `captures` captured arrays, then the arguments. The first `ruled` results of `body`
    use the rule; the others are differentiated as written. `forward` returns the results of `body`, followed by
    `residuals` residuals, and replaces `body` where the op is differentiated. `backward` takes the residuals and
    the cotangents of those ruled results that have a derivative, and returns the cotangents of the operands listed
    in `cotangents`; the other operands have none. `backward` need not be linear.}];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_Int:$captures, Tenon_Int:$ruled, Tenon_Int:$residuals,
                   Tenon_Ints:$cotangents);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$forward, SizedRegion<1>:$backward);
  let groups = [Tenon_Group<"captures", "passed">, Tenon_Group<"xs", "passed">];
  let bodies = [Tenon_Body<["captures", "xs"], "results", /*hasName=*/1>, Tenon_Body<["captures", "xs"], "rule">,
                Tenon_Body<[], "rule">];
}
def Tenon_CustomJvpOp : Tenon_RuledOp<"custom_jvp", 201> {
  let summary = "A function with a user-defined rule for forward-mode derivatives, from tangents to tangents.";
  let description = [{Operands: `captures` captured arrays, then the arguments. The first `ruled` results of `body`
    use the rule; the others are differentiated as written. `jvp` takes the operands and one tangent for each
    differentiable argument, is linear in the tangents, and returns the tangents of the differentiable ruled
    results.}];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_Int:$captures, Tenon_Int:$ruled);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$jvp);
  let groups = [Tenon_Group<"captures", "passed">, Tenon_Group<"xs", "passed">];
  let bodies = [Tenon_Body<["captures", "xs"], "results", /*hasName=*/1>, Tenon_Body<["captures", "xs"], "rule">];
}
def Tenon_CheckpointOp : Tenon_RuledOp<"checkpoint", 202> {
  let summary = "A function whose intermediate values are recomputed for the derivative instead of being kept.";
  let description = [{Kept besides the operands: with `dots`, the results of matrix products; and the values that
    `checkpoint_name` gave one of `names` (separated by commas).}];
  let shapeRule = "inferRegions";
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_Bool:$dots, Tenon_String:$names);
  let regions = (region SizedRegion<1>:$body);
  let groups = [Tenon_Group<"xs", "passed">];
  let bodies = [Tenon_Body<["xs"], "results", /*hasName=*/1>];
}

//===----------------------------------------------------------------------===//
// Ops of the IR alone: traces have no code for them.
//===----------------------------------------------------------------------===//

def Tenon_ReturnOp : Op<Tenon_Dialect, "return", [Pure, ReturnLike, Terminator]> {
  let summary = "Ends a region and returns its results.";
  let arguments = (ins Variadic<Tenon_Tensor>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}
def Tenon_SizeOp
    : Op<Tenon_Dialect, "size", [Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A size that is an expression of symbols: `tenon.size \"2*batch + 1\" : index`.";
  let arguments = (ins StrAttr:$expression);
  let results = (outs Index:$result);
  let assemblyFormat = "$expression attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // TENON_REGIONS

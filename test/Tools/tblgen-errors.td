// Records that tenon-tblgen refuses, with their file and line.
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D CODE 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: not tenon-tblgen -gen-api %s -I %llvm_include -I %source/dialect/records -D NAME 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tenon-tblgen -gen-docs %s -I %llvm_include -I %source/dialect/records -D CATEGORY 2>&1 | FileCheck %s --check-prefix=CATEGORY
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D LOWERING 2>&1 | FileCheck %s --check-prefix=LOWERING
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D PROMOTION 2>&1 | FileCheck %s --check-prefix=PROMOTION
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D DTYPE 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D NEEDS 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D UNREAD 2>&1 | FileCheck %s --check-prefix=UNREAD
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D SIZES 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D BOTH 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D DOOR 2>&1 | FileCheck %s --check-prefix=DOOR
// RUN: not tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records -D ELEMENTWISE 2>&1 | FileCheck %s --check-prefix=ELEMENTWISE
// RUN: not tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records -D REDUCTION 2>&1 | FileCheck %s --check-prefix=REDUCTION
// RUN: not tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records -D ATTRIBUTES 2>&1 | FileCheck %s --check-prefix=ATTRIBUTES
// RUN: not tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records -D MADE 2>&1 | FileCheck %s --check-prefix=MADE
// RUN: not tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records -D EXPRESSION 2>&1 | FileCheck %s --check-prefix=EXPRESSION
// RUN: not tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records -D PARAMETER 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: not tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records -D ENUMVALUE 2>&1 | FileCheck %s --check-prefix=ENUMVALUE
// RUN: not tenon-tblgen -gen-modes %s -I %llvm_include -I %source/dialect/records -D ALIAS 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: not tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records -D REQUIRED 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records -D LEFT 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D TOLERANCE 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D COST 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D RESULTDTYPE 2>&1 | FileCheck %s --check-prefix=RESULTDTYPE
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D COMPARISON 2>&1 | FileCheck %s --check-prefix=COMPARISON
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D CONDITION 2>&1 | FileCheck %s --check-prefix=CONDITION
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D BYHAND 2>&1 | FileCheck %s --check-prefix=BYHAND
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D GROUP 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D FLOW 2>&1 | FileCheck %s --check-prefix=FLOW
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D BODIES 2>&1 | FileCheck %s --check-prefix=BODIES
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D TAKES 2>&1 | FileCheck %s --check-prefix=TAKES
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D ORDER 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D ROUNDS 2>&1 | FileCheck %s --check-prefix=ROUNDS
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D CARRIED 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: not tenon-tblgen -gen-composite-table %s -I %llvm_include -I %source/dialect/records -D OPTIONAL 2>&1 | FileCheck %s --check-prefix=OPTIONAL
// RUN: not tenon-tblgen -gen-composite-table %s -I %llvm_include -I %source/dialect/records -D SIZED 2>&1 | FileCheck %s --check-prefix=SIZED
// RUN: not tenon-tblgen -gen-composite-table %s -I %llvm_include -I %source/dialect/records -D IDLE 2>&1 | FileCheck %s --check-prefix=IDLE
// RUN: not tenon-tblgen -gen-view-rules %s -I %llvm_include -I %source/dialect/records -D NOVIEW 2>&1 | FileCheck %s --check-prefix=NOVIEW
// RUN: not tenon-tblgen -gen-view-rules %s -I %llvm_include -I %source/dialect/records -D COPIED 2>&1 | FileCheck %s --check-prefix=COPIED
// RUN: not tenon-tblgen -gen-view-rules %s -I %llvm_include -I %source/dialect/records -D VIEWOFTWO 2>&1 | FileCheck %s --check-prefix=VIEWOFTWO
// RUN: not tenon-tblgen -gen-view-rules %s -I %llvm_include -I %source/dialect/records -D VIEWOFALL 2>&1 | FileCheck %s --check-prefix=VIEWOFALL
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D UPDATED 2>&1 | FileCheck %s --check-prefix=UPDATED
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D UPDATEDALL 2>&1 | FileCheck %s --check-prefix=UPDATEDALL
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D SCATTER 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D NOLINEAR 2>&1 | FileCheck %s --check-prefix=NOLINEAR
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D TWICE 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D EMPTYGROUP 2>&1 | FileCheck %s --check-prefix=EMPTYGROUP
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D NODERIVATIVE 2>&1 | FileCheck %s --check-prefix=NODERIVATIVE
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D ANOTHERDTYPE 2>&1 | FileCheck %s --check-prefix=ANOTHERDTYPE
// RUN: not tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records -D CONSTANTTERM 2>&1 | FileCheck %s --check-prefix=CONSTANTTERM
include "Base.td"

def Test_FirstOp : Tenon_Binary<"first", 1> { let summary = "First."; }

#ifdef CODE
// CODE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: op code 1 is already that of Test_FirstOp
def Test_CodeOp : Tenon_Binary<"code", 1> { let summary = "Code."; }
#endif
#ifdef NAME
// NAME: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: 'first' is already the name of Test_FirstOp
def Test_Name : Tenon_Composite<"first"> { let summary = "Name."; let category = "other"; }
#endif
#ifdef CATEGORY
// CATEGORY: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: unknown category 'misc': expected one of elementwise, comparison,
def Test_CategoryOp : Tenon_Binary<"category", 2> { let summary = "Category."; let category = "misc"; }
#endif
#ifdef NOLINEAR
// NOLINEAR: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: is linear in 'x3', which names no operand
def Test_LinearOp : Tenon_Binary<"linear", 2> { let summary = "Linear."; let linearIn = [["x1", "x3"]]; }
#endif
#ifdef TWICE
// TWICE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: is linear in 'x1' twice
def Test_TwiceOp : Tenon_Binary<"twice", 2> { let summary = "Linear."; let linearIn = [["x1"], ["x2", "x1"]]; }
#endif
#ifdef EMPTYGROUP
// EMPTYGROUP: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has an empty group of `linearIn`
def Test_EmptyOp : Tenon_Binary<"empty", 2> { let summary = "Linear."; let linearIn = [["x1"], []]; }
#endif
#ifdef NODERIVATIVE
// NODERIVATIVE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: is linear (`linearIn`), and has no derivative rule
def Test_ConstantOp : Tenon_Binary<"constant", 2> { let summary = "Linear."; let linearIn = [["x1"]]; let vjp = "zero"; }
#endif
#ifdef ANOTHERDTYPE
// ANOTHERDTYPE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has a result of another dtype than its operands: what is differentiated of it must be linear (`linearIn`)
def Test_PartOp : Tenon_Binary<"part", 2> { let summary = "Part."; let resultDtype = "part"; }
#endif
#ifdef CONSTANTTERM
// CONSTANTTERM: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: constantTerm 'x1' is no number attribute of an op that is linear
def Test_TermOp : Tenon_Binary<"term", 2> { let summary = "Term."; let linearIn = [["x1"]]; let constantTerm = "x1"; }
#endif
#ifdef LOWERING
// LOWERING: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: unknown lowering 'magic': expected one of elementwise, broadcast,
def Test_LoweringOp : Tenon_Binary<"lowering", 2> { let summary = "Lowering."; let lowering = "magic"; }
#endif
#ifdef PROMOTION
// PROMOTION: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: unknown promotion 'up': expected one of none, common, floating, boolean, kept
def Test_PromotionOp : Tenon_Binary<"promotion", 2> { let summary = "Promotion."; let promotion = "up"; }
#endif
#ifdef DTYPE
// DTYPE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: unknown dtype 'f128': expected one of boolean, integer,
def Test_DtypeOp : Tenon_Binary<"dtype", 2> { let summary = "Dtype."; let dtypes = ["f32", "f128"]; }
#endif
#ifdef NEEDS
// NEEDS: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: needs 'x3', which names no operand and no result
def Test_NeedsOp : Tenon_Binary<"needs", 2> { let summary = "Needs."; let needs = ["x1", "x3"]; }
#endif
#ifdef UNREAD
// UNREAD: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: needs 'x1', but has no derivative rule that reads it
def Test_UnreadOp : Tenon_Binary<"unread", 2> { let summary = "Unread."; let needs = ["x1"]; let vjp = "zero"; }
#endif
#ifdef SIZES
// SIZES: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: expected the Variadic<Index> operands [shape_sizes], got []
def Test_SizesOp : Tenon_Op<"sizes", 2> {
  let summary = "Sizes.";
  let category = "other";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$shape);
}
#endif
#ifdef BOTH
// BOTH: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has both a derivative (`vjp`) and a sentence for none (`noVjp`)
def Test_BothOp : Tenon_Binary<"both", 2> { let summary = "Both."; let vjp = "vjpBoth"; let noVjp = "none"; }
#endif
#ifdef DOOR
// DOOR: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: unknown door 'open': expected one of hand, elementwise,
def Test_DoorOp : Tenon_Binary<"door", 2> { let summary = "Door."; let door = "open"; }
#endif
#ifdef ELEMENTWISE
// ELEMENTWISE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has the door of elementwise ops, and is none or has attributes
def Test_ElementwiseOp : Tenon_Op<"elementwise", 2> { let summary = "No."; let category = "other"; let door = "elementwise"; }
#endif
#ifdef REDUCTION
// REDUCTION: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has the door of reductions, and is none
def Test_ReductionOp : Tenon_Binary<"reduction", 2> { let summary = "No."; let door = "reduction"; }
#endif
#ifdef ATTRIBUTES
// ATTRIBUTES: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has the door of ops of one array and attributes, and is none
def Test_AttributesOp : Tenon_Binary<"attributes", 2> { let summary = "No."; let door = "attributes"; }
#endif
#ifdef MADE
// MADE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has the door of attributes, and no parameter from which 'axes' is made
def Test_MadeOp : Tenon_Inferred<"made", 2> {
  let summary = "No.";
  let category = "other";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Ints:$axes);
  let door = "attributes";
}
#endif
#ifdef EXPRESSION
// EXPRESSION: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has the door of a composite's `expression`, and has none
def Test_Expression : Tenon_Composite<"expression"> { let summary = "No."; let category = "other"; let door = "expression"; }
#endif
#ifdef PARAMETER
// PARAMETER: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: unknown type of a parameter 'real': expected one of operand, arrays,
def Test_Parameter : Tenon_Composite<"parameter"> { let summary = "No."; let category = "other"; let parameters = [Tenon_Parameter<"x", "real">]; }
#endif
#ifdef ENUMVALUE
def Test_Way : Tenon_Enum<"Way", "A way.", [Tenon_Value<"up", "up">]>;
// ENUMVALUE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: parameter 'way' has the default 'down', which is no value of Way
def Test_EnumValue : Tenon_Composite<"enum_value"> { let summary = "No."; let category = "other"; let parameters = [Tenon_Parameter<"way", "Way", "down">]; }
#endif
#ifdef ALIAS
// ALIAS: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: 'up' is an alias of 'high', which is no value before it
def Test_Alias : Tenon_Enum<"Way", "A way.", [Tenon_Value<"up", "up", "high">]>;
#endif
#ifdef REQUIRED
// REQUIRED: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: parameter 'b' must be given and stands after 'a', which may be left out
def Test_Required : Tenon_Composite<"required"> { let summary = "No."; let category = "other"; let parameters = [Tenon_Parameter<"a", "int", "1">, Tenon_Parameter<"b", "int">]; }
#endif
#ifdef LEFT
// LEFT: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: operand 'x' is no parameter
def Test_Left : Tenon_Composite<"left"> { let summary = "No."; let category = "other"; let arguments = (ins Tenon_Tensor:$x); let parameters = [Tenon_Parameter<"y", "operand">]; }
#endif
#ifdef TOLERANCE
// TOLERANCE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: a tolerance needs its reason
def Test_ToleranceOp : Tenon_Binary<"tolerance", 2> { let summary = "Tolerance."; let toleranceUlp = 1; }
#endif
#ifdef COST
// COST: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: cost 0 is not in 1 to 255
def Test_CostOp : Tenon_Binary<"cost", 2> { let summary = "Cost."; let cost = 0; }
#endif
#ifdef RESULTDTYPE
// RESULTDTYPE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: unknown resultDtype 'i4': expected one of operands, bool, attribute
def Test_ResultOp : Tenon_Binary<"result", 2> { let summary = "Result."; let resultDtype = "i4"; }
#endif
#ifdef COMPARISON
// COMPARISON: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: unknown comparison '>': expected one of
def Test_ComparisonOp : Tenon_Compare<"comparison", 2, ">"> { let summary = "Comparison."; }
#endif
#ifdef CONDITION
// CONDITION: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: condition 'x2' is not operand 0, before the others
def Test_ConditionOp : Tenon_Binary<"condition", 2> { let summary = "Condition."; let conditions = ["x2"]; let isByHand = 1; }
#endif
#ifdef BYHAND
// BYHAND: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has conditions: its loop has to be written by hand (isByHand)
def Test_ByHandOp : Tenon_Binary<"by_hand", 2> { let summary = "By hand."; let conditions = ["x1"]; }
#endif

class Test_Region<string mnemonic> : Tenon_Op<mnemonic, 2> {
  let summary = "Region.";
  let category = "control flow";
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_Int:$consts);
  let regions = (region SizedRegion<1>:$body);
  let isPublic = 0;
  let kernel = "none";
  let lowering = "region";
  let groups = [Tenon_Group<"consts", "passed">, Tenon_Group<"xs", "passed">];
  let bodies = [Tenon_Body<["consts", "xs"], "results">];
}
#ifdef GROUP
// GROUP: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: group 'some' is not the last one, and no operand or integer attribute has its name
def Test_GroupOp : Test_Region<"group"> { let groups = [Tenon_Group<"some", "passed">, Tenon_Group<"xs", "passed">]; }
#endif
#ifdef FLOW
// FLOW: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: unknown flow 'poured': expected one of read, passed, carried, sliced
def Test_FlowOp : Test_Region<"flow"> { let groups = [Tenon_Group<"xs", "poured">]; }
#endif
#ifdef BODIES
// BODIES: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: expected 1 `bodies`, one for each region, got 0
def Test_BodiesOp : Test_Region<"bodies"> { let bodies = []; }
#endif
#ifdef TAKES
// TAKES: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: region 'body' takes 'ys', which names no group
def Test_TakesOp : Test_Region<"takes"> { let bodies = [Tenon_Body<["ys"], "results">]; }
#endif
#ifdef ORDER
// ORDER: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: region 'body' takes 'consts' out of order
def Test_OrderOp : Test_Region<"order"> { let bodies = [Tenon_Body<["xs", "consts"], "results">]; }
#endif
#ifdef ROUNDS
// ROUNDS: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has operands that are sliced, but no `rounds`
def Test_RoundsOp : Test_Region<"rounds"> { let groups = [Tenon_Group<"consts", "passed">, Tenon_Group<"xs", "sliced">]; }
#endif
#ifdef CARRIED
// CARRIED: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has more than one group that is carried
def Test_CarriedOp : Test_Region<"carried"> { let groups = [Tenon_Group<"consts", "carried">, Tenon_Group<"xs", "carried">]; }
#endif

class Test_Composite<string name> : Tenon_NamedComposite<name> {
  let summary = "Composite.";
  let category = "other";
  let arguments = (ins Tenon_Tensor:$x);
}
#ifdef OPTIONAL
// OPTIONAL: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has operands that are variadic or optional: as one op it always has the same number
def Test_Optional : Test_Composite<"optional"> { let arguments = (ins Tenon_Tensor:$x, Optional<Tenon_Tensor>:$y); }
#endif
#ifdef SIZED
// SIZED: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: attribute 'shape' is of kind dims: the attributes of a composite hold no sizes and no others
def Test_Sized : Test_Composite<"sized"> { let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$shape); }
#endif
#ifdef IDLE
// IDLE: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: needs 'x', but has no derivative rule that reads it
def Test_Idle : Test_Composite<"idle"> { let needs = ["x"]; }
#endif
class Test_View<string lowered, dag operands> : Tenon_Inferred<"view", 2, [Pure, Tenon_View]> {
  let summary = "View.";
  let category = "other";
  let arguments = operands;
  let results = (outs Tenon_Tensor:$result);
  let lowering = lowered;
}
#ifdef NOVIEW
// NOVIEW: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: is lowered as a view and is no Tenon_View
def Test_NoViewOp : Tenon_Inferred<"view", 2> {
  let summary = "No view.";
  let category = "other";
  let arguments = (ins Tenon_Tensor:$x);
  let lowering = "view";
}
#endif
#ifdef COPIED
// COPIED: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: is a Tenon_View and lowered as 'library'
def Test_CopiedOp : Test_View<"library", (ins Tenon_Tensor:$x)>;
#endif
#ifdef VIEWOFTWO
// VIEWOFTWO: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: is a Tenon_View of other than one operand, or of several without a result each
def Test_ViewOfTwoOp : Test_View<"view", (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2)>;
#endif
#ifdef VIEWOFALL
// VIEWOFALL: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: is a Tenon_View of other than one operand, or of several without a result each
def Test_ViewOfAllOp : Test_View<"view", (ins Variadic<Tenon_Tensor>:$xs)>;
#endif
class Test_Updated<dag operands, dag made> : Tenon_Inferred<"updated", 2, [Pure]> {
  let summary = "Updated.";
  let category = "other";
  let arguments = operands;
  let results = made;
  let updated = "x";
}
#ifdef UPDATED
// UPDATED: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: updates 'x', which names no single operand
def Test_UpdatedOp : Test_Updated<(ins Variadic<Tenon_Tensor>:$x), (outs Tenon_Tensor:$y)>;
#endif
#ifdef UPDATEDALL
// UPDATEDALL: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: updates 'x', and has no kernel with one result
def Test_UpdatedAllOp : Test_Updated<(ins Tenon_Tensor:$x), (outs Tenon_Tensor:$y, Tenon_Tensor:$z)>;
#endif
#ifdef SCATTER
// SCATTER: tblgen-errors.td:[[#@LINE+1]]:{{[0-9]+}}: error: has the door of scatters, and is none
def Test_ScatterOp : Tenon_Unary<"scatters", 2> {
  let summary = "Scatters.";
  let door = "scatter";
}
#endif

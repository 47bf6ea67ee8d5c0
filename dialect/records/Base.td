//===- Base.td - the dialect, its types, the classes of op records ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One op, one record. mlir-tblgen reads the part that ODS knows; tenon-tblgen
// reads the fields declared here and derives the op code, the attribute
// structs, the public declaration with its documentation, the table of rules
// and the conformance rows. A rule that is named here and not written does not
// link; a rule that has no meaning is a sentence here instead.
//===----------------------------------------------------------------------===//
#ifndef TENON_BASE
#define TENON_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Interfaces.td"

def Tenon_Dialect : Dialect {
  let name = "tenon";
  let cppNamespace = "::tenon::ir";
  let summary = "Array operations on immutable tensors; traced functions consist of them";
  let description = [{
    Every op takes and returns ranked tensors. Operands of an elementwise op
    have one shape and one dtype: broadcasting and promotion are ops of their
    own, inserted by the op builders. A size that is a symbol is `?` in the type; an
    op that takes sizes takes an index operand for each, made by `tenon.size`.
  }];
  let useDefaultTypePrinterParser = 0;
  let hasConstantMaterializer = 1;
  // `tenon.dims` names the sizes of a function's argument.
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The record of an op of this dialect, null if it has none.
    const ::tenon::OpInfo *infoOf(::mlir::OperationName name) const {
      return infos.lookup(name.getAsOpaquePointer());
    }

  private:
    void registerOps();
    ::llvm::DenseMap<const void *, const ::tenon::OpInfo *> infos;

  public:
  }];
}

// The element types are those of include/tenon/detail/dtypes.def: bool is i1,
// signed integers are signless, unsigned ones ui8, ui32 ..., c64 is complex<f32>,
// c128 complex<f64>.
def Tenon_Element : Type<CPred<"::tenon::ir::dtypeOf($_self).has_value()">, "an element type of Tenon">;
def Tenon_Tensor : RankedTensorOf<[Tenon_Element]>;

//===----------------------------------------------------------------------===//
// Attributes. `tenonKind` is how a trace stores the attribute.
//===----------------------------------------------------------------------===//

// int_    int64_t                     I64Attr
// bool_   bool                        BoolAttr
// dtype   Dtype                       TypeAttr
// scalar  ScalarAttr                  BoolAttr, an i64 (a ui64 above what i64
//                                     holds), an f64, or two f64
// string  std::string_view            StrAttr
// ints    std::span<const int64_t>    DenseI64ArrayAttr
// dims    std::span<const Dim>        DenseI64ArrayAttr, kDynamic where the
//                                     next operand of the Variadic<Index>
//                                     `<name>_sizes` is meant; `[%n, 10]`
// device  Device                      StrAttr, "cpu:0" where it is left out
// named   std::span<const int64_t>    DictionaryAttr: the attributes of the
//                                     composite whose name is the string attribute
//                                     before this one, as its record has them
class Tenon_Attr<Attr base, string kind> : ConfinedAttr<base, []> {
  string tenonKind = kind;
}
def Tenon_Int : Tenon_Attr<I64Attr, "int_">;
def Tenon_Bool : Tenon_Attr<BoolAttr, "bool_">;
def Tenon_Dtype : Tenon_Attr<TypeAttr, "dtype">;
def Tenon_Scalar : Tenon_Attr<AnyAttr, "scalar">;
def Tenon_String : Tenon_Attr<StrAttr, "string">;
def Tenon_Ints : Tenon_Attr<DenseI64ArrayAttr, "ints">;
def Tenon_Dims : Tenon_Attr<DenseI64ArrayAttr, "dims">;
def Tenon_Device : Tenon_Attr<OptionalAttr<StrAttr>, "device">;
def Tenon_Named : Tenon_Attr<DictionaryAttr, "named">;

//===----------------------------------------------------------------------===//
// What every record says, IR op or composite.
//===----------------------------------------------------------------------===//

// A parameter of a public function. Its type is one of
//   operand  an array, or a number beside arrays     axes, axis  places in the first operand's shape
//   arrays   a list of arrays                         ints        a list of integers
//   shape    a list of sizes                          size        one size
//   int, float, bool, number, text, dtype, device
//   padding  how windows are padded; its default is a value of PaddingMode
//   key      a key of random numbers
//   the name of a Tenon_Enum
// Where it may be left out, `defaultValue` is a literal ("-1", "false", "f32", a text as it is, a value of the enum), or
// "none": the documentation says what is taken then.
class Tenon_Parameter<string parameterName, string parameterType, string defaultValue = "", string documentation = ""> {
  string name = parameterName;
  string type = parameterType;
  string default = defaultValue;
  string doc = documentation;
}

// An enum of the public API, in include/tenon/modes.h: a parameter that chooses one of a few behaviours.
// An alias has the number of a value before it.
class Tenon_Value<string valueName, string documentation, string aliasOf = ""> {
  string name = valueName;
  string doc = documentation;
  string alias = aliasOf;
}
class Tenon_Enum<string enumName, string documentation, list<Tenon_Value> enumValues> {
  string name = enumName;
  string summary = documentation;
  list<Tenon_Value> values = enumValues;
}

def Tenon_AxesParameter : Tenon_Parameter<"axes", "axes", "none", "Axes; negative counts from the end; default: all.">;
def Tenon_KeepdimsParameter
    : Tenon_Parameter<"keepdims", "bool", "false", "Keeps the reduced axes, with size 1.">;
// What reductions take by name alone.
def Tenon_ReductionDtypeParameter
    : Tenon_Parameter<"dtype", "dtype", "none", "Dtype of the computation and the result; default: chosen by the dtype of x.">;
def Tenon_InitialParameter
    : Tenon_Parameter<"initial", "number", "none", "Initial value of the reduction.">;
def Tenon_WhereParameter
    : Tenon_Parameter<"where", "operand", "none", "Mask that broadcasts to the shape of x: only elements where it is true are reduced.">;

def Tenon_ShapeParameter : Tenon_Parameter<"shape", "shape", "", "Sizes of the result.">;
def Tenon_DeviceParameter
    : Tenon_Parameter<"device", "device", "none", "The result's device; default: `default_device()`.">;

class Tenon_Record {
  // The section of the public header and of the reference page.
  string category = ?;
  // Which dtypes the array operands may have, after promotion: sets of them
  // (boolean, integer, floating, complex; real: integer and floating; numeric:
  // all but bool; ordered: all but complex; computed: all of these; any: also what
  // is only for storage), or single ones.
  list<string> dtypes = ["ordered"];
  // Whether the function is one of complex numbers too, which the op itself does not take:
  // ops on their parts make it.
  bit isOfComplexToo = 0;
  // What the front door does to the operands before the op is bound:
  //   "none"      nothing
  //   "common"    promotes them to one dtype and broadcasts them to one shape
  //   "floating"  the same, integers and bools becoming f32
  //   "boolean"   the same, whatever is not bool becoming x != 0
  //   "kept"      one operand; integers and bools as they are
  string promotion = "none";
  // Parameters of the public function where they are not one for one the
  // arguments of the record. A function without an operand that carries its place
  // takes a Location besides.
  list<Tenon_Parameter> parameters = [];
  // Who writes the public function:
  //   "hand"         lib/ops
  //   "elementwise"  promotes and broadcasts its operands as the record says
  //   "reduction"    takes `x`, `axes` and `keepdims`
  //   "truths"       the same, of x as truth values
  //   "scatter"      takes what Tenon_Scatter says
  //   "attributes"   takes one array and what the attributes are, by their names:
  //                  axes become positive, the device is the array's
  //   "expression"   a composite that is `expression`
  // All but "hand" are generated.
  string door = "hand";
  // The public result type where it is not Array (one result) or
  // std::vector<Array>.
  string returns = "";
  // A struct of the parameters from `axes` or `axis` on, for calls by name: `sum(x, {.axis = 1})`.
  // Its field for `axes` is `axis`. Records that name the same struct have the same parameters.
  string options = "";
  // Parameters that only the struct has, as its last fields. The form with the struct then calls a function of its own
  // in tenon::detail, written by hand, which takes them behind the other parameters.
  list<Tenon_Parameter> named = [];
  // The struct holds all parameters that have a default, and there is no other form: `conv2d(x, kernel, {.groups = 2})`.
  bit isByName = 0;
  // Whether Array and Variable have it as a method: `x.argmax(0)`. Elementwise functions of one array
  // always are methods.
  bit isMethod = 0;
  // More overloads of the function, defined by hand: declarations with their comments.
  string overloads = "";
  // False for ops that only rules and transformations bind.
  bit isPublic = 1;
  // A C++ example for the reference page.
  string example = "";
  // Largest allowed difference between eager, interpreted and compiled, in ulp,
  // with its reason. 0: equal by bits.
  int toleranceUlp = 0;
  string toleranceReason = "";
  // Largest allowed difference from the independent reference, in ulp of f32.
  int referenceUlp = 0;
}

// The array operands of a region op are groups, one after another: those that an
// integer attribute of this name counts, the operand of this name, or, the last
// group, all that are left.
//   "read"     by the op itself: they choose the region that runs
//   "passed"   a region gets them as they are, in every round
//   "carried"  a region gets what it returned in the round before; at first the
//              operands. The op returns what the last round did.
//   "sliced"   a region gets one slice along axis 0 in each round
class Tenon_Group<string groupName, string flowName> {
  string name = groupName;
  string flow = flowName;
}
// The inputs of a region: groups, in their order. It returns
//   "results"  the results of the op: one such region runs, once
//   "round"    the carries, then a slice of each result that is stacked along a
//              new axis 0
//   "answer"   a rank-0 bool
//   "rule"     what transformations ask of it: it is no part of what the op computes
// A region that is a function of the user's shows its name.
class Tenon_Body<list<string> groupNames, string whatItReturns, bit hasName = 0> {
  list<string> takes = groupNames;
  string returned = whatItReturns;
  bit isNamed = hasName;
}

// The form of an op of this dialect: what its record says it has, by name
// (dialect/ir/Assembly.h).
defvar recordAssembly = [{
  ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
    return parseRecordOp(getOpCode(), parser, result);
  }
  void $cppClass::print(::mlir::OpAsmPrinter &printer) { printRecordOp(*this, printer); }
}];

// An op of the IR. `opCode` is part of the trace and blob formats: append only.
class Tenon_Op<string mnemonic, int number, list<Trait> traits = []>
    : Op<Tenon_Dialect, mnemonic, traits>, Tenon_Record {
  int opCode = number;
  string stem = "";                       // CamelCase; default: from the mnemonic
  // The plain function of the shape rule, in dialect/model/Shape*.cpp.
  string shapeRule = "";                  // default: infer<Stem>
  // Of a Tenon_View: the function that says how it lies in its operand, in
  // dialect/model/Views.cpp.
  string view = "";                       // default: view<Stem>
  // The eager kernel, in runtime/kernels/cpu. "none": no kernel of its own.
  string kernel = "";                     // default: kernel<Stem>
  // The derivative: a rule vjp<Stem> in lib/transform/vjp (of a region op, over
  // traces, in lib/control), "zero" (the result does not depend smoothly on the
  // operands), or a sentence (noVjp).
  string vjp = "";
  string noVjp = "";
  // Operands and results whose values the derivative's rule reads.
  list<string> needs = [];
  // Groups of operands in each of which the op is linear while the others are held:
  // [["x1"], ["x2"]] of a product, [["xs"]] of what is linear in all at once. Forward
  // mode applies the op to their tangents. By an operand that is in no group it has the
  // derivative's rule: that of an elementwise op, whose factors are the same both ways,
  // as it is; that of another one transposed.
  list<list<string>> linearIn = [];
  // Of such an op: the number attribute that stands where the result has no element of
  // an operand. Tangents have 0 there.
  string constantTerm = "";
  // False: of the operands only the sizes matter.
  bit readsElements = 1;
  // The operand, of the result's type, whose memory the kernel may be given as the
  // result's, to be changed in place. It fails before it writes there, or not at all.
  string updated = "";
  // The batching rule: batch<Stem> in lib/transform/batch (of a region op, over
  // traces, in lib/control), or a sentence.
  string batch = "";
  string noBatch = "";
  // Of a region op: its operands in groups, a body for each region, and the
  // attribute of kind dims that holds the number of rounds, if one does. Such an
  // op has two functions more: interpret<Stem> in lib/control, run<Stem> in
  // runtime/program/RegionRuns.cpp.
  list<Tenon_Group> groups = [];
  list<Tenon_Body> bodies = [];
  string rounds = "";
  // How the compiler treats it:
  //   "elementwise"  a scalar body, from what the record says of an element
  //   "broadcast"    an index map: a view, or a number, that kernels make themselves
  //   "reduction"    along the innermost axis in a kernel, else a library step
  //   "view"         no step where strides can say it
  //   "library"      a step that runs the eager kernel
  //   "region"       a branch, a loop or a call of the schedule
  //   "open"         its region is inlined; it has no rules of its own
  //   "ruled"        its first region is inlined; its rules are those of a region op
  //   "effect"       a host step, kept in order
  string lowering = "library";
  let hasCustomAssemblyFormat = 1;
  string opCodeMethod = "static constexpr ::tenon::OpCode getOpCode() { return static_cast<::tenon::OpCode>(" #
                        !cast<string>(number) # "); }\n";
  let extraClassDeclaration = opCodeMethod;
}

// An op whose result types follow from its operands and attributes by the plain
// shape rule, called through one adaptor.
class Tenon_Inferred<string mnemonic, int number, list<Trait> traits = []>
    : Tenon_Op<mnemonic, number, !listconcat(traits, [DeclareOpInterfaceMethods<InferTypeOpInterface>])> {
  let hasVerifier = 1;
  let extraClassDeclaration =
      opCodeMethod # "static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange stated);";
  let extraClassDefinition = recordAssembly # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      return inferTypesOf<$cppClass>(context, location, operands, attributes, properties, results);
    }
    // Runs before the interface's verifier, which would add a second sentence.
    ::llvm::LogicalResult $cppClass::verify() { return verifyTypes(*this); }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange stated) {
      return areCompatible(inferred, stated);
    }
  }];
}

// An elementwise op over operands of one shape. From what an element is follow
// the loops of the eager kernels, for each instruction set, and the scalar body
// that compiled kernels are made of.
class Tenon_Elementwise<string mnemonic, int number, list<Trait> traits = []>
    : Tenon_Inferred<mnemonic, number, !listconcat(traits, [Pure])> {
  let category = "elementwise";
  let promotion = "common";
  let door = "elementwise";
  let shapeRule = "inferElementwise";
  let kernel = "kernelElementwise";
  let batch = "batchElementwise";
  let lowering = "elementwise";
  let results = (outs Tenon_Tensor:$result);
  // An element of the result: C++ over the operands' names, of functions that
  // both runtime/math/Numbers.h (over vectors) and lib/compiler/scalar/Element.h
  // (over values of the IR) have. Default: the function of the op's name. Of
  // narrow floats it is computed in f32 and rounded once, at the end.
  string expression = "";
  // The same for bool, where it differs.
  string boolExpression = "";
  // The function of the op's name is one of runtime/math/Math.h, whose body
  // compiled kernels contain.
  bit isMath = 0;
  // The loop `loop<Stem>` and the scalar body `lower<Stem>` are written by hand.
  bit isByHand = 0;
  // A result of a narrow float is one of the operands or as exact as they are.
  bit isExact = 0;
  // Integers of one size share the loop of the unsigned one: the bits are the same.
  bit wraps = 0;
  // What an element costs in a kernel beside an addition.
  int cost = 1;
  // Of the results: "operands", "bool", "attribute", that of `dtype`, "part", that of the parts
  // of a complex number, or "pair", that of the complex number of two such parts.
  string resultDtype = "operands";
  // Operands that are bool whatever the others are; they come first.
  list<string> conditions = [];
  // The comparison of C++ that this op is, "" if none: it compares with numbers
  // that the operands' dtype does not hold, too.
  string comparison = "";
}
class Tenon_Unary<string mnemonic, int number, list<Trait> traits = []> : Tenon_Elementwise<mnemonic, number, traits> {
  let promotion = "kept";
  let arguments = (ins Tenon_Tensor:$x);
}
class Tenon_UnaryFloating<string mnemonic, int number> : Tenon_Unary<mnemonic, number> {
  let promotion = "floating";
  let dtypes = ["floating"];
}
// A function of runtime/math of one operand; `cost` as in Tenon_Elementwise.
class Tenon_UnaryMath<string mnemonic, int number, int elementCost> : Tenon_UnaryFloating<mnemonic, number> {
  let isMath = 1;
  let cost = elementCost;
}
class Tenon_Binary<string mnemonic, int number, list<Trait> traits = []> : Tenon_Elementwise<mnemonic, number, traits> {
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
}
class Tenon_BinaryMath<string mnemonic, int number, int elementCost> : Tenon_Binary<mnemonic, number> {
  let promotion = "floating";
  let dtypes = ["floating"];
  let isMath = 1;
  let cost = elementCost;
}
class Tenon_TernaryMath<string mnemonic, int number, int elementCost> : Tenon_Elementwise<mnemonic, number> {
  let promotion = "floating";
  let dtypes = ["floating"];
  let isMath = 1;
  let cost = elementCost;
}
class Tenon_Compare<string mnemonic, int number, string operator, list<Trait> traits = []>
    : Tenon_Binary<mnemonic, number, traits> {
  let category = "comparison";
  let comparison = operator;
  let resultDtype = "bool";
  let vjp = "zero";
}
class Tenon_Logical<string mnemonic, int number, list<Trait> traits = []> : Tenon_Elementwise<mnemonic, number, traits> {
  let promotion = "boolean";
  let dtypes = ["boolean"];
  let vjp = "zero";
}

// A composite has a decomposition instead of rules: a function of that name in
// lib/ops. It is in the API, the reference and the conformance table; it is no
// op of the IR.
class Tenon_Composite<string name> : Tenon_Record {
  string mnemonic = name;
  string summary = "";
  string description = "";
  dag arguments = (ins);
  // The function, where one expression over the parameters (and `at`, the place of a
  // function that takes it) is enough: C++.
  string expression = "";
}

// Another name of an op: `call` is the call of the function, over its parameters.
class Tenon_Alias<string name, Tenon_Op of, string call> : Tenon_Composite<name> {
  let isMethod = of.isMethod;
  let category = of.category;
  let summary = "Another name for `" # of.opName # "`.";
  let description = of.summary;
  let dtypes = of.dtypes;
  let arguments = of.arguments;
  let parameters = of.parameters;
  let door = "expression";
  let expression = call;
}

// A composite that is one op, `composite` with its name, wherever it is recorded.
// Its decomposition, decompose<Stem> in lib/ops, is the op's region. It returns an
// Array, or where there are several results a vector of them. What is named here
// beside it is used where a region is that decomposition, to the bit; what is not,
// and any other region, runs as it is.
class Tenon_NamedComposite<string name> : Tenon_Composite<name> {
  list<string> results = ["result"];
  // Of operands beside those of `dtypes`: masks, keys.
  list<string> otherDtypes = [];
  string stem = "";                       // CamelCase; default: from the name
  // The eager kernel, in runtime/kernels/cpu. It may decline.
  string kernel = "";
  // The derivative, in lib/transform/vjp, and what it reads: operands, results.
  string vjp = "";
  list<string> needs = [];
  // The batching rule, in lib/transform/batch.
  string batch = "";
}

#endif // TENON_BASE

// What tenon-tblgen makes of a few records.
// RUN: tenon-tblgen -gen-op-header %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=HEADER
// RUN: tenon-tblgen -gen-op-table %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=TABLE
// RUN: tenon-tblgen -gen-shape-rules %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=SHAPE
// RUN: tenon-tblgen -gen-view-rules %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=VIEW
// RUN: tenon-tblgen -gen-kernels %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=KERNEL
// RUN: tenon-tblgen -gen-vjp-rules %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=VJP
// RUN: tenon-tblgen -gen-batch-rules %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=BATCH
// RUN: tenon-tblgen -gen-elementwise %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=LOOPS
// RUN: tenon-tblgen -gen-expressions %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=ELEMENT
// RUN: tenon-tblgen -gen-math-functions %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=MATH
// RUN: tenon-tblgen -gen-region-vjp-rules %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=RVJP
// RUN: tenon-tblgen -gen-region-batch-rules %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=RBATCH
// RUN: tenon-tblgen -gen-interpreters %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=INTERPRET
// RUN: tenon-tblgen -gen-region-runs %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=RUNS
// RUN: tenon-tblgen -gen-composite-header %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=IDS
// RUN: tenon-tblgen -gen-composite-table %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=COMPOSITES
// RUN: tenon-tblgen -gen-decompositions %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=DECOMPOSE
// RUN: tenon-tblgen -gen-composite-kernels %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=CKERNEL
// RUN: tenon-tblgen -gen-composite-vjp-rules %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=CVJP
// RUN: tenon-tblgen -gen-composite-batch-rules %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=CBATCH
// RUN: tenon-tblgen -gen-modes %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=MODES
// RUN: tenon-tblgen -gen-api %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=API
// RUN: tenon-tblgen -gen-op-defs %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=DEFS
// RUN: tenon-tblgen -gen-docs %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=DOCS
// RUN: tenon-tblgen -gen-json %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=JSON
// RUN: tenon-tblgen -gen-conformance %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=ROWS
// RUN: tenon-tblgen -gen-calls %s -I %llvm_include -I %source/dialect/records | FileCheck %s --check-prefix=CALLS
include "Base.td"

def Test_Border : Tenon_Enum<"Border", "What is outside.", [
  Tenon_Value<"zero", "zeros">, Tenon_Value<"edge", "the last element">, Tenon_Value<"nearest", "alias of edge", "edge">]>;

// The later code first: tables are by code, the API is in the order of the file.
def Test_CropOp : Tenon_Op<"crop", 4, [Pure, AttrSizedOperandSegments, Tenon_View]> {
  let category = "manipulation";
  let summary = "x cut at `shape`.";
  let description = [{First paragraph, on
    two lines.

    Second paragraph.}];
  let dtypes = ["f32"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$shape, Variadic<Index>:$shape_sizes, Tenon_Int:$default,
                   Tenon_Scalar:$fill, Tenon_String:$mode, Tenon_Ints:$axes, Tenon_Bool:$flag, Tenon_Dtype:$dtype);
  let results = (outs Tenon_Tensor:$result);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"the_first_corner_of_the_cropped_area", "shape">,
                    Tenon_Parameter<"default", "axis", "none", "The *axis*.">, Tenon_Parameter<"size", "size", "2">,
                    Tenon_Parameter<"flag", "bool", "true">, Tenon_Parameter<"dtype", "dtype", "f32">,
                    Tenon_Parameter<"ints", "ints", "none">, Tenon_Parameter<"other", "operand", "none">,
                    Tenon_Parameter<"border", "Border", "edge">];
  let noVjp = "crop has no \"derivative\"";
  let noBatch = "crop has no batching rule";
  let kernel = "none";
  let lowering = "view";
}
def Test_XorOp : Tenon_Binary<"xor", 1, [Commutative]> {
  let summary = "x1 ^ x2.";
  let dtypes = ["bool", "i32"];
  let needs = ["x2", "result"];
  let linearIn = [["x2"], ["x1"]];
  let boolExpression = "not_equal(x1, x2)";
  let wraps = 1;
  let isExact = 1;
}
def Test_HypotOp : Tenon_BinaryMath<"hypot", 5, 7> { let summary = "sqrt(x1 x1 + x2 x2)."; }
def Test_PickOp : Tenon_Elementwise<"pick", 6> {
  let summary = "x where c.";
  let arguments = (ins Tenon_Tensor:$c, Tenon_Tensor:$x);
  let conditions = ["c"];
  let isByHand = 1;
}
def Test_AboveOp : Tenon_Compare<"above", 7, "<="> { let summary = "x1 <= x2."; let expression = "less_equal(x1, x2)"; let dtypes = ["f32"]; }
def Test_NoteOp : Tenon_Op<"note", 2, [MemoryEffects<[MemWrite]>]> {
  let category = "random";
  let summary = "Notes xs.";
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
  let returns = "void";
  let vjp = "zero";
  let batch = "batchNever";
  let lowering = "effect";
}
def Test_PlaceOp : Tenon_Inferred<"place", 9, [Pure]> {
  let category = "random";
  let summary = "Places x.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis, Tenon_Dims:$shape, Variadic<Index>:$shape_sizes,
                   Tenon_Bool:$new, Tenon_Device:$device);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis">, Tenon_Parameter<"shape", "shape">,
                    Tenon_Parameter<"new", "bool", "false">, Tenon_Parameter<"device", "device", "none">];
  let door = "attributes";
  let readsElements = 0;
}
def Test_TurnOp : Tenon_Op<"turn", 8, [AttrSizedOperandSegments]> {
  let category = "control flow";
  let summary = "Turns.";
  let arguments = (ins Tenon_Tensor:$which, Variadic<Tenon_Tensor>:$xs, Variadic<Index>:$length_sizes,
                   Tenon_Dims:$length, Tenon_Int:$state);
  let results = (outs Variadic<Tenon_Tensor>:$outs);
  let regions = (region SizedRegion<1>:$test, VariadicRegion<SizedRegion<1>>:$turn);
  let isPublic = 0;
  let kernel = "none";
  let lowering = "region";
  let groups = [Tenon_Group<"which", "read">, Tenon_Group<"state", "carried">, Tenon_Group<"slices", "sliced">];
  let bodies = [Tenon_Body<["state"], "answer">, Tenon_Body<["state", "slices"], "round", /*hasName=*/1>];
  let rounds = "length";
  let noBatch = "turn has no batching rule";
}
def Test_Nothing : Tenon_Composite<"nothing"> {
  let category = "creation";
  let summary = "0.";
  let arguments = (ins Tenon_Dims:$shape);
  let door = "expression";
  let expression = "full(shape, 0, at)";
}
def Test_Half : Tenon_Composite<"half"> {
  let category = "creation";
  let summary = "x / 2.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Scalar:$by);
  let door = "expression";
  let expression = "divide(x, by)";
}
def Test_Twice : Tenon_Composite<"twice"> {
  let category = "elementwise";
  let summary = "x + x.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$times);
  let toleranceUlp = 3;
  let toleranceReason = "Two roundings.";
}
class Test_Named<string name> : Tenon_NamedComposite<name> {
  let category = "elementwise";
  let summary = "A composite that is one op.";
  let dtypes = ["f32"];
  let isPublic = 0;
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$by, Tenon_Int:$axis, Tenon_Scalar:$least);
}
def Test_Scaled : Test_Named<"scaled"> { let kernel = "kernelScaled"; let vjp = "vjpScaled"; let needs = ["by", "result"]; }
def Test_Moved : Test_Named<"moved_to"> { let batch = "batchMoved"; }

// HEADER:      enum class OpCode : uint16_t {
// HEADER-NEXT:   xor_ = 1,
// HEADER-NEXT:   note = 2,
// HEADER-NEXT:   crop = 4,
// HEADER-NEXT:   hypot = 5,
// HEADER-NEXT:   pick = 6,
// HEADER-NEXT:   above = 7,
// HEADER-NEXT:   turn = 8,
// HEADER-NEXT:   place = 9,
// HEADER-NEXT: };
// HEADER:      inline constexpr int maxElementwiseOperands = 2;
// HEADER-NOT:  struct XorAttrs
// HEADER:      struct CropAttrs {
// HEADER-NEXT:   std::span<const Dim> shape;
// HEADER-NEXT:   int64_t default_ = 0;
// HEADER-NEXT:   ScalarAttr fill;
// HEADER-NEXT:   std::string_view mode;
// HEADER-NEXT:   std::span<const int64_t> axes;
// HEADER-NEXT:   bool flag = false;
// HEADER-NEXT:   Dtype dtype = Dtype::f32;
// HEADER:        static CropAttrs read(AttrWords words) {
// HEADER:          attrs.shape = reader.readDims();
// HEADER-NEXT:     attrs.default_ = reader.readInt();
// HEADER:        void write(AttrWriter &writer) const {
// HEADER-NEXT:     writer.writeDims(shape);
// HEADER-NEXT:     writer.writeInt(default_);
// HEADER-NEXT:     writer.writeScalar(fill);

// TABLE:      constexpr const char *namesXorOperands[] = {"x1", "x2"};
// TABLE:      constexpr uint32_t linearXor[] = {0x2, 0x1};
// TABLE:      constexpr const char *namesCropOperands[] = {"x"};
// TABLE-NEXT: constexpr AttrInfo attributesCrop[] = {{[{][{]}}"shape", AttrKind::dims}, {"default", AttrKind::int_}, {"fill"
// TABLE:      constexpr RegionInfo regionsTurn[] = {{[{][{]}}"test", 2, Returned::answer, false}, {"turn", 6, Returned::round, true}};
// TABLE-NEXT: constexpr OperandGroup groupsTurn[] = {{[{][{]}}"which", Flow::read, OperandGroup::one, 0}, {"state", Flow::carried, OperandGroup::attribute, 1}, {"slices", Flow::sliced, OperandGroup::rest, 0}};
// TABLE:      {.code = 1,
// TABLE-NEXT:  .name = "xor",
// TABLE:       .dtypes = 1 << int(Dtype::bool_) | 1 << int(Dtype::i32),
// TABLE-NEXT:  .promotion = Promotion::common,
// TABLE-NEXT:  .lowering = Lowering::elementwise,
// TABLE-NEXT:  .hasEffect = false,
// TABLE-NEXT:  .isElementwise = true,
// TABLE-NEXT:  .isView = false,
// TABLE-NEXT:  .readsElements = true,
// TABLE-NEXT:  .updated = -1,
// TABLE-NEXT:  .commutative = true,
// TABLE-NEXT:  .reduction = {},
// TABLE-NEXT:  .needs = 0x10002,
// TABLE-NEXT:  .linearIn = linearXor,
// TABLE-NEXT:  .constantTerm = -1,
// TABLE:       .resultDtype = ResultDtype::operands,
// TABLE-NEXT:  .conditions = 0,
// TABLE-NEXT:  .comparison = Comparison::none,
// TABLE-NEXT:  .isExact = true,
// TABLE-NEXT:  .cost = 1}
// TABLE:      {.code = 2,
// TABLE:       .variadic = true,
// TABLE-NEXT:  .results = 0,
// TABLE:       .hasEffect = true,
// TABLE:       .zeroVjp = true,
// TABLE:      {.code = 4,
// TABLE:       .hasEffect = false,
// TABLE-NEXT:  .isElementwise = false,
// TABLE-NEXT:  .isView = true,
// TABLE:       .noVjp = "crop has no \"derivative\"",
// TABLE-NEXT:  .noBatch = "crop has no batching rule",
// TABLE:      {.code = 5,
// TABLE:       .cost = 7}
// TABLE:      {.code = 6,
// TABLE:       .conditions = 1,
// TABLE:      {.code = 7,
// TABLE:       .resultDtype = ResultDtype::bool_,
// TABLE:       .comparison = Comparison::lessEqual,
// TABLE:      {.code = 8,
// TABLE:       .regions = regionsTurn,
// TABLE-NEXT:  .variadicRegions = true,
// TABLE-NEXT:  .groups = groupsTurn,
// TABLE-NEXT:  .rounds = 0,
// TABLE:      {.code = 9,
// TABLE:       .readsElements = false,

// IDS:      enum class CompositeId : uint16_t {
// IDS-NEXT:   scaled,
// IDS-NEXT:   moved_to,
// IDS-NEXT: };
// IDS:      struct ScaledAttrs {
// IDS-NEXT:   int64_t axis = 0;
// IDS-NEXT:   ScalarAttr least;
// IDS:      struct MovedToAttrs {

// COMPOSITES:      constexpr CompositeInfo compositeTable[] = {
// COMPOSITES-NEXT:     {.name = "scaled",
// COMPOSITES-NEXT:      .operands = namesScaledOperands,
// COMPOSITES-NEXT:      .attributes = attributesScaled,
// COMPOSITES-NEXT:      .dtypes = 1 << int(Dtype::f32),
// COMPOSITES-NEXT:      .needs = 0x10002},
// COMPOSITES-NEXT:     {.name = "moved_to",
// COMPOSITES:           .needs = 0x0},

// DECOMPOSE:      Array decomposeScaled(std::span<const Array> operands, AttrWords attributes);
// DECOMPOSE-NEXT: Array decomposeMovedTo(
// DECOMPOSE:      constexpr Decompose decompositions[] = {
// DECOMPOSE-NEXT:   decomposeScaled, // scaled
// DECOMPOSE-NEXT:   decomposeMovedTo, // moved_to

// CKERNEL:      Status kernelScaled(const KernelCall &call);
// CKERNEL:        kernelScaled, // scaled
// CKERNEL-NEXT:   nullptr, // moved_to

// CVJP:      void vjpScaled(VjpCall &call);
// CVJP:        vjpScaled, // scaled
// CVJP-NEXT:   nullptr, // moved_to

// CBATCH:      void batchMoved(BatchCall &call);
// CBATCH:        nullptr, // scaled
// CBATCH-NEXT:   batchMoved, // moved_to

// SHAPE:      std::string inferElementwise(const ShapeCall &call, std::vector<Type> &results);
// SHAPE-NEXT: std::string inferNote(
// SHAPE-NEXT: std::string inferCrop(
// SHAPE-NEXT: std::string inferTurn(
// SHAPE:      constexpr ShapeRule shapeRules[] = {
// SHAPE-NEXT:   nullptr,
// SHAPE-NEXT:   inferElementwise, // xor
// SHAPE-NEXT:   inferNote, // note
// SHAPE-NEXT:   nullptr,
// SHAPE-NEXT:   inferCrop, // crop
// SHAPE-NEXT:   inferElementwise, // hypot
// SHAPE-NEXT:   inferElementwise, // pick
// SHAPE-NEXT:   inferElementwise, // above
// SHAPE-NEXT:   inferTurn, // turn
// SHAPE-NEXT:   inferPlace, // place
// SHAPE-NEXT: };

// VIEW:      bool viewCrop(const ViewCall &call, ViewMap &map);
// VIEW-NOT:  bool view
// VIEW:        nullptr, // note
// VIEW:        viewCrop, // crop
// VIEW-NEXT:   nullptr, // hypot

// KERNEL:     Status kernelElementwise(const KernelCall &call);
// KERNEL-NOT: kernelCrop
// KERNEL:       kernelElementwise, // xor
// KERNEL:       nullptr, // crop

// VJP:     void vjpXor(VjpCall &call);
// VJP-NOT: vjpNote
// VJP-NOT: vjpCrop
// VJP-NOT: vjpTurn
// VJP:       vjpXor, // xor
// VJP:       nullptr, // note
// VJP:       nullptr, // crop

// BATCH:     void batchElementwise(BatchCall &call);
// BATCH:     void batchNever(BatchCall &call);
// BATCH-NOT: batchCrop
// BATCH:       nullptr, // crop

// LOOPS:      TENON_ARITHMETIC(xor_, Xor, XorOfBool, 2, 1 << int(Dtype::bool_) | 1 << int(Dtype::i32), false, true)
// LOOPS-NEXT: TENON_MATH(hypot, Hypot, Hypot, 2, {{.*}}1 << int(Dtype::f64){{.*}}, false, false)
// LOOPS-NEXT: TENON_BY_HAND(pick, Pick)
// LOOPS-NEXT: TENON_COMPARISON(above, Above, Above, 2, 1 << int(Dtype::f32), true, false)

// ELEMENT:      struct Xor {
// ELEMENT:      static auto run(V x1, V x2) {
// ELEMENT-NEXT:   return xor(x1, x2);
// ELEMENT:      struct XorOfBool {
// ELEMENT:        return not_equal(x1, x2);
// ELEMENT:        return hypot(x1, x2);
// ELEMENT-NOT:  struct Pick
// ELEMENT:        return less_equal(x1, x2);

// MATH-NOT: TENON_FUNCTION(xor
// MATH:     TENON_FUNCTION(hypot, 2)
// MATH-NOT: TENON_FUNCTION(
// RVJP-NOT: vjpXor
// RVJP:     RegionVjp vjpTurn(const Bind &bind, const std::vector<bool> &wanted);
// RVJP:       nullptr, // xor
// RVJP:       vjpTurn, // turn

// RBATCH-NOT: batchTurn
// RBATCH:       nullptr, // turn

// INTERPRET:     void interpretTurn(const Bind &bind, std::span<Array> results);
// INTERPRET:       nullptr, // above
// INTERPRET-NEXT:  interpretTurn, // turn

// RUNS:     Status runTurn(RegionRun &run);
// RUNS:       nullptr, // above
// RUNS-NEXT:  runTurn, // turn

// MODES:      /// What is outside.
// MODES-NEXT: enum class Border : uint8_t {
// MODES-NEXT:   zero, ///< zeros
// MODES-NEXT:   edge, ///< the last element
// MODES-NEXT:   nearest = edge, ///< alias of edge
// MODES-NEXT: };
// MODES:      constexpr std::string_view name(Border value) {
// MODES-NEXT:   constexpr std::string_view names[] = {"zero", "edge"};
// MODES-NEXT:   return static_cast<size_t>(value) < 2 ?

// API:      // Elementwise
// API:      /// x1 ^ x2.
// API-NEXT: {{\[\[nodiscard\]\]}} Array xor_(const Operand &x1, const Operand &x2);
// API:      {{\[\[nodiscard\]\]}} Array twice(const Operand &x, int times);
// API:      // Manipulation
// API:      /// x cut at `shape`.
// API-NEXT: /// First paragraph, on two lines.
// API-NEXT: /// Second paragraph.
// API-NEXT: {{\[\[nodiscard\]\]}} Array crop(const Operand &x, const Shape &the_first_corner_of_the_cropped_area,{{$}}
// API-NEXT: std::optional<Axis> default_ = {}, Dim size = 2, bool flag = true, Dtype dtype = f32,{{$}}
// API-NEXT: const Ints &ints = {}, const Operand &other = none, Border border = Border::edge);
// API:      // Creation
// API:      {{\[\[nodiscard\]\]}} Array nothing(const Shape &shape, Location at = Location::current());
// API:      // Random
// API:      namespace random {
// API:      {{^}}void note(const Arrays &xs, Location at = Location::current());
// API:      {{\[\[nodiscard\]\]}} Array place(const Operand &x, Axis axis, const Shape &shape,
// API:      } // namespace random

// DEFS:     Array xor_(const Operand &x1, const Operand &x2) {
// DEFS-NEXT:  return detail::elementwise(OpCode::xor_, {&x1, &x2});
// DEFS-NOT: crop
// DEFS:     Array random::place(const Operand &x, Axis axis, const Shape &shape, bool new_, std::optional<Device> device) {
// DEFS-NEXT:  const Array array = detail::toArray(x, OpCode::place);
// DEFS-NEXT:  const Location at = x.location();
// DEFS-NEXT:  const PlaceAttrs attributes{detail::normalizeAxis(OpCode::place, array, axis.value(), at), {shape.begin(), shape.size()}, new_, device.value_or(array.device())};
// DEFS-NEXT:  return detail::apply(OpCode::place, {array.value()}, detail::Words(attributes), at);
// DEFS:     Array nothing(const Shape &shape, Location at) {
// DEFS-NEXT:  DoorScope scope("nothing", at);
// DEFS-NEXT:  return full(shape, 0, at);
// DEFS:     Array half(const Operand &x, Scalar by) {
// DEFS-NEXT:  DoorScope scope("half", x.location(), {{[{][{]}}"x", x}});
// DEFS-NEXT:  return divide(x, by);
// DEFS-NOT: twice

// DOCS: ### xor
// DOCS: - Derivative: a rule that keeps `x2`, `result`.
// DOCS: - Eager, interpreted and compiled: equal by bits.
// DOCS: ### twice
// DOCS: - Derivative: that of its decomposition.
// DOCS: - Eager, interpreted and compiled: within 3 ulp; Two roundings.
// DOCS: ### crop
// DOCS: | Parameter | Type | Default | |
// DOCS: | `x` | operand |  |  |
// DOCS: | `default` | axis | none | The \*axis\*. |
// DOCS: | `size` | size | `2` |  |
// DOCS: | `border` | Border | `Border::edge` |  |
// DOCS: - Derivative: none: crop has no "derivative".
// DOCS: ### note
// DOCS: - Derivative: zero.

// JSON:      "code": 4,
// JSON:      "derivative": "none: crop has no \"derivative\".",
// JSON:      "name": "crop",
// JSON:      "name": "the_first_corner_of_the_cropped_area",
// JSON-NEXT: "type": "shape"
// JSON:      "default": null,
// JSON-NEXT: "doc": "The *axis*.",
// JSON-NEXT: "name": "default",
// JSON-NEXT: "type": "axis"
// JSON:      "default": 2,
// JSON:      "default": true,
// JSON:      "default": "f32",
// JSON:      "returns": "array",
// JSON-NEXT: "signature": "Array crop(const Operand &x, const Shape &the_first_corner
// JSON:      "view": true
// JSON-NOT:  "name": "turn"
// JSON:      "name": "twice",

// ROWS:      {.name = "crop",
// ROWS-NEXT:  .code = 4,
// ROWS:       .derivative = Rule::none,
// ROWS:      {.name = "twice",
// ROWS-NEXT:  .code = 0,
// ROWS:       .derivative = Rule::decomposition,

// CALLS:      {.name = "crop",
// CALLS-NEXT:  .parameters = {{[{][{]}}"x", "operand", false}, {"the_first_corner_of_the_cropped_area", "shape", false}, {"default", "axis", true},
// CALLS-NEXT:  .call = {{.*}}
// CALLS-NEXT:    return resultsOf(tenon::crop(a.operand(0, at), a.take<Shape>(1), a.take<std::optional<Axis>>(2), a.take<Dim>(3), a.take<bool>(4), a.take<Dtype>(5), a.take<Ints>(6), a.operand(7, at), a.mode<Border>(8)));
// CALLS:         tenon::nothing(a.take<Shape>(0), at)

//===- Group.cpp - the one place where fusion is decided ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops are taken in order. An elementwise op, or a reduction over the innermost
// axes, joins the group of an operand if that group runs over the same space;
// groups of several operands are united. Ops that only say where an element
// comes from (broadcast_to, full, a reshape that adds or drops sizes of 1) are
// looked through and belong to whatever reads them.
//
// What is made of a stored value for a later reader that cannot join (a derivative's factor, say) is made there,
// again from that value: not stored beside it.
//
// No cycle: every group and every other op has a depth above the depths of what
// it reads. An op may join a group whose depth is above those of the op's other
// operands: then nothing that the op reads depends on the group. A group may
// be deepened as long as it stays below the depth of what reads it. So one
// look at the operands decides, and the whole is linear.
//===----------------------------------------------------------------------===//
#include "lib/compiler/group/Group.h"

#include "dialect/ir/TenonDialect.h"
#include "lib/compiler/group/Space.h"
#include "lib/compiler/import/NamedTypes.h"
#include "lib/compiler/scalar/Scalar.h"

#include <tenon/modes.h>

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using tenon::Dtype, tenon::Kind, tenon::OpCode, tenon::OpInfo;
using namespace tenon::compiler;
namespace ir = tenon::ir;
namespace compiler = tenon::compiler;

namespace {

struct Unit {
  /// Members in order; one op if this is no group.
  SmallVector<Operation *, 2> ops;
  bool isGroup = false;
  Space space;
  /// Innermost axes that a reduction of this group runs over; 0: none yet.
  unsigned rowAxes = 0;
  /// What this group reads from outside, and the axes of its space that it has.
  SmallVector<std::pair<Value, AxisMask>, 8> inputs;
  int depth = 0, lowestReader = INT_MAX;
  unsigned parent;
  /// Units before this one although it reads nothing of them.
  SmallVector<unsigned, 1> after;

  unsigned outerAxes() const { return static_cast<unsigned>(space.size()) - rowAxes; }
};

class BlockGrouper {
public:
  BlockGrouper(Block &block, NamedTypes &types, const GroupCosts &costs) : block(block), types(types), costs(costs) {}
  void run();

private:
  unsigned find(unsigned unit) {
    while (units[unit].parent != unit)
      unit = units[unit].parent = units[units[unit].parent].parent;
    return unit;
  }
  std::optional<unsigned> unitOf(Value value) {
    Operation *op = value.getDefiningOp();
    auto found = op ? places.find(op) : places.end();
    return found == places.end() ? std::nullopt : std::optional(find(found->second));
  }
  int depthOf(Value value) {
    std::optional<unsigned> unit = unitOf(value);
    return unit ? units[*unit].depth : 0;
  }
  unsigned newUnit(Operation *op, bool isGroup) {
    auto number = static_cast<unsigned>(units.size());
    units.emplace_back();
    units.back().parent = number;
    units.back().isGroup = isGroup;
    units.back().ops.push_back(op);
    places[op] = number;
    return number;
  }
  Space spaceOf(Value value) { return squeeze(types.of(value).shape); }

  void addAlone(Operation *op);
  void demand(Value value, unsigned reader);
  bool addElementwise(Operation *op);
  bool addReduction(Operation *op);
  bool place(Operation *op, const Space &space, unsigned rowAxes, bool isReduction);
  bool canJoin(const Unit &unit, int depth) const { return depth <= unit.depth || depth < unit.lowestReader; }
  bool isStored(Value member, unsigned unit);
  bool isForLater(Operation *op, ArrayRef<Source> sources);
  bool join(unsigned unit, Operation *op, unsigned rowAxes, ArrayRef<Source> sources);
  std::optional<unsigned> unite(unsigned a, unsigned b);
  bool isOuterValue(Value value) { return outerOps.contains(value.getDefiningOp()); }
  /// Every input has all axes of the row, or none.
  static bool fitsRows(const Unit &unit, unsigned rowAxes, ArrayRef<std::pair<Value, AxisMask>> inputs) {
    const AxisMask row = rowMask(unit.space.size(), rowAxes);
    return llvm::all_of(inputs, [&](auto &input) { return (input.second & row) == 0 || (input.second & row) == row; });
  }

  void leaveReductions();
  SmallVector<unsigned> order();
  void build(unsigned unit);

  Block &block;
  NamedTypes &types;
  const GroupCosts &costs;
  std::vector<Unit> units;
  llvm::DenseMap<Operation *, unsigned> places;
  /// Members of groups with a result over the outer axes alone.
  llvm::DenseSet<Operation *> outerOps;
  llvm::DenseMap<Operation *, unsigned> sequence;
  std::optional<unsigned> lastEffect, lastGuard;
  llvm::DenseSet<Value> escaping;
  /// What values in kernels are, by the type of an element: a row, or one element.
  llvm::DenseMap<mlir::Type, RankedTensorType> rows, points;
};

} // namespace

static Dtype dtypeOf(Value value) { return *ir::dtypeOf(cast<RankedTensorType>(value.getType()).getElementType()); }

/// Ops that say where elements come from, and no more.
static bool isLookedThrough(Operation *op, const NamedTypes &types) {
  auto view = dyn_cast<ir::ViewOpInterface>(op);
  tenon::ViewMap map;
  return view ? isReadThrough(view, types, map) : isa<ir::FullOp>(op);
}

static bool isReduction(Operation *op) {
  const OpInfo *info = ir::infoOf(op);
  return info && info->isReduction();
}

/// A value that something outside of kernels reads: what was only looked
/// through until now becomes an op of its own.
void BlockGrouper::demand(Value value, unsigned reader) {
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == &block && !places.count(op) && isLookedThrough(op, types))
    addAlone(op);
  escaping.insert(value);
  if (std::optional<unsigned> unit = unitOf(value))
    units[reader].depth = std::max(units[reader].depth, units[*unit].depth + 1);
}

/// Whether it may fail, or never end: what a guard decides comes before it.
static bool mayStop(Operation *op) {
  auto mode = op->getAttrOfType<StringAttr>("mode");
  return op->getNumRegions() || (mode && std::string_view(mode.getValue()) == tenon::name(tenon::IndexMode::error));
}

void BlockGrouper::addAlone(Operation *op) {
  const unsigned unit = newUnit(op, false);
  units[unit].depth = 1;
  if (!isMemoryEffectFree(op)) {
    if (lastEffect) {
      units[unit].depth = units[*lastEffect].depth + 1;
      units[unit].after.push_back(*lastEffect);
    }
    lastEffect = unit;
    if (isa<ir::GuardOp, ir::CheckOp, ir::HostCallOp>(op)) // what may end the run
      lastGuard = unit;
  } else if (lastGuard && mayStop(op)) {
    units[unit].depth = units[*lastGuard].depth + 1;
    units[unit].after.push_back(*lastGuard);
  }
  // Operands first, so that the depth is known when they are marked as read.
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (!operand.getType().isIndex())
      operands.push_back(operand);
  for (Value operand : operands)
    demand(operand, unit);
  for (Value operand : operands)
    if (std::optional<unsigned> source = unitOf(operand))
      units[*source].lowestReader = std::min(units[*source].lowestReader, units[unit].depth);
}

static bool isElementwise(Operation *op) {
  const OpInfo *info = ir::infoOf(op);
  return info && hasScalarBody(static_cast<OpCode>(info->code));
}

/// Whether others than the group read what it makes.
bool BlockGrouper::isStored(Value member, unsigned unit) {
  return escaping.contains(member) || llvm::any_of(member.getUsers(), [&](Operation *user) {
           auto place = places.find(user);
           return place != places.end() && find(place->second) != unit;
         });
}

/// Whether all that `op` reads of a group is stored, and what reads its result, itself or through ops that
/// read nothing else, cannot join that group.
bool BlockGrouper::isForLater(Operation *op, ArrayRef<Source> sources) {
  std::optional<unsigned> group;
  for (const Source &source : sources) {
    std::optional<unsigned> unit = source.isConstant() ? std::nullopt : unitOf(source.base);
    if (!unit || !units[*unit].isGroup)
      continue;
    if ((group && group != unit) || !isStored(source.base, *unit))
      return false;
    group = unit;
  }
  if (!group)
    return false;
  for (unsigned steps = 0; steps < costs.maxOps && op->hasOneUse(); ++steps) {
    Operation *reader = *op->getUsers().begin();
    if (reader->getBlock() != &block || !isElementwise(reader))
      return false;
    const size_t axes = spaceOf(reader->getResult(0)).size();
    for (Value operand : reader->getOperands()) {
      if (operand.getType().isIndex() || operand.getDefiningOp() == op)
        continue;
      const Source source = lookThrough(operand, axes, types);
      if (source.isConstant())
        continue;
      std::optional<unsigned> unit = unitOf(source.base);
      if (unit == group && isStored(source.base, *group))
        continue;
      return unit && !canJoin(units[*group], units[*unit].depth + 1);
    }
    op = reader;
  }
  return false;
}

/// Adds `op` to the group if nothing it reads can depend on the group.
bool BlockGrouper::join(unsigned number, Operation *op, unsigned rowAxes, ArrayRef<Source> sources) {
  Unit &unit = units[number];
  if (unit.ops.size() >= costs.maxOps)
    return false;
  rowAxes = std::max(rowAxes, unit.rowAxes);
  int depth = unit.depth;
  SmallVector<std::pair<Value, AxisMask>, 3> inputs;
  for (const Source &source : sources) {
    if (source.isConstant())
      continue;
    if (unitOf(source.base) == number) {
      // A member's value is read where it is made: not along other axes.
      const size_t axes = isOuterValue(source.base) ? unit.outerAxes() : unit.space.size();
      if (source.mask != fullMask(axes))
        return false;
      continue;
    }
    depth = std::max(depth, depthOf(source.base) + 1);
    std::pair<Value, AxisMask> input(source.base, source.mask);
    if (!llvm::is_contained(unit.inputs, input) && !llvm::is_contained(inputs, input))
      inputs.push_back(input);
  }
  if (unit.inputs.size() + inputs.size() > costs.maxInputs || !canJoin(unit, depth) ||
      (rowAxes && (!fitsRows(unit, rowAxes, inputs) || (!unit.rowAxes && !fitsRows(unit, rowAxes, unit.inputs)))))
    return false;
  unit.depth = depth;
  unit.rowAxes = rowAxes;
  unit.inputs.append(inputs);
  unit.ops.push_back(op);
  places[op] = number;
  for (auto &input : inputs)
    if (std::optional<unsigned> from = unitOf(input.first))
      units[*from].lowestReader = std::min(units[*from].lowestReader, depth);
  return true;
}

/// Two groups over one space, neither of which depends on the other.
std::optional<unsigned> BlockGrouper::unite(unsigned a, unsigned b) {
  if (units[a].ops.size() < units[b].ops.size())
    std::swap(a, b);
  Unit &into = units[a], &from = units[b];
  const int depth = std::max(into.depth, from.depth);
  const unsigned rowAxes = std::max(into.rowAxes, from.rowAxes);
  if (!from.isGroup || !into.isGroup || into.space != from.space ||
      (into.rowAxes && from.rowAxes && into.rowAxes != from.rowAxes) ||
      depth >= std::min(into.lowestReader, from.lowestReader) || into.ops.size() + from.ops.size() >= costs.maxOps ||
      into.inputs.size() + from.inputs.size() > costs.maxInputs ||
      (rowAxes && (!fitsRows(into, rowAxes, into.inputs) || !fitsRows(from, rowAxes, from.inputs))))
    return std::nullopt;
  into.depth = depth;
  into.lowestReader = std::min(into.lowestReader, from.lowestReader);
  into.rowAxes = rowAxes;
  into.ops.append(from.ops);
  for (auto &input : from.inputs)
    if (!llvm::is_contained(into.inputs, input))
      into.inputs.push_back(input);
  from.ops.clear();
  from.parent = a;
  return a;
}

/// Finds a group for `op`, which runs over `space`, or makes one.
bool BlockGrouper::place(Operation *op, const Space &space, unsigned rowAxes, bool isReduction) {
  SmallVector<Source> sources;
  for (Value operand : op->getOperands())
    if (!operand.getType().isIndex()) {
      sources.push_back(lookThrough(operand, space.size(), types));
      // A source over other axes than it has here cannot be said by a mask.
      if (!sources.back().isConstant() && sources.back().mask == noMask)
        return false;
    }

  // Groups of operands over this space; for ops on elements of rows, groups
  // whose outer axes are this space.
  struct Candidate {
    unsigned unit;
    bool isOuter;
  };
  SmallVector<Candidate, 3> candidates;
  const bool isLate = !isReduction && isForLater(op, sources);
  for (const Source &source : sources) {
    if (isLate)
      break;
    std::optional<unsigned> unit = source.isConstant() ? std::nullopt : unitOf(source.base);
    if (!unit || !units[*unit].isGroup)
      continue;
    const Unit &group = units[*unit];
    if (group.space == space && (!isReduction || !group.rowAxes || group.rowAxes == rowAxes))
      candidates.push_back({*unit, false});
    else if (!isReduction && isOuterValue(source.base) && group.outerAxes() == space.size() &&
             std::equal(space.begin(), space.end(), group.space.begin(),
                        [](auto a, auto b) { return a.raw() == b.raw(); }))
      candidates.push_back({*unit, true});
  }
  std::optional<Candidate> home;
  for (Candidate candidate : candidates)
    if (candidate.unit = find(candidate.unit); !home)
      home = candidate;
    else if (home->unit != candidate.unit && home->isOuter == candidate.isOuter)
      if (std::optional<unsigned> united = unite(home->unit, candidate.unit))
        home->unit = *united;
  for (Candidate candidate : candidates)
    if (join(find(candidate.unit), op, rowAxes, sources)) {
      if (isReduction || candidate.isOuter)
        outerOps.insert(op);
      return true;
    }
  const unsigned made = newUnit(op, true);
  units[made].ops.clear();
  units[made].space = space;
  units[made].depth = 1;
  if (!join(made, op, rowAxes, sources)) {
    units.pop_back();
    places.erase(op);
    return false;
  }
  if (isReduction)
    outerOps.insert(op);
  return true;
}

bool BlockGrouper::addElementwise(Operation *op) {
  const Space space = spaceOf(op->getResult(0));
  return isKnown(space) && place(op, space, 0, false);
}

bool BlockGrouper::addReduction(Operation *op) {
  Value x = op->getOperand(0);
  const Space space = spaceOf(x);
  auto axes = cast<DenseI64ArrayAttr>(*op->getInherentAttr("axes")).asArrayRef();
  std::optional<unsigned> rowAxes = innermostAxes(types.of(x).shape, axes);
  if (!isKnown(space) || !rowAxes)
    return false;
  tenon::Dim rows = 1, row = 1;
  for (auto [axis, dim] : llvm::enumerate(space))
    (axis < space.size() - *rowAxes ? rows : row) *= dim;
  if (rows.is_static() && rows.raw() <= costs.fewRows && row.is_static() && row.raw() >= costs.longRow)
    return false;
  if (row.is_static() && row.raw() < costs.shortRow && (!rows.is_static() || rows.raw() >= costs.manyRows))
    return false;
  return place(op, space, *rowAxes, true);
}

/// Takes large reductions out of groups in which nothing else runs over rows:
/// the library is as fast at one pass over memory, and cuts long rows. What
/// such a group does with their results stays a kernel.
void BlockGrouper::leaveReductions() {
  const size_t count = units.size();
  for (size_t number = 0; number < count; ++number) {
    Unit &unit = units[number];
    if (!unit.isGroup || !unit.rowAxes)
      continue;
    tenon::Dim size = 1;
    for (tenon::Dim dim : unit.space)
      size *= dim;
    if (!size.is_static() || size.raw() < costs.librarySize)
      continue;
    SmallVector<Operation *> reductions;
    SmallVector<Operation *, 2> rest;
    llvm::SmallDenseSet<Value> read;
    const bool isApart = llvm::all_of(unit.ops, [&](Operation *op) {
      if (!isReduction(op)) {
        rest.push_back(op);
        return outerOps.contains(op);
      }
      reductions.push_back(op);
      Source source = lookThrough(op->getOperand(0), unit.space.size(), types);
      return !source.isConstant() && source.mask == fullMask(unit.space.size()) &&
             !(source.base.getDefiningOp() && llvm::is_contained(unit.ops, source.base.getDefiningOp())) &&
             read.insert(source.base).second; // two of one array are one pass
    });
    if (!isApart)
      continue;
    unit.space.truncate(unit.outerAxes());
    unit.rowAxes = 0;
    unit.ops = rest;
    for (Operation *op : rest)
      outerOps.erase(op);
    for (Operation *op : reductions) {
      outerOps.erase(op);
      places.erase(op);
      addAlone(op);
    }
  }
}

/// Units in an order in which each comes after what it reads, near to where
/// its last op stood.
SmallVector<unsigned> BlockGrouper::order() {
  SmallVector<unsigned> ordered;
  std::vector<uint8_t> state(units.size(), 0);
  // What a unit reads, found when it is entered.
  auto readsOf = [&](unsigned number) {
    SmallVector<unsigned> reads(units[number].after.begin(), units[number].after.end());
    for (Operation *op : units[number].ops)
      for (Value operand : op->getOperands()) {
        if (operand.getType().isIndex())
          continue;
        Value base = units[number].isGroup ? lookThrough(operand, max_rank_axes, types).base : operand;
        if (!base)
          continue;
        if (std::optional<unsigned> unit = unitOf(base); unit && *unit != number) {
          reads.push_back(*unit);
          if (units[number].isGroup)
            escaping.insert(base);
        }
      }
    return reads;
  };
  std::vector<std::pair<unsigned, SmallVector<unsigned>>> path;
  auto enter = [&](unsigned number) {
    state[number] = 1;
    path.emplace_back(number, readsOf(number));
  };
  for (Operation &op : block) {
    auto found = places.find(&op);
    if (found == places.end())
      continue;
    const unsigned number = find(found->second);
    if (state[number])
      continue;
    enter(number);
    while (!path.empty()) {
      auto &[at, reads] = path.back();
      if (reads.empty()) {
        state[at] = 2;
        ordered.push_back(at);
        path.pop_back();
        continue;
      }
      const unsigned next = reads.pop_back_val();
      if (!state[next])
        enter(next);
    }
  }
  return ordered;
}

/// Makes the kernel of a group before the block's end.
void BlockGrouper::build(unsigned number) {
  Unit &unit = units[number];
  MLIRContext *context = block.getTerminator()->getContext();
  llvm::sort(unit.ops, [&](Operation *a, Operation *b) { return sequence.lookup(a) < sequence.lookup(b); });
  llvm::DenseSet<Operation *> members(unit.ops.begin(), unit.ops.end());

  // Inputs and numbers, each once. An operand of an op on elements of rows is
  // over the outer axes, which come first: its mask is as it stands.
  struct Input {
    Value base;
    AxisMask mask;
  };
  SmallVector<Input> inputs;
  llvm::DenseMap<std::pair<Value, AxisMask>, unsigned> inputNumbers;
  SmallVector<ir::FullOp> numbers;
  llvm::DenseMap<Value, unsigned> numberNumbers;
  // Numbers that stand in the kernel: bounds, and what is more than a word.
  auto isBaked = [](Operation *op, ir::FullOp number) {
    return isa<ir::MaximumOp, ir::MinimumOp, ir::ClipOp>(op) || kind(dtypeOf(number.getResult())) == Kind::complex;
  };
  auto sourceOf = [&](Operation *op, Value operand) {
    const bool isOuter = outerOps.contains(op) && !isReduction(op);
    return lookThrough(operand, isOuter ? unit.outerAxes() : unit.space.size(), types);
  };
  SmallVector<Source> sources; // of all operands
  for (Operation *op : unit.ops)
    for (Value operand : op->getOperands()) {
      Source &source = sources.emplace_back(sourceOf(op, operand));
      if (source.isConstant()) {
        if (!isBaked(op, source.constant) && numberNumbers.try_emplace(source.constant, numbers.size()).second)
          numbers.push_back(source.constant);
      } else if (!members.contains(source.base.getDefiningOp()) &&
                 inputNumbers.try_emplace({source.base, source.mask}, inputs.size()).second) {
        inputs.push_back({source.base, source.mask});
      }
    }

  // Axes that every input has or lacks together are one.
  SmallVector<AxisMask> masks;
  for (const Input &input : inputs)
    masks.push_back(input.mask);
  const Collapsed collapsed = collapse(unit.space, unit.rowAxes, masks);

  SmallVector<Value> operands;
  SmallVector<Attribute> maps, immediates;
  SmallVector<mlir::Type> arguments;
  SmallVector<Location> locations;
  Builder b(context);
  auto element = [](Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); };
  auto row = [&](Value value) {
    RankedTensorType &type = rows[element(value)];
    return type ? type : type = RankedTensorType::get({ShapedType::kDynamic}, element(value));
  };
  auto point = [&](Value value) {
    RankedTensorType &type = points[element(value)];
    return type ? type : type = RankedTensorType::get({}, element(value));
  };
  for (const Input &input : inputs) {
    operands.push_back(input.base);
    maps.push_back(b.getDenseI64ArrayAttr(collapsed.outerAxesOf(input.mask)));
    arguments.push_back(collapsed.hasRow(input.mask) ? row(input.base) : point(input.base));
    locations.push_back(input.base.getLoc());
  }
  for (ir::FullOp full : numbers) {
    immediates.push_back(full.getValue());
    arguments.push_back(point(full.getResult()));
    locations.push_back(full.getLoc());
  }
  Location loc = unit.ops.back()->getLoc();
  arguments.push_back(b.getIndexType());
  locations.push_back(loc);

  SmallVector<Operation *> outputs;
  SmallVector<mlir::Type> types;
  SmallVector<Attribute> dims;
  bool isNamed = false;
  for (Operation *op : unit.ops)
    if (Value result = op->getResult(0); escaping.contains(result)) {
      outputs.push_back(op);
      types.push_back(result.getType());
      ArrayAttr names = ir::dimsToMlir(context, this->types.of(result).shape);
      isNamed |= static_cast<bool>(names);
      dims.push_back(names ? names : b.getArrayAttr({}));
    }

  OpBuilder builder(block.getTerminator());
  SmallVector<Attribute> sizes;
  for (tenon::Dim size : collapsed.sizes)
    sizes.push_back(size.is_static() ? Attribute(b.getI64IntegerAttr(size.raw())) : b.getStringAttr(size.str()));
  auto kernel = ir::KernelOp::create(builder, loc, types, operands, b.getI64IntegerAttr(collapsed.outer),
                                     b.getArrayAttr(sizes), b.getArrayAttr(maps), b.getArrayAttr(immediates));
  if (isNamed)
    kernel->setAttr(ir::dimsAttr, b.getArrayAttr(dims));
  Block *body = builder.createBlock(&kernel.getBody(), {}, arguments, locations);
  Value length = body->getArguments().back();

  llvm::DenseMap<Value, Value> made, repeated;
  Source *next = sources.begin();
  for (Operation *op : unit.ops) {
    const bool isReduced = isReduction(op), isOuter = outerOps.contains(op);
    SmallVector<Value> here;
    for (unsigned k = 0; k < op->getNumOperands(); ++k) {
      Source &source = *next++;
      Value value;
      if (source.isConstant() && isBaked(op, source.constant))
        value = ir::FullOp::create(builder, source.constant.getLoc(), point(source.constant.getResult()),
                                   b.getDenseI64ArrayAttr({}), ValueRange(), source.constant.getValue(),
                                   source.constant.getDtypeAttr(), source.constant.getDeviceAttr());
      else if (source.isConstant())
        value = body->getArgument(static_cast<unsigned>(inputs.size()) + numberNumbers.lookup(source.constant));
      else if (auto member = made.find(source.base); member != made.end())
        value = member->second;
      else
        value = body->getArgument(inputNumbers.lookup({source.base, source.mask}));
      if (cast<RankedTensorType>(value.getType()).getRank() == 0 && (!isOuter || isReduced)) {
        Value &wide = repeated[value];
        if (!wide)
          wide = ir::BroadcastToOp::create(builder, op->getLoc(), row(value), value,
                                           b.getDenseI64ArrayAttr({ShapedType::kDynamic}), ValueRange(length));
        value = wide;
      }
      here.push_back(value);
    }
    Value result = op->getResult(0);
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(here);
    state.addTypes(isOuter ? point(result) : row(result));
    state.addAttributes(op->getAttrs());
    Operation *copy = builder.create(state);
    if (isReduced) {
      copy->setAttr("axes", b.getDenseI64ArrayAttr({0}));
      copy->setAttr("keepdims", b.getBoolAttr(false));
    }
    made[result] = copy->getResult(0);
  }
  SmallVector<Value> ends;
  for (Operation *op : outputs)
    ends.push_back(made[op->getResult(0)]);
  ir::ReturnOp::create(builder, loc, ends);

  places[kernel] = number;
  for (auto [op, result] : llvm::zip(outputs, kernel.getResults())) {
    this->types.set(result, tenon::Type(this->types.of(op->getResult(0))));
    op->getResult(0).replaceAllUsesWith(result);
  }
  // What is left reads only what is in the kernel now.
  for (Operation *op : llvm::reverse(unit.ops)) {
    op->dropAllUses();
    this->types.erase(op->getResult(0));
    places.erase(op);
    op->erase();
  }
  unit.ops = {kernel};
}

void BlockGrouper::run() {
  Operation *end = block.getTerminator();
  SmallVector<Operation *> all;
  const auto count = static_cast<unsigned>(block.getOperations().size());
  sequence.reserve(count);
  places.reserve(count);
  all.reserve(count);
  for (Operation &op : block.without_terminator()) {
    sequence[&op] = static_cast<unsigned>(all.size());
    all.push_back(&op);
  }
  for (Operation *op : all) {
    const OpInfo *info = ir::infoOf(op);
    if (isa<ir::SizeOp>(op) || isLookedThrough(op, types))
      continue; // sizes, and what belongs to its readers
    if (!info)
      addAlone(op);
    else if (isElementwise(op) ? !addElementwise(op) : !info->isReduction() || !addReduction(op))
      addAlone(op);
  }
  for (Value result : end->getOperands()) {
    Operation *op = result.getDefiningOp();
    if (op && op->getBlock() == &block && !places.count(op) && isLookedThrough(op, types))
      addAlone(op);
    escaping.insert(result);
  }
  for (Operation *op : all)
    if (isa<ir::SizeOp>(op) && op != &block.front())
      op->moveBefore(&block.front());
  leaveReductions();
  SmallVector<unsigned> ordered = order();
  // Members are looked at in their first order, so kernels come before any op
  // is moved behind them.
  for (unsigned unit : ordered)
    if (units[unit].isGroup)
      build(unit);
  for (unsigned unit : ordered)
    for (Operation *op : units[unit].ops)
      op->moveBefore(end);
  SmallVector<Operation *> left;
  for (Operation &op : block.without_terminator())
    left.push_back(&op);
  for (Operation *op : llvm::reverse(left))
    if (isOpTriviallyDead(op)) {
      for (Value result : op->getResults())
        types.erase(result);
      op->erase();
    }
}

static void groupBlock(Block &block, NamedTypes &types, const GroupCosts &costs) {
  BlockGrouper(block, types, costs).run();
  for (Operation &op : block)
    if (!isa<ir::KernelOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          groupBlock(inner, types, costs);
}

/// Grouping moves the ops of a block and sees what reads them there: no value may be read in another block, which
/// tenon's own regions, isolated from what is around them, ensure.
static std::string checkBlocks(FunctionOpInterface function) {
  if (!function.getFunctionBody().hasOneBlock())
    return "function '" + function.getName().str() + "': expected a body of one block, got " +
           std::to_string(function.getFunctionBody().getBlocks().size());
  std::string error;
  function.getFunctionBody().walk([&](Operation *op) {
    if (!op->getNumRegions() || isa<ir::KernelOp>(op) || ir::infoOf(op))
      return WalkResult::advance();
    error = sentenceAt(op, "expected regions in tenon's ops alone");
    return WalkResult::interrupt();
  });
  return error;
}

std::string compiler::groupFunction(FunctionOpInterface function, const GroupCosts &costs) {
  if (std::string error = checkBlocks(function); !error.empty())
    return error;
  NamedTypes types;
  if (std::string error = nameTypes(function, types); !error.empty())
    return error;
  groupBlock(function.getFunctionBody().front(), types, costs);
  return "";
}

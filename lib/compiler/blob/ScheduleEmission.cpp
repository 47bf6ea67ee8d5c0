//===- ScheduleEmission.cpp - from a grouped function to a schedule -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/blob/ScheduleEmission.h"

#include "dialect/ir/Bridge.h"
#include "dialect/model/Views.h"
#include "lib/base/DimExpr.h"
#include "lib/compiler/import/Locations.h"
#include "lib/compiler/import/NamedTypes.h"
#include "lib/compiler/scalar/Scalar.h"

#include <tenon/error.h>

using namespace tenon;
using namespace tenon::compiler;

namespace {

class Emitter {
public:
  Emitter(const NamedTypes &types, const KernelTable &kernels, rt::Schedule &schedule)
      : types(types), kernels(kernels), schedule(schedule) {}

  void bindSymbols(mlir::Block &entry);
  /// Emits `block` as a schedule of its own; returns its number.
  uint32_t emitBlock(mlir::Block &block);
  void addRequirements(llvm::ArrayRef<PlacedRequirement> requirements);

private:
  /// The schedule at hand.
  struct Body {
    rt::ScheduleBody made;
    llvm::DenseMap<mlir::Value, rt::SlotId> slots;
    llvm::DenseMap<int64_t, rt::SizeExpr> sizes;
  };

  rt::SizeExpr size(Body &body, Dim dim);
  uint32_t sizes(Body &body, llvm::ArrayRef<Dim> dims);
  void writeSize(rt::ScheduleBody &body, Dim dim);
  /// What is known of a symbol of the function: from which of the schedule's it follows.
  struct Known {
    uint32_t number = 0;
    tenon::detail::SymbolSource source;
  };
  void writeSymbol(rt::ScheduleBody &body, const Known &known);
  /// A size that has to be `dim` once more when what follows from it is put in.
  struct Exact {
    uint32_t symbol;
    Dim dim;
    std::string sentence;
  };
  rt::SlotId slot(Body &body, mlir::Value value, rt::Slot::Kind kind);
  uint32_t words(Body &body, const OpInfo &info, AttrWords attributes);
  uint32_t location(mlir::Location loc);
  void view(Body &body, mlir::Value result, mlir::Value source, OpCode op, AttrWords attributes);
  bool views(Body &body, mlir::Operation *op, const OpInfo &info, AttrWords attributes);
  void launch(Body &body, ir::KernelOp kernel);
  void step(Body &body, mlir::Operation *op, const OpInfo &info);
  void finish(Body &body, rt::Step step, mlir::ValueRange operands, mlir::Operation *op);

  const NamedTypes &types;
  const KernelTable &kernels;
  rt::Schedule &schedule;
  llvm::StringMap<Known> symbols;
  llvm::StringMap<uint32_t> lines;
  /// Sizes of inputs that are symbols of the schedule, and expressions here.
  llvm::DenseMap<int64_t, uint32_t> whole;
  std::vector<Exact> exact;
  llvm::DenseMap<mlir::Location, uint32_t> places;
};

} // namespace

void Emitter::bindSymbols(mlir::Block &entry) {
  std::vector<Dim> dims;
  std::vector<std::pair<uint32_t, uint32_t>> axes;
  for (auto [input, argument] : llvm::enumerate(entry.getArguments())) {
    const Shape &shape = types.of(argument).shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      dims.push_back(shape[axis]);
      axes.emplace_back(static_cast<uint32_t>(input), static_cast<uint32_t>(axis));
    }
  }
  std::vector<std::string_view> unsolved;
  for (tenon::detail::SymbolSource &source : tenon::detail::solveSymbols(dims, unsolved)) {
    const auto number = static_cast<uint32_t>(schedule.symbols.size());
    const Dim dim = dims[source.place];
    const auto [input, axis] = axes[source.place];
    schedule.symbols.push_back({dim.str(), input, axis});
    if (!source.isBare()) {
      whole.try_emplace(dim.raw(), number);
      const Type &type = types.of(entry.getArgument(input));
      exact.push_back({number, dim,
                       "input " + std::to_string(input) + ": expected " + type.str() + ", got another size " +
                           "of axis " + std::to_string(axis)});
    }
    symbols.try_emplace(llvm::StringRef(source.symbol), Known{number, std::move(source)});
  }
}

void Emitter::addRequirements(llvm::ArrayRef<PlacedRequirement> requirements) {
  llvm::DenseSet<std::pair<int64_t, int64_t>> seen;
  rt::ScheduleBody &program = schedule.schedules[0];
  auto code = [&](Dim dim) {
    const auto begin = static_cast<uint32_t>(program.sizeCode.size());
    writeSize(program, dim);
    return rt::SizeExpr{begin, static_cast<uint32_t>(program.sizeCode.size()) - begin};
  };
  // What rounds down in the making of n from 4*n must leave nothing.
  for (const Exact &one : exact) {
    const auto begin = static_cast<uint32_t>(program.sizeCode.size());
    program.sizeCode.insert(program.sizeCode.end(), {static_cast<int64_t>(rt::SizeOp::symbol), one.symbol});
    for (auto [small, large] : {std::pair(rt::SizeExpr{begin, 2}, code(one.dim)), {code(one.dim), {begin, 2}}})
      schedule.requirements.push_back({small, large, one.sentence, rt::noLocation});
  }
  for (const PlacedRequirement &one : requirements)
    if (seen.insert({one.small.raw(), one.large.raw()}).second)
      schedule.requirements.push_back({code(one.small), code(one.large), one.sentence, location(one.at)});
}

/// Postfix code of a sum of products.
void Emitter::writeSize(rt::ScheduleBody &body, Dim dim) {
  auto write = [&](auto word) { body.sizeCode.push_back(static_cast<int64_t>(word)); };
  if (dim.is_unknown())
    throw Error("a size is unknown: give it a name with tenon.dims");
  tenon::detail::DimPolynomial terms = tenon::detail::polynomial(dim);
  if (terms.empty()) {
    write(rt::SizeOp::constant), write(0);
    return;
  }
  bool isFirst = true;
  for (const tenon::detail::DimTerm &term : terms) {
    const bool isPlain = term.coefficient == 1 && !term.atoms.empty();
    if (!isPlain)
      write(rt::SizeOp::constant), write(term.coefficient);
    for (size_t i = 0; i < term.atoms.size(); ++i) {
      const tenon::detail::DimAtom &atom = tenon::detail::dimAtom(term.atoms[i]);
      if (atom.isSymbol()) {
        auto found = symbols.find(atom.symbol);
        if (found == symbols.end())
          throw Error("no argument has '" + atom.symbol + "' as one of its sizes, so it has no value");
        writeSymbol(body, found->second);
      } else {
        writeSize(body, atom.numerator);
        writeSize(body, atom.denominator);
        write(rt::SizeOp::floorDivide);
      }
      if (i > 0 || !isPlain)
        write(rt::SizeOp::multiply);
    }
    if (!isFirst)
      write(rt::SizeOp::add);
    isFirst = false;
  }
}

/// Its value: (size - rest) / factor.
void Emitter::writeSymbol(rt::ScheduleBody &body, const Known &known) {
  auto write = [&](auto word) { body.sizeCode.push_back(static_cast<int64_t>(word)); };
  write(rt::SizeOp::symbol), write(known.number);
  if (known.source.isBare())
    return;
  // Only what is positive may divide.
  const bool isNegative = known.source.factor.is_static() && known.source.factor.raw() < 0;
  writeSize(body, Dim(0) - known.source.rest);
  write(rt::SizeOp::add);
  if (isNegative)
    write(rt::SizeOp::constant), write(-1), write(rt::SizeOp::multiply);
  writeSize(body, isNegative ? Dim(0) - known.source.factor : known.source.factor);
  write(rt::SizeOp::floorDivide);
}

rt::SizeExpr Emitter::size(Body &body, Dim dim) {
  auto [entry, isNew] = body.sizes.try_emplace(dim.raw());
  if (isNew) {
    const auto begin = static_cast<uint32_t>(body.made.sizeCode.size());
    if (auto place = whole.find(dim.raw()); place != whole.end())
      body.made.sizeCode.insert(body.made.sizeCode.end(),
                                {static_cast<int64_t>(rt::SizeOp::symbol), static_cast<int64_t>(place->second)});
    else
      writeSize(body.made, dim);
    body.sizes[dim.raw()] = {begin, static_cast<uint32_t>(body.made.sizeCode.size()) - begin};
  }
  return body.sizes[dim.raw()];
}

uint32_t Emitter::sizes(Body &body, llvm::ArrayRef<Dim> dims) {
  const auto begin = static_cast<uint32_t>(body.made.sizes.size());
  for (Dim dim : dims)
    body.made.sizes.push_back(size(body, dim));
  return begin;
}

rt::SlotId Emitter::slot(Body &body, mlir::Value value, rt::Slot::Kind kind) {
  const tenon::Type &type = types.of(value);
  rt::Slot made;
  made.kind = kind;
  made.dtype = type.dtype;
  made.rank = static_cast<uint8_t>(type.shape.rank());
  made.dims = sizes(body, {type.shape.begin(), type.shape.end()});
  const auto number = static_cast<rt::SlotId>(body.made.slots.size());
  body.made.slots.push_back(made);
  body.slots[value] = number;
  return number;
}

/// Attribute words with sizes replaced by their entries in the schedule.
uint32_t Emitter::words(Body &body, const OpInfo &info, AttrWords attributes) {
  std::vector<int64_t> copy(attributes.begin(), attributes.end());
  forEachDim(info, std::span(copy), [&](int64_t &word) { word = sizes(body, Dim::from_raw(word)); });
  const auto begin = static_cast<uint32_t>(body.made.attributes.size());
  body.made.attributes.insert(body.made.attributes.end(), copy.begin(), copy.end());
  return begin;
}

uint32_t Emitter::location(mlir::Location loc) {
  auto [entry, isNew] = places.try_emplace(loc, rt::noLocation);
  if (!isNew)
    return entry->second;
  TraceLocation at = locationFromMlir(loc);
  if (at.file.empty())
    return rt::noLocation;
  std::string text = at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  auto [line, isNewLine] = lines.try_emplace(text, static_cast<uint32_t>(schedule.locations.size()));
  if (isNewLine)
    schedule.locations.push_back(text);
  return entry->second = line->second;
}

void Emitter::finish(Body &body, rt::Step step, mlir::ValueRange operands, mlir::Operation *op) {
  llvm::SmallVector<rt::SlotId> ids;
  for (mlir::Value operand : operands)
    ids.push_back(body.slots.find(operand)->second);
  for (mlir::Value result : op->getResults())
    ids.push_back(slot(body, result, rt::Slot::temporary));
  step.operands = static_cast<uint32_t>(body.made.slotIds.size());
  step.operandCount = static_cast<uint32_t>(operands.size());
  step.resultCount = op->getNumResults();
  step.location = location(op->getLoc());
  body.made.slotIds.insert(body.made.slotIds.end(), ids.begin(), ids.end());
  body.made.steps.push_back(step);
}

void Emitter::view(Body &body, mlir::Value result, mlir::Value source, OpCode op, AttrWords attributes) {
  const rt::SlotId from = body.slots.find(source)->second;
  const uint32_t begin = words(body, opInfo(op), attributes);
  rt::Slot &made = body.made.slots[slot(body, result, rt::Slot::view)];
  made.op = op;
  made.source = from;
  made.attributes = begin;
  made.attributeCount = static_cast<uint32_t>(attributes.size());
}

/// Whether each axis stays where it is.
static bool isSlice(const ViewMap &map, int from, int to) {
  return from == to && !map.isRowMajor && llvm::all_of(llvm::seq(from), [&](int axis) {
           return map.axes[axis].to == axis && map.axes[axis].extent != ViewAxis::repeated;
         });
}

/// The results of a view op; false if they have no slots that say it. A slot knows one
/// result of an op: a piece of several is a slice.
bool Emitter::views(Body &body, mlir::Operation *op, const OpInfo &info, AttrWords attributes) {
  if (info.isSingleView()) {
    view(body, op->getResult(0), op->getOperand(0), static_cast<OpCode>(info.code), attributes);
    return true;
  }
  ViewMap map;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    const mlir::Value x = op->getOperand(static_cast<unsigned>(viewedOperand(info, number)));
    const Shape &shape = types.of(result).shape;
    const int from = types.of(x).shape.rank(), to = shape.rank();
    if (number == 0 && !(mapView(info, {from, to, attributes}, map) && isSlice(map, from, to)))
      return false;
    if (map.isSame) {
      body.slots[result] = body.slots.find(x)->second;
      continue;
    }
    std::vector<Dim> starts, stops;
    std::vector<int64_t> steps;
    for (int axis = 0; axis < to; ++axis) {
      starts.push_back(map.axes[axis].start);
      stops.push_back(map.axes[axis].start + shape[axis]);
      steps.push_back(map.axes[axis].step);
    }
    AttrWriter writer;
    SliceAttrs{starts, stops, steps}.write(writer);
    view(body, result, x, OpCode::slice, writer.words());
    nextPiece(map, from, shape);
  }
  return true;
}

void Emitter::launch(Body &body, ir::KernelOp kernel) {
  rt::Step step;
  step.kind = rt::Step::launch;
  step.target = kernels.numbers.lookup(kernel);
  const llvm::SmallVector<Dim> dims = kernel.getDims();
  auto typeOf = [&](mlir::Value value) { return types.of(value); };
  if (std::string error = kernel.checkElements(typeOf, /*isStrict=*/true); !error.empty())
    throw Error(sentenceAt(kernel, error));
  step.sizes = sizes(body, dims);
  step.sizeCount = static_cast<uint32_t>(dims.size());
  step.attributes = static_cast<uint32_t>(body.made.attributes.size());
  step.attributeCount = static_cast<uint32_t>(kernel.getImmediates().size());
  mlir::Block &block = kernel.getBody().front();
  for (auto [number, immediate] : llvm::enumerate(kernel.getImmediates())) {
    mlir::Value argument = block.getArgument(static_cast<unsigned>(kernel.getInputs().size() + number));
    Dtype dtype = *ir::dtypeOf(llvm::cast<mlir::RankedTensorType>(argument.getType()).getElementType());
    body.made.attributes.push_back(immediateWord(*ir::scalarFromMlir(immediate), dtype));
  }
  finish(body, step, kernel.getInputs(), kernel);
}

void Emitter::step(Body &body, mlir::Operation *op, const OpInfo &info) {
  AttrWriter writer;
  if (std::string error = ir::readAttributes(op, writer); !error.empty())
    throw Error(sentenceAt(op, error));
  AttrWords attributes = writer.words();
  mlir::ValueRange arrays = op->getOperands().take_front(ir::arrayCount(op));
  if (info.isView && views(body, op, info, attributes))
    return;
  rt::Step step;
  step.kind = info.lowering == Lowering::region   ? rt::Step::region
              : info.lowering == Lowering::effect ? rt::Step::host
                                                  : rt::Step::library;
  step.target = info.code;
  std::vector<uint32_t> bodies;
  for (mlir::Region &region : op->getRegions())
    bodies.push_back(emitBlock(region.front()));
  step.bodies = static_cast<uint32_t>(body.made.bodies.size());
  step.bodyCount = static_cast<uint32_t>(bodies.size());
  body.made.bodies.insert(body.made.bodies.end(), bodies.begin(), bodies.end());
  step.attributes = words(body, info, attributes);
  step.attributeCount = static_cast<uint32_t>(attributes.size());
  finish(body, step, arrays, op);
}

uint32_t Emitter::emitBlock(mlir::Block &block) {
  const auto number = static_cast<uint32_t>(schedule.schedules.size());
  schedule.schedules.emplace_back();
  Body body;
  for (auto [input, argument] : llvm::enumerate(block.getArguments())) {
    const rt::SlotId id = slot(body, argument, rt::Slot::input);
    body.made.slots[id].source = static_cast<uint32_t>(input);
    body.made.inputs.push_back(id);
  }
  for (mlir::Operation &op : block.without_terminator()) {
    if (auto kernel = llvm::dyn_cast<ir::KernelOp>(op))
      launch(body, kernel);
    else if (const OpInfo *info = ir::infoOf(&op))
      step(body, &op, *info);
    else if (!llvm::isa<ir::SizeOp>(op))
      throw Error("'" + op.getName().getStringRef().str() + "' has no place in a program");
  }
  for (mlir::Value result : block.getTerminator()->getOperands())
    body.made.outputs.push_back(body.slots.find(result)->second);
  schedule.schedules[number] = std::move(body.made);
  return number;
}

/// A schedule takes and returns arrays, and runs its steps one after the other.
static std::string checkSignature(mlir::FunctionOpInterface function) {
  const std::string name = "function '" + function.getName().str() + "': ";
  if (!function.getFunctionBody().hasOneBlock())
    return name + "expected a body of one block, got " + std::to_string(function.getFunctionBody().getBlocks().size());
  if (function.getFunctionBody().front().getTerminator()->getOperandTypes() != function.getResultTypes())
    return name + "expected the body to end in a return of the function's results";
  for (auto [what, types] :
       {std::pair("argument ", function.getArgumentTypes()), {"result ", function.getResultTypes()}})
    for (auto [number, type] : llvm::enumerate(types)) {
      Type ignored;
      if (std::string error = ir::fromMlir(type, ignored); !error.empty())
        return name + what + std::to_string(number) + ": " + error;
    }
  return "";
}

std::string compiler::emitSchedule(mlir::FunctionOpInterface function, const KernelTable &kernels,
                                   llvm::ArrayRef<PlacedRequirement> requirements, rt::Schedule &schedule) {
  if (std::string error = checkSignature(function); !error.empty())
    return error;
  NamedTypes types;
  if (std::string error = nameTypes(function, types); !error.empty())
    return error;
  // Errors of size arithmetic are exceptions; none of MLIR's frames is between.
  try {
    Emitter emitter(types, kernels, schedule);
    mlir::Block &entry = function.getFunctionBody().front();
    emitter.bindSymbols(entry);
    emitter.emitBlock(entry);
    emitter.addRequirements(requirements);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

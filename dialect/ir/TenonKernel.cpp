//===- TenonKernel.cpp - what holds of tenon.kernel, and its form ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/ir/TenonDialect.h"

#include "dialect/ir/Assembly.h"
#include "dialect/ir/Bridge.h"

#include "mlir/IR/Builders.h"

using namespace tenon::ir;
using mlir::OpAsmParser, mlir::OpAsmPrinter, mlir::ParseResult;

/// A row or one element.
static bool isRowOrElement(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && (tensor.getRank() == 0 || (tensor.getRank() == 1 && tensor.isDynamicDim(0)));
}

static mlir::Type elementOf(mlir::Type tensor) { return llvm::cast<mlir::RankedTensorType>(tensor).getElementType(); }

llvm::LogicalResult KernelOp::verify() {
  mlir::Block &body = getBody().front();
  const size_t expected = getInputs().size() + getImmediates().size() + 1;
  if (body.getNumArguments() != expected)
    return emitOpError() << "expected " << expected << " arguments of the body, got " << body.getNumArguments();
  if (!body.getArguments().back().getType().isIndex())
    return emitOpError() << "expected the body's last argument to be the row's length, an index";
  for (mlir::BlockArgument argument : body.getArguments().drop_back())
    if (!isRowOrElement(argument.getType()))
      return emitOpError() << "expected tensor<?xT> or tensor<T> as argument of the body, got " << argument.getType();
  for (auto [argument, input] : llvm::zip(body.getArguments(), getInputs()))
    if (elementOf(argument.getType()) != elementOf(input.getType()))
      return emitOpError() << "expected elements of " << elementOf(input.getType()) << " as argument of the body, got "
                           << argument.getType();
  for (auto [argument, number] : llvm::zip(body.getArguments().drop_front(getInputs().size()), getImmediates()))
    if (!scalarFromMlir(number) || llvm::cast<mlir::RankedTensorType>(argument.getType()).getRank() != 0)
      return emitOpError() << "expected a number for tensor<T> as immediate, got " << number << " for "
                           << argument.getType();
  const auto outer = static_cast<int64_t>(getOuter());
  if (outer < 0 || static_cast<int64_t>(getSizes().size()) != outer + 1)
    return emitOpError() << "expected " << outer + 1 << " sizes for " << outer << " outer axes, got "
                         << getSizes().size();
  if (getMaps().size() != getInputs().size())
    return emitOpError() << "expected " << getInputs().size() << " maps, one for each input, got " << getMaps().size();
  for (mlir::Attribute map : getMaps()) {
    auto axes = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(map);
    if (!axes)
      return emitOpError() << "expected array<i64> as map, got " << map;
    int64_t last = -1;
    for (int64_t axis : axes.asArrayRef()) {
      if (axis <= last || axis >= outer)
        return emitOpError() << "expected ascending axes below " << outer << " as map, got " << map;
      last = axis;
    }
  }
  auto end = body.empty() ? ReturnOp() : llvm::dyn_cast<ReturnOp>(body.back());
  if (!end)
    return emitOpError() << "expected the body to end in tenon.return";
  if (end.getNumOperands() != getNumResults())
    return emitOpError() << "expected the body to return " << getNumResults() << " values, got "
                         << end.getNumOperands();
  return mlir::success();
}

void KernelOp::getAsmBlockArgumentNames(mlir::Region &region, mlir::OpAsmSetValueNameFn setName) {
  for (auto [number, argument] : llvm::enumerate(region.getArguments()))
    setName(argument, number < getInputs().size() ? "x" : argument.getType().isIndex() ? "n" : "c");
}

void KernelOp::print(OpAsmPrinter &printer) {
  mlir::Block &body = getBody().front();
  auto bind = [&, number = 0u]() mutable -> mlir::BlockArgument {
    mlir::BlockArgument argument = body.getArgument(number++);
    printer << argument << " = ";
    return argument;
  };
  printer << '(';
  for (auto [input, map] : llvm::zip_equal(getInputs(), getMaps().getAsRange<mlir::DenseI64ArrayAttr>())) {
    const bool isRow = llvm::cast<mlir::RankedTensorType>(bind().getType()).getRank() == 1;
    printer << input << '[';
    llvm::interleaveComma(map.asArrayRef(), printer);
    printer << (isRow ? map.empty() ? "row" : ", row" : "") << "], ";
  }
  for (mlir::Attribute number : getImmediates()) {
    mlir::Type element = elementOf(bind().getType());
    printNumber(printer, *scalarFromMlir(number));
    printer << " : " << element << ", ";
  }
  bind();
  printer << "length) sizes " << getSizes();
  printTypes(printer, getInputs().getTypes(), getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), getAttributeNames());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// `%x[0, row]`: the outer axes, and whether the argument is a row.
static ParseResult parseMap(OpAsmParser &parser, llvm::SmallVectorImpl<int64_t> &axes, bool &isRow) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (isRow)
      return parser.emitError(parser.getCurrentLocation(), "expected 'row' as the last entry");
    isRow = succeeded(parser.parseOptionalKeyword("row"));
    return isRow ? mlir::success() : parser.parseInteger(axes.emplace_back());
  });
}

ParseResult KernelOp::parse(OpAsmParser &parser, mlir::OperationState &result) {
  mlir::Builder &b = parser.getBuilder();
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  llvm::SmallVector<mlir::Attribute> maps, immediates;
  llvm::SmallVector<bool> isRow;
  bool isWhole = false; // the length has been bound
  auto bind = [&]() -> ParseResult {
    llvm::SMLoc place = parser.getCurrentLocation();
    if (isWhole)
      return parser.emitError(place, "expected the length as the last argument");
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual())
      return mlir::failure();
    if (isWhole = succeeded(parser.parseOptionalKeyword("length")); isWhole) {
      argument.type = b.getIndexType();
      return mlir::success();
    }
    OpAsmParser::UnresolvedOperand input;
    if (mlir::OptionalParseResult found = parser.parseOptionalOperand(input); found.has_value()) {
      llvm::SmallVector<int64_t> axes;
      if (failed(*found) || parseMap(parser, axes, isRow.emplace_back(false)))
        return mlir::failure();
      if (!immediates.empty())
        return parser.emitError(place, "expected inputs before numbers");
      inputs.push_back(input);
      maps.push_back(b.getDenseI64ArrayAttr(axes));
      return mlir::success();
    }
    mlir::Type element;
    if (parseNumber(parser, immediates.emplace_back()) || parser.parseColonType(element))
      return mlir::failure();
    if (!mlir::RankedTensorType::isValidElementType(element))
      return parser.emitError(place) << "expected the type of an element, got " << element;
    argument.type = mlir::RankedTensorType::get({}, element);
    return mlir::success();
  };
  llvm::SMLoc place = parser.getCurrentLocation();
  mlir::ArrayAttr sizes;
  llvm::SmallVector<mlir::Type> types, results;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, bind) || parser.parseKeyword("sizes") ||
      parser.parseAttribute(sizes) || parseTypes(parser, inputs.size(), types, results) ||
      parser.resolveOperands(inputs, types, place, result.operands))
    return mlir::failure();
  if (!isWhole)
    return parser.emitError(place, "expected the length as the last argument");
  for (auto [argument, type, hasRow] : llvm::zip(arguments, types, isRow)) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor)
      return parser.emitError(place) << "expected a ranked tensor as input, got " << type;
    argument.type = hasRow ? mlir::RankedTensorType::get({mlir::ShapedType::kDynamic}, tensor.getElementType())
                           : mlir::RankedTensorType::get({}, tensor.getElementType());
  }
  result.addTypes(results);
  auto &properties = result.getOrAddProperties<Properties>();
  properties.outer = b.getI64IntegerAttr(static_cast<int64_t>(sizes.size()) - 1);
  properties.sizes = sizes;
  properties.maps = b.getArrayAttr(maps);
  properties.immediates = b.getArrayAttr(immediates);
  return mlir::failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                       parser.parseRegion(*result.addRegion(), arguments));
}

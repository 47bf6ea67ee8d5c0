//===- TenonKernel.cpp - what holds of tenon.kernel, and its form ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/ir/TenonDialect.h"

#include "dialect/ir/Assembly.h"
#include "dialect/ir/Bridge.h"

#include <tenon/error.h>

#include "mlir/IR/Builders.h"

using namespace tenon;
using namespace tenon::ir;
using mlir::OpAsmParser, mlir::OpAsmPrinter, mlir::ParseResult;

/// A row or one element.
static bool isRowOrElement(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && (tensor.getRank() == 0 || (tensor.getRank() == 1 && tensor.isDynamicDim(0)));
}

static mlir::Type elementOf(mlir::Type tensor) { return llvm::cast<mlir::RankedTensorType>(tensor).getElementType(); }

static bool isRow(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()).getRank() == 1; }

llvm::SmallVector<tenon::Dim> KernelOp::getDims() {
  llvm::SmallVector<Dim> dims;
  for (mlir::Attribute size : getSizes()) {
    dims.push_back(Dim::unknown());
    if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(size)) {
      if (number.getType().isInteger(64) && number.getInt() >= 0 && Dim::from_raw(number.getInt()).is_static())
        dims.back() = number.getInt();
    } else if (auto text = llvm::dyn_cast<mlir::StringAttr>(size)) {
      dims.back() = parseSize(text.getValue()).value_or(Dim::unknown());
    }
  }
  return dims;
}

std::string KernelOp::checkElements(llvm::function_ref<tenon::Type(mlir::Value)> typeOf, bool isStrict) {
  // The first outer axis is not among the sizes: it is what the others leave of the rows.
  const llvm::SmallVector<Dim> dims = getDims();
  const size_t outer = dims.size() - 1;
  const Dim rows = outer ? dims.front() : Dim(1), row = dims.back();
  auto product = [](auto &&factors) {
    Dim all = 1;
    for (Dim factor : factors)
      all *= factor;
    return all;
  };
  auto isEqual = [&](Dim a, Dim b) {
    const Always equal = provably_equal(a, b);
    return isStrict ? equal == Always::yes : equal != Always::no;
  };
  auto wrong = [](const std::string &what, size_t number, const Type &type) {
    return "expected " + what + " " + std::to_string(number) +
           " to have as many elements as the kernel's sizes and maps give it, got " + type.str();
  };
  // Size arithmetic may overflow, which is an Error: it must not pass through MLIR's frames.
  try {
    const Dim others = product(llvm::ArrayRef(dims).drop_back().drop_front(outer ? 1 : 0));
    const bool isEmpty = others.is_static() && others.raw() == 0;
    if (outer > 1 && !isEqual(isEmpty ? Dim(0) : floor_div(rows, others) * others, rows))
      return "expected a multiple of " + others.str() +
             ", the sizes of the outer axes but for the first, as rows, got " + rows.str();
    mlir::Block &body = getBody().front();
    for (auto [number, input] : llvm::enumerate(getInputs())) {
      const Type type = typeOf(input);
      auto axes = llvm::cast<mlir::DenseI64ArrayAttr>(getMaps()[number]).asArrayRef();
      Dim count = product(type.shape), wanted = isRow(body.getArgument(static_cast<unsigned>(number))) ? row : Dim(1);
      const bool hasFirst = !axes.empty() && axes.front() == 0;
      if (hasFirst)
        wanted *= rows;
      for (size_t axis = 1; axis < outer; ++axis) {
        const bool isRead = llvm::is_contained(axes, static_cast<int64_t>(axis));
        if (hasFirst && !isRead)
          count *= dims[axis];
        else if (!hasFirst && isRead)
          wanted *= dims[axis];
      }
      if (!isEqual(count, wanted))
        return wrong("input", number, type);
    }
    for (auto [number, result, value] : llvm::enumerate(getOuts(), body.getTerminator()->getOperands())) {
      const Type type = typeOf(result);
      const Dim wanted = isRow(value) ? rows * row : rows;
      if (!isEqual(product(type.shape), wanted))
        return wrong("result", number, type);
    }
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

/// The body's ops have records, one result each, and values that are rows or elements.
static llvm::LogicalResult verifyBody(mlir::Block &body, bool hasOuter) {
  for (mlir::Operation &op : body.without_terminator()) {
    const OpInfo *info = infoOf(&op);
    if (!info || op.getNumResults() != 1 || op.getNumRegions())
      return op.emitOpError() << "cannot be part of a kernel";
    if (!isRowOrElement(op.getResult(0).getType()))
      return op.emitOpError() << "expected tensor<?xT> or tensor<T> as result in a kernel, got "
                              << op.getResult(0).getType();
    if (info->isReduction() && !hasOuter)
      return op.emitOpError() << "expected no reduction in a kernel without outer axes: its row may be cut anywhere";
  }
  return mlir::success();
}

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
  for (auto [argument, number] : llvm::zip(body.getArguments().drop_front(getInputs().size()), getImmediates())) {
    std::optional<ScalarAttr> scalar = scalarFromMlir(number);
    if (!scalar || isRow(argument))
      return emitOpError() << "expected a number for tensor<T> as immediate, got " << number << " for "
                           << argument.getType();
    // A kernel gets one word for each.
    std::optional<Dtype> dtype = dtypeOf(elementOf(argument.getType()));
    if (!dtype || kind(*dtype) == Kind::complex || scalar->kind > kind(*dtype))
      return emitOpError() << "expected a real number that fits its type as immediate, got " << number << " for "
                           << argument.getType();
  }
  const auto outer = static_cast<int64_t>(getOuter());
  if (outer < 0 || static_cast<int64_t>(getSizes().size()) != outer + 1)
    return emitOpError() << "expected " << outer + 1 << " sizes for " << outer << " outer axes, got "
                         << getSizes().size();
  for (auto [attribute, dim] : llvm::zip_equal(getSizes(), getDims()))
    if (dim.is_unknown())
      return emitOpError() << "expected a number from 0 to 2^62 or an expression of symbols as size, got " << attribute;
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
  llvm::SmallDenseSet<mlir::Value> returned;
  for (auto [result, value] : llvm::zip_equal(getOuts(), end.getOperands())) {
    if (!isRowOrElement(value.getType()) || elementOf(value.getType()) != elementOf(result.getType()))
      return emitOpError() << "expected the body to return elements of " << elementOf(result.getType()) << ", got "
                           << value.getType();
    if (!returned.insert(value).second)
      return emitOpError() << "expected the body to return each value once";
  }
  if (failed(verifyBody(body, outer > 0)))
    return mlir::failure();
  llvm::DenseMap<mlir::Value, tenon::Type> types;
  for (mlir::Value input : getInputs())
    if (std::string error = fromMlir(input.getType(), types[input]); !error.empty())
      return emitOpError() << error;
  auto named = (*this)->getAttrOfType<mlir::ArrayAttr>(dimsAttr);
  if (named && named.size() != getNumResults())
    return emitOpError() << "expected '" << dimsAttr << "' to have an entry for each of " << getNumResults()
                         << " results, got " << named.size();
  for (auto [number, result] : llvm::enumerate(getOuts())) {
    std::string error = fromMlir(result.getType(), types[result]);
    if (error.empty() && named && named[number] != mlir::ArrayAttr::get(getContext(), {}))
      error = nameSizes(named[number], types[result]);
    if (!error.empty())
      return emitOpError() << error;
  }
  std::string error = checkElements([&](mlir::Value value) { return types[value]; }, /*isStrict=*/false);
  return error.empty() ? mlir::success() : llvm::LogicalResult(emitOpError() << error);
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

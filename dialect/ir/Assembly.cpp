//===- Assembly.cpp - how ops are printed and parsed ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/ir/Assembly.h"

#include "dialect/ir/Bridge.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

using namespace tenon;
using namespace tenon::ir;
using mlir::OpAsmParser, mlir::OpAsmPrinter, mlir::ParseResult;

static constexpr llvm::StringLiteral segmentsName = "operandSegmentSizes";

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The shortest decimal that is read as the same number, with a point.
static void printReal(OpAsmPrinter &printer, double value) {
  if (!std::isfinite(value)) {
    printer << "0x" << llvm::utohexstr(__builtin_bit_cast(uint64_t, value));
    return;
  }
  char text[32];
  llvm::StringRef digits(text, static_cast<size_t>(std::to_chars(text, std::end(text), value).ptr - text));
  auto [mantissa, exponent] = digits.split('e');
  printer << mantissa << (mantissa.contains('.') ? "" : ".0");
  if (!exponent.empty())
    printer << 'e' << exponent;
}

void ir::printNumber(OpAsmPrinter &printer, ScalarAttr number) {
  switch (number.kind) {
  case Kind::boolean:
    printer << (number.asBool() ? "true" : "false");
    return;
  case Kind::integer:
    if (number.asInt() < 0)
      printer << static_cast<int64_t>(number.asInt());
    else
      printer << number.words[0];
    return;
  case Kind::floating:
    printReal(printer, number.asDouble());
    return;
  case Kind::complex:
    printer << '[';
    printReal(printer, number.asComplex().real);
    printer << ", ";
    printReal(printer, number.asComplex().imag);
    printer << ']';
    return;
  }
}

static ParseResult parseBool(OpAsmParser &parser, bool &result) {
  result = succeeded(parser.parseOptionalKeyword("true"));
  return result ? mlir::success() : parser.parseKeyword("false", " or 'true'");
}

/// Whether the number that comes next has a point or is hexadecimal.
static bool isRealNext(OpAsmParser &parser) {
  const char *text = parser.getCurrentLocation().getPointer();
  text += *text == '-';
  while (llvm::isDigit(*text))
    ++text;
  return *text == '.' || *text == 'x';
}

/// A decimal number, or the 16 hexadecimal digits of an f64. Fewer digits are those of a narrower type, and MLIR's
/// parser would take them for the low bits of an f64.
static ParseResult parseReal(OpAsmParser &parser, double &result) {
  llvm::SMLoc place = parser.getCurrentLocation();
  llvm::StringRef digits(place.getPointer());
  if (digits.consume_front("0x") && digits.take_while(llvm::isHexDigit).size() != 16)
    return parser.emitError(place, "expected the 16 hexadecimal digits of an f64");
  return parser.parseFloat(result);
}

ParseResult ir::parseNumber(OpAsmParser &parser, mlir::Attribute &result) {
  ScalarAttr number;
  complex128_t value{};
  llvm::SMLoc place = parser.getCurrentLocation();
  if (llvm::StringRef word; succeeded(parser.parseOptionalKeyword(&word, {"true", "false"}))) {
    number = ScalarAttr::boolean(word == "true");
  } else if (succeeded(parser.parseOptionalLSquare())) {
    if (parseReal(parser, value.real) || parser.parseComma() || parseReal(parser, value.imag) || parser.parseRSquare())
      return mlir::failure();
    number = ScalarAttr::complex(value);
  } else if (isRealNext(parser)) {
    if (parseReal(parser, value.real))
      return mlir::failure();
    number = ScalarAttr::floating(value.real);
  } else {
    llvm::APInt integer;
    mlir::OptionalParseResult found = parser.parseOptionalInteger(integer);
    if (!found.has_value())
      return parser.emitError(place, "expected a number");
    if (failed(*found))
      return mlir::failure();
    if (!integer.isSignedIntN(64) && !(integer.isNonNegative() && integer.isIntN(64)))
      return parser.emitError(place, "expected an integer of 64 bits");
    number = ScalarAttr::integer(integer.isNegative() ? __int128(integer.getSExtValue()) : integer.getZExtValue());
  }
  result = scalarToMlir(parser.getContext(), number);
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// `[%n, 10]`: an operand is kDynamic among the sizes.
static ParseResult parseSizes(OpAsmParser &parser, llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                              llvm::SmallVectorImpl<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    mlir::OptionalParseResult found = parser.parseOptionalOperand(operand);
    if (!found.has_value())
      return parser.parseInteger(sizes.emplace_back());
    operands.push_back(operand);
    sizes.push_back(mlir::ShapedType::kDynamic);
    return *found;
  });
}

/// The attributes of a composite, whose lists of integers are written `[0, 1]`:
/// `change` makes one form of the other.
static mlir::DictionaryAttr withLists(mlir::DictionaryAttr named,
                                      llvm::function_ref<mlir::Attribute(mlir::Attribute)> change) {
  llvm::SmallVector<mlir::NamedAttribute> changed;
  for (mlir::NamedAttribute attribute : named)
    changed.emplace_back(attribute.getName(), change(attribute.getValue()));
  return mlir::DictionaryAttr::get(named.getContext(), changed);
}

/// What stands behind an attribute's name; `operands` are those among sizes.
static ParseResult parseAttribute(AttrKind kind, OpAsmParser &parser,
                                  llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                  mlir::Attribute &result) {
  mlir::Builder &b = parser.getBuilder();
  switch (kind) {
  case AttrKind::int_: {
    int64_t value;
    if (parser.parseInteger(value))
      return mlir::failure();
    result = b.getI64IntegerAttr(value);
    return mlir::success();
  }
  case AttrKind::bool_: {
    bool value;
    if (parseBool(parser, value))
      return mlir::failure();
    result = b.getBoolAttr(value);
    return mlir::success();
  }
  case AttrKind::dtype: {
    mlir::Type type;
    if (parser.parseType(type))
      return mlir::failure();
    result = mlir::TypeAttr::get(type);
    return mlir::success();
  }
  case AttrKind::scalar:
    return parseNumber(parser, result);
  case AttrKind::string:
  case AttrKind::device: {
    std::string text;
    if (parser.parseString(&text))
      return mlir::failure();
    result = b.getStringAttr(text);
    return mlir::success();
  }
  case AttrKind::named: {
    mlir::DictionaryAttr named;
    if (parser.parseAttribute(named))
      return mlir::failure();
    result = withLists(named, [&](mlir::Attribute value) -> mlir::Attribute {
      auto list = llvm::dyn_cast<mlir::ArrayAttr>(value);
      llvm::SmallVector<int64_t> numbers;
      for (mlir::Attribute number : list ? list.getValue() : llvm::ArrayRef<mlir::Attribute>())
        if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(number); integer && integer.getType().isInteger(64))
          numbers.push_back(integer.getInt());
      return list && numbers.size() == list.size() ? b.getDenseI64ArrayAttr(numbers) : value;
    });
    return mlir::success();
  }
  case AttrKind::ints: {
    llvm::SmallVector<int64_t> values;
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                       [&] { return parser.parseInteger(values.emplace_back()); }))
      return mlir::failure();
    result = b.getDenseI64ArrayAttr(values);
    return mlir::success();
  }
  case AttrKind::dims: {
    llvm::SmallVector<int64_t> sizes;
    if (parseSizes(parser, operands, sizes))
      return mlir::failure();
    result = b.getDenseI64ArrayAttr(sizes);
    return mlir::success();
  }
  }
  __builtin_unreachable();
}

/// False if the attribute is not of its kind: it stays in the dictionary.
static bool printAttribute(OpAsmPrinter &printer, const AttrInfo &wanted, mlir::Attribute attribute,
                           mlir::ValueRange &sizes) {
  auto name = [&]() -> OpAsmPrinter & {
    printer << ' ' << wanted.name << ' ';
    return printer;
  };
  auto list = [&](llvm::ArrayRef<int64_t> values, auto &&print) {
    name() << '[';
    llvm::interleaveComma(values, printer, print);
    printer << ']';
  };
  switch (wanted.kind) {
  case AttrKind::int_:
  case AttrKind::bool_:
  case AttrKind::dtype:
  case AttrKind::string:
  case AttrKind::device:
    name().printAttributeWithoutType(attribute);
    return true;
  case AttrKind::named: {
    mlir::Builder b(attribute.getContext());
    name() << withLists(llvm::cast<mlir::DictionaryAttr>(attribute), [&](mlir::Attribute value) -> mlir::Attribute {
      auto list = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value);
      return list ? b.getI64ArrayAttr(list) : value;
    });
    return true;
  }
  case AttrKind::scalar: {
    std::optional<ScalarAttr> number = scalarFromMlir(attribute);
    if (number)
      printNumber(name(), *number);
    return number.has_value();
  }
  case AttrKind::ints:
    list(llvm::cast<mlir::DenseI64ArrayAttr>(attribute), [&](int64_t value) { printer << value; });
    return true;
  case AttrKind::dims:
    list(llvm::cast<mlir::DenseI64ArrayAttr>(attribute), [&](int64_t value) {
      if (!mlir::ShapedType::isDynamic(value)) {
        printer << value;
        return;
      }
      printer << sizes.front();
      sizes = sizes.drop_front();
    });
    return true;
  }
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

ParseResult ir::parseTypes(OpAsmParser &parser, size_t operands, llvm::SmallVectorImpl<mlir::Type> &inputs,
                           llvm::SmallVectorImpl<mlir::Type> &results) {
  mlir::Type type;
  if (parser.parseColonType(type))
    return mlir::failure();
  if (auto function = llvm::dyn_cast<mlir::FunctionType>(type)) {
    inputs.assign(function.getInputs().begin(), function.getInputs().end());
    results.assign(function.getResults().begin(), function.getResults().end());
  } else {
    inputs.assign(operands, type);
    results.push_back(type);
  }
  return mlir::success();
}

void ir::printTypes(OpAsmPrinter &printer, mlir::TypeRange inputs, mlir::TypeRange results) {
  printer << " : ";
  if (results.size() == 1 && llvm::all_of(inputs, [&](mlir::Type input) { return input == results.front(); }))
    printer << results.front();
  else
    printer.printFunctionalType(inputs, results);
}

llvm::StringRef ir::nameOf(mlir::Region &region) {
  if (region.empty() || region.front().empty())
    return "";
  auto name = llvm::dyn_cast<mlir::NameLoc>(region.front().back().getLoc());
  return name ? name.getName().getValue() : "";
}

void ir::setName(mlir::Region &region, llvm::StringRef name) {
  if (name.empty() || region.empty() || region.front().empty() || nameOf(region) == name)
    return;
  mlir::Operation &end = region.front().back();
  end.setLoc(mlir::NameLoc::get(mlir::StringAttr::get(end.getContext(), name), end.getLoc()));
}

static ParseResult parseRegions(const OpInfo &info, OpAsmParser &parser, mlir::OperationState &result) {
  for (size_t number = 0; number < info.regions.size() || info.variadicRegions; ++number) {
    llvm::SmallVector<OpAsmParser::Argument> arguments;
    const RegionInfo &wanted = regionInfo(info, number);
    bool isOneMore = number >= info.regions.size();
    if (isOneMore && parser.parseOptionalKeyword(wanted.name))
      break;
    if (!isOneMore && parser.parseKeyword(wanted.name))
      return mlir::failure();
    std::string name;
    if (wanted.isNamed)
      (void)parser.parseOptionalString(&name);
    mlir::Region &region = *result.addRegion();
    if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
        parser.parseRegion(region, arguments))
      return mlir::failure();
    // A location that stands at the end of the file is not known yet: it has the
    // name, as it was printed with it.
    if (!region.empty() && !region.front().empty() && !llvm::isa<mlir::OpaqueLoc>(region.front().back().getLoc()))
      setName(region, name);
  }
  return mlir::success();
}

/// Arrays by operand, then the index operands of each list of sizes.
static mlir::Attribute segmentsOf(const OpInfo &info, size_t arrays, mlir::OperationState &state) {
  llvm::SmallVector<int32_t> segments(info.operands.size(), 1);
  if (info.variadic)
    segments.back() = static_cast<int32_t>(arrays) - static_cast<int32_t>(info.operands.size() - 1);
  for (const AttrInfo &attribute : info.attributes)
    if (attribute.kind == AttrKind::dims) {
      auto sizes = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(state.attributes.get(attribute.name));
      segments.push_back(sizes ? static_cast<int32_t>(llvm::count_if(sizes.asArrayRef(), mlir::ShapedType::isDynamic))
                               : 0);
    }
  return mlir::DenseI32ArrayAttr::get(state.getContext(), segments);
}

ParseResult ir::parseRecordOp(OpCode code, OpAsmParser &parser, mlir::OperationState &result) {
  const OpInfo &info = opInfo(code);
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands, sizes;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return mlir::failure();

  llvm::SmallVector<llvm::StringRef> names;
  for (const AttrInfo &attribute : info.attributes)
    names.push_back(attribute.name);
  llvm::SmallVector<llvm::SmallVector<OpAsmParser::UnresolvedOperand>> sizesOf(names.size());
  for (llvm::StringRef name; succeeded(parser.parseOptionalKeyword(&name, names));) {
    const auto number = static_cast<size_t>(llvm::find(names, name) - names.begin());
    mlir::Attribute attribute;
    if (result.attributes.get(name))
      return parser.emitError(parser.getCurrentLocation()) << "expected '" << name << "' once";
    if (parseAttribute(info.attributes[number].kind, parser, sizesOf[number], attribute))
      return mlir::failure();
    result.addAttribute(name, attribute);
  }
  for (auto &list : sizesOf)
    sizes.append(list);

  llvm::SMLoc dictionary = parser.getCurrentLocation();
  llvm::SmallVector<mlir::Type> inputs, results;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      failed(result.name.verifyInherentAttrs(
          result.attributes,
          [&] { return parser.emitError(dictionary) << "'" << result.name.getStringRef() << "' op "; })) ||
      parseTypes(parser, operands.size(), inputs, results))
    return mlir::failure();
  const size_t arrays = arrayCount(inputs);
  if (arrays < inputs.size() && !sizes.empty())
    return parser.emitError(place, "expected index operands in the lists of sizes alone");
  if (parser.resolveOperands(operands, inputs, place, result.operands) ||
      parser.resolveOperands(sizes, parser.getBuilder().getIndexType(), result.operands))
    return mlir::failure();
  result.addTypes(results);
  if (hasSegments(info) && !result.attributes.get(segmentsName))
    result.addAttribute(segmentsName, segmentsOf(info, arrays, result));
  return parseRegions(info, parser, result);
}

void ir::printRecordOp(mlir::Operation *op, OpAsmPrinter &printer) {
  const OpInfo &info = *infoOf(op);
  const auto arrays = static_cast<unsigned>(arrayCount(op));
  if (arrays) {
    printer << ' ';
    printer.printOperands(op->getOperands().take_front(arrays));
  }
  mlir::ValueRange sizes = op->getOperands().drop_front(arrays);
  llvm::SmallVector<llvm::StringRef> printed = {segmentsName};
  for (const AttrInfo &wanted : info.attributes)
    if (mlir::Attribute attribute = op->getInherentAttr(wanted.name).value_or(mlir::Attribute()))
      if (printAttribute(printer, wanted, attribute, sizes))
        printed.push_back(wanted.name);
  printer.printOptionalAttrDict(op->getAttrs(), printed);
  printTypes(printer, op->getOperands().take_front(arrays).getTypes(), op->getResultTypes());
  for (unsigned i = 0; i < op->getNumRegions(); ++i) {
    mlir::Region &region = op->getRegion(i);
    const RegionInfo &wanted = regionInfo(info, i);
    printer << ' ' << wanted.name;
    if (llvm::StringRef name = nameOf(region); wanted.isNamed && !name.empty()) {
      printer << ' ';
      printer.printString(name);
    }
    printer << '(';
    if (!region.empty())
      llvm::interleaveComma(region.getArguments(), printer,
                            [&](mlir::BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
}

//===- Bridge.cpp - between MLIR and the plain types, sizes and attribute words -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/ir/Bridge.h"

#include "dialect/ir/TenonDialect.h"
#include "dialect/model/Composite.h"
#include "lib/base/DimExpr.h"
#include "lib/base/Dtypes.h"

#include <tenon/error.h>

#include "mlir/IR/Builders.h"

using namespace tenon;
using namespace tenon::ir;

//===----------------------------------------------------------------------===//
// Types and sizes
//===----------------------------------------------------------------------===//

/// The type of a real number of this class of MLIR's.
template <class MlirType>
static mlir::Type realType(mlir::MLIRContext *context, Dtype dtype) {
  if constexpr (!std::is_same_v<MlirType, mlir::IntegerType>)
    return MlirType::get(context);
  else if (kind(dtype) == Kind::boolean)
    return MlirType::get(context, 1);
  else
    return MlirType::get(context, unsigned(8 * item_size(dtype)),
                         is_unsigned(dtype) ? mlir::IntegerType::Unsigned : mlir::IntegerType::Signless);
}

mlir::Type ir::elementType(mlir::MLIRContext *context, Dtype dtype) {
  auto type = [&](mlir::Type real) { return kind(dtype) == Kind::complex ? mlir::ComplexType::get(real) : real; };
  switch (dtype) {
#define TENON_DTYPE(name, code, kind, Element, numpy, descr, Mlir)                                                     \
  case Dtype::name:                                                                                                    \
    return type(realType<mlir::Mlir##Type>(context, dtype));
#include <tenon/detail/dtypes.def>
  }
  __builtin_unreachable();
}

/// Whether `type`, of this class of MLIR's, is that of `dtype`.
template <class MlirType>
static bool isOf(mlir::Type type, Dtype dtype) {
  if (kind(dtype) == Kind::complex) {
    auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
    return complex && llvm::isa<MlirType>(complex.getElementType());
  }
  if constexpr (!std::is_same_v<MlirType, mlir::IntegerType>) {
    return llvm::isa<MlirType>(type);
  } else {
    auto integer = llvm::dyn_cast<MlirType>(type);
    const size_t width = kind(dtype) == Kind::boolean ? 1 : 8 * item_size(dtype);
    return integer && integer.getWidth() == width && !integer.isSigned() && integer.isUnsigned() == is_unsigned(dtype);
  }
}

std::optional<Dtype> ir::dtypeOf(mlir::Type element) {
#define TENON_DTYPE(name, code, kind, Element, numpy, descr, Mlir)                                                     \
  if (isOf<mlir::Mlir##Type>(element, Dtype::name))                                                                    \
    return Dtype::name;
#include <tenon/detail/dtypes.def>
  return std::nullopt;
}

/// `i1, ui8 or f32`: every element type, in a sentence.
static std::string elementTypes(mlir::MLIRContext *context) {
  auto text = [&](Dtype dtype) {
    std::string type;
    llvm::raw_string_ostream(type) << ir::elementType(context, dtype);
    return type;
  };
  return tenon::detail::listDtypes([](Dtype) { return true; }, text, " or ");
}

mlir::RankedTensorType ir::toMlir(mlir::MLIRContext *context, const tenon::Type &type) {
  llvm::SmallVector<int64_t, 8> sizes;
  for (Dim dim : type.shape)
    sizes.push_back(dim.is_static() ? dim.raw() : mlir::ShapedType::kDynamic);
  mlir::Attribute device;
  if (type.device != Device::cpu)
    device = mlir::StringAttr::get(context, name(type.device));
  return mlir::RankedTensorType::get(sizes, elementType(context, type.dtype), device);
}

static std::string print(auto what) {
  std::string text;
  llvm::raw_string_ostream(text) << what;
  return text;
}

/// `cpu:0`, as name() writes it; none of another attribute.
static std::optional<Device> deviceOf(mlir::Attribute attribute) {
  auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute);
  if (!text)
    return std::nullopt;
  auto [kind, index] = text.getValue().split(':');
  Device device{kind == "cpu" ? DeviceKind::cpu : DeviceKind::null, 0};
  if (index.getAsInteger(10, device.index) || text.getValue() != name(device))
    return std::nullopt;
  return device;
}

std::string ir::fromMlir(mlir::Type type, tenon::Type &out) {
  auto tensor = llvm::dyn_cast_or_null<mlir::RankedTensorType>(type);
  if (!tensor)
    return "expected a ranked tensor, got '" + print(type) + "'";
  std::optional<Dtype> dtype = dtypeOf(tensor.getElementType());
  if (!dtype)
    return "expected elements of " + elementTypes(tensor.getContext()) + ", got '" + print(tensor.getElementType()) +
           "'";
  if (tensor.getRank() > max_rank)
    return "expected at most " + std::to_string(max_rank) + " axes, got " + std::to_string(tensor.getRank());
  out = {*dtype, Device::cpu, {}};
  if (mlir::Attribute encoding = tensor.getEncoding()) {
    std::optional<Device> device = deviceOf(encoding);
    if (!device || *device == Device::cpu)
      return "expected the name of a device as encoding, got '" + print(encoding) + "'";
    out.device = *device;
  }
  for (int64_t size : tensor.getShape()) {
    if (size > int64_t(1) << 62)
      return "expected sizes up to 2^62, got " + std::to_string(size);
    out.shape.push_back(mlir::ShapedType::isDynamic(size) ? Dim::unknown() : Dim(size));
  }
  return "";
}

mlir::ArrayAttr ir::dimsToMlir(mlir::MLIRContext *context, const Shape &shape) {
  mlir::Builder b(context);
  llvm::SmallVector<mlir::Attribute> dims;
  bool named = false;
  for (Dim dim : shape) {
    named |= !dim.is_static() && !dim.is_unknown();
    dims.push_back(dim.is_static() ? mlir::Attribute(b.getI64IntegerAttr(dim.raw())) : b.getStringAttr(dim.str()));
  }
  return named ? b.getArrayAttr(dims) : mlir::ArrayAttr();
}

std::optional<Dim> ir::parseSize(llvm::StringRef text) {
  try {
    return tenon::detail::parseDim({text.data(), text.size()});
  } catch (const Error &) {
    return std::nullopt;
  }
}

std::string ir::nameSizes(mlir::Attribute attribute, tenon::Type &type) {
  auto dims = llvm::dyn_cast<mlir::ArrayAttr>(attribute);
  if (!dims || dims.size() != type.shape.size())
    return "expected '" + dimsAttr.str() + "' to be a list of " + std::to_string(type.shape.size()) + " sizes, got " +
           print(attribute);
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    mlir::Attribute entry = dims[static_cast<unsigned>(axis)];
    Dim stated = type.shape[axis];
    std::optional<Dim> dim;
    if (auto text = llvm::dyn_cast<mlir::StringAttr>(entry))
      dim = parseSize(text.getValue());
    else if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(entry);
             number && number.getType().isInteger(64) && Dim::from_raw(number.getInt()).is_static())
      dim = number.getInt();
    if (!dim)
      return "expected a size as entry " + std::to_string(axis) + " of '" + dimsAttr.str() + "', got " + print(entry);
    if (dim->is_static() == stated.is_unknown() || (dim->is_static() && dim->raw() != stated.raw()))
      return "expected " + (stated.is_unknown() ? std::string("a name") : stated.str()) + " as entry " +
             std::to_string(axis) + " of '" + dimsAttr.str() + "', got " + print(entry);
    type.shape.at(axis) = *dim;
  }
  return "";
}

Dim ir::sizeOf(mlir::Value value) {
  auto size = value.getDefiningOp<SizeOp>();
  if (!size)
    return Dim::unknown();
  return parseSize(size.getExpression()).value_or(Dim::unknown());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

mlir::Attribute ir::scalarToMlir(mlir::MLIRContext *context, ScalarAttr value) {
  mlir::Builder b(context);
  auto part = [&](uint64_t bits) -> mlir::Attribute {
    return mlir::FloatAttr::get(b.getF64Type(), llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
  };
  switch (value.kind) {
  case Kind::boolean:
    return b.getBoolAttr(value.asBool());
  case Kind::integer:
    if (value.asInt() > INT64_MAX)
      return b.getIntegerAttr(b.getIntegerType(64, /*isSigned=*/false), llvm::APInt(64, value.words[0]));
    return b.getI64IntegerAttr(static_cast<int64_t>(value.asInt()));
  case Kind::floating:
    return part(value.words[0]);
  case Kind::complex:
    return b.getArrayAttr({part(value.words[0]), part(value.words[1])});
  }
  __builtin_unreachable();
}

/// A real number as f64; none if that would round it.
static std::optional<double> realFromMlir(mlir::Attribute attribute) {
  auto floating = llvm::dyn_cast_or_null<mlir::FloatAttr>(attribute);
  if (!floating)
    return std::nullopt;
  llvm::APFloat value = floating.getValue();
  bool loses = false;
  if (&value.getSemantics() != &llvm::APFloat::IEEEdouble())
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  if (loses)
    return std::nullopt;
  return __builtin_bit_cast(double, value.bitcastToAPInt().getZExtValue());
}

std::optional<ScalarAttr> ir::scalarFromMlir(mlir::Attribute attribute) {
  if (auto integer = llvm::dyn_cast_or_null<mlir::IntegerAttr>(attribute)) {
    const llvm::APInt &value = integer.getValue();
    if (integer.getType().isInteger(1))
      return ScalarAttr::boolean(value.getBoolValue());
    if (value.getBitWidth() > 64)
      return std::nullopt;
    bool isUnsigned = integer.getType().isUnsignedInteger();
    return ScalarAttr::integer(isUnsigned ? __int128(value.getZExtValue()) : value.getSExtValue());
  }
  if (std::optional<double> real = realFromMlir(attribute))
    return ScalarAttr::floating(*real);
  auto parts = llvm::dyn_cast_or_null<mlir::ArrayAttr>(attribute);
  if (!parts || parts.size() != 2)
    return std::nullopt;
  std::optional<double> real = realFromMlir(parts[0]), imag = realFromMlir(parts[1]);
  if (!real || !imag)
    return std::nullopt;
  return ScalarAttr::complex({*real, *imag});
}

const OpInfo *ir::infoOf(mlir::Operation *op) {
  const auto *dialect = llvm::dyn_cast_or_null<TenonDialect>(op->getDialect());
  return dialect ? dialect->infoOf(op->getName()) : nullptr;
}

size_t ir::arrayCount(mlir::TypeRange operands) {
  size_t count = 0;
  while (count < operands.size() && !operands[count].isIndex())
    ++count;
  return count;
}

bool ir::hasSegments(const OpInfo &info) {
  size_t groups = info.variadic;
  for (const AttrInfo &attribute : info.attributes)
    groups += attribute.kind == AttrKind::dims;
  return groups > 1;
}

/// One attribute into words; false if it is of another kind.
static bool readAttribute(AttrKind kind, mlir::Attribute attribute, AttrWriter &out) {
  switch (kind) {
  case AttrKind::int_:
    if (auto value = llvm::dyn_cast<mlir::IntegerAttr>(attribute); value && value.getType().isInteger(64))
      return out.writeInt(value.getInt()), true;
    return false;
  case AttrKind::bool_:
    if (auto value = llvm::dyn_cast<mlir::BoolAttr>(attribute))
      return out.writeBool(value.getValue()), true;
    return false;
  case AttrKind::dtype:
    if (auto value = llvm::dyn_cast<mlir::TypeAttr>(attribute))
      if (std::optional<Dtype> dtype = dtypeOf(value.getValue()))
        return out.writeDtype(*dtype), true;
    return false;
  case AttrKind::scalar:
    if (std::optional<ScalarAttr> value = scalarFromMlir(attribute))
      return out.writeScalar(*value), true;
    return false;
  case AttrKind::string:
    if (auto value = llvm::dyn_cast<mlir::StringAttr>(attribute))
      return out.writeString({value.getValue().data(), value.getValue().size()}), true;
    return false;
  case AttrKind::ints:
    if (auto value = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(attribute))
      return out.writeInts({value.asArrayRef().data(), value.asArrayRef().size()}), true;
    return false;
  case AttrKind::dims:
    return llvm::isa<mlir::DenseI64ArrayAttr>(attribute);
  case AttrKind::device:
    if (std::optional<Device> value = deviceOf(attribute))
      return out.writeDevice(*value), true;
    return false;
  case AttrKind::named:
    return llvm::isa<mlir::DictionaryAttr>(attribute);
  }
  __builtin_unreachable();
}

static const char *kindName(AttrKind kind) {
  constexpr const char *names[] = {"an i64",        "a bool",        "an element type", "a number",    "a string",
                                   "an array<i64>", "an array<i64>", "a device",        "a dictionary"};
  return names[static_cast<int>(kind)];
}

/// What a dictionary has of these attributes and no other ones, into words.
static std::string readNamed(llvm::StringRef composite, mlir::DictionaryAttr given, AttrWriter &out) {
  const CompositeInfo *info = findComposite({composite.data(), composite.size()});
  const std::string of = "of '" + composite.str() + "'";
  const size_t count = info ? info->attributes.size() : 0;
  AttrWriter words;
  for (size_t i = 0; i < count; ++i) {
    const AttrInfo &wanted = info->attributes[i];
    mlir::Attribute attribute = given.get(wanted.name);
    if (!attribute)
      return std::string("requires attribute '") + wanted.name + "' " + of;
    if (!readAttribute(wanted.kind, attribute, words))
      return std::string("expected ") + kindName(wanted.kind) + " as attribute '" + wanted.name + "' " + of + ", got " +
             print(attribute);
  }
  if (given.size() != count)
    return "expected " + std::to_string(count) + (count == 1 ? " attribute " : " attributes ") + of + ", got " +
           std::to_string(given.size());
  out.writeNamed(words.words());
  return "";
}

std::string ir::readAttributes(const OpInfo &info, AttrGetter get, mlir::ValueRange sizes, AttrWriter &out) {
  size_t nextSize = 0, group = info.operands.size();
  auto segments = hasSegments(info) ? llvm::dyn_cast_or_null<mlir::DenseI32ArrayAttr>(get("operandSegmentSizes"))
                                    : mlir::DenseI32ArrayAttr();
  for (const AttrInfo &wanted : info.attributes) {
    mlir::Attribute attribute = get(wanted.name);
    if (!attribute && wanted.kind == AttrKind::device) {
      out.writeDevice(Device::cpu);
      continue;
    }
    if (!attribute)
      return std::string("requires attribute '") + wanted.name + "'";
    if (!readAttribute(wanted.kind, attribute, out))
      return std::string("expected ") + kindName(wanted.kind) + " as attribute '" + wanted.name + "', got " +
             print(attribute);
    if (wanted.kind == AttrKind::named) {
      auto composite = llvm::cast<mlir::StringAttr>(get("name"));
      if (std::string error = readNamed(composite.getValue(), llvm::cast<mlir::DictionaryAttr>(attribute), out);
          !error.empty())
        return error;
    }
    if (wanted.kind != AttrKind::dims)
      continue;
    llvm::SmallVector<Dim, 8> dims;
    size_t before = nextSize;
    for (int64_t size : llvm::cast<mlir::DenseI64ArrayAttr>(attribute).asArrayRef()) {
      bool dynamic = mlir::ShapedType::isDynamic(size);
      if (dynamic && nextSize == sizes.size())
        return std::string("expected an index operand for each dynamic entry of '") + wanted.name + "', got " +
               std::to_string(sizes.size()) + " in all";
      if (!dynamic && !Dim::from_raw(size).is_static())
        return std::string("expected entries of '") + wanted.name + "' within 2^62, got " + std::to_string(size);
      dims.push_back(dynamic ? sizeOf(sizes[nextSize++]) : Dim(size));
    }
    size_t expected = nextSize - before;
    if (segments && (group >= static_cast<size_t>(segments.size()) ||
                     segments[static_cast<int64_t>(group)] != static_cast<int32_t>(expected)))
      return std::string("expected ") + std::to_string(expected) + " sizes in the operands' segment of '" +
             wanted.name + "'";
    ++group;
    out.writeDims(dims);
  }
  if (nextSize != sizes.size())
    return "expected " + std::to_string(nextSize) + " index operands for the dynamic sizes, got " +
           std::to_string(sizes.size());
  return "";
}

std::string ir::readAttributes(mlir::Operation *op, AttrWriter &out) {
  return readAttributes(
      *infoOf(op), [&](llvm::StringRef name) { return op->getInherentAttr(name).value_or(mlir::Attribute()); },
      op->getOperands().drop_front(arrayCount(op)), out);
}

/// An attribute that holds no sizes; null if it is left out.
static mlir::Attribute makeAttribute(mlir::MLIRContext *context, AttrKind kind, AttrReader &reader) {
  mlir::Builder b(context);
  switch (kind) {
  case AttrKind::int_:
    return b.getI64IntegerAttr(reader.readInt());
  case AttrKind::bool_:
    return b.getBoolAttr(reader.readBool());
  case AttrKind::dtype:
    return mlir::TypeAttr::get(elementType(context, reader.readDtype()));
  case AttrKind::scalar:
    return scalarToMlir(context, reader.readScalar());
  case AttrKind::string:
    return b.getStringAttr(llvm::StringRef(reader.readString()));
  case AttrKind::ints: {
    std::span<const int64_t> values = reader.readInts();
    return b.getDenseI64ArrayAttr({values.data(), values.size()});
  }
  case AttrKind::device: {
    const Device device = reader.readDevice();
    return device == Device::cpu ? mlir::Attribute() : b.getStringAttr(name(device));
  }
  case AttrKind::dims:
  case AttrKind::named:
    break;
  }
  __builtin_unreachable();
}

/// The attributes of a composite, whose words were checked.
static mlir::Attribute makeNamed(mlir::MLIRContext *context, std::string_view composite, AttrWords words) {
  mlir::NamedAttrList list;
  AttrReader reader(words);
  if (const CompositeInfo *info = findComposite(composite))
    for (const AttrInfo &attribute : info->attributes)
      if (mlir::Attribute made = makeAttribute(context, attribute.kind, reader))
        list.append(attribute.name, made);
  return list.getDictionary(context);
}

void ir::writeAttributes(mlir::MLIRContext *context, const OpInfo &info, AttrWords words,
                         llvm::function_ref<mlir::Value(Dim)> size, mlir::NamedAttrList &attributes,
                         llvm::SmallVectorImpl<mlir::Value> &operands) {
  mlir::Builder b(context);
  AttrReader reader(words);
  llvm::SmallVector<int32_t> segments;
  if (hasSegments(info)) {
    segments.assign(info.operands.size(), 1);
    if (info.variadic)
      segments.back() = static_cast<int32_t>(operands.size() - (info.operands.size() - 1));
  }
  for (const AttrInfo &attribute : info.attributes) {
    auto make = [&]() -> mlir::Attribute {
      if (attribute.kind == AttrKind::named)
        return makeNamed(context, CompositeAttrs::read(words).name, reader.readNamed());
      if (attribute.kind != AttrKind::dims)
        return makeAttribute(context, attribute.kind, reader);
      llvm::SmallVector<int64_t> values;
      size_t before = operands.size();
      for (Dim dim : reader.readDims()) {
        values.push_back(dim.is_static() ? dim.raw() : mlir::ShapedType::kDynamic);
        if (!dim.is_static())
          operands.push_back(size(dim));
      }
      if (!segments.empty())
        segments.push_back(static_cast<int32_t>(operands.size() - before));
      return b.getDenseI64ArrayAttr(values);
    };
    if (mlir::Attribute made = make())
      attributes.append(attribute.name, made);
  }
  if (!segments.empty())
    attributes.append("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
}

std::string ir::inferPlain(const ShapeCall &call, std::vector<tenon::Type> &results) {
  // Size arithmetic may overflow, which is an Error: it must not pass through
  // MLIR's frames.
  try {
    std::string sentence = inferTypes(call, results);
    size_t prefix = std::string_view(call.info.name).size() + 2;
    return sentence.empty() ? sentence : sentence.substr(std::min(prefix, sentence.size()));
  } catch (const Error &error) {
    return error.what();
  }
}

//===- ShapeMovement.cpp - shape rules of movement and creation ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

using namespace tenon;

static std::string expectCount(const char *what, size_t got, int rank) {
  if (got == static_cast<size_t>(rank))
    return "";
  return std::string("expected one entry of ") + what + " per axis (" + std::to_string(rank) + "), got " +
         std::to_string(got);
}

/// The count, or no value when a static product overflows.
static std::optional<Dim> tryCount(const Shape &shape) {
  for (Dim dim : shape)
    if (dim.raw() == 0)
      return Dim(0);
  Dim product = 1;
  __int128 known = 1;
  for (Dim dim : shape) {
    if (dim.is_static())
      known *= dim.raw();
    if (known > (__int128(1) << 60))
      return std::nullopt;
  }
  for (Dim dim : shape)
    product *= dim;
  return product;
}

namespace tenon {

std::string inferReshape(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  std::span<const Dim> dims = ReshapeAttrs::read(call.attributes).shape;
  if (std::string error = expectSizes(dims); !error.empty())
    return error;
  Shape shape(dims);
  std::optional<Dim> from = tryCount(x.shape), to = tryCount(shape);
  if (!from || !to || provably_equal(*from, *to) != Always::yes)
    return "expected a shape of " + (from ? from->str() : "more than 2^60") + " elements, got " + shape.str();
  results.push_back({x.dtype, x.device, shape});
  return "";
}

std::string inferBroadcastTo(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  std::span<const Dim> dims = BroadcastToAttrs::read(call.attributes).shape;
  if (std::string error = expectSizes(dims); !error.empty())
    return error;
  Shape shape(dims);
  int offset = shape.rank() - x.shape.rank();
  bool fits = offset >= 0;
  for (int i = 0; fits && i < x.shape.rank(); ++i)
    fits = x.shape[i].raw() == 1 || provably_equal(x.shape[i], shape[offset + i]) == Always::yes;
  if (!fits)
    return "the shape " + x.shape.str() + " does not broadcast to " + shape.str();
  results.push_back({x.dtype, x.device, shape});
  return "";
}

std::string inferTranspose(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  std::span<const int64_t> permutation = TransposeAttrs::read(call.attributes).permutation;
  if (std::string error = expectCount("the permutation", permutation.size(), x.shape.rank()); !error.empty())
    return error;
  std::vector<int64_t> normal;
  if (std::string error = normalizeAxes(permutation, x.shape.rank(), normal); !error.empty())
    return error;
  Shape shape;
  for (int64_t axis : permutation) {
    if (axis < 0)
      return "expected axes >= 0 in the permutation, got " + std::to_string(axis);
    shape.push_back(x.shape[static_cast<int>(axis)]);
  }
  results.push_back({x.dtype, x.device, shape});
  return "";
}

std::string inferSlice(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  int rank = x.shape.rank();
  SliceAttrs a = SliceAttrs::read(call.attributes);
  for (auto [what, got] : {std::pair("starts", a.starts.size()), {"stops", a.stops.size()}, {"steps", a.steps.size()}})
    if (std::string error = expectCount(what, got, rank); !error.empty())
      return error;
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    size_t at = static_cast<size_t>(i);
    Dim start = a.starts[at], stop = a.stops[at], size = x.shape[i];
    int64_t step = a.steps[at];
    if (step == 0)
      return "expected steps other than 0, got 0 for axis " + std::to_string(i);
    // A step is negated and divides sizes: it stays where sizes are.
    if (step > int64_t(1) << 61 || step < -(int64_t(1) << 61))
      return "expected steps within 2^61, got " + std::to_string(step) + " for axis " + std::to_string(i);
    // Forward: 0 <= start <= stop <= size. Backward: -1 <= stop <= start < size.
    auto bounds = [&] { return start.str() + ":" + stop.str() + ":" + std::to_string(step) + " "; };
    auto outside = [&] {
      return "bounds " + bounds() + "are outside axis " + std::to_string(i) + " of size " + size.str();
    };
    auto crossed = [&] {
      return std::string("expected bounds with start ") + (step > 0 ? "<=" : ">=") + " stop, got " + bounds() +
             "for axis " + std::to_string(i);
    };
    if (step > 0 ? !mayHold(call, start, stop, crossed) : !mayHold(call, stop, start, crossed))
      return provably_less_equal(step > 0 ? start : stop, size) == Always::no ? outside() : crossed();
    bool inside = step > 0 ? mayHold(call, 0, start, outside) && mayHold(call, stop, size, outside)
                           : mayHold(call, -1, stop, outside) && mayHold(call, start + 1, size, outside);
    if (!inside)
      return outside();
    shape.push_back(step > 0 ? ceil_div(stop - start, step) : ceil_div(start - stop, -step));
  }
  results.push_back({x.dtype, x.device, shape});
  return "";
}

std::string inferPad(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0], &value = call.operands[1];
  int rank = x.shape.rank();
  PadAttrs a = PadAttrs::read(call.attributes);
  if (value.dtype != x.dtype || value.shape.rank() != 0)
    return "expected a value of type " + Type{x.dtype, x.device, {}}.str() + ", got " + value.str();
  for (auto [what, got] : {std::pair("low", a.low.size()), {"high", a.high.size()}, {"interior", a.interior.size()}})
    if (std::string error = expectCount(what, got, rank); !error.empty())
      return error;
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    size_t at = static_cast<size_t>(i);
    auto negative = [&] {
      return "expected paddings >= 0, got low " + a.low[at].str() + ", high " + a.high[at].str() + ", interior " +
             std::to_string(a.interior[at]) + " for axis " + std::to_string(i);
    };
    if (!mayHold(call, 0, a.low[at], negative) || !mayHold(call, 0, a.high[at], negative) || a.interior[at] < 0)
      return negative();
    Dim size = x.shape[i];
    if (a.interior[at] > 0 && !size.is_static()) // between no elements there is nothing: another size
      mayHold(call, 1, size,
              [&] { return "expected elements along axis " + std::to_string(i) + " between which to pad"; });
    Dim between = size.raw() == 0 ? Dim(0) : Dim(a.interior[at]) * (size - 1);
    shape.push_back(a.low[at] + size + between + a.high[at]);
  }
  results.push_back({x.dtype, x.device, shape});
  return "";
}

std::string inferConcatenate(const ShapeCall &call, std::vector<Type> &results) {
  if (call.operands.empty())
    return "expected at least one array, got none";
  const Type &first = call.operands[0];
  int64_t axis = ConcatenateAttrs::read(call.attributes).axis;
  if (axis < 0 || axis >= first.shape.rank())
    return "axis " + std::to_string(axis) + " is out of range for an array of rank " +
           std::to_string(first.shape.rank());
  Shape shape = first.shape;
  for (const Type &type : call.operands.subspan(1)) {
    bool same = type.shape.rank() == shape.rank();
    for (int i = 0; same && i < shape.rank(); ++i)
      same = i == axis || provably_equal(type.shape[i], shape[i]) == Always::yes;
    if (!same)
      return "expected arrays of equal sizes but for axis " + std::to_string(axis) + ", got " + first.shape.str() +
             " and " + type.shape.str();
    if (type.dtype != first.dtype)
      return "expected operands of one dtype, got " + std::string(short_name(first.dtype)) + " and " +
             std::string(short_name(type.dtype));
    shape.at(static_cast<int>(axis)) += type.shape[static_cast<int>(axis)];
  }
  results.push_back({first.dtype, first.device, shape});
  return "";
}

std::string inferSplit(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  SplitAttrs a = SplitAttrs::read(call.attributes);
  if (a.axis < 0 || a.axis >= x.shape.rank())
    return "axis " + std::to_string(a.axis) + " is out of range for an array of rank " + std::to_string(x.shape.rank());
  int axis = static_cast<int>(a.axis);
  if (a.sizes.empty())
    return "expected at least one piece, got none";
  Dim sum = 0;
  for (Dim size : a.sizes) {
    if (size.is_static() && size.raw() < 0)
      return "expected sizes >= 0, got " + size.str();
    sum += size;
    Shape shape = x.shape;
    shape.at(axis) = size;
    results.push_back({x.dtype, x.device, shape});
  }
  if (provably_equal(sum, x.shape[axis]) == Always::yes)
    return "";
  return "expected sizes that sum to " + x.shape[axis].str() + ", got " + sum.str();
}

/// Where arrays can be made.
static std::string expectExisting(Device device) {
  return device == Device::cpu || device == Device::null
             ? ""
             : "expected a device that exists (cpu:0 or null:0), got " + name(device);
}

std::string inferFull(const ShapeCall &call, std::vector<Type> &results) {
  FullAttrs a = FullAttrs::read(call.attributes);
  if (std::string error = expectSizes(a.shape); !error.empty())
    return error;
  if (a.value.kind > kind(a.dtype))
    return "the value's kind does not fit " + std::string(short_name(a.dtype));
  if (std::string error = expectExisting(a.device); !error.empty())
    return error;
  results.push_back({a.dtype, a.device, Shape(a.shape)});
  return "";
}

std::string inferArange(const ShapeCall &call, std::vector<Type> &results) {
  ArangeAttrs a = ArangeAttrs::read(call.attributes);
  if (a.length.size() != 1)
    return "expected one length, got " + std::to_string(a.length.size());
  if (std::string error = expectSizes(a.length); !error.empty())
    return error;
  if (!contains(call.info.dtypes, a.dtype))
    return "expected a real dtype that is not bool, got " + std::string(short_name(a.dtype));
  if (a.start.kind == Kind::complex || a.step.kind == Kind::complex)
    return "expected real numbers as start and step, got a complex one";
  if (std::string error = expectExisting(a.device); !error.empty())
    return error;
  results.push_back({a.dtype, a.device, Shape(a.length)});
  return "";
}

std::string inferDimension(const ShapeCall &call, std::vector<Type> &results) {
  int64_t axis = DimensionAttrs::read(call.attributes).axis;
  if (axis < 0 || axis >= call.operands[0].shape.rank())
    return "axis " + std::to_string(axis) + " is out of range for an array of rank " +
           std::to_string(call.operands[0].shape.rank());
  results.push_back({Dtype::i64, call.operands[0].device, {}});
  return "";
}

std::string inferBits(const ShapeCall &call, std::vector<Type> &results) {
  const Type &key = call.operands[0];
  auto [dims, words, device] = BitsAttrs::read(call.attributes);
  if (words != 1 && words != 2)
    return "expected 1 or 2 words, got " + std::to_string(words);
  if (key.shape.rank() < 1 || provably_equal(key.shape[-1], 2) != Always::yes)
    return "expected a key of shape (..., 2), got " + key.shape.str();
  if (std::string error = expectSizes(dims); !error.empty())
    return error;
  if (device != key.device)
    return "expected the device of the key (" + name(key.device) + "), got " + name(device);
  // The key's last axis is not among them, two words are.
  if (static_cast<size_t>(key.shape.rank() - 1) + dims.size() + static_cast<size_t>(words - 1) > size_t(max_rank))
    return "expected at most " + std::to_string(max_rank) + " axes in the result";
  Shape shape = key.shape;
  shape.erase(shape.rank() - 1);
  for (Dim dim : dims)
    shape.push_back(dim);
  if (words == 2)
    shape.push_back(2);
  results.push_back({Dtype::u32, key.device, shape});
  return "";
}

std::string inferOptimizationBarrier(const ShapeCall &call, std::vector<Type> &results) {
  results.assign(call.operands.begin(), call.operands.end());
  return "";
}

} // namespace tenon

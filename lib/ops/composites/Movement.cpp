//===- Movement.cpp - functions that give arrays another shape -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <numeric>

using namespace tenon;
using namespace tenon::detail;

using Axes = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// Axes that come, go and change places
//===----------------------------------------------------------------------===//

static Array withAxes(const Array &x, Axes places, Location at) {
  std::sort(places.begin(), places.end());
  Shape shape = x.shape();
  for (int64_t place : places)
    shape.insert(static_cast<int>(place), 1, at);
  return reshape(x, shape);
}

Array tenon::expand_dims(const Operand &operand, const Ints &axes) {
  DoorScope scope("expand_dims", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::reshape);
  const int rank = x.ndim() + static_cast<int>(axes.values().size());
  return withAxes(x, distinctAxes(axes.values(), rank, operand.location()), operand.location());
}

Array tenon::squeeze(const Operand &operand, const Ints &axes) {
  DoorScope scope("squeeze", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::reshape);
  const Axes dropped = normalizeAxisList(OpCode::reshape, x, axes, operand.location());
  Shape shape;
  for (int i = 0; i < x.ndim(); ++i) {
    const Dim size = x.shape()[i];
    const bool isDropped = std::ranges::find(dropped, i) != dropped.end();
    if (isDropped && axes.given() && provably_equal(size, 1) != Always::yes)
      refuse("expected axis " + std::to_string(i) + " of size 1, got " + size.str(), operand.location());
    if (!isDropped || size.raw() != 1)
      shape.push_back(size);
  }
  return reshape(x, shape);
}

static Array flipped(const Array &x, const Axes &axes) {
  Shape starts, stops = x.shape();
  Axes steps;
  for (int i = 0; i < x.ndim(); ++i) {
    // Of no elements there is no last one.
    const bool isFlipped = std::ranges::find(axes, i) != axes.end() && stops[i].raw() != 0;
    starts.push_back(isFlipped ? stops[i] - 1 : Dim(0));
    steps.push_back(isFlipped ? -1 : 1);
    if (isFlipped)
      stops.at(i) = -1;
  }
  return slice(x, starts, stops, steps);
}

Array tenon::flip(const Operand &operand, const Ints &axes) {
  DoorScope scope("flip", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::slice);
  return flipped(x, normalizeAxisList(OpCode::slice, x, axes, operand.location()));
}

Array tenon::moveaxis(const Operand &operand, const Ints &source, const Ints &destination) {
  DoorScope scope("moveaxis", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::transpose);
  const Axes from = distinctAxes(source.values(), x.ndim(), operand.location()),
             to = distinctAxes(destination.values(), x.ndim(), operand.location());
  if (from.size() != to.size())
    refuse("expected as many places as axes, got " + std::to_string(to.size()) + " and " + std::to_string(from.size()),
           operand.location());
  Axes order(static_cast<size_t>(x.ndim()), -1);
  for (size_t i = 0; i < from.size(); ++i)
    order[static_cast<size_t>(to[i])] = from[i];
  int64_t next = 0;
  for (int64_t &axis : order) {
    if (axis >= 0)
      continue;
    while (std::ranges::find(from, next) != from.end())
      ++next;
    axis = next++;
  }
  return transpose(x, order);
}

static Array swapped(const Array &x, int first, int second) {
  Axes order(static_cast<size_t>(x.ndim()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(first)], order[static_cast<size_t>(second)]);
  return transpose(x, order);
}

Array tenon::swapaxes(const Operand &operand, Axis axis1, Axis axis2) {
  DoorScope scope("swapaxes", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::transpose);
  return swapped(x, axisOf(x, axis1, operand.location()), axisOf(x, axis2, operand.location()));
}

Array tenon::matrix_transpose(const Operand &operand) {
  DoorScope scope("matrix_transpose", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::transpose);
  if (x.ndim() < 2)
    refuse("expected an array of rank >= 2, got rank " + std::to_string(x.ndim()), operand.location());
  return swapped(x, x.ndim() - 2, x.ndim() - 1);
}

Array tenon::rot90(const Operand &operand, int k, const Ints &axes) {
  DoorScope scope("rot90", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::transpose);
  const Axes both = distinctAxes(axes.given() ? axes.values() : Ints({0, 1}).values(), x.ndim(), operand.location());
  if (both.size() != 2)
    refuse("expected two axes, got " + std::to_string(both.size()), operand.location());
  const int first = static_cast<int>(both[0]), second = static_cast<int>(both[1]);
  switch (((k % 4) + 4) % 4) {
  case 1:
    return swapped(flipped(x, {second}), first, second);
  case 2:
    return flipped(x, both);
  case 3:
    return flipped(swapped(x, first, second), {second});
  default:
    return x;
  }
}

/// The smaller of two sizes, if it is known which one that is.
static Dim smaller(Dim a, Dim b, Location at) {
  if (provably_less_equal(a, b) == Always::yes)
    return a;
  if (provably_less_equal(b, a) != Always::yes)
    refuse("expected sizes of which it is known which one is smaller, got " + a.str() + " and " + b.str(), at);
  return b;
}

Array tenon::diagonal(const Operand &operand, int offset, Axis axis1, Axis axis2) {
  const Location at = operand.location();
  DoorScope scope("diagonal", at, {{"x", operand}});
  const Array given = toArray(operand, OpCode::slice);
  if (given.ndim() < 2)
    refuse("expected an array of rank >= 2, got rank " + std::to_string(given.ndim()), at);
  const Axes both{axis1.value(), axis2.value()};
  const Array x = withLast(given, distinctAxes(both, given.ndim(), at));
  Shape shape = x.shape();
  const Dim rows = shape[-2], columns = shape[-1];
  const int64_t row = std::max<int64_t>(-int64_t(offset), 0), column = std::max<int64_t>(offset, 0);
  Dim length = smaller(rows - row, columns - column, at);
  if (length.is_static() && length.raw() < 0)
    length = 0;
  if (!columns.is_static()) {
    const Array i = iota(length, Dtype::i64, x.device(), at);
    return x[{ellipsis, i + row, i + column}];
  }
  // In row-major order one element of the diagonal comes a row and an element after the other.
  shape.erase(shape.rank() - 1);
  shape.at(shape.rank() - 1) = rows * columns;
  const bool isEmpty = length.raw() == 0;
  const Dim start = isEmpty ? Dim(0) : row * columns + column;
  const Dim stop = isEmpty ? Dim(0) : start + (length - 1) * (columns + 1) + 1;
  return partOf(reshape(x, shape), shape.rank() - 1, start, stop, columns.raw() + 1);
}

std::vector<Array> tenon::broadcast_arrays(const Arrays &xs, Location at) {
  DoorScope scope("broadcast_arrays", at, {{"xs", xs}});
  std::vector<Array> arrays = toArrays(xs, at);
  const Shape shape = broadcastOf(arrays, at);
  for (Array &x : arrays)
    x = broadcast(x, shape, at);
  return arrays;
}

Shape tenon::broadcast_shapes(const std::vector<Shape> &shapes, Location at) {
  Shape all;
  for (const Shape &shape : shapes) {
    Shape both;
    if (std::string error = broadcastShapes(all, shape, both); !error.empty())
      throw Error("broadcast_shapes: " + error, userLocation(at));
    all = both;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// More axes, for those that have too few
//===----------------------------------------------------------------------===//

static Array atLeast(const Array &x, int rank, Location at) {
  switch (rank * 4 + x.ndim()) {
  case 1 * 4 + 0:
    return withAxes(x, {0}, at);
  case 2 * 4 + 0:
    return withAxes(x, {0, 1}, at);
  case 2 * 4 + 1:
    return withAxes(x, {0}, at);
  case 3 * 4 + 0:
    return withAxes(x, {0, 1, 2}, at);
  case 3 * 4 + 1:
    return withAxes(x, {0, 2}, at);
  case 3 * 4 + 2:
    return withAxes(x, {2}, at);
  default:
    return x;
  }
}

Array tenon::atleast_1d(const Operand &x) {
  DoorScope scope("atleast_1d", x.location(), {{"x", x}});
  return atLeast(toArray(x, OpCode::reshape), 1, x.location());
}
Array tenon::atleast_2d(const Operand &x) {
  DoorScope scope("atleast_2d", x.location(), {{"x", x}});
  return atLeast(toArray(x, OpCode::reshape), 2, x.location());
}
Array tenon::atleast_3d(const Operand &x) {
  DoorScope scope("atleast_3d", x.location(), {{"x", x}});
  return atLeast(toArray(x, OpCode::reshape), 3, x.location());
}

//===----------------------------------------------------------------------===//
// Several arrays as one, and the other way round
//===----------------------------------------------------------------------===//

Array tenon::stack(const Arrays &xs, Axis axis, Location at) {
  DoorScope scope("stack", at, {{"xs", xs}});
  std::vector<Array> arrays = toArrays(xs, at);
  const int64_t wanted = axis.value();
  const int64_t place = distinctAxes({&wanted, 1}, arrays[0].ndim() + 1, at)[0];
  for (Array &x : arrays) {
    if (&x != &arrays[0] && provably_equal(x.shape(), xs[0].shape()) != Always::yes)
      refuse("expected arrays of one shape, got " + xs[0].shape().str() + " and " + x.shape().str(), at);
    x = withAxes(x, {place}, at);
  }
  return concatenate(arrays, place, at);
}

std::vector<Array> tenon::unstack(const Operand &operand, Axis axis) {
  const Location at = operand.location();
  DoorScope scope("unstack", at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::split);
  const int place = axisOf(x, axis, at);
  Shape shape = x.shape();
  const Dim size = shape[place];
  if (!size.is_static())
    refuse("expected an axis whose size is known, got " + size.str() + " along axis " + std::to_string(place), at);
  constexpr int64_t most = 1 << 24; // an array for each
  if (size.raw() > most)
    refuse("expected an axis of at most " + std::to_string(most) + " elements, got " + size.str() + " along axis " +
               std::to_string(place),
           at);
  if (size.raw() == 0)
    return {};
  shape.erase(place);
  const std::vector<Dim> ones(static_cast<size_t>(size.raw()), 1);
  std::vector<Array> parts = applyAll(OpCode::split, {x.value()}, Words(SplitAttrs{ones, place}), at);
  for (Array &part : parts)
    part = reshape(part, shape);
  return parts;
}

/// The arrays with axes of size 1 up to `ndim`.
static std::vector<Array> eachAtLeast(const Arrays &xs, int ndim, Location at) {
  std::vector<Array> arrays = toArrays(xs, at);
  for (Array &x : arrays)
    x = atLeast(x, ndim, at);
  return arrays;
}

Array tenon::vstack(const Arrays &xs, Location at) {
  DoorScope scope("vstack", at, {{"xs", xs}});
  return concatenate(eachAtLeast(xs, 2, at), 0, at);
}

Array tenon::hstack(const Arrays &xs, Location at) {
  DoorScope scope("hstack", at, {{"xs", xs}});
  const std::vector<Array> arrays = eachAtLeast(xs, 1, at);
  return concatenate(arrays, arrays[0].ndim() == 1 ? 0 : 1, at);
}

Array tenon::rollaxis(const Operand &operand, Axis axis, int start) {
  const Location at = operand.location();
  DoorScope scope("rollaxis", at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::transpose);
  const int from = axisOf(x, axis, at), to = start < 0 ? start + x.ndim() : start;
  if (to < 0 || to > x.ndim())
    refuse("expected a start from " + std::to_string(-x.ndim()) + " to " + std::to_string(x.ndim()) + ", got " +
               std::to_string(start),
           at);
  Axes order(static_cast<size_t>(x.ndim()));
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.begin() + to, from);
  order.erase(order.begin() + (from < to ? from : from + 1));
  return transpose(x, order);
}

Array tenon::dstack(const Arrays &xs, Location at) {
  DoorScope scope("dstack", at, {{"xs", xs}});
  return concatenate(eachAtLeast(xs, 3, at), 2, at);
}

Array tenon::column_stack(const Arrays &xs, Location at) {
  DoorScope scope("column_stack", at, {{"xs", xs}});
  std::vector<Array> arrays = toArrays(xs, at);
  for (Array &x : arrays)
    if (x.ndim() < 2)
      x = reshape(x, {element_count(x.shape()), 1});
  return concatenate(arrays, 1, at);
}

/// x cut along `axis` into `sections` parts, the first ones longer by one where they cannot be equal.
static std::vector<Array> inSections(const Array &x, int axis, int sections, bool isEven, Location at) {
  const Dim size = x.shape()[axis];
  if (sections < 1)
    refuse("expected one section at least, got " + std::to_string(sections), at);
  constexpr int most = 1 << 16; // an array for each
  if (sections > most)
    refuse("expected at most " + std::to_string(most) + " sections, got " + std::to_string(sections), at);
  if (!size.is_static())
    refuse("expected an axis whose size is known, got " + size.str() + " along axis " + std::to_string(axis), at);
  const int64_t longer = size.raw() % sections;
  if (isEven && longer != 0)
    refuse("expected a number of sections that divides " + size.str() + ", the size of axis " + std::to_string(axis) +
               ", got " + std::to_string(sections),
           at);
  std::vector<Dim> parts;
  for (int64_t i = 0; i < sections; ++i)
    parts.push_back(size.raw() / sections + (i < longer));
  return applyAll(OpCode::split, {x.value()}, Words(SplitAttrs{parts, axis}), at);
}

std::vector<Array> tenon::array_split(const Operand &operand, int sections, Axis axis) {
  const Location at = operand.location();
  DoorScope scope("array_split", at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::split);
  return inSections(x, axisOf(x, axis, at), sections, false, at);
}

/// Equal parts along `axis`, which an array of `least` axes has.
static std::vector<Array> evenSections(const char *name, const Operand &operand, int sections, int axis, int least) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::split);
  if (x.ndim() < least)
    refuse("expected an array of rank >= " + std::to_string(least) + ", got rank " + std::to_string(x.ndim()), at);
  return inSections(x, std::min(axis, x.ndim() - 1), sections, true, at);
}

std::vector<Array> tenon::hsplit(const Operand &x, int sections) { return evenSections("hsplit", x, sections, 1, 1); }
std::vector<Array> tenon::vsplit(const Operand &x, int sections) { return evenSections("vsplit", x, sections, 0, 2); }
std::vector<Array> tenon::dsplit(const Operand &x, int sections) { return evenSections("dsplit", x, sections, 2, 3); }

//===----------------------------------------------------------------------===//
// Elements at other places, or several times
//===----------------------------------------------------------------------===//

static Array rolled(const Array &x, int axis, int64_t shift, Location at) {
  const Dim size = x.shape()[axis];
  Dim by;
  if (size.is_static()) {
    const int64_t length = size.raw();
    by = length ? (shift % length + length) % length : 0;
  } else if (provably_less(shift < 0 ? -(shift + 1) : shift, size) == Always::yes) {
    by = shift < 0 ? size + shift : Dim(shift);
  } else {
    // The part of two x's, one after another, that begins where the first element comes from.
    const Array length = dimension(x, axis);
    std::vector<Array> starts(static_cast<size_t>(x.ndim()), full({}, 0, Dtype::i64, x.device(), at));
    starts[static_cast<size_t>(axis)] = length - remainder(shift, length);
    return dynamic_slice(concatenate({x, x}, axis, at), starts, x.shape());
  }
  // By 0 too: where a derivative is -0 it is +0 after two parts were added, as after those of the other form.
  return concatenate({partOf(x, axis, size - by, size), partOf(x, axis, 0, size - by)}, axis, at);
}

Array tenon::roll(const Operand &operand, const Ints &shift, const Ints &axes) {
  const Location at = operand.location();
  DoorScope scope("roll", at, {{"x", operand}});
  Array x = toArray(operand, OpCode::concatenate);
  const std::span<const int64_t> shifts = shift.values();
  if (!axes.given()) {
    Array flat = reshape(x, {-1});
    for (int64_t by : shifts)
      flat = rolled(flat, 0, by, at);
    return reshape(flat, x.shape());
  }
  const size_t places = axes.values().size();
  if (shifts.size() != places && shifts.size() != 1 && places != 1)
    refuse("expected a shift for each axis, got " + std::to_string(shifts.size()) + " for " + std::to_string(places),
           at);
  // An axis may be named twice, and an empty list of either has no pairs.
  for (size_t i = 0; i < (shifts.size() == 1 ? places : shifts.size()) && places > 0; ++i)
    x = rolled(x, axisOf(x, axes.values()[places == 1 ? 0 : i], at), shifts[shifts.size() == 1 ? 0 : i], at);
  return x;
}

/// The parts of x along `axis`, `count` times: each of them, one after another, or all of them.
static Array repeated(const Array &x, int axis, int64_t count, bool isWhole, Location at) {
  Shape shape = x.shape();
  const Dim size = shape[axis];
  Dim before = 1, behind = 1;
  for (int i = 0; i < shape.rank(); ++i)
    (i < axis ? before : behind) *= i == axis ? Dim(1) : Dim(shape[i]);
  Shape wide = isWhole ? Shape{before, 1, size * behind} : Shape{before * size, 1, behind};
  const Array apart = reshape(x, wide);
  wide.at(1) = count;
  shape.at(axis) = computedSize([&] { return size * count; }, at);
  return reshape(broadcast(apart, wide, at), shape);
}

static void expectCount(int64_t count, Location at) {
  if (count < 0)
    refuse("expected counts >= 0, got " + std::to_string(count), at);
}

/// The values of counts, which decide a size.
static std::vector<int64_t> knownCounts(const Operand &operand, Location at) {
  if (operand.is_scalar() && operand.scalar().kind() == Kind::integer)
    return {operand.scalar().huge() ? INT64_MAX : operand.scalar().as_int()};
  const Array counts = toArray(operand, OpCode::reshape);
  if (kind(counts.dtype()) != Kind::integer || counts.ndim() > 1)
    refuse("expected integers of rank 0 or 1 as counts, got " + describe(counts.dtype(), counts.shape()), at);
  const std::optional<std::vector<int64_t>> values = knownValues(counts);
  if (!values)
    refuse("the size of the result depends on the counts, whose values are unknown inside jit and vmap; use a single "
           "number of repeats there",
           at);
  return *values;
}

Array tenon::repeat(const Operand &operand, const Operand &repeats, std::optional<Axis> axis) {
  const Location at = operand.location();
  DoorScope scope("repeat", at, {{"x", operand}, {"repeats", repeats}});
  Array x = toArray(operand, OpCode::reshape);
  if (!axis)
    x = reshape(x, {-1});
  const int place = axis ? axisOf(x, *axis, at) : 0;
  const std::vector<int64_t> counts = knownCounts(repeats, at);
  for (int64_t count : counts)
    expectCount(count, at);
  if (counts.size() == 1)
    return repeated(x, place, counts[0], false, at);
  const Dim size = x.shape()[place];
  if (size.raw() != static_cast<int64_t>(counts.size()))
    refuse("expected one count, or one for each of the " + size.str() + " elements along axis " +
               std::to_string(place) + ", got " + std::to_string(counts.size()),
           at);
  // Where each element's copies end, the next one's begin: so many ends up to a place.
  std::vector<int64_t> ends;
  Dim all = 0;
  for (int64_t count : counts) {
    all = computedSize([&] { return all + count; }, at);
    ends.push_back(all.raw());
  }
  const Array marks = full({computedSize([&] { return all + 1; }, at)}, 0, Dtype::i64, x.device(), at);
  const Array places = reshape(to_device(Array(ends), x.device(), at), {static_cast<int64_t>(ends.size()), 1});
  const Array counted =
      scatter_add(marks, places, full({static_cast<int64_t>(ends.size())}, 1, Dtype::i64, x.device(), at),
                  std::vector<int64_t>(), {0}, {0});
  return take(x, partOf(cumulative_sum(counted), 0, 0, all), Axis(place));
}

Array tenon::tile(const Operand &operand, const Ints &repetitions) {
  const Location at = operand.location();
  DoorScope scope("tile", at, {{"x", operand}});
  Array x = toArray(operand, OpCode::reshape);
  const std::span<const int64_t> counts = repetitions.values();
  Shape shape = x.shape();
  while (shape.size() < counts.size())
    shape.insert(0, 1, at);
  x = reshape(x, shape);
  // The last axis first, while there are the fewest elements.
  for (int i = 1; i <= static_cast<int>(counts.size()); ++i) {
    const int64_t count = counts[counts.size() - static_cast<size_t>(i)];
    expectCount(count, at);
    if (count != 1)
      x = repeated(x, x.ndim() - i, count, true, at);
  }
  return x;
}

//===----------------------------------------------------------------------===//
// pad_mode
//===----------------------------------------------------------------------===//

/// Where along an axis of `size` each element of the padded one comes from: i64.
static Array sources(Dim size, Dim low, Dim high, PadMode mode, Device device, Location at) {
  const Dim all = computedSize([&] { return low + size + high; }, at);
  const Array place = iota(all, Dtype::i64, device, at) - sizeOf(low, device, at), length = sizeOf(size, device, at);
  if (mode == PadMode::edge)
    return clip(place, 0, length - 1);
  if (mode == PadMode::wrap)
    return remainder(place, length);
  // Forward and back again, and so on; of one element `reflect` has a period of 0, whose remainder is 0.
  const bool isTwice = mode == PadMode::symmetric;
  const Array period = isTwice ? 2 * length : 2 * length - 2, rest = remainder(place, period);
  return minimum(rest, isTwice ? period - 1 - rest : period - rest);
}

Array tenon::pad_mode(const Operand &operand, const Shape &low, const Shape &high, PadMode mode) {
  const Location at = operand.location();
  DoorScope scope("pad_mode", at, {{"x", operand}});
  Array x = toArray(operand, OpCode::gather);
  expectMode("pad_mode", "PadMode", mode, at);
  for (const Shape *given : {&low, &high})
    if (given->rank() != x.ndim())
      refuse("expected a count for each axis (" + std::to_string(x.ndim()) + "), got " + given->str(), at);
  for (int i = 0; i < x.ndim(); ++i) {
    const Dim before = low[i], behind = high[i], size = x.shape()[i];
    for (Dim count : {before, behind})
      if (count.is_static())
        expectCount(count.raw(), at);
    if (before.raw() == 0 && behind.raw() == 0)
      continue;
    if (size.raw() == 0)
      refuse("axis " + std::to_string(i) + " has no elements to pad with", at);
    x = take(x, sources(size, before, behind, mode, x.device(), at), Axis(i));
  }
  return x;
}

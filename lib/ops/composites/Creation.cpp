//===- Creation.cpp - functions that make arrays ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <cmath>

using namespace tenon;
using namespace tenon::detail;

Array tenon::asarray(const Operand &x, std::optional<Dtype> dtype, std::optional<Device> device) {
  const Location at = x.location();
  DoorScope scope("asarray", at, {{"x", x}});
  // A number of a higher kind than the dtype's is converted as an array of it is.
  const bool isMade = x.is_scalar() && dtype && x.scalar().kind() <= kind(*dtype);
  Array array = toArray(x, OpCode::full, isMade ? dtype : std::nullopt, device.value_or(default_device()));
  if (dtype)
    array = convert(array, *dtype, at);
  return device && *device != array.device() ? to_device(array, *device, at) : array;
}

//===----------------------------------------------------------------------===//
// By where an element is
//===----------------------------------------------------------------------===//

namespace {
/// The indices of the rows, as a column, and of the columns: i64.
struct Places {
  Array row, column;
  Places(Dim rows, Dim columns, Device device, Location at)
      : row(reshape(iota(rows, Dtype::i64, device, at), {rows, 1})), column(iota(columns, Dtype::i64, device, at)) {}
};
} // namespace

Array tenon::eye(Dim rows, std::optional<Dim> columns, int k, Dtype dtype, std::optional<Device> device, Location at) {
  DoorScope scope("eye", at);
  const Places places(rows, columns.value_or(rows), device.value_or(default_device()), at);
  return convert(places.row + k == places.column, dtype, at);
}

/// x where its last two axes are on one side of a diagonal, else zeros.
static Array triangle(const char *name, const Operand &operand, int k,
                      Array (*isKept)(const Operand &, const Operand &)) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::where);
  if (x.ndim() < 2)
    refuse("expected an array of rank >= 2, got rank " + std::to_string(x.ndim()), at);
  const Places places(x.shape()[-2], x.shape()[-1], x.device(), at);
  return where(isKept(places.column, places.row + k), x, false);
}

Array tenon::tril(const Operand &x, int k) { return triangle("tril", x, k, less_equal); }
Array tenon::triu(const Operand &x, int k) { return triangle("triu", x, k, greater_equal); }

Array tenon::diag(const Operand &operand, int k) {
  const Location at = operand.location();
  DoorScope scope("diag", at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::where);
  if (x.ndim() != 1 && x.ndim() != 2)
    refuse("expected an array of rank 1 or 2, got rank " + std::to_string(x.ndim()), at);
  if (x.ndim() == 2)
    return diagonal(x, k);
  // Each row has its element in all columns, or each column in all rows, of which the diagonal is left.
  const int64_t beside = k < 0 ? -int64_t(k) : k;
  const Array all = pad(x, full({}, false, x.dtype(), x.device(), at), {0}, {beside});
  const Dim size = all.shape()[0];
  const Places places(size, size, x.device(), at);
  return where(places.row + k == places.column, k < 0 ? all : reshape(all, {size, 1}), false);
}

//===----------------------------------------------------------------------===//
// Triangles, diagonals, grids
//===----------------------------------------------------------------------===//

Array tenon::tri(Dim rows, std::optional<Dim> columns, int k, Dtype dtype, std::optional<Device> device, Location at) {
  DoorScope scope("tri", at);
  const Places places(rows, columns.value_or(rows), device.value_or(default_device()), at);
  return convert(places.column <= places.row + k, dtype, at);
}

/// The elements of the first `count` rows on and below the main diagonal: of rows beyond all they may be more than an
/// int64_t holds.
static __int128 rowsTo(__int128 count, int64_t columns) {
  const __int128 rising = std::clamp<__int128>(count, 0, columns);
  return rising * (rising + 1) / 2 + std::max<__int128>(count - columns, 0) * columns;
}

/// Where a matrix is on one side of a diagonal: as many as that is, by the sizes alone.
static TriangleIndices trianglePlaces(const char *name, int64_t rows, int64_t columns, int64_t k, bool isLower,
                                      Device device, Location at) {
  DoorScope scope(name, at);
  if (rows < 0 || columns < 0)
    refuse("expected sizes >= 0, got " + std::to_string(rows) + " and " + std::to_string(columns), at);
  const int64_t last = isLower ? k : k - 1;
  const auto below = static_cast<int64_t>(rowsTo(rows + last, columns) - rowsTo(last, columns));
  const int64_t count = isLower ? below : rows * columns - below;
  const Places places(rows, columns, device, at);
  std::vector<Array> found =
      nonzero(isLower ? places.column <= places.row + k : places.column >= places.row + k, count);
  return {std::move(found[0]), std::move(found[1])};
}

TriangleIndices tenon::tril_indices(int rows, int k, std::optional<int> columns, std::optional<Device> device,
                                    Location at) {
  return trianglePlaces("tril_indices", rows, columns.value_or(rows), k, true, device.value_or(default_device()), at);
}
TriangleIndices tenon::triu_indices(int rows, int k, std::optional<int> columns, std::optional<Device> device,
                                    Location at) {
  return trianglePlaces("triu_indices", rows, columns.value_or(rows), k, false, device.value_or(default_device()), at);
}

/// The same of the sizes of x.
static TriangleIndices trianglePlacesFrom(const char *name, const Operand &operand, int k, bool isLower) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::where);
  if (x.ndim() != 2 || !x.shape()[0].is_static() || !x.shape()[1].is_static())
    refuse("expected an array of rank 2 whose sizes are known, got the shape " + x.shape().str(), at);
  return trianglePlaces(name, x.shape()[0].raw(), x.shape()[1].raw(), k, isLower, x.device(), at);
}

TriangleIndices tenon::tril_indices_from(const Operand &x, int k) {
  return trianglePlacesFrom("tril_indices_from", x, k, true);
}
TriangleIndices tenon::triu_indices_from(const Operand &x, int k) {
  return trianglePlacesFrom("triu_indices_from", x, k, false);
}

std::vector<Array> tenon::diag_indices(Dim size, int ndim, std::optional<Device> device, Location at) {
  DoorScope scope("diag_indices", at);
  if (ndim < 0 || ndim > max_rank || (size.is_static() && size.raw() < 0))
    refuse("expected a size >= 0 and 0 to " + std::to_string(max_rank) + " axes, got " + size.str() + " and " +
               std::to_string(ndim),
           at);
  return std::vector<Array>(static_cast<size_t>(ndim), iota(size, Dtype::i64, device.value_or(default_device()), at));
}

std::vector<Array> tenon::diag_indices_from(const Operand &operand) {
  const Location at = operand.location();
  DoorScope scope("diag_indices_from", at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::where);
  if (x.ndim() < 2)
    refuse("expected an array of rank >= 2, got rank " + std::to_string(x.ndim()), at);
  for (int i = 1; i < x.ndim(); ++i)
    if (provably_equal(x.shape()[0], x.shape()[i]) != Always::yes)
      refuse("expected axes of one size, got " + x.shape().str(), at);
  return diag_indices(x.shape()[0], x.ndim(), x.device(), at);
}

std::vector<Array> tenon::ix_(const Arrays &xs, Location at) {
  DoorScope scope("ix_", at, {{"xs", xs}});
  std::vector<Array> arrays = toArrays(xs, at);
  for (size_t i = 0; i < arrays.size(); ++i) {
    Array &x = arrays[i];
    if (x.ndim() != 1)
      refuse("expected arrays of rank 1, got the shape " + x.shape().str(), at);
    if (x.dtype() == Dtype::bool_)
      x = flatnonzero(x);
    Shape along(std::vector<Dim>(arrays.size(), 1), at);
    along.at(static_cast<int>(i)) = x.shape()[0];
    x = reshape(x, along);
  }
  return arrays;
}

Array tenon::indices(const Shape &shape, Dtype dtype, std::optional<Device> device, Location at) {
  DoorScope scope("indices", at);
  if (std::ranges::any_of(shape, [](Dim size) { return size.is_static() && size.raw() < 0; }))
    refuse("expected sizes >= 0, got the shape " + shape.str(), at);
  const Device place = device.value_or(default_device());
  std::vector<Array> all;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    Shape along = shape;
    for (int i = 0; i < shape.rank(); ++i)
      along.at(i) = i == axis ? Dim(shape[i]) : Dim(1);
    all.push_back(broadcast(reshape(iota(shape[axis], dtype, place, at), along), shape, at));
  }
  return all.empty() ? full({0}, false, dtype, place, at) : stack(all, 0, at);
}

std::vector<Array> tenon::meshgrid(const Arrays &xs, GridIndexing indexing, Location at) {
  DoorScope scope("meshgrid", at, {{"xs", xs}});
  expectMode("meshgrid", "GridIndexing", indexing, at);
  std::vector<Array> arrays = toArrays(xs, at);
  const bool isExchanged = indexing == GridIndexing::xy && arrays.size() > 1;
  Shape shape;
  for (const Array &x : arrays) {
    if (x.ndim() > 1)
      refuse("expected arrays of rank 0 or 1, got the shape " + x.shape().str(), at);
    shape.push_back(element_count(x.shape()), at);
  }
  if (isExchanged)
    std::swap(shape.at(0), shape.at(1));
  for (size_t i = 0; i < arrays.size(); ++i) {
    Shape along(std::vector<Dim>(arrays.size(), 1));
    const int axis = static_cast<int>(isExchanged && i < 2 ? 1 - i : i);
    along.at(axis) = shape[axis];
    arrays[i] = broadcast(reshape(arrays[i], along), shape, at);
  }
  return arrays;
}

//===----------------------------------------------------------------------===//
// At equal distances
//===----------------------------------------------------------------------===//

namespace {
/// The bounds of numbers, in the dtype that they are computed in: it has what the user's has.
struct Bounds {
  Array start, stop;
  Dtype wanted; ///< of the result
  Bounds(const Operand &first, const Operand &last, std::optional<Dtype> dtype) {
    const Location at = first.location();
    const auto [a, b] = toPair(first, last);
    const Dtype made = floatingDtype(a.dtype());
    wanted = dtype.value_or(made);
    Dtype wide = item_size(made) < item_size(Dtype::f32) ? Dtype::f32 : made;
    if (kind(wanted) >= Kind::floating && !is_storage(wanted))
      wide = promote(wide, wanted);
    // What is rounded once, at the end, are numbers and integers themselves and not the nearest ones of f32.
    auto isExact = [](const Operand &x) { return x.is_scalar() || kind(x.value()->dtype()) < Kind::floating; };
    if (isExact(first) && isExact(last))
      wide = promote(wide, Dtype::f64);
    const Device device = first.is_scalar() && last.is_scalar() ? default_device() : a.device();
    auto bound = [&](const Operand &x) { return convert(toArray(x, OpCode::full, wide, device), wide, at); };
    start = bound(first);
    stop = bound(last);
  }
};
} // namespace

Array detail::spaced(const Array &start, const Array &stop, int64_t num, bool endpoint, Location at) {
  if (num < 0)
    refuse("expected a number of elements >= 0, got " + std::to_string(num), at);
  const int64_t steps = endpoint ? num - 1 : num;
  Shape along(std::vector<Dim>(static_cast<size_t>(broadcastOf({start, stop}, at).rank()) + 1, 1), at);
  along.at(0) = num;
  const Array place = reshape(iota(num, Dtype::i64, start.device(), at), along),
              number = convert(place, start.dtype(), at), range = stop - start;
  Array numbers = number * (steps > 0 ? range / steps : range) + start;
  const std::optional<std::vector<double>> known = isComplex(range) ? std::nullopt : knownNumbers(range);
  const bool isFinite = known && std::ranges::all_of(*known, [](double distance) { return std::isfinite(distance); });
  if (steps > 0 && !isFinite) {
    // Where the distance of the bounds overflows, that of their halves does not.
    const Array halves = number * ((stop / 2 - start / 2) / steps) + start / 2;
    numbers = where(isfinite(range) || !isfinite(start) || !isfinite(stop), numbers, halves * 2);
  }
  return endpoint && num > 1 ? where(place == num - 1, stop, numbers) : numbers;
}

Array tenon::linspace(const Operand &start, const Operand &stop, int num, bool endpoint, std::optional<Dtype> dtype) {
  const Location at = start.location();
  DoorScope scope("linspace", at, {{"start", start}, {"stop", stop}});
  const Bounds bounds(start, stop, dtype);
  const Array numbers = spaced(bounds.start, bounds.stop, num, endpoint, at);
  // Of integers the ones below.
  const bool isFloored = kind(bounds.wanted) == Kind::integer && kind(numbers.dtype()) == Kind::floating;
  return convert(isFloored ? floor(numbers) : numbers, bounds.wanted, at);
}

Array tenon::logspace(const Operand &start, const Operand &stop, int num, bool endpoint, double base,
                      std::optional<Dtype> dtype) {
  const Location at = start.location();
  DoorScope scope("logspace", at, {{"start", start}, {"stop", stop}});
  const Bounds bounds(start, stop, dtype);
  return convert(pow(base, spaced(bounds.start, bounds.stop, num, endpoint, at)), bounds.wanted, at);
}

Array tenon::geomspace(const Operand &start, const Operand &stop, int num, bool endpoint, std::optional<Dtype> dtype) {
  const Location at = start.location();
  DoorScope scope("geomspace", at, {{"start", start}, {"stop", stop}});
  for (const Operand *bound : {&start, &stop})
    if (bound->is_scalar() && !bound->scalar().as_bool())
      refuse("expected bounds other than 0, got " + bound->scalar().str(), at);
  const Bounds bounds(start, stop, dtype);
  const Array side = sign(bounds.start), first = log10(bounds.start * side), last = log10(bounds.stop * side);
  const Array powers = pow(10.0, spaced(first, last, num, endpoint, at)) * side;
  // The bounds are themselves, whatever their logarithms were rounded to.
  Shape along = powers.shape();
  for (int i = 1; i < along.rank(); ++i)
    along.at(i) = 1;
  const Array place = reshape(iota(num, Dtype::i64, side.device(), at), along);
  const Array begun = where(place == 0, bounds.start, powers);
  return convert(endpoint && num > 1 ? where(place == num - 1, bounds.stop, begun) : begun, bounds.wanted, at);
}

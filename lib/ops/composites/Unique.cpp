//===- Unique.cpp - where elements are, and which values there are ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/ops/composites/Composites.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {

/// How many hold, where that is known here.
std::optional<int64_t> countOf(const Array &mask) {
  Value *known = concreteOrNull(mask.value());
  if (!known)
    return {};
  // Read, not summed: inside jit an op would be recorded.
  const Array host = to_device(Array::share(known), Device::cpu);
  const Elements<bool> holds = host.elements<bool>();
  return host.value()->isDense() ? std::count(holds.data(), holds.data() + holds.size(), true)
                                 : std::count(holds.begin(), holds.end(), true);
}

Dim countOrSay(const char *function, std::optional<Dim> size, const Array &mask, Location at,
               const char *call = "x, size") {
  if (size)
    return *size;
  if (std::optional<int64_t> count = countOf(mask))
    return *count;
  throw Error(std::string(function) + ": the number of results is unknown inside jit and vmap; pass it: " + function +
                  "(" + call + "), which fills missing results with fill_value",
              userLocation(at));
}

Array trueAt(const Array &mask, Dim size, int64_t fill, Location at) {
  const Dim sizes[] = {size};
  return apply(OpCode::flatnonzero, {mask.value()}, Words(FlatnonzeroAttrs{sizes, fill, 0}), at);
}

} // namespace

Array tenon::flatnonzero(const Operand &x, std::optional<Dim> size, int fill_value) {
  DoorScope scope("flatnonzero", x.location(), {{"x", x}});
  const Array mask = truthOf(x);
  return trueAt(mask, countOrSay("flatnonzero", size, mask, x.location()), fill_value, x.location());
}

static std::vector<Array> nonzeroOf(const char *function, const Operand &x, std::optional<Dim> size, int fill) {
  const Array mask = truthOf(x);
  if (mask.ndim() == 0)
    throwOpError(opInfo(OpCode::flatnonzero), std::initializer_list<Value *>{mask.value()},
                 std::string(function) + ": expected an array of rank >= 1, got rank 0", x.location());
  const Dim count = countOrSay(function, size, mask, x.location());
  const Array flat = trueAt(mask, count, size ? -1 : 0, x.location());
  std::vector<Array> places = unravel_index(flat, mask.shape());
  if (size)
    for (Array &place : places)
      place = where(flat < 0, fill, place);
  return places;
}

std::vector<Array> tenon::nonzero(const Operand &x, std::optional<Dim> size, int fill_value) {
  DoorScope scope("nonzero", x.location(), {{"x", x}});
  return nonzeroOf("nonzero", x, size, fill_value);
}

Array tenon::argwhere(const Operand &x, std::optional<Dim> size, int fill_value) {
  DoorScope scope("argwhere", x.location(), {{"x", x}});
  if (const Array one = toArray(x, OpCode::sort_keys); one.ndim() == 0) {
    const Dim count = nonzeroOf("argwhere", reshape(one, {1}), size, fill_value)[0].shape()[0];
    return full({count, 0}, 0, Dtype::i64, one.device(), x.location());
  }
  std::vector<Array> places = nonzeroOf("argwhere", x, size, fill_value);
  for (Array &place : places)
    place = reshape(place, {place.shape()[0], 1});
  return concatenate(places, 1, x.location());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {

/// The elements in order, and where a value begins among them.
class Runs {
public:
  Runs(const char *function, const Operand &operand, std::optional<Dim> size, std::optional<Scalar> fill,
       const char *call = "x, size")
      : at_(operand.location()), fill_(fill) {
    const Array x = toArray(operand, OpCode::sort_keys);
    shape_ = x.shape();
    const Array flat = reshape(x, {-1});
    count_ = flat.shape()[0];
    std::vector<Array> sorted = sort_keys({flat, iota(count_, Dtype::i64, x.device(), at_)}, 0, 1, false, at_);
    sorted_ = sorted[0], order_ = sorted[1];
    isFirst_ = isNew();
    size_ = countOrSay(function, size, isFirst_, at_, call);
    // One more, for where the last one ends.
    const Array begins = trueAt(isFirst_, size_ + 1, -1, at_);
    starts_ = where(begins < 0, countArray(), begins);
  }

  Array values() const {
    if (isNone(count_))
      return full({size_}, fill_.value_or(false), sorted_.dtype(), sorted_.device(), at_);
    const Array found = at(sorted_);
    return where(isFilled(), fill_ ? full({}, *fill_, found.dtype(), found.device(), at_) : first(sorted_), found);
  }
  Array indices() const {
    if (isNone(count_))
      return full({size_}, 0, Dtype::i64, sorted_.device(), at_);
    return where(isFilled(), first(order_), at(order_));
  }
  Array counts() const { return slice(starts_, {1}, {size_ + 1}) - starts(); }
  Array inverse() const {
    const Array numbers = cumulative_sum(astype(isFirst_, Dtype::i64)) - 1;
    const Array unsorted = scatter(full({count_}, 0, Dtype::i64, sorted_.device(), at_), reshape(order_, {count_, 1}),
                                   numbers, std::vector<int64_t>(), {0}, {0});
    return reshape(unsorted, shape_);
  }

private:
  Array isNew() const {
    if (isNone(count_))
      return full({0}, false, Dtype::bool_, sorted_.device(), at_);
    const Array changes = not_equal(slice(sorted_, {1}, {count_}), slice(sorted_, {0}, {count_ - 1}));
    return concatenate({full({1}, true, Dtype::bool_, sorted_.device(), at_), changes}, 0, at_);
  }
  Array countArray() const { return sizeOf(count_, sorted_.device(), at_); }
  Array starts() const { return slice(starts_, {0}, {size_}); }
  Array isFilled() const { return greater_equal(starts(), countArray()); }
  /// Where each value begins; past the last one, anywhere.
  Array at(const Array &x) const { return x.at[starts()].get({.mode = IndexMode::clip}); }
  static Array first(const Array &x) { return reshape(slice(x, {0}, {1}), {}); }

  Location at_;
  std::optional<Scalar> fill_;
  Shape shape_;
  Dim count_, size_;
  Array sorted_, order_, isFirst_, starts_;
};

} // namespace

Array tenon::unique_values(const Operand &x, std::optional<Dim> size, std::optional<Scalar> fill_value) {
  DoorScope scope("unique_values", x.location(), {{"x", x}});
  return Runs("unique_values", x, size, fill_value).values();
}

UniqueCounts tenon::unique_counts(const Operand &x, std::optional<Dim> size, std::optional<Scalar> fill_value) {
  DoorScope scope("unique_counts", x.location(), {{"x", x}});
  const Runs runs("unique_counts", x, size, fill_value);
  return {runs.values(), runs.counts()};
}

UniqueInverse tenon::unique_inverse(const Operand &x, std::optional<Dim> size, std::optional<Scalar> fill_value) {
  DoorScope scope("unique_inverse", x.location(), {{"x", x}});
  const Runs runs("unique_inverse", x, size, fill_value);
  return {runs.values(), runs.inverse()};
}

UniqueAll tenon::unique_all(const Operand &x, std::optional<Dim> size, std::optional<Scalar> fill_value) {
  DoorScope scope("unique_all", x.location(), {{"x", x}});
  const Runs runs("unique_all", x, size, fill_value);
  return {runs.values(), runs.indices(), runs.inverse(), runs.counts()};
}

/// The rank of each element of x [n, m] among the distinct ones of its column, from 0 on: i64[n, m].
static Array ranksOf(const Array &x, Location at) {
  const Shape shape = x.shape();
  const Dim count = shape[0];
  const Array numbers = broadcast(reshape(iota(count, Dtype::i64, x.device(), at), {count, 1}), shape, at);
  const std::vector<Array> sorted = sort_keys({x, numbers}, 0, 1, false, at);
  const Array isNew = not_equal(partOf(sorted[0], 0, 1, count), partOf(sorted[0], 0, 0, count - 1));
  const Array first = full({1, shape[1]}, 0, Dtype::i64, x.device(), at);
  const Array ranks = cumulative_sum(concatenate({first, convert(isNew, Dtype::i64, at)}, 0, at), Axis(0));
  return put_along_axis(numbers, sorted[1], ranks, 0);
}

/// The rank of each row of x [n, m] in lexicographic order: i64[n]. Two neighboring columns become one, whose elements
/// are ordered as their pairs, until there is one.
static Array rowRanks(const Array &x, Location at) {
  const Dim count = x.shape()[0];
  int64_t columns = x.shape()[1].raw();
  if (columns == 0)
    return full({count}, 0, Dtype::i64, x.device(), at);
  Array ranks = ranksOf(x, at);
  while (columns > 1) {
    const int64_t pairs = columns / 2;
    const Array high = partOf(ranks, 1, 0, 2 * pairs, 2), low = partOf(ranks, 1, 1, 2 * pairs, 2);
    const Array both = ranksOf(high * sizeOf(count, x.device(), at) + low, at);
    ranks = columns % 2 ? concatenate({both, partOf(ranks, 1, columns - 1, columns)}, 1, at) : both;
    columns = pairs + columns % 2;
  }
  return reshape(ranks, {count});
}

UniqueAll tenon::detail::unique(const Operand &operand, std::optional<Axis> axis, std::optional<Dim> size,
                                std::optional<Scalar> fill) {
  const Location at = operand.location();
  DoorScope scope("unique", at, {{"x", operand}});
  if (!axis) {
    const Runs runs("unique", operand, size, fill, "x, {.size = n}");
    return {runs.values(), runs.indices(), runs.inverse(), runs.counts()};
  }
  const Array x = toArray(operand, OpCode::sort_keys);
  const int place = axisOf(x, *axis, at);
  Dim columns = 1;
  for (int i = 0; i < x.ndim(); ++i)
    if (i != place)
      columns *= x.shape()[i];
  if (!columns.is_static())
    refuse("unique", "expected known sizes except along axis " + std::to_string(place) + ", got " + x.shape().str(),
           at);
  const Dim count = x.shape()[place];
  const Array rows = reshape(moveaxis(x, place, 0), {count, columns});
  const Array ranks = isNone(count) ? full({0}, 0, Dtype::i64, x.device(), at) : rowRanks(rows, at);
  const Runs runs("unique", ranks, size, {}, "x, {.size = n}");
  const Array indices = runs.indices(), counts = runs.counts();
  Shape filled = x.shape();
  filled.at(place) = counts.shape()[0];
  if (isNone(count))
    return {full(filled, fill.value_or(false), x.dtype(), x.device(), at), indices, runs.inverse(), counts};
  Array values = take(x, indices, Axis(place));
  if (fill) {
    Shape along(std::vector<Dim>(static_cast<size_t>(x.ndim()), 1), at);
    along.at(place) = counts.shape()[0];
    values = where(reshape(counts, along) == 0, full({}, *fill, x.dtype(), x.device(), at), values);
  }
  return {values, indices, runs.inverse(), counts};
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

namespace {

/// The elements of two arrays in order; of equal ones those of the first array stand in front.
struct Merged {
  Array values, isSecond;
  /// Whether the value is another one than that before, and behind.
  Array isFirst, isLast;
  const char *function;
  Location at;

  Merged(const char *name, const Operand &x1, const Operand &x2) : function(name), at(x1.location()) {
    const std::vector<Array> both = promoted(function, {&x1, &x2});
    std::vector<Array> flat, marks;
    for (const Array &x : both) {
      if (!x.has_value())
        throw Error(std::string(function) + ": expected an array, got an empty Array", userLocation(at));
      flat.push_back(reshape(x, {-1}));
      marks.push_back(full(flat.back().shape(), &x != &both[0], Dtype::bool_, x.device(), at));
    }
    const std::vector<Array> sorted = sort_keys({concatenate(flat, 0, at), concatenate(marks, 0, at)}, 0, 1, false, at);
    values = sorted[0], isSecond = sorted[1];
    const Dim count = values.shape()[0];
    if (isNone(count)) {
      isFirst = isLast = isSecond;
      return;
    }
    const Array end = full({1}, true, Dtype::bool_, values.device(), at);
    const Array changes = not_equal(slice(values, {1}, {count}), slice(values, {0}, {count - 1}));
    isFirst = concatenate({end, changes}, 0, at);
    isLast = concatenate({changes, end}, 0, at);
  }

  /// Whether what stands behind is of the second array.
  Array isBeforeSecond() const {
    const Dim count = values.shape()[0];
    if (isNone(count))
      return isSecond;
    const Array end = full({1}, false, Dtype::bool_, values.device(), at);
    return concatenate({slice(isSecond, {1}, {count}), end}, 0, at);
  }

  Array chosen(const Array &mask, std::optional<Dim> given, std::optional<Scalar> fill) const {
    const Dim size = countOrSay(function, given, mask, at, "x1, x2, size"), count = values.shape()[0];
    if (isNone(count) || isNone(size))
      return full({size}, fill.value_or(false), values.dtype(), values.device(), at);
    const Array places = trueAt(mask, size, -1, at), isFilled = places < 0;
    const Array found = take(values, maximum(places, 0), 0);
    if (!given)
      return found;
    const Array none = full({}, fill.value_or(false), values.dtype(), values.device(), at);
    return where(isFilled, fill ? none : where(isFilled[0], none, found[0]), found);
  }
};

} // namespace

Array tenon::union1d(const Operand &x1, const Operand &x2, std::optional<Dim> size, std::optional<Scalar> fill_value) {
  DoorScope scope("union1d", x1.location(), {{"x1", x1}, {"x2", x2}});
  const Merged both("union1d", x1, x2);
  return both.chosen(both.isFirst, size, fill_value);
}

Array tenon::intersect1d(const Operand &x1, const Operand &x2, std::optional<Dim> size,
                         std::optional<Scalar> fill_value) {
  DoorScope scope("intersect1d", x1.location(), {{"x1", x1}, {"x2", x2}});
  const Merged both("intersect1d", x1, x2);
  // The last one of the first array, behind which stands the same of the second.
  return both.chosen(!both.isSecond && both.isBeforeSecond() && !both.isLast, size, fill_value);
}

Array tenon::setdiff1d(const Operand &x1, const Operand &x2, std::optional<Dim> size,
                       std::optional<Scalar> fill_value) {
  DoorScope scope("setdiff1d", x1.location(), {{"x1", x1}, {"x2", x2}});
  const Merged both("setdiff1d", x1, x2);
  return both.chosen(!both.isSecond && both.isLast, size, fill_value);
}

Array tenon::setxor1d(const Operand &x1, const Operand &x2, std::optional<Dim> size, std::optional<Scalar> fill_value) {
  DoorScope scope("setxor1d", x1.location(), {{"x1", x1}, {"x2", x2}});
  const Merged both("setxor1d", x1, x2);
  // Of one array alone: the last one of the first, or the first one of the second.
  return both.chosen(where(both.isSecond, both.isFirst, both.isLast), size, fill_value);
}

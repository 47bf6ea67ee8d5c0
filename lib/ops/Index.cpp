//===- Index.cpp - parts of arrays, as NumPy writes them --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index becomes pieces, one for each axis of x and each new one. A part is read by a
// slice, a gather where there are arrays of indices, and a reshape; it is written by one
// scatter, whose windows are the axes that are taken in steps of 1.
//===----------------------------------------------------------------------===//
#include "lib/array/Buffer.h"
#include "lib/base/Describe.h"
#include "lib/ops/Door.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"
#include "lib/trace/Record.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {

using Axes = std::vector<int64_t>;

struct Piece {
  enum Kind : uint8_t { part, integer, newaxis, array } kind;
  int axis = -1; ///< of x
  /// Of a part, and of an integer, whose stop is one further.
  Dim start = 0, stop = 0;
  int64_t step = 1;
  Dim size = 1;
  bool isWhole = false;
  Array indices = {};
};

class Part {
public:
  Part(const Array &x, std::span<const IndexItem> items, const IndexOptions &options, Location at);

  Array read() const;

  /// How a scatter writes it: the indices, and the values broadcast to the part.
  struct Places {
    Array indices, updates;
    Axes windowDims, insertedDims, map;
  };
  Places places(const Array &values) const;
  /// Whether one element may be named twice.
  bool hasArrays() const { return blockPiece_ >= 0; }
  /// How often one element may be named at most.
  Dim mostRepeats() const { return element_count(block_); }
  Shape shape() const;

private:
  [[noreturn]] void refuse(const std::string &sentence) const;
  void addInteger(int axis, Dim index);
  void addPart(int axis, const Slice &slice);
  void addArray(int axis, const Array &array);
  void addMask(int axis, const Array &mask);
  void placeBlock();
  Array valueOf(Dim size) const;
  Array fromFront(const Piece &piece) const;
  Array startOf(const Piece &piece) const;

  const Array &x_;
  Shape shape_;
  IndexOptions options_;
  Location at_;
  std::vector<Piece> pieces_;
  /// What the arrays of indices are broadcast to, and the piece before which its axes stand;
  /// -1: there are none.
  Shape block_;
  int blockPiece_ = -1;
};

} // namespace

void Part::refuse(const std::string &sentence) const {
  throwOpError(opInfo(OpCode::slice), std::initializer_list<Value *>{x_.value()}, "index: " + sentence, at_);
}

/// A size as text for "expected at most".
static std::string axes(int count) { return std::to_string(count) + (count == 1 ? " axis" : " axes"); }

Part::Part(const Array &x, std::span<const IndexItem> items, const IndexOptions &options, Location at)
    : x_(x), shape_(x.shape(at)), options_(options), at_(at) {
  using Kind = IndexItem::Kind;
  int taken = 0, ellipses = 0;
  for (const IndexItem &item : items) {
    const bool isMask = item.kind() == Kind::array && item.array().dtype(at) == Dtype::bool_;
    ellipses += item.kind() == Kind::rest;
    taken += isMask ? item.array().ndim() : item.kind() != Kind::rest && item.kind() != Kind::added;
  }
  const int rank = shape_.rank();
  if (rank == 0 && taken > 0)
    refuse("expected an array of rank >= 1, got rank 0");
  if (taken > rank)
    refuse("expected an index of at most " + axes(rank) + ", got one of " + std::to_string(taken));
  if (ellipses > 1)
    refuse("expected one ellipsis, got " + std::to_string(ellipses));
  int axis = 0;
  auto addWhole = [&](int count) {
    for (; count > 0; --count)
      addPart(axis++, {});
  };
  for (const IndexItem &item : items)
    switch (item.kind()) {
    case Kind::integer:
      addInteger(axis++, *item.slice().start);
      break;
    case Kind::part:
      addPart(axis++, item.slice());
      break;
    case Kind::added:
      pieces_.push_back({Piece::newaxis});
      break;
    case Kind::rest:
      // Of no axes it still stands between arrays of indices.
      pieces_.push_back({Piece::newaxis, -2});
      addWhole(rank - taken);
      break;
    case Kind::array:
      if (item.array().dtype() == Dtype::bool_) {
        addMask(axis, item.array());
        axis += item.array().ndim();
      } else {
        addArray(axis++, item.array());
      }
      break;
    }
  addWhole(rank - axis);
  placeBlock();
}

void Part::addInteger(int axis, Dim index) {
  const Dim size = shape_[axis];
  const bool isOutside =
      size.is_static() && index.is_static() && (index.raw() < -size.raw() || index.raw() >= size.raw());
  if (isOutside && options_.mode != IndexMode::error)
    return addArray(axis, valueOf(index));
  if (isOutside)
    throwOpError(
        opInfo(OpCode::slice), std::initializer_list<Value *>{x_.value()},
        "index " + index.str() + " is out of range for axis " + std::to_string(axis) + " of size " + size.str(), at_);
  Piece piece{Piece::integer, axis};
  piece.start = index.is_static() && index.raw() < 0 ? size + index : index;
  piece.stop = piece.start + 1;
  pieces_.push_back(piece);
}

/// Python's rule of slice.indices.
void Part::addPart(int axis, const Slice &slice) {
  const Dim size = shape_[axis];
  const int64_t step = slice.step;
  if (step == 0)
    refuse("expected steps other than 0, got 0 for axis " + std::to_string(axis));
  if (step > int64_t(1) << 61 || step < -(int64_t(1) << 61))
    refuse("expected steps within 2^61, got " + std::to_string(step) + " for axis " + std::to_string(axis));
  const bool isKnown =
      size.is_static() && (!slice.start || slice.start->is_static()) && (!slice.stop || slice.stop->is_static());
  auto bound = [&](const std::optional<Dim> &given, Dim otherwise) {
    if (!given)
      return otherwise;
    Dim place = given->is_static() && given->raw() < 0 ? size + *given : *given;
    if (isKnown)
      place = std::clamp<int64_t>(given->raw() < -size.raw() ? -1 : place.raw(), step > 0 ? 0 : -1,
                                  step > 0 ? size.raw() : size.raw() - 1);
    return place;
  };
  Piece piece{Piece::part, axis};
  piece.step = step;
  piece.start = bound(slice.start, step > 0 ? Dim(0) : size - 1);
  piece.stop = bound(slice.stop, step > 0 ? size : Dim(-1));
  if (isKnown && (step > 0 ? piece.stop.raw() < piece.start.raw() : piece.stop.raw() > piece.start.raw()))
    piece.stop = piece.start;
  if (isKnown && size.raw() == 0)
    piece.start = piece.stop = 0, piece.step = 1;
  piece.size =
      piece.step > 0 ? ceil_div(piece.stop - piece.start, piece.step) : ceil_div(piece.start - piece.stop, -piece.step);
  piece.isWhole = piece.step == 1 && piece.start.raw() == 0 && piece.stop.raw() == size.raw();
  pieces_.push_back(piece);
}

void Part::addArray(int axis, const Array &array) {
  if (kind(array.dtype()) != Kind::integer)
    refuse("expected integers or truth values as indices, got " + describe(array.dtype(), array.shape()));
  Piece piece{Piece::array, axis};
  // In its own dtype, since i64 does not hold all of u64.
  const bool wrapsUnsigned = options_.mode == IndexMode::wrap && array.dtype() == Dtype::u64;
  piece.indices = toIndices(wrapsUnsigned ? remainder(array, astype(valueOf(shape_[axis]), Dtype::u64)) : array,
                            OpCode::gather, at_);
  Shape both;
  if (std::string error = broadcastShapes(block_, array.shape(), both); !error.empty())
    refuse("arrays of indices: " + error);
  block_ = both;
  pieces_.push_back(piece);
}

/// The places where it holds, as an array of indices for each of its axes: row-major.
void Part::addMask(int axis, const Array &mask) {
  for (int i = 0; i < mask.ndim(); ++i)
    if (provably_equal(mask.shape()[i], shape_[axis + i]) != Always::yes)
      refuse("expected a mask of " + shape_[axis + i].str() + " elements along axis " + std::to_string(axis + i) +
             ", got " + describe(Dtype::bool_, mask.shape()));
  Value *known = concreteOrNull(mask.value());
  if (!known)
    refuse("the size of x[mask] depends on the mask, whose values are unknown inside jit and vmap; use where(mask, x, "
           "0), or x.at[mask].set(number)");
  const Array holds = Array::share(known);
  const std::vector<Array> places = unravel_index(flatnonzero(holds), holds.shape());
  for (size_t d = 0; d < places.size(); ++d)
    addArray(axis + static_cast<int>(d), places[d]);
}

/// NumPy's rule: where the first one stands if they and the integers among them are side by
/// side, else in front.
void Part::placeBlock() {
  const bool has = std::ranges::any_of(pieces_, [](const Piece &piece) { return piece.kind == Piece::array; });
  auto isOfBlock = [](const Piece &piece) { return piece.kind == Piece::array || piece.kind == Piece::integer; };
  if (has) {
    auto first = std::ranges::find_if(pieces_, isOfBlock);
    auto end = std::find_if_not(first, pieces_.end(), isOfBlock);
    const bool isApart = std::any_of(end, pieces_.end(), isOfBlock);
    blockPiece_ = isApart ? 0 : static_cast<int>(first - pieces_.begin());
  }
  // What an ellipsis was here for. The place of a block behind it is then one piece further: still among
  // those of the block, which have no axes of their own.
  std::erase_if(pieces_, [](const Piece &piece) { return piece.axis == -2; });
}

Shape Part::shape() const {
  Shape shape;
  for (size_t i = 0; i <= pieces_.size(); ++i) {
    if (static_cast<int>(i) == blockPiece_)
      for (Dim dim : block_)
        shape.push_back(dim, at_);
    if (i < pieces_.size() && (pieces_[i].kind == Piece::part || pieces_[i].kind == Piece::newaxis))
      shape.push_back(pieces_[i].size, at_);
  }
  return shape;
}

/// A size as an array: i64, rank 0.
Array Part::valueOf(Dim size) const {
  if (size.is_static())
    return full({}, size.raw(), Dtype::i64, x_.device(), at_);
  return dimension(full({size}, 0, Dtype::i32, x_.device(), at_), 0);
}

/// Indices that count from the front; with mode `error` the op itself sees to it.
Array Part::fromFront(const Piece &piece) const {
  if (options_.mode == IndexMode::error)
    return piece.indices;
  const Array &indices = piece.indices;
  const Dim size = shape_[piece.axis];
  if (options_.mode == IndexMode::wrap)
    return size.is_static() ? remainder(indices, Scalar(size.raw())) : remainder(indices, valueOf(size));
  if (size.is_static())
    return where(indices < 0, indices + Scalar(size.raw()), indices);
  return where(indices < 0, indices + valueOf(size), indices);
}

/// The mode of the op: indices that wrap around are inside by then.
static IndexMode modeOf(IndexMode mode) { return mode == IndexMode::wrap ? IndexMode::clip : mode; }

/// One array of all indices: their last axis goes over `columns`, of one shape.
static Array stackColumns(std::vector<Array> columns, const Shape &shape, Location at) {
  Dtype dtype = Dtype::i32;
  for (const Array &column : columns)
    dtype = promote(dtype, column.dtype());
  Shape with = shape;
  with.push_back(1, at);
  for (Array &column : columns)
    column = reshape(broadcast(convert(column, dtype, at), shape, at), with);
  return columns.size() == 1 ? columns[0] : concatenate(columns, -1, at);
}

Array Part::read() const {
  Array y = x_;
  Shape starts, stops;
  Axes steps;
  bool isWhole = true;
  for (const Piece &piece : pieces_)
    if (piece.axis >= 0) {
      const bool isArray = piece.kind == Piece::array;
      starts.push_back(isArray ? Dim(0) : piece.start);
      stops.push_back(isArray ? shape_[piece.axis] : piece.stop);
      steps.push_back(piece.step);
      isWhole &= isArray || piece.isWhole;
    }
  if (!isWhole)
    y = slice(y, starts, stops, steps);
  if (hasArrays()) {
    std::vector<Array> columns;
    Axes offset, collapsed, map;
    Shape sizes;
    int64_t next = 0;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (static_cast<int>(i) == blockPiece_)
        next += block_.rank();
      if (pieces_[i].axis < 0)
        continue;
      if (pieces_[i].kind == Piece::array) {
        columns.push_back(fromFront(pieces_[i]));
        collapsed.push_back(pieces_[i].axis);
        map.push_back(pieces_[i].axis);
        sizes.push_back(1);
      } else {
        offset.push_back(next++);
        sizes.push_back(pieces_[i].size);
      }
    }
    y = gather(y, stackColumns(std::move(columns), block_, at_), sizes, offset, collapsed, map, Axes(), Axes(),
               modeOf(options_.mode), options_.fill_value);
  }
  return reshape(y, shape());
}

/// Where a window begins that is not all of its axis.
Array Part::startOf(const Piece &piece) const { return valueOf(piece.start); }

Part::Places Part::places(const Array &values) const {
  Places out;
  Shape part = shape(), updates, batch;
  std::vector<int> batchPlace(pieces_.size(), -1); // of what is no window: its axis among those of the indices
  int block = 0;
  for (size_t i = 0; i <= pieces_.size(); ++i) {
    if (static_cast<int>(i) == blockPiece_) {
      block = batch.rank();
      for (Dim dim : block_)
        updates.push_back(dim, at_), batch.push_back(dim, at_);
    }
    if (i == pieces_.size() || pieces_[i].kind != Piece::part)
      continue;
    if (pieces_[i].step == 1) {
      out.windowDims.push_back(updates.rank());
    } else {
      batchPlace[i] = batch.rank();
      batch.push_back(pieces_[i].size, at_);
    }
    updates.push_back(pieces_[i].size, at_);
  }
  std::vector<Array> columns;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const Piece &piece = pieces_[i];
    if (piece.axis < 0 || (piece.kind == Piece::part && piece.isWhole))
      continue;
    out.map.push_back(piece.axis);
    if (piece.kind != Piece::part || piece.step != 1)
      out.insertedDims.push_back(piece.axis);
    if (piece.kind == Piece::array) {
      // Its axes are the block's; behind them are the batch's other ones.
      Shape with = broadcast(piece.indices, block_, at_).shape();
      for (int rest = batch.rank() - block - block_.rank(); rest > 0; --rest)
        with.push_back(1, at_);
      columns.push_back(reshape(broadcast(fromFront(piece), block_, at_), with));
    } else if (batchPlace[i] >= 0) {
      Shape with{piece.size};
      for (int rest = batch.rank() - batchPlace[i] - 1; rest > 0; --rest)
        with.push_back(1, at_);
      columns.push_back(reshape(iota(piece.size, Dtype::i64, x_.device(), at_, piece.step) + startOf(piece), with));
    } else {
      columns.push_back(startOf(piece));
    }
  }
  if (columns.empty()) {
    batch.push_back(0, at_);
    out.indices = full(batch, 0, Dtype::i32, x_.device(), at_);
  } else {
    out.indices = stackColumns(std::move(columns), batch, at_);
  }
  Shape both;
  if (std::string error = broadcastShapes(values.shape(), part, both); !error.empty() || both != part)
    refuse("expected values that broadcast to the part's shape " + part.str() + ", got " +
           describe(values.dtype(), values.shape()));
  out.updates = reshape(broadcast(values, part, at_), updates);
  return out;
}

void IndexItem::start(Dim index) { slice_.start = index; }

Index::Index(std::span<const IndexItem> items, Location place)
    : first_(items.data()), size_(items.size()), at_(place) {}

std::span<const IndexItem> Index::items() const { return {first_, size_}; }

Array Array::operator[](const Index &index) const {
  const Location place = index.at();
  checked(place);
  DoorScope scope("index", place, {{"x", *this}});
  noteOperand(this, place);
  return Part(*this, index.items(), {}, place).read();
}

Array Array::Iterator::operator*() const { return (*array_)[Index(index_, at_)]; }

Update At::operator[](const Index &index) const & {
  noteOperand(reinterpret_cast<const Array *>(this), index.at()); // an Array has no other member
  return Update(Array::share(value_), false, index);
}
Update At::operator[](const Index &index) && {
  return Update(Array::adopt(std::exchange(value_, nullptr)), true, index);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

Update::Update(Array x, bool isGiven, const Index &index)
    : x_(std::move(x)), items_(index.items().begin(), index.items().end()), at_(index.at()), isGiven_(isGiven) {}

Update Update::of(Array x) const { return Update(std::move(x), false, Index(items_, at_)); }

Array Update::get(const IndexOptions &options) const {
  DoorScope scope("index", at_, {{"x", x_}});
  return Part(x_, items_, options, at_).read();
}

/// The items are one mask, and the values are the same wherever it holds: that needs no places.
static bool isChoice(std::span<const IndexItem> items, const Array &x, const Array &values) {
  return items.size() == 1 && items[0].kind() == IndexItem::Kind::array && items[0].array().dtype() == Dtype::bool_ &&
         items[0].array().ndim() <= x.ndim() && values.ndim() <= x.ndim() - items[0].array().ndim();
}
/// The mask with the axes that it leaves.
static Array choiceOf(const Array &mask, const Array &x, Location at) {
  Shape shape = mask.shape();
  while (shape.rank() < x.ndim())
    shape.push_back(1, at);
  return reshape(mask, shape);
}

Array Update::with(OpCode op, const Operand &values, const IndexOptions &options) {
  DoorScope scope("index", at_, {{"x", x_}, {"values", values}});
  if (!x_.has_value())
    throw Error("index: expected an array, got an empty Array", at_);
  const Array updates = toUpdates(values, op, x_);
  if (isChoice(items_, x_, updates)) {
    const Array mask = choiceOf(items_[0].array(), x_, at_);
    switch (op) {
    case OpCode::scatter_add:
      return where(mask, x_ + updates, x_);
    case OpCode::scatter_mul:
      return where(mask, x_ * updates, x_);
    case OpCode::scatter_min:
      return where(mask, minimum(x_, updates), x_);
    case OpCode::scatter_max:
      return where(mask, maximum(x_, updates), x_);
    default:
      return where(mask, updates, x_);
    }
  }
  const Part::Places places = Part(x_, items_, options, at_).places(updates);
  AttrWriter words;
  ScatterAttrs{places.windowDims, places.insertedDims, places.map, {}, {}, name(modeOf(options.mode))}.write(words);
  const Dtype dtype = x_.dtype(), wide = scatteredIn(op, x_, places.indices);
  if (wide != dtype) {
    const Array start = astype(x_, wide), added = astype(places.updates, wide);
    const std::initializer_list<Value *> operands{start.value(), places.indices.value(), added.value()};
    return astype(bindOne(op, operands, words.words(), at_), dtype);
  }
  const std::initializer_list<Value *> operands{x_.value(), places.indices.value(), places.updates.value()};
  if (!isGiven_)
    return bindOne(op, operands, words.words(), at_);
  // What it was given it has no more: the buffer may be the result's.
  const Array result = bindUpdate(op, operands, words.words(), at_);
  x_ = Array();
  return result;
}

Array Update::set(const Operand &values, const IndexOptions &options) { return with(OpCode::scatter, values, options); }
Array Update::add(const Operand &values, const IndexOptions &options) {
  return with(OpCode::scatter_add, values, options);
}
Array Update::multiply(const Operand &values, const IndexOptions &options) {
  return with(OpCode::scatter_mul, values, options);
}
Array Update::min(const Operand &values, const IndexOptions &options) {
  return with(OpCode::scatter_min, values, options);
}
Array Update::max(const Operand &values, const IndexOptions &options) {
  return with(OpCode::scatter_max, values, options);
}

Array Update::divide(const Operand &values, const IndexOptions &options) {
  if (kind(x_.dtype(at_)) < Kind::floating)
    throwOpError(opInfo(OpCode::divide), std::initializer_list<Value *>{x_.value()},
                 "index: expected floating or complex elements to divide, got " + describe(x_.dtype(), x_.shape()),
                 at_);
  return x_ / Update(ones_like(x_), true, Index(items_, at_)).with(OpCode::scatter_mul, values, options);
}

Array Update::places(const IndexOptions &options) const {
  DoorScope scope("index", at_, {{"x", x_}});
  const Shape shape = x_.shape(at_);
  const Array all = reshape(iota(element_count(shape), Dtype::i64, x_.device(), at_), shape);
  return Part(all, items_, {options.mode, -1}, at_).read();
}

Update::Repeats Update::repeats(const IndexOptions &options) const {
  DoorScope scope("index", at_, {{"x", x_}});
  const Part part(x_, items_, options, at_);
  if (!part.hasArrays())
    return {};
  const Update counted = of(zeros_like(x_, Dtype::i32));
  Repeats repeats;
  repeats.counts = of(Update(counted).add(1, options)).get(options);
  // The elements of a batch together bound those of each of its examples.
  Value *value = withoutDerivatives(repeats.counts.value());
  for (const Interpreter *owner = interpreterOf(value); owner && owner->kind() == InterpreterKind::batch;
       owner = interpreterOf(value))
    value = withoutDerivatives(value->base);
  int64_t known = -1;
  if (const std::optional<Array> counts = constantElements(value)) {
    const EmptyStack alone;
    known = counts->size() == 0 ? 1 : tenon::max(*counts).item<int64_t>();
  }
  repeats.unrolled = known <= int64_t(mostUnrolledRounds) || !innermostRecord() ? known : -1;
  if (repeats.unrolled < 0) {
    repeats.most = tenon::max(repeats.counts);
    repeats.bound = known >= 0 ? Dim(known) : part.mostRepeats();
  }
  return repeats;
}

//===- views_test.cpp - memory layouts of the results of view ops --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op that its record calls a view, over random arrays: the elements where its
// rule says they are, against those that its eager kernel copies.
//===----------------------------------------------------------------------===//
#include "dialect/model/Views.h"
#include "runtime/kernels/Strides.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tenon;
using namespace tenon::rt;

namespace {

using Dims = std::vector<int64_t>;

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// From `low` to `high`, both included.
  int64_t operator()(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
  template <class T>
  void shuffle(std::vector<T> &values) {
    std::ranges::shuffle(values, engine_);
  }

private:
  std::mt19937 engine_;
};

/// An array of up to four axes: in any order in memory, backwards, with gaps, repeated.
/// Each element is its place.
struct Source {
  Dims dims, strides;
  int64_t first = 0;
  std::vector<int32_t> elements;

  explicit Source(Random &random) {
    dims.resize(static_cast<size_t>(random(0, 4)));
    for (int64_t &dim : dims)
      dim = random(0, 9) == 0 ? 0 : random(1, 5);
    strides.resize(dims.size());
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::reverse(order);
    if (random(0, 2) == 0)
      random.shuffle(order);
    const bool isDense = random(0, 2) == 0;
    int64_t extent = 1, last = 0;
    for (size_t axis : order) {
      const bool isRepeated = !isDense && random(0, 6) == 0;
      const int64_t stride = isRepeated ? 0 : isDense ? extent : extent + random(0, 1);
      const bool isBackward = !isDense && random(0, 2) == 0;
      strides[axis] = isBackward ? -stride : stride;
      const int64_t reach = stride * std::max<int64_t>(dims[axis] - 1, 0);
      first += isBackward ? reach : 0;
      last += reach;
      extent = std::max(extent, stride * std::max<int64_t>(dims[axis], 1));
    }
    elements.resize(static_cast<size_t>(last + 1));
    std::iota(elements.begin(), elements.end(), 0);
  }
  View view() {
    return {elements.data() + first, Dtype::i32, static_cast<uint8_t>(dims.size()), dims.data(), strides.data()};
  }
};

/// Sizes of the same number of elements.
Dims reshaped(const Dims &from, Random &random) {
  Dims factors;
  for (int64_t dim : from)
    if (dim == 4 && random(0, 1))
      factors.insert(factors.end(), {2, 2});
    else
      factors.push_back(dim);
  if (random(0, 3) == 0)
    random.shuffle(factors);
  Dims to;
  for (int64_t factor : factors)
    if (!to.empty() && random(0, 1))
      to.back() *= factor;
    else
      to.push_back(factor);
  if (random(0, 2) == 0)
    to.insert(to.begin() + random(0, static_cast<int64_t>(to.size())), 1);
  if (std::ranges::find(from, 0) == from.end() && std::ranges::count(to, 1) > 0 && random(0, 1))
    to.erase(std::ranges::find(to, 1));
  return to;
}

/// The attributes of a random call on an array of these sizes.
void writeAttributes(const OpInfo &info, const Dims &sizes, Random &random, AttrWriter &words) {
  const size_t rank = sizes.size();
  switch (static_cast<OpCode>(info.code)) {
  case OpCode::reshape: {
    const Dims shape = reshaped(sizes, random);
    return ReshapeAttrs{{reinterpret_cast<const Dim *>(shape.data()), shape.size()}}.write(words);
  }
  case OpCode::broadcast_to: {
    std::vector<Dim> shape;
    for (int64_t added = random(0, 2); added > 0; --added)
      shape.push_back(random(0, 3));
    for (int64_t size : sizes)
      shape.push_back(size == 1 ? random(0, 3) : size);
    return BroadcastToAttrs{shape}.write(words);
  }
  case OpCode::transpose: {
    std::vector<int64_t> permutation(rank);
    std::iota(permutation.begin(), permutation.end(), 0);
    random.shuffle(permutation);
    return TransposeAttrs{permutation}.write(words);
  }
  case OpCode::slice: {
    std::vector<Dim> starts, stops;
    std::vector<int64_t> steps;
    for (int64_t size : sizes) {
      const bool isBackward = size > 0 && random(0, 1);
      const int64_t low = random(0, size), high = random(low, size);
      starts.push_back(isBackward ? std::max<int64_t>(high - 1, 0) : low);
      stops.push_back(isBackward ? std::min(low, std::max<int64_t>(high - 1, 0)) - random(0, 1) : high);
      steps.push_back(isBackward ? -random(1, 3) : random(1, 3));
    }
    return SliceAttrs{starts, stops, steps}.write(words);
  }
  case OpCode::split: {
    const auto axis = random(0, static_cast<int64_t>(rank) - 1);
    std::vector<Dim> pieces;
    for (int64_t left = sizes[static_cast<size_t>(axis)], piece; pieces.empty() || left > 0; left -= piece) {
      piece = random(0, left);
      pieces.push_back(piece);
    }
    return SplitAttrs{pieces, axis}.write(words);
  }
  case OpCode::checkpoint_name:
    return CheckpointNameAttrs{"x"}.write(words);
  case OpCode::optimization_barrier:
  case OpCode::stop_gradient:
    return;
  default:
    ADD_FAILURE() << info.name << " is a view, and has no attributes here";
  }
}

/// What happens to random calls.
struct Seen {
  int packed = 0, empty = 0, backward = 0, repeated = 0;
};

/// The elements of one result.
void checkResult(const OpInfo &info, const ViewMap &map, View x, const std::vector<int32_t> &memory, int64_t first,
                 const Dims &dims, const std::vector<int32_t> &expected, Seen &seen) {
  ASSERT_TRUE(isInside(map, x, dims)) << info.name;
  Dims strides(dims.size(), -77), denseStrides_(x.rank);
  std::optional<int64_t> offset = viewStrides(map, x, dims, strides.data());
  std::vector<int32_t> packed;
  const std::vector<int32_t> *from = &memory;
  if (!offset) {
    EXPECT_TRUE(map.isRowMajor) << info.name;
    ++seen.packed;
    denseStrides({x.dims, x.rank}, denseStrides_.data());
    packed.resize(static_cast<size_t>(x.count()));
    const View dense{packed.data(), x.dtype, x.rank, x.dims, denseStrides_.data()};
    ASSERT_EQ(copy(x, dense), Status::ok);
    from = &packed, first = 0;
    offset = viewStrides(map, dense, dims, strides.data());
    ASSERT_TRUE(offset) << info.name << ": strides say any order of dense elements";
  }
  seen.empty += expected.empty();
  seen.backward += std::ranges::any_of(strides, [](int64_t stride) { return stride < 0; });
  seen.repeated += std::ranges::find(strides, 0) != strides.end();
  if (expected.empty()) {
    EXPECT_EQ(*offset, 0) << info.name << ": no elements, at the start of the buffer";
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    int64_t place = first + *offset, rest = static_cast<int64_t>(i);
    for (size_t axis = dims.size(); axis-- > 0; rest /= dims[axis])
      place += rest % dims[axis] * strides[axis];
    ASSERT_TRUE(place >= 0 && place < static_cast<int64_t>(from->size())) << info.name << " leaves the buffer";
    ASSERT_EQ((*from)[static_cast<size_t>(place)], expected[i]) << info.name << ", element " << i;
  }
}

void checkCall(const OpInfo &info, Random &random, Seen &seen) {
  std::vector<Source> sources;
  for (int i = 0; i < (info.variadic ? 2 : 1); ++i)
    sources.emplace_back(random);
  if (info.results != 1 && !info.variadic && sources[0].dims.empty())
    return; // nothing to cut
  AttrWriter words;
  writeAttributes(info, sources[0].dims, random, words);
  std::vector<View> operands, results;
  std::vector<Type> types, made;
  for (Source &source : sources) {
    operands.push_back(source.view());
    types.push_back({Dtype::i32, Device::cpu, Shape(std::span<const int64_t>(source.dims))});
  }
  ASSERT_EQ(inferTypes({info, types, words.words(), {}}, made), "") << types[0].str();
  std::vector<Dims> dims, strides;
  std::vector<std::vector<int32_t>> copies;
  for (const Type &type : made) {
    Dims &sizes = dims.emplace_back();
    for (Dim dim : type.shape)
      sizes.push_back(dim.raw());
    strides.emplace_back(sizes.size());
    denseStrides(sizes, strides.back().data());
    copies.emplace_back(View{.rank = static_cast<uint8_t>(sizes.size()), .dims = sizes.data()}.count());
  }
  for (size_t i = 0; i < made.size(); ++i)
    results.push_back(
        {copies[i].data(), Dtype::i32, static_cast<uint8_t>(dims[i].size()), dims[i].data(), strides[i].data()});
  ASSERT_EQ(kernel(static_cast<OpCode>(info.code))({static_cast<OpCode>(info.code), operands, results, words.words()}),
            Status::ok);

  for (size_t i = 0; i < made.size(); ++i) {
    const size_t viewed = viewedOperand(info, i);
    ViewMap map;
    ASSERT_TRUE(mapView(info, {operands[viewed].rank, made[i].shape.rank(), words.words()}, map)) << info.name;
    for (size_t before = 0; before < i; ++before)
      nextPiece(map, operands[viewed].rank, made[before].shape);
    EXPECT_EQ(map.isSame, info.attributes.empty() || info.code == static_cast<uint16_t>(OpCode::checkpoint_name));
    ASSERT_NO_FATAL_FAILURE(checkResult(info, map, operands[viewed], sources[viewed].elements, sources[viewed].first,
                                        dims[i], copies[i], seen));
  }
}

} // namespace

TEST(Views, LieWhereTheKernelsCopyFrom) {
  int views = 0;
  Seen seen;
  for (const OpInfo &info : allOps()) {
    if (!info.isView)
      continue;
    ++views;
    Random random(info.code);
    for (int i = 0; i < 1000; ++i)
      ASSERT_NO_FATAL_FAILURE(checkCall(info, random, seen)) << info.name << ", call " << i;
  }
  EXPECT_GT(views, 0);
  for (int count : {seen.packed, seen.empty, seen.backward, seen.repeated})
    EXPECT_GT(count, 100);
}

// What a blob may hold: words of the right form, for other arrays.
TEST(Views, RefuseAttributesThatDoNotFit) {
  auto fits = [](OpCode op, int from, int to, const auto &attributes) {
    AttrWriter words;
    attributes.write(words);
    ViewMap map;
    return mapView(opInfo(op), {from, to, words.words()}, map);
  };
  auto turned = [&](std::vector<int64_t> permutation, int from, int to) {
    return fits(OpCode::transpose, from, to, TransposeAttrs{permutation});
  };
  EXPECT_TRUE(turned({1, 0}, 2, 2));
  EXPECT_TRUE(turned({}, 0, 0));
  EXPECT_FALSE(turned({1, 0}, 2, 3));
  EXPECT_FALSE(turned({1, 0}, 3, 3));
  EXPECT_FALSE(turned({1, 1}, 2, 2));
  EXPECT_FALSE(turned({0, 2}, 2, 2));
  EXPECT_FALSE(turned({-1, 0}, 2, 2));
  EXPECT_FALSE(turned({0, int64_t(1) << 40}, 2, 2));

  auto cut = [&](size_t starts, size_t stops, size_t steps, int from, int to) {
    const std::vector<Dim> places(4, 0);
    const std::vector<int64_t> ones(4, 1);
    return fits(
        OpCode::slice, from, to,
        SliceAttrs{std::span(places).first(starts), std::span(places).first(stops), std::span(ones).first(steps)});
  };
  EXPECT_TRUE(cut(2, 2, 2, 2, 2));
  EXPECT_FALSE(cut(1, 2, 2, 2, 2));
  EXPECT_FALSE(cut(2, 3, 2, 2, 2));
  EXPECT_FALSE(cut(2, 2, 1, 2, 2));
  EXPECT_FALSE(cut(2, 2, 2, 2, 3));
  EXPECT_FALSE(cut(2, 2, 2, 3, 2));

  EXPECT_TRUE(fits(OpCode::broadcast_to, 2, 3, BroadcastToAttrs{}));
  EXPECT_FALSE(fits(OpCode::broadcast_to, 3, 2, BroadcastToAttrs{}));
  for (int64_t axis : {-1, 0, 1, 2})
    EXPECT_EQ(fits(OpCode::split, 2, 2, SplitAttrs{{}, axis}), axis == 0 || axis == 1);
  EXPECT_FALSE(fits(OpCode::split, 2, 1, SplitAttrs{{}, 0}));
}

TEST(Views, StayInsideOfTheirOperand) {
  const int64_t dims[] = {4, 1}, strides[] = {1, 4};
  const View x{nullptr, Dtype::f32, 2, dims, strides};
  auto isIn = [&](ViewAxis first, ViewAxis second, std::vector<int64_t> sizes) {
    ViewMap map;
    map.axes[0] = first, map.axes[1] = second;
    return isInside(map, x, sizes);
  };
  const ViewAxis all{.to = 1}, many{.to = 1, .extent = ViewAxis::repeated};
  EXPECT_TRUE(isIn({}, all, {4, 1}));
  EXPECT_FALSE(isIn({}, all, {3, 1}));
  EXPECT_FALSE(isIn({}, all, {5, 1}));
  EXPECT_FALSE(isIn({}, all, {4, 2}));
  EXPECT_TRUE(isIn({}, many, {4, 2}));
  EXPECT_FALSE(isIn({.extent = ViewAxis::repeated}, many, {5, 2}));
  EXPECT_TRUE(isIn({.to = 2}, {.to = 0}, {1, 9, 4})); // to any axis; the one between repeats
  EXPECT_FALSE(isIn({.to = 2}, {.to = 0}, {1, 4, 9}));

  auto isPartIn = [&](int64_t start, int64_t step, int64_t size) {
    const bool asPart = isIn({0, ViewAxis::part, start, step}, all, {size, 1});
    EXPECT_EQ(asPart, isIn({0, ViewAxis::piece, start, step}, all, {size, 1}));
    return asPart;
  };
  EXPECT_TRUE(isPartIn(0, 1, 4));
  EXPECT_TRUE(isPartIn(3, -1, 4));
  EXPECT_TRUE(isPartIn(1, 2, 2));
  EXPECT_TRUE(isPartIn(4, 1, 0)); // nothing, at the end
  EXPECT_FALSE(isPartIn(4, 1, 1));
  EXPECT_FALSE(isPartIn(4, -1, 2));
  EXPECT_FALSE(isPartIn(-1, 1, 2));
  EXPECT_FALSE(isPartIn(0, 2, 3));
  EXPECT_FALSE(isPartIn(2, -1, 4));
  EXPECT_FALSE(isPartIn(1, INT64_MAX, 3));
  EXPECT_FALSE(isPartIn(1, INT64_MAX, 2));

  ViewMap rows;
  rows.isRowMajor = true;
  EXPECT_TRUE(isInside(rows, x, std::vector<int64_t>{2, 2}));
  EXPECT_FALSE(isInside(rows, x, std::vector<int64_t>{3}));
}

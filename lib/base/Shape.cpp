//===- Shape.cpp - the sizes of an array, and lists of axes -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/CalledFunction.h"
#include "lib/base/SizeWatch.h"

#include <tenon/axes.h>

#include <algorithm>
#include <ostream>

using namespace tenon;
using namespace tenon::detail;

static void checkRank(size_t rank, Location at) {
  if (rank > size_t(max_rank))
    throwOfCall("expected at most " + std::to_string(max_rank) + " axes, got " + std::to_string(rank), at);
}

Ints::Ints(std::initializer_list<int64_t> values) : values_(values), given_(true) {}

std::span<const int64_t> Ints::values() const { return values_; }

Shape::Shape(std::initializer_list<Dim> dims, Location at) { assign(dims.begin(), dims.size(), at); }

Shape::Shape(const std::vector<Dim> &dims, Location at) { assign(dims.data(), dims.size(), at); }

void Shape::assign(const Dim *dims, size_t count, Location at) {
  checkRank(count, at);
  rank_ = static_cast<uint8_t>(count);
  std::copy_n(dims, count, dims_);
}

void Shape::assign(const int64_t *dims, size_t count, Location at) {
  checkRank(count, at);
  rank_ = static_cast<uint8_t>(count);
  std::copy_n(dims, count, dims_);
}

void Shape::throwOutOfRange(const ShapeIndex &axis) const {
  throwOfCall("axis " + std::to_string(axis.value) + " is out of range for a shape of rank " + std::to_string(rank_),
              axis.at);
}

void Shape::push_back(Dim dim, Location at) {
  checkRank(rank_ + size_t(1), at);
  dims_[rank_++] = dim;
}

void Shape::insert(int position, Dim dim, Location at) {
  push_back(dim, at);
  std::rotate(dims_ + position, dims_ + rank_ - 1, dims_ + rank_);
}

void Shape::erase(int position) {
  std::copy(dims_ + position + 1, dims_ + rank_, dims_ + position);
  --rank_;
}

std::string Shape::str() const {
  std::string text = "(";
  for (int i = 0; i < rank_; ++i)
    text += (i ? ", " : "") + dims_[i].str();
  return text + (rank_ == 1 ? ",)" : ")");
}

Always tenon::provably_equal(const Shape &a, const Shape &b) {
  if (a.rank() != b.rank())
    return Always::no;
  Always all = Always::yes;
  for (int i = 0; i < a.rank(); ++i) {
    Always one = provably_equal(a[i], b[i]);
    if (one == Always::no)
      return Always::no;
    if (one == Always::unknown)
      all = Always::unknown;
  }
  return all;
}

bool tenon::operator==(const Shape &a, const Shape &b) {
  const bool areEqual =
      std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Dim x, Dim y) { return x.raw() == y.raw(); });
  if (!areEqual && !(a.is_static() && b.is_static()) && provably_equal(a, b) != Always::no)
    SizeWatch::note("shapes with symbolic sizes are compared");
  return areEqual;
}

std::ostream &tenon::operator<<(std::ostream &os, const Shape &shape) { return os << shape.str(); }

Dim tenon::element_count(const Shape &shape) {
  Dim count = 1;
  for (Dim dim : shape)
    if (dim.is_static() && dim.raw() == 0)
      return 0;
  for (Dim dim : shape)
    count *= dim;
  return count;
}

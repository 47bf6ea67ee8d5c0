//===- Rows.cpp - elements that are slices of arrays ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Rows.h"

#include "lib/array/Buffer.h"
#include "lib/base/Describe.h"
#include "lib/io/Elements.h"
#include "runtime/threads/Pool.h"

#include <algorithm>
#include <cstring>

using namespace tenon;
using namespace tenon::data::detail;
using tenon::detail::TreeRef;
using tenon::detail::Value;

void data::detail::copyPieces(std::byte *to, const std::byte *const *from, int64_t count, size_t bytes) {
  if (bytes == 0)
    return;
  constexpr size_t share = size_t(1) << 17; // of a thread, at least
  constexpr size_t line = 64, ahead = 1024;
  const auto grain = static_cast<int64_t>(std::max<size_t>(1, share / bytes));
  rt::parallelFor(count, grain, [&](int64_t low, int64_t high) {
    for (int64_t i = low; i < high; ++i) {
      // The start of the next piece, which the CPU does not foresee: half of the time of random pieces of 3 KiB.
      for (size_t byte = 0; i + 1 < high && byte < std::min(bytes, ahead); byte += line)
        __builtin_prefetch(from[i + 1] + byte);
      std::memcpy(to + static_cast<size_t>(i) * bytes, from[i], bytes);
    }
  });
}

static std::vector<std::string> pathsOf(const TreeRef &tree) {
  std::vector<std::string> paths;
  tree.ops->paths(tree.tree, paths);
  return paths;
}
/// The line of an error that names a leaf.
static std::string leafLine(const std::string &path, const std::string &text) {
  return "\n  " + (path.empty() ? std::string() : path + ": ") + text;
}

Rows::Rows(TreeRef tree, const ElementOps *ops, const char *what, Location at) : tree_(ops->copy(tree.tree), ops) {
  TreeLeaves leaves;
  ops->tree->leaves(tree_.get(), leaves);
  const std::vector<std::string> paths = pathsOf(tree);
  auto describe = [](const Array &array) { return tenon::detail::describe(array.dtype(), array.shape()); };
  std::string sizes;
  bool isEqual = true;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Array &given = *leaves[i].array;
    if (given.has_value() && given.ndim() == 0)
      throw Error(std::string(what) + ": expected arrays of at least 1 axis, got a scalar" +
                      leafLine(paths[i], describe(given)),
                  at);
    Array array = tenon::detail::denseOnHost(given, what, at);
    *leaves[i].array = Array(); // of the prototype
    const int64_t count = array.shape()[0].raw();
    sizes += leafLine(paths[i], describe(array));
    if (i == 0)
      count_ = count;
    isEqual = isEqual && count == count_;
    size_t slice = item_size(array.dtype());
    for (int axis = 1; axis < array.ndim(); ++axis)
      slice *= static_cast<size_t>(array.shape()[axis].raw());
    parts_.push_back({std::move(array), slice});
  }
  if (parts_.empty())
    throw Error(std::string(what) + ": expected a tree with arrays, got one without", at);
  if (!isEqual)
    throw Error(std::string(what) + ": expected arrays of equal size along axis 0, got other sizes" + sizes, at);
}

Rows::Rows(const Rows &rows, int64_t length, int64_t shift)
    : tree_(rows.tree_.copy()), parts_(rows.parts_),
      count_(rows.count_ < length ? 0 : (rows.count_ - length) / shift + 1), length_(length), shift_(shift) {}

Item Rows::with(std::span<const Array> arrays) const {
  Item element = tree_.copy();
  TreeLeaves leaves;
  element.ops().tree->leaves(element.get(), leaves);
  for (size_t i = 0; i < leaves.size(); ++i)
    *leaves[i].array = arrays[i];
  return element;
}

const std::byte *Rows::at(const Part &part, int64_t row) const {
  const size_t first = static_cast<size_t>(hasWindows() ? row * shift_ : row);
  return static_cast<const std::byte *>(part.array.value()->data) + first * part.slice;
}

Item Rows::element(int64_t row) const {
  std::vector<Array> arrays;
  for (const Part &part : parts_) {
    Value *const value = part.array.value();
    std::vector<Dim> dims(value->dims(), value->dims() + value->rank());
    std::vector<int64_t> strides(value->strides(), value->strides() + value->rank());
    if (hasWindows()) {
      dims[0] = Dim(length_);
    } else {
      dims.erase(dims.begin());
      strides.erase(strides.begin());
    }
    arrays.push_back(
        Array::adopt(tenon::detail::makeView(value, dims, strides, const_cast<std::byte *>(at(part, row)))));
  }
  return with(arrays);
}

Item Rows::stack(std::span<const int64_t> rows) const {
  std::vector<Array> arrays;
  std::vector<const std::byte *> pieces(rows.size());
  bool isRun = !hasWindows(); // one row behind the other: one view
  for (size_t i = 1; isRun && i < rows.size(); ++i)
    isRun = rows[i] == rows[0] + static_cast<int64_t>(i);
  for (const Part &part : parts_) {
    Value *const value = part.array.value();
    std::vector<Dim> dims(value->dims(), value->dims() + value->rank());
    if (hasWindows())
      dims[0] = Dim(length_);
    else
      dims.erase(dims.begin());
    dims.insert(dims.begin(), Dim(static_cast<int64_t>(rows.size())));
    if (isRun) {
      arrays.push_back(Array::adopt(tenon::detail::makeView(value, dims, {value->strides(), size_t(value->rank())},
                                                            const_cast<std::byte *>(at(part, rows[0])))));
      continue;
    }
    Array batch = Array::adopt(tenon::detail::makeBuffer(value->dtype(), dims));
    for (size_t i = 0; i < rows.size(); ++i)
      pieces[i] = at(part, rows[i]);
    copyPieces(static_cast<std::byte *>(batch.value()->data), pieces.data(), static_cast<int64_t>(rows.size()),
               bytesOf(part));
    arrays.push_back(std::move(batch));
  }
  return with(arrays);
}

/// Copies `array` to the front of a piece of these sizes.
static void copyPadded(const Value *array, std::span<const int64_t> dims, std::byte *to) {
  const int rank = array->rank();
  const size_t item = item_size(array->dtype());
  size_t rowBytes = item, rows = 1;
  if (rank > 0)
    rowBytes *= static_cast<size_t>(array->dims()[rank - 1].raw());
  for (int axis = 0; axis + 1 < rank; ++axis)
    rows *= static_cast<size_t>(array->dims()[axis].raw());
  if (rowBytes == 0)
    return;
  std::vector<int64_t> index(static_cast<size_t>(std::max(rank - 1, 0)));
  const auto *from = static_cast<const std::byte *>(array->data);
  for (size_t row = 0; row < rows; ++row, from += rowBytes) {
    int64_t place = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      place = place * dims[axis] + index[axis];
    std::memcpy(to + static_cast<size_t>(place * (rank > 0 ? dims[size_t(rank) - 1] : 1)) * item, from, rowBytes);
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < array->dims()[axis].raw())
        break;
      index[axis] = 0;
    }
  }
}

/// The arrays as one, with a new axis 0.
static Array stackArrays(std::span<const Array> arrays, const Scalar *padding, const std::string &path,
                         const char *name, Location at) {
  const Value *const first = arrays[0].value();
  const auto rank = static_cast<size_t>(first->rank());
  auto sizes = [](const Value *value) { return std::span(value->dims(), static_cast<size_t>(value->rank())); };
  std::vector<int64_t> dims(rank);
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Value *const value = arrays[i].value();
    const bool isAlike = value->dtype() == first->dtype() && static_cast<size_t>(value->rank()) == rank &&
                         (padding || std::equal(sizes(value).begin(), sizes(value).end(), sizes(first).begin(),
                                                [](const Dim &a, const Dim &b) { return a.raw() == b.raw(); }));
    if (!isAlike) {
      auto text = [](const Value *v) { return tenon::detail::describe(v->dtype(), v->shape()); };
      const std::string here = path.empty() ? "" : path + ", ";
      throw Error(std::string(name) + ": expected elements of one dtype and " + (padding ? "rank" : "shape") +
                      ", got others" + (padding ? "" : "; data::padded_batch pads them") + "\n  " + here +
                      "element 0 of the batch: " + text(first) + "\n  " + here + "element " + std::to_string(i) + ": " +
                      text(value),
                  at);
    }
    for (size_t axis = 0; axis < rank; ++axis)
      dims[axis] = std::max(dims[axis], value->dims()[axis].raw());
  }
  size_t bytes = item_size(first->dtype());
  std::vector<Dim> whole{Dim(static_cast<int64_t>(arrays.size()))};
  for (int64_t dim : dims) {
    whole.emplace_back(dim);
    bytes *= static_cast<size_t>(dim);
  }
  Array batch = Array::adopt(tenon::detail::makeBuffer(first->dtype(), whole, Device::cpu, at));
  auto *to = static_cast<std::byte *>(batch.value()->data);
  std::vector<const std::byte *> pieces;
  for (const Array &array : arrays)
    pieces.push_back(static_cast<const std::byte *>(array.value()->data));
  if (!padding) {
    copyPieces(to, pieces.data(), static_cast<int64_t>(arrays.size()), bytes);
    return batch;
  }
  const size_t item = item_size(first->dtype());
  alignas(16) std::byte pad[16];
  tenon::detail::writeScalar(pad, first->dtype(), *padding);
  for (size_t i = 0; i < arrays.size(); ++i) {
    std::byte *const piece = to + i * bytes;
    if (static_cast<size_t>(arrays[i].value()->count()) * item != bytes)
      for (size_t byte = 0; byte < bytes; byte += item)
        std::memcpy(piece + byte, pad, item);
    copyPadded(arrays[i].value(), dims, piece);
  }
  return batch;
}

Item data::detail::stackItems(std::span<Item> items, const Scalar *padding, const char *name, Location at) {
  const ElementOps &ops = items[0].ops();
  std::vector<TreeLeaves> leaves(items.size());
  StructureBytes structure;
  ops.tree->structure(items[0].get(), structure);
  for (size_t i = 0; i < items.size(); ++i) {
    ops.tree->leaves(items[i].get(), leaves[i]);
    if (i == 0 || (ops.append_texts && leaves[i].size() == leaves[0].size()))
      continue; // texts are no structure
    StructureBytes other;
    ops.tree->structure(items[i].get(), other);
    if (other.view() != structure.view())
      throw Error(std::string(name) + ": expected elements of one structure, got others\n  element " +
                      std::to_string(i) +
                      " of the batch: " + structure_difference(structure.view(), other.view(), true),
                  at);
  }
  const std::vector<std::string> paths = pathsOf({items[0].get(), ops.tree});
  std::vector<Array> arrays(items.size());
  for (size_t leaf = 0; leaf < leaves[0].size(); ++leaf) {
    for (size_t i = 0; i < items.size(); ++i)
      arrays[i] = tenon::detail::denseOnHost(*leaves[i][leaf].array, name, at);
    *leaves[0][leaf].array = stackArrays(arrays, padding, paths[leaf], name, at);
  }
  if (ops.append_texts)
    for (size_t i = 1; i < items.size(); ++i)
      ops.append_texts(items[0].get(), items[i].get());
  return std::move(items[0]);
}

//===- Sort.cpp - rows of elements in order --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays are brought to dense rows, and sorted ones back. Values alone and
// positions have ways of their own; all else follows from positions.
//===----------------------------------------------------------------------===//
#include "Sort.h"
#include "Kernels.h"
#include "SortPositions.h"
#include "SortValues.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// A view with the axis that is sorted moved to the end.
struct Rows {
  int64_t dims[kMaxRank + 1], strides[kMaxRank + 1], denseStrides[kMaxRank + 1];
  View view;

  Rows(const View &x, int axis) : view(x) {
    int rank = 0;
    for (int i = 0; i < x.rank; ++i)
      if (i != axis)
        dims[rank] = x.dims[i], strides[rank++] = x.strides[i];
    dims[rank] = x.rank ? x.dims[axis] : 1;
    strides[rank++] = x.rank ? x.strides[axis] : 1;
    TENON_ISA::denseStrides(rank, dims, denseStrides);
    view.rank = static_cast<uint8_t>(rank);
    view.dims = dims;
    view.strides = strides;
  }
  Rows(const Rows &) = delete;

  int64_t length() const { return dims[view.rank - 1]; }
  bool isDense() const { return makeStrided(view.data, view.rank, dims, strides).isContiguous(); }
  /// The same elements elsewhere, side by side.
  View dense(void *data) const {
    View result = view;
    result.data = data;
    result.strides = denseStrides;
    return result;
  }
};

/// Rows side by side to read: the view's own ones, or a copy.
class DenseInput {
public:
  explicit DenseInput(const Rows &rows)
      : memory_(rows.isDense() ? 0 : rows.view.count(), item_size(rows.view.dtype)), data_(rows.view.data) {
    if (rows.isDense())
      return;
    data_ = memory_.as<void>();
    if (memory_)
      status_ = copyView(rows.view, rows.dense(data_));
    else
      status_ = Status::outOfMemory;
  }
  Status status() const { return status_; }
  const void *data() const { return data_; }

private:
  Scratch memory_;
  void *data_;
  Status status_ = Status::ok;
};

/// Rows side by side to write: the view's own ones, or what finish() copies there.
class DenseOutput {
public:
  explicit DenseOutput(const Rows &rows)
      : rows_(rows), isOwn_(rows.isDense()), memory_(isOwn_ ? 0 : rows.view.count(), item_size(rows.view.dtype)),
        data_(isOwn_ ? rows.view.data : memory_.as<void>()) {}
  Status status() const { return isOwn_ || memory_ ? Status::ok : Status::outOfMemory; }
  void *data() const { return data_; }
  Status finish() const { return isOwn_ ? Status::ok : copyView(rows_.dense(data_), rows_.view); }

private:
  const Rows &rows_;
  bool isOwn_;
  Scratch memory_;
  void *data_;
};

Status sortValues(const View &x, int axis, bool isDescending, const View &values, const uint32_t *cancel) {
  const Rows from(x, axis), to(values, axis);
  const DenseInput input(from);
  const DenseOutput output(to);
  for (const Status status : {input.status(), output.status()})
    if (status != Status::ok)
      return status;
  auto sort = [&]<class U>() {
    if constexpr (sizeof(U) <= 8)
      return Values<U>{Elements<U>(ruleOf(x.dtype, isDescending)), from.length(), cancel}.sortAll(
          static_cast<const U *>(input.data()), static_cast<U *>(output.data()), from.view.count() / from.length());
    else
      return Status::failed;
  };
  const Status status = ofSize(item_size(x.dtype), sort);
  return status == Status::ok ? output.finish() : status;
}

/// Sorts positions, dense rows, by one more array.
Status sortPositionsBy(const View &key, int axis, bool isDescending, bool isFirst, int64_t *positions,
                       const uint32_t *cancel) {
  const Rows rows(key, axis);
  const DenseInput input(rows);
  if (input.status() != Status::ok)
    return input.status();
  const bool isComplex = kind(key.dtype) == Kind::complex;
  const size_t size = isComplex ? item_size(key.dtype) / 2 : item_size(key.dtype);
  auto sortBy = [&](typename KeyPart::Kind kind) {
    const KeyPart part{kind, input.data(), size, ruleOf(key.dtype, isDescending)};
    const int64_t length = rows.length(), count = rows.view.count() / length;
    if (part.isWide())
      return Positions<int64_t>{part, isFirst, count, length, positions, cancel}.sortAll();
    return Positions<int32_t>{part, isFirst, count, length, positions, cancel}.sortAll();
  };
  if (!isComplex)
    return sortBy(KeyPart::number);
  for (const KeyPart::Kind kind : {KeyPart::imaginary, KeyPart::real, KeyPart::nans}) {
    if (Status status = sortBy(kind); status != Status::ok)
      return status;
    isFirst = false;
  }
  return Status::ok;
}

/// The elements at these positions, row by row.
Status takeRows(const View &x, int axis, const int64_t *positions, const View &result, const uint32_t *cancel) {
  const Rows from(x, axis), to(result, axis);
  const DenseInput input(from);
  const DenseOutput output(to);
  for (const Status status : {input.status(), output.status()})
    if (status != Status::ok)
      return status;
  const int64_t length = from.length();
  auto take = [&]<class T>() {
    return parallelFor(
        from.view.count(), kGrain,
        [&](int64_t lo, int64_t hi) {
          for (int64_t end; lo < hi; lo = end) {
            const int64_t row = lo / length;
            end = smaller(hi, (row + 1) * length);
            const T *const elements = static_cast<const T *>(input.data()) + row * length;
            for (int64_t i = lo; i < end; ++i)
              static_cast<T *>(output.data())[i] = elements[positions[i]];
          }
        },
        cancel);
  };
  return ofSize(item_size(x.dtype), take) ? output.finish() : Status::cancelled;
}

} // namespace

Status sortTogether(std::span<const View> operands, int keys, int axis, bool isDescending,
                    std::span<const View> results, const View *indices, const uint32_t *cancel) {
  const View &first = operands[0];
  const int64_t count = first.count();
  for (int key = 0; key < keys; ++key)
    if (!isSortable(operands[static_cast<size_t>(key)].dtype))
      return Status::failed;
  if (count == 0)
    return Status::ok;
  View own = first;
  int64_t ownStrides[kMaxRank + 1];
  denseStrides(first.rank, first.dims, ownStrides);
  own.dtype = Dtype::i64;
  own.strides = ownStrides;
  if (indices)
    own = *indices;
  // Positions lie in rows, in the result for them if it does too.
  const Rows rows(own, axis);
  const bool isOwn = indices && rows.isDense();
  const Scratch memory(isOwn ? 0 : count, sizeof(int64_t));
  if (!isOwn && !memory)
    return Status::outOfMemory;
  auto *const positions = isOwn ? static_cast<int64_t *>(indices->data) : memory.as<int64_t>();
  for (int key = keys - 1; key >= 0; --key)
    if (Status status =
            sortPositionsBy(operands[static_cast<size_t>(key)], axis, isDescending, key == keys - 1, positions, cancel);
        status != Status::ok)
      return status;
  for (size_t i = 0; i < results.size(); ++i)
    if (Status status = takeRows(operands[i], axis, positions, results[i], cancel); status != Status::ok)
      return status;
  return indices && !isOwn ? copyView(rows.dense(positions), rows.view) : Status::ok;
}

Status sortRows(const View &x, int axis, bool isDescending, const View *values, const View *indices,
                const uint32_t *cancel) {
  if (!isSortable(x.dtype))
    return Status::failed;
  if (x.count() == 0)
    return Status::ok;
  if (values && !indices && kind(x.dtype) != Kind::complex)
    return sortValues(x, axis, isDescending, *values, cancel);
  return sortTogether({&x, 1}, 1, axis, isDescending, {values, values ? 1u : 0u}, indices, cancel);
}

Status kernelSortKeys(const KernelCall &call) {
  const SortKeysAttrs a = SortKeysAttrs::read(call.attributes);
  const auto axis = static_cast<int>(a.axis);
  if (call.operands.size() == 1)
    return sortRows(call.operands[0], axis, a.descending, &call.results[0], nullptr, call.cancel);
  return sortTogether(call.operands, static_cast<int>(a.keys), axis, a.descending, call.results, nullptr, call.cancel);
}

Status kernelArgsort(const KernelCall &call) {
  const ArgsortAttrs a = ArgsortAttrs::read(call.attributes);
  return sortRows(call.operands[0], static_cast<int>(a.axis), a.descending, nullptr, &call.results[0], call.cancel);
}

} // namespace tenon::rt::TENON_ISA

//===- Matrices.h - the matrices of a batch ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view's last two axes (one axis of a vector) are a matrix; the axes before them count the matrices. A kernel copies
// each matrix to column-major scratch memory, as LAPACK wants it, computes there and copies the results back.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/Kernel.h"
#include "runtime/kernels/cpu/Table.h"
#include "runtime/lapack/Lapack.h"
#include "runtime/linalg/Number.h"
#include "runtime/threads/Pool.h"

#include <atomic>

namespace tenon::rt::linalg {

/// The matrices (rank 2) or vectors (rank 1, one column) of a view.
class Matrices {
public:
  explicit Matrices(const View &view, int rank = 2) : view_(view), batch_(view.rank - rank) {
    const int64_t *const dims = view.dims + batch_, *const strides = view.strides + batch_;
    rows = dims[0], rowStride = strides[0];
    columns = rank == 2 ? dims[1] : 1, columnStride = rank == 2 ? strides[1] : 0;
    for (int i = 0; i < batch_; ++i)
      count *= view.dims[i];
  }
  int64_t rows, columns, rowStride, columnStride, count = 1;

  /// Copies matrix `number`: element (i, j) to to[j * rows + i].
  template <class T>
  void load(int64_t number, T *to) const {
    const T *const from = static_cast<const T *>(view_.data) + offset(number);
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i)
        to[j * rows + i] = from[i * rowStride + j * columnStride];
  }
  /// Copies back. The matrix of `stride` rows in memory may have more rows and columns than are copied.
  template <class T>
  void store(int64_t number, const T *from, int64_t stride) const {
    T *const to = static_cast<T *>(view_.data) + offset(number);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        to[i * rowStride + j * columnStride] = from[j * stride + i];
  }
  template <class T>
  void store(int64_t number, const T *from) const {
    store(number, from, rows);
  }
  template <class T>
  void fill(int64_t number, T value) const {
    T *const to = static_cast<T *>(view_.data) + offset(number);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        to[i * rowStride + j * columnStride] = value;
  }
  template <class T>
  void setIdentity(int64_t number) const {
    fill(number, T{});
    T *const to = static_cast<T *>(view_.data) + offset(number);
    for (int64_t i = 0; i < rows && i < columns; ++i)
      to[i * (rowStride + columnStride)] = T{1};
  }
  int64_t size() const { return rows * columns; }

private:
  int64_t offset(int64_t number) const {
    int64_t offset = 0;
    for (int i = batch_ - 1; i >= 0; --i) {
      offset += number % view_.dims[i] * view_.strides[i];
      number /= view_.dims[i];
    }
    return offset;
  }
  const View &view_;
  int batch_;
};

/// Memory for one matrix at a time, cut into arrays.
class Room {
public:
  explicit Room(int64_t bytes) : bytes_(static_cast<size_t>(bytes)), data_(allocateScratch(bytes_)) {}
  ~Room() { freeScratch(data_, bytes_); }
  Room(const Room &) = delete;
  Room &operator=(const Room &) = delete;
  explicit operator bool() const { return data_; }
  /// Forgets the arrays: for the next matrix.
  void clear() { used_ = 0; }
  template <class T>
  T *take(int64_t count) {
    T *const array = reinterpret_cast<T *>(static_cast<char *>(data_) + used_);
    used_ += static_cast<size_t>(roundedUp(count * static_cast<int64_t>(sizeof(T))));
    return array;
  }
  static int64_t roundedUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

private:
  size_t bytes_, used_ = 0;
  void *data_;
};

/// The bytes of an array in a Room.
template <class T>
int64_t bytesOf(int64_t count) {
  return Room::roundedUp(count * static_cast<int64_t>(sizeof(T)));
}

/// Calls `body(number, room)` for each of `count` matrices, on the pool; `work` is about how many operations one takes.
/// The body returns what LAPACK does: kNoMemory stops, every other number was dealt with.
template <class Body>
Status forEachMatrix(const KernelCall &call, int64_t count, double work, int64_t roomBytes, Body &&body) {
  constexpr double worthAThread = 32768;
  const auto grain = static_cast<int64_t>(work >= worthAThread ? 1 : worthAThread / (work < 1 ? 1 : work));
  std::atomic<bool> isRefused{false};
  const bool isDone = parallelFor(
      count, grain,
      [&](int64_t lo, int64_t hi) {
        Room room(roomBytes);
        bool isMissing = !room;
        for (int64_t i = lo; i < hi && !isMissing; ++i) {
          room.clear();
          isMissing = body(i, room) == kNoMemory;
        }
        if (isMissing)
          isRefused.store(true, std::memory_order_relaxed);
      },
      call.cancel);
  return isRefused.load() ? Status::outOfMemory : isDone ? Status::ok : Status::cancelled;
}

/// Whether LAPACK takes a matrix of this size.
inline bool isTooLarge(int64_t rows, int64_t columns) { return rows > kMaxSize || columns > kMaxSize; }
inline double cubed(int64_t rows, int64_t columns) {
  const auto m = static_cast<double>(rows), n = static_cast<double>(columns);
  return m * n * (m < n ? m : n);
}

/// `make.operator()<T>()` for the four dtypes of linear algebra.
template <class Make>
Status ofDtype(Dtype dtype, Make &&make) {
  switch (dtype) {
  case Dtype::f32:
    return make.template operator()<float>();
  case Dtype::f64:
    return make.template operator()<double>();
  case Dtype::c64:
    return make.template operator()<complex64_t>();
  case Dtype::c128:
    return make.template operator()<complex128_t>();
  default:
    return Status::failed;
  }
}

} // namespace tenon::rt::linalg

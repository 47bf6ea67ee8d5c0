//===- inline_vector.h - a vector whose first elements need no allocation ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <new>
#include <span>
#include <utility>

namespace tenon::detail {

/// Grows only; T is nothrow movable.
template <class T, size_t N>
class InlineVector {
public:
  InlineVector() = default;
  InlineVector(InlineVector &&other) noexcept { take(other); }
  InlineVector &operator=(InlineVector &&other) noexcept {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { clear(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  T &operator[](size_t i) { return data_[i]; }
  const T &operator[](size_t i) const { return data_[i]; }
  operator std::span<const T>() const { return {data_, size_}; }

  void push_back(T value) {
    if (size_ == capacity_)
      grow(2 * capacity_);
    new (data_ + size_++) T(std::move(value));
  }
  /// What follows, up to so many elements, does not throw.
  void reserve(size_t size) {
    if (size > capacity_)
      grow(size);
  }
  void resize(size_t size) {
    while (size_ < size)
      push_back(T());
  }
  void clear() {
    for (size_t i = 0; i < size_; ++i)
      data_[i].~T();
    if (data_ != inlineData())
      ::operator delete(data_);
    data_ = inlineData();
    size_ = 0;
    capacity_ = N;
  }

private:
  T *inlineData() { return reinterpret_cast<T *>(inline_); }
  void grow(size_t capacity) {
    T *larger = static_cast<T *>(::operator new(capacity * sizeof(T)));
    for (size_t i = 0; i < size_; ++i) {
      new (larger + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    if (data_ != inlineData())
      ::operator delete(data_);
    data_ = larger;
    capacity_ = capacity;
  }
  /// This one is empty.
  void take(InlineVector &other) noexcept {
    if (other.data_ != other.inlineData()) {
      data_ = std::exchange(other.data_, other.inlineData());
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, N);
      return;
    }
    for (T &value : other)
      push_back(std::move(value));
    other.clear();
  }

  alignas(T) unsigned char inline_[N * sizeof(T)];
  T *data_ = inlineData();
  size_t size_ = 0, capacity_ = N;
};

} // namespace tenon::detail

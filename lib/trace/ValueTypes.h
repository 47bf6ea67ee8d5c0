//===- ValueTypes.h - the types of a trace's values --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/model/Shape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace tenon {

/// By value, its type. Each type is kept once: a Type is larger than all else of an op, and a trace of thousands of
/// values has some tens of them.
class ValueTypes {
public:
  ValueTypes() = default;
  ValueTypes(std::initializer_list<Type> types) { append(types.begin(), types.end()); }

  /// It stands there until types are added.
  const Type &operator[](size_t value) const { return kept_[numbers_[value]]; }
  const Type &back() const { return kept_[numbers_.back()]; }
  size_t size() const { return numbers_.size(); }
  bool empty() const { return numbers_.empty(); }
  size_t capacity() const { return numbers_.capacity(); }
  void reserve(size_t values) { numbers_.reserve(values); }
  /// Keeps the memory.
  void clear();
  void push_back(const Type &type) { numbers_.push_back(number(type)); }
  template <class Iterator>
  void append(Iterator begin, Iterator end) {
    for (; begin != end; ++begin)
      push_back(*begin);
  }
  void set(size_t value, const Type &type) { numbers_[value] = number(type); }

  /// Of the type of a value: values with one number have one type.
  uint32_t numberOf(size_t value) const { return numbers_[value]; }
  /// How many numbers there are.
  size_t kinds() const { return kept_.size(); }
  void pushNumber(uint32_t number) { numbers_.push_back(number); }
  /// The number of a type that has none yet.
  uint32_t keep(const Type &type);
  /// Each type is what `change` makes of it.
  template <class Change>
  void transform(const Change &change) {
    ValueTypes changed;
    std::vector<uint32_t> now;
    for (Type &type : kept_) {
      change(type);
      now.push_back(changed.number(type));
    }
    changed.numbers_ = std::move(numbers_);
    for (uint32_t &number : changed.numbers_)
      number = now[number];
    *this = std::move(changed);
  }

  class Iterator {
  public:
    using value_type = Type;
    using reference = const Type &;
    using pointer = const Type *;
    using difference_type = ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    Iterator() = default;
    Iterator(const ValueTypes &of, size_t value) : of_(&of), value_(value) {}
    reference operator*() const { return (*of_)[value_]; }
    pointer operator->() const { return &(*of_)[value_]; }
    Iterator &operator++() { return ++value_, *this; }
    Iterator operator++(int) { return {*of_, value_++}; }
    friend bool operator==(const Iterator &a, const Iterator &b) { return a.value_ == b.value_; }

  private:
    const ValueTypes *of_ = nullptr;
    size_t value_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  friend bool operator==(const ValueTypes &a, const ValueTypes &b) {
    return (a.numbers_ == b.numbers_ && a.kept_ == b.kept_) || std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  /// That of a type, which is kept if it is not yet.
  uint32_t number(const Type &type);
  /// Where it stands in `places_`, or would.
  size_t placeOf(const Type &type) const;
  void grow();

  std::vector<Type> kept_;
  std::vector<uint32_t> numbers_;
  /// Numbers of `kept_` plus 1 by the hash of the type, in an open table; 0: free. Empty until something is added.
  std::vector<uint32_t> places_;
};

} // namespace tenon

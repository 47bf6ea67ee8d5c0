//===- KernelBlocks.h - arrays and references for the tests of kernels -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block is a strided piece of memory, laid out in one of several ways; its
// elements are read and written as long double, which holds every element of
// every real dtype exactly.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Composite.h"
#include "runtime/kernels/cpu/Table.h"
#include "runtime/machine/Cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace tenon::rt::test {

using Dims = std::vector<int64_t>;
using Number = long double;

enum class Layout { dense, shifted, reversed, transposed, spread, repeated };
inline constexpr Layout allLayouts[] = {Layout::dense,      Layout::shifted, Layout::reversed,
                                        Layout::transposed, Layout::spread,  Layout::repeated};
inline constexpr Dtype realDtypes[] = {Dtype::bool_, Dtype::i8,  Dtype::i16,  Dtype::i32, Dtype::i64, Dtype::u8,
                                       Dtype::u16,   Dtype::u32, Dtype::bf16, Dtype::f16, Dtype::f32, Dtype::f64};

inline int64_t product(const Dims &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

/// The first `count` words of a seed, kept: tests fill thousands of blocks from the same few seeds.
inline const std::vector<uint64_t> &randomBits(uint64_t seed, size_t count) {
  struct Words {
    std::mt19937_64 random;
    std::vector<uint64_t> words;
  };
  static std::map<uint64_t, Words> all;
  Words &of = all.try_emplace(seed, Words{std::mt19937_64(seed), {}}).first->second;
  while (of.words.size() < count)
    of.words.push_back(of.random());
  return of.words;
}

class Block {
public:
  Block(Dtype dtype, Dims dims, Layout layout = Layout::dense) : dtype(dtype), dims(std::move(dims)) {
    const size_t rank = this->dims.size();
    strides.assign(rank, 0);
    int64_t extent = 1;
    for (size_t k = 0; k < rank; ++k) {
      const size_t axis = layout == Layout::transposed ? k : rank - 1 - k;
      // Every second axis, the innermost first, repeats one element.
      const bool isRepeated = layout == Layout::repeated && k % 2 == 0;
      strides[axis] = isRepeated ? 0 : layout == Layout::spread ? 2 * extent + 1 : extent;
      if (!isRepeated)
        extent = std::abs(strides[axis]) * std::max<int64_t>(1, this->dims[axis]);
      if (layout == Layout::reversed)
        strides[axis] = -strides[axis];
    }
    offset = layout == Layout::shifted ? 1 : 0;
    int64_t last = offset;
    for (size_t i = 0; i < rank; ++i) {
      if (strides[i] < 0)
        offset -= strides[i] * std::max<int64_t>(0, this->dims[i] - 1);
      last += std::abs(strides[i]) * std::max<int64_t>(0, this->dims[i] - 1);
    }
    bytes.assign(static_cast<size_t>(last + 1) * item_size(dtype), 0);
  }

  View view() const {
    return {const_cast<char *>(bytes.data()) + offset * static_cast<int64_t>(item_size(dtype)), dtype,
            static_cast<uint8_t>(dims.size()), dims.data(), strides.data()};
  }
  int64_t count() const { return product(dims); }

  /// The element of a row-major index.
  char *at(int64_t index) const {
    int64_t place = 0;
    for (size_t i = dims.size(); i-- > 0;) {
      place += index % dims[i] * strides[i];
      index /= dims[i];
    }
    return static_cast<char *>(view().data) + place * static_cast<int64_t>(item_size(dtype));
  }
  Number get(int64_t index) const { return read(dtype, at(index)); }
  void set(int64_t index, Number value) { write(dtype, at(index), value); }

  static Number read(Dtype dtype, const char *from) {
    return tenon::detail::visitDtype(dtype, [&]<Dtype D>() -> Number {
      using T = typename tenon::detail::ElementOf<D>::type;
      if constexpr (D == Dtype::bool_)
        return as<uint8_t>(from);
      else if constexpr (kind(D) == Kind::complex)
        return as<decltype(T::real)>(from);
      else
        return as<T>(from);
    });
  }
  /// The number must be one of the dtype's, but for narrow floats and f32: rounded.
  static void write(Dtype dtype, char *to, Number value) {
    tenon::detail::visitDtype(dtype, [&]<Dtype D>() { writeAs<D>(to, value); });
  }

  /// Fills all of the memory with random numbers and, if `withSpecials`, numbers at the ends of ranges, infinities and
  /// NaN.
  void fill(uint64_t seed, bool withSpecials = true) {
    static const double special[] = {0.0,          -0.0,  1,     -1,    0.5,      1e-40,    -1e-40, 1e-310,
                                     2147483647.0, 300.,  -300., 9.e18, -9.e18,   3.e38,    255,    256,
                                     4294967296.,  -0.75, NAN,   -NAN,  HUGE_VAL, -HUGE_VAL};
    const size_t items = bytes.size() / item_size(dtype);
    const std::vector<uint64_t> &random = randomBits(seed, items);
    // The dtype is looked at once, not for each element.
    tenon::detail::visitDtype(dtype, [&]<Dtype D>() {
      constexpr size_t size = item_size(D);
      for (size_t i = 0; i < items; ++i) {
        char *to = bytes.data() + i * size;
        const uint64_t bits = random[i];
        if constexpr (D == Dtype::bool_) {
          *to = bits & 1;
        } else if constexpr (kind(D) != Kind::floating && kind(D) != Kind::complex) {
          const uint64_t value = bits % 8 == 0 ? bits >> 61 : bits % 8 == 1 ? ~(bits >> 61) : bits >> 3 ^ bits << 61;
          std::memcpy(to, &value, size);
        } else {
          const double value = withSpecials && bits % 4 == 0 ? special[bits / 4 % std::size(special)]
                                                             : std::ldexp(double(int64_t(bits)), int(bits % 13) - 68);
          writeAs<D>(to, D == Dtype::f64 ? value : static_cast<float>(value));
          if constexpr (kind(D) == Kind::complex)
            writeAs<D>(to + size / 2, std::ldexp(float(int32_t(bits)), -30));
        }
      }
    });
  }

  Dtype dtype;
  Dims dims, strides;
  int64_t offset = 0;
  std::vector<char> bytes;

private:
  template <Dtype D>
  static void writeAs(char *to, Number value) {
    using T = typename tenon::detail::ElementOf<D>::type;
    if constexpr (D == Dtype::bool_)
      put(to, static_cast<uint8_t>(value));
    else if constexpr (is_narrow(D))
      put(to, T(static_cast<double>(value)));
    else if constexpr (kind(D) == Kind::complex)
      put(to, static_cast<decltype(T::real)>(value));
    else
      put(to, static_cast<T>(value));
  }
  template <class T>
  static T as(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
  template <class T>
  static void put(char *to, T value) {
    std::memcpy(to, &value, sizeof(T));
  }
};

/// Whether two elements have the same bits; any NaN equals any NaN.
inline bool sameBits(Dtype dtype, const char *a, const char *b) {
  if (kind(dtype) == Kind::complex) {
    const Dtype part = dtype == Dtype::c64 ? Dtype::f32 : Dtype::f64;
    return sameBits(part, a, b) && sameBits(part, a + item_size(part), b + item_size(part));
  }
  const Number x = Block::read(dtype, a), y = Block::read(dtype, b);
  return (x != x && y != y) ||
         tenon::detail::visitDtype(dtype, [&]<Dtype D>() { return std::memcmp(a, b, item_size(D)) == 0; });
}

inline ::testing::AssertionResult sameBits(const Block &got, const Block &expected) {
  if (got.dtype != expected.dtype || got.dims != expected.dims)
    return ::testing::AssertionFailure() << "types differ";
  for (int64_t i = 0; i < got.count(); ++i)
    if (!sameBits(got.dtype, got.at(i), expected.at(i)))
      return ::testing::AssertionFailure() << "element " << i << " of " << got.count() << " is " << double(got.get(i))
                                           << ", expected " << double(expected.get(i));
  return ::testing::AssertionSuccess();
}

/// The instruction sets that this CPU has.
inline std::vector<const KernelTable *> tables() {
  std::vector<const KernelTable *> result;
  if ((hostFeatures() & kFeaturesV3) == kFeaturesV3)
    result.push_back(&v3::kernelTable);
  if ((hostFeatures() & kFeaturesV4) == kFeaturesV4)
    result.push_back(&v4::kernelTable);
  return result;
}

inline Status runOn(const KernelTable &table, OpCode op, std::vector<View> operands, std::vector<View> results,
                    const AttrWriter &attributes) {
  return table.kernels[static_cast<int>(op)]({op, operands, results, attributes.words()});
}

inline Status runOn(const KernelTable &table, CompositeId id, std::vector<View> operands, std::vector<View> results,
                    const AttrWriter &attributes) {
  return table.composites[static_cast<int>(id)]({OpCode::composite, operands, results, attributes.words()});
}

inline const char *nameOf(OpCode op) { return opInfo(op).name; }
inline const char *nameOf(CompositeId id) { return compositeInfo(id).name; }

/// Runs the op or composite with the kernels of every instruction set. Expects equal bits, and returns them.
template <class What>
Block run(What what, const std::vector<Block> &operands, Dtype dtype, Dims dims,
          const AttrWriter &attributes = AttrWriter()) {
  std::vector<View> views;
  for (const Block &block : operands)
    views.push_back(block.view());
  std::vector<Block> results;
  for (const KernelTable *table : tables()) {
    Block result(dtype, dims);
    result.fill(99);
    EXPECT_EQ(runOn(*table, what, views, {result.view()}, attributes), Status::ok) << nameOf(what);
    if (!results.empty()) {
      EXPECT_TRUE(sameBits(result, results[0])) << nameOf(what) << ": v4 against v3";
    }
    results.push_back(result);
  }
  return results[0];
}

} // namespace tenon::rt::test

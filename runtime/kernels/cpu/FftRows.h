//===- FftRows.h - rows of memory as blocks of lanes, and back --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FftPasses.h"

namespace tenon::rt::TENON_ISA {

/// Complex numbers that lie `step` elements of T apart. A part that is null is zero, and is not written. What is
/// written is multiplied by `scale`.
template <class T>
struct FftLine {
  T *real, *imag;
  int64_t step;
  T scale = 1;
  FftLine from(int64_t i) const {
    return {real ? real + i * step : nullptr, imag ? imag + i * step : nullptr, step, scale};
  }
  FftLine every(int64_t n) const { return {real, imag, n * step, scale}; }
  FftLine swapped() const { return {imag, real, step, scale}; }
};
/// Numbers whose parts are neighbours.
template <class T>
FftLine<T> pairsAt(const T *data) {
  return {const_cast<T *>(data), const_cast<T *>(data) + 1, 2};
}

/// Lines side by side, one to a lane: each begins at an offset, in elements of T, from `line`.
template <class T>
class FftRows {
public:
  static constexpr int64_t lanes = kFftLanes<T>;

  /// Lines that begin one element of `line` apart.
  FftRows(FftLine<T> line, int64_t distance, int64_t count) : line_(line), distance_(distance), count_(count) {
    for (int64_t l = 0; l < count; ++l)
      offsets_[l] = l * distance;
  }
  FftRows(FftLine<T> line, const int64_t *offsets, int64_t count) : line_(line), distance_(0), count_(count) {
    bool isRegular = count > 1;
    for (int64_t l = 0; l < count; ++l) {
      offsets_[l] = offsets[l];
      isRegular &= l < 2 || offsets[l] - offsets[l - 1] == offsets[1] - offsets[0];
    }
    line_.real = line.real ? line.real + offsets[0] : nullptr;
    line_.imag = line.imag ? line.imag + offsets[0] : nullptr;
    for (int64_t l = count - 1; l >= 0; --l)
      offsets_[l] -= offsets_[0];
    distance_ = isRegular ? offsets_[1] : 0;
  }

  /// Elements `first`, ... of each line, `count` of them, as blocks. Lanes without a line are 0.
  void load(int64_t first, int64_t count, T *to) const {
    const FftLine<T> at = line_.from(first);
    if (arePairs())
      return loadPairs(at, count, to);
    if (areColumns()) {
      loadColumns(at.real, at.step, count, to);
      return loadColumns(at.imag, at.step, count, to + lanes);
    }
    if (count_ < lanes || !at.real || !at.imag)
      __builtin_memset(to, 0, static_cast<size_t>(count * kFftBlock<T>) * sizeof(T));
    if (at.real)
      spread(at.real, at.step, count, to);
    if (at.imag)
      spread(at.imag, at.step, count, to + lanes);
  }

  void store(int64_t first, int64_t count, const T *from) const {
    const FftLine<T> at = line_.from(first);
    if (arePairs())
      return storePairs(at, count, from);
    if (areColumns()) {
      storeColumns(at.real, at, count, from);
      return storeColumns(at.imag, at, count, from + lanes);
    }
    if (at.real)
      collect(at.real, at, count, from);
    if (at.imag)
      collect(at.imag, at, count, from + lanes);
  }

private:
  using V = FftVector<T>;
  static constexpr int width = math::nativeLanes<T>;
  /// Elements that are moved between lines and blocks at once, so that the blocks stay in the first cache.
  static constexpr int64_t tile = 16;

  bool isFull() const { return count_ == lanes && line_.real && line_.imag; }
  bool arePairs() const {
    return isFull() && distance_ == 2 && (line_.imag == line_.real + 1 || line_.real == line_.imag + 1);
  }
  bool areColumns() const { return count_ == lanes && distance_ == 1; }

  static void loadPairs(FftLine<T> at, int64_t count, T *to) {
    const bool isSwapped = at.imag < at.real;
    const T *from = isSwapped ? at.imag : at.real;
    for (int64_t i = 0; i < count; ++i, from += at.step, to += kFftBlock<T>)
      for (int v = 0; v < kFftRegisters<T>; ++v) {
        const FftNumber<T> x = math::loadComplex<V>(from + 2 * v * width);
        storeFft(to, v, isSwapped ? FftNumber<T>{x.imag, x.real} : x);
      }
  }
  static void storePairs(FftLine<T> at, int64_t count, const T *from) {
    const bool isSwapped = at.imag < at.real;
    T *to = isSwapped ? at.imag : at.real;
    const V scale = math::broadcast<V>(at.scale);
    for (int64_t i = 0; i < count; ++i, to += at.step, from += kFftBlock<T>)
      for (int v = 0; v < kFftRegisters<T>; ++v) {
        const FftNumber<T> given = loadFft(from, v), x = {given.real * scale, given.imag * scale};
        math::storeComplex<V>(to + 2 * v * width, isSwapped ? FftNumber<T>{x.imag, x.real} : x);
      }
  }
  static void loadColumns(const T *from, int64_t step, int64_t count, T *to) {
    for (int64_t i = 0; i < count; ++i, to += kFftBlock<T>)
      if (from)
        __builtin_memcpy(to, from + i * step, lanes * sizeof(T));
      else
        __builtin_memset(to, 0, lanes * sizeof(T));
  }
  static void storeColumns(T *to, FftLine<T> at, int64_t count, const T *from) {
    const V scale = math::broadcast<V>(at.scale);
    for (int64_t i = 0; to && i < count; ++i, from += kFftBlock<T>)
      for (int v = 0; v < kFftRegisters<T>; ++v)
        math::store<V>(to + i * at.step + v * width, math::load<V>(from + v * width) * scale);
  }

  void spread(const T *from, int64_t step, int64_t count, T *to) const {
    for (int64_t i = 0; i < count; i += tile)
      for (int64_t l = 0; l < count_; ++l) {
        const T *const line = from + offsets_[l] + i * step;
        T *const blocks = to + i * kFftBlock<T> + l;
        for (int64_t j = 0, end = smaller(tile, count - i); j < end; ++j)
          blocks[j * kFftBlock<T>] = line[j * step];
      }
  }
  void collect(T *to, FftLine<T> at, int64_t count, const T *from) const {
    for (int64_t i = 0; i < count; i += tile)
      for (int64_t l = 0; l < count_; ++l) {
        T *const line = to + offsets_[l] + i * at.step;
        const T *const blocks = from + i * kFftBlock<T> + l;
        for (int64_t j = 0, end = smaller(tile, count - i); j < end; ++j)
          line[j * at.step] = blocks[j * kFftBlock<T>] * at.scale;
      }
  }

  FftLine<T> line_;
  int64_t distance_, count_, offsets_[lanes];
};

} // namespace tenon::rt::TENON_ISA

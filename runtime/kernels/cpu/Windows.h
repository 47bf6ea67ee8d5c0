//===- Windows.h - the windows of gathers and scatters, as offsets ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices become offsets of windows some hundred at a time; what is moved then
// knows nothing of indices.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"
#include "dialect/model/Windows.h"

namespace tenon::rt::TENON_ISA {

/// Where a window begins of which `index` says the place along an axis of `size`, the
/// last place being `last`; 0 and `isOutside` if there is no such place.
template <Outside outside>
[[gnu::always_inline]] inline int64_t beginOf(int64_t index, int64_t size, int64_t last, bool &isOutside) {
  isOutside = false;
  if constexpr (outside == Outside::clip)
    return larger<int64_t>(0, smaller(index, last));
  if constexpr (outside == Outside::error)
    index += index < 0 ? size : 0;
  isOutside = static_cast<uint64_t>(index) > static_cast<uint64_t>(last);
  return isOutside ? 0 : index;
}

/// The windows of `x`, which the indices say, and of `windowed`, a gather's result
/// or a scatter's updates, in the order of the indices.
class Windows {
public:
  /// Windows whose offsets are made at a time.
  static constexpr int64_t kBlock = 256;
  /// The offset of a window of one element that is to be left out.
  static constexpr int64_t kNowhere = INT64_MIN;

  Windows(const WindowMap &map, const View &x, const View &indices, const View &windowed);
  Windows(const Windows &) = delete;

  /// How many there are, and elements in each.
  int64_t count() const { return count_; }
  int64_t size() const { return window.count(); }
  /// A window: its strides in x, then in the windowed array.
  Nest window;
  /// No window can be inside: an axis of which it has one element has none.
  bool isNowhere() const { return emptyAxis_ >= 0; }
  /// Windows may be inside in part: only `box` says which.
  bool hasParts = false;
  /// An offset may be kNowhere.
  bool maySkip() const { return outside_ == Outside::skip; }

  /// Where windows [first, first + count), at most kBlock, begin in x, in elements.
  /// False: an index is outside, and that is a failure; some offsets are no places.
  bool offsets(int64_t first, int64_t count, int64_t *to) const;
  /// All that says where windows lie, if that is one index for each, and these are dense:
  /// they can be read where elements are moved.
  struct Single {
    const void *indices = nullptr; ///< null: it is not so
    bool isWide;                   ///< indices of 64 bits
    Outside outside;
    int64_t size, last, stride;
  };
  Single single() const;
  /// Where a window begins in the windowed array.
  int64_t windowedOffset(int64_t number) const { return windowed_.offset(number); }
  /// Of windows one after another: from one to the next; 0: that differs.
  int64_t windowedStride() const { return windowed_.nest.rank == 1 ? windowed_.nest.strides[0][0] : 0; }

  /// The part of a window that is inside of x, with one axis for each of x: where it begins
  /// in the window, and its size.
  struct Box {
    int64_t start, low[kMaxRank], dims[kMaxRank];
  };
  /// False: none of it is.
  bool box(int64_t number, Box &box) const;
  /// By axis of x, for boxes: the window's size, and strides in x and in the windowed array.
  int rank;
  int64_t dims[kMaxRank], strides[kMaxRank], windowedStrides[kMaxRank];

  /// Looks whether all indices are inside; else tells the first that is not.
  Status check(const KernelCall &call) const;
  /// Tells the first index that is outside in windows [number, ...).
  Status tell(int64_t number, Fault *fault) const;

private:
  struct Component {
    int axis;
    int64_t offset; ///< of the index in the row
    int64_t size, window, stride;
  };
  struct Batch {
    int64_t inner, size, stride;
  };
  /// Index `component` of windows [first, first + count).
  void load(const Component &component, int64_t first, int64_t count, int64_t *to) const;
  int64_t index(const Component &component, int64_t number) const;
  template <Outside outside>
  bool add(const Component &component, int64_t first, int64_t count, int64_t *to) const;

  Outside outside_;
  bool isWide_; ///< indices of 64 bits
  int emptyAxis_ = -1;
  int64_t count_ = 1;
  Strided indices_, windowed_;
  int componentCount_ = 0, batchCount_ = 0;
  Component components_[kMaxRank];
  Batch batches_[kMaxRank];
};

} // namespace tenon::rt::TENON_ISA

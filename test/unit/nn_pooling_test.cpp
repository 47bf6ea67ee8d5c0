//===- nn_pooling_test.cpp - layers of pooling beside plain loops ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LayerChecks.h"

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr auto front = DataFormat::channels_first;

/// The maximum or the mean of the elements of x (batch, places..., channels) in each window.
Array pooled(const Array &input, int64_t window, int64_t stride, bool isSame, bool isMax) {
  const Grid x(input);
  const size_t rank = x.sizes.size() - 2;
  std::vector<int64_t> sizes = x.sizes, before(rank), windows(rank, window);
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t &size = sizes[axis + 1];
    const int64_t old = size;
    size = isSame ? (old + stride - 1) / stride : (old - window) / stride + 1;
    before[axis] = isSame ? std::max<int64_t>((size - 1) * stride + window - old, 0) / 2 : 0;
  }
  Grid y(sizes);
  Grid::forEach(sizes, [&](const std::vector<int64_t> &to) {
    double total = 0, greatest = -1e30;
    int count = 0;
    Grid::forEach(windows, [&](const std::vector<int64_t> &tap) {
      std::vector<int64_t> from = to;
      for (size_t axis = 0; axis < rank; ++axis) {
        from[axis + 1] = to[axis + 1] * stride - before[axis] + tap[axis];
        if (from[axis + 1] < 0 || from[axis + 1] >= x.sizes[axis + 1])
          return;
      }
      total += x(from);
      greatest = std::max(greatest, x(from));
      ++count;
    });
    y(to) = isMax ? greatest : total / count;
  });
  return y.array();
}

TEST(NnPooling, WindowsOfOneAndThreeAxes) {
  const Array x1 = numbers({2, 9, 3}), x3 = numbers({2, 5, 4, 6, 2});
  expectNear(called(nn::MaxPooling1D{}, x1), pooled(x1, 2, 2, false, true));
  expectNear(called(nn::MaxPooling1D{3, {.strides = 2, .padding = same}}, x1), pooled(x1, 3, 2, true, true));
  expectNear(called(nn::AveragePooling1D{3, {.strides = 1}}, x1), pooled(x1, 3, 1, false, false));
  // The padding is not counted.
  expectNear(called(nn::AveragePooling1D{3, {.strides = 2, .padding = same}}, x1), pooled(x1, 3, 2, true, false));
  expectNear(called(nn::MaxPooling3D{2}, x3), pooled(x3, 2, 2, false, true));
  expectNear(called(nn::MaxPooling3D{{3, 3, 3}, {.strides = 2, .padding = same}}, x3), pooled(x3, 3, 2, true, true));
  expectNear(called(nn::AveragePooling3D{2}, x3), pooled(x3, 2, 2, false, false));
  expectNear(called(nn::AveragePooling3D{3, {.strides = 2, .padding = same}}, x3), pooled(x3, 3, 2, true, false));
}
TEST(NnPooling, WindowsOfTwoAxes) {
  const Array x = numbers({2, 7, 6, 3});
  expectNear(called(nn::MaxPooling2D{{2, 2}}, x), pooled(x, 2, 2, false, true));
  expectNear(called(nn::AveragePooling2D{3, {.strides = 2, .padding = same}}, x), pooled(x, 3, 2, true, false));
}
TEST(NnPooling, ChannelsFirstGivesTheSame) {
  expectSameInBothFormats(nn::MaxPooling1D{2}, nn::MaxPooling1D{2, {.data_format = front}}, numbers({2, 6, 3}));
  expectSameInBothFormats(nn::AveragePooling3D{2}, nn::AveragePooling3D{2, {.data_format = front}},
                          numbers({2, 4, 4, 4, 3}));
  const Array x = numbers({2, 3, 4, 5});
  expectNear(called(nn::GlobalMaxPooling2D{{.data_format = front}}, x), max(x, {2, 3}));
}
TEST(NnPooling, GlobalPoolingLeavesBatchAndChannels) {
  const Array x1 = numbers({2, 5, 3}), x2 = numbers({2, 4, 5, 3}), x3 = numbers({2, 3, 4, 5, 3});
  const Grid grid(x3);
  Grid mean(std::vector<int64_t>{2, 3}), greatest = mean;
  std::fill(greatest.values.begin(), greatest.values.end(), -1e30);
  Grid::forEach(grid.sizes, [&](const std::vector<int64_t> &place) {
    mean({place[0], place[4]}) += grid(place) / 60;
    greatest({place[0], place[4]}) = std::max(greatest({place[0], place[4]}), grid(place));
  });
  expectNear(called(nn::GlobalAveragePooling3D{}, x3), mean.array());
  expectNear(called(nn::GlobalMaxPooling3D{}, x3), greatest.array());
  EXPECT_EQ(nn::GlobalMaxPooling3D{{.keepdims = true}}(x3).shape(), Shape({2, 1, 1, 1, 3}));
  expectNear(called(nn::GlobalAveragePooling1D{}, x1), tenon::mean(x1, 1));
  expectNear(called(nn::GlobalMaxPooling1D{{.keepdims = true}}, x1), max(x1, 1, true));
  expectNear(called(nn::GlobalAveragePooling2D{{.keepdims = true}}, x2), tenon::mean(x2, {1, 2}, true));
}
TEST(NnPooling, ErrorsNameTheLayerWhatItExpectsAndGot) {
  EXPECT_EQ(messageOf([] { nn::MaxPooling1D{}(ones({2, 3})); }),
            "MaxPooling1D: expected 3 axes (batch, length, channels), got (2, 3)");
  EXPECT_EQ(messageOf([] { nn::GlobalAveragePooling3D{{.data_format = front}}(ones({2, 3})); }),
            "GlobalAveragePooling3D: expected 5 axes (batch, channels, depth, height, width), got (2, 3)");
  EXPECT_EQ(messageOf([] { nn::AveragePooling1D{0}; }), "AveragePooling1D: expected pool_size >= 1, got 0");
  EXPECT_EQ(messageOf([] { nn::MaxPooling3D{2, {.strides = 0}}; }), "MaxPooling3D: expected strides >= 1, got 0");
}

} // namespace

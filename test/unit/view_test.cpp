//===- view_test.cpp - views of elements without a copy ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SampleArrays.h"
#include "ScratchFile.h"
#include "test/unit/Errors.h"

#include <tenon/transform.h>
#include <tenon/view.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#if __has_include(<mdspan>)
#include <mdspan>
#endif

using namespace tenon;
using namespace tenon::testing;
using tenon::test::messageOf;

static_assert(std::forward_iterator<Elements<float>::Iterator>);

TEST(View, ElementsComeInTheOrderOfTheirIndices) {
  for (const auto &[name, array] : sampleArrays()) {
    SCOPED_TRACE(name);
    detail::visitDtype(array.dtype(), [&]<Dtype D>() {
      using T = typename detail::ElementOf<D>::type;
      const std::vector<T> expected = array.to_vector<T>();
      const Elements<T> elements = array.elements<T>();
      ASSERT_EQ(elements.size(), expected.size());
      EXPECT_EQ(elements.empty(), expected.empty());
      size_t i = 0;
      for (const T &element : elements) {
        const T wanted = expected[i];
        EXPECT_EQ(std::memcmp(&element, &wanted, sizeof(T)), 0) << i;
        EXPECT_EQ(&elements[i], &element) << i;
        ++i;
      }
      EXPECT_EQ(i, expected.size());
    });
  }
}

TEST(View, ElementsOutliveTheArray) {
  const Array x = {1.0f, 2.0f, 3.0f};
  float sum = 0;
  for (float element : (x + x).elements<float>())
    sum += element;
  EXPECT_EQ(sum, 12);
  EXPECT_EQ((view<float, 1>(x + x)(2)), 6);
}

TEST(View, DenseElementsAreASpan) {
  const Array table = reshape(arange(6), {2, 3});
  std::span<const int32_t> all = table.elements<int32_t>();
  EXPECT_EQ(all.data(), table.elements<int32_t>().data());
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), 15);
  const Elements<int32_t> turned = transpose(table).elements<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(turned.begin(), turned.end()), (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(messageOf([&] { turned.data(); }),
            "elements(): expected a dense array, got a strided view i32[3, 2]; to_vector() copies it");
  EXPECT_NE(messageOf([&] { std::span<const int32_t> none = turned; }), "no error");
}

TEST(View, IsIndexed) {
  const Array table = reshape(arange(12), {3, 4});
  auto v = view<int32_t, 2>(table);
  static_assert(v.rank() == 2);
  EXPECT_EQ(v.extent(0), 3);
  EXPECT_EQ(v.extent(1), 4);
  EXPECT_EQ(v.stride(0), 4);
  EXPECT_EQ(v.stride(1), 1);
  EXPECT_EQ(v.size(), 12u);
  EXPECT_FALSE(v.empty());
  EXPECT_EQ(v.data_handle(), table.elements<int32_t>().data());
  EXPECT_EQ(v(2, 1), 9);
  EXPECT_EQ(v.at(size_t(2), 1L), 9);

  auto turned = view<int32_t, 2>(table[{slice(none, none, -1), slice(none, none, -2)}]);
  EXPECT_EQ(turned.stride(0), -4);
  EXPECT_EQ(turned.stride(1), -2);
  EXPECT_EQ(turned(0, 0), 11);
  EXPECT_EQ(turned(2, 1), 1);
  EXPECT_EQ(&turned(0, 0), turned.data_handle());
  EXPECT_EQ((view<int32_t, 0>(table[{1, 1}])()), 5);
  EXPECT_EQ((view<int32_t, 2>(full({0, 3}, 1))).size(), 0u);
}

TEST(View, WrongArraysAndIndicesAreErrors) {
  const Array table = reshape(arange(12), {3, 4});
  EXPECT_EQ(messageOf([&] { view<float, 2>(table); }),
            "view: expected an array of f32, got i32[3, 4]; convert it with astype");
  EXPECT_EQ(messageOf([&] { view<int32_t, 1>(table); }), "view: expected an array of rank 1, got i32[3, 4]");
  EXPECT_EQ(messageOf([&] { view<int32_t, 2>(to_device(table, Device::null)); }),
            "view: expected an array on cpu:0, got one on null:0; to_device copies it");
  auto v = view<int32_t, 2>(table);
  EXPECT_EQ(messageOf([&] { v.at(3, 0); }), "view: index 3 is out of range for axis 0 of i32[3, 4]");
  EXPECT_EQ(messageOf([&] { v.at(0, -1); }), "view: index -1 is out of range for axis 1 of i32[3, 4]");
  EXPECT_NE(messageOf([&] {
              vmap([](const Array &x) { return x * view<float, 0>(x)(); })(full({2}, 1.0f));
            }).find("expected an array whose elements are known"),
            std::string::npos);
}

/// What grad differentiates has the elements of what it stands for.
TEST(View, InsideOfGrad) {
  float seen = 0;
  grad([&](const Array &x) {
    for (float element : (x * 2).elements<float>())
      seen += element;
    return sum(x);
  })(Array{1.0f, 2.0f});
  EXPECT_EQ(seen, 6);
}

namespace {
/// A std::mdspan in what matters: this standard library has none.
template <size_t N, bool Strided, size_t First = static_cast<size_t>(-1)>
struct Mdspan {
  struct extents_type {
    using index_type = int;
    explicit extents_type(const std::array<int, N> &sizes) : sizes(sizes) {}
    static constexpr size_t static_extent(size_t axis) { return axis == 0 ? First : static_cast<size_t>(-1); }
    std::array<int, N> sizes;
  };
  struct Right {
    explicit Right(const extents_type &extents) : extents(extents) {}
    int stride(size_t axis) const {
      int stride = 1;
      for (size_t i = axis + 1; i < N; ++i)
        stride *= extents.sizes[i];
      return stride;
    }
    extents_type extents;
  };
  struct Stride {
    Stride(const extents_type &extents, const std::array<int, N> &strides) : extents(extents), strides(strides) {}
    int stride(size_t axis) const { return strides[axis]; }
    extents_type extents;
    std::array<int, N> strides;
  };
  using element_type = const int32_t;
  using mapping_type = std::conditional_t<Strided, Stride, Right>;
  static constexpr size_t rank() { return N; }
  Mdspan(const int32_t *data, const mapping_type &mapping) : data(data), mapping(mapping) {}
  const int32_t *data;
  mapping_type mapping;
};
} // namespace

TEST(View, IsAnMdspan) {
  const Array table = reshape(arange(12), {3, 4});
  auto dense = view<int32_t, 2>(table), turned = view<int32_t, 2>(transpose(table));
  Mdspan<2, false> right = dense;
  EXPECT_EQ(right.data, dense.data_handle());
  EXPECT_EQ(right.mapping.extents.sizes, (std::array<int, 2>{3, 4}));
  Mdspan<2, true> strided = turned;
  EXPECT_EQ(strided.mapping.strides, (std::array<int, 2>{1, 4}));
  Mdspan<2, true, 3> fixed = dense;
  EXPECT_EQ(fixed.data, dense.data_handle());
  const std::string message = "view: expected i32[4, 3] to lie as the mdspan says, got other sizes or strides";
  EXPECT_EQ(messageOf([&] { [[maybe_unused]] Mdspan<2, false> wrong = turned; }), message);
  EXPECT_EQ(messageOf([&] { [[maybe_unused]] Mdspan<2, true, 3> wrong = turned; }), message);
  auto backwards = view<int32_t, 1>(arange(3)[{slice(none, none, -1)}]);
  EXPECT_NE(messageOf([&] { [[maybe_unused]] Mdspan<1, true> wrong = backwards; }), "no error");
  // A stride that nothing steps along says nothing.
  auto row = view<int32_t, 2>(table[{slice(1, 2), slice(none, none, 2)}][{slice(none, none, -1), _}]);
  Mdspan<2, true> one = row;
  EXPECT_EQ(one.mapping.strides, (std::array<int, 2>{1, 2}));
  Mdspan<2, true> repeated = view<int32_t, 2>(broadcast_to(Array{{3}}, {1, 1}));
  EXPECT_EQ(repeated.mapping.strides, (std::array<int, 2>{1, 1}));
  static_assert(!std::is_convertible_v<ArrayView<int32_t, 1>, Mdspan<2, true>>);
#ifdef __cpp_lib_mdspan
  std::mdspan<const int32_t, std::dextents<int64_t, 2>, std::layout_stride> real = turned;
  EXPECT_EQ((real[std::array{3, 2}]), 11);
#endif
}

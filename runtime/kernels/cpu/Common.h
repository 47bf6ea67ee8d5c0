//===- Common.h - what the kernels of one instruction set share ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every file of this folder is compiled once per instruction set, into
// tenon::rt::v3 and tenon::rt::v4. An inline function from outside these
// namespaces that is not inlined would be merged across the two by the linker,
// and run AVX-512 on a CPU without: use always_inline ones or own ones only.
//===----------------------------------------------------------------------===//
#pragma once

#include "Table.h"
#include "runtime/math/Complex.h"
#include "runtime/math/Exponential.h"
#include "runtime/math/Math.h"
#include "runtime/threads/Pool.h"

namespace tenon::rt::TENON_ISA {

using math::Vec;

/// How an element is stored, and the type it, or a complex number's part, is
/// computed in.
template <class Element>
struct Stored {
  using Storage = Element;
  using Compute = Element;
};
template <>
struct Stored<bool> : Stored<uint8_t> {};
template <tenon::detail::NarrowElement Element>
struct Stored<Element> {
  using Storage = decltype(Element::bits);
  using Compute = float;
};
template <class Element>
  requires requires { &Element::imag; }
struct Stored<Element> {
  using Storage = Element;
  using Compute = decltype(Element::real);
};
template <Dtype D>
using HostElement = typename tenon::detail::ElementOf<D>::type;
template <Dtype D>
using Storage = typename Stored<HostElement<D>>::Storage;
template <Dtype D>
using Compute = typename Stored<HostElement<D>>::Compute;

template <Dtype D, int N>
struct LanesOf {
  using Type = Vec<Compute<D>, N>;
};
template <Dtype D, int N>
  requires(kind(D) == Kind::complex)
struct LanesOf<D, N> {
  using Type = math::Complex<Vec<Compute<D>, N>>;
};
/// N elements as they are computed with.
template <Dtype D, int N>
using Lanes = typename LanesOf<D, N>::Type;

// Dtypes that share a loop. A bool is a byte of 0 or 1.
constexpr Dtype asNumber(Dtype dtype) { return dtype == Dtype::bool_ ? Dtype::u8 : dtype; }
/// Of an integer, the unsigned one of its size, where the bits are the same; others
/// as they are.
constexpr Dtype asUnsigned(Dtype dtype) {
  for (int i = 0; i < dtype_count; ++i)
    if (Dtype other{static_cast<uint8_t>(i)};
        kind(dtype) == Kind::integer && is_unsigned(other) && item_size(other) == item_size(dtype))
      return other;
  return dtype;
}
// Of what is computed with.
constexpr bool isFloating(Dtype dtype) { return kind(dtype) == Kind::floating && !is_storage(dtype); }
constexpr bool isInteger(Dtype dtype) { return kind(dtype) == Kind::integer; }
constexpr bool isComplex(Dtype dtype) { return kind(dtype) == Kind::complex; }
constexpr bool isIntegral(Dtype dtype) { return kind(dtype) <= Kind::integer; }
constexpr bool isOrdered(Dtype dtype) { return isIntegral(dtype) || isFloating(dtype); }

/// N elements at `from`, of any alignment, as they are computed with.
template <Dtype D, int N>
[[gnu::always_inline]] inline Lanes<D, N> loadLanes(const Storage<D> *from) {
  if constexpr (kind(D) == Kind::complex)
    return math::loadComplex<Vec<Compute<D>, N>>(&from->real);
  else if constexpr (is_narrow(D))
    return math::fromNarrow<HostElement<D>>(math::load<Vec<Storage<D>, N>>(from));
  else
    return math::load<Vec<Storage<D>, N>>(from);
}
template <Dtype D, int N>
[[gnu::always_inline]] inline void storeLanes(Storage<D> *to, Lanes<D, N> value) {
  if constexpr (kind(D) == Kind::complex)
    math::storeComplex(&to->real, value);
  else if constexpr (is_narrow(D))
    math::store<Vec<Storage<D>, N>>(to, math::toNarrow<HostElement<D>>(value));
  else
    math::store<Vec<Storage<D>, N>>(to, value);
}

/// x after a trip through memory, where narrow floats are rounded.
template <Dtype D, class V>
[[gnu::always_inline]] inline V rounded(V x) {
  if constexpr (is_narrow(D))
    return math::fromNarrow<HostElement<D>>(math::toNarrow<HostElement<D>>(x));
  else
    return x;
}

/// Out of line, so that each loop's odd end costs a call and not a copy.
template <class T>
[[gnu::noinline]] void gather(const T *from, int64_t stride, int64_t count, T *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i * stride];
}
template <class T>
[[gnu::noinline]] void scatter(const T *from, T *to, int64_t stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i * stride] = from[i];
}

/// Up to N lanes that lie apart; the lanes past `count` are 0.
template <Dtype D, int N>
[[gnu::always_inline]] inline Lanes<D, N> gatherLanes(const Storage<D> *from, int64_t stride, int64_t count) {
  Storage<D> buffer[N] = {};
  gather(from, stride, count, buffer);
  return loadLanes<D, N>(buffer);
}
template <Dtype D, int N>
[[gnu::always_inline]] inline void scatterLanes(Lanes<D, N> value, Storage<D> *to, int64_t stride, int64_t count) {
  Storage<D> buffer[N];
  storeLanes<D, N>(buffer, value);
  scatter(buffer, to, stride, count);
}

template <class T>
[[gnu::always_inline]] inline T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
[[gnu::always_inline]] inline T larger(T a, T b) {
  return a < b ? b : a;
}
[[gnu::always_inline]] inline int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Memory of one call, of `count` elements; null where the allocator refuses.
class Scratch {
public:
  Scratch(int64_t count, size_t size) : bytes_(static_cast<size_t>(count) * size), data_(allocateScratch(bytes_)) {}
  ~Scratch() { freeScratch(data_, bytes_); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  explicit operator bool() const { return data_; }
  template <class T>
  T *as() const {
    return static_cast<T *>(data_);
  }

private:
  size_t bytes_;
  void *data_;
};

/// Elements below which a piece of work is not worth a thread.
inline constexpr int64_t kGrain = 32768;

inline constexpr int kMaxRank = 16;

/// A view without its axes of size 1: a tree of a sum must not depend on them,
/// since a compiled kernel drops them too. `kept` stays, whatever its size.
struct Squeezed {
  int64_t dims[kMaxRank] = {}, strides[kMaxRank] = {};
  /// By axis of the original: its number here, -1 if it was dropped.
  int place[kMaxRank];
  View view;

  explicit Squeezed(const View &from, int kept = -1) : view(from) {
    int rank = 0;
    for (int i = 0; i < from.rank; ++i) {
      place[i] = -1;
      if (from.dims[i] == 1 && i != kept)
        continue;
      dims[rank] = from.dims[i];
      strides[rank] = from.strides[i];
      place[i] = rank++;
    }
    view.rank = static_cast<uint8_t>(rank);
    view.dims = dims;
    view.strides = strides;
  }
  Squeezed(const Squeezed &) = delete;
};

/// The common index space of several views of the same dims, with axes of size
/// 1 left out and axes merged where all views allow it; at least one axis.
struct Nest {
  static constexpr int kMaxViews = maxElementwiseOperands + 1;
  int rank = 0;
  int64_t dims[kMaxRank + 1];
  int64_t strides[kMaxViews][kMaxRank + 1];
  int64_t count() const {
    int64_t product = 1;
    for (int i = 0; i < rank; ++i)
      product *= dims[i];
    return product;
  }
};
Nest makeNest(int rank, const int64_t *dims, std::span<const int64_t *const> strides);

/// Runs `loop` over the nest, on the pool if it is large. `data` and the
/// strides of the nest are the operands', then the result's.
Status runLoop(const Nest &nest, ElementwiseKernel loop, void *const *data, std::span<const Dtype> dtypes,
               const uint32_t *cancel);

/// Copies elements `first`, ... of a strided block, in row-major order.
struct Strided {
  const void *data;
  Nest nest;
  /// The offset, in elements, of the element with this row-major index.
  int64_t offset(int64_t index) const {
    int64_t offset = 0;
    for (int i = nest.rank - 1; i > 0; --i) {
      offset += index % nest.dims[i] * nest.strides[0][i];
      index /= nest.dims[i];
    }
    return offset + index * nest.strides[0][0];
  }
  bool isContiguous() const { return nest.rank == 1 && (nest.strides[0][0] == 1 || nest.dims[0] == 1); }
};
Strided makeStrided(const void *data, int rank, const int64_t *dims, const int64_t *strides);

template <class T>
[[gnu::noinline]] void pack(const Strided &from, int64_t first, int64_t count, T *to) {
  const Nest &nest = from.nest;
  const int inner = nest.rank - 1;
  while (count > 0) {
    const int64_t run = smaller(count, nest.dims[inner] - first % nest.dims[inner]);
    gather(static_cast<const T *>(from.data) + from.offset(first), nest.strides[0][inner], run, to);
    first += run, to += run, count -= run;
  }
}

/// Strides of a dense block, into `strides`.
void denseStrides(int rank, const int64_t *dims, int64_t *strides);

Status copyView(const View &from, const View &to);

/// An element of sixteen bytes, of any kind.
struct Wide16 {
  uint64_t words[2];
};

/// What `make.operator()<T>()` gives for an unsigned integer T of so many bytes, or
/// Wide16: of what moves elements whatever they are.
template <class F>
[[gnu::always_inline]] inline decltype(auto) ofSize(size_t itemSize, F &&make) {
  switch (itemSize) {
  case 1:
    return make.template operator()<uint8_t>();
  case 2:
    return make.template operator()<uint16_t>();
  case 4:
    return make.template operator()<uint32_t>();
  case 8:
    return make.template operator()<uint64_t>();
  case 16:
    return make.template operator()<Wide16>();
  }
  __builtin_unreachable();
}

/// The loops of elementwise ops by dtype of the operands; null where there is none.
/// `to` is the result's dtype where it does not follow. These are in a file each.
ElementwiseKernel arithmeticLoop(OpCode op, Dtype dtype);
ElementwiseKernel comparisonLoop(OpCode op, Dtype dtype);
ElementwiseKernel mathLoop(OpCode op, Dtype dtype);
#define TENON_BY_HAND(op, Stem) ElementwiseKernel loop##Stem(Dtype dtype, Dtype to);
#include "runtime/math/Elementwise.gen.inc"
ElementwiseKernel copyLoop(size_t itemSize);

} // namespace tenon::rt::TENON_ISA

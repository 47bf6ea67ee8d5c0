//===- Inputs.cpp - arrays of a case ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Inputs.h"
#include "test/Elements.h"

#include <tenon/ops.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace tenon::conformance {

Numbers::Numbers(const std::string &seed) {
  for (char c : seed)
    state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
}

// SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014.
uint64_t Numbers::bits() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/// Values at the ends of a dtype's range, and NaN, infinities and zeros of both signs.
template <class T>
static std::vector<T> specials() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    return {0, 1, static_cast<T>(-1), 2, Limits::min(), Limits::max(), static_cast<T>(Limits::max() - 1), 100};
  } else if constexpr (detail::NarrowElement<T>) {
    std::vector<T> out;
    for (float value : {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1.0f, -1.0f, 0.5f})
      out.push_back(T(value));
    constexpr uint32_t sign = T::magnitude + 1;
    for (uint32_t bits : {1u, sign | 1u, T::largest, sign | T::largest}) {
      out.emplace_back();
      out.back().bits = static_cast<decltype(T::bits)>(bits);
    }
    return out;
  } else {
    using Limits = std::numeric_limits<T>;
    return {Limits::quiet_NaN(),
            Limits::infinity(),
            -Limits::infinity(),
            T(0),
            -T(0),
            Limits::denorm_min(),
            -Limits::denorm_min(),
            Limits::min() / 4,
            Limits::max(),
            Limits::lowest(),
            T(1),
            T(-1),
            T(0.5),
            T(2.5),
            T(-1e10),
            T(300.7)};
  }
}

template <class T>
static T smallNumber(double value) {
  if constexpr (std::is_same_v<T, bool>)
    return value > 0;
  else if constexpr (detail::NarrowElement<T>)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <class T>
static T element(Numbers &numbers, Fill fill, int64_t index, const std::vector<int64_t> &order, double offset) {
  constexpr bool isInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  constexpr bool isUnsigned = std::is_unsigned_v<T>;
  switch (fill) {
  case Fill::normal:
  case Fill::nonzero:
    if constexpr (isInteger)
      return static_cast<T>(numbers.below(isUnsigned ? 10 : 19) - (isUnsigned ? 0 : 9));
    else if (fill == Fill::normal)
      return smallNumber<T>(numbers.unit() * 4 - 2);
    else
      return smallNumber<T>((numbers.unit() * 2 + 0.5) * (numbers.bits() & 1 ? 1 : -1));
  case Fill::positive:
    return smallNumber<T>(isInteger ? static_cast<double>(1 + numbers.below(9)) : 0.5 + 2 * numbers.unit());
  case Fill::unit:
    return smallNumber<T>(1.8 * numbers.unit() - 0.9);
  case Fill::small:
    return smallNumber<T>((0.15 + 0.2 * numbers.unit()) * (numbers.bits() & 1 ? 1 : -1));
  case Fill::distinct: {
    // Multiples of 1/8, shuffled, off zero and off the other inputs.
    int64_t place = order[static_cast<size_t>(index)] - static_cast<int64_t>(order.size()) / 2;
    if constexpr (isInteger)
      return static_cast<T>(isUnsigned ? order[static_cast<size_t>(index)] : place);
    else
      return smallNumber<T>((static_cast<double>(place) + 0.5 + offset) / 8);
  }
  case Fill::ties:
    return smallNumber<T>(static_cast<double>(numbers.below(3)));
  case Fill::special: {
    static const std::vector<T> values = specials<T>();
    return values[static_cast<size_t>(index) % values.size()];
  }
  case Fill::wide:
    if constexpr (std::is_same_v<T, bfloat16_t>)
      return bfloat16_t(
          static_cast<float>(std::ldexp(numbers.unit() * 2 - 1, static_cast<int>(numbers.below(200)) - 100)));
    else if constexpr (detail::NarrowElement<T>)
      return T(std::ldexp(numbers.unit() * 2 - 1, static_cast<int>(numbers.below(44)) - 26));
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(std::ldexp(numbers.unit() * 2 - 1, static_cast<int>(numbers.below(80)) - 40));
    else
      return std::is_same_v<T, bool> ? numbers.bits() & 1 : static_cast<T>(numbers.bits());
  case Fill::counts:
    return smallNumber<T>(static_cast<double>(index % static_cast<int64_t>(8 * sizeof(T) + 3)) - (isUnsigned ? 0 : 1));
  case Fill::indices:
    return smallNumber<T>(static_cast<double>(index % 8 - (isUnsigned ? 0 : 1)));
  case Fill::middles:
    if constexpr (isInteger && sizeof(T) >= sizeof(int32_t)) {
      const int64_t odd = 2 * (128 + numbers.below(128)) + 1;
      const auto shift = numbers.below(static_cast<int64_t>(8 * sizeof(T)) - (isUnsigned ? 8 : 9));
      const T value = static_cast<T>((static_cast<T>(odd) << shift) + static_cast<T>(numbers.below(3) - 1));
      return !isUnsigned && numbers.bits() & 1 ? static_cast<T>(-value) : value;
    }
    return T();
  case Fill::key:
    return smallNumber<T>(static_cast<double>(numbers.bits() >> 32));
  }
  __builtin_unreachable();
}

static int64_t countOf(const Dims &dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies<>());
}

HostData makeElements(const std::string &seed, int number, const Input &input) {
  Numbers numbers(seed + "#" + std::to_string(number));
  int64_t count = countOf(input.dims);
  HostData data{input.dtype, input.dims, std::vector<std::byte>(static_cast<size_t>(count) * item_size(input.dtype))};
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<size_t>(numbers.below(static_cast<int64_t>(i)))]);
  double offset = 0.25 * (number % 2) + 0.125 * (number / 2);
  withElement(input.dtype, [&]<class T>(T *) {
    T *out = reinterpret_cast<T *>(data.bytes.data());
    for (int64_t i = 0; i < count; ++i)
      if constexpr (kind(dtype_of<T>) == Kind::complex)
        out[i] = {element<decltype(T::real)>(numbers, input.fill, i, order, offset),
                  element<decltype(T::real)>(numbers, input.fill, i + 3 < count ? i + 3 : 0, order, offset)};
      else
        out[i] = element<T>(numbers, input.fill, i, order, offset);
  });
  return data;
}

static Array dense(const HostData &data) {
  Array out;
  withElement(data.dtype, [&]<class T>(T *) {
    out = Array(std::span<const T>(reinterpret_cast<const T *>(data.bytes.data()), data.bytes.size() / sizeof(T)),
                Shape(data.dims));
  });
  return out;
}

/// Makes an array whose element at index i is the element of `from` at index map(i).
template <class Map>
static HostData gather(const HostData &from, Dims dims, Map &&map) {
  HostData to{from.dtype, dims, {}};
  size_t item = item_size(from.dtype);
  int64_t count = countOf(dims);
  to.bytes.resize(static_cast<size_t>(count) * item);
  for (int64_t i = 0; i < count; ++i) {
    Dims index(dims.size());
    int64_t rest = i;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d])
      index[d] = rest % dims[d];
    Dims source = map(index);
    int64_t at = 0;
    for (size_t d = 0; d < source.size(); ++d)
      at = at * from.dims[d] + source[d];
    std::memcpy(&to.bytes[static_cast<size_t>(i) * item], &from.bytes[static_cast<size_t>(at) * item], item);
  }
  return to;
}

Array makeArray(const HostData &data, Layout layout) {
  size_t rank = data.dims.size();
  switch (layout) {
  case Layout::dense:
    return dense(data);
  case Layout::transposed: {
    Dims dims(data.dims.rbegin(), data.dims.rend());
    return transpose(dense(gather(data, dims, [](Dims index) { return Dims(index.rbegin(), index.rend()); })));
  }
  case Layout::reversed: {
    Array stored = dense(gather(data, data.dims, [&](Dims index) {
      for (size_t d = 0; d < rank; ++d)
        index[d] = data.dims[d] - 1 - index[d];
      return index;
    }));
    Shape starts, stops;
    for (int64_t dim : data.dims)
      starts.push_back(dim - 1), stops.push_back(-1);
    return slice(stored, starts, stops, std::vector<int64_t>(rank, -1));
  }
  case Layout::strided: {
    // Every other element of a larger array; the others hold copies.
    Dims dims = data.dims;
    Shape starts, stops;
    for (int64_t &dim : dims)
      starts.push_back(0), stops.push_back(dim * 2), dim *= 2;
    Array stored = dense(gather(data, dims, [](Dims index) {
      for (int64_t &i : index)
        i /= 2;
      return index;
    }));
    return slice(stored, starts, stops, std::vector<int64_t>(rank, 2));
  }
  case Layout::repeated: {
    // Stride 0: the first row stands for all rows, which the caller made equal.
    Dims dims = data.dims;
    dims[0] = 1;
    return broadcast_to(dense(gather(data, dims, [](Dims index) { return index; })), Shape(data.dims));
  }
  }
  __builtin_unreachable();
}

std::vector<bool> mappedInputs(const Case &of, Column column) {
  if (column != Column::vmap && column != Column::vmapGrad && column != Column::vmapVmap)
    return std::vector<bool>(of.inputs.size(), false);
  return of.mapped.empty() ? std::vector<bool>(of.inputs.size(), true) : of.mapped;
}

std::vector<HostData> makeInputs(const Case &of, Column column) {
  std::vector<HostData> out;
  std::vector<bool> mapped = mappedInputs(of, column);
  for (size_t i = 0; i < of.inputs.size(); ++i) {
    Input input = of.inputs[i];
    if (!mapped[i]) {
      HostData data = makeElements(of.name(), static_cast<int>(i), input);
      if (input.layout == Layout::repeated)
        data = gather(data, data.dims, [](Dims index) {
          index[0] = 0;
          return index;
        });
      out.push_back(std::move(data));
      continue;
    }
    // The elements of the batch one by one, so that each has the properties of its fill.
    HostData all{input.dtype, input.dims, {}};
    all.dims.insert(all.dims.begin(), batch);
    for (int64_t example = 0; example < batch; ++example) {
      HostData one = makeElements(of.name() + "@" + std::to_string(example), static_cast<int>(i), input);
      all.bytes.insert(all.bytes.end(), one.bytes.begin(), one.bytes.end());
    }
    out.push_back(std::move(all));
  }
  return out;
}

HostData readArray(const Array &array) {
  HostData data{array.dtype(), {}, {}};
  for (Dim dim : array.shape())
    data.dims.push_back(dim.value());
  withElement(data.dtype, [&]<class T>(T *) {
    auto elements = array.to_vector<T>();
    data.bytes.resize(elements.size() * sizeof(T));
    T *out = reinterpret_cast<T *>(data.bytes.data());
    for (size_t i = 0; i < elements.size(); ++i)
      out[i] = elements[i];
  });
  return data;
}

} // namespace tenon::conformance

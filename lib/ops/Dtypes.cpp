//===- Dtypes.cpp - what is known of element types, and what comes of several ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"
#include "lib/array/Buffer.h"
#include "lib/base/ErrorLocation.h"

#include <tenon/dtypes.h>

#include <algorithm>
#include <limits>
#include <optional>

using namespace tenon;
using namespace tenon::detail;

[[noreturn]] static void refuseDtype(const char *function, const char *expected, Dtype dtype, Location at) {
  throw Error(std::string(function) + ": expected " + expected + ", got " + std::string(short_name(dtype)), at);
}

FloatInfo tenon::finfo(Dtype dtype, Location at) {
  if (kind(dtype) < Kind::floating)
    refuseDtype("finfo", "a floating or complex dtype", dtype, at);
  if (kind(dtype) == Kind::complex)
    dtype = partDtype(dtype);
  return visitDtype(dtype, [&]<Dtype D>() -> FloatInfo {
    using T = typename ElementOf<D>::type;
    if constexpr (NarrowElement<T>) {
      T most, normal, next(1.0f);
      most.bits = static_cast<decltype(T::bits)>(T::largest);
      normal.bits = static_cast<decltype(T::bits)>(1u << (T::digits - 1));
      ++next.bits;
      return {dtype, 8 * sizeof(T), static_cast<double>(next) - 1, most, -static_cast<float>(most), normal};
    } else if constexpr (kind(D) == Kind::floating) {
      using Limits = std::numeric_limits<T>;
      return {dtype, 8 * sizeof(T), Limits::epsilon(), Limits::max(), Limits::lowest(), Limits::min()};
    } else {
      __builtin_unreachable();
    }
  });
}

IntInfo tenon::iinfo(Dtype dtype, Location at) {
  if (kind(dtype) != Kind::integer)
    refuseDtype("iinfo", "an integer dtype", dtype, at);
  return visitDtype(dtype, [&]<Dtype D>() -> IntInfo {
    if constexpr (kind(D) == Kind::integer) {
      using Limits = std::numeric_limits<typename ElementOf<D>::type>;
      return {dtype, static_cast<int>(8 * item_size(D)), static_cast<int64_t>(Limits::min()), Limits::max()};
    } else {
      __builtin_unreachable();
    }
  });
}

namespace {
struct KindName {
  std::string_view name;
  bool (*has)(Dtype);
};
} // namespace
static constexpr KindName kindNames[] = {
    {"bool", [](Dtype d) { return kind(d) == Kind::boolean; }},
    {"signed integer", [](Dtype d) { return is_signed(d); }},
    {"unsigned integer", [](Dtype d) { return is_unsigned(d); }},
    {"integral", [](Dtype d) { return kind(d) == Kind::integer; }},
    {"real floating", [](Dtype d) { return kind(d) == Kind::floating; }},
    {"complex floating", [](Dtype d) { return kind(d) == Kind::complex; }},
    {"numeric", [](Dtype d) { return kind(d) != Kind::boolean; }},
};

static const KindName *kindOf(std::string_view name) {
  const KindName *found = std::ranges::find(kindNames, name, &KindName::name);
  return found == std::end(kindNames) ? nullptr : found;
}

DtypeKind::DtypeKind(std::string_view name, Location at) {
  const KindName *kind = kindOf(name);
  if (!kind) {
    std::string known;
    for (const KindName &one : kindNames)
      known += (known.empty() ? "\"" : ", \"") + std::string(one.name) + "\"";
    throw Error("isdtype: expected a dtype or one of " + known + ", got \"" + std::string(name) + "\"", at);
  }
  name_ = kind->name;
}

bool DtypeKind::contains(std::string_view name, Dtype dtype) { return kindOf(name)->has(dtype); }

bool tenon::isdtype(Dtype dtype, const DtypeKind &kind) { return kind.contains(dtype); }

bool tenon::isdtype(Dtype dtype, std::initializer_list<DtypeKind> kinds) {
  return std::ranges::any_of(kinds, [&](const DtypeKind &kind) { return kind.contains(dtype); });
}

bool tenon::can_cast(Dtype from, Dtype to) {
  return from == to || (!is_storage(from) && !is_storage(to) && promote(from, to) == to);
}

bool tenon::can_cast(const Array &from, Dtype to, Location at) { return can_cast(from.dtype(at), to); }

Dtype tenon::result_type(std::initializer_list<Typed> of, Location at) {
  if (of.size() == 0)
    throw Error("result_type: expected at least one dtype, array or number, got none", at);
  std::optional<Dtype> dtype;
  for (const Typed &one : of)
    if (!one.is_number()) {
      const Dtype given = dtype.value_or(one.dtype()), joined = promote(given, one.dtype());
      if (is_storage(joined) && given != one.dtype())
        throw Error("result_type: expected one dtype beside " + std::string(short_name(joined)) +
                        ", which only stores numbers, got " + std::string(short_name(given)) + " and " +
                        std::string(short_name(one.dtype())),
                    at);
      dtype = joined;
    }
  for (const Typed &one : of)
    if (one.is_number()) {
      const Dtype own = dtype ? scalarDtype(one.number(), *dtype, "result_type", at) : one.number().default_dtype();
      dtype = promote(dtype.value_or(own), own);
    }
  return *dtype;
}

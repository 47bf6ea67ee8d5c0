//===- Contraction.cpp - the function dot_general ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Shaping.h"

using namespace tenon;
using namespace tenon::detail;

Array detail::dotGeneral(const Array &x1, const Array &x2, const DotAxes &axes, Dtype dtype, Location at) {
  return apply(OpCode::dot_general, {x1.value(), x2.value()},
               Words(DotGeneralAttrs{axes.axes1, axes.axes2, axes.batch1, axes.batch2, dtype}), at);
}

Array tenon::dot_general(const Operand &x1, const Operand &x2, const Ints &axes1, const Ints &axes2, const Ints &batch1,
                         const Ints &batch2, std::optional<Dtype> dtype) {
  const Location at = x1.location();
  DoorScope scope("", "dot_general", {}, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  const auto normal = [at](const Ints &axes, const Array &x) {
    return axes.given() ? distinctAxes(axes.values(), x.ndim(), at) : std::vector<int64_t>();
  };
  const Dtype wanted = dtype.value_or(a.dtype()), computed = computedDtype(a.dtype(), wanted);
  const std::vector<int64_t> lists[] = {normal(axes1, a), normal(axes2, b), normal(batch1, a), normal(batch2, b)};
  const DotAxes axes{lists[0], lists[1], lists[2], lists[3]};
  return convert(dotGeneral(toFactor(a, computed, at), toFactor(b, computed, at), axes, computed, at), wanted, at);
}

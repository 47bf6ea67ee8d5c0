//===- ShapeEffects.cpp - the rules of ops that are seen from outside ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Format.h"

#include <optional>

namespace tenon {

std::string inferGuard(const ShapeCall &call, std::vector<Type> &) {
  const Type &x = call.operands[0];
  return x.shape.rank() ? "expected an array of rank 0, got " + x.str() : "";
}

std::string inferPrint(const ShapeCall &call, std::vector<Type> &) {
  return checkFormat(PrintAttrs::read(call.attributes).format, call.operands);
}

std::string inferCheck(const ShapeCall &call, std::vector<Type> &) {
  if (call.operands[0].dtype != Dtype::bool_)
    return "expected a condition of bool, got " + call.operands[0].str();
  const auto [format, examples] = CheckAttrs::read(call.attributes);
  std::vector<Type> arrays(call.operands.begin(), call.operands.end());
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (examples < 0 || arrays[i].shape.rank() < examples)
      return "expected " + std::to_string(examples) + " axes of examples, got " + call.operands[i].str();
    for (int64_t axis = 0; axis < examples; ++axis)
      if (provably_equal(call.operands[i].shape[static_cast<int>(axis)],
                         call.operands[0].shape[static_cast<int>(axis)]) == Always::no)
        return "expected as many examples of each array, got " + call.operands[0].str() + " and " +
               call.operands[i].str();
    for (int64_t axis = 0; axis < examples; ++axis)
      arrays[i].shape.erase(0);
  }
  return checkFormat(format, std::span(arrays).subspan(1));
}

static std::optional<Dtype> dtypeNamed(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i)
    if (short_name(static_cast<Dtype>(i)) == name)
      return static_cast<Dtype>(i);
  return std::nullopt;
}

std::string inferHostCall(const ShapeCall &call, std::vector<Type> &results) {
  const HostCallAttrs a = HostCallAttrs::read(call.attributes);
  if (a.device != Device::cpu && a.device != Device::null)
    return "expected a device that exists (cpu:0 or null:0), got " + name(a.device);
  if (!call.operands.empty() && call.operands[0].device != a.device)
    return "expected the device of the operands (" + name(call.operands[0].device) + "), got " + name(a.device);
  std::span<const Dim> sizes = a.sizes;
  std::string_view dtypes = a.dtypes;
  for (const int64_t rank : a.ranks) {
    const std::string_view word = dtypes.substr(0, dtypes.find(' '));
    const std::optional<Dtype> dtype = dtypeNamed(word);
    if (!dtype)
      return "expected the dtype of result " + std::to_string(results.size()) + ", got \"" + std::string(word) + "\"";
    if (rank < 0 || rank > max_rank || static_cast<size_t>(rank) > sizes.size())
      return "expected the rank of result " + std::to_string(results.size()) + ", and sizes for it, got " +
             std::to_string(rank) + " with " + std::to_string(sizes.size()) + " sizes left";
    const std::span<const Dim> dims = sizes.first(static_cast<size_t>(rank));
    if (std::string error = expectSizes(dims); !error.empty())
      return error;
    results.push_back({*dtype, a.device, Shape(dims)});
    sizes = sizes.subspan(dims.size());
    dtypes.remove_prefix(std::min(word.size() + 1, dtypes.size()));
  }
  if (!sizes.empty() || !dtypes.empty())
    return "expected a rank for each of the dtypes and sizes, got " + std::to_string(a.ranks.size()) + " ranks";
  return "";
}

} // namespace tenon

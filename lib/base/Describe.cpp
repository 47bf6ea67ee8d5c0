//===- Describe.cpp - how errors name a value's type ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"

#include "lib/base/DimExpr.h"

using namespace tenon;

std::string tenon::name(Device device) {
  return (device.kind == DeviceKind::cpu ? "cpu:" : "null:") + std::to_string(device.index);
}

std::string detail::describe(Dtype dtype, const Shape &shape, Device device) {
  std::string text(short_name(dtype));
  text += "[";
  for (int i = 0; i < shape.rank(); ++i)
    text += (i ? ", " : "") + textOf(shape[i]);
  text += "]";
  if (device != Device::cpu)
    text += " on " + name(device);
  return text;
}

std::string detail::placeText(Location at) { return std::string(at.file) + ":" + std::to_string(at.line); }

std::string detail::andOthers(size_t count) {
  return count ? " (and " + std::to_string(count) + (count == 1 ? " other)" : " others)") : "";
}

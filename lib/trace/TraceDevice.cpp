//===- TraceDevice.cpp - where the values of a trace are ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/TraceDevice.h"

using namespace tenon;

/// False once two devices have been met.
static bool collect(const Trace &trace, std::optional<Device> &device) {
  for (const Type &type : trace.body().types)
    if (device.value_or(type.device) != type.device)
      return false;
    else
      device = type.device;
  for (const TraceRef &region : trace.body().regions)
    if (!collect(*region, device))
      return false;
  return true;
}

std::optional<Device> tenon::traceDevice(const Trace &trace) {
  std::optional<Device> device;
  return collect(trace, device) ? device.value_or(Device::cpu) : std::optional<Device>();
}

/// Sets the words of an op's attributes that are devices.
static void setDevice(const OpInfo &info, std::span<int64_t> words, Device device) {
  size_t at = 0;
  for (const AttrInfo &attribute : info.attributes)
    switch (attribute.kind) {
    case AttrKind::device:
      words[at++] = device.code();
      break;
    case AttrKind::int_:
    case AttrKind::bool_:
    case AttrKind::dtype:
      ++at;
      break;
    case AttrKind::scalar:
      at += 3;
      break;
    case AttrKind::string:
      at += 1 + (static_cast<size_t>(words[at]) + 7) / 8;
      break;
    case AttrKind::ints:
    case AttrKind::dims:
      at += 1 + static_cast<size_t>(words[at]);
      break;
    }
}

TraceRef tenon::onDevice(const Trace &trace, Device device) {
  TraceBody body = trace.body();
  for (Type &type : body.types)
    type.device = device;
  for (const TraceOp &op : body.ops)
    setDevice(opInfo(op.code), std::span(body.attributes).subspan(op.attributes, op.attributeCount), device);
  for (TraceRef &region : body.regions)
    region = onDevice(*region, device);
  return Trace::make(std::move(body));
}

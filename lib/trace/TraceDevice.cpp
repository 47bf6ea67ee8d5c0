//===- TraceDevice.cpp - where the values of a trace are ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/TraceDevice.h"

#include <unordered_map>
#include <unordered_set>

using namespace tenon;

/// Bodies that are used again and again, each looked at once.
using Seen = std::unordered_set<const Trace *>;

/// False once two devices have been met.
static bool collect(const Trace &trace, std::optional<Device> &device, Seen &seen) {
  if (!seen.insert(&trace).second)
    return true;
  for (const Type &type : trace.body().types)
    if (device.value_or(type.device) != type.device)
      return false;
    else
      device = type.device;
  for (const TraceRef &region : trace.body().regions)
    if (!collect(*region, device, seen))
      return false;
  return true;
}

std::optional<Device> tenon::traceDevice(const Trace &trace) {
  std::optional<Device> device;
  Seen seen;
  return collect(trace, device, seen) ? device.value_or(Device::cpu) : std::optional<Device>();
}

/// As onDevice; `moved`: what has been.
static TraceRef move(const Trace &trace, Device device, std::unordered_map<const Trace *, TraceRef> &moved) {
  if (auto place = moved.find(&trace); place != moved.end())
    return place->second;
  TraceBody body = trace.body();
  body.types.transform([&](Type &type) { type.device = device; });
  for (const TraceOp &op : body.ops)
    forEachAttribute(opInfo(op.code), std::span(body.attributes).subspan(op.attributes, op.attributeCount),
                     [&](AttrKind kind, std::span<int64_t> value) {
                       if (kind == AttrKind::device)
                         value[0] = device.code();
                     });
  for (TraceRef &region : body.regions)
    region = move(*region, device, moved);
  return moved[&trace] = Trace::make(std::move(body));
}

TraceRef tenon::onDevice(const Trace &trace, Device device) {
  std::unordered_map<const Trace *, TraceRef> moved;
  return move(trace, device, moved);
}

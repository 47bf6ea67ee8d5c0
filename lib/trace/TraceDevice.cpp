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
    case AttrKind::named:
      at += 1 + static_cast<size_t>(words[at]);
      break;
    }
}

/// As onDevice; `moved`: what has been.
static TraceRef move(const Trace &trace, Device device, std::unordered_map<const Trace *, TraceRef> &moved) {
  if (auto place = moved.find(&trace); place != moved.end())
    return place->second;
  TraceBody body = trace.body();
  for (Type &type : body.types)
    type.device = device;
  for (const TraceOp &op : body.ops)
    setDevice(opInfo(op.code), std::span(body.attributes).subspan(op.attributes, op.attributeCount), device);
  for (TraceRef &region : body.regions)
    region = move(*region, device, moved);
  return moved[&trace] = Trace::make(std::move(body));
}

TraceRef tenon::onDevice(const Trace &trace, Device device) {
  std::unordered_map<const Trace *, TraceRef> moved;
  return move(trace, device, moved);
}

//===- Trace.cpp - a recorded function ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Trace.h"

#include "dialect/model/Composite.h"
#include "lib/base/Fork.h"
#include "lib/trace/Bytes.h"
#include "lib/trace/HostFunction.h"
#include "lib/trace/Text.h"

#include <tenon/error.h>

#include <algorithm>

using namespace tenon;

TraceRef::TraceRef(const TraceRef &other) : trace_(other.trace_) {
  if (trace_)
    __atomic_fetch_add(&trace_->references_, 1, __ATOMIC_RELAXED);
}

TraceRef::~TraceRef() {
  if (trace_ && __atomic_fetch_sub(&trace_->references_, 1, __ATOMIC_ACQ_REL) == 1)
    delete trace_;
}

Trace::~Trace() = default;

static bool opHasEffect(const TraceBody &body, const TraceOp &op) {
  if (opInfo(op.code).hasEffect)
    return true;
  for (uint32_t i = 0; i < op.regionCount; ++i)
    if (body.regions[op.regions + i]->hasEffect())
      return true;
  return false;
}

const TraceOp *tenon::makerOf(const TraceBody &body, ValueId value) {
  const auto next = std::ranges::upper_bound(body.ops, value, {}, &TraceOp::firstResult);
  if (next == body.ops.begin() || value >= next[-1].firstResult + next[-1].results)
    return nullptr;
  return &next[-1];
}

OpTypes tenon::typesOf(const TraceBody &body, const TraceOp &op) {
  OpTypes types;
  for (uint32_t i = 0; i < op.operandCount; ++i)
    types.operands.push_back(body.types[body.operands[op.operands + i]]);
  for (uint32_t i = 0; i < op.regionCount; ++i)
    types.regions.push_back(body.regions[op.regions + i]->regionType());
  return types;
}

void TraceBody::clear() {
  types.clear();
  inputs.clear();
  ops.clear();
  operands.clear();
  attributes.clear();
  regions.clear();
  outputs.clear();
  opLocations.clear();
  locations.clear();
  name.clear();
}

TraceRef Trace::make(TraceBody &&in) {
  constexpr ValueId dead = UINT32_MAX;
  // Backwards: which ops an output or an effect needs.
  std::vector<char> liveValue(in.types.size()), liveOp(in.ops.size());
  for (ValueId output : in.outputs)
    liveValue[output] = 1;
  bool hasEffect = false;
  for (size_t i = in.ops.size(); i-- > 0;) {
    const TraceOp &op = in.ops[i];
    bool effect = opHasEffect(in, op), live = effect;
    hasEffect |= effect;
    for (uint32_t r = 0; r < op.results; ++r)
      live |= liveValue[op.firstResult + r] != 0;
    if (!live)
      continue;
    liveOp[i] = 1;
    for (uint32_t k = 0; k < op.operandCount; ++k)
      liveValue[in.operands[op.operands + k]] = 1;
  }

  auto *trace = new Trace;
  TraceRef ref(trace);
  TraceBody &out = trace->body_;
  out.types.reserve(in.types.size());
  out.ops.reserve(in.ops.size());
  out.operands.reserve(in.operands.size());
  out.attributes.reserve(in.attributes.size());
  out.opLocations.reserve(in.opLocations.size());
  std::vector<ValueId> renumbered(in.types.size(), dead);
  std::vector<uint32_t> kinds(in.types.kinds(), UINT32_MAX);
  auto number = [&](ValueId old) {
    renumbered[old] = static_cast<ValueId>(out.types.size());
    uint32_t &kind = kinds[in.types.numberOf(old)];
    if (kind == UINT32_MAX)
      kind = out.types.keep(in.types[old]);
    out.types.pushNumber(kind);
    return renumbered[old];
  };
  for (ValueId input : in.inputs)
    out.inputs.push_back(number(input));
  std::vector<uint32_t> newLocation(in.locations.size(), UINT32_MAX);
  for (size_t i = 0; i < in.ops.size(); ++i) {
    if (!liveOp[i])
      continue;
    TraceOp op = in.ops[i];
    auto move = [](auto &from, auto &to, uint32_t &begin, uint32_t count) {
      uint32_t start = static_cast<uint32_t>(to.size());
      to.insert(to.end(), from.begin() + begin, from.begin() + begin + count);
      begin = start;
    };
    move(in.operands, out.operands, op.operands, op.operandCount);
    for (uint32_t k = 0; k < op.operandCount; ++k)
      out.operands[op.operands + k] = renumbered[out.operands[op.operands + k]];
    move(in.attributes, out.attributes, op.attributes, op.attributeCount);
    move(in.regions, out.regions, op.regions, op.regionCount);
    ValueId first = static_cast<ValueId>(out.types.size());
    for (uint32_t r = 0; r < op.results; ++r)
      number(op.firstResult + r);
    op.firstResult = first;
    out.ops.push_back(op);
    if (in.opLocations.empty())
      continue;
    uint32_t &location = newLocation[in.opLocations[i]];
    if (location == UINT32_MAX) {
      location = static_cast<uint32_t>(out.locations.size());
      out.locations.push_back(std::move(in.locations[in.opLocations[i]]));
    }
    out.opLocations.push_back(location);
  }
  for (ValueId output : in.outputs)
    out.outputs.push_back(renumbered[output]);
  out.name = std::move(in.name);
  trace->hasEffect_ = hasEffect;
  if (hasEffect)
    trace->findHosts();
  return ref;
}

TraceRef Trace::adopt(TraceBody &&body) {
  auto *trace = new Trace;
  TraceRef ref(trace);
  trace->body_ = std::move(body);
  for (const TraceOp &op : trace->body_.ops)
    trace->hasEffect_ |= opHasEffect(trace->body_, op);
  if (trace->hasEffect_)
    trace->findHosts();
  return ref;
}

void Trace::findHosts() {
  for (const TraceOp &op : ops()) {
    for (const TraceRef &region : regions(op))
      callsHost_ |= region->callsHost();
    if (op.code != OpCode::host_call)
      continue;
    callsHost_ = true;
    if (auto function = HostFunction::find(HostCallAttrs::read(attributes(op)).function);
        function && !function->isLasting())
      hosts_.push_back(std::move(function));
  }
}

bool Trace::holdsHost() const {
  return callsHost_ && (!hosts_.empty() ||
                        std::ranges::any_of(body_.regions, [](const TraceRef &region) { return region->holdsHost(); }));
}

TraceRef Trace::withoutHosts(const TraceRef &of) {
  if (!of->holdsHost())
    return of;
  TraceBody body = of->body();
  for (TraceRef &region : body.regions)
    region = withoutHosts(region);
  auto *trace = new Trace;
  TraceRef ref(trace);
  trace->body_ = std::move(body);
  trace->hasEffect_ = of->hasEffect_;
  trace->callsHost_ = true;
  return ref;
}

RegionType Trace::regionType() const {
  RegionType type;
  for (ValueId input : body_.inputs)
    type.inputs.push_back(body_.types[input]);
  for (ValueId output : body_.outputs)
    type.outputs.push_back(body_.types[output]);
  return type;
}

std::span<const std::byte> Trace::bytes() const {
  // Two threads may make them at once; the first one stored stays.
  static constinit rt::ForkLock mutex(rt::LockOrder::traceBytes);
  if (!__atomic_load_n(&hasBytes_, __ATOMIC_ACQUIRE)) {
    std::vector<std::byte> made = encodeTrace(*this);
    std::lock_guard lock(mutex);
    if (!hasBytes_) {
      bytes_ = std::move(made);
      hash_ = hashBytes(bytes_);
      __atomic_store_n(&hasBytes_, true, __ATOMIC_RELEASE);
    }
  }
  return bytes_;
}

uint64_t Trace::hash() const {
  bytes();
  return hash_;
}

bool tenon::operator==(const Trace &a, const Trace &b) {
  if (&a == &b)
    return true;
  std::span<const std::byte> x = a.bytes(), y = b.bytes();
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size()) == 0;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string scalarText(ScalarAttr value) {
  switch (value.kind) {
  case Kind::boolean:
    return value.asBool() ? "true" : "false";
  case Kind::integer: // of 64 bits, see checkAttributes
    return value.asInt() < 0 ? std::to_string(static_cast<int64_t>(value.asInt())) : std::to_string(value.words[0]);
  case Kind::floating: {
    char text[32];
    snprintf(text, sizeof text, "%.17g", value.asDouble());
    return text;
  }
  case Kind::complex: {
    char text[64];
    snprintf(text, sizeof text, "(%.17g, %.17g)", value.asComplex().real, value.asComplex().imag);
    return text;
  }
  }
  __builtin_unreachable();
}

static std::string quoted(std::string_view string) {
  std::string text = "\"";
  for (char c : string)
    text += c == '"' || c == '\\' ? std::string{'\\', c} : c == '\n' ? "\\n" : std::string(1, c);
  return text + "\"";
}

static std::string attributeText(AttrKind kind, AttrReader &reader) {
  auto list = [](auto values, auto &&text) {
    std::string all = "[";
    for (size_t i = 0; i < values.size(); ++i)
      all += (i ? ", " : "") + text(values[i]);
    return all + "]";
  };
  switch (kind) {
  case AttrKind::int_:
    return std::to_string(reader.readInt());
  case AttrKind::bool_:
    return reader.readBool() ? "true" : "false";
  case AttrKind::dtype:
    return std::string(short_name(reader.readDtype()));
  case AttrKind::scalar:
    return scalarText(reader.readScalar());
  case AttrKind::string:
    return quoted(reader.readString());
  case AttrKind::ints:
    return list(reader.readInts(), [](int64_t value) { return std::to_string(value); });
  case AttrKind::dims:
    return list(reader.readDims(), [](Dim value) { return value.str(); });
  case AttrKind::device:
    return name(reader.readDevice());
  case AttrKind::named: // see namedText
    break;
  }
  __builtin_unreachable();
}

/// The attributes of a composite.
static std::string namedText(std::string_view composite, AttrWords words) {
  std::string text = "{";
  AttrReader reader(words);
  if (const CompositeInfo *info = findComposite(composite))
    for (const AttrInfo &attribute : info->attributes)
      text +=
          (text.size() > 1 ? ", " : "") + std::string(attribute.name) + " = " + attributeText(attribute.kind, reader);
  return text + "}";
}

std::string tenon::attributesText(const Trace &trace, const TraceOp &op) {
  std::string text;
  AttrReader reader(trace.attributes(op));
  for (const AttrInfo &attribute : opInfo(op.code).attributes) {
    text += (text.empty() ? "" : ", ") + std::string(attribute.name) + " = ";
    text += attribute.kind == AttrKind::named
                ? namedText(CompositeAttrs::read(trace.attributes(op)).name, reader.readNamed())
                : attributeText(attribute.kind, reader);
  }
  return text;
}

static void printBody(const Trace &trace, const std::string &indent, std::string &out) {
  auto value = [](ValueId id) { return "%" + std::to_string(id); };
  out += "(";
  for (size_t i = 0; i < trace.inputs().size(); ++i)
    out += (i ? ", " : "") + value(trace.inputs()[i]) + ": " + trace.type(trace.inputs()[i]).str();
  out += ") {\n";
  for (size_t i = 0; i < trace.ops().size(); ++i) {
    const TraceOp &op = trace.ops()[i];
    const OpInfo &info = opInfo(op.code);
    out += indent + "  ";
    for (uint32_t r = 0; r < op.results; ++r)
      out += (r ? ", " : "") + value(op.firstResult + r) + ": " + trace.type(op.firstResult + r).str();
    out += op.results ? " = " : "";
    out += info.name;
    const char *separator = " ";
    for (ValueId operand : trace.operands(op)) {
      out += separator + value(operand);
      separator = ", ";
    }
    if (const std::string text = attributesText(trace, op); !text.empty())
      out += separator + text;
    for (size_t r = 0; r < op.regionCount; ++r) {
      const RegionInfo &region = regionInfo(info, r);
      const Trace &nested = *trace.regions(op)[r];
      out += " " + std::string(region.name);
      if (region.isNamed && !nested.body().name.empty())
        out += " " + quoted(nested.body().name);
      printBody(nested, indent + "  ", out);
    }
    if (const TraceLocation *location = trace.location(i); location && location->line && !op.regionCount)
      out += "  # " + location->file + ":" + std::to_string(location->line);
    if (out.back() != '\n')
      out += "\n";
  }
  out += indent + "  return";
  for (size_t i = 0; i < trace.outputs().size(); ++i)
    out += (i ? ", " : " ") + value(trace.outputs()[i]);
  out += "\n" + indent + "}\n";
}

std::string Trace::str() const {
  std::string out = "trace ";
  printBody(*this, "", out);
  return out;
}

//===- HostFunction.cpp - C++ functions that programs call -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/HostFunction.h"

#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/trace/Trace.h"

#include <algorithm>
#include <map>
#include <unordered_map>

using namespace tenon;

namespace {
struct HostTable {
  rt::ForkLock lock{rt::LockOrder::hostFunctions};
  std::unordered_map<int64_t, std::weak_ptr<const HostFunction>> byId;
  std::map<std::pair<HostFunction::Call, const void *>, std::shared_ptr<const HostFunction>> lasting;
  std::map<std::pair<HostFunction::Call, std::string>, std::weak_ptr<const HostFunction>> byKey;
  int64_t next = 1;
  uint64_t ended = 0;
};
} // namespace

static HostTable &table() {
  static constinit rt::Lasting<HostTable> instance;
  return instance.get();
}

HostFunction::HostFunction(Call call, Destroy destroy, void *state, bool isLasting)
    : call_(call), destroy_(destroy), state_(state), isLasting_(isLasting) {
  std::lock_guard lock(table().lock);
  id_ = table().next++;
}

HostFunction::~HostFunction() {
  {
    std::lock_guard lock(table().lock);
    table().byId.erase(id_);
    if (const auto known = table().byKey.find({call_, key_}); known != table().byKey.end() && known->second.expired())
      table().byKey.erase(known);
    ++table().ended;
  }
  destroy_(state_); // the user's code, under no lock
}

static std::shared_ptr<const HostFunction> enlist(std::shared_ptr<const HostFunction> function) {
  std::lock_guard lock(table().lock);
  table().byId.emplace(function->id(), function);
  return function;
}

std::shared_ptr<const HostFunction> HostFunction::make(Call call, Destroy destroy, void *state, std::string key) {
  const auto made = std::make_shared<HostFunction>(call, destroy, state, false);
  if (key.empty())
    return enlist(made);
  std::lock_guard lock(table().lock);
  std::weak_ptr<const HostFunction> &known = table().byKey[{call, key}];
  if (auto there = known.lock())
    return there;
  known = made;
  made->key_ = std::move(key);
  table().byId.emplace(made->id(), made); // whoever finds it by its key may ask for its number
  return made;
}

std::shared_ptr<const HostFunction> HostFunction::lasting(Call call, Destroy destroy, const void *key,
                                                          void *(*make)(const void *), const void *from) {
  const std::pair place(call, key);
  {
    std::lock_guard lock(table().lock);
    if (const auto known = table().lasting.find(place); known != table().lasting.end())
      return known->second;
  }
  // Another thread may be faster; the function that loses has no number that anybody knows.
  const auto made = enlist(std::make_shared<const HostFunction>(call, destroy, make(from), true));
  std::lock_guard lock(table().lock);
  return table().lasting.try_emplace(place, made).first->second;
}

std::shared_ptr<const HostFunction> HostFunction::find(int64_t id) {
  std::lock_guard lock(table().lock);
  const auto place = table().byId.find(id);
  return place == table().byId.end() ? nullptr : place->second.lock();
}

bool HostFunction::isThere(int64_t id) { // holding none: the last one to let go runs the user's code
  std::lock_guard lock(table().lock);
  const auto place = table().byId.find(id);
  return place != table().byId.end() && !place->second.expired();
}

bool HostFunction::areAlike(int64_t a, int64_t b) {
  const auto x = find(a), y = find(b);
  return a == b || (x && y && x->call_ == y->call_);
}

uint64_t HostFunction::ended() {
  std::lock_guard lock(table().lock);
  return table().ended;
}

void HostFunction::call(std::span<const Array> arguments, std::vector<Array> &results) const {
  call_(state_, arguments, results);
}

std::string tenon::placeOfHostCall(const Trace &trace) {
  for (size_t i = 0; i < trace.ops().size(); ++i) {
    const TraceOp &op = trace.ops()[i];
    if (const TraceLocation *at = trace.location(i); op.code == OpCode::host_call)
      return at && at->line ? at->file + ":" + std::to_string(at->line) : "";
    for (const TraceRef &region : trace.regions(op))
      if (region->callsHost())
        return placeOfHostCall(*region);
  }
  return "";
}

bool tenon::callsEndedHost(const Trace &trace) {
  return trace.callsHost() && std::ranges::any_of(trace.ops(), [&](const TraceOp &op) {
           return (op.code == OpCode::host_call &&
                   !HostFunction::isThere(HostCallAttrs::read(trace.attributes(op)).function)) ||
                  std::ranges::any_of(trace.regions(op),
                                      [](const TraceRef &region) { return callsEndedHost(*region); });
         });
}

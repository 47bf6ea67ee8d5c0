//===- Eager.cpp - the bottom interpreter: kernels on buffers -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/DeviceCall.h"
#include "lib/array/Serial.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/FloatingPoint.h"
#include "lib/base/Lasting.h"
#include "lib/base/Statistics.h"
#include "lib/ops/Composite.h"
#include "lib/ops/Door.h"
#include "lib/ops/Views.h"
#include "lib/program/EagerRegions.h"
#include "lib/program/HostSteps.h"
#include "lib/trace/Guard.h"

#include <tenon/detail/inline_vector.h>

using namespace tenon;
using namespace tenon::detail;

namespace {
class Eager final : public Interpreter {
public:
  Eager() : Interpreter(InterpreterKind::eager, "eager") { installHostSteps(); }
  void process(const Bind &bind, std::span<Array> results) override;
};
} // namespace

Interpreter &tenon::eager() {
  static constinit rt::Lasting<Eager> instance;
  return instance.get();
}

/// Where an op runs: the shape rule has seen that all operands are on one device,
/// the results' own.
static Device deviceOf(const Bind &bind) {
  return !bind.types.empty() ? bind.types[0].device : !bind.operands.empty() ? bind.operands[0]->device() : Device::cpu;
}

/// The buffer that an op may change in place: nobody but who binds the op has it.
static Value *updatedBuffer(const Bind &bind) {
  const int updated = opInfo(bind.op).updated;
  if (!bind.mayUpdate || updated < 0)
    return nullptr;
  Value *value = bind.operands[static_cast<size_t>(updated)];
  const bool isOnly = __atomic_load_n(&value->references, __ATOMIC_ACQUIRE) == 1 && !value->base && value->isDense();
  return isOnly ? value : nullptr;
}

/// False: the kernel of a composite has declined. `name` is that of errors.
static bool runKernel(const rt::DeviceTable &device, rt::Kernel kernel, const char *name, rt::KernelCall call,
                      const Bind &bind, std::span<Array> results) {
  InlineVector<rt::View, 4> operands;
  InlineVector<rt::View, 2> outputs;
  for (const Value *operand : bind.operands)
    operands.push_back(viewOf(operand));
  Value *updated = updatedBuffer(bind);
  if (updated)
    loseSerial(updated);
  for (size_t i = 0; i < results.size(); ++i) {
    const Type &type = bind.types[i];
    results[i] = updated ? Array::share(updated)
                         : Array::adopt(makeResult(bind.op, type.dtype, {type.shape.begin(), type.shape.size()},
                                                   type.device, bind.at));
    outputs.push_back(viewOf(results[i].value()));
  }
  DeviceCall work(device, {name, device.streams ? userLocation(bind.at) : Location()});
  for (const Value *operand : bind.operands)
    work.await(operand);
  if (updated)
    work.awaitAll();
  call.operands = operands;
  call.results = outputs;
  call.stream = work.stream();
  rt::Fault fault;
  call.fault = &fault;
  const rt::DefaultFloatingPoint scope;
  const rt::Status status = kernel(call);
  if (status == rt::Status::declined)
    return false;
  if (status == rt::Status::otherwise)
    throw GuardFailed(guardsHeld, fault.answer, "", userLocation(bind.at));
  guardsHeld += bind.op == OpCode::guard;
  if (status != rt::Status::ok)
    throwFailure({status, "", rt::Origin{publicName(name).c_str(), userLocation(bind.at)}, fault});
  work.end(results);
  ++counters().eager_kernels;
  return true;
}

/// The device's table; `what` begins the Error if there is none.
static const rt::DeviceTable &tableFor(const Bind &bind, const char *what) {
  const Device device = deviceOf(bind);
  return device == Device::cpu ? rt::hostDevice : tableOf(device, what, bind.at);
}

/// By the kernel that stands for it on the device, or op by op.
static void runComposite(const Bind &bind, std::span<Array> results) {
  const CompositeInfo *info = registeredComposite(bind);
  if (!info)
    return openComposite(bind, results);
  const rt::DeviceTable &device = tableFor(bind, info->name);
  const CompositeId id = idOf(*info);
  const rt::Kernel kernel = device.composite(id);
  const AttrWords attributes = CompositeAttrs::read(bind.attributes).composite_attributes;
  if (!kernel ||
      !runKernel(device, kernel, info->name, {bind.op, {}, {}, attributes, nullptr, nullptr, id}, bind, results))
    openComposite(bind, results);
}

/// A symbol that no input has as a size is a number without meaning here.
static void expectKnownAttributes(const Bind &bind) {
  const OpInfo &info = opInfo(bind.op);
  forEachDim(info, bind.attributes, [&](int64_t raw) {
    if (Dim dim = Dim::from_raw(raw); !dim.is_static()) [[unlikely]]
      throw Error(publicName(info.name) + ": expected known sizes outside of jit, got " + dim.str(),
                  userLocation(bind.at));
  });
}

static void run(const Bind &bind, std::span<Array> results) {
  for (const Type &type : bind.types)
    if (!type.shape.is_static())
      throw Error(publicName(opInfo(bind.op).name) + ": expected known sizes outside of jit, got " + type.str(),
                  userLocation(bind.at));
  expectKnownAttributes(bind);
  if (makeViews(bind, results))
    return;
  if (bind.op == OpCode::host_call)
    return callHost(bind, results);
  const OpInfo &info = opInfo(bind.op);
  if (info.lowering == Lowering::region)
    return runRegionOp(bind, results);
  if (info.lowering == Lowering::open)
    return runComposite(bind, results);
  if (info.lowering == Lowering::ruled)
    return openComposite(bind, results);
  const rt::DeviceTable &device = tableFor(bind, info.name);
  const rt::Kernel kernel = device.kernel(bind.op);
  if (!kernel || !runKernel(device, kernel, info.name, {bind.op, {}, {}, bind.attributes}, bind, results))
    throw InternalError(std::string(info.name) + ": no eager kernel", userLocation(bind.at));
}

void Eager::process(const Bind &bind, std::span<Array> results) {
  // What is refused memory knows no line.
  placed([&] { return userLocation(bind.at); }, [&] { run(bind, results); });
}

//===- Eager.cpp - the bottom interpreter: kernels on buffers -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/FloatingPoint.h"
#include "lib/base/Lasting.h"
#include "lib/base/Statistics.h"
#include "lib/ops/Views.h"
#include "lib/program/EagerRegions.h"
#include "lib/program/Print.h"

using namespace tenon;
using namespace tenon::detail;

namespace {
class Eager final : public Interpreter {
public:
  Eager() : Interpreter(InterpreterKind::eager, "eager") { installPrinter(); }
  void process(const Bind &bind, std::span<Array> results) override;
};
} // namespace

Interpreter &tenon::eager() {
  static constinit rt::Lasting<Eager> instance;
  return instance.get();
}

static void runKernel(const Bind &bind, std::span<Array> results) {
  // The shape rule has seen that all operands are on one device, the results' own.
  const Device device = !bind.types.empty()      ? bind.types[0].device
                        : !bind.operands.empty() ? bind.operands[0]->device()
                                                 : Device::cpu;
  rt::Kernel kernel =
      device == Device::cpu ? rt::kernel(bind.op) : tableOf(device, opInfo(bind.op).name, bind.at).kernel(bind.op);
  if (!kernel)
    throw InternalError(std::string(opInfo(bind.op).name) + ": no eager kernel", userLocation(bind.at));
  std::vector<rt::View> operands, outputs;
  operands.reserve(bind.operands.size());
  for (const Value *operand : bind.operands)
    operands.push_back(viewOf(operand));
  for (size_t i = 0; i < results.size(); ++i) {
    const Type &type = bind.types[i];
    results[i] = Array::adopt(makeBuffer(type.dtype, {type.shape.begin(), type.shape.size()}, type.device));
    outputs.push_back(viewOf(results[i].value()));
  }
  rt::KernelCall call{bind.op, operands, outputs, bind.attributes};
  ++counters().eagerKernels;
  const rt::DefaultFloatingPoint scope;
  switch (kernel(call)) {
  case rt::Status::ok:
    return;
  case rt::Status::unsupportedCpu:
    throw Error(std::string(opInfo(bind.op).name) + ": expected a CPU with at least the features of x86-64-v3",
                userLocation(bind.at));
  case rt::Status::outOfMemory:
    throw Error(std::string(opInfo(bind.op).name) + ": cannot allocate scratch memory", userLocation(bind.at));
  case rt::Status::cancelled:
  case rt::Status::failed:
    throw InternalError(std::string(opInfo(bind.op).name) + ": the kernel failed", userLocation(bind.at));
  }
}

/// A symbol that no input has as a size is a number without meaning here.
static void expectKnownAttributes(const Bind &bind) {
  const OpInfo &info = opInfo(bind.op);
  forEachDim(info, bind.attributes, [&](int64_t raw) {
    if (Dim dim = Dim::from_raw(raw); !dim.is_static()) [[unlikely]]
      throw Error(std::string(info.name) + ": expected known sizes outside of jit, got " + dim.str(),
                  userLocation(bind.at));
  });
}

static void run(const Bind &bind, std::span<Array> results) {
  for (const Type &type : bind.types)
    if (!type.shape.is_static())
      throw Error(std::string(opInfo(bind.op).name) + ": expected known sizes outside of jit, got " + type.str(),
                  userLocation(bind.at));
  expectKnownAttributes(bind);
  if (makeViews(bind, results))
    return;
  if (opInfo(bind.op).lowering == Lowering::region)
    return runRegionOp(bind, results);
  runKernel(bind, results);
}

void Eager::process(const Bind &bind, std::span<Array> results) {
  // What is refused memory knows no line.
  placed([&] { return userLocation(bind.at); }, [&] { run(bind, results); });
}

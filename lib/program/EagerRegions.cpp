//===- EagerRegions.cpp - region ops on buffers -----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/EagerRegions.h"

#include "lib/array/Buffer.h"
#include "lib/program/Programs.h"
#include "lib/trace/Context.h"

#include <tenon/program.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

static thread_local constinit bool interpreting = false;

InterpretRegions::InterpretRegions() : before_(interpreting) { interpreting = true; }
InterpretRegions::~InterpretRegions() { interpreting = before_; }

DisableJit::DisableJit() : before_(jitIsDisabled) { jitIsDisabled = true; }
DisableJit::~DisableJit() { jitIsDisabled = before_; }

static std::vector<Array> shared(std::span<Value *const> values) {
  std::vector<Array> arrays;
  for (Value *value : values)
    arrays.push_back(Array::share(value));
  return arrays;
}

static void interpretWhile(const Bind &bind, std::span<Array> results) {
  WhileLoopAttrs a = WhileLoopAttrs::read(bind.attributes);
  auto condConsts = bind.operands.first(size_t(a.cond_consts));
  auto bodyConsts = bind.operands.subspan(size_t(a.cond_consts), size_t(a.body_consts));
  std::vector<Array> condInputs = shared(condConsts), bodyInputs = shared(bodyConsts);
  size_t condFixed = condInputs.size(), bodyFixed = bodyInputs.size();
  std::vector<Array> carries = shared(bind.operands.subspan(condFixed + bodyFixed));
  while (true) {
    condInputs.resize(condFixed);
    condInputs.insert(condInputs.end(), carries.begin(), carries.end());
    if (!evaluateTrace(*bind.regions[0], condInputs)[0].item<bool>(bind.at))
      break;
    bodyInputs.resize(bodyFixed);
    bodyInputs.insert(bodyInputs.end(), carries.begin(), carries.end());
    carries = evaluateTrace(*bind.regions[1], bodyInputs);
  }
  std::copy(carries.begin(), carries.end(), results.begin());
}

static void interpretScan(const Bind &bind, std::span<Array> results) {
  ScanAttrs a = ScanAttrs::read(bind.attributes);
  int64_t length = a.length[0].raw();
  size_t consts = size_t(a.consts), carryCount = size_t(a.carries);
  std::vector<Array> fixed = shared(bind.operands.first(consts));
  std::vector<Array> carries = shared(bind.operands.subspan(consts, carryCount));
  std::vector<Array> xs = shared(bind.operands.subspan(consts + carryCount));
  for (size_t i = carryCount; i < results.size(); ++i) {
    const Type &type = bind.types[i];
    results[i] = Array::adopt(makeBuffer(type.dtype, {type.shape.begin(), type.shape.size()}, Device::cpu));
  }
  for (int64_t step = 0; step < length; ++step) {
    int64_t at = a.reverse ? length - 1 - step : step;
    std::vector<Array> inputs = fixed;
    inputs.insert(inputs.end(), carries.begin(), carries.end());
    for (const Array &x : xs)
      inputs.push_back(x[at]);
    std::vector<Array> outputs = evaluateTrace(*bind.regions[0], inputs);
    for (size_t i = 0; i < carryCount; ++i)
      carries[i] = outputs[i];
    for (size_t i = carryCount; i < results.size(); ++i) {
      Array place = results[i][at];
      copyElements(outputs[i].value(), place.value(), bind.at);
    }
  }
  std::copy(carries.begin(), carries.end(), results.begin());
}

void detail::runRegionOp(const Bind &bind, std::span<Array> results) {
  if (!interpreting && !jitIsDisabled)
    return runAsProgram(bind, results);
  switch (bind.op) {
  case OpCode::call:
  case OpCode::cond: {
    size_t branch = 0;
    auto operands = bind.operands;
    if (bind.op == OpCode::cond) {
      branch = Array::share(operands[0]).item<bool>(bind.at) ? 0 : 1;
      operands = operands.subspan(1);
    }
    std::vector<Array> outputs = evaluateTrace(*bind.regions[branch], shared(operands));
    std::copy(outputs.begin(), outputs.end(), results.begin());
    return;
  }
  case OpCode::while_loop:
    return interpretWhile(bind, results);
  case OpCode::scan:
    return interpretScan(bind, results);
  default:
    throw InternalError(std::string(opInfo(bind.op).name) + ": not a region op", bind.at);
  }
}

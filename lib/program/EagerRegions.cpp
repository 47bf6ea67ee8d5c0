//===- EagerRegions.cpp - region ops on buffers -----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/EagerRegions.h"

#include "dialect/model/RegionLayout.h"
#include "lib/program/Programs.h"
#include "lib/trace/Context.h"

#include <tenon/program.h>

#include <algorithm>

namespace tenon {
#include "lib/program/Interpreters.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

static thread_local constinit bool interpreting = false;

InterpretRegions::InterpretRegions() : before_(interpreting) { interpreting = true; }
InterpretRegions::~InterpretRegions() { interpreting = before_; }
CompileRegions::CompileRegions() : before_(interpreting) { interpreting = false; }
CompileRegions::~CompileRegions() { interpreting = before_; }

EagerScope::EagerScope() : before_(std::exchange(isEagerScope, true)) {}
EagerScope::~EagerScope() { isEagerScope = before_; }
void tenon::run_functions_eagerly(bool eagerly) { isEagerProcess = eagerly; }
bool tenon::executing_eagerly() { return !innermostRecord(); }

std::vector<Array> tenon::shared(std::span<Value *const> values) {
  std::vector<Array> arrays;
  for (Value *value : values)
    arrays.push_back(Array::share(value));
  return arrays;
}

void tenon::evaluateRegion(const Bind &bind, size_t region, std::span<Array> results) {
  RegionLayout layout;
  layout.read(opInfo(bind.op), bind.operands.size(), bind.attributes);
  std::vector<Array> inputs;
  for (size_t operand : layout.inputsOf(region))
    inputs.push_back(Array::share(bind.operands[operand]));
  std::vector<Array> outputs = evaluateTrace(*bind.regions[region], inputs);
  std::copy(outputs.begin(), outputs.end(), results.begin());
}

void detail::runRegionOp(const Bind &bind, std::span<Array> results) {
  if (!interpreting && !runsEagerly())
    return runAsProgram(bind, results);
  interpreters[static_cast<size_t>(bind.op)](bind, results);
}

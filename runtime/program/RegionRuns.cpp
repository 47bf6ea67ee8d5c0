//===- RegionRuns.cpp - how each region op runs its bodies ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/RegionRun.h"

#include <algorithm>
#include <iterator>

namespace tenon::rt {
#include "runtime/program/RegionRuns.gen.inc"
} // namespace tenon::rt

using namespace tenon;
using namespace tenon::rt;

RegionRunner rt::regionRunner(OpCode op) {
  auto code = static_cast<size_t>(op);
  return code < std::size(regionRunners) ? regionRunners[code] : nullptr;
}

Status RegionRun::returnCarries(void *const *carries) const {
  Status status = Status::ok;
  for (uint32_t i = 0; i < plan.carryBytes.size() && status == Status::ok; ++i)
    if (void *place = result(i); carries[i] != place)
      status = run_.copyBytes(place, carries[i], static_cast<size_t>(plan.carryBytes[i]));
  return status;
}

Status rt::runCall(RegionRun &run) { return run.once(run.plan.bodies[0]); }

Status rt::runCond(RegionRun &run) { return run.once(run.plan.bodies[run.read<char>(run.operand(0)) ? 0 : 1]); }

Status rt::runSwitchCase(RegionRun &run) {
  const auto index = run.read<int64_t>(run.operand(0));
  return run.once(run.plan.bodies[static_cast<size_t>(std::clamp<int64_t>(index, 0, std::ssize(run.plan.bodies) - 1))]);
}

Status rt::runScan(RegionRun &run) {
  const RegionPlan &plan = run.plan;
  const RegionPlan::Body &body = plan.bodies[0];
  const bool reverse = ScanAttrs::read(plan.words).reverse;
  const auto carryCount = static_cast<uint32_t>(plan.carryBytes.size());
  void **in = run.enter(body), **out = in + body.inputs.size(), **carries = in + body.firstCarry;
  for (int64_t round = 0; round < plan.rounds; ++round) {
    const int64_t at = reverse ? plan.rounds - 1 - round : round;
    // So that the last round writes the results themselves.
    run.placeCarries(carries, out, (plan.rounds - 1 - round) % 2 == 0);
    for (const RegionPlan::Slice &slice : plan.slices)
      in[slice.input] = run.operand(slice.operand) + at * slice.bytes;
    for (uint32_t i = 0; i < plan.stackedBytes.size(); ++i)
      out[carryCount + i] = run.result(carryCount + i) + at * plan.stackedBytes[i];
    if (Status status = run.nested(body); status != Status::ok)
      return status;
    std::copy_n(out, carryCount, carries);
    if (run.cancelled()) // a body without steps does not ask
      return Status::cancelled;
  }
  return run.returnCarries(carries);
}

Status rt::runWhileLoop(RegionRun &run) {
  const RegionPlan &plan = run.plan;
  const RegionPlan::Body &condition = plan.bodies[0], &body = plan.bodies[1];
  void **asked = run.enter(condition), **in = run.enter(body);
  void **carries = in + body.firstCarry, **out = in + body.inputs.size();
  const char *holds = run.answer(condition);
  asked[condition.inputs.size()] = run.answer(condition);
  for (bool inResults = false;; inResults = !inResults) {
    std::copy_n(carries, plan.carryBytes.size(), asked + condition.firstCarry);
    if (Status status = run.nested(condition); status != Status::ok)
      return status;
    if (!run.read<char>(holds))
      break;
    run.placeCarries(carries, out, inResults);
    if (Status status = run.nested(body); status != Status::ok)
      return status;
    std::copy_n(out, plan.carryBytes.size(), carries);
    if (run.cancelled()) // bodies without steps do not ask
      return Status::cancelled;
  }
  return run.returnCarries(carries);
}

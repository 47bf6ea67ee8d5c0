//===- OutsideOfPrograms.h - C++ that runs for itself -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/ErrorLocation.h"
#include "lib/base/FloatingPoint.h"
#include "lib/program/EagerRegions.h"
#include "lib/trace/Guard.h"
#include "lib/trace/State.h"
#include "lib/trace/Tapes.h"

namespace tenon::detail {

/// While it lives this thread's C++ runs for itself, whatever is recorded, differentiated, interpreted or counted
/// outside: a function of host_call, the building of a layer.
struct OutsideOfPrograms {
  EmptyStack stack;
  DetachedLocations locations;
  WithoutStateScopes states;
  CompileRegions regions;
  GuardCount guards;
  rt::DefaultFloatingPoint floats;
};

} // namespace tenon::detail

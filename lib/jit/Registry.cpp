//===- Registry.cpp - the jitted functions of the process ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Registry.h"

#include "lib/base/Lasting.h"
#include "lib/jit/Core.h"
#include "lib/trace/RegionOp.h"

#include <unordered_set>
#include <vector>

using namespace tenon;
using namespace tenon::detail;

namespace {
struct Registry {
  rt::ForkLock lock{rt::LockOrder::jitRegistry};
  std::unordered_set<JitCore *> cores;
};
} // namespace

static Registry &registry() {
  static constinit rt::Lasting<Registry> instance;
  return instance.get();
}

void detail::enlist(JitCore &core) {
  std::lock_guard lock(registry().lock);
  registry().cores.insert(&core);
}

void detail::delist(JitCore &core) {
  std::lock_guard lock(registry().lock);
  registry().cores.erase(&core);
}

/// One reference more, unless it is about to end.
static bool retainIfHeld(JitCore &core) {
  uint32_t count = __atomic_load_n(&core.references, __ATOMIC_RELAXED);
  while (count &&
         !__atomic_compare_exchange_n(&core.references, &count, count + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return count;
}

void tenon::clear_caches() {
  std::vector<JitCore *> held;
  {
    std::lock_guard lock(registry().lock);
    for (JitCore *core : registry().cores)
      if (retainIfHeld(*core))
        held.push_back(core);
  }
  for (JitCore *core : held) {
    core->clear();
    releaseJit(core);
  }
  forgetPlans();
  forgetPrograms();
}

//===- Registry.h - the jitted functions of the process -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tenon::detail {

class JitCore;

/// From here on clear_caches reaches it.
void enlist(JitCore &core);
/// Of one that nobody holds any more.
void delist(JitCore &core);

} // namespace tenon::detail

//===- Symbolic.h - one program for all sizes -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tenon::conformance {

/// Registers two groups of tests. `Symbolic.exp/f32/compiled/vmap` and others: one axis is a symbol; one trace and one
/// compilation serve all sizes, a saved program takes a new size, and every result has the bits of the eager one.
/// `SymbolicSizes.exp/f32/3x5` and others: each case of every op, traced with symbols for its sizes.
void registerSymbolic();

} // namespace tenon::conformance

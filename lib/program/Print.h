//===- Print.h - the host step of print ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tenon::detail {

/// Gives the runtime what its step `print` calls: formatting and standard
/// output. Called before anything runs; calling it again does nothing.
void installPrinter();

} // namespace tenon::detail

//===- Text.h - jitted functions as people read them --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/jit/Entry.h"

#include <span>
#include <string>

namespace tenon::detail {

/// What the print of a ConcreteFunction is.
std::string concreteText(const std::string &name, std::span<const std::string> names, const JitEntry &entry);
/// Where it was traced, how often it was called, and what C++ asks on which of its paths.
std::string hitText(const JitEntry &entry, uint64_t calls);
std::string costText(const ProgramCost &cost);

} // namespace tenon::detail

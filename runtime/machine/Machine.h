//===- Machine.h - how much of the machine this process may use -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace tenon::rt {

/// CPUs this process may run on: its affinity mask and the CPU quota of its
/// control groups (v1 and v2, rounded up), whichever is less; at least 1.
int usableCpus();

/// Bytes of memory: the machine's, or the control groups' limit if less.
size_t usableMemory();

namespace detail {
/// usableCpus() where `proc` stands for /proc/self.
int usableCpus(const char *proc);
/// The quota in CPUs of the groups named by `proc`/cgroup, looked up where
/// `proc`/mountinfo says they are mounted, ancestors included; 0 if none.
double cgroupCpus(const char *proc);
/// The same for memory, in bytes; 0 if none.
size_t cgroupMemory(const char *proc);
} // namespace detail

} // namespace tenon::rt

//===- Context.cpp - what recording reads besides its arguments ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Context.h"

#include <tenon/format.h>

using namespace tenon;
using namespace tenon::detail;

Context Context::current() { return {print_options().precision}; }

thread_local constinit bool detail::jitIsDisabled = false;
thread_local constinit uint64_t KeptRecording::innermost_ = 0;

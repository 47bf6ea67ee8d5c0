//===- Context.cpp - what recording reads besides its arguments ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Context.h"

using namespace tenon;
using namespace tenon::detail;

thread_local constinit bool detail::jitIsDisabled = false;

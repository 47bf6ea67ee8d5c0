//===- Mirror.cpp - the rule of the view op in Mirror.td ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Views.h"

namespace tenon {
bool viewMirror(const ViewCall &, ViewMap &) { return true; }
} // namespace tenon

//===- ShapeTable.cpp - the shape rules by op code -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Shape.h"

namespace tenon {

#include "dialect/ShapeRules.gen.inc"

ShapeRule shapeRule(OpCode code) { return shapeRules[static_cast<uint16_t>(code)]; }

} // namespace tenon

//===- ShapeTable.cpp - the shape rules by op code -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

namespace tenon {

#include "dialect/model/ShapeRules.gen.inc"

ShapeRule shapeRule(OpCode code) { return shapeRules[static_cast<uint16_t>(code)]; }

} // namespace tenon

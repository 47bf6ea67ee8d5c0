//===- Main.cpp - a program that asks for the rule of a view ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Views.h"

using namespace tenon;

int main() {
  ViewMap map;
  return mapView(opInfo(OpCode::reshape), {2, 1, {}}, map) && map.isRowMajor ? 0 : 1;
}

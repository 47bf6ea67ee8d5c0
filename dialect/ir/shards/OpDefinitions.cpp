//===- OpDefinitions.cpp - one shard of what mlir-tblgen writes of the ops -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once for each shard, with GET_OP_DEFS_<shard> defined: one file with all of the ops takes g++ a minute and a
// half.
//===----------------------------------------------------------------------===//
#include "dialect/ir/OpTypes.h"

#include "mlir/IR/Builders.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
using namespace tenon::ir;
#include "dialect/ir/TenonOps.cpp.inc"

//===- Ops.td - every op and composite ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "Elementwise.td"
include "Shaped.td"
include "Indexing.td"
include "Sorting.td"
include "Cumulative.td"
include "Regions.td"
include "Kernel.td"
include "composites/Neural.td"
include "composites/Elementwise.td"
include "composites/Reduction.td"
include "composites/Search.td"
include "composites/Movement.td"
include "composites/Creation.td"
include "composites/Contraction.td"
include "composites/Selection.td"
include "composites/Numeric.td"

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
include "Composites.td"
include "Activations.td"
include "ElementwiseComposites.td"
include "ReductionComposites.td"
include "SearchComposites.td"

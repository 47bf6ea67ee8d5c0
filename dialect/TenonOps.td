//===- TenonOps.td - every op and composite -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "TenonElementwise.td"
include "TenonShaped.td"
include "TenonRegions.td"
include "TenonKernel.td"
include "TenonComposites.td"

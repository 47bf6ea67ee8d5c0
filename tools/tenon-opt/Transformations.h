//===- Transformations.h - grad, jvp and vmap as passes -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// --tenon-grad, --tenon-jvp, --tenon-vmap: the library's own rules on the function of a
/// module, which goes through a trace and back.
void registerTransformations();

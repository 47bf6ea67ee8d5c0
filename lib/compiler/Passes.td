//===- Passes.td - the passes of the compiler -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_PASSES
#define TENON_PASSES

include "mlir/Pass/PassBase.td"

def OpenComposites : Pass<"tenon-open-composites"> {
  let summary = "Inline the decompositions of composites, and the calls marked for it";
  let description = [{
    Replaces `tenon.softmax` by the ops of its region, and every `tenon.call`
    that has the attribute `tenon.inline`. Grouping runs it on what it does not
    keep whole; an op's location then names the composite.
  }];
  let dependentDialects = ["::tenon::ir::TenonDialect"];
}

#endif // TENON_PASSES

//===- Interfaces.td - what ops of the dialect are asked by passes -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_INTERFACES
#define TENON_INTERFACES

include "mlir/IR/Interfaces.td"

// The trait of an op whose results are elements of an operand, where they lie. The
// rule view<Stem> says where: strides, slots of schedules, residuals, kernels and
// folds follow from it. A view has one operand, or several with a result each.
def Tenon_View : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::tenon::ir";
  let methods = [
    StaticInterfaceMethod<"The op's record.", "const ::tenon::OpInfo &", "getInfo", (ins), "",
                          "return ::tenon::opInfo(ConcreteOp::getOpCode());">,
    InterfaceMethod<"How the first result lies in its operand; false for an op that its verifier refuses.", "bool",
                    "mapView", (ins "::tenon::ViewMap &":$map), "", "return ::tenon::ir::mapView($_op, map);">,
  ];
}

#endif // TENON_INTERFACES

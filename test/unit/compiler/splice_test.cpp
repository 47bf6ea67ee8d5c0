//===- splice_test.cpp - bodies of vector math inside kernels -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/target/cpu/SpliceMath.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

using namespace llvm;

// A table, branches, a loop, two returns.
static constexpr char math[] = R"(
@squares = internal unnamed_addr constant [4 x float] [float 0.0, float 1.0, float 4.0, float 9.0], align 16
@state = internal global float 0.0
declare float @llvm.fabs.f32(float)

define float @tenon_math_square_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %isLarge = fcmp ogt float %size, 3.0
  br i1 %isLarge, label %large, label %small
large:
  %product = fmul float %x, %x
  ret float %product
small:
  %index = fptosi float %size to i64
  %place = getelementptr [4 x float], ptr @squares, i64 0, i64 %index
  %value = load float, ptr %place
  ret float %value
}
define float @tenon_math_power_f32(float %x, float %n) {
entry:
  br label %loop
loop:
  %i = phi float [ 0.0, %entry ], [ %next, %loop ]
  %p = phi float [ 1.0, %entry ], [ %q, %loop ]
  %q = fmul float %p, %x
  %next = fadd float %i, 1.0
  %more = fcmp olt float %next, %n
  br i1 %more, label %loop, label %end
end:
  ret float %q
}
define float @tenon_math_twice_f32(float %x) {
  %y = fadd float %x, %x
  ret float %y
}
define float @tenon_math_local_f32(float %x) {
  %place = alloca float
  store float %x, ptr %place
  %y = load float, ptr %place
  ret float %y
}
define float @tenon_math_calls_f32(float %x) {
  %y = call float @tenon_math_twice_f32(float %x)
  ret float %y
}
define float @tenon_math_variable_f32(float %x) {
  %y = load float, ptr @state
  ret float %y
}
declare float @tenon_math_declared_f32(float)
)";

static std::unique_ptr<Module> parse(StringRef text, LLVMContext &context) {
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module;
}

TEST(Splice, BodiesWithBranchesAndTablesStandInKernels) {
  auto context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> bodies = parse(math, *context), kernels = parse(R"(
declare float @tenon_math_square_f32(float)
declare float @tenon_math_power_f32(float, float)
declare float @tenon_math_twice_f32(float)
define float @kernel(float %x, float %y) {
  %isFirst = fcmp olt float %x, %y
  br i1 %isFirst, label %yes, label %no
yes:
  %a = call float @tenon_math_square_f32(float %x)
  %b = call float @tenon_math_square_f32(float %y)
  %c = call float @tenon_math_twice_f32(float %a)
  %d = fadd float %c, %b
  br label %join
no:
  %e = call float @tenon_math_power_f32(float %x, float %y)
  br label %join
join:
  %f = phi float [ %d, %yes ], [ %e, %no ]
  ret float %f
}
)",
                                                                          *context);
  std::string error;
  ASSERT_TRUE(tenon::compiler::spliceMath(*kernels, *bodies, error)) << error;
  EXPECT_FALSE(verifyModule(*kernels, &errs()));
  unsigned tables = 0;
  for (const GlobalVariable &table : kernels->globals()) {
    EXPECT_TRUE(table.isConstant() && table.hasInternalLinkage());
    ++tables;
  }
  EXPECT_EQ(tables, 1u);
  for (const Function &function : *kernels)
    EXPECT_TRUE(function.isIntrinsic() || function.getName() == "kernel") << function.getName().str();

  bodies.reset(); // before its context goes
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto jit = cantFail(orc::LLJITBuilder().create());
  kernels->setDataLayout(jit->getDataLayout());
  cantFail(jit->addIRModule(orc::ThreadSafeModule(std::move(kernels), std::move(context))));
  auto kernel = cantFail(jit->lookup("kernel")).toPtr<float(float, float)>();
  EXPECT_EQ(kernel(2, 3), 2 * 4 + 9);
  EXPECT_EQ(kernel(-2, 5), 2 * 4 + 25);
  EXPECT_EQ(kernel(-7, -6), 2 * 49 + 36);
  EXPECT_EQ(kernel(3, 3), 27);
  EXPECT_EQ(kernel(2, 1), 2);
}

TEST(Splice, WhatCannotStandInAKernelIsNamed) {
  const std::pair<const char *, const char *> refused[] = {
      {"local", "a local array in tenon_math_local_f32"},
      {"calls", "a call in tenon_math_calls_f32"},
      {"variable", "a variable that is no constant in tenon_math_variable_f32"},
      {"declared", "no body for tenon_math_declared_f32"},
      {"unknown", "no body for tenon_math_unknown_f32"},
  };
  for (auto [name, expected] : refused) {
    LLVMContext context;
    std::string function = ("@tenon_math_" + Twine(name) + "_f32(float").str();
    std::unique_ptr<Module> bodies = parse(math, context);
    std::unique_ptr<Module> kernels =
        parse("declare float " + function + ")\ndefine float @kernel(float %x) {\n  %y = call float " + function +
                  " %x)\n  ret float %y\n}\n",
              context);
    std::string error;
    EXPECT_FALSE(tenon::compiler::spliceMath(*kernels, *bodies, error));
    EXPECT_EQ(error, expected);
  }
}

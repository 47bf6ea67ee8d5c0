//===- guest.cpp - a user's program that has an LLVM of its own ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `guest before PATH` loads libLLVM.so for all to see before Tenon's first
// compilation, `guest after PATH` after it; `guest linked` is linked with it.
// Both compile: the user's LLVM a module of its own, Tenon a jitted function.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

using namespace tenon;

static void *library = RTLD_DEFAULT;

/// A function of the user's LLVM; only its type is known when this is compiled.
template <class F>
static F *user(const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    std::printf("expected %s in the user's LLVM\n", name);
    std::exit(1);
  }
  return reinterpret_cast<F *>(found);
}

static void load(const char *path) {
  library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    std::printf("cannot load the user's LLVM: %s\n", dlerror());
    std::exit(1);
  }
}

/// int twice(int x) { return x + x; } as an object file; its size in bytes.
static size_t compileWithUsersLlvm() {
  for (const char *part : {"LLVMInitializeX86TargetInfo", "LLVMInitializeX86Target", "LLVMInitializeX86TargetMC",
                           "LLVMInitializeX86AsmPrinter"})
    user<void()>(part)();
  LLVMContextRef context = user<decltype(LLVMContextCreate)>("LLVMContextCreate")();
  LLVMModuleRef module =
      user<decltype(LLVMModuleCreateWithNameInContext)>("LLVMModuleCreateWithNameInContext")("guest", context);
  LLVMTypeRef i32 = user<decltype(LLVMInt32TypeInContext)>("LLVMInt32TypeInContext")(context);
  LLVMTypeRef type = user<decltype(LLVMFunctionType)>("LLVMFunctionType")(i32, &i32, 1, false);
  LLVMValueRef function = user<decltype(LLVMAddFunction)>("LLVMAddFunction")(module, "twice", type);
  LLVMBasicBlockRef block =
      user<decltype(LLVMAppendBasicBlockInContext)>("LLVMAppendBasicBlockInContext")(context, function, "entry");
  LLVMBuilderRef builder = user<decltype(LLVMCreateBuilderInContext)>("LLVMCreateBuilderInContext")(context);
  user<decltype(LLVMPositionBuilderAtEnd)>("LLVMPositionBuilderAtEnd")(builder, block);
  LLVMValueRef x = user<decltype(LLVMGetParam)>("LLVMGetParam")(function, 0);
  user<decltype(LLVMBuildRet)>("LLVMBuildRet")(builder,
                                               user<decltype(LLVMBuildAdd)>("LLVMBuildAdd")(builder, x, x, "sum"));

  LLVMTargetRef target;
  char *message = nullptr;
  const char *triple = "x86_64-pc-linux-gnu";
  if (user<decltype(LLVMGetTargetFromTriple)>("LLVMGetTargetFromTriple")(triple, &target, &message)) {
    std::printf("the user's LLVM: %s\n", message);
    std::exit(1);
  }
  LLVMTargetMachineRef machine = user<decltype(LLVMCreateTargetMachine)>("LLVMCreateTargetMachine")(
      target, triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMMemoryBufferRef object;
  if (user<decltype(LLVMTargetMachineEmitToMemoryBuffer)>("LLVMTargetMachineEmitToMemoryBuffer")(
          machine, module, LLVMObjectFile, &message, &object)) {
    std::printf("the user's LLVM: %s\n", message);
    std::exit(1);
  }
  size_t size = user<decltype(LLVMGetBufferSize)>("LLVMGetBufferSize")(object);
  user<decltype(LLVMDisposeMemoryBuffer)>("LLVMDisposeMemoryBuffer")(object);
  user<decltype(LLVMDisposeTargetMachine)>("LLVMDisposeTargetMachine")(machine);
  user<decltype(LLVMDisposeBuilder)>("LLVMDisposeBuilder")(builder);
  user<decltype(LLVMDisposeModule)>("LLVMDisposeModule")(module);
  user<decltype(LLVMContextDispose)>("LLVMContextDispose")(context);
  return size;
}

/// Compiles a function with Tenon's LLVM and compares it with the eager one.
static bool compileWithTenon(float factor) {
  auto function = [&](const Array &x) { return sum(exp(x * factor), 1); };
  Array x = random::normal(random::key(3), {17, 33});
  Statistics before = statistics();
  std::vector<float> compiled = jit(function)(x).to_vector<float>();
  bool wasCompiled = statistics().generated_kernels > before.generated_kernels;
  std::vector<float> eager = function(x).to_vector<float>();
  return wasCompiled && !std::memcmp(compiled.data(), eager.data(), eager.size() * sizeof(float));
}

int main(int count, char **arguments) {
  std::string when = count > 1 ? arguments[1] : "linked";
  if (when == "before")
    load(arguments[2]);
  size_t object = 0;
  if (when != "after")
    object = compileWithUsersLlvm();
  bool right = compileWithTenon(0.5f);
  if (when == "after")
    load(arguments[2]);
  // Both again, now that both have been used.
  size_t again = compileWithUsersLlvm();
  right &= compileWithTenon(0.25f);
  std::printf("%s: the user's LLVM wrote an object of %zu bytes; Tenon's %s\n", when.c_str(), again,
              right ? "compiled, same bits as eager" : "went WRONG");
  return right && again > 0 && (when == "after" || object == again) ? 0 : 1;
}

//===- Foreign.cpp - a compiler of another version ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FOREIGN_ABI and FOREIGN_BUILD in the environment say which.
//===----------------------------------------------------------------------===//
#include "lib/program/CompilerApi.h"

#include <cstdlib>

uint32_t tenon_compiler_abi(void) { return uint32_t(std::atoi(std::getenv("FOREIGN_ABI"))); }
const char *tenon_compiler_build_id(void) { return std::getenv("FOREIGN_BUILD"); }
int32_t tenon_compiler_compile(const tenon_compile_request *, tenon_compile_reply *) { std::abort(); }
void tenon_compiler_release(tenon_compile_reply *) { std::abort(); }

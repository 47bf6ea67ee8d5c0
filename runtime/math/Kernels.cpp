//===- Kernels.cpp - the functions that compiled kernels contain -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tenon_math_<function>_<f32|f64>[x8|x16]: Math.h as LLVM bitcode, for the
// compiler to clone a body in place of a call. Never an object file. One file
// serves x86-64-v3, v4 and NVPTX:
//
//   clang++-22 --target=nvptx64-nvidia-cuda -march=sm_90 -nocudalib
//     -ffreestanding -std=c++20 -O2 -fno-exceptions -fno-rtti
//     -ffp-contract=off -fno-math-errno -fno-trapping-math
//     -emit-llvm -c Kernels.cpp -o math.bc
//
// The target is NVPTX because its C ABI passes a vector of any width by value;
// on x86 one that is wider than a register becomes a pointer. The bodies are
// the same instructions as for x86: one block, no loads, no target intrinsics
// (llvm.fma, fabs, is.fpclass only). Attributes, triple and data layout say
// sm_90: a clone must take its caller's.
//===----------------------------------------------------------------------===//
#include "Math.h"

using tenon::math::Vec;

// A template has no C name, so a macro makes the six of each function.
#define TENON_MATH_KERNELS(function)                                                                                   \
  float tenon_math_##function##_f32(float x) { return tenon::math::function(x); }                                      \
  double tenon_math_##function##_f64(double x) { return tenon::math::function(x); }                                    \
  Vec<float, 8> tenon_math_##function##_f32x8(Vec<float, 8> x) { return tenon::math::function(x); }                    \
  Vec<double, 8> tenon_math_##function##_f64x8(Vec<double, 8> x) { return tenon::math::function(x); }                  \
  Vec<float, 16> tenon_math_##function##_f32x16(Vec<float, 16> x) { return tenon::math::function(x); }                 \
  Vec<double, 16> tenon_math_##function##_f64x16(Vec<double, 16> x) { return tenon::math::function(x); }

extern "C" {
TENON_MATH_KERNELS(exp)
TENON_MATH_KERNELS(log)
TENON_MATH_KERNELS(tanh)
TENON_MATH_KERNELS(cbrt)
}

//===- Kernels.cpp - the functions that compiled kernels contain -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tenon_math_<function>_<f32|f64>[x8|x16]: this folder as LLVM bitcode, for the
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
// the same instructions as for x86: no target intrinsics (llvm.fma, fabs,
// is.fpclass only), no calls, no arrays but constant tables. Attributes, triple and data layout say
// sm_90: a clone must take its caller's.
//===----------------------------------------------------------------------===//
#include "Functions.h"

using tenon::math::Vec;

// A template has no C name, so a macro makes the six of each function.
#define TENON_MATH_1(function, T, suffix)                                                                              \
  T tenon_math_##function##suffix(T x) { return tenon::math::function(x); }
#define TENON_MATH_2(function, T, suffix)                                                                              \
  T tenon_math_##function##suffix(T x, T y) { return tenon::math::function(x, y); }
#define TENON_MATH_3(function, T, suffix)                                                                              \
  T tenon_math_##function##suffix(T x, T y, T z) { return tenon::math::function(x, y, z); }
#define TENON_FUNCTION(function, count)                                                                                \
  TENON_MATH_##count(function, float, _f32) TENON_MATH_##count(function, double, _f64)                                 \
      TENON_MATH_##count(function, Float8, _f32x8) TENON_MATH_##count(function, Double8, _f64x8)                       \
          TENON_MATH_##count(function, Float16, _f32x16) TENON_MATH_##count(function, Double16, _f64x16)

using Float8 = Vec<float, 8>;
using Double8 = Vec<double, 8>;
using Float16 = Vec<float, 16>;
using Double16 = Vec<double, 16>;

extern "C" {
#include "runtime/math/Functions.gen.inc"
}
